//! The reviews' rows: read for rendering, written by imports.

mod packed;
mod read;
mod row;
mod source;
mod write;

pub use read::{
    Binding, Changed, DatabasePosition, Newest, Numbered, changed_since, count_changed_since,
    each_published, find, newest_change, position, published, recorded_technicians, unreadable,
    withheld,
};
pub use row::Flaw;
pub use source::{
    AlikeReviews, KnownReviews, SourceRow, alike, delete, digest_key, find_key, given_alike,
    has_sources, ids_after, note_deleted, note_published, note_sources, present, sources,
    sources_at, sources_with_instants, standing,
};
pub use write::{Observation, Written, observe, upsert};
