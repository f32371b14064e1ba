//! A callback's spelling: which strings are taken, and when two of them mean the same.
//!
//! Pure, for the hub may not look a name up before it answers (W3C WebSub §5.1.2): literal
//! addresses and ports are judged here, names when they are dialled. A callback is kept byte for
//! byte as it was given, for it must be used exactly so (§5.1); so a spelling that a URL parser
//! (WHATWG URL, which every client has inside) would send differently is not taken.

use std::fmt::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use thiserror::Error;
use url::{Position, Url};

use super::policy::{Policy, Refused};

/// No callback is longer.
pub const CALLBACK_BYTES_MAX: usize = 2_048;
/// The longest host name, in bytes (RFC 1035 §2.3.4).
const NAME_BYTES_MAX: usize = 253;
const LABEL_BYTES_MAX: usize = 63;

/// A callback that may be stored: what is to be judged without a lookup was judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Callback {
    given: String,
    target: Target,
}

/// Where a URL leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) url: Url,
    pub(super) host: Host,
    pub(super) port: u16,
}

/// What stands where a URL has its host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Host {
    /// An address, in whatever form it was written.
    Literal(IpAddr),
    /// `localhost` or a name below it: this machine, whatever a resolver says (RFC 6761 §6.3).
    Local(String),
    /// A name that has to be resolved.
    Name(String),
}

/// Why a string is no callback, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CallbackFault {
    /// It is too long.
    #[error("it has {bytes} bytes, of at most {CALLBACK_BYTES_MAX}")]
    TooLong {
        /// How long it is.
        bytes: usize,
    },
    /// Some character cannot stand in a URL, or is read differently by different readers.
    #[error("it has the character {0:?}, which a URL cannot have; percent-encode it")]
    Character(char),
    /// It would not be sent encrypted.
    #[error("it is not an https URL; callbacks are called by HTTPS only")]
    NotHttps,
    /// It has a user or a password.
    #[error("it has a user name or password; leave out all up to the `@`")]
    Userinfo,
    /// It has a fragment, which is never sent.
    #[error("it has a fragment; leave out the `#` and what follows it")]
    Fragment,
    /// It has no usable host or port.
    #[error("its host or port cannot be read ({0})")]
    Host(String),
    /// It ends with the root's dot.
    #[error("its host ends with a dot; leave the dot out")]
    TrailingDot,
    /// A URL parser changes it, so that it could not be called exactly so.
    #[error("it would be called as `{0}`; give that")]
    Respelt(String),
    /// It leads where callbacks may not.
    #[error("{0}")]
    Refused(#[from] Refused),
}

impl Callback {
    /// The callback that `given` is.
    ///
    /// # Errors
    /// Why it is none.
    pub fn parse(given: &str, policy: &Policy) -> Result<Self, CallbackFault> {
        if given.len() > CALLBACK_BYTES_MAX {
            return Err(CallbackFault::TooLong { bytes: given.len() });
        }
        let target = Target::parse(given)?;
        target.judge(policy)?;
        Ok(Self {
            given: given.to_owned(),
            target,
        })
    }

    /// Exactly as it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.given
    }

    /// What all spellings of this callback share, and no other callback has.
    #[must_use]
    pub fn key(&self) -> String {
        normal(self.target.url.as_str())
    }

    /// The host in lower case, by which limits are counted: a name, or an address without brackets.
    #[must_use]
    pub fn host(&self) -> String {
        match &self.target.host {
            Host::Literal(address) => address.to_string(),
            Host::Local(name) | Host::Name(name) => name.clone(),
        }
    }

    /// Whether it surely leads into a net that the operator has opened. A name may too, but only
    /// its lookup tells.
    #[must_use]
    pub fn is_allowed_besides(&self, policy: &Policy) -> bool {
        self.target.known_addresses().is_some_and(|addresses| {
            addresses
                .into_iter()
                .any(|address| policy.is_allowed_besides(address))
        })
    }
}

/// A callback with parameters behind its own, which stay byte for byte as they are (W3C WebSub
/// §5.3).
#[must_use]
pub fn with_parameters(callback: &str, parameters: &[(&str, &str)]) -> String {
    let mut url = callback.to_owned();
    match url.split_once('?') {
        None => url.push('?'),
        Some((_, "")) => {}
        Some((_, query)) if query.ends_with('&') => {}
        Some(_) => url.push('&'),
    }
    let start = url.len();
    form_urlencoded::Serializer::for_suffix(url, start)
        .extend_pairs(parameters)
        .finish()
}

impl fmt::Display for Callback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.given)
    }
}

impl Target {
    /// Where `given` leads, if that can be said beyond doubt.
    pub(super) fn parse(given: &str) -> Result<Self, CallbackFault> {
        // A URL parser would take these for something else, or silently leave them out.
        if let Some(character) = given
            .chars()
            .find(|c| c.is_control() || c.is_whitespace() || *c == '\\')
        {
            return Err(CallbackFault::Character(character));
        }
        if given.contains('#') {
            return Err(CallbackFault::Fragment);
        }
        let rest = match given.get(..8) {
            Some(scheme) if scheme.eq_ignore_ascii_case("https://") => &given[8..],
            Some(_) | None => return Err(CallbackFault::NotHttps),
        };
        let (authority, raw_target) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        if authority.contains('@') {
            return Err(CallbackFault::Userinfo);
        }
        if authority.is_empty() {
            return Err(CallbackFault::Host("it is missing".to_owned()));
        }
        let url = Url::parse(given).map_err(|error| CallbackFault::Host(error.to_string()))?;
        let host = Host::of(&url)?;
        let target = &url[Position::BeforePath..];
        if target != raw_target && target.strip_prefix('/') != Some(raw_target) {
            return Err(CallbackFault::Respelt(url.into()));
        }
        let port = url.port_or_known_default().unwrap_or_default();
        Ok(Self { url, host, port })
    }

    /// What can be said without a lookup.
    pub(super) fn judge(&self, policy: &Policy) -> Result<(), Refused> {
        match self.known_addresses() {
            None => policy.permits_port(self.port),
            Some(addresses) => permitted(&addresses, self.port, policy).map(drop),
        }
    }

    /// The addresses that it has whatever a resolver says.
    pub(super) fn known_addresses(&self) -> Option<Vec<IpAddr>> {
        match &self.host {
            Host::Literal(address) => Some(vec![address.to_canonical()]),
            Host::Local(_) => Some(vec![
                IpAddr::V4(Ipv4Addr::LOCALHOST),
                IpAddr::V6(Ipv6Addr::LOCALHOST),
            ]),
            Host::Name(_) => None,
        }
    }
}

/// Those of our own known addresses that are permitted: an operator who opens one loopback net need
/// not open both.
pub(super) fn permitted(
    known: &[IpAddr],
    port: u16,
    policy: &Policy,
) -> Result<Vec<IpAddr>, Refused> {
    let (mut permitted, mut refused) = (Vec::with_capacity(known.len()), None);
    for address in known {
        match policy.permits(*address, port) {
            Ok(()) => permitted.push(*address),
            Err(reason) => {
                refused.get_or_insert(reason);
            }
        }
    }
    match refused {
        Some(reason) if permitted.is_empty() => Err(reason),
        Some(_) | None => Ok(permitted),
    }
}

impl Host {
    fn of(url: &Url) -> Result<Self, CallbackFault> {
        let name = match url.host() {
            Some(url::Host::Ipv4(address)) => return Ok(Self::Literal(IpAddr::V4(address))),
            Some(url::Host::Ipv6(address)) => return Ok(Self::Literal(IpAddr::V6(address))),
            Some(url::Host::Domain(name)) => name,
            None => return Err(CallbackFault::Host("it is missing".to_owned())),
        };
        if name.ends_with('.') {
            return Err(CallbackFault::TrailingDot);
        }
        let is_label = |label: &str| {
            (1..=LABEL_BYTES_MAX).contains(&label.len())
                && label.bytes().all(|byte| {
                    byte.is_ascii_lowercase()
                        || byte.is_ascii_digit()
                        || matches!(byte, b'-' | b'_')
                })
        };
        if name.len() > NAME_BYTES_MAX || !name.split('.').all(is_label) {
            return Err(CallbackFault::Host("no such name can exist".to_owned()));
        }
        let is_local = name == "localhost" || name.ends_with(".localhost");
        Ok(if is_local {
            Self::Local(name.to_owned())
        } else {
            Self::Name(name.to_owned())
        })
    }
}

/// A URL with its unreserved characters decoded (W3C WebSub §5.1: `%7E` is `~`) and the digits of
/// the other escapes in upper case (RFC 3986 §6.2.2), so that spellings which must count as equal
/// are equal.
#[must_use]
pub fn normal(url: &str) -> String {
    let mut normal = String::with_capacity(url.len());
    let mut rest = url;
    while let Some((before, after)) = rest.split_once('%') {
        normal.push_str(before);
        match after.get(..2).and_then(|digits| {
            u8::from_str_radix(digits, 16)
                .ok()
                .filter(|_| !digits.starts_with('+'))
        }) {
            Some(byte)
                if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') =>
            {
                normal.push(char::from(byte));
                rest = &after[2..];
            }
            Some(byte) => {
                let _ = write!(normal, "%{byte:02X}");
                rest = &after[2..];
            }
            None => {
                normal.push('%');
                rest = after;
            }
        }
    }
    normal.push_str(rest);
    normal
}

#[cfg(test)]
mod tests;
