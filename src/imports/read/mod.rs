//! Reads files: opens them, detects their format by its content, and keeps their rows in memory. When all are read, the
//! order of dates in each column is decided, and the reviews in the rows are passed to the collector.

pub(crate) mod archive;
pub(crate) mod below;
pub(crate) mod detect;
pub(crate) mod encoding;
pub(crate) mod json;
mod linked_data;
mod native;
mod text;
pub(crate) mod workbook;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};
use std::path::Path;

use encoding_rs::Encoding;

use crate::imports::limits::Limits;
use crate::imports::map::columns::Columns;
use crate::imports::map::date::{self, DateColumns, DateOrder, FileQuestions};
use crate::imports::map::decide::decide;
use crate::imports::map::questions::{Question, Undecided};
use crate::imports::map::row::RowReader;
use crate::imports::map::table::list_columns;
use crate::imports::map::values::header_key;
use crate::imports::merge::collector::Collector;
use crate::imports::read::below::open_below;
use crate::imports::read::detect::{InputFile, Rows, read_file};
use crate::imports::read::encoding::{decode, describe, describe_damage};
use crate::imports::read::native::{changed_date, read_native};
use crate::imports::report::{FileError, INPUT_BYTES_MAX, ImportError};
use crate::imports::request::ImportRequest;
use crate::owner::fault::{FieldError, listed};
use crate::storage::columns::KeptColumns;

/// The name of `-` in messages.
const STDIN: &str = "standard input";

/// Opens files, and keeps their rows.
pub struct Opener<'o> {
    pub request: &'o ImportRequest,
    kept: &'o KeptColumns,
    /// The number of bytes that the import may still read, over all its files and all ways of opening them.
    bytes_left: u64,
    pub limits: Limits<'o>,
    pub files: Vec<InputFile>,
    /// The files that cannot be imported, each with the reason.
    pub faults: Vec<String>,
}

impl<'o> Opener<'o> {
    pub const fn new(
        request: &'o ImportRequest,
        kept: &'o KeptColumns,
        limits: Limits<'o>,
    ) -> Self {
        Self {
            request,
            kept,
            bytes_left: INPUT_BYTES_MAX,
            limits,
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
        let before = self.limits;
        let opened = if is_stdin {
            self.stdin(io::stdin().lock())
        } else if let Some(folder) = &self.request.below {
            let file = open_below(folder, path).map_err(FileError::unreadable);
            file.and_then(|file| self.file(&name, file))
        } else if path.is_dir() {
            self.folder(path)
        } else {
            let file = File::open(path).map_err(FileError::unreadable);
            file.and_then(|file| self.file(&name, file))
        };
        if let Err(fault) = opened {
            self.limits = before;
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
        let packed = bytes.len();
        self.archive(STDIN, Cursor::new(bytes))?;
        self.limits.give(packed);
        Ok(())
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
        let read = |named, limits: &mut Limits<'_>| {
            let decoded = decode(bytes, named, request.country(), limits)?;
            let file = read_file(&decoded, request, limits)?;
            Ok::<_, FileError>((file, decoded))
        };
        let limits = &mut self.limits;
        let before = limits.bytes_left();
        let (mut file, mut decoded) = read(request.encoding, limits)?;
        let first = before - limits.bytes_left();
        if let (Some(guess), None) = (decoded.encoding, request.encoding) {
            // The letters of one month may suggest another encoding than those of the next.
            let source = request.source_of(file.format);
            let kept = kept_encoding(self.kept, source);
            if let Some(kept) = kept.filter(|kept| *kept != guess)
                && let Ok(again) = read(Some(kept), limits)
            {
                (file, decoded) = again;
                limits.give(first);
            }
            let encoding = decoded.encoding.unwrap_or(guess);
            let kept_of = (kept == Some(encoding)).then_some(source);
            file.note = Some(describe(encoding, &decoded.text, kept_of));
        }
        file.note = file.note.or_else(|| describe_damage(&decoded.text));
        file.encoding = decoded.encoding;
        file.name = name;
        if let Cow::Owned(text) = &decoded.text {
            limits.give(text.len());
        }
        limits.give(bytes.len());
        self.files.push(file);
        Ok(())
    }

    /// All bytes of `input`.
    fn bytes(&mut self, input: impl Read) -> Result<Vec<u8>, FileError> {
        let mut all = Vec::new();
        let read = input
            .take(self.bytes_left.min(self.limits.bytes_left() as u64) + 1)
            .read_to_end(&mut all)
            .map_err(FileError::unreadable)? as u64;
        self.bytes_left = self.bytes_left.checked_sub(read).ok_or_else(|| {
            FileError::new(format!(
                "the files of one import may have at most {} MiB in total, unpacked; split it into several imports",
                INPUT_BYTES_MAX >> 20
            ))
        })?;
        self.limits.take(all.len())?;
        Ok(all)
    }
}

fn is_zip(head: &[u8]) -> bool {
    // A local file, or the end of an empty archive (APPNOTE.TXT §4.3).
    head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")
}

/// Passes the reviews of all files to the collector. If a file cannot be imported, or something must be decided about its columns, no
/// review is read.
pub fn read_all(files: &[InputFile], collector: &mut Collector<'_>) -> Result<(), ImportError> {
    let date_format = collector.request.date_format.as_deref();
    let date_format = date_format.map(date::strftime).transpose();
    let date_format = date_format.map_err(|fault| ImportError::Refused(fault.to_string()))?;
    let (mut decided, mut faults) = (Vec::new(), Vec::new());
    let mut questions: Vec<Vec<Question>> = Vec::new();
    let unknown = unknown_columns(files, collector);
    for file in files {
        match decide_columns(file, date_format.as_deref(), collector) {
            Ok(Some((columns, asked))) => {
                decided.push((file, Some(columns)));
                questions.push(asked);
            }
            Ok(None) => {
                decided.push((file, None));
                questions.push(Vec::new());
            }
            Err(fault) => faults.push(format!("{}: {fault}", file.name)),
        }
    }
    drop_gone_elsewhere(files, &mut questions);
    if faults.is_empty() {
        faults = unknown;
    }
    if faults.is_empty() {
        match decide_orders(&mut decided, collector) {
            Ok(unclear) => {
                for (file, question) in unclear {
                    questions[file].push(question);
                }
            }
            Err(wrong) => faults.extend(wrong.iter().map(ToString::to_string)),
        }
    }
    refuse(faults)?;
    let mut undecided = Undecided::default();
    for ((file, columns), questions) in decided.iter().zip(questions) {
        if let Some(columns) = columns.as_ref().filter(|_| !questions.is_empty()) {
            columns.show(&file.name, questions, &mut undecided);
        }
    }
    if !undecided.questions.is_empty() {
        return Err(ImportError::Undecided(Box::new(undecided)));
    }
    let counts = files.iter().map(|file| match &file.rows {
        Rows::Table(table) => table.rows.len(),
        Rows::Records(rows) => rows.len(),
    });
    collector.expect_rows(counts.sum());
    let mut faults = Vec::new();
    for (file, columns) in decided {
        let begun = collector.begin(file.name.clone(), file.format);
        if let Some(note) = &file.note {
            collector.note(note.clone());
        }
        let read = begun.and_then(|()| match columns {
            Some(columns) => read_table(columns, collector),
            None => read_native(file, date_format.as_deref(), collector),
        });
        if let Err(fault) = read {
            faults.push(format!("{}: {fault}", file.name));
        }
    }
    refuse(faults)
}

fn refuse(faults: Vec<String>) -> Result<(), ImportError> {
    if faults.is_empty() {
        return Ok(());
    }
    let faults = listed(faults.into_iter(), "files cannot be imported");
    Err(ImportError::Refused(faults))
}

/// A column that another file of the call has is not gone from the source.
fn drop_gone_elsewhere(files: &[InputFile], questions: &mut [Vec<Question>]) {
    let is_there = |header: &String| {
        files.iter().any(|file| match &file.rows {
            Rows::Table(table) => table.find(header).is_some(),
            Rows::Records(_) => false,
        })
    };
    for asked in questions {
        asked.retain(|it| !it.is_about_gone() || !it.gone.iter().any(is_there));
    }
}

/// That an option names a column that no table has.
fn unknown_columns(files: &[InputFile], collector: &Collector<'_>) -> Vec<String> {
    let choices = &collector.request.columns;
    let tables = files.iter().filter_map(|file| match &file.rows {
        Rows::Table(table) if !file.format.is_native() => Some((file, &table.columns)),
        Rows::Table(_) | Rows::Records(_) => None,
    });
    let mut unknown: Option<Vec<(&'static str, String)>> = None;
    for (file, columns) in tables.clone() {
        let mut missing = choices.unknown(columns);
        // A column that is gone may be ignored.
        let source = collector.request.source_of(file.format);
        missing.retain(|(_, name)| {
            let mut kept = collector.collected.columns.of(source);
            !kept.any(|row| header_key(&row.header) == header_key(name))
        });
        match &mut unknown {
            None => unknown = Some(missing),
            Some(unknown) => unknown.retain(|it| missing.contains(it)),
        }
    }
    let Some((first, columns)) = tables.clone().next() else {
        return Vec::new();
    };
    let (name, shown) = (&first.name, list_columns(columns));
    let unknown = unknown.into_iter().flatten().map(|(option, column)| {
        format!(
            "no file has a column {column}, which {option} names; {name} has the columns {shown}"
        )
    });
    unknown.collect()
}

/// The columns of a file and what is not decided about them, if it is a table that is no export of ours.
fn decide_columns<'f, 'r: 'f>(
    file: &'f InputFile,
    date_format: Option<&'f str>,
    collector: &mut Collector<'r>,
) -> Result<Option<(Columns<'f>, Vec<Question>)>, FileError> {
    let (format, request) = (file.format, collector.request);
    let mut maps = request.columns.maps.iter();
    // `--map location=` ignores a member of native records, too.
    if !format.has_renames() && maps.any(|map| !(format.is_native() && map.column.is_empty())) {
        let name = format.name;
        return Err(FileError::new(format!(
            "is in the format {name}, whose field names are fixed; leave --map out"
        )));
    }
    let is_ours = format.is_native() || matches!(file.rows, Rows::Records(_));
    if let Some(text) = request.columns.public_texts().next().filter(|_| is_ours) {
        return Err(FileError::new(format!(
            "is in the format {}, whose members are known ({text}); leave that out, or pass --format table",
            format.name
        )));
    }
    match &file.rows {
        Rows::Table(table) if format.is_native() => {
            match changed_date(table, collector.collected.calendar) {
                Some(fault) if date_format.is_none() => Err(fault),
                _ => Ok(None),
            }
        }
        _ if date_format.is_some() && !format.has_date_forms() => Err(FileError::new(format!(
            "is in the format {}, whose dates have one form; leave --date-format out",
            format.name
        ))),
        Rows::Records(_) => Ok(None),
        Rows::Table(table) => {
            let (stored, kept) = (&collector.stored, &mut collector.collected.columns);
            let decided = decide(table, format, request, date_format, (stored, kept))?;
            *kept = decided.kept;
            if let Some(encoding) = file.encoding {
                keep_encoding(kept, decided.columns.source(), encoding);
            }
            Ok(Some((decided.columns, decided.questions)))
        }
    }
}

/// Before the name of the encoding of a source's files that are not in Unicode.
const ENCODING: &str = "encoding ";

fn kept_encoding(kept: &KeptColumns, source: &str) -> Option<&'static Encoding> {
    let mut kept = kept.at(source, "");
    kept.find_map(|it| Encoding::for_label(it.field.strip_prefix(ENCODING)?.as_bytes()))
}

fn keep_encoding(kept: &mut KeptColumns, source: &str, encoding: &'static Encoding) {
    kept.retain(|it| it.source != source || !it.field.starts_with(ENCODING));
    kept.entry(source, "", &format!("{ENCODING}{}", encoding.name()));
}

/// Decides the order of dates in each column of all tables, and keeps it for the next import. What nothing tells is asked, each by the
/// number of a file.
fn decide_orders(
    decided: &mut [(&InputFile, Option<Columns<'_>>)],
    collector: &mut Collector<'_>,
) -> Result<FileQuestions, Vec<FileError>> {
    let tomorrow = collector.collected.calendar.tomorrow();
    let country = collector.request.country();
    let kept = &mut collector.collected.columns;
    let mut dates = DateColumns::new();
    let tables = || {
        let tables = decided.iter().enumerate();
        tables.filter_map(|(number, (file, columns))| Some((number, file, columns.as_ref()?)))
    };
    for (number, file, columns) in tables() {
        for (column, _, key) in columns.date_columns() {
            let order = kept
                .at(&key.0, &key.1)
                .find_map(|it| it.date_order.as_deref());
            let order = order.and_then(DateOrder::find);
            let found = dates.entry(key).or_default();
            found.kept = order;
            found.usual = columns.usual_order();
            for (row, cell) in columns.table.cells(column) {
                found.add(
                    number,
                    || format!("{}:{}", file.name, row.at),
                    cell,
                    tomorrow,
                );
            }
        }
    }
    let (orders, unclear) = match tables().find_map(|(.., columns)| columns.date_format) {
        Some(format) => (date::of_format(&dates, format), Vec::new()),
        None => date::decide(&dates, country)?,
    };
    for (_, columns) in decided {
        let Some(columns) = columns else {
            continue;
        };
        for (column, field, key) in columns.date_columns() {
            if let Some((order, sentence)) = orders.get(&key) {
                columns.orders[column] = Some(*order);
                if !columns.sentences.contains(sentence) {
                    columns.sentences.push(sentence.clone());
                }
                let row = kept.entry(&key.0, &key.1, field.label());
                row.date_order = Some(order.stored_name().to_owned());
            }
        }
    }
    Ok(unclear)
}

fn read_table(mut columns: Columns<'_>, sink: &mut Collector<'_>) -> Result<(), FileError> {
    let sentences = std::mem::take(&mut columns.sentences);
    if columns.is_previewed() {
        let mut preview = columns.preview();
        preview.notes.extend(sentences);
        sink.table(&preview);
    } else {
        sentences
            .into_iter()
            .chain(columns.describe_members())
            .for_each(|it| sink.note(it));
    }
    if !columns.table.lists.is_empty() {
        let lists = columns.table.lists.join(", ");
        sink.note(format!("lists of objects, which are not read: {lists}"));
    }
    sink.collected.report.left_out += columns.table.left_out;
    let report = &mut sink.collected.report;
    report.new_values.extend(columns.new_values());
    if !report
        .sources
        .iter()
        .any(|source| source == columns.source())
    {
        report.sources.push(columns.source().to_owned());
    }
    let mut first_fault = None;
    let rejected = sink.collected.report.rejected;
    for row in &columns.table.rows {
        let read = if let Some(fault) = &row.fault {
            Err(vec![FieldError::new("", &fault.message)])
        } else {
            RowReader::new(&columns, row, sink.collected.calendar).review()
        };
        if let Err(faults) = &read {
            first_fault.get_or_insert_with(|| format!("{}: {}", row.at, faults[0]));
        }
        sink.row(row.at.clone(), read, || columns.raw(row))?;
    }
    let rejected = sink.collected.report.rejected - rejected;
    if let Some(fault) = first_fault.filter(|_| rejected == columns.table.rows.len() as u64)
        && columns.format.is_table()
    {
        return Err(FileError::new(format!(
            "no row can be read ({fault}); if a column is read as the wrong field, name the right one with --map FIELD=COLUMN"
        )));
    }
    Ok(())
}
