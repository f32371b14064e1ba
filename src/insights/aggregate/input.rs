//! What is aggregated.

use std::collections::BTreeSet;

use super::frequent_phrases::FrequentPhrases;
use super::quotes::Original;
use crate::insights::analysis::MentionKind;
use crate::insights::packed_analysis::PackedAnalyses;
use crate::insights::trades::Trade;
use crate::model::business::Business;

/// Input of the aggregation.
pub struct AggregateInput<'a> {
    /// The packed analyses of all published reviews, newest first.
    pub segments: &'a [&'a PackedAnalyses],
    /// Their most frequent phrases.
    pub phrases: &'a FrequentPhrases,
    /// Number of reviews that have no packed analysis yet.
    pub unanalyzed: usize,
    /// Returns the review at an index in the order of the packed analyses.
    pub original: &'a dyn Fn(usize) -> Option<Original>,
    /// The trade that defines the aspect numbers in the packed analyses.
    pub trade: &'a Trade,
    /// The business, with its technicians as they are published.
    pub business: &'a Business,
    /// Full names and aliases of the technicians, published or not; they never become topics.
    pub people: &'a [&'a str],
    /// Ids of the aspects that the owner's FAQ answers.
    pub answered: &'a BTreeSet<String>,
    /// Names in reviews, whether or not they are in the business's lists, sorted.
    pub mentioned: &'a BTreeSet<(MentionKind, &'a str)>,
}
