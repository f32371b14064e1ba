//! Paging: totals, cursors, and changes between two pages.

use super::*;

#[tokio::test]
async fn totals_of_a_text_are_exact_up_to_a_thousand() {
    let review = |number: usize| {
        let text = match number {
            0..1_000 => "alpha beta",
            1_000 => "beta",
            _ => "",
        };
        let stars = if number < 1_001 { 4 } else { 2 };
        Review {
            rating: Rating::try_from(stars).unwrap(),
            ..review_with_text(number, text)
        }
    };
    let reviews: Vec<Review> = (0..1_010).map(review).collect();
    let app = TestApp::uncoded(&reviews).await;
    for (question, total, relation, next) in [
        ("query=alpha", 1_000, "eq", "s-0003"),
        ("query=beta", 1_000, "gte", "s-0003"),
        ("rating=4", 1_001, "eq", "s-0003"),
        ("rating=4&query=a", 1_000, "gte", "s-0003"),
        ("rating=2", 9, "eq", "s-1004"),
        ("query=gamma", 0, "eq", ""),
    ] {
        let first = app.json(&format!("{SEARCH}?{question}&limit=3")).await;
        let counted = json!([first["matched"], first["matched_relation"]]);
        assert_eq!(counted, json!([total, relation]), "{question}");
        if let Some(cursor) = first["next_cursor"].as_str() {
            // A snapshot without earlier requests counts the same from the second page.
            let fresh = TestApp::uncoded(&reviews).await;
            let target = format!("{SEARCH}?{question}&cursor={cursor}");
            let second = fresh.json(&target).await;
            let again = json!([second["matched"], second["matched_relation"]]);
            assert_eq!(again, counted, "{question}, page 2");
            assert_eq!(second["reviews"][0]["id"], next, "{question}");
        }
    }
}

#[tokio::test]
async fn changes_between_pages_neither_repeat_nor_hide_a_review() {
    let app = with_texts(&["a leak"; 40]).await;
    let page = async |cursor: &Value| {
        let cursor = str_of(cursor);
        let target = format!("{SEARCH}?query=leak&limit=10&cursor={cursor}");
        app.get(&target).await
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
    let expected = "s-0009z s-0010 s-0011 s-0013 s-0014 s-0017 s-0018 s-0019 s-0020 s-0021";
    assert_eq!(second.ids().join(" "), expected);
    // All pages have the current total.
    assert_eq!(second.json()["matched"], 38);
    let third = page(&second.json()["next_cursor"]).await;
    app.shell("delete from review where reviewed_on < '2025-12-01' and review_id <> 'old'")
        .await;
    let last = page(&third.json()["next_cursor"]).await;
    assert_eq!(last.ids(), ["old"]);
    assert!(last.json().get("next_cursor").is_none());
    app.shell("delete from review").await;
    let nothing = page(&third.json()["next_cursor"]).await.json();
    let empty =
        json!({"matched": 0, "matched_relation": "eq", "returned": 0, "limit": 10, "reviews": []});
    assert_eq!(nothing, empty);
}

#[tokio::test]
async fn an_invalid_or_repeated_cursor_is_refused() {
    let app = with_texts(&["a Leak"; 30]).await;
    let filters = "query=leak&min_rating=1";
    let first = app.json(&format!("{SEARCH}?{filters}&limit=3")).await;
    let cursor = str_of(&first["next_cursor"]);
    let (begun, longer) = (&cursor[1..], format!("{cursor}A"));
    let shorter = &cursor[..cursor.len() - 1];
    for garbage in [
        "x", "%00", "%FF", "null", "0", begun, &longer, shorter, "%C3%A9",
    ] {
        let query = format!("{filters}&cursor={garbage}");
        assert_issues(&app, &query, "cursor invalid_string").await;
    }
    for first in [cursor, ""] {
        let query = format!("{filters}&cursor={first}&cursor={cursor}");
        assert_issues(&app, &query, "cursor duplicate").await;
    }
}

#[tokio::test]
async fn a_cursor_is_bound_to_its_filters_however_they_are_written() {
    let app = with_texts(&["a Leak"; 30]).await;
    let first = app
        .json(&format!("{SEARCH}?query=leak&min_rating=1&limit=3"))
        .await;
    let cursor = str_of(&first["next_cursor"]);
    let other = format!("query=leaks&min_rating=1&cursor={cursor}");
    assert_issues(&app, &other, "cursor invalid_string").await;
    let same = format!("{SEARCH}?min_rating=1.0&query=LEA%4B&limit=5&cursor={cursor}");
    assert_eq!(app.get(&same).await.ids()[0], "s-0003");
}

#[tokio::test]
async fn an_empty_cursor_is_that_of_the_first_page() {
    let app = with_texts(&["a Leak"; 30]).await;
    let all = app.get(&format!("{SEARCH}?query=leak&cursor=")).await;
    assert_eq!(all.ids()[0], "s-0000");
}
