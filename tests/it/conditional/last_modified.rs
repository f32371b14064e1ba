//! `Last-Modified`: precise to the second, and never going back (RFC 9110 §8.8.2).

use super::*;

/// The status of a request if modified since the target's own `Last-Modified`.
async fn asked_again(app: &TestApp, target: &str) -> u16 {
    let modified = app.get(target).await.header("last-modified").to_owned();
    app.get_with(target, &[(IMS, &*modified)]).await.status
}

#[tokio::test]
async fn two_changes_in_one_second_suspend_if_modified_since() {
    let app = TestApp::with(&Generator::new(52).reviews(20)).await;
    let change = async |app: &TestApp, after_ms: i64, text: &str| {
        app.advance(Duration::milliseconds(after_ms));
        let columns = format!("text = '{text}', status = 'published', reviewed_on = '2026-11-19'");
        app.shell(&format!(
            "update review set {columns} where review_id = 'r-00001'"
        ))
        .await;
    };
    let targets = [TAGGED[0], TAGGED[2], TAGGED[3], TAGGED[4]];
    change(&app, 5_000, "one").await;
    let first = app.get("/reviews.json").await;
    for target in targets {
        let status = asked_again(&app, target).await;
        assert_eq!(status, 304, "{target}: a single change");
    }
    change(&app, 400, "two").await;
    let second = app.get("/reviews.json").await;
    let [before, now] = [&first, &second].map(|answer| answer.header("last-modified"));
    assert_eq!(now, before, "the premise: both in one second");
    assert_ne!(second.header("etag"), first.header("etag"));
    for target in targets {
        let status = asked_again(&app, target).await;
        assert_eq!(status, 200, "{target}: the date is ambiguous");
        let later = app.get_with(target, &[(IMS, LATER)]).await;
        assert_eq!(later.status, 200, "{target}: also later");
    }
    // The two states have the same `Last-Modified`, also later and after a restart.
    app.advance(Duration::hours(3));
    let app = app.restart().await;
    for target in targets {
        let status = asked_again(&app, target).await;
        assert_eq!(status, 200, "{target}: after a restart");
    }
    change(&app, 0, "three").await;
    for target in targets {
        let status = asked_again(&app, target).await;
        assert_eq!(status, 304, "{target}: after the next change");
    }
}

#[tokio::test]
async fn last_modified_never_goes_back() {
    let mut app = TestApp::with(&Generator::new(53).reviews(20)).await;
    let seconds = |answer: &Answer| {
        let at = DateTime::parse_from_rfc2822(answer.header("last-modified")).unwrap();
        at.timestamp()
    };
    let mut last = [0; DATED];
    let mut tags = std::collections::HashSet::new();
    for (number, moved_s) in [10, -3_600, 1, -86_400 * 400, 86_400 * 401, -1, 2, 1]
        .into_iter()
        .enumerate()
    {
        app.advance(Duration::seconds(moved_s));
        app.shell(&format!(
            "insert into review (review_id, rating, reviewed_on, text) values ('n-{number}', 3, '2026-11-19', 'x')"
        ))
        .await;
        if number == 4 {
            app = app.restart().await;
        }
        for (target, last) in TAGGED[..DATED].iter().zip(&mut last) {
            let place = format!("{target} at step {number}");
            let answer = app.get(target).await;
            assert!(seconds(&answer) >= *last, "{place} went back");
            let stale = DateTime::from_timestamp(*last, 0).unwrap();
            let stale = stale.format("%a, %d %b %Y %H:%M:%S GMT").to_string();
            // A stale copy does not count as fresh.
            let answer_to_stale = app.get_with(target, &[(IMS, &stale)]).await;
            assert_eq!(answer_to_stale.status, 200, "{place}");
            *last = seconds(&answer);
            let is_new = tags.insert(answer.header("etag").to_owned());
            assert!(is_new, "{place}: a repeated tag");
        }
    }
}
