//! The cryptography of TLS: ring. rustls's default, aws-lc-rs, takes a tenth of a release build's time.

use reqwest::{Client, ClientBuilder};
use rustls::crypto::ring;

/// Settings of a client. reqwest is built without cryptography and panics where none is installed.
pub(crate) fn client_builder() -> ClientBuilder {
    // Fails where it is installed already.
    let _ = ring::default_provider().install_default();
    Client::builder()
}
