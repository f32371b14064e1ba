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
            html.contains("<base target=\"_top\">") && !html.contains("<script"),
            "{target}"
        );
    }
    for (target, name) in [
        ("/embed?limit=0", "limit"),
        ("/embed?theme=pink", "theme"),
        ("/embed?min_rating=x", "min_rating"),
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
