//! A complete answer, and checks that apply to every answer.

use chrono::DateTime;
use poem::Response;
use poem::http::{HeaderMap, Method, StatusCode};
use serde_json::Value;

/// Every header field that the service may send. Add a new one here, because clients may rely on it.
const KNOWN: &str = "access-control-allow-headers access-control-allow-methods access-control-allow-origin access-control-expose-headers \
    access-control-max-age allow cache-control content-encoding content-length content-security-policy content-type \
    cross-origin-resource-policy etag last-modified link mcp-session-id referrer-policy retry-after vary \
    x-content-type-options location";

pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    /// `Date`, if the service sets it. It is separate because it differs between equal answers.
    pub date: Option<String>,
    pub body: Vec<u8>,
}

impl Answer {
    /// Reads a response to its end.
    pub async fn read(response: Response) -> Self {
        let (mut parts, body) = response.into_parts();
        let body = body.into_vec().await.unwrap();
        let date = parts
            .headers
            .remove("date")
            .map(|date| date.to_str().unwrap().to_owned());
        Self {
            status: parts.status.as_u16(),
            headers: parts.headers,
            date,
            body,
        }
    }

    /// A header field's value, or "" if it is absent.
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    /// The IDs of the reviews in the answer, in order.
    pub fn ids(&self) -> Vec<String> {
        let json = self.json();
        let reviews = json["reviews"]
            .as_array()
            .unwrap_or_else(|| panic!("no reviews in {json}"));
        reviews
            .iter()
            .map(|review| review["id"].as_str().unwrap().to_owned())
            .collect()
    }

    pub(super) fn check_guarantees(&self, method: &Method, target: &str) {
        for name in self.headers.keys() {
            assert!(
                KNOWN.split(' ').any(|known| known == name.as_str()),
                "{method} {target}: unexpected header {name}"
            );
        }
        assert_eq!(
            self.header("access-control-allow-origin"),
            "*",
            "{method} {target}"
        );
        assert_eq!(
            self.header("x-content-type-options"),
            "nosniff",
            "{method} {target}"
        );
        let status = StatusCode::from_u16(self.status).unwrap();
        if status.is_client_error() || status.is_server_error() {
            if target.starts_with("/api/websub/hub") {
                self.check_line(method, target);
            } else if target == "/mcp" && self.header("content-type") == "application/json" {
                self.check_message();
            } else {
                self.check_problem(method, target);
            }
        }
        if self.status == 200
            && *method != Method::HEAD
            && self.headers.contains_key("content-length")
        {
            assert_eq!(
                self.header("content-length"),
                self.body.len().to_string(),
                "{method} {target}"
            );
        }
        if self.status == 304 || self.status == 204 || *method == Method::HEAD && self.status == 200
        {
            assert!(self.body.is_empty(), "{method} {target}: a body");
        }
        self.check_caching(method, target);
    }

    /// Checks `Last-Modified`, `ETag` and `Cache-Control`.
    fn check_caching(&self, method: &Method, target: &str) {
        if self.headers.contains_key("last-modified") {
            let instant = |text: &str| DateTime::parse_from_rfc2822(text).unwrap();
            let date = self
                .date
                .as_deref()
                .unwrap_or_else(|| panic!("{method} {target}: Last-Modified without Date"));
            assert!(
                instant(self.header("last-modified")) <= instant(date),
                "{method} {target}: Last-Modified is later than Date"
            );
        }
        if self.status == 200 && self.headers.contains_key("etag") {
            assert!(
                self.header("etag").starts_with('"'),
                "{method} {target}: a weak tag"
            );
            assert_eq!(self.header("vary"), "Accept-Encoding", "{method} {target}");
            // A file with its digest in its name never changes.
            let cacheable = if target.starts_with("/assets/") {
                "public, max-age=31536000, immutable"
            } else {
                "max-age=60, stale-while-revalidate=600, stale-if-error=86400"
            };
            assert_eq!(self.header("cache-control"), cacheable, "{method} {target}");
        }
    }

    fn check_problem(&self, method: &Method, target: &str) {
        // Browsers get a page, and so does every invalid request of the search form.
        if self.header("content-type") == "text/html; charset=utf-8" {
            assert_eq!(
                self.header("cache-control"),
                "no-store",
                "{method} {target}"
            );
            assert!(
                self.header("content-security-policy")
                    .starts_with("default-src 'none'"),
                "{method} {target}"
            );
            return;
        }
        assert_eq!(
            self.header("content-type"),
            "application/problem+json",
            "{method} {target}"
        );
        assert_eq!(
            self.header("cache-control"),
            "no-store",
            "{method} {target}"
        );
        if *method == Method::HEAD {
            return;
        }
        let problem = self.json();
        assert_eq!(problem["status"], self.status, "{method} {target}");
        for member in ["type", "title", "detail"] {
            assert!(
                problem[member]
                    .as_str()
                    .is_some_and(|text| !text.is_empty()),
                "{method} {target}: no {member} in {problem}"
            );
        }
        let told = problem["detail"].as_str().unwrap();
        assert!(
            !told.contains("/tmp")
                && !told.to_lowercase().contains("select ")
                && !told.contains("review_"),
            "{told}"
        );
    }

    /// Errors of messages that reached JSON-RPC are JSON-RPC errors.
    fn check_message(&self) {
        assert_eq!(self.header("cache-control"), "no-store");
        let message = self.json();
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        assert!(
            message["error"]["code"].is_i64() && message["error"]["message"].is_string(),
            "{message}"
        );
    }

    /// The hub's errors are one line of text (WebSub §5.1.2).
    fn check_line(&self, method: &Method, target: &str) {
        assert_eq!(
            self.header("content-type"),
            "text/plain; charset=utf-8",
            "{method} {target}"
        );
        assert_eq!(
            self.header("cache-control"),
            "no-store",
            "{method} {target}"
        );
        assert!(
            *method == Method::HEAD || self.text().lines().count() == 1,
            "{method} {target}"
        );
    }

    pub fn check_repeats(&self, first: &Self, target: &str) {
        assert_eq!(self.status, 304, "{target}: a repeated request");
        assert!(self.body.is_empty(), "{target}: a 304 with a body");
        for (name, value) in &first.headers {
            if !["content-type", "content-length", "content-encoding"].contains(&name.as_str()) {
                assert_eq!(
                    self.headers.get(name),
                    Some(value),
                    "{target}: the 304 lacks {name}"
                );
            }
        }
    }
}
