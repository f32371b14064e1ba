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
async fn a_start_restores_missing_rows_of_the_text_index() {
    let mut reviews = Generator::new(87).reviews(600);
    reviews.push(review_with_text(9_000, "a zyxglint of zyxglints"));
    let mut app = TestApp::uncoded(&reviews).await;
    let found = "select review_id from review_fts where review_fts match 'zyxglint'";
    for damage in [
        "delete from review_fts where review_id = 's-9000' or rowid % 3 = 0",
        "drop table review_fts",
    ] {
        app.sql(damage);
        app = app.restart().await;
        let lacking = "select count(*) from review left join review_change using (review_id)
            left join review_fts as f on f.rowid = review_no where f.text is not review.text";
        assert_eq!(app.sql(lacking).trim(), "0", "{damage}");
        assert_eq!(app.sql(found).trim(), "s-9000", "{damage}");
    }
    // The triggers then work on the restored rows.
    app.sql("update review set text = 'quibblefax' where review_id = 's-9000'");
    assert_eq!(app.sql(found).trim(), "");
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
