//! The figures of an evaluation. Counts are integers; shares are computed only for output.

use std::collections::BTreeMap;

use crate::insights::aggregate::figures::interval;
use crate::insights::analysis::{Hit, Polarity};

/// The annotators' labels, in the order of the confusion matrix.
const GIVEN: [Polarity; 3] = [Polarity::Positive, Polarity::Negative, Polarity::Neutral];

/// A proportion with its 95 % Wilson interval.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Proportion {
    /// The numerator.
    pub part: usize,
    /// The denominator; may be 0.
    pub whole: usize,
}

impl Proportion {
    /// 0 if `whole` is 0.
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

    /// The interval's lower and upper end; 0 and 1 if `whole` is 0.
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

/// Agreement of the analyzer and the annotators about the aspects in texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AgreementCounts {
    /// Found by the analyzer and the annotator.
    pub both: usize,
    /// Found only by the analyzer.
    pub analyzer: usize,
    /// Found only by the annotator.
    pub annotator: usize,
}

impl AgreementCounts {
    pub(super) const fn add(&mut self, is_expected: bool, is_found: bool) {
        match (is_expected, is_found) {
            (true, true) => self.both += 1,
            (true, false) => self.annotator += 1,
            (false, true) => self.analyzer += 1,
            (false, false) => {}
        }
    }

    /// Share of the analyzer's findings that the annotator also made.
    #[must_use]
    pub const fn precision(self) -> Proportion {
        Proportion {
            part: self.both,
            whole: self.both + self.analyzer,
        }
    }

    /// Share of the annotator's findings that the analyzer also made.
    #[must_use]
    pub const fn recall(self) -> Proportion {
        Proportion {
            part: self.both,
            whole: self.both + self.annotator,
        }
    }

    /// The harmonic mean of precision and recall as a share: twice the common findings, divided by all findings of
    /// both.
    #[must_use]
    pub const fn f1(self) -> Proportion {
        Proportion {
            part: 2 * self.both,
            whole: 2 * self.both + self.analyzer + self.annotator,
        }
    }
}

/// A text and aspect for which the labels of analyzer and annotator differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Miss {
    pub text: String,
    /// Id of the aspect.
    pub aspect: String,
    /// The annotator's label; `None` if not found.
    pub expected: Option<Polarity>,
    /// The analyzer's label; `None` if not found.
    pub got: Option<Polarity>,
    /// The analyzer's hits for the aspect; empty if not found.
    pub hits: Vec<Hit>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EvaluationFigures {
    /// Rows of the file.
    pub n: usize,
    /// Number of distinct texts; each has a row for every aspect that it judges.
    pub texts: usize,
    /// Pairs of text and aspect, for all aspects together.
    pub pairs: AgreementCounts,
    /// Pairs of text and aspect, by aspect.
    pub aspects: BTreeMap<String, AgreementCounts>,
    /// Pairs found by both: their number by the annotator's label and the analyzer's label.
    pub confusion: BTreeMap<(Polarity, Polarity), usize>,
    /// Differing pairs, by text, then by aspect.
    pub misses: Vec<Miss>,
}

impl EvaluationFigures {
    /// Counts one pair; `None` means that the aspect was not found in the text.
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

    /// Share of the pairs found by both whose label is right; an uncertain label counts as wrong.
    #[must_use]
    pub fn polarity_accuracy(&self) -> Proportion {
        Proportion {
            part: self.labels(|expected, got| expected == got),
            whole: self.pairs.both,
        }
    }

    /// Share of the pairs found by both whose label is not uncertain.
    #[must_use]
    pub fn coverage(&self) -> Proportion {
        Proportion {
            part: self.labels(|_, got| got != Polarity::Uncertain),
            whole: self.pairs.both,
        }
    }

    /// Share of right labels among the pairs found by both whose label is not uncertain.
    #[must_use]
    pub fn published_accuracy(&self) -> Proportion {
        Proportion {
            part: self.polarity_accuracy().part,
            whole: self.coverage().part,
        }
    }

    /// The mean F1 of the labels that annotators gave.
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
