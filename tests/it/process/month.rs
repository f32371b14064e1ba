//! An owner's tasks of a month, done with commands only, and their effect on the documents.

use std::fs;

use serde_json::{Value, json};

use super::{Home, Serving};

/// Exports of the platforms at the beginning of the month.
const GOOGLE: &str = r#"{"reviews": [
    {"name": "accounts/1/locations/77/reviews/AbFvOqk1", "reviewId": "AbFvOqk1", "reviewer": {"displayName": "Ann Baker"},
     "starRating": "FIVE", "comment": "The furnace works again.", "createTime": "2026-10-03T16:00:00Z", "updateTime": "2026-10-03T16:00:00Z"},
    {"name": "accounts/1/locations/77/reviews/AbFvZzz2", "reviewId": "AbFvZzz2", "reviewer": {"displayName": "Bob"},
     "starRating": "ONE", "comment": "Never met them.", "createTime": "2026-10-04T16:00:00Z", "updateTime": "2026-10-04T16:00:00Z"}]}"#;
const YOTPO: &str = "review_id,review_title,review_content,review_score,date,display_name,email,published\n\
    91,Good,Came on a Sunday.,4,2026-10-05,Cyd,cyd@example.com,true\n";
const TABLE: &str = "Reviewer;Stars;Comment;Review Date;Reply\nDan;3;All right.;2026-10-06;\n";
/// A correct table, and the same with wrong stars.
const RIGHT: &str = "Reviewer;Stars;Comment;Review Date;Reply\nEve;5;Friendly people.;2026-10-07;\nFay;4;Fair price.;2026-10-08;\n";
const WRONG: &str = "Reviewer;Stars;Comment;Review Date;Reply\nEve;1;Friendly people.;2026-10-07;\nFay;1;Fair price.;2026-10-08;\n";

impl Home {
    /// The published `/reviews.json` and `/insights.json`.
    fn published(&self) -> (Value, Value) {
        let serving: Serving = self.serve();
        let read = |target: &str| serde_json::from_str(&serving.get(target)).unwrap();
        (read("/reviews.json"), read("/insights.json"))
    }

    /// The author and stars of every published review, newest first.
    fn authors(&self) -> Vec<(String, u64)> {
        let (dataset, _) = self.published();
        let reviews = dataset["reviews"].as_array().unwrap();
        let author = |review: &Value| {
            (
                review["author"].as_str().unwrap().to_owned(),
                review["rating"].as_u64().unwrap(),
            )
        };
        reviews.iter().map(author).collect()
    }
}

fn expected(authors: &[(&str, u64)]) -> Vec<(String, u64)> {
    let owned = |(name, stars): &(&str, u64)| ((*name).to_owned(), *stars);
    authors.iter().map(owned).collect()
}

#[test]
fn a_month_of_an_owner_needs_only_commands() {
    let home = Home::new();
    home.run_ok(
        &[
            "init",
            "--name",
            "Desert Peak",
            "--type",
            "HVACBusiness",
            "--time-zone",
            "America/Phoenix",
            "--telephone",
            "+1 602 555 0100",
        ],
        "next",
    );
    home.file("google.json", GOOGLE);
    home.file("yotpo.csv", YOTPO);
    home.file("table.csv", TABLE);
    for file in ["google.json", "yotpo.csv", "table.csv"] {
        home.run_ok(&["import", file], " new");
    }
    let first = expected(&[("Dan", 3), ("Cyd", 4), ("Bob", 1), ("Ann Baker", 5)]);
    assert_eq!(home.authors(), first);

    // Bob was never a customer. A prefix of the ID is enough.
    let listed: Value =
        serde_json::from_str(&home.run_ok(&["list", "--json", "--rating", "1"], "").out).unwrap();
    let bob = listed[0]["id"].as_str().unwrap().to_owned();
    home.run_ok(
        &[
            "withhold",
            &bob[..bob.len() - 1],
            "--reason",
            "not a customer",
        ],
        "withheld (not a customer)",
    );
    let rest = expected(&[("Dan", 3), ("Cyd", 4), ("Ann Baker", 5)]);
    assert_eq!(home.authors(), rest);

    let listed: Value = serde_json::from_str(
        &home
            .run_ok(&["list", "--json", "--query", "furnace"], "")
            .out,
    )
    .unwrap();
    let ann = listed[0]["id"].as_str().unwrap().to_owned();
    home.run_ok(&["respond", &ann, "Thank you, Ann."], "answered");
    home.file(
        "business.json",
        r#"{"services": [{"id": "heat", "name": "Heating"}]}"#,
    );
    home.run_ok(&["business", "business.json"], "+ services");
    home.file(
        "editorial.json",
        r#"{"faq": [{"id": "sun", "question": "Do you come on Sundays?", "answer": "Yes."}]}"#,
    );
    home.run_ok(&["editorial", "editorial.json"], "+ faq");
    let (dataset, insights) = home.published();
    assert_eq!(dataset["business"]["telephone"], "+1 602 555 0100");
    assert_eq!(dataset["business"]["services"][0]["name"], "Heating");
    assert_eq!(dataset["reviews"][2]["response"]["text"], "Thank you, Ann.");
    assert_eq!(
        dataset["withheld"],
        json!({"count": 1, "reasons": {"not a customer": 1}})
    );
    assert!(
        insights["faq"]
            .to_string()
            .contains("Do you come on Sundays?")
    );

    home.run_ok(&["backup", "copy.db"], "copy.db");
    home.file("feedback.csv", WRONG);
    home.run_ok(&["import", "feedback.csv"], "2 new");
    let mut wrong = expected(&[("Fay", 1), ("Eve", 1)]);
    wrong.extend(rest.clone());
    assert_eq!(home.authors(), wrong);
    home.run_ok(&["undo"], "2 removed");
    assert_eq!(home.authors(), rest);
    home.file("feedback.csv", RIGHT);
    home.run_ok(&["import", "feedback.csv"], "2 new");
    let mut right = expected(&[("Fay", 4), ("Eve", 5)]);
    right.extend(rest);
    assert_eq!(home.authors(), right);

    // On another machine, import the export, then restore the backup over it.
    home.run_ok(
        &["export", "out.jsonl"],
        "6 reviews, 0 IDs without a review",
    );
    let other = Home::new();
    for name in ["out.jsonl", "copy.db"] {
        fs::copy(home.0.path().join(name), other.0.path().join(name)).unwrap();
    }
    other.run_ok(&["import", "out.jsonl"], "business: Desert Peak");
    let without_dates = |home: &Home| {
        let (mut dataset, mut insights) = home.published();
        for document in [&mut dataset, &mut insights] {
            document.as_object_mut().unwrap().remove("updated_at");
        }
        let text = format!("{dataset}{insights}");
        // Each service has its own address.
        let host = text
            .split("http://")
            .nth(1)
            .unwrap()
            .split('/')
            .next()
            .unwrap();
        text.replace(host, "HOST")
    };
    assert_eq!(without_dates(&other), without_dates(&home));
    other.run_ok(&["delete", &ann], "deleted");
    other.run_ok(&["restore", "copy.db", "--yes"], "1 deleted again");
    assert_eq!(other.authors(), expected(&[("Dan", 3), ("Cyd", 4)]));
    other.run_ok(&["check"], "ok ");
}
