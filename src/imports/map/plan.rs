//! Turns rows into reviews by their columns, and reports all errors of a row together.
//!
//! A row is a JSON object, or the cells of a table under their headers. A column is found by its exact name, then by
//! its letters and digits, then by a path into nested objects.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::imports::file_error::FileError;
use crate::imports::map::date::{DateOrder, Dates};
use crate::imports::map::fields::{
    self, FieldError, Names, check_text, names, noted, or_default, shown,
};
use crate::imports::map::values::{
    NOT_PUBLISHED, flag, is_public, language_tag, parse_rating, quoted, readable, same_name,
    shows_scale_of_ten, without_address, words,
};
use crate::imports::map::words::Says;
use crate::imports::map::{
    Answer, Calendar, Comment, Dated, Incoming, Noted, Posted, ReviewField, STATUS, Stated,
    StatedParts, answer, values,
};
use crate::imports::platforms::format::{Format, Hidden, NO_STARS, When};
use crate::imports::platforms::table;
use crate::imports::platforms::table::CombinedHeader;
use crate::imports::report::TableColumns;
use crate::imports::request::ImportRequest;
use crate::model::{
    InvalidReviewId, Mentions, Method, NOT_VERIFIED, Rating, ReviewId, Source, Status, Units,
    Verification,
};

#[derive(Debug, Clone, Copy)]
pub enum InputRow<'r> {
    Json(&'r Map<String, Value>),
    /// As many cells as columns.
    Cells(&'r Columns, &'r [String]),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns(pub Vec<String>);

/// The names of a field, in the order in which they are tried.
#[derive(Debug, Clone, Default)]
pub struct Lookup {
    names: Vec<Cow<'static, str>>,
    /// In a table, the columns with these names.
    columns: Vec<usize>,
}

#[derive(Debug, Clone)]
pub struct FieldValue<'r> {
    /// The column's header, or the path in the object.
    pub path: &'r str,
    /// In a table, the cell as a JSON string.
    pub value: Cow<'r, Value>,
}

impl Lookup {
    /// A field with these names.
    pub fn new(names: Vec<Cow<'static, str>>, columns: Option<&Columns>) -> Self {
        let column = |name: &Cow<'static, str>| columns.and_then(|columns| columns.find(name));
        let columns = names.iter().filter_map(column).collect();
        Self { names, columns }
    }

    /// A field with the name that `--map` gives; if it is empty, none has it.
    fn renamed(theirs: &str, columns: Option<&Columns>) -> Self {
        let name = Some(theirs).filter(|theirs| !theirs.is_empty());
        let names = name.map(|name| Cow::Owned(name.to_owned())).into_iter();
        Self::new(names.collect(), columns)
    }

    pub fn column(number: usize, columns: &Columns) -> Self {
        let name = columns.0.get(number).cloned().map(Cow::Owned);
        Self {
            names: name.into_iter().collect(),
            columns: vec![number],
        }
    }
}

impl Columns {
    /// The first dozen headers, for messages.
    pub fn listed(&self) -> String {
        let more = if self.0.len() > 12 { ", …" } else { "" };
        format!("{}{more}", self.0[..self.0.len().min(12)].join(", "))
    }

    /// The column with this name, exactly or except for case, blanks and punctuation.
    pub fn find(&self, name: &str) -> Option<usize> {
        let exact = self.0.iter().position(|its| its == name);
        exact.or_else(|| self.0.iter().position(|its| same_name(its, name)))
    }
}

impl<'r> InputRow<'r> {
    /// Whether the row has the field, even if empty.
    pub fn has(self, field: &Lookup) -> bool {
        match self {
            Self::Json(map) => field.names.iter().any(|name| inside(map, name).is_some()),
            Self::Cells(..) => !field.columns.is_empty(),
        }
    }

    /// The first value of the field that is neither null nor blank.
    pub fn get(self, field: &'r Lookup) -> Option<FieldValue<'r>> {
        match self {
            Self::Json(map) => field.names.iter().find_map(|name| {
                let value = inside(map, name).filter(|value| !is_empty(value))?;
                Some(FieldValue {
                    path: name,
                    value: Cow::Borrowed(value),
                })
            }),
            Self::Cells(columns, cells) => field.columns.iter().find_map(|column| {
                let cell = cells.get(*column).filter(|cell| !cell.trim().is_empty())?;
                Some(FieldValue {
                    path: &columns.0[*column],
                    value: Cow::Owned(Value::from(cell.as_str())),
                })
            }),
        }
    }

    /// The file's name of the field, for messages.
    pub fn path(self, field: &Lookup) -> String {
        let column = match self {
            Self::Cells(columns, _) => field.columns.first().map(|column| &columns.0[*column]),
            Self::Json(_) => None,
        };
        let name = || field.names.first().map(AsRef::as_ref);
        let path = column.map(String::as_str).or_else(name);
        path.unwrap_or_default().to_owned()
    }
}

/// The values of cells whose formula failed (ECMA-376 part 1, §18.18.11). Text that begins with a sign is such a formula
/// where it was typed into a spreadsheet.
const SPREADSHEET_ERRORS: [&str; 7] = [
    "#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!",
];

impl FieldValue<'_> {
    pub fn problem(&self, message: impl Into<String>) -> FieldError {
        FieldError::new(self.path, message)
    }

    /// The value as text; numbers and booleans as written.
    pub fn text(&self) -> Result<String, FieldError> {
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
        check_text(&text, "").map_err(|message| self.problem(message))?;
        let is_cell = matches!(self.value, Cow::Owned(_));
        if is_cell && SPREADSHEET_ERRORS.contains(&text.trim()) {
            return Err(self.problem(format!(
                "{} is an error of the spreadsheet; correct the cell's formula, or empty the cell",
                text.trim()
            )));
        }
        Ok(text)
    }

    /// The text as `read` converts it; `read` fails with a message about the value.
    fn read<T>(&self, read: impl FnOnce(&str) -> Result<T, String>) -> Result<T, FieldError> {
        read(&self.text()?).map_err(|message| self.problem(message))
    }

    /// The value as a list of names: an array, or a text separated by semicolons or bars.
    pub fn texts(&self) -> Result<Vec<String>, FieldError> {
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

/// The value at `path` in `map`: a member with that name, then one with that name except for case and punctuation, then
/// nested members. `responses[].body` is the first element's.
fn inside<'m>(map: &'m Map<String, Value>, path: &str) -> Option<&'m Value> {
    if let Some(value) = map.get(path) {
        return Some(value);
    }
    let nested = path.split_once('.').and_then(|(outer, inner)| {
        match map.get(outer.trim_end_matches("[]"))? {
            Value::Object(members) => inside(members, inner),
            // Null and an empty array also count as the values of all nested fields.
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

/// A format's entry matched with the columns of a file, once per file.
#[derive(Debug)]
pub struct Plan<'o> {
    pub format: &'static Format,
    pub request: &'o ImportRequest,
    fields: [Lookup; ReviewField::ALL.len()],
    hidden: Vec<(Lookup, &'static Hidden)>,
    /// The columns that show whether a row is public, without those that the format's entry names; `None` if the
    /// members of each row must be checked.
    states: Option<Vec<(Lookup, Says)>>,
    keys: Vec<Lookup>,
    /// The columns of rows that answer each other: the parent, and the author's user number.
    comments: Option<(Lookup, Lookup)>,
    /// Whether the headers are in a language that writes the day before the month.
    is_day_first: bool,
    /// Columns that may fill the same field, none by its exact name.
    doubtful: Vec<(ReviewField, Vec<String>)>,
    /// In a file of objects, what no row has had so far.
    absent: Absent,
}

#[derive(Debug)]
struct Absent {
    /// Whether no row has had a text, although one is expected.
    text: bool,
    /// The names in `--map` that no row has had.
    renames: Vec<String>,
    /// The names of the first row's members.
    members: Option<Columns>,
}

/// Columns that do not fill a field yet, with their numbers.
type Free<'c> = Vec<(usize, &'c str)>;

impl<'o> Plan<'o> {
    /// `columns` is `None` for a file of objects.
    pub fn new(
        format: &'static Format,
        columns: Option<&Columns>,
        request: &'o ImportRequest,
    ) -> Self {
        let lookup = |list: Names| Lookup::new(names(list).map(Cow::Borrowed).collect(), columns);
        let fields = ReviewField::ALL.map(|field| {
            if let Some(theirs) = request.rename(field.name()) {
                return Lookup::renamed(theirs, columns);
            }
            let listed = format.fields.get(&field);
            listed.map_or_else(Lookup::default, |list| lookup(list))
        });
        let hidden = format.hidden.iter();
        let keys = format.keys.iter().flat_map(|set| names(set));
        let comments = format.comments.as_ref();
        let mut plan = Self {
            format,
            request,
            fields,
            hidden: hidden.map(|its| (lookup(its.names), its)).collect(),
            states: None,
            keys: keys.map(lookup).collect(),
            comments: comments.map(|its| (lookup(its.parent), lookup(its.writer))),
            is_day_first: false,
            doubtful: Vec::new(),
            absent: Absent {
                // A platform's file may consist of ratings alone.
                text: format.reads_headers && !request.no_text,
                renames: request
                    .renames
                    .iter()
                    .map(|its| its.theirs.clone())
                    .filter(|its| !its.is_empty())
                    .collect(),
                members: None,
            },
        };
        if let Some(columns) = columns.filter(|_| format.reads_headers) {
            plan.read_headers(columns);
            if !plan.field(ReviewField::Author).columns.is_empty() {
                plan.read_whole_name();
            }
        }
        plan.states = plan.find_states(columns);
        plan
    }

    /// Finds columns for fields without an English header: by words of other languages, by a form's questions, and by a
    /// known word beside neutral ones. No column fills two fields.
    fn read_headers(&mut self, columns: &Columns) {
        // The other columns may be private, so they do not fill the gaps of the first.
        self.fields
            .iter_mut()
            .for_each(|its| its.columns.truncate(1));
        let taken = self.used();
        let mut free: Free<'_> = (0..).zip(columns.0.iter().map(String::as_str)).collect();
        free.retain(|(number, _)| !taken.contains(number));
        let mut open = ReviewField::ALL.to_vec();
        open.retain(|field| {
            let is_renamed = self.request.rename(field.name()).is_some();
            self.field(*field).columns.is_empty() && !is_renamed
        });
        let fields = &mut self.fields;
        let mut fill = |field: ReviewField, find: &mut dyn FnMut(&Free<'_>) -> Option<usize>| {
            let is_open = open.contains(&field);
            let Some(number) = is_open.then(|| find(&free)).flatten() else {
                return false;
            };
            open.retain(|its| *its != field);
            free.retain(|(its, _)| *its != number);
            fields[field as usize] = Lookup::column(number, columns);
            true
        };
        for (field, list) in &self.format.fields {
            fill(*field, &mut |free| called(list, free));
        }
        for (field, list) in &table::HEADERS.other_languages {
            self.is_day_first |= fill(*field, &mut |free| called(list, free));
        }
        for field in [ReviewField::Rating, ReviewField::Text] {
            self.is_day_first |= fill(field, &mut |free| called(&table::HEADERS.ambiguous, free));
        }
        for (field, words) in &table::HEADERS.questions {
            fill(*field, &mut |free| asked(free, *field, words));
        }
        for (field, header) in &table::HEADERS.combined {
            fill(*field, &mut |free| {
                let combined = combined(header, free);
                if let [only] = combined.as_slice() {
                    return Some(only.0);
                }
                let both = combined.iter().map(|(_, name)| (*name).to_owned());
                self.doubtful.push((*field, both.collect()));
                None
            });
        }
    }

    /// In a file of objects: the first name of a field that a row has is the field's name in all rows, like a column.
    fn choose_names(&mut self, members: &Map<String, Value>) {
        for (field, list) in &self.format.fields {
            let has = |name: &&str| inside(members, name).is_some();
            let is_renamed = self.request.rename(field.name()).is_some();
            let Some(name) = names(list).find(has).filter(|_| !is_renamed) else {
                continue;
            };
            let chosen = &mut self.fields[*field as usize].names;
            match chosen.as_slice() {
                [] => {}
                [chosen] if chosen == name => {}
                [chosen] => {
                    let is_known = self.doubtful.iter().any(|(its, _)| its == field);
                    if !is_known {
                        let both = vec![chosen.to_string(), name.to_owned()];
                        self.doubtful.push((*field, both));
                    }
                }
                _ => *chosen = vec![Cow::Borrowed(name)],
            }
        }
        if self.field(ReviewField::Author).names.len() == 1 {
            self.read_whole_name();
        }
    }

    /// A blank author is not filled from the parts of a name, either.
    fn read_whole_name(&mut self) {
        for part in [ReviewField::FirstName, ReviewField::LastName] {
            self.fields[part as usize] = Lookup::default();
        }
    }

    fn find_states(&self, columns: Option<&Columns>) -> Option<Vec<(Lookup, Says)>> {
        if let Some(theirs) = self.request.rename(STATUS) {
            let theirs = Some(theirs).filter(|theirs| !theirs.is_empty());
            let state = |theirs: &str| {
                let lookup = Lookup::renamed(theirs, columns);
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

    /// Every lookup of the plan.
    fn lookups(&self) -> impl Iterator<Item = &Lookup> {
        let comments = self.comments.iter().flat_map(|(one, other)| [one, other]);
        let lookups = self.fields.iter().chain(self.visibility());
        lookups.chain(comments)
    }

    /// The lookups that show whether a row is public.
    fn visibility(&self) -> impl Iterator<Item = &Lookup> {
        let states = self.states.iter().flatten().map(|(lookup, _)| lookup);
        let hidden = self.hidden.iter().map(|(lookup, _)| lookup);
        hidden.chain(states)
    }

    /// The numbers of the columns that fill a field.
    fn used(&self) -> HashSet<usize> {
        let lookups = self.lookups();
        lookups
            .flat_map(|its| its.columns.iter().copied())
            .collect()
    }

    /// The use of a table's columns, for the report.
    pub fn columns(&self, columns: &Columns) -> TableColumns {
        let always = ["rating", "date", "author", "text", "response"];
        let mut used: Vec<(&'static str, Vec<String>)> =
            always.map(|field| (field, Vec::new())).into();
        let mut add = |field: &'static str, lookup: &Lookup| {
            for name in lookup
                .columns
                .iter()
                .filter_map(|number| columns.0.get(*number))
            {
                match used.iter_mut().find(|(its, _)| *its == field) {
                    Some((_, its)) if its.contains(name) => {}
                    Some((_, its)) => its.push(name.clone()),
                    None => used.push((field, vec![name.clone()])),
                }
            }
        };
        for field in ReviewField::ALL {
            #[expect(clippy::wildcard_enum_match_arm, reason = "most go by their own names")]
            let shown = match field {
                ReviewField::FirstName | ReviewField::LastName => "author",
                ReviewField::Recommended => "rating",
                ReviewField::Matched => "verification.method",
                ReviewField::ResponseText => "response",
                _ => field.name(),
            };
            add(shown, self.field(field));
        }
        self.visibility().for_each(|lookup| add(STATUS, lookup));
        if let Some((parent, writer)) = &self.comments {
            add("answer to", parent);
            add("user", writer);
        }
        let taken = self.used();
        let unused = columns.0.iter().enumerate();
        let unused =
            unused.filter(|(number, name)| !taken.contains(number) && !name.trim().is_empty());
        TableColumns {
            unused: unused.map(|(_, name)| name.clone()).collect(),
            used,
            ..TableColumns::default()
        }
    }

    /// The review id for the platform's id `theirs`.
    fn platform_id(&self, theirs: &str) -> Result<ReviewId, InvalidReviewId> {
        values::of_platform(self.format.ids.unwrap_or(self.format.name), theirs)
    }

    /// Refuses a table that lacks a column for a required field.
    pub fn complete(&self, columns: &Columns, used: &TableColumns) -> Result<(), FileError> {
        let author = [
            ReviewField::Author,
            ReviewField::FirstName,
            ReviewField::LastName,
        ];
        let needed: [(&[ReviewField], &'static str, bool); 4] = [
            (
                &[ReviewField::Rating, ReviewField::Recommended],
                "rating",
                true,
            ),
            (&[ReviewField::Date], "date", true),
            (&author, "author", self.format.anonymous.is_none()),
            (&[ReviewField::Text], "text", !self.request.no_text),
        ];
        let is_there = |field: &ReviewField| !self.field(*field).columns.is_empty();
        let lacks = needed
            .into_iter()
            .filter(|(fields, _, is_needed)| *is_needed && !fields.iter().any(is_there));
        let lacks: Vec<&'static str> = lacks.map(|(_, ours, _)| ours).collect();
        let is_unknown = |theirs: &&String| !theirs.is_empty() && columns.find(theirs).is_none();
        let unknown = self.request.renames.iter().map(|rename| &rename.theirs);
        let unknown: Vec<String> = unknown.filter(is_unknown).cloned().collect();
        if lacks.is_empty() && unknown.is_empty() {
            return Ok(());
        }
        let doubtful = self.doubtful.iter().filter(|(_, names)| !names.is_empty());
        let doubtful = doubtful.map(|(field, names)| (field.name(), names.clone()));
        let doubtful: Vec<_> = doubtful.filter(|(ours, _)| lacks.contains(ours)).collect();
        Err(wrong_columns(
            columns,
            &unknown,
            &lacks,
            &doubtful,
            &used.unused,
        ))
    }

    /// Notes what an object has; see [`Plan::complete_objects`].
    pub fn note_object(&mut self, members: &Map<String, Value>) {
        if self.format.reads_headers {
            self.choose_names(members);
        }
        let has_text = InputRow::Json(members).has(self.field(ReviewField::Text));
        let absent = &mut self.absent;
        absent.text &= !has_text;
        absent
            .renames
            .retain(|theirs| inside(members, theirs).is_none());
        absent
            .members
            .get_or_insert_with(|| Columns(members.keys().cloned().collect()));
    }

    /// After all rows: refuses a file of objects of which none has a text, or a name that `--map` gives, or whose rows
    /// have different names for a field.
    pub fn complete_objects(&self) -> Result<(), FileError> {
        let absent = &self.absent;
        let is_any = absent.text || !absent.renames.is_empty() || !self.doubtful.is_empty();
        let Some(members) = absent.members.as_ref().filter(|_| is_any) else {
            return Ok(());
        };
        let taken: Vec<_> = self.lookups().flat_map(|its| &its.names).collect();
        let mut unused = members.0.clone();
        unused.retain(|name| !taken.iter().any(|its| same_name(its, name)));
        let lacks: &[&str] = if absent.text { &["text"] } else { &[] };
        let doubtful = self.doubtful.iter();
        let doubtful: Vec<_> = doubtful
            .map(|(field, names)| (field.name(), names.clone()))
            .collect();
        let renames = &absent.renames;
        Err(wrong_columns(members, renames, lacks, &doubtful, &unused))
    }

    fn field(&self, field: ReviewField) -> &Lookup {
        &self.fields[field as usize]
    }

    fn parse_date(&self, text: &str) -> Result<Posted, String> {
        let day_first = self.is_day_first.then_some(DateOrder::DayFirst);
        let dates = Dates {
            format: self.request.date_format.as_deref(),
            order: self.format.date_order.or(day_first),
            zone: self.format.zone,
        };
        dates.parse(text)
    }

    pub const fn row<'p>(&'p self, row: InputRow<'p>, calendar: Calendar) -> PlannedRow<'p> {
        PlannedRow {
            plan: self,
            row,
            calendar,
        }
    }
}

/// A row, read by the plan of its file.
#[derive(Debug, Clone, Copy)]
pub struct PlannedRow<'p> {
    plan: &'p Plan<'p>,
    row: InputRow<'p>,
    calendar: Calendar,
}

impl<'p> PlannedRow<'p> {
    fn get(&self, field: ReviewField) -> Option<FieldValue<'p>> {
        self.row.get(self.plan.field(field))
    }

    fn has(&self, field: ReviewField) -> bool {
        self.row.has(self.plan.field(field))
    }

    /// The review, or all its errors.
    pub fn review(&self) -> Result<Incoming, Vec<FieldError>> {
        let mut wrong = Vec::new();
        let its = &mut wrong;
        let (rating, is_starless) = noted(its, self.rating()).unzip();
        let posted = noted(its, self.date());
        let author = noted(its, self.author());
        let text = or_default(its, self.text(ReviewField::Text)).unwrap_or_default();
        let title = or_default(its, self.stated(ReviewField::Title));
        let source = noted(its, self.source());
        let id = or_default(its, self.id());
        let language = or_default(its, self.language());
        let location = or_default(its, self.text(ReviewField::Location));
        let verification = or_default(its, self.verification());
        let status = self.status(is_starless == Some(true), &verification);
        // A file without texts gives no statement about them; platforms leave out an object's empty text.
        let has_text = self.has(ReviewField::Text)
            || matches!(self.row, InputRow::Json(_)) && !self.plan.request.no_text;
        let stated = StatedParts {
            title,
            text: if has_text {
                Stated::Given(text)
            } else {
                Stated::Unsaid
            },
            language,
            source: source.map_or(Stated::Unsaid, Stated::Given),
            location,
            status: or_default(its, status),
            verification,
            mentions: or_default(its, self.mentions()),
            response: or_default(its, self.response()),
            updated: or_default(its, self.posted(ReviewField::UpdatedAt)),
            decided: Units::NONE,
            noted: Noted {
                writer: or_default(its, self.writer()),
                ..Noted::default()
            },
        };
        Incoming::of(id, rating, posted, author, stated, wrong)
    }

    /// The answer in the row, or all its errors; `None` if the row is not an answer.
    pub fn comment(&self) -> Option<Result<Comment, Vec<FieldError>>> {
        let (parent, _) = self.plan.comments.as_ref()?;
        let found = self.row.get(parent)?;
        let rating = self.get(ReviewField::Rating);
        let is_rated = rating.is_some_and(|its| its.text().is_ok_and(|text| text.trim() != "0"));
        let parent = found.text().ok();
        let parent = parent.filter(|its| its.trim() != "0" && !is_rated)?;
        let mut wrong = Vec::new();
        let its = &mut wrong;
        let id = self.plan.platform_id(parent.trim());
        let review = noted(its, id.map_err(|error| found.problem(error.to_string())));
        let text = or_default(its, self.text(ReviewField::Text)).unwrap_or_default();
        let posted = or_default(its, self.dated(ReviewField::Date));
        let writer = or_default(its, self.writer());
        let status = or_default(its, self.status(false, &Stated::Unsaid));
        let is_public = status.given().is_none_or(|its| *its == Status::Published);
        let made = review.filter(|_| wrong.is_empty()).map(|review| Comment {
            review,
            writer: writer.filter(|_| is_public),
            answer: answer(text, posted, None),
        });
        Some(made.ok_or(wrong))
    }

    /// User number of the row's author; `None` for a visitor.
    fn writer(&self) -> Result<Option<String>, FieldError> {
        let Some((_, writer)) = &self.plan.comments else {
            return Ok(None);
        };
        let number = self.row.get(writer).map(|found| found.text()).transpose()?;
        Ok(number.filter(|number| number.trim() != "0"))
    }

    /// The members of the row that are read, for the file of rejected rows, which is imported with the same options. In a
    /// table, whose headers may be in any language, each field has the format's name unless `--map` gives its column.
    pub fn raw(&self) -> Value {
        let plan = self.plan;
        let mut read = Map::new();
        for field in ReviewField::ALL.into_iter().filter(|its| self.has(*its)) {
            let is_renamed = plan.request.rename(field.name()).is_some();
            let listed = plan.format.fields.get(&field);
            let listed = listed.filter(|_| plan.format.reads_headers && !is_renamed);
            let ours = listed.and_then(|list| names(list).next());
            let name = ours.or_else(|| self.get(field).map(|found| found.path));
            let path = || self.row.path(plan.field(field));
            let name = name.map_or_else(path, str::to_owned);
            read.insert(name, self.converted(field));
        }
        if let InputRow::Json(members) = self.row {
            let states = members
                .iter()
                .filter(|(name, _)| Says::find(name).is_some());
            read.extend(states.map(|(name, value)| (name.clone(), value.clone())));
            for (outer, inner) in self.reviews_inside() {
                let mut states = inner.clone();
                states.retain(|name, _| Says::find(name).is_some());
                if !states.is_empty() {
                    read.insert(outer.to_owned(), Value::Object(states));
                }
            }
        }
        let comments = plan.comments.iter().flat_map(|(one, other)| [one, other]);
        for lookup in plan.visibility().chain(comments).chain(&plan.keys) {
            // A name that identifies a format may belong to a whole object.
            let found = self.row.get(lookup);
            if let Some(found) = found.filter(|found| !found.value.is_object()) {
                read.entry(found.path)
                    .or_insert_with(|| found.value.into_owned());
            } else if self.row.has(lookup) {
                read.entry(self.row.path(lookup)).or_insert(Value::from(""));
            }
        }
        Value::Object(read)
    }

    /// The value of a field that the row has: stars and dates, if they are valid, in forms that every option reads alike,
    /// otherwise as in the file; names without an e-mail address.
    fn converted(&self, field: ReviewField) -> Value {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others are texts")]
        let value = match field {
            ReviewField::Rating => match self.rating() {
                Ok((rating, false)) => Some(Value::from(format!("{}/5", rating.stars()))),
                Ok((_, true)) | Err(_) => None,
            },
            ReviewField::Date
            | ReviewField::ResponseDate
            | ReviewField::UpdatedAt
            | ReviewField::VerifiedAt => {
                let posted = self.posted(field).ok().flatten();
                posted.map(|posted| Value::from(posted.to_string()))
            }
            ReviewField::Author | ReviewField::FirstName | ReviewField::LastName => {
                let name = self.text(field).ok().flatten();
                name.map(|name| Value::from(without_address(&name)))
            }
            _ => None,
        };
        let raw = || self.get(field).map(|found| readable(&found.value, &[]));
        value.or_else(raw).unwrap_or_else(|| Value::from(""))
    }

    /// A rating that proves a scale of 10, if no scale was given.
    pub fn scale_of_ten(&self) -> Option<String> {
        let text = self.get(ReviewField::Rating)?.text().ok()?;
        (self.plan.request.scale.is_none() && shows_scale_of_ten(&text)).then_some(text)
    }

    fn text(&self, field: ReviewField) -> Result<Option<String>, FieldError> {
        self.get(field).map(|found| found.text()).transpose()
    }

    /// The field's text as `read` converts it.
    fn read<T>(
        &self,
        field: ReviewField,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, FieldError> {
        self.get(field).map(|found| found.read(read)).transpose()
    }

    fn stated(&self, field: ReviewField) -> Result<Stated<String>, FieldError> {
        Ok(match self.text(field)? {
            Some(text) => Stated::Given(text.trim().to_owned()),
            None => self.without_value(field),
        })
    }

    fn language(&self) -> Result<Stated<String>, FieldError> {
        Ok(match self.stated(ReviewField::Language)? {
            Stated::Given(text) => language_tag(&text).map_or(Stated::Unsaid, Stated::Given),
            none @ (Stated::None | Stated::Unsaid) => none,
        })
    }

    /// The statement of a row in which the field has no value.
    fn without_value<T>(&self, field: ReviewField) -> Stated<T> {
        if self.has(field) {
            Stated::None
        } else {
            Stated::Unsaid
        }
    }

    fn problem(&self, field: ReviewField, message: impl Into<String>) -> FieldError {
        FieldError::new(self.row.path(self.plan.field(field)), message)
    }

    /// The stars, and whether they were derived from a recommendation.
    fn rating(&self) -> Result<(Rating, bool), FieldError> {
        let recommended = self.get(ReviewField::Recommended);
        let rated = self.get(ReviewField::Rating);
        // Birdeye writes 0 for reviews without stars.
        let is_none = |text: &str| recommended.is_some() && matches!(text.trim(), "0" | "0.0");
        let text = rated.as_ref().map(FieldValue::text).transpose()?;
        let text = text.filter(|text| !is_none(text));
        let (found, text, is_recommendation) = match (rated, text, recommended) {
            (Some(found), Some(text), _) => {
                // Birdeye's report has the word in place of the stars.
                let is_recommendation = text.to_lowercase().contains("recommend");
                (found, text, is_recommendation)
            }
            (_, None, Some(found)) => {
                let text = found.text()?;
                (found, text, true)
            }
            _ => return Err(self.problem(ReviewField::Rating, "missing")),
        };
        let stars = if is_recommendation {
            recommendation(&text)
        } else {
            parse_rating(&text, self.plan.request.scale)
        };
        let stars = stars.map_err(|error| found.problem(error))?;
        Ok((stars, is_recommendation))
    }

    fn posted(&self, field: ReviewField) -> Result<Option<Posted>, FieldError> {
        self.read(field, |text| self.plan.parse_date(text))
    }

    fn dated(&self, field: ReviewField) -> Result<Option<Dated>, FieldError> {
        let place = |text: &str| self.calendar.place(self.plan.parse_date(text)?);
        self.read(field, place)
    }

    fn date(&self) -> Result<Dated, FieldError> {
        self.dated(ReviewField::Date)?
            .ok_or_else(|| self.problem(ReviewField::Date, "missing"))
    }

    fn author(&self) -> Result<String, FieldError> {
        let whole = self.text(ReviewField::Author)?;
        let parts = [
            self.text(ReviewField::FirstName)?,
            self.text(ReviewField::LastName)?,
        ];
        let parts: Vec<&str> = parts.iter().flatten().map(|part| part.trim()).collect();
        let joined = Some(parts.join(" ")).filter(|joined| !joined.is_empty());
        let unnamed = self.plan.format.anonymous;
        match whole.map(|name| name.trim().to_owned()).or(joined) {
            // An e-mail address in the place of a name is private.
            Some(name) if name.contains('@') && !name.contains(' ') => {
                Ok(unnamed.unwrap_or("Anonymous").to_owned())
            }
            Some(name) => Ok(name),
            None => unnamed
                .map(str::to_owned)
                .ok_or_else(|| self.problem(ReviewField::Author, "missing")),
        }
    }

    fn source(&self) -> Result<Source, FieldError> {
        let (format, request) = (self.plan.format, self.plan.request);
        let named = request.source.as_deref().unwrap_or(format.source);
        let name = self.text(ReviewField::SourceName)?;
        Ok(Source {
            name: name.as_deref().map_or(named, str::trim).to_owned(),
            url: self.read(ReviewField::Url, fields::url)?,
        })
    }

    /// The row's own id, if it has one.
    fn id(&self) -> Result<Option<ReviewId>, FieldError> {
        let Some(found) = self.get(ReviewField::Id) else {
            return Ok(None);
        };
        let text = found.text()?;
        let id = text.trim();
        let own = (!self.plan.format.vouches)
            .then(|| id.parse().ok())
            .flatten();
        let id = own.map_or_else(|| self.plan.platform_id(id), Ok);
        id.map(Some)
            .map_err(|error| found.problem(error.to_string()))
    }

    fn verification(&self) -> Result<Stated<Verification>, FieldError> {
        let format = self.plan.format;
        let matched = self.text(ReviewField::Matched)?.zip(format.matched);
        let matched = matched.is_some_and(|(its, value)| value.eq_ignore_ascii_case(its.trim()));
        let verified_at = self.posted(ReviewField::VerifiedAt)?;
        let verified_at = verified_at.and_then(Posted::instant);
        if format.vouches {
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
        let verified = self.read(ReviewField::Verified, flag)?;
        let parse = |text: &str| {
            let allowed = || Method::ALL.map(Method::name).join(", ");
            Method::find(text.trim())
                .ok_or_else(|| format!("{} is not one of {}", quoted(text), allowed()))
        };
        let method = self.read(ReviewField::Method, parse)?;
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
        is_starless: bool,
        verification: &Stated<Verification>,
    ) -> Result<Stated<Status>, FieldError> {
        let withheld = |reason: &str| Ok(Stated::Given(Status::withheld(reason)));
        let mut is_shown = false;
        for (lookup, hidden) in &self.plan.hidden {
            let hides = match self.row.get(lookup) {
                Some(found) => found.read(|text| match hidden.when {
                    When::Yes => flag(text),
                    When::No => flag(text).map(|flag| !flag),
                    When::NoneOf(shown) => {
                        Ok(!names(shown).any(|its| its.eq_ignore_ascii_case(text.trim())))
                    }
                })?,
                // An empty value publishes nothing.
                None if self.row.has(lookup) && !matches!(hidden.when, When::Yes) => true,
                None => continue,
            };
            is_shown = true;
            if hides {
                return withheld(hidden.reason);
            }
        }
        if is_starless {
            return withheld(NO_STARS);
        }
        let reason = self.text(ReviewField::Reason)?;
        if verification.given().is_some_and(|its| !its.verified) {
            return withheld(reason.as_deref().unwrap_or(NOT_VERIFIED));
        }
        match self.is_public()? {
            Some(false) => withheld(reason.as_deref().unwrap_or(NOT_PUBLISHED)),
            Some(true) => Ok(Stated::Given(Status::Published)),
            None if reason.is_some() => Ok(Stated::Given(Status::Withheld { reason })),
            None if is_shown => Ok(Stated::Given(Status::Published)),
            None => Ok(Stated::Unsaid),
        }
    }

    /// The objects in the row that have the rating or the text, with their paths.
    fn reviews_inside(&self) -> impl Iterator<Item = (&'p str, &'p Map<String, Value>)> {
        let members = match self.row {
            InputRow::Json(members) => Some(members),
            InputRow::Cells(..) => None,
        };
        let fields = [ReviewField::Rating, ReviewField::Text].map(|field| self.plan.field(field));
        let names = fields.into_iter().flat_map(|field| &field.names);
        let outer = names.filter_map(|name| Some(name.rsplit_once('.')?.0));
        outer.filter_map(move |outer| Some((outer, inside(members?, outer)?.as_object()?)))
    }

    /// Whether the row is public, by columns or members that the platform's entry does not name.
    fn is_public(&self) -> Result<Option<bool>, FieldError> {
        let Some(states) = &self.plan.states else {
            return match self.row {
                InputRow::Json(members) => {
                    let is_taken = |member: &str| {
                        let mut names = self.plan.lookups().flat_map(|its| &its.names);
                        names.any(|name| same_name(name, member))
                    };
                    let mut public = is_public(members, is_taken, true)?;
                    for (outer, inner) in self.reviews_inside() {
                        let path = |name: &str| format!("{outer}.{name}");
                        let shown = is_public(inner, |name| is_taken(&path(name)), true);
                        let shown =
                            shown.map_err(|its| FieldError::new(path(&its.path), its.message));
                        public = shown?.map(|its| its && public.unwrap_or(true)).or(public);
                    }
                    Ok(public)
                }
                InputRow::Cells(..) => Ok(None),
            };
        };
        let mut public = None;
        for (lookup, says) in states {
            let text = match (self.row.get(lookup), self.row) {
                (Some(found), _) => found.text()?,
                (None, InputRow::Cells(..)) if *says == Says::Public => String::new(),
                (None, _) => continue,
            };
            let is_public = says.read(&self.row.path(lookup), &text, true)?;
            public = Some(is_public && public.unwrap_or(true));
        }
        Ok(public)
    }

    fn mentions(&self) -> Result<Stated<Mentions>, FieldError> {
        let mut any = false;
        let mut names = |field| {
            let Some(found) = self.get(field) else {
                return Ok(Vec::new());
            };
            any = true;
            let names = found.texts()?;
            // Mentions are read packed between control characters.
            let broken = names.iter().any(|name| name.contains(char::is_control));
            if broken {
                Err(found.problem("has a control character; remove it"))
            } else {
                Ok(names)
            }
        };
        let mentions = Mentions::new(
            names(ReviewField::Technicians)?,
            names(ReviewField::Services)?,
            names(ReviewField::ServiceAreas)?,
        );
        Ok(if any {
            Stated::Given(mentions)
        } else {
            Stated::Unsaid
        })
    }

    fn response(&self) -> Result<Stated<Answer>, FieldError> {
        let Some(text) = self.text(ReviewField::ResponseText)? else {
            return Ok(self.without_value(ReviewField::ResponseText));
        };
        let posted = self.dated(ReviewField::ResponseDate)?;
        let author = self.text(ReviewField::ResponseAuthor)?;
        Ok(Stated::Given(answer(text, posted, author)))
    }
}

/// The column with the first of these names; the column may also have a suffix in brackets, as in `Stars (1-5)`.
fn called(list: Names, free: &Free<'_>) -> Option<usize> {
    let is_called = |its: &str, name: &str| {
        let before = its.split('(').next().unwrap_or_default();
        same_name(its, name) || same_name(before, name)
    };
    names(list).find_map(|name| {
        let column = free.iter().find(|(_, its)| is_called(its, name));
        column.map(|(number, _)| *number)
    })
}

/// The columns whose names consist of a known word and neutral words: `Stars given`.
fn combined<'c>(header: &'static CombinedHeader, free: &Free<'c>) -> Free<'c> {
    let is_in = |list: Names, word: &str| names(list).any(|its| its == word);
    let is_combined = |name: &str| {
        let words = words(name.split('(').next().unwrap_or_default());
        let mut words = words.split_whitespace();
        words.clone().any(|word| is_in(&header.known, word))
            && words.all(|word| is_in(&header.known, word) || is_in(&header.neutral, word))
    };
    let columns = free.iter().filter(|(_, name)| is_combined(name));
    columns.copied().collect()
}

/// The column whose question contains one of these words. If there are several, the first is used for the text, and for
/// the rating the one that contains "overall".
fn asked(free: &Free<'_>, field: ReviewField, wanted: Names) -> Option<usize> {
    let has =
        |question: &str, list: Names| names(list).any(|its| question.contains(words(its).as_str()));
    let questions = free.iter().filter(|(_, name)| is_question(name));
    let questions: Vec<(usize, String)> = questions
        .map(|(number, name)| (*number, words(name)))
        .filter(|(_, question)| has(question, wanted) && !has(question, &table::HEADERS.not_asked))
        .collect();
    match questions.as_slice() {
        [(only, _)] => Some(*only),
        [(first, _), ..] if field == ReviewField::Text => Some(*first),
        several => {
            let is_overall = |(_, question): &&(usize, String)| has(question, "overall");
            let mut overall = several.iter().filter(is_overall);
            let first = overall.next()?;
            overall.next().is_none().then_some(first.0)
        }
    }
}

/// Whether a header is a form's question rather than a name.
fn is_question(header: &str) -> bool {
    header.contains('?') || header.split_whitespace().count() >= 3
}

/// The error about a table's columns: those that `--map` names and the table does not have, required fields that no column
/// fills, and fields that several columns may fill. Unknown `--map` names come first, because a wrong name may be the
/// reason for a missing field.
fn wrong_columns(
    columns: &Columns,
    unknown: &[String],
    lacks: &[&str],
    doubtful: &[(&'static str, Vec<String>)],
    unused: &[String],
) -> FileError {
    let mut parts = Vec::new();
    if !unknown.is_empty() {
        let unknown = unknown.join(", ");
        parts.push(format!("it has no column {unknown}, which --map names"));
    }
    if !lacks.is_empty() {
        parts.push(lacking(lacks, unused));
    }
    for (field, columns) in doubtful {
        let advice = if lacks.contains(field) {
            String::new()
        } else {
            format!("; name it with --map {field}=COLUMN")
        };
        parts.push(format!(
            "the {field} may be {}{advice}",
            columns.join(" or ")
        ));
    }
    FileError::new(format!(
        "is a table with the columns {}: {}",
        columns.listed(),
        parts.join("; ")
    ))
}

fn lacking(lacks: &[&str], unused: &[String]) -> String {
    if lacks == ["text"] {
        let column = likely_text(unused);
        let column = if column.contains(['"', '$', '`', '\\', '!']) {
            format!("'{}'", column.replace('\'', r"'\''"))
        } else {
            format!("\"{column}\"")
        };
        return format!(
            "no column is recognised as the text; pass --map text={column}, or --no-text if there is none"
        );
    }
    let maps = lacks.iter().map(|field| format!("--map {field}=COLUMN"));
    let without_text = if lacks.contains(&"text") {
        " (or --no-text if there is no text)"
    } else {
        ""
    };
    format!(
        "none of them is recognised as the {}; name it with {}{without_text}",
        lacks.join(", the "),
        maps.collect::<Vec<_>>().join(" ")
    )
}

/// The column that most probably has the texts: one with a typical word, else the first.
fn likely_text(unused: &[String]) -> &str {
    const WORDS: Names = "text, comment, review, feedback, said, say, message, opinion, \
        experience, content, words, tell";
    let is_text = |name: &&String| {
        let name = name.to_lowercase();
        names(WORDS).any(|word| name.contains(word))
    };
    let likely = unused.iter().find(is_text).or(unused.first());
    likely.map_or("COLUMN", String::as_str)
}

/// A recommendation counts as five stars and the opposite as one star, like in Podium, which shows both.
fn recommendation(text: &str) -> Result<Rating, String> {
    let stars = match text.trim().to_ascii_lowercase().as_str() {
        "positive" | "recommended" | "recommends" | "yes" | "true" | "1" => 5,
        "negative" | "not recommended" | "notrecommended" | "not_recommended"
        | "doesn't recommend" | "does not recommend" | "no" | "false" | "0" => 1,
        _ => {
            return Err(format!(
                "{} is not one of positive, negative, recommended, not recommended",
                quoted(text)
            ));
        }
    };
    Rating::try_from(stars).map_err(|error| error.to_string())
}
