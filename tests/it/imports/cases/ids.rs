//! IDs that are none: numbers of rows, and one number for several reviews.

use super::*;

#[tokio::test]
async fn a_column_that_counts_the_rows_is_asked_about() {
    table_case(
        r"
each ZEROS: 0 | 00
ID     | Name | Stars | Date       | Review
ZEROS1 | Ann  | 5     | 2026-06-10 | Neat and quick.
ZEROS2 | Bo   | 1     | 2026-05-02 | Broke my door.
ZEROS3 | Cy   | 4     | 2026-04-01 | Fair price.
=
? ignored
",
    )
    .await;
}

#[tokio::test]
async fn ids_may_follow_each_other() {
    table_case(
        r"
ID  | Name | Stars | Date       | Review
501 | Ann  | 5     | 2026-06-10 | Neat.
502 | Bo   | 4     | 2026-06-11 | Late.
=
review_id
501
502
",
    )
    .await;
}

#[tokio::test]
async fn equal_ids_of_two_sources_get_the_source_as_prefix_and_a_deleted_review_is_that_of_its_source_alone()
 {
    table_case(
        r"
Review ID | Name | Stars | Date       | Review
q1        | Ann  | 5     | 2026-06-10 | Neat.
q7        | Bo   | 4     | 2026-06-11 | Late.
then --source Angi
Review ID | Name | Stars | Date       | Review
q1        | Cy   | 1     | 2026-07-12 | Never came.
q7        | Di   | 2     | 2026-07-11 | Rude.
then sql: delete from review where review_id in ('q1', 'angi-q7')
then --source Angi
Review ID | Name | Stars | Date       | Review
q1        | Cy   | 1     | 2026-07-12 | Never came back.
q7        | Di   | 2     | 2026-07-11 | Rude.
then
Review ID | Name | Stars | Date       | Review
q1        | Ann  | 5     | 2026-06-10 | Neat.
q7        | Bo   | 4     | 2026-06-11 | Late.
=
review_id | author | text
q7 | Bo | Late.
angi-q1 | Cy | Never came back.
",
    )
    .await;
}

#[tokio::test]
async fn sources_are_the_same_in_any_case_and_accents_make_another_name() {
    table_case(
        r"
--source 'Café Finder'
Name | Stars | Date       | Review
Ann  | 5     | 2026-06-10 | Neat.
Bo   | 5     | 2026-06-11 | Late.
then --source 'CAFÉ FINDER'
then --source 'Cafe Finder'
=
author | source_name
Ann | Café Finder
Bo | Café Finder
Ann | Cafe Finder
Bo | Cafe Finder
",
    )
    .await;
}

#[tokio::test]
async fn one_id_of_several_reviews_rejects_and_names_them_and_is_none_if_the_owner_says_so() {
    table_case(
        r#"
each NUMBER: 1.17E+17 | 1,17E+17 | 117000000000000000 | 77 | n/k | ANON
Review ID | Name | Stars | Date       | Review
NUMBER    | Ann  | 5     | 2026-03-01 | Neat.
NUMBER    | Bo   | 4     | 2026-03-02 | Late.
then format: ignored = "Review ID"
=
x name it in `ignored`
x ID
! no row can be imported
author | status
Ann | published
Bo | published
"#,
    )
    .await;
}
