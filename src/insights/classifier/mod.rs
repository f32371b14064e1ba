//! Which aspects a sentence sounds like, and how it sounds: two linear models over runs of words,
//! learned by `examples/train_classifier` from example sentences. The aspects' is of a trade, that
//! of polarity of all. They know what people say and not why, so `aspects` lets them decide only
//! what the rules leave open, and doubts what nobody in the examples would say.

pub mod features;
mod ngrams;

use std::ops::Range;

pub use ngrams::{NgramModel, UNIT, WeightsError, to_bytes};

use super::text::Text;
use crate::steps;
use features::{parts, runs};

/// How the labels of polarity are called in their weights, in their order.
pub const LABELS: [&str; 3] = ["negative", "neutral", "positive"];
/// The place of praise there.
const POSITIVE: usize = 2;

const POLARITY: &[u8] = include_bytes!("polarity.weights");

/// What a sum is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Head {
    /// The aspect of that place among [`NgramClassifier::aspects`].
    Aspect(usize),
    /// The label of that place among [`LABELS`].
    Label(usize),
}

/// The classifier; the default one knows nothing.
#[derive(Debug, Clone, Default)]
pub struct NgramClassifier {
    /// The heads of the aspects, then those of the labels.
    model: NgramModel,
    /// How many of its heads are aspects.
    aspects: usize,
    digests: [String; 2],
}

/// A part of a sentence, or the whole of it, and what it sounds like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its tokens, as a range of the text's.
    pub tokens: Range<usize>,
    /// For each aspect the bias and what its known runs of words add, in units of 1/[`UNIT`].
    pub aspects: Vec<i32>,
    /// The same for each label.
    pub labels: [i32; LABELS.len()],
}

impl Part {
    /// By how much praise leads, in units of 1/[`UNIT`]; below 0 blame does.
    #[must_use]
    pub const fn lead(&self) -> i32 {
        self.labels[POSITIVE] - self.labels[0]
    }
}

/// A known run of words, and what it adds.
#[derive(Debug, Clone)]
struct Known<'classifier> {
    tokens: Range<usize>,
    weights: &'classifier [i8],
}

/// A sentence as the classifier hears it.
#[derive(Debug, Clone)]
pub struct AspectScores<'classifier> {
    /// What its parts sound like; where there are several, the whole comes last.
    pub parts: Vec<Part>,
    /// In the order of the text.
    known: Vec<Known<'classifier>>,
    /// How many of their weights are for aspects.
    aspects: usize,
}

impl AspectScores<'_> {
    /// The run in `tokens` that adds most to `head`, and what it adds.
    #[must_use]
    pub fn strongest(&self, tokens: &Range<usize>, head: Head) -> Option<(Range<usize>, i32)> {
        let mut strongest: Option<(&Range<usize>, i8)> = None;
        let from = self
            .known
            .partition_point(|known| known.tokens.start < tokens.start);
        let inside = self.known[from..]
            .iter()
            .inspect(|_| steps::one())
            .take_while(|known| known.tokens.start < tokens.end);
        for known in inside.filter(|known| known.tokens.end <= tokens.end) {
            let (aspects, labels) = known.weights.split_at(self.aspects);
            let points = match head {
                Head::Aspect(aspect) => aspects.get(aspect),
                Head::Label(label) => labels.get(label),
            };
            let points = points.copied().unwrap_or_default();
            if points > strongest.map_or(0, |(_, most)| most) {
                strongest = Some((&known.tokens, points));
            }
        }
        strongest.map(|(run, points)| (run.clone(), points.into()))
    }
}

impl NgramClassifier {
    /// A classifier of these models of a trade's aspects and of polarity.
    #[must_use]
    pub fn new(aspects: &NgramModel, polarity: &NgramModel) -> Self {
        Self {
            model: aspects.joined(polarity),
            aspects: aspects.heads().len(),
            digests: [aspects, polarity].map(|model| model.digest().to_owned()),
        }
    }

    /// A classifier of these weights of a trade's aspects, with the polarity of all trades.
    ///
    /// # Errors
    /// When they are something else.
    pub fn parse(aspects: &[u8]) -> Result<Self, WeightsError> {
        let aspects = NgramModel::parse(aspects)?;
        Ok(Self::new(&aspects, &NgramModel::parse(POLARITY)?))
    }

    /// One that knows no aspect: what a trade without weights of its own is read with.
    ///
    /// # Errors
    /// None, as a test shows.
    pub fn of_polarity() -> Result<Self, WeightsError> {
        let polarity = NgramModel::parse(POLARITY)?;
        Ok(Self::new(&NgramModel::default(), &polarity))
    }

    /// The ids of the aspects that it knows.
    #[must_use]
    pub fn aspects(&self) -> &[String] {
        &self.model.heads()[..self.aspects]
    }

    /// What the sum of that aspect begins with.
    #[must_use]
    pub fn bias(&self, aspect: usize) -> i32 {
        let biases = &self.model.biases()[..self.aspects];
        biases.get(aspect).copied().unwrap_or_default()
    }

    /// SHA-256 of the weights of the aspects and of polarity, in hexadecimal.
    #[must_use]
    pub fn digests(&self) -> [&str; 2] {
        self.digests.each_ref().map(String::as_str)
    }

    /// What a sentence sounds like.
    #[must_use]
    pub fn classify(&self, text: &Text, sentence: Range<usize>) -> AspectScores<'_> {
        let parts = parts(text, sentence.clone()).into_iter();
        let mut scores: Vec<Part> = parts.map(|tokens| self.silent(tokens)).collect();
        // What begins in one part and ends in another belongs to the whole alone.
        let mut whole = (scores.len() != 1).then(|| self.silent(sentence.clone()));
        let mut known = Vec::with_capacity(sentence.len() * 2);
        let mut at = 0;
        runs(text, sentence, |key, tokens| {
            steps::one();
            let Some(weights) = self.model.row(key) else {
                return;
            };
            while scores
                .get(at)
                .is_some_and(|part| part.tokens.end <= tokens.start)
            {
                at += 1;
            }
            let part = scores.get_mut(at).filter(|part| {
                part.tokens.start <= tokens.start && tokens.end <= part.tokens.end
            });
            part.or(whole.as_mut())
                .into_iter()
                .for_each(|part| add(part, weights));
            known.push(Known { tokens, weights });
        });
        if let Some(mut whole) = whole {
            for part in &scores {
                let sums = whole.aspects.iter_mut().chain(&mut whole.labels);
                let its = part.aspects.iter().chain(&part.labels);
                sums.zip(its)
                    .zip(self.model.biases())
                    .for_each(|((sum, its), bias)| *sum += its - bias);
            }
            scores.push(whole);
        }
        AspectScores {
            parts: scores,
            known,
            aspects: self.aspects,
        }
    }

    /// A part as it sounds without a word.
    fn silent(&self, tokens: Range<usize>) -> Part {
        let (aspects, biases) = self.model.biases().split_at(self.aspects);
        let mut labels = [0; LABELS.len()];
        labels
            .iter_mut()
            .zip(biases)
            .for_each(|(label, bias)| *label = *bias);
        Part {
            tokens,
            aspects: aspects.to_vec(),
            labels,
        }
    }
}

fn add(part: &mut Part, weights: &[i8]) {
    let (aspects, labels) = weights.split_at(part.aspects.len());
    let adds = |sums: &mut [i32], row: &[i8]| {
        sums.iter_mut()
            .zip(row)
            .for_each(|(sum, weight)| *sum += i32::from(*weight));
    };
    adds(&mut part.aspects, aspects);
    adds(&mut part.labels, labels);
}

#[cfg(test)]
mod tests;
