//! Hints in answers: the next page, ignored parameters, and proposals for unknown names.

use super::*;
use crate::support::{BASE, assert_has, form};

#[tokio::test]
async fn next_links_reach_every_page_with_the_same_filters() {
    let app = TestApp::uncoded(&Generator::new(41).reviews(90)).await;
    let all = app
        .get(&format!(
            "{SEARCH}?max_rating=5&query=E&limit=100&has_text=true"
        ))
        .await;
    let (mut target, mut ids, mut pages) = (
        format!("{SEARCH}?max_rating=5&que%72y=%45&limit=7&page=2&cursor=&has_text=true"),
        Vec::new(),
        0,
    );
    loop {
        let answer = app.get(&target).await;
        assert_eq!(answer.status, 200, "{target}: {}", answer.text());
        ids.extend(answer.ids());
        pages += 1;
        let Some(next) = answer
            .json()
            .get("next_cursor")
            .map(|next| next.as_str().unwrap().to_owned())
        else {
            assert_eq!(answer.header("link"), "", "{target}");
            break;
        };
        let expected = format!("{SEARCH}?max_rating=5&query=E&limit=7&has_text=true&cursor={next}");
        assert_eq!(
            answer.header("link"),
            format!("<{BASE}{expected}>; rel=\"next\""),
            "{target}"
        );
        target = expected;
    }
    assert_eq!(ids, all.ids());
    assert!(pages > 3, "{pages}");
    // A link that would be too long is left out; the cursor is still there.
    let (long, e) = ("%F0%9F%99%82".repeat(400), "E");
    assert!(
        app.get(&format!("{SEARCH}?mentions_technician={long}"))
            .await
            .header("link")
            .is_empty()
    );
    assert!(
        app.get(&format!("{SEARCH}?query={e}&limit=1&unknown={long}"))
            .await
            .header("link")
            .len()
            < 400
    );
}

#[tokio::test]
async fn unknown_parameters_are_listed() {
    let app = TestApp::uncoded(&Generator::new(42).reviews(20)).await;
    let answer = app
        .json(&format!(
            "{SEARCH}?page=2&stars=5&Limit=3&page=3&rating=5&%FF=x&a%20b"
        ))
        .await;
    assert_eq!(
        answer["ignored"],
        json!(["page", "stars", "Limit", "\u{fffd}", "a b"])
    );
    assert!(
        app.json(&format!("{SEARCH}?rating=5&cursor=&limit=3"))
            .await
            .get("ignored")
            .is_none()
    );
    let many: String = (0..200)
        .map(|number| format!("{}{number}=&", "x".repeat(300)))
        .collect();
    let many = app.json(&format!("{SEARCH}?{}", &many[..15_150])).await;
    let names = many["ignored"].as_array().unwrap();
    assert!(
        names.iter().all(|name| name.as_str().unwrap().len() == 200),
        "{names:?}"
    );
    assert!(names.len() <= 20);
}

#[tokio::test]
async fn an_unknown_name_is_answered_with_known_ones() {
    let app = TestApp::seeded().await;
    let business = app.json("/business.json").await["business"].clone();
    let name = business["technicians"][0]["name"].as_str().unwrap();
    let service = business["services"][0]["id"].as_str().unwrap();
    let ask = async |pairs: &[(&str, &str)]| {
        let query = form(pairs);
        app.json(&format!("{SEARCH}?{query}")).await
    };
    let misspelt = format!("{}x", name.to_uppercase());
    let answer = ask(&[
        ("mentions_technician", &misspelt),
        ("mentions_service", &format!("{service}s")),
    ])
    .await;
    assert_eq!((&answer["total"], &answer["count"]), (&json!(0), &json!(0)));
    assert_eq!(
        answer["did_you_mean"],
        json!({"mentions_technician": [name], "mentions_service": [service]})
    );
    // A technician is requested by name; evidence also accepts the ID.
    let id = business["technicians"][0]["id"].as_str().unwrap();
    assert_eq!(
        ask(&[("mentions_technician", id)]).await["did_you_mean"],
        json!({"mentions_technician": [name]})
    );
    let unlike = ask(&[("mentions_technician", "Zzyzx Qwrtp")]).await;
    let proposed = unlike["did_you_mean"]["mentions_technician"].clone();
    let proposed: Vec<String> = serde_json::from_value(proposed).unwrap();
    assert!((2..=10).contains(&proposed.len()), "{unlike}");
    assert!(proposed.iter().any(|one| one == name), "{unlike}");
    for known in [
        ask(&[("mentions_technician", name), ("mentions_service", service)]).await,
        // A known name, and no result for another reason.
        ask(&[("mentions_technician", name), ("since", "9999-01-01")]).await,
        ask(&[("query", "zzyzx")]).await,
    ] {
        assert!(known.get("did_you_mean").is_none(), "{known}");
    }
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
    for (query, meant) in [
        ("language=en-GB", json!({"language": ["en-US"]})),
        ("language=en", json!({"language": ["en-US"]})),
        ("source=Gogle", json!({"source": ["Google"]})),
        (
            "source=googel&language=EN-UK",
            json!({"language": ["en-US"], "source": ["Google"]}),
        ),
        ("language=tlh", json!({"language": ["en-US"]})),
        ("source=Zzyzx", json!({"source": ["Google"]})),
        // A known value in any case, and no result for another reason.
        ("source=GOOGLE&since=9999-01-01", Value::Null),
        // There are no services.
        ("mentions_service=drain", json!({"mentions_service": []})),
        ("language=EN-us&since=9999-01-01", Value::Null),
    ] {
        let answer = app.json(&format!("{SEARCH}?{query}")).await;
        assert_eq!(answer["total"], 0, "{query}");
        assert_eq!(answer["did_you_mean"], meant, "{query}");
    }
    let page = app.text("/search?source=Gogle&rating=5").await;
    assert_has(&page, "Search for “Google” instead");
    assert_has(&page, "href=\"/search?rating=5&amp;source=Google\"");
}
