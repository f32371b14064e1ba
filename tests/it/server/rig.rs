//! The service on a socket with limits that a test changes, and a client that reads raw bytes.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use poem::{Endpoint, Response};
use reviews_service::model::Review;
use reviews_service::web::server::{ConnectionLimits, serve};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::GET;
use crate::support::{TestApp, review_with_text};

/// The limit of every wait.
pub const NEVER: Duration = Duration::from_secs(20);

pub struct Running {
    pub address: SocketAddr,
    pub stop: CancellationToken,
    done: JoinHandle<()>,
    /// Of [`start`] and [`start_large`].
    _app: Option<TestApp>,
}

/// A server with limits that this changes, which exempts this machine from the limits by peer.
pub async fn start(change: impl FnOnce(&mut ConnectionLimits)) -> Running {
    run(&[], change, "127.0.0.0/8").await
}

/// The same with a dataset of 16 MB, more than the buffers of a connection hold. The newest reviews, which the feeds have, are
/// small.
pub async fn start_large(change: impl FnOnce(&mut ConnectionLimits), exempt: &str) -> Running {
    let review = |number| Review {
        author: "x".repeat(if number < 50 { 1 } else { 1_000_000 }),
        ..review_with_text(number, "")
    };
    let reviews: Vec<Review> = (0..66).map(review).collect();
    run(&reviews, change, exempt).await
}

async fn run(
    reviews: &[Review],
    change: impl FnOnce(&mut ConnectionLimits),
    exempt: &str,
) -> Running {
    let app = TestApp::uncoded(reviews).await;
    let endpoint = Arc::clone(&app.app().endpoint);
    let running = start_endpoint(endpoint, change, exempt).await;
    Running {
        _app: Some(app),
        ..running
    }
}

/// A server of this endpoint, with limits that `change` sets.
#[expect(clippy::disallowed_methods, reason = "`Running::stopped` awaits it")]
pub async fn start_endpoint<E: Endpoint<Output = Response> + 'static>(
    endpoint: Arc<E>,
    change: impl FnOnce(&mut ConnectionLimits),
    exempt: &str,
) -> Running {
    let mut limits = ConnectionLimits::default();
    change(&mut limits);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, exempt) = (CancellationToken::new(), vec![exempt.parse().unwrap()]);
    let serving = serve(listener, endpoint, stop.clone(), limits, exempt);
    Running {
        address,
        stop,
        done: tokio::spawn(serving),
        _app: None,
    }
}

impl Running {
    pub async fn client(&self) -> Client {
        Client(TcpStream::connect(self.address).await.unwrap())
    }

    /// A client with this address in 127.0.0.0/8.
    pub async fn client_from(&self, address: [u8; 4]) -> Client {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((address, 0).into()).unwrap();
        Client(socket.connect(self.address).await.unwrap())
    }

    /// The status of the answer to `request` on a new connection.
    pub async fn ask(&self, request: &str) -> u16 {
        let mut client = self.client().await;
        client.send(request).await;
        client.answer().await.unwrap()
    }

    pub async fn stopped(self) {
        timeout(NEVER, self.done).await.unwrap().unwrap();
    }
}

pub struct Client(TcpStream);

impl Client {
    pub async fn send(&mut self, bytes: &str) {
        self.0.write_all(bytes.as_bytes()).await.unwrap();
    }

    /// Requests the dataset, and reads only the head of the answer.
    pub async fn read_slowly(&mut self) {
        self.send("GET /reviews.json HTTP/1.1\r\nhost: a\r\n\r\n")
            .await;
        self.head().await.unwrap();
    }

    /// The status of the answer to a GET; `None` if the connection is closed without one.
    pub async fn try_get(&mut self) -> Option<u16> {
        self.0.write_all(GET.as_bytes()).await.ok()?;
        self.answer().await
    }

    async fn head(&mut self) -> Option<String> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(timeout(NEVER, self.0.read_u8()).await.unwrap().ok()?);
        }
        Some(String::from_utf8(head).unwrap())
    }

    /// The status of the next answer, which is read as a whole; `None` if the connection is closed without one.
    pub async fn answer(&mut self) -> Option<u16> {
        let head = self.head().await?;
        let mut lines = head.lines();
        let length = lines.find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.unwrap().parse().unwrap()];
        let read = timeout(NEVER, self.0.read_exact(&mut body)).await.unwrap();
        read.ok()?;
        head[9..12].parse().ok()
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
