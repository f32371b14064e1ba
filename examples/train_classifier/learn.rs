//! Logistic regressions over n-grams and figures, all heads at once, rounded to integers.

use std::collections::BTreeMap;

use reviews_service::insights::classifier::{Classifier, FEATURES, LABELS, LEXICON_UNIT, UNIT};

use crate::adam::Adam;
use crate::examples::{Example, Examples};

/// The parameters of a training.
#[derive(Clone, Copy)]
pub struct Plan {
    /// Whether exactly one head applies (softmax), or each independently (logistic).
    pub is_exclusive: bool,
    /// The strength of the L2 regularisation: half of it times the square of each weight is added to the loss.
    pub decay: f32,
}

const STEPS: i32 = 300;
const RATE: f32 = 0.05;
/// Minimum absolute value of a weight; smaller ones are 0.
const WEIGHT_MIN: u8 = 2;
/// Rows that have only weights with smaller absolute values are omitted.
const ROW_MIN: u8 = 3;

/// The heads of a model with their weights.
pub struct Learned {
    pub heads: Vec<String>,
    pub biases: Vec<i16>,
    /// For each figure of the lexicon a weight for each head.
    pub figures: Vec<i16>,
    /// The weights of each n-gram by its key, in units of 1/[`UNIT`].
    pub rows: BTreeMap<u32, Vec<i8>>,
}

impl Learned {
    pub fn new(heads: Vec<String>, mut examples: Examples, plan: Plan) -> Self {
        examples.keep_recurring();
        let (width, runs) = (heads.len(), examples.numbers.len());
        println!(
            "{} sentences, {runs} runs of words recur, {width} heads",
            examples.all.len()
        );
        let weights = descend(&examples.all, runs, width, plan);
        let (weights, rest) = weights.split_at(runs * width);
        let (figures, biases) = rest.split_at(FEATURES * width);
        let unit = |weight: &f32| (weight * UNIT as f32).round();
        let row = |number: &usize| -> Vec<i8> {
            let row = weights[number * width..][..width].iter();
            let row = row.map(|weight| unit(weight) as i8);
            row.map(|weight| {
                if weight.unsigned_abs() < WEIGHT_MIN {
                    0
                } else {
                    weight
                }
            })
            .collect()
        };
        let rows = examples.numbers.iter();
        let rows = rows.map(|(key, number)| (*key, row(number)));
        let is_weighty = |row: &[i8]| row.iter().any(|one| one.unsigned_abs() >= ROW_MIN);
        // The figures are tenths.
        let figure = |weight: &f32| (weight * (UNIT * LEXICON_UNIT) as f32 / 10.0).round() as i16;
        Self {
            heads,
            biases: biases.iter().map(|bias| unit(bias) as i16).collect(),
            figures: figures.iter().map(figure).collect(),
            rows: rows.filter(|(_, row)| is_weighty(row)).collect(),
        }
    }

    /// The polarity in a model, if it has it.
    pub fn polarity(model: &Classifier) -> Option<Self> {
        let first = model.head(LABELS[0])?;
        let labels = first..first + LABELS.len();
        let small = |weight: &i32| *weight as i16;
        let rows = model.keys().filter_map(|key| {
            let row = &model.row(key)?[labels.clone()];
            let is_known = row.iter().any(|weight| *weight != 0);
            is_known.then(|| (key, row.to_vec()))
        });
        let figures = model.lexicon.chunks(model.heads.len());
        Some(Self {
            heads: LABELS.map(str::to_owned).to_vec(),
            biases: model.biases[labels.clone()].iter().map(small).collect(),
            figures: (figures.flat_map(|row| &row[labels.clone()]))
                .map(small)
                .collect(),
            rows: rows.collect(),
        })
    }

    /// The heads of this model, then those of `other`.
    pub fn join(self, other: &Self) -> Self {
        let [own, added] = [self.heads.len(), other.heads.len()];
        let mut rows = self.rows;
        for row in rows.values_mut() {
            row.resize(own + added, 0);
        }
        for (key, row) in &other.rows {
            let joined = rows.entry(*key).or_insert_with(|| vec![0; own + added]);
            joined[own..].copy_from_slice(row);
        }
        let figures = self.figures.chunks(own).zip(other.figures.chunks(added));
        Self {
            heads: [self.heads, other.heads.clone()].concat(),
            biases: [&*self.biases, &other.biases].concat(),
            figures: figures
                .flat_map(|(own, added)| [own, added].concat())
                .collect(),
            rows,
        }
    }

    /// The weights file, as `Classifier::parse` reads it.
    pub fn to_bytes(&self) -> Vec<u8> {
        let byte = |count: usize| u8::try_from(count).unwrap_or(u8::MAX);
        let mut bytes = b"RNG3".to_vec();
        bytes.push(byte(self.heads.len()));
        for head in &self.heads {
            bytes.push(byte(head.len()));
            bytes.extend_from_slice(head.as_bytes());
        }
        for number in self.biases.iter().chain(&self.figures) {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for (key, row) in &self.rows {
            let weights = row.iter().enumerate().filter(|(_, weight)| **weight != 0);
            bytes.extend_from_slice(&key.to_le_bytes());
            bytes.push(byte(weights.clone().count()));
            bytes.extend(weights.flat_map(|(head, weight)| [byte(head), weight.cast_unsigned()]));
        }
        bytes
    }
}

/// Gradient descent with [`Adam`] over all examples in each step. The rows of the n-grams are followed by those of the figures
/// and that of the biases.
fn descend(examples: &[Example], runs: usize, heads: usize, plan: Plan) -> Vec<f32> {
    let mut adam = Adam::new((runs + FEATURES + 1) * heads, STEPS, RATE);
    let bias = (runs + FEATURES) * heads;
    let mut sums = vec![0.0; heads];
    for step in 1..=STEPS {
        let weights = &adam.weights;
        let mut gradients: Vec<f32> = weights.iter().map(|weight| weight * plan.decay).collect();
        gradients[bias..].fill(0.0);
        for example in examples {
            let figures = example
                .figures
                .iter()
                .zip(runs..)
                .filter(|(value, _)| **value != 0.0);
            let values = example.runs.iter().map(|run| (*run, example.value));
            let values = values.chain(figures.map(|(value, row)| (row, *value)));
            sums.copy_from_slice(&weights[bias..]);
            for (row, value) in values.clone() {
                add(&mut sums, &weights[row * heads..][..heads], value);
            }
            errors(&mut sums, example, plan.is_exclusive);
            add(&mut gradients[bias..], &sums, 1.0);
            for (row, value) in values {
                add(&mut gradients[row * heads..][..heads], &sums, value);
            }
        }
        adam.descend(step, &gradients);
    }
    adam.weights
}

/// Replaces each sum by its error: the predicted probability minus the target, times the example's weight; 0 for an
/// unknown target.
fn errors(sums: &mut [f32], example: &Example, is_exclusive: bool) {
    let all: f32 = if is_exclusive {
        sums.iter().map(|sum| sum.exp()).sum()
    } else {
        0.0
    };
    for (sum, target) in sums.iter_mut().zip(&example.targets) {
        *sum = target.map_or(0.0, |is_so| {
            let chance = if is_exclusive {
                sum.exp() / all
            } else {
                1.0 / (1.0 + (-*sum).exp())
            };
            example.weight * (chance - f32::from(u8::from(is_so)))
        });
    }
}

fn add(sums: &mut [f32], row: &[f32], times: f32) {
    sums.iter_mut()
        .zip(row)
        .for_each(|(sum, weight)| *sum += weight * times);
}
