//! The insights in stages, small enough for clients that pay by the token: an overview, then one service
//! or area, or one part. And the evidence for the figures of an aspect or a technician: the reviews, with the reasons for every
//! finding.

use std::cmp::Reverse;

use chrono::NaiveDate;
use poem_openapi::{Enum, Object, Union};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::facets::{AspectFacet, Facet, LeftOut};
use super::insights::{
    Complaint, Entity, Faq, GeneratedFrom, Insights, InsightsMethod, OverallSentiment,
    SummarySentence, Topic, Votes,
};
use super::parameters::InsightsPart;
use crate::model::{OwnerReply, Vote, named};

/// All insights, or one stage of them.
#[derive(Debug, Clone, PartialEq, Union)]
#[oai(one_of)]
pub enum InsightsAnswer {
    /// Without parameters: every part.
    Whole(Insights),
    /// With one: the requested stage.
    Stage(InsightsStage),
}

/// One stage of the insights. Which members there are depends on `part`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Object)]
pub struct InsightsStage {
    /// The requested stage: `service`, `area`, or the value of `part`.
    pub part: String,
    /// How many published reviews there are.
    pub review_count: u32,
    /// Which texts the insights are made from.
    pub generated_from: GeneratedFrom,
    /// Whole reviews: in the overview.
    pub overall_sentiment: Option<OverallSentiment>,
    /// The whole in a few sentences: in the overview and with `part=summary`.
    pub summary: Option<String>,
    /// Its sentences with their evidence: with `part=summary`.
    pub summary_sentences: Option<Vec<SummarySentence>>,
    /// Aspects with their votes: in the overview and with `part=aspects`.
    pub aspects: Option<Vec<AspectFacet>>,
    /// Aspects with complaints, the worst first: in the overview.
    pub complaints: Option<Vec<Complaint>>,
    /// People that reviews name, the most often named first: in the overview and with `part=technicians`.
    pub technicians: Option<Vec<Entity>>,
    /// Services that they name: in the overview and with `part=services`.
    pub services: Option<Vec<Entity>>,
    /// Places that they name: in the overview and with `part=areas`.
    pub service_areas: Option<Vec<Entity>>,
    /// Phrases that many reviews share: in the overview and with `part=topics`.
    pub topics: Option<Vec<Topic>>,
    /// Questions with answers: in the overview and with `part=faq`.
    pub faq: Option<Vec<Faq>>,
    /// How they were made: with `part=method`.
    pub method: Option<InsightsMethod>,
    /// The requested service or area.
    pub entity: Option<Entity>,
    /// Votes on each aspect in sentences that name it.
    pub by_aspect: Option<Vec<AspectFacet>>,
    /// Lists that are shortened to their first values; absent if all are complete.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[oai(default, skip_serializing_if_is_empty)]
    pub left_out: Vec<LeftOut>,
}

impl InsightsStage {
    /// A part with at most `most` values of each list.
    pub fn new(part: InsightsPart, insights: &Insights, most: usize) -> Self {
        let mut stage = Self::of(part.name(), insights);
        stage.add(part, insights, most);
        stage
    }

    /// An empty stage.
    pub fn of(part: &str, insights: &Insights) -> Self {
        Self {
            part: part.to_owned(),
            review_count: insights.review_count,
            generated_from: insights.generated_from.clone(),
            ..Self::default()
        }
    }

    fn add(&mut self, part: InsightsPart, insights: &Insights, most: usize) {
        let entities = &insights.entities;
        match part {
            InsightsPart::Overview => self.add_overview(insights, most),
            InsightsPart::Aspects => {
                let aspects = insights.aspects.iter().map(|aspect| AspectFacet {
                    id: aspect.id.clone(),
                    label: aspect.label.clone(),
                    votes: aspect.votes.clone(),
                });
                let aspects: Vec<_> = aspects.collect();
                self.aspects = Some(self.first("aspects", &aspects, most));
            }
            InsightsPart::Technicians => {
                let people = &entities.technicians;
                self.technicians = Some(self.most_named("technicians", people, most));
            }
            InsightsPart::Services => {
                let services = &entities.services;
                self.services = Some(self.most_named("services", services, most));
            }
            InsightsPart::Areas => {
                let areas = &entities.service_areas;
                self.service_areas = Some(self.most_named("service_areas", areas, most));
            }
            InsightsPart::Topics => {
                self.topics = Some(self.first("topics", &insights.topics, most));
            }
            InsightsPart::Faq => self.faq = Some(self.first("faq", &insights.faq, most)),
            InsightsPart::Summary => {
                self.summary = Some(insights.summary.clone());
                self.summary_sentences = Some(insights.summary_sentences.clone());
            }
            InsightsPart::Method => self.method = Some(insights.method.clone()),
        }
    }

    fn add_overview(&mut self, insights: &Insights, most: usize) {
        self.overall_sentiment = Some(insights.overall_sentiment);
        self.summary = Some(insights.summary.clone());
        // There are at most a few dozen aspects, and other requests need their ids.
        self.add(InsightsPart::Aspects, insights, most * 6);
        // They are short.
        self.complaints = Some(self.first("complaints", &insights.complaints, most * 2));
        for part in [
            InsightsPart::Technicians,
            InsightsPart::Services,
            InsightsPart::Areas,
            InsightsPart::Topics,
            InsightsPart::Faq,
        ] {
            self.add(part, insights, most);
        }
    }

    /// Keeps the first `most` of a list and records the number of the others.
    fn first<T: Clone>(&mut self, list: &str, values: &[T], most: usize) -> Vec<T> {
        let besides = values.len().saturating_sub(most) as u64;
        if besides > 0 {
            self.left_out.push(LeftOut {
                list: list.to_owned(),
                values: besides,
            });
        }
        values.iter().take(most).cloned().collect()
    }

    fn most_named(&mut self, list: &str, entities: &[Entity], most: usize) -> Vec<Entity> {
        let mut entities = entities.to_vec();
        entities.retain(|one| one.votes.mention_count > 0);
        entities.sort_by_key(|one| Reverse(one.votes.mention_count));
        self.first(list, &entities, most)
    }
}

/// The figures of an aspect, and one page of the reviews behind them, newest first.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct AspectEvidence {
    /// Id of the aspect.
    pub id: String,
    /// Display name of the aspect.
    pub label: String,
    #[serde(flatten)]
    #[oai(flatten)]
    pub votes: Votes,
    /// Number of matching reviews for each technician, by a sentence that names the person; the most frequent first.
    pub by_technician: Vec<Facet>,
    /// Number of matching reviews for each service, by a sentence that names it; the most frequent first.
    pub by_service: Vec<Facet>,
    #[serde(flatten)]
    #[oai(flatten)]
    pub page: EvidencePage,
}

/// The figures of a technician, and one page of the reviews that name the person, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct TechnicianEvidence {
    #[serde(flatten)]
    #[oai(flatten)]
    pub entity: Entity,
    /// Votes on each aspect in sentences that name the person.
    pub by_aspect: Vec<AspectFacet>,
    #[serde(flatten)]
    #[oai(flatten)]
    pub page: EvidencePage,
}

/// A page of supporting reviews.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct EvidencePage {
    /// Number of reviews that match; of an aspect without filters its `mention_count`.
    pub matched: u64,
    /// How many are on this page.
    pub returned: u64,
    /// Maximum number of reviews on a page.
    pub limit: u64,
    /// What to send as `cursor` for the next page; left out on the last one.
    pub next_cursor: Option<String>,
    /// The reviews of this page, newest first.
    pub reviews: Vec<EvidenceReview>,
}

/// A review that supports a figure.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct EvidenceReview {
    /// Id of the review, as in `/reviews.json`.
    pub review_id: String,
    /// URL of the review's page.
    pub url: String,
    /// Day of the review, `YYYY-MM-DD`, in the business's time zone.
    pub date: NaiveDate,
    /// Its stars, which may withdraw a judgement; below four, a complaint needs less evidence in the text.
    pub stars: u8,
    /// Its one vote, from these findings.
    pub polarity: Vote,
    /// Its findings about the aspect or the person, in the order of the text.
    pub findings: Vec<EvidenceFinding>,
    /// The owner's public reply to the review, if any.
    pub owner_reply: Option<OwnerReply>,
}

/// A clause that judges or names something.
#[skip_serializing_none]
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
    /// The id of the aspect that they judge; left out if it is none.
    pub aspect: Option<String>,
    /// Their sentiment on it.
    pub polarity: Vote,
    /// The sum of the hits' points: well above 0 is positive, well below negative.
    pub score: i32,
    /// Source of the judgement: `rule`, `classifier` or `both`.
    pub witness: Witness,
    /// Percentage of such cases in which aspect and label were right.
    pub confidence: u8,
    /// The reasons.
    pub hits: Vec<EvidenceHit>,
}

/// One reason: a rule or a weight, where it applied, and what it added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct EvidenceHit {
    /// Which rule, for example `phrase:on time`.
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
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Enum)]
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
