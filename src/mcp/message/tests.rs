//! Messages as clients send them, right and wrong.

use super::*;

fn read(text: &str) -> Result<Message, (Option<Id>, RpcError)> {
    Message::read(parse(text.as_bytes()).unwrap())
}

#[test]
fn a_call_is_read_with_its_id_and_parameters() {
    for (text, id, params) in [
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#,
            Some(json!(1)),
            "{}",
        ),
        (
            r#"{"jsonrpc":"2.0","id":-7.0,"method":"m"}"#,
            Some(json!(-7)),
            "{}",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7e16,"method":"m"}"#,
            Some(json!(70_000_000_000_000_000_u64)),
            "{}",
        ),
        (
            r#"{"jsonrpc":"2.0","id":"a","method":"m","params":null}"#,
            Some(json!("a")),
            "{}",
        ),
        (
            r#"{"jsonrpc":"2.0","method":"m","params":{"a":[1]},"more":1}"#,
            None,
            r#"{"a":[1]}"#,
        ),
    ] {
        let Ok(Message::Call(call)) = read(text) else {
            panic!("{text}")
        };
        assert_eq!(
            (call.id.map(|id| id.0), call.method.as_str()),
            (id, "m"),
            "{text}"
        );
        assert_eq!(Value::Object(call.params).to_string(), params, "{text}");
    }
    for text in [
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{}}"#,
    ] {
        assert_eq!(read(text), Ok(Message::Answer), "{text}");
    }
}

/// What is no message, the id that can be read of it, and the code of the fault.
const NO_MESSAGES: &[(&str, Option<u32>, i32)] = &[
    ("[]", None, INVALID_REQUEST),
    ("1", None, INVALID_REQUEST),
    ("{}", None, INVALID_REQUEST),
    (r#"{"id":7,"method":"m"}"#, Some(7), INVALID_REQUEST),
    (
        r#"{"jsonrpc":"1.0","id":7,"method":"m"}"#,
        Some(7),
        INVALID_REQUEST,
    ),
    (
        r#"{"jsonrpc":2.0,"id":7,"method":"m"}"#,
        Some(7),
        INVALID_REQUEST,
    ),
    (
        r#"{"jsonrpc":"2.0","id":null,"method":"m"}"#,
        None,
        INVALID_REQUEST,
    ),
    (
        r#"{"jsonrpc":"2.0","id":1.5,"method":"m"}"#,
        None,
        INVALID_REQUEST,
    ),
    (
        r#"{"jsonrpc":"2.0","id":1e19,"method":"m"}"#,
        None,
        INVALID_REQUEST,
    ),
    (
        r#"{"jsonrpc":"2.0","id":[1],"method":"m"}"#,
        None,
        INVALID_REQUEST,
    ),
    (
        r#"{"jsonrpc":"2.0","id":7,"method":1}"#,
        Some(7),
        INVALID_REQUEST,
    ),
    (r#"{"jsonrpc":"2.0","id":7}"#, Some(7), INVALID_REQUEST),
    (
        r#"{"jsonrpc":"2.0","id":7,"method":"m","result":{}}"#,
        Some(7),
        INVALID_REQUEST,
    ),
    (
        r#"{"jsonrpc":"2.0","id":7,"result":{},"error":{}}"#,
        Some(7),
        INVALID_REQUEST,
    ),
    (
        r#"{"jsonrpc":"2.0","id":7,"method":"m","params":[1]}"#,
        Some(7),
        INVALID_PARAMS,
    ),
];

#[test]
fn what_is_no_message_is_told_under_its_id() {
    for (text, id, code) in NO_MESSAGES {
        let (told, fault) = read(text).unwrap_err();
        assert_eq!(
            (told.map(|id| id.0), fault.code),
            (id.map(Value::from), *code),
            "{text}"
        );
    }
}

#[test]
fn what_is_no_json_is_a_parse_error() {
    assert_eq!(parse(b"{").unwrap_err().code, PARSE_ERROR);
    assert_eq!(parse(b"\xff").unwrap_err().code, PARSE_ERROR);
    assert_eq!(
        parse("[".repeat(4_000).as_bytes()).unwrap_err().code,
        PARSE_ERROR,
        "as deep as nobody means it"
    );
}

#[test]
fn answers_are_written_by_the_book() {
    let id = Id(json!("a\"b"));
    assert_eq!(
        result(&id, r#"{"x":1}"#),
        r#"{"jsonrpc":"2.0","id":"a\"b","result":{"x":1}}"#
    );
    let fault = RpcError::new(PARSE_ERROR, "no").with(json!([1]));
    let said =
        |id, has_null_id| serde_json::from_str::<Value>(&error(id, &fault, has_null_id)).unwrap();
    let body = json!({ "code": -32700, "message": "no", "data": [1] });
    assert_eq!(
        said(None, true),
        json!({ "jsonrpc": "2.0", "id": null, "error": body })
    );
    assert_eq!(
        said(None, false),
        json!({ "jsonrpc": "2.0", "error": body })
    );
    assert_eq!(said(Some(&id), true)["id"], "a\"b");
}
