//! Takes the files of a call: each is opened and gets its format, the tables of one format become one and share it, and their rows become
//! reviews as their sources state them.
//!
//! Everything is read before anything is written, so that no other process waits for a lock during parsing, and a file that cannot be read
//! leaves nothing half done.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use crate::imports::choose::{Choice, Formats, base_of};
use crate::imports::detect::{check_workbook, refuse_binary};
use crate::imports::draft::{Draft, DraftContext, shown_cell};
use crate::imports::fault::{FieldError, FileError, Position};
use crate::imports::format::{Format, Names};
use crate::imports::incoming::{Incoming, ReviewRow};
use crate::imports::native::{
    foreign_members, is_about_business, parse_deleted, parse_record, readable,
};
use crate::imports::opened_file::OpenedFile;
use crate::imports::owner::{self, Origin};
use crate::imports::platforms::NATIVE;
use crate::imports::read::bytes::{Opener, is_zip};
use crate::imports::read::json::parse_row;
use crate::imports::read::text::{Decoded, decode, encodings};
use crate::imports::read::{Bounds, Cells, ROWS_BETWEEN_LOOKS, Row, Table};
use crate::imports::report::{FileReport, ImportError, ImportReport, NewValue, Outcome, Watcher};
use crate::imports::request::{FormatArgument, HAS_SECRET, ImportRequest};
use crate::imports::row::{NAMES_SHOWN, RowReader};
use crate::model::business::{Business, Editorial};
use crate::model::{Calendar, Unit, fold, short_name};
use crate::storage::formats::{FormatChange, KeptFormats};
use crate::storage::reviews::{Mark, SourceCounts};

/// What the files of a request say.
#[derive(Debug)]
pub struct Collected {
    /// The business's calendar; a business in the files may set its time zone.
    pub calendar: Calendar,
    /// The rows of all files.
    pub rows: Vec<ReviewRow>,
    /// Reviews that the owner deleted, from our own exports.
    pub deleted: Vec<Mark>,
    /// The business in the files.
    pub business: Option<Business>,
    /// The editorial texts in the files.
    pub editorial: Option<Editorial>,
    /// The formats to keep with sources.
    pub formats: Vec<FormatChange>,
    /// The report so far.
    pub report: ImportReport,
}

/// The table of one or several files, which have one format.
struct TableInput {
    /// The number of its first file in the report.
    file: usize,
    choice: Choice,
    table: Table,
    context: DraftContext,
}

/// The native records of a file.
struct NativeInput {
    file: usize,
    format: Arc<Format>,
    records: Vec<(Position, String)>,
    /// The business in another instance's `/reviews.json`, as JSON.
    business: Option<String>,
}

/// Reads all files of a request, and maps their rows to reviews.
///
/// # Errors
/// When a file cannot be imported, or something must be decided about its format first.
pub fn collect(
    request: &ImportRequest,
    calendar: Calendar,
    kept: &KeptFormats,
    sources: &[SourceCounts],
    watch: Watcher<'_>,
) -> Result<Collected, ImportError> {
    let mut reader = FileReader {
        request,
        formats: Formats::new(request, kept),
        calendar,
        natives: Vec::new(),
        tables: Vec::new(),
        report: ImportReport::default(),
    };
    let is_stopped = || watch.is_stopped();
    let mut bounds = Bounds::new(&is_stopped);
    let mut take = |name: String, bytes: Vec<u8>| reader.take(&name, &bytes, &mut bounds);
    let mut opener = Opener::new(request.folder.as_deref(), &mut take);
    for file in &request.files {
        opener.open(file);
    }
    let faults = opener.faults;
    if watch.is_stopped() {
        return Err(ImportError::Stopped);
    }
    ImportError::refuse_files(faults)?;
    let FileReader {
        natives,
        tables,
        report,
        ..
    } = reader;
    if request.format == Some(FormatArgument::Draft) && tables.is_empty() {
        return Err(ImportError::Refused(
            "the file is in our own form, which needs no format; import it without --format"
                .to_owned(),
        ));
    }
    let records = natives.iter().map(|input| input.records.len());
    let rows = tables.iter().map(|input| input.table.rows.len());
    let mut collector = Collector {
        request,
        kept,
        watch,
        tables: tables.len(),
        has_business: request.business.is_some(),
        rows: (0, records.chain(rows).sum::<usize>() as u64),
        source_names: sources
            .iter()
            .map(|source| (fold(&source.source_name), source.source_name.clone()))
            .collect(),
        format: Arc::clone(&NATIVE),
        unread: BTreeSet::new(),
        faults: Vec::new(),
        collected: Collected {
            calendar,
            rows: Vec::new(),
            deleted: Vec::new(),
            business: None,
            editorial: None,
            formats: Vec::new(),
            report,
        },
    };
    // First, because the time zone of a business among them sets the days of the tables.
    for input in natives {
        let read = collector.read_records(&input);
        collector.note_fault(input.file, read);
    }
    for mut input in tables {
        let draft = collector.complete_format(&mut input)?;
        let read = collector.read_table(&input, &draft);
        collector.note_fault(input.file, read);
    }
    if collector.watch.is_stopped() {
        return Err(ImportError::Stopped);
    }
    ImportError::refuse_files(collector.faults)?;
    if !collector.unread.is_empty() {
        let names: Vec<_> = collector.unread.into_iter().take(NAMES_SHOWN).collect();
        let names = request.mask.apply(&names.join(", "));
        let names = names.replace(char::is_control, " ");
        let note = format!("members that are not read: {names}");
        collector.collected.report.note(note);
    }
    Ok(collector.collected)
}

/// Reads one file after another.
struct FileReader<'r> {
    request: &'r ImportRequest,
    formats: Formats<'r>,
    calendar: Calendar,
    natives: Vec<NativeInput>,
    tables: Vec<TableInput>,
    report: ImportReport,
}

impl FileReader<'_> {
    /// Adds what a file has to that of the files before it.
    fn take(&mut self, name: &str, bytes: &[u8], bounds: &mut Bounds<'_>) -> Result<(), FileError> {
        if is_zip(bytes) {
            check_workbook(bytes)?;
            let opened = OpenedFile::of_workbook(bytes, bounds)?;
            let choice = self.formats.choose(&opened)?;
            return self.add(name, opened, choice, Vec::new(), bounds);
        }
        refuse_binary(bytes)?;
        let stated = self.formats.stated();
        let encoding = stated.and_then(|format| format.encoding.as_deref());
        let country = self.request.country();
        let decoded = decode(bytes, encoding, country)?;
        let Some(opened) = OpenedFile::of_text(&decoded)? else {
            self.add_records(name, &NATIVE, Vec::new(), None, None);
            return Ok(());
        };
        let choice = self.formats.choose(&opened)?;
        let kept_encoding = choice.whole().encoding.filter(|_| decoded.is_unknown);
        if let Some(encoding) = kept_encoding {
            // The names of columns told the format, which says how their letters are read.
            let decoded = decode(bytes, Some(&encoding), country)?;
            if let Some(opened) = OpenedFile::of_text(&decoded)? {
                return self.add(name, opened, choice, Vec::new(), bounds);
            }
        }
        let tried = self.encodings(bytes, &decoded);
        self.add(name, opened, choice, tried, bounds)
    }

    /// The encodings that a file may have, each with a cell; none if it is known.
    fn encodings(&self, bytes: &[u8], decoded: &Decoded<'_>) -> Vec<(&'static str, String)> {
        if !decoded.is_unknown {
            return Vec::new();
        }
        let tried = encodings(bytes, self.request.country()).into_iter();
        let shown = tried.map(|encoding| {
            let text = encoding.decode_without_bom_handling(bytes).0;
            let mut cells = text.split([',', ';', '\t', '|', '"', '\r', '\n']);
            let cell = cells.find(|cell| !cell.is_ascii()).unwrap_or_default();
            (encoding.name(), cell.trim().to_owned())
        });
        shown.collect()
    }

    /// Adds the records of an opened file, or the table in it.
    fn add(
        &mut self,
        name: &str,
        mut opened: OpenedFile<'_>,
        choice: Choice,
        encodings: Vec<(&'static str, String)>,
        bounds: &mut Bounds<'_>,
    ) -> Result<(), FileError> {
        let format = choice.whole();
        if format.is_ours() {
            let records = opened.records(&format)?;
            let business = opened.business().filter(|_| !format.is_native());
            let business = business.map(str::to_owned);
            self.add_records(name, &Arc::new(format), records, business, opened.note);
            return Ok(());
        }
        let (part, places) = opened.find_part(&format, choice.base.as_deref())?;
        let mut table = opened.table(part, &format, bounds)?;
        table.named = format.all_names();
        self.hide_secrets(&mut table);
        let mut name = name.to_owned();
        if format.is_table() || !table.is_objects {
            name += &table.place;
        }
        let file = self.add_file(&name, &format, opened.note);
        for row in &mut table.rows {
            row.file = file;
        }
        let mut tables = self.tables.iter_mut();
        if let Some(first) = tables.find(|first| first.choice.is_like(&choice)) {
            first.context.encodings.extend(encodings);
            first.context.places.retain(|place| !places.contains(place));
            first.context.places.extend(places);
            return first.table.append(table);
        }
        let context = DraftContext {
            tomorrow: self.calendar.tomorrow(),
            country: self.request.country().map(str::to_owned),
            encodings,
            places,
            is_kept: choice.is_kept,
            asks_for_draft: self.request.format == Some(FormatArgument::Draft),
        };
        self.tables.push(TableInput {
            file,
            choice,
            table,
            context,
        });
        Ok(())
    }

    fn add_records(
        &mut self,
        name: &str,
        format: &Arc<Format>,
        records: Vec<(Position, String)>,
        business: Option<String>,
        note: Option<String>,
    ) {
        let file = self.add_file(name, format, note);
        self.natives.push(NativeInput {
            file,
            format: Arc::clone(format),
            records,
            business,
        });
    }

    /// Adds a file to the report, with a note about its letters; returns its number.
    fn add_file(&mut self, name: &str, format: &Format, note: Option<String>) -> usize {
        let (report, mask) = (&mut self.report, &self.request.mask);
        report.files.push(FileReport::new(mask.apply(name), format));
        if let Some(note) = note {
            report.note(mask.apply(&note));
        }
        report.files.len() - 1
    }

    /// Empties the rows that have a secret of the request, and masks it in names.
    fn hide_secrets(&self, table: &mut Table) {
        let mask = &self.request.mask;
        if mask.is_empty() {
            return;
        }
        let beside = table
            .beside
            .iter_mut()
            .flat_map(|(name, value)| [name, value]);
        let names = table.columns.iter_mut().chain([&mut table.place]);
        for name in names.chain(beside) {
            *name = mask.apply(name).replace(char::is_control, " ");
        }
        for row in &mut table.rows {
            if row.cells.all().any(|(_, cell)| mask.is_in(cell)) {
                let fault = (HAS_SECRET.to_owned(), Some("null".to_owned()));
                *row = Row::new(row.at.clone(), Cells::default(), Some(fault));
            }
        }
    }
}

/// Collects the reviews of all files: checks their days, and counts the rows.
struct Collector<'a> {
    request: &'a ImportRequest,
    kept: &'a KeptFormats,
    watch: Watcher<'a>,
    /// Number of tables of which each has a format of its own.
    tables: usize,
    /// Whether the database or an earlier file has a business.
    has_business: bool,
    /// Number of rows of all files: those that were read, and all.
    rows: (u64, u64),
    /// The sources, by their names in lower case.
    source_names: BTreeMap<String, String>,
    /// Of the current input.
    format: Arc<Format>,
    /// Members that a newer release of another instance has.
    unread: BTreeSet<String>,
    /// Why files cannot be imported.
    faults: Vec<String>,
    collected: Collected,
}

impl Collector<'_> {
    fn note_fault(&mut self, file: usize, read: Result<(), FileError>) {
        if let Err(fault) = read {
            let name = &self.collected.report.files[file].name;
            self.faults.push(format!("{name}: {fault}"));
        }
    }

    /// Reads the native records of a file.
    fn read_records(&mut self, input: &NativeInput) -> Result<(), FileError> {
        self.format = Arc::clone(&input.format);
        if let Some(business) = &input.business {
            self.take_business(&serde_json::from_str(business)?)?;
        }
        let before = self.collected.report.count(Outcome::Rejected);
        for (at, text) in &input.records {
            self.read_record(at.clone(), text, input.file)?;
        }
        let rejected = self.collected.report.count(Outcome::Rejected) - before;
        if rejected > 0 && rejected == input.records.len() as u64 {
            return Err(FileError::new(
                "no row can be read; correct its rows as said above".to_owned(),
            ));
        }
        Ok(())
    }

    /// Completes the format of a table, and notes what its source keeps of it from now on.
    ///
    /// # Errors
    /// [`ImportError::Open`] if something must be decided first.
    fn complete_format(&mut self, input: &mut TableInput) -> Result<Draft, ImportError> {
        let choice = &input.choice;
        let context = std::mem::take(&mut input.context);
        let report = &mut self.collected.report;
        let names: Vec<String> = report.files.iter().map(|it| it.name.clone()).collect();
        let base = choice.base.as_deref();
        let mut draft = Draft::new(&choice.own, base, &input.table, context, &names)?;
        // A table of another source is never imported under the format that a source keeps, nor in its place.
        if !draft.format.open.is_empty() || draft.context.asks_for_draft || choice.needs_source {
            let name = &names[input.file];
            if self.tables > 1 {
                return Err(ImportError::Refused(format!(
                    "{name}: something must be decided about its format first; import it by itself"
                )));
            }
            draft.file.clone_from(name);
            draft.needs_source = choice.needs_source;
            return Err(ImportError::Open(Box::new(draft)));
        }
        let (text, before) = (draft.format.to_text(), self.kept.get(&choice.source));
        let former = before.and_then(|text| {
            let own = Format::parse(text).ok()?;
            let base = if own.like == choice.own.like {
                choice.base.clone()
            } else {
                base_of(&own).ok()?
            };
            Some(Format::whole(base.as_deref(), &own))
        });
        let next = Format::whole(base, &draft.format);
        let columns_of = |names: &Names| input.table.columns_of(names);
        let is_less = former.is_some_and(|former| former.loses_column(&next, columns_of));
        if is_less && !self.request.accept_changes {
            return Err(ImportError::Refused(
                "the format lacks a column by which the one that its source keeps says what may be published, so what that column hid could \
                 be published; keep its block, or take that with --accept-changes"
                    .to_owned(),
            ));
        }
        let plain = Format {
            like: choice.own.like.clone(),
            ..Format::default()
        };
        // A platform's format is found again by itself, unless it was given.
        let is_found = self.request.own_format.is_none() && plain.like.is_some();
        if before != Some(&text) && !(is_found && draft.format == plain) {
            report.kept_formats.push(choice.source.clone());
            self.collected.formats.push(FormatChange {
                source: choice.source.clone(),
                before: before.cloned(),
                after: Some(text),
            });
        }
        Ok(draft)
    }

    /// Reads the rows of a table by its completed format.
    fn read_table(&mut self, input: &TableInput, draft: &Draft) -> Result<(), FileError> {
        let TableInput {
            file,
            choice,
            table,
            ..
        } = input;
        let format = Arc::new(Format::whole(choice.base.as_deref(), &draft.format));
        self.format = Arc::clone(&format);
        if self.request.withdraw_missing && (format.excerpts || format.only.is_some()) {
            let label = &self.collected.report.files[*file].label;
            return Err(FileError::new(format!(
                "is {label}, which gives only some of the reviews, so a missing one may still exist; leave --withdraw-missing out"
            )));
        }
        let technicians = match &self.request.business {
            Some(business) => business.technicians.as_slice(),
            None => &[],
        };
        let (source, orders) = (&choice.source, draft.orders.clone());
        let calendar = self.collected.calendar;
        let reader = &RowReader::new(&format, table, source, calendar, technicians, orders);
        self.describe(reader, source, *file);
        let before = self.collected.report.count(Outcome::Rejected);
        let mut first_fault = None;
        for row in &table.rows {
            if reader.is_answer(row) {
                self.collected.report.add(Outcome::LeftOut, String::new);
                continue;
            }
            if row.fault.is_none() && reader.is_elsewhere(row) {
                self.count(row.file);
                self.collected.report.add(Outcome::Elsewhere, String::new);
                continue;
            }
            let read = reader.read(row);
            if let Err(faults) = &read {
                let first = self.request.describe_faults(&faults[..1]);
                first_fault.get_or_insert_with(|| format!("{}: {first}", row.at));
            }
            self.add_row(row.file, row.at.clone(), read, || reader.raw(row))?;
        }
        let rejected = self.collected.report.count(Outcome::Rejected) - before;
        if let Some(fault) = first_fault
            && rejected == table.rows.len() as u64
        {
            return Err(FileError::new(format!(
                "no row can be read ({fault}); correct the file, or its columns in the source's format: [fields], scale, values, date_format"
            )));
        }
        Ok(())
    }

    /// Says in the report what is read, what is passed over, and what hides reviews.
    fn describe(&mut self, reader: &RowReader<'_>, source: &str, file: usize) {
        let report = &mut self.collected.report;
        report.files[file].fields = reader.describe();
        for note in reader.notes() {
            report.note(note);
        }
        for (part, header, value, count) in reader.hiding_values() {
            report.new_values.push(NewValue {
                source: source.to_owned(),
                header,
                key: part.name(),
                value: shown_cell(&value),
                count,
            });
        }
    }

    /// Reads a native record: a review, a deleted one, or the first line of an export.
    fn read_record(&mut self, at: Position, text: &str, file: usize) -> Result<(), FileError> {
        let record = match parse_row(text) {
            Ok(record) if self.request.mask.is_in_record(&record) => {
                Err((HAS_SECRET.to_owned(), Value::Null))
            }
            record => record,
        };
        let record = match record {
            Ok(record) if is_about_business(&record) => return self.take_settings(&record),
            Ok(record) => record,
            Err((message, raw)) => {
                return self.reject(file, at, raw, &[FieldError::new("", message)]);
            }
        };
        if !self.format.is_native() && self.unread.len() < NAMES_SHOWN {
            self.unread.extend(foreign_members(&record));
        }
        let (request, calendar) = (self.request, self.collected.calendar);
        let read = match parse_deleted(&record) {
            Some(Ok(deleted)) => {
                self.count(file);
                self.add_deleted(deleted);
                return Ok(());
            }
            Some(Err(faults)) => Err(faults),
            None => parse_record(&record, &self.format, request, calendar),
        };
        self.add_row(file, at, read, || readable(&record))
    }

    /// Counts a row of a file, and reports progress.
    fn count(&mut self, file: usize) {
        let (read, all) = &mut self.rows;
        *read += 1;
        self.watch.read(*read, *all);
        self.collected.report.files[file].rows += 1;
    }

    /// Adds a review, or rejects its row with all its faults; `raw` returns the row as in the file.
    fn add_row(
        &mut self,
        file: usize,
        at: Position,
        read: Result<Incoming, Vec<FieldError>>,
        raw: impl Fn() -> Value,
    ) -> Result<(), FileError> {
        let is_due = self.rows.0.is_multiple_of(ROWS_BETWEEN_LOOKS);
        if is_due && self.watch.is_stopped() {
            return Err(FileError::new("stopped"));
        }
        let mut incoming = match read {
            Ok(incoming) => incoming,
            Err(faults) => return self.reject(file, at, raw(), &faults),
        };
        // The days of native records are those of the business.
        let is_native = self.format.is_native();
        if !is_native && incoming.has_instant && self.collected.calendar.zone.is_none() {
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
        if !is_native && !statement.unstated.contains(&Unit::Source) {
            let name = &mut statement.review.source.name;
            let names = self.source_names.entry(fold(name));
            let stored = names.or_insert_with(|| name.clone());
            name.clone_from(stored);
        }
        if self.format.full_names == Some(false) {
            statement.review.author = short_name(&statement.review.author);
            let hidden = incoming.hidden_name.take();
            incoming.hidden_name = hidden.map(|name| short_name(&name).into());
        }
        let row = ReviewRow::new(file, at, &self.format, incoming);
        // A text may show a secret only once entities and elements of HTML are gone.
        if row.texts().any(|text| self.request.mask.is_in(text)) {
            let fault = FieldError::new("", HAS_SECRET);
            return self.reject(file, row.at, Value::Null, &[fault]);
        }
        self.count(file);
        self.collected.report.taken += 1;
        self.collected.rows.push(row);
        Ok(())
    }

    fn reject(
        &mut self,
        file: usize,
        at: Position,
        row: Value,
        faults: &[FieldError],
    ) -> Result<(), FileError> {
        let faults = self.request.describe_faults(faults);
        self.count(file);
        let report = &mut self.collected.report;
        let stored = report.reject(self.watch, file, at, faults, row);
        stored.map_err(|error| FileError::new(format!("{error}; nothing was changed")))
    }

    /// Adds a deletion by the owner; only in our own exports.
    fn add_deleted(&mut self, mut mark: Mark) {
        self.collected.report.taken += 1;
        if self.leaves_out_settings() {
            return;
        }
        if let (Some(source), Some(name)) = (&mut mark.source, &self.request.source) {
            source.source_name.clone_from(name);
            mark.deletion.source_name.clone_from(name);
        }
        self.collected.deleted.push(mark);
    }

    /// Whether this is a run, which takes reviews only; notes that it leaves out what a file has besides.
    fn leaves_out_settings(&mut self) -> bool {
        let is_run = self.request.run_of.is_some();
        if is_run {
            self.collected.report.note(
                "the business, editorial texts, formats and deletions of the file are left out: a run takes reviews only".to_owned(),
            );
        }
        is_run
    }

    /// Takes the business of a file, unless one is known.
    fn take_business(&mut self, value: &Value) -> Result<(), FileError> {
        if self.leaves_out_settings() || self.has_business {
            return Ok(());
        }
        let (before, mut unread) = (Business::default(), Vec::new());
        let business = owner::business(value, &before, Origin::Service, &mut unread)
            .map_err(|faults| FileError::of_member("business", &faults))?;
        let unread = unread.iter().map(|path| format!("business.{path}"));
        self.unread.extend(unread);
        // A business without a time zone is given UTC, which counts as not set.
        if value.get("time_zone").is_some() {
            self.collected.calendar.zone = Some(business.time_zone);
        }
        self.has_business = true;
        self.collected.report.business = Some(business.name.clone());
        self.collected.business = Some(business);
        Ok(())
    }

    /// Takes the formats of sources in the first line of an export.
    fn take_formats(&mut self, value: &Value) {
        let formats = value.get("formats").and_then(Value::as_object);
        for (source, text) in formats.into_iter().flatten() {
            let readable = text.as_str().filter(|text| Format::parse(text).is_ok());
            let Some(text) = readable else {
                self.collected.report.note(format!(
                    "the format of {source} in the file cannot be read, so it is asked about again"
                ));
                continue;
            };
            self.collected.formats.push(FormatChange {
                source: source.clone(),
                before: None,
                after: Some(text.to_owned()),
            });
        }
    }

    /// Takes the line of an export that contains the business, the editorial texts and the formats of sources. A business that
    /// is there stays, with its texts, and so do the formats of sources that are there.
    fn take_settings(&mut self, value: &Value) -> Result<(), FileError> {
        if self.leaves_out_settings() {
            return Ok(());
        }
        self.take_formats(value);
        if self.has_business {
            self.collected.report.note(
                "the business and the editorial texts of the file were left out, because the database already has a business; load them with \
                 `reviews business FILE` and `reviews editorial FILE`"
                    .to_owned(),
            );
            return Ok(());
        }
        if let Some(editorial) = value.get("editorial").filter(|value| value.is_object()) {
            let before = Editorial::default();
            let texts = owner::editorial(editorial, &before, Origin::Service, &mut Vec::new())
                .map_err(|faults| FileError::of_member("editorial", &faults))?;
            self.collected.editorial = Some(texts);
        }
        let business = value.get("business").filter(|value| value.is_object());
        business.map_or(Ok(()), |business| self.take_business(business))
    }
}
