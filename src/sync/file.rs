//! The operator's file of entries: what is fetched, when, with which headers, and how its answer is read.
//! `docs/guides/keep-reviews-fresh.md` lists the keys. No error repeats a value, which may be a secret.

use std::fmt::{Display, Write as _};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use reqwest::header::{AUTHORIZATION, HeaderName};
use rustix::process::geteuid;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use toml::de::{DeTable, DeValue};

use super::error::SyncError;
use super::schedule::Schedule;
use crate::config::{SyncConfig, read_text};
use crate::imports::{
    Format, FormatArgument, ImportRequest, SOURCE_DEFAULT, composed, find_format, format_names,
};
use crate::model::hex;
use crate::model::text::nearest;

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
const CONNECTION_HEADERS: [&str; 15] = [
    "host",
    "connection",
    "content-length",
    "transfer-encoding",
    "te",
    "trailer",
    "upgrade",
    "expect",
    "range",
    "if-match",
    "if-none-match",
    "if-modified-since",
    "if-unmodified-since",
    "if-range",
    "accept-encoding",
];
/// Where programs are looked for if PATH is not set.
const PATH_DEFAULT: &str = "/usr/local/bin:/usr/bin:/bin";
const NAME_BYTES_MAX: usize = 64;
const ENTRIES_MAX: usize = 1_000;
/// Faults of a file that are named.
const FAULTS_SHOWN: usize = 20;

/// The entries of a file, in its order of names.
pub struct SyncFile {
    pub path: PathBuf,
    pub entries: Vec<Entry>,
}

/// What is fetched. No `Debug`: it may have secrets.
#[derive(Clone)]
pub struct Entry {
    pub name: String,
    pub url: Template,
    pub schedule: Schedule,
    pub headers: Vec<(HeaderName, Template)>,
    pub basic: Option<Template>,
    /// Program and arguments.
    pub command: Vec<String>,
    pub google_credentials: Option<PathBuf>,
    pub source: Option<String>,
    format: Option<String>,
    pub is_partial: bool,
    pub allows_http: bool,
    /// The file of the entry.
    file: PathBuf,
}

/// A text in which `${NAME}` is a value of the environment, and `$${` is `${`.
#[derive(Clone, Default)]
pub struct Template(Vec<Part>);

#[derive(Clone)]
enum Part {
    Text(String),
    Variable(String),
}

impl Template {
    fn parse(text: &str) -> Result<Self, String> {
        let (mut parts, mut rest) = (Vec::new(), text);
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
                let mut reader = EntryReader::new(text, name, line, path);
                reader.read(keys);
                faults.append(&mut reader.faults);
                entries.push(reader.entry);
            } else {
                faults.push(format!(
                    "line {line}: {name} stands in no entry; a key stands below the [name] of its entry"
                ));
            }
        }
        if entries.len() > ENTRIES_MAX {
            faults.push(format!("a file may have {ENTRIES_MAX} entries"));
        }
        if faults.is_empty() {
            entries.sort_by(|one, other| one.name.cmp(&other.name));
            let path = path.to_owned();
            return Ok(Self { path, entries });
        }
        let more = faults.len().saturating_sub(FAULTS_SHOWN);
        faults.truncate(FAULTS_SHOWN);
        let mut reason = faults.join("; ");
        if more > 0 {
            // Writing into a String cannot fail.
            let _ = write!(reason, "; and {more} more");
        }
        Err(reason)
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

fn line_of(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    1 + memchr::memchr_iter(b'\n', before).count()
}

/// Reads the keys of one entry.
struct EntryReader<'t> {
    text: &'t str,
    line: usize,
    entry: Entry,
    faults: Vec<String>,
}

impl<'t> EntryReader<'t> {
    fn new(text: &'t str, name: &str, line: usize, file: &Path) -> Self {
        let entry = Entry {
            name: name.to_owned(),
            url: Template::default(),
            schedule: Schedule::default(),
            headers: Vec::new(),
            basic: None,
            command: Vec::new(),
            google_credentials: None,
            source: None,
            format: None,
            is_partial: false,
            allows_http: false,
            file: file.to_owned(),
        };
        Self {
            text,
            line,
            entry,
            faults: Vec::new(),
        }
    }

    fn read(&mut self, keys: &DeTable<'_>) {
        for (key, value) in keys {
            let name: &str = key.get_ref();
            if let Err(reason) = self.read_key(name, value.get_ref()) {
                let line = line_of(self.text, key.span().start);
                let entry = &self.entry.name;
                self.faults
                    .push(format!("line {line}: [{entry}] {name}: {reason}"));
            }
        }
        let has = |key| keys.contains_key(key);
        let entry = &self.entry;
        let has_authorization = entry.headers.iter().any(|(name, _)| *name == AUTHORIZATION);
        let uses_command = entry
            .templates()
            .any(|it| it.variables().any(|it| it == COMMAND));
        let both = |one, other| format!("{one} and {other} exclude each other; keep one");
        let faults = [
            (!has("url"), "url is missing".to_owned()),
            (has("every") && has("at"), both("every", "at")),
            (
                has("google_credentials") && has_authorization,
                both("google_credentials", "a header Authorization"),
            ),
            (
                has("google_credentials") && has("basic"),
                both("google_credentials", "basic"),
            ),
            (
                has("basic") && has_authorization,
                both("basic", "a header Authorization"),
            ),
            (
                has("command") && !uses_command,
                "`command` is run for ${COMMAND}, which stands in no key".to_owned(),
            ),
            (
                uses_command && !has("command"),
                "${COMMAND} is what `command` prints, which is missing".to_owned(),
            ),
        ];
        let faults = faults.into_iter().filter(|(is_fault, _)| *is_fault);
        let faults =
            faults.map(|(_, reason)| format!("line {}: [{}] {reason}", self.line, entry.name));
        self.faults.extend(faults.collect::<Vec<_>>());
    }

    fn read_key(&mut self, key: &str, value: &DeValue<'_>) -> Result<(), String> {
        let entry = &mut self.entry;
        match key {
            "url" => {
                let text = text_of(value)?;
                let begins = ["https://", "http://", "${"];
                if !begins.iter().any(|begin| text.starts_with(begin)) {
                    return Err("write it like https://HOST/PATH".to_owned());
                }
                entry.url = Template::parse(text)?;
            }
            "source" => {
                let text = text_of(value)?;
                if text.contains("${") {
                    return Err("variables stand in url, headers and basic only".to_owned());
                }
                let name = composed(text).unwrap_or_default();
                if name.is_empty() {
                    return Err("a name is missing".to_owned());
                }
                entry.source = Some(name);
            }
            "format" => {
                let text = text_of(value)?;
                match text.parse::<FormatArgument>() {
                    Ok(FormatArgument::BuiltIn(_) | FormatArgument::File(_)) => {
                        entry.format = Some(text.to_owned());
                    }
                    Ok(FormatArgument::Draft) | Err(_) => {
                        let near = nearest(text, format_names()).unwrap_or_default();
                        return Err(format!(
                            "no built-in format; the nearest is {near}; a file is named with its folder, as ./NAME.toml"
                        ));
                    }
                }
            }
            "every" => entry.schedule = Schedule::parse_interval(text_of(value)?)?,
            "at" => entry.schedule = Schedule::parse_cron(text_of(value)?)?,
            "headers" => {
                let DeValue::Table(headers) = value else {
                    return Err("expected { NAME = \"value\" }".to_owned());
                };
                for (name, value) in headers {
                    let name: &str = name.get_ref();
                    let value = text_of(value.get_ref()).and_then(Template::parse);
                    let value = value.map_err(|reason| format!("{name}: {reason}"))?;
                    if CONNECTION_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
                        return Err(format!("{name} belongs to the connection; leave it out"));
                    }
                    let name = HeaderName::from_bytes(name.as_bytes());
                    let name = name.map_err(|_| "the name of a header is not valid".to_owned())?;
                    entry.headers.push((name, value));
                }
            }
            "basic" => {
                let text = text_of(value)?;
                if !text.contains(':') {
                    return Err("write it like ${USER}:${PASSWORD}".to_owned());
                }
                entry.basic = Some(Template::parse(text)?);
            }
            "command" => {
                let DeValue::Array(words) = value else {
                    return Err("expected a list of texts: program and arguments".to_owned());
                };
                let words = words.iter().map(|word| text_of(word.get_ref()));
                let words: Result<Vec<&str>, String> = words.collect();
                entry.command = words?.into_iter().map(str::to_owned).collect();
                if entry.command.first().is_none_or(String::is_empty) {
                    return Err("the program is missing".to_owned());
                }
            }
            "google_credentials" => {
                entry.google_credentials = Some(entry.resolve(text_of(value)?));
            }
            "partial" => entry.is_partial = flag_of(value)?,
            "allow_http" => entry.allows_http = flag_of(value)?,
            other => {
                let near = nearest(other, KEYS).unwrap_or_default();
                return Err(format!("no key of an entry; the nearest is {near}"));
            }
        }
        Ok(())
    }
}

fn text_of<'v>(value: &'v DeValue<'_>) -> Result<&'v str, String> {
    let text = value.as_str().map(str::trim);
    text.ok_or_else(|| "expected a text in quotes".to_owned())
}

fn flag_of(value: &DeValue<'_>) -> Result<bool, String> {
    let flag = value.as_bool();
    flag.ok_or_else(|| "expected true or false".to_owned())
}

impl Entry {
    pub fn folder(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new("/"))
    }

    /// A path of the file, which is relative to it.
    fn resolve(&self, path: &str) -> PathBuf {
        self.folder().join(path)
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

    /// The source of its reviews: as it says, or its built-in format, or else the default.
    pub fn shown_source(&self) -> String {
        let format = self.format.as_deref().and_then(find_format);
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
            return Ok(self.resolve(word));
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
            self.google_credentials.clone(),
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
