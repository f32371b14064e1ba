//! What the model promises.

use super::features::{PLACES, ROLES, Vocabulary, key};
use super::weights::Weights;
use super::{HITS_MAX, Model, ModelError, QUALITY, Scores, WEIGHTS};
use crate::insights::text::Text;

fn model() -> Model {
    Model::built_in().unwrap()
}

/// The scores of a sentence as seen from the first of its tokens that is `anchor`, or as a whole.
fn scores(original: &str, anchor: &str) -> Scores {
    let text = Text::new(original);
    let len = text.tokens().len();
    let at = (0..len)
        .find(|at| text.word(*at) == anchor)
        .map_or(0..0, |at| at..at + 1);
    model().score(&text, 0..len, at)
}

fn labels(original: &str, anchor: &str) -> (i32, i32, i32) {
    let Scores {
        negative,
        neutral,
        positive,
        ..
    } = scores(original, anchor);
    (negative, neutral, positive)
}

#[test]
fn the_weights_are_those_that_the_figures_are_about_and_small() {
    let model = model();
    assert_eq!(model.digest(), model.quality().weights_sha256);
    assert!(WEIGHTS.len() <= 65_536, "{} bytes", WEIGHTS.len());
    assert_eq!(Weights::parse(WEIGHTS).unwrap().to_bytes(), WEIGHTS);
}

#[test]
fn the_figures_are_there_and_better_than_those_of_a_plain_model() {
    let share = |task: &str, set: &str, method: &str| {
        let model = model();
        let figures = &model.quality().figures;
        let figure = figures
            .iter()
            .find(|one| one.task == task && one.set == set && one.method == method)
            .unwrap();
        f64::from(figure.correct) / f64::from(figure.n)
    };
    assert!(share("aspect_polarity", "mams-acsa-test", "model") >= 0.73);
    assert!(share("aspect_polarity", "mams-acsa-test", "model, unlike labels") >= 0.75);
    assert!(share("sentence_polarity", "uci-yelp-10-fold", "model") >= 0.85);
    for (task, set) in [
        ("aspect_polarity", "mams-acsa-test"),
        ("sentence_polarity", "uci-yelp-10-fold"),
    ] {
        assert!(share(task, set, "plain") < share(task, set, "model"));
    }
    assert!(
        model()
            .quality()
            .inputs
            .iter()
            .all(|input| input.sha256.len() == 64)
    );
}

#[test]
fn one_sentence_speaks_differently_of_different_things() {
    let mixed = "The technician was friendly and helpful, but the price was way too high.";
    let (of_technician, of_price) = (scores(mixed, "technician"), scores(mixed, "price"));
    assert!(
        of_technician.positive > of_technician.negative,
        "{of_technician:?}"
    );
    assert!(of_price.negative > of_price.positive, "{of_price:?}");
}

#[test]
fn without_an_anchor_the_whole_is_judged() {
    for (original, is_good) in [
        ("Great service, highly recommend!", true),
        ("Rude and slow. Never again.", false),
    ] {
        let scores = scores(original, "");
        assert_eq!(
            scores.positive > scores.negative,
            is_good,
            "{original}: {scores:?}"
        );
    }
}

#[test]
fn the_same_text_gives_the_same_scores_everywhere() {
    let all = [
        labels("The food was great but the service was slow.", "service"),
        labels("The food was great but the service was slow.", "food"),
        labels("We asked the manager for the bill.", "manager"),
        labels("Never again!", ""),
        labels("", ""),
    ];
    insta::assert_debug_snapshot!(all);
}

#[test]
fn hits_name_the_strongest_words_and_where_they_stand() {
    let original = "\u{1F600} The food was great but the service was terribly slow.";
    let hits = scores(original, "service").hits;
    assert!(!hits.is_empty() && hits.len() <= HITS_MAX);
    assert!(
        hits.windows(2)
            .all(|pair| pair[0].points.unsigned_abs() >= pair[1].points.unsigned_abs())
    );
    let characters: Vec<char> = original.chars().collect();
    for hit in hits {
        let cut: String = characters[hit.span.start as usize..hit.span.end as usize]
            .iter()
            .collect();
        assert_eq!(
            hit.rule,
            format!("model:{}", cut.trim_end_matches('.').to_lowercase()).trim_end()
        );
    }
}

#[test]
fn a_token_is_seen_from_the_anchor_with_its_negation() {
    let text = Text::new("Not good at all, but the price was fair.");
    let vocabulary = Vocabulary::new(&[key("good"), key("fair")]);
    let price = (0..text.tokens().len())
        .find(|at| text.word(*at) == "price")
        .unwrap();
    let (first, seen) = vocabulary.look(
        &text,
        0..text.tokens().len(),
        std::slice::from_ref(&(price..price + 1)),
    );
    assert_eq!((first, seen.len()), (0, text.tokens().len()));
    assert_eq!((seen[1].word, seen[1].role), (1, 1), "good, under not");
    assert_eq!(
        (seen[price + 2].word, seen[price + 2].role),
        (2, 0),
        "fair, which is not"
    );
    assert!(seen[price].is_anchor() && seen.iter().filter(|seen| seen.is_anchor()).count() == 1);
    assert_ne!(seen[1].place, seen[price + 2].place);
    assert!(
        seen.iter()
            .all(|seen| usize::from(seen.place) < PLACES && usize::from(seen.role) < ROLES)
    );
}

#[test]
fn a_long_sentence_is_looked_at_around_the_anchor() {
    let text = Text::new(&"word ".repeat(500));
    let vocabulary = Vocabulary::new(&[]);
    for (anchor, first) in [(0, 0), (250, 218), (499, 436)] {
        let its = anchor..anchor + 1;
        let (from, seen) = vocabulary.look(&text, 0..500, std::slice::from_ref(&its));
        assert_eq!((from, seen.len()), (first, 64));
        assert!(seen[anchor - from].is_anchor());
    }
}

#[test]
fn weights_that_are_cut_off_or_foreign_are_refused() {
    assert!(matches!(
        Model::parse(&WEIGHTS[..WEIGHTS.len() - 1], QUALITY),
        Err(ModelError::Length)
    ));
    assert!(matches!(
        Model::parse(&[WEIGHTS, &[0]].concat(), QUALITY),
        Err(ModelError::Length)
    ));
    assert!(matches!(
        Model::parse(b"something", QUALITY),
        Err(ModelError::Foreign)
    ));
    assert!(matches!(
        Model::parse(WEIGHTS, "{}"),
        Err(ModelError::Quality(_))
    ));
}
