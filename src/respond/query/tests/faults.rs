//! Whole queries with the faults that they have, as a table.

use super::faults;
use crate::reviews::parameters::Fault::{
    self, Date as InvalidDate, Duplicate, Text as InvalidString, TooBig, TooSmall,
    Type as InvalidType,
};

/// Name, query string, the invalid parameters with their codes.
type Row = (&'static str, &'static str, &'static [(&'static str, Fault)]);

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
        let found: Vec<(&str, Fault)> = faults(query)
            .iter()
            .map(|invalid| (invalid.name, invalid.fault))
            .collect();
        assert_eq!(found, *expected, "{name}");
    }
}
