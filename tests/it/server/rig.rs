//! A server whose endpoint waits for the test, and a client that reads raw bytes.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream;
use poem::http::{Method, StatusCode};
use poem::{Body, Endpoint, Request, Response};
use reviews_service::web::body_fault;
use reviews_service::web::server::{Limits, serve};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// The limit of every wait.
pub const NEVER: Duration = Duration::from_secs(20);
pub const BIG_MIB: usize = 50;

#[derive(Default)]
pub struct App {
    /// Signals that a request waits at the gate.
    pub arrived: Notify,
    pub gate: Notify,
    /// Signals that the big body was dropped.
    pub dropped: Arc<Notify>,
}

struct OnDrop(Arc<Notify>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

impl Endpoint for App {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        Ok(match request.uri().path() {
            "/gate" => {
                self.arrived.notify_one();
                self.gate.notified().await;
                "through".into()
            }
            "/big" => {
                let mebibyte = bytes::Bytes::from(vec![b'x'; 1 << 20]);
                let guard = OnDrop(Arc::clone(&self.dropped));
                let parts = (0..BIG_MIB).map(move |_| {
                    let _ = &guard;
                    Ok::<_, std::io::Error>(mebibyte.clone())
                });
                Body::from_bytes_stream(stream::iter(parts)).into()
            }
            "/echo" => match request.into_body().into_bytes().await {
                Ok(bytes) => bytes.into(),
                Err(error) => body_fault(&error).0.into(),
            },
            "/panic" => panic!("on purpose"),
            "/nothing" => StatusCode::NOT_FOUND.into(),
            _ if request.method() == Method::HEAD => {
                Response::builder().header("content-length", 1234).finish()
            }
            _ => "hello".into(),
        })
    }
}

pub struct Running {
    pub address: SocketAddr,
    pub app: Arc<App>,
    pub stop: CancellationToken,
    done: JoinHandle<()>,
}

pub async fn start(limits: Limits) -> Running {
    start_exempting(limits, "127.0.0.0/8").await
}

/// A server that exempts clients of this network from the limits by peer.
#[expect(clippy::disallowed_methods, reason = "`Running::stopped` awaits it")]
pub async fn start_exempting(limits: Limits, exempt: &str) -> Running {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, app, stop) = (
        listener.local_addr().unwrap(),
        Arc::new(App::default()),
        CancellationToken::new(),
    );
    let done = tokio::spawn(serve(
        listener,
        Arc::clone(&app),
        |_, _, _, _| None,
        stop.clone(),
        limits,
        vec![exempt.parse().unwrap()],
    ));
    Running {
        address,
        app,
        stop,
        done,
    }
}

impl Running {
    pub async fn client(&self) -> Client {
        Client(TcpStream::connect(self.address).await.unwrap())
    }

    /// A client with this address in 127.0.0.0/8.
    pub async fn client_from(&self, address: [u8; 4]) -> Client {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind((address, 0).into()).unwrap();
        Client(socket.connect(self.address).await.unwrap())
    }

    /// The answer to `request` on a new connection.
    pub async fn ask(&self, request: &str) -> Answer {
        let mut client = self.client().await;
        client.send(request).await;
        client.answer().await
    }

    pub async fn stopped(self) {
        timeout(NEVER, self.done).await.unwrap().unwrap();
    }
}

pub struct Client(pub TcpStream);

pub struct Answer {
    pub status: u16,
    head: String,
    pub body: Vec<u8>,
}

impl Client {
    pub async fn send(&mut self, bytes: &str) {
        self.0.write_all(bytes.as_bytes()).await.unwrap();
    }

    pub async fn head(&mut self) -> Answer {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(timeout(NEVER, self.0.read_u8()).await.unwrap().unwrap());
        }
        let head = String::from_utf8(head).unwrap();
        Answer {
            status: head[9..12].parse().unwrap(),
            head,
            body: Vec::new(),
        }
    }

    pub async fn answer(&mut self) -> Answer {
        let mut answer = self.head().await;
        answer.body = vec![0; answer.field("content-length").unwrap().parse().unwrap()];
        timeout(NEVER, self.0.read_exact(&mut answer.body))
            .await
            .unwrap()
            .unwrap();
        answer
    }

    /// All bytes until the server closes the connection.
    pub async fn rest(&mut self) -> std::io::Result<Vec<u8>> {
        let mut rest = Vec::new();
        timeout(NEVER, self.0.read_to_end(&mut rest))
            .await
            .unwrap()
            .map(|_| rest)
    }
}

impl Answer {
    pub fn field(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            line.split_once(": ")
                .filter(|(is, _)| *is == name)
                .map(|(_, value)| value)
        })
    }

    #[track_caller]
    pub fn assert_problem(&self, status: u16) {
        assert_eq!(self.status, status, "{}", self.head);
        assert_eq!(self.field("content-type"), Some("application/problem+json"));
        assert_eq!(self.field("cache-control"), Some("no-store"));
        assert_eq!(self.field("access-control-allow-origin"), Some("*"));
        assert_eq!(self.field("x-content-type-options"), Some("nosniff"));
        assert_eq!(self.field("referrer-policy"), Some("no-referrer"));
        assert_eq!(
            self.field("cross-origin-resource-policy"),
            Some("cross-origin")
        );
        assert_eq!(self.field("connection"), Some("close"));
        assert!(self.field("date").is_some());
        let problem: serde_json::Value = serde_json::from_slice(&self.body).unwrap();
        assert_eq!(
            (&problem["type"], &problem["status"]),
            (&"about:blank".into(), &status.into())
        );
        assert!(
            !problem["title"].as_str().unwrap().is_empty()
                && !problem["detail"].as_str().unwrap().is_empty()
        );
    }
}
