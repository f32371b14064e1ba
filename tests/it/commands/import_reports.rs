//! What an import says of files that have something odd.

use super::*;

#[test]
fn a_file_without_rows_withdraws_nothing() {
    Home::new().steps(
        r"
        sheet.csv ← author,rating,date,text\nAnn Baker,5,2026-10-12,On time and tidy.\n
        import sheet.csv → 1 new
        head.csv ← author,rating,date,text\n
        import head.csv --withdraw-missing ✗ only some of the reviews, or none
        ",
    );
}

#[test]
fn a_list_of_objects_is_no_value() {
    Home::new().steps(
        r#"
        lists.json ← [{"author": "Bo", "rating": [{"label": "Value", "value": 2}], "date": "2026-10-11", "text": "Fair price."}]
        import lists.json ✗ fields.rating
        lists.toml ← [fields]\nrating = "rating"
        import lists.json --format lists.toml ✗ rating: is a list of objects; bring what it says into the row, for example with jq
        "#,
    );
}

#[test]
fn letters_that_a_program_changed_are_named() {
    Home::new().steps(
        r#"
        odd.json ← [{"author": "Ren\u00c3\u00a9e", "rating": 2, "date": "2026-10-11", "text": "Fair price."}]
        import odd.json → changed or lost when a program saved the file, for example "RenÃ©e"
        "#,
    );
}

#[test]
fn repeated_rows_and_members_that_are_not_read_are_counted() {
    Home::new().steps(
        r#"
        google.json ← [{"reviewId": "g", "nested": {"approved": false}, "starRating": "ONE", "createTime": "2026-10-01", "updateTime": "2026-10-01"}, {"reviewId": "g", "starRating": "TWO", "createTime": "2026-10-01", "updateTime": "2026-10-01"}]
        import google.json → 1 repeated: of rows with the same ID the last one was used
        status → google.json: 1 new, 0 updated, members that are not read: nested.approved\n
        "#,
    );
}
