//! Which content coding a request gets (RFC 9110 §12.5.3).
//!
//! Pure policy: it knows what the request says and what is ready, and never makes a coding.

use poem::http::HeaderMap;
use poem::http::header::ACCEPT_ENCODING;

use crate::snapshot::Coding;

/// Which form of a body `Accept-Encoding` asks for.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The bytes as they are.
    Identity,
    /// The body in this content coding.
    Coded(Coding),
    /// Identity is refused, and nothing that is ready is accepted: 406.
    NotAcceptable,
}

/// The choice among `available` and identity: what the request weighs highest; among equals the
/// first of [`Coding::ALL`], identity last. A member that is not `coding [;q=0.123]` is ignored; of
/// two for one coding, the lower weight counts.
pub fn choose(headers: &HeaderMap, available: &[Coding]) -> Choice {
    let weights = Weights::read(headers);
    let mut best: Option<(u16, Coding)> = None;
    for coding in Coding::ALL
        .into_iter()
        .filter(|coding| available.contains(coding))
    {
        let weight = weights.of(coding);
        if weight > best.map_or(0, |(weight, _)| weight) {
            best = Some((weight, coding));
        }
    }
    match (best, weights.identity()) {
        (Some((weight, coding)), identity)
            if identity.is_none_or(|identity| weight >= identity) =>
        {
            Choice::Coded(coding)
        }
        (_, Some(_)) => Choice::Identity,
        (_, None) => Choice::NotAcceptable,
    }
}

/// Thousandths for each coding that the request names.
#[derive(Default)]
struct Weights {
    codings: [Option<u16>; Coding::ALL.len()],
    identity: Option<u16>,
    others: Option<u16>,
}

impl Weights {
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
        let at = Coding::ALL
            .iter()
            .position(|coding| coding.token().eq_ignore_ascii_case(token))?;
        self.codings.get_mut(at)
    }

    /// 0 where it is not acceptable. `*` stands for every coding that is not named.
    fn of(&self, coding: Coding) -> u16 {
        let named = Coding::ALL
            .iter()
            .zip(self.codings)
            .find_map(|(known, weight)| weight.filter(|_| *known == coding));
        named.or(self.others).unwrap_or(0)
    }

    /// `None` where it is refused. Unnamed it is acceptable, below all that is named.
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
mod tests;
