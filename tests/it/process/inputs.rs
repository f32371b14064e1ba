//! Input files that are endless or have thousands of errors.

use super::*;

#[test]
fn an_endless_file_is_refused_with_the_limit() {
    let home = Home::new();
    let folder = home.folder.path().join("sample");
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
    let dates = (0..300).map(|row| format!("5,someday {row},Ann B.,Text {row}.\n"));
    let stars = (0..25).map(|row| format!("{},2026-11-01,Ann B.,Text {row}.\n", 60 + row));
    let rows: String = dates.chain(stars).collect();
    let table =
        format!("rating,date,author,text\n{rows}5,2026-11-01,Ann B.,Good.\n5,,Ann B.,Undated.\n");
    home.file("table.csv", &table);
    let done = home.run("import table.csv --scale 5 --rejects rejected.jsonl");
    assert_eq!(done.code, Some(1), "{}{}", done.out, done.err);
    assert_has(&done.out, "1 new, 0 updated, 0 unchanged, 326 rejected");
    insta::assert_snapshot!("similar_errors", done.err);
    // The file of rejected rows has all of them, each with its place.
    let rejected = home.read("rejected.jsonl");
    assert_eq!(rejected.lines().count(), 326);
    let last: Value = serde_json::from_str(rejected.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&last["file"], &last["line"]),
        (&json!("table.csv"), &json!(328))
    );
    assert_eq!(last["row"]["text"], "Undated.");
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
    fs::write(home.folder.path().join("roots.pem"), "no certificate").unwrap();
    home.steps(
        "
        serve --hub-ca-file roots.pem ✗ REVIEWS_HUB_CA_FILE roots.pem: it holds no certificate
        import reviews.db ✗ is a database; `reviews restore FILE` takes a backup
        insights --trade plumbing ✗ invalid value 'plumbing' for '--trade <NAME>'
        ",
    );
}
