//! Search: which reviews of an edition a filter takes, a page of them, and how many there are.
//!
//! What is found is always of the edition. Rare texts are found by the FTS5 index, whose candidates are verified in the
//! edition; common ones by walking over the newest blocks until the page is full and the count exact or at its bound.

mod answer;
mod cursor;
pub mod evidence;
pub mod facets;
mod per_edition;
pub mod periods;
mod plan;
mod scan;
mod store;
mod text_index;
mod trigrams;

pub use answer::{Found, TOTAL_MAX, Work};
pub use cursor::{Cursor, CursorParameter, InvalidCursor};
pub use per_edition::PerEdition;
pub use plan::Costs;
pub use text_index::{TextIndex, scan};
