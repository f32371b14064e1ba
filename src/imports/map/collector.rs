//! Collects the rows of all formats in memory: checks their days, counts them, and gives an id to each that has none.
//!
//! Everything is read before anything is written, so that no other process waits for a lock during parsing, and a file
//! that cannot be read leaves nothing half done. What is kept is counted first (`limits`).

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_with::{DisplayFromStr, serde_as};

use crate::imports::limits::{Limits, VALUES_BETWEEN_LOOKS};
use crate::imports::map::questions::ShownTables;
use crate::imports::mask::HAS_SECRET;
use crate::imports::platforms::{Format, NATIVE};
use crate::imports::report::{FileError, FileReport, ImportReport, NAMED_MAX, Position, Watcher};
use crate::imports::request::{ImportRequest, SOURCE_DEFAULT};
use crate::imports::table::BLOCK_BYTES;
use crate::model::business::{Business, Editorial};
use crate::model::{
    Calendar, Day, Digests, Mentions, Method, Review, ReviewId, Said, Statement, Status, Unit,
    Verification, compose, fold, short_name, source_day,
};
use crate::owner::business::{self, Origin};
use crate::owner::fault::FieldError;
use crate::storage::columns::{KeptColumn, KeptColumns};
use crate::storage::reviews::{PlaceCount, SourceRecord};

pub struct Collector<'a> {
    pub request: &'a ImportRequest,
    watch: Watcher<'a>,
    pub limits: Limits<'static>,
    /// Whether the database or an earlier file has a business.
    has_business: bool,
    /// Number of rows of all files: those that were read, and all.
    rows: (u64, u64),
    /// Of the current file.
    format: &'static Format,
    /// The number of rows of each location.
    locations: BTreeMap<String, u64>,
    /// The locations of the database and the files, by their names in lower case.
    location_names: BTreeMap<String, String>,
    /// The sources, by their names in lower case.
    source_names: BTreeMap<String, String>,
    /// How the columns of sources were read before this import.
    pub stored: KeptColumns,
    pub collected: Collected,
}

/// A row of a file.
#[derive(Debug)]
pub struct Row {
    /// Index of its file in the report.
    pub file: usize,
    pub at: Position,
    pub format: &'static Format,
    pub incoming: Incoming,
}

impl Row {
    pub const fn review(&self) -> &Review {
        &self.incoming.statement.review
    }

    /// The row's own ID, or one derived from the row.
    pub const fn id(&self) -> &ReviewId {
        &self.review().id
    }

    /// The author as the source names it, published or not.
    pub fn author(&self) -> &str {
        let hidden = self.incoming.hidden_name.as_deref();
        hidden.unwrap_or(&self.review().author)
    }

    /// Digests of what its source gives.
    pub fn digests(&self) -> Digests {
        let unpublished = &self.incoming.unpublished;
        let of_row = || Digests::new(self.review(), self.author(), unpublished.posted_at);
        unpublished.digests.unwrap_or_else(of_row)
    }

    /// Its day at the source.
    pub fn source_day(&self) -> Day {
        source_day(self.review(), self.incoming.unpublished.posted_at)
    }

    /// Its ID at the source, if the review has another one, which is `id`.
    pub fn id_at_source(&self, id: &ReviewId) -> Option<String> {
        let exported = self.incoming.unpublished.id_at_source.clone();
        let own = (self.incoming.has_own_id && self.id() != id).then(|| self.id().to_string());
        exported.or(own)
    }

    /// The business's location, by the source's name for it.
    pub fn location(&self) -> Option<&str> {
        self.incoming.unpublished.location.as_deref()
    }

    /// The name of its source.
    pub fn source(&self) -> &str {
        self.incoming.source_name().unwrap_or(SOURCE_DEFAULT)
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        let (review, unpublished) = (self.review(), &self.incoming.unpublished);
        let response = review.response.as_ref();
        let texts = [
            Some(self.author()),
            Some(self.source()),
            Some(review.id.as_str()),
            review.title.as_deref(),
            Some(&review.text),
            review.source.url.as_deref(),
            response.map(|response| response.text.as_str()),
            response.and_then(|response| response.author.as_deref()),
            unpublished.note.as_deref(),
            unpublished.id_at_source.as_deref(),
            review.status.reason(),
        ];
        texts.into_iter().flatten()
    }

    /// The memory that it takes.
    fn bytes(&self) -> usize {
        let review = self.review();
        let texts: usize = self.texts().map(str::len).sum();
        let Mentions {
            technicians,
            services,
            service_areas,
        } = &review.mentions;
        let names = technicians.iter().chain(services).chain(service_areas);
        let names: usize = names.map(|name| name.len() + 3 * BLOCK_BYTES).sum();
        // They are also in the lists of locations and sources.
        let places = self.location().map_or(0, str::len) + self.source().len();
        size_of::<Self>() + TEXTS_EACH * BLOCK_BYTES + texts + names + 4 * places
    }
}

/// Number of texts that a row has, about.
const TEXTS_EACH: usize = 8;

/// A deleted review, with what was kept of it if its id is not enough to find it in files of its source.
pub type DeletedRow = (ReviewId, Option<SourceRecord>);

#[derive(Debug)]
pub struct Collected {
    /// The business's calendar; a business in the files may set its time zone.
    pub calendar: Calendar,
    /// The rows of all files, in their order.
    pub rows: Vec<Row>,
    /// Reviews that the owner deleted, from our own exports.
    pub deleted: Vec<DeletedRow>,
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
        (watch, limits): (Watcher<'a>, Limits<'static>),
        columns: KeptColumns,
        places: &[PlaceCount],
    ) -> Self {
        let locations = places.iter().filter_map(|place| place.location.clone());
        let sources = places.iter().map(|place| place.source_name.clone());
        Self {
            request,
            watch,
            limits,
            has_business: request.business.is_some(),
            rows: (0, 0),
            format: &NATIVE,
            locations: BTreeMap::new(),
            location_names: locations.map(|name| (fold(&name), name)).collect(),
            source_names: sources.map(|name| (fold(&name), name)).collect(),
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

    /// Tells that all files have so many rows, or nearly so.
    pub fn expect_rows(&mut self, rows: usize) {
        self.collected.rows.reserve(rows);
        self.rows.1 = rows as u64;
    }

    /// Counts a row of the current file, and reports progress.
    fn count(&mut self) -> &mut FileReport {
        let (read, all) = &mut self.rows;
        *read += 1;
        self.watch.read(*read, *all);
        let files = &mut self.collected.report.files;
        let last = files.len() - 1;
        files[last].rows += 1;
        &mut files[last]
    }

    /// `tables` is the memory of the files' tables, which are not needed any more, and `merged` what the merge will keep of a row.
    ///
    /// # Errors
    /// When the reviews are of several locations and none was chosen, or are too many to be merged.
    pub fn finish(mut self, tables: usize, merged: usize) -> Result<Collected, FileError> {
        self.limits.give(tables);
        self.limits.take(self.collected.rows.len() * merged)?;
        let listed = |names: Vec<String>| names[..names.len().min(NAMED_MAX)].join(", ");
        let locations = &self.locations;
        match self.request.location.as_ref() {
            None if locations.len() > 1 => {
                let counts = locations
                    .iter()
                    .map(|(name, count)| format!("{name} ({count})"));
                let mut rows = self.collected.rows.iter();
                let ignore = if rows.any(|row| row.format.has_renames()) {
                    "; if the field is no location of the business, ignore it with --map location="
                } else {
                    ""
                };
                Err(FileError::new(format!(
                    "the reviews are of {} locations: {}; one service publishes one location; name it with --location{ignore}",
                    locations.len(),
                    listed(counts.collect()),
                )))
            }
            Some(chosen) if locations.is_empty() && !self.collected.rows.is_empty() => {
                Err(FileError::new(format!(
                    "--location {chosen}: no row names its location; leave --location out, and name the reviews of each location \
                     with --source"
                )))
            }
            Some(chosen)
                if !locations.is_empty()
                    && !locations.keys().any(|name| fold(name) == fold(chosen)) =>
            {
                Err(FileError::new(format!(
                    "--location {chosen}: no review is of that location; name one of {}",
                    listed(locations.keys().cloned().collect())
                )))
            }
            _ => Ok(self.collected),
        }
    }

    /// Begins a file; `name` is used in messages.
    pub fn begin(&mut self, name: String, format: &'static Format) -> Result<(), FileError> {
        if self.request.withdraw_missing && format.excerpts {
            let label = format.label;
            return Err(FileError::new(format!(
                "is {label}, which gives only some of the reviews, so a missing one may still exist; leave --withdraw-missing out"
            )));
        }
        self.format = format;
        self.collected.report.files.push(FileReport {
            name,
            format: format.name,
            rows: 0,
            rejected: 0,
        });
        Ok(())
    }

    /// Shows the current file, a table, before its rows are read.
    pub fn show(&mut self, tables: &ShownTables) {
        self.watch.table(tables);
    }

    /// Adds a review, or rejects its row with all its faults; `raw` returns the row as in the file.
    pub fn row(
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
        // The days of native records are those of the business, and their rows of several locations need no choice.
        if !self.format.is_native() {
            let has_instant = incoming.unpublished.posted_at.is_some()
                || incoming.unpublished.responded_at.is_some();
            if has_instant && self.collected.calendar.zone.is_none() {
                return Err(FileError::new(
                    "has times, whose days depend on the business's time zone, which is not set; run `reviews init --time-zone \
                     ZONE` first, for example America/Phoenix",
                ));
            }
            if let Some(location) = &mut incoming.unpublished.location {
                let name = compose(location.trim()).replace(char::is_control, " ");
                let names = &mut self.location_names;
                location.clone_from(names.entry(fold(&name)).or_insert(name));
                *self.locations.entry(location.clone()).or_default() += 1;
                let chosen = self.request.location.as_ref();
                if chosen.is_some_and(|chosen| fold(chosen) != fold(location)) {
                    self.count();
                    self.collected.report.elsewhere += 1;
                    return Ok(());
                }
            }
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
        let row = Row {
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
    pub fn note(&mut self, sentence: String) {
        if !self.collected.report.notes.contains(&sentence) {
            self.collected.report.notes.push(sentence);
        }
    }

    /// Adds a deletion by the owner; only in our own exports.
    pub fn deleted(&mut self, (id, mut kept): DeletedRow) -> Result<(), FileError> {
        self.count();
        let report = &mut self.collected.report;
        report.taken += 1;
        if self.request.run_of.is_some() {
            report.left_out_deletions += 1;
            return Ok(());
        }
        if let (Some(kept), Some(name)) = (&mut kept, &self.request.source) {
            kept.source_name.clone_from(name);
        }
        let location = kept.as_ref().and_then(|it| it.location.as_ref());
        let texts = location.map_or(0, String::len)
            + kept.as_ref().map_or(0, |it| it.source_name.len())
            + id.as_str().len();
        self.limits
            .take(3 * (size_of::<DeletedRow>() + TEXTS_EACH * BLOCK_BYTES + texts))?;
        self.collected.deleted.push((id, kept));
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
    pub fn business(&mut self, value: &Value) -> Result<(), FileError> {
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
    pub fn keep_columns(&mut self, record: &Value) {
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
    pub fn about_business(&mut self, value: &Value) -> Result<(), FileError> {
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
        self.business(business)?;
        // A business without a time zone is given UTC, which counts as not set.
        if !has_zone {
            self.collected.calendar.zone = None;
        }
        Ok(())
    }
}

// A review as its source states it: what is made of a row, and merged.

/// A review as its source states it: the result of reading one row, for every format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incoming {
    /// Its ID is the row's own, or one that is derived from the row.
    pub statement: Statement,
    pub has_own_id: bool,
    /// The author's name, if it is not published.
    pub hidden_name: Option<Box<str>>,
    /// Whether its answer is not published.
    pub is_answer_hidden: bool,
    /// Whether it is withheld for a value that the owner did not name.
    pub has_new_value: bool,
    /// When it last changed at the source: of rows with the same ID, the newest counts.
    pub changed_at: Option<DateTime<Utc>>,
    pub unpublished: Unpublished,
}

/// What a row has besides the review. All but the first three are only in our own exports.
#[serde_as]
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Unpublished {
    /// The business's location, by the source's name for it.
    pub location: Option<String>,
    /// Time of the review, if its source gave an instant.
    pub posted_at: Option<DateTime<Utc>>,
    /// Time of the owner's answer, if its source gave an instant.
    pub responded_at: Option<DateTime<Utc>>,
    /// The source's ID of the review if it has another one here.
    pub id_at_source: Option<String>,
    /// The source's own name, if the owner renamed it.
    pub imported_from: Option<String>,
    /// The owner's note.
    pub note: Option<String>,
    /// What the source last said.
    #[serde(deserialize_with = "said")]
    pub said: Option<Said>,
    /// Digests of what the source last gave, if they differ from those of the review.
    #[serde_as(as = "Option<DisplayFromStr>")]
    pub digests: Option<Digests>,
}

fn said<'de, D: Deserializer<'de>>(member: D) -> Result<Option<Said>, D::Error> {
    Ok(Option::<Value>::deserialize(member)?
        .as_ref()
        .map(Said::from))
}

impl Incoming {
    /// The source's own name, even if the owner renamed it; `None` if the row states none.
    pub fn source_name(&self) -> Option<&str> {
        let Statement {
            review, unstated, ..
        } = &self.statement;
        let named = (!unstated.contains(&Unit::Source)).then_some(review.source.name.as_str());
        self.unpublished.imported_from.as_deref().or(named)
    }

    /// Whether its source hides the review or a part of it.
    pub fn hides(&self) -> bool {
        self.statement.review.status != Status::Published || !self.hidden_parts().is_empty()
    }

    /// The members of the review that the source hides.
    pub fn hidden_parts(&self) -> Vec<&'static str> {
        let parts = [
            ("author", self.hidden_name.is_some()),
            ("response", self.is_answer_hidden),
        ];
        let parts = parts.into_iter();
        parts
            .filter_map(|(name, is_hidden)| is_hidden.then_some(name))
            .collect()
    }
}

/// Verification of a row without one: the owner who imports the row vouches for it.
pub const VOUCHED: Verification = Verification {
    verified: true,
    method: Method::Manual,
    verified_at: None,
};
