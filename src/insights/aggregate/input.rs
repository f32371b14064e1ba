//! What is aggregated.

use std::collections::BTreeSet;

use chrono::NaiveDate;

use crate::insights::compact_analysis::CompactAnalysis;
use crate::insights::trades::Trade;
use crate::links::Links;
use crate::model::MentionKind;
use crate::model::business::{Business, Editorial};

/// A review as published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Original {
    pub id: String,
    /// 1 to 5.
    pub stars: u8,
    pub date: NaiveDate,
    /// As the customer wrote it.
    pub text: String,
}

/// Input of the aggregation.
pub struct AggregateInput<'a> {
    /// The compact analyses of all analyzed reviews, newest first.
    pub analyses: &'a [&'a CompactAnalysis],
    /// Number of reviews that have no compact analysis yet.
    pub unanalyzed: usize,
    /// Returns the review of the compact analysis with that index.
    pub original: &'a dyn Fn(usize) -> Option<Original>,
    /// The trade that defines the aspect numbers in the compact analyses.
    pub trade: &'a Trade,
    /// The business, with its technicians as they are published.
    pub business: &'a Business,
    /// Full names and aliases of the technicians, published or not; they never become topics.
    pub people: &'a [&'a str],
    /// The owner's own texts.
    pub editorial: &'a Editorial,
    /// Ids of the aspects that the owner's FAQ answers.
    pub answered: &'a BTreeSet<String>,
    /// Names in reviews, whether or not they are in the business's lists, sorted.
    pub mentioned: &'a BTreeSet<(MentionKind, &'a str)>,
    /// For the addresses of evidence.
    pub links: &'a Links,
}
