//! Reviews generated with their analyses, so that tests of counting do not depend on the analysis.

use std::collections::BTreeSet;

use chrono::{Days, NaiveDate};
use reviews_service::insights::rules::AspectDefinition;
use reviews_service::insights::text::TokenizedText;
use reviews_service::insights::{
    AggregateInput, Analysis, CompactAnalysis, Finding, Hit, Mention, Polarity, Sentence,
    TextLanguage, TextSpan, Trade, aggregate,
};
use reviews_service::model::business::{Business, Editorial, Service, Technician};
use reviews_service::model::{Day, MentionKind, Mentions, Rating, Review};
use reviews_service::wire::{Insights, InsightsMethod};

use crate::support::{Generator, review_with_text, table};

/// Sentences, each with its aspect and polarity.
const SENTENCES: &str = "
    They showed up right on time for the appointment. → punctuality → positive
    Nobody came in the window we were given. → punctuality → negative
    The window is two hours wide. → punctuality → neutral
    It cost exactly what the estimate said. → price → positive
    The estimate was far too high 😀 for a capacitor. → price → negative
    The price was what it was. → price → uncertain
    He put on shoe covers and left the attic clean. → cleanliness → positive
    There was dust from the attic all over the rug. → cleanliness → negative
    The thermostat has worked ever since. → workmanship → positive
    The thermostat died again within a week. → workmanship → negative
    We would call them again. → overall → positive
    Café au lait, señor, and carbon monoxide in the attic. → - → neutral
";
const ASPECTS: &str = "punctuality price cleanliness workmanship warranty overall";
/// People; the last one is rarely named.
pub const PEOPLE: [&str; 4] = ["Ann Moss", "Bo Reed", "Cy Dunn", "Di Rare"];
/// The latest day that a review can have.
const NEWEST: NaiveDate = NaiveDate::from_ymd_opt(2026, 11, 8).unwrap();

/// A review and its analysis.
#[derive(Debug, Clone)]
pub struct Written {
    pub review: Review,
    pub analysis: Analysis,
}

/// This many reviews, newest first.
pub fn write(seed: u64, count: usize) -> Vec<Written> {
    let mut generator = Generator::new(seed);
    let mut written: Vec<Written> = (0..count)
        .map(|number| one(&mut generator, number))
        .collect();
    written.sort_by_key(|one| (std::cmp::Reverse(one.review.date), one.review.id.clone()));
    written
}

/// Some sentences: their text, findings and mentions.
fn sentences(generator: &mut Generator) -> (String, Vec<Finding>, Vec<Mention>) {
    let (mut text, mut findings, mut mentions) = (String::new(), Vec::new(), Vec::new());
    let rows = table(SENTENCES);
    for sentence in 0..u32::try_from(generator.below(6)).unwrap() {
        let [words, aspect, polarity] = generator.pick(&rows);
        let polarity = match polarity {
            "positive" => Polarity::Positive,
            "negative" => Polarity::Negative,
            "uncertain" => Polarity::Uncertain,
            _ => Polarity::Neutral,
        };
        let start = u32::try_from(text.chars().count()).unwrap();
        let span = TextSpan {
            start,
            end: start + u32::try_from(words.chars().count()).unwrap(),
        };
        if aspect != "-" {
            let is_negative = polarity == Polarity::Negative;
            let score = if is_negative { -3 } else { 3 };
            findings.push(Finding {
                aspect: aspect.to_owned(),
                sentence,
                span,
                polarity,
                score,
                confidence: 90,
                hits: hits(span, score, sentence % 4 != 3),
            });
        }
        if generator.below(3) == 0 {
            let first = generator.below(3);
            let mut candidates = vec![PEOPLE[first].to_owned()];
            if generator.below(5) == 0 {
                candidates.push(PEOPLE[(first + 1) % 3].to_owned());
                candidates.sort();
            }
            mentions.push(Mention {
                kind: MentionKind::Technician,
                candidates,
                sentence,
                through: sentence + 1,
                span,
                rule: "full_name".to_owned(),
                polarity: Polarity::Neutral,
            });
        }
        text.push_str(words);
        text.push(' ');
    }
    (text, findings, mentions)
}

/// The hits of a finding: of a rule, and of the classifier if both witnesses agree.
pub fn hits(span: TextSpan, score: i32, is_of_both: bool) -> Vec<Hit> {
    let hit = |rule: &str, points| Hit {
        rule: rule.to_owned(),
        span,
        points,
    };
    if is_of_both {
        let backing = score.signum();
        return vec![
            hit("phrase:said", score - backing),
            hit("examples:said", backing),
        ];
    }
    vec![hit("phrase:said", score)]
}

fn one(generator: &mut Generator, number: usize) -> Written {
    let (text, mut findings, mut mentions) = sentences(generator);
    let language = match (text.is_empty(), generator.below(12)) {
        (true, _) => TextLanguage::None,
        (false, 0) => TextLanguage::Other,
        (false, _) => TextLanguage::English,
    };
    let cut = TokenizedText::new(&text);
    let sentences = cut.sentences().iter();
    let sentences = sentences.map(|tokens| Sentence {
        span: cut.span(tokens.clone()),
        polarity: Polarity::Neutral,
    });
    let sentences = sentences.collect();
    if language != TextLanguage::English {
        findings.clear();
        mentions.clear();
    }
    let is_rare = number % 40 == 7;
    let people = is_rare.then(|| PEOPLE[3].to_owned()).into_iter().collect();
    let service = generator.word("ac|unlisted").to_owned();
    let named = Mentions::new(people, vec![service], vec!["Mesa".to_owned()]);
    let overall = [
        Polarity::Positive,
        Polarity::Positive,
        Polarity::Negative,
        Polarity::Uncertain,
    ][generator.below(4)];
    Written {
        review: review(generator, number, text, named),
        analysis: Analysis {
            language,
            sentences,
            findings,
            mentions,
            overall: (overall, 1),
        },
    }
}

fn review(generator: &mut Generator, number: usize, text: String, mentions: Mentions) -> Review {
    // The newest two have the same day, so that removing one does not change the last day.
    let age = match number {
        0 | 1 => 0,
        _ => generator.below(1_500) as u64,
    };
    Review {
        id: format!("r-{number}").parse().unwrap(),
        rating: Rating::try_from(generator.pick(&[1, 2, 3, 4, 5])).unwrap(),
        date: Day::new(NEWEST - Days::new(age)).unwrap(),
        language: None,
        reply: None,
        mentions,
        ..review_with_text(number, text)
    }
}

pub fn trade() -> Trade {
    let aspect = |id: &str| AspectDefinition {
        id: id.to_owned(),
        label: id.to_uppercase(),
        question: format!("How is {id}?"),
    };
    let mut trade = Trade::default();
    trade.aspects = ASPECTS.split(' ').map(aspect).collect();
    trade.overall = trade.aspect("overall");
    trade
}

pub fn business() -> Business {
    let person = |name: &str| Technician {
        id: name.to_lowercase().replace(' ', "-"),
        name: name.to_owned(),
        aliases: Vec::new(),
    };
    Business {
        name: "Test & Sons".to_owned(),
        technicians: PEOPLE.map(person).to_vec(),
        services: vec![Service {
            id: "ac".to_owned(),
            name: "AC repair".to_owned(),
            synonyms: Vec::new(),
        }],
        service_areas: vec!["Mesa".to_owned()],
        ..Business::default()
    }
}

pub fn insights(written: &[Written]) -> Insights {
    let trade = trade();
    let analyses: Vec<CompactAnalysis> = written
        .iter()
        .map(|one| CompactAnalysis::new(&one.analysis, &one.review, &trade))
        .collect();
    let business = business();
    let people: Vec<&str> = business
        .technicians
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    let reviews = written.iter().map(|one| &one.review);
    let analyses: Vec<_> = reviews.zip(&analyses).collect();
    let sources = AggregateInput {
        analyses: &analyses,
        unanalyzed: 0,
        trade: &trade,
        business: &business,
        people: &people,
        editorial: &Editorial::default(),
        answered: &BTreeSet::new(),
        mentioned: &[(MentionKind::Service, "unlisted")].into(),
    };
    aggregate(&sources, InsightsMethod::default())
}
