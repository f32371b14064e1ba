//! A platform's entry and a file's columns brought together, and how a review is made of a row by
//! them: every fault of the row at once. Knows neither the file nor the database.

mod required;
mod stated;

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Map, Value};

use super::fields::{Problem, noted};
use super::file_error::FileError;
use super::incoming::{Incoming, Noted};
use super::platform::{Field, Hidden, Options, Platform};
use super::rename::STATUS;
use super::report::TableColumns;
use super::row::{Columns, Lookup, Row};
use super::values::rating;
use super::values::visibility::Says;
use crate::reviews::Stated;

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
