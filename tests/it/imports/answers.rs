//! The answer in a row: its visibility at platforms, the form in which a file holds it, and who wrote it.

use super::*;

const NOTE: &str = "PRIVATE-NOTE";

fn answers(bench: &Bench) -> String {
    let select = "select author || ': ' || ifnull(response_text, '-') from review order by author";
    bench.sql(select)
}

/// By platform, two reviews of which the second has a private answer.
fn files() -> [(&'static str, String); 4] {
    let yotpo_table = format!(
        "review_id,review_content,review_score,date,display_name,comment_content,comment_public\n\
         1,Fixed.,5,2025-03-14,Ann,Thank you.,true\n2,Late.,2,2025-03-14,Bob,{NOTE},false\n"
    );
    let okendo = json!({"reviews": [
        {"reviewId": "a", "productId": "p", "rating": 5, "body": "Fixed.", "dateCreated": "2025-03-14T09:11:02Z",
            "reviewer": {"displayName": "Ann"}, "reply": {"body": "Thank you.", "isPrivate": false}, "status": "approved"},
        {"reviewId": "b", "productId": "p", "rating": 2, "body": "Late.", "dateCreated": "2025-03-14T09:11:02Z",
            "reviewer": {"displayName": "Bob"}, "reply": {"body": NOTE, "isPrivate": true}, "status": "approved"}]});
    let podium = |author: &str, responses: Value| {
        json!({"uid": author, "createdAt": "2026-10-02T10:00:00Z", "author": {"name": author},
            "review": {"rating": 1, "body": "Late.", "siteName": "Google"}, "responses": responses})
    };
    let both =
        json!([{"body": NOTE, "status": "draft"}, {"body": "Thank you.", "status": "published"}]);
    let deleted = json!([{"body": NOTE, "deleted": true}]);
    let podium = json!([podium("Ann", both), podium("Bob", deleted)]);
    let reviews_io = |id: u8, name: &str, replies: Value| {
        json!({"store_review_id": id, "rating": 5, "comments": "Nice.", "date_created": "2026-03-04 16:00:00",
            "reviewer": {"first_name": name, "last_name": ""}, "replies": replies})
    };
    let reviews_io = json!({"reviews": [
        reviews_io(1, "Ann", json!([{"comments": NOTE, "private": 1}, {"comments": "Thank you.", "private": 0}])),
        reviews_io(2, "Bob", json!([{"comments": NOTE, "private": 1}])),
    ]});
    [
        ("Yotpo's table", yotpo_table),
        ("Okendo's API", okendo.to_string()),
        ("Podium", podium.to_string()),
        ("Reviews.io", reviews_io.to_string()),
    ]
}

#[tokio::test]
async fn a_private_answer_is_neither_published_nor_stored() {
    for (what, content) in files() {
        let (bench, report, rejections) = import_into_new(content, "").await;
        assert_eq!(
            (counts(&report), rejections),
            ((2, 0, 0, 0), Vec::new()),
            "{what}"
        );
        assert_eq!(answers(&bench), "Ann: Thank you.\nBob: -", "{what}");
        let published = "select count(*) from review where status = 'published'";
        assert_eq!(bench.sql(published), "2", "{what}");
        assert_not_stored(&bench, &[NOTE], what);
    }
}

#[tokio::test]
async fn only_what_the_business_wrote_is_the_answer() {
    let row = |name: &str, writer: &str| {
        let row = json!({"id": "x1", "rating": 5, "date": "2025-03-14", "author": "Ann Bell", "text": "Fixed.",
            name: {"text": "Thanks.", "author": writer}});
        json!([row])
    };
    let feefo = |thread: &[&str]| {
        let said = |author: &&str| {
            json!({"author": author, "comment": if *author == "merchant" { "Thanks." } else { "Wait." },
            "created_at": "2025-03-16T10:00:00.000Z"})
        };
        let thread: Vec<Value> = thread.iter().map(said).collect();
        json!({"reviews": [{"merchant": {"identifier": "k"}, "customer": {"display_name": "Ann Bell"}, "service": {"id": "1",
            "rating": {"rating": 5}, "created_at": "2025-03-14T10:00:00.000Z", "review": "Neat.", "thread": thread}}]})
    };
    let page = |comment: Value| {
        json!({"@context": "https://schema.org", "@type": "HVACBusiness", "name": "Peak Heating", "review": [
            {"@type": "Review", "author": {"name": "Ann Bell"}, "reviewRating": {"ratingValue": 5}, "datePublished": "2025-03-14",
                "reviewBody": "Neat.", "comment": comment}]})
    };
    let by = |author: Value| json!({"@type": "Comment", "text": "Thanks.", "author": author});
    let other = || json!({"text": "Mine too.", "author": {"@type": "Person", "name": "Random"}});
    for (file, expected) in [
        (row("reply", "Ann Bell"), "-"),
        (row("response", "ann  bell"), "-"),
        (row("response", "Kim"), "Thanks."),
        (feefo(&["customer", "merchant"]), "Thanks."),
        (feefo(&["customer"]), "-"),
        (feefo(&[]), "-"),
        (
            page(json!([other(), by(json!({"name": "Peak Heating"}))])),
            "Thanks.",
        ),
        (
            page(json!([other(), by(json!("Peak Heating LLC"))])),
            "Thanks.",
        ),
        (
            page(by(json!({"@type": "Organization", "name": "Peak"}))),
            "Thanks.",
        ),
        (page(by(Value::Null)), "Thanks."),
        (page(json!({"text": "Thanks."})), "Thanks."),
        (page(other()), "-"),
        (page(json!([other()])), "-"),
    ] {
        let options = if file.is_array() {
            "--format table"
        } else {
            ""
        };
        let (bench, ..) = import_into_new(file.to_string(), options).await;
        assert_eq!(answers(&bench), format!("Ann Bell: {expected}"), "{file}");
    }
    let sheet = "rating,date,author,text,response.text,response.author\n5,2025-03-14,Ann,Fixed.,One more thing.,Ann\n\
        5,2025-03-14,Bo,Fixed.,Thanks.,Kim\n";
    let (bench, ..) = import_into_new(sheet, "").await;
    assert_eq!(answers(&bench), "Ann: -\nBo: Thanks.");
}
