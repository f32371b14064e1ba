//! Advice in messages, followed word by word: it works.

use super::Home;
use crate::support::sqlite3;

/// The words after `flag` that a message advises, each up to a blank or the end of a clause.
fn advised<'m>(message: &'m str, flag: &str) -> Vec<&'m str> {
    message
        .split(flag)
        .skip(1)
        .map(|rest| {
            rest.trim_start()
                .split([' ', ';', ',', '\n'])
                .next()
                .unwrap()
        })
        .collect()
}

#[test]
fn a_date_format_that_is_advised_reads_the_cell_with_a_time_behind_it_or_without() {
    for (date, days) in [
        ("10/11/2026 9:05", ["2026-10-11", "2026-11-10"]),
        ("10/11/2026 9:05:30 PM", ["2026-10-11", "2026-11-10"]),
        ("10/11/2026", ["2026-10-11", "2026-11-10"]),
        ("10/11/24", ["2024-10-11", "2024-11-10"]),
        ("10/11/24 9:05 AM", ["2024-10-11", "2024-11-10"]),
    ] {
        let home = Home::new();
        home.file(
            "table.csv",
            &format!("rating,date,author,text\n5,{date},Ann B.,Good.\n"),
        );
        let refused = home.run(&["import", "table.csv"]);
        assert_eq!(refused.code, Some(1), "{}", refused.err);
        let formats = advised(&refused.err, "--date-format ");
        assert_eq!(formats.len(), 2, "{}", refused.err);
        for (format, day) in formats.into_iter().zip(days) {
            let home = Home::new();
            home.file(
                "table.csv",
                &format!("rating,date,author,text\n5,{date},Ann B.,Good.\n"),
            );
            home.does(&["import", "table.csv", "--date-format", format], "1 new");
            assert_eq!(
                sqlite3(&home.path(), "select reviewed_on from review"),
                day,
                "{date} {format}"
            );
        }
    }
}

#[test]
fn what_is_advised_for_foreign_json_imports_it() {
    let row = r#"{"grade": 5, "when": "2026-11-01", "customer": "Ann B.", "words": "Good."}"#;
    let theirs = [
        ("rating", "grade"),
        ("date", "when"),
        ("author", "customer"),
        ("text", "words"),
    ];
    for content in [
        format!("[{row}]"),
        format!("{{\"page\": 1, \"items\": [{row}]}}"),
        format!("{row}\n{}\n", row.replace("Good", "Bad")),
        row.replace(", ", ",\n "),
        // Half of the names are known.
        format!(
            "[{}]",
            row.replace("grade", "stars").replace("customer", "name")
        ),
    ] {
        let home = Home::new();
        home.file("foreign.json", &content);
        let refused = home.run(&["import", "foreign.json"]);
        assert_eq!(refused.code, Some(2), "{content}: {}", refused.err);
        let advice = refused.err.trim_end().split("pass ").nth(1).unwrap();
        let mut words = vec!["import".to_owned(), "foreign.json".to_owned()];
        for word in advice.split(' ') {
            let ours = word.strip_suffix("=THEIR_FIELD");
            words.push(ours.map_or(word.to_owned(), |ours| {
                let (_, their) = theirs.iter().find(|(name, _)| *name == ours).unwrap();
                format!("{ours}={their}")
            }));
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        home.does(&words, "0 rejected");
        assert_eq!(
            sqlite3(
                &home.path(),
                "select rating, reviewed_on, author, text from review order by text desc limit 1"
            ),
            "5|2026-11-01|Ann B.|Good.",
            "{words:?}"
        );
    }
}

#[test]
fn where_there_is_no_database_the_command_that_is_named_makes_one() {
    for words in [
        &["check"][..],
        &["show", "r-1"],
        &["export"],
        &["business"],
        &["mcp"],
    ] {
        let home = Home::new();
        let refused = home.run(words);
        assert_eq!(refused.code, Some(2), "{words:?}: {}", refused.err);
        assert_eq!(
            refused.err,
            "error: no database at reviews.db; create one with `reviews init --name NAME`\n",
            "{words:?}"
        );
        assert!(!home.path().exists(), "{words:?}");
        let advice = refused.err.split('`').nth(1).unwrap();
        let advice: Vec<&str> = advice.split(' ').skip(1).collect();
        home.does(&advice, "name        NAME");
        let again = home.run(words);
        assert!(
            !again.err.contains("no database"),
            "{words:?}: {}",
            again.err
        );
    }
}

const FEEDBACK: &str = "Customer,Stars,When,What they said,Our reply\n\
    Ann Baker,5,2026-10-30,On time and tidy.,Thank you.\nBo Cole,2,2026-10-29,Left the gate open.,\n";

#[test]
fn a_table_is_shown_before_it_is_refused_and_both_ways_out_that_are_advised_work() {
    let home = Home::new();
    home.file("feedback.csv", FEEDBACK);
    let refused = home.run(&["import", "feedback.csv"]);
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    assert_eq!(
        refused.out,
        "feedback.csv, header in row 1\n  \
         rating ← Stars    date ← When    author ← Customer    text ← (none)    response ← (none)\n  \
         not used: What they said, Our reply\n"
    );
    let advice = refused.err.split("pass ").nth(1).unwrap();
    let (map, flag) = advice.trim_end().split_once(", or ").unwrap();
    let map = map.strip_prefix("--map ").unwrap().replace('"', "");
    let flag = flag.split(' ').next().unwrap();
    home.does(&["import", "feedback.csv", flag], "2 new");
    home.does(
        &["import", "feedback.csv", "--map", &map],
        "0 new, 2 updated",
    );
}

#[test]
fn a_dry_run_shows_the_first_reviews_of_a_table_and_leaves_nothing() {
    let home = Home::new();
    home.file(
        "feedback.csv",
        &FEEDBACK.replace("What they said", "Comment"),
    );
    let said = home.does(&["import", "feedback.csv", "--dry-run"], "2 new");
    assert!(
        said.out
            .contains("  row 2: 5 stars, 2026-10-30, Ann Baker: On time and tidy.\n"),
        "{}",
        said.out
    );
    assert!(!home.path().exists());
    let long = FEEDBACK.replace("What they said", "Comment");
    home.file("long.csv", &long.replace("On time", &"x".repeat(20_000)));
    let said = home.does(&["import", "long.csv", "--dry-run"], "2 new");
    let longest = said.out.lines().map(|line| line.chars().count()).max();
    assert_eq!(longest, Some(401), "cut, with an ellipsis");
}

#[test]
fn a_sheet_and_a_header_row_that_are_advised_against_are_left_out() {
    let home = Home::new();
    home.file(
        "feedback.csv",
        &FEEDBACK.replace("What they said", "Comment"),
    );
    home.file("rows.jsonl", "{\"id\": \"a\", \"rating\": 5, \"date\": \"2026-10-30\", \"author\": \"A\", \"text\": \"B\"}\n");
    for (file, option, value) in [
        ("feedback.csv", "--sheet", "Reviews"),
        ("rows.jsonl", "--sheet", "Reviews"),
        ("rows.jsonl", "--header-row", "2"),
    ] {
        let refused = home.run(&["import", file, option, value]);
        assert!(
            refused.err.ends_with(&format!("leave {option} out\n")),
            "{}",
            refused.err
        );
        home.does(&["import", file], "0 rejected");
    }
}

#[test]
fn thousands_of_like_faults_are_twenty_lines_and_their_count() {
    let home = Home::new();
    let rows: String = (0..3000)
        .map(|n| format!("Ann {n},many {n},2026-10-30,Text {n}\n"))
        .collect();
    home.file("bad.csv", &format!("name,rating,date,text\n{rows}"));
    let said = home.run(&["import", "bad.csv"]);
    assert_eq!(said.code, Some(1), "{}", said.err);
    assert_eq!(said.err.lines().count(), 21, "{}", said.err);
    assert!(
        said.err
            .contains("3000 rows like bad.csv:2: rating: \"many 0\""),
        "{}",
        said.err
    );
}

#[test]
fn a_status_that_nobody_knows_is_ignored_as_the_message_says() {
    let home = Home::new();
    home.file(
        "t.csv",
        "Kunde;Sterne;Bewertung;Datum;Status\nAnn;5;Gut;01.02.2026;Freigegeben\nBo;1;Schlecht;02.02.2026;Ungewiss\n",
    );
    let said = home.run(&["import", "t.csv"]);
    assert_eq!(said.code, Some(1), "{}", said.err);
    assert!(
        said.out.contains("status ← Status") && said.out.contains("1 new"),
        "{}",
        said.out
    );
    let map = advised(&said.err, "--map ");
    assert_eq!(map, ["status="]);
    home.does(
        &["import", "t.csv", "--map", map[0]],
        "1 new, 0 updated, 1 unchanged",
    );
}

/// The words of the command in back quotes that begins so, as a shell would read them.
fn command_of(message: &str, begin: &str) -> Vec<String> {
    let line = message.split('`').find(|part| part.starts_with(begin));
    let line = line.unwrap_or_else(|| panic!("no `{begin}` in: {message}"));
    let parts = (0..).zip(line.split('\''));
    let words = parts.flat_map(|(at, part): (usize, &str)| -> Vec<String> {
        if at % 2 == 1 {
            return vec![part.to_owned()];
        }
        part.split_whitespace().map(str::to_owned).collect()
    });
    words.skip(1).collect()
}

impl Home {
    /// Runs a command, and then the one that its message names, with the owner's words in the place of those in capitals; both
    /// say what is wanted.
    #[track_caller]
    fn follows(&self, words: &[&str], begin: &str, meant: &[(&str, &str)], said: &str) {
        let told = self.run(words);
        let message = format!("{}{}", told.out, told.err);
        let command = command_of(&message, begin);
        let owned = |word: &String| {
            let its = meant.iter().find(|(name, _)| name == word);
            its.map_or_else(|| word.clone(), |(_, value)| (*value).to_owned())
        };
        let command: Vec<String> = command.iter().map(owned).collect();
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        self.does(&command, said);
    }
}

const ROW: &str = r#"{"id":"r-1","rating":5,"date":"2026-11-01","author":"Ann","text":"Good."}"#;

#[test]
fn from_nothing_every_next_step_that_is_named_works() {
    let business = [
        ("NAME", "Desert Peak"),
        ("TYPE", "Plumber"),
        ("ZONE", "America/Phoenix"),
    ];
    let file = [("FILE", "rows.jsonl")];
    let begin = || {
        let home = Home::new();
        home.does(&["migrate"], "");
        home.file("rows.jsonl", ROW);
        home
    };
    let home = begin();
    home.follows(
        &["status"],
        "reviews init",
        &business,
        "type        Plumber",
    );
    home.follows(&["status"], "reviews import", &file, "1 new");
    home.does(&["delete", "r-1"], "deleted");
    // A deleted review comes back by the option that is named, and by nothing else.
    home.does(&["import", "rows.jsonl"], "kept deleted: r-1");
    home.follows(&["show", "r-1"], "reviews import", &file, "1 new");
    let home = begin();
    home.follows(&["list"], "reviews import", &file, "1 new");
    let home = begin();
    home.follows(&["show", "r-1"], "reviews import", &file, "1 new");
    let home = begin();
    home.follows(
        &["business"],
        "reviews init",
        &business,
        "name        Desert Peak",
    );
    for words in ["status", "init"] {
        let home = begin();
        home.does(&["init", "--name", "Desert Peak"], "not set");
        let zone = "time zone   America/Phoenix";
        home.follows(&[words], "reviews init --time-zone", &business, zone);
    }
}

#[test]
fn what_is_named_after_a_decision_takes_it_back_or_shows_it() {
    let home = Home::new();
    home.does(&["init", "--name", "Peak", "--time-zone", "UTC"], "Peak");
    home.file(
        "rows.jsonl",
        &format!("{ROW}\n{}", ROW.replace("r-1", "r-12")),
    );
    home.does(&["import", "rows.jsonl"], "2 new");
    let words = ["withhold", "r-12", "--reason", "under dispute"];
    home.follows(
        &words,
        "reviews publish",
        &[],
        "r-12: published; was withheld (under dispute)",
    );
    for unknown in ["r", "r-99"] {
        home.follows(&["show", unknown], "reviews list", &[], "r-12  ★★★★★");
    }
    home.follows(&["backup", "copy.db"], "reviews restore", &[], "copy.db");
    // A type that only a database made elsewhere can have.
    sqlite3(&home.path(), "update business set type = 'Plumbing'");
    home.follows(&["init"], "reviews init --type", &[], "type        Plumber");
    let told = home.run(&["init"]).out;
    let (_, address) = told.split_once(": put ").unwrap();
    let (address, _) = address.split_once(" into a file").unwrap();
    home.file("address.json", address);
    home.follows(
        &["init"],
        "reviews business",
        &[("FILE", "address.json")],
        "12 Main St",
    );
    assert!(!home.run(&["init"]).out.contains("no address"));
    // What another firm's export carries besides reviews is left out; the commands that are named load such files.
    let other = Home::new();
    other.does(&["init", "--name", "Mesa", "--time-zone", "UTC"], "Mesa");
    let exported = other.does(&["export"], "\"business\"").out;
    home.file("theirs.jsonl", &exported);
    home.file("business.json", "{\"telephone\": \"+1 602 555 0100\"}");
    home.file(
        "editorial.json",
        "{\"summary\": {\"text\": \"Open since 1998.\"}}",
    );
    let import = ["import", "theirs.jsonl"];
    for (begin, file, said) in [
        ("reviews business", "business.json", "+1 602 555 0100"),
        ("reviews editorial", "editorial.json", "Open since 1998."),
    ] {
        home.follows(&import, begin, &[("FILE", file)], said);
    }
}

#[test]
fn readings_that_are_behind_are_made_by_the_command_that_is_named() {
    let home = Home::with(3);
    home.follows(&["insights"], "reviews insights rebuild", &[], "3");
    let shown = home.does(&["insights"], "Up to date with the reviews.");
    assert!(!shown.out.contains("Behind"), "{}", shown.out);
}

#[test]
fn what_check_says_to_do_mends_what_it_found() {
    let rows = ["r-1", "r-12"].map(|id| ROW.replace("r-1", id)).join("\n");
    let firm = || {
        let home = Home::new();
        home.does(&["init", "--name", "Peak", "--time-zone", "UTC"], "Peak");
        home.file("rows.jsonl", &rows);
        home.does(&["import", "rows.jsonl"], "2 new");
        home.does(&["insights", "rebuild"], "2 reviews read");
        home
    };
    let is_sound = |home: &Home| home.does(&["check"], "ok      schema");
    let damaged = "Keep a copy of the file";
    // A row that no review can be made of: deleted, or imported again.
    let unreadable = "pragma ignore_check_constraints = on; update review set rating = 9 where review_id = 'r-1'";
    let home = firm();
    sqlite3(&home.path(), unreadable);
    for words in [["show", "r-1"], ["withhold", "r-1"]] {
        let words: Vec<&str> = match words {
            ["withhold", id] => vec!["withhold", id, "--reason", "x"],
            [command, id] => vec![command, id],
        };
        let told = home.run(&words);
        assert_eq!(told.code, Some(2), "{}", told.out);
        let check = command_of(&told.err, "reviews check");
        assert_eq!(check, ["check"]);
    }
    let partial = home.run(&["export", "all.jsonl"]);
    assert_eq!(partial.code, Some(1), "{}", partial.err);
    assert!(
        partial.err.contains("1 rows cannot be read")
            && partial.out.contains("1 reviews, 0 IDs without a review"),
        "{} {}",
        partial.out,
        partial.err
    );
    assert_eq!(command_of(&partial.err, "reviews check"), ["check"]);
    let wrong = home.run(&["check"]);
    assert!(!wrong.out.contains(damaged), "{}", wrong.out);
    home.follows(&["check"], "reviews delete", &[], "r-1: deleted");
    assert_eq!(home.run(&["export", "rest.jsonl"]).code, Some(0));
    is_sound(&home);
    home.does(&["list"], "r-12");
    let home = firm();
    sqlite3(&home.path(), unreadable);
    assert!(home.run(&["check"]).out.contains("import it again"));
    home.does(&["import", "rows.jsonl"], "0 new, 1 updated, 1 unchanged");
    is_sound(&home);
    // Findings that the texts do not give.
    let home = firm();
    sqlite3(
        &home.path(),
        "update derived_index set names = '[[\"technician\", \"x\"]]'",
    );
    let wrong = home.run(&["check"]);
    assert!(!wrong.out.contains(damaged), "{}", wrong.out);
    home.follows(
        &["check"],
        "reviews insights rebuild",
        &[],
        "2 reviews read",
    );
    is_sound(&home);
    // A file that is damaged otherwise: the backup, or what can be read of it, in a new database.
    let damage = "drop trigger review_updated";
    let home = firm();
    home.does(&["backup", "copy.db"], "copy.db");
    sqlite3(&home.path(), damage);
    home.follows(
        &["check"],
        "reviews restore",
        &[("COPY", "copy.db")],
        "copy.db",
    );
    is_sound(&home);
    let home = firm();
    sqlite3(&home.path(), damage);
    home.follows(
        &["check"],
        "reviews export",
        &[("FILE", "saved.jsonl")],
        "2 reviews",
    );
    let saved = std::fs::read_to_string(home.0.path().join("saved.jsonl")).unwrap();
    let anew = Home::new();
    anew.file("saved.jsonl", &saved);
    anew.does(&["import", "saved.jsonl"], "2 new");
    is_sound(&anew);
}
