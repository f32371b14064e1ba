//! The input of rendering: the reviews with their analyses, the business and its own texts.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::index::ReviewIndex;
use super::staff::Staff;
use crate::insights::Analyzer;
use crate::links::Links;
use crate::model::business::{Business, Editorial};

#[derive(Debug, Clone, Default)]
pub struct SnapshotInput {
    /// Newest first.
    pub review_index: ReviewIndex,
    /// The business with the shown names of its technicians.
    pub business: Business,
    /// The business's own texts.
    pub editorial: Editorial,
    /// The technicians and their shown names.
    pub staff: Arc<Staff>,
    /// Unpublished reviews by reason.
    pub withheld: BTreeMap<String, u64>,
    /// The base of the feed entries' IDs, if it differs from the current links.
    pub first_links: Option<Links>,
    /// The source of the analyses.
    pub analyzer: Arc<Analyzer>,
    /// Differs from `analyzer` if the roster changed and analyzing everything again takes long; until that is done,
    /// the former analyses are published.
    pub next_analyzer: Arc<Analyzer>,
}

impl SnapshotInput {
    /// Whether everything but the reviews is equal, with the same next analyzer; `analyzer` is ignored.
    #[must_use]
    pub fn is_same_but_for_reviews(&self, other: &Self) -> bool {
        let Self {
            review_index: _,
            business,
            editorial,
            withheld,
            first_links,
            staff,
            analyzer: _,
            next_analyzer,
        } = self;
        (business, editorial, withheld) == (&other.business, &other.editorial, &other.withheld)
            && (first_links, staff) == (&other.first_links, &other.staff)
            && Arc::ptr_eq(next_analyzer, &other.next_analyzer)
    }

    /// The number of reviews to analyze, or to analyze again.
    #[must_use]
    pub fn behind(&self) -> usize {
        if self.analyzer.method() == self.next_analyzer.method() {
            self.review_index.count_unanalyzed()
        } else {
            self.review_index.len()
        }
    }
}
