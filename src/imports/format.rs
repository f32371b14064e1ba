//! A format says how the rows of a source's files become reviews: what each column is, and which of its values may be shown. Known
//! platforms have theirs in `platforms/`, one file each; the owner's tables have the same text, kept with the source.
//!
//! The fields of [`Format`] are the keys of the text, which `docs/FORMAT.md` lists. A value `"?"` is open: nothing is imported until it is decided.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::num::NonZeroU16;
use std::sync::LazyLock;

use chrono_tz::{TZ_VARIANTS, Tz};
use encoding_rs::Encoding;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};
use serde_with::{DisplayFromStr, serde_as};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use crate::imports::fault::FileError;
use crate::imports::value::date::DateFormat;
use crate::imports::value::rating::RatingWords;
use crate::model::text::{base_letter, escaped, nearest, shorten};
use crate::model::{ReviewField, Unit, compose, named, parse_toml};

/// Maximum size of the text of a format, which the database keeps, in bytes.
const TEXT_BYTES_MAX: usize = 256 << 10;
/// An open value.
pub const OPEN: &str = "?";
/// Of `html_suffix`, where a format has none.
const HTML_SUFFIX: &str = ".rendered";
/// Of `ignored`: all columns that are left.
pub const ALL_LEFT: &str = "*";

/// Names of columns, in the order in which they are tried.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(untagged, expecting = "expected a column, or a list of columns")]
pub enum Names {
    /// One column, or several with commas.
    Text(String),
    List(Vec<String>),
}

impl Default for Names {
    fn default() -> Self {
        Self::List(Vec::new())
    }
}

impl Names {
    /// The names, without regard to columns whose names have commas.
    pub fn parts(&self) -> Vec<&str> {
        match self {
            Self::Text(text) => {
                let parts = text.split(',').map(str::trim);
                parts.filter(|it| !it.is_empty()).collect()
            }
            Self::List(list) => list.iter().map(String::as_str).collect(),
        }
    }

    /// The names as they are meant among `columns`: a text that is a column's whole name is that column.
    pub fn among(&self, columns: &[String]) -> Vec<&str> {
        match self {
            Self::Text(text) if find_column(columns, text).is_some() => vec![text],
            Self::Text(_) | Self::List(_) => self.parts(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.parts().is_empty()
    }
}

/// A column that says whether something is public.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PublicColumn {
    #[serde(default)]
    pub names: Names,
    /// The values with which it is public, as cells are written, without case and outer blanks; `""` is an empty cell, `"*"` any other. None
    /// in a block beside `like`, which then is the built-in format's block of these columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// The reason for withholding the review.
    pub reason: Option<String>,
    /// What files without the column mean, until one of the source has it. Without it such a file is a question.
    pub missing: Option<Missing>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    Public,
    Hidden,
}

impl PublicColumn {
    /// The built-in format's block of these columns, as the owner's format names it.
    pub fn of_base(names: &Names, missing: Option<Missing>) -> Self {
        let names = names.parts().into_iter().map(str::to_owned).collect();
        Self {
            names: Names::List(names),
            missing,
            ..Self::default()
        }
    }

    /// Whether it only names a block of the built-in format.
    pub const fn is_of_base(&self) -> bool {
        self.values.is_empty()
    }

    /// Whether `other`, of the owner's format, names this block of the built-in one.
    pub fn is_named_by(&self, other: &Self) -> bool {
        let (names, others) = (self.names.parts(), other.names.parts());
        let mut others = others.iter().peekable();
        let is_name = |other: &&str| names.iter().any(|name| is_same_column(name, other));
        other.is_of_base() && others.peek().is_some() && others.all(is_name)
    }

    /// Whether a cell has a value that publishes. A word for "empty" is none.
    pub fn publishes(&self, cell: &str) -> bool {
        let cell = cell.trim();
        let is_null = cell.eq_ignore_ascii_case("null");
        let cell = if is_null { "" } else { cell };
        self.values.iter().any(|value| match value.trim() {
            "" => cell.is_empty(),
            ALL_LEFT => !cell.is_empty(),
            value => value.to_lowercase() == cell.to_lowercase(),
        })
    }
}

/// Rows with another value are another business's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Only {
    pub column: String,
    pub value: String,
}

/// How a platform's API gives further pages; `Link: rel="next"` (RFC 8288) needs no entry, and goes before one. Paths are
/// those of members in the body, such as `pagination.next`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Paging {
    /// Paths of the array of rows, of which an answer has one; if `None`, the answer is the array.
    pub rows: Option<String>,
    /// Path of the token of the next page, for the query parameter `parameter`.
    pub token: Option<String>,
    pub parameter: Option<String>,
    /// Path of the URL of the next page; only its query counts.
    pub next: Option<String>,
    /// Query parameter with the number of the page, from 1.
    pub page: Option<String>,
    /// Query parameter with an offset, which grows by the rows of the page, at most by the value of the parameter `size`; of a built-in
    /// format there is one page if the URL does not have that.
    pub offset: Option<String>,
    pub size: Option<String>,
    /// Statuses that mean that there is no further page.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub end_status: Vec<u16>,
    /// Path of the number of reviews that there are.
    pub total: Option<String>,
}

/// How rows become reviews.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reader {
    /// As native records, which may also be deletions.
    Records,
    /// By columns.
    #[default]
    Columns,
    /// By columns, after all objects of schema.org's JSON-LD are searched for reviews.
    LinkedData,
}

/// A source's format, or a built-in one. What is said of a field is what `docs/FORMAT.md` says of the key.
#[serde_as]
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact by itself")]
pub struct Format {
    /// Of a built-in one, as a value of `--format`; otherwise empty.
    #[serde(skip)]
    pub name: String,
    /// The keys that are open, such as `scale` or `fields.rating`.
    #[serde(skip)]
    pub open: BTreeSet<String>,

    /// the built-in format to which this one adds: it can withhold more, never less, but for `missing` of a block that it names without `values`
    pub like: Option<String>,
    /// columns that say nothing here; `word*` and `word.*` are families, `word\*` is a name; `"*"` alone means all columns that are left, and is kept as their names
    pub ignored: Names,
    /// the end of the scale of the ratings, such as 10; fractions are rounded half up
    pub scale: Option<NonZeroU16>,
    /// words for stars: `{ "sehr gut" = 5, "gut" = 4 }`
    pub values: RatingWords,
    /// how dates of numbers are written, such as `dd/mm/yyyy` or `%m/%d/%Y`
    pub date_format: Option<DateFormat>,
    /// the time zone of times without an offset, such as `America/Phoenix`
    #[serde_as(as = "Option<DisplayFromStr>")]
    pub zone: Option<Tz>,
    /// of files that are not UTF-8, such as `windows-1252`
    #[serde(deserialize_with = "read_encoding")]
    pub encoding: Option<String>,
    /// the number of the row (in a text, of the line) with the names of the columns, from 1
    pub header_row: Option<NonZeroU16>,
    /// the sheet of a workbook
    pub sheet: Option<String>,
    /// the path of the list of reviews in JSON, such as `data.reviews` or `data[].reviews`
    pub rows: Option<String>,
    /// `{ column = "Location", value = "Mesa" }`: rows with another value are another business's, and only counted
    pub only: Option<Only>,
    /// `true` keeps the names of authors that were never public, `false` shortens them to "Jane D."
    pub full_names: Option<bool>,
    /// between several people in a cell; without it, semicolons, bars and line breaks
    pub separator: Option<String>,
    /// the field whose columns are joined by an empty line, instead of taking the first that is filled
    pub joined: Option<ReviewField>,
    /// the end of the names of columns whose texts are HTML, without it `.rendered`; `""` means all columns
    pub html_suffix: Option<String>,
    /// the platform's name in reports
    pub label: String,
    /// a sentence for the owner, shown with the report
    pub note: Option<String>,
    /// the source of its reviews
    pub source: Option<String>,
    /// the prefix of its reviews' IDs if it is not the format's name: two tools that read one site share it
    pub ids: Option<String>,
    /// lists of names; a file has the format if it has all names of one of them
    pub keys: Vec<String>,
    /// what its rows are: `columns` of a review, as without it; `records` of our own form; or `linked_data`, objects of schema.org's JSON-LD
    pub reader: Reader,
    /// its files have only some of the reviews
    pub excerpts: bool,
    /// the platform does not verify its reviews
    pub is_manual: bool,
    /// its texts are HTML
    pub html: bool,
    /// a cell that a spreadsheet may run has an apostrophe in front
    pub escapes_formulas: bool,
    /// its IDs are Google's names, `accounts/…/locations/…/reviews/…`
    pub has_google_names: bool,
    /// the value of the field `matched` that means that a review matches a job in the business's books
    pub matched: Option<String>,
    /// values of the field `buyer` that say, as `no` does, that the writer is not known to have bought: such a review is not verified
    pub no_buyer: Vec<String>,
    /// the column with the ID of the row that a row answers; such rows are left out
    pub answered: Option<String>,
    /// how an API gives further pages: `rows`, `next`, `token` and `parameter`, `page`, `offset` and `size` (names of parameters), `total`
    pub paging: Option<Paging>,
    /// each field of a review with its column, or a list of columns of which the first filled one counts; `author = ""`: all are Anonymous; `text = ""`: ratings only
    pub fields: BTreeMap<ReviewField, Names>,
    /// a column by which a review is public: `names`, `values` (`""` is an empty cell, `"*"` any other), `reason`; with any other value it is withheld; `missing` (`"public"` or `"hidden"`) says what a file without the column means, until one has it
    pub public: Vec<PublicColumn>,
    /// the same of the firm's reply
    pub public_reply: Vec<PublicColumn>,
    /// the same of the author's name, which is Anonymous otherwise
    pub public_name: Vec<PublicColumn>,
}

/// Who may write a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyUse {
    /// Everybody, also beside `like`: [`Format::combined`] adds it.
    Like,
    Owner,
    BuiltIn,
}

/// The keys that an owner may write on a line, in their order. Those of [`Format`] that stand neither here nor in [`SECTIONS`] are of built-in
/// formats.
const KEYS: [(&str, KeyUse); 15] = [
    ("like", KeyUse::Like),
    ("ignored", KeyUse::Like),
    ("encoding", KeyUse::Like),
    ("sheet", KeyUse::Like),
    ("only", KeyUse::Like),
    ("full_names", KeyUse::Like),
    ("scale", KeyUse::Owner),
    ("values", KeyUse::Owner),
    ("date_format", KeyUse::Owner),
    ("zone", KeyUse::Owner),
    ("header_row", KeyUse::Owner),
    ("rows", KeyUse::Owner),
    ("separator", KeyUse::Owner),
    ("joined", KeyUse::Owner),
    ("html_suffix", KeyUse::Owner),
];

/// The keys that an owner may write as tables, which stand below all lines.
const SECTIONS: [(&str, KeyUse); 5] = [
    ("paging", KeyUse::Owner),
    ("fields", KeyUse::Owner),
    ("public", KeyUse::Like),
    ("public_reply", KeyUse::Like),
    ("public_name", KeyUse::Like),
];

impl KeyUse {
    /// Who may write a key; `None` if there is none of that name.
    pub fn of(key: &str) -> Option<Self> {
        let found = KEYS.iter().chain(&SECTIONS).find(|(name, _)| *name == key);
        match found {
            Some((_, used)) => Some(*used),
            None => json!(Format::default()).get(key).map(|_| Self::BuiltIn),
        }
    }
}

impl Format {
    /// What adds nothing to a built-in format.
    pub fn like(like: Option<String>) -> Self {
        Self {
            like,
            ..Self::default()
        }
    }

    /// The format in an owner's text.
    ///
    /// # Errors
    /// With the line of the fault, and the nearest name.
    pub fn parse(text: &str) -> Result<Self, FileError> {
        check_size(text)?;
        let mut text = text.trim_start_matches('\u{feff}').to_owned();
        // The draft offers lines that only need their `#` taken away.
        if text.matches("\nencoding = ").count() > 1 {
            text = text.replace(&format!("encoding = {OPEN:?}"), "");
        }
        let text = &text;
        let parsed = DeTable::parse(text).map_err(|error| explain(text, &error))?;
        let (mut table, mut open) = (parsed.into_inner(), BTreeSet::new());
        take_open(&mut table, "", &mut open);
        let is_like = table.contains_key("like");
        for (key, _) in &table {
            let name: &str = key.get_ref();
            let reason = match KeyUse::of(name) {
                Some(KeyUse::BuiltIn) => "is a key of built-in formats; leave it out",
                Some(KeyUse::Owner) if is_like => {
                    "cannot stand beside `like`, whose format says it; leave it out"
                }
                Some(KeyUse::Like | KeyUse::Owner) | None => continue,
            };
            return Err(fault_at(text, key, reason));
        }
        if let Some(DeValue::Table(paging)) = table.get("paging").map(Spanned::get_ref) {
            check_paging(text, paging)?;
        }
        if !is_like {
            check_values(text, &table)?;
        }
        let spanned = Spanned::new(0..text.len(), table);
        let read = Self::deserialize(toml::Deserializer::from(spanned));
        let format = read.map_err(|error| explain(text, &error))?;
        Ok(Self { open, ..format })
    }

    /// The built-in format with what the owner's text that is `like` it adds, or the owner's.
    pub fn combined(base: Option<&Self>, owners: &Self) -> Self {
        let Some(base) = base else {
            return owners.clone();
        };
        let mut format = base.clone();
        let ignored = base.ignored.parts().into_iter();
        let ignored = ignored.chain(owners.ignored.parts()).map(str::to_owned);
        format.ignored = Names::List(ignored.collect());
        format.like.clone_from(&owners.like);
        format.open.clone_from(&owners.open);
        format.only = owners.only.clone().or(format.only);
        format.encoding = owners.encoding.clone().or(format.encoding);
        format.sheet = owners.sheet.clone().or(format.sheet);
        format.full_names = owners.full_names.or(format.full_names);
        for (part, blocks) in owners.public_blocks() {
            let list = format.public_list(part);
            let count = base.public_list_of(part).len();
            for block in blocks {
                if !block.is_of_base() {
                    list.push(block.clone());
                    continue;
                }
                // It says of the built-in one what a file without the column means, or that this is no longer said.
                let mut named = list[..count].iter_mut();
                if let Some(named) = named.find(|it| it.is_named_by(block)) {
                    named.missing = block.missing;
                }
            }
        }
        format
    }

    /// The format without the blocks that only say that a column of the built-in one was there.
    pub fn without_seen(&self) -> Self {
        let mut format = self.clone();
        for part in PublicPart::ALL {
            let is_seen = |block: &PublicColumn| block.is_of_base() && block.missing.is_none();
            format.public_list(part).retain(|block| !is_seen(block));
        }
        format
    }

    /// Adds that columns of the built-in format were there, or were asked about, which `kept` says, unless this one says something of them.
    pub fn add_seen(&mut self, kept: &Self) {
        if self.like.is_none() || self.like != kept.like {
            return;
        }
        for (part, blocks) in kept.public_blocks() {
            for block in blocks.iter().filter(|block| block.is_of_base()) {
                let mut own = self.public_list_of(part).iter();
                if !own.any(|it| block.is_named_by(it)) {
                    let seen = PublicColumn::of_base(&block.names, None);
                    self.public_list(part).push(seen);
                }
            }
        }
    }

    /// Takes away the blocks of the built-in format `base` by which nothing was decided: those that need no column, and that `owners`, its
    /// owner's part, does not name, so that no file had one.
    pub fn remove_unseen(&mut self, base: &Self, owners: &Self) {
        for (part, blocks) in base.public_blocks() {
            let named = owners.public_list_of(part);
            let mut number = 0;
            self.public_list(part).retain(|_| {
                let block = blocks.get(number);
                number += 1;
                block.is_none_or(|block| {
                    block.missing.is_none() || named.iter().any(|it| block.is_named_by(it))
                })
            });
        }
    }

    /// Takes away what a file without a column means, where `kept` says that one of its files has had the column since.
    pub fn forget_missing(&mut self, kept: &Self) {
        for (part, others) in kept.public_blocks() {
            let seen = others.iter().filter(|it| it.missing.is_none());
            let seen: Vec<&str> = seen.flat_map(|it| it.names.parts()).collect();
            for block in self.public_list(part) {
                if block.names.parts().iter().any(|name| seen.contains(name)) {
                    block.missing = None;
                }
            }
        }
    }

    /// The names of a field's columns, in the order in which they are tried.
    pub fn column_names(&self, field: ReviewField) -> Vec<&str> {
        self.fields.get(&field).map_or_else(Vec::new, Names::parts)
    }

    /// The names of all columns that are read.
    pub fn columns_read(&self) -> Vec<Names> {
        let only = self.only.iter().map(|only| &only.column);
        let others = only.chain(&self.answered);
        let mut all: Vec<Names> = self.fields.values().cloned().collect();
        all.extend(self.public_columns().map(|block| block.names.clone()));
        all.extend(others.map(|name| Names::List(vec![name.clone()])));
        all
    }

    /// Prefix of the IDs of its reviews.
    pub fn id_prefix(&self) -> &str {
        match &self.ids {
            Some(ids) => ids,
            None if self.name.is_empty() => "table",
            None => &self.name,
        }
    }

    /// Whether the texts of a column are HTML.
    pub fn is_html(&self, column: &str) -> bool {
        let suffix = self.html_suffix.as_deref().unwrap_or(HTML_SUFFIX);
        self.html || column.ends_with(suffix)
    }

    /// Whether it is an owner's, of a table that is no platform's.
    pub fn is_table(&self) -> bool {
        self.name.is_empty() && self.reader == Reader::Columns
    }

    /// Whether it is the native form.
    pub const fn is_native(&self) -> bool {
        matches!(self.reader, Reader::Records)
    }

    /// Whether all columns that are left are ignored.
    pub fn ignores_all(&self) -> bool {
        self.ignored == Names::Text(ALL_LEFT.to_owned())
    }

    /// Whether a column among these says nothing here.
    pub fn ignores(&self, columns: &[String], column: usize) -> bool {
        let header = columns[column].to_lowercase();
        self.ignored.among(columns).into_iter().any(|name| {
            if let Some(name) = name.strip_suffix("\\*") {
                return columns[column] == format!("{name}*");
            }
            let is_there = columns.iter().any(|it| it == name);
            let family = name.strip_suffix('*');
            let family = family.filter(|it| !it.is_empty() && !it.contains(' '));
            match family {
                Some(family) if !is_there => header.starts_with(&family.to_lowercase()),
                Some(_) | None if is_there => columns[column] == name,
                Some(_) | None => is_same_column(&columns[column], name),
            }
        })
    }

    /// All names of columns in it.
    pub fn all_names(&self) -> BTreeSet<String> {
        let read = self.columns_read();
        let names = read.iter().chain([&self.ignored]);
        names.flat_map(Names::parts).map(str::to_owned).collect()
    }

    /// The blocks that say what is public, with their key.
    pub fn public_blocks(&self) -> [(PublicPart, &[PublicColumn]); 3] {
        PublicPart::ALL.map(|part| (part, self.public_list_of(part)))
    }

    /// The columns that say what is public.
    pub fn public_columns(&self) -> impl Iterator<Item = &PublicColumn> {
        let blocks = self.public_blocks().into_iter();
        blocks.flat_map(|(_, blocks)| blocks)
    }

    /// The format with a block for each name of a column of publication, so that each of the columns is required.
    pub fn split_public(mut self, columns: &[String]) -> Self {
        for part in PublicPart::ALL {
            let mut split = Vec::new();
            for mut block in std::mem::take(self.public_list(part)) {
                if block.is_of_base() || block.names.is_empty() {
                    split.push(block);
                    continue;
                }
                let names = std::mem::take(&mut block.names);
                for name in names.among(columns) {
                    block.names = Names::List(vec![name.to_owned()]);
                    split.push(block.clone());
                }
            }
            *self.public_list(part) = split;
        }
        self
    }

    pub fn public_list_of(&self, part: PublicPart) -> &[PublicColumn] {
        match part {
            PublicPart::Review => &self.public,
            PublicPart::Reply => &self.public_reply,
            PublicPart::Name => &self.public_name,
        }
    }

    pub fn public_list(&mut self, part: PublicPart) -> &mut Vec<PublicColumn> {
        match part {
            PublicPart::Review => &mut self.public,
            PublicPart::Reply => &mut self.public_reply,
            PublicPart::Name => &mut self.public_name,
        }
    }
}

named! {
    /// What a column of publication is about, by the key of its blocks.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum PublicPart {
        Review = "public",
        Reply = "public_reply",
        /// The name of the author.
        Name = "public_name",
    }
}

impl PublicPart {
    pub const fn unit(self) -> Unit {
        match self {
            Self::Review => Unit::Status,
            Self::Reply => Unit::Reply,
            Self::Name => Unit::Author,
        }
    }

    /// What its columns hide.
    pub const fn hidden_noun(self) -> &'static str {
        match self {
            Self::Review => "reviews",
            Self::Reply => "replies",
            Self::Name => "authors' names",
        }
    }
}

// The text of a format.

/// Keys that a draft may leave open, besides those of `[fields]`, and `names` and `missing` of a column of publication.
const OPEN_KEYS: &str = "ignored|scale|date_format|encoding|sheet|rows|only";

/// # Errors
/// If the text of a format is longer than the database keeps.
pub fn check_size(text: &str) -> Result<(), FileError> {
    if text.len() > TEXT_BYTES_MAX {
        return Err(FileError::new(format!(
            "the format has more than {} KiB; leave out what its files do not have, or shorten the names of columns in them",
            TEXT_BYTES_MAX >> 10
        )));
    }
    Ok(())
}

/// Moves the paths of the open values of a format's table, which stands at the path `outer`, to `open`. An open value of another key is
/// left as a fault.
fn take_open(table: &mut DeTable<'_>, outer: &str, open: &mut BTreeSet<String>) {
    let may_be_open = |path: &str| {
        let field = path.strip_prefix("fields.").and_then(ReviewField::find);
        let key = path.rsplit('.').next();
        let is_of_block =
            path.starts_with("public") && [Some("names"), Some("missing")].contains(&key);
        OPEN_KEYS.split('|').any(|it| it == path) || field.is_some() || is_of_block
    };
    let mut taken = Vec::new();
    for (key, value) in table.iter_mut() {
        let (key, value) = (key.get_ref().to_string(), value.get_mut());
        let path = format!("{outer}{key}");
        // A quoted key may have dots, and is no path.
        if value.as_str() == Some(OPEN) && !key.contains('.') && may_be_open(&path) {
            open.insert(path);
            taken.push(key);
        } else if let DeValue::Table(inner) = value {
            take_open(inner, &format!("{path}."), open);
        } else if let DeValue::Array(blocks) = value {
            for (number, block) in blocks.iter_mut().enumerate() {
                if let DeValue::Table(block) = block.get_mut() {
                    take_open(block, &format!("{path}.{number}."), open);
                }
            }
        }
    }
    for key in taken {
        table.remove(key.as_str());
    }
}

/// # Errors
/// If a value is no name, or one of a pair is missing: then no further page would be fetched.
fn check_paging(text: &str, paging: &DeTable<'_>) -> Result<(), FileError> {
    for [one, other] in [["token", "parameter"], ["offset", "size"]] {
        let found = [one, other].map(|name| paging.get_key_value(name));
        if let [Some((key, _)), None] | [None, Some((key, _))] = found {
            let reason = format!("says nothing by itself; write {one} and {other}");
            return Err(fault_at(text, key, &reason));
        }
    }
    if let (Some((key, _)), true) = (paging.get_key_value("page"), paging.contains_key("offset")) {
        return Err(fault_at(text, key, "and offset exclude each other"));
    }
    for (key, value) in paging {
        let value = value.get_ref();
        if !value.is_array() && value.as_str().is_none_or(|it| it.is_empty() || it == "?") {
            let reason =
                "needs the name of a member, or of a parameter of the address, such as \"limit\"";
            return Err(fault_at(text, key, reason));
        }
    }
    Ok(())
}

/// # Errors
/// If a block of publication has no values: nothing would ever be public.
fn check_values(text: &str, table: &DeTable<'_>) -> Result<(), FileError> {
    for part in PublicPart::ALL {
        let Some((key, blocks)) = table.get_key_value(part.name()) else {
            continue;
        };
        let blocks = blocks.get_ref().as_array();
        let tables = blocks.into_iter().flatten();
        for block in tables.filter_map(|it| it.get_ref().as_table()) {
            let values = block.get("values").map(Spanned::get_ref);
            if values.is_none_or(|it| it.as_array().is_some_and(|it| it.is_empty())) {
                let key = block.iter().next().map_or(key, |(key, _)| key);
                let reason = "needs `values` in its block: those that may be shown";
                return Err(fault_at(text, key, reason));
            }
        }
    }
    Ok(())
}

fn read_encoding<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let label = String::deserialize(deserializer)?;
    if Encoding::for_label(label.as_bytes()).is_some() {
        return Ok(Some(label));
    }
    let advice = "is no encoding; write a name such as utf-8, windows-1250, macintosh or shift_jis";
    Err(D::Error::custom(format!("{label:?} {advice}")))
}

/// The line of a place in a text, from 1.
pub fn line_of(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    1 + memchr::memchr_iter(b'\n', before).count()
}

fn fault_at(text: &str, key: &Spanned<DeString<'_>>, reason: &str) -> FileError {
    let line = line_of(text, key.span().start);
    FileError::new(format!("line {line}: {} {reason}", key.get_ref()))
}

/// A fault of the text, with its line; of a key that is unknown there, where it belongs or the nearest name.
fn explain(text: &str, error: &toml::de::Error) -> FileError {
    let span = error.span().unwrap_or_default();
    let line = line_of(text, span.start);
    let message = error.message();
    let mut names = message.split('`').skip(1).step_by(2);
    let is_unknown = message.starts_with("unknown field") || message.starts_with("unknown variant");
    let Some(name) = names.next().filter(|_| is_unknown) else {
        let found = text.get(span).unwrap_or_default().trim();
        let found = shorten(found.lines().next().unwrap_or_default(), 60);
        let kind = message.rsplit_once(", expected ");
        let message = match kind.filter(|it| it.0.contains("type: ") || it.0.contains("value: ")) {
            Some((_, kind)) => format!("expected {kind}")
                .replace("a map", "a table in { }")
                .replace("a sequence", "a list in [ ], or a block below [[…]]")
                .replace("nonzero u16", "whole number from 1 on")
                .replace("struct Only", "{ column = \"…\", value = \"…\" }"),
            None if message.contains("timezone") => {
                let zones = TZ_VARIANTS.iter().map(|zone| zone.name());
                let near = nearest(&found, zones).unwrap_or_default();
                format!("no time zone has this name; the nearest is {near}")
            }
            None => message.trim_end().replace('\n', ", "),
        };
        return FileError::new(format!("line {line}: {message} ({found})"));
    };
    let expected: Vec<&str> = names.collect();
    let advice = if expected == ["public", "hidden"] {
        "is no value here; write \"public\" or \"hidden\"".to_owned()
    } else if KeyUse::of(name).is_some() {
        "is a key of the format, so it stands above [fields] and the blocks".to_owned()
    } else if ReviewField::find(name).is_some() {
        "is a field of a review, so it stands below [fields]".to_owned()
    } else if ["names", "values", "reason", "missing"].contains(&name) {
        "is a key of a block such as [[public]], so it stands below one".to_owned()
    } else {
        let allowed = expected.into_iter();
        let allowed = allowed.filter(|key| KeyUse::of(key) != Some(KeyUse::BuiltIn));
        let near = nearest(name, allowed).unwrap_or_default();
        format!("is no key here; the nearest is {near}")
    };
    FileError::new(format!("line {line}: {name} {advice}"))
}

impl Format {
    /// The text of the format, written from its keys.
    pub fn to_text(&self) -> String {
        let lines = self.lines().into_iter();
        lines.map(|(_, line)| line + "\n").collect()
    }

    /// The lines of the text, each with the path of its key, such as `scale`, `fields.rating` or `public.0.names`.
    pub fn lines(&self) -> Vec<(String, String)> {
        let (mut written, usual) = (json!(self), json!(Self::default()));
        for path in &self.open {
            let steps = path.split('.');
            let place = steps.fold(&mut written, |value, step| match step.parse::<usize>() {
                Ok(number) => &mut value[number],
                Err(_) => &mut value[step],
            });
            *place = OPEN.into();
        }
        let mut lines = Vec::new();
        for (key, _) in KEYS {
            if written[key] != usual[key] {
                let line = format!("{key} = {}", toml_text(&written[key]));
                lines.push((key.to_owned(), line));
            }
        }
        for (section, _) in SECTIONS {
            let table = &written[section];
            let blocks = table.as_array().map_or(&[][..], Vec::as_slice);
            for (number, block) in blocks.iter().enumerate() {
                let path = format!("{section}.{number}");
                add_section(&mut lines, format!("[[{section}]]"), &path, block);
            }
            add_section(&mut lines, format!("[{section}]"), section, table);
        }
        lines
    }
}

/// Adds the keys of the table at a path below its head, fields in their order.
fn add_section(lines: &mut Vec<(String, String)>, head: String, path: &str, table: &Value) {
    let members = table.as_object().into_iter().flatten();
    let mut keys: Vec<(&String, &Value)> = members.filter(|(_, it)| !it.is_null()).collect();
    keys.sort_by_key(|(key, _)| (ReviewField::find(key), *key == "missing"));
    if !keys.is_empty() {
        lines.extend([String::new(), head].map(|line| (String::new(), line)));
    }
    for (key, value) in keys {
        let line = format!("{key} = {}", toml_text(value));
        lines.push((format!("{path}.{key}"), line));
    }
}

/// A value on one line.
fn toml_text(value: &Value) -> String {
    match value {
        Value::Array(list) => {
            let list: Vec<String> = list.iter().map(toml_text).collect();
            format!("[{}]", list.join(", "))
        }
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| {
                let is_bare = !name.is_empty() && name.bytes().all(|it| it.is_ascii_lowercase());
                let quoted = basic_string(name);
                format!(
                    "{} = {}",
                    if is_bare { name } else { &quoted },
                    toml_text(value)
                )
            });
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        Value::String(text) => basic_string(text),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// A basic string of TOML.
pub fn basic_string(text: &str) -> String {
    let escape = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        // Hidden characters would be shown escaped in another way.
        c if c.is_control() || escaped(c.to_string()) != c.to_string() => {
            format!("\\U{:08X}", u32::from(c))
        }
        c => c.to_string(),
    };
    format!("\"{}\"", text.chars().map(escape).collect::<String>())
}

// How the names of columns are compared.

/// What brackets at the end of a name may say without making it another name: `Reply (draft)` is no `Reply`.
const HARMLESS: &str = "1-5|1 - 5|1–5|out of 5|stars|business|owner|public|published|text|utc|your words|optional|required|opcional|obligatorio|\
    facultatif|obligatoire|freiwillig|pflichtfeld";

/// Marks that separate the words of a name, which fall away but at its beginning, and at that of a member's name in a path: `_public`
/// is not `public`.
const SEPARATORS: &str = "_-.,:;/'\"()[]{}’‘“”–—…";

/// The letters, digits and signs of a name: without case and accents, the number of a question, separators between its words, and marks and
/// harmless brackets at the end. A name without letters and digits is compared as it is.
pub fn column_key(name: &str) -> String {
    let marks = ['.', '?', '!', '*', ':', ' '];
    let mut rest = name.trim().trim_end_matches(marks);
    let bracket = rest.strip_suffix([')', ']']);
    let bracket = bracket.and_then(|it| it.rsplit_once(['(', '[']));
    if let Some((before, words)) = bracket {
        let mut harmless = HARMLESS.split('|');
        if harmless.any(|it| it.eq_ignore_ascii_case(words.trim())) {
            rest = before.trim_end_matches(marks);
        }
    }
    let number = rest.split_once(' ').filter(|(number, _)| {
        let digits = number.trim_start_matches(['Q', 'q']);
        let digits = digits.strip_suffix(['.', ')', ':']);
        digits.is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
    });
    rest = number.map_or(rest, |(_, rest)| rest.trim_start());
    let is_separator = |c: char| SEPARATORS.contains(c);
    let is_mark = |c: char| is_separator(c) || c.is_ascii_punctuation() && c != '^';
    rest = rest.trim_end_matches(|c: char| c.is_whitespace() || is_mark(c));
    // Spanish questions begin with them.
    rest = rest.trim_start_matches(['¿', '¡']);
    let is_latin = |c: char| c < '\u{250}' || ('\u{1e00}'..'\u{1f00}').contains(&c);
    let base = |c| if is_latin(c) { base_letter(c) } else { c };
    let (mut key, mut before) = (String::new(), '.');
    for c in compose(rest).chars() {
        if !(c.is_whitespace() || is_separator(c) && before != '.') {
            key.extend(c.to_lowercase().map(base));
        }
        before = c;
    }
    if key.contains(char::is_alphanumeric) {
        key
    } else {
        name.trim().to_owned()
    }
}

/// The file `names.toml`.
static NAMED_FIELDS: LazyLock<HashMap<String, ReviewField>> = LazyLock::new(|| {
    let lists: BTreeMap<ReviewField, String> = parse_toml(include_str!("names.toml"));
    let mut fields = HashMap::new();
    for (field, list) in lists {
        fields.extend(list.split(", ").map(|name| (column_key(name), field)));
    }
    fields
});

/// The field of which a header is an exact name.
pub fn named_field(header: &str) -> Option<ReviewField> {
    NAMED_FIELDS.get(&column_key(header)).copied()
}

/// Whether a column is a member of the object, or of a list of objects, with this name.
pub fn is_inside(column: &str, name: &str) -> bool {
    let rest = column.strip_prefix(name);
    rest.is_some_and(|rest| rest.starts_with(['.', '[']))
}

/// A header as a name in `ignored` that means no family of columns: an asterisk at its end has a backslash in front.
pub fn ignored_name(header: &str) -> String {
    let family = header.strip_suffix('*');
    family.map_or_else(|| header.to_owned(), |family| format!("{family}\\*"))
}

/// Whether a name means the column with this header. Of `Publish (website)` and `Publish` none means the other.
pub fn is_same_column(header: &str, name: &str) -> bool {
    header == name || column_key(header) == column_key(name)
}

/// The column with this name exactly; otherwise the only one that the name means.
pub fn find_column(columns: &[String], name: &str) -> Option<usize> {
    let exact = columns.iter().position(|column| column == name);
    exact.or_else(|| {
        let mut same = (0..columns.len()).filter(|it| is_same_column(&columns[*it], name));
        same.next().filter(|_| same.next().is_none())
    })
}
