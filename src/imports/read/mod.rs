//! Reads files: opens them, detects their format by its content, and keeps their rows in memory. When all are read, the
//! order of dates in each column is decided, and the reviews in the rows are passed to the collector.

pub(crate) mod budget;
pub(crate) mod detect;
mod header;
pub(crate) mod json;
pub(crate) mod open;
mod page;
mod records;
mod reviews;
mod rows;
mod text;
mod workbook;
