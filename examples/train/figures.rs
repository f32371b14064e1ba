//! The figures: how many of how many judgements the integer model tells right, and plainer means
//! beside it.

use std::array::from_fn;
use std::thread;

use reviews_service::insights::model::network::Network;
use serde_json::json;

use crate::chance::Chance;
use crate::data::{Sentence, hex};
use crate::learn::{Example, Plan, learn};
use crate::plain;
use crate::quantise::quantise;

const FOLDS: usize = 10;
const FOLDS_SEED: u64 = 7;
const SET: &str = "uci-yelp-10-fold";

/// How many were right.
#[derive(Debug, Clone, Copy)]
pub struct Figure {
    pub task: &'static str,
    pub set: &'static str,
    pub method: &'static str,
    pub n: usize,
    pub correct: usize,
}

impl Figure {
    /// Itself, after it was printed.
    pub fn told(self) -> Self {
        let share = 100.0 * self.correct as f64 / self.n as f64;
        println!(
            "{} on {}, {}: {} of {} = {share:.2} %",
            self.task, self.set, self.method, self.correct, self.n
        );
        self
    }
}

/// The sums for each judgement, with what its category leans to.
pub fn scores(network: &Network, judgements: &[Example], leans: &[[[i32; 3]; 2]]) -> Vec<[i32; 3]> {
    let score = |judgement: &Example| {
        let kind = usize::from(!judgement.seen.iter().any(|seen| seen.is_anchor()));
        let lean = leans[judgement.prior][kind];
        let labels = network.run(&judgement.seen).labels;
        from_fn(|label| labels[label] + lean[label])
    };
    judgements.iter().map(score).collect()
}

/// Three labels, seen from what stands for the category: each told by itself, and told together
/// where what is known of this set is used as well: the judgements in a sentence are never all
/// alike.
pub fn of_parts(
    set: &'static str,
    sentences: &[Sentence],
    judgements: &[Example],
    scores: &[[i32; 3]],
) -> [Figure; 2] {
    let mut confusion = [[0; 3]; 3];
    for (judgement, labels) in judgements.iter().zip(scores) {
        let told = (0..3).max_by_key(|label| labels[*label]).unwrap_or(1);
        confusion[judgement.label][told] += 1;
    }
    for (label, row) in ["negative", "neutral", "positive"].iter().zip(confusion) {
        println!("{label:>9} was told as negative, neutral, positive: {row:?}");
    }
    let (mut together, mut start) = (0, 0);
    for sentence in sentences {
        let its = start..start + sentence.judgements.len();
        let told = unlike(&scores[its.clone()]);
        together += told
            .iter()
            .zip(&judgements[its.clone()])
            .filter(|(told, judgement)| **told == judgement.label)
            .count();
        start = its.end;
    }
    let (n, alone) = (
        judgements.len(),
        (0..3).map(|label| confusion[label][label]).sum(),
    );
    [("model", alone), ("model, unlike labels", together)].map(|(method, correct)| {
        Figure {
            task: "aspect_polarity",
            set,
            method,
            n,
            correct,
        }
        .told()
    })
}

/// The labels with the largest sum that are not all alike.
fn unlike(scores: &[[i32; 3]]) -> Vec<usize> {
    let odds: Vec<[f64; 3]> = scores
        .iter()
        .map(|labels| {
            let total: f64 = labels
                .iter()
                .map(|label| (f64::from(*label) / 1000.0).exp())
                .sum();
            labels.map(|label| f64::from(label) / 1000.0 - total.ln())
        })
        .collect();
    let choice = |code: usize| -> Vec<usize> {
        (0_u32..)
            .zip(&odds)
            .map(|(at, _)| code / 3_usize.pow(at) % 3)
            .collect()
    };
    let sum = |labels: &[usize]| {
        labels
            .iter()
            .zip(&odds)
            .map(|(label, odds)| odds[*label])
            .sum::<f64>()
    };
    let all = (0..3_usize.pow(u32::try_from(odds.len()).unwrap_or(0))).map(choice);
    let differ =
        all.filter(|labels| labels.len() < 2 || labels.iter().any(|label| *label != labels[0]));
    differ
        .max_by(|one, other| sum(one).total_cmp(&sum(other)))
        .unwrap_or_default()
}

/// Two labels of whole sentences, each told by a model that was trained without it: all of MAMS,
/// and nine tenths of these.
pub fn of_wholes(
    sentences: &[Sentence],
    whole: &[Example],
    mams: &[Example],
    keys: &[u32],
    plan: &Plan,
) -> [Figure; 2] {
    let mut order: Vec<usize> = (0..whole.len()).collect();
    Chance(FOLDS_SEED).shuffle(&mut order);
    let fold = |fold: usize| {
        let (rest, judged): (Vec<_>, Vec<_>) = order
            .iter()
            .enumerate()
            .partition(|(place, _)| place % FOLDS != fold);
        let train: Vec<Example> = mams
            .iter()
            .chain(rest.iter().map(|(_, at)| &whole[**at]))
            .cloned()
            .collect();
        let network = Network::new(&quantise(&learn(keys.len() + 1, &train, plan), keys));
        let told_right = |at: usize| {
            let [negative, _, positive] = network.run(&whole[at].seen).labels;
            (positive > negative) == (whole[at].label == 2)
        };
        let of = |places: &[(usize, &usize)]| {
            places
                .iter()
                .map(|(_, at)| sentences[**at].clone())
                .collect::<Vec<_>>()
        };
        (
            judged.iter().filter(|(_, at)| told_right(**at)).count(),
            plain::correct(&of(&rest), &of(&judged)).1,
        )
    };
    let workers = thread::available_parallelism()
        .map_or(1, usize::from)
        .min(FOLDS);
    let share = |worker: usize| {
        (worker..FOLDS)
            .step_by(workers)
            .map(fold)
            .fold((0, 0), |sum, its| (sum.0 + its.0, sum.1 + its.1))
    };
    let sums = thread::scope(|scope| {
        let share = &share;
        let running: Vec<_> = (0..workers)
            .map(|worker| scope.spawn(move || share(worker)))
            .collect();
        running
            .into_iter()
            .filter_map(|worker| worker.join().ok())
            .fold((0, 0), |sum, its| (sum.0 + its.0, sum.1 + its.1))
    });
    [("model", sums.0), ("plain", sums.1)].map(|(method, correct)| {
        Figure {
            task: "sentence_polarity",
            set: SET,
            method,
            n: whole.len(),
            correct,
        }
        .told()
    })
}

/// The file beside the weights.
pub fn json(
    inputs: &[(String, String)],
    weights: &[u8],
    anchors: usize,
    figures: &[Figure],
) -> anyhow::Result<String> {
    let inputs: Vec<_> = inputs
        .iter()
        .map(|(file, sha256)| json!({ "file": file, "sha256": sha256 }))
        .collect();
    let figure = |its: &Figure| json!({ "task": its.task, "set": its.set, "method": its.method, "n": its.n, "correct": its.correct });
    let all = json!({
        "weights_sha256": hex(weights),
        "weights_bytes": weights.len(),
        "category_words_bytes": anchors,
        "inputs": inputs,
        "figures": figures.iter().map(figure).collect::<Vec<_>>(),
    });
    Ok(serde_json::to_string_pretty(&all)? + "\n")
}
