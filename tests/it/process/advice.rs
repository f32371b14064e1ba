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
        let advice = refused.err.trim_end().split("take ").nth(1).unwrap();
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
    let advice = refused.err.split("say ").nth(1).unwrap();
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
