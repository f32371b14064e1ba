//! The reviews' rows: read for printing, written by imports.

mod packed;
mod read;
mod row;
mod source;
mod write;

pub use read::{
    Changed, Newest, Numbered, Reading, changed_since, count_changed_since, each_published, find, newest_change, position,
    published, unreadable, withheld,
};
pub use row::Flaw;
pub use source::{
    SourceRow, Standing, alike, delete, digest_key, find_key, ids_after, note_deleted, note_sources, sources, sources_at,
    sources_with_instants, standing,
};
pub use write::{Written, upsert};
