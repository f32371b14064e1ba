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
