//! Files that are broken somewhere, or in another encoding: the place of what is broken is named.

use super::*;

fn google_rows() -> [Value; 3] {
    ["a", "b", "c"].map(|id| google(1, id, &json!({"comment": format!("Review {id}")})))
}

fn texts(bench: &Bench) -> String {
    let select = "select group_concat(text, ', ') from (select text from review order by text)";
    bench.sql(select)
}

#[tokio::test]
async fn one_invalid_byte_in_json_rejects_only_one_row() {
    let [a, b, c] = google_rows().map(|row| row.to_string());
    let b = b.replace("Review b", "Review é");
    for content in [
        format!("[{a},\n{b},\n{c}]"),
        format!("{{\"reviews\": [{a},\n{b},\n{c}], \"name\": \"Café\"}}"),
        [a, b, c].join("\n"),
    ] {
        // Only in the review, `é` is in Windows-1252.
        let at = content.find("Review é").unwrap() + "Review ".len();
        let rest = &content[at + "é".len()..];
        let bytes = [&content.as_bytes()[..at], &[0xE9], rest.as_bytes()].concat();
        let (bench, _, rejections) = import_into_new(bytes, "").await;
        assert_eq!(texts(&bench), "Review a, Review c", "{content}");
        assert_eq!(rejections.len(), 1);
        assert_has(&rejections[0].to_string(), "not UTF-8");
    }
}

#[tokio::test]
async fn the_named_encoding_is_read_and_utf8_overrides_it() {
    for [encoding, rows, author] in table(
        "
            windows-1250 → 2026-10-01;Łucja;5;Zażółć gęślą jaźń → Łucja
            windows-1251 → 2026-10-01;Иван;5;Очень хорошо → Иван
            shift_jis → 2026-10-01;山田太郎;5;とても良かった → 山田太郎
            windows-1252 → 2026-10-01;José;5;£50, “très” bien → José
        ",
    ) {
        let text = format!("Date;Customer;Rating;Comment\n{rows}\n");
        let label = encoding_rs::Encoding::for_label(encoding.as_bytes()).unwrap();
        let encoded = label.encode(&text).0.into_owned();
        assert_eq!(bench().await.open(&encoded, "").await, "encoding");
        for bytes in [encoded, text.into_bytes()] {
            let named = format!("format: encoding = \"{encoding}\"");
            let (bench, ..) = import_into_new(&bytes, &named).await;
            assert_eq!(bench.sql("select author from review"), author);
        }
    }
}
