//! Selection of the trade package by the type of the business or a setting, the check of a package where it is loaded, and
//! the evaluation with annotations.

use std::fs;

use clap::Parser as _;
use serde_json::json;

use super::*;
use crate::process::{Home, Serving, reviews};
use crate::quality::evaluate::Evaluate;
use crate::support::assert_has;

/// The output of `cargo run --example evaluate` with these arguments, in the folder `home`.
fn evaluate(home: &Home, words: &[&str]) -> Result<String, String> {
    let in_home = |word: &&str| {
        let path = home.0.path().join(word);
        let is_path = path.exists() || word.ends_with(".tsv");
        if is_path {
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
async fn the_business_type_selects_the_package_also_while_serving() {
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
    let detector = |insights: &Value| insights["method"]["weights_sha256"]["detector"].clone();
    let measured = |insights: &Value| {
        let figures = insights["method"]["quality"].as_array().unwrap().iter();
        figures.filter(|figure| figure["task"] == "aspect").count()
    };
    assert_eq!(
        measured(&general),
        0,
        "the general package has no measurements of aspects"
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
        assert_eq!(
            detector(&insights) == detector(&general),
            id == "general",
            "{kind}: each package has its own classifier"
        );
        assert_eq!(measured(&insights) > 0, id == "home_services", "{kind}");
        assert!(aspects(&insights).contains(&some), "{kind}: {insights}");
        assert_complete(&app);
    }
    let page = app.get("/insights").await.text();
    assert!(
        page.contains("Any business") && !page.contains("has not been measured"),
        "the page names the package"
    );
}

/// The example of `docs/TRADE.md`: files as (name, content), and commands.
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

fn home_with_example() -> (Home, Vec<String>) {
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
fn the_example_of_the_trade_manual_works() {
    let (home, commands) = home_with_example();
    let text = "The filling was painless, I was seen right away, and the hygienist was so kind.";
    import_one_review(&home, text);
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
            ["cargo", "run", "--example", "evaluate", "--", words @ ..] => {
                let out = evaluate(&home, words).unwrap();
                let figure = out.lines().find(|line| line.starts_with("aspect_recall"));
                assert!(
                    figure.unwrap().contains("7 of 7"),
                    "the aspects of its own sentences are found: {out}"
                );
            }
            ["reviews", words @ ..] => {
                let done = home.run(words);
                assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{command}");
            }
            _ => panic!("{command}"),
        }
    }
    assert!(served, "no command serves: {commands:?}");
    let words = [
        "dentist/sentences.tsv",
        "--trade",
        "dentist",
        "--quality",
        "r.jsonl",
    ];
    let own = evaluate(&home, &words).unwrap_err();
    assert!(
        own.contains("r.jsonl exists and holds no figures"),
        "another file is not overwritten: {own}"
    );
}

fn import_one_review(home: &Home, text: &str) {
    let line = serde_json::json!({"id": "r", "rating": 5, "date": "2026-10-01", "author": "A", "text": text, "source": {"name": "x"}});
    fs::write(home.0.path().join("r.jsonl"), format!("{line}\n")).unwrap();
    let done = home.run("import r.jsonl");
    assert_eq!(done.code, Some(0), "{}", done.err);
}

/// The error of a command that loads the package `dentist`.
fn refusal(home: &Home) -> String {
    let done = home.run("insights --trade dentist");
    assert_eq!(done.code, Some(2), "{}", done.out);
    done.err
}

#[test]
fn a_package_is_checked_where_it_is_loaded_with_file_and_line() {
    let (home, _) = home_with_example();
    let path = |name: &str| home.0.path().join("dentist").join(name);
    let lacking = "[trade]\nid = \"dentist\"\n[[aspect]]\nid = \"pain\"\nlabel = \"\"\nquestion = \"Hurts\"\n\
                   negative = ['ouch', 'so ouch']\n";
    fs::write(path("trade.toml"), lacking).unwrap();
    fs::remove_file(path("shared.toml")).unwrap();
    fs::remove_file(path("own.toml")).unwrap();
    let refused = refusal(&home);
    for wrong in [
        "trade.toml:5: `label` must not be empty",
        "trade.toml:6: `question` must end with `?`",
    ] {
        assert!(refused.contains(wrong), "{wrong}: {refused}");
    }

    fs::write(path("trade.toml"), "[trade]\nid = 3\n").unwrap();
    fs::write(path("other.toml"), "[[aspect]]\nid = \"a\"\n[lists\n").unwrap();
    fs::write(path("quality.tsv"), "task\nx\n").unwrap();
    let refused = refusal(&home);
    for place in [
        "trade.toml:2:",
        "other.toml:3:",
        "quality.tsv:1:",
        "quality.tsv:2:",
    ] {
        assert!(refused.contains(place), "{place}: {refused}");
    }
}

#[test]
fn all_languages_of_a_package_are_checked_where_it_is_loaded() {
    let (home, _) = home_with_example();
    let write = |name: &str, text: &str| {
        let path = home.0.path().join("dentist").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("quality.tsv", "task\n");
    write("es/a.toml", "[lists\n");
    write("es/b.toml", "[[aspect]]\nid = 3\n");
    write("es/quality.tsv", "task\nx\n");
    write("fr/language.toml", "code = \"de\"\n");
    let refused = refusal(&home);
    for place in [
        "dentist/quality.tsv:1:",
        "es/a.toml:1:",
        "es/b.toml:2:",
        "es/quality.tsv:1:",
        "es/quality.tsv:2:",
        "fr/language.toml:1: the folder is called `fr`",
    ] {
        assert!(refused.contains(place), "{place}: {refused}");
    }
}

#[test]
fn foreign_weights_and_folders_without_trade_toml_are_refused() {
    let (home, _) = home_with_example();
    let weights = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("src/insights/trades/home_services/classifier.weights");
    let own = home.0.path().join("dentist/classifier.weights");
    let spanish = home.0.path().join("dentist/es");
    fs::create_dir(&spanish).unwrap();
    for folder in ["dentist/es", "dentist"] {
        fs::copy(
            &weights,
            home.0.path().join(folder).join("classifier.weights"),
        )
        .unwrap();
        let expected =
            format!("{folder}/classifier.weights:1: knows `workmanship`, which is not an aspect");
        let refused = refusal(&home);
        assert!(refused.contains(&expected), "{refused}");
        fs::remove_file(home.0.path().join(folder).join("classifier.weights")).unwrap();
    }
    // Polarity weights must have the heads of polarity in every language.
    fs::copy(&weights, spanish.join("polarity.weights")).unwrap();
    let refused = refusal(&home);
    assert_has(
        &refused,
        "dentist/es/polarity.weights: weights of polarity have the heads negative, neutral, positive",
    );
    fs::remove_dir_all(&spanish).unwrap();
    fs::write(&own, "nonsense").unwrap();
    for words in [
        &["insights", "--trade", "dentist"][..],
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
    let headless = refusal(&home);
    assert_has(&headless, "dentist has no file trade.toml");
}

#[test]
fn a_setting_overrides_the_type_of_the_business() {
    let (home, _) = home_with_example();
    // Without a text, no command compiles a package.
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
    assert_eq!(
        trade_of(&["insights", "--trade", "dentist"]),
        "trade dentist of 8 aspects"
    );
    let file = home.0.path().join("one.toml");
    let one = "[[aspect]]\nid = \"overall\"\nlabel = \"All\"\nquestion = \"And?\"\n";
    fs::write(&file, one).unwrap();
    assert_eq!(
        trade_of(&["insights", "--trade", "one.toml"]),
        "trade own of 1 aspects"
    );
}

/// Negators and opinions are shared unless the file has `shared = false`; without them, half of the polarities were wrong.
#[test]
fn a_trade_file_shares_the_general_negators_and_opinions() {
    let home = Home::new();
    let file = "[[aspect]]\nid = \"smell\"\nlabel = \"Smell\"\nquestion = \"Does it smell good?\"\nnames = ['smell', 'scent~']\n";
    let package = home.0.path().join("smell");
    fs::create_dir(&package).unwrap();
    fs::write(package.join("trade.toml"), file).unwrap();
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
        let words = ["reviews.jsonl", "--json", "--trade", "smell"];
        let figures: Value = serde_json::from_str(&evaluate(&home, &words).unwrap()).unwrap();
        figures
    };
    let correct = |figures: &Value| {
        ["judged_recall", "against_stars"].map(|name| figures[name]["part"].as_u64().unwrap())
    };
    let shared = figures_of();
    assert_eq!(correct(&shared["rules_alone"]), [2, 2]);
    let alone = format!("[trade]\nshared = false\n{file}");
    fs::write(package.join("trade.toml"), alone).unwrap();
    let alone = figures_of();
    assert_eq!(
        correct(&alone["rules_alone"]),
        [0, 0],
        "without shared words no polarity is found"
    );
    assert_eq!(
        alone["against_stars"]["part"], 2,
        "the general polarity classifier still finds it"
    );
}

#[test]
fn an_invalid_annotated_review_is_reported_with_the_line() {
    let home = Home::new();
    for (line, expected) in [
        ("{\"stars\": 5}", "missing field `text`"),
        ("{\"text\": \"Fine.\", \"stars\": 6}", "`stars` is 6"),
        (
            "{\"text\": \"Fine.\", \"findings\": [{\"aspect\": \"price\", \"polarity\": \"positive\", \"quote\": \"cheap\"}]}",
            "the text does not contain `cheap`",
        ),
    ] {
        let lines = format!("{{\"text\": \"Fine.\"}}\n{line}\n");
        fs::write(home.0.path().join("reviews.jsonl"), lines).unwrap();
        let error = evaluate(&home, &["reviews.jsonl"]).unwrap_err();
        assert_has(&error, "reviews.jsonl:2: ");
        assert_has(&error, expected);
    }
}

#[test]
fn reviews_are_evaluated_with_the_named_package_others_counted() {
    let home = Home::new();
    let write = |packages: [&str; 2]| {
        let line = |package| json!({ "text": "The soup was cold and the waiter was rude.", "package": package, "stars": 1 });
        let lines = packages.map(|package| line(package).to_string());
        fs::write(home.0.path().join("reviews.jsonl"), lines.join("\n")).unwrap();
    };
    let evaluate = |words: &[&str]| evaluate(&home, &[&["reviews.jsonl"][..], words].concat());
    write(["food", "food"]);
    let fitting = evaluate(&[]).unwrap();
    let first = "2 reviews read as food, 0 in other languages\n\n";
    assert!(fitting.starts_with(first), "{fitting}");
    write(["food", "spa"]);
    for (words, counted) in [
        (
            &[][..],
            "1 reviews read as food, 0 in other languages\n1 of other packages skipped",
        ),
        (
            &["--trade", "general"],
            "0 reviews read as general, 0 in other languages\n2 of other packages skipped",
        ),
    ] {
        let out = evaluate(words).unwrap();
        let expected = format!("{counted}; choose one with --trade\n\n");
        assert!(out.starts_with(&expected), "{out}");
    }
    let figures: Value = serde_json::from_str(&evaluate(&["--json"]).unwrap()).unwrap();
    assert_eq!(figures["of_other_packages"], 1);

    // Figures of nothing do not replace a file, which would be no quality.tsv afterwards.
    write(["spa", "spa"]);
    let path = home.0.path().join("quality.tsv");
    let quality = "task\tset\tmeasure\tn\tpart\twhole\nfinding\told\tprecision\t9\t8\t9\n";
    fs::write(&path, quality).unwrap();
    let empty = evaluate(&["--quality", "quality.tsv"]).unwrap_err();
    assert_has(&empty, "reviews.jsonl gives no figures, so");
    assert_has(&empty, "--trade");
    assert_eq!(fs::read_to_string(&path).unwrap(), quality);
    write(["food", "spa"]);
    evaluate(&["--quality", "quality.tsv"]).unwrap();
    let replaced = fs::read_to_string(&path).unwrap();
    assert!(
        replaced.contains("review_polarity\treviews\taccuracy\t1\t") && !replaced.contains("\n\n"),
        "{replaced}"
    );
}

#[test]
fn a_file_is_evaluated_with_the_first_package_of_all_aspects() {
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
