//! Learns polarity in languages other than English, from the whole reviews in a language's folder next to this file.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use reviews_service::insights::classifier::LABELS;
use reviews_service::insights::classifier::ngrams::RUN_MAX;
use reviews_service::insights::text::{LanguageWords, TokenizedText};
use reviews_service::insights::trades::{HOME_SERVICES, shipped};
use serde::Deserialize;

use crate::examples::{Examples, one_of};
use crate::learn::Plan;
use crate::models::Learned;

/// As for English, but with less regularisation: the training data has only a few hundred sentences.
const PLAN: Plan = Plan {
    is_exclusive: true,
    decay: 1.0,
};

/// A whole review by sentences. For a sentence without an aspect, the aspect `-` has its overall sentiment.
#[derive(Deserialize)]
struct Review {
    author: String,
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

/// The codes of the languages that have a folder.
pub fn codes(root: &Path) -> anyhow::Result<BTreeSet<String>> {
    let trade = shipped(HOME_SERVICES)?;
    let codes = trade.languages.iter().map(|one| one.words.code);
    let codes = codes.map(|code| code.as_str().to_owned());
    Ok(codes.filter(|code| path(root, code).exists()).collect())
}

fn path(root: &Path, code: &str) -> std::path::PathBuf {
    root.join(format!("examples/train_classifier/{code}/reviews.jsonl"))
}

/// The polarity weights of the language with that code, trained without the reviews of the authors in `without`.
pub fn polarity(root: &Path, code: &str, without: &[String]) -> anyhow::Result<Vec<u8>> {
    let trade = shipped(HOME_SERVICES)?;
    let mut words = trade.languages.iter().map(|one| &one.words);
    let words: &Arc<LanguageWords> = words
        .find(|words| words.code.as_str() == code)
        .with_context(|| format!("no package has the language `{code}`"))?;
    let path = path(root, code);
    let content = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let mut examples = Examples::new(false, RUN_MAX);
    for line in content.lines() {
        let review: Review = serde_json::from_str(line).with_context(|| line.to_owned())?;
        if without.contains(&review.author) {
            continue;
        }
        for sentence in &review.sentences {
            let Some(label) = sentence.label()? else {
                continue;
            };
            let text = TokenizedText::of(&sentence.text, words);
            let all = 0..text.tokens().len();
            examples.add_part(&text, all, one_of(label), 1.0);
        }
    }
    Ok(Learned::new(&LABELS, examples, PLAN).to_bytes())
}
