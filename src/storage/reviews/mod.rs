//! The reviews' rows: read for rendering, written by imports.

mod carry;
mod list;
mod packed;
mod read;
mod row;
mod runs;
mod source;
mod write;

pub use carry::{Carried, carry_over};
pub use list::{
    ListFilter, ListPosition, SourceCount, counts, ids_with_prefix, list_ids, present_after,
};
pub use read::{
    Binding, Changed, DatabasePosition, Newest, Numbered, changed_since, count_changed_since,
    each_published, find, newest_change, position, published, recorded_technicians, unreadable,
    withheld,
};
pub use row::Flaw;
pub use runs::{
    Run, RunChange, RunCounts, RunReview, UNDOABLE_MAX, begin_run, delete_all, end_run, last_runs,
    note_run_reviews, note_undone, remove_added, run_reviews,
};
pub use source::{
    AlikeReviews, KnownReviews, SourceRow, alike, delete, digest_key, find_key, ids_after,
    ids_by_fingerprint, ids_ever_used, ids_present, note_deleted, note_published, note_sources,
    sources, sources_at, sources_with_instants, standing,
};
pub use write::{Observation, Written, observe, upsert};
