//! Trains the classifiers of `src/insights/classifier` from annotated sentences and writes their weights: one
//! classifier of aspects per trade, and two for all trades: of polarity, and of complaints in reviews of one or two
//! stars. Then it learns their weight against the rules (`src/insights/aspects/decision.tsv`).
//!
//! ```text
//! cargo run --release --example train_classifier                       # writes the weights of the aspects
//! cargo run --release --example train_classifier -- --data DIR         # also writes those of polarity
//! cargo run --release --example train_classifier -- --data DIR --document  # only prints the weights of whole texts
//! cargo run --release --example train_classifier -- --check            # checks that training gives the same bytes
//! ```
//!
//! Its data is `trade.tsv`, `reviews.tsv`, `low_rated.tsv` and `reviews.jsonl` in its folder, written for this purpose, and the
//! development halves of `tests/gold`, including those of calm sentences. Sentences that also occur in a held-out half
//! ("Highly recommend!") are omitted.
//! Polarity is also learned from public data sets, which are not part of this repository (`NOTICE` names their sources
//! and licences): DIR contains `mams/` (ATSA `train` and `val`), `uci_sentences/` (the Yelp file) and `vader/` (the
//! Amazon snippets). The Spanish polarity is learned from `es/reviews.jsonl`, the decisions from whole reviews.
#![allow(
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "it is run by hand, prints its results, and rounds"
)]

mod adam;
mod decide;
mod dense;
mod document;
mod elsewhere;
mod examples;
mod folds;
mod languages;
mod learn;
mod models;
mod own;
mod trades;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use clap::Parser;

use crate::models::Material;
use crate::own::Review;

#[derive(Parser)]
struct Args {
    /// Write nothing; fail unless training gives the existing files.
    #[arg(long)]
    check: bool,
    /// Folder of the public data sets; needed for polarity and for the weights that depend on it.
    #[arg(long)]
    data: Option<PathBuf>,
    /// With --data: learn only the weights of whole texts, with the existing decisions; write nothing.
    #[arg(long)]
    document: bool,
    /// Learn only the polarity of languages other than English.
    #[arg(long)]
    languages: bool,
    /// Leave out the reviews of this author, so that you can evaluate with them.
    #[arg(long)]
    without: Vec<String>,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut reviews = own::reviews(root)?;
    reviews.retain(|review| !args.without.contains(&review.author));
    let material = Material {
        held_out: own::held_out(root)?,
        sentences: own::sentences(root, &args.without)?,
        low_rated: own::low_rated(root)?,
        data: args.data.clone(),
    };
    let insights = root.join("src/insights");
    let authors: BTreeSet<&str> = reviews.iter().map(|one| one.author.as_str()).collect();
    let authors: Vec<&str> = authors.into_iter().collect();
    if args.document {
        let table = fs::read_to_string(insights.join("aspects/decision.tsv"))?;
        println!(
            "{}",
            folds::read(&material, &reviews, &authors)?.document(&table)
        );
        return Ok(());
    }
    for code in languages::codes(root)? {
        let weights = languages::polarity(root, &code, &args.without)?;
        let path = insights.join(format!("trades/shared/{code}/polarity.weights"));
        keep(&args, &path, &weights)?;
    }
    if args.languages {
        return Ok(());
    }
    let all: Vec<&Review> = reviews.iter().collect();
    let complaints = material.complaints(&all).to_bytes();
    keep(
        &args,
        &insights.join("classifier/complaint.weights"),
        &complaints,
    )?;
    for trade in trades::IDS {
        let weights = material.aspects(trade, &all).to_bytes();
        let path = insights.join(format!("trades/{trade}/classifier.weights"));
        keep(&args, &path, &weights)?;
    }
    if args.data.is_none() {
        println!("polarity and decisions are left as they are, for want of --data");
        return Ok(());
    }
    let polarity = material.polarity(&all)?;
    let weights = polarity.to_bytes();
    if let Some(data) = &args.data {
        let (right, all) = elsewhere::told(data, &polarity.into_model()?)?;
        println!("{right} of {all} parts of held-out MAMS sentences are told rightly");
    }
    keep(
        &args,
        &insights.join("classifier/polarity.weights"),
        &weights,
    )?;
    let folds = folds::read(&material, &reviews, &authors)?;
    let table = folds.decisions();
    keep(
        &args,
        &insights.join("aspects/decision.tsv"),
        table.as_bytes(),
    )?;
    println!("{}", folds.document(&table));
    Ok(())
}

/// Writes a file, or with `--check` compares the existing file with the result of the training.
fn keep(args: &Args, path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    println!("{}: {} bytes", path.display(), bytes.len());
    if args.check {
        let kept = fs::read(path).with_context(|| path.display().to_string())?;
        ensure!(
            kept == bytes,
            "training gave something else than {}",
            path.display()
        );
        return Ok(());
    }
    fs::write(path, bytes).with_context(|| path.display().to_string())
}
