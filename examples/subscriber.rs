//! A minimal, complete subscriber (W3C WebSub): finds the hub, subscribes, answers the challenge, accepts only signed
//! content, renews before the lease ends, and unsubscribes when it is stopped.
//!
//! ```text
//! cargo run --example subscriber -- TOPIC CALLBACK LISTEN CERTIFICATES.pem KEY.pem
//! cargo run --example subscriber -- https://reviews.sample.test/api/feed.json https://me.example:8443/cb 0.0.0.0:8443 c.pem k.pem
//! ```
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::format_collect,
    clippy::missing_errors_doc,
    reason = "it prints what it receives, uses the system's clock and randomness, and should be short"
)]

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use hmac::{Hmac, KeyInit, Mac};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue, LINK, X_CONTENT_TYPE_OPTIONS};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use sha2::Sha256;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_rustls::TlsAcceptor;

/// More bytes than any topic should have.
const CONTENT_BYTES_MAX: usize = 64 << 20;
/// More bytes than the challenge of a hub should have.
const CHALLENGE_BYTES_MAX: usize = 256;
/// The delay after a request that the hub did not accept.
const AGAIN: Duration = Duration::from_mins(1);

/// A request to the callback, for the program that subscribes.
#[derive(Debug, PartialEq, Eq)]
pub enum Event {
    /// The hub verified our subscription; the lease has this duration.
    Subscribed(Duration),
    /// The hub verified that we unsubscribe.
    Unsubscribed,
    /// The topic's new content.
    Content(Bytes),
    /// Content without a valid signature by our secret; ignored.
    Forged,
    /// The hub denied or ended the subscription, for this reason.
    Denied(String),
}

/// A subscription to one topic at its hub, and the time of its renewal.
#[derive(Debug)]
pub struct Subscriber {
    /// The hub and the topic, as given by the topic's `Link` headers.
    hub: String,
    topic: String,
    callback: String,
    secret: String,
    is_leaving: AtomicBool,
    renew_at: watch::Sender<Option<Instant>>,
    events: mpsc::UnboundedSender<Event>,
}

impl Subscriber {
    /// Requests the topic to get the URLs of its hub and of itself (WebSub §4), and generates a secret.
    pub async fn discover(
        url: &str,
        callback: &str,
    ) -> Result<(Arc<Self>, mpsc::UnboundedReceiver<Event>)> {
        // reqwest is built without cryptography; this fails only where some is installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let answer = reqwest::Client::new()
            .head(url)
            .send()
            .await?
            .error_for_status()?;
        let link = |rel| {
            linked(answer.headers(), rel)
                .with_context(|| format!("{url} has no Link with rel={rel}"))
        };
        let (events, happened) = mpsc::unbounded_channel();
        let mut secret = [0; 32];
        let random = rustls::crypto::ring::default_provider().secure_random;
        random
            .fill(&mut secret)
            .ok()
            .context("the system has no randomness")?;
        let subscriber = Self {
            hub: link("hub")?,
            topic: link("self")?,
            callback: callback.to_owned(),
            secret: secret.iter().map(|byte| format!("{byte:02x}")).collect(),
            is_leaving: AtomicBool::new(false),
            renew_at: watch::Sender::default(),
            events,
        };
        Ok((Arc::new(subscriber), happened))
    }

    /// Subscribes, then listens and renews until it is dropped. The listener must be reachable under the callback.
    pub async fn run(self: Arc<Self>, listener: TcpListener, tls: ServerConfig) -> Result<()> {
        let (acceptor, mut renew_at) =
            (TlsAcceptor::from(Arc::new(tls)), self.renew_at.subscribe());
        let mut connections = JoinSet::new();
        self.request("subscribe").await?;
        loop {
            let at = *renew_at.borrow_and_update();
            tokio::select! {
                stream = listener.accept() => {
                    connections.spawn(Arc::clone(&self).serve(stream?.0, acceptor.clone()));
                }
                // The end of one connection does not affect the others.
                Some(_) = connections.join_next() => {}
                _ = renew_at.changed() => {}
                () = tokio::time::sleep_until(at.unwrap_or_else(Instant::now)), if at.is_some() => {
                    // The hub may verify before it answers the request; the verification sets the next time.
                    self.renew_at.send_replace(Some(Instant::now() + AGAIN));
                    if let Err(error) = self.request("subscribe").await {
                        println!("not renewed, trying again: {error:#}");
                    }
                }
            }
        }
    }

    /// Asks the hub to unsubscribe; the hub then verifies this.
    pub async fn leave(&self) -> Result<()> {
        self.is_leaving.store(true, Ordering::SeqCst);
        self.renew_at.send_replace(None);
        self.request("unsubscribe").await
    }

    async fn request(&self, mode: &str) -> Result<()> {
        let form = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("hub.mode", mode)
            .append_pair("hub.topic", &self.topic)
            .append_pair("hub.callback", &self.callback)
            .append_pair("hub.secret", &self.secret)
            .finish();
        let request = reqwest::Client::new()
            .post(&self.hub)
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        let answer = request.body(form).send().await?;
        match answer.status() {
            StatusCode::ACCEPTED => Ok(()),
            status => bail!("{} said {status}: {}", self.hub, answer.text().await?),
        }
    }

    async fn serve(self: Arc<Self>, stream: TcpStream, acceptor: TlsAcceptor) -> Result<()> {
        let stream = acceptor.accept(stream).await?;
        let service =
            service_fn(|request| async { Ok::<_, Infallible>(self.answer(request).await) });
        Ok(hyper::server::conn::http1::Builder::new()
            .serve_connection(TokioIo::new(stream), service)
            .await?)
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let (status, body) = match *request.method() {
            Method::GET => self.asked(request.uri().query().unwrap_or_default()),
            Method::POST => (self.got(request).await, String::new()),
            _ => (StatusCode::METHOD_NOT_ALLOWED, String::new()),
        };
        let mut response = Response::new(Full::from(body));
        *response.status_mut() = status;
        // The body of a confirmation is chosen by the client that sent the request; no browser may run it (WebSub §8.2).
        let headers = response.headers_mut();
        headers.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("application/octet-stream"),
        );
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        response
    }

    /// Answers a verification of intent or a denial by the hub (WebSub §5.2, §5.3).
    fn asked(&self, query: &str) -> (StatusCode, String) {
        let parameter = |name: &str| {
            let mut pairs = url::form_urlencoded::parse(query.as_bytes());
            pairs
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.into_owned())
                .unwrap_or_default()
        };
        let no = (StatusCode::NOT_FOUND, String::new());
        let challenge = parameter("hub.challenge");
        if parameter("hub.topic") != self.topic || !is_safe(&challenge) {
            return no;
        }
        let event = match (
            parameter("hub.mode").as_str(),
            self.is_leaving.load(Ordering::SeqCst),
        ) {
            ("subscribe", false) => {
                let Ok(seconds) = parameter("hub.lease_seconds").parse() else {
                    return no;
                };
                let lease = Duration::from_secs(seconds);
                // Early enough for further attempts if the hub does not answer at once.
                self.renew_at
                    .send_replace(Some(Instant::now() + lease * 2 / 3));
                Event::Subscribed(lease)
            }
            ("unsubscribe", true) => Event::Unsubscribed,
            ("denied", _) => Event::Denied(parameter("hub.reason")),
            _ => return no,
        };
        let _ = self.events.send(event);
        (StatusCode::OK, challenge)
    }

    /// Receives content: responds with 2xx even if the signature is invalid, so that a forger learns nothing (WebSub
    /// §7.1.1).
    async fn got(&self, request: Request<Incoming>) -> StatusCode {
        let signature = request
            .headers()
            .get("x-hub-signature")
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned);
        let Ok(body) = Limited::new(request.into_body(), CONTENT_BYTES_MAX)
            .collect()
            .await
        else {
            return StatusCode::PAYLOAD_TOO_LARGE;
        };
        let body = body.to_bytes();
        let is_ours = signature.is_some_and(|signature| is_signed(&self.secret, &body, &signature));
        let _ = self.events.send(if is_ours {
            Event::Content(body)
        } else {
            Event::Forged
        });
        StatusCode::ACCEPTED
    }
}

/// Whether a challenge is short, and no markup or binary data; a denial has none (WebSub §8.2).
fn is_safe(challenge: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    challenge.len() <= CHALLENGE_BYTES_MAX && challenge.bytes().all(is_plain)
}

/// Whether `signature` is `sha256=` and the HMAC of `body`, compared in constant time.
#[must_use]
pub fn is_signed(secret: &str, body: &[u8], signature: &str) -> bool {
    let Some(hex) = signature.strip_prefix("sha256=") else {
        return false;
    };
    let byte = |at| {
        hex.get(at..at + 2)
            .and_then(|digits| u8::from_str_radix(digits, 16).ok())
    };
    let Some(sum) = (0..hex.len())
        .step_by(2)
        .map(byte)
        .collect::<Option<Vec<u8>>>()
    else {
        return false;
    };
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else {
        return false;
    };
    mac.update(body);
    mac.verify_slice(&sum).is_ok()
}

/// The target of the first link with this relation (RFC 8288).
fn linked(headers: &HeaderMap, rel: &str) -> Option<String> {
    let values = headers
        .get_all(LINK)
        .iter()
        .filter_map(|value| value.to_str().ok());
    values
        .flat_map(|value| value.split(", <"))
        .find_map(|link| {
            let (target, parameters) = link.trim_start_matches('<').split_once('>')?;
            let is_it = parameters.split(';').any(|it| {
                it.trim()
                    .strip_prefix("rel=")
                    .is_some_and(|it| it.trim_matches('"') == rel)
            });
            is_it.then(|| target.to_owned())
        })
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [topic, callback, listen, certificates, key] = &arguments[..] else {
        bail!("TOPIC CALLBACK LISTEN CERTIFICATES.pem KEY.pem");
    };
    let chain = CertificateDer::pem_file_iter(certificates)?.collect::<Result<_, _>>()?;
    let tls = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(chain, PrivateKeyDer::from_pem_file(key)?)?;
    let listener = TcpListener::bind(listen).await?;
    let (subscriber, mut events) = Subscriber::discover(topic, callback).await?;
    let mut tasks = JoinSet::new();
    tasks.spawn(Arc::clone(&subscriber).run(listener, tls));
    loop {
        tokio::select! {
            Some(event) = events.recv() => match event {
                Event::Content(content) => println!("{} bytes", content.len()),
                Event::Unsubscribed => return Ok(()),
                other @ (Event::Subscribed(_) | Event::Forged | Event::Denied(_)) => println!("{other:?}"),
            },
            Some(ended) = tasks.join_next() => return ended?,
            interrupted = tokio::signal::ctrl_c() => {
                interrupted?;
                subscriber.leave().await?;
            }
        }
    }
}
