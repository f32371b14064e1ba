//! The figures: how many of how many judgements the integer model tells right, and plainer means beside it.

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
        println!("{} on {}, {}: {} of {} = {share:.2} %", self.task, self.set, self.method, self.correct, self.n);
        self
    }
}

/// Three labels, seen from what stands for the category.
pub fn of_parts(set: &'static str, network: &Network, judgements: &[Example]) -> Figure {
    let mut confusion = [[0; 3]; 3];
    for judgement in judgements {
        let labels = network.run(&judgement.seen).labels;
        let told = (0..3).max_by_key(|label| labels[*label]).unwrap_or(1);
        confusion[judgement.label][told] += 1;
    }
    for (label, row) in ["negative", "neutral", "positive"].iter().zip(confusion) {
        println!("{label:>9} was told as negative, neutral, positive: {row:?}");
    }
    let correct = (0..3).map(|label| confusion[label][label]).sum();
    Figure { task: "aspect_polarity", set, method: "model", n: judgements.len(), correct }.told()
}

/// Two labels of whole sentences, each told by a model that was trained without it: all of MAMS, and nine tenths of these.
pub fn of_wholes(sentences: &[Sentence], whole: &[Example], mams: &[Example], keys: &[u32], plan: &Plan) -> [Figure; 2] {
    let mut order: Vec<usize> = (0..whole.len()).collect();
    Chance(FOLDS_SEED).shuffle(&mut order);
    let fold = |fold: usize| {
        let (rest, judged): (Vec<_>, Vec<_>) = order.iter().enumerate().partition(|(place, _)| place % FOLDS != fold);
        let train: Vec<Example> = mams.iter().chain(rest.iter().map(|(_, at)| &whole[**at])).cloned().collect();
        let network = Network::new(&quantise(&learn(keys.len() + 1, &train, plan), keys));
        let told_right = |at: usize| {
            let [negative, _, positive] = network.run(&whole[at].seen).labels;
            (positive > negative) == (whole[at].label == 2)
        };
        let of = |places: &[(usize, &usize)]| places.iter().map(|(_, at)| sentences[**at].clone()).collect::<Vec<_>>();
        (judged.iter().filter(|(_, at)| told_right(**at)).count(), plain::correct(&of(&rest), &of(&judged)).1)
    };
    let workers = thread::available_parallelism().map_or(1, usize::from).min(FOLDS);
    let share = |worker: usize| (worker..FOLDS).step_by(workers).map(fold).fold((0, 0), |sum, its| (sum.0 + its.0, sum.1 + its.1));
    let sums = thread::scope(|scope| {
        let share = &share;
        let running: Vec<_> = (0..workers).map(|worker| scope.spawn(move || share(worker))).collect();
        running.into_iter().filter_map(|worker| worker.join().ok()).fold((0, 0), |sum, its| (sum.0 + its.0, sum.1 + its.1))
    });
    [("model", sums.0), ("plain", sums.1)]
        .map(|(method, correct)| Figure { task: "sentence_polarity", set: SET, method, n: whole.len(), correct }.told())
}

/// The file beside the weights.
pub fn json(inputs: &[(String, String)], weights: &[u8], anchors: usize, figures: &[Figure]) -> anyhow::Result<String> {
    let inputs: Vec<_> = inputs.iter().map(|(file, sha256)| json!({ "file": file, "sha256": sha256 })).collect();
    let figure =
        |its: &Figure| json!({ "task": its.task, "set": its.set, "method": its.method, "n": its.n, "correct": its.correct });
    let all = json!({
        "weights_sha256": hex(weights),
        "weights_bytes": weights.len(),
        "category_words_bytes": anchors,
        "inputs": inputs,
        "figures": figures.iter().map(figure).collect::<Vec<_>>(),
    });
    Ok(serde_json::to_string_pretty(&all)? + "\n")
}
