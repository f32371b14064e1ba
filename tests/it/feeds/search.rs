//! The feed of a search.

use super::{links_of, newest, parse, title_of};
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
