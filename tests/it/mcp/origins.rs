//! Allowed values of `Origin` and `Host`; requests with others are always refused.

use poem::http::Method;
use reviews_service::app::App;
use reviews_service::clock::Clock;
use reviews_service::snapshot::Publisher;
use reviews_service::storage::Database;
use serde_json::json;

use super::{ask, initialize, open, request, service};
use crate::support::{BASE, HOST, hub_options, links, start};

#[tokio::test]
async fn unknown_origins_and_hosts_are_always_refused() {
    let app = service().await;
    let session = open(&app, "2025-06-18").await;
    for (headers, status) in [
        (vec![("origin", BASE), ("host", "reviews.sample.test")], 200),
        (
            vec![
                ("origin", "http://localhost:6274"),
                ("host", "127.0.0.1:8080"),
            ],
            200,
        ),
        (vec![("origin", "https://evil.example")], 403),
        (vec![("origin", "null")], 403),
        (vec![("host", "evil.example")], 403),
        (vec![("host", "evil.example"), ("origin", BASE)], 403),
        (
            vec![
                ("host", "reviews.sample.test"),
                ("origin", "http://reviews.sample.test"),
            ],
            403,
        ),
    ] {
        let answer = app
            .post_mcp(&headers, initialize("2025-06-18").to_string())
            .await;
        assert_eq!(answer.status, status, "{headers:?}");
        assert_eq!(
            answer.header("content-type") == "application/problem+json",
            status == 403,
            "{headers:?}"
        );
        if status == 403 {
            let named = [headers.as_slice(), &[("mcp-session-id", session.as_str())]].concat();
            assert_eq!(
                app.send(Method::DELETE, "/mcp", &named).await.status,
                403,
                "{headers:?}"
            );
            assert_eq!(
                app.post_mcp(&headers, "nope").await.status,
                403,
                "{headers:?}"
            );
            assert_eq!(
                app.get_with("/reviews.json", &headers).await.status,
                200,
                "all other routes are open to every origin"
            );
        }
    }
    assert_eq!(
        ask(&app, &session, &request("ping", json!({})))
            .await
            .status,
        200,
        "other origins could not end it"
    );
}

#[tokio::test]
async fn the_operator_can_allow_other_hosts() {
    let folder = tempfile::tempdir().unwrap();
    let (database, _) = Database::open(&folder.path().join("reviews.db"))
        .await
        .unwrap();
    let hosts = ["agents.example.com", "app.example.org:8443"];
    let hosts = hosts.map(|host| host.parse().unwrap()).to_vec();
    let app = App::new(
        Publisher::new(database, links(), Clock::manual(start())),
        hub_options(),
        hosts,
        false,
    )
    .await
    .unwrap();
    for (name, value, status) in [
        ("host", "agents.example.com:9", 200),
        ("origin", "https://agents.example.com", 200),
        ("origin", "https://app.example.org:8443", 200),
        ("origin", "https://app.example.org", 403),
        ("origin", "https://example.com", 403),
    ] {
        let request = poem::Request::builder()
            .method(Method::POST)
            .uri_str("/mcp")
            .header(name, value);
        let request = if name == "host" {
            request
        } else {
            request.header("host", HOST)
        };
        let request = request
            .content_type("application/json")
            .body(initialize("2025-06-18").to_string());
        let response = poem::Endpoint::get_response(&app.endpoint, request).await;
        assert_eq!(response.status().as_u16(), status, "{name}: {value}");
    }
}

#[tokio::test]
async fn a_preflight_lists_the_allowed_headers() {
    let app = service().await;
    let preflight = [("origin", BASE), ("access-control-request-method", "POST")];
    let answer = app.send(Method::OPTIONS, "/mcp", &preflight).await;
    assert_eq!(
        (answer.status, answer.header("allow")),
        (204, "POST, DELETE, OPTIONS")
    );
    assert_eq!(
        answer.header("access-control-allow-methods"),
        "POST, DELETE, OPTIONS"
    );
    let allowed = answer
        .header("access-control-allow-headers")
        .to_ascii_lowercase();
    for name in [
        "content-type",
        "accept",
        "mcp-session-id",
        "mcp-protocol-version",
        "mcp-method",
        "mcp-name",
        "last-event-id",
    ] {
        assert!(
            allowed.split(", ").any(|allowed| allowed == name),
            "{name} is not in {allowed}"
        );
    }
    let opened = app
        .post_mcp(&[("origin", BASE)], initialize("2025-06-18").to_string())
        .await;
    assert!(
        opened
            .header("access-control-expose-headers")
            .split(", ")
            .any(|exposed| exposed == "Mcp-Session-Id")
    );
    for method in [Method::GET, Method::HEAD, Method::PUT] {
        let answer = app
            .send(method.clone(), "/mcp", &[("accept", "text/event-stream")])
            .await;
        assert_eq!(
            (answer.status, answer.header("allow")),
            (405, "POST, DELETE, OPTIONS"),
            "{method}"
        );
    }
}
