//! Held-out reviews are not in the training data: no review and no near copy of one is in two splits.

use std::collections::BTreeSet;
use std::fs;
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::path::Path;

use reviews_service::insights::text::TokenizedText;
use serde_json::Value;

/// Texts with fewer different words are common phrases: "Great service, highly recommend."
const WORDS_MIN: usize = 8;

/// The hashes of the different words of a text.
fn words(text: &str) -> BTreeSet<u64> {
    let text = TokenizedText::new(text);
    let words = (0..text.tokens().len()).map(|token| text.word(token));
    words
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .map(|word| BuildHasherDefault::<DefaultHasher>::default().hash_one(word))
        .collect()
}

/// The words of each review of a file.
fn reviews(file: &str, text: impl Fn(&Value) -> String) -> Vec<BTreeSet<u64>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let content = fs::read_to_string(path).unwrap();
    let reviews = content
        .lines()
        .map(|line| words(&text(&serde_json::from_str(line).unwrap())));
    reviews.filter(|words| words.len() >= WORDS_MIN).collect()
}

/// Whether two texts share at least four fifths of their words.
fn are_near(one: &BTreeSet<u64>, other: &BTreeSet<u64>) -> bool {
    let (short, long) = (one.len().min(other.len()), one.len().max(other.len()));
    if short * 5 < long * 4 {
        return false;
    }
    let shared = one.intersection(other).count();
    shared * 5 >= (one.len() + other.len() - shared) * 4
}

#[test]
#[ignore = "run by .ci/nightly"]
fn no_review_and_no_near_copy_is_in_two_splits() {
    let whole = |review: &Value| review["text"].as_str().unwrap().to_owned();
    let cut = |review: &Value| {
        let sentences = review["sentences"].as_array().unwrap().iter();
        let texts: Vec<&str> = sentences.map(|one| one["text"].as_str().unwrap()).collect();
        texts.join(" ")
    };
    let held_out = reviews("tests/gold/reviews/held_out.jsonl", whole);
    let development = reviews("tests/gold/reviews/development.jsonl", whole);
    let learned = reviews("examples/train_classifier/reviews.jsonl", cut);
    let of_trades = |folder: &str| {
        let trades = ["home_services", "food", "general"];
        let files = trades.map(|trade| format!("tests/gold/{folder}/{trade}.jsonl"));
        files.map(|file| reviews(&file, whole)).concat()
    };
    let (plain, calm) = (of_trades("plain"), of_trades("calm"));
    assert!(plain.len() > 120 && calm.len() > 400);
    assert!(held_out.len() > 250 && development.len() > 250 && learned.len() > 3_000);
    for (one, other) in [
        (&held_out, &development),
        (&held_out, &learned),
        (&development, &learned),
        (&plain, &held_out),
        (&plain, &development),
        (&plain, &learned),
        (&calm, &held_out),
        (&calm, &development),
        (&calm, &learned),
        (&calm, &reviews("tests/gold/calm/development.jsonl", whole)),
    ] {
        for words in one {
            let near = other.iter().find(|others| are_near(words, others));
            assert_eq!(near, None, "{words:?}");
        }
    }
    let mut changed = held_out[0].clone();
    changed.pop_first();
    assert!(are_near(&changed, &held_out[0]), "the premise");
}
