//! Rows that the schema's checks refuse from any writer; the error names the check.

use crate::support::{Generator, TestApp, publications, refused, table};

const COLUMNS: &str = "insert into review (review_id, rating, reviewed_on, text";

fn review(id: &str, rating: &str, day: &str) -> String {
    format!("{COLUMNS}) values ({id}, {rating}, {day}, '')")
}

/// Runs a statement that the database refuses, with oversized values in place of `HUGE` and `LONG`.
fn check_refused(app: &TestApp, sql: &str, name: &str) {
    let huge = "'https://' || replace(hex(zeroblob(333333)), '00', 'very good')";
    let sql = sql.replace("HUGE", huge);
    let sql = sql.replace("LONG", "'x' || hex(zeroblob(40000))");
    let message = refused(&app.path(), &sql);
    assert!(message.contains(name), "{sql}\n{name}: {message}");
}

#[tokio::test]
async fn the_error_of_an_invalid_row_names_the_check() {
    let app = TestApp::with(&Generator::new(21).reviews(30)).await;
    let before = (app.text("/reviews.json").await, publications(&app.path()));
    for [id, rating, day, name] in table(
        "
        '' → 5 → '2026-11-19' → review_id_well_formed
        cast(x'61ff' as text) → 5 → '2026-11-19' → review_id_well_formed
        null → 5 → '2026-11-19' → NOT NULL constraint failed: review.review_id
        '..' → 5 → '2026-11-19' → review_id_not_reserved
        'x' → 6 → '2026-11-19' → review_rating_in_1_to_5
        'x' → 4.5 → '2026-11-19' → cannot store REAL value in INTEGER column review.rating
        'x' → 5 → '2023-02-29' → review_date_is_a_day
        'x' → 5 → '1994-12-31' → review_date_from_1995
        ",
    ) {
        check_refused(&app, &review(id, rating, day), name);
    }
    for [column, value, name] in table(
        "
        author → '' → review_author_given
        author → char(9) || ' ' → review_author_given
        status → 'hidden' → review_status_known
        source_name → '' → review_source_given
        verification → 'trust me' → review_verification_known
        verification → null → review_published_is_vouched_for
        verified_at → '2026-11-19 10:00:00' → review_verified_at_is_utc
        updated_at → '2026-11-19T10:00:00+01:00' → review_updated_at_is_utc
        title → 'a' || char(0) → review_has_no_nul
        language → 'en_US' → review_language_has_subtags
        source_url → 'www.site.test/r' → review_source_url_is_of_web
        reply_on → '2026-02-29' → review_reply_date_is_a_day
        title → HUGE → review_within_2_mib
        ",
    ) {
        let row = format!("{COLUMNS}, {column}) values ('x', 5, '2026-11-19', '', {value})");
        check_refused(&app, &row, name);
    }
    for [sql, name] in table(
        "
        update review set review_id = 'a b' where review_id = 'r-00001' → review_id_well_formed
        update review set review_id = 'search' where review_id = 'r-00001' → review_id_not_reserved
        insert into mention values ('x', 'dog', 'Rex') → mention_kind_known
        insert into business (only_row, business_id, name) values (2, 'b', 'B') → business_is_one
        insert into business (business_id, name, latitude) values ('b', 'B', 91) → business_latitude_on_earth
        insert into business (business_id, name, address) values ('b', 'B', '[]') → business_address_is_json
        insert into publication values ('weather', 1, '', '', 0, 0) → publication_document_known
        insert into subscription (document, callback, callback_key, host, state, created_at, updated_at) values ('reviews', 'c', 'c', 'h', 'odd', '', '') → subscription_state_known
        insert into subscription (document, callback, callback_key, host, state, created_at, updated_at) values ('reviews', 'c', 'c', 'h', 'active', '', '') → subscription_active_has_lease
        update review set text = HUGE → review_within_2_mib
        insert into mention values ('r-00001', 'technician', HUGE) → mention_value_within_1_mib
        insert into business (business_id, name, description) values ('dp', 'Desert Peak', LONG) → business_texts_within_64_kib
        insert into service (service_id, name, synonyms) values ('drain', 'Drains', json_array(LONG)) → service_texts_within_64_kib
        insert into technician (technician_id, name) values ('t', LONG) → technician_texts_within_64_kib
        insert into service_area (name) values (LONG) → service_area_name_within_64_kib
        insert into editorial_summary (text) values (LONG) → editorial_summary_within_64_kib
        insert into editorial_faq (faq_id, question, answer) values ('q', 'Why?', LONG) → editorial_faq_texts_within_64_kib
        ",
    ) {
        check_refused(&app, sql, name);
    }
    app.drain().await;
    let after = (app.text("/reviews.json").await, publications(&app.path()));
    assert!(after == before);
}
