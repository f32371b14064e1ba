//! An export imported into an empty database makes the same rows, of which every document is made, and exports the same again.

use std::mem;

use reviews_service::imports::native::{Export, columns_of_table};
use reviews_service::storage::columns::KeptColumns;

use super::sources::values;
use super::*;
use crate::support::{Generator, TestApp};

/// The whole database as `reviews export` writes it.
pub(super) async fn export(database: &Database, is_table: bool) -> Vec<u8> {
    let mut reader = database.readers().begin().await.unwrap();
    let mut export = Export::default();
    let mut table = csv::Writer::from_writer(Vec::new());
    let mut lines = Vec::new();
    table.write_record(columns_of_table()).unwrap();
    let mut columns = KeptColumns::load(&mut reader).await.unwrap();
    while let Some(rows) = export.next(&mut reader).await.unwrap() {
        for row in rows {
            table
                .write_record(row.cells(&mem::take(&mut columns)))
                .unwrap();
            lines.extend(format!("{}\n", row.json()).into_bytes());
        }
    }
    if is_table {
        table.into_inner().unwrap()
    } else {
        lines
    }
}

/// What the owner may do to the reviews of a generator.
const CHANGES: &str = r#"
    update review set status = 'withheld', withheld_reason = 'under dispute' where review_id glob '*1';
    update review set status = 'withheld', withheld_reason = null, verification = null where review_id glob '*2';
    update review set text = 'Will Grant cleaned the drain in Mesa, twice: "great"; then; he left.' where review_id glob '*3';
    update review set title = 'Line one' || char(10) || 'line two', language = 'es-MX' where review_id glob '*4';
    update review set reply_text = 'Thanks; really', reply_on = '2026-11-19', reply_author = 'The owner' where review_id glob '*5';
    update review set source_name = 'Yelp', source_url = 'https://yelp.example/1' where review_id glob '*6';
    update review set verification = 'job_match', verified_at = '2026-11-19T10:00:00.500Z' where review_id glob '*7';
    insert or ignore into mention select review_id, 'technician', 'Will Grant' from review where review_id glob '*8';
    insert or ignore into mention select review_id, 'service', value from review, json_each(json_array('Drains; sewers', 'Pipes'))
      where review_id glob '*1' or review_id glob '*2';
    insert or ignore into mention select review_id, 'service_area', json_array('Mesa') from review where review_id glob '*3';
    delete from review where review_id glob '*9';
    insert into review (review_id, rating, reviewed_on) values ('bare', 4, '2026-11-18')
"#;

#[tokio::test]
async fn an_imported_export_makes_the_same_rows_and_the_same_export() {
    for (seed, is_table) in [(121, false), (122, true), (123, false), (124, true)] {
        let app = TestApp::with(&Generator::new(seed).reviews(90)).await;
        app.shell(CHANGES).await;
        let exported = export(app.database(), is_table).await;
        let text = String::from_utf8(exported.clone()).unwrap();
        // As it is, and as Excel saves it.
        let saved = text
            .replace(",true,", ",TRUE,")
            .replace(",true\n", ",TRUE\n")
            .replace(",false,", ",FALSE,");
        for file in [&text, &saved] {
            let bench = bench().await;
            let (report, rejections) = bench.take(file).await;
            assert_eq!(rejections, [], "seed {seed}");
            assert!(report.noted_deleted > 0, "{report:?}");
            assert_eq!(
                values(bench.database.path()),
                values(&app.path()),
                "seed {seed}"
            );
            assert_eq!(
                export(&bench.database, is_table).await,
                exported,
                "seed {seed}"
            );
        }
    }
}
