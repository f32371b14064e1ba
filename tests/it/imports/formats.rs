//! Detection of formats by content, and messages for unsupported files.

use super::tables::workbook;
use super::*;

#[tokio::test]
async fn unreadable_files_stop_the_import_and_are_all_named() {
    let bench = bench().await;
    let good = bench.file("good", lines(&[native(&json!({}))]));
    let bad = bench.file("bad", "a text\nof two lines\n");
    let missing = bench.folder.path().join("missing");
    let (report, _) = bench.run(&request_for([good, bad, missing], "")).await;
    let message = report.unwrap_err().to_string();
    assert_has(
        &message,
        "bad: is a text without a header line of several columns",
    );
    assert_has(&message, "missing: cannot be read: No such file");
    assert_eq!(bench.sql("select count(*) from review"), "0");
}

#[tokio::test]
async fn the_format_is_detected_by_content_and_never_by_name() {
    let bench = bench_in_phoenix().await;
    let row = native(&json!({}));
    let document = json!({"business": {"id": "x", "name": "X", "services": []}, "reviews": [row]});
    let google = json!({"averageRating": 4.5, "reviews": [google(1, "x", &json!({}))]});
    for (content, format) in [
        (row.to_string(), "jsonl"),
        (format!("\u{feff}\n {row}"), "jsonl"),
        (String::new(), "jsonl"),
        (document.to_string(), "reviews-json"),
        (format!("\u{feff}{document:#}"), "reviews-json"),
        (format!("\u{feff}{google:#}"), "google"),
        ("{\"reviews\": []}".to_owned(), "table"),
        ("{}".to_owned(), "table"),
    ] {
        let (report, rejections) = bench.take(&content).await;
        assert_eq!(
            (report.files[0].format, rejections),
            (format, vec![]),
            "{content}"
        );
    }
}

#[tokio::test]
async fn a_file_of_an_unsupported_kind_is_identified_with_advice() {
    let bench = bench().await;
    for (content, expected) in [
        (
            b"\x1f\x8b\x08\x00".to_vec(),
            "is packed with gzip; unpack it",
        ),
        (
            b"%PDF-1.7 and so on".to_vec(),
            "is a PDF document, not an export of reviews",
        ),
        (
            b"a text\nof two lines\n".to_vec(),
            "is a text without a header line of several columns",
        ),
        (b"PK\x03\x04broken".to_vec(), "the zip archive cannot be read"),
        (
            b"{\"reviews\": [\n  {\"starRating\":\n".to_vec(),
            "line 3, column 1: the JSON is broken",
        ),
        (zipped(&[("readme.txt", "x")]), "holds no reviews*.json"),
        (
            zipped(&[("Takeout/Maps/Reviews.json", "{\"type\": \"FeatureCollection\", \"features\": [{}]}")]),
            "export `Google Business Profile`",
        ),
        (zipped(&[("content.xml", "<w/>")]), "is a document of OpenDocument; save its table as XLSX or CSV"),
        (b"<!doctype html><html><body>Our reviews</body></html>".to_vec(), "is a page of HTML or XML without structured data"),
        (
            b"<html><script type=\"application/ld+json\">{\"@type\": \"Organization\"}</script></html>".to_vec(),
            "is a page whose structured data has no Review",
        ),
        (
            b"{\"@context\": \"https://schema.org\", \"@type\": \"Review\", \"author\": \"Andr\xe9\"}".to_vec(),
            "is not UTF-8; save it as UTF-8, or name its encoding with --encoding",
        ),
        (workbook(&[]), "all of its sheets are empty"),
        (b"[1, 2]".to_vec(), "is JSON without objects"),
    ] {
        let refusal = bench.refusal(content).await;
        assert_has(&refusal, expected);
    }
}
