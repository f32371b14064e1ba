//! What a request says of itself and where it comes from: its URL parameters, percent-encoded or
//! `application/x-www-form-urlencoded` (WHATWG URL §5.1), the announced length of its body, and its client's address,
//! which limits work per peer.

use std::error::Error;
use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::OnceLock;
use std::time::Duration;

use percent_encoding::percent_decode;
use poem::error::ReadBodyError;
use poem::http::header::CONTENT_LENGTH;
use poem::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use poem::{Addr, Request, Response};

use super::problem::retry_later;
use crate::compute::{Compute, Crowded, network};
use crate::config::Nets;
use crate::metrics;
use crate::websub::http_client::causes;
use crate::wire::parameters::{Parameter, Parsed, parse_all};

/// `Err` if the bytes are not UTF-8.
type Decoded = Result<String, String>;

/// The parameters of a URL, kept with its request.
#[derive(Debug, Clone, Default)]
pub struct UrlParameters {
    path: Vec<(&'static str, Decoded)>,
    /// Decoded when the first parameter is read: most requests with a query string are for routes that take none.
    query: OnceLock<Vec<(String, Decoded)>>,
}

impl UrlParameters {
    /// Decodes the named segments of a path.
    pub fn of_path(segments: Vec<(&'static str, &str)>) -> Self {
        let decoded = |segment: &str| text(percent_decode(segment.as_bytes()).collect());
        let segments = segments.into_iter();
        Self {
            path: segments.map(|(name, its)| (name, decoded(its))).collect(),
            query: OnceLock::new(),
        }
    }

    /// The names and values in the query string of `request`; a value is `Err` if its bytes are not UTF-8.
    pub fn pairs(request: &Request) -> impl Iterator<Item = (&str, Result<&str, &str>)> {
        let pairs = match (request.uri().query(), request.extensions().get::<Self>()) {
            (Some(raw), Some(parameters)) => parameters.query.get_or_init(|| pairs(raw)).as_slice(),
            _ => &[],
        };
        pairs
            .iter()
            .map(|(name, value)| (name.as_str(), as_str(value)))
    }

    /// The value of `P` in the path of `request`.
    ///
    /// # Errors
    /// If the value is invalid.
    pub fn path<P: Parameter>(request: &Request) -> Parsed<P> {
        let parameters = request.extensions().get::<Self>();
        let segments = parameters.map_or(&[][..], |parameters| &parameters.path);
        let its = segments.iter().filter(|(name, _)| *name == P::NAME);
        parse_all::<P>(its.map(|(_, value)| as_str(value)))
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

/// One name or value. A `%` without two hexadecimal digits is literal.
fn form(raw: &str) -> Decoded {
    if !raw.bytes().any(|byte| byte == b'+' || byte == b'%') {
        return Ok(raw.to_owned());
    }
    text(percent_decode(raw.replace('+', " ").as_bytes()).collect())
}

fn text(bytes: Vec<u8>) -> Decoded {
    String::from_utf8(bytes).map_err(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn as_str(decoded: &Decoded) -> Result<&str, &str> {
    decoded.as_deref().map_err(String::as_str)
}

// The announced body length, checked before the body is read, so that a client that waits for `100 Continue` gets the
// error at once (RFC 9110 §10.1.1, §15.5.14).

/// The status and the reason of a body that could not be read: it came too slowly, or it is malformed or cut off.
pub fn body_fault(error: &ReadBodyError) -> (StatusCode, &'static str) {
    let mut reasons = causes(error).filter_map(<dyn Error>::downcast_ref::<io::Error>);
    if reasons.any(|reason| reason.kind() == io::ErrorKind::TimedOut) {
        (
            StatusCode::REQUEST_TIMEOUT,
            "The body did not arrive completely in time.",
        )
    } else {
        (
            StatusCode::BAD_REQUEST,
            "The body is incomplete, or its chunks are malformed (RFC 9112 §7.1).",
        )
    }
}

/// Whether `Content-Length` exceeds `bytes_max`. A chunked body announces no length and is counted while it is read.
pub fn announces_more_than(headers: &HeaderMap, bytes_max: usize) -> bool {
    let announced = headers.get(CONTENT_LENGTH).and_then(|length| {
        let digits = length.to_str().ok()?;
        // More digits than a `u64` exceed every bound; the server rejects any other text.
        Some(digits.parse::<u64>().unwrap_or(u64::MAX))
    });
    announced.is_some_and(|bytes| bytes > bytes_max as u64)
}

// The client's address, also behind trusted proxies (`X-Forwarded-For`), and a fair share of compute per address.
//
// Each proxy appends the address of its peer, so the field is read from the right, and only while the entries come
// from trusted proxies; the client can write anything to the left. The field has no standard (RFC 7239 §5.2 has its
// successor's syntax: an address, optionally with a port, or a word for an unknown one).

/// The `Retry-After` when too many requests wait.
const CROWDED_PAUSE: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientAddress(pub IpAddr);

impl ClientAddress {
    /// Stores the client's address in `request`, if it is known.
    pub fn keep(request: &mut Request, trusted: &Nets) {
        if let Addr::SocketAddr(peer) = &request.remote_addr().0 {
            let lines = request
                .headers()
                .get_all(HeaderName::from_static("x-forwarded-for"))
                .iter()
                .map(|line: &HeaderValue| line.to_str().ok());
            let source = Self(source(peer.ip(), lines, trusted));
            request.extensions_mut().insert(source);
        }
    }

    /// `None` if it is unknown.
    pub fn of(request: &Request) -> Option<IpAddr> {
        request.data::<Self>().map(|source| source.0)
    }
}

/// Answers `request` with the result of `work`, which runs as soon as the source (IPv6: its /64) gets a slot for
/// computing, or with 503 if too many requests wait.
pub async fn in_turn(
    request: &Request,
    compute: &Compute,
    work: impl Future<Output = Response>,
) -> Response {
    let source = ClientAddress::of(request).unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
    // Boxed because the future would be moved several times.
    let answered = compute.turns.run(network(source, 64), Box::pin(work)).await;
    answered.unwrap_or_else(|Crowded| {
        metrics::COMPUTE_REFUSED.count(&[]);
        retry_later(
            StatusCode::SERVICE_UNAVAILABLE,
            "Too many requests are waiting; try again later.",
            CROWDED_PAUSE,
        )
    })
}

/// The `peer`, or, if the peer is a trusted proxy, the nearest hop that is not one. An entry that is not an address
/// ends the chain, and the last trusted hop is used. `values` are the field's lines in order; `None` is a line that is
/// not text.
fn source<'v>(
    peer: IpAddr,
    values: impl DoubleEndedIterator<Item = Option<&'v str>>,
    trusted: &Nets,
) -> IpAddr {
    let entries = values
        .rev()
        .flat_map(|value| value.unwrap_or("unknown").rsplit(','));
    // Empty list elements are ignored (RFC 9110 §5.6.1).
    let mut entries = entries.map(str::trim).filter(|entry| !entry.is_empty());
    let mut source = peer.to_canonical();
    while trusted.0.iter().any(|net| net.contains(&source)) {
        match entries.next().map(address) {
            Some(Some(address)) => source = address,
            Some(None) | None => break,
        }
    }
    source
}

/// An address with or without a port, IPv6 with or without brackets.
fn address(entry: &str) -> Option<IpAddr> {
    let bare = entry
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let bracketed = bare.and_then(|bare| bare.parse().ok().map(IpAddr::V6));
    let with_port = || Some(entry.parse::<SocketAddr>().ok()?.ip());
    let address = entry.parse().ok().or(bracketed).or_else(with_port);
    address.map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::CommaList;
    use crate::web::QueryParameters;
    use crate::wire::parameters::{
        Limit, MentionsService, MinRating, OneOf, ParameterKind, ParameterSource, Rating, Since,
        TextKind,
    };
    use crate::wire::{Issue, IssueCode, RECEIVED_CHARACTERS_MAX};

    /// A bounded text like `query`.
    struct Short;
    impl Parameter for Short {
        type Kind = TextKind;
        const NAME: &'static str = "query";
        const KIND: TextKind = TextKind(Some(4));
    }

    /// A choice like `polarity`.
    struct Sort;
    impl Parameter for Sort {
        type Kind = OneOf<u8>;
        const NAME: &'static str = "sort";
        const KIND: OneOf<u8> = OneOf(
            &[0, 1],
            |sort| ["newest", "oldest"][usize::from(sort)],
            None,
        );
    }

    fn request(query: &str) -> Request {
        let mut request = Request::builder()
            .uri(format!("/x?{query}").parse().unwrap())
            .finish();
        request
            .extensions_mut()
            .insert(UrlParameters::of_path(Vec::new()));
        request
    }

    /// The errors of a query, in the order in which a handler takes its parameters.
    fn faults(query: &str) -> Vec<Issue> {
        fn fault<P: Parameter>(request: &Request) -> Option<Issue> {
            QueryParameters::of(request).read::<P>().err()
        }
        let request = request(query);
        let faults = [
            fault::<Rating>(&request),
            fault::<MinRating>(&request),
            fault::<Since>(&request),
            fault::<Short>(&request),
            fault::<MentionsService>(&request),
            fault::<Limit>(&request),
            fault::<Sort>(&request),
        ];
        faults.into_iter().flatten().collect()
    }

    #[test]
    fn a_fault_says_what_is_allowed_and_what_was_received() {
        let cases = [
            (
                "limit=500",
                "limit must be a whole number from 1 to 100: 500",
            ),
            (
                "min_rating=9",
                "min_rating must be a decimal number from 1 to 5: 9",
            ),
            (
                "since=today",
                "since must be a day written YYYY-MM-DD, such as 2024-02-29: today",
            ),
            (
                "query=a+b%21c",
                "query must be a text of at most 4 characters in UTF-8: a b!c",
            ),
            (
                "query=a%FF",
                "query must be a text of at most 4 characters in UTF-8: a\u{fffd}",
            ),
            (
                "mentions_service=%FF",
                "mentions_service must be a text in UTF-8, percent-encoded: \u{fffd}",
            ),
            ("sort=up", "sort must be one of: newest, oldest: up"),
            ("limit=5&limit=6", "limit must be given only once: 5, 6"),
        ];
        for (query, expected) in cases {
            let invalid = faults(query).remove(0);
            let name = invalid.path.concat();
            assert_eq!(
                format!("{name} {}: {}", invalid.message, invalid.received),
                expected
            );
        }
        assert_eq!(
            faults(&format!("query={}", "%C3%A9".repeat(1_000)))[0].received,
            "é".repeat(RECEIVED_CHARACTERS_MAX)
        );
    }

    #[test]
    fn what_is_right_becomes_its_value() {
        let request = request(
            "rating=0005&min_rating=04.50&since=2024-02-29&query=%C3%A9+%26&limit=000100&sort=oldest&mentions_service=",
        );
        assert_eq!(QueryParameters::of(&request).read::<Rating>(), Ok(Some(5)));
        assert_eq!(
            QueryParameters::of(&request).read::<MinRating>(),
            Ok(Some(4.5))
        );
        assert_eq!(
            QueryParameters::of(&request).read::<Since>(),
            Ok("2024-02-29".parse().ok())
        );
        assert_eq!(
            QueryParameters::of(&request).read::<Short>(),
            Ok(Some("é &".to_owned()))
        );
        assert_eq!(QueryParameters::of(&request).read::<Limit>(), Ok(Some(100)));
        assert_eq!(QueryParameters::of(&request).read::<Sort>(), Ok(Some(1)));
        assert_eq!(
            QueryParameters::of(&request).read::<MentionsService>(),
            Ok(None)
        );
    }

    #[test]
    fn a_segment_of_a_path_is_percent_decoded_and_a_plus_is_a_plus() {
        let mut request = Request::builder()
            .uri("/x?id=other".parse().unwrap())
            .finish();
        request.extensions_mut().insert(UrlParameters::of_path(vec![
            ("query", "a%20+"),
            ("mentions_service", "%FF"),
        ]));
        assert_eq!(
            UrlParameters::path::<Short>(&request),
            Ok(Some("a +".to_owned()))
        );
        let garbled = UrlParameters::path::<MentionsService>(&request).unwrap_err();
        assert_eq!(
            (garbled.code, garbled.received.as_str()),
            (IssueCode::InvalidString, "\u{fffd}")
        );
        assert_eq!(UrlParameters::path::<Limit>(&request), Ok(None));
        assert_eq!(
            Issue::missing::<Since>().message,
            format!("is required, and {}", Since::KIND.allowed())
        );
    }

    mod faults {
        use super::faults;
        use crate::wire::IssueCode::{
            self, Duplicate, InvalidDate, InvalidString, InvalidType, TooBig, TooSmall,
        };

        /// Case, query string, the invalid parameters with their codes.
        type Row = (
            &'static str,
            &'static str,
            &'static [(&'static str, IssueCode)],
        );

        const ROWS: &[Row] = &[
            ("nothing", "", &[]),
            (
                "everything right",
                "rating=5&min_rating=4.5&since=2024-02-29&query=abcd&mentions_service=hvac&limit=100&sort=oldest",
                &[],
            ),
            (
                "unknown parameters",
                "page=0&limits=x&Limit=0&id=%20%20&If-None-Match=x&%FF=1&=&&",
                &[],
            ),
            ("an integer at its least", "rating=1", &[]),
            ("an integer below", "rating=0", &[("rating", TooSmall)]),
            ("an integer above", "limit=101", &[("limit", TooBig)]),
            (
                "an integer with zeros before it",
                "limit=000000000000000000000000000000100",
                &[],
            ),
            (
                "an integer of any length",
                "limit=99999999999999999999999999999999999999",
                &[("limit", TooBig)],
            ),
            (
                "zero of any length",
                "limit=00000000000000000000000000000000000000",
                &[("limit", TooSmall)],
            ),
            (
                "an integer with a sign",
                "limit=%2B5",
                &[("limit", InvalidType)],
            ),
            (
                "an integer with a blank for its sign",
                "limit=+5",
                &[("limit", InvalidType)],
            ),
            (
                "an integer below zero",
                "limit=-1",
                &[("limit", InvalidType)],
            ),
            (
                "an integer with a fraction",
                "limit=5.0",
                &[("limit", InvalidType)],
            ),
            (
                "an integer with an exponent",
                "limit=1e1",
                &[("limit", InvalidType)],
            ),
            (
                "an integer in other digits",
                "limit=%D9%A1",
                &[("limit", InvalidType)],
            ),
            (
                "an integer with a blank after it",
                "limit=5%20",
                &[("limit", InvalidType)],
            ),
            (
                "an integer that is a word",
                "limit=ten",
                &[("limit", InvalidType)],
            ),
            ("an empty integer", "limit=", &[("limit", InvalidType)]),
            (
                "an integer without its equals sign",
                "limit",
                &[("limit", InvalidType)],
            ),
            (
                "an integer that is no UTF-8",
                "limit=%FF",
                &[("limit", InvalidType)],
            ),
            ("a number at its least", "min_rating=1", &[]),
            ("a number at its most, with zeros", "min_rating=05.000", &[]),
            (
                "a number a hair below",
                "min_rating=0.99999999999999999999999",
                &[("min_rating", TooSmall)],
            ),
            (
                "a number a hair above",
                "min_rating=5.00000000000000000000001",
                &[("min_rating", TooBig)],
            ),
            (
                "a number with nothing after its point",
                "min_rating=4.",
                &[("min_rating", InvalidType)],
            ),
            (
                "a number with nothing before its point",
                "min_rating=.5",
                &[("min_rating", InvalidType)],
            ),
            (
                "a number with a comma",
                "min_rating=4,5",
                &[("min_rating", InvalidType)],
            ),
            (
                "a number with an exponent",
                "min_rating=4e0",
                &[("min_rating", InvalidType)],
            ),
            (
                "a number that is none",
                "min_rating=NaN",
                &[("min_rating", InvalidType)],
            ),
            (
                "a number without end",
                "min_rating=inf",
                &[("min_rating", InvalidType)],
            ),
            (
                "an empty number",
                "min_rating=",
                &[("min_rating", InvalidType)],
            ),
            (
                "a day that is none",
                "since=2023-02-29",
                &[("since", InvalidDate)],
            ),
            (
                "a day in another spelling",
                "since=2024-2-29",
                &[("since", InvalidDate)],
            ),
            (
                "a day with its time",
                "since=2024-02-29T00:00:00Z",
                &[("since", InvalidDate)],
            ),
            ("an empty day", "since=", &[("since", InvalidDate)]),
            (
                "a day that is no UTF-8",
                "since=%FF",
                &[("since", InvalidDate)],
            ),
            ("a day, percent-encoded", "since=2024%2D02%2d29", &[]),
            (
                "an empty text is as if absent",
                "query=&mentions_service",
                &[],
            ),
            (
                "characters count, not bytes",
                "query=%C3%A9%C3%A9%F0%9F%98%80%F0%9F%98%80",
                &[],
            ),
            (
                "too many characters",
                "query=%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9",
                &[("query", TooBig)],
            ),
            ("a plus is a blank", "query=a+b+", &[]),
            (
                "a percent sign stands for itself",
                "query=10%&mentions_service=%zz%2",
                &[],
            ),
            (
                "a second equals sign belongs to the value",
                "query=a=b",
                &[],
            ),
            ("any character may be in a text", "query=%00%0A%22%26", &[]),
            (
                "a text that is no UTF-8",
                "query=%FF",
                &[("query", InvalidString)],
            ),
            (
                "a text that ends within a character",
                "mentions_service=%C3",
                &[("mentions_service", InvalidString)],
            ),
            (
                "a surrogate",
                "query=%ED%A0%80",
                &[("query", InvalidString)],
            ),
            ("no choice", "sort=Newest", &[("sort", InvalidString)]),
            ("an empty choice is as if absent", "sort=", &[]),
            (
                "a name, percent-encoded",
                "%6Cimit=0",
                &[("limit", TooSmall)],
            ),
            ("twice", "limit=5&limit=6", &[("limit", Duplicate)]),
            ("twice the same", "limit=5&limit=5", &[("limit", Duplicate)]),
            (
                "twice, once percent-encoded",
                "limit=5&li%6Dit=6",
                &[("limit", Duplicate)],
            ),
            (
                "twice, once empty",
                "query=&query=a",
                &[("query", Duplicate)],
            ),
            (
                "three times and wrong is one issue",
                "limit=x&limit=0&limit=999",
                &[("limit", Duplicate)],
            ),
            (
                "all at once, in the document's order",
                "limit=500&since=x&rating=0&bogus=1&min_rating=x&query=%FF&sort=x&mentions_service=&limit=5",
                &[
                    ("rating", TooSmall),
                    ("min_rating", InvalidType),
                    ("since", InvalidDate),
                    ("query", InvalidString),
                    ("limit", Duplicate),
                    ("sort", InvalidString),
                ],
            ),
        ];

        #[test]
        fn each_invalid_parameter_of_a_query_is_one_fault() {
            for (name, query, expected) in ROWS {
                let faults = faults(query);
                let found: Vec<(&str, IssueCode)> = faults
                    .iter()
                    .map(|invalid| (invalid.path[0].as_str(), invalid.code))
                    .collect();
                assert_eq!(found, *expected, "{name}");
            }
        }
    }

    #[test]
    fn the_chain_is_read_from_the_right_and_ends_at_the_first_hop_that_is_not_trusted() {
        let trusted = ["10.0.0.0/8", "fd00::/8"].map(|net| net.parse().unwrap());
        let trusted: Nets = CommaList(trusted.to_vec());
        for (peer, lines, expected) in [
            // An untrusted peer's field is ignored.
            ("198.51.100.1", &["203.0.113.1"][..], "198.51.100.1"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("::ffff:10.0.0.1", &["198.51.100.9"], "198.51.100.9"),
            ("10.0.0.1", &["203.0.113.3, 198.51.100.9"], "198.51.100.9"),
            (
                "10.0.0.1",
                &["203.0.113.3,198.51.100.9 ,10.0.0.7"],
                "198.51.100.9",
            ),
            // The client's own entry names a trusted proxy.
            ("10.0.0.1", &["10.0.0.9, 198.51.100.9"], "198.51.100.9"),
            // Several lines are one list (RFC 9110 §5.3).
            (
                "10.0.0.1",
                &["203.0.113.3", "198.51.100.9", "10.0.0.7"],
                "198.51.100.9",
            ),
            ("10.0.0.1", &["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
            ("10.0.0.1", &[" , 198.51.100.9,, "], "198.51.100.9"),
            ("fd00::1", &["2001:db8::1"], "2001:db8::1"),
            // With ports.
            (
                "10.0.0.1",
                &["203.0.113.3, 198.51.100.7:4711"],
                "198.51.100.7",
            ),
            (
                "10.0.0.1",
                &["198.51.100.7, [2001:db8::1]:443"],
                "2001:db8::1",
            ),
            ("10.0.0.1", &["198.51.100.7, [2001:db8::1]"], "2001:db8::1"),
            ("10.0.0.1", &["198.51.100.9, 10.0.0.7:80"], "198.51.100.9"),
            ("10.0.0.1", &["[::ffff:198.51.100.7]:443"], "198.51.100.7"),
        ] {
            let source = source(
                peer.parse().unwrap(),
                lines.iter().map(|line| Some(*line)),
                &trusted,
            );
            assert_eq!(
                source,
                expected.parse::<IpAddr>().unwrap(),
                "{peer} {lines:?}"
            );
        }
    }

    #[test]
    fn what_cannot_be_parsed_ends_the_chain_and_the_clients_own_entry_never_counts() {
        let trusted: Nets = CommaList(vec!["10.0.0.0/8".parse().unwrap()]);
        let bad = [
            "unknown",
            "_hidden",
            "198.51.100",
            "198.51.100.7:",
            "198.51.100.7:99999",
            "2001:db8::1]:443",
            "[198.51.100.7]",
        ];
        for entry in bad.into_iter().chain([
            "fe80::1%eth0",
            "example.com",
            "\"198.51.100.7\"",
            "198.51.100.7 x",
            "0x7f.1",
            "[]",
        ]) {
            let line = format!("203.0.113.3, {entry}");
            assert_eq!(
                source([10, 0, 0, 1].into(), [Some(&*line)].into_iter(), &trusted),
                IpAddr::from([10, 0, 0, 1]),
                "{line}"
            );
            let line = format!("{line}, 10.0.0.7");
            assert_eq!(
                source([10, 0, 0, 1].into(), [Some(&*line)].into_iter(), &trusted),
                IpAddr::from([10, 0, 0, 7]),
                "{line}"
            );
        }
        let lines = [Some("203.0.113.3"), None, Some("10.0.0.7")];
        assert_eq!(
            source([10, 0, 0, 1].into(), lines.into_iter(), &trusted),
            IpAddr::from([10, 0, 0, 7]),
            "no text"
        );
    }
}
