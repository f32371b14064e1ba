//! Evidence for an aspect's figures: the reviews, with the reasons for every finding.

use chrono::NaiveDate;
use poem_openapi::{Enum, Object};
use serde::Serialize;

use super::insights::Polarity;
use super::{DidYouMean, Facet, OwnerResponse};
use crate::model::named;

/// One page of the reviews that support an aspect, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct AspectEvidence {
    /// Id of the aspect that was asked for.
    pub aspect: String,
    /// Display name of the aspect.
    pub label: String,
    /// Number of reviews that match; without other filters the figure in `/insights.json`.
    pub total: u64,
    /// How many of them are uncertain from the text, with a side that the stars confirm.
    pub confirmed: u64,
    /// Number of them for each technician, by a sentence that names the person or the next one; the most frequent first.
    pub by_technician: Vec<Facet>,
    /// Number of them for each service that they mention; the most frequent first.
    pub by_service: Vec<Facet>,
    /// How many are on this page.
    pub count: u64,
    /// Maximum number of reviews on a page.
    pub limit: u64,
    /// What to send as `cursor` for the next page; left out on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Suggestions if the requested name is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub did_you_mean: Option<DidYouMean>,
    /// The reviews of this page, newest first.
    pub reviews: Vec<EvidenceReview>,
}

/// A review that supports an aspect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct EvidenceReview {
    /// Id of the review, as in `/reviews.json`.
    pub review_id: String,
    /// URL of the review's page.
    pub url: String,
    /// Day of the review, `YYYY-MM-DD`, in the business's time zone.
    pub date: NaiveDate,
    /// Its stars, which may withdraw a judgement or confirm an uncertain one, but never create one.
    pub stars: u8,
    /// Its one vote, from all its findings.
    pub polarity: Polarity,
    /// True if the vote is uncertain and the stars confirm one of the findings; otherwise left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<bool>,
    /// Its findings about the aspect, in the order of the text.
    pub findings: Vec<EvidenceFinding>,
    /// The owner's public answer to the review, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<OwnerResponse>,
}

/// A clause that judges or names the aspect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct EvidenceFinding {
    /// In which sentence, counted from 0.
    pub sentence: u32,
    /// Where it begins in the review's `text`, in Unicode code points.
    pub start: u32,
    /// Where it has ended.
    pub end: u32,
    /// The words: exactly that slice.
    pub text: String,
    /// Their sentiment on the aspect; of a finding that the stars confirm (a hit `stars:confirmed`) the one that they confirm.
    pub polarity: Polarity,
    /// The technicians that its sentence or the one before names, sorted; left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[oai(default, skip_serializing_if_is_empty)]
    pub technicians: Vec<String>,
    /// The sum of the hits' points: well above 0 is positive, well below negative.
    pub score: i32,
    /// Source of the judgement: `rule`, `classifier` or `both`.
    pub witness: Witness,
    /// Percentage of such cases in which aspect and label were right.
    pub confidence: u8,
    /// The reasons; left out if `hits` is `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hits: Option<Vec<EvidenceHit>>,
}

/// One reason: a rule or a weight, where it applied, and what it added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct EvidenceHit {
    /// Which rule, for example `phrase:on_time`.
    pub rule: String,
    /// Where the words begin that it applied to.
    pub start: u32,
    /// Where they have ended.
    pub end: u32,
    /// What it added to the score.
    pub points: i32,
}

named! {
    /// Source of a finding.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Enum)]
    #[serde(rename_all = "snake_case")]
    #[oai(rename_all = "snake_case")]
    pub enum Witness {
        /// Only rules of the trade.
        Rule = "rule",
        /// Only the classifier.
        Classifier = "classifier",
        /// Rules, and the classifier agrees.
        Both = "both",
    }
}
