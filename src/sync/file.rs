//! The operator's file of entries: what is fetched, when, with which headers, and how its answer is read.
//! `docs/guides/keep-reviews-fresh.md` lists the keys. No error repeats a value, which may be a secret.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::{env, fs, iter};

use reqwest::header::{AUTHORIZATION, HeaderName};
use rustix::process::geteuid;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use serde_with::{DisplayFromStr, serde_as};
use sha2::{Digest as _, Sha256};
use toml::Spanned;
use toml::de::DeTable;

use super::error::SyncError;
use super::schedule::Schedule;
use crate::config::{SyncConfig, read_text};
use crate::imports::{Format, FormatArgument, ImportRequest, SOURCE_DEFAULT, find_format, line_of};
use crate::model::text::nearest;
use crate::model::{compose, hex};

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
    #[serde(deserialize_with = "read_url")]
    pub url: Template,
    #[serde(default, deserialize_with = "read_interval")]
    every: Option<Schedule>,
    #[serde(default, deserialize_with = "read_times")]
    at: Option<Schedule>,
    #[serde(default, deserialize_with = "read_headers")]
    pub headers: Vec<(HeaderName, Template)>,
    #[serde_as(as = "Option<DisplayFromStr>")]
    #[serde(default)]
    pub basic: Option<Template>,
    /// Program and arguments.
    #[serde(default)]
    pub command: Vec<String>,
    pub google_credentials: Option<PathBuf>,
    #[serde(default, deserialize_with = "read_source")]
    pub source: Option<String>,
    #[serde(default, deserialize_with = "read_format")]
    format: Option<FormatArgument>,
    #[serde(default, rename = "partial")]
    pub is_partial: bool,
    #[serde(default, rename = "allow_http")]
    pub allows_http: bool,
    /// The file of the entry.
    #[serde(skip)]
    file: PathBuf,
    /// Its keys as JSON, but for the schedule and `partial`.
    #[serde(skip)]
    digested: Value,
}

/// # Errors
/// If the value is no text, or `read` refuses it.
fn read_with<'de, D: Deserializer<'de>, T, E: Display>(
    value: D,
    read: impl FnOnce(&str) -> Result<T, E>,
) -> Result<T, D::Error> {
    read(&String::deserialize(value)?).map_err(D::Error::custom)
}

fn read_url<'de, D: Deserializer<'de>>(value: D) -> Result<Template, D::Error> {
    read_with(value, |text| {
        if ["https://", "http://", "${"]
            .iter()
            .any(|begin| text.trim().starts_with(begin))
        {
            return text.parse();
        }
        Err("write it like https://HOST/PATH".to_owned())
    })
}

fn read_interval<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Schedule>, D::Error> {
    read_with(value, Schedule::parse_interval).map(Some)
}

fn read_times<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Schedule>, D::Error> {
    read_with(value, Schedule::parse_cron).map(Some)
}

fn read_source<'de, D: Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    read_with(value, |name| {
        if name.contains("${") {
            return Err("variables stand in url, headers and basic only");
        }
        Ok(Some(compose(name.trim()).into_owned()).filter(|name| !name.is_empty()))
    })
}

fn read_format<'de, D: Deserializer<'de>>(value: D) -> Result<Option<FormatArgument>, D::Error> {
    read_with(value, |text| match text.parse() {
        Ok(FormatArgument::Draft) => Err("a draft is none; leave the key out".to_owned()),
        format => format.map(Some),
    })
}

/// # Errors
/// With the name of the header at fault.
fn read_headers<'de, D: Deserializer<'de>>(
    table: D,
) -> Result<Vec<(HeaderName, Template)>, D::Error> {
    let headers = BTreeMap::<String, String>::deserialize(table)?.into_iter();
    let headers = headers.map(|(name, value)| {
        let fault = |reason: String| D::Error::custom(format!("{name}: {reason}"));
        let value = value.parse().map_err(fault)?;
        let header: Result<HeaderName, _> = name.parse();
        Ok((header.map_err(|error| fault(error.to_string()))?, value))
    });
    headers.collect()
}

/// A text in which `${NAME}` is a value of the environment, and `$${` is `${`.
#[derive(Clone)]
pub struct Template {
    written: String,
    /// Texts, each with the variable that follows it.
    parts: Vec<(String, Option<String>)>,
}

impl FromStr for Template {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (mut parts, mut rest) = (Vec::new(), text.trim());
        while let Some((before, after)) = rest.split_once("${") {
            if let Some(before) = before.strip_suffix('$') {
                parts.push((format!("{before}${{"), None));
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
            parts.push((before.to_owned(), Some(name.to_owned())));
            rest = after;
        }
        parts.push((rest.to_owned(), None));
        let written = text.trim().to_owned();
        Ok(Self { written, parts })
    }
}

impl Template {
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|(_, name)| name.as_deref())
    }

    /// The text with the value of each variable; `value` also gets the text before it.
    pub fn fill(&self, value: impl Fn(&str, &str) -> String) -> String {
        let mut filled = String::new();
        for (text, name) in &self.parts {
            filled.push_str(text);
            if let Some(name) = name {
                let value = value(&filled, name);
                filled.push_str(&value);
            }
        }
        filled
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
    /// The first fault, with its line and key.
    pub fn parse(text: &str, path: &Path) -> Result<Self, String> {
        let text = text.trim_start_matches('\u{feff}');
        let read = toml::from_str::<BTreeMap<String, Spanned<Entry>>>(text);
        let read = read.map_err(|error| describe_fault(text, &error))?;
        let mut written: BTreeMap<String, Value> = toml::from_str(text).unwrap_or_default();
        let mut entries = Vec::new();
        for (name, entry) in read {
            let line = line_of(text, entry.span().start);
            let digested = written.remove(&name).unwrap_or_default();
            let entry = entry.into_inner().complete(name, path, digested);
            entries.push(entry.map_err(|reason| format!("line {line}: {reason}"))?);
        }
        let path = path.to_owned();
        Ok(Self { path, entries })
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

impl Entry {
    /// The entry with what is not among its keys; `digested` are these as JSON.
    ///
    /// # Errors
    /// If its name or the keys together are at fault.
    fn complete(self, name: String, file: &Path, mut digested: Value) -> Result<Self, String> {
        if !is_name(&name) {
            return Err(format!(
                "the name of an entry has at most {NAME_BYTES_MAX} letters, digits, _ and -, and begins with no -"
            ));
        }
        if let Some(keys) = digested.as_object_mut() {
            keys.retain(|key, _| !["every", "at", "partial"].contains(&key.as_str()));
        }
        let folder = file.parent().unwrap_or(Path::new("/"));
        let entry = Self {
            name,
            google_credentials: self.google_credentials.map(|path| folder.join(path)),
            format: match self.format {
                Some(FormatArgument::File(path)) => Some(FormatArgument::File(folder.join(path))),
                format => format,
            },
            file: file.to_owned(),
            digested,
            ..self
        };
        entry.check().map(|()| entry)
    }

    /// # Errors
    /// If keys exclude each other, or one needs another.
    fn check(&self) -> Result<(), String> {
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
                return Err(format!("{one} and {other} exclude each other; keep one"));
            }
        }
        let uses_command = (self.templates().flat_map(Template::variables)).any(|it| it == COMMAND);
        match (uses_command, self.command.is_empty()) {
            (true, true) => Err("${COMMAND} is what `command` prints, which is missing".to_owned()),
            (false, false) => Err("`command` is set, but ${COMMAND} is used in no key".to_owned()),
            _ => Ok(()),
        }
    }

    pub fn schedule(&self) -> Schedule {
        self.at
            .clone()
            .or_else(|| self.every.clone())
            .unwrap_or_default()
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
        let text = self
            .url
            .written
            .split(['?', '#'])
            .next()
            .unwrap_or_default();
        let Some((scheme, rest)) = text.split_once("://") else {
            return text.to_owned();
        };
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let host = authority.rsplit('@').next().unwrap_or_default();
        format!("{scheme}://{host}{path}")
    }

    /// The source of its reviews: as it says, or that of the built-in format `read` or its own, or else the default.
    pub fn source_of(&self, read: Option<&str>) -> String {
        let own_format = match &self.format {
            Some(FormatArgument::BuiltIn(format)) => Some(format.clone()),
            _ => None,
        };
        let format = read.and_then(find_format).or(own_format);
        let source = self.source.clone();
        let source = source.or_else(|| format?.source.clone());
        source.unwrap_or_else(|| SOURCE_DEFAULT.to_owned())
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
            format: self.format.clone(),
            partial: self.is_partial,
            run_of: Some(self.name.clone()),
            ..ImportRequest::default()
        };
        let mut format_text = String::new();
        if let Some(FormatArgument::File(path)) = &self.format {
            let fault = |reason: &dyn Display| {
                SyncError::failed(format!("the format {}: {reason}", path.display()))
            };
            format_text = read_regular(path).map_err(|error| fault(&error))?;
            let format = Format::parse(&format_text).map_err(|error| fault(&error))?;
            request.own_format = Some(format);
        }
        let text = json!([self.digested, format_text]);
        Ok((request, hex(&Sha256::digest(text.to_string()))))
    }

    /// Refuses files that everybody may write: they say where secrets go, and run programs.
    ///
    /// # Errors
    /// If there is such a file.
    pub fn check_files(&self) -> Result<(), SyncError> {
        let format = match &self.format {
            Some(FormatArgument::File(path)) => Some(path.clone()),
            _ => None,
        };
        let command = (!self.command.is_empty()).then(|| self.program());
        let credentials = self.google_credentials.clone();
        let files = [
            Some(self.file.clone()),
            credentials,
            format,
            command.transpose()?,
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

/// What is wrong with a file: its line and key, without the value.
fn describe_fault(text: &str, error: &toml::de::Error) -> String {
    let span = error.span().unwrap_or_default();
    let line = line_of(text, span.start);
    let message = error.message().trim_end();
    if message.starts_with("duplicate key") {
        return format!("line {line}: a name stands twice");
    }
    let Ok(table) = DeTable::parse(text) else {
        return format!(
            "line {line}: this is no TOML; texts stand in quotes, and each entry begins with its [name]"
        );
    };
    let entries = table.get_ref();
    if message.starts_with("missing field") {
        let names = entries.keys().filter(|name| name.span().start < span.end);
        let name = names.max_by_key(|name| name.span().start);
        let name = name.map_or("", |name| name.get_ref());
        return format!("line {line}: [{name}]: {message}");
    }
    // The line has the value, too, or only a part of it: the key is the last one that begins before the fault.
    let keys = entries.iter().flat_map(|(name, entry)| {
        let keys = entry.get_ref().as_table().into_iter();
        iter::once(name).chain(keys.flat_map(|keys| keys.keys()))
    });
    let keys = keys.filter(|key| key.span().start <= span.start);
    let key = keys.max_by_key(|key| key.span().start);
    let key = key.map_or("", |key| key.get_ref());
    let reason = match message.rsplit_once(", expected ") {
        _ if message.starts_with("unknown field") => {
            let near = nearest(key, KEYS).unwrap_or_default();
            format!("no key of an entry; the nearest is {near}")
        }
        Some((_, "struct Entry")) => {
            "stands in no entry; a key stands below the [name] of its entry".to_owned()
        }
        // What stands before has the value.
        Some((_, expected)) => format!("expected {expected}"),
        None => message.to_owned(),
    };
    format!("line {line}: {key}: {reason}")
}
