//! What is known of one kind of file with reviews.

use std::collections::BTreeMap;

use chrono_tz::Tz;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::imports::map::date::DateOrder;
use crate::imports::map::fields::Names;
use crate::imports::map::{ReviewField, SOURCE_DEFAULT};
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
    /// Source name of reviews whose row has none.
    pub source: &'static str,
    /// Prefix of the review ids if it differs from the format's name: two tools that read the same site give a review
    /// the same id.
    pub ids: Option<&'static str>,
    /// The columns of each field, in the order in which they are tried.
    pub fields: BTreeMap<ReviewField, String>,
    /// Columns that hide a review at its source, so that it must not be published here.
    pub hidden: Vec<Hidden>,
    /// The same of the answer.
    pub answer_hidden: Vec<Hidden>,
    /// Whether its texts are HTML.
    pub html: bool,
    /// Whether an object without one of its fields states that there is none.
    pub states_all: bool,
    /// Whether a review without a time of its last change has not changed since it was posted.
    pub updates_all: bool,
    /// Whether its ids are Google's names, `accounts/…/locations/…/reviews/…`.
    pub has_google_names: bool,
    /// Order of day and month in its dates, unless one proves the other.
    pub date_order: Option<DateOrder>,
    /// The platform's time zone, for times without an offset.
    #[serde(deserialize_with = "time_zone")]
    pub zone: Option<Tz>,
    /// Author of a review without one.
    pub anonymous: &'static str,
    /// Whether the platform verifies its reviews; otherwise their verification is `manual`.
    pub vouches: bool,
    /// The value of [`ReviewField::Matched`] that means that the review matches a job in the business's books.
    pub matched: Option<&'static str>,
    /// Whether its columns are also recognized by words of several languages and by the questions of a form.
    pub reads_headers: bool,
    /// The columns that identify answers, if rows of the format answer each other.
    pub comments: Option<Comments>,
}

/// How rows become reviews.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reader {
    /// As native records, which may also be deletions.
    Native,
    /// As the native records of a document with its business.
    Document,
    /// By the meanings of their columns.
    #[default]
    Columns,
    /// As schema.org linked data, in which all objects are searched, by the meanings of their columns.
    LinkedData,
}

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
            source: SOURCE_DEFAULT,
            ids: None,
            fields: BTreeMap::new(),
            hidden: Vec::new(),
            answer_hidden: Vec::new(),
            html: false,
            states_all: true,
            updates_all: false,
            has_google_names: false,
            date_order: None,
            zone: None,
            anonymous: "Anonymous",
            vouches: true,
            matched: None,
            reads_headers: false,
            comments: None,
        }
    }
}

impl Format {
    /// The format in a TOML file.
    pub fn of_file(name: &'static str, file: &'static str) -> Self {
        match toml::from_str(file) {
            Ok(format) => Self { name, ..format },
            // A test reads every file.
            Err(error) => unreachable!("{name}.toml: {error}"),
        }
    }

    /// Whether its fields may have other names, given by `--map`.
    pub const fn has_renames(&self) -> bool {
        matches!(self.reader, Reader::Native | Reader::Columns) && !self.has_google_names
    }

    /// Whether its dates may have other forms, given by `--date-format`.
    pub const fn has_date_forms(&self) -> bool {
        matches!(self.reader, Reader::LinkedData | Reader::Columns) && !self.has_google_names
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
