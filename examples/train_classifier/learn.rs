//! Logistic regressions over n-grams, all heads at once, rounded to integers.

use std::collections::BTreeMap;

use reviews_service::insights::classifier::UNIT;

use crate::adam::Adam;
use crate::examples::{Example, Examples};

/// The parameters of a training.
#[derive(Clone, Copy)]
pub struct Plan {
    /// Whether exactly one head applies (softmax), or each independently (logistic).
    pub is_exclusive: bool,
    /// The strength of the L2 regularisation: half of it times the square of each weight is added to the loss.
    pub decay: f64,
}

const STEPS: i32 = 400;
const RATE: f64 = 0.05;
/// Minimum absolute value of a weight; rows that have only smaller weights are omitted.
const WEIGHT_MIN: u8 = 3;

/// The biases, and the weights of each n-gram by its key, in units of 1/[`UNIT`].
pub fn learn(
    mut examples: Examples,
    heads: usize,
    plan: Plan,
) -> (Vec<i32>, BTreeMap<u32, Vec<i8>>) {
    let sentences = examples.keep_recurring();
    println!(
        "{} sentences, {} runs of words recur",
        examples.all.len(),
        sentences.len()
    );
    let mut weights = descend(&examples.all, sentences.len(), heads, plan);
    let biases = weights.split_off(sentences.len() * heads);
    let unit = |value: &f64| (value * f64::from(UNIT)).round();
    let mut rows = BTreeMap::new();
    for (key, number) in &examples.numbers {
        let row = &weights[number * heads..(number + 1) * heads];
        let rounded: Vec<i8> = row
            .iter()
            .map(|weight| unit(weight).clamp(-127.0, 127.0) as i8)
            .collect();
        if rounded
            .iter()
            .any(|weight| weight.unsigned_abs() >= WEIGHT_MIN)
        {
            rows.insert(*key, rounded);
        }
    }
    (biases.iter().map(|bias| unit(bias) as i32).collect(), rows)
}

/// Gradient descent with [`Adam`] over all examples in each step. The last row has the biases.
fn descend(examples: &[Example], runs: usize, heads: usize, plan: Plan) -> Vec<f64> {
    let mut adam = Adam::new((runs + 1) * heads, STEPS, RATE);
    let mut sums = vec![0.0; heads];
    for step in 1..=STEPS {
        let weights = &adam.weights;
        let mut gradients: Vec<f64> = weights.iter().map(|weight| weight * plan.decay).collect();
        gradients[runs * heads..].fill(0.0);
        for example in examples {
            sums.copy_from_slice(&weights[runs * heads..]);
            for run in &example.runs {
                add(
                    &mut sums,
                    &weights[run * heads..(run + 1) * heads],
                    example.value,
                );
            }
            errors(&mut sums, example, plan.is_exclusive);
            add(&mut gradients[runs * heads..], &sums, 1.0);
            for run in &example.runs {
                add(
                    &mut gradients[run * heads..(run + 1) * heads],
                    &sums,
                    example.value,
                );
            }
        }
        adam.descend(step, &gradients);
    }
    adam.weights
}

/// Replaces each sum by its error: the predicted probability minus the target, times the example's weight; 0 for an
/// unknown target.
fn errors(sums: &mut [f64], example: &Example, is_exclusive: bool) {
    let all: f64 = sums.iter().map(|sum| sum.exp()).sum();
    for (sum, target) in sums.iter_mut().zip(&example.targets) {
        let chance = if is_exclusive {
            sum.exp() / all
        } else {
            1.0 / (1.0 + (-*sum).exp())
        };
        *sum = target.map_or(0.0, |is_so| {
            example.weight * (chance - f64::from(u8::from(is_so)))
        });
    }
}

fn add(sums: &mut [f64], row: &[f64], times: f64) {
    sums.iter_mut()
        .zip(row)
        .for_each(|(sum, weight)| *sum += weight * times);
}
