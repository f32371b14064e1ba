//! A review rendered for its segment: JSON, folded text and the values of filters.

use super::positions::UNINDEXED;
use crate::insights::{MentionKind, PackedAnalysis};
use crate::links::Links;
use crate::model;
use crate::model::{Day, Mentions, Traits, fold};
use crate::wire;

/// The order of reviews: by date descending, then by ID ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// [`Day::number`] of its date.
    pub day: i32,
    /// Orders the reviews of one day.
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
    /// A tuple with the same order.
    #[must_use]
    pub fn sort_key(&self) -> SortKey<'_> {
        sort_key(self.day, &self.id)
    }
}

/// Sorts newest first.
pub type SortKey<'a> = (std::cmp::Reverse<i32>, &'a str);

#[must_use]
pub const fn sort_key(day: i32, id: &str) -> SortKey<'_> {
    (std::cmp::Reverse(day), id)
}

/// The columns of a segment that filters use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueColumn {
    /// Mentioned technicians, by their shown names.
    Technicians,
    /// IDs of mentioned services.
    Services,
    /// Mentioned places.
    ServiceAreas,
    /// Empty if unknown.
    Languages,
    /// The sources of the reviews.
    Sources,
}

impl ValueColumn {
    /// `column as usize` is below it.
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoldedValue {
    /// The value as recorded.
    pub value: String,
    /// For comparison with filters.
    pub folded: String,
}

#[derive(Debug, Clone)]
pub struct Entry {
    pub key: Key,
    /// `review_change.review_no`, its number in the text index, if it has one.
    pub review_no: Option<i64>,
    /// 1 to 5.
    pub stars: u8,
    /// The review's JSON in the documents.
    pub json: Vec<u8>,
    /// For comparison with search terms.
    pub folded: String,
    /// Mentions, language and source.
    pub values: Vec<(ValueColumn, FoldedValue)>,
    pub traits: Traits,
    /// `None` until the text is analyzed.
    pub packed_analysis: Option<PackedAnalysis>,
}

impl Entry {
    /// Renders a review. Names found in the text are added to the recorded ones; a review to analyze again keeps those
    /// found before, so that it is published only once more.
    #[must_use]
    pub fn new(
        review: model::Review,
        names: &[(MentionKind, String)],
        packed_analysis: Option<PackedAnalysis>,
        links: &Links,
    ) -> Self {
        let review = with_names(review, names);
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

    /// Renders a review whose text is not analyzed yet.
    #[must_use]
    pub fn unanalyzed(review: model::Review, links: &Links) -> Self {
        Self::new(review, &[], None, links)
    }

    #[must_use]
    pub fn numbered(self, review_no: Option<i64>) -> Self {
        Self { review_no, ..self }
    }

    /// The review's number if the text index certainly finds every trigram of its text, otherwise [`UNINDEXED`]. The
    /// index may miss trigrams of texts that are not UTF-8 in the file (they are repaired with U+FFFD, while FTS5 reads
    /// other characters there), and of texts with NUL, at which FTS5 before SQLite 3.44 stopped. Other programs may
    /// write such rows.
    pub(super) fn indexed_no(&self) -> u32 {
        let is_alike = !self.folded.contains(['\u{FFFD}', '\0']);
        self.review_no
            .filter(|_| is_alike)
            .and_then(|number| u32::try_from(number).ok())
            .unwrap_or(UNINDEXED)
    }
}

/// Adds the names found in the text.
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
