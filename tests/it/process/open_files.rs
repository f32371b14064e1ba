//! The limit of open files.

use super::*;

/// `serve` with these options, started by a shell after this `ulimit`, with its log in a file.
fn serve(home: &Home, limit: &str, options: &str) -> ServingProcess {
    let binary = env!("CARGO_BIN_EXE_reviews");
    let mut command = Command::new("/bin/sh");
    let line = format!("ulimit {limit} && exec '{binary}' serve {options} 2>log");
    command.args(["-c", &line]).current_dir(home.folder.path());
    command.env_clear().env("REVIEWS_LISTEN", "127.0.0.1:0");
    ServingProcess::start(&mut command)
}

#[test]
fn serve_raises_the_soft_limit_of_open_files_to_the_hard_limit() {
    let home = Home::with(1);
    let serving = serve(&home, "-Sn 200 && ulimit -Hn 300", "");
    let figures = serving.get("/metrics");
    assert_eq!(value(&figures, "process_max_fds"), Some(300.0));
}

/// Connections that ask nothing. They are accepted in this order, before later ones.
fn idle(address: SocketAddr, count: usize) -> Vec<TcpStream> {
    (0..count).map(|_| connect_to(address)).collect()
}

/// The answer to a probe; empty if the connection was closed without one.
fn response_if_any(address: SocketAddr) -> String {
    let (mut stream, mut answer) = (connect_to(address), String::new());
    let asked = stream.write_all(request("/readyz").as_bytes());
    let _ = asked.and_then(|()| stream.read_to_string(&mut answer));
    answer
}

const REFUSED: &str = r#"reviews_http_connections_refused_total{reason="all"}"#;

#[test]
fn connections_above_a_quarter_of_the_limit_of_open_files_are_closed_and_counted() {
    let home = Home::with(1);
    let serving = serve(&home, "-n 80", "--admin-listen 127.0.0.1:0");
    let _idle = idle(serving.address, 20);
    let mut further = serving.connect();
    let mut answer = Vec::new();
    // The connection may be reset.
    let _ = further.read_to_end(&mut answer);
    assert_eq!(answer, b"");
    let metrics = response(admin_address(&serving.greeting), "/metrics");
    assert_eq!(value(&metrics, REFUSED), Some(1.0));
}

#[test]
fn a_service_without_free_file_descriptors_logs_that_and_serves_once_some_are_free() {
    let home = Home::with(1);
    // A quarter for each of two listeners; the database and the runtime have most of the other half.
    let serving = serve(&home, "-n 32", "--admin-listen 127.0.0.1:0");
    let waiting =
        [serving.address, admin_address(&serving.greeting)].map(|address| idle(address, 8));
    wait_until("no connection can be accepted", || {
        home.read("log").contains("server.accept_failed")
    });
    drop(waiting);
    wait_until("the service is ready", || {
        response_if_any(serving.address).starts_with("HTTP/1.1 200 ")
    });
    serving.stop();
}
