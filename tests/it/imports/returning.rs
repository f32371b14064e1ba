//! Rows with a new ID of their own source that are reviews which the owner deleted or withheld: none is published.

use super::*;

const HIDDEN: [(&str, &str); 2] = [
    ("delete", "delete from review where review_id like '%old%'"),
    (
        "withhold",
        "update review set status = 'withheld', withheld_reason = 'dispute' where review_id like '%old%'",
    ),
];

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

/// A row in each form, by its ID and the number of its text.
type Form = fn(&Value) -> String;

const FORMS: [(&str, Form); 2] = [
    ("native", |row| format!("{row}\n")),
    ("table", |row| {
        let cell = |name: &str| row[name].to_string();
        let cells = ["id", "rating", "date", "author", "text"].map(cell);
        format!("id,rating,date,author,text\n{}\n", cells.join(","))
    }),
];

fn row(id: &str, text: &str, changes: &Value) -> Value {
    let changes = changes.as_object().unwrap();
    let mut row =
        json!({"id": id, "author": "Ann Baker", "text": text, "source": {"name": "Direct"}});
    row.as_object_mut().unwrap().extend(changes.clone());
    native(&row)
}

#[tokio::test]
async fn no_hidden_review_comes_back_with_another_id_of_its_source() {
    for ((form, written), (hides, sql)) in FORMS
        .iter()
        .flat_map(|form| HIDDEN.iter().map(move |hidden| (form, hidden)))
    {
        for [changes, fates] in table::<2>(CHANGES) {
            let changes: Value = serde_json::from_str(changes).unwrap();
            for (text, fate) in TEXTS.iter().zip(fates.chars()) {
                let case = format!("{form}, {hides}, {changes}, {text:?}");
                let bench = bench().await;
                bench.take(written(&row("old-7", text, &json!({})))).await;
                bench.sql(sql);
                let again = written(&row("new-9", text, &changes));
                for _ in 0..2 {
                    let (report, _) = bench.take(&again).await;
                    let published =
                        bench.sql("select count(*) from review where status = 'published'");
                    let expected = if fate == 'H' { "0" } else { "1" };
                    assert_eq!(published, expected, "{case}: {report:?}");
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
    bench.sql(HIDDEN[0].1);
    // Of a name that many share a word is nobody's, on another day.
    let other = row(
        "c-3",
        "Good",
        &json!({"author": "A Google user", "date": "2026-11-03"}),
    );
    // The hidden review has its own row, and the author wrote again on that day.
    let ann = row("a-old", "Came when they said so", &json!({}));
    let again = row("a-4", "The second visit was as good", &json!({}));
    bench.take(lines(std::slice::from_ref(&ann))).await;
    bench.sql(HIDDEN[1].1);
    let (report, _) = bench.take(lines(&[other, ann, again])).await;
    assert_eq!((report.new, report.doubtful.count), (2, 0), "{report:?}");
}

#[tokio::test]
async fn a_hidden_review_of_another_location_is_a_copy() {
    let bench = bench().await;
    let text = TEXTS[0];
    bench
        .take(lines(&[row("old-7", text, &json!({"location": "Mesa"}))]))
        .await;
    bench.sql(HIDDEN[0].1);
    let (report, _) = bench
        .take(lines(&[row("new-9", text, &json!({"location": "Tempe"}))]))
        .await;
    assert_eq!(report.duplicates.count, 1, "{report:?}");
    let reason = bench.sql("select withheld_reason from review");
    assert_eq!(reason, "duplicate");
}
