//! Which columns of a file fill which fields of a review, and which show whether it is public; decided once per file.
//!
//! A platform's columns have the names in its file. In any other table a column is known by the names, words and questions
//! in `table.toml`; a field for which several columns may be meant is asked for, never guessed.

use std::collections::BTreeSet;
use std::num::NonZeroU8;

use serde_json::{Map, Value};

use crate::imports::map::date::{DateOrder, Dates};
use crate::imports::map::table::{Row, Table, is_date, list_columns};
use crate::imports::map::values::{
    Names, Says, flag, is_address, is_one_best, letters, may_be_rating, names, quoted, same_name,
    without_address, words,
};
use crate::imports::map::visibility::{self, Evidence, NOT_PUBLISHED, Subject, Visibility};
use crate::imports::map::{ReviewField, SOURCE_DEFAULT};
use crate::imports::platforms::{Format, HEADERS, Hidden, PhraseWords, TABLE};
use crate::imports::report::{FileError, TableColumns};
use crate::imports::request::ImportRequest;
use crate::storage::imports::{ColumnMeaning, KeptColumns};

/// The fields that a review needs, with their names in messages.
const NEEDED: [(&[ReviewField], &str); 4] = [
    (&[ReviewField::Rating, ReviewField::Recommended], "rating"),
    (&[ReviewField::Date], "date"),
    (&AUTHOR, "author"),
    (&[ReviewField::Text], "text"),
];

/// The fields that make the author's name.
pub const AUTHOR: [ReviewField; 3] = [
    ReviewField::Author,
    ReviewField::FirstName,
    ReviewField::LastName,
];

/// The fields of dates.
const DATES: [ReviewField; 4] = [
    ReviewField::Date,
    ReviewField::ResponseDate,
    ReviewField::UpdatedAt,
    ReviewField::VerifiedAt,
];

/// What shows whether a review, or its answer, is public.
#[derive(Debug)]
pub struct Sign {
    /// In the order in which they are tried.
    pub columns: Vec<usize>,
    pub says: Says,
    /// The reason for withholding the review.
    pub reason: &'static str,
    /// Whether the platform's file names the columns: an empty value then publishes nothing.
    pub is_known: bool,
}

impl Sign {
    /// Of a column that no platform's file names.
    fn new(column: usize, says: Says) -> Self {
        Self {
            columns: vec![column],
            says,
            reason: NOT_PUBLISHED,
            is_known: false,
        }
    }
}

#[derive(Debug)]
pub struct Plan<'f> {
    pub format: &'static Format,
    pub request: &'f ImportRequest,
    pub table: &'f Table,
    /// The columns of each field, in the order in which they are tried.
    fields: [Vec<usize>; ReviewField::ALL.len()],
    /// The signs of the review, its answer and its author's name.
    pub signs: [Vec<Sign>; 3],
    /// Whether the headers are in a language that writes the day before the month.
    is_day_first: bool,
    doubtful: Doubtful,
    /// Columns whose yes may mean public or hidden.
    unclear: Vec<(Subject, usize)>,
    /// The same that `--map` ignores.
    ignored: Vec<usize>,
    /// The order of dates in each column, where one is needed.
    pub orders: Vec<Option<DateOrder>>,
    /// A sentence about each of them.
    pub sentences: Vec<String>,
    /// `--date-format` in strftime notation.
    pub date_format: Option<&'f str>,
    /// The end of the ratings' scale: `--scale`, or that of an earlier import.
    pub scale: Option<NonZeroU8>,
}

/// Columns that do not fill a field yet, with their numbers.
type Free<'c> = Vec<(usize, &'c str)>;

/// Columns that may all fill a field.
type Doubtful = Vec<(ReviewField, Vec<String>)>;

impl<'f> Plan<'f> {
    pub fn new(
        format: &'static Format,
        table: &'f Table,
        request: &'f ImportRequest,
        date_format: Option<&'f str>,
    ) -> Self {
        let columns = &table.columns;
        let fields = ReviewField::ALL.map(|field| match request.rename(field.name()) {
            Some("") => Vec::new(),
            Some(theirs) => table.find(theirs).into_iter().collect(),
            None if format.reads_headers => Vec::new(),
            None => {
                let list = format.fields.get(&field);
                list.map_or_else(Vec::new, |list| table.find_all(list))
            }
        });
        let [of_review, of_answer] = [&format.hidden, &format.answer_hidden].map(|list| {
            let sign = |hidden: &'static Hidden| Sign {
                columns: table.find_all(hidden.names),
                says: hidden.when,
                reason: hidden.reason,
                is_known: true,
            };
            let signs = list
                .iter()
                .map(sign)
                .filter(|sign| !sign.columns.is_empty());
            signs.collect::<Vec<_>>()
        });
        let mut plan = Self {
            format,
            request,
            table,
            fields,
            signs: [of_review, of_answer, Vec::new()],
            is_day_first: false,
            doubtful: Doubtful::new(),
            unclear: Vec::new(),
            ignored: Vec::new(),
            orders: vec![None; columns.len()],
            sentences: Vec::new(),
            date_format,
            scale: request.scale,
        };
        if format.reads_headers {
            plan.find_by_headers();
        }
        plan.find_signs();
        plan
    }

    /// Source of the rows that name none.
    pub fn source(&self) -> &str {
        let requested = self.request.source.as_deref();
        requested.or(self.format.source).unwrap_or(SOURCE_DEFAULT)
    }

    pub fn field(&self, field: ReviewField) -> &[usize] {
        &self.fields[field as usize]
    }

    /// Fills the fields of a table that is no platform's. No column fills two fields, and columns without a name, a text or stars
    /// give way to others.
    fn find_by_headers(&mut self) {
        self.join_names();
        let table = self.table;
        // Columns of answers to a question, such as `May we publish your comment?`, are neither texts nor names.
        let is_answer = |column: &usize| {
            // One tick may be a text, too.
            let is_sure =
                table.columns[*column].contains(' ') || table.cells(*column).nth(1).is_some();
            is_sure && table.has_only_flags(*column)
                || visibility::by_name(table, *column, &[], &[]).is_some()
        };
        let answers: BTreeSet<usize> = (0..table.columns.len()).filter(is_answer).collect();
        let rules = || rules().map(|rule| (true, rule));
        let rules = rules().chain(rules().map(|(_, rule)| (false, rule)));
        for (needs_values, (field, rule, is_day_first)) in rules {
            if self.is_filled(field) {
                continue;
            }
            let taken = self.used();
            let free = (0..).zip(&table.columns).filter(|(column, _)| {
                !taken.contains(column)
                    && self.may_fill(field, *column, &answers)
                    && (!needs_values || self.has_values(field, *column))
            });
            let free: Free<'_> = free.map(|(column, name)| (column, name.as_str())).collect();
            let found = rule.find(field, &free);
            if matches!(rule, Rule::Phrase(_)) && found.len() > 1 {
                let columns = found.iter().map(|column| table.columns[*column].clone());
                self.doubtful.push((field, columns.collect()));
            } else if !found.is_empty() {
                let is_english = |column: &usize| {
                    let name = &table.columns[*column];
                    names(&HEADERS.english).any(|english| same_name(english, name))
                };
                self.is_day_first |= is_day_first && !found.iter().all(is_english);
                self.fields[field as usize] = found;
                if matches!(rule, Rule::Name(_)) {
                    self.choose(field);
                }
            }
        }
        let (fields, is_objects) = (&self.fields, table.is_objects());
        let is_open = |field: ReviewField| is_objects || fields[field as usize].is_empty();
        self.doubtful.retain(|(field, _)| is_open(*field));
        self.doubtful.dedup();
    }

    /// Whether a field has its columns, by `--map` or a rule; an author's name needs no parts.
    fn is_filled(&self, field: ReviewField) -> bool {
        let has = |field: ReviewField| {
            !self.field(field).is_empty() || self.request.rename(field.name()).is_some()
        };
        let is_part = [ReviewField::FirstName, ReviewField::LastName].contains(&field);
        has(field)
            || is_part && has(ReviewField::Author)
            || field == ReviewField::Author && AUTHOR.into_iter().any(has)
    }

    /// Whether a column may fill a field, by its header and what its cells are; `answers` are the columns of yes and no.
    fn may_fill(&self, field: ReviewField, column: usize, answers: &BTreeSet<usize>) -> bool {
        let (table, header) = (self.table, &self.table.columns[column]);
        let is_author = AUTHOR.contains(&field);
        let is_text = [ReviewField::Text, ReviewField::Title].contains(&field);
        let mut mapped = self.request.renames.iter();
        let is_mapped = mapped.any(|rename| table.find(&rename.theirs) == Some(column));
        let is_other = is_author && header.contains('#')
            || (is_author || is_text) && answers.contains(&column)
            || (is_text || field == ReviewField::ResponseText)
                && contains(header, &HEADERS.confidential)
            || field == ReviewField::Location && is_grade_of_place(table, column);
        !is_mapped && !is_other
    }

    /// Whether a column has names, texts or stars, if it is to fill such a field.
    fn has_values(&self, field: ReviewField, column: usize) -> bool {
        let mut cells = self.table.cells(column);
        let is_number = |(_, cell): (&Row, &str)| may_be_rating(cell);
        let needs_values = [ReviewField::Author, ReviewField::Text].contains(&field);
        (!needs_values || cells.next().is_some())
            && (field != ReviewField::Author || !self.table.are_numbers(column))
            && (field != ReviewField::Rating || cells.any(is_number))
    }

    /// Takes the author's name from two columns, such as `Prénom` and `Nom`.
    fn join_names(&mut self) {
        let mut pairs = HEADERS.name_pairs.iter();
        let find = |pair: &[String; 2]| {
            let [first, last] = pair.each_ref().map(|name| self.table.find(name));
            first.zip(last)
        };
        if self.request.rename("author").is_none()
            && let Some((first, last)) = pairs.find_map(find)
        {
            self.fields[ReviewField::Author as usize].clear();
            self.fields[ReviewField::FirstName as usize] = vec![first];
            self.fields[ReviewField::LastName as usize] = vec![last];
        }
    }

    /// Keeps the first of the columns that have names of a field: the others may be private, so they do not fill the gaps of
    /// the first. In a file of objects, a row that has another one and not the first makes the field doubtful.
    fn choose(&mut self, field: ReviewField) {
        let Table { columns, rows, .. } = self.table;
        let [first, others @ ..] = &self.fields[field as usize][..] else {
            return;
        };
        let (first, is_objects) = (*first, self.table.is_objects());
        // The members of an object stand for it where it is no plain value: `reply.text` for `reply`.
        let is_inside = |outer: usize, column: usize| {
            let rest = columns[column].strip_prefix(columns[outer].as_str());
            is_objects && rest.is_some_and(|rest| rest.starts_with('.') || rest.starts_with("[]"))
        };
        let (mut inside, others): (Vec<usize>, Vec<usize>) =
            others.iter().partition(|column| is_inside(first, **column));
        let object = columns[first]
            .rsplit_once('.')
            .map_or(columns[first].as_str(), |it| it.0)
            .trim_end_matches("[]");
        let members = HEADERS.members.get(&field).into_iter();
        for member in members.flat_map(|list| names(list)) {
            let paths = [".", "[]."].map(|mark| format!("{object}{mark}{member}"));
            let is_member = |column: &usize| *column != first && paths.contains(&columns[*column]);
            inside.extend((0..columns.len()).filter(is_member));
        }
        inside.dedup();
        let chosen: Vec<usize> = [first].into_iter().chain(inside).collect();
        let has = |row: &Row, column: usize| {
            let mut outer = (0..columns.len()).filter(|outer| is_inside(*outer, column));
            row.cell(column).is_some() || outer.any(|outer| row.cell(outer).is_some())
        };
        let lacks = |row: &Row| chosen.iter().all(|column| !has(row, *column));
        let other = others.iter().find(|other| {
            let mut with_other = rows.iter().filter(|row| row.cell(**other).is_some());
            is_objects && with_other.any(lacks)
        });
        if let Some(other) = other {
            let both = [first, *other].map(|column| columns[column].clone());
            self.doubtful.push((field, both.into()));
        }
        self.fields[field as usize] = chosen;
    }

    /// Finds the columns that show whether a review or its answer is public, besides those that the platform's file names.
    fn find_signs(&mut self) {
        let (table, used) = (self.table, self.used());
        let path = |column: &usize| table.columns[*column].as_str();
        let answers: Vec<&str> = self
            .field(ReviewField::ResponseText)
            .iter()
            .map(path)
            .collect();
        let fields = [ReviewField::Rating, ReviewField::Text].map(|field| self.field(field));
        let paths = fields.into_iter().flatten().map(path);
        let mut reviews: Vec<&str> = paths
            .filter_map(|path| Some(path.rsplit_once('.')?.0))
            .collect();
        if table.is_objects() {
            reviews.push("");
        }
        let free = (0..table.columns.len()).filter(|column| !used.contains(column));
        let all: Vec<(usize, Visibility)> = free
            .filter_map(|column| {
                let found = visibility::by_name(table, column, &answers, &reviews);
                let is_any = self.format.reads_headers;
                let by_cells = || visibility::by_cells(table, column).filter(|_| is_any);
                Some((column, found.or_else(by_cells)?))
            })
            .collect();
        for subject in Subject::ALL {
            let mapped = self.mapped_signs(subject);
            let ignores_others = self.request.columns(subject.field()).contains(&"");
            let of_subject = all.iter().filter(|(_, found)| found.subject == subject);
            for (column, found) in of_subject {
                let is_unclear = found.evidence == Evidence::Unclear;
                let is_named = mapped.iter().any(|(named, _)| named == column) || ignores_others;
                if is_unclear && ignores_others {
                    self.ignored.push(*column);
                } else if is_unclear && !is_named {
                    self.unclear.push((subject, *column));
                } else if !is_unclear && mapped.is_empty() && !ignores_others {
                    self.signs[subject as usize].push(Sign::new(*column, found.says));
                }
            }
            let mapped = mapped
                .into_iter()
                .map(|(column, says)| Sign::new(column, says));
            self.signs[subject as usize].extend(mapped);
        }
    }

    /// Reads the columns of visibility of a table as in an earlier import, unless `--map` says otherwise, and keeps what they mean.
    pub fn keep_visibility(&mut self, kept: &mut KeptColumns) {
        let (table, request) = (self.table, self.request);
        if !self.format.reads_headers {
            return;
        }
        let source = self.source().to_owned();
        // `approved` is `Approved?`.
        let key = |header: &str| letters(header).collect::<String>();
        let is_open = |subject: &Subject| {
            let fields = [subject.field(), subject.hidden_field()];
            fields.iter().all(|field| request.columns(field).is_empty())
        };
        let filled: Vec<usize> = self.fields.iter().flatten().copied().collect();
        for (column, header) in table.columns.iter().enumerate() {
            let Some(ColumnMeaning::Visibility(field)) = kept.get(&source, &key(header)) else {
                continue;
            };
            let mut subjects = Subject::ALL.into_iter();
            let subject = subjects.find(|it| [it.field(), it.hidden_field()].contains(&field));
            let subjects = subject.map_or(Subject::ALL.to_vec(), |subject| vec![subject]);
            if filled.contains(&column) || !subjects.iter().all(is_open) {
                continue;
            }
            let says = match subject {
                Some(subject) if field == subject.hidden_field() => Says::Hidden,
                _ => self.shown(column),
            };
            let count = self.unclear.len();
            self.unclear.retain(|(_, unclear)| *unclear != column);
            let mut is_new = self.unclear.len() < count;
            for other in Subject::ALL {
                let signs = &mut self.signs[other as usize];
                let is_read = signs.iter().any(|sign| sign.columns == [column]);
                if subject == Some(other) && !is_read {
                    signs.push(Sign::new(column, says));
                } else if subject.is_none() && is_read {
                    signs.retain(|sign| sign.columns != [column]);
                } else {
                    continue;
                }
                is_new = true;
            }
            if is_new {
                self.sentences.push(format!(
                    "{header} is read as {field}, as in an earlier import of {source}; pass --map for another meaning"
                ));
            }
        }
        for (subject, signs) in Subject::ALL.into_iter().zip(&self.signs) {
            for sign in signs.iter().filter(|sign| !sign.is_known) {
                let field = match sign.says {
                    Says::Hidden => subject.hidden_field(),
                    Says::State | Says::AnswerState | Says::Public => subject.field(),
                    // Dates are known by their cells.
                    Says::Filled | Says::HiddenSince | Says::Kind | Says::NoneOf(_) => continue,
                };
                let header = &table.columns[sign.columns[0]];
                kept.set(&source, &key(header), ColumnMeaning::Visibility(field));
            }
        }
        for column in &self.ignored {
            let header = &table.columns[*column];
            kept.set(&source, &key(header), ColumnMeaning::Visibility("nothing"));
        }
    }

    /// What a column shows in which yes means public.
    fn shown(&self, column: usize) -> Says {
        let known = visibility::find(&self.table.columns[column], &[], &[]);
        let says = match known {
            None => Says::State,
            Some(known) if known.evidence == Evidence::Unclear && known.says == Says::Hidden => {
                Says::Public
            }
            Some(known) => known.says,
        };
        visibility::read_cells(self.table, column, says)
    }

    /// The columns that `--map` names for the visibility of a subject: then only these are read.
    fn mapped_signs(&self, subject: Subject) -> Vec<(usize, Says)> {
        let find = |theirs: &str| self.table.find(theirs).filter(|_| !theirs.is_empty());
        let shown = self
            .request
            .columns(subject.field())
            .into_iter()
            .filter_map(find);
        let shown = shown.map(|column| (column, self.shown(column)));
        let hidden = self
            .request
            .columns(subject.hidden_field())
            .into_iter()
            .filter_map(find)
            .map(|column| (column, Says::Hidden));
        shown.chain(hidden).collect()
    }

    /// The options that keep the other columns of visibility, if `column` is none.
    pub fn other_signs(&self, subject: Subject, column: usize) -> Vec<String> {
        let signs = self.signs[subject as usize].iter();
        let columns = signs
            .filter(|sign| !sign.is_known)
            .flat_map(|sign| &sign.columns);
        let others = columns.filter(|other| **other != column);
        others
            .map(|other| quote(&self.table.columns[*other]))
            .collect()
    }

    /// The columns that are read, each with what it fills, as the report names it.
    fn uses(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let fields = ReviewField::ALL.into_iter().flat_map(|field| {
            #[expect(clippy::wildcard_enum_match_arm, reason = "most go by their own names")]
            let name = match field {
                ReviewField::FirstName | ReviewField::LastName => "author",
                ReviewField::Recommended => "rating",
                ReviewField::Matched | ReviewField::Buyer => "verification.method",
                ReviewField::ResponseText => "response",
                _ => field.name(),
            };
            self.field(field).iter().map(move |column| (name, *column))
        });
        let signs = Subject::ALL.into_iter().zip(&self.signs);
        let signs = signs.flat_map(|(subject, signs)| {
            let columns = signs.iter().flat_map(|sign| &sign.columns);
            columns.map(move |column| (subject.field(), *column))
        });
        fields.chain(signs)
    }

    /// The numbers of the columns that are read.
    fn used(&self) -> BTreeSet<usize> {
        self.uses().map(|(_, column)| column).collect()
    }

    /// The columns of dates, each with this plan.
    pub fn date_columns(&self) -> impl Iterator<Item = (&Self, usize)> {
        let fields = DATES.iter().flat_map(|field| self.field(*field));
        fields.map(move |column| (self, *column))
    }

    /// The cells of a row that are read, and those that identify the format: all others may be private.
    pub fn raw(&self, row: &Row) -> Value {
        if let Some(raw) = row.fault.as_ref().and_then(|fault| fault.raw.clone()) {
            return raw;
        }
        let keys = self
            .format
            .keys
            .iter()
            .flat_map(|set| names(set))
            .filter_map(|name| self.table.find(name));
        let authors: Vec<usize> = AUTHOR
            .iter()
            .flat_map(|field| self.field(*field))
            .copied()
            .collect();
        let columns: BTreeSet<usize> = self.used().into_iter().chain(keys).collect();
        let cells = columns.into_iter().filter_map(|column| {
            let cell = row.cell(column)?;
            let cell = if authors.contains(&column) {
                without_address(cell)
            } else {
                cell.to_owned()
            };
            Some((self.table.columns[column].clone(), Value::from(cell)))
        });
        Value::Object(cells.collect::<Map<_, _>>())
    }

    /// The use of a table's columns, for the report.
    pub fn columns(&self) -> TableColumns {
        let always = ["rating", "date", "author", "text", "response"];
        let mut used = always.map(|field| (field, Vec::new())).to_vec();
        for (field, column) in self.uses() {
            let name = self.table.columns[column].clone();
            match used.iter_mut().find(|(known, _)| *known == field) {
                Some((_, names)) if names.contains(&name) => {}
                Some((_, names)) => names.push(name),
                None => used.push((field, vec![name])),
            }
        }
        let taken = self.used();
        let unused = self.table.columns.iter().enumerate();
        let unused =
            unused.filter(|(number, name)| !taken.contains(number) && !name.trim().is_empty());
        TableColumns {
            place: self.table.place.clone(),
            used,
            unused: unused.map(|(_, name)| name.clone()).collect(),
            answers: self.unused_answers(&taken),
            dates: Vec::new(),
        }
    }

    /// Whether the use of the columns is shown: a platform's JSON needs no check.
    pub const fn is_previewed(&self) -> bool {
        self.format.reads_headers || !self.table.is_objects()
    }

    /// Whether the names of the columns are names and not the first review, of which nothing is shown.
    pub fn has_header(&self) -> bool {
        let is_value = |name: &String| is_date(name) || is_address(name);
        !self.format.reads_headers || !self.table.columns.iter().any(is_value)
    }

    /// Sentences about columns that are not used and may be of visibility, and about columns of visibility that are empty.
    fn unused_answers(&self, taken: &BTreeSet<usize>) -> Vec<String> {
        let table = self.table;
        let signs = || self.other_signs(Subject::Review, usize::MAX).into_iter();
        let map = |columns: &mut dyn Iterator<Item = String>| {
            let options = columns.map(|column| format!("--map status={column}"));
            options.collect::<Vec<_>>().join(" ")
        };
        let free = (0..table.columns.len())
            .filter(|column| self.format.reads_headers && !taken.contains(column));
        let unused = free.filter_map(|column| {
            let counts = table.few_cells(column)?;
            let is_open = if table.has_only_flags(column) {
                let has_no = counts.keys().any(|cell| flag(cell) == Ok(false));
                let has_empty = table.cells(column).count() < table.rows.len();
                // The members of a program are none that a customer was asked for.
                !table.is_objects() && (has_no || has_empty)
            } else {
                !table.are_dates(column) && visibility::is_question(&table.columns[column])
            };
            let cells: Vec<String> = counts
                .iter()
                .map(|(cell, count)| format!("{cell} {count}"))
                .take(4)
                .collect();
            is_open.then(|| format!("{} ({})", table.columns[column], cells.join(", ")))
        });
        let unused: Vec<String> = unused.collect();
        let kept = signs().map(|other| format!("--map status={other} "));
        let kept: String = kept.collect();
        let advice = (!unused.is_empty()).then(|| {
            format!(
                "not used: {}; if yes in a COLUMN means that the review may be published, pass {kept}--map status=COLUMN; if it means \
                 that it may not, {kept}--map hidden=COLUMN",
                unused.join(", ")
            )
        });
        let of_review = self.signs[Subject::Review as usize].iter();
        let empty = of_review.filter_map(|sign| {
            let column = *sign.columns.first()?;
            let withholds = !sign.is_known && matches!(sign.says, Says::Public | Says::Filled);
            let is_empty = !table.rows.is_empty() && table.cells(column).next().is_none();
            let others = self.other_signs(Subject::Review, column);
            let options = if others.is_empty() {
                "--map status=".to_owned()
            } else {
                map(&mut others.into_iter())
            };
            (withholds && is_empty).then(|| {
                let name = &table.columns[column];
                format!("{name} is empty in all rows, so every review is withheld; pass {options} if it means nothing")
            })
        });
        advice.into_iter().chain(empty).collect()
    }

    /// # Errors
    /// When the table lacks a column for a field that a review needs, or one that `--map` names, when several columns may
    /// fill a field, or one does not hold what it should.
    pub fn complete(&self) -> Result<(), FileError> {
        let table = self.table;
        let is_platform = !self.format.reads_headers;
        let is_optional = |ours: &str| match ours {
            "author" => is_platform || self.request.rename("author") == Some(""),
            "text" => self.request.no_text || is_platform && table.is_objects(),
            _ => is_platform && table.is_objects(),
        };
        let lacks: Vec<&str> = NEEDED
            .iter()
            .filter(|(fields, ours)| {
                !is_optional(ours) && fields.iter().all(|field| self.field(*field).is_empty())
            })
            .map(|(_, ours)| *ours)
            .collect();
        let renames = self
            .request
            .renames
            .iter()
            .map(|rename| rename.theirs.as_str());
        let unknown: Vec<&str> = renames
            .filter(|theirs| !theirs.is_empty() && table.find(theirs).is_none())
            // Of several files, one has to have it.
            .filter(|_| self.request.files.len() == 1)
            .collect();
        // A file without rows lacks nothing: an empty list of objects has no members.
        if table.is_objects() && table.columns.is_empty() {
            return Ok(());
        }
        if !self.has_header() {
            return Err(FileError::new(
                "is a table without a header, because its first row has a date or an address; put a row with the names of the \
                 columns above it",
            ));
        }
        let mut parts = Vec::new();
        if !unknown.is_empty() {
            let unknown = unknown.join(", ");
            parts.push(format!("it has no column {unknown}, which --map names"));
        }
        let mut columns = (0..table.columns.len()).filter(|_| !table.is_objects());
        let lists = columns.find(|column| table.most(*column, |cell| cell.starts_with("[{")));
        if let Some(column) = lists.filter(|_| !lacks.is_empty()) {
            let column = &table.columns[column];
            parts.push(format!(
                "{column} has lists of JSON; export the file as JSON instead"
            ));
        } else if !lacks.is_empty() {
            parts.push(self.lacking(&lacks));
        }
        let rating = self
            .field(ReviewField::Rating)
            .first()
            .map(|column| table.columns[*column].as_str());
        let turned = rating.filter(|header| is_one_best(header, &table.columns));
        if let Some(header) = turned.filter(|_| self.format.reads_headers) {
            parts.push(format!(
                "{header} seems to have 1 as the best grade; write stars there, of which 5 is the best, under the header Stars"
            ));
        }
        for (field, columns) in &self.doubtful {
            let (name, columns) = (field.name(), columns.join(" or "));
            let advice = if lacks.contains(&name) {
                String::new()
            } else {
                format!("; name it with --map {name}=COLUMN")
            };
            parts.push(format!("the {name} may be {columns}{advice}"));
        }
        parts.extend(self.unclear.iter().map(|(subject, column)| {
            let (shown, hidden) = (subject.field(), subject.hidden_field());
            let column = quote(&table.columns[*column]);
            let kept = self.other_signs(*subject, usize::MAX);
            let kept = kept.iter().map(|other| format!("--map {shown}={other} "));
            let kept: String = kept.collect();
            format!(
                "{column} is about what may be published, but not surely which way: pass {kept}--map {shown}={column} if yes there means \
                 that it may be published, {kept}--map {hidden}={column} if yes means that it may not, or {kept}--map {shown}= if it says \
                 nothing of that"
            )
        }));
        if parts.is_empty() && self.format.reads_headers {
            parts.extend(self.other_content());
        }
        if parts.is_empty() {
            return Ok(());
        }
        Err(FileError::new(format!(
            "is a table with the columns {}: {}",
            list_columns(&table.columns),
            parts.join("; ")
        )))
    }

    /// A free column for a message: the one with the longest texts, or one with dates.
    fn example(&self, field: &str) -> String {
        let (table, used) = (self.table, self.used());
        let columns = match field {
            "text" => table.text_columns(),
            "date" => {
                let is_day = |column: &usize| {
                    let name = &table.columns[*column];
                    table.are_dates(*column) && !contains(name, &HEADERS.other_dates)
                };
                (0..table.columns.len()).filter(is_day).collect()
            }
            "rating" => (0..table.columns.len())
                .filter(|it| table.are_ratings(*it))
                .collect(),
            _ => Vec::new(),
        };
        // A member of an answer is none of the review, and one of a list stands for one of several.
        let is_other = |path: &str| visibility::is_of_answer(path) || path.contains("[]");
        let free = columns
            .into_iter()
            .filter(|column| !used.contains(column))
            .find(|column| !table.is_objects() || !is_other(&table.columns[*column]));
        free.map_or("COLUMN".to_owned(), |column| quote(&table.columns[column]))
    }

    /// What is missing, and the column that holds it by its cells.
    fn lacking(&self, lacks: &[&str]) -> String {
        if lacks == ["text"] {
            return format!(
                "no column is recognised as the text; pass --map text={}, or --no-text if there is none",
                self.example("text")
            );
        }
        let maps = lacks
            .iter()
            .map(|field| format!("--map {field}={}", self.example(field)));
        let mut without = Vec::new();
        if lacks.contains(&"text") {
            without.push("--no-text if there is no text");
        }
        if lacks.contains(&"author") {
            without.push("--map author= if there are no names");
        }
        let without = without.join(", ");
        let or = if without.is_empty() {
            String::new()
        } else {
            format!(" (or {without})")
        };
        format!(
            "none of them is recognised as the {}; name it with {}{or}",
            lacks.join(", the "),
            maps.collect::<Vec<_>>().join(" ")
        )
    }

    /// That the date's column has no dates, although another has, or that the text's column has e-mail addresses.
    fn other_content(&self) -> Option<String> {
        let table = self.table;
        let date = *self.field(ReviewField::Date).first()?;
        if self.date_format.is_none()
            && let Some((_, cell)) = table.cells(date).next()
            && !table.has_dates(date)
        {
            let other = self.example("date");
            if other != "COLUMN" {
                return Some(format!(
                    "{} has no dates ({}), but {} has; pass --map date={other}",
                    table.columns[date],
                    quoted(cell),
                    other.trim_matches(['"', '\'']),
                ));
            }
        }
        let text = *self.field(ReviewField::Text).first()?;
        table.are_addresses(text).then(|| {
            format!(
                "{} has e-mail addresses, which are not published as texts; pass --map text={}, or --no-text",
                table.columns[text],
                self.example("text")
            )
        })
    }

    /// The order of dates that the platform always has, or the language of the headers.
    pub fn usual_order(&self) -> Option<(DateOrder, &'static str)> {
        let platform = self.format.date_order;
        let platform = platform.map(|order| (order, "as this platform writes them"));
        let headers = self.is_day_first.then_some((
            DateOrder::DayFirst,
            "as the language of the headers writes them",
        ));
        platform.or(headers)
    }

    /// How the dates of a column are read.
    pub fn dates(&self, column: usize) -> Dates<'_> {
        Dates {
            format: self.date_format,
            order: self.orders.get(column).copied().flatten(),
            zone: self.format.zone,
        }
    }
}

/// A column's name as a shell takes it.
fn quote(column: &str) -> String {
    if column.contains(['"', '$', '`', '\\', '!']) {
        format!("'{}'", column.replace('\'', r"'\''"))
    } else {
        format!("\"{column}\"")
    }
}

/// How a column of a table that is no platform's is known by its header.
enum Rule {
    /// By its name, which may have a suffix in brackets: `Stars (1-5)`.
    Name(Names),
    /// As a member of an object, by the names of both: `reply.text`, `user.name`.
    Member(Names, Names),
    /// As a form's question that contains one of these words.
    Question(Names),
    /// By a known word and neutral ones: `Stars given`.
    Phrase(&'static PhraseWords),
}

/// Whether a column named `Location` has grades of the place, as Booking.com asks for.
fn is_grade_of_place(table: &Table, column: usize) -> bool {
    same_name(&table.columns[column], "location")
        && table.cells(column).all(|(_, cell)| may_be_rating(cell))
}

/// The rules of all fields in the order in which they are tried, each with whether its headers are in a language that
/// writes the day before the month.
fn rules() -> impl Iterator<Item = (ReviewField, Rule, bool)> {
    let names = TABLE
        .fields
        .iter()
        .map(|(field, list)| (*field, Rule::Name(list), false));
    let members = HEADERS.members.iter().filter_map(|(field, members)| {
        // An answer's text, date and author are members of one object.
        let is_of_answer = [ReviewField::ResponseDate, ReviewField::ResponseAuthor].contains(field);
        let whole = if is_of_answer {
            &ReviewField::ResponseText
        } else {
            field
        };
        let objects = HEADERS.objects.get(whole).or(TABLE.fields.get(field))?;
        Some((*field, Rule::Member(objects, members), false))
    });
    let other_languages = HEADERS
        .other_languages
        .iter()
        .map(|(field, list)| (*field, Rule::Name(list), true));
    let ambiguous = [ReviewField::Rating, ReviewField::Text]
        .map(|field| (field, Rule::Name(&HEADERS.ambiguous), true));
    let questions = HEADERS
        .questions
        .iter()
        .map(|(field, list)| (*field, Rule::Question(list), false));
    let phrases = HEADERS
        .combined
        .iter()
        .map(|(field, words)| (*field, Rule::Phrase(words), false));
    names
        .chain(members)
        .chain(other_languages)
        .chain(ambiguous)
        .chain(questions)
        .chain(phrases)
}

impl Rule {
    /// The columns that fill the field; of several that a phrase finds, each may fill it.
    fn find(&self, field: ReviewField, free: &Free<'_>) -> Vec<usize> {
        let column = |is_so: &dyn Fn(&str) -> bool| {
            let mut columns = free.iter();
            columns
                .find(|(_, header)| is_so(header))
                .map(|(number, _)| *number)
        };
        match self {
            Self::Name(list) => {
                let all = |is_so: &dyn Fn(&str, &str) -> bool| -> Vec<usize> {
                    let found = names(list).flat_map(|name| {
                        let mut same: Vec<_> = free
                            .iter()
                            .filter(|(_, header)| is_so(header, name))
                            .collect();
                        // `author` before `author[]`
                        same.sort_by_key(|(_, header)| *header != name);
                        same
                    });
                    found.map(|(number, _)| *number).collect()
                };
                let found = all(&|header, name| same_name(header, name));
                if !found.is_empty() {
                    return found;
                }
                all(&|header, name| {
                    let before = header.split('(').next().unwrap_or_default();
                    same_name(before, name) || same_name(without_scale(before), name)
                })
            }
            Self::Member(objects, members) => {
                let inside = |object: &str| -> Vec<usize> {
                    let found = names(members).filter_map(|member| {
                        column(&|path| {
                            let parts = path.rsplit_once('.');
                            parts.is_some_and(|(outer, inner)| {
                                same_name(outer, object) && same_name(inner, member)
                            })
                        })
                    });
                    found.collect()
                };
                let found = names(objects).map(inside);
                found
                    .into_iter()
                    .find(|found| !found.is_empty())
                    .unwrap_or_default()
            }
            Self::Question(list) => question(field, list, free),
            Self::Phrase(phrase) => {
                let phrases = free.iter().filter(|(_, header)| phrase.is_in(header));
                phrases.map(|(number, _)| *number).collect()
            }
        }
    }
}

impl PhraseWords {
    fn is_in(&'static self, header: &str) -> bool {
        let words = words(header.split('(').next().unwrap_or_default());
        let is_known = |word: &str| names(&self.known).any(|known| known == word);
        let is_neutral = |word: &str| names(&self.neutral).any(|neutral| neutral == word);
        let mut words = words.split_whitespace();
        words.clone().any(is_known) && words.all(|word| is_known(word) || is_neutral(word))
    }
}

/// A header without a scale at its end: `Rating 1-5`, `Note sur 5`, `Stars / 5`.
fn without_scale(header: &str) -> &str {
    let signs = |c: char| c.is_ascii_digit() || c.is_whitespace() || "/-–:".contains(c);
    let rest = header.trim_end_matches(signs);
    let words = [
        " out of", " of", " von", " sur", " de", " su", " van de", " z", " to",
    ];
    let word = words.iter().find_map(|word| rest.strip_suffix(word));
    word.filter(|_| rest.len() < header.len()).unwrap_or(rest)
}

/// Whether a header has one of these words or phrases.
fn contains(header: &str, list: Names) -> bool {
    let header = words(header);
    names(list).any(|word| header.contains(&words(word)))
}

/// The column whose question contains one of these words. If there are several, the first is used for the text, and for
/// the rating the one that contains "overall".
fn question(field: ReviewField, list: Names, free: &Free<'_>) -> Vec<usize> {
    let is_question = |header: &str| header.contains('?') || header.split_whitespace().count() >= 3;
    let questions: Free<'_> = free
        .iter()
        .filter(|(_, header)| is_question(header))
        .filter(|(_, header)| contains(header, list) && !contains(header, &HEADERS.irrelevant))
        .filter(|(_, header)| field != ReviewField::Author || !contains(header, &HEADERS.others))
        .copied()
        .collect();
    match questions.as_slice() {
        [(only, _)] => vec![*only],
        [(first, _), ..] if field == ReviewField::Text => vec![*first],
        several => {
            let overall: Vec<usize> = several
                .iter()
                .filter(|(_, header)| contains(header, "overall"))
                .map(|(number, _)| *number)
                .collect();
            if overall.len() == 1 {
                overall
            } else {
                Vec::new()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::map::visibility::Subject;
    use crate::imports::report::Position;

    /// What each cell means under the header in a table of reviews: the subject, and whether it is public; nothing of the cells if
    /// the owner is asked. `None` if the column is not used.
    fn shown(header: &str, cells: &[&str]) -> Option<(Subject, Vec<Option<bool>>)> {
        let columns = ["Date", "Author", "Stars", "Text", header].map(str::to_owned);
        let row = |cell: &&str| Row {
            at: Position::line(2),
            cells: ["2026-03-01", "Ann", "5", "Very clean work", *cell]
                .map(|cell| Some(cell.into()))
                .into(),
            fault: None,
        };
        let table = Table {
            columns: columns.into(),
            rows: cells.iter().map(row).collect(),
            ..Table::default()
        };
        let request = ImportRequest::default();
        let plan = Plan::new(&TABLE, &table, &request, None);
        assert_eq!(plan.field(ReviewField::Text), [3], "{header}");
        if let Some((subject, _)) = plan.unclear.first() {
            return Some((*subject, Vec::new()));
        }
        let mut signs = Subject::ALL.into_iter().zip(&plan.signs);
        let (subject, sign) = signs.find_map(|(subject, signs)| Some((subject, signs.first()?)))?;
        let is_public = |cell: &&str| sign.says.is_public(cell);
        Some((subject, cells.iter().map(is_public).collect()))
    }

    #[test]
    fn columns_of_yes_and_no_hide_by_consent_and_not_by_other_words() {
        let file = include_str!("../../../tests/fixtures/hidden/headers.tsv");
        let (mut yes, mut no) = ("Yes", "No");
        let mut wrong = Vec::new();
        for line in file.lines().filter(|line| !line.starts_with('#')) {
            let parts: Vec<&str> = line.split('\t').collect();
            let (kind, header) = match parts[..] {
                [_, of_yes, of_no] => {
                    (yes, no) = (of_yes, of_no);
                    continue;
                }
                [kind, header] => (kind, header),
                _ => panic!("{line}"),
            };
            let subject = match kind {
                "public" | "hidden" | "unclear" => Some(Subject::Review),
                "name" | "anonymous" => Some(Subject::Author),
                _ => None,
            };
            let is_yes = matches!(kind, "public" | "name");
            let expected = subject.map(|subject| {
                let cells = [is_yes, !is_yes, is_yes];
                (subject, cells.map(Some).to_vec())
            });
            let found = shown(header, &[yes, no, yes]);
            let is_unclear = found.as_ref().is_some_and(|(_, cells)| cells.is_empty());
            if found != expected && !(is_unclear && kind == "unclear") {
                wrong.push(format!("{kind} {header}: {found:?}"));
            }
        }
        assert!(
            wrong.is_empty(),
            "{} of {}:\n{}",
            wrong.len(),
            file.lines().count(),
            wrong.join("\n")
        );
    }

    #[test]
    fn cells_decide_whether_a_column_is_one_of_visibility() {
        let agreed = "I am happy with that, go ahead";
        let (yes, no, unknown) = (Some(true), Some(false), None);
        for (header, cells, expected) in [
            // Ticks.
            ("Published", ["✓", "", "✔"], Some([yes, no, yes])),
            ("Freigegeben", ["x", "", "X"], Some([yes, no, yes])),
            ("Hide", ["X", "☐", "✓"], Some([no, yes, no])),
            ("Publish", ["[x]", "[ ]", "☑"], Some([yes, no, yes])),
            ("OK to publish", ["x", "", "x"], Some([yes, no, yes])),
            // The words of a box that is ticked.
            (
                "Consent to publish",
                [agreed, "", agreed],
                Some([yes, no, yes]),
            ),
            (
                "May we publish your review?",
                [agreed, agreed, ""],
                Some([yes, yes, no]),
            ),
            (
                "OK to publish",
                [
                    "I agree that my review may be published",
                    "",
                    "No thank you",
                ],
                Some([yes, no, no]),
            ),
            // Words for yes and no.
            (
                "Permission to publish",
                ["Granted", "Denied", "Given"],
                Some([yes, no, yes]),
            ),
            (
                "May we publish it?",
                ["Yes please", "Sure", "Nope"],
                Some([yes, yes, no]),
            ),
            (
                "May we publish it?",
                ["I agree", "I do not agree", "Disagree"],
                Some([yes, no, no]),
            ),
            (
                "May we publish it?",
                ["Yes", "Yes, but not my text", "ask"],
                Some([yes, unknown, unknown]),
            ),
            // Other answers are refused.
            (
                "May we publish your review?",
                ["Absolutely", "Rather not", ""],
                Some([unknown, unknown, no]),
            ),
            (
                "Consent to publish",
                ["see form", "", "see form"],
                Some([unknown, no, unknown]),
            ),
            (
                "Review status",
                ["Taken down", "Taken down", "Policy violation"],
                Some([unknown; 3]),
            ),
            (
                "Status",
                ["inaktiv", "in Prüfung", "inaktiv"],
                Some([no, unknown, no]),
            ),
            ("Status", ["Violates our policy"; 3], Some([unknown; 3])),
            ("Status", ["Not yet published"; 3], Some([no; 3])),
            (
                "Consent withdrawn",
                ["", "Yes", "No"],
                Some([unknown, no, yes]),
            ),
            (
                "Consent withdrawn on",
                ["", "2026-03-02", ""],
                Some([yes, no, yes]),
            ),
            (
                "Consent",
                ["Yes", "No", "see mail"],
                Some([yes, no, unknown]),
            ),
            (
                "Share your review",
                ["They were neat", "", "No complaints"],
                None,
            ),
            // Words say by themselves which way.
            (
                "Public/Private",
                ["Public", "Private", "Public"],
                Some([yes, no, yes]),
            ),
            (
                "Would you like your review to be public or private?",
                ["Public", "Private", ""],
                Some([yes, no, unknown]),
            ),
            ("Show/Hide", ["Show", "Hide", "?"], Some([yes, no, unknown])),
            (
                "Consent given on",
                ["2026-03-02", "", "2026-03-02"],
                Some([yes, no, yes]),
            ),
            // An unknown word in a column that is known by its cells.
            (
                "Category",
                ["Public", "Private", "Google"],
                Some([yes, no, unknown]),
            ),
            (
                "Category",
                ["External", "Internal", ""],
                Some([yes, no, unknown]),
            ),
            (
                "Stage",
                ["Published", "Draft", "Legal check"],
                Some([yes, no, unknown]),
            ),
            (
                "Refuses publication",
                ["No", "Yes", "No"],
                Some([yes, no, yes]),
            ),
            (
                "Opt-out of publication",
                ["No", "Yes", "No"],
                Some([yes, no, yes]),
            ),
            (
                "Consent to publish revoked",
                ["No", "Yes", "No"],
                Some([yes, no, yes]),
            ),
            (
                "Veröffentlichung abgelehnt",
                ["No", "Yes", "No"],
                Some([yes, no, yes]),
            ),
            ("Keep private", ["OK", "Sure", "No"], Some([no, no, yes])),
            // Places and lists of work.
            ("State", ["AZ", "OK", "Arizona"], None),
            ("Estado", ["Guanajuato", "Jalisco", ""], None),
            ("Stato", ["Italia", "Italia", "San Marino"], None),
            ("Status", ["New", "Replied", "Closed"], None),
            ("Review status", ["Open", "Resolved", "New"], None),
            ("Status", ["erledigt", "offen", "beantwortet"], None),
            (
                "Status",
                ["published", "hidden", "asleep"],
                Some([yes, no, unknown]),
            ),
            ("Status", ["1", "0", "1"], Some([yes, no, yes])),
            // Words for a state under any header.
            (
                "post_status",
                ["publish", "draft", "trash"],
                Some([yes, no, no]),
            ),
            (
                "Stage",
                ["Published", "Draft", "Published"],
                Some([yes, no, yes]),
            ),
            (
                "entry_status",
                ["active", "trash", "active"],
                Some([yes, no, yes]),
            ),
            (
                "submission_status",
                ["approved", "rejected", "approved"],
                Some([yes, no, yes]),
            ),
            (
                "Type",
                ["Public", "Private", "Public"],
                Some([yes, no, yes]),
            ),
            (
                "post_status",
                ["draft", "draft", ""],
                Some([no, no, unknown]),
            ),
            (
                "Access",
                ["Public", "Private", "Public"],
                Some([yes, no, yes]),
            ),
            ("Access", ["Private", "Shared", "Private"], None),
            ("Invoice status", ["Sent", "Draft", "Sent"], None),
            ("Quote", ["Approved", "Draft", "Live"], None),
            ("Pipes", ["Hidden", "Visible", "Hidden"], None),
            ("Service", ["Trash", "Trash", "Trash"], None),
            ("Notes", ["", "Draft", ""], None),
            ("City", ["", "Hidden", ""], None),
            ("Customer status", ["Active", "Inactive", "Active"], None),
            ("Financing", ["Approved", "Declined", "Approved"], None),
            ("Property type", ["Private", "Public", "Private"], None),
            ("Job status", ["Pending", "Completed", "Pending"], None),
            // Dates.
            (
                "Published",
                ["2026-03-02", "", "2026-03-04"],
                Some([yes, no, yes]),
            ),
            (
                "Published",
                ["2026-03-02", "2026-03-03", "2026-03-04"],
                None,
            ),
            (
                "Published at",
                ["2026-03-02", "", "2026-03-04"],
                Some([yes, no, yes]),
            ),
            ("Published by", ["Bo", "", "Cy"], None),
            ("Date removed", ["", "2026-03-02", ""], Some([yes, no, yes])),
            ("Removed on", ["", "2026-03-02", ""], Some([yes, no, yes])),
            (
                "Removed on",
                ["2026-03-01", "2026-03-02", "2026-03-02"],
                None,
            ),
            ("Usunięto", ["", "2026-03-02", ""], Some([yes, no, yes])),
            // Other cells.
            (
                "Website",
                ["https://a.example", "https://b.example", ""],
                None,
            ),
            ("Online", ["Chat", "Phone", "Chat"], None),
            ("Publication", ["Arizona Daily", "", "Herald"], None),
            ("Live", ["Phoenix", "Mesa", "Tempe"], None),
            ("Consent", ["by phone", "by mail", ""], None),
        ] {
            let found = shown(header, &cells);
            let expected = expected.map(|shows| (Subject::Review, shows.to_vec()));
            assert_eq!(found, expected, "{header}: {cells:?}");
        }
    }
}
