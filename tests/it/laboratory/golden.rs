//! The engine's version is a digest of its results, so stored analyses are replaced whenever the results change.

use std::fs;
use std::path::Path;

use reviews_service::insights::rules::IDS;
use reviews_service::insights::{AnalysisInput, Analyzer};
use reviews_service::model::business::Business;
use reviews_service::model::hex;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// Files of sentences and reviews.
const TEXTS: [&str; 3] = [
    "tests/gold/development.tsv",
    "tests/gold/reviews/development.jsonl",
    "seeds/reviews.jsonl",
];

/// The text of a line: the member `text` of JSON, otherwise the first tab-separated field.
fn text_of(line: &str) -> String {
    let value: Option<Value> = serde_json::from_str(line).ok();
    let text = value.and_then(|value| Some(value["text"].as_str()?.to_owned()));
    text.unwrap_or_else(|| line.split('\t').next().unwrap().to_owned())
}

#[test]
#[ignore = "run by .ci/nightly"]
#[expect(
    clippy::disallowed_methods,
    reason = "like insta, reads from the environment whether to update the file"
)]
fn the_engine_version_is_the_digest_of_the_results() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut hash = Sha256::new();
    let content = fs::read_to_string(root.join("seeds/business.json")).unwrap();
    let mut sample: Value = serde_json::from_str(&content).unwrap();
    let business = Business {
        technicians: serde_json::from_value(sample["technicians"].take()).unwrap(),
        services: serde_json::from_value(sample["services"].take()).unwrap(),
        service_areas: serde_json::from_value(sample["service_areas"].take()).unwrap(),
        ..Business::default()
    };
    for id in IDS {
        let analyzer = Analyzer::new(&business, Some(id));
        for file in TEXTS {
            let content = fs::read_to_string(root.join(file)).unwrap();
            for (line, stars) in content.lines().zip((1..=5).cycle()) {
                let text = text_of(line);
                let subject = AnalysisInput {
                    text: &text,
                    language: None,
                    author: "Dana W.",
                    stars,
                };
                let analysis = serde_json::to_string(&analyzer.analyze(&subject)).unwrap();
                hash.update(analysis + "\n");
            }
        }
    }
    let path = root.join("src/insights/golden.sha256");
    let found = hex(&hash.finalize()) + "\n";
    if std::env::var_os("INSTA_UPDATE").is_some_and(|wish| wish == "always") {
        fs::write(&path, &found).unwrap();
    }
    assert_eq!(
        fs::read_to_string(path).unwrap(),
        found,
        "the results changed; update the file with INSTA_UPDATE=always"
    );
}
