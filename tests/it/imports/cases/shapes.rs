//! Dialects of CSV, forms of JSON, broken elements, encodings, and options that a format does not take.

use super::*;

const TABLES: &str = r#"
# stars with their scale are the number that is not the scale, and what is not understood rejects its row
cells: Stars
3 ← 3,0 von 5 Sternen | 5つ星のうち3.0 | ★★★☆☆ | ３／５
4 ← Noté 4 sur 5 | ⭐️⭐️⭐️⭐️ | 4,0 | ٤ من ٥
x ← FOUR | 0 out of 5 | 6 out of 5 stars | excellent, 5 of my friends | 5つ星のうち
# stars of ten are halved with a scale
format: scale = 10
cells: Stars
4 ← 8,0 von 10
2 ← 10つ星のうち4
x ← 11 von 10
# a review is not lost because of the day of its answer
Review ID | Name | Stars | Date       | Review | Our reply | Response date
a1        | Ann  | 5     | 2026-03-01 | Neat.  | Thanks.   | 2026-03-02
a2        | Bo   | 2     | 2026-03-02 | Late.  | Sorry.    | 4 days ago
a3        | Cy   | 4     | 2026-03-03 | Good.  |           | never
=
review_id | reply_text | reply_on
a1 | Thanks. | 2026-03-02
a2 | Sorry. |
a3 |  |
# a review has the source that its row names
format: [fields]; source = ["Platform"]
Platform    | Name | Stars | Date       | Review
Google      | Ann  | 5     | 2026-03-01 | Warm rooms.
Tripadvisor | Tom  | 2     | 2026-03-02 | The lift was broken.
| Ed   | 4     | 2026-03-03 | Fine.
=
source_name | author
Google | Ann
Tripadvisor | Tom
Direct | Ed
"#;

#[tokio::test]
async fn shapes_of_tables_are_read_in_every_format() {
    in_every_format(TABLES).await;
}

const FILES: &str = r#"
# one broken element rejects itself alone
each FILE: [BROKEN, GOOD] | [GOOD, BROKEN] | {"total": 2, "result": {"items": [BROKEN, GOOD]}}
each BROKEN: {MORE "Our reply": "Cut \ud83d"} | {MORE "Review": "Cut \udc4d\ud83d"} | {MORE "Price": 1e999} | {MORE "Our reply": {"text": "\ud83d"}} | {MORE "x\ud83d": 1} | "a text" | 17 | null
FILE
=
x
author | text
Bo | Fine 👍
# one broken line rejects itself alone
each BROKEN: {MORE "Our reply": "Cut \ud83d"} | {MORE "x\ud83d": 1} | {MORE
BROKEN
GOOD
BROKEN
=
x
x
author | text
Bo | Fine 👍
# an author is read in the forms that it has in JSON
each AUTHOR: {"name": "Ann", "link": "u"} | {"display_name": "Ann"} | {"displayName": "Ann"} | ["Ann"] | "Ann" | {"name": "Ann", "email": "PRIVATE@e.example"}
format: ignored = "*"
[{"stars": 5, "date": "2026-03-01", "user": AUTHOR, "review": "Neat"}, {"stars": 1, "date": "2026-03-02", "user": null, "review": "Late"}]
=
author | text
Ann | Neat
Anonymous | Late
# an answer is read in the forms that it has in JSON
each ANSWER: {"text": "Thanks"} | {"content": "Thanks", "date": "a week ago"} | {"snippet": "Thanks"} | {"comment": "Thanks"} | {"body": "Thanks", "by": {"id": 7}} | ["Thanks"] | "Thanks"
format: ignored = "*"
[{"stars": 5, "date": "2026-03-01", "user": "Ann", "review": "Neat", "reply": ANSWER}, {"stars": 1, "date": "2026-03-02", "user": "Bo", "review": "Late", "reply": null}]
=
author | text | reply_text | reply_on
Ann | Neat | Thanks |
Bo | Late |  |
# a review is not lost because of the form of its answer
each ANSWER: {"unknown": "x"} | [{"text": "in a list"}] | [] | {} | false | null | {"text": null} | 0
format: ignored = "*"
[{"stars": 5, "date": "2026-03-01", "user": "Ann", "review": "Neat", "reply": ANSWER}]
=
author | text | reply_text
Ann | Neat |
# a word for empty is empty in parts of json
format: ignored = "*"
[{"stars": 5, "date": "2026-03-01", "user": {"name": "null"}, "comment": "None", "reply": {"text": "undefined", "date": "null"}},
{"stars": 4, "date": "2026-03-02", "user": {"name": "Nan"}, "comment": "None taken.", "reply": {"text": "N/A", "date": null}},
{"stars": 3, "date": "2026-03-03", "user": null, "comment": null, "reply": "nan"}]
=
author | text | reply_text | reply_on
Anonymous |  |  |
Nan | None taken. |  |
Anonymous |  |  |
# the day of an answer is read beside it
each DAY: "date": "2026-03-02" | "iso_date": "2026-03-02T20:00:00Z" | "created_at": "2026-03-02" | "createdAt": 1772481600000
format: ignored = "*"
[{"stars": 5, "date": "2026-03-01", "user": "Ann", "review": "Neat", "reply": {"text": "Thanks", DAY}}]
=
reply_text | reply_on
Thanks | 2026-03-02
# a review has the source that its row names
[{"title": "Peak", "stars": 5, "name": "Ann", "text": "Warm.", "publishedAtDate": "2026-03-05T10:00:00Z", "reviewId": "a1", "placeId": "C1", "reviewOrigin": "Google"},
{"title": "Peak", "stars": 2, "name": "Tom", "text": "Cold.", "publishedAtDate": "2026-03-06T10:00:00Z", "reviewId": "a2", "placeId": "C1", "reviewOrigin": "Tripadvisor"}]
=
source_name | author
Google | Ann
Tripadvisor | Tom
"#;

#[tokio::test]
async fn shapes_of_files_are_read() {
    let good = r#"{"Review ID": "g", "Stars": 4, "Date": "2026-03-04", "Name": "Bo", "Review": "Fine 👍"}"#;
    let more = r#""Review ID": "b", "Stars": 5, "Date": "2026-03-04", "Name": "Ann","#;
    as_they_are(&FILES.replace("GOOD", good).replace("MORE", more)).await;
}
