//! A panic outside of the handlers, in the task of a connection.

use std::sync::Arc;

use poem::Response;
use poem::endpoint::make_sync;
use reviews_service::web::server::ConnectionLimits;

use super::accepted_client;
use super::rig::{Running, start_endpoint};

/// A server that panics for each request but those for `/healthz`, outside of what catches the panics of handlers.
async fn start_panicking(connections_max: usize) -> Running {
    let endpoint = make_sync(|request| {
        assert_eq!(request.uri().path(), "/healthz");
        Response::builder().finish()
    });
    let change = |limits: &mut ConnectionLimits| limits.connections_max = connections_max;
    start_endpoint(Arc::new(endpoint), change, "127.0.0.0/8").await
}

#[tokio::test]
async fn a_panic_outside_of_the_handlers_ends_only_its_own_connection() {
    let server = start_panicking(2).await;
    let mut other = server.client().await;
    assert_eq!(other.try_get().await, Some(200));
    let mut panics = server.client().await;
    panics.send("GET / HTTP/1.1\r\nhost: a\r\n\r\n").await;
    assert_eq!(panics.rest().await.unwrap(), b"");
    assert_eq!(other.try_get().await, Some(200));
}

#[tokio::test]
async fn the_place_of_a_connection_that_panicked_is_free_again() {
    let server = start_panicking(1).await;
    let mut panics = server.client().await;
    panics.send("GET / HTTP/1.1\r\nhost: a\r\n\r\n").await;
    assert_eq!(panics.rest().await.unwrap(), b"");
    accepted_client(&server).await;
}
