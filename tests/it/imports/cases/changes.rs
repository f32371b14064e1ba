//! A second file of the same source.

use super::*;

const TABLES: &str = r"
# recalculated days and corrected names keep their reviews
--source Google
Name       | Stars | Date                | Review
Ann B.     | 5     | 2026-05-30 00:00:00 | On time and tidy, would call again.
Bo S.      | 2     | 2026-05-16 00:00:00 | They came two hours late and left a mess.
Cy T.      | 4     | 2026-05-16 00:00:00 | Good work on the pump and a fair price.
田中       | 5     | 2026-03-15 00:00:00 | Quick and kind people all day.
Anonymous  | 1     | 2025-06-15 00:00:00 | The quote doubled after the visit.
then --source Google
Name       | Stars | Date                | Review
Flo M.     | 5     | 2026-07-12 00:00:00 | New heat pump runs quietly.
Ann B.     | 5     | 2026-05-31 00:00:00 | On time and tidy, would call again.
Bo S.      | 2     | 2026-05-14 00:00:00 | They came two hours late and left a mess.
Cy Turner  | 4     | 2026-05-16 00:00:00 | Good work on the pump and a fair price.
田中       | 5     | 2026-03-16 00:00:00 | Quick and kind people all day.
Anonymous  | 1     | 2025-06-15 00:00:00 | The quote doubled after the visit.
=
reviewed_on | author
2025-06-15 | Anonymous
2026-03-16 | 田中
2026-05-14 | Bo S.
2026-05-16 | Cy Turner
2026-05-31 | Ann B.
2026-07-12 | Flo M.
# an edited text without an id is an update
Name | Stars | Date       | Review
Ann  | 5     | 2026-05-30 | On time and tidy, would call again.
Bo   | 2     | 2026-05-16 | They came late.
then
Name | Stars | Date       | Review
Ann  | 4     | 2026-05-30 | On time and tidy, I would call them again.
Bo   | 2     | 2026-05-16 |
=
author | rating | text
Ann | 4 | On time and tidy, I would call them again.
Bo | 2 |
# a fetch of errors changes nothing
each ERROR: Loading... | #N/A | #BEZUG!
Review ID | Name | Stars | Date      | Review
a-x       | Ann | 5     | 2026-03-01 | Ann was happy.
b-x       | Bea | 5     | 2026-03-02 | Bea was happy.
c-x       | Cyd | 5     | 2026-03-03 | Cyd was happy.
d-x       | Dee | 5     | 2026-03-04 | Dee was happy.
e-x       | Eve | 5     | 2026-03-05 | Eve was happy.
then
Review ID | Name | Stars | Date      | Review
a-x       | Ann | 5     | 2026-03-01 | ERROR
b-x       | Bea | 5     | 2026-03-02 | ERROR
c-x       | Cyd | 5     | 2026-03-03 | ERROR
d-x       | Dee | 5     | 2026-03-04 | ERROR
e-x       | Eve | 5     | 2026-03-05 | Eve was happy.
=
x ERROR
x ERROR
x ERROR
x ERROR
text
Ann was happy.
Bea was happy.
Cyd was happy.
Dee was happy.
Eve was happy.
";

#[tokio::test]
async fn the_same_source_again_in_every_format() {
    in_every_format(TABLES).await;
}
