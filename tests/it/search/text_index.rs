//! Searches with the text index: in any state of the index, answers come from the snapshot.

use futures_util::TryStreamExt as _;
use reviews_service::search::ResultPage;
use reviews_service::snapshot::Snapshot;
use reviews_service::storage::INDEX_READERS_MAX;
use reviews_service::storage::reviews::{Numbered, newest};

use super::*;
use crate::support::{refused, sqlite3};

/// The text index of `app`, used for every possible query.
pub async fn eager_index(app: &TestApp) -> TextIndex {
    let index = TextIndex::open(app.database(), app.app().ctx.clock.clone()).await;
    index.with_read_first(200)
}

fn filter_for(query: &str) -> ReviewFilter {
    ReviewFilter::new(&SearchArguments {
        query: Some(query.to_owned()),
        ..SearchArguments::default()
    })
}

/// Runs this many queries on `snapshot`, which has these reviews; returns how many the index answered.
async fn ask_all(
    index: &TextIndex,
    snapshot: &Snapshot,
    reviews: &[Review],
    generator: &mut Generator,
    times: usize,
) -> usize {
    let known = known(reviews);
    let mut answered = 0;
    for number in 0..times {
        let mut question = Question::random(generator, number % FILTERS, reviews);
        question.query = Some(fragment(generator, reviews));
        let expected = question.expected(&known);
        let filter = ReviewFilter::new(&question.arguments());
        let limit = 1 + generator.below(40);
        let found = index.search(snapshot, &filter, limit, None).await;
        answered += usize::from(found.candidates.is_some());
        assert_eq!(
            ids(&found, snapshot),
            expected[..limit.min(expected.len())],
            "{question:?} {:?}",
            found.candidates
        );
        assert_total(
            found.total,
            found.is_exact,
            expected.len(),
            &format!("{question:?}"),
        );
        if let Some(next) = found.next {
            let page = index.search(snapshot, &filter, limit, Some(&next)).await;
            assert_eq!(
                ids(&page, snapshot),
                expected[limit..expected.len().min(limit * 2)],
                "{question:?} {:?}",
                page.candidates
            );
        }
    }
    answered
}

/// Runs queries until the index has answered this many: tasks of the pool return its readers, and run only when a query
/// waits or has been answered.
async fn ask_until(
    index: &TextIndex,
    snapshot: &Snapshot,
    reviews: &[Review],
    generator: &mut Generator,
    wanted: usize,
) {
    let mut answered = 0;
    while answered < wanted {
        answered += ask_all(index, snapshot, reviews, generator, 10).await;
        tokio::task::yield_now().await;
    }
}

pub fn ids<'a>(found: &ResultPage, snapshot: &'a Snapshot) -> Vec<&'a str> {
    let entries = found
        .positions
        .iter()
        .map(|at| &snapshot.input.entries[*at]);
    entries.map(|entry| entry.id().as_str()).collect()
}

/// The current reviews of the database.
async fn stored(app: &TestApp) -> Vec<Review> {
    let mut reader = app.database().readers().acquire().await.unwrap();
    let reviews: Vec<Numbered> = newest(&mut reader).try_collect().await.unwrap();
    reviews
        .into_iter()
        .map(|numbered| numbered.review)
        .collect()
}

#[tokio::test]
async fn writes_after_a_publication_change_no_answer() {
    let app = TestApp::uncoded(&Generator::new(81).reviews(1_500)).await;
    let index = eager_index(&app).await;
    let mut generator = Generator::new(82);
    for round in 0..12 {
        let (snapshot, reviews) = (app.app().ctx.current.load(), stored(&app).await);
        let some = format!("review_no % 97 = {}", generator.below(97));
        let ids = format!("review_id in (select review_id from review_change where {some})");
        let other = format!(
            "(select text from review where text <> '' order by review_id limit 1 offset {})",
            generator.below(400)
        );
        let write = match round % 6 {
            0 => format!("update review set text = {other} where {ids}"),
            1 => format!("delete from review where {ids}"),
            2 => format!(
                "update review set status = 'withheld', withheld_reason = 'fake' where {ids}"
            ),
            3 => {
                format!(
                    "insert into review (review_id, rating, reviewed_on, text) values ('n-{round}', 5, '2024-05-05', {other})"
                )
            }
            4 => format!(
                "insert or replace into review (review_id, rating, reviewed_on, text) select review_id, 4, reviewed_on, {other} from review where {ids}"
            ),
            _ => format!("update review set review_id = 'm-' || review_id where {ids}"),
        };
        sqlite3(&app.path(), &write);
        ask_until(&index, &snapshot, &reviews, &mut generator, 6).await;
        app.app().publish_once().await.unwrap();
    }
}

#[tokio::test]
async fn a_missing_index_or_busy_readers_change_no_answer() {
    let reviews = Generator::new(83).reviews(900);
    let app = TestApp::uncoded(&reviews).await;
    let (index, snapshot) = (eager_index(&app).await, app.app().ctx.current.load());
    let mut generator = Generator::new(84);
    ask_until(&index, &snapshot, &reviews, &mut generator, 6).await;
    let mut busy = Vec::new();
    while busy.len() < INDEX_READERS_MAX {
        busy.extend(app.database().index_reader().await.unwrap());
        tokio::task::yield_now().await;
    }
    assert_eq!(
        ask_all(&index, &snapshot, &reviews, &mut generator, 60).await,
        0,
        "no reader was free"
    );
    drop(busy);
    // An open write transaction does not block readers.
    let write = app.database().write_as_owner().await.unwrap();
    ask_until(&index, &snapshot, &reviews, &mut generator, 6).await;
    drop(write);
    sqlite3(&app.path(), "drop table review_fts");
    assert_eq!(
        ask_all(&index, &snapshot, &reviews, &mut generator, 60).await,
        0,
        "there was no index"
    );
}

#[tokio::test]
async fn an_index_of_another_database_or_moment_is_not_used() {
    let reviews = Generator::new(85).reviews(900);
    let app = TestApp::uncoded(&reviews).await;
    let (index, snapshot) = (eager_index(&app).await, app.app().ctx.current.load());
    let mut generator = Generator::new(86);
    // As in a restored copy: fewer changes than in the snapshot, and older texts.
    sqlite3(
        &app.path(),
        "update review set text = 'another text'; update review_change set change_no = change_no - 900",
    );
    sqlite3(&app.path(), "update review_change set change_no = 1");
    assert_eq!(
        ask_all(&index, &snapshot, &reviews, &mut generator, 60).await,
        0,
        "it has fewer changes"
    );
    sqlite3(
        &app.path(),
        "update review_change set change_no = change_no + 1000000; update lineage set lineage_id = 'other'",
    );
    assert_eq!(
        ask_all(&index, &snapshot, &reviews, &mut generator, 60).await,
        0,
        "it belongs to another database"
    );
}

#[tokio::test]
async fn a_start_restores_missing_rows_of_the_index() {
    let mut reviews = Generator::new(87).reviews(600);
    reviews.push(review_with_text(9_000, "a zyxglint of zyxglints"));
    let app = TestApp::uncoded(&reviews).await;
    for damage in [
        "delete from review_fts where review_id = 's-9000' or rowid % 3 = 0",
        "drop table review_fts",
    ] {
        sqlite3(&app.path(), damage);
        let index = eager_index(&app).await;
        let snapshot = app.app().ctx.current.load();
        let found = index
            .search(&snapshot, &filter_for("zyxglint"), 5, None)
            .await;
        assert_eq!(ids(&found, &snapshot), ["s-9000"], "{damage}");
        // Besides it, only texts that the index may have in another form.
        let rest = snapshot.input.entries.len() - 200;
        assert!(
            found.candidates.is_some_and(|read| read < rest as u64),
            "{damage}: {:?}",
            found.candidates
        );
        let lacking = "select count(*) from review left join review_change using (review_id)
            left join review_fts as f on f.rowid = review_no where f.text is not review.text";
        assert_eq!(sqlite3(&app.path(), lacking).trim(), "0", "{damage}");
    }
    // The triggers then work on the restored rows.
    app.shell("update review set text = 'quibblefax' where review_id = 's-9000'")
        .await;
    assert_eq!(
        sqlite3(
            &app.path(),
            "select review_id from review_fts where review_fts match 'quibblefax'"
        )
        .trim(),
        "s-9000"
    );
}

#[tokio::test]
async fn texts_that_fts5_folds_differently_are_found() {
    let app = TestApp::uncoded(&Generator::new(88).reviews(600)).await;
    // Invalid UTF-8: FTS5 reads "é" and a stray continuation byte as one character; and NUL, at which older FTS5 stopped.
    for (id, text) in [
        ("b-1", "63616620c3a980206f6c64"),
        ("b-2", "7a797800676c696e74"),
        ("b-3", "e2827a7978"),
        ("b-4", "c3a920c1a1626364"),
    ] {
        let insert = format!(
            "insert into review (review_id, rating, reviewed_on, text) values ('{id}', 5, '1999-05-05', cast(x'{text}' as text))"
        );
        sqlite3(&app.path(), &insert);
    }
    sqlite3(
        &app.path(),
        "insert into review (review_id, rating, reviewed_on, text) values ('c-1', 5, '1999-05-05', 'the zyxglint')",
    );
    app.drain().await;
    let (index, snapshot) = (eager_index(&app).await, app.app().ctx.current.load());
    for (query, expected) in [
        ("caf é", vec!["b-1"]),
        (" é\u{fffd} old", vec!["b-1"]),
        ("glint", vec!["b-2", "c-1"]),
        ("zyx\0glint", vec!["b-2"]),
        ("\u{fffd}zyx", vec!["b-3"]),
        ("ZYX", vec!["b-2", "b-3", "c-1"]),
        ("bcd", vec!["b-4"]),
    ] {
        let found = index.search(&snapshot, &filter_for(query), 9, None).await;
        assert_eq!(
            ids(&found, &snapshot),
            expected,
            "{query:?} {:?}",
            found.candidates
        );
    }
}

#[tokio::test]
async fn rare_words_read_candidates_and_common_ones_newest_reviews() {
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
    let index = &app.app().ctx.text_index;
    for (query, total, candidates) in [
        ("ZYXglint", 4, Some(4)),
        ("qqzzxxw", 0, Some(0)),
        ("friendly crew", TOTAL_MAX, None),
        // In 2,000 reviews: those that the index gives first are counted.
        ("water heater", TOTAL_MAX, None),
        // Every review has the words, and none the phrase.
        ("on time on", 0, Some(0)),
    ] {
        let found = index.search(&snapshot, &filter_for(query), 20, None).await;
        assert_eq!(
            (found.total, found.candidates),
            (total, candidates),
            "{query}"
        );
    }
}

#[tokio::test]
async fn the_index_finds_the_same_as_the_shell() {
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
