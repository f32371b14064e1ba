//! What is known of one kind of file with reviews.

use std::collections::BTreeMap;

use chrono_tz::Tz;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::imports::map::date::DateOrder;
use crate::imports::map::fields::{FieldError, Names};
use crate::imports::map::{Calendar, Incoming, ReviewField, SOURCE_DEFAULT};
use crate::imports::platforms::paging::Paging;
use crate::model::{Method, Verification};

/// A kind of file with reviews.
///
/// For a format read by columns it maps columns to fields. A column without an entry is never read, so private fields
/// (e-mail, phone, street, customer) go nowhere, not even to the file of rejected rows.
#[derive(Debug, Deserialize)]
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
    /// Whether its authors' names were public; otherwise they are shortened to "Jane D." .
    pub authors_public: bool,
    /// A note for the owner, shown with the report.
    pub note: Option<&'static str>,
    /// Members of the top-level object, one of which identifies a document without rows; its rows are in `reviews`.
    pub document: &'static str,
    /// A file has this format if its rows have all names of one of these lists.
    pub keys: Vec<Names>,
    #[serde(skip)]
    pub reader: Reader,
    /// The paths of the members that are read; of a format read by columns, `fields` has them.
    #[serde(skip)]
    pub members: Vec<&'static str>,
    /// Source name of reviews whose row has none.
    pub source: &'static str,
    /// Prefix of the review ids if it differs from the format's name: two tools that read the same site give a review
    /// the same id.
    pub ids: Option<&'static str>,
    /// The columns of each field, in the order in which they are tried.
    pub fields: BTreeMap<ReviewField, String>,
    /// Columns that hide a review at its source, so that it must not be published here.
    pub hidden: Vec<Hidden>,
    /// Order in dates with slashes.
    pub date_order: Option<DateOrder>,
    /// The platform's time zone, for times without an offset.
    #[serde(deserialize_with = "time_zone")]
    pub zone: Option<Tz>,
    /// Author of a review without one; if `None`, such a row is rejected.
    pub anonymous: Option<&'static str>,
    /// Whether the platform verifies its reviews; otherwise their verification is `manual`.
    pub vouches: bool,
    /// The value of [`ReviewField::Matched`] that means that the review matches a job in the business's books.
    pub matched: Option<&'static str>,
    /// Whether its columns are also recognized by words of several languages and by the questions of a form.
    pub reads_headers: bool,
    /// The columns that identify answers, if rows of the format answer each other.
    pub comments: Option<Comments>,
    /// How its API gives further pages.
    pub paging: Option<Paging>,
}

/// How rows become reviews.
#[derive(Debug, Default)]
pub enum Reader {
    /// As native records, which may also be deletions.
    Native,
    Json(ReadRow),
    /// By the meanings of their columns.
    #[default]
    Columns,
    /// As schema.org linked data, in which all objects are searched.
    LinkedData,
}

/// Reads the review in a row, or all its errors.
type ReadRow = fn(&Value, Calendar) -> Result<Incoming, Vec<FieldError>>;

/// The columns of rows that answer each other. A row with a parent and no rating is an answer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comments {
    /// Id of the row that it answers; 0 for none.
    pub parent: &'static str,
    /// Number of the logged-in author; 0 for a visitor.
    pub writer: &'static str,
}

/// A column whose values may hide a review.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hidden {
    pub names: &'static str,
    pub when: When,
    /// The reason for withholding the review.
    pub reason: &'static str,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// When its flag is yes.
    Yes,
    /// When its flag is no.
    No,
    /// When it has a value other than these (case-insensitive).
    NoneOf(&'static str),
}

impl Default for Format {
    /// Most platforms: all reviews, with public author names.
    fn default() -> Self {
        Self {
            name: "",
            label: "",
            excerpts: false,
            authors_public: true,
            note: None,
            document: "",
            keys: Vec::new(),
            reader: Reader::Columns,
            members: Vec::new(),
            source: SOURCE_DEFAULT,
            ids: None,
            fields: BTreeMap::new(),
            hidden: Vec::new(),
            date_order: None,
            zone: None,
            anonymous: Some("Anonymous"),
            vouches: true,
            matched: None,
            reads_headers: false,
            comments: None,
            paging: None,
        }
    }
}

impl Format {
    /// Whether its fields may have other names, given by `--map`.
    pub const fn has_renames(&self) -> bool {
        matches!(self.reader, Reader::Native | Reader::Columns)
    }

    /// Whether its rows are native records.
    pub const fn is_own(&self) -> bool {
        matches!(self.reader, Reader::Native)
    }
}

fn time_zone<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Tz>, D::Error> {
    let name = String::deserialize(deserializer)?;
    name.parse().map(Some).map_err(D::Error::custom)
}

/// Verification of a review whose platform verifies its reviews.
pub const BY_PLATFORM: Verification = Verification {
    verified: true,
    method: Method::SourcePlatform,
    verified_at: None,
};

/// Reason for withholding a review without stars: stars assigned here would not be the customer's.
pub const NO_STARS: &str = "recommendation without stars";
