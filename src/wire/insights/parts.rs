//! Aspects, entities and topics of the insights.

use std::collections::BTreeMap;

use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::opinion_stats::{Confidence, ConfirmedVotes, Overall, Quote, Share, Trend};
use crate::insights::{MentionKind, aggregate};
use crate::links::Links;
use crate::model::business::FaqEntry;

/// Something that customers judge. One review has one vote: `positive`, `negative`, `neutral`, `mixed` and `uncertain` add up
/// to `reviews`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Object)]
pub struct Aspect {
    /// Its id, for example `punctuality`.
    pub id: String,
    /// Display name of the aspect.
    pub label: String,
    /// Number of reviews that mention it.
    pub reviews: u32,
    /// Number of mentions.
    pub mentions: u32,
    /// Number of reviews that are only positive about it.
    pub positive: u32,
    /// Number of reviews that are only negative about it.
    pub negative: u32,
    /// How many reviews only state facts about it.
    pub neutral: u32,
    /// Number of reviews that are both positive and negative about it.
    pub mixed: u32,
    /// Number of reviews that are too close to call.
    pub uncertain: u32,
    /// How many of the positive and of the negative ones were uncertain from the text and confirmed by the stars.
    pub confirmed: ConfirmedVotes,
    /// The share of positive ones among those that judge; left out if none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positive_share: Option<Share>,
    /// How reliable that is.
    pub confidence: Confidence,
    /// By month, with the direction.
    pub trend: Trend,
    /// Topics that go with it, the most frequent first.
    pub sub_topics: Vec<SubTopic>,
    /// People, services and places that the same reviews name.
    pub co_mentioned: CoMentioned,
    /// Words of customers. At most three of the majority; at most two of the minority, if it has three reviews and one in ten of
    /// those that judge.
    pub quotes: Vec<Quote>,
    /// Address of all the evidence.
    pub evidence_url: String,
}

/// A topic that goes with an aspect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct SubTopic {
    /// Words of the phrase, in lower case.
    pub phrase: String,
    /// Number of reviews that have them and mention the aspect.
    pub reviews: u32,
}

/// People, services and places that the same reviews name: at most three of each kind, the most frequent first, in three reviews
/// or more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Object)]
pub struct CoMentioned {
    /// People that three or more of these reviews name.
    pub technicians: Vec<CoMention>,
    /// Services that three or more of these reviews mention.
    pub services: Vec<CoMention>,
    /// Service areas that three or more of these reviews mention.
    pub service_areas: Vec<CoMention>,
}

/// An entity or aspect that the same reviews mention.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Object)]
pub struct CoMention {
    /// Its id; left out if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Display name of the technician, service, service area or aspect.
    pub name: String,
    /// Number of reviews that mention both.
    pub reviews: u32,
    /// Ratio to the number expected by chance.
    pub lift: f64,
}

/// People, services and places that reviews name, in the firm's own order; then names that are not in its lists, sorted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Object)]
pub struct Entities {
    /// Technicians of the business, then other names that reviews mention.
    pub technicians: Vec<Entity>,
    /// Services of the business, then others that reviews mention.
    pub services: Vec<Entity>,
    /// Service areas of the business, then others that reviews mention.
    pub service_areas: Vec<Entity>,
}

/// A person, service or place that reviews name. `positive` to `uncertain` count the reviews by the sentiment of the passages
/// about it, and add up to `reviews`. If such a passage judges nothing, a person's vote is `neutral`, and the vote of a service
/// or a place is that of the whole review. Only the counts are given for entities that no review names, and for people that fewer
/// than three reviews name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Object)]
pub struct Entity {
    /// The firm's id; left out if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Name as displayed; for a service that the business does not list, its id.
    pub name: String,
    /// How many published reviews mention it, recorded or in the text.
    pub reviews: u32,
    /// How often texts name it for certain.
    pub mentions: u32,
    /// Number of ambiguous mentions, which are not counted for anyone.
    pub ambiguous_mentions: u32,
    /// Number of reviews that are positive about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positive: Option<u32>,
    /// Number of reviews that are negative about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub negative: Option<u32>,
    /// Number of reviews that judge nothing about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub neutral: Option<u32>,
    /// Number of reviews that are both positive and negative about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mixed: Option<u32>,
    /// Number of reviews that are too close to call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncertain: Option<u32>,
    /// How many of the positive and of the negative ones were uncertain from the text and confirmed by the stars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<ConfirmedVotes>,
    /// The share of positive ones among those that judge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positive_share: Option<Share>,
    /// How reliable that is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// By month, with the direction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trend: Option<Trend>,
    /// Which aspects the same reviews judge: at most three, the most frequent first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aspects: Option<Vec<CoMention>>,
    /// Words of customers: for a person, passages that name the person; for a service or a place, from reviews that name it. At
    /// most one of either side, by the rule of aspects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quotes: Option<Vec<Quote>>,
}

/// A phrase that stands out: far more reviews have it than chance and reviews of other trades would have it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Object)]
pub struct Topic {
    /// The phrase with hyphens.
    pub id: String,
    /// The words, in lower case.
    pub phrase: String,
    /// How many reviews have them.
    pub reviews: u32,
    /// Number expected by chance, two decimals.
    pub expected: f64,
    /// How much that differs: the log-likelihood ratio, one decimal. The topics come in its order.
    pub log_likelihood: f64,
    /// The id of the aspect that its sentences judge most often; left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aspect: Option<String>,
    /// How many of its reviews are positive about the firm as a whole.
    pub positive: u32,
    /// How many are negative about it.
    pub negative: u32,
    /// A sentence that has it; left out if all are too long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<Quote>,
}

impl CoMention {
    fn entity(joint: aggregate::Joint, entities: &[aggregate::EntityFigures]) -> Self {
        let aggregate::Joint { at, reviews, lift } = joint;
        Self {
            id: entities[at].id.clone(),
            name: entities[at].name.clone(),
            reviews,
            lift,
        }
    }

    fn aspect(joint: aggregate::Joint, aspects: &[aggregate::AspectFigures]) -> Self {
        let aggregate::Joint { at, reviews, lift } = joint;
        Self {
            id: Some(aspects[at].id.clone()),
            name: aspects[at].label.clone(),
            reviews,
            lift,
        }
    }
}

impl Aspect {
    pub(super) fn new(
        aspect: &aggregate::AspectFigures,
        insights: &aggregate::AggregatedInsights,
        links: &Links,
    ) -> Self {
        let aggregate::AspectFigures {
            id,
            label,
            question: _,
            is_overall: _,
            mentions,
            said,
            sub_topics,
            named,
        } = aspect.clone();
        let aggregate::OpinionStats {
            votes,
            positive_share,
            confidence,
            trend,
            quotes,
        } = said;
        let aggregate::VoteCounts {
            positive,
            negative,
            neutral,
            mixed,
            uncertain,
            confirmed,
        } = votes;
        let of = |kind: MentionKind| {
            let joints = named
                .iter()
                .filter(|joint| insights.entities[joint.at].kind == kind);
            joints
                .map(|joint| CoMention::entity(*joint, &insights.entities))
                .collect()
        };
        Self {
            evidence_url: links.evidence(&id),
            id,
            label,
            reviews: votes.reviews(),
            mentions,
            positive,
            negative,
            neutral,
            mixed,
            uncertain,
            confirmed: confirmed.into(),
            positive_share: positive_share.map(Share::from),
            confidence: confidence.into(),
            trend: trend.into(),
            sub_topics: sub_topics
                .into_iter()
                .map(|(phrase, reviews)| SubTopic { phrase, reviews })
                .collect(),
            co_mentioned: CoMentioned {
                technicians: of(MentionKind::Technician),
                services: of(MentionKind::Service),
                service_areas: of(MentionKind::ServiceArea),
            },
            quotes: quotes.into_iter().map(Quote::from).collect(),
        }
    }
}

impl Entity {
    pub(super) fn new(
        entity: &aggregate::EntityFigures,
        insights: &aggregate::AggregatedInsights,
    ) -> Self {
        let aggregate::EntityFigures {
            kind: _,
            id,
            name,
            reviews,
            mentions,
            ambiguous,
            detail,
            judged,
        } = entity.clone();
        let mut shape = Self {
            id,
            name,
            reviews,
            mentions,
            ambiguous_mentions: ambiguous,
            positive: None,
            negative: None,
            neutral: None,
            mixed: None,
            uncertain: None,
            confirmed: None,
            positive_share: None,
            confidence: None,
            trend: None,
            aspects: None,
            quotes: None,
        };
        if let Some(said) = detail {
            let aggregate::OpinionStats {
                votes,
                positive_share,
                confidence,
                trend,
                quotes,
            } = said;
            shape.positive = Some(votes.positive);
            shape.negative = Some(votes.negative);
            shape.neutral = Some(votes.neutral);
            shape.mixed = Some(votes.mixed);
            shape.uncertain = Some(votes.uncertain);
            shape.confirmed = Some(votes.confirmed.into());
            shape.positive_share = positive_share.map(Share::from);
            shape.confidence = Some(confidence.into());
            shape.trend = Some(trend.into());
            shape.aspects = Some(
                judged
                    .into_iter()
                    .map(|joint| CoMention::aspect(joint, &insights.aspects))
                    .collect(),
            );
            shape.quotes = Some(quotes.into_iter().map(Quote::from).collect());
        }
        shape
    }
}

impl Topic {
    pub(super) fn new(
        topic: &aggregate::Keyphrase,
        insights: &aggregate::AggregatedInsights,
    ) -> Self {
        let aggregate::Keyphrase {
            phrase,
            reviews,
            expected,
            log_likelihood,
            aspect,
            overall,
            quote,
            ..
        } = topic.clone();
        let rounded = |value: f64, parts: f64| (value * parts).round() / parts;
        Self {
            id: phrase.replace(' ', "-"),
            phrase,
            reviews,
            expected: rounded(expected, 100.0),
            log_likelihood: rounded(log_likelihood, 10.0),
            aspect: aspect.map(|at| insights.aspects[at].id.clone()),
            positive: overall.positive,
            negative: overall.negative,
            quote: quote.map(Quote::from),
        }
    }
}

// Texts: questions and answers, and the summary.

/// One question with its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct Faq {
    /// Unique, stable id; of a derived answer `aspect-` or `service-` and the id.
    pub id: String,
    /// The question as a customer would ask it.
    pub question: String,
    /// The answer to the question, in plain text.
    pub answer: String,
    /// Whether the firm wrote the answer or it was derived from reviews.
    pub basis: FaqBasis,
    /// The aspect that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aspect: Option<String>,
    /// The id of the service that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// The ids of the reviews that are quoted; left out of the firm's own answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Vec<String>>,
    /// How many of the positive and of the negative reviews that the answer counts the text left open and the stars confirmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<ConfirmedVotes>,
}

/// `editorial`: the firm wrote it; `reviews`: counts and words of the reviews, in a fixed form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[serde(rename_all = "snake_case")]
#[oai(rename_all = "snake_case")]
pub enum FaqBasis {
    /// The firm wrote it.
    Editorial,
    /// The reviews say it.
    Reviews,
}

impl From<&FaqEntry> for Faq {
    fn from(question: &FaqEntry) -> Self {
        let FaqEntry {
            id,
            question,
            answer,
        } = question.clone();
        Self {
            id,
            question,
            answer,
            basis: FaqBasis::Editorial,
            aspect: None,
            service: None,
            evidence: None,
            confirmed: None,
        }
    }
}

impl From<aggregate::Answered> for Faq {
    fn from(answered: aggregate::Answered) -> Self {
        let aggregate::Answered {
            id,
            question,
            answer,
            aspect,
            service,
            review_ids,
            confirmed,
        } = answered;
        Self {
            id,
            question,
            answer,
            basis: FaqBasis::Reviews,
            aspect,
            service,
            evidence: Some(review_ids),
            confirmed: Some(confirmed.into()),
        }
    }
}

/// The whole in a few sentences.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Object)]
pub struct Summary {
    /// The firm's own words; left out if it wrote none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub editorial: Option<String>,
    /// Overall sentiment of the analysed texts.
    pub overall: Overall,
    /// Sentences made of the figures, in a fixed form.
    pub sentences: Vec<Sentence>,
}

/// One sentence. Its quantifier is bound to the share: few is below 10 %, some below 30, many up to 60, most above.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "SummarySentence")]
pub struct Sentence {
    /// The sentence itself, in English plain text.
    pub text: String,
    /// Its form: `overall`, `unheard`, `aspect_positive`, `aspect_negative`, `trend`, `technicians`, `services` or `topics`.
    pub template: String,
    /// The evidence behind it.
    pub evidence: Evidence,
}

/// The evidence behind a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "SummaryEvidence")]
pub struct Evidence {
    /// Id of the aspect that the sentence is about; left out if it is about none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aspect: Option<String>,
    /// Technicians or services that it names: ids, or names if they have no id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entities: Option<Vec<String>>,
    /// Phrases that the sentence names; left out if it names none. For complaints, the most frequent one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topics: Option<Vec<String>>,
    /// The numbers in it, by name, as in the aggregates.
    pub figures: BTreeMap<String, u32>,
    /// Some of the reviews behind it.
    pub review_ids: Vec<String>,
    /// Words of a customer, if the sentence is about complaints; left out if none can be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<Quote>,
}

impl From<aggregate::SummarySentence> for Sentence {
    fn from(sentence: aggregate::SummarySentence) -> Self {
        let aggregate::SummarySentence {
            text,
            template,
            evidence,
        } = sentence;
        let aggregate::SentenceEvidence {
            aspect,
            entities,
            topics,
            figures,
            review_ids,
            quote,
        } = evidence;
        let some = |values: Vec<String>| (!values.is_empty()).then_some(values);
        let evidence = Evidence {
            aspect,
            entities: some(entities),
            topics: some(topics),
            figures,
            review_ids,
            quote: quote.map(Quote::from),
        };
        Self {
            text,
            template: template.to_owned(),
            evidence,
        }
    }
}
