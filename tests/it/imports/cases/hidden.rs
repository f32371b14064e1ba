//! What a source hides: a review, its answer, its author's name, said by a column or member of any name, beside it or nested.

use super::*;

#[tokio::test]
async fn a_column_that_may_speak_of_the_answer_is_a_question_and_hides_answers_of_which_nothing_is_kept()
 {
    table_case(
        r#"
each HEADER: reply_public | Antwort öffentlich | Our reply.state | meta.reply.visible | 返信の公開
Review ID | Name | Stars | Date       | Review | Our answer  | HEADER
a1        | Ann  | 5     | 2026-03-01 | Neat.  | Thank you.  | Yes
a2        | Bo   | 2     | 2026-03-02 | Late.  | Thanks.     | \sYES
a3        | Cy   | 3     | 2026-03-03 | Fair.  | PRIVATE one | draft
a4        | Di   | 4     | 2026-03-04 | Good.  | PRIVATE two |
then format: [[public_reply]]; names = ["HEADER"]; values = ["yes"]
=
? ignored
author | reply_text | status
Ann | Thank you. | published
Bo | Thanks. | published
Cy |  | published
Di |  | published
"#,
    )
    .await;
}

#[tokio::test]
async fn an_answer_that_was_public_goes_when_its_source_hides_it() {
    table_case(
        r#"
format: ignored = ["Nr"]; [[public_reply]]; names = ["Antwort intern"]; values = ["nein", ""]
Nr | Kunde | Sterne | Datum      | Bewertung | Antwort    | Antwort intern
k1 | Ann   | 5      | 2026-03-01 | Sauber.   | Danke.     | nein
k2 | Bo    | 4      | 2026-03-02 | Gut.      | Gern.      |
then
Nr | Kunde | Sterne | Datum      | Bewertung | Antwort    | Antwort intern
k1 | Ann   | 5      | 2026-03-01 | Sauber.   | Danke.     | ja
k2 | Bo    | 4      | 2026-03-02 | Gut.      | Gern.      | unklar
=
author | reply_text
Ann |
Bo |
"#,
    )
    .await;
}

#[tokio::test]
async fn a_column_or_member_that_may_hide_a_review_is_a_question_and_hides_it_wherever_it_is() {
    table_case(
        r#"
each PATH: meta.approved | a.b.c.d | Freigabe | moderation.result.state | 公開 | reviewer.consent | tags
Review ID | Name | Stars | Date       | Review     | PATH
m1        | Ann  | 5     | 2026-03-01 | On time.   | ok
m2        | Bo   | 1     | 2026-03-02 | HIDDEN one | no
m3        | Cy   | 2     | 2026-03-03 | HIDDEN two |
then format: ignored = "*"; [[public]]; names = ["PATH"]; values = ["OK"]
=
? ignored
review_id | status
m1 | published
m2 | withheld
m3 | withheld
"#,
    )
    .await;
}

#[tokio::test]
async fn drafts_alone_stay_hidden_and_are_public_when_they_are_published() {
    table_case(
        r#"
format: ignored = "*"; [fields]; date = ["Created"]; [[public]]; names = ["Published at"]; values = ["*"]
Review ID | Name | Stars | Created    | Review       | Published at
d1        | Ann  | 5     | 2026-03-01 | HIDDEN draft |
then
Review ID | Name | Stars | Created    | Review       | Published at
d1        | Ann  | 5     | 2026-03-01 | Now shown.   | 2026-03-09
d2        | Bo   | 4     | 2026-03-02 | HIDDEN draft |
=
author | status
Ann | published
Bo | withheld
"#,
    )
    .await;
}

#[tokio::test]
async fn a_hidden_name_is_anonymous_and_nothing_of_it_is_kept() {
    table_case(
        r#"
format: [[public_name]]; names = ["Show my name"]; values = ["yes"]
Review ID | Name        | Stars | Date       | Review | Show my name
n1        | Ann         | 5     | 2026-03-01 | Neat.  | Yes
n2        | PRIVATE Bob | 2     | 2026-03-02 | Late.  | no
n2        | PRIVATE Bob | 2     | 2026-03-02 | Late.  | no
n3        | PRIVATE Cyd | 3     | 2026-03-03 | Fair.  |
n4        |             | 3     | 2026-03-03 | Fair.  | no
n5        | Di          |       | 2026-03-03 | Fair.  | no
=
x Stars
~ Show my name: no 1
review_id | author | status
n1 | Ann | published
n2 | Anonymous | published
n3 | Anonymous | published
n4 | Anonymous | published
"#,
    )
    .await;
}

#[tokio::test]
async fn what_one_of_equal_rows_hides_none_shows() {
    table_case(
        r#"
each ANN: yes | no
format: ignored = "*"; [[public]]; names = ["Publish"]; values = ["yes"]; [[public_name]]; names = ["Named"]; values = ["yes"]
Name | Stars | Date       | Review     | Publish | Named
Ann  | 5     | 2026-03-01 | HIDDEN ok. | no      | yes
Ann  | 5     | 2026-03-01 | HIDDEN ok. | yes     | no
Ann  | 5     | 2026-03-01 | HIDDEN ok. | ANN     | yes
=
author | status
Ann | withheld
"#,
    )
    .await;
}

#[tokio::test]
async fn a_column_that_the_format_names_as_another_one_never_stands_in_for_a_missing_one() {
    table_case(
        r#"
format: ignored = ["Publish? (newsletter)", "Feedback (private)"]; [fields]; text = ["Feedback (public)"]; [[public]]; names = ["Publish? (website)"]; values = ["yes"]
Review ID | Name | Stars | Date       | Feedback (public) | Feedback (private) | Publish? (website) | Publish? (newsletter)
p1        | Ann  | 5     | 2026-03-01 | Neat.             | Inner one          | yes                | no
then
Review ID | Name | Stars | Date       | Feedback (private) | Publish? (newsletter)
p1        | Ann  | 5     | 2026-03-01 | Inner two          | yes
p2        | Bo   | 1     | 2026-03-02 | HIDDEN three       | yes
=
? fields.text
? public.0.missing
review_id | text | status
p1 | Neat. | published
"#,
    )
    .await;
}

#[tokio::test]
async fn one_column_is_never_both_of_two_blocks_and_each_that_a_kept_format_has_is_required() {
    table_case(
        r#"
format: [[public]]; names = ["Publish? (review)", "Publish?", "Lost"]; values = ["yes"]; [[public_name]]; names = ["Publish? (name)"]; values = ["yes"]
Review ID | Name | Stars | Date       | Review | Publish? (review) | Publish? | Publish? (name)
q1        | Ann  | 5     | 2026-03-01 | Neat.  | yes               | yes      | yes
then
Review ID | Name | Stars | Date       | Review     | Publish? | Publish? (name)
q2        | Bob  | 1     | 2026-03-02 | HIDDEN one | yes      | yes
then
Review ID | Name | Stars | Date       | Review     | Publish? (review) | Publish? (name)
q2        | Bob  | 1     | 2026-03-02 | HIDDEN one | yes               | yes
=
? public.0.missing
? public.1.missing
review_id | status
q1 | published
"#,
    )
    .await;
}

#[tokio::test]
async fn a_column_that_was_ignored_with_all_others_names_no_family_of_columns() {
    table_case(
        r#"
format: ignored = "*"
Review ID | Name | Stars | Date       | Review | Contact*
s1        | Ann  | 5     | 2026-03-01 | Neat.  | mail
then
Review ID | Name | Stars | Date       | Review     | Contact me, do not publish
s2        | Bo   | 1     | 2026-03-02 | HIDDEN one | yes
=
? ignored
review_id | status
s1 | published
"#,
    )
    .await;
}

#[tokio::test]
async fn the_columns_of_shops_about_moderation_hide_reviews() {
    table_case(
        r#"
format: ignored = "*"; [[public]]; names = ["validate"]; values = ["1"]; [[public]]; names = ["deleted"]; values = ["0"]
number | product | customer_name | title | content  | grade | validate | deleted | date_add
1      | 9       | Ann           | Good  | Neat.    | 5     | 1        | 0       | 2026-03-01 10:00:00
2      | 9       | Bo            | Bad   | HIDDEN 1 | 1     | 0        | 0       | 2026-03-02 10:00:00
3      | 9       | Cy            | Bad   | HIDDEN 2 | 1     | 1        | 1       | 2026-03-03 10:00:00
=
author | status
Ann | published
Bo | withheld
Cy | withheld
"#,
    )
    .await;
}

#[tokio::test]
async fn a_private_answer_in_a_table_is_neither_published_nor_stored() {
    file_case(
        r"
review_id,review_content,review_score,date,display_name,published,comment_content,comment_public
1,Fixed.,5,2025-03-14,Ann,false,Thank you.,true
2,Late.,2,2025-03-14,Bob,true,PRIVATE,false
3,HIDDEN,2,2025-03-14,Cy,false,,
then
review_id,review_content,review_score,date,display_name,review_status,deleted
1,Fixed.,5,2025-03-14,Ann,published,false
3,HIDDEN,2,2025-03-14,Cy,published,true
=
author | reply_text | status
Ann | Thank you. | published
Bob |  | published
Cy |  | withheld
",
    )
    .await;
}

#[tokio::test]
async fn what_one_column_hid_stays_hidden_where_only_another_one_publishes() {
    file_case(
        r#"
{"reviews": [{"id": "5f", "stars": 1, "text": "HIDDEN", "createdAt": "2026-10-12T14:03:22Z", "status": "reported", "consumer": {"displayName": "Bo"}}]}
then format: like = "trustpilot"; ignored = "*"; [[public]]; names = ["Review Status"]; values = ["Published"]
Review Id,Review Created (UTC),Review Username,Review Content,Review Stars,Review Status
5f,2026-10-12 14:03:22,Bo,HIDDEN,1,Published
then format: like = "trustpilot"; ignored = "*"; [[public]]; names = ["Review Status"]; values = ["Published"]; [[public]]; names = ["status"]; missing = "public"
Review Id,Review Created (UTC),Review Username,Review Content,Review Stars,Review Status
5f,2026-10-12 14:03:22,Bo,HIDDEN,1,Published
=
? public.1.missing: the file lacks status
author | status
Bo | withheld
"#,
    )
    .await;
}

#[tokio::test]
async fn a_private_answer_of_an_api_is_neither_published_nor_stored() {
    file_case(
        r#"
{"reviews": [{"reviewId": "a", "productId": "p", "rating": 5, "body": "Fixed.", "dateCreated": "2025-03-14T09:11:02Z",
"reviewer": {"displayName": "Ann"}, "reply": {"body": "Thank you.", "isPrivate": false}, "status": "approved"},
{"reviewId": "b", "productId": "p", "rating": 2, "body": "Late.", "dateCreated": "2025-03-14T09:11:02Z",
"reviewer": {"displayName": "Bob"}, "reply": {"body": "PRIVATE", "isPrivate": true}, "status": "pending"}]}
then
{"reviews": [{"reviewId": "b", "productId": "p", "rating": 2, "body": "Late.", "dateCreated": "2025-03-14T09:11:02Z",
"reviewer": {"displayName": "Bob"}, "reply": {"body": "Sorry.", "isPrivate": false}, "status": "approved"}]}
=
author | reply_text | status
Ann | Thank you. | published
Bob | Sorry. | published
"#,
    )
    .await;
}

#[tokio::test]
async fn an_answer_goes_when_its_platform_hides_it_whether_its_text_is_there_or_not() {
    file_case(
        r#"
each REPLY: {"isPrivate": true} | {"body": "HIDDEN", "isPrivate": true} | {"body": "", "isPrivate": "soon"}
{"reviews": [{"reviewId": "a", "productId": "p", "rating": 5, "body": "Fixed.", "dateCreated": "2025-03-14T09:11:02Z",
"reviewer": {"displayName": "Ann"}, "reply": {"body": "HIDDEN", "isPrivate": false}, "status": "approved"},
{"reviewId": "b", "productId": "p", "rating": 5, "body": "Fine.", "dateCreated": "2025-03-14T09:11:02Z",
"reviewer": {"displayName": "Bo"}, "reply": {"body": "HIDDEN", "isPrivate": false}, "status": "approved"}]}
then sql: update review set reply_text = 'Ours.' where author = 'Bo'
then
{"reviews": [{"reviewId": "a", "productId": "p", "rating": 5, "body": "Fixed.", "dateCreated": "2025-03-14T09:11:02Z",
"reviewer": {"displayName": "Ann"}, "reply": REPLY, "status": "approved"},
{"reviewId": "b", "productId": "p", "rating": 5, "body": "Fine.", "dateCreated": "2025-03-14T09:11:02Z",
"reviewer": {"displayName": "Bo"}, "reply": REPLY, "status": "approved"}]}
then undo
=
author | reply_text
Ann |
Bo | Ours.
"#,
    )
    .await;
}

#[tokio::test]
async fn an_answer_in_a_list_goes_when_its_platform_hides_it_and_no_undo_gives_it_back() {
    file_case(
        r#"
each STATE: "status": "draft" | "status": "published", "deleted": true | "isDeleted": true
each BODY: "body": "HIDDEN" | "body": null | "likeCount": 1
[{"uid": "a", "createdAt": "2026-10-02T10:00:00Z", "author": {"name": "Ann"}, "review": {"rating": 1, "body": "Late.", "siteName": "google"},
"responses": [{"body": "HIDDEN", "status": "published"}]}]
then
[{"uid": "a", "createdAt": "2026-10-02T10:00:00Z", "author": {"name": "Ann"}, "review": {"rating": 1, "body": "Late.", "siteName": "google"},
"responses": [{BODY, STATE}]}]
then undo
=
author | reply_text
Ann |
"#,
    )
    .await;
}

#[tokio::test]
async fn an_answer_in_a_list_that_its_platform_hid_is_shown_once_it_says_so() {
    file_case(
        r#"
[{"uid": "a", "createdAt": "2026-10-02T10:00:00Z", "author": {"name": "Ann"}, "review": {"rating": 1, "body": "Late.", "siteName": "google"},
"responses": [{"body": "HIDDEN", "status": "draft"}]}]
then
[{"uid": "a", "createdAt": "2026-10-02T10:00:00Z", "author": {"name": "Ann"}, "review": {"rating": 1, "body": "Late.", "siteName": "google"},
"responses": [{"body": "HIDDEN"}]}]
then
[{"uid": "a", "createdAt": "2026-10-02T10:00:00Z", "author": {"name": "Ann"}, "review": {"rating": 1, "body": "Late.", "siteName": "google"},
"responses": [{"body": "Thank you.", "status": "published"}]}]
=
author | reply_text
Ann | Thank you.
"#,
    )
    .await;
}

#[tokio::test]
async fn whether_answers_are_public_that_no_column_speaks_of_is_a_question_and_where_there_are_none_it_is_not()
 {
    file_case(
        r"
store_review_id,rating,comments,reviewer_name,date_created,reply
1,5,Fine.,Ann,2026-10-02,PRIVATE
then
store_review_id,rating,comments,reviewer_name,date_created,reply
1,5,Fine.,Ann,2026-10-02,
=
? public_reply.0.missing
author | reply_text
Ann |
",
    )
    .await;
}

#[tokio::test]
async fn of_several_answers_the_published_one_is_stored() {
    file_case(
        r#"
[{"uid": "a", "createdAt": "2026-10-02T10:00:00Z", "author": {"name": "Ann"}, "review": {"rating": 1, "body": "Late.", "siteName": "google"},
"responses": [{"body": "PRIVATE", "status": "draft"}, {"body": "Thank you.", "status": "published"}]},
{"uid": "b", "createdAt": "2026-10-02T10:00:00Z", "author": {"name": "Bob"}, "review": {"rating": 1, "body": "Late.", "siteName": "Google"},
"responses": [{"body": "PRIVATE", "deleted": true}]}]
=
author | reply_text | source_name
Ann | Thank you. | Google
Bob |  | Google
"#,
    )
    .await;
}

#[tokio::test]
async fn what_the_customer_added_is_no_answer() {
    file_case(
        r"
rating,date,author,text,response.text,response.author
5,2025-03-14,Ann Bell,Fixed.,One more thing.,ann  bell
5,2025-03-14,Bo,Fixed.,Thanks.,Kim
=
author | reply_text
Ann Bell |
Bo | Thanks.
",
    )
    .await;
}

#[tokio::test]
async fn what_the_merchant_wrote_in_a_thread_is_the_answer_and_a_thread_of_the_customer_alone_has_none()
 {
    file_case(
        r#"
each THREAD: {"author": "customer", "comment": "Wait."}, {"author": "merchant", "comment": "Thanks."} | {"author": "merchant", "comment": "Thanks."}
{"reviews": [{"merchant": {"identifier": "k"}, "customer": {"display_name": "Ann"}, "service": {"id": "1", "rating": {"rating": 5},
"created_at": "2025-03-14T10:00:00.000Z", "review": "Neat.", "thread": [THREAD]}},
{"merchant": {"identifier": "k"}, "customer": {"display_name": "Bo"}, "service": {"id": "2", "rating": {"rating": 5},
"created_at": "2025-03-14T10:00:00.000Z", "review": "Neat.", "thread": [{"author": "customer", "comment": "Wait."}]}}]}
=
author | reply_text
Ann | Thanks.
Bo |
"#,
    )
    .await;
}

#[tokio::test]
async fn a_member_of_an_answer_is_a_question_and_hides_it_also_where_it_is_missing() {
    file_case(
        r#"
format: ignored = ["ref"]
[{"ref": "a", "stars": 5, "day": "2026-03-01", "customer": "Ann", "comment": "Neat.", "reply": {"text": "Thanks.", "status": "published"}},
{"ref": "b", "stars": 3, "day": "2026-03-03", "customer": "Bo", "comment": "Fair.", "reply": null},
{"ref": "c", "stars": 4, "day": "2026-03-02", "customer": "Cy", "comment": "Good.", "reply": {"text": "PRIVATE note", "status": "draft"}},
{"ref": "d", "stars": 2, "day": "2026-03-04", "customer": "Di", "comment": "Late.", "reply": {"text": "PRIVATE plan"}}]
then format: ignored = ["ref"]; [[public_reply]]; names = ["reply.status"]; values = ["published"]
=
? ignored
author | reply_text
Ann | Thanks.
Bo |
Cy |
Di |
"#,
    )
    .await;
}

#[tokio::test]
async fn an_answer_at_a_platform_is_not_read_unless_it_says_that_it_is_public() {
    file_case(
        r#"
each PUBLIC: "public": false | "public": "false" | "public": null | "public": 0 | "public": "soon" | "deleted": true, "public": false
[{"id": 1, "score": 5, "votes_up": 0, "content": "Fixed.", "title": "Quick", "created_at": "2026-03-14T09:11:02.000Z", "deleted": false,
"user": {"display_name": "Ann"}, "comment": {"content": "PRIVATE", PUBLIC, "created_at": "2026-03-15T00:00:00.000Z"}}]
=
author | reply_text | status
Ann |  | published
"#,
    )
    .await;
}

#[tokio::test]
async fn an_answer_at_google_is_not_read_in_a_state_that_is_not_public() {
    file_case(
        r#"
each STATE: PENDING | REJECTED | pending | STATE_UNKNOWN
{"reviews": [{"reviewId": "g1", "reviewer": {"displayName": "Ann"}, "starRating": "FIVE", "comment": "Neat.", "createTime": "2026-03-04T09:10:40Z",
"updateTime": "2026-03-04T09:10:40Z", "name": "accounts/1/locations/2/reviews/g1",
"reviewReply": {"comment": "PRIVATE", "updateTime": "2026-03-05T09:10:40Z", "reviewReplyState": "STATE"}}]}
=
author | reply_text | status
Ann |  | published
"#,
    )
    .await;
}

#[tokio::test]
async fn an_answer_that_google_rejected_stays_hidden_until_a_file_says_that_it_is_public() {
    file_case(
        r#"
{"reviews": [{"reviewId": "g1", "reviewer": {"displayName": "Ann"}, "starRating": "FIVE", "comment": "Neat.", "createTime": "2026-03-04T09:10:40Z",
"name": "accounts/1/locations/2/reviews/g1", "reviewReply": {"comment": "HIDDEN", "updateTime": "2026-03-05T09:10:40Z", "reviewReplyState": "REJECTED"}},
{"reviewId": "g3", "reviewer": {"displayName": "Cy"}, "starRating": "FIVE", "comment": "Good.", "createTime": "2026-03-04T09:10:40Z",
"name": "accounts/1/locations/2/reviews/g3", "reviewReply": {"comment": "Gladly.", "updateTime": "2026-03-05T09:10:40Z", "reviewReplyState": "REJECTED"}}]}
then
{"reviews": [{"reviewId": "g1", "reviewer": {"displayName": "Ann"}, "starRating": "FIVE", "comment": "Neat.", "createTime": "2026-03-04T09:10:40Z",
"name": "accounts/1/locations/2/reviews/g1", "reviewReply": {"comment": "HIDDEN", "updateTime": "2026-03-05T09:10:40Z"}},
{"reviewId": "g2", "reviewer": {"displayName": "Bo"}, "starRating": "FIVE", "comment": "Fast.", "createTime": "2026-03-04T09:10:40Z",
"name": "accounts/1/locations/2/reviews/g2", "reviewReply": {"comment": "Thanks.", "updateTime": "2026-03-05T09:10:40Z"}},
{"reviewId": "g3", "reviewer": {"displayName": "Cy"}, "starRating": "FIVE", "comment": "Good.", "createTime": "2026-03-04T09:10:40Z",
"name": "accounts/1/locations/2/reviews/g3", "reviewReply": {"comment": "Gladly.", "updateTime": "2026-03-05T09:10:40Z", "reviewReplyState": "APPROVED"}}]}
=
author | reply_text
Ann |
Bo |
Cy | Gladly.
"#,
    )
    .await;
}

#[tokio::test]
async fn a_flag_in_the_wrapper_of_a_system_is_a_question_and_hides_reviews() {
    file_case(
        r#"
each FILE: {"@odata.context": "x", "value": [{"author": "Ann", "rating": 5, "text": "HIDDEN", "date": "2026-03-05", "live": false}]} | {"_embedded": {"reviews": [{"author": "Ann", "rating": 5, "text": "HIDDEN", "date": "2026-03-05", "live": false}]}, "page": {"size": 1}} | {"data": {"reviews": {"nodes": [{"author": "Ann", "rating": 5, "text": "HIDDEN", "date": "2026-03-05", "live": false}]}}} | {"rows": [{"author": "Ann", "rating": 5, "text": "HIDDEN", "date": "2026-03-05", "live": false}], "meta": {"total": 1}}
FILE
then format: ignored = "*"; [[public]]; names = ["live"]; values = ["true"]
=
? live
author | rating | reviewed_on | status
Ann | 5 | 2026-03-05 | withheld
"#,
    )
    .await;
}

#[tokio::test]
async fn a_flag_in_a_nested_wrapper_is_a_question_and_hides_reviews() {
    file_case(
        r#"
each FILE: {"data": [{"id": "r7", "type": "reviews", "fields": {"author": "Ann", "rating": 5, "text": "HIDDEN", "date": "2026-03-05", "live": false}}]} | {"records": [{"id": "rec1", "fields": {"author": "Ann", "rating": 5, "text": "HIDDEN", "date": "2026-03-05", "live": false}}]} | {"hits": {"total": {"value": 1}, "hits": [{"_id": "r7", "fields": {"author": "Ann", "rating": 5, "text": "HIDDEN", "date": "2026-03-05", "live": false}}]}} | {"items": [{"sys": {"id": "1"}, "fields": {"author": "Ann", "rating": 5, "text": "HIDDEN", "date": "2026-03-05", "live": false}}]}
format: [fields]; author = ["fields.author"]; rating = ["fields.rating"]; text = ["fields.text"]; date = ["fields.date"]
FILE
then format: ignored = "*"; [fields]; author = ["fields.author"]; rating = ["fields.rating"]; text = ["fields.text"]; date = ["fields.date"]; [[public]]; names = ["fields.live"]; values = ["true"]
=
? fields.live
author | rating | reviewed_on | status
Ann | 5 | 2026-03-05 | withheld
"#,
    )
    .await;
}

#[tokio::test]
async fn a_row_of_our_own_form_with_another_member_is_rejected_wherever_the_member_is() {
    file_case(
        r#"
each ROW: "hidden": true | "source": {"name": "Direct", "hidden": true} | "owner_reply": {"text": "Ok.", "hidden": true} | "mentions": {"services": [], "hidden": true} | "mentions": {}, "hidden": true
{"id": "o0", "rating": 5, "date": "2026-03-05", "author": "Ann", "text": "Good.", "source": "Direct"}
{"id": "o1", "author": "Ann", "rating": 5, "text": "HIDDEN", "date": "2026-03-05", ROW}
=
x hidden: is unknown
author
Ann
"#,
    )
    .await;
}

#[tokio::test]
async fn lines_whose_first_row_has_another_member_are_a_table() {
    file_case(
        r#"
{"id": "o1", "author": "Ann", "rating": 5, "text": "HIDDEN", "date": "2026-03-05", "source": "Direct", "hidden": true}
{"id": "o0", "rating": 5, "date": "2026-03-05", "author": "Ann", "text": "Good.", "source": "Direct"}
=
? ignored
"#,
    )
    .await;
}

#[tokio::test]
async fn our_own_document_with_another_member_in_a_review_is_a_table() {
    file_case(
        r#"
{"reviews": [{"id": "o0", "rating": 5, "date": "2026-03-05", "author": "Ann", "text": "Good.", "source": "Direct"},
{"id": "o1", "rating": 5, "date": "2026-03-05", "author": "Bo", "text": "HIDDEN", "source": {"name": "Direct", "shown": "no"}}]}
=
? ignored
"#,
    )
    .await;
}
