//! What the reviews say, counted.

use chrono::NaiveDate;
use poem_openapi::Object;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What the reviews say. Every part is always there; what is not derived is empty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Object)]
pub struct Insights {
    /// What customers judge, with their sentiment.
    pub aspects: Vec<Value>,
    /// Whom and what they name.
    pub entities: Entities,
    /// Phrases that stand out.
    pub topics: Vec<Value>,
    /// Questions and answers.
    pub faq: Vec<Faq>,
    /// The whole in a few sentences.
    pub summary: Summary,
    /// Which reviews this was made of.
    pub generated_from: GeneratedFrom,
    /// How it was made.
    pub method: Method,
}

/// Whom and what reviews name, in the firm's own order; then names that are not in its lists, sorted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct Entities {
    /// People.
    pub technicians: Vec<Entity>,
    /// Services.
    pub services: Vec<Entity>,
    /// Places.
    pub service_areas: Vec<Entity>,
}

/// Somebody or something that reviews name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct Entity {
    /// The firm's id; left out where it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The name.
    pub name: String,
    /// How many published reviews mention it.
    pub reviews: u64,
}

/// One question with its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct Faq {
    /// Unique and stable.
    pub id: String,
    /// The question.
    pub question: String,
    /// The answer.
    pub answer: String,
    /// `editorial`: the firm wrote it.
    pub basis: String,
}

/// The whole in a few sentences.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct Summary {
    /// The firm's own words; left out where it wrote none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub editorial: Option<String>,
    /// Sentences derived from the reviews.
    pub sentences: Vec<Value>,
}

/// Which reviews the insights were made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct GeneratedFrom {
    /// How many published reviews there are.
    pub reviews: u64,
    /// How many of them say something.
    pub with_text: u64,
    /// How many texts were analysed.
    pub analysed: u64,
    /// From when to when they are; left out where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
}

/// From the oldest review's day to the newest one's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct Window {
    /// The first day.
    pub from: NaiveDate,
    /// The last day.
    pub to: NaiveDate,
}

/// How the insights were made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct Method {
    /// What was done, for example `recorded_mentions`.
    pub name: String,
    /// What that means.
    pub description: String,
}
