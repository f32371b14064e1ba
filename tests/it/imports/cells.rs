//! What cells mean in all formats but the native one: words for empty, errors of spreadsheets, ratings in words, addresses, HTML,
//! translations, Unicode, and the typed values of databases.

use super::cases::texts_in_a_workbook;
use super::*;

fn select(bench: &Bench, columns: &str) -> String {
    let select = format!("select {columns} from review order by rating desc, author");
    bench.sql(&select)
}

/// These rows, of which the first has the headers, in every form that a table has.
fn forms(rows: &[&[&str]]) -> [Vec<u8>; 5] {
    let delimited = |delimiter: &str| {
        let quoted = |cell: &&str| format!("\"{}\"", cell.replace('"', "\"\""));
        let line = |row: &&[&str]| row.iter().map(quoted).collect::<Vec<_>>().join(delimiter);
        rows.iter().map(line).collect::<Vec<_>>().join("\n")
    };
    let object = |row: &&[&str]| {
        let members = rows[0].iter().zip(*row);
        let members = members.map(|(name, cell)| ((*name).to_owned(), json!(cell)));
        Value::Object(members.collect())
    };
    let objects: Vec<Value> = rows[1..].iter().map(object).collect();
    let texts = |row: &&[&str]| row.iter().map(|cell| (*cell).to_owned()).collect();
    let texts: Vec<Vec<String>> = rows.iter().map(texts).collect();
    [
        delimited(",").into(),
        delimited("\t").into(),
        texts_in_a_workbook(&texts),
        json!(objects).to_string().into(),
        lines(&objects).into(),
    ]
}

/// The rating, author, text, title, reply and source of rows, and what is stored of them: the author, these texts and the source, or the
/// rating; or the error.
const CELLS: &str = r#"
    5 → None → None of it worked → None → N/A → null → Anonymous|None of it worked|||Direct
    4 → Null → NaN → n/a → - → - → Null||||Direct
    3 → Nan → undefined → Nothing →  none  → NULL → Nan||Nothing||Direct
    5 → Ann → #1 in town. → #1 → #N/A is what it said →  → Ann|#1 in town.|#1|#N/A is what it said|Direct
    #BEZUG! → Ann → Fine. →  →  →  → rating: #BEZUG! is an error of the spreadsheet
    5 → #NV → Fine. →  →  →  → author: #NV is an error of the spreadsheet; correct the cell's formula, or empty the cell
    5 → Ann → Loading... → #REF! →  →  → text: Loading... is an error
    5 → Ann → Fine. → #¡VALOR! →  →  → title: #¡VALOR! is an error
    5 → Ann → Fine. →  → Err:502 →  → reply: Err:502 is an error
    5 → Ann → Fine. →  →  → #ЗНАЧ! → source: #ЗНАЧ! is an error
    3,0 von 5 Sternen → Ann →  →  →  →  → 3
    5つ星のうち2.0 → Ann →  →  →  →  → 2
    Rated 4 out of 5 → Ann →  →  →  →  → 4
    ٥ → Ann →  →  →  →  → 5
    2 stars, 5 votes → Ann →  →  →  →  → rating: "2 stars, 5 votes" is not one of 1, 2, 3, 4, 5
"#;

#[tokio::test]
async fn a_cell_means_the_same_in_every_form() {
    let cases: Vec<[&str; 7]> = table(CELLS);
    let ids: Vec<String> = (10..10 + cases.len()).map(|id| id.to_string()).collect();
    let mut rows = vec![vec![
        "id", "date", "rating", "author", "text", "title", "reply", "source",
    ]];
    for (case, id) in cases.iter().zip(&ids) {
        rows.push([&[id, "2026-03-01"], &case[..6]].concat());
    }
    let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
    for content in forms(&rows) {
        let (bench, _, rejections) = import_into_new(content, "--format table").await;
        let mut rejections = rejections.into_iter();
        for ([.., expected], id) in cases.iter().zip(&ids) {
            if expected.contains(": ") {
                assert_has(&rejections.next().unwrap().error, expected);
                continue;
            }
            let values = "author, text, title, response_text, source_name";
            let columns = if expected.contains('|') {
                values
            } else {
                "rating"
            };
            let select = format!("select {columns} from review where review_id = '{id}'");
            assert_eq!(bench.sql(&select), *expected, "{id}");
        }
        assert_eq!(rejections.next(), None);
    }
}

#[tokio::test]
async fn cells_of_platforms_are_cleaned_and_those_of_our_own_form_are_not() {
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
async fn the_original_of_what_google_translated_is_published() {
    let text = "(Traducido por Google) Very clean work.\n\n(Original)\nTrabajo muy limpio.";
    let answer = "Muy rápidos.\n\n（Google による翻訳）\nVery fast.";
    let of_source = |source| {
        forms(&[
            &["rating", "date", "author", "text", "reply", "source"],
            &["5", "2025-03-04", "Ana", text, answer, source],
        ])
    };
    let apify = json!([{"stars": 5, "publishedAtDate": "2025-03-04T09:10:40.000Z", "name": "Ana", "reviewId": "c1", "text": text,
        "responseFromOwnerText": answer}]);
    let changes = json!({"comment": text, "reviewReply": {"comment": answer}});
    let outscraper = format!(
        "name,place_id,review_id,author_title,review_text,review_rating,review_timestamp,owner_answer\n\
         P,C,c1,Ana,\"{text}\",5,1741079440,\"{answer}\"\n"
    );
    let platforms = [
        apify.to_string(),
        page(&[google(1, "c1", &changes)]),
        outscraper,
    ];
    let select = "select text, response_text from review";
    for content in of_source("google")
        .into_iter()
        .chain(platforms.map(Into::into))
    {
        let stored = found(content, "", select).await;
        assert_eq!(stored, "Trabajo muy limpio.|Muy rápidos.");
    }
    for content in of_source("Yelp") {
        assert_eq!(found(content, "", select).await, format!("{text}|{answer}"));
    }
    let place = json!({"result": {"reviews": [{"author_name": "Ana", "language": "en", "original_language": "es", "rating": 5,
        "text": "Very clean.", "time": 1_741_079_440, "translated": true}]}});
    let select = "select text, language from review";
    assert_eq!(found(place.to_string(), "", select).await, "Very clean.|en");
}

#[tokio::test]
async fn two_columns_of_a_text_are_joined_with_an_empty_line_between() {
    let table = "date,author,score,liked,disliked\n2026-05-04,Ann,8,Warm rooms.,The lift.\n2026-05-06,Bo,2,,Cold.\n\
        2026-05-07,Cy,10,Food.,-\n";
    let options = "--map text=liked --map text=disliked --map rating=score --scale 10";
    let (bench, ..) = import_into_new(table, options).await;
    assert_eq!(
        select(&bench, "text"),
        "Food.\nWarm rooms.\n\nThe lift.\nCold."
    );
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
async fn addresses_and_numbers_of_people_are_not_published() {
    for [cell, author] in table(
        "
            Ann (ann@e.com) → Ann
            Ann Bell ann@e.com → Ann Bell
            ann@e.com - Ann → Ann
            6025550100 → Anonymous
            \u{200b} → Anonymous
        ",
    ) {
        let content = format!("rating,date,author,text\n5,2026-03-01,{cell},ann@example.com\n");
        let stored = found(content, "", "select author, text from review").await;
        assert_eq!(stored, format!("{author}|"), "{cell}");
    }
}

#[tokio::test]
async fn a_row_that_says_it_is_not_verified_is_withheld_and_a_writer_who_is_no_buyer_is_not() {
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
async fn markup_is_read_only_in_formats_with_html_texts() {
    let text = "They&#8217;re neat &amp; quick.<br />Would <strong>call</strong> again.";
    let table =
        format!("rating,date,author,text\n5,2025-03-01,Ann &amp; Bo,\"{text} <3 AT&amp;T x<y\"\n");
    let stored = found(table, "", "select author, text from review").await;
    assert_eq!(stored, format!("Ann &amp; Bo|{text} <3 AT&amp;T x<y"));
    let woo = format!(
        "comment_ID,comment_author,comment_date,comment_content,comment_approved,comment_parent,user_id,rating\n\
         31,Ann &amp; Bo,2025-10-18 17:59:17,{text},1,0,0,5\n32,Cy,2025-10-19 17:59:17,5 &lt; 10 minutes late; a < b,1,0,0,3\n"
    );
    let (bench, ..) = import_into_new(woo, "").await;
    let expected =
        "Ann & Bo|They’re neat & quick.\nWould call again.\nCy|5 < 10 minutes late; a < b";
    assert_eq!(select(&bench, "author, text"), expected);
}

#[tokio::test]
async fn texts_are_stored_composed_so_the_same_row_is_unchanged() {
    let bench = bench().await;
    let composed = "date,rating,author,text,reply\n2025-03-05,4,José,\"Très bon café\",Señor\n";
    let decomposed = "date,rating,author,text,reply\n2025-03-05,4,Jose\u{301},\"Tre\u{300}s bon cafe\u{301}\",Sen\u{303}or\n";
    assert_eq!(counts(&bench.take(composed).await.0), (1, 0, 0, 0));
    assert_eq!(counts(&bench.take(decomposed).await.0), (0, 0, 1, 0));
    let own = native(&json!({"text": "cafe\u{301}"}));
    let stored = found(own.to_string(), "", "select text from review").await;
    assert_eq!(stored, "cafe\u{301}");
}

#[tokio::test]
async fn one_broken_element_rejects_only_that_row_at_any_position() {
    let row = |name: &str, stars: &str| {
        format!(
            r#"{{"reviewId":"{name}","name":"{name}","stars":{stars},"publishedAtDate":"2025-03-04T09:10:40.000Z"}}"#
        )
    };
    let [one, other] = [row("Bo", "4"), row("Cy", "4")];
    for broken in [row(r"Ann \ud83d", "5"), row("Ann", "1e999"), "7".to_owned()] {
        for (content, names) in [
            (format!("[{broken},{one}]"), "Bo"),
            (format!("[{one},\n{broken},{other}]"), "Bo\nCy"),
            (format!("{{\"data\": [{broken}, {one}]}}"), "Bo"),
        ] {
            let (bench, _, rejections) = import_into_new(&content, "").await;
            assert_eq!(rejections.len(), 1, "{content}");
            assert_eq!(select(&bench, "author"), names, "{content}");
        }
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
