//! Rows with a new ID of their own source that are reviews which the owner deleted or withheld: none is published.

use super::identity::{DECISIONS, Owner};
use super::*;

/// The reviews that the owner hides.
const OLD: &str = "review_id like '%old%'";

/// What the row with the new ID differs in, beside a text of five words, of one word, and none: H hidden, N new.
const CHANGES: &str = r#"
    {} → HHH
    {"author": "Ann B."} → HHH
    {"rating": 4} → HHN
    {"rating": 4, "author": "Ann B."} → HNN
    {"date": "2026-11-02"} → HHN
    {"date": "2026-11-02", "rating": 4} → HHN
    {"author": "Bo Cole"} → HNN
    {"author": "Bo Cole", "date": "2026-11-02"} → HNN
"#;

const TEXTS: [&str; 3] = ["Came when they said so", "Good", ""];

fn row(id: &str, text: &str, changes: &Value) -> Value {
    let changes = changes.as_object().unwrap();
    let mut row = json!({"id": id, "author": "Ann Baker", "text": text, "source": "Direct"});
    row.as_object_mut().unwrap().extend(changes.clone());
    native(&row)
}

#[tokio::test]
async fn no_hidden_review_comes_back_with_another_id() {
    for owner in DECISIONS {
        for [changes, fates] in table::<2>(CHANGES) {
            let changes: Value = serde_json::from_str(changes).unwrap();
            for (text, fate) in TEXTS.iter().zip(fates.chars()) {
                let case = format!("{owner:?}, {changes}, {text:?}");
                let bench = bench().await;
                bench.take(row("old-7", text, &json!({})).to_string()).await;
                owner.act(&bench, OLD);
                for _ in 0..2 {
                    let again = row("new-9", text, &changes).to_string();
                    let (report, _) = bench.take(again).await;
                    let public = "select count(*) from review where status = 'published'";
                    assert_eq!(bench.sql(public) == "0", fate == 'H', "{case}: {report:?}");
                    let kept = report.kept_deleted.count + report.kept_withheld.count;
                    let is_reported = kept + report.doubtful.count > 0;
                    assert_eq!(is_reported, fate == 'H', "{case}: {report:?}");
                }
            }
        }
    }
}

#[tokio::test]
async fn other_reviews_beside_a_hidden_one_are_new() {
    let bench = bench().await;
    let rows = ["old-7", "b-2"].map(|id| row(id, "Good", &json!({"author": "A Google user"})));
    bench.take(lines(&rows)).await;
    Owner::Deleted.act(&bench, OLD);
    // Of a name that many share a word is nobody's, on another day.
    let other = json!({"author": "A Google user", "date": "2026-11-03"});
    let other = row("c-3", "Good", &other);
    // The hidden review has its own row, and the author wrote again on that day.
    let ann = row("a-old", "Came when they said so", &json!({}));
    let again = row("a-4", "The second visit was as good", &json!({}));
    bench.take(lines(std::slice::from_ref(&ann))).await;
    Owner::Withheld.act(&bench, OLD);
    let (report, _) = bench.take(lines(&[other, ann, again])).await;
    assert_eq!((report.new, report.doubtful.count), (2, 0), "{report:?}");
}
