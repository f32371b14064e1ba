//! What systemd is told of a service that it supervises: that it is ready, that it still answers, and that it stops.

use std::os::unix::net::UnixDatagram;
use std::path::PathBuf;
use std::process::Stdio;

use super::{Home, NEVER, Serving, reviews};

/// The socket of a supervisor, and where it is.
fn supervisor(home: &Home) -> (UnixDatagram, PathBuf) {
    let path = home.0.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(NEVER)).unwrap();
    (socket, path)
}

fn told(socket: &UnixDatagram) -> String {
    let mut message = [0; 256];
    let length = socket.recv(&mut message).unwrap();
    String::from_utf8(message[..length].to_vec()).unwrap()
}

#[test]
fn a_supervisor_is_told_when_the_service_answers_and_that_it_does_and_when_it_stops() {
    let home = Home::with(3);
    let (socket, path) = supervisor(&home);
    let mut command = reviews(home.0.path());
    command
        .arg("serve")
        .env("NOTIFY_SOCKET", &path)
        .env("WATCHDOG_USEC", "100000");
    let serving = Serving::start(&mut command);
    assert_eq!(told(&socket), "READY=1\n");
    assert_eq!(serving.ids().len(), 3);
    for _ in 0..3 {
        assert_eq!(told(&socket), "WATCHDOG=1\n");
    }
    serving.signal("TERM");
    let mut last = told(&socket);
    while last == "WATCHDOG=1\n" {
        last = told(&socket);
    }
    assert_eq!(last, "STOPPING=1\n");
    assert_eq!(serving.end().0.code(), Some(0));
}

#[test]
fn without_a_watchdog_a_supervisor_is_told_of_the_start_and_the_end() {
    let home = Home::with(1);
    let (socket, path) = supervisor(&home);
    let mut command = reviews(home.0.path());
    let serving = Serving::start(command.arg("serve").env("NOTIFY_SOCKET", &path));
    assert_eq!(told(&socket), "READY=1\n");
    serving.signal("TERM");
    assert_eq!(told(&socket), "STOPPING=1\n");
    assert_eq!(serving.end().0.code(), Some(0));
}

#[test]
fn a_start_that_fails_is_never_ready() {
    let home = Home::with(1);
    let (socket, path) = supervisor(&home);
    let other = home.serve();
    let mut command = reviews(home.0.path());
    command
        .args(["serve", "--listen", &other.address.to_string()])
        .env("NOTIFY_SOCKET", &path)
        .stdout(Stdio::null());
    assert_eq!(command.output().unwrap().status.code(), Some(2));
    socket.set_nonblocking(true).unwrap();
    let nothing = socket.recv(&mut [0; 256]).unwrap_err();
    assert_eq!(nothing.kind(), std::io::ErrorKind::WouldBlock);
}
