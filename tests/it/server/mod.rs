//! Guarantees of the server for any client and input, over real sockets, with a test endpoint.

mod connection_limits;
mod request_heads;
mod rig;

use std::time::Duration;

use tokio::time::timeout;

use self::rig::{BIG_MIB, Client, NEVER, Running, start, start_with};

const GET: &str = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
/// A limit short enough for tests.
const SOON: Duration = Duration::from_millis(150);

/// Retries until a connection is accepted: one that has just closed may still count for a moment.
async fn accepted_client(server: &Running) -> Client {
    for _ in 0..10_000 {
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
    idle.send(GET).await;
    assert_eq!(idle.answer().await.status, 200);
    assert_eq!(idle.rest().await.unwrap(), b"");
}

#[tokio::test]
async fn a_truncated_body_is_a_read_error() {
    let server = start_with(|_| (), "127.0.0.0/8", SOON).await;
    let half = "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nhalf";
    assert_eq!(server.ask(half).await.status, 408);
    let mut gone = server.client().await;
    gone.send(half).await;
    drop(gone);
    server.stop.cancel();
    server.stopped().await;
}

#[tokio::test]
async fn a_stop_cuts_requests_that_do_not_finish_in_time() {
    let server = start(|limits| limits.shutdown_timeout = SOON).await;
    let mut stuck = server.client().await;
    stuck.send("GET /gate HTTP/1.1\r\nhost: a\r\n\r\n").await;
    server.app.arrived.notified().await;
    server.stop.cancel();
    server.stopped().await;
    assert_eq!(stuck.rest().await.unwrap(), b"");
}

#[tokio::test]
async fn a_client_that_reads_nothing_is_cut() {
    let server = start(|limits| limits.write_timeout = SOON).await;
    let mut client = server.client().await;
    client.send("GET /big HTTP/1.1\r\nhost: a\r\n\r\n").await;
    timeout(NEVER, server.app.dropped.notified()).await.unwrap();
    // Bytes in transit may still be read, or be lost by the reset.
    let rest = client.rest().await.unwrap_or_default();
    assert!(rest.len() < BIG_MIB << 20);
    assert_eq!(server.ask(GET).await.status, 200);
}

#[tokio::test]
async fn a_panic_closes_only_one_connection() {
    let server = start(|_| ()).await;
    let mut client = server.client().await;
    client.send("GET /panic HTTP/1.1\r\nhost: a\r\n\r\n").await;
    assert_eq!(client.rest().await.unwrap(), b"");
    assert_eq!(server.ask(GET).await.status, 200);
}
