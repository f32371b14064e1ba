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
        seed sample → business.json: cannot be read: it is a folder, a pipe or a device
        ",
    ) {
        home.run_err(words, expected);
    }
    assert!(!home.path().exists());
}

#[test]
fn a_pipe_in_place_of_a_file_is_never_waited_for() {
    let home = Home::with(3);
    home.run("init --name Bakery --time-zone UTC").done();
    let folder = home.folder.path();
    let make = |name: &str| {
        let path = folder.join(name);
        let _ = fs::remove_file(&path);
        let made = Command::new("mkfifo").arg(path).status();
        assert!(made.unwrap().success(), "{name}");
    };
    make("pipe");
    let sample = |name: &str| {
        let sample = folder.join("sample");
        let _ = fs::remove_dir_all(&sample);
        fs::create_dir(&sample).unwrap();
        home.file(
            "sample/business.json",
            r#"{"id": "x", "name": "X", "time_zone": "UTC", "service_areas": ["Mesa"]}"#,
        );
        home.file("sample/reviews.jsonl", "");
        make(&format!("sample/{name}"));
    };
    home.file(
        "table.csv",
        "rating,date,author,text\n5,2026-01-01,Ann,Good\n",
    );
    let refusal = "it is a folder, a pipe or a device, and reading it could wait for ever; name a regular file";
    let entry = "[a]\nurl = 'https://127.0.0.1:9'\n";
    for [keys, words, expected] in table(
        "
        - → sync list --sync-file pipe → REFUSAL
        - → sync run --sync-file pipe → REFUSAL
        format = './pipe' → sync run a → REFUSAL
        google_credentials = 'pipe' → sync run a → REFUSAL
        - → sync run a --sync-ca-file pipe → REFUSAL
        - → serve --hub-ca-file pipe → REFUSAL
        - → import table.csv --rejects pipe → --rejects pipe is no file; name one
        - → serve --seed sample --database new.db → REFUSAL
        - → business.json seed sample --database new.db → REFUSAL
        - → editorial.json seed sample --database new.db → REFUSAL
        - → reviews.jsonl seed sample --database new.db → reviews.jsonl: no such file
        - → status --database pipe → pipe is not a SQLite database
        - → serve --database pipe → pipe is not a SQLite database
        - → restore pipe --yes → pipe is not a SQLite database
        - → reviews.db-sync-a sync run a → reviews.db-sync-a
        ",
    ) {
        let keys = keys.trim_start_matches('-');
        home.file("reviews.sync.toml", &format!("{entry}{keys}\n"));
        sample("business.json");
        let (first, rest) = words.split_once(' ').unwrap();
        let command = match first {
            "business.json" | "editorial.json" | "reviews.jsonl" => {
                sample(first);
                home.command(rest)
            }
            "reviews.db-sync-a" => {
                make(first);
                home.command(rest)
            }
            _ => home.command(words),
        };
        let done = command.env("REVIEWS_BASE_URL", BASE).run();
        let case = format!("{keys} {words}: {}{}", done.out, done.err);
        assert_eq!(done.code, Some(2), "{case}");
        assert_has(&done.err, &expected.replace("REFUSAL", refusal));
    }
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
