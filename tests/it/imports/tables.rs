//! Tables: delimiters, encodings, sheets, scales, workbooks.

use super::*;

/// A workbook with these rows in its second sheet; the first is empty. A cell `#…` is a number, `@…` the serial number of a
/// date, `!…` an error, `=FORMULA|VALUE` a formula.
pub(super) fn workbook(rows: &[&[&str]]) -> Vec<u8> {
    workbook_with_sheets([("Empty", &[]), ("Reviews", rows)])
}

pub(super) fn workbook_with_sheets(sheets: [(&str, &[&[&str]]); 2]) -> Vec<u8> {
    let [(first, above), (second, rows)] = sheets;
    workbook_of_sheets([(first, &cells(above)), (second, &cells(rows))])
}

/// The XML of a sheet's rows.
pub(super) fn cells(rows: &[&[&str]]) -> String {
    let mut body = "<sheetData>".to_owned();
    for (number, row) in (1..).zip(rows) {
        body += &format!("<row r=\"{number}\">");
        for (column, cell) in ('A'..).zip(row.iter()) {
            body += &match cell.split_at_checked(1) {
                Some(("#", value)) => format!("<c r=\"{column}{number}\"><v>{value}</v></c>"),
                Some(("@", value)) => {
                    format!("<c r=\"{column}{number}\" s=\"1\"><v>{value}</v></c>")
                }
                Some(("!", error)) => {
                    format!("<c r=\"{column}{number}\" t=\"e\"><v>{error}</v></c>")
                }
                Some(("=", formula)) => {
                    let (formula, value) = formula.split_once('|').unwrap();
                    format!("<c r=\"{column}{number}\"><f>{formula}</f><v>{value}</v></c>")
                }
                _ => {
                    format!("<c r=\"{column}{number}\" t=\"inlineStr\"><is><t>{cell}</t></is></c>")
                }
            };
        }
        body += "</row>";
    }
    body + "</sheetData>"
}

/// A workbook with these sheets as (name, XML); a sheet `~…` is hidden.
pub(super) fn workbook_of_sheets([(first, above), (second, body)]: [(&str, &str); 2]) -> Vec<u8> {
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let of = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let package = "http://schemas.openxmlformats.org/package/2006";
    let shown = |name: &str| ["visible", "hidden"][usize::from(name.starts_with('~'))];
    let (first_state, second_state) = (shown(first), shown(second));
    let worksheet = |body: &str| format!("<worksheet xmlns=\"{main}\">{body}</worksheet>");
    let (above, body) = (worksheet(above), worksheet(body));
    let parts = format!(
        r#"
        [Content_Types].xml → <Types xmlns="{package}/content-types"/>
        _rels/.rels → <Relationships xmlns="{package}/relationships"><Relationship Id="r1" Type="{of}/officeDocument" Target="xl/workbook.xml"/></Relationships>
        xl/workbook.xml → <workbook xmlns="{main}" xmlns:r="{of}"><sheets><sheet name="{first}" state="{first_state}" sheetId="1" r:id="r1"/><sheet name="{second}" state="{second_state}" sheetId="2" r:id="r2"/></sheets></workbook>
        xl/_rels/workbook.xml.rels → <Relationships xmlns="{package}/relationships"><Relationship Id="r1" Type="{of}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="{of}/worksheet" Target="worksheets/sheet2.xml"/><Relationship Id="r3" Type="{of}/styles" Target="styles.xml"/></Relationships>
        xl/styles.xml → <styleSheet xmlns="{main}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>
        "#
    );
    let parts = table(&parts).into_iter();
    let parts = parts.map(|[name, content]| (name, content));
    let mut parts: Vec<(&str, &str)> = parts.collect();
    parts.push(("xl/worksheets/sheet1.xml", &above));
    parts.push(("xl/worksheets/sheet2.xml", &body));
    zipped(&parts)
}

const REVIEWS: &[&[&str]] = &[
    &["Customer", "Stars", "When", "Comment"],
    &["Ann Baker", "4 stars", "@46325", "On time."],
    &["Bo Cole", "#1", "@46324", "Spam."],
];
const OLDER: &[&[&str]] = &[
    &["Customer", "Stars", "When", "Comment"],
    &["Cy Dunn", "#3", "@45990", "Fair."],
];

#[tokio::test]
async fn sheet_is_named_where_several_are_visible() {
    let bench = bench().await;
    let two = workbook_with_sheets([("2026", REVIEWS), ("Older", OLDER)]);
    let text = bench.draft(&two, "").await.text("x");
    assert_has(&text, "\"Older\" (rows: 1)\nsheet = \"?\"\n");
    let report = bench.csv(&two, "format: sheet = \"older\"").await;
    assert_eq!(counts(&report), (1, 0, 0, 0));
    let refusal = bench.refused(&two, "format: sheet = \"2027\"").await;
    let reason = r#""2027" with rows, which the source's format names; it has "2026" (rows: 2), "Older" (rows: 1)"#;
    assert_has(&refusal, reason);
    // A hidden sheet is not read.
    let hidden = workbook_with_sheets([("~Old", OLDER), ("Reviews", REVIEWS)]);
    let (_, report, _) = import_into_new(hidden, "").await;
    assert_eq!(counts(&report), (2, 0, 0, 0));
}

#[tokio::test]
async fn header_below_a_title_is_named_in_a_workbook_as_in_a_text() {
    let titled = [&[&["Our reviews"][..], &[]], REVIEWS].concat();
    let dated = [&[&["Exported", "2026-11-01"][..]], REVIEWS].concat();
    let text = |rows: &[&[&str]]| {
        let rows: Vec<String> = rows.iter().map(|row| row.join(",")).collect();
        let text = rows.join("\n").replace("@46325", "2026-10-31");
        text.replace("@46324", "2026-10-30")
            .replace('#', "")
            .into_bytes()
    };
    for (rows, row) in [(&titled, 3), (&dated, 2)] {
        let one = workbook(rows);
        let two = workbook_with_sheets([("Older", OLDER), ("Reviews", rows)]);
        for (content, sheet) in [(text(rows), ""), (one, ""), (two, "sheet = \"Reviews\"; ")] {
            let bench = bench().await;
            let refusal = bench.refused(&content, &format!("format: {sheet}")).await;
            assert_has(
                &refusal,
                &format!("write header_row = {row} into the source's format"),
            );
            let format = format!("format: {sheet}header_row = {row}");
            let report = bench.csv(&content, &format).await;
            assert_eq!(report.count(Outcome::New), 2);
        }
    }
}

#[tokio::test]
async fn joined_text_is_no_longer_than_one_text() {
    let bench = bench().await;
    let long = "word ".repeat(8 << 10);
    let sheet = format!(
        "Name,Stars,Date,Liked,Disliked\nAnn,5,2026-03-01,{long},{long}\nBo,5,2026-03-01,Good.,{long}\n"
    );
    let format = r#"format: joined = "text"; [fields]; text = ["Liked", "Disliked"]"#;
    let request = request_for([bench.file("t.csv", sheet)], format);
    let (report, rejections) = bench.run(&request).await;
    assert_eq!(counts(&report.unwrap()), (1, 0, 0, 1));
    assert_has(&rejections[0].error, "at most 65536 can be published");
}

#[tokio::test]
async fn hidden_rows_and_columns_are_refused() {
    let body = cells(REVIEWS);
    let sheet = |body: &str| workbook_of_sheets([("Empty", &cells(&[])), ("Reviews", body)]);
    let with = |begin: &str| body.replacen("<sheetData>", &format!("{begin}<sheetData>"), 1);
    for [begin, attributes, what] in table(
        r#"
            <row r="3" → hidden="1" → has hidden rows; clear the filter
            <row r="3" → hidden=" true " → has hidden rows
            <row r="3" → ht="0" customHeight="1" → has hidden rows
            <row r="3" → ht="0.1" customHeight="1" → has hidden rows
            <row r="3" → hidden="&#49;" → has hidden rows
            <row r="3" → hidden="&#x74;rue" → has hidden rows
            <sheetFormatPr → zeroHeight="1"/> → has hidden rows
            <sheetFormatPr → zeroHeight="tru&#101;"/> → has hidden rows
            <sheetFormatPr → defaultRowHeight="0" customHeight="1"/> → has hidden rows
            <sheetFormatPr → defaultColWidth="0"/> → has hidden columns
            <cols><col → min="3" max="3" hidden="1"/></cols> → has hidden columns
            <cols><col → min="1" max="2" width="0"/></cols> → has hidden columns
        "#,
    ) {
        let hidden = format!("{begin} {attributes}");
        let body = if begin == "<row r=\"3\"" {
            body.replace(begin, &hidden)
        } else {
            with(&hidden)
        };
        let refusal = bench().await.refused(sheet(&body), "").await;
        assert_has(&refusal, what);
        assert_has(&refusal, "save the sheet as CSV");
    }
    // Where rows are hidden unless they say otherwise.
    let shown = with("<sheetFormatPr zeroHeight=\"1\"/>").replace("<row ", "<row ht=\"15\" ");
    let (_, report, _) = import_into_new(sheet(&shown), "").await;
    assert_eq!(counts(&report), (2, 0, 0, 0));
    // Beside the table they say nothing of it.
    let beside = with("<cols><col min=\"9\" max=\"9\" hidden=\"1\"/></cols>");
    let (_, report, _) = import_into_new(sheet(&beside), "").await;
    assert_eq!(counts(&report), (2, 0, 0, 0));
}

/// The content of an `OpenDocument` spreadsheet with one sheet.
pub(super) fn open_document(rows: &str) -> Vec<u8> {
    open_document_with("", rows)
}

/// The same with styles.
fn open_document_with(styles: &str, rows: &str) -> Vec<u8> {
    let content = format!(
        "<?xml version=\"1.0\"?><office:document-content xmlns:office=\"o\" xmlns:table=\"t\" xmlns:text=\"x\" xmlns:style=\"s\">\
         <office:automatic-styles>{styles}</office:automatic-styles><office:body>\
         <office:spreadsheet><table:table table:name=\"Reviews\">{rows}</table:table></office:spreadsheet></office:body></office:document-content>"
    );
    zipped(&[
        ("mimetype", "application/vnd.oasis.opendocument.spreadsheet"),
        ("content.xml", &content),
    ])
}

#[tokio::test]
async fn spreadsheet_of_opendocument_is_read_as_shown() {
    let text = |cell: &str| {
        format!(
            "<table:table-cell office:value-type=\"string\"><text:p>{cell}</text:p></table:table-cell>"
        )
    };
    let header: String = ["Name", "Stars", "Date", "Review"].map(text).concat();
    let row = |attributes: &str, name: &str| {
        format!(
            "<table:table-row{attributes}>{}<table:table-cell office:value-type=\"float\" office:value=\"4\"><text:p>4</text:p></table:table-cell>\
             <table:table-cell office:value-type=\"date\" office:date-value=\"2026-03-02\"><text:p>2. March</text:p></table:table-cell>{}</table:table-row>",
            text(name),
            text("Neat &amp; quick.")
        )
    };
    let blank = "<table:table-row table:number-rows-repeated=\"1048000\"><table:table-cell table:number-columns-repeated=\"16384\"/></table:table-row>";
    let rows = |more: &str| {
        format!(
            "<table:table-row>{header}</table:table-row>{}{more}{blank}",
            row("", "Ann")
        )
    };
    let select = "select author, rating, reviewed_on, text from review";
    let (bench, ..) = import_into_new(open_document(&rows("")), "").await;
    assert_eq!(bench.sql(select), "Ann|4|2026-03-02|Neat & quick.");
    let hidden = open_document(&rows(&row(" table:visibility=\"filter\"", "Bo")));
    let refusal = bench.refused(hidden, "").await;
    assert_has(&refusal, "hidden rows");
    for (kind, inner) in [
        ("row", &*row("", "Bo")),
        ("column", "<table:table-column/>"),
    ] {
        let group = format!("table:table-{kind}-group");
        let hidden = format!("<{group} table:display=\"false\">{inner}</{group}>");
        let refusal = bench.refused(open_document(&rows(&hidden)), "").await;
        assert_has(&refusal, &format!("hidden {kind}s"));
    }
    for (kind, property, is_hidden) in [
        ("row", "row-height=\"0cm\"", true),
        ("row", "row-height=\"0.1mm\"", true),
        ("row", "row-height=\"&#48;in\"", true),
        ("row", "row-height=\"0.45cm\"", false),
        ("column", "column-width=\"0pt\"", true),
        ("column", "column-width=\"0.9in\"", false),
    ] {
        let style = |name: &str, keys: &str, property: &str| {
            format!(
                "<style:style style:name=\"{name}\"{keys}><style:table-{kind}-properties {property}/></style:style>"
            )
        };
        let child = style("s", " style:parent-style-name=\"p\"", "");
        let begin = format!("<table:table-{kind}");
        let named = format!("{begin} table:style-name=\"s\"");
        let body = ["<table:table-column/>", &rows(&row("", "Bo"))].concat();
        let body = body.replacen(&begin, &named, 1);
        for styles in [style("s", "", property), style("p", "", property) + &child] {
            let content = open_document_with(&styles, &body);
            if is_hidden {
                let refusal = bench.refused(content, "").await;
                assert_has(&refusal, &format!("hidden {kind}s"));
            } else {
                import_into_new(content, "").await;
            }
        }
    }
    // Rows that a number repeats are counted as rows.
    let many = row(" table:number-rows-repeated=\"18446744073709551615\"", "Bo");
    let refusal = bench.refused(open_document(&rows(&many)), "").await;
    assert_has(&refusal, "more than 200000 rows");
    let none = row(" table:number-rows-repeated=\"0\"", "Bo");
    let (bench, ..) = import_into_new(open_document(&rows(&none)), "").await;
    assert_eq!(bench.sql("select count(*) from review"), "2");
}

#[tokio::test]
async fn a_failed_formula_or_invalid_date_rejects_the_row() {
    let sheet = workbook(&[
        &["Customer", "Stars", "When", "Comment", "Region"],
        &["Ann", "5", "@46325", "Fine.", "!#REF!"],
        &["Bo", "5", "@46325", "!#NAME?", "West"],
        &["Cy", "5", "@0", "Fair.", "West"],
        &["Di", "5", "@-5", "Fair.", "West"],
        &["Eli", "5", "@46325", "Loading...", "West"],
    ]);
    let name = "Comment: #NAME? is an error of the spreadsheet; correct the cell's formula, or empty the cell";
    let expected = [name, "When: \"0\"", "When: \"-5\"", "Comment: Loading..."];
    let (_, report, rejections) = import_into_new(sheet, "format: ignored = \"*\"").await;
    assert_eq!(counts(&report).0, 1, "{rejections:?}");
    assert_eq!(rejections.len(), expected.len(), "{rejections:?}");
    for (rejection, expected) in rejections.iter().zip(expected) {
        assert_has(&rejection.error, expected);
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
            windows-1252 → 2026-10-01;José;5;dÃ©jÃ  vu → José
            windows-1252 → 2026-10-01;José;5;\"Late:NL{ sic }\" → José
        ",
    ) {
        let rows = rows.replace("NL", "\n");
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
