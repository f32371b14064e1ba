//! Texts: queries of any characters, and a text index that another program changes, or that cannot be asked.

use super::*;

/// Checks that searches of the published `reviews` are exact in this state of the file, of which nothing is published.
/// Returns the number of searches that found something.
async fn assert_exact(reviews: &[Review], app: &TestApp, state: &str) -> usize {
    let known = known(reviews);
    let mut generator = Generator::new(33);
    let mut found_any = 0;
    for number in 0..rounds(1) * 24 {
        let text_match = generator.pick(&TextMatch::ALL);
        let query = match text_match {
            TextMatch::Words => words::question(&mut generator, reviews),
            TextMatch::Substring => fragment(&mut generator, reviews),
        };
        let question = SearchParameters {
            query: Some(query),
            text_match,
            rating: (number % 4 == 0).then_some(5),
            ..SearchParameters::default()
        };
        let expected = expected(&question, &known);
        let found = app.get(&target(&question, &[])).await;
        let label = format!("{question:?}, {state}");
        let first = &expected[..expected.len().min(20)];
        assert_eq!(found.ids(), first, "{label}");
        assert_page(&found.json(), expected.len(), &label);
        found_any += usize::from(!expected.is_empty());
    }
    found_any
}

#[tokio::test]
async fn searches_are_exact_while_other_programs_write() {
    let mut reviews = Generator::new(31).reviews(600);
    naive::decorate(&mut reviews);
    let app = TestApp::uncoded(&reviews).await;
    // None of it is published.
    for sql in [
        "select 1",
        "update review set text = 'the other text ' || review_id where review_id like 'r-%0'",
        "delete from review where review_id like 'r-%11'",
        "update review set review_id = 'z-' || review_id where review_id like 'r-%21'",
        "insert or replace into review (review_id, rating, reviewed_on, text) \
         select review_id, 3, reviewed_on, 'the replaced one' from review where review_id like 'r-%31'",
        "update review set status = 'withheld' where review_id like 'r-%41'",
        "insert into review_fts (review_fts) values ('rebuild'), ('optimize')",
        "delete from review",
    ] {
        app.sql(sql);
        let found_any = assert_exact(&reviews, &app, sql).await;
        assert!(found_any > 10, "the premise: {found_any} after {sql}");
    }
}

#[tokio::test]
async fn a_text_index_that_fails_changes_no_answer() {
    let mut reviews = Generator::new(32).reviews(600);
    naive::decorate(&mut reviews);
    for damage in [
        "drop table review_fts",
        "drop table review_change",
        "update instance set lineage_id = 'another'",
        "update review_change set change_no = 1",
    ] {
        let app = TestApp::uncoded(&reviews).await;
        app.sql(damage);
        assert_exact(&reviews, &app, damage).await;
    }
}
