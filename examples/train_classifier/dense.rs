//! A multinomial logistic regression over a few figures.

use crate::adam::Adam;

const STEPS: i32 = 1_500;
const RATE: f32 = 0.03;
/// The strength of the L2 regularisation.
const DECAY: f32 = 1.0;

/// The figures of an example, and its outcome.
pub type Row = (Vec<f32>, usize);

/// The weights: one row per figure, one column per outcome.
pub fn learn(rows: &[Row], outcomes: usize) -> Vec<f32> {
    let figures = rows.first().map_or(0, |(figures, _)| figures.len());
    let mut adam = Adam::new(figures * outcomes, STEPS, RATE);
    let mut chances = vec![0.0; outcomes];
    for step in 1..=STEPS {
        let mut gradients: Vec<f32> = adam.weights.iter().map(|weight| weight * DECAY).collect();
        for (values, outcome) in rows {
            chances.fill(0.0);
            for (value, row) in values.iter().zip(adam.weights.chunks(outcomes)) {
                for (chance, weight) in chances.iter_mut().zip(row) {
                    *chance += value * weight;
                }
            }
            let highest = chances.iter().copied().fold(f32::MIN, f32::max);
            chances
                .iter_mut()
                .for_each(|chance| *chance = (*chance - highest).exp());
            let all: f32 = chances.iter().sum();
            for (at, chance) in chances.iter_mut().enumerate() {
                *chance = *chance / all - f32::from(u8::from(at == *outcome));
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

/// The weights of two outcomes, as the differences of the second to the first.
pub fn learn_odds(rows: &[Row]) -> Vec<f32> {
    let weights = learn(rows, 2);
    weights.chunks(2).map(|row| row[1] - row[0]).collect()
}
