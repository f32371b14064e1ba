//! Imports keep the decisions of the owner. Here they are made with SQL; `process::story` also makes them by commands.

use super::*;

fn five_rows(changes: &[(&str, Value)]) -> String {
    let rows: Vec<Value> = ["r-1", "r-2", "r-3", "r-4", "r-5"]
        .iter()
        .map(|id| {
            let mut row = native(&json!({"id": id, "text": format!("Text of {id}.")}));
            for (_, change) in changes.iter().filter(|(of, _)| of == id) {
                for (name, value) in change.as_object().unwrap() {
                    row[name] = value.clone();
                }
            }
            row
        })
        .collect();
    lines(&rows)
}

async fn bench_with_decisions() -> Bench {
    let bench = bench().await;
    bench.take(five_rows(&[])).await;
    bench.sql("update review set status = 'withheld', withheld_reason = 'under dispute' where review_id = 'r-1';
         update review set text = 'As the owner has it.' where review_id = 'r-2';
         delete from review where review_id = 'r-3';
         update review set response_text = 'Thank you.' where review_id = 'r-4'",
    );
    bench
}

async fn assert_decisions_kept(bench: &Bench) {
    let find = async |id: &str| bench.find(id).await;
    assert_eq!(
        find("r-1").await.unwrap().status,
        Status::Withheld {
            reason: Some("under dispute".to_owned())
        }
    );
    assert_eq!(find("r-2").await.unwrap().text, "As the owner has it.");
    assert_eq!(find("r-3").await, None);
    assert_eq!(
        find("r-4").await.unwrap().response.unwrap().text,
        "Thank you."
    );
}

#[tokio::test]
async fn a_newer_file_changes_only_fields_that_the_owner_did_not_edit() {
    let bench = bench_with_decisions().await;
    let newer = five_rows(&[
        ("r-1", json!({"rating": 2, "status": "published"})),
        (
            "r-2",
            json!({"text": "The customer wrote anew.", "rating": 1}),
        ),
        ("r-3", json!({"text": "Deleted or not."})),
        ("r-4", json!({"response": {"text": "An older answer."}})),
        ("r-5", json!({"title": "Now with a title"})),
    ]);
    let (report, _) = bench.take(newer.clone()).await;
    assert_eq!(counts(&report), (0, 3, 1, 0));
    assert_decisions_kept(&bench).await;
    assert_eq!(bench.find("r-1").await.unwrap().rating.stars(), 2);
    assert_eq!(bench.find("r-2").await.unwrap().rating.stars(), 1);
    assert_eq!(
        bench.find("r-5").await.unwrap().title.as_deref(),
        Some("Now with a title")
    );
    let message = summary(&report, false);
    assert_has(
        &message,
        "1 kept withheld, 2 kept edited: r-2 text, r-4 response\n1 kept deleted: r-3\n",
    );
    let before = bench.change_no().await;
    let (again, _) = bench.take(newer).await;
    assert_eq!(
        (counts(&again), bench.change_no().await),
        ((0, 0, 4, 0), before)
    );
}

#[tokio::test]
async fn a_deleted_review_returns_with_restore_or_an_sql_insert() {
    let bench = bench_with_decisions().await;
    let only = native(&json!({"id": "r-3"}));
    let (report, _) = bench.take(lines(std::slice::from_ref(&only))).await;
    let message = summary(&report, false);
    assert_has(
        &message,
        "every review of this import was deleted before; --restore brings them back",
    );
    let file = bench.file("again", lines(&[only]));
    let (report, _) = bench.run(&request_for([file.clone()], "--restore")).await;
    assert_eq!(counts(&report.unwrap()), (1, 0, 0, 0));
    bench.sql("delete from review where review_id = 'r-3';
         insert into review (review_id, rating, reviewed_on, author, text) values ('r-3', 5, '2026-11-01', 'Ann B.', 'By hand.')",
    );
    let (report, _) = bench.import(&[&file]).await;
    assert_eq!(
        (
            counts(&report),
            bench.find("r-3").await.unwrap().text.as_str()
        ),
        ((0, 0, 1, 0), "By hand.")
    );
}

#[tokio::test]
async fn source_texts_are_stored_as_digests_and_deleted_with_reviews() {
    let bench = bench().await;
    bench
        .take(lines(&[native(&json!({"text": "Zyxglint prose."}))]))
        .await;
    let path = bench.database.path();
    let kept = sqlite3(
        path,
        "select said, source_name, location, posted_at from review_source",
    );
    assert!(!kept.is_empty() && !kept.contains("yxglint"), "{kept}");
    sqlite3(path, "delete from review");
    assert_eq!(sqlite3(path, "select count(*) from review_source"), "0");
}

#[tokio::test]
async fn an_import_repairs_an_unreadable_row_and_keeps_owner_edits() {
    for broken in [
        "pragma ignore_check_constraints = 1; update review set reviewed_on = 'soon'",
        "pragma ignore_check_constraints = 1; update review set rating = 77",
    ] {
        let bench = bench().await;
        let rows = ["a", "b", "c"].map(|id| native(&json!({"id": id})));
        let file = bench.file("rows", lines(&rows));
        bench.import(&[&file]).await;
        let path = bench.database.path();
        sqlite3(
            path,
            "update review set status = 'withheld', withheld_reason = 'contains personal data' where review_id = 'a';
             update review set response_text = 'Mine.', response_on = '2026-11-05' where review_id = 'b'",
        );
        sqlite3(path, broken);
        assert!(bench.find("a").await.is_none(), "{broken}");
        let (report, _) = bench.import(&[&file]).await;
        assert_eq!(counts(&report), (0, 3, 0, 0), "{broken}");
        let [a, b, c] = ["a", "b", "c"].map(|id| bench.find(id));
        let (a, b, c) = (a.await.unwrap(), b.await.unwrap(), c.await.unwrap());
        assert_eq!(
            a.status,
            Status::withheld("contains personal data"),
            "{broken}"
        );
        assert_eq!(b.response.unwrap().text, "Mine.", "{broken}");
        assert_eq!((c.status, c.response), (Status::Published, None));
        for review in [a.text, b.text, c.text] {
            assert_eq!(review, "Good.", "{broken}");
        }
        let (again, _) = bench.import(&[&file]).await;
        assert_eq!(counts(&again), (0, 0, 3, 0), "{broken}");
    }
}
