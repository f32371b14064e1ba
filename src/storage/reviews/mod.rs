//! The reviews' rows: read for rendering, written by imports.

mod rows;
mod runs;
mod source;

pub use rows::{
    AnalysisRow, Binding, Changed, DatabasePosition, INVALID_ROW, ListFilter, Numbered,
    Observation, SourceCount, changed_since, count_changed_since, count_published, counts, find,
    ids_with_prefix, list_ids, newest, newest_change, observe, position, present_after, published,
    recorded_technicians, unreadable, upsert, withheld,
};
pub use runs::{
    Former, Run, RunChange, RunCounts, RunReview, UNDOABLE_DAYS_MAX, UNDOABLE_MAX, begin_run,
    delete_all, end_run, forget_deleted, forget_run, forget_run_reviews, forget_runs,
    forget_sources, last_runs, note_run_reviews, note_undone, remove_added, run_reviews,
    update_undecided,
};
pub use source::{
    KnownReviews, PlaceCount, ReviewCopy, SourceVersion, copies_of, counts_by_place,
    deleted_reviews, digest_key, duplicates_of, find_key, find_note, ids_after, ids_of_source,
    ids_present, keep_deleted, note_deleted, note_sources, note_status_decided, notes,
    rename_source_records, set_note, sources, sources_with_instants, standing, stored_decisions,
};
