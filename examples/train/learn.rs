//! Learning: the network of `insights::model` in floating point, its gradients, and Adam (Kingma
//! and Ba 2015).

use reviews_service::insights::model::features::{PLACES, ROLES, Seen};
use reviews_service::insights::model::weights::{
    FILTERS, INPUT, LABELS, PLACE, POINTS, ROLE, WIDTH, WORD,
};

use crate::chance::Chance;

/// A sentence as seen from what is judged.
#[derive(Debug, Clone)]
pub struct Example {
    pub seen: Vec<Seen>,
    /// 0 negative, 1 neutral, 2 positive.
    pub label: usize,
    /// Which sums the labels begin with: [`ANCHORED`], [`WHOLE`], or those of a category.
    pub prior: usize,
}

/// The judgement is of a term.
pub const ANCHORED: usize = 0;
/// The judgement is of the whole sentence.
pub const WHOLE: usize = 1;
/// How many beginnings there are: those two, and those of eight categories.
pub const PRIORS: usize = 10;

/// The hyperparameters of one training run.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    pub epochs: usize,
    pub batch: usize,
    pub rate: f32,
    pub input_dropout: f32,
    pub output_dropout: f32,
    /// How much the words' points shrink in each step, relative to the rate.
    pub decay: f32,
    /// How much of the last steps' mean is kept in each step: the mean is what is learned.
    pub inertia: f32,
    pub seed: u64,
}

const TWICE: usize = 2 * FILTERS;

/// Where each table begins in the one vector of parameters.
#[derive(Debug, Clone, Copy)]
pub struct Tables {
    pub words: usize,
    pub points: usize,
    pub places: usize,
    pub reaches: usize,
    pub roles: usize,
    pub filters: usize,
    pub thresholds: usize,
    pub outputs: usize,
    pub priors: usize,
    pub gates: usize,
    pub end: usize,
}

impl Tables {
    pub fn new(words: usize) -> Self {
        let mut end = 0;
        let mut table = |len: usize| {
            let start = end;
            end += len;
            start
        };
        Self {
            words: table(words * WORD),
            points: table(words * POINTS),
            places: table(PLACES * PLACE),
            reaches: table(PLACES),
            roles: table(ROLES * ROLE),
            filters: table(WIDTH * INPUT * TWICE),
            thresholds: table(TWICE),
            outputs: table(TWICE * LABELS),
            priors: table(PRIORS * LABELS),
            gates: table(PLACES * FILTERS),
            end,
        }
    }
}

/// The network's parameters in one vector, and where its tables begin.
pub struct Net {
    pub tables: Tables,
    pub values: Vec<f32>,
}

/// What a run leaves for the gradients.
struct Run {
    inputs: Vec<[f32; INPUT]>,
    kept: Vec<[f32; INPUT]>,
    words: Vec<usize>,
    /// Of each filter: its strongest match, where, and by what it was multiplied.
    most: [(f32, usize, f32); TWICE],
    /// What each filter's match was before its gate.
    ungated: [f32; TWICE],
    chances: [f32; LABELS],
}

impl Net {
    pub fn new(words: usize, chance: &mut Chance) -> Self {
        let tables = Tables::new(words);
        let mut values = vec![0.0; tables.end];
        for value in &mut values[tables.words..tables.points] {
            *value = chance.normal(0.1);
        }
        for value in &mut values[tables.places..tables.reaches] {
            *value = chance.normal(0.1);
        }
        values[tables.reaches..tables.roles].fill(1.0);
        for value in &mut values[tables.roles..tables.filters] {
            *value = chance.normal(0.5);
        }
        values[tables.gates..].fill(1.0);
        let bound = 1.0 / ((WIDTH * INPUT) as f32).sqrt();
        for value in &mut values[tables.filters..tables.outputs] {
            *value = (chance.fraction() * 2.0 - 1.0) * bound;
        }
        let bound = 1.0 / (TWICE as f32).sqrt();
        for value in &mut values[tables.outputs..tables.priors] {
            *value = (chance.fraction() * 2.0 - 1.0) * bound;
        }
        Self { tables, values }
    }

    #[expect(
        clippy::too_many_lines,
        reason = "to be split: lines are shorter than when it was written"
    )]
    fn run(&self, example: &Example, plan: &Plan, chance: &mut Chance) -> Run {
        let seen = &example.seen;
        let (tables, values) = (&self.tables, &self.values);
        let words: Vec<usize> = seen.iter().map(|seen| usize::from(seen.word)).collect();
        let mut run = Run {
            inputs: Vec::with_capacity(seen.len()),
            kept: Vec::with_capacity(seen.len()),
            words,
            most: [(0.0, usize::MAX, 1.0); TWICE],
            ungated: [0.0; TWICE],
            chances: [0.0; LABELS],
        };
        for (token, word) in seen.iter().zip(&run.words) {
            let mut kept = [1.0; INPUT];
            let mut its = [0.0; INPUT];
            let parts = [
                &values[tables.words + word * WORD..][..WORD],
                &values[tables.places + usize::from(token.place) * PLACE..][..PLACE],
                &values[tables.roles + usize::from(token.role) * ROLE..][..ROLE],
            ];
            for ((to, kept), from) in its
                .iter_mut()
                .zip(&mut kept)
                .zip(parts.into_iter().flatten())
            {
                *kept = dropped(plan.input_dropout, chance);
                *to = from * *kept;
            }
            run.inputs.push(its);
            run.kept.push(kept);
        }
        let filters = &values[tables.filters..tables.thresholds];
        for (at, token) in seen.iter().enumerate() {
            let count = if token.is_anchor() { TWICE } else { FILTERS };
            let mut sums = [0.0; TWICE];
            sums.copy_from_slice(&values[tables.thresholds..tables.outputs]);
            for offset in 0..WIDTH {
                let Some(near) = (at + offset)
                    .checked_sub(1)
                    .and_then(|near| run.inputs.get(near))
                else {
                    continue;
                };
                for (input, value) in near.iter().enumerate() {
                    let row = &filters[(offset * INPUT + input) * TWICE..][..TWICE];
                    if count == TWICE {
                        sums.iter_mut()
                            .zip(row)
                            .for_each(|(sum, weight)| *sum += weight * value);
                    } else {
                        sums[..FILTERS]
                            .iter_mut()
                            .zip(row)
                            .for_each(|(sum, weight)| *sum += weight * value);
                    }
                }
            }
            for (filter, sum) in sums.into_iter().enumerate().take(count) {
                let value =
                    sum.max(0.0) * self.gate(filter, *token).map_or(1.0, |gate| values[gate]);
                if value > run.most[filter].0 {
                    (run.most[filter].0, run.most[filter].1) = (value, at);
                    run.ungated[filter] = sum;
                }
            }
        }
        self.tell(example, &mut run, plan, chance);
        run
    }

    /// The labels' chances, from the filters' matches and the words' points.
    fn tell(&self, example: &Example, run: &mut Run, plan: &Plan, chance: &mut Chance) {
        let (tables, values) = (&self.tables, &self.values);
        let mut labels = [0.0_f32; LABELS];
        labels.copy_from_slice(&values[tables.priors + example.prior * LABELS..][..LABELS]);
        for (token, word) in example.seen.iter().zip(&run.words) {
            let reach = values[tables.reaches + usize::from(token.place)];
            let points = tables.points + word * POINTS + usize::from(token.role & 1) * 2;
            labels[0] += values[points] * reach;
            labels[2] += values[points + 1] * reach;
        }
        for (filter, most) in run.most.iter_mut().enumerate() {
            most.2 = dropped(plan.output_dropout, chance);
            let weights = &values[tables.outputs + filter * LABELS..][..LABELS];
            labels
                .iter_mut()
                .zip(weights)
                .for_each(|(sum, weight)| *sum += weight * most.0 * most.2);
        }
        let top = labels.iter().copied().fold(f32::MIN, f32::max);
        let odds = labels.map(|label| (label - top).exp());
        let total: f32 = odds.iter().sum();
        run.chances = odds.map(|odds| odds / total);
    }

    /// Where a filter's gate at a token is; those of the anchor have none.
    fn gate(&self, filter: usize, token: Seen) -> Option<usize> {
        (filter < FILTERS).then(|| self.tables.gates + usize::from(token.place) * FILTERS + filter)
    }

    /// Adds the gradients of one example's loss.
    #[expect(
        clippy::too_many_lines,
        reason = "to be split: lines are shorter than when it was written"
    )]
    fn learn(&self, example: &Example, run: &Run, gradients: &mut [f32]) {
        let (tables, values) = (&self.tables, &self.values);
        let mut error = run.chances;
        error[example.label] -= 1.0;
        let priors = tables.priors + example.prior * LABELS;
        gradients[priors..priors + LABELS]
            .iter_mut()
            .zip(error)
            .for_each(|(gradient, error)| *gradient += error);
        for (token, word) in example.seen.iter().zip(&run.words) {
            let reach = tables.reaches + usize::from(token.place);
            let points = tables.points + word * POINTS + usize::from(token.role & 1) * 2;
            for (points, error) in [(points, error[0]), (points + 1, error[2])] {
                gradients[reach] += error * values[points];
                gradients[points] += error * values[reach];
            }
        }
        let mut inputs = vec![[0.0_f32; INPUT]; example.seen.len()];
        for (filter, &(most, at, kept)) in run.most.iter().enumerate() {
            if most <= 0.0 || kept == 0.0 {
                continue;
            }
            let weights = tables.outputs + filter * LABELS;
            let mut pull = 0.0;
            for (label, error) in error.iter().enumerate() {
                gradients[weights + label] += error * most * kept;
                pull += error * values[weights + label] * kept;
            }
            if let Some(gate) = self.gate(filter, example.seen[at]) {
                gradients[gate] += pull * run.ungated[filter];
                pull *= values[gate];
            }
            gradients[tables.thresholds + filter] += pull;
            for offset in 0..WIDTH {
                let Some(near) = (at + offset)
                    .checked_sub(1)
                    .filter(|near| *near < inputs.len())
                else {
                    continue;
                };
                #[expect(
                    clippy::needless_range_loop,
                    reason = "three tables are walked in step"
                )]
                for input in 0..INPUT {
                    let weight = tables.filters + (offset * INPUT + input) * TWICE + filter;
                    gradients[weight] += pull * run.inputs[near][input];
                    inputs[near][input] += pull * values[weight];
                }
            }
        }
        for (at, token) in example.seen.iter().enumerate() {
            let starts = [
                (tables.words + run.words[at] * WORD, WORD),
                (tables.places + usize::from(token.place) * PLACE, PLACE),
                (tables.roles + usize::from(token.role) * ROLE, ROLE),
            ];
            let mut input = 0;
            for (start, len) in starts {
                for gradient in &mut gradients[start..start + len] {
                    *gradient += inputs[at][input] * run.kept[at][input];
                    input += 1;
                }
            }
        }
    }
}

/// 0 for what is dropped, and what makes up for it for the rest.
fn dropped(dropout: f32, chance: &mut Chance) -> f32 {
    if chance.fraction() < dropout {
        0.0
    } else {
        1.0 / (1.0 - dropout)
    }
}

/// Learns from `examples`; the same plan and examples give the same network.
pub fn learn(words: usize, examples: &[Example], plan: &Plan) -> Net {
    let mut chance = Chance(plan.seed);
    let mut net = Net::new(words, &mut chance);
    let mut order: Vec<usize> = (0..examples.len()).collect();
    let steps = plan.epochs * examples.len().div_ceil(plan.batch);
    let (mut first, mut second) = (
        vec![0.0_f32; net.values.len()],
        vec![0.0_f32; net.values.len()],
    );
    let mut gradients = vec![0.0_f32; net.values.len()];
    let mut mean = net.values.clone();
    let points = net.tables.points..net.tables.places;
    let (mut step, mut fade1, mut fade2) = (0_usize, 1.0_f32, 1.0_f32);
    for _ in 0..plan.epochs {
        chance.shuffle(&mut order);
        for batch in order.chunks(plan.batch) {
            gradients.fill(0.0);
            for at in batch {
                let run = net.run(&examples[*at], plan, &mut chance);
                net.learn(&examples[*at], &run, &mut gradients);
            }
            let rate = plan.rate * (1.0 - step as f32 / steps as f32);
            step += 1;
            (fade1, fade2) = (fade1 * 0.9, fade2 * 0.999);
            let share = 1.0 / batch.len() as f32;
            for (at, value) in net.values.iter_mut().enumerate() {
                let gradient = gradients[at] * share;
                first[at] += (gradient - first[at]) * 0.1;
                second[at] += (gradient * gradient - second[at]) * 0.001;
                let decay = if points.contains(&at) {
                    plan.decay * *value
                } else {
                    0.0
                };
                *value -= rate
                    * (first[at] / (1.0 - fade1) / ((second[at] / (1.0 - fade2)).sqrt() + 1e-8)
                        + decay);
                mean[at] += (*value - mean[at]) * (1.0 - plan.inertia);
            }
        }
    }
    net.values = mean;
    net
}
