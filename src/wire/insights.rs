//! The insights: what reviews mention, with counts.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use poem_openapi::{Enum, Object};
use serde::Serialize;

use crate::insights::aggregate::figures::round_to;
use crate::insights::evaluate::Proportion;
use crate::insights::trades::Measured;
use crate::insights::{MentionKind, aggregate};
use crate::links::Links;
use crate::model::business::{Editorial, FaqEntry};

/// The only measure that is not a share.
const F1: &str = "f1";

/// What the reviews say. Every part is always present, and empty if there is nothing to report.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct Insights {
    /// What customers judge, in the order of the trade; aspects that no review mentions are left out.
    pub aspects: Vec<Aspect>,
    /// People, services and places that they name.
    pub entities: Entities,
    /// Phrases that stand out, the clearest first.
    pub topics: Vec<Topic>,
    /// Questions and answers: the firm's own first, then those that five reviews or more answer.
    pub faq: Vec<Faq>,
    /// The whole in a few sentences.
    pub summary: Summary,
    /// Which reviews this was made of.
    pub generated_from: GeneratedFrom,
    /// How it was made.
    pub method: InsightsMethod,
}

/// Which reviews the insights were made of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Object)]
pub struct GeneratedFrom {
    /// How many published reviews there are.
    pub reviews: u32,
    /// Number of reviews with a text.
    pub with_text: u32,
    /// How many texts were analysed: the English ones, and those in other languages that the trade's package reads.
    pub analysed: u32,
    /// Why the others were not; their recorded mentions are still counted.
    pub excluded: Vec<Excluded>,
    /// The range of their days; left out if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
}

/// Reviews that were not analysed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct Excluded {
    /// `not_read_yet`: in the next snapshot; `no_text`: only stars; `no_words`: a text without words; `not_english`: in a
    /// language that is not read.
    pub reason: String,
    /// How many reviews were left out for this reason.
    pub n: u32,
}

/// From the oldest review's day to the newest one's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Object)]
pub struct Window {
    /// Day of the oldest review, `YYYY-MM-DD`.
    pub from: NaiveDate,
    /// Day of the newest review, `YYYY-MM-DD`.
    pub to: NaiveDate,
}

/// How the insights were made.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
#[oai(rename = "Method")]
pub struct InsightsMethod {
    /// The engine that analyses the texts, and its version.
    pub engine: String,
    /// How the engine reads the texts, in plain words.
    pub description: String,
    /// Which trade's words the texts are read with.
    pub trade: MethodTrade,
    /// SHA-256 of the trade's aspects and phrases.
    pub trade_sha256: String,
    /// SHA-256 of the weights that were learned, by what they belong to.
    pub weights_sha256: Weights,
    /// Always true: the same reviews give the same bytes.
    pub deterministic: bool,
    /// What `start` and `end` count: `code_point`.
    pub offset_unit: String,
    /// Judgements that were withdrawn, because the review's stars contradict them and only one source made them, or neither
    /// source was sure.
    pub withdrawn: Withdrawn,
    /// Findings that were uncertain from the text and confirmed by the stars.
    pub confirmed: ConfirmedFindings,
    /// Measured quality on annotated sentences and reviews, if the trade was measured (`trade.is_measured`).
    pub quality: Vec<Quality>,
}

/// The trade whose words the texts are read with: that of the business's type, or the one that the owner sets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct MethodTrade {
    /// Its id: `home_services`, `food`, `general` for any business, or the owner's own.
    pub id: String,
    /// Its name for readers.
    pub label: String,
    /// Whether `quality` has figures measured with this trade; if not, its quality is unknown.
    pub is_measured: bool,
}

/// Findings that are `uncertain` from the text and lean the same way as the review's stars. They count as `positive` or
/// `negative`, and are never quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Object)]
pub struct ConfirmedFindings {
    /// How many there are.
    pub findings: u32,
    /// In how many reviews.
    pub reviews: u32,
}

/// Judgements that the review's stars contradict, and that only one source made, or neither surely. They count as `uncertain`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Object)]
pub struct Withdrawn {
    /// How many there are.
    pub findings: u32,
    /// In how many reviews.
    pub reviews: u32,
}

/// SHA-256 of the weights that were learned from annotated sentences, in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct Weights {
    /// Weights that detect aspects; left out if the trade has none and uses only rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detector: Option<String>,
    /// Weights of polarity, which all trades share.
    pub polarity: String,
}

/// A figure measured on annotated sentences.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct Quality {
    /// What was measured, for example `aspect_polarity`.
    pub task: String,
    /// Name of the set of annotated sentences, for example `held_out`.
    pub set: String,
    /// How many annotated rows the set has.
    pub n: u32,
    /// The measure, for example `accuracy` or `f1`.
    pub measure: String,
    /// Its value, from 0 to 1.
    pub value: f64,
    /// Lower and upper end of the 95 % interval, if the measure is a share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ci95: Option<Vec<f64>>,
}

impl From<&Measured> for Quality {
    fn from(measured: &Measured) -> Self {
        let share = Proportion {
            part: measured.part,
            whole: measured.whole,
        };
        // An F1 score counts agreement twice, so its numerator and denominator are not a sample.
        let is_share = measured.measure != F1;
        let ci95 = is_share.then(|| share.interval().map(|end| round_to(end, 1e3)).to_vec());
        Self {
            task: measured.task.clone(),
            set: measured.set.clone(),
            n: u32::try_from(measured.n).unwrap_or(u32::MAX),
            measure: measured.measure.clone(),
            value: round_to(share.value(), 1e3),
            ci95,
        }
    }
}

impl Insights {
    /// `editorial` has the owner's own texts.
    pub fn new(
        insights: &aggregate::AggregatedInsights,
        editorial: &Editorial,
        method: InsightsMethod,
        links: &Links,
    ) -> Self {
        let aspects = insights.aspects.iter();
        let spoken_of = aspects.filter(|aspect| aspect.said.votes.reviews() > 0);
        let of = |kind: MentionKind| {
            let named = insights.entities.iter();
            let named = named.filter(move |entity| entity.kind == kind);
            named.map(|entity| Entity::new(entity, insights)).collect()
        };
        let topics = insights.topics.iter();
        let answered = insights.faq.iter().cloned().map(Faq::from);
        let sentences = insights.summary.iter().cloned();
        Self {
            aspects: spoken_of
                .map(|aspect| Aspect::new(aspect, insights, links))
                .collect(),
            entities: Entities {
                technicians: of(MentionKind::Technician),
                services: of(MentionKind::Service),
                service_areas: of(MentionKind::ServiceArea),
            },
            topics: topics.map(|topic| Topic::new(topic, insights)).collect(),
            faq: (editorial.faq.iter().map(Faq::from))
                .chain(answered)
                .collect(),
            summary: Summary {
                editorial: editorial.summary.clone(),
                overall: (&insights.corpus.overall).into(),
                sentences: sentences.map(Sentence::from).collect(),
            },
            generated_from: (&insights.corpus).into(),
            method,
        }
    }
}

impl From<&aggregate::Corpus> for GeneratedFrom {
    fn from(corpus: &aggregate::Corpus) -> Self {
        let (with_text, analysed) = (corpus.with_text, corpus.analysed);
        let excluded = [
            ("not_read_yet", corpus.unanalyzed),
            ("no_text", corpus.reviews - corpus.unanalyzed - with_text),
            ("no_words", with_text - analysed - corpus.foreign),
            ("not_english", corpus.foreign),
        ];
        let excluded = excluded.into_iter().filter(|(_, n)| *n > 0);
        let excluded = excluded.map(|(reason, n)| Excluded {
            reason: reason.to_owned(),
            n,
        });
        let window = corpus.window.and_then(|(from, to)| {
            let day = NaiveDate::from_num_days_from_ce_opt;
            Some(Window {
                from: day(from)?,
                to: day(to)?,
            })
        });
        Self {
            reviews: corpus.reviews,
            with_text,
            analysed,
            excluded: excluded.collect(),
            window,
        }
    }
}

// Aspects, entities and topics of the insights.

/// Something that customers judge. One review has one vote: `positive`, `negative`, `neutral`, `mixed` and `uncertain` add up
/// to `reviews`.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct SubTopic {
    /// Words of the phrase, in lower case.
    pub phrase: String,
    /// Number of reviews that have them and mention the aspect.
    pub reviews: u32,
}

/// People, services and places that the same reviews name: at most three of each kind, the most frequent first, in three reviews
/// or more.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct CoMentioned {
    /// People that three or more of these reviews name.
    pub technicians: Vec<CoMention>,
    /// Services that three or more of these reviews mention.
    pub services: Vec<CoMention>,
    /// Service areas that three or more of these reviews mention.
    pub service_areas: Vec<CoMention>,
}

/// An entity or aspect that the same reviews mention.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
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
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct Entities {
    /// Technicians of the business, then other names that reviews mention.
    pub technicians: Vec<Entity>,
    /// Services of the business, then others that reviews mention.
    pub services: Vec<Entity>,
    /// Service areas of the business, then others that reviews mention.
    pub service_areas: Vec<Entity>,
}

impl Entities {
    pub fn of(&self, kind: MentionKind) -> &[Entity] {
        match kind {
            MentionKind::Technician => &self.technicians,
            MentionKind::Service => &self.services,
            MentionKind::ServiceArea => &self.service_areas,
        }
    }
}

/// A person, service or place that reviews name. `positive` to `uncertain` count the reviews by the sentiment of the passages
/// about it, and add up to `reviews`. If such a passage judges nothing, a person's vote is `neutral`, and the vote of a service
/// or a place is that of the whole review. Only the counts are given for entities that no review names, and for people that fewer
/// than three reviews name.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
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
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
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
    fn new(joint: &aggregate::Joint, id: Option<&String>, name: &str) -> Self {
        Self {
            id: id.cloned(),
            name: name.to_owned(),
            reviews: joint.reviews,
            lift: joint.lift,
        }
    }
}

impl Aspect {
    fn new(
        aspect: &aggregate::AspectFigures,
        insights: &aggregate::AggregatedInsights,
        links: &Links,
    ) -> Self {
        let aspect = aspect.clone();
        let votes = aspect.said.votes;
        let said = aspect.said;
        let of = |kind: MentionKind| {
            let named = aspect.named.iter();
            let named = named.map(|joint| (joint, &insights.entities[joint.at]));
            named
                .filter(|(_, entity)| entity.kind == kind)
                .map(|(joint, entity)| CoMention::new(joint, entity.id.as_ref(), &entity.name))
                .collect()
        };
        let sub_topics = aspect.sub_topics.into_iter();
        Self {
            evidence_url: links.evidence(&aspect.id),
            id: aspect.id,
            label: aspect.label,
            reviews: votes.reviews(),
            mentions: aspect.mentions,
            positive: votes.positive,
            negative: votes.negative,
            neutral: votes.neutral,
            mixed: votes.mixed,
            uncertain: votes.uncertain,
            confirmed: votes.confirmed.into(),
            positive_share: Share::new(votes.positive, votes.judged()),
            confidence: Confidence::of(votes.judged()),
            trend: said.trend.into(),
            sub_topics: sub_topics
                .map(|(phrase, reviews)| SubTopic { phrase, reviews })
                .collect(),
            co_mentioned: CoMentioned {
                technicians: of(MentionKind::Technician),
                services: of(MentionKind::Service),
                service_areas: of(MentionKind::ServiceArea),
            },
            quotes: said.quotes.into_iter().map(Quote::from).collect(),
        }
    }
}

impl Entity {
    fn new(entity: &aggregate::EntityFigures, insights: &aggregate::AggregatedInsights) -> Self {
        let entity = entity.clone();
        let said = entity.detail;
        let votes = said.as_ref().map(|said| said.votes);
        let judged = entity.judged.iter().map(|joint| {
            let aspect = &insights.aspects[joint.at];
            CoMention::new(joint, Some(&aspect.id), &aspect.label)
        });
        Self {
            id: entity.id,
            name: entity.name,
            reviews: entity.reviews,
            mentions: entity.mentions,
            ambiguous_mentions: entity.ambiguous,
            positive: votes.map(|votes| votes.positive),
            negative: votes.map(|votes| votes.negative),
            neutral: votes.map(|votes| votes.neutral),
            mixed: votes.map(|votes| votes.mixed),
            uncertain: votes.map(|votes| votes.uncertain),
            confirmed: votes.map(|votes| votes.confirmed.into()),
            positive_share: votes.and_then(|votes| Share::new(votes.positive, votes.judged())),
            confidence: votes.map(|votes| Confidence::of(votes.judged())),
            trend: said.as_ref().map(|said| said.trend.clone().into()),
            aspects: said.is_some().then(|| judged.collect()),
            quotes: said.map(|said| said.quotes.into_iter().map(Quote::from).collect()),
        }
    }
}

impl Topic {
    fn new(topic: &aggregate::Keyphrase, insights: &aggregate::AggregatedInsights) -> Self {
        let topic = topic.clone();
        Self {
            id: topic.phrase.replace(' ', "-"),
            phrase: topic.phrase,
            reviews: topic.reviews,
            expected: round_to(topic.expected, 100.0),
            log_likelihood: round_to(topic.log_likelihood, 10.0),
            aspect: topic.aspect.map(|at| insights.aspects[at].id.clone()),
            positive: topic.overall.positive,
            negative: topic.overall.negative,
            quote: topic.quote.map(Quote::from),
        }
    }
}

// Texts: questions and answers, and the summary.

/// One question with its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Enum)]
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
        Self {
            id: question.id.clone(),
            question: question.question.clone(),
            answer: question.answer.clone(),
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
        Self {
            id: answered.id,
            question: answered.question,
            answer: answered.answer,
            basis: FaqBasis::Reviews,
            aspect: answered.aspect,
            service: answered.service,
            evidence: Some(answered.review_ids),
            confirmed: Some(answered.confirmed.into()),
        }
    }
}

/// The whole in a few sentences.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
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
        let evidence = sentence.evidence;
        let some = |values: Vec<String>| (!values.is_empty()).then_some(values);
        Self {
            text: sentence.text,
            template: sentence.template.to_owned(),
            evidence: Evidence {
                aspect: evidence.aspect,
                entities: some(evidence.entities),
                topics: some(evidence.topics),
                figures: evidence.figures,
                review_ids: evidence.review_ids,
                quote: evidence.quote.map(Quote::from),
            },
        }
    }
}

// Statistics of opinions about an aspect or a named person or thing: shares, trends, quotes.

/// A share of reviews, each counted once, with its Wilson interval.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct Share {
    /// The share, from 0 to 1, three decimals.
    pub value: f64,
    /// Lower and upper end of the 95 % interval.
    #[oai(validator(min_items = 2, max_items = 2))]
    pub ci95: Vec<f64>,
    /// Number of reviews that judge: all except the neutral and the uncertain ones.
    pub n: u32,
}

impl Share {
    /// `part` of `n` reviews; `None` if `n` is 0.
    pub fn new(part: u32, n: u32) -> Option<Self> {
        let aggregate::WilsonShare { value, ci95, n } = aggregate::WilsonShare::new(part, n)?;
        let ci95 = ci95.into();
        Some(Self { value, ci95, n })
    }
}

/// How much a figure can be relied on, by how many reviews judge: `low` fewer than 10, `standard` 10 to 50, `high` more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Enum)]
#[serde(rename_all = "snake_case")]
#[oai(rename_all = "snake_case")]
pub enum Confidence {
    /// Fewer than 10 reviews judge.
    Low,
    /// From 10 to 50 reviews judge.
    Standard,
    /// More than 50 reviews judge.
    High,
}

impl Confidence {
    const fn of(judged: u32) -> Self {
        match judged {
            0..10 => Self::Low,
            10..=50 => Self::Standard,
            51.. => Self::High,
        }
    }
}

/// Sentiment: `mixed` is both positive and negative, `neutral` a plain fact, `uncertain` too close to call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Enum)]
#[serde(rename_all = "snake_case")]
#[oai(remote = "aggregate::Vote", rename_all = "snake_case")]
pub enum Polarity {
    /// Only positive.
    Positive,
    /// Only negative.
    Negative,
    /// As a fact, without judgement.
    Neutral,
    /// Both positive and negative.
    Mixed,
    /// Too close to call.
    Uncertain,
}

/// Votes that are uncertain from the text and lean the same way as the review's stars, which confirm them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Object)]
pub struct ConfirmedVotes {
    /// How many of the positive ones.
    pub positive: u32,
    /// How many of the negative ones.
    pub negative: u32,
}

impl From<[u32; 2]> for ConfirmedVotes {
    fn from([positive, negative]: [u32; 2]) -> Self {
        Self { positive, negative }
    }
}

impl ConfirmedVotes {
    /// Number of positive and negative ones; `None` for 0.
    pub const fn in_short(self) -> Option<u32> {
        match self.positive + self.negative {
            0 => None,
            some => Some(some),
        }
    }
}

/// Overall sentiment of the texts: reviews by the text's own balance, never by their stars.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct Overall {
    /// How many analysed texts are positive as a whole.
    pub positive: u32,
    /// How many analysed texts are negative as a whole.
    pub negative: u32,
    /// How many analysed texts judge nothing as a whole.
    pub neutral: u32,
    /// How many analysed texts are too close to call.
    pub uncertain: u32,
    /// The share of positive ones among those that judge; left out if none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positive_share: Option<Share>,
}

impl From<&aggregate::VoteCounts> for Overall {
    fn from(votes: &aggregate::VoteCounts) -> Self {
        Self {
            positive: votes.positive,
            negative: votes.negative,
            neutral: votes.neutral,
            uncertain: votes.uncertain,
            positive_share: Share::new(votes.positive, votes.judged()),
        }
    }
}

/// Development over time.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct Trend {
    /// Months with reviews, oldest first: of aspects those of the last two years, of entities those of the last one.
    pub months: Vec<Monthly>,
    /// Direction of the share of positive reviews.
    pub direction: Direction,
    /// The comparison; left out if either side has fewer than 10 judging reviews.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basis: Option<TrendBasis>,
}

/// `up` or `down` if the last half year differs from the one before beyond chance, otherwise `flat`; `unknown` if there are too
/// few reviews.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Enum)]
#[serde(rename_all = "snake_case")]
#[oai(remote = "aggregate::TrendDirection", rename_all = "snake_case")]
pub enum Direction {
    /// The share of positive reviews rose beyond chance.
    Up,
    /// The share of positive reviews fell beyond chance.
    Down,
    /// The share of positive reviews did not change beyond chance.
    Flat,
    /// Fewer than 10 reviews judge in at least one of the half years.
    Unknown,
}

/// The reviews of one month.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "InsightMonth")]
pub struct Monthly {
    /// The calendar month, written `YYYY-MM`.
    pub month: String,
    /// Number of reviews of the month that mention the aspect or name the entity.
    pub reviews: u32,
    /// How many of these are positive.
    pub positive: u32,
    /// How many of these are negative.
    pub negative: u32,
    /// How many of the positive and of the negative ones the stars confirmed; left out if none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<ConfirmedVotes>,
}

/// The comparison behind a direction.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct TrendBasis {
    /// The test: `fisher_exact_holm_95`, Fisher's exact test at 95 % with Holm's correction over all comparisons.
    pub test: String,
    /// The two-sided p-value before the correction, four decimals.
    pub p_value: f64,
    /// How many comparisons the insights hold.
    pub comparisons: u32,
    /// The last six months, up to that of the newest review.
    pub recent: TrendPeriod,
    /// The six months before.
    pub previous: TrendPeriod,
}

/// Six calendar months, and how reviews judge in them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct TrendPeriod {
    /// The first month, `YYYY-MM`.
    pub from: String,
    /// The last month, `YYYY-MM`.
    pub to: String,
    /// How many reviews of these months are positive.
    pub positive: u32,
    /// How many reviews of these months judge: positive, negative or mixed.
    pub judged: u32,
    /// How many of the positive and of the negative ones the stars confirmed.
    pub confirmed: ConfirmedVotes,
}

impl From<aggregate::ShareTrend> for Trend {
    fn from(trend: aggregate::ShareTrend) -> Self {
        let month = |(number, votes): (i32, aggregate::VoteCounts)| Monthly {
            month: year_and_month(number),
            reviews: votes.reviews(),
            positive: votes.positive,
            negative: votes.negative,
            confirmed: (votes.confirmed != [0, 0]).then(|| votes.confirmed.into()),
        };
        Self {
            months: trend.months.into_iter().map(month).collect(),
            direction: trend.direction.into(),
            basis: trend.compared.map(TrendBasis::from),
        }
    }
}

impl From<aggregate::Compared> for TrendBasis {
    fn from(compared: aggregate::Compared) -> Self {
        let period = |last: i32, votes: aggregate::VoteCounts| TrendPeriod {
            from: year_and_month(last - aggregate::HALF_YEAR + 1),
            to: year_and_month(last),
            positive: votes.positive,
            judged: votes.judged(),
            confirmed: votes.confirmed.into(),
        };
        Self {
            test: "fisher_exact_holm_95".to_owned(),
            p_value: round_to(compared.p_value, 1e4),
            comparisons: compared.comparisons,
            recent: period(compared.newest, compared.recent),
            previous: period(compared.newest - aggregate::HALF_YEAR, compared.previous),
        }
    }
}

/// The month with that number: the year times twelve, plus the month from 0.
fn year_and_month(number: i32) -> String {
    format!(
        "{:04}-{:02}",
        number.div_euclid(12),
        number.rem_euclid(12) + 1
    )
}

/// Words of a customer, cut out of a review's `text`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "InsightQuote")]
pub struct Quote {
    /// Id of the quoted review, as in `/reviews.json`.
    pub review_id: String,
    /// Which sentence of it, counted from 0.
    pub sentence: u32,
    /// Where the words begin in the text, in Unicode code points.
    pub start: u32,
    /// Where they have ended.
    pub end: u32,
    /// The words: exactly that slice of the text.
    pub text: String,
    /// Their sentiment.
    pub polarity: Polarity,
    /// Day of the quoted review, `YYYY-MM-DD`.
    pub date: NaiveDate,
    /// The review's stars; they had no part in the polarity.
    pub stars: u8,
    /// The language of the words (ISO 639-1), where it is not English.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

impl From<aggregate::CustomerQuote> for Quote {
    fn from(quote: aggregate::CustomerQuote) -> Self {
        Self {
            review_id: quote.review_id,
            sentence: quote.sentence,
            start: quote.span.start,
            end: quote.span.end,
            text: quote.text,
            polarity: quote.polarity.into(),
            date: quote.date,
            stars: quote.stars,
            language: quote.language.map(|code| code.as_str().to_owned()),
        }
    }
}
