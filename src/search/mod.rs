//! Search in a snapshot: one page of the reviews that match a filter, and their total number.

pub(crate) mod facets;
pub(crate) mod insights;
pub(crate) mod names;
mod request;
mod results;
mod select;
mod text;
mod text_index;

pub use request::{Cursor, CursorParameter, InvalidCursor, SearchParameters, SearchRequest};
pub use results::{READ_FIRST, ResultPage, SHORT_PAGE, TOTAL_MAX, search};
pub use text::TextFinder;
pub use text_index::TextIndex;
