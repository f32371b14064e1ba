//! Where the reviews of a JSON document are, and in which forms members hold their parts.

use super::*;

fn shown(bench: &Bench) -> String {
    let select = "select author, status, ifnull(response_text, '-') from review order by author";
    bench.sql(select)
}

fn review(name: &str) -> Value {
    json!({"rating": 5, "date": "2026-10-01", "author": name, "text": format!("Text of {name}")})
}

#[tokio::test]
async fn answers_of_platform_apis_are_read_as_they_are() {
    let judgeme = json!({"current_page": 1, "reviews": [{"id": 11, "title": "T", "body": "Very neat", "rating": 5,
        "reviewer": {"id": 1, "email": "a@e.com", "name": "Ann Bell"}, "source": "web", "curated": "ok", "published": true,
        "hidden": false, "verified": "buyer", "created_at": "2026-10-04T10:00:00+00:00"}]});
    let batch = json!({"locationReviews": [{"name": "accounts/1/locations/77",
        "review": google(1, "g1", &json!({}))}], "nextPageToken": "x"});
    for (content, format, expected) in [
        (judgeme, "judgeme", "Ann B.|published|-"),
        (batch, "google", "Ann Baker|published|-"),
    ] {
        let (bench, report, rejections) = import_into_new(content.to_string(), "").await;
        assert_eq!((report.files[0].format, rejections), (format, vec![]));
        assert_eq!(shown(&bench), expected, "{content}");
    }
}

#[tokio::test]
async fn all_reviews_of_a_document_are_found() {
    let all = ["Ann", "Bo", "Cy"].map(review);
    let gosom = |names: &[&str]| -> Value {
        let row = |name: &&str| json!({"Name": name, "ProfilePicture": "u", "Rating": 5, "Description": format!("Text of {name}"), "When": "2026-10-1"});
        names.iter().map(row).collect()
    };
    let scraped = json!([{"title": "K", "place_id": "P1", "user_reviews": gosom(&["Ann"]),
        "user_reviews_extended": gosom(&["Ann", "Bo", "Cy"])}]);
    let place = json!([{"name": "K", "images": [{"url": "u"}], "reviews": all}]);
    let list = json!({"testimonials": all});
    let deep = json!({"tasks": [{"id": "t", "result": [{"title": "K", "rating": {"value": 4.4}, "items": all}]}]});
    // A scraper's list with a few names of Judge.me.
    let scraper = ["Ann", "Bo", "Cy"].map(|name| {
        json!({"review_id": name, "review_date": "2026-10-01", "review_rating": 5,
        "review_title": "", "review_content": format!("Text of {name}"), "reviewer_name": name})
    });
    let mixed = json!({"comments": [{"text": "x"}], "reviews": all});
    for content in [
        scraped.to_string(),
        place.to_string(),
        mixed.to_string(),
        list.to_string(),
        deep.to_string(),
        json!(scraper).to_string(),
    ] {
        let (bench, _, rejections) = import_into_new(&content, "--ignore-others").await;
        assert_eq!(rejections, [], "{content}");
        let found = "select group_concat(author, ' ') || max(text || reviewed_on) || max(ifnull(title, '')) from (select * from review order by author)";
        let found = bench.sql(found);
        assert_eq!(found, "Ann Bo CyText of Cy2026-10-01", "{content}");
    }
}

#[tokio::test]
async fn a_rendered_member_of_wordpress_is_html() {
    let row = json!({"id": 7, "author_name": "Ann", "date": "2026-10-01T10:00:00", "status": "approved", "meta": {"rating": 5},
        "content": {"rendered": "<p>They&#8217;re neat</p>\n"}});
    let options = "--map rating=meta.rating --map text=content.rendered --public status=approved";
    let text = found(json!([row]).to_string(), options, "select text from review").await;
    assert_eq!(text, "They’re neat");
}

#[tokio::test]
async fn a_platform_is_known_by_its_names_in_any_spelling() {
    let titan = "Publish Date,Author Name,Rating,Review,Technician Full Name\n2026-03-14,Ann Bell,5,Nice fan,Bo Tech\n";
    let json = json!([{"PublishDate": "2026-03-14", "AuthorName": "Ann Bell", "Rating": "5", "Review": "Nice fan",
        "TechnicianFullName": "Bo Tech"}]);
    let google = "starRating,comment,createTime,reviewer.displayName,reviewId\nFIVE,Nice,2026-03-14T10:00:00Z,Ann,r1\n";
    for (content, format) in [
        (titan, "servicetitan"),
        (&json.to_string(), "servicetitan"),
        (google, "google"),
    ] {
        let (_, report, _) = import_into_new(content, "").await;
        assert_eq!((report.files[0].format, report.new), (format, 1));
    }
    // A few of its names are those of any table.
    let table = "Create Time,Name,Star Rating,Comment\n2026-03-14,Ann,5,Nice\n";
    let (_, report, _) = import_into_new(table, "").await;
    assert_eq!((report.files[0].format, report.new), ("table", 1));
}

#[tokio::test]
async fn a_document_without_found_reviews_is_no_empty_export() {
    for content in [
        json!({"averageRating": 4.5, "totalReviewCount": 7}),
        json!({"locations": [{"name": "accounts/1/locations/2"}], "nextPageToken": "x"}),
        json!({"nextPageToken": "x"}),
        json!({"reviews": "[{\"rating\": 5}]"}),
        json!({"reviews": {"items": [{"a": 1}]}, "totalReviewCount": 2}),
    ] {
        let bench = bench().await;
        bench.refusal(content.to_string()).await;
        assert_eq!(bench.sql("select count(*) from import_run"), "0");
    }
    for content in [
        json!({"reviews": [], "totalReviewCount": 0}),
        json!({"totalReviewCount": 0}),
        json!({}),
    ] {
        let (report, _) = bench().await.take(content.to_string()).await;
        assert_eq!(counts(&report), (0, 0, 0, 0), "{content}");
    }
}

#[tokio::test]
async fn json_in_a_cell_of_a_table_rejects_the_row() {
    for cell in [
        "\"{\"\"text\"\":\"\"Thanks\"\",\"\"public\"\":false}\"",
        "\"[{'text': 'Thanks'}]\"",
    ] {
        let bench = bench().await;
        let head = "Date,Stars,Name,Comment,Reply\n";
        let rows = format!("2026-10-01,5,Ann,Nice,{cell}\n2026-10-02,4,Bo,{{fine}},Ty\n");
        let (report, rejections) = bench.take(format!("{head}{rows}")).await;
        assert_eq!(counts(&report), (1, 0, 0, 1));
        assert_has(&rejections[0].error, "is JSON");
    }
}

#[tokio::test]
async fn a_cut_first_line_of_json_lines_is_one_rejected_row() {
    let good = native(&json!({})).to_string();
    let (report, rejections) = bench()
        .await
        .take(format!("{{\"id\":\"r-0\",\"rating\":5,\n{good}\n"))
        .await;
    assert_eq!((counts(&report), rejections.len()), ((1, 0, 0, 1), 1));
}

#[tokio::test]
async fn reviews_within_their_place_share_its_cells() {
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
