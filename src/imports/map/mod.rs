//! Map: what a row means. A format is a file of its own in `platforms`, which has a `FORMAT`, and one line in the list of
//! `platforms`; `plan` makes reviews of its rows. What every format makes of a row is an [`Incoming`].

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::imports::export::{COLUMNS, EXPORT_ALONE};
use crate::imports::map::date::DateOrder;
use crate::imports::map::fields::Problem;
use crate::model::{Day, Mentions, Rating, ReviewId, Source, Stated, Status, Verification};

pub mod business;
pub mod date;
pub mod fields;
pub mod plan;
pub mod rating;
pub mod values;
pub mod visibility;

/// Names with `, ` between, the one that is asked for first at the front.
pub type Names = &'static str;

/// The names in such a list.
pub fn names(list: Names) -> impl Iterator<Item = &'static str> {
    list.split(", ")
}

/// A kind of file that reviews come in.
///
/// Of one that is read by its columns it says which column means what. A column that no entry names is never looked at, so
/// private fields (e-mail, phone, street, customer) go nowhere, the file of rejected rows included.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact by itself")]
pub struct Format {
    /// What `--format` calls it.
    pub name: &'static str,
    /// What people call it.
    pub label: &'static str,
    /// Whether its files hold only some of a place's reviews: then one that is missing says
    /// nothing.
    pub excerpts: bool,
    /// Whether its authors' names were public; else they are shortened to "Jane D." .
    pub authors_public: bool,
    /// A note for the person who imports it, shown with the report.
    pub note: Option<&'static str>,
    /// Whether `--map` has a meaning for it.
    pub(super) renames: bool,
    /// Members of the outermost object, one of which makes a file this format, its rows in
    /// `reviews`: where there are no rows to judge by.
    pub(super) document: Names,
    /// A file is of this format if its rows have all the names of one of these.
    pub(super) keys: &'static [Names],
    /// How its rows become reviews.
    pub(super) reader: Reader,
    /// What reviews say they are from, where a row does not say.
    pub(super) source: &'static str,
    /// What stands before its ids in ours, where that is not the format's name: reviews that two tools take from one site have
    /// the same id in both.
    pub(super) ids: Option<&'static str>,
    /// Which column means which field: the first that is filled counts.
    pub(super) fields: &'static [(Field, Names)],
    /// What hides a review there, so that it must not be published here.
    pub(super) hidden: &'static [Hidden],
    /// How days with slashes are written.
    pub(super) date_order: Option<DateOrder>,
    /// Where the platform's clock stands, for times without an offset.
    pub(super) zone: Option<Tz>,
    /// Who wrote a review whose author stays unnamed; where that is nobody, such a row is rejected.
    pub(super) anonymous: Option<&'static str>,
    /// Whether the platform vouches for its reviews; else a row is vouched for by whoever imports
    /// it.
    pub(super) vouches: bool,
    /// The value of [`Field::Matched`] that says that the review belongs to a job in the firm's
    /// books.
    pub(super) matched: Option<&'static str>,
    /// Whether earlier releases read its exports as tables, so that its reviews may have the ids of those.
    pub(super) was_table: bool,
    /// Whether its columns are also found by words of several languages, and by what a form asks.
    pub(super) reads_headers: bool,
    /// The columns by which a row below another one is known, where its rows answer each other.
    pub(super) comments: Option<Comments>,
}

/// How rows become reviews.
#[derive(Debug)]
pub enum Reader {
    /// As our own record, which may also say that a review was deleted.
    Native,
    /// By a function of the row.
    Json(fn(&Value) -> Result<Incoming, Vec<Problem>>),
    /// By what their columns mean.
    Columns,
    /// As linked data of schema.org, which is walked whole.
    LinkedData,
}

/// The columns of rows that answer each other. One that has a parent and no rating is no review.
#[derive(Debug)]
pub struct Comments {
    /// The id of the row that it answers; 0 where it answers none.
    pub parent: Names,
    /// The number of the user who was logged in; 0 for a visitor.
    pub writer: Names,
}

/// A column whose values may hide a review.
#[derive(Debug)]
pub struct Hidden {
    /// What the column is called.
    pub names: Names,
    pub when: When,
    /// Why the review is withheld then.
    pub reason: &'static str,
}

/// When a column hides a review.
#[derive(Debug, Clone, Copy)]
pub enum When {
    /// Its flag is yes.
    Yes,
    /// Its flag is no.
    No,
    /// It is filled with none of these (case aside).
    NoneOf(Names),
}

impl Format {
    /// The format of a platform as most of them are: all of its reviews, under names that were public.
    pub(super) const PLAIN: Self = Self {
        name: "",
        label: "",
        excerpts: false,
        authors_public: true,
        note: None,
        renames: true,
        document: "",
        keys: &[],
        reader: Reader::Columns,
        source: "Direct",
        ids: None,
        fields: &[],
        hidden: &[],
        date_order: None,
        zone: None,
        anonymous: Some("Anonymous"),
        vouches: true,
        matched: None,
        was_table: false,
        reads_headers: false,
        comments: None,
    };

    /// Whether its rows are our own records.
    pub(super) const fn is_own(&self) -> bool {
        matches!(self.reader, Reader::Native)
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Format({})", self.name)
    }
}

/// A field of a review that a column may fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    Id,
    Rating,
    Date,
    Author,
    FirstName,
    LastName,
    Title,
    Text,
    Language,
    SourceName,
    Url,
    Location,
    UpdatedAt,
    Verified,
    Method,
    VerifiedAt,
    Matched,
    Technicians,
    Services,
    ServiceAreas,
    ResponseText,
    ResponseDate,
    ResponseAuthor,
    Recommended,
    Reason,
}

/// Why a review is withheld that came without stars: those given here would be ours, not the
/// customer's.
pub const NO_STARS: &str = "recommendation without stars";

impl Field {
    pub const ALL: [(Self, &'static str); 25] = [
        (Self::Id, "id"),
        (Self::Rating, "rating"),
        (Self::Date, "date"),
        (Self::Author, "author"),
        (Self::FirstName, ""),
        (Self::LastName, ""),
        (Self::Title, "title"),
        (Self::Text, "text"),
        (Self::Language, "language"),
        (Self::SourceName, "source.name"),
        (Self::Url, "source.url"),
        (Self::Location, "location"),
        (Self::UpdatedAt, "updated_at"),
        (Self::Verified, "verification.verified"),
        (Self::Method, "verification.method"),
        (Self::VerifiedAt, "verification.verified_at"),
        (Self::Matched, ""),
        (Self::Technicians, "mentions.technicians"),
        (Self::Services, "mentions.services"),
        (Self::ServiceAreas, "mentions.service_areas"),
        (Self::ResponseText, "response.text"),
        (Self::ResponseDate, "response.date"),
        (Self::ResponseAuthor, "response.author"),
        (Self::Recommended, ""),
        (Self::Reason, "withheld_reason"),
    ];
}

// One review as a source states it: what every format makes of a row. Apart from
// [`Review`](crate::model::Review), which has no place for what a file leaves unsaid. Knows
// neither files nor the database.

/// One review as a source states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incoming {
    /// Its id, unique and stable.
    pub id: ReviewId,
    /// Whether the row has one; else it is a digest of the row.
    pub has_id: bool,
    /// One to five stars.
    pub rating: Rating,
    /// When it was written.
    pub posted: Dated,
    /// The author's display name.
    pub author: String,
    /// The headline above the text.
    pub title: Stated<String>,
    /// What it says; empty for stars alone, unsaid where a table has no column for it.
    pub text: Stated<String>,
    /// The language of the text, as a BCP 47 tag.
    pub language: Stated<String>,
    /// Where it was written.
    pub source: Stated<Source>,
    /// Which of the firm's locations it is about, as the source calls it.
    pub location: Option<String>,
    /// Whether it is published, or withheld and why.
    pub status: Stated<Status>,
    /// How it is known to be from a customer. One that is not verified and has no status is
    /// withheld.
    pub verification: Stated<Verification>,
    /// What it was recorded to be about.
    pub mentions: Stated<Mentions>,
    /// The owner's answer; [`Stated::None`] where the file says that there is none.
    pub response: Stated<IncomingResponse>,
    /// When it last changed there.
    pub updated_at: Option<DateTime<Utc>>,
    /// Fields that the owner had decided: of our own export alone.
    pub decided: Vec<String>,
    /// What an earlier import had noted: of our own export alone, too.
    pub noted: Noted,
}

/// What an import notes besides a review, and an export carries on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Noted {
    /// When it was written, where its source gave an instant.
    pub posted_at: Option<DateTime<Utc>>,
    /// When it was answered, likewise.
    pub responded_at: Option<DateTime<Utc>>,
    /// What its source calls itself, whatever the owner made of it.
    pub source_name: Option<String>,
    /// By what earlier releases may have named it; `None` where they named it as this one does.
    pub former: Option<Former>,
    /// The number of the user who wrote it, where rows answer each other.
    pub writer: Option<String>,
}

/// By what earlier releases, to which its format was any table, may have named a review.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Former {
    /// The id in its row, as it stands there.
    pub id: Option<String>,
    /// Whether it was given with another source.
    pub was_direct: bool,
    /// The author's name as its row has it.
    pub author: String,
}

/// A row that answers another one, and is no review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// The id of the review that it is about.
    pub review: ReviewId,
    /// The number of the user who wrote it; `None` for a visitor, and where it is not public.
    pub writer: Option<String>,
    /// What it says.
    pub response: IncomingResponse,
}

/// The owner's answer as a source states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncomingResponse {
    /// Its text, never empty.
    pub text: String,
    /// When it was written.
    pub posted: Option<Dated>,
    /// Who wrote it, where the source names somebody.
    pub author: Option<String>,
}

/// When something was written, and what the file calls that field: complaints about days are made
/// by the collector, which alone knows the business's time zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dated {
    /// The day or the instant, whichever the field states.
    pub posted: Posted,
    /// The field's path in the file, as `createTime`.
    pub path: Cow<'static, str>,
}

/// When something was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Posted {
    /// On a calendar day of the business.
    Day(Day),
    /// At an instant, which becomes a day in the business's time zone.
    Instant(DateTime<Utc>),
}

impl fmt::Display for Posted {
    /// As ids have it that are made of it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Day(day) => write!(f, "{day}"),
            Self::Instant(instant) => f.write_str(&instant.to_rfc3339()),
        }
    }
}

impl Posted {
    /// The instant, where it is one.
    pub const fn instant(self) -> Option<DateTime<Utc>> {
        match self {
            Self::Instant(instant) => Some(instant),
            Self::Day(_) => None,
        }
    }
}

impl Dated {
    /// On that day, as the field `path` says.
    pub fn day(day: Day, path: impl Into<Cow<'static, str>>) -> Self {
        Self {
            posted: Posted::Day(day),
            path: path.into(),
        }
    }

    /// At that instant, as the field `path` says.
    pub fn instant(instant: DateTime<Utc>, path: impl Into<Cow<'static, str>>) -> Self {
        Self {
            posted: Posted::Instant(instant),
            path: path.into(),
        }
    }
}

// `--map text=Review`: JSON Lines whose fields have other names than ours.

/// The fields of a native record that can be filled from a field of another name: all columns of an export but those, the last
/// ones, that exports alone have.
fn fields() -> impl Iterator<Item = &'static str> {
    COLUMNS
        .into_iter()
        .take_while(|column| *column != EXPORT_ALONE)
}

/// What the preview of a table calls the text of the owner's answer.
const RESPONSE: &str = "response";

/// The one field that may be filled from nothing: `--map status=` ignores what a file says of it.
pub const STATUS: &str = "status";

/// One field of ours, and what the file calls it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rename {
    ours: &'static str,
    theirs: String,
}

/// A `--map` that names nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RenameError {
    /// There is no `=` with something on both sides.
    #[error("write it as FIELD=THEIR_FIELD, for example text=Review")]
    Shape,
    /// The field is none of ours.
    #[error("`{0}` is not a field of a review; use one of {known}", known = fields().collect::<Vec<_>>().join(", "))]
    Field(String),
}

impl Rename {
    /// The field of the native record that it fills.
    pub(super) const fn ours(&self) -> &'static str {
        self.ours
    }

    /// Whether it says that nothing of the file is the status.
    pub(super) fn ignores_status(&self) -> bool {
        self.ours == STATUS && self.theirs.is_empty()
    }

    /// What the file calls it; empty where nothing of the file is to fill it, which only a status can be.
    pub(super) fn theirs(&self) -> &str {
        &self.theirs
    }
}

impl FromStr for Rename {
    type Err = RenameError;

    fn from_str(text: &str) -> Result<Self, RenameError> {
        let (ours, theirs) = text.split_once('=').ok_or(RenameError::Shape)?;
        if ours.is_empty() || (theirs.is_empty() && ours != STATUS) {
            return Err(RenameError::Shape);
        }
        let path = if ours == RESPONSE {
            "response.text"
        } else {
            ours
        };
        let known = fields().find(|field| *field == path);
        Ok(Self {
            ours: known.ok_or_else(|| RenameError::Field(ours.to_owned()))?,
            theirs: theirs.to_owned(),
        })
    }
}

/// Moves the fields of `record` to our names. A field that it does not have leaves ours as it is.
pub fn apply(renames: &[Rename], record: &mut Value) {
    let Value::Object(fields) = record else {
        return;
    };
    // All are taken out before any is put in, so that two names can change places.
    let taken: Vec<_> = renames
        .iter()
        .filter_map(|rename| match rename.theirs.as_str() {
            "" => fields.remove(rename.ours).and(None),
            theirs => Some((rename.ours, fields.remove(theirs)?)),
        })
        .collect();
    for (ours, value) in taken {
        put(fields, ours, value);
    }
}

fn put(fields: &mut Map<String, Value>, path: &str, value: Value) {
    // An absent part stays absent: an empty object would lack what it must have.
    if value.is_null() {
        return;
    }
    match path.split_once('.') {
        None => {
            fields.insert(path.to_owned(), value);
        }
        Some((outer, inner)) => {
            let part = fields
                .entry(outer)
                .or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(part) = part {
                put(part, inner, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Rename, apply};

    #[test]
    fn names_can_change_places_and_reach_inside() {
        let renames: Vec<Rename> = ["text=title", "title=text", "source.name=From", "author=Who"]
            .iter()
            .map(|map| map.parse().unwrap())
            .collect();
        let mut record = json!({"text": "a", "title": "b", "From": "Yelp", "id": "1"});
        apply(&renames, &mut record);
        assert_eq!(
            record,
            json!({"text": "b", "title": "a", "source": {"name": "Yelp"}, "id": "1"})
        );
    }

    #[test]
    fn a_field_that_is_none_of_ours_is_refused() {
        assert!(
            "review=Review"
                .parse::<Rename>()
                .unwrap_err()
                .to_string()
                .contains("text")
        );
        assert!("text".parse::<Rename>().is_err());
        assert!("text=".parse::<Rename>().is_err());
        assert!("status=".parse::<Rename>().is_ok());
    }
}
