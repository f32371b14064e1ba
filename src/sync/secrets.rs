//! Secrets of a run. The operator's environment says which origin may have each, because anybody who may write the database may
//! write its rows. A `${NAME}` of a source is the value of `REVIEWS_SYNC_SECRET_<NAME>`, the line that the command in
//! `REVIEWS_SYNC_COMMAND_<NAME>` prints, or an access token for the credentials in `REVIEWS_SYNC_GOOGLE_<NAME>`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use percent_encoding::utf8_percent_encode;
use reqwest::Client;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use rustix::process::{Pid, Signal, kill_process_group};
use serde::Deserialize;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::process::Command;
use url::form_urlencoded::Serializer;
use url::{Origin, Url};

use super::client::check_scheme;
use super::source::{Source, SyncError, reference};
use crate::clock::{Clock, Monotonic};
use crate::config::{read_file, variable};
use crate::http::read_body;
use crate::imports::{Mask, QUERY_VALUE};

const SECRET: &str = "REVIEWS_SYNC_SECRET_";
const COMMAND: &str = "REVIEWS_SYNC_COMMAND_";
const GOOGLE: &str = "REVIEWS_SYNC_GOOGLE_";
const COMMAND_TIMEOUT: Duration = Duration::from_mins(1);
/// An OAuth token has at most a few KiB.
const LINE_BYTES_MAX: u64 = 64 << 10;
/// A token that ends within this time is renewed before the next request.
const RENEWED_BEFORE: Duration = Duration::from_mins(2);

/// Where a value comes from.
enum Kind {
    Value(String),
    Command(Vec<String>),
    Google(Box<Credentials>),
}

struct EnvironmentSecret {
    /// The variable that defines it.
    variable: String,
    origin: Origin,
    kind: Kind,
    /// Once it is known, and until when it can be used.
    value: Option<(String, Option<Monotonic>)>,
}

/// The secrets that one run of a source uses.
pub struct Secrets {
    clock: Clock,
    by_name: BTreeMap<String, EnvironmentSecret>,
    pub mask: Mask,
}

impl Secrets {
    /// Reads the variables of every `${NAME}` of a source. No command is run yet, and nothing is requested.
    ///
    /// # Errors
    /// If one is not set or is written wrongly. The message names the variable, never its value.
    pub fn of(source: &Source, clock: &Clock) -> Result<Self, SyncError> {
        let mut by_name = BTreeMap::new();
        for template in source.templates() {
            let mut rest = template;
            while let Some((_, name, after)) = reference(rest) {
                if !by_name.contains_key(name) {
                    by_name.insert(name.to_owned(), EnvironmentSecret::read(name)?);
                }
                rest = after;
            }
        }
        Ok(Self {
            clock: clock.clone(),
            by_name,
            mask: Mask::default(),
        })
    }

    /// The first page's URL, with `USER:PASSWORD` if there are any.
    ///
    /// # Errors
    /// As [`Secrets::headers`], if the URL cannot be used, and if a secret belongs to another origin.
    pub async fn url(&mut self, source: &Source, client: &Client) -> Result<Url, SyncError> {
        self.renew(client).await?;
        let mut url = parse_url(&self.fill(&source.row.url)?)?;
        if let Some(basic) = &source.options.basic {
            let basic = self.fill(basic)?;
            let (user, password) = basic.split_once(':').unwrap_or((&basic, ""));
            // A URL without a host takes no credentials, and is refused when it is fetched.
            let _ = (url.set_username(user)).and_then(|()| url.set_password(Some(password)));
            // A server may repeat the header.
            self.mask.add(&BASE64_STANDARD.encode(&basic));
        }
        self.verify_origin(&url)?;
        Ok(url)
    }

    /// The headers of a request; a token that ends soon is renewed first.
    ///
    /// # Errors
    /// If a command fails, Google gives no token, or a header is invalid.
    pub async fn headers(
        &mut self,
        source: &Source,
        client: &Client,
    ) -> Result<HeaderMap, SyncError> {
        self.renew(client).await?;
        let mut headers = HeaderMap::new();
        for (name, value) in &source.options.headers {
            let value = HeaderValue::from_str(&self.fill(value)?).ok();
            let pair = value.zip(HeaderName::from_bytes(name.as_bytes()).ok());
            let (mut value, name) = pair.ok_or_else(|| {
                SyncError::failed(format!("the header {name} has an invalid value"))
            })?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        for secret in self.by_name.values() {
            if let Kind::Google(credentials) = &secret.kind
                && let Some(project) = credentials.quota_project()
            {
                headers.insert("x-goog-user-project", project);
            }
        }
        Ok(headers)
    }

    /// Gets the values that are not known yet or end soon.
    async fn renew(&mut self, client: &Client) -> Result<(), SyncError> {
        let now = self.clock.monotonic();
        for secret in self.by_name.values_mut() {
            let is_usable = |ends_at: &Option<Monotonic>| {
                ends_at.is_none_or(|ends_at| ends_at - now > RENEWED_BEFORE)
            };
            if (secret.value.as_ref()).is_some_and(|(_, ends_at)| is_usable(ends_at)) {
                continue;
            }
            let fault = |reason| SyncError::failed(format!("{}: {reason}", secret.variable));
            let value = match &secret.kind {
                Kind::Value(value) => (value.clone(), None),
                Kind::Command(words) => (first_line(words).await.map_err(fault)?, None),
                Kind::Google(credentials) => {
                    let token = credentials.access_token(client).await;
                    let (token, lifetime) = token.map_err(fault)?;
                    (token, Some(now + lifetime))
                }
            };
            self.mask.add(&value.0);
            secret.value = Some(value);
        }
        Ok(())
    }

    /// The text with the values of its `${NAME}`, percent-encoded in the values of a URL's query.
    fn fill(&self, template: &str) -> Result<String, SyncError> {
        let (mut filled, mut rest) = (String::new(), template);
        while let Some((before, name, after)) = reference(rest) {
            filled.push_str(before);
            let secret = self.by_name.get(name);
            let value = secret.and_then(|secret| secret.value.as_ref());
            let (value, _) = value.ok_or_else(|| unset(name))?;
            if is_query_value(&filled) {
                filled.extend(utf8_percent_encode(value, QUERY_VALUE));
            } else {
                filled.push_str(value);
            }
            rest = after;
        }
        filled.push_str(rest);
        Ok(filled)
    }

    fn verify_origin(&self, url: &Url) -> Result<(), SyncError> {
        let mut secrets = self.by_name.values();
        match secrets.find(|secret| secret.origin != url.origin()) {
            None => Ok(()),
            Some(EnvironmentSecret { variable, .. }) => Err(SyncError::failed(format!(
                "{variable} belongs to another origin than this request's, so it is not sent; the first word of the variable is the \
                 origin (scheme, host, port) that may have it"
            ))),
        }
    }
}

impl EnvironmentSecret {
    fn read(name: &str) -> Result<Self, SyncError> {
        if name.is_empty()
            || !name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        {
            return Err(SyncError::failed(
                "a secret is written ${NAME}, and NAME has letters, digits and _",
            ));
        }
        let mut found = Vec::new();
        for prefix in [SECRET, COMMAND, GOOGLE] {
            let variable_name = format!("{prefix}{name}");
            let value = variable(&variable_name).map_err(|error| {
                SyncError::failed(format!("{variable_name} cannot be read: {error}"))
            })?;
            found.extend(value.map(|value| (prefix, variable_name, value)));
        }
        match found.as_slice() {
            [] => Err(unset(name)),
            [(prefix, variable, value)] => Self::parse(prefix, variable, value.trim())
                .map_err(|reason| SyncError::failed(format!("{variable} {reason}"))),
            [(_, first, _), (_, second, _), ..] => Err(SyncError::failed(format!(
                "{first} and {second} are both set; keep one"
            ))),
        }
    }

    fn parse(prefix: &str, variable: &str, text: &str) -> Result<Self, String> {
        let fault = |words| format!("is not written like {words}");
        let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        let (origin, kind) = match prefix {
            SECRET if rest.is_empty() => {
                let url = first.parse::<Url>().ok();
                // The URL itself is the secret.
                let url = url.filter(|url| url.has_host() && !is_origin(url));
                let url =
                    url.ok_or_else(|| fault("'https://api.example.net abc': ORIGIN VALUE"))?;
                (url.origin(), Kind::Value(first.to_owned()))
            }
            SECRET => {
                let origin = parse_origin(first);
                let origin =
                    origin.ok_or_else(|| fault("'https://api.example.net abc': ORIGIN VALUE"))?;
                (origin, Kind::Value(rest.to_owned()))
            }
            COMMAND => {
                let words = shlex::split(rest).filter(|words| !words.is_empty());
                let pair = parse_origin(first).zip(words);
                let pair = pair.ok_or_else(|| {
                    fault("'https://api.example.net print-token': ORIGIN COMMAND")
                })?;
                (pair.0, Kind::Command(pair.1))
            }
            _ => {
                let last = text.rsplit_once(char::is_whitespace);
                let last = last.and_then(|(file, last)| Some((file.trim(), parse_origin(last)?)));
                let (file, origin) = match last {
                    Some(pair) => pair,
                    None => (text, Credentials::origin()),
                };
                (origin, Kind::Google(Box::new(Credentials::read(file)?)))
            }
        };
        Ok(Self {
            variable: variable.to_owned(),
            origin,
            kind,
            value: None,
        })
    }
}

fn unset(name: &str) -> SyncError {
    SyncError::failed(format!(
        "${{{name}}} has no value; set {SECRET}{name}='ORIGIN VALUE' in the environment of the service, for example in \
         /etc/reviews.env; ORIGIN is the one that may have it, such as https://api.example.net"
    ))
}

fn parse_url(text: &str) -> Result<Url, SyncError> {
    let url: Result<Url, _> = text.trim().parse();
    let mut url = url.map_err(|error| {
        SyncError::failed(format!(
            "the URL cannot be used ({error}); write it like https://HOST/PATH"
        ))
    })?;
    url.set_fragment(None);
    Ok(url)
}

/// Whether a URL is only scheme, host and port.
fn is_origin(url: &Url) -> bool {
    url.path() == "/" && url.query().is_none() && url.username().is_empty()
}

fn parse_origin(text: &str) -> Option<Origin> {
    let url: Url = text.parse().ok()?;
    (url.has_host() && is_origin(&url)).then(|| url.origin())
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

/// Runs a command without a shell, and returns the first line that it prints.
async fn first_line(words: &[String]) -> Result<String, String> {
    let [program, arguments @ ..] = words else {
        return Err("the command is empty".to_owned());
    };
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| format!("the command cannot be started ({})", error.kind()))?;
    let group = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    let output = async {
        let mut line = String::new();
        let mut output = child.stdout.take().map(BufReader::new);
        if let Some(output) = &mut output {
            let read = output.take(LINE_BYTES_MAX).read_line(&mut line).await;
            read.map_err(|error| format!("the command printed no text ({})", error.kind()))?;
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

/// Where the token is sent unless the operator names another origin.
const API: &str = "https://mybusiness.googleapis.com";
const TOKEN_URI: &str = "https://oauth2.googleapis.com/token";
const FILE_MIB_MAX: u64 = 1;
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
    /// The origin that gets the token, unless the operator names another one.
    fn origin() -> Origin {
        Url::parse(API).map_or_else(|_| Origin::new_opaque(), |url| url.origin())
    }

    /// # Errors
    /// What is wrong with the file, without its content.
    fn read(path: &str) -> Result<Self, String> {
        let bytes = read_file(Path::new(path), FILE_MIB_MAX)
            .map_err(|error| format!("names a file that cannot be read ({})", error.kind()))?;
        let kind: Result<Self, _> = serde_json::from_slice(&bytes);
        let credentials = kind.ok().filter(|it| it.kind == "authorized_user");
        credentials.ok_or_else(|| {
            "names a file without credentials of the type authorized_user (client_id, client_secret, refresh_token)".to_owned()
        })
    }

    /// The project whose quota is used, if it is not the client's.
    fn quota_project(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(self.quota_project_id.as_ref()?).ok()
    }

    /// A new token, and how long it can be used.
    ///
    /// # Errors
    /// What to do about it.
    async fn access_token(&self, client: &Client) -> Result<(String, Duration), String> {
        let uri: Url = self
            .token_uri
            .as_deref()
            .unwrap_or(TOKEN_URI)
            .parse()
            .map_err(|_| "the file's token_uri is no URL".to_owned())?;
        check_scheme(&uri, false).map_err(|error| format!("the file's token_uri: {error}"))?;
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
        let unreachable = |_| "the token server cannot be reached".to_owned();
        let response = post.send().await.map_err(unreachable)?;
        let status = response.status();
        let body = read_body(response, ANSWER_BYTES_MAX).await;
        let body = body.map_err(unreachable)?;
        let answer: Option<TokenAnswer> = serde_json::from_slice(&body).ok();
        let error = answer.as_ref().and_then(|answer| answer.error.as_deref());
        match (error, answer.as_ref().and_then(|answer| answer.access_token.clone())) {
            (None, Some(token)) if status.is_success() && !token.is_empty() => {
                let lifetime = answer.and_then(|answer| answer.expires_in);
                Ok((token, lifetime.map_or(LIFETIME, Duration::from_secs)))
            }
            (Some("invalid_grant"), _) => Err(
                "Google no longer accepts the refresh token; get a new one and write it into the file (of a client in testing it ends \
                 after seven days; publish the client): docs/guides/google-business-profile.md"
                    .to_owned(),
            ),
            (Some("invalid_client" | "unauthorized_client"), _) => Err(
                "Google does not accept the client; compare client_id and client_secret in the file with those in Google's console"
                    .to_owned(),
            ),
            _ => Err(format!("the token server gave no token (status {})", status.as_u16())),
        }
    }
}
