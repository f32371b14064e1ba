//! The insights in stages, small enough for clients that pay by the token: an overview, then one aspect, one
//! technician, service or area, or one part. And the evidence for an aspect's figures: the reviews, with the reasons for every
//! finding.

use chrono::NaiveDate;
use poem_openapi::{Enum, Object, Union};
use serde::Serialize;
use serde_with::skip_serializing_none;

use super::facets::{AspectFacet, Facet, LeftOut};
use super::insights::{
    Aspect, Complaint, Entity, Faq, FaqBasis, GeneratedFrom, InsightQuote, Insights,
    InsightsMethod, OverallSentiment, SummarySentence, Topic, Votes,
};
use super::review::{DidYouMean, OwnerReply};
use crate::model::{MentionKind, Vote, named};

/// All insights, or one stage of them.
#[derive(Debug, Clone, PartialEq, Union)]
#[oai(one_of)]
#[expect(
    clippy::large_enum_variant,
    reason = "it describes the answer, and none is ever held"
)]
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
    pub technicians: Option<Vec<EntityRow>>,
    /// Services that they name: in the overview and with `part=services`.
    pub services: Option<Vec<EntityRow>>,
    /// Places that they name: in the overview and with `part=areas`.
    pub service_areas: Option<Vec<EntityRow>>,
    /// Phrases that many reviews share: in the overview and, with a quote each, with `part=topics`.
    pub topics: Option<Vec<TopicRow>>,
    /// Questions: in the overview and, with answers, with `part=faq`.
    pub faq: Option<Vec<FaqRow>>,
    /// How they were made: with `part=method`.
    pub method: Option<InsightsMethod>,
    /// The requested service or area, with quotes.
    pub entity: Option<Entity>,
    /// Votes on each aspect in sentences that name it; each with the address of its evidence.
    pub by_aspect: Option<Vec<AspectFacet>>,
    /// Lists that are shortened to their first values; absent if all are complete.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[oai(default, skip_serializing_if_is_empty)]
    pub left_out: Vec<LeftOut>,
}

/// A person, service or place that reviews name, in short.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct EntityRow {
    /// Id that the business gave it; left out if it has none.
    pub id: Option<String>,
    /// Name as displayed; for a service that the business does not list, its id.
    pub name: String,
    /// How many published reviews mention it.
    pub mention_count: u32,
    /// Number of reviews that are positive about it.
    pub positive_count: u32,
    /// Number of reviews that are both.
    pub mixed_count: u32,
    /// Number of reviews that are negative about it.
    pub negative_count: u32,
}

/// A phrase that many reviews share, in short.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct TopicRow {
    /// The words, in lower case.
    pub phrase: String,
    /// How many reviews have them.
    pub mention_count: u32,
    /// The id of the aspect that its sentences judge most often.
    pub aspect: Option<String>,
    /// A sentence that has it.
    pub quote: Option<InsightQuote>,
}

/// A question, with its answer if that was requested.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct FaqRow {
    /// The question as a customer would ask it.
    pub question: String,
    /// The answer in plain text; only with `part=faq`.
    pub answer: Option<String>,
    /// Whether the firm wrote the answer or it was derived from reviews.
    pub basis: FaqBasis,
    /// The ids of the reviews that are quoted.
    pub review_ids: Option<Vec<String>>,
}

impl InsightsStage {
    /// An empty stage.
    pub fn of(part: &str, insights: &Insights) -> Self {
        Self {
            part: part.to_owned(),
            review_count: insights.review_count,
            generated_from: insights.generated_from.clone(),
            ..Self::default()
        }
    }

    /// The overview: at most `most` values of each list, and six times as many aspects.
    pub fn overview(insights: &Insights, most: usize) -> Self {
        let mut stage = Self {
            overall_sentiment: Some(insights.overall_sentiment),
            summary: Some(insights.summary.clone()),
            ..Self::of("overview", insights)
        };
        // There are at most a few dozen aspects, and other requests need their ids.
        stage.aspects = stage.first("aspects", &insights.aspects, most * 6, |aspect| {
            AspectFacet::from(aspect)
        });
        stage.complaints = stage.first("complaints", &insights.complaints, most, Clone::clone);
        for kind in MentionKind::ALL {
            stage.add_entities(kind, insights, most);
        }
        let topic = |topic: &Topic| TopicRow {
            quote: None,
            ..TopicRow::from(topic)
        };
        stage.topics = stage.first("topics", &insights.topics, most, topic);
        let question = |faq: &Faq| FaqRow {
            answer: None,
            review_ids: None,
            ..FaqRow::from(faq)
        };
        stage.faq = stage.first("faq", &insights.faq, most, question);
        stage
    }

    /// Keeps the first `most` of a list and records the number of the others.
    pub fn first<T, R>(
        &mut self,
        list: &str,
        values: &[T],
        most: usize,
        row: impl Fn(&T) -> R,
    ) -> Option<Vec<R>> {
        let besides = values.len().saturating_sub(most) as u64;
        if besides > 0 {
            self.left_out.push(LeftOut {
                list: list.to_owned(),
                values: besides,
            });
        }
        Some(values.iter().take(most).map(row).collect())
    }

    /// Adds the most frequently named entities of a kind.
    pub fn add_entities(&mut self, kind: MentionKind, insights: &Insights, most: usize) {
        let entities = insights.entities.of(kind).iter();
        let mut named: Vec<&Entity> = entities.filter(|one| one.votes.mention_count > 0).collect();
        named.sort_by_key(|entity| std::cmp::Reverse(entity.votes.mention_count));
        let row = |entity: &&Entity| EntityRow::from(*entity);
        match kind {
            MentionKind::Technician => {
                self.technicians = self.first("technicians", &named, most, row);
            }
            MentionKind::Service => self.services = self.first("services", &named, most, row),
            MentionKind::ServiceArea => {
                self.service_areas = self.first("service_areas", &named, most, row);
            }
        }
    }
}

impl From<&Aspect> for AspectFacet {
    fn from(aspect: &Aspect) -> Self {
        Self {
            id: aspect.id.clone(),
            label: aspect.label.clone(),
            votes: aspect.votes.clone(),
            evidence_url: None,
        }
    }
}

impl From<&Entity> for EntityRow {
    fn from(entity: &Entity) -> Self {
        Self {
            id: entity.id.clone(),
            name: entity.name.clone(),
            mention_count: entity.votes.mention_count,
            positive_count: entity.votes.positive_count,
            mixed_count: entity.votes.mixed_count,
            negative_count: entity.votes.negative_count,
        }
    }
}

impl From<&Topic> for TopicRow {
    fn from(topic: &Topic) -> Self {
        Self {
            phrase: topic.phrase.clone(),
            mention_count: topic.votes.mention_count,
            aspect: topic.aspect.clone(),
            quote: Some(topic.quote.clone()),
        }
    }
}

impl From<&Faq> for FaqRow {
    fn from(faq: &Faq) -> Self {
        Self {
            question: faq.question.clone(),
            answer: Some(faq.answer.clone()),
            basis: faq.basis,
            review_ids: faq.evidence.clone(),
        }
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
    /// Number of matching reviews for each technician, by a sentence that names the person or the next one; the most frequent first.
    pub by_technician: Vec<Facet>,
    /// Number of matching reviews for each service, by a sentence that names it; the most frequent first.
    pub by_service: Vec<Facet>,
    /// Suggestions if the requested name is unknown.
    pub did_you_mean: Option<DidYouMean>,
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
    /// Votes on each aspect in sentences that name the person or follow one; each with the address of its evidence.
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
    /// Its one vote, from all its findings.
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
