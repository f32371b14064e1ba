//! Paging: totals, cursors, and changes between two pages.

use super::*;

#[tokio::test]
async fn totals_of_a_text_are_exact_up_to_a_thousand() {
    let reviews: Vec<Review> = (0..1_010)
        .map(|number| {
            let text = match number {
                0..1_000 => "alpha beta",
                1_000 => "beta",
                _ => "",
            };
            Review {
                rating: Rating::try_from(if number < 1_001 { 4 } else { 2 }).unwrap(),
                ..review_with_text(number, text)
            }
        })
        .collect();
    let app = TestApp::uncoded(&reviews).await;
    for (question, total, relation) in [
        ("query=alpha", 1_000, "eq"),
        ("query=beta", 1_000, "gte"),
        ("rating=4", 1_001, "eq"),
        ("rating=4&query=a", 1_000, "gte"),
        ("rating=2", 9, "eq"),
        ("query=gamma", 0, "eq"),
    ] {
        let first = app.json(&format!("{SEARCH}?{question}&limit=3")).await;
        assert_eq!(
            (&first["total"], &first["total_relation"]),
            (&json!(total), &json!(relation)),
            "{question}"
        );
        let Some(cursor) = first.get("next_cursor") else {
            continue;
        };
        // A snapshot without earlier requests counts the same from the second page.
        let fresh = TestApp::uncoded(&reviews).await;
        let second = fresh
            .json(&format!(
                "{SEARCH}?{question}&cursor={}",
                cursor.as_str().unwrap()
            ))
            .await;
        assert_eq!(
            (&second["total"], &second["total_relation"]),
            (&json!(total), &json!(relation)),
            "{question}, page 2"
        );
        let next = if question == "rating=2" {
            "s-1004"
        } else {
            "s-0003"
        };
        assert_eq!(second["reviews"][0]["id"], next, "{question}");
    }
}

#[tokio::test]
async fn changes_between_pages_neither_repeat_nor_hide_a_review() {
    let reviews: Vec<Review> = (0..40)
        .map(|number| review_with_text(number, "a leak"))
        .collect();
    let app = TestApp::with(&reviews).await;
    let page = async |cursor: &Value| {
        app.get(&format!(
            "{SEARCH}?query=leak&limit=10&cursor={}",
            cursor.as_str().unwrap()
        ))
        .await
    };
    let first = app.json(&format!("{SEARCH}?query=leak&limit=10")).await;
    assert_eq!(first["reviews"][9]["id"], "s-0009");
    // Adds one newer than all, one older than all, and one just after the cursor; deletes one of each kind, and the review of
    // the cursor.
    let sql = "insert into review (review_id, rating, reviewed_on, text) values ('new', 5, '2026-11-01', 'leak'), ('old', 5, '1999-01-01', 'Leak'),
                 ('s-0009z', 5, '2025-12-23', 'LEAK');
               delete from review where review_id in ('s-0000', 's-0009', 's-0012');
               update review set status = 'withheld' where review_id = 's-0015'; update review set text = 'dry' where review_id = 's-0016';";
    app.shell(sql).await;
    let second = page(&first["next_cursor"]).await;
    let expected = [
        "s-0009z", "s-0010", "s-0011", "s-0013", "s-0014", "s-0017", "s-0018", "s-0019", "s-0020",
        "s-0021",
    ]
    .map(str::to_owned);
    assert_eq!(second.ids(), expected);
    assert_eq!(
        second.json()["total"],
        38,
        "all pages have the current total"
    );
    let third = page(&second.json()["next_cursor"]).await;
    app.shell("delete from review where reviewed_on < '2025-12-01' and review_id <> 'old'")
        .await;
    let last = page(&third.json()["next_cursor"]).await;
    assert_eq!(last.ids(), ["old"]);
    assert!(last.json().get("next_cursor").is_none());
    app.shell("delete from review").await;
    let nothing = page(&third.json()["next_cursor"]).await.json();
    assert_eq!(
        nothing,
        json!({"total": 0, "total_relation": "eq", "count": 0, "limit": 10, "reviews": []})
    );
}

/// 30 reviews with `leak`, and the cursor after the first three.
async fn with_cursor() -> (TestApp, String) {
    let app = TestApp::uncoded(
        &(0..30)
            .map(|number| review_with_text(number, "a Leak"))
            .collect::<Vec<_>>(),
    )
    .await;
    let first = app
        .json(&format!("{SEARCH}?query=leak&min_rating=1&limit=3"))
        .await;
    let cursor = first["next_cursor"].as_str().unwrap().to_owned();
    (app, cursor)
}

#[tokio::test]
async fn an_invalid_cursor_is_refused_and_an_empty_one_is_ignored() {
    let (app, cursor) = with_cursor().await;
    for garbage in [
        "x",
        "%00",
        "%FF",
        "null",
        "0",
        &cursor[1..],
        &format!("{cursor}A"),
        &cursor[..cursor.len() - 1],
        "é",
    ] {
        let garbage = garbage.replace('é', "%C3%A9");
        assert_issues(
            &app,
            &format!("query=leak&min_rating=1&cursor={garbage}"),
            &[("cursor", "invalid_string")],
        )
        .await;
    }
    assert_issues(
        &app,
        &format!("query=leak&min_rating=1&cursor={cursor}&cursor={cursor}"),
        &[("cursor", "duplicate")],
    )
    .await;
    assert_issues(
        &app,
        &format!("query=leak&min_rating=1&cursor=&cursor={cursor}"),
        &[("cursor", "duplicate")],
    )
    .await;
    // Of other filters; the same ones may be written otherwise.
    let other = format!("query=leaks&min_rating=1&cursor={cursor}");
    assert_issues(&app, &other, &[("cursor", "invalid_string")]).await;
    let same = format!("{SEARCH}?min_rating=1.0&query=LEA%4B&limit=5&cursor={cursor}");
    assert_eq!(app.get(&same).await.ids()[0], "s-0003");
    assert_issues(
        &app,
        "limit=0&cursor=x&rating=6",
        &[
            ("limit", "too_small"),
            ("rating", "too_big"),
            ("cursor", "invalid_string"),
        ],
    )
    .await;
    let all = app.get(&format!("{SEARCH}?query=leak&cursor=")).await;
    assert_eq!(
        (all.status, all.ids()[0].as_str()),
        (200, "s-0000"),
        "an empty cursor is as if absent"
    );
}
