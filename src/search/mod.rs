//! Search in a snapshot: one page of the reviews that match a filter, and their total number. For a text it asks the text index
//! of the database.

pub(crate) mod facets;
pub(crate) mod insights;
pub(crate) mod names;
mod parameters;
mod results;
mod text;

pub use parameters::{Cursor, FeedParameters, SearchParameters, SinceParameters};
pub use results::{MATCHED_MAX, ResultPage, SHORT_PAGE, find_page, search_reviews};
pub use text::{TextMatch, TextQuery};
