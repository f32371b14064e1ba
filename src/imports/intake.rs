//! Takes in what the formats find: counts it, drops what is repeated, and keeps the rest until it is written.
//!
//! Everything is read before anything is written, so that no other process waits for a lock while we parse, and a file
//! that cannot be read leaves nothing half done. The bound is that of the input (`INPUT_BYTES_MAX`).

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use sqlx::{Sqlite, Transaction};

use super::fault::Fault;
use super::fields::Problem;
use super::incoming::{Dated, Incoming, Posted};
use super::rename::Rename;
use super::report::{FileReport, Position, Rejection, Report, Watch};
use super::rules::Rules;
use super::sink::{FileStart, Raw, RowSink};
use crate::business::{self, Business};
use crate::reviews::{Day, Method, Response, Review, ReviewId, Source, Status, Verification, store};

/// How many reviews one statement writes. Larger batches are hardly quicker, and cost memory.
const BATCH: usize = 250;
/// How withheld reviews are counted that do not say why; the same word as in the published counts.
const REASON_DEFAULT: &str = "not stated";
/// Where a review is from that does not say.
const SOURCE_DEFAULT: &str = "Direct";

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

    /// The review, its days judged by the calendar of the business.
    fn judged(&self, incoming: Incoming) -> Result<Review, Vec<Problem>> {
        let mut wrong = Vec::new();
        let date = self.day(&incoming.posted).map_err(|problem| wrong.push(problem)).ok();
        let response = incoming.response.given().map(|response| {
            let date = response.posted.as_ref().map(|posted| self.day(posted)).transpose();
            let date = date.map_err(|problem| wrong.push(problem)).ok().flatten();
            Response { text: response.text, date, author: response.author }
        });
        let (Some(date), true) = (date, wrong.is_empty()) else { return Err(wrong) };
        Ok(Review {
            id: incoming.id,
            rating: incoming.rating,
            date,
            author: incoming.author,
            title: incoming.title.given(),
            text: incoming.text,
            language: incoming.language.given(),
            source: incoming.source.given().unwrap_or_else(|| Source { name: SOURCE_DEFAULT.to_owned(), url: None }),
            // Whoever imports a row that does not say vouches for it.
            verification: incoming.verification.given().unwrap_or(Verification {
                verified: true,
                method: Method::Manual,
                verified_at: None,
            }),
            mentions: incoming.mentions.given().unwrap_or_default(),
            response,
            status: incoming.status.given().unwrap_or(Status::Published),
            updated_at: incoming.updated_at,
        })
    }

    /// The plausible day on which something was written.
    fn day(&self, dated: &Dated) -> Result<Day, Problem> {
        let problem = |message: String| Problem { path: dated.path.to_string(), message };
        let day = match dated.posted {
            Posted::Day(day) => day,
            Posted::Instant(instant) => {
                self.rules.day_of(instant).ok_or_else(|| problem("is outside of the years 1 to 9999".to_owned()))?
            }
        };
        self.rules.plausible(day).map_err(problem)
    }

    /// Counts a row.
    fn count(&mut self) {
        self.rows += 1;
        self.watch.read(self.rows);
        if let Some(file) = self.gathered.report.files.last_mut() {
            file.rows += 1;
        }
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

impl RowSink for Intake<'_> {
    fn begin(&mut self, file: FileStart) -> Result<(), Fault> {
        if !self.renames.is_empty() && !file.format.renames {
            return Err(Fault::MapUnused(file.format.name));
        }
        self.gathered.report.files.push(FileReport { name: file.name, format: file.format.name, rows: 0, rejected: 0 });
        Ok(())
    }

    fn review(&mut self, at: Position, incoming: Incoming, raw: Raw<'_>) -> Result<(), Fault> {
        match self.judged(incoming) {
            Ok(review) => {
                self.count();
                self.keep(review);
                Ok(())
            }
            Err(problems) => self.reject(at, raw, problems),
        }
    }

    fn deleted(&mut self, _at: Position, _id: ReviewId) -> Result<(), Fault> {
        self.count();
        Ok(())
    }

    fn reject(&mut self, at: Position, raw: Raw<'_>, problems: Vec<Problem>) -> Result<(), Fault> {
        self.count();
        let Some(file) = self.gathered.report.files.last_mut() else { return Ok(()) };
        file.rejected += 1;
        self.gathered.report.rejected += 1;
        let error = problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        let rejection = Rejection { file: file.name.clone(), at, error, row: raw() };
        self.watch.rejected(rejection).map_err(Fault::Rejects)
    }

    fn business(&mut self, business: &mut dyn FnMut() -> Result<Business, Fault>) -> Result<(), Fault> {
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
