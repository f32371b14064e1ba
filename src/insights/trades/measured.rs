//! What was measured of a trade: `quality.tsv` beside its rules, so that figures stay with what they
//! are about.

use super::TradeError;

/// The first line of the file.
pub const HEADER: &str = "task\tset\tmeasure\tn\tpart\twhole";

/// One measure of one task on one set of annotated texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
    /// What was to be told, for example `aspect`.
    pub task: String,
    /// Of which texts, for example `ordinary_held_out`.
    pub set: String,
    /// The measure, for example `f1` or `accuracy`.
    pub measure: String,
    /// How many rows the set has.
    pub n: usize,
    /// The share's part.
    pub part: usize,
    /// The share's whole.
    pub whole: usize,
}

/// The figures of a file.
///
/// # Errors
/// Every line that is none.
pub fn read(name: &str, text: &str) -> Result<Vec<Measured>, Vec<TradeError>> {
    let (mut figures, mut faults) = (Vec::new(), Vec::new());
    let mut tell = |line: usize, message: String| {
        faults.push(TradeError {
            file: name.to_owned(),
            line,
            message,
        });
    };
    if text.lines().next() != Some(HEADER) {
        tell(
            1,
            format!("the first line is to be `{HEADER}`, tabs between"),
        );
    }
    for (line, number) in text.lines().zip(1..).skip(1) {
        match figure(line) {
            Some(figure) => figures.push(figure),
            None => tell(
                number,
                "write task, set, measure, n, part and whole, tabs between; the part is no more than the whole"
                    .to_owned(),
            ),
        }
    }
    if faults.is_empty() {
        Ok(figures)
    } else {
        Err(faults)
    }
}

fn figure(line: &str) -> Option<Measured> {
    let [task, set, measure, n, part, whole] =
        <[&str; 6]>::try_from(line.split('\t').collect::<Vec<_>>()).ok()?;
    let (n, part, whole) = (n.parse().ok()?, part.parse().ok()?, whole.parse().ok()?);
    (part <= whole && whole > 0).then(|| Measured {
        task: task.to_owned(),
        set: set.to_owned(),
        measure: measure.to_owned(),
        n,
        part,
        whole,
    })
}
