//! A person named in too few reviews appears only with counts, so no sentence about them is quoted anywhere.

use super::roster::Roster;
use crate::insights::analysis::{LanguageCode, MentionKind};
use crate::insights::packed_analysis::{PackedAnalyses, PackedAnalysisRef};

/// Minimum number of reviews that name a person; below it, only their count is shown.
pub const PERSON_MIN: u32 = 3;

/// Identifies sentences about people named in fewer than [`PERSON_MIN`] reviews.
pub struct FewReviews<'a> {
    segments: &'a [&'a PackedAnalyses],
    /// Position of each segment's first review.
    starts: Vec<usize>,
    roster: &'a Roster,
    /// Number of reviews that name each roster entry.
    reviews: Vec<u32>,
}

impl<'a> FewReviews<'a> {
    /// `segments` come newest first; `reviews` has the number of reviews for each roster entry.
    pub fn new(segments: &'a [&'a PackedAnalyses], roster: &'a Roster, reviews: Vec<u32>) -> Self {
        let starts = segments.iter().scan(0, |next, segment| {
            let start = *next;
            *next += segment.len();
            Some(start)
        });
        Self {
            starts: starts.collect(),
            segments,
            roster,
            reviews,
        }
    }

    /// Whether a sentence of the review at `position` names or continues about such a person.
    pub fn tells_of(&self, position: u32, sentence: u16) -> bool {
        let Some(analysis) = self.analysis(position as usize) else {
            return false;
        };
        let numbered = (0_u32..u32::BITS).zip(analysis.findings);
        let mask = numbered
            .filter(|(_, finding)| finding.sentence == sentence)
            .fold(0, |mask, (number, _)| mask | 1 << number);
        let people = analysis
            .names
            .iter()
            .filter(|name| name.kind == MentionKind::Technician && name.finding_mask & mask != 0);
        people.into_iter().any(|name| {
            let entity = self.roster.find(name.key);
            entity.is_some_and(|at| self.reviews[at] < PERSON_MIN)
        })
    }

    /// The language in which the review at `position` was analysed.
    pub fn language(&self, position: u32) -> Option<LanguageCode> {
        self.analysis(position as usize)?.head.language.code()
    }

    fn analysis(&self, position: usize) -> Option<PackedAnalysisRef<'a>> {
        let starts = self.starts.partition_point(|start| *start <= position);
        let at = starts.checked_sub(1)?;
        let index = position - self.starts[at];
        (index < self.segments[at].len()).then(|| self.segments[at].get(index))
    }
}
