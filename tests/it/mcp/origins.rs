//! Allowed values of `Origin` and `Host`; requests with others are always refused.

use super::*;

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
    let hosts = ["agents.example.com", "app.example.org:8443"];
    let hosts = hosts.map(|host| host.parse().unwrap()).to_vec();
    let app = service_on(&folder.path().join("reviews.db"), links(), hosts).await;
    for (name, value, status) in [
        ("host", "agents.example.com:9", 200),
        ("origin", "https://agents.example.com", 200),
        ("origin", "https://app.example.org:8443", 200),
        ("origin", "https://app.example.org", 403),
        ("origin", "https://example.com", 403),
    ] {
        let request = Request::builder()
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
        let response = Endpoint::get_response(&app.endpoint, request).await;
        assert_eq!(response.status().as_u16(), status, "{name}: {value}");
    }
}
