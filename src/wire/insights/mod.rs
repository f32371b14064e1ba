//! The insights: what reviews mention, with counts.

mod evidence;
mod opinion_stats;
mod parts;
mod stage;

use chrono::NaiveDate;
use poem_openapi::Object;
use serde::{Deserialize, Serialize};

use crate::insights::evaluate::Proportion;
use crate::insights::trades::Measured;
use crate::insights::{MentionKind, aggregate};
use crate::links::Links;
use crate::model::business::Editorial;
pub use evidence::{AspectEvidence, EvidenceFinding, EvidenceReview};
pub use opinion_stats::{ConfirmedVotes, Direction, Monthly, Polarity, Quote, Share, Trend};
pub use parts::{Aspect, Entity, Evidence, Sentence};
use parts::{Entities, Faq, Summary, Topic};
pub use stage::{EntityRow, FaqRow, InsightsAnswer, InsightsStage, TopicRow};

/// The only measure that is not a share.
const F1: &str = "f1";

/// What the reviews say. Every part is always present, and empty if there is nothing to report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Object)]
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
    pub method: Method,
}

/// Which reviews the insights were made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct Excluded {
    /// `not_read_yet`: in the next snapshot; `no_text`: only stars; `no_words`: a text without words; `not_english`: in a
    /// language that is not read.
    pub reason: String,
    /// How many reviews were left out for this reason.
    pub n: u32,
}

/// From the oldest review's day to the newest one's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct Window {
    /// Day of the oldest review, `YYYY-MM-DD`.
    pub from: NaiveDate,
    /// Day of the newest review, `YYYY-MM-DD`.
    pub to: NaiveDate,
}

/// How the insights were made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Object)]
pub struct Method {
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct ConfirmedFindings {
    /// How many there are.
    pub findings: u32,
    /// In how many reviews.
    pub reviews: u32,
}

/// Judgements that the review's stars contradict, and that only one source made, or neither surely. They count as `uncertain`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct Withdrawn {
    /// How many there are.
    pub findings: u32,
    /// In how many reviews.
    pub reviews: u32,
}

/// SHA-256 of the weights that were learned from annotated sentences, in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct Weights {
    /// Weights that detect aspects; left out if the trade has none and uses only rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detector: Option<String>,
    /// Weights of polarity, which all trades share.
    pub polarity: String,
}

/// A figure measured on annotated sentences.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Object)]
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
        let thousandths = |share: f64| (share * 1e3).round() / 1e3;
        // An F1 score counts agreement twice, so its numerator and denominator are not a sample.
        let is_share = measured.measure != F1;
        let ci95 = is_share.then(|| share.interval().map(thousandths).to_vec());
        Self {
            task: measured.task.clone(),
            set: measured.set.clone(),
            n: u32::try_from(measured.n).unwrap_or(u32::MAX),
            measure: measured.measure.clone(),
            value: thousandths(share.value()),
            ci95,
        }
    }
}

impl Insights {
    /// `editorial` has the owner's own texts.
    #[must_use]
    pub fn new(
        insights: &aggregate::AggregatedInsights,
        editorial: &Editorial,
        method: Method,
        links: &Links,
    ) -> Self {
        let spoken_of = insights
            .aspects
            .iter()
            .filter(|aspect| aspect.said.votes.reviews() > 0);
        let of = |kind: MentionKind| {
            let named = insights
                .entities
                .iter()
                .filter(move |entity| entity.kind == kind);
            named.map(|entity| Entity::new(entity, insights)).collect()
        };
        Self {
            aspects: spoken_of
                .map(|aspect| Aspect::new(aspect, insights, links))
                .collect(),
            entities: Entities {
                technicians: of(MentionKind::Technician),
                services: of(MentionKind::Service),
                service_areas: of(MentionKind::ServiceArea),
            },
            topics: insights
                .topics
                .iter()
                .map(|topic| Topic::new(topic, insights))
                .collect(),
            faq: editorial
                .faq
                .iter()
                .map(Faq::from)
                .chain(insights.faq.iter().cloned().map(Faq::from))
                .collect(),
            summary: Summary {
                editorial: editorial.summary.clone(),
                overall: (&insights.corpus.overall).into(),
                sentences: insights
                    .summary
                    .iter()
                    .cloned()
                    .map(Sentence::from)
                    .collect(),
            },
            generated_from: (&insights.corpus).into(),
            method,
        }
    }
}

impl From<&aggregate::Corpus> for GeneratedFrom {
    fn from(corpus: &aggregate::Corpus) -> Self {
        let aggregate::Corpus {
            reviews,
            unanalyzed,
            with_text,
            analysed,
            foreign,
            overall: _,
            withdrawn: _,
            confirmed: _,
            discontent: _,
            window,
        } = *corpus;
        let excluded = [
            ("not_read_yet", unanalyzed),
            ("no_text", reviews - unanalyzed - with_text),
            ("no_words", with_text - analysed - foreign),
            ("not_english", foreign),
        ];
        let excluded = excluded.into_iter().filter(|(_, n)| *n > 0);
        let window = window.and_then(|(from, to)| {
            let day = NaiveDate::from_num_days_from_ce_opt;
            Some(Window {
                from: day(from)?,
                to: day(to)?,
            })
        });
        Self {
            reviews,
            with_text,
            analysed,
            excluded: excluded
                .map(|(reason, n)| Excluded {
                    reason: reason.to_owned(),
                    n,
                })
                .collect(),
            window,
        }
    }
}
