//! Which columns of a file fill which fields of a review, and which show whether it is public; decided once per file.
//!
//! A platform's columns have the names in its file. In any other table a column is known by the names, words and questions
//! in `table.toml`; a field for which several columns may be meant is asked for, never guessed.

use std::collections::HashSet;

use crate::imports::file_error::FileError;
use crate::imports::map::date::{DateOrder, Dates};
use crate::imports::map::fields::{Names, names};
use crate::imports::map::table::{Row, Table, TablePlace, find, list_columns};
use crate::imports::map::values::{quoted, same_name, words};
use crate::imports::map::visibility::{self, Subject};
use crate::imports::map::words::Says;
use crate::imports::map::{Calendar, ReviewField, looks};
use crate::imports::platforms::format::{Format, Hidden};
use crate::imports::platforms::table::{HEADERS, PhraseWords};
use crate::imports::report::TableColumns;
use crate::imports::request::ImportRequest;

/// The fields that a review needs, with their names in messages.
const NEEDED: [(&[ReviewField], &str); 4] = [
    (&[ReviewField::Rating, ReviewField::Recommended], "rating"),
    (&[ReviewField::Date], "date"),
    (
        &[
            ReviewField::Author,
            ReviewField::FirstName,
            ReviewField::LastName,
        ],
        "author",
    ),
    (&[ReviewField::Text], "text"),
];

/// The fields of dates.
pub const DATES: [ReviewField; 4] = [
    ReviewField::Date,
    ReviewField::ResponseDate,
    ReviewField::UpdatedAt,
    ReviewField::VerifiedAt,
];

/// Whether one subject is public.
#[derive(Debug, Default)]
pub struct Visibility {
    /// The columns that the platform's file names.
    pub known: Vec<(Vec<usize>, &'static Hidden)>,
    /// The columns known by their names.
    pub found: Vec<(usize, Says)>,
}

#[derive(Debug)]
pub struct Plan<'o> {
    pub format: &'static Format,
    pub request: &'o ImportRequest,
    /// The columns of each field, in the order in which they are tried.
    fields: [Vec<usize>; ReviewField::ALL.len()],
    pub review: Visibility,
    pub answer: Visibility,
    /// The columns of rows that answer each other: the parent, and the author's user number.
    pub comments: Option<[Vec<usize>; 2]>,
    /// Of a file of objects: for each column, those of the objects that enclose it.
    pub outer: Vec<Vec<usize>>,
    /// Whether the headers are in a language that writes the day before the month.
    is_day_first: bool,
    doubtful: Doubtful,
    /// The order of dates in each column, where one is needed.
    pub orders: Vec<Option<DateOrder>>,
    /// A sentence about each of them.
    pub sentences: Vec<String>,
    /// `--date-format` in strftime notation.
    pub date_format: Option<String>,
}

/// Columns that do not fill a field yet, with their numbers.
type Free<'c> = Vec<(usize, &'c str)>;

/// Columns that may all fill a field.
type Doubtful = Vec<(ReviewField, Vec<String>)>;

impl<'o> Plan<'o> {
    pub fn new(
        format: &'static Format,
        table: &Table,
        request: &'o ImportRequest,
        date_format: Option<String>,
    ) -> Self {
        let columns = &table.columns;
        // Objects may have a member in two forms: `author.name` and `author[].name`.
        let lookup = |list: Names| -> Vec<usize> {
            let mut found: Vec<usize> = Vec::new();
            for name in names(list) {
                let same = (0..columns.len())
                    .filter(|column| table.is_objects() && same_name(&columns[*column], name));
                for column in table.find(name).into_iter().chain(same) {
                    if !found.contains(&column) {
                        found.push(column);
                    }
                }
            }
            found
        };
        let fields = ReviewField::ALL.map(|field| match request.rename(field.name()) {
            Some("") => Vec::new(),
            Some(theirs) => table.find(theirs).into_iter().collect(),
            None => format
                .fields
                .get(&field)
                .map_or_else(Vec::new, |list| lookup(list)),
        });
        let known = |list: &'static [Hidden]| {
            let hidden = list.iter().map(|its| (lookup(its.names), its));
            hidden.filter(|(columns, _)| !columns.is_empty()).collect()
        };
        let mut plan = Self {
            format,
            request,
            fields,
            review: Visibility {
                known: known(&format.hidden),
                found: Vec::new(),
            },
            answer: Visibility {
                known: known(&format.answer_hidden),
                found: Vec::new(),
            },
            comments: (format.comments.as_ref())
                .map(|its| [lookup(its.parent), lookup(its.writer)]),
            outer: Vec::new(),
            is_day_first: false,
            doubtful: Doubtful::new(),
            orders: vec![None; columns.len()],
            sentences: Vec::new(),
            date_format,
        };
        if table.is_objects() {
            plan.outer = columns
                .iter()
                .map(|path| enclosing(columns, path))
                .collect();
        }
        if format.reads_headers {
            plan.doubtful = plan.find_by_headers(table);
            if !plan.field(ReviewField::Author).is_empty() {
                // A blank author is not filled from the parts of a name.
                plan.fields[ReviewField::FirstName as usize].clear();
                plan.fields[ReviewField::LastName as usize].clear();
            }
        }
        plan.find_visibility(table);
        plan
    }

    pub fn field(&self, field: ReviewField) -> &[usize] {
        &self.fields[field as usize]
    }

    /// Fills the fields of a table that is no platform's. No column fills two fields.
    fn find_by_headers(&mut self, table: &Table) -> Doubtful {
        let mut doubtful = Doubtful::new();
        for field in ReviewField::ALL {
            self.choose(table, field, &mut doubtful);
        }
        let taken = self.used();
        let headers = table.columns.iter().map(String::as_str);
        let mut free: Free<'_> = (0..).zip(headers).collect();
        free.retain(|(number, _)| !taken.contains(number));
        let mut open = ReviewField::ALL.to_vec();
        open.retain(|field| {
            self.field(*field).is_empty() && self.request.rename(field.name()).is_none()
        });
        let fields = &mut self.fields;
        let mut fill = |field: ReviewField, find: &mut dyn FnMut(&Free<'_>) -> Vec<usize>| {
            if !open.contains(&field) {
                return false;
            }
            let found = find(&free);
            if found.is_empty() {
                return false;
            }
            open.retain(|its| *its != field);
            free.retain(|(number, _)| !found.contains(number));
            fields[field as usize] = found;
            true
        };
        for (field, list) in &self.format.fields {
            fill(*field, &mut |free| find_named(list, free));
        }
        for (field, list) in &self.format.fields {
            fill(*field, &mut |free| find_inside(*field, list, free));
        }
        for (field, list) in &HEADERS.other_languages {
            self.is_day_first |= fill(*field, &mut |free| find_named(list, free));
        }
        for field in [ReviewField::Rating, ReviewField::Text] {
            self.is_day_first |= fill(field, &mut |free| find_named(&HEADERS.ambiguous, free));
        }
        for (field, list) in &HEADERS.questions {
            fill(*field, &mut |free| find_question(free, *field, list));
        }
        for (field, phrase) in &HEADERS.combined {
            fill(*field, &mut |free| {
                let phrases = free.iter().filter(|(_, header)| phrase.is_in(header));
                let phrases: Free<'_> = phrases.copied().collect();
                if let [(only, _)] = phrases[..] {
                    return vec![only];
                }
                if !phrases.is_empty() {
                    let both = phrases.iter().map(|(_, name)| (*name).to_owned());
                    doubtful.push((*field, both.collect()));
                }
                Vec::new()
            });
        }
        doubtful.retain(|(field, _)| {
            self.request.rename(field.name()).is_none()
                && (table.is_objects() || self.field(*field).is_empty())
        });
        doubtful
    }

    /// Keeps the first of the columns that have names of a field: the others may be private, so they do not fill the gaps of
    /// the first. In a file of objects, a row that has another one and not the first makes the field doubtful.
    fn choose(&mut self, table: &Table, field: ReviewField, doubtful: &mut Doubtful) {
        let columns = &self.fields[field as usize];
        let [first, others @ ..] = &columns[..] else {
            return;
        };
        if self.request.rename(field.name()).is_some() {
            return;
        }
        let first = *first;
        // The members of an object stand for it where it is no plain value: `reply.text` for `reply`.
        let is_inside = |column: &usize| {
            self.outer
                .get(*column)
                .is_some_and(|its| its.contains(&first))
        };
        let (mut inside, others): (Vec<usize>, Vec<usize>) =
            others.iter().copied().partition(is_inside);
        let path = &table.columns[first];
        let object = path
            .rsplit_once('.')
            .map_or(path.as_str(), |(object, _)| object);
        let object = object.trim_end_matches("[]");
        for member in HEADERS
            .members
            .get(&field)
            .into_iter()
            .flat_map(|list| names(list))
        {
            let paths = [".", "[]."].map(|mark| format!("{object}{mark}{member}"));
            let is_member = |column: &usize| paths.contains(&table.columns[*column]);
            let more = (0..table.columns.len()).filter(is_member);
            inside.extend(more.filter(|column| *column != first));
        }
        inside.dedup();
        let chosen: Vec<usize> = [first].into_iter().chain(inside).collect();
        let has = |row: &Row, column: usize| {
            let mut all = self
                .outer
                .get(column)
                .into_iter()
                .flatten()
                .copied()
                .chain([column]);
            all.any(|column| row.cell(column).is_some())
        };
        let lacks = |other: &&usize| {
            let mut rows = table.rows.iter();
            table.is_objects()
                && rows.any(|row| {
                    chosen.iter().all(|column| !has(row, *column)) && row.cell(**other).is_some()
                })
        };
        if let Some(other) = others.iter().find(lacks) {
            let both = [first, *other].map(|column| table.columns[column].clone());
            doubtful.push((field, both.into()));
        }
        self.fields[field as usize] = chosen;
    }

    /// Finds the columns that show whether a review or its answer is public.
    fn find_visibility(&mut self, table: &Table) {
        let used = self.used();
        let path = |column: &usize| table.columns[*column].as_str();
        let answer = self.field(ReviewField::ResponseText).first().map(path);
        let fields = [ReviewField::Rating, ReviewField::Text].map(|field| self.field(field));
        let reviews = fields.into_iter().flatten().map(path);
        let reviews: Vec<&str> = reviews
            .filter_map(|path| Some(path.rsplit_once('.')?.0))
            .collect();
        let mut found = [Vec::new(), Vec::new()];
        for (number, column) in table.columns.iter().enumerate() {
            let Some((subject, says)) = visibility::find(column, answer, &reviews) else {
                continue;
            };
            // `Private reply` may be the text of one.
            let is_text = || subject == Subject::Answer && looks::like_texts(table, number);
            if !used.contains(&number) && !is_text() {
                found[subject as usize].push((number, says));
            }
        }
        let [review, answer] = found;
        for (subject, visibility, found) in [
            (Subject::Review, &mut self.review, review),
            (Subject::Answer, &mut self.answer, answer),
        ] {
            visibility.found = match self.request.rename(subject.field()) {
                None => found,
                // Only the column that is named, or none.
                Some(theirs) => {
                    let column = find(&table.columns, theirs).filter(|_| !theirs.is_empty());
                    let says = |column: usize| {
                        let known = visibility::find(theirs, None, &[]);
                        (column, known.map_or(Says::State, |(_, says)| says))
                    };
                    column.map(says).into_iter().collect()
                }
            };
        }
    }

    /// The numbers of the columns that are read.
    fn used(&self) -> HashSet<usize> {
        let visibility = [&self.review, &self.answer].into_iter().flat_map(|its| {
            let known = its.known.iter().flat_map(|(columns, _)| columns);
            known
                .copied()
                .chain(its.found.iter().map(|(column, _)| *column))
        });
        let fields = self.fields.iter().chain(self.comments.iter().flatten());
        fields.flatten().copied().chain(visibility).collect()
    }

    /// The columns of visibility, as fields in the report.
    pub fn visibility(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let one = |subject: Subject, its: &Visibility| {
            let known = its.known.iter().flat_map(|(columns, _)| columns.iter());
            let all = known.chain(its.found.iter().map(|(column, _)| column));
            all.map(|column| (subject.field(), *column))
                .collect::<Vec<_>>()
        };
        let both = one(Subject::Review, &self.review);
        both.into_iter().chain(one(Subject::Answer, &self.answer))
    }

    /// The use of a table's columns, for the report.
    pub fn columns(&self, table: &Table) -> TableColumns {
        let always = ["rating", "date", "author", "text", "response"];
        let mut used: Vec<(&'static str, Vec<String>)> =
            always.map(|field| (field, Vec::new())).into();
        let mut add = |field: &'static str, number: usize| {
            let name = table.columns[number].clone();
            match used.iter_mut().find(|(its, _)| *its == field) {
                Some((_, its)) if its.contains(&name) => {}
                Some((_, its)) => its.push(name),
                None => used.push((field, vec![name])),
            }
        };
        for field in ReviewField::ALL {
            #[expect(clippy::wildcard_enum_match_arm, reason = "most go by their own names")]
            let shown = match field {
                ReviewField::FirstName | ReviewField::LastName => "author",
                ReviewField::Recommended => "rating",
                ReviewField::Matched | ReviewField::Buyer => "verification.method",
                ReviewField::ResponseText => "response",
                _ => field.name(),
            };
            for number in self.field(field) {
                add(shown, *number);
            }
        }
        self.visibility()
            .for_each(|(field, number)| add(field, number));
        if let Some([parent, writer]) = &self.comments {
            parent.iter().for_each(|number| add("answer to", *number));
            writer.iter().for_each(|number| add("user", *number));
        }
        let (row, sheet, other_sheets) = match &table.place {
            TablePlace::Objects => (0, None, Vec::new()),
            TablePlace::Text(line) => (*line, None, Vec::new()),
            TablePlace::Sheet(place) => {
                (place.row, Some(place.sheet.clone()), place.others.clone())
            }
        };
        TableColumns {
            sheet,
            other_sheets,
            row,
            used,
            unused: self.unused(table),
            dates: Vec::new(),
        }
    }

    fn unused(&self, table: &Table) -> Vec<String> {
        let taken = self.used();
        let columns = table.columns.iter().enumerate();
        let unused = columns
            .filter(|(number, name)| !taken.contains(number) && !name.trim().is_empty())
            .map(|(_, name)| name.clone());
        unused.collect()
    }

    /// # Errors
    /// When the table lacks a column for a field that a review needs, or one that `--map` names, when several columns may
    /// fill a field, or one does not hold what it should.
    pub fn complete(&self, table: &Table) -> Result<(), FileError> {
        let is_platform = !self.format.reads_headers;
        let is_optional = |ours: &str| match ours {
            "author" => is_platform,
            "text" => self.request.no_text || is_platform && table.is_objects(),
            _ => is_platform && table.is_objects(),
        };
        let lacks = NEEDED.iter().filter(|(fields, ours)| {
            !is_optional(ours) && fields.iter().all(|field| self.field(*field).is_empty())
        });
        let lacks: Vec<&str> = lacks.map(|(_, ours)| *ours).collect();
        let renames = self.request.renames.iter().map(|rename| &rename.theirs);
        let unknown = renames.filter(|theirs| !theirs.is_empty() && table.find(theirs).is_none());
        let unknown: Vec<&str> = unknown.map(String::as_str).collect();
        // A file without rows lacks nothing: an empty list of objects has no members.
        if table.is_objects() && table.columns.is_empty() {
            return Ok(());
        }
        let mut parts = Vec::new();
        if !unknown.is_empty() {
            let unknown = unknown.join(", ");
            parts.push(format!("it has no column {unknown}, which --map names"));
        }
        if !lacks.is_empty() {
            parts.push(self.lacking(&lacks, table));
        }
        for (field, columns) in &self.doubtful {
            let advice = if lacks.contains(&field.name()) {
                String::new()
            } else {
                format!("; name it with --map {}=COLUMN", field.name())
            };
            let columns = columns.join(" or ");
            parts.push(format!("the {} may be {columns}{advice}", field.name()));
        }
        if parts.is_empty() && self.format.reads_headers {
            parts.extend(self.other_content(table));
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

    /// What is missing, and the column that holds it by its cells.
    fn lacking(&self, lacks: &[&str], table: &Table) -> String {
        let free = |number: &usize| !self.used().contains(number);
        let text = || {
            let texts = looks::texts(table);
            let text = texts.into_iter().find(free);
            text.map_or("COLUMN".to_owned(), |number| quote(&table.columns[number]))
        };
        if lacks == ["text"] {
            return format!(
                "no column is recognised as the text; pass --map text={}, or --no-text if there is none",
                text()
            );
        }
        let maps = lacks.iter().map(|field| {
            let column = match *field {
                "text" => text(),
                "date" => self
                    .dates_elsewhere(table)
                    .map_or("COLUMN".to_owned(), |number| quote(&table.columns[number])),
                _ => "COLUMN".to_owned(),
            };
            format!("--map {field}={column}")
        });
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

    /// The first free column whose cells are dates.
    fn dates_elsewhere(&self, table: &Table) -> Option<usize> {
        let used = self.used();
        let mut free = (0..table.columns.len()).filter(|number| !used.contains(number));
        free.find(|number| looks::like_dates(table, *number))
    }

    /// That the date's column has no dates, although another has, or that the text's column has e-mail addresses.
    fn other_content(&self, table: &Table) -> Option<String> {
        if let [date, ..] = self.field(ReviewField::Date)
            && self.date_format.is_none()
            && let Some((_, cell)) = table.cells(*date).next()
            && !looks::has_dates(table, *date)
            && let Some(other) = self.dates_elsewhere(table)
        {
            return Some(format!(
                "{} has no dates ({}), but {} has; pass --map date={}",
                table.columns[*date],
                quoted(cell),
                table.columns[other],
                quote(&table.columns[other])
            ));
        }
        let [text, ..] = self.field(ReviewField::Text) else {
            return None;
        };
        looks::like_addresses(table, *text).then(|| {
            let texts = looks::texts(table).into_iter().find(|other| other != text);
            let texts = texts.map_or("COLUMN".to_owned(), |other| quote(&table.columns[other]));
            format!(
                "{} has e-mail addresses, which are not published as texts; pass --map text={texts}, or --no-text",
                table.columns[*text]
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
            format: self.date_format.as_deref(),
            order: self.orders.get(column).copied().flatten(),
            zone: self.format.zone,
        }
    }
}

/// The columns of the objects that enclose the member at `path`.
fn enclosing(columns: &[String], path: &str) -> Vec<usize> {
    let encloses = |outer: &String| {
        path.strip_prefix(outer.as_str())
            .is_some_and(|rest| rest.starts_with('.') || rest.starts_with("[]"))
    };
    let outer = columns.iter().enumerate();
    outer
        .filter(|(_, outer)| encloses(outer))
        .map(|(number, _)| number)
        .collect()
}

/// A column's name as a shell takes it.
fn quote(column: &str) -> String {
    if column.contains(['"', '$', '`', '\\', '!']) {
        format!("'{}'", column.replace('\'', r"'\''"))
    } else {
        format!("\"{column}\"")
    }
}

/// The column with the first of these names; the column may also have a suffix in brackets, as in `Stars (1-5)`.
fn find_named(list: Names, free: &Free<'_>) -> Vec<usize> {
    let is_called = |its: &str, name: &str| {
        let before = its.split('(').next().unwrap_or_default();
        same_name(its, name) || same_name(before, name)
    };
    let called = names(list).find_map(|name| {
        let column = free.iter().find(|(_, its)| is_called(its, name));
        column.map(|(number, _)| *number)
    });
    called.into_iter().collect()
}

/// The members of an object with one of these names that hold such a field: `reply.text`, `user.name`, `reply.iso_date`.
fn find_inside(field: ReviewField, list: Names, free: &Free<'_>) -> Vec<usize> {
    let Some(members) = HEADERS.members.get(&field) else {
        return Vec::new();
    };
    let list = HEADERS.objects.get(&field).map_or(list, String::as_str);
    let inside = |outer: &str| {
        let members = names(members).filter_map(|member| {
            let is_inside = |path: &str| {
                path.rsplit_once('.')
                    .is_some_and(|(object, its)| same_name(object, outer) && same_name(its, member))
            };
            let found = free.iter().find(|(_, path)| is_inside(path));
            found.map(|(number, _)| *number)
        });
        members.collect::<Vec<_>>()
    };
    names(list)
        .map(inside)
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

impl PhraseWords {
    /// Whether a header consists of a known word and neutral ones: `Stars given`.
    fn is_in(&'static self, header: &str) -> bool {
        let is_in = |list: Names, word: &str| names(list).any(|its| its == word);
        let words = words(header.split('(').next().unwrap_or_default());
        let mut words = words.split_whitespace();
        words.clone().any(|word| is_in(&self.known, word))
            && words.all(|word| is_in(&self.known, word) || is_in(&self.neutral, word))
    }
}

/// The column whose question contains one of these words. If there are several, the first is used for the text, and for
/// the rating the one that contains "overall".
fn find_question(free: &Free<'_>, field: ReviewField, list: Names) -> Vec<usize> {
    let has =
        |question: &str, list: Names| names(list).any(|its| question.contains(words(its).as_str()));
    let is_question = |header: &str| header.contains('?') || header.split_whitespace().count() >= 3;
    let questions = free.iter().filter(|(_, name)| is_question(name));
    let questions: Vec<(usize, String)> = questions
        .map(|(number, name)| (*number, words(name)))
        .filter(|(_, question)| has(question, list) && !has(question, &HEADERS.not_asked))
        .collect();
    let found = match questions.as_slice() {
        [(only, _)] => Some(*only),
        [(first, _), ..] if field == ReviewField::Text => Some(*first),
        several => {
            let mut overall = several
                .iter()
                .filter(|(_, question)| has(question, "overall"));
            overall
                .next()
                .filter(|_| overall.next().is_none())
                .map(|(number, _)| *number)
        }
    };
    found.into_iter().collect()
}

/// The business's tomorrow, after which no review is dated.
pub fn tomorrow(calendar: Calendar) -> chrono::NaiveDate {
    let zone = calendar.zone.unwrap_or(chrono_tz::Tz::UTC);
    let today = calendar.now.with_timezone(&zone).date_naive();
    today.succ_opt().unwrap_or(today)
}
