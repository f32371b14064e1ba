//! Takes in what the formats find: counts it, drops what is repeated, and keeps the rest until it is written.
//!
//! Everything is read before anything is written, so that no other process waits for a lock while we parse, and a file
//! that cannot be read leaves nothing half done. The bound is that of the input (`INPUT_BYTES_MAX`).

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde_json::Value;
use sqlx::{Sqlite, Transaction};

use super::detect::Format;
use super::fault::Fault;
use super::rename::Rename;
use super::report::{FileReport, Position, Rejection, Report, Watch};
use super::rules::Rules;
use crate::business::{self, Business};
use crate::reviews::{Review, ReviewId, Status, store};

/// How many reviews one statement writes. Larger batches are hardly quicker, and cost memory.
const BATCH: usize = 250;
/// How withheld reviews are counted that do not say why; the same word as in the published counts.
const REASON_DEFAULT: &str = "not stated";

/// What hears of the reading, and is handed from task to task with it.
pub(super) type Watcher<'a> = &'a mut (dyn Watch + Send);

/// The intake of one import.
pub(super) struct Intake<'a> {
    now: DateTime<Utc>,
    rules: Rules,
    /// Whether the database, or a file before, has said whose reviews these are.
    business_known: bool,
    renames: &'a [Rename],
    watch: Watcher<'a>,
    rows: u64,
    gathered: Gathered,
    places: HashMap<ReviewId, usize>,
}

/// What was taken in, ready to be written.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    reviews: Vec<Review>,
    business: Option<Business>,
    report: Report,
}

impl<'a> Intake<'a> {
    /// An intake for the business that the database knows, if it does.
    pub(super) fn new(now: DateTime<Utc>, known: Option<&Business>, renames: &'a [Rename], watch: Watcher<'a>) -> Self {
        let zone = known.map_or(Tz::UTC, |business| business.time_zone);
        let (rules, gathered, places) = (Rules::new(now, zone), Gathered::default(), HashMap::new());
        Self { now, rules, business_known: known.is_some(), renames, watch, rows: 0, gathered, places }
    }

    /// What comes next is from this file.
    pub(super) fn begin(&mut self, name: String, format: &Format) -> Result<(), Fault> {
        if !self.renames.is_empty() && !format.renames {
            return Err(Fault::MapUnused(format.name));
        }
        self.gathered.report.files.push(FileReport { name, format: format.name, rows: 0, rejected: 0 });
        Ok(())
    }

    /// The calendar to judge by.
    pub(super) const fn rules(&self) -> Rules {
        self.rules
    }

    /// What the file calls our fields.
    pub(super) const fn renames(&self) -> &'a [Rename] {
        self.renames
    }

    /// Takes a row: the review made of it, or why there is none. `row` is asked for only in the latter case.
    pub(super) fn take(&mut self, at: Position, made: Result<Review, String>, row: impl FnOnce() -> Value) -> Result<(), Fault> {
        self.rows += 1;
        self.watch.read(self.rows);
        let Some(file) = self.gathered.report.files.last_mut() else { return Ok(()) };
        file.rows += 1;
        match made {
            Ok(review) => self.keep(review),
            Err(error) => {
                file.rejected += 1;
                self.gathered.report.rejected += 1;
                let rejection = Rejection { file: file.name.clone(), at, error, row: row() };
                self.watch.rejected(rejection).map_err(Fault::Rejects)?;
            }
        }
        Ok(())
    }

    /// Takes the business that a file brings along. Counts only where there is none yet.
    pub(super) fn bring(&mut self, business: impl FnOnce() -> Result<Business, Fault>) -> Result<(), Fault> {
        if self.business_known {
            return Ok(());
        }
        let business = business()?;
        let earlier = self.gathered.report.files.len() > 1;
        if earlier && business.time_zone != Tz::UTC {
            return Err(Fault::BusinessLate(business.time_zone.name().to_owned()));
        }
        self.rules = Rules::new(self.now, business.time_zone);
        self.business_known = true;
        self.gathered.report.business = Some(business.name.clone());
        self.gathered.business = Some(business);
        Ok(())
    }

    /// The newest `updated_at` wins; where that does not decide, the later row.
    fn keep(&mut self, review: Review) {
        match self.places.entry(review.id.clone()) {
            Entry::Vacant(place) => {
                place.insert(self.gathered.reviews.len());
                self.gathered.reviews.push(review);
            }
            Entry::Occupied(place) => {
                self.gathered.report.repeated += 1;
                let kept = &mut self.gathered.reviews[*place.get()];
                let older = kept.updated_at.zip(review.updated_at).is_some_and(|(kept, new)| new < kept);
                if !older {
                    *kept = review;
                }
            }
        }
    }

    /// What was taken in.
    pub(super) fn finish(mut self) -> Gathered {
        for review in &self.gathered.reviews {
            if let Status::Withheld { reason } = &review.status {
                let reason = reason.as_deref().unwrap_or(REASON_DEFAULT).to_owned();
                *self.gathered.report.withheld.entry(reason).or_default() += 1;
            }
        }
        self.gathered
    }
}

impl Gathered {
    /// Writes everything within `write`, which the caller commits.
    pub(super) async fn write(
        mut self,
        write: &mut Transaction<'static, Sqlite>,
        now: DateTime<Utc>,
        watch: Watcher<'_>,
    ) -> sqlx::Result<Report> {
        if let Some(business) = &self.business {
            business::replace(write, business).await?;
        }
        let of = self.reviews.len();
        for (batch, done) in self.reviews.chunks(BATCH).zip((1..).map(|batch: usize| batch * BATCH)) {
            self.report.written.add(store::upsert(write, batch, now).await?);
            watch.written(done.min(of), of);
        }
        Ok(self.report)
    }
}
