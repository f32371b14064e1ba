//! What becomes of one row: its days judged by the business's calendar, what it leaves unsaid filled
//! in, and its author's name shortened where it was never public. Counts nothing and keeps nothing.

use crate::imports::authors::shortened;
use crate::imports::calendar::Calendar;
use crate::imports::fields::Problem;
use crate::imports::incoming::{Dated, Incoming, IncomingResponse, Posted};
use crate::imports::spool::StagedReview;
use crate::reviews::{
    Day, Method, NOT_VERIFIED, Response, Review, Source, Stated, Statement, Status, Unit, Units,
    Verification,
};

/// Where a review is from that does not say.
const SOURCE_DEFAULT: &str = "Direct";

/// What rows are judged by.
pub(super) struct Judge<'j> {
    /// The business's days.
    pub(super) calendar: &'j Calendar,
    /// Whether authors' names are shortened.
    pub(super) shortens_authors: bool,
}

impl Judge<'_> {
    /// The review as it is staged, or what is wrong with its days.
    pub(super) fn staged(&self, incoming: Incoming) -> Result<StagedReview, Vec<Problem>> {
        let mut wrong = Vec::new();
        let unsaid = unsaid(&incoming);
        let decided = decided(&incoming.decided)
            .map_err(|problem| wrong.push(problem))
            .unwrap_or_default();
        let date = self
            .day(&incoming.posted)
            .map_err(|problem| wrong.push(problem))
            .ok();
        let answered = incoming.response.given();
        let responded_at = answered
            .as_ref()
            .and_then(|its| its.posted.as_ref()?.posted.instant());
        let response = answered.map(|its| self.response(its, &mut wrong));
        let (Some(date), true) = (date, wrong.is_empty()) else {
            return Err(wrong);
        };
        let verification = incoming.verification.given().unwrap_or(VOUCHED);
        let status = incoming.status.given();
        let status = status.unwrap_or_else(|| status_of(&verification));
        let review = Review {
            id: incoming.id,
            rating: incoming.rating,
            date,
            author: self.author(incoming.author),
            title: incoming.title.given(),
            text: incoming.text.given().unwrap_or_default(),
            language: incoming.language.given(),
            source: incoming.source.given().unwrap_or_else(|| Source {
                name: SOURCE_DEFAULT.to_owned(),
                url: None,
            }),
            verification,
            mentions: incoming.mentions.given().unwrap_or_default(),
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
