//! Which columns of a file fill which fields of a review, and which show whether it is public; decided once per file.
//!
//! A platform's columns have the names in its file. In any other table a column is known by the names, words and questions
//! in `table.toml`; a field for which several columns may be meant is asked for, never guessed.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::num::NonZeroU8;

use chrono_tz::Tz;
use serde_json::{Map, Value};

use crate::imports::map::ReviewField;
use crate::imports::map::date::{DateOrder, Dates};
use crate::imports::map::header::Header;
use crate::imports::map::table::{Row, Table, is_date, list_columns};
use crate::imports::map::values::{
    Names, Says, WORDS, flag, is_address, is_one_best, may_be_rating, names, same_name,
    without_address,
};
use crate::imports::map::visibility::{self, Evidence, NOT_PUBLISHED, Places, Subject, Visibility};
use crate::imports::platforms::{Format, HEADERS, Hidden, PhraseWords, TABLE};
use crate::imports::read::json::PARENT;
use crate::imports::report::{FileError, TableColumns};
use crate::imports::request::ImportRequest;
use crate::model::text::quoted;
use crate::storage::imports::{ColumnMeaning, KeptColumns, NOTHING};

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

#[derive(Debug)]
pub struct Plan<'f> {
    pub format: &'static Format,
    pub request: &'f ImportRequest,
    pub table: &'f Table,
    headers: Vec<Header>,
    /// The columns of each field, in the order in which they are tried.
    fields: [Vec<usize>; ReviewField::ALL.len()],
    /// The signs of the review, its answer and its author's name.
    pub signs: [Vec<Sign>; 3],
    /// Whether the headers are in a language that writes the day before the month.
    is_day_first: bool,
    /// Columns that may all fill a field.
    doubtful: Vec<(ReviewField, Vec<usize>)>,
    /// Columns whose yes may mean public or hidden.
    unclear: Vec<(Subject, usize)>,
    /// The order of dates in each column, where one is needed.
    pub orders: Vec<Option<DateOrder>>,
    /// A sentence about each of them.
    pub sentences: Vec<String>,
    /// `--date-format` in strftime notation.
    pub date_format: Option<&'f str>,
    /// The end of the ratings' scale: `--scale`, or that of an earlier import.
    pub scale: Option<NonZeroU8>,
}

impl<'f> Plan<'f> {
    /// Takes what earlier imports kept about the columns of visibility, and keeps what this one decides.
    pub fn new(
        format: &'static Format,
        table: &'f Table,
        request: &'f ImportRequest,
        date_format: Option<&'f str>,
        kept: &mut KeptColumns,
    ) -> Self {
        let mut fields = ReviewField::ALL.map(|field| match request.rename(field.name()) {
            Some("") => Vec::new(),
            Some(theirs) => table.find(theirs).into_iter().collect(),
            None if format.reads_headers => Vec::new(),
            None => {
                let list = format.fields.get(&field);
                list.map_or_else(Vec::new, |list| table.find_all(list))
            }
        });
        let sign = |hidden: &'static Hidden| Sign {
            columns: table.find_all(hidden.names),
            says: hidden.when,
            reason: hidden.reason,
            is_known: true,
        };
        // A column of yes and no is none if it has only other words, such as names.
        let is_sign = |sign: &Sign| {
            let cells = || sign.columns.iter().flat_map(|column| table.cells(*column));
            let is_known = |cell: &str| sign.says.is_public(cell).is_some();
            let is_flag = sign.says == Says::Public;
            let is_other =
                is_flag && cells().count() > 1 && !cells().any(|(_, cell)| is_known(cell));
            !sign.columns.is_empty() && !is_other
        };
        let [of_review, of_answer] = [&format.hidden, &format.answer_hidden]
            .map(|list| list.iter().map(sign).filter(is_sign).collect::<Vec<_>>());
        for sign in of_review.iter().chain(&of_answer) {
            fields[ReviewField::Author as usize].retain(|column| !sign.columns.contains(column));
        }
        let mut plan = Self {
            format,
            request,
            table,
            headers: table.columns.iter().map(|name| Header::new(name)).collect(),
            fields,
            signs: [of_review, of_answer, Vec::new()],
            is_day_first: false,
            doubtful: Vec::new(),
            unclear: Vec::new(),
            orders: vec![None; table.columns.len()],
            sentences: Vec::new(),
            date_format,
            scale: request.scale,
        };
        if format.reads_headers {
            plan.find_by_headers();
        }
        plan.find_signs(kept);
        plan.doubt_remarks();
        plan
    }

    /// Source of the rows that name none.
    pub fn source(&self) -> &str {
        self.request.source_of(self.format)
    }

    pub fn field(&self, field: ReviewField) -> &[usize] {
        &self.fields[field as usize]
    }

    fn columns_where(&self, is_so: impl Fn(usize) -> bool) -> impl Iterator<Item = usize> {
        (0..self.table.columns.len()).filter(move |column| is_so(*column))
    }

    /// Fills the fields of a table that is no platform's. No column fills two fields, and columns without a name, a text or stars
    /// give way to others.
    fn find_by_headers(&mut self) {
        self.join_names();
        let table = self.table;
        // Columns of answers to a question, such as `May we publish your comment?`, are neither texts nor names.
        let is_answer = |column: usize| {
            // One tick may be a text, too.
            let is_sure =
                table.columns[column].contains(' ') || table.cells(column).nth(1).is_some();
            let (header, places) = (&self.headers[column], &Places::default());
            is_sure && table.has_only_flags(column)
                || visibility::by_name(table, column, header, places).is_some()
        };
        let answers: BTreeSet<usize> = self.columns_where(is_answer).collect();
        let mut phrases = Vec::new();
        for needs_values in [true, false] {
            for (field, rule, is_day_first) in rules() {
                if self.is_filled(field) {
                    continue;
                }
                let taken = self.used();
                // What a name means needs no values, what a phrase means does, unless there are none.
                let may_lack_values = |column: usize| {
                    let is_phrase = matches!(rule, Rule::Phrase(_));
                    !needs_values && (!is_phrase || table.cells(column).next().is_none())
                };
                let is_free = |column: usize| {
                    !taken.contains(&column)
                        && self.may_fill(field, column, &answers)
                        && (may_lack_values(column) || self.has_values(field, column))
                };
                let free: Vec<usize> = self.columns_where(is_free).collect();
                let found = self.find_columns(field, &rule, &free);
                if matches!(rule, Rule::Phrase(_)) && found.len() > 1 {
                    phrases.push((field, found));
                } else if !found.is_empty() {
                    let is_english = |column: &usize| {
                        names(&HEADERS.english).any(|english| self.headers[*column].is(english))
                    };
                    self.is_day_first |= is_day_first && !found.iter().all(is_english);
                    self.fields[field as usize] = found;
                    if matches!(rule, Rule::Name(_)) {
                        self.choose(field);
                    }
                }
            }
        }
        phrases.retain(|(field, _)| self.field(*field).is_empty());
        self.doubtful.extend(phrases);
        self.doubtful.dedup();
    }

    /// Makes a text that may be the firm's own doubtful: `Kommentar` beside `Bewertung`.
    fn doubt_remarks(&mut self) {
        let is_remark = |column: usize| {
            let mut remarks = names(&HEADERS.remarks);
            remarks.any(|name| self.headers[column].is(name))
        };
        if self.format.reads_headers
            && self.request.rename("text").is_none()
            && let [text] = self.field(ReviewField::Text)[..]
            && is_remark(text)
        {
            // A column of answers has the rank 0.
            let is_other = |(rank, other): &(usize, usize)| {
                *rank > 0
                    && self.headers[*other].contains(&HEADERS.testimonials)
                    && self.table.has_sentences(*other, 3)
            };
            let other = self.candidates("text").into_iter().find(is_other);
            let columns = other.map(|(_, other)| (ReviewField::Text, vec![text, other]));
            self.doubtful.extend(columns);
        }
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
        let (table, header) = (self.table, &self.headers[column]);
        let is_author = AUTHOR.contains(&field);
        let is_text = [ReviewField::Text, ReviewField::Title].contains(&field);
        let mut mapped = self.request.renames.iter();
        let is_mapped = mapped.any(|rename| table.find(&rename.theirs) == Some(column));
        // Booking.com asks for a grade of the place.
        let is_grade =
            || header.is("location") && table.cells(column).all(|(_, cell)| may_be_rating(cell));
        // A title around the reviews is the place's.
        let is_around = table.columns[column].starts_with(PARENT) && field != ReviewField::Location;
        let is_other = is_around
            || is_author && table.columns[column].contains('#')
            || (is_author || is_text) && answers.contains(&column)
            || (is_text || field == ReviewField::ResponseText)
                && header.contains(&HEADERS.confidential)
            || field == ReviewField::Location && is_grade();
        !is_mapped && !is_other
    }

    /// Whether a column has names, texts or stars, if it is to fill such a field.
    fn has_values(&self, field: ReviewField, column: usize) -> bool {
        let mut cells = self.table.cells(column);
        #[expect(clippy::wildcard_enum_match_arm, reason = "other fields may be empty")]
        match field {
            ReviewField::Author => {
                // All customers with one name are the business, or a technician.
                let few = self
                    .table
                    .few_cells(column)
                    .filter(|_| self.table.rows.len() > 2);
                cells.next().is_some()
                    && !self.table.are_numbers(column)
                    && few.is_none_or(|names| names.len() > 1)
            }
            ReviewField::Text => {
                !self.table.are_dates(column)
                    && cells.any(|(_, cell)| cell.contains(char::is_alphabetic))
            }
            ReviewField::Date | ReviewField::ResponseDate => self.table.has_dates(column),
            ReviewField::Rating => cells.any(|(_, cell)| may_be_rating(cell)),
            _ => true,
        }
    }

    /// Takes the author's name from two columns, such as `Prénom` and `Nom`.
    fn join_names(&mut self) {
        let find = |pair: &[String; 2]| {
            let [first, last] = pair.each_ref().map(|name| self.table.find(name));
            first.zip(last)
        };
        if self.request.rename("author").is_none()
            && let Some((first, last)) = HEADERS.name_pairs.iter().find_map(find)
        {
            self.fields[ReviewField::Author as usize].clear();
            self.fields[ReviewField::FirstName as usize] = vec![first];
            self.fields[ReviewField::LastName as usize] = vec![last];
        }
    }

    /// The free columns that fill the field by a rule; of several that a phrase finds, each may fill it.
    fn find_columns(&self, field: ReviewField, rule: &Rule, free: &[usize]) -> Vec<usize> {
        let (columns, headers) = (&self.table.columns, &self.headers);
        let all = |is_so: &dyn Fn(&Header) -> bool| -> Vec<usize> {
            let so = free.iter().filter(|column| is_so(&headers[**column]));
            so.copied().collect()
        };
        let by_name = |list: Names, is_so: &dyn Fn(&Header, &str) -> bool| -> Vec<usize> {
            let found = names(list).flat_map(|name| {
                let mut same = all(&|header| is_so(header, name));
                // `author` before `author[]`
                same.sort_by_key(|column| columns[*column] != name);
                same
            });
            found.collect()
        };
        match rule {
            Rule::Name(list) => Some(by_name(list, &Header::is))
                .filter(|found| !found.is_empty())
                .unwrap_or_else(|| by_name(list, &Header::begins)),
            Rule::Member(objects, members) => {
                let inside = |object| {
                    let found = names(members).filter_map(|member| {
                        let is_member = |column: &&usize| {
                            let parts = columns[**column].rsplit_once('.');
                            parts.is_some_and(|(outer, inner)| {
                                same_name(outer, object) && same_name(inner, member)
                            })
                        };
                        free.iter().find(is_member).copied()
                    });
                    found.collect::<Vec<_>>()
                };
                let mut found = names(objects).map(inside);
                found.find(|found| !found.is_empty()).unwrap_or_default()
            }
            Rule::Question(list) => {
                let questions = all(&|header| {
                    let is_sentence = header.path.split_whitespace().count() >= 3;
                    (header.is_question || is_sentence)
                        && header.contains(list)
                        && !header.contains(&HEADERS.irrelevant)
                        && (field != ReviewField::Author || !header.contains(&HEADERS.others))
                });
                let is_overall = |column: &usize| headers[*column].contains("overall");
                let overall: Vec<usize> = questions.iter().copied().filter(is_overall).collect();
                match questions[..] {
                    [first, ..] if field == ReviewField::Text => vec![first],
                    [_, _, ..] => Some(overall).filter(|it| it.len() == 1).unwrap_or_default(),
                    _ => questions,
                }
            }
            Rule::Phrase(words) => all(&|header| header.is_made_of(&words.known, &words.neutral)),
        }
    }

    /// Keeps the first of the columns that have names of a field: the others may be private, so they do not fill the gaps of
    /// the first. In a file of objects, a row that has another one and not the first makes the field doubtful, and so do two columns
    /// of a table with the same name.
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
            let is_member = |column: usize| column != first && paths.contains(&columns[column]);
            inside.extend(self.columns_where(is_member));
        }
        inside.dedup();
        let chosen: Vec<usize> = [first].into_iter().chain(inside).collect();
        let has = |row: &Row, column: usize| {
            let mut outer = (0..columns.len()).filter(|outer| is_inside(*outer, column));
            row.cell(column).is_some() || outer.any(|outer| row.cell(outer).is_some())
        };
        let lacks = |row: &Row| chosen.iter().all(|column| !has(row, *column));
        let is_doubtful = |other: &usize| {
            let mut with_other = rows.iter().filter(|row| row.cell(*other).is_some());
            is_objects && with_other.any(lacks)
        };
        let twin = self
            .table
            .find_twin(first)
            .filter(|twin| rows.iter().any(|row| row.cell(*twin) != row.cell(first)));
        if let Some(other) = others.into_iter().find(is_doubtful).or(twin) {
            self.doubtful.push((field, vec![first, other]));
        }
        self.fields[field as usize] = chosen;
    }

    /// Where the rows have their answers and reviews.
    fn places(&self) -> Places {
        let answers = self.field(ReviewField::ResponseText).iter();
        let fields = [ReviewField::Rating, ReviewField::Text].map(|field| self.field(field));
        let objects = fields.into_iter().flatten().filter_map(|column| {
            let (object, _) = self.table.columns[*column].rsplit_once('.')?;
            Some(object.to_owned())
        });
        let row = self.table.is_objects().then(String::new);
        Places {
            answers: answers
                .map(|column| self.headers[*column].clone())
                .collect(),
            reviews: objects.chain(row).collect(),
        }
    }

    /// Decides what each column shows of a review, its answer or its author's name, besides those that the platform's file names:
    /// what `--map` says, what an earlier import of the source decided, or what name and cells show.
    fn find_signs(&mut self, kept: &mut KeptColumns) {
        let (table, places, used) = (self.table, self.places(), self.used());
        let (source, is_any) = (self.source().to_owned(), self.format.reads_headers);
        for column in 0..table.columns.len() {
            let header = self.headers[column].letters.clone();
            let mut decided = self.mapped(column);
            // A time of publication may be the date, too.
            let is_time = self.field(ReviewField::ResponseDate).contains(&column);
            if decided.is_empty() && used.contains(&column) && !is_time {
                continue;
            }
            let judged = self
                .judge(column, &places)
                .filter(|found| !is_time || found.says == Says::Filled)
                .filter(|found| decided.iter().all(|(subject, _)| *subject != found.subject));
            let before = match kept.get(&source, &header) {
                Some(ColumnMeaning::Visibility(field)) if is_any && decided.is_empty() => {
                    Some(field)
                }
                _ => None,
            };
            if (before, judged) == (None, None) && decided.is_empty() {
                continue;
            }
            let is_unclear = judged.is_some_and(|found| found.evidence == Evidence::Unclear);
            let of_judged = judged.map(|found| (found.subject, found.says));
            let found = before.map_or(of_judged, |field| self.meaning(field, column));
            let found = found.filter(|(subject, _)| self.is_open(*subject, is_unclear));
            if let (None, Some((subject, _)), true) = (before, found, is_unclear) {
                self.unclear.push((subject, column));
                continue;
            }
            if let Some(field) = before.filter(|_| found.is_some())
                && (found != of_judged || is_unclear)
            {
                self.sentences.push(format!(
                    "{} is read as {field}, as in an earlier import of {source}; pass --map for another meaning",
                    table.columns[column]
                ));
            }
            decided.extend(found);
            if let Some(field) = field_of(&decided).filter(|_| is_any) {
                kept.set(&source, &header, ColumnMeaning::Visibility(field));
            }
            for (subject, says) in decided {
                self.signs[subject as usize].push(Sign {
                    columns: vec![column],
                    says,
                    reason: NOT_PUBLISHED,
                    is_known: false,
                });
            }
        }
    }

    /// What a column shows by its name or its cells.
    fn judge(&self, column: usize, places: &Places) -> Option<Visibility> {
        let (table, header) = (self.table, &self.headers[column]);
        let by_cells = || visibility::by_cells(table, column, header);
        visibility::by_name(table, column, header, places)
            .or_else(|| by_cells().filter(|_| self.format.reads_headers))
    }

    /// Whether `--map` says nothing of what shows a subject, or at least does not ignore it, if that is unclear.
    fn is_open(&self, subject: Subject, is_unclear: bool) -> bool {
        let fields = [subject.field(), subject.hidden_field()];
        let mut columns = fields.map(|field| self.request.columns(field)).concat();
        columns.retain(|name| name.is_empty() || self.table.find(name).is_some());
        columns.is_empty() || is_unclear && !columns.contains(&"")
    }

    /// What a column shows as the field of `--map` says.
    fn meaning(&self, field: &str, column: usize) -> Option<(Subject, Says)> {
        let subject = Subject::of_field(field)?;
        let says = if field == subject.hidden_field() {
            Says::Hidden
        } else {
            visibility::by_owner(self.table, column, &self.headers[column])
        };
        Some((subject, says))
    }

    /// What `--map` says that a column shows.
    fn mapped(&self, column: usize) -> Vec<(Subject, Says)> {
        let mapped = self.request.renames.iter().filter(|rename| {
            !rename.theirs.is_empty() && self.table.find(&rename.theirs) == Some(column)
        });
        mapped
            .filter_map(|rename| self.meaning(rename.ours, column))
            .collect()
    }

    /// The options that keep the columns of visibility besides `column`, before one about it.
    fn keeping(&self, subject: Subject, column: Option<usize>) -> String {
        let signs = self.signs[subject as usize]
            .iter()
            .filter(|sign| !sign.is_known);
        let others = signs
            .flat_map(|sign| &sign.columns)
            .filter(|other| Some(**other) != column);
        let option = |other: &usize| {
            let name = quote(&self.table.columns[*other]);
            format!("--map {}={name} ", subject.field())
        };
        others.map(option).collect()
    }

    /// The options that ignore a column of visibility.
    pub fn ignoring(&self, subject: Subject, column: usize) -> String {
        let (kept, all) = (self.keeping(subject, Some(column)), subject.field());
        if kept.is_empty() {
            format!("--map {all}=")
        } else {
            format!("{kept}(--map {all}= would ignore the others, too)")
        }
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
        fields.chain(signs.flat_map(|(subject, signs)| {
            let columns = signs.iter().flat_map(|sign| &sign.columns);
            columns.map(move |column| (subject.field(), *column))
        }))
    }

    /// The numbers of the columns that are read.
    fn used(&self) -> BTreeSet<usize> {
        self.uses().map(|(_, column)| column).collect()
    }

    /// The columns of dates, each with its source and name.
    pub fn date_columns(&self) -> Vec<(usize, (String, String))> {
        let columns = DATES.iter().flat_map(|field| self.field(*field));
        let name = |column: usize| (self.source().to_owned(), self.table.columns[column].clone());
        columns.map(|column| (*column, name(*column))).collect()
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
        let authors = AUTHOR.map(|field| self.field(field)).concat();
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
        let is_unused = |column: usize| {
            !taken.contains(&column) && !self.table.columns[column].trim().is_empty()
        };
        let unused = self.columns_where(is_unused);
        TableColumns {
            place: self.table.place.clone().unwrap_or_default(),
            other_sheets: self.table.other_sheets.clone(),
            used,
            unused: unused
                .map(|column| self.table.columns[column].clone())
                .collect(),
            notes: self.describe_answers(&taken),
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
    fn describe_answers(&self, taken: &BTreeSet<usize>) -> Vec<String> {
        let table = self.table;
        let describe = |column: usize| {
            let counts = table.few_cells(column)?;
            let is_open = if table.has_only_flags(column) {
                let has_no = counts.keys().any(|cell| flag(cell) == Ok(false));
                has_no || table.cells(column).count() < table.rows.len()
            } else {
                !table.are_dates(column) && visibility::is_question(&self.headers[column])
            };
            let cells: Vec<String> = counts
                .iter()
                .map(|(cell, count)| format!("{cell} {count}"))
                .take(4)
                .collect();
            is_open.then(|| format!("{} ({})", table.columns[column], cells.join(", ")))
        };
        let unused: Vec<String> = self
            .columns_where(|column| self.format.reads_headers && !taken.contains(&column))
            .filter_map(describe)
            .collect();
        let is_open = self.format.reads_headers
            && self.field(ReviewField::ResponseText).is_empty()
            && !self.field(ReviewField::Text).is_empty()
            && self.request.rename("response.text").is_none();
        let answers = self.candidates("response").into_iter().filter(|_| is_open);
        let answers = answers.map(|(_, column)| {
            let (name, option) = (&table.columns[column], quote(&table.columns[column]));
            format!("{name} has sentences and is not used; if they are your answers, pass --map response={option}")
        });
        let kept = self.keeping(Subject::Review, None);
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
            (withholds && is_empty).then(|| {
                let (name, ignore) = (&table.columns[column], self.ignoring(Subject::Review, column));
                format!("{name} is empty in all rows, so every review is withheld; pass {ignore} if it means nothing")
            })
        });
        advice.into_iter().chain(answers).chain(empty).collect()
    }

    /// # Errors
    /// When the table lacks a column for a field that a review needs, when several columns may fill a field, or one does not
    /// hold what it should.
    pub fn complete(&self) -> Result<(), FileError> {
        let (table, is_any) = (self.table, self.format.reads_headers);
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
        let is_optional = |ours: &str| match ours {
            "author" => !is_any || self.request.rename("author") == Some(""),
            "text" => self.request.no_text || !is_any && table.is_objects(),
            _ => !is_any && table.is_objects(),
        };
        let is_lacking = |(fields, ours): &&(&[ReviewField], &str)| {
            !is_optional(ours) && fields.iter().all(|field| self.field(*field).is_empty())
        };
        let lacks: Vec<&str> = NEEDED.iter().filter(is_lacking).map(|it| it.1).collect();
        let mut parts = Vec::new();
        let mut lists = self.columns_where(|column| {
            !table.is_objects() && table.most(column, |cell| cell.starts_with("[{"))
        });
        if !lacks.is_empty() {
            parts.push(match lists.next() {
                Some(column) => format!(
                    "{} has lists of JSON; export the file as JSON instead",
                    table.columns[column]
                ),
                None => self.describe_lacks(&lacks),
            });
        }
        if let Some(column) = self.field(ReviewField::Rating).first()
            && let header = &table.columns[*column]
            && is_any
            && is_one_best(header, &table.columns)
        {
            parts.push(format!(
                "{header} seems to have 1 as the best grade; write stars there, of which 5 is the best, under the header Stars"
            ));
        }
        for (field, columns) in &self.doubtful {
            let columns: Vec<&str> = columns
                .iter()
                .map(|column| table.columns[*column].as_str())
                .collect();
            let (name, columns) = (field.name(), columns.join(" or "));
            parts.push(format!(
                "the {name} may be {columns}; name it with --map {name}=COLUMN"
            ));
        }
        parts.extend(self.unclear.iter().map(|(subject, column)| {
            let (shown, hidden) = (subject.field(), subject.hidden_field());
            let (column, kept) = (quote(&table.columns[*column]), self.keeping(*subject, None));
            format!(
                "{column} is about what may be published, but not surely which way: pass {kept}--map {shown}={column} if yes there means \
                 that it may be published, {kept}--map {hidden}={column} if yes means that it may not, or {kept}--map {shown}= if it says \
                 nothing of that"
            )
        }));
        if parts.is_empty() && is_any {
            parts.extend(self.describe_other_content());
        }
        if parts.is_empty() {
            return Ok(());
        }
        let (columns, parts) = (list_columns(&table.columns), parts.join("; "));
        Err(FileError::new(if table.is_objects() {
            format!("is JSON with keys {columns}: none of the known formats, and {parts}")
        } else {
            format!("is a table with the columns {columns}: {parts}")
        }))
    }

    /// The free columns whose cells may be of a field, each behind its rank, the likeliest first: a text has its length. None whose cells
    /// are private or of something else by its header.
    fn candidates(&self, field: &str) -> Vec<(usize, usize)> {
        let (table, used) = (self.table, self.used());
        let others: &[Names] = match field {
            "text" => &[
                &HEADERS.irrelevant,
                &HEADERS.confidential,
                &HEADERS.private,
                &HEADERS.notes,
            ],
            "response" => &[&HEADERS.confidential, &HEADERS.notes],
            "date" => &[&HEADERS.other_dates, &HEADERS.numbers],
            _ => &[&HEADERS.numbers],
        };
        // The words of customers may be under `Response`.
        let answers = self.field(ReviewField::ResponseText).iter();
        let answers: Vec<&usize> = answers.filter(|_| field == "text").collect();
        // A member of an answer is none of the review, and one of a list stands for one of several.
        let is_other = |path: &str| visibility::is_of_answer(path) || path.contains("[]");
        let rank = |column: usize| {
            let header = &self.headers[column];
            if others.iter().any(|list| header.contains(list))
                || table.is_objects() && field != "response" && is_other(&table.columns[column])
            {
                return None;
            }
            let rank = match field {
                "text" => table.text_length(column),
                "response" => {
                    (table.text_length(column)).filter(|_| table.has_sentences(column, 3))
                }
                "date" => table.are_dates(column).then_some(0),
                "rating" => {
                    (table.are_ratings(column)).then(|| usize::from(header.contains(&WORDS.stars)))
                }
                _ => None,
            }?;
            let is_free = !used.contains(&column);
            (is_free || answers.contains(&&column)).then_some((usize::from(is_free) * rank, column))
        };
        let mut ranked: Vec<(usize, usize)> = (0..table.columns.len()).filter_map(rank).collect();
        ranked.sort_by_key(|(rank, _)| Reverse(*rank));
        ranked
    }

    /// The option that names the column of a field, with its candidates if there are several.
    fn map_option(&self, field: &str) -> String {
        let candidates = self.candidates(field);
        let most = candidates.first().map_or(0, |(rank, _)| *rank);
        // Names and services are shorter than texts.
        let likely = candidates.iter().filter(|(rank, _)| rank * 2 >= most);
        let likely = likely.map(|(_, column)| quote(&self.table.columns[*column]));
        match &likely.collect::<Vec<_>>()[..] {
            [] => format!("--map {field}=COLUMN"),
            [column] => format!("--map {field}={column}"),
            several => {
                let several = several.join(" or ");
                format!("--map {field}=COLUMN (COLUMN may be {several})")
            }
        }
    }

    /// What is missing, and the options that name it.
    fn describe_lacks(&self, lacks: &[&str]) -> String {
        let maps: Vec<String> = lacks.iter().map(|field| self.map_option(field)).collect();
        let without = [
            ("text", ", or --no-text if there is none"),
            ("author", ", or --map author= if there are no names"),
        ];
        let without = without.iter().filter(|(field, _)| lacks.contains(field));
        let without: String = without.map(|(_, advice)| *advice).collect();
        let (lacks, maps) = (lacks.join(", the "), maps.join(" "));
        format!("no column is recognised as the {lacks}; pass {maps}{without}")
    }

    /// That the date's column has no dates, although another has, or that the text's column has e-mail addresses.
    fn describe_other_content(&self) -> Option<String> {
        let (table, of) = (self.table, |field| self.field(field).first().copied());
        let (date, text) = (of(ReviewField::Date)?, of(ReviewField::Text)?);
        if self.date_format.is_none()
            && let Some((_, cell)) = table.cells(date).next()
            && !table.has_dates(date)
            && let others = self.candidates("date")
            && !others.is_empty()
        {
            let others = others
                .iter()
                .map(|(_, other)| table.columns[*other].as_str());
            return Some(format!(
                "{} has no dates ({}), but {} has; pass {}",
                table.columns[date],
                quoted(cell),
                others.collect::<Vec<_>>().join(" or "),
                self.map_option("date"),
            ));
        }
        table.are_addresses(text).then(|| {
            format!(
                "{} has e-mail addresses, which are not published as texts; pass {}, or --no-text",
                table.columns[text],
                self.map_option("text"),
            )
        })
    }

    /// The order of dates that the platform always has, or the language of the headers.
    pub fn usual_order(&self) -> Option<(DateOrder, &'static str)> {
        let headers = "as the language of the headers writes them";
        self.format
            .date_order
            .map(|order| (order, "as this platform writes them"))
            .or_else(|| self.is_day_first.then_some((DateOrder::DayFirst, headers)))
    }

    /// How the dates of a column are read.
    pub fn dates(&self, column: usize) -> Dates<'_> {
        // `Submit Date (UTC)`
        let is_utc = self.headers[column].contains("utc, gmt");
        Dates {
            format: self.date_format,
            order: self.orders.get(column).copied().flatten(),
            zone: self.format.zone.or(is_utc.then_some(Tz::UTC)),
        }
    }
}

/// The field of `--map` that means what was decided about a column; `None` of dates and notes, which are known by their cells.
const fn field_of(decided: &[(Subject, Says)]) -> Option<&'static str> {
    match decided {
        [] => Some(NOTHING),
        [(subject, Says::Hidden), ..] => Some(subject.hidden_field()),
        [
            (subject, Says::State | Says::AnswerState | Says::Public),
            ..,
        ] => Some(subject.field()),
        _ => None,
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
            at: Position::Line(2),
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
        let plan = Plan::new(&TABLE, &table, &request, None, &mut KeptColumns::default());
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
            ("Agreement", [agreed, "", agreed], Some([yes, no, yes])),
            ("nAktiv", ["1", "0", "1"], Some([yes, no, yes])),
            (
                "Status",
                ["published", "en attente de validation", "SUBMITTED"],
                Some([yes, no, no]),
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
                ["inaktiv", "in Prüfung", "in limbo"],
                Some([no, no, unknown]),
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
            (
                "moderated_at",
                ["2026-03-02", "", "2026-03-04"],
                Some([yes, no, yes]),
            ),
            (
                "released_at",
                ["2026-03-02", "", "2026-03-04"],
                Some([yes, no, yes]),
            ),
            (
                "accepted_at",
                ["2026-03-02", "", "2026-03-04"],
                Some([yes, no, yes]),
            ),
            (
                "Validé le",
                ["2026-03-02", "", "2026-03-04"],
                Some([yes, no, yes]),
            ),
            (
                "Zurückgezogen am",
                ["", "2026-03-02", ""],
                Some([yes, no, yes]),
            ),
            ("Posted at", ["2026-03-02", "", "2026-03-04"], None),
            ("Publié", ["O", "N", "O"], Some([yes, no, yes])),
            (
                "Status",
                ["online", "in Prüfung", "offline"],
                Some([yes, no, no]),
            ),
            ("Channel", ["Online", "Offline", "Online"], None),
            ("status_id", ["1", "2", "3"], Some([unknown; 3])),
            ("state", ["1", "4", "0"], Some([unknown; 3])),
            ("Published to", ["Google", "Yelp", "Google"], None),
            (
                "Moderation",
                ["Merci de votre confiance", "", "Thank you for your words"],
                None,
            ),
            ("Auf Homepage", ["x", "", "x"], Some([yes, no, yes])),
            ("Show as", ["Ann L.", "Bo D.", "Anonymous"], None),
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
