//! What the cells of a column look like. It finds the column that a message names; no review is read by it.

use std::net::IpAddr;

use crate::imports::map::date::{DateOrder, Dates};
use crate::imports::map::fields::names;
use crate::imports::map::table::Table;
use crate::imports::map::values::{is_address, words};
use crate::imports::platforms::table::HEADERS;

/// Number of a column's first cells that are looked at.
const CELLS_LOOKED_AT: usize = 100;

/// Whether most cells of the column are so; no cells are not.
fn most(table: &Table, column: usize, is: impl Fn(&str) -> bool) -> bool {
    let cells = table.cells(column).take(CELLS_LOOKED_AT);
    let (all, so) = cells.fold((0, 0), |(all, so), (_, cell)| {
        (all + 1, so + usize::from(is(cell)))
    });
    all > 0 && so * 5 >= all * 4
}

fn is_date(cell: &str) -> bool {
    let read = |order| {
        let dates = Dates {
            order: Some(order),
            ..Dates::default()
        };
        dates.parse(cell).is_ok()
    };
    DateOrder::BOTH.into_iter().any(read)
}

pub fn like_dates(table: &Table, column: usize) -> bool {
    most(table, column, is_date)
}

/// Whether any of the column's first cells is a date.
pub fn has_dates(table: &Table, column: usize) -> bool {
    let mut cells = table.cells(column).take(CELLS_LOOKED_AT);
    cells.any(|(_, cell)| is_date(cell))
}

/// Whether the cells are nothing but e-mail addresses.
pub fn like_addresses(table: &Table, column: usize) -> bool {
    let mut cells = table.cells(column).peekable();
    cells.peek().is_some() && cells.all(|(_, cell)| is_address(cell))
}

/// Whether the cells are sentences.
pub fn like_texts(table: &Table, column: usize) -> bool {
    let mut cells = table.cells(column).take(CELLS_LOOKED_AT);
    cells.any(|(_, cell)| cell.split_whitespace().count() >= 3)
}

/// The columns that may hold the texts of reviews, the longest texts first; none whose header or cells are private.
pub fn texts(table: &Table) -> Vec<usize> {
    let is_private = |header: &str| {
        let header = words(header);
        names(&HEADERS.not_asked).any(|word| header.contains(&words(word)))
            || names(&HEADERS.private).any(|word| header.contains(&words(word)))
    };
    let is_other = |cell: &str| {
        is_address(cell)
            || cell.starts_with("http")
            || cell.parse::<IpAddr>().is_ok()
            || !cell.contains(char::is_alphabetic)
            || is_date(cell)
    };
    let length = |column: usize| {
        let cells = table.cells(column).take(CELLS_LOOKED_AT);
        let (all, words) = cells.fold((0, 0), |(all, words), (_, cell)| {
            (all + 1, words + cell.split_whitespace().count())
        });
        (words * 100usize).checked_div(all).unwrap_or(0)
    };
    let columns = 0..table.columns.len();
    let mut texts: Vec<(usize, usize)> = columns
        .filter(|column| {
            let is_text = |cell: &str| !is_other(cell);
            !is_private(&table.columns[*column]) && most(table, *column, is_text)
        })
        .map(|column| (length(column), column))
        .filter(|(length, _)| *length > 120)
        .collect();
    texts.sort_by_key(|(length, column)| (std::cmp::Reverse(*length), *column));
    texts.into_iter().map(|(_, column)| column).collect()
}
