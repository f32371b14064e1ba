//! Trains the model of `src/insights/classifier.rs` from annotated sentences and writes its weights: aspects of all trades,
//! polarity, and complaints in reviews of one or two stars. Then it learns how to weigh the model against the rules
//! (`src/insights/decision.toml`).
//!
//! To change the weights:
//!
//! 1. **Data.** Add annotated texts of several authors to `reviews.jsonl`, by the rules of `tests/gold/README.md`, never held-out
//!    ones. The data is this file, `trade.tsv`, `reviews.tsv` and `low_rated.tsv` beside it, and the development halves of
//!    `tests/gold`, including those of calm sentences. Sentences that also occur in a held-out half ("Highly recommend!") are
//!    omitted.
//! 2. **Training** writes `english.weights`, `decision.toml` and, as its last line, the constants of `decide.rs` for whole texts:
//!
//!    ```text
//!    cargo run --release --example train_classifier               # leaves polarity and the decision as they are
//!    cargo run --release --example train_classifier -- --data DIR # also learns them
//!    cargo run --release --example train_classifier -- --check    # checks that training gives the same bytes
//!    ```
//!
//!    Polarity, and with it the decision, is also learned from public data sets, which are not part of this repository
//!    (`NOTICE` names their sources and licences). DIR contains `mams/` (ATSA `train`, `val` and `test`), `uci_sentences/` (the
//!    Yelp file) and `vader/` (the Amazon snippets, from `additional_resources` in the source archive of `vaderSentiment` 3.3.2 on
//!    `PyPI`).
//! 3. **Comparison.** `cargo run --example evaluate -- tests/gold/development.tsv` lists the misses, before and after. Read every
//!    one that changed.
//! 4. **Measurement**, once: `INSTA_UPDATE=always cargo test --test it -- --ignored laboratory`. It fails below the promised
//!    quality, and writes the figures that are published (`src/insights/rules/quality.tsv`; copy those of `docs/INSIGHTS.md`) and
//!    the digest by which stored analyses are repeated (`src/insights/golden.sha256`).
//! 5. **Commit** data, weights, figures and digest together.
//!
//! A changed phrase or threshold needs the steps from 3 on, and a phrase that is a feature of the decision also `--data`.
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
mod learn;
mod models;
mod own;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use clap::Parser;
use reviews_service::insights::classifier::Classifier;

use crate::learn::Learned;
use crate::models::Material;
use crate::own::Review;

#[derive(Parser)]
struct Args {
    /// Write nothing; fail unless training gives the existing files.
    #[arg(long)]
    check: bool,
    /// Folder of the public data sets; needed for polarity and for the decision, which depends on it.
    #[arg(long)]
    data: Option<PathBuf>,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let reviews = own::reviews(root)?;
    let material = Material {
        held_out: own::held_out(root)?,
        sentences: own::sentences(root)?,
        low_rated: own::low_rated(root)?,
        data: args.data.clone(),
    };
    let insights = root.join("src/insights");
    let all: Vec<&Review> = reviews.iter().collect();
    let former = Classifier::built_in();
    let english = material.learn(&all, Learned::polarity(&former))?.to_bytes();
    keep(&args, &insights.join("english.weights"), &english)?;
    let Some(data) = &args.data else {
        println!("polarity and decision are left as they are, because --data is missing");
        return Ok(());
    };
    let model = Classifier::parse(&english).context("the model cannot be read")?;
    let (right, of) = elsewhere::told(data, &model)?;
    println!("{right} of {of} parts of held-out MAMS sentences have the right polarity");
    let authors: BTreeSet<&str> = reviews.iter().map(|one| one.author.as_str()).collect();
    let authors: Vec<&str> = authors.into_iter().collect();
    let folds = folds::train(&material, &reviews, &authors)?;
    let table = folds::decisions(&folds);
    keep(&args, &insights.join("decision.toml"), table.as_bytes())?;
    println!("{}", folds::document(&folds));
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
