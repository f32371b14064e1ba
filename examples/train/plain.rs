//! The plain model that the figures are compared with: logistic regression on words and pairs of
//! words, each alone and together with the category.

use std::collections::{BTreeSet, HashMap};

use reviews_service::insights::model::features::form;

use crate::chance::Chance;
use crate::data::{About, Sentence};

const EPOCHS: usize = 15;
const RATE: f32 = 0.1;
const DECAY: f32 = 1e-4;

/// How many judgements there are in `test`, and how many of them a model of `train` tells right.
pub fn correct(train: &[Sentence], test: &[Sentence]) -> (usize, usize) {
    let mut cases: Vec<(Vec<String>, usize)> = train.iter().flat_map(cases).collect();
    let mut weights: HashMap<String, [(f32, f32); 3]> = HashMap::new();
    let mut chance = Chance(1);
    for _ in 0..EPOCHS {
        chance.shuffle(&mut cases);
        for (features, label) in &cases {
            let chances = chances(&weights, features);
            for feature in features {
                let its = weights.entry(feature.clone()).or_default();
                for (at, (weight, squares)) in its.iter_mut().enumerate() {
                    let gradient =
                        chances[at] - f32::from(u8::from(at == *label)) + DECAY * *weight;
                    *squares += gradient * gradient;
                    *weight -= RATE * gradient / (squares.sqrt() + 1e-6);
                }
            }
        }
    }
    let tests: Vec<(Vec<String>, usize)> = test.iter().flat_map(self::cases).collect();
    let right = tests.iter().filter(|(features, label)| {
        let chances = chances(&weights, features);
        (0..3).all(|other| chances[other] <= chances[*label])
    });
    (tests.len(), right.count())
}

fn chances(weights: &HashMap<String, [(f32, f32); 3]>, features: &[String]) -> [f32; 3] {
    let mut sums = [0.0_f32; 3];
    for its in features.iter().filter_map(|feature| weights.get(feature)) {
        sums.iter_mut()
            .zip(its)
            .for_each(|(sum, (weight, _))| *sum += weight);
    }
    let top = sums.iter().copied().fold(f32::MIN, f32::max);
    let odds = sums.map(|sum| (sum - top).exp());
    odds.map(|one| one / odds.iter().sum::<f32>())
}

fn cases(sentence: &Sentence) -> Vec<(Vec<String>, usize)> {
    let words: Vec<&str> = sentence
        .scope()
        .map(|at| form(&sentence.text, at))
        .collect();
    let grams: BTreeSet<String> = words
        .iter()
        .map(|word| (*word).to_owned())
        .chain(words.windows(2).map(|pair| pair.join(" ")))
        .collect();
    let case = |about: &About| match about {
        About::Category(category) => grams
            .iter()
            .cloned()
            .chain(grams.iter().map(|gram| format!("{category}: {gram}")))
            .chain([format!("{category}:")])
            .collect(),
        About::Whole | About::Tokens(_) => grams.iter().cloned().collect(),
    };
    sentence
        .judgements
        .iter()
        .map(|judgement| (case(&judgement.about), judgement.label))
        .collect()
}
