//! Whose words the reviews are read with: by the business's type, followed while serving, or as the
//! owner sets it; and what `reviews insights lint` says of a package.

use std::fs;

use serde_json::json;

use super::*;
use crate::process::{Home, Serving, reviews};

/// What a diner and what a plumber's customer would say.
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
async fn the_type_picks_the_package_and_is_followed_while_serving() {
    let app = firm(&TEXTS).await;
    let general = insights(&app).await;
    assert_eq!(
        aspects(&general),
        ["punctuality", "professionalism", "price", "overall"],
        "a business that has not said its type claims only what travels"
    );
    let trade = &general["method"]["trade"];
    assert_eq!(
        (trade["id"].as_str(), trade["is_measured"].as_bool()),
        (Some("general"), Some(true))
    );
    let detector = |insights: &Value| insights["method"]["weights_sha256"]["detector"].clone();
    let measured = |insights: &Value| {
        let figures = insights["method"]["quality"].as_array().unwrap().iter();
        figures.filter(|figure| figure["task"] == "aspect").count()
    };
    assert_eq!(measured(&general), 0, "figures of others are not its own");
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
        assert_eq!(
            detector(&insights) == detector(&general),
            id == "general",
            "each package has a classifier of its own"
        );
        assert_eq!(measured(&insights) > 0, id == "home_services", "{kind}");
        assert!(aspects(&insights).contains(&some), "{kind}: {insights}");
        assert_complete(&app);
    }
    let page = app.get("/insights").await.text();
    assert!(
        page.contains("Any business") && !page.contains("has not been measured"),
        "the page says whose words"
    );
}

/// The example of `docs/TRADE.md`: files by their names, and blocks of commands.
fn example() -> (Vec<(String, String)>, Vec<String>) {
    let page = include_str!("../../../docs/TRADE.md");
    let (mut files, mut commands) = (Vec::new(), Vec::new());
    for block in page.split("\n```").skip(1).step_by(2) {
        let (info, text) = block.split_once('\n').unwrap();
        match info.split_once(' ') {
            Some((_, name)) => files.push((name.to_owned(), format!("{text}\n"))),
            None if info == "sh" => commands.extend(text.lines().map(str::to_owned)),
            None => {}
        }
    }
    (files, commands)
}

fn dentist() -> (Home, Vec<String>) {
    let home = Home::new();
    let (files, commands) = example();
    assert_eq!(files.len(), 4);
    for (name, text) in files {
        let path = home.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    (home, commands)
}

#[test]
fn the_trade_of_the_manual_works_word_for_word() {
    let (home, commands) = dentist();
    sqlite_firm(&home);
    let mut served = false;
    for command in &commands {
        let words: Vec<&str> = command.split_whitespace().collect();
        match words.as_slice() {
            ["reviews", "serve", rest @ ..] => {
                let serving = Serving::start(reviews(home.0.path()).arg("serve").args(rest));
                let insights: Value = serde_json::from_str(&serving.get("/insights.json")).unwrap();
                assert_eq!(
                    aspects(&insights),
                    ["treatment", "waiting", "professionalism"]
                );
                assert_eq!(insights["method"]["trade"]["id"], "dentist");
                assert_eq!(insights["method"]["trade"]["is_measured"], true);
                served = true;
            }
            ["reviews", words @ ..] => {
                let said = home.run(words);
                assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{command}");
                let figure = said
                    .out
                    .lines()
                    .find(|line| line.starts_with("aspect_recall"));
                assert!(
                    figure.is_none_or(|line| line.contains("8 of 8")),
                    "its own sentences are read: {}",
                    said.out
                );
            }
            _ => panic!("{command}"),
        }
    }
    assert!(served, "the last step serves: {commands:?}");
    let own = home.run(&[
        "insights",
        "evaluate",
        "dentist/sentences.tsv",
        "--trade",
        "dentist",
        "--quality",
        "r.jsonl",
    ]);
    assert!(
        own.code == Some(2) && own.err.contains("r.jsonl exists and holds no figures"),
        "no other file is replaced: {}",
        own.err
    );
    let lint = home.run(&["insights", "lint", "dentist"]);
    assert!(
        lint.code == Some(0) && lint.out.contains("ok ") && !lint.out.contains("quality.tsv"),
        "{}",
        lint.out
    );
}

/// A dentist's database with one review.
fn sqlite_firm(home: &Home) {
    let text = "The filling was painless, I was seen right away, and the hygienist was so kind.";
    let line = serde_json::json!({"id": "r", "rating": 5, "date": "2026-10-01", "author": "A", "text": text, "source": {"name": "x"}});
    fs::write(home.0.path().join("r.jsonl"), format!("{line}\n")).unwrap();
    let said = home.run(&["import", "r.jsonl"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
}

#[test]
fn lint_tells_all_that_is_wrong_at_once_and_what_a_package_lacks() {
    let (home, _) = dentist();
    let path = |name: &str| home.0.path().join("dentist").join(name);
    let lint = || {
        let said = home.run(&["insights", "lint", "dentist"]);
        (said.code, said.out)
    };
    let (code, out) = lint();
    assert!(
        code == Some(0)
            && out.contains("remark  no quality.tsv: its quality has not been measured"),
        "{out}"
    );

    let lacking = "[trade]\n[[aspect]]\nid = \"pain\"\nlabel = \"\"\nquestion = \"Hurts\"\nnegative = ['ouch', 'so ouch', 'ouch']\n\
                   [opinions]\ngood = ['great']\n";
    fs::write(path("trade.toml"), lacking).unwrap();
    fs::remove_file(path("shared.toml")).unwrap();
    fs::remove_file(path("own.toml")).unwrap();
    let (code, out) = lint();
    assert_eq!(code, Some(2), "{out}");
    for wrong in [
        "[trade] lacks `id`",
        "[trade] lacks `label`",
        "[trade] lacks `types`",
        "[trade] lacks an aspect in the role `overall`",
        "aspect `pain` lacks a `label`",
        "aspect `pain` lacks a `question` that ends with `?`",
        "aspect `pain` lacks `names`",
        "aspect `pain` lacks `positive` phrases",
        "trade.toml:6: `ouch` has the same meaning as `ouch` (dentist/trade.toml:6)",
        "trade.toml:8: `great` is shared already: `great` (shared/opinions.toml:",
    ] {
        assert!(out.contains(wrong), "{wrong}: {out}");
    }

    let conflict = lacking.replace("[opinions]", "positive = ['ouch']\n[opinions]");
    fs::write(path("trade.toml"), conflict).unwrap();
    assert!(
        lint().1.contains("`ouch` contradicts `ouch`"),
        "{}",
        lint().1
    );

    fs::write(path("trade.toml"), "[trade]\nid = 3\n").unwrap();
    fs::write(path("other.toml"), "[[aspect]]\nid = \"a\"\n[lists\n").unwrap();
    fs::write(path("quality.tsv"), "task\nx\n").unwrap();
    let (code, out) = lint();
    assert_eq!((code, out.matches("wrong ").count()), (Some(2), 4), "{out}");
    for place in [
        "trade.toml:2:",
        "other.toml:3:",
        "quality.tsv:1:",
        "quality.tsv:2:",
    ] {
        assert!(out.contains(place), "{place}: {out}");
    }
}

#[test]
fn weights_of_other_aspects_and_folders_without_a_head_are_refused() {
    let (home, _) = dentist();
    let weights = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("src/insights/trades/home_services/classifier.weights");
    let own = home.0.path().join("dentist/classifier.weights");
    fs::copy(weights, &own).unwrap();
    let foreign = home.run(&["insights", "lint", "dentist"]);
    assert!(
        foreign.code == Some(2)
            && foreign
                .out
                .contains("classifier.weights: knows `workmanship`, which is not an aspect here"),
        "{}",
        foreign.out
    );
    // Those of polarity have the heads of polarity, whatever the language.
    let spanish = home.0.path().join("dentist/es");
    fs::create_dir(&spanish).unwrap();
    fs::rename(&own, spanish.join("polarity.weights")).unwrap();
    let of_aspects = home.run(&["insights", "lint", "dentist"]);
    assert!(
        of_aspects.code == Some(2)
            && of_aspects.err.contains(
                "dentist/es/polarity.weights: weights of polarity have the heads negative, neutral, positive"
            ),
        "{}",
        of_aspects.err
    );
    fs::remove_dir_all(&spanish).unwrap();
    fs::write(&own, "nonsense").unwrap();
    for words in [
        &["insights", "lint", "dentist"][..],
        &["check", "--trade", "dentist"],
    ] {
        let broken = home.run(words);
        assert!(
            broken.code == Some(2) && broken.err.contains("dentist/classifier.weights"),
            "{}",
            broken.err
        );
    }
    fs::remove_file(home.0.path().join("dentist/trade.toml")).unwrap();
    let headless = home.run(&["insights", "lint", "dentist"]);
    assert!(
        headless.code == Some(2) && headless.err.contains("dentist has no file trade.toml"),
        "{}",
        headless.err
    );
    let missing = home.run(&["insights", "lint", "nowhere"]);
    assert!(
        missing.code == Some(2) && missing.err.contains("cannot read nowhere"),
        "{}",
        missing.err
    );
}

#[test]
fn a_setting_goes_before_the_type_and_two_are_refused() {
    let (home, _) = dentist();
    sqlite_firm(&home);
    let trade_of = |words: &[&str]| {
        let said = home.run(words);
        assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{words:?}");
        let line = said.out.lines().find(|line| line.starts_with("Method "));
        line.unwrap().split(", ").nth(1).unwrap().to_owned()
    };
    assert_eq!(trade_of(&["insights"]), "trade general of 7 aspects");
    assert_eq!(home.run(&["init", "--type", "Bakery"]).code, Some(0));
    assert_eq!(trade_of(&["insights"]), "trade food of 10 aspects");
    assert_eq!(
        trade_of(&["insights", "--trade", "home_services"]),
        "trade home_services of 11 aspects"
    );
    assert_eq!(
        trade_of(&["insights", "--trade", "dentist"]),
        "trade dentist of 8 aspects"
    );
    let file = home.0.path().join("one.toml");
    let one = "[[aspect]]\nid = \"overall\"\nlabel = \"All\"\nquestion = \"And?\"\n";
    fs::write(&file, one).unwrap();
    assert_eq!(
        trade_of(&["insights", "--trade-file", "one.toml"]),
        "trade own of 1 aspects"
    );
    let both = home.run(&["insights", "--trade", "food", "--trade-file", "one.toml"]);
    assert!(
        both.code == Some(2) && both.err.contains("are both set"),
        "{}",
        both.err
    );
}

/// Without the general words a file of one's own was right about every second judgement only; they
/// are shared unless it says otherwise.
#[test]
fn a_file_of_ones_own_has_negators_and_opinions() {
    let home = Home::new();
    let file = "[[aspect]]\nid = \"smell\"\nlabel = \"Smell\"\nquestion = \"Does it smell good?\"\nnames = ['smell', 'scent~']\n";
    fs::write(home.0.path().join("smell.toml"), file).unwrap();
    let review = |text: &str, polarity: &str| {
        let finding = json!({ "aspect": "smell", "polarity": polarity, "quote": text });
        let stars = if polarity == "positive" { 5 } else { 1 };
        json!({ "text": text, "stars": stars, "findings": [finding] }).to_string()
    };
    let reviews = [
        review("They came and the scent was not good.", "negative"),
        review("They came and the scents are amazing.", "positive"),
    ];
    fs::write(home.0.path().join("reviews.jsonl"), reviews.join("\n")).unwrap();
    let figures_of = || {
        let words = ["insights", "evaluate", "reviews.jsonl", "--json"];
        let said = home.run(&[&words[..], &["--trade-file", "smell.toml"]].concat());
        assert_eq!(said.code, Some(0), "{}", said.err);
        let figures: Value = serde_json::from_str(&said.out).unwrap();
        figures
    };
    let rights = |figures: &Value| {
        ["judged_recall", "against_stars"].map(|name| figures[name]["part"].as_u64().unwrap())
    };
    let shared = figures_of();
    assert_eq!(rights(&shared["rules_alone"]), [2, 2]);
    fs::write(
        home.0.path().join("smell.toml"),
        format!("[trade]\nshared = false\n{file}"),
    )
    .unwrap();
    let alone = figures_of();
    assert_eq!(
        rights(&alone["rules_alone"]),
        [0, 0],
        "nothing tells the two apart"
    );
    assert_eq!(
        alone["against_stars"]["part"], 2,
        "the polarity of all trades does"
    );
}

#[test]
fn a_line_that_is_no_annotated_review_is_told_with_its_number() {
    let home = Home::new();
    for (line, told) in [
        ("{\"stars\": 5}", "missing field `text`"),
        ("{\"text\": \"Fine.\", \"stars\": 6}", "`stars` is 6"),
        (
            "{\"text\": \"Fine.\", \"findings\": [{\"aspect\": \"price\", \"polarity\": \"positive\", \"quote\": \"cheap\"}]}",
            "the text does not contain `cheap`",
        ),
    ] {
        let lines = format!("{{\"text\": \"Fine.\"}}\n{line}\n");
        fs::write(home.0.path().join("reviews.jsonl"), lines).unwrap();
        let said = home.run(&["insights", "evaluate", "reviews.jsonl"]);
        assert!(
            said.code != Some(0)
                && said.err.contains("reviews.jsonl:2: ")
                && said.err.contains(told),
            "{}",
            said.err
        );
    }
}

#[test]
fn a_file_is_measured_with_the_first_package_that_has_its_aspects() {
    let home = Home::new();
    let with = |aspect: &str| {
        let rows = format!("text\taspect\tpolarity\nIt was great.\t{aspect}\tpositive\n");
        fs::write(home.0.path().join("rows.tsv"), rows).unwrap();
        home.run(&["insights", "evaluate", "rows.tsv"])
    };
    for (aspect, trade) in [
        ("workmanship", "home_services"),
        ("atmosphere", "food"),
        ("price", "home_services"),
    ] {
        let said = with(aspect);
        assert!(
            said.code == Some(0) && said.out.contains(&format!("read with {trade}")),
            "{aspect}: {}",
            said.out
        );
    }
    let unknown = with("karma");
    assert!(
        unknown.code == Some(2)
            && unknown
                .err
                .contains("rows.tsv:2: `karma` is not one of punctuality"),
        "{}",
        unknown.err
    );
}
