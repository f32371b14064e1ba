//! The insights always have all parts, and count only published reviews.

use super::*;

#[tokio::test]
async fn insights_have_all_parts_and_count_mentions() {
    let reviews = Generator::new(76).reviews(300);
    let app = TestApp::uncoded(&reviews).await;
    app.shell(BUSINESS).await;
    let insights = app.json("/insights.json").await;
    let members = "aspects entities faq generated_from method summary topics";
    assert_eq!(sorted_members(&insights), members);
    // The firm's list comes first, in its order and with its IDs.
    for (pointer, expected) in [
        ("/entities/technicians/0/id", "t1"),
        ("/entities/technicians/1/name", "Dana Öberg"),
        ("/entities/services/0/id", "ac-repair"),
        ("/faq/0/id", "q1"),
        ("/faq/1/id", "q2"),
        ("/summary/editorial", "People like us."),
    ] {
        assert_eq!(insights.pointer(pointer).unwrap(), expected, "{pointer}");
    }
    let published = published(&reviews);
    let with_text = published.iter().filter(|review| !review.text.is_empty());
    let from = &insights["generated_from"];
    assert_eq!(from["reviews"], published.len());
    assert_eq!(from["with_text"], with_text.count());
    let [newest, oldest] =
        [published.first(), published.last()].map(|review| review.unwrap().date.to_string());
    assert_eq!(from["window"], json!({"from": oldest, "to": newest}));
}
