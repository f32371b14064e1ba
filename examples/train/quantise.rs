//! From floating point to the integers of the weights file.

use std::array::from_fn;

use reviews_service::insights::model::weights::{LABELS, Weights};

use crate::learn::{Net, PRIORS};

/// The integers that come nearest. Inputs share one unit, since filters add them up.
pub fn quantise(net: &Net, keys: &[u32]) -> Weights {
    let (tables, values) = (&net.tables, &net.values);
    let words = &values[tables.words..tables.points];
    let points = &values[tables.points..tables.places];
    let places = &values[tables.places..tables.reaches];
    let reaches = &values[tables.reaches..tables.roles];
    let roles = &values[tables.roles..tables.filters];
    let filters = &values[tables.filters..tables.thresholds];
    let thresholds = &values[tables.thresholds..tables.outputs];
    let outputs = &values[tables.outputs..tables.priors];
    let input_unit = unit(&[words, places, roles]);
    let (filter_unit, output_unit) = (unit(&[filters]), unit(&[outputs]));
    let (point_unit, reach_unit) = (unit(&[points]), unit(&[reaches]));
    Weights {
        keys: keys.to_vec(),
        words: small(words, input_unit),
        points: small(points, point_unit),
        places: small(places, input_unit),
        reaches: small(reaches, reach_unit),
        roles: small(roles, input_unit),
        filters: small(filters, filter_unit),
        gates: small(&values[tables.gates..tables.end], 64.0),
        outputs: small(outputs, output_unit),
        thresholds: thresholds
            .iter()
            .map(|value| (value * input_unit * filter_unit).round() as i32)
            .collect(),
        priors: values[tables.priors..tables.priors + 2 * LABELS]
            .iter()
            .map(|value| (value * 1000.0).round() as i32)
            .collect(),
        output_unit: (1000.0 * 4_294_967_296.0 / f64::from(input_unit * filter_unit * output_unit))
            .round() as i32,
        points_unit: (1000.0 * 65_536.0 / f64::from(point_unit * reach_unit)).round() as i32,
    }
}

/// What a category's judgements begin with beyond those of a term, or of a whole where no word
/// stands for it; thousandths.
pub fn leans(net: &Net) -> Vec<[[i32; LABELS]; 2]> {
    let prior = |at: usize, label: usize| net.values[net.tables.priors + at * LABELS + label];
    let lean = |category: usize| {
        from_fn(|kind| {
            from_fn(|label| ((prior(category, label) - prior(kind, label)) * 1000.0).round() as i32)
        })
    };
    (0..PRIORS).map(lean).collect()
}

/// How many units make 1, so that all but a few in a thousand of the values fit.
fn unit(tables: &[&[f32]]) -> f32 {
    let mut sizes: Vec<f32> = tables
        .iter()
        .flat_map(|table| table.iter())
        .map(|value| value.abs())
        .collect();
    sizes.sort_by(f32::total_cmp);
    let most = sizes[(sizes.len() - 1) * 9995 / 10_000];
    127.0 / most.max(0.01)
}

fn small(values: &[f32], unit: f32) -> Vec<i8> {
    values
        .iter()
        .map(|value| (value * unit).round().clamp(-127.0, 127.0) as i8)
        .collect()
}
