//! Limits of requests in flight at `/mcp`: those that are still arriving, and those with unread answers.

use super::*;
use crate::support::request_from;

const IN_FLIGHT_MAX: usize = 192;
const PEER_IN_FLIGHT_MAX: usize = 64;

/// A service that trusts the proxies in 10.0.0.0/8.
async fn service() -> TestApp {
    let hub = MakeHub::opened(&["--trusted-proxies", "10.0.0.0/8"], FakeDns::default());
    TestApp::with_hub(&Generator::new(43).reviews(60), hub).await
}

/// A POST of `body` that a proxy forwards for a client.
fn post(proxy: &str, client: &str, body: impl Into<Body>) -> Request {
    let headers = [
        ("content-type", "application/json"),
        ("x-forwarded-for", client),
    ];
    request_from(Some(proxy), Method::POST, "/mcp", &headers, body)
}

/// A body that never arrives.
fn pending() -> Body {
    Body::from_bytes_stream(stream::pending::<Result<Bytes, std::io::Error>>())
}

fn search() -> String {
    let arguments = json!({ "name": "search_reviews", "arguments": { "limit": 100 } });
    request("tools/call", arguments).to_string()
}

async fn answer(app: &TestApp, request: Request) -> Response {
    app.app().endpoint.get_response(request).await
}

/// Sends requests of this client without their bodies until one is refused; returns the number that wait.
async fn wait(
    app: &TestApp,
    client: &str,
    waiting: &mut Vec<Pin<Box<dyn Future<Output = ()>>>>,
) -> usize {
    for count in 0..1_000 {
        let endpoint = std::sync::Arc::clone(&app.app().endpoint);
        let request = post("10.0.0.1", client, pending());
        let mut answered = Box::pin(async move {
            assert_eq!(endpoint.get_response(request).await.status(), 503);
        });
        if poll!(&mut answered).is_ready() {
            return count;
        }
        waiting.push(answered);
    }
    panic!("nothing is refused");
}

#[tokio::test]
async fn unread_answers_of_one_client_behind_a_proxy_are_bounded() {
    let app = service().await;
    let ask = async |proxy, client| answer(&app, post(proxy, client, search())).await;
    let mut unread = Vec::new();
    let refused = loop {
        let mut response = ask("10.0.0.1", "198.51.100.1").await;
        if response.status() != 200 {
            break response;
        }
        let body: BoxBody<Bytes, std::io::Error> = response.take_body().into();
        unread.push(body);
    };
    assert_eq!(
        (unread.len(), refused.status().as_u16()),
        (PEER_IN_FLIGHT_MAX, 503)
    );
    let headers = refused.headers();
    assert_eq!(headers["retry-after"], "1");
    assert_eq!(headers["content-type"], "application/problem+json");
    assert_eq!(ask("10.0.0.2", "198.51.100.1").await.status(), 503);
    assert_eq!(ask("10.0.0.1", "198.51.100.2").await.status(), 200);
    drop(unread);
    assert_eq!(ask("10.0.0.1", "198.51.100.1").await.status(), 200);
}

#[tokio::test]
async fn requests_in_flight_are_bounded_for_a_client_and_in_all() {
    let app = service().await;
    let ping = async || {
        let ping = request("ping", json!({})).to_string();
        let message = post("10.0.0.1", "203.0.113.200", ping);
        answer(&app, message).await.status()
    };
    let mut waiting = Vec::new();
    // An IPv6 /48 is one client.
    for (client, count) in [
        ("2001:db8:1::1", PEER_IN_FLIGHT_MAX),
        ("2001:db8:1:2::1", 0),
        ("198.51.100.1", PEER_IN_FLIGHT_MAX),
    ] {
        let waits = wait(&app, client, &mut waiting).await;
        assert_eq!(waits, count, "{client}");
    }
    assert_eq!(ping().await, 200);
    wait(&app, "198.51.100.3", &mut waiting).await;
    assert_eq!(waiting.len(), IN_FLIGHT_MAX);
    assert_eq!(ping().await, 503);
    // Only `/mcp` is full.
    assert_eq!(app.get("/reviews.json").await.status, 200);
    drop(waiting);
    assert_eq!(ping().await, 200);
}
