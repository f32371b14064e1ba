//! Where the reviews of a document are: lists at any depth, places with reviews, pages, wrappers, and documents without any.

use super::*;

/// A case in which `ANN` and `BO` are reviews, `PLACE` is a place with one, and `NATIVE` is a row in our own form.
fn with_reviews(case: &str) -> String {
    let review = |name: &str| {
        format!(r#"{{"rating": 5, "date": "2026-10-01", "author": "{name}", "text": "By {name}"}}"#)
    };
    let place = r#"{"name": "Peak", "place_id": "ChIJa", "reviews_data": [{"review_id": "Ch1", "author_title": "Ana",
        "review_text": null, "review_rating": 5, "review_timestamp": 1741079440, "owner_answer": null}]}"#;
    case.replace("ANN", &review("Ann"))
        .replace("BO]", &format!("{}]", review("Bo")))
        .replace("PLACE", &place.replace('\n', ""))
        .replace("NATIVE", &native(&json!({})).to_string())
}

#[tokio::test]
async fn all_reviews_of_a_document_are_found() {
    file_case(
        &with_reviews(r#"
each FILE: [{"name": "K", "images": [{"url": "u"}], "reviews": [ANN, BO]}] | {"testimonials": [ANN, BO]} | {"comments": [{"text": "x"}], "reviews": [ANN, BO]} | {"tasks": [{"id": "t", "result": [{"title": "K", "rating": {"value": 4.4}, "items": [ANN, BO]}]}]}
format: ignored = "*"
FILE
=
author | reviewed_on | title | text
Ann | 2026-10-01 |  | By Ann
Bo | 2026-10-01 |  | By Bo
"#),
    )
    .await;
}

#[tokio::test]
async fn of_two_lists_of_one_place_the_longer_has_all_reviews() {
    file_case(
        r#"
[{"title": "K", "place_id": "P1", "user_reviews": [{"Name": "Ann", "ProfilePicture": "u", "Rating": 5, "Description": "By Ann", "When": "2026-10-1"}],
"user_reviews_extended": [{"Name": "Ann", "ProfilePicture": "u", "Rating": 5, "Description": "By Ann", "When": "2026-10-1"},
{"Name": "Bo", "ProfilePicture": "u", "Rating": 5, "Description": "By Bo", "When": "2026-10-1"}]}]
=
author | reviewed_on | title | text
Ann | 2026-10-01 |  | By Ann
Bo | 2026-10-01 |  | By Bo
"#,
    )
    .await;
}

#[tokio::test]
async fn a_few_members_of_a_platform_do_not_make_its_format() {
    file_case(
        r#"
[{"review_id": "a", "review_date": "2026-10-01", "review_rating": 5, "review_title": "", "review_content": "By Ann", "reviewer_name": "Ann"}]
=
~ table
author | text
Ann | By Ann
"#,
    )
    .await;
}

#[tokio::test]
async fn a_few_names_of_a_platform_do_not_make_its_format() {
    file_case(
        r"
Create Time,Name,Star Rating,Comment
2026-03-14,Ann,5,Nice
=
~ table
author | text
Ann | Nice
",
    )
    .await;
}

#[tokio::test]
async fn a_platform_is_known_by_its_names_with_blanks() {
    file_case(
        r"
Publish Date,Author Name,Rating,Review,Technician Full Name
2026-03-14,Ann Bell,5,Nice fan,Bo Tech
=
~ servicetitan
author | text
Ann B. | Nice fan
",
    )
    .await;
}

#[tokio::test]
async fn a_platform_is_known_by_its_members_as_columns() {
    file_case(
        r"
starRating,comment,createTime,reviewer.displayName,reviewId
FIVE,Nice,2026-03-14T10:00:00Z,Ann,r1
=
~ google
author | text
Ann | Nice
",
    )
    .await;
}

#[tokio::test]
async fn the_answer_of_the_api_of_a_platform_is_its_format() {
    file_case(
        r#"
{"current_page": 1, "reviews": [{"id": 11, "title": "T", "body": "Very neat", "rating": 5, "reviewer": {"id": 1, "email": "PRIVATE@e.com", "name": "Ann Bell"},
"source": "web", "curated": "ok", "published": true, "hidden": false, "verified": "buyer", "created_at": "2026-10-04T10:00:00+00:00"}]}
=
~ judgeme
author | status
Ann B. | published
"#,
    )
    .await;
}

#[tokio::test]
async fn a_batch_of_locations_is_its_format() {
    file_case(
        r#"
{"locationReviews": [{"name": "accounts/1/locations/77", "review": {"name": "accounts/1/locations/77/reviews/g1", "reviewId": "g1",
"reviewer": {"displayName": "Ann"}, "starRating": "FOUR", "createTime": "2026-11-02T03:30:00Z"}}], "nextPageToken": "x"}
=
~ google
author | status
Ann | published
"#,
    )
    .await;
}

#[tokio::test]
async fn reviews_in_their_place_are_read() {
    file_case(&with_reviews(
        r#"
each FILE: [PLACE] | {"id": "1", "status": "Success", "data": [[PLACE]]}
FILE
=
review_id
google-maps-Ch1
"#,
    ))
    .await;
}

#[tokio::test]
async fn a_rendered_member_of_wordpress_is_html() {
    file_case(
        r#"
format: ignored = "*"; [fields]; rating = ["meta.rating"]; text = ["content.rendered"]; [[public]]; names = ["status"]; values = ["approved"]
[{"id": 7, "author_name": "Ann", "date": "2026-10-01T10:00:00", "status": "approved", "meta": {"rating": 5},
"content": {"rendered": "<p>They&#8217;re neat</p>\n"}}]
=
text
They’re neat
"#,
    )
    .await;
}

#[tokio::test]
async fn a_document_of_errors_or_without_its_reviews_is_refused() {
    file_case(
        r#"
each FILE: {"error": "PRIVATE", "reviews": []} | {"errors": [{"code": 7}], "data": []} | {"status": "Pending", "id": "1"} | {"errorMessage": "no credits"} | {"code": "woocommerce_rest_cannot_view", "message": "Sorry", "data": {"status": 401}} | {"success": false, "reviews": []} | {"ok": false, "data": []} | {"OK": "false", "items": []} | {"success": 0, "results": []} | {"code": 401, "data": []} | {"code": "403", "reviews": []} | {"status": 500, "reviews": []} | {"statusCode": 404, "data": []} | {"status": "error", "data": []} | {"status": "Failed", "reviews": []} | {"status": {"code": 401, "message": "PRIVATE"}, "reviews": []} | {"meta": {"status_code": 429}, "data": []} | {"averageRating": 4.5, "totalReviewCount": 7} | {"locations": [{"name": "accounts/1/locations/2"}], "nextPageToken": "x"} | {"nextPageToken": "x"} | {"reviews": "[{\"rating\": 5}]"} | {"reviews": {"items": [{"a": 1}]}, "totalReviewCount": 2} | {"photos": []} | {"Kunde": "Ann", "Punkte": 5, "photos": []} | {"Stars": 5, "data": []} | {"aggregate_rating": {}, "withheld": {}, "reviews": null}
FILE
=
!
"#,
    )
    .await;
}

#[tokio::test]
async fn an_empty_list_is_an_import_of_nothing() {
    file_case(
        r#"
each FILE: [] | {} | {"reviews": []} | {"results": [], "total": 0} | {"items": [], "version": "https://jsonfeed.org/version/1.1"} | {"status": "Success", "data": [[]]} | {"ok": true, "code": 200, "data": []} | {"code": 0, "status": {"code": 200}, "reviews": []} | {"reviews": [], "totalReviewCount": 0} | {"totalReviewCount": 0} | author,rating,date,text
FILE
=
"#,
    )
    .await;
}

#[tokio::test]
async fn a_review_by_itself_is_a_row_whatever_list_of_it_is_empty() {
    file_case(
        r#"
each LIST: photos | replies | tags | items | reviews
format: ignored = "*"
{"Name": "Ann", "Stars": 5, "Date": "2026-01-01", "Review": "Good words.", "LIST": []}
=
author | text
Ann | Good words.
"#,
    )
    .await;
}

#[tokio::test]
async fn an_empty_list_that_the_format_names_is_an_import_of_nothing() {
    file_case(
        r#"
each FILE: {"data": {"reviews": []}} | {"data": []} | {"data": [{"reviews": []}, {"reviews": []}]}
format: rows = "data[].reviews"
FILE
=
"#,
    )
    .await;
}

#[tokio::test]
async fn a_list_that_the_format_names_is_looked_for() {
    file_case(
        r#"
each FILE: {"data": {"error": "PRIVATE"}} | {"errors": "PRIVATE", "data": []} | {"ok": false, "data": []} | {"code": 401, "data": []}
format: rows = "data"
FILE
=
! has no list "data" with rows, which the source's format names; it has none
"#,
    )
    .await;
}

#[tokio::test]
async fn json_in_a_cell_rejects_the_row() {
    file_case(
        r#"
Date,Stars,Name,Comment,Reply
2026-10-01,5,Ann,Nice,"{""text"":""Thanks"",""public"":false}"
2026-10-02,4,Bo,{fine},Ty
2026-10-03,5,Cy,Nice,"[{'text': 'Thanks'}]"
=
x is JSON
x is JSON
author | text
Bo | {fine}
"#,
    )
    .await;
}

#[tokio::test]
async fn a_broken_script_of_a_page_rejects_itself_alone() {
    file_case(
        r#"
<html><script type="application/ld+json">{"@type": "Review", "author": {"name": "Ann"}, "reviewRating": {"ratingValue": 5}, "datePublished": "2026-10-01", "reviewBody": "whole"}</script>
<script type="application/ld+json">{"@type": "Review" "author": {"name": "Ann"}}</script></html>
=
x the JSON is broken
text
whole
"#,
    )
    .await;
}

#[tokio::test]
async fn scripts_of_other_kinds_and_in_templates_are_not_of_the_page() {
    file_case(
        r#"
each MORE: <template><script type="application/ld+json">HIDDEN</script></template> | <script data-x="1" type="text/plain" type="application/ld+json">HIDDEN</script>
<!doctype html><html><body><script type="application/ld+json">{"@type": "Review", "author": "Ann", "reviewRating": {"ratingValue": 5}, "datePublished": "2026-03-02"}</script>MORE</body></html>
=
author
Ann
"#,
    )
    .await;
}

#[tokio::test]
async fn a_page_is_read_by_the_built_in_format_which_an_owners_may_be_like() {
    file_case(
        r#"
format: date_format = "dd/mm/yyyy"
<html><script type="application/ld+json">{"@type": "Review", "author": "Ann", "reviewRating": {"ratingValue": 5}, "datePublished": "2026-10-01"}</script></html>
=
! write `like = "schema-org"` into the format
"#,
    )
    .await;
}

#[tokio::test]
async fn an_object_or_a_list_is_no_empty_mark() {
    file_case(
        r#"
each MARK: {"by": [{"user": "x"}]} | [{"by": "x"}]
format: ignored = "*"; [[public]]; names = ["hidden"]; values = [""]
[{"stars": 5, "date": "2026-03-14", "author": "Ann", "text": "Good.", "hidden": ""}, {"stars": 5, "date": "2026-03-14", "author": "Bo", "text": "Late.", "hidden": MARK}]
=
author | status
Ann | published
Bo | withheld
"#,
    )
    .await;
}
