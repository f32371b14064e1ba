//! The training examples: sentences as n-grams (runs of words), with their annotations.

use std::collections::BTreeMap;
use std::ops::Range;

use reviews_service::insights::classifier::LABELS;
use reviews_service::insights::classifier::ngrams::NgramTokens;
use reviews_service::insights::text::TokenizedText;

/// Minimum number of sentences with an n-gram.
const SENTENCES_MIN: usize = 2;

/// For each head, whether its label applies; `None` if this was not annotated.
pub type Targets = Vec<Option<bool>>;

/// A sentence or a part of one.
pub struct Example {
    /// The numbers of its n-grams, each once.
    pub runs: Vec<usize>,
    pub targets: Targets,
    pub weight: f64,
    /// The value of each of its n-grams.
    pub value: f64,
}

/// All examples, and the number of each n-gram by its key.
pub struct Examples {
    pub all: Vec<Example>,
    pub numbers: BTreeMap<u32, usize>,
    /// Whether negated n-grams are used too; they help to detect aspects, but not polarity.
    takes_turned: bool,
    /// Maximum number of words of an n-gram.
    words_max: usize,
    /// Whether a text has the mean of its n-grams times the square root of its length, rather than their sum.
    by_length: bool,
}

impl Examples {
    pub const fn new(takes_turned: bool, words_max: usize) -> Self {
        Self {
            all: Vec::new(),
            numbers: BTreeMap::new(),
            takes_turned,
            words_max,
            by_length: false,
        }
    }

    /// The same with values that depend on the length of a text.
    pub fn by_length(self) -> Self {
        Self {
            by_length: true,
            ..self
        }
    }

    /// Adds a whole text.
    pub fn add(&mut self, text: &str, targets: Targets, weight: f64) {
        let text = TokenizedText::new(text);
        self.add_part(&text, 0..text.tokens().len(), targets, weight);
    }

    /// Adds a range of a text's tokens.
    pub fn add_part(
        &mut self,
        text: &TokenizedText,
        tokens: Range<usize>,
        targets: Targets,
        weight: f64,
    ) {
        let mut found = Vec::new();
        let length = tokens.len() as f64;
        NgramTokens::read(text, tokens).runs(|key, run, is_turned| {
            if run.len() > self.words_max || (is_turned && !self.takes_turned) {
                return;
            }
            let next = self.numbers.len();
            found.push(*self.numbers.entry(key).or_insert(next));
        });
        found.sort_unstable();
        found.dedup();
        self.all.push(Example {
            runs: found,
            targets,
            weight,
            value: if self.by_length {
                1.0 / length.sqrt()
            } else {
                1.0
            },
        });
    }

    /// Keeps only n-grams that occur in several sentences, because others do not generalise. Returns the number of
    /// sentences of each.
    pub fn keep_recurring(&mut self) -> Vec<usize> {
        let mut sentences = vec![0_usize; self.numbers.len()];
        for example in &self.all {
            example.runs.iter().for_each(|run| sentences[*run] += 1);
        }
        let kept: BTreeMap<u32, usize> = self
            .numbers
            .iter()
            .filter(|(_, run)| sentences[**run] >= SENTENCES_MIN)
            .map(|(key, _)| *key)
            .zip(0..)
            .collect();
        let mut renumbered = vec![None; self.numbers.len()];
        let mut counts = vec![0; kept.len()];
        for (key, number) in &kept {
            renumbered[self.numbers[key]] = Some(*number);
            counts[*number] = sentences[self.numbers[key]];
        }
        for example in &mut self.all {
            example.runs = example
                .runs
                .iter()
                .filter_map(|run| renumbered[*run])
                .collect();
        }
        self.numbers = kept;
        counts
    }
}

/// The targets if only this label applies.
pub fn one_of(label: usize) -> Targets {
    (0..LABELS.len()).map(|at| Some(at == label)).collect()
}
