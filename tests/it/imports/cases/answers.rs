//! The answer in a row: its visibility at platforms, the form in which a file holds it, and who wrote it.

use super::*;

const FILES: &str = r#"
# a private answer in a table is neither published nor stored
review_id,review_content,review_score,date,display_name,published,comment_content,comment_public
1,Fixed.,5,2025-03-14,Ann,true,Thank you.,true
2,Late.,2,2025-03-14,Bob,true,PRIVATE,false
=
author | reply_text | status
Ann | Thank you. | published
Bob |  | published
# a private answer of an API is neither published nor stored
{"reviews": [{"reviewId": "a", "productId": "p", "rating": 5, "body": "Fixed.", "dateCreated": "2025-03-14T09:11:02Z",
"reviewer": {"displayName": "Ann"}, "reply": {"body": "Thank you.", "isPrivate": false}, "status": "approved"},
{"reviewId": "b", "productId": "p", "rating": 2, "body": "Late.", "dateCreated": "2025-03-14T09:11:02Z",
"reviewer": {"displayName": "Bob"}, "reply": {"body": "PRIVATE", "isPrivate": true}, "status": "approved"}]}
=
author | reply_text | status
Ann | Thank you. | published
Bob |  | published
# of several answers the published one is stored
[{"uid": "a", "createdAt": "2026-10-02T10:00:00Z", "author": {"name": "Ann"}, "review": {"rating": 1, "body": "Late.", "siteName": "Google"},
"responses": [{"body": "PRIVATE", "status": "draft"}, {"body": "Thank you.", "status": "published"}]},
{"uid": "b", "createdAt": "2026-10-02T10:00:00Z", "author": {"name": "Bob"}, "review": {"rating": 1, "body": "Late.", "siteName": "Google"},
"responses": [{"body": "PRIVATE", "deleted": true}]}]
=
author | reply_text | status
Ann | Thank you. | published
Bob |  | published
# what the customer added is no answer
rating,date,author,text,response.text,response.author
5,2025-03-14,Ann Bell,Fixed.,One more thing.,ann  bell
5,2025-03-14,Bo,Fixed.,Thanks.,Kim
=
author | reply_text
Ann Bell |
Bo | Thanks.
# what the merchant wrote in a thread is the answer
each THREAD: {"author": "customer", "comment": "Wait."}, {"author": "merchant", "comment": "Thanks."} | {"author": "merchant", "comment": "Thanks."}
{"reviews": [{"merchant": {"identifier": "k"}, "customer": {"display_name": "Ann"}, "service": {"id": "1", "rating": {"rating": 5},
"created_at": "2025-03-14T10:00:00.000Z", "review": "Neat.", "thread": [THREAD]}}]}
=
reply_text
Thanks.
# a thread of the customer alone has no answer
{"reviews": [{"merchant": {"identifier": "k"}, "customer": {"display_name": "Ann"}, "service": {"id": "1", "rating": {"rating": 5},
"created_at": "2025-03-14T10:00:00.000Z", "review": "Neat.", "thread": [{"author": "customer", "comment": "Wait."}]}}]}
=
author | reply_text
Ann |
"#;

#[tokio::test]
async fn only_public_answers_of_the_business_are_stored() {
    as_they_are(FILES).await;
}
