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
    let parts = table(&parts)
        .into_iter()
        .map(|[name, content]| (name, content));
    let mut parts: Vec<(&str, &str)> = parts.collect();
    parts.push(("xl/worksheets/sheet1.xml", &above));
    parts.push(("xl/worksheets/sheet2.xml", &body));
    zipped(&parts)
}

const TABLE: &str =
    "Name,Stars,Review Date,Comment\nJosé,5,2026-10-30,Très bien\nZoë,1,2026-10-29,Nie wieder\n";

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
async fn titles_above_a_named_header_row_are_left_out() {
    let bench = bench().await;
    let file = bench.file(
        "feedback.xlsx",
        workbook_with_sheets([("Reviews 2026", FEEDBACK), ("Older", OLDER)]),
    );
    let request = request_for(
        [file],
        "--header-row 3 --map 'text=What they said' --ignore-others",
    );
    let (report, watch) = bench.watch(&request).await;
    assert_eq!(counts(&report.unwrap()), (2, 0, 0, 0));
    let rows = [
        "feedback.xlsx, sheet \"Reviews 2026\", header in row 3, 2 rows\n",
        "   1  Customer          author",
        "   2  Stars             rating",
        "   3  When              date",
        "   4  What they said    text",
        "   5  Our reply         reply",
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
async fn hidden_rows_are_a_column_and_a_question_once() {
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
        &["Customer", "Stars", "When", "Comment", "Reply", "Publish"],
        &["Ann", "#5", "@46325", "Fine.", "", "yes"],
        &["Bo", "#1", "@46324", "Hidden.", "", "no"],
        &["Cy", "#1", "", "Hidden, too.", "", ""],
        &["Di", "#4", "@46323", "Over two columns.", "", "yes"],
    ];
    let options = "--public Publish=yes --ignore-others";
    let reversed = workbook_with_merged(rows, "F4:F3");
    let refusal = bench().await.refused(reversed, options).await;
    assert_has(&refusal, "merged cells end before they begin");
    // The dates and flags of Bo and Cy, the comment of Di, and cells beside the table.
    let sheet = workbook_with_merged(rows, "C3:C4 F3:F4 D5:E5 G2:H3");
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
    let sheets = workbook_with_sheets([("Reviews 2026", FEEDBACK), ("Older", OLDER)]);
    bench.file("feedback.xlsx", sheets);
    bench.file("t.csv", TABLE);
    for [file, options, expected] in table(
        r#"
        feedback.xlsx → --sheet Older → 1
        feedback.xlsx → --sheet older --header-row 1 → 1
        feedback.xlsx → --header-row 3 → 2
        feedback.xlsx → --sheet 'Reviews 2026' → the names are in row 3: pass --header-row 3
        t.csv → --header-row 1 → 2
        feedback.xlsx → --sheet 2027 → has no sheet "2027"; its sheets are "Reviews 2026", "Older"
        feedback.xlsx → --sheet Older --header-row 40 → has no row 40
        t.csv → --sheet Older → which has no sheet; leave --sheet out
        "#,
    ) {
        let options = format!("--dry-run --no-text --ignore-others {options}");
        let file = bench.folder.path().join(file);
        let report = bench.run(&request_for([file], &options)).await.0;
        let found = report.map_or_else(|error| error.to_string(), |it| it.new.to_string());
        assert!(found.contains(expected), "{options}: {found}");
    }
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
    let files = [
        bench.file("t.csv", format!("author,rating,date,text\n{rows}")),
        bench.file("r.jsonl", lines(&[native(&json!({}))])),
    ];
    let mut watch = Progress::default();
    let request = request_for(files, "--dry-run");
    let report = import(&bench.database, &bench.clock, &request, &mut watch).await;
    assert_eq!(report.unwrap().rejected, 0);
    let expected: Vec<(u64, u64)> = (1..=51).map(|read| (read, 51)).collect();
    assert_eq!(watch.0, expected);
}
