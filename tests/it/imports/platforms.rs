//! Exports of every platform in their real shape: detected by content, and without their private data.

use std::fmt::Write as _;

use super::*;

/// Fixture, format, number of reviews.
const FIXTURES: [(&str, &str, u64); 41] = [
    ("app_store.json", "app_store", 3),
    ("app_store_feed.json", "app_store_feed", 2),
    ("birdeye.json", "birdeye", 3),
    ("booking.csv", "booking", 4),
    ("delighted.json", "delighted", 2),
    ("facebook.csv", "facebook", 2),
    ("facebook-recommendations.json", "facebook", 2),
    ("feefo.json", "feefo", 2),
    ("google.json", "google", 2),
    ("google_places.json", "google_places", 2),
    ("google_places_old.json", "google_places", 1),
    ("google_play.csv", "google_play", 3),
    ("google_play.json", "google_play", 2),
    ("gosom.json", "gosom", 2),
    ("hubspot.json", "hubspot", 2),
    ("judgeme.csv", "judgeme", 3),
    ("jsonl.jsonl", "jsonl", 2),
    ("magento.csv", "magento", 3),
    ("okendo.csv", "okendo", 2),
    ("opencart.csv", "opencart", 3),
    ("outscraper_trustpilot.csv", "outscraper_trustpilot", 2),
    ("podium.json", "podium", 2),
    ("powerreviews.csv", "powerreviews", 2),
    ("prestashop.csv", "prestashop", 4),
    ("reviews-json.json", "reviews-json", 1),
    ("reviews_io.json", "reviews_io", 2),
    ("schema_org.html", "schema-org", 1),
    ("schema_org.json", "schema-org", 2),
    ("serpapi.json", "serpapi", 2),
    ("servicetitan.csv", "servicetitan", 3),
    ("shopware.csv", "shopware", 2),
    ("shopware.json", "shopware", 3),
    ("site_reviews.csv", "site_reviews", 3),
    ("stamped.csv", "stamped", 2),
    ("strong_testimonials.csv", "strong_testimonials", 4),
    ("table.csv", "table", 2),
    ("trustpilot.json", "trustpilot", 2),
    ("woocommerce_rest.json", "woocommerce_rest", 3),
    ("yelp.json", "yelp", 1),
    ("yotpo.csv", "yotpo", 2),
    ("yotpo_api.json", "yotpo_api", 2),
];
/// What must be decided about the columns of a fixture.
fn options(name: &str) -> &'static str {
    match name {
        "table.csv" => "--map author=Reviewer --map verified=Verified --ignore-others",
        "hubspot.json" => "--map rating=properties.visit_stars",
        _ => "",
    }
}

fn content(name: &str) -> Vec<u8> {
    fs::read(fixture("imports").join(name)).unwrap()
}

impl Bench {
    /// All reviews as text, ordered by ID.
    async fn all(&self) -> String {
        let mut reader = self.database.readers().acquire().await.unwrap();
        let reviews =
            sqlx::query_scalar::<_, String>("select review_id from review order by review_id")
                .fetch_all(&mut *reader)
                .await
                .unwrap();
        let mut text = String::new();
        for id in reviews {
            let known = reviews::standing(&mut reader, &[&id]).await.unwrap();
            let review = known.values().next().unwrap().review().unwrap();
            let _ = writeln!(
                text,
                "{id}: {} stars, {}, {}, {:?}, {:?}",
                review.rating.stars(),
                review.date,
                review.author,
                review.title,
                review.text
            );
            let verification = (
                review.verification.verified,
                review.verification.method.name(),
            );
            let _ = writeln!(
                text,
                "  {:?} {:?} {verification:?} {:?} {:?}",
                review.language, review.source, review.status, review.mentions.technicians
            );
            let _ = writeln!(text, "  {:?} {:?}", review.response, review.updated_at);
        }
        text
    }
}

#[tokio::test]
async fn every_platform_export_is_detected_by_content() {
    for (name, format, new) in FIXTURES {
        let original = bench_in_phoenix().await;
        let request = request_for([original.file(name, content(name))], options(name));
        let (report, rejections) = original.run(&request).await;
        let report = report.unwrap();
        assert_eq!(
            (report.files[0].format, counts(&report), &rejections),
            (format, (new, 0, 0, 0), &Vec::new()),
            "{name}"
        );
        let all = original.all().await;
        insta::assert_snapshot!(name.replace('.', "_"), all);
        let renamed = bench_in_phoenix().await;
        let file = renamed.file("Download (3).tmp", content(name));
        let report = renamed.done(file, options(name)).await;
        assert_eq!(
            (report.files[0].format, counts(&report).0),
            (format, new),
            "{name}, renamed"
        );
        assert_eq!(renamed.all().await, all, "{name}, renamed");
        let (again, _) = renamed
            .import(&[&renamed.file("again", content(name))])
            .await;
        assert_eq!(counts(&again), (0, 0, new, 0), "{name}, again");
    }
}

#[tokio::test]
async fn private_data_is_not_stored_or_shown_or_in_rejected_rows() {
    let bench = bench_in_phoenix().await;
    for (name, ..) in FIXTURES {
        bench
            .done(bench.file(name, content(name)), options(name))
            .await;
        // The same file with invalid ratings.
        let broken = String::from_utf8_lossy(&content(name))
            .replace("rating\":", "rating\":[1],\"x\":")
            .replace(",5,", ",fivë,")
            .replace(",1,", ",??,");
        let (_, rejections) = bench
            .run(&request_for([bench.file("broken", broken)], options(name)))
            .await;
        for rejection in rejections {
            let text = format!("{rejection} {}", rejection.row);
            assert!(
                PRIVATE.iter().all(|private| !text.contains(private)),
                "{name}: {text}"
            );
        }
    }
    assert_not_stored(&bench, &PRIVATE, "imports");
}

#[tokio::test]
async fn every_format_has_a_fixture() {
    let exports = exports::exports().into_iter().map(|[_, format, ..]| format);
    let known: Vec<&str> = FIXTURES
        .iter()
        .map(|(_, format, _)| *format)
        .chain(exports)
        .collect();
    let missing: Vec<&str> = format_names()
        .filter(|format| !known.contains(format))
        .collect();
    assert_eq!(missing, [] as [&str; 0]);
}

#[tokio::test]
async fn rejected_rows_and_names_contain_no_private_data() {
    let private = ["@example.com", "+1 602", "192.0.2.1", "photo"];
    let own = json!([
        {"id": "r", "rating": "nine", "date": "2026-10-01", "author": "Jane Doe <jane@example.com>", "text": "Fine.",
            "email": "jane@example.com", "phone": "+1 602", "source": {"name": "Web", "ip": "192.0.2.1"},
            "response": {"text": "Thanks.", "author": {"email": "o@example.com"}}, "title": null},
        native(&json!({}))]);
    let document =
        json!({"business": {"id": "x", "name": "X"}, "aggregate_rating": {}, "reviews": own});
    let google = json!({"reviews": [google(1, "a", &json!({"starRating": "NINE", "ip": "192.0.2.1",
        "reviewer": {"displayName": "jane@example.com", "profilePhotoUrl": "photo"},
        "reviewReply": {"comment": "Thanks.", "replyAuthorEmail": "o@example.com"}}))]});
    let linked = json!({"@context": "https://schema.org", "@type": "Review", "reviewRating": {"ratingValue": "nine"},
        "author": [{"@type": "Person", "name": "jane@example.com", "email": "jane@example.com"}], "email": "jane@example.com",
        "reviewBody": "Fine.", "datePublished": "2026-10-01",
        "comment": {"text": "Thanks.", "author": {"name": "Owner", "email": "o@example.com"}}});
    let trustpilot = json!({"reviews": [{"id": "1", "stars": 9, "createdAt": "2026-10-16T07:00:00Z", "title": "Fine",
        "consumer": {"displayName": "jane@example.com", "email": "jane@example.com"}}]});
    let table = "Date,Stars,Name,Comment,Email\n2026-10-02,nine,jane@example.com,Fine.,jane@example.com\n\
        2026-10-02,nine,Jane Doe <jane@example.com>,Fine.,x@example.com\n2026-10-02,5,Al,Good.,a@example.com\n";
    for (content, kept) in [
        (own.to_string(), "\"source.name\":\"Web\""),
        (document.to_string(), "Jane Doe"),
        (google.to_string(), "accounts/1/locations/77/reviews/a"),
        (linked.to_string(), "\"reviewRating.ratingValue\":\"nine\""),
        (trustpilot.to_string(), "2026-10-16T07:00:00"),
        (table.to_owned(), "Jane Doe"),
    ] {
        let (_, _, rejections) = import_into_new(&content, "--ignore-others").await;
        let rows: Vec<String> = rejections.iter().map(|its| its.row.to_string()).collect();
        let rows = rows.join("\n");
        assert_has(&rows, kept);
        assert!(!private.iter().any(|its| rows.contains(its)), "{rows}");
    }
    let select = "select group_concat(author, ', ') from (select author from review order by 1)";
    let authors = found(table.replace("nine", "5"), "--ignore-others", select).await;
    assert_eq!(authors, "Al, Anonymous, Jane Doe");
}

#[tokio::test]
async fn reviews_with_a_blank_id_are_different_reviews() {
    let bench = bench().await;
    let review = |author: &str, id: &str| {
        json!({"@type": "Review", "@id": id, "identifier": "", "author": author,
            "reviewRating": {"ratingValue": 5}, "datePublished": "2026-10-01", "reviewBody": "Fine"})
    };
    let page = json!({"@context": "https://schema.org", "@graph":
        [review("Ann", ""), review("Ben", " "), review("Cal", ""), review("Dan", " ")]});
    let (report, rejections) = bench.take(&page.to_string()).await;
    assert_eq!(
        (counts(&report), rejections),
        ((4, 0, 0, 0), Vec::new()),
        "{report:?}"
    );
}

#[tokio::test]
async fn an_invalid_url_is_not_published() {
    let bench = bench().await;
    for (id, address, shown) in [
        ("a", "https://", None),
        ("b", "httpx://a.example", None),
        ("c", "https://a.example/r", Some("https://a.example/r")),
    ] {
        let review = json!({"@context": "https://schema.org", "@type": "Review", "@id": id, "url": address,
            "author": "Ann", "reviewRating": {"ratingValue": 5}, "datePublished": "2026-10-01", "reviewBody": "Fine"});
        let (report, _) = bench.take(&review.to_string()).await;
        assert_eq!(counts(&report), (1, 0, 0, 0), "{address}");
        let review = bench.find(&format!("schema-{id}")).await.unwrap();
        assert_eq!(review.source.url.as_deref(), shown, "{address}");
    }
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
    let file = bench.file("page.json", page.to_string());
    let asked = bench.asked(page.to_string(), "").await;
    assert!(matches!(asked.questions[0].asks, Asks::Order { .. }));
    let plain = page.to_string().replace("10/01/2026", "2026-10-01");
    let (_, rejections) = super::bench().await.take(plain).await;
    let message = rejections[0].to_string();
    assert_has(&message, "pass --scale 5");
    let request = request_for(
        [file],
        "--scale 5 --date-format %m/%d/%Y --source 'Our site'",
    );
    let (report, rejections) = bench.run(&request).await;
    assert_eq!(counts(&report.unwrap()), (3, 0, 0, 0), "{rejections:?}");
    for id in ["schema-a", "schema-b", "schema-c"] {
        let review = bench.find(id).await.unwrap();
        assert_eq!(
            (review.rating.stars(), review.date.to_string()),
            (5, "2026-10-01".to_owned()),
            "{id}"
        );
        assert_eq!(review.source.name, "Our site");
    }
    let nine = review("d", json!({"ratingValue": "9"}), "2026-10-01").to_string();
    let request = request_for([bench.file("nine.json", nine)], "--scale 10");
    let (report, rejections) = bench.run(&request).await;
    assert_eq!(counts(&report.unwrap()), (1, 0, 0, 0), "{rejections:?}");
    assert_eq!(bench.find("schema-d").await.unwrap().rating.stars(), 5);
}

#[tokio::test]
async fn reviews_with_the_same_page_url_are_distinguished() {
    let linked = |author: &str, stars: u8, text: &str| {
        json!({"@context": "https://schema.org", "@type": "Review", "url": "https://x.example/reviews", "author": author,
            "reviewRating": {"ratingValue": stars}, "datePublished": "2026-10-02", "reviewBody": text})
    };
    let ann = linked("Ann", 1, "Late.");
    let more = [
        linked("Bo", 5, "Good."),
        linked("Cy", 2, ""),
        linked("Cy", 3, ""),
    ];
    let page = |rows: &[&Value]| json!(rows).to_string();
    let all = page(&[&ann, &more[0], &more[1], &more[2]]);
    let bench = bench().await;
    for (content, counted) in [
        (page(&[&ann]), (1, 0, 0, 0)),
        (all.clone(), (3, 0, 1, 0)),
        (all.clone(), (0, 0, 4, 0)),
        (page(&[&more[1]]), (0, 0, 1, 0)),
    ] {
        let (report, rejections) = bench.take(content).await;
        assert_eq!((counts(&report), rejections), (counted, Vec::new()));
    }
    let select = "select group_concat(author || rating, ' ') from (select author, rating from review order by 1, 2)";
    assert_eq!(bench.sql(select), "Ann1 Bo5 Cy2 Cy3");
}

/// Of the reviews in a new database, the author with the status, or the reason for withholding.
async fn statuses(content: &str) -> String {
    let select = "select group_concat(author || ' ' || iif(status = 'published', status, withheld_reason), ', ')
        from (select * from review order by author)";
    found(content, "", select).await
}

#[tokio::test]
async fn reviews_that_a_platform_hides_are_withheld() {
    let trustpilot = json!([{"id": "t", "stars": 1, "text": "Gone", "createdAt": "2026-10-15T07:00:00Z", "status": "archived",
        "consumer": {"id": "c", "displayName": "Elke"}}]);
    let linked = json!({"@context": "https://schema.org", "@type": "Review", "@id": "s", "reviewRating": {"ratingValue": 5},
        "author": "Ann", "datePublished": "2026-10-01", "reviewBody": "Fine", "creativeWorkStatus": "Draft"});
    let yotpo = |archived: bool| {
        json!({"reviews": [{"id": 3, "content": "Fine", "score": 5, "created_at": "2026-10-04T10:00:00.000Z", "name": "Ann",
            "reviewer_type": "verified_buyer", "deleted": false, "archived": archived}]})
    };
    let stamped = |state: Value| {
        json!({"results": [{"review": {"id": 1, "author": "Ann", "reviewRating": 5, "reviewMessage": "Nice",
            "dateCreated": "2026-10-04T15:10:40Z", "reviewState": state}}]})
    };
    let hidden = "not published at the source";
    for (content, expected) in [
        (trustpilot, format!("Elke {hidden}")),
        (linked, format!("Ann {hidden}")),
        (yotpo(true), "Ann hidden at the source".to_owned()),
        (yotpo(false), "Ann published".to_owned()),
        (stamped(json!(2)), "Ann published".to_owned()),
        (
            stamped(json!("rejected")),
            "Ann hidden at the source".to_owned(),
        ),
    ] {
        assert_eq!(statuses(&content.to_string()).await, expected, "{content}");
    }
    let shop = "comment_ID,comment_author,comment_date,comment_content,rating,comment_parent,comment_approved\n\
        1,Ann,2026-10-02,Fine,5,0,1\n2,Bo,2026-10-02,Pills,5,0,spam\n3,Cy,2026-10-02,Late,2,0,0\n4,Di,2026-10-02,Good,4,0,\n\
        5,Ed,2026-10-02,Fair,3,0,perhaps\n";
    let withheld = ["Bo", "Cy", "Di", "Ed"].map(|author| format!("{author} {hidden}"));
    let expected = format!("Ann published, {}", withheld.join(", "));
    assert_eq!(statuses(shop).await, expected);
}

#[tokio::test]
async fn scores_that_are_no_stars_are_rejected_with_their_survey() {
    let delighted = |survey: Value| {
        json!([{"id": "1", "person": "10", "survey_type": survey, "score": 5, "comment": "Fine.",
            "permalink": "https://delighted.example/r/1", "created_at": 1_791_813_802}])
    };
    let hubspot = json!({"results": [{"id": "9", "archived": false, "properties": {"hs_survey_type": "NPS", "hs_value": "5",
        "hs_content": "Fine.", "hs_submission_timestamp": "2026-10-12T14:03:22Z", "stars": "5"}}]});
    let nps = r#"survey_type: the score of "nps" is no rating in stars; leave out all surveys but stars_five"#;
    for (content, options, expected) in [
        (delighted(json!("nps")), "", nps),
        (
            delighted(json!("csat")),
            "",
            r#"the score of "csat" is no rating in stars"#,
        ),
        (delighted(Value::Null), "", "survey_type: missing"),
        (
            hubspot,
            "--map rating=properties.stars",
            r#"the score of "NPS" is no rating in stars"#,
        ),
    ] {
        let bench = bench_in_phoenix().await;
        let file = bench.file("surveys.json", content.to_string());
        let (report, rejections) = bench.run(&request_for([file], options)).await;
        assert_eq!(counts(&report.unwrap()), (0, 0, 0, 1), "{content}");
        assert_has(&rejections[0].to_string(), expected);
    }
}

#[tokio::test]
async fn an_answer_beside_the_reviews_goes_only_if_the_file_says_so() {
    let bench = bench_in_phoenix().await;
    bench.take(content("app_store.json")).await;
    let text = |bench: &Bench| bench.sql("select group_concat(response_text) from review");
    assert_eq!(text(&bench), "Thank you, Jill.");
    let mut page: Value = serde_json::from_slice(&content("app_store.json")).unwrap();
    page.as_object_mut().unwrap().remove("included");
    let response = page["data"][0]["relationships"]["response"]
        .as_object_mut()
        .unwrap();
    response.remove("data");
    bench.take(page.to_string()).await;
    assert_eq!(text(&bench), "Thank you, Jill.");
    page["data"][0]["relationships"]["response"] = json!({"data": null});
    bench.take(page.to_string()).await;
    assert_eq!(text(&bench), "");
}

#[tokio::test]
async fn a_file_without_the_flag_of_its_platform_shows_nothing() {
    let page = String::from_utf8(content("app_store.json")).unwrap();
    let select = "select count(response_text) from review";
    assert_eq!(found(page.as_str(), "", select).await, "1");
    assert_eq!(
        found(page.replace("\"state\"", "\"phase\""), "", select).await,
        "0"
    );
}

#[tokio::test]
async fn map_may_name_the_columns_that_a_platform_joins() {
    let bench = bench_in_phoenix().await;
    let options = "--map 'text=Positive review' --map 'text=Negative review' --scale 10";
    let report = bench
        .done(bench.file("guests.csv", content("booking.csv")), options)
        .await;
    assert_eq!(
        (report.files[0].format, counts(&report)),
        ("booking", (4, 0, 0, 0))
    );
    let file = bench.file("guests.csv", content("booking.csv"));
    let message = bench
        .refuse(&request_for([file], "--map 'text=Review title'"))
        .await;
    assert_has(&message, "whose text is Positive review, Negative review");
}

#[tokio::test]
async fn an_empty_state_hides_and_an_empty_deletion_does_not() {
    for [header, row, expected] in table(
        "
            reviewer_name,review_date,product_handle,rating,body,curated → Ann,2026-10-02,p,5,Fine, → Ann not let through at the source
            review_id,review_content,review_score,display_name,date,published → 1,Fine,5,Ann,2026-10-02, → Ann hidden at the source
            review_id,review_content,review_score,display_name,date,deleted → 1,Fine,5,Ann,2026-10-02, → Ann published
        ",
    ) {
        assert_eq!(statuses(&format!("{header}\n{row}\n")).await, expected);
    }
}
