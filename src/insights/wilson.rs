//! The interval that stands beside every share: Wilson's score interval, for counts of reviews and
//! of annotated sentences alike.

/// The quantile of the normal distribution that leaves 2.5 % on either side.
pub const Z95: f64 = 1.959_963_984_540_054;

/// The ends of the 95 % interval of a share of `n`; `n` is above 0.
#[must_use]
pub fn interval(share: f64, n: f64) -> [f64; 2] {
    let square = Z95 * Z95;
    let middle = (share + square / (2.0 * n)) / (1.0 + square / n);
    let half =
        Z95 / (1.0 + square / n) * (share * (1.0 - share) / n + square / (4.0 * n * n)).sqrt();
    [(middle - half).max(0.0), (middle + half).min(1.0)]
}
