//! What sentences of every family say, the sum of their hits, and bounds.

use std::sync::LazyLock;

use super::decision::Decisions;
use super::{RuleEngine, TextFindings};
use crate::insights::analysis::Polarity;
use crate::insights::text::Text;
use crate::insights::trades::Trade;

/// Compiled once for all tests.
fn engine() -> &'static RuleEngine {
    static ENGINE: LazyLock<RuleEngine> =
        LazyLock::new(|| RuleEngine::new(&Trade::built_in().unwrap()));
    &ENGINE
}

/// The rules alone.
fn rules() -> &'static RuleEngine {
    static RULES: LazyLock<RuleEngine> =
        LazyLock::new(|| engine().clone().decided_by(Decisions::of_rules()));
    &RULES
}

/// What a text says: `price+ workmanship-`, sorted.
fn said(engine: &RuleEngine, text: &str) -> String {
    let sign = |polarity| match polarity {
        Polarity::Positive => '+',
        Polarity::Negative => '-',
        Polarity::Neutral => '=',
        Polarity::Uncertain => '?',
    };
    let TextFindings { findings, .. } = engine.analyze(&Text::new(text));
    let mut said: Vec<String> = findings
        .iter()
        .map(|one| format!("{}{}", one.aspect, sign(one.polarity)))
        .collect();
    said.sort();
    said.join(" ")
}

/// What the rules say.
#[track_caller]
fn assert_said(cases: &[(&str, &str)]) {
    let engine = rules();
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(text, expected)| {
            let got = said(engine, text);
            (got != *expected).then(|| format!("{text}\n   expected {expected}\n   got      {got}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn one_sentence_may_engine_several_aspects() {
    assert_said(&[
        (
            "Fast, tidy and reasonably priced.",
            "cleanliness+ price+ response_time+",
        ),
        (
            "Our plumber arrived on time, was polite, and swept up afterwards.",
            "cleanliness+ professionalism+ punctuality+",
        ),
        ("Would hire them again.", "overall+"),
    ]);
}

#[test]
fn a_negator_turns_round_what_it_reaches_and_no_more() {
    assert_said(&[
        ("He wasn't rude.", "professionalism+"),
        ("The crew was not friendly or polite.", "professionalism-"),
        ("They never left a mess.", "cleanliness+"),
        ("No hidden fees.", "honesty+ price+"),
        ("I have nothing but good things to say.", "overall+"),
        ("You can't go wrong with these folks.", "overall+"),
        (
            "Not only was he punctual, he was polite.",
            "professionalism+ punctuality+",
        ),
    ]);
}

#[test]
fn contrast_keeps_both_sides_apart_and_within_one_aspect_the_conclusion_counts() {
    assert_said(&[
        (
            "Although pricey, the repair was perfect.",
            "price- workmanship+",
        ),
        (
            "Nice fellow, but the faucet is still dripping.",
            "professionalism+ workmanship-",
        ),
        ("A little expensive but worth every penny.", "price+"),
    ]);
}

#[test]
fn the_customers_trouble_is_not_the_firms() {
    assert_said(&[
        (
            "The leak was awful and they came out the same day.",
            "response_time+",
        ),
        (
            "The last company left us with a mess, and these guys were wonderful.",
            "professionalism+",
        ),
    ]);
}

#[test]
fn a_fault_that_is_back_is_the_firms() {
    assert_said(&[
        ("The furnace is still not heating.", "workmanship-"),
        ("The drain clogged again a week later.", "workmanship-"),
        ("I had to hire another plumber to fix it.", "workmanship-"),
    ]);
}

#[test]
fn silence_is_judged_as_communication() {
    assert_said(&[
        ("Called twice and never heard back.", "communication-"),
        ("They ghosted us.", "communication-"),
        ("They kept me updated the whole time.", "communication+"),
    ]);
}

#[test]
fn sums_and_facts_are_neutral_until_somebody_judges_them() {
    assert_said(&[
        ("The trip fee is $79.", "price="),
        ("The bill came in under the estimate.", "price+"),
        ("The bill was twice what they quoted.", "price-"),
        ("Do they offer a warranty?", "warranty="),
        ("If it fails again I will update this.", "workmanship="),
    ]);
}

#[test]
fn a_wish_is_a_complaint() {
    assert_said(&[
        ("I wish they had been on time.", "punctuality-"),
        ("I wish they were cheaper.", "price-"),
    ]);
}

#[test]
fn words_judge_in_their_frame_and_nowhere_else() {
    assert_said(&[
        (
            "I would like to thank Mike for coming out so fast.",
            "overall+ response_time+",
        ),
        ("We wish them all the best.", ""),
        (
            "The heater was commissioned the same day.",
            "response_time+",
        ),
        ("They sent over a menu of options.", ""),
        ("Our old boiler gave up the ghost.", ""),
        (
            "He disconnected the old unit and hauled it away.",
            "cleanliness+",
        ),
        ("They replaced the defective valve.", "workmanship="),
        ("There was water damage in the ceiling when we called.", ""),
        ("Kind regards, Anna", ""),
        ("The whole kitchen has mud everywhere.", "cleanliness-"),
        ("All I got was a phone menu.", "communication-"),
    ]);
}

#[test]
fn the_classifier_takes_back_what_nobody_would_say_so() {
    let text = "We looked everywhere for a good plumber.";
    assert_eq!(said(rules(), text), "professionalism+");
    assert_eq!(said(engine(), text), "");
}

#[test]
fn another_firms_fault_and_the_customers_own_trouble_are_not_the_firms() {
    assert_said(&[
        ("The insurance company was useless.", ""),
        ("The manufacturer sent the wrong part.", ""),
        ("I was so stressed when the heater broke.", ""),
    ]);
}

#[test]
fn what_is_not_known_is_not_turned_round_and_neither_is_a_symbol() {
    assert_said(&[
        ("I was not aware of the exorbitant price.", "price-"),
        ("Never had a problem 😊", "workmanship+"),
    ]);
    let engine = engine();
    assert_eq!(
        engine.analyze(&Text::new("No issues at all 👍")).overall.0,
        Polarity::Positive
    );
}

#[test]
fn a_mark_out_of_ten_is_a_judgement() {
    assert_said(&[
        ("Very recommendable!", "overall+"),
        ("Not recommendable.", "overall-"),
        ("A+", "overall+"),
    ]);
    let engine = engine();
    let overall = |text: &str| engine.analyze(&Text::new(text)).overall.0;
    assert_eq!(overall("10/10"), Polarity::Positive);
    assert_eq!(overall("0/10"), Polarity::Negative);
}

#[test]
fn what_is_put_in_quotation_marks_is_doubted() {
    assert_said(&[("Their \"honest\" salesman was a piece of work.", "honesty-")]);
}

#[test]
fn misspellings_and_held_letters_are_read_as_meant() {
    assert_said(&[
        ("highly reccomend", "overall+"),
        ("soooo friendly", "professionalism+"),
        ("they dont return calls", "communication-"),
    ]);
}

#[test]
fn the_score_is_the_sum_of_the_hits_and_every_hit_lies_in_the_text() {
    let engine = engine();
    let texts = [
        "😀 Très bien… “great” work, but NOT cheap!!! They weren't on time or polite.",
        "I wish the \"friendly\" tech hadn't been so very late; still, a fair price.",
        "!!! ... 👍",
        "",
    ];
    for original in texts {
        let (text, len) = (Text::new(original), original.chars().count());
        for finding in engine.analyze(&text).findings {
            assert_eq!(
                finding.score,
                finding.hits.iter().map(|hit| hit.points).sum::<i32>(),
                "{finding:?}"
            );
            for span in finding
                .hits
                .iter()
                .map(|hit| hit.span)
                .chain([finding.span])
            {
                assert!(
                    span.start < span.end && span.end as usize <= len,
                    "{original:?} {finding:?}"
                );
            }
        }
    }
}

#[test]
fn the_same_text_is_judged_the_same_whatever_was_read_before() {
    let (one, other) = (engine(), RuleEngine::new(&Trade::built_in().unwrap()));
    let text = Text::new("Great guys, fair price, but they were late and never called.");
    let first = one.analyze(&text);
    let _ = one.analyze(&Text::new("Terrible. Stay away!"));
    assert_eq!(one.analyze(&text), first);
    assert_eq!(other.analyze(&text), first);
}

#[test]
fn a_whole_text_that_tells_facts_alone_is_neutral() {
    let engine = engine();
    let overall = |text: &str| engine.analyze(&Text::new(text)).overall.0;
    assert_eq!(
        overall("He put in the new pump on Monday."),
        Polarity::Neutral
    );
    assert_eq!(
        overall("Nobody showed up and nobody called. Stay away."),
        Polarity::Negative
    );
}

#[test]
fn a_long_text_without_end_is_read_in_bounds() {
    let engine = engine();
    let endless = "they never called back and the price was not fair or ".repeat(2_000);
    assert!(!engine.analyze(&Text::new(&endless)).findings.is_empty());
}
