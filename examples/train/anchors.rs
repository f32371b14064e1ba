//! Which words stand for a category: logistic regression of "the sentence is annotated with it" on
//! the words in it. For the categories of MAMS alone; the product knows where its aspects are
//! named.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use reviews_service::insights::model::features::form;
use reviews_service::insights::text::Shape;

use crate::data::{About, Sentence};

const EPOCHS: usize = 20;
const RATE: f32 = 0.5;
const DECAY: f32 = 0.0006;

/// For each category, each word's weight: hundredths, those below 24 left out.
pub struct Anchors(BTreeMap<String, BTreeMap<String, i8>>);

impl Anchors {
    pub fn learn(sentences: &[Sentence]) -> Self {
        let categories: BTreeSet<&str> = sentences.iter().flat_map(categories).collect();
        Self(
            categories
                .into_iter()
                .map(|category| (category.to_owned(), weights(sentences, category)))
                .collect(),
        )
    }

    /// A category's index in alphabetical order; `None` where no training sentence has it.
    pub fn number(&self, category: &str) -> Option<usize> {
        self.0.keys().position(|its| its == category)
    }

    /// How many bytes the table takes: a key of 24 bits and a weight for each word, three numbers
    /// for each category.
    pub fn bytes(&self) -> usize {
        self.0.values().map(|words| words.len() * 4 + 12).sum()
    }

    /// The tokens that stand for a category: the best, and those not far from it.
    pub fn find(&self, sentence: &Sentence, category: &str) -> Vec<Range<usize>> {
        let weights = self.0.get(category);
        let weight = |at: usize| {
            let is_mark = sentence.text.tokens()[at].shape == Shape::Mark;
            if is_mark {
                0
            } else {
                weights
                    .and_then(|words| words.get(form(&sentence.text, at)))
                    .copied()
                    .unwrap_or(0)
            }
        };
        let best = sentence.scope().map(weight).max().unwrap_or(0);
        let enough = (i32::from(best) * 6 / 10).max(i32::from(best.min(100)));
        sentence
            .scope()
            .filter(|at| best > 0 && i32::from(weight(*at)) >= enough)
            .map(|at| at..at + 1)
            .collect()
    }
}

fn categories(sentence: &Sentence) -> impl Iterator<Item = &str> {
    sentence
        .judgements
        .iter()
        .filter_map(|judgement| match &judgement.about {
            About::Category(category) => Some(category.as_str()),
            About::Whole | About::Tokens(_) => None,
        })
}

fn weights(sentences: &[Sentence], category: &str) -> BTreeMap<String, i8> {
    let cases: Vec<(BTreeSet<&str>, bool)> = sentences
        .iter()
        .map(|sentence| {
            let words = sentence
                .scope()
                .map(|at| form(&sentence.text, at))
                .collect();
            (words, categories(sentence).any(|its| its == category))
        })
        .collect();
    let mut weights: BTreeMap<&str, f32> = BTreeMap::new();
    let mut bias = -2.0_f32;
    for epoch in 0..EPOCHS {
        let rate = RATE / (1.0 + epoch as f32);
        for (words, is_so) in &cases {
            let sum = bias
                + words
                    .iter()
                    .filter_map(|word| weights.get(word))
                    .sum::<f32>();
            let error = f32::from(u8::from(*is_so)) - 1.0 / (1.0 + (-sum).exp());
            bias += rate * error * 0.1;
            for word in words {
                let weight = weights.entry(word).or_default();
                *weight += rate * (error - DECAY * *weight);
            }
        }
    }
    let small = |(word, weight): (&str, f32)| {
        let hundredths = (weight * 30.0).round().clamp(-127.0, 127.0) as i8;
        (hundredths >= 24).then(|| (word.to_owned(), hundredths))
    };
    weights.into_iter().filter_map(small).collect()
}
