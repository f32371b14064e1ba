//! A database is exported and imported again: elsewhere it is the same from then on, and where it was it stays the same.

use super::*;
use crate::support::{Generator, rounds};

const BUSINESS: &str = r#"{"id": "dp", "name": "Desert Peak", "time_zone": "America/Phoenix", "language": "en", "country": "US",
    "services": [{"id": "drain", "name": "Drain cleaning"}], "technicians": [{"id": "t1", "name": "Will Grant"}], "service_areas": ["Mesa"]}"#;
const EDITORIAL: &str = r#"{"summary": {"text": "Customers praise the quick help."}, "faq": [{"id": "sundays", "question": "Do they come on Sundays?", "answer": "Yes, in summer."}]}"#;

fn seeds() -> impl Iterator<Item = u64> {
    (1..).take(rounds(2))
}

/// Parts of the reports of later imports, of which each must occur.
const OUTCOMES: [&str; 6] = [
    "doubtful and not imported",
    "kept deleted",
    "kept withheld",
    "kept edited",
    "(deleted)",
    "--accept-changes",
];

/// Rows of a sheet that has no IDs: author, stars, day, text and answer.
type SheetRow = (String, usize, usize, String, String);

fn sheet_of(rows: &[SheetRow]) -> String {
    let row = |(author, stars, day, text, reply): &SheetRow| {
        format!("{author},{stars},{:02}/10/2026,{text},{reply}\n", day + 1)
    };
    let rows: String = rows.iter().map(row).collect();
    format!("author,rating,date,text,reply\n{rows}")
}

/// Some texts are short, some are missing, some authors share a name, and some rows are equal.
fn sheet_rows(random: &mut Generator) -> Vec<SheetRow> {
    (0..24)
        .map(|number| {
            let author = match random.below(8) {
                0 => "Anonymous".to_owned(),
                1 => String::new(),
                _ => format!("Guest {}", number / 2),
            };
            let text = match random.below(6) {
                0 => String::new(),
                1 => "All good".to_owned(),
                _ => format!("Will Grant cleaned drain {} in Mesa and left", number / 2),
            };
            let reply = if random.once_in(5) { "Thank you" } else { "" };
            let day = random.below(25);
            (author, 1 + random.below(5), day, text, reply.to_owned())
        })
        .collect()
}

/// The sheet as it is given later.
fn edited(rows: &[SheetRow], random: &mut Generator) -> Vec<SheetRow> {
    let mut rows = rows.to_vec();
    for row in &mut rows {
        match random.below(9) {
            0 => row.1 = 1 + row.1 % 5,
            1 => row.3.push_str(" again"),
            2 => "Nothing of what stood there".clone_into(&mut row.3),
            3 => row.2 = (row.2 + 1) % 27,
            4 => row.0.push_str(" Smith"),
            5 => "Thanks a lot".clone_into(&mut row.4),
            _ => {}
        }
    }
    rows.swap_remove(random.below(20));
    let text = "The first time that I called them".to_owned();
    rows.push(("Zoe Quinn".to_owned(), 4, 3, text, String::new()));
    rows
}

fn google_page(rows: usize, text: &str) -> String {
    let row = |number| {
        json!({
            "name": format!("accounts/1/locations/77/reviews/g{number}"), "reviewId": format!("g{number}"),
            "reviewer": {"displayName": format!("Map user {number}")}, "starRating": "FOUR", "comment": format!("{text} {number}"),
            "createTime": format!("2026-10-0{}T03:30:00Z", number + 1), "updateTime": "2026-10-12T10:00:00Z",
            "reviewReply": {"comment": format!("Reply {number}"), "updateTime": "2026-10-12T05:00:00Z"}
        })
    };
    json!({"reviews": (0..rows).map(row).collect::<Vec<_>>()}).to_string()
}

/// An ID that the sheet of another source has, too, and a location.
const ANGI: &str = "id,author,rating,date,text,location\n1x,Di,5,2026-10-12,On time and tidy as ever,Mesa\n2x,Ed,4,2026-10-11,Fair price,Mesa\n\
    3x,Flo,2,2026-10-10,They came too late for us,Mesa\n";
const YELP: &str = "id,author,rating,date,text\n1x,Gus,5,2026-10-12,Quick and clean work here\n9x,Hal,3,2026-10-11,So so\n";

impl Home {
    fn review_ids(&self) -> Vec<String> {
        let ids = self.sql("select review_id from review order by review_id");
        ids.lines().map(str::to_owned).collect()
    }

    /// A database with the business and the editorial texts, which a table does not have.
    fn named() -> Self {
        let home = Self::new();
        home.file("business.json", BUSINESS);
        home.run("init --name 'Desert Peak' --time-zone America/Phoenix")
            .done();
        home.run("business business.json").done();
        home.file("editorial.json", EDITORIAL);
        home.run("editorial editorial.json").done();
        home
    }

    fn exported(&self, file: &str) -> String {
        self.run(&["export", file, "--force"]).done();
        fs::read_to_string(self.0.path().join(file)).unwrap()
    }

    /// What is stored of reviews and sources, without the number of changes.
    fn rows_stored(&self, has_times: bool) -> String {
        let times = if has_times { ", updated_at" } else { "" };
        self.sql(&format!(
            "select review_id, rating, reviewed_on, author, title, text, status, withheld_reason, language, source_name, source_url, verified,
               verification_method, response_text, response_on, response_author{times} from review order by 1;
             select * from review_source order by 1; select * from deleted_review order by 1; select source_name, header, field, position, public_values, date_order, scale, decided_by from source_column order by 1, 2, 3;
             select * from mention order by 1, 2, 3; select * from review_note order by 1;
             select c.review_id from review_change as c left join review as r using (review_id) where r.review_id is null order by 1;"
        ))
    }
}

/// A database with imports, and decisions of the owner by commands, by SQL and by hand.
fn original(random: &mut Generator, rows: &[SheetRow]) -> Home {
    let home = Home::named();
    home.import("sheet.csv", &sheet_of(rows), "new");
    home.import("google.json", &google_page(6, "Comment"), "6 new");
    home.file("angi.csv", ANGI);
    home.file("yelp.csv", YELP);
    home.steps(
        "import angi.csv --source Angi → 3 new
         import yelp.csv --source Yelp → 2 new",
    );
    home.sql(
        "insert into review (review_id, rating, reviewed_on, author, text) values
           ('own-1', 5, '2026-10-01', 'By hand', 'A good word that nobody imported'), ('own-2', 4, '2026-10-02', 'By hand', ''),
           ('own-3', 4, '2026-10-03', 'By hand', 'Another one of these'), ('own-4', 1, '2026-10-04', 'Guest 3', 'Rude');
         insert into review (review_id, rating, reviewed_on) values ('bare', 3, '2026-10-05')",
    );
    for id in home.review_ids() {
        let words = match random.below(14) {
            0 => vec!["withhold", &*id, "--reason", "spam", "--note", "by phone"],
            1 => vec!["withhold", &*id, "--reason", "under dispute"],
            2 => vec!["delete", &*id, "--yes"],
            3 => vec!["respond", &*id, "Our own answer"],
            4 => vec!["publish", &*id],
            5 => {
                let change = match random.below(6) {
                    0 => "update review set text = 'As the owner has it'",
                    1 => "update review set rating = 3",
                    2 => "update review set title = 'A title', language = 'en'",
                    3 => "update review set author = 'M. N.', reviewed_on = '2026-09-30'",
                    4 => "update review set status = 'withheld', withheld_reason = null",
                    _ => "delete from review",
                };
                home.sql(&format!("{change} where review_id = '{id}'"));
                continue;
            }
            _ => continue,
        };
        let done = home.run(&words);
        assert!(done.code == Some(0), "{words:?}: {}{}", done.out, done.err);
    }
    // Decisions that are taken back, and a note beside the same value.
    for words in [
        ["withhold", "own-3", "--reason=spam"].as_slice(),
        &["publish", "own-3"],
        &["respond", "77.g1", "--remove"],
        &["delete", "own-2", "--yes"],
    ] {
        home.run(words);
    }
    home
}

/// The documents without their own times.
fn documents(home: &Home) -> String {
    let mut command = reviews(home.0.path());
    let serving = Serving::start(command.args(["serve", "--base-url", "https://reviews.test"]));
    let mut documents = String::new();
    for (target, updated) in [
        ("/reviews.json", "updated_at"),
        ("/api/feed.json", "_feed"),
        ("/insights.json", "-"),
        ("/facets.json", "-"),
    ] {
        let mut document: Value = serde_json::from_str(&serving.get(target)).unwrap();
        document.as_object_mut().unwrap().remove(updated);
        documents += &format!("{target} {document}\n");
    }
    documents
}

/// Exit code and all output of a command.
fn report(home: &Home, words: &str) -> (Option<i32>, String) {
    let run = home.run(words);
    (run.code, run.out + &run.err)
}

/// Names the first difference of two long texts.
#[track_caller]
fn assert_same(one: &str, other: &str, what: &str) {
    let mut bytes = one.bytes().zip(other.bytes());
    if let Some(at) = bytes.position(|(one, other)| one != other) {
        let [one, other] = [one, other].map(|text| {
            let around = at.saturating_sub(200)..text.len().min(at + 200);
            String::from_utf8_lossy(&text.as_bytes()[around]).into_owned()
        });
        panic!("{what}:\n{one}\nis not\n{other}");
    }
    assert_eq!(one.len(), other.len(), "{what}");
}

#[test]
fn imported_export_is_the_same_database_from_then_on() {
    let mut reports = String::new();
    for seed in seeds() {
        let mut random = Generator::new(seed);
        let rows = sheet_rows(&mut random);
        let home = original(&mut random, &rows);
        let later = sheet_of(&edited(&rows, &mut random));
        let documents_here = documents(&home);
        let [lines, table] = ["all.jsonl", "all.csv"].map(|file| home.exported(file));
        let copies = [("all.jsonl", &lines), ("all.csv", &table)].map(|(file, content)| {
            let copy = if file == "all.csv" {
                Home::named()
            } else {
                Home::new()
            };
            copy.file(file, content);
            copy.run(&["import", file]).done();
            let what = format!("seed {seed}, {file}");
            assert_same(&copy.exported(file), content, &what);
            assert_same(&copy.rows_stored(false), &home.rows_stored(false), &what);
            assert_same(&documents(&copy), &documents_here, &what);
            copy
        });
        let google = google_page(7, "Comment, edited,");
        for home in copies.iter().chain([&home]) {
            home.file("sheet.csv", &later);
            home.file("google.json", &google);
        }
        for words in [
            "import sheet.csv",
            "import google.json",
            "import google.json --accept-changes",
            "import angi.csv yelp.csv --dry-run --source Angi",
            "import sheet.csv --doubtful new",
            "import sheet.csv --restore --doubtful same",
        ] {
            for home in copies.iter().chain([&home]) {
                home.file("angi.csv", ANGI);
                home.file("yelp.csv", YELP);
            }
            let here = report(&home, words);
            reports += &here.1;
            for copy in &copies {
                let what = format!("seed {seed}, {words}");
                let there = report(copy, words);
                assert_same(&there.1, &here.1, &what);
                assert_eq!(there.0, here.0, "{what}");
                assert_same(&copy.rows_stored(false), &home.rows_stored(false), &what);
            }
        }
    }
    for outcome in OUTCOMES {
        assert_has(&reports, outcome);
    }
}

#[test]
fn export_imported_where_it_was_made_changes_nothing() {
    for seed in seeds() {
        let mut random = Generator::new(seed);
        let rows = sheet_rows(&mut random);
        let home = original(&mut random, &rows);
        for file in ["all.jsonl", "all.csv"] {
            let (before, content) = (home.rows_stored(true), home.exported(file));
            let what = format!("seed {seed}, {file}");
            let import = home.run(&["import", file]);
            import.done();
            assert_has(&import.out, "0 new, 0 updated");
            assert_same(&home.rows_stored(true), &before, &what);
            assert_same(&home.exported(file), &content, &what);
        }
    }
}
