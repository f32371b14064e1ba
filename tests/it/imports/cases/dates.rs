//! Dates as programs, platforms and sentences write them, and years that no review has.

use super::*;

const TABLES: &str = r"
# dates as programs write them are instants or days
cells: Date
2015-08-10 ← Mon Aug 10 2015 14:16:38 GMT+0000 (GMT) | Tue Aug 11 2015 03:16:38 GMT+0000 (Coordinated Universal Time)
2015-08-12 ← Wed Aug 12 2015 23:30:00 GMT-0700 (Mountain Standard Time)
2015-08-13 ← Fri Aug 14 2015 01:00:00 GMT+0900 (日本標準時)
2015-08-14 ← Fri Aug 14 2015 14:16:38 GMT+0200
2015-08-15 ← Sat Aug 15 2015
2015-08-16 ← Sun, 16 Aug 2015 14:16:38 GMT
2015-08-17 ← 2015-08-17T14:16:38.000Z
2015-08-18 ← 1439907398
2015-08-19 ← 1439993798000
2015-08-20 ← 1440080198000000
2015-08-21 ← Fri, 21 Aug 2015 23:16:38 -0700
2015-08-22 ← 2015-08-22T14:16:38+0000
2015-08-23 ← 2015-08-23 14:16:38 UTC
2015-08-24 ← 2015-08-24 14:16:38.123456+00
2015-08-25 ← ٢٠١٥-٠٨-٢٥
2015-08-26 ← ２０１５/０８/２６
2015-08-27 ← ۲۰۱۵-۰۸-۲۷
2015-08-28 ← 2015年8月28日
2015-08-29 ← ২০১৫-০৮-২৯
# dates inside sentences are read in many languages
cells: Date
2026-03-01 ← Rezension aus Deutschland vom 1. März 2026
2026-03-02 ← Reviewed in the United States on March 2, 2026
2026-03-03 ← Reviewed in the United Kingdom on 3 March 2026
2026-03-04 ← Avis laissé en France le 4 mars 2026
2026-03-05 ← Calificado en España el 5 de marzo de 2026
2026-03-06 ← Recensito in Italia il 6 marzo 2026
2026-03-07 ← 2026年3月7日に日本でレビュー済み
2026-03-08 ← Beoordeeld in Nederland op 8 maart 2026
2026-03-09 ← Avaliado no Brasil em 9 de março de 2026
# day numbers of a spreadsheet are dates in every format
cells: Date
2025-03-01 ← 45717
2025-03-02 ← 45718.75
2025-03-03 ← 45719
same ← 2025-03-04
# a year that no review has rejects its row and other calendars are named
cells: Date
same ← 1995-01-01
x calendar ← 1404-12-14 | 1405/01/15 | ۱۴۰۴/۱۲/۱۴ | 1447-09-05 | 0115-03-05 | 0001-01-01T00:00:00Z | 1601-01-01 00:00:00
x calendar ← 1899-12-30 | 1970-01-01T00:00:00.000Z | 1994-12-31
2026-03-05 ← 2026-03-05 10:00:00
# a day that is none rejects its row
cells: Date
same ← 2026-03-05
x Date ← 0000-00-00 00:00:00 | 1900-01-00 | 0 | 令和8年3月5日 | 5 days ago
x 2569 ← 2569-03-05
x ← 2026-12-24
# a column of dates is read in the order that one of them proves
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
# a column of dates is read in the order that one of them proves
Name | Stars | Date       | Review
Ann  | 5     | 03/04/2026 | Good.
Bo   | 5     | 05/06/2026 | Good.
=
? Order
# a weekday decides the order of its date
cells: Date
2025-05-01 ← Thu 01/05/2025
2025-05-02 ← Friday, 2/5/2025
x ← Mon 01/05/2025
# the name of a month that is another one in another language is read beside other names
cells: Date
x Croatian ← 3 listopada 2025
2025-03-04 ← 2025-03-04
# the name of a month that is another one in another language is read beside other names
cells: Date
2025-11-03 ← 3 listopada 2025
2025-12-04 ← 4 grudnia 2025
# relative dates are rejected with the column that has days
--ignore-others
Name | Stars | Published at | Exact day  | Review
Ann  | 5     | 5 days ago   | 2026-03-05 | Good.
Bo   | 5     | vor 2 Wochen | 2026-02-24 | Good.
=
x Published at
x Published at
! Exact day
";

#[tokio::test]
async fn dates_say_the_same_in_every_format() {
    in_every_format(TABLES).await;
}
