//! The picture of shared links, `/og.png`.

use poem::http::Method;

use super::{between, seeded};
use crate::support::{Answer, BASE, Generator, TestApp};

const PICTURE: &str = "/og.png";

async fn few() -> TestApp {
    TestApp::uncoded(&Generator::new(7).reviews(3)).await
}

/// The bytes of the picture after naming the business.
async fn of_name(app: &TestApp, name: &str) -> Vec<u8> {
    app.shell(&format!(
        "insert into business (business_id, name) values ('s', '{name}') on conflict do update set name = excluded.name"
    ))
    .await;
    picture(&app.get(PICTURE).await)
}

/// The bytes of the picture, which must be a complete PNG of 1200 × 630 (PNG §5.2, §11.2.1, §11.2.5).
fn picture(answer: &Answer) -> Vec<u8> {
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, "image/png")
    );
    let bytes = answer.body.clone();
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"));
    assert!(bytes.ends_with(b"IEND\xae\x42\x60\x82"));
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!((number(16), number(20)), (1_200, 630));
    bytes
}

#[tokio::test]
async fn pages_state_the_true_size_of_the_picture() {
    let app = seeded().await;
    let id = app.get("/reviews.json").await.ids()[0].clone();
    for target in [
        "/",
        "/insights",
        "/insights?aspect=price",
        "/developers",
        &format!("/reviews/{id}"),
    ] {
        let html = app.get(target).await.text();
        let of = |kind: &str, name: &str| {
            let start = format!("<meta {kind}=\"{name}\" content=\"");
            between(&html, &start, "\"").join(" and ")
        };
        let image = ["", ":type", ":width", ":height", ":alt"]
            .map(|part| of("property", &format!("og:image{part}")));
        let expected = [
            &format!("{BASE}{PICTURE}"),
            "image/png",
            "1200",
            "630",
            "Reviews of Saltbush Air &amp; Plumbing",
        ];
        assert_eq!(image, expected, "{target}");
        assert_eq!(
            of("name", "twitter:card"),
            "summary_large_image",
            "{target}"
        );
    }
    picture(&app.get(PICTURE).await);
}

#[tokio::test]
async fn the_picture_shows_only_the_rating_in_the_language_of_the_business() {
    let app = few().await;
    let first = of_name(&app, "Saltbush").await;
    app.shell("update review set author = 'Somebody Else', text = 'Something else.'")
        .await;
    let rewritten = picture(&app.get(PICTURE).await);
    assert!(first == rewritten, "a review's text changes the picture");
    let app = app.restart().await;
    assert!(
        first == picture(&app.get(PICTURE).await),
        "a restart changes the picture"
    );
    let mut seen = vec![first];
    for change in [
        "update review set rating = 1",
        "update review set rating = 5",
        "update business set language = 'de'",
        "update business set name = 'Another Name'",
    ] {
        app.shell(change).await;
        let changed = picture(&app.get(PICTURE).await);
        assert!(
            !seen.contains(&changed),
            "{change} does not change the picture"
        );
        seen.push(changed);
    }
}

#[tokio::test]
async fn the_picture_omits_a_name_that_its_font_lacks() {
    let app = few().await;
    let plain = of_name(&app, "Saltbush").await;
    let nameless = of_name(&app, "אינסטלציה").await;
    assert!(plain != nameless);
    for name in [
        "水道工事店",
        "سباكة",
        "Pipes 🔧",
        "प्लंबर",
        "Salt\u{202e}bush",
    ] {
        assert!(of_name(&app, name).await == nameless, "{name}");
    }
    for name in ["Größe & Söhne", "Сантехника", "Υδραυλικά", "Điện lạnh"]
    {
        assert!(of_name(&app, name).await != nameless, "{name}");
    }
    let composed = of_name(&app, "Gr\u{f6}\u{df}e").await;
    assert!(of_name(&app, "Gro\u{308}\u{df}e").await == composed);
}

#[tokio::test]
async fn a_name_that_is_too_long_is_shortened() {
    let app = few().await;
    let long = "Heating, cooling and plumbing for the whole valley ".repeat(3);
    let shortened = of_name(&app, &long).await;
    assert!(shortened == of_name(&app, &format!("{long}and more")).await);
    assert!(shortened != of_name(&app, &long[..50]).await);
    let word = "x".repeat(500);
    let shortened = of_name(&app, &word).await;
    assert!(shortened == of_name(&app, &format!("{word}y")).await);
}

#[tokio::test]
async fn without_reviews_the_picture_says_so() {
    let app = TestApp::empty().await;
    picture(&app.get(PICTURE).await);
    let named = of_name(&app, "Saltbush").await;
    let nameless = of_name(&app, "水道工事店").await;
    assert!(named != nameless);
    app.shell("update business set language = 'fr'").await;
    assert!(nameless != picture(&app.get(PICTURE).await), "no words");
}

#[tokio::test]
async fn the_picture_is_compressed_once_and_sent_only_if_new() {
    let app = few().await;
    let first = app.get(PICTURE).await;
    // It is compressed already.
    let coded = app
        .get_with(PICTURE, &[("accept-encoding", "gzip, br")])
        .await;
    assert!(picture(&coded) == picture(&first));
    assert!(coded.headers.get("content-encoding").is_none());
    assert!(first.header("cache-control").starts_with("max-age=60,"));
    let tag = first.header("etag");
    let known = app.get_with(PICTURE, &[("if-none-match", tag)]).await;
    assert_eq!((known.status, known.body.len()), (304, 0));
    let head = app.send(Method::HEAD, PICTURE, &[]).await;
    assert_eq!(
        (head.status, head.header("etag"), head.body.len()),
        (200, tag, 0)
    );
    app.shell("update review set rating = 2").await;
    let changed = app.get_with(PICTURE, &[("if-none-match", tag)]).await;
    assert!(picture(&changed) != picture(&first));
}
