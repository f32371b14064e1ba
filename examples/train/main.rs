//! Trains the polarity model of `src/insights/model` from annotated sentences, measures it, and
//! writes its weights and figures.
//!
//! ```text
//! cargo run --release --example train -- --data DIR            # writes src/insights/model/polarity.{weights,json}
//! cargo run --release --example train -- --data DIR --check    # whether training anew gives the same bytes
//! cargo run --release --example train -- --data DIR --choose   # what is chosen by: the validation split; writes nothing
//! ```
//!
//! DIR holds `mams/{acsa,atsa}_{train,val,test}.xml` and `uci_sentences/yelp_labelled.txt`.
#![allow(
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    missing_docs,
    reason = "it is run by hand, prints what it finds, and learns in floating point"
)]

mod anchors;
mod chance;
mod data;
mod figures;
mod learn;
mod plain;
mod quantise;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use anyhow::ensure;
use clap::Parser;
use reviews_service::insights::model::features::{Vocabulary, form, key};
use reviews_service::insights::model::network::Network;

use crate::anchors::Anchors;
use crate::data::{About, Folder, Sentence, hex, without};
use crate::figures::{Figure, json};
use crate::learn::{ANCHORED, Example, Plan, WHOLE, learn};
use crate::quantise::{leans, quantise};

/// Chosen on the validation split.
const PLAN: Plan = Plan {
    epochs: 14,
    batch: 64,
    rate: 0.003,
    input_dropout: 0.4,
    output_dropout: 0.5,
    decay: 0.1,
    inertia: 0.998,
    seed: 1,
};
/// How many words are known: as many as 64 KB hold, with the words that stand for the categories.
const WORDS: usize = 2600;
const BYTES_MAX: usize = 65_536;

#[derive(Parser)]
struct Args {
    /// The folder of annotated sentences.
    #[arg(long)]
    data: PathBuf,
    /// Where weights and figures are written.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/src/insights/model"))]
    out: PathBuf,
    /// Write nothing: fail unless what is there is what training gives.
    #[arg(long)]
    check: bool,
    /// Write nothing: train without the validation split and judge by it.
    #[arg(long)]
    choose: bool,
    /// The seed of the network's beginning and of the order of learning.
    #[arg(long, default_value_t = PLAN.seed)]
    seed: u64,
}

#[expect(
    clippy::too_many_lines,
    reason = "to be split: lines are shorter than when it was written"
)]
fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let plan = Plan {
        seed: args.seed,
        ..PLAN
    };
    let mut folder = Folder::new(&args.data);
    let mut train = folder.mams("acsa_train")?;
    let val = folder.mams("acsa_val")?;
    let mut terms = folder.mams("atsa_train")?;
    terms.extend(folder.mams("atsa_val")?);
    let uci = folder.uci()?;
    let (set, judged) = if args.choose {
        println!(
            "with terms, and in test: {} sentences left out",
            without(&mut terms, &folder.mams("acsa_test")?)
        );
        ("mams-acsa-val", val)
    } else {
        train.extend(val);
        ("mams-acsa-test", folder.mams("acsa_test")?)
    };
    println!(
        "with categories, and in {set}: {} sentences left out",
        without(&mut train, &judged)
    );
    println!(
        "with terms, and in {set}: {} sentences left out",
        without(&mut terms, &judged)
    );

    let anchors = Anchors::learn(&train);
    let keys = keys(&[&train, &terms, &uci]);
    let vocabulary = Vocabulary::new(&keys);
    let mams = [
        examples(&train, &anchors, &vocabulary),
        examples(&terms, &anchors, &vocabulary),
    ]
    .concat();
    let whole = examples(&uci, &anchors, &vocabulary);
    println!(
        "{} judgements of parts, {} of whole sentences",
        mams.len(),
        whole.len()
    );
    let net = learn(keys.len() + 1, &[mams.as_slice(), &whole].concat(), &plan);
    let weights = quantise(&net, &keys);
    let bytes = weights.to_bytes();
    println!(
        "{} bytes of weights, and {} of words that stand for categories",
        bytes.len(),
        anchors.bytes()
    );
    ensure!(
        bytes.len() + anchors.bytes() <= BYTES_MAX,
        "more than {BYTES_MAX} bytes"
    );
    let judgements = examples(&judged, &anchors, &vocabulary);
    let scores = figures::scores(&Network::new(&weights), &judgements, &leans(&net));
    let mut figures = figures::of_parts(set, &judged, &judgements, &scores).to_vec();
    if args.choose {
        return Ok(());
    }
    let (n, correct) = plain::correct(&train, &judged);
    figures.push(
        Figure {
            task: "aspect_polarity",
            set,
            method: "plain",
            n,
            correct,
        }
        .told(),
    );
    figures.extend(figures::of_wholes(&uci, &whole, &mams, &keys, &plan));
    let quality = json(&folder.inputs, &bytes, anchors.bytes(), &figures)?;
    let (weights_path, quality_path) = (
        args.out.join("polarity.weights"),
        args.out.join("polarity.json"),
    );
    if args.check {
        ensure!(
            fs::read(weights_path)? == bytes,
            "training gave other weights: {}",
            hex(&bytes)
        );
        ensure!(
            fs::read_to_string(quality_path)? == quality,
            "training gave other figures:\n{quality}"
        );
        println!("the same bytes");
    } else {
        fs::write(weights_path, bytes)?;
        fs::write(quality_path, quality)?;
    }
    Ok(())
}

/// The keys of the words that occur in the most sentences.
fn keys(sentences: &[&[Sentence]]) -> Vec<u32> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut known = BTreeSet::new();
    for sentence in sentences
        .iter()
        .flat_map(|some| some.iter())
        .filter(|sentence| known.insert(&sentence.same))
    {
        for word in sentence
            .scope()
            .map(|at| form(&sentence.text, at))
            .collect::<BTreeSet<_>>()
        {
            *counts.entry(word).or_default() += 1;
        }
    }
    let mut words: Vec<(usize, &str)> = counts
        .into_iter()
        .map(|(word, count)| (count, word))
        .collect();
    words.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(other.1)));
    words.truncate(WORDS);
    let keys: BTreeSet<u32> = words.into_iter().map(|(_, word)| key(word)).collect();
    keys.into_iter().collect()
}

/// The judgements of `sentences` as the model sees them.
fn examples(sentences: &[Sentence], anchors: &Anchors, vocabulary: &Vocabulary) -> Vec<Example> {
    let of = |sentence: &Sentence| -> Vec<Example> {
        let example = |about: &About, label: usize| {
            let (prior, at) = match about {
                About::Whole => (WHOLE, Vec::new()),
                About::Tokens(tokens) => (ANCHORED, vec![tokens.clone()]),
                About::Category(category) => (
                    anchors
                        .number(category)
                        .map_or(ANCHORED, |number| 2 + number),
                    anchors.find(sentence, category),
                ),
            };
            Example {
                seen: vocabulary.look(&sentence.text, sentence.scope(), &at).1,
                label,
                prior,
            }
        };
        sentence
            .judgements
            .iter()
            .map(|its| example(&its.about, its.label))
            .collect()
    };
    sentences.iter().flat_map(of).collect()
}
