//! Guarantees of the server for any client and input, over real sockets, with a test endpoint.

mod connection_limits;
mod request_heads;
mod rig;

use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
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
async fn one_connection_serves_sequential_and_pipelined_requests() {
    let server = start(|_| ()).await;
    let mut client = server.client().await;
    for requests in [1, 3] {
        client.send(&GET.repeat(requests)).await;
        for _ in 0..requests {
            let answer = client.answer().await;
            let head = (answer.status, answer.field("connection"));
            assert_eq!((head, &*answer.body), ((200, None), &b"hello"[..]));
        }
        // Still open, nothing more to read.
        let more = timeout(SOON * 2, client.0.peek(&mut [0])).await;
        assert!(more.is_err());
    }
}

#[tokio::test]
async fn head_has_the_length_and_no_body() {
    let server = start(|_| ()).await;
    let mut client = server.client().await;
    client.send("HEAD / HTTP/1.1\r\nhost: a\r\n\r\n").await;
    assert_eq!(client.head().await.field("content-length"), Some("5"));
}

#[tokio::test]
async fn a_half_closed_connection_gets_the_answer() {
    let server = start(|_| ()).await;
    let mut client = server.client().await;
    client.send("GET /gate HTTP/1.1\r\nhost: a\r\n\r\n").await;
    client.0.shutdown().await.unwrap();
    server.app.arrived.notified().await;
    server.app.gate.notify_one();
    assert_eq!(client.answer().await.body, b"through");
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
async fn a_body_with_malformed_chunks_is_not_a_timeout() {
    let server = start(|_| ()).await;
    for chunks in ["zz\r\n", "-1\r\n", "5\r\nhelloXX"] {
        let request =
            format!("POST /echo HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n{chunks}");
        assert_eq!(server.ask(&request).await.status, 400, "{chunks}");
    }
}

#[tokio::test]
async fn the_answer_arrives_although_the_body_was_not_read() {
    let server = start(|_| ()).await;
    let body = "a".repeat(4_000_000);
    let head = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 4000000\r\n\r\n";
    let answer = server.ask(&format!("{head}{body}")).await;
    assert_eq!((answer.status, &*answer.body), (200, &b"hello"[..]));
}

#[tokio::test]
async fn a_stop_finishes_requests_in_flight_and_refuses_new_ones() {
    let server = start(|_| ()).await;
    let mut busy = server.client().await;
    let mut idle = accepted_client(&server).await;
    let mut fresh = server.client().await;
    busy.send("GET /gate HTTP/1.1\r\nhost: a\r\n\r\n").await;
    server.app.arrived.notified().await;
    server.stop.cancel();
    // Idle connections close at once. A fresh one ends if it was already accepted, otherwise it is reset.
    assert_eq!(idle.rest().await.unwrap(), b"");
    assert!(fresh.rest().await.map_or(true, |rest| rest.is_empty()));
    assert!(TcpStream::connect(server.address).await.is_err());
    server.app.gate.notify_one();
    let answer = busy.answer().await;
    assert_eq!(answer.body, b"through");
    assert_eq!(answer.field("connection"), Some("close"));
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
async fn a_client_that_keeps_up_gets_the_whole_body() {
    let server = start(|limits| limits.write_timeout = SOON * 20).await;
    let mut client = server.client().await;
    client
        .send("GET /big HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
        .await;
    assert!(client.rest().await.unwrap().len() > BIG_MIB << 20);
}

#[tokio::test]
async fn a_panic_closes_only_one_connection() {
    let server = start(|_| ()).await;
    let mut client = server.client().await;
    client.send("GET /panic HTTP/1.1\r\nhost: a\r\n\r\n").await;
    assert_eq!(client.rest().await.unwrap(), b"");
    assert_eq!(server.ask(GET).await.status, 200);
}
