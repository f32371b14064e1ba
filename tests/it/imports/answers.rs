//! The answer in a row: its visibility, the form in which a file holds it, and what its hidden state takes back.

use super::tables::workbook;
use super::*;

const PRIVATE: &str = "PRIVATE-NOTE";

/// Imports a file with these options into a new database; both answers are dated and the business has a time zone.
pub(super) async fn import_into_new(
    content: impl AsRef<[u8]>,
    options: &str,
) -> (Bench, ImportReport, Vec<Rejection>) {
    let bench = bench().await;
    bench.set_time_zone("America/Phoenix").await;
    let request = request_for([bench.file("some.txt", content)], options);
    let (report, rejections) = bench.run(&request).await;
    (bench, report.unwrap(), rejections)
}

fn answers(bench: &Bench) -> String {
    let select = "select author || ': ' || ifnull(response_text, '-') from review order by author";
    bench.sql(select)
}

/// Rows of two reviews, of which the second has a private answer.
fn files() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let table = |column: &str, public: &str, private: &str| {
        format!(
            "id,rating,date,author,text,reply,{column}\nx1,5,2025-03-14,Ann,Fixed.,Thank you.,{public}\n\
             x2,2,2025-03-16,Bob,Late.,{PRIVATE} refund,{private}\n"
        )
        .into_bytes()
    };
    let yotpo = json!([
        {"id": 1, "score": 5, "votes_up": 0, "content": "Fixed.", "created_at": "2025-03-14T09:11:02Z",
            "user": {"display_name": "Ann"}, "comment": {"content": "Thank you.", "public": true}},
        {"id": 2, "score": 2, "votes_up": 0, "content": "Late.", "created_at": "2025-03-14T09:11:02Z",
            "user": {"display_name": "Bob"}, "comment": {"content": PRIVATE, "public": false}}]);
    let yotpo_table = format!(
        "review_id,review_content,review_score,date,display_name,comment_content,comment_public\n\
         1,Fixed.,5,2025-03-14,Ann,Thank you.,true\n2,Late.,2,2025-03-14,Bob,{PRIVATE},false\n"
    );
    let okendo = json!({"reviews": [
        {"reviewId": "a", "productId": "p", "rating": 5, "body": "Fixed.", "dateCreated": "2025-03-14T09:11:02Z",
            "reviewer": {"displayName": "Ann"}, "reply": {"body": "Thank you.", "isPrivate": false}, "status": "approved"},
        {"reviewId": "b", "productId": "p", "rating": 2, "body": "Late.", "dateCreated": "2025-03-14T09:11:02Z",
            "reviewer": {"displayName": "Bob"}, "reply": {"body": PRIVATE, "isPrivate": true}, "status": "approved"}]});
    let podium = |responses: Value, uid: &str, author: &str| {
        json!({"uid": uid, "createdAt": "2026-10-02T10:00:00Z", "author": {"name": author},
            "review": {"rating": 1, "body": "Late.", "siteName": "Google"}, "responses": responses})
    };
    let podium = json!([
        podium(
            json!([{"body": PRIVATE, "status": "draft"}, {"body": "Thank you.", "status": "published"}]),
            "a",
            "Ann"
        ),
        podium(json!([{"body": PRIVATE, "deleted": true}]), "b", "Bob")
    ]);
    let reply = |state: &str, text: &str| json!({"reviewReply": {"comment": text}, "reviewReplyState": state});
    let google = page(&[
        google(
            1,
            "a",
            &json!({"reviewer": {"displayName": "Ann"}, "reviewReply": {"comment": "Thank you.", "state": "APPROVED"}}),
        ),
        {
            let mut row = google(1, "b", &reply("REJECTED", PRIVATE));
            row["reviewer"] = json!({"displayName": "Bob"});
            row
        },
    ]);
    let objects = |private: Value| {
        json!([{"id": "x1", "rating": 5, "date": "2025-03-14", "author": "Ann", "text": "Fixed.",
                "owner_response": {"text": "Thank you.", "visibility": "public"}},
            {"id": "x2", "rating": 2, "date": "2025-03-16", "author": "Bob", "text": "Late.", "owner_response": private}])
        .to_string()
        .into_bytes()
    };
    let sheet = workbook(&[
        &[
            "id",
            "rating",
            "date",
            "author",
            "text",
            "Company reply",
            "Company reply status",
        ],
        &[
            "x1",
            "#5",
            "2025-03-14",
            "Ann",
            "Fixed.",
            "Thank you.",
            "Published",
        ],
        &["x2", "#2", "2025-03-16", "Bob", "Late.", PRIVATE, "Draft"],
    ]);
    let own = lines(&[
        native(
            &json!({"id": "a", "author": "Ann", "response": {"text": "Thank you.", "public": true}}),
        ),
        native(
            &json!({"id": "b", "author": "Bob", "response": {"text": PRIVATE, "private": true}}),
        ),
    ]);
    let columns = [
        ["reply_public", "yes", "no"],
        ["reply_public", "yes", ""],
        ["Reply private", "no", "yes"],
        ["reply_status", "approved", "pending"],
        ["is_public_reply", "1", "0"],
        ["reply_deleted_at", "", "2025-03-17"],
    ];
    let tables =
        columns.map(|[column, public, private]| (column, table(column, public, private), ""));
    let files = vec![
        ("our own form", own.into_bytes(), ""),
        ("Yotpo's API", yotpo.to_string().into_bytes(), ""),
        ("Yotpo's table", yotpo_table.into_bytes(), ""),
        ("Okendo's API", okendo.to_string().into_bytes(), ""),
        ("several answers", podium.to_string().into_bytes(), ""),
        ("Google's states", google.into_bytes(), ""),
        (
            "an object",
            objects(json!({"text": PRIVATE, "visibility": "private"})),
            "--format table",
        ),
        (
            "an object with a kind",
            objects(json!({"text": PRIVATE, "type": "private"})),
            "--format table",
        ),
        ("a workbook", sheet, ""),
    ];
    files.into_iter().chain(tables).collect()
}

#[tokio::test]
async fn a_private_answer_is_neither_published_nor_in_the_file() {
    for (what, content, request) in files() {
        let (bench, report, rejections) = import_into_new(content, request).await;
        assert_eq!(
            (counts(&report), rejections),
            ((2, 0, 0, 0), Vec::new()),
            "{what}"
        );
        assert_eq!(answers(&bench), "Ann: Thank you.\nBob: -", "{what}");
        let published = "select count(*) from review where status = 'published'";
        assert_eq!(bench.sql(published), "2", "{what}");
        for file in ["reviews.db", "reviews.db-wal"] {
            let bytes = fs::read(bench.folder.path().join(file)).unwrap_or_default();
            let private = memchr::memmem::find(&bytes, PRIVATE.as_bytes());
            assert_eq!(private, None, "{what}: {file}");
        }
    }
}

#[tokio::test]
async fn a_column_of_private_answers_is_not_read_and_no_state() {
    let table = format!(
        "id,rating,date,author,text,public_response,private_reply\nx1,5,2025-03-14,Ann,Fixed.,Thank you for calling us.,{PRIVATE} about the refund\n"
    );
    let (bench, report, _) = import_into_new(table, "").await;
    assert_eq!(counts(&report), (1, 0, 0, 0));
    assert_eq!(answers(&bench), "Ann: Thank you for calling us.");
    let table = "Date,Name,Stars,Comment,Public reply,Private reply\n2026-03-14,Ann,5,Fine,Thanks,more\n2026-03-16,Bob,4,Good,,ok\n";
    let (bench, report, _) = import_into_new(table, "").await;
    assert_eq!(counts(&report), (2, 0, 0, 0));
    assert_eq!(answers(&bench), "Ann: Thanks\nBob: -");
}

#[tokio::test]
async fn an_answer_without_the_date_of_its_publication_is_a_draft() {
    let json = |published: Value| json!({"text": "Thanks.", "published_at": published});
    let rows = json!([
        {"date": "2026-03-14", "author": "Ann", "rating": 5, "comment": "Fine", "reply": json(json!("2026-03-15"))},
        {"date": "2026-03-16", "author": "Bob", "rating": 4, "comment": "Good", "reply": json(Value::Null)}]);
    let table = |header: &str, yes: &str, no: &str| {
        format!(
            "Date,Name,Stars,Comment,Reply,{header}\n2026-03-14,Ann,5,Fine,Thanks.,{yes}\n2026-03-16,Bob,4,Good,Thanks.,{no}\n"
        )
    };
    for (content, request) in [
        (rows.to_string(), "--format table"),
        (table("Reply posted on", "2026-03-15", ""), ""),
        (table("reply_published_at", "2026-03-15", "NULL"), ""),
        (table("Réponse interne", "non", "oui"), ""),
        (table("Reply approved by manager", "Yes", "No"), ""),
    ] {
        let (bench, report, _) = import_into_new(content.clone(), request).await;
        assert_eq!(counts(&report), (2, 0, 0, 0), "{content}");
        assert_eq!(answers(&bench), "Ann: Thanks.\nBob: -", "{content}");
    }
}

#[tokio::test]
async fn an_unknown_visibility_of_an_answer_rejects_the_row() {
    let table = "id,rating,date,author,text,reply,reply_status\nx1,5,2025-03-14,Ann,Fixed.,Thanks.,asleep\n\
        x2,5,2025-03-14,Bob,Fixed.,,asleep\n";
    let (_, report, rejections) = import_into_new(table, "").await;
    assert_eq!(counts(&report), (1, 0, 0, 1));
    assert!(
        rejections[0]
            .error
            .starts_with("reply_status: \"asleep\" does not say whether the answer is public")
            && rejections[0].error.ends_with("--map response.status="),
        "{}",
        rejections[0]
    );
    let (bench, report, _) = import_into_new(table, "--map response.status=").await;
    assert_eq!(counts(&report), (2, 0, 0, 0));
    assert_eq!(answers(&bench), "Ann: Thanks.\nBob: -");
}

#[tokio::test]
async fn an_answer_hidden_later_is_taken_back() {
    let table = |word: &str| {
        format!(
            "id,rating,date,author,text,reply,reply_public\nx1,5,2025-03-14,Ann,Fixed.,Thanks.,{word}\n"
        )
    };
    let bench = bench().await;
    for (word, counted, answer) in [
        ("yes", (1, 0, 0, 0), "Ann: Thanks."),
        ("no", (0, 1, 0, 0), "Ann: -"),
        ("no", (0, 0, 1, 0), "Ann: -"),
        ("yes", (0, 1, 0, 0), "Ann: Thanks."),
    ] {
        let (report, _) = bench.take(table(word)).await;
        assert_eq!(
            (counts(&report), answers(&bench).as_str()),
            (counted, answer)
        );
    }
}

#[tokio::test]
async fn an_answer_or_author_may_be_an_object_or_a_list() {
    for [author, reply, expected] in table(
        r#"
            "Ann" → {"text": "Thanks", "date": "2025-03-02"} → Thanks|2025-03-02
            {"name": "Ann"} → {"content": "Thanks", "created_at": "2025-03-02"} → Thanks|2025-03-02
            {"display_name": "Ann"} → {"snippet": "Thanks", "date": "5 months ago", "iso_date": "2025-03-02"} → Thanks|2025-03-02
            [{"name": "Ann"}] → [{"comment": "Thanks", "date": "2025-03-02"}] → Thanks|2025-03-02
            "Ann" → {"body": "Thanks", "date": "5 months ago"} → Thanks|
            "Ann" → "Thanks" → Thanks|
            "Ann" → {"unknown": "Thanks"} → |
            "Ann" → [] → |
        "#,
    ) {
        let rows = format!(
            r#"[{{"id": "a", "rating": 5, "date": "2025-03-01", "author": {author}, "text": "Neat", "reply": {reply}}},
            {{"id": "b", "rating": 1, "date": "2025-03-01", "author": {{"name": "Bo"}}, "text": "Late", "reply": null}}]"#
        );
        let (bench, report, rejections) = import_into_new(&rows, "--format table").await;
        assert_eq!((counts(&report), rejections), ((2, 0, 0, 0), Vec::new()));
        let select = "select ifnull(response_text, '') || '|' || ifnull(response_on, '') from review where author = 'Ann'";
        assert_eq!(bench.sql(select), expected, "{rows}");
    }
}

#[tokio::test]
async fn dates_and_authors_of_listed_answers_are_read_in_any_json() {
    for name in ["response", "responses", "reply", "replies"] {
        let answer = json!([{"body": "Thanks", "createdAt": "2026-10-05", "author": "Kim"}]);
        let row = json!([{"id": "1", "stars": 5, "date": "2026-10-01", "author": "Ann", "text": "Nice", name: answer}]);
        let select = "select response_text, response_on, response_author from review";
        let answer = found(row.to_string(), "--format table", select).await;
        assert_eq!(answer, "Thanks|2026-10-05|Kim", "{name}");
    }
}

#[tokio::test]
async fn the_date_of_an_answer_has_many_names_in_tables() {
    let names = "Reply date; Business Response Date; replied_at; Antwort am; owner_answer_date; Developer Reply Date and Time";
    for name in names.split("; ") {
        let content = format!(
            "Date,Name,Stars,Comment,Reply,{name}\n2026-10-01,Ann,5,Neat,Thanks,2026-10-05\n"
        );
        let day = found(content, "", "select response_on from review").await;
        assert_eq!(day, "2026-10-05", "{name}");
    }
}

#[tokio::test]
async fn the_answer_in_a_feed_is_not_part_of_the_text() {
    let item = |id: &str, text: &str| {
        json!({"id": id, "content_text": text, "date_published": "2026-10-01T00:00:00-07:00", "authors": [{"name": id}],
            "_review": {"rating": 5}})
    };
    let feed =
        |items: &[Value]| json!({"version": "https://jsonfeed.org/version/1.1", "items": items});
    let items = [
        item(
            "a",
            "Nice.\n\nAnd quick.\n\nResponse from Peak, Inc.:\nThanks: see you.\n\nKim",
        ),
        item("b", "Response from Peak:\nThanks"),
        item("c", "No Response from Peak: sad"),
    ];
    let (bench, _, _) = import_into_new(feed(&items).to_string(), "").await;
    let found = "select text, response_author, response_text from review order by author";
    assert_eq!(
        bench.sql(found),
        "Nice.\n\nAnd quick.|Peak, Inc.|Thanks: see you.\n\nKim\n|Peak|Thanks\nNo Response from Peak: sad||"
    );
    // An answer that was removed goes here too.
    bench.take(feed(&[item("b", "")]).to_string()).await;
    assert_eq!(answers(&bench), "a: Thanks: see you.\n\nKim\nb: -\nc: -");
}

/// Of a review by Ann, in JSON of no known platform.
fn row(name: &str, answer: &Value) -> String {
    json!([{"id": "x1", "rating": 5, "date": "2025-03-14", "author": "Ann Bell", "text": "Fixed.", name: answer}]).to_string()
}

#[tokio::test]
async fn an_answer_by_a_customer_is_not_that_of_the_business() {
    let said = |author: Value, text: &str| json!({"text": text, "author": author});
    let ann = || said(json!("Ann Bell"), "One more thing.");
    let kim = || said(json!("Kim"), "Thank you.");
    for (answer, expected) in [
        (ann(), "-"),
        (said(json!({"name": "ann bell"}), "One more thing."), "-"),
        (said(json!("customer"), "One more thing."), "-"),
        (json!({"text": "One more thing.", "role": "Reviewer"}), "-"),
        (kim(), "Thank you."),
        (json!({"text": "Thank you."}), "Thank you."),
        (json!({"text": "Thank you.", "role": "owner"}), "Thank you."),
        (json!([ann(), kim()]), "Thank you."),
        (json!([ann(), {"text": "Thank you."}]), "Thank you."),
        (json!([ann()]), "-"),
    ] {
        for name in ["reply", "responses"] {
            let (bench, _, rejections) =
                import_into_new(row(name, &answer), "--format table").await;
            assert_eq!(rejections, []);
            assert_eq!(answers(&bench), format!("Ann Bell: {expected}"), "{answer}");
        }
    }
    let table = "rating,date,author,text,response.text,response.author\n5,2025-03-14,Ann,Fixed.,One more thing.,Ann\n\
        5,2025-03-14,Bo,Fixed.,Thanks.,Kim\n";
    let (bench, ..) = import_into_new(table, "").await;
    assert_eq!(answers(&bench), "Ann: -\nBo: Thanks.");
}

#[tokio::test]
async fn a_thread_at_feefo_gives_the_answer_of_the_merchant() {
    let said = |author: &str, text: &str| json!({"author": author, "comment": text, "created_at": "2025-03-16T10:00:00.000Z"});
    for (thread, expected) in [
        (
            json!([said("customer", "Wait."), said("merchant", "Thanks.")]),
            "Thanks.",
        ),
        (json!([said("customer", "Wait.")]), "-"),
        (json!([]), "-"),
    ] {
        let file = json!({"reviews": [{"merchant": {"identifier": "k"}, "customer": {"display_name": "Ann"},
            "service": {"id": "1", "rating": {"rating": 5}, "created_at": "2025-03-14T10:00:00.000Z", "review": "Neat.", "thread": thread}}]});
        let (bench, ..) = import_into_new(file.to_string(), "").await;
        assert_eq!(answers(&bench), format!("Ann: {expected}"), "{thread}");
    }
}

#[tokio::test]
async fn a_comment_on_a_page_is_an_answer_if_the_business_wrote_it() {
    let by = |author: Value| json!({"@type": "Comment", "text": "Thanks.", "author": author});
    let other = || json!({"text": "Mine too.", "author": {"@type": "Person", "name": "Random"}});
    for (comment, expected) in [
        (
            json!([other(), by(json!({"name": "Peak Heating"}))]),
            "Thanks.",
        ),
        (json!([other(), by(json!("Peak Heating LLC"))]), "Thanks."),
        (
            by(json!({"@type": "Organization", "name": "Peak"})),
            "Thanks.",
        ),
        (by(json!({"name": "Kim, Owner"})), "Thanks."),
        (by(Value::Null), "Thanks."),
        (json!({"text": "Thanks."}), "Thanks."),
        (other(), "-"),
        (json!([other()]), "-"),
    ] {
        let page = json!({"@context": "https://schema.org", "@type": "HVACBusiness", "name": "Peak Heating", "review": [
            {"@type": "Review", "author": {"name": "Ann"}, "reviewRating": {"ratingValue": 5}, "datePublished": "2025-03-14",
                "reviewBody": "Neat.", "comment": comment}]});
        let (bench, ..) = import_into_new(page.to_string(), "").await;
        assert_eq!(answers(&bench), format!("Ann: {expected}"), "{comment}");
    }
}
