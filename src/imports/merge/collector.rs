//! Collects the rows of all formats in memory: checks their days, counts them, and gives an id to each that has none.
//!
//! Everything is read before anything is written, so that no other process waits for a lock during parsing, and a file
//! that cannot be read leaves nothing half done. The limit on the size of the files bounds the memory.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::Read;

use chrono_tz::Tz;
use serde::Deserialize as _;
use serde_json::Value;

use crate::imports::map::business::{self, Origin};
use crate::imports::map::row::derived_id;
use crate::imports::map::values::shortened;
use crate::imports::map::{Answer, Calendar, Comment, Incoming, Posted, SOURCE_DEFAULT};
use crate::imports::platforms::{Format, NATIVE, TABLE};
use crate::imports::report::{
    FieldError, FileError, FileReport, INPUT_BYTES_MAX, ImportReport, NAMED_MAX, Position,
    Rejection, TableColumns, Watcher,
};
use crate::imports::request::ImportRequest;
use crate::model::business::{Business, Editorial};
use crate::model::{InvalidReviewId, Review, ReviewId, Source, Unit};
use crate::storage::imports::{ColumnMeaning, KeptColumns};
use crate::storage::reviews::DeletedReview;

/// Returns the row as in the file; called only if the row is rejected.
pub type Raw<'r> = &'r dyn Fn() -> Value;

pub struct Collector<'a> {
    pub request: &'a ImportRequest,
    pub budget: Budget,
    watch: Watcher<'a>,
    /// Whether the database or an earlier file has a business.
    has_business: bool,
    /// Number of rows of all files: those that were read, and all.
    rows: (u64, u64),
    /// Of the current file.
    format: &'static Format,
    /// The column with the IDs of the current file, if it is a plain table: it may count the rows.
    id_column: Option<String>,
    /// Index of the current file's first row.
    first_row: usize,
    answers: Vec<PlacedAnswer>,
    locations: Locations<'a>,
    collected: Collected,
    /// The meanings of columns that earlier imports decided, and those that this one decides.
    pub kept: KeptColumns,
}

/// A row of a file.
#[derive(Debug)]
pub struct Row {
    /// Index of its file in the report.
    pub file: usize,
    pub at: Position,
    /// Its number among the rows of the file, from 1.
    number: u64,
    pub format: &'static Format,
    pub incoming: Incoming,
}

/// A review that the owner deleted, from one of our own exports.
#[derive(Debug)]
pub struct DeletedRow {
    pub id: ReviewId,
    /// `None` if its id is enough to find it in files of its source.
    pub kept: Option<DeletedReview>,
}

impl Row {
    pub const fn review(&self) -> &Review {
        &self.incoming.statement.review
    }

    /// The row's own ID, or one derived from the row.
    pub const fn id(&self) -> &ReviewId {
        &self.review().id
    }

    /// The name of its source.
    pub fn source(&self) -> &str {
        self.incoming.source_name().unwrap_or(SOURCE_DEFAULT)
    }

    /// The ID that the row has without its own.
    fn derived_id(&self) -> Result<ReviewId, InvalidReviewId> {
        let review = self.review();
        let posted = self
            .incoming
            .posted_at
            .map_or(Posted::Day(review.date), Posted::Instant);
        derived_id(
            self.format,
            &review.source.name,
            &review.author,
            posted,
            review.rating,
            review.title.as_deref(),
            &review.text,
        )
    }
}

/// An answer to a review that has a row of its own: the review's id, the answer's author, and the answer.
type PlacedAnswer = (ReviewId, String, Answer);

#[derive(Debug)]
pub struct Collected {
    pub calendar: Calendar,
    /// The rows of all files, in their order.
    pub rows: Vec<Row>,
    /// Ids of reviews that the owner deleted, from our own exports.
    pub deleted: Vec<DeletedRow>,
    /// The business in the files.
    pub business: Option<Business>,
    /// The editorial texts in the files.
    pub editorial: Option<Editorial>,
    /// The meanings of columns that this import decided.
    pub columns: KeptColumns,
    /// The report so far.
    pub report: ImportReport,
}

impl<'a> Collector<'a> {
    pub fn new(
        calendar: Calendar,
        has_business: bool,
        request: &'a ImportRequest,
        watch: Watcher<'a>,
        kept: KeptColumns,
    ) -> Self {
        let collected = Collected {
            calendar,
            rows: Vec::new(),
            deleted: Vec::new(),
            business: None,
            editorial: None,
            columns: KeptColumns::default(),
            report: ImportReport::default(),
        };
        Self {
            request,
            budget: Budget::of(INPUT_BYTES_MAX),
            watch,
            has_business,
            rows: (0, 0),
            format: &NATIVE,
            id_column: None,
            first_row: 0,
            answers: Vec::new(),
            locations: Locations {
                chosen: request.location.as_deref(),
                ..Locations::default()
            },
            collected,
            kept,
        }
    }

    /// Records the meaning of a source's column for later imports.
    pub fn keep(&mut self, source: &str, header: &str, meaning: ColumnMeaning) {
        self.kept.set(source, header, meaning);
        self.collected.columns.set(source, header, meaning);
    }

    /// Notes the name of a location.
    pub fn listing(&mut self, location: &str, name: String) {
        self.locations.names.insert(location.to_owned(), name);
    }

    /// Tells that all files have so many rows, or nearly so.
    pub const fn expect_rows(&mut self, rows: usize) {
        self.rows.1 = rows as u64;
    }

    /// Counts a row of the current file and reports progress.
    fn count(&mut self) {
        let (read, all) = &mut self.rows;
        *read += 1;
        self.watch.read(*read, *all);
        if let Some(file) = self.collected.report.files.last_mut() {
            file.rows += 1;
        }
    }

    /// # Errors
    /// When the reviews are of several locations and none was chosen.
    pub fn finish(mut self) -> Result<Collected, FileError> {
        self.end_file();
        self.collected.report.listing = self.locations.listing()?;
        self.place_answers();
        Ok(self.collected)
    }

    /// The business's calendar; a business in the files may set its time zone.
    pub const fn calendar(&self) -> Calendar {
        self.collected.calendar
    }

    /// Begins a file; `name` is used in messages.
    pub fn begin(&mut self, name: String, format: &'static Format) -> Result<(), FileError> {
        self.use_format(format)?;
        self.end_file();
        self.collected.report.files.push(FileReport {
            name,
            format: format.name,
            rows: 0,
            rejected: 0,
            row_numbers: None,
        });
        Ok(())
    }

    /// Takes the following rows of the file as rows of that format.
    pub fn use_format(&mut self, format: &'static Format) -> Result<(), FileError> {
        if !self.request.renames.is_empty() && !format.has_renames() {
            let name = format.name;
            return Err(FileError::new(format!(
                "is in the format {name}, whose field names are fixed; leave --map out"
            )));
        }
        if self.request.withdraw_missing && format.excerpts {
            let label = format.label;
            return Err(FileError::new(format!(
                "is {label}, which gives only some of the reviews, so a missing one may still exist; leave --withdraw-missing out"
            )));
        }
        self.format = format;
        Ok(())
    }

    pub fn table(&mut self, columns: &TableColumns) {
        if let Some(file) = self.collected.report.files.last() {
            self.watch.table(&file.name, columns);
        }
        let used = columns.used.iter().find(|(field, _)| *field == "id");
        let header = used.and_then(|(_, headers)| headers.first());
        self.id_column = header.filter(|_| self.format.name == TABLE.name).cloned();
    }

    /// Adds a review, or the problems of its row; `raw` returns the row.
    pub fn review(
        &mut self,
        at: Position,
        read: Result<Incoming, Vec<FieldError>>,
        raw: Raw<'_>,
    ) -> Result<(), FileError> {
        let mut incoming = match read {
            Ok(incoming) => incoming,
            Err(problems) => return self.reject(at, raw, &problems),
        };
        // The days of native records are those of the business, and their rows of several locations need no choice.
        if !self.format.is_native() {
            self.check_zone(incoming.posted_at.is_some() || incoming.responded_at.is_some())?;
            if let Some(location) = &incoming.location {
                self.locations.may_ignore |= self.format.has_renames();
                if !self.locations.count(location) {
                    self.count();
                    self.collected.report.elsewhere += 1;
                    return Ok(());
                }
            }
        }
        let statement = &mut incoming.statement;
        if statement.unstated.has(Unit::Source)
            && let Some(name) = &self.request.source
        {
            statement.unstated.remove(Unit::Source);
            statement.review.source = Source {
                name: name.clone(),
                url: None,
            };
        }
        if self.format.authors_private && !self.request.full_names {
            statement.review.author = shortened(&statement.review.author);
        }
        self.count();
        self.collected.report.taken += 1;
        let files = &self.collected.report.files;
        self.collected.rows.push(Row {
            file: files.len().saturating_sub(1),
            at,
            number: files.last().map_or(0, |file| file.rows),
            format: self.format,
            incoming,
        });
        Ok(())
    }

    /// Ends a file, whose rows are all read: decides whether its ids are ids, and numbers equal rows without a text.
    fn end_file(&mut self) {
        let mut all = std::mem::take(&mut self.collected.rows);
        let rows = &mut all[self.first_row..];
        if let Some(column) = self.id_column.take() {
            let is_mapped = self.request.rename("id").is_some();
            let meaning = if counts_rows(rows) && !is_mapped {
                ColumnMeaning::RowNumber
            } else {
                ColumnMeaning::Id
            };
            let sources: BTreeSet<&str> = rows.iter().map(Row::source).collect();
            for source in sources {
                let kept = self.kept.get(source, &column).filter(|_| !is_mapped);
                self.keep(source, &column, kept.unwrap_or(meaning));
            }
            for row in rows.iter_mut() {
                let is_number =
                    self.kept.get(row.source(), &column) == Some(ColumnMeaning::RowNumber);
                if is_number
                    && row.incoming.has_own_id
                    && let Ok(id) = row.derived_id()
                {
                    row.incoming.statement.review.id = id;
                    row.incoming.has_own_id = false;
                    if let Some(file) = self.collected.report.files.last_mut() {
                        file.row_numbers.get_or_insert_with(|| column.clone());
                    }
                }
            }
        }
        // The same file has the same ids again, and a file that repeats rows of another adds only what it has more.
        let mut counts: HashMap<ReviewId, u64> = HashMap::new();
        for row in rows.iter_mut() {
            if row.incoming.has_own_id || !row.review().text.is_empty() {
                continue;
            }
            let count = counts.entry(row.id().clone()).or_default();
            *count += 1;
            if *count > 1
                && let Ok(id) = format!("{}.{count}", row.id()).parse()
            {
                row.incoming.statement.review.id = id;
            }
        }
        self.first_row = all.len();
        self.collected.rows = all;
    }

    /// Adds an answer to a review of this import.
    pub fn comment(
        &mut self,
        at: Position,
        read: Result<Comment, Vec<FieldError>>,
        raw: Raw<'_>,
    ) -> Result<(), FileError> {
        let comment = match read {
            Ok(comment) => comment,
            Err(problems) => return self.reject(at, raw, &problems),
        };
        let (response, responded_at) = &comment.answer;
        self.check_zone(responded_at.is_some())?;
        self.count();
        let Some(writer) = comment.writer.filter(|_| !response.text.is_empty()) else {
            self.collected.report.left_out += 1;
            return Ok(());
        };
        self.answers.push((comment.review, writer, comment.answer));
        Ok(())
    }

    /// Joins answers to reviews, once all rows are read: each review gets the shop's first answer. The shop is the user who
    /// answers the most reviews, and wrote none; if two users lead, nobody is.
    fn place_answers(&mut self) {
        let answers = std::mem::take(&mut self.answers);
        let rows = &mut self.collected.rows;
        let writers = rows.iter().filter_map(|row| row.incoming.writer.as_deref());
        let writers: HashSet<&str> = writers.collect();
        let reviews: HashSet<&ReviewId> = rows.iter().map(Row::id).collect();
        let mut answered: BTreeMap<&str, HashSet<&ReviewId>> = BTreeMap::new();
        for (id, writer, _) in &answers {
            if reviews.contains(id) && !writers.contains(writer.as_str()) {
                answered.entry(writer).or_default().insert(id);
            }
        }
        let most = answered.values().map(HashSet::len).max();
        let mut leading = answered
            .iter()
            .filter(|(_, reviews)| Some(reviews.len()) == most);
        let shop = match (leading.next(), leading.next()) {
            (Some((shop, _)), None) => (*shop).to_owned(),
            _ => String::new(),
        };
        let mut left_out = answers.len() as u64;
        let mut by_shop: HashMap<ReviewId, Answer> = HashMap::new();
        for (id, writer, answer) in answers {
            if writer == shop {
                by_shop.entry(id).or_insert(answer);
            }
        }
        // Of rows with the same id the last one counts.
        for row in rows.iter_mut().rev() {
            if let Some((response, responded_at)) = by_shop.remove(row.id()) {
                left_out -= 1;
                row.incoming.responded_at = responded_at;
                row.incoming.statement.review.response = Some(response);
                row.incoming.statement.unstated.remove(Unit::Response);
            }
        }
        self.collected.report.left_out += left_out;
    }

    /// Notes a sentence for the owner about the current file.
    pub fn note(&mut self, sentence: String) {
        if !self.collected.report.notes.contains(&sentence) {
            self.collected.report.notes.push(sentence);
        }
    }

    /// Adds a deletion by the owner; only in our own exports.
    pub fn deleted(&mut self, row: DeletedRow) {
        self.count();
        self.collected.report.taken += 1;
        self.collected.deleted.push(row);
    }

    /// Rejects a row; `problems` has all its problems.
    pub fn reject(
        &mut self,
        at: Position,
        raw: Raw<'_>,
        problems: &[FieldError],
    ) -> Result<(), FileError> {
        self.count();
        let Some(file) = self.collected.report.files.last_mut() else {
            return Ok(());
        };
        file.rejected += 1;
        self.collected.report.rejected += 1;
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        let rejection = Rejection {
            file: file.name.clone(),
            format: self.format.name,
            at,
            error: problems.join("; "),
            row: raw(),
        };
        self.watch.rejected(rejection).map_err(|error| {
            FileError::new(format!(
                "a rejected row cannot be stored: {error}; nothing was changed"
            ))
        })
    }

    /// Refuses an instant if its day depends on an unknown time zone.
    fn check_zone(&self, has_instant: bool) -> Result<(), FileError> {
        if !has_instant || self.calendar().zone.is_some() {
            return Ok(());
        }
        Err(FileError::new(
            "has times, whose days depend on the business's time zone, which is not set; run `reviews init --time-zone ZONE` \
             first, for example America/Phoenix",
        ))
    }

    /// Takes the business of a file; `value` is called only if no business is known.
    pub fn business(
        &mut self,
        value: impl FnOnce() -> Result<Value, FileError>,
    ) -> Result<(), FileError> {
        if self.has_business {
            return Ok(());
        }
        let business = business::business(&value()?, &Business::default(), Origin::Service)
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

    /// Takes the line of an export that contains the business, the editorial texts and the meanings of columns. A business that
    /// is there stays, with its texts, and so do the meanings of the columns of sources that are there.
    pub fn about_business(&mut self, value: &Value) -> Result<(), FileError> {
        if let Some(rows) = value.get("columns") {
            let rows: Vec<(String, String, String)> = Vec::deserialize(rows).unwrap_or_default();
            let known = self.kept.rows().map(|(source, ..)| source.to_owned());
            let known: BTreeSet<String> = known.collect();
            for (source, header, meaning) in rows {
                if let Some(meaning) = ColumnMeaning::find(&meaning)
                    && !known.contains(&source)
                {
                    self.keep(&source, &header, meaning);
                }
            }
        }
        if self.has_business {
            self.collected.report.has_left_out_business = true;
            return Ok(());
        }
        if let Some(editorial) = value.get("editorial").filter(|value| value.is_object()) {
            let texts = business::editorial(editorial, &Editorial::default(), Origin::Service);
            let texts = texts.map_err(|faults| FileError::of_member("editorial", &faults))?;
            self.collected.editorial = Some(texts);
        }
        let Some(business) = value.get("business").filter(|value| value.is_object()) else {
            return Ok(());
        };
        let has_zone = self.calendar().zone.is_some() || business.get("time_zone").is_some();
        self.business(|| Ok(business.clone()))?;
        // A business without a time zone is given UTC, which counts as not set.
        if !has_zone {
            self.collected.calendar.zone = None;
        }
        Ok(())
    }
}

/// Whether the IDs of these rows count the rows of their file, from 0 or 1.
fn counts_rows(rows: &[Row]) -> bool {
    let start = |row: &Row| {
        let id: u64 = row.id().as_str().parse().ok()?;
        id.checked_add(1)?.checked_sub(row.number)
    };
    let first = rows.first().and_then(start);
    matches!(first, Some(0 | 1)) && rows.iter().all(|row| start(row) == first)
}

// The locations of the rows: counted, and named if a Takeout contains their names. Several locations are refused if
// none was chosen.

#[derive(Default)]
struct Locations<'a> {
    /// By number or name.
    chosen: Option<&'a str>,
    rows: BTreeMap<String, u64>,
    /// Whether one is in a format that allows `--map`.
    may_ignore: bool,
    names: BTreeMap<String, String>,
}

impl Locations<'_> {
    /// Counts a row of the location; returns whether it is imported.
    fn count(&mut self, location: &str) -> bool {
        *self.rows.entry(location.to_owned()).or_default() += 1;
        self.is_imported(location)
    }

    /// Whether the location was chosen, by number or name, or none was.
    fn is_imported(&self, location: &str) -> bool {
        self.chosen.is_none_or(|chosen| {
            location == chosen || self.names.get(location).is_some_and(|name| name == chosen)
        })
    }

    /// The name of the reviews' location, if known.
    ///
    /// # Errors
    /// When there are several locations and none was chosen, or the chosen one has no reviews.
    fn listing(&self) -> Result<Option<String>, FileError> {
        let mut imported = self.rows.keys().filter(|name| self.is_imported(name));
        let first = imported.next();
        match self.chosen {
            None if imported.next().is_some() => {
                let rows = self.rows.iter().take(NAMED_MAX);
                let rows = rows.map(|(name, count)| format!("{} ({count})", self.called(name)));
                let ignore = if self.may_ignore {
                    "; if the field is no location of the business, ignore it with --map location="
                } else {
                    ""
                };
                Err(FileError::new(format!(
                    "the reviews are of {} locations: {}; one service publishes one location; name it with --location{ignore}",
                    self.rows.len(),
                    rows.collect::<Vec<_>>().join(", ")
                )))
            }
            Some(chosen) if first.is_none() && !self.rows.is_empty() => {
                let names = self.rows.keys().take(NAMED_MAX);
                let names: Vec<String> = names.map(|name| self.called(name)).collect();
                Err(FileError::new(format!(
                    "--location {chosen}: no review is of that location; name one of {}",
                    names.join(", ")
                )))
            }
            _ => Ok(first.and_then(|name| self.names.get(name)).cloned()),
        }
    }

    /// The location with its name, if known.
    fn called(&self, location: &str) -> String {
        match self.names.get(location) {
            Some(name) => format!("{location} {name}"),
            None => location.to_owned(),
        }
    }
}

/// The number of bytes that one import may still read, over all its files and all ways of opening them.
pub struct Budget(u64);

impl Budget {
    pub const fn of(bytes: u64) -> Self {
        Self(bytes)
    }

    /// All bytes of `input`.
    ///
    /// # Errors
    /// When it cannot be read, or the budget is used up.
    pub fn read(&mut self, input: impl Read) -> Result<Vec<u8>, FileError> {
        let mut all = Vec::new();
        let read = input.take(self.0 + 1).read_to_end(&mut all);
        let read = read.map_err(FileError::unreadable)? as u64;
        self.0 = self.0.checked_sub(read).ok_or_else(|| {
            FileError::new(format!(
                "the files of one import may have at most {} MiB in total, unpacked; split it into several imports",
                INPUT_BYTES_MAX >> 20
            ))
        })?;
        Ok(all)
    }

    /// Gives back the bytes of an archive, of which only what is unpacked counts.
    pub const fn give_back(&mut self, bytes: usize) {
        self.0 += bytes as u64;
    }
}
