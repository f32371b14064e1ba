//! Resources: the same answers as the tools, page by page, and errors for unknown URIs.

use super::*;

fn read(tool_app: &ToolApp, uri: &str) -> Value {
    let text = tool_app.catalog.read(uri);
    serde_json::from_str(&text.unwrap_or_else(|error| panic!("{uri}: {error:?}"))).unwrap()
}

/// `reason` is part of the message about an argument; `None` means that the resource does not exist.
fn assert_refused(tool_app: &ToolApp, uri: &str, reason: Option<&str>) {
    match (tool_app.catalog.read(uri), reason) {
        (Err(CallError::Unknown), None) => {}
        (Err(CallError::Arguments(refusal)), Some(reason)) if refusal.contains(reason) => {}
        (read, _) => panic!("{uri}: {read:?}"),
    }
}

#[tokio::test]
async fn every_resource_that_is_listed_can_be_read() {
    let tool_app = ToolApp::seeded().await;
    let listed = tool_app.catalog.resources();
    let uris: Vec<&str> = listed
        .iter()
        .map(|resource| resource.uri.as_str())
        .collect();
    assert_eq!(
        uris,
        [
            "reviews://business",
            "reviews://insights",
            "reviews://reviews"
        ]
    );
    for resource in &listed {
        assert!(
            resource.title.as_ref().unwrap().contains("Saltbush")
                && resource.description.as_ref().unwrap().len() > 20,
            "{resource:?}"
        );
        assert!(
            tool_app.catalog.read(&resource.uri).unwrap().len() <= RESULT_BYTES_MAX,
            "{}",
            resource.uri
        );
    }
    assert_eq!(
        read(&tool_app, "reviews://business"),
        tool_app.call("get_business", json!({}))
    );
    assert_eq!(
        read(&tool_app, "reviews://insights"),
        tool_app.call("get_insights", json!({}))
    );
    let templates: Vec<&str> = tool_app
        .catalog
        .templates
        .iter()
        .map(|template| template.uri_template.as_str())
        .collect();
    assert_eq!(
        templates,
        [
            "reviews://review/{id}",
            "reviews://evidence/{aspect}{?polarity,technician,service,since,until,hits,limit,cursor}",
            "reviews://reviews{?cursor}"
        ]
    );
}

#[tokio::test]
async fn the_dataset_is_read_page_by_page() {
    let tool_app = ToolApp::of(TestApp::uncoded(&Generator::new(88).reviews(700)).await).await;
    let (mut ids, mut uri) = (Vec::new(), "reviews://reviews".to_owned());
    loop {
        let page = read(&tool_app, &uri);
        assert_eq!(page["url"], "https://reviews.example.com/reviews.json");
        ids.extend(
            page["reviews"]
                .as_array()
                .unwrap()
                .iter()
                .map(|review| review["id"].as_str().unwrap().to_owned()),
        );
        let Some(next) = page.get("next") else { break };
        next.as_str().unwrap().clone_into(&mut uri);
    }
    assert!(
        ids == tool_app.app.get("/reviews.json").await.ids(),
        "{}",
        ids.len()
    );
}

#[tokio::test]
async fn a_review_is_read_by_its_id_however_that_is_encoded() {
    let mut review = review_with_text(1, "With a sign.".to_owned());
    review.id = "a=b~c".parse().unwrap();
    let tool_app = ToolApp::of(TestApp::with(&[review]).await).await;
    for uri in [
        "reviews://review/a=b~c",
        "reviews://review/a%3Db~c",
        "reviews://review/a%3Db%7Ec",
    ] {
        assert_eq!(
            read(&tool_app, uri),
            tool_app.call("get_review", json!({"id": "a=b~c"})),
            "{uri}"
        );
    }
}

#[tokio::test]
async fn evidence_is_read_by_its_aspect_and_filters() {
    let tool_app = ToolApp::seeded().await;
    assert_eq!(
        read(
            &tool_app,
            "reviews://evidence/price?polarity=negative&limit=2&hits=false"
        ),
        tool_app.call(
            "get_evidence",
            json!({"aspect": "price", "polarity": "negative", "limit": 2, "hits": false})
        )
    );
    for (uri, refused) in [
        ("reviews://evidence/parking", None),
        ("reviews://evidence/price?polarity=bad", Some("- polarity:")),
        ("reviews://evidence/price?star=1", Some("- star:")),
    ] {
        assert_refused(&tool_app, uri, refused);
    }
}

#[tokio::test]
async fn answers_link_their_reviews_and_evidence_on_request() {
    let tool_app = ToolApp::seeded().await;
    for (tool, arguments, count) in [
        ("search_reviews", json!({"limit": 3}), 3),
        ("get_reviews_since", json!({"date": "2026-01-01"}), 10),
        ("get_evidence", json!({"aspect": "price", "limit": 2}), 2),
        ("get_insights", json!({"aspect": "price"}), 1),
        ("get_insights", json!({}), 0),
    ] {
        for (links, count) in [
            (Value::Null, 0),
            (json!(false), 0),
            (json!(true), count),
            (json!("true"), count),
        ] {
            let mut asked = arguments.clone();
            asked["links"] = links;
            // In the message they follow the text, which is the same without them.
            let content = tool_app.wire_result(tool, asked.clone()).await.1["content"].take();
            let content = content.as_array().unwrap();
            assert_eq!(content.len(), 1 + count, "{tool} {asked}");
            let structured = tool_app.call(tool, arguments.clone());
            assert_eq!(
                content[0]["text"],
                escaped_json(&structured),
                "{tool} {asked}"
            );
            for link in &content[1..] {
                assert_eq!(link["type"], "resource_link");
                let uri = link["uri"].as_str().unwrap();
                assert!(tool_app.catalog.read(uri).is_ok(), "{uri}");
            }
        }
    }
    let refusal = tool_app.refused("search_reviews", json!({"links": "some"}));
    assert!(
        refusal.contains("links: must be one of: true, false"),
        "{refusal}"
    );
    let refusal = tool_app.refused("list_facets", json!({"links": true}));
    assert!(refusal.contains("links: is not an argument"), "{refusal}");
}

#[tokio::test]
async fn unknown_uris_have_no_resource() {
    let tool_app = ToolApp::seeded().await;
    let foreign = tool_app.call("search_reviews", json!({"rating": 5, "limit": 1}))["next_cursor"]
        .as_str()
        .unwrap()
        .to_owned();
    for uri in [
        "",
        "reviews://",
        "reviews://business/",
        "reviews://Business",
        "REVIEWS://business",
        "reviews://review/",
        "reviews://review/none",
        "reviews://review/r-1150/",
        "reviews://review/%FF",
        "reviews://review/..%2F..%2Fetc",
        "file:///etc/passwd",
        "https://reviews.example.com/reviews.json",
    ] {
        assert_refused(&tool_app, uri, None);
    }
    for cursor in ["", "x", &foreign] {
        let uri = format!("reviews://reviews?cursor={cursor}");
        assert_refused(&tool_app, &uri, Some("- cursor:"));
    }
}
