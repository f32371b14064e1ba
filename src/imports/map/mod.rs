//! Turns the rows of files into reviews ([`ReviewRow`]), by the [`Format`] of each file. First everything is decided about the columns of
//! all tables; if something is open, or does not fit, no row is read.
//!
//! Everything is read before anything is written, so that no other process waits for a lock during parsing, and a file
//! that cannot be read leaves nothing half done. What is kept is counted first ([`ImportLimits`]).

use std::collections::{BTreeMap, BTreeSet};

use chrono_tz::Tz;
use serde::Deserialize;
use serde_json::Value;

use crate::imports::incoming::{Incoming, ReviewRow, TEXTS_EACH};
use crate::imports::limits::{ImportLimits, VALUES_BETWEEN_LOOKS};
use crate::imports::map::date::{DateColumns, DateOrder};
use crate::imports::map::decide::{Columns, decide};
use crate::imports::map::questions::{Question, ShownTables, Undecided};
use crate::imports::map::row::RowReader;
use crate::imports::map::values::header_key;
use crate::imports::native::{
    changed_date, is_about_business, parse_deleted, parse_record, readable, record_of_cells,
};
use crate::imports::platforms::{Format, NATIVE, Reader};
use crate::imports::read::json::RowValue;
use crate::imports::read::{InputFile, Rows, keep_encoding};
use crate::imports::report::{FileError, FileReport, ImportError, ImportReport, Position, Watcher};
use crate::imports::request::{HAS_SECRET, ImportRequest};
use crate::imports::table::{BLOCK_BYTES, is_date, list_columns};
use crate::model::business::{Business, Editorial};
use crate::model::{Calendar, Unit, fold, short_name};
use crate::owner::business::{self, Origin};
use crate::owner::fault::FieldError;
use crate::storage::columns::{KeptColumn, KeptColumns};
use crate::storage::reviews::{Mark, SourceCounts};

pub(crate) mod date;
pub(crate) mod decide;
pub(crate) mod fields;
pub(crate) mod questions;
pub(crate) mod row;
pub(crate) mod values;

/// The reviews in all files; `merged` is the memory that the merge will keep of each.
///
/// # Errors
/// When a file cannot be imported, or something must be decided about its columns.
pub fn map(
    files: &[InputFile],
    mut collector: Collector<'_>,
    merged: usize,
) -> Result<Collected, ImportError> {
    let tables = collector.limits.bytes_taken();
    let date_format = collector.request.date_format.as_deref();
    let date_format = date_format.map(date::strftime).transpose();
    let date_format = date_format.map_err(|fault| ImportError::Refused(fault.to_string()))?;
    let decided = decide_tables(files, date_format.as_deref(), &mut collector)?;
    let counts = files.iter().map(|file| match &file.rows {
        Rows::Table(table) => table.rows.len(),
        Rows::Records(rows) => rows.len(),
    });
    let rows = counts.sum();
    collector.collected.rows.reserve(rows);
    collector.rows.1 = rows as u64;
    let mut faults = Vec::new();
    for (file, columns) in files.iter().zip(decided) {
        let begun = collector.begin(file);
        let read = begun.and_then(|()| match columns {
            Some(columns) => collector.read_table(&file.name, columns),
            None => collector.read_native(file, date_format.as_deref()),
        });
        if let Err(fault) = read {
            faults.push(format!("{}: {fault}", file.name));
        }
    }
    ImportError::refuse_files(faults)?;
    let collected = collector.finish(tables, merged);
    collected.map_err(|fault| ImportError::Refused(format!("import: {fault}")))
}

/// How the columns of each table are read; `None` for native records.
fn decide_tables<'f, 'r: 'f>(
    files: &'f [InputFile],
    date_format: Option<&'f str>,
    collector: &mut Collector<'r>,
) -> Result<Vec<Option<Columns<'f>>>, ImportError> {
    let (mut decided, mut faults) = (Vec::new(), Vec::new());
    let unknown = unknown_columns(files, collector);
    let has_columns = files.iter().any(InputFile::has_columns);
    for file in files {
        // Options for columns are meant for the files that have some.
        let allowed = if has_columns && !file.has_columns() {
            Ok(())
        } else {
            refuse_options(file, date_format, collector.request)
        };
        match allowed.and_then(|()| decide_columns(file, date_format, collector)) {
            Ok(columns) => decided.push(columns),
            Err(fault) => faults.push(format!("{}: {fault}", file.name)),
        }
    }
    if faults.is_empty() {
        faults = unknown;
    }
    if faults.is_empty()
        && let Err(contradictions) = decide_orders(files, &mut decided, collector)
    {
        faults.extend(contradictions.iter().map(ToString::to_string));
    }
    ImportError::refuse_files(faults)?;
    let mut undecided = Undecided::default();
    // A column that another file of the call has is not gone from the source.
    let is_there = |header: &String| {
        files.iter().any(|file| match &file.rows {
            Rows::Table(table) => table.find(header).is_some(),
            Rows::Records(_) => false,
        })
    };
    let is_answered = |it: &Question| it.is_about_gone() && it.gone.iter().any(is_there);
    for (file, columns) in files.iter().zip(&mut decided) {
        let Some(columns) = columns else {
            continue;
        };
        columns.questions.retain(|it| !is_answered(it));
        if columns.questions.is_empty() {
            continue;
        }
        columns.show(&file.name, &mut undecided.tables);
        if !undecided.sources.iter().any(|it| it == columns.source()) {
            undecided.sources.push(columns.source().to_owned());
        }
        for question in columns.questions.drain(..) {
            undecided.add_question(question);
        }
    }
    if !undecided.questions.is_empty() {
        return Err(ImportError::Undecided(Box::new(undecided)));
    }
    Ok(decided)
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

/// Refuses the options that the format of a file does not take.
fn refuse_options(
    file: &InputFile,
    date_format: Option<&str>,
    request: &ImportRequest,
) -> Result<(), FileError> {
    let format = file.format;
    let mut maps = request.columns.maps.iter();
    // `--map title=` ignores a member of native records, too.
    if !format.has_renames() && maps.any(|map| !(format.is_native() && map.column.is_empty())) {
        let name = format.name;
        return Err(FileError::new(format!(
            "is in the format {name}, whose field names are fixed; leave --map out"
        )));
    }
    let is_ours = !file.has_columns();
    // What a platform's API writes has one form; a table may have been edited.
    let is_api = format.reader == Reader::Columns
        && request.columns.maps.is_empty()
        && matches!(&file.rows, Rows::Table(table) if table.is_objects());
    let flags = [
        ("--scale", request.scale.is_some() && (is_ours || is_api)),
        ("--no-text", request.no_text && (is_ours || is_api)),
    ];
    let flags = flags
        .into_iter()
        .filter_map(|(name, is_given)| is_given.then_some(name));
    let public = request.columns.public_texts().map(String::as_str);
    let mut options = public.filter(|_| is_ours).chain(flags);
    if let Some(option) = options.next() {
        return Err(FileError::new(format!(
            "is in the format {}, whose members are known ({option}); leave that out, or pass --format table",
            format.name
        )));
    }
    let is_native_table = format.is_native() && matches!(file.rows, Rows::Table(_));
    if date_format.is_some() && !is_native_table && (is_api || !format.has_date_forms()) {
        return Err(FileError::new(format!(
            "is in the format {}, whose dates have one form; leave --date-format out",
            format.name
        )));
    }
    Ok(())
}

/// How the columns of a file are read, if it is a table that is no export of ours.
fn decide_columns<'f, 'r: 'f>(
    file: &'f InputFile,
    date_format: Option<&'f str>,
    collector: &mut Collector<'r>,
) -> Result<Option<Columns<'f>>, FileError> {
    let (format, request) = (file.format, collector.request);
    match &file.rows {
        Rows::Table(table) if format.is_native() => match changed_date(table) {
            Some(fault) if date_format.is_none() => Err(fault),
            _ => Ok(None),
        },
        Rows::Records(_) => Ok(None),
        Rows::Table(table) => {
            let (stored, kept) = (&collector.stored, &mut collector.collected.columns);
            let columns = decide(table, format, request, date_format, stored, kept)?;
            if let Some(encoding) = file.encoding {
                keep_encoding(kept, columns.source(), encoding);
            }
            Ok(Some(columns))
        }
    }
}

/// Decides the order of dates in each column of all tables, and keeps it for the next import. What nothing tells is asked.
fn decide_orders(
    files: &[InputFile],
    decided: &mut [Option<Columns<'_>>],
    collector: &mut Collector<'_>,
) -> Result<(), Vec<FileError>> {
    let tomorrow = collector.collected.calendar.tomorrow();
    let country = collector.request.country();
    let kept = &mut collector.collected.columns;
    let mut dates = DateColumns::new();
    for (number, (file, columns)) in files.iter().zip(decided.iter()).enumerate() {
        let Some(columns) = columns else {
            continue;
        };
        for (column, _, key) in columns.date_columns() {
            let mut orders = kept.at(&key.0, &key.1);
            let order = orders.find_map(|it| it.date_order.as_deref());
            let found = dates.entry(key.clone()).or_default();
            found.kept = order.and_then(DateOrder::find);
            found.usual = columns.format.date_order;
            for (row, cell) in columns.table.cells(column) {
                let place = || format!("{}:{}", file.name, row.at);
                found.add(number, place, cell, tomorrow);
            }
        }
    }
    let mut tables = decided.iter().flatten();
    let orders = if let Some(format) = tables.find_map(|columns| columns.date_format) {
        date::of_format(&dates, format)
    } else {
        let (orders, unclear) = date::decide(&dates, country)?;
        for (number, question) in unclear {
            let columns = decided[number].iter_mut();
            columns.for_each(|columns| columns.questions.push(question.clone()));
        }
        orders
    };
    for columns in decided.iter_mut().flatten() {
        for (column, field, key) in columns.date_columns() {
            if dates.get(&key).is_some_and(|found| found.has_clear_months) {
                columns.with_clear_months.insert(column);
            }
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
    Ok(())
}

/// Collects the reviews of all files: checks their days, and counts the rows.
pub struct Collector<'a> {
    pub request: &'a ImportRequest,
    watch: Watcher<'a>,
    pub limits: ImportLimits<'static>,
    /// Whether the database or an earlier file has a business.
    has_business: bool,
    /// Number of rows of all files: those that were read, and all.
    rows: (u64, u64),
    /// Of the current file.
    format: &'static Format,
    /// The sources, by their names in lower case.
    source_names: BTreeMap<String, String>,
    /// How the columns of sources were read before this import.
    pub stored: KeptColumns,
    pub collected: Collected,
}

#[derive(Debug)]
pub struct Collected {
    /// The business's calendar; a business in the files may set its time zone.
    pub calendar: Calendar,
    /// The rows of all files, in their order.
    pub rows: Vec<ReviewRow>,
    /// Reviews that the owner deleted, from our own exports.
    pub deleted: Vec<Mark>,
    /// The business in the files.
    pub business: Option<Business>,
    /// The editorial texts in the files.
    pub editorial: Option<Editorial>,
    /// How the columns of sources are read, by earlier imports and this one.
    pub columns: KeptColumns,
    /// The report so far.
    pub report: ImportReport,
}

impl<'a> Collector<'a> {
    pub fn new(
        calendar: Calendar,
        request: &'a ImportRequest,
        (watch, limits): (Watcher<'a>, ImportLimits<'static>),
        columns: KeptColumns,
        sources: &[SourceCounts],
    ) -> Self {
        let names = sources.iter().map(|source| source.source_name.clone());
        Self {
            request,
            watch,
            limits,
            has_business: request.business.is_some(),
            rows: (0, 0),
            format: &NATIVE,
            source_names: names.map(|name| (fold(&name), name)).collect(),
            stored: columns.clone(),
            collected: Collected {
                calendar,
                rows: Vec::new(),
                deleted: Vec::new(),
                business: None,
                editorial: None,
                columns,
                report: ImportReport::default(),
            },
        }
    }

    /// Counts a row of the current file, and reports progress.
    fn count(&mut self) {
        let (read, all) = &mut self.rows;
        *read += 1;
        self.watch.read(*read, *all);
        if let Some(file) = self.collected.report.files.last_mut() {
            file.rows += 1;
        }
    }

    /// `tables` is the memory of the files' tables, which are not needed any more, and `merged` what the merge will keep of a row.
    ///
    /// # Errors
    /// When the reviews are too many to be merged.
    fn finish(mut self, tables: usize, merged: usize) -> Result<Collected, FileError> {
        self.limits.give(tables);
        self.limits.take(self.collected.rows.len() * merged)?;
        Ok(self.collected)
    }

    /// Begins a file.
    fn begin(&mut self, file: &InputFile) -> Result<(), FileError> {
        let format = file.format;
        if self.request.withdraw_missing && format.excerpts {
            let label = format.label;
            return Err(FileError::new(format!(
                "is {label}, which gives only some of the reviews, so a missing one may still exist; leave --withdraw-missing out"
            )));
        }
        self.format = format;
        self.collected.report.files.push(FileReport {
            name: file.name.clone(),
            format: format.name,
            rows: 0,
            rejected: 0,
        });
        file.note.iter().for_each(|note| self.note(note.clone()));
        Ok(())
    }

    /// Reads the rows of a table.
    fn read_table(&mut self, file: &str, mut columns: Columns<'_>) -> Result<(), FileError> {
        let sentences = std::mem::take(&mut columns.sentences);
        if columns.is_previewed() {
            let mut tables = ShownTables {
                notes: sentences,
                ..ShownTables::default()
            };
            columns.show(file, &mut tables);
            let others = &columns.table.other_sheets;
            if !others.is_empty() {
                let others = others.join(", ");
                tables
                    .notes
                    .push(format!("other sheets (--sheet): {others}"));
            }
            self.watch.table(&tables);
        } else {
            sentences
                .into_iter()
                .chain(columns.describe_members())
                .for_each(|it| self.note(it));
        }
        if !columns.table.lists.is_empty() {
            let lists = columns.table.lists.join(", ");
            self.note(format!("lists of objects, which are not read: {lists}"));
        }
        let report = &mut self.collected.report;
        report.new_values.extend(columns.new_values());
        if !report
            .sources
            .iter()
            .any(|source| source == columns.source())
        {
            report.sources.push(columns.source().to_owned());
        }
        let mut first_fault = None;
        let rejected = self.collected.report.rejected;
        let answered = columns
            .format
            .answered
            .and_then(|name| columns.table.find(name));
        for row in &columns.table.rows {
            let cell = answered.and_then(|column| row.cell(column));
            if cell.is_some_and(|id| !matches!(id.trim(), "" | "0")) {
                self.collected.report.left_out += 1;
                continue;
            }
            let read = if let Some(fault) = &row.fault {
                Err(vec![FieldError::new("", &fault.message)])
            } else {
                RowReader::new(&columns, row, self.collected.calendar).review()
            };
            if let Err(faults) = &read {
                first_fault.get_or_insert_with(|| format!("{}: {}", row.at, faults[0]));
            }
            self.add_row(row.at.clone(), read, || columns.raw(row))?;
        }
        let rejected = self.collected.report.rejected - rejected;
        if let Some(fault) = first_fault.filter(|_| rejected == columns.table.rows.len() as u64)
            && columns.format.is_table()
        {
            let table = columns.table;
            let unread = (0..table.columns.len())
                .filter(|column| !columns.used().any(|used| used == *column));
            let dated = unread.filter(|column| table.has_only(*column, is_date));
            let dated: Vec<&str> = dated.map(|column| table.columns[column].as_str()).collect();
            let hint = if dated.is_empty() {
                String::new()
            } else {
                format!("; there are dates in {}", dated.join(", "))
            };
            return Err(FileError::new(format!(
                "no row can be read ({fault}{hint}); if a column is read as the wrong field, name the right one with --map FIELD=COLUMN"
            )));
        }
        Ok(())
    }

    /// Reads native records.
    fn read_native(
        &mut self,
        file: &InputFile,
        date_format: Option<&str>,
    ) -> Result<(), FileError> {
        if let Some(business) = &file.business {
            self.take_business(&serde_json::from_str(business)?)?;
        }
        match &file.rows {
            Rows::Table(table) => {
                for row in &table.rows {
                    let record = record_of_cells(&table.columns, row, date_format);
                    self.keep_columns(&record);
                    let record = match &row.fault {
                        Some(fault) => Err((fault.message.clone(), record)),
                        None => Ok(record),
                    };
                    self.read_record(row.at.clone(), record)?;
                }
            }
            Rows::Records(rows) => {
                for row in rows {
                    match row.parse() {
                        Ok(value) if self.request.mask.is_in_record(&value) => {
                            let fault = (HAS_SECRET.to_owned(), Value::Null);
                            self.read_record(row.at.clone(), Err(fault))?;
                        }
                        Ok(value) if is_about_business(&value) => self.take_settings(&value)?,
                        record => self.read_record(row.at.clone(), record)?,
                    }
                }
            }
        }
        Ok(())
    }

    fn read_record(&mut self, at: Position, record: RowValue) -> Result<(), FileError> {
        let mut record = match record {
            Ok(record) => record,
            Err((message, raw)) => {
                return self.reject(at, raw, &[FieldError::new("", message)]);
            }
        };
        let (request, calendar) = (self.request, self.collected.calendar);
        let read = match parse_deleted(&record) {
            Some(Ok(deleted)) => return self.add_deleted(deleted),
            Some(Err(faults)) => Err(faults),
            None => parse_record(&mut record, self.format, request, calendar),
        };
        self.add_row(at, read, || readable(&record))
    }

    /// Adds a review, or rejects its row with all its faults; `raw` returns the row as in the file.
    fn add_row(
        &mut self,
        at: Position,
        read: Result<Incoming, Vec<FieldError>>,
        raw: impl Fn() -> Value,
    ) -> Result<(), FileError> {
        let is_due = self.rows.0.is_multiple_of(VALUES_BETWEEN_LOOKS);
        if is_due && self.watch.is_stopped() {
            return Err(FileError::new("stopped"));
        }
        let mut incoming = match read {
            Ok(incoming) => incoming,
            Err(faults) => return self.reject(at, raw(), &faults),
        };
        // The days of native records are those of the business.
        if !self.format.is_native()
            && incoming.has_instant
            && self.collected.calendar.zone.is_none()
        {
            return Err(FileError::new(
                "has times, whose days depend on the business's time zone, which is not set; run `reviews init --time-zone \
                 ZONE` first, for example America/Phoenix",
            ));
        }
        let statement = &mut incoming.statement;
        if let Some(name) = &self.request.source
            && (self.format.is_ours() || statement.unstated.contains(&Unit::Source))
        {
            statement.unstated.remove(&Unit::Source);
            statement.review.source.name.clone_from(name);
            incoming.unpublished.imported_from = None;
        }
        // The native form passes through unchanged.
        if !self.format.is_native() && !statement.unstated.contains(&Unit::Source) {
            let name = &mut statement.review.source.name;
            let names = self.source_names.entry(fold(name));
            let stored = names.or_insert_with(|| name.clone());
            name.clone_from(stored);
        }
        if self.format.authors_private && !self.request.full_names {
            statement.review.author = short_name(&statement.review.author);
            let hidden = incoming.hidden_name.take();
            incoming.hidden_name = hidden.map(|name| short_name(&name).into());
        }
        let row = ReviewRow {
            file: self.collected.report.files.len() - 1,
            at,
            format: self.format,
            incoming,
        };
        // A text may show a secret only once entities and elements of HTML are gone.
        if row.texts().any(|text| self.request.mask.is_in(text)) {
            let fault = FieldError::new("", HAS_SECRET);
            return self.reject(row.at, Value::Null, &[fault]);
        }
        self.count();
        self.collected.report.taken += 1;
        self.limits.take(row.bytes())?;
        self.collected.rows.push(row);
        Ok(())
    }

    fn reject(&mut self, at: Position, row: Value, faults: &[FieldError]) -> Result<(), FileError> {
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        self.count();
        let report = &mut self.collected.report;
        let file = report.files.len() - 1;
        let stored = report.reject(self.watch, file, at, faults.join("; "), row);
        stored.map_err(|error| FileError::new(format!("{error}; nothing was changed")))
    }

    /// Notes a sentence for the owner about the current file.
    fn note(&mut self, sentence: String) {
        if !self.collected.report.notes.contains(&sentence) {
            self.collected.report.notes.push(sentence);
        }
    }

    /// Adds a deletion by the owner; only in our own exports.
    fn add_deleted(&mut self, mut mark: Mark) -> Result<(), FileError> {
        self.count();
        let report = &mut self.collected.report;
        report.taken += 1;
        if self.request.run_of.is_some() {
            report.left_out_deletions += 1;
            return Ok(());
        }
        if let (Some(source), Some(name)) = (&mut mark.source, &self.request.source) {
            source.source_name.clone_from(name);
            mark.deletion.source_name.clone_from(name);
        }
        let texts = mark.source.as_ref().map_or(0, |it| it.source_name.len())
            + mark.deletion.source_name.len()
            + mark.deletion.reason.as_ref().map_or(0, String::len)
            + mark.id.as_str().len();
        self.limits
            .take(3 * (size_of::<Mark>() + TEXTS_EACH * BLOCK_BYTES + texts))?;
        self.collected.deleted.push(mark);
        Ok(())
    }

    /// Whether this is a run, which takes reviews only; notes that it leaves out what a file has besides.
    fn leaves_out_settings(&mut self) -> bool {
        let is_run = self.request.run_of.is_some();
        if is_run {
            self.note(
                "the business, editorial texts and columns of the file are left out: a run takes reviews only"
                    .to_owned(),
            );
        }
        is_run
    }

    /// Takes the business of a file, unless one is known.
    fn take_business(&mut self, value: &Value) -> Result<(), FileError> {
        if self.leaves_out_settings() || self.has_business {
            return Ok(());
        }
        let business = business::business(value, &Business::default(), Origin::Service)
            .map_err(|faults| FileError::of_member("business", &faults))?;
        let zone = business.time_zone;
        let earlier = self.collected.report.files.len() > 1;
        if earlier && zone != Tz::UTC {
            return Err(FileError::new(format!(
                "contains the business, whose time zone {zone} also sets the days of the files before it; give this file first"
            )));
        }
        self.collected.calendar.zone = Some(zone);
        self.has_business = true;
        self.collected.report.business = Some(business.name.clone());
        self.collected.business = Some(business);
        Ok(())
    }

    /// Takes the meanings of columns in the record of an export, for sources that have none yet.
    fn keep_columns(&mut self, record: &Value) {
        if let Some(rows) = record.get("columns")
            && !self.leaves_out_settings()
        {
            let columns = &mut self.collected.columns;
            let Ok(rows) = Vec::<KeptColumn>::deserialize(rows) else {
                let note = "the meanings of columns in the file cannot be read, so they are asked about again";
                return self.collected.report.notes.push(note.to_owned());
            };
            let known: BTreeSet<String> =
                columns.all().map(|column| column.source.clone()).collect();
            rows.into_iter()
                .filter(|column| !known.contains(&column.source))
                .for_each(|column| columns.set(column));
        }
    }

    /// Takes the line of an export that contains the business, the editorial texts and the meanings of columns. A business that
    /// is there stays, with its texts, and so do the meanings of the columns of sources that are there.
    fn take_settings(&mut self, value: &Value) -> Result<(), FileError> {
        if self.leaves_out_settings() {
            return Ok(());
        }
        self.keep_columns(value);
        if self.has_business {
            self.collected.report.has_left_out_business = true;
            return Ok(());
        }
        if let Some(editorial) = value.get("editorial").filter(|value| value.is_object()) {
            let texts = business::editorial(editorial, &Editorial::default(), Origin::Service)
                .map_err(|faults| FileError::of_member("editorial", &faults))?;
            self.collected.editorial = Some(texts);
        }
        let Some(business) = value.get("business").filter(|value| value.is_object()) else {
            return Ok(());
        };
        let has_zone =
            self.collected.calendar.zone.is_some() || business.get("time_zone").is_some();
        self.take_business(business)?;
        // A business without a time zone is given UTC, which counts as not set.
        if !has_zone {
            self.collected.calendar.zone = None;
        }
        Ok(())
    }
}
