//! The questions about the columns of tables: which there are, the table that is shown with them, and the command that answers them.
//! `decide` makes them; at a terminal `cli::questions` asks them, elsewhere they are printed.

use std::collections::BTreeSet;
use std::fmt;

use chrono::NaiveDate;

use crate::imports::map::fields::{PublicSubject, ReviewField};
use crate::model::text::{quote_for_shell, shorten};

/// What must be decided about columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    pub asks: Asks,
    /// The headers of the columns that it is about.
    pub columns: Vec<String>,
    /// Columns that decided this before, and are not in the table.
    pub gone: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asks {
    /// Which column fills the field: several have a name of it, or sentences beside the text. If none has, the one column that may
    /// be meant is proposed.
    Field {
        field: ReviewField,
        is_proposed: bool,
    },
    /// Whether one of the columns says what may be published.
    Public,
    /// With which of its values a column publishes.
    Values(PublicSubject),
    /// Whether a column of IDs that counts the rows has IDs.
    Id,
    /// The end of the scale of a column's ratings, of which the highest is `most`; it seems to be `end`.
    Scale { most: String, end: u8 },
    /// The order of dates in a column: one of them, and the days that it is with either format, the month first and the day first.
    Order {
        date: String,
        days: [NaiveDate; 2],
        formats: [String; 2],
    },
}

/// A column as it is shown.
#[derive(Debug, Clone)]
pub struct ShownColumn {
    pub header: String,
    /// Its first cells, without what may be private; `None` for sentences that fill no field.
    pub cells: Option<String>,
    /// What it is read as, if that is decided.
    pub reads: Option<String>,
    /// Its different values, if something is asked about it, or if it says what may be published.
    pub values: Vec<ShownValue>,
}

/// A value of a column.
#[derive(Debug, Clone)]
pub struct ShownValue {
    /// `""` for an empty cell.
    pub value: String,
    /// The value without what may be private.
    pub shown: String,
    /// Number of rows.
    pub count: u64,
}

/// Tables as they are shown, before their rows are read or with the questions about them.
#[derive(Debug, Clone, Default)]
pub struct ShownTables {
    /// The files, with their sheets and rows.
    pub titles: Vec<String>,
    /// The columns of all of them.
    pub columns: Vec<ShownColumn>,
    /// Sentences below the columns.
    pub notes: Vec<String>,
}

/// The tables of a call about which something must be decided.
#[derive(Debug, Clone, Default)]
pub struct Undecided {
    pub tables: ShownTables,
    pub sources: Vec<String>,
    pub questions: Vec<Question>,
}

/// The fields that a review needs.
pub const NEEDED: [ReviewField; 4] = [
    ReviewField::Text,
    ReviewField::Rating,
    ReviewField::Date,
    ReviewField::Author,
];

/// In place of an e-mail address, and of a telephone number.
pub const ADDRESS: &str = "(e-mail)";
pub const NUMBER: &str = "(number)";
/// The words for a value and for a column in a printed command.
pub const VALUE: &str = "VALUE";
pub const COLUMN: &str = "COLUMN";
/// Maximum number of values in a sentence.
pub const VALUES_SHOWN_MAX: usize = 20;
/// Maximum number of characters of a value that is shown.
const VALUE_CHARACTERS_MAX: usize = 200;
/// Maximum number of values that are shown with their counts.
const FEW_VALUES_MAX: usize = 5;
/// Maximum number of columns that are shown, and width of their parts in characters.
const COLUMNS_SHOWN_MAX: usize = 100;
const WIDTH_MAX: usize = 64;

impl Question {
    pub const fn new(asks: Asks, columns: Vec<String>) -> Self {
        let gone = Vec::new();
        Self {
            asks,
            columns,
            gone,
        }
    }

    /// The column that it is about, if there is one.
    pub fn column(&self) -> &str {
        self.columns.first().map_or("", String::as_str)
    }

    /// The column that is proposed for a field.
    fn proposed(&self) -> Option<&String> {
        let is_proposed = matches!(
            self.asks,
            Asks::Field {
                is_proposed: true,
                ..
            }
        );
        self.columns.first().filter(|_| is_proposed)
    }

    /// Whether it only asks for a field that a review may lack, and that has no column any more.
    pub fn is_about_gone(&self) -> bool {
        let is_optional =
            matches!(self.asks, Asks::Field { field, .. } if !NEEDED.contains(&field));
        is_optional && !self.gone.is_empty() && self.is_without_column()
    }

    /// Whether no column is known to fill the field.
    fn is_without_column(&self) -> bool {
        self.columns.is_empty() || self.proposed().is_some()
    }

    /// Whether both are one question about different files.
    fn is_same(&self, other: &Self) -> bool {
        match (&self.asks, &other.asks) {
            (Asks::Field { field, .. }, Asks::Field { field: theirs, .. }) => field == theirs,
            (Asks::Public, Asks::Public) => true,
            (one, other_asks) => {
                std::mem::discriminant(one) == std::mem::discriminant(other_asks)
                    && self.columns == other.columns
            }
        }
    }
}

impl ShownColumn {
    /// The first cells, or few values with their counts if something is asked about the column.
    fn shown(&self) -> String {
        let Some(cells) = &self.cells else {
            return "(text)".to_owned();
        };
        let rows: u64 = self.values.iter().map(|value| value.count).sum();
        if self.values.len() > FEW_VALUES_MAX || rows <= self.values.len() as u64 {
            return cells.clone();
        }
        let values = self.values.iter();
        let values = values.map(|it| format!("{} ({})", it.shown, it.count));
        values.collect::<Vec<_>>().join(", ")
    }
}

impl ShownTables {
    /// Adds a column of another file.
    pub fn add_column(&mut self, column: ShownColumn) {
        let same = self
            .columns
            .iter_mut()
            .find(|it| it.header == column.header);
        let Some(known) = same else {
            return self.columns.push(column);
        };
        known.reads = known.reads.take().and(column.reads);
        for value in column.values {
            let mut values = known.values.iter_mut();
            let key = value.value.to_lowercase();
            match values.find(|it| it.value.to_lowercase() == key) {
                Some(same) => same.count += value.count,
                None => known.values.push(value),
            }
        }
    }

    /// The number of a column on the screen, from 1.
    pub fn number(&self, header: &str) -> Option<usize> {
        Some(self.columns.iter().position(|it| it.header == header)? + 1)
    }

    /// Numbers and names of columns, for a question.
    pub fn list(&self, headers: &[String]) -> String {
        let number = |header: &String| self.number(header).unwrap_or_default();
        let items = headers
            .iter()
            .map(|header| format!("{} {header}", number(header)));
        items.collect::<Vec<_>>().join(", ")
    }

    /// The different values of a column with their counts, as they are typed, but for what may be private.
    pub fn describe_values(&self, header: &str) -> String {
        let column = self.columns.iter().find(|it| it.header == header);
        if column.is_some_and(|it| it.cells.is_none()) {
            return format!(
                "{header} has sentences, which are not shown; * is any cell that is not empty"
            );
        }
        let values = column.map(|it| &it.values[..]).unwrap_or_default();
        let shown = values.iter().take(VALUES_SHOWN_MAX).map(|it| {
            let is_masked = it.shown == ADDRESS || it.shown == NUMBER;
            let value = if is_masked {
                it.shown.clone()
            } else {
                shown_value(&it.value)
            };
            format!("{value} ({})", it.count)
        });
        let shown: Vec<String> = shown.collect();
        let more = match values.len().saturating_sub(VALUES_SHOWN_MAX) {
            0 => String::new(),
            more => format!(" and {more} more; * is any that is not empty"),
        };
        format!("{header} has {}{more}", shown.join(", "))
    }
}

impl fmt::Display for ShownTables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", self.titles.join("\n"))?;
        let shown = &self.columns[..self.columns.len().min(COLUMNS_SHOWN_MAX)];
        let width = |part: fn(&ShownColumn) -> String| {
            let widths = shown.iter().map(|it| part(it).chars().count());
            widths.max().unwrap_or(0).min(WIDTH_MAX)
        };
        let headers = width(|it| it.header.clone());
        let cells = width(ShownColumn::shown);
        for (number, column) in (1..).zip(shown) {
            let (header, shown) = (&column.header, column.shown());
            let reads = column.reads.as_deref().unwrap_or("?");
            writeln!(f, "{number:4}  {header:headers$}  {shown:cells$}  {reads}")?;
        }
        let more = self.columns.len() - shown.len();
        if more > 0 {
            writeln!(f, "      and {more} more")?;
        }
        let mut notes = self.notes.iter();
        notes.try_for_each(|note| writeln!(f, "{note}"))
    }
}

impl Undecided {
    /// Adds a question about a file; one that is asked already is asked once.
    pub fn add_question(&mut self, question: Question) {
        let same = self.questions.iter_mut().find(|it| it.is_same(&question));
        let Some(known) = same else {
            return self.questions.push(question);
        };
        let lists = [
            (&mut known.columns, question.columns),
            (&mut known.gone, question.gone),
        ];
        for (list, more) in lists {
            let new: Vec<String> = more.into_iter().filter(|it| !list.contains(it)).collect();
            list.extend(new);
        }
        if let Asks::Field { is_proposed, .. } = &mut known.asks {
            *is_proposed &= known.columns.len() == 1;
        }
    }

    /// Whether neither stars nor dates nor texts are known, now or before.
    pub fn finds_no_review(&self) -> bool {
        let is_unknown = |field| {
            let mut questions = self.questions.iter();
            let is_field =
                |it: &Question| matches!(it.asks, Asks::Field { field: of, .. } if of == field);
            questions.any(|it| is_field(it) && it.gone.is_empty() && it.is_without_column())
        };
        [ReviewField::Rating, ReviewField::Date, ReviewField::Text]
            .into_iter()
            .all(is_unknown)
    }

    /// The command with the answers to fill in, and what they are; `command` is the one that was given, as words. Run as printed, it
    /// changes nothing, because one word at least is no answer.
    pub fn command(&self, command: &[String]) -> String {
        let all_proposed = self.questions.iter().all(|it| it.proposed().is_some());
        let proposed = |it: &'_ Question| it.proposed().filter(|_| !all_proposed).cloned();
        let taken: Vec<String> = self.questions.iter().filter_map(proposed).collect();
        let answers = self
            .questions
            .iter()
            .map(|question| match proposed(question) {
                Some(column) if question.gone.is_empty() => (question.option(&column), None),
                column => {
                    let option = question.option(column.as_deref().unwrap_or(COLUMN));
                    (option, Some(self.meaning(question, &taken)))
                }
            });
        let (options, meanings): (Vec<String>, Vec<Option<String>>) = answers.unzip();
        let words = without_placeholders(command).into_iter();
        let words: Vec<String> = words
            .map(|word| quote_for_shell(word))
            .chain(options)
            .collect();
        let meanings: Vec<String> = meanings.into_iter().flatten().collect();
        let (words, meanings) = (words.join(" "), meanings.join("\n"));
        format!("run it with an answer for each ?, for example\n  {words}\n{meanings}\n")
    }

    /// What to put in a question's option; `taken` are columns that have an answer.
    fn meaning(&self, question: &Question, taken: &[String]) -> String {
        let (column, columns) = (question.column(), question.columns.join(" or "));
        match &question.asks {
            Asks::Field { field, is_proposed } => {
                let (label, noun) = (field.label(), noun(*field));
                let gone = question.gone.first();
                let gone =
                    gone.map(|it| format!("{it}, which is the {label}, is not in the file; "));
                let candidates = match (is_proposed, question.columns.is_empty()) {
                    (true, _) => format!(", perhaps {column}"),
                    (false, true) => String::new(),
                    (false, false) => format!(": {columns}"),
                };
                let without = missing_option(*field);
                let without = without.map(|option| format!(", or {option} if there is none"));
                let (gone, without) = (gone.unwrap_or_default(), without.unwrap_or_default());
                format!("{gone}{label}={COLUMN}: the column that is {noun}{candidates}{without}")
            }
            Asks::Public => {
                let gone = question.gone.iter();
                let missing = gone.clone().map(|it| {
                    format!(
                        "{it}, which said whether a review may be published, is not in the file; "
                    )
                });
                let ignored = gone.map(|it| format!("--ignore {} ", quote_for_shell(it)));
                let open = question.columns.iter().filter(|it| !taken.contains(it));
                let open: Vec<&str> = open.map(String::as_str).collect();
                let none = match (question.gone.is_empty(), &open[..]) {
                    (false, _) => ", if nothing says so any more".to_owned(),
                    (true, []) => String::new(),
                    (true, [one]) => format!(", if {one} does not"),
                    (true, several) => format!(", if none of {} does", several.join(", ")),
                };
                format!(
                    "{}{COLUMN} and {VALUE}: the column that says whether a review may be published, and its value for yes; or \
                     {}--ignore-others{none}\n(--public-answer says it of your answer, --public-name of the author's name)",
                    missing.collect::<String>(),
                    ignored.collect::<String>()
                )
            }
            Asks::Values(subject) => {
                let (noun, values) = (subject.noun(), self.tables.describe_values(column));
                format!("{VALUE}: the value with which {noun} may be published; {values}")
            }
            Asks::Id => {
                let (map, ignore) = (
                    quote_for_shell(&format!("id={column}")),
                    quote_for_shell(column),
                );
                format!(
                    "id={COLUMN}: {column} counts the rows; --map {map} if it is the same number for the same review in the next file, \
                     --ignore {ignore} if it is not"
                )
            }
            Asks::Scale { most, end } => {
                format!(
                    "END: the end of the scale of {column}, which goes up to {most}, perhaps {end}"
                )
            }
            Asks::Order {
                date,
                days,
                formats,
            } => format!(
                "FORMAT: {date} in {column} is {} with --date-format {} (month first), {} with --date-format {} (day first); or set the \
                 country once with `reviews init --country CC`",
                days[0], formats[0], days[1], formats[1]
            ),
        }
    }

    /// What is open and the command that decides it, for a scheduled run: without any cell.
    pub fn explain(&self) -> String {
        let source = self.sources.first().map_or("", String::as_str);
        let command = format!("reviews source columns {}", quote_for_shell(source));
        let explain = |question: &Question| {
            let (column, option) = (question.column(), question.option(COLUMN));
            let open = match &question.asks {
                Asks::Public => return question.explain_public(&command),
                Asks::Scale { .. } | Asks::Order { .. } => {
                    let setting = if option.starts_with("--scale") {
                        "the end of the scale"
                    } else {
                        "the order of dates"
                    };
                    return format!(
                        "{setting} in {column} is not decided; add the source again with {option}"
                    );
                }
                Asks::Field { field, .. } => match question.gone.first() {
                    Some(gone) => {
                        format!(
                            "the column {gone}, which is the {}, is missing",
                            field.label()
                        )
                    }
                    None => format!("the column of {} is not decided", noun(*field)),
                },
                Asks::Values(_) => format!("the value of {column} that publishes is not decided"),
                Asks::Id => format!("whether {column} has IDs is not decided"),
            };
            format!("{open}; {command} {option} decides it")
        };
        let questions = self.questions.iter().map(explain);
        questions.collect::<Vec<_>>().join("; ")
    }
}

impl Question {
    /// The option that answers it, with `column` as the answer for a field.
    fn option(&self, column: &str) -> String {
        match &self.asks {
            Asks::Field { field, .. } => {
                let map = format!("{}={column}", field.label());
                format!("--map {}", quote_for_shell(&map))
            }
            Asks::Id => format!("--map 'id={COLUMN}'"),
            Asks::Public => format!("--public '{COLUMN}={VALUE}'"),
            Asks::Values(subject) => {
                let value = format!("{}={VALUE}", self.column());
                format!("{} {}", subject.option(), quote_for_shell(&value))
            }
            Asks::Scale { .. } => "--scale END".to_owned(),
            Asks::Order { .. } => "--date-format FORMAT".to_owned(),
        }
    }

    fn explain_public(&self, command: &str) -> String {
        let gone = self.gone.iter();
        let missing = gone
            .clone()
            .map(|it| format!("the column {it}, which says what may be published, is missing; "));
        let forgotten = gone
            .clone()
            .map(|it| format!(" --forget {}", in_quotes(it)));
        let open = match &self.columns[..] {
            [] => String::new(),
            [one] => format!("the column {one} is not decided; "),
            several => format!("the columns {} are not decided; ", several.join(", ")),
        };
        let example = self.columns.first().map_or(COLUMN, String::as_str);
        let example = in_quotes(&format!("{example}={VALUE}"));
        let ignored = self.columns.iter().chain(gone);
        let ignored = ignored.map(|it| format!(" --ignore {}", in_quotes(it)));
        format!(
            "{}{open}{command}{} --public {example} or{} decides it",
            missing.collect::<String>(),
            forgotten.collect::<String>(),
            ignored.collect::<String>()
        )
    }
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = self
            .tables
            .titles
            .iter()
            .filter_map(|title| title.split(", ").next());
        let files = files.collect::<Vec<_>>().join(", ");
        let columns = self.questions.iter().flat_map(|it| &it.columns);
        let columns = columns.collect::<BTreeSet<_>>().len();
        let things = match columns.max(self.questions.len()) {
            1 => "a column must be decided once".to_owned(),
            several => format!("{several} columns must be decided once"),
        };
        write!(f, "{files}: {things}; nothing was changed")
    }
}

/// A text for a shell, in quotes even where it needs none, as an example in which it is replaced.
fn in_quotes(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A field in a sentence.
pub fn noun(field: ReviewField) -> String {
    let owner = if field == ReviewField::Text {
        "customer's "
    } else {
        ""
    };
    format!("the {owner}{}", field.label())
}

/// The option that says that there is no such field; `None` if no review is without.
pub fn missing_option(field: ReviewField) -> Option<String> {
    let is_needed = matches!(field, ReviewField::Rating | ReviewField::Date);
    let option = if field == ReviewField::Text {
        "--no-text".to_owned()
    } else {
        format!("--map {}=", field.label())
    };
    (!is_needed).then_some(option)
}

/// The words of a command without options that have no answer yet.
fn without_placeholders(words: &[String]) -> Vec<&String> {
    let is_open = |word: &str| {
        let value = word.rsplit('=').next().unwrap_or_default();
        ["END", "FORMAT"].contains(&word) || word != value && [COLUMN, VALUE].contains(&value)
    };
    let mut kept: Vec<&String> = Vec::new();
    for word in words {
        if !is_open(word) {
            kept.push(word);
        } else if !word.starts_with("--") {
            kept.pop();
        }
    }
    kept
}

/// A value as it is shown, and as the owner types it.
pub fn shown_value(value: &str) -> String {
    if value.is_empty() {
        return "(empty)".to_owned();
    }
    shorten(value, VALUE_CHARACTERS_MAX)
}
