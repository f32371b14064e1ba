//! A server whose endpoint waits for the test, and a client that reads raw bytes.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream;
use poem::http::{Method, StatusCode};
use poem::{Body, Endpoint, EndpointExt, Request, Response};
use reviews_service::web::server::{ConnectionLimits, serve};
use reviews_service::web::{Routes, read_body, with_common_headers};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::GET;

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
    /// Timeout of `/echo`.
    body_timeout: Duration,
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
            "/echo" => {
                let (parts, body) = request.into_parts();
                match read_body(&parts.headers, body, BIG_MIB << 20, self.body_timeout).await {
                    Ok(bytes) => bytes.into(),
                    Err(problem) => problem.status.into(),
                }
            }
            "/nothing" => StatusCode::NOT_FOUND.into(),
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

/// A server with limits that this changes.
pub async fn start(change: impl FnOnce(&mut ConnectionLimits)) -> Running {
    start_with(change, "127.0.0.0/8", NEVER).await
}

/// Every path of the test as a route with the service's checks. `/panic` panics outside of the handlers.
fn routes(app: &Arc<App>) -> impl Endpoint<Output = Response> + 'static {
    let handlers = || {
        let methods = [Method::GET, Method::POST].into_iter();
        methods
            .map(|method| (method, Arc::clone(app).boxed()))
            .collect()
    };
    let paths = ["/", "/gate", "/big", "/echo", "/nothing"];
    let routes = paths.into_iter().fold(Routes::default(), |routes, path| {
        routes.at(path, handlers())
    });
    let endpoint = with_common_headers(routes.into_endpoint());
    endpoint
        .before(async |request: Request| {
            assert_ne!(request.uri().path(), "/panic", "on purpose");
            Ok(request)
        })
        .map_to_response()
}

/// A server that exempts clients of a network from the limits by peer, and gives a body only so much time.
#[expect(clippy::disallowed_methods, reason = "`Running::stopped` awaits it")]
pub async fn start_with(
    change: impl FnOnce(&mut ConnectionLimits),
    exempt: &str,
    body_timeout: Duration,
) -> Running {
    let mut limits = ConnectionLimits::default();
    change(&mut limits);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let app = Arc::new(App {
        body_timeout,
        ..App::default()
    });
    let (routes, stop) = (Arc::new(routes(&app)), CancellationToken::new());
    let exempt = vec![exempt.parse().unwrap()];
    let serving = serve(listener, routes, stop.clone(), limits, exempt);
    Running {
        address,
        app,
        stop,
        done: tokio::spawn(serving),
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

    /// The status of the answer to a GET; `None` if the connection is closed without one.
    pub async fn try_get(&mut self) -> Option<u16> {
        self.0.write_all(GET.as_bytes()).await.ok()?;
        let mut start = [0; 12];
        let read = timeout(NEVER, self.0.read_exact(&mut start)).await.unwrap();
        read.ok()?;
        let status = std::str::from_utf8(&start[9..]).unwrap().parse().unwrap();
        let mut rest = Vec::new();
        while !rest.ends_with(b"hello") {
            rest.push(timeout(NEVER, self.0.read_u8()).await.unwrap().ok()?);
        }
        Some(status)
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
        let mut fields = self.head.lines().filter_map(|line| line.split_once(": "));
        let found = fields.find(|(other, _)| *other == name);
        found.map(|(_, value)| value)
    }
}
