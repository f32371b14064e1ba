//! The insights: what reviews mention, with counts.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use poem_openapi::{Enum, Object};
use serde::Serialize;
use serde_with::skip_serializing_none;

use crate::model::business::FaqEntry;
use crate::model::statistics::{interval, round_to};
use crate::model::{MentionKind, Vote, VoteCounts};

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
    /// The whole in at most six sentences.
    pub summary: Summary,
    /// Which reviews this was made of.
    pub generated_from: GeneratedFrom,
    /// How it was made.
    pub method: InsightsMethod,
}

/// Which reviews the insights were made of.
#[skip_serializing_none]
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
#[derive(Debug, Clone, Default, PartialEq, Serialize, Object)]
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
    /// SHA-256 of the weights that were learned from annotated sentences.
    pub weights_sha256: String,
    /// Always true: the same reviews give the same bytes.
    pub deterministic: bool,
    /// What `start` and `end` count: `code_point`.
    pub offset_unit: String,
    /// Judgements that were withdrawn, because the review's stars contradict them and only one source made them, or neither
    /// source was sure. They count as `uncertain`.
    pub withdrawn: WithdrawnFindings,
    /// Reviews with one or two stars, and how many of their texts are not negative as a whole.
    pub low_rated: LowRated,
    /// Measured quality on annotated sentences and reviews, if the trade was measured (`trade.is_measured`).
    pub quality: Vec<Quality>,
}

/// The trade whose words the texts are read with: that of the business's type, or the one that the owner sets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Object)]
pub struct MethodTrade {
    /// Its id: `home_services`, `food`, or `general` for any business.
    pub id: String,
    /// Its name for readers.
    pub label: String,
    /// Whether `quality` has figures measured with this trade; if not, its quality is unknown.
    pub is_measured: bool,
}

/// Findings that the reviews' stars withdrew. They are never quoted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Object)]
pub struct WithdrawnFindings {
    /// How many there are.
    pub findings: u32,
    /// In how many reviews.
    pub reviews: u32,
}

/// How well complaints are recognized: analysed reviews with one or two stars.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Object)]
pub struct LowRated {
    /// How many there are.
    pub reviews: u32,
    /// How many of them are not negative as a whole, by their text alone.
    pub not_negative: u32,
}

/// A figure measured on annotated sentences.
#[skip_serializing_none]
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
    pub ci95: Option<Vec<f64>>,
}

// Aspects, entities and topics of the insights.

/// Something that customers judge. One review has one vote: `positive`, `negative`, `neutral`, `mixed` and `uncertain` add up
/// to `reviews`.
#[skip_serializing_none]
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
    /// The share of positive ones among those that judge; left out if none does.
    pub positive_share: Option<Share>,
    /// How reliable that is.
    pub confidence: Confidence,
    /// By month, with the direction.
    pub trend: Trend,
    /// People, services and places that the same reviews name.
    pub co_mentioned: CoMentioned,
    /// Words of customers. At most three of the majority; at most two of the minority, if it has three reviews and one in ten of
    /// those that judge.
    pub quotes: Vec<InsightQuote>,
    /// Address of all the evidence.
    pub evidence_url: String,
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
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct CoMention {
    /// Its id; left out if it has none.
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
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct Entity {
    /// The firm's id; left out if it has none.
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
    pub positive: Option<u32>,
    /// Number of reviews that are negative about it.
    pub negative: Option<u32>,
    /// Number of reviews that judge nothing about it.
    pub neutral: Option<u32>,
    /// Number of reviews that are both positive and negative about it.
    pub mixed: Option<u32>,
    /// Number of reviews that are too close to call.
    pub uncertain: Option<u32>,
    /// The share of positive ones among those that judge.
    pub positive_share: Option<Share>,
    /// How reliable that is.
    pub confidence: Option<Confidence>,
    /// By month, with the direction.
    pub trend: Option<Trend>,
    /// Which aspects the same reviews judge: at most three, the most frequent first.
    pub aspects: Option<Vec<CoMention>>,
    /// Words of customers: for a person, passages that name the person; for a service or a place, from reviews that name it. At
    /// most one of either side, by the rule of aspects.
    pub quotes: Option<Vec<InsightQuote>>,
}

/// A thing that many reviews name, counted in the newest 1,000; the most frequent come first.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct Topic {
    /// The phrase with hyphens.
    pub id: String,
    /// The words, in lower case.
    pub phrase: String,
    /// How many of these reviews have them, in singular or plural.
    pub reviews: u32,
    /// The id of the aspect that its sentences judge most often; left out if there is none.
    pub aspect: Option<String>,
    /// How many of its reviews are positive about the firm as a whole.
    pub positive: u32,
    /// How many are negative about it.
    pub negative: u32,
    /// A sentence that has it.
    pub quote: InsightQuote,
}

// Texts: questions and answers, and the summary.

/// One question with its answer.
#[skip_serializing_none]
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
    pub aspect: Option<String>,
    /// The id of the service that it is about.
    pub service: Option<String>,
    /// The ids of the reviews that are quoted; left out of the firm's own answers.
    pub evidence: Option<Vec<String>>,
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
        }
    }
}

/// The whole in a few sentences.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct Summary {
    /// The firm's own words; left out if it wrote none.
    pub editorial: Option<String>,
    /// Overall sentiment of the analysed texts.
    pub overall: Overall,
    /// Sentences made of the figures, in a fixed form.
    pub sentences: Vec<SummarySentence>,
}

/// One sentence. Its quantifier is bound to the share: few is below 10 %; otherwise the share's 95 % interval begins at 50 % for
/// most, at 30 % for many, below for some.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct SummarySentence {
    /// The sentence itself, in English plain text.
    pub text: String,
    /// Its form.
    pub template: SummaryTemplate,
    /// The evidence behind it.
    pub evidence: SummaryEvidence,
}

/// The form of a sentence of the summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Enum)]
#[serde(rename_all = "snake_case")]
#[oai(rename_all = "snake_case")]
pub enum SummaryTemplate {
    /// How the reviews judge the firm as a whole.
    Overall,
    /// The aspect that they praise most.
    AspectPositive,
    /// The aspect that they complain about most.
    AspectNegative,
    /// The aspect that they praise most and complain about most.
    AspectDivided,
    /// The technicians that they name most.
    Technicians,
    /// The services that they name most.
    Services,
}

/// The evidence behind a sentence.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Object)]
pub struct SummaryEvidence {
    /// Id of the aspect that the sentence is about; left out if it is about none.
    pub aspect: Option<String>,
    /// Technicians or services that it names: ids, or names if they have no id.
    pub entities: Option<Vec<String>>,
    /// The numbers in it, by name, as in the aggregates.
    pub figures: BTreeMap<String, u32>,
    /// Some of the reviews behind it.
    pub review_ids: Vec<String>,
    /// Words of a customer, if the sentence is about complaints; left out if none can be shown.
    pub quote: Option<InsightQuote>,
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
        if n == 0 {
            return None;
        }
        let (of, share) = (f64::from(n), f64::from(part) / f64::from(n));
        Some(Self {
            value: round_to(share, 1e3),
            ci95: interval(share, of).map(|end| round_to(end, 1e3)).into(),
            n,
        })
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
    pub const fn of(judged: u32) -> Self {
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
#[oai(remote = "Vote", rename_all = "snake_case")]
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

/// Overall sentiment of the texts: reviews by the text's own balance, never by their stars.
#[skip_serializing_none]
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
    pub positive_share: Option<Share>,
}

impl From<&VoteCounts> for Overall {
    fn from(votes: &VoteCounts) -> Self {
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
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct Trend {
    /// Months with reviews, oldest first: of aspects those of the last two years, of entities those of the last one.
    pub months: Vec<InsightMonth>,
    /// Direction of the share of positive reviews.
    pub direction: Direction,
    /// The comparison; left out if either side has fewer than 10 judging reviews.
    pub basis: Option<TrendBasis>,
}

/// `up` or `down` if the share of the last half year and that of the one before have 95 % intervals that do not overlap, otherwise
/// `flat`; `unknown` if there are too few reviews.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Enum)]
#[serde(rename_all = "snake_case")]
#[oai(rename_all = "snake_case")]
pub enum Direction {
    /// The share of positive reviews rose.
    Up,
    /// The share of positive reviews fell.
    Down,
    /// The intervals overlap.
    Flat,
    /// Fewer than 10 reviews judge in at least one of the half years.
    Unknown,
}

/// The reviews of one month.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct InsightMonth {
    /// The calendar month, written `YYYY-MM`.
    pub month: String,
    /// Number of reviews of the month that mention the aspect or name the entity.
    pub reviews: u32,
    /// How many of these are positive.
    pub positive: u32,
    /// How many of these are negative.
    pub negative: u32,
}

/// The comparison behind a direction.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct TrendBasis {
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
}

/// Words of a customer, cut out of a review's `text`.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct InsightQuote {
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
    pub language: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::Share;

    #[test]
    fn a_share_has_the_wilson_interval() {
        let share = Share::new(88, 96).unwrap();
        assert_eq!(
            (share.value, share.ci95.as_slice(), share.n),
            (0.917, &[0.844, 0.957][..], 96)
        );
        assert_eq!(
            format!("{:?}", Share::new(5, 5).unwrap().ci95),
            "[0.566, 1.0]"
        );
        assert_eq!(Share::new(0, 0), None);
    }
}
