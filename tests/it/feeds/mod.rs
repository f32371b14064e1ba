//! The feeds: the 50 newest reviews as JSON Feed 1.1 and Atom, read with independent parsers.

mod dates_and_ids;

use chrono::{DateTime, Utc};
use feed_rs::model::{Entry, Feed};
use reviews_service::model::{Mentions, Review};
use serde_json::{Value, json};

use crate::support::{
    Answer, BASE, Generator, TestApp, array_of, assert_has, published, review_with_text, str_of,
};

const HUB: &str = "https://reviews.sample.test/api/websub/hub";

fn parse(answer: &Answer) -> Feed {
    feed_rs::parser::parse(answer.body.as_slice())
        .unwrap_or_else(|error| panic!("{error}: {}", answer.text()))
}

async fn feeds(app: &TestApp) -> (Value, Feed) {
    (
        app.json("/api/feed.json").await,
        parse(&app.get("/feed.xml").await),
    )
}

/// The 50 newest published reviews in order.
fn newest(reviews: &[Review]) -> Vec<&Review> {
    published(reviews).into_iter().take(50).collect()
}

fn text_of(entry: &Entry) -> &str {
    let content = entry.content.as_ref();
    let body = content.and_then(|content| content.body.as_deref());
    body.unwrap_or_default()
}

/// The title of a review in both feeds: stars and author.
fn title_of(review: &Review) -> String {
    let stars = usize::from(review.rating.stars());
    let (full, empty) = ("★".repeat(stars), "☆".repeat(5 - stars));
    format!("{full}{empty} {}", review.author)
}

/// The owner's answer, as below the text of a review; the firm has no name here.
fn answer_of(review: &Review) -> Option<String> {
    let answer = review.reply.as_ref()?;
    Some(format!("Reply from Unnamed business:\n{}", answer.text))
}

/// The text and below it the owner's answer in HTML: a paragraph for each block of lines, without blanks at their ends, and one for the answer.
fn html_of(review: &Review) -> String {
    let text = review.text.trim_end_matches('\n').split("\n\n");
    let blocks = text.map(str::to_owned).chain(answer_of(review));
    let mut html = String::new();
    for block in blocks.filter(|block| !block.is_empty()) {
        let lines = block.split('\n').map(|line| line.trim_end_matches(' '));
        let lines: Vec<String> = lines.map(escaped).collect();
        html += &format!("<p>{}</p>", lines.join("<br>"));
    }
    html
}

fn escaped(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
    escaped.replace('>', "&gt;").replace('"', "&quot;")
}

/// All mentions of a review, as both feeds list them.
fn tags_of(review: &Review) -> Vec<String> {
    let Mentions {
        technicians,
        services,
        service_areas,
    } = &review.mentions;
    [services.as_slice(), technicians, service_areas].concat()
}

fn check_item(item: &Value, review: &Review) {
    let url = format!("{BASE}/reviews/{}", review.id);
    let updated = str_of(&item["date_modified"]).parse::<DateTime<Utc>>();
    assert_eq!(updated.unwrap(), review.updated_at.unwrap());
    let parts = [Some(review.text.clone()), answer_of(review)];
    let parts = parts.into_iter().flatten().filter(|part| !part.is_empty());
    let text = parts.collect::<Vec<_>>().join("\n\n");
    let mut expected = json!({
        "id": url, "url": url, "title": title_of(review), "content_text": text, "content_html": html_of(review),
        "date_published": format!("{}T00:00:00+00:00", review.date), "date_modified": item["date_modified"],
        "authors": [{"name": review.author}], "tags": tags_of(review), "_review": {"rating": review.rating.stars()},
    });
    if let Some(language) = &review.language {
        expected["language"] = json!(language);
    }
    assert_eq!(*item, expected);
}

fn check_entry(entry: &Entry, review: &Review) {
    let url = format!("{BASE}/reviews/{}", review.id);
    assert_eq!(entry.id, url);
    assert_eq!(entry.title.as_ref().unwrap().content, title_of(review));
    assert_eq!(text_of(entry), html_of(review), "{url}");
    let content = entry.content.as_ref().unwrap();
    assert_eq!(content.content_type.to_string(), "text/html");
    let midnight = review.date.date().and_hms_opt(0, 0, 0).unwrap();
    assert_eq!(entry.published, Some(midnight.and_utc()));
    assert_eq!(entry.updated, review.updated_at);
    assert_eq!(entry.authors.len(), 1);
    assert_eq!(entry.authors[0].name.as_ref(), Some(&review.author));
    let terms = entry.categories.iter().map(|category| &category.term);
    assert!(terms.eq(&tags_of(review)), "{url}");
    let is_alternate = entry.links.iter().any(|link| {
        let rel = link.rel.as_deref();
        link.href == url && rel == Some("alternate")
    });
    assert!(is_alternate, "{url}");
}

#[tokio::test]
async fn both_feeds_have_the_same_fifty_newest_reviews() {
    let reviews = Generator::new(81).reviews(150);
    let app = TestApp::uncoded(&reviews).await;
    let (json, atom) = feeds(&app).await;
    let newest = newest(&reviews);
    assert!(newest.iter().any(|review| review.reply.is_some()));
    let (items, entries) = (array_of(&json["items"]), &atom.entries);
    assert_eq!((items.len(), entries.len()), (50, 50));
    for ((review, item), entry) in newest.iter().zip(items).zip(entries) {
        check_item(item, review);
        check_entry(entry, review);
    }
}

/// A service whose business has a name, a site and a language.
async fn named() -> TestApp {
    let app = TestApp::with(&Generator::new(82).reviews(5)).await;
    app.shell(
        "insert into business (business_id, name, description, url, language)
         values ('b', 'Desert Peak', 'Heating', 'https://dp.example/', 'es-MX')",
    )
    .await;
    app
}

#[tokio::test]
async fn both_feeds_name_the_business_and_the_hub() {
    let app = named().await;
    let answer = app.get("/api/feed.json").await;
    assert_eq!(answer.header("content-type"), "application/json");
    let json = answer.json();
    let expected = json!({
        "version": "https://jsonfeed.org/version/1.1",
        "title": "Reviews of Desert Peak",
        "description": "Heating",
        "home_page_url": format!("{BASE}/"),
        "feed_url": format!("{BASE}/api/feed.json"),
        "authors": [{"name": "Desert Peak", "url": "https://dp.example/"}],
        "language": "es-MX",
        "hubs": [{"type": "WebSub", "url": HUB}],
        "items": json["items"],
        "_feed": {"updated_at": "2026-11-20T12:00:00Z"},
    });
    assert_eq!(json, expected);
    let read = parse(&answer);
    assert_eq!(read.entries.len(), array_of(&json["items"]).len());
    assert_eq!(read.title.unwrap().content, "Reviews of Desert Peak");
    let answer = app.get("/feed.xml").await;
    assert_eq!(answer.header("content-type"), "application/atom+xml");
    let text = answer.text();
    assert!(text.starts_with("<?xml version=\"1.0\""), "{text}");
    let root = "<feed xmlns=\"http://www.w3.org/2005/Atom\" xml:lang=\"es-MX\">";
    assert_has(&text, root);
    let atom = parse(&answer);
    let own = format!("{BASE}/feed.xml");
    let links = [
        ("self", &*own),
        ("hub", HUB),
        ("alternate", &format!("{BASE}/")),
    ];
    assert_eq!(links_of(&atom), links);
    assert_eq!(atom.id, own);
    assert_eq!(atom.title.unwrap().content, "Reviews of Desert Peak");
    assert_eq!(atom.authors[0].name.as_deref(), Some("Desert Peak"));
    assert_eq!(atom.description.unwrap().content, "Heating");
}

/// The links of a feed with their relations.
fn links_of(feed: &Feed) -> Vec<(&str, &str)> {
    let links = feed.links.iter();
    links
        .map(|link| (link.rel.as_deref().unwrap(), &*link.href))
        .collect()
}

/// Reviews of one day each, newest first: with text and answer, with only an answer, with neither.
const ANSWERED: &str = "insert into review (review_id, rating, reviewed_on, text, language, reply_text, reply_author) values
    ('a', 2, '2026-02-03', 'Two hours late.', 'en', 'We are sorry.', 'Art Beecham'),
    ('b', 5, '2026-02-02', '', 'en', 'Thank you!', null), ('c', 5, '2026-02-01', '', 'en', null, null)";

#[tokio::test]
async fn answers_follow_the_text_and_empty_entries_have_no_content() {
    let app = named().await;
    app.shell(&format!("delete from review; {ANSWERED}")).await;
    let contents = [
        (
            "Two hours late.\n\nReply from Art Beecham:\nWe are sorry.",
            "<p>Two hours late.</p><p>Reply from Art Beecham:<br>We are sorry.</p>",
        ),
        // The author of the answer is not recorded, so it is the firm.
        (
            "Reply from Desert Peak:\nThank you!",
            "<p>Reply from Desert Peak:<br>Thank you!</p>",
        ),
        ("", ""),
    ];
    let (json, atom) = feeds(&app).await;
    for (at, (text, html)) in contents.into_iter().enumerate() {
        let item = &json["items"][at];
        assert_eq!(item["content_text"], text);
        assert_eq!(item["content_html"], html);
        assert_eq!(text_of(&atom.entries[at]), html);
    }
    let xml = app.text("/feed.xml").await;
    // An answer without a text has no language; a review with neither has no `content`.
    assert_eq!(xml.matches("<content").count(), 2, "{xml}");
    assert_eq!(xml.matches("xml:lang=\"en\"").count(), 1, "{xml}");
}

/// Texts that would end an element, a section or a document, and characters that XML lacks.
const TEXTS: &str = "a ]]> b|<![CDATA[ x ]]>|AT&T &amp; &#60; &undefined;|<script>alert('x')</script> \"quoted\"|\
    <!-- comment --> <?php ?> <!DOCTYPE x>|bell \u{7} escape \u{1b} vertical \u{b} form \u{c} nothing \u{1}|\
    delete \u{7f} next line \u{85}|noncharacters \u{fffe} \u{ffff} \u{1fffe}|tab\tand\nlines|\
    emoji 👩\u{200d}🔧 and \u{feff} bidi \u{202e}|]]>|&|</content></entry></feed>";

/// A review for each of them, with it as text, author and mention.
fn hostile() -> Vec<Review> {
    let review = |(number, text): (usize, &str)| {
        let name = text.to_owned();
        let person = name.replace(['\n', '\t'], " ");
        Review {
            author: name.clone(),
            reply: None,
            mentions: Mentions::new(vec![person], vec![], vec![]),
            ..review_with_text(number, name)
        }
    };
    TEXTS.split('|').enumerate().map(review).collect()
}

#[tokio::test]
async fn any_text_gives_well_formed_xml() {
    let reviews = hostile();
    let app = TestApp::with(&reviews).await;
    let hostile = "A & B <i> ]]> \u{1} \"q\" ''s''";
    app.shell(&format!(
        "pragma ignore_check_constraints = on; update review set language = 'en\"><x'; \
         insert into business (business_id, name, description, url) values ('b', '{hostile}', '{hostile}', 'https://x.example/?a=1&b=\"2\"')"
    ))
    .await;
    let answer = app.get("/feed.xml").await;
    // XML 1.0 §2.2 excludes these characters, even escaped.
    let is_character = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    assert!(answer.text().chars().all(is_character));
    for reference in ["&#0", "&#1;", "&#x1", "&#7;", "&#x7;", "&#27;"] {
        assert!(!answer.text().contains(reference), "{reference}");
    }
    assert!(app.text("/badge.svg").await.chars().all(is_character));
    let atom = parse(&answer);
    assert_eq!(atom.entries.len(), reviews.len());
    let json = app.json("/api/feed.json").await;
    let mended = |text: &str| text.replace(|c: char| !is_character(c), "\u{fffd}");
    for (at, review) in newest(&reviews).into_iter().enumerate() {
        let (entry, item) = (&atom.entries[at], &json["items"][at]);
        let text = escaped(&mended(&review.text)).replace('\n', "<br>");
        assert_eq!(text_of(entry), format!("<p>{text}</p>"), "{}", review.id);
        let title = &entry.title.as_ref().unwrap().content;
        // In a title, other control characters and directions would reach beyond the author's name.
        let is_control = |c: char| matches!(c, '\u{7f}'..='\u{9f}');
        let is_invisible = |c: char| matches!(c, '\u{feff}' | '\u{202e}');
        let author = mended(&review.author).replace(is_control, "\u{fffd}");
        let author = author.replace(is_invisible, "");
        assert!(title.ends_with(author.trim()), "{title}");
        let term = mended(&review.mentions.technicians[0]);
        assert_eq!(entry.categories[0].term, term.trim());
        // JSON can escape every character, so nothing is lost.
        assert_eq!(item["content_text"], review.text);
        assert_eq!(item["authors"][0]["name"], review.author);
    }
    let title = "Reviews of A & B <i> ]]> \u{fffd} \"q\" 's'";
    assert_eq!(atom.title.unwrap().content, title);
}

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
}

#[tokio::test]
async fn a_search_page_names_its_feed_by_rel_and_visibly() {
    let app = named().await;
    let address = format!("{BASE}/search.atom?max_rating=2");
    let page = app.text("/search?max_rating=2&sort=lowest").await;
    let link = format!("href=\"{address}\"");
    assert_eq!(page.matches(&link).count(), 2);
}
