//! Rows of cells under columns, the one form of every file but the native one: a delimited text, a sheet, or objects whose
//! members are cells (`read::json`).

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use crate::imports::map::ReviewField;
use crate::imports::map::date::{DateOrder, Dates};
use crate::imports::map::questions::{ADDRESS, NUMBER};
use crate::imports::map::values::{
    Names, has_address, has_number, header_key, is_empty, is_in, names, same_name,
};
use crate::imports::platforms::Format;
use crate::imports::report::Position;

#[derive(Debug, Default)]
pub struct Table {
    /// Headers, or the paths of members.
    pub columns: Vec<String>,
    pub rows: Vec<Row>,
    /// Where its headers are, for the preview; `None` if the rows are objects.
    pub place: Option<String>,
    /// Of the workbook.
    pub other_sheets: Vec<String>,
    /// The members that are lists of objects, which have no columns.
    pub lists: Vec<String>,
    /// Whether its objects have more members than a table may have columns.
    pub has_more_columns: bool,
    /// The number of rows with answers that are not used.
    pub left_out: u64,
}

#[derive(Debug)]
pub struct Row {
    pub at: Position,
    /// By the column's number, as in the file. `None`, or beyond the last cell: the object has no such member.
    pub cells: Vec<Option<Box<str>>>,
    /// Why the row cannot be read as cells.
    pub fault: Option<RowFault>,
}

#[derive(Debug)]
pub struct RowFault {
    pub message: String,
    /// The row, if it has no cells.
    pub raw: Option<Value>,
}

impl Table {
    /// The column with this name, exactly or except for case, accents and punctuation.
    pub fn find(&self, name: &str) -> Option<usize> {
        find(&self.columns, name)
    }

    /// The columns with these names, in their order. Objects may have a member in two forms: `author.name` and `author[].name`.
    pub fn find_all(&self, list: Names) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for name in names(list) {
            let same = (0..self.columns.len())
                .filter(|column| self.is_objects() && same_name(&self.columns[*column], name));
            for column in self.find(name).into_iter().chain(same) {
                if !found.contains(&column) {
                    found.push(column);
                }
            }
        }
        found
    }

    pub const fn is_objects(&self) -> bool {
        self.place.is_none()
    }

    /// The cells of a column that are not empty, each with its row.
    pub fn cells(&self, column: usize) -> impl Iterator<Item = (&Row, &str)> {
        self.rows.iter().filter_map(move |row| {
            let text = row.cell(column)?.trim();
            (!is_empty(text, false) && row.fault.is_none()).then_some((row, text))
        })
    }
}

/// The column with this name among `columns`; otherwise the only one whose name has the same letters and digits.
pub fn find(columns: &[String], name: &str) -> Option<usize> {
    let exact = columns.iter().position(|column| column == name);
    exact.or_else(|| {
        let key = header_key(name);
        let mut same = (0..columns.len()).filter(|column| header_key(&columns[*column]) == key);
        same.next().filter(|_| same.next().is_none())
    })
}

/// The first dozen columns, for messages.
pub fn list_columns(columns: &[String]) -> String {
    let named: Vec<&str> = columns
        .iter()
        .map(String::as_str)
        .filter(|name| !name.is_empty())
        .collect();
    let more = if named.len() > 12 { ", …" } else { "" };
    format!("{}{more}", named[..named.len().min(12)].join(", "))
}

impl Row {
    pub fn cell(&self, column: usize) -> Option<&str> {
        self.cells.get(column)?.as_deref()
    }
}

impl Table {
    /// Names the columns that have cells and no header by their place, and the second of two with one header, so that options can name
    /// them.
    pub fn name_columns(&mut self) {
        let mut taken = HashSet::new();
        for column in 0..self.columns.len() {
            let mut name = self.columns[column].trim().to_owned();
            if name.is_empty() {
                if self.cells(column).next().is_none() {
                    continue;
                }
                name = format!("column {}", column + 1);
            }
            let header = name.clone();
            let mut number = 2;
            while !taken.insert(header_key(&name)) {
                name = format!("{header} ({number})");
                number += 1;
            }
            self.columns[column] = name;
        }
    }
}

// Rows that answer other rows.

impl Table {
    /// Joins the rows that answer a review to its row, under columns such as `answer.comment_content`. Each review gets the
    /// shop's first public answer: the shop is the user who answers the most reviews, and wrote none; if two users lead,
    /// nobody is.
    #[must_use]
    pub fn join_answers(mut self, format: &'static Format) -> Self {
        let Some(answers) = &format.answers else {
            return self;
        };
        let of_fields = [ReviewField::Id, ReviewField::Rating, ReviewField::Text];
        let [id, rating, text] =
            of_fields.map(|field| names(&format.fields[&field]).find_map(|name| self.find(name)));
        let [parent, writer, state] =
            [answers.parent, answers.writer, answers.state].map(|name| self.find(name));
        let cell = |row: &Row, column: Option<usize>| {
            let cell = row.cell(column?)?.trim();
            (!matches!(cell, "" | "0") && row.fault.is_none()).then(|| cell.to_owned())
        };
        let is_answer = |row: &Row| cell(row, parent).is_some() && cell(row, rating).is_none();
        let (comments, mut reviews): (Vec<Row>, Vec<Row>) = std::mem::take(&mut self.rows)
            .into_iter()
            .partition(is_answer);
        let writers: HashSet<String> = reviews.iter().filter_map(|row| cell(row, writer)).collect();
        // Of rows with the same id the last one counts.
        let places: HashMap<String, usize> = (0..)
            .zip(&reviews)
            .filter_map(|(place, row)| Some((cell(row, id)?, place)))
            .collect();
        let is_public = |row: &Row| {
            state.is_none() || cell(row, state).is_some_and(|it| is_in(answers.public, &it))
        };
        let mut by_writer: BTreeMap<String, BTreeMap<usize, &Row>> = BTreeMap::new();
        for row in comments
            .iter()
            .filter(|row| is_public(row) && cell(row, text).is_some())
        {
            if let Some(writer) = cell(row, writer).filter(|writer| !writers.contains(writer))
                && let Some(place) = cell(row, parent).and_then(|parent| places.get(&parent))
            {
                by_writer
                    .entry(writer)
                    .or_default()
                    .entry(*place)
                    .or_insert(row);
            }
        }
        let most = by_writer.values().map(BTreeMap::len).max();
        let mut leading = by_writer
            .into_values()
            .filter(|answers| Some(answers.len()) == most);
        let shop = leading
            .next()
            .filter(|_| leading.next().is_none())
            .unwrap_or_default();
        self.left_out = (comments.len() - shop.len()) as u64;
        let columns = self.columns.len();
        for (place, review) in reviews.iter_mut().enumerate() {
            review.cells.resize(columns, None);
            match shop.get(&place) {
                Some(answer) => review.cells.extend(answer.cells.iter().cloned()),
                // A review without an answer states that there is none.
                None => review.cells.resize(2 * columns, Some("".into())),
            }
        }
        let names: Vec<String> = self
            .columns
            .iter()
            .map(|name| format!("answer.{name}"))
            .collect();
        self.columns.extend(names);
        self.rows = reviews;
        self
    }
}

// What the cells of a column look like: it decides what is asked and shown, and never how a review is read.

/// Words from which on a cell is a sentence.
const SENTENCE_WORDS_MIN: usize = 4;
/// Number of a column's cells that are shown.
const CELLS_SHOWN: usize = 2;
/// Maximum number of characters of a cell that is shown.
const CELL_CHARACTERS_MAX: usize = 30;
/// Maximum number of different values of a column that are shown, or kept.
const VALUES_MAX: usize = 50;

impl Table {
    /// Whether half of the column's filled cells are sentences, besides addresses and links.
    pub fn has_sentences(&self, column: usize) -> bool {
        let is_sentence = |(_, cell): &(&Row, &str)| {
            let words = cell.split_whitespace();
            let words = words.filter(|word| {
                word.contains(char::is_alphabetic) && !word.contains("://") && !word.contains('@')
            });
            words.count() >= SENTENCE_WORDS_MIN
        };
        let sentences = self.cells(column).filter(is_sentence).count();
        sentences > 0 && sentences * 2 >= self.cells(column).count()
    }

    /// The first cells of a column, without what may be private.
    pub fn first_cells(&self, column: usize) -> String {
        let rows = self.rows.iter().filter(|row| row.fault.is_none());
        let cells = rows.take(CELLS_SHOWN);
        let cells = cells.map(|row| shown_cell(row.cell(column).unwrap_or_default()));
        cells.collect::<Vec<_>>().join(", ")
    }

    /// Whether the cells count the rows: 1, 2, 3 in their order and without a gap, perhaps from 0 or from the row below the header on.
    pub fn counts_rows(&self, column: usize) -> bool {
        let number = |row: &Row| {
            let cell = row.cell(column)?.trim().trim_start_matches('#');
            cell.trim_end_matches(".0").parse::<u64>().ok()
        };
        let mut numbers = self.rows.iter().map(number);
        let Some(Some(first)) = numbers.next() else {
            return false;
        };
        first <= 2
            && (first + 1..)
                .zip(numbers)
                .all(|(next, it)| it == Some(next))
    }

    /// The columns of the members of an object, or of a list of objects.
    pub fn inside<'h>(&'h self, header: &'h str) -> impl Iterator<Item = usize> + 'h {
        let columns = self.columns.iter().enumerate();
        let inside = columns.filter(move |(_, name)| {
            let rest = name.strip_prefix(header);
            !header.is_empty()
                && rest.is_some_and(|rest| rest.starts_with('.') || rest.starts_with("[]"))
        });
        inside.map(|(column, _)| column)
    }

    /// Whether a column only notes which rows have a list of objects, which has no columns.
    pub fn is_list(&self, column: usize) -> bool {
        let name = self.columns[column].strip_suffix("[]");
        name.is_some_and(|name| self.lists.iter().any(|list| list == name))
    }

    /// What a row has in a column, for a list of its values: an object is not empty, although its members have columns of their own.
    fn mark<'r>(&self, row: &'r Row, column: usize) -> &'r str {
        let cell = row.cell(column).unwrap_or_default();
        let is_object = || {
            let mut members = self.inside(&self.columns[column]);
            members.any(|member| row.cell(member).is_some())
        };
        if cell.is_empty() && self.is_objects() && is_object() {
            return "{…}";
        }
        cell
    }

    /// The first different cells of a column with their counts; an empty one is `""`.
    pub fn values(&self, column: usize) -> Vec<(String, u64)> {
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut values: Vec<(String, u64)> = Vec::new();
        for row in self.rows.iter().filter(|row| row.fault.is_none()) {
            let cell = self.mark(row, column).trim();
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
        values
    }
}

/// A cell in a table that may be pasted somewhere: without addresses and telephone numbers.
pub fn shown_cell(cell: &str) -> String {
    let line: Vec<&str> = cell.split_whitespace().collect();
    let line = line.join(" ");
    if line.is_empty() {
        return "(empty)".to_owned();
    }
    if has_address(&line) {
        return ADDRESS.to_owned();
    }
    if !is_date(&line) && has_number(&line) {
        return NUMBER.to_owned();
    }
    let short: String = line.chars().take(CELL_CHARACTERS_MAX).collect();
    if short.len() < line.len() {
        return format!("{short}…");
    }
    line
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
    DateOrder::BOTH.into_iter().any(is_read)
}
