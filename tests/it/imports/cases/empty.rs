//! Cells that only say that they are empty, and cells that are an error of a spreadsheet.

use super::*;

#[tokio::test]
async fn an_error_of_a_spreadsheet_is_a_fault_of_its_row_in_each_field() {
    table_case(
        r"
Review ID | Name      | Stars | Date       | Headline | Review                  | Our reply
e0        | Ann       | 5     | 2026-03-01 | #1!!     | #1 in town for boilers. | #TeamPeak says thanks
e1        | #REF!     | 4     | 2026-03-02 |          | Good.                   |
e2        | Cy        | #N/A  | 2026-03-03 |          | Fine.                   |
e3        | Di        | 5     | #VALUE!    |          | Quick.                  |
e4        | Ed        | 5     | 2026-03-05 | #NAME?   | Kind.                   |
e5        | Flo       | 5     | 2026-03-06 |          | #SPILL!                 |
e6        | Gus       | 5     | 2026-03-07 |          | Tidy.                   | Loading...
#N/A      | Hal       | 5     | 2026-03-08 |          | Nice.                   |
e8        | Ida       | 5     | 2026-03-09 |          | Err:508                 |
e9        | Jo        | 5     | 2026-03-10 |          | Loading... never ended  | Err: 508 is on the display
e10       | Kim       | 5     | 2026-03-11 | #happy   | # 1 plumber             | #REF! is an error
=
x #REF!
x #N/A
x #VALUE!
x #NAME?
x #SPILL!
x Loading...
x #N/A
x Err:508
author | title | text | reply_text
Ann | #1!! | #1 in town for boilers. | #TeamPeak says thanks
Jo |  | Loading... never ended | Err: 508 is on the display
Kim | #happy | # 1 plumber | #REF! is an error
",
    )
    .await;
}

#[tokio::test]
async fn an_error_is_known_by_its_form_in_any_language() {
    table_case(
        r"
cells: Review, Our reply
same ← On time.
x ← #BEZUG! | #¿NOMBRE? | #Н/Д | #GETTING_DATA | Err:502 | Loading...
",
    )
    .await;
}

#[tokio::test]
async fn an_error_in_a_column_that_is_not_read_rejects_nothing() {
    table_case(
        r#"
format: ignored = "*"
Name | Stars | Date       | Review   | Margin  | Van
Ann  | 5     | 2026-03-01 | On time. | #DIV/0! | Art
Bo   | 4     | 2026-03-02 | Good.    | 17      | #NV
=
author | text
Ann | On time.
Bo | Good.
"#,
    )
    .await;
}

#[tokio::test]
async fn a_fetch_of_errors_changes_nothing() {
    table_case(
        r"
each ERROR: Loading... | #N/A | #BEZUG!
Review ID | Name | Stars | Date      | Review
a-x       | Ann | 5     | 2026-03-01 | Ann was happy.
e-x       | Eve | 5     | 2026-03-05 | Eve was happy.
then
Review ID | Name | Stars | Date      | Review
a-x       | Ann | 5     | 2026-03-01 | ERROR
e-x       | Eve | 5     | 2026-03-05 | Eve was happy.
=
x ERROR
text
Ann was happy.
Eve was happy.
",
    )
    .await;
}

#[tokio::test]
async fn a_word_for_empty_is_empty_in_each_field() {
    table_case(
        r"
Review ID | Name      | Stars | Date       | Headline   | Review              | Our reply | Language | Review URL
c1        | None      | 5     | 2026-03-01 | N/A        | None of it worked   | nan       | null     | N/A
c2        | undefined | 4     | 2026-03-02 | NONE       | NULL                | Undefined | -        | none
c3        | Nan       | 3     | 2026-03-03 | n/A        | Nothing             | \sNull    | N/A      |
c4        | NONE      | 3     | 2026-03-04 | None taken | n/a in our area     | -         | en       | -
null      | Null      | 2     | 2026-03-05 | NaN        | - not good -        | NAN\n     | de       | null
N/A       | NaN       | 1     | 2026-03-06 | null       | -                   | --        | NULL     | undefined
=
iif(review_id like 'c_', 'own', 'digest') | author | title | text | reply_text | language | source_url
own | Anonymous |  | None of it worked |  |  |
own | Anonymous |  |  |  |  |
own | Nan |  | Nothing |  |  |
own | NONE | None taken | n/a in our area |  | en |
digest | Null |  | - not good - |  | de |
digest | Anonymous |  |  | -- |  |
",
    )
    .await;
}

#[tokio::test]
async fn a_word_for_empty_as_stars_or_day_is_no_review() {
    table_case(
        r"
Name | Stars | Date       | Review
Ann  | 5     | 2026-03-01 | Neat and quick.
Bo   | N/A   | 2026-03-02 | Late.
Cy   | 4     | null       | Good.
Di   | nan   | -          | Fine.
=
x Stars: missing
x Date: missing
x Stars: missing; Date: missing
author | text
Ann | Neat and quick.
",
    )
    .await;
}

#[tokio::test]
async fn a_word_for_empty_is_no_part_of_a_name_or_of_a_joined_text() {
    table_case(
        r#"
format: joined = "text"; [fields]; text = ["Liked", "Missing"]
First name | Last name | Grade | Day        | Liked          | Missing
Ann        | NULL      | 5     | 2026-03-01 | Warm rooms.    | N/A
-          | Bell      | 4     | 2026-03-02 | none           | A lift.
None       | nan       | 3     | 2026-03-03 | nan            | -
Ann        | Null      | 2     | 2026-03-04 | Nice people.   | The lift was None.
=
author | text
Ann | Warm rooms.
Bell | A lift.
Anonymous |
Ann Null | Nice people.\n\nThe lift was None.
"#,
    )
    .await;
}
