//! A review ready for its block: serialised once, folded once, with the columns that filters ask for.

use chrono::{DateTime, Utc};

use super::block::UNINDEXED;
use crate::insights::{Kind, Note};
use crate::links::Links;
use crate::reviews::{self, Day, Mentions, fold};
use crate::wire;

/// Where a review stands: newest first, that is by date descending, then by id ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// [`Day::number`] of its date.
    pub day: i32,
    /// Its id.
    pub id: String,
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.borrowed().cmp(&other.borrowed())
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Key {
    /// The order itself, as a tuple that sorts so.
    #[must_use]
    pub fn borrowed(&self) -> Place<'_> {
        place(self.day, &self.id)
    }
}

/// What sorts newest first.
pub type Place<'a> = (std::cmp::Reverse<i32>, &'a str);

/// The place of a review of that day and id.
#[must_use]
pub const fn place(day: i32, id: &str) -> Place<'_> {
    (std::cmp::Reverse(day), id)
}

/// A value that reviews mention, with its folded form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// As recorded.
    pub value: String,
    /// As compared.
    pub folded: String,
}

/// A published review, printed.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Where it stands.
    pub key: Key,
    /// `review_change.review_no`, by which the text index knows it; nothing where it has none.
    pub review_no: Option<i64>,
    /// One to five.
    pub stars: u8,
    /// When it last changed.
    pub updated_at: DateTime<Utc>,
    /// Its JSON text.
    pub json: Vec<u8>,
    /// Its folded text.
    pub folded: String,
    /// Who is mentioned.
    pub technicians: Vec<Mention>,
    /// Which services are.
    pub services: Vec<Mention>,
    /// Which places are.
    pub service_areas: Vec<Mention>,
    /// What was read in its text; nothing while that is still to be done.
    pub note: Option<Note>,
}

impl Entry {
    /// Prints `review`, whose text is still to be read.
    #[must_use]
    pub fn unread(review: reviews::Review, links: &Links) -> Self {
        Self::new(review, None, links)
    }

    /// Prints `review`, whose text was read: what that names joins what was recorded.
    #[must_use]
    pub fn read(review: reviews::Review, names: &[(Kind, String)], note: Note, links: &Links) -> Self {
        Self::new(with_names(review, names), Some(note), links)
    }

    /// Prints `review`, whose text was read by rules that have changed since: it names what it named until it is read anew,
    /// so that what is published changes once.
    #[must_use]
    pub fn to_read_anew(review: reviews::Review, names: &[(Kind, String)], links: &Links) -> Self {
        Self::new(with_names(review, names), None, links)
    }

    /// The same, known to the text index by that number.
    #[must_use]
    pub fn numbered(self, review_no: Option<i64>) -> Self {
        Self { review_no, ..self }
    }

    /// Its number if a question's trigrams are sure to find it in the text index, else [`UNINDEXED`]. Not sure are texts that
    /// are no UTF-8 in the file (they are mended with U+FFFD, and FTS5 takes other characters for what is broken), and texts
    /// with NUL, at which FTS5 before SQLite 3.44 stopped; the writer may be anybody's shell.
    pub(super) fn indexed_no(&self) -> u32 {
        let is_alike = !self.folded.contains(['\u{FFFD}', '\0']);
        self.review_no.filter(|_| is_alike).and_then(|number| u32::try_from(number).ok()).unwrap_or(UNINDEXED)
    }

    fn new(review: reviews::Review, note: Option<Note>, links: &Links) -> Self {
        let day: Day = review.date;
        let stars = review.rating.stars();
        let folded = fold(&review.text);
        let mentions =
            |values: &[String]| values.iter().map(|value| Mention { value: value.clone(), folded: fold(value) }).collect();
        let technicians = mentions(&review.mentions.technicians);
        let services = mentions(&review.mentions.services);
        let service_areas = mentions(&review.mentions.service_areas);
        let review = wire::Review::new(review, links);
        let json = wire::json(&review);
        let key = Key { day: day.number(), id: review.id };
        Self {
            key,
            review_no: None,
            stars,
            updated_at: review.updated_at,
            json,
            folded,
            technicians,
            services,
            service_areas,
            note,
        }
    }
}

/// The review with what its text names.
fn with_names(mut review: reviews::Review, names: &[(Kind, String)]) -> reviews::Review {
    if names.is_empty() {
        return review;
    }
    let Mentions { mut technicians, mut services, mut service_areas } = std::mem::take(&mut review.mentions);
    for (kind, value) in names {
        let values = match kind {
            Kind::Technician => &mut technicians,
            Kind::Service => &mut services,
            Kind::ServiceArea => &mut service_areas,
        };
        values.push(value.clone());
    }
    review.mentions = Mentions::new(technicians, services, service_areas);
    review
}
