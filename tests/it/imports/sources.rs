//! An import touches only reviews of its own source: copies are reported, equal ids are kept apart, and no sequence of
//! imports of several sources changes what one of them alone would do.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use reviews_service::imports::{rename_source, undo};

use super::exported::export;
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
            let has_ids = name == "Angi";
            let line = |(customer, stars, version): &AnyRow| {
                let id = if has_ids {
                    format!("q{customer},")
                } else {
                    String::new()
                };
                let text = text(*customer, *version);
                format!(
                    "{id}{},{stars},{},\"{text}\"\n",
                    author(customer),
                    day(customer)
                )
            };
            let header = if has_ids {
                "id,author,rating,date,text\n"
            } else {
                "author,rating,date,text\n"
            };
            let lines: String = rows.iter().map(line).collect();
            let options = if has_ids { "--source Angi" } else { "" };
            (format!("{header}{lines}"), options)
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
                google(
                    1,
                    &format!("g{customer}"),
                    &json!({"starRating": stars, "comment": text(*customer, *version),
                    "createTime": format!("{}T12:00:00Z", day(customer)), "reviewer": {"displayName": author(customer)},
                    "updateTime": null}),
                )
            };
            let rows: Vec<Value> = rows.iter().map(row).collect();
            (page(&rows), "")
        }
    }
}

/// The reviews of a source, without their ids, which depend on what other sources have.
fn of_source(bench: &Bench, source: &str) -> String {
    let select = format!(
        "select rating, reviewed_on, author, title, text, status, source_name, response_text from review
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

/// What happens after the import of a file.
#[derive(Debug, Clone, Copy)]
enum Event {
    Nothing,
    /// The owner deletes the review of the file's first row.
    Delete,
    /// The file is imported again with `--restore`.
    Restore,
    /// The import is undone and done again. Only in the database of all sources.
    Undo,
    /// The source gets another name, and its own again. Only in the database of all sources.
    Rename,
    /// Another database imports an export, and takes over. Only in the database of all sources.
    Export,
    /// The owner gives a column of a review this value.
    Edit(&'static str),
}

fn any_event() -> impl Strategy<Value = Event> {
    prop_oneof![
        Just(Event::Nothing),
        Just(Event::Delete),
        Just(Event::Restore),
        Just(Event::Undo),
        Just(Event::Rename),
        Just(Event::Export),
        Just(Event::Edit("author = 'Somebody'")),
        Just(Event::Edit("text = 'The owner wrote this.'")),
        Just(Event::Edit("reviewed_on = '2026-09-01'")),
        Just(Event::Edit("rating = 6 - rating")),
    ]
}

/// All that is stored of reviews, without times and numbers of changes.
fn content(bench: &Bench) -> String {
    bench.sql("select review_id, rating, reviewed_on, author, title, text, status, source_name, response_text from review order by 1;
         select review_id, source_name, location, posted_at, said, same_author_and_day, same_content, same_text, id_at_source from review_source order by 1;
         select * from deleted_review order by 1;
         select review_id from review_change where not exists (select 1 from review as r where r.review_id = review_change.review_id)
           and is_undone = 0 order by 1",
    )
}

/// Imports the rows; their authors are of this source only, because copies of deleted reviews are withheld.
async fn import_own(bench: &Bench, source: usize, rows: &[AnyRow], restore: bool) -> ImportReport {
    let (content, options) = file_of(source, rows);
    let author = format!("{} of {} ", "Customer", SOURCES[source]);
    let file = bench.file("rows", content.replace("Customer ", &author));
    let restore = if restore { "--restore" } else { "" };
    bench.done(file, &format!("{options} {restore}")).await
}

async fn run_event(
    bench: &mut Bench,
    is_alone: bool,
    source: usize,
    rows: &[AnyRow],
    event: Event,
) {
    let name = SOURCES[source];
    let author = format!("Customer of {name} {}", rows[0].0);
    match event {
        Event::Delete => {
            let delete = format!("delete from review where author = '{author}'");
            bench.sql(&delete);
        }
        Event::Edit(edit) => {
            let update = format!("update review set {edit} where author = '{author}'");
            bench.sql(&update);
        }
        Event::Restore => {
            import_own(bench, source, rows, true).await;
        }
        Event::Nothing | Event::Undo => {}
        Event::Rename | Event::Export if is_alone => {}
        Event::Rename => {
            let before = content(bench);
            for (old, new) in [(name, "Elsewhere"), ("Elsewhere", name)] {
                rename_source(&bench.database, &bench.clock, old, new, None)
                    .await
                    .ok();
            }
            assert_eq!(content(bench), before);
        }
        Event::Export => {
            let lines = export(&bench.database, false).await;
            let other = self::bench().await;
            other.set_time_zone("UTC").await;
            if !lines.is_empty() {
                other.take(lines).await;
            }
            *bench = other;
        }
    }
}

#[test]
fn reviews_of_a_source_survive_undo_renames_and_exports() {
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &[57; 32]);
    let mut runner = TestRunner::new_with_rng(config_of(4), random);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runner
        .run(&vec((any_file(), any_event()), 2..8), |steps| {
            runtime.block_on(async {
                let mut all = bench().await;
                all.set_time_zone("UTC").await;
                for ((source, rows), event) in &steps {
                    let before = content(&all);
                    import_own(&all, *source, rows, false).await;
                    if let Event::Undo = event {
                        let after = content(&all);
                        undo(&all.database, &all.clock, None, false, false)
                            .await
                            .unwrap();
                        assert_eq!(content(&all), before, "{steps:?}");
                        import_own(&all, *source, rows, false).await;
                        assert_eq!(content(&all), after, "{steps:?}");
                    }
                    run_event(&mut all, false, *source, rows, *event).await;
                }
                for (source, name) in SOURCES.iter().enumerate() {
                    let mut alone = bench().await;
                    alone.set_time_zone("UTC").await;
                    let mut last = None;
                    for ((_, rows), event) in steps.iter().filter(|((own, _), _)| *own == source) {
                        import_own(&alone, source, rows, false).await;
                        run_event(&mut alone, true, source, rows, *event).await;
                        last = Some(rows);
                    }
                    assert_eq!(of_source(&all, name), of_source(&alone, name), "{steps:?}");
                    if let Some(rows) = last {
                        import_own(&all, source, rows, false).await;
                        let before = content(&all);
                        let report = import_own(&all, source, rows, false).await;
                        assert_eq!((report.new, report.updated), (0, 0), "{name} of {steps:?}");
                        assert_eq!(content(&all), before, "{name} of {steps:?}");
                    }
                }
            });
            Ok(())
        })
        .unwrap();
}

const SHEET: &str = "author,rating,date,text\nAnn Baker,5,2026-10-12,On time and tidy.\nBo Cole,4,2026-10-11,Fair price.\n\
    Cy Dale,5,2026-10-10,Great work.\n";

#[tokio::test]
async fn a_sheet_and_an_export_of_the_same_customers_stay_separate() {
    let bench = bench().await;
    bench.set_time_zone("UTC").await;
    let export = json!({"reviews": [
        {"id": "a1", "stars": 5, "text": "On time and tidy.", "createdAt": "2026-10-12T09:00:00Z", "consumer": {"displayName": "Ann Baker"}},
        {"id": "a2", "stars": 4, "text": "Fair price.", "createdAt": "2026-10-11T09:00:00Z", "consumer": {"displayName": "Bo Cole"}},
    ]}).to_string();
    bench.take(SHEET).await;
    let (report, _) = bench.take(&export).await;
    assert_eq!(
        (counts(&report), report.duplicates.count),
        ((2, 0, 0, 0), 2)
    );
    let texts = "select group_concat(source_name || ' ' || text, '; ') from (select * from review order by source_name, reviewed_on)";
    let expected = "Direct Great work.; Direct Fair price.; Direct On time and tidy.; Trustpilot Fair price.; Trustpilot On time and tidy.";
    for content in [SHEET, export.as_str(), SHEET, export.as_str()] {
        let (report, _) = bench.take(content).await;
        assert_eq!((report.new, report.updated), (0, 0));
        assert_eq!(bench.sql(texts), expected);
    }
    let message = summary(&report, false);
    assert_has(
        &message,
        "\n  Ann Baker, 2026-10-12: trustpilot-a1 of Trustpilot, table-",
    );
}

#[tokio::test]
async fn equal_ids_of_two_sources_get_the_source_as_prefix() {
    let bench = bench().await;
    let take = async |content: &str, options: &str| bench.csv(content, options).await;
    let direct =
        "id,author,rating,date,text\nq1,Ann,5,2026-10-12,Neat.\nq7,Bo,4,2026-10-11,Late.\n";
    let angi =
        "id,author,rating,date,text\nq1,Cy,1,2026-09-12,Never came.\nq7,Di,2,2026-09-11,Rude.\n";
    take(direct, "").await;
    assert_eq!(counts(&take(angi, "--source Angi").await), (2, 0, 0, 0));
    let ids = "select group_concat(review_id || ' ' || author, ', ') from (select * from review order by review_id)";
    let both = "angi-q1 Cy, angi-q7 Di, q1 Ann, q7 Bo";
    assert_eq!(bench.sql(ids), both);
    let newer = angi.replace("Rude.", "Rude and late.");
    assert_eq!(counts(&take(&newer, "--source Angi").await), (0, 1, 1, 0));
    assert_eq!(counts(&take(direct, "").await), (0, 0, 2, 0));
    assert_eq!(bench.find("angi-q7").await.unwrap().text, "Rude and late.");
    // A deleted review is the one of its source alone.
    bench.sql("delete from review where review_id = 'q1'");
    let report = take(direct, "").await;
    assert_eq!(
        (counts(&report), report.kept_deleted.count),
        ((0, 0, 1, 0), 1)
    );
    assert_eq!(counts(&take(&newer, "--source Angi").await), (0, 0, 2, 0));
    bench.sql("delete from review where review_id = 'angi-q1'");
    let report = take(&newer, "--source Angi").await;
    assert_eq!(
        (counts(&report), report.kept_deleted.count),
        ((0, 0, 1, 0), 1)
    );
}

#[tokio::test]
async fn a_source_in_another_case_is_the_stored_one() {
    let bench = bench().await;
    let take = async |source: &str| bench.csv(SHEET, &format!("--source '{source}'")).await;
    take("Café Finder").await;
    for source in ["café finder", "CAFÉ FINDER"] {
        let report = take(source).await;
        assert_eq!(counts(&report), (0, 0, 3, 0), "{source}");
        let note = format!("--source {source} is the source Café Finder");
        assert_eq!(report.notes, [note]);
    }
    // Accents make another name.
    let report = take("Cafe Finder").await;
    assert_eq!((counts(&report), report.notes.len()), ((3, 0, 0, 0), 0));
}

#[tokio::test]
async fn a_location_may_differ_in_case_and_blanks() {
    let bench = bench().await;
    let table = |locations: [&str; 3]| {
        let rows = (10..).zip(locations);
        let rows =
            rows.map(|(day, location)| format!("Ann,5,2026-10-{day},Good work {day},{location}\n"));
        format!(
            "author,rating,date,text,location\n{}",
            rows.collect::<String>()
        )
    };
    for (locations, counted) in [
        (["Phoenix", "Phoenix ", "phoenix"], (3, 0, 0, 0)),
        (["PHOENIX ", "phoenix", "Phoenix"], (0, 0, 3, 0)),
    ] {
        let (report, _) = bench.take(table(locations)).await;
        assert_eq!(counts(&report), counted);
    }
    let report = bench
        .csv(table(["Mesa", "phoenix", " MESA"]), "--location mesa")
        .await;
    assert_eq!(report.elsewhere, 1);
}

#[tokio::test]
async fn equal_ids_at_two_locations_of_a_source_are_two_reviews() {
    let bench = bench().await;
    let take = async |location: &str, author: &str| {
        let day = author.len();
        let row = format!("q1,{author},5,2026-10-{day:02},By {author}.,{location}");
        bench
            .take(format!("id,author,rating,date,text,location\n{row}\n"))
            .await
            .0
    };
    for new in [1, 0] {
        for (location, author) in [("Phoenix", "Ann"), ("Mesa", "Carl")] {
            let report = take(location, author).await;
            assert_eq!(counts(&report), (new, 0, 1 - new, 0), "{location}");
        }
    }
}

#[tokio::test]
async fn a_rename_is_advised_only_if_nearly_all_rows_are_there() {
    let bench = bench().await;
    let take = async |rows: &str, options: &str| {
        bench
            .csv(format!("author,rating,date,text\n{rows}"), options)
            .await
    };
    let sheet = SHEET.split_once('\n').unwrap().1;
    let others = "Di,5,2026-10-12,Good.\nEd,4,2026-10-11,Fine.\nFay,5,2026-10-10,Great.\n";
    take(sheet, "").await;
    // All rows of the sheet are among those of a source that is new.
    let report = take(&format!("{sheet}{others}"), "--source Yelp").await;
    let names = ("Direct".to_owned(), "Yelp".to_owned());
    assert_eq!(report.renamed.get(&names), Some(&3));
    // One customer wrote to both sources.
    let ann = sheet.split_inclusive('\n').next().unwrap();
    let report = take(&format!("{ann}{others}"), "--source Angi").await;
    assert_eq!((report.duplicates.count, report.renamed.len()), (4, 0));
    // A source that has reviews already gets no other name.
    let report = take(sheet, "--source Angi").await;
    assert_eq!(report.renamed.len(), 0);
}

const NAMED: &str = "--public-name Anonymous=No";
const ANONYMOUS: &str = "Date,Name,Stars,Comment,Anonymous\n2026-10-03,Ann Bell,5,On time and tidy,HIDDEN\n2026-10-02,Bo Cole,4,Fine,No\n";

#[tokio::test]
async fn a_name_hidden_after_a_rename_or_edit_makes_no_other_review() {
    for edited in ["On time and tidy", "On time and very tidy"] {
        let bench = bench().await;
        bench.csv(ANONYMOUS.replace("HIDDEN", "No"), NAMED).await;
        rename_source(&bench.database, &bench.clock, "Direct", "Own", None)
            .await
            .unwrap();
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

#[tokio::test]
async fn an_empty_cell_takes_nothing_from_a_review_of_another_format() {
    let bench = bench().await;
    bench.set_time_zone("UTC").await;
    let reply = json!({"comment": "Thanks Ann", "updateTime": "2026-10-05T10:00:00Z"});
    let export = page(&[
        google(1, "a", &json!({"comment": "On time", "reviewReply": reply})),
        google(
            1,
            "b",
            &json!({"comment": null, "reviewer": {"displayName": "Cy Low"}}),
        ),
    ]);
    bench.take(&export).await;
    let rows = "select review_id, author, reviewed_on, rating, text from review order by 1";
    let rows = bench.sql(rows);
    let cells: Vec<String> = rows
        .lines()
        .map(|row| row.split('|').skip(1).collect::<Vec<_>>().join(","))
        .collect();
    let sheet = format!(
        "Name,Date,Rating,Review,Reply,Source\n{},,Google\n",
        cells.join(",,Google\n")
    );
    for content in [sheet.as_str(), &export] {
        let (report, _) = bench.take(content).await;
        assert_eq!(counts(&report), (0, 0, 2, 0), "{content}");
    }
}

#[tokio::test]
async fn a_scheduled_source_follows_a_rename() {
    let bench = bench().await;
    bench.take(SHEET).await;
    let path = bench.database.path();
    sqlite3(
        path,
        r#"insert into sync_source (name, url, options) values
             ('named', 'https://a.example/1', '{"partial":true,"import":["--scale=10","--source=direct"]}'),
             ('plain', 'https://a.example/2', '{}'), ('other', 'https://a.example/3', '{"import":["--source=Yelp"]}');
           insert into sync_review (name, review_id) select 'plain', review_id from review"#,
    );
    rename_source(&bench.database, &bench.clock, "Direct", "Angi", None)
        .await
        .unwrap();
    assert_eq!(
        sqlite3(path, "select options from sync_source order by name"),
        r#"{"partial":true,"import":["--scale=10","--source=Angi"]}
{"import":["--source=Yelp"]}
{"import":["--source=Angi"]}"#
    );
}
