//! Columns of tables that must be decided once: questions at a terminal, the command elsewhere, and what is kept for the source.

use super::*;

/// Header and one row of a table with one column beside the fields.
const SHEET: &str =
    "Name,Stars,Date,Review,Publish\nAnn,5,2026-03-01,Neat,yes\nBo,2,2026-03-02,Late,no\n";

/// A home with a business, so that instants have a time zone. Its country is not set, so that it decides no order of dates.
fn home() -> Home {
    static SET_UP: LazyLock<Vec<u8>> =
        LazyLock::new(|| Home::made_by("init --name Peak --time-zone America/Phoenix"));
    Home::holding(&SET_UP)
}

/// A home after the import of [`SHEET`], of which one review is public.
fn home_with_sheet() -> Home {
    let home = home();
    home.file("sheet.csv", SHEET);
    home.run_ok("import sheet.csv --public Publish=yes", "2 new");
    assert_eq!(published(&home), "Ann");
    home
}

/// The authors of the published reviews.
fn published(home: &Home) -> String {
    home.sql(
        "select group_concat(author, ', ') from
           (select author from review where status = 'published' order by author)",
    )
}

/// How columns of a source are read, and who decided it.
fn columns(home: &Home, source: &str) -> String {
    home.sql(&format!(
        "select header, field, decided_by from source_column
         where source_name = '{source}' and field not glob 'encoding *' order by header, field"
    ))
}

/// The number of columns that are kept for any source.
fn kept_count(home: &Home) -> String {
    home.sql("select count(*) from source_column")
}

/// Counts of everything that an import writes.
fn stored_counts(home: &Home) -> String {
    home.sql(
        "select (select count(*) from review), (select count(*) from review_source),
           (select count(*) from source_column), (select count(*) from import_run)",
    )
}

/// Asserts that a command must be decided first, and changed nothing.
#[track_caller]
fn assert_undecided(home: &Home, words: impl Words) -> CommandOutput {
    let words = words.list();
    let before = home.path().exists().then(|| stored_counts(home));
    let refused = home.run(&words);
    assert_eq!(
        refused.code,
        Some(2),
        "{words:?}: {}{}",
        refused.out,
        refused.err
    );
    assert!(!refused.err.contains("panicked"), "{}", refused.err);
    let after = home.path().exists().then(|| stored_counts(home));
    assert_eq!(after, before, "{words:?}");
    refused
}

/// A text with one blank instead of any number of blanks and line ends.
fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs a command at a terminal, where no line ends in a carriage return.
fn at_screen(home: &Home, words: impl Words, typed: &[&str]) -> CommandOutput {
    let words = words.list();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut done = home.at_terminal(&words, typed);
    done.err = done.err.replace('\r', "");
    done
}

/// Asserts that a command succeeds at a terminal after these answers.
#[track_caller]
fn answer_all(home: &Home, words: impl Words, typed: &[&str]) -> CommandOutput {
    let done = at_screen(home, words, typed);
    assert_eq!(done.code, Some(0), "{typed:?}: {}{}", done.out, done.err);
    done
}

/// The last command in the output that begins so: a line of its own, or in backticks.
#[track_caller]
fn printed_command(output: &CommandOutput, begin: &str) -> String {
    let text = format!("{}\n{}", output.out, output.err);
    let at = text.rfind(begin);
    let at = at.unwrap_or_else(|| panic!("no `{begin}` in: {text}"));
    let rest = text[at..].split(['\n', '`']).next().unwrap();
    rest.trim().to_owned()
}

/// Runs a line in a shell that finds the binary.
fn run_shell(home: &Home, line: &str) -> CommandOutput {
    let binary = Path::new(env!("CARGO_BIN_EXE_reviews")).parent().unwrap();
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", binary.display());
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", line])
        .current_dir(home.0.path())
        .stdin(Stdio::null())
        .env_clear()
        .env("PATH", path);
    output_of(&mut command)
}

/// A printed command with words in place of the placeholders. Without a word for `COLUMN=VALUE`, no column says whether a review
/// may be published.
#[track_caller]
fn fill(command: &str, answers: &[(&str, &str)]) -> String {
    let mut words: Vec<String> = Vec::new();
    for word in shlex::split(command).unwrap() {
        match answers.iter().find(|(placeholder, _)| *placeholder == word) {
            Some((_, answer)) => words.push((*answer).to_owned()),
            None if word == "COLUMN=VALUE" => {
                assert_eq!(words.pop().as_deref(), Some("--public"), "{command}");
                words.push("--ignore-others".to_owned());
            }
            None => words.push(word),
        }
    }
    let is_open = |word: &String| {
        ["COLUMN", "VALUE", "END", "FORMAT"]
            .iter()
            .any(|open| word.contains(open))
    };
    assert!(!words.iter().any(is_open), "{command}: {words:?}");
    shlex::try_join(words.iter().map(String::as_str)).unwrap()
}

/// A CSV table with a further column, whose cells are taken in turn.
fn with_column(table: &str, delimiter: char, header: &str, cells: &[&str]) -> String {
    let (mut wide, mut is_quoted) = (String::new(), false);
    let mut further = std::iter::once(&header).chain(cells.iter().cycle());
    for character in table.trim_end().chars().chain(['\n']) {
        is_quoted ^= character == '"';
        if character == '\n' && !is_quoted {
            if wide.ends_with('\r') {
                wide.pop();
            }
            wide.push(delimiter);
            wide.push_str(further.next().unwrap());
        }
        wide.push(character);
    }
    wide
}

/// A CSV table without quotes, without the column of this header.
fn without_column(table: &str, header: &str) -> String {
    let headers = table.lines().next().unwrap().split(',');
    let at = headers
        .into_iter()
        .position(|other| other == header)
        .unwrap();
    let line = |line: &str| {
        let cells = line.split(',').enumerate();
        let cells: Vec<&str> = cells
            .filter(|(number, _)| *number != at)
            .map(|(_, cell)| cell)
            .collect();
        format!("{}\n", cells.join(","))
    };
    table.lines().map(line).collect()
}

/// A cell as CSV.
fn quoted(cell: &str) -> String {
    format!("\"{}\"", cell.replace('"', "\"\""))
}

// Questions at a terminal.

/// The sheet of a firm: of 41 rows, three may not be published.
fn feedback(rows: usize) -> String {
    let mut sheet = "Customer,Stars,What they said,When,Our reply,Publish\n".to_owned();
    for number in 0..rows {
        let customer = match number {
            0 => "Ann Baker".to_owned(),
            1 => "Bo Cole".to_owned(),
            _ => format!("Guest {number}"),
        };
        let stars = if number % 7 == 1 { 2 } else { 5 };
        let when = if number < 30 {
            format!("2026-10-{:02}", 30 - number)
        } else {
            format!("2026-09-{:02}", 60 - number)
        };
        let reply = if number == 0 { "Thank you." } else { "" };
        let publish = if [3, 17, 40].contains(&number) {
            "no"
        } else {
            "yes"
        };
        sheet += &format!(
            "{customer},{stars},On time and tidy at visit {number}.,{when},{reply},{publish}\n"
        );
    }
    sheet
}

const WHICH_TEXT: &str =
    "Which column is the customer's text? Its number; - if there are only ratings: ";
const KEPT_FEEDBACK: &str = "Customer|author|name\nOur reply|response|name\nPublish|public|owner\nStars|rating|name\n\
    What they said|text|owner\nWhen|date|name";

#[test]
fn answers_at_a_terminal_are_shown_used_and_kept() {
    let home = Home::new();
    home.file("feedback.csv", &feedback(41));
    let done = answer_all(&home, "import feedback.csv", &["3", "6", "yes"]);
    for part in [
        "feedback.csv",
        WHICH_TEXT,
        "Does one of the others say whether a review, your answer or the name may be published: 6 Publish? \
         Its number; - if none does: ",
        "if it says it of your answer or of the author's name",
        "Publish has yes (38), no (3). With which of them may a review be published? All others are withheld.\n\
         Type them, separated by commas: ",
    ] {
        assert_has(&done.err, part);
    }
    let screen = in_one_line(&done.err);
    for part in [
        "3 What they said (text) ?",
        "6 Publish yes (38), no (3) ?",
        "1 Customer",
        "5 Our reply",
    ] {
        assert_has(&screen, part);
    }
    let shown = format!("{}{}", done.out, done.err);
    assert_has(
        &shown,
        "Kept for Direct. `reviews source columns Direct` shows and changes it.",
    );
    assert_has(
        &shown,
        "public if Publish is \"yes\" (38); withheld: \"no\" (3)",
    );
    assert_has(&done.out, "41 new");
    assert_eq!(
        home.sql("select status, withheld_reason, count(*) from review group by 1, 2 order by 1"),
        "published||38\nwithheld|not published at the source|3"
    );
    assert_eq!(
        home.sql(
            "select rating, reviewed_on, text, response_text from review where author = 'Ann Baker'"
        ),
        "5|2026-10-30|On time and tidy at visit 0.|Thank you."
    );
    assert_eq!(columns(&home, "Direct"), KEPT_FEEDBACK);
    assert_eq!(
        home.sql(
            "select public_values, withheld_values from source_column where header = 'Publish'"
        ),
        "[\"yes\"]|[\"no\"]"
    );
    let listed = home.run_ok("source columns Direct", "What they said").out;
    for part in ["Customer", "Stars", "Our reply", "Publish", "yes"] {
        assert_has(&listed, part);
    }
}

#[test]
fn kept_answers_suffice_for_the_same_sheet_and_a_longer_one() {
    let home = Home::new();
    home.file("feedback.csv", &feedback(41));
    answer_all(&home, "import feedback.csv", &["3", "6", "yes"]);
    home.run_ok("import feedback.csv", "0 new, 0 updated, 41 unchanged");
    let again = answer_all(&home, "import feedback.csv", &[]);
    assert!(!again.err.contains("Its number"), "{}", again.err);
    home.file("feedback.csv", &feedback(43));
    home.run_ok("import feedback.csv", "2 new, 0 updated, 41 unchanged");
    assert_eq!(columns(&home, "Direct"), KEPT_FEEDBACK);
}

#[test]
fn empty_line_at_any_question_leaves_and_writes_nothing() {
    for typed in [
        &[""][..],
        &[],
        &["3"],
        &["3", ""],
        &["3", "6"],
        &["3", "6", ""],
    ] {
        for home in [Home::new(), home()] {
            home.file("feedback.csv", &feedback(41));
            let before = home.path().exists().then(|| stored_counts(&home));
            let left = at_screen(&home, "import feedback.csv", typed);
            assert_eq!(left.code, Some(2), "{typed:?}: {}{}", left.out, left.err);
            assert_has(&left.err, "nothing was changed");
            let after = home.path().exists().then(|| stored_counts(&home));
            assert_eq!(after, before, "{typed:?}");
        }
    }
}

#[test]
fn wrong_answers_are_followed_by_the_same_question() {
    let home = Home::new();
    home.file("feedback.csv", &feedback(41));
    let typed = ["9", "some", "3", "7", "6 nothing", "6", "perhaps", "yes"];
    let done = answer_all(&home, "import feedback.csv", &typed);
    for (question, times) in [
        ("Which column is the customer's text?", 3),
        ("Its number; - if none does: ", 3),
        ("Type them, separated by commas: ", 2),
    ] {
        assert_eq!(
            done.err.matches(question).count(),
            times,
            "{question}: {}",
            done.err
        );
    }
    assert_eq!(columns(&home, "Direct"), KEPT_FEEDBACK);
}

#[test]
fn minus_says_that_no_column_fits() {
    let home = Home::new();
    home.file("feedback.csv", &feedback(41));
    let done = answer_all(&home, "import feedback.csv", &["-", "-"]);
    assert_has(&done.err, "may be published: 3 What they said, 6 Publish? ");
    assert_eq!(
        home.sql("select status, text, count(*) from review group by 1, 2"),
        "published||41"
    );
    let kept = columns(&home, "Direct");
    for line in [
        "|text|owner",
        "What they said|ignored|others",
        "Publish|ignored|others",
    ] {
        assert!(kept.lines().any(|other| other == line), "{line}: {kept}");
    }
    home.run_ok("import feedback.csv", "0 new, 0 updated, 41 unchanged");
}

#[test]
fn column_may_speak_of_the_answer_or_of_the_name() {
    let sheet = "Name,Stars,Date,Review,Reply,Show\nAnn,5,2026-03-01,Neat,Thanks Ann,yes\nBo,2,2026-03-02,Late,Sorry Bo,no\n";
    for (typed, field, rows) in [
        (
            "6 answer",
            "public answer",
            "Ann|published|Thanks Ann\nBo|published|",
        ),
        (
            "6 name",
            "public name",
            "Ann|published|Thanks Ann\nAnonymous|published|Sorry Bo",
        ),
        (
            "6",
            "public",
            "Ann|published|Thanks Ann\nBo|withheld|Sorry Bo",
        ),
    ] {
        let home = Home::new();
        home.file("sheet.csv", sheet);
        answer_all(&home, "import sheet.csv", &[typed, "yes"]);
        assert_eq!(
            home.sql("select author, status, response_text from review order by reviewed_on"),
            rows,
            "{typed}"
        );
        assert_has(&columns(&home, "Direct"), &format!("Show|{field}|owner"));
        home.run_ok("import sheet.csv", "2 unchanged");
    }
}

#[test]
fn several_columns_of_publication_are_answered_in_turn() {
    let home = Home::new();
    home.file(
        "sheet.csv",
        "Name,Stars,Date,Review,Reply,Publish,Reply OK,Web,City\n\
         Ann,5,2026-03-01,Neat,Thanks Ann,yes,1,on,Mesa\n\
         Bo,4,2026-03-02,Good,Thanks Bo,yes,0,on,Mesa\n\
         Cy,3,2026-03-03,Fair,Thanks Cy,yes,1,off,Mesa\n\
         Di,2,2026-03-04,Late,Sorry Di,no,1,on,Mesa\n",
    );
    let done = answer_all(
        &home,
        "import sheet.csv",
        &["6, 7 answer, 8", "yes", "1", "on"],
    );
    assert_has(
        &done.err,
        "published: 6 Publish, 7 Reply OK, 8 Web, 9 City? ",
    );
    assert_eq!(
        home.sql("select author, status, response_text from review order by author"),
        "Ann|published|Thanks Ann\nBo|published|\nCy|withheld|Thanks Cy\nDi|withheld|Sorry Di"
    );
    let kept = columns(&home, "Direct");
    for line in [
        "Publish|public|owner",
        "Reply OK|public answer|owner",
        "Web|public|owner",
        "City|ignored|others",
    ] {
        assert!(kept.lines().any(|other| other == line), "{line}: {kept}");
    }
}

#[test]
fn values_may_have_commas_or_be_empty_or_any() {
    let sheet = "Name,Stars,Date,Review,Consent\n\
        Ann,5,2026-03-01,Neat,\"Yes, please\"\nBo,4,2026-03-02,Good,No\nCy,3,2026-03-03,Fair,\nDi,2,2026-03-04,Late,\" yes, PLEASE \"\n";
    for (typed, authors) in [
        ("Yes, please", "Ann, Di"),
        ("(empty)", "Cy"),
        ("*", "Ann, Bo, Di"),
        ("yes, please, (empty)", "Ann, Cy, Di"),
        ("(empty), no", "Bo, Cy"),
    ] {
        let home = Home::new();
        home.file("sheet.csv", sheet);
        let done = answer_all(&home, "import sheet.csv", &["5", typed]);
        assert_has(&done.err, "(empty)");
        assert_eq!(published(&home), authors, "{typed}");
        home.run_ok("import sheet.csv", "4 unchanged");
    }
}

#[test]
fn several_columns_that_fit_a_field_are_offered_by_number() {
    let sheet = "Reviewer,Customer Name,Stars,Date,Review\nAnnie,Ann Baker,5,2026-03-01,Neat\nBob,Bo Cole,2,2026-03-02,Late\n";
    for (typed, author) in [
        ("1", "Annie"),
        ("2", "Ann Baker"),
        ("2, 1", "Ann Baker Annie"),
    ] {
        let home = Home::new();
        home.file("sheet.csv", sheet);
        let done = answer_all(&home, "import sheet.csv", &[typed, "-"]);
        assert_has(
            &done.err,
            "Which column is the author: 1 Reviewer or 2 Customer Name? ",
        );
        assert_eq!(
            home.sql("select author from review where rating = 5"),
            author
        );
        home.run_ok("import sheet.csv", "2 unchanged");
    }
}

#[test]
fn second_column_of_sentences_is_a_question_about_the_text() {
    let sheet = "Name,Stars,Date,Comments,Customer feedback\n\
        Ann,5,2026-03-01,Give her a discount soon,They came on time again\n\
        Bo,2,2026-03-02,Refund him please by Friday,The pump still leaks badly\n";
    for (typed, text) in [
        ("Customer feedback", "They came on time again"),
        ("5", "They came on time again"),
        ("Comments", "Give her a discount soon"),
    ] {
        let home = Home::new();
        home.file("sheet.csv", sheet);
        assert_has(
            &assert_undecided(&home, "import sheet.csv").err,
            "--map 'text=",
        );
        let done = answer_all(&home, "import sheet.csv", &[typed, "-"]);
        assert_has(
            &done.err,
            "Comments and Customer feedback both have sentences. Which is the customer's text? The other is not used: ",
        );
        assert_eq!(home.sql("select text from review where rating = 5"), text);
        home.run_ok("import sheet.csv", "2 unchanged");
    }
}

const JUNE: &str = "Id,Name,Stars,Date,Review\n1,Ann,5,2025-06-10,Neat and quick\n2,Bo,1,2025-05-02,Broke my door and left\n3,Cy,4,2025-04-01,Fair price\n";
const JULY: &str = "Id,Name,Stars,Date,Review\n1,Di,5,2025-07-03,Very polite\n2,Ann,5,2025-06-10,Neat and quick\n\
    3,Bo,1,2025-05-02,Broke my door and left\n4,Cy,4,2025-04-01,Fair price\n";

#[test]
fn id_that_counts_the_rows_is_used_only_after_a_yes() {
    for (typed, field, july) in [
        ("n", "ignored", "1 new, 0 updated"),
        ("y", "id", "3 rejected"),
    ] {
        let home = Home::new();
        home.file("june.csv", JUNE);
        home.file("july.csv", JULY);
        let done = answer_all(&home, "import june.csv", &[typed]);
        assert_has(
            &done.err,
            "Id counts the rows (1, 2, 3 …). Is it the same number for the same review in the next file? y or n: ",
        );
        assert!(!done.err.contains("Does one of the others"), "{}", done.err);
        assert_has(&columns(&home, "Direct"), &format!("Id|{field}|owner"));
        home.run_ok("import june.csv", "3 unchanged");
        let id = home.sql("select review_id from review where author = 'Bo'");
        home.run(&["withhold", id.as_str(), "--reason", "under dispute"])
            .done();
        assert_has(&home.run("import july.csv").out, july);
        assert_eq!(
            home.sql("select author from review where status = 'withheld'"),
            "Bo",
            "{typed}"
        );
    }
}

#[test]
fn stars_above_five_are_a_question_about_the_scale() {
    for (stars, typed, ratings) in [([10, 6, 2], "y", "5, 3, 1"), ([8, 6, 2], "10", "4, 3, 1")] {
        let home = Home::new();
        let row = |(number, stars): (usize, u8)| {
            format!("Guest {number},{stars},2026-03-0{number},Neat\n")
        };
        let rows: String = (1..).zip(stars).map(row).collect();
        home.file("sheet.csv", &format!("Name,Stars,Date,Review\n{rows}"));
        assert_has(&assert_undecided(&home, "import sheet.csv").err, "--scale");
        let done = answer_all(&home, "import sheet.csv", &[typed]);
        assert_has(
            &done.err,
            &format!("Stars goes up to {}. Does the scale end at ", stars[0]),
        );
        assert_has(&done.err, "? y, or the end of the scale: ");
        assert_eq!(
            home.sql(
                "select group_concat(rating, ', ') from (select rating from review order by author)"
            ),
            ratings
        );
        assert_eq!(
            home.sql("select scale from source_column where header = 'Stars'"),
            "10"
        );
        // A later file of low marks is read on the same scale.
        home.file(
            "later.csv",
            "Name,Stars,Date,Review\nZoe,4,2026-04-01,Fair\n",
        );
        home.run_ok("import later.csv", "1 new");
        assert_eq!(
            home.sql("select rating from review where author = 'Zoe'"),
            "2"
        );
    }
}

#[test]
fn dates_of_two_readings_are_a_question_with_both_days() {
    for (typed, day, order) in [
        ("1", "2026-03-04", "month_first"),
        ("2", "2026-04-03", "day_first"),
    ] {
        let home = Home::new();
        home.file(
            "sheet.csv",
            "Name,Stars,Date,Review\nAnn,5,03/04/2026,Neat\nBo,2,05/04/2026,Late\n",
        );
        let done = answer_all(&home, "import sheet.csv", &[typed]);
        assert_has(
            &done.err,
            "03/04/2026 in Date: 1 is 2026-03-04 (month first), 2 is 2026-04-03 (day first): ",
        );
        assert_eq!(
            home.sql("select reviewed_on from review where author = 'Ann'"),
            day
        );
        assert_eq!(
            home.sql("select date_order from source_column where header = 'Date'"),
            order
        );
        home.run_ok("import sheet.csv", "2 unchanged");
        // A date that proves the opposite of what is kept refuses the file.
        let opposite = if typed == "1" {
            "25/01/2026"
        } else {
            "01/25/2026"
        };
        home.file(
            "later.csv",
            &format!("Name,Stars,Date,Review\nCy,5,{opposite},Good\n"),
        );
        home.run("import later.csv").failed("later.csv");
        assert_eq!(home.sql("select count(*) from review"), "2");
    }
}

#[test]
fn dates_that_prove_an_order_and_countries_need_no_question() {
    let home = Home::new();
    home.import(
        "sheet.csv",
        "Name,Stars,Date,Review\nAnn,5,03/04/2026,Neat\nBo,2,13/04/2026,Late\n",
        "2 new",
    );
    assert_eq!(
        home.sql("select reviewed_on from review where author = 'Ann'"),
        "2026-04-03"
    );
    let home = Home::new();
    home.run("init --name Peak --country US --time-zone America/Phoenix")
        .done();
    home.import(
        "sheet.csv",
        "Name,Stars,Date,Review\nAnn,5,03/04/2026,Neat\n",
        "1 new",
    );
    assert_eq!(home.sql("select reviewed_on from review"), "2026-03-04");
}

#[test]
fn dry_run_at_a_terminal_keeps_nothing_and_prints_a_command() {
    let home = Home::new();
    home.file("feedback.csv", &feedback(41));
    let done = answer_all(&home, "import feedback.csv --dry-run", &["3", "6", "yes"]);
    assert!(!home.path().exists());
    let command = printed_command(&done, "reviews import ");
    for part in ["text=What they said", "Publish=yes"] {
        assert_has(&command, part);
    }
    let command = command.replace(" --dry-run", "");
    let imported = run_shell(&home, &command);
    imported.done();
    assert_has(&imported.out, "41 new");
    assert_eq!(columns(&home, "Direct"), KEPT_FEEDBACK);
    assert_eq!(
        home.sql("select count(*) from review where status = 'withheld'"),
        "3"
    );
}

// The command elsewhere.

#[test]
fn command_elsewhere_is_complete_and_shows_no_private_cell() {
    let home = Home::new();
    home.file(
        "my feedback.csv",
        "Name,Stars,Date,Words,E-mail,Phone,Notes to us,Publish\n\
         Ann,5,2026-03-01,They came on time again,ann@mail.test,+1 602 555 0188,PRIVATE-NOTE call her husband first,yes\n\
         Bo,2,2026-03-02,The pump still leaks badly,bo@mail.test,+1 602 555 0199,PRIVATE-NOTE never pays in time,no\n",
    );
    let refused = assert_undecided(&home, &["import", "my feedback.csv", "--source", "Angi"]);
    assert!(!home.path().exists());
    assert!(
        refused.err.starts_with("error: my feedback.csv: "),
        "{}",
        refused.err
    );
    let text = in_one_line(&refused.err);
    for part in [
        "nothing was changed",
        "run it with an answer for each ?, for example",
        "COLUMN and VALUE: the column that says whether a review may be published, and its value for yes; or --ignore-others, if none of ",
        "(e-mail)",
        "(number)",
        "(text)",
    ] {
        assert_has(&text, part);
    }
    for private in ["mail.test", "555 01", "PRIVATE-NOTE", "husband", "leaks"] {
        assert!(
            !text.contains(private) && !refused.out.contains(private),
            "{private}: {text}"
        );
    }
    let command = printed_command(&refused, "reviews import ");
    for part in [
        "my feedback.csv",
        "--source Angi",
        "--map 'text=",
        "--public 'COLUMN=VALUE'",
    ] {
        assert_has(&command, part);
    }
    let filled = fill(
        &command,
        &[
            ("text=COLUMN", "text=Words"),
            ("COLUMN=VALUE", "Publish=yes"),
        ],
    );
    run_shell(&home, &filled).done();
    assert_eq!(published(&home), "Ann");
    assert_eq!(
        home.sql("select text from review where author = 'Ann'"),
        "They came on time again"
    );
    assert_eq!(
        home.sql("select distinct source_name from source_column"),
        "Angi"
    );
}

#[test]
fn other_columns_are_listed_beside_the_option_that_ignores_all() {
    let home = Home::new();
    home.file(
        "sheet.csv",
        "Name,Stars,Date,Review,Order,Publish,City\nAnn,5,2026-03-01,Neat,A17,yes,Mesa\nBo,2,2026-03-02,Late,B4,no,Mesa\n",
    );
    let refused = assert_undecided(&home, "import sheet.csv");
    assert_has(
        &in_one_line(&refused.err),
        "COLUMN and VALUE: the column that says whether a review may be published, and its value for yes; \
         or --ignore-others, if none of Order, Publish, City does",
    );
    let command = printed_command(&refused, "reviews import ");
    assert_eq!(command, "reviews import sheet.csv --public 'COLUMN=VALUE'");
    run_shell(&home, &fill(&command, &[])).done();
    assert_eq!(published(&home), "Ann, Bo");
    assert_eq!(
        home.sql("select header from source_column where field = 'ignored' and decided_by = 'others' order by header"),
        "City\nOrder\nPublish"
    );
    home.run_ok("import sheet.csv", "2 unchanged");
}

#[test]
fn yes_and_standard_input_answer_no_question() {
    let home = Home::new();
    home.file("sheet.csv", SHEET);
    assert_undecided(&home, "import sheet.csv --yes");
    let input = run_shell(&home, "reviews import - < sheet.csv");
    input.failed("COLUMN=VALUE");
    assert!(!home.path().exists());
    // A word that stands for a value is none.
    let refused = assert_undecided(&home, "import sheet.csv --public Publish=VALUE");
    assert_has(&refused.err, "Publish");
    let taken = run_shell(&home, "reviews import - --public Publish=yes < sheet.csv");
    taken.done();
    assert_eq!(published(&home), "Ann");
}

/// Words of a printed command that are no answer, each with its answer.
type Answers = &'static [(&'static str, &'static str)];

/// Tables of forms, shops and surveys: file, content, answers, and the authors of the reviews that may be published.
const TABLES: &[(&str, &str, Answers, &str)] = &[
    (
        "survey.csv",
        "#,What is your name?,How satisfied were you with our service?,What did you like?,Start Date (UTC),Submit Date (UTC),Network ID\n\
         a1,Ann Bee,5,The crew was on time and tidy,2026-03-01 10:00:00,2026-03-01 10:05:00,n1\n\
         a2,Bo Cee,3,They came two hours late,2026-03-02 11:00:00,2026-03-02 11:04:00,n2\n",
        &[
            (
                "rating=COLUMN",
                "rating=How satisfied were you with our service?",
            ),
            ("text=COLUMN", "text=What did you like?"),
        ],
        "Ann Bee, Bo Cee",
    ),
    (
        "venue.csv",
        "Customer Name,Rating,Review Comment,Venue Name,Created Date\n\
         Ann Bee,5,On time and tidy work,Cafe One,2026-03-01\nBo Cee,2,Late and left a mess,Cafe One,2026-03-02\n",
        &[],
        "Ann Bee, Bo Cee",
    ),
    (
        "avis.csv",
        "Date;Client;Note;Commentaire;Publié\n01/03/2026;Luc Petit;5;Très propre et rapide;oui\n22/03/2026;Zoé Roux;1;HIDDEN-NOTE trop tard;non\n",
        &[("COLUMN=VALUE", "Publié=oui")],
        "Luc Petit",
    ),
    (
        "kunden.csv",
        "Datum;Kunde;Sterne;Text;Freigabe\n01.03.2026;Eva Berg;5;Pünktlich und sauber;ja\n02.03.2026;Uwe Paul;1;HIDDEN-NOTE zu spät;nein\n",
        &[("COLUMN=VALUE", "Freigabe=ja")],
        "Eva Berg",
    ),
    (
        "formulaire.csv",
        "Horodateur,Votre nom,Quelle note donnez-vous à notre service ?,Votre avis,Acceptez-vous que votre avis soit publié ?\n\
         01/03/2026 10:12:55,Luc Petit,5,Très propre et rapide,Oui\n22/03/2026 10:12:55,Zoé Roux,1,HIDDEN-NOTE trop tard,Non\n",
        &[
            (
                "rating=COLUMN",
                "rating=Quelle note donnez-vous à notre service ?",
            ),
            (
                "COLUMN=VALUE",
                "Acceptez-vous que votre avis soit publié ?=oui",
            ),
        ],
        "Luc Petit",
    ),
    (
        "form.csv",
        "ID,Start time,Completion time,Email,Name,Last modified time,Overall how would you rate our work?,What went well?,May we publish your answer?\n\
         1,3/14/26 12:51:45,3/14/26 12:54:25,a@x.test,Ann Bee,,5,The crew was on time and tidy,Yes\n\
         2,3/15/26 10:15:30,3/15/26 10:18:45,b@x.test,Bo Cee,,2,HIDDEN-NOTE They came two hours late,No\n",
        &[
            ("id=COLUMN", "id=ID"),
            (
                "rating=COLUMN",
                "rating=Overall how would you rate our work?",
            ),
            ("text=COLUMN", "text=What went well?"),
            ("COLUMN=VALUE", "May we publish your answer?=Yes"),
        ],
        "Ann Bee",
    ),
    (
        "course.csv",
        "ID,Student Name,Course,Rating,Comment,Created At,Is Approved\n\
         c7,Ann Bee,Yoga,5,A calm and clear course,2026-03-01 10:00:00,True\nc9,Bo Cee,Yoga,1,HIDDEN-NOTE too loud room,2026-03-02 10:00:00,False\n",
        &[("COLUMN=VALUE", "Is Approved=true")],
        "Ann Bee",
    ),
    // A column of dates that is empty for drafts, and may be the date, too.
    (
        "drafts.csv",
        "Id,Name,Stars,Created at,Published at,Review\n\
         1a,Ann Bee,5,2026-03-05,2026-03-06,The crew was on time\n1b,Bo Cee,4,2026-03-06,,HIDDEN-NOTE a draft\n",
        &[
            ("date=COLUMN", "date=Created at"),
            ("COLUMN=VALUE", "Published at=*"),
        ],
        "Ann Bee",
    ),
    (
        "encuesta.csv",
        "Marca temporal,Nombre,¿Cómo calificaría nuestro servicio? (1-5),Comentarios,¿Podemos publicar su comentario?\n\
         2026/03/01 4:12:55 PM MST,Ana Gil,5,Llegaron a tiempo y limpio,Sí\n2026/03/02 4:12:55 PM MST,Luis Paz,1,HIDDEN-NOTE muy tarde,No\n",
        &[
            (
                "rating=COLUMN",
                "rating=¿Cómo calificaría nuestro servicio? (1-5)",
            ),
            ("COLUMN=VALUE", "¿Podemos publicar su comentario?=Sí"),
        ],
        "Ana Gil",
    ),
    (
        "store.csv",
        "Review ID,Customer,Product,Rating,Review,Date,Status\n\
         RV-1,Ann Bee,Fan,5,Quiet and strong fan,2026-03-01,Approved\nRV-2,Bo Cee,Fan,1,HIDDEN-NOTE rattles badly,2026-03-02,Flagged\n",
        &[("COLUMN=VALUE", "Status=approved")],
        "Ann Bee",
    ),
    (
        "consent.csv",
        "Submission Date,First Name,Last Name,E-mail,Rating,Comments,Do you consent to publication?\n\
         2026-03-01 10:00:00,Ann,Bee,a@x.test,5,The crew was on time,Yes\n2026-03-02 10:00:00,Bo,Cee,b@x.test,2,HIDDEN-NOTE late,No\n",
        &[("COLUMN=VALUE", "Do you consent to publication?=yes")],
        "Ann Bee",
    ),
    (
        "visits.csv",
        "Timestamp,Email Address,Full name,How would you rate our work?,Tell us about your visit,May we use your comments on our website?\n\
         2026/03/01 4:12:55 PM MST,a@x.test,Ann Bee,5,The crew was on time,Yes\n\
         2026/03/02 4:12:55 PM MST,b@x.test,Bo Cee,2,HIDDEN-NOTE two hours late,No\n",
        &[
            ("rating=COLUMN", "rating=How would you rate our work?"),
            ("text=COLUMN", "text=Tell us about your visit"),
            (
                "COLUMN=VALUE",
                "May we use your comments on our website?=Yes",
            ),
        ],
        "Ann Bee",
    ),
    (
        "testimonials.csv",
        "client_name,company,position,image,testimonial,rating,status,sort_order,created_at\n\
         Ann Bee,ACME,CEO,a.png,The crew was on time,5,1,1,2026-03-01 10:00:00\nBo Cee,ACME,CFO,b.png,HIDDEN-NOTE late again,1,0,2,2026-03-02 10:00:00\n",
        &[("COLUMN=VALUE", "status=1")],
        "Ann Bee",
    ),
    (
        "quotes.csv",
        "date,active,group,quote,client,stars\n2026-02-09,true,Builders,Fast fixes saved us calls,Ann B.,5\n2026-02-10,false,Medical,HIDDEN-NOTE our security,Bo S.,4\n",
        &[("COLUMN=VALUE", "active=true")],
        "Ann B.",
    ),
    (
        "reseñas.csv",
        "id,producto_id,usuario_nombre,calificacion,comentario,aprobada,fecha\n\
         a9,4,Ana Gil,5,Llegaron a tiempo y limpio,true,2026-03-01\nb3,4,Luis Paz,1,HIDDEN-NOTE muy tarde,false,2026-03-02\n",
        &[
            ("author=COLUMN", "author=usuario_nombre"),
            ("text=COLUMN", "text=comentario"),
            ("COLUMN=VALUE", "aprobada=true"),
        ],
        "Ana Gil",
    ),
    (
        "nested.json",
        r#"[{"ref": "m1", "customer": "Ann B.", "stars": 5, "comment": "On time and tidy.", "created_at": "2026-03-05", "meta": {"approved": true}},
            {"ref": "m2", "customer": "Bo S.", "stars": 1, "comment": "HIDDEN-NOTE not approved.", "created_at": "2026-03-06", "meta": {"approved": false}}]"#,
        &[("COLUMN=VALUE", "meta.approved=true")],
        "Ann B.",
    ),
    // Our own members, and one that is not ours.
    (
        "own.jsonl",
        "{\"id\": \"m1\", \"rating\": 5, \"date\": \"2026-03-05\", \"author\": \"Ann B.\", \"text\": \"On time.\", \"flags\": {\"hidden\": false}}\n\
         {\"id\": \"m2\", \"rating\": 1, \"date\": \"2026-03-06\", \"author\": \"Bo S.\", \"text\": \"HIDDEN-NOTE\", \"flags\": {\"hidden\": true}}\n",
        &[("COLUMN=VALUE", "flags.hidden=false")],
        "Ann B.",
    ),
];

/// Follows the command that the import of these files prints: as printed, and with words in place of the placeholders.
#[track_caller]
fn follow_command(home: &Home, words: &[&str], answers: &[(&str, &str)], authors: &str) {
    let refused = assert_undecided(home, words);
    assert_has(&refused.err, "nothing was changed");
    let command = printed_command(&refused, "reviews import ");
    assert_eq!(command.matches("COLUMN=VALUE").count(), 1, "{command}");
    let before = stored_counts(home);
    let printed = run_shell(home, &command);
    assert_eq!(
        printed.code,
        Some(2),
        "{command}: {}{}",
        printed.out,
        printed.err
    );
    assert_eq!(stored_counts(home), before, "{command}");
    if let Some((_, answer)) = answers
        .iter()
        .find(|(placeholder, _)| *placeholder == "COLUMN=VALUE")
    {
        let (header, _) = answer.rsplit_once('=').unwrap();
        assert_has(&format!("{}{}", printed.out, printed.err), header);
    }
    let filled = fill(&command, answers);
    let imported = run_shell(home, &filled);
    assert_eq!(
        imported.code,
        Some(0),
        "{filled}: {}{}",
        imported.out,
        imported.err
    );
    assert_eq!(published(home), authors, "{filled}");
    assert_eq!(
        home.sql(
            "select count(*) from review where status = 'published' and text glob '*HIDDEN-NOTE*'"
        ),
        "0",
        "{filled}"
    );
    home.run_ok(words, "0 new, 0 updated");
}

#[test]
fn printed_commands_publish_nothing_until_they_are_filled_in() {
    for (file, content, answers, authors) in TABLES {
        let home = home();
        home.file(file, content);
        follow_command(&home, &["import", file], answers, authors);
    }
}

#[test]
fn files_of_one_call_have_one_question_for_one_header() {
    let home = home();
    home.file("jan.csv", SHEET);
    let later = SHEET
        .replace("2026-03", "2026-04")
        .replace("Ann", "Cy")
        .replace("Bo", "Di");
    home.file("feb.csv", &later.replace("no\n", "later\n"));
    let words = ["import", "jan.csv", "feb.csv"];
    let refused = assert_undecided(&home, &words);
    for value in ["yes", "no", "later"] {
        assert_has(&refused.err, value);
    }
    follow_command(&home, &words, &[("COLUMN=VALUE", "Publish=yes")], "Ann, Cy");
}

#[test]
fn question_about_a_later_file_stops_those_before() {
    let home = home();
    home.file("plain.csv", &without_column(SHEET, "Publish"));
    home.file("sheet.csv", &SHEET.replace("2026-03", "2026-04"));
    assert_undecided(&home, "import plain.csv sheet.csv");
    home.run_ok("import plain.csv", "2 new");
    assert_undecided(&home, "import plain.csv sheet.csv");
}

/// A name of a column in the output, with the members around it.
fn header_ending<'o>(output: &'o str, member: &str) -> &'o str {
    let nested = format!(".{member}");
    let mut words = output
        .split_whitespace()
        .map(|word| word.trim_end_matches([',', '?']));
    let found = words.clone().find(|word| word.ends_with(&nested));
    let found = found.or_else(|| words.find(|word| *word == member));
    found.unwrap_or_else(|| panic!("no column {member}: {output}"))
}

#[test]
fn documents_of_a_database_are_read_after_a_decision() {
    let document = |key: &str, rating: u8, text: &str, day: u8, is_approved: bool| {
        json!({
            "name": format!("projects/p/databases/(default)/documents/reviews/{key}"),
            "fields": {
                "author": {"stringValue": format!("Guest {key}")},
                "rating": {"integerValue": rating.to_string()},
                "text": {"stringValue": text},
                "date": {"timestampValue": format!("2026-03-0{day}T10:00:00Z")},
                "approved": {"booleanValue": is_approved},
            },
            "createTime": "2026-03-05T10:00:00Z", "updateTime": "2026-03-05T10:00:00Z",
        })
    };
    let documents = json!({"documents": [
        document("a1", 5, "On time and tidy.", 5, true),
        document("a2", 1, "HIDDEN-NOTE not approved by us.", 6, false),
        document("a3", 4, "Good work on the pump.", 7, true),
    ]});
    let home = home();
    home.file("firestore.json", &documents.to_string());
    let refused = assert_undecided(&home, "import firestore.json");
    assert_has(&refused.err, "COLUMN=VALUE");
    let mut words = vec!["import".to_owned(), "firestore.json".to_owned()];
    for field in ["rating", "date", "author", "text"] {
        words.push("--map".to_owned());
        words.push(format!("{field}={}", header_ending(&refused.err, field)));
    }
    words.push("--public".to_owned());
    words.push(format!("{}=true", header_ending(&refused.err, "approved")));
    home.run_ok(&words, "3 new");
    assert_eq!(
        home.sql("select author, rating, reviewed_on, text from review where status = 'published' order by 1"),
        "Guest a1|5|2026-03-05|On time and tidy.\nGuest a3|4|2026-03-07|Good work on the pump."
    );
}

#[test]
fn own_export_with_a_further_column_is_a_table() {
    let first = Home::new();
    let row = |id: &str, author: &str| {
        json!({"id": id, "rating": 5, "date": "2026-03-05", "author": author, "text": format!("Visit {id}.")}).to_string()
    };
    let rows = [row("o0", "Ann B."), row("o1", "Bo S."), row("o2", "Cy T.")];
    first.import("rows.jsonl", &rows.join("\n"), "3 new");
    first.run_ok("export all.csv", "3 reviews");
    let exported = fs::read_to_string(first.0.path().join("all.csv")).unwrap();
    let unchanged = home();
    unchanged.import("all.csv", &exported, "3 new");
    let home = home();
    let wide = |line: &str| match line {
        line if line.starts_with("id,") => format!("{line},Hidden\n"),
        line if line.starts_with("o1,") => format!("{line},yes\n"),
        line => format!("{line},no\n"),
    };
    home.file("all.csv", &exported.lines().map(wide).collect::<String>());
    follow_command(
        &home,
        &["import", "all.csv"],
        &[("COLUMN=VALUE", "Hidden=no")],
        "Ann B., Cy T.",
    );
}

// Laws: a column that nobody decided publishes nothing, whatever its header and cells.

/// Header, the value that publishes (`*`: any but an empty one; `~`: an empty one), and the cells, each of a review.
const ENGLISH_COLUMNS: &str = "
    Publish → yes → yes|no
    Publish? → Y → Y|N
    OK to publish (Y/N) → y → y|n
    Status → published → published|draft|spam
    Approval state → approved → approved|pending|rejected
    For web → x → x|~
    Do not show → ~ → ~|x
    Cleared → 1 → 1|0
    Approved → TRUE → TRUE|FALSE
    Visible → on → on|on|on
    Hidden → no → no|yes
    Audience → Everyone → Everyone|Team
    Notes → ~ → ~|DO NOT POST
    Order → A17 → A17|B4
    City → Mesa → Mesa|Tempe|Mesa
    Published at → * → 2026-03-05|~
    Deleted on → ~ → ~|2026-03-06
    Branch → North → North
    Score (0-10) → 9 → 9|3
    Anonymous → No → No|Yes
    Private feedback for the host → * → The shower drips at night|~
    Stage → Live → Live| live |Review
    x → 0 → 0|1
";

const EUROPEAN_COLUMNS: &str = "
    Freigabe → ja → ja|nein
    Webseite → Ja → Ja|Nein
    Darf auf die Homepage? → einverstanden → einverstanden|nicht einverstanden
    Veröffentlicht → wahr → wahr|falsch
    Publié → oui → oui|non
    En ligne → vrai → vrai|faux
    Acceptez-vous que votre avis soit publié ? → Oui → Oui|Non
    ¿Podemos publicar su comentario? → Sí → Sí|No
    Aprobada → verdadero → verdadero|falso
    Pubblicato → sì → sì|no
    Visibile sul sito → x → x|~
    Publicado → sim → sim|não
    Gepubliceerd → ja → ja|nee
    Mag op de website → akkoord → akkoord|niet akkoord|geen antwoord
    Zgoda na publikację → tak → tak|nie
    Får vi publicera → Ja → Ja|Nej
    Må vises → ja → ja|nej
    Kan publiseres → ja → ja|nei
    Julkaistu → kyllä → kyllä|ei
    Zveřejnit → ano → ano|ne
    Publicat → da → da|nu
    Közzétehető → igen → igen|nem
    Objavljeno → da → da|ne
    Avaldatud → jah → jah|ei
";

const OTHER_COLUMNS: &str = "
    Опубликовано → да → да|нет
    Показувати → так → так|ні
    Δημοσίευση → ναι → ναι|όχι
    Yayında → evet → evet|hayır
    公開 → はい → はい|いいえ
    掲載可否 → 可 → 可|否|保留
    是否公开 → 是 → 是|否
    공개 → 예 → 예|아니오
    نشر → نعم → نعم|لا
    מפורסם → כן → כן|לא
    प्रकाशित → हाँ → हाँ|नहीं
    Công khai → có → có|không
    เผยแพร่ → ใช่ → ใช่|ไม่
    Dipublikasikan → ya → ya|tidak
    Гласност → 1 → 1|0
    狀態 → 已核准 → 已核准|待審核|垃圾
";

const AUTHORS: [&str; 3] = ["Ann", "Bo", "Cy"];

/// The authors of the reviews of a source that are published.
fn published_of(home: &Home, source: &str) -> String {
    home.sql(&format!(
        "select group_concat(author, ', ') from (select author from review
         where status = 'published' and source_name = '{source}' order by author)"
    ))
}

/// Asserts that a file with one column beside the fields publishes nothing without a decision, with `--public` only the reviews
/// with that value, and with `--ignore-others` all.
#[track_caller]
fn assert_decided_by_option(home: &Home, file: &str, header: &str, value: &str, cells: &[String]) {
    let number = home.sql("select count(distinct source_name) from source_column");
    let refused = assert_undecided(home, &["import", file]);
    assert_has(&refused.err, header);
    assert_has(&refused.err, "--public 'COLUMN=VALUE'");
    let matches = |cell: &str| match value {
        "*" => !cell.trim().is_empty(),
        _ => cell.trim().to_lowercase() == value.to_lowercase(),
    };
    let all = AUTHORS.iter().zip(cells);
    let may_show: Vec<&str> = all
        .filter(|(_, cell)| matches(cell))
        .map(|(author, _)| *author)
        .collect();
    let option = format!("{header}={value}");
    // A header may be a name of the date, and a cell may be a sentence.
    let fields = ["--map", "date=Date", "--map", "text=Text"];
    let (decided, ignored) = (format!("Decided {number}"), format!("Ignored {number}"));
    let words = ["import", file, "--source", &decided, "--public", &option];
    home.run_ok(
        &[&words[..], &fields].concat(),
        &format!("{} new", cells.len()),
    );
    assert_eq!(
        published_of(home, &decided),
        may_show.join(", "),
        "{option}"
    );
    let words = ["import", file, "--source", &ignored, "--ignore-others"];
    home.run_ok(
        &[&words[..], &fields].concat(),
        &format!("{} new", cells.len()),
    );
    assert_eq!(
        published_of(home, &ignored),
        AUTHORS[..cells.len()].join(", "),
        "{header}"
    );
}

/// Tries each column in a table of its own.
#[track_caller]
fn assert_columns_need_a_decision(columns: &str) {
    let home = home();
    for (at, [header, value, cells]) in table(columns).into_iter().enumerate() {
        let empty = |cell: &str| cell.replace('~', "");
        let cells: Vec<String> = cells.split('|').map(empty).collect();
        let mut sheet = format!("Stars,Date,Author,Text,{}\n", quoted(header));
        for (number, cell) in (1..).zip(&cells) {
            sheet += &format!(
                "5,2026-03-0{number},{},{at} / {number},{}\n",
                AUTHORS[number - 1],
                quoted(cell)
            );
        }
        home.file("sheet.csv", &sheet);
        assert_decided_by_option(&home, "sheet.csv", header, &empty(value), &cells);
    }
}

#[test]
fn undecided_column_with_an_english_header_publishes_nothing() {
    assert_columns_need_a_decision(ENGLISH_COLUMNS);
}

#[test]
fn undecided_column_with_a_european_header_publishes_nothing() {
    assert_columns_need_a_decision(EUROPEAN_COLUMNS);
}

#[test]
fn undecided_column_in_another_script_publishes_nothing() {
    assert_columns_need_a_decision(OTHER_COLUMNS);
}

#[test]
fn undecided_member_of_json_publishes_nothing() {
    let home = home();
    let columns = [
        ("meta.approved", "true", json!([true, false])),
        ("flags.hidden", "false", json!([false, true])),
        ("custom.consent", "yes", json!(["yes", "no", "maybe"])),
        ("metadata.state", "live", json!(["live", "draft"])),
        ("attributes.review.visible", "1", json!([1, 0])),
        ("published_at", "*", json!(["2026-03-05", null])),
        ("deleted_at", "", json!([null, "2026-03-05"])),
        ("tags", "web", json!([["web"], ["vip"]])),
        ("freigabe", "ja", json!(["ja", "nein"])),
        ("公開", "はい", json!(["はい", "いいえ"])),
        ("state", "x", json!(["x"])),
    ];
    for (at, (path, value, members)) in columns.iter().enumerate() {
        let members = members.as_array().unwrap();
        let row = |(number, member): (usize, &Value)| {
            let mut row = json!({"Stars": 5, "Date": format!("2026-03-0{}", number + 1), "Author": AUTHORS[number], "Text": format!("{at} / {number}")});
            let path = path.split('.').rev();
            let nested = path.fold(member.clone(), |inner, name| json!({name: inner}));
            row.as_object_mut()
                .unwrap()
                .extend(nested.as_object().unwrap().clone());
            row
        };
        let rows: Vec<Value> = members.iter().enumerate().map(row).collect();
        home.file("rows.json", &Value::from(rows).to_string());
        let cell = |member: &Value| match member {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            Value::Array(list) => list[0].as_str().unwrap().to_owned(),
            Value::Bool(_) | Value::Number(_) | Value::Object(_) => member.to_string(),
        };
        let cells: Vec<String> = members.iter().map(cell).collect();
        assert_decided_by_option(&home, "rows.json", path, value, &cells);
    }
}

// What is kept for a source.

#[test]
fn new_column_of_a_later_file_needs_a_decision() {
    let home = home_with_sheet();
    let later = format!("{SHEET}Cy,4,2026-03-03,Good,yes\n");
    home.file("sheet.csv", &with_column(&later, ',', "City", &["Mesa"]));
    let refused = assert_undecided(&home, "import sheet.csv");
    for part in ["City", "--public 'COLUMN=VALUE'"] {
        assert_has(&refused.err, part);
    }
    home.run_ok(
        "import sheet.csv --ignore City",
        "1 new, 0 updated, 2 unchanged",
    );
    home.run_ok("import sheet.csv", "3 unchanged");
    assert_has(&columns(&home, "Direct"), "City|ignored|owner");
    // What was passed over once is a decision, too.
    home.file(
        "sheet.csv",
        &with_column(
            &with_column(&later, ',', "City", &["Mesa"]),
            ',',
            "Order",
            &["A", "B"],
        ),
    );
    home.run_ok("import sheet.csv --ignore-others", "3 unchanged");
    home.run_ok("import sheet.csv", "3 unchanged");
    assert_has(&columns(&home, "Direct"), "Order|ignored|others");
    assert_eq!(published(&home), "Ann, Cy");
}

#[test]
fn later_file_without_a_kept_column_needs_a_decision() {
    for header in ["Name", "Stars", "Date", "Review", "Publish"] {
        let home = home_with_sheet();
        home.file(
            "later.csv",
            &without_column(&SHEET.replace("2026-03", "2026-04"), header),
        );
        let refused = assert_undecided(&home, "import later.csv");
        assert_has(&refused.err, header);
        assert_eq!(published(&home), "Ann", "{header}");
    }
}

#[test]
fn column_of_another_field_that_is_gone_needs_a_decision() {
    let home = home();
    let sheet = "Name,Stars,Date,Review,Our reply\nAnn,5,2026-03-01,Neat,Thanks\n";
    home.import("sheet.csv", sheet, "1 new");
    home.file(
        "later.csv",
        &without_column(&sheet.replace("2026-03", "2026-04"), "Our reply"),
    );
    assert_has(
        &assert_undecided(&home, "import later.csv").err,
        "Our reply",
    );
    home.run_ok("import later.csv --map response=", "1 new");
    home.run_ok("import later.csv", "1 unchanged");
}

#[test]
fn kept_columns_of_another_source_do_not_count() {
    let home = home_with_sheet();
    assert_undecided(&home, "import sheet.csv --source Angi");
    home.run_ok(
        "import sheet.csv --source Angi --public Publish=no",
        "2 new",
    );
    assert_eq!(
        [published_of(&home, "Direct"), published_of(&home, "Angi")],
        ["Ann", "Bo"]
    );
    home.run_ok("import sheet.csv", "2 unchanged");
    home.run_ok("import sheet.csv --source Angi", "2 unchanged");
}

#[test]
fn two_kept_columns_of_one_field_need_a_decision() {
    let home = home_with_sheet();
    let other = SHEET
        .replace("Name", "Customer")
        .replace("2026-03", "2026-04");
    home.file("other.csv", &other);
    home.run_ok("import other.csv --map author=Customer", "2 new");
    home.file(
        "both.csv",
        &with_column(
            &SHEET.replace("2026-03", "2026-05"),
            ',',
            "Customer",
            &["Al", "Ed"],
        ),
    );
    let refused = assert_undecided(&home, "import both.csv");
    for header in ["Name", "Customer"] {
        assert_has(&refused.err, header);
    }
    home.run_ok("import both.csv --map author=Customer", "2 new");
    assert_eq!(
        home.sql("select author from review where reviewed_on glob '2026-05*' order by 1"),
        "Al\nEd"
    );
}

#[test]
fn new_value_withholds_until_the_printed_command_is_run() {
    let home = home_with_sheet();
    let later = format!(
        "{SHEET}Cy,4,2026-03-03,Good,maybe\nDi,5,2026-03-04,Kind,maybe\nEd,5,2026-03-05,Fair,No\n"
    );
    home.file("sheet.csv", &later);
    let done = home.run("import sheet.csv");
    done.done();
    let shown = format!("{}{}", done.out, done.err);
    assert_has(
        &in_one_line(&shown),
        "Publish: 2 reviews withheld for the new value \"maybe\"; \
         reviews source columns Direct --public 'Publish=maybe', then import the file again",
    );
    assert!(
        !shown.contains("Publish=no"),
        "a known value is not new: {shown}"
    );
    assert_eq!(published(&home), "Ann");
    let at = shown
        .find("reviews source columns Direct --public")
        .unwrap();
    let command = shown[at..].split(", then").next().unwrap();
    run_shell(&home, command).done();
    assert_eq!(published(&home), "Ann");
    home.run_ok("import sheet.csv", "0 new, 2 updated, 3 unchanged");
    assert_eq!(published(&home), "Ann, Cy, Di");
    assert_eq!(
        home.sql("select count(*) from source_column where header = 'Publish' and public_values glob '*yes*maybe*'"),
        "1"
    );
}

#[test]
fn forgotten_decision_is_replaced_or_missing() {
    let home = home_with_sheet();
    home.run("source columns Direct --forget Publish --public Publish=no")
        .done();
    home.run_ok("import sheet.csv", "2 updated");
    assert_eq!(published(&home), "Bo");
    home.run("source columns Direct --forget Publish").done();
    assert!(!columns(&home, "Direct").contains("Publish"));
    assert_has(&assert_undecided(&home, "import sheet.csv").err, "Publish");
    home.run("source columns Direct --forget Homepage")
        .failed("Homepage");
    home.run("source columns Directory --ignore Publish")
        .failed("Direct");
}

#[test]
fn ignored_column_brings_reviews_back_with_the_next_import() {
    let home = home();
    home.file("sheet.csv", &format!("{SHEET}Cy,4,2026-03-03,Good,no\n"));
    home.run_ok("import sheet.csv --public Publish=yes", "3 new");
    let id = home.sql("select review_id from review where author = 'Cy'");
    home.run(&["withhold", id.as_str(), "--reason", "under dispute"])
        .done();
    home.run("source columns Direct --ignore Publish").done();
    assert_eq!(published(&home), "Ann");
    home.run("import sheet.csv").done();
    assert_eq!(published(&home), "Ann, Bo");
    assert_eq!(
        home.sql("select withheld_reason from review where author = 'Cy'"),
        "under dispute"
    );
    assert_has(&columns(&home, "Direct"), "Publish|ignored|owner");
}

#[test]
fn meaning_of_a_column_is_changed_without_a_file() {
    let home = home();
    home.file(
        "sheet.csv",
        "Name,Stars,Date,Review,Order\nAnn,5,2026-03-01,Neat,A17\n",
    );
    home.run_ok("import sheet.csv --ignore-others", "1 new");
    home.run("source columns Direct --map title=Order").done();
    home.run_ok("import sheet.csv", "1 updated");
    assert_eq!(home.sql("select title from review"), "A17");
    assert_has(&columns(&home, "Direct"), "Order|title|owner");
}

#[test]
fn undo_takes_decisions_back() {
    let home = home_with_sheet();
    let first = columns(&home, "Direct");
    home.file(
        "later.csv",
        &with_column(&SHEET.replace("2026-03", "2026-04"), ',', "City", &["Mesa"]),
    );
    home.run_ok("import later.csv --ignore City", "2 new");
    home.run_ok("undo", "2 removed");
    assert_eq!(columns(&home, "Direct"), first);
    assert_has(&assert_undecided(&home, "import later.csv").err, "City");
    home.run_ok("undo 1", "2 removed");
    assert_eq!(kept_count(&home), "0");
    assert_has(&assert_undecided(&home, "import sheet.csv").err, "Publish");
}

#[test]
fn refused_import_keeps_no_decision() {
    let home = home();
    let sheet = |text: &str| {
        let row = |number: usize| format!("Guest {number},5,2026-03-0{number},{text},yes\n");
        let rows: String = (1..9).map(row).collect();
        format!("Name,Stars,Date,Review,Publish\n{rows}")
    };
    home.file("sheet.csv", &sheet("Neat and quick"));
    home.run_ok("import sheet.csv --public Publish=yes", "8 new");
    // All texts are gone: a mass change.
    home.file(
        "sheet.csv",
        &with_column(&sheet(""), ',', "City", &["Mesa"]),
    );
    let before = columns(&home, "Direct");
    home.run("import sheet.csv --ignore City")
        .failed("--accept-changes");
    assert_eq!(columns(&home, "Direct"), before);
    home.run("import sheet.csv --ignore City --accept-changes --dry-run");
    assert_eq!(columns(&home, "Direct"), before);
    // No row can be read.
    home.file(
        "sheet.csv",
        "Name,Stars,Date,Review,Publish,City\nAnn,5,someday,Neat,yes,Mesa\n",
    );
    home.run("import sheet.csv --ignore City").failed("someday");
    assert_eq!(columns(&home, "Direct"), before);
}

#[test]
fn rename_of_a_source_moves_the_kept_columns() {
    let home = home_with_sheet();
    let before = columns(&home, "Direct");
    home.run("source rename Direct Website").done();
    assert_eq!(
        [columns(&home, "Direct"), columns(&home, "Website")],
        [String::new(), before]
    );
    home.run_ok("import sheet.csv --source Website", "2 unchanged");
}

#[test]
fn rename_is_refused_where_two_sources_decided_differently() {
    let home = home_with_sheet();
    home.file("other.csv", &SHEET.replace("2026-03", "2026-04"));
    home.run_ok("import other.csv --source Angi --ignore Publish", "2 new");
    let before = [columns(&home, "Direct"), columns(&home, "Angi")];
    home.run("source rename Angi Direct").failed("Publish");
    assert_eq!([columns(&home, "Direct"), columns(&home, "Angi")], before);
    assert_eq!(
        home.sql("select count(*) from review where source_name = 'Angi'"),
        "2"
    );
}

#[test]
fn export_carries_the_kept_columns() {
    let first = home_with_sheet();
    first.run_ok("export all.jsonl", "2 reviews");
    let exported = fs::read_to_string(first.0.path().join("all.jsonl")).unwrap();
    let second = Home::new();
    second.import("all.jsonl", &exported, "2 new");
    let kept = "select source_name, header, field, position, public_values, withheld_values, date_order, scale, decided_by
        from source_column order by 1, 2, 3";
    assert_eq!(second.sql(kept), first.sql(kept));
    second.file("sheet.csv", SHEET);
    second.run_ok("import sheet.csv", "2 unchanged");
    // Columns that the source has are not replaced.
    let third = home();
    third.file("sheet.csv", SHEET);
    third.run_ok("import sheet.csv --public Publish=no", "2 new");
    third.file("all.jsonl", &exported);
    third.run("import all.jsonl");
    assert_eq!(
        third.sql("select public_values from source_column where header = 'Publish'"),
        "[\"no\"]"
    );
}

// What a source hides.

#[test]
fn hidden_answer_is_not_stored_and_takes_the_former_one_back() {
    let sheet = |is_public: &str| {
        format!(
            "id,rating,date,author,text,reply,reply_public\na1,5,2025-03-14,Ann K.,Fan fixed in an hour.,Thank you.,yes\n\
             a2,2,2025-03-16,Bob L.,Two hours late.,PRIVATE-NOTE refund between us,{is_public}\n"
        )
    };
    let answers = "select review_id, response_text from review order by 1";
    let home = home();
    home.file("sheet.csv", &sheet("no"));
    assert_undecided(&home, "import sheet.csv");
    home.run_ok("import sheet.csv --public-answer reply_public=yes", "2 new");
    assert_eq!(home.sql(answers), "a1|Thank you.\na2|");
    let bytes = fs::read(home.path()).unwrap();
    assert!(!bytes.windows(12).any(|part| part == b"PRIVATE-NOTE"));
    home.file("sheet.csv", &sheet("yes"));
    home.run_ok("import sheet.csv", "1 updated");
    assert_eq!(
        home.sql(answers),
        "a1|Thank you.\na2|PRIVATE-NOTE refund between us"
    );
    home.file("sheet.csv", &sheet("no"));
    home.run_ok("import sheet.csv", "1 updated");
    assert_eq!(home.sql(answers), "a1|Thank you.\na2|");
    // An answer by the owner stays.
    home.run("respond a2 'We are sorry.'").done();
    home.run("import sheet.csv").done();
    assert_eq!(home.sql(answers), "a1|Thank you.\na2|We are sorry.");
}

#[test]
fn several_columns_publish_only_where_each_says_so() {
    let home = home();
    home.file(
        "sheet.csv",
        "Name,Stars,Date,Review,Publish,Hidden\nAnn,5,2026-03-01,Neat,yes,no\nBo,4,2026-03-02,Good,yes,yes\n\
         Cy,3,2026-03-03,Fair,no,no\nDi,2,2026-03-04,Late,OK,\n",
    );
    let words = "import sheet.csv --public Publish=yes --public Publish=ok --public Hidden=no --public Hidden=";
    home.run_ok(words, "4 new");
    assert_eq!(published(&home), "Ann, Di");
    assert_eq!(
        home.sql("select distinct withheld_reason from review where status = 'withheld'"),
        "not published at the source"
    );
    home.run_ok("import sheet.csv", "4 unchanged");
    // The owner's decisions stay.
    let id = home.sql("select review_id from review where author = 'Ann'");
    home.run(&["withhold", id.as_str(), "--reason", "under dispute"])
        .done();
    home.run("import sheet.csv").done();
    assert_eq!(published(&home), "Di");
}

#[test]
fn hidden_name_is_anonymous() {
    let home = home();
    home.file("sheet.csv", SHEET);
    home.run_ok("import sheet.csv --public-name Publish=yes", "2 new");
    assert_eq!(published(&home), "Ann, Anonymous");
    home.run_ok("import sheet.csv", "2 unchanged");
}

// Options and their faults.

#[test]
fn options_that_fit_no_file_are_refused() {
    let home = home();
    home.file("sheet.csv", SHEET);
    for [options, part] in table(
        "
        --map text=Homepage --public Publish=yes → Homepage
        --public Homepage=yes → Homepage
        --public-answer Homepage=yes → Homepage
        --public-name Homepage=yes → Homepage
        --ignore Homepage --public Publish=yes → Homepage
        --map rating= --public Publish=yes → rating
        --map date= --public Publish=yes → date
        --map text= --public Publish=yes → --no-text
        --map colour=Publish → colour
        --map status=Publish → status
        --map hidden=Publish → hidden
        ",
    ) {
        let refused = assert_undecided(&home, &*format!("import sheet.csv {options}"));
        assert_has(&refused.err, part);
    }
    home.run_ok("import sheet.csv --public Publish=yes", "2 new");
}

#[test]
fn value_begins_after_the_longest_header() {
    let home = home();
    home.file(
        "sheet.csv",
        "Name,Stars,Date,Review,Publish,Publish=web\nAnn,5,2026-03-01,Neat,no,yes\nBo,2,2026-03-02,Late,web=yes,no\n",
    );
    home.run_ok(
        "import sheet.csv --public Publish=web=yes --ignore Publish",
        "2 new",
    );
    assert_eq!(published(&home), "Ann");
    assert_has(&columns(&home, "Direct"), "Publish=web|public|owner");
}

#[test]
fn commas_separate_ignored_columns_after_the_longest_header() {
    let home = home();
    home.file(
        "sheet.csv",
        "Name,Stars,Date,Review,\"City, State\",City,Order\nAnn,5,2026-03-01,Neat,\"Mesa, AZ\",Mesa,A1\n",
    );
    let refused = assert_undecided(
        &home,
        &["import", "sheet.csv", "--ignore", "City, State,Order"],
    );
    assert_has(&refused.err, "City");
    home.run_ok(
        &["import", "sheet.csv", "--ignore", "City, State,Order,City"],
        "1 new",
    );
    let kept = columns(&home, "Direct");
    for line in [
        "City|ignored|owner",
        "City, State|ignored|owner",
        "Order|ignored|owner",
    ] {
        assert!(kept.lines().any(|other| other == line), "{line}: {kept}");
    }
}

#[test]
fn columns_of_one_field_are_joined() {
    let home = home();
    home.file(
        "sheet.csv",
        "Given,Family,Stars,Date,Liked,Disliked\nAnn,Baker,5,2026-03-01,Warm rooms.,The lift was broken.\nBo,,2,2026-03-02,,The heating failed.\n",
    );
    let words = "import sheet.csv --map author=Given --map author=Family --map text=Liked --map text=Disliked";
    home.run_ok(words, "2 new");
    let rows = "select author, text from review order by author";
    assert_eq!(
        home.sql(rows),
        "Ann Baker|Warm rooms.\n\nThe lift was broken.\nBo|The heating failed."
    );
    assert_eq!(
        home.sql("select header from source_column where field = 'text' order by position"),
        "Liked\nDisliked"
    );
    home.run_ok("import sheet.csv", "2 unchanged");
    // The order of the options is the order of the parts.
    let words = "import sheet.csv --source Angi --map author=Family --map author=Given --map text=Disliked --map text=Liked";
    home.run_ok(words, "2 new");
    assert_eq!(
        home.sql("select author, text from review where source_name = 'Angi' and rating = 5"),
        "Baker Ann|The lift was broken.\n\nWarm rooms."
    );
}

#[test]
fn field_that_the_source_lacks_is_declared_once() {
    for (options, sheet, field) in [
        ("--no-text", "Name,Stars,Date\nAnn,5,2026-03-01\n", "text"),
        (
            "--map author=",
            "Stars,Date,Review\n5,2026-03-01,Neat\n",
            "author",
        ),
        (
            "--map url= --ignore-others",
            "Name,Stars,Date,Review,Review URL,Link\nAnn,5,2026-03-01,Neat,https://a.example/1,https://b.example/1\n",
            "url",
        ),
    ] {
        let home = home();
        home.file("sheet.csv", sheet);
        let refused = assert_undecided(&home, "import sheet.csv");
        assert_has(&refused.err, field);
        home.run_ok(&*format!("import sheet.csv {options}"), "1 new");
        assert_eq!(
            home.sql(&format!(
                "select count(*) from source_column where header = '' and field = '{field}'"
            )),
            "1"
        );
        home.run_ok("import sheet.csv", "1 unchanged");
        let author = if field == "author" {
            "Anonymous"
        } else {
            "Ann"
        };
        assert_eq!(
            home.sql("select author, source_url from review"),
            format!("{author}|")
        );
    }
}

#[test]
fn table_without_stars_or_dates_is_refused() {
    let home = home();
    for (sheet, parts) in [
        (
            "Name,Date,Review\nAnn,2026-03-01,Neat\n",
            &["Name", "Date", "Review", "rating"][..],
        ),
        (
            "Name,Stars,Review\nAnn,5,Neat\n",
            &["Name", "Stars", "Review", "date"],
        ),
        (
            "Name,Stars,Date,Review\nAnn,yes,2026-03-01,Neat\nBo,no,2026-03-02,Late\n",
            &["Stars"],
        ),
        // No row can be read.
        (
            "Name,Stars,Date,Review\nAnn,5,someday,Neat\nBo,4,once,Late\n",
            &["Name", "Stars", "Date", "Review"],
        ),
    ] {
        home.file("sheet.csv", sheet);
        let refused = assert_undecided(&home, "import sheet.csv");
        for part in parts {
            assert_has(&format!("{}{}", refused.out, refused.err), part);
        }
    }
    // One row can be read.
    home.file(
        "sheet.csv",
        "Name,Stars,Date,Review\nAnn,5,someday,Neat\nBo,4,2026-03-01,Late\n",
    );
    let done = home.run("import sheet.csv");
    assert_eq!(done.code, Some(1), "{}", done.err);
    assert_has(&done.out, "1 new, 0 updated, 0 unchanged, 1 rejected");
}

// Known platforms.

/// Exports of platforms as CSV.
const PLATFORMS: [&str; 21] = [
    "exports/birdeye.csv",
    "exports/loox.csv",
    "exports/okendo-dotted.csv",
    "exports/okendo-export.csv",
    "exports/okendo-template.csv",
    "exports/outscraper.csv",
    "exports/shopify.csv",
    "exports/trustpilot.csv",
    "imports/booking.csv",
    "imports/judgeme.csv",
    "imports/magento.csv",
    "imports/okendo.csv",
    "imports/opencart.csv",
    "imports/outscraper_trustpilot.csv",
    "imports/powerreviews.csv",
    "imports/servicetitan.csv",
    "imports/shopware.csv",
    "imports/site_reviews.csv",
    "imports/stamped.csv",
    "imports/strong_testimonials.csv",
    "imports/yotpo.csv",
];

fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn platform_export_needs_a_decision_only_for_a_further_column() {
    for name in PLATFORMS {
        let plain = home();
        plain.file("export.csv", &fixture(name));
        let done = plain.run("import export.csv");
        assert_ne!(done.code, Some(2), "{name}: {}{}", done.out, done.err);
        let further = home();
        further.file(
            "export.csv",
            &with_column(&fixture(name), ',', "On our site", &["no", "yes"]),
        );
        let refused = assert_undecided(&further, "import export.csv");
        assert_has(&refused.err, "On our site");
        let done = further.run("import export.csv --public 'On our site=yes'");
        assert_ne!(done.code, Some(2), "{name}: {}{}", done.out, done.err);
        let public = "select count(*) from review where status = 'published'";
        let public = [&plain, &further].map(|home| home.sql(public).parse::<u32>().unwrap());
        assert!(public[1] < public[0], "{name}: {public:?}");
        let ignored = home();
        ignored.file(
            "export.csv",
            &with_column(&fixture(name), ',', "On our site", &["no", "yes"]),
        );
        ignored.run("import export.csv --ignore-others");
        let content = "select review_id, rating, author, text, status from review order by 1";
        assert_eq!(ignored.sql(content), plain.sql(content), "{name}");
    }
}

#[test]
fn map_of_a_field_that_the_platform_fills_is_refused() {
    let home = home();
    home.file("trustpilot.csv", &fixture("exports/trustpilot.csv"));
    let refused = assert_undecided(
        &home,
        &["import", "trustpilot.csv", "--map", "text=Review Title"],
    );
    assert_has(&refused.err, "text");
    home.run_ok("import trustpilot.csv", "0 rejected");
}

#[test]
fn public_only_withholds_more_of_a_platform() {
    let home = home();
    home.file(
        "loox.csv",
        &with_column(
            &fixture("exports/loox.csv"),
            ',',
            "On our site",
            &["yes", "yes", "no", "no"],
        ),
    );
    home.run("import loox.csv --public 'On our site=yes'");
    assert_eq!(published(&home), "Greta L.");
}

#[test]
fn further_member_of_a_platform_is_named_and_passed_over() {
    let home = home();
    let mut page: Value = serde_json::from_str(&fixture("imports/trustpilot.json")).unwrap();
    for review in page["reviews"].as_array_mut().unwrap() {
        review["onOurSite"] = json!(false);
    }
    home.file("trustpilot.json", &page.to_string());
    let done = home.run("import trustpilot.json");
    done.done();
    assert_has(&format!("{}{}", done.out, done.err), "onOurSite");
    assert_eq!(
        home.sql("select count(*) from review where status = 'published'"),
        "2"
    );
}
