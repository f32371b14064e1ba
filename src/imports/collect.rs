//! Makes the files of a call into rows: a file is opened, the tables of one format become one and share its completed form, and each row
//! becomes a review as its source states it.
//!
//! Everything is read before anything is written, so that no other process waits for a lock during parsing, and a file that cannot be read
//! leaves nothing half done.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use crate::imports::draft::{Draft, cut_sentence, has_block};
use crate::imports::fault::{FieldError, FileError, Position, RowKey};
use crate::imports::files::{Choice, FormatChooser, TableInput, loses_publication};
use crate::imports::format::{Format, Only, PublicColumn, PublicPart, basic_string, check_size};
use crate::imports::merge::guards::stop;
use crate::imports::native::{NativeRecord, parse_record, readable, withheld_review};
use crate::imports::opened_file::OpenedFile;
use crate::imports::owner::{self, Origin};
use crate::imports::read::bytes::{
    INPUT_BYTES_MAX, STDIN, broken_archive, check_workbook, choose_members, is_office_document,
    is_zip, open_archive, read_all, read_file, refuse_binary,
};
use crate::imports::read::json::{parse_row, readable_members};
use crate::imports::read::text::{decode, describe_damage, encoded_part, encodings};
use crate::imports::read::{Amount, Bounds, ROWS_BETWEEN_LOOKS, ReadCounts, RowFault};
use crate::imports::report::{FileReport, ImportError, ImportReport, Outcome, Watcher};
use crate::imports::request::{FormatArgument, HAS_SECRET, ImportRequest};
use crate::imports::row::{NAMES_SHOWN, ReviewRow, RowReader};
use crate::model::business::{Business, Editorial};
use crate::model::text::quote_for_shell;
use crate::model::{Calendar, Digests, Unit, fold, short_name};
use crate::storage::reviews::{FormatChange, KeptFormats, Mark, SourceCounts};

/// What the files of a request say.
#[derive(Debug, Default)]
pub struct Collected {
    /// The business's calendar; a business in the files may set its time zone.
    pub calendar: Calendar,
    /// The rows of all files.
    pub rows: Vec<ReviewRow>,
    /// Reviews that the owner deleted, from exports.
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
    let names = sources.iter().map(|source| &source.source_name);
    let mut reading = Reading {
        request,
        kept,
        chooser: FormatChooser::new(request, kept),
        watch,
        counts: ReadCounts::default(),
        bytes_left: INPUT_BYTES_MAX,
        has_business: request.business.is_some(),
        rows_read: 0,
        rows: 0,
        source_names: names.map(|name| (fold(name), name.clone())).collect(),
        unread: BTreeSet::new(),
        damage: None,
        faults: Vec::new(),
        tables: Vec::new(),
        collected: Collected {
            calendar,
            ..Collected::default()
        },
    };
    for file in &request.files {
        if reading.watch.is_stopped() {
            break;
        }
        reading.open(file);
    }
    reading.refuse_faults()?;
    // Last, because the time zone of a business in any file sets the days of the tables.
    let tables = std::mem::take(&mut reading.tables);
    if request.format == Some(FormatArgument::Draft) && tables.is_empty() {
        return Err(ImportError::Refused(
            "the file is in the native form, which needs no format; import it without --format"
                .to_owned(),
        ));
    }
    let is_alone = tables.len() == 1;
    for input in tables {
        reading.take_table(&input, is_alone)?;
    }
    reading.refuse_faults()?;
    Ok(reading.finish())
}

/// Reads the files of a request, one after another, and then the tables in them.
struct Reading<'a> {
    request: &'a ImportRequest,
    kept: &'a KeptFormats,
    chooser: FormatChooser<'a>,
    watch: Watcher<'a>,
    counts: ReadCounts,
    /// The number of bytes that the import may still read.
    bytes_left: u64,
    /// Whether the database or an earlier file has a business.
    has_business: bool,
    /// Number of rows: those that were read, and all of the files so far.
    rows_read: u64,
    rows: u64,
    /// The sources, by their names in lower case.
    source_names: BTreeMap<String, String>,
    /// Members that a platform, or the first line of an export, has and that are passed over.
    unread: BTreeSet<String>,
    /// A sentence about letters that were decoded wrongly.
    damage: Option<String>,
    /// Why files cannot be imported.
    faults: Vec<String>,
    tables: Vec<TableInput>,
    collected: Collected,
}

/// Why a run of an entry fails.
const NOT_FETCHED: &str = "is our own form (JSON Lines, as `reviews export` writes it), which is not fetched; import the file with `reviews import`, or, if \
    another program writes these lines, name their columns in a file, and give that as the entry's format";

impl Reading<'_> {
    /// Reads the file at `path`, or the files of the archive there.
    fn open(&mut self, path: &Path) {
        let (name, bytes) = if path == Path::new("-") {
            let bytes = read_all(self.watch.input(), &mut self.bytes_left);
            (STDIN.to_owned(), bytes)
        } else {
            let folder = self.request.folder.as_deref();
            let place = folder.map_or(path.into(), |folder| folder.join(path));
            let is_by_hand = self.request.run_of.is_none() && !self.request.is_sample;
            let bytes = read_file(&place, is_by_hand, &mut self.bytes_left);
            (path.display().to_string(), bytes)
        };
        let taken = bytes.and_then(|bytes| self.take_all(&name, &bytes));
        self.note_fault(&name, taken);
    }

    /// Takes what a file has, or each file of an archive.
    fn take_all(&mut self, name: &str, bytes: &[u8]) -> Result<(), FileError> {
        if !is_zip(bytes) {
            return self.take(name, bytes);
        }
        let mut archive = open_archive(bytes)?;
        if is_office_document(&archive) {
            return self.take(name, bytes);
        }
        // Only what is unpacked counts.
        self.bytes_left += bytes.len() as u64;
        for member in choose_members(&archive)? {
            if self.watch.is_stopped() {
                break;
            }
            let file = format!("{name}: {member}");
            let unpacked = archive.by_name(&member).map_err(broken_archive);
            let unpacked = unpacked.and_then(|it| read_all(it, &mut self.bytes_left));
            let taken = unpacked.and_then(|bytes| self.take(&file, &bytes));
            self.note_fault(&file, taken);
        }
        Ok(())
    }

    fn note_fault(&mut self, file: &str, taken: Result<(), FileError>) {
        if let Err(fault) = taken {
            self.faults.push(format!("{file}: {fault}"));
        }
    }

    /// # Errors
    /// If a file cannot be imported.
    fn refuse_faults(&mut self) -> Result<(), ImportError> {
        if self.watch.is_stopped() {
            return Err(ImportError::Stopped);
        }
        ImportError::refuse_files(std::mem::take(&mut self.faults))
    }

    fn take(&mut self, name: &str, bytes: &[u8]) -> Result<(), FileError> {
        if is_zip(bytes) {
            check_workbook(bytes)?;
            let is_stopped = || self.watch.is_stopped();
            let bounds = &mut Bounds::new(&mut self.counts, &is_stopped);
            let opened = OpenedFile::of_workbook(bytes, bounds)?;
            let choice = self.chooser.choose(&opened)?;
            return self.add(name, opened, choice, Vec::new());
        }
        refuse_binary(bytes)?;
        self.take_text(name, bytes, None)
    }

    /// Takes what a text has, which is in the encoding with that name, unless its bytes say another.
    fn take_text(
        &mut self,
        name: &str,
        bytes: &[u8],
        encoding: Option<&str>,
    ) -> Result<(), FileError> {
        let decoded = decode(bytes, encoding)?;
        let Some(opened) = OpenedFile::of_text(&decoded)? else {
            self.add_file(name, &self.chooser.format_of_no_rows()?);
            return Ok(());
        };
        let choice = self.chooser.choose(&opened)?;
        if !decoded.is_unknown {
            return self.add(name, opened, choice, Vec::new());
        }
        // The names of columns tell the format, which says how their letters are read.
        if let Some(encoding) = choice.format().encoding {
            return self.take_text(name, bytes, Some(&encoding));
        }
        let tried = encodings(bytes).into_iter().map(|encoding| {
            let text = encoding.decode_without_bom_handling(encoded_part(bytes)).0;
            let mut words = text.split(|c: char| c.is_whitespace() || ",;|\"".contains(c));
            let word = words.find(|word| !word.is_ascii()).unwrap_or_default();
            (encoding.name(), word.to_owned())
        });
        self.add(name, opened, choice, tried.collect())
    }

    /// Reads the native records of an opened file, or adds the table in it; `encodings` are those that it may have, each with a word.
    fn add(
        &mut self,
        name: &str,
        mut opened: OpenedFile<'_>,
        mut choice: Choice,
        mut encodings: Vec<(&'static str, String)>,
    ) -> Result<(), FileError> {
        let format = choice.format();
        if format.is_native() {
            if self.request.run_of.is_some() {
                return Err(FileError::new(NOT_FETCHED));
            }
            return self.read_records(name, &opened, &Arc::new(format));
        }
        if opened.is_empty_by(&format) {
            self.add_file(name, &format);
            return Ok(());
        }
        let parts = opened.find_parts(&format, choice.base())?;
        let mut places = opened.places(&parts);
        if places.len() == 1 {
            places.clear();
        }
        if places.iter().any(|it| self.request.mask.is_in(&it.0)) {
            return Err(FileError::new(format!("a list or sheet {HAS_SECRET}")));
        }
        let is_stopped = || self.watch.is_stopped();
        let bounds = &mut Bounds::new(&mut self.counts, &is_stopped);
        let beside = opened.members_beside(&places);
        let mut table = opened.table(parts[0], &format, bounds)?;
        table.named = format.all_names();
        if !places.is_empty() {
            table.beside = beside;
        }
        let answered = format.answered.as_deref().and_then(|it| table.find(it));
        for _ in 0..answered.map_or(0, |column| table.remove_answers(column)) {
            self.collected.report.add(Outcome::LeftOut, String::new);
        }
        self.request.mask.hide_in(&mut table);
        // What is kept or built in is asked for each column of publication that is missing.
        if self.request.owner_format.is_none() && places.is_empty() {
            choice.owners = choice.owners.split_public(&table.columns);
        }
        let mut name = name.to_owned();
        if places.is_empty() && (format.is_table() || !table.is_objects) {
            name += &table.place;
        }
        let file = self.add_file(&name, &format);
        self.rows += table.rows.len() as u64;
        for row in &mut table.rows {
            row.file = file;
        }
        let mut tables = self.tables.iter_mut();
        if let Some(first) = tables.find(|first| first.choice.is_like(&choice)) {
            places.retain(|(name, _)| first.places.iter().all(|(other, _)| other != name));
            first.places.append(&mut places);
            encodings.retain(|(name, _)| first.encodings.iter().all(|(other, _)| other != name));
            first.encodings.append(&mut encodings);
            return first.table.append(table);
        }
        self.tables.push(TableInput {
            file,
            choice,
            table,
            encodings,
            places,
        });
        Ok(())
    }

    /// Adds a file to the report; returns its number.
    fn add_file(&mut self, name: &str, format: &Format) -> usize {
        let (report, mask) = (&mut self.collected.report, &self.request.mask);
        report.files.push(FileReport::new(mask.apply(name), format));
        report.files.len() - 1
    }

    /// Completes the format of a table, and reads its rows; the table `is_alone` if no other one of the call has another format.
    ///
    /// # Errors
    /// If something must be decided about the format first.
    fn take_table(&mut self, input: &TableInput, is_alone: bool) -> Result<(), ImportError> {
        let files = self.collected.report.files.iter();
        let files: Vec<String> = files.map(|file| file.name.clone()).collect();
        let tomorrow = self.collected.calendar.tomorrow();
        let mut draft = Draft::new(input, self.request.country(), tomorrow, &files)?;
        let asks_for_draft = self.request.format == Some(FormatArgument::Draft);
        if asks_for_draft || draft.needs_source || !draft.format.open.is_empty() {
            let name = &files[input.file];
            if !is_alone {
                return Err(ImportError::Refused(format!(
                    "{name}: something must be decided about its format first; import it by itself"
                )));
            }
            if input.places.is_empty() {
                draft.show_columns(&input.table);
            }
            draft.file.clone_from(name);
            draft.is_fetched = self.request.run_of.is_some();
            return Err(ImportError::Open(Box::new(draft)));
        }
        self.keep_format(input, &mut draft)?;
        let read = self.read_table(input, &draft);
        self.note_fault(&files[input.file], read);
        Ok(())
    }

    /// Notes what a source keeps of a completed format, in place of the one that it kept before: of the columns of publication those that
    /// the table has, and what files without the others mean. The rows are read so, too.
    fn keep_format(&mut self, input: &TableInput, draft: &mut Draft) -> Result<(), ImportError> {
        let mut kept = draft.format.clone().split_public(&input.table.columns);
        let is_there = |block: &PublicColumn| has_block(&input.table, block);
        for part in PublicPart::ALL {
            let list = kept.public_list(part);
            for block in list.iter_mut().filter(|block| is_there(block)) {
                // It holds until a file has the column.
                block.missing = None;
            }
            list.retain(|block| is_there(block) || block.missing.is_some() || block.is_of_base());
            let known = (input.choice.base()).map_or(&[][..], |base| base.public_list_of(part));
            for block in known
                .iter()
                .filter(|it| it.missing.is_some() && is_there(it))
            {
                if !list.iter().any(|it| block.is_named_by(it)) {
                    list.push(PublicColumn::of_base(&block.names, None));
                }
            }
        }
        let text = kept.to_text();
        check_size(&text).map_err(|fault| ImportError::Refused(fault.to_string()))?;
        draft.format = kept;
        let choice = &input.choice;
        let before = self.kept.get(&choice.source);
        let report = &mut self.collected.report;
        let former = before.and_then(|text| Format::parse(text).ok());
        if let Some(former) = &former
            && loses_publication(choice, &draft.format, &input.table, former)?
        {
            let like = choice.owners.like.as_ref();
            let like = like.filter(|_| former.like.is_some());
            let below = like.map_or_else(String::new, |name| {
                format!(" below `like = {}`", basic_string(name))
            });
            let reason = format!(
                "the format lacks a column by which the one that its source keeps says what may be published, so what that column hid could be \
                 published; `reviews source format {}` shows its block: to keep it, write it{below} into a file, and give that as the format, or \
                 import a file of another kind for another source",
                quote_for_shell(&choice.source)
            );
            stop(self.request, reason, None, Vec::new(), report)?;
        }
        let plain = Format::like(choice.owners.like.clone());
        // A platform's format is found again by itself, unless it was given.
        let is_owners = self.request.owner_format.is_some()
            || plain.like.is_none()
            || draft.format.without_seen() != plain;
        // But the files of a source that is renamed are known by it, and a column that was there is asked about once it is gone.
        let is_of_former = former.as_ref().is_some_and(|it| it.like == plain.like);
        let has_seen = is_of_former && draft.format != plain;
        if before != Some(&text) && (is_owners || before.is_none() || has_seen) {
            let shown = is_owners.then(|| choice.source.clone());
            report.kept_formats.extend(shown);
            self.collected.formats.push(FormatChange {
                source: choice.source.clone(),
                before: before.cloned(),
                after: Some(text),
            });
        }
        Ok(())
    }

    fn finish(mut self) -> Collected {
        let names = self.unread.iter().take(NAMES_SHOWN);
        let is_fetched = self.request.run_of.is_some();
        let names = names.map(|name| {
            let shown = self.request.mask.apply(name);
            let shown = shown.replace(char::is_control, " ");
            if is_fetched {
                cut_sentence(&shown).into_owned()
            } else {
                shown
            }
        });
        self.collected.report.unread = names.collect();
        if let Some(note) = self.damage {
            self.collected.report.note(self.request.mask.apply(&note));
        }
        self.collected
    }

    /// Reads the native records of an opened file.
    fn read_records(
        &mut self,
        name: &str,
        opened: &OpenedFile<'_>,
        format: &Arc<Format>,
    ) -> Result<(), FileError> {
        let records = opened.records()?;
        let count = records.len() as u64;
        let file = self.add_file(name, format);
        if self.request.format == Some(FormatArgument::Draft) {
            return Ok(());
        }
        self.rows += count;
        let before = self.collected.report.count(Outcome::Rejected);
        for (at, text) in records {
            self.read_record(file, format, at, text)?;
        }
        let rejected = self.collected.report.count(Outcome::Rejected) - before;
        if rejected > 0 && rejected == count {
            return Err(FileError::new(
                "no row can be read as our own form; correct the rows as said above, or, if another program wrote them, give a format whose [fields] \
                 name their members",
            ));
        }
        Ok(())
    }

    /// Reads the rows of a table by its completed format.
    fn read_table(&mut self, input: &TableInput, draft: &Draft) -> Result<(), FileError> {
        let TableInput {
            file,
            choice,
            table,
            ..
        } = input;
        let format = Arc::new(Format::combined(choice.base(), &draft.format));
        if self.request.withdraw_missing && (format.excerpts || format.only.is_some()) {
            let label = &self.collected.report.files[*file].label;
            return Err(FileError::new(format!(
                "is {label}, which gives only some of the reviews, so a missing one may still exist; leave --withdraw-missing out"
            )));
        }
        let business = self.request.business.as_ref();
        let (source, orders) = (&choice.source, draft.orders.clone());
        let calendar = self.collected.calendar;
        let reader = &RowReader::new(&format, table, source, calendar, business, orders);
        let report = &mut self.collected.report;
        report.files[*file].fields = reader.describe();
        for note in reader.notes(&choice.owners) {
            report.note(note);
        }
        self.unread.extend(reader.passed_members());
        let before = self.collected.rows.len();
        let mut first_fault = None;
        for row in &table.rows {
            if row.fault.is_none() && reader.is_elsewhere(row) {
                self.count(row.file)?;
                self.collected.report.add(Outcome::Elsewhere, String::new);
                continue;
            }
            let report = &mut self.collected.report;
            let read = reader.read(row, &mut report.rejected_hidden);
            if let Err(faults) = &read {
                let first = self.request.describe_faults(&faults[..1]);
                let fault = format!("{}: {first}", row.at);
                first_fault.get_or_insert(fault.trim_start().to_owned());
            }
            self.add_row(row.file, row.at.clone(), read, || reader.raw(row))?;
        }
        if self.collected.rows.len() > before {
            return Ok(());
        }
        let message = match (first_fault, &format.only) {
            (Some(it), _) if it.ends_with(HAS_SECRET) => format!("no row can be read ({it})"),
            (Some(fault), _) if format.is_table() => format!(
                "no row can be read ({fault}); correct the file, or its columns in the source's format: [fields], scale, values, date_format"
            ),
            (Some(fault), _) => format!("no row can be read ({fault}); correct the file"),
            (None, Some(Only { column, value })) if !table.rows.is_empty() => format!(
                "no row has the value {value:?} of {column:?}; correct the file, or `only` in the source's format"
            ),
            (None, _) => return Ok(()),
        };
        Err(FileError::new(message))
    }

    /// Reads a native record: a review, a deleted one, or the first line of an export.
    fn read_record(
        &mut self,
        file: usize,
        format: &Arc<Format>,
        at: Position,
        text: &str,
    ) -> Result<(), FileError> {
        let is_stopped = || self.watch.is_stopped();
        Bounds::new(&mut self.counts, &is_stopped).count(Amount {
            rows: 1,
            bytes: text.len(),
            ..Amount::default()
        })?;
        let record = match parse_row(text) {
            Ok(record) => record,
            Err(RowFault { message, raw }) => {
                let fault = FieldError::new("", message);
                self.note_hidden(&readable_members(text));
                return self.reject(file, at, raw.unwrap_or_default(), &[fault]);
            }
        };
        let calendar = self.collected.calendar;
        let read = match parse_record(&record, format, calendar) {
            Ok(NativeRecord::Settings) => return self.take_settings(&record),
            Ok(NativeRecord::Deleted(deleted)) => {
                self.count(file)?;
                self.add_deleted(*deleted);
                return Ok(());
            }
            Ok(NativeRecord::Review(row)) => Ok(*row),
            Err(faults) => {
                self.note_hidden(&record);
                Err(faults)
            }
        };
        self.add_row(file, at, read, || readable(&record))
    }

    /// Notes the review of a rejected record that may say that it is withheld.
    fn note_hidden(&mut self, record: &Value) {
        if let Some(key) = withheld_review(record, self.request) {
            let rejected = &mut self.collected.report.rejected_hidden;
            rejected.entry(key).or_default().insert(Unit::Status);
        }
    }

    /// Counts a row of a file, and reports progress.
    ///
    /// # Errors
    /// If the import is to stop.
    fn count(&mut self, file: usize) -> Result<(), FileError> {
        self.rows_read += 1;
        self.watch.read(self.rows_read, self.rows);
        self.collected.report.files[file].rows += 1;
        if self.rows_read.is_multiple_of(ROWS_BETWEEN_LOOKS) && self.watch.is_stopped() {
            return Err(FileError::new("stopped"));
        }
        Ok(())
    }

    /// Adds a review, or rejects its row with all its faults; `raw` returns the row as in the file.
    fn add_row(
        &mut self,
        file: usize,
        at: Position,
        read: Result<ReviewRow, Vec<FieldError>>,
        raw: impl Fn() -> Value,
    ) -> Result<(), FileError> {
        let mut row = match read {
            Ok(row) => row,
            Err(faults) => return self.reject(file, at, raw(), &faults),
        };
        let has_zone = self.collected.calendar.zone.is_some();
        if row.has_instant && !has_zone {
            return Err(FileError::new(
                "has times, whose days depend on the business's time zone, which is not set; run `reviews init --time-zone \
                 ZONE` first, for example America/Phoenix",
            ));
        }
        (row.file, row.at) = (file, at);
        self.name_source(&mut row);
        if row.format.full_names == Some(false) {
            let author = &mut row.statement.review.author;
            *author = short_name(author);
            let hidden = row.hidden_name.take();
            row.hidden_name = hidden.map(|name| short_name(&name).into());
        }
        // What its source gives, unless an export has the digests.
        let exported = row.exported.as_ref().and_then(|it| it.digests);
        row.digests =
            exported.unwrap_or_else(|| Digests::new(row.review(), row.author(), row.posted_at));
        // A text may show a secret only once entities and elements of HTML are gone.
        if row.texts().any(|text| self.request.mask.is_in(text)) {
            let id = row.has_id.then(|| row.id().clone());
            let (author, day, hidden) = (row.author(), row.source_day(), row.hidden());
            let key = RowKey::new(id, author, Some(day), &row.review().text);
            if let Some(key) = key.filter(|_| !hidden.is_empty()) {
                let key = (fold(row.source()), key);
                let rejected = &mut self.collected.report.rejected_hidden;
                rejected.entry(key).or_default().extend(hidden);
            }
            let fault = FieldError::new("", HAS_SECRET);
            return self.reject(file, row.at, Value::Null, &[fault]);
        }
        if self.damage.is_none() {
            self.damage = row.texts().find_map(describe_damage);
        }
        self.collected.rows.push(row);
        self.count(file)
    }

    /// Gives a review the source that the request names, and a source the spelling of the stored one.
    fn name_source(&mut self, row: &mut ReviewRow) {
        let (format, statement) = (&row.format, &mut row.statement);
        let source = &mut statement.review.source.name;
        if let Some(name) = &self.request.source
            && (format.is_native() || statement.unstated.contains(&Unit::Source))
        {
            statement.unstated.remove(&Unit::Source);
            source.clone_from(name);
            if let Some(exported) = &mut row.exported {
                exported.imported_from = None;
            }
        }
        // The native form passes through unchanged.
        if !format.is_native() && !statement.unstated.contains(&Unit::Source) {
            let names = self.source_names.entry(fold(source));
            let stored = names.or_insert_with(|| source.clone());
            source.clone_from(stored);
        }
    }

    fn reject(
        &mut self,
        file: usize,
        at: Position,
        row: Value,
        faults: &[FieldError],
    ) -> Result<(), FileError> {
        let faults = self.request.describe_faults(faults);
        self.count(file)?;
        let report = &mut self.collected.report;
        let stored = report.reject(self.watch, file, at, faults, row);
        stored.map_err(|error| FileError::new(format!("{error}; nothing was changed")))
    }

    /// Adds a deletion by the owner; only in exports.
    fn add_deleted(&mut self, mut mark: Mark) {
        if let (Some(source), Some(name)) = (&mut mark.source, &self.request.source) {
            source.source_name.clone_from(name);
            mark.deletion.source_name.clone_from(name);
        }
        self.collected.deleted.push(mark);
    }

    /// Takes the business of a file.
    fn take_business(&mut self, value: &Value) -> Result<(), FileError> {
        let (before, mut unread) = (Business::default(), BTreeSet::new());
        let business = owner::business(value, &before, Origin::Service(&mut unread))
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
    fn take_formats(&mut self, value: &Value) -> Result<(), FileError> {
        let formats = value.get("formats").and_then(Value::as_object);
        for (source, text) in formats.into_iter().flatten() {
            let Some(text) = text.as_str() else { continue };
            check_size(text)?;
            self.collected.formats.push(FormatChange {
                source: source.clone(),
                before: None,
                after: Some(text.to_owned()),
            });
        }
        Ok(())
    }

    /// Takes the line of an export that contains the business, the editorial texts and the formats of sources. A business that
    /// is there stays, with its texts, and so do the formats of sources that are there.
    fn take_settings(&mut self, value: &Value) -> Result<(), FileError> {
        self.take_formats(value)?;
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
            let texts = owner::editorial(editorial, &before, Origin::Service(&mut BTreeSet::new()))
                .map_err(|faults| FileError::of_member("editorial", &faults))?;
            self.collected.editorial = Some(texts);
        }
        let business = value.get("business").filter(|value| value.is_object());
        business.map_or(Ok(()), |business| self.take_business(business))
    }
}
