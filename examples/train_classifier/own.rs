//! The sentences that were written for this project: single ones by aspect, and those of whole reviews.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail};
use reviews_service::insights::classifier::LABELS;
use reviews_service::insights::rules::{HOME_SERVICES, Trade};
use serde::Deserialize;

use crate::examples::Targets;

/// Files of sentences with an aspect and a polarity, and whether a file has sentences of many trades; the others have
/// those of home services.
const TABLES: [(&str, bool); 4] = [
    ("examples/train_classifier/trade.tsv", false),
    ("examples/train_classifier/reviews.tsv", true),
    ("tests/gold/development.tsv", false),
    ("tests/gold/ordinary_development.tsv", false),
];
/// Whole reviews by many authors, in sentences.
const REVIEWS: &str = "examples/train_classifier/reviews.jsonl";
/// Single sentences by many authors that state facts calmly. They have no neighbouring sentences, so they are not used
/// to learn the weight of a sentence against its neighbours.
const CALM: &str = "tests/gold/calm/development.jsonl";
/// Sentences of reviews of one or two stars, and whether each complains.
const LOW_RATED: &str = "examples/train_classifier/low_rated.tsv";
/// Files whose sentences must not be used for training.
const HELD_OUT: [&str; 2] = [
    "tests/gold/held_out.tsv",
    "tests/gold/ordinary_held_out.tsv",
];
/// Aspects of food that no other trade has: a sentence with one of them belongs to food.
const OF_FOOD: [&str; 4] = ["food", "waiting", "order_accuracy", "atmosphere"];
/// The indices of the labels.
const NEGATIVE: usize = 0;
const NEUTRAL: usize = 1;
const POSITIVE: usize = 2;

/// A sentence with its annotations.
pub struct Sentence {
    pub text: String,
    /// The trade of the sentence, if known.
    trade: Option<String>,
    /// Aspects with the index of their label.
    said: Vec<(String, usize)>,
}

impl Sentence {
    /// For each aspect, whether the sentence has it, then whether it blames and praises each; `None` for aspects that its
    /// trade does not have, because it is not annotated with them.
    pub fn aspects(&self, aspects: &[String]) -> Targets {
        let trade = Trade::built_in(self.trade.as_deref().unwrap_or(HOME_SERVICES));
        let target = |aspect: &String, labels: &[usize]| {
            let is_it = |(said, label): &(String, usize)| said == aspect && labels.contains(label);
            (trade.aspect(aspect).is_some()).then(|| self.said.iter().any(is_it))
        };
        let all = aspects
            .iter()
            .map(|aspect| target(aspect, &[NEGATIVE, NEUTRAL, POSITIVE]));
        let judged = aspects
            .iter()
            .flat_map(|aspect| [NEGATIVE, POSITIVE].map(|label| target(aspect, &[label])));
        all.chain(judged).collect()
    }

    /// Whether it complains; `None` if it has no annotation, and its trade lacks aspects for some complaints.
    pub fn complains(&self) -> Option<bool> {
        let is_open = self.said.is_empty() && self.trade.as_deref() == Some("general");
        (!is_open).then(|| self.said.iter().any(|(_, label)| *label == NEGATIVE))
    }

    /// Its label, if all its annotations have the same one; `neutral` without annotations.
    pub fn label(&self) -> Option<usize> {
        let labels: BTreeSet<usize> = self.said.iter().map(|(_, label)| *label).collect();
        match labels.len() {
            0 => Some(NEUTRAL),
            1 => labels.first().copied(),
            _ => None,
        }
    }
}

/// A whole review by sentences.
#[derive(Deserialize)]
pub struct Review {
    /// An ID of the person who wrote it.
    pub author: String,
    /// The trade of the review.
    pub package: String,
    pub stars: u8,
    sentences: Vec<ReviewSentence>,
}

#[derive(Deserialize)]
struct ReviewSentence {
    text: String,
    said: Vec<(String, String)>,
}

/// An annotation: the first character, the one after the last, the aspect, and the index of the label.
pub type Said = (u32, u32, String, usize);

impl Review {
    /// The text with its annotations.
    pub fn joined(&self) -> (String, Vec<Said>) {
        let (mut text, mut all, mut start) = (String::new(), Vec::new(), 0);
        for sentence in &self.sentences {
            let len = u32::try_from(sentence.text.chars().count()).unwrap_or(u32::MAX);
            for (aspect, polarity) in &sentence.said {
                if let Ok(label) = label(polarity) {
                    all.push((start, start + len, aspect.clone(), label));
                }
            }
            text.push_str(&sentence.text);
            text.push(' ');
            start += len + 1;
        }
        (text, all)
    }

    /// Its sentences as single ones.
    pub fn sentences(&self) -> impl Iterator<Item = Sentence> {
        self.sentences.iter().map(|sentence| Sentence {
            text: sentence.text.clone(),
            trade: Some(self.package.clone()),
            said: sentence
                .said
                .iter()
                .filter_map(|(aspect, polarity)| Some((aspect.clone(), label(polarity).ok()?)))
                .collect(),
        })
    }
}

/// A single sentence with its findings; `overall` is its sentiment if it has none.
#[derive(Deserialize)]
struct CalmSentence {
    package: String,
    text: String,
    overall: String,
    findings: Vec<CalmFinding>,
}

#[derive(Deserialize)]
struct CalmFinding {
    aspect: String,
    polarity: String,
}

/// The single sentences.
pub fn sentences(root: &Path) -> anyhow::Result<Vec<Sentence>> {
    let mut sentences = Vec::new();
    for (file, is_of_many) in TABLES {
        sentences.extend(table(&root.join(file), is_of_many)?);
    }
    let content = fs::read_to_string(root.join(CALM)).context(CALM)?;
    for (number, line) in (1..).zip(content.lines()) {
        let context = || format!("{CALM}:{number}");
        let sentence: CalmSentence = serde_json::from_str(line).with_context(context)?;
        let mut said = Vec::new();
        for CalmFinding { aspect, polarity } in sentence.findings {
            said.push((aspect, label(&polarity).with_context(context)?));
        }
        if said.is_empty() {
            // `unclear` is neither praise nor a complaint.
            let overall = label(&sentence.overall).unwrap_or(NEUTRAL);
            said.push(("-".to_owned(), overall));
        }
        sentences.push(Sentence {
            text: sentence.text,
            trade: Some(sentence.package),
            said,
        });
    }
    Ok(sentences)
}

pub fn reviews(root: &Path) -> anyhow::Result<Vec<Review>> {
    let path = root.join(REVIEWS);
    let content = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let parse = |(number, line): (usize, &str)| {
        let review: Review =
            serde_json::from_str(line).with_context(|| format!("{REVIEWS}:{number}"))?;
        for (_, polarity) in review.sentences.iter().flat_map(|one| &one.said) {
            label(polarity).with_context(|| format!("{REVIEWS}:{number}"))?;
        }
        Ok(review)
    };
    (1..).zip(content.lines()).map(parse).collect()
}

/// The sentences of reviews of one or two stars, and whether each complains.
pub fn low_rated(root: &Path) -> anyhow::Result<Vec<(String, bool)>> {
    let content = fs::read_to_string(root.join(LOW_RATED)).context(LOW_RATED)?;
    let row = |row: &str| {
        let (text, complains) = row.split_once('\t').with_context(|| row.to_owned())?;
        Ok((text.to_owned(), complains == "yes"))
    };
    content.lines().skip(1).map(row).collect()
}

/// The held-out sentences, in the form of [`same`].
pub fn held_out(root: &Path) -> anyhow::Result<BTreeSet<String>> {
    let mut held = BTreeSet::new();
    for file in HELD_OUT {
        let sentences = table(&root.join(file), false)?;
        held.extend(sentences.iter().map(|sentence| same(&sentence.text)));
    }
    Ok(held)
}

/// The lowercase letters and digits of a sentence, by which different spellings are compared.
pub fn same(text: &str) -> String {
    text.chars()
        .filter(|character| character.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// The sentences of a file with the columns text, aspect and polarity; the aspect `-` means none.
fn table(path: &Path, is_of_many: bool) -> anyhow::Result<Vec<Sentence>> {
    let content = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let mut sentences: BTreeMap<String, Vec<(String, usize)>> = BTreeMap::new();
    for (line, row) in (1..).zip(content.lines()).skip(1) {
        let parts: Vec<&str> = row.split('\t').collect();
        let [text, aspect, polarity] = parts[..] else {
            bail!("{}:{line}: no text, aspect and polarity", path.display());
        };
        let said = sentences.entry(text.to_owned()).or_default();
        if aspect != "-" {
            let label = label(polarity).with_context(|| format!("{}:{line}", path.display()))?;
            said.push((aspect.to_owned(), label));
        }
    }
    let trade = |said: &[(String, usize)]| {
        let is_food = said
            .iter()
            .any(|(aspect, _)| OF_FOOD.contains(&aspect.as_str()));
        match (is_food, is_of_many) {
            (true, _) => Some("food"),
            (false, true) => None,
            (false, false) => Some("home_services"),
        }
    };
    Ok(sentences
        .into_iter()
        .map(|(text, said)| Sentence {
            text,
            trade: trade(&said).map(str::to_owned),
            said,
        })
        .collect())
}

fn label(polarity: &str) -> anyhow::Result<usize> {
    LABELS
        .iter()
        .position(|label| *label == polarity)
        .with_context(|| format!("`{polarity}` is no polarity"))
}
