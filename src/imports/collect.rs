//! Reads the files of a request, finds the format of each, and turns their rows into reviews as their sources state them.
//!
//! Everything is read before anything is written, so that no other process waits for a lock during parsing, and a file that cannot be read
//! leaves nothing half done.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use chrono_tz::Tz;
use serde_json::Value;

use crate::imports::detect::{
    Kind, Shape, check_header, find_place, find_platform, kind_of, refuse_text,
};
use crate::imports::draft::{Draft, DraftContext};
use crate::imports::fault::{FileError, Position};
use crate::imports::format::{Format, Reader};
use crate::imports::incoming::{Incoming, ReviewRow};
use crate::imports::native::{
    columns_of_table, is_about_business, is_native_record, parse_deleted, parse_record, readable,
};
use crate::imports::platforms::{DOCUMENT, NATIVE, find_format, format_names};
use crate::imports::read::bytes::Opener;
use crate::imports::read::json::{JsonText, RawRow, RowList, RowValue};
use crate::imports::read::text::{decode, describe_damage, encodings, find_header, read_text};
use crate::imports::read::workbook::Book;
use crate::imports::read::{Bounds, Cells, ROWS_BETWEEN_LOOKS, Row, Table, page};
use crate::imports::report::{FileReport, ImportError, ImportReport, NewValue, Watcher};
use crate::imports::request::{FormatArgument, HAS_SECRET, ImportRequest, SOURCE_DEFAULT};
use crate::imports::row::RowReader;
use crate::model::business::{Business, Editorial, Technician};
use crate::model::json::{member, visit};
use crate::model::text::{nearest, quote_for_shell};
use crate::model::{Calendar, Unit, fold, short_name};
use crate::owner::business::{self, Origin};
use crate::owner::fault::FieldError;
use crate::storage::formats::{FormatChange, KeptFormats};
use crate::storage::reviews::{Mark, SourceCounts};

/// What the files of a request say.
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
    /// The formats to keep with sources.
    pub formats: Vec<FormatChange>,
    /// The report so far.
    pub report: ImportReport,
}

/// A file that was read.
enum FileRows {
    Table(Table),
    /// Native records in JSON.
    Records(Vec<RawRow<'static>>),
}

struct InputFile {
    name: String,
    /// The built-in format; `None` for an owner's.
    base: Option<Arc<Format>>,
    /// The owner's part of the format, as far as it is known.
    format: Format,
    source: String,
    rows: FileRows,
    context: DraftContext,
    needs_source: bool,
    /// The business in another instance's `/reviews.json`, as JSON.
    business: Option<String>,
    note: Option<String>,
}

impl InputFile {
    const fn table(&self) -> Option<&Table> {
        match &self.rows {
            FileRows::Table(table) => Some(table),
            FileRows::Records(_) => None,
        }
    }
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
    let stdin = request.files.iter().filter(|file| *file == Path::new("-"));
    if stdin.count() > 1 {
        return Err(ImportError::Refused(
            "-: standard input can be read only once; give `-` only once".to_owned(),
        ));
    }
    let files = read_files(request, calendar, kept, &*watch)?;
    let formats = decide_formats(&files, request, kept)?;
    let mut collector = Collector {
        request,
        watch,
        has_business: request.business.is_some(),
        rows: (0, count_rows(&files)),
        source_names: sources
            .iter()
            .map(|source| (fold(&source.source_name), source.source_name.clone()))
            .collect(),
        format: Arc::clone(&NATIVE),
        collected: Collected {
            calendar,
            rows: Vec::new(),
            deleted: Vec::new(),
            business: None,
            editorial: None,
            formats: formats.changes,
            report: ImportReport::default(),
        },
    };
    let sources = collector.collected.formats.iter();
    collector.collected.report.kept_formats = sources.map(|it| it.source.clone()).collect();
    let mut faults = Vec::new();
    for (file, format) in files.into_iter().zip(formats.of_files) {
        let name = file.name.clone();
        if let Err(fault) = collector.read_file(file, &format) {
            faults.push(format!("{name}: {fault}"));
        }
    }
    if collector.watch.is_stopped() {
        return Err(ImportError::Stopped);
    }
    ImportError::refuse_files(faults)?;
    Ok(collector.collected)
}

fn count_rows(files: &[InputFile]) -> u64 {
    let counts = files.iter().map(|file| match &file.rows {
        FileRows::Table(table) => table.rows.len() as u64,
        FileRows::Records(rows) => rows.len() as u64,
    });
    counts.sum()
}

fn read_files(
    request: &ImportRequest,
    calendar: Calendar,
    kept: &KeptFormats,
    watch: &dyn crate::imports::report::Watch,
) -> Result<Vec<InputFile>, ImportError> {
    let is_stopped = || watch.is_stopped();
    let mut bounds = Bounds::new(&is_stopped);
    let mut files = Vec::new();
    let reader = FileReader {
        request,
        kept: parse_kept(kept),
        calendar,
    };
    let mut take = |name: String, bytes: Vec<u8>| {
        let mut file = reader.read(&bytes, &mut bounds)?;
        file.name = name;
        files.push(file);
        Ok(())
    };
    let mut opener = Opener::new(request.below.as_deref(), &mut take);
    for file in &request.files {
        opener.open(file);
    }
    let faults = opener.faults;
    if watch.is_stopped() {
        return Err(ImportError::Stopped);
    }
    ImportError::refuse_files(faults)?;
    Ok(files)
}

/// The formats that sources keep. One that cannot be read, as a shell may have written it, counts as none.
fn parse_kept(kept: &KeptFormats) -> BTreeMap<String, Format> {
    let parsed = kept.iter().filter_map(|(source, text)| {
        let format = Format::parse(text).ok()?;
        Some((source.clone(), format))
    });
    parsed.collect()
}

/// The built-in format that an owner's is like.
///
/// # Errors
/// If there is none of that name.
pub fn base_of(format: &Format) -> Result<Option<Arc<Format>>, FileError> {
    let Some(name) = &format.like else {
        return Ok(None);
    };
    let found = find_format(name).filter(|it| !it.is_ours());
    if found.is_none() {
        let near = nearest(name, format_names()).unwrap_or_default();
        return Err(FileError::new(format!(
            "the source's format is like {name:?}, which is no built-in format of a platform; the nearest is {near}"
        )));
    }
    Ok(found)
}

/// The format by which further pages of a file are found: that of the call, or the built-in one; `None` if it is unknown.
pub fn format_of(content: &[u8], request: &ImportRequest) -> Option<Arc<Format>> {
    if let Some(FormatArgument::BuiltIn(format)) = &request.format {
        return Some(Arc::clone(format));
    }
    if let Some(own) = &request.own_format {
        let base = base_of(own).ok()?;
        return Some(Arc::new(whole(base.as_ref(), own)));
    }
    let kind = kind_of(content).ok()?;
    let decoded = decode(content, None, request.country()).ok()?;
    let shapes: Vec<Shape> = match kind {
        Kind::Json => {
            let json = JsonText::of(&decoded.text).ok()?;
            if json.document().is_some_and(is_own_document) {
                return Some(Arc::clone(&DOCUMENT));
            }
            let lists = json.lists.iter();
            lists
                .map(|list| Shape::new(&list.path, list.names(), list.elements.len()))
                .collect()
        }
        Kind::Text => {
            let header = find_header(&decoded.text, None)?;
            vec![Shape::new("", header.cells, 1)]
        }
        Kind::Nothing | Kind::Page | Kind::Workbook => return None,
    };
    find_platform(&shapes, kind).map(|(format, _)| format)
}

/// Reads one file after another.
struct FileReader<'r> {
    request: &'r ImportRequest,
    kept: BTreeMap<String, Format>,
    calendar: Calendar,
}

/// The format of a file as far as it is known.
struct Choice {
    base: Option<Arc<Format>>,
    format: Format,
    source: String,
    /// The number of the shape that has it, if its names tell it.
    place: Option<usize>,
    is_kept: bool,
    needs_source: bool,
}

impl FileReader<'_> {
    fn country(&self) -> Option<&str> {
        self.request.country()
    }

    fn read(&self, bytes: &[u8], bounds: &mut Bounds<'_>) -> Result<InputFile, FileError> {
        if self.request.is_sample {
            let decoded = decode(bytes, None, None)?;
            return Ok(records(
                &NATIVE,
                &RowList::lines(&decoded.text)?,
                &decoded.text,
                decoded.is_damaged,
            ));
        }
        match kind_of(bytes)? {
            Kind::Workbook => self.read_workbook(bytes, bounds),
            Kind::Nothing => Ok(no_rows()),
            Kind::Json | Kind::Page | Kind::Text => self.read_text(bytes, bounds),
        }
    }

    fn read_text(&self, bytes: &[u8], bounds: &mut Bounds<'_>) -> Result<InputFile, FileError> {
        let decoded = decode(bytes, None, self.country())?;
        // UTF-16 is known only now.
        let kind = match decoded.text.trim_start().as_bytes().first() {
            None => return Ok(no_rows()),
            Some(b'[' | b'{') => Kind::Json,
            Some(b'<') => Kind::Page,
            Some(_) => Kind::Text,
        };
        refuse_text(kind, &decoded.text)?;
        let damage = (!decoded.is_unknown)
            .then(|| describe_damage(&decoded.text))
            .flatten();
        let mut file = match kind {
            Kind::Json => self.read_json(&decoded.text, decoded.is_damaged, bounds)?,
            Kind::Page => {
                let shapes = [Shape::new("", [], 0)];
                let choice = self.choose(&shapes, kind)?;
                let base = choice.base.clone().or_else(|| find_format("schema-org"));
                let format = whole(base.as_ref(), &choice.format);
                let business = self.request.business.as_ref().map(|it| it.name.as_str());
                if decoded.is_damaged {
                    return Err(FileError::new("is not UTF-8; save the file as UTF-8"));
                }
                let table = page::reviews_of_page(decoded.text.trim(), &format, business, bounds)?;
                let choice = Choice { base, ..choice };
                self.table_file(choice, table, DraftContext::default())
            }
            Kind::Nothing | Kind::Workbook | Kind::Text => self.read_delimited(bytes, bounds)?,
        };
        file.note = file.note.or(damage);
        Ok(file)
    }

    fn read_delimited(
        &self,
        bytes: &[u8],
        bounds: &mut Bounds<'_>,
    ) -> Result<InputFile, FileError> {
        // The names of columns tell the format, which may have the encoding and the row of the header.
        let stated = self.stated_format().unwrap_or_default();
        let first = decode(bytes, stated.encoding.as_deref(), self.country())?;
        let header = find_header(&first.text, stated.header_row);
        let columns = header.iter().flat_map(|header| header.cells.iter());
        let shape = Shape::new("", columns.map(|cell| cell.trim().to_owned()), 1);
        let choice = self.choose(&[shape], Kind::Text)?;
        let format = whole(choice.base.as_ref(), &choice.format);
        let decoded = decode(bytes, format.encoding.as_deref(), self.country())?;
        let header = find_header(&decoded.text, format.header_row).ok_or_else(|| {
            FileError::new(format!(
                "has no row {} among its first rows; correct header_row in the source's format",
                format.header_row.unwrap_or(1)
            ))
        })?;
        check_header(&decoded.text, &header, format.header_row.is_some())?;
        if is_own_table(&header.cells) {
            return Err(FileError::new(
                "is a table that `reviews export` wrote for spreadsheets, which is not read back; export as JSON Lines, and import that file",
            ));
        }
        let table = read_text(&decoded.text, decoded.is_damaged, &header, bounds)?;
        let mut context = DraftContext::default();
        if decoded.is_unknown {
            let tried = encodings(bytes, self.country()).into_iter();
            let shown = tried.map(|encoding| {
                let text = encoding.decode_without_bom_handling(bytes).0;
                let mut cells = text.split([',', ';', '\t', '|', '"', '\r', '\n']);
                let cell = cells.find(|cell| !cell.is_ascii()).unwrap_or_default();
                (encoding.name(), cell.trim().to_owned())
            });
            context.encodings = shown.collect();
        }
        Ok(self.table_file(choice, table, context))
    }

    fn read_workbook(
        &self,
        packed: &[u8],
        bounds: &mut Bounds<'_>,
    ) -> Result<InputFile, FileError> {
        let mut book = Book::open(packed)?;
        let stated = self.stated_format();
        let sheets = book.sheets(stated.as_ref().and_then(|format| format.header_row))?;
        // Without rows in any sheet, it is an import of nothing.
        let are_all_empty = !sheets.iter().any(|sheet| sheet.has_rows);
        let filled = sheets
            .iter()
            .filter(|sheet| !sheet.header.is_empty() && (sheet.has_rows || are_all_empty))
            .take(if are_all_empty { 1 } else { usize::MAX });
        let shapes: Vec<Shape> = filled
            .map(|sheet| Shape::new(&sheet.name, sheet.header.iter().cloned(), 1))
            .collect();
        let empty = |sheet: &str| {
            let names: Vec<&str> = sheets.iter().map(|sheet| sheet.name.as_str()).collect();
            FileError::new(format!(
                "has no {sheet}; its visible sheets are {}",
                names.join(", ")
            ))
        };
        if shapes.is_empty() {
            return Err(empty("visible sheet with rows"));
        }
        let choice = self.choose(&shapes, Kind::Workbook)?;
        let format = whole(choice.base.as_ref(), &choice.format);
        let mut context = DraftContext::default();
        let number = match (&format.sheet, choice.place) {
            (Some(sheet), _) => {
                let is_it = |shape: &Shape| fold(&shape.place) == fold(sheet);
                shapes
                    .iter()
                    .position(is_it)
                    .ok_or_else(|| empty(&format!("sheet {sheet:?} with rows")))?
            }
            (None, Some(place)) => place,
            (None, None) if shapes.len() == 1 => 0,
            (None, None) => {
                context.sheets = shapes.iter().map(|shape| shape.place.clone()).collect();
                let known = |number: &usize| shapes[*number].core_fields();
                (0..shapes.len()).rev().max_by_key(known).unwrap_or(0)
            }
        };
        let table = book.table(&shapes[number].place, format.header_row, bounds)?;
        if is_own_table(&table.columns) {
            return Err(FileError::new(
                "is a table that `reviews export` wrote for spreadsheets, which is not read back; export as JSON Lines, and import that file",
            ));
        }
        let mut file = self.table_file(choice, table, context);
        let rows = file.table().into_iter().flat_map(|table| &table.rows);
        let mut cells = rows.flat_map(|row| row.cells.all());
        let damage = cells.find_map(|(_, cell)| describe_damage(cell));
        drop(cells);
        file.note = damage;
        Ok(file)
    }

    fn read_json(
        &self,
        text: &str,
        is_damaged: bool,
        bounds: &mut Bounds<'_>,
    ) -> Result<InputFile, FileError> {
        let json = JsonText::of(text)?;
        let argument = self.request.format.as_ref();
        let built_in = match argument {
            Some(FormatArgument::BuiltIn(format)) => Some(format),
            _ => None,
        };
        let is_free = built_in.is_none() && self.request.own_format.is_none();
        let is_document = json.document().is_some_and(is_own_document);
        if is_free && is_document || built_in.is_some_and(|it| it.reader == Reader::Document) {
            return Ok(own_document(&json, text, is_damaged));
        }
        let native = if begins_with_business(&json) {
            Some(0)
        } else {
            find_native(&json).filter(|_| !self.keeps_format_of(&json))
        };
        if is_free && native.is_some() || built_in.is_some_and(|it| it.is_native()) {
            let list = &json.lists[native.unwrap_or_else(|| usize::from(json.lists.len() > 1))];
            return Ok(records(&NATIVE, list, text, is_damaged));
        }
        let has_lists = json.lists.len() > 1;
        if !has_lists && json.document().is_some_and(is_empty_document) {
            return Ok(no_rows());
        }
        let shapes = json
            .lists
            .iter()
            .map(|list| Shape::new(&list.path, list.names(), list.elements.len()));
        let shapes: Vec<Shape> = shapes.collect();
        // The faults of lines that are no objects are those of rows.
        if json.is_lines() && shapes[0].columns.is_empty() {
            return Ok(records(&NATIVE, &json.lists[0], text, is_damaged));
        }
        if shapes.iter().all(|shape| shape.columns.is_empty()) {
            return Err(FileError::new(
                "is JSON without objects; give a list of reviews",
            ));
        }
        let choice = self.choose(&shapes, Kind::Json)?;
        let format = whole(choice.base.as_ref(), &choice.format);
        if format.reader == Reader::LinkedData {
            if is_damaged {
                return Err(FileError::new("is not UTF-8; save the file as UTF-8"));
            }
            let business = self.request.business.as_ref().map(|it| it.name.as_str());
            let table = page::reviews_of_document(text, &format, business, bounds)?;
            return Ok(self.table_file(choice, table, DraftContext::default()));
        }
        let mut context = DraftContext::default();
        let number = match (&format.rows, choice.place) {
            (Some(rows), _) => json.find(rows).ok_or_else(|| {
                let lists = json.lists.iter().skip(1).map(|list| list.path.as_str());
                FileError::new(format!(
                    "has no list at {rows:?}, which the source's format names; its lists are {}",
                    lists.collect::<Vec<_>>().join(", ")
                ))
            })?,
            (None, Some(place)) => place,
            (None, None) => {
                let lists = candidate_lists(&json, &shapes);
                match lists.as_slice() {
                    [] => {
                        return Err(FileError::new(
                            "is JSON without a list of objects; give a list of reviews, or one review in each line",
                        ));
                    }
                    [list] => *list,
                    [first, ..] => {
                        context.lists = lists
                            .iter()
                            .map(|list| shapes[*list].place.clone())
                            .collect();
                        *first
                    }
                }
            }
        };
        let mut table = json.lists[number].table(&json, is_damaged, &format, bounds)?;
        if let Some(reference) = &format.included
            && let Some(list) = json.find("included")
        {
            let included = json.lists[list].table(&json, is_damaged, &format, bounds)?;
            table.join_included(&included, reference, bounds)?;
        }
        Ok(self.table_file(choice, table, context))
    }

    /// Whether the source of the file keeps a format that says what is in one of these lists.
    fn keeps_format_of(&self, json: &JsonText<'_>) -> bool {
        let source = self.request.source.as_deref().unwrap_or(SOURCE_DEFAULT);
        let kept = self.kept.get(source).filter(|kept| kept.like.is_none());
        kept.is_some_and(|kept| {
            let mut shapes = json
                .lists
                .iter()
                .map(|list| Shape::new("", list.names(), 1));
            shapes.any(|shape| !shape.is_other(kept))
        })
    }

    /// The columns that the format of a source ignores.
    fn ignored_before(&self, source: &str) -> Vec<String> {
        let kept = self.kept.get(source).map(|kept| kept.ignored.parts());
        kept.into_iter().flatten().map(str::to_owned).collect()
    }

    fn table_file(&self, choice: Choice, mut table: Table, context: DraftContext) -> InputFile {
        self.hide_secrets(&mut table);
        let ignored = self.ignored_before(&choice.source);
        InputFile {
            name: String::new(),
            base: choice.base,
            format: choice.format,
            source: choice.source,
            rows: FileRows::Table(table),
            context: DraftContext {
                tomorrow: self.calendar.tomorrow(),
                country: self.country().map(str::to_owned),
                is_kept: choice.is_kept,
                ignored,
                is_draft_wanted: self.request.format == Some(FormatArgument::Draft),
                ..context
            },
            needs_source: choice.needs_source,
            business: None,
            note: None,
        }
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
        let names = table.columns.iter_mut().chain(&mut table.lists);
        for name in names.chain(beside).chain([&mut table.place]) {
            *name = mask.apply(name).replace(char::is_control, " ");
        }
        for row in &mut table.rows {
            if row.cells.all().any(|(_, cell)| mask.is_in(cell)) {
                let fault = (HAS_SECRET.to_owned(), Some("null".to_owned()));
                *row = Row::new(row.at.clone(), Cells::default(), Some(fault));
            }
        }
    }

    /// The owner's format that the call or the named source gives.
    fn stated_format(&self) -> Option<Format> {
        let named = self.request.source.as_ref();
        self.request
            .own_format
            .clone()
            .or_else(|| self.kept.get(named?).cloned())
    }

    /// Which format a file has (CONTRACT: by the call, by the named source, by the platform's names, by what a source keeps, or none yet).
    fn choose(&self, shapes: &[Shape], kind: Kind) -> Result<Choice, FileError> {
        let request = self.request;
        let own_source = request.source.as_deref().unwrap_or(SOURCE_DEFAULT);
        let of_base = |base: Arc<Format>, place: Option<usize>| {
            let source = request.source_of(&base).to_owned();
            let like = Some(base.name.clone());
            let kept = self.kept.get(&source).filter(|kept| kept.like == like);
            Choice {
                format: kept.cloned().unwrap_or_else(|| Format {
                    like,
                    ..Format::default()
                }),
                base: Some(base),
                source,
                place,
                is_kept: kept.is_some(),
                needs_source: false,
            }
        };
        let of_owner = |format: &Format, source: &str, is_kept: bool| {
            let base = base_of(format)?;
            let is_table = matches!(kind, Kind::Text | Kind::Workbook);
            let place = match &base {
                Some(base) => find_place(shapes, |shape| shape.has_keys(base, is_table)),
                None => find_place(shapes, |shape| shape.fits(format)),
            };
            let source = match &base {
                Some(base) => request.source_of(base).to_owned(),
                None => source.to_owned(),
            };
            Ok(Choice {
                base,
                format: format.clone(),
                source,
                place,
                is_kept,
                needs_source: false,
            })
        };
        if let Some(own) = &request.own_format {
            return of_owner(own, own_source, false);
        }
        if let Some(FormatArgument::BuiltIn(base)) = &request.format {
            let is_table = matches!(kind, Kind::Text | Kind::Workbook);
            let fits = match base.reader {
                Reader::Native | Reader::Document => kind == Kind::Json,
                Reader::Columns => kind != Kind::Page,
                Reader::LinkedData => !is_table,
            };
            if !fits {
                return Err(FileError::new(format!(
                    "cannot be read as {}; leave --format out",
                    base.name
                )));
            }
            let place = find_place(shapes, |shape| shape.has_keys(base, is_table));
            return Ok(of_base(Arc::clone(base), place));
        }
        let named = request.source.as_ref().and_then(|name| self.kept.get(name));
        if let Some(kept) =
            named.filter(|kept| kept.like.is_some() || shapes.iter().any(|it| !it.is_other(kept)))
        {
            return of_owner(kept, own_source, true);
        }
        if let Some((base, place)) = find_platform(shapes, kind) {
            return Ok(of_base(base, Some(place)));
        }
        if let Some(base) = find_format("schema-org").filter(|_| kind == Kind::Page) {
            return Ok(of_base(base, None));
        }
        let mut needs_source = named.is_some();
        if request.source.is_none() {
            let direct = self.kept.get(SOURCE_DEFAULT);
            let fits = |format: &&Format| shapes.iter().any(|shape| shape.fits(format));
            if let Some(kept) = direct.filter(fits) {
                return of_owner(kept, SOURCE_DEFAULT, true);
            }
            let mut others = self.kept.iter().filter(|(_, format)| fits(format));
            if let (Some((source, _)), None) = (others.next(), others.next()) {
                return Err(FileError::new(format!(
                    "has the columns of the source {source}; add --source {} if it is a file of it, or give its format with --format",
                    quote_for_shell(source)
                )));
            }
            let is_of = |format: &&Format| shapes.iter().any(|shape| !shape.is_other(format));
            if let Some(kept) = direct.filter(is_of) {
                return of_owner(kept, SOURCE_DEFAULT, true);
            }
            needs_source = direct.is_some();
        }
        let choice = of_owner(&Format::default(), own_source, false)?;
        Ok(Choice {
            place: None,
            needs_source,
            ..choice
        })
    }
}

/// The built-in format with what the owner's adds, or the owner's.
fn whole(base: Option<&Arc<Format>>, format: &Format) -> Format {
    base.map_or_else(|| format.clone(), |base| base.with(format))
}

/// A table of ours has at least these columns.
fn is_own_table(columns: &[String]) -> bool {
    columns_of_table().all(|name| columns.iter().any(|column| column == name))
}

fn no_rows() -> InputFile {
    let lines = RowList::lines("").unwrap_or_else(|_| unreachable!("an empty text has no lines"));
    records(&NATIVE, &lines, "", false)
}

fn records(format: &Arc<Format>, list: &RowList<'_>, text: &str, is_damaged: bool) -> InputFile {
    let rows = list.rows(text, is_damaged).map(RawRow::into_owned);
    InputFile {
        name: String::new(),
        base: Some(Arc::clone(format)),
        format: Format::default(),
        source: SOURCE_DEFAULT.to_owned(),
        rows: FileRows::Records(rows.collect()),
        context: DraftContext::default(),
        needs_source: false,
        business: None,
        note: None,
    }
}

fn own_document(json: &JsonText<'_>, text: &str, is_damaged: bool) -> InputFile {
    let mut file = match json.find("reviews") {
        Some(list) => records(&DOCUMENT, &json.lists[list], text, is_damaged),
        None => no_rows(),
    };
    file.base = Some(Arc::clone(&DOCUMENT));
    let business = json
        .document()
        .and_then(|document| member(document, "business"));
    file.business = business.map(str::to_owned);
    file
}

/// Whether a document is another instance's `/reviews.json`: no other one has the withheld reviews beside the rating, which lacks
/// its value where there is no review.
fn is_own_document(document: &str) -> bool {
    ["aggregate_rating", "withheld"]
        .iter()
        .all(|name| member(document, name).is_some_and(|value| value.starts_with('{')))
}

/// Whether the first line is that of an export.
fn begins_with_business(json: &JsonText<'_>) -> bool {
    let first = json.lists[0].elements.first().map_or("", |line| *line);
    member(first, "reviews").is_none()
        && (member(first, "editorial").is_some()
            || member(first, "business").is_some_and(|it| member(it, "publish_staff").is_some()))
}

/// The list of native records: one whose rows have members of ours alone.
fn find_native(json: &JsonText<'_>) -> Option<usize> {
    let Some(document) = json.document() else {
        return Some(0).filter(|_| has_native_rows(&json.lists[0]));
    };
    if document.starts_with('{') && is_native_record(document) {
        return Some(0);
    }
    let mut members = 0;
    visit(document, |_, _| {
        members += 1;
        std::ops::ControlFlow::<()>::Continue(())
    });
    if document.starts_with('{') && members > 1 {
        return None;
    }
    let is_ours =
        |list: &RowList<'_>| ["", "reviews"].contains(&list.path.as_str()) && has_native_rows(list);
    let found = json.lists.iter().skip(1).position(is_ours)?;
    Some(found + 1)
}

fn has_native_rows(list: &RowList<'_>) -> bool {
    !list.elements.is_empty() && list.elements.iter().all(|row| is_native_record(row))
}

/// The lists that may be that of the reviews: those with names of a review; without any, the outermost.
fn candidate_lists(json: &JsonText<'_>, shapes: &[Shape]) -> Vec<usize> {
    let first = usize::from(json.document().is_some());
    let all: Vec<usize> = (first..shapes.len()).collect();
    let is_inside = |inner: usize, outer: usize| {
        let rest = shapes[inner].place.strip_prefix(&shapes[outer].place);
        inner != outer
            && rest
                .is_some_and(|rest| rest.starts_with(['.', '[']) || shapes[outer].place.is_empty())
    };
    let mut known: Vec<usize> = all
        .iter()
        .copied()
        .filter(|list| shapes[*list].core_fields() > 1)
        .collect();
    if known.is_empty() {
        known = all;
    }
    if known.is_empty() && shapes[0].core_fields() > 1 {
        // One review.
        return vec![0];
    }
    let outermost = known
        .iter()
        .copied()
        .filter(|list| !known.iter().any(|outer| is_inside(*list, *outer)));
    outermost.collect()
}

/// Whether a document is an export without rows: an empty list or object, or one that has an empty list and no error. An answer of a
/// failed request is none.
fn is_empty_document(document: &str) -> bool {
    let is_list = |value: &str| {
        let mut list = value.chars().filter(|c| !c.is_whitespace());
        list.next() == Some('[') && list.all(|c| matches!(c, '[' | ']'))
    };
    let (mut has_empty, mut has_rows, mut says_error) = (false, false, false);
    visit(document, |name, value| {
        has_empty |= is_list(value) || name == "totalReviewCount" && value == "0";
        has_rows |= value.starts_with('[') && !is_list(value);
        says_error |= match name {
            "error" | "errors" => !matches!(value, "null" | "false" | "\"\"" | "[]" | "{}"),
            "success" => value == "false",
            _ => false,
        };
        std::ops::ControlFlow::<()>::Continue(())
    });
    is_list(document)
        || document == "{}"
        || document.starts_with('{') && has_empty && !has_rows && !says_error
}

/// The formats of all files, and what is kept with sources.
struct Formats {
    of_files: Vec<Arc<Format>>,
    changes: Vec<FormatChange>,
}

/// Completes the format of each file; the tables of one source share one.
///
/// # Errors
/// [`ImportError::Open`] if something must be decided first; or if a table does not fit the others.
fn decide_formats(
    files: &[InputFile],
    request: &ImportRequest,
    kept: &KeptFormats,
) -> Result<Formats, ImportError> {
    type Key = (Option<String>, String);
    let key = |file: &InputFile| -> Key {
        let base = file.base.as_ref().map(|base| base.name.clone());
        (base, file.source.clone())
    };
    let mut groups: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
    for (number, file) in files.iter().enumerate() {
        if file.table().is_some() {
            groups.entry(key(file)).or_default().push(number);
        }
    }
    let mut formats = Formats {
        of_files: files
            .iter()
            .map(|file| file.base.clone().unwrap_or_default())
            .collect(),
        changes: Vec::new(),
    };
    let is_draft_wanted = request.format == Some(FormatArgument::Draft);
    if is_draft_wanted && groups.is_empty() {
        return Err(ImportError::Refused(
            "the file is in our own form, which needs no format; import it without --format"
                .to_owned(),
        ));
    }
    let several = groups.len() > 1;
    for ((_, source), numbers) in groups {
        let first = &files[numbers[0]];
        let tables: Vec<&Table> = numbers.iter().filter_map(|it| files[*it].table()).collect();
        let context = DraftContext {
            encodings: numbers
                .iter()
                .flat_map(|it| files[*it].context.encodings.clone())
                .collect(),
            ..first.context.clone()
        };
        let refused = |fault: FileError| ImportError::Refused(format!("{}: {fault}", first.name));
        let draft = Draft::new(&first.format, first.base.as_deref(), &tables, context);
        let draft = draft.map_err(refused)?;
        let whole = whole(first.base.as_ref(), &draft.format);
        if first.base.is_none() {
            check_tables(files, &numbers, &whole)?;
        }
        // A table of another source is never imported under the format that a source keeps, nor in its place.
        if !draft.format.open.is_empty() || is_draft_wanted || first.needs_source {
            if several {
                return Err(ImportError::Refused(format!(
                    "{}: something must be decided about its format first; import it by itself",
                    first.name
                )));
            }
            return Err(ImportError::Open(Box::new(Draft {
                file: request.mask.apply(&first.name),
                needs_source: first.needs_source,
                ..draft
            })));
        }
        let is_plain = draft.format.like.is_some()
            && draft.format
                == Format {
                    like: draft.format.like.clone(),
                    ..Format::default()
                };
        let text = draft.format.to_text();
        if !is_plain && kept.get(&source) != Some(&text) {
            let before = kept.get(&source).cloned();
            formats.changes.push(FormatChange {
                source,
                before,
                after: Some(text),
            });
        }
        let whole = Arc::new(whole);
        for number in numbers {
            formats.of_files[number] = Arc::clone(&whole);
        }
    }
    Ok(formats)
}

/// Refuses a table of a call that lacks a column of the others which is needed.
fn check_tables(
    files: &[InputFile],
    numbers: &[usize],
    format: &Format,
) -> Result<(), ImportError> {
    let blocks = format.public_blocks();
    let blocks = blocks
        .iter()
        .flat_map(|(_, blocks)| blocks.iter().map(|it| &it.names));
    let core = crate::imports::format::ReviewField::CORE.iter();
    let core = core
        .filter_map(|field| format.fields.get(field))
        .filter(|it| !it.is_empty());
    let needed: Vec<_> = core.chain(blocks).collect();
    let has = |table: &Table, names: &crate::imports::format::Names| {
        !table.find_all(&names.among(&table.columns)).is_empty()
    };
    for names in needed {
        let lacking = |number: &&usize| {
            files[**number]
                .table()
                .is_some_and(|table| !has(table, names))
        };
        let lacks: Vec<&usize> = numbers.iter().filter(lacking).collect();
        if !lacks.is_empty() && lacks.len() < numbers.len() {
            return Err(ImportError::Refused(format!(
                "{}: has no column {}, which another file of the call has, so it has another format; import it by itself",
                files[*lacks[0]].name,
                names.parts().join(" or ")
            )));
        }
    }
    Ok(())
}

/// Collects the reviews of all files: checks their days, and counts the rows.
struct Collector<'a> {
    request: &'a ImportRequest,
    watch: Watcher<'a>,
    /// Whether the database or an earlier file has a business.
    has_business: bool,
    /// Number of rows of all files: those that were read, and all.
    rows: (u64, u64),
    /// The sources, by their names in lower case.
    source_names: BTreeMap<String, String>,
    /// Of the current file.
    format: Arc<Format>,
    collected: Collected,
}

impl Collector<'_> {
    fn read_file(&mut self, file: InputFile, format: &Arc<Format>) -> Result<(), FileError> {
        if self.request.withdraw_missing && (format.excerpts || format.only.is_some()) {
            return Err(FileError::new(format!(
                "is {}, which gives only some of the reviews, so a missing one may still exist; leave --withdraw-missing out",
                label(format)
            )));
        }
        self.format = Arc::clone(format);
        self.collected.report.files.push(FileReport {
            name: self.request.mask.apply(&file.name),
            format: if format.is_table() {
                "table".to_owned()
            } else {
                format.name.clone()
            },
            label: label(format).to_owned(),
            note: format.note.clone(),
            excerpts: format.excerpts,
            fields: Vec::new(),
            rows: 0,
            rejected: 0,
        });
        file.note.iter().for_each(|note| self.note(note));
        match file.rows {
            FileRows::Table(table) => self.read_table(&table, format, &file.source),
            FileRows::Records(rows) => {
                if let Some(business) = &file.business {
                    self.take_business(&serde_json::from_str(business)?)?;
                }
                self.read_records(&rows)
            }
        }
    }

    /// Reads the rows of a table.
    fn read_table(
        &mut self,
        table: &Table,
        format: &Format,
        source: &str,
    ) -> Result<(), FileError> {
        let technicians: &[Technician] = match &self.request.business {
            Some(business) => &business.technicians,
            None => &[],
        };
        let context = (technicians, self.request.country());
        let reader = RowReader::new(format, table, source, self.collected.calendar, context)?;
        self.describe(&reader, table, format, source);
        let before = (self.collected.report.rejected, self.collected.report.taken);
        let mut first_fault = None;
        for row in &table.rows {
            if reader.is_answer(row) {
                self.collected.report.left_out += 1;
                continue;
            }
            if row.fault.is_none() && reader.is_elsewhere(row) {
                self.count();
                self.collected.report.elsewhere += 1;
                continue;
            }
            let read = reader.read(row);
            if let Err(faults) = &read {
                first_fault.get_or_insert_with(|| format!("{}: {}", row.at, faults[0]));
            }
            self.add_row(row.at.clone(), read, || reader.raw(row))?;
        }
        let report = &self.collected.report;
        if let Some(fault) = first_fault
            && report.taken == before.1
            && report.rejected - before.0 == table.rows.len() as u64
        {
            return Err(FileError::new(format!(
                "no row can be read ({fault}); correct the file, or its columns in the source's format: [fields], scale, values, date_format"
            )));
        }
        Ok(())
    }

    /// Says in the report what is read, what is passed over, and what hides reviews.
    fn describe(&mut self, reader: &RowReader<'_>, table: &Table, format: &Format, source: &str) {
        if format.is_table() || !table.is_objects {
            if let Some(file) = self.collected.report.files.last_mut() {
                file.fields = reader.describe();
                file.name += &self.request.mask.apply(&table.place);
            }
        } else {
            let used = reader.used();
            let is_passed = |column: &usize| {
                let name = &table.columns[*column];
                let has_inside = || {
                    table.columns.iter().any(|it| {
                        it.starts_with(&format!("{name}.")) || it.starts_with(&format!("{name}["))
                    })
                };
                !used.contains(column) && !format.ignores(&table.columns, *column) && !has_inside()
            };
            let passed = (0..table.columns.len()).filter(is_passed);
            let names: Vec<String> = passed
                .take(20)
                .map(|it| table.columns[it].clone())
                .collect();
            if !names.is_empty() {
                self.note(&format!("members that are not read: {}", names.join(", ")));
            }
        }
        let missing = format.is_table().then(|| {
            let lacks = format.fields.values().flat_map(|names| names.parts());
            let lacks: Vec<&str> = lacks.filter(|name| table.find(name).is_none()).collect();
            lacks.join(", ")
        });
        if let Some(missing) = missing.filter(|it| !it.is_empty()) {
            self.note(&format!(
                "columns of the format that the file lacks: {missing}; it states nothing of them"
            ));
        }
        for (part, header, value, count) in reader.hiding_values() {
            self.collected.report.new_values.push(NewValue {
                source: source.to_owned(),
                header: self.request.mask.apply(&header),
                key: part.key(),
                value: crate::imports::draft::shown_cell(&value),
                count,
            });
        }
    }

    /// Reads native records.
    fn read_records(&mut self, rows: &[RawRow<'_>]) -> Result<(), FileError> {
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
        Ok(())
    }

    fn read_record(&mut self, at: Position, record: RowValue) -> Result<(), FileError> {
        let record = match record {
            Ok(record) => record,
            Err((message, raw)) => {
                return self.reject(at, raw, &[FieldError::new("", message)]);
            }
        };
        let (request, calendar) = (self.request, self.collected.calendar);
        let read = match parse_deleted(&record) {
            Some(Ok(deleted)) => {
                self.add_deleted(deleted);
                return Ok(());
            }
            Some(Err(faults)) => Err(faults),
            None => parse_record(&record, &self.format, request, calendar),
        };
        self.add_row(at, read, || readable(&record))
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

    /// Adds a review, or rejects its row with all its faults; `raw` returns the row as in the file.
    fn add_row(
        &mut self,
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
            Err(faults) => return self.reject(at, raw(), &faults),
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
        if !self.format.is_native() && !statement.unstated.contains(&Unit::Source) {
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
        let file = self.collected.report.files.len() - 1;
        let row = ReviewRow::new(file, at, &self.format, incoming);
        // A text may show a secret only once entities and elements of HTML are gone.
        if row.texts().any(|text| self.request.mask.is_in(text)) {
            let fault = FieldError::new("", HAS_SECRET);
            return self.reject(row.at, Value::Null, &[fault]);
        }
        self.count();
        self.collected.report.taken += 1;
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
    fn note(&mut self, sentence: &str) {
        let sentence = self.request.mask.apply(sentence);
        if !self.collected.report.notes.contains(&sentence) {
            self.collected.report.notes.push(sentence);
        }
    }

    /// Adds a deletion by the owner; only in our own exports.
    fn add_deleted(&mut self, mut mark: Mark) {
        self.count();
        let report = &mut self.collected.report;
        report.taken += 1;
        if self.request.run_of.is_some() {
            report.left_out_deletions += 1;
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
            self.note(
                "the business, editorial texts and formats of the file are left out: a run takes reviews only",
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

    /// Takes the formats of sources in the first line of an export.
    fn take_formats(&mut self, value: &Value) {
        let formats = value.get("formats").and_then(Value::as_object);
        for (source, text) in formats.into_iter().flatten() {
            let readable = text.as_str().filter(|text| Format::parse(text).is_ok());
            let Some(text) = readable else {
                self.note(&format!(
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

/// The name of a format in reports.
fn label(format: &Format) -> &str {
    if format.is_table() {
        "the source's own format"
    } else {
        &format.label
    }
}
