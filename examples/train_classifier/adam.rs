//! Adam (Kingma and Ba 2015), with a learning rate that falls to 0.

/// The weights, and the moments of their gradients.
pub struct Adam {
    pub weights: Vec<f64>,
    first: Vec<f64>,
    second: Vec<f64>,
    steps: i32,
    rate: f64,
}

impl Adam {
    /// Starts with `weights` weights of 0, for `steps` steps and this initial learning rate.
    pub fn new(weights: usize, steps: i32, rate: f64) -> Self {
        Self {
            weights: vec![0.0; weights],
            first: vec![0.0; weights],
            second: vec![0.0; weights],
            steps,
            rate,
        }
    }

    /// Takes a step, counted from 1, against these gradients.
    pub fn descend(&mut self, step: i32, gradients: &[f64]) {
        let rate = self.rate * f64::from(self.steps - step + 1) / f64::from(self.steps);
        let (fade1, fade2) = (1.0 - 0.9_f64.powi(step), 1.0 - 0.999_f64.powi(step));
        for (at, gradient) in gradients.iter().enumerate() {
            let (first, second) = (&mut self.first[at], &mut self.second[at]);
            *first += (gradient - *first) * 0.1;
            *second += (gradient * gradient - *second) * 0.001;
            self.weights[at] -= rate * (*first / fade1) / ((*second / fade2).sqrt() + 1e-8);
        }
    }
}
