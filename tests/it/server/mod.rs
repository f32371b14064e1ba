//! Guarantees of the server for any client and input, over real sockets.

mod panics;
mod request_heads;
mod rig;
mod slow;

use std::sync::Arc;
use std::time::Duration;

use poem::endpoint::make;
use poem::{EndpointExt, Request};
use reviews_service::web::read_body;

use self::rig::{Client, Running, start, start_endpoint, start_large};

const GET: &str = "GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n";
/// A limit short enough for tests.
const SOON: Duration = Duration::from_millis(150);

/// Retries until a connection is accepted: one that has just closed may still count for a moment.
async fn accepted_client(server: &Running) -> Client {
    for _ in 0..100_000 {
        let mut client = server.client().await;
        if client.try_get().await == Some(200) {
            return client;
        }
    }
    panic!("no connection became free");
}

#[tokio::test]
async fn a_silent_connection_is_closed_without_an_answer() {
    // Long enough for the request of the second connection.
    let server = start(|limits| limits.head_timeout = SOON * 4).await;
    let mut fresh = server.client().await;
    assert_eq!(fresh.rest().await.unwrap(), b"");
    let mut idle = server.client().await;
    assert_eq!(idle.try_get().await, Some(200));
    assert_eq!(idle.rest().await.unwrap(), b"");
}

/// Reads a body as the service does, with a shorter limit.
async fn read(request: Request) -> poem::Result<()> {
    let (head, body) = request.into_parts();
    read_body(&head.headers, body, 10, SOON).await?;
    Ok(())
}

#[tokio::test]
async fn a_body_that_does_not_arrive_in_time_is_answered_408() {
    let endpoint = Arc::new(make(read).map_to_response());
    let server = start_endpoint(endpoint, |_| (), "127.0.0.0/8").await;
    let half = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nhalf";
    assert_eq!(server.ask(half).await, 408);
}

#[tokio::test]
async fn a_stop_cuts_requests_that_do_not_finish_in_time() {
    let server = start_large(|limits| limits.shutdown_timeout = SOON, "127.0.0.0/8").await;
    let mut gone = server.client().await;
    gone.send("POST /mcp HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nhalf")
        .await;
    drop(gone);
    let mut slow = server.client().await;
    slow.read_slowly().await;
    server.stop.cancel();
    server.stopped().await;
}

#[tokio::test]
async fn a_client_that_reads_nothing_is_cut() {
    let change = |limits: &mut reviews_service::web::server::ConnectionLimits| {
        limits.write_timeout = SOON;
        limits.connections_max = 1;
    };
    let server = start_large(change, "127.0.0.0/8").await;
    let mut slow = server.client().await;
    slow.read_slowly().await;
    accepted_client(&server).await;
    // Bytes in transit may still be read, or be lost by the reset.
    let rest = slow.rest().await.unwrap_or_default();
    assert!(rest.len() < 16_000_000);
}
