//! TLS for callbacks: the machine's roots and those that the operator adds.
//!
//! Every connection verifies the certificate. Sessions are not resumed, because that would save only a tenth of a
//! handshake and require a cache of other hosts' certificates. Time comes from [`Clock`].

use std::sync::Arc;
use std::time::Duration;

use rustls::client::Resumption;
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::time_provider::TimeProvider;
use rustls::{CipherSuite, ClientConfig, RootCertStore};
use thiserror::Error;

use crate::clock::Clock;

/// The trusted roots for callbacks' certificates.
#[derive(Debug, Clone)]
pub struct Roots(Arc<RootCertStore>);

#[derive(Debug, Error)]
pub enum RootsError {
    /// The extra roots are not PEM certificates.
    #[error("it is not a PEM file of certificates ({0})")]
    NotPem(String),
    /// The file of extra roots has no certificate.
    #[error("it holds no certificate; a PEM certificate begins with -----BEGIN CERTIFICATE-----")]
    Empty,
    #[error("its certificate number {number} cannot be a root ({reason})")]
    Unusable {
        /// Position in the file, from 1.
        number: usize,
        reason: String,
    },
}

impl Roots {
    /// Loads the machine's roots (`SSL_CERT_FILE` and `SSL_CERT_DIR` apply; Mozilla's list if it has none, as in a
    /// bare container), and those of `extra_pem`.
    ///
    /// # Errors
    /// If `extra_pem` is not PEM, is empty or has an unusable certificate.
    pub fn load(extra_pem: Option<&[u8]>) -> Result<Self, RootsError> {
        let mut store = RootCertStore::empty();
        let (usable, _) =
            store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if usable == 0 {
            store.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        }
        if let Some(pem) = extra_pem {
            add_pem(&mut store, pem)?;
        }
        Ok(Self(Arc::new(store)))
    }
}

fn add_pem(store: &mut RootCertStore, pem: &[u8]) -> Result<(), RootsError> {
    let mut added = 0;
    for certificate in CertificateDer::pem_slice_iter(pem) {
        added += 1;
        let certificate = certificate.map_err(|error| RootsError::NotPem(error.to_string()))?;
        store
            .add(certificate)
            .map_err(|error| RootsError::Unusable {
                number: added,
                reason: error.to_string(),
            })?;
    }
    if added == 0 {
        Err(RootsError::Empty)
    } else {
        Ok(())
    }
}

/// The configuration that all clients share.
///
/// # Errors
/// If the provider lacks a requested feature, which does not happen with the built-in one.
pub(super) fn config(roots: &Roots, clock: &Clock) -> Result<ClientConfig, rustls::Error> {
    let builtin = aws_lc_rs::default_provider();
    // Deliveries are public, so the key exchange need not resist quantum computers, which would cost half a handshake
    // more; and AES-128 with SHA-256 (in hardware) makes a handshake a tenth cheaper than the default.
    let kx_groups = vec![
        aws_lc_rs::kx_group::X25519,
        aws_lc_rs::kx_group::SECP256R1,
        aws_lc_rs::kx_group::SECP384R1,
    ];
    let mut cipher_suites = builtin.cipher_suites.clone();
    cipher_suites.sort_by_key(|suite| suite.suite() != CipherSuite::TLS13_AES_128_GCM_SHA256);
    let provider = CryptoProvider {
        kx_groups,
        cipher_suites,
        ..builtin
    };
    let builder =
        ClientConfig::builder_with_details(Arc::new(provider), Arc::new(Time(clock.clone())));
    // TLS 1.2 and 1.3.
    let builder = builder
        .with_safe_default_protocol_versions()?
        .with_root_certificates(Arc::clone(&roots.0));
    let mut config = builder.with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config.resumption = Resumption::disabled();
    Ok(config)
}

#[derive(Debug)]
struct Time(Clock);

impl TimeProvider for Time {
    fn current_time(&self) -> Option<UnixTime> {
        let seconds = u64::try_from(self.0.now().timestamp()).ok()?;
        Some(UnixTime::since_unix_epoch(Duration::from_secs(seconds)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_roots_that_holds_none_is_told() {
        for (pem, word) in [
            ("", "no certificate"),
            ("nonsense", "no certificate"),
            (
                "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
                "no certificate",
            ),
            ("-----BEGIN CERTIFICATE-----\nAAAA\n", "not a PEM file"),
            (
                "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n",
                "not a PEM file",
            ),
            (
                "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
                "number 1 cannot be a root",
            ),
        ] {
            let said = Roots::load(Some(pem.as_bytes())).unwrap_err().to_string();
            assert!(said.contains(word), "{pem:?}: {said}");
        }
    }

    #[test]
    fn there_are_roots_even_on_a_bare_machine() {
        assert!(Roots::load(None).unwrap().0.len() > 50);
    }
}
