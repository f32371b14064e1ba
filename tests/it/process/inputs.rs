//! Input files that are endless or have thousands of errors.

use super::*;

/// Messages about single rows, and those that count similar rows.
fn split_messages(err: &str) -> (Vec<&str>, Vec<&str>) {
    err.lines()
        .partition(|line| !line.contains(" rows like ") && !line.starts_with("1 row like "))
}

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
    let editorial = Home::new();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/seeds/business.json");
    fs::copy(sample, editorial.0.path().join("business.json")).unwrap();
    symlink("/dev/zero", editorial.0.path().join("editorial.json")).unwrap();
    editorial.steps("seed . ✗ editorial.json: cannot be read: it has more than 16 MiB");
    assert!(!editorial.path().exists());
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
    let words = [
        "import",
        "table.csv",
        "--scale",
        "5",
        "--rejects",
        "rejected.jsonl",
    ];
    let done = home.run(&words);
    assert_eq!(done.code, Some(1), "{}{}", done.out, done.err);
    assert_has(&done.out, "1 new, 0 updated, 0 unchanged, 326 rejected");
    let (shown, counted) = split_messages(&done.err);
    assert_eq!(shown.len(), 20 + 20 + 1, "{}", done.err);
    assert!(
        shown[19].starts_with("table.csv:21: date: \"someday 19\" is not a known date"),
        "{}",
        shown[19]
    );
    assert!(
        shown[40].starts_with("table.csv:328: date: missing"),
        "{}",
        shown[40]
    );
    assert!(
        counted[0]
            .starts_with("300 rows like table.csv:2: date: \"someday 0\" is not a known date"),
        "{counted:?}"
    );
    assert!(
        counted[1].starts_with("25 rows like table.csv:302: rating: "),
        "{counted:?}"
    );
    assert!(
        counted[2].starts_with("1 row like table.csv:328: date: missing"),
        "{counted:?}"
    );
    assert_eq!(counted.len(), 3, "{}", done.err);
    // The file of rejected rows has all of them.
    let rejected = fs::read_to_string(home.0.path().join("rejected.jsonl")).unwrap();
    assert_eq!(rejected.lines().count(), 326);
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
    let names: Vec<String> = (0..26_u8)
        .flat_map(|one| {
            (0..26_u8)
                .map(move |two| format!("{}{}", char::from(b'a' + one), char::from(b'a' + two)))
        })
        .collect();
    let rows: String = names
        .iter()
        .map(|name| format!("{{\"id\":\"r\",\"rating\":{{\"{name}\":{name}}}}}\n"))
        .collect();
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
fn bad_rows_of_sample_data_are_reported_in_few_lines() {
    let home = Home::new();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/seeds/business.json");
    fs::copy(sample, home.0.path().join("business.json")).unwrap();
    home.file(
        "reviews.jsonl",
        &"{\"id\": \"r\", \"rating\": 9}\n".repeat(500),
    );
    let done = home.run("seed .");
    assert_eq!(done.code, Some(1), "{}", done.err);
    assert_eq!(done.err.lines().count(), 21, "{}", done.err);
    assert!(
        done.err
            .lines()
            .last()
            .unwrap()
            .starts_with("500 rows like ./reviews.jsonl:1: "),
        "{}",
        done.err
    );
}

#[test]
fn twenty_unusable_files_are_named_and_the_others_counted() {
    let home = Home::new();
    let mut words = vec!["import".to_owned()];
    for number in 0..50 {
        words.push(home.file(&format!("{number}.json"), "[1]"));
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = home.run(&words);
    assert_eq!(
        (done.code, done.err.lines().count()),
        (Some(2), 21),
        "{}",
        done.err
    );
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
        insights --trade plumbing ✗ invalid value 'plumbing' for '--trade <NAME>'
        ",
    );
}
