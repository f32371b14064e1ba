//! The request log: the requests with a line, its fields, and its ID in error documents.

use std::sync::Arc;

use poem::endpoint::make_sync;
use poem::http::Uri;
use poem::{Endpoint, Request};
use reviews_service::app::{ResponsePolicy, RouteTable};
use reviews_service::config::{Nets, RequestLog};
use reviews_service::web::Route;
use serde_json::Value;

use super::service;
use crate::support::Logs;

/// The value of a field of a line.
fn field<'a>(line: &'a str, name: &str) -> &'a str {
    let (_, rest) = line
        .split_once(&format!(" {name}="))
        .unwrap_or_else(|| panic!("no {name}: {line}"));
    rest.split(' ').next().unwrap().trim_matches('"')
}

#[tokio::test]
async fn by_default_no_request_is_logged_and_errors_have_no_id() {
    let (logs, _span) = Logs::begin();
    let app = service().await;
    for path in ["/reviews.json", "/nowhere", "/api/reviews/search?limit=0"] {
        let answer = app.get(path).await;
        assert!(!answer.text().contains("\"instance\""), "{path}");
    }
    assert_eq!(logs.with("request."), [] as [&str; 0]);
}

#[tokio::test]
async fn with_errors_each_error_has_a_line_with_the_id_of_its_document() {
    let (logs, _span) = Logs::begin();
    let app = service().await;
    app.app().ctx.request_log.set(RequestLog::Errors).unwrap();
    app.get("/reviews.json").await;
    let missing = app.get("/nowhere?query=private").await;
    let wrong = app.get("/api/reviews/search?limit=0&query=private").await;
    let lines = logs.with("request.answered");
    let [of_missing, of_wrong] = &lines[..] else {
        panic!("{lines:?}")
    };
    for (answer, line, status, route, path) in [
        (&missing, of_missing, "404", "none", "/nowhere"),
        (
            &wrong,
            of_wrong,
            "400",
            "/api/reviews/search",
            "/api/reviews/search",
        ),
    ] {
        assert_eq!(
            (field(line, "status"), field(line, "method")),
            (status, "GET")
        );
        assert_eq!((field(line, "route"), field(line, "path")), (route, path));
        let document: Value = serde_json::from_slice(&answer.body).unwrap();
        let id = document["instance"].as_str().unwrap();
        assert!(id.starts_with("urn:uuid:") && id.len() == 45, "{id}");
        assert_eq!(field(line, "request_id"), id);
        assert_eq!(field(line, "bytes"), answer.body.len().to_string());
        assert!(field(line, "duration_ms").parse::<f64>().unwrap() >= 0.0);
        assert!(!line.contains("private"), "{line}");
    }
    assert_ne!(
        field(of_missing, "request_id"),
        field(of_wrong, "request_id")
    );
}

#[tokio::test]
async fn with_all_ready_answers_have_a_line_too() {
    let (logs, _span) = Logs::begin();
    let app = service().await;
    app.app().ctx.request_log.set(RequestLog::All).unwrap();
    let full = app.get("/reviews.json").await;
    let uri = Uri::from_static("/reviews.json");
    let headers = poem::http::HeaderMap::new();
    let endpoint = &app.app().endpoint;
    let at_hand = endpoint.at_hand(&poem::http::Method::GET, &uri, &headers);
    let body = at_hand
        .expect("it is ready")
        .into_body()
        .into_vec()
        .await
        .unwrap();
    assert_eq!(body.len(), full.body.len());
    let long = format!("/{}", "x".repeat(2_000));
    app.get(&long).await;
    let lines = logs.with("request.answered");
    // The first target was requested again with its ETag.
    let [first, unchanged, at_hand, of_long] = &lines[..] else {
        panic!("{lines:?}")
    };
    for line in [first, at_hand] {
        assert_eq!(
            (field(line, "route"), field(line, "status")),
            ("/reviews.json", "200")
        );
        assert_eq!(field(line, "bytes"), full.body.len().to_string());
        assert!(field(line, "request_id").starts_with("urn:uuid:"));
    }
    assert_eq!(
        (field(unchanged, "status"), field(unchanged, "bytes")),
        ("304", "0")
    );
    assert_eq!(field(of_long, "path").len(), 256);
}

#[tokio::test]
async fn an_internal_error_is_always_logged() {
    let (logs, _span) = Logs::begin();
    let app = service().await;
    let panics = |_: Request| -> &'static str { panic!("on purpose") };
    let route = Route::new("/panics").get(None, make_sync(panics));
    let policy = ResponsePolicy {
        routes: Arc::new(RouteTable::new(vec![route])),
        ctx: Arc::clone(&app.app().ctx),
        trusted_proxies: Nets::default(),
    };
    let request = Request::builder().uri(Uri::from_static("/panics?query=private"));
    let response = policy.call(request.finish()).await.unwrap();
    assert_eq!(response.status(), 500);
    let document: Value = response.into_body().into_json().await.unwrap();
    let lines = logs.with("request.failed");
    let [line] = &lines[..] else {
        panic!("{lines:?}")
    };
    assert_eq!(
        field(line, "request_id"),
        document["instance"].as_str().unwrap()
    );
    assert_eq!(
        (field(line, "route"), field(line, "status")),
        ("/panics", "500")
    );
    assert!(!line.contains("private"), "{line}");
}
