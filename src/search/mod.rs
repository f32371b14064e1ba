//! Search in a snapshot: one page of the reviews that match a filter, and their total number. It asks nothing of the database.

pub(crate) mod facets;
pub(crate) mod insights;
pub(crate) mod names;
mod request;
mod results;

pub use names::{did_you_mean, search_head};
pub use request::{Cursor, CursorParameter, ReviewFilter, SearchParameters, SearchRequest};
pub use results::{ResultPage, SHORT_PAGE, TOTAL_MAX, TextFinder, search_reviews};
