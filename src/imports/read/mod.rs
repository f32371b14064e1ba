//! Reads files: opens them, detects their format by its content, and keeps their rows in memory. When all are read, the
//! order of dates in each column is decided, and the reviews in the rows are passed to the collector.

pub(crate) mod archive;
pub(crate) mod detect;
pub(crate) mod json;
mod linked_data;
mod native;
mod text;
mod workbook;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};
use std::path::Path;

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

use crate::imports::map::date::{self, DateColumns, DateOrder};
use crate::imports::map::plan::{DATES, Plan, tomorrow};
use crate::imports::map::row::{PlannedRow, RowReader};
use crate::imports::map::table::Table;
use crate::imports::merge::collector::Collector;
use crate::imports::read::detect::{InputFile, Part, Rows, read_file};
use crate::imports::read::native::{changed_date, read_native};
use crate::imports::report::{FieldError, FileError};
use crate::storage::imports::ColumnMeaning;

/// The name of `-` in messages.
const STDIN: &str = "standard input";

/// Opens files, and keeps their rows.
pub struct Opener<'o> {
    pub collector: Collector<'o>,
    pub files: Vec<InputFile>,
    /// The files that cannot be imported, each with the reason.
    pub faults: Vec<String>,
}

impl Opener<'_> {
    /// Reads every file at `path`.
    pub fn open(&mut self, path: &Path) {
        let is_stdin = path == Path::new("-");
        let name = if is_stdin {
            STDIN.to_owned()
        } else {
            path.display().to_string()
        };
        let opened = if is_stdin {
            self.stdin(io::stdin().lock())
        } else if path.is_dir() {
            self.folder(path)
        } else {
            let file = File::open(path).map_err(FileError::unreadable);
            file.and_then(|file| self.file(&name, file))
        };
        if let Err(fault) = opened {
            self.faults.push(format!("{name}: {fault}"));
        }
    }

    fn stdin(&mut self, input: impl Read) -> Result<(), FileError> {
        let bytes = self.collector.budget.read(input)?;
        if !is_zip(&bytes) {
            return self.content(STDIN.to_owned(), &bytes);
        }
        // Only what is unpacked counts, as in any archive.
        self.collector.budget.give_back(bytes.len());
        self.archive(STDIN, Cursor::new(bytes))
    }

    fn file(&mut self, name: &str, file: impl Read + Seek) -> Result<(), FileError> {
        let mut input = BufReader::new(file);
        if is_zip(input.fill_buf().map_err(FileError::unreadable)?) {
            return self.archive(name, input);
        }
        self.one(name.to_owned(), input)
    }

    fn one(&mut self, name: String, input: impl Read) -> Result<(), FileError> {
        let bytes = self.collector.budget.read(input)?;
        self.content(name, &bytes)
    }

    fn content(&mut self, name: String, bytes: &[u8]) -> Result<(), FileError> {
        let decoded = wide(bytes)?.map(|wide| wide.decode_with_bom_removal(bytes).0);
        let bytes = decoded.as_ref().map_or(bytes, |text| text.as_bytes());
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let parts = read_file(text, self.collector.request)?;
        self.files.push(InputFile { name, parts });
        Ok(())
    }
}

// Recognizes a file by its first bytes, before it is read as text: an archive, UTF-16, or binary.

fn is_zip(head: &[u8]) -> bool {
    // A local file, or the end of an empty archive (APPNOTE.TXT §4.3).
    head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")
}

/// The first bytes of packed files, and the programs that pack them.
const PACKED: [(&[u8], &str); 5] = [
    (b"\x1F\x8B", "gzip"),
    (b"\x28\xB5\x2F\xFD", "zstd"),
    (b"BZh", "bzip2"),
    (b"\xFD7zXZ", "xz"),
    (b"7z\xBC\xAF", "7-Zip"),
];
/// The first bytes of other binary files.
const BINARY: [(&[u8], &str); 2] = [
    (b"%PDF", "a PDF document"),
    (
        b"\xD0\xCF\x11\xE0",
        "an old Excel workbook (.xls) or another document of Microsoft Office; save it as XLSX or CSV",
    ),
];

/// The UTF-16 encoding of a text, if it has one; refuses binary files.
fn wide(head: &[u8]) -> Result<Option<&'static Encoding>, FileError> {
    let begins = |(magic, _): &&(&[u8], &str)| head.starts_with(magic);
    if let Some((_, with)) = PACKED.iter().find(begins) {
        let message = format!("is packed with {with}; unpack it and give the file or folder");
        return Err(FileError::new(message));
    }
    if let Some((_, what)) = BINARY.iter().find(begins) {
        return Err(FileError::new(format!(
            "is {what}, not an export of reviews"
        )));
    }
    Ok(match head {
        [0xFF, 0xFE, ..] | [1..=0x7F, 0, 1..=0x7F, 0, ..] => Some(UTF_16LE),
        [0xFE, 0xFF, ..] | [0, 1..=0x7F, 0, 1..=0x7F, ..] => Some(UTF_16BE),
        _ => None,
    })
}

/// A table with its plan, in a file.
struct PlannedTable<'f> {
    file: &'f str,
    table: &'f Table,
    plan: Plan<'f>,
}

impl<'o> Opener<'o> {
    /// Passes the reviews of all files to the collector; `country` is that of the business. Faults of whole files are
    /// recorded.
    pub fn read_all(&mut self, country: Option<&str>) {
        let request = self.collector.request;
        let files = std::mem::take(&mut self.files);
        let date_format = request.date_format.as_deref().map(date::strftime);
        let date_format = match date_format.transpose() {
            Ok(format) => format,
            Err(fault) => {
                self.faults.push(fault.to_string());
                return;
            }
        };
        let mut planned = Vec::new();
        for file in &files {
            for part in &file.parts {
                match self.plan(file, part, date_format.as_ref()) {
                    Ok(table) => planned.extend(table),
                    Err(fault) => self.faults.push(format!("{}: {fault}", file.name)),
                }
            }
        }
        if let Err(faults) = self.decide_orders(&mut planned, country) {
            self.faults.extend(faults.iter().map(ToString::to_string));
        }
        if !self.faults.is_empty() {
            return;
        }
        let count = |part: &Part| match &part.rows {
            Rows::Table(table) | Rows::NativeTable(table) => table.rows.len(),
            Rows::Records(rows) => rows.len(),
        };
        let all = files.iter().flat_map(|file| &file.parts).map(count).sum();
        self.collector.expect_rows(all);
        let mut planned = planned.into_iter();
        for file in &files {
            let mut read = Ok(());
            for (number, part) in file.parts.iter().enumerate() {
                let plan = matches!(part.rows, Rows::Table(_))
                    .then(|| planned.next())
                    .flatten();
                read = read.and_then(|()| {
                    if number == 0 {
                        self.collector.begin(file.name.clone(), part.format)?;
                    }
                    self.collector.use_format(part.format)?;
                    if let Some(plan) = plan {
                        return read_table(&plan, &mut self.collector);
                    }
                    read_native(part, date_format.as_deref(), &mut self.collector)
                });
            }
            if let Err(fault) = read {
                self.faults.push(format!("{}: {fault}", file.name));
            }
        }
    }

    /// The plan of a part, if it is a table that is no export of ours.
    fn plan<'f>(
        &mut self,
        file: &'f InputFile,
        part: &'f Part,
        date_format: Option<&String>,
    ) -> Result<Option<PlannedTable<'f>>, FileError>
    where
        'o: 'f,
    {
        let format = part.format;
        match &part.rows {
            Rows::NativeTable(table) if date_format.is_none() => {
                let tomorrow = tomorrow(self.collector.calendar());
                changed_date(table, tomorrow).map_or(Ok(None), Err)
            }
            Rows::Table(_) | Rows::Records(_)
                if date_format.is_some() && !format.has_date_forms() =>
            {
                let name = format.name;
                Err(FileError::new(format!(
                    "is in the format {name}, whose dates have one form; leave --date-format out"
                )))
            }
            Rows::NativeTable(_) | Rows::Records(_) => Ok(None),
            Rows::Table(table) => {
                let request = self.collector.request;
                let plan = Plan::new(format, table, request, date_format.cloned());
                if let Err(fault) = plan.complete(table) {
                    // The preview helps to correct it.
                    if !table.is_objects()
                        && self.collector.begin(file.name.clone(), format).is_ok()
                    {
                        self.collector.table(&plan.columns(table));
                    }
                    return Err(fault);
                }
                let file = file.name.as_str();
                Ok(Some(PlannedTable { file, table, plan }))
            }
        }
    }

    /// Decides the order of dates in each column of all tables, and keeps it for the next import.
    fn decide_orders(
        &mut self,
        planned: &mut [PlannedTable<'_>],
        country: Option<&str>,
    ) -> Result<(), Vec<FileError>> {
        let tomorrow = tomorrow(self.collector.calendar());
        let mut columns = DateColumns::new();
        for PlannedTable { file, table, plan } in &*planned {
            for column in date_columns(plan) {
                let (source, header) = (plan.source(), table.columns[column].as_str());
                let found = columns.entry((source, header)).or_default();
                found.kept = match self.collector.kept.get(source, header) {
                    Some(ColumnMeaning::DayFirst) => Some(DateOrder::DayFirst),
                    Some(ColumnMeaning::MonthFirst) => Some(DateOrder::MonthFirst),
                    Some(ColumnMeaning::Id | ColumnMeaning::RowNumber) | None => None,
                };
                found.usual = plan.usual_order();
                for (row, cell) in table.cells(column) {
                    found.add(|| format!("{file}:{}", row.at), cell, tomorrow);
                }
            }
        }
        let format = planned
            .iter()
            .find_map(|planned| planned.plan.date_format.as_deref());
        let decided = match format {
            Some(format) => date::of_format(&columns, format),
            None => date::decide(&columns, country)?,
        };
        for ((source, column), (order, _)) in &decided {
            let meaning = match order {
                DateOrder::DayFirst => ColumnMeaning::DayFirst,
                DateOrder::MonthFirst => ColumnMeaning::MonthFirst,
            };
            self.collector.keep(source, column, meaning);
        }
        for PlannedTable { table, plan, .. } in planned {
            let source = plan.source().to_owned();
            for column in date_columns(plan) {
                let key = (source.clone(), table.columns[column].clone());
                if let Some((order, sentence)) = decided.get(&key) {
                    plan.orders[column] = Some(*order);
                    plan.sentences.push(sentence.clone());
                }
            }
        }
        Ok(())
    }
}

fn date_columns(plan: &Plan<'_>) -> Vec<usize> {
    let fields = DATES.iter().flat_map(|field| plan.field(*field));
    fields.copied().collect()
}

fn read_table(planned: &PlannedTable<'_>, sink: &mut Collector<'_>) -> Result<(), FileError> {
    let PlannedTable { table, plan, .. } = planned;
    if table.is_objects() {
        plan.sentences
            .iter()
            .for_each(|sentence| sink.note(sentence.clone()));
    } else {
        let mut used = plan.columns(table);
        used.dates.clone_from(&plan.sentences);
        sink.table(&used);
    }
    let mut unverified: Option<(&str, u64)> = None;
    for row in &table.rows {
        let planned_row = PlannedRow {
            plan,
            table,
            row,
            calendar: sink.calendar(),
        };
        if let Some(fault) = &row.fault {
            let raw = || fault.raw.clone().unwrap_or_else(|| planned_row.raw());
            sink.reject(row.at.clone(), &raw, &[FieldError::new("", &fault.message)])?;
            continue;
        }
        if let Some(found) = planned_row.scale_of_ten().filter(|_| !table.is_objects()) {
            return Err(FileError::new(format!(
                "line {}: a rating of {} means that the scale ends at 10; pass --scale 10, because 5 out of 10 would \
                 otherwise become five stars",
                row.at,
                found.trim()
            )));
        }
        if let Some(column) = planned_row.unverified() {
            unverified.get_or_insert((column, 0)).1 += 1;
        }
        let raw = || planned_row.raw();
        match RowReader::new(planned_row).comment() {
            Some(comment) => sink.comment(row.at.clone(), comment, &raw)?,
            None => sink.review(row.at.clone(), RowReader::new(planned_row).review(), &raw)?,
        }
    }
    if let Some((column, count)) = unverified {
        let rows = if count == 1 { "row is" } else { "rows are" };
        sink.note(format!(
            "{count} {rows} withheld because {column} says \"not verified\"; if it means something else, ignore it with \
             --map verified="
        ));
    }
    Ok(())
}
