//! Safeguards of imports: time zones, locations, copies, missing reviews, and names that were never public.

use super::*;

#[tokio::test]
async fn copies_in_another_format_are_withheld_only_on_request() {
    let bench = bench().await;
    bench.set_time_zone("UTC").await;
    let empty = json!({"comment": null});
    let takeout = page(&[google(1, "a", &json!({})), google(1, "b", &empty)]);
    bench.take(&takeout).await;
    let outscraper = "review_id,author_title,review_rating,review_text,review_timestamp\n\
        X1,Ann Baker,4,Came on time.,1793590200\nX2,Ann Baker,4,,1793590200\nX3,Ann Baker,4,Another.,1793590200\n";
    let (report, _) = bench.take(outscraper).await;
    assert_eq!(counts(&report).0, 3);
    let copies = [
        "Ann Baker, 2026-11-02: google-maps-X1 of Google, 77.a of Google",
        "Ann Baker, 2026-11-02: google-maps-X2 of Google, 77.b of Google",
    ];
    assert_eq!(report.duplicates.names, copies);
    for _ in 0..2 {
        bench.csv(outscraper, "--skip-duplicates").await;
        let select = "select review_id from review where withheld_reason = 'duplicate' order by 1";
        assert_eq!(bench.sql(select), "google-maps-X1\ngoogle-maps-X2");
    }
    let (report, _) = bench.take(&takeout).await;
    let counted = (counts(&report), report.duplicates.count);
    assert_eq!(counted, ((0, 0, 2, 0), 0));
    // Equal reviews of one format are two reviews.
    let twice = json!({"comment": "Twice."});
    let twice = page(&[google(1, "c", &twice), google(1, "d", &twice)]);
    let (report, _) = bench.take(&twice).await;
    assert_eq!((counts(&report).0, report.duplicates.count), (2, 0));
}

#[tokio::test]
async fn copies_of_many_similar_reviews_are_withheld_once_each() {
    for author in ["Ann NUMBER", "Ann"] {
        let bench = bench().await;
        // New reviews, the same again, copies from a second source, and the first source once more.
        for source in ["Yelp", "Yelp", "Google", "Yelp"] {
            let row = |number: usize| {
                let author = author.replace("NUMBER", &number.to_string());
                native(
                    &json!({"id": format!("{source}-{number}"), "source": source, "author": author, "text": ""}),
                )
            };
            let rows = lines(&(0..300).map(row).collect::<Vec<_>>());
            bench.csv(rows, "--skip-duplicates").await;
        }
        let select = "select source_name, withheld_reason, count(*) from review group by 1, 2";
        assert_eq!(bench.sql(select), "Google|duplicate|300\nYelp||300");
    }
}

#[tokio::test]
async fn reviews_missing_at_the_source_are_withheld_until_they_return() {
    let bench = bench().await;
    let rows = |count: u32| {
        let row = |number| native(&json!({"id": format!("r-{number:02}")}));
        lines(&(0..count).map(row).collect::<Vec<_>>())
    };
    let other = native(&json!({"id": "y-1", "source": "Yelp", "text": "Other."}));
    bench.take(lines(&[other])).await;
    bench.take(rows(20)).await;
    let report = bench.csv(rows(19), "--withdraw-missing").await;
    assert_eq!(report.withdrawn.names, ["r-19"]);
    let withheld = "select review_id, withheld_reason from review where status = 'withheld'";
    assert_eq!(bench.sql(withheld), "r-19|gone at the source");
    // Withdrawing more than a tenth needs --yes.
    let refusal = bench.refused(rows(10), "--withdraw-missing").await;
    assert_has(&refusal, "9 of 19 reviews");
    assert_has(&refusal, "--yes");
    let report = bench.csv(rows(10), "--withdraw-missing --yes").await;
    assert_eq!(report.withdrawn.count, 9);
    let (report, _) = bench.take(rows(20)).await;
    assert_eq!(counts(&report), (0, 10, 10, 0));
    assert_eq!(bench.sql(withheld), "");
    // If rows are rejected, missing reviews cannot be determined.
    let broken = format!("{}\n{{", rows(20));
    let refusal = bench.refused(broken, "--withdraw-missing --yes").await;
    assert_has(&refusal, "1 row was rejected");
}

#[tokio::test]
async fn withdraw_missing_uses_the_source_of_the_stored_reviews() {
    let bench = bench().await;
    let rows = |numbers: std::ops::Range<u32>, source: Value| {
        let row = |number| native(&json!({"id": format!("r-{number:02}"), "source": source}));
        lines(&numbers.map(row).collect::<Vec<_>>())
    };
    bench.take(rows(0..20, json!({"name": "Yelp"}))).await;
    // These have the source Direct and are in no file of Yelp.
    bench.take(rows(20..22, Value::Null)).await;
    let unnamed = rows(0..19, Value::Null);
    let report = bench.csv(unnamed, "--withdraw-missing").await;
    assert_eq!(report.withdrawn.names, ["r-19"]);
}

#[tokio::test]
async fn formats_with_only_some_reviews_refuse_withdraw_missing() {
    let bench = bench().await;
    bench.set_time_zone("UTC").await;
    for name in [
        "google_places.json",
        "google_places_old.json",
        "google_play.csv",
        "app_store_feed.json",
        "yelp.json",
    ] {
        let file = fixture("imports").join(name);
        let request = request_for([file], "--withdraw-missing --yes");
        let message = bench.refuse(&request).await;
        assert_has(&message, "gives only some of the reviews");
    }
    assert_eq!(bench.sql("select count(*) from review"), "0");
}

#[tokio::test]
async fn names_that_were_not_public_are_whole_only_on_request() {
    for (name, short, full) in [
        ("servicetitan.csv", "Alma R.", "Alma Reyes"),
        ("podium.json", "Carla M.", "Carla Mendes"),
        ("trustpilot.json", "Yusuf Demir", "Yusuf Demir"),
    ] {
        for (options, author) in [("", short), ("--full-names", full)] {
            let bench = bench_in_phoenix().await;
            bench.done(fixture("imports").join(name), options).await;
            let select = format!("select count(*) from review where author = '{author}'");
            assert_eq!(bench.sql(&select), "1", "{name} {options}");
        }
    }
}
