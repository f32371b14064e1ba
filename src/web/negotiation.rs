//! Chooses the content coding of a response (RFC 9110 §12.5.3).
//!
//! Pure policy over the request and the codings that are ready; it never encodes.

use poem::http::HeaderMap;
use poem::http::header::ACCEPT_ENCODING;

use crate::snapshot::Coding;

#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EncodingChoice {
    /// Uncoded.
    Identity,
    Coded(Coding),
    /// 406: identity is refused, and no available coding is accepted.
    NotAcceptable,
}

/// Chooses among `available` and identity by the highest weight; among equals the first of [`Coding::ALL`], identity
/// last. A member that is not `coding [;q=0.123]` is ignored; if a coding appears twice, the lower weight counts.
pub fn choose(headers: &HeaderMap, available: &[Coding]) -> EncodingChoice {
    let weights = EncodingWeights::read(headers);
    // Of equal weights `max_by_key` returns the last, which must be the first of `ALL`.
    let ready = Coding::ALL.into_iter().rev();
    let best = ready
        .filter(|coding| available.contains(coding))
        .map(|coding| (weights.of(coding), coding))
        .max_by_key(|(weight, _)| *weight)
        .filter(|(weight, _)| *weight >= weights.identity().unwrap_or(0).max(1));
    match best {
        Some((_, coding)) => EncodingChoice::Coded(coding),
        None if weights.identity().is_some() => EncodingChoice::Identity,
        None => EncodingChoice::NotAcceptable,
    }
}

/// Weights in thousandths, by coding.
#[derive(Default)]
struct EncodingWeights {
    /// By `coding as usize`.
    codings: [Option<u16>; Coding::ALL.len()],
    identity: Option<u16>,
    others: Option<u16>,
}

impl EncodingWeights {
    fn read(headers: &HeaderMap) -> Self {
        let mut weights = Self::default();
        for line in headers.get_all(ACCEPT_ENCODING) {
            let line = String::from_utf8_lossy(line.as_bytes());
            for (coding, weight) in line.split(',').filter_map(member) {
                if let Some(known) = weights.slot(coding) {
                    *known = Some(known.map_or(weight, |known| known.min(weight)));
                }
            }
        }
        weights
    }

    fn slot(&mut self, token: &str) -> Option<&mut Option<u16>> {
        // A recipient treats `x-gzip` as `gzip` (RFC 9110 §8.4.1.3).
        let token = if token.eq_ignore_ascii_case("x-gzip") {
            Coding::Gzip.token()
        } else {
            token
        };
        if token == "*" {
            return Some(&mut self.others);
        }
        if token.eq_ignore_ascii_case("identity") {
            return Some(&mut self.identity);
        }
        let mut known = Coding::ALL.into_iter();
        let coding = known.find(|coding| coding.token().eq_ignore_ascii_case(token))?;
        Some(&mut self.codings[coding as usize])
    }

    /// The weight of the coding; 0 if it is not acceptable. `*` applies to every coding that the header does not name.
    fn of(&self, coding: Coding) -> u16 {
        self.codings[coding as usize].or(self.others).unwrap_or(0)
    }

    /// `None` if refused. If the header does not name it, it is acceptable and ranks below all codings that are named.
    fn identity(&self) -> Option<u16> {
        match self.identity.or(self.others) {
            None => Some(0),
            Some(0) => None,
            given => given,
        }
    }
}

fn member(text: &str) -> Option<(&str, u16)> {
    let ows: [char; 2] = [' ', '\t'];
    let Some((coding, weight)) = text.split_once(';') else {
        return Some((text.trim_matches(ows), 1_000));
    };
    let (name, weight) = weight.trim_matches(ows).split_once('=')?;
    let weight = name
        .eq_ignore_ascii_case("q")
        .then(|| thousandths(weight))??;
    Some((coding.trim_matches(ows), weight))
}

/// `0[.ddd]` or `1[.000]` (RFC 9110 §12.4.2).
fn thousandths(text: &str) -> Option<u16> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.len() > 3 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let fraction = format!("{fraction:0<3}").parse::<u16>().ok()?;
    match (whole, fraction) {
        ("0", thousandths) => Some(thousandths),
        ("1", 0) => Some(1_000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use poem::http::HeaderValue;

    use super::EncodingChoice::{Coded, Identity, NotAcceptable};
    use super::*;
    use Coding::{Brotli, Gzip};

    const ALL: &[Coding] = &Coding::ALL;

    /// Case, header lines, available codings, choice.
    type Row = (
        &'static str,
        &'static [&'static str],
        &'static [Coding],
        EncodingChoice,
    );

    const ROWS: &[Row] = &[
        ("no header", &[], ALL, Identity),
        ("an empty header", &[""], ALL, Identity),
        ("only commas", &[" , ,"], ALL, Identity),
        ("one coding", &["gzip"], ALL, Coded(Gzip)),
        (
            "a browser's",
            &["gzip, deflate, br, zstd"],
            ALL,
            Coded(Brotli),
        ),
        (
            "ties go by our preference",
            &["gzip, br"],
            ALL,
            Coded(Brotli),
        ),
        (
            "ties with identity go to the coding",
            &["identity, gzip"],
            ALL,
            Coded(Gzip),
        ),
        (
            "what is not ready is not chosen",
            &["br, gzip"],
            &[Gzip],
            Coded(Gzip),
        ),
        ("nothing is ready", &["br, gzip"], &[], Identity),
        (
            "the order of what is ready is no preference",
            &["*"],
            &[Gzip, Brotli],
            Coded(Brotli),
        ),
        (
            "unknown codings",
            &["deflate, compress, sdch"],
            ALL,
            Identity,
        ),
        (
            "the highest weight",
            &["br;q=0.2, gzip;q=0.8"],
            ALL,
            Coded(Gzip),
        ),
        (
            "weights in thousandths",
            &["br;q=0.123, gzip;q=0.124"],
            ALL,
            Coded(Gzip),
        ),
        (
            "a weight of one in every spelling",
            &["gzip;q=1., br;q=0.999, identity;q=1.000"],
            ALL,
            Coded(Gzip),
        ),
        (
            "a low weight is above identity unnamed",
            &["gzip;q=0.001"],
            ALL,
            Coded(Gzip),
        ),
        (
            "identity weighs more",
            &["identity;q=1, gzip;q=0.5"],
            ALL,
            Identity,
        ),
        (
            "identity weighs less",
            &["identity;q=0.5, gzip;q=0.6"],
            ALL,
            Coded(Gzip),
        ),
        ("a coding refused", &["br;q=0, gzip"], ALL, Coded(Gzip)),
        (
            "a coding refused in every spelling",
            &["br;q=0.000, gzip;q=0."],
            ALL,
            Identity,
        ),
        ("all named are refused", &["gzip;q=0"], ALL, Identity),
        ("an asterisk stands for all", &["*"], ALL, Coded(Brotli)),
        (
            "an asterisk does not stand for the named",
            &["br;q=0.1, *;q=0.5"],
            ALL,
            Coded(Gzip),
        ),
        ("an asterisk with nothing ready", &["*"], &[], Identity),
        (
            "an asterisk with one refused",
            &["*, br;q=0"],
            ALL,
            Coded(Gzip),
        ),
        (
            "an asterisk weighs identity, too",
            &["gzip;q=0.4, *;q=0.5"],
            &[Gzip],
            Identity,
        ),
        ("everything refused", &["*;q=0"], ALL, NotAcceptable),
        (
            "everything but identity refused",
            &["identity, *;q=0"],
            ALL,
            Identity,
        ),
        (
            "everything but identity refused, at a low weight",
            &["identity;q=0.001, *;q=0"],
            ALL,
            Identity,
        ),
        (
            "everything but gzip refused",
            &["gzip, *;q=0"],
            ALL,
            Coded(Gzip),
        ),
        (
            "everything but gzip refused, and it is not ready",
            &["gzip, *;q=0"],
            &[Brotli],
            NotAcceptable,
        ),
        (
            "identity refused, a coding named",
            &["gzip;q=0.1, identity;q=0"],
            ALL,
            Coded(Gzip),
        ),
        (
            "identity refused, and nothing named",
            &["identity;q=0"],
            ALL,
            NotAcceptable,
        ),
        (
            "identity refused, the rest by asterisk",
            &["identity;q=0, *"],
            ALL,
            Coded(Brotli),
        ),
        (
            "identity refused, nothing ready",
            &["identity;q=0, *"],
            &[],
            NotAcceptable,
        ),
        (
            "identity refused, only the unknown named",
            &["identity;q=0, deflate"],
            ALL,
            NotAcceptable,
        ),
        ("the old name of gzip", &["x-gzip"], ALL, Coded(Gzip)),
        ("capitals", &["GZip;Q=0.5, IDENTITY;q=0"], ALL, Coded(Gzip)),
        (
            "several lines",
            &["gzip;q=0.5", "br;q=0.7"],
            ALL,
            Coded(Brotli),
        ),
        (
            "several lines, one refusing",
            &["gzip, br;q=0", "identity;q=0"],
            ALL,
            Coded(Gzip),
        ),
        (
            "blanks and tabs",
            &["\tgzip \t;\t q=0.5 ,  br ; q=0.4"],
            ALL,
            Coded(Gzip),
        ),
        (
            "blanks within a weight",
            &["br;q = 1, gzip;q=0.1"],
            ALL,
            Coded(Gzip),
        ),
        (
            "the lower of two weights",
            &["gzip;q=0, x-gzip"],
            ALL,
            Identity,
        ),
        ("a weight above one", &["br;q=1.1, gzip;q=2"], ALL, Identity),
        ("a weight too fine", &["br;q=0.1234"], ALL, Identity),
        (
            "a weight that is none",
            &["br;q=x, gzip;q=-1"],
            ALL,
            Identity,
        ),
        ("a weight without its zero", &["br;q=.5"], ALL, Identity),
        ("another parameter", &["br;level=5, gzip"], ALL, Coded(Gzip)),
        ("two parameters", &["br;q=0.5;x=1, gzip"], ALL, Coded(Gzip)),
        (
            "a garbled refusal refuses nothing",
            &["identity;q=zero"],
            ALL,
            Identity,
        ),
        ("garbage", &["\"gzip\", <br>, ;;;, =, q=1"], ALL, Identity),
        (
            "bytes that are no text",
            &["\u{e9}, gzip"],
            ALL,
            Coded(Gzip),
        ),
    ];

    #[test]
    fn the_coding_is_what_the_request_weighs_highest() {
        for (name, lines, available, expected) in ROWS {
            let mut headers = HeaderMap::new();
            for line in *lines {
                let _ = headers.append(
                    ACCEPT_ENCODING,
                    HeaderValue::from_bytes(line.as_bytes()).unwrap(),
                );
            }
            assert_eq!(choose(&headers, available), *expected, "{name}");
        }
    }
}
