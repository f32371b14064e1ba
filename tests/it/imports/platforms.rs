//! Exports of every platform in their real shape: detected by content, and without their private data.

use super::sources::values;
use super::*;

/// What must be decided about the format of a fixture: of no platform's.
fn options(name: &str) -> &'static str {
    match name {
        "table.csv" => r#"format: ignored = "*"; [fields]; author = "Reviewer""#,
        "german.csv" => r#"format: encoding = "windows-1252""#,
        "polish.csv" => r#"format: [fields]; title = "Tytuł""#,
        "google-forms.csv" => {
            r#"format: ignored = "*"; [fields]; rating = "How would you rate us? (1-5)"; text = "Tell us about your visit""#
        }
        _ => "",
    }
}

/// Private data of the fixtures.
const PRIVATE: &str = "private.person|555 0188|Hidden Lane|Secret Customer|203.0.113.9";

#[tokio::test]
async fn exports_are_detected_by_content_and_keep_no_private_data() {
    let mut formats: Vec<&str> = format_names().collect();
    for entry in fs::read_dir(fixture("imports")).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let content = fs::read(entry.path()).unwrap();
        let bench = bench_in_phoenix().await;
        // A name that says nothing.
        let file = bench.file("Download (3).tmp", &content);
        let request = request_for([file.clone()], options(&name));
        let (report, rejections) = bench.run(&request).await;
        let report = report.unwrap();
        let rejected = (report.count(Outcome::Rejected), rejections);
        assert_eq!(rejected, (0, vec![]), "{name}");
        let format = report.files[0].format.clone();
        formats.retain(|other| *other != format);
        let values = values(bench.database.path());
        let stored = format!("{format}\n{values}");
        insta::assert_snapshot!(name.replace('.', "_"), stored);
        let (again, _) = bench.import(&[&file]).await;
        let unchanged = (0, 0, report.count(Outcome::New), 0);
        assert_eq!(counts(&again), unchanged, "{name}, again");
        // With ratings that are none.
        let broken = String::from_utf8_lossy(&content).replace(",5,", ",fivë,");
        let broken = broken.replace("rating\":", "rating\":[1],\"x\":");
        let broken = broken.replace(",1,", ",??,");
        let broken = request_for([bench.file("broken", broken)], options(&name));
        for rejection in bench.run(&broken).await.1 {
            let text = format!("{rejection} {}", rejection.row);
            let found = PRIVATE.split('|').find(|private| text.contains(private));
            assert_eq!(found, None, "{name}: {text}");
        }
        for file in ["reviews.db", "reviews.db-wal"] {
            let bytes = fs::read(bench.folder.path().join(file)).unwrap_or_default();
            let is_kept = |word: &&str| memchr::memmem::find(&bytes, word.as_bytes()).is_some();
            assert_eq!(PRIVATE.split('|').find(is_kept), None, "{name}: {file}");
        }
    }
    assert_eq!(formats, [""; 0], "formats without a fixture");
}
