//! Texts: queries of any characters, totals, and the text index for shells.

use super::*;
use crate::support::refused;

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
    // Invalid UTF-8, which is read as U+FFFD; and NUL.
    for (id, text) in [
        ("b-1", "63616620c3a980206f6c64"),
        ("b-2", "7a797800676c696e74"),
        ("b-3", "e2827a7978"),
        ("b-4", "c3a920c1a1626364"),
    ] {
        let insert = format!(
            "insert into review (review_id, rating, reviewed_on, text) values ('{id}', 5, '1999-05-05', cast(x'{text}' as text))"
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

#[tokio::test]
async fn totals_are_exact_up_to_their_bound_for_rare_and_common_words() {
    let reviews: Vec<Review> = (0..4_000)
        .map(|number| {
            let rare = match number {
                _ if number % 999 == 500 => "zyxglint",
                _ if number % 2 == 0 => "water heater",
                _ => "furnace",
            };
            review_with_text(
                number % 900,
                &format!(
                    "the {rare} was repaired by a friendly crew that came on time, {number}, and left it clean, time on time off"
                ),
            )
        })
        .zip(0..)
        .map(|(review, number): (Review, usize)| Review { id: format!("w-{number:05}").parse().unwrap(), ..review })
        .collect();
    let app = TestApp::uncoded(&reviews).await;
    let snapshot = app.app().ctx.current.load();
    for (query, total, is_exact) in [
        ("ZYXglint", 4, true),
        ("qqzzxxw", 0, true),
        // Every review has the words, and none the phrase.
        ("on time on", 0, true),
        ("friendly crew", TOTAL_MAX, false),
        // In 2,000 reviews.
        ("water heater", TOTAL_MAX, false),
    ] {
        let found = search_reviews(&snapshot, &filter_for(query), 20, None);
        assert_eq!((found.total, found.is_exact), (total, is_exact), "{query}");
    }
}

#[tokio::test]
async fn quotes_in_a_query_have_no_meaning() {
    let app = TestApp::uncoded(&[review_with_text(1, "a \"quoted\" zyxglint")]).await;
    let none = refused(
        &app.path(),
        "select * from review_fts where review_fts match '\"unclosed'",
    );
    assert!(none.contains("unterminated string"), "{none}");
    assert_eq!(
        app.get(&format!("{SEARCH}?query=%22unclosed")).await.json()["total"],
        0
    );
    assert_eq!(
        app.get(&format!("{SEARCH}?query=%22quoted%22+zyx"))
            .await
            .ids(),
        ["s-0001"]
    );
}
