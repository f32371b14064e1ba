//! An import that is stopped while it reads or merges.

use std::cell::Cell;

use reviews_service::imports::{ImportError, Watch, import};
use serde_json::json;

use super::tables::{cells, open_document, workbook_of_sheets};
use super::{bench, request_for, zipped};

/// Stops an import when it looks for the stop after `looks` times.
struct Stopper {
    looks: Cell<u32>,
}

impl Watch for Stopper {
    fn is_stopped(&self) -> bool {
        let left = self.looks.get().checked_sub(1);
        self.looks.set(left.unwrap_or(0));
        left.is_none()
    }
}

const ROWS: u32 = 600;

fn rows(row: impl Fn(u32) -> String) -> String {
    (0..ROWS).map(row).collect()
}

/// A file of each kind, with its name, the format by which it is read, and how often each row must be looked at at least: when it is read,
/// when its cells are, and when it is merged.
fn files() -> Vec<(&'static str, Vec<u8>, &'static str, u32)> {
    const ALL: &str = "format: ignored = '*'";
    let object = |row| json!({"stars": 5, "date": "2026-10-30", "author": format!("Ann {row}"), "review": "Good work."});
    let list: Vec<_> = (0..ROWS).map(object).collect();
    let csv = |blank: &str| {
        "Rating,Date,Author,Review\n".to_owned()
            + &rows(|row| format!("{blank}5,2026-10-30,Ann {row},Good work.\n"))
    };
    let names: Vec<String> = (0..ROWS).map(|row| format!("Ann {row}")).collect();
    let mut sheet: Vec<[&str; 4]> = vec![["Rating", "Date", "Author", "Review"]];
    sheet.extend(
        names
            .iter()
            .map(|name| ["#5", "2026-10-30", name, "Good work."]),
    );
    let sheet: Vec<&[&str]> = sheet.iter().map(|row| &row[..]).collect();
    let excel = workbook_of_sheets([("~", "<sheetData/>"), ("Reviews", &cells(&sheet))]);
    let cell = |text: &&str| {
        let text = text.trim_start_matches('#');
        format!("<table:table-cell><text:p>{text}</text:p></table:table-cell>")
    };
    let row = |row: &&[&str]| {
        let cells: String = row.iter().map(cell).collect();
        format!("<table:table-row>{cells}</table:table-row>")
    };
    let open = open_document(&sheet.iter().map(row).collect::<String>());
    let review = |row: &u32| {
        json!({"@type": "Review", "datePublished": "2026-10-30", "author": format!("Ann {row}"), "reviewBody": "Good work.",
            "reviewRating": {"ratingValue": 5}})
    };
    let reviews: Vec<_> = (0..ROWS).collect::<Vec<_>>().iter().map(review).collect();
    let firm = json!({"@context": "https://schema.org", "@type": "Plumber", "name": "N".repeat(100_000), "review": reviews});
    let page = format!("<html><script type=\"application/ld+json\">{firm}</script></html>");
    let native = rows(|row| {
        let row = json!({"id": format!("n-{row}"), "rating": 5, "date": "2026-10-30", "author": "Ann", "text": "Good work."});
        format!("{row}\n")
    });
    let rejected = rows(|_| "{\"rating\": 9}\n".to_owned()) + &native;
    vec![
        (
            "lines.jsonl",
            rows(|it| format!("{}\n", object(it))).into(),
            ALL,
            3,
        ),
        ("table.csv", csv("").into(), ALL, 3),
        ("blank.csv", csv(",,,\n").into(), ALL, 4),
        (
            "list.json",
            json!([{"place": "P", "reviews": list}]).to_string().into(),
            ALL,
            3,
        ),
        ("book.xlsx", excel, ALL, 3),
        ("book.ods", open, ALL, 3),
        ("page.html", page.into(), "", 3),
        ("native.jsonl", native.into(), "", 3),
        ("rejected.jsonl", rejected.into(), "", 5),
        ("archive.zip", zipped(&[("table.csv", &csv(""))]), ALL, 3),
    ]
}

#[tokio::test]
async fn an_import_that_is_stopped_changes_nothing() {
    for (name, content, format, stages) in files() {
        let bench = bench().await;
        let request = request_for([bench.file(name, content)], format);
        let run = async |looks: u32| {
            let mut stopper = Stopper {
                looks: Cell::new(looks),
            };
            let done = import(&bench.database, &bench.clock, &request, &mut stopper).await;
            (done, looks - stopper.looks.get())
        };
        let mut looks = 0;
        while let Err(error) = run(looks).await.0 {
            assert!(matches!(error, ImportError::Stopped), "{name}: {error}");
            assert_eq!(bench.sql("select count(*) from review"), "0", "{name}");
            looks += 1;
        }
        assert!(looks >= stages * ROWS / 256, "{name}: {looks}");
        assert_eq!(bench.sql("select count(*) from review"), ROWS.to_string());
    }
}
