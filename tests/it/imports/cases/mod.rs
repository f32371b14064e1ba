//! Files of the kinds that broke imports. Each case is a test: [`table_case`] imports its table once by each reader (CSV, JSON and
//! workbooks), [`file_case`] a file as it stands. The notation of a case:
//!
//! - `each WORD: A | B` in the first lines: the case holds with A and with B for the word.
//! - Options of the import follow, if it has any, or `format: ` and the text of a format, in which `;` stands for a line end.
//! - Then the file. A table has a line for each row, with ` | ` between the cells; `\n`, `\r`, `\t` and `\s` stand for white space.
//! - `then OPTIONS` begins the next file, which is imported after the one before; without lines, that one is imported again.
//!   `then undo` and `then sql: …` are done in between.
//! - Below `=` is what is expected, by line: `x` a part of each rejection, `?` each open key, `!` a part of each error, in the order of
//!   the imports, or `!` alone for any refusal; `~` a part of a note, or the name of the format, if they matter.
//! - Last, the names of columns, and the stored reviews in any order.
//!
//! In place of a table, `cells: HEADERS` begins lines `VALUE ← CELL | CELL`: cells that stand under each of these headers, and what is
//! stored of each: `same`, `empty`, a text, or `x` if its row is rejected.
//!
//! No review may become public whose row says HIDDEN; nothing of a cell that says PRIVATE may be in the database or in a question.

mod dates;
mod documents;
mod empty;
mod google;
mod hidden;
mod ids;
mod native;
mod platforms;
mod shapes;
mod tables;
mod texts;

use reviews_service::imports::undo;

use super::tables::workbook_of_sheets;
use super::*;

type Cells = Vec<Vec<String>>;

/// Writes a table.
type Writer = fn(&Cells) -> Vec<u8>;

/// A form of tables for each reader.
const READERS: [(&str, Writer); 3] = [
    ("CSV", |rows| delimited(rows, ",")),
    ("JSON", |rows| {
        Value::from(objects(rows, typed)).to_string().into()
    }),
    ("workbook", texts_in_a_workbook),
];

/// Other forms of the same tables.
const SPELLINGS: [(&str, Writer); 5] = [
    ("CSV with semicolons", |rows| delimited(rows, ";")),
    ("TSV", |rows| delimited(rows, "\t")),
    ("JSON of texts", |rows| {
        Value::from(objects(rows, text)).to_string().into()
    }),
    ("JSON Lines", |rows| lines(&objects(rows, typed)).into()),
    ("JSON with a wrapper", |rows| {
        let page = json!({"code": 200, "payload": {"items": objects(rows, text)}});
        page.to_string().into()
    }),
];

fn cells_of(table: &str) -> Cells {
    let white_space = [("\\n", "\n"), ("\\r", "\r"), ("\\t", "\t"), ("\\s", " ")];
    let replaced = |cell: String, (from, to): &(&str, &str)| cell.replace(from, to);
    let cell = |cell: &str| white_space.iter().fold(cell.trim().to_owned(), replaced);
    let lines = table.lines().map(str::trim).filter(|line| !line.is_empty());
    let rows = lines.map(|line| format!("{line} ").split("| ").map(cell).collect());
    rows.collect()
}

fn delimited(rows: &Cells, delimiter: &str) -> Vec<u8> {
    let quoted = |cell: &String| {
        if cell.contains(delimiter) || cell.contains(['"', '\n', '\r', ' ']) {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell.clone()
        }
    };
    let rows = rows.iter();
    let rows = rows.map(|row| row.iter().map(quoted).collect::<Vec<_>>());
    let lines: String = rows.map(|row| row.join(delimiter) + "\r\n").collect();
    lines.into()
}

/// A workbook whose cells are all texts.
fn texts_in_a_workbook(rows: &Cells) -> Vec<u8> {
    let cell = |cell: &String| {
        let cell = quick_xml::escape::escape(cell.as_str()).replace('\r', "&#13;");
        format!("<c t=\"inlineStr\"><is><t xml:space=\"preserve\">{cell}</t></is></c>")
    };
    let rows = rows.iter();
    let rows = rows.map(|row| row.iter().map(cell).collect::<String>());
    let rows: String = rows.map(|row| format!("<row>{row}</row>")).collect();
    let rows = format!("<sheetData>{rows}</sheetData>");
    workbook_of_sheets([("Notes", "<sheetData/>"), ("Reviews", &rows)])
}

/// The rows as objects, of which a header with dots is the path of a member.
fn objects(rows: &Cells, value: fn(&str) -> Value) -> Vec<Value> {
    let object = |row: &Vec<String>| {
        let mut object = json!({});
        for (header, cell) in rows[0].iter().zip(row) {
            let path = header.split('.');
            *path.fold(&mut object, |object, name| &mut object[name]) = value(cell);
        }
        object
    };
    rows[1..].iter().map(object).collect()
}

fn text(cell: &str) -> Value {
    cell.into()
}

/// Numbers, `true` and `false` as such, an empty cell as null.
fn typed(cell: &str) -> Value {
    match cell.parse::<Value>() {
        Ok(value @ (Value::Number(_) | Value::Bool(_))) => value,
        _ if cell.is_empty() => Value::Null,
        _ => cell.into(),
    }
}

/// What an import rejects, asks, refuses or notes, by line.
async fn messages(bench: &Bench, content: impl AsRef<[u8]>, options: &str) -> Vec<String> {
    let request = request_for([bench.file("some.txt", content)], options);
    let (report, rejections) = bench.run(&request).await;
    let rejected = rejections.iter().map(|it| {
        assert!(!it.row.to_string().contains("PRIVATE"), "{}", it.row);
        format!("x {}", it.error)
    });
    let refused = match report {
        Ok(report) => {
            let formats = report.files.iter().map(|file| file.format.as_str());
            let values = report.new_values.iter();
            let values = values.map(|((_, header, value), n)| format!("~ {header}: {value} {n}"));
            let notes = formats.chain(report.notes.iter().map(String::as_str));
            notes.map(|it| format!("~ {it}")).chain(values).collect()
        }
        Err(ImportError::Open(draft)) => {
            let shown = draft.text("reviews import");
            assert!(!shown.contains("PRIVATE"), "{shown}");
            let open = draft.describe_open().into_iter();
            open.map(|it| format!("? {it}")).collect()
        }
        Err(error) => vec![format!("! {error}")],
    };
    rejected.chain(refused).collect()
}

/// The reviews with these columns, a line for each.
fn stored(bench: &Bench, columns: &str) -> Vec<String> {
    let columns = columns.split(" | ");
    let columns = columns.map(|name| format!("ifnull({name}, '')"));
    let columns = columns.collect::<Vec<_>>().join(" || ' | ' || ");
    let select =
        format!("select rtrim(replace({columns}, char(10), '\\n')) from review order by 1");
    bench.sql(&select).lines().map(str::to_owned).collect()
}

/// What is wrong after files were imported one after another, each with its options.
async fn wrong(steps: &[(&str, Vec<u8>)], expected: &[&str]) -> Option<String> {
    let bench = bench().await;
    bench.set_time_zone("America/Phoenix").await;
    let mut found = vec![];
    for (options, content) in steps {
        if let Some(statement) = options.strip_prefix(" sql: ") {
            bench.sql(statement);
        } else if *options == " undo" {
            let undone = undo(&bench.database, &bench.clock, None, false);
            undone.await.unwrap();
        } else {
            found.extend(messages(&bench, content, options).await);
        }
    }
    let is_message = |line: &&&str| line.starts_with(['x', '?', '!', '~']);
    let (mut faults, mut reviews): (Vec<&str>, Vec<&str>) = expected.iter().partition(is_message);
    let is_found = |line: &str| found.iter().any(|it| it.contains(line[1..].trim()));
    faults.retain(|line| !line.starts_with('~') || !is_found(line));
    found.retain(|line| !line.starts_with('~'));
    let columns = reviews.drain(..reviews.len().min(1)).next();
    reviews.sort_unstable();
    let stored = stored(&bench, columns.unwrap_or("review_id"));
    let is_so = |(found, fault): (&String, &&str)| {
        found[..1] == fault[..1] && found.contains(fault[1..].trim())
    };
    let is_refusal = |line: &String| line.starts_with(['?', '!']);
    if faults == ["!"] && !found.is_empty() && found.iter().all(is_refusal) {
        found.clear();
        faults.clear();
    }
    if found.len() != faults.len() || !found.iter().zip(&faults).all(is_so) || stored != reviews {
        let should = format!("{faults:#?} {reviews:#?}");
        return Some(format!("{found:#?} {stored:#?} should be {should}"));
    }
    let text = "author || ifnull(title, '') || text || ifnull(reply_text, '')";
    let public = "select review_id from review where status = 'published'";
    let hidden = format!("{public} and {text} like '%HIDDEN%'");
    let file = |name: &str| fs::read(bench.folder.path().join(name)).unwrap_or_default();
    let bytes = [file("reviews.db"), file("reviews.db-wal")].concat();
    let is_private_kept = memchr::memmem::find(&bytes, b"PRIVATE").is_some();
    (!bench.sql(&hidden).is_empty() || is_private_kept)
        .then(|| "hidden or private words are there".to_owned())
}

/// The case with each value of its words.
fn variants(case: &str) -> Vec<String> {
    let Some(rest) = case.strip_prefix("each ") else {
        return vec![case.to_owned()];
    };
    let (values, rest) = rest.split_once('\n').unwrap();
    let (word, values) = values.split_once(": ").unwrap();
    let with = |value: &str| variants(&rest.replace(word, value));
    values.split(" | ").flat_map(with).collect()
}

/// The files of a case, each after its options, and what is expected.
fn parts(case: &str) -> (Vec<[String; 2]>, Vec<String>) {
    let mut lines = case.lines().peekable();
    let options = lines.next_if(|line| line.starts_with("--") || line.starts_with("format: "));
    let options = options.unwrap_or_default();
    if let Some(headers) = lines.next_if(|line| line.starts_with("cells: ")) {
        let (table, expected) = cells_under(&headers["cells: ".len()..], lines);
        return (vec![[options.to_owned(), table]], expected);
    }
    let mut files = vec![[options.to_owned(), String::new()]];
    for line in lines.by_ref().take_while(|line| *line != "=") {
        match line.strip_prefix("then") {
            Some(options) => files.push([options.to_owned(), String::new()]),
            None => files.last_mut().unwrap()[1] += &format!("{line}\n"),
        }
    }
    for number in 1..files.len() {
        if files[number][1].is_empty() {
            let before = files[number - 1][1].clone();
            files[number][1] = before;
        }
    }
    (files, lines.map(str::to_owned).collect())
}

/// A table with these cells under each of these headers, and what is expected of it.
fn cells_under<'c>(headers: &str, cases: impl Iterator<Item = &'c str>) -> (String, Vec<String>) {
    let fields = [
        ("Stars", "rating", "5"),
        ("Date", "reviewed_on", "2026-03-01"),
        ("Review", "text", "Good."),
        ("Headline", "title", ""),
        ("Our reply", "reply_text", ""),
    ];
    let headers: Vec<&str> = headers.split(", ").collect();
    let line = |name: &str, cells: [&str; 5]| {
        let line = format!("{name} | {}", cells.join(" | "));
        line.trim_end().to_owned()
    };
    let review = |number: usize, value| {
        let cells = fields.map(|(header, _, usual)| {
            let is_asked = headers.contains(&header);
            if is_asked { value } else { usual }
        });
        line(&format!("r{number}"), cells)
    };
    let mut table = vec![line("Name", fields.map(|field| field.0))];
    let (mut faults, mut reviews) = (vec![], vec![line("author", fields.map(|field| field.1))]);
    for case in cases {
        let (value, cells) = case.split_once(" ← ").unwrap();
        for cell in cells.split(" | ") {
            let number = table.len() + 9;
            table.push(review(number, cell));
            match value {
                "x" => faults.push(format!("x {cell}")),
                _ if value.starts_with("x ") => faults.push(value.to_owned()),
                "same" => reviews.push(review(number, cell)),
                "empty" => reviews.push(review(number, "")),
                _ => reviews.push(review(number, value)),
            }
        }
    }
    faults.append(&mut reviews);
    (table.join("\n"), faults)
}

/// Imports the tables of a case one after another, once in each of these forms.
async fn table_case_as(case: &str, forms: &[(&str, Writer)]) {
    for case in variants(case.trim_start()) {
        let (files, expected) = parts(&case);
        for (name, write) in forms {
            let written = files
                .iter()
                .map(|[options, table]| (options.as_str(), write(&cells_of(table))));
            assert_imported(&case, name, &written.collect::<Vec<_>>(), &expected).await;
        }
    }
}

/// Imports the tables of a case one after another, once by each reader.
async fn table_case(case: &str) {
    table_case_as(case, &READERS).await;
}

/// Imports the files of a case one after another, as they stand.
async fn file_case(case: &str) {
    for case in variants(case.trim_start()) {
        let (files, expected) = parts(&case);
        let read = files
            .iter()
            .map(|[options, file]| (options.as_str(), file.clone().into_bytes()));
        assert_imported(&case, "as it stands", &read.collect::<Vec<_>>(), &expected).await;
    }
}

async fn assert_imported(case: &str, form: &str, steps: &[(&str, Vec<u8>)], expected: &[String]) {
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    let fault = wrong(steps, &expected).await;
    assert_eq!(fault, None, "{form}:\n{case}");
}
