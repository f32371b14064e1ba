//! The request log: the requests with a line, and its fields.

use poem::endpoint::make_sync;
use poem::http::Uri;
use poem::{Endpoint, Request};
use reviews_service::config::RequestLog;
use reviews_service::web::Routes;

use crate::support::{HOST, Logs, TestApp};

/// The value of a field of a line.
fn field<'a>(line: &'a str, name: &str) -> &'a str {
    let (_, rest) = line.split_once(&format!(" {name}=")).expect(line);
    rest.split(' ').next().unwrap().trim_matches('"')
}

#[tokio::test]
async fn the_setting_decides_on_the_lines_of_requests() {
    let search = "/api/reviews/search?limit=0&query=private";
    for (request_log, target, expected) in [
        (RequestLog::default(), "/nowhere", None),
        (RequestLog::Errors, "/healthz", None),
        (
            RequestLog::Errors,
            "/nowhere?query=private",
            Some(["404", "GET", "none", "/nowhere"]),
        ),
        (
            RequestLog::Errors,
            search,
            Some(["400", "GET", "/api/reviews/search", "/api/reviews/search"]),
        ),
        (
            RequestLog::All,
            "/healthz?query=private",
            Some(["200", "GET", "/healthz", "/healthz"]),
        ),
    ] {
        let (logs, _span) = Logs::begin();
        let app = TestApp::empty().await;
        let app = app.restart_with(|options| options.request_log = request_log);
        let answer = app.await.get(target).await;
        let lines = logs.with("request.answered");
        assert_eq!(lines.len(), usize::from(expected.is_some()), "{lines:?}");
        for line in &lines {
            let fields = ["status", "method", "route", "path"].map(|name| field(line, name));
            assert_eq!(Some(fields), expected);
            assert_eq!(field(line, "bytes"), answer.body.len().to_string());
            assert!(!line.contains("private"), "{line}");
        }
    }
}

#[tokio::test]
async fn a_panic_is_answered_500_and_logged() {
    let (logs, _span) = Logs::begin();
    let app = TestApp::empty().await;
    let panics = |_: Request| -> &'static str { panic!("on purpose") };
    let routes = Routes::default().get("/panics", make_sync(panics));
    let service = reviews_service::app::service(routes, &app.app().ctx);
    let request = Request::builder().uri(Uri::from_static("/panics?query=private"));
    let request = request.header("host", HOST);
    let response = service.endpoint.call(request.finish()).await.unwrap();
    assert_eq!(response.status(), 500);
    assert_eq!(response.content_type(), Some("application/problem+json"));
    assert_eq!(logs.with("request.panicked").len(), 1);
}
