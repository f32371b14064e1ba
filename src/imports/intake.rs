//! Takes in what the formats find: judges its days, counts it, and puts it on disk until it is merged.
//!
//! Everything is read before anything is written, so that no other process waits for a lock while we parse, and a file
//! that cannot be read leaves nothing half done. What is held in memory does not grow with the rows.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::authors::shortened;
use super::fault::Fault;
use super::fields::Problem;
use super::incoming::{Dated, Incoming, Posted};
use super::report::{FileReport, Position, Rejection, Report, Watch};
use super::rules::Rules;
use super::sink::{FileStart, Raw, RowSink};
use super::spool::{Spool, Staged, StagedReview};
use crate::business::Business;
use crate::reviews::{
    Day, Method, NOT_VERIFIED, Response, Review, ReviewId, Source, Stated, Statement, Status, Unit, Units, Verification,
};

/// Where a review is from that does not say.
const SOURCE_DEFAULT: &str = "Direct";
/// How many locations are told apart.
const LOCATIONS_MAX: usize = 1000;

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
#[expect(clippy::struct_excessive_bools, reason = "each is a fact about the import or its file, none a state")]
pub(super) struct Intake<'a> {
    now: DateTime<Utc>,
    /// The calendar to judge by.
    rules: Rules,
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
    locations: BTreeMap<String, u64>,
    gathered: Gathered,
}

/// What was taken in, ready to be merged.
#[derive(Debug)]
pub(super) struct Gathered {
    /// The rows.
    pub(super) spool: Spool,
    /// The business that came along.
    pub(super) business: Option<Business>,
    /// What is known so far.
    pub(super) report: Report,
}

impl<'a> Intake<'a> {
    /// An intake for a business, if there is one, whose time zone is this, if it was ever set.
    pub(super) fn new(
        now: DateTime<Utc>,
        business_known: bool,
        zone: Option<Tz>,
        terms: Terms<'a>,
        watch: Watcher<'a>,
    ) -> Result<Self, Fault> {
        let gathered = Gathered { spool: Spool::new().map_err(Fault::Staging)?, business: None, report: Report::default() };
        let rules = Rules::new(now, zone.unwrap_or(Tz::UTC));
        let (rows, locations) = (0, BTreeMap::new());
        Ok(Self {
            now,
            rules,
            zone_known: zone.is_some(),
            business_known,
            terms,
            watch,
            rows,
            authors_public: true,
            is_own: false,
            locations,
            gathered,
        })
    }

    /// The review as it is staged, its days judged by the calendar of the business.
    fn judged(&self, incoming: Incoming) -> Result<StagedReview, Vec<Problem>> {
        let mut wrong = Vec::new();
        let unsaid = unsaid(&incoming);
        let decided = decided(&incoming.decided).map_err(|problem| wrong.push(problem)).unwrap_or_default();
        let date = self.day(&incoming.posted).map_err(|problem| wrong.push(problem)).ok();
        let mut responded_at = None;
        let response = incoming.response.given().map(|response| {
            let posted = response.posted.as_ref();
            responded_at = posted.and_then(|dated| dated.posted.instant());
            let date = posted.map(|posted| self.day(posted)).transpose();
            let date = date.map_err(|problem| wrong.push(problem)).ok().flatten();
            Response { text: response.text, date, author: response.author }
        });
        let (Some(date), true) = (date, wrong.is_empty()) else { return Err(wrong) };
        let author = if self.authors_public || self.terms.full_names { incoming.author } else { shortened(&incoming.author) };
        // Whoever imports a row that does not say vouches for it.
        let vouched = || Verification { verified: true, method: Method::Manual, verified_at: None };
        let verification = incoming.verification.given().unwrap_or_else(vouched);
        let default =
            if verification.verified { Status::Published } else { Status::Withheld { reason: Some(NOT_VERIFIED.to_owned()) } };
        let review = Review {
            id: incoming.id,
            rating: incoming.rating,
            date,
            author,
            title: incoming.title.given(),
            text: incoming.text,
            language: incoming.language.given(),
            source: incoming.source.given().unwrap_or_else(|| Source { name: SOURCE_DEFAULT.to_owned(), url: None }),
            verification,
            mentions: incoming.mentions.given().unwrap_or_default(),
            response,
            status: incoming.status.given().unwrap_or(default),
            updated_at: incoming.updated_at,
        };
        let posted_at = incoming.posted.posted.instant();
        Ok(StagedReview { said: Statement { review, unsaid, decided }, location: incoming.location, posted_at, responded_at })
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

    /// Whether the review is of a location that is meant.
    fn is_meant(&mut self, location: Option<&str>) -> bool {
        let Some(location) = location.filter(|_| !self.is_own) else { return true };
        if self.locations.len() < LOCATIONS_MAX || self.locations.contains_key(location) {
            *self.locations.entry(location.to_owned()).or_default() += 1;
        }
        self.terms.location.is_none_or(|meant| meant == location)
    }

    fn keep(&mut self, staged: &Staged) -> Result<(), Fault> {
        self.gathered.report.taken += 1;
        self.gathered.spool.push(staged).map_err(Fault::Staging)
    }

    /// What was taken in.
    ///
    /// # Errors
    /// Where the reviews are of several locations and nobody has said which is meant.
    pub(super) fn finish(self) -> Result<Gathered, Fault> {
        match self.terms.location {
            None if self.locations.len() > 1 => Err(Fault::Locations(self.locations.into_iter().collect())),
            Some(meant) if !self.locations.is_empty() && !self.locations.contains_key(meant) => {
                Err(Fault::NoSuchLocation { meant: meant.to_owned(), there: self.locations.into_keys().collect() })
            }
            Some(_) | None => Ok(self.gathered),
        }
    }
}

fn unsaid(incoming: &Incoming) -> Units {
    let stated = [
        (Unit::Title, incoming.title.is_stated()),
        (Unit::Language, incoming.language.is_stated()),
        (Unit::Source, incoming.source.is_stated()),
        // A row that says it is not verified says that it shall not appear.
        (Unit::Status, incoming.status.is_stated() || matches!(&incoming.verification, Stated::Given(its) if !its.verified)),
        (Unit::Verification, incoming.verification.is_stated()),
        (Unit::Response, incoming.response.is_stated()),
        (Unit::Mentions, incoming.mentions.is_stated()),
    ];
    stated.into_iter().filter(|(_, is_stated)| !is_stated).map(|(unit, _)| unit).collect()
}

fn decided(names: &[String]) -> Result<Units, Problem> {
    let unit = |name: &String| {
        let known = || Unit::ALL.map(Unit::name).join(", ");
        Unit::find(name).ok_or_else(|| Problem {
            path: "decided".to_owned(),
            message: format!("`{name}` is no field that an owner decides; take those of {}", known()),
        })
    };
    names.iter().map(unit).collect()
}

impl RowSink for Intake<'_> {
    fn begin(&mut self, file: FileStart) -> Result<(), Fault> {
        if self.terms.has_renames && !file.format.renames {
            return Err(Fault::MapUnused(file.format.name));
        }
        if self.terms.is_whole && file.format.excerpts {
            return Err(Fault::Excerpts(file.format.label));
        }
        self.authors_public = file.format.authors_public;
        self.is_own = file.format.is_own();
        self.gathered.report.files.push(FileReport { name: file.name, format: file.format.name, rows: 0, rejected: 0 });
        Ok(())
    }

    fn review(&mut self, at: Position, incoming: Incoming, raw: Raw<'_>) -> Result<(), Fault> {
        let response = matches!(&incoming.response, Stated::Given(its) if its.posted.as_ref().is_some_and(|its| its.posted.instant().is_some()));
        if !self.zone_known && (response || incoming.posted.posted.instant().is_some()) {
            return Err(Fault::NoTimeZone);
        }
        if !self.is_meant(incoming.location.as_deref()) {
            self.count();
            self.gathered.report.elsewhere += 1;
            return Ok(());
        }
        match self.judged(incoming) {
            Ok(review) => {
                self.count();
                self.keep(&Staged::Review(Box::new(review)))
            }
            Err(problems) => self.reject(at, raw, problems),
        }
    }

    fn deleted(&mut self, _at: Position, id: ReviewId) -> Result<(), Fault> {
        self.count();
        self.keep(&Staged::Deleted(id))
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
        self.zone_known = true;
        self.business_known = true;
        self.gathered.report.business = Some(business.name.clone());
        self.gathered.business = Some(business);
        Ok(())
    }
}
