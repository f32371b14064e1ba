//! The tables of the door: one row per way in which a parameter can be right or wrong.

use serde_json::{Value, json};

use super::{Checker, RECEIVED_CHARACTERS_MAX, UnknownKeyword};
use crate::wire::Code::{self, Duplicate, InvalidDate, InvalidString, InvalidType, TooBig, TooSmall};

/// The document of one operation `op` with these parameters.
fn document(parameters: &Value) -> Value {
    json!({
        "paths": {"/x/{id}": {"get": {"operationId": "op", "parameters": parameters}}},
        "components": {"schemas": {"Sort": {"type": "string", "enum": ["newest", "oldest"]}}},
    })
}

fn query(name: &str, schema: impl Into<Value>) -> Value {
    json!({"name": name, "in": "query", "required": false, "schema": schema.into()})
}

fn checker() -> Checker {
    let parameters = json!([
        query("rating", json!({"type": "integer", "format": "int32", "minimum": 1, "maximum": 5})),
        query("min_rating", json!({"type": "number", "format": "double", "minimum": 1.0, "maximum": 5.0})),
        query("since", json!({"type": "string", "format": "date", "description": "First day.", "examples": ["2024-01-01"]})),
        query("query", json!({"type": ["string", "null"], "maxLength": 4})),
        query("mentions_service", json!({"type": "string", "title": "Service", "deprecated": false})),
        query("limit", json!({"type": ["integer", "null"], "default": 20, "minimum": 1, "maximum": 100})),
        query("sort", json!({"$ref": "#/components/schemas/Sort", "default": "newest"})),
        {"name": "id", "in": "path", "required": true, "schema": {"type": "string", "pattern": "^[A-Za-z0-9._~=-]{1,128}$"}},
        {"name": "If-None-Match", "in": "header", "required": false, "schema": {"type": "string", "pattern": "^.$"}},
    ]);
    Checker::new(&document(&parameters)).unwrap()
}

/// Name, query string, the invalid parameters with their codes.
type Row = (&'static str, &'static str, &'static [(&'static str, Code)]);

const ROWS: &[Row] = &[
    ("nothing", "", &[]),
    ("everything right", "rating=5&min_rating=4.5&since=2024-02-29&query=abcd&mentions_service=hvac&limit=100&sort=oldest", &[]),
    ("unknown parameters", "page=0&limits=x&Limit=0&id=%20%20&If-None-Match=x&%FF=1&=&&", &[]),
    ("an integer at its least", "rating=1", &[]),
    ("an integer below", "rating=0", &[("rating", TooSmall)]),
    ("an integer above", "limit=101", &[("limit", TooBig)]),
    ("an integer with zeros before it", "limit=000000000000000000000000000000100", &[]),
    ("an integer of any length", "limit=99999999999999999999999999999999999999", &[("limit", TooBig)]),
    ("zero of any length", "limit=00000000000000000000000000000000000000", &[("limit", TooSmall)]),
    ("an integer with a sign", "limit=%2B5", &[("limit", InvalidType)]),
    ("an integer with a blank for its sign", "limit=+5", &[("limit", InvalidType)]),
    ("an integer below zero", "limit=-1", &[("limit", InvalidType)]),
    ("an integer with a fraction", "limit=5.0", &[("limit", InvalidType)]),
    ("an integer with an exponent", "limit=1e1", &[("limit", InvalidType)]),
    ("an integer in other digits", "limit=%D9%A1", &[("limit", InvalidType)]),
    ("an integer with a blank after it", "limit=5%20", &[("limit", InvalidType)]),
    ("an integer that is a word", "limit=ten", &[("limit", InvalidType)]),
    ("an empty integer", "limit=", &[("limit", InvalidType)]),
    ("an integer without its equals sign", "limit", &[("limit", InvalidType)]),
    ("an integer that is no UTF-8", "limit=%FF", &[("limit", InvalidType)]),
    ("a number at its least", "min_rating=1", &[]),
    ("a number at its most, with zeros", "min_rating=05.000", &[]),
    ("a number a hair below", "min_rating=0.99999999999999999999999", &[("min_rating", TooSmall)]),
    ("a number a hair above", "min_rating=5.00000000000000000000001", &[("min_rating", TooBig)]),
    ("a number with nothing after its point", "min_rating=4.", &[("min_rating", InvalidType)]),
    ("a number with nothing before its point", "min_rating=.5", &[("min_rating", InvalidType)]),
    ("a number with a comma", "min_rating=4,5", &[("min_rating", InvalidType)]),
    ("a number with an exponent", "min_rating=4e0", &[("min_rating", InvalidType)]),
    ("a number that is none", "min_rating=NaN", &[("min_rating", InvalidType)]),
    ("a number without end", "min_rating=inf", &[("min_rating", InvalidType)]),
    ("an empty number", "min_rating=", &[("min_rating", InvalidType)]),
    ("a day that is none", "since=2023-02-29", &[("since", InvalidDate)]),
    ("a day in another spelling", "since=2024-2-29", &[("since", InvalidDate)]),
    ("a day with its time", "since=2024-02-29T00:00:00Z", &[("since", InvalidDate)]),
    ("an empty day", "since=", &[("since", InvalidDate)]),
    ("a day that is no UTF-8", "since=%FF", &[("since", InvalidDate)]),
    ("a day, percent-encoded", "since=2024%2D02%2d29", &[]),
    ("an empty text is as if absent", "query=&mentions_service", &[]),
    ("characters count, not bytes", "query=%C3%A9%C3%A9%F0%9F%98%80%F0%9F%98%80", &[]),
    ("too many characters", "query=%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9", &[("query", TooBig)]),
    ("a plus is a blank", "query=a+b+", &[]),
    ("a percent sign stands for itself", "query=10%&mentions_service=%zz%2", &[]),
    ("a second equals sign belongs to the value", "query=a=b", &[]),
    ("any character may be in a text", "query=%00%0A%22%26", &[]),
    ("a text that is no UTF-8", "query=%FF", &[("query", InvalidString)]),
    ("a text that ends within a character", "mentions_service=%C3", &[("mentions_service", InvalidString)]),
    ("a surrogate", "query=%ED%A0%80", &[("query", InvalidString)]),
    ("no choice", "sort=Newest", &[("sort", InvalidString)]),
    ("an empty choice is as if absent", "sort=", &[]),
    ("a name, percent-encoded", "%6Cimit=0", &[("limit", TooSmall)]),
    ("twice", "limit=5&limit=6", &[("limit", Duplicate)]),
    ("twice the same", "limit=5&limit=5", &[("limit", Duplicate)]),
    ("twice, once percent-encoded", "limit=5&li%6Dit=6", &[("limit", Duplicate)]),
    ("twice, once empty", "query=&query=a", &[("query", Duplicate)]),
    ("three times and wrong is one issue", "limit=x&limit=0&limit=999", &[("limit", Duplicate)]),
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
fn each_invalid_parameter_of_a_query_is_one_issue() {
    let checker = checker();
    for (name, raw_query, expected) in ROWS {
        let issues = checker.check_query("op", raw_query);
        let found: Vec<(&str, Code)> = issues.iter().map(|issue| (issue.path[0].as_str(), issue.code)).collect();
        assert_eq!(found, *expected, "{name}");
    }
    assert_eq!(checker.check_query("other", "limit=0"), []);
}

#[test]
fn an_issue_says_what_is_allowed_and_what_was_received() {
    let cases = [
        ("limit=500", "limit: must be a whole number from 1 to 100: 500"),
        ("min_rating=9", "min_rating: must be a decimal number from 1 to 5: 9"),
        ("since=today", "since: must be a day written YYYY-MM-DD, such as 2024-02-29: today"),
        ("query=a+b%21c", "query: must be a text of at most 4 characters in UTF-8: a b!c"),
        ("query=a%FF", "query: must be a text of at most 4 characters in UTF-8: a\u{fffd}"),
        ("mentions_service=%FF", "mentions_service: must be a text in UTF-8, percent-encoded: \u{fffd}"),
        ("sort=up", "sort: must be one of: newest, oldest: up"),
        ("limit=5&limit=6", "limit: must be given only once: 5, 6"),
    ];
    for (raw_query, expected) in cases {
        let issues = checker().check_query("op", raw_query);
        assert_eq!(format!("{}: {}: {}", issues[0].path.join("/"), issues[0].message, issues[0].received), expected);
    }
    let issues = checker().check_query("op", &format!("query={}", "%C3%A9".repeat(1_000)));
    assert_eq!(issues[0].received, "é".repeat(RECEIVED_CHARACTERS_MAX));
}

#[test]
fn a_part_of_the_path_is_checked_as_it_is() {
    let checker = checker();
    let longest = "x".repeat(128);
    for good in ["a", "A.b_c~d=e-9", &longest] {
        assert_eq!(checker.check_path("op", "id", good), [], "{good}");
    }
    let longer = "x".repeat(129);
    for bad in ["", "a b", "a/b", "é", "a%20", "a\n", &longer] {
        assert_eq!(checker.check_path("op", "id", bad)[0].code, InvalidString, "{bad:?}");
    }
    assert_eq!(checker.check_path("op", "limit", "0"), [], "that one is not in the path");
}

#[test]
fn agents_meet_the_same_rules() {
    let pairs =
        |pairs: &[(&str, &str)]| pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect::<Vec<_>>();
    let checker = checker();
    assert_eq!(checker.check_pairs("op", &pairs(&[("id", "a"), ("limit", "5"), ("query", "+%41"), ("other", "x")])), []);
    let issues = checker.check_pairs("op", &pairs(&[("limit", "-5"), ("since", ""), ("query", ""), ("limit", "5")]));
    let found: Vec<_> = issues.iter().map(|issue| (issue.path[0].as_str(), issue.code)).collect();
    assert_eq!(found, [("since", InvalidDate), ("limit", Duplicate), ("id", InvalidType)]);
    assert_eq!(issues[2].message, "is required, and must be an id: 1 to 128 of the characters A-Z a-z 0-9 . _ ~ = -");
    assert_eq!(checker.check_pairs("op", &pairs(&[("id", "")]))[0].code, InvalidString);
}

#[test]
fn a_whole_number_stays_within_its_format() {
    for (schema, most) in [
        (json!({"type": "integer"}), "9223372036854775807"),
        (json!({"type": "integer", "format": "int32"}), "2147483647"),
        (json!({"type": "integer", "format": "uint8", "maximum": 300}), "255"),
        (json!({"type": "integer", "format": "uint64"}), "18446744073709551615"),
    ] {
        let checker = Checker::new(&document(&json!([query("n", schema)]))).unwrap();
        assert_eq!(checker.check_query("op", &format!("n={most}")), []);
        let issue = checker.check_query("op", &format!("n={most}0")).remove(0);
        assert_eq!((issue.code, issue.message), (TooBig, format!("must be a whole number from 0 to {most}")));
    }
}

#[test]
fn a_required_parameter_must_be_there() {
    let mut parameter = query("q", json!({"type": "string", "minLength": 1}));
    parameter["required"] = json!(true);
    let checker = Checker::new(&document(&json!([parameter]))).unwrap();
    assert_eq!(checker.check_query("op", "")[0].code, InvalidType);
    assert_eq!(checker.check_query("op", "q=")[0].code, TooSmall);
    assert_eq!(checker.check_query("op", "q=a"), []);
}

#[test]
fn what_would_not_be_checked_cannot_be_promised() {
    for (schema, keyword) in [
        (json!({"type": "integer", "multipleOf": 5}), "multipleOf"),
        (json!({"type": "integer", "exclusiveMinimum": 0}), "exclusiveMinimum"),
        (json!({"type": "integer", "minimum": -1}), "minimum: -1"),
        (json!({"type": "integer", "format": "int128"}), "format: int128"),
        (json!({"type": "integer", "maxLength": 3}), "maxLength"),
        (json!({"type": "number", "format": "decimal"}), "format: decimal"),
        (json!({"type": "string", "format": "uri"}), "format: uri"),
        (json!({"type": "string", "format": "date", "pattern": "^2"}), "pattern"),
        (json!({"type": "string", "pattern": "^[a-z]+$"}), "pattern: ^[a-z]+$"),
        (json!({"type": "string", "pattern": "^[A-Za-z0-9._~=-]{1,128}$", "maxLength": 5}), "maxLength"),
        (json!({"type": "string", "enum": ["a", null]}), "enum"),
        (json!({"type": "string", "minimum": 1}), "minimum"),
        (json!({"type": "string", "x-unit": "m"}), "x-unit"),
        (json!({"type": "boolean"}), "type: boolean"),
        (json!({"type": "array", "items": {"type": "string"}}), "type: array"),
        (json!({"type": ["integer", "string"]}), "type"),
        (json!({"anyOf": [{"type": "string"}]}), "type"),
        (json!({"$ref": "#/components/schemas/None"}), "$ref"),
        (json!({"$ref": "#/paths/~1x~1{id}/get/parameters/0/schema"}), "$ref"),
        (json!(true), "schema"),
    ] {
        let error = Checker::new(&document(&json!([query("q", schema)]))).unwrap_err();
        assert_eq!(error, UnknownKeyword { operation: "op".into(), parameter: "q".into(), keyword: keyword.into() });
    }
    let nameless = json!({"paths": {"/x": {"parameters": [query("q", json!({"type": "string"}))], "get": {}}}});
    let error = Checker::new(&nameless).unwrap_err();
    assert_eq!(error.to_string(), "the parameter `q` of `get /x` has `no operationId`, which nothing checks");
    assert!(Checker::new(&document(&json!([{"$ref": "#/components/parameters/Q"}]))).is_err());
    assert!(Checker::new(&document(&json!([{"name": "q", "in": "query", "content": {}}]))).is_err());
}
