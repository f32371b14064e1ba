//! The feeds: the 50 newest reviews as JSON Feed 1.1 and Atom, read with independent parsers.

mod lasting;
mod search;

use chrono::{DateTime, Utc};
use feed_rs::model::{Entry, Feed};
use reviews_service::model::{Mentions, Review, Status};
use serde_json::{Value, json};

use crate::support::{Answer, BASE, Generator, TestApp, array_of, assert_has, published, str_of};

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

fn text_of(entry: &Entry) -> String {
    entry
        .content
        .as_ref()
        .and_then(|content| content.body.clone())
        .unwrap_or_default()
}

/// The title of a review in both feeds: stars and author.
fn title_of(review: &Review) -> String {
    let stars = usize::from(review.rating.stars());
    format!(
        "{}{} {}",
        "★".repeat(stars),
        "☆".repeat(5 - stars),
        review.author
    )
}

/// The content of a review in both feeds: its text and below it the owner's answer; the firm has no name here.
fn content_of(review: &Review) -> String {
    let answer = review.response.as_ref();
    let answer = answer.map(|answer| format!("Response from Unnamed business:\n{}", answer.text));
    let parts = [Some(review.text.clone()), answer].into_iter().flatten();
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    parts.join("\n\n")
}

/// The same in HTML: a paragraph for each block of lines, without blanks at their ends, and one for the answer.
fn html_of(review: &Review) -> String {
    let text = review.text.trim_end_matches('\n').split("\n\n");
    let text = text.map(str::to_owned);
    let answer = review.response.as_ref();
    let answer = answer.map(|answer| format!("Response from Unnamed business:\n{}", answer.text));
    let blocks = text.chain(answer).filter(|block| !block.is_empty());
    blocks
        .map(|block| {
            let lines = block.split('\n').map(|line| line.trim_end_matches(' '));
            let lines: Vec<String> = lines.map(escaped).collect();
            format!("<p>{}</p>", lines.join("<br>"))
        })
        .collect()
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
    let (stars, title) = (review.rating.stars(), title_of(review));
    let updated = review.updated_at.unwrap();
    assert_eq!(
        (&item["id"], &item["url"], &item["title"]),
        (&json!(url), &json!(url), &json!(title))
    );
    assert_eq!(
        (&item["content_text"], &item["_review"]),
        (&json!(content_of(review)), &json!({"rating": stars})),
        "{url}"
    );
    assert_eq!(item["content_html"], html_of(review), "{url}");
    assert_eq!(
        item["date_published"],
        format!("{}T00:00:00+00:00", review.date)
    );
    assert_eq!(
        str_of(&item["date_modified"])
            .parse::<DateTime<Utc>>()
            .unwrap(),
        updated
    );
    assert_eq!(item["authors"], json!([{"name": review.author}]));
    assert_eq!(
        item.get("language"),
        review
            .language
            .as_ref()
            .map(|language| json!(language))
            .as_ref()
    );
    assert_eq!(item["tags"], json!(tags_of(review)));
}

fn check_entry(entry: &Entry, review: &Review) {
    let url = format!("{BASE}/reviews/{}", review.id);
    let (title, updated) = (title_of(review), review.updated_at.unwrap());
    assert_eq!(
        (&entry.id, &entry.title.as_ref().unwrap().content),
        (&url, &title)
    );
    assert_eq!(text_of(entry), html_of(review), "{url}");
    assert_eq!(
        entry
            .content
            .as_ref()
            .map(|content| content.content_type.to_string()),
        Some("text/html".to_owned())
    );
    assert_eq!(
        entry.published,
        Some(review.date.date().and_hms_opt(0, 0, 0).unwrap().and_utc())
    );
    assert_eq!(entry.updated, Some(updated));
    assert_eq!(
        entry
            .authors
            .iter()
            .map(|author| author.name.clone())
            .collect::<Vec<_>>(),
        [Some(review.author.clone())]
    );
    assert_eq!(
        entry
            .categories
            .iter()
            .map(|category| category.term.clone())
            .collect::<Vec<_>>(),
        tags_of(review)
    );
    assert!(
        entry
            .links
            .iter()
            .any(|link| link.href == url && link.rel.as_deref() == Some("alternate")),
        "{url}"
    );
}

#[tokio::test]
async fn both_feeds_have_the_same_fifty_newest_reviews() {
    let reviews = Generator::new(81).reviews(150);
    let app = TestApp::uncoded(&reviews).await;
    let (json, atom) = feeds(&app).await;
    let newest = newest(&reviews);
    assert!(newest.iter().any(|review| review.response.is_some()));
    assert_eq!(
        (array_of(&json["items"]).len(), atom.entries.len()),
        (50, 50)
    );
    for ((review, item), entry) in newest
        .iter()
        .zip(array_of(&json["items"]))
        .zip(&atom.entries)
    {
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
async fn the_json_feed_names_the_business_and_the_hub() {
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
    assert_eq!(
        (read.entries.len(), read.title.unwrap().content.as_str()),
        (array_of(&json["items"]).len(), "Reviews of Desert Peak")
    );
}

#[tokio::test]
async fn the_atom_feed_names_the_business_and_the_hub() {
    let app = named().await;
    let answer = app.get("/feed.xml").await;
    assert_eq!(answer.header("content-type"), "application/atom+xml");
    assert!(
        answer.text().starts_with("<?xml version=\"1.0\""),
        "{}",
        answer.text()
    );
    assert_has(
        &answer.text(),
        "<feed xmlns=\"http://www.w3.org/2005/Atom\"",
    );
    assert_has(&answer.text(), "Atom\" xml:lang=\"es-MX\">");
    let atom = parse(&answer);
    let links: Vec<(&str, &str)> = atom
        .links
        .iter()
        .map(|link| (link.rel.as_deref().unwrap(), link.href.as_str()))
        .collect();
    let home = format!("{BASE}/");
    let own = format!("{BASE}/feed.xml");
    assert_eq!(
        links,
        [("self", own.as_str()), ("hub", HUB), ("alternate", &home)]
    );
    assert_eq!(
        (atom.id.as_str(), atom.title.unwrap().content.as_str()),
        (own.as_str(), "Reviews of Desert Peak")
    );
    assert_eq!(atom.authors[0].name.as_deref(), Some("Desert Peak"));
    assert_eq!(atom.description.unwrap().content, "Heating");
}

/// Reviews of one day each, newest first: with text and answer, with only an answer, with neither.
const ANSWERED: &str = "insert into review (review_id, rating, reviewed_on, text, language, response_text, response_author) values
    ('a', 2, '2026-02-03', 'Two hours late.', 'en', 'We are sorry.', 'Art Beecham'),
    ('b', 5, '2026-02-02', '', 'en', 'Thank you!', null), ('c', 5, '2026-02-01', '', 'en', null, null)";

#[tokio::test]
async fn answers_follow_the_text_and_empty_entries_have_no_content() {
    let app = named().await;
    app.shell(&format!("delete from review; {ANSWERED}")).await;
    let contents = [
        (
            "Two hours late.\n\nResponse from Art Beecham:\nWe are sorry.",
            "<p>Two hours late.</p><p>Response from Art Beecham:<br>We are sorry.</p>",
        ),
        // The author of the answer is not recorded, so it is the firm.
        (
            "Response from Desert Peak:\nThank you!",
            "<p>Response from Desert Peak:<br>Thank you!</p>",
        ),
        ("", ""),
    ];
    let (json, atom) = feeds(&app).await;
    for (((text, html), item), entry) in contents
        .iter()
        .zip(array_of(&json["items"]))
        .zip(&atom.entries)
    {
        assert_eq!(
            (&item["content_text"], &item["content_html"]),
            (&json!(text), &json!(html))
        );
        assert_eq!(text_of(entry), *html);
    }
    let xml = app.text("/feed.xml").await;
    // An answer without a text has no language; a review with neither has no `content`.
    assert_eq!(xml.matches("<content").count(), 2, "{xml}");
    assert_eq!(xml.matches("xml:lang=\"en\"").count(), 1, "{xml}");
    // A changed answer changes the feed.
    let before = app.get("/api/feed.json").await.body;
    app.shell("update review set response_text = 'We are very sorry.' where review_id = 'a'")
        .await;
    let (json, atom) = feeds(&app).await;
    assert!(before != app.get("/api/feed.json").await.body);
    let now = "<p>Two hours late.</p><p>Response from Art Beecham:<br>We are very sorry.</p>";
    assert_eq!(json["items"][0]["content_html"], now);
    assert_eq!(text_of(&atom.entries[0]), now);
}

/// Texts that would end an element, a section or a document, and characters that XML lacks.
const TEXTS: [&str; 13] = [
    "a ]]> b",
    "<![CDATA[ x ]]>",
    "AT&T &amp; &#60; &undefined;",
    "<script>alert('x')</script> \"quoted\"",
    "<!-- comment --> <?php ?> <!DOCTYPE x>",
    "bell \u{7} escape \u{1b} vertical \u{b} form \u{c} nothing \u{1}",
    "delete \u{7f} next line \u{85}",
    "noncharacters \u{fffe} \u{ffff} \u{1fffe}",
    "tab\tand\nlines",
    "emoji 👩\u{200d}🔧 and \u{feff} bidi \u{202e}",
    "]]>",
    "&",
    "</content></entry></feed>",
];

/// A review for each of them, with it as text, author and mention.
fn hostile() -> Vec<Review> {
    TEXTS
        .iter()
        .enumerate()
        .map(|(number, text)| {
            let name = (*text).to_owned();
            let mut review = Generator::new(83).review(number);
            review.status = Status::Published;
            review.author.clone_from(&name);
            review.response = None;
            review.mentions = Mentions::new(vec![name.replace(['\n', '\t'], " ")], vec![], vec![]);
            Review {
                text: name,
                ..review
            }
        })
        .collect()
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
    let atom = parse(&answer);
    assert_eq!(atom.entries.len(), TEXTS.len());
    let mended = |text: &str| {
        text.chars()
            .map(|c| if is_character(c) { c } else { '\u{fffd}' })
            .collect::<String>()
    };
    for review in newest(&reviews) {
        let entry = atom
            .entries
            .iter()
            .find(|entry| entry.id.ends_with(&format!("/{}", review.id)))
            .unwrap();
        let text = escaped(&mended(&review.text)).replace('\n', "<br>");
        assert_eq!(text_of(entry), format!("<p>{text}</p>"), "{}", review.id);
        assert!(
            entry
                .title
                .as_ref()
                .unwrap()
                .content
                .ends_with(mended(&review.author).trim()),
            "{:?}",
            entry.title
        );
        let term = mended(&review.mentions.technicians[0]);
        assert_eq!(entry.categories[0].term, term.trim());
    }
    assert_eq!(
        atom.title.unwrap().content,
        "Reviews of A & B <i> ]]> \u{fffd} \"q\" 's'"
    );
    // JSON can escape every character, so nothing is lost.
    let json = app.json("/api/feed.json").await;
    for (item, review) in array_of(&json["items"]).iter().zip(newest(&reviews)) {
        assert_eq!(
            (&item["content_text"], &item["authors"][0]["name"]),
            (&json!(review.text), &json!(review.author))
        );
    }
}
