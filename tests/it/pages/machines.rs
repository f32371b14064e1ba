//! Resources for crawlers, agents and browsers besides pages.

use futures_util::FutureExt;

use super::{BROWSER, between, seeded, structured};
use crate::support::{BASE, Generator, TestApp, assert_has, str_of};

#[tokio::test]
async fn crawlers_find_every_published_review_and_no_withheld_one() {
    let app = seeded().await;
    let sitemap = app.text("/sitemap.xml").await;
    let listed = between(&sitemap, "<loc>", "</loc>");
    let ids = app.get("/reviews.json").await.ids();
    let pages = ["/", "/insights", "/transparency"].map(|path| format!("{BASE}{path}"));
    let expected: Vec<String> = pages
        .into_iter()
        .chain(ids.iter().map(|id| format!("{BASE}/reviews/{id}")))
        .collect();
    assert_eq!(listed, expected);
    let changed = between(&sitemap, "<lastmod>", "</lastmod>");
    let reviews = app.json("/reviews.json").await["reviews"].clone();
    let expected = reviews.as_array().unwrap().iter().map(|review| {
        let [day, updated] = ["date", "updated_at"].map(|name| str_of(&review[name]));
        day.max(&updated[..10]).to_owned()
    });
    assert_eq!(changed[3..], expected.collect::<Vec<_>>());
    let robots = app.text("/robots.txt").await;
    assert_has(&robots, &format!("Sitemap: {BASE}/sitemap.xml"));
    assert_has(&robots, "Disallow: /search\n");
    let llms = app.text("/llms.txt").await;
    let begin = format!(
        "# Reviews of Saltbush Air & Plumbing\n\n> 4.55 of 5 stars from {} reviews (verified by a platform, a job or an invitation: 248).",
        ids.len()
    );
    assert!(llms.starts_with(&begin), "{llms}");
    let one = TestApp::uncoded(&Generator::new(7).reviews(1)).await;
    let llms_of_one = one.text("/llms.txt").await;
    assert_has(
        &llms_of_one,
        " of 5 stars from 1 review (verified by a platform, a job or an invitation: 1).\n",
    );
    for target in between(&llms, "](", ")") {
        let path = target.strip_prefix(BASE).unwrap();
        assert!(
            path == "/mcp" || app.get(path).await.status == 200,
            "{target}"
        );
    }
}

#[tokio::test]
async fn browsers_get_errors_as_pages_and_other_clients_as_problems() {
    let app = TestApp::uncoded(&Generator::new(7).reviews(3)).await;
    app.name_business().await;
    for (target, status) in [
        ("/nothing", 404),
        ("/reviews/none", 404),
        ("/insights?aspect=weather", 404),
        ("/api/reviews/search?limit=0", 400),
    ] {
        let page = app.get_with(target, &[BROWSER]).await;
        assert_eq!(
            (page.status, page.header("content-type")),
            (status, "text/html; charset=utf-8"),
            "{target}"
        );
        let problem = app.get(target).await;
        assert_eq!(
            (problem.status, problem.header("content-type")),
            (status, "application/problem+json"),
            "{target}"
        );
        // A customer gets links to the reviews, and none to JSON or documentation.
        let html = page.text();
        assert!(html.contains("All reviews of "), "{target}");
        let advice = ["/docs", "/openapi", "Accept", "id;"];
        let main = between(&html, "<main", "</main>")[0];
        assert!(advice.iter().all(|one| !main.contains(one)), "{main}");
        for issue in problem.json()["issues"].as_array().into_iter().flatten() {
            assert!(page.text().contains(str_of(&issue["message"])), "{target}");
        }
    }
    let refused = app.send(poem::http::Method::POST, "/", &[BROWSER]).await;
    assert_eq!(
        (refused.status, refused.header("allow")),
        (405, "GET, HEAD, OPTIONS")
    );
}

#[tokio::test]
async fn shared_pages_are_rendered_and_compressed_once_per_snapshot() {
    let app = seeded().await;
    let style = app.text("/").await;
    let style = between(&style, "<link rel=\"stylesheet\" href=\"", "\"")[0].to_owned();
    let fixed = [
        "/",
        "/insights",
        "/sitemap.xml",
        "/llms.txt",
        "/robots.txt",
        "/favicon.svg",
    ];
    for target in fixed.into_iter().chain([style.as_str()]) {
        for coding in ["gzip", "br"] {
            // Without a slot, nothing is rendered for a request.
            let held = app.hold_slots();
            let headers = [("accept-encoding", coding)];
            let Some(answer) = app.get_with(target, &headers).now_or_never() else {
                panic!("{target} was rendered for a request")
            };
            assert_eq!(answer.header("content-encoding"), coding, "{target}");
            drop(held);
        }
    }
    // A change renders them again before a request.
    app.shell("update review set author = 'Somebody Else' where rating = 1")
        .await;
    let held = app.hold_slots();
    let headers = [("accept-encoding", "gzip")];
    let listed = app.get_with("/", &headers).now_or_never();
    let listed = listed.expect("rendered before the request");
    assert_eq!(listed.header("content-encoding"), "gzip");
    drop(held);
}

#[tokio::test]
async fn security_txt_has_the_contact_if_one_is_set() {
    let app = TestApp::uncoded(&Generator::new(7).reviews(3)).await;
    let target = "/.well-known/security.txt";
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
    for contact in contacts {
        assert_has(&answer.text(), &format!("Contact: {contact}\n"));
    }
}

#[tokio::test]
async fn only_a_platform_is_the_publisher_of_a_review() {
    let app = seeded().await;
    for (source, method) in [
        ("Google", "source_platform"),
        ("Direct", "manual"),
        ("Website", "job_match"),
        ("Summer survey", "invite"),
    ] {
        app.shell(&format!("update review set source_name = '{source}', verification_method = '{method}' where review_id = (select min(review_id) from review where status = 'published')"))
            .await;
        let id = app
            .shell("select min(review_id) from review where status = 'published'")
            .await;
        let data = structured(&app.text(&format!("/reviews/{id}")).await);
        let publisher = data
            .get("publisher")
            .map(|publisher| publisher["name"].clone());
        let expected = (method == "source_platform").then(|| source.into());
        assert_eq!(publisher, expected, "{data}");
    }
}
