//! Resources for crawlers, agents and browsers besides pages.

use super::{BROWSER, between, named, structured};
use crate::support::{BASE, TestApp, array_of, assert_has, str_of, with_sample};

#[test]
fn crawlers_find_every_published_review_and_no_withheld_one() {
    with_sample(async |app| {
        let sitemap = app.text("/sitemap.xml").await;
        let listed = between(&sitemap, "<loc>", "</loc>");
        let ids = app.get("/reviews.json").await.ids();
        let pages = ["/", "/insights", "/transparency"].map(str::to_owned);
        let permalinks = ids.iter().map(|id| format!("/reviews/{id}"));
        let expected = pages.into_iter().chain(permalinks);
        let expected: Vec<_> = expected.map(|path| format!("{BASE}{path}")).collect();
        assert_eq!(listed, expected);
        let changed = between(&sitemap, "<lastmod>", "</lastmod>");
        let dataset = app.json("/reviews.json").await;
        let expected = array_of(&dataset["reviews"]).iter().map(|review| {
            let [day, updated] = ["date", "updated_at"].map(|name| str_of(&review[name]));
            day.max(&updated[..10])
        });
        assert_eq!(changed[3..], expected.collect::<Vec<_>>());
        let robots = app.text("/robots.txt").await;
        assert_has(&robots, &format!("Sitemap: {BASE}/sitemap.xml"));
        assert_has(&robots, "Disallow: /search\n");
        let llms = app.text("/llms.txt").await;
        let begin = format!(
            "# Reviews of Saltbush Air & Plumbing\n\n> 4.55 of 5 stars from {} reviews of Saltbush Air & Plumbing. \
         248 are verified by a platform, a job or an invitation.",
            ids.len()
        );
        assert!(llms.starts_with(&begin), "{llms}");
        for target in between(&llms, "](", ")") {
            let path = target.strip_prefix(BASE).unwrap();
            let is_found = path == "/mcp" || app.get(path).await.status == 200;
            assert!(is_found, "{target}");
        }
    });
}

#[tokio::test]
async fn browsers_get_errors_as_pages_and_other_clients_as_problems() {
    let app = named(3).await;
    for (target, status) in [
        ("/nothing", 404),
        ("/reviews/none", 404),
        ("/api/reviews/search?limit=0", 400),
    ] {
        let page = app.get_with(target, &[BROWSER]).await;
        let problem = app.get(target).await;
        for (answer, kind) in [
            (&page, "text/html; charset=utf-8"),
            (&problem, "application/problem+json"),
        ] {
            assert_eq!(answer.status, status, "{target}");
            assert_eq!(answer.header("content-type"), kind, "{target}");
        }
        // A customer gets links to the reviews, and none to JSON or documentation.
        let html = page.text();
        assert_has(&html, "All reviews of ");
        let main = between(&html, "<main", "</main>")[0];
        for advice in ["/docs", "/openapi", "Accept", "id;"] {
            assert!(!main.contains(advice), "{main}");
        }
        for issue in problem.json()["issues"].as_array().into_iter().flatten() {
            assert_has(&html, str_of(&issue["message"]));
        }
    }
}

#[tokio::test]
async fn a_page_about_a_method_keeps_the_allowed_ones() {
    let app = named(3).await;
    let refused = app.send(poem::http::Method::POST, "/", &[BROWSER]).await;
    assert_eq!(refused.status, 405);
    assert_eq!(refused.header("allow"), "GET, HEAD, OPTIONS");
}

#[tokio::test]
async fn an_error_is_a_page_only_for_a_client_that_names_html_first() {
    let app = named(3).await;
    let chromium = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";
    for (accepted, is_page) in [
        (chromium, true),
        ("*/*", false),
        ("", false),
        ("application/json, text/html", false),
    ] {
        let answer = app.get_with("/nothing", &[("accept", accepted)]).await;
        let kind = answer.header("content-type");
        assert_eq!(kind.starts_with("text/html"), is_page, "{accepted}");
    }
}

#[tokio::test]
async fn security_txt_has_the_contact_if_one_is_set() {
    let (app, target) = (named(3).await, "/.well-known/security.txt");
    let answer = app.get(target).await;
    assert_eq!(answer.status, 404);
    assert_has(&answer.text(), "REVIEWS_SECURITY_CONTACT");
    let contacts = [
        "mailto:security@example.com",
        "https://example.com/security",
    ];
    let app = app
        .restart_with(|options| options.contacts = contacts.map(str::to_owned).into())
        .await;
    let answer = app.get(target).await;
    assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
    let expected = "Contact: mailto:security@example.com\nContact: https://example.com/security\n\
        Expires: 2027-05-01T00:00:00Z\nPreferred-Languages: en\n\
        Canonical: https://reviews.sample.test/.well-known/security.txt\n";
    assert_eq!(answer.text(), expected);
}

#[tokio::test]
async fn security_txt_is_the_same_for_a_whole_month() {
    let contacts = vec!["mailto:security@example.com".to_owned()];
    let app = named(3)
        .await
        .restart_with(|options| options.contacts = contacts)
        .await;
    let target = "/.well-known/security.txt";
    let on_the_20th = app.text(target).await;
    app.advance(chrono::TimeDelta::days(10));
    assert_eq!(app.text(target).await, on_the_20th);
    app.advance(chrono::TimeDelta::days(1));
    assert_has(&app.text(target).await, "Expires: 2027-06-01T00:00:00Z\n");
}

#[tokio::test]
async fn only_a_platform_is_the_publisher_of_a_review() {
    let app = TestApp::seeded().await;
    let id = app.get("/reviews.json").await.ids()[0].clone();
    for (source, method) in [
        ("Google", "source_platform"),
        ("Direct", "manual"),
        ("Website", "job_match"),
        ("Summer survey", "invite"),
    ] {
        let columns = format!("source_name = '{source}', verification = '{method}'");
        app.shell(&format!(
            "update review set {columns} where review_id = '{id}'"
        ))
        .await;
        let data = structured(&app.text(&format!("/reviews/{id}")).await);
        let is_platform = method == "source_platform";
        let expected = is_platform.then_some(source);
        assert_eq!(data["publisher"]["name"].as_str(), expected, "{data}");
    }
}
