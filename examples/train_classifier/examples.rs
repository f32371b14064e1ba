//! The training examples: sentences as n-grams (runs of words) and figures of the lexicon, with their annotations.

use std::collections::BTreeMap;
use std::ops::Range;

use reviews_service::insights::classifier::{FEATURES, LABELS, NgramTokens, lexicon_features};
use reviews_service::insights::text::TokenizedText;

/// Minimum number of sentences with an n-gram.
const SENTENCES_MIN: usize = 2;
/// The figures of the lexicon are tenths.
const TENTHS: f32 = 10.0;

/// For each head, whether its label applies; `None` if this was not annotated.
pub type Targets = Vec<Option<bool>>;

/// What a model reads of a sentence.
#[derive(Clone, Copy)]
pub struct Features {
    /// Maximum number of words of an n-gram.
    pub words_max: usize,
    /// Whether negated n-grams are used too; they help to detect aspects, but not polarity.
    pub takes_negated: bool,
    /// Whether the figures of the lexicon are used; they help to detect polarity, but not aspects.
    pub takes_figures: bool,
    /// Whether a text has the mean of its n-grams times the square root of its length, rather than their sum.
    pub by_length: bool,
}

/// A sentence or a part of one.
pub struct Example {
    /// The numbers of its n-grams, each once.
    pub runs: Vec<usize>,
    /// The value of each of its n-grams.
    pub value: f32,
    pub figures: [f32; FEATURES],
    pub targets: Targets,
    pub weight: f32,
}

/// All examples, and the number of each n-gram by its key.
pub struct Examples {
    pub all: Vec<Example>,
    pub numbers: BTreeMap<u32, usize>,
    features: Features,
}

impl Examples {
    pub const fn new(features: Features) -> Self {
        Self {
            all: Vec::new(),
            numbers: BTreeMap::new(),
            features,
        }
    }

    /// Adds a whole text.
    pub fn add(&mut self, text: &str, targets: Targets, weight: f32) {
        let text = TokenizedText::new(text);
        self.add_part(&text, 0..text.tokens().len(), targets, weight);
    }

    /// Adds a range of a text's tokens.
    pub fn add_part(
        &mut self,
        text: &TokenizedText,
        tokens: Range<usize>,
        targets: Targets,
        weight: f32,
    ) {
        let features = self.features;
        let mut figures = [0.0; FEATURES];
        if features.takes_figures {
            figures = lexicon_features(text, tokens.clone()).map(|figure| figure as f32 / TENTHS);
        }
        let mut runs = Vec::new();
        let length = tokens.len() as f32;
        NgramTokens::read(text, tokens).ngrams(|key, run, is_negated| {
            if run.len() > features.words_max || (is_negated && !features.takes_negated) {
                return;
            }
            let next = self.numbers.len();
            runs.push(*self.numbers.entry(key).or_insert(next));
        });
        runs.sort_unstable();
        runs.dedup();
        let value = if features.by_length {
            1.0 / length.sqrt()
        } else {
            1.0
        };
        self.all.push(Example {
            runs,
            value,
            figures,
            targets,
            weight,
        });
    }

    /// Keeps only n-grams that occur in several sentences, because others do not generalise.
    pub fn keep_recurring(&mut self) {
        let mut sentences = vec![0_usize; self.numbers.len()];
        for example in &self.all {
            example.runs.iter().for_each(|run| sentences[*run] += 1);
        }
        let mut renumbered = vec![None; self.numbers.len()];
        self.numbers
            .retain(|_, run| sentences[*run] >= SENTENCES_MIN);
        for (number, run) in self.numbers.values_mut().enumerate() {
            renumbered[*run] = Some(number);
            *run = number;
        }
        for example in &mut self.all {
            let runs = example.runs.iter();
            example.runs = runs.filter_map(|run| renumbered[*run]).collect();
        }
    }
}

/// The targets if only this label applies.
pub fn one_of(label: usize) -> Targets {
    (0..LABELS.len()).map(|at| Some(at == label)).collect()
}
