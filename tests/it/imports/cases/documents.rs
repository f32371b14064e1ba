//! Where the reviews of a document are: lists at any depth, places with reviews, pages, wrappers, and documents without any.

use super::*;

const FILES: &str = r#"
# all reviews of a document are found
each FILE: [{"name": "K", "images": [{"url": "u"}], "reviews": [ANN, BO]}] | {"testimonials": [ANN, BO]} | {"comments": [{"text": "x"}], "reviews": [ANN, BO]} | {"tasks": [{"id": "t", "result": [{"title": "K", "rating": {"value": 4.4}, "items": [ANN, BO]}]}]}
format: ignored = "*"
FILE
=
author | reviewed_on | title | text
Ann | 2026-10-01 |  | By Ann
Bo | 2026-10-01 |  | By Bo
# of two lists of one place the longer has all reviews
[{"title": "K", "place_id": "P1", "user_reviews": [{"Name": "Ann", "ProfilePicture": "u", "Rating": 5, "Description": "By Ann", "When": "2026-10-1"}],
"user_reviews_extended": [{"Name": "Ann", "ProfilePicture": "u", "Rating": 5, "Description": "By Ann", "When": "2026-10-1"},
{"Name": "Bo", "ProfilePicture": "u", "Rating": 5, "Description": "By Bo", "When": "2026-10-1"}]}]
=
author | reviewed_on | title | text
Ann | 2026-10-01 |  | By Ann
Bo | 2026-10-01 |  | By Bo
# a few names of a platform do not make its format
[{"review_id": "a", "review_date": "2026-10-01", "review_rating": 5, "review_title": "", "review_content": "By Ann", "reviewer_name": "Ann"}]
=
~ table
author | text
Ann | By Ann
# a few names of a platform do not make its format
Create Time,Name,Star Rating,Comment
2026-03-14,Ann,5,Nice
=
~ table
author | text
Ann | Nice
# a platform is known by its names in any spelling
Publish Date,Author Name,Rating,Review,Technician Full Name
2026-03-14,Ann Bell,5,Nice fan,Bo Tech
=
~ servicetitan
author | text
Ann B. | Nice fan
# a platform is known by its names in any spelling
starRating,comment,createTime,reviewer.displayName,reviewId
FIVE,Nice,2026-03-14T10:00:00Z,Ann,r1
=
~ google
author | text
Ann | Nice
# the answer of the API of a platform is its format
{"current_page": 1, "reviews": [{"id": 11, "title": "T", "body": "Very neat", "rating": 5, "reviewer": {"id": 1, "email": "PRIVATE@e.com", "name": "Ann Bell"},
"source": "web", "curated": "ok", "published": true, "hidden": false, "verified": "buyer", "created_at": "2026-10-04T10:00:00+00:00"}]}
=
~ judgeme
author | status
Ann B. | published
# a batch of locations is its format
{"locationReviews": [{"name": "accounts/1/locations/77", "review": {"name": "accounts/1/locations/77/reviews/g1", "reviewId": "g1",
"reviewer": {"displayName": "Ann"}, "starRating": "FOUR", "createTime": "2026-11-02T03:30:00Z"}}], "nextPageToken": "x"}
=
~ google
author | status
Ann | published
# reviews in their place are read
each FILE: [PLACE] | {"id": "1", "status": "Success", "data": [[PLACE]]}
FILE
=
review_id
google-maps-Ch1
# a rendered member of wordpress is html
format: ignored = "*"; [fields]; rating = ["meta.rating"]; text = ["content.rendered"]; [[public]]; names = ["status"]; values = ["approved"]
[{"id": 7, "author_name": "Ann", "date": "2026-10-01T10:00:00", "status": "approved", "meta": {"rating": 5},
"content": {"rendered": "<p>They&#8217;re neat</p>\n"}}]
=
text
They’re neat
# a document of errors or without its reviews is refused
each FILE: {"error": "PRIVATE", "reviews": []} | {"errors": [{"code": 7}], "data": []} | {"status": "Pending", "id": "1"} | {"errorMessage": "no credits"} | {"code": "woocommerce_rest_cannot_view", "message": "Sorry", "data": {"status": 401}} | {"success": false, "reviews": []} | {"ok": false, "data": []} | {"OK": "false", "items": []} | {"success": 0, "results": []} | {"code": 401, "data": []} | {"code": "403", "reviews": []} | {"status": 500, "reviews": []} | {"statusCode": 404, "data": []} | {"status": "error", "data": []} | {"status": "Failed", "reviews": []} | {"status": {"code": 401, "message": "PRIVATE"}, "reviews": []} | {"meta": {"status_code": 429}, "data": []} | {"averageRating": 4.5, "totalReviewCount": 7} | {"locations": [{"name": "accounts/1/locations/2"}], "nextPageToken": "x"} | {"nextPageToken": "x"} | {"reviews": "[{\"rating\": 5}]"} | {"reviews": {"items": [{"a": 1}]}, "totalReviewCount": 2} | {"photos": []} | {"Kunde": "Ann", "Punkte": 5, "photos": []} | {"Stars": 5, "data": []} | {"aggregate_rating": {}, "withheld": {}, "reviews": null}
FILE
=
!
# an empty list is an import of nothing
each FILE: [] | {} | {"reviews": []} | {"results": [], "total": 0} | {"items": [], "version": "https://jsonfeed.org/version/1.1"} | {"status": "Success", "data": [[]]} | {"ok": true, "code": 200, "data": []} | {"code": 0, "status": {"code": 200}, "reviews": []} | {"reviews": [], "totalReviewCount": 0} | {"totalReviewCount": 0} | author,rating,date,text
FILE
=
# a review by itself is a row, whatever list of it is empty
each LIST: photos | replies | tags | items | reviews
format: ignored = "*"
{"Name": "Ann", "Stars": 5, "Date": "2026-01-01", "Review": "Good words.", "LIST": []}
=
author | text
Ann | Good words.
# an empty list is an import of nothing
each FILE: {"data": {"reviews": []}} | {"data": []} | {"data": [{"reviews": []}, {"reviews": []}]}
format: rows = "data[].reviews"
FILE
=
# a list that the format names is looked for
each FILE: {"data": {"error": "PRIVATE"}} | {"errors": "PRIVATE", "data": []} | {"ok": false, "data": []} | {"code": 401, "data": []}
format: rows = "data"
FILE
=
! has no list "data" with rows, which the source's format names; it has none
# json in a cell rejects the row
Date,Stars,Name,Comment,Reply
2026-10-01,5,Ann,Nice,"{""text"":""Thanks"",""public"":false}"
2026-10-02,4,Bo,{fine},Ty
2026-10-03,5,Cy,Nice,"[{'text': 'Thanks'}]"
=
x is JSON
x is JSON
author | text
Bo | {fine}
# a broken script of a page rejects itself alone
<html><script type="application/ld+json">{"@type": "Review", "author": {"name": "Ann"}, "reviewRating": {"ratingValue": 5}, "datePublished": "2026-10-01", "reviewBody": "whole"}</script>
<script type="application/ld+json">{"@type": "Review" "author": {"name": "Ann"}}</script></html>
=
x the JSON is broken
text
whole
# scripts of other kinds and in templates are not of the page
each MORE: <template><script type="application/ld+json">HIDDEN</script></template> | <script data-x="1" type="text/plain" type="application/ld+json">HIDDEN</script>
<!doctype html><html><body><script type="application/ld+json">{"@type": "Review", "author": "Ann", "reviewRating": {"ratingValue": 5}, "datePublished": "2026-03-02"}</script>MORE</body></html>
=
author
Ann
# a page is read by the built-in format, which an owner's may be like
format: date_format = "dd/mm/yyyy"
<html><script type="application/ld+json">{"@type": "Review", "author": "Ann", "reviewRating": {"ratingValue": 5}, "datePublished": "2026-10-01"}</script></html>
=
! write `like = "schema-org"` into the format
# an object or a list is no empty mark
each MARK: {"by": [{"user": "x"}]} | [{"by": "x"}]
format: ignored = "*"; [[public]]; names = ["hidden"]; values = [""]
[{"stars": 5, "date": "2026-03-14", "author": "Ann", "text": "Good.", "hidden": ""}, {"stars": 5, "date": "2026-03-14", "author": "Bo", "text": "Late.", "hidden": MARK}]
=
author | status
Ann | published
Bo | withheld
"#;

#[tokio::test]
async fn reviews_of_any_document_are_found_or_it_is_refused() {
    let review = |name: &str| {
        format!(r#"{{"rating": 5, "date": "2026-10-01", "author": "{name}", "text": "By {name}"}}"#)
    };
    let place = r#"{"name": "Peak", "place_id": "ChIJa", "reviews_data": [{"review_id": "Ch1", "author_title": "Ana",
        "review_text": null, "review_rating": 5, "review_timestamp": 1741079440, "owner_answer": null}]}"#;
    let files = FILES.replace("ANN", &review("Ann"));
    let files = files.replace("BO]", &format!("{}]", review("Bo")));
    let native = native(&json!({})).to_string();
    let files = files.replace("PLACE", &place.replace('\n', ""));
    as_they_are(&files.replace("NATIVE", &native)).await;
}
