//! The embed and the badge for other sites.

use super::{BROWSER, check_texts, named};
use crate::support::{BASE, array_of, assert_has, str_of, table, with_sample};

#[test]
fn only_the_embed_can_be_framed_and_it_says_when_it_is_filtered() {
    with_sample(async |app| {
        let ancestors = async |target: &str| {
            let answer = app.get_with(target, &[BROWSER]).await;
            let policy = answer.header("content-security-policy");
            let (_, ancestors) = policy.split_once("frame-ancestors ").unwrap();
            (answer.status, ancestors.to_owned(), answer.text())
        };
        for (target, is_filtered, reviews) in [
            ("/embed", false, 5),
            ("/embed?limit=2", false, 2),
            ("/embed?min_rating=5&limit=3", true, 3),
        ] {
            let (_, ancestors, html) = ancestors(target).await;
            assert_eq!(ancestors, "*", "{target}");
            let has_filter = html.contains("Filtered: only reviews of 5 stars or more");
            assert_eq!(has_filter, is_filtered, "{target}");
            assert_eq!(html.matches("class=\"review\"").count(), reviews);
            assert_has(&html, "<base target=\"_top\">");
            // One script, for the frame's height.
            assert_eq!(html.matches("<script").count(), 1, "{target}");
            assert_has(&html, "src=\"/embed.js\"></script>");
            // The figure covers all reviews.
            assert_has(&html, "of 5, from 256 reviews");
            let all = format!("Newest first. <a href=\"{BASE}/\">All 256 reviews</a>");
            assert_has(&html, &all);
        }
        let unknown =
            "color is not an option; there are layout, limit, min_rating, theme, accent, lang.";
        for (target, fault) in [
            ("/embed?theme=pink", "theme must be"),
            ("/embed?limit=0&lang=de", "<html lang=\"de\""),
            ("/embed?color=red", unknown),
        ] {
            let (status, ancestors, html) = ancestors(target).await;
            assert_eq!((status, ancestors.as_str()), (400, "*"), "{target}");
            assert_has(&html, fault);
        }
    });
}

#[tokio::test]
async fn clients_get_page_errors_as_problems_with_all_parameters() {
    let app = named(3).await;
    // The contrast of #777 is 4.47.
    for [target, expected] in table(
        "
        /search?rating=9&since=x → rating too_big, since invalid_date
        /embed?limit=0&theme=pink → limit too_small, theme invalid_string
        /embed?limit=5&limit=500&min_rating=6 → limit duplicate, min_rating too_big
        /embed?limit=%2B5 → limit invalid_type
        /embed?accent=777 → accent invalid_string
        /badge.svg?form=x → form invalid_string
        /search.atom?max_rating=6&since=x → max_rating too_big, since invalid_date
        ",
    ) {
        // Conditions and codings are of no interest before the parameters are right.
        for header in [("if-none-match", "*"), ("accept-encoding", "identity;q=0")] {
            let answer = app.get_with(target, &[header]).await;
            assert_eq!(answer.status, 400, "{target} {header:?}");
            let problem = answer.json();
            let issues = array_of(&problem["issues"]).iter();
            let issues = issues.map(|issue| {
                let (name, code) = (str_of(&issue["path"][0]), str_of(&issue["code"]));
                format!("{name} {code}")
            });
            let issues = issues.collect::<Vec<_>>().join(", ");
            assert_eq!(issues, expected, "{target} {header:?}");
        }
    }
}

#[test]
fn a_frame_a_badge_and_a_form_show_the_requested_parts() {
    with_sample(async |app| {
        // A frame is light by default, like the site around it. A row that scrolls sideways must have keyboard focus. That accent is
        // readable only on the dark background.
        check_texts(
        app,
        r#"
        /embed → 1 → data-theme="light"
        /embed?theme=auto → 0 → data-theme
        /embed?layout=grid&theme=dark → 1 → class="embed grid"
        /embed?theme=dark&accent=%237cc7e0 → 1 → <link rel="stylesheet" href="/embed/accent/7cc7e0.css">
        /embed/accent/7cc7e0.css → 1 → :root{--own-dark:#7cc7e0;}
        /embed?lang=fr → 1 → <html lang="fr"
        /embed?lang=es-MX&min_rating=4 → 1 → solo se muestran reseñas de 4 estrellas o más
        /embed/try?layout=grid&limit=6&accent=0a5a78&lang=de → 1 → src="/embed?layout=grid&amp;limit=6&amp;accent=0a5a78&amp;lang=de"
        /embed/try?layout=grid&limit=6 → 1 → https://reviews.sample.test/embed?layout=grid&amp;amp;limit=6
        /embed/try?accent=ffee00&limit=99&colour=red → 1 → limit must be
        /embed/try?accent=ffee00&limit=99&colour=red → 1 → accent must be easy to read
        /embed/try?accent=ffee00&limit=99&colour=red → 1 → colour is not an option
        /badge.svg → 1 → role="img" aria-label="Saltbush Air &amp; Plumbing: ★ 4.55 · 256 reviews · November 8, 2026"
        /badge.svg?form=short → 1 → >★ 4.55 (256)</text>
        /badge.svg?form=short → 1 → <text
        /search?query=leak&rating=9&since=yesterday&until= → 1 → <strong>since</strong> must be
        "#,
    )
    .await;
        for [target, status, kind] in table(
            "
        /embed/accent/7cc7e0.css → 200 → text/css; charset=utf-8
        /embed/accent/x;}.css → 404 → text/html; charset=utf-8
        /embed?lang=tlh → 400 → text/html; charset=utf-8
        /badge.svg → 200 → image/svg+xml
        ",
        ) {
            let answer = app.get_with(target, &[BROWSER]).await;
            assert_eq!(answer.status.to_string(), status, "{target}");
            assert_eq!(answer.header("content-type"), kind, "{target}");
        }
        let policy = app.get("/embed/try").await;
        assert_has(policy.header("content-security-policy"), "frame-src 'self'");
    });
}
