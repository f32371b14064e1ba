//! A review whose parts are valid by type.

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, Utc};
use chrono_tz::Tz;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use serde_with::{DeserializeFromStr, skip_serializing_none};
use thiserror::Error;

use super::words::fold;

/// A review as stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// Unique and stable.
    pub id: ReviewId,
    pub rating: Rating,
    /// Day of the review.
    pub date: Day,
    /// Display name.
    pub author: String,
    /// Headline, if the platform has one.
    pub title: Option<String>,
    /// May be empty.
    pub text: String,
    /// BCP 47; `None` if unknown.
    pub language: Option<String>,
    #[serde(flatten)]
    pub source: Source,
    #[serde(flatten)]
    pub verification: Verification,
    /// Recorded, not derived from the text.
    pub mentions: Mentions,
    /// The owner's public reply.
    #[serde(rename = "owner_reply")]
    pub reply: Option<Reply>,
    pub status: Status,
    pub updated_at: Option<DateTime<Utc>>,
}

impl Review {
    /// When it last changed; if that is not recorded, the start of its day in UTC.
    pub fn changed_at(&self) -> DateTime<Utc> {
        let start = self.date.date().and_time(NaiveTime::MIN).and_utc();
        self.updated_at.unwrap_or(start)
    }

    /// What its source or its owner wrote.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let reply = self.reply.as_ref();
        let texts = [
            Some(self.id.as_str()),
            Some(&self.author),
            self.title.as_deref(),
            Some(&self.text),
            self.language.as_deref(),
            Some(&self.source.name),
            self.source.url.as_deref(),
            reply.map(|reply| reply.text.as_str()),
            reply.and_then(|reply| reply.author.as_deref()),
            self.status.reason(),
        ];
        let mentions = self.mentions.pairs().map(|(_, value)| value.as_str());
        texts.into_iter().flatten().chain(mentions)
    }
}

/// A published review of the business.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "Review")]
pub struct PublishedReview {
    /// Unique and stable id, also the last part of `url`.
    #[oai(validator(pattern = r"^[A-Za-z0-9._~=-]{1,128}$"))]
    pub id: String,
    /// One to five stars.
    #[oai(validator(minimum(value = "1"), maximum(value = "5")))]
    pub rating: u8,
    /// The day it is from, in the business's time zone.
    pub date: NaiveDate,
    /// The author's display name.
    pub author: String,
    /// A headline, if the platform has one.
    pub title: Option<String>,
    /// The text; empty for a rating without a comment.
    pub text: String,
    /// BCP 47 language tag.
    pub language: Option<String>,
    /// Where it was written: the name that the filter `source` takes.
    pub source: String,
    /// The review's page there.
    pub source_url: Option<String>,
    /// The owner's public reply; left out if there is none.
    pub owner_reply: Option<OwnerReply>,
    /// Whether a platform, a job or an invitation verified it; only the business vouches for others.
    pub verified: bool,
    /// How it is known to be from a customer.
    pub verification: Method,
    /// When it was verified, RFC 3339 UTC; left out if it is not recorded.
    pub verified_at: Option<DateTime<Utc>>,
    /// What it is about.
    pub mentions: Mentions,
    /// Permalink: the URL of the review's own page.
    pub url: String,
    /// When it last changed; if that is not recorded, the start of its day.
    pub updated_at: DateTime<Utc>,
}

/// The owner's reply to a review.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct OwnerReply {
    /// Text of the reply, as it was written.
    pub text: String,
    /// The day it is from.
    pub date: Option<NaiveDate>,
    /// Name of the person who replied; left out if it is not recorded.
    pub author: Option<String>,
}

impl PublishedReview {
    /// `url` is its permalink.
    pub fn new(review: &Review, url: String) -> Self {
        Self {
            url,
            id: review.id.to_string(),
            rating: review.rating.stars(),
            date: review.date.date(),
            author: review.author.clone(),
            title: review.title.clone(),
            text: review.text.clone(),
            language: review.language.clone(),
            source: review.source.name.clone(),
            source_url: review.source.url.clone(),
            owner_reply: review.reply.clone().map(OwnerReply::from),
            verified: review.verification.is_independent(),
            verification: review.verification.method.unwrap_or(Method::Manual),
            verified_at: review.verification.verified_at,
            mentions: review.mentions.clone(),
            updated_at: review.changed_at(),
        }
    }
}

impl From<Reply> for OwnerReply {
    fn from(reply: Reply) -> Self {
        Self {
            text: reply.text,
            date: reply.date.map(Day::date),
            author: reply.author,
        }
    }
}

/// The display name of an author whose name is private.
pub const ANONYMOUS: &str = "Anonymous";

/// Ids without a usable URL: path segments with a special meaning (RFC 3986 §3.3), and the name of
/// `/api/reviews/search`. The table's check refuses them too (`migrations/0002_review.sql`).
const RESERVED_IDS: [&str; 3] = [".", "..", "search"];

/// `[A-Za-z0-9._~=-]{1,128}`, which needs no escaping in a URL path, except `.`, `..` and `search`. Shared, because an import has each in
/// several lists.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, DeserializeFromStr)]
pub struct ReviewId(Arc<str>);

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{0}` is not a review id: use 1 to 128 of the characters A-Z a-z 0-9 . _ ~ = -, and neither `.`, `..` nor `search`"
)]
pub struct InvalidReviewId(String);

impl FromStr for ReviewId {
    type Err = InvalidReviewId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bytes = text.bytes();
        if (1..=128).contains(&text.len())
            && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"._~=-".contains(&byte))
            && !RESERVED_IDS.contains(&text)
        {
            return Ok(Self(text.into()));
        }
        Err(InvalidReviewId(text.chars().take(140).collect()))
    }
}

impl ReviewId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for ReviewId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ReviewId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Invariant: 1 to 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "i64")]
pub struct Rating(u8);

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("a rating of {0} is not one of 1, 2, 3, 4, 5")]
pub struct InvalidRating(pub i64);

impl TryFrom<i64> for Rating {
    type Error = InvalidRating;

    fn try_from(stars: i64) -> Result<Self, Self::Error> {
        match u8::try_from(stars) {
            Ok(stars @ 1..=5) => Ok(Self(stars)),
            _ => Err(InvalidRating(stars)),
        }
    }
}

impl Rating {
    /// 1 to 5.
    pub const fn stars(self) -> u8 {
        self.0
    }
}

/// Where a review was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Name of the platform.
    #[serde(rename = "source")]
    pub name: String,
    /// The review's page there.
    #[serde(rename = "source_url")]
    pub url: Option<String>,
}

/// Who vouches that a review is from a customer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verification {
    /// `None` if no one does: such a review is withheld.
    #[serde(rename = "verification")]
    pub method: Option<Method>,
    pub verified_at: Option<DateTime<Utc>>,
}

impl Verification {
    /// Whether someone other than the owner verified it: a platform, a job or an invitation.
    pub fn is_independent(&self) -> bool {
        self.method.is_some_and(|method| method != Method::Manual)
    }
}

named! {
    /// `job_match`: it matches a job in the firm's books; `source_platform`: its platform vouches for it; `invite`: only
    /// invited customers could write it; `manual`: only the business vouches for it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Enum)]
    #[serde(rename_all = "snake_case")]
    #[oai(rename = "VerificationMethod", rename_all = "snake_case")]
    pub enum Method {
        /// It matches a job in the firm's books.
        JobMatch = "job_match",
        /// The platform it comes from vouches for it.
        SourcePlatform = "source_platform",
        /// Only invited customers could write it.
        Invite = "invite",
        /// Only the business vouches for it.
        Manual = "manual",
    }
}

/// What a review is about. Each list is sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Object)]
#[serde(default)]
pub struct Mentions {
    /// Full names of technicians.
    pub technicians: Vec<String>,
    /// Ids of services.
    pub services: Vec<String>,
    /// Names of service areas, as the business or the import writes them.
    pub service_areas: Vec<String>,
}

impl Mentions {
    /// Sorts the lists and removes duplicates and empty values.
    pub fn new(
        technicians: Vec<String>,
        services: Vec<String>,
        service_areas: Vec<String>,
    ) -> Self {
        let mut lists = [technicians, services, service_areas];
        for values in &mut lists {
            values.retain(|value| !value.is_empty());
            values.sort_unstable();
            values.dedup();
        }
        let [technicians, services, service_areas] = lists;
        Self {
            technicians,
            services,
            service_areas,
        }
    }

    pub fn pairs(&self) -> impl Iterator<Item = (MentionKind, &String)> {
        let lists = [
            (MentionKind::Technician, &self.technicians),
            (MentionKind::Service, &self.services),
            (MentionKind::ServiceArea, &self.service_areas),
        ];
        let lists = lists.into_iter();
        lists.flat_map(|(kind, list)| list.iter().map(move |value| (kind, value)))
    }
}

impl FromIterator<(MentionKind, String)> for Mentions {
    fn from_iter<I: IntoIterator<Item = (MentionKind, String)>>(pairs: I) -> Self {
        let (mut technicians, mut services, mut areas) = (Vec::new(), Vec::new(), Vec::new());
        for (kind, value) in pairs {
            let list = match kind {
                MentionKind::Technician => &mut technicians,
                MentionKind::Service => &mut services,
                MentionKind::ServiceArea => &mut areas,
            };
            list.push(value);
        }
        Self::new(technicians, services, areas)
    }
}

named! {
    /// Kind of a named entity; its name is used in the database.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum MentionKind {
        /// Values are full names.
        Technician = "technician",
        /// Values are service ids.
        Service = "service",
        /// A place that the business serves; values are names.
        ServiceArea = "service_area",
    }
}

impl MentionKind {
    /// The form in which values are compared: an ID as it is, a name in any case.
    pub fn value_key(self, value: &str) -> Cow<'_, str> {
        match self {
            Self::Service => value.into(),
            Self::Technician | Self::ServiceArea => fold(value).into(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// Plain text.
    #[serde(default)]
    pub text: String,
    pub date: Option<Day>,
    pub author: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    Published,
    /// Not published; counted under its reason.
    Withheld {
        /// In the owner's words, or one of the reasons of imports.
        reason: Option<String>,
    },
}

/// Reason for withholding an unverified review without another reason.
pub const NOT_VERIFIED: &str = "not verified";
/// Reason for withholding a review that its source no longer lists.
pub const GONE: &str = "gone at the source";
/// Reason for withholding a review that a row may be which its source hides.
pub const MAYBE_NOT_PUBLISHED: &str = "perhaps not published at the source";
/// Reason for withholding a review that its source hides.
pub const NOT_PUBLISHED: &str = "not published at the source";
/// Reason for withholding a review without stars: stars assigned here would not be the customer's.
pub const WITHOUT_STARS: &str = "recommendation without stars";

impl Status {
    pub fn withheld(reason: &str) -> Self {
        Self::Withheld {
            reason: Some(reason.to_owned()),
        }
    }

    /// Whether it is withheld without a word of its source: it lacks a row, or one that may be its own was hidden.
    pub fn is_of_import(&self) -> bool {
        [GONE, MAYBE_NOT_PUBLISHED]
            .map(Some)
            .contains(&self.reason())
    }

    /// Its name in the database and in files.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Withheld { .. } => "withheld",
        }
    }

    /// Why it is withheld, if that is stated.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Published => None,
            Self::Withheld { reason } => reason.as_deref(),
        }
    }
}

// The units of a review: the parts that its source and its owner can change independently.

named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Unit {
        Rating = "rating",
        Date = "date",
        Author = "author",
        Title = "title",
        Text = "text",
        Language = "language",
        /// Name and URL together.
        Source = "source",
        /// With the reason.
        Status = "status",
        Verification = "verification",
        /// With its day and author.
        Reply = "reply",
        Mentions = "mentions",
    }
}

impl Unit {
    /// Whether the unit has no value in `review`, so that a source that said nothing of it before may fill it.
    pub fn is_unset(self, review: &Review) -> bool {
        let value = self.value(review);
        value.is_null() || value == "" || value == json!(Mentions::default())
    }

    /// Whether it has names or free texts, of which an erased review leaves only digests.
    pub const fn is_personal(self) -> bool {
        match self {
            Self::Author | Self::Title | Self::Text | Self::Reply | Self::Mentions => true,
            Self::Rating
            | Self::Date
            | Self::Language
            | Self::Source
            | Self::Status
            | Self::Verification => false,
        }
    }

    pub fn copy(self, from: &Review, to: &mut Review) {
        match self {
            Self::Rating => to.rating = from.rating,
            Self::Date => to.date = from.date,
            Self::Author => to.author.clone_from(&from.author),
            Self::Title => to.title.clone_from(&from.title),
            Self::Text => to.text.clone_from(&from.text),
            Self::Language => to.language.clone_from(&from.language),
            Self::Source => to.source.clone_from(&from.source),
            Self::Status => to.status.clone_from(&from.status),
            Self::Verification => to.verification.clone_from(&from.verification),
            Self::Reply => to.reply.clone_from(&from.reply),
            Self::Mentions => to.mentions.clone_from(&from.mentions),
        }
    }

    /// The value in words, for a report.
    pub fn describe(self, review: &Review) -> String {
        let reply = review.reply.as_ref();
        let value = if self == Self::Status {
            json!([review.status.name(), review.status.reason()])
        } else if self == Self::Reply {
            json!(reply.map(|it| json!([it.text, it.date, it.author])))
        } else {
            self.value(review)
        };
        let parts = texts_in(&value);
        match parts.split_first() {
            None => "(none)".to_owned(),
            Some((first, [])) => first.clone(),
            Some(_) if self == Self::Mentions => parts.join(", "),
            Some((first, rest)) => format!("{first} ({})", rest.join(", ")),
        }
    }

    /// Whether two reviews have the same value.
    pub fn is_same(self, one: &Review, other: &Review) -> bool {
        self.value(one) == self.value(other)
    }

    /// The member of the review that has the unit's name.
    pub(super) fn value(self, review: &Review) -> Value {
        match self {
            Self::Rating => json!(review.rating),
            Self::Date => json!(review.date),
            Self::Author => json!(review.author),
            Self::Title => json!(review.title),
            Self::Text => json!(review.text),
            Self::Language => json!(review.language),
            Self::Source => json!(review.source),
            Self::Status => json!(review.status),
            Self::Verification => json!(review.verification),
            Self::Reply => json!(review.reply),
            Self::Mentions => json!(review.mentions),
        }
    }
}

named! {
    /// A field of a review that a column may fill, by its name in `[fields]`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum ReviewField {
        Rating = "rating",
        Date = "date",
        Author = "author",
        FirstName = "first_name",
        LastName = "last_name",
        Text = "text",
        Title = "title",
        Id = "id",
        Language = "language",
        /// A column with the names of sources.
        Source = "source",
        SourceUrl = "source_url",
        Location = "location",
        UpdatedAt = "updated_at",
        VerifiedAt = "verified_at",
        /// Whether the review matches a job in the business's books.
        Matched = "matched",
        Technicians = "technicians",
        Services = "services",
        ServiceAreas = "service_areas",
        ReplyText = "reply_text",
        ReplyDate = "reply_date",
        ReplyAuthor = "reply_author",
        Recommended = "recommended",
        /// Whether the author bought there.
        Buyer = "buyer",
        /// Whether the author's name is not public.
        Anonymous = "anonymous",
        /// The end of the rating's scale.
        Scale = "scale",
    }
}

impl ReviewField {
    /// Without which a table is no table of reviews, unless the format says that it has none.
    pub const CORE: [Self; 4] = [Self::Rating, Self::Date, Self::Author, Self::Text];
    /// The fields that make the author's name.
    pub const AUTHORS: [Self; 3] = [Self::Author, Self::FirstName, Self::LastName];
    pub const DATES: [Self; 4] = [
        Self::Date,
        Self::ReplyDate,
        Self::UpdatedAt,
        Self::VerifiedAt,
    ];
}

/// The texts and numbers in a value.
fn texts_in(value: &Value) -> Vec<String> {
    match value {
        Value::Null => Vec::new(),
        Value::String(text) if text.is_empty() => Vec::new(),
        Value::String(text) => vec![text.clone()],
        Value::Array(list) => list.iter().flat_map(texts_in).collect(),
        Value::Object(members) => members.values().flat_map(texts_in).collect(),
        Value::Bool(_) | Value::Number(_) => vec![value.to_string()],
    }
}

/// Number of reviews by stars. Counts of disjoint sets can be added.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RatingCounts {
    /// One star to five stars.
    by_stars: [u64; 5],
}

impl RatingCounts {
    /// `by_stars` is one star to five stars.
    pub const fn new(by_stars: [u64; 5]) -> Self {
        Self { by_stars }
    }

    pub fn count(&mut self, rating: Rating) {
        self.by_stars[usize::from(rating.stars()) - 1] += 1;
    }

    pub fn total(&self) -> u64 {
        self.by_stars.iter().sum()
    }

    /// One star to five stars.
    pub const fn by_stars(&self) -> [u64; 5] {
        self.by_stars
    }

    /// The mean in hundredths of a star, rounded half away from zero; `None` without reviews.
    pub fn mean_hundredths(&self) -> Option<u64> {
        let reviews = self.total();
        let counts = (1..).zip(self.by_stars);
        let stars: u64 = counts.map(|(stars, count): (u64, u64)| stars * count).sum();
        // floor(x + 1/2) in integers; every rating is positive, so up is away from zero
        (reviews > 0).then(|| (200 * stars + reviews) / (2 * reviews))
    }
}

/// A calendar day, written exactly `YYYY-MM-DD`: from 0001-01-01 to 9999-12-31, in the business's time zone.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, DeserializeFromStr,
)]
pub struct Day(NaiveDate);

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{0}` is not a calendar day written YYYY-MM-DD")]
pub struct InvalidDay(pub String);

impl FromStr for Day {
    type Err = InvalidDay;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let date: Option<NaiveDate> = text.parse().ok();
        // chrono also accepts 2024-1-1 and signs.
        let day = date.and_then(Self::new);
        let day = day.filter(|day| day.to_string() == text);
        day.ok_or_else(|| InvalidDay(text.to_owned()))
    }
}

impl Day {
    pub const MIN: Self = Self(NaiveDate::from_ymd_opt(1, 1, 1).unwrap());

    /// `None` outside of the years 1 to 9999.
    pub fn new(date: NaiveDate) -> Option<Self> {
        (1..=9999).contains(&date.year()).then_some(Self(date))
    }

    pub const fn date(self) -> NaiveDate {
        self.0
    }

    /// Days since 0000-12-31, so that 0001-01-01 is 1.
    pub fn number(self) -> i32 {
        self.0.num_days_from_ce()
    }

    /// The next day, or this one if it is the last.
    pub fn next(self) -> Self {
        self.0.succ_opt().and_then(Self::new).unwrap_or(self)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// Turns the times in files into days of the business.
#[derive(Debug, Clone, Copy, Default)]
pub struct Calendar {
    /// The business's time zone; `None` if it was never set.
    pub zone: Option<Tz>,
    pub now: DateTime<Utc>,
}

/// There were no online reviews before.
pub const FIRST_YEAR: i32 = 1995;

impl Calendar {
    /// The last day of a review: a fast clock or a zone further east may be a day ahead, but not a typing error.
    pub fn tomorrow(self) -> NaiveDate {
        let zone = self.zone.unwrap_or(Tz::UTC);
        let today = self.now.with_timezone(&zone).date_naive();
        today.succ_opt().unwrap_or(today)
    }

    /// The day, if it is plausible.
    pub fn place(self, posted: Posted) -> Result<Day, String> {
        let zone = self.zone.unwrap_or(Tz::UTC);
        let day = match posted {
            Posted::Day(day) => day,
            Posted::Instant(instant) => Day::new(instant.with_timezone(&zone).date_naive())
                .ok_or("is outside of the years 1 to 9999")?,
        };
        let tomorrow = self.tomorrow();
        if day.date() > tomorrow {
            return Err(format!(
                "{day} is later than tomorrow ({tomorrow} in {zone}); correct it"
            ));
        }
        if day.date().year() < FIRST_YEAR {
            return Err(format!("{day} is before {FIRST_YEAR}; correct it"));
        }
        Ok(day)
    }
}

/// Time of a review or an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Posted {
    /// A calendar day of the business.
    Day(Day),
    /// An instant, which becomes a day in the business's time zone.
    Instant(DateTime<Utc>),
}

impl Posted {
    pub const fn instant(self) -> Option<DateTime<Utc>> {
        match self {
            Self::Instant(instant) => Some(instant),
            Self::Day(_) => None,
        }
    }
}

named! {
    /// An order of reviews. Reviews with equal stars are ordered newest first, and reviews of one day by id.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub enum Sort {
        #[default]
        Newest = "newest",
        Oldest = "oldest",
        /// 5 to 1 stars.
        Highest = "highest",
        /// 1 to 5 stars.
        Lowest = "lowest",
    }
}

impl Sort {
    /// The stars (1 to 5) in this order; `None` for an order by date.
    pub const fn stars(self) -> Option<[u8; 5]> {
        match self {
            Self::Newest | Self::Oldest => None,
            Self::Highest => Some([5, 4, 3, 2, 1]),
            Self::Lowest => Some([1, 2, 3, 4, 5]),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{RatingCounts, Review, texts_in};

    #[test]
    fn texts_are_all_that_a_source_or_an_owner_wrote() {
        let review = json!({
            "id": "id-x", "author": "author-x", "title": "title-x", "text": "text-x", "language": "language-x", "source": "source-x",
            "source_url": "url-x", "status": {"Withheld": {"reason": "reason-x"}}, "rating": 5, "date": "2026-11-01",
            "owner_reply": {"text": "reply-x", "author": "replier-x"}, "verification": "manual",
            "mentions": {"technicians": ["technician-x"], "services": ["service-x"], "service_areas": ["area-x"]},
        });
        let written = texts_in(&review).into_iter();
        let mut written: Vec<String> = written.filter(|text| text.ends_with("-x")).collect();
        let review: Review = serde_json::from_value(review).unwrap();
        let mut texts: Vec<&str> = review.texts().collect();
        written.sort_unstable();
        texts.sort_unstable();
        assert_eq!(texts, written);
    }

    #[test]
    fn the_mean_is_rounded_half_away_from_zero() {
        for (by_stars, mean) in [
            ([0; 5], None),
            ([0, 0, 0, 0, 3], Some(500)),
            // 4.125 and 4.375 are exact halves.
            ([0, 0, 0, 7, 1], Some(413)),
            ([0, 0, 0, 5, 3], Some(438)),
            // 1.005 over 200 reviews, which a float would round to 1.00.
            ([199, 1, 0, 0, 0], Some(101)),
            ([1, 0, 0, 0, 2], Some(367)),
        ] {
            assert_eq!(RatingCounts::new(by_stars).mean_hundredths(), mean);
        }
    }
}
