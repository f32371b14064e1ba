//! Refused requests of all revisions, and unusual ones that are accepted.

use super::*;

#[test]
fn a_body_of_another_media_type_than_json_is_answered_415() {
    with_sample(async |app| {
        let opening = initialize("2025-06-18").to_string();
        for [kind, status] in table(
            "
        application/json → 200
        Application/JSON ;charset=UTF-8 → 200
        text/plain → 415
        application/x-www-form-urlencoded → 415
        application/jsonx → 415
        application/json-rpc → 415
        ",
        ) {
            let headers = [("content-type", kind)];
            let answer = app.post_mcp(&headers, opening.clone()).await;
            assert_eq!(answer.status.to_string(), status, "{kind}");
        }
        let headers = [("content-type", "")];
        let untyped = app.post_mcp(&headers, opening.clone()).await;
        assert_eq!(untyped.status, 415);
    });
}

#[test]
fn a_body_that_is_no_json_is_a_parse_error() {
    with_sample(async |app| {
        let broken = ["", "{", "nope", "{\"jsonrpc\":\"2.0\"", "\u{0}", "{'a':1}"];
        let broken = broken.map(str::as_bytes).into_iter();
        for body in broken.chain([&[0xFF, 0xFE][..]]) {
            let answer = app.post_mcp(&[], body.to_vec()).await;
            assert_eq!(error(&answer), (400, -32700), "{body:?}");
            assert!(answer.json()["id"].is_null(), "{body:?}");
        }
        let nested = "[".repeat(4_000);
        assert_eq!(error(&app.post_mcp(&[], nested).await), (400, -32700));
    });
}

#[test]
fn a_body_has_at_most_64_kibibytes() {
    with_sample(async |app| {
        let opening = initialize("2025-06-18").to_string();
        let padded = |length: usize| format!("{opening}{}", " ".repeat(length - opening.len()));
        assert_eq!(app.post_mcp(&[], padded(64 * 1024)).await.status, 200);
        let in_chunks = Body::from_async_read(std::io::Cursor::new(padded(64 * 1024 + 1)));
        for too_long in [padded(64 * 1024 + 1).into(), in_chunks] {
            let answer = app.post_mcp(&[], too_long).await;
            assert_eq!(answer.status, 413);
            assert_eq!(answer.header("content-type"), "application/problem+json");
        }
        let declared = [("content-length", "65537")];
        assert_eq!(app.post_mcp(&declared, opening).await.status, 413);
    });
}

#[test]
fn json_that_is_no_message_is_an_error_with_its_id() {
    with_sample(async |app| {
        for [message, id, code] in table(NO_MESSAGES) {
            let answer = app.post_mcp(&[], message).await;
            let json = answer.json();
            assert_eq!(json["id"].to_string(), id, "{message}");
            assert_eq!(json["error"]["code"].to_string(), code, "{message}");
        }
    });
}

/// JSON that is no message: the ID of the answer, and the code.
const NO_MESSAGES: &str = r#"
    1 → null → -32600
    null → null → -32600
    {} → null → -32600
    [] → null → -32600
    [{"jsonrpc":"2.0","id":1,"method":"ping"}] → null → -32600
    {"id":7,"method":"m"} → 7 → -32600
    {"jsonrpc":"1.0","id":7,"method":"m"} → 7 → -32600
    {"jsonrpc":"2.0","id":null,"method":"m"} → null → -32600
    {"jsonrpc":"2.0","id":[1],"method":"m"} → null → -32600
    {"jsonrpc":"2.0","id":7,"method":1} → 7 → -32600
    {"jsonrpc":"2.0","id":7,"method":"initialize","params":{}} → 7 → -32602
    {"jsonrpc":"2.0","id":7} → 7 → -32600
    {"jsonrpc":"2.0","id":7,"result":{},"error":{}} → 7 → -32600
    {"jsonrpc":"2.0","id":7,"method":"ping","params":[1]} → 7 → -32600
"#;

#[test]
fn unknown_names_and_malformed_params_are_errors_with_a_reason() {
    with_sample(async |app| {
        let long = "x".repeat(10_000);
        for [method, params, reason] in table(
            r#"
        tools/call → {"name": "none", "arguments": {}} → none
        tools/call → {"arguments": {}} → missing field `name`
        tools/call → {"name": 7} → invalid type: integer `7`
        tools/call → {"name": "get_business", "arguments": []} → expected a map
        tools/call → {"name": "x", "arguments": "LONG"} → invalid type: string "xxx
        tools/list → {"cursor": "x"} → cursor
        tools/list → {"cursor": ""} → cursor
        tools/list → {"cursor": 1} → expected a string
        "#,
        ) {
            let params: Value = params.replace("LONG", &long).parse().unwrap();
            let within = post(app, &[], &request(method, params.clone())).await;
            for answer in [within, ask_stateless(app, method, params.clone()).await] {
                assert_eq!(error(&answer), (200, -32602), "{params}: {}", answer.text());
                assert!(answer.json().get("result").is_none());
                let error = &answer.json()["error"];
                let message = str_of(&error["message"]);
                assert_has(message, reason);
                assert!(message.len() < 300, "{params}: {message}");
            }
        }
    });
}

#[tokio::test]
async fn hidden_characters_reach_an_agent_only_escaped() {
    let app = TestApp::with(&Generator::new(42).reviews(3)).await;
    let name = "'A' || char(0x202e) || char(0x85) || char(0xe0041) || char(27) || 'Z'";
    app.shell(&format!(
        "insert into business (business_id, name) values ('b', {name})"
    ))
    .await;
    let call = request("tools/call", json!({ "name": "get_business" }));
    let answer = post(&app, &[], &call).await;
    let is_hidden = |c: char| c.is_control() || ['\u{202e}', '\u{e0041}'].contains(&c);
    assert!(!answer.text().contains(is_hidden), "{}", answer.text());
    let result = &answer.json()["result"];
    assert_eq!(
        result["structuredContent"]["business"]["name"], "A\u{202e}\u{85}\u{e0041}\u{1b}Z",
        "it means the same"
    );
    let shown = str_of(&result["content"][0]["text"]);
    assert_eq!(shown.parse::<Value>().unwrap(), result["structuredContent"]);
    assert_has(shown, r"A\u202e\u0085\udb40\udc41\u001bZ");
}
