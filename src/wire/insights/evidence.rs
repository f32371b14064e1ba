//! Evidence for an aspect's figures: the reviews, with the reasons for every finding.

use chrono::NaiveDate;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::opinion_stats::Polarity;
use crate::insights::{self, TextSpan};
use crate::wire::{DidYouMean, Facet, Response};

/// One page of the reviews that support an aspect, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct AspectEvidence {
    /// Id of the aspect that was asked for.
    pub aspect: String,
    /// Display name of the aspect.
    pub label: String,
    /// How many reviews support it so; without other filters the figure in `/insights.json`.
    pub total: u64,
    /// How many of them speak so because the text left it open and the stars confirmed the side that led.
    pub confirmed: u64,
    /// How many of them speak so of which technician: in a sentence that names the person, or in the next one. The most
    /// frequent first.
    pub by_technician: Vec<Facet>,
    /// How many of them mention which service. The most frequent first.
    pub by_service: Vec<Facet>,
    /// How many are on this page.
    pub count: u64,
    /// How many there may be.
    pub limit: u64,
    /// What to send as `cursor` for the next page; left out on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// What may have been meant, where nobody and nothing of the name asked for is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub did_you_mean: Option<DidYouMean>,
    /// The reviews of this page, newest first.
    pub reviews: Vec<EvidenceReview>,
}

/// A review that supports an aspect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct EvidenceReview {
    /// Id of the review, as in `/reviews.json`.
    pub review_id: String,
    /// URL of the review's page.
    pub url: String,
    /// Day of the review, `YYYY-MM-DD`, in the business's time zone.
    pub date: NaiveDate,
    /// Its stars, which may withdraw a judgement, or confirm one that the text left open, and never make one.
    pub stars: u8,
    /// Its one vote: what its findings say together.
    pub polarity: Polarity,
    /// True where the text left that open and the stars confirmed the side that led; else left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<bool>,
    /// Where it speaks of the aspect, in the order of the text.
    pub findings: Vec<EvidenceFinding>,
    /// The owner's public answer to the review, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<Response>,
}

/// A clause that judges or names the aspect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct EvidenceFinding {
    /// In which sentence, counted from 0.
    pub sentence: u32,
    /// Where it begins in the review's `text`, in Unicode code points.
    pub start: u32,
    /// Where it has ended.
    pub end: u32,
    /// The words: exactly that slice.
    pub text: String,
    /// How they speak of the aspect.
    pub polarity: Polarity,
    /// The technicians whom its sentence or the one before names, sorted; left out where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[oai(default, skip_serializing_if_is_empty)]
    pub technicians: Vec<String>,
    /// The sum of the hits' points: well above 0 is positive, well below negative.
    pub score: i32,
    /// Who made it: `rule`, `classifier` or `both`.
    pub witness: Witness,
    /// In how many of a hundred such cases aspect and label were right.
    pub confidence: u8,
    /// Why; left out where it was not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hits: Option<Vec<EvidenceHit>>,
}

/// One reason: a rule or a weight, where it applied, and what it added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
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

/// What makes a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[serde(rename_all = "snake_case")]
#[oai(rename_all = "snake_case")]
pub enum Witness {
    /// Rules of the trade alone.
    Rule,
    /// The classifier alone.
    Classifier,
    /// Rules, and the classifier hears it likewise.
    Both,
}

impl From<insights::Witness> for Witness {
    fn from(witness: insights::Witness) -> Self {
        match witness {
            insights::Witness::Rule => Self::Rule,
            insights::Witness::Classifier => Self::Classifier,
            insights::Witness::Both => Self::Both,
        }
    }
}

impl EvidenceFinding {
    /// `technicians` are the subjects of the finding.
    #[must_use]
    pub fn new(finding: insights::Finding, text: &str, technicians: Vec<String>) -> Self {
        let insights::Finding {
            aspect: _,
            sentence,
            span,
            polarity,
            score,
            confidence,
            hits,
        } = finding;
        let witness = insights::Witness::of(&hits).into();
        let hit = |insights::Hit {
                       rule,
                       span: TextSpan { start, end },
                       points,
                   }| EvidenceHit {
            rule,
            start,
            end,
            points,
        };
        Self {
            sentence,
            start: span.start,
            end: span.end,
            text: insights::aggregate::slice(text, span)
                .unwrap_or_default()
                .to_owned(),
            polarity: polarity.into(),
            technicians,
            score,
            witness,
            confidence,
            hits: Some(hits.into_iter().map(hit).collect()),
        }
    }
}
