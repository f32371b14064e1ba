//! Limits of connections: in all, and for a peer that takes more than its share. The dataset of 16 MB takes seconds to publish.

use reviews_service::web::server::ConnectionLimits;

use super::accepted_client;
use super::rig::start_large;

#[tokio::test]
async fn connections_above_the_limit_are_closed() {
    let server = start_large(|limits| limits.connections_max = 2, "127.0.0.0/8").await;
    let mut busy = [server.client().await, server.client().await];
    for client in &mut busy {
        client.read_slowly().await;
    }
    assert_eq!(server.client().await.try_get().await, None);
    drop(busy);
    accepted_client(&server).await;
}

#[tokio::test]
async fn connections_of_a_peer_above_its_limit_are_closed() {
    let limit = |limits: &mut ConnectionLimits| limits.connections_per_peer_max = 2;
    let server = start_large(limit, "10.0.0.0/8").await;
    let mut busy = [
        server.client_from(GREEDY).await,
        server.client_from(GREEDY).await,
    ];
    for client in &mut busy {
        client.read_slowly().await;
    }
    assert_eq!(server.client_from(GREEDY).await.try_get().await, None);
}

const GREEDY: [u8; 4] = [127, 0, 0, 2];
const HONEST: [u8; 4] = [127, 0, 0, 3];

/// 16 connections, 8 of each peer.
const fn places(limits: &mut ConnectionLimits) {
    limits.connections_max = 16;
    limits.connections_per_peer_max = 8;
}

#[tokio::test]
async fn connections_of_one_peer_shut_out_only_that_peer() {
    let server = start_large(places, "10.0.0.0/8").await;
    let mut slow = Vec::new();
    for _ in 0..8 {
        let mut client = server.client_from(GREEDY).await;
        client.read_slowly().await;
        slow.push(client);
    }
    let mut silent = Vec::new();
    for _ in 0..50 {
        for _ in 0..20 {
            silent.push(server.client_from(GREEDY).await);
        }
        assert_eq!(server.client_from(GREEDY).await.try_get().await, None);
        assert_eq!(server.client_from(HONEST).await.try_get().await, Some(200));
    }
}
