//! The insights: what reviews mention, with counts.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use poem_openapi::{Enum, Object};
use serde::Serialize;
use serde_with::skip_serializing_none;

use crate::model::business::FaqEntry;
use crate::model::{ComparisonVerdict, MentionKind, VoteCounts, interval, round_to};

/// What the reviews say. Every part is always present, and empty if there is nothing to report.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct Insights {
    /// Instant of the last change that they are made from.
    pub generated_at: Option<DateTime<Utc>>,
    /// How many published reviews there are.
    pub review_count: u32,
    /// The days of the oldest and of the newest review.
    pub date_range: DateRange,
    /// Which texts they are made from.
    pub generated_from: GeneratedFrom,
    /// Whole reviews, by the balance of their texts.
    pub overall_sentiment: OverallSentiment,
    /// What customers judge, in the order of the trade; an aspect needs a review in which rules judge it, or
    /// three in which only the classifier does.
    pub aspects: Vec<Aspect>,
    /// People, services and places that they name.
    pub entities: Entities,
    /// Words and phrases that many reviews share, the most frequent first.
    pub topics: Vec<Topic>,
    /// Ratings and whole reviews by month.
    pub temporal: Temporal,
    /// Questions and answers: the firm's own first, then those that five reviews or more answer.
    pub faq: Vec<Faq>,
    /// The firm's own words; without any, the sentences of `summary_sentences`.
    pub summary: String,
    /// The whole in at most four sentences of a fixed form, each with its evidence.
    pub summary_sentences: Vec<SummarySentence>,
    /// Aspects with complaints, the worst first: by the number of reviews that complain, then by their share, then by id.
    pub complaints: Vec<Complaint>,
    /// How they were made.
    pub method: InsightsMethod,
}

/// From the oldest review's day to the newest one's; empty without reviews.
#[skip_serializing_none]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Object)]
pub struct DateRange {
    /// Day of the oldest review, `YYYY-MM-DD`.
    pub earliest: Option<NaiveDate>,
    /// Day of the newest review, `YYYY-MM-DD`.
    pub latest: Option<NaiveDate>,
}

/// Which texts the insights are made from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Object)]
pub struct GeneratedFrom {
    /// Number of reviews with a text.
    pub with_text: u32,
    /// How many texts were analysed: the English ones.
    pub analysed: u32,
    /// Why the other reviews were not; their recorded mentions are still counted.
    pub excluded: Vec<Excluded>,
}

/// Reviews that were not analysed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct Excluded {
    /// `not_read_yet`: in the next snapshot; `no_text`: only stars; `no_words`: a text without words; `not_english`: in a
    /// language that is not analysed.
    pub reason: String,
    /// How many reviews were left out for this reason.
    pub n: u32,
}

/// How whole reviews read, by their text alone. The counts add up to `generated_from.analysed`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Object)]
pub struct OverallSentiment {
    /// Positive less negative ones, divided by all: from -1 to 1; 0 without any.
    pub score: f64,
    /// Percentage of positive ones. The three percentages add up to 100.
    pub positive_pct: u32,
    /// Percentage of the others.
    pub neutral_pct: u32,
    /// Percentage of negative ones.
    pub negative_pct: u32,
    /// How many texts are positive as a whole.
    pub positive_count: u32,
    /// How many are neither, both, or too close to call.
    pub neutral_count: u32,
    /// How many texts are negative as a whole.
    pub negative_count: u32,
}

impl From<&VoteCounts> for OverallSentiment {
    fn from(votes: &VoteCounts) -> Self {
        let all = votes.reviews();
        let counts = [
            votes.positive,
            all - votes.positive - votes.negative,
            votes.negative,
        ];
        let [positive_pct, neutral_pct, negative_pct] = percentages(counts);
        let [positive_count, neutral_count, negative_count] = counts;
        Self {
            score: score(votes, all).unwrap_or_default(),
            positive_pct,
            neutral_pct,
            negative_pct,
            positive_count,
            neutral_count,
            negative_count,
        }
    }
}

/// Positive less negative votes, divided by `all`, to three decimals; `None` if that is 0.
fn score(votes: &VoteCounts, all: u32) -> Option<f64> {
    let lead = f64::from(votes.positive) - f64::from(votes.negative);
    (all > 0).then(|| round_to(lead / f64::from(all), 1e3))
}

/// Whole percentages that add up to 100 (largest remainder; of equal ones the first); 0 if all counts are.
fn percentages(counts: [u32; 3]) -> [u32; 3] {
    let all: u32 = counts.iter().sum();
    if all == 0 {
        return [0; 3];
    }
    let hundredfold = counts.map(|count| u64::from(count) * 100);
    let mut percentages = hundredfold.map(|count| count / u64::from(all));
    let mut order = [0, 1, 2];
    order.sort_by_key(|at: &usize| Reverse(hundredfold[*at] % u64::from(all)));
    let missing = 100 - percentages.iter().sum::<u64>();
    for at in order.into_iter().zip(0..missing).map(|(at, _)| at) {
        percentages[at] += 1;
    }
    percentages.map(|percentage| u32::try_from(percentage).unwrap_or(100))
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
    /// Reviews with one or two stars, and the complaints in them.
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

/// How well complaints are recognized: analysed reviews with one or two stars.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Object)]
pub struct LowRated {
    /// How many there are.
    pub reviews: u32,
    /// How many of their sentences blame the firm as a whole, or something that is no aspect; these stand in no vote.
    pub without_aspect: u32,
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
    /// Lower end of the 95 % interval, if the measure is a share.
    pub low: Option<f64>,
    /// Upper end of it.
    pub high: Option<f64>,
}

// Aspects, entities and topics of the insights.

/// How many reviews mention something, by their one vote on it. The votes add up to `mention_count`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Object)]
pub struct Votes {
    /// Number of reviews that mention it.
    pub mention_count: u32,
    /// How many of these judge it: positive, mixed and negative ones.
    pub judged_count: u32,
    /// How many are only positive about it.
    pub positive_count: u32,
    /// How many are both positive and negative about it.
    pub mixed_count: u32,
    /// How many are only negative about it.
    pub negative_count: u32,
    /// How many only mention it.
    pub neutral_count: u32,
    /// How many are too close to call.
    pub uncertain_count: u32,
    /// The share of positive ones among those that judge; left out if none does.
    pub positive_share: Option<Share>,
    /// Positive less negative ones, divided by those that judge: from -1 to 1; left out if none does.
    pub score: Option<f64>,
}

impl From<&VoteCounts> for Votes {
    fn from(votes: &VoteCounts) -> Self {
        let judged = votes.judged();
        Self {
            mention_count: votes.reviews(),
            judged_count: judged,
            positive_count: votes.positive,
            mixed_count: votes.mixed,
            negative_count: votes.negative,
            neutral_count: votes.neutral,
            uncertain_count: votes.uncertain,
            positive_share: Share::new(votes.positive, judged),
            score: score(votes, judged),
        }
    }
}

/// A share of reviews, each counted once, with its 95 % interval (Wilson), from 0 to 1, to three decimals.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Object)]
pub struct Share {
    /// The share.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Share {
    /// `part` of `whole` reviews; `None` if that is 0.
    pub fn new(part: u32, whole: u32) -> Option<Self> {
        let share = f64::from(part) / f64::from(whole);
        (whole > 0).then(|| {
            let ends = interval(share, f64::from(whole));
            let [value, low, high] = [share, ends[0], ends[1]].map(|one| round_to(one, 1e3));
            Self { value, low, high }
        })
    }
}

/// Something that customers judge.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct Aspect {
    /// Its id, for example `punctuality`.
    pub id: String,
    /// Display name of the aspect.
    pub label: String,
    #[serde(flatten)]
    #[oai(flatten)]
    pub votes: Votes,
    /// Ids of the newest reviews that judge it, at most three.
    pub example_review_ids: Vec<String>,
    /// Words of customers. At most three of the larger side; at most two of the other one, if it has three reviews and one in ten
    /// of those that judge.
    pub quotes: Vec<InsightQuote>,
    /// By month.
    pub temporal: VotesOverTime,
    /// Address of all the evidence.
    pub evidence_url: String,
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

/// A person, service or place that reviews name. A vote is what the sentences that name it say; of people that fewer than
/// three reviews name, all votes are `uncertain`.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct Entity {
    /// The firm's id; left out if it has none.
    pub id: Option<String>,
    /// Name as displayed; for a service that the business does not list, its id.
    pub name: String,
    #[serde(flatten)]
    #[oai(flatten)]
    pub votes: Votes,
}

/// A word or phrase that many reviews share, counted in the newest 1,000.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct Topic {
    /// The phrase with hyphens.
    pub id: String,
    /// The words, in lower case.
    pub phrase: String,
    /// A vote is what the sentences with these words say.
    #[serde(flatten)]
    #[oai(flatten)]
    pub votes: Votes,
}

/// An aspect that reviews complain about.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct Complaint {
    /// Id of the aspect, for example `punctuality`.
    pub id: String,
    /// Display name of the aspect.
    pub label: String,
    /// How many reviews complain: `negative_count` and `mixed_count` together.
    pub review_count: u32,
    /// How many reviews judge it.
    pub judged_count: u32,
}

// Time.

/// Ratings and whole reviews by month.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct Temporal {
    /// Months with reviews, oldest first.
    pub monthly: Vec<Month>,
    /// The share of reviews with four and five stars.
    pub trend: InsightTrend,
}

/// The reviews of a month.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct Month {
    /// The calendar month, `YYYY-MM`.
    pub month: String,
    /// How many reviews it has.
    pub review_count: u32,
    /// Their mean rating, to two decimals.
    pub rating_value: f64,
    /// How many texts are positive as a whole.
    pub positive_count: u32,
    /// How many are neither, both, or too close to call.
    pub neutral_count: u32,
    /// How many texts are negative as a whole.
    pub negative_count: u32,
}

/// The votes on something by month.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Object)]
pub struct VotesOverTime {
    /// Months with mentions, oldest first: the last two years up to the newest review.
    pub monthly: Vec<VotesOfMonth>,
    /// The share of positive votes among those that judge.
    pub trend: InsightTrend,
}

/// The votes of a month.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct VotesOfMonth {
    /// The calendar month, `YYYY-MM`.
    pub month: String,
    /// Number of reviews of the month that mention it.
    pub mention_count: u32,
    /// How many are only positive about it.
    pub positive_count: u32,
    /// How many are both.
    pub mixed_count: u32,
    /// How many are only negative about it.
    pub negative_count: u32,
}

/// The half year that ends with the newest review's month, compared with the one before: `steady` if the 95 % intervals of both
/// shares overlap, `too_few` below ten reviews on either side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Enum)]
#[serde(rename_all = "snake_case")]
#[oai(rename_all = "snake_case")]
pub enum InsightTrend {
    /// The share is larger.
    Improving,
    /// The share is smaller.
    Declining,
    /// The intervals overlap.
    Steady,
    /// Too few reviews to say.
    #[default]
    TooFew,
}

impl From<ComparisonVerdict> for InsightTrend {
    fn from(verdict: ComparisonVerdict) -> Self {
        match verdict {
            ComparisonVerdict::Better => Self::Improving,
            ComparisonVerdict::Worse => Self::Declining,
            ComparisonVerdict::Same => Self::Steady,
            ComparisonVerdict::TooFew => Self::TooFew,
        }
    }
}

// Texts: questions and answers, and the summary.

/// One question with its answer.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct Faq {
    /// Unique, stable id; of a derived answer `aspect-` and the id.
    pub id: String,
    /// The question as a customer would ask it.
    pub question: String,
    /// The answer to the question, in plain text.
    pub answer: String,
    /// Whether the firm wrote the answer or it was derived from reviews.
    pub basis: FaqBasis,
    /// The aspect that it is about.
    pub aspect: Option<String>,
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
            evidence: None,
        }
    }
}

/// One sentence, which states counts.
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
    /// How many texts are in a language that is not analysed.
    NotAnalysed,
}

/// The evidence behind a sentence.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Object)]
pub struct SummaryEvidence {
    /// Id of the aspect that the sentence is about; left out if it is about none.
    pub aspect: Option<String>,
    /// The numbers in it, by name, as in the aggregates.
    pub figures: BTreeMap<String, u32>,
    /// Some of the reviews behind it.
    pub review_ids: Vec<String>,
    /// Words of a customer, if the sentence is about complaints; left out if none can be shown.
    pub quote: Option<InsightQuote>,
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
    /// Whether they praise or complain.
    pub kind: QuoteKind,
    /// Day of the quoted review, `YYYY-MM-DD`.
    pub date: NaiveDate,
    /// The review's stars.
    pub stars: u8,
}

/// What a quote is quoted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Enum)]
#[serde(rename_all = "snake_case")]
#[oai(rename_all = "snake_case")]
pub enum QuoteKind {
    /// It praises.
    Praise,
    /// It complains.
    Complaint,
}

#[cfg(test)]
mod tests {
    use super::{OverallSentiment, Share, percentages};
    use crate::model::VoteCounts;

    #[test]
    fn a_share_has_the_wilson_interval() {
        let share = Share::new(88, 96).unwrap();
        assert_eq!((share.value, share.low, share.high), (0.917, 0.844, 0.957));
        assert_eq!(Share::new(0, 0), None);
    }

    #[test]
    fn percentages_of_any_counts_add_up_to_100() {
        assert_eq!(percentages([1, 1, 1]), [34, 33, 33]);
        assert_eq!(percentages([2, 3, 2]), [29, 43, 28]);
        assert_eq!(percentages([0; 3]), [0; 3]);
        for counts in [[1, 0, 0], [199, 1, 0], [7, 5, 3], [333, 333, 334]] {
            assert_eq!(percentages(counts).iter().sum::<u32>(), 100, "{counts:?}");
        }
    }

    #[test]
    fn mixed_and_uncertain_reviews_are_neutral_as_a_whole() {
        let votes = VoteCounts {
            positive: 6,
            negative: 2,
            neutral: 1,
            mixed: 1,
            uncertain: 2,
        };
        let overall = OverallSentiment::from(&votes);
        assert_eq!((overall.neutral_count, overall.score), (4, 0.333));
    }
}
