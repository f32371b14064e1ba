//! Secrets of a run: values of the environment, the line that the entry's command prints, and an access token for Google's
//! credentials. They go to the origin of the entry's URL alone.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use percent_encoding::utf8_percent_encode;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, StatusCode};
use rustix::process::{Pid, Signal, kill_process_group};
use serde::Deserialize;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::process::Command;
use url::Url;
use url::form_urlencoded::Serializer;

use super::client::{RETRY_WAITS, check_scheme};
use super::error::SyncError;
use super::file::{COMMAND, Entry, Template};
use crate::clock::{Clock, Monotonic};
use crate::config::{read_file, variable};
use crate::http::read_body;
use crate::imports::{Mask, QUERY_VALUE};

const COMMAND_TIMEOUT: Duration = Duration::from_mins(1);
/// An OAuth token has at most a few KiB.
const LINE_BYTES_MAX: u64 = 64 << 10;
/// A token that ends within this time is renewed before the next request.
const RENEWED_BEFORE: Duration = Duration::from_mins(2);

/// The secrets that one run of an entry uses.
pub struct Secrets<'e> {
    clock: Clock,
    entry: &'e Entry,
    /// By the name of the variable.
    values: BTreeMap<String, String>,
    google: Option<Credentials>,
    /// Google's access token, and until when it can be used.
    token: Option<(String, Monotonic)>,
    pub mask: Mask,
}

impl<'e> Secrets<'e> {
    /// Reads the variables and files of an entry, and runs its command. Nothing is requested yet.
    ///
    /// # Errors
    /// If a variable is not set, the command fails, or Google's credentials cannot be read. The message has no value.
    pub async fn of(entry: &'e Entry, clock: &Clock) -> Result<Self, SyncError> {
        let (mut values, mut mask) = (BTreeMap::new(), Mask::default());
        let names = entry.templates().flat_map(Template::variables);
        for name in names {
            if values.contains_key(name) {
                continue;
            }
            let value = if name == COMMAND {
                let line = first_line(entry).await;
                line.map_err(|reason| SyncError::failed(format!("command: {reason}")))?
            } else {
                read_variable(name)?
            };
            mask.add(&value);
            values.insert(name.to_owned(), value);
        }
        let google = entry.google_credentials_file();
        let google = google.as_deref().map(Credentials::read).transpose();
        let google = google.map_err(|reason| google_fault(&reason))?;
        Ok(Self {
            clock: clock.clone(),
            entry,
            values,
            google,
            token: None,
            mask,
        })
    }

    /// The first page's URL.
    ///
    /// # Errors
    /// If it is no URL.
    pub fn url(&self) -> Result<Url, SyncError> {
        let filled = self.entry.url.fill(|before, name| {
            let value = self.value(name);
            if is_query_value(before) {
                utf8_percent_encode(value, QUERY_VALUE).to_string()
            } else {
                value.to_owned()
            }
        });
        let url: Result<Url, _> = filled.trim().parse();
        let mut url = url.map_err(|error| {
            SyncError::failed(format!(
                "the URL cannot be used ({error}); write it like https://HOST/PATH"
            ))
        })?;
        url.set_fragment(None);
        Ok(url)
    }

    fn value(&self, name: &str) -> &str {
        self.values.get(name).map_or("", String::as_str)
    }

    fn fill(&self, template: &Template) -> String {
        template.fill(|_, name| self.value(name).to_owned())
    }

    /// The headers of a request; a token that ends soon is renewed first.
    ///
    /// # Errors
    /// If Google gives no token, or a value is none of a header.
    pub async fn headers(&mut self, client: &Client) -> Result<HeaderMap, SyncError> {
        let mut headers = HeaderMap::new();
        for (name, value) in &self.entry.headers {
            headers.append(name, header_value(name, &self.fill(value))?);
        }
        if let Some(basic) = &self.entry.basic {
            let encoded = BASE64_STANDARD.encode(self.fill(basic));
            // A server may repeat the header.
            self.mask.add(&encoded);
            let value = header_value(&AUTHORIZATION, &format!("Basic {encoded}"))?;
            headers.insert(AUTHORIZATION, value);
        }
        if let Some(project) = self.google.as_ref().and_then(Credentials::quota_project) {
            headers.insert("x-goog-user-project", project);
        }
        if let Some(token) = self.google_token(client).await? {
            let value = header_value(&AUTHORIZATION, &format!("Bearer {token}"))?;
            headers.insert(AUTHORIZATION, value);
        }
        Ok(headers)
    }

    /// The access token, which is renewed before it ends; `None` without Google's credentials.
    async fn google_token(&mut self, client: &Client) -> Result<Option<String>, SyncError> {
        let Some(credentials) = &self.google else {
            return Ok(None);
        };
        let now = self.clock.monotonic();
        let usable = self
            .token
            .take()
            .filter(|(_, ends_at)| *ends_at - now > RENEWED_BEFORE);
        let (token, ends_at) = if let Some(usable) = usable {
            usable
        } else {
            let mut waits = RETRY_WAITS.into_iter();
            let (token, lifetime) = loop {
                let (reason, is_busy) = match credentials.access_token(client).await {
                    Ok(new) => break new,
                    Err(fault) => fault,
                };
                let Some(wait) = waits.next().filter(|_| is_busy) else {
                    return Err(google_fault(&reason));
                };
                self.clock.sleep(wait).await;
            };
            self.mask.add(&token);
            (token, now + lifetime)
        };
        self.token = Some((token.clone(), ends_at));
        Ok(Some(token))
    }
}

fn google_fault(reason: &str) -> SyncError {
    SyncError::failed(format!("google_credentials: {reason}"))
}

fn header_value(name: &HeaderName, text: &str) -> Result<HeaderValue, SyncError> {
    let mut value = HeaderValue::from_str(text).map_err(|_| {
        SyncError::failed(format!("the header {name} has a value that is not valid"))
    })?;
    value.set_sensitive(true);
    Ok(value)
}

/// The value of `${NAME}`.
fn read_variable(name: &str) -> Result<String, SyncError> {
    let value = variable(&format!("REVIEWS_SYNC_{name}")).map_err(|error| {
        SyncError::failed(format!("REVIEWS_SYNC_{name} cannot be read: {error}"))
    })?;
    value.ok_or_else(|| {
        SyncError::failed(format!(
            "REVIEWS_SYNC_{name} is not set, and ${{{name}}} is its value; set it in the environment of the service, for example in \
             /etc/reviews.env"
        ))
    })
}

/// Whether a URL's query value follows this beginning of a URL.
fn is_query_value(url: &str) -> bool {
    let query = url
        .split_once('?')
        .filter(|(before, _)| before.contains("://"));
    query.is_some_and(|(_, query)| {
        query
            .rsplit('&')
            .next()
            .is_some_and(|pair| pair.contains('='))
    })
}

/// Runs the command of an entry without a shell, and returns the first line that it prints.
async fn first_line(entry: &Entry) -> Result<String, String> {
    let program = entry.program().map_err(|error| error.to_string())?;
    let mut child = Command::new(program)
        .args(entry.command.iter().skip(1))
        .current_dir(entry.folder())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| {
            let reason = error.kind();
            format!(
                "the program of `command` cannot be started ({reason}); check its path and mode"
            )
        })?;
    let group = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    let output = async {
        let mut line = String::new();
        let mut output = child.stdout.take().map(BufReader::new);
        if let Some(output) = &mut output {
            let read = output.take(LINE_BYTES_MAX).read_line(&mut line).await;
            read.map_err(|error| format!("the command printed no text ({})", error.kind()))?;
            if line.len() as u64 == LINE_BYTES_MAX && !line.ends_with('\n') {
                return Err(format!(
                    "its first line has more than {LINE_BYTES_MAX} bytes"
                ));
            }
        }
        // What it prints besides is read, so that it can end, but not until the end of the output: a process that the command left may
        // keep that open.
        let rest = async {
            if let Some(output) = &mut output {
                let _ = tokio::io::copy(output, &mut tokio::io::sink()).await;
            }
            std::future::pending().await
        };
        let status = tokio::select! {
            status = child.wait() => status,
            never = rest => never,
        };
        let status = status.map_err(|error| format!("the command was lost ({})", error.kind()))?;
        if !status.success() {
            return Err(format!("the command failed ({status})"));
        }
        Ok(line.trim().to_owned())
    };
    let line = tokio::time::timeout(COMMAND_TIMEOUT, output).await;
    if let Some(group) = group {
        // What the command started and left would pile up with every run. An error means that nothing is left.
        let _ = kill_process_group(group, Signal::KILL);
    }
    let line = line.map_err(|_| {
        format!(
            "the command took longer than {} s",
            COMMAND_TIMEOUT.as_secs()
        )
    })?;
    let line = line.map_err(|reason| format!("{reason}; run it by hand to see why"))?;
    if line.is_empty() || line.contains(char::is_control) {
        return Err("the command did not print a line of text first".to_owned());
    }
    Ok(line)
}

// Access tokens for the API of Google Business Profile, by a file of credentials as Google's tools write it
// (`authorized_user`; RFC 6749 §6).

const TOKEN_URI: &str = "https://oauth2.googleapis.com/token";
/// A longer answer is none of a token server.
const ANSWER_BYTES_MAX: usize = 64 << 10;
/// If the server does not say how long a token lives; Google's live an hour.
const LIFETIME: Duration = Duration::from_hours(1);

#[derive(Deserialize)]
struct Credentials {
    #[serde(rename = "type")]
    kind: String,
    client_id: String,
    client_secret: String,
    refresh_token: String,
    token_uri: Option<String>,
    quota_project_id: Option<String>,
}

#[derive(Deserialize)]
struct TokenAnswer {
    access_token: Option<String>,
    expires_in: Option<u64>,
    error: Option<String>,
}

impl Credentials {
    /// # Errors
    /// What is wrong with the file, without its content.
    fn read(path: &Path) -> Result<Self, String> {
        let bytes = read_file(path)
            .map_err(|error| format!("the file cannot be read ({})", error.kind()))?;
        let kind: Result<Self, _> = serde_json::from_slice(&bytes);
        let credentials = kind.ok().filter(|it| it.kind == "authorized_user");
        credentials.ok_or_else(|| {
            "the file has no credentials of the type authorized_user (client_id, client_secret, refresh_token)".to_owned()
        })
    }

    /// The project whose quota is used, if it is not the client's.
    fn quota_project(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(self.quota_project_id.as_ref()?).ok()
    }

    /// A new token, and how long it can be used.
    ///
    /// # Errors
    /// What to do about it, and whether the server may give one in a moment.
    async fn access_token(&self, client: &Client) -> Result<(String, Duration), (String, bool)> {
        let fault = |reason: &str| (reason.to_owned(), false);
        let uri: Url = self
            .token_uri
            .as_deref()
            .unwrap_or(TOKEN_URI)
            .parse()
            .map_err(|_| fault("the file's token_uri is no URL"))?;
        check_scheme(&uri, false)
            .map_err(|_| fault("the file's token_uri begins with another scheme than https"))?;
        let form = Serializer::new(String::new())
            .append_pair("grant_type", "refresh_token")
            .append_pair("client_id", &self.client_id)
            .append_pair("client_secret", &self.client_secret)
            .append_pair("refresh_token", &self.refresh_token)
            .finish();
        let post = client
            .post(uri)
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form);
        let unreachable = |is_busy| ("the token server cannot be reached".to_owned(), is_busy);
        let response = post.send().await;
        let response = response.map_err(|error| unreachable(error.is_timeout()))?;
        let status = response.status();
        let body = read_body(response, ANSWER_BYTES_MAX).await;
        let body = body.map_err(|_| unreachable(false))?;
        let answer: Option<TokenAnswer> = serde_json::from_slice(&body).ok();
        let error = answer.as_ref().and_then(|answer| answer.error.as_deref());
        match (
            error,
            answer
                .as_ref()
                .and_then(|answer| answer.access_token.clone()),
        ) {
            (None, Some(token)) if status.is_success() && !token.is_empty() => {
                let lifetime = answer.and_then(|answer| answer.expires_in);
                Ok((token, lifetime.map_or(LIFETIME, Duration::from_secs)))
            }
            (Some("invalid_grant"), _) => Err(fault(
                "Google no longer accepts the refresh token; get a new one and write it into the file (of a client in testing it ends \
                 after seven days; publish the client): docs/guides/google-business-profile.md",
            )),
            (Some("invalid_client" | "unauthorized_client"), _) => Err(fault(
                "Google does not accept the client; compare client_id and client_secret in the file with those in Google's console",
            )),
            _ => {
                let is_busy = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
                let status = status.as_u16();
                Err((
                    format!("the token server gave no token (status {status})"),
                    is_busy,
                ))
            }
        }
    }
}
