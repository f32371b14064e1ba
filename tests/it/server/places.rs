//! Limits of connections: in all, and for a peer that takes more than its share.

use reviews_service::web::server::Limits;

use super::rig::{start, start_exempting};
use super::{GET, accepted_client};

#[tokio::test]
async fn connections_above_the_limit_get_503() {
    let server = start(Limits {
        connections_max: 2,
        ..Limits::default()
    })
    .await;
    let mut busy = [server.client().await, server.client().await];
    for client in &mut busy {
        client.send("GET /gate HTTP/1.1\r\nhost: a\r\n\r\n").await;
        server.app.arrived.notified().await;
    }
    let refused = server.ask(GET).await;
    refused.assert_problem(503);
    assert_eq!(refused.field("retry-after"), Some("1"));
    let mut head = server.client().await;
    head.send("HEAD / HTTP/1.1\r\nhost: a\r\n\r\n").await;
    assert_eq!(
        (head.head().await.status, head.rest().await.unwrap().len()),
        (503, 0)
    );
    for client in &mut busy {
        server.app.gate.notify_one();
        assert_eq!(client.answer().await.body, b"through");
    }
    drop(busy);
    accepted_client(&server).await;
}

#[tokio::test]
async fn idle_connections_are_closed_for_new_ones() {
    let server = start(Limits {
        connections_max: 1,
        ..Limits::default()
    })
    .await;
    let mut idle = accepted_client(&server).await;
    assert_eq!(server.ask(GET).await.status, 200);
    assert_eq!(idle.rest().await.unwrap(), b"");
}

#[tokio::test]
async fn silent_connections_are_closed_for_new_ones() {
    let server = start(Limits {
        connections_max: 2,
        ..Limits::default()
    })
    .await;
    let (mut first, second) = (server.client().await, server.client().await);
    assert_eq!(server.ask(GET).await.status, 200);
    assert_eq!(
        first.rest().await.unwrap(),
        b"",
        "the oldest is closed first"
    );
    assert_eq!(
        server.ask(GET).await.status,
        200,
        "one of the two connections was free"
    );
    drop(second);
}

/// The network exempt from limits by peer; the clients in 127.0.0.0/8 are outside of it.
const OUTSIDE: &str = "10.0.0.0/8";

const GREEDY: [u8; 4] = [127, 0, 0, 2];

const HONEST: [u8; 4] = [127, 0, 0, 3];

#[tokio::test]
async fn slow_readers_of_one_peer_shut_out_only_that_peer() {
    let limits = Limits {
        connections_max: 16,
        connections_per_peer_max: 8,
        ..Limits::default()
    };
    let server = start_exempting(limits, OUTSIDE).await;
    let mut slow = Vec::new();
    for _ in 0..8 {
        let mut client = server.client_from(GREEDY).await;
        client.send("GET /big HTTP/1.1\r\nhost: a\r\n\r\n").await;
        client.head().await;
        slow.push(client);
    }
    for _ in 0..8 {
        let mut refused = server.client_from(GREEDY).await;
        refused.send(GET).await;
        let answer = refused.answer().await;
        answer.assert_problem(429);
        assert_eq!(answer.field("retry-after"), Some("1"));
        let mut honest = server.client_from(HONEST).await;
        honest.send(GET).await;
        assert_eq!(honest.answer().await.status, 200);
    }
}

#[tokio::test]
async fn silent_connections_of_one_peer_shut_out_no_other_peer() {
    let limits = Limits {
        connections_max: 16,
        connections_per_peer_max: 8,
        ..Limits::default()
    };
    let server = start_exempting(limits, OUTSIDE).await;
    let mut silent = Vec::new();
    for _ in 0..50 {
        for _ in 0..20 {
            silent.push(server.client_from(GREEDY).await);
        }
        let mut honest = server.client_from(HONEST).await;
        honest.send(GET).await;
        assert_eq!(honest.answer().await.status, 200);
    }
    assert_eq!(silent.len(), 1_000);
}
