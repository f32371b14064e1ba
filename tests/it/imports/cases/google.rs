//! Google Takeout and API exports, with their special cases. The business is in Phoenix, seven hours behind UTC.

use super::*;

/// A case in which `A77` and `A78` are reviews of these locations.
fn with_locations(case: &str) -> String {
    let of = |location: u32, author: &str| {
        let changes = json!({"name": format!("accounts/1/locations/{location}/reviews/r"), "reviewer": {"displayName": author}});
        google(1, "r", &changes).to_string()
    };
    case.replace("A77", &of(77, "Ann"))
        .replace("A78", &of(78, "Bo"))
}

#[tokio::test]
async fn reviews_and_answers_have_days_of_the_business() {
    file_case(
        r#"
{"reviews": [{"name": "accounts/1/locations/77/reviews/AbF-x_9", "reviewId": "AbF-x_9", "reviewer": {"displayName": "Ann"}, "starRating": "FOUR",
"comment": "Came on time.", "createTime": "2026-11-02T03:30:00Z", "updateTime": "2026-11-03T10:00:00.123Z",
"reviewReply": {"comment": "Thanks!", "updateTime": "2026-11-04T06:59:59Z"}}]}
=
~ google
review_id | reviewed_on | updated_at | reply_on
77.AbF-x_9 | 2026-11-01 | 2026-11-03T10:00:00.123Z | 2026-11-03
"#,
    )
    .await;
}

#[tokio::test]
async fn names_texts_and_answers_that_are_missing_or_hidden() {
    file_case(
        r#"
{"reviews": [{"name": "accounts/1/locations/77/reviews/none", "starRating": "FOUR", "createTime": "2026-11-02T03:30:00Z", "comment": null, "reviewer": {}},
{"name": "accounts/1/locations/77/reviews/anon", "starRating": "FOUR", "createTime": "2026-11-02T03:30:00Z", "reviewer": {"displayName": "PRIVATE", "isAnonymous": true}},
{"name": "accounts/1/locations/77/reviews/no/id of ours", "starRating": "FOUR", "createTime": "2026-11-02T03:30:00Z", "comment": "Late.", "reviewer": {"displayName": "Ann"},
"reviewReply": {"comment": "Hi", "updateTime": "2026-11-04T00:00:00Z", "reviewReplyState": "APPROVED"}}]}
then
=
iif(review_id like '77.%', review_id, 'digest') | author | text | reply_text
77.none | Anonymous |  |
77.anon | Anonymous |  |
digest | Ann | Late. | Hi
"#,
    )
    .await;
}

#[tokio::test]
async fn stars_that_are_none_and_days_after_tomorrow_reject_their_element() {
    file_case(
        r#"
{"reviews": [{"name": "accounts/1/locations/77/reviews/a", "reviewer": {"displayName": "Ann"}, "comment": "", "starRating": "SIX", "createTime": "2027-01-01T00:00:00Z"},
{"name": "accounts/1/locations/77/reviews/b", "reviewer": {"displayName": "Ann"}, "comment": "", "starRating": 5, "createTime": "2026-11-01T00:00:00Z"},
{"name": "accounts/1/locations/77/reviews/c", "reviewer": {"displayName": "Ann"}, "comment": "", "starRating": "STAR_RATING_UNSPECIFIED", "createTime": "2026-11-01T00:00:00Z"},
{"name": "accounts/1/locations/77/reviews/d", "reviewer": {"displayName": "Ann"}, "comment": "", "starRating": "ONE", "createTime": "2026-11-23T00:00:00Z"}]}
=
x starRating: "SIX" is not one of 1, 2, 3, 4, 5
x starRating: "STAR_RATING_UNSPECIFIED" is not one of 1, 2, 3, 4, 5; correct it in the file, else its row is left out
x createTime: 2026-11-22 is later than tomorrow
review_id
77.b
"#,
    )
    .await;
}

#[tokio::test]
async fn of_several_locations_one_is_the_business() {
    file_case(&with_locations(
        r#"
each FILES: {"reviews": [A77, A78]} | [A77, A78]
FILES
then format: like = "google"; only = { column = "location", value = "78" }
then
=
? only: location has 77 1, 78 1
author
Bo
"#,
    ))
    .await;
}

#[tokio::test]
async fn the_export_of_a_user_of_the_maps_is_refused_with_advice() {
    file_case(
        r#"
each OPTIONS: --withdraw-missing | --format google
OPTIONS
{"type": "FeatureCollection", "features": [{"properties": {"five_star_rating_published": 5}}]}
=
! export `Google Business Profile`
"#,
    )
    .await;
}
