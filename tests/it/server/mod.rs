//! What the server promises whoever connects, whatever they send: over real sockets, with an
//! endpoint of its own.

mod rig;

use std::time::Duration;

use reviews_service::server::Limits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use self::rig::{BIG_MIB, Client, NEVER, Running, start, start_exempting};

const GET: &str = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
/// Short enough for a test to wait for.
const SOON: Duration = Duration::from_millis(150);

/// One check for every request that never reaches the endpoint.
async fn check_refused(request: &str, status: u16) {
    let server = start(Limits {
        headers_timeout: SOON,
        ..Limits::default()
    })
    .await;
    let mut client = server.client().await;
    client.send(request).await;
    client.answer().await.assert_problem(status);
    assert_eq!(client.rest().await.unwrap(), b"", "closed after the answer");
    assert_eq!(server.ask(GET).await.status, 200, "the server goes on");
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
async fn no_host_or_two_are_answered_400() {
    check_refused("GET / HTTP/1.1\r\n\r\n", 400).await;
    check_refused("GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n", 400).await;
    let server = start(Limits::default()).await;
    assert_eq!(
        server.ask("GET / HTTP/1.0\r\n\r\n").await.status,
        200,
        "HTTP/1.0 knows no Host"
    );
}

#[tokio::test]
async fn a_host_that_is_none_is_answered_400() {
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
async fn a_body_in_another_transfer_coding_than_chunks_is_answered_501() {
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
async fn a_head_that_does_not_come_in_time_is_answered_408() {
    check_refused("GET / HTTP/1.1\r\nhost: a\r\n", 408).await;
    check_refused("G", 408).await;
}

#[tokio::test]
async fn a_head_that_comes_drop_by_drop_is_answered_408() {
    // Bounds that no drip reaches, so that only time can end it.
    let bytes = 16 << 20;
    let server = start(Limits {
        headers_timeout: SOON,
        head_bytes_max: bytes,
        buffer_bytes_max: bytes,
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
async fn a_head_cut_short_is_answered_400_where_the_client_still_listens() {
    let server = start(Limits::default()).await;
    let mut client = server.client().await;
    client.send("GET / HTTP/1.1\r\n").await;
    client.0.shutdown().await.unwrap();
    client.answer().await.assert_problem(400);
}

#[tokio::test]
async fn garbage_behind_a_good_request_is_answered_after_it() {
    let server = start(Limits::default()).await;
    let mut client = server.client().await;
    client.send(&format!("{GET}\u{1}\r\n\r\n")).await;
    assert_eq!(client.answer().await.body, b"hello");
    client.answer().await.assert_problem(400);
}

#[tokio::test]
async fn an_empty_error_of_the_endpoint_is_left_as_it_is() {
    let server = start(Limits::default()).await;
    let answer = server.ask("GET /nothing HTTP/1.1\r\nhost: a\r\n\r\n").await;
    assert_eq!(
        (
            answer.status,
            answer.field("content-type"),
            answer.body.len()
        ),
        (404, None, 0)
    );
}

#[tokio::test]
async fn a_silent_connection_is_closed_without_a_word() {
    let server = start(Limits {
        headers_timeout: SOON,
        keep_alive_timeout: SOON,
        ..Limits::default()
    })
    .await;
    let mut fresh = server.client().await;
    assert_eq!(fresh.rest().await.unwrap(), b"");
    let mut idle = server.client().await;
    idle.send(GET).await;
    assert_eq!(idle.answer().await.status, 200);
    assert_eq!(idle.rest().await.unwrap(), b"");
}

#[tokio::test]
async fn two_requests_use_one_connection_one_after_the_other_or_both_at_once() {
    // The second head begins after more than the time for one: idle time is bounded by its own
    // limit.
    let server = start(Limits {
        headers_timeout: SOON,
        ..Limits::default()
    })
    .await;
    let mut client = server.client().await;
    for requests in [1, 3] {
        client.send(&GET.repeat(requests)).await;
        for _ in 0..requests {
            let answer = client.answer().await;
            assert_eq!(
                (answer.status, answer.field("connection"), &*answer.body),
                (200, None, &b"hello"[..])
            );
        }
        assert!(
            timeout(SOON * 2, client.0.peek(&mut [0])).await.is_err(),
            "still open, nothing more to read"
        );
    }
}

#[tokio::test]
async fn head_keeps_the_length_and_sends_no_body() {
    let server = start(Limits::default()).await;
    let mut client = server.client().await;
    client.send("HEAD / HTTP/1.1\r\nhost: a\r\n\r\n").await;
    assert_eq!(client.head().await.field("content-length"), Some("1234"));
    client
        .send(
            &GET.replace(" / ", &format!(" /{} ", "a".repeat(17_000)))
                .replace("GET", "HEAD"),
        )
        .await;
    let refused = client.head().await;
    assert_eq!(
        (refused.status, client.rest().await.unwrap().len()),
        (414, 0)
    );
}

#[tokio::test]
async fn a_client_that_ends_its_side_still_gets_its_answer() {
    let server = start(Limits::default()).await;
    let mut client = server.client().await;
    client.send("GET /gate HTTP/1.1\r\nhost: a\r\n\r\n").await;
    client.0.shutdown().await.unwrap();
    server.app.arrived.notified().await;
    server.app.gate.notify_one();
    assert_eq!(client.answer().await.body, b"through");
}

#[tokio::test]
async fn a_half_sent_body_ends_as_an_error_of_reading_it() {
    let server = start(Limits {
        body_timeout: SOON,
        ..Limits::default()
    })
    .await;
    let half = "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nhalf";
    assert_eq!(server.ask(half).await.status, 408);
    let mut gone = server.client().await;
    gone.send(half).await;
    drop(gone);
    server.stop.cancel();
    server.stopped().await;
}

#[tokio::test]
async fn the_answer_arrives_though_the_body_was_not_read() {
    let server = start(Limits::default()).await;
    let body = "a".repeat(4_000_000);
    let answer = server
        .ask(&format!(
            "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        ))
        .await;
    assert_eq!((answer.status, &*answer.body), (200, &b"hello"[..]));
}

/// Asks until there is a place: a connection that has just closed may still be counted for a
/// moment.
async fn admitted(server: &Running) -> Client {
    for _ in 0..10_000 {
        let mut client = server.client().await;
        client.send(GET).await;
        if client.answer().await.status == 200 {
            return client;
        }
    }
    panic!("no place became free");
}

#[tokio::test]
async fn beyond_the_cap_503_is_answered_until_there_is_a_place() {
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
    admitted(&server).await;
}

#[tokio::test]
async fn idle_connections_make_room_for_who_comes() {
    let server = start(Limits {
        connections_max: 1,
        ..Limits::default()
    })
    .await;
    let mut idle = admitted(&server).await;
    assert_eq!(server.ask(GET).await.status, 200);
    assert_eq!(idle.rest().await.unwrap(), b"");
}

#[tokio::test]
async fn connections_without_a_byte_make_room_for_who_comes() {
    let server = start(Limits {
        connections_max: 2,
        ..Limits::default()
    })
    .await;
    let (mut first, second) = (server.client().await, server.client().await);
    assert_eq!(server.ask(GET).await.status, 200);
    assert_eq!(first.rest().await.unwrap(), b"", "the oldest goes first");
    assert_eq!(
        server.ask(GET).await.status,
        200,
        "the place of who has just gone, or of the other"
    );
    drop(second);
}

/// Whoever has the peers' addresses stands outside: 127.0.0.0/8 is not exempt here.
const OUTSIDE: &str = "10.0.0.0/8";
const GREEDY: [u8; 4] = [127, 0, 0, 2];
const HONEST: [u8; 4] = [127, 0, 0, 3];

#[tokio::test]
async fn readers_of_one_peer_that_take_their_time_shut_out_that_peer_alone() {
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
async fn one_peer_that_opens_connections_without_a_byte_again_and_again_shuts_out_nobody() {
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

#[tokio::test]
async fn a_head_that_begins_behind_another_request_has_the_time_of_a_head() {
    let server = start(Limits {
        headers_timeout: SOON,
        keep_alive_timeout: NEVER * 2,
        ..Limits::default()
    })
    .await;
    let post = "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nhello";
    for first in [GET, post] {
        let mut client = server.client().await;
        client
            .send(&format!("{first}GET / HTTP/1.1\r\nhost:"))
            .await;
        assert_eq!(client.answer().await.status, 200);
        client.answer().await.assert_problem(408);
    }
}

#[tokio::test]
async fn a_stop_finishes_what_is_in_flight_and_refuses_what_is_new() {
    let server = start(Limits::default()).await;
    let (mut busy, mut idle, mut fresh) = (
        server.client().await,
        admitted(&server).await,
        server.client().await,
    );
    busy.send("GET /gate HTTP/1.1\r\nhost: a\r\n\r\n").await;
    server.app.arrived.notified().await;
    server.stop.cancel();
    assert_eq!(
        idle.rest().await.unwrap(),
        b"",
        "idle connections close at once"
    );
    // Whether it had been taken from the queue or not decides between an end and a reset.
    assert!(fresh.rest().await.map_or(true, |rest| rest.is_empty()));
    assert!(TcpStream::connect(server.address).await.is_err());
    server.app.gate.notify_one();
    let answer = busy.answer().await;
    assert_eq!(
        (&*answer.body, answer.field("connection")),
        (&b"through"[..], Some("close"))
    );
    server.stopped().await;
}

#[tokio::test]
async fn a_stop_cuts_what_does_not_finish_in_time() {
    let server = start(Limits {
        shutdown_timeout: SOON,
        ..Limits::default()
    })
    .await;
    let mut stuck = server.client().await;
    stuck.send("GET /gate HTTP/1.1\r\nhost: a\r\n\r\n").await;
    server.app.arrived.notified().await;
    server.stop.cancel();
    server.stopped().await;
    assert_eq!(stuck.rest().await.unwrap(), b"");
}

#[tokio::test]
async fn a_reader_that_takes_nothing_is_cut() {
    let server = start(Limits {
        write_slack: SOON,
        ..Limits::default()
    })
    .await;
    let mut client = server.client().await;
    client.send("GET /big HTTP/1.1\r\nhost: a\r\n\r\n").await;
    timeout(NEVER, server.app.dropped.notified()).await.unwrap();
    // What was on its way may still be read, or be lost to the reset.
    assert!(
        client
            .rest()
            .await
            .map_or(true, |rest| rest.len() < BIG_MIB << 20)
    );
    assert_eq!(server.ask(GET).await.status, 200);
}

#[tokio::test]
async fn a_reader_that_keeps_up_gets_the_whole_body() {
    let server = start(Limits {
        write_slack: SOON * 4,
        ..Limits::default()
    })
    .await;
    let mut client = server.client().await;
    client
        .send("GET /big HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
        .await;
    assert!(client.rest().await.unwrap().len() > BIG_MIB << 20);
}

#[tokio::test]
async fn a_panic_ends_its_own_connection_only() {
    let server = start(Limits::default()).await;
    let mut client = server.client().await;
    client.send("GET /panic HTTP/1.1\r\nhost: a\r\n\r\n").await;
    assert_eq!(client.rest().await.unwrap(), b"");
    assert_eq!(server.ask(GET).await.status, 200);
}
