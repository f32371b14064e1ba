//! A single review as JSON and as a page, and the links that lead there.

use super::*;

#[tokio::test]
async fn every_link_on_the_home_page_and_the_developers_page_works() {
    let app = TestApp::with(&Generator::new(79).reviews(20)).await;
    app.name_business().await;
    let html = app.get("/").await.text() + &app.get("/developers").await.text();
    let addresses: Vec<&str> = html
        .split("href=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    for path in [
        "/reviews.json",
        "/insights.json",
        "/api/feed.json",
        "/feed.xml",
        "/api/reviews/search",
        "/docs",
    ] {
        assert!(addresses.contains(&path), "{path} is not in {addresses:?}");
    }
    for address in addresses
        .into_iter()
        .filter(|address| !address.starts_with('#'))
    {
        let path = address.strip_prefix(BASE).unwrap_or(address);
        assert_eq!(app.get(path).await.status, 200, "{address}");
    }
}

#[tokio::test]
async fn a_single_review_equals_that_of_the_dataset() {
    let reviews = Generator::new(74).reviews(200);
    let app = TestApp::uncoded(&reviews).await;
    let dataset = app.get("/reviews.json").await.text();
    for review in &reviews {
        let answer = app.get(&format!("/api/reviews/{}", review.id)).await;
        let page = app.get(&format!("/reviews/{}", review.id)).await;
        if review.status == Status::Published {
            assert_eq!((answer.status, page.status), (200, 200), "{}", review.id);
            assert!(dataset.contains(&answer.text()), "{}", review.id);
            assert_eq!(answer.json()["id"], review.id.as_str());
        } else {
            assert_eq!((answer.status, page.status), (404, 404), "{}", review.id);
        }
    }
}

#[tokio::test]
async fn every_valid_id_is_found_at_the_url_of_the_review() {
    let app = TestApp::empty().await;
    let longest = "x".repeat(128);
    let insert = |id: &str| {
        format!(
            "insert into review (review_id, rating, reviewed_on) values ('{id}', 5, '2026-01-01')"
        )
    };
    let refused = app.refused(&insert("%")).await;
    assert!(refused.contains("review_id_well_formed"), "{refused}");
    for id in [
        "A",
        "a",
        "0",
        "a.b_c~d=e-9",
        "=",
        "~~",
        "-",
        "...",
        "since",
        &longest,
    ] {
        app.shell(&insert(id)).await;
        let answer = app.get(&format!("/api/reviews/{id}")).await;
        assert_eq!((answer.status, &answer.json()["id"]), (200, &json!(id)));
        let url = answer.json()["url"].as_str().unwrap().to_owned();
        assert_eq!(
            app.get(url.strip_prefix(BASE).unwrap()).await.status,
            200,
            "{url}"
        );
    }
}

const HOSTILE: &str = "<script>alert(1)</script> \"double\" 'single' &amp; <img src=x onerror=alert(2)> </p></article> \u{7}\u{1b}[31m\u{85} ]]> 🙂";

#[tokio::test]
async fn text_of_a_review_never_becomes_markup() {
    let mut review = Generator::new(75).review(1);
    review.status = Status::Published;
    review.id = "hostile".parse().unwrap();
    let hostile = || HOSTILE.to_owned();
    (review.text, review.author, review.title, review.language) =
        (hostile(), hostile(), Some(hostile()), Some(hostile()));
    review.source = reviews_service::model::Source {
        name: hostile(),
        url: Some("javascript:alert(3)".to_owned()),
    };
    review.mentions = Mentions::new(vec![hostile()], vec![hostile()], vec![hostile()]);
    review.response = Some(reviews_service::model::Response {
        text: hostile(),
        date: None,
        author: Some(hostile()),
    });
    let app = TestApp::with(&[review]).await;
    let quoted = HOSTILE.replace('\'', "''");
    app.shell(&format!(
        "insert into business (business_id, name, description) values ('b', '{quoted}', '{quoted}')"
    ))
    .await;
    let shown = "&lt;script&gt;alert(1)&lt;/script&gt; &quot;double&quot; &#39;single&#39; &amp;amp; &lt;img src=x onerror=alert(2)&gt; \
                 &lt;/p&gt;&lt;/article&gt; \u{fffd}\u{fffd}[31m\u{fffd} ]]&gt; 🙂";
    for (target, times) in [("/reviews/hostile", 7), ("/", 3)] {
        let html = app.get(target).await.text();
        assert!(
            html.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"),
            "{target}"
        );
        assert!(
            html.matches(shown).count() >= times,
            "{target} shows it {} times: {html}",
            html.matches(shown).count()
        );
        for markup in [
            "<script>",
            "<img",
            "onerror=alert(2)>",
            "javascript:",
            "\u{7}",
            "\u{1b}",
            "\u{85}",
        ] {
            assert!(!html.contains(markup), "{target}: {markup}");
        }
        for tag in ["</article>", "</body>", "</html>"] {
            let opening = format!("<{}", tag.trim_start_matches("</").trim_end_matches('>'));
            assert_eq!(
                html.matches(tag).count(),
                html.matches(&opening).count(),
                "{target}: {tag}"
            );
        }
    }
    // JSON has every character.
    assert_eq!(
        app.get("/api/reviews/hostile").await.json()["text"],
        HOSTILE
    );
    assert_eq!(
        app.get("/api/reviews/hostile").await.header("content-type"),
        "application/json"
    );
}
