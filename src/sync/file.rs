//! The operator's file of entries: what is fetched, when, with which headers, and how its answer is read.
//! `docs/guides/keep-reviews-fresh.md` lists the keys. No error repeats a value, which may be a secret.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::{self, Display};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use croner::Cron;
use percent_encoding::utf8_percent_encode;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName};
use rustix::process::geteuid;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_with::{DisplayFromStr, serde_as};
use sha2::{Digest as _, Sha256};
use toml::Spanned;
use url::Url;

use super::client::check_scheme;
use crate::config::{Environment, SyncConfig, TimeSpan, read_text};
use crate::imports::{
    Format, FormatArgument, ImportRequest, QUERY_VALUE, SOURCE_DEFAULT, basic_string, find_format,
    line_of, parse_source_name,
};
use crate::model::text::nearest;
use crate::model::{fold, hex};
use crate::storage::sync::SyncState;

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

/// The entries of a file, in its order of names; none if there is no file.
#[derive(Default)]
pub struct SyncFile {
    pub path: PathBuf,
    pub entries: Vec<SyncEntry>,
}

/// What is fetched. No `Debug`: it may have secrets.
#[serde_as]
#[derive(Clone, Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a table, which begins with its [name]"
)]
pub struct SyncEntry {
    #[serde(skip)]
    pub name: String,
    #[serde(deserialize_with = "read_url")]
    pub url: Template,
    #[serde(default, rename = "every", alias = "at")]
    pub schedule: Schedule,
    #[serde(default, deserialize_with = "read_headers")]
    pub headers: HeaderMap<Template>,
    #[serde(default, deserialize_with = "read_basic")]
    pub basic: Option<Template>,
    /// Program and arguments.
    #[serde(default)]
    pub command: Vec<String>,
    pub google_credentials: Option<PathBuf>,
    pub source: Option<String>,
    #[serde_as(as = "Option<DisplayFromStr>")]
    #[serde(default)]
    pub format: Option<FormatArgument>,
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

/// A text in which `${NAME}` is a value of the environment, and `$${` is `${`.
#[derive(Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct Template {
    written: String,
    /// Texts, each with the variable that follows it.
    parts: Vec<(String, Option<String>)>,
}

impl TryFrom<String> for Template {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
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

fn read_url<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Template, D::Error> {
    let url = Template::deserialize(deserializer)?;
    let mut begins = ["https://", "http://", "${"].iter();
    if begins.any(|begin| url.written.starts_with(begin)) {
        return Ok(url);
    }
    Err(D::Error::custom("write it like https://HOST/PATH"))
}

fn read_headers<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<HeaderMap<Template>, D::Error> {
    let mut headers = HeaderMap::default();
    for (name, value) in BTreeMap::<String, Template>::deserialize(deserializer)? {
        let header = HeaderName::try_from(&name);
        let header =
            header.map_err(|_| D::Error::custom(format!("{name:?} is no name of a header")))?;
        if headers.insert(header, value).is_some() {
            return Err(D::Error::custom("a header is there twice; keep one"));
        }
    }
    Ok(headers)
}

fn read_basic<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Template>, D::Error> {
    let basic = Template::deserialize(deserializer)?;
    // A variable may have both.
    if basic.written.contains(':') || basic.variables().next().is_some() {
        return Ok(Some(basic));
    }
    let advice = "write user and password with a colon between them, such as ${USER}:${PASSWORD}";
    Err(D::Error::custom(advice))
}

impl Template {
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|(_, name)| name.as_deref())
    }

    /// The text with the value of each variable, which the query of a URL has encoded.
    pub fn fill(&self, values: &BTreeMap<&str, String>, is_url: bool) -> String {
        let mut filled = String::new();
        for (text, name) in &self.parts {
            filled += text;
            let value = name.as_ref().and_then(|name| values.get(name.as_str()));
            let value = value.map_or("", String::as_str);
            if is_url && filled.contains('?') {
                filled.extend(utf8_percent_encode(value, QUERY_VALUE));
            } else {
                filled += value;
            }
        }
        filled
    }
}

fn is_variable(name: &str) -> bool {
    let is_allowed = |it: u8| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'_';
    name.starts_with(|first: char| first.is_ascii_uppercase()) && name.bytes().all(is_allowed)
}

impl SyncFile {
    /// The file of these settings: the one that they name, else the one beside the database; `None` if that is not there.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn read(config: &SyncConfig, database: &Path) -> Result<Option<Self>, String> {
        let path = Self::path(config, database);
        let read = match read_text(&path) {
            Ok(text) => Self::parse(&text, &path),
            Err(error) if error.kind() == io::ErrorKind::NotFound && config.sync_file.is_none() => {
                return Ok(None);
            }
            Err(error) => Err(error.to_string()),
        };
        let read = read.map_err(|reason| format!("{}: {reason}", path.display()));
        read.map(Some)
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
    /// The first fault, with its line and key; where two keys do not go together, with the line of their entry.
    pub fn parse(text: &str, path: &Path) -> Result<Self, String> {
        let text = text.trim_start_matches('\u{feff}');
        let read = toml::from_str::<BTreeMap<String, Spanned<SyncEntry>>>(text);
        let read = read.map_err(|error| describe_fault(text, error))?;
        let mut written: BTreeMap<String, Value> = toml::from_str(text).unwrap_or_default();
        let mut entries = Vec::new();
        for (name, entry) in read {
            let line = line_of(text, entry.span().start);
            let digested = written.remove(&name).unwrap_or_default();
            let entry = entry.into_inner();
            if let Some((key, reason)) = entry.find_conflict(&digested) {
                return Err(format!("line {line}: {name}.{key}: {reason}"));
            }
            let entry = entry.complete(name, path, digested);
            entries.push(entry.map_err(|reason| format!("line {line}: {reason}"))?);
        }
        let path = path.to_owned();
        Ok(Self { path, entries })
    }
}

fn is_name(name: &str) -> bool {
    (1..=NAME_BYTES_MAX).contains(&name.len())
        && !name.starts_with('-')
        && !name.contains(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-')
}

impl SyncEntry {
    /// The key that does not go with the others or with its value, and why; `written` are the keys as JSON.
    fn find_conflict(&self, written: &Value) -> Option<(&'static str, &'static str)> {
        let has_header = self.headers.contains_key(AUTHORIZATION);
        let mut variables = self.templates().flat_map(Template::variables);
        let reason = "it and another Authorization exclude each other; keep one";
        if self.google_credentials.is_some() && (self.basic.is_some() || has_header) {
            Some(("google_credentials", reason))
        } else if self.basic.is_some() && has_header {
            Some(("basic", reason))
        } else if self.command.is_empty() && variables.any(|name| name == COMMAND) {
            Some(("command", "missing, and ${COMMAND} is what it prints"))
        } else if let Some(reason) = self.find_fault_of_url() {
            Some(("url", reason))
        } else {
            let mut others = ["source", "format", "google_credentials"].into_iter();
            let key = others.find(|key| written[*key].to_string().contains("${"));
            let reason = "variables stand in url, headers and basic only; write the value";
            key.map(|key| (key, reason))
        }
    }

    /// Why the address is never fetched, as far as it is known without the values of variables.
    fn find_fault_of_url(&self) -> Option<&'static str> {
        let url: Url = self.shown_url().parse().ok()?;
        let is_known = !url.host_str()?.contains('{');
        check_scheme(&url, self.allows_http)
            .err()
            .filter(|_| is_known)
    }

    /// The entry with what is not among its keys; `digested` are these as JSON.
    ///
    /// # Errors
    /// If its name is at fault.
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
        let source = self.source.as_deref().map(parse_source_name).transpose();
        let source = source.map_err(|reason| format!("{name}.source: {reason}"))?;
        Ok(Self {
            name,
            source: source.filter(|name| !name.is_empty()),
            google_credentials: self.google_credentials.map(|path| folder.join(path)),
            format: match self.format {
                Some(FormatArgument::File(path)) => Some(FormatArgument::File(folder.join(path))),
                Some(FormatArgument::Draft) => None,
                format => format,
            },
            file: file.to_owned(),
            digested,
            ..self
        })
    }

    pub fn folder(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new("/"))
    }

    /// The name of a file for its format, beside the file of entries.
    pub fn format_file(&self) -> String {
        let file = format!("{}.toml", self.name);
        let entries = self.file.file_name().unwrap_or_default().to_string_lossy();
        if fold(&entries) == fold(&file) {
            format!("{}-format.toml", self.name)
        } else {
            file
        }
    }

    /// The public reviews that its newest run lacks; none if that need not have all.
    pub const fn count_gone(&self, state: &SyncState) -> i64 {
        if self.is_partial { 0 } else { state.gone }
    }

    pub fn templates(&self) -> impl Iterator<Item = &Template> {
        let headers = self.headers.values();
        headers.chain(&self.basic).chain([&self.url])
    }

    /// Scheme, host and path of the address, with variables as they are written.
    pub fn shown_url(&self) -> String {
        let written = self.url.written.as_str();
        let (text, _) = written.split_once(['?', '#']).unwrap_or((written, ""));
        let Some((scheme, rest)) = text.split_once("://") else {
            return text.to_owned();
        };
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (_, host) = authority.rsplit_once('@').unwrap_or(("", authority));
        format!("{scheme}://{host}{path}")
    }

    /// The source of its reviews: as it says, or that of the built-in format `read` or its own, or else the default.
    pub fn source_of(&self, read: Option<&str>) -> String {
        let built_in = match &self.format {
            Some(FormatArgument::BuiltIn(format)) => Some(format.clone()),
            _ => None,
        };
        let format = read.and_then(find_format).or(built_in);
        let source = self.source.clone();
        let source = source.or_else(|| format?.source.clone());
        source.unwrap_or_else(|| SOURCE_DEFAULT.to_owned())
    }

    /// What to write into it if it still states the former name of its source, from which a run would make another source.
    pub fn find_former_source(&self, state: &SyncState) -> Option<String> {
        let (last, present) = (&state.last_import, state.source.as_ref()?);
        let former = last.former_source.as_ref()?;
        let stated = fold(&self.source_of(last.format.as_deref()));
        let name = basic_string(present);
        (stated == fold(former) && stated != fold(present)).then(|| {
            format!("its source {former} is {present} now; write `source = {name}` into the entry")
        })
    }

    /// The program of the command, looked up in PATH if it has no slash.
    ///
    /// # Errors
    /// If there is none.
    pub fn program(&self, environment: &Environment) -> Result<PathBuf, &'static str> {
        let word = self.command.first().map_or("", String::as_str);
        if word.contains('/') {
            return Ok(self.folder().join(word));
        }
        let paths = environment.variable("PATH");
        let paths = paths.unwrap_or(OsStr::new(PATH_DEFAULT));
        for folder in env::split_paths(paths) {
            let path = folder.join(word);
            let file = fs::metadata(&path);
            if file.is_ok_and(|file| file.is_file() && file.mode() & 0o111 != 0) {
                return Ok(path);
            }
        }
        Err("the command's program is not in PATH")
    }

    /// How its answers are read, and a digest of all that decides what a run brings: the entry but for its schedule and `partial`, and
    /// the bytes of its format's file, whose own digest stands at the end, after a dot.
    ///
    /// # Errors
    /// If the format's file cannot be read.
    pub fn reading(&self) -> Result<(ImportRequest, String), String> {
        let mut request = ImportRequest {
            source: self.source.clone(),
            format: self.format.clone(),
            partial: self.is_partial,
            run_of: Some(self.name.clone()),
            ..ImportRequest::default()
        };
        let mut format_text = String::new();
        if let Some(FormatArgument::File(path)) = &self.format {
            let shown = format!("the format {}", path.display());
            format_text = read_text(path).map_err(|error| format!("{shown}: {error}"))?;
            let format =
                Format::parse(&format_text).map_err(|fault| format!("{shown}: {fault}"))?;
            request.owner_format = Some(format);
        }
        let digests = [self.digested.to_string(), format_text];
        let digests = digests.map(|text| hex(&Sha256::digest(text)));
        Ok((request, digests.join(".")))
    }

    /// Refuses files that everybody may write: they say where secrets go, and run programs.
    ///
    /// # Errors
    /// If there is such a file.
    pub fn check_files(&self, environment: &Environment) -> Result<(), String> {
        let mut files = vec![self.file.clone()];
        files.extend(self.google_credentials.clone());
        if let Some(FormatArgument::File(path)) = &self.format {
            files.push(path.clone());
        }
        if !self.command.is_empty() {
            files.push(self.program(environment)?);
        }
        for path in files {
            // One that is not there is reported where it is read.
            let Ok(metadata) = fs::metadata(&path) else {
                continue;
            };
            let (shown, owner) = (path.display(), metadata.uid());
            if metadata.mode() & 0o002 != 0 {
                return Err(format!(
                    "everybody may write {shown}, which says where secrets go and what is run; `chmod o-w` it"
                ));
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

// When an entry is fetched: an interval, or times of day in the business's time zone.

/// Republished sheets and most platforms' limits allow no more.
const INTERVAL_MIN: Duration = Duration::from_mins(5);

/// As it was written, and what it means.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub enum Schedule {
    Every(String, Duration),
    At(String, Box<Cron>),
}

impl Default for Schedule {
    fn default() -> Self {
        Self::Every("6h".to_owned(), Duration::from_hours(6))
    }
}

impl Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Every(text, _) | Self::At(text, _)) = self;
        f.write_str(text)
    }
}

impl TryFrom<String> for Schedule {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if let Ok(TimeSpan(interval)) = text.parse() {
            return if interval < INTERVAL_MIN {
                Err("less than 5 minutes; write 5m or more")
            } else {
                Ok(Self::Every(text, interval))
            };
        }
        // The parser also takes nicknames such as @daily, and seconds and years.
        let cron = text.parse().ok();
        let cron = cron.filter(|_| text.split_whitespace().count() == 5);
        let cron: Cron = cron.ok_or("no schedule; write every = \"6h\", or at = \"15 3 * * *\": minute, hour, day, month, weekday")?;
        let first = cron.find_next_occurrence(&DateTime::UNIX_EPOCH, false);
        if first.is_err() {
            return Err("never due; write a day that its month has");
        }
        Ok(Self::At(text, Box::new(cron)))
    }
}

impl Schedule {
    /// The next time after `now`.
    pub fn next(&self, now: DateTime<Utc>, zone: Tz) -> DateTime<Utc> {
        match self {
            Self::Every(_, interval) => now + *interval,
            Self::At(_, cron) => {
                let next = cron.find_next_occurrence(&now.with_timezone(&zone), false);
                next.map_or(DateTime::<Utc>::MAX_UTC, |next| next.to_utc())
            }
        }
    }
}

/// What is wrong with a file: its line and key, without the value, which the words of the library have.
fn describe_fault(text: &str, mut error: toml::de::Error) -> String {
    let line = line_of(text, error.span().unwrap_or_default().start);
    error.set_input(None);
    let shown = error.to_string();
    let path = shown.trim_end().rsplit_once("\nin `");
    let Some((message, path)) = path else {
        return format!("line {line}: this is no TOML: {}", error.message());
    };
    let reason = match message.rsplit_once(", expected ") {
        Some((unknown, _)) if unknown.starts_with("unknown field") => {
            let name = unknown.split('`').nth(1).unwrap_or_default();
            let near = nearest(name, KEYS).unwrap_or_default();
            format!("{name} is no key of an entry; the nearest is {near}")
        }
        Some((_, expected)) => format!("expected {expected}"),
        // TOML itself refuses a key that is there twice.
        None if message.starts_with("duplicate field") => {
            "every and at exclude each other; keep one".to_owned()
        }
        None => message.to_owned(),
    };
    format!("line {line}: {}: {reason}", path.trim_end_matches('`'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cron_of_other_than_five_fields_is_refused() {
        for text in [
            "* * * *",
            "* * * * * *",
            "61 * * * *",
            "@daily",
            "0 0 30 2 *",
        ] {
            assert!(Schedule::try_from(text.to_owned()).is_err(), "{text}");
        }
        for text in [
            "*/5 * * * *",
            "15 3 * * *",
            "0 3 29 2 *",
            "0,30 8-18 * * 1-5",
        ] {
            assert!(Schedule::try_from(text.to_owned()).is_ok(), "{text}");
        }
    }

    #[test]
    fn cron_is_in_the_time_zone_of_the_business() {
        let schedule = Schedule::try_from("15 3 * * mon".to_owned()).unwrap();
        let now = "2026-11-20T12:00:00Z".parse().unwrap();
        let next = schedule.next(now, Tz::America__Phoenix);
        assert_eq!(next.to_rfc3339(), "2026-11-23T10:15:00+00:00");
    }
}
