//! JSON-RPC 2.0 as MCP uses it: what a body may hold, and how answers and errors are written. No
//! HTTP and no method is known here (<https://www.jsonrpc.org/specification>).

use serde_json::{Map, Value, json};

use super::escape::escaped;

/// The body is no JSON.
pub const PARSE_ERROR: i32 = -32_700;
/// It is no message that may come here.
pub const INVALID_REQUEST: i32 = -32_600;
/// There is no such method.
pub const METHOD_NOT_FOUND: i32 = -32_601;
/// The method's parameters are wrong.
pub const INVALID_PARAMS: i32 = -32_602;
/// A header says something else than the body (MCP 2026-07-28).
pub const HEADER_MISMATCH: i32 = -32_020;
/// The revision is not served (MCP 2026-07-28).
pub const UNSUPPORTED_VERSION: i32 = -32_022;

/// How many values a message has at the most, nested ones included; a call has some dozens.
pub const VALUES_MAX: usize = 5_000;
/// Bytes that a value takes up in memory at the most: an object in it begins with room for eleven
/// members.
const VALUE_BYTES: usize = 704;
/// Bytes of the text that a request is answered under.
const ID_BYTES_MAX: usize = 256;

/// The error object of JSON-RPC 2.0 (§5.1).
#[derive(Debug, Clone, PartialEq)]
pub struct RpcError {
    /// What kind of error.
    pub code: i32,
    /// What was wrong, and what to do.
    pub message: String,
    /// Details for programs.
    pub data: Option<Value>,
}

impl RpcError {
    /// An error without data.
    #[must_use]
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// The same with data.
    #[must_use]
    pub fn with(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }
}

/// What a request is answered under: a text or a whole number.
#[derive(Debug, Clone, PartialEq)]
pub struct Id(Value);

impl Id {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => (text.len() <= ID_BYTES_MAX).then(|| Self(value.clone())),
            // To JSON 7.0 and 7 are the same number.
            Value::Number(number) => {
                let whole = number
                    .as_i64()
                    .or_else(|| number.as_f64()?.to_string().parse().ok())?;
                Some(Self(Value::from(whole)))
            }
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }
}

/// A request or, where it has no id, a notification.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// None of a notification.
    pub id: Option<Id>,
    /// What is asked for.
    pub method: String,
    /// Its parameters; empty where it has none.
    pub params: Map<String, Value>,
}

impl Call {
    /// A member of the parameters' `_meta`.
    #[must_use]
    pub fn meta(&self, name: &str) -> Option<&Value> {
        self.params.get("_meta")?.get(name)
    }
}

/// A message that a client sent, valid in its form.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// A request or a notification.
    Call(Call),
    /// An answer to a request, which we never make.
    Answer,
}

impl Message {
    /// Reads one message.
    ///
    /// # Errors
    /// What is wrong with it, and under which id to say so.
    pub fn read(value: Value) -> Result<Self, (Option<Id>, RpcError)> {
        let Value::Object(mut members) = value else {
            let told = if value.is_array() {
                "Batches are not supported: send each message by itself."
            } else {
                "A message must be a JSON object."
            };
            return Err((None, RpcError::new(INVALID_REQUEST, told)));
        };
        let id = members.get("id").map(Id::read);
        let invalid = |fault: &str| (id.clone().flatten(), RpcError::new(INVALID_REQUEST, fault));
        if members.get("jsonrpc") != Some(&Value::from("2.0")) {
            return Err(invalid("The member jsonrpc must be \"2.0\"."));
        }
        if id == Some(None) && !members.contains_key("error") {
            let told =
                format!("An id must be a text of at most {ID_BYTES_MAX} bytes or a whole number.");
            return Err(invalid(&told));
        }
        let answers = ["result", "error"]
            .into_iter()
            .filter(|name| members.contains_key(*name))
            .count();
        match members.remove("method") {
            Some(Value::String(method)) if answers == 0 => {
                let params = match members.remove("params") {
                    None | Some(Value::Null) => Map::new(),
                    Some(Value::Object(params)) => params,
                    Some(
                        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_),
                    ) => {
                        let fault =
                            RpcError::new(INVALID_PARAMS, "The member params must be an object.");
                        return Err((id.flatten(), fault));
                    }
                };
                Ok(Self::Call(Call {
                    id: id.flatten(),
                    method,
                    params,
                }))
            }
            None if answers == 1 => Ok(Self::Answer),
            Some(_) | None => Err(invalid(
                "A message must have a method (a text), a result or an error.",
            )),
        }
    }
}

/// An upper bound for the bytes that `body` takes up once it is parsed, beside its own.
#[must_use]
pub fn parsed_bytes(body: &[u8]) -> usize {
    values(body).min(VALUES_MAX) * VALUE_BYTES
}

/// How many values `body` has: the first one, and each behind `[`, `{` or `,`.
fn values(body: &[u8]) -> usize {
    let (mut count, mut is_text, mut is_escaped) = (1, false, false);
    for byte in body {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b'[' | b'{' | b',' if !is_text => count += 1,
            _ => {}
        }
    }
    count
}

/// Parses a body as JSON, of which the values are counted first: the smallest ones take up a
/// hundred times their text.
///
/// # Errors
/// When it is not JSON, or has too many values.
pub fn parse(body: &[u8]) -> Result<Value, RpcError> {
    if values(body) > VALUES_MAX {
        let told = format!("A message may have at most {VALUES_MAX} JSON values. Send fewer.");
        return Err(RpcError::new(INVALID_REQUEST, told));
    }
    serde_json::from_slice(body)
        .map_err(|error| RpcError::new(PARSE_ERROR, format!("The body is not JSON: {error}.")))
}

/// A result, which is JSON already, as a message.
#[must_use]
pub fn result(id: &Id, result: &str) -> String {
    // Spliced, for results are long and written already.
    escaped(format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#,
        id.0
    ))
}

/// An error as a message. Where the id could not be read, JSON-RPC says null and MCP from
/// 2026-07-28 on says nothing.
#[must_use]
pub fn error(id: Option<&Id>, fault: &RpcError, has_null_id: bool) -> String {
    let RpcError {
        code,
        message,
        data,
    } = fault;
    let mut said = json!({ "jsonrpc": "2.0", "error": { "code": code, "message": message } });
    match id {
        Some(id) => said["id"] = id.0.clone(),
        None if has_null_id => said["id"] = Value::Null,
        None => {}
    }
    if let Some(data) = data {
        said["error"]["data"] = data.clone();
    }
    escaped(said.to_string())
}

#[cfg(test)]
mod tests {
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
        let said = |id, has_null_id| {
            serde_json::from_str::<Value>(&error(id, &fault, has_null_id)).unwrap()
        };
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
}
