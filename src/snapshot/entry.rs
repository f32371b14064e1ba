//! A review ready for its segment: serialised once, folded once, with the columns that filters ask
//! for.

use super::positions::UNINDEXED;
use crate::insights::{MentionKind, PackedAnalysis};
use crate::links::Links;
use crate::model;
use crate::model::{Day, Mentions, Traits, fold};
use crate::wire;

/// Where a review stands: newest first, that is by date descending, then by id ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// [`Day::number`] of its date.
    pub day: i32,
    /// The review's id, which orders reviews of one day.
    pub id: String,
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.sort_key().cmp(&other.sort_key())
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
    pub fn sort_key(&self) -> SortKey<'_> {
        sort_key(self.day, &self.id)
    }
}

/// What sorts newest first.
pub type SortKey<'a> = (std::cmp::Reverse<i32>, &'a str);

/// The place of a review of that day and id.
#[must_use]
pub const fn sort_key(day: i32, id: &str) -> SortKey<'_> {
    (std::cmp::Reverse(day), id)
}

/// A list of values that reviews have: whom and what they mention, and what else they are found by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueColumn {
    /// Technicians who are mentioned, as they are shown.
    Technicians,
    /// Ids of services that are mentioned.
    Services,
    /// Places that are mentioned.
    ServiceAreas,
    /// The language, where that is known.
    Languages,
    /// Where the review was written.
    Sources,
}

impl ValueColumn {
    /// How many there are; `column as usize` is below it.
    pub const COUNT: usize = 5;
}

impl From<MentionKind> for ValueColumn {
    fn from(kind: MentionKind) -> Self {
        match kind {
            MentionKind::Technician => Self::Technicians,
            MentionKind::Service => Self::Services,
            MentionKind::ServiceArea => Self::ServiceAreas,
        }
    }
}

/// A value that reviews mention, with its folded form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoldedValue {
    /// The name or id as it is recorded.
    pub value: String,
    /// The name or id folded, as filters compare it.
    pub folded: String,
}

/// A published review, rendered.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The place of the review in the order of all.
    pub key: Key,
    /// `review_change.review_no`, by which the text index knows it; nothing where it has none.
    pub review_no: Option<i64>,
    /// The number of stars, from 1 to 5.
    pub stars: u8,
    /// The review as JSON text, as documents contain it.
    pub json: Vec<u8>,
    /// The text folded, as searches compare it.
    pub folded: String,
    /// Whom and what it mentions, its language and its source.
    pub values: Vec<(ValueColumn, FoldedValue)>,
    /// What it has and has not.
    pub traits: Traits,
    /// What was read in its text; nothing while that is still to be done.
    pub packed_analysis: Option<PackedAnalysis>,
}

impl Entry {
    /// Renders `review`, whose text is still to be analyzed.
    #[must_use]
    pub fn unanalyzed(review: model::Review, links: &Links) -> Self {
        Self::new(review, None, links)
    }

    /// Renders `review`, whose text was analyzed: what that names joins what was recorded.
    #[must_use]
    pub fn analyzed(
        review: model::Review,
        names: &[(MentionKind, String)],
        packed_analysis: PackedAnalysis,
        links: &Links,
    ) -> Self {
        Self::new(with_names(review, names), Some(packed_analysis), links)
    }

    /// Renders `review`, whose text was analyzed by rules that have changed since: it names what it
    /// named until it is analyzed again, so that what is published changes once.
    #[must_use]
    pub fn to_reanalyze(
        review: model::Review,
        names: &[(MentionKind, String)],
        links: &Links,
    ) -> Self {
        Self::new(with_names(review, names), None, links)
    }

    /// The same, known to the text index by that number.
    #[must_use]
    pub fn numbered(self, review_no: Option<i64>) -> Self {
        Self { review_no, ..self }
    }

    /// Its number if a question's trigrams are sure to find it in the text index, else
    /// [`UNINDEXED`]. Not sure are texts that are no UTF-8 in the file (they are mended with
    /// U+FFFD, and FTS5 takes other characters for what is broken), and texts with NUL, at which
    /// FTS5 before SQLite 3.44 stopped; the writer may be anybody's shell.
    pub(super) fn indexed_no(&self) -> u32 {
        let is_alike = !self.folded.contains(['\u{FFFD}', '\0']);
        self.review_no
            .filter(|_| is_alike)
            .and_then(|number| u32::try_from(number).ok())
            .unwrap_or(UNINDEXED)
    }

    fn new(review: model::Review, packed_analysis: Option<PackedAnalysis>, links: &Links) -> Self {
        let day: Day = review.date;
        let stars = review.rating.stars();
        let folded = fold(&review.text);
        let mentions = &review.mentions;
        let lists = [
            (ValueColumn::Technicians, mentions.technicians.as_slice()),
            (ValueColumn::Services, &mentions.services),
            (ValueColumn::ServiceAreas, &mentions.service_areas),
            (ValueColumn::Languages, review.language.as_slice()),
            (
                ValueColumn::Sources,
                std::slice::from_ref(&review.source.name),
            ),
        ];
        let mention = |value: &String| FoldedValue {
            value: value.clone(),
            folded: fold(value),
        };
        let values = lists.iter().flat_map(|(column, values)| {
            let values = values.iter();
            values.map(|value| (*column, mention(value)))
        });
        let values = values.collect();
        let traits = Traits::of(!review.text.is_empty(), review.response.is_some());
        let review = wire::Review::new(review, links);
        let json = wire::json(&review);
        let key = Key {
            day: day.number(),
            id: review.id,
        };
        Self {
            key,
            review_no: None,
            stars,
            json,
            folded,
            values,
            traits,
            packed_analysis,
        }
    }
}

/// The review with what its text names.
fn with_names(mut review: model::Review, names: &[(MentionKind, String)]) -> model::Review {
    if names.is_empty() {
        return review;
    }
    let Mentions {
        mut technicians,
        mut services,
        mut service_areas,
    } = std::mem::take(&mut review.mentions);
    for (kind, value) in names {
        let values = match kind {
            MentionKind::Technician => &mut technicians,
            MentionKind::Service => &mut services,
            MentionKind::ServiceArea => &mut service_areas,
        };
        values.push(value.clone());
    }
    review.mentions = Mentions::new(technicians, services, service_areas);
    review
}
