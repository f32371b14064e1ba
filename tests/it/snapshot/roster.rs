//! A firm with very many services: a word that all names share matches none of them.

use super::*;

/// This many services, each with unique words, words shared with a few, and words shared with all.
async fn firm(services: usize) -> TestApp {
    let app = TestApp::empty().await;
    let synonyms = "json_array('tune ' || n, 'valve ' || n || ' check', 'repair of unit ' || (n / 3), 'service call', 'tune up')";
    app.shell(&format!(
        "insert into business (business_id, name) values ('b', 'Many Services');
         with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < {services})
           insert into service (service_id, position, name, synonyms)
           select 'service-' || n, n, 'Brand' || n || ' water heater repair', {synonyms} from numbers;
         with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 200)
           insert into review (review_id, rating, reviewed_on, text)
           select 'm-' || n, 5, '2026-11-01', 'They were here for a service call and a tune up, then our Brand' || n || ' water heater repair. It was a great job.'
           from numbers"
    ))
    .await;
    app
}

#[tokio::test]
async fn ten_thousand_services_match_only_by_own_words() {
    let app = firm(10_000).await;
    // Analysed again, as after an import.
    app.sql("delete from derived_analysis");
    let app = app.restart().await;
    let names = "select max(named) <= 2 from (select count(distinct value) as named from derived_mention group by review_id);
        select count(*) from derived_analysis";
    assert_eq!(app.sql(names), "1\n200");
    // Its unique words still match it.
    let review = app.json("/api/reviews/m-7").await;
    assert_eq!(review["mentions"]["services"], json!(["service-7"]));
}
