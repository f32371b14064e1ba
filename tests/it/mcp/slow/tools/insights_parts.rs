//! Parts of the insights and their evidence: small, the same as REST, and sufficient for a person's question.

use super::*;
use crate::support::{array_of, assert_has, str_of};

/// The maximum size of an overview, in bytes.
const OVERVIEW_BYTES_MAX: usize = 8 * 1024;

#[tokio::test]
async fn the_overview_is_small_and_matches_the_full_insights() {
    let app = TestApp::seeded().await;
    let tools = Tools::of(&app);
    let overview = tools.call("get_insights", json!({})).await;
    let whole = tools.get("/insights.json").await;
    assert!(escaped_json(&overview).len() <= OVERVIEW_BYTES_MAX);
    assert_eq!(overview, tools.get("/insights.json?part=overview").await);
    let (rows, aspects) = (array_of(&overview["aspects"]), array_of(&whole["aspects"]));
    assert_eq!(rows.len(), aspects.len());
    let figures =
        "id label mention_count judged_count positive_count negative_count positive_share score";
    for (row, aspect) in rows.iter().zip(aspects) {
        for member in figures.split(' ') {
            assert_eq!(row[member], aspect[member], "{member}");
        }
    }
    let parts = "complaints technicians services service_areas topics faq";
    for part in parts.split(' ') {
        assert!(array_of(&overview[part]).len() > 1, "{part}");
    }
    // With long lists it is as small.
    app
        .shell(
            "with recursive area (n) as (select 100 union all select n + 1 from area where n < 900)
             insert into service_area select 'Area number ' || n || ' of the county of the long names', n from area;
             update editorial_faq set question = question || ' ' || replace(hex(zeroblob(200)), '0', 'long ');",
        )
        .await;
    let overview = tools.call("get_insights", json!({})).await;
    assert!(escaped_json(&overview).len() <= OVERVIEW_BYTES_MAX);
    assert!(!array_of(&overview["left_out"]).is_empty());
}

#[tokio::test]
async fn the_overview_ranks_complaints_by_frequency() {
    let mut reviews = Vec::new();
    for [times, stars, text] in table(
        "
        2 → 3 → The price was way too high.
        3 → 3 → Mike was two hours late.
        4 → 5 → Mike was right on time.
        2 → 3 → He left a mess everywhere.
        3 → 5 → He left everything spotless.
        5 → 5 → Mike was polite and friendly.
        4 → 3 → I would never use them again.
        ",
    ) {
        for _ in 0..times.parse().unwrap() {
            let rating = Rating::try_from(stars.parse::<i64>().unwrap()).unwrap();
            let review = review_with_text(reviews.len(), text);
            reviews.push(Review { rating, ..review });
        }
    }
    let app = TestApp::with(&reviews).await;
    let tools = Tools::of(&app);
    let overview = tools.call("get_insights", json!({})).await;
    let ranked = array_of(&overview["complaints"]);
    let ids: Vec<&str> = ranked.iter().map(|row| str_of(&row["id"])).collect();
    // Of two aspects with two complaints each, the one with less praise comes first. Aspects with only praise are left out.
    assert_eq!(ids, ["punctuality", "price", "cleanliness"], "{overview:#}");
    let figures = |row: &Value| [&row["review_count"], &row["judged_count"]].map(Value::as_u64);
    assert_eq!(
        ranked.iter().map(figures).collect::<Vec<_>>(),
        [[3, 7], [2, 2], [2, 5]].map(|row| row.map(Some))
    );
}

#[tokio::test]
async fn a_technician_has_figures_first_and_then_pages_of_sentences() {
    let app = TestApp::seeded().await;
    let tools = Tools::of(&app);
    let mike = json!({"name": "big mike", "limit": 5});
    let first = tools.call("get_technician", mike.clone()).await;
    let whole = tools.get("/insights.json").await;
    let mut technicians = array_of(&whole["entities"]["technicians"]).iter();
    let of_list = technicians.find(|one| one["name"] == first["name"]);
    for (member, value) in members(of_list.unwrap()) {
        assert_eq!(first[member], *value, "{member}");
    }
    let rows = array_of(&first["by_aspect"]);
    assert!(rows.len() > 3, "{rows:?}");
    for row in rows {
        let asked = json!({"aspect": row["id"], "technician": first["name"], "limit": 1});
        let evidence = tools.call("get_aspect_sentiment", asked).await;
        assert_eq!(evidence["matched"], row["mention_count"], "{row}");
    }
    let (mut page, mut seen) = (first.clone(), 0);
    loop {
        assert_eq!(page["matched"], first["mention_count"]);
        seen += array_of(&page["reviews"]).len();
        let Some(next) = page.get("next_cursor") else {
            break;
        };
        let mut asked = mike.clone();
        asked["cursor"] = next.clone();
        page = tools.call("get_technician", asked).await;
    }
    assert_eq!(first["matched"], seen);
    let unknown = json!({"name": "Nobody"});
    let unknown = tools.refused("get_technician", unknown).await;
    assert_has(&unknown, "known: ");
    let off = "update business set publish_staff = 'off'";
    app.shell(off).await;
    let refused = tools.refused("get_technician", mike).await;
    assert_has(&refused, "does not publish the names of its staff");
}

#[tokio::test]
async fn a_finding_belongs_to_the_person_in_the_sentence() {
    let texts = [
        "Mike Alvarez was right on time.",
        "Mike Alvarez came. The visit started right on time.",
        "The visit started right on time. Mike Alvarez came.",
    ];
    let reviews: Vec<Review> = (0..)
        .zip(texts)
        .map(|(at, text)| Review {
            rating: Rating::try_from(5).unwrap(),
            ..review_with_text(at, text)
        })
        .collect();
    let app = TestApp::with(&reviews).await;
    let tools = Tools::of(&app);
    app
        .shell("insert into business (business_id, name) values ('peak', 'Desert Peak');
             insert into technician (technician_id, name, position) values ('t-1', 'Mike Alvarez', 1)")
        .await;
    let evidence = async |name: &str, value: &str| {
        let asked = json!({"aspect": "punctuality", name: value});
        tools.call("get_aspect_sentiment", asked).await
    };
    let all = evidence("polarity", "positive").await;
    assert_eq!(all["matched"], 3, "{all}");
    let expected = json!([{"id": "t-1", "name": "Mike Alvarez", "reviews": 1}]);
    assert_eq!(all["by_technician"], expected);
    let his = evidence("technician", "T-1").await;
    let reviews = array_of(&his["reviews"]);
    assert_eq!(reviews.len(), 1, "{his}");
    assert_eq!(reviews[0]["review_id"], "s-0000");
    let unknown = evidence("technician", "Mike Alvares").await;
    assert_eq!(unknown["matched"], 0);
}
