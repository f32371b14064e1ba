//! A multinomial logistic regression over a few figures.

const STEPS: i32 = 1_500;
const RATE: f64 = 0.03;
/// The strength of what holds weights small.
const DECAY: f64 = 1.0;

/// The weights: a row for each figure, with one for each outcome.
pub fn learn(examples: &[(Vec<f64>, usize)], outcomes: usize) -> Vec<f64> {
    let figures = examples.first().map_or(0, |(figures, _)| figures.len());
    let mut weights = vec![0.0_f64; figures * outcomes];
    let (mut first, mut second) = (weights.clone(), weights.clone());
    for step in 1..=STEPS {
        let mut gradients: Vec<f64> = weights.iter().map(|weight| weight * DECAY).collect();
        for (values, outcome) in examples {
            let mut chances = vec![0.0; outcomes];
            for (value, row) in values.iter().zip(weights.chunks(outcomes)) {
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
        let rate = RATE * f64::from(STEPS - step + 1) / f64::from(STEPS);
        let (fade1, fade2) = (1.0 - 0.9_f64.powi(step), 1.0 - 0.999_f64.powi(step));
        for (at, gradient) in gradients.iter().enumerate() {
            first[at] += (gradient - first[at]) * 0.1;
            second[at] += (gradient * gradient - second[at]) * 0.001;
            weights[at] -= rate * (first[at] / fade1) / ((second[at] / fade2).sqrt() + 1e-8);
        }
    }
    weights
}
