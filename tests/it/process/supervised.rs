//! Notifications to systemd: ready, stopping.

use super::*;

/// A socket that receives notifications, and its path.
fn notify_socket(home: &Home) -> (UnixDatagram, PathBuf) {
    let path = home.0.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(NEVER)).unwrap();
    (socket, path)
}

fn notification(socket: &UnixDatagram) -> String {
    let mut message = [0; 256];
    let length = socket.recv(&mut message).unwrap();
    String::from_utf8(message[..length].to_vec()).unwrap()
}

#[test]
fn systemd_is_notified_of_start_and_stop() {
    let home = Home::with(1);
    let (socket, path) = notify_socket(&home);
    let mut command = reviews(home.0.path());
    let serving = Serving::start(command.arg("serve").env("NOTIFY_SOCKET", &path));
    assert_eq!(notification(&socket), "READY=1\n");
    serving.signal("TERM");
    assert_eq!(notification(&socket), "STOPPING=1\n");
    assert_eq!(serving.end().0.code(), Some(0));
}

#[test]
fn a_failed_start_is_never_reported_as_ready() {
    let home = Home::with(1);
    let (socket, path) = notify_socket(&home);
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
