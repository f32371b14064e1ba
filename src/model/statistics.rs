//! Statistics of published figures. They must give the same bits everywhere: counts are integers, and derived values use
//! only the four operations and the square root, which IEEE 754 rounds exactly.

use std::cmp::Ordering;

/// `value` to the nearest multiple of `1 / parts`: `round_to(x, 1000.0)` has three decimals.
pub fn round_to(value: f64, parts: f64) -> f64 {
    (value * parts).round() / parts
}

// Wilson's score interval, for shares of reviews and of annotated sentences.

/// The quantile of the normal distribution with 2.5 % on either side.
const Z95: f64 = 1.959_963_984_540_054;

/// The ends of the 95 % interval of a share of `n`; `n` is above 0.
pub fn interval(share: f64, n: f64) -> [f64; 2] {
    let square = Z95 * Z95;
    let middle = (share + square / (2.0 * n)) / (1.0 + square / n);
    let half =
        Z95 / (1.0 + square / n) * (share * (1.0 - share) / n + square / (4.0 * n * n)).sqrt();
    [(middle - half).max(0.0), (middle + half).min(1.0)]
}

/// Minimum number of reviews on each side of a comparison.
pub const COMPARED_MIN: u32 = 10;

/// How the second share (part and whole) differs from the first: `Equal` if their 95 % intervals overlap, `None` if one has
/// fewer than [`COMPARED_MIN`].
pub fn compare(before: (u32, u32), now: (u32, u32)) -> Option<Ordering> {
    if before.1.min(now.1) < COMPARED_MIN {
        return None;
    }
    let ends = |(part, whole): (u32, u32)| {
        let whole = f64::from(whole);
        interval(f64::from(part) / whole, whole)
    };
    let ([low_before, high_before], [low, high]) = (ends(before), ends(now));
    Some(if low > high_before {
        Ordering::Greater
    } else if high < low_before {
        Ordering::Less
    } else {
        Ordering::Equal
    })
}
