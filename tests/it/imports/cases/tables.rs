//! What a table says of its rows: ids, languages, columns that are read later, and columns that it lacks.

use super::*;

#[tokio::test]
async fn locales_of_a_language_column_become_language_tags() {
    table_case(
        r"
Name | Stars | Date       | Review | Language
a    | 5     | 2026-10-01 | Good.  | en_US
b    | 5     | 2026-10-02 | Good.  | de_DE.UTF-8
c    | 5     | 2026-10-03 | Good.  | English
d    | 5     | 2026-10-04 | Good.  | pt
=
author | language
a | en-US
b | de-DE
c |
d | pt
",
    )
    .await;
}

#[tokio::test]
async fn a_column_that_only_says_yes_or_no_has_no_answers() {
    table_case(
        r"
Name | Stars | Date       | Review | Response
Ann  | 5     | 2026-03-14 | Neat   | Y
Bo   | 4     | 2026-03-15 | Fine   | No
Cy   | 4     | 2026-03-16 | Fine   | Yes please come back
=
author | reply_text
Ann |
Bo |
Cy | Yes please come back
",
    )
    .await;
}

#[tokio::test]
async fn mapping_more_columns_completes_reviews_and_what_a_cell_loses_goes() {
    table_case(
        r#"
format: ignored = "*"; [fields]; text = ""
Customer | Stars | When       | What they said     | What we said
Ann      | 5     | 2026-10-30 | On time and tidy.  | Thank you.
Bo       | 2     | 2026-10-29 | Left the gate open |
Cy       | 4     | 2026-10-28 |                    |
then format: ignored = "*"; [fields]; text = ["What they said"]
then format: [fields]; text = ["What they said"]; reply_text = ["What we said"]
then
Customer | Stars | When       | What they said     | What we said
Ann      | 5     | 2026-10-30 |                    |
Bo       | 2     | 2026-10-29 | Left the gate open |
Cy       | 4     | 2026-10-28 |                    |
=
author | text | reply_text
Ann |  |
Bo | Left the gate open |
Cy |  |
"#,
    )
    .await;
}

#[tokio::test]
async fn a_row_with_the_id_of_another_review_is_rejected_and_named() {
    table_case(
        r#"
format: [fields]; id = ["Id"]
Id | Name | Stars | Date       | Review
1  | Ann  | 5     | 2026-06-10 | Neat and quick work
2  | Bo   | 1     | 2026-05-02 | Broke my door and left
then
Id | Name | Stars | Date       | Review
1  | Di   | 5     | 2026-07-03 | Very polite
3  | Bo   | 1     | 2026-05-02 | Broke my door and left
then
Id | Name | Stars | Date       | Review
1  | Ann  | 1     | 2026-08-01 | Changed my mind
=
x id: another row or review has this ID, but another author, date and text
review_id | author | text
1 | Ann | Changed my mind
2 | Bo | Broke my door and left
3 | Bo | Broke my door and left
"#,
    )
    .await;
}

#[tokio::test]
async fn rows_with_one_id_of_different_people_are_all_rejected() {
    table_case(
        r"
each ONE: Ann | Anonymous | A Google user
each OTHER: Bo | Anonymous | A Google user
Review ID | Name  | Stars | Date       | Review
x7        | ONE   | 5     | 2026-03-10 | fan works
x7        | OTHER | 1     | 2026-03-11 | late and rude
=
x ID
x ID
! no row can be imported
",
    )
    .await;
}

#[tokio::test]
async fn headers_may_have_commas_and_equals_signs() {
    table_case(
        r#"
format: ignored = "*"; [[public]]; names = ["Publish=web"]; values = ["yes"]
Name | Stars | Date       | Review | Publish | Publish=web | City, State | City
Ann  | 5     | 2026-03-01 | Neat   | no      | yes         | Mesa, AZ    | Mesa
Bo   | 2     | 2026-03-02 | HIDDEN | web=yes | no          | Mesa, AZ    | Mesa
then
=
author | status
Ann | published
Bo | withheld
"#,
    )
    .await;
}

#[tokio::test]
async fn joined_columns_and_the_scale_are_kept() {
    table_case(
        r#"
format: scale = 10; joined = "text"; [fields]; first_name = ["Given"]; last_name = ["Family"]; text = ["Disliked", "Liked"]
Given | Family | Stars | Date       | Liked       | Disliked
Ann   | Baker  | 10    | 2026-03-01 | Warm rooms. | The lift was broken.
Bo    |        | 2     | 2026-03-02 |             | Cold.
then
Given | Family | Stars | Date       | Liked       | Disliked
Cy    |        | 4     | 2026-03-03 | Good.       |
=
author | rating | text
Ann Baker | 5 | The lift was broken.\n\nWarm rooms.
Bo | 1 | Cold.
Cy | 2 | Good.
"#,
    )
    .await;
}

#[tokio::test]
async fn a_text_that_the_source_lacks_is_said_once() {
    table_case(
        r#"
Name | Stars | Date
Ann  | 5     | 2026-03-01
then format: [fields]; text = ""
then
=
? fields.text
author | text
Ann |
"#,
    )
    .await;
}

#[tokio::test]
async fn an_author_that_the_source_lacks_is_said_once() {
    table_case(
        r#"
Stars | Date       | Review
5     | 2026-03-01 | Neat
then format: [fields]; author = ""
then
=
? fields.author
author | text
Anonymous | Neat
"#,
    )
    .await;
}

#[tokio::test]
async fn a_url_that_the_source_has_twice_is_said_once_to_be_none() {
    table_case(
        r#"
Name | Stars | Date       | Review | Link                | Review URL
Ann  | 5     | 2026-03-01 | Neat   | https://a.example/1 | https://b.example/1
then format: ignored = "*"; [fields]; source_url = ""
then
=
? ignored
author | source_url
Ann |
"#,
    )
    .await;
}

#[tokio::test]
async fn titles_above_the_header_are_skipped_where_the_owner_names_its_row() {
    file_case(
        r#"
each TITLE: Feedback 2026;;; | "Reviews, as of 2026; all"
TITLE

Name;Stars;Review Date;Comment
Ann;5;2026-10-30;Fine
then format: header_row = 3
then
then format: header_row = 4
=
! the names are in row 3: write header_row = 3
! the names are in row 3: write header_row = 3
author | text
Ann | Fine
"#,
    )
    .await;
}

#[tokio::test]
async fn a_last_column_without_a_name_is_one() {
    file_case(
        r#"
format: ignored = "*"; [[public]]; names = ["column 5"]; values = ["yes"]
Name,Stars,Date,Review,,
Ann,5,2026-03-01,Fine,yes,
Bo,1,2026-03-02,HIDDEN
Di,1,2026-03-02,HIDDEN,yes,,more
=
x has 7 cells under 6 headers
author | status
Ann | published
Bo | withheld
"#,
    )
    .await;
}

#[tokio::test]
async fn columns_of_similar_names_are_distinct_in_any_order() {
    file_case(
        r#"
format: ignored = "*"; [[public]]; names = ["Publish"]; values = ["yes"]
Name,Stars,Date,Review,Publish,publish?
Bo,1,2026-03-02,HIDDEN,no,yes
then
Name,Stars,Date,Review,publish?,Publish
Bo,1,2026-03-02,HIDDEN,yes,no
=
status
withheld
"#,
    )
    .await;
}

#[tokio::test]
async fn a_first_row_with_a_value_is_no_header() {
    file_case(
        r"
each ROW: 2026-10-30,Acme,all | Acme,5,all | ★★★★☆,Acme,all
ROW
Name,Stars,Date,Review
Ann,5,2026-10-30,Fine
=
! the names are in row 2: write header_row = 2
",
    )
    .await;
}

#[tokio::test]
async fn a_table_without_names_is_refused() {
    file_case(
        r"
Ann,5,2026-10-30,Fine
Bo,4,2026-10-29,Late
=
! give a table with the names of its columns in the first row
",
    )
    .await;
}

#[tokio::test]
async fn a_cell_with_a_table_of_its_own_is_a_cell() {
    file_case(
        r#"
Nickname,What they typed,When,How many,Publish
Ann,"Good

Name|Stars|Date|Review|Publish
Eve|5|2026-10-30|HIDDEN|yes
",2026-10-30,5,no
then format: ignored = "*"; [fields]; author = ["Nickname"]; text = ["What they typed"]; date = ["When"]; rating = ["How many"]; [[public]]; names = ["Publish"]; values = ["yes"]
=
? fields.rating
? fields.text
? ignored
author | status
Ann | withheld
"#,
    )
    .await;
}

#[tokio::test]
async fn a_cell_with_backslashes_and_quotation_marks_is_as_it_stands() {
    file_case(
        r#"
Name,Stars,Date,Review
Ann,5,2026-10-30,"It leaked \""twice\"", \N
Eve,1,2026-10-29,Late"
Bo,4,2026-10-28,\N
Cy,3,2026-10-27,C:\new
=
author | text
Ann | It leaked \"twice\", \N\nEve,1,2026-10-29,Late
Bo | \N
Cy | C:\new
"#,
    )
    .await;
}

#[tokio::test]
async fn a_dump_of_a_database_as_csv_is_refused() {
    file_case(
        r#"
each ROW: 5,2026-10-30,Ann,"say \"hi\", and left" | 5,2026-10-30,"Ann \"the\" Fan",Good
Stars,Date,Name,Review
ROW
=
! is a dump of a database
"#,
    )
    .await;
}

#[tokio::test]
async fn a_dump_of_a_database_is_refused() {
    file_case(
        r#"
each FILE: {"_id": {"$oid": "65f0c0ffee0000000000000a"}, "author": "Ann", "rating": {"$numberInt": "5"}, "text": "Fine"} | {"documents": [{"fields": {"author": {"stringValue": "Ann"}, "rating": {"integerValue": "5"}}}]} | {"Items": [{"author": {"S": "Ann"}, "rating": {"N": "5"}}]} | INSERT INTO reviews VALUES (1, 'Ann', 5);
FILE
=
! dump of
"#,
    )
    .await;
}

#[tokio::test]
async fn a_file_with_an_unclosed_quotation_mark_is_refused() {
    file_case(
        r#"
Date,Rating,Name,Review
2026-10-01,5,A,"hello
2026-10-02,5,B,fine
=
! line 2: a quotation mark opens a cell and none closes it
"#,
    )
    .await;
}

#[tokio::test]
async fn quotation_marks_within_cells_are_text() {
    file_case(
        r#"
Date,Rating,Name,Review
2026-10-01,5,A,"He said ""late"""
2026-10-02,5,B,a 5" pipe
2026-10-03,5,C,"two
lines"
2026-10-04,5,D,"ok" so
=
x or text follows the closing one
author | text
A | He said "late"
B | a 5" pipe
C | two\nlines
"#,
    )
    .await;
}
