//! Headers of all answers: CORS, links for hub and feeds, and the policy of pages.

use poem::http::Method;

use super::{path, readable, service};
use crate::support::BASE;

#[tokio::test]
async fn every_answer_can_be_read_from_any_origin() {
    let app = service().await;
    let tag = app.get("/reviews.json").await.header("etag").to_owned();
    // `send` checks Access-Control-Allow-Origin in every answer; these are answers other than 200.
    for (method, target, headers, status) in [
        (
            Method::GET,
            "/reviews.json",
            vec![("if-none-match", tag.as_str())],
            304,
        ),
        (
            Method::GET,
            "/reviews.json",
            vec![("if-match", "\"x\"")],
            412,
        ),
        (
            Method::GET,
            "/reviews.json",
            vec![("accept-encoding", "identity;q=0")],
            406,
        ),
        (Method::GET, "/api/reviews/search?limit=0", vec![], 400),
        (Method::GET, "/nothing", vec![], 404),
        (Method::POST, "/reviews.json", vec![], 405),
        (Method::OPTIONS, "/nothing", vec![], 404),
    ] {
        for origin in [
            None,
            Some(("origin", "https://elsewhere.test")),
            Some(("origin", "null")),
        ] {
            let headers: Vec<(&str, &str)> = headers.iter().copied().chain(origin).collect();
            let answer = app.send(method.clone(), target, &headers).await;
            assert_eq!(answer.status, status, "{method} {target}");
            let exposed = answer.header("access-control-expose-headers");
            for name in [
                "ETag",
                "Last-Modified",
                "Link",
                "Retry-After",
                "Mcp-Session-Id",
            ] {
                assert!(
                    exposed.split(", ").any(|exposed| exposed == name),
                    "{method} {target}: {name} is not in {exposed}"
                );
            }
            assert!(
                answer
                    .headers
                    .get("access-control-allow-credentials")
                    .is_none()
            );
        }
    }
}

#[tokio::test]
async fn authorization_is_ignored() {
    let app = service().await;
    for route in readable(&app).filter(|route| route.path != "/metrics") {
        let path = path(&route.path);
        let plain = app.get(&path).await;
        for value in ["Bearer x", "Basic Og==", "", "\u{e9}"] {
            let answer = app.get_with(&path, &[("authorization", value)]).await;
            assert_eq!(
                (answer.status, &answer.headers, &answer.body),
                (200, &plain.headers, &plain.body),
                "{path}: {value}"
            );
            assert!(answer.headers.get("www-authenticate").is_none());
        }
    }
}

#[tokio::test]
async fn only_topics_link_to_themselves_and_the_hub() {
    let app = service().await;
    let topics = ["/reviews.json", "/api/feed.json", "/feed.xml"];
    for route in readable(&app) {
        let path = path(&route.path);
        let get = app.get(&path).await;
        let head = app.send(Method::HEAD, &path, &[]).await;
        let not_modified = app.get_with(&path, &[("if-none-match", "*")]).await;
        let expected =
            format!("<{BASE}{path}>; rel=\"self\", <{BASE}/api/websub/hub>; rel=\"hub\"");
        for answer in [get, head, not_modified] {
            let links: Vec<&str> = answer
                .headers
                .get_all("link")
                .iter()
                .map(|link| link.to_str().unwrap())
                .collect();
            if topics.contains(&path.as_str()) {
                assert_eq!(links, [expected.as_str()], "{path}: {}", answer.status);
            } else if path == "/api/reviews/search" {
                assert!(
                    links.len() == 1 && links[0].ends_with("; rel=\"next\""),
                    "{path}: {links:?}"
                );
            } else {
                assert!(links.is_empty(), "{path}: {links:?}");
            }
        }
    }
}

#[tokio::test]
async fn every_answer_has_the_documented_media_type() {
    let app = service().await;
    for (path, kind) in [
        ("/", "text/html; charset=utf-8"),
        ("/reviews.json", "application/json"),
        ("/insights.json", "application/json"),
        ("/api/feed.json", "application/json"),
        ("/feed.xml", "application/atom+xml"),
        ("/api/reviews/search", "application/json"),
        ("/api/reviews/since/2025-01-01", "application/json"),
        ("/api/reviews/r-00001", "application/json"),
        ("/reviews/r-00001", "text/html; charset=utf-8"),
        ("/.well-known/openapi.json", "application/json"),
        ("/docs", "text/html; charset=utf-8"),
        ("/healthz", "text/plain; charset=utf-8"),
        ("/readyz", "text/plain; charset=utf-8"),
        ("/metrics", "text/plain; version=0.0.4"),
    ] {
        assert_eq!(app.get(path).await.header("content-type"), kind, "{path}");
    }
    assert_eq!(app.get("/healthz").await.text(), "ok\n");
    for path in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(
            app.get(path).await.header("cache-control"),
            "no-store",
            "{path}"
        );
    }
}

#[tokio::test]
async fn the_content_security_policy_forbids_other_hosts() {
    let app = service().await;
    for path in ["/", "/reviews/r-00001", "/insights", "/search", "/docs"] {
        let answer = app.get(path).await;
        let policy = answer.header("content-security-policy");
        let form = if path == "/docs" {
            "form-action 'none'"
        } else {
            "form-action 'self'"
        };
        for part in [
            "default-src 'none'",
            "base-uri 'none'",
            form,
            "frame-ancestors 'none'",
        ] {
            assert!(
                policy.split("; ").any(|given| given == part),
                "{path}: {part} is not in {policy}"
            );
        }
        // `/embed/try` uses the service's public URL, which can differ from the one in the address bar.
        let asks = policy.replace("connect-src http: https:; ", "");
        assert_eq!(asks != policy, path == "/docs", "{path}: {policy}");
        assert!(
            !asks.contains("http") && !asks.contains('*'),
            "{path}: {policy}"
        );
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(answer.header("referrer-policy"), "no-referrer", "{path}");
    }
}
