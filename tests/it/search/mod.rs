//! Search: what it finds, in which order and on which page; and what it says of a question that
//! cannot be asked.

mod folding;
mod helped;
mod opinions;
mod pages;
mod parameters;
mod text_index;

use std::collections::BTreeMap;

use reviews_service::reviews::{
    Rating, Review, ReviewFilter, SearchArguments, Sort, Status, Vote, fold,
};
use reviews_service::search::{Costs, TOTAL_MAX, TextIndex};
use reviews_service::server::Limits;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use self::text_index::eager;
use crate::support::{Generator, SERVICES, TECHNICIANS, TestApp};

const SEARCH: &str = "/api/reviews/search";
/// One of two questions for each set of filters.
const FILTERS: usize = 1 << 7;

/// A published review, as the naive search sees it.
struct Known {
    id: String,
    date: String,
    stars: u8,
    folded: String,
    technicians: Vec<String>,
    services: Vec<String>,
    language: Option<String>,
    source: String,
    has_text: bool,
    has_response: bool,
    /// How it speaks of what.
    votes: BTreeMap<String, Vote>,
}

/// The published ones in the promised order: date descending, then id ascending.
fn known(reviews: &[Review]) -> Vec<Known> {
    let mut known: Vec<Known> = reviews
        .iter()
        .filter(|review| review.status == Status::Published)
        .map(|review| Known {
            id: review.id.to_string(),
            date: review.date.to_string(),
            stars: review.rating.stars(),
            folded: fold(&review.text),
            technicians: review
                .mentions
                .technicians
                .iter()
                .map(|name| fold(name))
                .collect(),
            services: review.mentions.services.clone(),
            language: review.language.as_deref().map(fold),
            source: fold(&review.source.name),
            has_text: !review.text.is_empty(),
            has_response: review.response.is_some(),
            votes: BTreeMap::new(),
        })
        .collect();
    known.sort_by(|one, other| {
        other
            .date
            .cmp(&one.date)
            .then_with(|| one.id.cmp(&other.id))
    });
    known
}

/// A question with any of the filters.
#[derive(Debug, Default)]
struct Question {
    rating: Option<u8>,
    min_rating: Option<&'static str>,
    since: Option<String>,
    until: Option<String>,
    query: Option<String>,
    technician: Option<String>,
    service: Option<String>,
    max_rating: Option<&'static str>,
    language: Option<&'static str>,
    source: Option<&'static str>,
    has_text: Option<bool>,
    has_response: Option<bool>,
    aspect: Option<&'static str>,
    polarity: Option<Vote>,
    sort: Sort,
}

impl Question {
    /// One with the filters whose bits are set in `filters`.
    fn random(generator: &mut Generator, filters: usize, reviews: &[Review]) -> Self {
        let asks = |bit: usize| filters & 1 << bit != 0;
        Self {
            rating: asks(0).then(|| generator.pick(&[1, 2, 3, 4, 5, 5])),
            min_rating: asks(1).then(|| {
                generator.pick(&[
                    "1", "1.5", "2", "2.01", "3.000", "4", "4.5", "4.999", "5", "005.0",
                ])
            }),
            since: asks(2).then(|| generator.day().to_string()),
            until: asks(3).then(|| generator.day().to_string()),
            query: asks(4).then(|| fragment(generator, reviews)),
            technician: asks(5).then(|| {
                let name = generator.pick(&TECHNICIANS);
                match generator.below(8) {
                    0 => "Nobody Known".to_owned(),
                    1 => name.split(' ').next().unwrap().to_owned(),
                    2 => name.to_uppercase(),
                    3 => name.to_lowercase(),
                    _ => name.to_owned(),
                }
            }),
            service: asks(6).then(|| {
                if generator.once_in(8) {
                    "AC-REPAIR".to_owned()
                } else {
                    generator.pick(&SERVICES).to_owned()
                }
            }),
            ..Self::default()
        }
    }

    /// The same with some of the filters that came later.
    fn narrowed(self, generator: &mut Generator) -> Self {
        Self {
            max_rating: generator
                .once_in(4)
                .then(|| generator.pick(&["1", "2.5", "4", "4.999", "5.0"])),
            language: generator
                .once_in(4)
                .then(|| generator.pick(&["es-MX", "ES-mx", "es-MX", "en"])),
            source: generator
                .once_in(4)
                .then(|| generator.pick(&["Google", "FACEBOOK", "facebook", "Face"])),
            has_text: generator.once_in(4).then(|| generator.once_in(2)),
            has_response: generator.once_in(4).then(|| generator.once_in(2)),
            ..self.opinionated(generator)
        }
    }

    fn takes(&self, review: &Known) -> bool {
        let query = self.query.as_deref().map(fold);
        self.rating.is_none_or(|stars| review.stars == stars)
            && self
                .min_rating
                .is_none_or(|least| f64::from(review.stars) >= least.parse().unwrap())
            && self
                .since
                .as_ref()
                .is_none_or(|since| review.date >= *since)
            && self
                .until
                .as_ref()
                .is_none_or(|until| review.date <= *until)
            && self
                .technician
                .as_deref()
                .is_none_or(|name| review.technicians.contains(&fold(name)))
            && self
                .service
                .as_ref()
                .is_none_or(|id| review.services.contains(id))
            && self
                .max_rating
                .is_none_or(|most| f64::from(review.stars) <= most.parse().unwrap())
            && self
                .language
                .is_none_or(|tag| review.language == Some(fold(tag)))
            && self.source.is_none_or(|name| review.source == fold(name))
            && self.has_text.is_none_or(|has| review.has_text == has)
            && self
                .has_response
                .is_none_or(|has| review.has_response == has)
            && query.is_none_or(|query| review.folded.contains(&query))
            && self.speaks(review)
    }

    fn expected<'a>(&self, known: &'a [Known]) -> Vec<&'a str> {
        let mut taken: Vec<&Known> = known.iter().filter(|review| self.takes(review)).collect();
        // They are the newest first already, and sorting keeps that among equals.
        match self.sort {
            Sort::Newest => {}
            Sort::Oldest => {
                taken.sort_by(|one, other| (&one.date, &one.id).cmp(&(&other.date, &other.id)));
            }
            Sort::Highest => taken.sort_by_key(|review| std::cmp::Reverse(review.stars)),
            Sort::Lowest => taken.sort_by_key(|review| review.stars),
        }
        taken.iter().map(|review| review.id.as_str()).collect()
    }

    fn arguments(&self) -> SearchArguments {
        SearchArguments {
            rating: self
                .rating
                .map(|stars| Rating::try_from(i64::from(stars)).unwrap()),
            min_rating: self.min_rating.map(|least| least.parse().unwrap()),
            max_rating: self.max_rating.map(|most| most.parse().unwrap()),
            since: self.since.as_ref().map(|day| day.parse().unwrap()),
            until: self.until.as_ref().map(|day| day.parse().unwrap()),
            query: self.query.clone(),
            mentions_technician: self.technician.clone(),
            mentions_service: self.service.clone(),
            language: self.language.map(str::to_owned),
            source: self.source.map(str::to_owned),
            has_text: self.has_text,
            has_response: self.has_response,
            aspect: self.aspect.map(str::to_owned),
            polarity: self.polarity,
            sort: self.sort,
        }
    }

    /// As a GET, with `more` parameters.
    fn target(&self, more: &[(&str, &str)]) -> String {
        let mut pairs = form_urlencoded::Serializer::new(String::new());
        let rating = self.rating.map(|stars| stars.to_string());
        let flag = |has: bool| if has { "true" } else { "false" };
        let given = [
            ("rating", rating.as_deref()),
            ("max_rating", self.max_rating),
            ("language", self.language),
            ("source", self.source),
            ("has_text", self.has_text.map(flag)),
            ("has_response", self.has_response.map(flag)),
            ("min_rating", self.min_rating),
            ("since", self.since.as_deref()),
            ("until", self.until.as_deref()),
            ("query", self.query.as_deref()),
            ("mentions_technician", self.technician.as_deref()),
            ("mentions_service", self.service.as_deref()),
            ("aspect", self.aspect),
            ("polarity", self.polarity.map(Vote::name)),
            (
                "sort",
                Some(self.sort.name()).filter(|_| self.sort != Sort::Newest),
            ),
        ];
        pairs.extend_pairs(
            given
                .into_iter()
                .filter_map(|(name, value)| Some((name, value?))),
        );
        pairs.extend_pairs(more);
        format!("{SEARCH}?{}", pairs.finish())
    }
}

/// A piece of some review's text in mixed case, or something that SQL, LIKE or a regular expression
/// would trip over.
fn fragment(generator: &mut Generator, reviews: &[Review]) -> String {
    const ODD: [&str; 16] = [
        "%", "_", "\"", "'", "\n", "\\", "*", "🙂", "\u{200d}", "ß", "SS", "İ", "i", "\u{212A}",
        "zebra", "(.+)",
    ];
    if generator.once_in(6) {
        return generator.pick(&ODD).to_owned();
    }
    loop {
        let text: Vec<char> = reviews[generator.below(reviews.len())]
            .text
            .chars()
            .collect();
        if text.is_empty() {
            continue;
        }
        let start = generator.below(text.len());
        let end = text.len().min(start + 1 + generator.below(14));
        let mixed = |c: &char| match generator.below(4) {
            0 => c.to_uppercase().next().unwrap(),
            1 => c.to_lowercase().next().unwrap(),
            _ => *c,
        };
        return text[start..end].iter().map(mixed).collect();
    }
}

/// Holds the promises of `total` and `total_relation`: exact, or at the bound and more.
fn assert_total(total: u64, is_exact: bool, real: usize, question: &str) {
    let real = real as u64;
    if is_exact {
        assert_eq!(total, real, "{question}");
    } else {
        assert!(
            total == TOTAL_MAX && real > TOTAL_MAX,
            "{question}: {total} of {real}"
        );
    }
}

fn assert_page(json: &Value, real: usize, question: &str) {
    let is_exact = json["total_relation"] == "eq";
    assert!(
        is_exact || json["total_relation"] == "gte",
        "{question}: {json}"
    );
    assert_total(json["total"].as_u64().unwrap(), is_exact, real, question);
    assert_eq!(
        json["count"],
        json["reviews"].as_array().unwrap().len(),
        "{question}"
    );
}

/// The id at the beginning of a rendered review.
fn id_of(json: &[u8]) -> &str {
    str::from_utf8(json)
        .unwrap()
        .strip_prefix(r#"{"id":""#)
        .unwrap()
        .split('"')
        .next()
        .unwrap()
}

#[tokio::test]
#[expect(
    clippy::too_many_lines,
    reason = "to be split: lines are shorter than when it was written"
)]
async fn every_question_is_answered_as_a_naive_scan_would() {
    let mut reviews = Generator::new(11).reviews(5_000);
    reviews
        .iter_mut()
        .step_by(3)
        .for_each(|review| review.source.name = "Facebook".to_owned());
    opinions::give(&mut reviews);
    let app = TestApp::uncoded(&reviews).await;
    let known = opinions::known(&app, &reviews).await;
    let snapshot = app.app().ctx().current.load();
    let index = eager(&app).await;
    let mut generator = Generator::new(12);
    let mut hits = 0;
    for number in 0..24 * FILTERS {
        let question = Question::random(&mut generator, number % FILTERS, &reviews);
        let question = if number / FILTERS % 2 == 1 {
            question.narrowed(&mut generator)
        } else {
            question
        };
        let limit = 1 + generator.below(100);
        let expected = question.expected(&known);
        let found = index
            .search(
                &snapshot,
                &ReviewFilter::new(&question.arguments()),
                limit,
                None,
            )
            .await;
        let ids: Vec<&str> = found.reviews.iter().map(|json| id_of(json)).collect();
        assert_eq!(ids, expected[..limit.min(expected.len())], "{question:?}");
        assert_eq!(found.next.is_some(), expected.len() > limit, "{question:?}");
        assert_total(
            found.total,
            found.is_exact,
            expected.len(),
            &format!("{question:?}"),
        );
        hits += usize::from(!expected.is_empty());
    }
    assert!(
        hits > 600,
        "most questions found nothing, so they prove little: {hits}"
    );
    // The same through the front door, from parameters to JSON.
    for number in 0..3 * FILTERS {
        let question = Question::random(&mut generator, number % FILTERS, &reviews);
        let question = if number / FILTERS % 2 == 1 {
            question.narrowed(&mut generator)
        } else {
            question
        };
        let limit = (1 + generator.below(100)).to_string();
        let expected = question.expected(&known);
        let target = question.target(&[("limit", &limit)]);
        let answer = app.get(&target).await;
        assert_eq!(answer.status, 200, "{target}");
        let (json, limit) = (answer.json(), limit.parse().unwrap());
        assert_eq!(
            answer.ids(),
            expected[..expected.len().min(limit)],
            "{target}"
        );
        assert_eq!(json["limit"], limit, "{target}");
        assert_eq!(
            json.get("next_cursor").is_some(),
            expected.len() > limit,
            "{target}"
        );
        assert_page(&json, expected.len(), &target);
    }
}

/// A review with that text, on a day of its own: the lower its number, the newer.
fn saying(number: usize, text: &str) -> Review {
    let day = chrono::NaiveDate::from_ymd_opt(2026, 1, 1).unwrap()
        - chrono::Duration::days(number as i64);
    let date = reviews_service::reviews::Day::new(day).unwrap();
    let status = Status::Published;
    let mentions = reviews_service::reviews::Mentions::default();
    let id = format!("s-{number:04}").parse().unwrap();
    Review {
        id,
        date,
        text: text.to_owned(),
        status,
        mentions,
        ..Generator::new(1).review(number)
    }
}

/// A 400 with exactly these issues, in any order; gives them back by parameter.
async fn assert_issues(app: &TestApp, query: &str, expected: &[(&str, &str)]) -> Vec<Value> {
    let answer = app.get(&format!("{SEARCH}?{query}")).await;
    assert_eq!(answer.status, 400, "{query}: {}", answer.text());
    let issues = answer.json()["issues"].as_array().unwrap().clone();
    let mut found: Vec<(&str, &str)> = issues
        .iter()
        .map(|issue| {
            (
                issue["path"][0].as_str().unwrap(),
                issue["code"].as_str().unwrap(),
            )
        })
        .collect();
    let mut expected = expected.to_vec();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected, "{query}");
    for issue in &issues {
        assert_eq!(issue["path"].as_array().unwrap().len(), 1, "{query}");
        assert!(
            issue["message"].as_str().unwrap().starts_with("must be"),
            "{query}: {issue}"
        );
        assert!(issue["received"].is_string(), "{query}: {issue}");
    }
    issues
}
