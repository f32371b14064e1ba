//! Search in a snapshot: one page of the reviews that match a filter, and their total number.
//!
//! A query scans the newest reviews first, which is usually enough. For a rare term the FTS5 index then returns
//! candidates, which are verified in the snapshot; otherwise the scan continues.

mod answer;
pub(crate) mod facets;
pub(crate) mod insights;
pub(crate) mod names;
mod request;
mod scan;
mod text_index;

pub use answer::{ResultPage, SHORT_PAGE, TOTAL_MAX, Work};
pub use names::did_you_mean;
pub use request::{Cursor, CursorParameter, InvalidCursor, SearchParameters, SearchRequest};
pub use scan::TextFinder;
pub use text_index::{AskWhen, TextIndex, walk};
