//! Words, sentences and languages, in what customers type.

use super::{Shape, Text};

fn words(original: &str) -> Vec<String> {
    let text = Text::new(original);
    (0..text.tokens().len())
        .map(|token| text.word(token).to_owned())
        .collect()
}

fn sentences(original: &str) -> Vec<String> {
    let text = Text::new(original);
    let characters: Vec<char> = original.chars().collect();
    let cut = |range: &std::ops::Range<usize>| {
        let span = text.span(range.clone());
        characters[span.start as usize..span.end as usize]
            .iter()
            .collect()
    };
    text.sentences().iter().map(cut).collect()
}

#[test]
fn words_are_compared_in_lower_case_with_straight_apostrophes_and_joined_acronyms() {
    assert_eq!(
        words("Didn\u{2019}t the A/C, a.c. or H.V.A.C. work?"),
        ["didn't", "the", "ac", ",", "ac", "or", "hvac", "work", "?"]
    );
    assert_eq!(
        words("tune-up at 7:30 p.m. for $2,400.50!!!"),
        [
            "tune", "up", "at", "7:30", "pm", "for", "$", "2,400.50", "!"
        ]
    );
}

#[test]
fn every_token_keeps_its_place_in_the_original_in_code_points() {
    let original = "😀 Él fixed the A/C — “great”…";
    let text = Text::new(original);
    let characters: Vec<char> = original.chars().collect();
    let cut: Vec<String> = text
        .tokens()
        .iter()
        .map(|token| {
            characters[token.span.start as usize..token.span.end as usize]
                .iter()
                .collect()
        })
        .collect();
    assert_eq!(
        cut,
        [
            "😀", "Él", "fixed", "the", "A/C", "—", "“", "great", "”", "…"
        ]
    );
}

#[test]
fn a_full_stop_after_an_abbreviation_or_an_initial_does_not_end_a_sentence() {
    assert_eq!(
        sentences(
            "Mr. Hale came at 9 a.m. sharp. Mike S. fixed it (again!) for us! Great...really great. No leak?"
        ),
        [
            "Mr. Hale came at 9 a.m. sharp.",
            "Mike S. fixed it (again!) for us!",
            "Great...really great.",
            "No leak?"
        ]
    );
}

#[test]
fn sentences_hold_all_tokens_in_order_whatever_the_text() {
    for original in [
        "",
        " \n ",
        "...",
        "one\n\ntwo",
        "a. b. c.",
        "!?!?",
        "Ok.Next one. x",
    ] {
        let text = Text::new(original);
        let mut at = 0;
        for sentence in text.sentences() {
            assert_eq!(sentence.start, at, "{original:?}");
            assert!(sentence.end > at, "{original:?}");
            at = sentence.end;
        }
        assert_eq!(at, text.tokens().len(), "{original:?}");
    }
}

#[test]
fn shapes_tell_how_a_word_is_written() {
    let text = Text::new("AC DeShawn Will it 24/7 I AC's");
    let shapes: Vec<Shape> = text.tokens().iter().map(|token| token.shape).collect();
    assert_eq!(
        shapes,
        [
            Shape::Upper,
            Shape::Mixed,
            Shape::Capitalised,
            Shape::Lower,
            Shape::Number,
            Shape::Mark,
            Shape::Number,
            Shape::Capitalised,
            Shape::Upper
        ]
    );
}

#[test]
fn a_language_is_known_by_its_words_and_a_few_words_by_what_was_declared() {
    use crate::insights::analysis::Language;
    let language = |text: &str, declared| Text::new(text).language(declared);
    assert_eq!(
        language("They came on time and fixed the leak under our sink.", None),
        Language::English
    );
    assert_eq!(language("great service!!", None), Language::English);
    assert_eq!(
        language("great service!!", Some("en-US")),
        Language::English
    );
    assert_eq!(language("Muy amable", Some("es")), Language::Other);
    assert_eq!(
        language(
            "Vinieron a cambiar la llave de paso y dos mangueras del lavabo, todo muy limpio y rapido.",
            None
        ),
        Language::Other
    );
    assert_eq!(
        language(
            "Sie kamen um acht und haben die Heizung sofort repariert, alles sauber und freundlich.",
            None
        ),
        Language::Other
    );
    assert_eq!(
        language("キッチンの蛇口交換をお願いしました。", None),
        Language::Other
    );
    assert_eq!(language("😀 !!! 5", None), Language::None);
    assert_eq!(
        language("😀 5/5 !!!", None),
        Language::English,
        "a mark is a judgement"
    );
    assert_eq!(language("", Some("en")), Language::None);
}
