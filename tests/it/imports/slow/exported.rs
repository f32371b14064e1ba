//! An export imported into an empty database makes the same rows, of which every document is made, and exports the same again.

use super::sources::values;
use super::*;
use crate::support::{Generator, TestApp};

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
    for seed in [121, 123] {
        let app = TestApp::with(&Generator::new(seed).reviews(90)).await;
        app.shell(CHANGES).await;
        let exported = export(app.database()).await;
        let bench = bench().await;
        let (report, rejections) = bench.take(&exported).await;
        assert_eq!(rejections, [], "seed {seed}");
        assert!(report.count(Outcome::NotedDeleted) > 0, "{report:?}");
        let stored = values(bench.database.path());
        assert_eq!(stored, values(&app.path()), "seed {seed}");
        assert_eq!(export(&bench.database).await, exported, "seed {seed}");
    }
}
