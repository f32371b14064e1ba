//! Our own form, lines that pass through no cleaning.

use super::*;

#[tokio::test]
async fn a_minimal_row_is_published_vouched_for_by_its_owner() {
    file_case(
        r#"
{"id": "r-1", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good.", "title": "", "owner_reply": {"text": ""}, "language": null}
=
~ jsonl
review_id | status | source_name | verification | author | title | reply_text | updated_at
r-1 | published | Direct | manual | Ann B. |  |  |
"#,
    )
    .await;
}

#[tokio::test]
async fn a_row_for_which_nobody_vouches_is_withheld() {
    file_case(
        r#"
{"id": "a", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good.", "verified": false}
{"id": "b", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good.", "verified": false, "verification": "invite", "status": "published"}
{"id": "c", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good.", "verified": false, "withheld_reason": "spam"}
{"id": "d", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good.", "status": "withheld"}
{"id": "e", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good.", "verification": "invite"}
{"id": "f", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good.", "verified": false, "verification": "manual"}
{"id": "g", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good.", "verification": "manual"}
{"id": "h", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good.", "verified": true}
{"id": "i", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good.", "verified": true, "verification": "manual"}
=
x verified: true without verification
x verified: true beside verification "manual"
review_id | status | withheld_reason | verification
a | withheld | not verified |
b | withheld | not verified |
c | withheld | spam |
d | withheld |  | manual
e | published |  | invite
f | published |  | manual
g | published |  | manual
"#,
    )
    .await;
}

#[tokio::test]
async fn cells_of_our_own_form_are_not_cleaned() {
    file_case(
        r##"
{"id": "r-1", "rating": 5, "date": "2005-05-05", "author": "None", "text": "N/A", "title": "-", "owner_reply": {"text": "#REF!"}}
=
reviewed_on | author | title | text | reply_text
2005-05-05 | None | - | N/A | #REF!
"##,
    )
    .await;
}

#[tokio::test]
async fn a_day_before_1995_rejects_its_row() {
    file_case(
        r#"
{"id": "r-1", "rating": 5, "date": "1994-12-31", "author": "Ann"}
{"id": "r-2", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good."}
=
x date: 1994-12-31 is before 1995; correct it
review_id
r-2
"#,
    )
    .await;
}

#[tokio::test]
async fn a_deletion_with_a_wrong_day_has_one_fault() {
    file_case(
        r#"
{"id": "r-1", "deleted": true, "deleted_on": "soon"}
{"id": "r-2", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good."}
=
x deleted_on: `soon` is not a calendar day written YYYY-MM-DD
review_id
r-2
"#,
    )
    .await;
}

#[tokio::test]
async fn a_line_that_is_broken_or_no_object_is_named() {
    file_case(
        r#"
{"id": "r-1", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good."}
{"id": "x", "rating" 5}
[1]
=
x the JSON is broken in column 22 (expected `:`); correct it
x record: [1] is not a JSON object in {…}
review_id
r-1
"#,
    )
    .await;
}

#[tokio::test]
async fn of_rows_with_one_id_the_last_counts() {
    file_case(
        r#"
{"id": "a", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good.", "updated_at": "2026-11-02T00:00:00Z", "title": "first"}
{"id": "a", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good.", "updated_at": "2026-11-01T23:59:59Z", "title": "last"}
=
review_id | title
a | last
"#,
    )
    .await;
}

#[tokio::test]
async fn an_option_names_the_members_of_lines() {
    file_case(
        r#"
format: [fields]; text = ["Review"]; rating = ["Stars"]; author = ["Name"]; source = ["Site"]
{"id": "m", "Stars": 3, "date": "2026-11-01", "Name": "Bo", "Review": "Fine.", "Site": "Yelp"}
=
text | author | source_name
Fine. | Bo | Yelp
"#,
    )
    .await;
}

#[tokio::test]
async fn our_names_with_other_values_are_a_table() {
    file_case(
        r#"
each CHANGED: {"id": 5, "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good."} | {"id": "5", "rating": "5", "date": "2026-11-01T19:00:00Z", "author": "Ann B.", "text": "Good."} | {"id": "5", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good.", "owner_reply": "Thanks"}
each LIST: [CHANGED, {"id": "r-0", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good."}] | {"reviews": [CHANGED, {"id": "r-0", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good."}]}
--source Direct
LIST
=
~ table
review_id | rating | reviewed_on | author | text
5 | 5 | 2026-11-01 | Ann B. | Good.
r-0 | 5 | 2026-11-01 | Ann B. | Good.
"#,
    )
    .await;
}

#[tokio::test]
async fn a_review_that_is_inserted_by_hand_is_no_deleted_one() {
    file_case(
        r#"
{"id": "r-1", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good."}
then sql: delete from review
then
{"id": "r-1", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good."}
then sql: insert into review (review_id, rating, reviewed_on, author, text) values ('r-1', 5, '2026-11-01', 'Ann B.', 'By hand.')
then
{"id": "r-1", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good."}
then --restore
{"id": "r-1", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good."}
=
text
By hand.
"#,
    )
    .await;
}

#[tokio::test]
async fn a_line_that_says_in_other_words_that_it_is_deleted_is_rejected() {
    file_case(
        r#"
each WORD: "TRUE" | "true" | 1 | "yes"
{"id": "r-1", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good."}
{"id": "r-2", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good.", "deleted": WORD}
{"id": "r-3", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good.", "deleted": true}
{"id": "r-4", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good.", "deleted": false}
=
x deleted:
review_id
r-1
r-4
"#,
    )
    .await;
}

#[tokio::test]
async fn a_row_for_which_nobody_vouches_stays_withheld_when_it_changes() {
    file_case(
        r#"
{"id": "a", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "HIDDEN", "verified": false, "status": "published"}
then
{"id": "a", "rating": 4, "date": "2026-11-01", "author": "Ann B.", "text": "HIDDEN, edited", "verified": false, "status": "published"}
=
review_id | rating | status | withheld_reason | verification
a | 4 | withheld | not verified |
"#,
    )
    .await;
}
