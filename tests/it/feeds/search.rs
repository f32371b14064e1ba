//! The feed of a search.

use super::{links_of, newest, parse, title_of};
use crate::support::{BASE, Generator, TestApp, str_of};

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
    let mut low = reviews;
    low.retain(|review| review.rating.stars() <= 2);
    let expected: Vec<String> = newest(&low).into_iter().map(title_of).collect();
    let entries = feed.entries.iter();
    let titles = entries.map(|entry| &entry.title.as_ref().unwrap().content);
    assert!(!expected.is_empty() && titles.eq(&expected));
    let address = format!("{BASE}/search.atom?max_rating=2");
    assert_eq!(feed.id, address);
    let title = &feed.title.as_ref().unwrap().content;
    assert!(title.ends_with(": max_rating 2"), "{title}");
    let page = format!("{BASE}/search?max_rating=2");
    let links = [("self", address.as_str()), ("alternate", &page)];
    assert_eq!(links_of(&feed), links);
    let updated = feed.entries.iter().map(|entry| entry.updated).max();
    assert_eq!(Some(feed.updated), updated);
    // By rel and visibly.
    let page = app.text("/search?max_rating=2&sort=lowest").await;
    let link = format!("href=\"{address}\"");
    assert_eq!(page.matches(&link).count(), 2);
}

#[tokio::test]
async fn search_feed_has_one_address_for_every_spelling_of_a_search() {
    let app = TestApp::empty().await;
    let id = async |query: &str| parse(&app.get(&format!("/search.atom?{query}")).await).id;
    let one = id("query=b%20c&max_rating=2").await;
    assert_eq!(one, id("max_rating=2&query=b+c&cursor=").await);
    assert_eq!(one, id("max_rating=2.0&match=words&query=b+c").await);
    let tag = async |query: &str| {
        let answer = app.get(&format!("/search.atom?{query}")).await;
        answer.header("etag").to_owned()
    };
    let one = tag("rating=1&has_text=true").await;
    assert_eq!(one, tag("has_text=true&rating=01").await);
    assert_eq!(id("").await, format!("{BASE}/search.atom"));
    // An empty feed has the time of the dataset's change.
    let empty = parse(&app.get("/search.atom?max_rating=1").await);
    let business = app.json("/business.json").await;
    let changed_at = str_of(&business["updated_at"]).parse();
    assert_eq!(empty.updated, changed_at.ok());
}
