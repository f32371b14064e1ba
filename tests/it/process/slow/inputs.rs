//! Input files that are endless or have many errors.

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
    let last = "5,2026-11-01,Ann B.,Good.\n5,,Ann B.,Undated.\n";
    let table = format!("rating,date,author,text\n{rows}{last}");
    home.file("table.csv", &table);
    let fields = ["rating", "date", "author", "text"].map(|name| format!("{name} = '{name}'\n"));
    home.file(
        "table.toml",
        &format!("scale = 5\n[fields]\n{}", fields.concat()),
    );
    let done = home.run("import table.csv --format table.toml --rejects rejected.jsonl");
    assert_eq!(done.code, Some(1), "{}{}", done.out, done.err);
    assert_has(&done.out, "1 new, 0 updated, 0 unchanged, 326 rejected");
    for (reason, place, count) in [
        ("is not a known date", "table.csv:2: date", "300 rows like "),
        ("is above 5", "table.csv:302: rating", "25 rows like "),
    ] {
        let lines = done.err.lines().filter(|line| line.contains(reason));
        assert_eq!(lines.count(), 21, "{}", done.err);
        assert_has(&done.err, &format!("{count}{place}"));
    }
    // The file of rejected rows has all of them, each with its place.
    let rejected = home.read("rejected.jsonl");
    assert_eq!(rejected.lines().count(), 326);
    let last: Value = serde_json::from_str(rejected.lines().last().unwrap()).unwrap();
    assert_eq!(last["file"], "table.csv");
    assert_eq!(last["line"], 328);
    assert_eq!(last["row"]["text"], "Undated.");
}
