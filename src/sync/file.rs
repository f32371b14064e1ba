//! The operator's file of entries: what is fetched, when, with which headers, and how its answer is read.
//! `docs/guides/keep-reviews-fresh.md` lists the keys. No error repeats a value, which may be a secret.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::{env, fs};

use reqwest::header::{AUTHORIZATION, HeaderName, InvalidHeaderName};
use rustix::process::geteuid;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::json;
use serde_with::{DisplayFromStr, serde_as};
use sha2::{Digest as _, Sha256};
use toml::de::{DeTable, DeValue};

use super::error::SyncError;
use super::schedule::Schedule;
use crate::config::{SyncConfig, read_text};
use crate::imports::{
    Format, FormatArgument, ImportRequest, SOURCE_DEFAULT, find_format, format_names, line_of,
};
use crate::model::text::nearest;
use crate::model::{compose, hex};
use crate::owner::fault::listed;

/// The keys of an entry.
pub const KEYS: [&str; 11] = [
    "url",
    "source",
    "format",
    "every",
    "at",
    "headers",
    "basic",
    "command",
    "google_credentials",
    "partial",
    "allow_http",
];
/// The variable whose value is the first line that `command` prints.
pub const COMMAND: &str = "COMMAND";
/// Names that are settings of the service.
const SETTINGS: [&str; 2] = ["FILE", "CA_FILE"];
/// Headers that say how the request is sent, or to whom.
const CONNECTION_HEADERS: [&str; 8] = [
    "host",
    "connection",
    "content-length",
    "transfer-encoding",
    "range",
    "if-none-match",
    "if-modified-since",
    "accept-encoding",
];
/// Where programs are looked for if PATH is not set.
const PATH_DEFAULT: &str = "/usr/local/bin:/usr/bin:/bin";
const NAME_BYTES_MAX: usize = 64;

/// The entries of a file, in its order of names.
pub struct SyncFile {
    pub path: PathBuf,
    pub entries: Vec<Entry>,
}

/// What is fetched. No `Debug`: it may have secrets.
#[serde_as]
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    #[serde(skip)]
    pub name: String,
    #[serde_as(as = "DisplayFromStr")]
    pub url: Template,
    every: Option<String>,
    at: Option<String>,
    #[serde(skip)]
    pub schedule: Schedule,
    #[serde(default, deserialize_with = "read_headers")]
    pub headers: Vec<(HeaderName, Template)>,
    #[serde(default)]
    #[serde_as(as = "Option<DisplayFromStr>")]
    pub basic: Option<Template>,
    /// Program and arguments.
    #[serde(default)]
    pub command: Vec<String>,
    /// The path of a file, from the folder of the entry's file.
    google_credentials: Option<PathBuf>,
    pub source: Option<String>,
    format: Option<String>,
    #[serde(default, rename = "partial")]
    pub is_partial: bool,
    #[serde(default, rename = "allow_http")]
    pub allows_http: bool,
    /// The file of the entry.
    #[serde(skip)]
    file: PathBuf,
}

/// # Errors
/// With the name of the header at fault.
fn read_headers<'de, D: Deserializer<'de>>(
    table: D,
) -> Result<Vec<(HeaderName, Template)>, D::Error> {
    let headers = BTreeMap::<String, String>::deserialize(table)?.into_iter();
    let headers = headers.map(|(name, value)| {
        let fault = |reason: &dyn Display| D::Error::custom(format!("{name}: {reason}"));
        let value = value.parse().map_err(|reason: String| fault(&reason))?;
        let name = name
            .parse()
            .map_err(|reason: InvalidHeaderName| fault(&reason))?;
        Ok((name, value))
    });
    headers.collect()
}

/// A text in which `${NAME}` is a value of the environment, and `$${` is `${`.
#[derive(Clone, Default)]
pub struct Template(Vec<Part>);

#[derive(Clone)]
enum Part {
    Text(String),
    Variable(String),
}

impl FromStr for Template {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (mut parts, mut rest) = (Vec::new(), text.trim());
        while let Some((before, after)) = rest.split_once("${") {
            if let Some(before) = before.strip_suffix('$') {
                parts.push(Part::Text(format!("{before}${{")));
                rest = after;
                continue;
            }
            let name = after.split_once('}').filter(|(name, _)| is_variable(name));
            let (name, after) = name.ok_or(
                "a variable is written ${NAME}, with capitals, digits and _; ${ itself is written $${",
            )?;
            if SETTINGS.contains(&name) {
                return Err(format!(
                    "REVIEWS_SYNC_{name} is a setting of the service; take another name"
                ));
            }
            parts.extend([
                Part::Text(before.to_owned()),
                Part::Variable(name.to_owned()),
            ]);
            rest = after;
        }
        parts.push(Part::Text(rest.to_owned()));
        Ok(Self(parts))
    }
}

impl Template {
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            Part::Variable(name) => Some(name.as_str()),
            Part::Text(_) => None,
        })
    }

    /// The text with the value of each variable; `value` also gets the text before it.
    pub fn fill(&self, value: impl Fn(&str, &str) -> String) -> String {
        let mut filled = String::new();
        for part in &self.0 {
            match part {
                Part::Text(text) => filled.push_str(text),
                Part::Variable(name) => {
                    let value = value(&filled, name);
                    filled.push_str(&value);
                }
            }
        }
        filled
    }

    fn as_written(&self) -> String {
        self.fill(|_, name| format!("${{{name}}}"))
    }
}

fn is_variable(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_uppercase())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

impl SyncFile {
    /// The file of these settings: the one that they name, else the one beside the database; `None` if that is not there.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn read(config: &SyncConfig, database: &Path) -> Result<Option<Self>, String> {
        let path = Self::path(config, database);
        let fault = |reason: &dyn Display| format!("{}: {reason}", path.display());
        match read_regular(&path) {
            Ok(text) => Self::parse(&text, &path).map(Some).map_err(|it| fault(&it)),
            Err(error) if error.kind() == io::ErrorKind::NotFound && config.sync_file.is_none() => {
                Ok(None)
            }
            Err(error) => Err(fault(&error)),
        }
    }

    /// Where the file of these settings is, or would be.
    pub fn path(config: &SyncConfig, database: &Path) -> PathBuf {
        let path = match &config.sync_file {
            Some(path) => path.clone(),
            None => database.with_extension("sync.toml"),
        };
        std::path::absolute(&path).unwrap_or(path)
    }

    /// # Errors
    /// The faults, each with its line and key.
    pub fn parse(text: &str, path: &Path) -> Result<Self, String> {
        let text = text.trim_start_matches('\u{feff}');
        let table = DeTable::parse(text).map_err(|error| {
            let line = line_of(text, error.span().unwrap_or_default().start);
            let reason = if error.message().starts_with("duplicate key") {
                "a name stands twice"
            } else {
                "this is no TOML; texts stand in quotes, and each entry begins with its [name]"
            };
            format!("line {line}: {reason}")
        })?;
        let (mut entries, mut faults) = (Vec::new(), Vec::new());
        for (name, value) in table.get_ref() {
            let line = line_of(text, name.span().start);
            let name: &str = name.get_ref();
            if !is_name(name) {
                faults.push(format!(
                    "line {line}: the name of an entry has at most {NAME_BYTES_MAX} letters, digits, _ and -, and begins with no -"
                ));
            } else if let DeValue::Table(keys) = value.get_ref() {
                let line_of_key = |key: &str| {
                    let key = keys.get_key_value(key);
                    key.map_or(line, |(key, _)| line_of(text, key.span().start))
                };
                let mut found = Vec::new();
                match read_entry(keys) {
                    Ok(entry) => {
                        let entry = Entry {
                            name: name.to_owned(),
                            file: path.to_owned(),
                            ..entry
                        };
                        entries.push(entry.checked(&mut found));
                    }
                    Err(fault) => found.push(fault),
                }
                faults.extend(found.into_iter().map(|(key, reason)| {
                    let colon = if key.is_empty() { "" } else { ": " };
                    let line = line_of_key(&key);
                    format!("line {line}: [{name}] {key}{colon}{reason}")
                }));
            } else {
                faults.push(format!(
                    "line {line}: {name} stands in no entry; a key stands below the [name] of its entry"
                ));
            }
        }
        if faults.is_empty() {
            entries.sort_by(|one, other| one.name.cmp(&other.name));
            let path = path.to_owned();
            return Ok(Self { path, entries });
        }
        Err(listed(faults.into_iter(), "faults").replace('\n', "; "))
    }

    /// # Errors
    /// If there is no entry of that name, with the nearest.
    pub fn find(&self, name: &str) -> Result<&Entry, String> {
        let names = self.entries.iter().map(|entry| entry.name.as_str());
        let found = self.entries.iter().find(|entry| entry.name == name);
        found.ok_or_else(|| {
            let near = nearest(name, names)
                .map_or_else(String::new, |near| format!("; the nearest is {near}"));
            format!("no entry {name} in {}{near}", self.path.display())
        })
    }
}

/// The text of a file; to open a pipe could wait for ever.
fn read_regular(path: &Path) -> io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        let reason = "it is no regular file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    }
    read_text(path)
}

fn is_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    (1..=NAME_BYTES_MAX).contains(&name.len())
        && name.bytes().all(is_part)
        && !name.starts_with('-')
}

/// The entry in a table.
///
/// # Errors
/// With the name of the key at fault, which is empty if it is missing.
fn read_entry(table: &DeTable<'_>) -> Result<Entry, (String, String)> {
    let spanned = toml::Spanned::new(0..0, table.clone());
    Entry::deserialize(toml::Deserializer::from(spanned)).map_err(|error| {
        let at = error.span().unwrap_or_default().start;
        let mut keys = table.iter();
        let key = keys.find(|(key, value)| (key.span().start..value.span().end).contains(&at));
        let key = key.map_or_else(String::new, |(key, _)| key.get_ref().to_string());
        let message = error.message();
        let reason = if message.starts_with("unknown field") {
            let near = nearest(&key, KEYS).unwrap_or_default();
            format!("no key of an entry; the nearest is {near}")
        } else if let Some((_, expected)) = message.rsplit_once(", expected ") {
            // What stands before has the value.
            format!("expected {}", expected.trim_end())
        } else {
            message.trim_end().to_owned()
        };
        (key, reason)
    })
}

impl Entry {
    /// The entry with its schedule; adds what is wrong with it to `faults`, each with its key, which is empty if it is about several.
    fn checked(mut self, faults: &mut Vec<(String, String)>) -> Self {
        let mut fault = |key: &str, reason: String| faults.push((key.to_owned(), reason));
        let url = self.url.as_written();
        let begins = ["https://", "http://", "${"];
        if !begins.iter().any(|begin| url.starts_with(begin)) {
            fault("url", "write it like https://HOST/PATH".to_owned());
        }
        for (key, text, parse) in [
            (
                "every",
                &self.every,
                Schedule::parse_interval as fn(&str) -> _,
            ),
            ("at", &self.at, Schedule::parse_cron),
        ] {
            match text.as_deref().map(parse) {
                Some(Ok(schedule)) => self.schedule = schedule,
                Some(Err(reason)) => fault(key, reason),
                None => {}
            }
        }
        if self.source.as_ref().is_some_and(|name| name.contains("${")) {
            fault(
                "source",
                "variables stand in url, headers and basic only".to_owned(),
            );
        }
        let format = self.format.as_deref().map(str::parse::<FormatArgument>);
        if let Some(Ok(FormatArgument::Draft) | Err(_)) = format {
            let format = self.format.as_deref().unwrap_or_default();
            let near = nearest(format, format_names()).unwrap_or_default();
            fault(
                "format",
                format!(
                    "no built-in format; the nearest is {near}; a file is named with its folder, as ./NAME.toml"
                ),
            );
        }
        let basic = self.basic.as_ref().map(Template::as_written);
        if basic.is_some_and(|basic| !basic.contains(':')) {
            fault("basic", "write it like ${USER}:${PASSWORD}".to_owned());
        }
        let mut names = self.headers.iter().map(|(name, _)| name);
        if let Some(name) = names.find(|it| CONNECTION_HEADERS.contains(&it.as_str())) {
            fault(
                "headers",
                format!("{name} belongs to the connection; leave it out"),
            );
        }
        let has_authorization = self.headers.iter().any(|(name, _)| *name == AUTHORIZATION);
        let authorizations = [
            ("google_credentials", self.google_credentials.is_some()),
            ("basic", self.basic.is_some()),
            ("a header Authorization", has_authorization),
        ];
        let times = [("every", self.every.is_some()), ("at", self.at.is_some())];
        for keys in [&authorizations[..], &times] {
            let mut stated = keys.iter().filter(|(_, is_stated)| *is_stated);
            if let (Some((one, _)), Some((other, _))) = (stated.next(), stated.next()) {
                fault(
                    "",
                    format!("{one} and {other} exclude each other; keep one"),
                );
            }
        }
        let uses_command = (self.templates().flat_map(Template::variables)).any(|it| it == COMMAND);
        if uses_command && self.command.is_empty() {
            let reason = "${COMMAND} is what `command` prints, which is missing";
            fault("", reason.to_owned());
        } else if !uses_command && !self.command.is_empty() {
            let reason = "`command` is run for ${COMMAND}, which stands in no key";
            fault("", reason.to_owned());
        }
        self.source = self
            .source
            .as_deref()
            .map(|name| compose(name.trim()).into_owned());
        self.source = self.source.filter(|name| !name.is_empty());
        self
    }

    pub fn google_credentials_file(&self) -> Option<PathBuf> {
        Some(self.folder().join(self.google_credentials.as_ref()?))
    }

    pub fn folder(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new("/"))
    }

    pub fn templates(&self) -> impl Iterator<Item = &Template> {
        let values = self.headers.iter().map(|(_, value)| value);
        values.chain(&self.basic).chain([&self.url])
    }

    /// Scheme, host and path of the address, with variables as they are written.
    pub fn shown_url(&self) -> String {
        let text = self.url.as_written();
        let text = text.split(['?', '#']).next().unwrap_or_default();
        let Some((scheme, rest)) = text.split_once("://") else {
            return text.to_owned();
        };
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let host = authority.rsplit('@').next().unwrap_or_default();
        format!("{scheme}://{host}{path}")
    }

    /// The source of its reviews: as it says, or that of the built-in format `read` or its own, or else the default.
    pub fn source_of(&self, read: Option<&str>) -> String {
        let format = read.or(self.format.as_deref()).and_then(find_format);
        let source = self.source.clone();
        let source = source.or_else(|| format?.source.clone());
        source.unwrap_or_else(|| SOURCE_DEFAULT.to_owned())
    }

    /// Whether the name is its own, or that of a built-in format.
    pub fn knows_source(&self, name: &str) -> bool {
        let mut built_in = format_names().filter_map(|format| find_format(format)?.source.clone());
        self.source.as_deref() == Some(name)
            || name == SOURCE_DEFAULT
            || built_in.any(|source| source == name)
    }

    /// The program of the command, looked up in PATH if it has no slash.
    ///
    /// # Errors
    /// If there is none.
    #[expect(clippy::disallowed_methods, reason = "PATH is no setting of ours")]
    pub fn program(&self) -> Result<PathBuf, SyncError> {
        let word = self.command.first().map_or("", String::as_str);
        if word.contains('/') {
            return Ok(self.folder().join(word));
        }
        let paths = env::var_os("PATH").unwrap_or_else(|| PATH_DEFAULT.into());
        let mut found = env::split_paths(&paths).map(|folder| folder.join(word));
        let is_program = |path: &PathBuf| {
            let file = fs::metadata(path);
            file.is_ok_and(|file| file.is_file() && file.mode() & 0o111 != 0)
        };
        let program = found.find(is_program);
        program.ok_or_else(|| SyncError::failed("the command's program is not in PATH"))
    }

    /// How its answers are read, and a digest of all that decides what a run brings: the entry but for its schedule and `partial`, and
    /// the bytes of its format's file.
    ///
    /// # Errors
    /// If the format's file cannot be read.
    pub fn reading(&self) -> Result<(ImportRequest, String), SyncError> {
        let mut request = ImportRequest {
            source: self.source.clone(),
            partial: self.is_partial,
            run_of: Some(self.name.clone()),
            ..ImportRequest::default()
        };
        let mut format_text = String::new();
        match self.format.as_deref().map(str::parse::<FormatArgument>) {
            Some(Ok(FormatArgument::File(file))) => {
                let path = self.folder().join(file);
                let fault = |reason: &dyn Display| {
                    SyncError::failed(format!("the format {}: {reason}", path.display()))
                };
                format_text = read_regular(&path).map_err(|error| fault(&error))?;
                let format = Format::parse(&format_text).map_err(|error| fault(&error))?;
                request.own_format = Some(format);
                request.format = Some(FormatArgument::File(path));
            }
            Some(Ok(format)) => request.format = Some(format),
            Some(Err(_)) | None => {}
        }
        let headers = self.headers.iter();
        let headers: Vec<_> = headers
            .map(|(name, value)| (name.as_str(), value.as_written()))
            .collect();
        let text = json!([
            self.url.as_written(),
            headers,
            self.basic.as_ref().map(Template::as_written),
            self.command,
            self.google_credentials,
            self.source,
            self.format,
            self.allows_http,
            format_text,
        ]);
        Ok((request, hex(&Sha256::digest(text.to_string()))))
    }

    /// Refuses files that everybody may write: they say where secrets go, and run programs.
    ///
    /// # Errors
    /// If there is such a file.
    pub fn check_files(&self) -> Result<(), SyncError> {
        let format = match self.format.as_deref().map(str::parse::<FormatArgument>) {
            Some(Ok(FormatArgument::File(file))) => Some(self.folder().join(file)),
            _ => None,
        };
        let program = (!self.command.is_empty())
            .then(|| self.program())
            .transpose()?;
        let files = [
            Some(self.file.clone()),
            self.google_credentials_file(),
            format,
            program,
        ];
        for path in files.into_iter().flatten() {
            // One that is not there is reported where it is read.
            let Ok(metadata) = fs::metadata(&path) else {
                continue;
            };
            let (shown, owner) = (path.display(), metadata.uid());
            if !metadata.is_file() {
                return Err(SyncError::failed(format!("{shown} is no regular file")));
            }
            if metadata.mode() & 0o002 != 0 {
                return Err(SyncError::failed(format!(
                    "everybody may write {shown}, which says where secrets go and what is run; `chmod o-w` it"
                )));
            }
            if owner != 0 && owner != geteuid().as_raw() {
                tracing::warn!(
                    entry = self.name,
                    "sync.foreign_owner: {shown} belongs to another user ({owner}), who can change what is sent and run"
                );
            }
        }
        Ok(())
    }
}
