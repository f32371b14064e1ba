//! Reviews: their rows, what their sources last said, and the imports that changed them.

mod rows;
mod runs;
mod source;

pub use rows::{
    AnalysisRow, DatabasePosition, Dating, Deletion, INVALID_ROW, Numbered, Observation, Reasons,
    ReviewState, broken_column, changed_ids, delete_all, ids_that_begin, list_ids, newest, observe,
    position, published, unreadable, upsert, withheld,
};
pub use runs::{
    Former, ImportRun, RunChange, RunCounts, RunReview, UNDOABLE_DAYS_MAX, UNDOABLE_MAX, begin_run,
    end_run, forget_run_reviews, forget_runs, forget_sources, last_runs, note_run_reviews,
    note_undone, pass_over_run_reviews, remove_marks, run_reviews,
};
pub use source::{
    FormatChange, KeptFormats, Known, KnownReview, Mark, Scope, SourceCounts, SourceRecord,
    anonymize, counts_by_source, delete_by_owner, ids_after, ids_of_entry, load_formats,
    load_known, load_reviews, marks, note_decided, note_entry, note_sources, other_ids, put_marks,
    rename_source, set_note, store_formats, take_back_formats, update_marks,
};
