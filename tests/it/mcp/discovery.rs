//! What clients read before they connect: the server card and the AI catalog.

use jsonschema::Validator;

use super::*;

#[tokio::test]
async fn the_catalog_leads_to_the_card_and_the_card_to_the_endpoint() {
    let app = service().await;
    let catalog = app.get("/.well-known/ai-catalog.json").await;
    assert_eq!(
        catalog.header("content-type"),
        "application/ai-catalog+json"
    );
    let catalog = catalog.json();
    let host = json!({ "displayName": "Unnamed business", "identifier": HOST });
    assert_eq!(
        (&catalog["specVersion"], &catalog["host"]),
        (&json!("1.0"), &host)
    );
    let entries = catalog["entries"].as_array().unwrap();
    let entry = |kind: &str| entries.iter().find(|entry| entry["type"] == kind).unwrap();
    let openapi = entry("application/vnd.oai.openapi+json");
    assert_eq!(openapi["url"], format!("{BASE}/.well-known/openapi.json"));
    let listed = entry("application/mcp-server-card+json");
    assert_eq!(listed["identifier"], format!("urn:air:{HOST}:server:mcp"));
    let path = listed["url"].as_str().unwrap().strip_prefix(BASE).unwrap();
    assert_eq!(path, "/mcp/server-card");

    let card = app.get(path).await;
    assert_eq!(
        card.header("content-type"),
        "application/mcp-server-card+json"
    );
    let card = card.json();
    assert_eq!(card["name"], "test.sample.reviews/reviews");
    assert_eq!(card["title"], "Reviews of Unnamed business");
    assert_eq!(card["websiteUrl"], format!("{BASE}/"));
    let versions = [&WITH_SESSIONS[..], &[STATELESS]].concat();
    let remote = json!({ "type": "streamable-http", "url": format!("{BASE}/mcp"), "supportedProtocolVersions": versions });
    assert_eq!(card["remotes"], json!([remote]));
    assert!(card["description"].as_str().unwrap().len() <= 100);
    // The endpoint that it names answers with what it says.
    let opened = app
        .post_mcp(&[], initialize("2025-11-25").to_string())
        .await;
    let identity = &opened.json()["result"]["serverInfo"];
    assert_eq!(identity["version"], card["version"]);
    assert_eq!(identity["title"], card["title"]);
}

#[tokio::test]
async fn card_and_catalog_are_conditional_and_follow_the_name_of_the_business() {
    let app = service().await;
    for target in ["/mcp/server-card", "/.well-known/ai-catalog.json"] {
        let first = app.get(target).await;
        assert_eq!(first.header("access-control-allow-origin"), "*");
        let tag = [("if-none-match", first.header("etag"))];
        assert_eq!(app.get_with(target, &tag).await.status, 304, "{target}");
        let name = format!("{}{target}", "Long name ".repeat(20));
        app.shell(&format!(
            "delete from business; insert into business (business_id, name) values ('b', '{name}')"
        ))
        .await;
        let renamed = app.get_with(target, &tag).await;
        assert_eq!(renamed.status, 200, "{target}");
        assert!(renamed.text().contains("Reviews of Long name"), "{target}");
    }
    let title = app.json("/mcp/server-card").await["title"]
        .as_str()
        .unwrap()
        .len();
    assert_eq!(title, 100);
}

/// The members and limits of the card's schema (SEP-2127), of which this server has no other: neither tools nor capabilities.
fn card_schema() -> Validator {
    let url = json!({ "type": "string", "pattern": "^https?://[^\\s]+$" });
    let shown = json!({ "type": "string", "minLength": 1, "maxLength": 100 });
    let members = [
        "$schema",
        "name",
        "version",
        "title",
        "description",
        "websiteUrl",
        "remotes",
    ];
    let remote = json!({
        "type": "object", "additionalProperties": false, "required": ["type", "url", "supportedProtocolVersions"],
        "properties": {
            "type": { "const": "streamable-http" }, "url": url,
            "supportedProtocolVersions": { "type": "array", "minItems": 1, "items": { "type": "string" } },
        },
    });
    let schema = json!({
        "type": "object", "additionalProperties": false, "required": members,
        "properties": {
            "$schema": { "const": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json" },
            "name": { "type": "string", "maxLength": 200, "pattern": "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$" },
            "version": { "type": "string", "pattern": "^[0-9]+\\.[0-9]+\\.[0-9]+(-[a-z0-9.]+)?$" },
            "title": shown, "description": shown, "websiteUrl": url,
            "remotes": { "type": "array", "minItems": 1, "maxItems": 1, "items": remote },
        },
    });
    jsonschema::validator_for(&schema).unwrap()
}

/// The members of the AI Catalog that this server has; an identifier begins with the publisher's host.
fn catalog_schema() -> Validator {
    let text = json!({ "type": "string", "minLength": 1 });
    let entry = json!({
        "type": "object", "additionalProperties": false, "required": ["identifier", "displayName", "type", "url"],
        "properties": {
            "identifier": { "type": "string", "pattern": "^urn:air:[a-z0-9.-]+:[a-z]+:[a-z]+$" },
            "displayName": text, "type": { "type": "string", "pattern": "^application/[a-z.+-]+$" },
            "url": { "type": "string", "pattern": "^https?://[^\\s]+$" },
        },
    });
    let host = json!({
        "type": "object", "additionalProperties": false, "required": ["displayName", "identifier"],
        "properties": { "displayName": text, "identifier": text },
    });
    let schema = json!({
        "type": "object", "additionalProperties": false, "required": ["specVersion", "host", "entries"],
        "properties": {
            "specVersion": { "const": "1.0" }, "host": host,
            "entries": { "type": "array", "minItems": 2, "maxItems": 2, "items": entry },
        },
    });
    jsonschema::validator_for(&schema).unwrap()
}

#[tokio::test]
async fn card_and_catalog_have_the_members_of_their_schemas_below_any_base_url() {
    let folder = tempfile::tempdir().unwrap();
    let (card_schema, catalog_schema) = (card_schema(), catalog_schema());
    for (number, base) in [
        BASE,
        "https://sample.test:8443/our/reviews",
        "https://bücher.sample.test",
        "http://127.0.0.1:8080",
        "http://[::1]:8080",
    ]
    .into_iter()
    .enumerate()
    {
        let path = folder.path().join(format!("{number}.db"));
        let app = service_on(&path, base.parse().unwrap(), Vec::new()).await;
        let read = async |target: &str| -> Value {
            let request = Request::builder().uri_str(target).header("host", HOST);
            let response = Endpoint::get_response(&app.endpoint, request.finish()).await;
            response.into_body().into_json().await.unwrap()
        };
        let (card, catalog) = (
            read("/mcp/server-card").await,
            read("/.well-known/ai-catalog.json").await,
        );
        for (schema, document) in [(&card_schema, &card), (&catalog_schema, &catalog)] {
            let errors: Vec<String> = schema
                .iter_errors(document)
                .map(|error| error.to_string())
                .collect();
            assert!(errors.is_empty(), "{base}: {errors:?}: {document}");
        }
        let home = card["websiteUrl"].as_str().unwrap();
        let endpoint = card["remotes"][0]["url"].as_str().unwrap();
        assert_eq!(endpoint, format!("{home}mcp"), "{base}");
        let entries = catalog["entries"].as_array().unwrap();
        for entry in entries {
            let url = entry["url"].as_str().unwrap();
            assert!(url.starts_with(home), "{base}: {url}");
        }
    }
}

#[tokio::test]
async fn the_card_names_the_revisions_that_the_server_discovers() {
    let app = service().await;
    let card = app.json("/mcp/server-card").await;
    let discovered = ask_stateless(&app, "server/discover", json!({})).await;
    let discovered = &discovered.json()["result"];
    assert_eq!(
        card["remotes"][0]["supportedProtocolVersions"],
        discovered["supportedVersions"]
    );
    let identity = &discovered["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(
        (&card["title"], &card["version"], &card["websiteUrl"]),
        (
            &identity["title"],
            &identity["version"],
            &identity["websiteUrl"]
        )
    );
}
