//! Further signals while `serve` finishes requests in flight.

use super::*;

const MESSAGE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

/// A service that was asked to stop while it waits for the body of a request, and that request's connection.
fn stopping(home: &Home) -> (ServingProcess, TcpStream) {
    let serving = ServingProcess::start(&mut home.process("serve --admin-listen 127.0.0.1:0"));
    let mut slow = serving.connect();
    let length = MESSAGE.len();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
         Expect: 100-continue\r\n\r\n"
    );
    slow.write_all(head.as_bytes()).unwrap();
    // It is sent when the body is read (RFC 9110 §10.1.1).
    let expected = b"HTTP/1.1 100 Continue\r\n\r\n";
    let mut begun = [0; 25];
    slow.read_exact(&mut begun).unwrap();
    assert_eq!(&begun, expected);
    serving.signal(Signal::TERM);
    // The stop begins with closing the listener.
    wait_until("the listener is closed", || {
        TcpStream::connect_timeout(&serving.address, NEVER).is_err()
    });
    (serving, slow)
}

#[test]
fn a_further_sigint_cuts_requests_in_flight_and_ends_the_service_with_130() {
    let home = Home::with(1);
    let (serving, _slow) = stopping(&home);
    serving.signal(Signal::INT);
    let (status, rest) = serving.end();
    let expected = "Stopped at once; requests in progress were cut off.\n";
    assert_eq!((status.code(), rest.as_str()), (Some(130), expected));
}

#[test]
fn a_further_sigterm_cuts_nothing() {
    let home = Home::with(1);
    let (serving, mut slow) = stopping(&home);
    serving.signal(Signal::TERM);
    // The operators' listener is open to the end.
    let admin = admin_address(&serving.greeting);
    assert!(response(admin, "/healthz").starts_with("HTTP/1.1 200 "));
    slow.write_all(MESSAGE.as_bytes()).unwrap();
    let mut answer = String::new();
    slow.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    let (status, rest) = serving.end();
    assert_eq!((status.code(), rest.as_str()), (Some(0), "Stopped.\n"));
}
