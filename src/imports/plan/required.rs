//! The parts of a review that every row must have, or that are made where it has none: stars, day,
//! author, source, id.

use std::borrow::Cow;

use crate::imports::fields::{Problem, check_url, noted};
use crate::imports::incoming::{Dated, Posted};
use crate::imports::platform::Field;
use crate::imports::row::Row;
use crate::imports::values::date::Dates;
use crate::imports::values::{identity, quoted, rating};
use crate::reviews::{Rating, ReviewId, Source, Stated};

use super::Plan;

/// What a review's id is made of, where its row has none.
pub(super) struct Identified {
    pub(super) id: ReviewId,
    pub(super) has_id: bool,
    pub(super) posted: Dated,
    pub(super) author: String,
    pub(super) title: Stated<String>,
    pub(super) text: Stated<String>,
    pub(super) source: Source,
}

impl<'o> Plan<'o> {
    /// Those parts of the review in `row`; what is wrong with them goes to `wrong`.
    pub(super) fn identified(&self, row: Row<'_>, wrong: &mut Vec<Problem>) -> Option<Identified> {
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
    pub(super) fn rating(&self, row: Row<'_>) -> Result<(Rating, bool), Problem> {
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

    pub(super) fn dated(&self, row: Row<'_>, field: Field) -> Result<Option<Dated>, Problem> {
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

    pub(super) fn updated_at(
        &self,
        row: Row<'_>,
    ) -> Result<Option<chrono::DateTime<chrono::Utc>>, Problem> {
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
