//! A certificate authority that only tests trust.

use std::sync::{Arc, LazyLock};

use rcgen::{BasicConstraints, Certificate, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;

/// Shared by all tests of a run.
static AUTHORITY: LazyLock<CertifiedIssuer<'static, KeyPair>> = LazyLock::new(authority);

/// The authority's certificate, for `REVIEWS_HUB_CA_FILE`.
pub fn ca_pem() -> String {
    AUTHORITY.pem()
}

/// TLS for a server, with a certificate for these names from our authority or from an untrusted one.
pub fn server_config(names: &[&str], is_known: bool) -> ServerConfig {
    let key = KeyPair::generate().unwrap();
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let params = CertificateParams::new(names).unwrap();
    let leaf = if is_known {
        params.signed_by(&key, &*AUTHORITY)
    } else {
        params.signed_by(&key, &authority())
    };
    config_of(leaf.unwrap(), &key)
}

/// TLS for a server with this certificate.
pub fn config_of(certificate: Certificate, key: &KeyPair) -> ServerConfig {
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().unwrap();
    let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    let builder = builder.with_no_client_auth();
    let config = builder.with_single_cert(vec![certificate.into()], key);
    config.unwrap()
}

fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}
