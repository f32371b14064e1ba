//! The insights in stages, small enough for clients that pay by the token: an overview, then one aspect, one
//! technician, service or area, or one part. And the evidence for an aspect's figures: the reviews, with the reasons for every
//! finding.

use chrono::NaiveDate;
use poem_openapi::{Enum, Object, Union};
use serde::Serialize;
use serde_with::skip_serializing_none;

use super::facets::{AspectFacet, Facet, LeftOut};
use super::insights::{
    Aspect, ConfirmedVotes, Entity, Faq, FaqBasis, GeneratedFrom, InsightQuote, Insights,
    InsightsMethod, Polarity, Share, Summary, Topic,
};
use super::review::{DidYouMean, OwnerReply};
use crate::model::{MentionKind, named};

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
    /// The requested stage: `aspect`, `technician`, `service`, `area`, or the value of `part`.
    pub part: String,
    /// Which reviews this was made of.
    pub generated_from: GeneratedFrom,
    /// The whole in a few sentences: in the overview.
    pub sentences: Option<Vec<String>>,
    /// Aspects with their votes: in the overview and with `part=aspects`.
    pub aspects: Option<Vec<AspectFacet>>,
    /// Complaints, the worst first: by how many reviews complain, then by their share, then by id; the aspect of the firm as a
    /// whole left out. Of the overview.
    pub complaints: Option<Vec<ComplaintRow>>,
    /// People that reviews name, the most often named first: in the overview and with `part=technicians`.
    pub technicians: Option<Vec<EntityRow>>,
    /// Services that they name: in the overview and with `part=services`.
    pub services: Option<Vec<EntityRow>>,
    /// Places that they name: in the overview and with `part=areas`.
    pub areas: Option<Vec<EntityRow>>,
    /// Phrases that stand out: in the overview and, with a quote each, with `part=topics`.
    pub topics: Option<Vec<TopicRow>>,
    /// Questions: in the overview and, with answers, with `part=faq`.
    pub faq: Option<Vec<FaqRow>>,
    /// The summary with the evidence for each sentence: with `part=summary`.
    pub summary: Option<Summary>,
    /// How it was made: with `part=method`.
    pub method: Option<InsightsMethod>,
    /// The requested aspect, with quotes and the address of its evidence.
    pub aspect: Option<Aspect>,
    /// The requested technician, service or area, with quotes.
    pub entity: Option<Entity>,
    /// Sentiment on each aspect in passages that name the technician, or in reviews that mention the service or area; each with
    /// the address of its evidence.
    pub by_aspect: Option<Vec<AspectFacet>>,
    /// Lists that are shortened to their first values; absent if all are complete.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[oai(default, skip_serializing_if_is_empty)]
    pub left_out: Vec<LeftOut>,
}

/// An aspect that reviews complain about: they are only negative about it (`negative` in `aspects`), or also positive (`mixed`).
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct ComplaintRow {
    /// Id of the aspect, for example `punctuality`.
    pub id: String,
    /// How many reviews complain: `negative` and `mixed` of the aspect together.
    pub reviews: u32,
    /// The share of those that complain among those that judge.
    pub share: Share,
}

/// A person, service or place that reviews name, in short. Votes are left out for people that fewer than three reviews name.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct EntityRow {
    /// Id that the business gave it; left out if it has none.
    pub id: Option<String>,
    /// Name as displayed; for a service that the business does not list, its id.
    pub name: String,
    /// How many published reviews mention it.
    pub reviews: u32,
    /// Number of reviews that are positive about it.
    pub positive: Option<u32>,
    /// Number of reviews that are negative about it.
    pub negative: Option<u32>,
    /// How many of the uncertain ones the stars confirm as positive or negative; left out if none.
    pub confirmed: Option<u32>,
}

/// A phrase that stands out, in short.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct TopicRow {
    /// The words, in lower case.
    pub phrase: String,
    /// How many reviews have them.
    pub reviews: u32,
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
            generated_from: insights.generated_from.clone(),
            ..Self::default()
        }
    }

    /// The overview: at most `most` values of each list, and six times as many aspects. `as_a_whole` is the aspect for
    /// the business as a whole, if the trade has one; it does not appear among the complaints.
    pub fn overview(insights: &Insights, as_a_whole: Option<&str>, most: usize) -> Self {
        let mut stage = Self::of("overview", insights);
        let sentences = insights.summary.sentences.iter();
        stage.sentences = Some(sentences.map(|sentence| sentence.text.clone()).collect());
        // There are at most a few dozen aspects, and other requests need their ids.
        stage.aspects = stage.first("aspects", &insights.aspects, most * 6, |aspect| {
            AspectFacet::from(aspect)
        });
        let of_one_thing = insights
            .aspects
            .iter()
            .filter(|aspect| Some(aspect.id.as_str()) != as_a_whole);
        let ranked = complaints(of_one_thing);
        stage.complaints = stage.first("complaints", &ranked, most, Clone::clone);
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
        let mut named: Vec<&Entity> = entities.filter(|one| one.reviews > 0).collect();
        named.sort_by_key(|entity| std::cmp::Reverse(entity.reviews));
        let row = |entity: &&Entity| EntityRow::from(*entity);
        match kind {
            MentionKind::Technician => {
                self.technicians = self.first("technicians", &named, most, row);
            }
            MentionKind::Service => self.services = self.first("services", &named, most, row),
            MentionKind::ServiceArea => self.areas = self.first("areas", &named, most, row),
        }
    }
}

/// The aspects with complaints, the worst first.
fn complaints<'a>(aspects: impl Iterator<Item = &'a Aspect>) -> Vec<ComplaintRow> {
    let row = |aspect: &Aspect| {
        let reviews = aspect.negative + aspect.mixed;
        let share = Share::new(reviews, aspect.positive + reviews)?;
        (reviews > 0).then(|| ComplaintRow {
            id: aspect.id.clone(),
            reviews,
            share,
        })
    };
    let mut rows: Vec<ComplaintRow> = aspects.filter_map(row).collect();
    rows.sort_by(|one, other| {
        // Among equal numbers of complaints, the share is larger if fewer reviews have a judgement.
        let by_count = other.reviews.cmp(&one.reviews);
        let by_share = one.share.n.cmp(&other.share.n);
        by_count.then(by_share).then_with(|| one.id.cmp(&other.id))
    });
    rows
}

impl From<&Aspect> for AspectFacet {
    fn from(aspect: &Aspect) -> Self {
        Self {
            id: aspect.id.clone(),
            label: aspect.label.clone(),
            reviews: aspect.reviews.into(),
            positive: aspect.positive.into(),
            negative: aspect.negative.into(),
            neutral: aspect.neutral.into(),
            mixed: aspect.mixed.into(),
            uncertain: aspect.uncertain.into(),
            confirmed: aspect.confirmed.in_short().map(u64::from),
            evidence_url: None,
        }
    }
}

impl From<&Entity> for EntityRow {
    fn from(entity: &Entity) -> Self {
        Self {
            id: entity.id.clone(),
            name: entity.name.clone(),
            reviews: entity.reviews,
            positive: entity.positive,
            negative: entity.negative,
            confirmed: entity.confirmed.and_then(ConfirmedVotes::in_short),
        }
    }
}

impl From<&Topic> for TopicRow {
    fn from(topic: &Topic) -> Self {
        Self {
            phrase: topic.phrase.clone(),
            reviews: topic.reviews,
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

/// One page of the reviews that support an aspect, newest first.
#[skip_serializing_none]
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
    pub next_cursor: Option<String>,
    /// Suggestions if the requested name is unknown.
    pub did_you_mean: Option<DidYouMean>,
    /// The reviews of this page, newest first.
    pub reviews: Vec<EvidenceReview>,
}

/// A review that supports an aspect.
#[skip_serializing_none]
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
    pub confirmed: Option<bool>,
    /// Its findings about the aspect, in the order of the text.
    pub findings: Vec<EvidenceFinding>,
    /// The owner's public reply to the review, if any.
    pub owner_reply: Option<OwnerReply>,
}

/// A clause that judges or names the aspect.
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
