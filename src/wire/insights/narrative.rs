//! What is told in sentences: questions and answers, and the summary.

use std::collections::BTreeMap;

use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::opinion_stats::Overall;
use crate::business::Question;
use crate::insights::aggregate;

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

impl From<&Question> for Faq {
    fn from(question: &Question) -> Self {
        let Question {
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
        } = answered;
        Self {
            id,
            question,
            answer,
            basis: FaqBasis::Reviews,
            aspect,
            service,
            evidence: Some(review_ids),
        }
    }
}

/// The whole in a few sentences.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Object)]
pub struct Summary {
    /// The firm's own words; left out where it wrote none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub editorial: Option<String>,
    /// How the analysed texts speak as a whole.
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
    /// Its form: `overall`, `aspect_positive`, `aspect_negative`, `trend`, `technicians`, `services` or `topics`.
    pub template: String,
    /// What it rests on.
    pub evidence: Evidence,
}

/// What a sentence rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "SummaryEvidence")]
pub struct Evidence {
    /// Id of the aspect that the sentence is about; left out where it is about none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aspect: Option<String>,
    /// Technicians or services that it names: ids, or names where there is no id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entities: Option<Vec<String>>,
    /// Phrases that the sentence names; left out where it names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topics: Option<Vec<String>>,
    /// The numbers in it, by name, as they stand in the aggregates.
    pub figures: BTreeMap<String, u32>,
    /// Some of the reviews behind it.
    pub review_ids: Vec<String>,
}

impl From<aggregate::Sentence> for Sentence {
    fn from(sentence: aggregate::Sentence) -> Self {
        let aggregate::Sentence {
            text,
            template,
            evidence,
        } = sentence;
        let aggregate::Evidence {
            aspect,
            entities,
            topics,
            figures,
            review_ids,
        } = evidence;
        let some = |values: Vec<String>| (!values.is_empty()).then_some(values);
        let evidence = Evidence {
            aspect,
            entities: some(entities),
            topics: some(topics),
            figures,
            review_ids,
        };
        Self {
            text,
            template: template.to_owned(),
            evidence,
        }
    }
}
