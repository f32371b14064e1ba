//! How well the texts are read: figures measured on annotated sentences (`docs/ANNOTATION.md`),
//! which stand beside what they are about. A test measures them anew, so that none is out of date.

use super::evaluate::Share;

/// One line for each figure: task, set, measure, rows of the set, and the share's part and whole.
const MEASURED: &str = include_str!("trades/home_services/quality.tsv");

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
    pub share: Share,
}

/// The figures of the built-in trade, on sentences that nobody looked at while the rules were
/// written.
#[must_use]
pub fn measured() -> Vec<Figure> {
    MEASURED.lines().skip(1).filter_map(figure).collect()
}

fn figure(line: &str) -> Option<Figure> {
    let mut parts = line.split('\t');
    let mut text = || parts.next().map(str::to_owned);
    let (task, set, measure) = (text()?, text()?, text()?);
    let mut number = || text()?.parse().ok();
    Some(Figure {
        task,
        set,
        measure,
        n: number()?,
        share: Share {
            part: number()?,
            whole: number()?,
        },
    })
}
