//! Collects the rows of all formats: checks their days, counts the rows, and stages them on disk until the merge.
//!
//! Everything is read before anything is written, so that no other process waits for a lock during parsing, and a file
//! that cannot be read leaves nothing half done. Memory does not grow with the number of rows.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde_json::{Value, json};

use crate::imports::file_error::FileError;
use crate::imports::map::fields::FieldError;
use crate::imports::map::values::{shortened, without_address};
use crate::imports::map::{Calendar, Comment, Incoming, Noted, Posted, Stated, business};
use crate::imports::merge::{Staged, StagedReview};
use crate::imports::platforms::{Format, native};
use crate::imports::read::budget::Budget;
use crate::imports::report::{
    FileReport, ImportReport, Position, Rejection, TableColumns, Watcher,
};
use crate::imports::request::ImportRequest;
use crate::model::business::{Business, Editorial};
use crate::model::{ReviewId, Source};
use crate::storage::imports::Staging;

/// Returns the row as in the file; called only if the row is rejected.
pub type Raw<'r> = &'r dyn Fn() -> Value;

/// Maximum number of a table's first reviews that a dry run shows.
const SAMPLES: u8 = 3;

pub struct Collector<'a> {
    /// Whether the database or an earlier file has a business.
    business_known: bool,
    pub request: &'a ImportRequest,
    pub budget: &'a Budget,
    watch: Watcher<'a>,
    rows: u64,
    /// Of the current file.
    format: &'static Format,
    /// Number of samples of the current table that a dry run still shows.
    samples_left: u8,
    locations: Locations<'a>,
    collected: Collected,
}

#[derive(Debug)]
pub struct Collected {
    pub calendar: Calendar,
    /// The rows of all files, deletions included.
    pub staging: Staging,
    /// The business in the files.
    pub business: Option<Business>,
    /// The editorial texts in the files.
    pub editorial: Option<Editorial>,
    /// The report so far.
    pub report: ImportReport,
}

impl<'a> Collector<'a> {
    pub fn new(
        calendar: Calendar,
        business_known: bool,
        request: &'a ImportRequest,
        budget: &'a Budget,
        watch: Watcher<'a>,
    ) -> Result<Self, FileError> {
        let collected = Collected {
            calendar,
            staging: Staging::new().map_err(FileError::staging)?,
            business: None,
            editorial: None,
            report: ImportReport::default(),
        };
        Ok(Self {
            business_known,
            request,
            budget,
            watch,
            rows: 0,
            format: &native::FORMAT,
            samples_left: 0,
            locations: Locations {
                meant: request.location.as_deref(),
                ..Locations::default()
            },
            collected,
        })
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

    fn keep(&mut self, staged: &Staged) -> Result<(), FileError> {
        self.collected.report.taken += 1;
        let file = self.collected.report.files.len();
        staged
            .push(file, &mut self.collected.staging)
            .map_err(FileError::staging)
    }

    /// # Errors
    /// When the reviews are of several locations and none was chosen.
    pub fn finish(mut self) -> Result<Collected, FileError> {
        self.collected.report.listing = self.locations.listing()?;
        Ok(self.collected)
    }

    /// The business's calendar; a business in the files may set its time zone.
    pub const fn calendar(&self) -> Calendar {
        self.collected.calendar
    }

    /// Begins a file; `name` is used in messages.
    pub fn begin(&mut self, name: String, format: &'static Format) -> Result<(), FileError> {
        self.use_format(format)?;
        self.samples_left = 0;
        self.collected.report.files.push(FileReport {
            name,
            format: format.name,
            rows: 0,
            rejected: 0,
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
        if self.request.dry_run {
            self.samples_left = SAMPLES;
        }
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
        if !is_own {
            incoming.author = without_address(&incoming.author);
        }
        if !self.format.authors_public && !self.request.full_names {
            incoming.author = shortened(&incoming.author);
        }
        let noted = std::mem::take(&mut stated.noted);
        let review = StagedReview {
            changed_at: stated.updated.map(Posted::instant_or_midnight),
            location: stated.location.take(),
            has_id: !stated.is_digest,
            noted: Noted {
                posted_at: posted_at.or(noted.posted_at),
                responded_at: responded_at.or(noted.responded_at),
                ..noted
            },
            said: incoming.statement(),
        };
        self.count();
        if self.samples_left > 0 {
            self.samples_left -= 1;
            self.watch.sample(&at, &review.said.review);
        }
        self.keep(&Staged::Review(Box::new(review)))
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
        let answer = json!(comment.answer).to_string();
        let staging = &mut self.collected.staging;
        let pushed = staging.push_answer(comment.review.as_str(), &writer, &answer);
        pushed.map_err(FileError::staging)
    }

    /// Adds a deletion by the owner; only in our own exports.
    pub fn deleted(&mut self, id: ReviewId) -> Result<(), FileError> {
        self.count();
        self.keep(&Staged::Deleted(id))
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
