//! All answers of the service: pages and documents reachable by links, and the answers to agents.

use std::collections::{BTreeSet, VecDeque};

use serde_json::{Value, json};

use crate::mcp::ask_stateless;
use crate::support::{BASE, TestApp, table};

/// The starting points of the crawl, and targets without links.
const ROOTS: &str = "/ /insights /insights.json /insights.json?part=overview /insights.json?part=technicians /insights.json?part=summary \
    /insights.json?part=faq /insights.json?part=topics \
    /insights.json?service=ac-repair /insights/aspects/professionalism/evidence.json \
    /insights/aspects/punctuality/evidence.json?technician=basil \
    /insights/aspects/price/evidence.json?technician=nobody /reviews.json /business.json /transparency.json /facets.json /api/feed.json \
    /feed.xml /api/reviews/search /api/reviews/search?mentions_technician=Basill /api/reviews/since/2001-01-01 \
    /api/compare?first_since=2026-09-01&first_until=2026-09-30&second_since=2026-10-01&second_until=2026-11-30 /embed \
    /badge.svg /llms.txt /sitemap.xml /.well-known/openapi.json";
/// With more pages, the crawl does not end as intended.
const PAGES_MAX: usize = 400;

/// The bodies of all pages and documents by target.
pub async fn crawl(app: &TestApp) -> Vec<(String, String)> {
    let mut queue: VecDeque<String> = ROOTS.split(' ').map(str::to_owned).collect();
    let mut seen: BTreeSet<String> = queue.iter().cloned().collect();
    let mut bodies = Vec::new();
    while let Some(target) = queue.pop_front() {
        let answer = app.get(&target).await;
        let body = answer.text();
        assert!(bodies.len() < PAGES_MAX, "{target}");
        for link in links(&body) {
            if seen.insert(link.clone()) {
                queue.push_back(link);
            }
        }
        bodies.push((target, body));
    }
    bodies
}

/// The service's own paths that a body links to.
fn links(body: &str) -> Vec<String> {
    let ends = ['"', '<', '>', ' ', '\\', '\n', ')', '`', ','];
    let found = body
        .match_indices("href=\"")
        .map(|(at, mark)| at + mark.len());
    let found = found.chain(body.match_indices(BASE).map(|(at, _)| at));
    found
        .filter_map(|at| body[at..].split(ends).next())
        .map(|link| {
            link.strip_prefix(BASE)
                .unwrap_or(link)
                .replace("&amp;", "&")
        })
        .filter_map(|link| link.split('#').next().map(str::to_owned))
        .filter(|link| link.starts_with('/') && !link.contains(['{', '…', ';']))
        .filter(|link| !link.starts_with("/docs") && !link.starts_with("/mcp"))
        // Searches link to all others; those with one filter and order have the same content.
        .filter(|link| !link.contains("/search?") || link.matches('&').count() < 2)
        .collect()
}

/// The answers to agents by request.
pub async fn agents(app: &TestApp) -> Vec<(String, String)> {
    let mut bodies = vec![(
        "tools/list".to_owned(),
        ask_stateless(app, "tools/list", json!({})).await.text(),
    )];
    for [tool, arguments] in table(
        r#"
        get_business → {}
        search_reviews → {}
        search_reviews → {"mentions_technician": "Bazil"}
        get_review → {"id": "z-1"}
        get_reviews_since → {"date": "2001-01-01"}
        get_insights → {}
        get_insights → {"part": "technicians"}
        get_technician → {"name": "Basil"}
        get_aspect_sentiment → {"aspect": "professionalism"}
        get_aspect_sentiment → {"aspect": "professionalism", "technician": "Bazil"}
        list_facets → {}
        "#,
    ) {
        let arguments: Value = arguments.parse().unwrap();
        let call = json!({"name": tool, "arguments": arguments});
        let answer = ask_stateless(app, "tools/call", call).await;
        bodies.push((format!("{tool} {arguments}"), answer.text()));
    }
    bodies
}
