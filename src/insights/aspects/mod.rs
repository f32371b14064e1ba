//! Which aspects a text judges, and how: phrases and lexicon of the trade, negation, intensity,
//! contrast, and who is spoken of. Everything is integers in a fixed order, so the same text gives
//! the same findings everywhere; every point has its hit.

mod combine;
mod document;
mod parsed_sentence;
mod score;
mod trie;
mod vocabulary;

use std::ops::Range;

use super::analysis::{Finding, Polarity};
use super::classifier::{self, NgramClassifier};
use super::model::Model;
use super::text::Text;
use super::trades::{Meaning, Trade};
use document::DocumentPolarity;
use parsed_sentence::ParsedSentence;
pub use score::label;
use trie::Trie;
use vocabulary::{Unit, Vocabulary};

/// The polarity model counts in thousandths.
const THOUSAND: i32 = 1_000;
/// The number of a word, list or class.
type Symbol = u32;

/// Points from which on a score is a label; below, what speaks for it is too weak.
pub const MARGIN: i32 = 2;

/// What a text judges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFindings {
    /// By sentence, then by place, then by aspect: each aspect once per sentence.
    pub findings: Vec<Finding>,
    /// How the text as a whole speaks, and the score behind that.
    pub overall: (Polarity, i32),
}

/// A trade's language, ready to read with.
#[derive(Debug, Clone)]
pub struct RuleEngine {
    vocabulary: Vocabulary,
    classifier: NgramClassifier,
    /// Whether the trade has weights of its own; where not, the polarity model says how a sentence sounds.
    has_classifier: bool,
    model: Option<Model>,
    /// The classifier's number of each aspect that it knows.
    detected: Vec<Option<usize>>,
    trie: Trie,
    rules: Vec<(String, Meaning)>,
    aspects: Vec<String>,
    overall: Option<usize>,
    /// Whether an opinion about nothing in particular is one about the whole; where not, it counts for how a
    /// text speaks and for no aspect.
    has_strays: bool,
    /// Aspects whose plain facts (`he said`) are not worth telling beside a judgement.
    quiet: Vec<usize>,
    /// Aspects whose plain facts (`they put in a pump`) stay facts among complaints.
    facts: Vec<usize>,
}

impl RuleEngine {
    /// Compiles a trade's patterns: about a tenth of a second for the built-in one.
    #[must_use]
    pub fn new(trade: &Trade) -> Self {
        let vocabulary = Vocabulary::new(trade);
        Self {
            trie: Trie::new(trade, &vocabulary),
            vocabulary,
            // Who brings weights has had them read before; a trade without any goes by its rules alone.
            classifier: (trade.classifier.as_deref())
                .and_then(|weights| NgramClassifier::parse(weights).ok())
                .unwrap_or_default(),
            has_classifier: trade.classifier.is_some(),
            model: Model::built_in().ok(),
            detected: trade
                .aspects
                .iter()
                .map(|aspect| classifier::ASPECTS.iter().position(|id| *id == aspect.id))
                .collect(),
            rules: trade
                .rules
                .iter()
                .map(|rule| (rule.id.clone(), rule.meaning))
                .collect(),
            aspects: trade
                .aspects
                .iter()
                .map(|aspect| aspect.id.clone())
                .collect(),
            overall: trade.overall,
            has_strays: trade.has_strays,
            quiet: trade.quiet.clone(),
            facts: trade.facts.clone(),
        }
    }

    /// What it asks where the rules leave something open.
    #[must_use]
    pub const fn classifier(&self) -> &NgramClassifier {
        &self.classifier
    }

    /// What it asks where nothing else tells.
    #[must_use]
    pub const fn model(&self) -> Option<&Model> {
        self.model.as_ref()
    }

    /// Whether a finding about the whole has no phrase of its own, but opinions alone.
    fn is_stray(&self, finding: &Finding) -> bool {
        let overall = self.overall.map(|at| &self.aspects[at]);
        overall == Some(&finding.aspect)
            && !(finding.hits.iter()).any(|hit| hit.rule.starts_with("phrase:"))
    }

    /// By how much praise leads in a sentence as the polarity model hears it, in the classifier's units.
    fn lead_by_model(&self, text: &Text, sentence: Range<usize>) -> i32 {
        let scores = self.model.as_ref();
        scores.map_or(0, |model| {
            let scores = model.score(text, sentence, 0..0);
            (scores.positive - scores.negative) * classifier::UNIT / THOUSAND
        })
    }

    /// Judges an English text.
    #[must_use]
    pub fn analyze(&self, text: &Text) -> TextFindings {
        let mut parsed = ParsedSentence::default();
        let mut findings = Vec::new();
        let mut total = DocumentPolarity::default();
        for (sentence, range) in (0..).zip(text.sentences()) {
            parsed.fill(self, text, range.clone());
            let first = findings.len();
            score::sentence(self, text, &parsed, sentence, &mut findings);
            if let Some(lead) = combine::revise(self, text, &parsed, sentence, first, &mut findings)
            {
                let lead = if self.has_classifier {
                    lead
                } else {
                    self.lead_by_model(text, range.clone())
                };
                total.add(lead, &findings[first..]);
            }
            if !self.has_strays {
                let mut at = 0;
                findings.retain(|finding| {
                    at += 1;
                    at <= first || !self.is_stray(finding)
                });
            }
        }
        TextFindings {
            findings,
            overall: total.label(),
        }
    }
}

#[cfg(test)]
mod tests;
