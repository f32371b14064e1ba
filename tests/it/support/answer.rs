//! A complete answer, and checks that apply to every answer.

use chrono::DateTime;
use poem::Response;
use poem::http::{HeaderMap, Method, StatusCode};
use serde_json::Value;

use super::tools::{array_of, str_of};

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
        let date = parts.headers.remove("date");
        Self {
            status: parts.status.as_u16(),
            headers: parts.headers,
            date: date.map(|date| date.to_str().unwrap().to_owned()),
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
        let reviews = array_of(&json["reviews"]).iter();
        reviews
            .map(|review| str_of(&review["id"]).to_owned())
            .collect()
    }

    pub(super) fn check_guarantees(&self, method: &Method, target: &str) {
        let place = format!("{method} {target}");
        for name in self.headers.keys() {
            let is_known = KNOWN.split(' ').any(|known| known == name.as_str());
            assert!(is_known, "{place}: unexpected header {name}");
        }
        self.check_header("access-control-allow-origin", "*", &place);
        self.check_header("x-content-type-options", "nosniff", &place);
        let status = StatusCode::from_u16(self.status).unwrap();
        if status.is_client_error() || status.is_server_error() {
            self.check_header("cache-control", "no-store", &place);
            if target.starts_with("/api/websub/hub") {
                // The hub's errors are one line of text (WebSub §5.1.2).
                self.check_header("content-type", "text/plain; charset=utf-8", &place);
                let lines = self.text().lines().count();
                assert!(*method == Method::HEAD || lines == 1, "{place}");
            } else if target == "/mcp" && self.header("content-type") == "application/json" {
                self.check_message();
            } else {
                self.check_problem(method, &place);
            }
        }
        let (is_head, length) = (*method == Method::HEAD, self.body.len());
        if self.status == 200 && !is_head && self.headers.contains_key("content-length") {
            self.check_header("content-length", &length.to_string(), &place);
        }
        if self.status == 304 || self.status == 204 || is_head && self.status == 200 {
            assert!(self.body.is_empty(), "{place}: a body");
        }
        self.check_caching(target, &place);
    }

    /// Checks the value of a header field.
    fn check_header(&self, name: &str, value: &str, place: &str) {
        assert_eq!(self.header(name), value, "{place}: {name}");
    }

    /// Checks `Last-Modified`, `ETag` and `Cache-Control`.
    fn check_caching(&self, target: &str, place: &str) {
        if self.headers.contains_key("last-modified") {
            let instant = |text: &str| DateTime::parse_from_rfc2822(text).unwrap();
            let date = self.date.as_deref().expect(place);
            let modified = self.header("last-modified");
            assert!(instant(modified) <= instant(date), "{place}: {modified}");
        }
        if self.status == 200 && self.headers.contains_key("etag") {
            assert!(self.header("etag").starts_with('"'), "{place}: a weak tag");
            self.check_header("vary", "Accept-Encoding", place);
            let exposed = self.header("access-control-expose-headers");
            assert!(exposed.contains("ETag"), "{place}: {exposed}");
            // A file with its digest in its name never changes.
            let cacheable = if target.starts_with("/assets/") {
                "public, max-age=31536000, immutable"
            } else {
                "max-age=60, stale-while-revalidate=600, stale-if-error=86400"
            };
            self.check_header("cache-control", cacheable, place);
        }
    }

    fn check_problem(&self, method: &Method, place: &str) {
        // Browsers get a page, and so does every invalid request of the search form.
        if self.header("content-type") == "text/html; charset=utf-8" {
            let policy = self.header("content-security-policy");
            assert!(policy.starts_with("default-src 'none'"), "{place}");
            return;
        }
        self.check_header("content-type", "application/problem+json", place);
        if *method == Method::HEAD {
            return;
        }
        let problem = self.json();
        assert_eq!(problem["status"], self.status, "{place}");
        for member in ["type", "title", "detail"] {
            assert!(!str_of(&problem[member]).is_empty(), "{place}: {problem}");
        }
        let detail = str_of(&problem["detail"]).to_lowercase();
        for inside in ["/tmp", "select ", "review_"] {
            assert!(!detail.contains(inside), "{detail}");
        }
    }

    /// Errors of messages that reached JSON-RPC are JSON-RPC errors.
    fn check_message(&self) {
        let message = self.json();
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        let error = &message["error"];
        assert!(
            error["code"].is_i64() && error["message"].is_string(),
            "{message}"
        );
    }

    pub fn check_repeats(&self, first: &Self, target: &str) {
        assert_eq!(self.status, 304, "{target}: a repeated request");
        assert!(self.body.is_empty(), "{target}: a 304 with a body");
        for (name, value) in &first.headers {
            let of_body = ["content-type", "content-length", "content-encoding"];
            if !of_body.contains(&name.as_str()) {
                let repeated = self.headers.get(name);
                assert_eq!(repeated, Some(value), "{target}: the 304's {name}");
            }
        }
    }
}
