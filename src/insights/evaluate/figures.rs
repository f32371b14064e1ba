//! The figures of an evaluation. Counts are integers; shares are made of them only to be shown.

use std::collections::BTreeMap;

use crate::insights::aggregate::figures::interval;
use crate::insights::analysis::{Hit, Polarity};

/// The labels that annotators give, in the order of the confusion matrix.
const GIVEN: [Polarity; 3] = [Polarity::Positive, Polarity::Negative, Polarity::Neutral];

/// A share of a count, with its interval of 95 % after Wilson.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Proportion {
    /// The numerator: how many of `whole`.
    pub part: usize,
    /// The denominator; may be 0.
    pub whole: usize,
}

impl Proportion {
    /// The share itself; 0 of nothing.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of sentences are far below 2^52"
    )]
    pub fn value(self) -> f64 {
        if self.whole == 0 {
            0.0
        } else {
            self.part as f64 / self.whole as f64
        }
    }

    /// The interval's lower and upper end; 0 and 1 of nothing.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of sentences are far below 2^52"
    )]
    pub fn interval(self) -> [f64; 2] {
        if self.whole == 0 {
            return [0.0, 1.0];
        }
        interval(self.value(), self.whole as f64)
    }
}

/// How often an aspect was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AgreementCounts {
    /// By the reader and the annotator.
    pub both: usize,
    /// By the reader alone.
    pub analyzer: usize,
    /// By the annotator alone.
    pub annotator: usize,
}

impl AgreementCounts {
    /// Counts one thing that the annotator, the reader, both or neither said.
    pub(super) const fn add(&mut self, is_expected: bool, is_found: bool) {
        match (is_expected, is_found) {
            (true, true) => self.both += 1,
            (true, false) => self.annotator += 1,
            (false, true) => self.analyzer += 1,
            (false, false) => {}
        }
    }

    /// Of what the reader found, what the annotator did.
    #[must_use]
    pub const fn precision(self) -> Proportion {
        Proportion {
            part: self.both,
            whole: self.both + self.analyzer,
        }
    }

    /// Of what the annotator found, what the reader did.
    #[must_use]
    pub const fn recall(self) -> Proportion {
        Proportion {
            part: self.both,
            whole: self.both + self.annotator,
        }
    }

    /// The harmonic mean of both, as a share: twice the agreements of all that either found.
    #[must_use]
    pub const fn f1(self) -> Proportion {
        Proportion {
            part: 2 * self.both,
            whole: 2 * self.both + self.analyzer + self.annotator,
        }
    }
}

/// A pair on which reader and annotator differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Miss {
    /// The annotated text that was read.
    pub text: String,
    /// The id of the aspect on which they differ.
    pub aspect: String,
    /// What the annotator says, if it is there for him.
    pub expected: Option<Polarity>,
    /// What the reader says, if it is there for it.
    pub got: Option<Polarity>,
    /// The reader's hits for the aspect; empty where it did not find it.
    pub hits: Vec<Hit>,
}

/// All figures of an evaluation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EvaluationFigures {
    /// Rows of the file.
    pub n: usize,
    /// Distinct texts; each has a row for every aspect that it judges.
    pub texts: usize,
    /// Pairs of text and aspect, all aspects together.
    pub pairs: AgreementCounts,
    /// The same by aspect.
    pub aspects: BTreeMap<String, AgreementCounts>,
    /// Found pairs by the annotator's label and the reader's.
    pub confusion: BTreeMap<(Polarity, Polarity), usize>,
    /// Where they differ, by text, then by aspect.
    pub misses: Vec<Miss>,
}

impl EvaluationFigures {
    /// Counts one pair; `None` is a side that did not find the aspect in the text.
    pub(super) fn count(
        &mut self,
        text: &str,
        aspect: &str,
        expected: Option<Polarity>,
        got: Option<(Polarity, &Vec<Hit>)>,
    ) {
        let of_aspect = self.aspects.entry(aspect.to_owned()).or_default();
        for counts in [&mut self.pairs, of_aspect] {
            match (expected, got) {
                (Some(_), Some(_)) => counts.both += 1,
                (Some(_), None) => counts.annotator += 1,
                (None, _) => counts.analyzer += 1,
            }
        }
        if let (Some(expected), Some((got, _))) = (expected, got) {
            *self.confusion.entry((expected, got)).or_default() += 1;
        }
        if expected != got.map(|(got, _)| got) {
            let (got, hits) =
                got.map_or((None, Vec::new()), |(got, hits)| (Some(got), hits.clone()));
            self.misses.push(Miss {
                text: text.to_owned(),
                aspect: aspect.to_owned(),
                expected,
                got,
                hits,
            });
        }
    }

    fn labels(&self, is_meant: impl Fn(Polarity, Polarity) -> bool) -> usize {
        self.confusion
            .iter()
            .filter(|((expected, got), _)| is_meant(*expected, *got))
            .map(|(_, count)| count)
            .sum()
    }

    /// Of the found pairs, those with the right label; uncertain is wrong.
    #[must_use]
    pub fn polarity_accuracy(&self) -> Proportion {
        Proportion {
            part: self.labels(|expected, got| expected == got),
            whole: self.pairs.both,
        }
    }

    /// Of the found pairs, those with a label that is not uncertain.
    #[must_use]
    pub fn coverage(&self) -> Proportion {
        Proportion {
            part: self.labels(|_, got| got != Polarity::Uncertain),
            whole: self.pairs.both,
        }
    }

    /// Of the found pairs with a label that is not uncertain, those where it is right.
    #[must_use]
    pub fn published_accuracy(&self) -> Proportion {
        Proportion {
            part: self.polarity_accuracy().part,
            whole: self.coverage().part,
        }
    }

    /// The mean of the labels' F1, over the labels that annotators gave.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "there are three labels")]
    pub fn macro_f1(&self) -> f64 {
        let scores: Vec<f64> = GIVEN
            .into_iter()
            .filter(|label| self.labels(|expected, _| expected == *label) > 0)
            .map(|label| {
                let both = self.labels(|expected, got| expected == label && got == label);
                let either = self.labels(|expected, _| expected == label)
                    + self.labels(|_, got| got == label);
                Proportion {
                    part: 2 * both,
                    whole: either,
                }
                .value()
            })
            .collect();
        scores.iter().sum::<f64>() / scores.len().max(1) as f64
    }
}
