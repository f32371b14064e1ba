//! Which aspects a text judges, and how: phrases and lexicon of the trade, negation, intensity,
//! contrast, and who is spoken of. Everything is integers in a fixed order, so the same text gives
//! the same findings everywhere; every point has its hit.

mod combine;
mod document;
mod parsed_sentence;
mod score;
mod trie;
mod vocabulary;

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
    model: Option<Model>,
    /// The classifier's number of each aspect that it knows.
    detected: Vec<Option<usize>>,
    trie: Trie,
    rules: Vec<(String, Meaning)>,
    aspects: Vec<String>,
    overall: Option<usize>,
    /// Aspects whose plain facts (`he said`) are not worth telling beside a judgement.
    quiet: Vec<usize>,
    /// Aspects whose plain facts (`they put in a pump`) stay facts among complaints.
    plain: Vec<usize>,
}

impl RuleEngine {
    /// Compiles a trade's patterns: about a tenth of a second for the built-in one.
    #[must_use]
    pub fn new(trade: &Trade) -> Self {
        let vocabulary = Vocabulary::new(trade);
        Self {
            trie: Trie::new(trade, &vocabulary),
            vocabulary,
            // Tests show that the built-in weights can be read.
            classifier: NgramClassifier::built_in().unwrap_or_default(),
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
            overall: trade.aspect("overall"),
            quiet: ["communication", "overall", "professionalism"]
                .iter()
                .filter_map(|id| trade.aspect(id))
                .collect(),
            plain: ["workmanship", "honesty"]
                .iter()
                .filter_map(|id| trade.aspect(id))
                .collect(),
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
                total.add(lead, &findings[first..]);
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
