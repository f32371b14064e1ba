//! A firm's own reviews, by commands: made, decided about, imported again, out and in, erased.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use super::{Home, Said};
use crate::support::sqlite3;

fn rows(changes: &[(&str, Value)]) -> String {
    let row = |id: &str| {
        let mut row = json!({"id": id, "rating": 5, "date": "2024-11-01", "author": "Ann B.", "text": format!("Text of {id}.")});
        for (_, change) in changes.iter().filter(|(of, _)| *of == id) {
            change
                .as_object()
                .unwrap()
                .iter()
                .for_each(|(name, value)| row[name] = value.clone());
        }
        row.to_string()
    };
    ["r-1", "r-2", "r-3", "r-4"].map(row).join("\n")
}

#[test]
fn an_import_says_a_table_s_columns_before_it_writes_and_its_advice_works() {
    let home = Home::new();
    home.file(
        "feedback.csv",
        "Customer,Stars,When,What they said\nAnn,5,2024-11-01,On time.\n",
    );
    let maps = [
        "--map",
        "author=Customer",
        "--map",
        "rating=Stars",
        "--map",
        "date=When",
    ];
    let words: Vec<&str> = ["import", "feedback.csv"].into_iter().chain(maps).collect();
    let refused = home.run(&words);
    assert_eq!(refused.code, Some(2));
    assert_eq!(
        refused.out,
        "feedback.csv, header in row 1\n  rating ← Stars    date ← When    author ← Customer    text ← (none)    response ← (none)\n  not used: What they said\n"
    );
    assert!(
        refused
            .err
            .contains("pass --map text=\"What they said\", or --no-text if there is none"),
        "{}",
        refused.err
    );
    assert!(!home.path().exists(), "a refused import leaves a database");
    let advised: Vec<&str> = words
        .into_iter()
        .chain(["--map", "text=What they said"])
        .collect();
    home.does(&advised, "1 new");
}

impl Home {
    pub fn file(&self, name: &str, content: &str) -> String {
        fs::write(self.0.path().join(name), content).unwrap();
        name.to_owned()
    }

    #[track_caller]
    pub fn does(&self, words: &[&str], said: &str) -> Said {
        let done = self.run(words);
        assert_eq!(done.code, Some(0), "{words:?}: {}{}", done.out, done.err);
        assert!(
            done.out.contains(said),
            "{words:?}: {} should say {said}",
            done.out
        );
        done
    }

    #[track_caller]
    pub fn refuses(&self, words: &[&str], said: &str) {
        let done = self.run(words);
        assert_eq!(done.code, Some(2), "{words:?}: {}{}", done.out, done.err);
        assert!(
            done.err.contains(said),
            "{words:?}: {} should say {said}",
            done.err
        );
    }

    /// Every review, and what is published of it, as one text.
    fn reviews(&self) -> String {
        let columns = "review_id, rating, reviewed_on, author, title, text, status, withheld_reason, response_text";
        sqlite3(
            &self.path(),
            &format!("select {columns} from review order by review_id"),
        )
    }

    /// Whether these bytes stand anywhere in the database's files.
    fn holds(&self, word: &str) -> bool {
        let files = ["reviews.db", "reviews.db-wal"]
            .map(|name| fs::read(self.0.path().join(name)).unwrap_or_default());
        files.iter().any(|bytes| {
            bytes
                .windows(word.len())
                .any(|part| part == word.as_bytes())
        })
    }
}

#[test]
fn init_makes_a_business_and_changes_only_what_is_given() {
    let home = Home::new();
    home.does(
        &["init", "--name", "Desert Peak"],
        "time zone   not set; `reviews init --time-zone ZONE` sets it",
    );
    let second = home.does(
        &[
            "init",
            "--time-zone",
            "America/Phoenix",
            "--type",
            "HVACBusiness",
        ],
        "America/Phoenix",
    );
    assert!(
        second
            .out
            .contains("name        Desert Peak\ntype        HVACBusiness\n"),
        "{}",
        second.out
    );
    home.refuses(
        &["init", "--time-zone", "america/phoenix"],
        "write it like America/Phoenix",
    );
    let shown = home.does(&["business"], "\"id\": \"desert-peak\"");
    // What is shown can be loaded, and is the same then.
    home.file(
        "business.json",
        &shown.out.replace(
            "\"services\": []",
            "\"services\": [{\"id\": \"ac\", \"name\": \"AC\"}]",
        ),
    );
    home.does(&["business", "business.json"], "1 services");
    home.does(&["business"], "\"ac\"");
    let says = |setting: &str| shown.out.replace("\"full\"", setting);
    home.file("off.json", &says("\"off\""));
    home.does(&["business", "off.json"], "staff       off");
    // What says nothing of it, as the business that is published, shows nobody again.
    home.file("silent.json", "{\"id\": \"dp\", \"name\": \"Desert Peak\"}");
    home.does(&["business", "silent.json"], "staff       off");
    home.file("some.json", &says("\"some\""));
    home.refuses(
        &["business", "some.json"],
        "publish_staff: \"some\" is not one of full, first_name, off",
    );
    home.file("broken.json", "{\n \"id\": \"x\"\n}");
    home.refuses(
        &["business", "broken.json", "--replace"],
        "broken.json:3:1: name: missing",
    );
}

#[test]
fn what_was_decided_by_commands_stays_when_the_same_and_a_newer_file_come() {
    let home = Home::new();
    home.file("first.jsonl", &rows(&[]));
    home.does(&["import", "first.jsonl"], "4 new");
    home.does(
        &["withhold", "r-1", "--reason", "under dispute"],
        "r-1: withheld (under dispute)",
    );
    home.does(&["respond", "r-2", "Thank you."], "r-2: answered");
    home.does(&["delete", "r-3"], "r-3: deleted, and erased from the file");
    sqlite3(
        &home.path(),
        "update review set text = 'As the owner has it.' where review_id = 'r-4'",
    );
    let decided = home.reviews();
    let again = home.does(
        &["import", "first.jsonl"],
        "0 new, 0 updated, 3 unchanged, 0 rejected",
    );
    assert!(
        again
            .out
            .contains("1 kept withheld, 1 kept edited: r-4 text\n1 kept deleted: r-3\n"),
        "{}",
        again.out
    );
    assert_eq!(home.reviews(), decided);
    home.file(
        "newer.jsonl",
        &rows(&[
            ("r-4", json!({"text": "Anew.", "rating": 3})),
            ("r-2", json!({"author": "Ann Baker"})),
        ]),
    );
    home.does(&["import", "newer.jsonl"], "0 new, 2 updated, 1 unchanged");
    assert_eq!(
        home.reviews(),
        decided
            .replace("r-2|5|2024-11-01|Ann B.", "r-2|5|2024-11-01|Ann Baker")
            .replace("r-4|5|", "r-4|3|")
    );
    home.does(
        &["show", "r-4"],
        "decided         text: imports do not change that",
    );
    home.does(
        &["publish", "r-1"],
        "r-1: published; was withheld (under dispute)",
    );
    home.does(&["respond", "r-2", "--remove"], "answer removed");
    home.does(&["import", "first.jsonl", "--restore"], "1 new");
    for words in [
        &["show", "none"][..],
        &["publish", "none"],
        &["delete", "none"],
        &["respond", "none", "x"],
    ] {
        home.refuses(words, "no review none");
    }
    home.refuses(&["withhold", "r-1", "--reason", " "], "--reason is empty");
    let long = "x".repeat(1_001);
    home.refuses(
        &["withhold", "r-1", "--reason", &long],
        "--reason has 1001 bytes and may have at most 1000",
    );
}

#[test]
fn an_export_does_not_call_a_row_deleted_that_completed_a_review() {
    let home = Home::new();
    home.file("t.csv", "Date,Stars,Name,Said\n2026-10-02,4,Ann,On time.\n");
    home.does(&["import", "t.csv", "--no-text"], "1 new");
    home.does(&["import", "t.csv", "--map", "text=Said"], "1 updated");
    home.does(
        &["export", "out.jsonl"],
        "1 reviews, 1 IDs without a review",
    );
}

#[test]
fn an_export_imported_elsewhere_behaves_as_the_original() {
    let home = Home::new();
    home.file(
        "first.jsonl",
        &rows(&[("r-2", json!({"title": "T", "response": {"text": "Hi"}}))]),
    );
    home.does(&["import", "first.jsonl"], "4 new");
    home.does(
        &["withhold", "r-1", "--reason", "under dispute"],
        "withheld",
    );
    home.does(&["respond", "r-2", "--remove"], "answer removed");
    home.does(&["delete", "r-3"], "deleted");
    sqlite3(
        &home.path(),
        "update review set text = 'Own.' where review_id = 'r-4'; update review set title = null where review_id = 'r-2'",
    );
    home.file(
        "next.jsonl",
        &rows(&[
            (
                "r-2",
                json!({"title": "T", "response": {"text": "Hi"}, "rating": 1}),
            ),
            ("r-4", json!({"text": "X"})),
        ]),
    );
    for format in ["jsonl", "csv"] {
        let other = Home::new();
        let file = other.0.path().join("export");
        let file = file.to_str().unwrap();
        home.does(
            &["export", file, "--format", format],
            "3 reviews, 1 IDs without a review",
        );
        assert_eq!(
            fs::metadata(file).unwrap().permissions().mode() & 0o777,
            0o600
        );
        other.does(&["import", file], "3 new");
        assert_eq!(other.reviews(), home.reviews(), "{format}");
        other.file(
            "next.jsonl",
            &fs::read_to_string(home.0.path().join("next.jsonl")).unwrap(),
        );
        let there = other.does(&["import", "next.jsonl"], "kept deleted: r-3");
        let dry = home.does(&["import", "next.jsonl", "--dry-run"], "kept deleted: r-3");
        assert_eq!(
            format!("{}dry run: nothing was changed\n", there.out),
            dry.out,
            "{format}"
        );
    }
    home.does(&["import", "next.jsonl"], "1 updated");
    let printed = home.does(&["export"], "{\"author\"");
    assert_eq!(printed.out.lines().count(), 4);
    home.file("mine.txt", "Dear diary");
    home.refuses(
        &["export", "mine.txt"],
        "FILE mine.txt already exists; name another file, or overwrite it with --force",
    );
    assert_eq!(
        fs::read_to_string(home.0.path().join("mine.txt")).unwrap(),
        "Dear diary"
    );
    home.does(
        &["export", "mine.txt", "--force"],
        "3 reviews, 1 IDs without a review",
    );
    home.refuses(&["export", "reviews.db", "--force"], "is the database");
}

#[test]
fn an_import_says_how_many_of_the_updated_do_not_appear() {
    let home = Home::new();
    home.file("first.jsonl", &rows(&[]));
    home.does(&["import", "first.jsonl"], "4 new");
    for id in ["r-1", "r-2"] {
        home.does(&["withhold", id, "--reason", "x"], "withheld");
    }
    let changed = |id| (id, json!({"text": "Another text."}));
    home.file("one.jsonl", &rows(&[changed("r-1"), changed("r-3")]));
    let said = home.does(&["import", "one.jsonl"], "0 new, 2 updated, 2 unchanged");
    let line = "1 of the updated reviews is withheld, so its changes do not appear\n";
    assert!(said.out.contains(line), "{}", said.out);
    // Nothing is said where all that was updated appears, though some are withheld.
    home.file(
        "two.jsonl",
        &rows(&[changed("r-1"), changed("r-3"), changed("r-4")]),
    );
    let said = home.does(&["import", "two.jsonl"], "0 new, 1 updated, 3 unchanged");
    assert!(!said.out.contains("of the updated"), "{}", said.out);
}

#[test]
fn an_export_that_fails_loses_nothing_of_the_former_one() {
    let home = Home::new();
    home.file(
        "in.jsonl",
        "{\"id\":\"r-1\",\"rating\":5,\"date\":\"2024-11-01\",\"author\":\"Ann\",\"text\":\"Fine.\"}",
    );
    home.does(&["import", "in.jsonl"], "1 new");
    let folder = home.0.path();
    let (former, link) = (folder.join("former.jsonl"), folder.join("link.jsonl"));
    home.does(&["export", "former.jsonl"], "1 reviews");
    std::os::unix::fs::symlink("former.jsonl", &link).unwrap();
    let whole = fs::read_to_string(&former).unwrap();
    sqlite3(
        &home.path(),
        "alter table review_source rename to elsewhere",
    );
    for name in ["former.jsonl", "link.jsonl"] {
        home.refuses(&["export", name, "--force"], "review_source");
        assert_eq!(fs::read_to_string(&former).unwrap(), whole, "{name}");
    }
    home.refuses(&["export", "new.jsonl"], "review_source");
    assert!(!folder.join("new.jsonl").exists(), "a part of an export");
    sqlite3(
        &home.path(),
        "alter table elsewhere rename to review_source",
    );
    home.does(&["withhold", "r-1", "--reason", "x"], "withheld");
    // A link still leads to the file, which has the new content and its owner's mode.
    home.does(&["export", "link.jsonl", "--force"], "1 reviews");
    assert!(link.is_symlink());
    let now = fs::read_to_string(&former).unwrap();
    assert!(now.contains("withheld") && now != whole, "{now}");
    assert_eq!(
        fs::metadata(&former).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let left = fs::read_dir(folder).unwrap();
    let names = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(names.into_iter().all(|name| !name.contains(".new-")));
}

#[test]
fn of_a_deleted_review_nothing_readable_stays_in_the_file() {
    let home = Home::new();
    let long = format!(
        "{} zyxglintword",
        "Filler sentence of no interest. ".repeat(300)
    );
    home.file(
        "rows.jsonl",
        &rows(&[(
            "r-2",
            json!({"text": long, "author": "Quixwendol P.", "response": {"text": "Vorplent"}}),
        )]),
    );
    home.does(&["import", "rows.jsonl"], "4 new");
    drop(home.serve());
    assert!(home.holds("zyxglintword") && home.holds("Quixwendol") && home.holds("xgl"));
    home.does(&["delete", "r-2"], "and erased from the file");
    for word in ["zyxglint", "Quixwendol", "Vorplent", "xgl"] {
        assert!(!home.holds(word), "{word} is still in the file");
    }
    assert_eq!(
        sqlite3(
            &home.path(),
            "select count(*) from review_source where review_id = 'r-2'"
        ),
        "0"
    );
    assert_eq!(home.run(&["check"]).code, Some(0));
}

#[test]
fn what_the_owner_withheld_by_command_stays_withheld_and_what_was_published_follows_a_source_that_agreed()
 {
    let home = Home::new();
    let table = |shown: [&str; 3]| {
        let row =
            |(id, shown): (&str, &str)| format!("{id},2026-10-02,4,Ann,Words of {id}.,{shown}\n");
        let rows = ["p", "q", "w"].into_iter().zip(shown).map(row);
        let rows: String = rows.collect();
        home.file(
            "t.csv",
            &format!("ID,Date,Stars,Name,Comment,Veröffentlicht\n{rows}"),
        )
    };
    let import = |shown| home.does(&["import", &table(shown)], "");
    import(["ja", "nein", "nein"]);
    home.does(
        &["publish", "p"],
        "p: is already published; the next import keeps it published",
    );
    home.does(&["publish", "q"], "q: published");
    home.does(
        &["withhold", "w", "--reason", "not published at the source"],
        "w: is already withheld (not published at the source); imports keep it withheld",
    );
    let decided = home.reviews();
    for shown in [["nein", "nein", "ja"], ["ja", "ja", "nein"]] {
        import(shown);
        assert_eq!(home.reviews(), decided, "{shown:?}");
    }
    import(["nein", "nein", "ja"]);
    let statuses =
        "select group_concat(status, ' ') from (select status from review order by review_id)";
    assert_eq!(
        sqlite3(&home.path(), statuses),
        "withheld withheld withheld"
    );
    home.does(&["publish", "p"], "p: published");
    home.does(&["publish", "w"], "w: published");
    home.does(
        &["withhold", "p", "--reason", "under dispute"],
        "p: withheld",
    );
    let decided = home.reviews();
    import(["ja", "nein", "nein"]);
    assert_eq!(home.reviews(), decided);
}

#[test]
fn the_sample_never_mixes_with_a_firm_s_own_reviews() {
    let seeds = concat!(env!("CARGO_MANIFEST_DIR"), "/seeds");
    let home = Home::new();
    home.file("own.jsonl", &rows(&[]));
    home.does(&["seed", seeds], "new");
    home.does(&["seed", seeds], "0 new, 0 updated");
    home.refuses(
        &["import", "own.jsonl"],
        "remove it with `reviews init --discard-sample --name NAME`",
    );
    home.does(
        &["init", "--discard-sample", "--name", "Mine"],
        "removed the sample data",
    );
    home.does(&["import", "own.jsonl"], "4 new");
    assert_eq!(sqlite3(&home.path(), "select count(*) from review"), "4");
    home.refuses(&["seed", seeds], "holds a business's own data");
    home.refuses(
        &["init", "--discard-sample"],
        "does not hold only sample data",
    );
    drop(home.serve());
    assert_eq!(home.run(&["check"]).code, Some(0));
    let mixed = Home::new();
    mixed.file("own.jsonl", &rows(&[]));
    mixed.does(&["seed", seeds], "new");
    mixed.does(&["import", "own.jsonl", "--with-sample"], "4 new");
    mixed.does(&["import", "own.jsonl"], "4 unchanged");
}

#[test]
fn the_sample_loaded_again_keeps_what_the_owner_changed() {
    let seeds = concat!(env!("CARGO_MANIFEST_DIR"), "/seeds");
    let home = Home::new();
    home.does(&["seed", seeds], "new");
    home.does(&["init", "--name", "Mine", "--telephone", "+1 1"], "Mine");
    home.file("ed.json", r#"{"summary": {"text": "As the owner says."}}"#);
    home.does(&["editorial", "ed.json"], "As the owner says.");
    let (business, editorial) = (home.run(&["business"]).out, home.run(&["editorial"]).out);
    home.does(&["seed", seeds], "0 new, 0 updated");
    assert_eq!(home.run(&["business"]).out, business);
    assert_eq!(home.run(&["editorial"]).out, editorial);
}

#[test]
fn a_new_time_zone_moves_the_days_of_instants_that_nobody_set_otherwise() {
    let home = Home::new();
    let row = |id: &str| json!({"name": format!("accounts/1/locations/7/reviews/{id}"), "starRating": "FIVE", "createTime": "2024-11-02T03:30:00Z", "reviewer": {"displayName": "Ann"}});
    home.file(
        "google.json",
        &json!({"reviews": [row("a"), row("b"), row("c")]}).to_string(),
    );
    home.refuses(&["import", "google.json"], "reviews init --time-zone ZONE");
    home.does(&["init", "--time-zone", "UTC"], "UTC");
    home.does(&["import", "google.json"], "3 new");
    sqlite3(
        &home.path(),
        "update review set reviewed_on = '2024-10-30' where review_id = '7.b'",
    );
    home.does(
        &["init", "--time-zone", "America/Phoenix"],
        "2 reviews to their day in America/Phoenix",
    );
    let days = "select review_id, reviewed_on from review order by 1";
    assert_eq!(
        sqlite3(&home.path(), days),
        "7.a|2024-11-01\n7.b|2024-10-30\n7.c|2024-11-01"
    );
    home.does(&["import", "google.json"], "0 new, 0 updated, 3 unchanged");
    assert_eq!(
        sqlite3(&home.path(), days),
        "7.a|2024-11-01\n7.b|2024-10-30\n7.c|2024-11-01"
    );
}

/// What a terminal obeys (ECMA-48, of one byte too), and what turns the direction of what follows.
const OBEYED: [char; 6] = ['\u{1b}', '\u{7}', '\r', '\u{9b}', '\u{202e}', '\u{2066}'];

#[test]
fn nothing_that_a_reviewer_wrote_is_obeyed_by_the_owners_terminal() {
    let home = Home::new();
    let hostile = OBEYED.iter().collect::<String>() + "31m";
    let text = format!("Will{hostile} was on time, and the price was fair. {hostile}");
    let row = json!({"id": "r-1", "rating": 5, "date": "2024-11-01", "author": format!("Ann {hostile}"), "title": hostile,
        "text": text, "source": {"name": format!("Google {hostile}")}});
    home.does(&["init", "--name", "Desert Peak"], "Desert Peak");
    home.file("in.jsonl", &row.to_string());
    home.does(&["import", "in.jsonl"], "1 new");
    sqlite3(
        &home.path(),
        &format!("update business set name = 'Desert{hostile} Peak'"),
    );
    home.does(&["insights", "rebuild"], "1 review");
    for words in [
        &["show", "r-1"][..],
        &["insights"],
        &["insights", "explain", "r-1"],
        &["business"],
        &["export"],
        &["withhold", "r-1", "--reason", &hostile],
        &["show", "r-1"],
        &["publish", "r-1"],
        &["check"],
    ] {
        let done = home.run(words);
        assert_eq!(done.code, Some(0), "{words:?}: {}", done.err);
        let said = done.out + &done.err;
        assert!(!said.contains(OBEYED), "{words:?}: {said:?}");
    }
    let shown = home.run(&["show", "r-1"]).out;
    assert!(
        shown.contains("Ann \\u001b\\u0007\\u000d\\u009b\\u202e\\u206631m"),
        "{shown}"
    );
    // JSON stays JSON, and means the same.
    let business: Value = serde_json::from_str(&home.run(&["business"]).out).unwrap();
    assert_eq!(business["name"], format!("Desert{hostile} Peak"));
    let serving = home.serve();
    assert!(
        serving.greeting.starts_with("Reviews of Desert\\u001b")
            && !serving.greeting.contains(OBEYED),
        "{:?}",
        serving.greeting
    );
}

#[test]
fn a_table_of_reviews_runs_no_formula_and_comes_back_as_it_was() {
    let home = Home::new();
    let begins = [
        "=", "+", "-", "@", "\t", "\r", "'=", "''@", "'", "'plain", "plain",
    ];
    let rows: Vec<String> = begins
        .iter()
        .enumerate()
        .map(|(number, begin)| {
            let cell = format!("{begin}1+cmd|' /C calc'!A0");
            json!({"id": format!("={number}"), "rating": 5, "date": "2024-11-01", "author": cell, "title": cell, "text": cell,
                "source": {"name": cell}, "mentions": {"technicians": [cell.trim()]}, "response": {"text": cell},
                "status": "withheld", "withheld_reason": cell})
            .to_string()
        })
        .collect();
    home.file("in.jsonl", &rows.join("\n"));
    home.does(&["import", "in.jsonl"], "11 new");
    home.does(&["export", "out.csv", "--format", "csv"], "11 reviews");
    let table = fs::read(home.0.path().join("out.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(&table[..]);
    let mut cells = 0;
    for record in reader.records() {
        for cell in &record.unwrap() {
            cells += usize::from(cell.starts_with('\''));
            assert!(
                !cell.starts_with(['=', '+', '-', '@', '\t', '\r']),
                "{cell:?}"
            );
        }
    }
    // The ids, and all but the plain; a technician's name begins with no tab and no carriage return.
    assert_eq!(cells, 11 + 10 * 7 - 2);
    let other = Home::new();
    fs::write(other.0.path().join("in.csv"), &table).unwrap();
    other.does(&["import", "in.csv"], "11 new");
    assert_eq!(other.reviews(), home.reviews());
    other.does(&["export", "out.csv", "--format", "csv"], "11 reviews");
    assert_eq!(fs::read(other.0.path().join("out.csv")).unwrap(), table);
    other.refuses(&["export", "out.csv", "--format", "csv"], "already exists");
    let words = ["export", "out.csv", "--format", "csv", "--force"];
    other.does(&words, "11 reviews");
    assert_eq!(fs::read(other.0.path().join("out.csv")).unwrap(), table);
}

#[test]
fn an_apostrophe_stays_in_a_table_that_does_not_say_that_it_was_escaped() {
    for (column, cell) in [("", ""), (",escaped", ","), (",escaped", ",false")] {
        let home = Home::new();
        home.file(
            "in.csv",
            &format!(
                "id,rating,date,author,text,decided,deleted{column}\nr-1,5,2024-11-01,Ann,'=1+1,,{cell}\n"
            ),
        );
        home.does(&["import", "in.csv"], "1 new");
        assert!(
            home.reviews().contains("'=1+1"),
            "{column}: {}",
            home.reviews()
        );
    }
}
