//! Google Takeout and API exports, with their special cases.

use super::*;

#[tokio::test]
async fn google_reviews_and_answers_have_days_of_the_business() {
    let bench = bench().await;
    bench.set_time_zone("America/Phoenix").await;
    let reply =
        json!({"reviewReply": {"comment": "Thanks!", "updateTime": "2026-11-04T06:59:59Z"}});
    bench.take(page(&[google(1, "AbF-x_9", &reply)])).await;
    let review = bench.find("77.AbF-x_9").await.unwrap();
    // Phoenix is seven hours behind: 03:30 in UTC is the previous day.
    assert_eq!(review.date.to_string(), "2026-11-01");
    assert_eq!(review.updated_at, Some(instant("2026-11-03T10:00:00.123Z")));
    let day = review.response.unwrap().date.unwrap();
    assert_eq!(day.to_string(), "2026-11-03");
}

#[tokio::test]
async fn special_cases_of_google_reviews_are_handled() {
    let bench = bench().await;
    bench.set_time_zone("UTC").await;
    let with = |id: &str, changes: Value| google(1, id, &changes);
    let reply = |state: &str| json!({"comment": "Hi", "updateTime": "2026-11-04T00:00:00Z", "reviewReplyState": state});
    let rows = [
        with("stars", json!({"comment": null})),
        with(
            "anon",
            json!({"reviewer": {"displayName": "Somebody", "isAnonymous": true}}),
        ),
        with("nobody", json!({"reviewer": {}})),
        with(
            "spanish",
            json!({"comment": "(Translated by Google) Good.\n\n(Original)\nMuy bueno."}),
        ),
        with("pending", json!({"reviewReply": reply("PENDING")})),
        with("approved", json!({"reviewReply": reply("APPROVED")})),
        with("no/id of ours", json!({})),
        with("none", json!({"starRating": "STAR_RATING_UNSPECIFIED"})),
        with("late", json!({"createTime": "2026-11-22T00:00:00Z"})),
        with("number", json!({"starRating": 5})),
    ];
    let (report, rejections) = bench.take(page(&rows)).await;
    assert_eq!(counts(&report), (8, 0, 0, 2));
    assert_eq!(bench.find("77.stars").await.unwrap().text, "");
    assert_eq!(bench.find("77.anon").await.unwrap().author, "Anonymous");
    assert_eq!(bench.find("77.nobody").await.unwrap().author, "Anonymous");
    assert_eq!(bench.find("77.spanish").await.unwrap().text, "Muy bueno.");
    assert_eq!(bench.find("77.pending").await.unwrap().response, None);
    assert!(bench.find("77.approved").await.unwrap().response.is_some());
    let messages: Vec<String> = rejections
        .iter()
        .map(|rejection| format!("{}: {}", rejection.at, rejection.error))
        .collect();
    assert!(
        messages[0].starts_with(
            " reviews[7]: starRating: \"STAR_RATING_UNSPECIFIED\" is not one of 1, 2, 3, 4, 5"
        ),
        "{messages:?}"
    );
    assert!(
        messages[1].starts_with(" reviews[8]: createTime: 2026-11-22 is later than tomorrow"),
        "{messages:?}"
    );
    let (again, _) = bench.take(page(&rows)).await;
    assert_eq!(counts(&again), (0, 0, 8, 2));
}

#[tokio::test]
async fn a_takeout_archive_or_folder_imports_each_review_once() {
    let newer = json!({"comment": "Edited.", "updateTime": "2026-11-05T00:00:00Z"});
    let one = page(&[google(1, "same", &newer), google(1, "one", &json!({}))]);
    let two = page(&[google(2, "same", &json!({"comment": "First."}))]);
    let further = page(&[google(2, "two", &json!({}))]);
    let base = "Takeout/Google Business Profile";
    let members = [
        (
            format!("{base}/account-1/location-77/reviews.json"),
            format!("\u{feff}{one}"),
        ),
        (format!("{base}/account-2/location-77/reviews.json"), two),
        (
            format!("{base}/account-2/location-77/reviews-Ab3x.json"),
            further,
        ),
        (
            format!("{base}/account-2/location-77/additionalData.json"),
            "{}".to_owned(),
        ),
        (
            "Takeout/Maps (your places)/Reviews.json".to_owned(),
            "{\"type\": \"FeatureCollection\", \"features\": []}".to_owned(),
        ),
    ];
    let borrowed: Vec<(&str, &str)> = members
        .iter()
        .map(|(name, content)| (name.as_str(), content.as_str()))
        .collect();
    for packed in [true, false] {
        let bench = bench().await;
        bench.set_time_zone("UTC").await;
        let path = if packed {
            bench.file("takeout", zipped(&borrowed))
        } else {
            for (name, content) in &members {
                bench.file(name, content);
            }
            bench.folder.path().join("Takeout")
        };
        let (report, _) = bench.import(&[&path]).await;
        assert_eq!(
            (counts(&report), report.repeated, report.files.len()),
            ((3, 0, 0, 0), 1, 3)
        );
        assert!(
            report.files[0]
                .name
                .ends_with("account-1/location-77/reviews.json"),
            "{}",
            report.files[0].name
        );
        assert_eq!(bench.find("77.same").await.unwrap().text, "Edited.");
    }
}

#[tokio::test]
async fn exports_of_a_maps_user_are_refused_with_advice() {
    let bench = bench().await;
    bench.set_time_zone("UTC").await;
    let maps = json!({"type": "FeatureCollection", "features": [{"properties": {"five_star_rating_published": 5}}]}).to_string();
    assert_has(
        &bench.refusal(&maps).await,
        "export `Google Business Profile`",
    );
    assert_has(
        &bench
            .refusal(zipped(&[("Takeout/Maps/Reviews.json", &maps)]))
            .await,
        "export `Google Business Profile`",
    );
    assert_has(
        &bench.refusal(zipped(&[("readme.txt", "x")])).await,
        "holds no reviews*.json",
    );
    let request = request_for([bench.file("maps", &maps)], "--format google");
    assert_has(
        &bench.refuse(&request).await,
        "export `Google Business Profile`",
    );
}
