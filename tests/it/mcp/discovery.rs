//! What clients read before they connect: the server card, the AI catalog and the API catalog.

use reviews_service::links::Links;

use super::*;

#[tokio::test]
async fn the_catalog_leads_to_the_card_and_the_card_to_the_endpoint() {
    let folder = tempfile::tempdir().unwrap();
    for (base, publisher, name) in [
        (BASE, HOST, "test.sample.reviews/reviews"),
        (
            "https://sample.test:8443/our/reviews",
            "sample.test",
            "test.sample/reviews",
        ),
        (
            "https://bücher.sample.test",
            "xn--bcher-kva.sample.test",
            "test.sample.xn--bcher-kva/reviews",
        ),
        ("http://[::1]:8080", "--1", "--1/reviews"),
    ] {
        let path = folder.path().join(format!("{}.db", publisher.len()));
        let links: Links = base.parse().unwrap();
        let app = service_on(&path, links.clone(), Vec::new()).await;
        let read = async |target: &str| -> (String, Value) {
            let request = Request::builder().uri_str(target).header("host", HOST);
            let response = Endpoint::get_response(&app.endpoint, request.finish()).await;
            let kind = response.content_type().unwrap().to_owned();
            (kind, response.into_body().into_json().await.unwrap())
        };
        let (kind, catalog) = read("/.well-known/ai-catalog.json").await;
        assert_eq!(kind, "application/ai-catalog+json");
        let base = links.to_string();
        let entries = &catalog["entries"];
        for (at, path) in ["/mcp/server-card", "/.well-known/openapi.json"]
            .into_iter()
            .enumerate()
        {
            assert_eq!(entries[at]["url"], format!("{base}{path}"), "{catalog}");
        }
        assert_eq!(catalog["host"]["identifier"], publisher, "{catalog}");
        let identifier = format!("urn:air:{publisher}:server:mcp");
        assert_eq!(entries[0]["identifier"], identifier);

        let (kind, card) = read("/mcp/server-card").await;
        assert_eq!(kind, "application/mcp-server-card+json");
        let well_known = read("/.well-known/mcp/server-card.json").await;
        assert_eq!(well_known, (kind, card.clone()));
        let versions = [&WITH_INITIALIZE[..], &[STATELESS]].concat();
        let remote = json!({ "type": "streamable-http", "url": format!("{base}/mcp"), "supportedProtocolVersions": versions });
        // No other members: neither tools nor capabilities (SEP-2127).
        assert_eq!(
            card,
            json!({
                "$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
                "name": name, "title": "Reviews of Unnamed business", "version": card["version"],
                "description": card["description"], "websiteUrl": format!("{base}/"), "remotes": [remote],
            })
        );
        assert!(card["description"].as_str().unwrap().len() <= 100);
    }
}

#[test]
fn the_api_catalog_of_rfc_9727_has_the_links() {
    with_sample(async |app| {
        let path = "/.well-known/api-catalog";
        let catalog = app.get(path).await;
        let kind = r#"application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727""#;
        assert_eq!(catalog.header("content-type"), kind);
        let catalog = catalog.json();
        let linkset = &catalog["linkset"][0];
        assert_eq!(linkset["anchor"], format!("{BASE}/"));
        for (relation, path) in [
            ("service-desc", "/.well-known/openapi.json"),
            ("service-doc", "/docs"),
            ("service-meta", "/mcp/server-card"),
        ] {
            assert_eq!(linkset[relation][0]["href"], format!("{BASE}{path}"));
        }
    });
}
