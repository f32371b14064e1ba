//! Collects the rows of all formats in memory: checks their days, counts them, and gives an id to each that has none.
//!
//! Everything is read before anything is written, so that no other process waits for a lock during parsing, and a file
//! that cannot be read leaves nothing half done. The limit on the size of the files bounds the memory.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde_json::Value;

use crate::imports::file_error::FileError;
use crate::imports::map::fields::FieldError;
use crate::imports::map::values::{digest, shortened, without_address};
use crate::imports::map::{
    Answer, Calendar, Comment, Incoming, Posted, SOURCE_DEFAULT, Stated, business,
};
use crate::imports::platforms::{Format, native, table};
use crate::imports::read::budget::Budget;
use crate::imports::report::{
    FileReport, ImportReport, Position, Rejection, TableColumns, Watcher,
};
use crate::imports::request::ImportRequest;
use crate::model::business::{Business, Editorial};
use crate::model::{InvalidReviewId, ReviewId, Source};
use crate::storage::imports::{ColumnMeaning, KeptColumns};

/// Returns the row as in the file; called only if the row is rejected.
pub type Raw<'r> = &'r dyn Fn() -> Value;

pub struct Collector<'a> {
    /// Whether the database or an earlier file has a business.
    business_known: bool,
    pub request: &'a ImportRequest,
    pub budget: &'a Budget,
    watch: Watcher<'a>,
    rows: u64,
    /// Of the current file.
    format: &'static Format,
    /// Of the current file.
    ids: FileIds,
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
    /// The row's own id, or one derived from the row.
    pub id: ReviewId,
    pub has_own_id: bool,
    pub format: &'static Format,
    pub incoming: Incoming,
}

/// An answer to a review that has a row of its own: the review's id, the answer's author, and the answer.
type PlacedAnswer = (ReviewId, String, Answer);

#[derive(Debug)]
pub struct Collected {
    pub calendar: Calendar,
    /// The rows of all files, in their order.
    pub rows: Vec<Row>,
    /// Ids of reviews that the owner deleted, from our own exports.
    pub deleted: Vec<ReviewId>,
    /// The business in the files.
    pub business: Option<Business>,
    /// The editorial texts in the files.
    pub editorial: Option<Editorial>,
    /// The meanings of columns that this import decided.
    pub columns: KeptColumns,
    /// The report so far.
    pub report: ImportReport,
}

/// The ids of a file's rows, as far as it was read.
#[derive(Debug, Default)]
struct FileIds {
    /// Index of the file's first row.
    first: usize,
    /// The column with the ids of a plain table, which may count the rows.
    header: Option<String>,
    /// The number of the first row, if the column has counted all rows so far.
    counts_from: Option<u64>,
    /// Ids derived from the rows, beside the rows.
    derived: Vec<ReviewId>,
}

impl<'a> Collector<'a> {
    pub fn new(
        calendar: Calendar,
        business_known: bool,
        request: &'a ImportRequest,
        budget: &'a Budget,
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
            business_known,
            request,
            budget,
            watch,
            rows: 0,
            format: &native::FORMAT,
            ids: FileIds::default(),
            answers: Vec::new(),
            locations: Locations {
                meant: request.location.as_deref(),
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
        let names = &mut self.locations.names;
        if names.len() < LOCATIONS_MAX {
            names.insert(location.to_owned(), name);
        }
    }

    /// Counts a row of the current file and reports progress.
    fn count(&mut self) {
        self.rows += 1;
        self.watch.read(self.rows, self.budget.progress());
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
        self.ids.header = header.filter(|_| self.format.name == table::NAME).cloned();
    }

    /// Adds a review, or the problems of its row; `raw` returns the row.
    pub fn review(
        &mut self,
        at: Position,
        made: Result<Incoming, Vec<FieldError>>,
        raw: Raw<'_>,
    ) -> Result<(), FileError> {
        let mut incoming = match made {
            Ok(incoming) => incoming,
            Err(problems) => return self.reject(at, raw, &problems),
        };
        let now = self.calendar().now;
        let stated = &mut incoming.stated;
        if let Some(Posted::Instant(updated)) = &mut stated.updated {
            *updated = now.min(*updated);
        }
        let posted_at = incoming.posted.posted.instant();
        let responded_at = stated.response.given().and_then(|(_, at)| *at);
        self.needs_zone(posted_at.or(responded_at))?;
        // Rows of several locations in our own exports need no choice.
        let is_own = self.format.is_own();
        if let Some(location) = stated.location.as_deref().filter(|_| !is_own) {
            self.locations.may_ignore |= self.format.has_renames();
            if !self.locations.is_meant(location) {
                self.count();
                self.collected.report.elsewhere += 1;
                return Ok(());
            }
        }
        if let (Stated::Unsaid, Some(name)) = (&stated.source, &self.request.source) {
            stated.source = Stated::Given(Source {
                name: name.clone(),
                url: None,
            });
        }
        self.count();
        self.note_number(incoming.id.as_ref());
        let derived = match self.derived_id(&incoming) {
            Ok(id) => id,
            Err(error) => {
                let problem = FieldError::new("id", error.to_string());
                return self.reject_counted(at, raw, &[problem]);
            }
        };
        if !is_own {
            incoming.author = without_address(&incoming.author);
        }
        if !self.format.authors_public && !self.request.full_names {
            incoming.author = shortened(&incoming.author);
        }
        let noted = &mut incoming.stated.noted;
        noted.posted_at = posted_at.or(noted.posted_at);
        noted.responded_at = responded_at.or(noted.responded_at);
        self.collected.report.taken += 1;
        self.collected.rows.push(Row {
            file: self.collected.report.files.len().saturating_sub(1),
            at,
            id: incoming.id.clone().unwrap_or_else(|| derived.clone()),
            has_own_id: incoming.id.is_some(),
            format: self.format,
            incoming,
        });
        self.ids.derived.push(derived);
        Ok(())
    }

    /// An id of author, day and text, and of the source, because two sources may have the same row. Without a text the
    /// stars and the title belong to it: otherwise one customer's rating would replace another's.
    fn derived_id(&self, incoming: &Incoming) -> Result<ReviewId, InvalidReviewId> {
        let source = source_name(incoming).unwrap_or(SOURCE_DEFAULT);
        let stated = &incoming.stated;
        let posted = incoming.posted.posted.to_string();
        let text = stated.text.given().map_or("", String::as_str);
        let mut parts = vec![source, &incoming.author, &posted, text];
        let stars = incoming.rating.stars().to_string();
        if text.is_empty() {
            parts.extend(stated.title.given().map(String::as_str));
            parts.push(&stars);
        }
        digest(self.format.ids.unwrap_or(self.format.name), &parts)
    }

    /// Notes whether the ids of the current file still count its rows.
    fn note_number(&mut self, id: Option<&ReviewId>) {
        let rows = self
            .collected
            .report
            .files
            .last()
            .map_or(0, |file| file.rows);
        let number = id.and_then(|id| id.as_str().parse::<u64>().ok());
        let from = number.and_then(|number| number.checked_add(1)?.checked_sub(rows));
        let is_first = self.ids.derived.is_empty();
        self.ids.counts_from = match (from, self.ids.counts_from) {
            (Some(from @ 0..=1), None) if is_first => Some(from),
            (Some(from), Some(before)) if from == before => Some(from),
            _ => None,
        };
    }

    /// Ends a file, whose rows are all read: decides whether its ids are ids, and numbers equal rows without a text.
    fn end_file(&mut self) {
        let ids = std::mem::take(&mut self.ids);
        let last = self.collected.rows.len();
        self.ids.first = last;
        if let Some(header) = &ids.header {
            let rows = &self.collected.rows[ids.first..];
            let sources: HashSet<String> = rows
                .iter()
                .map(|row| {
                    source_name(&row.incoming)
                        .unwrap_or(SOURCE_DEFAULT)
                        .to_owned()
                })
                .collect();
            for source in sources {
                let is_mapped = self.request.rename("id").is_some();
                let known = self.kept.get(&source, header).filter(|_| !is_mapped);
                let meaning = known.unwrap_or(if ids.counts_from.is_some() && !is_mapped {
                    ColumnMeaning::RowNumber
                } else {
                    ColumnMeaning::Id
                });
                self.keep(&source, header, meaning);
            }
        }
        let mut counts: HashMap<ReviewId, u64> = HashMap::new();
        let rows = &mut self.collected.rows[ids.first..];
        let mut numbered = 0;
        for (row, derived) in rows.iter_mut().zip(ids.derived) {
            let source = source_name(&row.incoming).unwrap_or(SOURCE_DEFAULT);
            let meaning = ids
                .header
                .as_ref()
                .and_then(|header| self.kept.get(source, header));
            if row.has_own_id && meaning == Some(ColumnMeaning::RowNumber) {
                numbered += 1;
                row.has_own_id = false;
                row.id = derived;
            }
            let is_blank = row
                .incoming
                .stated
                .text
                .given()
                .is_none_or(String::is_empty);
            if !row.has_own_id && is_blank {
                // The same file has the same ids again, and a file that repeats rows of another adds only what it has more.
                let count = counts.entry(row.id.clone()).or_default();
                *count += 1;
                if *count > 1
                    && let Ok(id) = format!("{}.{count}", row.id).parse()
                {
                    row.id = id;
                }
            }
        }
        if let (Some(header), 1..) = (ids.header, numbered)
            && let Some(file) = self.collected.report.files.last_mut()
        {
            file.row_numbers = Some(header);
        }
    }

    /// Adds an answer to a review of this import.
    pub fn comment(
        &mut self,
        at: Position,
        made: Result<Comment, Vec<FieldError>>,
        raw: Raw<'_>,
    ) -> Result<(), FileError> {
        let comment = match made {
            Ok(comment) => comment,
            Err(problems) => return self.reject(at, raw, &problems),
        };
        let (response, responded_at) = &comment.answer;
        self.needs_zone(*responded_at)?;
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
        let writers = rows
            .iter()
            .filter_map(|row| row.incoming.stated.noted.writer.as_deref());
        let writers: HashSet<&str> = writers.collect();
        let reviews: HashSet<&ReviewId> = rows.iter().map(|row| &row.id).collect();
        let mut answered: BTreeMap<&str, HashSet<&ReviewId>> = BTreeMap::new();
        for (id, writer, _) in &answers {
            if reviews.contains(id) && !writers.contains(writer.as_str()) {
                answered.entry(writer).or_default().insert(id);
            }
        }
        let most = answered.values().map(HashSet::len).max();
        let mut leading = answered.iter().filter(|(_, its)| Some(its.len()) == most);
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
            if let Some(answer) = by_shop.remove(&row.id) {
                left_out -= 1;
                row.incoming.stated.noted.responded_at = answer.1;
                row.incoming.stated.response = Stated::Given(answer);
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
    pub fn deleted(&mut self, id: ReviewId) {
        self.count();
        self.collected.report.taken += 1;
        self.collected.deleted.push(id);
    }

    /// Rejects a row; `problems` has all its problems.
    pub fn reject(
        &mut self,
        at: Position,
        raw: Raw<'_>,
        problems: &[FieldError],
    ) -> Result<(), FileError> {
        self.count();
        self.reject_counted(at, raw, problems)
    }

    fn reject_counted(
        &mut self,
        at: Position,
        raw: Raw<'_>,
        problems: &[FieldError],
    ) -> Result<(), FileError> {
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
    fn needs_zone(&self, instant: Option<DateTime<Utc>>) -> Result<(), FileError> {
        if instant.is_none() || self.calendar().zone.is_some() {
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
        if self.business_known {
            return Ok(());
        }
        let business = business::business(&value()?, Business::default(), true)
            .map_err(|faults| FileError::of_member("business", &faults))?;
        let zone = business.time_zone;
        let earlier = self.collected.report.files.len() > 1;
        if earlier && zone != Tz::UTC {
            return Err(FileError::new(format!(
                "contains the business, whose time zone {zone} also sets the days of the files before it; give this file first"
            )));
        }
        self.collected.calendar.zone = Some(zone);
        self.business_known = true;
        self.collected.report.business = Some(business.name.clone());
        self.collected.business = Some(business);
        Ok(())
    }

    /// Takes the line of an export that contains the business and the editorial texts.
    pub fn about_business(&mut self, value: &Value) -> Result<(), FileError> {
        if self.business_known {
            self.collected.report.has_left_out_business = true;
            return Ok(());
        }
        if let Some(its) = value.get("editorial").filter(|its| its.is_object()) {
            let texts = business::editorial(its, Editorial::default());
            let texts = texts.map_err(|faults| FileError::of_member("editorial", &faults))?;
            self.collected.editorial = Some(texts);
        }
        let Some(its) = value.get("business").filter(|its| its.is_object()) else {
            return Ok(());
        };
        let has_zone = self.calendar().zone.is_some() || its.get("time_zone").is_some();
        self.business(|| Ok(its.clone()))?;
        // A business without a time zone is given UTC, which counts as not set.
        if !has_zone {
            self.collected.calendar.zone = None;
        }
        Ok(())
    }
}

/// The source's own name, even if the owner renamed it; `None` if the row states none.
pub fn source_name(incoming: &Incoming) -> Option<&str> {
    let stated = &incoming.stated;
    let own = stated.noted.source_name.as_deref();
    own.or_else(|| stated.source.given().map(|source| source.name.as_str()))
}

// The locations of the rows: counted, and named if a Takeout contains their names. Several locations are refused if
// none was chosen.

/// Maximum number of locations that are distinguished.
const LOCATIONS_MAX: usize = 1000;

#[derive(Default)]
struct Locations<'a> {
    /// The chosen location, by number or name.
    meant: Option<&'a str>,
    rows: BTreeMap<String, u64>,
    /// Whether one is in a format that allows `--map`.
    may_ignore: bool,
    names: BTreeMap<String, String>,
}

impl Locations<'_> {
    /// Counts a row of the location; returns whether the location is chosen.
    fn is_meant(&mut self, location: &str) -> bool {
        if self.rows.len() < LOCATIONS_MAX || self.rows.contains_key(location) {
            *self.rows.entry(location.to_owned()).or_default() += 1;
        }
        self.is_chosen(location)
    }

    /// Whether the location was chosen, by number or name, or none was.
    fn is_chosen(&self, location: &str) -> bool {
        self.meant.is_none_or(|meant| {
            location == meant || self.names.get(location).is_some_and(|name| name == meant)
        })
    }

    /// The name of the reviews' location, if known.
    ///
    /// # Errors
    /// When there are several locations and none was chosen, or the chosen one has no reviews.
    fn listing(&self) -> Result<Option<String>, FileError> {
        let mut chosen = self.rows.keys().filter(|its| self.is_chosen(its));
        let taken = chosen.next();
        match self.meant {
            None if chosen.next().is_some() => {
                let rows = self.rows.iter();
                let counted = rows.map(|(its, count)| format!("{} ({count})", self.called(its)));
                let ignore = if self.may_ignore {
                    "; if the field is no location of the business, ignore it with --map location="
                } else {
                    ""
                };
                Err(FileError::new(format!(
                    "the reviews are of {} locations: {}; one service publishes one location; name it with --location{ignore}",
                    self.rows.len(),
                    counted.collect::<Vec<_>>().join(", ")
                )))
            }
            Some(meant) if taken.is_none() && !self.rows.is_empty() => {
                let there: Vec<String> = self.rows.keys().map(|its| self.called(its)).collect();
                Err(FileError::new(format!(
                    "--location {meant}: no review is of that location; name one of {}",
                    there.join(", ")
                )))
            }
            _ => Ok(taken.and_then(|its| self.names.get(its)).cloned()),
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
