//! Headers of all answers: CORS, links for hub and feeds, and the policy of pages.

use poem::http::Method;

use super::{path, readable};
use crate::support::{BASE, with_sample};

#[test]
fn authorization_is_ignored() {
    with_sample(async |app| {
        for route in readable(app).filter(|route| route.path != "/metrics") {
            let path = path(&route.path);
            let plain = app.get(&path).await;
            for value in ["Bearer x", "Basic Og==", "", "\u{e9}"] {
                let answer = app.get_with(&path, &[("authorization", value)]).await;
                assert_eq!(answer.status, 200, "{path}: {value}");
                assert_eq!(answer.headers, plain.headers, "{path}: {value}");
                assert!(answer.body == plain.body, "{path}: {value}");
            }
        }
    });
}

#[test]
fn rule_1_3_and_6_only_topics_link_to_themselves_and_the_hub() {
    with_sample(async |app| {
        let topics = ["/reviews.json", "/api/feed.json", "/feed.xml"];
        let paged = [
            "/api/reviews/search",
            "/insights/aspects/price/evidence.json",
        ];
        for route in readable(app) {
            let path = path(&route.path);
            let get = app.get(&path).await;
            let head = app.send(Method::HEAD, &path, &[]).await;
            let not_modified = app.get_with(&path, &[("if-none-match", "*")]).await;
            let expected =
                format!("<{BASE}{path}>; rel=\"self\", <{BASE}/api/websub/hub>; rel=\"hub\"");
            for answer in [get, head, not_modified] {
                let count = answer.headers.get_all("link").iter().count();
                let link = answer.header("link");
                if topics.contains(&path.as_str()) {
                    assert_eq!((count, link), (1, &*expected), "{path}");
                } else if path == "/.well-known/api-catalog" {
                    assert_eq!(link, format!("<{BASE}{path}>; rel=\"api-catalog\""));
                } else if paged.contains(&path.as_str()) {
                    assert_eq!(count, 1, "{path}");
                    assert!(link.ends_with("; rel=\"next\""), "{link}");
                } else {
                    assert_eq!(count, 0, "{path}: {link}");
                }
            }
        }
    });
}

#[test]
fn the_content_security_policy_forbids_other_hosts() {
    with_sample(async |app| {
        for path in ["/", "/reviews/r-1150", "/insights", "/search", "/docs"] {
            let answer = app.get(path).await;
            let policy = answer.header("content-security-policy");
            let is_docs = path == "/docs";
            let target = if is_docs { "'none'" } else { "'self'" };
            let form = format!("form-action {target}");
            let parts: Vec<&str> = policy.split("; ").collect();
            for part in [
                "default-src 'none'",
                "base-uri 'none'",
                &form,
                "frame-ancestors 'none'",
            ] {
                assert!(parts.contains(&part), "{path}: {part} is not in {policy}");
            }
            // `/docs` uses the service's public URL, which can differ from the one in the address bar.
            let rest = policy.replace("connect-src http: https:; ", "");
            assert_eq!(rest != policy, is_docs, "{path}: {policy}");
            for part in ["http", "*", "unsafe"] {
                assert!(!rest.contains(part), "{path}: {policy}");
            }
            assert_eq!(answer.header("referrer-policy"), "no-referrer", "{path}");
        }
    });
}
