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

/// A workbook with these rows and merged cells in its first sheet.
fn workbook_with_merged(rows: &[&[&str]], merged: &str) -> Vec<u8> {
    let merged = merged
        .split(' ')
        .map(|cells| format!("<mergeCell ref=\"{cells}\"/>"));
    let merged = merged.collect::<String>();
    let body = format!("{}<mergeCells>{merged}</mergeCells>", cells(rows));
    workbook_of_sheets([("Reviews", &body), ("Empty", &cells(&[]))])
}

/// The XML of a sheet's rows.
fn cells(rows: &[&[&str]]) -> String {
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
    let shown = |name: &str| {
        if name.starts_with('~') {
            "hidden"
        } else {
            "visible"
        }
    };
    let (first_state, second_state) = (shown(first), shown(second));
    let worksheet = |body: &str| format!("<worksheet xmlns=\"{main}\">{body}</worksheet>");
    let parts = [
        (
            "[Content_Types].xml",
            format!("<Types xmlns=\"{package}/content-types\"/>"),
        ),
        (
            "_rels/.rels",
            format!(
                "<Relationships xmlns=\"{package}/relationships\"><Relationship Id=\"r1\" Type=\"{of}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/workbook.xml",
            format!(
                "<workbook xmlns=\"{main}\" xmlns:r=\"{of}\"><sheets><sheet name=\"{first}\" state=\"{first_state}\" sheetId=\"1\" r:id=\"r1\"/><sheet name=\"{second}\" state=\"{second_state}\" sheetId=\"2\" r:id=\"r2\"/></sheets></workbook>"
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            format!(
                "<Relationships xmlns=\"{package}/relationships\"><Relationship Id=\"r1\" Type=\"{of}/worksheet\" Target=\"worksheets/sheet1.xml\"/><Relationship Id=\"r2\" Type=\"{of}/worksheet\" Target=\"worksheets/sheet2.xml\"/><Relationship Id=\"r3\" Type=\"{of}/styles\" Target=\"styles.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/styles.xml",
            format!(
                "<styleSheet xmlns=\"{main}\"><cellXfs count=\"2\"><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/></cellXfs></styleSheet>"
            ),
        ),
        ("xl/worksheets/sheet1.xml", worksheet(above)),
        ("xl/worksheets/sheet2.xml", worksheet(body)),
    ];
    let borrowed: Vec<(&str, &str)> = parts
        .iter()
        .map(|(name, content)| (*name, content.as_str()))
        .collect();
    zipped(&borrowed)
}

const TABLE: &str =
    "Name,Stars,Review Date,Comment\nJosé,5,2026-10-30,Très bien\nZoë,1,2026-10-29,Nie wieder\n";

#[tokio::test]
async fn date_cells_of_a_workbook_are_read_with_any_date_format() {
    let bench = bench().await;
    let table: &[&[&str]] = &[
        &["ID", "Author", "Rating", "Date", "Text"],
        &["a", "Ann", "5", "@46325", "A date."],
        &["b", "Bo", "4", "@46325.5", "A date with a time."],
        &["c", "Cy", "3", "05/10/2026", "A text."],
    ];
    let request = request_for(
        [bench.file("t.xlsx", workbook(table))],
        "--date-format %d/%m/%Y",
    );
    let (report, rejections) = bench.run(&request).await;
    assert_eq!(counts(&report.unwrap()), (3, 0, 0, 0), "{rejections:?}");
    let days = bench.sql("select reviewed_on from review");
    assert_eq!(days, "2026-10-30\n2026-10-30\n2026-10-05");
}

const FEEDBACK: &[&[&str]] = &[
    &["Feedback of our customers"],
    &[],
    &["Customer", "Stars", "When", "What they said", "Our reply"],
    &["Ann Baker", "4 stars", "@46325", "On time.", "Thank you."],
    &["Bo Cole", "five stars", "@46324", "", ""],
];
const OLDER: &[&[&str]] = &[
    &["Customer", "Stars", "When", "Comment"],
    &["Cy Dunn", "#3", "@45990", "Fair."],
];

#[tokio::test]
async fn titles_above_the_header_are_skipped_as_the_preview_shows() {
    let bench = bench().await;
    let file = bench.file(
        "feedback.xlsx",
        workbook_with_sheets([("Reviews 2026", FEEDBACK), ("Older", OLDER)]),
    );
    let request = request_for([file], "--map 'text=What they said' --ignore-others");
    let (report, watch) = bench.watch(&request).await;
    assert_eq!(counts(&report.unwrap()), (2, 0, 0, 0));
    let rows = [
        "feedback.xlsx, sheet \"Reviews 2026\", header in row 3, 2 rows\n",
        "   1  Customer          author",
        "   2  Stars             rating",
        "   3  When              date",
        "   4  What they said    text",
        "   5  Our reply         response",
        "other sheets (--sheet): Older\n",
    ];
    assert!(watch.tables[0].to_string().ends_with(&rows.join("\n")));
    let ann = "select rating, reviewed_on, text from review where author = 'Ann Baker'";
    assert_eq!(bench.sql(ann), "4|2026-10-30|On time.");
}

#[tokio::test]
async fn a_hidden_sheet_is_read_only_if_it_is_named() {
    let bench = bench().await;
    let sheets: [(&str, &[&[&str]]); 2] = [("~Old", OLDER), ("Reviews", OLDER)];
    let file = bench.file("feedback.xlsx", workbook_with_sheets(sheets));
    for (options, taken) in [("--dry-run", "Reviews"), ("--dry-run --sheet ~Old", "~Old")] {
        let request = request_for([file.clone()], options);
        let (report, watch) = bench.watch(&request).await;
        assert_eq!(counts(&report.unwrap()).0, 1);
        assert_has(&watch.tables[0].titles[0], &format!("sheet \"{taken}\""));
    }
}

/// Rows that are hidden by hand or by a filter may be those that the owner does not publish.
#[tokio::test]
async fn hidden_rows_are_a_column_that_is_asked_about_once() {
    let rows: &[&[&str]] = &[
        &["Customer", "Stars", "When", "Comment"],
        &["Ann", "#5", "@46325", "Fine."],
        &["Bo", "#1", "@46324", "Spam."],
    ];
    let shown = workbook(rows);
    let body = cells(rows).replace("<row r=\"3\"", "<row r=\"3\" hidden=\"1\"");
    let sheet = |body: &str| workbook_of_sheets([("Empty", &cells(&[])), ("Reviews", body)]);
    let asked = bench().await.asked(sheet(&body), "").await.questions;
    assert_has(&format!("{asked:?}"), "hidden row");
    let (bench, report, _) =
        import_into_new(sheet(&body), "--public 'hidden row=' --source Direct").await;
    assert_eq!(counts(&report).0, 2);
    let stored = "select author, status from review order by author";
    assert_eq!(bench.sql(stored), "Ann|published\nBo|withheld");
    // A sheet without hidden rows has no such column: it is not asked about, and shows nothing that was hidden.
    let request = request_for([bench.file("next.xlsx", shown)], "--source Direct");
    let report = bench.run(&request).await.0;
    assert_eq!(counts(&report.unwrap()).0, 0);
    assert_eq!(bench.sql(stored), "Ann|published\nBo|withheld");
}

#[tokio::test]
async fn rows_with_merged_cells_are_rejected() {
    let rows: &[&[&str]] = &[
        &["Our reviews"],
        &["Customer", "Stars", "When", "Comment", "Reply", "Publish"],
        &["Ann", "#5", "@46325", "Fine.", "", "yes"],
        &["Bo", "#1", "@46324", "Hidden.", "", "no"],
        &["Cy", "#1", "", "Hidden, too.", "", ""],
        &["Di", "#4", "@46323", "Over two columns.", "", "yes"],
    ];
    let options = "--public Publish=yes --ignore-others";
    let reversed = workbook_with_merged(rows, "F5:F4");
    let refusal = bench().await.refused(reversed, options).await;
    assert_has(&refusal, "merged cells end before they begin");
    // The title, the dates and flags of Bo and Cy, the comment of Di, and cells beside the table.
    let sheet = workbook_with_merged(rows, "A1:F1 C4:C5 F4:F5 D6:E6 G3:H4");
    let (bench, report, rejections) = import_into_new(sheet, options).await;
    assert_eq!(counts(&report), (1, 0, 0, 3), "{rejections:?}");
    assert_has(&rejections[0].error, "merged with others; unmerge it");
    assert_eq!(bench.sql("select author from review"), "Ann");
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
    let (_, report, rejections) = import_into_new(sheet, "--ignore-others").await;
    assert_eq!(
        (counts(&report).0, rejections.len()),
        (1, expected.len()),
        "{rejections:?}"
    );
    for (rejection, expected) in rejections.iter().zip(expected) {
        assert_has(&rejection.error, expected);
    }
}

#[tokio::test]
async fn a_chosen_sheet_and_header_row_are_used_or_refused_if_missing() {
    let bench = bench().await;
    let file = bench.file(
        "feedback.xlsx",
        workbook_with_sheets([("Reviews 2026", FEEDBACK), ("Older", OLDER)]),
    );
    let request = |options: &str| {
        let options = format!("--dry-run --no-text --ignore-others {options}");
        request_for([file.clone()], &options)
    };
    let mut imported = Vec::new();
    for options in [
        "--sheet Older",
        "--sheet older --header-row 1",
        "--header-row 3",
    ] {
        let report = bench.run(&request(options)).await.0;
        imported.push(counts(&report.unwrap()).0);
    }
    assert_eq!(imported, [1, 1, 2]);
    let refusal = bench.refuse(&request("--sheet 2027")).await;
    let sheets = "has no sheet \"2027\"; its sheets are \"Reviews 2026\", \"Older\"";
    assert_has(&refusal, sheets);
    let refusal = bench
        .refuse(&request("--sheet Older --header-row 40"))
        .await;
    assert_has(&refusal, "has no row 40");
    for (options, expected) in [
        ("--sheet Older", "which has no sheet; leave --sheet out"),
        ("--header-row 40", "has no row 40"),
    ] {
        let request = request_for([bench.file("t.csv", TABLE)], options);
        assert_has(&bench.refuse(&request).await, expected);
    }
    let report = bench.csv(TABLE, "--header-row 1").await;
    assert_eq!(counts(&report), (2, 0, 0, 0));
}

#[tokio::test]
async fn a_delimited_text_may_have_titles_above_the_header() {
    let bench = bench().await;
    let csv = "Feedback 2026;;;\n\nName;Stars;Review Date;Comment\nAnn;5;2026-10-30;Fine\n";
    let request = request_for([bench.file("t.csv", csv)], "");
    let (report, watch) = bench.watch(&request).await;
    assert_eq!(counts(&report.unwrap()), (1, 0, 0, 0));
    assert_has(&watch.tables[0].titles[0], ", header in row 3");
}

/// Records the reported progress as (rows read, all rows).
#[derive(Default)]
struct Progress(Vec<(u64, u64)>);

impl Watch for Progress {
    fn read(&mut self, rows: u64, all: u64) {
        self.0.push((rows, all));
    }

    fn rejected(&mut self, _: Rejection) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn an_import_reports_how_many_rows_it_has_read() {
    let bench = bench().await;
    let rows: String = (0..50)
        .map(|number| format!("Ann {number},5,2026-10-30,On time\n"))
        .collect();
    let request = request_for(
        [
            bench.file("t.csv", format!("author,rating,date,text\n{rows}")),
            bench.file("r.jsonl", lines(&[native(&json!({}))])),
        ],
        "--dry-run",
    );
    let mut watch = Progress::default();
    let report = import(&bench.database, &bench.clock, &request, &mut watch).await;
    assert_eq!(report.unwrap().rejected, 0);
    let expected: Vec<(u64, u64)> = (1..=51).map(|read| (read, 51)).collect();
    assert_eq!(watch.0, expected);
}

#[tokio::test]
async fn a_file_with_an_unclosed_quotation_mark_is_refused() {
    let bench = bench().await;
    for (rows, line) in [
        (
            "2026-10-01,5,A,\"hello\n2026-10-02,5,B,fine\n2026-10-03,4,C,good\n",
            2,
        ),
        ("2026-10-01,5,A,fine\n2026-10-02,5,B,\"Late, and ", 3),
        ("2026-10-01,5,A,\"He said \"\"late\"\" and", 2),
    ] {
        let refusal = bench
            .refusal(format!("Date,Rating,Name,Review\n{rows}"))
            .await;
        assert!(
            refusal.contains(&format!(
                "line {line}: a quotation mark opens a cell and none closes it"
            )),
            "{rows}: {refusal}"
        );
        assert_eq!(bench.change_no().await, 0, "{rows}");
    }
    let whole = "Date,Rating,Name,Review\n2026-10-01,5,A,\"He said \"\"late\"\"\"\n\
        2026-10-02,5,B,a 5\" pipe\n2026-10-03,5,C,\"two\nlines\"";
    let (report, _) = bench.take(whole).await;
    assert_eq!(counts(&report), (3, 0, 0, 0));
}

#[tokio::test]
async fn locales_of_a_language_column_become_language_tags() {
    let rows: String = (1..)
        .zip(["en_US", "de_DE.UTF-8", "es-MX", "English", "pt"])
        .map(|(day, language)| format!("2026-10-0{day},5,A,Good work.,{language}\n"))
        .collect();
    let select = "select ifnull(language, '-') from review order by reviewed_on";
    let languages = found(
        format!("Date,Rating,Name,Review,Language\n{rows}"),
        "",
        select,
    )
    .await;
    assert_eq!(languages, "en-US\nde-DE\nes-MX\n-\npt");
}

#[tokio::test]
async fn a_location_column_of_another_meaning_is_mapped_away() {
    let bench = bench().await;
    let table = "ID,Date,Rating,Name,Review,Location\na,2026-10-01,5,Ann,Good.,4\nb,2026-10-02,4,Bo,Fair.,Mesa\n";
    let refusal = bench.refusal(table).await;
    assert!(
        refusal.contains("the reviews are of 2 locations: 4 (1), Mesa (1)")
            && refusal.ends_with("with --map location="),
        "{refusal}"
    );
    bench.set_time_zone("UTC").await;
    let request = request_for(
        [
            bench.file("t", table),
            bench.file("g", page(&[google(1, "g", &json!({}))])),
        ],
        "",
    );
    let refusal = bench.refuse(&request).await;
    assert!(
        refusal.contains("are of 3 locations: 4 (1), 77 (1), Mesa (1)")
            && refusal.ends_with("with --map location="),
        "{refusal}"
    );
    let rows = r#"[{"id": "c", "date": "2026-10-01", "rating": 5, "name": "Cy", "text": "Good.", "location": "Mesa"},
        {"id": "d", "date": "2026-10-02", "rating": 4, "name": "Di", "text": "Fair.", "location": "4"}]"#;
    for content in [table, rows] {
        let options = "--format table --map location= --ignore-others";
        let request = request_for([bench.file("t", content)], options);
        let (report, rejections) = bench.run(&request).await;
        assert_eq!(counts(&report.unwrap()), (2, 0, 0, 0), "{rejections:?}");
    }
    let locations = "select count(location) from review_source";
    assert_eq!(bench.sql(locations), "0");
}

#[tokio::test]
async fn a_column_that_only_says_yes_or_no_has_no_answers() {
    let table = "Date,Name,Stars,Review,Response\n2026-03-14,Ann,5,Neat,Y\n2026-03-15,Bo,4,Fine,No\n2026-03-16,Cy,4,Fine,Yes please come back\n";
    let answers = found(table, "", "select group_concat(response_text) from review").await;
    assert_eq!(answers, "Yes please come back");
}

#[tokio::test]
async fn mapping_more_columns_completes_reviews_and_adds_none() {
    let table = "Customer,Stars,When,What they said,What we said\nAnn,5,2026-10-30,On time and tidy.,Thank you.\n\
        Bo,2,2026-10-29,Left the gate open.,\nCy,4,2026-10-28,,\n";
    let text = "--map 'text=What they said' --ignore-others";
    let reply = "--map 'response=What we said'";
    let bench = bench().await;
    let select = "select review_id from review order by 1";
    let report = bench.csv(table, "--no-text --ignore-others").await;
    assert_eq!(counts(&report), (3, 0, 0, 0));
    let ids = bench.sql(select);
    for (options, updated) in [(text, 2), (reply, 1), ("", 0), ("--no-text", 0)] {
        let report = bench.csv(table, options).await;
        let counted = (0, updated, 3 - updated, 0);
        assert_eq!((counts(&report), report.doubtful.count), (counted, 0));
        assert_eq!(bench.sql(select), ids, "{options}");
    }
    let texts = "select author, text, response_text from review order by author";
    let whole = "Ann|On time and tidy.|Thank you.\nBo|Left the gate open.|\nCy||";
    assert_eq!(bench.sql(texts), whole);
    // What the customer or the firm removes from a cell goes here, too.
    let emptied = table.replace("On time and tidy.,Thank you.", ",");
    bench.csv(emptied, text).await;
    assert_eq!(bench.sql(texts), "Ann||\nBo|Left the gate open.|\nCy||");
}
