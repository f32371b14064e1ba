//! Dialects of CSV, forms of JSON, broken elements, encodings, and options that a format does not take.

use super::*;

#[tokio::test]
async fn stars_with_their_scale_are_the_number_that_is_not_the_scale_and_what_is_not_understood_rejects_its_row()
 {
    table_case(
        r"
cells: Stars
3 ← 3,0 von 5 Sternen | 5つ星のうち3.0 | ★★★☆☆ | ３／５
4 ← Noté 4 sur 5 | ⭐️⭐️⭐️⭐️ | 4,0 | ٤ من ٥
x ← FOUR | 0 out of 5 | 6 out of 5 stars | excellent, 5 of my friends | 5つ星のうち
",
    )
    .await;
}

#[tokio::test]
async fn stars_of_ten_are_halved_with_a_scale() {
    table_case(
        r"
format: scale = 10
cells: Stars
4 ← 8,0 von 10
2 ← 10つ星のうち4
x ← 11 von 10
",
    )
    .await;
}

#[tokio::test]
async fn a_review_is_not_lost_because_of_the_day_of_its_answer() {
    table_case(
        r"
Review ID | Name | Stars | Date       | Review | Our reply | Response date
a1        | Ann  | 5     | 2026-03-01 | Neat.  | Thanks.   | 2026-03-02
a2        | Bo   | 2     | 2026-03-02 | Late.  | Sorry.    | 4 days ago
a3        | Cy   | 4     | 2026-03-03 | Good.  |           | never
=
review_id | reply_text | reply_on
a1 | Thanks. | 2026-03-02
a2 | Sorry. |
a3 |  |
",
    )
    .await;
}

#[tokio::test]
async fn a_review_has_the_source_that_its_row_names() {
    table_case(
        r#"
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
"#,
    )
    .await;
}

#[tokio::test]
async fn one_broken_element_rejects_itself_alone() {
    file_case(
        r#"
each FILE: [BROKEN, {"Review ID": "g", "Stars": 4, "Date": "2026-03-04", "Name": "Bo", "Review": "Fine 👍"}] | [{"Review ID": "g", "Stars": 4, "Date": "2026-03-04", "Name": "Bo", "Review": "Fine 👍"}, BROKEN] | {"total": 2, "result": {"items": [BROKEN, {"Review ID": "g", "Stars": 4, "Date": "2026-03-04", "Name": "Bo", "Review": "Fine 👍"}]}}
each BROKEN: {"Review ID": "b", "Stars": 5, "Date": "2026-03-04", "Name": "Ann", "Our reply": "Cut \ud83d"} | {"Review ID": "b", "Stars": 5, "Date": "2026-03-04", "Name": "Ann", "Review": "Cut \udc4d\ud83d"} | {"Review ID": "b", "Stars": 5, "Date": "2026-03-04", "Name": "Ann", "Price": 1e999} | {"Review ID": "b", "Stars": 5, "Date": "2026-03-04", "Name": "Ann", "Our reply": {"text": "\ud83d"}} | {"Review ID": "b", "Stars": 5, "Date": "2026-03-04", "Name": "Ann", "x\ud83d": 1} | "a text" | 17 | null
FILE
=
x
author | text
Bo | Fine 👍
"#,
    )
    .await;
}

#[tokio::test]
async fn one_broken_line_rejects_itself_alone() {
    file_case(
        r#"
each BROKEN: {"Review ID": "b", "Stars": 5, "Date": "2026-03-04", "Name": "Ann", "Our reply": "Cut \ud83d"} | {"Review ID": "b", "Stars": 5, "Date": "2026-03-04", "Name": "Ann", "x\ud83d": 1} | {"Review ID": "b", "Stars": 5, "Date": "2026-03-04", "Name": "Ann",
BROKEN
{"Review ID": "g", "Stars": 4, "Date": "2026-03-04", "Name": "Bo", "Review": "Fine 👍"}
BROKEN
=
x
x
author | text
Bo | Fine 👍
"#,
    )
    .await;
}

#[tokio::test]
async fn an_author_is_read_in_the_forms_that_it_has_in_json() {
    file_case(
        r#"
each AUTHOR: {"name": "Ann", "link": "u"} | {"display_name": "Ann"} | {"displayName": "Ann"} | ["Ann"] | "Ann" | {"name": "Ann", "email": "PRIVATE@e.example"}
format: ignored = "*"
[{"stars": 5, "date": "2026-03-01", "user": AUTHOR, "review": "Neat"}, {"stars": 1, "date": "2026-03-02", "user": null, "review": "Late"}]
=
author | text
Ann | Neat
Anonymous | Late
"#,
    )
    .await;
}

#[tokio::test]
async fn an_answer_is_read_in_the_forms_that_it_has_in_json() {
    file_case(
        r#"
each ANSWER: {"text": "Thanks"} | {"content": "Thanks", "date": "a week ago"} | {"snippet": "Thanks"} | {"comment": "Thanks"} | {"body": "Thanks", "by": {"id": 7}} | ["Thanks"] | "Thanks"
format: ignored = "*"
[{"stars": 5, "date": "2026-03-01", "user": "Ann", "review": "Neat", "reply": ANSWER}, {"stars": 1, "date": "2026-03-02", "user": "Bo", "review": "Late", "reply": null}]
=
author | text | reply_text | reply_on
Ann | Neat | Thanks |
Bo | Late |  |
"#,
    )
    .await;
}

#[tokio::test]
async fn a_review_is_not_lost_because_of_the_form_of_its_answer() {
    file_case(
        r#"
each ANSWER: {"unknown": "x"} | [{"text": "in a list"}] | [] | {} | false | null | {"text": null} | 0
format: ignored = "*"
[{"stars": 5, "date": "2026-03-01", "user": "Ann", "review": "Neat", "reply": ANSWER}]
=
author | text | reply_text
Ann | Neat |
"#,
    )
    .await;
}

#[tokio::test]
async fn a_word_for_empty_is_empty_in_parts_of_json() {
    file_case(
        r#"
format: ignored = "*"
[{"stars": 5, "date": "2026-03-01", "user": {"name": "null"}, "comment": "None", "reply": {"text": "undefined", "date": "null"}},
{"stars": 4, "date": "2026-03-02", "user": {"name": "Nan"}, "comment": "None taken.", "reply": {"text": "N/A", "date": null}},
{"stars": 3, "date": "2026-03-03", "user": null, "comment": null, "reply": "nan"}]
=
author | text | reply_text | reply_on
Anonymous |  |  |
Nan | None taken. |  |
Anonymous |  |  |
"#,
    )
    .await;
}

#[tokio::test]
async fn the_day_of_an_answer_is_read_beside_it() {
    file_case(
        r#"
each DAY: "date": "2026-03-02" | "iso_date": "2026-03-02T20:00:00Z" | "created_at": "2026-03-02" | "createdAt": 1772481600000
format: ignored = "*"
[{"stars": 5, "date": "2026-03-01", "user": "Ann", "review": "Neat", "reply": {"text": "Thanks", DAY}}]
=
reply_text | reply_on
Thanks | 2026-03-02
"#,
    )
    .await;
}

#[tokio::test]
async fn a_review_has_the_source_that_its_member_names() {
    file_case(
        r#"
[{"title": "Peak", "stars": 5, "name": "Ann", "text": "Warm.", "publishedAtDate": "2026-03-05T10:00:00Z", "reviewId": "a1", "placeId": "C1", "reviewOrigin": "Google"},
{"title": "Peak", "stars": 2, "name": "Tom", "text": "Cold.", "publishedAtDate": "2026-03-06T10:00:00Z", "reviewId": "a2", "placeId": "C1", "reviewOrigin": "Tripadvisor"}]
=
source_name | author
Google | Ann
Tripadvisor | Tom
"#,
    )
    .await;
}

#[tokio::test]
async fn a_table_says_the_same_in_every_spelling() {
    let case = r#"
format: [[public]]; names = ["Published"]; values = ["true"]
Review ID | Name   | Stars | Date       | Review                    | Our reply | Published
r1        | Ann B. | 5     | 2026-03-01 | "On time", 2 hours;\nkind | Thanks.   | true
r2        | Bo     | 2     | 2026-03-02 | HIDDEN                    |           | false
r3        |        | 4     | 2026-03-03 |                           |           | true
r4        | Cy     | nine  | 2026-03-04 | Fine.                     |           | true
=
x nine
review_id | author | text | reply_text | status
r1 | Ann B. | "On time", 2 hours;\nkind | Thanks. | published
r2 | Bo | HIDDEN |  | withheld
r3 | Anonymous |  |  | published
"#;
    table_case_as(case, &READERS).await;
    table_case_as(case, &SPELLINGS).await;
}
