//! What a snapshot is rendered from: the reviews with their analyses, the business, and what it adds.
//!
//! Apart, because the parts that render ask for it, and who renders them all knows them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::index::ReviewIndex;
use super::staff::Staff;
use crate::insights::Analyzer;
use crate::links::Links;
use crate::model::business::{Business, Editorial};

/// All that a snapshot is rendered from.
#[derive(Debug, Clone, Default)]
pub struct SnapshotInput {
    /// The published reviews, newest first.
    pub review_index: ReviewIndex,
    /// The business whose reviews they are, its technicians as they are shown.
    pub business: Business,
    /// What the firm writes beside them.
    pub editorial: Editorial,
    /// As whom technicians are shown: what it was rendered with.
    pub staff: Arc<Staff>,
    /// How many reviews do not appear, by reason.
    pub withheld: BTreeMap<String, u64>,
    /// The links under which the feeds were published first, which the ids of their entries are made
    /// of; `None` for those that they are rendered with.
    pub first_links: Option<Links>,
    /// Who analyzed the texts.
    pub analyzer: Arc<Analyzer>,
    /// Who is to analyze them: another one where the roster has changed and analyzing all of them
    /// anew takes longer than a moment. Until that is done, all is as the other analyzed it.
    pub next_analyzer: Arc<Analyzer>,
}

impl SnapshotInput {
    /// Whether all but the reviews is the same, and read by the same; whose analyses they are now does not matter.
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

    /// How many reviews are still to be analyzed, or to be analyzed again.
    #[must_use]
    pub fn behind(&self) -> usize {
        if self.analyzer.method() == self.next_analyzer.method() {
            self.review_index.count_unanalyzed()
        } else {
            self.review_index.len()
        }
    }
}
