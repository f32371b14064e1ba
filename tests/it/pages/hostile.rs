//! No text of a review, author, firm or URL becomes markup or script on any surface. Pages with hostile texts have the same
//! tags and attributes as pages with harmless ones, which also covers payloads that no list has.

use std::collections::BTreeSet;

use html5gum::{DefaultEmitter, Token, Tokenizer};
use reviews_service::model::{Rating, Reply, Review};

use super::{BROWSER, between, structured};
use crate::support::{Answer, BASE, Generator, TestApp, array_of, assert_has, form, str_of};

/// Known payloads.
const HOSTILE: &str = "<script>alert(1)</script>|</script><script>alert(1)</script>|\"><img src=x onerror=alert(1)>|' onmouseover='alert(1)|\
    \" autofocus onfocus=alert(1) x=\"|<svg/onload=alert(1)>|javascript:alert(1)//|data:text/html,<script>alert(1)</script>|\
    ]]><script>alert(1)</script>|--><script>alert(1)</script><!--|\
    </title></textarea></style><iframe srcdoc='<script>alert(1)</script>'>|<a href=\"jAvAsCrIpT&colon;alert(1)\">x</a>|\
    {{7*7}}${7*7}<%= 7*7 %>|<!--<script>&lt;\u{2028}\u{202e}\u{8}|\\u003cscript\\u003ealert(1)\\u003c/script\\u003e|\
    <math><mtext><table><mglyph><style><img src=x onerror=alert(1)>";
/// A text without characters that are special in HTML.
const HARMLESS: &str = "plain words at a fair price";

fn hostile() -> Vec<&'static str> {
    HOSTILE.split('|').collect()
}

/// A service with these texts in all fields, with one review for each.
async fn service_with_texts(texts: &[&str]) -> (TestApp, Vec<Review>) {
    let mut reviews = Generator::new(3).reviews(16);
    for (review, text) in reviews.iter_mut().zip(texts.iter().cycle()) {
        review.rating = Rating::try_from(5).unwrap();
        review.text = String::from(*text);
        review.author = String::from(*text);
        review.title = Some((*text).to_owned());
        review.source.name = String::from(*text);
        review.reply = Some(Reply {
            text: (*text).to_owned(),
            date: None,
            author: Some((*text).to_owned()),
        });
        review.mentions.technicians = vec![(*text).to_owned()];
        review.mentions.service_areas = vec![(*text).to_owned()];
    }
    let app = TestApp::uncoded(&reviews).await;
    let all = texts.concat().replace('\'', "''");
    let url = texts[texts.len() / 3].replace('\'', "''");
    // A shell can switch off the checks of languages and URLs.
    app.shell(&format!(
        "pragma ignore_check_constraints = on; update review set language = author, source_url = author; \
         insert into business (business_id, name, description, url, telephone, same_as, review_links, address) \
           values ('x', '{all}', '{all}', 'javascript:{url}', '{all}', json_array('javascript:{url}'), \
             json_array(json_object('name', '{all}', 'url', 'javascript:{url}')), json_object('locality', '{all}')) \
           on conflict do update set name = excluded.name, description = excluded.description, url = excluded.url, \
             telephone = excluded.telephone, same_as = excluded.same_as, review_links = excluded.review_links, \
             address = excluded.address; \
         insert into service (service_id, name) values ('{all}', '{all}'); \
         insert into technician (technician_id, name) values ('{all}', '{all}'); \
         insert into service_area (name) values ('{all}'); \
         insert into editorial_summary (text) values ('{all}'); \
         insert into editorial_faq (faq_id, question, answer) values ('{all}', '{all}', '{all}'); \
         insert into review (review_id, rating, reviewed_on, status, withheld_reason) values ('w', 1, '2024-01-01', 'withheld', '{all}')"
    ))
    .await;
    (app, reviews)
}

/// Every page, and every target that repeats its parameters.
fn targets(reviews: &[Review], texts: &[&str]) -> Vec<String> {
    let pages = "/ /insights /search /developers /embed /badge.svg".split(' ');
    let mut targets: Vec<String> = pages.map(str::to_owned).collect();
    for text in texts {
        for name in ["query", "rating", "since", "source", "language", "cursor"] {
            targets.push(format!("/search?{}", form([(name, text)])));
        }
        for name in ["technician", "area", "aspect", "polarity"] {
            targets.push(format!("/insights?{}", form([(name, text)])));
        }
        targets.push(format!("/embed?{}", form([("theme", text)])));
        let path: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
        targets.push(format!("/{}", path.replace('+', "%20")));
    }
    let ids = reviews.iter().map(|review| &review.id);
    targets.extend(ids.map(|id| format!("/reviews/{id}")));
    targets
}

/// The tags of a page with the names of their attributes, and the URLs of its links.
fn skeleton(html: &str) -> (BTreeSet<String>, Vec<String>) {
    let (mut tags, mut addresses) = (BTreeSet::new(), Vec::new());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut emitter = DefaultEmitter::default();
    // The content of a script is not markup.
    emitter.naively_switch_states(true);
    for Ok(token) in Tokenizer::new_with_emitter(html, emitter) {
        match token {
            Token::StartTag(tag) => {
                let mut shape = text(&tag.name);
                for (name, value) in &tag.attributes {
                    let name = text(name);
                    if matches!(name.as_str(), "href" | "src" | "action") {
                        addresses.push(text(value));
                    }
                    shape = format!("{shape} {name}");
                }
                tags.insert(shape);
            }
            Token::EndTag(tag) => {
                tags.insert(format!("/{}", text(&tag.name)));
            }
            Token::Comment(_) => {
                tags.insert("a comment".to_owned());
            }
            Token::String(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    (tags, addresses)
}

async fn page(app: &TestApp, target: &str) -> String {
    let answer: Answer = app.get_with(target, &[BROWSER]).await;
    let policy = answer.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; "), "{target}");
    assert!(!policy.contains("unsafe"), "{target}: {policy}");
    let kind = answer.header("content-type");
    assert!(kind.starts_with("text/html") || kind == "image/svg+xml");
    answer.text()
}

#[tokio::test]
async fn hostile_texts_give_the_same_markup_as_harmless_ones() {
    let (harmless, reviews) = service_with_texts(&[HARMLESS]).await;
    let mut known = BTreeSet::new();
    for target in targets(&reviews, &[HARMLESS, "5", "2024-01-01"]) {
        known.extend(skeleton(&page(&harmless, &target).await).0);
    }
    // Only HTTP and HTTPS URLs of a source become links.
    let (app, reviews) = service_with_texts(&hostile()).await;
    for target in targets(&reviews, &hostile()) {
        let html = page(&app, &target).await;
        let (tags, addresses) = skeleton(&html);
        let foreign: Vec<_> = tags.difference(&known).collect();
        assert!(foreign.is_empty(), "{target} has {foreign:?}");
        for address in addresses {
            let is_ours = address.starts_with(['/', '#']) || address.starts_with(BASE);
            let is_ours = is_ours && !address.starts_with("//");
            assert!(is_ours, "{target} links to {address}");
        }
        // No template in a text is evaluated.
        assert!(!html.contains("49$"), "{target}");
        assert!(!html.contains('\u{8}'), "{target}");
    }
}

#[tokio::test]
async fn data_formats_keep_hostile_texts_unchanged() {
    let (app, reviews) = service_with_texts(&hostile()).await;
    for review in &reviews {
        let html = app.text(&format!("/reviews/{}", review.id)).await;
        let block = between(&html, "<script type=\"application/ld+json\">", "</script>");
        assert!(!block[0].contains(['<', '>', '&']), "{}", block[0]);
        let data = structured(&html);
        assert_eq!(data["reviewBody"], review.text.as_str());
        assert_eq!(data["author"]["name"], review.author.as_str());
    }
    let atom = app.get("/feed.xml").await;
    assert_eq!(atom.header("content-type"), "application/atom+xml");
    let text = atom.text();
    let markup = "<script|<img|<svg|<iframe|href=\"javascript:|<uri>javascript:";
    for markup in markup.split('|') {
        assert!(!text.contains(markup), "the feed has {markup}");
    }
    let llms = app.text("/llms.txt").await;
    assert!(!llms.contains(['<', '`']), "{llms}");
    for target in ["/sitemap.xml", "/robots.txt"] {
        assert!(!app.text(target).await.contains("alert"), "{target}");
    }
}

/// Controls of terminals and of the direction of writing.
const HIDDEN: [char; 6] = [
    '\u{9b}', '\u{200f}', '\u{202b}', '\u{202e}', '\u{2066}', '\u{7f}',
];

/// The title of a page, and the values of its attributes that are shown.
fn labels(html: &str) -> Vec<String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let titles = between(html, "<title>", "</title>");
    let mut labels: Vec<String> = titles.into_iter().map(str::to_owned).collect();
    for Ok(token) in Tokenizer::new_with_emitter(html, DefaultEmitter::default()) {
        if let Token::StartTag(tag) = token {
            let shown = (tag.attributes.iter())
                // What was searched for stays as it was written.
                .filter(|(name, _)| !matches!(&name[..], b"value" | b"lang" | b"href"));
            labels.extend(shown.map(|(_, value)| text(value)));
        }
    }
    labels
}

#[tokio::test]
async fn hidden_characters_leave_no_text_for_the_words_around_it() {
    let hidden: String = HIDDEN.iter().collect();
    let texts = [format!("Ann {hidden}31m"), format!("{hidden}שלום {hidden}")];
    let texts = [texts[0].as_str(), texts[1].as_str()];
    let (app, reviews) = service_with_texts(&texts).await;
    for target in targets(&reviews, &texts) {
        for label in labels(&page(&app, &target).await) {
            assert!(!label.contains(HIDDEN), "{target}: {label:?}");
        }
    }
    let found = format!("/reviews/{}", reviews[0].id);
    assert_has(&app.text(&found).await, "<title>");
    for target in ["/llms.txt", "/badge.svg"] {
        assert!(!app.text(target).await.contains(HIDDEN), "{target}");
    }
    let feed = app.json("/api/feed.json").await;
    let items = array_of(&feed["items"]).iter();
    for title in items.chain([&feed]).map(|it| str_of(&it["title"])) {
        assert!(!title.contains(HIDDEN), "{title:?}");
    }
    let search = format!("/search.atom?{}", form([("query", texts[0])]));
    for target in ["/feed.xml", &search] {
        let feed = app.text(target).await;
        for title in between(&feed, "<title>", "</title>") {
            assert!(!title.contains(HIDDEN), "{target}: {title:?}");
        }
    }
    let wrong = format!("/api/reviews/search?{}", form([("rating", texts[0])]));
    let answer = app.get(&wrong).await;
    assert!(!answer.text().contains(HIDDEN), "{}", answer.text());
    assert_eq!(answer.json()["issues"][0]["received"], texts[0]);
    let fields = ["hub.mode", "hub.topic", "hub.callback", "hub.lease_seconds"];
    let answer = app.post_hub(&fields.map(|name| (name, texts[0]))).await;
    assert!(!answer.text().contains(HIDDEN), "{}", answer.text());
}
