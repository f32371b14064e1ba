//! Hints in answers: the next page, ignored parameters, and proposals for unknown names.

use super::*;
use crate::support::{BASE, assert_has, table};

#[tokio::test]
async fn next_links_reach_every_page_with_the_same_filters() {
    let app = TestApp::uncoded(&Generator::new(41).reviews(90)).await;
    let filters = "max_rating=5&query=E&limit=100&has_text=true";
    let all = app.get(&format!("{SEARCH}?{filters}")).await;
    let mut target =
        format!("{SEARCH}?max_rating=5&que%72y=%45&limit=7&page=2&cursor=&has_text=true");
    let (mut ids, mut pages) = (Vec::new(), 0);
    loop {
        let answer = app.get(&target).await;
        ids.extend(answer.ids());
        pages += 1;
        let Some(next) = answer.json()["next_cursor"].as_str().map(str::to_owned) else {
            assert_eq!(answer.header("link"), "", "{target}");
            break;
        };
        target = format!("{SEARCH}?max_rating=5&query=E&limit=7&has_text=true&cursor={next}");
        let link = format!("<{BASE}{target}>; rel=\"next\"");
        assert_eq!(answer.header("link"), link);
    }
    assert_eq!(ids, all.ids());
    assert!(pages > 3, "{pages}");
}

#[tokio::test]
async fn a_link_that_would_be_too_long_is_left_out() {
    let app = TestApp::uncoded(&Generator::new(41).reviews(90)).await;
    let long = "%F0%9F%99%82".repeat(400);
    let link = async |query: &str| {
        let answer = app.get(&format!("{SEARCH}?{query}{long}")).await;
        answer.header("link").len()
    };
    assert_eq!(link("mentions_technician=").await, 0);
    assert!(link("query=E&limit=1&unknown=").await < 400);
}

#[tokio::test]
async fn unknown_parameters_are_listed() {
    let app = TestApp::uncoded(&Generator::new(42).reviews(20)).await;
    let ignored = async |query: &str| {
        let answer = app.json(&format!("{SEARCH}?{query}")).await;
        answer["ignored"].clone()
    };
    let found = ignored("page=2&stars=5&Limit=3&page=3&rating=5&%FF=x&a%20b").await;
    let expected = json!(["page", "stars", "Limit", "\u{fffd}", "a b"]);
    assert_eq!(found, expected);
    assert_eq!(ignored("rating=5&cursor=&limit=3").await, Value::Null);
    let many: String = (0..200)
        .map(|number| format!("{}{number}=&", "x".repeat(300)))
        .collect();
    let names = ignored(&many[..15_150]).await;
    let names = array_of(&names);
    assert!(names.iter().all(|name| str_of(name).len() == 200));
    assert!(names.len() <= 20);
}

#[tokio::test]
async fn an_unknown_language_or_source_is_answered_with_known_ones() {
    let mut reviews = Generator::new(43).reviews(20);
    for review in &mut reviews {
        review.source.name = "Google".to_owned();
        review.language = Some("en-US".to_owned());
        review.mentions.services.clear();
    }
    let app = TestApp::uncoded(&reviews).await;
    app.name_business().await;
    // Nothing is proposed for a known value in any case; there are no services.
    for [query, proposed] in table(
        r#"
        language=en-GB → {"language": ["en-US"]}
        language=en → {"language": ["en-US"]}
        source=Gogle → {"source": ["Google"]}
        source=googel&language=EN-UK → {"language": ["en-US"], "source": ["Google"]}
        language=tlh → {"language": ["en-US"]}
        source=Zzyzx → {"source": ["Google"]}
        source=GOOGLE&since=9999-01-01 → null
        mentions_service=drain → {"mentions_service": []}
        language=EN-us&since=9999-01-01 → null
        "#,
    ) {
        let answer = app.json(&format!("{SEARCH}?{query}")).await;
        assert_eq!(answer["matched"], 0, "{query}");
        let proposed: Value = proposed.parse().unwrap();
        assert_eq!(answer["did_you_mean"], proposed, "{query}");
    }
    let page = app.text("/search?source=Gogle&rating=5").await;
    assert_has(&page, "Search for “Google” instead");
    assert_has(&page, "href=\"/search?rating=5&amp;source=Google\"");
}

#[tokio::test]
async fn names_that_only_one_has_find_it_and_others_are_answered() {
    let app = TestApp::seeded().await;
    app.shell("update technician set technician_id = 'mike' where name = 'Mike Alvarez'")
        .await;
    let found = async |query: &str| {
        let query = query.replace(' ', "%20");
        app.json(&format!("{SEARCH}?limit=100&{query}")).await
    };
    for [query, same] in table(
        "
        mentions_service=AC repair → mentions_service=ac-repair
        mentions_service=no cooling → mentions_service=ac-repair
        mentions_service=AC-REPAIR → mentions_service=ac-repair
        mentions_technician=grant → mentions_technician=Grant Whitaker
        mentions_technician=BETO → mentions_technician=Roberto Fuentes
        mentions_technician=big mike → mentions_technician=Mike Sorensen
        mentions_area=MESA → mentions_area=Mesa
        mentions_technician=GRANT&mentions_service=AC repair → mentions_technician=Grant Whitaker&mentions_service=ac-repair
        ",
    ) {
        let (one, other) = (found(query).await, found(same).await);
        assert_eq!(one["reviews"], other["reviews"], "{query}");
        assert!(one["matched"].as_u64() > Some(0), "{query}");
        assert!(one.get("did_you_mean").is_none(), "{query}");
    }
    // A known name, and no result for another reason, has no proposal.
    for [query, proposed] in table(
        r#"
        mentions_technician=Mike → {"mentions_technician": ["Mike Alvarez", "Mike Sorensen"]}
        mentions_area=Messa → {"mentions_area": ["Mesa"]}
        mentions_technician=GRANT WHITAKERx&mentions_service=ac-repairs → {"mentions_technician": ["Grant Whitaker"], "mentions_service": ["ac-repair"]}
        mentions_technician=Grant Whitaker&since=9999-01-01 → null
        query=zzyzx → null
        "#,
    ) {
        let answer = found(query).await;
        assert_eq!(answer["matched"], 0, "{query}");
        assert_eq!(answer["returned"], 0, "{query}");
        let proposed: Value = proposed.parse().unwrap();
        assert_eq!(answer["did_you_mean"], proposed, "{query}");
    }
    let unlike = found("mentions_technician=Zzyzx Qwrtp").await;
    let proposed = array_of(&unlike["did_you_mean"]["mentions_technician"]);
    assert!((2..=10).contains(&proposed.len()), "{unlike}");
    assert!(proposed.contains(&json!("Grant Whitaker")), "{unlike}");
}
