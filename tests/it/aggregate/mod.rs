//! Insights are counts: they add up, their quotes are in the reviews, and they change only with their reviews.

mod evidence;
mod generated;
mod witnesses;

use generated::{PEOPLE, Written, hits, insights, trade, write};
use reviews_service::insights::{
    Analysis, Finding, Mention, Polarity, Sentence, TextLanguage, TextSpan,
};
use reviews_service::model::{MentionKind, Rating, Vote};
use reviews_service::wire::{Aspect, Entity, InsightQuote, Insights, Votes};

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
    let findings = one.analysis.findings.iter();
    let of_aspect = findings.filter(|finding| finding.aspect == aspect);
    of_aspect.map(|finding| finding.polarity).collect()
}

fn names(one: &Written, name: &str) -> bool {
    let recorded = &one.review.mentions;
    let lists = [
        &recorded.technicians,
        &recorded.services,
        &recorded.service_areas,
    ];
    let mut mentions = one.analysis.mentions.iter();
    lists.into_iter().flatten().any(|value| value == name)
        || mentions.any(|mention| mention.link() == Some(name))
}

fn entities(insights: &Insights) -> impl Iterator<Item = &Entity> {
    MentionKind::ALL
        .into_iter()
        .flat_map(|kind| insights.entities.of(kind))
}

fn quotes(insights: &Insights) -> impl Iterator<Item = &InsightQuote> {
    let aspects = insights.aspects.iter().flat_map(|aspect| &aspect.quotes);
    let entities = entities(insights).flat_map(|entity| &entity.quotes);
    let topics = insights.topics.iter();
    let topics = topics.map(|topic| &topic.quote);
    aspects.chain(entities).chain(topics)
}

/// The votes: positive, negative, neutral, mixed, uncertain.
fn votes(votes: &Votes) -> [u32; 5] {
    [
        votes.positive_count,
        votes.negative_count,
        votes.neutral_count,
        votes.mixed_count,
        votes.uncertain_count,
    ]
}

/// The votes on an aspect are those of the reviews that mention it.
fn check_votes(aspect: &Aspect, written: &[Written]) {
    let polarities = written.iter().map(|one| polarities_of(one, &aspect.id));
    let polarities: Vec<_> = polarities.filter(|says| !says.is_empty()).collect();
    let spoken: Vec<Vote> = polarities.iter().map(|says| vote(says)).collect();
    let count = |vote| u32::try_from(spoken.iter().filter(|one| **one == vote).count()).unwrap();
    assert_eq!(
        aspect.votes.mention_count as usize,
        spoken.len(),
        "{}",
        aspect.id
    );
    let order = [
        Vote::Positive,
        Vote::Negative,
        Vote::Neutral,
        Vote::Mixed,
        Vote::Uncertain,
    ];
    assert_eq!(votes(&aspect.votes), order.map(count), "{}", aspect.id);
    let judged = spoken.iter().filter(|vote| vote.judges()).count();
    assert_eq!(aspect.votes.judged_count as usize, judged);
    assert_eq!(aspect.example_review_ids.len(), judged.min(3));
}

/// The count of a name is the number of reviews that mention it.
fn check_entity(entity: &Entity, written: &[Written]) {
    let is_service = entity.name == "AC repair";
    let value = if is_service { "ac" } else { &entity.name };
    let named = written.iter().filter(|one| names(one, value)).count();
    assert_eq!(entity.votes.mention_count as usize, named, "{value}");
    let sum: u32 = votes(&entity.votes).iter().sum();
    assert_eq!(sum as usize, named, "{value}");
}

#[test]
fn each_review_has_one_vote_on_each_aspect_and_the_votes_add_up() {
    for seed in SEEDS {
        let written = write(seed, 150);
        let insights = insights(&written);
        for aspect in &insights.aspects {
            check_votes(aspect, &written);
        }
        let listed: Vec<&str> = insights.aspects.iter().map(|one| one.id.as_str()).collect();
        let trade = trade();
        let aspects = trade.shown_aspects().iter().map(|aspect| aspect.id.clone());
        let is_judged = |id: &String| written.iter().any(|one| !polarities_of(one, id).is_empty());
        assert_eq!(listed, aspects.filter(is_judged).collect::<Vec<_>>());
        for entity in entities(&insights) {
            check_entity(entity, &written);
        }
        let whole = insights.overall_sentiment;
        let counts = [
            whole.positive_count,
            whole.neutral_count,
            whole.negative_count,
        ];
        let percentages = [whole.positive_pct, whole.neutral_pct, whole.negative_pct];
        assert_eq!(percentages.iter().sum::<u32>(), 100);
        let corpus = insights.generated_from;
        assert_eq!(counts.iter().sum::<u32>(), corpus.analysed);
        let months = insights.temporal.monthly.iter();
        assert_eq!(months.map(|month| month.review_count).sum::<u32>(), 150);
        let mut excluded = corpus.excluded.iter();
        let foreign = excluded.find(|one| one.reason == "not_english").unwrap().n;
        let of = |language| {
            let texts = written.iter();
            let of_language = texts.filter(|one| one.analysis.language == language);
            of_language.count()
        };
        assert_eq!(insights.review_count, 150);
        assert_eq!(corpus.analysed as usize, of(TextLanguage::English));
        assert_eq!(foreign as usize, of(TextLanguage::Other));
    }
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
        rule: "full_name".to_owned(),
        polarity: Polarity::Neutral,
    };
    one.review.rating = Rating::try_from(5).unwrap();
    one.review.text = vec![sentence; 40].join(" ");
    one.analysis = Analysis {
        language: TextLanguage::English,
        sentences: (0..40)
            .map(|number| Sentence {
                span: span(number),
                polarity: Polarity::Positive,
            })
            .collect(),
        findings: (0..40).map(finding).collect(),
        mentions: if is_named { vec![mention] } else { Vec::new() },
        overall: (Polarity::Positive, 1),
    };
    one
}

#[test]
fn a_late_sentence_about_a_rarely_named_person_is_not_quoted() {
    let quoted = |is_named: bool| {
        let insights = insights(&[long_review(is_named)]);
        let mut aspects = insights.aspects.into_iter();
        let warranty = aspects.find(|aspect| aspect.id == "warranty").unwrap();
        warranty.quotes.len()
    };
    assert_eq!(quoted(false), 1, "the premise");
    assert_eq!(quoted(true), 0);
}

#[test]
fn people_in_fewer_than_three_reviews_are_not_named() {
    let mut rare = 0;
    for seed in SEEDS {
        let insights = insights(&write(seed, 60));
        let technicians = insights.entities.technicians.iter();
        for person in technicians.filter(|person| person.votes.mention_count < 3) {
            rare += 1;
            let name = &person.name;
            assert_eq!(person.votes.judged_count, 0, "{name}");
            assert!(person.quotes.is_empty() && person.example_review_ids.is_empty());
            let sentences = insights.summary_sentences.iter();
            let texts = sentences.map(|sentence| &sentence.text);
            let mut texts = texts.chain(insights.faq.iter().map(|one| &one.answer));
            assert!(texts.all(|text| !text.contains(name)), "{name}");
        }
    }
    assert!(rare >= 12, "the premise: {} is rarely named", PEOPLE[3]);
}
