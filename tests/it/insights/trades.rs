//! Selection of the trade by the type of the business or a setting, and the evaluation with annotations.

use std::fs;

use clap::Parser as _;

use super::*;
use crate::laboratory::quality::evaluate::Evaluate;
use crate::process::Home;
use crate::support::assert_has;

/// The output of `cargo run --example evaluate` with these arguments, in the folder `home`.
fn evaluate(home: &Home, words: &[&str]) -> Result<String, String> {
    let in_home = |word: &&str| {
        let path = home.0.path().join(word);
        if path.exists() {
            path.display().to_string()
        } else {
            (*word).to_owned()
        }
    };
    let words: Vec<String> = words.iter().map(in_home).collect();
    let arguments = ["evaluate".to_owned()].into_iter().chain(words);
    let evaluation = Evaluate::try_parse_from(arguments).unwrap();
    evaluation.run().map_err(|error| format!("{error:#}"))
}

/// Reviews of a restaurant and of a plumber.
const TEXTS: [(&str, &str); 2] = [
    (
        "r1",
        "The soup was cold and the waiter was rude. I will never come back.",
    ),
    ("r2", "The price was fair and they were right on time."),
];

fn aspects(insights: &Value) -> Vec<&str> {
    let aspects = insights["aspects"].as_array().unwrap().iter();
    aspects
        .map(|aspect| aspect["id"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn the_business_type_selects_the_trade_also_while_serving() {
    let app = firm(&TEXTS).await;
    let general = insights(&app).await;
    assert_eq!(
        aspects(&general),
        ["punctuality", "professionalism", "price", "overall"],
        "the general aspects without a type of business"
    );
    let trade = &general["method"]["trade"];
    assert_eq!(
        (trade["id"].as_str(), trade["is_measured"].as_bool()),
        (Some("general"), Some(true))
    );
    let measured = |insights: &Value| {
        let figures = insights["method"]["quality"].as_array().unwrap().iter();
        figures.filter(|figure| figure["task"] == "aspect").count()
    };
    assert_eq!(
        measured(&general),
        0,
        "the general trade has no measurements of aspects"
    );
    for (kind, id, some) in [
        ("Restaurant", "food", "food"),
        ("Plumber", "home_services", "price"),
        ("Dentist", "general", "professionalism"),
    ] {
        app.shell(&format!("update business set type = '{kind}';"))
            .await;
        let insights = insights(&app).await;
        let trade = &insights["method"]["trade"];
        assert_eq!(trade["id"], id, "{kind}");
        assert_eq!(trade["is_measured"], true, "{kind}");
        assert_eq!(measured(&insights) > 0, id == "home_services", "{kind}");
        assert!(aspects(&insights).contains(&some), "{kind}: {insights}");
        assert_complete(&app);
    }
    let page = app.text("/insights").await;
    assert!(
        page.contains("Any business") && !page.contains("has not been measured"),
        "the page names the trade"
    );
}

fn import_one_review(home: &Home, text: &str) {
    let line = serde_json::json!({"id": "r", "rating": 5, "date": "2026-10-01", "author": "A", "text": text, "source": {"name": "x"}});
    fs::write(home.0.path().join("r.jsonl"), format!("{line}\n")).unwrap();
    let done = home.run("import r.jsonl");
    assert_eq!(done.code, Some(0), "{}", done.err);
}

#[test]
fn a_setting_overrides_the_type_of_the_business() {
    let home = Home::new();
    // Without a text, no command compiles the phrases of a trade.
    import_one_review(&home, "");
    let trade_of = |words: &[&str]| {
        let done = home.run(words);
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{words:?}");
        let line = done.out.lines().find(|line| line.starts_with("Method "));
        line.unwrap().split(", ").nth(1).unwrap().to_owned()
    };
    assert_eq!(trade_of(&["insights"]), "trade general of 7 aspects");
    assert_eq!(home.run("init --type Bakery").code, Some(0));
    assert_eq!(trade_of(&["insights"]), "trade food of 10 aspects");
    assert_eq!(
        trade_of(&["insights", "--trade", "home_services"]),
        "trade home_services of 11 aspects"
    );
    let unknown = home.run("insights --trade dentist");
    assert_eq!(unknown.code, Some(2));
    assert_has(&unknown.err, "home_services, food, general");
}

#[test]
fn a_file_is_evaluated_with_the_first_trade_of_all_aspects() {
    let home = Home::new();
    let with = |aspect: &str| {
        let rows = format!("text\taspect\tpolarity\nIt was great.\t{aspect}\tpositive\n");
        fs::write(home.0.path().join("rows.tsv"), rows).unwrap();
        evaluate(&home, &["rows.tsv"])
    };
    for (aspect, trade) in [
        ("workmanship", "home_services"),
        ("atmosphere", "food"),
        ("price", "home_services"),
    ] {
        let out = with(aspect).unwrap();
        assert!(
            out.contains(&format!("read with {trade}")),
            "{aspect}: {out}"
        );
    }
    let unknown = with("karma").unwrap_err();
    assert_has(&unknown, "rows.tsv:2: `karma` is not one of punctuality");
}
