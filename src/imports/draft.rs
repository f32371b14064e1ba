//! Completes a source's format from the columns of a file: a field takes the one column with an exact name of it (`names.toml`), and what
//! is then open stands as `"?"`. Nothing is inferred from cells, and nothing that a format says is changed.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::sync::LazyLock;

use chrono::NaiveDate;

use crate::imports::fault::FileError;
use crate::imports::format::{
    Comments, Format, Names, PublicPart, ReviewField, basic_string, column_key, is_same_column,
};
use crate::imports::read::{Row, Table};
use crate::imports::row::{date_evidence, field_columns};
use crate::imports::value::date::{DateOrder, Dates, Evidence};
use crate::imports::value::names::{has_address, has_number};
use crate::imports::value::rating::{RatingWords, number_above_five, parse_rating};
use crate::imports::value::text::is_empty;
use crate::model::parse_toml;
use crate::model::text::shorten;

/// The file `names.toml`.
static NAMED_FIELDS: LazyLock<HashMap<String, ReviewField>> = LazyLock::new(|| {
    let lists: BTreeMap<ReviewField, String> = parse_toml(include_str!("names.toml"));
    let key = |(field, list): (ReviewField, String)| {
        let keys: Vec<_> = list
            .split(", ")
            .map(|name| (column_key(name), field))
            .collect();
        keys
    };
    lists.into_iter().flat_map(key).collect()
});

/// The field of which a header is an exact name.
pub fn named_field(header: &str) -> Option<ReviewField> {
    NAMED_FIELDS.get(&column_key(header)).copied()
}

/// Words from which on a cell is a sentence.
const SENTENCE_WORDS_MIN: usize = 4;
/// Maximum number of characters of a cell that is shown.
const CELL_CHARACTERS_MAX: usize = 40;
/// Numbers of cells and of different values of a column that are shown, and of columns that could be a field.
const CELLS_SHOWN: usize = 3;
const VALUES_SHOWN: usize = 6;
const CANDIDATES_MAX: usize = 6;
/// Maximum number of different values that are looked for.
const VALUES_MAX: usize = 50;
const COLUMNS_SHOWN: usize = 60;

/// What is known beside the tables.
#[derive(Debug, Clone, Default)]
pub struct DraftContext {
    pub tomorrow: NaiveDate,
    pub country: Option<String>,
    /// The encodings that a file may have, each with a cell; empty if it is known.
    pub encodings: Vec<(&'static str, String)>,
    /// The sheets, or the lists, of which one must be named; empty if it is known.
    pub sheets: Vec<String>,
    pub lists: Vec<String>,
    /// The columns that the format which the source keeps ignores.
    pub ignored: Vec<String>,
    /// Whether the draft is shown even if nothing is open.
    pub is_draft_wanted: bool,
    /// Whether the format is kept with a source: then other fields than the needed ones are not drafted.
    pub is_kept: bool,
}

/// A format as far as it is known, and what its file contains.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    /// The owner's part of the format, with the keys that are open.
    pub format: Format,
    /// The name of the file.
    pub file: String,
    pub columns: Vec<DraftColumn>,
    /// The columns that are left, which `ignored` asks about.
    pub left: Vec<String>,
    /// The columns that could be an open field.
    pub candidates: BTreeMap<ReviewField, Vec<String>>,
    /// The highest number of a rating above five.
    pub highest: Option<f64>,
    /// A date that may be read in both ways, and its two days.
    pub unclear_date: Option<(String, [NaiveDate; 2])>,
    pub location: Option<String>,
    pub context: DraftContext,
    /// Members that are lists of objects, and what stands beside the list.
    pub lists: Vec<String>,
    pub beside: Vec<(String, String)>,
    /// Whether the table needs a source of its own, since the source that it would be of has another format.
    pub needs_source: bool,
}

/// A column with cells, as it may be shown.
#[derive(Debug, Clone)]
pub struct DraftColumn {
    pub header: String,
    /// Its first cells.
    pub cells: Vec<String>,
    /// Its values with their counts, as the cells are written, the most frequent first; empty if it has texts.
    pub values: Vec<(String, u64)>,
}

/// A cell that may be shown: on one line, short, without addresses and telephone numbers.
pub fn shown_cell(cell: &str) -> String {
    let words: Vec<&str> = cell.split_whitespace().collect();
    let line: String = words
        .join(" ")
        .chars()
        .filter(|c| !c.is_control())
        .collect();
    if line.is_empty() {
        "(empty)".to_owned()
    } else if has_address(&line) {
        "(address)".to_owned()
    } else if is_sentence(&line) {
        "(text)".to_owned()
    } else if !is_date(&line) && has_number(&line) {
        "(number)".to_owned()
    } else {
        shorten(&line, CELL_CHARACTERS_MAX)
    }
}

fn is_sentence(cell: &str) -> bool {
    let words = cell.split_whitespace();
    let words = words.filter(|word| word.contains(char::is_alphabetic) && !word.contains("://"));
    words.count() >= SENTENCE_WORDS_MIN
}

/// Whether a cell is a date in any order.
pub fn is_date(cell: &str) -> bool {
    let is_read = |order| {
        let dates = Dates {
            order: Some(order),
            ..Dates::default()
        };
        dates.parse(cell).is_ok()
    };
    cell.contains(|c: char| c.is_numeric()) && DateOrder::BOTH.into_iter().any(is_read)
}

/// The tables of one call, which share one format.
struct Tables<'t> {
    tables: &'t [&'t Table],
    columns: Vec<String>,
}

impl<'t> Tables<'t> {
    fn new(tables: &'t [&'t Table]) -> Self {
        let mut columns: Vec<String> = Vec::new();
        for column in tables.iter().flat_map(|table| &table.columns) {
            if !column.is_empty() && !columns.contains(column) {
                columns.push(column.clone());
            }
        }
        columns.retain(|name| {
            let mut places = Self {
                tables,
                columns: Vec::new(),
            }
            .places(name)
            .into_iter();
            // Without a readable row the names are all that a table says.
            let has_rows = |table: &Table| table.rows.iter().any(|row| row.fault.is_none());
            places.any(|(table, column)| !has_rows(table) || table.has_cells(column))
        });
        Self { tables, columns }
    }

    /// Where a column is.
    fn places(&self, name: &str) -> Vec<(&'t Table, usize)> {
        let place = |table: &&'t Table| {
            let column = table.columns.iter().position(|column| column == name)?;
            Some((*table, column))
        };
        self.tables.iter().filter_map(place).collect()
    }

    fn cells(&self, name: &str) -> impl Iterator<Item = (&'t Row, &'t str)> {
        let places = self.places(name).into_iter();
        places.flat_map(|(table, column)| table.cells(column))
    }

    /// The header as it is in the file, without the number that tells two apart.
    fn header<'n>(&self, name: &'n str) -> &'n str
    where
        't: 'n,
    {
        let double = self.places(name).into_iter();
        let mut double = double.filter_map(|(table, column)| table.doubles.get(&column));
        double.next().map_or(name, String::as_str)
    }

    fn counts_rows(&self, name: &str) -> bool {
        let mut places = self.places(name).into_iter();
        places.any(|(table, column)| table.counts_rows(column))
    }

    /// The columns of a field by a format.
    fn field(&self, format: &Format, field: ReviewField) -> Vec<String> {
        let mut found = Vec::new();
        for table in self.tables {
            for column in field_columns(format, table, field) {
                if !found.contains(&table.columns[column]) {
                    found.push(table.columns[column].clone());
                }
            }
        }
        found
    }

    /// The columns with an exact name of a field.
    fn exact(&self, field: ReviewField) -> Vec<String> {
        let is_exact = |name: &&String| {
            // A column that counts the rows has no IDs: it begins again in each file.
            let is_count = || field == ReviewField::Id && self.counts_rows(name);
            named_field(self.header(name)) == Some(field) && !is_count()
        };
        self.columns.iter().filter(is_exact).cloned().collect()
    }

    /// The values of a column with their counts, as written; empty if it has texts.
    fn values(&self, name: &str) -> Vec<(String, u64)> {
        let mut values: Vec<(String, u64)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        let (mut sentences, mut all) = (0_u64, 0_u64);
        for (table, column) in self.places(name) {
            for row in table.rows.iter().filter(|row| row.fault.is_none()) {
                let cell = row.cell(column).unwrap_or_default().trim();
                all += u64::from(!cell.is_empty());
                sentences += u64::from(is_sentence(cell));
                let key = cell.to_lowercase();
                if values.len() == VALUES_MAX && !places.contains_key(&key) {
                    continue;
                }
                let place = *places.entry(key).or_insert(values.len());
                if place == values.len() {
                    values.push((cell.to_owned(), 0));
                }
                values[place].1 += 1;
            }
        }
        // A few sentences that repeat are choices, not texts.
        let are_choices = values.len() <= VALUES_SHOWN && all >= 2 * values.len() as u64;
        if sentences * 2 >= all.max(1) && !are_choices {
            return Vec::new();
        }
        values.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        values
    }
}

impl Draft {
    /// The draft of the tables of one call: `format` is the owner's part of what is known, `base` the built-in format that it is like.
    ///
    /// # Errors
    /// When a column proves two orders of dates.
    pub fn new(
        format: &Format,
        base: Option<&Format>,
        tables: &[&Table],
        context: DraftContext,
    ) -> Result<Self, FileError> {
        let all = Tables::new(tables);
        let mut draft = Self {
            format: format.clone(),
            lists: tables
                .iter()
                .flat_map(|table| table.lists.clone())
                .collect(),
            beside: tables
                .iter()
                .flat_map(|table| table.beside.clone())
                .collect(),
            context,
            ..Self::default()
        };
        draft.lists.dedup();
        if base.is_none() {
            draft.fill_fields(&all);
        } else if let Some(base) = base.filter(|it| !it.fields.contains_key(&ReviewField::Rating)) {
            // Which of its columns has stars, only the owner knows.
            let is_there = format.fields.contains_key(&ReviewField::Rating);
            if !is_there && !base.fields.contains_key(&ReviewField::Recommended) {
                draft.open_field(&all, ReviewField::Rating);
            }
        }
        let whole = base.map_or_else(|| draft.format.clone(), |base| base.with(&draft.format));
        draft.find_missing(&all, &whole, base);
        draft.find_left(&all, &whole, base);
        if base.is_none() {
            draft.find_scale(&all);
            draft.find_date_format(&all)?;
        }
        draft.find_location(&all, &whole);
        for (key, candidates) in [
            ("encoding", draft.context.encodings.len()),
            ("sheet", draft.context.sheets.len()),
            ("rows", draft.context.lists.len()),
        ] {
            if candidates > 0 {
                draft.open(key);
            }
        }
        if !draft.format.open.is_empty() || draft.context.is_draft_wanted {
            draft.columns = all.shown();
        }
        Ok(draft)
    }

    fn open(&mut self, key: &str) {
        self.format.open.insert(key.to_owned());
    }

    pub fn is_open(&self, key: &str) -> bool {
        self.format.open.contains(key)
    }

    fn says(&self, field: ReviewField) -> bool {
        self.format.fields.contains_key(&field) || self.is_open(&format!("fields.{field}"))
    }

    fn fill(&mut self, field: ReviewField, column: &str) {
        let names = Names::List(vec![column.to_owned()]);
        self.format.fields.insert(field, names);
    }

    /// Fills the fields that the format does not say, each from the one column with an exact name of it.
    fn fill_fields(&mut self, all: &Tables<'_>) {
        let first = all.exact(ReviewField::FirstName);
        let last = all.exact(ReviewField::LastName);
        let has_author = ReviewField::AUTHORS.into_iter().any(|it| self.says(it));
        for field in ReviewField::CORE {
            let is_stated = self.says(field) || field == ReviewField::Author && has_author;
            if is_stated {
                continue;
            }
            let exact = all.exact(field);
            match (field, exact.as_slice(), first.as_slice(), last.as_slice()) {
                // `Name` beside `Vorname` is the last name, or the whole.
                (ReviewField::Author, [name], [first], [])
                | (ReviewField::Author, [], [first], [name]) => {
                    self.fill(ReviewField::FirstName, first);
                    self.fill(ReviewField::LastName, name);
                }
                (_, [column], ..) => self.fill(field, column),
                _ => self.open_field(all, field),
            }
        }
        let is_other = |field: &ReviewField| {
            !ReviewField::CORE.contains(field) && !ReviewField::AUTHORS.contains(field)
        };
        if self.context.is_kept {
            return;
        }
        for field in ReviewField::ALL.into_iter().filter(is_other) {
            if let ([column], false) = (all.exact(field).as_slice(), self.says(field))
                && field != ReviewField::Source
                && !self.is_named(column)
            {
                self.fill(field, column);
            }
        }
    }

    /// Whether the format names a column already.
    fn is_named(&self, column: &str) -> bool {
        let fields = self.format.fields.values();
        let blocks = self.format.public_blocks();
        let blocks = blocks.iter().flat_map(|(_, blocks)| blocks.iter());
        let only = self.format.only.iter().map(|only| only.column.as_str());
        let mut names = fields
            .chain(blocks.map(|block| &block.names))
            .flat_map(Names::parts)
            .chain(self.format.ignored.parts())
            .chain(only);
        names.any(|name| is_same_column(column, name))
    }

    fn open_field(&mut self, all: &Tables<'_>, field: ReviewField) {
        let mut candidates = all.exact(field);
        let fits = |name: &&String| {
            let mut cells = all.cells(name).map(|(_, cell)| cell).peekable();
            let has_cells = cells.peek().is_some();
            let is_stars = |cell| {
                parse_rating(cell, None, &RatingWords::new()).is_ok()
                    || number_above_five(cell).is_some_and(|it| it <= 100.0)
            };
            let is_name = |cell: &str| {
                cell.contains(char::is_alphabetic)
                    && !is_sentence(cell)
                    && !is_date(cell)
                    && !has_address(cell)
            };
            has_cells
                && if field == ReviewField::Rating {
                    cells.all(is_stars)
                } else if field == ReviewField::Date {
                    cells.all(is_date)
                } else if field == ReviewField::Text {
                    cells.any(is_sentence)
                } else {
                    cells.all(is_name)
                }
        };
        if candidates.is_empty() {
            let fitting = all
                .columns
                .iter()
                .filter(fits)
                .filter(|it| !self.is_named(it));
            candidates = fitting.take(CANDIDATES_MAX).cloned().collect();
        }
        self.candidates.insert(field, candidates);
        self.open(&format!("fields.{field}"));
    }

    /// Opens what the format names and a file has not: a column of the needed fields, of `only` or of publication.
    fn find_missing(&mut self, all: &Tables<'_>, whole: &Format, base: Option<&Format>) {
        let is_author_there = ReviewField::AUTHORS
            .into_iter()
            .any(|field| !all.field(whole, field).is_empty());
        for field in ReviewField::CORE {
            let names = self
                .format
                .fields
                .get(&field)
                .filter(|names| !names.is_empty());
            let is_found = !all.field(whole, field).is_empty()
                || field == ReviewField::Author && is_author_there;
            if names.is_some() && !is_found {
                self.open_field(all, field);
            }
        }
        let has = |names: &Names| {
            let mut tables = all.tables.iter();
            tables.all(|table| !table.find_all(&names.among(&table.columns)).is_empty())
        };
        for part in PublicPart::ALL {
            let blocks = self.format.clone();
            let blocks = blocks.public_blocks().into_iter().find(|it| it.0 == part);
            for (number, block) in blocks.iter().flat_map(|it| it.1.iter().enumerate()) {
                if !has(&block.names) {
                    self.open(&format!("{}.{number}.names", part.key()));
                }
            }
        }
        if let Some(only) = &self.format.only
            && !has(&Names::List(vec![only.column.clone()]))
            && !base.is_some_and(|base| base.has_google_names)
        {
            self.open("only");
        }
    }

    /// Finds the columns that the format does not name; of a platform's JSON they are passed over.
    fn find_left(&mut self, all: &Tables<'_>, whole: &Format, base: Option<&Format>) {
        let is_json = all.tables.iter().all(|table| table.is_objects);
        if base.is_some() && is_json {
            return;
        }
        let mut used: Vec<String> = Vec::new();
        for field in ReviewField::ALL {
            used.extend(all.field(whole, field));
        }
        let blocks = whole.public_blocks();
        let names = blocks
            .iter()
            .flat_map(|(_, blocks)| blocks.iter().map(|it| &it.names));
        let only = whole
            .only
            .iter()
            .map(|only| Names::List(vec![only.column.clone()]));
        let answered = whole
            .answered
            .iter()
            .map(|name| Names::List(vec![name.clone()]));
        let names: Vec<Names> = names.cloned().chain(only).chain(answered).collect();
        for table in all.tables {
            for names in &names {
                let columns = table.find_all(&names.among(&table.columns));
                used.extend(
                    columns
                        .into_iter()
                        .map(|column| table.columns[column].clone()),
                );
            }
        }
        let ignores_all = self.format.ignores_all();
        let numbers = (0..all.columns.len()).filter(|column| {
            let is_used = used.contains(&all.columns[*column]);
            !is_used && (ignores_all || !whole.ignores(&all.columns, *column))
        });
        let left: Vec<String> = numbers.map(|column| all.columns[column].clone()).collect();
        if ignores_all {
            let former = self.context.ignored.iter().filter(|it| !left.contains(*it));
            let all = former.cloned().chain(left.iter().cloned());
            self.format.ignored = Names::List(all.collect());
        } else if left.is_empty() {
            self.format.open.remove("ignored");
        } else {
            self.left = left;
            self.open("ignored");
        }
    }

    fn find_scale(&mut self, all: &Tables<'_>) {
        let columns = all.field(&self.format, ReviewField::Rating);
        let cells = columns.iter().flat_map(|name| all.cells(name));
        let numbers = cells.filter_map(|(_, cell)| number_above_five(cell));
        self.highest = numbers.reduce(f64::max);
        if self.highest.is_some() && self.format.scale.is_none() {
            self.open("scale");
        }
    }

    /// Takes the order of dates from the cells of the columns, each by itself.
    fn find_date_format(&mut self, all: &Tables<'_>) -> Result<(), FileError> {
        if self.format.date_format.is_some() {
            return Ok(());
        }
        let mut proven: Vec<DateOrder> = Vec::new();
        for field in ReviewField::DATES {
            for name in all.field(&self.format, field) {
                let mut evidence = Evidence::default();
                for (table, column) in all.places(&name) {
                    let found = date_evidence(table, column, self.context.tomorrow);
                    for (proof, other) in evidence.proofs.iter_mut().zip(found.proofs) {
                        *proof = proof.take().or(other);
                    }
                    evidence.unclear = evidence.unclear.or(found.unclear);
                }
                match evidence.order(&name).map_err(FileError::new)? {
                    Some(order) => proven.push(order),
                    None if self.context.country.is_none() && self.unclear_date.is_none() => {
                        self.unclear_date = evidence.unclear;
                    }
                    None => {}
                }
            }
        }
        match proven.as_slice() {
            [first, rest @ ..] if rest.iter().all(|order| order == first) => {
                self.format.date_format = Some(first.format().to_owned());
                self.unclear_date = None;
                self.format.open.remove("date_format");
            }
            _ if self.unclear_date.is_some() => self.open("date_format"),
            _ => {}
        }
        Ok(())
    }

    /// Asks which location is the business's, where the format's `location` has several.
    fn find_location(&mut self, all: &Tables<'_>, whole: &Format) {
        if whole.only.is_some() {
            return;
        }
        let columns = all.field(whole, ReviewField::Location);
        let several = columns.into_iter().find(|name| {
            let values = all.values(name);
            values
                .iter()
                .filter(|(value, _)| !is_empty(value, false))
                .count()
                > 1
        });
        if let Some(column) = several {
            self.location = Some(column);
            self.open("only");
        }
    }
}

impl Tables<'_> {
    /// The columns as they may be shown.
    fn shown(&self) -> Vec<DraftColumn> {
        let column = |name: &String| {
            let cells = self.cells(name).take(CELLS_SHOWN);
            DraftColumn {
                header: name.clone(),
                cells: cells.map(|(_, cell)| shown_cell(cell)).collect(),
                values: self.values(name),
            }
        };
        self.columns.iter().map(column).collect()
    }
}

// The text of a draft, and what the owner says of it.

impl Draft {
    pub fn column(&self, header: &str) -> Option<&DraftColumn> {
        self.columns.iter().find(|column| column.header == header)
    }

    /// Ignores what is left, besides what the format ignores.
    pub fn ignore_left(&mut self) {
        let ignored = self.format.ignored.parts().into_iter().map(str::to_owned);
        let all: Vec<String> = ignored.chain(self.left.drain(..)).collect();
        self.format.ignored = Names::List(all);
        self.format.open.remove("ignored");
    }

    /// Fills a field; without a column it is one that the source does not have.
    pub fn answer_field(&mut self, field: ReviewField, column: Option<&str>) {
        let names = column.map(ToOwned::to_owned).into_iter().collect();
        self.format.fields.insert(field, Names::List(names));
        self.format.open.remove(&format!("fields.{field}"));
        self.left.retain(|left| Some(left.as_str()) != column);
        if self.left.is_empty() {
            self.format.open.remove("ignored");
        }
    }

    /// The values of a column as they may be shown: each with its count.
    fn shown_values(&self, header: &str) -> String {
        let Some(column) = self.column(header) else {
            return String::new();
        };
        if column.values.is_empty() {
            return "(text)".to_owned();
        }
        let values = column.values.iter().take(VALUES_SHOWN);
        let mut shown: Vec<String> = values
            .map(|(value, count)| format!("{} {count}", shown_cell(value)))
            .collect();
        if column.values.len() > VALUES_SHOWN {
            shown.push("…".to_owned());
        }
        shown.join(", ")
    }

    /// The text of the draft; `command` takes it once each `"?"` is replaced.
    pub fn text(&self, command: &str) -> String {
        let mut comments = Comments::default();
        comments.above.insert(String::new(), self.begin(command));
        if self.is_open("ignored") {
            comments.above.insert("ignored".to_owned(), self.ask_left());
        }
        if let Some(highest) = self.highest.filter(|_| self.is_open("scale")) {
            let line = format!("the highest is {highest}: is the scale up to 10, 20, 100?");
            comments.beside.insert("scale".to_owned(), line);
        }
        if let Some((date, days)) = self
            .unclear_date
            .as_ref()
            .filter(|_| self.is_open("date_format"))
        {
            let [month, day] = days;
            let line = format!(
                "mm/dd/yyyy: {} is {month}; dd/mm/yyyy: {day}",
                shown_cell(date)
            );
            comments.beside.insert("date_format".to_owned(), line);
        }
        if self.is_open("encoding") {
            let mut lines = vec![
                "The file is not UTF-8. Take away the # of the line that reads it rightly:"
                    .to_owned(),
            ];
            let encodings = self.context.encodings.iter();
            lines.extend(encodings.map(|(name, cell)| {
                format!("encoding = {} # {}", basic_string(name), shown_cell(cell))
            }));
            comments.above.insert("encoding".to_owned(), lines);
        }
        for (key, names) in [
            ("sheet", &self.context.sheets),
            ("rows", &self.context.lists),
        ] {
            let names: Vec<String> = names.iter().map(|name| basic_string(name)).collect();
            if self.is_open(key) {
                comments
                    .beside
                    .insert(key.to_owned(), format!("one of {}", names.join(", ")));
            }
        }
        if let Some(location) = self.location.as_ref().filter(|_| self.is_open("only")) {
            let name = basic_string(location);
            let lines = vec![
                format!(
                    "{name} has several values ({}). Which is this business's? For example",
                    self.shown_values(location)
                ),
                format!("  only = {{ column = {name}, value = \"…\" }}"),
                "If all are, take `location` out of [fields], and ignore the column.".to_owned(),
            ];
            comments.above.insert("only".to_owned(), lines);
        }
        for (field, names) in &self.format.fields {
            let name = names.parts().first().copied().unwrap_or_default();
            if let Some(column) = self.column(name) {
                let is_text = [ReviewField::Text, ReviewField::ReplyText].contains(field);
                let cells = if is_text {
                    "(text)".to_owned()
                } else {
                    column.cells.join(", ")
                };
                comments.beside.insert(format!("fields.{field}"), cells);
            }
        }
        for (field, candidates) in &self.candidates {
            let shown = candidates.iter().map(|name| {
                let cells = self.column(name).map(|column| column.cells.join(", "));
                format!("{} ({})", basic_string(name), cells.unwrap_or_default())
            });
            let shown: Vec<String> = shown.collect();
            let line = if shown.is_empty() {
                "no column looks like it".to_owned()
            } else {
                format!("could be {}", shown.join(", "))
            };
            comments.beside.insert(format!("fields.{field}"), line);
        }
        for part in PublicPart::ALL {
            for number in 0..4 {
                let key = format!("{}.{number}.names", part.key());
                if self.is_open(&key) {
                    comments
                        .beside
                        .insert(key, "a file lacks this column".to_owned());
                }
            }
        }
        self.format.write(&comments)
    }

    fn begin(&self, command: &str) -> Vec<String> {
        let mut lines = vec![if self.format.open.is_empty() {
            format!("How {} is read: {command}", self.file)
        } else {
            format!(
                "How {} is read. Replace each \"?\" and run: {command}",
                self.file
            )
        }];
        if !self.beside.is_empty() {
            let beside = self.beside.iter();
            let beside = beside
                .map(|(name, value)| format!("{} = {}", basic_string(name), shown_cell(value)));
            lines.push(format!(
                "Beside the list, not read: {}",
                beside.collect::<Vec<_>>().join(", ")
            ));
        }
        if !self.lists.is_empty() {
            let lists: Vec<String> = self.lists.iter().map(|name| basic_string(name)).collect();
            lines.push(format!(
                "Lists of objects, not read: {}. If one has stars or replies, bring these into the rows first, for example with jq.",
                lists.join(", ")
            ));
        }
        lines
    }

    fn ask_left(&self) -> Vec<String> {
        let shown = self.left.iter().take(COLUMNS_SHOWN);
        let shown =
            shown.map(|name| format!("{} ({})", basic_string(name), self.shown_values(name)));
        let mut left = String::new();
        for (number, column) in shown.enumerate() {
            let _ = write!(left, "{}{column}", if number > 0 { ", " } else { "" });
        }
        let name = self.left.last().map(|name| basic_string(name));
        let value = self
            .left
            .last()
            .and_then(|name| self.column(name)?.values.first().cloned());
        let value = value.map_or_else(|| "yes".to_owned(), |(value, _)| shown_cell(&value));
        let mut lines = Vec::new();
        if !self.format.ignored.is_empty() {
            let ignored = self.format.ignored.parts().into_iter().map(basic_string);
            lines.push(format!(
                "Ignored so far: {}.",
                ignored.collect::<Vec<_>>().join(", ")
            ));
        }
        lines.extend([
            format!("Left: {left}."),
            "Does one of them say whether a review, your reply or the name may be published? Then add at the end, for example,".to_owned(),
            "  [[public]]                # or [[public_reply]], [[public_name]]".to_owned(),
            format!("  names = [{}]", name.unwrap_or_default()),
            format!("  values = [{}]", basic_string(&value)),
            "and ignore the others: ignored = \"*\"".to_owned(),
        ]);
        lines
    }

    /// What is open, in words, a line for each key.
    pub fn describe_open(&self) -> Vec<String> {
        let describe = |key: &String| {
            let question = match key.as_str() {
                "ignored" => {
                    let names = self.left.iter().take(VALUES_SHOWN).map(String::as_str);
                    let names: Vec<&str> = names.collect();
                    let more = if self.left.len() > VALUES_SHOWN {
                        ", …"
                    } else {
                        ""
                    };
                    format!(
                        "whether one of {}{more} says that a review, your reply or the name may be published",
                        names.join(", ")
                    )
                }
                "scale" => format!(
                    "the end of the ratings' scale; the highest is {}",
                    self.highest.unwrap_or_default()
                ),
                "date_format" => match &self.unclear_date {
                    Some((date, [month, day])) => {
                        format!("whether {} is {month} or {day}", shown_cell(date))
                    }
                    None => "how dates are written".to_owned(),
                },
                "encoding" => "the encoding of the file".to_owned(),
                "sheet" => format!("which sheet: {}", self.context.sheets.join(", ")),
                "rows" => format!("which list: {}", self.context.lists.join(", ")),
                "only" if self.location.is_none() => {
                    "which column has the locations; the file lacks the former one".to_owned()
                }
                "only" => "which location is this business's".to_owned(),
                key => match key.strip_prefix("fields.") {
                    Some(field) => format!("which column is the {field}"),
                    None => {
                        "which column says what may be published; the file lacks the former one"
                            .to_owned()
                    }
                },
            };
            format!("{key}: {question}")
        };
        self.format.open.iter().map(describe).collect()
    }

    /// Whether nothing of a review was found.
    pub fn finds_no_review(&self) -> bool {
        let fields = ["fields.rating", "fields.date", "fields.text"];
        fields.iter().all(|key| self.is_open(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_marks_and_words_in_brackets_do_not_change_a_name() {
        let named = "review; REVIEW:; 3. Review *; Q2) Review?; Review (optional); review_text; Review [your words]";
        for header in named.split("; ") {
            assert_eq!(named_field(header), Some(ReviewField::Text), "{header}");
        }
        for header in ["Stars (1-5)", "Stars (1 - 5)", "Stars (1–5)"] {
            assert_eq!(named_field(header), Some(ReviewField::Rating), "{header}");
        }
        let others = "Review 2; Reviews of others; My review; Review (2); Stars (0-10); Stars (1-6); Review ✅";
        for header in others.split("; ") {
            assert_eq!(named_field(header), None, "{header}");
        }
    }

    #[test]
    fn shown_cells_have_no_addresses_texts_or_line_breaks() {
        for (cell, shown) in [
            ("ann@e.com", "(address)"),
            ("+1 602 555 0100", "(number)"),
            ("On time and very tidy", "(text)"),
            ("2026-03-02", "2026-03-02"),
            ("yes\n[fields]\r\nx", "yes [fields] x"),
            (" ", "(empty)"),
        ] {
            assert_eq!(shown_cell(cell), shown);
        }
    }
}
