//! Texts: queries of any characters, totals, and the text index for shells.

use super::*;

fn filter_for(query: &str) -> ReviewFilter {
    ReviewFilter::new(
        &SearchParameters {
            query: Some(query.to_owned()),
            ..SearchParameters::default()
        },
        PluralEndings::default(),
    )
}

#[tokio::test]
async fn texts_with_invalid_bytes_or_nul_are_found() {
    let app = TestApp::uncoded(&Generator::new(88).reviews(600)).await;
    // Invalid UTF-8, which is read as U+FFFD; and NUL, written with the checks off.
    for (id, text) in [
        ("b-1", "63616620c3a980206f6c64"),
        ("b-2", "7a797800676c696e74"),
        ("b-3", "e2827a7978"),
        ("b-4", "c3a920c1a1626364"),
    ] {
        let insert = format!(
            "pragma ignore_check_constraints = on; \
             insert into review (review_id, rating, reviewed_on, text) values ('{id}', 5, '1999-05-05', cast(x'{text}' as text))"
        );
        app.sql(&insert);
    }
    app.sql("insert into review (review_id, rating, reviewed_on, text) values ('c-1', 5, '1999-05-05', 'the zyxglint')");
    app.drain().await;
    let snapshot = app.app().ctx.current.load();
    for (query, expected) in [
        ("caf é", vec!["b-1"]),
        (" é\u{fffd} old", vec!["b-1"]),
        ("glint", vec!["b-2", "c-1"]),
        ("zyx\0glint", vec!["b-2"]),
        ("\u{fffd}zyx", vec!["b-3"]),
        ("ZYX", vec!["b-2", "b-3", "c-1"]),
        ("bcd", vec!["b-4"]),
    ] {
        let found = search_reviews(&snapshot, &filter_for(query), 9, None);
        assert_eq!(ids(&found, &snapshot), expected, "{query:?}");
    }
}
