//! A platform's entry and a file's columns brought together, and how a review is made of a row by
//! them: every fault of the row at once. Knows neither the file nor the database.

mod stated;

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::fields::{Problem, check_url, noted};
use super::file_error::FileError;
use super::incoming::{Dated, Incoming, Noted, Posted};
use super::platform::{Field, Hidden, Options, Platform};
use super::row::{Columns, Lookup, Row};
use super::values::date::Dates;
use super::values::{identity, quoted, rating};
use crate::reviews::{Rating, ReviewId, Source, Stated};

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
        Self {
            name,
            platform,
            options,
            fields,
            hidden,
            keys,
        }
    }

    /// The review that `row` describes, or everything that is wrong with it.
    #[expect(
        clippy::too_many_lines,
        reason = "to be split: lines are shorter than when it was written"
    )]
    pub(super) fn review(&self, row: Row<'_>) -> Result<Incoming, Vec<Problem>> {
        let mut wrong = Vec::new();
        let (rating, posted) = (
            noted(&mut wrong, self.rating(row)),
            noted(&mut wrong, self.date(row)),
        );
        let (author, text) = (
            noted(&mut wrong, self.author(row)),
            noted(&mut wrong, self.text(row, Field::Text)),
        );
        let (title, language) = (
            noted(&mut wrong, self.stated(row, Field::Title)),
            noted(&mut wrong, self.stated(row, Field::Language)),
        );
        let (source, location) = (
            noted(&mut wrong, self.source(row)),
            noted(&mut wrong, self.text(row, Field::Location)),
        );
        let verification = noted(&mut wrong, self.verification(row));
        let starless = rating.as_ref().is_some_and(|(_, starless)| *starless);
        let status = noted(
            &mut wrong,
            self.status(row, starless, verification.as_ref()),
        );
        let (mentions, response) = (
            noted(&mut wrong, self.mentions(row)),
            noted(&mut wrong, self.response(row)),
        );
        let updated_at = noted(&mut wrong, self.updated_at(row));
        let (Some(posted), Some(author), Some(text), Some(title), Some(source)) =
            (posted, author, text, title, source)
        else {
            return Err(wrong);
        };
        let id = noted(
            &mut wrong,
            self.id(
                row,
                &posted,
                [
                    &author,
                    text.as_deref().unwrap_or_default(),
                    title_text(&title),
                    &source.name,
                ],
            ),
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
            .chain(&self.keys);
        let mut read = Map::new();
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
    pub(super) fn complete(&self, columns: &Columns) -> Result<(), FileError> {
        let is_there = |fields: &[Field]| fields.iter().any(|field| self.field(*field).is_column());
        let needed: [(&[Field], &'static str); 3] = [
            (&[Field::Rating, Field::Recommended], "rating"),
            (&[Field::Date], "date"),
            (
                &[Field::Author, Field::FirstName, Field::LastName],
                "author",
            ),
        ];
        let lacks: Vec<&'static str> = needed
            .into_iter()
            .filter(|(fields, ours)| {
                !is_there(fields) && (*ours != "author" || self.platform.anonymous.is_none())
            })
            .map(|(_, ours)| ours)
            .collect();
        let renames = self
            .options
            .renames
            .iter()
            .filter(|rename| columns.find(rename.theirs()).is_none());
        let unknown: Vec<String> = renames.map(|rename| rename.theirs().to_owned()).collect();
        if lacks.is_empty() && unknown.is_empty() {
            return Ok(());
        }
        Err(FileError::Columns {
            lacks,
            unknown,
            columns: columns.listed(),
        })
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
                own.map_or_else(|| identity::of_platform(self.name, id), Ok),
            )
        } else {
            let when = match posted.posted {
                Posted::Day(day) => day.to_string(),
                Posted::Instant(instant) => instant.to_rfc3339(),
            };
            let [author, text, title, source] = parts;
            (
                "id".to_owned(),
                identity::digest(self.name, &[source, author, &when, title, text]),
            )
        };
        made.map_err(|error| Problem {
            path,
            message: error.to_string(),
        })
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
