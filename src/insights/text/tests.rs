use super::{Shape, Text};

fn words(original: &str) -> Vec<String> {
    let text = Text::new(original);
    (0..text.tokens().len()).map(|token| text.word(token).to_owned()).collect()
}

fn sentences(original: &str) -> Vec<String> {
    let text = Text::new(original);
    let characters: Vec<char> = original.chars().collect();
    let cut = |range: &std::ops::Range<usize>| {
        let span = text.span(range.clone());
        characters[span.start as usize..span.end as usize].iter().collect()
    };
    text.sentences().iter().map(cut).collect()
}

#[test]
fn words_are_compared_in_lower_case_with_straight_apostrophes_and_joined_acronyms() {
    assert_eq!(
        words("Didn\u{2019}t the A/C, a.c. or H.V.A.C. work?"),
        ["didn't", "the", "ac", ",", "ac", "or", "hvac", "work", "?"]
    );
    assert_eq!(words("tune-up at 7:30 p.m. for $2,400.50!!!"), ["tune", "up", "at", "7:30", "pm", "for", "$", "2,400.50", "!"]);
}

#[test]
fn every_token_keeps_its_place_in_the_original_in_code_points() {
    let original = "😀 Él fixed the A/C — “great”…";
    let text = Text::new(original);
    let characters: Vec<char> = original.chars().collect();
    let cut: Vec<String> =
        text.tokens().iter().map(|token| characters[token.span.start as usize..token.span.end as usize].iter().collect()).collect();
    assert_eq!(cut, ["😀", "Él", "fixed", "the", "A/C", "—", "“", "great", "”", "…"]);
}

#[test]
fn a_full_stop_after_an_abbreviation_or_an_initial_does_not_end_a_sentence() {
    assert_eq!(
        sentences("Mr. Hale came at 9 a.m. sharp. Mike S. fixed it (again!) for us! Great...really great. No leak?"),
        ["Mr. Hale came at 9 a.m. sharp.", "Mike S. fixed it (again!)", "for us!", "Great...really great.", "No leak?"]
    );
}

#[test]
fn sentences_hold_all_tokens_in_order_whatever_the_text() {
    for original in ["", " \n ", "...", "one\n\ntwo", "a. b. c.", "!?!?", "Ok.Next one. x"] {
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
