//! The insights always have all parts, and count only published reviews.

use super::*;

#[tokio::test]
async fn insights_have_all_parts_and_count_mentions() {
    let reviews = Generator::new(76).reviews(300);
    let app = TestApp::uncoded(&reviews).await;
    app.shell(BUSINESS).await;
    let insights = app.json("/insights.json").await;
    let members = "aspects complaints date_range entities faq generated_at generated_from method overall_sentiment review_count \
        summary summary_sentences temporal topics";
    assert_eq!(sorted_members(&insights), members);
    // The firm's list comes first, in its order and with its IDs.
    for (pointer, expected) in [
        ("/entities/technicians/0/id", "t1"),
        ("/entities/technicians/1/name", "Dana Öberg"),
        ("/entities/services/0/id", "ac-repair"),
        ("/faq/0/id", "q1"),
        ("/faq/1/id", "q2"),
        ("/summary", "People like us."),
    ] {
        assert_eq!(insights.pointer(pointer).unwrap(), expected, "{pointer}");
    }
    let published = published(&reviews);
    let with_text = published.iter().filter(|review| !review.text.is_empty());
    let from = &insights["generated_from"];
    assert_eq!(insights["review_count"], published.len());
    assert_eq!(from["with_text"], with_text.count());
    let [newest, oldest] =
        [published.first(), published.last()].map(|review| review.unwrap().date.to_string());
    let range = json!({"earliest": oldest, "latest": newest});
    assert_eq!(insights["date_range"], range);
}
