//! Headers of all answers: CORS, links for hub and feeds, and the policy of pages.

use poem::http::Method;

use super::{path, readable, service};
use crate::support::BASE;

/// `send` checks `Access-Control-Allow-Origin` in every answer.
#[tokio::test]
async fn errors_and_unchanged_answers_expose_the_headers_that_scripts_read() {
    let app = service().await;
    for (target, header, status) in [
        ("/reviews.json", ("if-none-match", "*"), 304),
        ("/reviews.json", ("if-match", "\"x\""), 412),
        ("/nothing", ("origin", "https://elsewhere.test"), 404),
    ] {
        let answer = app.get_with(target, &[header]).await;
        assert_eq!(answer.status, status, "{target}");
        let exposed = answer.header("access-control-expose-headers");
        for name in "ETag, Last-Modified, Link, Retry-After, Mcp-Session-Id".split(", ") {
            assert!(exposed.split(", ").any(|one| one == name), "{exposed}");
        }
        assert_eq!(answer.header("access-control-allow-credentials"), "");
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
