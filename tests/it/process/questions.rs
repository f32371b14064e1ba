//! Columns of tables that must be decided once: questions at a terminal, the command elsewhere, and what is kept for the source.

use super::*;

/// Header and two rows of a table with one column beside the fields.
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

const PUBLISHED: &str = "select group_concat(author, ', ') from
    (select author from review where status = 'published' order by author)";

/// The authors of the published reviews.
fn published(home: &Home) -> String {
    home.sql(PUBLISHED)
}

/// How columns of a source are read, and who decided it.
fn columns(home: &Home, source: &str) -> String {
    home.sql(&format!(
        "select header, field, decided_by from source_column
         where source_name = '{source}' and field not glob 'encoding *' order by header, field"
    ))
}

/// Counts of everything that an import writes.
fn stored_counts(home: &Home) -> String {
    home.sql(
        "select (select count(*) from review), (select count(*) from review_source),
           (select count(*) from source_column), (select count(*) from import_run)",
    )
}

/// Asserts that something must be decided first, and that the command changed nothing.
#[track_caller]
fn assert_undecided(home: &Home, words: impl Words, part: &str) -> CommandOutput {
    let before = home.path().exists().then(|| stored_counts(home));
    let refused = home.run(words);
    refused.failed(part);
    assert_has(&refused.err, "nothing was changed");
    let after = home.path().exists().then(|| stored_counts(home));
    assert_eq!(after, before);
    refused
}

/// A text with one blank instead of any number of blanks and line ends.
fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs a command at a terminal, where no line ends in a carriage return.
fn at_screen(home: &Home, words: &str, typed: &[&str]) -> CommandOutput {
    let mut done = home.at_terminal(words, typed);
    done.err = done.err.replace('\r', "");
    done
}

/// Asserts that a command succeeds at a terminal after these answers.
#[track_caller]
fn answer_all(home: &Home, words: &str, typed: &[&str]) -> CommandOutput {
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
    assert!(
        !words.iter().any(|word| word.contains("COLUMN")),
        "{command}: {words:?}"
    );
    shlex::try_join(words.iter().map(String::as_str)).unwrap()
}

const FEEDBACK: &str = "Customer,Stars,What they said,When,Our reply,Publish\n\
    Ann Baker,5,On time and tidy as ever.,2026-10-30,Thank you.,yes\n\
    Bo Cole,2,Left the gate open again.,2026-10-29,,no\n\
    Cy Dorn,5,Explained each line of the bill.,2026-10-28,,yes\n";
const KEPT_FEEDBACK: &str = "Customer|author|name\nOur reply|response|name\nPublish|public|owner\nStars|rating|name\n\
    What they said|text|owner\nWhen|date|name";

#[test]
fn answers_at_a_terminal_are_shown_used_and_kept() {
    let home = home();
    home.file("feedback.csv", FEEDBACK);
    // An empty line or the end of the input leaves.
    for typed in [&[""][..], &["3", ""], &["3", "6"], &["3", "6", ""]] {
        let left = at_screen(&home, "import feedback.csv", typed);
        left.failed("nothing was changed");
        assert_eq!(stored_counts(&home), "0|0|0|0", "{typed:?}");
    }
    // Wrong answers are followed by the same question.
    let typed = ["9", "some", "3", "7", "6 nothing", "6", "perhaps", "yes"];
    let done = answer_all(&home, "import feedback.csv", &typed);
    for (question, times) in [
        (
            "Which column is the customer's text? Its number; - if there are only ratings: ",
            3,
        ),
        (
            "Does one of the others say whether a review, your answer or the name may be published: 6 Publish? \
             Its number; - if none does: ",
            3,
        ),
        ("Type them, separated by commas: ", 2),
    ] {
        assert_eq!(done.err.matches(question).count(), times, "{}", done.err);
    }
    let screen = in_one_line(&done.err);
    for part in [
        "if it says it of your answer or of the author's name",
        "Publish has yes (2), no (1). With which of them may a review be published? All others are withheld.",
        "3 What they said (text) ?",
        "6 Publish yes (2), no (1) ?",
        "5 Our reply",
    ] {
        assert_has(&screen, part);
    }
    let shown = done.out + &done.err;
    for part in [
        "Kept for Direct. `reviews source columns Direct` shows and changes it.",
        "yes (2), no (1)  public if yes",
        "3 new",
    ] {
        assert_has(&shown, part);
    }
    home.finds(
        "select author, rating, reviewed_on, text, response_text, withheld_reason from review where rating = 2 or response_text <> '' order by 1",
        "Ann Baker|5|2026-10-30|On time and tidy as ever.|Thank you.|\n\
         Bo Cole|2|2026-10-29|Left the gate open again.||not published at the source",
    );
    assert_eq!(columns(&home, "Direct"), KEPT_FEEDBACK);
    home.finds(
        "select public_values, withheld_values from source_column where header = 'Publish'",
        "[\"yes\"]|[\"no\"]",
    );
    // Nothing is asked again.
    let later = format!("{FEEDBACK}Di Ebb,4,As agreed with her before.,2026-10-27,,no\n");
    home.file("feedback.csv", &later);
    let again = answer_all(&home, "import feedback.csv", &[]);
    assert_has(&again.out, "1 new, 0 updated, 3 unchanged");
    let listed = home.run_ok("source columns Direct", "What they said").out;
    for part in ["Customer", "Stars", "Our reply", "Publish", "yes"] {
        assert_has(&listed, part);
    }
}

#[test]
fn dry_run_at_a_terminal_keeps_nothing_and_prints_a_command() {
    let home = Home::new();
    home.file("feedback.csv", FEEDBACK);
    let words = "import feedback.csv --dry-run";
    let done = answer_all(&home, words, &["3", "6", "yes"]);
    assert!(!home.path().exists());
    let command = printed_command(&done, "reviews import ").replace(" --dry-run", "");
    home.shell(&command).done();
    assert_eq!(columns(&home, "Direct"), KEPT_FEEDBACK);
    assert_eq!(published(&home), "Ann Baker, Cy Dorn");
}

const CONSENT: &str = "Name,Stars,Date,Review,Consent\n\
    Ann,5,2026-03-01,Neat,\"Yes, please\"\nBo,4,2026-03-02,Good,No\nCy,3,2026-03-03,Fair,\nDi,2,2026-03-04,Late,\" yes, PLEASE \"\n";

/// Rows of tables, what is typed, a part of the question, a query, and what it finds.
const ASKED: &[(&str, &[&str], &str, &str, &str)] = &[
    (
        "Reviewer,Customer Name,Stars,Date,Review\nAnnie,Ann Baker,5,2026-03-01,Neat\nBob,Bo Cole,2,2026-03-02,Late\n",
        &["2, 1", "-"],
        "Which column is the author: 1 Reviewer or 2 Customer Name? ",
        "select author from review where rating = 5",
        "Ann Baker Annie",
    ),
    (
        "Name,Stars,Date,Comments,Customer feedback\nAnn,5,2026-03-01,Give her a discount soon,They came on time again\n\
         Bo,2,2026-03-02,Refund him please by Friday,The pump still leaks badly\n",
        &["5", "-"],
        "Which column is the customer's text: 4 Comments or 5 Customer feedback? ",
        "select text from review where rating = 5",
        "They came on time again",
    ),
    (
        "Id,Name,Stars,Date,Review\n1,Ann,5,2025-06-10,Neat\n2,Bo,1,2025-05-02,Late\n3,Cy,4,2025-04-01,Fair\n",
        &["n"],
        "Id counts the rows (1, 2, 3 …). Is it the same number for the same review in the next file? y or n: ",
        "select field from source_column where header = 'Id'",
        "ignored",
    ),
    (
        "Name,Stars,Date,Review\nAnn,10,2026-03-01,Neat\nBo,2,2026-03-02,Late\n",
        &["y"],
        "Stars goes up to 10. Does the scale end at 10? y, or the end of the scale: ",
        "select rating, scale from review, source_column where header = 'Stars' order by 1",
        "1|10\n5|10",
    ),
    (
        "Name,Stars,Date,Review\nAnn,8,2026-03-01,Neat\nBo,2,2026-03-02,Late\n",
        &["10"],
        "Stars goes up to 8. Does the scale end at ",
        "select rating, scale from review, source_column where header = 'Stars' order by 1",
        "1|10\n4|10",
    ),
    (
        "Name,Stars,Date,Review\nAnn,5,03/04/2026,Neat\nBo,2,05/04/2026,Late\n",
        &["2"],
        "03/04/2026 in Date: 1 is 2026-03-04 (month first), 2 is 2026-04-03 (day first): ",
        "select reviewed_on, date_order from review, source_column where header = 'Date' and rating = 5",
        "2026-04-03|day_first",
    ),
    (
        FEEDBACK,
        &["-", "-"],
        "may be published: 3 What they said, 6 Publish? ",
        "select status, text, count(*) from review group by 1, 2",
        "published||3",
    ),
    (CONSENT, &["5", "*"], "(empty)", PUBLISHED, "Ann, Bo, Di"),
    (
        CONSENT,
        &["5", "yes, please, (empty)"],
        "(empty)",
        PUBLISHED,
        "Ann, Cy, Di",
    ),
    (
        "Name,Stars,Date,Review,Reply,Publish,Reply OK,Web,By name,City\n\
         Ann,5,2026-03-01,Neat,Thanks Ann,yes,1,on,ja,Mesa\nBo,4,2026-03-02,Good,Thanks Bo,yes,0,on,nein,Mesa\n\
         Cy,3,2026-03-03,Fair,Thanks Cy,yes,1,off,ja,Mesa\nDi,2,2026-03-04,Late,Sorry Di,no,1,on,ja,Mesa\n",
        &["6, 7 answer, 8, 9 name", "yes", "1", "on", "ja"],
        "published: 6 Publish, 7 Reply OK, 8 Web, 9 By name, 10 City? ",
        "select author, status, response_text from review order by rating desc",
        "Ann|published|Thanks Ann\nAnonymous|published|\nCy|withheld|Thanks Cy\nDi|withheld|Sorry Di",
    ),
];

#[test]
fn each_question_is_answered_at_a_terminal() {
    for (sheet, typed, question, select, found) in ASKED {
        let home = home();
        home.file("sheet.csv", sheet);
        assert_undecided(&home, "import sheet.csv", "--");
        let done = answer_all(&home, "import sheet.csv", typed);
        assert_has(&done.err, question);
        home.finds(select, found);
        home.run_ok("import sheet.csv", "0 new, 0 updated");
    }
}

#[test]
fn command_elsewhere_is_complete_and_shows_no_private_cell() {
    let home = Home::new();
    home.file(
        "my feedback.csv",
        "Name,Stars,Date,Words,E-mail,Phone,Notes to us,Publish\n\
         Ann,5,2026-03-01,They came on time again,ann@mail.test,+1 602 555 0188,PRIVATE-NOTE call her husband first,yes\n\
         Bo,2,2026-03-02,The pump still leaks badly,bo@mail.test,+1 602 555 0199,PRIVATE-NOTE never pays in time,no\n",
    );
    let words = "import 'my feedback.csv' --source Angi";
    let refused = assert_undecided(&home, words, "error: my feedback.csv: ");
    assert!(!home.path().exists());
    let text = in_one_line(&refused.err);
    for part in [
        "run it with an answer for each ?, for example",
        "COLUMN and VALUE: the column that says whether a review may be published, and its value for yes; or --ignore-others, if none of ",
        "(e-mail)",
        "(number)",
        "(text)",
    ] {
        assert_has(&text, part);
    }
    for private in ["mail.test", "555 01", "PRIVATE-NOTE", "husband", "leaks"] {
        let shown = format!("{text}{}", refused.out);
        assert!(!shown.contains(private), "{private}: {shown}");
    }
    let command = printed_command(&refused, "reviews import ");
    let answers = [
        ("text=COLUMN", "text=Words"),
        ("COLUMN=VALUE", "Publish=yes"),
    ];
    home.shell(&fill(&command, &answers)).done();
    home.finds(
        "select author, text, source_name from review where status = 'published'",
        "Ann|They came on time again|Angi",
    );
}

#[test]
fn standard_input_and_placeholders_answer_no_question() {
    let home = Home::new();
    home.file("sheet.csv", SHEET);
    home.shell("reviews import - < sheet.csv")
        .failed("COLUMN=VALUE");
    // A word that stands for a value is none.
    let placeholder = "import sheet.csv --public Publish=VALUE";
    assert_undecided(&home, placeholder, "Publish");
    assert!(!home.path().exists());
    home.shell("reviews import - --public Publish=yes < sheet.csv")
        .done();
    assert_eq!(published(&home), "Ann");
}

/// Words of a printed command that are no answer, each with its answer.
type Answers = &'static [(&'static str, &'static str)];

/// Files: name, content, answers, and the authors of the reviews that may be published.
const TABLES: &[(&str, &str, Answers, &str)] = &[
    (
        "avis.csv",
        "Date;Client;Note;Commentaire;Publié\n01/03/2026;Luc Petit;5;Très propre et rapide;oui\n22/03/2026;Zoé Roux;1;Un peu trop tard;non\n",
        &[],
        "Luc Petit, Zoé Roux",
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
        "nested.json",
        r#"[{"ref": "m1", "customer": "Ann B.", "stars": 5, "comment": "On time and tidy.", "created_at": "2026-03-05", "meta": {"approved": true}},
            {"ref": "m2", "customer": "Bo S.", "stars": 1, "comment": "HIDDEN-NOTE not approved.", "created_at": "2026-03-06", "meta": {"approved": false}}]"#,
        &[("COLUMN=VALUE", "meta.approved=true")],
        "Ann B.",
    ),
    // Our own export, and a column that is not ours.
    (
        "own.csv",
        "id,rating,date,author,text,status,decided,deleted,Hidden\no1,5,2026-03-05,Ann B.,On time.,published,,,no\n\
         o2,1,2026-03-06,Bo S.,HIDDEN-NOTE,published,,,yes\n",
        &[("COLUMN=VALUE", "Hidden=no")],
        "Ann B.",
    ),
];

/// Follows the command that the import of these files prints: as printed, and with words in place of the placeholders.
#[track_caller]
fn follow_command(home: &Home, words: &[&str], answers: &[(&str, &str)], authors: &str) {
    let refused = assert_undecided(home, words, "COLUMN=VALUE");
    let command = printed_command(&refused, "reviews import ");
    let before = stored_counts(home);
    home.shell(&command).failed("COLUMN");
    assert_eq!(stored_counts(home), before, "{command}");
    let filled = fill(&command, answers);
    home.shell(&filled).done();
    assert_eq!(published(home), authors, "{filled}");
    let hidden =
        "select count(*) from review where status = 'published' and text glob '*HIDDEN-NOTE*'";
    home.finds(hidden, "0");
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
    home.steps(
        r"
        jan.csv ← Name,Stars,Date,Review,Publish\nAnn,5,2026-03-01,Neat,yes\nBo,2,2026-03-02,Late,no\n
        feb.csv ← Name,Stars,Date,Review,Publish\nCy,5,2026-04-01,Neat,yes\nDi,2,2026-04-02,Late,later\n
        plain.csv ← Name,Stars,Date,Review\nEd,5,2026-05-01,Neat\n
        ",
    );
    // The question about a later file stops those before.
    assert_undecided(&home, "import plain.csv jan.csv", "Publish");
    let words = ["import", "jan.csv", "feb.csv"];
    let refused = assert_undecided(&home, &words, "yes");
    assert_has(&refused.err, "later");
    follow_command(&home, &words, &[("COLUMN=VALUE", "Publish=yes")], "Ann, Cy");
}

#[test]
fn later_files_need_the_kept_columns_and_a_decision_on_others() {
    let home = home_with_sheet();
    home.steps(
        r"
        sheet.csv ← Name,Stars,Date,Review,Publish,City\nAnn,5,2026-03-01,Neat,yes,Mesa\nBo,2,2026-03-02,Late,no,Mesa\n
        import sheet.csv ✗ City
        import sheet.csv --ignore City → 2 unchanged
        import sheet.csv → 2 unchanged
        wide.csv ← Name,Stars,Date,Review,Publish,City,Order,Our reply\nAnn,5,2026-03-01,Neat,yes,Mesa,A1,Thanks\n
        import wide.csv --ignore-others → 1 updated
        later.csv ← Name,Stars,Date,Review,City,Our reply\nCy,4,2026-04-01,Good,Mesa,Thanks\n
        import later.csv ✗ Publish
        later.csv ← Name,Stars,Date,Review,Publish\nCy,4,2026-04-01,Good,yes\n
        import later.csv ✗ Our reply
        import later.csv --map response= → 1 new
        import later.csv → 1 unchanged
        other.csv ← Customer,Stars,Date,Review,Publish\nDi,4,2026-04-02,Good,yes\n
        import other.csv --map author=Customer → 1 new
        both.csv ← Name,Customer,Stars,Date,Review,Publish\nEd,Edgar,4,2026-04-03,Good,yes\n
        import both.csv ✗ Customer
        import both.csv --map author=Customer → 1 new
        sheet.csv ← Name,Stars,Date,Review,Publish\nAnn,5,2026-03-01,Neat,yes\nBo,2,2026-03-02,Late,no\n
        import sheet.csv --source Angi ✗ Publish
        import sheet.csv --source Angi --public Publish=no → 2 new
        import sheet.csv --source Angi → 2 unchanged
        ",
    );
    assert_eq!(published(&home), "Ann, Bo, Cy, Di, Edgar");
    assert_has(&columns(&home, "Direct"), "City|ignored|owner");
    assert_has(&columns(&home, "Direct"), "Order|ignored|others");
}

#[test]
fn new_value_withholds_until_the_printed_command_is_run() {
    let home = home_with_sheet();
    home.file(
        "sheet.csv",
        &format!(
            "{SHEET}Cy,4,2026-03-03,Good,maybe\nDi,5,2026-03-04,Kind,maybe\nEd,5,2026-03-05,Fair,No\n"
        ),
    );
    let done = home.run("import sheet.csv");
    done.done();
    let shown = in_one_line(&format!("{}{}", done.out, done.err));
    let command = "reviews source columns Direct --public 'Publish=maybe'";
    assert_has(
        &shown,
        &format!(
            "Publish: 2 reviews withheld for the new value \"maybe\"; {command}, then import the file again"
        ),
    );
    assert!(!shown.contains("Publish=no"), "not new: {shown}");
    assert_eq!(published(&home), "Ann");
    home.shell(command).done();
    assert_eq!(published(&home), "Ann");
    home.run_ok("import sheet.csv", "0 new, 2 updated, 3 unchanged");
    assert_eq!(published(&home), "Ann, Cy, Di");
}

#[test]
fn changed_decisions_count_from_the_next_import() {
    let home = home_with_sheet();
    let bo = home.sql("select review_id from review where author = 'Bo'");
    home.steps(
        r"
        source columns Direct --forget Homepage ✗ Homepage
        source columns Directory --ignore Publish ✗ Direct
        source columns Direct --forget Publish → Direct
        import sheet.csv ✗ Publish
        import sheet.csv --public Publish=no → 2 updated
        source columns Direct --forget Publish --public Publish=yes → Publish
        import sheet.csv → 2 updated
        ",
    );
    home.run_ok(&["withhold", &bo, "--reason", "under dispute"], &bo);
    home.steps(
        r"
        cy.csv ← Name,Stars,Date,Review,Publish\nCy,4,2026-03-03,Good,no\n
        import cy.csv → 1 new
        source columns Direct --ignore Publish → Publish
        ",
    );
    assert_eq!(published(&home), "Ann");
    home.steps("import sheet.csv → 0 new\nimport cy.csv → 1 updated");
    assert_eq!(published(&home), "Ann, Cy");
    home.finds(
        "select withheld_reason from review where author = 'Bo'",
        "under dispute",
    );
    home.run_ok("source columns Direct --map title=Publish", "title");
    home.run_ok("import cy.csv", "1 updated");
    home.finds("select title from review where author = 'Cy'", "no");
}

#[test]
fn refused_or_undone_imports_keep_no_decision() {
    let home = home();
    let row =
        |number: usize, text: &str| format!("Guest {number},5,2026-03-0{number},{text},yes,Mesa\n");
    let rows = |text| (1..9).map(|number| row(number, text)).collect::<String>();
    let header = "Name,Stars,Date,Review,Publish,City\n";
    let first = header.replace(",City", "") + &rows("Neat and quick").replace(",Mesa", "");
    home.file("first.csv", &first);
    home.run_ok("import first.csv --public Publish=yes", "8 new");
    home.file("gone.csv", &(header.to_owned() + &rows("")));
    home.file(
        "someday.csv",
        &(header.to_owned() + &row(1, "Neat").replace("2026-03-01", "someday")),
    );
    home.file("city.csv", &(header.to_owned() + &rows("Neat and quick")));
    let kept = columns(&home, "Direct");
    home.steps(
        "
        import gone.csv --ignore City ✗ --accept-changes
        import gone.csv --ignore City --accept-changes --dry-run → dry run
        import someday.csv --ignore City ✗ someday
        ",
    );
    assert_eq!(columns(&home, "Direct"), kept);
    home.steps(
        "
        import city.csv --ignore City --source Angi --public Publish=yes → 8 new
        undo → 8 removed
        import city.csv --source Angi ✗ Publish
        undo 1 → 8 removed
        import first.csv ✗ Publish
        ",
    );
    home.finds("select count(*) from source_column", "0");
}

#[test]
fn rename_moves_the_kept_columns_unless_two_sources_differ() {
    let home = home_with_sheet();
    let before = columns(&home, "Direct");
    home.steps(
        r"
        source rename Direct Website → 2 reviews
        import sheet.csv --source Website → 2 unchanged
        other.csv ← Name,Stars,Date,Review,Publish\nCy,4,2026-04-03,Good,no\n
        import other.csv --source Angi --ignore Publish → 1 new
        source rename Angi Website ✗ Publish
        ",
    );
    assert_eq!(columns(&home, "Website"), before);
    let angi = "select count(*) from review where source_name = 'Angi'";
    home.finds(angi, "1");
}

#[test]
fn options_that_fit_no_file_are_refused() {
    let home = home();
    home.file("sheet.csv", SHEET);
    home.steps(
        "
        import sheet.csv --map text=Homepage --public Publish=yes ✗ Homepage
        import sheet.csv --public Homepage=yes ✗ Homepage
        import sheet.csv --public-answer Homepage=yes ✗ Homepage
        import sheet.csv --public-name Homepage=yes ✗ Homepage
        import sheet.csv --ignore Homepage --public Publish=yes ✗ Homepage
        import sheet.csv --map rating= --public Publish=yes ✗ rating
        import sheet.csv --map text= --public Publish=yes ✗ --no-text
        import sheet.csv --map colour=Publish ✗ colour
        import sheet.csv --map hidden=Publish ✗ hidden
        ",
    );
    let trustpilot = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/exports/trustpilot.csv"
    );
    let words = ["import", trustpilot, "--map", "text=Review Title"];
    home.run_err(&words, "text");
    assert_eq!(stored_counts(&home), "0|0|0|0");
}

#[test]
fn headers_may_have_commas_and_equals_signs() {
    let home = home();
    home.file(
        "sheet.csv",
        "Name,Stars,Date,Review,Publish,Publish=web,\"City, State\",City\n\
         Ann,5,2026-03-01,Neat,no,yes,\"Mesa, AZ\",Mesa\nBo,2,2026-03-02,Late,web=yes,no,\"Mesa, AZ\",Mesa\n",
    );
    home.steps(
        "
        import sheet.csv --ignore 'City, State,Publish,Publish=web' ✗ City
        import sheet.csv --public Publish=web=yes --ignore 'City, State,Publish,City' → 2 new
        ",
    );
    assert_eq!(published(&home), "Ann");
    assert_has(
        &columns(&home, "Direct"),
        "City|ignored|owner\nCity, State|ignored|owner\n",
    );
    assert_has(&columns(&home, "Direct"), "Publish=web|public|owner");
}

#[test]
fn joined_columns_and_the_scale_are_kept() {
    let home = home();
    home.steps(
        r"
        sheet.csv ← Given,Family,Stars,Date,Liked,Disliked\nAnn,Baker,10,2026-03-01,Warm rooms.,The lift was broken.\nBo,,2,2026-03-02,,Cold.\n
        import sheet.csv --scale 10 --map author=Family --map author=Given --map text=Disliked --map text=Liked → 2 new
        import sheet.csv → 2 unchanged
        later.csv ← Given,Family,Stars,Date,Liked,Disliked\nCy,,4,2026-03-03,Good.,\n
        import later.csv → 1 new
        ",
    );
    home.finds(
        "select author, rating, text from review order by rating",
        "Bo|1|Cold.\nCy|2|Good.\nBaker Ann|5|The lift was broken.\n\nWarm rooms.",
    );
}

#[test]
fn field_that_the_source_lacks_is_declared_once() {
    for (options, sheet, stored) in [
        (
            "--no-text",
            "Name,Stars,Date\nAnn,5,2026-03-01\n",
            "text|Ann|",
        ),
        (
            "--map author=",
            "Stars,Date,Review\n5,2026-03-01,Neat\n",
            "author|Anonymous|",
        ),
        (
            "--map url= --ignore-others",
            "Name,Stars,Date,Review,Review URL,Link\nAnn,5,2026-03-01,Neat,https://a.example/1,https://b.example/1\n",
            "url|Ann|",
        ),
    ] {
        let home = home();
        home.file("sheet.csv", sheet);
        assert_undecided(&home, "import sheet.csv", "");
        home.run_ok(format!("import sheet.csv {options}"), "1 new");
        home.run_ok("import sheet.csv", "1 unchanged");
        home.finds(
            "select field, author, source_url from source_column, review where header = ''",
            stored,
        );
    }
}

#[test]
fn decided_column_withholds_more_of_a_platform_than_its_own() {
    let home = home();
    let loox = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/exports/loox.csv"
    );
    let export = fs::read_to_string(loox).unwrap();
    let ours = ["On our site", "yes", "yes", "no", "no"];
    let lines = export.lines().zip(ours);
    let wide = lines.map(|(line, cell)| format!("{line},{cell}\n"));
    home.file("loox.csv", &wide.collect::<String>());
    assert_undecided(&home, "import loox.csv", "On our site");
    home.run("import loox.csv --public 'On our site=yes'");
    assert_eq!(published(&home), "Greta L.");
}
