//! What platforms hide, how they number their reviews, and which of their scores are stars.

use super::*;

#[tokio::test]
async fn a_row_is_public_only_in_a_state_that_is_known_and_a_comment_on_a_review_is_none() {
    file_case(
        r"
comment_ID,comment_author,comment_date,comment_content,rating,comment_parent,comment_approved
1,Ann,2026-10-02,Fine,5,0,1
2,Bo,2026-10-02,HIDDEN pills,5,0,spam
3,Cy,2026-10-02,HIDDEN,2,0,0
4,Di,2026-10-02,HIDDEN,4,0,
5,Ed,2026-10-02,HIDDEN,3,0,perhaps
6,Shop,2026-10-03,Thank you.,,1,1
=
~ woocommerce
author | withheld_reason | reply_text
Ann |  |
Bo | not published at the source |
Cy | not published at the source |
Di | not published at the source |
Ed | not published at the source |
",
    )
    .await;
}

#[tokio::test]
async fn a_row_of_loox_is_public_only_in_a_state_that_is_known_and_of_no_buyer_it_is_not_verified()
{
    file_case(
        r"
id,status,rating,nickname,review,date,productId,verified_purchase
L1,Active,5,Hanna,Fits.,2026-10-12,7,false
L2,Active,4,Jo,Open.,2026-10-12,7,true
L3,Sleeping,4,Bo,HIDDEN,2026-10-12,7,true
=
~ loox
author | status | verification
Hanna | published | manual
Jo | published | source_platform
Bo | withheld | source_platform
",
    )
    .await;
}

#[tokio::test]
async fn a_row_of_okendo_is_public_only_in_a_state_that_is_known_and_of_no_buyer_it_is_not_verified()
 {
    file_case(
        r"
name,body,title,rating,dateCreated,isVerifiedBuyer,status
Hanna,Fits.,A,5,2026-09-30T10:00:00.000Z,false,approved
Jo,Open.,B,4,2026-09-29T10:00:00.000Z,true,approved
Bo,HIDDEN,B,4,2026-09-29T10:00:00.000Z,true,sleeping
=
~ okendo
author | status | verification
Hanna | published | manual
Jo | published | source_platform
Bo | withheld | source_platform
",
    )
    .await;
}

#[tokio::test]
async fn of_a_writer_of_whom_nothing_is_known_nothing_is_verified() {
    file_case(
        r#"
each FILE: {"reviews": [{"id": 1, "body": "Fine", "rating": 5, "created_at": "2026-10-04T10:00:00Z", "reviewer": {"name": "Ann B"}, "verified": "nothing", "hidden": false, "published": true, "curated": "ok"}]} | {"reviews": [{"id": 3, "content": "Fine", "score": 5, "created_at": "2026-10-04T10:00:00.000Z", "name": "Ann B", "reviewer_type": "anonymous_user", "deleted": false, "archived": false}]}
FILE
=
author | status | verification
Ann B. | published | manual
"#,
    )
    .await;
}

#[tokio::test]
async fn a_state_that_is_not_public_withholds() {
    file_case(
        r#"
each FILE: [{"id": "t", "stars": 1, "text": "HIDDEN", "createdAt": "2026-10-15T07:00:00Z", "status": "archived", "consumer": {"id": "c", "displayName": "Ann"}}] | {"@context": "https://schema.org", "@type": "Review", "@id": "s", "reviewRating": {"ratingValue": 5}, "author": "Ann", "datePublished": "2026-10-01", "reviewBody": "HIDDEN", "creativeWorkStatus": "Draft"}
FILE
=
author | withheld_reason
Ann | not published at the source
"#,
    )
    .await;
}

#[tokio::test]
async fn a_flag_that_hides_withholds() {
    file_case(
        r#"
each FILE: {"reviews": [{"id": 3, "content": "HIDDEN", "score": 5, "created_at": "2026-10-04T10:00:00.000Z", "name": "Ann", "reviewer_type": "verified_buyer", "deleted": false, "archived": true}]} | {"results": [{"review": {"id": 1, "author": "Ann", "reviewRating": 5, "reviewMessage": "HIDDEN", "dateCreated": "2026-10-04T15:10:40Z", "reviewState": "rejected"}}]}
FILE
=
author | withheld_reason
Ann | not published at the source
"#,
    )
    .await;
}

#[tokio::test]
async fn a_flag_that_does_not_hide_publishes() {
    file_case(
        r#"
each FILE: {"reviews": [{"id": 3, "content": "Fine", "score": 5, "created_at": "2026-10-04T10:00:00.000Z", "name": "Ann", "reviewer_type": "verified_buyer", "deleted": false, "archived": false}]} | {"results": [{"review": {"id": 1, "author": "Ann", "reviewRating": 5, "reviewMessage": "Nice", "dateCreated": "2026-10-04T15:10:40Z", "reviewState": 2}}]}
FILE
=
author | status
Ann | published
"#,
    )
    .await;
}

#[tokio::test]
async fn what_a_table_means_without_the_column_of_a_platform_is_said_once_below_like() {
    file_case(
        r#"
title,body,rating,review_date,reviewer_name,reviewer_email,product_id,product_handle,reply,picture_urls
Great,Fits well,5,2026-03-02 10:00:00 UTC,Ann Baker,PRIVATE@a.test,1,filter,Thanks!,
then format: like = "judgeme"; [[public]]; names = ["curated"]; missing = "public"
then
=
? public.0.missing: the file lacks curated, which says which reviews are public
author | status | reply_text
Ann B. | published | Thanks!
"#,
    )
    .await;
}

#[tokio::test]
async fn what_json_means_without_the_member_of_a_platform_is_said_once_below_like() {
    file_case(
        r#"
{"data":[{"id":501,"author":"Ann B.","reviewTitle":"Good","reviewMessage":"Fits well.","reviewRating":5,"reviewDate":"03/02/2026","dateCreated":"2026-03-02T10:00:00Z","reviewVerifiedType":2,"reviewReply":"","productId":1,"avatar":"AB","location":"US","reviewVotesUp":0,"reviewVotesDown":0},{"id":502,"author":"Bo S.","reviewTitle":"Hm","reviewMessage":"Too thin.","reviewRating":2,"reviewDate":"03/03/2026","dateCreated":"2026-03-03T10:00:00Z","reviewVerifiedType":0,"reviewReply":"Sorry.","productId":1}],"total":2,"page":1}
then format: like = "stamped"; [[public]]; names = ["published"]; missing = "public"
then
=
? public.0.missing: the file lacks published, which says which reviews are public
author | reviewed_on | status | reply_text
Ann B. | 2026-03-02 | published |
Bo S. | 2026-03-03 | published | Sorry.
"#,
    )
    .await;
}

#[tokio::test]
async fn a_format_may_hide_what_a_platforms_file_without_the_column_has_and_the_answer_ends_with_the_column()
 {
    file_case(
        r#"
ID,Title,Content,Date,client_name,company_name,star_rating,Status
31,Great,On time.,2026-02-01,Ann,A Inc,5,publish
then format: like = "strong_testimonials"; [[public]]; names = ["post_password"]; missing = "hidden"
then
ID,Title,Content,Date,client_name,company_name,star_rating,Status,post_password
31,Great,On time.,2026-02-01,Ann,A Inc,5,publish,
32,Late,HIDDEN,2026-02-02,Bo,B Inc,2,publish,secret
then
ID,Title,Content,Date,client_name,company_name,star_rating,Status
31,Great,On time.,2026-02-01,Ann,A Inc,5,publish
=
? public.0.missing
? public.0.missing
~ the file lacks post_password, which says which reviews are public, so by the format none are
author | status
Ann | published
Bo | withheld
"#,
    )
    .await;
}

#[tokio::test]
async fn a_block_without_values_names_one_of_the_platform() {
    file_case(
        r#"
format: like = "judgeme"; [[public]]; names = ["curators"]; missing = "public"
title,body,rating,review_date,reviewer_name,product_handle
Great,Fits well,5,2026-03-02 10:00:00 UTC,Ann Baker,filter
=
! a block [[public]] of the source's format has no `values` for curators, and judgeme has no block of this column
"#,
    )
    .await;
}

#[tokio::test]
async fn an_empty_state_hides_with_or_without_a_column_of_what_is_hidden() {
    file_case(
        r"
reviewer_name,review_date,product_handle,rating,body,curated
Ann,2026-10-02,p,5,HIDDEN,
Bo,2026-10-02,p,5,Fine,ok
=
author | withheld_reason
Ann | not published at the source
Bo |
",
    )
    .await;
}

#[tokio::test]
async fn an_empty_state_hides_and_an_empty_deletion_does_not() {
    file_case(
        r"
review_id,review_content,review_score,display_name,date,published,deleted
1,Fine,5,Ann,2026-10-02,true,
=
status
published
",
    )
    .await;
}

#[tokio::test]
async fn a_table_without_a_column_of_publication_that_its_platform_requires_is_a_question() {
    file_case(
        r"
each HEADERS: reviewer_name,review_date,product_handle,rating,body,hidden | Nickname,Review Date,Review Id,Rating,Review Text,Review Display | Nickname,Review Date,Verified Buyer,Rating,Review Text,Review Status | client_name,post_date,post_title,star_rating,post_content,post_status | author,reviewDate,product_id,reviewRating,reviewMessage,reviewState | display_name,date,product_id,review_score,review_content,deleted
each STATE: yes | approved | publish | ok | false
HEADERS
Ann,2026-10-02,yes,5,HIDDEN,STATE
=
? which says which reviews are public
",
    )
    .await;
}

#[tokio::test]
async fn a_table_without_the_second_column_of_publication_of_its_platform_is_a_question() {
    file_case(
        r"
id_product_comment,id_product,title,content,customer_name,grade,validate,date_add
11,4,Good,HIDDEN,Ann,5,1,2026-10-13 02:30:00
=
? public.0.missing: the file lacks deleted
",
    )
    .await;
}

#[tokio::test]
async fn a_file_without_the_column_that_hid_a_review_of_its_platform_is_a_question() {
    file_case(
        r#"
each HIDING: "published": false, | "deleted": true, | "archived": true,
{"reviews": [{"id": 1, "score": 5, "votes_up": 0, "content": "HIDDEN", "title": "T", "created_at": "2026-03-14T09:11:02.000Z", HIDING "user": {"display_name": "Ann"}}]}
then
{"reviews": [{"id": 1, "score": 4, "votes_up": 0, "content": "HIDDEN", "title": "T", "created_at": "2026-03-14T09:11:02.000Z", "user": {"display_name": "Ann"}}]}
=
? public.0.missing
rating | status
5 | withheld
"#,
    )
    .await;
}

#[tokio::test]
async fn a_file_without_the_columns_that_hid_a_review_of_its_platform_is_a_question_and_with_an_answer_it_stays_hidden()
 {
    file_case(
        r#"
each STATUS: archived | active
each LACKING: "title": "T", | "reportData": {"source": "x"},
[{"id": "t", "stars": 1, "text": "HIDDEN", "createdAt": "2026-10-15T07:00:00Z", "reportData": {"reviewVisibility": "hidden"}, "status": "STATUS", "consumer": {"id": "c", "displayName": "Ann"}}]
then
[{"id": "t", "stars": 2, "text": "HIDDEN", "createdAt": "2026-10-15T07:00:00Z", LACKING "consumer": {"id": "c", "displayName": "Ann"}}]
then format: like = "trustpilot"; [[public]]; names = ["status"]; missing = "public"; [[public]]; names = ["reportData.reviewVisibility"]; missing = "public"
[{"id": "t", "stars": 2, "text": "HIDDEN", "createdAt": "2026-10-15T07:00:00Z", LACKING "consumer": {"id": "c", "displayName": "Ann"}}]
=
? public.0.missing
? public.1.missing
rating | status
2 | withheld
"#,
    )
    .await;
}

#[tokio::test]
async fn a_member_that_says_that_there_is_nothing_to_hide_publishes_again() {
    file_case(
        r#"
[{"id": "t", "stars": 1, "text": "Late", "createdAt": "2026-10-15T07:00:00Z", "status": "archived", "consumer": {"id": "c", "displayName": "Ann"}}]
then
[{"id": "t", "stars": 1, "text": "Late", "createdAt": "2026-10-15T07:00:00Z", "status": "active", "reportData": null, "consumer": {"id": "c", "displayName": "Ann"}}]
=
status
published
"#,
    )
    .await;
}

#[tokio::test]
async fn a_decided_column_withholds_more_of_a_platform_than_its_own() {
    file_case(
        r#"
id,status,rating,nickname,review,date,productId,verified_purchase,Ours
L1,Active,5,Ann,Fits.,2026-10-12,7,true,yes
L2,Active,4,Bo,HIDDEN,2026-10-12,7,true,no
L3,Hidden,4,Cy,HIDDEN,2026-10-12,7,true,yes
then format: like = "loox"; ignored = "*"; [[public]]; names = ["Ours"]; values = ["yes"]
=
? ignored
author | status
Ann | published
Bo | withheld
Cy | withheld
"#,
    )
    .await;
}

#[tokio::test]
async fn reviews_with_a_blank_id_are_different_reviews() {
    file_case(
        r#"
{"@context": "https://schema.org", "@graph": [{"@type": "Review", "@id": "", "identifier": "", "author": "Ann", "reviewRating": {"ratingValue": 5}, "datePublished": "2026-10-01", "reviewBody": "Fine"}, {"@type": "Review", "@id": " ", "author": "Ben", "reviewRating": {"ratingValue": 5}, "datePublished": "2026-10-01", "reviewBody": "Fine"}]}
=
author
Ann
Ben
"#,
    )
    .await;
}

#[tokio::test]
async fn reviews_with_the_address_of_one_page_are_different_reviews() {
    file_case(
        r#"
[{"@context": "https://schema.org", "@type": "Review", "url": "https://x.example/reviews", "author": "Ann", "reviewRating": {"ratingValue": 5}, "datePublished": "2026-10-01", "reviewBody": "Fine"}]
then
[{"@context": "https://schema.org", "@type": "Review", "url": "https://x.example/reviews", "author": "Ann", "reviewRating": {"ratingValue": 5}, "datePublished": "2026-10-01", "reviewBody": "Fine"},
{"@context": "https://schema.org", "@type": "Review", "url": "https://x.example/reviews", "author": "Bo", "reviewRating": {"ratingValue": 5}, "datePublished": "2026-10-01", "reviewBody": "Fine"}]
then
=
author
Ann
Bo
"#,
    )
    .await;
}

#[tokio::test]
async fn an_address_that_is_none_is_not_published() {
    file_case(
        r#"
each URL: https:// | httpx://a.example
{"@context": "https://schema.org", "@type": "Review", "@id": "a", "url": "URL", "author": "Ann", "reviewRating": {"ratingValue": 5}, "datePublished": "2026-10-01", "reviewBody": "Fine"}
=
review_id | source_url
schema-a |
"#,
    )
    .await;
}

#[tokio::test]
async fn a_review_has_the_same_id_in_an_export_and_an_api() {
    file_case(
        r#"
Business Unit Id,Domain Url,Webshop Name,Review Id,Review Created (UTC),Review Consumer User Id,Review Username,Review User Email,Review Title,Review Content,Review Stars,Source Of Review,Reference Id,Company Response,Company Reply Date (UTC),Review Language,Location Name,Tags
5f,d.example,Peak,650a1c,2026-10-12 14:03:22,6a,Greta,PRIVATE@e.com,Quick,Fixed.,5,Invitation,PRIVATE,Thank you.,2026-10-13 08:10:00,en,,
then
{"reviews": [{"id": "650a1c", "stars": 5, "title": "Quick", "text": "Fixed.", "language": "en", "createdAt": "2026-10-12T14:03:22Z",
"consumer": {"displayName": "Greta"}, "companyReply": {"text": "Thank you.", "createdAt": "2026-10-13T08:10:00Z"}}]}
=
review_id
trustpilot-650a1c
"#,
    )
    .await;
}

#[tokio::test]
async fn a_rejected_row_of_a_table_has_only_what_would_be_stored() {
    file_case(
        r#"
each NAME: PRIVATE@example.com | Jane Doe <PRIVATE@example.com>
format: ignored = "*"
Date,Stars,Name,Comment,Email
2026-10-02,nine,NAME,Fine.,PRIVATE@example.com
2026-10-02,5,Al,Good.,PRIVATE@example.com
=
x Stars
author
Al
"#,
    )
    .await;
}

#[tokio::test]
async fn a_rejected_row_of_json_has_only_what_would_be_stored() {
    file_case(
        r#"
format: ignored = "*"
[{"id": "r", "rating": "nine", "date": "2026-10-01", "author": "Jane Doe <PRIVATE@example.com>", "text": "Fine.", "email": "PRIVATE@example.com",
"source": {"name": "Web", "ip": "PRIVATE"}, "response": {"text": "Thanks.", "author": {"email": "PRIVATE@example.com"}}, "title": null},
{"id": "s", "rating": 5, "date": "2026-10-01", "author": "PRIVATE@example.com", "text": "Fine."}]
=
x rating
author
Anonymous
"#,
    )
    .await;
}

#[tokio::test]
async fn a_rejected_row_of_google_has_only_what_would_be_stored() {
    file_case(
        r#"
{"reviews": [{"reviewId": "a", "starRating": "NINE", "createTime": "2026-11-02T03:30:00Z", "ip": "PRIVATE", "reviewReply": {"comment": "Thanks.", "replyAuthorEmail": "PRIVATE"},
"reviewer": {"displayName": "PRIVATE@example.com", "profilePhotoUrl": "PRIVATE"}}]}
=
x starRating
! no row can be read (reviews[0]
"#,
    )
    .await;
}

#[tokio::test]
async fn a_rejected_row_of_a_page_has_only_what_would_be_stored() {
    file_case(
        r#"
{"@context": "https://schema.org", "@type": "Review", "reviewRating": {"ratingValue": "nine"}, "email": "PRIVATE@example.com", "reviewBody": "Fine.",
"author": [{"@type": "Person", "name": "PRIVATE@example.com"}], "datePublished": "2026-10-01", "comment": {"text": "Thanks.", "author": {"name": "Owner", "email": "PRIVATE@e.com"}}}
=
x reviewRating
! no row can be read
"#,
    )
    .await;
}

#[tokio::test]
async fn stars_of_a_page_are_rounded_half_up_on_its_scale_and_a_fraction_without_a_scale_is_a_fault()
 {
    file_case(
        r#"
[{"@context": "https://schema.org", "@type": "Review", "author": "Ann", "datePublished": "2026-10-01", "reviewRating": {"ratingValue": "4.5", "bestRating": "5"}},
{"@type": "Review", "author": "Bo", "datePublished": "2026-10-01", "reviewRating": {"ratingValue": "3,5", "bestRating": 5}},
{"@type": "Review", "author": "Cy", "datePublished": "2026-10-01", "reviewRating": {"ratingValue": 9, "bestRating": 10}},
{"@type": "Review", "author": "Di", "datePublished": "2026-10-01", "reviewRating": {"ratingValue": 4.5}}]
=
x the file states no scale (on a page bestRating)
author | rating
Ann | 5
Bo | 4
Cy | 5
"#,
    )
    .await;
}

#[tokio::test]
async fn a_scale_that_does_not_end_above_0_is_a_fault() {
    file_case(
        r#"
[{"@context": "https://schema.org", "@type": "Review", "author": "Ann", "datePublished": "2026-10-01", "reviewRating": {"ratingValue": 5, "bestRating": 0}},
{"@type": "Review", "author": "Bo", "datePublished": "2026-10-01", "reviewRating": {"ratingValue": 5, "bestRating": "-5"}},
{"@type": "Review", "author": "Cy", "datePublished": "2026-10-01", "reviewRating": {"ratingValue": 5, "bestRating": "0.0"}},
{"@type": "Review", "author": "Di", "datePublished": "2026-10-01", "reviewRating": {"ratingValue": 5}}]
=
x is not above 0
x is not above 0
x is not above 0
author | rating
Di | 5
"#,
    )
    .await;
}

#[tokio::test]
async fn texts_of_a_page_are_often_html() {
    file_case(
        r#"
[{"@context": "https://schema.org", "@type": "Review", "author": "Bell &amp; Sons", "datePublished": "2026-10-01", "reviewRating": {"ratingValue": 5},
"reviewBody": "Fast &amp; clean, they&#8217;re great<br />\nAgain; 5 < 10"},
{"@type": "Review", "author": "Bo", "datePublished": "2026-10-01", "reviewRating": {"ratingValue": 5}, "reviewBody": "<b>Pump</b> and pipe"},
{"@type": "Review", "author": "Cy", "datePublished": "2026-10-01", "reviewRating": {"ratingValue": 5}, "reviewBody": "Pipe <fixed> & dry; a;b"}]
=
author | text
Bell & Sons | Fast & clean, they’re great\nAgain; 5 < 10
Bo | Pump and pipe
Cy | Pipe <fixed> & dry; a;b
"#,
    )
    .await;
}

#[tokio::test]
async fn a_date_that_may_be_read_in_both_ways_depends_on_the_country() {
    file_case(
        r#"
{"@context": "https://schema.org", "@type": "Review", "author": "Ann", "reviewRating": {"ratingValue": 5}, "datePublished": "03/04/2026"}
=
x may be 2026-03-04 or 2026-04-03; write it as 2026-10-31, or set the business's country
! no row can be read
"#,
    )
    .await;
}

#[tokio::test]
async fn of_several_businesses_in_a_page_one_is_meant_or_all() {
    file_case(
        r#"
{"@graph": [{"@type": "Plumber", "name": "DP", "review": [{"@type": "Review", "author": "Ann", "reviewRating": {"ratingValue": 5}, "datePublished": "2026-10-01", "reviewBody": "Fine"}]}, {"@context": "https://schema.org",
"@type": "Plumber", "name": "Other", "aggregateRating": {"ratingValue": 1}, "review": {"@type": "Review", "author": "Bo", "reviewRating": {"ratingValue": 5}, "datePublished": "2026-10-01", "reviewBody": "Fine"}}], "@context": "x"}
then format: like = "schema-org"; only = { column = "business", value = "DP" }
then format: like = "schema-org"; ignored = "business"
=
? only: business has DP 1, Other 1
author
Ann
Bo
"#,
    )
    .await;
}

#[tokio::test]
async fn a_review_outside_of_the_business_is_asked_about_and_one_of_a_product_is_left_out() {
    file_case(
        r#"
{"@graph": [{"@type": "Plumber", "name": "DP", "review": [{"@type": "Review", "author": "Ann", "reviewRating": {"ratingValue": 5}, "datePublished": "2026-10-01", "reviewBody": "Fine"}]}, {"@type": "Review", "author": "Bo", "reviewRating": {"ratingValue": 5}, "datePublished": "2026-10-01", "reviewBody": "Fine"},
{"@type": "Product", "review": {"@type": "Review", "author": "Cy", "reviewRating": {"ratingValue": 5}, "datePublished": "2026-10-01", "reviewBody": "Fine"}}, {"@type": "Review", "author": "Di", "itemReviewed": {"@type": "Product"}, "reviewRating": {"ratingValue": 5}, "datePublished": "2026-10-01", "reviewBody": "Fine"}], "@context": "x"}
then format: like = "schema-org"; ignored = "business"
=
? only: business has DP 1, (empty) 1
author
Ann
Bo
"#,
    )
    .await;
}
