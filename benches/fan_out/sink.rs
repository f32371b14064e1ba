//! Receivers for all hosts of `sink.test`, in a separate process: each host has its own address in 127/8.

use std::convert::Infallible;
use std::io::{BufRead, BufReader, Lines};
use std::net::{IpAddr, Ipv4Addr};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;

use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

#[path = "../../tests/it/support/authority.rs"]
mod authority;

/// The second byte of addresses that never answer.
const DEAD: u8 = 200;

/// The running sink process, which ends when this is dropped.
pub struct Sink {
    child: Child,
    /// Kept open, so that the process can write to its output.
    _said: Lines<BufReader<ChildStdout>>,
    pub port: u16,
    /// The CA certificate that issued its own.
    pub ca_pem: String,
}

impl Sink {
    pub fn start() -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        let mut child = command
            .env("FAN_OUT_SINK", "1")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let port = lines.next().unwrap().unwrap().parse().unwrap();
        let mut ca_pem = String::new();
        while !ca_pem.contains("-----END") {
            ca_pem = ca_pem + &lines.next().unwrap().unwrap() + "\n";
        }
        Self {
            child,
            _said: lines,
            port,
            ca_pem,
        }
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// The address of a host: `h1.sink.test`, or `d1.sink.test` for a host that never answers.
pub fn address(host: &str) -> IpAddr {
    let (kind, number) = host.split_once('.').unwrap().0.split_at(1);
    let number: u32 = number.parse().unwrap();
    let [_, high, middle, low] = (number + 1).to_be_bytes();
    IpAddr::V4(Ipv4Addr::new(
        127,
        if kind == "d" { DEAD } else { 1 + high },
        middle,
        low,
    ))
}

/// Runs the receivers; writes the port and the CA certificate to standard output first.
pub fn main() {
    let tls = authority::server_config(&["*.sink.test"], true);
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(async {
            let socket =
                socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
            socket
                .bind(&std::net::SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)).into())
                .unwrap();
            socket.listen(4_096).unwrap();
            socket.set_nonblocking(true).unwrap();
            let listener = TcpListener::from_std(socket.into()).unwrap();
            println!(
                "{}\n{}",
                listener.local_addr().unwrap().port(),
                authority::ca_pem().trim_end()
            );
            serve(listener, &TlsAcceptor::from(Arc::new(tls))).await;
        });
}

async fn serve(listener: TcpListener, acceptor: &TlsAcceptor) {
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = tokio::select! {
            stream = listener.accept() => stream.unwrap(),
            Some(_) = connections.join_next() => continue,
        };
        let is_dead = matches!(stream.local_addr().unwrap().ip(), IpAddr::V4(address) if address.octets()[1] == DEAD);
        let acceptor = acceptor.clone();
        connections.spawn(async move {
            if is_dead {
                // Until the sender closes the connection.
                while stream.readable().await.is_ok()
                    && stream.try_read(&mut [0; 4_096]).is_ok_and(|read| read > 0)
                {}
                return;
            }
            let Ok(stream) = acceptor.accept(stream).await else {
                return;
            };
            let service = service_fn(|request: Request<Incoming>| async move {
                let _ = request.into_body().collect().await;
                Ok::<_, Infallible>(
                    Response::builder()
                        .status(204)
                        .body(Empty::<Bytes>::new())
                        .unwrap(),
                )
            });
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}
