//! The page `/docs` needs no other host. `tests/clients/run` and `tests/pages/run` open it in a real browser.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use super::*;

#[tokio::test]
async fn the_docs_page_loads_nothing_from_other_hosts() {
    let answer = service().await.get("/docs").await;
    let policy = answer.header("content-security-policy").to_owned();
    let html = answer.text();
    assert!(html.starts_with("<!DOCTYPE html>"));
    assert!(
        html.contains("url: \".well-known/openapi.json\","),
        "it does not fetch the published document"
    );
    assert!(
        !html.contains("\"openapi\":\"3.0.0\""),
        "it contains another document"
    );
    // The page has no other scripts or styles.
    let directive = |name: &str| policy.split(';').find(|part| part.trim().starts_with(name));
    let (mut elements, mut rest) = (0, html.as_str());
    while let Some(at) = ["<script>", "<style>"]
        .iter()
        .filter_map(|begin| rest.find(begin))
        .min()
    {
        let name = if rest[at..].starts_with("<script>") {
            "script"
        } else {
            "style"
        };
        let element = &rest[at + name.len() + 2..];
        let (text, after) = element.split_once(&format!("</{name}>")).unwrap();
        let hash = format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
        let allowed = directive(&format!("{name}-src")).unwrap();
        assert!(allowed.contains(&hash), "{name}: {text:.60}");
        (elements, rest) = (elements + 1, after);
    }
    assert_eq!(elements, policy.matches("'sha256-").count());
    // Without the script's text, the only URLs are data URLs and the document's.
    let mut rest = html.as_str();
    let mut markup = String::new();
    while let Some((before, after)) = rest.split_once("<script") {
        markup.push_str(before);
        let (attributes, script) = after.split_once('>').unwrap();
        assert!(!attributes.contains("src"), "a script from {attributes}");
        rest = script.split_once("</script>").unwrap().1;
    }
    markup.push_str(rest);
    for (at, _) in markup.match_indices("url(") {
        let address = markup[at + 4..].trim_start_matches(['"', '\'']);
        assert!(address.starts_with("data:"), "{address:.60}");
    }
    for outside in [" src=", " href=", "@import"] {
        assert!(!markup.contains(outside), "{outside}");
    }
}
