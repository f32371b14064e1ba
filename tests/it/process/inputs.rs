//! Input files that are endless or have thousands of errors.

use super::*;

#[test]
fn an_endless_file_is_refused_with_the_limit() {
    let home = Home::new();
    let folder = home.0.path().join("sample");
    fs::create_dir(&folder).unwrap();
    symlink("/dev/zero", folder.join("business.json")).unwrap();
    for [words, expected] in table(
        "
        business /dev/zero → /dev/zero: cannot be read: it has more than 16 MiB
        seed sample → business.json: cannot be read: it has more than 16 MiB
        ",
    ) {
        home.run_err(words, expected);
    }
    assert!(!home.path().exists());
}

#[test]
fn similar_errors_are_shown_twenty_times_and_then_counted() {
    let home = Home::new();
    let mut table = "rating,date,author,text\n".to_owned();
    for row in 0..300 {
        table.push_str(&format!("5,someday {row},Ann B.,Text {row}.\n"));
    }
    for row in 0..25 {
        table.push_str(&format!("{},2026-11-01,Ann B.,Text {row}.\n", 60 + row));
    }
    table.push_str("5,2026-11-01,Ann B.,Good.\n5,,Ann B.,Undated.\n");
    home.file("table.csv", &table);
    let done = home.run("import table.csv --scale 5 --rejects rejected.jsonl");
    assert_eq!(done.code, Some(1), "{}{}", done.out, done.err);
    assert_has(&done.out, "1 new, 0 updated, 0 unchanged, 326 rejected");
    let is_single = |line: &&str| !line.contains(" rows like ") && !line.contains("1 row like ");
    let (shown, counted): (Vec<&str>, Vec<&str>) = done.err.lines().partition(is_single);
    assert_eq!(
        (shown.len(), counted.len()),
        (20 + 20 + 1, 3),
        "{}",
        done.err
    );
    for (line, begin) in [
        (
            shown[19],
            "table.csv:21: date: \"someday 19\" is not a known date",
        ),
        (shown[40], "table.csv:328: date: missing"),
        (
            counted[0],
            "300 rows like table.csv:2: date: \"someday 0\" is",
        ),
        (counted[1], "25 rows like table.csv:302: rating: "),
        (counted[2], "1 row like table.csv:328: date: missing"),
    ] {
        assert!(line.starts_with(begin), "{begin}: {line}");
    }
    // The file of rejected rows has all of them.
    assert_eq!(home.read("rejected.jsonl").lines().count(), 326);
}

#[test]
fn messages_about_bad_rows_do_not_grow_with_the_file() {
    let printed = |rows: usize| {
        let home = Home::new();
        let whole = r#"{"id":"r","rating":5,"date":"2026-11-01","author":"A","text":"T","source":{"name":"Direct"}}"#;
        home.file("rows.jsonl", &format!("{whole}\n{}", "{x\n".repeat(rows)));
        let done = home.run("import rows.jsonl");
        assert_eq!(done.code, Some(1), "{}", done.out);
        done.err.len()
    };
    assert!(printed(2_000) <= printed(200) + 10);
    // They do not grow with the number of kinds of errors or of errors in a row either.
    let home = Home::new();
    let letter = |number: u32| char::from_digit(10 + number, 36).unwrap();
    let names = (0..676).map(|number| format!("{}{}", letter(number / 26), letter(number % 26)));
    let rows = names.map(|name| format!("{{\"id\":\"r\",\"rating\":{{\"{name}\":{name}}}}}\n"));
    let rows: String = rows.collect();
    let many = serde_json::json!({"id": "r", "rating": 5, "date": "2026-11-01", "author": "A", "text": "T",
        "mentions": {"technicians": vec![1; 100_000]}});
    home.file("rows.jsonl", &format!("{many}\n{rows}"));
    let done = home.run("import rows.jsonl");
    assert_eq!(done.code, Some(1), "{}", done.out);
    assert!(done.err.len() < 500_000, "{} bytes", done.err.len());
    assert!(
        done.err.lines().count() < 1_100,
        "{} lines",
        done.err.lines().count()
    );
}

#[test]
fn twenty_unusable_files_are_named_and_the_others_counted() {
    let home = Home::new();
    let mut words = vec!["import".to_owned()];
    for number in 0..50 {
        words.push(home.file(&format!("{number}.json"), "[1]"));
    }
    let done = home.run(&words);
    done.failed("");
    assert_eq!(done.err.lines().count(), 21, "{}", done.err);
    assert!(
        done.err.ends_with("\n30 more files cannot be imported\n"),
        "{}",
        done.err
    );
}

#[test]
fn errors_name_the_setting_and_the_wrong_value() {
    let home = Home::with(1);
    fs::write(home.0.path().join("roots.pem"), "no certificate").unwrap();
    home.steps(
        "
        serve --hub-ca-file roots.pem ✗ REVIEWS_HUB_CA_FILE roots.pem: it holds no certificate
        undo 99999999999999999999 ✗ write a smaller number
        import reviews.db ✗ is a database; `reviews restore FILE` takes a backup
        insights --trade plumbing ✗ invalid value 'plumbing' for '--trade <NAME>'
        ",
    );
}
