//! Selection of the trade by the type of the business or a setting.

use std::fs;

use super::*;
use crate::commands::Home;
use crate::support::assert_has;

/// Reviews of a restaurant and of a plumber.
const TEXTS: [(&str, &str); 2] = [
    (
        "r1",
        "The soup was cold and the waiter was rude. I will never come back.",
    ),
    ("r2", "The price was fair and they were right on time."),
];

fn aspects(insights: &Value) -> Vec<&str> {
    let aspects = array_of(&insights["aspects"]).iter();
    aspects.map(|aspect| str_of(&aspect["id"])).collect()
}

#[tokio::test]
async fn the_business_type_selects_the_trade_also_while_serving() {
    let app = firm(&TEXTS).await;
    for (kind, id) in [
        ("HVACBusiness", "home_services"),
        ("Plumber", "home_services"),
        ("https://schema.org/Restaurant", "food"),
        ("cafeorcoffeeshop", "food"),
        ("Dentist", "general"),
        ("LocalBusiness", "general"),
        ("Hotel", "general"),
    ] {
        app.shell(&format!("update business set type = '{kind}'"))
            .await;
        let insights = app.json("/insights.json").await;
        assert_eq!(insights["method"]["trade"]["id"], id, "{kind}");
        assert_complete(&app);
    }
}

#[tokio::test]
async fn each_trade_has_its_own_aspects() {
    let app = firm(&TEXTS).await;
    // The general aspects without a type of business.
    let general = app.json("/insights.json").await;
    let expected = ["punctuality", "professionalism", "price"];
    assert_eq!(aspects(&general), expected);
    for (kind, some) in [("Restaurant", "food"), ("Plumber", "price")] {
        app.shell(&format!("update business set type = '{kind}'"))
            .await;
        let insights = app.json("/insights.json").await;
        assert!(aspects(&insights).contains(&some), "{kind}: {insights}");
    }
}

#[tokio::test]
async fn the_insights_say_whether_their_quality_was_measured_for_the_business() {
    let app = firm(&TEXTS).await;
    // Only one trade has measurements of aspects.
    for (kind, is_measured, has_aspects) in [
        ("LocalBusiness", true, false),
        ("Restaurant", true, false),
        ("Plumber", true, true),
        ("Hotel", false, false),
        ("Dentist", true, false),
    ] {
        app.shell(&format!("update business set type = '{kind}'"))
            .await;
        let insights = app.json("/insights.json").await;
        let method = &insights["method"];
        assert_eq!(method["trade"]["is_measured"], is_measured, "{kind}");
        let mut figures = array_of(&method["quality"]).iter();
        let found = figures.any(|figure| figure["task"] == "aspect");
        assert_eq!(found, has_aspects, "{kind}");
    }
    let page = app.text("/insights").await;
    assert_has(&page, "Any business");
    assert!(!page.contains("has not been measured"));
}

#[test]
fn a_setting_overrides_the_type_of_the_business() {
    let home = Home::new();
    // Without a text, no command compiles the phrases of a trade.
    let row = json!({"id": "r", "rating": 5, "date": "2026-10-01", "author": "A", "text": "", "source": "x"});
    fs::write(home.folder.path().join("r.jsonl"), format!("{row}\n")).unwrap();
    home.run_ok("import r.jsonl", "");
    let trade_of = |words: &str| {
        let serving = home.command(words).serve();
        let insights: Value = serde_json::from_str(&serving.get("/insights.json")).unwrap();
        insights["method"]["trade"]["id"].clone()
    };
    assert_eq!(trade_of("serve"), "general");
    home.run_ok("init --type Bakery", "");
    assert_eq!(trade_of("serve"), "food");
    assert_eq!(trade_of("serve --trade home_services"), "home_services");
    home.run_ok("init --type Hotel", "");
    assert_eq!(trade_of("serve --trade general"), "general");
    home.run_err("serve --trade dentist", "home_services, food, general");
}
