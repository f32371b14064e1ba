//! Our own form, lines that pass through no cleaning.

use super::*;

const FILES: &str = r##"
# a minimal row is published, vouched for by its owner
{"id": "r-1", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good.", "title": "", "owner_reply": {"text": ""}, "language": null}
=
~ jsonl
review_id | status | source_name | verification | author | title | reply_text | updated_at
r-1 | published | Direct | manual | Ann B. |  |  |
# a row for which nobody vouches is withheld
{"id": "a", CELLS, "verified": false}
{"id": "b", CELLS, "verified": false, "verification": "invite", "status": "published"}
{"id": "c", CELLS, "verified": false, "withheld_reason": "spam"}
{"id": "d", CELLS, "status": "withheld"}
{"id": "e", CELLS, "verification": "invite"}
{"id": "f", CELLS, "verified": false, "verification": "manual"}
{"id": "g", CELLS, "verification": "manual"}
{"id": "h", CELLS, "verified": true}
{"id": "i", CELLS, "verified": true, "verification": "manual"}
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
# cells of our own form are not cleaned
{"id": "r-1", "rating": 5, "date": "2005-05-05", "author": "None", "text": "N/A", "title": "-", "owner_reply": {"text": "#REF!"}}
=
reviewed_on | author | title | text | reply_text
2005-05-05 | None | - | N/A | #REF!
# a day before 1995 rejects its row
{"id": "r-1", "rating": 5, "date": "1994-12-31", "author": "Ann"}
{"id": "r-2", CELLS}
=
x date: 1994-12-31 is before 1995; correct it
review_id
r-2
# a deletion with a wrong day has one fault
{"id": "r-1", "deleted": true, "deleted_on": "soon"}
{"id": "r-2", CELLS}
=
x deleted_on: `soon` is not a calendar day written YYYY-MM-DD
review_id
r-2
# a line that is broken or no object is named
{"id": "r-1", CELLS}
{"id": "x", "rating" 5}
[1]
=
x the JSON is broken in column 22 (expected `:`); correct it
x record: [1] is not a JSON object in {…}
review_id
r-1
# of rows with one id the last counts
{"id": "a", CELLS, "updated_at": "2026-11-02T00:00:00Z", "title": "first"}
{"id": "a", CELLS, "updated_at": "2026-11-01T23:59:59Z", "title": "last"}
=
review_id | title
a | last
# an option names the members of lines
format: [fields]; text = ["Review"]; rating = ["Stars"]; author = ["Name"]; source = ["Site"]
{"id": "m", "Stars": 3, "date": "2026-11-01", "Name": "Bo", "Review": "Fine.", "Site": "Yelp"}
=
text | author | source_name
Fine. | Bo | Yelp
# our names with other values are a table
each CHANGED: {"id": 5, CELLS} | {"id": "5", "rating": "5", "date": "2026-11-01T19:00:00Z", "author": "Ann B.", "text": "Good."} | {"id": "5", CELLS, "owner_reply": "Thanks"}
each LIST: [CHANGED, WHOLE] | {"reviews": [CHANGED, WHOLE]}
--source Direct
LIST
=
~ table
review_id | rating | reviewed_on | author | text
5 | 5 | 2026-11-01 | Ann B. | Good.
r-0 | 5 | 2026-11-01 | Ann B. | Good.
# a review that is inserted by hand is no deleted one
{"id": "r-1", CELLS}
then sql: delete from review
then
{"id": "r-1", CELLS}
then sql: insert into review (review_id, rating, reviewed_on, author, text) values ('r-1', 5, '2026-11-01', 'Ann B.', 'By hand.')
then
{"id": "r-1", CELLS}
then --restore
{"id": "r-1", CELLS}
=
text
By hand.
# a line that says in other words that it is deleted is rejected
each WORD: "TRUE" | "true" | 1 | "yes"
{"id": "r-1", CELLS}
{"id": "r-2", CELLS, "deleted": WORD}
{"id": "r-3", CELLS, "deleted": true}
{"id": "r-4", CELLS, "deleted": false}
=
x deleted:
review_id
r-1
r-4
"##;

#[tokio::test]
async fn native_rows_are_taken_as_they_are() {
    let cells = r#""rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good.""#;
    let files = FILES.replace("WHOLE", r#"{"id": "r-0", CELLS}"#);
    as_they_are(&files.replace("CELLS", cells)).await;
}
