//! The request log: the requests with a line, and its fields.

use poem::endpoint::make_sync;
use poem::http::Uri;
use poem::{Endpoint, Request};
use reviews_service::config::RequestLog;
use reviews_service::web::Routes;

use super::service;
use crate::support::{HOST, Logs};

/// The value of a field of a line.
fn field<'a>(line: &'a str, name: &str) -> &'a str {
    let (_, rest) = line.split_once(&format!(" {name}=")).expect(line);
    rest.split(' ').next().unwrap().trim_matches('"')
}

#[tokio::test]
async fn by_default_no_request_is_logged() {
    let (logs, _span) = Logs::begin();
    let app = service().await;
    for path in ["/reviews.json", "/nowhere", "/api/reviews/search?limit=0"] {
        app.get(path).await;
    }
    assert_eq!(logs.with("request."), [] as [&str; 0]);
}

#[tokio::test]
async fn with_errors_each_error_has_a_line() {
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
    let search = "/api/reviews/search";
    for (answer, line, expected) in [
        (&missing, of_missing, ["404", "GET", "none", "/nowhere"]),
        (&wrong, of_wrong, ["400", "GET", search, search]),
    ] {
        let fields = ["status", "method", "route", "path"].map(|name| field(line, name));
        assert_eq!(fields, expected);
        assert_eq!(field(line, "bytes"), answer.body.len().to_string());
        assert!(field(line, "duration_ms").parse::<f64>().unwrap() >= 0.0);
        assert!(!line.contains("private"), "{line}");
    }
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
    let bytes = full.body.len().to_string();
    for (line, expected) in [
        (first, ["/reviews.json", "200", &bytes]),
        (unchanged, ["/reviews.json", "304", "0"]),
    ] {
        let fields = ["route", "status", "bytes"].map(|name| field(line, name));
        assert_eq!(fields, expected);
    }
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
    let line = logs.with("request.failed").concat();
    let fields = ["route", "status"].map(|name| field(&line, name));
    assert_eq!(fields, ["/panics", "500"]);
    assert!(!line.contains("private"), "{line}");
}
