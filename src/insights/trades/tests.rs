//! The built-in files are sound, and faults are told with file and line.

use super::{Meaning, Trade, TradeError, forms};

const ASPECT: &str =
    "[[aspect]]\nid = \"price\"\nlabel = \"Price\"\nquestion = \"What does it cost?\"\n";

fn fault(text: &str) -> String {
    Trade::parse(text).unwrap_err().to_string()
}

fn ways(pattern: &str) -> usize {
    let trade = Trade::parse(&format!("{ASPECT}positive = ['{pattern}']")).unwrap();
    trade.rules[0].ways.len()
}

#[test]
fn the_built_in_files_are_sound_and_have_the_eleven_aspects_in_order() {
    let trade = Trade::built_in().unwrap();
    let ids: Vec<&str> = trade
        .aspects
        .iter()
        .map(|aspect| aspect.id.as_str())
        .collect();
    assert_eq!(
        ids,
        [
            "punctuality",
            "scheduling",
            "response_time",
            "communication",
            "professionalism",
            "workmanship",
            "price",
            "honesty",
            "cleanliness",
            "warranty",
            "overall"
        ]
    );
    assert!(
        trade
            .aspects
            .iter()
            .all(|aspect| aspect.question.ends_with('?') && !aspect.label.is_empty())
    );
    assert_eq!(trade.digest().len(), 64);
}

#[test]
fn every_aspect_can_be_praised_blamed_and_told_of() {
    let trade = Trade::built_in().unwrap();
    for (index, aspect) in trade.aspects.iter().enumerate() {
        let has = |is_meant: fn(i32) -> bool| {
            trade.rules.iter().any(|rule| matches!(rule.meaning, Meaning::Judges(of, points) if of == index && is_meant(points)))
        };
        assert!(
            has(|points| points > 0) && has(|points| points < 0) && has(|points| points == 0),
            "{}",
            aspect.id
        );
    }
}

#[test]
fn the_digest_changes_with_the_files() {
    let one = Trade::parse(ASPECT).unwrap();
    let other = Trade::parse(&format!("{ASPECT}# a remark\n")).unwrap();
    assert_ne!(one.digest(), other.digest());
    assert_eq!(one.digest(), Trade::parse(ASPECT).unwrap().digest());
}

#[test]
fn alternatives_of_one_word_are_one_way_and_sequences_are_several() {
    assert_eq!(ways("early|late"), 1);
    assert_eq!(ways("(right|exactly)? on time"), 2);
    assert_eq!(ways("(on time|as promised)"), 2);
    assert_eq!(ways("came .. (a|b|c d)?"), 3);
}

#[test]
fn forms_follow_the_rules_of_spelling() {
    for (base, form) in [
        ("stop", "stopped"),
        ("arrive", "arriving"),
        ("try", "tried"),
        ("fix", "fixes"),
        ("show", "showed"),
        ("play", "played"),
    ] {
        assert!(forms(base).contains(&form.to_owned()), "{base} {form}");
    }
}

#[test]
fn a_fault_is_told_with_its_file_and_line() {
    assert_eq!(
        fault("[[aspect]]\nid = \"price\""),
        "trade:1: an aspect needs `label`"
    );
    assert_eq!(
        fault(&format!("{ASPECT}pozitive = []")),
        "trade:5: `pozitive` is none of positive, mildly_positive, neutral, mildly_negative, negative"
    );
    assert_eq!(
        fault("\n\n[colours]"),
        "trade:3: `colours` is none of aspect, opinions, cues, lists, irregular, spellings"
    );
    assert_eq!(
        fault("[cues]\nnegators = ['not', 'Not']"),
        "trade:2: `Not` is no word: lower case, and no hyphen (write two words)"
    );
    assert!(fault("[cues\n").starts_with("trade:1: "));
    let twice = format!("{ASPECT}{ASPECT}");
    assert!(fault(&twice).ends_with("there are two aspects `price`"));
    let lines = format!("{ASPECT}positive = '''\nfair\nup (front\n'''");
    assert_eq!(fault(&lines), "trade:7: a `(` is never closed");
}

#[test]
fn a_pattern_that_can_match_nothing_or_too_much_is_refused() {
    let pattern = |text: &str| fault(&format!("{ASPECT}positive = ['{text}']"));
    assert!(pattern("fair?").contains("without a single word"));
    assert!(pattern(".. fair").contains("begins with a gap"));
    assert!(pattern("a ..40 b").contains("at most 9 words"));
    assert!(pattern("@nowhere").contains("no list `nowhere`"));
    assert!(pattern("<colour>").contains("no class `<colour>`"));
    assert!(pattern("fair)").contains("too many"));
    let many = "(a b|c d|e f|g h|i j|k l|m n|o p) ".repeat(5);
    assert!(pattern(many.trim()).contains("more than 4096 ways"));
}

#[test]
fn several_files_are_read_as_one_and_faults_name_theirs() {
    let words = ("words.toml", "[lists]\nfair = ['fair', 'just']");
    let both = [(words.0, words.1), ("price.toml", ASPECT)];
    assert_eq!(
        Trade::parse_all(&both).unwrap().lists["fair"],
        ["fair", "just"]
    );
    let fault = Trade::parse_all(&[words, words]).unwrap_err();
    let expected = TradeError {
        file: "words.toml".to_owned(),
        line: 2,
        message: "`fair` stands here twice".to_owned(),
    };
    assert_eq!(fault, expected);
}
