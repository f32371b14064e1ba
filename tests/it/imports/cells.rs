//! What cells mean in all formats but the native one: words for empty, HTML, translations, Unicode, dialects of CSV, and
//! the hints about columns.

use super::answers::import_into_new;
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
async fn a_hint_names_the_column_with_texts_and_never_a_private_one() {
    let bench = bench().await;
    let table = "Reviewer Name,Reviewer Email,Notes about customer,Review Image,Words of praise,Score,Created_at\n\
        Rona,r@example.com,Pays late and shouts a lot,https://a.example/1,The unit is quiet now,5,2015-08-10\n\
        Abel,a@example.com,Has a dog that bites,https://a.example/2,Waited three days,3,2015-08-11\n";
    let refusal = bench.refusal(table).await;
    assert_has(
        &refusal,
        "pass --map text=\"Words of praise\", or --no-text",
    );
    // Following the hint works, and the column of addresses is refused with the same hint.
    let (done, _, rejections) = import_into_new(table, "--map 'text=Words of praise'").await;
    assert_eq!(
        (select(&done, "text"), rejections),
        (
            "The unit is quiet now\nWaited three days".to_owned(),
            Vec::new()
        )
    );
    let refusal = bench.refused(table, "--map 'text=Reviewer Email'").await;
    assert_has(&refusal, "has e-mail addresses");
    assert_has(&refusal, "--map text=\"Words of praise\"");
    let objects = json!([{"rating": 5, "date": "2025-03-01", "author": "Ann", "email": "a@example.com",
        "what_they_wrote": "They came on time and left no dirt"}]);
    let refusal = bench.refused(objects.to_string(), "--format table").await;
    assert_has(&refusal, "--map text=\"what_they_wrote\"");
    let private = "Name,Stars,Date,Email,Phone,Street\nAnn,5,2025-03-01,a@example.com,+1 602 555 0188,12 Hidden Lane East\n";
    let refusal = bench.refusal(private).await;
    assert_has(&refusal, "--map text=COLUMN");
    for (notes, hint) in [
        ("Vermerk", "--map text=\"What the customer said\", or"),
        ("Admin comment", "--map text=\"What the customer said\", or"),
        (
            "What else",
            "--map text=COLUMN (COLUMN may be \"What the customer said\" or \"What else\")",
        ),
    ] {
        let table = format!(
            "Date,Name,Stars,{notes},What the customer said\n2026-03-14,Ann,5,Call her back about the invoice,They came on time and left no dirt\n"
        );
        let refusal = bench.refusal(table).await;
        assert_has(&refusal, hint);
    }
    // One address among texts is not published.
    let (done, _, _) = import_into_new(
        "id,rating,date,author,text\nr,5,2025-03-01,Ann,ann@example.com\nt,4,2025-03-01,Bo,Good.\n",
        "",
    )
    .await;
    assert_eq!(select(&done, "text"), "\nGood.");
}

#[tokio::test]
async fn a_column_without_dates_is_refused_with_the_one_that_has() {
    let table = "review_id,reviewer_name,rating,review_text,published_at,published_at_date\n\
        Z1,Ana,5,Clean work,5 days ago,2025-02-24\nZ2,Bo,3,Late,2 weeks ago,2025-02-10\n";
    let refusal = bench().await.refusal(table).await;
    assert_has(
        &refusal,
        "published_at has no dates (\"5 days ago\"), but published_at_date has; pass --map date=\"published_at_date\"",
    );
    let select = "select reviewed_on from review order by review_id";
    let days = found(table, "--map 'date=published_at_date'", select).await;
    assert_eq!(days, "2025-02-24\n2025-02-10");
}

#[tokio::test]
async fn a_withholding_column_is_reported_with_an_option_to_ignore_it() {
    let table = "name,rating,date,text,is_approved,is_verified\nMat,5,2025-03-01,Good.,1,0\nSpam,4,2025-03-01,Pills.,0,0\n\
        Ann,3,2025-03-01,Fair.,1,0\n";
    let (bench, report, _) = import_into_new(table, "").await;
    assert_eq!(
        select(&bench, "author, withheld_reason"),
        "Mat|not verified\nSpam|not published at the source\nAnn|not verified"
    );
    let note = "2 rows are withheld because is_verified says \"not verified\"; if it means something else, ignore it with --map verified=";
    assert_eq!(report.notes, [note]);
    let (bench, report, _) = import_into_new(table, "--map 'verified='").await;
    assert_eq!(
        select(&bench, "author, status"),
        "Mat|published\nSpam|withheld\nAnn|published"
    );
    assert_eq!(report.notes, [] as [&str; 0]);
}

#[tokio::test]
async fn a_reviewer_without_purchase_is_not_verified_or_withheld() {
    let okendo = "name,body,title,rating,dateCreated,isVerifiedBuyer,status\nHanna,Fits.,A,5,2026-09-30T10:00:00.000Z,false,approved\n\
        Jo,Open.,B,4,2026-09-29T10:00:00.000Z,true,approved\n";
    let loox = "id,status,rating,nickname,review,date,productId,verified_purchase\nL1,Active,5,Hanna,Fits.,2026-10-12,7,false\n\
        L2,Active,4,Jo,Open.,2026-10-12,7,true\n";
    let table = "id,rating,date,author,text,verified_buyer\na,5,2026-10-12,Hanna,Fits.,no\nb,4,2026-10-12,Jo,Open.,yes\n";
    let shown = "author, status, verification_method";
    for (content, jo) in [
        (okendo, "source_platform"),
        (loox, "source_platform"),
        (table, "manual"),
    ] {
        let (bench, _, _) = import_into_new(content, "").await;
        let expected = format!("Hanna|published|manual\nJo|published|{jo}");
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
        assert!(
            refusal.contains("without reviews, not an export")
                || refusal.contains("none of the known formats"),
            "{error}: {refusal}"
        );
        assert!(!refusal.contains("invalid key"), "{refusal}");
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
