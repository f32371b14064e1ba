//! The native format: how it is known, accepted rows, rejected rows, and the messages.

use reviews_service::imports::Watch;
use reviews_service::imports::native::columns_of_table;

use super::*;

#[tokio::test]
async fn every_field_of_a_native_row_is_imported() {
    let bench = bench().await;
    let mut row = json!({
        "id": "a.B_~=-9", "rating": 2, "date": "2026-10-31", "author": "Ann B.", "title": "Late", "text": "  Late again.\n",
        "language": "es-MX", "source": "Yelp", "source_url": "https://yelp.example/1",
        "verified": true, "verification": "job_match", "verified_at": "2026-11-01T01:00:00.5+02:00",
        "mentions": {"technicians": ["Will T", "Art B", "Art B"], "services": ["ac"], "service_areas": ["Mesa"]},
        "owner_reply": {"text": "Sorry.", "date": "2026-11-02", "author": "Art"}, "url": "https://elsewhere.example/x",
        "updated_at": "2026-11-03T00:00:00.123456Z", "status": "withheld", "withheld_reason": "duplicate"
    });
    let (report, _) = bench.take(row.to_string()).await;
    assert_eq!(counts(&report), (1, 0, 0, 0));
    assert_eq!(report.files[0].format, "jsonl");
    let exported = export(&bench.database).await;
    row["mentions"]["technicians"] = json!(["Art B", "Will T"]);
    row["verified_at"] = json!("2026-10-31T23:00:00.500Z");
    let members = row.as_object_mut().unwrap();
    members.remove("url");
    let mut exported: Value = serde_json::from_slice(&exported).unwrap();
    let said = exported.as_object_mut().unwrap().remove("said").unwrap();
    assert_eq!(exported, row);
    assert_eq!(said["status"], json!({"withheld": "duplicate"}));
}

/// The first readable row decides that a file is our own, so a line that is none takes nothing that is withheld out of that.
#[tokio::test]
async fn line_that_is_no_row_is_rejected_wherever_it_stands() {
    let hidden = json!({"status": "withheld", "text": "HIDDEN"});
    let rows = [json!({}), hidden.clone(), json!({}), hidden];
    let rows = (1..).zip(rows).map(|(number, mut changes)| {
        changes["id"] = format!("r-{number}").into();
        native(&changes).to_string()
    });
    let rows: Vec<String> = rows.collect();
    let settings = json!({"business": {"id": "x", "name": "X"}, "editorial": {}}).to_string();
    let export = [&[settings], &rows[..]].concat();
    let broken = r#"{"id": "x", "publish": "no"} → {"id": "r-1", "rating" → {"id": "x", "rating": 5}} → [1] → {} → x → } → null → "x" → // x, y"#;
    for (number, broken) in broken.split(" → ").enumerate() {
        // The first row says whose a file is.
        let first = usize::from(number == 0);
        let places = (first..=rows.len()).map(|place| (&rows, place));
        for (rows, place) in places.chain((first..=export.len()).map(|place| (&export, place))) {
            let mut lines = rows.clone();
            lines.insert(place, broken.to_owned());
            let bench = bench().await;
            let (report, rejections) = bench.take(lines.join("\n")).await;
            assert_eq!(counts(&report), (4, 0, 0, 1), "{broken} {place}");
            assert_eq!(rejections[0].at, Position::Line(place as u64 + 1));
            let public = "select group_concat(review_id) from review where status = 'published'";
            assert_eq!(bench.sql(public), "r-1,r-3", "{broken} {place}");
        }
    }
    for count in [2, 3, 4, 60, 900] {
        for broken in ["{\"id\": \"r-1\",\n", "oops\n"] {
            for rows in [&rows[..], &rows[..1]] {
                let content = broken.repeat(count) + &rows.join("\n");
                let (report, _) = bench().await.take(content).await;
                let new = rows.len() as u64;
                assert_eq!(counts(&report), (new, 0, 0, count as u64), "{broken}");
            }
        }
    }
    // But a document that is broken, or ends too early, is no lines, nor is a table with a header.
    let row = &rows[0];
    for document in [
        format!("[\n{row},\n{row}\n"),
        format!("{{\"reviews\": [\n{row},\n{row},\n{row}\n]"),
        format!("rows of our own\n[\n{row}\n]\n"),
    ] {
        let refusal = bench().await.refused(&document, "").await;
        assert!(!refusal.contains("rejected"), "{document}: {refusal}");
    }
    let table = format!("id,rating,date\n{row}\n");
    let request = request_for([bench().await.file("t.csv", &table)], "");
    let failed = bench().await.run(&request).await.0;
    assert!(failed.is_err(), "{failed:?}");
}

/// A format of a table may pass over `status`.
#[tokio::test]
async fn our_own_lines_are_native_whatever_a_source_keeps() {
    let hidden = native(&json!({"status": "withheld"}));
    let shown = native(&json!({"id": "r-2", "author": "Bo"}));
    let table = "id,rating,date,author,text,status\nc-1,5,2026-11-02,Cat,Tidy.,open\n";
    for source in ["", "--source Shop "] {
        for format in ["ignored = '*'", "ignored = 'status'; [fields]; id = 'id'"] {
            let bench = bench().await;
            bench.csv(table, &format!("{source}format: {format}")).await;
            let report = bench
                .csv(lines(&[hidden.clone(), shown.clone()]), source)
                .await;
            assert_eq!(report.files[0].format, "jsonl");
            let public = "select author from review where status = 'published' order by 1";
            assert_eq!(bench.sql(public), "Bo\nCat", "{source}{format}");
        }
        // Where a format publishes by one of our members, no line is published that has another value of it, or none.
        let bench = bench().await;
        let format = "format: [[public]]; names = 'status'; values = ['open']";
        bench.csv(table, &format!("{source}{format}")).await;
        let open = native(&json!({"id": "r-3", "author": "Di", "status": "open"}));
        bench
            .csv(lines(&[hidden.clone(), shown.clone(), open]), source)
            .await;
        let public = "select author from review where status = 'published' order by 1";
        assert_eq!(bench.sql(public), "Cat\nDi", "{source}");
    }
}

#[tokio::test]
async fn other_forms_of_our_own_members_are_tables() {
    let row = native(&json!({"status": "withheld"}));
    let document = json!({"business": {"name": "X", "publish_staff": "full"}, "aggregate_rating": {"rating_value": 5.0}, "withheld": {"count": 0},
        "reviews": [row]});
    let foreign = native(&json!({"publish": "no"}));
    for content in [
        document.to_string(),
        json!([row]).to_string(),
        "rating,date,author,text,status\n5,2026-11-01,Ann B.,Good.,withheld\n".to_owned(),
        lines(&[foreign, row.clone()]),
    ] {
        assert_eq!(
            bench().await.open(&content, "").await,
            "ignored",
            "{content}"
        );
    }
    let bench = bench().await;
    let list = json!([row]).to_string();
    let refusal = bench.refused(list, "--format jsonl").await;
    assert_has(&refusal, "is not our own form, JSON Lines");
    // What was exported for spreadsheets, perhaps with more columns and in another delimiter.
    let header: Vec<&str> = columns_of_table().chain(["Mine"]).collect();
    for delimiter in [",", ";"] {
        let table = format!("{}\n", header.join(delimiter));
        let refusal = bench.refused(table, "").await;
        assert_has(&refusal, "export as JSON Lines, and import that file");
    }
}

#[tokio::test]
async fn errors_of_a_row_name_the_field() {
    let bench = bench().await;
    let cases = table(
        r#"
            {"id": "a/b"} → id: `a/b` is not a review id
            {"id": 12} → id: invalid type: integer `12`, expected a string
            {"rating": null} → rating: missing
            {"rating": 4.5} → rating: 4.5 is not one of 1, 2, 3, 4, 5
            {"rating": "5"} → rating: "5" is not one of 1, 2, 3, 4, 5
            {"rating": 0} → rating: 0 is not
            {"date": "2026-1-1"} → date: `2026-1-1` is not a calendar day written YYYY-MM-DD
            {"date": "2026-02-30"} → date: `2026-02-30`
            {"date": "11/01/2026"} → date: `11/01/2026`
            {"author": null} → author: missing
            {"author": "  "} → author: missing
            {"text": "a\u0000b"} → text: has a NUL character
            {"language": "en_US"} → language: "en_US" is not a language tag
            {"source": {}} → source: invalid type: map, expected a string
            {"source_url": "javascript:alert(1)"} → source_url: "javascript:alert(1)" is not an http
            {"verified": "no"} → verified: invalid type: string "no", expected a boolean
            {"verified": true, "verification": "magic"} → verification: unknown variant `magic`, expected one of `job_match`
            {"verified_at": "2026-11-01"} → verified_at: "2026-11-01" is not a time
            {"updated_at": "2026-11-01T23:59:60Z"} → updated_at: "2026-11-01T23:59:60Z" is not a time
            {"updated_at": "2026-11-01 10:00:00Z"} → updated_at:
            {"mentions": {"services": ["ac", 7]}} → mentions.services[1]: invalid type: integer `7`, expected a string
            {"mentions": {"technicians": "Art"}} → mentions.technicians: invalid type: string "Art", expected a sequence
            {"mentions": {"technicians": ["A\u001fB"]}} → mentions.technicians[0]: has a control character
            {"owner_reply": {"text": "x", "date": "soon"}} → owner_reply.date: `soon`
            {"status": "hidden"} → status: unknown variant `hidden`, expected `published` or `withheld`
        "#,
    );
    let changed = |[changes, _]: &[&str; 2]| native(&serde_json::from_str(changes).unwrap());
    let mut rows: Vec<Value> = cases.iter().map(changed).collect();
    // Where no row can be read, nothing is written.
    rows.push(native(&json!({"id": "good"})));
    let request = request_for([bench.file("rows", lines(&rows))], "--format jsonl");
    let (report, rejections) = bench.run(&request).await;
    assert_eq!(counts(&report.unwrap()), (1, 0, 0, cases.len() as u64));
    for (number, ([_, expected], rejection)) in (1..).zip(cases.iter().zip(&rejections)) {
        assert_eq!(rejection.at, Position::Line(number));
        let error = &rejection.error;
        assert!(error.starts_with(expected), "{error}: {expected}");
    }
}

#[tokio::test]
async fn dates_after_tomorrow_in_the_business_zone_are_rejected() {
    let bench = bench().await;
    // At noon in UTC it is already the next day on Kiritimati.
    for (zone, good, bad) in [
        ("UTC", "2026-11-21", "2026-11-22"),
        ("Pacific/Kiritimati", "2026-11-22", "2026-11-23"),
    ] {
        bench.set_time_zone(zone).await;
        let answer = |day: &str| json!({"id": "a", "owner_reply": {"text": "Thanks", "date": day}});
        let dated = |day: &str| json!({"id": "d", "date": day});
        let rows = [answer(good), dated(good), answer(bad), dated(bad)];
        let (_, rejections) = bench.take(lines(&rows.map(|row| native(&row)))).await;
        let reason = format!("date: {bad} is later than tomorrow ({good} in {zone})");
        assert_eq!(rejections.len(), 2);
        assert_has(&rejections[0].error, &format!("owner_reply.{reason}"));
        assert_has(&rejections[1].error, &reason);
    }
}

/// Another program that runs a statement while the files are read.
struct OtherProgram<'b>(&'b Bench, &'static str);

impl Watch for OtherProgram<'_> {
    fn read(&mut self, _rows: u64, _all: u64) {
        self.0.sql(self.1);
    }
}

#[tokio::test]
async fn settings_of_an_import_cannot_change_during_the_reading() {
    for statement in [
        "update business set time_zone = 'Asia/Tokyo'",
        "update business set country = 'DE'",
        "update source set format = format || '# changed'",
    ] {
        let bench = bench().await;
        bench.set_time_zone("UTC").await;
        let sheet = "Author,Rating,Date,Text,Other\nAnn,5,2026-10-12,On time.,x\n";
        bench.csv(sheet, "format: ignored = [\"Other\"]").await;
        let again = sheet.replace("On time", "Late");
        let request = request_for([bench.file("sheet.csv", again)], "");
        let mut watch = OtherProgram(&bench, statement);
        let refused = import(&bench.database, &bench.clock, &request, &mut watch).await;
        let refusal = refused.unwrap_err().to_string();
        assert_has(&refusal, "another process wrote to the database");
        assert_eq!(bench.sql("select text from review"), "On time.");
    }
}
