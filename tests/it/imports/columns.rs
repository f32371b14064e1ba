//! Which columns fill a field, and which are asked about: by exact names and the owner's word alone, whatever cells they have.

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use reviews_service::imports::ReviewField;

use super::*;
use crate::support::Generator;

/// A column: its header, and a cell for each row.
type Column = (String, Vec<String>);

const ROWS: usize = 4;

/// The columns that every review has.
fn needed() -> Vec<Column> {
    let column =
        |header: &str, cells: [&str; ROWS]| (header.to_owned(), cells.map(str::to_owned).to_vec());
    vec![
        column("Stars", ["5", "4", "2", "5"]),
        column(
            "Date",
            ["2026-03-14", "2026-03-15", "2026-03-16", "2026-03-17"],
        ),
        column("Name", ["Ann", "Bo", "Cy", "Di"]),
        column("Review", ["Neat", "Good", "Late", "Fair"]),
    ]
}

fn quoted(cell: &str) -> String {
    format!("\"{}\"", cell.replace('"', "\"\""))
}

fn csv(columns: &[Column], rows: usize) -> String {
    let line = |cells: &mut dyn Iterator<Item = &String>| {
        let cells: Vec<String> = cells.map(|cell| quoted(cell)).collect();
        cells.join(",") + "\n"
    };
    let header = line(&mut columns.iter().map(|(header, _)| header));
    let rows = (0..rows).map(|row| line(&mut columns.iter().map(|(_, cells)| &cells[row])));
    header + &rows.collect::<String>()
}

/// Beginnings, middles and ends of headers; none makes an exact name.
const BEGIN: &str = "Publish|OK to publish|Status|Approved|Hidden|For web|Freigabe|Webseite|Veröffentlicht|Publié|En ligne|Aprobada|Pubblicato|\
    Zveřejnit|Zgoda|Опубликовано|Δημοσίευση|Yayında|公開|掲載可否|是否公开|공개|نشر|מפורסם|प्रकाशित|เผยแพร่|Order|City|Total|Branch|Private|\
    Anonymous|Deleted|E-mail|Phone|Notes|Remark|Consent|Visible|Show|xq|π|№|Q7";
const END: &str = "at|on?|(Y/N)|flag|state|id 2|_x|(internal)| 公|!|code|of it";
const CELLS: &str = "yes|no|Yes|No|Y|N|x|1|0|true|false|TRUE|ja|nein|oui|non|да|нет|はい|いいえ|نعم|published|draft|spam|approved|pending|Mesa|A-17|\
    ann@example.com|+1 602 555 0188|https://a.example/1|=1+1|\"quoted\"|a;b|🙂|DO NOT POST|call them back about the invoice|\
    They fixed the heater and left no dirt|two\nlines|2026-03-20|20.03.2026|2026-03-20T10:00:00Z|9|100|5|3.5|90%|-|N/A|null| blank |#REF!";

/// A column that is no field, of any script and with cells of any kind. A header that is a date or an address would be no header.
fn any_column() -> impl Strategy<Value = Column> {
    let words = |list: &'static str| prop::sample::select(list.split('|').collect::<Vec<_>>());
    let header = (words(BEGIN), words(END)).prop_map(|(begin, end)| format!("{begin} {end}"));
    let kinds = prop::collection::vec(prop_oneof![4 => words(CELLS), 1 => Just("")], 1..4);
    (header, kinds, any::<u64>()).prop_map(|(header, kinds, seed)| {
        let mut dice = Generator::new(seed);
        let cells = (0..ROWS).map(|_| kinds[dice.below(kinds.len())].to_owned());
        (header, cells.collect())
    })
}

/// A few such columns, with different headers.
fn any_columns() -> impl Strategy<Value = Vec<Column>> {
    prop::collection::vec(any_column(), 1..4).prop_map(|mut columns| {
        let mut keys = std::collections::HashSet::new();
        columns.retain(|(header, _)| keys.insert(reviews_service::imports::header_key(header)));
        columns
    })
}

/// Runs `law` for values of `strategy`, the same ones each time.
fn for_all<S: Strategy>(cases: usize, strategy: &S, law: impl AsyncFn(S::Value)) {
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &[78; 32]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    TestRunner::new_with_rng(config_of(cases), random)
        .run(strategy, |value| {
            runtime.block_on(law(value));
            Ok(())
        })
        .unwrap();
}

fn public(headers: impl IntoIterator<Item = String>) -> Question {
    Question::new(Asks::Public, headers.into_iter().collect())
}

/// The questions in any order of columns.
fn sorted(mut questions: Vec<Question>) -> Vec<String> {
    for question in &mut questions {
        question.columns.sort_unstable();
    }
    let mut shown: Vec<String> = questions.iter().map(|it| format!("{it:?}")).collect();
    shown.sort_unstable();
    shown
}

#[test]
fn a_column_that_nobody_decided_is_a_question() {
    for_all(60, &any_columns(), async |others| {
        let bench = bench().await;
        let table = csv(&[needed(), others.clone()].concat(), ROWS);
        let headers: Vec<String> = others.into_iter().map(|(header, _)| header).collect();
        let asked = bench.asked(&table, "").await.questions;
        assert!(
            asked.contains(&public(headers.clone())),
            "{asked:?}: {table}"
        );
        // Besides, at most which column is the text.
        let is_other = |it: &&Question| {
            let is_text = matches!(
                it.asks,
                Asks::Field {
                    field: ReviewField::Text,
                    ..
                }
            );
            !is_text && it.asks != Asks::Public
        };
        assert_eq!(asked.iter().find(is_other), None, "{table}");
        // One that is decided is no question, and the others are.
        let (decided, open) = headers.split_first().unwrap();
        let ignored = format!(
            "--ignore {} --map text=Review",
            shlex::try_quote(decided).unwrap()
        );
        if open.is_empty() {
            assert_eq!(bench.csv(&table, &ignored).await.new, 4, "{table}");
        } else {
            let asked = bench.asked(&table, &ignored).await.questions;
            assert_eq!(asked, [public(open.to_vec())], "{table}");
        }
    });
}

#[tokio::test]
async fn no_member_of_json_is_passed_over_in_silence() {
    let row = json!({"rating": 5, "date": "2026-03-14", "author": "Ann", "text": "Neat"});
    for depth in 1..8 {
        let mut row = row.clone();
        row["a"] = (0..depth).fold(json!("yes"), |inner, _| json!({"a": inner}));
        bench().await.asked(json!([row]).to_string(), "").await;
    }
    let mut wide = row.clone();
    for number in 3_000..5_000 {
        wide[format!("z{number}")] = json!("yes");
    }
    let refusal = bench().await.refusal(json!([wide]).to_string()).await;
    assert_has(&refusal, "more than 2,000 different members");
}

#[test]
fn a_kept_decision_holds_for_later_files_and_any_column_order() {
    // An error of a spreadsheet would reject the row, in a column that is read.
    let is_read = |others: &Vec<Column>| !csv(others, ROWS).contains("#REF!");
    let others = any_columns().prop_filter("errors of spreadsheets", is_read);
    let tables = others.prop_flat_map(|others| {
        let columns = [needed(), others.clone()].concat();
        (Just(others), Just(columns).prop_shuffle())
    });
    let value_of = |cell: &String| cell.trim().to_lowercase();
    for_all(24, &tables, async |(others, shuffled)| {
        let [bench, other] = [bench().await, bench().await];
        let columns = [needed(), others.clone()].concat();
        let asked = bench.asked(csv(&columns, ROWS), "").await.questions;
        let asked_other = other.asked(csv(&shuffled, ROWS), "").await.questions;
        assert_eq!(sorted(asked), sorted(asked_other), "{shuffled:?}");
        let mut options = "--map text=Review".to_owned();
        for (number, (header, cells)) in others.iter().enumerate() {
            let (option, answer) = match number {
                0 => ("--public", format!("{header}={}", value_of(&cells[0]))),
                1 => ("--public-name", format!("{header}=*")),
                _ => ("--ignore", header.clone()),
            };
            options += &format!(" {option} {}", shlex::try_quote(&answer).unwrap());
        }
        for (table, options, expected) in [
            (csv(&columns, 3), &*options, (3, 0, 0, 0)),
            (csv(&columns, 3), "", (0, 0, 3, 0)),
            (csv(&shuffled, ROWS), "", (1, 0, 3, 0)),
        ] {
            let report = bench.csv(table, options).await;
            assert_eq!(counts(&report), expected, "{options}: {shuffled:?}");
        }
        other.csv(csv(&shuffled, ROWS), &options).await;
        let kept =
            "select header, field, decided_by, public_values from source_column order by 1, 2";
        assert_eq!(other.sql(kept), bench.sql(kept), "{shuffled:?}");
        let shown = value_of(&others[0].1[0]);
        let hidden = others[0].1.iter().filter(|cell| value_of(cell) != shown);
        let hidden = hidden.count().to_string();
        let withheld = "select count(*) from review where status = 'withheld'";
        assert_eq!(bench.sql(withheld), hidden, "{options}: {others:?}");
    });
}

/// A cell for a field, and the column in which it is stored.
fn sample(field: &str) -> (&'static str, &'static str) {
    match field {
        "id" => ("k-7", "review_id"),
        "rating" => ("3", "rating"),
        "date" => ("2026-03-01", "reviewed_on"),
        "author" | "first_name" | "last_name" => ("Zoe", "author"),
        "title" => ("Tidy", "title"),
        "text" => ("Quick work", "text"),
        "language" => ("es", "language"),
        "source_name" => ("Angi", "source_name"),
        "url" => ("https://a.example/1", "source_url"),
        "reply_text" => ("Thank you", "reply_text"),
        "reply_date" => ("2026-03-05", "reply_on"),
        "reply_author" => ("Kim", "reply_author"),
        _ => ("Art B", "(select value from mention)"),
    }
}

#[tokio::test]
async fn every_exact_name_alone_fills_a_field() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/imports/map/names.toml");
    let lists: std::collections::BTreeMap<String, String> =
        toml::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let base = [
        ("rating", "5"),
        ("date", "2026-03-14"),
        ("author", "Ann"),
        ("text", "Neat"),
        ("response.text", "Thanks"),
    ];
    for (field, list) in &lists {
        let (cell, column) = sample(field);
        let part = match &**field {
            "first_name" | "last_name" => "author",
            "reply_text" => "response.text",
            field => field,
        };
        // The answer's text is needed for its other parts.
        let others = base.iter().filter(|(other, _)| {
            *other != part && (*other != "response.text" || field.starts_with("reply"))
        });
        let others: Vec<Column> = others
            .map(|(header, cell)| ((*header).to_owned(), vec![(*cell).to_owned()]))
            .collect();
        let bench = bench().await;
        let mut taken = String::new();
        for name in list.split(", ") {
            let own = (name.to_owned(), vec![cell.to_owned()]);
            taken = csv(&[&[own], &others[..]].concat(), 1);
            let request = request_for([bench.file("t.csv", &taken)], "--dry-run");
            let (report, watch) = bench.watch(&request).await;
            assert_eq!(counts(&report.unwrap()), (1, 0, 0, 0), "{field}: {name}");
            let mut columns = watch.tables[0].columns.iter();
            let own = columns.find(|column| column.header == name).unwrap();
            let reads = own.reads.as_deref();
            assert_ne!(reads, Some("not used"), "{field}: {name}");
        }
        let found = found(&taken, "", &format!("select {column} from review")).await;
        assert_eq!(found, cell, "{field}");
    }
}

#[tokio::test]
async fn two_names_of_one_field_or_none_are_a_question() {
    for (header, at, field) in [
        ("Rating", 0, ReviewField::Rating),
        ("Posted on", 1, ReviewField::Date),
        ("Customer", 2, ReviewField::Author),
        ("Comment", 3, ReviewField::Text),
    ] {
        let mut columns = needed();
        let (name, cells) = columns.remove(at);
        let asked_of = |columns: &[Column], fitting: Vec<String>| {
            let asks = Asks::Field {
                field,
                is_proposed: false,
            };
            (csv(columns, ROWS), Question::new(asks, fitting))
        };
        let none = asked_of(&columns, Vec::new());
        columns.insert(at, (name.clone(), cells.clone()));
        columns.push((header.to_owned(), cells));
        for (table, expected) in [none, asked_of(&columns, vec![name, header.to_owned()])] {
            let asked = bench().await.asked(table, "").await.questions;
            assert!(asked.contains(&expected), "{asked:?}");
        }
    }
}

#[tokio::test]
async fn a_further_column_of_a_platform_is_the_only_question() {
    let mut asked_of = 0;
    for (name, content) in fixtures() {
        let bench = bench_in_phoenix().await;
        let request = request_for([bench.file(&name, &content)], "--dry-run");
        let report = bench.run(&request).await.0;
        let is_platform = report.is_ok_and(|report| report.files[0].format != "table");
        // One is in another encoding.
        let text = String::from_utf8(content).unwrap_or_default();
        if !is_platform || !name.ends_with(".csv") || text.is_empty() {
            continue;
        }
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(text.trim_start_matches('\u{feff}').as_bytes());
        let mut wide = csv::Writer::from_writer(Vec::new());
        for (number, row) in reader.records().enumerate() {
            let mut row = row.unwrap();
            row.push_field(if number == 0 { "On our site" } else { "no" });
            wide.write_record(&row).unwrap();
        }
        let asked = bench.asked(wide.into_inner().unwrap(), "").await.questions;
        assert_eq!(asked, [public(["On our site".to_owned()])], "{name}");
        asked_of += 1;
    }
    assert_eq!(asked_of, 24, "the fixtures of platforms");
}

#[tokio::test]
async fn only_ids_without_a_gap_count_the_rows() {
    for [ids, is_asked] in table(
        "
            1, 2, 3 → true
            2, 3, 4 → true
            0, 1, 2 → true
            1.0, 2.0, 3.0 → true
            001, 002, 003 → true
            1, 3, 4 → false
            7, 8, 9 → false
            q1, q2, q3 → false
            30, 20, 10 → false
        ",
    ) {
        let row = |(number, id): (usize, &str)| {
            format!("{id},Author {number},5,2025-06-1{number},Text number {number}\n")
        };
        let rows: String = ids.split(", ").enumerate().map(row).collect();
        let bench = bench().await;
        let file = bench.file("rows.csv", format!("Id,author,Rating,date,text\n{rows}"));
        let (report, _) = bench.run(&request_for([file], "")).await;
        assert_eq!(report.is_err(), is_asked == "true", "{ids:?}");
    }
}
