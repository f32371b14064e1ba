//! The insights always have all parts, and count only published reviews.

use super::*;

#[tokio::test]
async fn insights_have_all_parts_and_count_mentions() {
    let reviews = Generator::new(76).reviews(300);
    let app = TestApp::uncoded(&reviews).await;
    app.shell(BUSINESS).await;
    let insights = app.json("/insights.json").await;
    let published = published(&reviews);
    let mut members: Vec<&str> = insights
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    members.sort_unstable();
    assert_eq!(
        members,
        [
            "aspects",
            "entities",
            "faq",
            "generated_from",
            "method",
            "summary",
            "topics"
        ]
    );
    // The firm's list comes first, in its order and with its IDs.
    assert_eq!(insights["entities"]["technicians"][0]["id"], "t1");
    assert_eq!(insights["entities"]["technicians"][1]["name"], "Dana Öberg");
    assert_eq!(insights["entities"]["services"][0]["id"], "ac-repair");
    let faq: Vec<&str> = insights["faq"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["id"].as_str().unwrap())
        .collect();
    assert_eq!(faq[..2], ["q1", "q2"]);
    assert_eq!(insights["summary"]["editorial"], "People like us.");
    let from = &insights["generated_from"];
    assert_eq!(from["reviews"], published.len());
    assert_eq!(
        from["with_text"],
        published
            .iter()
            .filter(|review| !review.text.is_empty())
            .count()
    );
    let (newest, oldest) = (
        published[0].date.to_string(),
        published.last().unwrap().date.to_string(),
    );
    assert_eq!(from["window"], json!({"from": oldest, "to": newest}));
}
