//! What is learned from: sentences as the runs of words that stand in them, with what is said of
//! each.

use std::collections::BTreeMap;
use std::ops::Range;

use reviews_service::insights::classifier::LABELS;
use reviews_service::insights::classifier::ngrams::NgramTokens;
use reviews_service::insights::text::TokenizedText;

/// In how many sentences a run of words has to stand.
const SENTENCES_MIN: usize = 2;

/// For each head whether it is so; `None` where the annotators were not asked.
pub type Targets = Vec<Option<bool>>;

/// A sentence or a part of one.
pub struct Example {
    /// The numbers of its runs, each once.
    pub runs: Vec<usize>,
    pub targets: Targets,
    pub weight: f64,
}

/// All of them, and the number of each run by its key.
pub struct Examples {
    pub all: Vec<Example>,
    pub numbers: BTreeMap<u32, usize>,
    /// Whether runs that a negator turns round say something too: what is spoken of, and not how.
    takes_turned: bool,
    /// How many words a run has at most.
    words_max: usize,
}

impl Examples {
    /// None yet.
    pub const fn new(takes_turned: bool, words_max: usize) -> Self {
        Self {
            all: Vec::new(),
            numbers: BTreeMap::new(),
            takes_turned,
            words_max,
        }
    }

    /// Adds a text as a whole.
    pub fn add(&mut self, text: &str, targets: Targets, weight: f64) {
        let text = TokenizedText::new(text);
        self.add_part(&text, 0..text.tokens().len(), targets, weight);
    }

    /// Adds some tokens of a text.
    pub fn add_part(
        &mut self,
        text: &TokenizedText,
        tokens: Range<usize>,
        targets: Targets,
        weight: f64,
    ) {
        let mut found = Vec::new();
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
        });
    }

    /// Leaves the runs of words that stand in several sentences: what only one has says nothing of
    /// others. Returns in how many each stands.
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

/// The targets of the one label that is right.
pub fn one_of(label: usize) -> Targets {
    (0..LABELS.len()).map(|at| Some(at == label)).collect()
}
