//! Google Takeout and API exports, with their special cases.

use super::*;

#[tokio::test]
async fn a_takeout_archive_imports_each_review_once() {
    let first = json!({"comment": "First.", "updateTime": "2026-11-05T00:00:00Z"});
    let one = page(&[google(1, "same", &first), google(1, "one", &json!({}))]);
    let two = page(&[google(2, "same", &json!({"comment": "Edited."}))]);
    let further = page(&[google(2, "two", &json!({}))]);
    let maps = r#"{"type": "FeatureCollection", "features": []}"#;
    let base = "Takeout/Google Business Profile/account";
    let members = [
        (format!("{base}-1/location-77/reviews.json"), &*one),
        (format!("{base}-2/location-77/reviews.json"), &two),
        (format!("{base}-2/location-77/reviews-Ab3x.json"), &further),
        (format!("{base}-2/location-77/additionalData.json"), "{}"),
        ("Takeout/Maps (your places)/Reviews.json".to_owned(), maps),
    ];
    let bench = bench_in_phoenix().await;
    let members = members
        .each_ref()
        .map(|(name, content)| (name.as_str(), *content));
    let path = bench.file("takeout", zipped(&members));
    let (report, _) = bench.import(&[&path]).await;
    let counted = (
        counts(&report),
        report.count(Outcome::Repeated),
        report.files.len(),
    );
    assert_eq!(counted, ((3, 0, 0, 0), 1, 3));
    let file = &report.files[0].name;
    assert!(
        file.ends_with("account-1/location-77/reviews.json"),
        "{file}"
    );
    let text = "select text from review where review_id = '77.same'";
    assert_eq!(bench.sql(text), "Edited.");
}
