//! Every path answers as in the route table, with the headers of all answers.

mod headers;
mod request_log;

use poem::http::Method;
use reviews_service::model::hex;
use reviews_service::web::ListedRoute;
use sha2::{Digest, Sha256};

use crate::support::{TestApp, assert_has, with_sample};

/// A path of the route that is answered with 200.
fn path(pattern: &str) -> String {
    if pattern == "/api/compare" {
        return format!(
            "{pattern}?first_since=2025-01-01&first_until=2025-12-31&second_since=2026-01-01&second_until=2026-12-31"
        );
    }
    let script = include_bytes!("../../../src/pages/assets/copy.js");
    let digest = hex(&Sha256::digest(script));
    let asset = format!("assets/copy-{}.js", &digest[..12]);
    let values = [
        ("accent/:name", "accent/0a5a78.css"),
        ("assets/:file", &asset),
        (":date", "2025-01-01"),
        ("aspects/:id", "aspects/price"),
        (":id", "r-1150"),
    ];
    let fill = |path: String, (name, value): &(&str, &str)| path.replace(name, value);
    values.iter().fold(pattern.to_owned(), fill)
}

fn readable(app: &TestApp) -> impl Iterator<Item = &ListedRoute> {
    let routes = app.app().routes.iter();
    routes.filter(|route| route.methods.contains(&Method::GET))
}

fn allowed(route: &ListedRoute) -> String {
    let methods: Vec<&str> = route.methods.iter().map(Method::as_str).collect();
    methods.join(", ")
}

#[test]
fn every_route_answers_get_and_head_alike() {
    with_sample(async |app| {
        for route in readable(app) {
            assert_eq!(allowed(route), "GET, HEAD, OPTIONS");
            let path = path(&route.path);
            let get = app.get(&path).await;
            assert_eq!(get.status, 200, "{path}");
            assert!(!get.body.is_empty(), "{path}");
            assert_ne!(get.header("content-type"), "", "{path}");
            // The server adds the length to answers with a body (RFC 9110 §8.6), and HEAD has the same one.
            let mut headers = get.headers.clone();
            headers.insert("content-length", get.body.len().into());
            let mut head = app.send(Method::HEAD, &path, &[]).await;
            assert_eq!((head.status, head.body.len()), (200, 0), "{path}");
            if path == "/metrics" {
                // They change from answer to answer.
                headers.remove("content-length");
                head.headers.remove("content-length").unwrap();
            }
            assert_eq!(head.headers, headers, "{path}");
        }
    });
}

#[test]
fn an_unknown_parameter_is_ignored_but_in_the_embed() {
    with_sample(async |app| {
        for route in readable(app) {
            let path = path(&route.path);
            let mark = if path.contains('?') { '&' } else { '?' };
            let query = app.get(&format!("{path}{mark}unknown=1&x")).await;
            // A page that embeds reviews learns which option does not exist.
            let expected = if path == "/embed" { 400 } else { 200 };
            assert_eq!(query.status, expected, "{path}");
        }
    });
}

#[test]
fn every_route_answers_options() {
    with_sample(async |app| {
        for route in &app.app().routes {
            let (path, allowed) = (path(&route.path), allowed(route));
            let options = app.send(Method::OPTIONS, &path, &[]).await;
            assert_eq!((options.status, options.body.len()), (204, 0), "{path}");
            assert_eq!(options.header("allow"), allowed, "{path}");
        }
    });
}

#[test]
fn every_route_answers_the_preflight_of_any_page() {
    with_sample(async |app| {
        let headers = [
            ("origin", "https://elsewhere.test"),
            ("access-control-request-method", "GET"),
            ("access-control-request-headers", "if-none-match"),
        ];
        for route in &app.app().routes {
            let (path, allowed) = (path(&route.path), allowed(route));
            let answer = app.send(Method::OPTIONS, &path, &headers).await;
            assert_eq!(answer.status, 204, "{path}");
            assert_eq!(answer.header("access-control-allow-methods"), allowed);
            assert_eq!(answer.header("access-control-max-age"), "86400");
            let allowed = answer.header("access-control-allow-headers");
            let allowed = allowed.to_ascii_lowercase();
            let names = "if-none-match if-modified-since content-type accept authorization mcp-session-id mcp-protocol-version \
            mcp-method mcp-name last-event-id";
            for name in names.split(' ') {
                assert!(allowed.split(", ").any(|one| one == name), "{name}");
            }
        }
    });
}

#[test]
fn other_methods_get_405_with_the_allowed_ones() {
    with_sample(async |app| {
        for route in &app.app().routes {
            let path = path(&route.path);
            let methods = "GET HEAD POST PUT PATCH DELETE TRACE CONNECT PROPFIND get";
            for method in methods.split(' ') {
                let method = Method::from_bytes(method.as_bytes()).unwrap();
                if !route.methods.contains(&method) {
                    let answer = app.send(method.clone(), &path, &[]).await;
                    assert_eq!(answer.status, 405, "{method} {path}");
                    assert_eq!(answer.header("allow"), allowed(route), "{method} {path}");
                }
            }
        }
    });
}

#[test]
fn requests_are_counted_by_route_and_never_by_path() {
    with_sample(async |app| {
        for path in [
            "/api/reviews/since/2025-01-01",
            "/api/reviews/very-secret-id",
            "/a/path/of/nobodys",
        ] {
            let _ = app.get(path).await;
        }
        let figures = app.text("/metrics").await;
        for labels in [
            r#"route="/api/reviews/since/:date",status="2xx""#,
            r#"route="/api/reviews/:id",status="4xx""#,
            r#"route="none",status="4xx""#,
        ] {
            let series = format!("\nreviews_http_requests_total{{{labels}}} ");
            assert_has(&figures, &series);
        }
        for secret in ["very-secret-id", "nobodys", "2025-01-01"] {
            assert!(!figures.contains(secret), "{secret} is a label");
        }
    });
}

#[test]
fn an_unknown_path_is_a_404_for_every_request() {
    with_sample(async |app| {
        let unknown = "/nothing /reviews /reviews/ /reviews.json/ /reviews.jsonx /Reviews.json //reviews.json /insights.json/ \
        /feed.xml/ /feed.json /api/ /api/feed.json/ /api/reviews/ /api/reviews/search/ /api/reviews/since /api/reviews/since/ \
        /api/reviews/since/2025-01-01/ /api/reviews/since/2025-01-01/2025-01-02 /api/reviews/none /api/reviews/r-1150/ \
        /api/reviews/r-1150/x /api/reviews/R-1150 /api/reviews/a%20b /api/reviews/%FF /api/reviews/%00 /api/reviews/.. \
        /api/reviews/%2e%2e%2fsearch /reviews/none /reviews/%FF /reviews/r-1150/x/ /reviews/%3Cscript%3E /docs// /insights// \
        /%2Freviews.json /api%2Freviews%2Fsearch /%2572eviews.json /docs/index.html /.well-known/openapi.json/ /.well-known/ \
        /healthz/ /metrics/x /.env /index.php?q=1";
        // No condition changes an error.
        let condition = ("if-none-match", "*");
        for target in unknown.split(' ') {
            for method in [Method::GET, Method::HEAD] {
                let answer = app.send(method.clone(), target, &[condition]).await;
                assert_eq!(answer.status, 404, "{method} {target}");
            }
            // A path that matches a route with an ID has the methods of that route.
            let other = app.send(Method::POST, target, &[]).await.status;
            assert!(other == 404 || other == 405, "POST {target}: {other}");
        }
    });
}

#[test]
fn the_problem_of_an_unknown_path_has_only_what_its_status_says() {
    with_sample(async |app| {
        let unknown = app.json("/nothing").await;
        assert_eq!(unknown["type"], "about:blank");
        assert_eq!(unknown["title"], "Not Found");
        assert!(unknown.get("issues").is_none());
    });
}

#[test]
fn the_path_of_a_page_with_a_slash_leads_to_the_page() {
    with_sample(async |app| {
        let mut pages = 0;
        for route in readable(app) {
            let path = path(&route.path);
            let page = app.get(&path).await;
            let is_page = page.header("content-type").starts_with("text/html");
            if !is_page || path == "/" {
                continue;
            }
            pages += 1;
            for (method, query) in [
                (Method::GET, ""),
                (Method::HEAD, "?limit=2&limit=%2F"),
                (Method::POST, ""),
                (Method::OPTIONS, ""),
            ] {
                let target = format!("{path}/{query}");
                let answer = app.send(method, &target, &[]).await;
                assert_eq!(answer.status, 308, "{target}");
                // The base URL may have a path, which a proxy takes away.
                for base in ["https://reviews.sample.test", "https://sample.test/of/them"] {
                    let asked: url::Url = format!("{base}{target}").parse().unwrap();
                    let found = asked.join(answer.header("location")).unwrap();
                    assert_eq!(found.as_str(), format!("{base}{path}{query}"));
                }
            }
        }
        assert!(pages > 6, "{pages}");
    });
}
