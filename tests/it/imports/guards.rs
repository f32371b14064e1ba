//! Safeguards of imports: time zones, locations, copies, missing reviews, and names that were never public.

use super::*;

#[tokio::test]
async fn instants_are_refused_until_the_time_zone_is_set() {
    let bench = bench().await;
    let refusal = bench.refusal(page(&[google(1, "a", &json!({}))])).await;
    assert_has(&refusal, "reviews init --time-zone ZONE");
    bench.set_time_zone("UTC").await;
    let (report, _) = bench.take(page(&[google(1, "a", &json!({}))])).await;
    assert_eq!(counts(&report), (1, 0, 0, 0));
    let instant = "select posted_at, location from review_source";
    assert_eq!(bench.sql(instant), "2026-11-02T03:30:00Z|77");
}

#[tokio::test]
async fn two_locations_are_never_merged_silently() {
    let bench = bench().await;
    bench.set_time_zone("UTC").await;
    let mut other = google(1, "b", &json!({}));
    other["name"] = json!("accounts/1/locations/88/reviews/b");
    let file = bench.file("both", page(&[google(1, "a", &json!({})), other]));
    let message = bench.refuse(&request_for([file.clone()], "")).await;
    assert_has(&message, "2 locations: 77 (1), 88 (1)");
    assert_has(&message, "--location");
    let message = bench
        .refuse(&request_for([file.clone()], "--location 99"))
        .await;
    assert_has(&message, "name one of 77, 88");
    let report = bench.done(file, "--location 88").await;
    assert_eq!((counts(&report), report.elsewhere), ((1, 0, 0, 0), 1));
    assert!(bench.find("88.b").await.is_some() && bench.find("77.a").await.is_none());
    let table = bench.file("t.csv", "Name,Date,Stars,Text\nAnn,2026-03-14,5,Neat\n");
    let refusal = bench.refuse(&request_for([table], "--location 88")).await;
    assert_has(&refusal, "no row names its location");
}

#[tokio::test]
async fn copies_in_another_format_are_withheld_only_on_request() {
    let bench = bench().await;
    bench.set_time_zone("UTC").await;
    let takeout = page(&[
        google(1, "a", &json!({})),
        google(1, "b", &json!({"comment": null})),
    ]);
    bench.take(&takeout).await;
    let outscraper = "review_id,author_title,review_rating,review_text,review_timestamp\n\
        X1,Ann Baker,4,Came on time.,1793590200\nX2,Ann Baker,4,,1793590200\nX3,Ann Baker,4,Another.,1793590200\n";
    let file = bench.file("outscraper.csv", outscraper);
    let (report, _) = bench.import(&[&file]).await;
    assert_eq!(counts(&report).0, 3);
    assert_eq!(
        report.duplicates.names,
        [
            "Ann Baker, 2026-11-02: google-maps-X1 of Google, 77.a of Google",
            "Ann Baker, 2026-11-02: google-maps-X2 of Google, 77.b of Google"
        ]
    );
    let skip = request_for([file], "--skip-duplicates");
    for _ in 0..2 {
        bench.run(&skip).await.0.unwrap();
        let select = "select group_concat(review_id, ' ') from (select review_id from review where withheld_reason = 'duplicate')";
        assert_eq!(bench.sql(select), "google-maps-X1 google-maps-X2");
    }
    let (report, _) = bench.take(&takeout).await;
    assert_eq!(
        (counts(&report), report.duplicates.count),
        ((0, 0, 2, 0), 0)
    );
    // Equal reviews of one format are two reviews.
    let twice = json!({"comment": "Twice."});
    let twice = page(&[google(1, "c", &twice), google(1, "d", &twice)]);
    let (report, _) = bench.take(&twice).await;
    assert_eq!((counts(&report).0, report.duplicates.count), (2, 0));
}

#[tokio::test]
async fn copies_of_many_similar_reviews_are_withheld_once_each() {
    const COUNT: usize = 300;
    let rows = |source: &str, author: &dyn Fn(usize) -> String| {
        let row = |n: usize| {
            native(
                &json!({"id": format!("{source}-{n}"), "source": {"name": source}, "author": author(n), "text": ""}),
            )
        };
        lines(&(0..COUNT).map(row).collect::<Vec<_>>())
    };
    for author in [
        &(|n| format!("Ann {n}")) as &dyn Fn(usize) -> String,
        &|_| "Ann".to_owned(),
    ] {
        let bench = bench().await;
        let skip = |source: &str| {
            request_for(
                [bench.file(source, rows(source, author))],
                "--skip-duplicates",
            )
        };
        // New reviews, the same again, copies from a second source, and the first source once more.
        for source in ["Yelp", "Yelp", "Google", "Yelp"] {
            bench.run(&skip(source)).await.0.unwrap();
        }
        let published =
            "select count(*) from review where status = 'published' and source_name = 'Yelp'";
        assert_eq!(bench.sql(published), COUNT.to_string());
        let withheld = "select count(*) from review where withheld_reason = 'duplicate' and source_name = 'Google'";
        assert_eq!(bench.sql(withheld), COUNT.to_string());
    }
}

#[tokio::test]
async fn reviews_missing_at_the_source_are_withheld_until_they_return() {
    let bench = bench().await;
    let rows = |count: u32| {
        lines(
            &(0..count)
                .map(|n| native(&json!({"id": format!("r-{n:02}")})))
                .collect::<Vec<_>>(),
        )
    };
    let other = native(&json!({"id": "y-1", "source": {"name": "Yelp"}, "text": "Other."}));
    bench.take(lines(&[other])).await;
    bench.take(rows(20)).await;
    let report = bench
        .done(bench.file("19", rows(19)), "--withdraw-missing")
        .await;
    assert_eq!(report.withdrawn.names, ["r-19"]);
    let gone = Status::Withheld {
        reason: Some("gone at the source".to_owned()),
    };
    assert_eq!(bench.find("r-19").await.unwrap().status, gone);
    assert_eq!(bench.find("y-1").await.unwrap().status, Status::Published);
    // Withdrawing more than a tenth needs --yes.
    let ten = bench.file("10", rows(10));
    let message = bench
        .refuse(&request_for([ten.clone()], "--withdraw-missing"))
        .await;
    assert_has(&message, "9 of 19 reviews");
    assert_has(&message, "--yes");
    assert_eq!(bench.find("r-15").await.unwrap().status, Status::Published);
    let report = bench.done(ten, "--withdraw-missing --yes").await;
    assert_eq!(report.withdrawn.count, 9);
    let (report, _) = bench.take(rows(20)).await;
    assert_eq!(
        (counts(&report), bench.find("r-19").await.unwrap().status),
        ((0, 10, 10, 0), Status::Published)
    );
    // If rows are rejected, missing reviews cannot be determined.
    let file = bench.file("broken", format!("{}\n{{", rows(20)));
    let message = bench
        .refuse(&request_for([file], "--withdraw-missing --yes"))
        .await;
    assert_has(&message, "1 row was rejected");
}

#[tokio::test]
async fn withdraw_missing_uses_the_source_of_the_stored_reviews() {
    let bench = bench().await;
    let rows = |range: std::ops::Range<u32>, source: Value| {
        let row = |n| native(&json!({"id": format!("r-{n:02}"), "source": source}));
        lines(&range.map(row).collect::<Vec<_>>())
    };
    bench.take(rows(0..20, json!({"name": "Yelp"}))).await;
    // These have the source Direct and are in no file of Yelp.
    bench.take(rows(20..22, Value::Null)).await;
    let report = bench
        .csv(rows(0..19, Value::Null), "--withdraw-missing")
        .await;
    assert_eq!(report.withdrawn.names, ["r-19"]);
    assert_eq!(bench.find("r-21").await.unwrap().status, Status::Published);
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
async fn names_that_were_not_public_are_shortened_by_default() {
    for (name, short, full) in [
        ("servicetitan.csv", "Alma R.", "Alma Reyes"),
        ("judgeme.csv", "Beatriz L.", "Beatriz Lang"),
        ("birdeye.json", "Dana W.", "Dana Whitfield"),
        ("podium.json", "Carla M.", "Carla Mendes"),
        ("delighted.json", "Jill O.", "Jill Ode"),
        ("trustpilot.json", "Yusuf Demir", "Yusuf Demir"),
    ] {
        for (options, wanted) in [("", short), ("--full-names", full)] {
            let bench = bench().await;
            bench.set_time_zone("UTC").await;
            bench.done(fixture("imports").join(name), options).await;
            let authors = bench.sql("select group_concat(author, ', ') from review");
            assert!(
                authors.split(", ").any(|author| author == wanted),
                "{name}: {authors}"
            );
        }
    }
}
