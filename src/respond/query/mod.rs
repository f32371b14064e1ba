//! The parameters in a URL, each part decoded once for all who ask for a parameter.
//!
//! Apart from the parameters themselves, because percent-encoding and
//! `application/x-www-form-urlencoded` (WHATWG URL §5.1) are of HTTP alone: agents send JSON.

use std::sync::OnceLock;

use percent_encoding::percent_decode;
use poem::Request;

use crate::reviews::parameters::{Parameter, Parsed, parse_all};

/// A text; not `Ok` where its bytes are no UTF-8.
type Decoded = Result<String, String>;

/// What a URL says, kept with its request.
#[derive(Debug, Clone, Default)]
pub struct UrlParameters {
    path: Vec<(&'static str, Decoded)>,
    /// Decoded when somebody asks for the first parameter: most requests with a query string are of
    /// routes that take none.
    query: OnceLock<Vec<(String, Decoded)>>,
}

impl UrlParameters {
    /// Of the named segments of a path, still encoded.
    #[must_use]
    pub fn of_path(segments: Vec<(&'static str, &str)>) -> Self {
        let decoded = |segment: &str| text(percent_decode(segment.as_bytes()).collect());
        Self {
            path: segments
                .into_iter()
                .map(|(name, segment)| (name, decoded(segment)))
                .collect(),
            query: OnceLock::new(),
        }
    }

    /// The value of `P` in the query string of `request`. Names that nobody asks for are ignored.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn query<P: Parameter>(request: &Request) -> Parsed<P> {
        parse_all::<P>(
            Self::pairs(request)
                .filter(|(name, _)| *name == P::NAME)
                .map(|(_, value)| value),
        )
    }

    /// The names and values in the query string of `request`; a value is `Err` where its bytes are
    /// no UTF-8.
    pub fn pairs(request: &Request) -> impl Iterator<Item = (&str, Result<&str, &str>)> {
        let pairs = match (request.uri().query(), request.extensions().get::<Self>()) {
            (Some(raw), Some(parameters)) => parameters.query.get_or_init(|| pairs(raw)).as_slice(),
            _ => &[],
        };
        pairs
            .iter()
            .map(|(name, value)| (name.as_str(), shown(value)))
    }

    /// The value of `P` in the path of `request`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn path<P: Parameter>(request: &Request) -> Parsed<P> {
        let parts = request
            .extensions()
            .get::<Self>()
            .map_or(&[][..], |parameters| &parameters.path);
        parse_all::<P>(
            parts
                .iter()
                .filter(|(name, _)| *name == P::NAME)
                .map(|(_, value)| shown(value)),
        )
    }
}

fn pairs(raw: &str) -> Vec<(String, Decoded)> {
    let pairs = raw
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs
        .map(|(name, value)| (form(name).unwrap_or_else(|garbled| garbled), form(value)))
        .collect()
}

/// One name or value. A `%` without two hexadecimal digits stands for itself.
fn form(raw: &str) -> Decoded {
    if !raw.bytes().any(|byte| byte == b'+' || byte == b'%') {
        return Ok(raw.to_owned());
    }
    text(percent_decode(raw.replace('+', " ").as_bytes()).collect())
}

fn text(bytes: Vec<u8>) -> Decoded {
    String::from_utf8(bytes).map_err(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn shown(decoded: &Decoded) -> Result<&str, &str> {
    decoded.as_deref().map_err(String::as_str)
}

#[cfg(test)]
mod tests;
