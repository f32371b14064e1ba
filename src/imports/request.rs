//! What an import is asked to do: the arguments of the command, which tests and the seed give as values.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fmt;
use std::num::NonZeroU8;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Args, FromArgMatches as _, ValueEnum};
use encoding_rs::Encoding;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::Value;

use crate::imports::map::fields::{Mapping, PublicSubject, ReviewField, is_one_of};
use crate::imports::map::questions::{COLUMN, VALUE};
use crate::imports::map::values::header_key;
use crate::imports::platforms::{Format, find_format, format_names};
use crate::imports::report::FileError;
use crate::imports::table::{find, list_columns};
use crate::model::business::Business;
use crate::model::{compose, fold};
use crate::storage::columns::{BY_NAME, BY_OTHERS, BY_OWNER, IGNORED, KeptColumn, KeptColumns};
use crate::storage::reviews::SourceCounts;

/// Source name of a review without one.
pub const SOURCE_DEFAULT: &str = "Direct";

/// The files and options of an import.
#[derive(Debug, Clone, Default, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag by itself")]
pub struct ImportRequest {
    /// An export of any known platform, a table (CSV, TSV, XLSX), JSON Lines, a Takeout zip or folder; - reads standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// The format of every FILE [default: detected from the content]
    #[arg(long, value_name = "F", value_parser = PossibleValuesParser::new(format_names()).try_map(|name| find_format(&name).ok_or("unknown")))]
    pub format: Option<&'static Format>,
    #[command(flatten)]
    pub columns: ColumnChoices,
    /// None of the columns that are not decided yet says whether a review, your answer or the author's name may be published
    #[arg(long)]
    pub ignore_others: bool,
    /// Highest value of the rating scale, for example 10; if given, halves are rounded up [default: 5]
    #[arg(long, value_name = "N", value_parser = |text: &str| text.parse::<NonZeroU8>()
        .map_err(|_| "write a whole number from 1 to 255, such as 10"))]
    pub scale: Option<NonZeroU8>,
    /// Date format (strftime), for example %d/%m/%Y [default: detected; where a column may be read both ways, the order of the business's country]
    #[arg(long, value_name = "F")]
    pub date_format: Option<String>,
    /// Source of the reviews if FILE does not name one, and of all in our own format, for example Facebook [default: the platform of
    /// the export, else Direct]
    #[arg(long, value_name = "NAME", value_parser = composed)]
    pub source: Option<String>,
    /// The sheet of a workbook [default: the first one with reviews]
    #[arg(long, value_name = "NAME")]
    pub sheet: Option<String>,
    /// Encoding of FILE, for example windows-1250 [default: detected]
    #[arg(long, value_name = "NAME", value_parser = encoding)]
    pub encoding: Option<&'static Encoding>,
    /// Number of the header row of a table, counted from 1 [default: detected]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_048_576))]
    pub header_row: Option<u64>,
    /// Accept a table without a text column: ratings only
    #[arg(long)]
    pub no_text: bool,
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
    /// FILE has only some of the reviews: only equal rows are reviews that are there
    #[arg(long, conflicts_with = "withdraw_missing")]
    pub partial: bool,
    /// Take an import that changes text or stars of more than half of a source's reviews, or withdraws more than a tenth of them
    #[arg(long)]
    pub accept_changes: bool,
    /// Leave out new rows that equal a review of another source in author, day, stars and text
    #[arg(long)]
    pub skip_duplicates: bool,
    /// Keep full names of authors that were never public; otherwise they become "Jane D."
    #[arg(long)]
    pub full_names: bool,
    /// Whether the files are sample data, in lines; they cannot be undone.
    #[arg(skip)]
    pub is_sample: bool,
    /// The sync source whose run this import is.
    #[arg(skip)]
    pub run_of: Option<String>,
    /// The stored business, whose country, people and name help to read the files; the import itself looks it up.
    #[arg(skip)]
    pub business: Option<Business>,
    /// The secrets of the request whose answer the files are.
    #[arg(skip)]
    pub mask: Mask,
    /// The folder below which files are opened without following links, if others may write there.
    #[arg(skip)]
    pub below: Option<Arc<OwnedFd>>,
}

/// What the owner says of columns, for `import`, `sync add` and `source columns`; it is kept for the source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct ColumnChoices {
    /// Fill a field of a review from a column, for example text=Review; repeat it to join two columns; FIELD= if there is no such field
    #[arg(long = "map", value_name = "FIELD=COLUMN", allow_hyphen_values = true)]
    pub maps: Vec<Mapping>,
    /// A review may be published only where COLUMN has VALUE (empty: an empty cell; *: any other); repeat it for more values
    #[arg(long, value_name = "COLUMN=VALUE", value_parser = with_value, allow_hyphen_values = true)]
    pub public: Vec<String>,
    /// The same of your answer
    #[arg(long, value_name = "COLUMN=VALUE", value_parser = with_value, allow_hyphen_values = true)]
    pub public_answer: Vec<String>,
    /// The same of the author's name, which is Anonymous otherwise
    #[arg(long, value_name = "COLUMN=VALUE", value_parser = with_value, allow_hyphen_values = true)]
    pub public_name: Vec<String>,
    /// COLUMN says nothing of what may be published; several with commas
    #[arg(long, value_name = "COLUMN")]
    pub ignore: Vec<String>,
}

fn with_value(text: &str) -> Result<String, &'static str> {
    if text.contains('=') {
        return Ok(text.to_owned());
    }
    Err("write it as COLUMN=VALUE, for example Publish=yes; Publish= means an empty cell")
}

/// A name as files give it: composed (NFC), without blanks around it.
///
/// # Errors
/// Never.
pub fn composed(name: &str) -> Result<String, Infallible> {
    Ok(compose(name.trim()).into_owned())
}

fn encoding(label: &str) -> Result<&'static Encoding, &'static str> {
    let unknown = "use a name such as utf-8, windows-1250, macintosh or shift_jis";
    Encoding::for_label(label.as_bytes()).ok_or(unknown)
}

/// What the owner decides about all doubtful rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Doubtful {
    New,
    Same,
}

impl ImportRequest {
    /// A request with these options, as words of a command line, without files.
    ///
    /// # Errors
    /// If an option is invalid.
    pub fn parse(words: &[String]) -> clap::error::Result<Self> {
        let command = Self::augment_args(clap::Command::new("import").no_binary_name(true));
        let words = words.iter().map(String::as_str).chain(["-"]);
        let mut request = Self::from_arg_matches(&command.try_get_matches_from(words)?)?;
        request.files.clear();
        Ok(request)
    }

    /// Adds what another request decides about columns.
    pub fn add_decisions(&mut self, other: Self) {
        self.columns.maps.extend(other.columns.maps);
        self.columns.public.extend(other.columns.public);
        self.columns
            .public_answer
            .extend(other.columns.public_answer);
        self.columns.public_name.extend(other.columns.public_name);
        self.columns.ignore.extend(other.columns.ignore);
        self.ignore_others |= other.ignore_others;
        self.no_text |= other.no_text;
        self.scale = self.scale.or(other.scale);
        self.date_format = self.date_format.take().or(other.date_format);
    }

    /// Of the business, ISO 3166-1 alpha-2.
    pub fn country(&self) -> Option<&str> {
        self.business.as_ref()?.country.as_deref()
    }

    /// Source of the rows that name none, of a file of that format.
    pub fn source_of(&self, format: &Format) -> &str {
        let requested = self.source.as_deref();
        requested.or(format.source).unwrap_or(SOURCE_DEFAULT)
    }
}

/// Replaces a source's name by that of a stored source which differs from it only in case; returns a note that says so.
pub fn respell(name: &mut String, sources: &[SourceCounts]) -> Option<String> {
    let mut stored = sources.iter().map(|source| &source.source_name);
    if stored.clone().any(|other| other == name) {
        return None;
    }
    let other = stored.find(|other| fold(other) == fold(name))?;
    let note = format!("--source {name} is the source {other}");
    name.clone_from(other);
    Some(note)
}

// The secrets of a request, which its answer may repeat: rows with one are left out, and names of columns are shown without it.

/// What is shown in place of a secret.
const MASKED: &str = "…";
/// Why a row is rejected that has one.
pub const HAS_SECRET: &str = "has a secret of the request, so it is left out";
/// A shorter secret may be a word of a review, so it counts only as the value of a parameter.
const WORD_BYTES: usize = 8;
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
    /// Adds a secret: as it is, composed as texts are stored, as a URL has it, and in Base64.
    pub fn add(&mut self, secret: &str) {
        let composed = compose(secret).into_owned();
        let encoded = utf8_percent_encode(secret, QUERY_VALUE).to_string();
        let in_base64 = BASE64_STANDARD_NO_PAD.encode(secret);
        for form in [secret.to_owned(), composed, encoded, in_base64] {
            let form = if secret.len() < WORD_BYTES {
                format!("={form}")
            } else {
                form
            };
            if !secret.is_empty() && !self.0.contains(&form) {
                self.0.push(form);
            }
        }
    }

    /// Whether the text has a secret, percent-encoded or not.
    pub fn is_in(&self, text: &str) -> bool {
        let has = |text: &str| self.0.iter().any(|secret| text.contains(secret.as_str()));
        has(text) || (text.contains('%') && has(&percent_decode_str(text).decode_utf8_lossy()))
    }

    /// The text without secrets.
    pub fn apply(&self, text: &str) -> String {
        let secrets = self.0.iter();
        secrets.fold(text.to_owned(), |text, secret| text.replace(secret, MASKED))
    }

    /// Whether a text of the record has a secret.
    pub fn is_in_record(&self, record: &Value) -> bool {
        match record {
            Value::String(text) => self.is_in(text),
            Value::Array(list) => list.iter().any(|value| self.is_in_record(value)),
            Value::Object(members) => members
                .iter()
                .any(|(name, value)| self.is_in(name) || self.is_in_record(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
}

impl fmt::Debug for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mask")
    }
}

// What the owner says of columns, by the options of a command: `--map`, `--public` and its like, `--ignore`.

impl ColumnChoices {
    /// The columns of publication that the options name, among `headers`, each with its value.
    pub fn public_columns(&self, headers: &[String]) -> Vec<(PublicSubject, usize, &str)> {
        let found = self.public_lists().into_iter().flat_map(|(subject, list)| {
            list.iter().filter_map(move |text| {
                let (column, value) = split_value(text, headers)?;
                Some((subject, column, value))
            })
        });
        found.collect()
    }

    /// The columns that the options name, for a source whose files are not at hand: as they are kept, or as they are written.
    pub fn headers(&self, kept: &KeptColumns, source: &str) -> Vec<String> {
        let mut headers: Vec<String> = Vec::new();
        for column in kept.of(source).filter(|column| !column.header.is_empty()) {
            if !headers.contains(&column.header) {
                headers.push(column.header.clone());
            }
        }
        let unknown = self.unknown(&headers);
        headers.extend(unknown.into_iter().map(|(_, header)| header));
        headers
    }

    /// The names of columns in the options that `headers` do not have.
    pub fn unknown(&self, headers: &[String]) -> Vec<(&'static str, String)> {
        let maps = self
            .maps
            .iter()
            .filter(|map| !map.column.is_empty() && map.column != COLUMN);
        let maps = maps.filter(|map| find(headers, &map.column).is_none());
        let maps = maps.map(|map| ("--map", map.column.clone()));
        let ignored = self
            .ignore
            .iter()
            .flat_map(|list| split_list(list, headers));
        let ignored = ignored.filter_map(|part| Some(("--ignore", part.err()?.to_owned())));
        let public = self.unknown_public(headers);
        maps.chain(public).chain(ignored).collect()
    }

    /// The values of `--public` and its like.
    fn public_lists(&self) -> [(PublicSubject, &[String]); 3] {
        [
            (PublicSubject::Review, &self.public),
            (PublicSubject::Answer, &self.public_answer),
            (PublicSubject::Name, &self.public_name),
        ]
    }

    /// The same of all subjects.
    pub fn public_texts(&self) -> impl Iterator<Item = &String> {
        let lists = self.public_lists().into_iter();
        lists.flat_map(|(_, list)| list)
    }

    /// A word of a printed command that has not been replaced.
    pub fn placeholder(&self) -> Option<&'static str> {
        let maps = self.maps.iter().map(|map| &map.column);
        let mut names = maps.chain(&self.ignore);
        let mut pairs = self.public_texts().filter_map(|text| text.split_once('='));
        if names.any(|name| name == COLUMN) {
            return Some(COLUMN);
        }
        pairs.find_map(|(name, value)| match (name, value) {
            (COLUMN, _) => Some(COLUMN),
            (_, VALUE) => Some(VALUE),
            _ => None,
        })
    }

    /// # Errors
    /// When two options contradict each other, or a table lacks a column that says what may be published: its rows would be public.
    pub fn check(&self, headers: &[String], needs_all: bool) -> Result<(), FileError> {
        if let Some((option, name)) = self.unknown_public(headers).first().filter(|_| needs_all) {
            let columns = list_columns(headers);
            return Err(FileError::new(format!(
                "has no column {name}, which {option} names; its columns are {columns}; add the column, or import the file by itself"
            )));
        }
        let both = self
            .public_columns(headers)
            .into_iter()
            .find(|(_, column, _)| self.ignores(&headers[*column]));
        match both {
            None => Ok(()),
            Some((subject, column, _)) => Err(FileError::new(format!(
                "{} is named by {} and by --ignore; leave one of them out",
                headers[column],
                subject.option()
            ))),
        }
    }

    /// Whether `--ignore` names a column, in whatever table.
    pub fn ignores(&self, header: &str) -> bool {
        let mut ignored = self.ignore.iter().flat_map(|list| list.split(','));
        let key = header_key(header);
        self.ignore.iter().any(|list| header_key(list) == key)
            || ignored.any(|name| header_key(name) == key)
    }

    /// The columns of publication that `headers` do not have.
    fn unknown_public(&self, headers: &[String]) -> Vec<(&'static str, String)> {
        let mut unknown = Vec::new();
        for (subject, list) in self.public_lists() {
            for text in list
                .iter()
                .filter(|text| split_value(text, headers).is_none())
            {
                let name = text.split('=').next().unwrap_or_default();
                if name != COLUMN {
                    unknown.push((subject.option(), name.to_owned()));
                }
            }
        }
        unknown
    }

    /// Takes what the options say of these columns into what is kept of the source.
    pub fn apply(&self, kept: &mut KeptColumns, source: &str, headers: &[String]) {
        let is_at = |it: &KeptColumn, header: &str| {
            it.source == source
                && !it.header.is_empty()
                && header_key(&it.header) == header_key(header)
        };
        let mut former: Vec<String> = Vec::new();
        let fields: BTreeSet<ReviewField> = self.maps.iter().map(|map| map.field).collect();
        for field in fields {
            let label = field.label();
            let maps = self.maps.iter().filter(|map| map.field == field);
            // Without a name the source has no such field.
            let columns = maps.filter_map(|map| match map.column.as_str() {
                "" => Some(""),
                name => find(headers, name).map(|column| headers[column].as_str()),
            });
            let columns: Vec<&str> = columns.collect();
            if columns.is_empty() {
                continue;
            }
            let is_former = |it: &KeptColumn| {
                let is_here = || headers.iter().any(|header| is_at(it, header));
                it.source == source && it.field == label && (it.header.is_empty() || is_here())
            };
            let rows = kept.all().filter(|it| is_former(it));
            former.extend(rows.map(|it| it.header.clone()));
            kept.retain(|it| !is_former(it));
            for (position, header) in (0..).zip(columns) {
                kept.retain(|it| {
                    !(is_at(it, header) && (it.field == IGNORED || it.decided_by == BY_NAME))
                });
                let row = kept.entry(source, header, label);
                row.position = position;
                BY_OWNER.clone_into(&mut row.decided_by);
            }
        }
        // A column that filled the field before says nothing else.
        for header in former.iter().filter(|header| !header.is_empty()) {
            if kept.at(source, header).next().is_none() {
                BY_OTHERS.clone_into(&mut kept.entry(source, header, IGNORED).decided_by);
            }
        }
        for (subject, column, value) in self.public_columns(headers) {
            let header = &headers[column];
            if value == VALUE {
                continue;
            }
            kept.retain(|it| !(is_at(it, header) && it.field == IGNORED));
            let known = kept
                .of(source)
                .find(|it| is_at(it, header) && it.field == subject.field());
            let header = known.map_or_else(|| header.clone(), |it| it.header.clone());
            let row = kept.entry(source, &header, subject.field());
            row.withheld_values
                .retain(|other| !is_one_of(&[value], other));
            if !row
                .public_values
                .iter()
                .any(|it| it.eq_ignore_ascii_case(value))
            {
                row.public_values.push(value.to_owned());
            }
            BY_OWNER.clone_into(&mut row.decided_by);
        }
        for column in self
            .ignore
            .iter()
            .flat_map(|list| split_list(list, headers))
            .flatten()
        {
            let header = &headers[column];
            kept.retain(|it| !is_at(it, header));
            BY_OWNER.clone_into(&mut kept.entry(source, header, IGNORED).decided_by);
        }
    }
}

/// The column and the value of `COLUMN=VALUE`: the longest header that it begins with.
fn split_value<'t>(text: &'t str, headers: &[String]) -> Option<(usize, &'t str)> {
    let ends = text.match_indices('=').rev();
    ends.into_iter()
        .find_map(|(at, _)| Some((find(headers, &text[..at])?, text[at + 1..].trim())))
}

/// The columns in a list with commas, of which the longest headers count first; or the names that are none.
fn split_list<'t>(list: &'t str, headers: &[String]) -> Vec<Result<usize, &'t str>> {
    let (mut rest, mut parts) = (list, Vec::new());
    loop {
        let ends = rest
            .match_indices(',')
            .map(|(at, _)| at)
            .chain([rest.len()]);
        let ends: Vec<usize> = ends.collect();
        let found = ends
            .iter()
            .rev()
            .find_map(|end| Some((*end, find(headers, rest[..*end].trim())?)));
        let (end, part) = found.map_or((ends[0], Err(rest[..ends[0]].trim())), |(end, column)| {
            (end, Ok(column))
        });
        parts.push(part);
        match rest.get(end + 1..) {
            Some(after) => rest = after,
            None => return parts,
        }
    }
}
