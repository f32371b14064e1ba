//! Files that are broken somewhere, or in another encoding or dialect: the place of what is broken is named, and what was
//! guessed is reported.

use encoding_rs::WINDOWS_1250;

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
async fn a_table_in_another_encoding_is_read_and_reported() {
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
        let bytes = label.encode(&text).0.into_owned();
        let (bench, report, _) = import_into_new(&bytes, "").await;
        let found = bench.sql("select author from review");
        assert_eq!(found, author);
        let note = report.notes.join("\n");
        assert_has(&note, &format!("read as {}, for example", label.name()));
        assert_has(&note, "--encoding");
        // The option that the note names.
        let named = format!("--encoding {encoding}");
        let (bench, report, _) = import_into_new(&bytes, &named).await;
        let found = bench.sql("select author from review");
        assert_eq!((found.as_str(), report.notes), (author, vec![]));
    }
}

#[tokio::test]
async fn the_encoding_of_a_source_is_kept() {
    let bench = bench().await;
    let encode = |rows: &str| {
        let text = format!("Date;Customer;Rating;Comment\n{rows}");
        WINDOWS_1250.encode(&text).0.into_owned()
    };
    let first = encode("2026-10-01;Jiří;5;Fine\n");
    let named = request_for([bench.file("f.csv", &first)], "--encoding windows-1250");
    bench.run(&named).await.0.unwrap();
    let (report, _) = bench.take(&first).await;
    assert_eq!(counts(&report), (0, 0, 1, 0));
    let note = report.notes.join("\n");
    assert_has(
        &note,
        "read as windows-1250, as in an earlier import of Direct, for example",
    );
    // Another encoding for the same source has to be named, and is kept then.
    let other = bench.file("g.csv", encode("2026-10-02;Jiří;4;Late\n"));
    let named = request_for([other], "--encoding windows-1252");
    bench.run(&named).await.0.unwrap();
    let (report, _) = bench.take(encode("2026-10-02;Jiří;4;Late\n")).await;
    assert_eq!(counts(&report), (0, 0, 1, 0));
}
