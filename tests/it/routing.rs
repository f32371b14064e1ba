//! Every path answers what the one table says, and the headers of all answers are there.

use std::io;

use bytes::Bytes;
use poem::Body;
use poem::http::Method;
use reviews_service::respond::Route;

use crate::support::{BASE, Generator, TestApp};

/// A path that the route answers with 200.
fn path(pattern: &str) -> String {
    if pattern == "/api/compare" {
        return format!(
            "{pattern}?first_since=2025-01-01&first_until=2025-12-31&second_since=2026-01-01&second_until=2026-12-31"
        );
    }
    let pattern = pattern.replace("sitemaps/:name", "sitemaps/1.xml");
    pattern
        .replace(":date", "2025-01-01")
        .replace("aspects/:id", "aspects/price")
        .replace(":id", "r-00001")
}

/// The routes that can be read, which are all but those that take requests of other kinds, and the
/// one that leads elsewhere.
fn readable(app: &TestApp) -> impl Iterator<Item = &Route> {
    app.app()
        .routes()
        .routes()
        .iter()
        .filter(|route| route.methods().contains(&Method::GET) && route.pattern != "/docs/")
}

fn allowed(route: &Route) -> String {
    route
        .methods()
        .iter()
        .map(Method::as_str)
        .collect::<Vec<_>>()
        .join(", ")
}

async fn service() -> TestApp {
    let app = TestApp::uncoded(&Generator::new(61).reviews(30)).await;
    let contact = "mailto:security@example.com".to_owned();
    app.app().ctx().set_contacts(vec![contact]);
    app
}

#[tokio::test]
async fn every_route_answers_get_and_head_and_options() {
    let app = service().await;
    for route in readable(&app) {
        let path = path(route.pattern);
        let get = app.get(&path).await;
        assert_eq!(get.status, 200, "{path}");
        assert!(
            !get.body.is_empty() && !get.header("content-type").is_empty(),
            "{path}"
        );
        let head = app.send(Method::HEAD, &path, &[]).await;
        assert_eq!((head.status, head.body.len()), (200, 0), "{path}");
        if path != "/metrics" {
            assert_eq!(
                head.header("content-length"),
                get.body.len().to_string(),
                "{path}"
            );
        }
        let query = app
            .get(&format!(
                "{path}{}unknown=1&x",
                if path.contains('?') { '&' } else { '?' }
            ))
            .await;
        assert_eq!(query.status, 200, "{path}: an unknown parameter");
    }
    for route in app.app().routes().routes() {
        let options = app.send(Method::OPTIONS, &path(route.pattern), &[]).await;
        assert_eq!(
            (options.status, options.body.len()),
            (204, 0),
            "{}",
            route.pattern
        );
        assert_eq!(options.header("allow"), allowed(route), "{}", route.pattern);
    }
    assert_eq!(
        readable(&app)
            .map(allowed)
            .filter(|allowed| allowed != "GET, HEAD, OPTIONS")
            .count(),
        0
    );
}

#[tokio::test]
async fn head_says_how_long_an_error_would_be() {
    let app = service().await;
    for (target, headers, status) in [
        ("/nothing", vec![], 404),
        ("/api/reviews/none", vec![], 404),
        ("/api/reviews/search?limit=0", vec![], 400),
        ("/api/reviews/since/never", vec![], 400),
        ("/insights/aspects/weather/evidence.json", vec![], 404),
        (
            "/reviews.json",
            vec![("accept-encoding", "identity;q=0")],
            406,
        ),
        ("/reviews.json", vec![("if-match", "\"x\"")], 412),
        ("/mcp", vec![], 405),
        ("/api/websub/hub", vec![], 405),
    ] {
        let (get, head) = (
            app.get_with(target, &headers).await,
            app.send(Method::HEAD, target, &headers).await,
        );
        assert_eq!(
            (get.status, head.status, head.body.len()),
            (status, status, 0),
            "{target}"
        );
        assert_eq!(
            head.header("content-length"),
            get.body.len().to_string(),
            "{target}"
        );
        assert_eq!(
            head.header("content-type"),
            get.header("content-type"),
            "{target}"
        );
    }
}

#[tokio::test]
async fn a_preflight_is_answered() {
    let app = service().await;
    for route in app.app().routes().routes() {
        let headers = [
            ("origin", "https://elsewhere.example"),
            ("access-control-request-method", "GET"),
            ("access-control-request-headers", "if-none-match"),
        ];
        let answer = app
            .send(Method::OPTIONS, &path(route.pattern), &headers)
            .await;
        assert_eq!(answer.status, 204, "{}", route.pattern);
        assert_eq!(answer.header("access-control-allow-origin"), "*");
        assert_eq!(
            answer.header("access-control-allow-methods"),
            allowed(route)
        );
        assert_eq!(answer.header("access-control-max-age"), "86400");
        let allowed = answer
            .header("access-control-allow-headers")
            .to_ascii_lowercase();
        for name in [
            "if-none-match",
            "if-modified-since",
            "content-type",
            "accept",
            "authorization",
            "mcp-session-id",
            "mcp-protocol-version",
        ] {
            assert!(
                allowed.split(", ").any(|allowed| allowed == name),
                "{name} is not in {allowed}"
            );
        }
    }
    assert_eq!(app.send(Method::OPTIONS, "*", &[]).await.status, 204);
}

#[tokio::test]
async fn other_methods_are_told_which_are_allowed() {
    let app = service().await;
    for route in app.app().routes().routes() {
        for method in [
            "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "PROPFIND", "get",
        ] {
            let method = Method::from_bytes(method.as_bytes()).unwrap();
            if route.methods().contains(&method) {
                continue;
            }
            let answer = app.send(method.clone(), &path(route.pattern), &[]).await;
            assert_eq!(
                (answer.status, answer.header("allow")),
                (405, allowed(route).as_str()),
                "{method} {}",
                route.pattern
            );
        }
    }
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one table of requests and answers")]
async fn what_is_not_there_is_a_404_whatever_is_asked() {
    let app = service().await;
    for target in [
        "/nothing",
        "/reviews",
        "/reviews/",
        "/reviews.json/",
        "/reviews.jsonx",
        "/Reviews.json",
        "//reviews.json",
        "/insights.json/",
        "/insights/",
        "/feed",
        "/feed.xml/",
        "/feed.json",
        "/api",
        "/api/",
        "/api/feed.json/",
        "/api/reviews",
        "/api/reviews/",
        "/api/reviews/search/",
        "/api/reviews/since",
        "/api/reviews/since/",
        "/api/reviews/since/2025-01-01/",
        "/api/reviews/since/2025-01-01/2025-01-02",
        "/api/reviews/none",
        "/api/reviews/r-00001/",
        "/api/reviews/r-00001/x",
        "/api/reviews/R-00001",
        "/api/reviews/a%20b",
        "/api/reviews/%FF",
        "/api/reviews/%00",
        "/api/reviews/..",
        "/api/reviews/%2e%2e%2fsearch",
        "/reviews/none",
        "/reviews/%FF",
        "/reviews/r-00001/",
        "/reviews/%3Cscript%3E",
        "/docs//",
        "/%2Freviews.json",
        "/api%2Freviews%2Fsearch",
        "/%2572eviews.json",
        "/docs/index.html",
        "/.well-known/openapi.json/",
        "/.well-known/",
        "/openapi.json",
        "/healthz/",
        "/metrics/x",
        "/.env",
        "/index.php?q=1",
    ] {
        for method in [Method::GET, Method::HEAD] {
            let answer = app.send(method.clone(), target, &[]).await;
            assert_eq!(answer.status, 404, "{method} {target}");
        }
        // A path below a route with an id is a route, and allows what that allows.
        let other = app.send(Method::POST, target, &[]).await.status;
        assert!(other == 404 || other == 405, "POST {target}: {other}");
    }
    let unknown = app.get("/nothing").await.json();
    assert_eq!(
        (&unknown["type"], &unknown["title"]),
        (&"about:blank".into(), &"Not Found".into())
    );
    assert!(unknown.get("issues").is_none());
}

#[tokio::test]
async fn an_id_means_the_same_percent_encoded() {
    let app = service().await;
    let plain = app.get("/api/reviews/r-00001").await;
    for same in [
        "/api/reviews/%72-00001",
        "/api/reviews/r%2D00001",
        "/api/reviews/r-00001?x=1",
    ] {
        assert_eq!(app.get(same).await.body, plain.body, "{same}");
    }
    assert_eq!(
        app.get("/reviews/r%2d00001").await.body,
        app.get("/reviews/r-00001").await.body
    );
}

#[tokio::test]
async fn a_path_means_the_same_percent_encoded() {
    let app = service().await;
    for (plain, encoded) in [
        ("/reviews.json", "/%72eviews.json"),
        ("/reviews.json", "/reviews%2ejson"),
        ("/feed.xml", "/%66%65%65%64%2E%78ml"),
        (
            "/api/reviews/search?limit=1",
            "/%61pi/reviews/%73earch?limit=1",
        ),
    ] {
        let (one, other) = (app.get(plain).await, app.get(encoded).await);
        assert_eq!((other.status, other.body), (200, one.body), "{encoded}");
    }
}

#[tokio::test]
async fn a_slash_too_many_leads_to_the_page_of_the_operations() {
    let app = service().await;
    for method in [Method::GET, Method::HEAD] {
        let answer = app.send(method, "/docs/", &[]).await;
        // Relative, for the base URL may have a path that a proxy takes off.
        assert_eq!((answer.status, answer.header("location")), (308, "../docs"));
    }
}

#[tokio::test]
async fn what_an_operator_asks_is_answered_to_head_like_to_get() {
    let app = service().await;
    for path in ["/healthz", "/readyz", "/metrics"] {
        let (get, head) = (app.get(path).await, app.send(Method::HEAD, path, &[]).await);
        assert_eq!((get.status, head.status), (200, 200), "{path}");
        assert!(head.body.is_empty() && !get.body.is_empty(), "{path}");
        for name in ["content-type", "cache-control"] {
            assert_eq!(get.header(name), head.header(name), "{path}: {name}");
        }
        assert!(
            head.header("content-length").parse::<u64>().unwrap() > 0,
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_body_announced_too_large_is_refused_before_any_of_it_is_sent() {
    let app = service().await;
    // A body that never comes.
    let never = || Body::from_bytes_stream(futures_util::stream::pending::<io::Result<Bytes>>());
    let wait = std::time::Duration::from_secs(10);
    let form = ("content-type", "application/x-www-form-urlencoded");
    for bytes in ["32769", "99999999999999999999"] {
        let headers = [form, ("content-length", bytes)];
        let told = tokio::time::timeout(wait, app.post_hub_from(None, &headers, never()));
        let told = told.await.unwrap();
        assert_eq!(told.status, 413, "{bytes}: {}", told.text());
    }
    let headers = [("content-length", "1048577")];
    let told = tokio::time::timeout(wait, app.post_mcp(&headers, never()));
    assert_eq!(told.await.unwrap().status, 413);
}

#[tokio::test]
async fn everybody_may_read_everything_across_origins() {
    let app = service().await;
    let tag = app.get("/reviews.json").await.header("etag").to_owned();
    // `send` holds every answer to Access-Control-Allow-Origin; here are those that are no 200.
    for (method, target, headers, status) in [
        (
            Method::GET,
            "/reviews.json",
            vec![("if-none-match", tag.as_str())],
            304,
        ),
        (
            Method::GET,
            "/reviews.json",
            vec![("if-match", "\"x\"")],
            412,
        ),
        (
            Method::GET,
            "/reviews.json",
            vec![("accept-encoding", "identity;q=0")],
            406,
        ),
        (Method::GET, "/api/reviews/search?limit=0", vec![], 400),
        (Method::GET, "/nothing", vec![], 404),
        (Method::POST, "/reviews.json", vec![], 405),
        (Method::OPTIONS, "/nothing", vec![], 404),
    ] {
        for origin in [
            None,
            Some(("origin", "https://elsewhere.example")),
            Some(("origin", "null")),
        ] {
            let headers: Vec<(&str, &str)> = headers.iter().copied().chain(origin).collect();
            let answer = app.send(method.clone(), target, &headers).await;
            assert_eq!(answer.status, status, "{method} {target}");
            let exposed = answer.header("access-control-expose-headers");
            for name in ["ETag", "Last-Modified", "Link", "Retry-After"] {
                assert!(
                    exposed.split(", ").any(|exposed| exposed == name),
                    "{method} {target}: {name} is not in {exposed}"
                );
            }
            assert!(
                answer
                    .headers
                    .get("access-control-allow-credentials")
                    .is_none()
            );
        }
    }
}

#[tokio::test]
async fn authorization_is_ignored() {
    let app = service().await;
    for route in readable(&app).filter(|route| route.pattern != "/metrics") {
        let path = path(route.pattern);
        let plain = app.get(&path).await;
        for value in ["Bearer x", "Basic Og==", "", "\u{e9}"] {
            let answer = app.get_with(&path, &[("authorization", value)]).await;
            assert_eq!(
                (answer.status, &answer.headers, &answer.body),
                (200, &plain.headers, &plain.body),
                "{path}: {value}"
            );
            assert!(answer.headers.get("www-authenticate").is_none());
        }
    }
}

#[tokio::test]
async fn exactly_the_topics_name_themselves_and_the_hub() {
    let app = service().await;
    let topics = ["/reviews.json", "/api/feed.json", "/feed.xml"];
    for route in readable(&app) {
        let path = path(route.pattern);
        let get = app.get(&path).await;
        let head = app.send(Method::HEAD, &path, &[]).await;
        let not_modified = app.get_with(&path, &[("if-none-match", "*")]).await;
        let expected =
            format!("<{BASE}{path}>; rel=\"self\", <{BASE}/api/websub/hub>; rel=\"hub\"");
        for answer in [get, head, not_modified] {
            let links: Vec<&str> = answer
                .headers
                .get_all("link")
                .iter()
                .map(|link| link.to_str().unwrap())
                .collect();
            if topics.contains(&path.as_str()) {
                assert_eq!(links, [expected.as_str()], "{path}: {}", answer.status);
            } else if path == "/api/reviews/search" {
                assert!(
                    links.len() == 1 && links[0].ends_with("; rel=\"next\""),
                    "{path}: {links:?}"
                );
            } else {
                assert!(links.is_empty(), "{path}: {links:?}");
            }
        }
    }
}

#[tokio::test]
async fn everything_is_of_the_media_type_that_is_promised() {
    let app = service().await;
    for (path, kind) in [
        ("/", "text/html; charset=utf-8"),
        ("/reviews.json", "application/json"),
        ("/insights.json", "application/json"),
        ("/api/feed.json", "application/json"),
        ("/feed.xml", "application/atom+xml"),
        ("/api/reviews/search", "application/json"),
        ("/api/reviews/since/2025-01-01", "application/json"),
        ("/api/reviews/r-00001", "application/json"),
        ("/reviews/r-00001", "text/html; charset=utf-8"),
        ("/.well-known/openapi.json", "application/json"),
        ("/docs", "text/html; charset=utf-8"),
        ("/healthz", "text/plain; charset=utf-8"),
        ("/readyz", "text/plain; charset=utf-8"),
        ("/metrics", "text/plain; version=0.0.4"),
    ] {
        assert_eq!(app.get(path).await.header("content-type"), kind, "{path}");
    }
    assert_eq!(app.get("/healthz").await.text(), "ok\n");
    for path in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(
            app.get(path).await.header("cache-control"),
            "no-store",
            "{path}"
        );
    }
}

#[tokio::test]
async fn pages_may_load_and_run_nothing_of_others() {
    let app = service().await;
    for path in ["/", "/reviews/r-00001", "/insights", "/search", "/docs"] {
        let answer = app.get(path).await;
        let policy = answer.header("content-security-policy");
        let form = if path == "/docs" {
            "form-action 'none'"
        } else {
            "form-action 'self'"
        };
        for part in [
            "default-src 'none'",
            "base-uri 'none'",
            form,
            "frame-ancestors 'none'",
        ] {
            assert!(
                policy.split("; ").any(|given| given == part),
                "{path}: {part} is not in {policy}"
            );
        }
        // The page for trying out asks the service under its public name, which need not be the one
        // in the address bar.
        let asks = policy.replace("connect-src http: https:; ", "");
        assert_eq!(asks != policy, path == "/docs", "{path}: {policy}");
        assert!(
            !asks.contains("http") && !asks.contains('*'),
            "{path}: {policy}"
        );
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(answer.header("referrer-policy"), "no-referrer", "{path}");
    }
}

#[tokio::test]
async fn a_stopping_service_is_alive_but_not_ready() {
    let app = service().await;
    assert_eq!(app.get("/readyz").await.text(), "ready\n");
    app.app().ctx().drain();
    let answer = app.get("/readyz").await;
    assert_eq!(answer.status, 503);
    let wait: u64 = answer.header("retry-after").parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    assert_eq!(app.get("/healthz").await.status, 200);
    assert_eq!(
        app.get("/reviews.json").await.status,
        200,
        "what still comes is still answered"
    );
}

#[tokio::test]
async fn requests_are_counted_by_route_and_never_by_path() {
    let app = service().await;
    let _ = app.get("/api/reviews/since/2025-01-01").await;
    let _ = app.get("/api/reviews/very-secret-id").await;
    let _ = app.get("/a/path/of/nobodys").await;
    let figures = app.get("/metrics").await.text();
    let counts = |labels: &str| {
        figures
            .lines()
            .any(|line| line.starts_with(&format!("http_requests_total{{{labels}}} ")))
    };
    assert!(
        counts(r#"route="/api/reviews/since/:date",status="2xx""#),
        "{figures}"
    );
    assert!(
        counts(r#"route="/api/reviews/:id",status="4xx""#),
        "{figures}"
    );
    assert!(counts(r#"route="none",status="4xx""#), "{figures}");
    for secret in ["very-secret-id", "nobodys", "2025-01-01"] {
        assert!(!figures.contains(secret), "{secret} is a label");
    }
}
