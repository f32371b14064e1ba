//! An import touches only reviews of its own source: copies are reported, equal ids are kept apart, and no sequence of
//! imports of several sources changes what one of them alone would do.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use reviews_service::imports::undo;

use super::*;

/// The four sources of the law, each with a file of its own form.
const SOURCES: [&str; 4] = ["Direct", "Angi", "Trustpilot", "Google"];

/// A row: number of its customer, stars, and a version of the text.
type AnyRow = (u8, u8, u8);

fn text(customer: u8, version: u8) -> String {
    match version {
        0 => String::new(),
        _ => format!("Customer {customer} liked the work very much, version {version}."),
    }
}

/// The content of a file, and the options of its import.
fn file_of(source: usize, rows: &[AnyRow]) -> (String, &'static str) {
    let author = |customer: &u8| format!("Customer {customer}");
    let day = |customer: &u8| format!("2026-10-{:02}", customer + 1);
    match SOURCES[source] {
        // A sheet without ids, and a table whose ids two sources may share.
        name @ ("Direct" | "Angi") => {
            let has_ids = usize::from(name == "Angi");
            let line = |(customer, stars, version): &AnyRow| {
                let id = format!("q{customer},").repeat(has_ids);
                let (author, day) = (author(customer), day(customer));
                let text = text(*customer, *version);
                format!("{id}{author},{stars},{day},\"{text}\"\n")
            };
            let header = "id,".repeat(has_ids) + "author,rating,date,text\n";
            let lines: String = rows.iter().map(line).collect();
            // All texts of a file may be empty.
            let options = [
                "format: [fields]; text = [\"text\"]",
                "--source Angi format: [fields]; text = [\"text\"]",
            ];
            (header + &lines, options[has_ids])
        }
        "Trustpilot" => {
            let row = |(customer, stars, version): &AnyRow| {
                json!({"id": format!("t{customer}"), "stars": stars, "title": "", "text": text(*customer, *version),
                    "createdAt": format!("{}T12:00:00Z", day(customer)), "consumer": {"id": "c", "displayName": author(customer)}})
            };
            let rows: Vec<Value> = rows.iter().map(row).collect();
            (json!({ "reviews": rows }).to_string(), "")
        }
        _ => {
            let row = |(customer, stars, version): &AnyRow| {
                let stars = ["ONE", "TWO", "THREE", "FOUR", "FIVE"][usize::from(*stars) - 1];
                let changes = json!({"starRating": stars, "comment": text(*customer, *version),
                    "createTime": format!("{}T12:00:00Z", day(customer)), "reviewer": {"displayName": author(customer)},
                    "updateTime": null});
                google(1, &format!("g{customer}"), &changes)
            };
            let rows: Vec<Value> = rows.iter().map(row).collect();
            (page(&rows), "")
        }
    }
}

/// The reviews of a source, without their ids, which depend on what other sources have.
fn of_source(bench: &Bench, source: &str) -> String {
    let select = format!(
        "select rating, reviewed_on, author, title, text, status, source_name, reply_text from review
         where source_name = '{source}' order by author, reviewed_on, text, rating"
    );
    bench.sql(&select)
}

/// At most one row of a customer in a file: two would be reported as undecided where one is an edit of the other.
fn any_file() -> impl Strategy<Value = (usize, Vec<AnyRow>)> {
    let row = (0..5_u8, 1..=5_u8, 0..3_u8);
    (0..SOURCES.len(), vec(row, 1..5)).prop_map(|(source, mut rows)| {
        rows.sort_unstable();
        rows.dedup_by_key(|(customer, _, _)| *customer);
        (source, rows)
    })
}

/// A file of a source, and what happens after its import.
type Step = ((usize, Vec<AnyRow>), Event);

/// What happens after the import of a file.
#[derive(Debug, Clone, Copy)]
enum Event {
    Nothing,
    /// The file is imported again with `--restore`.
    Restore,
    /// The import is undone and done again. Only in the database of all sources.
    Undo,
    /// The source gets another name, and its own again. Only in the database of all sources.
    Rename,
    /// Another database imports an export, lines or a table, and takes over. Only in the database of all sources.
    Export,
    /// The owner runs this on the review of the file's first row.
    Owner(&'static str),
}

const DELETE: &str = "delete from review";
const HIDE: &str = "update review set status = 'withheld', withheld_reason = 'dispute'";

fn any_event() -> impl Strategy<Value = Event> {
    prop_oneof![
        Just(Event::Nothing),
        Just(Event::Owner(DELETE)),
        Just(Event::Restore),
        Just(Event::Undo),
        Just(Event::Rename),
        Just(Event::Export),
        Just(Event::Owner("update review set author = 'Somebody'")),
        Just(Event::Owner(
            "update review set text = 'The owner wrote this.'"
        )),
        Just(Event::Owner("update review set reviewed_on = '2026-09-01'")),
        Just(Event::Owner("update review set rating = 6 - rating")),
        Just(Event::Owner(
            "update review set reply_text = 'To ' || author"
        )),
        Just(Event::Owner(HIDE)),
    ]
}

/// All values of reviews, without times and numbers of changes.
pub(super) fn values(database: &Path) -> String {
    sqlite3(
        database,
        "select review_id, rating, reviewed_on, author, title, text, status, withheld_reason, language, source_name, source_url,
           verification, verified_at, reply_text, reply_on, reply_author from review order by 1;
         select * from mention order by 1, 2, 3",
    )
}

/// These, and what is kept of their sources and of deleted reviews.
fn content(database: &Path) -> String {
    let kept = sqlite3(
        database,
        "select review_id, source_name, posted_at, said, same_author_and_day, same_content, same_text, id_at_source
           from review_source order by 1;
         select * from deleted_review order by 1",
    );
    values(database) + "\n" + &kept
}

/// Imports the rows; their authors are of this source only, because rows that equal deleted reviews are not stored.
async fn import_own(bench: &Bench, ((source, rows), _): &Step, restore: bool) -> ImportReport {
    let (content, options) = file_of(*source, rows);
    let author = format!("Customer of {} ", SOURCES[*source]);
    let file = bench.file("rows", content.replace("Customer ", &author));
    let restore = if restore { "--restore" } else { "" };
    bench.done(file, &format!("{restore} {options}")).await
}

fn author_of(source: usize, (customer, _, _): AnyRow) -> String {
    format!("Customer of {} {customer}", SOURCES[source])
}

/// The authors whose reviews the owner deleted or withheld, after this event.
fn note_hidden(bench: &Bench, hidden: &mut BTreeSet<String>, ((source, rows), event): &Step) {
    match event {
        Event::Owner(DELETE | HIDE) => {
            let author = author_of(*source, rows[0]);
            let select = format!("select author from review where author = '{author}'");
            hidden.extend(bench.sql(&select).lines().map(str::to_owned));
        }
        Event::Restore => {
            for row in rows {
                hidden.remove(&author_of(*source, *row));
            }
        }
        _ => {}
    }
}

/// That no review of these authors is public, and that each answer is at the review that it was given to.
fn assert_decisions_kept(bench: &Bench, hidden: &BTreeSet<String>) {
    let public = bench.sql("select author from review where status = 'published'");
    let shown = public.lines().find(|author| hidden.contains(*author));
    assert_eq!(shown, None);
    let moved = "select count(*) from review
        where reply_text glob 'To *' and reply_text <> 'To ' || author and author <> 'Somebody'";
    assert_eq!(bench.sql(moved), "0");
}

async fn run_event(bench: &mut Bench, is_alone: bool, step: &Step) {
    let ((source, rows), event) = step;
    let name = SOURCES[*source];
    let author = author_of(*source, rows[0]);
    match event {
        Event::Owner(statement) => {
            bench.sql(&format!("{statement} where author = '{author}'"));
        }
        Event::Restore => {
            import_own(bench, step, true).await;
        }
        Event::Nothing | Event::Undo => {}
        Event::Rename | Event::Export if is_alone => {}
        Event::Rename => {
            let before = content(bench.database.path());
            for (old, new) in [(name, "Elsewhere"), ("Elsewhere", name)] {
                bench.sql(&format!(
                    "update source set name = '{new}' where name = '{old}'"
                ));
            }
            assert_eq!(content(bench.database.path()), before);
        }
        Event::Export => {
            let exported = export(&bench.database).await;
            let other = self::bench().await;
            other.set_time_zone("UTC").await;
            if !exported.is_empty() {
                other.take(exported).await;
            }
            let imported = content(other.database.path());
            assert_eq!(imported, content(bench.database.path()));
            *bench = other;
        }
    }
}

#[test]
fn decisions_survive_imports_undo_renames_and_exports() {
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &[57; 32]);
    let mut runner = TestRunner::new_with_rng(config_of(10), random);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runner
        .run(&vec((any_file(), any_event()), 2..8), |steps| {
            runtime.block_on(async {
                let mut all = bench().await;
                all.set_time_zone("UTC").await;
                let mut hidden = BTreeSet::new();
                for step in &steps {
                    let before = content(all.database.path());
                    import_own(&all, step, false).await;
                    assert_decisions_kept(&all, &hidden);
                    if let Event::Undo = step.1 {
                        let after = content(all.database.path());
                        undo(&all.database, &all.clock, None, false).await.unwrap();
                        assert_eq!(content(all.database.path()), before, "{steps:?}");
                        import_own(&all, step, false).await;
                        assert_eq!(content(all.database.path()), after, "{steps:?}");
                    }
                    note_hidden(&all, &mut hidden, step);
                    run_event(&mut all, false, step).await;
                }
                for (source, name) in SOURCES.iter().enumerate() {
                    let mut alone = bench().await;
                    alone.set_time_zone("UTC").await;
                    let mut last = None;
                    for step in steps.iter().filter(|((own, _), _)| *own == source) {
                        import_own(&alone, step, false).await;
                        run_event(&mut alone, true, step).await;
                        last = Some(step);
                    }
                    assert_eq!(of_source(&all, name), of_source(&alone, name), "{steps:?}");
                    if let Some(step) = last {
                        import_own(&all, step, false).await;
                        let before = content(all.database.path());
                        let report = import_own(&all, step, false).await;
                        let changes = tally(&report, [Outcome::New, Outcome::Updated]);
                        assert_eq!(changes, [0, 0], "{name} of {steps:?}");
                        assert_eq!(content(all.database.path()), before, "{name} of {steps:?}");
                    }
                }
            });
            Ok(())
        })
        .unwrap();
}

const NAMED: &str = r#"format: [[public_name]]; names = ["Anonymous"]; values = ["No"]"#;
const ANONYMOUS: &str = "Date,Name,Stars,Comment,Anonymous\n2026-10-03,Ann Bell,5,On time and tidy,HIDDEN\n2026-10-02,Bo Cole,4,Fine,No\n";

#[tokio::test]
async fn a_name_hidden_after_a_rename_or_edit_makes_no_other_review() {
    for edited in ["On time and tidy", "On time and very tidy"] {
        let bench = bench().await;
        bench.csv(ANONYMOUS.replace("HIDDEN", "No"), NAMED).await;
        bench.sql("update source set name = 'Own' where name = 'Direct'");
        for (hidden, author) in [("Yes", "Anonymous"), ("No", "Ann Bell")] {
            let content = ANONYMOUS.replace("HIDDEN", hidden);
            let content = content.replace("On time and tidy", edited);
            let report = bench.csv(content, "--source Own").await;
            assert_eq!(counts(&report), (0, 1, 1, 0), "{edited} {hidden}");
            let authors = "select group_concat(author) from (select author from review order by 1)";
            assert_eq!(bench.sql(authors), format!("{author},Bo Cole"));
        }
    }
}
