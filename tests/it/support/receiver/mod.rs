//! A subscriber's server: real TLS on a real socket. It records requests and sends the configured replies, also faulty ones.

mod connection;

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use connection::serve;

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use tokio_rustls::TlsAcceptor;

use super::authority::server_config;
use super::reply::Reply;

/// The names and addresses in a receiver's certificate.
const NAMES: &str = "receiver.test *.receiver.test localhost 127.0.0.1 127.0.0.2 127.0.0.3 127.0.0.4 127.0.0.5 \
    127.0.0.6 127.0.0.7 127.0.0.8 127.0.0.9";

/// The behaviour of a receiver at the connection level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Serves HTTPS with a trusted certificate.
    Https,
    /// Has a certificate from an untrusted authority.
    Untrusted,
    /// Has a certificate for another name.
    OtherName,
    /// Answers the handshake with plain text.
    PlainText,
    /// Never answers the handshake.
    Silent,
}

impl Manner {
    fn server_config(self) -> rustls::ServerConfig {
        let names = match self {
            Self::OtherName => vec!["other.test"],
            _ => NAMES.split(' ').collect(),
        };
        server_config(&names, self != Self::Untrusted)
    }
}

/// A received request.
#[derive(Debug, Clone)]
pub struct Received {
    pub method: String,
    pub target: String,
    pub fields: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Received {
    /// The value of a header field that must not be repeated; "" if it is absent.
    pub fn field(&self, name: &str) -> &str {
        let fields = self.fields.iter();
        let fields = fields.filter(|(field, _)| field.eq_ignore_ascii_case(name));
        let mut values = fields.map(|(_, value)| value.as_str());
        let value = values.next().unwrap_or_default();
        assert_eq!(values.next(), None, "{name} is repeated");
        value
    }

    /// The decoded values of a query parameter.
    pub fn parameters(&self, name: &str) -> Vec<String> {
        let query = self.target.split_once('?').map_or("", |(_, query)| query);
        url::form_urlencoded::parse(query.as_bytes())
            .filter(|(key, _)| key == name)
            .map(|(_, value)| value.into_owned())
            .collect()
    }
}

/// The server (see the module); it stops on drop.
pub struct Receiver {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: AbortHandle,
}

struct Shared {
    requests: watch::Sender<Vec<Received>>,
    script: Mutex<VecDeque<Reply>>,
    default: Mutex<Reply>,
    accepted: AtomicUsize,
    open: watch::Sender<usize>,
}

impl Receiver {
    /// A receiver that answers 204 to everything.
    pub async fn start() -> Self {
        Self::at(1, Manner::Https).await
    }

    /// A receiver at 127.0.0.`last` (1 to 9); each is a separate host.
    #[expect(
        clippy::disallowed_methods,
        reason = "ends when the receiver is dropped"
    )]
    pub async fn at(last: u8, manner: Manner) -> Self {
        let place = (Ipv4Addr::new(127, 0, 0, last), 0);
        let listener = TcpListener::bind(place).await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            requests: watch::Sender::default(),
            script: Mutex::default(),
            default: Mutex::new(Reply::status(204)),
            accepted: AtomicUsize::new(0),
            open: watch::Sender::default(),
        });
        let task = tokio::spawn(accept(listener, manner, Arc::clone(&shared))).abort_handle();
        Self {
            address,
            shared,
            task,
        }
    }

    /// The listening address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its URL by address.
    pub fn url(&self, target: &str) -> String {
        self.url_of(&self.address.ip().to_string(), target)
    }

    /// Its URL by name.
    pub fn url_of(&self, host: &str, target: &str) -> String {
        format!("https://{host}:{}{target}", self.address.port())
    }

    /// Sets the reply to all requests after the script.
    pub fn always(&self, reply: Reply) {
        *self.shared.default.lock().unwrap() = reply;
    }

    /// Sets the replies to the next requests, in order.
    pub fn script(&self, replies: impl IntoIterator<Item = Reply>) {
        self.shared.script.lock().unwrap().extend(replies);
    }

    /// All requests so far, in the order of their completion.
    pub fn requests(&self) -> Vec<Received> {
        self.shared.requests.borrow().clone()
    }

    /// A watch on all requests so far.
    pub fn watch(&self) -> watch::Receiver<Vec<Received>> {
        self.shared.requests.subscribe()
    }

    /// Waits for `count` requests.
    pub async fn received(&self, count: usize) -> Vec<Received> {
        let mut watch = self.watch();
        let received = watch.wait_for(|requests| requests.len() >= count).await;
        received.unwrap().clone()
    }

    /// The number of connections ever made to it.
    pub fn connections(&self) -> usize {
        self.shared.accepted.load(Ordering::SeqCst)
    }

    pub fn watch_open(&self) -> watch::Receiver<usize> {
        self.shared.open.subscribe()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, manner: Manner, shared: Arc<Shared>) {
    let acceptor = TlsAcceptor::from(Arc::new(manner.server_config()));
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        shared.accepted.fetch_add(1, Ordering::SeqCst);
        shared.open.send_modify(|open| *open += 1);
        let (acceptor, shared) = (acceptor.clone(), Arc::clone(&shared));
        connections.spawn(async move {
            // Tests break connections on purpose, so their errors are ignored.
            let _ = serve(stream, &acceptor, manner, &shared).await;
            shared.open.send_modify(|open| *open -= 1);
        });
    }
}
