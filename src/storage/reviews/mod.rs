//! The reviews' rows: read for rendering, written by imports.

mod rows;
mod runs;
mod source;

pub use rows::{
    Binding, Changed, DatabasePosition, Flaw, ListFilter, ListPosition, Newest, Numbered,
    Observation, SourceCount, changed_since, count_changed_since, count_published, counts, find,
    ids_with_prefix, list_ids, newest_change, observe, position, present_after, published,
    recorded_technicians, unreadable, upsert, withheld,
};
pub use runs::{
    Run, RunChange, RunCounts, RunReview, UNDOABLE_MAX, begin_run, delete_all, end_run, last_runs,
    note_run_reviews, note_undone, remove_added, run_reviews,
};
pub use source::{
    AlikeReviews, KnownReviews, SourceVersion, alike, digest_key, find_key, ids_after,
    ids_by_fingerprint, ids_ever_used, ids_present, note_deleted, note_sources,
    note_status_decided, sources, sources_at, sources_with_instants, standing, stored_decisions,
};
