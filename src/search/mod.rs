//! Search in a snapshot: one page of the reviews that match a filter, and their total number. For a text it asks the text index
//! of the database.

pub(crate) mod facets;
pub(crate) mod insights;
pub(crate) mod names;
mod request;
mod results;
mod suggestions;

pub use request::{
    CURSOR, Cursor, FeedParameters, ReviewFilter, SearchParameters, SearchRequest, SinceParameters,
};
pub use results::{
    MATCHED_MAX, ResultPage, SHORT_PAGE, TextFinder, count_by_reading, search_reviews,
};
pub use suggestions::{did_you_mean, search_head};
