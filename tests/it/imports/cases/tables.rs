//! What a table says of its rows: ids, languages, columns that are read later, and columns that it lacks.

use super::*;

const TABLES: &str = r#"
# locales of a language column become language tags
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
# a column that only says yes or no has no answers
Name | Stars | Date       | Review | Response
Ann  | 5     | 2026-03-14 | Neat   | Y
Bo   | 4     | 2026-03-15 | Fine   | No
Cy   | 4     | 2026-03-16 | Fine   | Yes please come back
=
author | reply_text
Ann |
Bo |
Cy | Yes please come back
# mapping more columns completes reviews, and what a cell loses goes
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
# a row with the id of another review is rejected and named
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
# rows with one id of different people are all rejected
each ONE: Ann | Anonymous | A Google user
each OTHER: Bo | Anonymous | A Google user
Review ID | Name  | Stars | Date       | Review
x7        | ONE   | 5     | 2026-03-10 | fan works
x7        | OTHER | 1     | 2026-03-11 | late and rude
=
x ID
x ID
! no row can be imported
# headers may have commas and equals signs
format: ignored = "*"; [[public]]; names = ["Publish=web"]; values = ["yes"]
Name | Stars | Date       | Review | Publish | Publish=web | City, State | City
Ann  | 5     | 2026-03-01 | Neat   | no      | yes         | Mesa, AZ    | Mesa
Bo   | 2     | 2026-03-02 | HIDDEN | web=yes | no          | Mesa, AZ    | Mesa
then
=
author | status
Ann | published
Bo | withheld
# joined columns and the scale are kept
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
# a field that the source lacks is said once
Name | Stars | Date
Ann  | 5     | 2026-03-01
then format: [fields]; text = ""
then
=
? fields.text
author | text
Ann |
# a field that the source lacks is said once
Stars | Date       | Review
5     | 2026-03-01 | Neat
then format: [fields]; author = ""
then
=
? fields.author
author | text
Anonymous | Neat
# a field that the source lacks is said once
Name | Stars | Date       | Review | Link                | Review URL
Ann  | 5     | 2026-03-01 | Neat   | https://a.example/1 | https://b.example/1
then format: ignored = "*"; [fields]; source_url = ""
then
=
? ignored
author | source_url
Ann |
"#;

#[tokio::test]
async fn tables_are_read_alike_in_every_format() {
    in_every_format(TABLES).await;
}

const FILES: &str = r#"
# titles above the header are skipped where the owner names its row
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
# a last column without a name is one
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
# columns of similar names are distinct in any order
format: ignored = "*"; [[public]]; names = ["Publish"]; values = ["yes"]
Name,Stars,Date,Review,Publish,publish?
Bo,1,2026-03-02,HIDDEN,no,yes
then
Name,Stars,Date,Review,publish?,Publish
Bo,1,2026-03-02,HIDDEN,yes,no
=
status
withheld
# a first row with a value is no header
each ROW: 2026-10-30,Acme,all | Acme,5,all | ★★★★☆,Acme,all
ROW
Name,Stars,Date,Review
Ann,5,2026-10-30,Fine
=
! the names are in row 2: write header_row = 2
# a table without names is refused
Ann,5,2026-10-30,Fine
Bo,4,2026-10-29,Late
=
! give a table with the names of its columns in the first row
# a cell with a table of its own is a cell
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
# a cell with backslashes and quotation marks is as it stands
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
# a dump of a database is refused
each ROW: 5,2026-10-30,Ann,"say \"hi\", and left" | 5,2026-10-30,"Ann \"the\" Fan",Good
Stars,Date,Name,Review
ROW
=
! is a dump of a database
# a dump of a database is refused
each FILE: {"_id": {"$oid": "65f0c0ffee0000000000000a"}, "author": "Ann", "rating": {"$numberInt": "5"}, "text": "Fine"} | {"documents": [{"fields": {"author": {"stringValue": "Ann"}, "rating": {"integerValue": "5"}}}]} | {"Items": [{"author": {"S": "Ann"}, "rating": {"N": "5"}}]} | INSERT INTO reviews VALUES (1, 'Ann', 5);
FILE
=
! dump of
# a file with an unclosed quotation mark is refused
Date,Rating,Name,Review
2026-10-01,5,A,"hello
2026-10-02,5,B,fine
=
! line 2: a quotation mark opens a cell and none closes it
# quotation marks within cells are text
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
"#;

#[tokio::test]
async fn tables_are_read_by_the_rows_of_headers() {
    as_they_are(FILES).await;
}
