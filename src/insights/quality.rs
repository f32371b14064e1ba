//! The published quality of the analysis: figures measured on annotated sentences (`docs/ANNOTATION.md`). A test
//! repeats the measurement, so that the figures are up to date.

use super::evaluate::Proportion;
use super::trades::{Measured, Trade};

/// One measure of one task on one set of annotated sentences.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// For example `aspect`.
    pub task: String,
    /// Name of the set, for example `ordinary_held_out`.
    pub set: String,
    /// For example `f1` or `accuracy`.
    pub measure: String,
    /// Number of rows in the set.
    pub n: usize,
    /// The measured value, as a share.
    pub share: Proportion,
}

/// The figures of a trade in all its languages; empty if nothing was measured.
#[must_use]
pub fn of_trade(trade: &Trade) -> Vec<Figure> {
    let languages = trade.languages.iter().flat_map(|one| &one.quality);
    trade.quality.iter().chain(languages).map(figure).collect()
}

fn figure(measured: &Measured) -> Figure {
    let Measured {
        task,
        set,
        measure,
        n,
        part,
        whole,
    } = measured;
    Figure {
        task: task.clone(),
        set: set.clone(),
        measure: measure.clone(),
        n: *n,
        share: Proportion {
            part: *part,
            whole: *whole,
        },
    }
}
