//! The native format: accepted rows, rejected rows, and the messages.

use super::exported::export;
use super::*;

#[tokio::test]
async fn every_field_of_a_native_row_is_imported() {
    let bench = bench().await;
    let mut row = json!({
        "id": "a.B_~=-9", "rating": 2, "date": "2026-10-31", "author": "Ann B.", "title": "Late", "text": "  Late again.\n",
        "language": "es-MX", "source": {"name": "Yelp", "url": "https://yelp.example/1"},
        "verification": {"verified": true, "method": "job_match", "verified_at": "2026-11-01T01:00:00.5+02:00"},
        "mentions": {"technicians": ["Will T", "Art B", "Art B"], "services": ["ac"], "service_areas": ["Mesa"]},
        "response": {"text": "Sorry.", "date": "2026-11-02", "author": "Art"}, "url": "https://elsewhere.example/x",
        "updated_at": "2026-11-03T00:00:00.123456Z", "status": "withheld", "withheld_reason": "duplicate"
    });
    let (report, _) = bench.take(row.to_string()).await;
    assert_eq!(
        (counts(&report), report.files[0].format),
        ((1, 0, 0, 0), "jsonl")
    );
    let exported = export(&bench.database, false).await;
    row["mentions"]["technicians"] = json!(["Art B", "Will T"]);
    row["verification"]["verified_at"] = json!("2026-10-31T23:00:00.500Z");
    let members = row.as_object_mut().unwrap();
    members.remove("url");
    let mut exported: Value = serde_json::from_slice(&exported).unwrap();
    let said = exported.as_object_mut().unwrap().remove("said").unwrap();
    assert_eq!(exported, row);
    assert_eq!(said["status"], json!({"withheld": "duplicate"}));
}

#[tokio::test]
async fn a_minimal_row_is_published_as_verified_manually() {
    let bench = bench().await;
    bench
        .take(lines(&[native(
            &json!({"title": "", "response": {"text": ""}, "language": null}),
        )]))
        .await;
    let review = bench.find("r-1").await.unwrap();
    assert_eq!(
        review.verification,
        Verification {
            verified: true,
            method: Method::Manual,
            verified_at: None
        }
    );
    assert_eq!(
        (review.status, review.source.name.as_str()),
        (Status::Published, "Direct")
    );
    assert_eq!(
        (review.title, review.response, review.updated_at),
        (None, None, None)
    );
}

#[tokio::test]
async fn a_row_that_is_not_verified_is_withheld_and_counted() {
    let bench = bench().await;
    let no = json!({"verified": false, "method": "manual"});
    let rows = [
        native(&json!({"id": "a", "verification": no})),
        native(&json!({"id": "b", "verification": no, "status": "published"})),
        native(
            &json!({"id": "c", "verification": no, "status": "withheld", "withheld_reason": "spam"}),
        ),
        native(&json!({"id": "d", "status": "withheld"})),
        native(&json!({"id": "e", "verification": {"method": "invite"}})),
    ];
    let (report, _) = bench.take(lines(&rows)).await;
    let withheld: Vec<_> = report
        .withheld
        .iter()
        .map(|(reason, count)| (reason.as_str(), *count))
        .collect();
    assert_eq!(
        withheld,
        [("not stated", 1), ("not verified", 2), ("spam", 1)]
    );
    assert_eq!(
        bench.find("b").await.unwrap().status,
        Status::Withheld {
            reason: Some("not verified".to_owned())
        }
    );
    assert_eq!(
        bench.find("e").await.unwrap().verification.method,
        Method::Invite
    );
    assert_has(&summary(&report, false), "4 withheld");
}

#[tokio::test]
async fn errors_of_a_row_name_the_field() {
    let bench = bench().await;
    let cases = table(
        r#"
            {"id": null} → id: missing
            {"id": "a/b"} → id: `a/b` is not a review id
            {"id": 12} → id: 12 is not a text
            {"rating": null} → rating: missing
            {"rating": 4.5} → rating: 4.5 is not one of 1, 2, 3, 4, 5
            {"rating": "5"} → rating: "5" is not one of 1, 2, 3, 4, 5
            {"rating": 0} → rating: 0 is not
            {"date": "2026-1-1"} → date: `2026-1-1` is not a calendar day written YYYY-MM-DD
            {"date": "2026-02-30"} → date: `2026-02-30`
            {"date": "11/01/2026"} → date: `11/01/2026`
            {"author": null} → author: missing
            {"author": "  "} → author: missing
            {"text": null} → text: missing
            {"text": "a\u0000b"} → text: has a NUL character
            {"language": "en_US"} → language: "en_US" is not a language tag
            {"source": {}} → source.name: missing
            {"source": {"url": "https://a.example"}} → source.name: missing
            {"source": {"name": "x", "url": "javascript:alert(1)"}} → source.url: "javascript:alert(1)" is not an http
            {"verification": {"verified": "no"}} → verification.verified: "no" is not true or false
            {"verification": {"verified": true, "method": "magic"}} → verification.method: "magic" is not one of job_match
            {"verification": {"verified_at": "2026-11-01"}} → verification.verified_at: "2026-11-01" is not a time
            {"updated_at": "2026-11-01T23:59:60Z"} → updated_at: "2026-11-01T23:59:60Z" is not a time
            {"updated_at": "2026-11-01 10:00:00Z"} → updated_at:
            {"mentions": {"services": ["ac", 7]}} → mentions.services[1]: 7 is not a text
            {"mentions": {"technicians": "Art"}} → mentions.technicians: "Art" is not an array
            {"mentions": {"technicians": ["A\u001fB"]}} → mentions.technicians[0]: has a control character
            {"response": {"date": "2026-11-01"}} → response.text: missing
            {"response": {"text": "x", "date": "soon"}} → response.date: `soon`
            {"status": "hidden"} → status: "hidden" is not one of published, withheld
            {"status": "published", "withheld_reason": "x"} → withheld_reason: given although
        "#,
    );
    let changed = |[changes, _]: &[&str; 2]| native(&serde_json::from_str(changes).unwrap());
    let rows: Vec<Value> = cases.iter().map(changed).collect();
    let request = request_for([bench.file("rows", lines(&rows))], "--format jsonl");
    let (report, rejections) = bench.run(&request).await;
    assert_eq!(counts(&report.unwrap()), (0, 0, 0, cases.len() as u64));
    for (number, ([_, expected], rejection)) in (1..).zip(cases.iter().zip(&rejections)) {
        assert_eq!(rejection.at, Position::Line(number));
        assert!(
            rejection.error.starts_with(expected),
            "{} should begin with {expected}",
            rejection.error
        );
    }
}

#[tokio::test]
async fn broken_json_is_reported_with_the_line_and_column() {
    let bench = bench().await;
    let good = native(&json!({}));
    let mut content = b"{}\n{\"id\": \"x\", \"rating\" 5}\n[1]\n{\"text\": \"".to_vec();
    content.extend_from_slice(b"caf\xe9\"}\n");
    content.extend_from_slice(
        format!("{{\"text\":\"{}\"}}\n{good}\n", "x".repeat(1 << 20)).as_bytes(),
    );
    let (report, rejections) = bench.take(content).await;
    assert_eq!(counts(&report), (1, 0, 0, 5));
    let message = "the JSON is broken in column 22 (expected `:`); correct it";
    assert_eq!(
        (&rejections[1].at, rejections[1].error.as_str()),
        (&Position::Line(2), message)
    );
    assert_eq!(
        rejections[2].error,
        "record: [1] is not a JSON object in {…}"
    );
    assert_eq!(rejections[3].at, Position::Line(4));
    assert_has(&rejections[3].error, "UTF-8");
    assert_has(&rejections[4].error, "longer than 1048576 bytes");
    assert!(rejections[4].row.to_string().len() < 3000);
}

#[tokio::test]
async fn dates_after_tomorrow_in_the_business_zone_are_rejected() {
    let bench = bench().await;
    // At noon in UTC it is already the next day on Kiritimati, and the same day in Phoenix.
    for (zone, good, bad) in [
        ("UTC", "2026-11-21", "2026-11-22"),
        ("America/Phoenix", "2026-11-21", "2026-11-22"),
        ("Pacific/Kiritimati", "2026-11-22", "2026-11-23"),
    ] {
        bench.set_time_zone(zone).await;
        let rows = [
            native(
                &json!({"id": "good", "date": good, "response": {"text": "Thanks", "date": good}}),
            ),
            native(&json!({"id": "bad", "date": bad})),
            native(&json!({"id": "bad", "response": {"text": "Thanks", "date": bad}})),
        ];
        let (_, rejections) = bench.take(lines(&rows)).await;
        let messages: Vec<_> = rejections
            .iter()
            .map(|rejection| rejection.error.as_str())
            .collect();
        assert_eq!(messages.len(), 2, "{messages:?}");
        assert!(
            messages[0].starts_with(&format!(
                "date: {bad} is later than tomorrow ({good} in {zone})"
            )),
            "{messages:?}"
        );
        assert!(messages[1].starts_with("response.date: "), "{messages:?}");
    }
}

#[tokio::test]
async fn map_renames_fields_of_json_lines_but_not_of_google_files() {
    let bench = bench().await;
    let row = json!({"id": "m", "Stars": 3, "date": "2026-11-01", "Name": "Bo", "Review": "Fine.", "Site": "Yelp"});
    let maps = "--map text=Review --map rating=Stars --map author=Name --map source.name=Site";
    let request = |name, content: String| request_for([bench.file(name, content)], maps);
    let (report, _) = bench.run(&request("rows", lines(&[row]))).await;
    assert_eq!(counts(&report.unwrap()), (1, 0, 0, 0));
    let review = bench.find("m").await.unwrap();
    assert_eq!(
        (
            review.text.as_str(),
            review.author.as_str(),
            review.source.name.as_str()
        ),
        ("Fine.", "Bo", "Yelp")
    );
    let (report, _) = bench
        .run(&request("page", page(&[google(1, "x", &json!({}))])))
        .await;
    assert!(report.unwrap_err().to_string().contains("leave --map out"));
}

#[tokio::test]
async fn all_errors_of_a_row_are_reported_together() {
    let bench = bench().await;
    let row = native(&json!({
        "rating": 9, "date": "2026-11-22", "response": {"text": "Sorry.", "date": "2027-01-01"}, "decided": ["stars"]
    }));
    let (_, rejections) = bench.take(lines(&[row])).await;
    let late = "is later than tomorrow (2026-11-21 in UTC); correct it";
    let parts = [
        "rating: 9 is not one of 1, 2, 3, 4, 5".to_owned(),
        format!("date: 2026-11-22 {late}"),
        format!("response.date: 2027-01-01 {late}"),
        "decided: `stars` is not a field".to_owned(),
    ];
    for part in parts {
        let error = &rejections[0].error;
        assert_has(error, &part);
    }
    let late = google(
        1,
        "a",
        &json!({"starRating": "SIX", "createTime": "2027-01-01T00:00:00Z"}),
    );
    bench.set_time_zone("UTC").await;
    let (_, rejections) = bench.take(page(&[late])).await;
    let error = &rejections[0].error;
    assert_has(error, "starRating: \"SIX\"");
    assert_has(error, "createTime: 2027-01-01 is later");
}

#[tokio::test]
async fn json_with_our_names_and_other_values_is_read_as_a_table() {
    let whole = native(&json!({"id": "r-0", "author": "Bo"}));
    for [changes, options, expected] in table(
        r#"
            {"id": 5} → --source Direct → 5|5|2026-11-01|Ann B.|Good.
            {"rating": "5"} → --source Direct → r-1|5|2026-11-01|Ann B.|Good.
            {"author": {"name": "Ann B."}} → --map author=author.name --map author=author → r-1|5|2026-11-01|Ann B.|Good.
            {"date": "2026-11-01T12:00:00Z"} → --source Direct → r-1|5|2026-11-01|Ann B.|Good.
            {"response": "Thanks"} → --source Direct → r-1|5|2026-11-01|Ann B.|Good.
            {"likes": 7} → --ignore likes → r-1|5|2026-11-01|Ann B.|Good.
        "#,
    ) {
        let mut row = native(&json!({}));
        let changes: serde_json::Map<String, Value> = serde_json::from_str(changes).unwrap();
        row.as_object_mut().unwrap().extend(changes);
        for content in [
            json!([whole, row]).to_string(),
            lines(&[whole.clone(), row.clone()]),
            json!({"reviews": [whole, row]}).to_string(),
        ] {
            let (bench, _, rejections) = import_into_new(&content, options).await;
            assert_eq!(rejections, [], "{content}");
            let select = "select review_id, rating, reviewed_on, author, text from review where author = 'Ann B.'";
            assert_eq!(bench.sql(select), expected, "{content}");
        }
    }
}
