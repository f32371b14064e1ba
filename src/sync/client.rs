//! Requests to sources: HTTPS, redirects that carry no secret to another origin, retries, and limits of time and size. The
//! addresses are the owner's, so this is not the hub's guarded client. An answer with status 200 may be an error all the same.

use std::net::SocketAddr;
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, Response, StatusCode};
use serde_json::{Map, Value};
use url::Url;

use super::secret::{Secrets, SyncError};
use crate::clock::Clock;
use crate::config::{SyncConfig, client_builder, read_file};
use crate::links::{is_local, special_use};

const USER_AGENT: &str = concat!("reviews-service/", env!("CARGO_PKG_VERSION"), " (sync)");
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// For one request, its body included.
const REQUEST_TIMEOUT: Duration = Duration::from_mins(1);
const REDIRECTS_MAX: usize = 5;
/// Waits before the second, third and fourth attempt, unless the server names another.
const RETRY_WAITS: [Duration; 3] = [
    Duration::from_secs(1),
    Duration::from_secs(4),
    Duration::from_secs(15),
];
/// A longer `Retry-After` ends the run.
const RETRY_AFTER_MAX: Duration = Duration::from_mins(2);
const NO_HTTPS: &str = "the server does not speak HTTPS there; check scheme and port";
/// Faults in the words of the library, and what to do.
const TLS_ADVICE: [(&str, &str); 3] = [
    (
        "CaUsedAsEndEntity",
        "the server's certificate is that of an authority (CA:TRUE); make one for the server with CA:FALSE",
    ),
    ("InvalidContentType", NO_HTTPS),
    ("tls handshake eof", NO_HTTPS),
];
/// Larger than any list of root certificates.
const CA_FILE_MIB_MAX: u64 = 16;

/// What is sent to a source.
pub struct PageRequest<'r> {
    pub url: Url,
    /// Whether `http://` of other machines is fetched.
    pub allows_http: bool,
    /// Sent to the source's own origin only.
    pub headers: &'r HeaderMap,
    pub secrets: &'r Secrets,
    pub bytes_max: u64,
}

/// An answer that is not to be retried.
#[derive(Debug)]
pub struct Page {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

pub struct SourceClient {
    client: Client,
    clock: Clock,
}

impl SourceClient {
    /// # Errors
    /// If the configured roots cannot be read.
    pub fn new(config: &SyncConfig, clock: &Clock) -> Result<Self, SyncError> {
        let mut roots = Vec::new();
        if let Some(path) = &config.sync_ca_file {
            let fault = |reason: String| {
                SyncError::failed(format!(
                    "REVIEWS_SYNC_CA_FILE {}: {reason}; name a readable PEM file",
                    path.display()
                ))
            };
            let pem = read_file(path, CA_FILE_MIB_MAX).map_err(|error| fault(error.to_string()))?;
            roots = Certificate::from_pem_bundle(&pem).map_err(|error| fault(error.to_string()))?;
        }
        let client = client_builder()
            .tls_certs_merge(roots)
            .user_agent(USER_AGENT)
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(REQUEST_TIMEOUT)
            .build();
        let client =
            client.map_err(|error| SyncError::failed(format!("TLS cannot be set up: {error}")))?;
        let clock = clock.clone();
        Ok(Self { client, clock })
    }

    /// Gets a page; a time-out, 429 and 5xx are tried again.
    ///
    /// # Errors
    /// Without an answer, after the last attempt, and if the server wants a long wait.
    pub async fn get(&self, request: &PageRequest<'_>) -> Result<Page, SyncError> {
        let mut waits = RETRY_WAITS.into_iter();
        loop {
            let (error, retry_after) = match self.follow(request).await {
                Ok(page) if page.is_busy() => {
                    let field = page.headers.get(RETRY_AFTER);
                    let field = field.and_then(|field| field.to_str().ok());
                    let retry_after = field.and_then(|field| self.clock.retry_after(field.trim()));
                    (page.fault(request.secrets), retry_after)
                }
                Err(SyncError::TimedOut) => (SyncError::TimedOut, None),
                answered => return answered,
            };
            if let Some(wait) = retry_after.filter(|wait| *wait > RETRY_AFTER_MAX) {
                let reason = error.to_string();
                return Err(SyncError::Busy { reason, wait });
            }
            let Some(wait) = waits.next() else {
                return Err(error);
            };
            let wait = retry_after.unwrap_or(wait);
            tracing::debug!(
                reason = %error,
                wait_ms = wait.as_millis(),
                "sync.retry: the request is sent again"
            );
            self.clock.sleep(wait).await;
        }
    }

    /// Sends a request and follows redirects; only the source's own origin gets the headers.
    async fn follow(&self, request: &PageRequest<'_>) -> Result<Page, SyncError> {
        let (mut url, mut is_own, mut is_public) = (request.url.clone(), true, false);
        check_scheme(&url, request.allows_http)?;
        for _ in 0..=REDIRECTS_MAX {
            let mut get = self.client.get(url.clone());
            if is_own {
                get = get.headers(request.headers.clone());
            }
            let sent = get.send().await;
            let response = sent.map_err(|error| failure_of(error, request.secrets))?;
            let is_redirect = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
            let location = response.headers().get(LOCATION).filter(|_| is_redirect);
            let Some(mut next) = location.and_then(|next| url.join(next.to_str().ok()?).ok())
            else {
                return read(response, request).await;
            };
            let refuse = |reason| SyncError::failed(format!("the server redirects {reason}"));
            if url.scheme() == "https" && next.scheme() != "https" {
                return Err(refuse("from https to another scheme"));
            }
            check_scheme(&next, request.allows_http)?;
            // By name, because a proxy may be the one that is connected to.
            is_public |= !has_private_address(&url).await;
            if is_public && has_private_address(&next).await {
                return Err(refuse("from a public to a private address"));
            }
            is_own &= next.origin() == request.url.origin();
            if is_own {
                // Credentials belong to the source, whatever address it redirects to.
                let (user, password) = (request.url.username(), request.url.password());
                let _ = (next.set_username(user)).and_then(|()| next.set_password(password));
            } else {
                next = without_secrets(next, request.secrets)?;
            }
            url = next;
        }
        Err(SyncError::failed(format!(
            "the server redirects more than {REDIRECTS_MAX} times"
        )))
    }
}

impl Page {
    fn is_busy(&self) -> bool {
        self.status == StatusCode::TOO_MANY_REQUESTS || self.status.is_server_error()
    }

    /// Status and content type.
    pub fn describe(&self) -> String {
        let kind = self.headers.get(CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok());
        format!(
            "status {}, {}",
            self.status,
            kind.unwrap_or("no content type")
        )
    }

    /// The failure of an answer: status, content type and the server's own words, without its rows.
    pub fn fault(&self, secrets: &Secrets) -> SyncError {
        let words = Answer::of(&self.body)
            .fault(|| false)
            .map_or_else(String::new, |words| format!(": {words}"));
        SyncError::Failed(cut(&secrets.remove(&(self.describe() + &words))))
    }
}

/// Refuses schemes other than `https`, and `http` of other machines unless that is allowed.
fn check_scheme(url: &Url, allows_http: bool) -> Result<(), SyncError> {
    match url.scheme() {
        "https" => Ok(()),
        "http" if allows_http || url.host().is_some_and(is_local) => Ok(()),
        "http" => Err(SyncError::failed(
            "http:// sends secrets and reviews in the clear; use https://, or add --allow-http",
        )),
        other => Err(SyncError::failed(format!(
            "{other}: is not fetched; write the URL like https://HOST/PATH"
        ))),
    }
}

/// A redirect to another origin without the parameters in which the server repeats a secret.
fn without_secrets(mut url: Url, secrets: &Secrets) -> Result<Url, SyncError> {
    url.set_fragment(None);
    let is_clean = |(name, value): &(String, String)| !secrets.is_in(name) && !secrets.is_in(value);
    let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
    if !pairs.iter().all(is_clean) {
        url.query_pairs_mut()
            .clear()
            .extend_pairs(pairs.iter().filter(|pair| is_clean(pair)));
    }
    if secrets.is_in(url.as_str()) {
        return Err(SyncError::failed(
            "the server redirects to another origin with a secret in the address",
        ));
    }
    Ok(url)
}

/// Reads the answer, at most as long as the import may be.
async fn read(mut response: Response, request: &PageRequest<'_>) -> Result<Page, SyncError> {
    let mut page = Page {
        status: response.status(),
        headers: response.headers().clone(),
        body: Vec::new(),
    };
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|error| failure_of(error, request.secrets))?
    {
        if (page.body.len() + chunk.len()) as u64 > request.bytes_max {
            return Err(SyncError::failed(
                "the answer is larger than the limit of an import",
            ));
        }
        page.body.extend_from_slice(&chunk);
    }
    Ok(page)
}

fn failure_of(error: reqwest::Error, secrets: &Secrets) -> SyncError {
    if error.is_timeout() {
        return SyncError::TimedOut;
    }
    let error = error.without_url();
    let cause = anyhow::Chain::new(&error).next_back();
    let words = cause.map(ToString::to_string).unwrap_or_default();
    let mut advice = TLS_ADVICE.into_iter();
    if let Some((_, advice)) = advice.find(|(fault, _)| words.contains(fault)) {
        return SyncError::failed(advice);
    }
    let step = if error.is_connect() {
        "cannot connect"
    } else {
        "the request failed"
    };
    SyncError::Failed(cut(&secrets.remove(&format!("{step}: {words}"))))
}

/// Whether one of the host's addresses is not public; a name that only a proxy knows is not.
async fn has_private_address(url: &Url) -> bool {
    let port = url.port_or_known_default().unwrap_or_default();
    let host = url.host_str().unwrap_or_default();
    let addresses = tokio::net::lookup_host(format!("{host}:{port}")).await;
    let is_special = |address: SocketAddr| special_use(address.ip().to_canonical()).is_some();
    addresses.is_ok_and(|mut addresses| addresses.any(is_special))
}

/// Characters of a server's words in a message.
const WORDS_MAX: usize = 200;
/// JSON values that say nothing.
const NOTHING: &str = "null false 0 \"\" [] {}";
/// Members that are an error unless they say nothing, without separators and in lower case.
const ERROR_MEMBERS: &str = "error errors errormessage errormsg exception fault";
/// Members that say what went wrong.
const WORD_MEMBERS: &str =
    "message error_message errorMessage error_description description detail title error code";
/// Where platforms have their list of reviews.
const LISTS: &str = "reviews response.reviews items data results";
/// Values of `status` beside an empty list that is one.
const SUCCEEDED: &str =
    "ok success succeeded successful complete completed done finished ready zero_results";
/// Values of `status` of a job that has not succeeded.
const UNFINISHED: &str =
    "pending running queued processing in_progress started failed failure error aborted";

/// The body of an answer.
#[derive(Debug)]
pub enum Answer<'a> {
    Json(Value),
    /// HTML or XML.
    Markup(&'a [u8]),
    /// A table, lines of JSON, an archive.
    Other(&'a [u8]),
}

impl<'a> Answer<'a> {
    pub fn of(body: &'a [u8]) -> Self {
        let body = body
            .strip_prefix(b"\xEF\xBB\xBF")
            .unwrap_or(body)
            .trim_ascii();
        if body.starts_with(b"<") {
            return Self::Markup(body);
        }
        serde_json::from_slice(body).map_or(Self::Other(body), Self::Json)
    }

    /// The rows of the answer if that is an array, or of the array at the first of `paths` that it has.
    pub fn rows(&self, paths: Option<&str>) -> Option<&Vec<Value>> {
        if let Self::Json(Value::Array(rows)) = self {
            return Some(rows);
        }
        let mut paths = paths?.split(", ");
        paths.find_map(|path| self.member(path))?.as_array()
    }

    /// Whether this is an object, in which the import has to find rows.
    pub const fn is_object(&self) -> bool {
        matches!(self, Self::Json(Value::Object(_)))
    }

    /// Whether this is an empty list of reviews.
    pub fn is_empty_list(&self) -> bool {
        let Self::Json(json) = self else { return false };
        let mut lists = LISTS.split(' ').filter_map(|path| member(json, path));
        is_empty(json) || lists.any(is_empty)
    }

    pub fn member(&self, path: &str) -> Option<&Value> {
        match self {
            Self::Json(json) => member(json, path),
            Self::Markup(_) | Self::Other(_) => None,
        }
    }

    /// What is wrong with the answer, if it is no list of reviews: the words of its error, or the title of its page. An
    /// object without a list is a row by itself if `is_row` knows it (JSON Lines with one line).
    pub fn fault(&self, is_row: impl FnOnce() -> bool) -> Option<String> {
        match self {
            Self::Json(Value::Object(members)) => {
                object_fault(members, self.is_empty_list(), is_row)
            }
            Self::Json(Value::Array(rows)) => {
                let row = rows.first()?.as_object()?;
                let error = find_error(row).filter(|_| !row.contains_key("rating"))?;
                Some(with_words("the answer is an error", Some(error), row))
            }
            Self::Json(value) => {
                let fault = "the answer is a single value";
                Some(with_words(fault, Some(value), &Map::new()))
            }
            Self::Markup(page) => page_fault(&String::from_utf8_lossy(page)),
            Self::Other(b"") => Some("the answer is empty".to_owned()),
            // A table has several columns; an archive is not text.
            Self::Other(text) if !text.iter().any(|byte| b",;\t|{".contains(byte)) => {
                let text = str::from_utf8(text).ok()?;
                Some(format!("the answer is a text without columns: {text}"))
            }
            Self::Other(_) => None,
        }
    }
}

/// The member at `path`, such as `response.pagination.total`.
pub fn member<'v>(json: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').try_fold(json, |json, name| json.get(name))
}

/// Whether this is a list without rows, which may be in groups.
fn is_empty(json: &Value) -> bool {
    json.as_array()
        .is_some_and(|list| list.iter().all(is_empty))
}

fn has_list(json: &Value) -> bool {
    json.is_array()
        || json
            .as_object()
            .is_some_and(|members| members.values().any(has_list))
}

fn object_fault(
    members: &Map<String, Value>,
    is_empty: bool,
    is_row: impl FnOnce() -> bool,
) -> Option<String> {
    // A row by itself may have a status or a message, too.
    if members.contains_key("rating") {
        return None;
    }
    // An empty list is one only if nothing beside it says otherwise.
    let mut within = members
        .values()
        .filter(|_| is_empty)
        .filter_map(Value::as_object);
    let error = find_error(members).or_else(|| within.find_map(find_error));
    let denies = |name| {
        members
            .get(name)
            .is_some_and(|value| *value == false || *value == 0)
    };
    let status = members.get("status").and_then(words_of).unwrap_or_default();
    let state = status.to_ascii_lowercase().replace([' ', '-'], "_");
    let number: Option<u16> = state.parse().ok();
    let is_unclear = is_empty && !state.is_empty() && !is_one_of(SUCCEEDED, &state);
    let fault = if members.is_empty() {
        "the answer is an empty object"
    } else if error.is_some() || denies("success") || denies("ok") {
        "the answer is an error"
    } else if is_one_of(UNFINISHED, &state)
        || number.map_or(is_unclear, |number| (400..600).contains(&number))
    {
        &format!("the answer has the status {status}")
    } else if !members.values().any(has_list) && !is_row() {
        "the answer has no list of reviews"
    } else {
        return None;
    };
    Some(with_words(fault, error, members))
}

fn is_one_of(list: &str, value: &str) -> bool {
    list.split(' ').any(|other| other == value)
}

/// The member that says that the answer is an error.
fn find_error(members: &Map<String, Value>) -> Option<&Value> {
    let says_error = |(name, value): &(&String, &Value)| {
        let name = name.replace(['_', '-'], "").to_ascii_lowercase();
        is_one_of(ERROR_MEMBERS, &name) && !is_one_of(NOTHING, &value.to_string())
    };
    members.iter().find(says_error).map(|(_, error)| error)
}

/// The fault with the server's words: those of `error`, or of the first member that has any.
fn with_words(fault: &str, error: Option<&Value>, members: &Map<String, Value>) -> String {
    let named = WORD_MEMBERS.split(' ').filter_map(|name| members.get(name));
    let words = error.into_iter().chain(named).find_map(words_of);
    words.map_or_else(|| fault.to_owned(), |words| format!("{fault}: {words}"))
}

/// The words of an error: a text, or a member of an object or of the first element of a list.
fn words_of(value: &Value) -> Option<String> {
    let value = value.get(0).unwrap_or(value);
    let member = WORD_MEMBERS.split(' ').find_map(|name| value.get(name));
    match member.unwrap_or(value) {
        Value::String(words) => Some(words.clone()).filter(|words| !words.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A page without reviews as structured data is a log-in page, a wall against bots or an error.
fn page_fault(page: &str) -> Option<String> {
    if page.contains("application/ld+json") && page.contains("Review\"") {
        return None;
    }
    // An error in XML has no title, but a message.
    let words = ["title", "message"]
        .iter()
        .find_map(|name| element(page, name));
    let words = words.unwrap_or("without a title");
    Some(format!(
        "the answer is a page without reviews as JSON-LD: {words}"
    ))
}

/// The text of the first element of that name, in any case; `None` if it has none.
fn element<'p>(page: &'p str, name: &str) -> Option<&'p str> {
    let (folded, begin) = (page.to_ascii_lowercase(), format!("<{name}"));
    let mut starts = folded.match_indices(&begin);
    let ends_name = |start: usize| folded[start + 1 + name.len()..].starts_with(['>', ' ', '\n']);
    let (start, _) = starts.find(|(start, _)| ends_name(*start))?;
    let (_, rest) = page[start..].split_once('>')?;
    let (text, _) = rest.split_once("</")?;
    Some(text.trim()).filter(|text| !text.is_empty())
}

/// Words of a server, in one line; secrets are removed before.
pub fn cut(words: &str) -> String {
    let line = words
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace(char::is_control, "");
    match line.char_indices().nth(WORDS_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_of_reviews_is_no_fault() {
        for body in [
            "[]",
            r#"{"reviews": []}"#,
            r#"{"error": null, "errors": [], "status": "Success", "data": [[]]}"#,
            r#"{"id": "1", "rating": 5, "status": "pending"}"#,
            "{\"id\": 1}\n{\"id\": 2}",
            "id,rating\n",
            r#"<html><script type="application/ld+json">{"@type": "Review"}</script></html>"#,
        ] {
            assert_eq!(Answer::of(body.as_bytes()).fault(|| false), None, "{body}");
        }
    }

    #[test]
    fn answer_without_a_list_is_a_fault_that_quotes_the_server() {
        for (body, words) in [
            ("", "empty"),
            (r#"{"id": "x", "status": "Pending"}"#, "status Pending"),
            ("{}", "an empty object"),
            (r#"{"message": "No access"}"#, "No access"),
            (
                r#"{"code": "rest_forbidden", "message": "Sorry, you cannot", "data": {"status": 401}}"#,
                "the answer has no list of reviews: Sorry, you cannot",
            ),
            (
                r#"{"status": 401, "reviews": []}"#,
                "the answer has the status 401",
            ),
            (r#"{"data": {"status": "RUNNING"}}"#, "no list of reviews"),
            (r#"[{"error": "bad token"}]"#, "bad token"),
            ("null", "a single value"),
            (
                r#"{"averageRating": 4.5, "totalReviewCount": 12}"#,
                "no list of reviews",
            ),
            (
                r#"{"reviews": [], "status": "Unauthorized"}"#,
                "the answer has the status Unauthorized",
            ),
            (r#"{"reviews": [], "ok": 0}"#, "an error"),
            (
                r#"{"meta": {"error": "no access"}, "reviews": []}"#,
                "no access",
            ),
            ("Unauthorized", "a text without columns: Unauthorized"),
            (
                r#"{"errors": [{"code": 4, "detail": "Bad id"}]}"#,
                "the answer is an error: Bad id",
            ),
            (
                r#"{"errorMessage": "Quota"}"#,
                "the answer is an error: Quota",
            ),
            (
                r#"{"success": false, "message": "Later", "rows": []}"#,
                "the answer is an error: Later",
            ),
            (
                r#"{"status": "In Progress", "data": []}"#,
                "the answer has the status In Progress",
            ),
            (
                "<html><titles>x</titles></html>",
                "as JSON-LD: without a title",
            ),
            (
                r#"<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"#,
                "Access Denied",
            ),
            ("<HTML><TITLE>Log In</TITLE></HTML>", "Log In"),
            (
                r#"<title>Our shop</title><script type="application/ld+json">{"@type": "Organization"}</script>"#,
                "Our shop",
            ),
        ] {
            let fault = Answer::of(body.as_bytes()).fault(|| false).unwrap();
            assert!(fault.contains(words), "{body}: {fault}");
        }
    }
}
