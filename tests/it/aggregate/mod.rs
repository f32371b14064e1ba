//! Insights are counts: they add up, their quotes are in the reviews, and they change only with their reviews.

mod evidence;
mod shown;
mod written;

use std::collections::BTreeSet;

use reviews_service::insights::aggregate::{
    AggregatedInsights, AspectFigures, CustomerQuote, EntityFigures, Vote,
};
use reviews_service::insights::{
    Analysis, Finding, Mention, MentionKind, Polarity, TextLanguage, TextSpan,
};
use reviews_service::model::Rating;
use written::{PEOPLE, Written, hits, insights, write};

/// Seeds of the generated data.
const SEEDS: std::ops::Range<u64> = 0..12;

/// The vote of one review with these findings.
fn vote(says: &[Polarity]) -> Vote {
    let has = |polarity| says.contains(&polarity);
    match (has(Polarity::Positive), has(Polarity::Negative)) {
        (true, true) => Vote::Mixed,
        (true, false) => Vote::Positive,
        (false, true) => Vote::Negative,
        (false, false) if has(Polarity::Uncertain) => Vote::Uncertain,
        (false, false) => Vote::Neutral,
    }
}

fn polarities_of(one: &Written, aspect: &str) -> Vec<Polarity> {
    one.analysis
        .findings
        .iter()
        .filter(|finding| finding.aspect == aspect)
        .map(|finding| finding.polarity)
        .collect()
}

fn names(one: &Written, name: &str) -> bool {
    let Written { review, analysis } = one;
    let recorded = &review.mentions;
    recorded
        .technicians
        .iter()
        .chain(&recorded.services)
        .chain(&recorded.service_areas)
        .any(|value| value == name)
        || analysis
            .mentions
            .iter()
            .any(|mention| mention.link() == Some(name))
}

fn quotes(insights: &AggregatedInsights) -> impl Iterator<Item = &CustomerQuote> {
    let aspects = insights
        .aspects
        .iter()
        .flat_map(|aspect| &aspect.said.quotes);
    let entities = insights
        .entities
        .iter()
        .filter_map(|entity| entity.detail.as_ref())
        .flat_map(|said| &said.quotes);
    aspects.chain(entities).chain(
        insights
            .topics
            .iter()
            .filter_map(|topic| topic.quote.as_ref()),
    )
}

/// The votes on an aspect are those of the reviews that mention it.
fn check_votes(aspect: &AspectFigures, written: &[Written]) {
    let spoken: Vec<Vote> = written
        .iter()
        .map(|one| polarities_of(one, &aspect.id))
        .filter(|says| !says.is_empty())
        .map(|says| vote(&says))
        .collect();
    let count = |vote| u32::try_from(spoken.iter().filter(|its| **its == vote).count()).unwrap();
    let votes = aspect.said.votes;
    assert_eq!(votes.reviews() as usize, spoken.len(), "{}", aspect.id);
    assert_eq!(
        [
            votes.positive,
            votes.negative,
            votes.neutral,
            votes.mixed,
            votes.uncertain
        ],
        [
            Vote::Positive,
            Vote::Negative,
            Vote::Neutral,
            Vote::Mixed,
            Vote::Uncertain
        ]
        .map(count),
        "{}",
        aspect.id
    );
    let findings = written
        .iter()
        .map(|one| polarities_of(one, &aspect.id).len())
        .sum::<usize>();
    assert_eq!(aspect.mentions as usize, findings);
    assert_eq!(
        votes.judged(),
        votes.positive + votes.negative + votes.mixed
    );
}

/// The count of a name is the number of reviews that mention it.
fn check_entity(entity: &EntityFigures, written: &[Written]) {
    let value = if entity.name == "AC repair" {
        "ac"
    } else {
        &entity.name
    };
    assert_eq!(
        entity.reviews as usize,
        written.iter().filter(|one| names(one, value)).count(),
        "{value}"
    );
    assert!(
        entity
            .detail
            .as_ref()
            .is_none_or(|said| said.votes.reviews() == entity.reviews),
        "{value}"
    );
}

#[test]
fn each_review_has_one_vote_on_each_aspect_and_the_votes_add_up() {
    for seed in SEEDS {
        let written = write(seed, 150);
        let insights = insights(&written, 32);
        for aspect in &insights.aspects {
            check_votes(aspect, &written);
        }
        for entity in &insights.entities {
            check_entity(entity, &written);
        }
        let corpus = insights.corpus;
        let of = |language| {
            u32::try_from(
                written
                    .iter()
                    .filter(|one| one.analysis.language == language)
                    .count(),
            )
            .unwrap()
        };
        assert_eq!(
            (corpus.reviews, corpus.analysed, corpus.foreign),
            (150, of(TextLanguage::English), of(TextLanguage::Other))
        );
    }
}

#[test]
fn a_quote_is_the_slice_of_its_review() {
    for seed in SEEDS {
        let written = write(seed, 120);
        let insights = insights(&written, 50);
        assert!(quotes(&insights).count() > 10, "the premise");
        for quote in quotes(&insights) {
            let one = written
                .iter()
                .find(|one| one.review.id.as_str() == quote.review_id)
                .unwrap();
            let (start, end) = (quote.span.start as usize, quote.span.end as usize);
            let slice: String = one
                .review
                .text
                .chars()
                .skip(start)
                .take(end - start)
                .collect();
            assert_eq!(slice, quote.text);
            assert_eq!(
                (quote.date, quote.stars),
                (one.review.date.date(), one.review.rating.stars())
            );
        }
    }
}

#[test]
fn removing_a_review_changes_only_what_it_supported() {
    for seed in SEEDS {
        let written = write(seed, 100);
        let before = insights(&written, 64);
        for gone in [1, 17, 40, 99] {
            let mut rest = written.clone();
            let gone = rest.remove(gone);
            let after = insights(&rest, 64);
            for (before, after) in before.aspects.iter().zip(&after.aspects) {
                let same = (
                    before.said.votes,
                    &before.said.quotes,
                    before.mentions,
                    &before.said.trend.months,
                ) == (
                    after.said.votes,
                    &after.said.quotes,
                    after.mentions,
                    &after.said.trend.months,
                );
                assert!(
                    same || !polarities_of(&gone, &before.id).is_empty(),
                    "{}",
                    before.id
                );
            }
            for (before, after) in before.entities.iter().zip(&after.entities) {
                let told = |entity: &EntityFigures| {
                    (
                        entity.reviews,
                        entity
                            .detail
                            .as_ref()
                            .map(|said| (said.votes, said.quotes.clone())),
                    )
                };
                let value = if before.name == "AC repair" {
                    "ac"
                } else {
                    &before.name
                };
                assert!(
                    told(before) == told(after) || names(&gone, value),
                    "{value}"
                );
            }
        }
    }
}

#[test]
fn the_result_does_not_depend_on_where_segments_end() {
    let written = write(3, 200);
    let whole = format!("{:?}", insights(&written, 200));
    for segment in [1, 7, 128] {
        assert_eq!(
            format!("{:?}", insights(&written, segment)),
            whole,
            "{segment}"
        );
    }
    assert_eq!(insights(&[], 1).corpus.reviews, 0);
}

/// A review of forty sentences; the last one praises the warranty and, if `is_named`, names a person.
fn long_review(is_named: bool) -> Written {
    let mut one = write(1, 1).remove(0);
    let sentence = "Di Rare came back within the hour and honoured the warranty.";
    let length = u32::try_from(sentence.len()).unwrap();
    let span = |number: u32| TextSpan {
        start: number * (length + 1),
        end: number * (length + 1) + length,
    };
    let finding = |sentence: u32| Finding {
        aspect: if sentence == 39 { "warranty" } else { "price" }.to_owned(),
        sentence,
        span: span(sentence),
        polarity: Polarity::Positive,
        score: 3,
        confidence: 90,
        hits: hits(span(sentence), 3, true),
    };
    let mention = Mention {
        kind: MentionKind::Technician,
        candidates: vec![PEOPLE[3].to_owned()],
        sentence: 39,
        through: 39,
        span: span(39),
        rule: "full_name",
    };
    one.review.rating = Rating::try_from(5).unwrap();
    one.review.text = vec![sentence; 40].join(" ");
    one.analysis = Analysis {
        language: TextLanguage::English,
        sentences: (0..40).map(span).collect(),
        findings: (0..40).map(finding).collect(),
        mentions: if is_named { vec![mention] } else { Vec::new() },
        overall: (Polarity::Positive, 1),
        phrases: Vec::new(),
    };
    one
}

#[test]
fn a_late_sentence_about_a_rarely_named_person_is_not_quoted() {
    let quoted = |is_named: bool| {
        let insights = insights(&[long_review(is_named)], 1);
        let mut aspects = insights.aspects.into_iter();
        let warranty = aspects.find(|aspect| aspect.id == "warranty").unwrap();
        warranty.said.quotes.len()
    };
    assert_eq!(quoted(false), 1, "the premise");
    assert_eq!(quoted(true), 0);
}

#[test]
fn people_in_fewer_than_three_reviews_are_not_named() {
    let mut rare = 0;
    for seed in SEEDS {
        let insights = insights(&write(seed, 60), 32);
        let few: BTreeSet<usize> = (0..insights.entities.len())
            .filter(|at| {
                insights.entities[*at].kind == MentionKind::Technician
                    && insights.entities[*at].reviews < 3
            })
            .collect();
        rare += few.len();
        for at in &few {
            let person = &insights.entities[*at];
            assert!(
                person.detail.is_none() && person.judged.is_empty(),
                "{}",
                person.name
            );
            assert!(
                insights
                    .aspects
                    .iter()
                    .all(|aspect| aspect.named.iter().all(|joint| joint.at != *at))
            );
            let told = insights
                .summary
                .iter()
                .map(|sentence| &sentence.text)
                .chain(insights.faq.iter().map(|one| &one.answer));
            assert!(
                told.into_iter().all(|text| !text.contains(&person.name)),
                "{}",
                person.name
            );
        }
    }
    assert!(rare >= 12, "the premise: {} is rarely named", PEOPLE[3]);
}
