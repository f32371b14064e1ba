//! What other sites may show: the frame, the badge.

use super::{BROWSER, seeded};
use crate::support::BASE;

#[tokio::test]
async fn one_page_may_be_framed_and_says_when_it_is_filtered() {
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
    }
    for (target, name) in [
        ("/embed?limit=0", "limit"),
        ("/embed?theme=pink", "theme"),
        ("/embed?min_rating=x", "min_rating"),
        ("/embed?limit=3&layout=heap", "layout"),
        ("/embed?accent=ffee00", "accent"),
        ("/embed?lang=xx", "lang"),
    ] {
        let answer = app.get_with(target, &[BROWSER]).await;
        assert_eq!(answer.status, 400, "{target}");
        assert!(
            answer
                .header("content-security-policy")
                .ends_with("frame-ancestors *"),
            "{target}: its errors may be framed"
        );
        assert!(
            answer.text().contains(&format!("{name} must be")),
            "{target}"
        );
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
async fn the_badge_shows_figure_count_and_day_of_all_reviews() {
    let app = seeded().await;
    let answer = app.get("/badge.svg").await;
    assert_eq!(answer.header("content-type"), "image/svg+xml");
    let svg = answer.text();
    let said = "Saltbush Air &amp; Plumbing: ★ 4.55 · 256 reviews · 8 November 2026";
    assert!(
        svg.contains(&format!("role=\"img\" aria-label=\"{said}\"")),
        "{svg}"
    );
}

#[tokio::test]
async fn a_frame_says_of_how_many_reviews_it_shows_some() {
    let app = seeded().await;
    for target in ["/embed", "/embed?limit=2", "/embed?min_rating=5&limit=3"] {
        let html = app.get(target).await.text();
        assert!(
            html.contains("of 5, from 256 reviews"),
            "{target}: the figure is of all"
        );
        let link = format!("Newest first. <a href=\"{BASE}/\">All 256 reviews</a>");
        assert!(html.contains(&link), "{target}");
    }
}

#[tokio::test]
async fn a_frame_has_the_layout_the_colours_and_the_accent_that_are_asked_for() {
    let app = seeded().await;
    let usual = app.get("/embed").await.text();
    assert!(
        usual.contains("data-theme=\"light\"") && usual.contains("class=\"embed list\""),
        "light, whatever the reader's system: the site around it is"
    );
    let html = app
        .get("/embed?layout=carousel&theme=dark&accent=%237cc7e0")
        .await
        .text();
    assert!(html.contains("data-theme=\"dark\"") && html.contains("class=\"embed carousel\""));
    assert!(
        html.contains("<ol class=\"reviews\" tabindex=\"0\" aria-label="),
        "a row that is moved sideways can be moved by keys"
    );
    assert!(
        html.contains("<link rel=\"stylesheet\" href=\"/embed/accent/7cc7e0.css\">"),
        "{html}"
    );
    let style = app.get("/embed/accent/7cc7e0.css").await;
    assert_eq!(style.header("content-type"), "text/css; charset=utf-8");
    assert!(
        style
            .text()
            .contains("--accent:light-dark(#0a5a78,#7cc7e0)"),
        "it can be read on the dark background alone: {}",
        style.text()
    );
    assert!(
        !app.get("/embed?theme=auto")
            .await
            .text()
            .contains("data-theme")
    );
    assert_eq!(app.get("/embed/accent/x;}.css").await.status, 404);
}

#[tokio::test]
async fn the_short_badge_has_the_figure_alone() {
    let app = seeded().await;
    let svg = app.get("/badge.svg?form=short").await.text();
    assert!(svg.contains(">★ 4.55 (256)</text>"), "{svg}");
    assert_eq!(svg.matches("<text ").count(), 1, "{svg}");
    let wrong = app.get("/badge.svg?form=tiny").await;
    assert_eq!(wrong.status, 400);
    assert!(wrong.text().contains("form must be full or short"));
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
    assert!(html.contains(&line), "the lines have them, too: {html}");
    assert!(
        answer
            .header("content-security-policy")
            .contains("frame-src 'self'")
    );
    let html = app.get("/embed/try?accent=ffee00&limit=99").await.text();
    for fault in ["limit must be", "accent must be easy to read"] {
        assert!(html.contains(fault), "{fault}");
    }
}

#[tokio::test]
async fn the_script_for_other_sites_is_small() {
    let app = seeded().await;
    let script = app.get("/embed.js").await;
    assert_eq!(
        script.header("content-type"),
        "text/javascript; charset=utf-8"
    );
    assert!(script.text().len() <= 2048, "{} bytes", script.text().len());
}
