//! The search form and its results as a page.

use super::{between, permalinks, seeded};
use crate::support::{Generator, TestApp};

#[tokio::test]
async fn a_search_has_an_address_and_shows_what_its_twin_gives() {
    let app = TestApp::uncoded(&Generator::new(7).reviews(120)).await;
    let all = app.get("/reviews.json").await.json()["aggregate_rating"]["review_count"].clone();
    for query in [
        "",
        "query=water",
        "rating=5&limit=7",
        "since=2025-01-01&mentions_service=drain",
        "query=nowhere+at+all",
    ] {
        let html = app.get(&format!("/search?{query}")).await.text();
        let twin = app
            .get(&format!("/api/reviews/search?{query}&match=words"))
            .await;
        assert_eq!(permalinks(&html), twin.ids(), "{query}");
        assert_eq!(
            html.contains(&format!("Filtered, of {all} reviews")),
            query.contains(['q', 'r', 's']) && !query.is_empty(),
            "{query}"
        );
        let next = between(&html, "<a rel=\"next\" href=\"", "\"")
            .first()
            .map(|next| next.replace("&amp;", "&"));
        assert_eq!(
            next.is_some(),
            twin.json().get("next_cursor").is_some(),
            "{query}"
        );
        if let Some(next) = next {
            let behind = app
                .get(&format!(
                    "{}&match=words",
                    next.replace("/search", "/api/reviews/search")
                ))
                .await
                .ids();
            assert_eq!(permalinks(&app.get(&next).await.text()), behind, "{query}");
        }
    }
    let nothing = app
        .get("/search?query=nowhere+at+all&rating=5")
        .await
        .text();
    assert!(
        nothing.contains("No review matches") && nothing.contains("href=\"/search?rating=5\""),
        "{nothing}"
    );
}

#[tokio::test]
async fn links_of_a_search_keep_what_it_knows_and_nothing_else() {
    let app = TestApp::uncoded(&Generator::new(7).reviews(60)).await;
    let unknown: String = (0..1_700).map(|number| format!("&u{number}=1")).collect();
    for query in [
        "rating=5&limit=3",
        "query=nowhere+at+all&rating=5",
        "rating=9",
    ] {
        let plain = app.get(&format!("/search?{query}")).await;
        let repeated = app.get(&format!("/search?{query}{unknown}")).await;
        assert_eq!(repeated.status, plain.status, "{query}");
        assert_eq!(repeated.text(), plain.text(), "{query}");
    }
}

#[tokio::test]
async fn a_fault_in_the_form_stands_beside_its_field() {
    let app = TestApp::uncoded(&Generator::new(7).reviews(3)).await;
    let answer = app
        .get("/search?query=leak&rating=9&since=yesterday&until=")
        .await;
    assert_eq!(answer.status, 400);
    let html = answer.text();
    for name in ["rating", "since"] {
        assert!(
            html.contains(&format!("aria-describedby=\"{name}-fault\"")),
            "{name}"
        );
        assert_eq!(
            html.matches(&format!("id=\"{name}-fault\"")).count(),
            1,
            "{name}"
        );
    }
    assert!(
        !html.contains("until-fault")
            && html.contains("value=\"leak\"")
            && html.contains("value=\"yesterday\"")
    );
}

#[tokio::test]
async fn the_form_has_every_filter_of_the_search_and_keeps_what_was_asked() {
    let app = seeded().await;
    let description = app.get("/.well-known/openapi.json").await.json();
    let parameters = &description["paths"]["/api/reviews/search"]["get"]["parameters"];
    // Of what the address may have besides, a page makes its own links.
    let names = parameters
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap());
    let filters = names.filter(|name| !["limit", "cursor"].contains(name));
    let home = app.get("/").await.text();
    for name in filters {
        assert!(
            home.contains(&format!(" name=\"{name}\"")),
            "the form lacks {name}"
        );
    }
    for (query, kept) in [
        ("max_rating=2", "<option value=\"2\" selected>2 or fewer"),
        ("min_rating=4.5", "<option value=\"4.5\" selected>4.5"),
        ("source=Google", "<option value=\"Google\" selected>Google"),
        ("language=tlh", "<option value=\"tlh\" selected>tlh"),
        ("has_response=false", "<option value=\"false\" selected>no"),
        (
            "mentions_service=nothing",
            "<option value=\"nothing\" selected>nothing",
        ),
    ] {
        let html = app.get(&format!("/search?{query}")).await.text();
        assert!(html.contains(kept), "{query}: {kept}");
        let is_filtered = html.contains("Filtered, of 256 reviews: ");
        assert!(is_filtered, "{query}");
    }
    let open = app.get("/search?max_rating=2").await.text();
    assert!(open.contains("<details open>") && !home.contains("<details open>"));
}

#[tokio::test]
async fn a_search_for_nobody_proposes_the_nearest_name() {
    let app = seeded().await;
    let html = app
        .get("/search?mentions_technician=Mike+Alvares&rating=5")
        .await
        .text();
    assert!(
        html.contains("Search for “Mike Alvarez” instead")
            && html.contains("href=\"/search?rating=5&amp;mentions_technician=Mike+Alvarez\""),
        "{html}"
    );
}
