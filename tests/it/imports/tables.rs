//! Tables: delimiters, encodings, headers, dates, scales, IDs, workbooks.

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
fn cells(rows: &[&[&str]]) -> String {
    let mut body = String::new();
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
    body
}

/// A workbook with these sheets as (name, XML of the rows); a sheet `~…` is hidden.
fn workbook_of_sheets([(first, above), (second, body)]: [(&str, &str); 2]) -> Vec<u8> {
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
    let worksheet = |rows: &str| {
        format!("<worksheet xmlns=\"{main}\"><sheetData>{rows}</sheetData></worksheet>")
    };
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

async fn texts(bench: &Bench) -> Vec<(String, i64, String)> {
    let mut reader = bench.database.readers().acquire().await.unwrap();
    sqlx::query_as("select author, rating, text from review order by rating desc")
        .fetch_all(&mut *reader)
        .await
        .unwrap()
}

#[tokio::test]
async fn a_table_gives_the_same_reviews_in_every_format_and_encoding() {
    let one_byte: Vec<u8> = TABLE
        .chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap())
        .collect();
    let little: Vec<u8> = TABLE.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = TABLE.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let files: [(&str, Vec<u8>); 9] = [
        ("commas", TABLE.into()),
        ("semicolons", TABLE.replace(',', ";").into()),
        ("tabs", TABLE.replace(',', "\t").into()),
        ("carriage returns", TABLE.replace('\n', "\r\n").into()),
        ("a byte order mark", format!("\u{feff}{TABLE}").into()),
        ("Windows-1252", one_byte),
        ("UTF-16", little.clone()),
        (
            "UTF-16 with its mark",
            [b"\xfe\xff".as_slice(), &big].concat(),
        ),
        (
            "a workbook",
            workbook(&[
                &["Name", "Stars", "Review Date", "Comment"],
                &["José", "#5", "@46325", "Très bien"],
                &["Zoë", "#1", "2026-10-29", "Nie wieder"],
            ]),
        ),
    ];
    let bench = bench().await;
    for (number, (name, content)) in files.into_iter().enumerate() {
        let (report, rejections) = bench.take(content).await;
        assert_eq!(
            (report.files[0].format, rejections),
            ("table", Vec::new()),
            "{name}"
        );
        let (new, unchanged) = if number == 0 { (2, 0) } else { (0, 2) };
        assert_eq!(counts(&report), (new, 0, unchanged, 0), "{name}");
    }
    let expected = [("José", 5, "Très bien"), ("Zoë", 1, "Nie wieder")]
        .map(|(author, rating, text)| (author.to_owned(), rating, text.to_owned()));
    assert_eq!(texts(&bench).await, expected);
}

#[tokio::test]
async fn unknown_columns_can_be_mapped_and_missing_ones_are_refused() {
    let bench = bench().await;
    let csv = "Who,How many,On,Said\nAnn,4,2026-10-30,Fine\n";
    let refusal = bench.refusal(csv).await;
    assert_has(
        &refusal,
        "is a table with the columns Who, How many, On, Said: no column is recognised as the rating, the date, the author",
    );
    assert_has(&refusal, "--map rating=COLUMN");
    let file = bench.file("t", csv);
    let maps = "--map author=Who --map 'rating=How many' --map date=on --map text=Said";
    let report = bench.done(file.clone(), maps).await;
    assert_eq!(counts(&report), (1, 0, 0, 0));
    let maps = "--map author=Who --map rating=Number --map date=On";
    let refusal = bench.refuse(&request_for([file], maps)).await;
    assert_has(&refusal, "no file has a column Number, which --map names; ");
}

#[tokio::test]
async fn a_file_of_ambiguous_dates_is_refused_without_a_format() {
    let bench = bench().await;
    let file = bench.file("t", "author,rating,date,text\nAnn,5,10/11/2026,A\n");
    let refusal = bench.refuse(&request_for([file.clone()], "")).await;
    assert_has(&refusal, "t:2: 10/11/2026 in date may be 2026-10-11");
    assert_has(&refusal, "--date-format %m/%d/%Y");
    assert_has(&refusal, "2026-11-10 with");
    assert_has(&refusal, "--date-format %d/%m/%Y");
    let report = bench.done(file, "--date-format mm/dd/yyyy").await;
    assert_eq!(counts(&report), (1, 0, 0, 0));
    let days = "select reviewed_on from review";
    assert_eq!(bench.sql(days), "2026-10-11");
}

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

#[tokio::test]
async fn a_scale_of_ten_is_never_taken_for_one_of_five() {
    let bench = bench().await;
    let file = bench.file(
        "t",
        "author,rating,date,text\nAnn,3,2026-10-30,A\nBo,9,2026-10-30,B\nCy,0,2026-10-30,C\n",
    );
    let refusal = bench.refuse(&request_for([file.clone()], "")).await;
    assert_has(
        &refusal,
        "line 3: a rating of 9 means that the scale ends at 10; pass --scale 10",
    );
    let (report, _) = bench.run(&request_for([file], "--scale 10")).await;
    assert_eq!(counts(&report.unwrap()), (3, 0, 0, 0));
    let ratings: Vec<i64> = texts(&bench)
        .await
        .into_iter()
        .map(|(_, rating, _)| rating)
        .collect();
    assert_eq!(ratings, [5, 2, 1]);
}

#[tokio::test]
async fn a_scale_is_kept_with_the_source_and_the_column() {
    let bench = bench().await;
    let take = async |rating: u8, column: &str, source: &str, scale: &str| {
        let row = format!("Ann {rating} {column},{rating},2026-10-30,Good work");
        let file = bench.file("t.csv", format!("author,{column},date,text\n{row}\n"));
        let request = request_for([file], &format!("--source {source} {scale}"));
        let (report, watch) = bench.watch(&request).await;
        assert_eq!(counts(&report.unwrap()).3, 0);
        let stars = format!(
            "select group_concat(rating) from review where author = 'Ann {rating} {column}' and source_name = '{source}'"
        );
        let dates = watch.tables.iter().flat_map(|table| table.notes.clone());
        let preview: String = dates.collect();
        (bench.sql(&stars), preview)
    };
    take(9, "rating", "Angi", "--scale 10").await;
    let (stars, preview) = take(4, "rating", "Angi", "").await;
    assert_eq!(stars, "2");
    assert_has(
        &preview,
        "rating is read on the scale up to 10, as in an earlier import of Angi",
    );
    // Other columns and sources have the scale of stars, and another scale replaces the kept one.
    for (column, source) in [("stars", "Angi"), ("rating", "Yelp")] {
        assert_eq!(take(4, column, source, "").await.0, "4");
    }
    take(5, "rating", "Angi", "--scale 5").await;
    assert_eq!(take(3, "rating", "Angi", "").await.0, "3");
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
    let request = request_for([file], "--map 'text=What they said'");
    let (report, watch) = bench.watch(&request).await;
    assert_eq!(counts(&report.unwrap()), (2, 0, 0, 0));
    let table = &watch.tables[0];
    assert_eq!(table.place, ", sheet \"Reviews 2026\", header in row 3");
    assert_eq!(
        table.to_string(),
        "  rating ← Stars    date ← When    author ← Customer    text ← What they said    response ← Our reply\n  \
         other sheets (--sheet): Older"
    );
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
        let place = &watch.tables[0].place;
        assert_has(place, &format!("sheet \"{taken}\""));
    }
}

#[tokio::test]
async fn a_failed_formula_or_invalid_date_rejects_the_row() {
    let sheet = workbook(&[
        &["Customer", "Stars", "When", "Comment", "Region"],
        &["Ann", "5", "@46325", "Fine.", "!#REF!"],
        &["Bo", "5", "@46325", "!#NAME?", "West"],
        &["Cy", "5", "@0", "Fair.", "West"],
        &["Di", "5", "@-5", "Fair.", "West"],
    ]);
    let csv = "Customer,Stars,When,Comment,Region\nEd,5,2026-10-30,#NAME?,West\n\
        Fay,4,2026-10-30,#N/A is what the old boiler said.,#N/A\n";
    let name = "Comment: #NAME? is an error of the spreadsheet; correct the cell's formula, or empty the cell";
    for (content, expected) in [
        (sheet, &[name, "When: \"0\"", "When: \"-5\""][..]),
        (csv.into(), &[name]),
    ] {
        let (report, rejections) = bench().await.take(content).await;
        assert_eq!(counts(&report).0, 1, "{rejections:?}");
        assert_eq!(rejections.len(), expected.len(), "{rejections:?}");
        for (rejection, expected) in rejections.iter().zip(expected) {
            assert_has(&rejection.error, expected);
        }
    }
}

#[tokio::test]
async fn a_chosen_sheet_and_header_row_are_used_or_refused_if_missing() {
    let bench = bench().await;
    let file = bench.file(
        "feedback.xlsx",
        workbook_with_sheets([("Reviews 2026", FEEDBACK), ("Older", OLDER)]),
    );
    let request =
        |options: &str| request_for([file.clone()], &format!("--dry-run --no-text {options}"));
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
    assert_eq!(watch.tables[0].place, ", header in row 3");
}

#[tokio::test]
async fn a_header_may_contain_further_words_unless_it_is_ambiguous() {
    let bench = bench().await;
    let row = "Ann Baker,4,2026-10-30,On time.,7\n";
    let csv = format!("Customer's full name,Stars given,Date posted,Comment left,Points\n{row}");
    let request = |csv: String| request_for([bench.file("t.csv", csv)], "");
    let (report, watch) = bench.watch(&request(csv)).await;
    assert_eq!(counts(&report.unwrap()), (1, 0, 0, 0));
    assert_eq!(
        watch.tables[0].to_string(),
        "  rating ← Stars given    date ← Date posted    author ← Customer's full name    text ← Comment left    \
         response ← (none)\n  not used: Points"
    );
    let csv = format!("Name,Stars given,Date,Comment,Score awarded\n{row}");
    let refusal = bench.refuse(&request(csv)).await;
    assert_has(&refusal, "the rating may be Stars given or Score awarded");
    assert_has(&refusal, "--map rating=COLUMN");
    for other in ["Customer score", "Score of the lead", "Visit stars"] {
        let csv = format!("Name,{other},Date,Comment,Points\n{row}");
        let refusal = bench.refuse(&request(csv)).await;
        assert_has(&refusal, "--map rating=COLUMN");
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
async fn the_newest_of_rows_with_one_id_is_found_by_days_or_instants() {
    for (new, old) in [
        ("2026-10-05", "2026-10-02"),
        ("2026-10-05 10:00", "2026-10-04 23:00"),
        ("2026-10-05T10:00:00Z", "2026-10-05T09:00:00Z"),
    ] {
        let bench = bench().await;
        bench.set_time_zone("UTC").await;
        let table = format!(
            "ID,Date,Rating,Name,Review,Updated\nu1,2026-10-01,5,A,new,{new}\nu1,2026-10-01,5,A,old,{old}\n"
        );
        let (report, _) = bench.take(table).await;
        assert_eq!(
            (counts(&report), report.repeated),
            ((1, 0, 0, 0), 1),
            "{new}"
        );
        assert_eq!(bench.find("u1").await.unwrap().text, "new", "{new}");
    }
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
async fn map_can_ignore_a_location_column_of_another_meaning() {
    let bench = bench().await;
    let table = "ID,Date,Rating,Name,Review,Location,!\na,2026-10-01,5,Ann,Good.,4,x\nb,2026-10-02,4,Bo,Fair.,Mesa,y\n";
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
        let request = request_for([bench.file("t", content)], "--format table --map location=");
        let (report, rejections) = bench.run(&request).await;
        assert_eq!(counts(&report.unwrap()), (2, 0, 0, 0), "{rejections:?}");
    }
    let locations = "select count(location) from review_source";
    assert_eq!(bench.sql(locations), "0");
}

#[tokio::test]
async fn a_blank_cell_is_not_filled_from_a_possibly_private_column() {
    let bench = bench().await;
    let csv = "Date,Stars,Nickname,Comment,Customer Name,First Name,Last Name,Feedback\n\
        2026-10-02,1,,,Bob Secret,Bob,Secret,internal: call him back\n\
        2026-10-02,2,Al,,Al Secret,Al,Secret,internal: no\n\
        2026-10-02,5,Cy,Fine.,Cy Secret,Cy,Secret,\n";
    let request = request_for([bench.file("t.csv", csv)], "");
    let (report, watch) = bench.watch(&request).await;
    assert_eq!(counts(&report.unwrap()), (3, 0, 0, 0));
    let select = "select author, text from review order by rating";
    assert_eq!(bench.sql(select), "Anonymous|\nAl|\nCy|Fine.");
    let columns = &watch.tables[0];
    for used in [("author", "Nickname"), ("text", "Comment")] {
        let used = (used.0, vec![used.1.to_owned()]);
        assert!(columns.used.contains(&used), "{columns:?}");
    }
    assert_eq!(
        columns.unused,
        ["Customer Name", "First Name", "Last Name", "Feedback"]
    );
}

#[tokio::test]
async fn a_blank_member_is_not_filled_from_a_possibly_private_one() {
    let bench = bench().await;
    let row = |rating: u8, more: &Value| {
        let mut row = json!({"date": "2026-10-02", "stars": rating});
        let row_members = row.as_object_mut().unwrap();
        row_members.extend(more.as_object().unwrap().clone());
        row
    };
    let request = |rows: &[Value], maps: &str| {
        let file = bench.file("t.json", json!(rows).to_string());
        request_for([file], &format!("--format table {maps}"))
    };
    let whole = row(
        5,
        &json!({"nickname": "Cy", "first_name": "Cy", "comment": "Fine.", "feedback": "internal"}),
    );
    let blank = row(
        2,
        &json!({"nickname": "Al", "comment": "", "feedback": "internal"}),
    );
    let nameless = row(
        1,
        &json!({"nickname": null, "first_name": "Bob", "customer": "Bob Secret", "comment": "Bad."}),
    );
    let request_of_three = request(&[whole.clone(), blank, nameless], "");
    let report = bench.run(&request_of_three).await.0.unwrap();
    assert_eq!(counts(&report), (3, 0, 0, 0));
    let select = "select author, text from review order by rating";
    assert_eq!(bench.sql(select), "Anonymous|Bad.\nAl|\nCy|Fine.");
    // Rows with different members.
    let other = row(3, &json!({"nickname": "Di", "feedback": "internal"}));
    let rows = [whole, other];
    let refusal = bench.refuse(&request(&rows, "")).await;
    let doubt = "the text may be comment or feedback; name it with --map text=COLUMN";
    assert!(refusal.ends_with(doubt), "{refusal}");
    let (report, _) = bench.run(&request(&rows, "--map text=comment")).await;
    assert_eq!(counts(&report.unwrap()), (1, 0, 1, 0));
}

#[tokio::test]
async fn remarks_beside_reviews_are_refused_until_one_is_named() {
    let bench = bench().await;
    let rows = "2026-10-02,Ann Lee,5,The crew was on time and kind.,Call her back about the invoice.,-\n\
        2026-10-03,Bo Ray,4,They fixed the heater quickly.,Ask him for a photo.,\
        A list of all the parts that were cleaned or replaced on that day in the attic\n";
    for (review, remarks) in [
        ("Bewertung", "Kommentar"),
        ("Feedback", "Comments"),
        ("Avis client", "Commentaire"),
        ("Testimonial", "Message"),
    ] {
        let table = format!("Date,Name,Stars,{review},{remarks},Parts\n{rows}");
        let refusal = bench.refusal(&table).await;
        let doubt = format!("the text may be {remarks} or {review}");
        assert_has(&refusal, &doubt);
        for text in [review, remarks] {
            let file = bench.file("reviews.csv", &table);
            let report = bench
                .done(file, &format!("--dry-run --map 'text={text}'"))
                .await;
            assert_eq!(counts(&report), (2, 0, 0, 0), "{text}");
        }
    }
    assert_eq!(bench.sql("select count(*) from review"), "0");
    // Answers are no second text.
    let table = format!("Date,Name,Stars,Comment,Review reply,Parts\n{rows}");
    let (report, _) = bench.take(&table).await;
    assert_eq!(counts(&report), (2, 0, 0, 0));
    assert_eq!(
        bench.sql("select response_text from review where author = 'Bo Ray'"),
        "Ask him for a photo."
    );
}

const KIOSK: &str = "Date,Stars,Name\n2026-10-02,1,Guest\n2026-10-02,2,Guest\n2026-10-02,5,Guest\n\
    2026-10-02,5,Guest\n2026-10-03,5,Guest\n";

impl Bench {
    /// Imports tables of ratings without texts.
    async fn ratings(&self, files: &[&str], options: &str) -> ImportReport {
        let named = |(number, file): (usize, &&str)| self.file(&format!("{number}.csv"), file);
        let files = files.iter().enumerate().map(named);
        let request = request_for(files, &format!("--no-text {options}"));
        self.run(&request).await.0.unwrap()
    }

    /// The ratings of the first day, lowest first.
    fn stars(&self) -> String {
        let select = "select group_concat(rating, '') from (select rating from review where reviewed_on = '2026-10-02' order by 1)";
        self.sql(select)
    }
}

#[tokio::test]
async fn ratings_with_equal_names_and_days_are_separate_reviews() {
    let bench = bench().await;
    let report = bench.ratings(&[KIOSK], "--source Kiosk").await;
    assert_eq!((counts(&report), report.repeated), ((5, 0, 0, 0), 0));
    assert_eq!(bench.stars(), "1255");
    // The same again, then together with a file that repeats some rows, has one more, and has other columns.
    let report = bench.ratings(&[KIOSK], "--source Kiosk").await;
    assert_eq!(counts(&report), (0, 0, 5, 0));
    let more = "Name,Date,Stars\nGuest,2026-10-02,5\nGuest,2026-10-02,5\nGuest,2026-10-02,1\nGuest,2026-10-02,5\n";
    let report = bench.ratings(&[KIOSK, more], "--source Kiosk").await;
    assert_eq!((counts(&report), report.repeated), ((1, 0, 5, 0), 3));
    assert_eq!(bench.stars(), "12555");
}

#[tokio::test]
async fn equal_ratings_of_another_source_are_separate_reviews() {
    let bench = bench().await;
    bench.ratings(&[KIOSK], "").await;
    for new in [5, 0] {
        let report = bench.ratings(&[KIOSK], "--source Kiosk").await;
        assert_eq!(counts(&report), (new, 0, 5 - new, 0));
        assert_eq!(report.duplicates.count, 5);
        assert_eq!(bench.stars(), "11225555");
    }
}

#[tokio::test]
async fn ratings_of_a_platform_without_ids_are_separate_reviews() {
    let bench = bench().await;
    let csv = "Platform,AuthorName,Rating,PublishDate,Review,VerificationStatus,ReviewResponse\n\
        Google,,1,10/02/2026,,,\nGoogle,,2,10/02/2026,,,\nGoogle,,5,10/02/2026,,,\n";
    for (new, unchanged) in [(3, 0), (0, 3)] {
        let (report, _) = bench.take(csv).await;
        assert_eq!(counts(&report), (new, 0, unchanged, 0));
    }
    assert_eq!(bench.stars(), "125");
}

#[tokio::test]
async fn a_scale_that_the_header_or_a_percentage_states_is_used() {
    for [header, ann, bo, expected] in table(
        "
            Score (0-10) → 5 → 0 → 3 1
            Score (0-10) → 10 → 9 → 5 5
            Rating (out of 10) → 4 → 9 → 2 5
            Rating (1-5) → 4 → 5 → 4 5
            Rating → 90% → 20 % → 5 1
        ",
    ) {
        let content = format!(
            "{header},Date,Name,Text\n{ann},2026-03-14,Ann,Fine\n{bo},2026-03-15,Bo,Good\n"
        );
        let select = "select group_concat(rating, ' ') from (select rating from review order by reviewed_on)";
        assert_eq!(found(content, "", select).await, expected, "{header}");
    }
}

#[tokio::test]
async fn percentages_of_a_workbook_need_a_scale_of_one() {
    let bench = bench().await;
    let rows: &[&[&str]] = &[
        &["Rating", "Date", "Name", "Text"],
        &["0.9", "2026-03-14", "Ann", "Fine"],
        &["1", "2026-03-15", "Bo", "Good"],
        &["0.2", "2026-03-16", "Cy", "Late"],
    ];
    let file = bench.file("t.xlsx", workbook(rows));
    let refused = bench.refuse(&request_for([file.clone()], "")).await;
    assert_has(&refused, "pass --scale 1,");
    bench.done(file, "--scale 1").await;
    let select =
        "select group_concat(rating, ' ') from (select rating from review order by reviewed_on)";
    assert_eq!(bench.sql(select), "5 5 1");
}

#[tokio::test]
async fn a_column_that_only_says_yes_or_no_has_no_answers() {
    let table = "Date,Name,Stars,Review,Response\n2026-03-14,Ann,5,Neat,Y\n2026-03-15,Bo,4,Fine,No\n2026-03-16,Cy,4,Fine,Yes please come back\n";
    let answers = found(table, "", "select group_concat(response_text) from review").await;
    assert_eq!(answers, "Yes please come back");
}

#[tokio::test]
async fn a_table_without_names_is_imported_as_anonymous_on_request() {
    let bench = bench().await;
    let table = "Date,Stars,Title,Review\n2026-03-14,5,Mr,Neat work\n2026-03-15,4,Ms,Fine work\n";
    let refused = bench.refusal(table).await;
    assert_has(&refused, "--map author= if there are no names");
    let report = bench.csv(table, "--map author= --map title=").await;
    assert_eq!(counts(&report), (2, 0, 0, 0));
    let select = "select group_concat(author || coalesce(title, ''), ' ') from review";
    assert_eq!(bench.sql(select), "Anonymous Anonymous");
}

#[tokio::test]
async fn grades_with_one_as_the_best_are_refused() {
    for [header, grade] in table(
        "
            Datum;Kunde;Note;Kommentar → Note
            Datum;Kunde;Gesamtnote;Kommentar → Gesamtnote
            Datum;Kunde;Schulnote (1-6);Kommentar → Schulnote (1-6)
            Datum;Kunde;Durchschnittsnote;Kommentar → Durchschnittsnote
            Datum;Kunde;Bewertung (1 = sehr gut, 5 = schlecht);Kommentar → Bewertung (1 = sehr gut, 5 = schlecht)
            Date;Name;Rating (1 = best);Comment → Rating (1 = best)
            Date;Name;Rating (1-5 where 1 is excellent);Comment → Rating (1-5 where 1 is excellent)
            Date;Nom;Note;Avis → NONE
            Date;Name;Rating (1 = bad, 5 = best);Comment → NONE
        ",
    ) {
        let bench = bench().await;
        let file = bench.file(
            "t.csv",
            format!("{header}\n14.03.2026;Anna;1;Sauber und schnell\n"),
        );
        let map = if grade == "NONE" {
            String::new()
        } else {
            format!("--map 'rating={grade}'")
        };
        let report = bench.run(&request_for([file], &map)).await.0;
        let refusal = report
            .err()
            .map_or_else(String::new, |error| error.to_string());
        let is_refused = refusal.contains("1 as the best grade");
        assert_eq!(is_refused, grade != "NONE", "{header}: {refusal}");
        assert_eq!(is_refused, !refusal.is_empty(), "{header}: {refusal}");
    }
}
