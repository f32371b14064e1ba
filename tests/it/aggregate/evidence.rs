//! Every figure leads to the reviews behind it: with the sample data and the real analysis.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::support::{TestApp, array_of, str_of};

const VOTES: [&str; 5] = ["positive", "negative", "neutral", "mixed", "uncertain"];

fn slice(text: &Value, of: &Value) -> String {
    let [start, end] =
        ["start", "end"].map(|name| usize::try_from(of[name].as_u64().unwrap()).unwrap());
    text.as_str()
        .unwrap()
        .chars()
        .skip(start)
        .take(end - start)
        .collect()
}

fn numbers(text: &str) -> Vec<u64> {
    text.split(|c: char| !c.is_ascii_digit())
        .filter_map(|digits| digits.parse().ok())
        .collect()
}

#[tokio::test]
async fn aspect_figures_equal_the_counts_of_the_evidence() {
    let app = TestApp::seeded().await;
    let insights = app.json("/insights.json").await;
    let reviews = reviews_by_id(&app).await;
    let aspects = insights["aspects"].as_array().unwrap();
    assert!(aspects.len() >= 8, "the premise");
    for aspect in aspects {
        let path = format!(
            "/insights/aspects/{}/evidence.json",
            aspect["id"].as_str().unwrap()
        );
        assert!(aspect["evidence_url"].as_str().unwrap().ends_with(&path));
        for vote in VOTES {
            let evidence = app.json(&format!("{path}?polarity={vote}&limit=1")).await;
            assert_eq!(evidence["total"], aspect[vote], "{path} {vote}");
        }
        let (mut seen, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = app.json(&format!("{path}?limit=30{cursor}")).await;
            assert_eq!(page["total"], aspect["reviews"], "{path}");
            for review in page["reviews"].as_array().unwrap() {
                check(&reviews, review, aspect);
                seen.push(review["review_id"].as_str().unwrap().to_owned());
            }
            let Some(next) = page["next_cursor"].as_str() else {
                break;
            };
            cursor = format!("&cursor={next}");
        }
        assert_eq!(seen.len() as u64, aspect["reviews"].as_u64().unwrap());
        let distinct: BTreeSet<&String> = seen.iter().collect();
        assert_eq!(distinct.len(), seen.len(), "{path}: a review twice");
    }
}

async fn reviews_by_id(app: &TestApp) -> BTreeMap<String, Value> {
    let dataset = app.json("/reviews.json").await;
    let reviews = array_of(&dataset["reviews"]).iter();
    reviews
        .map(|review| (str_of(&review["id"]).to_owned(), review.clone()))
        .collect()
}

/// The words are a slice of the review, and the hits add up to the score.
fn check(reviews: &BTreeMap<String, Value>, found: &Value, aspect: &Value) {
    let review = &reviews[str_of(&found["review_id"])];
    assert_eq!(
        (&found["url"], &found["date"], &found["stars"]),
        (&review["url"], &review["date"], &review["rating"])
    );
    let findings = found["findings"].as_array().unwrap();
    assert!(!findings.is_empty(), "{found}");
    for finding in findings {
        assert_eq!(
            slice(&review["text"], finding),
            finding["text"].as_str().unwrap()
        );
        let points: i64 = finding["hits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| hit["points"].as_i64().unwrap())
            .sum();
        assert_eq!(
            points,
            finding["score"].as_i64().unwrap(),
            "{}: {finding}",
            aspect["id"]
        );
    }
}

#[tokio::test]
async fn evidence_accepts_only_known_aspects_polarities_and_cursors() {
    let app = TestApp::seeded().await;
    for (target, status) in [
        ("/insights/aspects/weather/evidence.json", 404),
        ("/insights/aspects/price/evidence.json?limit=0", 400),
        ("/insights/aspects/price/evidence.json?limit=101", 400),
        ("/insights/aspects/price/evidence.json?polarity=good", 400),
        ("/insights/aspects/price/evidence.json?cursor=x", 400),
        ("/insights/aspects//evidence.json", 404),
        ("/insights/aspects/a/b/evidence.json", 404),
    ] {
        let answer = app.get(target).await;
        assert_eq!(answer.status, status, "{target}");
        assert_eq!(answer.json()["status"], status, "{target}");
    }
    let next = app
        .json("/insights/aspects/price/evidence.json?limit=1")
        .await["next_cursor"]
        .as_str()
        .unwrap()
        .to_owned();
    let other = app
        .get(&format!(
            "/insights/aspects/warranty/evidence.json?cursor={next}"
        ))
        .await;
    assert_eq!(
        (other.status, &other.json()["issues"][0]["path"]),
        (400, &json!(["cursor"]))
    );
}

#[tokio::test]
async fn every_number_of_the_summary_is_in_the_aggregates() {
    let app = TestApp::seeded().await;
    let insights = app.json("/insights.json").await;
    let sentences = insights["summary"]["sentences"].as_array().unwrap();
    assert!((4..=6).contains(&sentences.len()), "the premise");
    let mut aggregates = BTreeSet::new();
    for part in ["aspects", "entities", "topics"] {
        collect(&insights[part], &mut aggregates);
    }
    collect(&insights["summary"]["overall"], &mut aggregates);
    for sentence in sentences {
        let figures: BTreeSet<u64> = sentence["evidence"]["figures"]
            .as_object()
            .unwrap()
            .values()
            .filter_map(Value::as_u64)
            .collect();
        for number in numbers(sentence["text"].as_str().unwrap()) {
            assert!(figures.contains(&number), "{sentence}");
        }
        assert!(figures.is_subset(&aggregates), "{sentence}");
    }
}

fn summary_of<'a>(insights: &'a Value, template: &str) -> Vec<&'a Value> {
    let sentences = insights["summary"]["sentences"].as_array().unwrap();
    let of_template = sentences.iter().filter(|one| one["template"] == template);
    of_template.collect()
}

#[tokio::test]
async fn the_quote_of_a_complaint_is_negative_and_the_first_evidence() {
    let texts = [(1, 8, RUDE), (5, 20, "They arrived on time.")];
    let app = firm("Plumber", &texts).await;
    let insights = app.json("/insights.json").await;
    let complaints = summary_of(&insights, "aspect_negative");
    for complaint in &complaints {
        let evidence = &complaint["evidence"];
        let quote = &evidence["quote"];
        assert_eq!(quote["polarity"], "negative", "{complaint}");
        assert_eq!(evidence["review_ids"][0], quote["review_id"]);
    }
    assert_eq!(complaints.len(), 1, "the premise: {complaints:#?}");
}

/// A firm of that type with these texts, each with its stars and its number of reviews, the newest first.
async fn firm(kind: &str, texts: &[(u8, u32, &str)]) -> TestApp {
    let app = TestApp::empty().await;
    let mut sql = format!(
        "insert into business (business_id, name, type) values ('f', 'The Firm', '{kind}');"
    );
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

const RUDE: &str = "The woman on the phone was rude to me.";

#[tokio::test]
async fn the_summary_has_at_most_six_sentences_with_ten_judgements() {
    for number in [12, 60, 264] {
        let texts = [
            (1, number / 4, "The woman on the phone was rude to me."),
            (5, number, "The crew was very polite and friendly."),
            (1, 2, "They were an hour late and the price was too high."),
        ];
        let app = firm("Plumber", &texts).await;
        let insights = app.json("/insights.json").await;
        let sentences = insights["summary"]["sentences"].as_array().unwrap();
        assert!((2..=6).contains(&sentences.len()), "{sentences:#?}");
        let all = u64::from(number / 4 + number + 2);
        let least = if all < 100 {
            all.div_ceil(10).max(3)
        } else {
            10
        };
        for sentence in sentences {
            let evidence = &sentence["evidence"];
            assert!(evidence["figures"]["judged"].as_u64() >= Some(least));
            assert_ne!(evidence["aspect"], "price", "two reviews judge it");
        }
    }
}

#[tokio::test]
async fn an_aspect_praised_and_blamed_most_has_one_sentence() {
    let texts = [
        (1, 8, RUDE),
        (5, 12, "The crew was very polite and friendly."),
    ];
    let app = firm("Plumber", &texts).await;
    let insights = app.json("/insights.json").await;
    let divided = summary_of(&insights, "aspect_divided");
    assert_eq!(divided.len(), 1, "{insights:#?}");
    let text = divided[0]["text"].as_str().unwrap();
    assert!(
        text.ends_with("are divided (12 of 20 positive, 8 negative)."),
        "{text}"
    );
    for template in ["aspect_positive", "aspect_negative"] {
        assert!(summary_of(&insights, template).is_empty(), "{template}");
    }
}

#[tokio::test]
async fn a_sentence_is_quoted_only_once() {
    let app = TestApp::seeded().await;
    let insights = app.json("/insights.json").await;
    let mut quotes = Vec::new();
    find_quotes(&insights, &mut quotes);
    let place = |quote: &Value| format!("{} {}", quote["review_id"], quote["start"]);
    let mut places = BTreeSet::new();
    let twice: Vec<&&Value> = quotes
        .iter()
        .filter(|quote| !places.insert(place(quote)))
        .collect();
    assert!(quotes.len() > 60, "{}", quotes.len());
    // The summary repeats a complaint about its aspect only if few can be quoted.
    let complaint = &summary_of(&insights, "aspect_negative")[0]["evidence"];
    let aspects = insights["aspects"].as_array().unwrap().iter();
    let mut of_complaint = aspects.filter(|aspect| aspect["id"] == complaint["aspect"]);
    let shown = of_complaint.next().unwrap()["quotes"].as_array().unwrap();
    let blame = shown.iter().filter(|quote| quote["polarity"] == "negative");
    assert!(
        twice.iter().all(|quote| **quote == &complaint["quote"]) && twice.len() <= 1,
        "{twice:#?}"
    );
    assert!(twice.is_empty() || blame.count() <= 2, "{shown:#?}");
    let answers = insights["faq"].as_array().unwrap();
    let mut answered = 0;
    for answer in answers.iter().filter(|one| one["basis"] == "reviews") {
        let text = answer["answer"].as_str().unwrap();
        answered += usize::from(text.contains('“'));
        for quote in &quotes {
            assert!(!text.contains(quote["text"].as_str().unwrap()), "{text}");
        }
    }
    assert!(answered > 0, "the premise");
}

#[tokio::test]
async fn sample_quotes_are_whole_sentences_cut_out_of_reviews() {
    let app = TestApp::seeded().await;
    let insights = app.json("/insights.json").await;
    let mut found = Vec::new();
    find_quotes(&insights, &mut found);
    assert!(found.len() > 60, "the premise: {}", found.len());
    let reviews = reviews_by_id(&app).await;
    for quote in found {
        let review = &reviews[str_of(&quote["review_id"])];
        let text = quote["text"].as_str().unwrap();
        assert_eq!(slice(&review["text"], quote), text);
        assert_eq!(
            (&quote["date"], &quote["stars"]),
            (&review["date"], &review["rating"])
        );
        let (before, after) = review["text"].as_str().unwrap().split_once(text).unwrap();
        let ends = |text: &str| text.ends_with(['.', '!', '?', '"', ')', '…']);
        assert!(before.is_empty() || ends(before.trim_end()), "{text}");
        assert!(after.is_empty() || ends(text), "{text}");
        assert!((25..=220).contains(&text.chars().count()), "{text}");
        assert!(!text.starts_with(char::is_lowercase), "{text}");
    }
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
