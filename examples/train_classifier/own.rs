//! The sentences that were written for this: single ones by aspect, and those of whole reviews.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail};
use reviews_service::insights::classifier::LABELS;
use serde::Deserialize;

use crate::examples::Targets;

/// Sentences with an aspect and a polarity, below the repository; of home services, but the second,
/// which holds those of many trades.
const TABLES: [(&str, bool); 4] = [
    ("examples/train_classifier/trade.tsv", false),
    ("examples/train_classifier/reviews.tsv", true),
    ("tests/gold/development.tsv", false),
    ("tests/gold/ordinary_development.tsv", false),
];
/// Whole reviews by many hands, sentence by sentence.
const REVIEWS: &str = "examples/train_classifier/reviews.jsonl";
/// Single sentences by many hands, which tell calmly what happened. As nothing stands beside them, nothing is learned from
/// them of how a sentence is weighed against its neighbours.
const CALM: &str = "tests/gold/calm/development.jsonl";
/// Which files may hold none of their sentences.
const HELD_OUT: [&str; 2] = [
    "tests/gold/held_out.tsv",
    "tests/gold/ordinary_held_out.tsv",
];
/// The aspects of food and of no other trade: a sentence that has one is of it.
const OF_FOOD: [&str; 4] = ["food", "waiting", "order_accuracy", "atmosphere"];
/// The place of `neutral` among the labels.
const NEUTRAL: usize = 1;

/// A sentence, and what is said of it.
pub struct Sentence {
    pub text: String,
    /// The trade that it is of, if that is known.
    trade: Option<String>,
    /// Aspects with the place of their label.
    said: Vec<(String, usize)>,
}

impl Sentence {
    /// Which of a trade's aspects it speaks of; `None` where it is of no use to that trade. The
    /// annotators of other trades were asked for the aspects that those share.
    pub fn aspects(&self, trade: &str, aspects: &[&str]) -> Option<Targets> {
        let its = self.trade.as_deref();
        if its.is_none() && trade == "food" {
            return None;
        }
        let asked = its.map(crate::trades::aspects);
        let target = |aspect: &&str| {
            let is_asked = asked.is_none_or(|asked| asked.contains(aspect));
            is_asked.then(|| self.said.iter().any(|(said, _)| said == aspect))
        };
        Some(aspects.iter().map(target).collect())
    }

    /// Its label, if all that is said of it is alike.
    pub fn label(&self) -> Option<usize> {
        let labels: BTreeSet<usize> = self.said.iter().map(|(_, label)| *label).collect();
        match labels.len() {
            0 => Some(NEUTRAL),
            1 => labels.first().copied(),
            _ => None,
        }
    }
}

/// A whole review, sentence by sentence.
#[derive(Deserialize)]
pub struct Review {
    /// The hand that wrote it.
    pub author: String,
    /// The trade that it is of.
    pub package: String,
    pub stars: u8,
    sentences: Vec<ReviewSentence>,
}

#[derive(Deserialize)]
struct ReviewSentence {
    text: String,
    said: Vec<(String, String)>,
}

/// What is said where: the first character, the one after the last, the aspect, the label.
pub type Said = (u32, u32, String, usize);

impl Review {
    /// The text, and what is said in it.
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

    /// Its sentences, each by itself.
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

/// A sentence by itself, with what is found in it; `overall` says how it sounds where that is nothing.
#[derive(Deserialize)]
struct CalmSentence {
    author: String,
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

/// The sentences that stand by themselves, but those of these authors.
pub fn sentences(root: &Path, without: &[String]) -> anyhow::Result<Vec<Sentence>> {
    let mut sentences = Vec::new();
    for (file, is_of_many) in TABLES {
        sentences.extend(table(&root.join(file), is_of_many)?);
    }
    let content = fs::read_to_string(root.join(CALM)).context(CALM)?;
    for (number, line) in (1..).zip(content.lines()) {
        let context = || format!("{CALM}:{number}");
        let sentence: CalmSentence = serde_json::from_str(line).with_context(context)?;
        if without.contains(&sentence.author) {
            continue;
        }
        let mut said = Vec::new();
        for CalmFinding { aspect, polarity } in sentence.findings {
            said.push((aspect, label(&polarity).with_context(context)?));
        }
        if said.is_empty() {
            // `unclear` is neither praise nor blame.
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

/// The whole reviews.
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

/// What two spellings of one sentence have in common, of those that are held out.
pub fn held_out(root: &Path) -> anyhow::Result<BTreeSet<String>> {
    let mut held = BTreeSet::new();
    for file in HELD_OUT {
        let sentences = table(&root.join(file), false)?;
        held.extend(sentences.iter().map(|sentence| same(&sentence.text)));
    }
    Ok(held)
}

/// The letters and digits of a sentence.
pub fn same(text: &str) -> String {
    text.chars()
        .filter(|character| character.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// The sentences of a file: text, aspect, polarity; `-` of a sentence that says nothing of any.
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
