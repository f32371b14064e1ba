//! The sums: what each word adds where it stands, and what the strongest match of each filter adds.
//! Integers alone, in a fixed order, so that the same text gives the same sums on every machine.

use std::array::from_fn;

use super::features::{PLACES, ROLES, Seen};
use super::weights::{FILTERS, INPUT, LABELS, PLACE, POINTS, ROLE, WIDTH, WORD, Weights};

/// What a part of the input adds to all filters, for each of the tokens that a filter sees.
type Row = [[i16; 2 * FILTERS]; WIDTH];

/// The weights, unfolded: since filters are sums, what each word, place and role adds to them is
/// known beforehand.
#[derive(Debug, Clone)]
pub struct Network {
    words: Vec<Row>,
    places: Vec<Row>,
    roles: Vec<Row>,
    gates: Vec<[i32; 2 * FILTERS]>,
    thresholds: [i32; 2 * FILTERS],
    outputs: [[i32; LABELS]; 2 * FILTERS],
    points: Vec<[i8; POINTS]>,
    reaches: Vec<i32>,
    priors: [[i32; LABELS]; 2],
    output_unit: i64,
    points_unit: i64,
}

/// What the sums came to, in thousandths, for negative, neutral and positive; and what made them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sums {
    /// The scores of negative, neutral and positive, priors included.
    pub labels: [i32; LABELS],
    /// Positive less negative of what each token added by itself.
    pub words: Vec<i32>,
    /// The same of the filters that matched around each token the most.
    pub phrases: Vec<i32>,
}

/// Filters are summed in eighths of their unit, so that rows fit in 16 bits.
const SHIFT: u32 = 3;
/// A gate that lets a match through as it is, as a power of two and as it stands in the tables.
const ONE_BITS: u32 = 6;
const ONE: i32 = 1 << ONE_BITS;

impl Network {
    /// Computes beforehand what each word, place and role adds to the filters.
    #[must_use]
    pub fn new(weights: &Weights) -> Self {
        let words = weights.keys.len() + 1;
        let rows = |table: &[i8], len: usize, count: usize, from: usize| {
            (0..count)
                .map(|at| row(&table[at * len..(at + 1) * len], &weights.filters, from))
                .collect()
        };
        Self {
            words: rows(&weights.words, WORD, words, 0),
            places: rows(&weights.places, PLACE, PLACES, WORD),
            roles: rows(&weights.roles, ROLE, ROLES, WORD + PLACE),
            gates: (0..PLACES)
                .map(|place| {
                    from_fn(|filter| {
                        if filter < FILTERS {
                            i32::from(weights.gates[place * FILTERS + filter])
                        } else {
                            ONE
                        }
                    })
                })
                .collect(),
            thresholds: from_fn(|filter| weights.thresholds[filter] >> SHIFT),
            outputs: from_fn(|filter| {
                from_fn(|label| i32::from(weights.outputs[filter * LABELS + label]))
            }),
            points: (0..words)
                .map(|word| from_fn(|at| weights.points[word * POINTS + at]))
                .collect(),
            reaches: weights.reaches.iter().copied().map(i32::from).collect(),
            priors: from_fn(|kind| from_fn(|label| weights.priors[kind * LABELS + label])),
            output_unit: i64::from(weights.output_unit) << SHIFT,
            points_unit: i64::from(weights.points_unit),
        }
    }

    /// Sums the priors, the points of all tokens, and each filter's strongest match.
    #[must_use]
    pub fn run(&self, seen: &[Seen]) -> Sums {
        let has_anchor = seen.iter().any(|seen| seen.is_anchor());
        let mut sums = Sums {
            labels: [0; LABELS],
            words: vec![0; seen.len()],
            phrases: vec![0; seen.len()],
        };
        let mut points = [0_i64; LABELS];
        for (token, added) in seen.iter().zip(&mut sums.words) {
            let row = &self.points[usize::from(token.word)];
            let reach = self.reaches[usize::from(token.place)];
            let from = usize::from(token.role & 1) * 2;
            let its = [
                i32::from(row[from]) * reach,
                0,
                i32::from(row[from + 1]) * reach,
            ];
            *added = thousandths(i64::from(its[2] - its[0]) * self.points_unit, 16);
            points
                .iter_mut()
                .zip(its)
                .for_each(|(sum, its)| *sum += i64::from(its));
        }
        let mut outputs = [0_i64; LABELS];
        for (filter, (most, at)) in self.strongest(seen).into_iter().enumerate() {
            let weights = self.outputs[filter];
            if let Some(added) = sums.phrases.get_mut(at) {
                *added += thousandths(
                    i64::from(weights[2] - weights[0]) * i64::from(most) * self.output_unit,
                    32,
                );
            }
            outputs
                .iter_mut()
                .zip(weights)
                .for_each(|(sum, weight)| *sum += i64::from(weight) * i64::from(most));
        }
        let priors = self.priors[usize::from(!has_anchor)];
        sums.labels = from_fn(|label| {
            priors[label]
                + thousandths(points[label] * self.points_unit, 16)
                + thousandths(outputs[label] * self.output_unit, 32)
        });
        sums
    }

    /// For each filter its strongest match, at least 0, and at which token; the second half looks
    /// at the anchor's tokens alone.
    fn strongest(&self, seen: &[Seen]) -> [(i32, usize); 2 * FILTERS] {
        let mut most = [(0, usize::MAX); 2 * FILTERS];
        for (at, token) in seen.iter().enumerate() {
            let mut sums = self.thresholds;
            for offset in 0..WIDTH {
                let Some(near) = (at + offset).checked_sub(1).and_then(|near| seen.get(near))
                else {
                    continue;
                };
                for row in [
                    &self.words[usize::from(near.word)][offset],
                    &self.places[usize::from(near.place)][offset],
                    &self.roles[usize::from(near.role)][offset],
                ] {
                    sums.iter_mut()
                        .zip(row)
                        .for_each(|(sum, add)| *sum += i32::from(*add));
                }
            }
            let filters = if token.is_anchor() {
                2 * FILTERS
            } else {
                FILTERS
            };
            let gates = &self.gates[usize::from(token.place)];
            for ((most, sum), gate) in most.iter_mut().zip(sums).zip(gates).take(filters) {
                let sum = (sum.max(0) * gate) >> ONE_BITS;
                if sum > most.0 {
                    *most = (sum, at);
                }
            }
        }
        most
    }
}

/// A sum in units of 2^-`shift` thousandths, in thousandths.
fn thousandths(value: i64, shift: u32) -> i32 {
    i32::try_from(value >> shift).unwrap_or(if value < 0 { i32::MIN } else { i32::MAX })
}

/// What `vector` adds to every filter, where its inputs begin at `from`.
fn row(vector: &[i8], filters: &[i8], from: usize) -> Row {
    from_fn(|offset| {
        from_fn(|filter| {
            let sum: i32 = (from..)
                .zip(vector)
                .map(|(input, value)| {
                    i32::from(*value)
                        * i32::from(filters[(offset * INPUT + input) * 2 * FILTERS + filter])
                })
                .sum();
            i16::try_from(sum >> SHIFT).unwrap_or(if sum < 0 { i16::MIN } else { i16::MAX })
        })
    })
}
