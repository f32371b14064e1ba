//! Resources: the same answers, page by page, and nothing where nothing is.

use super::*;

fn read(desk: &Desk, uri: &str) -> Value {
    let contents = desk.offer.read(uri).unwrap_or_else(|| panic!("{uri}: nothing"));
    assert_eq!((contents.uri.as_str(), contents.mime_type), (uri, "application/json"));
    serde_json::from_str(&contents.text).unwrap()
}

#[tokio::test]
async fn every_resource_that_is_listed_can_be_read() {
    let desk = Desk::seeded().await;
    let listed = desk.offer.resources();
    let uris: Vec<&str> = listed.iter().map(|resource| resource.uri.as_str()).collect();
    assert_eq!(uris, ["reviews://business", "reviews://insights", "reviews://reviews"]);
    for resource in &listed {
        assert!(resource.title.contains("Saltbush") && resource.description.len() > 20, "{resource:?}");
        assert!(desk.offer.read(&resource.uri).unwrap().text.len() <= RESULT_BYTES_MAX, "{}", resource.uri);
    }
    assert_eq!(read(&desk, "reviews://business"), desk.call("get_business", json!({})));
    assert_eq!(read(&desk, "reviews://insights"), desk.call("get_insights", json!({})));
    let templates: Vec<&str> = desk.offer.templates().iter().map(|template| template.uri_template).collect();
    assert_eq!(templates, ["reviews://review/{id}", "reviews://reviews{?cursor}"]);
}

#[tokio::test]
async fn the_dataset_is_read_page_by_page() {
    let desk = Desk::of(TestApp::uncoded(&Generator::new(88).reviews(700)).await).await;
    let (mut ids, mut uri) = (Vec::new(), "reviews://reviews".to_owned());
    loop {
        let page = read(&desk, &uri);
        assert_eq!(page["url"], "https://reviews.example.com/reviews.json");
        ids.extend(page["reviews"].as_array().unwrap().iter().map(|review| review["id"].as_str().unwrap().to_owned()));
        let Some(next) = page.get("next") else { break };
        next.as_str().unwrap().clone_into(&mut uri);
    }
    assert!(ids == desk.app.get("/reviews.json").await.ids(), "{}", ids.len());
}

#[tokio::test]
async fn a_review_is_read_by_its_id_however_that_is_encoded() {
    let mut review = saying(1, "With a sign.".to_owned());
    review.id = "a=b~c".parse().unwrap();
    let desk = Desk::of(TestApp::with(&[review]).await).await;
    for uri in ["reviews://review/a=b~c", "reviews://review/a%3Db~c", "reviews://review/a%3Db%7Ec"] {
        assert_eq!(read(&desk, uri), desk.call("get_review", json!({"id": "a=b~c"})), "{uri}");
    }
}

#[tokio::test]
async fn there_is_nothing_elsewhere() {
    let desk = Desk::seeded().await;
    let foreign = desk.call("search_reviews", json!({"rating": 5, "limit": 1}))["next_cursor"].as_str().unwrap().to_owned();
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
        "reviews://reviews?cursor=",
        "reviews://reviews?cursor=x",
        &format!("reviews://reviews?cursor={foreign}"),
        "file:///etc/passwd",
        "https://reviews.example.com/reviews.json",
    ] {
        assert_eq!(desk.offer.read(uri), None, "{uri}");
    }
}
