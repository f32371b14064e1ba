//! Quotes are whole sentences on which both witnesses agree, each under one aspect, and not about people in too few reviews.

use std::collections::BTreeSet;

use reviews_service::insights::{Finding, Polarity};
use reviews_service::wire::{Insights, QuoteKind, SummarySentence};

use super::generated::{Written, hits, insights, write};
use super::{SEEDS, quotes, votes};
use crate::support::{TestApp, array_of, assert_has, str_of};

/// The same reviews with findings of only one witness.
fn of_one_witness(seed: u64) -> Vec<Written> {
    let mut written = write(seed, 120);
    for finding in findings(&mut written) {
        finding.hits = hits(finding.span, finding.score, false);
    }
    written
}

fn findings(written: &mut [Written]) -> impl Iterator<Item = &mut Finding> {
    let analyses = written.iter_mut().map(|one| &mut one.analysis);
    analyses.flat_map(|analysis| &mut analysis.findings)
}

#[test]
fn findings_of_one_witness_are_counted_but_not_shown() {
    let counts = |insights: &Insights| {
        let aspects = insights.aspects.iter();
        aspects
            .map(|aspect| (aspect.id.clone(), votes(&aspect.votes)))
            .collect::<Vec<_>>()
    };
    for seed in SEEDS {
        let (both, one) = (insights(&write(seed, 120)), insights(&of_one_witness(seed)));
        assert_eq!(counts(&both), counts(&one));
        assert_eq!(quotes(&one).count(), 0);
        assert!(one.topics.iter().all(|topic| topic.aspect.is_none()));
        assert!(
            both.topics.iter().any(|topic| topic.aspect.is_some()),
            "the premise"
        );
    }
}

#[test]
fn both_witnesses_agree_on_each_quoted_sentence() {
    for seed in SEEDS {
        let written = write(seed, 120);
        for aspect in &insights(&written).aspects {
            for quote in &aspect.quotes {
                let mut reviews = written.iter();
                let of_quote = |one: &&Written| one.review.id.as_str() == quote.review_id;
                let findings = &reviews.find(of_quote).unwrap().analysis.findings;
                let polarity = match quote.kind {
                    QuoteKind::Praise => Polarity::Positive,
                    QuoteKind::Complaint => Polarity::Negative,
                    QuoteKind::Mention => Polarity::Neutral,
                };
                let is_so = findings.iter().any(|finding| {
                    finding.sentence == quote.sentence
                        && finding.aspect == aspect.id
                        && finding.hits.len() == 2
                        && finding.polarity == polarity
                });
                assert!(is_so, "{quote:?} under {}", aspect.id);
            }
        }
    }
}

#[test]
fn the_summary_omits_aspects_with_mostly_unsure_votes() {
    let reported = |written: &[Written]| {
        let insights = insights(written);
        let of_sentence = |one: &SummarySentence| one.evidence.aspect.clone();
        let sentences = insights.summary_sentences.iter();
        let reported: BTreeSet<String> = sentences.filter_map(of_sentence).collect();
        (reported, insights.aspects)
    };
    let mut silenced = 0;
    for seed in SEEDS {
        let written = write(seed, 120);
        let (before, _) = reported(&written);
        let mut unsure = written;
        for (number, one) in unsure.iter_mut().enumerate() {
            let its = one.analysis.findings.iter_mut();
            its.filter(|_| number % 3 > 0).for_each(|finding| {
                finding.polarity = Polarity::Uncertain;
            });
        }
        let (after, aspects) = reported(&unsure);
        for aspect in aspects {
            let is_unsure = aspect.votes.uncertain_count > aspect.votes.judged_count;
            assert!(!is_unsure || !after.contains(&aspect.id), "{}", aspect.id);
            silenced += usize::from(is_unsure && before.contains(&aspect.id));
        }
        let mut unruled = write(seed, 120);
        for hit in findings(&mut unruled).flat_map(|finding| &mut finding.hits) {
            hit.rule = "examples:said".to_owned();
        }
        assert!(reported(&unruled).0.is_empty(), "rules judge nothing");
    }
    assert!(silenced > 3, "the premise: {silenced}");
}

/// A firm whose reviews praise `Orla Finch` this many times by name, and another person five times.
async fn firm(named: u8) -> TestApp {
    let app = TestApp::empty().await;
    app.shell(&format!(
        "insert into business (business_id, name) values ('b', 'Peak Air');
         insert into technician (technician_id, position, name) values ('o', 0, 'Orla Finch'), ('b', 1, 'Bram Yew');
         with recursive n (n) as (select 1 union all select n + 1 from n where n < 5)
           insert into review (review_id, rating, reviewed_on, text) select 'b-' || n, 5, date('2026-10-01', '+' || n || ' days'),
             'Visit ' || n || '. Bram Yew was very polite and professional on visit ' || n || '.' from n;
         with recursive n (n) as (select 1 union all select n + 1 from n where n < {named})
           insert into review (review_id, rating, reviewed_on, text) select 'o-' || n, 5, date('2026-11-01', '+' || n || ' days'),
             'Visit ' || n || '. Orla Finch was very polite and professional on visit ' || n || '.' from n;"
    ))
    .await;
    app
}

#[tokio::test]
async fn people_in_fewer_than_three_reviews_have_only_counts() {
    const EVIDENCE: &str = "/insights/aspects/professionalism/evidence.json";
    for (named, is_shown) in [(2, false), (3, true)] {
        let app = firm(named).await;
        let insights = app.text("/insights.json").await;
        assert_has(&insights, "Bram Yew was very polite");
        let page = app.text("/insights?technician=Orla%20Finch").await;
        for text in [insights, page] {
            assert_eq!(text.contains("Orla Finch was"), is_shown, "{named}");
        }
        let of_her = format!("{EVIDENCE}?technician=Orla%20Finch");
        let of_her = app.json(&of_her).await;
        assert_eq!(of_her["matched"], named);
        let listed = if is_shown { usize::from(named) } else { 0 };
        assert_eq!(array_of(&of_her["reviews"]).len(), listed);
        let all = app.json(EVIDENCE).await;
        assert_eq!(all["by_technician"][1]["reviews"], named);
        let of_finding = &all["reviews"][0]["findings"][0]["technicians"];
        assert_eq!(of_finding.is_null(), !is_shown, "{of_finding}");
        let insights = app.json("/insights.json").await;
        let figures = &insights["entities"]["technicians"][0];
        assert_eq!(figures["mention_count"], named);
        assert_eq!(figures["judged_count"] == 0, !is_shown);
    }
}

#[tokio::test]
async fn the_derived_faq_omits_questions_that_the_firm_answers() {
    let app = TestApp::seeded().await;
    let derived = async || {
        let insights = app.json("/insights.json").await;
        let faq = array_of(&insights["faq"]).iter();
        let derived = faq.filter(|one| one["basis"] == "reviews");
        let ids: Vec<String> = derived.map(|one| str_of(&one["id"]).to_owned()).collect();
        (ids.len(), ids.contains(&"aspect-price".to_owned()))
    };
    let (count, has_price) = derived().await;
    assert!(
        (1..=6).contains(&count) && has_price,
        "the premise: {count}"
    );
    app.shell("insert into editorial_faq (faq_id, question, answer) values ('q', 'Are your prices fair?', 'Yes.')")
        .await;
    let (left, has_price) = derived().await;
    assert!(!has_price && (count - 1..=count).contains(&left), "{left}");
}
