//! Pages say what the documents say, to everybody, and nothing that a review says runs on them (CONTRACT §8).

use reviews_service::reviews::{Rating, Response, Review};
use serde_json::Value;

use crate::support::{BASE, Generator, TestApp};

/// What Chromium sends when a person follows a link.
const BROWSER: (&str, &str) = ("accept", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8");

/// Texts that have run in somebody's page.
const HOSTILE: [&str; 9] = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "<svg/onload=alert(1)>",
    "javascript:alert(1)//",
    "]]><script>alert(1)</script>",
    "{{7*7}}${7*7}<%= 7*7 %>",
    "<!--<script>&lt;\u{2028}\u{202e}",
];

async fn seeded() -> TestApp {
    TestApp::seeded().await
}

/// What stands between `start` and `end`, each time.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Vec<&'a str> {
    text.split(start).skip(1).map(|part| part.split(end).next().unwrap()).collect()
}

fn structured(html: &str) -> Value {
    let json = between(html, "<script type=\"application/ld+json\">", "</script>");
    serde_json::from_str(json[0]).unwrap()
}

fn permalinks(html: &str) -> Vec<String> {
    between(html, "<a href=\"/reviews/", "\"").into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn the_first_page_says_what_the_dataset_says() {
    let app = seeded().await;
    let html = app.get("/").await.text();
    let dataset = app.get("/reviews.json").await.json();
    let rating = &dataset["aggregate_rating"];
    assert!(html.contains(&format!("<b>{}</b>", rating["rating_value"])), "the mean");
    assert!(html.contains(&format!("from <strong>{}</strong> reviews", rating["review_count"])), "the count");
    for stars in 1..=5 {
        let count = &rating["distribution"][stars.to_string()];
        assert!(html.contains(&format!("{stars} stars: {count} reviews")), "the histogram");
    }
    assert!(html.contains(&format!("{} reviews withheld", dataset["withheld"]["count"])));
    let newest = dataset["reviews"].as_array().unwrap().iter().take(20).map(|review| review["id"].as_str().unwrap());
    let mut shown = permalinks(html.split("id=\"newest\"").nth(1).unwrap());
    shown.dedup();
    assert_eq!(shown, newest.collect::<Vec<_>>());
    let data = structured(&html);
    assert_eq!((&data["@type"], &data["aggregateRating"]["ratingValue"]), (&dataset["business"]["type"], &rating["rating_value"]));
    assert_eq!(data["aggregateRating"]["reviewCount"], rating["review_count"]);
}

#[tokio::test]
async fn every_figure_of_the_insights_leads_to_its_sentences() {
    let app = seeded().await;
    let html = app.get("/insights").await.text();
    let insights = app.get("/insights.json").await.json();
    for aspect in insights["aspects"].as_array().unwrap() {
        let (id, label) = (aspect["id"].as_str().unwrap(), aspect["label"].as_str().unwrap());
        assert!(html.contains(&format!("<a href=\"/insights?aspect={id}\">{label}</a>")), "{id}");
    }
    for (query, polarity) in [("", ""), ("&polarity=negative", "?polarity=negative")] {
        let page = app.get(&format!("/insights?aspect=price{query}")).await.text();
        let evidence = app.get(&format!("/insights/aspects/price/evidence.json{polarity}")).await.json();
        assert!(page.contains(&format!("{} reviews speak of it", evidence["total"])), "{query}");
        let ids = evidence["reviews"].as_array().unwrap().iter().map(|review| review["review_id"].as_str().unwrap());
        assert_eq!(permalinks(&page), ids.collect::<Vec<_>>(), "{query}");
    }
}

#[tokio::test]
async fn all_sentences_of_an_aspect_are_reached_page_by_page() {
    let app = seeded().await;
    let total = app.get("/insights/aspects/price/evidence.json").await.json()["total"].as_u64().unwrap();
    let (mut target, mut shown) = ("/insights?aspect=price".to_owned(), 0);
    loop {
        let html = app.get(&target).await.text();
        shown += permalinks(&html).len();
        let Some(next) = between(&html, "<a rel=\"next\" href=\"", "\"").first().map(|next| next.replace("&amp;", "&")) else {
            break;
        };
        target = next;
    }
    assert_eq!(shown as u64, total);
}

#[tokio::test]
async fn a_search_has_an_address_and_shows_what_its_twin_gives() {
    let app = TestApp::uncoded(&Generator::new(7).reviews(120)).await;
    let all = app.get("/reviews.json").await.json()["aggregate_rating"]["review_count"].clone();
    for query in ["", "query=water", "rating=5&limit=7", "since=2025-01-01&mentions_service=drain", "query=nowhere+at+all"] {
        let html = app.get(&format!("/search?{query}")).await.text();
        let twin = app.get(&format!("/api/reviews/search?{query}")).await;
        assert_eq!(permalinks(&html), twin.ids(), "{query}");
        assert_eq!(
            html.contains(&format!("Filtered, of {all} reviews")),
            query.contains(['q', 'r', 's']) && !query.is_empty(),
            "{query}"
        );
        let next = between(&html, "<a rel=\"next\" href=\"", "\"").first().map(|next| next.replace("&amp;", "&"));
        assert_eq!(next.is_some(), twin.json().get("next_cursor").is_some(), "{query}");
        if let Some(next) = next {
            let behind = app.get(&next.replace("/search", "/api/reviews/search")).await.ids();
            assert_eq!(permalinks(&app.get(&next).await.text()), behind, "{query}");
        }
    }
    let nothing = app.get("/search?query=nowhere+at+all&rating=5").await.text();
    assert!(nothing.contains("No review matches") && nothing.contains("href=\"/search?rating=5\""), "{nothing}");
}

#[tokio::test]
async fn a_fault_in_the_form_stands_beside_its_field() {
    let app = TestApp::uncoded(&Generator::new(7).reviews(3)).await;
    let answer = app.get("/search?query=leak&rating=9&since=yesterday&until=").await;
    assert_eq!(answer.status, 400);
    let html = answer.text();
    for name in ["rating", "since"] {
        assert!(html.contains(&format!("aria-describedby=\"{name}-fault\"")), "{name}");
        assert_eq!(html.matches(&format!("id=\"{name}-fault\"")).count(), 1, "{name}");
    }
    assert!(!html.contains("until-fault") && html.contains("value=\"leak\"") && html.contains("value=\"yesterday\""));
}

#[tokio::test]
async fn nothing_that_a_review_says_is_markup_anywhere() {
    let mut reviews = Generator::new(3).reviews(HOSTILE.len());
    for (review, text) in reviews.iter_mut().zip(HOSTILE) {
        let author = Some((*text).to_owned());
        *review = Review {
            rating: Rating::try_from(5).unwrap(),
            text: text.to_owned(),
            author: text.to_owned(),
            title: Some(text.to_owned()),
            response: Some(Response { text: text.to_owned(), date: None, author }),
            ..review.clone()
        };
    }
    let app = TestApp::uncoded(&reviews).await;
    let business = HOSTILE[0].replace('\'', "''");
    app.shell(&format!(
        "insert into business (business_id, name, description) values ('x', '{business}', '{business}') \
         on conflict do update set name = excluded.name, description = excluded.description"
    ))
    .await;
    app.drain().await;
    let mut targets: Vec<String> = ["/", "/insights", "/search", "/embed", "/badge.svg", "/feed.xml"].map(str::to_owned).into();
    targets.extend(reviews.iter().map(|review| format!("/reviews/{}", review.id)));
    for target in targets {
        let text = app.get(&target).await.text();
        for markup in ["<script>", "<img src=x", "<svg/onload", "href=\"javascript:", "<!--<"] {
            assert!(!text.contains(markup), "{target} has {markup}");
        }
        // In a block of JSON-LD a quotation mark ends nothing.
        let blocks = between(&text, "<script type=\"application/ld+json\">", "</script>");
        let shown = blocks.into_iter().fold(text.clone(), |text, block| text.replace(block, ""));
        for markup in ["' onmouseover='", "\"><img"] {
            assert!(!shown.contains(markup) || target == "/feed.xml", "{target} has {markup}");
        }
        assert!(!text.contains("49$"), "{target}: a template of a text was evaluated");
        if target.starts_with("/reviews/") {
            let review = reviews.iter().find(|review| target.ends_with(review.id.as_str())).unwrap();
            assert_eq!(structured(&text)["reviewBody"], review.text.as_str(), "{target}");
        }
    }
}

#[tokio::test]
async fn pages_have_nothing_inline_and_load_nothing_from_elsewhere() {
    let app = seeded().await;
    let id = app.get("/reviews.json").await.ids()[0].clone();
    for target in ["/", "/insights", "/insights?aspect=price", "/search?rating=1", "/embed?theme=dark", &format!("/reviews/{id}")] {
        let html = app.get(target).await.text();
        assert!(html.starts_with("<!DOCTYPE html>\n<html lang=\"en\""), "{target}");
        for inline in ["<style", " style=\"", " onclick=", "<script>"] {
            assert!(!html.contains(inline), "{target} has {inline}");
        }
        let sources = [between(&html, " src=\"", "\""), between(&html, "<link rel=\"stylesheet\" href=\"", "\"")].concat();
        for source in sources {
            assert!(source.starts_with('/'), "{target} loads {source}");
            assert_eq!(app.get(source).await.status, 200, "{target} loads {source}");
        }
        assert_eq!(
            html.matches("<h1").count(),
            usize::from(!target.starts_with("/reviews/")).max(html.matches("<h1").count().min(1)),
            "{target}"
        );
    }
}

#[tokio::test]
async fn a_browser_gets_errors_as_pages_and_everybody_else_as_problems() {
    let app = TestApp::uncoded(&Generator::new(7).reviews(3)).await;
    for (target, status) in
        [("/nothing", 404), ("/reviews/none", 404), ("/insights?aspect=weather", 404), ("/api/reviews/search?limit=0", 400)]
    {
        let page = app.get_with(target, &[BROWSER]).await;
        assert_eq!((page.status, page.header("content-type")), (status, "text/html; charset=utf-8"), "{target}");
        let problem = app.get(target).await;
        assert_eq!((problem.status, problem.header("content-type")), (status, "application/problem+json"), "{target}");
        let detail = problem.json()["detail"].as_str().unwrap().to_owned();
        assert!(page.text().contains(&detail), "{target}: {detail}");
        for issue in problem.json()["issues"].as_array().into_iter().flatten() {
            assert!(page.text().contains(issue["message"].as_str().unwrap()), "{target}");
        }
    }
    let refused = app.send(poem::http::Method::POST, "/", &[BROWSER]).await;
    assert_eq!((refused.status, refused.header("allow")), (405, "GET, HEAD, OPTIONS"));
}

#[tokio::test]
async fn one_page_may_be_framed_and_says_when_it_is_filtered() {
    let app = seeded().await;
    for (target, is_filtered, reviews) in
        [("/embed", false, 5), ("/embed?limit=2", false, 2), ("/embed?min_rating=5&limit=3", true, 3)]
    {
        let answer = app.get(target).await;
        assert!(answer.header("content-security-policy").ends_with("frame-ancestors *"), "{target}");
        let html = answer.text();
        assert_eq!(html.contains("Filtered: only reviews of 5 stars or more"), is_filtered, "{target}");
        assert_eq!(html.matches("class=\"review\"").count(), reviews, "{target}");
        assert!(html.contains("<base target=\"_top\">") && !html.contains("<script"), "{target}");
    }
    for (target, name) in [("/embed?limit=0", "limit"), ("/embed?theme=pink", "theme"), ("/embed?min_rating=x", "min_rating")] {
        let answer = app.get_with(target, &[BROWSER]).await;
        assert_eq!(answer.status, 400, "{target}");
        assert!(answer.header("content-security-policy").ends_with("frame-ancestors *"), "{target}: its errors may be framed");
        assert!(answer.text().contains(&format!("{name} must be")), "{target}");
    }
    for target in ["/", "/insights", "/search"] {
        assert!(app.get(target).await.header("content-security-policy").ends_with("frame-ancestors 'none'"), "{target}");
    }
}

#[tokio::test]
async fn machines_find_every_published_review_and_nothing_withheld() {
    let app = seeded().await;
    let sitemap = app.get("/sitemap.xml").await.text();
    let listed = between(&sitemap, "<loc>", "</loc>");
    let ids = app.get("/reviews.json").await.ids();
    let expected: Vec<String> = [format!("{BASE}/"), format!("{BASE}/insights")]
        .into_iter()
        .chain(ids.iter().map(|id| format!("{BASE}/reviews/{id}")))
        .collect();
    assert_eq!(listed, expected);
    let robots = app.get("/robots.txt").await.text();
    assert!(robots.contains(&format!("Sitemap: {BASE}/sitemap.xml")) && robots.contains("Disallow: /search\n"), "{robots}");
    let llms = app.get("/llms.txt").await.text();
    assert!(llms.starts_with("# Reviews of Saltbush Air & Plumbing\n\n> 4.55 of 5 stars"), "{llms}");
    for target in between(&llms, "](", ")") {
        let path = target.strip_prefix(BASE).unwrap();
        assert!(path == "/mcp" || app.get(path).await.status == 200, "{target}");
    }
}

#[tokio::test]
async fn a_service_without_reviews_has_all_its_pages() {
    let app = TestApp::empty().await;
    for target in ["/", "/insights", "/search", "/embed", "/badge.svg", "/sitemap.xml", "/llms.txt"] {
        assert_eq!(app.get(target).await.status, 200, "{target}");
    }
    assert!(app.get("/").await.text().contains("There are no reviews yet."));
    assert!(app.get("/badge.svg").await.text().contains("no reviews yet"));
}
