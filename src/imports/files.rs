//! Opens the files of a call: each gets its format, which is that of the call, what its source keeps, or the built-in one whose names its
//! columns have; and the tables of one format become one.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use crate::imports::detect::{check_workbook, refuse_binary};
use crate::imports::fault::{FileError, Position};
use crate::imports::format::{Format, Reader, basic_string};
use crate::imports::opened_file::{Fit, NativeForm, OpenedFile};
use crate::imports::platforms::{BUILT_IN, NATIVE, find_format, format_names};
use crate::imports::read::bytes::{
    INPUT_BYTES_MAX, STDIN, broken_archive, choose_members, is_office_document, is_zip,
    open_archive, read_all, read_file,
};
use crate::imports::read::text::{decode, encodings};
use crate::imports::read::{Bounds, Cells, Row, RowFault, Table};
use crate::imports::report::{FileReport, ImportError, ImportReport, Watcher};
use crate::imports::request::{FormatArgument, HAS_SECRET, ImportRequest, SOURCE_DEFAULT};
use crate::model::fold;
use crate::model::text::{nearest, quote_for_shell};
use crate::storage::reviews::KeptFormats;

/// What is in the files of a call.
#[derive(Debug, Default)]
pub struct OpenedFiles {
    pub natives: Vec<NativeInput>,
    pub tables: Vec<TableInput>,
    pub report: ImportReport,
}

/// The native records of a file.
#[derive(Debug)]
pub struct NativeInput {
    /// Its number in the report.
    pub file: usize,
    pub format: Arc<Format>,
    pub records: Vec<(Position, String)>,
    /// The business in another instance's `/reviews.json`, as JSON.
    pub business: Option<String>,
}

/// The table of one or several files, which have one format.
#[derive(Debug)]
pub struct TableInput {
    /// The number of its first file in the report.
    pub file: usize,
    pub choice: Choice,
    pub table: Table,
    /// The encodings that a file may have, each with a cell; empty if it is known.
    pub encodings: Vec<(&'static str, String)>,
    /// The sheets, or the lists, of which one must be named; empty if it is known.
    pub places: Vec<String>,
}

/// The format of a file, as far as it is known.
#[derive(Debug, Clone)]
pub struct Choice {
    pub basis: Basis,
    /// The owner's keys.
    pub owners: Format,
    pub source: String,
}

/// What a file is read by besides the owner's keys.
#[derive(Debug, Clone)]
pub enum Basis {
    /// A built-in format, to which these add.
    BuiltIn(Arc<Format>),
    /// Nothing: their source keeps them, with its fields.
    Kept,
    /// The draft of what they do not say.
    Draft,
    /// A draft for a source of its own, because the one that it would be of keeps the format of another table.
    DraftOfOther,
}

impl Choice {
    pub fn base(&self) -> Option<&Format> {
        match &self.basis {
            Basis::BuiltIn(format) => Some(format),
            Basis::Kept | Basis::Draft | Basis::DraftOfOther => None,
        }
    }

    pub fn whole(&self) -> Format {
        Format::whole(self.base(), &self.owners)
    }

    /// Whether two tables are read by one format.
    fn is_like(&self, other: &Self) -> bool {
        let [name, other_name] = [self, other].map(|it| it.base().map(|format| &format.name));
        name == other_name && self.source == other.source
    }
}

/// Opens all files of a request.
///
/// # Errors
/// When a file cannot be imported.
pub fn open_files(
    request: &ImportRequest,
    kept: &KeptFormats,
    watch: Watcher<'_>,
) -> Result<OpenedFiles, ImportError> {
    let is_stopped = || watch.is_stopped();
    let mut reader = FileReader {
        request,
        chooser: FormatChooser::new(request, kept),
        bounds: Bounds::new(&is_stopped),
        bytes_left: INPUT_BYTES_MAX,
        opened: OpenedFiles::default(),
        faults: Vec::new(),
    };
    for file in &request.files {
        reader.open(file);
    }
    if watch.is_stopped() {
        return Err(ImportError::Stopped);
    }
    ImportError::refuse_files(reader.faults)?;
    Ok(reader.opened)
}

/// Opens one file after another.
struct FileReader<'r> {
    request: &'r ImportRequest,
    chooser: FormatChooser<'r>,
    bounds: Bounds<'r>,
    /// The number of bytes that the import may still read.
    bytes_left: u64,
    opened: OpenedFiles,
    /// Why files cannot be imported.
    faults: Vec<String>,
}

impl FileReader<'_> {
    /// Opens the file at `path`, or the files of the archive there.
    fn open(&mut self, path: &Path) {
        let (name, bytes) = if path == Path::new("-") {
            let bytes = read_all(io::stdin().lock(), &mut self.bytes_left);
            (STDIN.to_owned(), bytes)
        } else {
            let folder = self.request.folder.as_deref();
            let place = folder.map_or(path.into(), |folder| folder.join(path));
            let bytes = read_file(&place, &mut self.bytes_left);
            (path.display().to_string(), bytes)
        };
        let taken = bytes.and_then(|bytes| self.take_all(&name, &bytes));
        self.note_fault(&name, taken);
    }

    /// Adds what a file has, or each file of an archive.
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

    /// Adds what a file has to that of the files before it.
    fn take(&mut self, name: &str, bytes: &[u8]) -> Result<(), FileError> {
        if is_zip(bytes) {
            check_workbook(bytes)?;
            let opened = OpenedFile::of_workbook(bytes, &mut self.bounds)?;
            let choice = self.chooser.choose(&opened)?;
            return self.add(name, opened, choice, Vec::new());
        }
        refuse_binary(bytes)?;
        self.take_text(name, bytes, None)
    }

    /// Adds what a text has, which is in the encoding with that name, unless its bytes say another.
    fn take_text(
        &mut self,
        name: &str,
        bytes: &[u8],
        encoding: Option<&str>,
    ) -> Result<(), FileError> {
        let decoded = decode(bytes, encoding)?;
        let Some(opened) = OpenedFile::of_text(&decoded)? else {
            self.add_records(name, &NATIVE, Vec::new(), None, None);
            return Ok(());
        };
        let choice = self.chooser.choose(&opened)?;
        if !decoded.is_unknown {
            return self.add(name, opened, choice, Vec::new());
        }
        // The names of columns tell the format, which says how their letters are read.
        if let Some(encoding) = choice.whole().encoding {
            return self.take_text(name, bytes, Some(&encoding));
        }
        let tried = encodings(bytes).into_iter().map(|encoding| {
            let text = encoding.decode_without_bom_handling(bytes).0;
            let mut cells = text.split([',', ';', '\t', '|', '"', '\r', '\n']);
            let cell = cells.find(|cell| !cell.is_ascii()).unwrap_or_default();
            (encoding.name(), cell.trim().to_owned())
        });
        self.add(name, opened, choice, tried.collect())
    }

    /// Adds the records of an opened file, or the table in it; `encodings` are those that it may have, each with a cell.
    fn add(
        &mut self,
        name: &str,
        mut opened: OpenedFile<'_>,
        choice: Choice,
        mut encodings: Vec<(&'static str, String)>,
    ) -> Result<(), FileError> {
        let format = choice.whole();
        if format.is_native() {
            let records = opened.records(&format)?;
            let is_document = format.reader == Reader::Document;
            let business = opened.business().filter(|_| is_document);
            let business = business.map(str::to_owned);
            self.add_records(name, &Arc::new(format), records, business, opened.note);
            return Ok(());
        }
        if opened.is_empty_by(&format) {
            self.add_records(name, &NATIVE, Vec::new(), None, None);
            return Ok(());
        }
        let parts = opened.find_parts(&format, choice.base())?;
        let mut places: Vec<String> = parts.iter().map(|part| opened.place(*part)).collect();
        if places.len() == 1 {
            places.clear();
        }
        if places.iter().any(|place| self.request.mask.is_in(place)) {
            return Err(FileError::new(format!("a list or sheet {HAS_SECRET}")));
        }
        let mut table = opened.table(parts[0], &format, &mut self.bounds)?;
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
        let mut tables = self.opened.tables.iter_mut();
        if let Some(first) = tables.find(|first| first.choice.is_like(&choice)) {
            places.retain(|place| !first.places.contains(place));
            first.places.append(&mut places);
            encodings.retain(|(name, _)| first.encodings.iter().all(|(other, _)| other != name));
            first.encodings.append(&mut encodings);
            return first.table.append(table);
        }
        self.opened.tables.push(TableInput {
            file,
            choice,
            table,
            encodings,
            places,
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
        self.opened.natives.push(NativeInput {
            file,
            format: Arc::clone(format),
            records,
            business,
        });
    }

    /// Adds a file to the report, with a note about its letters; returns its number.
    fn add_file(&mut self, name: &str, format: &Format, note: Option<String>) -> usize {
        let (report, mask) = (&mut self.opened.report, &self.request.mask);
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
        let beside = table.beside.iter_mut();
        let names = table.columns.iter_mut().chain([&mut table.place]);
        for name in names.chain(beside.flat_map(|(name, value)| [name, value])) {
            *name = mask.apply(name).replace(char::is_control, " ");
        }
        for row in &mut table.rows {
            if row.cells.all().any(|(_, cell)| mask.is_in(cell)) {
                let fault = RowFault {
                    message: HAS_SECRET.to_owned(),
                    raw: Some(Value::Null),
                };
                *row = Row::new(row.at.clone(), Cells::default(), Some(fault));
            }
        }
    }
}

/// Chooses the format of a file.
struct FormatChooser<'r> {
    request: &'r ImportRequest,
    /// The formats that sources keep.
    kept: BTreeMap<String, Format>,
}

impl<'r> FormatChooser<'r> {
    fn new(request: &'r ImportRequest, kept: &KeptFormats) -> Self {
        // A format that cannot be read, as a shell may have written it, counts as none.
        let kept = kept.iter().filter_map(|(source, text)| {
            let format = Format::parse(text).ok()?;
            Some((source.clone(), format))
        });
        let kept = kept.collect();
        Self { request, kept }
    }

    /// The format of a file: the first of these that there is (`docs/IMPORT.md`, "Which format counts").
    ///
    /// # Errors
    /// If it is of another source, as far as its format or the names of its columns say.
    fn choose(&self, opened: &OpenedFile<'_>) -> Result<Choice, FileError> {
        // 1. That of `--format`, or the owner's answers.
        if let Some(choice) = self.choose_by_request() {
            return choice;
        }
        let named = self.request.source.as_deref();
        let source = named.unwrap_or(SOURCE_DEFAULT);
        // One that only says which built-in format the files had says nothing of the next one.
        let kept = self.kept.get(source);
        let kept = kept.filter(|it| it.like.is_none() || **it != Format::like(it.like.clone()));
        let fit = kept.map_or(Fit::OtherTable, |kept| opened.fit(kept));
        let other = self.find_other_source(opened);
        let lacks_public = other.is_some_and(|(_, fit)| fit == Fit::AllButPublic);
        // 2. Our own. Lines that may be of a table are that if a source keeps a format of it.
        match &opened.native_form {
            NativeForm::Certain(format) => return self.choose_built_in(format),
            NativeForm::Lines if fit < Fit::Partly && !lacks_public => {
                return self.choose_built_in(&NATIVE);
            }
            NativeForm::No | NativeForm::Lines | NativeForm::Faulty(_) => {}
        }
        // 3. What the named `--source` keeps.
        if named.is_some()
            && let Some(kept) = kept.filter(|it| it.like.is_some() || fit >= Fit::Partly)
        {
            return self.choose_owners(kept, Basis::Kept);
        }
        // 4. The platform's, with what its source keeps beside it.
        if let Some(platform) = BUILT_IN.iter().find(|it| opened.has_keys(it)) {
            return self.choose_built_in(platform);
        }
        // 5. What `Direct` keeps, unless another source's reads more of the file.
        if let Some((other, other_fit)) = other
            && fit < other_fit
        {
            return Err(refuse_for_source(other, "give its format"));
        }
        if let Some(kept) = kept.filter(|_| fit != Fit::OtherTable) {
            return self.choose_owners(kept, Basis::Kept);
        }
        // 6. A draft, but of lines that are our own except for a member.
        if let (NativeForm::Faulty(fault), None) = (&opened.native_form, &self.request.format) {
            return Err(fault.clone());
        }
        Ok(Choice {
            basis: match kept {
                Some(_) => Basis::DraftOfOther,
                None => Basis::Draft,
            },
            owners: Format::default(),
            source: source.to_owned(),
        })
    }

    fn choose_by_request(&self) -> Option<Result<Choice, FileError>> {
        match (&self.request.owner_format, &self.request.format) {
            (Some(owners), _) => Some(self.choose_owners(owners, Basis::Draft)),
            (None, Some(FormatArgument::BuiltIn(format))) => Some(self.choose_built_in(format)),
            (None, Some(FormatArgument::File(_) | FormatArgument::Draft) | None) => None,
        }
    }

    /// The other source that a file may be of if none is named, and how far its format reads it: the one that reads most of it, else one
    /// whose format needs another column, which says what is public.
    fn find_other_source(&self, opened: &OpenedFile<'_>) -> Option<(&str, Fit)> {
        if self.request.source.is_some() {
            return None;
        }
        let others = self.kept.iter().filter(|(name, _)| *name != SOURCE_DEFAULT);
        let mut fitting: Vec<(&str, Fit)> = others
            .map(|(name, format)| (name.as_str(), opened.fit(format)))
            .collect();
        fitting.retain(|(_, fit)| *fit >= Fit::AllButPublic);
        let most = fitting.iter().map(|(_, fit)| *fit).max()?;
        let without_public = fitting.iter().find(|(_, fit)| *fit == Fit::AllButPublic);
        let mut best = fitting.iter().filter(|(_, fit)| *fit == most);
        let only = best.next().filter(|_| best.next().is_none());
        only.or(without_public).copied()
    }

    /// A built-in format, with what its source keeps beside it.
    fn choose_built_in(&self, format: &Arc<Format>) -> Result<Choice, FileError> {
        let source = self.source_of(format)?;
        let like = Some(format.name.clone()).filter(|_| !format.is_native());
        let kept = self.kept.get(&source);
        let kept = kept.filter(|kept| like.is_some() && kept.like == like);
        Ok(Choice {
            basis: Basis::BuiltIn(Arc::clone(format)),
            owners: kept.cloned().unwrap_or_else(|| Format::like(like)),
            source,
        })
    }

    /// The owner's format; `basis` is that of one with fields.
    fn choose_owners(&self, owners: &Format, basis: Basis) -> Result<Choice, FileError> {
        let built_in = base_of(owners)?;
        Ok(Choice {
            source: self.source_of(built_in.as_deref().unwrap_or(owners))?,
            basis: match built_in {
                Some(format) => Basis::BuiltIn(format),
                None if owners.fields.is_empty() => Basis::Draft,
                None => basis,
            },
            owners: owners.clone(),
        })
    }

    /// The source of the rows that name none, of a file of that format, in the spelling of the one that keeps a format.
    ///
    /// # Errors
    /// If it keeps none, but another source keeps one of the platform: the platform's own, until it was renamed.
    fn source_of(&self, format: &Format) -> Result<String, FileError> {
        let source = self.request.source_of(format);
        if let Some(stored) = self.kept.keys().find(|name| fold(name) == fold(source)) {
            return Ok(stored.clone());
        }
        let other = self.kept.iter().find(|(_, kept)| {
            let like = kept.like.as_deref().and_then(find_format);
            like.is_some_and(|like| like.source == format.source)
        });
        if let Some((other, _)) = other
            && self.request.source.is_none()
            && !format.keys.is_empty()
        {
            let advice = format!("add --source {}", quote_for_shell(source));
            return Err(refuse_for_source(other, &advice));
        }
        Ok(source.to_owned())
    }
}

/// Why a file is not imported that seems to be of the source `other`; `advice` is for one of another.
fn refuse_for_source(other: &str, advice: &str) -> FileError {
    FileError::new(format!(
        "has the columns of the source {other}; if it is a file of it, add --source {} (in an entry: source = {}), else {advice}",
        quote_for_shell(other),
        basic_string(other)
    ))
}

/// The built-in format that an owner's is like.
///
/// # Errors
/// If there is none of that name.
pub fn base_of(format: &Format) -> Result<Option<Arc<Format>>, FileError> {
    let Some(name) = &format.like else {
        return Ok(None);
    };
    let found = find_format(name).filter(|it| !it.is_native());
    if found.is_none() {
        let near = nearest(name, format_names()).unwrap_or_default();
        return Err(FileError::new(format!(
            "the source's format is like {name:?}, which is no built-in format of a platform; the nearest is {near}"
        )));
    }
    Ok(found)
}

/// The format by which further pages of a file are found: that by which it is imported; `None` if it is unknown.
pub fn format_of(content: &[u8], request: &ImportRequest, kept: &KeptFormats) -> Option<Format> {
    let chooser = FormatChooser::new(request, kept);
    if let Some(choice) = chooser.choose_by_request() {
        return Some(choice.ok()?.whole());
    }
    let decoded = decode(content, None).ok()?;
    let opened = OpenedFile::of_text(&decoded).ok()??;
    let format = chooser.choose(&opened).ok()?.whole();
    // Lines of the native form are rows without a list.
    (format.reader != Reader::Records).then_some(format)
}
