//! Trains the aspect classifier of `src/insights/classifier` from annotated sentences of the trade, and
//! writes its weights.
//!
//! ```text
//! cargo run --release --example train_classifier             # writes src/insights/classifier/ngram.weights
//! cargo run --release --example train_classifier -- --check  # whether training anew gives the same bytes
//! ```
//!
//! It reads `trade.tsv` and `reviews.tsv` beside it, written for this, and the development halves of
//! `tests/gold`; a sentence that stands in a held-out half is an error. What is learned: for each
//! aspect a logistic regression over runs of words, and one over the three polarities from the
//! sentences that have only one. `reviews.tsv` holds the sentences of whole reviews of many trades:
//! `-` for the aspect of a sentence that has none, and aspects of other trades for their polarity.
#![allow(
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    reason = "it is run by hand, says what it did, and rounds"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use clap::Parser;
use reviews_service::insights::classifier::features::runs;
use reviews_service::insights::classifier::{ASPECTS, SUMS, Sums, UNIT, to_bytes};
use reviews_service::insights::text::Text;

/// Which files are learned from, below the repository.
const EXAMPLES: [&str; 4] = [
    "examples/train_classifier/trade.tsv",
    "examples/train_classifier/reviews.tsv",
    "tests/gold/development.tsv",
    "tests/gold/ordinary_development.tsv",
];
/// Which files may hold none of their sentences.
const HELD_OUT: [&str; 2] = [
    "tests/gold/held_out.tsv",
    "tests/gold/ordinary_held_out.tsv",
];
/// Aspects of other trades: their sentences teach how praise and blame sound.
const FOREIGN_ASPECTS: [&str; 4] = ["food", "waiting", "order_accuracy", "atmosphere"];
const POLARITIES: [&str; 3] = ["negative", "neutral", "positive"];
/// The place of `neutral` there.
const NEUTRAL: usize = 1;
/// The strength of what holds weights small: the loss gains half of this times each weight's
/// square.
const DECAY: f64 = 1.0 / 3.0;
const STEPS: i32 = 400;
/// In how many sentences a run of words has to stand.
const SENTENCES_MIN: usize = 2;
const RATE: f64 = 0.05;
/// Rows whose weights are all smaller say too little to be kept.
const WEIGHT_MIN: i8 = 3;

#[derive(Parser)]
struct Args {
    /// Write nothing: fail unless what is there is what training gives.
    #[arg(long)]
    check: bool,
    /// Learn from the first two files alone, so that the development halves can judge; then nothing is
    /// checked.
    #[arg(long)]
    choose: bool,
}

/// What is said of a sentence: an aspect that is known here, or `None`, and the polarity.
type Said = (Option<usize>, usize);

/// A sentence's runs, and what is said of it.
struct Example {
    runs: Vec<usize>,
    targets: [f64; SUMS],
    /// Whether its aspects are all of one polarity.
    has_label: bool,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sentences = BTreeMap::new();
    for file in EXAMPLES
        .iter()
        .take(if args.choose { 2 } else { EXAMPLES.len() })
    {
        read(&root.join(file), &mut sentences)?;
    }
    let mut held = BTreeMap::new();
    for file in HELD_OUT {
        read(&root.join(file), &mut held)?;
    }
    let held: BTreeSet<String> = held.keys().map(|text| same(text)).collect();
    let known: Vec<&String> = sentences
        .keys()
        .filter(|text| held.contains(&same(text)))
        .collect();
    ensure!(known.is_empty(), "these sentences are held out: {known:?}");

    let mut numbers = BTreeMap::new();
    let examples: Vec<Example> = sentences
        .iter()
        .map(|(text, said)| example(text, said, &mut numbers))
        .collect();
    println!(
        "{} sentences, {} runs of words",
        examples.len(),
        numbers.len()
    );
    let (examples, numbers) = recurring(examples, &numbers);
    println!("{} runs of words recur", numbers.len());
    let (biases, weights) = learn(&examples, numbers.len());
    let unit = |value: f64| (value * f64::from(UNIT)).round();
    let biases: Sums = biases.map(|bias| unit(bias) as i32);
    let mut rows: Vec<(u32, [i8; SUMS])> = Vec::new();
    for (key, number) in numbers {
        let row = weights[number].map(|weight| unit(weight).clamp(-127.0, 127.0) as i8);
        if row
            .iter()
            .any(|weight| weight.unsigned_abs() >= WEIGHT_MIN.unsigned_abs())
        {
            rows.push((key, row));
        }
    }
    let bytes = to_bytes(&biases, &rows);
    println!("{} rows, {} bytes", rows.len(), bytes.len());
    let path: PathBuf = root.join("src/insights/classifier/ngram.weights");
    if args.check {
        ensure!(fs::read(path)? == bytes, "training gave other weights");
        println!("the same bytes");
    } else {
        fs::write(path, bytes)?;
    }
    Ok(())
}

/// Adds the sentences of a file: text, aspect, polarity.
fn read(path: &Path, sentences: &mut BTreeMap<String, Vec<Said>>) -> anyhow::Result<()> {
    let content =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    for (line, row) in (1..).zip(content.lines()).skip(1) {
        let parts: Vec<&str> = row.split('\t').collect();
        let said = match parts.as_slice() {
            [_, "-", "-"] => Some((None, NEUTRAL)),
            [_, aspect, polarity] if FOREIGN_ASPECTS.contains(aspect) => {
                find(&POLARITIES, polarity).map(|polarity| (None, polarity))
            }
            [_, aspect, polarity] => find(&ASPECTS, aspect)
                .zip(find(&POLARITIES, polarity))
                .map(|(aspect, polarity)| (Some(aspect), polarity)),
            _ => None,
        };
        let said = said
            .with_context(|| format!("{}:{line}: no text, aspect and polarity", path.display()))?;
        sentences.entry(parts[0].to_owned()).or_default().push(said);
    }
    Ok(())
}

fn find(names: &[&str], name: &str) -> Option<usize> {
    names.iter().position(|one| *one == name)
}

/// What two spellings of one sentence have in common.
fn same(text: &str) -> String {
    text.chars()
        .filter(|character| character.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

fn example(text: &str, said: &[Said], numbers: &mut BTreeMap<u32, usize>) -> Example {
    let text = Text::new(text);
    let mut found = Vec::new();
    runs(&text, 0..text.tokens().len(), |key, _| {
        let next = numbers.len();
        found.push(*numbers.entry(key).or_insert(next));
    });
    let mut targets = [0.0; SUMS];
    for (aspect, polarity) in said {
        if let Some(aspect) = aspect {
            targets[*aspect] = 1.0;
        }
        targets[ASPECTS.len() + polarity] = 1.0;
    }
    let has_label = targets[ASPECTS.len()..].iter().sum::<f64>() < 1.5;
    Example {
        runs: found,
        targets,
        has_label,
    }
}

/// The runs of words that stand in several sentences: what only one has says nothing of others.
fn recurring(
    mut examples: Vec<Example>,
    numbers: &BTreeMap<u32, usize>,
) -> (Vec<Example>, BTreeMap<u32, usize>) {
    let mut sentences = vec![0_usize; numbers.len()];
    for example in &mut examples {
        example.runs.sort_unstable();
        example.runs.dedup();
        example.runs.iter().for_each(|run| sentences[*run] += 1);
    }
    let kept: BTreeMap<u32, usize> = numbers
        .iter()
        .filter(|(_, run)| sentences[**run] >= SENTENCES_MIN)
        .map(|(key, _)| *key)
        .zip(0..)
        .collect();
    let renumbered: BTreeMap<usize, usize> = kept
        .iter()
        .map(|(key, number)| (numbers[key], *number))
        .collect();
    for example in &mut examples {
        example.runs = example
            .runs
            .iter()
            .filter_map(|run| renumbered.get(run).copied())
            .collect();
    }
    (examples, kept)
}

/// All regressions at once, by Adam (Kingma and Ba 2015) over all examples in each step.
fn learn(examples: &[Example], runs: usize) -> ([f64; SUMS], Vec<[f64; SUMS]>) {
    // The last row holds the biases.
    let mut weights = vec![[0.0_f64; SUMS]; runs + 1];
    let (mut first, mut second) = (weights.clone(), weights.clone());
    for step in 1..=STEPS {
        let mut gradients: Vec<[f64; SUMS]> = weights
            .iter()
            .map(|row| row.map(|weight| weight * DECAY))
            .collect();
        gradients[runs] = [0.0; SUMS];
        for example in examples {
            let mut sums = weights[runs];
            example
                .runs
                .iter()
                .for_each(|run| add(&mut sums, &weights[*run]));
            let errors = errors(&sums, example);
            example
                .runs
                .iter()
                .chain([&runs])
                .for_each(|run| add(&mut gradients[*run], &errors));
        }
        let rate = RATE * f64::from(STEPS - step + 1) / f64::from(STEPS);
        let (fade1, fade2) = (1.0 - 0.9_f64.powi(step), 1.0 - 0.999_f64.powi(step));
        for (row, gradients) in gradients.iter().enumerate() {
            for (sum, gradient) in gradients.iter().enumerate() {
                let (first, second) = (&mut first[row][sum], &mut second[row][sum]);
                *first += (gradient - *first) * 0.1;
                *second += (gradient * gradient - *second) * 0.001;
                weights[row][sum] -= rate * (*first / fade1) / ((*second / fade2).sqrt() + 1e-8);
            }
        }
    }
    let biases = weights.pop().unwrap_or([0.0; SUMS]);
    (biases, weights)
}

/// What each sum's chance is above what it should be.
fn errors(sums: &[f64; SUMS], example: &Example) -> [f64; SUMS] {
    let mut errors = [0.0; SUMS];
    for at in 0..ASPECTS.len() {
        errors[at] = 1.0 / (1.0 + (-sums[at]).exp()) - example.targets[at];
    }
    if example.has_label {
        let odds: Vec<f64> = sums[ASPECTS.len()..].iter().map(|sum| sum.exp()).collect();
        let all: f64 = odds.iter().sum();
        for (label, odds) in odds.iter().enumerate() {
            errors[ASPECTS.len() + label] = odds / all - example.targets[ASPECTS.len() + label];
        }
    }
    errors
}

fn add(sums: &mut [f64; SUMS], row: &[f64; SUMS]) {
    sums.iter_mut()
        .zip(row)
        .for_each(|(sum, weight)| *sum += weight);
}
