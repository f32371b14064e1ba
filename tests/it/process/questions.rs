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

const FEEDBACK: &str = "Customer,Stars,What they said,When,Our reply,Publish\n\
    Ann Baker,5,On time and tidy as ever.,2026-10-30,Thank you.,yes\n\
    Bo Cole,2,Left the gate open again.,2026-10-29,,no\n\
    Cy Dorn,5,Explained each line of the bill.,2026-10-28,,yes\n";
const KEPT_FEEDBACK: &str = "Customer|author|name\nOur reply|reply|name\nPublish|public|owner\nStars|rating|name\n\
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
    insta::assert_snapshot!("screen", done.err + &done.out);
    assert_eq!(columns(&home, "Direct"), KEPT_FEEDBACK);
    // Nothing is asked again.
    let later = format!("{FEEDBACK}Di Ebb,4,As agreed with her before.,2026-10-27,,no\n");
    home.file("feedback.csv", &later);
    let again = answer_all(&home, "import feedback.csv", &[]);
    assert_has(&again.out, "1 new, 0 updated, 3 unchanged");
    home.steps(
        r#"
        sql: select author, text, withheld_reason from review where rating = 2 → Bo Cole|Left the gate open again.|not published at the source
        sql: select public_values, withheld_values from source_column where header = 'Publish' → ["yes"]|["no"]
        source columns Direct → What they said
        "#,
    );
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

/// A table with `\n` for its line ends, what is typed, a query, and what it finds.
const ASKED: &str = r"
    Reviewer,Customer Name,Stars,Date,Review\nAnnie,Ann Baker,5,2026-03-01,Neat\nBob,Bo Cole,2,2026-03-02,Late\n → 2, 1|- → select author from review where rating = 5 → Ann Baker Annie
    Name,Stars,Date,Comments,Customer feedback\nAnn,5,2026-03-01,Give her a discount soon,They came on time again\nBo,2,2026-03-02,Refund him please by Friday,The pump still leaks badly\n → 5|- → select text from review where rating = 5 → They came on time again
    Id,Name,Stars,Date,Review\n1,Ann,5,2025-06-10,Neat\n2,Bo,1,2025-05-02,Late\n3,Cy,4,2025-04-01,Fair\n → n → select field from source_column where header = 'Id' → ignored
    Name,Stars,Date,Review\nAnn,10,2026-03-01,Neat\nBo,2,2026-03-02,Late\n → y → select rating, scale from review, source_column where header = 'Stars' order by 1 → 1|10\n5|10
    Name,Stars,Date,Review\nAnn,8,2026-03-01,Neat\nBo,2,2026-03-02,Late\n → 10 → select rating, scale from review, source_column where header = 'Stars' order by 1 → 1|10\n4|10
    Name,Stars,Date,Review\nAnn,5,03/04/2026,Neat\nBo,2,05/04/2026,Late\n → 2 → select reviewed_on, date_order from review, source_column where header = 'Date' and rating = 5 → 2026-04-03|day_first
    Name,Stars,Date,Words,Publish\nAnn,5,2026-03-01,They came on time again,yes\nBo,2,2026-03-02,The pump still leaks badly,no\n → -|- → select status, text, count(*) from review group by 1, 2 → published||2
    CONSENT → 5|* → PUBLISHED → Ann, Bo, Di
    CONSENT → 5|yes, please, (empty) → PUBLISHED → Ann, Cy, Di
    Name,Stars,Date,Review,Reply,Publish,Reply OK,By name,City\nAnn,5,2026-03-01,Neat,Thanks Ann,yes,1,ja,Mesa\nBo,4,2026-03-02,Good,Thanks Bo,yes,0,nein,Mesa\nDi,2,2026-03-04,Late,Sorry Di,no,1,ja,Mesa\n → 6, 7 answer, 8 name|yes|1|ja → select author, status, reply_text from review order by rating desc → Ann|published|Thanks Ann\nAnonymous|published|\nDi|withheld|Sorry Di
";
const CONSENT: &str = r#"Name,Stars,Date,Review,Consent\nAnn,5,2026-03-01,Neat,"Yes, please"\nBo,4,2026-03-02,Good,No\nCy,3,2026-03-03,Fair,\nDi,2,2026-03-04,Late," yes, PLEASE "\n"#;

#[test]
fn each_question_is_answered_at_a_terminal() {
    let mut screens = String::new();
    let asked = ASKED.replace("CONSENT", CONSENT);
    let asked = asked.replace("PUBLISHED", &in_one_line(PUBLISHED));
    for [sheet, typed, select, found] in table(&asked) {
        let home = home();
        home.file("sheet.csv", &sheet.replace("\\n", "\n"));
        assert_undecided(&home, "import sheet.csv", "--");
        let typed: Vec<&str> = typed.split('|').collect();
        screens += &answer_all(&home, "import sheet.csv", &typed).err;
        home.finds(select, &found.replace("\\n", "\n"));
        home.run_ok("import sheet.csv", "0 new, 0 updated");
    }
    insta::assert_snapshot!("screens", screens);
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
    let shown = format!("{}{}", refused.err, refused.out);
    for private in ["mail.test", "555 01", "PRIVATE-NOTE", "husband", "leaks"] {
        assert!(!shown.contains(private), "{private}: {shown}");
    }
    insta::assert_snapshot!("undecided", shown);
    // As printed it publishes nothing.
    let command = printed_command(&refused, "reviews import ");
    home.shell(&command).failed("COLUMN");
    let filled = command.replace("text=COLUMN", "text=Words");
    let filled = filled.replace("COLUMN=VALUE", "Publish=yes");
    home.shell(&filled).done();
    home.finds(
        "select author, text, source_name from review where status = 'published'",
        "Ann|They came on time again|Angi",
    );
    // A file of members, and one on standard input.
    let home = Home::new();
    home.steps(
        r#"
        nested.json ← [{"customer": "Ann", "stars": 5, "comment": "On time.", "date": "2026-03-05", "meta": {"approved": true}}, {"customer": "Bo", "stars": 1, "comment": "Late.", "date": "2026-03-06", "meta": {"approved": false}}]
        import nested.json ✗ COLUMN=VALUE
        import nested.json --public meta.approved=true → 2 new
        "#,
    );
    assert_eq!(published(&home), "Ann");
}

#[test]
fn standard_input_and_placeholders_answer_no_question() {
    let home = Home::new();
    home.file("sheet.csv", SHEET);
    let asked = home.shell("reviews import - < sheet.csv");
    asked.failed("COLUMN=VALUE");
    // A word that stands for a value is none.
    let placeholder = "import sheet.csv --public Publish=VALUE";
    assert_undecided(&home, placeholder, "Publish");
    assert!(!home.path().exists());
    let answered = "reviews import - --public Publish=yes < sheet.csv";
    home.shell(answered).done();
    assert_eq!(published(&home), "Ann");
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
    let refused = assert_undecided(&home, "import jan.csv feb.csv", "yes");
    assert_has(&refused.err, "later");
    home.run_ok("import jan.csv feb.csv --public Publish=yes", "4 new");
    assert_eq!(published(&home), "Ann, Cy");
    // Lines of our own form take none of a table's options, and no other file ignores them.
    home.steps(
        r#"
        own.jsonl ← {"id":"own","rating":5,"date":"2026-06-01","author":"Fay","text":"Quick."}\n
        import own.jsonl jan.csv --public Publish=yes → 1 new, 0 updated, 2 unchanged
        import own.jsonl --public Publish=yes ✗ whose members are known
        g.json ← {"reviews":[{"reviewId":"g","reviewer":{"displayName":"Al"},"starRating":"FIVE","createTime":"2026-11-02T03:30:00Z"}]}\n
        import g.json jan.csv --public Publish=yes --scale 10 ✗ g.json: is in the format google, whose members are known (--scale)
        import g.json jan.csv --public Publish=yes --date-format %d/%m/%Y ✗ g.json: is in the format google, whose dates have one form
        "#,
    );
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
        import later.csv --map reply= → 1 new
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
fn changed_decisions_count_from_the_next_import() {
    let home = home_with_sheet();
    let more = "Cy,4,2026-03-03,Good,maybe\nDi,5,2026-03-04,Kind,maybe\nEd,5,2026-03-05,Fair,No\n";
    home.file("more.csv", &format!("{SHEET}{more}"));
    let done = home.run_ok("import more.csv", "3 new");
    let shown = in_one_line(&(done.out + &done.err));
    let expected = "Publish: 2 reviews withheld for the new value \"maybe\"; \
        reviews source columns Direct --public 'Publish=maybe', then import the file again";
    assert_has(&shown, expected);
    assert!(!shown.contains("Publish=no"), "not new: {shown}");
    home.steps(
        &r"
        source columns Direct --public 'Publish=maybe' → Publish
        sql: PUBLISHED → Ann
        import more.csv → 0 new, 2 updated, 3 unchanged
        sql: PUBLISHED → Ann, Cy, Di
        source columns Direct --forget Homepage ✗ Homepage
        source columns Directory --ignore Publish ✗ Direct
        source columns Direct --forget Publish → Direct
        import sheet.csv ✗ Publish
        import sheet.csv --public Publish=no → 2 updated
        source columns Direct --forget Publish --public Publish=yes → Publish
        import sheet.csv → 2 updated
        sql: update review set status = 'withheld', withheld_reason = 'dispute' where author = 'Di'
        source columns Direct --ignore Publish → Publish
        import more.csv → 0 new
        sql: PUBLISHED → Ann, Bo, Cy, Ed
        source columns Direct --map title=Publish → title
        import sheet.csv → 2 updated
        sql: select title from review where author = 'Bo' → no
        source rename Direct Website → 5 reviews
        import sheet.csv --source Website → 2 unchanged
        "
        .replace("PUBLISHED", &in_one_line(PUBLISHED)),
    );
}

#[test]
fn refused_or_undone_imports_keep_no_decision() {
    let home = home();
    let rows = |text: &str| -> String {
        let row = |number| format!("Guest {number},5,2026-03-0{number},{text},yes,Mesa\n");
        (1..9).map(row).collect()
    };
    let header = "Name,Stars,Date,Review,Publish,City\n";
    home.file("city.csv", &(header.to_owned() + &rows("Neat and quick")));
    home.file("gone.csv", &(header.to_owned() + &rows("")));
    home.steps(
        "
        import city.csv --public Publish=yes --ignore City → 8 new
        import city.csv --source Angi --ignore City --public Publish=yes → 8 new
        undo → 8 removed
        import city.csv --source Angi ✗ Publish
        import gone.csv --map title=City ✗ --accept-changes
        import gone.csv --map title=City --accept-changes --dry-run → dry run
        sql: select field, decided_by from source_column where header = 'City' → ignored|owner
        undo --source Direct → 8 removed
        import city.csv ✗ Publish
        sql: select count(*) from source_column → 0
        ",
    );
}
