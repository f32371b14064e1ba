//! Files in UTF-16, as spreadsheets write "Unicode text", with and without a byte order mark.

use super::*;

const ROWS: &str = "date,author,rating,text\n2026-10-01,Łucja,5,Zażółć 🎉\n";

/// A text in UTF-16, with the lower or the higher byte of each unit first.
fn utf_16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

#[tokio::test]
async fn utf_16_is_read_in_both_byte_orders_with_and_without_a_mark() {
    for (order, bytes) in [
        ("little-endian", u16::to_le_bytes as fn(u16) -> [u8; 2]),
        ("big-endian", u16::to_be_bytes),
    ] {
        for mark in ["\u{feff}", ""] {
            let (bench, ..) = import_into_new(utf_16(&format!("{mark}{ROWS}"), bytes), "").await;
            let stored = bench.sql("select author, text from review");
            assert_eq!(stored, "Łucja|Zażółć 🎉", "{order}, mark: {mark:?}");
        }
    }
}

#[tokio::test]
async fn a_file_in_utf_16_that_ends_within_a_letter_is_refused_with_its_encoding() {
    for (name, bytes) in [
        ("UTF-16LE", u16::to_le_bytes as fn(u16) -> [u8; 2]),
        ("UTF-16BE", u16::to_be_bytes),
    ] {
        let mut cut = utf_16(&format!("\u{feff}{ROWS}"), bytes);
        cut.pop();
        let refused = bench().await.refused(cut, "").await;
        assert_has(&refused, &format!("is not in the encoding {name};"));
    }
}
