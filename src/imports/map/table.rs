//! Rows of cells under columns, the one form of every file but the native one: a delimited text, a sheet, or objects whose
//! members are cells (`read::json`).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::net::IpAddr;

use serde_json::Value;

use crate::imports::map::ReviewField;
use crate::imports::map::date::{DateOrder, Dates};
use crate::imports::map::values::{
    Names, flag, is_address, is_empty, is_in, names, parse_rating, same_name,
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

/// The column with this name among `columns`.
pub fn find(columns: &[String], name: &str) -> Option<usize> {
    let exact = columns.iter().position(|column| column == name);
    exact.or_else(|| columns.iter().position(|column| same_name(column, name)))
}

/// The first dozen columns, for messages.
pub fn list_columns(columns: &[String]) -> String {
    let more = if columns.len() > 12 { ", …" } else { "" };
    format!("{}{more}", columns[..columns.len().min(12)].join(", "))
}

impl Row {
    pub fn cell(&self, column: usize) -> Option<&str> {
        self.cells.get(column)?.as_deref()
    }
}

impl Table {
    /// Names the columns that have cells and no header by their place, and the second of two with one header, so that `--map` can
    /// name them.
    pub fn name_columns(&mut self) {
        for column in 0..self.columns.len() {
            let name = &self.columns[column];
            if name.is_empty() && self.cells(column).next().is_some() {
                self.columns[column] = format!("column {}", column + 1);
            } else if !name.is_empty() && self.columns[..column].contains(name) {
                self.columns[column] = second(name);
            }
        }
    }

    /// The second column with the header of this one.
    pub fn find_twin(&self, column: usize) -> Option<usize> {
        let name = second(&self.columns[column]);
        self.columns.iter().position(|other| *other == name)
    }
}

/// The name of the second column with a header.
fn second(header: &str) -> String {
    format!("{header} (2)")
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

// What the cells of a column look like. It finds the column that a message names; no review is read by it.

/// Number of a column's first cells that are looked at.
const CELLS_LOOKED_AT: usize = 100;
/// Maximum number of different cells in a column of states or answers.
const FEW_CELLS_MAX: usize = 20;
/// Minimum length of texts, in hundredths of a word, on average.
const TEXT_WORDS_MIN: usize = 120;

impl Table {
    fn first_cells(&self, column: usize) -> impl Iterator<Item = &str> {
        let cells = self.cells(column).take(CELLS_LOOKED_AT);
        cells.map(|(_, cell)| cell)
    }

    /// Whether most cells of the column are so; no cells are not.
    pub fn most(&self, column: usize, is_so: impl Fn(&str) -> bool) -> bool {
        let cells = self.first_cells(column).map(is_so);
        let (all, so) = cells.fold((0, 0), |(all, so), is_so| {
            (all + 1, so + usize::from(is_so))
        });
        all > 0 && so * 5 >= all * 4
    }

    pub fn are_dates(&self, column: usize) -> bool {
        self.most(column, is_date)
    }

    /// Whether any of the column's first cells is a date.
    pub fn has_dates(&self, column: usize) -> bool {
        self.first_cells(column).any(is_date)
    }

    /// Whether the cells are stars, and do not count the rows.
    pub fn are_ratings(&self, column: usize) -> bool {
        let stars = self
            .first_cells(column)
            .map(|cell| parse_rating(cell, None).ok());
        let is_counted = stars.is_sorted_by(|one, next| one < next);
        self.most(column, |cell| parse_rating(cell, None).is_ok()) && !is_counted
    }

    /// Whether a column has the numbers of customers in place of their names, such as `C1001`, or paths of resources.
    pub fn are_numbers(&self, column: usize) -> bool {
        let is_number = |cell: &str| {
            let digits = cell.chars().filter(char::is_ascii_digit).count();
            let others = cell.chars().count() - digits;
            let is_short = others == 0 || others <= 3 && digits >= 3;
            digits > 0 && !cell.contains(' ') && (is_short || cell.contains('/'))
        };
        self.most(column, is_number)
    }

    /// Whether the cells are nothing but e-mail addresses.
    pub fn are_addresses(&self, column: usize) -> bool {
        let mut cells = self.cells(column).peekable();
        cells.peek().is_some() && cells.all(|(_, cell)| is_address(cell))
    }

    /// Whether the cells are nothing but yes and no, or ticks.
    pub fn has_only_flags(&self, column: usize) -> bool {
        let mut cells = self.cells(column).peekable();
        cells.peek().is_some() && cells.all(|(_, cell)| flag(cell).is_ok())
    }

    /// How often each of a column's cells is there; `None` if there are none, or many different ones.
    pub fn few_cells(&self, column: usize) -> Option<BTreeMap<&str, usize>> {
        let mut counts = BTreeMap::new();
        for (_, cell) in self.cells(column) {
            *counts.entry(cell).or_default() += 1;
            if counts.len() > FEW_CELLS_MAX {
                return None;
            }
        }
        (!counts.is_empty()).then_some(counts)
    }

    /// Whether more than half of the column's first cells are sentences, of at least so many words.
    pub fn has_sentences(&self, column: usize, words: usize) -> bool {
        let is_sentence = |cell: &&str| cell.split_whitespace().count() >= words;
        let cells = || self.first_cells(column);
        cells().filter(is_sentence).count() * 2 > cells().count()
    }

    /// The length of a column's texts, in hundredths of a word; `None` if most of its cells are none, or short.
    pub fn text_length(&self, column: usize) -> Option<usize> {
        let is_text = |cell: &str| {
            !is_address(cell)
                && !cell.starts_with("http")
                && cell.parse::<IpAddr>().is_err()
                && cell.contains(char::is_alphabetic)
                && !is_date(cell)
        };
        let words = self
            .first_cells(column)
            .map(|cell| cell.split_whitespace().count());
        let (all, words) = words.fold((0, 0), |(all, words), count| (all + 1, words + count));
        let length = (words * 100_usize).checked_div(all)?;
        (length > TEXT_WORDS_MIN && self.most(column, is_text)).then_some(length)
    }
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
