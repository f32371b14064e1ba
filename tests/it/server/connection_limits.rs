//! Limits of connections: in all, and for a peer that takes more than its share.

use reviews_service::web::server::ConnectionLimits;

use super::accepted_client;
use super::rig::{NEVER, Running, start, start_with};

#[tokio::test]
async fn connections_above_the_limit_are_closed() {
    let server = start(|limits| limits.connections_max = 2).await;
    let mut busy = [server.client().await, server.client().await];
    for client in &mut busy {
        client.send("GET /gate HTTP/1.1\r\nhost: a\r\n\r\n").await;
        server.app.arrived.notified().await;
    }
    assert_eq!(server.client().await.try_get().await, None);
    for client in &mut busy {
        server.app.gate.notify_one();
        assert_eq!(client.answer().await.body, b"through");
    }
    drop(busy);
    accepted_client(&server).await;
}

const GREEDY: [u8; 4] = [127, 0, 0, 2];
const HONEST: [u8; 4] = [127, 0, 0, 3];

/// A server of 16 connections, 8 of each peer; the clients in 127.0.0.0/8 are outside of the exempt network.
async fn start_with_places() -> Running {
    let change = |limits: &mut ConnectionLimits| {
        limits.connections_max = 16;
        limits.connections_per_peer_max = 8;
    };
    start_with(change, "10.0.0.0/8", NEVER).await
}

#[tokio::test]
async fn slow_readers_of_one_peer_shut_out_only_that_peer() {
    let server = start_with_places().await;
    let mut slow = Vec::new();
    for _ in 0..8 {
        let mut client = server.client_from(GREEDY).await;
        client.send("GET /big HTTP/1.1\r\nhost: a\r\n\r\n").await;
        client.head().await;
        slow.push(client);
    }
    for _ in 0..8 {
        assert_eq!(server.client_from(GREEDY).await.try_get().await, None);
        assert_eq!(server.client_from(HONEST).await.try_get().await, Some(200));
    }
}

#[tokio::test]
async fn silent_connections_of_one_peer_shut_out_no_other_peer() {
    let server = start_with_places().await;
    let mut silent = Vec::new();
    for _ in 0..50 {
        for _ in 0..20 {
            silent.push(server.client_from(GREEDY).await);
        }
        assert_eq!(server.client_from(HONEST).await.try_get().await, Some(200));
    }
    assert_eq!(silent.len(), 1_000);
}
