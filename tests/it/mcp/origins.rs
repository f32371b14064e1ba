//! Allowed values of `Origin` and `Host`.

use super::*;

#[tokio::test]
async fn hosts_are_allowed_by_name_and_origins_with_scheme_and_port() {
    let folder = tempfile::tempdir().unwrap();
    let hosts = vec![url::Host::parse("agents.example.com").unwrap()];
    let app = service_on(&folder.path().join("reviews.db"), links(), hosts).await;
    let known_hosts = "reviews.sample.test Reviews.Sample.Test:8080 localhost:1 127.0.0.1:8080 127.1.2.3 [::1]:80 \
        agents.example.com:9";
    let other_hosts = "evil.example.com reviews.sample.test.evil.example xreviews.sample.test \
        localhost.evil.example 10.0.0.1 0.0.0.0";
    let known_origins = "https://reviews.sample.test https://reviews.sample.test:443 HTTPS://REVIEWS.SAMPLE.TEST \
        http://localhost:6274 https://127.0.0.1 http://[::1]:3000 http://agents.example.com https://agents.example.com:1";
    let other_origins = "http://reviews.sample.test https://reviews.sample.test:8443 https://evil.example.com \
        https://reviews.sample.test.evil.example null file:// reviews.sample.test ftp://localhost \
        chrome-extension://localhost é";
    for (name, values, status) in [
        ("host", known_hosts, 200),
        ("host", other_hosts, 403),
        ("origin", known_origins, 200),
        ("origin", other_origins, 403),
    ] {
        for value in values.split_whitespace() {
            let mut request = Request::builder()
                .method(Method::POST)
                .uri_str("/mcp")
                .content_type("application/json")
                .body(initialize("2025-06-18").to_string());
            let headers = request.headers_mut();
            headers.insert("host", HOST.parse().unwrap());
            headers.insert(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
            // Another known one does not help.
            headers.append("origin", BASE.parse().unwrap());
            // All other routes are open to every origin.
            let mut open = Request::builder().uri_str("/reviews.json").finish();
            open.headers_mut().clone_from(request.headers());
            for (request, status) in [(request, status), (open, 200)] {
                let response = Endpoint::get_response(&app.endpoint, request).await;
                assert_eq!(response.status().as_u16(), status, "{name}: {value}");
            }
        }
    }
}
