//! Statistics of opinions about an aspect or a named person or thing: shares, trends, quotes.

use chrono::NaiveDate;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use crate::insights::{self, aggregate};

/// A share of reviews, each counted once, with its Wilson interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Object)]
pub struct Share {
    /// The share, from 0 to 1, three decimals.
    pub value: f64,
    /// Lower and upper end of the 95 % interval.
    #[oai(validator(min_items = 2, max_items = 2))]
    pub ci95: Vec<f64>,
    /// Number of reviews that judge: all except the neutral and the uncertain ones.
    pub n: u32,
}

impl From<aggregate::WilsonShare> for Share {
    fn from(share: aggregate::WilsonShare) -> Self {
        let aggregate::WilsonShare { value, ci95, n } = share;
        Self {
            value,
            ci95: ci95.into(),
            n,
        }
    }
}

/// How much a figure can be relied on, by how many reviews judge: `low` fewer than 10, `standard` 10 to 50, `high` more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Enum)]
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

impl From<aggregate::SampleConfidence> for Confidence {
    fn from(confidence: aggregate::SampleConfidence) -> Self {
        match confidence {
            aggregate::SampleConfidence::Low => Self::Low,
            aggregate::SampleConfidence::Standard => Self::Standard,
            aggregate::SampleConfidence::High => Self::High,
        }
    }
}

/// Sentiment: `mixed` is both positive and negative, `neutral` a plain fact, `uncertain` too close to call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[serde(rename_all = "snake_case")]
#[oai(rename_all = "snake_case")]
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

impl From<aggregate::Vote> for Polarity {
    fn from(vote: aggregate::Vote) -> Self {
        match vote {
            aggregate::Vote::Positive => Self::Positive,
            aggregate::Vote::Negative => Self::Negative,
            aggregate::Vote::Neutral => Self::Neutral,
            aggregate::Vote::Mixed => Self::Mixed,
            aggregate::Vote::Uncertain => Self::Uncertain,
        }
    }
}

impl From<insights::Polarity> for Polarity {
    fn from(polarity: insights::Polarity) -> Self {
        match polarity {
            insights::Polarity::Positive => Self::Positive,
            insights::Polarity::Negative => Self::Negative,
            insights::Polarity::Neutral => Self::Neutral,
            insights::Polarity::Uncertain => Self::Uncertain,
        }
    }
}

impl From<Polarity> for aggregate::Vote {
    fn from(polarity: Polarity) -> Self {
        match polarity {
            Polarity::Positive => Self::Positive,
            Polarity::Negative => Self::Negative,
            Polarity::Neutral => Self::Neutral,
            Polarity::Mixed => Self::Mixed,
            Polarity::Uncertain => Self::Uncertain,
        }
    }
}

/// Votes that are uncertain from the text and lean the same way as the review's stars, which confirm them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Object)]
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
    #[must_use]
    pub const fn in_short(self) -> Option<u32> {
        match self.positive + self.negative {
            0 => None,
            some => Some(some),
        }
    }
}

/// Overall sentiment of the texts: reviews by the text's own balance, never by their stars.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Object)]
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
        let aggregate::VoteCounts {
            positive,
            negative,
            neutral,
            mixed: _,
            uncertain,
            confirmed: _,
        } = *votes;
        let positive_share = aggregate::WilsonShare::new(positive, votes.judged()).map(Share::from);
        Self {
            positive,
            negative,
            neutral,
            uncertain,
            positive_share,
        }
    }
}

/// Development over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Object)]
pub struct Trend {
    /// Months with reviews, oldest first: of aspects those of the last two years, of entities those of the last one.
    pub months: Vec<Monthly>,
    /// Direction of the share of positive reviews.
    pub direction: Direction,
    /// The comparison; left out if either side has fewer than 10 judging reviews.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
}

/// `up` or `down` if the last half year differs from the one before beyond chance, otherwise `flat`; `unknown` if there are too
/// few reviews.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[serde(rename_all = "snake_case")]
#[oai(rename_all = "snake_case")]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Object)]
#[oai(rename = "TrendBasis")]
pub struct Basis {
    /// The test: `fisher_exact_holm_95`, Fisher's exact test at 95 % with Holm's correction over all comparisons.
    pub test: String,
    /// The two-sided p-value before the correction, four decimals.
    pub p_value: f64,
    /// How many comparisons the insights hold.
    pub comparisons: u32,
    /// The last six months, up to that of the newest review.
    pub recent: Period,
    /// The six months before.
    pub previous: Period,
}

/// Six calendar months, and how reviews judge in them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "TrendPeriod")]
pub struct Period {
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
        let aggregate::ShareTrend {
            months,
            direction,
            compared,
        } = trend;
        let month = |count: aggregate::MonthCount| {
            let aggregate::MonthCount {
                year,
                month,
                reviews,
                positive,
                negative,
                confirmed,
            } = count;
            Monthly {
                month: year_and_month((year, month)),
                reviews,
                positive,
                negative,
                confirmed: (confirmed != [0, 0]).then(|| confirmed.into()),
            }
        };
        let direction = match direction {
            aggregate::TrendDirection::Up => Direction::Up,
            aggregate::TrendDirection::Down => Direction::Down,
            aggregate::TrendDirection::Flat => Direction::Flat,
            aggregate::TrendDirection::Unknown => Direction::Unknown,
        };
        let basis = compared.map(Basis::from);
        Self {
            months: months.into_iter().map(month).collect(),
            direction,
            basis,
        }
    }
}

impl From<aggregate::Compared> for Basis {
    fn from(compared: aggregate::Compared) -> Self {
        let aggregate::Compared {
            recent,
            previous,
            p_value,
            comparisons,
        } = compared;
        Self {
            test: "fisher_exact_holm_95".to_owned(),
            p_value: (p_value * 1e4).round() / 1e4,
            comparisons,
            recent: recent.into(),
            previous: previous.into(),
        }
    }
}

impl From<aggregate::HalfYear> for Period {
    fn from(period: aggregate::HalfYear) -> Self {
        let aggregate::HalfYear {
            from,
            to,
            positive,
            judged,
            confirmed,
        } = period;
        Self {
            from: year_and_month(from),
            to: year_and_month(to),
            positive,
            judged,
            confirmed: confirmed.into(),
        }
    }
}

fn year_and_month((year, month): (i32, i32)) -> String {
    format!("{year:04}-{month:02}")
}

/// Words of a customer, cut out of a review's `text`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

impl From<aggregate::CustomerQuote> for Quote {
    fn from(quote: aggregate::CustomerQuote) -> Self {
        let aggregate::CustomerQuote {
            review_id,
            sentence,
            span,
            text,
            polarity,
            date,
            stars,
            language,
        } = quote;
        Self {
            review_id,
            sentence,
            start: span.start,
            end: span.end,
            text,
            polarity: polarity.into(),
            date,
            stars,
            language: language.map(|code| code.as_str().to_owned()),
        }
    }
}
