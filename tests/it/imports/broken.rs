//! Files in another encoding than UTF-8.

use super::*;

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
