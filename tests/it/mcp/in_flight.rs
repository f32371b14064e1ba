//! Limits of requests in flight at `/mcp`: those that are still arriving, and those with unread answers.

use super::*;

const IN_FLIGHT_MAX: usize = 192;
const PEER_IN_FLIGHT_MAX: usize = 64;

/// A service that trusts the proxies in 10.0.0.0/8.
async fn service() -> TestApp {
    let hub = MakeHub::opened(&["--trusted-proxies", "10.0.0.0/8"], FakeDns::default());
    TestApp::with_hub(&Generator::new(43).reviews(60), hub).await
}

/// A POST of `body` in a session that a proxy forwards for a client.
fn post(session: &str, proxy: &str, client: &str, body: impl Into<Body>) -> Request {
    let request = poem::http::Request::post("/mcp")
        .header("host", HOST)
        .header("content-type", "application/json")
        .header("mcp-session-id", session)
        .header("x-forwarded-for", client);
    let (parts, ()) = request.body(()).unwrap().into_parts();
    let remote = RemoteAddr(SocketAddr::new(proxy.parse().unwrap(), 40_000).into());
    let parts = RequestParts::from((parts, LocalAddr::default(), remote, Scheme::HTTP));
    Request::from_parts(parts, body.into())
}

/// A body that never arrives.
fn pending() -> Body {
    Body::from_bytes_stream(stream::pending::<Result<Bytes, std::io::Error>>())
}

fn search() -> String {
    let arguments = json!({ "name": "search_reviews", "arguments": { "limit": 100 } });
    request("tools/call", arguments).to_string()
}

fn ping() -> String {
    request("ping", json!({})).to_string()
}

async fn answer(app: &TestApp, request: Request) -> Response {
    app.app().endpoint.get_response(request).await
}

/// Sends requests of this client without their bodies until one is refused; returns the number that wait.
async fn wait(
    app: &TestApp,
    session: &str,
    client: &str,
    waiting: &mut Vec<Pin<Box<dyn Future<Output = ()>>>>,
) -> usize {
    for count in 0..1_000 {
        let endpoint = std::sync::Arc::clone(&app.app().endpoint);
        let request = post(session, "10.0.0.1", client, pending());
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
    let session = open(&app, "2025-11-25").await;
    let mut unread = Vec::new();
    let refused = loop {
        let mut response = answer(&app, post(&session, "10.0.0.1", "198.51.100.1", search())).await;
        if response.status() != 200 {
            break response;
        }
        let body: BoxBody<Bytes, std::io::Error> = response.take_body().into();
        unread.push(body);
    };
    assert_eq!(unread.len(), PEER_IN_FLIGHT_MAX);
    assert_eq!(refused.status(), 503);
    assert_eq!(refused.headers()["retry-after"], "1");
    assert_eq!(
        refused.headers()["content-type"],
        "application/problem+json"
    );
    for (proxy, client, expected) in [
        ("10.0.0.2", "198.51.100.1", 503),
        ("10.0.0.1", "198.51.100.2", 200),
    ] {
        let answered = answer(&app, post(&session, proxy, client, search())).await;
        assert_eq!(answered.status(), expected, "{proxy} {client}");
    }
    drop(unread);
    let again = answer(&app, post(&session, "10.0.0.1", "198.51.100.1", search())).await;
    assert_eq!(again.status(), 200);
}

#[tokio::test]
async fn requests_in_flight_are_bounded_for_a_client_and_in_all() {
    let app = service().await;
    let session = open(&app, "2025-11-25").await;
    let mut waiting = Vec::new();
    // An IPv6 /48 is one client.
    for (client, count) in [
        ("2001:db8:1::1", PEER_IN_FLIGHT_MAX),
        ("2001:db8:1:2::1", 0),
        ("198.51.100.1", PEER_IN_FLIGHT_MAX),
    ] {
        let waits = wait(&app, &session, client, &mut waiting).await;
        assert_eq!(waits, count, "{client}");
    }
    let answered = answer(&app, post(&session, "10.0.0.1", "203.0.113.200", ping())).await;
    assert_eq!(answered.status(), 200);
    drop(answered);
    wait(&app, &session, "198.51.100.3", &mut waiting).await;
    assert_eq!(waiting.len(), IN_FLIGHT_MAX);
    let refused = answer(&app, post(&session, "10.0.0.1", "203.0.113.200", ping())).await;
    assert_eq!(refused.status(), 503);
    // Only `/mcp` is full.
    assert_eq!(app.get("/reviews.json").await.status, 200);
    drop(waiting);
    let answered = answer(&app, post(&session, "10.0.0.1", "203.0.113.200", ping())).await;
    assert_eq!(answered.status(), 200);
}
