//! Learns polarity in Spanish, from the whole reviews in the folder `es`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::Context as _;
use reviews_service::insights::Language;
use reviews_service::insights::classifier::LABELS;
use reviews_service::insights::text::TokenizedText;
use reviews_service::insights::words::LanguageWords;
use serde::Deserialize;

use crate::examples::{Examples, Features, one_of};
use crate::learn::{Learned, Plan};
use crate::models::POLARITY_FEATURES;

const REVIEWS: &str = "examples/train_classifier/es/reviews.jsonl";
/// As for English, but with less regularisation: the training data has only a few hundred sentences.
const PLAN: Plan = Plan {
    is_exclusive: true,
    decay: 1.0,
};
/// The words of the lexicon are English.
const FEATURES: Features = Features {
    takes_figures: false,
    ..POLARITY_FEATURES
};

/// A whole review by sentences. For a sentence without an aspect, the aspect `-` has its overall sentiment.
#[derive(Deserialize)]
struct Review {
    sentences: Vec<Sentence>,
}

#[derive(Deserialize)]
struct Sentence {
    text: String,
    said: Vec<(String, String)>,
}

impl Sentence {
    /// Its label, if all its annotations have the same one.
    fn label(&self) -> anyhow::Result<Option<usize>> {
        let place = |(_, polarity): &(String, String)| {
            let mut labels = LABELS.iter();
            (labels.position(|label| label == polarity))
                .with_context(|| format!("`{polarity}` is no polarity: {}", self.text))
        };
        let labels = self.said.iter().map(place);
        let labels: BTreeSet<usize> = labels.collect::<anyhow::Result<_>>()?;
        Ok(labels.first().copied().filter(|_| labels.len() == 1))
    }
}

pub fn spanish(root: &Path) -> anyhow::Result<Learned> {
    let words = LanguageWords::of(Language::Spanish);
    let content = fs::read_to_string(root.join(REVIEWS)).context(REVIEWS)?;
    let mut examples = Examples::new(FEATURES);
    for line in content.lines() {
        let review: Review = serde_json::from_str(line).with_context(|| line.to_owned())?;
        for sentence in &review.sentences {
            if let Some(label) = sentence.label()? {
                let text = TokenizedText::of(&sentence.text, words);
                let all = 0..text.tokens().len();
                examples.add_part(&text, all, one_of(label), 1.0);
            }
        }
    }
    let labels = LABELS.map(str::to_owned).to_vec();
    Ok(Learned::new(labels, examples, PLAN))
}
