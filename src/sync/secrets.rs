//! Secrets of a run: values of the environment, the line that the entry's command prints, and an access token for Google's
//! credentials. They go to the origin of the entry's URL alone.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::sync::Mutex;
use std::time::Duration;
use std::{io, mem};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use futures_util::FutureExt as _;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use rustix::process::{Pid, Signal, kill_process_group};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, Command};
use url::Url;
use url::form_urlencoded::Serializer;

use super::client::{SourceClient, SyncError, check_scheme, failure_of, is_busy};
use super::file::{COMMAND, SyncEntry, Template};
use crate::compute::lock;
use crate::config::{Environment, read_file};
use crate::http::read_body;
use crate::imports::Mask;

const COMMAND_TIMEOUT: Duration = Duration::from_mins(1);
/// All that a command may print.
const OUTPUT_BYTES_MAX: u64 = 64 << 10;

/// What the requests of one run have, and what its answers may not repeat.
pub struct Secrets {
    /// The first page's.
    pub url: Url,
    pub headers: HeaderMap,
    pub mask: Mask,
    /// Those of the variables.
    pub values: Value,
}

impl Secrets {
    /// Reads the variables and files of an entry, runs its command, and gets a token, which lives longer than a run.
    ///
    /// # Errors
    /// If one of these fails, or a value fits neither a URL nor a header. The message has no value.
    pub async fn of(entry: &SyncEntry, client: &SourceClient) -> Result<Self, SyncError> {
        let (mut values, mut mask) = (BTreeMap::new(), Mask::default());
        for name in entry.templates().flat_map(Template::variables) {
            if values.contains_key(name) {
                continue;
            }
            let value = if name == COMMAND {
                let line = first_line(entry, &client.environment).await;
                line.map_err(|reason| format!("command: {reason}; run it by hand to see why"))?
            } else {
                read_variable(name, &client.environment)?
            };
            mask.add(&value);
            values.insert(name, value);
        }
        let url = entry.url.fill(&values, true);
        let mut url: Url = url.trim().parse().map_err(|error| {
            format!("the URL cannot be used ({error}); write it like https://HOST/PATH")
        })?;
        url.set_fragment(None);
        let mut headers = HeaderMap::new();
        for (name, value) in &entry.headers {
            headers.append(name, header_value(name, &value.fill(&values, false))?);
        }
        if let Some(basic) = &entry.basic {
            let encoded = BASE64_STANDARD.encode(basic.fill(&values, false));
            // A server may repeat the header.
            mask.add(&encoded);
            let value = header_value(&AUTHORIZATION, &format!("Basic {encoded}"))?;
            headers.insert(AUTHORIZATION, value);
        }
        if let Some(path) = &entry.google_credentials {
            let credentials = Credentials::read(path)?;
            let token = client.retry(|| credentials.access_token(client).boxed());
            let token = token.await;
            let token = token.map_err(|error| format!("google_credentials: {error}"))?;
            mask.add(&token);
            let value = header_value(&AUTHORIZATION, &format!("Bearer {token}"))?;
            headers.insert(AUTHORIZATION, value);
            if let Some(project) = &credentials.quota_project_id {
                let name = HeaderName::from_static("x-goog-user-project");
                headers.insert(&name, header_value(&name, project)?);
            }
        }
        Ok(Self {
            url,
            headers,
            mask,
            values: json!(values),
        })
    }
}

fn header_value(name: &HeaderName, text: &str) -> Result<HeaderValue, String> {
    let mut value = HeaderValue::from_str(text)
        .map_err(|_| format!("the header {name} has a value that is not valid"))?;
    value.set_sensitive(true);
    Ok(value)
}

/// The value of `${NAME}`.
fn read_variable(name: &str, environment: &Environment) -> Result<String, String> {
    let value = environment
        .setting(&format!("REVIEWS_SYNC_{name}"))
        .map_err(|error| format!("REVIEWS_SYNC_{name} cannot be read: {error}"))?;
    value.ok_or_else(|| {
        format!(
            "REVIEWS_SYNC_{name} is not set, and ${{{name}}} is its value; set it in the environment of the service, for example in \
             /etc/reviews.env"
        )
    })
}

/// The processes of a command. What it started and left would pile up with every run, so its end kills them all, also when a run is
/// stopped.
struct CommandGroup(Pid);

/// The groups of the commands that are running.
static RUNNING: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

impl CommandGroup {
    fn spawn(command: &mut Command) -> io::Result<(Child, Option<Self>)> {
        // Locked first, so that no group is running that is not among them.
        let mut running = lock(&RUNNING);
        let child = command.process_group(0).spawn()?;
        let leader = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        running.extend(leader);
        Ok((child, leader.map(Self)))
    }
}

impl Drop for CommandGroup {
    fn drop(&mut self) {
        lock(&RUNNING).retain(|group| *group != self.0);
        // An error means that nothing is left.
        let _ = kill_process_group(self.0, Signal::KILL);
    }
}

/// Ends the commands that are running, and lets no other one start: a last step of the process.
pub fn kill_commands() {
    let running = lock(&RUNNING);
    for group in running.iter() {
        let _ = kill_process_group(*group, Signal::KILL);
    }
    mem::forget(running);
}

/// Runs the command of an entry without a shell, and returns the first line that it prints.
async fn first_line(entry: &SyncEntry, environment: &Environment) -> Result<String, String> {
    let program = entry.program(environment)?;
    let mut command = Command::new(program);
    command.args(entry.command.iter().skip(1));
    command.env_clear().envs(environment.variables());
    command.current_dir(entry.folder()).kill_on_drop(true);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    command.stderr(Stdio::null());
    let (mut child, _group) = CommandGroup::spawn(&mut command)
        .map_err(|error| format!("it cannot be started ({})", error.kind()))?;
    let output = child.stdout.take().ok_or("it has no output")?;
    let run = async {
        let (mut text, mut output) = (String::new(), output.take(OUTPUT_BYTES_MAX + 1));
        let read = output.read_to_string(&mut text).await;
        read.map_err(|error| format!("it printed no text ({})", error.kind()))?;
        if output.limit() == 0 {
            return Err("it printed more than 64 KiB".to_owned());
        }
        let status = child.wait().await;
        let status = status.map_err(|error| format!("it was lost ({})", error.kind()))?;
        let is_done = status.success().then_some(text);
        is_done.ok_or_else(|| format!("it failed ({status})"))
    };
    let ran = tokio::time::timeout(COMMAND_TIMEOUT, run).await;
    let text = ran.unwrap_or_else(|_| Err("it took longer than a minute".to_owned()))?;
    let line = text.lines().next().unwrap_or_default().trim();
    if line.is_empty() || line.contains(char::is_control) {
        return Err("it did not print a line of text first".to_owned());
    }
    Ok(line.to_owned())
}

// Access tokens for the API of Google Business Profile, by a file of credentials as Google's tools write it
// (`authorized_user`; RFC 6749 §6).

const TOKEN_URI: &str = "https://oauth2.googleapis.com/token";
/// A longer answer is none of a token server.
const ANSWER_BYTES_MAX: usize = 64 << 10;

#[derive(Deserialize)]
struct Credentials {
    #[serde(rename = "type")]
    kind: String,
    client_id: String,
    client_secret: String,
    refresh_token: String,
    token_uri: Option<String>,
    /// The project whose quota is used, if it is not the client's.
    quota_project_id: Option<String>,
}

impl Credentials {
    /// # Errors
    /// What is wrong with the file, without its content.
    fn read(path: &Path) -> Result<Self, String> {
        let bytes = read_file(path)
            .map_err(|error| format!("google_credentials: the file cannot be read: {error}"))?;
        let read: Option<Self> = serde_json::from_slice(&bytes).ok();
        let credentials = read.filter(|it| it.kind == "authorized_user");
        credentials.ok_or_else(|| {
            "google_credentials: the file has no credentials of the type authorized_user (client_id, client_secret, refresh_token)"
                .to_owned()
        })
    }

    /// # Errors
    /// What to do about it.
    async fn access_token(&self, client: &SourceClient) -> Result<String, SyncError> {
        let uri = self.token_uri.as_deref().unwrap_or(TOKEN_URI);
        let uri: Option<Url> = uri.parse().ok();
        let uri = uri.filter(|uri| check_scheme(uri, false).is_ok());
        let uri = uri.ok_or("the file's token_uri is no URL that begins with https://")?;
        let form = Serializer::new(String::new())
            .append_pair("grant_type", "refresh_token")
            .append_pair("client_id", &self.client_id)
            .append_pair("client_secret", &self.client_secret)
            .append_pair("refresh_token", &self.refresh_token)
            .finish();
        let post = client.http.post(uri).body(form);
        let post = post.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        let response = post.send().await.map_err(|error| failure_of(&error))?;
        let status = response.status();
        let reason = format!(
            "the token server gave no token (status {}); if Google no longer accepts the file's client or its refresh token, get new \
             ones: docs/guides/google-business-profile.md",
            status.as_u16()
        );
        if is_busy(status) {
            let wait = client.retry_after(response.headers());
            return Err(SyncError::Busy { reason, wait });
        }
        let body = read_body(response, ANSWER_BYTES_MAX).await;
        let body = body.map_err(|error| failure_of(&error))?;
        let answer: Value = serde_json::from_slice(&body).unwrap_or_default();
        let token = answer["access_token"].as_str();
        if let Some(token) = token.filter(|token| status.is_success() && !token.is_empty()) {
            return Ok(token.to_owned());
        }
        Err(reason.into())
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Read as _;
    use std::process;

    use super::*;
    use crate::sync::SyncFile;

    #[tokio::test]
    async fn stopped_command_leaves_no_process() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let text = "[a]\nurl = 'https://a.test'\ncommand = ['sh', '-c', '(sleep 30; echo left) > pipe & wait']\n";
        let file = SyncFile::parse(text, &folder.path().join("a.toml")).unwrap();
        let environment = Environment::of_process();
        // It opens once the command writes, and ends when the last writer closes it.
        let opened = tokio::task::spawn_blocking(|| File::open(pipe));
        let mut output = tokio::select! {
            line = first_line(&file.entries[0], &environment) => panic!("{line:?}"),
            opened = opened => opened.unwrap().unwrap(),
        };
        let mut written = String::new();
        output.read_to_string(&mut written).unwrap();
        assert_eq!(written, "");
    }
}
