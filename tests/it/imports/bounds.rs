//! Oversized and truncated files give a clear error, and nothing of them is stored.

use std::io::Read;

use super::tables::workbook;
use super::*;

impl Bench {
    async fn reviews(&self) -> i64 {
        let mut reader = self.database.readers().acquire().await.unwrap();
        sqlx::query_scalar("select count(*) from review")
            .fetch_one(&mut *reader)
            .await
            .unwrap()
    }
}

fn native_line(id: u32) -> String {
    native(&json!({"id": format!("r-{id}")})).to_string()
}

#[tokio::test]
async fn an_oversized_array_element_is_rejected_and_others_imported() {
    let bench = bench().await;
    let long = native(&json!({"id": "long", "text": "x".repeat(2 << 20)}));
    let (report, rejections) = bench.take(format!("[{long},\n{}]", native_line(1))).await;
    assert_eq!(
        (counts(&report), report.files[0].format),
        ((1, 0, 0, 1), "jsonl")
    );
    assert_eq!(rejections[0].at.to_string(), " [0]");
    assert!(
        rejections[0]
            .error
            .contains("line 1: longer than 1048576 bytes"),
        "{}",
        rejections[0]
    );
    assert!(rejections[0].row.to_string().len() < 3000);
}

#[tokio::test]
async fn an_unclosed_quote_is_reported_with_the_line_of_the_row() {
    let bench = bench().await;
    let refusal = bench
        .refusal(format!(
            "author,rating,date,text\nAnn,5,2026-10-30,A\nBo,5,2026-10-30,\"{}",
            "x\n".repeat(2 << 20)
        ))
        .await;
    assert_has(
        &refusal,
        "line 3: the row that starts here is larger than 1 MiB; close the quote",
    );
    assert_eq!(bench.reviews().await, 0);
}

#[tokio::test]
async fn a_truncated_archive_is_refused() {
    let bench = bench().await;
    bench.set_time_zone("UTC").await;
    let document =
        json!({"reviews": [google(1, "a", &json!({})), google(1, "b", &json!({}))]}).to_string();
    let archive = zipped(&[("reviews.json", &document)]);
    let refusal = bench.refusal(&archive[..archive.len() - 40]).await;
    assert_has(&refusal, "the zip archive cannot be read");
    assert_eq!(bench.reviews().await, 0);
}

#[tokio::test]
async fn archive_members_with_outside_paths_are_never_extracted() {
    let bench = bench().await;
    bench.set_time_zone("UTC").await;
    let archive = zipped(&[(
        "../../../reviews.json",
        &page(&[google(1, "a", &json!({}))]),
    )]);
    let file = bench.file("a/b/c/takeout", archive);
    let (report, _) = bench.import(&[&file]).await;
    assert_eq!(counts(&report).0, 1);
    for above in file.ancestors().skip(1).take(4) {
        assert!(!above.join("reviews.json").exists(), "{}", above.display());
    }
}

#[tokio::test]
async fn a_workbook_that_unpacks_above_the_limit_is_refused() {
    let bench = bench().await;
    let mut archive =
        zip::ZipWriter::new_append(std::io::Cursor::new(workbook(&[&["author"]]))).unwrap();
    archive
        .start_file(
            "xl/sharedStrings.xml",
            zip::write::SimpleFileOptions::default(),
        )
        .unwrap();
    std::io::copy(&mut std::io::repeat(b' ').take(257 << 20), &mut archive).unwrap();
    let bomb = archive.finish().unwrap().into_inner();
    assert!(bomb.len() < 1 << 20);
    let refusal = bench.refusal(bomb).await;
    assert!(refusal.contains("the workbook is too large"), "{refusal}");
}

#[tokio::test]
async fn files_without_reviews_are_identified() {
    let bench = bench().await;
    for (content, expected) in [
        (zipped(&[("content.xml", "<w/>")]), "is a document of OpenDocument; save its table as XLSX or CSV"),
        (b"<html><body><table><tr><td>Date</td></tr></table></body></html>".to_vec(), "open it in a spreadsheet, and save it as XLSX or CSV"),
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
        (b"[{\"sku\": 1, \"price\": 2}]".to_vec(), "is JSON with keys price, sku"),
        (b"{\"orders\": [{\"sku\": 1}], \"page\": 2}".to_vec(), "is JSON with keys sku"),
        (b"-- MySQL dump\n\nCREATE TABLE `review` (\n".to_vec(), "export its table of reviews as CSV"),
        (b"<?xml version=\"1.0\"?><rss xmlns:wp=\"http://wordpress.org/export/1.2/\"></rss>".to_vec(), "is an export of WordPress (WXR)"),
    ] {
        let refusal = bench.refusal(content).await;
        assert!(refusal.contains(expected), "{refusal} should contain {expected}");
    }
}
