//! What clients read before they connect: the server card and the AI catalog.

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
