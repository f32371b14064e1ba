//! Imports keep the decisions of the owner, here made with SQL, and report what they kept.

use super::*;

#[tokio::test]
async fn a_newer_file_changes_only_fields_that_the_owner_did_not_edit() {
    let bench = bench().await;
    let ids = ["r-1", "r-2", "r-3", "r-4", "r-5"];
    let first = ids.map(|id| native(&json!({"id": id, "text": format!("Zyxglint {id}.")})));
    bench.take(lines(&first)).await;
    // Of the source's texts only digests are kept.
    let said = bench.sql("select said from review_source");
    assert!(!said.is_empty() && !said.contains("yxglint"), "{said}");
    bench.sql(
        "update review set status = 'withheld', withheld_reason = 'dispute' where review_id = 'r-1';
         update review set text = 'As the owner has it.' where review_id = 'r-2';
         delete from review where review_id = 'r-3';
         update review set reply_text = 'Thank you.' where review_id = 'r-4'",
    );
    assert_eq!(bench.sql("select count(*) from review_source"), "4");
    let newer = [
        json!({"id": "r-1", "rating": 2, "status": "published"}),
        json!({"id": "r-2", "rating": 1, "text": "The customer wrote again."}),
        json!({"id": "r-3", "text": "Deleted or not."}),
        json!({"id": "r-4", "text": "Zyxglint r-4.", "owner_reply": {"text": "An older answer."}}),
        json!({"id": "r-5", "text": "Zyxglint r-5.", "title": "Now with a title"}),
    ];
    let newer = lines(&newer.map(|changes| native(&changes)));
    let (report, _) = bench.take(newer.clone()).await;
    assert_eq!(counts(&report), (0, 3, 1, 0));
    let kept = "1 kept withheld, 2 kept edited: r-2 text, r-4 reply\n1 kept deleted: r-3\n";
    assert_has(&summary(&report, false), kept);
    let select = "select review_id, rating, status, title, text, reply_text from review order by 1";
    let expected = "r-1|2|withheld||Good.|\nr-2|1|published||As the owner has it.|\n\
        r-4|5|published||Zyxglint r-4.|Thank you.\nr-5|5|published|Now with a title|Zyxglint r-5.|";
    assert_eq!(bench.sql(select), expected);
    let before = bench.change_no().await;
    let (again, _) = bench.take(newer).await;
    assert_eq!(counts(&again), (0, 0, 4, 0));
    assert_eq!(bench.change_no().await, before);
}
