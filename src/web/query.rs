//! URL parameters: percent-encoding and `application/x-www-form-urlencoded` (WHATWG URL §5.1), decoded once per
//! request.
//!
//! Separate from the parameters themselves, which MCP clients send as JSON.

use std::sync::OnceLock;

use percent_encoding::percent_decode;
use poem::Request;

use crate::model::parameters::{Parameter, Parsed, parse_all};

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

    /// The value of `P` in the query string of `request`. Unknown names are ignored.
    ///
    /// # Errors
    /// If the value is invalid.
    pub fn query<P: Parameter>(request: &Request) -> Parsed<P> {
        parse_all::<P>(
            Self::pairs(request)
                .filter(|(name, _)| *name == P::NAME)
                .map(|(_, value)| value),
        )
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
        let parts = request
            .extensions()
            .get::<Self>()
            .map_or(&[][..], |parameters| &parameters.path);
        parse_all::<P>(
            parts
                .iter()
                .filter(|(name, _)| *name == P::NAME)
                .map(|(_, value)| as_str(value)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::parameters::ParameterFault::Text as InvalidString;
    use crate::model::parameters::{
        InvalidParameter, Limit, MentionsService, MinRating, OneOf, ParameterKind,
        RECEIVED_CHARACTERS_MAX, Rating, Since, TextKind,
    };

    /// A bounded text like `query`.
    struct Short;
    impl Parameter for Short {
        type Kind = TextKind;
        const NAME: &'static str = "query";
        const KIND: TextKind = TextKind {
            characters_max: Some(4),
        };
    }

    /// A choice like `polarity`.
    struct Sort;
    impl Parameter for Sort {
        type Kind = OneOf<u8>;
        const NAME: &'static str = "sort";
        const KIND: OneOf<u8> = OneOf(&[0, 1], |sort| ["newest", "oldest"][usize::from(sort)]);
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
    fn faults(query: &str) -> Vec<InvalidParameter> {
        fn fault<P: Parameter>(request: &Request) -> Option<InvalidParameter> {
            UrlParameters::query::<P>(request).err()
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
            assert_eq!(format!("{invalid}: {}", invalid.received), expected);
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
        assert_eq!(
            UrlParameters::query::<Rating>(&request)
                .unwrap()
                .map(crate::model::Rating::stars),
            Some(5)
        );
        assert_eq!(UrlParameters::query::<MinRating>(&request), Ok(Some(4.5)));
        assert_eq!(
            UrlParameters::query::<Since>(&request),
            Ok("2024-02-29".parse().ok())
        );
        assert_eq!(
            UrlParameters::query::<Short>(&request),
            Ok(Some("é &".to_owned()))
        );
        assert_eq!(UrlParameters::query::<Limit>(&request), Ok(Some(100)));
        assert_eq!(UrlParameters::query::<Sort>(&request), Ok(Some(1)));
        assert_eq!(UrlParameters::query::<MentionsService>(&request), Ok(None));
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
            (garbled.fault, garbled.received.as_str()),
            (InvalidString, "\u{fffd}")
        );
        assert_eq!(UrlParameters::path::<Limit>(&request), Ok(None));
        assert_eq!(
            InvalidParameter::missing::<Since>().message,
            format!("is required, and {}", Since::KIND.allowed())
        );
    }

    mod faults {
        use super::faults;
        use crate::model::parameters::ParameterFault;
        use crate::model::parameters::ParameterFault::{
            Date as InvalidDate, Duplicate, Text as InvalidString, TooBig, TooSmall,
            Type as InvalidType,
        };

        /// Case, query string, the invalid parameters with their codes.
        type Row = (
            &'static str,
            &'static str,
            &'static [(&'static str, ParameterFault)],
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
                let found: Vec<(&str, ParameterFault)> = faults(query)
                    .iter()
                    .map(|invalid| (invalid.name, invalid.fault))
                    .collect();
                assert_eq!(found, *expected, "{name}");
            }
        }
    }
}
