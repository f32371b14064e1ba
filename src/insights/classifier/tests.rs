//! What the classifier hears, and which weights it takes.

use super::{ASPECTS, ClassifierError, NgramClassifier, Part};
use crate::insights::text::Text;

fn scores(sentence: &str) -> (NgramClassifier, Text, Vec<Part>) {
    let (classifier, text) = (NgramClassifier::built_in().unwrap(), Text::new(sentence));
    let parts = classifier.classify(&text, 0..text.tokens().len()).parts;
    (classifier, text, parts)
}

/// The aspects whose odds are better than even in some part.
fn aspects(sentence: &str) -> Vec<&'static str> {
    let (_, _, parts) = scores(sentence);
    (0..ASPECTS.len())
        .filter(|aspect| parts.iter().any(|part| part.sums[*aspect] > 0))
        .map(|aspect| ASPECTS[aspect])
        .collect()
}

#[test]
fn each_part_of_a_sentence_is_scores_by_itself_and_the_whole_after_them() {
    let (_, text, parts) = scores("On time, friendly and he fixed the leak.");
    let words: Vec<String> = parts
        .iter()
        .map(|part| {
            part.tokens
                .clone()
                .map(|token| text.word(token))
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    assert_eq!(
        words,
        [
            "on time",
            "friendly",
            "he fixed the leak",
            "on time , friendly and he fixed the leak ."
        ]
    );
    assert_eq!(
        aspects("On time, friendly and he fixed the leak."),
        ["punctuality", "professionalism", "workmanship"]
    );
}

#[test]
fn what_nobody_says_of_an_aspect_is_not_scores_as_one() {
    assert_eq!(aspects("We have two dogs."), [""; 0]);
}

#[test]
fn the_strongest_run_of_words_tells_why() {
    let (classifier, text, parts) = scores("They cleaned up afterwards");
    let cleanliness = ASPECTS
        .iter()
        .position(|aspect| *aspect == "cleanliness")
        .unwrap();
    let (tokens, points) = classifier
        .classify(&text, 0..text.tokens().len())
        .strongest(&parts[0].tokens, cleanliness)
        .unwrap();
    assert!(
        tokens
            .map(|token| text.word(token))
            .any(|word| word == "cleaned")
    );
    assert!(points > 0);
}

#[test]
fn weights_that_are_cut_off_or_of_something_else_are_refused() {
    let bytes = super::to_bytes(&[0; super::SUMS], &[(7, [1; super::SUMS])]);
    assert_eq!(
        NgramClassifier::parse(&bytes).unwrap().digest(),
        NgramClassifier::new([0; super::SUMS], &[(7, [1; super::SUMS])]).digest()
    );
    assert_eq!(
        NgramClassifier::parse(&bytes[..bytes.len() - 1]).unwrap_err(),
        ClassifierError::Length
    );
    assert_eq!(
        NgramClassifier::parse(b"PNG").unwrap_err(),
        ClassifierError::Foreign
    );
}
