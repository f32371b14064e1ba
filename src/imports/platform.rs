//! What an entry of `platforms` declares. What is done with it stands in `plan`, once for all of
//! them.
//!
//! A column that no entry names is never looked at, so private fields (e-mail, phone, street,
//! customer) go nowhere, the file of rejected rows included.

use chrono_tz::Tz;

use super::values::date::DateOrder;

/// What is known about one platform's exports.
#[derive(Debug)]
pub(super) struct Platform {
    /// What reviews say they are from, where a row does not say.
    pub(super) source: &'static str,
    /// What stands before its ids in ours, where that is not the format's name: reviews that two tools take from one site have
    /// the same id in both.
    pub(super) ids: Option<&'static str>,
    /// A file is this platform's if its rows have all the names of one of these sets.
    pub(super) keys: &'static [&'static [&'static str]],
    /// Which column means which field: the first that is filled counts.
    pub(super) fields: &'static [(Field, &'static [&'static str])],
    /// What hides a review there, so that it must not be published here.
    pub(super) hidden: &'static [Hidden],
    /// How days with slashes are written.
    pub(super) date_order: Option<DateOrder>,
    /// Where the platform's clock stands, for times without an offset.
    pub(super) zone: Option<Tz>,
    /// Who wrote a review whose author stays unnamed. Without it such a row is rejected.
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

/// The columns of rows that answer each other. One that has a parent and no rating is no review.
#[derive(Debug)]
pub(super) struct Comments {
    /// The id of the row that it answers; 0 where it answers none.
    pub(super) parent: &'static [&'static str],
    /// The number of the user who was logged in; 0 for a visitor.
    pub(super) writer: &'static [&'static str],
}

/// A field of a review that a column may fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
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

/// A column whose values may hide a review.
#[derive(Debug)]
pub(super) struct Hidden {
    /// What the column is called, the name that is asked for first at the front.
    pub(super) names: &'static [&'static str],
    pub(super) when: When,
    /// Why the review is withheld then.
    pub(super) reason: &'static str,
}

/// When a column hides a review.
#[derive(Debug, Clone, Copy)]
pub(super) enum When {
    /// Its flag is yes.
    Yes,
    /// Its flag is no.
    No,
    /// It is filled with none of these (case aside).
    NoneOf(&'static [&'static str]),
}

/// Why a review is withheld that came without stars: those given here would be ours, not the
/// customer's.
pub(super) const NO_STARS: &str = "recommendation without stars";

impl Platform {
    /// A platform about which nothing is known but its columns.
    pub(super) const PLAIN: Self = Self {
        source: "Direct",
        ids: None,
        keys: &[],
        fields: &[],
        hidden: &[],
        date_order: None,
        zone: None,
        anonymous: None,
        vouches: true,
        matched: None,
        was_table: false,
        reads_headers: false,
        comments: None,
    };
}

impl Field {
    pub(super) const ALL: [(Self, &'static str); 25] = [
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
