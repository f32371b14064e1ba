//! Takes in what the formats find: judges its days, counts it, and puts it on disk until it is
//! merged.
//!
//! Everything is read before anything is written, so that no other process waits for a lock while
//! we parse, and a file that cannot be read leaves nothing half done. What is held in memory does
//! not grow with the rows.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::authors::shortened;
use super::calendar::Calendar;
use super::fields::Problem;
use super::file_error::FileError;
use super::incoming::{Dated, Incoming, Posted};
use super::listing::Listing;
use super::report::{FileReport, Position, Rejection, Report, Watch};
use super::sink::{FileStart, Raw, RowSink};
use super::spool::{Spool, Staged, StagedReview};
use crate::business::Business;
use crate::reviews::{
    Day, Method, NOT_VERIFIED, Response, Review, ReviewId, Source, Stated, Statement, Status, Unit,
    Units, Verification,
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
    locations: BTreeMap<String, u64>,
    /// What locations are called.
    listings: BTreeMap<String, String>,
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
        let (rows, locations, listings) = (0, BTreeMap::new(), BTreeMap::new());
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
            listings,
            collected,
        })
    }

    /// Takes in what a location is called.
    pub(super) fn listing(&mut self, listing: Listing) {
        if self.listings.len() < LOCATIONS_MAX {
            self.listings.insert(listing.location, listing.name);
        }
    }

    /// The review as it is staged, its days judged by the calendar of the business.
    #[expect(
        clippy::too_many_lines,
        reason = "to be split: lines are shorter than when it was written"
    )]
    fn judged(&self, incoming: Incoming) -> Result<StagedReview, Vec<Problem>> {
        let mut wrong = Vec::new();
        let unsaid = unsaid(&incoming);
        let decided = decided(&incoming.decided)
            .map_err(|problem| wrong.push(problem))
            .unwrap_or_default();
        let date = self
            .day(&incoming.posted)
            .map_err(|problem| wrong.push(problem))
            .ok();
        let mut responded_at = None;
        let response = incoming.response.given().map(|response| {
            let posted = response.posted.as_ref();
            responded_at = posted.and_then(|dated| dated.posted.instant());
            let date = posted.map(|posted| self.day(posted)).transpose();
            let date = date.map_err(|problem| wrong.push(problem)).ok().flatten();
            Response {
                text: response.text,
                date,
                author: response.author,
            }
        });
        let (Some(date), true) = (date, wrong.is_empty()) else {
            return Err(wrong);
        };
        let author = if self.authors_public || self.terms.full_names {
            incoming.author
        } else {
            shortened(&incoming.author)
        };
        // Whoever imports a row that does not say vouches for it.
        let vouched = || Verification {
            verified: true,
            method: Method::Manual,
            verified_at: None,
        };
        let verification = incoming.verification.given().unwrap_or_else(vouched);
        let default = if verification.verified {
            Status::Published
        } else {
            Status::Withheld {
                reason: Some(NOT_VERIFIED.to_owned()),
            }
        };
        let review = Review {
            id: incoming.id,
            rating: incoming.rating,
            date,
            author,
            title: incoming.title.given(),
            text: incoming.text,
            language: incoming.language.given(),
            source: incoming.source.given().unwrap_or_else(|| Source {
                name: SOURCE_DEFAULT.to_owned(),
                url: None,
            }),
            verification,
            mentions: incoming.mentions.given().unwrap_or_default(),
            response,
            status: incoming.status.given().unwrap_or(default),
            updated_at: incoming.updated_at,
        };
        let posted = incoming.posted.posted.instant();
        let noted = incoming.noted;
        Ok(StagedReview {
            said: Statement {
                review,
                unsaid,
                decided,
            },
            location: incoming.location,
            posted_at: posted.or(noted.posted_at),
            responded_at: responded_at.or(noted.responded_at),
            source_name: noted.source_name,
        })
    }

    /// The plausible day on which something was written.
    fn day(&self, dated: &Dated) -> Result<Day, Problem> {
        let problem = |message: String| Problem {
            path: dated.path.to_string(),
            message,
        };
        let day = match dated.posted {
            Posted::Day(day) => day,
            Posted::Instant(instant) => self
                .rules
                .day_of(instant)
                .ok_or_else(|| problem("is outside of the years 1 to 9999".to_owned()))?,
        };
        self.rules.plausible(day).map_err(problem)
    }

    /// Counts a row of the current file, whatever becomes of it, and tells the watcher.
    fn count(&mut self) {
        self.rows += 1;
        self.watch.read(self.rows);
        if let Some(file) = self.collected.report.files.last_mut() {
            file.rows += 1;
        }
    }

    /// Whether the review is of a location that is meant.
    fn is_meant(&mut self, location: Option<&str>) -> bool {
        let Some(location) = location.filter(|_| !self.is_own) else {
            return true;
        };
        if self.locations.len() < LOCATIONS_MAX || self.locations.contains_key(location) {
            *self.locations.entry(location.to_owned()).or_default() += 1;
        }
        self.terms
            .location
            .is_none_or(|meant| self.is_called(location, meant))
    }

    /// Whether the location has that number or that name.
    fn is_called(&self, location: &str, meant: &str) -> bool {
        let name = self.listings.get(location);
        location == meant || name.is_some_and(|name| name == meant)
    }

    /// The location with its name, where that is known.
    fn called(&self, location: &str) -> String {
        match self.listings.get(location) {
            Some(name) => format!("{location} {name}"),
            None => location.to_owned(),
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
        let taken = match self.terms.location {
            None => self.locations.keys().next(),
            Some(meant) => self
                .locations
                .keys()
                .find(|location| self.is_called(location, meant)),
        };
        match self.terms.location {
            None if self.locations.len() > 1 => {
                let counted = |(location, count): (&String, &u64)| (self.called(location), *count);
                Err(FileError::Locations(
                    self.locations.iter().map(counted).collect(),
                ))
            }
            Some(meant) if !self.locations.is_empty() && taken.is_none() => {
                Err(FileError::NoSuchLocation {
                    meant: meant.to_owned(),
                    there: self
                        .locations
                        .keys()
                        .map(|location| self.called(location))
                        .collect(),
                })
            }
            Some(_) | None => {
                let name = taken.and_then(|location| self.listings.get(location));
                self.collected.report.listing = name.cloned();
                Ok(self.collected)
            }
        }
    }
}

fn unsaid(incoming: &Incoming) -> Units {
    let stated = [
        (Unit::Title, incoming.title.is_stated()),
        (Unit::Language, incoming.language.is_stated()),
        (Unit::Source, incoming.source.is_stated()),
        // A row that says it is not verified says that it shall not appear.
        (
            Unit::Status,
            incoming.status.is_stated()
                || matches!(&incoming.verification, Stated::Given(its) if !its.verified),
        ),
        (Unit::Verification, incoming.verification.is_stated()),
        (Unit::Response, incoming.response.is_stated()),
        (Unit::Mentions, incoming.mentions.is_stated()),
    ];
    stated
        .into_iter()
        .filter(|(_, is_stated)| !is_stated)
        .map(|(unit, _)| unit)
        .collect()
}

fn decided(names: &[String]) -> Result<Units, Problem> {
    let unit = |name: &String| {
        let known = || Unit::ALL.map(Unit::name).join(", ");
        Unit::find(name).ok_or_else(|| Problem {
            path: "decided".to_owned(),
            message: format!(
                "`{name}` is no field that an owner decides; take those of {}",
                known()
            ),
        })
    };
    names.iter().map(unit).collect()
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

    fn review(&mut self, at: Position, incoming: Incoming, raw: Raw<'_>) -> Result<(), FileError> {
        let response = matches!(&incoming.response, Stated::Given(its) if its.posted.as_ref().is_some_and(|its| its.posted.instant().is_some()));
        if !self.zone_known && (response || incoming.posted.posted.instant().is_some()) {
            return Err(FileError::NoTimeZone);
        }
        if !self.is_meant(incoming.location.as_deref()) {
            self.count();
            self.collected.report.elsewhere += 1;
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
