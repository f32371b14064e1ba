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

impl Bench {
    /// What must be decided about a file with these options; nothing may have changed.
    async fn asked_of(&self, file: PathBuf, options: &str) -> Vec<Question> {
        let before = self.sql("select count(*) from review; select count(*) from source_column");
        let asked = match self.run(&request_for([file], options)).await.0 {
            Err(ImportError::Undecided(undecided)) => undecided.questions,
            other => panic!("nothing is asked: {other:?}"),
        };
        let after = self.sql("select count(*) from review; select count(*) from source_column");
        assert_eq!(before, after);
        asked
    }
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

#[test]
fn members_of_any_json_that_nobody_decided_are_a_question() {
    for_all(30, &any_columns(), async |others| {
        let bench = bench().await;
        let row = |row: usize| -> Value {
            let columns = needed().into_iter().chain(others.clone());
            columns
                .map(|(header, cells)| (header, json!(cells[row])))
                .collect()
        };
        let rows = json!((0..ROWS).map(row).collect::<Vec<_>>()).to_string();
        let asked = bench.asked(&rows, "--map text=Review").await.questions;
        let headers = others.into_iter().map(|(header, _)| header);
        assert_eq!(sorted(asked), sorted(vec![public(headers)]), "{rows}");
    });
}

#[tokio::test]
async fn no_member_of_json_is_passed_over_in_silence() {
    let row = || json!({"rating": 5, "date": "2026-03-14", "author": "Ann", "text": "Neat"});
    let mut documents = Vec::new();
    for depth in 1..8 {
        let mut row = row();
        row["a"] = (0..depth).fold(json!("yes"), |inner, _| json!({"a": inner}));
        documents.push((format!("{depth} deep"), json!([row])));
    }
    let mut passed_over = Vec::new();
    for (what, document) in documents {
        let bench = bench().await;
        let file = bench.file("t.json", document.to_string());
        if bench.run(&request_for([file], "")).await.0.is_ok() {
            passed_over.push(what);
        }
    }
    assert_eq!(passed_over, [] as [String; 0]);
    let around = json!({"places": [{"state": {"hidden": true}, "reviews": [row(), row()]}]});
    let asked = bench().await.asked(around.to_string(), "").await;
    assert_eq!(asked.questions, [public(["^.state.hidden".to_owned()])]);
    let mut wide = row();
    let others: Vec<String> = (3_000..5_000).map(|number| format!("z{number}")).collect();
    for name in &others {
        wide[name] = json!("yes");
    }
    let refusal = bench().await.refusal(json!([wide]).to_string()).await;
    assert_has(&refusal, "more than 2,000 different members");
}

#[tokio::test]
async fn options_name_headers_in_any_spelling() {
    let columns = |header: &str, rows: [usize; 2]| {
        let mut columns = needed();
        columns.push((header.to_owned(), vec!["x".to_owned(); ROWS]));
        for (_, cells) in &mut columns {
            *cells = rows.map(|row| cells[row].clone()).to_vec();
        }
        csv(&columns, 2)
    };
    let bench = bench().await;
    let one = bench.file("one.csv", columns("Order No.", [0, 1]));
    let two = bench.file("two.csv", columns("Order No.", [2, 3]));
    // The header is kept after the first time, and in both files the second time.
    for (files, new) in [
        (vec![one.clone()], 2),
        (vec![one.clone()], 0),
        (vec![one, two], 2),
    ] {
        let request = request_for(files, "--map text=review --ignore 'order no'");
        let report = bench.run(&request).await.0;
        assert_eq!(
            report.map(|report| report.new).map_err(|it| it.to_string()),
            Ok(new)
        );
    }
}

#[test]
fn what_is_kept_is_never_asked_again() {
    for_all(24, &any_columns(), async |others| {
        let bench = bench().await;
        let columns = [needed(), others.clone()].concat();
        let mut options = "--map text=Review".to_owned();
        let value_of = |cell: &String| cell.trim().to_lowercase();
        for (number, (header, cells)) in others.iter().enumerate() {
            let value = value_of(&cells[0]);
            let (option, answer) = match number {
                0 => ("--public", format!("{header}={value}")),
                1 => ("--public-name", format!("{header}=*")),
                _ => ("--ignore", header.clone()),
            };
            options += &format!(" {option} {}", shlex::try_quote(&answer).unwrap());
        }
        let first = bench.csv(csv(&columns, 3), &options).await;
        assert_eq!(counts(&first), (3, 0, 0, 0), "{options}");
        let again = bench.csv(csv(&columns, 3), "").await;
        assert_eq!(counts(&again), (0, 0, 3, 0), "{options}");
        let more = bench.csv(csv(&columns, ROWS), "").await;
        assert_eq!(counts(&more), (1, 0, 3, 0), "{options}");
        let cells = &others[0].1;
        let hidden = cells
            .iter()
            .filter(|cell| value_of(cell) != value_of(&cells[0]));
        let withheld = "select count(*) from review where status = 'withheld'";
        assert_eq!(
            bench.sql(withheld),
            hidden.count().to_string(),
            "{options}: {others:?}"
        );
    });
}

#[test]
fn the_order_of_columns_changes_no_decision_and_no_question() {
    let tables = any_columns().prop_flat_map(|others| {
        let columns = [needed(), others].concat();
        (Just(columns.clone()), Just(columns).prop_shuffle())
    });
    for_all(24, &tables, async |(columns, shuffled)| {
        let bench = bench().await;
        let asked = bench.asked(csv(&columns, ROWS), "").await.questions;
        let other = bench.asked(csv(&shuffled, ROWS), "").await.questions;
        assert_eq!(sorted(asked), sorted(other), "{shuffled:?}");
        let options = "--map text=Review --ignore-others";
        bench.csv(csv(&columns, ROWS), options).await;
        let kept =
            "select header, field, decided_by, public_values from source_column order by 1, 2";
        let before = bench.sql(kept);
        assert_eq!(
            counts(&bench.csv(csv(&shuffled, ROWS), "").await),
            (0, 0, 4, 0)
        );
        assert_eq!(bench.sql(kept), before);
        let second = super::bench().await;
        second.csv(csv(&shuffled, ROWS), options).await;
        assert_eq!(second.sql(kept), before, "{shuffled:?}");
    });
}

/// A cell for a field, and how the field is then stored.
fn sample(field: &str) -> (&'static str, &'static str, &'static str) {
    match field {
        "id" => ("k-7", "review_id", "k-7"),
        "rating" => ("3", "rating", "3"),
        "date" => ("2026-03-01", "reviewed_on", "2026-03-01"),
        "author" | "first_name" | "last_name" => ("Zoe", "author", "Zoe"),
        "title" => ("Tidy", "title", "Tidy"),
        "text" => ("Quick work", "text", "Quick work"),
        "language" => ("es", "language", "es"),
        "source_name" => ("Angi", "source_name", "Angi"),
        "url" => ("https://a.example/1", "source_url", "https://a.example/1"),
        "location" => ("Mesa", "(select location from review_source)", "Mesa"),
        "response_text" => ("Thank you", "response_text", "Thank you"),
        "response_date" => ("2026-03-05", "response_on", "2026-03-05"),
        "response_author" => ("Kim", "response_author", "Kim"),
        "technicians" | "services" | "service_areas" => {
            ("Art B", "(select value from mention)", "Art B")
        }
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn every_exact_name_alone_fills_its_field() {
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
        let (cell, column, stored) = sample(field);
        let part = match &**field {
            "first_name" | "last_name" => "author",
            "response_text" => "response.text",
            field => field,
        };
        // The answer's text is needed for its other parts.
        let others = base.iter().filter(|(other, _)| {
            *other != part && (*other != "response.text" || field.starts_with("response"))
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
        assert_eq!(found, stored, "{field}");
    }
}

#[tokio::test]
async fn two_names_of_one_field_are_a_question() {
    for (header, at, field) in [
        ("Rating", 0, ReviewField::Rating),
        ("Posted on", 1, ReviewField::Date),
        ("Customer", 2, ReviewField::Author),
        ("Comment", 3, ReviewField::Text),
    ] {
        let mut columns = needed();
        let fitting = vec![columns[at].0.clone(), header.to_owned()];
        columns.push((header.to_owned(), columns[at].1.clone()));
        let asked = bench().await.asked(csv(&columns, ROWS), "").await.questions;
        let is_proposed = false;
        let expected = Question::new(Asks::Field { field, is_proposed }, fitting);
        assert!(asked.contains(&expected), "{asked:?}");
        // Without any, too.
        let mut columns = needed();
        columns.remove(at);
        let asked = bench().await.asked(csv(&columns, ROWS), "").await.questions;
        let expected = Question::new(Asks::Field { field, is_proposed }, Vec::new());
        assert_eq!(asked, [expected]);
    }
}

/// Fixtures of platforms as tables, by their folders; all but those of no platform.
fn platform_tables() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for folder in ["exports", "imports"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/fixtures")
            .join(folder);
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let is_csv = path.extension().is_some_and(|it| it == "csv");
            if let Some(text) = fs::read_to_string(&path).ok().filter(|_| is_csv) {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                found.push((name, text.trim_start_matches('\u{feff}').to_owned()));
            }
        }
    }
    found.sort_unstable();
    found
}

#[tokio::test]
async fn a_further_column_of_a_platform_is_the_only_question() {
    let mut asked_of = 0;
    for (name, text) in platform_tables() {
        let bench = bench().await;
        bench.set_time_zone("America/Phoenix").await;
        let Ok(report) = bench
            .run(&request_for([bench.file(&name, &text)], ""))
            .await
            .0
        else {
            continue;
        };
        if report.files[0].format == "table" {
            continue;
        }
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(text.as_bytes());
        let mut wide = csv::Writer::from_writer(Vec::new());
        for (number, row) in reader.records().enumerate() {
            let mut row = row.unwrap();
            row.push_field(if number == 0 { "On our site" } else { "no" });
            wide.write_record(&row).unwrap();
        }
        let file = bench.file("wide.csv", wide.into_inner().unwrap());
        let asked = bench.asked_of(file, "").await;
        assert_eq!(asked, [public(["On our site".to_owned()])], "{name}");
        asked_of += 1;
    }
    assert_eq!(asked_of, 24, "the fixtures of platforms");
}

#[tokio::test]
async fn flags_around_the_list_and_its_name_are_decided_once() {
    let row = json!({"rating": 5, "date": "2026-03-14", "author": "Ann", "text": "Neat"});
    for (document, column) in [
        (
            json!({"next": "x", "published": false, "reviews": [row]}),
            "^.published",
        ),
        (
            json!({"data": {"hidden": true, "items": [row]}}),
            "^.data.hidden",
        ),
        (json!({"rejected": [row]}), "name of the list"),
        (
            json!({"data": {"drafts": [{"a": 1, "reviews": [row]}]}}),
            "name of the list",
        ),
        (
            json!({"Rejected": [native(&json!({}))]}),
            "name of the list",
        ),
        // Also around rows in our own form.
        (
            json!({"data": {"published": false, "reviews": [native(&json!({}))]}}),
            "^.data.published",
        ),
        (
            json!({"pages": [{"published": false, "reviews": [native(&json!({}))]}]}),
            "^.published",
        ),
        (
            json!([{"published": false, "reviews": [native(&json!({}))]}]),
            "^.published",
        ),
    ] {
        let bench = bench().await;
        let file = bench.file("t.json", document.to_string());
        let asked = bench.asked_of(file, "").await;
        let mut columns = asked.iter().flat_map(|question| &question.columns);
        assert!(columns.any(|it| it == column), "{document}: {asked:?}");
    }
    let document = json!({"count": 1, "published": false, "results": [row]}).to_string();
    let bench = bench().await;
    let hidden = bench.file("t.json", &document);
    let shown = bench.file("u.json", document.replace("false", "true"));
    let note = "members of the document beside its reviews, which are not read: count";
    for (file, options, status) in [
        (&hidden, "--public ^.published=true", "withheld"),
        (&hidden, "", "withheld"),
        (&shown, "", "published"),
    ] {
        let report = bench.done(file.clone(), options).await;
        assert_eq!(report.notes, [note]);
        assert_eq!(bench.sql("select status from review"), status);
    }
}

#[tokio::test]
async fn an_object_or_a_list_is_no_empty_mark() {
    let row = |author: &str, hidden: Value| json!({"stars": 5, "date": "2026-03-14", "author": author, "text": format!("By {author}"), "hidden": hidden});
    let bench = bench().await;
    for (name, mark) in [
        ("Bo", json!({"by": [{"user": "x"}]})),
        ("Cy", json!([{"by": "x"}])),
        ("Di", json!({"by": "x"})),
    ] {
        let rows = json!([row("Ann", json!("")), row(name, mark)]);
        let file = bench.file("t.json", rows.to_string());
        bench.done(file, "--public hidden= --ignore-others").await;
    }
    let published = "select group_concat(author) from review where status = 'published'";
    assert_eq!(bench.sql(published), "Ann");
}
