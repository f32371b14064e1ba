//! The formats of files: one file for each platform with a known export tells how to recognize the export, and the meaning
//! of its columns.
//!
//! A platform whose rows are read by their columns is a TOML file; to add one, add the file and its name to
//! [`COLUMN_FORMATS`]. Only the columns in that file are read, so all others stay private (`docs/IMPORT.md` lists both).

use std::collections::BTreeMap;
use std::num::NonZeroU8;
use std::sync::LazyLock;

use chrono_tz::Tz;
use serde::Deserialize;
use serde_with::{DisplayFromStr, serde_as};

use crate::imports::map::date::DateOrder;
use crate::imports::map::fields::{ReviewField, named_field};
use crate::imports::map::values::{Names, names, same_name};
use crate::model::{Method, Verification, parse_toml};

/// A kind of file with reviews.
///
/// For a format read by columns it maps columns to fields. A column without an entry is never read, so private fields
/// (e-mail, phone, street, customer) go nowhere, not even to the file of rejected rows.
#[serde_as]
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact by itself")]
pub struct Format {
    /// Value of `--format`; of a format read by columns the name of its file.
    #[serde(skip)]
    pub name: &'static str,
    /// Display name.
    pub label: &'static str,
    /// Whether its files have only some of a place's reviews, so that a missing review does not mean a deleted one.
    pub excerpts: bool,
    /// Whether its authors' names were never public, so that they are shortened to "Jane D." .
    pub authors_private: bool,
    /// A note for the owner, shown with the report.
    pub note: Option<&'static str>,
    /// A file has this format if its rows have all names of one of these lists.
    pub keys: Vec<Names>,
    #[serde(skip)]
    pub reader: Reader,
    /// Source name of reviews whose row has none, if not `Direct`.
    pub source: Option<&'static str>,
    /// Prefix of the review ids if it differs from the format's name: two tools that read the same site give a review
    /// the same id.
    pub ids: Option<&'static str>,
    /// The columns of each field, in the order in which they are tried.
    pub fields: BTreeMap<ReviewField, String>,
    /// The field whose columns are joined in their order, instead of tried.
    pub joined: Option<ReviewField>,
    /// The end of its ratings' scale, and 5 if its ratings have fractions; if `None`, they are whole stars.
    pub scale: Option<NonZeroU8>,
    /// The kinds of [`ReviewField::Survey`] that ask for stars; a row of any other is rejected.
    pub stars: Names,
    /// Columns that the platform is known to have and that are not read, with `*` at the end for families.
    pub ignored: String,
    /// Columns that say whether a review is public at its source.
    pub public: Vec<PublicColumn>,
    /// The same of the answer.
    pub public_answer: Vec<PublicColumn>,
    /// Whether its texts are HTML.
    pub html: bool,
    /// Whether a cell that a spreadsheet may run as a formula has an apostrophe in front.
    pub escapes_formulas: bool,
    /// Whether an object may leave a field out; otherwise one without it states that there is none.
    pub leaves_out: bool,
    /// Whether its ids are Google's names, `accounts/…/locations/…/reviews/…`.
    pub has_google_names: bool,
    /// Order of day and month in its dates, unless one proves the other.
    pub date_order: Option<DateOrder>,
    /// The platform's time zone, for times without an offset.
    #[serde_as(as = "Option<DisplayFromStr>")]
    pub zone: Option<Tz>,
    /// Whether the verification of its reviews is `manual`, because the platform does not verify them.
    pub is_manual: bool,
    /// The value of [`ReviewField::Matched`] that means that the review matches a job in the business's books.
    pub matched: Option<&'static str>,
    /// The column with the id of an object beside the rows, in the document's `included`. Its members are in columns such as
    /// `included.attributes.state`.
    pub included: Option<&'static str>,
    /// The column with the id of the row that a row answers, 0 or nothing for a review. Answers of that form are left out: which of
    /// them the business wrote, the file does not say.
    pub answered: Option<&'static str>,
    /// How its API gives further pages.
    pub paging: Option<Paging>,
}

/// How rows become reviews.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reader {
    /// As native records, which may also be deletions.
    Native,
    /// As the native records of a document with its business.
    Document,
    /// By the columns in the platform's file.
    #[default]
    Columns,
    /// By the exact names of columns, and what the owner says.
    Table,
    /// As schema.org linked data, in which all objects are searched, by the meanings of their columns.
    LinkedData,
}

/// A column that says whether something is public.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublicColumn {
    pub names: String,
    /// The values with which it is public, `""` for an empty cell; with any other it is not.
    pub values: Vec<String>,
    /// The reason for withholding the review.
    pub reason: &'static str,
    /// The files that may lack it, and then say nothing; in others it is required, and a row without it is not public.
    pub optional: Option<OptionalIn>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OptionalIn {
    All,
    /// Delimited text and workbooks.
    Tables,
    /// JSON.
    Objects,
}

impl PublicColumn {
    /// Whether a file must have it; of tables, or of objects.
    pub fn is_required(&self, are_objects: bool) -> bool {
        match self.optional {
            None => true,
            Some(OptionalIn::All) => false,
            Some(OptionalIn::Tables) => are_objects,
            Some(OptionalIn::Objects) => !are_objects,
        }
    }
}

impl Format {
    /// The format in a TOML file.
    pub fn of_file(name: &'static str, file: &'static str) -> Self {
        Self {
            name,
            ..parse_toml(file)
        }
    }

    /// The columns of a field, in the order in which they are tried.
    pub fn columns(&self, field: ReviewField) -> impl Iterator<Item = &str> {
        let columns = self.fields.get(&field);
        columns.into_iter().flat_map(|names| names.split(", "))
    }

    /// Prefix of the ids of its reviews.
    pub fn id_prefix(&self) -> &'static str {
        self.ids.unwrap_or(self.name)
    }

    /// Whether its fields may have other names, given by `--map`.
    pub const fn has_renames(&self) -> bool {
        matches!(self.reader, Reader::Columns | Reader::Table) && !self.has_google_names
    }

    /// Whether its dates may have other forms, given by `--date-format`.
    pub const fn has_date_forms(&self) -> bool {
        matches!(
            self.reader,
            Reader::LinkedData | Reader::Columns | Reader::Table
        ) && !self.has_google_names
    }

    /// Whether it is the format of any table that is no platform's.
    pub const fn is_table(&self) -> bool {
        matches!(self.reader, Reader::Table)
    }

    /// Whether the platform is known to have this column, which is not read.
    pub fn ignores(&self, header: &str) -> bool {
        let mut ignored = self.ignored.split(", ");
        ignored.any(|name| match name.strip_suffix('*') {
            Some(family) => header.to_lowercase().starts_with(&family.to_lowercase()),
            None => same_name(name, header),
        })
    }

    /// Whether it is another instance's `/reviews.json`.
    pub const fn is_document(&self) -> bool {
        matches!(self.reader, Reader::Document)
    }

    /// Whether its rows are native records.
    pub const fn is_native(&self) -> bool {
        matches!(self.reader, Reader::Native)
    }

    /// Whether it is one of our own forms: native records, or a document with them.
    pub const fn is_ours(&self) -> bool {
        matches!(self.reader, Reader::Native | Reader::Document)
    }
}

/// Verification of a review whose platform verifies its reviews.
pub const BY_PLATFORM: Verification = Verification {
    method: Some(Method::SourcePlatform),
    verified_at: None,
};

/// Reason for withholding a review without stars: stars assigned here would not be the customer's.
pub const NO_STARS: &str = "recommendation without stars";

/// How a platform's API gives further pages; `Link: rel="next"` (RFC 8288) needs no entry, and goes before one. Paths are
/// those of members in the body, such as `pagination.next`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Paging {
    /// Paths of the array of rows, of which an answer has one; if `None`, the answer is the array.
    pub rows: Option<&'static str>,
    /// Path of the token of the next page, for the query parameter `parameter`.
    pub token: Option<&'static str>,
    pub parameter: Option<&'static str>,
    /// Path of the URL of the next page; only its query counts.
    pub next_url: Option<&'static str>,
    /// Query parameter with the number of the page, from 1.
    pub page: Option<&'static str>,
    /// Query parameter with an offset, which grows by the value of the parameter `size`; there is one page if the URL
    /// does not have that.
    pub offset: Option<&'static str>,
    pub size: Option<&'static str>,
    /// Statuses that mean that there is no further page.
    pub end_status: Vec<u16>,
    /// Path of the number of reviews that there are.
    pub total: Option<&'static str>,
}

/// Native records, one per line or in an array, as `reviews export` writes them (`docs/IMPORT.md`).
pub static NATIVE: LazyLock<Format> = LazyLock::new(|| Format {
    name: "jsonl",
    label: "native format (JSON Lines, CSV)",
    keys: vec!["id, rating, date, author, text", "id, deleted"],
    reader: Reader::Native,
    ..Format::default()
});

/// Another instance's `/reviews.json`. Its business is imported if the database has none; its counts are ignored.
pub static DOCUMENT: LazyLock<Format> = LazyLock::new(|| Format {
    name: "reviews-json",
    label: "/reviews.json of this service",
    reader: Reader::Document,
    ..Format::default()
});

/// schema.org's JSON-LD.
pub static LINKED_DATA: LazyLock<Format> = LazyLock::new(|| Format {
    reader: Reader::LinkedData,
    ..Format::of_file(LINKED_DATA_NAME, include_str!("schema_org.toml"))
});

const LINKED_DATA_NAME: &str = "schema-org";

/// Any table that is no platform's; the owner who imports it vouches for the reviews.
pub static TABLE: LazyLock<Format> = LazyLock::new(|| Format {
    name: "table",
    label: "table (CSV, TSV, XLSX)",
    reader: Reader::Table,
    is_manual: true,
    ..Format::default()
});

macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!($name, ".toml")))),+]
    };
}

/// Names and files in the order of detection: if the columns of a file fit two formats, it is of the first.
const COLUMN_FORMATS: &[(&str, &str)] = files!(
    "google",
    "google_places",
    "apify",
    "outscraper_trustpilot",
    "outscraper",
    "serpapi",
    "gosom",
    "yelp",
    "trustpilot",
    "servicetitan",
    "podium",
    "reviews_io",
    "birdeye",
    "judgeme",
    "facebook",
    "okendo",
    "powerreviews",
    "yotpo_api",
    "yotpo",
    "stamped",
    "loox",
    "shopify",
    "woocommerce",
    "woocommerce_rest",
    "feefo",
    "magento",
    "google_play",
    "app_store",
    "app_store_feed",
    "site_reviews",
    "strong_testimonials",
    "opencart",
    "prestashop",
    "shopware",
    "booking",
    "delighted",
    "hubspot",
);

static BY_COLUMNS: LazyLock<Vec<Format>> = LazyLock::new(|| {
    COLUMN_FORMATS
        .iter()
        .map(|(name, file)| Format::of_file(name, file))
        .collect()
});

/// All formats, in the order of detection.
pub fn all_formats() -> impl Iterator<Item = &'static Format> {
    let first: [&Format; 1] = [&DOCUMENT];
    let last: [&Format; 3] = [&LINKED_DATA, &NATIVE, &TABLE];
    first.into_iter().chain(&*BY_COLUMNS).chain(last)
}

/// The format with this name.
pub fn find_format(name: &str) -> Option<&'static Format> {
    all_formats().find(|format| format.name == name)
}

/// The values of `--format`, in the order of detection. Every command lists them at its start, so no file is read.
pub fn format_names() -> impl Iterator<Item = &'static str> {
    let first = [DOCUMENT.name];
    let by_columns = COLUMN_FORMATS.iter().map(|(name, _)| *name);
    let last = [LINKED_DATA_NAME, NATIVE.name, TABLE.name];
    first.into_iter().chain(by_columns).chain(last)
}

/// The format that gave a review this id, by its prefix; `None` for ids that have none.
pub fn id_prefix(id: &str) -> Option<&'static str> {
    let mut prefixes = all_formats().map(Format::id_prefix);
    prefixes.find(|prefix| {
        id.strip_prefix(prefix)
            .is_some_and(|rest| rest.starts_with('-'))
    })
}

/// Whether a cell is a known header of any table of reviews or of any platform.
pub fn is_header(cell: &str) -> bool {
    let is_cell = |list: &'static String| names(list).any(|name| same_name(name, cell));
    let mut platforms = all_formats().flat_map(|format| format.fields.values());
    named_field(cell).is_some() || platforms.any(is_cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_a_format_can_be_read() {
        for (name, file) in COLUMN_FORMATS {
            let format = find_format(name).unwrap();
            assert!(
                !format.fields.is_empty() && !format.keys.is_empty(),
                "{file}"
            );
        }
        let names: Vec<&str> = all_formats().map(|format| format.name).collect();
        assert_eq!(names, format_names().collect::<Vec<_>>());
    }
}
