//! What an entry of `platforms` declares, and how a review is made of a row by it.
//!
//! The entries say which columns mean what; everything that is done with a value stands here, once. A column that no entry names is
//! never looked at, so private fields (e-mail, phone, street, customer) go nowhere, the file of rejected rows included.

use std::borrow::Cow;
use std::num::NonZeroU8;

use chrono_tz::Tz;
use serde_json::{Map, Value};

use super::fault::Fault;
use super::fields::{Problem, check_url, noted};
use super::incoming::{Dated, Incoming, IncomingResponse, Posted};
use super::record::NOT_VERIFIED;
use super::rename::Rename;
use super::row::{Columns, Lookup, Row};
use super::values::date::{DateOrder, Dates};
use super::values::{flag, identity, quoted, rating};
use crate::reviews::{Mentions, Method, Rating, ReviewId, Source, Stated, Status, Verification};

/// What is known about one platform's exports.
#[derive(Debug)]
pub(super) struct Platform {
    /// What reviews say they are from, where a row does not say.
    pub(super) source: &'static str,
    /// A file is this platform's if its rows have all the names of one of these sets.
    pub(super) keys: &'static [&'static [&'static str]],
    /// Which column means which field: the first that is filled counts.
    pub(super) fields: &'static [(Field, &'static [&'static str])],
    /// What hides a review there, so that it must not be published here.
    pub(super) hidden: &'static [Hidden],
    /// How days with slashes are written.
    pub(super) date_order: Option<DateOrder>,
    /// Where the platform's clock stands, for times without an offset.
    pub(super) zone: Option<Tz>,
    /// Who wrote a review whose author stays unnamed. Without it such a row is rejected.
    pub(super) anonymous: Option<&'static str>,
    /// Whether the platform vouches for its reviews; else a row is vouched for by whoever imports it.
    pub(super) vouches: bool,
    /// The value of [`Field::Matched`] that says that the review belongs to a job in the firm's books.
    pub(super) matched: Option<&'static str>,
}

/// A field of a review that a column may fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Id,
    Rating,
    Date,
    Author,
    FirstName,
    LastName,
    Title,
    Text,
    Language,
    SourceName,
    Url,
    Location,
    UpdatedAt,
    Verified,
    Method,
    VerifiedAt,
    Matched,
    Technicians,
    Services,
    ServiceAreas,
    ResponseText,
    ResponseDate,
    ResponseAuthor,
    Recommended,
    Status,
    Reason,
}

/// A column whose values may hide a review.
#[derive(Debug)]
pub(super) struct Hidden {
    /// Its names.
    pub(super) names: &'static [&'static str],
    /// When it hides.
    pub(super) when: When,
    /// Why the review is withheld then.
    pub(super) reason: &'static str,
}

/// When a column hides a review.
#[derive(Debug, Clone, Copy)]
pub(super) enum When {
    /// Its flag is yes.
    Yes,
    /// Its flag is no.
    No,
    /// It is filled with none of these (case aside).
    NoneOf(&'static [&'static str]),
}

/// Why a review is withheld that came without stars: those given here would be ours, not the customer's.
pub(super) const NO_STARS: &str = "recommendation without stars";

/// How the caller says that a file is to be read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options<'o> {
    /// `--map`.
    pub renames: &'o [Rename],
    /// `--scale`: where the ratings' scale ends.
    pub scale: Option<NonZeroU8>,
    /// `--date-format`.
    pub date_format: Option<&'o str>,
}

impl Platform {
    /// A platform about which nothing is known but its columns.
    pub(super) const PLAIN: Self = Self {
        source: "Direct",
        keys: &[],
        fields: &[],
        hidden: &[],
        date_order: None,
        zone: None,
        anonymous: None,
        vouches: true,
        matched: None,
    };
}

/// A platform's entry and a file's columns brought together, once per file.
#[derive(Debug)]
pub(super) struct Plan<'o> {
    name: &'static str,
    platform: &'static Platform,
    options: Options<'o>,
    fields: [Lookup; Field::ALL.len()],
    hidden: Vec<(Lookup, &'static Hidden)>,
    keys: Vec<Lookup>,
}

impl Field {
    pub(super) const ALL: [(Self, &'static str); 26] = [
        (Self::Id, "id"),
        (Self::Rating, "rating"),
        (Self::Date, "date"),
        (Self::Author, "author"),
        (Self::FirstName, ""),
        (Self::LastName, ""),
        (Self::Title, "title"),
        (Self::Text, "text"),
        (Self::Language, "language"),
        (Self::SourceName, "source.name"),
        (Self::Url, "source.url"),
        (Self::Location, "location"),
        (Self::UpdatedAt, "updated_at"),
        (Self::Verified, "verification.verified"),
        (Self::Method, "verification.method"),
        (Self::VerifiedAt, "verification.verified_at"),
        (Self::Matched, ""),
        (Self::Technicians, "mentions.technicians"),
        (Self::Services, "mentions.services"),
        (Self::ServiceAreas, "mentions.service_areas"),
        (Self::ResponseText, "response.text"),
        (Self::ResponseDate, "response.date"),
        (Self::ResponseAuthor, "response.author"),
        (Self::Recommended, ""),
        (Self::Status, "status"),
        (Self::Reason, "withheld_reason"),
    ];
}

impl<'o> Plan<'o> {
    /// The plan for a file with these columns, or for objects.
    pub(super) fn new(name: &'static str, platform: &'static Platform, columns: Option<&Columns>, options: Options<'o>) -> Self {
        let lookup = |names: &'static [&'static str]| Lookup::new(names.iter().copied().map(Cow::Borrowed).collect(), columns);
        let fields = Field::ALL.map(|(field, ours)| {
            let renamed = options.renames.iter().find(|rename| !ours.is_empty() && rename.ours() == ours);
            if let Some(rename) = renamed {
                return Lookup::new(vec![Cow::Owned(rename.theirs().to_owned())], columns);
            }
            let names = platform.fields.iter().find(|(its, _)| *its == field).map_or(&[][..], |(_, names)| names);
            lookup(names)
        });
        let hidden = platform.hidden.iter().map(|hidden| (lookup(hidden.names), hidden)).collect();
        let keys =
            platform.keys.iter().flat_map(|set| set.iter()).map(|key| Lookup::new(vec![Cow::Borrowed(*key)], columns)).collect();
        Self { name, platform, options, fields, hidden, keys }
    }

    /// The review that `row` describes, or everything that is wrong with it.
    pub(super) fn review(&self, row: Row<'_>) -> Result<Incoming, Vec<Problem>> {
        let mut wrong = Vec::new();
        let (rating, posted) = (noted(&mut wrong, self.rating(row)), noted(&mut wrong, self.date(row)));
        let (author, text) = (noted(&mut wrong, self.author(row)), noted(&mut wrong, self.text(row, Field::Text)));
        let (title, language) =
            (noted(&mut wrong, self.stated(row, Field::Title)), noted(&mut wrong, self.stated(row, Field::Language)));
        let (source, location) = (noted(&mut wrong, self.source(row)), noted(&mut wrong, self.text(row, Field::Location)));
        let verification = noted(&mut wrong, self.verification(row));
        let starless = rating.as_ref().is_some_and(|(_, starless)| *starless);
        let status = noted(&mut wrong, self.status(row, starless, verification.as_ref()));
        let (mentions, response) = (noted(&mut wrong, self.mentions(row)), noted(&mut wrong, self.response(row)));
        let updated_at = noted(&mut wrong, self.updated_at(row));
        let (Some(posted), Some(author), Some(text), Some(title), Some(source)) = (posted, author, text, title, source) else {
            return Err(wrong);
        };
        let id = noted(
            &mut wrong,
            self.id(row, &posted, [&author, text.as_deref().unwrap_or_default(), title_text(&title), &source.name]),
        );
        let made = || {
            Some(Incoming {
                id: id?,
                rating: rating?.0,
                posted,
                author,
                title,
                text: text.unwrap_or_default(),
                language: language?,
                source: Stated::Given(source),
                location: location?,
                status: status?,
                verification: verification?,
                mentions: mentions?,
                response: response?,
                updated_at: updated_at?,
                decided: Vec::new(),
            })
        };
        made().ok_or(wrong)
    }

    /// What is read of `row`, under its names there: for the file of rejected rows, which can be mended and imported.
    pub(super) fn raw(&self, row: Row<'_>) -> Value {
        let lookups = self.fields.iter().chain(self.hidden.iter().map(|(lookup, _)| lookup)).chain(&self.keys);
        let mut read = Map::new();
        for lookup in lookups {
            // Private columns are never among them, but a name that recognises a file may stand for a whole object.
            let found = row.get(lookup).filter(|found| !found.value.is_object());
            let empty = || row.has(lookup).then(|| (row.path(lookup), Value::from("")));
            let pair = found.map(|found| (found.path.into_owned(), found.value.into_owned())).or_else(empty);
            if let Some((name, value)) = pair {
                read.entry(name).or_insert(value);
            }
        }
        Value::Object(read)
    }

    /// Refuses a table that lacks a column without which no row can be a review.
    pub(super) fn complete(&self, columns: &Columns) -> Result<(), Fault> {
        let is_there = |fields: &[Field]| fields.iter().any(|field| self.field(*field).is_column());
        let needed: [(&[Field], &'static str); 3] = [
            (&[Field::Rating, Field::Recommended], "rating"),
            (&[Field::Date], "date"),
            (&[Field::Author, Field::FirstName, Field::LastName], "author"),
        ];
        let lacks: Vec<&'static str> = needed
            .into_iter()
            .filter(|(fields, ours)| !is_there(fields) && !(*ours == "author" && self.platform.anonymous.is_some()))
            .map(|(_, ours)| ours)
            .collect();
        let renames = self.options.renames.iter().filter(|rename| columns.find(rename.theirs()).is_none());
        let unknown: Vec<String> = renames.map(|rename| rename.theirs().to_owned()).collect();
        if lacks.is_empty() && unknown.is_empty() {
            return Ok(());
        }
        Err(Fault::Columns { lacks, unknown, columns: columns.listed() })
    }

    /// The rating in `row` that shows that the scale ends at 10, where nobody said so.
    pub(super) fn scale_of_ten(&self, row: Row<'_>) -> Option<String> {
        let text = row.get(self.field(Field::Rating))?.text().ok()?;
        (self.options.scale.is_none() && rating::shows_scale_of_ten(&text)).then_some(text)
    }

    fn field(&self, field: Field) -> &Lookup {
        &self.fields[field as usize]
    }

    fn text(&self, row: Row<'_>, field: Field) -> Result<Option<String>, Problem> {
        row.get(self.field(field)).map(|found| found.text()).transpose()
    }

    fn stated(&self, row: Row<'_>, field: Field) -> Result<Stated<String>, Problem> {
        Ok(match self.text(row, field)? {
            Some(text) => Stated::Given(text.trim().to_owned()),
            None if row.has(self.field(field)) => Stated::None,
            None => Stated::Unsaid,
        })
    }

    fn missing(&self, row: Row<'_>, field: Field) -> Problem {
        Problem { path: row.path(self.field(field)), message: "missing".to_owned() }
    }

    /// The stars, and whether they are made of a recommendation.
    fn rating(&self, row: Row<'_>) -> Result<(Rating, bool), Problem> {
        let recommended = row.get(self.field(Field::Recommended));
        let found = row.get(self.field(Field::Rating));
        let given = found.map(|found| found.text().map(|text| (found, text))).transpose()?;
        match (given, recommended) {
            // Birdeye writes 0 where there are none.
            (None, Some(recommended)) => {
                recommendation(&recommended.text()?).map(|stars| (stars, true)).map_err(|error| recommended.problem(error))
            }
            (Some((_, zero)), Some(recommended)) if matches!(zero.trim(), "0" | "0.0") => {
                recommendation(&recommended.text()?).map(|stars| (stars, true)).map_err(|error| recommended.problem(error))
            }
            (Some((found, text)), _) => {
                rating::parse(&text, self.options.scale).map(|stars| (stars, false)).map_err(|error| found.problem(error))
            }
            (None, None) => Err(self.missing(row, Field::Rating)),
        }
    }

    fn dates(&self) -> Dates<'o> {
        Dates { format: self.options.date_format, order: self.platform.date_order, zone: self.platform.zone }
    }

    fn dated(&self, row: Row<'_>, field: Field) -> Result<Option<Dated>, Problem> {
        let Some(found) = row.get(self.field(field)) else { return Ok(None) };
        let posted = self.dates().parse(&found.text()?).map_err(|error| found.problem(error))?;
        Ok(Some(Dated { posted, path: Cow::Owned(found.path.into_owned()) }))
    }

    fn date(&self, row: Row<'_>) -> Result<Dated, Problem> {
        self.dated(row, Field::Date)?.ok_or_else(|| self.missing(row, Field::Date))
    }

    fn updated_at(&self, row: Row<'_>) -> Result<Option<chrono::DateTime<chrono::Utc>>, Problem> {
        Ok(match self.dated(row, Field::UpdatedAt)?.map(|dated| dated.posted) {
            Some(Posted::Instant(instant)) => Some(instant),
            Some(Posted::Day(_)) | None => None,
        })
    }

    fn author(&self, row: Row<'_>) -> Result<String, Problem> {
        let whole = self.text(row, Field::Author)?;
        let parts = [self.text(row, Field::FirstName)?, self.text(row, Field::LastName)?];
        let joined = parts.iter().flatten().map(|part| part.trim()).collect::<Vec<_>>().join(" ");
        let name = whole.map(|name| name.trim().to_owned()).or_else(|| (!joined.is_empty()).then_some(joined));
        match name {
            // An address in the place of a name is private.
            Some(name) if name.contains('@') && !name.contains(' ') => {
                Ok(self.platform.anonymous.unwrap_or("Anonymous").to_owned())
            }
            Some(name) => Ok(name),
            None => self.platform.anonymous.map(str::to_owned).ok_or_else(|| self.missing(row, Field::Author)),
        }
    }

    fn source(&self, row: Row<'_>) -> Result<Source, Problem> {
        let name =
            self.text(row, Field::SourceName)?.map_or_else(|| self.platform.source.to_owned(), |name| name.trim().to_owned());
        let url = row
            .get(self.field(Field::Url))
            .map(|found| check_url(found.text()?, || found.path.clone().into_owned()))
            .transpose()?;
        Ok(Source { name, url })
    }

    fn id(&self, row: Row<'_>, posted: &Dated, parts: [&str; 4]) -> Result<ReviewId, Problem> {
        let (path, made) = match row.get(self.field(Field::Id)) {
            Some(found) => {
                let text = found.text()?;
                let id = text.trim();
                let own = (!self.platform.vouches).then(|| id.parse().ok()).flatten();
                (found.path.into_owned(), own.map_or_else(|| identity::of_platform(self.name, id), Ok))
            }
            None => {
                let when = match posted.posted {
                    Posted::Day(day) => day.to_string(),
                    Posted::Instant(instant) => instant.to_rfc3339(),
                };
                let [author, text, title, source] = parts;
                ("id".to_owned(), identity::digest(self.name, &[source, author, &when, title, text]))
            }
        };
        made.map_err(|error| Problem { path, message: error.to_string() })
    }

    fn verification(&self, row: Row<'_>) -> Result<Stated<Verification>, Problem> {
        let matched = self
            .text(row, Field::Matched)?
            .is_some_and(|text| self.platform.matched.is_some_and(|value| value.eq_ignore_ascii_case(text.trim())));
        let verified_at = match self.dated(row, Field::VerifiedAt)?.map(|dated| dated.posted) {
            Some(Posted::Instant(instant)) => Some(instant),
            Some(Posted::Day(_)) | None => None,
        };
        if self.platform.vouches {
            let method = if matched { Method::JobMatch } else { Method::SourcePlatform };
            return Ok(Stated::Given(Verification { verified: true, method, verified_at: verified_at.filter(|_| matched) }));
        }
        let verified = row
            .get(self.field(Field::Verified))
            .map(|found| flag(&found.text()?).map_err(|error| found.problem(error)))
            .transpose()?;
        let named = |found: super::row::Found<'_>| {
            let text = found.text()?;
            let allowed = || Method::ALL.map(Method::name).join(", ");
            Method::find(text.trim()).ok_or_else(|| found.problem(format!("{} is not one of {}", quoted(&text), allowed())))
        };
        let method = row.get(self.field(Field::Method)).map(named).transpose()?;
        Ok(match (verified, method) {
            (None, None) => Stated::Unsaid,
            (verified, method) => Stated::Given(Verification {
                verified: verified.unwrap_or(true),
                method: method.unwrap_or(Method::Manual),
                verified_at,
            }),
        })
    }

    fn status(&self, row: Row<'_>, starless: bool, verification: Option<&Stated<Verification>>) -> Result<Stated<Status>, Problem> {
        let withheld = |reason: &str| Ok(Stated::Given(Status::Withheld { reason: Some(reason.to_owned()) }));
        for (lookup, hidden) in &self.hidden {
            let Some(found) = row.get(lookup) else { continue };
            let text = found.text()?;
            let hides = match hidden.when {
                When::Yes => flag(&text).map_err(|error| found.problem(error))?,
                When::No => !flag(&text).map_err(|error| found.problem(error))?,
                When::NoneOf(shown) => !shown.iter().any(|value| value.eq_ignore_ascii_case(text.trim())),
            };
            if hides {
                return withheld(hidden.reason);
            }
        }
        if starless {
            return withheld(NO_STARS);
        }
        let reason = self.text(row, Field::Reason)?;
        if verification.is_some_and(|its| matches!(its, Stated::Given(its) if !its.verified)) {
            return withheld(reason.as_deref().unwrap_or(NOT_VERIFIED));
        }
        let stated = row.get(self.field(Field::Status));
        match (stated.as_ref().map(|found| found.text()).transpose()?.as_deref().map(str::trim), stated) {
            (Some("withheld"), _) => Ok(Stated::Given(Status::Withheld { reason })),
            (Some("published"), _) => Ok(Stated::Given(Status::Published)),
            (Some(other), Some(found)) => Err(found.problem(format!("{} is not one of published, withheld", quoted(other)))),
            _ if reason.is_some() => Ok(Stated::Given(Status::Withheld { reason })),
            _ if self.hidden.iter().any(|(lookup, _)| row.get(lookup).is_some()) => Ok(Stated::Given(Status::Published)),
            _ => Ok(Stated::Unsaid),
        }
    }

    fn mentions(&self, row: Row<'_>) -> Result<Stated<Mentions>, Problem> {
        let mut any = false;
        let mut names = |field| {
            let Some(found) = row.get(self.field(field)) else { return Ok(Vec::new()) };
            any = true;
            let names = found.texts()?;
            // The rows of a review's mentions are read packed between control characters.
            let broken = names.iter().any(|name| name.contains(char::is_control));
            if broken { Err(found.problem("has a control character; remove it")) } else { Ok(names) }
        };
        let mentions = Mentions::new(names(Field::Technicians)?, names(Field::Services)?, names(Field::ServiceAreas)?);
        Ok(if any { Stated::Given(mentions) } else { Stated::Unsaid })
    }

    fn response(&self, row: Row<'_>) -> Result<Stated<IncomingResponse>, Problem> {
        let Some(text) = self.text(row, Field::ResponseText)? else {
            return Ok(if row.has(self.field(Field::ResponseText)) { Stated::None } else { Stated::Unsaid });
        };
        let (posted, author) = (self.dated(row, Field::ResponseDate)?, self.text(row, Field::ResponseAuthor)?);
        Ok(Stated::Given(IncomingResponse { text, posted, author }))
    }
}

fn title_text(title: &Stated<String>) -> &str {
    match title {
        Stated::Given(title) => title,
        Stated::Unsaid | Stated::None => "",
    }
}

/// Podium, which shows both, takes them for five stars and one.
fn recommendation(text: &str) -> Result<Rating, String> {
    let stars = match text.trim().to_ascii_lowercase().as_str() {
        "positive" | "recommended" | "recommends" | "yes" | "true" | "1" => 5,
        "negative" | "not recommended" | "notrecommended" | "not_recommended" | "doesn't recommend" | "no" | "false" | "0" => 1,
        _ => return Err(format!("{} is none of positive, negative, recommended, not recommended", quoted(text))),
    };
    Rating::try_from(stars).map_err(|error| error.to_string())
}
