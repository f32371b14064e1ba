//! Every figure leads to the reviews behind it: with the sample data and the real analysis.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::support::{TestApp, array_of, str_of, with_sample};

const VOTES: [&str; 5] = ["positive", "negative", "neutral", "mixed", "uncertain"];

fn slice(text: &Value, of: &Value) -> String {
    let place = |name: &str| usize::try_from(of[name].as_u64().unwrap()).unwrap();
    let (start, end) = (place("start"), place("end"));
    let characters = str_of(text).chars();
    characters.skip(start).take(end - start).collect()
}

#[test]
fn aspect_figures_equal_the_counts_of_the_evidence() {
    with_sample(async |app| {
        let insights = app.json("/insights.json").await;
        let reviews = reviews_by_id(app).await;
        let aspects = array_of(&insights["aspects"]);
        assert!(aspects.len() >= 8, "the premise");
        for aspect in aspects {
            let id = str_of(&aspect["id"]);
            let path = format!("/insights/aspects/{id}/evidence.json");
            assert!(str_of(&aspect["evidence_url"]).ends_with(&path));
            for vote in VOTES {
                let evidence = app.json(&format!("{path}?polarity={vote}&limit=1")).await;
                let count = &aspect[format!("{vote}_count")];
                assert_eq!(evidence["matched"], *count, "{path} {vote}");
            }
            let (mut seen, mut cursor) = (BTreeSet::new(), String::new());
            loop {
                let answer = app.get(&format!("{path}?limit=60{cursor}")).await;
                let (page, link) = (answer.json(), answer.header("link"));
                assert_eq!(page["matched"], aspect["mention_count"], "{path}");
                for review in array_of(&page["reviews"]) {
                    check(&reviews, review, id);
                    let id = str_of(&review["review_id"]).to_owned();
                    assert!(seen.insert(id), "{path}: a review twice");
                }
                let Some(next) = page["next_cursor"].as_str() else {
                    break assert_eq!(link, "");
                };
                cursor = format!("&cursor={next}");
                assert!(link.ends_with(&format!("{path}?limit=60{cursor}>; rel=\"next\"")));
            }
            assert_eq!(aspect["mention_count"], seen.len());
        }
    });
}

async fn reviews_by_id(app: &TestApp) -> BTreeMap<String, Value> {
    let dataset = app.json("/reviews.json").await;
    let reviews = array_of(&dataset["reviews"]).iter();
    reviews
        .map(|review| (str_of(&review["id"]).to_owned(), review.clone()))
        .collect()
}

/// The words are a slice of the review, and the hits add up to the score, also where the stars withdraw it.
fn check(reviews: &BTreeMap<String, Value>, found: &Value, aspect: &str) {
    let review = &reviews[str_of(&found["review_id"])];
    for (member, of_review) in [("url", "url"), ("date", "date"), ("stars", "rating")] {
        assert_eq!(found[member], review[of_review]);
    }
    let findings = array_of(&found["findings"]);
    assert!(!findings.is_empty(), "{found}");
    for finding in findings {
        assert_eq!(finding["text"], slice(&review["text"], finding));
        let hits = array_of(&finding["hits"]).iter();
        let points: i64 = hits.map(|hit| hit["points"].as_i64().unwrap()).sum();
        assert_eq!(finding["score"], points, "{aspect}: {finding}");
    }
}

#[test]
fn evidence_accepts_only_known_aspects_polarities_and_cursors() {
    with_sample(async |app| {
        let first = app.json("/insights/aspects/price/evidence.json?limit=1");
        let next = str_of(&first.await["next_cursor"]).to_owned();
        for (target, status) in [
            ("weather/evidence.json", 404),
            ("price/evidence.json?limit=0", 400),
            ("price/evidence.json?limit=101", 400),
            ("price/evidence.json?polarity=good", 400),
            ("price/evidence.json?cursor=x", 400),
            ("warranty/evidence.json?cursor=NEXT", 400),
            ("/evidence.json", 404),
            ("a/b/evidence.json", 404),
        ] {
            let target = target.replace("NEXT", &next);
            let answer = app.get(&format!("/insights/aspects/{target}")).await;
            assert_eq!(answer.status, status, "{target}");
        }
    });
}

#[test]
fn every_number_of_the_summary_is_in_the_aggregates() {
    with_sample(async |app| {
        let insights = app.json("/insights.json").await;
        let sentences = array_of(&insights["summary_sentences"]);
        assert!((2..=4).contains(&sentences.len()), "the premise");
        let mut aggregates = BTreeSet::new();
        let parts = "aspects entities topics overall_sentiment generated_from";
        for part in parts.split(' ') {
            collect(&insights[part], &mut aggregates);
        }
        for sentence in sentences {
            let mut figures = BTreeSet::new();
            collect(&sentence["evidence"]["figures"], &mut figures);
            let text = str_of(&sentence["text"]);
            let numbers = text.split(|c: char| !c.is_ascii_digit());
            for number in numbers.filter_map(|digits| digits.parse().ok()) {
                assert!(figures.contains(&number), "{sentence}");
            }
            assert!(figures.is_subset(&aggregates), "{sentence}");
        }
    });
}

/// A firm with these texts, each with its stars and its number of reviews, the newest first.
async fn firm(texts: &[(u8, u32, &str)]) -> TestApp {
    let app = TestApp::empty().await;
    let mut sql =
        "insert into business (business_id, name, type) values ('f', 'The Firm', 'Plumber');"
            .to_owned();
    for (number, (stars, count, text)) in texts.iter().enumerate() {
        sql += &format!(
            "with recursive n (n) as (select 1 union all select n + 1 from n where n < {count})
               insert into review (review_id, rating, reviewed_on, text)
               select '{number}-' || n, {stars}, date('2026-11-20', '-{number} days'), '{text}' from n;"
        );
    }
    app.shell(&sql).await;
    app
}

#[tokio::test]
async fn complaints_without_an_aspect_are_counted() {
    let texts = [
        (1, 3, "Nothing ever comes of these emails."),
        (5, 4, "They arrived on time."),
    ];
    let insights = firm(&texts).await.json("/insights.json").await;
    let heard = &insights["method"]["low_rated"];
    assert_eq!([&heard["reviews"], &heard["without_aspect"]], [3, 3]);
    assert!(array_of(&insights["complaints"]).is_empty());
}

#[test]
fn sample_quotes_are_whole_sentences_each_quoted_once() {
    with_sample(async |app| {
        let insights = app.json("/insights.json").await;
        let mut quotes = Vec::new();
        find_quotes(&insights, &mut quotes);
        assert!(quotes.len() > 25, "{}", quotes.len());
        let mut places = BTreeSet::new();
        let is_repeated =
            |quote: &&&Value| !places.insert(format!("{} {}", quote["review_id"], quote["start"]));
        let twice: Vec<&&Value> = quotes.iter().filter(is_repeated).collect();
        // The summary repeats a complaint about its aspect only if few can be quoted.
        let mut sentences = array_of(&insights["summary_sentences"]).iter();
        let complaint = sentences.find(|one| one["template"] == "aspect_negative");
        let complaint = &complaint.unwrap()["evidence"];
        assert_eq!(complaint["quote"]["kind"], "complaint");
        assert_eq!(complaint["review_ids"][0], complaint["quote"]["review_id"]);
        let mut aspects = array_of(&insights["aspects"]).iter();
        let of_complaint = aspects.find(|aspect| aspect["id"] == complaint["aspect"]);
        let shown = array_of(&of_complaint.unwrap()["quotes"]).iter();
        let blame = shown.filter(|quote| quote["kind"] == "complaint");
        let is_complaint = |quote: &&&Value| **quote == &complaint["quote"];
        assert!(
            twice.len() <= 1 && twice.iter().all(is_complaint),
            "{twice:#?}"
        );
        assert!(twice.is_empty() || blame.count() <= 2);
        let answers = array_of(&insights["faq"]).iter();
        let answers = answers.filter(|one| one["basis"] == "reviews");
        let answers: Vec<&str> = answers.map(|answer| str_of(&answer["answer"])).collect();
        assert!(answers.iter().any(|text| text.contains('“')), "the premise");
        let reviews = reviews_by_id(app).await;
        for quote in quotes {
            let review = &reviews[str_of(&quote["review_id"])];
            let text = str_of(&quote["text"]);
            assert!(
                answers.iter().all(|answer| !answer.contains(text)),
                "{text}"
            );
            assert_eq!(slice(&review["text"], quote), text);
            assert_eq!(quote["date"], review["date"]);
            assert_eq!(quote["stars"], review["rating"]);
            let (before, after) = str_of(&review["text"]).split_once(text).unwrap();
            let ends = |text: &str| text.ends_with(['.', '!', '?', '"', ')', '…']);
            assert!(before.is_empty() || ends(before.trim_end()), "{text}");
            assert!(after.is_empty() || ends(text), "{text}");
            assert!((25..=220).contains(&text.chars().count()), "{text}");
            assert!(!text.starts_with(char::is_lowercase), "{text}");
        }
    });
}

/// Every whole number in `value`, except positions in texts.
fn collect(value: &Value, into: &mut BTreeSet<u64>) {
    match value {
        Value::Number(number) => into.extend(number.as_u64()),
        Value::Array(values) => values.iter().for_each(|value| collect(value, into)),
        Value::Object(members) => members
            .iter()
            .filter(|(name, _)| *name != "quotes")
            .for_each(|(_, value)| collect(value, into)),
        _ => {}
    }
}

fn find_quotes<'a>(value: &'a Value, into: &mut Vec<&'a Value>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| find_quotes(value, into)),
        Value::Object(members)
            if members.contains_key("review_id") && members.contains_key("start") =>
        {
            into.push(value);
        }
        Value::Object(members) => members.values().for_each(|value| find_quotes(value, into)),
        _ => {}
    }
}
