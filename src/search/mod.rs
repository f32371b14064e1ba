//! Search: which reviews of a snapshot a filter takes, a page of them, and how many there are.
//!
//! What is found is always of the snapshot. A question walks over the newest reviews first, where
//! most end: the page is full, and the count exact or at its bound. Of what is rare, the FTS5 index
//! then gives candidates, which are verified in the snapshot; otherwise the walk goes on.

mod answer;
mod cursor;
pub mod facets;
pub mod insights;
pub mod names;
mod page;
mod scan;
mod store;
mod text_finder;
mod text_index;
mod trigrams;

pub use answer::{ResultPage, TOTAL_MAX, Work};
pub use cursor::{Cursor, CursorParameter, InvalidCursor};
pub use names::did_you_mean;
pub use page::SearchRequest;
pub use text_finder::TextFinder;
pub use text_index::{AskWhen, TextIndex, walk};
