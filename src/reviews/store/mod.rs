//! The reviews' rows: read for printing, written by imports.

mod packed;
mod read;
mod row;
mod write;

pub use read::{
    Changed, Newest, Numbered, Reading, changed_since, count_changed_since, each_published, find, newest_change, position,
    published, unreadable, withheld,
};
pub use row::Flaw;
pub use write::{Written, upsert};
