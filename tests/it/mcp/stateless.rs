//! Stateless requests (2026-07-28).

use super::*;

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

#[test]
fn a_request_must_state_revision_and_client_capabilities() {
    with_sample(async |app| {
        let headers = [
            ("mcp-protocol-version", STATELESS),
            ("mcp-method", "tools/list"),
        ];
        let wrong = (400, -32602);
        for (meta, expected) in [
            (json!({ VERSION: STATELESS, CAPABILITIES: {} }), (200, 0)),
            (json!({ VERSION: STATELESS }), wrong),
            (json!({ CAPABILITIES: {} }), wrong),
            (json!({ VERSION: 20_260_728, CAPABILITIES: {} }), wrong),
            (json!({ VERSION: STATELESS, CAPABILITIES: [] }), wrong),
            (json!(null), wrong),
            (json!("x"), wrong),
        ] {
            let list = request("tools/list", json!({ "_meta": meta }));
            let answer = post(app, &headers, &list).await;
            assert_eq!(error(&answer), expected, "{meta}");
            assert_eq!(answer.json()["id"], 1, "{meta}");
        }
        let bare = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        assert_eq!(error(&app.post_mcp(&headers, bare).await), (400, -32602));
    });
}

#[test]
fn an_unknown_revision_and_discovery_get_the_known_ones() {
    with_sample(async |app| {
        let discover = async |version: &str| {
            let headers = [
                ("mcp-protocol-version", version),
                ("mcp-method", "server/discover"),
            ];
            let meta = json!({ VERSION: version, CAPABILITIES: {} });
            let message = request("server/discover", json!({ "_meta": meta }));
            post(app, &headers, &message).await
        };
        for version in ["v999.0.0", "2024-11-05", "2026-07-29", ""] {
            let answer = discover(version).await;
            assert_eq!(error(&answer), (400, -32022), "{version}");
            let data = json!({ "requested": version, "supported": REVISIONS });
            assert_eq!(answer.json()["error"]["data"], data);
        }
        // A known revision, but one with `initialize`.
        let answer = discover("2025-11-25").await;
        assert_eq!(error(&answer), (400, -32602));
        assert_has(&answer.text(), "initialize");
        let answer = ask_stateless(app, "server/discover", json!({})).await;
        let result = &answer.json()["result"];
        assert_eq!(result["supportedVersions"], json!(REVISIONS));
        assert_eq!(result["capabilities"], json!({ "tools": {} }));
        assert_has(str_of(&result["instructions"]), "untrusted");
        // The request of a client that does not know the revisions yet.
        let bare = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#;
        assert_eq!(error(&app.post_mcp(&[], bare).await), (400, -32020));
    });
}

#[test]
fn every_result_names_the_server_and_the_list_can_be_cached() {
    with_sample(async |app| {
        for (method, params) in [
            ("server/discover", json!({})),
            ("tools/list", json!({})),
            ("tools/call", json!({ "name": "get_business" })),
        ] {
            let answer = ask_stateless(app, method, params).await;
            let result = &answer.json()["result"];
            assert_eq!(result["resultType"], "complete", "{method}: {result}");
            let server = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
            let identity = (&server["name"], &server["version"]);
            assert_eq!(identity, (&json!("reviews-service"), &json!("1.0.0")));
            let is_cached = method != "tools/call";
            let hints = [result.get("ttlMs"), result.get("cacheScope")];
            let expected = [json!(60_000), json!("public")];
            let expected = expected
                .each_ref()
                .map(|hint| Some(hint).filter(|_| is_cached));
            assert_eq!(hints, expected, "{method}");
            assert_eq!(answer.header("mcp-session-id"), "", "{method}");
        }
    });
}

/// The values of the revision, method and name headers of one call; `+` between two values of one header.
const MATCHING: &str = "
    2026-07-28 → tools/call → get_business
    2026-07-28 → tools/call → =?base64?Z2V0X2J1c2luZXNz?=
";
const MISMATCHED: &str = "
    - → tools/call → get_business
    2026-07-28 → - → get_business
    2026-07-28 → tools/call → -
    2025-11-25 → tools/call → get_business
    2099-01-01 → tools/call → get_business
    2026-07-28+2026-07-28 → tools/call → get_business
    2026-07-28 → TOOLS/CALL → get_business
    2026-07-28 → tools/call+tools/call → get_business
    2026-07-28 → tools/call → Get_Business
    2026-07-28 → tools/call → =?base64?!!?=
    2026-07-28 → tools/call → é
";

#[test]
fn headers_must_match_the_body() {
    with_sample(async |app| {
        let arguments = alone(json!({ "name": "get_business", "arguments": {} }));
        let call = request("tools/call", arguments).to_string();
        for (rows, expected) in [(MATCHING, (200, 0)), (MISMATCHED, (400, -32020))] {
            for cells in table::<3>(rows) {
                let names = ["mcp-protocol-version", "mcp-method", "mcp-name"];
                // A session has no meaning here.
                let mut headers = vec![("last-event-id", "7")];
                for (name, cell) in names.into_iter().zip(cells) {
                    let values = cell.split('+').filter(|value| *value != "-");
                    headers.extend(values.map(|value| (name, value)));
                }
                let answer = app.post_mcp(&headers, call.clone()).await;
                assert_eq!(error(&answer), expected, "{cells:?}");
                assert_eq!(answer.json()["id"], 1, "{cells:?}");
            }
        }
    });
}

#[test]
fn a_body_has_one_request_or_notification() {
    with_sample(async |app| {
        let note = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
        let response = json!({ "jsonrpc": "2.0", "id": 1, "result": {} });
        let without_id = json!({ "jsonrpc": "2.0", "id": null, "method": "tools/list" });
        for (method, body, expected) in [
            ("x", &response, (400, -32600)),
            ("notifications/other", &note, (400, -32020)),
            ("tools/list", &without_id, (400, -32600)),
        ] {
            let headers = [("mcp-protocol-version", STATELESS), ("mcp-method", method)];
            let refused = post(app, &headers, body).await;
            assert_eq!(error(&refused), expected, "{body}");
            // An ID that cannot be read is left out.
            assert!(method != "tools/list" || refused.json().get("id").is_none());
        }
        let headers = [
            ("mcp-protocol-version", STATELESS),
            ("mcp-method", "notifications/cancelled"),
        ];
        let taken = post(app, &headers, &note).await;
        assert_eq!((taken.status, taken.body.len()), (202, 0));
    });
}
