//! A multinomial logistic regression over a few figures.

use crate::adam::Adam;

const STEPS: i32 = 1_500;
const RATE: f64 = 0.03;
/// The strength of the L2 regularisation.
const DECAY: f64 = 1.0;

/// The weights: one row per figure, one column per outcome.
pub fn learn(examples: &[(Vec<f64>, usize)], outcomes: usize) -> Vec<f64> {
    let figures = examples.first().map_or(0, |(figures, _)| figures.len());
    let mut adam = Adam::new(figures * outcomes, STEPS, RATE);
    for step in 1..=STEPS {
        let mut gradients: Vec<f64> = adam.weights.iter().map(|weight| weight * DECAY).collect();
        for (values, outcome) in examples {
            let mut chances = vec![0.0; outcomes];
            for (value, row) in values.iter().zip(adam.weights.chunks(outcomes)) {
                for (chance, weight) in chances.iter_mut().zip(row) {
                    *chance += value * weight;
                }
            }
            let highest = chances.iter().copied().fold(f64::MIN, f64::max);
            chances
                .iter_mut()
                .for_each(|chance| *chance = (*chance - highest).exp());
            let all: f64 = chances.iter().sum();
            for (at, chance) in chances.iter_mut().enumerate() {
                *chance = *chance / all - f64::from(u8::from(at == *outcome));
            }
            for (value, row) in values.iter().zip(gradients.chunks_mut(outcomes)) {
                for (gradient, error) in row.iter_mut().zip(&chances) {
                    *gradient += value * error;
                }
            }
        }
        adam.descend(step, &gradients);
    }
    adam.weights
}
