//! Signatures of deliveries (WebSub §7.1).

use std::fmt;

use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::model::hash::hex;

/// The signing key of a subscription's deliveries. It is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Fewer than 200 bytes (WebSub §5.1).
    #[must_use]
    pub const fn new(secret: String) -> Self {
        Self(secret)
    }

    /// The secret in plain text, for storage and for signing only.
    #[must_use]
    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The value of `X-Hub-Signature`: `sha256=` and the HMAC of the whole body in hexadecimal (§8.3 asks for at least
/// SHA-256).
#[must_use]
pub fn sign(secret: &Secret, body: &[Bytes]) -> String {
    let mut signature = String::from("sha256=");
    // HMAC accepts keys of every length (RFC 2104 §3).
    if let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.expose().as_bytes()) {
        body.iter().for_each(|piece| mac.update(piece));
        signature.push_str(&hex(&mac.finalize().into_bytes()));
    }
    signature
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::{Secret, sign};

    #[test]
    fn a_known_body_has_its_known_signature() {
        // RFC 4231 §4.3, test case 2.
        let body = ["what do ya want ", "for nothing?"].map(Bytes::from_static_str);
        assert_eq!(
            sign(&Secret::new("Jefe".to_owned()), &body),
            "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    trait FromStaticStr {
        fn from_static_str(text: &'static str) -> Self;
    }

    impl FromStaticStr for Bytes {
        fn from_static_str(text: &'static str) -> Self {
            Self::from_static(text.as_bytes())
        }
    }
}
