//! Loading a folder of sample data.

use super::*;

fn seed_folder(bench: &Bench, business: &str) -> PathBuf {
    bench.file("seeds/business.json", business);
    bench.file(
        "seeds/reviews.jsonl",
        lines(&[native(&json!({"id": "a"})), native(&json!({"id": "b"}))]),
    );
    let insights = json!({"summary": {"text": "Good."}, "faq": [{"id": "q1", "question": "When?", "answer": "Now."}]});
    bench.file("seeds/editorial.json", insights.to_string());
    bench.folder.path().join("seeds")
}

async fn load_folder(bench: &Bench, folder: &Path) -> anyhow::Result<ImportReport> {
    Ok(load_sample(&bench.database, &bench.clock, folder, &mut Quiet::default()).await?)
}

#[tokio::test]
async fn loading_sample_data_again_changes_nothing() {
    let bench = bench().await;
    let folder = seed_folder(
        &bench,
        r#"{"id": "x", "name": "X", "time_zone": "America/Phoenix", "service_areas": ["Mesa"]}"#,
    );
    let report = load_folder(&bench, &folder).await.unwrap();
    assert_eq!(counts(&report), (2, 0, 0, 0));
    let mut changes = bench.database.changes().await.unwrap();
    assert!(changes.any().await.unwrap());
    let report = load_folder(&bench, &folder).await.unwrap();
    assert_eq!(counts(&report), (0, 0, 2, 0));
    assert!(!changes.any().await.unwrap(), "the second load wrote");
    // A folder without editorial texts keeps the stored ones.
    fs::remove_file(folder.join("editorial.json")).unwrap();
    load_folder(&bench, &folder).await.unwrap();
    let mut reader = bench.database.readers().acquire().await.unwrap();
    let texts = storage::business::editorial(&mut reader).await.unwrap();
    assert_eq!(texts.summary.unwrap().text, "Good.");
    assert_eq!(texts.faq.len(), 1);
    let zone = bench.sql("select time_zone from business");
    assert_eq!(zone, "America/Phoenix");
}

#[tokio::test]
async fn errors_in_sample_data_name_file_line_and_field() {
    let bench = bench().await;
    for [business, expected] in table(
        r#"
            {NL "id": "x"NL} → business.json:3:1: name: missing
            {NL "id": "x",NL "name" 1} → business.json:3:9: the JSON is broken (expected `:`)
            {"id": "x", "name": "X",NL"time_zone": "america/phoenix"} → business.json:2:
            {"id": "x", "name": "X", "time_zone": "america/phoenix"} → write it like America/Phoenix
            {"id": "x", "name": "X", "geo": {"latitude": 91, "longitude": 0}} → geo.latitude: 91 is not between -90 and 90
            {"id": "x", "name": "X", "services": [{"id": "a", "name": "A"},{"id": "a", "name": "B"}]} → services[1].id: "a" appears twice
            {"id": "x", "nam": "X",NL"url": 7} → business.json:2:8: url:
            {"id": "x", "name": "X", "description": "A\u0001B"} → description: has the control character '\u{1}'; remove it
            {"id": "x", "name": "X", "technicians": ["Art"]} → technicians[0]: invalid type: string "Art", expected an object
            {"id": "x", "name": "X", "services": [{"id": "LONG"}]} → services[0].id: has 65537 bytes; at most 65536 can be published
        "#,
    ) {
        let business = business.replace("NL", "\n");
        let folder = seed_folder(&bench, &business.replace("LONG", &"x".repeat(65_537)));
        let error = load_folder(&bench, &folder).await.unwrap_err().to_string();
        assert_has(&error, expected);
    }
    let folder = seed_folder(&bench, "{\"id\": \"x\", \"name\": \"X\"}");
    fs::write(folder.join("editorial.json"), "{\"summery\": {}}").unwrap();
    let error = load_folder(&bench, &folder).await.unwrap_err().to_string();
    assert_has(&error, "editorial.json:1:13: summery: is unknown");
    fs::remove_file(folder.join("editorial.json")).unwrap();
    for missing in ["reviews.jsonl", "business.json"] {
        fs::remove_file(folder.join(missing)).unwrap();
        let error = load_folder(&bench, &folder).await.unwrap_err().to_string();
        assert_has(&error, missing);
        assert_has(&error, "no such file");
    }
    assert_eq!(bench.change_no().await, 0);
}
