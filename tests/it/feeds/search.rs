//! The feed of a search.

use super::{newest, parse, title_of};
use crate::support::{BASE, Generator, TestApp};

#[tokio::test]
async fn search_feed_has_the_newest_reviews_that_match() {
    let reviews = Generator::new(7).reviews(400);
    let app = TestApp::with(&reviews).await;
    app.name_business().await;
    let answer = app
        .get("/search.atom?sort=lowest&max_rating=2&limit=x&cursor=y&what=1")
        .await;
    assert_eq!(answer.header("content-type"), "application/atom+xml");
    let feed = parse(&answer);
    let low: Vec<_> = reviews
        .iter()
        .filter(|review| review.rating.stars() <= 2)
        .cloned()
        .collect();
    let expected: Vec<String> = newest(&low).into_iter().map(title_of).collect();
    let titles: Vec<String> = feed
        .entries
        .iter()
        .map(|entry| entry.title.as_ref().unwrap().content.clone())
        .collect();
    assert!(!expected.is_empty());
    assert_eq!(titles, expected);
    let address = format!("{BASE}/search.atom?max_rating=2");
    assert_eq!(feed.id, address);
    let links: Vec<_> = feed
        .links
        .iter()
        .map(|link| (link.rel.as_deref().unwrap(), link.href.as_str()))
        .collect();
    let page = format!("{BASE}/search?max_rating=2");
    assert_eq!(links, [("self", address.as_str()), ("alternate", &page)]);
    let updated = feed
        .entries
        .iter()
        .map(|entry| entry.updated)
        .max()
        .unwrap();
    assert_eq!(feed.updated, updated);
    let page = app.text("/search?max_rating=2&sort=lowest").await;
    assert_eq!(
        page.matches(&format!("href=\"{address}\"")).count(),
        2,
        "by rel and visibly"
    );
}

#[tokio::test]
async fn search_feed_has_one_address_for_every_spelling_of_a_search() {
    let app = TestApp::empty().await;
    let id = async |query: &str| parse(&app.get(&format!("/search.atom?{query}")).await).id;
    let one = id("query=b%20c&max_rating=2").await;
    assert_eq!(one, id("max_rating=2&query=b+c&cursor=").await);
    assert_eq!(one, id("max_rating=2.0&match=words&query=b+c").await);
    let feed = async |query: &str| app.get(&format!("/search.atom?{query}")).await;
    let (first, second) = (
        feed("rating=1&has_text=true").await,
        feed("has_text=true&rating=01").await,
    );
    assert_eq!(first.header("etag"), second.header("etag"));
    assert_eq!(id("").await, format!("{BASE}/search.atom"));
    let empty = parse(&app.get("/search.atom?max_rating=1").await);
    let dataset = app.json("/business.json").await;
    let changed_at: chrono::DateTime<chrono::Utc> =
        dataset["updated_at"].as_str().unwrap().parse().unwrap();
    assert_eq!(empty.updated, Some(changed_at), "that of the dataset");
}

#[tokio::test]
async fn search_feed_reports_invalid_parameters() {
    let answer = TestApp::empty()
        .await
        .get("/search.atom?max_rating=6&since=x")
        .await;
    assert_eq!(answer.status, 400);
    assert_eq!(answer.json()["issues"].as_array().unwrap().len(), 2);
}
