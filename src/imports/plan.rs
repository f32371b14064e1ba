//! A platform's entry and a file's columns brought together, and how a review is made of a row by
//! them: every fault of the row at once. Knows neither the file nor the database.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Map, Value};

use super::fields::{Problem, check_url, noted};
use super::file_error::FileError;
use super::incoming::{Dated, Incoming, IncomingResponse, Noted, Posted};
use super::lines::STATUS;
use super::platform::{Field, Hidden, NO_STARS, Options, Platform, When};
use super::report::TableColumns;
use super::row::{Columns, Found, Lookup, Row};
use super::values;
use super::values::date::Dates;
use super::values::visibility::{NOT_PUBLISHED, Says};
use super::values::{flag, quoted, rating, visibility};
use crate::model::{
    Mentions, Method, NOT_VERIFIED, Rating, ReviewId, Source, Stated, Status, Verification,
};

/// A platform's entry and a file's columns brought together, once per file.
#[derive(Debug)]
pub(super) struct Plan<'o> {
    name: &'static str,
    platform: &'static Platform,
    options: Options<'o>,
    fields: [Lookup; Field::ALL.len()],
    hidden: Vec<(Lookup, &'static Hidden)>,
    /// The columns that say whether a row is public, of which the platform's entry says nothing; `None` where each row's
    /// members must be looked at.
    states: Option<Vec<(Lookup, Says)>>,
    keys: Vec<Lookup>,
}

impl<'o> Plan<'o> {
    /// The plan for a file with these columns, or for objects.
    pub(super) fn new(
        name: &'static str,
        platform: &'static Platform,
        columns: Option<&Columns>,
        options: Options<'o>,
    ) -> Self {
        let lookup = |names: &'static [&'static str]| {
            Lookup::new(names.iter().copied().map(Cow::Borrowed).collect(), columns)
        };
        let fields = Field::ALL.map(|(field, ours)| {
            let renamed = options
                .renames
                .iter()
                .find(|rename| !ours.is_empty() && rename.ours() == ours);
            if let Some(rename) = renamed {
                return Lookup::new(vec![Cow::Owned(rename.theirs().to_owned())], columns);
            }
            let names = platform
                .fields
                .iter()
                .find(|(its, _)| *its == field)
                .map_or(&[][..], |(_, names)| names);
            lookup(names)
        });
        let hidden = platform
            .hidden
            .iter()
            .map(|hidden| (lookup(hidden.names), hidden))
            .collect();
        let keys = platform
            .keys
            .iter()
            .flat_map(|set| set.iter())
            .map(|key| Lookup::new(vec![Cow::Borrowed(*key)], columns))
            .collect();
        let mut plan = Self {
            name,
            platform,
            options,
            fields,
            hidden,
            states: None,
            keys,
        };
        plan.states = plan.find_states(columns);
        plan
    }

    fn find_states(&self, columns: Option<&Columns>) -> Option<Vec<(Lookup, Says)>> {
        let mapped = self
            .options
            .renames
            .iter()
            .find(|rename| rename.ours() == STATUS);
        if let Some(rename) = mapped {
            let theirs = Some(rename.theirs()).filter(|theirs| !theirs.is_empty());
            let state = |theirs: &str| {
                let lookup = Lookup::new(vec![Cow::Owned(theirs.to_owned())], columns);
                (lookup, Says::find(theirs).unwrap_or(Says::State))
            };
            return Some(theirs.map(state).into_iter().collect());
        }
        let columns = columns?;
        let known = self.used();
        let says = |(number, name): (usize, &String)| {
            let says = Says::find(name).filter(|_| !known.contains(&number))?;
            Some((Lookup::column(number, columns), says))
        };
        Some(columns.0.iter().enumerate().filter_map(says).collect())
    }

    /// The numbers of the columns that are looked at.
    fn used(&self) -> HashSet<usize> {
        let hidden = self.hidden.iter().map(|(lookup, _)| lookup);
        let states = self.states.iter().flatten().map(|(lookup, _)| lookup);
        let lookups = self.fields.iter().chain(hidden).chain(states);
        lookups
            .flat_map(|lookup| lookup.columns().iter().copied())
            .collect()
    }

    /// What becomes of the columns of a table, for people.
    pub(super) fn columns(&self, columns: &Columns) -> TableColumns {
        let mut used: Vec<(&'static str, Vec<String>)> =
            ["rating", "date", "author", "text", "response"]
                .map(|field| (field, Vec::new()))
                .into();
        let mut add = |field: &'static str, lookup: &Lookup| {
            let names = lookup
                .columns()
                .iter()
                .filter_map(|number| columns.0.get(*number).cloned());
            let names: Vec<String> = names.collect();
            match used.iter_mut().find(|(its, _)| *its == field) {
                Some((_, its)) => its.extend(
                    names
                        .into_iter()
                        .filter(|name| !its.contains(name))
                        .collect::<Vec<_>>(),
                ),
                None if names.is_empty() => {}
                None => used.push((field, names)),
            }
        };
        for (field, ours) in Field::ALL {
            let shown = if matches!(field, Field::FirstName | Field::LastName) {
                "author"
            } else if field == Field::Recommended {
                "rating"
            } else if field == Field::Matched {
                "verification.method"
            } else if field == Field::ResponseText {
                "response"
            } else {
                ours
            };
            add(shown, self.field(field));
        }
        let hidden = self.hidden.iter().map(|(lookup, _)| lookup);
        let states = self.states.iter().flatten().map(|(lookup, _)| lookup);
        hidden.chain(states).for_each(|lookup| add(STATUS, lookup));
        let taken = self.used();
        let unused = columns
            .0
            .iter()
            .enumerate()
            .filter(|(number, name)| !taken.contains(number) && !name.trim().is_empty());
        TableColumns {
            unused: unused.map(|(_, name)| name.clone()).collect(),
            used,
        }
    }

    /// The review that `row` describes, or everything that is wrong with it.
    pub(super) fn review(&self, row: Row<'_>) -> Result<Incoming, Vec<Problem>> {
        let mut wrong = Vec::new();
        let rating = noted(&mut wrong, self.rating(row));
        let identified = self.identified(row, &mut wrong);
        let language = noted(&mut wrong, self.stated(row, Field::Language));
        let location = noted(&mut wrong, self.text(row, Field::Location));
        let verification = noted(&mut wrong, self.verification(row));
        let starless = rating.as_ref().is_some_and(|(_, starless)| *starless);
        let status = noted(
            &mut wrong,
            self.status(row, starless, verification.as_ref()),
        );
        let mentions = noted(&mut wrong, self.mentions(row));
        let response = noted(&mut wrong, self.response(row));
        let updated_at = noted(&mut wrong, self.updated_at(row));
        let made = || {
            let its = identified?;
            Some(Incoming {
                id: its.id,
                has_id: its.has_id,
                rating: rating?.0,
                posted: its.posted,
                author: its.author,
                title: its.title,
                text: its.text,
                language: language?,
                source: Stated::Given(its.source),
                location: location?,
                status: status?,
                verification: verification?,
                mentions: mentions?,
                response: response?,
                updated_at: updated_at?,
                decided: Vec::new(),
                noted: Noted::default(),
            })
        };
        made().ok_or(wrong)
    }

    /// What is read of `row`, under its names there: for the file of rejected rows, which can be
    /// mended and imported.
    pub(super) fn raw(&self, row: Row<'_>) -> Value {
        let lookups = self
            .fields
            .iter()
            .chain(self.hidden.iter().map(|(lookup, _)| lookup))
            .chain(self.states.iter().flatten().map(|(lookup, _)| lookup))
            .chain(&self.keys);
        let mut read = Map::new();
        if let Row::Json(members) = row {
            let states = members
                .iter()
                .filter(|(name, _)| Says::find(name).is_some());
            read.extend(states.map(|(name, value)| (name.clone(), value.clone())));
        }
        for lookup in lookups {
            // Private columns are never among them, but a name that recognises a file may stand for
            // a whole object.
            let found = row.get(lookup).filter(|found| !found.value.is_object());
            let empty = || row.has(lookup).then(|| (row.path(lookup), Value::from("")));
            let pair = found
                .map(|found| (found.path.into_owned(), found.value.into_owned()))
                .or_else(empty);
            if let Some((name, value)) = pair {
                read.entry(name).or_insert(value);
            }
        }
        Value::Object(read)
    }

    /// Refuses a table that lacks a column without which no row can be a review.
    pub(super) fn complete(&self, columns: &Columns, used: &TableColumns) -> Result<(), FileError> {
        let is_there = |fields: &[Field]| fields.iter().any(|field| self.field(*field).is_column());
        let needed: [(&[Field], &'static str); 4] = [
            (&[Field::Rating, Field::Recommended], "rating"),
            (&[Field::Date], "date"),
            (
                &[Field::Author, Field::FirstName, Field::LastName],
                "author",
            ),
            (&[Field::Text], "text"),
        ];
        let lacks: Vec<&'static str> = needed
            .into_iter()
            .filter(|(fields, ours)| {
                let may_lack = match *ours {
                    "author" => self.platform.anonymous.is_some(),
                    "text" => self.options.no_text,
                    _ => false,
                };
                !is_there(fields) && !may_lack
            })
            .map(|(_, ours)| ours)
            .collect();
        let renames =
            self.options.renames.iter().filter(|rename| {
                !rename.ignores_status() && columns.find(rename.theirs()).is_none()
            });
        let unknown: Vec<String> = renames.map(|rename| rename.theirs().to_owned()).collect();
        if lacks.is_empty() && unknown.is_empty() {
            return Ok(());
        }
        Err(FileError::Columns {
            lacks,
            unknown,
            text: likely_text(&used.unused),
            columns: columns.listed(),
        })
    }

    /// The rating in `row` that shows that the scale ends at 10, where nobody said so.
    pub(super) fn scale_of_ten(&self, row: Row<'_>) -> Option<String> {
        let text = row.get(self.field(Field::Rating))?.text().ok()?;
        (self.options.scale.is_none() && rating::shows_scale_of_ten(&text)).then_some(text)
    }

    /// Whether the member of that name is taken for something else than whether the row is public.
    fn takes(&self, member: &str) -> bool {
        let hidden = self.hidden.iter().map(|(lookup, _)| lookup);
        self.fields
            .iter()
            .chain(hidden)
            .any(|lookup| lookup.takes(member))
    }

    fn field(&self, field: Field) -> &Lookup {
        &self.fields[field as usize]
    }

    fn text(&self, row: Row<'_>, field: Field) -> Result<Option<String>, Problem> {
        row.get(self.field(field))
            .map(|found| found.text())
            .transpose()
    }

    fn stated(&self, row: Row<'_>, field: Field) -> Result<Stated<String>, Problem> {
        Ok(match self.text(row, field)? {
            Some(text) => Stated::Given(text.trim().to_owned()),
            None if row.has(self.field(field)) => Stated::None,
            None => Stated::Unsaid,
        })
    }

    fn missing(&self, row: Row<'_>, field: Field) -> Problem {
        Problem {
            path: row.path(self.field(field)),
            message: "missing".to_owned(),
        }
    }
}

/// The column that most probably has the texts: one that is called so, else the first.
fn likely_text(unused: &[String]) -> Option<String> {
    const WORDS: [&str; 12] = [
        "text",
        "comment",
        "review",
        "feedback",
        "said",
        "say",
        "message",
        "opinion",
        "experience",
        "content",
        "words",
        "tell",
    ];
    let is_text = |name: &&String| {
        let name = name.to_lowercase();
        WORDS.iter().any(|word| name.contains(word))
    };
    unused.iter().find(is_text).or(unused.first()).cloned()
}

// The parts of a review that every row must have, or that are made where it has none: stars, day,
// author, source, id.

/// What a review's id is made of, where its row has none.
struct Identified {
    id: ReviewId,
    has_id: bool,
    posted: Dated,
    author: String,
    title: Stated<String>,
    text: Stated<String>,
    source: Source,
}

impl<'o> Plan<'o> {
    /// Those parts of the review in `row`; what is wrong with them goes to `wrong`.
    fn identified(&self, row: Row<'_>, wrong: &mut Vec<Problem>) -> Option<Identified> {
        let posted = noted(wrong, self.date(row));
        let author = noted(wrong, self.author(row));
        let text = noted(wrong, self.text(row, Field::Text));
        let title = noted(wrong, self.stated(row, Field::Title));
        let source = noted(wrong, self.source(row));
        let (posted, author, title, source) = (posted?, author?, title?, source?);
        let text = text?;
        let headline = match &title {
            Stated::Given(title) => title,
            Stated::Unsaid | Stated::None => "",
        };
        let words = text.as_deref().unwrap_or_default();
        let parts = [&author, words, headline, &source.name];
        let id = noted(wrong, self.id(row, &posted, parts))?;
        // A table without such a column says nothing of texts.
        let text = match row {
            Row::Cells(..) if !row.has(self.field(Field::Text)) => Stated::Unsaid,
            Row::Cells(..) | Row::Json(_) => Stated::Given(text.unwrap_or_default()),
        };
        Some(Identified {
            id,
            has_id: row.get(self.field(Field::Id)).is_some(),
            posted,
            author,
            title,
            text,
            source,
        })
    }

    /// The stars, and whether they are made of a recommendation.
    fn rating(&self, row: Row<'_>) -> Result<(Rating, bool), Problem> {
        let recommended = row.get(self.field(Field::Recommended));
        let found = row.get(self.field(Field::Rating));
        let given = found
            .map(|found| found.text().map(|text| (found, text)))
            .transpose()?;
        match (given, recommended) {
            // Birdeye writes 0 where there are none.
            (None, Some(recommended)) => recommendation(&recommended.text()?)
                .map(|stars| (stars, true))
                .map_err(|error| recommended.problem(error)),
            (Some((_, zero)), Some(recommended)) if matches!(zero.trim(), "0" | "0.0") => {
                recommendation(&recommended.text()?)
                    .map(|stars| (stars, true))
                    .map_err(|error| recommended.problem(error))
            }
            (Some((found, text)), _) => rating::parse(&text, self.options.scale)
                .map(|stars| (stars, false))
                .map_err(|error| found.problem(error)),
            (None, None) => Err(self.missing(row, Field::Rating)),
        }
    }

    fn dates(&self) -> Dates<'o> {
        Dates {
            format: self.options.date_format,
            order: self.platform.date_order,
            zone: self.platform.zone,
        }
    }

    fn dated(&self, row: Row<'_>, field: Field) -> Result<Option<Dated>, Problem> {
        let Some(found) = row.get(self.field(field)) else {
            return Ok(None);
        };
        let posted = self
            .dates()
            .parse(&found.text()?)
            .map_err(|error| found.problem(error))?;
        Ok(Some(Dated {
            posted,
            path: Cow::Owned(found.path.into_owned()),
        }))
    }

    fn date(&self, row: Row<'_>) -> Result<Dated, Problem> {
        self.dated(row, Field::Date)?
            .ok_or_else(|| self.missing(row, Field::Date))
    }

    fn updated_at(&self, row: Row<'_>) -> Result<Option<chrono::DateTime<chrono::Utc>>, Problem> {
        Ok(
            match self.dated(row, Field::UpdatedAt)?.map(|dated| dated.posted) {
                Some(Posted::Instant(instant)) => Some(instant),
                Some(Posted::Day(_)) | None => None,
            },
        )
    }

    fn author(&self, row: Row<'_>) -> Result<String, Problem> {
        let whole = self.text(row, Field::Author)?;
        let parts = [
            self.text(row, Field::FirstName)?,
            self.text(row, Field::LastName)?,
        ];
        let joined = parts
            .iter()
            .flatten()
            .map(|part| part.trim())
            .collect::<Vec<_>>()
            .join(" ");
        let name = whole
            .map(|name| name.trim().to_owned())
            .or_else(|| (!joined.is_empty()).then_some(joined));
        match name {
            // An address in the place of a name is private.
            Some(name) if name.contains('@') && !name.contains(' ') => {
                Ok(self.platform.anonymous.unwrap_or("Anonymous").to_owned())
            }
            Some(name) => Ok(name),
            None => self
                .platform
                .anonymous
                .map(str::to_owned)
                .ok_or_else(|| self.missing(row, Field::Author)),
        }
    }

    fn source(&self, row: Row<'_>) -> Result<Source, Problem> {
        let name = self.text(row, Field::SourceName)?.map_or_else(
            || self.platform.source.to_owned(),
            |name| name.trim().to_owned(),
        );
        let url = row
            .get(self.field(Field::Url))
            .map(|found| check_url(found.text()?, || found.path.clone().into_owned()))
            .transpose()?;
        Ok(Source { name, url })
    }

    fn id(&self, row: Row<'_>, posted: &Dated, parts: [&str; 4]) -> Result<ReviewId, Problem> {
        let (path, made) = if let Some(found) = row.get(self.field(Field::Id)) {
            let text = found.text()?;
            let id = text.trim();
            let own = (!self.platform.vouches).then(|| id.parse().ok()).flatten();
            (
                found.path.into_owned(),
                own.map_or_else(|| values::of_platform(self.name, id), Ok),
            )
        } else {
            let when = match posted.posted {
                Posted::Day(day) => day.to_string(),
                Posted::Instant(instant) => instant.to_rfc3339(),
            };
            let [author, text, title, source] = parts;
            (
                "id".to_owned(),
                values::digest(self.name, &[source, author, &when, title, text]),
            )
        };
        made.map_err(|error| Problem {
            path,
            message: error.to_string(),
        })
    }
}

/// Podium, which shows both, takes them for five stars and one.
fn recommendation(text: &str) -> Result<Rating, String> {
    let stars = match text.trim().to_ascii_lowercase().as_str() {
        "positive" | "recommended" | "recommends" | "yes" | "true" | "1" => 5,
        "negative" | "not recommended" | "notrecommended" | "not_recommended"
        | "doesn't recommend" | "no" | "false" | "0" => 1,
        _ => {
            return Err(format!(
                "{} is none of positive, negative, recommended, not recommended",
                quoted(text)
            ));
        }
    };
    Rating::try_from(stars).map_err(|error| error.to_string())
}

// The parts of a review that a file may leave unsaid: verification, status, mentions, the owner's
// answer.

impl Plan<'_> {
    fn verification(&self, row: Row<'_>) -> Result<Stated<Verification>, Problem> {
        let matched = self.text(row, Field::Matched)?.is_some_and(|text| {
            self.platform
                .matched
                .is_some_and(|value| value.eq_ignore_ascii_case(text.trim()))
        });
        let verified_at = match self
            .dated(row, Field::VerifiedAt)?
            .map(|dated| dated.posted)
        {
            Some(Posted::Instant(instant)) => Some(instant),
            Some(Posted::Day(_)) | None => None,
        };
        if self.platform.vouches {
            let method = if matched {
                Method::JobMatch
            } else {
                Method::SourcePlatform
            };
            return Ok(Stated::Given(Verification {
                verified: true,
                method,
                verified_at: verified_at.filter(|_| matched),
            }));
        }
        let verified = row
            .get(self.field(Field::Verified))
            .map(|found| flag(&found.text()?).map_err(|error| found.problem(error)))
            .transpose()?;
        let named = |found: Found<'_>| {
            let text = found.text()?;
            let allowed = || Method::ALL.map(Method::name).join(", ");
            Method::find(text.trim()).ok_or_else(|| {
                found.problem(format!("{} is not one of {}", quoted(&text), allowed()))
            })
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

    fn status(
        &self,
        row: Row<'_>,
        starless: bool,
        verification: Option<&Stated<Verification>>,
    ) -> Result<Stated<Status>, Problem> {
        let withheld = |reason: &str| {
            Ok(Stated::Given(Status::Withheld {
                reason: Some(reason.to_owned()),
            }))
        };
        for (lookup, hidden) in &self.hidden {
            let Some(found) = row.get(lookup) else {
                continue;
            };
            let text = found.text()?;
            let hides = match hidden.when {
                When::Yes => flag(&text).map_err(|error| found.problem(error))?,
                When::No => !flag(&text).map_err(|error| found.problem(error))?,
                When::NoneOf(shown) => !shown
                    .iter()
                    .any(|value| value.eq_ignore_ascii_case(text.trim())),
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
        match self.is_public(row)? {
            Some(false) => withheld(reason.as_deref().unwrap_or(NOT_PUBLISHED)),
            Some(true) => Ok(Stated::Given(Status::Published)),
            _ if reason.is_some() => Ok(Stated::Given(Status::Withheld { reason })),
            _ if self
                .hidden
                .iter()
                .any(|(lookup, _)| row.get(lookup).is_some()) =>
            {
                Ok(Stated::Given(Status::Published))
            }
            _ => Ok(Stated::Unsaid),
        }
    }

    /// Whether a column or member of which the platform's entry says nothing says that the row is public.
    fn is_public(&self, row: Row<'_>) -> Result<Option<bool>, Problem> {
        let Some(states) = &self.states else {
            return match row {
                Row::Json(members) => {
                    visibility::of_members(members, |name| self.takes(name), true)
                }
                Row::Cells(..) => Ok(None),
            };
        };
        let mut public = None;
        for (lookup, says) in states {
            let text = match (row.get(lookup), row) {
                (Some(found), _) => found.text()?,
                (None, Row::Cells(..)) if *says == Says::Public => String::new(),
                (None, _) => continue,
            };
            let is_public = says.read(&row.path(lookup), &text, true)?;
            public = Some(is_public && public.unwrap_or(true));
        }
        Ok(public)
    }

    fn mentions(&self, row: Row<'_>) -> Result<Stated<Mentions>, Problem> {
        let mut any = false;
        let mut names = |field| {
            let Some(found) = row.get(self.field(field)) else {
                return Ok(Vec::new());
            };
            any = true;
            let names = found.texts()?;
            // The rows of a review's mentions are read packed between control characters.
            let broken = names.iter().any(|name| name.contains(char::is_control));
            if broken {
                Err(found.problem("has a control character; remove it"))
            } else {
                Ok(names)
            }
        };
        let mentions = Mentions::new(
            names(Field::Technicians)?,
            names(Field::Services)?,
            names(Field::ServiceAreas)?,
        );
        Ok(if any {
            Stated::Given(mentions)
        } else {
            Stated::Unsaid
        })
    }

    fn response(&self, row: Row<'_>) -> Result<Stated<IncomingResponse>, Problem> {
        let Some(text) = self.text(row, Field::ResponseText)? else {
            return Ok(if row.has(self.field(Field::ResponseText)) {
                Stated::None
            } else {
                Stated::Unsaid
            });
        };
        let (posted, author) = (
            self.dated(row, Field::ResponseDate)?,
            self.text(row, Field::ResponseAuthor)?,
        );
        Ok(Stated::Given(IncomingResponse {
            text,
            posted,
            author,
        }))
    }
}
