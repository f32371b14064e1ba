//! One row of a file, whatever it came in: an object of JSON, or the cells of a table under their
//! headers.
//!
//! Apart from the readers, which make rows, and from the platforms, which say what a column means.
//! A column is found by its name as it stands, else by its letters and digits alone, else by a path
//! into nested objects.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::imports::ImportRequest;
use crate::imports::file_error::FileError;
use crate::imports::map::date::{DateOrder, Dates};
use crate::imports::map::fields::{Problem, TEXT_BYTES_MAX, check_url, noted, shown};
use crate::imports::map::values::{flag, quoted, same_name, words};
use crate::imports::map::visibility::{NOT_PUBLISHED, Says};
use crate::imports::map::{
    Comment, Dated, Field, Former, Hidden, Incoming, IncomingResponse, NO_STARS, Noted, Platform,
    Posted, STATUS, When, rating, values, visibility,
};
use crate::imports::platforms::table;
use crate::imports::report::TableColumns;
use crate::model::{
    InvalidReviewId, Mentions, Method, NOT_VERIFIED, Rating, ReviewId, Source, Stated, Status,
    Verification,
};

/// A row as its reader holds it, borrowed.
#[derive(Debug, Clone, Copy)]
pub enum Row<'r> {
    /// An object of JSON.
    Json(&'r Map<String, Value>),
    /// Cells of a table. There are as many as columns.
    Cells(&'r Columns, &'r [String]),
}

/// The headers of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns(pub Vec<String>);

/// What a platform calls a field: names in the order in which they are asked for.
#[derive(Debug, Clone, Default)]
pub struct Lookup {
    names: Vec<Cow<'static, str>>,
    /// The columns of the table that have these names, where it is one.
    columns: Vec<usize>,
}

/// A value that was found, and what the file calls it.
#[derive(Debug, Clone)]
pub struct Found<'r> {
    /// The column's header or the path in the object.
    pub path: Cow<'r, str>,
    /// The value there; of a table, the cell as a JSON string.
    pub value: Cow<'r, Value>,
}

impl Lookup {
    /// A field of one of these names.
    pub fn new(names: Vec<Cow<'static, str>>, columns: Option<&Columns>) -> Self {
        let column = |name: &Cow<'static, str>| columns.and_then(|columns| columns.find(name));
        let columns = names.iter().filter_map(column).collect();
        Self { names, columns }
    }

    /// The column of that number.
    pub fn column(number: usize, columns: &Columns) -> Self {
        Self {
            names: columns
                .0
                .get(number)
                .cloned()
                .map(Cow::Owned)
                .into_iter()
                .collect(),
            columns: vec![number],
        }
    }

    /// The numbers of the table's columns that have these names.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Whether it is what that member of an object is taken for.
    pub fn takes(&self, member: &str) -> bool {
        self.names.iter().any(|name| same_name(name, member))
    }

    /// Whether the table has such a column.
    pub fn is_column(&self) -> bool {
        !self.columns.is_empty()
    }

    /// The first name, for complaints about a field that is not there.
    pub fn name(&self) -> &str {
        self.names.first().map_or("", |name| name)
    }
}

impl Columns {
    /// The headers for a message, the first dozen.
    pub fn listed(&self) -> String {
        let more = if self.0.len() > 12 { ", …" } else { "" };
        format!(
            "{}{more}",
            self.0
                .iter()
                .take(12)
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(", ")
        )
    }

    /// The column of that name, exactly or but for case, blanks and signs.
    pub fn find(&self, name: &str) -> Option<usize> {
        let exact = self.0.iter().position(|its| its == name);
        exact.or_else(|| self.0.iter().position(|its| same_name(its, name)))
    }
}

impl<'r> Row<'r> {
    /// Whether the row has such a field at all, be it empty.
    pub fn has(self, field: &Lookup) -> bool {
        match self {
            Self::Json(map) => field.names.iter().any(|name| inside(map, name).is_some()),
            Self::Cells(..) => !field.columns.is_empty(),
        }
    }

    /// The first value of that field that is not empty. A null and blanks are empty.
    pub fn get(self, field: &'r Lookup) -> Option<Found<'r>> {
        match self {
            Self::Json(map) => field.names.iter().find_map(|name| {
                let value = inside(map, name).filter(|value| !is_empty(value))?;
                Some(Found {
                    path: Cow::Borrowed(name),
                    value: Cow::Borrowed(value),
                })
            }),
            Self::Cells(columns, cells) => field.columns.iter().find_map(|column| {
                let cell = cells.get(*column).filter(|cell| !cell.trim().is_empty())?;
                Some(Found {
                    path: Cow::Borrowed(&columns.0[*column]),
                    value: Cow::Owned(Value::from(cell.as_str())),
                })
            }),
        }
    }

    /// What the file calls that field here, for complaints.
    pub fn path(self, field: &Lookup) -> String {
        match self {
            Self::Cells(columns, _) => field
                .columns
                .first()
                .map_or(field.name(), |column| &columns.0[*column])
                .to_owned(),
            Self::Json(_) => field.name().to_owned(),
        }
    }
}

impl Found<'_> {
    /// A complaint about it.
    pub fn problem(&self, message: impl Into<String>) -> Problem {
        Problem {
            path: self.path.clone().into_owned(),
            message: message.into(),
        }
    }

    /// It as a text; numbers and truth values as they are written.
    pub fn text(&self) -> Result<String, Problem> {
        let text = match self.value.as_ref() {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Bool(flag) => flag.to_string(),
            other @ (Value::Null | Value::Array(_) | Value::Object(_)) => {
                return Err(self.problem(format!(
                    "{} is not a text, a number, true or false",
                    shown(other)
                )));
            }
        };
        if text.len() > TEXT_BYTES_MAX {
            return Err(self.problem(format!(
                "has {} bytes; at most {TEXT_BYTES_MAX} are taken",
                text.len()
            )));
        }
        // SQLite's text functions end at a NUL, so what stands behind it would be stored and never
        // found.
        if text.contains('\0') {
            return Err(self.problem("has a NUL character; remove it"));
        }
        Ok(text)
    }

    /// It as a list of names: an array, or a text with semicolons or bars between.
    pub fn texts(&self) -> Result<Vec<String>, Problem> {
        if let Value::Array(elements) = self.value.as_ref() {
            let name = |element: &Value| element.as_str().map(|name| name.trim().to_owned());
            let names: Option<Vec<String>> = elements.iter().map(name).collect();
            return names.ok_or_else(|| {
                self.problem(format!(
                    "{} is not a list of names",
                    shown(self.value.as_ref())
                ))
            });
        }
        let text = self.text()?;
        Ok(text
            .split([';', '|'])
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect())
    }
}

/// The value of `path` in `map`: a member of that name, else of that name but for case and signs,
/// else inside of members. `responses[].body` is the first element's.
fn inside<'m>(map: &'m Map<String, Value>, path: &str) -> Option<&'m Value> {
    if let Some(value) = map.get(path) {
        return Some(value);
    }
    let nested = path.split_once('.').and_then(|(outer, inner)| {
        match map.get(outer.trim_end_matches("[]"))? {
            Value::Object(members) => inside(members, inner),
            // Nothing at all is a statement, too: of everything in it.
            nothing @ Value::Null => Some(nothing),
            nothing @ Value::Array(elements) if outer.ends_with("[]") && elements.is_empty() => {
                Some(nothing)
            }
            Value::Array(elements) if outer.ends_with("[]") => {
                inside(elements.first()?.as_object()?, inner)
            }
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
        }
    });
    nested.or_else(|| {
        map.iter()
            .find(|(name, _)| same_name(name, path))
            .map(|(_, value)| value)
    })
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(elements) => elements.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

// A platform's entry and a file's columns brought together, and how a review is made of a row by
// them: every fault of the row at once. Knows neither the file nor the database.

/// A platform's entry and a file's columns brought together, once per file.
#[derive(Debug)]
pub struct Plan<'o> {
    name: &'static str,
    platform: &'static Platform,
    request: &'o ImportRequest,
    fields: [Lookup; Field::ALL.len()],
    hidden: Vec<(Lookup, &'static Hidden)>,
    /// The columns that say whether a row is public, of which the platform's entry says nothing; `None` where each row's
    /// members must be looked at.
    states: Option<Vec<(Lookup, Says)>>,
    keys: Vec<Lookup>,
    /// By which rows answer each other: the parent, and who wrote.
    comments: Option<(Lookup, Lookup)>,
    /// Whether the headers are of a language that writes the day before the month.
    is_day_first: bool,
}

impl<'o> Plan<'o> {
    /// The plan for a file with these columns, or for objects.
    pub fn new(
        name: &'static str,
        platform: &'static Platform,
        columns: Option<&Columns>,
        request: &'o ImportRequest,
    ) -> Self {
        let lookup = |names: &'static [&'static str]| {
            Lookup::new(names.iter().copied().map(Cow::Borrowed).collect(), columns)
        };
        let fields = Field::ALL.map(|(field, ours)| {
            let renamed = request
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
            request,
            fields,
            hidden,
            states: None,
            keys,
            comments: platform
                .comments
                .as_ref()
                .map(|its| (lookup(its.parent), lookup(its.writer))),
            is_day_first: false,
        };
        if let Some(columns) = columns.filter(|_| platform.reads_headers) {
            plan.read_headers(columns);
        }
        plan.states = plan.find_states(columns);
        plan
    }

    /// Finds columns of the fields that none has under its English name: by the words of other languages, and by what a form
    /// asks. No column fills two fields.
    fn read_headers(&mut self, columns: &Columns) {
        let mut taken = self.used();
        let renamed = |field: Field| {
            let (_, ours) = Field::ALL[field as usize];
            !ours.is_empty() && self.request.renames.iter().any(|its| its.ours() == ours)
        };
        let is_open: Vec<bool> = Field::ALL
            .map(|(field, _)| !self.field(field).is_column() && !renamed(field))
            .into();
        let is_open = |field: Field| is_open[field as usize];
        let named = |names: &[&str], taken: &HashSet<usize>| {
            let all = |name: &&str| {
                let columns = columns.0.iter().enumerate();
                let is_called = |its: &str| {
                    // `Stars (1-5)`, `Name (optional)`
                    let (before, _) = its.split_once('(').unwrap_or((its, ""));
                    same_name(its, name) || same_name(before, name)
                };
                columns
                    .filter(|(number, its)| !taken.contains(number) && is_called(its))
                    .map(|(number, _)| number)
                    .next()
            };
            names.iter().find_map(all)
        };
        let mut found: Vec<(Field, usize)> = Vec::new();
        for (field, names) in self.platform.fields {
            if is_open(*field)
                && let Some(number) = named(names, &taken)
            {
                taken.insert(number);
                found.push((*field, number));
            }
        }
        let in_english = found.len();
        for (field, names) in table::OTHER_LANGUAGES {
            if is_open(*field)
                && !found.iter().any(|(its, _)| its == field)
                && let Some(number) = named(names, &taken)
            {
                taken.insert(number);
                found.push((*field, number));
            }
        }
        let is_found = |field: Field, found: &[(Field, usize)]| {
            !is_open(field) || found.iter().any(|(its, _)| *its == field)
        };
        for field in [Field::Rating, Field::Text] {
            if !is_found(field, &found)
                && let Some(number) = named(table::AMBIGUOUS, &taken)
            {
                taken.insert(number);
                found.push((field, number));
            }
        }
        self.is_day_first = found.len() > in_english;
        for (field, words) in table::QUESTIONS {
            if !is_found(*field, &found)
                && let Some(number) = asked(columns, *field, words, &taken)
            {
                taken.insert(number);
                found.push((*field, number));
            }
        }
        for (field, number) in found {
            self.fields[field as usize] = Lookup::column(number, columns);
        }
    }

    fn find_states(&self, columns: Option<&Columns>) -> Option<Vec<(Lookup, Says)>> {
        let mapped = self
            .request
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
        let mut known = self.used();
        known.extend(self.comment_columns());
        let says = |(number, name): (usize, &String)| {
            let says = Says::find(name).filter(|_| !known.contains(&number))?;
            Some((Lookup::column(number, columns), says))
        };
        Some(columns.0.iter().enumerate().filter_map(says).collect())
    }

    fn comment_columns(&self) -> impl Iterator<Item = usize> {
        let both = self.comments.iter().flat_map(|(one, other)| [one, other]);
        both.flat_map(|lookup| lookup.columns().iter().copied())
    }

    /// The numbers of the columns that fill fields, or say whether a row is public.
    fn used(&self) -> HashSet<usize> {
        let hidden = self.hidden.iter().map(|(lookup, _)| lookup);
        let states = self.states.iter().flatten().map(|(lookup, _)| lookup);
        let lookups = self.fields.iter().chain(hidden).chain(states);
        lookups
            .flat_map(|lookup| lookup.columns().iter().copied())
            .collect()
    }

    /// What becomes of the columns of a table, for people.
    pub fn columns(&self, columns: &Columns) -> TableColumns {
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
        let mut taken = self.used();
        taken.extend(self.comment_columns());
        if let Some((parent, writer)) = &self.comments {
            add("answer to", parent);
            add("user", writer);
        }
        let unused = columns
            .0
            .iter()
            .enumerate()
            .filter(|(number, name)| !taken.contains(number) && !name.trim().is_empty());
        TableColumns {
            sheet: None,
            other_sheets: Vec::new(),
            row: 1,
            unused: unused.map(|(_, name)| name.clone()).collect(),
            used,
        }
    }

    /// The review that `row` describes, or everything that is wrong with it.
    pub fn review(&self, row: Row<'_>) -> Result<Incoming, Vec<Problem>> {
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
        let writer = noted(&mut wrong, self.writer(row));
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
                noted: Noted {
                    former: its.former,
                    writer: writer?,
                    ..Noted::default()
                },
            })
        };
        made().ok_or(wrong)
    }

    /// What `row` says if it is no review, but answers one; or everything that is wrong with it.
    pub fn comment(&self, row: Row<'_>) -> Option<Result<Comment, Vec<Problem>>> {
        let (parent, _) = self.comments.as_ref()?;
        let found = row.get(parent)?;
        let rating = row.get(self.field(Field::Rating));
        let is_rated = rating.is_some_and(|its| its.text().is_ok_and(|text| text.trim() != "0"));
        let parent = found
            .text()
            .ok()
            .filter(|its| its.trim() != "0" && !is_rated)?;
        let mut wrong = Vec::new();
        let review = noted(
            &mut wrong,
            self.platform_id(parent.trim())
                .map_err(|error| found.problem(error.to_string())),
        );
        let text = noted(&mut wrong, self.text(row, Field::Text));
        let posted = noted(&mut wrong, self.dated(row, Field::Date));
        let writer = noted(&mut wrong, self.writer(row));
        let status = noted(&mut wrong, self.status(row, false, None));
        let made = || {
            let is_public = !matches!(status?, Stated::Given(Status::Withheld { .. }));
            Some(Comment {
                review: review?,
                writer: writer?.filter(|_| is_public),
                response: IncomingResponse {
                    text: text?.unwrap_or_default(),
                    posted: posted?,
                    author: None,
                },
            })
        };
        Some(made().ok_or(wrong))
    }

    /// The number of the user who wrote the row; `None` for a visitor.
    fn writer(&self, row: Row<'_>) -> Result<Option<String>, Problem> {
        let Some((_, writer)) = &self.comments else {
            return Ok(None);
        };
        let number = row.get(writer).map(|found| found.text()).transpose()?;
        Ok(number.filter(|number| number.trim() != "0"))
    }

    /// Our id of the review that the platform calls `theirs`.
    fn platform_id(&self, theirs: &str) -> Result<ReviewId, InvalidReviewId> {
        values::of_platform(self.platform.ids.unwrap_or(self.name), theirs)
    }

    /// What is read of `row`, under its names there: for the file of rejected rows, which can be
    /// mended and imported.
    pub fn raw(&self, row: Row<'_>) -> Value {
        let lookups = self
            .fields
            .iter()
            .chain(self.hidden.iter().map(|(lookup, _)| lookup))
            .chain(self.states.iter().flatten().map(|(lookup, _)| lookup))
            .chain(self.comments.iter().flat_map(|(one, other)| [one, other]))
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
    pub fn complete(&self, columns: &Columns, used: &TableColumns) -> Result<(), FileError> {
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
                    "text" => self.request.no_text,
                    _ => false,
                };
                !is_there(fields) && !may_lack
            })
            .map(|(_, ours)| ours)
            .collect();
        let renames =
            self.request.renames.iter().filter(|rename| {
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
    pub fn scale_of_ten(&self, row: Row<'_>) -> Option<String> {
        let text = row.get(self.field(Field::Rating))?.text().ok()?;
        (self.request.scale.is_none() && rating::shows_scale_of_ten(&text)).then_some(text)
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

    fn problem(&self, row: Row<'_>, field: Field, message: impl Into<String>) -> Problem {
        Problem {
            path: row.path(self.field(field)),
            message: message.into(),
        }
    }

    fn missing(&self, row: Row<'_>, field: Field) -> Problem {
        self.problem(row, field, "missing")
    }
}

/// The column whose question has one of these words. Of several the first is the text, and the one that asks for everything the
/// rating.
fn asked(
    columns: &Columns,
    field: Field,
    wanted: &[&str],
    taken: &HashSet<usize>,
) -> Option<usize> {
    let has =
        |question: &str, all: &[&str]| all.iter().any(|its| question.contains(words(its).as_str()));
    let questions: Vec<(usize, String)> = columns
        .0
        .iter()
        .enumerate()
        .filter(|(number, name)| !taken.contains(number) && is_question(name))
        .map(|(number, name)| (number, words(name)))
        .filter(|(_, question)| has(question, wanted) && !has(question, table::NOT_ASKED))
        .collect();
    match questions.as_slice() {
        [(only, _)] => Some(*only),
        [(first, _), ..] if field == Field::Text => Some(*first),
        several => {
            let mut overall = several
                .iter()
                .filter(|(_, question)| has(question, &["overall"]));
            let first = overall.next()?;
            overall.next().is_none().then_some(first.0)
        }
    }
}

/// Whether a header is what a form asks, and not a name.
fn is_question(header: &str) -> bool {
    header.contains('?') || header.split_whitespace().count() >= 3
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
    former: Option<Former>,
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
        let theirs = row.get(self.field(Field::Id)).map(|found| found.text());
        let has_id = theirs.is_some();
        let former = self.platform.was_table.then(|| Former {
            // A table still has the ids that it had.
            id: theirs
                .and_then(Result::ok)
                .filter(|_| self.platform.vouches),
            was_direct: self.platform.vouches || self.request.source.is_some(),
            author: author.clone(),
        });
        Some(Identified {
            id,
            has_id,
            posted,
            author,
            title,
            text,
            source,
            former,
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
            // Birdeye's report has the word where the stars would be.
            (Some((_, text)), _) if text.to_lowercase().contains("recommend") => {
                recommendation(&text)
                    .map(|stars| (stars, true))
                    .map_err(|error| self.problem(row, Field::Rating, error))
            }
            (Some((found, text)), _) => rating::parse(&text, self.request.scale)
                .map(|stars| (stars, false))
                .map_err(|error| found.problem(error)),
            (None, None) => Err(self.missing(row, Field::Rating)),
        }
    }

    fn dates(&self) -> Dates<'o> {
        Dates {
            format: self.request.date_format.as_deref(),
            order: self
                .platform
                .date_order
                .or(self.is_day_first.then_some(DateOrder::DayFirst)),
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
            || {
                let named = self.request.source.as_deref();
                named.unwrap_or(self.platform.source).to_owned()
            },
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
                own.map_or_else(|| self.platform_id(id), Ok),
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
        | "doesn't recommend" | "does not recommend" | "no" | "false" | "0" => 1,
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
