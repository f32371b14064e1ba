//! Malformed and oversized requests, each refused with its status.

use reviews_service::web::server::Limits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use super::rig::{NEVER, start};
use super::{GET, SOON};

/// Checks the answer to a request that does not reach the endpoint.
async fn check_refused(request: &str, status: u16) {
    let server = start(Limits {
        headers_timeout: SOON,
        ..Limits::default()
    })
    .await;
    let mut client = server.client().await;
    client.send(request).await;
    client.answer().await.assert_problem(status);
    assert_eq!(
        client.rest().await.unwrap(),
        b"",
        "the connection is closed after the answer"
    );
    assert_eq!(server.ask(GET).await.status, 200, "the server continues");
}

#[tokio::test]
async fn garbage_is_answered_400() {
    check_refused("\u{1}\u{2}garbage\r\n\r\n", 400).await;
    check_refused("GET / HTTP/1.1\r\nno colon\r\n\r\n", 400).await;
    check_refused("GET / HTTP/9.9\r\n\r\n", 400).await;
}

#[tokio::test]
async fn the_preface_of_http_2_is_answered_400() {
    check_refused("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400).await;
}

#[tokio::test]
async fn a_missing_or_repeated_host_is_answered_400() {
    check_refused("GET / HTTP/1.1\r\n\r\n", 400).await;
    check_refused("GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n", 400).await;
    let server = start(Limits::default()).await;
    assert_eq!(
        server.ask("GET / HTTP/1.0\r\n\r\n").await.status,
        200,
        "HTTP/1.0 has no Host"
    );
}

#[tokio::test]
async fn an_invalid_host_is_answered_400() {
    for host in ["a b", "user@a", "a/b", "a:b", "a:80:80", "[::1", "http://a"] {
        for version in ["1.1", "1.0"] {
            check_refused(
                &format!("GET / HTTP/{version}\r\nhost: {host}\r\n\r\n"),
                400,
            )
            .await;
        }
    }
    check_refused("GET / HTTP/1.0\r\nhost: a\r\nhost: b\r\n\r\n", 400).await;
    let server = start(Limits::default()).await;
    for host in [
        "",
        "a",
        "a:",
        "a.example:80",
        "127.0.0.1:8080",
        "[::1]:80",
        "xn--a",
        "a_b",
    ] {
        let request = format!("GET / HTTP/1.1\r\nhost: {host}\r\n\r\n");
        assert_eq!(server.ask(&request).await.status, 200, "{host}");
    }
}

#[tokio::test]
async fn an_unknown_transfer_coding_is_answered_501() {
    let body = "0\r\n\r\n";
    for coding in ["gzip, chunked", "GZIP,chunked", "identity , chunked"] {
        let fields = format!("host: a\r\ntransfer-encoding: {coding}\r\n");
        check_refused(&format!("POST /echo HTTP/1.1\r\n{fields}\r\n{body}"), 501).await;
    }
    let two = "transfer-encoding: gzip\r\ntransfer-encoding: chunked\r\n";
    check_refused(
        &format!("POST /echo HTTP/1.1\r\nhost: a\r\n{two}\r\n{body}"),
        501,
    )
    .await;
    let server = start(Limits::default()).await;
    for coding in ["chunked", "Chunked", " , chunked"] {
        let fields = format!("host: a\r\ntransfer-encoding: {coding}\r\n");
        let request = format!("POST /echo HTTP/1.1\r\n{fields}\r\n2\r\nok\r\n{body}");
        let answer = server.ask(&request).await;
        assert_eq!(
            (answer.status, &answer.body[..]),
            (200, &b"ok"[..]),
            "{coding}"
        );
    }
}

#[tokio::test]
async fn a_long_target_is_answered_414() {
    for bytes in [17_000, 100_000] {
        check_refused(
            &format!("GET /{} HTTP/1.1\r\nhost: a\r\n\r\n", "a".repeat(bytes)),
            414,
        )
        .await;
    }
    // 16 KiB with the slash and the question mark.
    let server = start(Limits::default()).await;
    for (bytes, status) in [(16_382, 200), (16_383, 414)] {
        let mut client = server.client().await;
        let query = "a".repeat(bytes);
        client
            .send(&format!("GET /?{query} HTTP/1.1\r\nhost: a\r\n\r\n"))
            .await;
        assert_eq!(client.answer().await.status, status, "{bytes}");
    }
}

#[tokio::test]
async fn too_many_or_too_long_header_fields_are_answered_431() {
    let many = "x: 1\r\n".repeat(200);
    check_refused(&format!("GET / HTTP/1.1\r\nhost: a\r\n{many}\r\n"), 431).await;
    for bytes in [40_000, 1_000_000] {
        check_refused(
            &format!(
                "GET / HTTP/1.1\r\nhost: a\r\nx: {}\r\n\r\n",
                "a".repeat(bytes)
            ),
            431,
        )
        .await;
    }
}

#[tokio::test]
async fn a_hub_request_with_a_bad_head_gets_one_line_of_text() {
    let hub = "/api/websub/hub";
    let server = start(Limits::default()).await;
    for (head, status) in [
        (format!("{hub} HTTP/1.1\r\nhost: a b\r\n"), 400),
        (format!("{hub} HTTP/1.1\r\n"), 400),
        (format!("{hub} HTTP/9.9\r\nhost: a\r\n"), 400),
        (
            format!("{hub} HTTP/1.1\r\nhost: a\r\ntransfer-encoding: gzip, chunked\r\n"),
            501,
        ),
        (
            format!("{hub}?{} HTTP/1.1\r\nhost: a\r\n", "a".repeat(17_000)),
            414,
        ),
        (
            format!("{hub}?{} HTTP/1.1\r\nhost: a\r\n", "a".repeat(100_000)),
            414,
        ),
        (
            format!("{hub}?a HTTP/1.1\r\nhost: a\r\n{}", "x: 1\r\n".repeat(200)),
            431,
        ),
    ] {
        let answer = server.ask(&format!("POST {head}\r\n")).await;
        let line = String::from_utf8(answer.body.clone()).unwrap();
        let start: String = head.chars().take(60).collect();
        assert_eq!(answer.status, status, "{start}: {line}");
        assert_eq!(
            answer.field("content-type"),
            Some("text/plain; charset=utf-8"),
            "{start}"
        );
        assert_eq!(answer.field("cache-control"), Some("no-store"), "{start}");
        assert!(
            line.len() > 20 && line.find('\n') == Some(line.len() - 1),
            "{start}: {line}"
        );
    }
}

#[tokio::test]
async fn a_late_head_is_answered_408() {
    check_refused("GET / HTTP/1.1\r\nhost: a\r\n", 408).await;
    check_refused("G", 408).await;
}

#[tokio::test]
async fn a_slow_head_is_answered_408() {
    // Limits that the slow client does not reach, so that only the time limit ends it.
    let bytes = 16 << 20;
    let server = start(Limits {
        headers_timeout: SOON,
        head_bytes_max: bytes,
        ..Limits::default()
    })
    .await;
    let (mut reading, mut writing) = server.client().await.0.into_split();
    let drip = async {
        writing.write_all(b"GET / HTTP/1.1\r\nx: ").await.unwrap();
        loop {
            if writing.write_all(b"a").await.is_err() {
                std::future::pending::<()>().await;
            }
            tokio::task::yield_now().await;
        }
    };
    let mut start = [0; 12];
    tokio::select! {
        () = drip => {}
        read = timeout(NEVER, reading.read_exact(&mut start)) => { read.unwrap().unwrap(); }
    }
    assert_eq!(&start, b"HTTP/1.1 408");
}

#[tokio::test]
async fn a_truncated_head_is_answered_400_if_the_client_still_reads() {
    let server = start(Limits::default()).await;
    let mut client = server.client().await;
    client.send("GET / HTTP/1.1\r\n").await;
    client.0.shutdown().await.unwrap();
    client.answer().await.assert_problem(400);
}

#[tokio::test]
async fn garbage_after_a_valid_request_is_answered_after_it() {
    let server = start(Limits::default()).await;
    let mut client = server.client().await;
    client.send(&format!("{GET}\u{1}\r\n\r\n")).await;
    assert_eq!(client.answer().await.body, b"hello");
    client.answer().await.assert_problem(400);
}
