//! What the detector hears, and which weights it takes.

use super::{ASPECTS, Detector, DetectorError, Part};
use crate::insights::text::Text;

fn heard(sentence: &str) -> (Detector, Text, Vec<Part>) {
    let (detector, text) = (Detector::built_in().unwrap(), Text::new(sentence));
    let parts = detector.hear(&text, 0..text.tokens().len()).parts;
    (detector, text, parts)
}

/// The aspects whose odds are better than even in some part.
fn aspects(sentence: &str) -> Vec<&'static str> {
    let (_, _, parts) = heard(sentence);
    (0..ASPECTS.len()).filter(|aspect| parts.iter().any(|part| part.sums[*aspect] > 0)).map(|aspect| ASPECTS[aspect]).collect()
}

#[test]
fn each_part_of_a_sentence_is_heard_by_itself_and_the_whole_after_them() {
    let (_, text, parts) = heard("On time, friendly and he fixed the leak.");
    let words: Vec<String> =
        parts.iter().map(|part| part.tokens.clone().map(|token| text.word(token)).collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(words, ["on time", "friendly", "he fixed the leak", "on time , friendly and he fixed the leak ."]);
    assert_eq!(aspects("On time, friendly and he fixed the leak."), ["punctuality", "professionalism", "workmanship"]);
}

#[test]
fn what_nobody_says_of_an_aspect_is_not_heard_as_one() {
    assert_eq!(aspects("We have two dogs."), [""; 0]);
}

#[test]
fn the_strongest_run_of_words_tells_why() {
    let (detector, text, parts) = heard("They cleaned up afterwards");
    let cleanliness = ASPECTS.iter().position(|aspect| *aspect == "cleanliness").unwrap();
    let (tokens, points) = detector.hear(&text, 0..text.tokens().len()).strongest(&parts[0].tokens, cleanliness).unwrap();
    assert!(tokens.map(|token| text.word(token)).any(|word| word == "cleaned"));
    assert!(points > 0);
}

#[test]
fn weights_that_are_cut_off_or_of_something_else_are_refused() {
    let bytes = super::to_bytes(&[0; super::SUMS], &[(7, [1; super::SUMS])]);
    assert_eq!(Detector::parse(&bytes).unwrap().digest(), Detector::new([0; super::SUMS], &[(7, [1; super::SUMS])]).digest());
    assert_eq!(Detector::parse(&bytes[..bytes.len() - 1]).unwrap_err(), DetectorError::Length);
    assert_eq!(Detector::parse(b"PNG").unwrap_err(), DetectorError::Foreign);
}
