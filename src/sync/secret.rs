//! Secrets of a source: `${VARIABLE}` read from the environment at each run, the token that a command prints, and messages
//! without them.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD};
use encoding_rs::mem::{decode_latin1, encode_latin1_lossy, is_str_latin1};
use html5gum::{Token, Tokenizer};
use percent_encoding::{
    AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode, utf8_percent_encode,
};
use serde_json::Value;
use thiserror::Error;
use tokio::io::AsyncReadExt as _;
use tokio::process::Command;
use url::form_urlencoded::byte_serialize;

use crate::config::variable;
use crate::imports::Undecided;
use crate::model::hex;
use crate::storage::DbError;

/// Name of the reference to the output of the source's command.
const TOKEN: &str = "token";
/// What messages have in place of a secret.
const REMOVED: &str = "…";
/// A part of a secret of at least this many bytes is removed from messages, too.
const PART_BYTES: usize = 8;
/// How often a text of a server is decoded in search of a secret.
const DECODED_MAX: usize = 3;
const COMMAND_TIMEOUT: Duration = Duration::from_mins(1);
/// An OAuth token has at most a few KiB.
const TOKEN_BYTES_MAX: u64 = 64 << 10;
/// The unreserved characters of a URL (RFC 3986 §2.3).
const QUERY_VALUE: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The secrets of one run; without `Debug`, which a log would show.
#[derive(Default)]
pub struct Secrets {
    values: BTreeSet<String>,
    token: Option<String>,
}

impl Secrets {
    /// Runs the command of the source `name`, if there is one.
    ///
    /// # Errors
    /// If it fails; the message names the variable, never its value or what the command printed.
    pub async fn of_source(name: &str) -> Result<Self, SyncError> {
        let mut secrets = Self::default();
        let variable_name = command_variable(name);
        if let Some(command) = read(&variable_name)? {
            let token = run(&command).await.map_err(|reason| {
                SyncError::failed(format!(
                    "the command in {variable_name} {reason}; run it by hand to see why"
                ))
            })?;
            secrets.values.insert(token.clone());
            secrets.token = Some(token);
        }
        Ok(secrets)
    }

    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// The text with the values of its `${…}`, percent-encoded in the values of a URL's query.
    ///
    /// # Errors
    /// If a variable is not set.
    pub fn fill(&mut self, template: &str) -> Result<String, SyncError> {
        let (mut filled, mut rest) = (String::new(), template);
        while let Some((before, name, after)) = reference(rest) {
            filled.push_str(before);
            let value = if name == TOKEN {
                self.token.clone().ok_or_else(|| {
                    SyncError::failed("${token} is the output of a command; set REVIEWS_SYNC_COMMAND_<NAME> for this source")
                })?
            } else {
                read(name)?.ok_or_else(|| {
                    SyncError::failed(format!(
                        "the variable {name} is not set; set it in the environment of the service"
                    ))
                })?
            };
            if is_query_value(&filled) {
                filled.extend(utf8_percent_encode(&value, QUERY_VALUE));
            } else {
                filled.push_str(&value);
            }
            self.values.insert(value);
            rest = after;
        }
        filled.push_str(rest);
        Ok(filled)
    }

    /// Whether the text has a whole secret, encoded or not.
    pub fn is_in(&self, text: &str) -> bool {
        let decoded = decode(text);
        self.forms()
            .iter()
            .any(|secret| text.contains(secret) || decoded.contains(secret))
    }

    /// The text of a server or of a library without secrets, encoded or not, or long parts of them.
    pub fn remove(&self, text: &str) -> String {
        let forms = self.forms();
        without(&decode(&without(text, &forms)), &forms)
    }

    /// The body of an answer without whole secrets, encoded or not. A short one may be a word of a review, so it is removed
    /// only as the value of a parameter.
    pub fn strike<'b>(&self, body: &'b [u8]) -> Cow<'b, [u8]> {
        let text = match str::from_utf8(body) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => decode_latin1(body),
        };
        let mut struck = Cow::Borrowed(&*text);
        for form in self.forms() {
            let form = if form.len() < PART_BYTES {
                format!("={form}")
            } else {
                form
            };
            if struck.contains(&form) {
                struck = struck.replace(&form, REMOVED).into();
            }
        }
        match struck {
            Cow::Borrowed(_) => Cow::Borrowed(body),
            Cow::Owned(struck) => Cow::Owned(struck.into_bytes()),
        }
    }

    /// Every secret, as it is and as URLs, JSON, HTML and headers encode it, in UTF-8 or Latin-1.
    fn forms(&self) -> BTreeSet<String> {
        let mut forms = BTreeSet::new();
        // A secret may be encoded already, and its text is decoded before it is searched.
        let values = self
            .values
            .iter()
            .flat_map(|value| [value.clone(), decode(value)]);
        for value in values.filter(|value| !value.is_empty()) {
            if is_str_latin1(&value) {
                // Bytes of Latin-1 that are read as UTF-8.
                let latin1 = encode_latin1_lossy(&value);
                forms.insert(percent_encode(&latin1, QUERY_VALUE).to_string());
                forms.insert(String::from_utf8_lossy(&latin1).into_owned());
            }
            let json = Value::from(value.as_str()).to_string();
            let json = &json[1..json.len() - 1];
            forms.extend([
                value.clone(),
                utf8_percent_encode(&value, QUERY_VALUE).to_string(),
                byte_serialize(value.as_bytes()).collect(),
                json.to_owned(),
                json.replace('/', "\\/"),
                value.replace('&', "&amp;"),
                hex(value.as_bytes()),
            ]);
            // The encoding depends on the number of bytes before the secret.
            for shift in 0..3 {
                let shifted = [vec![0; shift], value.as_bytes().to_vec()].concat();
                let (first, last) = ((shift * 4).div_ceil(3), shifted.len() * 8 / 6);
                for base64 in [BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD] {
                    let encoded = base64.encode(&shifted);
                    let form = encoded.get(first..last).filter(|form| form.len() >= 4);
                    forms.extend(form.map(str::to_owned));
                }
            }
        }
        forms
    }
}

/// The variable with the command of a source.
pub fn command_variable(name: &str) -> String {
    let name = name.to_ascii_uppercase().replace('-', "_");
    format!("REVIEWS_SYNC_COMMAND_{name}")
}

/// The text before the first `${NAME}`, the name, and the text after.
pub fn reference(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("${")?;
    let (name, after) = rest.split_once('}')?;
    Some((before, name, after))
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

fn read(name: &str) -> Result<Option<String>, SyncError> {
    variable(name)
        .map_err(|error| SyncError::failed(format!("the variable {name} cannot be read: {error}")))
}

/// The text without percent-encoding, entities and JSON's escapes, as often as they were applied.
fn decode(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..DECODED_MAX {
        let percent = percent_decode_str(&text).decode_utf8_lossy();
        let json = unescape(&percent);
        let mut decoded = Vec::new();
        for token in Tokenizer::new(&json.replace('<', "&lt;")) {
            let Ok(token) = token;
            if let Token::String(part) = token {
                decoded.extend_from_slice(&part);
            }
        }
        let decoded = String::from_utf8_lossy(&decoded).into_owned();
        if decoded == text {
            break;
        }
        text = decoded;
    }
    text
}

/// The text without JSON's escapes of characters by number, and of `/`.
fn unescape(text: &str) -> String {
    let text = text.replace("\\/", "/");
    let mut parts = text.split("\\u");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let number = part
            .get(..4)
            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
        match number.and_then(char::from_u32) {
            Some(character) => plain.extend([&*character.to_string(), &part[4..]]),
            None => plain.extend(["\\u", part]),
        }
    }
    plain
}

/// The text without the secrets in any case of letters, and without parts of them of [`PART_BYTES`]. All are looked for in the
/// whole text: without a part that two forms share, neither would be found.
fn without(text: &str, secrets: &BTreeSet<String>) -> String {
    let low = text.to_ascii_lowercase();
    let mut hidden = vec![false; text.len()];
    for secret in secrets {
        let secret = secret.to_ascii_lowercase();
        let part = PART_BYTES.min(secret.len());
        let parts: BTreeSet<&[u8]> = secret.as_bytes().windows(part).collect();
        for (at, window) in low.as_bytes().windows(part).enumerate() {
            if parts.contains(window) {
                hidden[at..at + part].fill(true);
            }
        }
    }
    let mut shown = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        if !hidden[at] {
            shown.push(character);
        } else if !shown.ends_with(REMOVED) {
            shown.push_str(REMOVED);
        }
    }
    shown
}

/// Runs a command without a shell, and returns what it prints.
async fn run(command: &str) -> Result<String, String> {
    let words = shlex::split(command).ok_or("has an open quote")?;
    let [program, arguments @ ..] = words.as_slice() else {
        return Err("is empty".to_owned());
    };
    let output = async {
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("cannot be started ({})", error.kind()))?;
        let mut token = String::new();
        if let Some(stdout) = child.stdout.take() {
            let read = stdout
                .take(TOKEN_BYTES_MAX)
                .read_to_string(&mut token)
                .await;
            read.map_err(|error| format!("printed no text ({})", error.kind()))?;
        }
        let status = child
            .wait()
            .await
            .map_err(|error| format!("was lost ({})", error.kind()))?;
        if !status.success() {
            return Err(format!("failed ({status})"));
        }
        Ok(token.trim().to_owned())
    };
    let token = tokio::time::timeout(COMMAND_TIMEOUT, output).await;
    let token =
        token.map_err(|_| format!("took longer than {} s", COMMAND_TIMEOUT.as_secs()))??;
    if token.is_empty() || token.contains(char::is_control) {
        return Err("did not print a token on one line".to_owned());
    }
    Ok(token)
}

/// Why a run did not import anything. The message is stored and shown, so it has no secrets and no rows of an answer.
#[derive(Debug, Error)]
pub enum SyncError {
    #[error("{0}")]
    Failed(String),
    #[error("the server did not answer in time")]
    TimedOut,
    /// The import cannot read the answer. Its reason may repeat rows, so it is shown only where the run was asked for.
    #[error("{answer}the answer cannot be imported; `reviews sync run {name} --dry-run` shows why")]
    Unreadable {
        name: String,
        /// Status and content type, if there was a response.
        answer: String,
        reason: String,
    },
    /// The run would change too much. Its reviews are shown only where the run was asked for.
    #[error("{reason}")]
    MassChange { reason: String, examples: String },
    /// Something must be decided about the columns. Cells are shown only where the run was asked for.
    #[error("{answer}{}", .undecided.explain())]
    Undecided {
        /// Status and content type, if there was a response.
        answer: String,
        undecided: Box<Undecided>,
    },
    /// The server asked for a wait: the next run begins no earlier.
    #[error("{reason}")]
    Busy { reason: String, wait: Duration },
    #[error(transparent)]
    Database(#[from] DbError),
}

impl SyncError {
    pub fn failed(reason: impl Into<String>) -> Self {
        Self::Failed(reason.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_is_removed_however_a_server_encodes_it() {
        let secrets = Secrets {
            values: BTreeSet::from(["p@ss/word+99&x".to_owned()]),
            token: None,
        };
        let base64 = |text: &str| base64::prelude::BASE64_STANDARD.encode(text);
        for echo in [
            "p@ss/word+99&x".to_owned(),
            "P@SS/WORD+99&X".to_owned(),
            "p%40ss%2fword%2B99%26x".to_owned(),
            "p%2540ss%252Fword%252B99%2526x".to_owned(),
            "p@ss/word+99&amp;x".to_owned(),
            r"p@ss\/word+99&x".to_owned(),
            r"p@ss\u002fword+99\u0026x".to_owned(),
            "p&#64;ss&#x2F;word+99&#38;x".to_owned(),
            base64("p@ss/word+99&x"),
            base64("me:p@ss/word+99&x"),
            base64("user:p@ss/word+99&x!"),
            hex(b"p@ss/word+99&x"),
            "p@ss/word+9".to_owned(),
        ] {
            let shown = secrets.remove(&format!("bad key {echo}; try again"));
            assert!(
                shown.starts_with("bad key ") && shown.ends_with("; try again"),
                "{shown}"
            );
            assert!(
                !shown.contains("word") && shown.len() < 40,
                "{echo}: {shown}"
            );
        }
    }

    #[test]
    fn secret_that_is_encoded_itself_is_removed_in_any_form() {
        let secrets = Secrets {
            values: BTreeSet::from(["abc%2Bdef%3D&amp;x".to_owned()]),
            token: None,
        };
        for echo in [
            "abc%2Bdef%3D&amp;x",
            "abc+def=&x",
            "abc%252Bdef%253D%26amp%3Bx",
            r"abc+def\u003d\u0026x",
        ] {
            assert_eq!(secrets.remove(&format!("key {echo}")), "key …", "{echo}");
            assert!(secrets.is_in(echo), "{echo}");
        }
    }

    #[test]
    fn secret_in_latin_1_is_removed_from_messages_and_bodies() {
        let secrets = Secrets {
            values: BTreeSet::from(["p\u{e4}ss\u{df}w".to_owned()]),
            token: None,
        };
        let body = b"key p\xE4ss\xDFw";
        for echo in [
            "p%E4ss%DFw",
            "p%25E4ss%25DFw",
            &String::from_utf8_lossy(&body[4..]),
        ] {
            let shown = secrets.remove(&format!("bad key {echo}; try again"));
            assert_eq!(shown, "bad key …; try again", "{echo}");
        }
        assert_eq!(&*secrets.strike(body), "key …".as_bytes());
    }

    #[test]
    fn short_parts_of_a_secret_beside_a_long_one_are_removed() {
        for secret in [
            "user@mail.test:pw123",
            "abcdefgh/ijklmn",
            "password1/abc",
            "mySecret+1234",
            "S3cr&t\"Key/+<9>AbCd",
        ] {
            let secrets = Secrets {
                values: BTreeSet::from([secret.to_owned()]),
                token: None,
            };
            let shown = secrets.remove(&format!("invalid key {secret}, sorry"));
            assert_eq!(shown, "invalid key …, sorry", "{secret}");
        }
    }

    #[test]
    fn value_is_encoded_only_in_the_value_of_a_query() {
        assert!(is_query_value("https://shop.test/r?a=1&key="));
        assert!(!is_query_value("https://shop.test/r?"), "a whole query");
        assert!(!is_query_value("https://shop.test/"), "a path");
        assert!(!is_query_value("Bearer a?b="), "a header");
    }
}
