//! The request log: the requests with a line, its fields, and its ID in error documents.

use poem::endpoint::make_sync;
use poem::http::Uri;
use poem::{Endpoint, Request};
use reviews_service::config::RequestLog;
use reviews_service::web::Routes;
use serde_json::Value;

use super::service;
use crate::support::{HOST, Logs, str_of};

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
async fn with_errors_each_error_has_a_line_with_the_document_id() {
    let (logs, _span) = Logs::begin();
    let app = service().await;
    let app = app
        .restart_with(|options| options.request_log = RequestLog::Errors)
        .await;
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
        let id = str_of(&document["instance"]);
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
async fn with_all_every_request_has_a_line() {
    let (logs, _span) = Logs::begin();
    let app = service().await;
    let app = app
        .restart_with(|options| options.request_log = RequestLog::All)
        .await;
    let full = app.get("/reviews.json").await;
    let long = format!("/{}", "x".repeat(2_000));
    app.get(&long).await;
    let lines = logs.with("request.answered");
    // The first target was requested again with its ETag.
    let [first, unchanged, of_long] = &lines[..] else {
        panic!("{lines:?}")
    };
    assert_eq!(
        (field(first, "route"), field(first, "status")),
        ("/reviews.json", "200")
    );
    assert_eq!(field(first, "bytes"), full.body.len().to_string());
    assert!(field(first, "request_id").starts_with("urn:uuid:"));
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
    let routes = Routes::default().get("/panics", make_sync(panics));
    let list = routes.list.clone();
    let service = reviews_service::app::service(list, routes.into_endpoint(), &app.app().ctx);
    let request = Request::builder().uri(Uri::from_static("/panics?query=private"));
    let request = request.header("host", HOST);
    let response = service.endpoint.call(request.finish()).await.unwrap();
    assert_eq!(response.status(), 500);
    let document: Value = response.into_body().into_json().await.unwrap();
    let lines = logs.with("request.failed");
    let [line] = &lines[..] else {
        panic!("{lines:?}")
    };
    assert_eq!(field(line, "request_id"), str_of(&document["instance"]));
    assert_eq!(
        (field(line, "route"), field(line, "status")),
        ("/panics", "500")
    );
    assert!(!line.contains("private"), "{line}");
}
