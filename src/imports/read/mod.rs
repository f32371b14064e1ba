//! Reads files: opens them, detects their format by its content, and keeps their rows in memory. When all are read, the
//! order of dates in each column is decided, and the reviews in the rows are passed to the collector.

pub(crate) mod archive;
pub(crate) mod detect;
pub(crate) mod encoding;
pub(crate) mod json;
mod linked_data;
mod native;
mod text;
pub(crate) mod workbook;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};
use std::path::Path;

use crate::imports::map::ReviewField;
use crate::imports::map::date::{self, DateColumns, DateOrder};
use crate::imports::map::plan::Plan;
use crate::imports::map::row::RowReader;
use crate::imports::map::table::{find, list_columns};
use crate::imports::merge::collector::Collector;
use crate::imports::read::detect::{InputFile, Rows, read_file};
use crate::imports::read::encoding::{decode, describe, describe_damage};
use crate::imports::read::native::{changed_date, read_native};
use crate::imports::report::{FileError, INPUT_BYTES_MAX};
use crate::imports::request::ImportRequest;
use crate::owner::fault::FieldError;
use crate::storage::imports::{ColumnMeaning, KeptColumns};

/// The name of `-` in messages.
const STDIN: &str = "standard input";

/// Opens files, and keeps their rows.
pub struct Opener<'o> {
    pub request: &'o ImportRequest,
    kept: &'o KeptColumns,
    /// The number of bytes that the import may still read, over all its files and all ways of opening them.
    bytes_left: u64,
    pub files: Vec<InputFile>,
    /// The files that cannot be imported, each with the reason.
    pub faults: Vec<String>,
}

impl<'o> Opener<'o> {
    pub const fn new(request: &'o ImportRequest, kept: &'o KeptColumns) -> Self {
        Self {
            request,
            kept,
            bytes_left: INPUT_BYTES_MAX,
            files: Vec::new(),
            faults: Vec::new(),
        }
    }

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
        let bytes = self.bytes(input)?;
        if !is_zip(&bytes) {
            return self.content(STDIN.to_owned(), &bytes);
        }
        // Only what is unpacked counts, as in any archive.
        self.bytes_left += bytes.len() as u64;
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
        let bytes = self.bytes(input)?;
        self.content(name, &bytes)
    }

    fn content(&mut self, name: String, bytes: &[u8]) -> Result<(), FileError> {
        let request = self.request;
        let read = |named| {
            let decoded = decode(bytes, named, request.country())?;
            let file = read_file(&decoded, request)?;
            Ok::<_, FileError>((file, decoded))
        };
        let (mut file, mut decoded) = read(request.encoding)?;
        if let (Some(guess), None) = (decoded.encoding, request.encoding) {
            // The letters of one month may suggest another encoding than those of the next.
            let source = request.source_of(file.format);
            let kept = self.kept.encoding(source);
            if let Some(kept) = kept.filter(|kept| *kept != guess)
                && let Ok(again) = read(Some(kept))
            {
                (file, decoded) = again;
            }
            let encoding = decoded.encoding.unwrap_or(guess);
            let kept_of = (kept == Some(encoding)).then_some(source);
            file.note = Some(describe(encoding, &decoded.text, kept_of));
        }
        file.note = file.note.or_else(|| describe_damage(&decoded.text));
        file.encoding = decoded.encoding;
        file.name = name;
        self.files.push(file);
        Ok(())
    }

    /// All bytes of `input`.
    fn bytes(&mut self, input: impl Read) -> Result<Vec<u8>, FileError> {
        let mut all = Vec::new();
        let read = input
            .take(self.bytes_left + 1)
            .read_to_end(&mut all)
            .map_err(FileError::unreadable)? as u64;
        self.bytes_left = self.bytes_left.checked_sub(read).ok_or_else(|| {
            FileError::new(format!(
                "the files of one import may have at most {} MiB in total, unpacked; split it into several imports",
                INPUT_BYTES_MAX >> 20
            ))
        })?;
        Ok(all)
    }
}

fn is_zip(head: &[u8]) -> bool {
    // A local file, or the end of an empty archive (APPNOTE.TXT §4.3).
    head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")
}

/// Passes the reviews of all files to the collector. Faults of whole files are added to `faults`; if there are any, no review
/// is read.
pub fn read_all(files: &[InputFile], collector: &mut Collector<'_>, faults: &mut Vec<String>) {
    let date_format = collector.request.date_format.as_deref();
    let date_format = match date_format.map(date::strftime).transpose() {
        Ok(format) => format,
        Err(fault) => return faults.push(fault.to_string()),
    };
    let mut plans = Vec::new();
    for file in files {
        match plan(file, date_format.as_deref(), collector) {
            Ok(plan) => plans.push((file, plan)),
            Err(fault) => faults.push(format!("{}: {fault}", file.name)),
        }
    }
    faults.extend(unknown_columns(files, collector.request));
    if let Err(wrong) = decide_orders(&mut plans, collector) {
        faults.extend(wrong.iter().map(ToString::to_string));
    }
    if !faults.is_empty() {
        return;
    }
    let counts = files.iter().map(|file| match &file.rows {
        Rows::Table(table) => table.rows.len(),
        Rows::Records(rows) => rows.len(),
    });
    collector.expect_rows(counts.sum());
    for (file, plan) in plans {
        let begun = collector.begin(file.name.clone(), file.format);
        if let Some(note) = &file.note {
            collector.note(note.clone());
        }
        let read = begun.and_then(|()| match plan {
            Some(plan) => read_table(plan, collector),
            None => read_native(file, date_format.as_deref(), collector),
        });
        if let Err(fault) = read {
            faults.push(format!("{}: {fault}", file.name));
        }
    }
}

/// That `--map` names columns that no table has.
fn unknown_columns(files: &[InputFile], request: &ImportRequest) -> Option<String> {
    let tables = files.iter().filter_map(|file| match &file.rows {
        Rows::Table(table) if !file.format.is_native() => Some((&file.name, &table.columns)),
        Rows::Table(_) | Rows::Records(_) => None,
    });
    let (name, columns) = tables.clone().next()?;
    let is_unknown = |theirs: &&str| {
        let mut tables = tables.clone();
        !theirs.is_empty() && tables.all(|(_, columns)| find(columns, theirs).is_none())
    };
    let theirs = request.renames.iter().map(|rename| rename.theirs.as_str());
    let unknown: Vec<&str> = theirs.filter(is_unknown).collect();
    (!unknown.is_empty()).then(|| {
        format!(
            "no file has a column {}, which --map names; {name} has the columns {}",
            unknown.join(", "),
            list_columns(columns)
        )
    })
}

/// The plan of a file, if it is a table that is no export of ours.
fn plan<'f, 'r: 'f>(
    file: &'f InputFile,
    date_format: Option<&'f str>,
    collector: &mut Collector<'r>,
) -> Result<Option<Plan<'f>>, FileError> {
    let (format, calendar) = (file.format, collector.collected.calendar);
    let mut renames = collector.request.renames.iter();
    // `--map status=` ignores a member of native records, too.
    if !format.has_renames() && renames.any(|it| !(format.is_native() && it.theirs.is_empty())) {
        let name = format.name;
        return Err(FileError::new(format!(
            "is in the format {name}, whose field names are fixed; leave --map out"
        )));
    }
    match &file.rows {
        Rows::Table(table) if format.is_native() => match changed_date(table, calendar) {
            Some(fault) if date_format.is_none() => Err(fault),
            _ => Ok(None),
        },
        _ if date_format.is_some() && !format.has_date_forms() => Err(FileError::new(format!(
            "is in the format {}, whose dates have one form; leave --date-format out",
            format.name
        ))),
        Rows::Records(_) => Ok(None),
        Rows::Table(table) => {
            let kept = &mut collector.collected.columns;
            let mut plan = Plan::new(format, table, collector.request, date_format, kept);
            if let Some(encoding) = file.encoding {
                kept.set(plan.source(), "", ColumnMeaning::Encoding(encoding));
            }
            keep_scale(&mut plan, kept);
            if let Err(fault) = plan.complete() {
                // The preview helps to correct it.
                let is_shown = plan.is_previewed() && plan.has_header();
                if is_shown && collector.begin(file.name.clone(), format).is_ok() {
                    collector.table(&plan.columns());
                }
                return Err(fault);
            }
            Ok(Some(plan))
        }
    }
}

/// Keeps `--scale` for the next import of the source and column, or takes that of an earlier one.
fn keep_scale(plan: &mut Plan<'_>, kept: &mut KeptColumns) {
    let Some(column) = plan.field(ReviewField::Rating).first() else {
        return;
    };
    let (source, header) = (plan.source().to_owned(), &plan.table.columns[*column]);
    if let Some(scale) = plan.scale {
        kept.set(&source, header, ColumnMeaning::Scale(scale));
    } else if let Some(ColumnMeaning::Scale(scale)) = kept.get(&source, header) {
        plan.scale = Some(scale);
        plan.sentences.push(format!(
            "{header} is read on the scale up to {scale}, as in an earlier import of {source}; pass --scale for another one"
        ));
    }
}

const fn meaning_of(order: DateOrder) -> ColumnMeaning {
    match order {
        DateOrder::DayFirst => ColumnMeaning::DayFirst,
        DateOrder::MonthFirst => ColumnMeaning::MonthFirst,
    }
}

/// Decides the order of dates in each column of all tables, and keeps it for the next import.
fn decide_orders(
    plans: &mut [(&InputFile, Option<Plan<'_>>)],
    collector: &mut Collector<'_>,
) -> Result<(), Vec<FileError>> {
    let tomorrow = collector.collected.calendar.tomorrow();
    let country = collector.request.country();
    let kept = &mut collector.collected.columns;
    let mut columns = DateColumns::new();
    let mut planned = plans
        .iter()
        .filter_map(|(file, plan)| Some((file, plan.as_ref()?)));
    for (file, plan) in planned.clone() {
        for (column, key) in plan.date_columns() {
            let meaning = kept.get(&key.0, &key.1);
            let order = DateOrder::BOTH
                .into_iter()
                .find(|order| Some(meaning_of(*order)) == meaning);
            let found = columns.entry(key).or_default();
            (found.kept, found.usual) = (order, plan.usual_order());
            for (row, cell) in plan.table.cells(column) {
                found.add(|| format!("{}:{}", file.name, row.at), cell, tomorrow);
            }
        }
    }
    let decided = match planned.find_map(|(_, plan)| plan.date_format) {
        Some(format) => date::of_format(&columns, format),
        None => date::decide(&columns, country)?,
    };
    for ((source, column), (order, _)) in &decided {
        kept.set(source, column, meaning_of(*order));
    }
    for plan in plans.iter_mut().filter_map(|(_, plan)| plan.as_mut()) {
        for (column, key) in plan.date_columns() {
            if let Some((order, sentence)) = decided.get(&key) {
                plan.orders[column] = Some(*order);
                plan.sentences.push(sentence.clone());
            }
        }
    }
    Ok(())
}

fn read_table(mut plan: Plan<'_>, sink: &mut Collector<'_>) -> Result<(), FileError> {
    let sentences = std::mem::take(&mut plan.sentences);
    if plan.is_previewed() {
        let mut used = plan.columns();
        used.notes.extend(sentences);
        sink.table(&used);
    } else {
        sentences.into_iter().for_each(|it| sink.note(it));
    }
    sink.collected.report.left_out += plan.table.left_out;
    let mut unverified: Option<(&str, u64)> = None;
    for row in &plan.table.rows {
        let reader = RowReader::new(&plan, row, sink.collected.calendar);
        let read = if let Some(fault) = &row.fault {
            Err(vec![FieldError::new("", &fault.message)])
        } else {
            reader.check_scale()?;
            if let Some(column) = reader.unverified() {
                unverified.get_or_insert((column, 0)).1 += 1;
            }
            reader.review()
        };
        sink.row(row.at.clone(), read, || plan.raw(row))?;
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
