//! What an import is asked to do: the arguments of the command, which tests and the seed give as values.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use clap::{Args, ValueEnum};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::Value;

use crate::imports::fault::FieldError;
use crate::imports::format::Format;
use crate::imports::platforms::{find_format, format_names};
use crate::imports::read::{RowFault, Table};
use crate::model::business::Business;
use crate::model::text::nearest;
use crate::model::{compose, fold};
use crate::storage::reviews::SourceCounts;

/// Source name of a review without one.
pub const SOURCE_DEFAULT: &str = "Direct";

/// The files and options of an import.
#[derive(Debug, Clone, Default, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag by itself")]
pub struct ImportRequest {
    /// An export of any known platform, a table (CSV, XLSX, ODS), JSON, JSON Lines, a page with JSON-LD, a zip of these; - reads
    /// standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Source of rows that name none, and of all rows in our own form, for example Facebook [default: the platform of the export, else
    /// Direct]
    #[arg(long, value_name = "NAME", value_parser = parse_source_name)]
    pub source: Option<String>,
    /// How FILE is read: a built-in format, or a file with a format, which is kept with the source; `draft` prints the draft of one
    /// [default: what the source keeps, else detected]
    #[arg(long, value_name = "NAME|FILE|draft")]
    pub format: Option<FormatArgument>,
    /// Report what the import would do, without changing the database
    #[arg(long)]
    pub dry_run: bool,
    /// Withhold reviews that their source no longer lists, and publish them again when they return
    #[arg(long)]
    pub withdraw_missing: bool,
    /// Restore reviews of FILE that you deleted
    #[arg(long)]
    pub restore: bool,
    /// Import all doubtful rows as new reviews, or take each as the one review that it may be
    #[arg(long, value_enum)]
    pub doubtful: Option<Doubtful>,
    /// Take an import that changes, hides or publishes more than half of a source's reviews, lacks more than half of its replies, or
    /// withholds more than a tenth as missing
    #[arg(long)]
    pub accept_changes: bool,
    /// Leave out new rows that equal a review of another source in author, day, stars and text
    #[arg(long)]
    pub skip_duplicates: bool,
    /// The owner's format: that of the file of `--format`, or the answers.
    #[arg(skip)]
    pub owner_format: Option<Format>,
    /// Whether the files have only some of the reviews.
    #[arg(skip)]
    pub partial: bool,
    /// Whether the files are sample data, which cannot be undone.
    #[arg(skip)]
    pub is_sample: bool,
    /// Whether others wait to write while the rows are compared with the stored reviews, and not only while the import writes.
    #[arg(skip)]
    pub holds_lock: bool,
    /// The entry of the sync file whose run this import is.
    #[arg(skip)]
    pub run_of: Option<String>,
    /// The stored business, whose country, people and name help to read the files; the import itself looks it up.
    #[arg(skip)]
    pub business: Option<Business>,
    /// The secrets of the request whose answer the files are.
    #[arg(skip)]
    pub mask: Mask,
    /// The folder of the files, if they are not named by their paths.
    #[arg(skip)]
    pub folder: Option<PathBuf>,
}

/// The value of `--format`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormatArgument {
    BuiltIn(Arc<Format>),
    /// A file with the owner's format.
    File(PathBuf),
    /// The draft is wanted, and nothing imported.
    Draft,
}

impl FromStr for FormatArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "draft" {
            return Ok(Self::Draft);
        }
        if let Some(format) = find_format(text) {
            return Ok(Self::BuiltIn(format));
        }
        if text.contains(['.', '/']) {
            return Ok(Self::File(text.into()));
        }
        let near = nearest(text, format_names()).unwrap_or_default();
        Err(format!(
            "no built-in format has this name; the nearest is {near}; a file is named with its folder, as ./NAME.toml"
        ))
    }
}

/// Characters of a source's name.
const SOURCE_CHARS_MAX: usize = 100;

/// The name of a source as files give it: composed (NFC), without blanks around it.
///
/// # Errors
/// If it is no short line.
pub fn parse_source_name(name: &str) -> Result<String, String> {
    let name = compose(name.trim()).into_owned();
    if name.chars().count() > SOURCE_CHARS_MAX || name.contains(char::is_control) {
        return Err(format!(
            "the name of a source is one line of at most {SOURCE_CHARS_MAX} characters"
        ));
    }
    Ok(name)
}

/// What the owner decides about all doubtful rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Doubtful {
    New,
    Same,
}

impl ImportRequest {
    /// Of the business, ISO 3166-1 alpha-2.
    pub fn country(&self) -> Option<&str> {
        self.business.as_ref()?.country.as_deref()
    }

    /// The faults of a row in one line. Of a fetched row only the fields are named: a message with a value would have the server's words.
    pub fn describe_faults(&self, faults: &[FieldError]) -> String {
        let mut described = Vec::new();
        for fault in faults {
            let is_ours = self.run_of.is_none() || OUR_WORDS.contains(&fault.message.as_str());
            let described_fault = match fault.path.as_str() {
                _ if is_ours => fault.to_string(),
                "" => "the row cannot be read".to_owned(),
                path => format!("{path}: the value cannot be read"),
            };
            described.push(described_fault);
        }
        described.join("; ")
    }

    /// Source of the rows that name none, of a file of that format.
    pub fn source_of<'r>(&'r self, format: &'r Format) -> &'r str {
        let requested = self.source.as_deref();
        let source = requested.or(format.source.as_deref());
        source.unwrap_or(SOURCE_DEFAULT)
    }
}

/// Replaces a source's name by that of a stored source which differs from it only in case.
pub fn respell(name: &mut String, sources: &[SourceCounts]) {
    let mut stored = sources.iter().map(|source| &source.source_name);
    if !stored.clone().any(|other| other == name)
        && let Some(other) = stored.find(|other| fold(other) == fold(name))
    {
        name.clone_from(other);
    }
}

// The secrets of a request, which its answer may repeat: rows with one are left out, and names of columns are shown without it.

/// What is shown in place of a secret.
const MASKED: &str = "…";
/// Why a row is rejected that has one.
pub const HAS_SECRET: &str = "has the value of a variable or another secret of the request, so it is left out; write a value that is no secret into the address \
    itself";
/// Messages about fields that have no value of theirs.
const OUR_WORDS: [&str; 2] = ["missing", HAS_SECRET];
/// A shorter secret is a word of many reviews, so it counts only as the value of a parameter.
const WORD_BYTES: usize = 4;
/// All but the unreserved characters of a URL (RFC 3986 §2.3).
pub const QUERY_VALUE: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The secrets; `Debug`, which a log shows, tells none.
#[derive(Clone, Default)]
pub struct Mask(Vec<String>);

impl Mask {
    /// Adds a secret: as it is, as a URL and a text of JSON have it, and in Base64.
    pub fn add(&mut self, secret: &str) {
        let encoded = utf8_percent_encode(secret, QUERY_VALUE).to_string();
        let in_json = Value::from(secret).to_string();
        let in_json = in_json.trim_matches('"').to_owned();
        let in_base64 = BASE64_STANDARD_NO_PAD.encode(secret);
        for form in [secret.to_owned(), encoded, in_json, in_base64] {
            let is_short = secret.len() < WORD_BYTES;
            let form = if is_short { format!("={form}") } else { form };
            if !secret.is_empty() && !self.0.contains(&form) {
                self.0.push(form);
            }
        }
        // One secret may begin with another.
        self.0.sort_by_key(|form| std::cmp::Reverse(form.len()));
    }

    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the text has a secret, as it is or encoded as in a URL or a form.
    pub fn is_in(&self, text: &str) -> bool {
        if !text.contains(['%', '+']) {
            return self.is_written_in(text);
        }
        let of_form = text.replace('+', " ");
        self.is_written_in(text)
            || self.is_written_in(&percent_decode_str(text).decode_utf8_lossy())
            || self.is_written_in(&percent_decode_str(&of_form).decode_utf8_lossy())
    }

    fn is_written_in(&self, text: &str) -> bool {
        self.0.iter().any(|secret| text.contains(secret.as_str()))
    }

    /// Empties the rows of a table that have a secret, and masks it in names.
    pub fn hide_in(&self, table: &mut Table) {
        if self.is_empty() {
            return;
        }
        let beside = table.beside.iter_mut();
        let names = table.columns.iter_mut().chain([&mut table.place]);
        for name in names.chain(beside.flat_map(|(name, value)| [name, value])) {
            *name = self.apply(name).replace(char::is_control, " ");
        }
        for row in &mut table.rows {
            if row.cells.all().any(|(_, cell)| self.is_in(cell)) {
                let fault = RowFault {
                    message: HAS_SECRET.to_owned(),
                    raw: Some(Value::Null),
                };
                // The others may say that its review is hidden.
                row.cells.retain(|cell| !self.is_in(cell));
                row.fault = Some(Box::new(fault));
            }
        }
    }

    /// The text without secrets; nothing of one that has a secret in another spelling.
    pub fn apply(&self, text: &str) -> String {
        let mut masked = text.to_owned();
        for secret in &self.0 {
            masked = masked.replace(secret, MASKED);
        }
        if self.is_in(&masked) {
            MASKED.clone_into(&mut masked);
        }
        masked
    }
}

impl fmt::Debug for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mask")
    }
}
