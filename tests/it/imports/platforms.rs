//! Exports of every platform in their real shape: detected by content, and without their private data.

use super::sources::values;
use super::*;

/// What must be decided about the columns of a fixture.
fn options(name: &str) -> &'static str {
    match name {
        "table.csv" => "--map author=Reviewer --map verified=Verified --ignore-others",
        "hubspot.json" => "--map rating=properties.visit_stars",
        "polish.csv" => "--map title=Tytuł",
        "google-forms.csv" => {
            "--map 'rating=How would you rate us? (1-5)' --map 'text=Tell us about your visit' --ignore-others"
        }
        _ => "",
    }
}

#[tokio::test]
async fn exports_are_detected_by_content_and_keep_no_private_data() {
    let mut formats: Vec<&str> = format_names().collect();
    for (name, content) in fixtures() {
        let bench = bench_in_phoenix().await;
        // A name that says nothing.
        let file = bench.file("Download (3).tmp", &content);
        let (report, rejections) = bench
            .run(&request_for([file.clone()], options(&name)))
            .await;
        let report = report.unwrap();
        assert_eq!((report.rejected, rejections), (0, vec![]), "{name}");
        let format = report.files[0].format;
        formats.retain(|other| *other != format);
        let values = values(bench.database.path());
        let stored = format!("{format}\n{values}");
        insta::assert_snapshot!(name.replace('.', "_"), stored);
        let (again, _) = bench.import(&[&file]).await;
        assert_eq!(counts(&again), (0, 0, report.new, 0), "{name}, again");
        // With ratings that are none.
        let broken = String::from_utf8_lossy(&content)
            .replace("rating\":", "rating\":[1],\"x\":")
            .replace(",5,", ",fivë,")
            .replace(",1,", ",??,");
        let broken = request_for([bench.file("broken", broken)], options(&name));
        for rejection in bench.run(&broken).await.1 {
            let text = format!("{rejection} {}", rejection.row);
            let found = PRIVATE.iter().find(|private| text.contains(**private));
            assert_eq!(found, None, "{name}: {text}");
        }
        assert_not_stored(&bench, &PRIVATE, &name);
    }
    assert_eq!(formats, [""; 0], "formats without a fixture");
}

#[tokio::test]
async fn linked_data_follows_the_options_for_scale_date_and_source() {
    let bench = bench().await;
    let review = |id: &str, stars: Value, date: &str| {
        json!({"@type": "Review", "@id": id, "author": {"@type": "Person", "name": "Ann"}, "reviewRating": stars,
            "datePublished": date, "dateModified": "2026-10-09T10:00:00Z", "reviewBody": "Fine"})
    };
    let page = json!({"@context": "https://schema.org", "@graph": [
        review("a", json!({"ratingValue": "4.5"}), "10/01/2026"),
        review("b", json!({"ratingValue": "4.5", "bestRating": "5"}), "10/01/2026"),
        review("c", json!({"ratingValue": "9", "bestRating": 10}), "10/01/2026"),
    ]});
    let asked = bench.asked(page.to_string(), "").await;
    assert!(matches!(asked.questions[0].asks, Asks::Order { .. }));
    let plain = page.to_string().replace("10/01/2026", "2026-10-01");
    let (_, rejections) = super::bench().await.take(plain).await;
    assert_has(&rejections[0].to_string(), "pass --scale 5");
    let options = "--scale 5 --date-format %m/%d/%Y --source 'Our site'";
    bench.csv(page.to_string(), options).await;
    let nine = review("d", json!({"ratingValue": "9"}), "2026-10-01").to_string();
    bench.csv(nine, "--scale 10 --source 'Our site'").await;
    let select = "select count(*) from review
        where rating = 5 and reviewed_on = '2026-10-01' and source_name = 'Our site'";
    assert_eq!(bench.sql(select), "4");
}

#[tokio::test]
async fn map_may_name_the_columns_that_a_platform_joins() {
    let bench = bench_in_phoenix().await;
    let options = "--map 'text=Positive review' --map 'text=Negative review' --scale 10";
    let file = fixture("imports/booking.csv");
    let report = bench.done(file.clone(), options).await;
    let format = report.files[0].format;
    assert_eq!((format, counts(&report)), ("booking", (4, 0, 0, 0)));
    let other = request_for([file], "--map 'text=Review title'");
    let message = bench.refuse(&other).await;
    assert_has(&message, "whose text is Positive review, Negative review");
}

#[tokio::test]
async fn reviews_within_a_place_share_the_cells_of_the_place() {
    let text = "A place with much to say. ".repeat(10_000);
    let reviews = (0..4_000).map(|number| {
        json!({"review_id": format!("r-{number}"), "review_rating": 5, "author_title": "Ann", "review_text": "Good.",
            "review_timestamp": "2026-10-30 10:00:00"})
    });
    let reviews: Vec<Value> = reviews.collect();
    let place = json!([{"name": "Koolit", "description": text, "reviews_data": reviews}]);
    // A copy of the description for each review would take a gigabyte.
    let (_, report, _) = import_into_new(place.to_string(), "").await;
    assert_eq!((report.new, report.rejected), (4_000, 0));
}
