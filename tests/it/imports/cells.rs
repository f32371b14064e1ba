//! What cells mean in all formats but the native one: words for empty, errors of spreadsheets, ratings in words, addresses, HTML,
//! translations, Unicode, and the typed values of databases.

use super::*;

fn select(bench: &Bench, columns: &str) -> String {
    let select = format!("select {columns} from review order by rating desc, author");
    bench.sql(&select)
}

#[tokio::test]
async fn cells_of_platforms_are_cleaned_but_not_those_of_our_own_form() {
    let trustpilot = |title: &str, text: &str| {
        let row = json!({"id": "t", "stars": 1, "title": title, "text": text, "createdAt": "2026-10-15T07:00:00Z",
            "consumer": {"displayName": "N/A"}, "companyReply": {"text": "None"}});
        json!([row]).to_string()
    };
    let own = json!({"author": "None", "text": "N/A", "title": "-", "response": {"text": "#REF!"}});
    for (content, expected) in [
        (trustpilot("nan", "NULL"), "Anonymous|||"),
        (native(&own).to_string(), "None|-|N/A|#REF!"),
    ] {
        let select = "select author, title, text, response_text from review";
        assert_eq!(found(content, "", select).await, expected);
    }
}

#[tokio::test]
async fn the_typed_values_of_databases_are_unwrapped() {
    let mongo = json!({"id": {"$oid": "65f0"}, "rating": {"$numberDouble": "4.0"}, "author": "Ann", "text": "Fine.",
        "date": {"$date": {"$numberLong": "1772704800000"}}, "reply": null, "title": ["A", "B"], "public": true});
    let firestore = json!({"id": {"stringValue": "65f0"}, "rating": {"integerValue": "4"}, "author": {"stringValue": "Ann"},
        "text": {"stringValue": "Fine."}, "date": {"timestampValue": "2026-03-05T10:00:00Z"}, "public": {"booleanValue": true},
        "reply": {"mapValue": {}},
        "title": {"arrayValue": {"values": [{"stringValue": "A"}, {"stringValue": "B"}]}}});
    let dynamo = json!({"id": {"S": "65f0"}, "rating": {"N": "4"}, "author": {"S": "Ann"}, "text": {"S": "Fine."},
        "date": {"S": "2026-03-05T10:00:00Z"}, "public": {"BOOL": true}, "reply": {"M": {"text": {"NULL": true}}},
        "title": {"L": [{"S": "A"}, {"S": "B"}]}});
    let select = "select review_id, rating, reviewed_on, author, text, replace(title, char(10), '+'), response_text from review";
    for row in [mongo, firestore, dynamo] {
        for content in [row.to_string(), json!({ "Items": [row] }).to_string()] {
            let stored = found(content, "--format table --public public=true", select).await;
            assert_eq!(stored, "65f0|4|2026-03-05|Ann|Fine.|A+B|");
        }
    }
    // What has such a name and another kind of value is an object.
    let plain = json!([{"rating": 5, "date": "2026-03-01", "author": {"S": 7}, "text": {"N": {"S": "Fine."}}}]);
    let options = "--format table --map author=author.S --map text=text.N";
    let stored = found(
        plain.to_string(),
        options,
        "select author, text from review",
    )
    .await;
    assert_eq!(stored, "Anonymous|Fine.");
}

#[tokio::test]
async fn an_unverified_row_is_withheld_but_not_one_of_no_buyer() {
    let table = "name,rating,date,text,is_approved,is_verified\nMat,5,2025-03-01,Good.,1,0\nSpam,4,2025-03-01,Pills.,0,1\n\
        Ann,3,2025-03-01,Fair.,1,1\n";
    let options = "--map verified=is_verified --public is_approved=1";
    let (bench, ..) = import_into_new(table, options).await;
    let expected = "Mat|not verified\nSpam|not published at the source\nAnn|";
    assert_eq!(select(&bench, "author, withheld_reason"), expected);
    let okendo = "name,body,title,rating,dateCreated,isVerifiedBuyer,status\nHanna,Fits.,A,5,2026-09-30T10:00:00.000Z,false,approved\n\
        Jo,Open.,B,4,2026-09-29T10:00:00.000Z,true,approved\n";
    let loox = "id,status,rating,nickname,review,date,productId,verified_purchase\nL1,Active,5,Hanna,Fits.,2026-10-12,7,false\n\
        L2,Active,4,Jo,Open.,2026-10-12,7,true\n";
    for content in [okendo, loox] {
        let (bench, ..) = import_into_new(content, "").await;
        let expected = "Hanna|published|manual\nJo|published|source_platform";
        assert_eq!(
            select(&bench, "author, status, verification_method"),
            expected
        );
    }
}

#[tokio::test]
async fn an_error_document_is_refused_and_an_empty_list_accepted() {
    for error in [
        r#"{"error": "invalid key", "reviews": []}"#,
        r#"{"errors": [{"code": 7}], "data": []}"#,
        r#"{"status": "Pending", "id": "1"}"#,
        r#"{"errorMessage": "no credits"}"#,
        r#"{"code": "woocommerce_rest_cannot_view", "message": "Sorry", "data": {"status": 401}}"#,
        r#"{"success": false, "reviews": []}"#,
    ] {
        let bench = bench().await;
        let refusal = bench.refusal(error).await;
        assert!(!refusal.contains("invalid key"), "{refusal}");
        assert_eq!(bench.sql("select count(*) from import_run"), "0", "{error}");
    }
    for empty in [
        "[]",
        r#"{"reviews": []}"#,
        r#"{"results": [], "total": 0}"#,
        r#"{"items": [], "version": "https://jsonfeed.org/version/1.1"}"#,
        r#"{"status": "Success", "data": [[]]}"#,
        "author,rating,date,text\n",
    ] {
        let stored = found(empty, "", "select count(*) from review").await;
        assert_eq!(stored, "0", "{empty}");
    }
}

#[tokio::test]
async fn reviews_in_their_place_get_its_location() {
    let place = json!([{"name": "Peak", "place_id": "ChIJa", "reviews_data": [{"review_id": "Ch1", "author_title": "Ana",
        "review_text": null, "review_rating": 5, "review_timestamp": 1_741_079_440, "owner_answer": null}]}]);
    let answer = json!({"id": "1", "status": "Success", "data": [place]});
    for content in [place, answer] {
        let select = "select review_id, location from review_source";
        let stored = found(content.to_string(), "", select).await;
        assert_eq!(stored, "google-maps-Ch1|ChIJa");
    }
}
