//! Malformed and oversized requests. A head that hyper cannot read ends its connection; what hyper accepts but HTTP does
//! not is an error with its status.

use super::rig::start;
use super::{GET, SOON};

/// Checks that the connection ends without a response, or with this one without a body, and that the server continues.
async fn check_ended(request: &str, response: &str) {
    let server = start(|limits| limits.head_timeout = SOON).await;
    let mut client = server.client().await;
    client.send(request).await;
    let rest = String::from_utf8(client.rest().await.unwrap_or_default()).unwrap();
    assert!(rest.starts_with(response), "{request:.40}: {rest}");
    assert!(rest.is_empty() || rest.ends_with("\r\n\r\n"), "{rest}");
    assert_eq!(server.ask(GET).await, 200, "the server continues");
}

#[tokio::test]
async fn garbage_closes_the_connection() {
    for garbage in [
        "\u{1}\u{2}garbage\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nno colon\r\n\r\n",
        "GET /healthz HTTP/9.9\r\n\r\n",
    ] {
        check_ended(garbage, "HTTP/1.1 400").await;
    }
    check_ended("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "").await;
}

#[tokio::test]
async fn a_missing_host_is_answered_400() {
    for (request, status) in [
        ("GET /healthz HTTP/1.1\r\n\r\n", 400),
        // HTTP/1.0 has no Host.
        ("GET /healthz HTTP/1.0\r\n\r\n", 200),
    ] {
        let server = start(|_| ()).await;
        assert_eq!(server.ask(request).await, status, "{request}");
        assert_eq!(server.ask(GET).await, 200, "the server continues");
    }
}

#[tokio::test]
async fn a_long_target_is_answered_414() {
    // 16 KiB with the path and the question mark.
    let server = start(|_| ()).await;
    for (bytes, status) in [(16_375, 200), (16_376, 414), (20_000, 414)] {
        let query = "a".repeat(bytes);
        let request = format!("GET /healthz?{query} HTTP/1.1\r\nhost: a\r\n\r\n");
        assert_eq!(server.ask(&request).await, status, "{bytes}");
    }
}

#[tokio::test]
async fn too_many_or_too_long_header_fields_end_the_connection() {
    let many = "x: 1\r\n".repeat(200);
    let request = format!("GET /healthz HTTP/1.1\r\nhost: a\r\n{many}\r\n");
    check_ended(&request, "HTTP/1.1 431").await;
    let long = "a".repeat(40_000);
    let request = format!("GET /healthz HTTP/1.1\r\nhost: a\r\nx: {long}\r\n\r\n");
    check_ended(&request, "HTTP/1.1 431").await;
}

#[tokio::test]
async fn a_late_head_ends_the_connection() {
    check_ended("GET /healthz HTTP/1.1\r\nhost: a\r\n", "").await;
    check_ended("G", "").await;
}
