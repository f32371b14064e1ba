//! Dates as programs, platforms and sentences write them (each form: `imports/value/date.rs`), the order of a column, and years of other calendars.

use super::*;

#[tokio::test]
async fn dates_of_programs_of_sentences_and_in_other_digits_are_read() {
    table_case(
        r"
cells: Date
2015-08-13 ← Fri Aug 14 2015 01:00:00 GMT+0900 (日本標準時)
2015-08-15 ← Sat Aug 15 2015
2015-08-18 ← 1439907398
2015-08-20 ← 1440080198000000
2015-08-21 ← Fri, 21 Aug 2015 23:16:38 -0700
2015-08-25 ← ٢٠١٥-٠٨-٢٥
2025-03-02 ← 45718.75
2026-03-05 ← Calificado en España el 5 de marzo de 2026
2025-05-01 ← Thu 01/05/2025
2026-02-27 ← Fri Feb 27 09:30:00 MST 2026 | Fri Feb 27 09:30:00 2026 | Fri Feb 27 16:30:00 +0000 2026 | Friday, February 27, 2026 9:30:19 AM MST
x ← Mon 01/05/2025
",
    )
    .await;
}

#[tokio::test]
async fn a_day_that_is_none_or_of_another_calendar_rejects_its_row() {
    table_case(
        r"
cells: Date
same ← 1995-01-01
x calendar ← 1404-12-14 | ۱۴۰۴/۱۲/۱۴ | 0001-01-01T00:00:00Z | 1970-01-01T00:00:00.000Z | 1994-12-31
x Date ← 0000-00-00 00:00:00 | 1900-01-00 | 令和8年3月5日 | 5 days ago
x 2569 ← 2569-03-05
x ← 2026-12-24
",
    )
    .await;
}

#[tokio::test]
async fn a_column_of_dates_is_read_in_the_order_that_one_of_them_proves() {
    table_case(
        r"
Name | Stars | Date                  | Review
Ann  | 5     | 03/04/2026            | Good.
Bo   | 5     | 3/5/26 8:15 AM        | Good.
Cy   | 5     | 03/25/2026            | Good.
Di   | 5     | 4/6/2026, 11:59:01 PM | Good.
=
author | reviewed_on
Ann | 2026-03-04
Bo | 2026-03-05
Cy | 2026-03-25
Di | 2026-04-06
",
    )
    .await;
}

#[tokio::test]
async fn an_order_that_nothing_proves_is_asked_about_and_kept() {
    table_case(
        r#"
Name | Stars | Date       | Review
Ann  | 5     | 03/04/2026 | Good.
Bo   | 5     | 05/06/2026 | Good.
then format: date_format = "dd/mm/yyyy"
then
=
? date_format
author | reviewed_on
Ann | 2026-04-03
Bo | 2026-06-05
"#,
    )
    .await;
}

#[tokio::test]
async fn a_date_of_the_other_order_rejects_its_row_until_the_format_says_another() {
    table_case(
        r#"
Name | Stars | Date       | Review
Ann  | 5     | 13/01/2026 | Good.
then
Name | Stars | Date       | Review
Bo   | 5     | 03/25/2026 | Good.
then format: date_format = "%m/%d/%Y"
then
Name | Stars | Date       | Review
Cy   | 5     | 01/02/2026 | Good.
=
x dates are day first
! no row can be read
author | reviewed_on
Ann | 2026-01-13
Bo | 2026-03-25
Cy | 2026-01-02
"#,
    )
    .await;
}

#[tokio::test]
async fn the_name_of_a_month_that_is_another_one_in_another_language_rejects_its_row() {
    table_case(
        r"
cells: Date
x ← 3 listopada 2025
x has an address and cannot be read ← ann@mail.test | 192.0.2.1
2025-12-04 ← 4 grudnia 2025
",
    )
    .await;
}

#[tokio::test]
async fn relative_dates_are_rejected() {
    table_case(
        r#"
format: ignored = "*"; only = { column = "Place", value = "Ours" }
Name | Stars | Published at | Exact day  | Review | Place
Ann  | 5     | 5 days ago   | 2026-03-05 | Good.  | Ours
Bo   | 5     | vor 2 Wochen | 2026-02-24 | Good.  | Ours
Cy   | 5     | 2026-02-24   | 2026-02-24 | Good.  | Theirs
=
x Published at
x Published at
! no row can be read
"#,
    )
    .await;
}
