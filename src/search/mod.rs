//! Search: which reviews of a snapshot a filter takes, a page of them, and how many there are.
//!
//! What is found is always of the snapshot. Rare texts are found by the FTS5 index, whose
//! candidates are verified in the snapshot; common ones by walking over the newest segments until
//! the page is full and the count exact or at its bound.

mod answer;
mod cursor;
pub mod evidence;
mod evidence_request;
pub mod facets;
pub mod names;
mod page;
mod per_snapshot;
pub mod periods;
mod plan;
mod scan;
pub mod stages;
mod store;
mod suggest;
mod text_index;
mod trigrams;

pub use answer::{Found, TOTAL_MAX, Work};
pub use cursor::{Cursor, CursorParameter, InvalidCursor};
pub use page::SearchRequest;
pub use per_snapshot::PerSnapshot;
pub use plan::Costs;
pub use suggest::{did_you_mean, did_you_mean_of_evidence, nearest_service, nearest_technician};
pub use text_index::{TextIndex, walk};
