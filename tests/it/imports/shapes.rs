//! Where the reviews of a JSON document are, and which members and columns hold their parts.

use super::answers::import_into_new;
use super::*;

fn shown(bench: &Bench) -> String {
    let select = "select author, status, ifnull(response_text, '-') from review order by author";
    bench.sql(select)
}

fn review(name: &str) -> Value {
    json!({"rating": 5, "date": "2026-10-01", "author": name, "text": format!("Text of {name}")})
}

#[tokio::test]
async fn states_beside_and_inside_an_answer_or_review_are_read() {
    let hidden = json!({"hidden": true});
    for (member, value, expected) in [
        ("reply_private", json!(true), "published|-"),
        ("replyStatus", json!("draft"), "published|-"),
        ("reply_meta", json!({"public": false}), "published|-"),
        ("flags", hidden.clone(), "withheld|Thanks"),
        ("meta", json!({"published": false}), "withheld|Thanks"),
        (
            "status",
            json!({"id": 2, "name": "hidden"}),
            "withheld|Thanks",
        ),
        (
            "status",
            json!({"id": 1, "name": "published"}),
            "published|Thanks",
        ),
        ("hasBeenRemoved", json!(true), "withheld|Thanks"),
        ("isRemovedByUser", json!(true), "withheld|Thanks"),
        ("customer", hidden, "published|Thanks"),
    ] {
        let mut flat = review("Ann");
        flat["reply"] = json!("Thanks");
        flat[member] = value.clone();
        let mut nested = json!({"id": "a1", "author": "Ann", "review": flat});
        nested["review"].as_object_mut().unwrap().remove("author");
        for row in [flat, nested] {
            let (bench, _, rejections) =
                import_into_new(json!([row]).to_string(), "--format table").await;
            assert_eq!(rejections, [], "{row}");
            assert_eq!(shown(&bench), format!("Ann|{expected}"), "{row}");
        }
    }
}

#[tokio::test]
async fn the_first_public_answer_is_found_by_states_at_any_depth() {
    for state in [
        json!({"state": {"name": "draft"}}),
        json!({"meta": {"private": true}}),
        json!({"moderation": {"status": "rejected"}}),
        json!({"status": {"id": 2, "name": "hidden"}}),
        json!({"kind": "internal_note"}),
        json!({"audience": "internal"}),
    ] {
        let mut secret = json!({"text": "SECRET"});
        secret
            .as_object_mut()
            .unwrap()
            .extend(state.as_object().unwrap().clone());
        for (name, answer, expected) in [
            ("reply", secret.clone(), "-"),
            ("replies", json!([secret]), "-"),
            ("replies", json!([secret, {"text": "Thanks"}]), "Thanks"),
        ] {
            let mut row = review("Ann");
            row[name] = answer;
            let (bench, _, rejections) =
                import_into_new(json!([row]).to_string(), "--format table").await;
            assert_eq!(rejections, [], "{row}");
            assert_eq!(shown(&bench), format!("Ann|published|{expected}"), "{row}");
        }
    }
}

#[tokio::test]
async fn answers_of_platform_apis_are_read_as_they_are() {
    let yotpo = |archived: bool| {
        json!({"reviews": [{"id": 3, "title": "T", "content": "Fine", "score": 5, "created_at": "2026-10-04T10:00:00.000Z",
            "name": "Ann Bell", "reviewer_type": "verified_buyer", "deleted": false, "archived": archived, "escalated": false}]})
    };
    let judgeme = json!({"current_page": 1, "reviews": [{"id": 11, "title": "T", "body": "Very neat", "rating": 5,
        "reviewer": {"id": 1, "email": "a@e.com", "name": "Ann Bell"}, "source": "web", "curated": "ok", "published": true,
        "hidden": false, "verified": "buyer", "created_at": "2026-10-04T10:00:00+00:00"}]});
    let batch = json!({"locationReviews": [{"name": "accounts/1/locations/77",
        "review": google(1, "g1", &json!({}))}], "nextPageToken": "x"});
    for (content, format, expected) in [
        (yotpo(false), "yotpo_api", "Ann B.|published|-"),
        (yotpo(true), "yotpo_api", "Ann B.|withheld|-"),
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
    // The keys of a store have any order.
    let keyed = json!({"reviews": {"-Na": all[0], "-Nb": all[1], "-Nc": all[2]}});
    let keyed = keyed.to_string().replace("-Na", "-Nz");
    let list = json!({"testimonials": all});
    let deep = json!({"tasks": [{"id": "t", "result": [{"title": "K", "rating": {"value": 4.4}, "items": all}]}]});
    let fields = all.clone().map(
        |review| json!({"id": review["author"], "createdTime": "2020-01-01", "fields": review}),
    );
    // A scraper's list with a few names of Judge.me.
    let scraper = ["Ann", "Bo", "Cy"].map(|name| {
        json!({"review_id": name, "review_date": "2026-10-01", "review_rating": 5,
        "review_title": "", "review_content": format!("Text of {name}"), "reviewer_name": name})
    });
    let mixed = json!({"comments": [{"text": "x"}], "reviews": all});
    for (content, request) in [
        (scraped.to_string(), ""),
        (place.to_string(), "--format table"),
        (keyed, ""),
        (mixed.to_string(), ""),
        (list.to_string(), ""),
        (deep.to_string(), ""),
        (json!(fields).to_string(), ""),
        (json!(scraper).to_string(), ""),
    ] {
        let (bench, _, rejections) = import_into_new(&content, request).await;
        assert_eq!(rejections, [], "{content}");
        let found = "select group_concat(author, ' ') || max(text || reviewed_on) || max(ifnull(title, '')) from (select * from review order by author)";
        let found = bench.sql(found);
        assert_eq!(found, "Ann Bo CyText of Cy2026-10-01", "{content}");
    }
}

#[tokio::test]
async fn a_rendered_member_of_wordpress_is_html() {
    let row = json!({"id": 1, "author_name": "Ann", "date": "2026-10-01T10:00:00", "status": "approved", "meta": {"rating": 5},
        "content": {"rendered": "<p>They&#8217;re neat</p>\n"}});
    let (bench, _, rejections) = import_into_new(json!([row]).to_string(), "").await;
    assert_eq!(rejections, []);
    let text = bench.sql("select text from review");
    assert_eq!(text, "They’re neat");
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
        let refusal = bench().await.refusal(content.to_string()).await;
        assert_has(&refusal, "none of the known formats");
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
async fn a_column_fills_one_field_and_a_site_is_no_source() {
    let bench = bench().await;
    let content =
        "Date,Site,Name,Review,Comments\n2026-10-01,\"12 Elm St, Mesa\",Bell,5,They came on time\n";
    let request = request_for([bench.file("f.csv", content)], "--map rating=Review");
    bench.run(&request).await.0.unwrap();
    let found = "select author, rating, text, source_name from review";
    assert_eq!(bench.sql(found), "Bell|5|They came on time|Direct");
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
