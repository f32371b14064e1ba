//! What an import asks before it does harm: time zones, locations, copies, what is missing, names that were never public.

use super::*;
use crate::support::sqlite3;

#[tokio::test]
async fn instants_are_refused_while_the_time_zone_was_never_set() {
    let bench = bench().await;
    let refusal = bench.refusal(page(&[google(1, "a", &json!({}))])).await;
    assert!(refusal.contains("reviews init --time-zone ZONE"), "{refusal}");
    bench.set_time_zone("UTC").await;
    let (report, _) = bench.take(page(&[google(1, "a", &json!({}))])).await;
    assert_eq!(counts(&report), (1, 0, 0, 0));
    let instant = "select posted_at, location from review_source";
    assert_eq!(sqlite3(bench.database.path(), instant), "2026-11-02T03:30:00Z|77");
}

#[tokio::test]
async fn two_locations_are_never_merged_silently() {
    let bench = bench().await;
    bench.set_time_zone("UTC").await;
    let mut other = google(1, "b", &json!({}));
    other["name"] = json!("accounts/1/locations/88/reviews/b");
    let file = bench.file("both", page(&[google(1, "a", &json!({})), other]));
    let order =
        |location: Option<&str>| Order { files: vec![file.clone()], location: location.map(str::to_owned), ..Order::default() };
    let (report, _) = bench.order(&order(None)).await;
    let said = report.unwrap_err().to_string();
    assert!(said.contains("2 locations: 77 (1), 88 (1)") && said.contains("--location"), "{said}");
    let (report, _) = bench.order(&order(Some("99"))).await;
    assert!(report.unwrap_err().to_string().contains("there are 77, 88"));
    let (report, _) = bench.order(&order(Some("88"))).await;
    let report = report.unwrap();
    assert_eq!((counts(&report), report.elsewhere), ((1, 0, 0, 0), 1));
    assert!(bench.find("88.b").await.is_some() && bench.find("77.a").await.is_none());
}

#[tokio::test]
async fn a_copy_from_another_source_is_reported_and_withheld_where_that_is_wished() {
    let bench = bench().await;
    let row = |id: &str, source: &str| native(&json!({"id": id, "source": {"name": source}}));
    bench.take(lines(&[row("a", "Yelp")])).await;
    let file = bench.file("copies", lines(&[row("b", "Google"), row("c", "Yelp")]));
    let (report, _) = bench.import(&[&file]).await;
    assert_eq!(report.duplicates.names, ["b is a of Yelp"]);
    assert_eq!(bench.find("b").await.unwrap().status, Status::Published);
    let skip = Order { files: vec![file], skip_duplicates: true, ..Order::default() };
    let duplicate = Status::Withheld { reason: Some("duplicate".to_owned()) };
    for _ in 0..2 {
        bench.order(&skip).await.0.unwrap();
        assert_eq!(bench.find("b").await.unwrap().status, duplicate);
        assert_eq!(bench.find("c").await.unwrap().status, Status::Published);
    }
    sqlite3(bench.database.path(), "update review set status = 'published', withheld_reason = null where review_id = 'b'");
    bench.order(&skip).await.0.unwrap();
    assert_eq!(bench.find("b").await.unwrap().status, Status::Published);
}

#[tokio::test]
async fn what_a_source_no_longer_gives_is_withheld_until_it_is_back() {
    let bench = bench().await;
    let rows = |count: u32| lines(&(0..count).map(|n| native(&json!({"id": format!("r-{n:02}")}))).collect::<Vec<_>>());
    let other = native(&json!({"id": "y-1", "source": {"name": "Yelp"}, "text": "Other."}));
    bench.take(lines(&[other])).await;
    bench.take(rows(20)).await;
    let order = |file: PathBuf, yes: bool| Order { files: vec![file], withdraw_missing: true, yes, ..Order::default() };
    let (report, _) = bench.order(&order(bench.file("19", rows(19)), false)).await;
    assert_eq!(report.unwrap().withdrawn.names, ["r-19"]);
    let gone = Status::Withheld { reason: Some("gone at the source".to_owned()) };
    assert_eq!(bench.find("r-19").await.unwrap().status, gone);
    assert_eq!(bench.find("y-1").await.unwrap().status, Status::Published);
    // More than a tenth must be confirmed; nothing is changed before.
    let (report, _) = bench.order(&order(bench.file("10", rows(10)), false)).await;
    let said = report.unwrap_err().to_string();
    assert!(said.contains("9 of 19 reviews") && said.contains("--yes"), "{said}");
    assert_eq!(bench.find("r-15").await.unwrap().status, Status::Published);
    let (report, _) = bench.order(&order(bench.file("10", rows(10)), true)).await;
    assert_eq!(report.unwrap().withdrawn.count, 9);
    let (report, _) = bench.take(rows(20)).await;
    assert_eq!((counts(&report), bench.find("r-19").await.unwrap().status), ((0, 10, 10, 0), Status::Published));
    // Beside rejected rows nobody can tell what is missing.
    let file = bench.file("broken", format!("{}\n{{", rows(20)));
    let (report, _) = bench.order(&order(file, true)).await;
    assert!(report.unwrap_err().to_string().contains("1 rows were rejected"));
}
