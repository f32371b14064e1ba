//! What the classifier hears, and which weights it takes.

use super::{Head, NgramClassifier, NgramModel, Part, WeightsError, to_bytes};
use crate::insights::text::Text;

const HOME_SERVICES: &[u8] = include_bytes!("../trades/home_services/classifier.weights");

fn scores(sentence: &str) -> (NgramClassifier, Text, Vec<Part>) {
    let (classifier, text) = (
        NgramClassifier::parse(HOME_SERVICES).unwrap(),
        Text::new(sentence),
    );
    let parts = classifier.classify(&text, 0..text.tokens().len()).parts;
    (classifier, text, parts)
}

/// The aspects whose odds are better than even in some part.
fn aspects(sentence: &str) -> Vec<String> {
    let (classifier, _, parts) = scores(sentence);
    let all = classifier.aspects().iter().enumerate();
    all.filter(|(aspect, _)| parts.iter().any(|part| part.aspects[*aspect] > 0))
        .map(|(_, id)| id.clone())
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
    let cleanliness = classifier
        .aspects()
        .iter()
        .position(|aspect| aspect == "cleanliness")
        .unwrap();
    let (tokens, points) = classifier
        .classify(&text, 0..text.tokens().len())
        .strongest(&parts[0].tokens, Head::Aspect(cleanliness))
        .unwrap();
    assert!(
        tokens
            .map(|token| text.word(token))
            .any(|word| word == "cleaned")
    );
    assert!(points > 0);
}

#[test]
fn praise_and_blame_are_heard_in_every_trade() {
    for (sentence, sign) in [
        ("The soup was wonderful and the waiter very kind.", 1),
        ("Terrible haircut, never again.", -1),
        ("It was not good.", -1),
    ] {
        let (_, _, parts) = scores(sentence);
        let lead = parts.last().unwrap().lead();
        assert_eq!(lead.signum(), sign, "{sentence}: {lead}");
    }
}

#[test]
fn weights_name_what_they_are_about_and_are_refused_when_cut_off_or_of_something_else() {
    let heads = || vec!["taste".to_owned(), "price".to_owned()];
    let bytes = to_bytes(&heads(), &[-3, 4], &[(7, vec![1, -1])]);
    let model = NgramModel::parse(&bytes).unwrap();
    assert_eq!(model.heads(), heads());
    assert_eq!(model.biases(), [-3, 4]);
    assert_eq!(model.row(7), Some(&[1, -1][..]));
    assert_eq!(model.row(8), None);
    let same = NgramModel::new(heads(), vec![-3, 4], &[(7, vec![1, -1])]);
    assert_eq!(model.digest(), same.digest());
    for (bytes, error) in [
        (&bytes[..bytes.len() - 1], WeightsError::Length),
        (&bytes[..6], WeightsError::Length),
        (b"PNG", WeightsError::Foreign),
        (b"RNG2\0", WeightsError::Heads),
        (b"RNG2\x01\x02\xff\xff\0\0", WeightsError::Heads),
    ] {
        assert_eq!(NgramModel::parse(bytes).unwrap_err(), error, "{bytes:?}");
    }
}

#[test]
fn what_knows_nothing_says_nothing() {
    let text = Text::new("Great service.");
    let parts = NgramClassifier::default().classify(&text, 0..2).parts;
    assert!(
        parts
            .iter()
            .all(|part| part.lead() == 0 && part.aspects.is_empty())
    );
}
