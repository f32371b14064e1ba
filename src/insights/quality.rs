//! How well the texts are read: figures measured on annotated sentences (`docs/ANNOTATION.md`),
//! which stand beside what they are about. A test measures them anew, so that none is out of date.

use super::evaluate::Proportion;
use super::trades::{Measured, Trade};

/// One measure of one task on one set of annotated sentences.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// What was to be told, for example `aspect`.
    pub task: String,
    /// Of which sentences, for example `ordinary_held_out`.
    pub set: String,
    /// The measure, for example `f1` or `accuracy`.
    pub measure: String,
    /// How many rows the set has.
    pub n: usize,
    /// The measured value, as a share.
    pub share: Proportion,
}

/// The figures of a trade in all its languages; none where nothing was measured of it.
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
