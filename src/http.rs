//! What all HTTP clients of the program share.

use std::error::Error;
use std::io;
use std::path::PathBuf;

use reqwest::{Client, ClientBuilder, Response};
use rustls::crypto::ring;

use crate::config::open_regular;

/// Why a file's certificates cannot be used as roots, as the end of a sentence.
pub(crate) const NO_ROOTS: &str = "it is no PEM file of certificates that can be roots; a certificate in it begins with -----BEGIN CERTIFICATE-----";

/// Settings of an HTTP client, with ring as its cryptography: rustls's default, aws-lc-rs, takes a tenth of a release build's
/// time. reqwest is built without cryptography and panics where none is installed.
pub(crate) fn client_builder() -> ClientBuilder {
    // Fails where it is installed already.
    let _ = ring::default_provider().install_default();
    Client::builder()
}

/// Refuses an `SSL_CERT_FILE` whose reading could wait: the libraries of TLS read it wherever a client is made.
///
/// # Errors
/// What is wrong with it.
#[expect(
    clippy::disallowed_methods,
    reason = "the variable is that of the process, whatever environment a command is given"
)]
pub(crate) fn check_root_file() -> Result<(), String> {
    let name = "SSL_CERT_FILE";
    let Some(path) = std::env::var_os(name).map(PathBuf::from) else {
        return Ok(());
    };
    match open_regular(&path) {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
            Err(format!("{name} {}: {error}", path.display()))
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

/// The body of a response, cut off after the piece that goes beyond `bytes_max`.
///
/// # Errors
/// If the connection fails.
pub(crate) async fn read_body(
    mut response: Response,
    bytes_max: usize,
) -> reqwest::Result<Vec<u8>> {
    let mut body = Vec::new();
    while body.len() <= bytes_max
        && let Some(piece) = response.chunk().await?
    {
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

/// An error and its causes. An [`io::Error`] reports the source of what it wraps as its source, so it is unwrapped first.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| {
        let error = *error;
        let wrapped = error.downcast_ref().and_then(io::Error::get_ref);
        match wrapped {
            Some(wrapped) => Some(wrapped as &(dyn Error + 'static)),
            None => error.source(),
        }
    })
}

/// The outermost of an error and its causes that has this type.
pub(crate) fn find_cause<'a, E: Error + 'static>(
    error: &'a (dyn Error + 'static),
) -> Option<&'a E> {
    causes(error).find_map(|cause| cause.downcast_ref())
}
