//! Takes in what the formats find: judges its days, counts it, and puts it on disk until it is
//! merged.
//!
//! Everything is read before anything is written, so that no other process waits for a lock while
//! we parse, and a file that cannot be read leaves nothing half done. What is held in memory does
//! not grow with the rows.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde_json::Value;

use super::ImportRequest;
use super::fields::Problem;
use super::file_error::FileError;
use super::format::Format;
use super::incoming::{Comment, Dated, Incoming, IncomingResponse, Posted};
use super::report::{FileReport, Position, Rejection, Report, TableColumns, Watch};
use super::sources::folder::Listing;
use super::store::{Staged, StagedAnswer, StagedReview, Staging};
use super::time_zone::Calendar;
use super::values::shortened;
use super::{editorial, profile};
use crate::model::business::{Business, Editorial};
use crate::model::{
    Day, Method, NOT_VERIFIED, Response, Review, ReviewId, Source, Stated, Statement, Status, Unit,
    Units, Verification,
};

/// What hears of the reading, and is handed from task to task with it.
pub(super) type Watcher<'a> = &'a mut (dyn Watch + Send);

/// The row as it stood in the file, for whoever mends it: asked for only where it is rejected.
pub(super) type Raw<'r> = &'r dyn Fn() -> Value;

/// How many of a table's first reviews are shown where nothing will be written.
const SAMPLES: u8 = 3;

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
    request: &'a ImportRequest,
    watch: Watcher<'a>,
    rows: u64,
    authors_public: bool,
    /// Whether the file is our own: what it says was told apart before.
    is_own: bool,
    /// How many of the current table's first reviews are still to be shown.
    samples_left: u8,
    locations: Locations<'a>,
    collected: Collected,
}

/// What was taken in, ready to be merged.
#[derive(Debug)]
pub(super) struct Collected {
    /// What the files say of each review, deletions included, in the order of the rows.
    pub(super) staging: Staging,
    /// The business that came along.
    pub(super) business: Option<Business>,
    /// Whether it says in which time zone its days are.
    pub(super) has_zone: bool,
    /// The editorial texts that came along.
    pub(super) editorial: Option<Editorial>,
    /// What is known so far.
    pub(super) report: Report,
}

impl<'a> Collector<'a> {
    /// An intake for a business, if there is one, whose time zone is this, if it was ever set.
    pub(super) fn new(
        now: DateTime<Utc>,
        business_known: bool,
        zone: Option<Tz>,
        request: &'a ImportRequest,
        watch: Watcher<'a>,
    ) -> Result<Self, FileError> {
        let collected = Collected {
            staging: Staging::new().map_err(FileError::Rows)?,
            business: None,
            has_zone: false,
            editorial: None,
            report: Report::default(),
        };
        let rules = Calendar::new(now, zone.unwrap_or(Tz::UTC));
        Ok(Self {
            now,
            rules,
            zone_known: zone.is_some(),
            business_known,
            request,
            watch,
            rows: 0,
            authors_public: true,
            is_own: false,
            samples_left: 0,
            locations: Locations::new(request.location.as_deref()),
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
        self.collected.staging.push(staged).map_err(FileError::Rows)
    }

    /// What was taken in.
    ///
    /// # Errors
    /// Where the reviews are of several locations and nobody has said which is meant.
    pub(super) fn finish(mut self) -> Result<Collected, FileError> {
        self.collected.report.listing = self.locations.listing()?;
        Ok(self.collected)
    }

    /// What comes next is from the file that messages call `name`, which has that format.
    pub(super) fn begin(&mut self, name: String, format: &'static Format) -> Result<(), FileError> {
        if !self.request.renames.is_empty() && !format.renames {
            return Err(FileError::MapUnused(format.name));
        }
        if self.request.withdraw_missing && format.excerpts {
            return Err(FileError::Excerpts(format.label));
        }
        self.authors_public = format.authors_public;
        self.is_own = format.is_own();
        self.samples_left = 0;
        self.collected.report.files.push(FileReport {
            name,
            format: format.name,
            rows: 0,
            rejected: 0,
        });
        Ok(())
    }

    /// The file is a table, and this becomes of its columns.
    pub(super) fn table(&mut self, columns: &TableColumns) {
        if let Some(file) = self.collected.report.files.last() {
            self.watch.table(&file.name, columns);
        }
        if self.request.dry_run {
            self.samples_left = SAMPLES;
        }
    }

    /// A review. Its days are judged here: `raw` is the row, where they are wrong.
    pub(super) fn review(
        &mut self,
        at: Position,
        mut incoming: Incoming,
        raw: Raw<'_>,
    ) -> Result<(), FileError> {
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
        if let (Stated::Unsaid, Some(name)) = (&incoming.source, &self.request.source) {
            incoming.source = Stated::Given(Source {
                name: name.clone(),
                url: None,
            });
        }
        let judge = Judge {
            calendar: &self.rules,
            shortens_authors: !self.authors_public && !self.request.full_names,
        };
        match judge.staged(incoming) {
            Ok(review) => {
                self.count();
                if self.samples_left > 0 {
                    self.samples_left -= 1;
                    self.watch.sample(&at, &review.said.review);
                }
                self.keep(&Staged::Review(Box::new(review)))
            }
            Err(problems) => self.reject(at, raw, &problems),
        }
    }

    /// A row that answers a review of this call, as far as it is the shop's.
    pub(super) fn comment(
        &mut self,
        at: Position,
        comment: Comment,
        raw: Raw<'_>,
    ) -> Result<(), FileError> {
        let posted = comment.response.posted.as_ref();
        let responded_at = posted.and_then(|its| its.posted.instant());
        if responded_at.is_some() && !self.zone_known {
            return Err(FileError::NoTimeZone);
        }
        let mut wrong = Vec::new();
        let judge = Judge {
            calendar: &self.rules,
            shortens_authors: false,
        };
        let response = judge.response(comment.response, &mut wrong);
        if !wrong.is_empty() {
            return self.reject(at, raw, &wrong);
        }
        self.count();
        let Some(writer) = comment.writer.filter(|_| !response.text.is_empty()) else {
            self.collected.report.left_out += 1;
            return Ok(());
        };
        let answer = StagedAnswer {
            response,
            responded_at,
        };
        self.collected
            .staging
            .push_answer(&comment.review, &writer, &answer)
            .map_err(FileError::Rows)
    }

    /// A review that the owner deleted: of our own export alone.
    pub(super) fn deleted(&mut self, _at: Position, id: ReviewId) -> Result<(), FileError> {
        self.count();
        self.keep(&Staged::Deleted(id))
    }

    /// A row that no review can be made of, with everything that is wrong with it.
    pub(super) fn reject(
        &mut self,
        at: Position,
        raw: Raw<'_>,
        problems: &[Problem],
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

    /// The business that a file brings along; `business` is asked for only where there is none yet.
    pub(super) fn business(
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
        self.collected.has_zone = true;
        Ok(())
    }

    /// The line of an export that has the business and the editorial texts.
    pub(super) fn about_business(&mut self, value: &Value) -> Result<(), FileError> {
        if self.business_known {
            self.collected.report.has_left_out_business = true;
            return Ok(());
        }
        if let Some(its) = value.get("editorial").filter(|its| its.is_object()) {
            let texts = editorial::merged(its, Editorial::default());
            self.collected.editorial = Some(texts.map_err(FileError::Business)?);
        }
        let Some(its) = value.get("business").filter(|its| its.is_object()) else {
            return Ok(());
        };
        let has_zone = self.zone_known || its.get("time_zone").is_some();
        self.business(&mut || {
            profile::business(its, Business::default(), true).map_err(FileError::Business)
        })?;
        (self.zone_known, self.collected.has_zone) = (has_zone, has_zone);
        Ok(())
    }
}

// What becomes of one row: its days judged by the business's calendar, what it leaves unsaid filled
// in, and its author's name shortened where it was never public. Counts nothing and keeps nothing.

/// Where a review is from that does not say.
pub(super) const SOURCE_DEFAULT: &str = "Direct";

/// What rows are judged by.
struct Judge<'j> {
    /// The business's days.
    calendar: &'j Calendar,
    /// Whether authors' names are shortened.
    shortens_authors: bool,
}

impl Judge<'_> {
    /// The review as it is staged, or what is wrong with its days.
    fn staged(&self, incoming: Incoming) -> Result<StagedReview, Vec<Problem>> {
        let mut wrong = Vec::new();
        let unsaid = unsaid(&incoming);
        let decided = decided(&incoming.decided)
            .map_err(|problem| wrong.push(problem))
            .unwrap_or_default();
        let date = self
            .day(&incoming.posted)
            .map_err(|problem| wrong.push(problem))
            .ok();
        let answered = incoming.response.value();
        let responded_at = answered
            .as_ref()
            .and_then(|its| its.posted.as_ref()?.posted.instant());
        let response = answered.map(|its| self.response(its, &mut wrong));
        let (Some(date), true) = (date, wrong.is_empty()) else {
            return Err(wrong);
        };
        let verification = incoming.verification.value().unwrap_or(VOUCHED);
        let status = incoming.status.value();
        let status = status.unwrap_or_else(|| status_of(&verification));
        let review = Review {
            id: incoming.id,
            rating: incoming.rating,
            date,
            author: self.author(incoming.author),
            title: incoming.title.value(),
            text: incoming.text.value().unwrap_or_default(),
            language: incoming.language.value(),
            source: incoming.source.value().unwrap_or_else(|| Source {
                name: SOURCE_DEFAULT.to_owned(),
                url: None,
            }),
            verification,
            mentions: incoming.mentions.value().unwrap_or_default(),
            response,
            status,
            updated_at: incoming.updated_at,
        };
        let (posted, noted) = (incoming.posted.posted.instant(), incoming.noted);
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
            has_id: incoming.has_id,
            former: noted.former,
            writer: noted.writer,
        })
    }

    fn author(&self, name: String) -> String {
        if self.shortens_authors {
            shortened(&name)
        } else {
            name
        }
    }

    fn response(&self, its: IncomingResponse, wrong: &mut Vec<Problem>) -> Response {
        let date = its.posted.map(|posted| self.day(&posted)).transpose();
        Response {
            text: its.text,
            date: date.map_err(|problem| wrong.push(problem)).ok().flatten(),
            author: its.author,
        }
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
                .calendar
                .day_of(instant)
                .ok_or_else(|| problem("is outside of the years 1 to 9999".to_owned()))?,
        };
        self.calendar.plausible(day).map_err(problem)
    }
}

/// Whoever imports a row that does not say vouches for it.
const VOUCHED: Verification = Verification {
    verified: true,
    method: Method::Manual,
    verified_at: None,
};

/// The status of a row that does not say: what is not verified does not appear.
fn status_of(verification: &Verification) -> Status {
    if verification.verified {
        Status::Published
    } else {
        Status::Withheld {
            reason: Some(NOT_VERIFIED.to_owned()),
        }
    }
}

fn unsaid(incoming: &Incoming) -> Units {
    let stated = [
        (Unit::Title, incoming.title.is_stated()),
        (Unit::Text, incoming.text.is_stated()),
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

// Which of the firm's locations the rows are of: counted, named where a Takeout names them, and
// refused where they are of several and nobody has said which is meant.

/// How many locations are told apart.
const LOCATIONS_MAX: usize = 1000;

/// The locations that were met so far.
struct Locations<'a> {
    /// The only one whose reviews are meant, by its number or its name.
    meant: Option<&'a str>,
    /// How many rows each has.
    rows: BTreeMap<String, u64>,
    /// What they are called.
    names: BTreeMap<String, String>,
}

impl<'a> Locations<'a> {
    const fn new(meant: Option<&'a str>) -> Self {
        Self {
            meant,
            rows: BTreeMap::new(),
            names: BTreeMap::new(),
        }
    }

    /// Takes in what a location is called.
    fn name(&mut self, listing: Listing) {
        if self.names.len() < LOCATIONS_MAX {
            self.names.insert(listing.location, listing.name);
        }
    }

    /// Counts a row of that location; says whether its review is meant.
    fn is_meant(&mut self, location: &str) -> bool {
        if self.rows.len() < LOCATIONS_MAX || self.rows.contains_key(location) {
            *self.rows.entry(location.to_owned()).or_default() += 1;
        }
        self.meant
            .is_none_or(|meant| self.is_called(location, meant))
    }

    /// What the location is called that the reviews are of, where that is known.
    ///
    /// # Errors
    /// Where they are of several and nobody has said which is meant, or of none that was meant.
    fn listing(&self) -> Result<Option<String>, FileError> {
        let taken = match self.meant {
            None if self.rows.len() > 1 => {
                let counted = |(location, count): (&String, &u64)| (self.called(location), *count);
                return Err(FileError::Locations(
                    self.rows.iter().map(counted).collect(),
                ));
            }
            None => self.rows.keys().next(),
            Some(meant) => {
                let taken = self.rows.keys().find(|its| self.is_called(its, meant));
                if taken.is_none() && !self.rows.is_empty() {
                    return Err(FileError::NoSuchLocation {
                        meant: meant.to_owned(),
                        there: self.rows.keys().map(|its| self.called(its)).collect(),
                    });
                }
                taken
            }
        };
        Ok(taken.and_then(|location| self.names.get(location)).cloned())
    }

    /// Whether the location has that number or that name.
    fn is_called(&self, location: &str, meant: &str) -> bool {
        let name = self.names.get(location);
        location == meant || name.is_some_and(|name| name == meant)
    }

    /// The location with its name, where that is known.
    fn called(&self, location: &str) -> String {
        match self.names.get(location) {
            Some(name) => format!("{location} {name}"),
            None => location.to_owned(),
        }
    }
}
