//! Takes in what the formats find: judges its days, counts it, and puts it on disk until it is
//! merged.
//!
//! Everything is read before anything is written, so that no other process waits for a lock while
//! we parse, and a file that cannot be read leaves nothing half done. What is held in memory does
//! not grow with the rows.

mod judge;
mod locations;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use judge::Judge;
use locations::Locations;

use super::calendar::Calendar;
use super::fields::Problem;
use super::file_error::FileError;
use super::incoming::Incoming;
use super::listing::Listing;
use super::report::{FileReport, Position, Rejection, Report, TableColumns, Watch};
use super::sink::{FileStart, Raw, RowSink};
use super::spool::{Spool, Staged};
use crate::business::Business;
use crate::reviews::{ReviewId, Stated};

/// What hears of the reading, and is handed from task to task with it.
pub(super) type Watcher<'a> = &'a mut (dyn Watch + Send);

/// What the caller says about the rows.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Terms<'a> {
    /// Whether the caller says what files call our fields.
    pub(super) has_renames: bool,
    /// The only location whose reviews are meant.
    pub(super) location: Option<&'a str>,
    /// Whether authors' names stay whole that were never public.
    pub(super) full_names: bool,
    /// Whether files of excerpts are refused.
    pub(super) is_whole: bool,
}

/// The intake of one import.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact about the import or its file, none a state"
)]
pub(super) struct Collector<'a> {
    now: DateTime<Utc>,
    /// The calendar to judge by.
    rules: Calendar,
    /// Whether the business's time zone was ever set.
    zone_known: bool,
    /// Whether the database, or a file before, has said whose reviews these are.
    business_known: bool,
    terms: Terms<'a>,
    watch: Watcher<'a>,
    rows: u64,
    authors_public: bool,
    /// Whether the file is our own: what it says was told apart before.
    is_own: bool,
    locations: Locations<'a>,
    collected: Collected,
}

/// What was taken in, ready to be merged.
#[derive(Debug)]
pub(super) struct Collected {
    /// What the files say of each review, deletions included, in the order of the rows.
    pub(super) spool: Spool,
    /// The business that came along.
    pub(super) business: Option<Business>,
    /// What is known so far.
    pub(super) report: Report,
}

impl<'a> Collector<'a> {
    /// An intake for a business, if there is one, whose time zone is this, if it was ever set.
    pub(super) fn new(
        now: DateTime<Utc>,
        business_known: bool,
        zone: Option<Tz>,
        terms: Terms<'a>,
        watch: Watcher<'a>,
    ) -> Result<Self, FileError> {
        let collected = Collected {
            spool: Spool::new().map_err(FileError::Staging)?,
            business: None,
            report: Report::default(),
        };
        let rules = Calendar::new(now, zone.unwrap_or(Tz::UTC));
        Ok(Self {
            now,
            rules,
            zone_known: zone.is_some(),
            business_known,
            terms,
            watch,
            rows: 0,
            authors_public: true,
            is_own: false,
            locations: Locations::new(terms.location),
            collected,
        })
    }

    /// Takes in what a location is called.
    pub(super) fn listing(&mut self, listing: Listing) {
        self.locations.name(listing);
    }

    /// Counts a row of the current file, whatever becomes of it, and tells the watcher.
    fn count(&mut self) {
        self.rows += 1;
        self.watch.read(self.rows);
        if let Some(file) = self.collected.report.files.last_mut() {
            file.rows += 1;
        }
    }

    fn keep(&mut self, staged: &Staged) -> Result<(), FileError> {
        self.collected.report.taken += 1;
        self.collected
            .spool
            .push(staged)
            .map_err(FileError::Staging)
    }

    /// What was taken in.
    ///
    /// # Errors
    /// Where the reviews are of several locations and nobody has said which is meant.
    pub(super) fn finish(mut self) -> Result<Collected, FileError> {
        self.collected.report.listing = self.locations.listing()?;
        Ok(self.collected)
    }
}

impl RowSink for Collector<'_> {
    fn begin(&mut self, file: FileStart) -> Result<(), FileError> {
        if self.terms.has_renames && !file.format.renames {
            return Err(FileError::MapUnused(file.format.name));
        }
        if self.terms.is_whole && file.format.excerpts {
            return Err(FileError::Excerpts(file.format.label));
        }
        self.authors_public = file.format.authors_public;
        self.is_own = file.format.is_own();
        self.collected.report.files.push(FileReport {
            name: file.name,
            format: file.format.name,
            rows: 0,
            rejected: 0,
        });
        Ok(())
    }

    fn table(&mut self, columns: &TableColumns) {
        if let Some(file) = self.collected.report.files.last() {
            self.watch.table(&file.name, columns);
        }
    }

    fn review(&mut self, at: Position, incoming: Incoming, raw: Raw<'_>) -> Result<(), FileError> {
        let response = matches!(&incoming.response, Stated::Given(its) if its.posted.as_ref().is_some_and(|its| its.posted.instant().is_some()));
        if !self.zone_known && (response || incoming.posted.posted.instant().is_some()) {
            return Err(FileError::NoTimeZone);
        }
        let location = incoming.location.as_deref();
        if location.is_some_and(|its| !self.is_own && !self.locations.is_meant(its)) {
            self.count();
            self.collected.report.elsewhere += 1;
            return Ok(());
        }
        let judge = Judge {
            calendar: &self.rules,
            shortens_authors: !self.authors_public && !self.terms.full_names,
        };
        match judge.staged(incoming) {
            Ok(review) => {
                self.count();
                self.keep(&Staged::Review(Box::new(review)))
            }
            Err(problems) => self.reject(at, raw, problems),
        }
    }

    fn deleted(&mut self, _at: Position, id: ReviewId) -> Result<(), FileError> {
        self.count();
        self.keep(&Staged::Deleted(id))
    }

    fn reject(
        &mut self,
        at: Position,
        raw: Raw<'_>,
        problems: Vec<Problem>,
    ) -> Result<(), FileError> {
        self.count();
        let Some(file) = self.collected.report.files.last_mut() else {
            return Ok(());
        };
        file.rejected += 1;
        self.collected.report.rejected += 1;
        let error = problems
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("; ");
        let rejection = Rejection {
            file: file.name.clone(),
            at,
            error,
            row: raw(),
        };
        self.watch.rejected(rejection).map_err(FileError::Rejects)
    }

    fn business(
        &mut self,
        business: &mut dyn FnMut() -> Result<Business, FileError>,
    ) -> Result<(), FileError> {
        if self.business_known {
            return Ok(());
        }
        let business = business()?;
        let earlier = self.collected.report.files.len() > 1;
        if earlier && business.time_zone != Tz::UTC {
            return Err(FileError::BusinessLate(
                business.time_zone.name().to_owned(),
            ));
        }
        self.rules = Calendar::new(self.now, business.time_zone);
        self.zone_known = true;
        self.business_known = true;
        self.collected.report.business = Some(business.name.clone());
        self.collected.business = Some(business);
        Ok(())
    }
}
