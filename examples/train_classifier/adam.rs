//! Adam (Kingma and Ba 2015), with a learning rate that falls to 0.

/// The weights, and the moments of their gradients.
pub struct Adam {
    pub weights: Vec<f32>,
    first: Vec<f32>,
    second: Vec<f32>,
    steps: i32,
    rate: f32,
}

impl Adam {
    /// Starts with `weights` weights of 0, for `steps` steps and this initial learning rate.
    pub fn new(weights: usize, steps: i32, rate: f32) -> Self {
        Self {
            weights: vec![0.0; weights],
            first: vec![0.0; weights],
            second: vec![0.0; weights],
            steps,
            rate,
        }
    }

    /// Takes a step, counted from 1, against these gradients.
    pub fn descend(&mut self, step: i32, gradients: &[f32]) {
        let rate = self.rate * (self.steps - step + 1) as f32 / self.steps as f32;
        let (fade1, fade2) = (1.0 - 0.9_f32.powi(step), 1.0 - 0.999_f32.powi(step));
        let moments = self.first.iter_mut().zip(&mut self.second);
        for ((weight, (first, second)), gradient) in
            self.weights.iter_mut().zip(moments).zip(gradients)
        {
            *first += (gradient - *first) * 0.1;
            *second += (gradient * gradient - *second) * 0.001;
            *weight -= rate * (*first / fade1) / ((*second / fade2).sqrt() + 1e-8);
        }
    }
}
