//! Which aspects a text judges, and how: phrases and lexicon of the trade, negation, intensity,
//! contrast, and who is spoken of. Everything is integers in a fixed order, so the same text gives
//! the same findings everywhere; every point has its hit.

pub mod candidates;
mod combine;
pub mod decision;
pub mod document;
mod parsed_sentence;
mod score;
mod trie;
mod vocabulary;

use super::analysis::{Finding, Polarity};
use super::classifier::NgramClassifier;
use super::text::Text;
use super::trades::{Meaning, Trade};
use candidates::{Candidate, SentenceReading, candidates};
use decision::Decisions;
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
    decisions: Decisions,
    /// The classifier's number of each aspect that it knows.
    detected: Vec<Option<usize>>,
    trie: Trie,
    /// What the hits of each rule are called, and what each means.
    rules: Vec<String>,
    meanings: Vec<Meaning>,
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
        // Who brings weights has had them read before, and tests show that those of the program can be;
        // a trade without any is read by its rules and by the polarity of all trades.
        let classifier = match trade.classifier.as_deref() {
            Some(weights) => NgramClassifier::parse(weights),
            None => NgramClassifier::of_polarity(),
        };
        let classifier = classifier.unwrap_or_default();
        Self::with(trade, classifier, Decisions::built_in())
    }

    /// The same with another classifier, weighed otherwise.
    #[must_use]
    pub fn with(trade: &Trade, classifier: NgramClassifier, decisions: Decisions) -> Self {
        let vocabulary = Vocabulary::new(trade);
        Self {
            trie: Trie::new(trade, &vocabulary),
            vocabulary,
            detected: trade
                .aspects
                .iter()
                .map(|aspect| classifier.aspects().iter().position(|id| *id == aspect.id))
                .collect(),
            classifier,
            decisions,
            rules: trade.rules.iter().map(|rule| rule.id.clone()).collect(),
            meanings: trade.rules.iter().map(|rule| rule.meaning).collect(),
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

    /// The same, weighed by these decisions.
    #[must_use]
    pub fn decided_by(self, decisions: Decisions) -> Self {
        Self { decisions, ..self }
    }

    /// What it asks where the rules leave something open.
    #[must_use]
    pub const fn classifier(&self) -> &NgramClassifier {
        &self.classifier
    }

    /// Judges an English text.
    #[must_use]
    pub fn analyze(&self, text: &Text) -> TextFindings {
        let (findings, document) = self.read(text);
        TextFindings {
            findings,
            overall: document.label(),
        }
    }

    /// What a text as a whole is judged by.
    #[must_use]
    pub fn document(&self, text: &Text) -> DocumentPolarity {
        self.read(text).1
    }

    fn read(&self, text: &Text) -> (Vec<Finding>, DocumentPolarity) {
        let (mut read, candidates) = self.candidates(text);
        let mut document = DocumentPolarity::default();
        for sentence in &read {
            document.add_sentence(sentence);
        }
        let findings = combine::findings(self, text, &mut read, &candidates);
        for finding in &findings {
            document.add_finding(finding);
        }
        (findings, document)
    }

    /// Whether a finding about the whole has no phrase of its own, but opinions alone.
    fn is_stray(&self, finding: &Finding) -> bool {
        let overall = self.overall.map(|at| &self.aspects[at]);
        overall == Some(&finding.aspect)
            && !(finding.hits.iter()).any(|hit| hit.rule.starts_with("phrase:"))
    }

    /// What may be a finding, with the sentences that were read for it.
    #[must_use]
    pub fn candidates(&self, text: &Text) -> (Vec<SentenceReading<'_>>, Vec<Candidate>) {
        let longest = text.sentences().iter().map(ExactSizeIterator::len).max();
        let mut parsed = ParsedSentence::with_room_for(longest.unwrap_or_default());
        let mut read = Vec::with_capacity(text.sentences().len());
        for (sentence, range) in (0..).zip(text.sentences()) {
            parsed.fill(self, text, range.clone());
            read.push(SentenceReading::new(self, text, &parsed, sentence));
        }
        let candidates = candidates(self, text, &read);
        (read, candidates)
    }
}

#[cfg(test)]
mod tests;
