//! A platform's entry and a file's columns brought together, and how a review is made of a row by
//! them: every fault of the row at once. Knows neither the file nor the database.

mod required;
mod stated;

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::fields::{Problem, noted};
use super::file_error::FileError;
use super::incoming::{Incoming, Noted};
use super::platform::{Field, Hidden, Options, Platform};
use super::row::{Columns, Lookup, Row};
use super::values::rating;
use crate::reviews::Stated;

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
}
