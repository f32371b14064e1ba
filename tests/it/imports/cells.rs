//! What cells mean in all formats but the native one: words for empty, addresses, HTML, translations, Unicode.

use super::tables::workbook;
use super::*;

fn select(bench: &Bench, columns: &str) -> String {
    let select = format!("select {columns} from review order by rating desc, author");
    bench.sql(&select)
}

#[tokio::test]
async fn words_for_empty_are_empty_in_every_format() {
    let csv = "id,rating,date,author,text,title,reply,language\n\
        r5,5,2025-03-01,None,None of it worked,None,N/A,null\nr4,4,2025-03-01,Null,NaN,n/a,-,en\n\
        r3,3,2025-03-01,Nan,undefined,Nothing, none ,-";
    let expected = "Anonymous|None of it worked|||\nNull||||en\nNan||Nothing||";
    let rows: Vec<Vec<&str>> = csv.lines().map(|row| row.split(',').collect()).collect();
    let objects = rows[1..].iter().map(|row| {
        let members = rows[0].iter().zip(row);
        Value::Object(
            members
                .map(|(name, cell)| ((*name).to_owned(), json!(cell)))
                .collect(),
        )
    });
    let sheet: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
    for (what, content, request) in [
        ("a table", csv.into(), ""),
        (
            "objects",
            json!(objects.collect::<Vec<_>>()).to_string().into_bytes(),
            "--format table",
        ),
        ("a workbook", workbook(&sheet), ""),
    ] {
        let (bench, _, rejections) = import_into_new(content, request).await;
        assert_eq!(rejections, [], "{what}");
        let stored = select(&bench, "author, text, title, response_text, language");
        assert_eq!(stored, expected, "{what}");
    }
    let trustpilot = json!([{"id": "t", "stars": 1, "title": "nan", "text": "NULL", "createdAt": "2026-10-15T07:00:00Z",
        "consumer": {"displayName": "N/A"}, "companyReply": {"text": "None"}}]);
    let (bench, _, _) = import_into_new(trustpilot.to_string(), "").await;
    assert_eq!(
        select(&bench, "author, title, text, response_text"),
        "Anonymous|||"
    );
    // Our own exports come back as they were.
    let own = native(&json!({"author": "None", "text": "N/A", "title": "-"}));
    let (bench, _, _) = import_into_new(own.to_string(), "").await;
    assert_eq!(select(&bench, "author, title, text"), "None|-|N/A");
}

#[tokio::test]
async fn addresses_and_numbers_of_people_are_not_published() {
    for (cell, author) in [
        ("Ann (ann@e.com)", "Ann"),
        ("Ann Bell ann@e.com", "Ann Bell"),
        ("ann@e.com - Ann", "Ann"),
        ("6025550100", "Anonymous"),
        ("\u{200b}", "Anonymous"),
    ] {
        let content = format!(
            "rating,date,author,text\n5,2026-03-01,{cell},ann@example.com\n4,2026-03-01,Bo,Good.\n"
        );
        let (bench, ..) = import_into_new(content, "").await;
        let expected = format!("{author}|\nBo|Good.");
        assert_eq!(select(&bench, "author, text"), expected, "{cell}");
    }
}

#[tokio::test]
async fn a_row_that_says_it_is_not_verified_is_withheld() {
    let table = "name,rating,date,text,is_approved,is_verified\nMat,5,2025-03-01,Good.,1,0\nSpam,4,2025-03-01,Pills.,0,1\n\
        Ann,3,2025-03-01,Fair.,1,1\n";
    let options = "--map verified=is_verified --public is_approved=1";
    let (bench, ..) = import_into_new(table, options).await;
    assert_eq!(
        select(&bench, "author, withheld_reason"),
        "Mat|not verified\nSpam|not published at the source\nAnn|"
    );
}

#[tokio::test]
async fn a_reviewer_without_purchase_is_not_verified_or_withheld() {
    let okendo = "name,body,title,rating,dateCreated,isVerifiedBuyer,status\nHanna,Fits.,A,5,2026-09-30T10:00:00.000Z,false,approved\n\
        Jo,Open.,B,4,2026-09-29T10:00:00.000Z,true,approved\n";
    let loox = "id,status,rating,nickname,review,date,productId,verified_purchase\nL1,Active,5,Hanna,Fits.,2026-10-12,7,false\n\
        L2,Active,4,Jo,Open.,2026-10-12,7,true\n";
    let shown = "author, status, verification_method";
    for content in [okendo, loox] {
        let (bench, _, _) = import_into_new(content, "").await;
        let expected = "Hanna|published|manual\nJo|published|source_platform";
        assert_eq!(select(&bench, shown), expected);
    }
}

#[tokio::test]
async fn the_original_of_a_translated_text_or_answer_is_published() {
    let text = "(Translated by Google) Very clean work.\n\n(Original)\nTrabajo muy limpio.";
    let other = "Muy rápidos.\n\n(Translated by Google)\nVery fast.";
    let csv = |text: &str| format!("\"{text}\"");
    let outscraper = format!(
        "name,place_id,review_id,author_title,review_text,review_rating,review_timestamp,owner_answer\n\
         P,C,c1,Ana,{},5,1741079440,{}\n",
        csv(text),
        csv(other)
    );
    let apify = json!([{"stars": 5, "publishedAtDate": "2025-03-04T09:10:40.000Z", "name": "Ana", "reviewId": "c1", "text": text,
        "responseFromOwnerText": other}]);
    let takeout = page(&[google(
        1,
        "c1",
        &json!({"comment": text, "reviewReply": {"comment": other}}),
    )]);
    let table = format!(
        "id,rating,date,author,text,reply\nc1,5,2025-03-04,Ana,{},{}\n",
        csv(text),
        csv(other)
    );
    for (content, request) in [
        (outscraper, ""),
        (apify.to_string(), ""),
        (takeout, ""),
        (table.clone(), "--source Google"),
        (
            table
                .replace("reply\n", "reply,source\n")
                .replace("fast.\"\n", "fast.\",google\n"),
            "",
        ),
    ] {
        let (bench, _, rejections) = import_into_new(&content, request).await;
        assert_eq!(rejections, [], "{content}");
        assert_eq!(
            select(&bench, "text, response_text"),
            "Trabajo muy limpio.|Muy rápidos.",
            "{content}"
        );
    }
    let (bench, _, _) = import_into_new(table, "").await;
    assert_eq!(select(&bench, "text"), text, "of another source");
    let place = |translated: bool| {
        json!({"result": {"reviews": [{"author_name": "Ana", "language": "en", "original_language": "es", "rating": 5,
            "text": "Very clean.", "time": 1_741_079_440, "translated": translated}]}})
    };
    let (bench, _, _) = import_into_new(place(true).to_string(), "").await;
    assert_eq!(select(&bench, "text, language"), "Very clean.|en");
}

#[tokio::test]
async fn markup_is_parsed_only_in_formats_with_html_texts() {
    let text = "They&#8217;re neat &amp; quick.<br />Would <strong>call</strong> again.";
    let table = format!(
        "id,rating,date,author,text\nr,5,2025-03-01,Ann &amp; Bo,\"{text} <3 AT&amp;T x<y\"\n"
    );
    let (bench, _, _) = import_into_new(table, "").await;
    let stored = format!("Ann &amp; Bo|{text} <3 AT&amp;T x<y");
    assert_eq!(select(&bench, "author, text"), stored);
    let woo = format!(
        "comment_ID,comment_author,comment_date,comment_content,comment_approved,comment_parent,user_id,rating\n\
         31,Ann &amp; Bo,2025-10-18 17:59:17,{text},1,0,0,5\n32,Cy,2025-10-19 17:59:17,5 &lt; 10 minutes late; a < b,1,0,0,3\n"
    );
    let (bench, _, _) = import_into_new(woo, "").await;
    assert_eq!(
        select(&bench, "author, text"),
        "Ann & Bo|They’re neat & quick.\nWould call again.\nCy|5 < 10 minutes late; a < b"
    );
}

#[tokio::test]
async fn texts_are_stored_composed_so_the_same_row_is_unchanged() {
    let composed = "date,rating,author,text,reply\n2025-03-05,4,José,\"Très bon café\",Señor\n";
    let decomposed = "date,rating,author,text,reply\n2025-03-05,4,Jose\u{301},\"Tre\u{300}s bon cafe\u{301}\",Sen\u{303}or\n";
    let bench = bench().await;
    let (report, _) = bench.take(composed).await;
    assert_eq!(counts(&report), (1, 0, 0, 0));
    let (report, _) = bench.take(decomposed).await;
    assert_eq!(counts(&report), (0, 0, 1, 0));
    let objects = json!([{"stars": 5, "publishedAtDate": "2025-03-04T09:10:40.000Z", "name": "Jose\u{301}", "reviewId": "c1",
        "text": "cafe\u{301}"}]);
    let (bench, _, _) = import_into_new(objects.to_string(), "").await;
    assert_eq!(select(&bench, "author, text"), "José|café");
    let own = native(&json!({"text": "cafe\u{301}"}));
    let (bench, _, _) = import_into_new(own.to_string(), "").await;
    assert_eq!(select(&bench, "text"), "cafe\u{301}");
}

#[tokio::test]
async fn one_broken_element_rejects_only_that_row_at_any_position() {
    let good = |id: &str| {
        format!(
            "{{\"reviewId\":\"{id}\",\"name\":\"Bo\",\"stars\":4,\"publishedAtDate\":\"2025-03-04T09:10:40.000Z\",\"text\":\"ok \\ud83d\\ude00\"}}"
        )
    };
    for broken in [
        "{\"reviewId\":\"s1\",\"name\":\"Ann \\ud83d\",\"stars\":5,\"publishedAtDate\":\"2025-03-04T09:10:40.000Z\"}",
        "{\"reviewId\":\"s1\",\"stars\":1e999,\"publishedAtDate\":\"2025-03-04T09:10:40.000Z\",\"name\":\"Ann\"}",
        "7",
    ] {
        let rows = [
            format!("[{broken},{}]", good("a")),
            format!("[{},\n{broken},{}]", good("a"), good("b")),
            format!("{{\"data\": [{broken}, {}]}}", good("a")),
        ];
        for content in rows {
            let expected = content.matches("Bo").count() as u64;
            let (bench, report, rejections) = import_into_new(&content, "").await;
            assert_eq!(counts(&report), (expected, 0, 0, 1), "{content}");
            assert_eq!(rejections.len(), 1, "{content}");
            assert!(select(&bench, "text").starts_with("ok 😀"), "{content}");
        }
    }
}

#[tokio::test]
async fn an_error_document_is_refused_and_an_empty_list_accepted() {
    for error in [
        "{\"error\": \"invalid key\", \"reviews\": []}",
        "{\"errors\": [{\"code\": 7}], \"data\": []}",
        "{\"status\": \"Pending\", \"id\": \"1\"}",
        "{\"errorMessage\": \"no credits\"}",
        "{\"code\": \"woocommerce_rest_cannot_view\", \"message\": \"Sorry\", \"data\": {\"status\": 401}}",
        "{\"success\": false, \"reviews\": []}",
    ] {
        let bench = bench().await;
        let refusal = bench.refusal(error).await;
        assert!(!refusal.contains("invalid key"), "{refusal}");
        assert_eq!(bench.sql("select count(*) from import_run"), "0", "{error}");
    }
    for empty in [
        "[]",
        "{\"reviews\": []}",
        "{\"results\": [], \"total\": 0}",
        "{\"items\": [], \"version\": \"https://jsonfeed.org/version/1.1\"}",
        "{\"status\": \"Success\", \"data\": [[]]}",
        "author,rating,date,text\n",
    ] {
        let (_, report, rejections) = import_into_new(empty, "").await;
        assert_eq!(
            (counts(&report), rejections),
            ((0, 0, 0, 0), Vec::new()),
            "{empty}"
        );
    }
}

#[tokio::test]
async fn api_responses_of_platforms_are_recognised() {
    let outscraper = json!({"id": "1", "status": "Success", "data": [[{"name": "Peak", "place_id": "ChIJa", "reviews_data": [
        {"review_id": "Ch1", "author_title": "Ana", "review_text": "Good.", "review_rating": 5, "review_timestamp": 1_741_079_440,
            "owner_answer": null},
        {"review_id": "Ch2", "author_title": "Bo", "review_text": null, "review_rating": 4, "review_timestamp": 1_741_079_440}]}]]});
    let stamped = json!({"results": [
        {"review": {"id": 7, "author": "Ana", "email": "private@example.com", "reviewRating": 5, "reviewTitle": "A", "reviewMessage": "Good.",
            "dateCreated": "2025-03-04T09:10:40Z", "reviewState": "published"}, "customer": {"id": 1}},
        {"review": {"id": 8, "author": "Bo", "reviewRating": 4, "reviewMessage": "Bad.", "dateCreated": "2025-03-04T09:10:40Z",
            "reviewState": "rejected"}, "customer": null}], "total": 2});
    for (content, format, ids) in [
        (
            outscraper,
            "outscraper",
            "google-maps-Ch1|Ana|published\ngoogle-maps-Ch2|Bo|published",
        ),
        (
            stamped,
            "stamped",
            "stamped-7|Ana|published\nstamped-8|Bo|withheld",
        ),
    ] {
        let (bench, report, rejections) = import_into_new(content.to_string(), "").await;
        assert_eq!((report.files[0].format, rejections), (format, Vec::new()));
        assert_eq!(select(&bench, "review_id, author, status"), ids);
    }
    let nested = json!([{"place_id": "ChIJa", "reviews_data": [{"review_id": "Ch1", "author_title": "Ana", "review_rating": 5,
        "review_timestamp": 1_741_079_440}]}]);
    let place = found(nested.to_string(), "", "select location from review_source").await;
    assert_eq!(place, "ChIJa");
}
