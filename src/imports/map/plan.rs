//! Which columns of a file fill which fields of a review, and which show whether it is public; decided once per file.
//!
//! A platform's columns have the names in its file. In any other table a column is known by the names, words and questions
//! in `table.toml`; a field for which several columns may be meant is asked for, never guessed.

use std::collections::HashSet;

use crate::imports::map::date::{DateOrder, Dates};
use crate::imports::map::table::{Row, Table, find, list_columns};
use crate::imports::map::values::{Names, Says, names, quoted, same_name, words};
use crate::imports::map::visibility::{self, Subject};
use crate::imports::map::{Calendar, ReviewField, SOURCE_DEFAULT};
use crate::imports::platforms::{Format, HEADERS, Hidden, PhraseWords, TABLE};
use crate::imports::report::{FileError, TableColumns};
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

impl Visibility {
    /// Its columns.
    pub fn columns(&self) -> impl Iterator<Item = usize> {
        let known = self.known.iter().flat_map(|(columns, _)| columns);
        let found = self.found.iter().map(|(column, _)| column);
        known.chain(found).copied()
    }
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
            let hidden = list.iter().map(|hidden| (lookup(hidden.names), hidden));
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
                .map(|names| [lookup(names.parent), lookup(names.writer)]),
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

    /// Source of the rows that name none.
    pub fn source(&self) -> &str {
        let requested = self.request.source.as_deref();
        requested.or(self.format.source).unwrap_or(SOURCE_DEFAULT)
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
        for (field, rule, is_day_first) in rules() {
            if !self.field(field).is_empty() || self.request.rename(field.name()).is_some() {
                continue;
            }
            let found = rule.find(field, &free);
            if found.is_empty() {
                continue;
            }
            if matches!(rule, Rule::Phrase(_)) && found.len() > 1 {
                let names = found.iter().map(|column| table.columns[*column].clone());
                doubtful.push((field, names.collect()));
                continue;
            }
            self.is_day_first |= is_day_first;
            free.retain(|(number, _)| !found.contains(number));
            self.fields[field as usize] = found;
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
                .is_some_and(|outer| outer.contains(&first))
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
            let is_text = || subject == Subject::Answer && table.has_sentences(number);
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
        let visibility = [
            (Subject::Review, &self.review),
            (Subject::Answer, &self.answer),
        ];
        let visibility = visibility.into_iter().flat_map(|(subject, visibility)| {
            visibility
                .columns()
                .map(move |column| (subject.field(), column))
        });
        let comments = self.comments.iter().flat_map(|[parent, writer]| {
            let parent = parent.iter().map(|column| ("answer to", *column));
            parent.chain(writer.iter().map(|column| ("user", *column)))
        });
        fields.chain(visibility).chain(comments)
    }

    /// The numbers of the columns that are read.
    fn used(&self) -> HashSet<usize> {
        self.uses().map(|(_, column)| column).collect()
    }

    /// The use of a table's columns, for the report.
    pub fn columns(&self, table: &Table) -> TableColumns {
        let always = ["rating", "date", "author", "text", "response"];
        let mut used = always.map(|field| (field, Vec::new())).to_vec();
        for (field, column) in self.uses() {
            let name = table.columns[column].clone();
            match used.iter_mut().find(|(known, _)| *known == field) {
                Some((_, names)) if names.contains(&name) => {}
                Some((_, names)) => names.push(name),
                None => used.push((field, vec![name])),
            }
        }
        let taken = self.used();
        let unused = table.columns.iter().enumerate();
        let unused =
            unused.filter(|(number, name)| !taken.contains(number) && !name.trim().is_empty());
        TableColumns {
            place: table.place.clone(),
            used,
            unused: unused.map(|(_, name)| name.clone()).collect(),
            dates: Vec::new(),
        }
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
            let texts = table.text_columns();
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
        free.find(|number| table.are_dates(*number))
    }

    /// That the date's column has no dates, although another has, or that the text's column has e-mail addresses.
    fn other_content(&self, table: &Table) -> Option<String> {
        if let [date, ..] = self.field(ReviewField::Date)
            && self.date_format.is_none()
            && let Some((_, cell)) = table.cells(*date).next()
            && !table.has_dates(*date)
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
        table.are_addresses(*text).then(|| {
            let texts = table.text_columns().into_iter().find(|other| other != text);
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
    let names = TABLE.fields.iter();
    let names = names.map(|(field, list)| (*field, Rule::Name(list), false));
    let members = HEADERS.members.iter().filter_map(|(field, members)| {
        let objects = HEADERS.objects.get(field).or(TABLE.fields.get(field))?;
        Some((*field, Rule::Member(objects, members), false))
    });
    let other_languages = HEADERS.other_languages.iter();
    let other_languages = other_languages.map(|(field, list)| (*field, Rule::Name(list), true));
    let ambiguous = [ReviewField::Rating, ReviewField::Text]
        .map(|field| (field, Rule::Name(&HEADERS.ambiguous), true));
    let questions = HEADERS.questions.iter();
    let questions = questions.map(|(field, list)| (*field, Rule::Question(list), false));
    let phrases = HEADERS.combined.iter();
    let phrases = phrases.map(|(field, words)| (*field, Rule::Phrase(words), false));
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
                let called = names(list).find_map(|name| {
                    column(&|header| {
                        let before = header.split('(').next().unwrap_or_default();
                        same_name(header, name) || same_name(before, name)
                    })
                });
                called.into_iter().collect()
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

/// The column whose question contains one of these words. If there are several, the first is used for the text, and for
/// the rating the one that contains "overall".
fn question(field: ReviewField, list: Names, free: &Free<'_>) -> Vec<usize> {
    let has = |header: &str, list: Names| {
        let header = words(header);
        names(list).any(|word| header.contains(&words(word)))
    };
    let is_question = |header: &str| header.contains('?') || header.split_whitespace().count() >= 3;
    let questions: Free<'_> = free
        .iter()
        .filter(|(_, header)| is_question(header))
        .filter(|(_, header)| has(header, list) && !has(header, &HEADERS.irrelevant))
        .copied()
        .collect();
    match questions.as_slice() {
        [(only, _)] => vec![*only],
        [(first, _), ..] if field == ReviewField::Text => vec![*first],
        several => {
            let overall = several.iter().filter(|(_, header)| has(header, "overall"));
            let overall: Vec<usize> = overall.map(|(number, _)| *number).collect();
            if overall.len() == 1 {
                overall
            } else {
                Vec::new()
            }
        }
    }
}

/// The business's tomorrow, after which no review is dated.
pub fn tomorrow(calendar: Calendar) -> chrono::NaiveDate {
    let zone = calendar.zone.unwrap_or(chrono_tz::Tz::UTC);
    let today = calendar.now.with_timezone(&zone).date_naive();
    today.succ_opt().unwrap_or(today)
}
