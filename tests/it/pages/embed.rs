//! The embed and the badge for other sites.

use serde_json::json;

use super::{BROWSER, between, seeded};
use crate::support::{BASE, Generator, TestApp, assert_has};

#[tokio::test]
async fn only_the_embed_can_be_framed_and_it_says_when_it_is_filtered() {
    let app = seeded().await;
    for (target, is_filtered, reviews) in [
        ("/embed", false, 5),
        ("/embed?limit=2", false, 2),
        ("/embed?min_rating=5&limit=3", true, 3),
    ] {
        let answer = app.get(target).await;
        assert!(
            answer
                .header("content-security-policy")
                .ends_with("frame-ancestors *"),
            "{target}"
        );
        let html = answer.text();
        assert_eq!(
            html.contains("Filtered: only reviews of 5 stars or more"),
            is_filtered,
            "{target}"
        );
        assert_eq!(
            html.matches("class=\"review\"").count(),
            reviews,
            "{target}"
        );
        assert!(
            html.contains("<base target=\"_top\">") && html.matches("<script").count() == 1,
            "{target}: one script, for the frame's height"
        );
        assert!(html.contains("src=\"/embed.js\"></script>"), "{target}");
        // The figure covers all reviews.
        assert_has(&html, "of 5, from 256 reviews");
        assert_has(
            &html,
            &format!("Newest first. <a href=\"{BASE}/\">All 256 reviews</a>"),
        );
    }
    let unknown =
        "color is not an option; there are layout, limit, min_rating, theme, accent, lang.";
    for (target, fault) in [
        ("/embed?theme=pink", "theme must be"),
        ("/embed?limit=0&lang=de", "<html lang=\"de\""),
        ("/embed?color=red", unknown),
    ] {
        let answer = app.get_with(target, &[BROWSER]).await;
        assert_eq!(answer.status, 400, "{target}");
        assert_has(&answer.text(), fault);
        let policy = answer.header("content-security-policy");
        assert!(policy.ends_with("frame-ancestors *"), "{target}: {policy}");
    }
    for target in ["/", "/insights", "/search"] {
        assert!(
            app.get(target)
                .await
                .header("content-security-policy")
                .ends_with("frame-ancestors 'none'"),
            "{target}"
        );
    }
}

#[tokio::test]
async fn a_frame_has_the_requested_layout_theme_and_accent() {
    let app = seeded().await;
    let usual = app.text("/embed").await;
    assert!(
        usual.contains("data-theme=\"light\"") && usual.contains("class=\"embed list\""),
        "light by default, like the site around it"
    );
    let html = app
        .text("/embed?layout=carousel&theme=dark&accent=%237cc7e0")
        .await;
    assert!(html.contains("data-theme=\"dark\"") && html.contains("class=\"embed carousel\""));
    assert!(
        html.contains("<ol class=\"reviews\" tabindex=\"0\" aria-label="),
        "a row that scrolls sideways must have keyboard focus"
    );
    assert_has(
        &html,
        "<link rel=\"stylesheet\" href=\"/embed/accent/7cc7e0.css\">",
    );
    let style = app.get("/embed/accent/7cc7e0.css").await;
    assert_eq!(style.header("content-type"), "text/css; charset=utf-8");
    assert!(
        style.text().contains(":root{--own-dark:#7cc7e0;}"),
        "it is readable only on the dark background: {}",
        style.text()
    );
    assert!(!app.text("/embed?theme=auto").await.contains("data-theme"));
    assert_eq!(app.get("/embed/accent/x;}.css").await.status, 404);
}

#[tokio::test]
async fn the_options_are_shown_with_the_lines_to_paste() {
    let app = seeded().await;
    let answer = app
        .get("/embed/try?layout=grid&limit=6&accent=0a5a78&lang=de")
        .await;
    let html = answer.text();
    let query = "layout=grid&amp;limit=6&amp;accent=0a5a78&amp;lang=de";
    assert!(
        html.contains(&format!("src=\"/embed?{query}\"")),
        "the frame has the options: {html}"
    );
    let line = format!("{BASE}/embed?{}", query.replace("&amp;", "&amp;amp;"));
    assert!(
        html.contains(&line),
        "the lines to copy have them too: {html}"
    );
    assert_has(answer.header("content-security-policy"), "frame-src 'self'");
    let html = app
        .text("/embed/try?accent=ffee00&limit=99&colour=red")
        .await;
    for fault in [
        "limit must be",
        "accent must be easy to read",
        "colour is not an option",
    ] {
        assert!(html.contains(fault), "{fault}");
    }
}

#[tokio::test]
async fn the_badges_line_shows_the_short_form_on_phones() {
    let app = seeded().await;
    for target in ["/developers", "/embed/try"] {
        let html = app.text(target).await;
        let line = format!(
            "&lt;a href=\"{BASE}/\"&gt;&lt;picture&gt;&lt;source media=\"(max-width: 600px)\" srcset=\"{BASE}/badge.svg?form=short\"&gt;\
             &lt;img src=\"{BASE}/badge.svg\" alt=\"Reviews of Saltbush Air &amp;amp; Plumbing\" height=\"36\" \
             style=\"max-width:100%;height:auto\"&gt;&lt;/picture&gt;&lt;/a&gt;"
        );
        let html = html.replace("&quot;", "\"").replace("&#34;", "\"");
        assert!(html.contains(&line), "{target}: {html}");
    }
    // Its text has 14 pixels, and it is narrower than a phone.
    let svg = app.text("/badge.svg?form=short").await;
    let width: u32 = between(&svg, "width=\"", "\"")[0].parse().unwrap();
    assert!(width <= 200 && svg.contains("font-size=\"14\""), "{svg}");
}

#[tokio::test]
async fn the_badge_shows_rating_count_and_day_of_all_reviews() {
    let app = seeded().await;
    let answer = app.get("/badge.svg").await;
    assert_eq!(answer.header("content-type"), "image/svg+xml");
    let label = "Saltbush Air &amp; Plumbing: ★ 4.55 · 256 reviews · November 8, 2026";
    assert_has(
        &answer.text(),
        &format!("role=\"img\" aria-label=\"{label}\""),
    );
    let short = app.text("/badge.svg?form=short").await;
    assert_has(&short, ">★ 4.55 (256)</text>");
    assert_eq!(short.matches("<text ").count(), 1, "{short}");
}

#[tokio::test]
async fn clients_get_page_errors_as_problems_with_all_parameters() {
    let app = TestApp::uncoded(&Generator::new(7).reviews(3)).await;
    app.name_business().await;
    for (target, expected) in [
        (
            "/search?rating=9&since=x",
            json!([["rating", "too_big"], ["since", "invalid_date"]]),
        ),
        (
            "/embed?limit=0&theme=pink",
            json!([["limit", "too_small"], ["theme", "invalid_string"]]),
        ),
        (
            "/embed?limit=5&limit=500&min_rating=6",
            json!([["limit", "duplicate"], ["min_rating", "too_big"]]),
        ),
        ("/embed?limit=%2B5", json!([["limit", "invalid_type"]])),
        // Its contrast is 4.47.
        ("/embed?accent=777", json!([["accent", "invalid_string"]])),
        ("/badge.svg?form=x", json!([["form", "invalid_string"]])),
        (
            "/insights?area=Mesa&service=x&technician=y",
            json!([["service", "invalid_string"], ["area", "invalid_string"]]),
        ),
    ] {
        // Conditions and codings are of no interest before the parameters are right.
        for header in [
            ("if-none-match", "*"),
            ("if-match", "\"x\""),
            ("accept-encoding", "identity;q=0"),
        ] {
            let answer = app.get_with(target, &[header]).await;
            assert_eq!(answer.status, 400, "{target} {header:?}");
            let problem = answer.json();
            let issues = problem["issues"].as_array().unwrap();
            let found: Vec<_> = issues
                .iter()
                .map(|issue| json!([issue["path"][0], issue["code"]]))
                .collect();
            assert_eq!(json!(found), expected, "{target} {header:?}");
        }
        let page = app.get_with(target, &[BROWSER]).await;
        assert_eq!(page.status, 400, "{target}");
        assert!(page.text().starts_with("<!DOCTYPE html>"), "{target}");
    }
}
