//! The minimum work of a sender: a connection, a handshake, a POST and its response, many concurrently.

use std::sync::Arc;

use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;

use super::sink::{Sink, address};

pub struct Sender {
    connector: TlsConnector,
    port: u16,
}

impl Sender {
    /// The TLS settings are those of the hub.
    pub fn new(sink: &Sink) -> Self {
        let mut roots = RootCertStore::empty();
        roots
            .add(CertificateDer::from_pem_slice(sink.ca_pem.as_bytes()).unwrap())
            .unwrap();
        let builtin = rustls::crypto::ring::default_provider();
        let mut cipher_suites = builtin.cipher_suites.clone();
        cipher_suites
            .sort_by_key(|suite| suite.suite() != rustls::CipherSuite::TLS13_AES_128_GCM_SHA256);
        let kx_groups = vec![rustls::crypto::ring::kx_group::X25519];
        let provider = rustls::crypto::CryptoProvider {
            kx_groups,
            cipher_suites,
            ..builtin
        };
        let builder = ClientConfig::builder_with_provider(Arc::new(provider))
            .with_safe_default_protocol_versions()
            .unwrap();
        let mut config = builder.with_root_certificates(roots).with_no_client_auth();
        config.resumption = rustls::client::Resumption::disabled();
        Self {
            connector: TlsConnector::from(Arc::new(config)),
            port: sink.port,
        }
    }

    /// Sends `content` to `count` hosts, at most `in_flight` at a time.
    pub async fn send(&self, content: &Bytes, count: usize, in_flight: usize) {
        let mut tasks = JoinSet::new();
        for number in 0..count {
            if tasks.len() >= in_flight {
                tasks.join_next().await.unwrap().unwrap();
            }
            tasks.spawn(post(
                self.connector.clone(),
                self.port,
                format!("h{number}.sink.test"),
                content.clone(),
            ));
        }
        while let Some(done) = tasks.join_next().await {
            done.unwrap();
        }
    }
}

async fn post(connector: TlsConnector, port: u16, host: String, content: Bytes) {
    let stream = TcpStream::connect((address(&host), port)).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let stream = connector
        .connect(ServerName::try_from(host.clone()).unwrap(), stream)
        .await
        .unwrap();
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .unwrap();
    let request = Request::post("/callback")
        .header("host", host)
        .body(Full::new(content))
        .unwrap();
    let exchange = async move {
        let answer = sender.send_request(request).await.unwrap();
        assert_eq!(answer.status(), 204);
        answer.into_body().collect().await.unwrap();
    };
    let _ = tokio::join!(exchange, connection);
}
