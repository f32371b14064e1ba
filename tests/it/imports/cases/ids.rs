//! IDs that are none: numbers of rows, and one number for several reviews.

use super::*;

const TABLES: &str = r#"
# a column that counts the rows is asked about
each ZEROS: 0 | 00
ID     | Name | Stars | Date       | Review
ZEROS1 | Ann  | 5     | 2026-06-10 | Neat and quick.
ZEROS2 | Bo   | 1     | 2026-05-02 | Broke my door.
ZEROS3 | Cy   | 4     | 2026-04-01 | Fair price.
=
? ignored
# IDs may follow each other
ID  | Name | Stars | Date       | Review
501 | Ann  | 5     | 2026-06-10 | Neat.
502 | Bo   | 4     | 2026-06-11 | Late.
=
review_id
501
502
# equal ids of two sources get the source as prefix, and a deleted review is that of its source alone
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
# sources are the same in any case, and accents make another name
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
# one id of several reviews rejects and names them, and is none if the owner says so
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
"#;

#[tokio::test]
async fn ids_that_are_none_join_no_reviews_in_every_format() {
    in_every_format(TABLES).await;
}
