//! The table of parameters: one row per way in which one can be right or wrong.

mod faults;

use super::*;
use crate::reviews::parameters::Fault::Text as InvalidString;
use crate::reviews::parameters::{
    Choice, InvalidParameter, Kind, Limit, MentionsService, MinRating, RECEIVED_CHARACTERS_MAX,
    Rating, Since, Text,
};

/// A text with a bound, as `query` is.
struct Short;
impl Parameter for Short {
    type Kind = Text;
    const NAME: &'static str = "query";
    const KIND: Text = Text {
        characters_max: Some(4),
    };
}

/// A choice, as `polarity` is.
struct Sort;
impl Parameter for Sort {
    type Kind = Choice<u8>;
    const NAME: &'static str = "sort";
    const KIND: Choice<u8> = Choice(&[("newest", 0), ("oldest", 1)]);
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

/// What is wrong with a query, in the order in which a handler takes its parameters.
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
            .map(crate::reviews::Rating::stars),
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
