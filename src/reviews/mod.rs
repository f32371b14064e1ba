//! Reviews: what one is, how they are counted, filtered and compared, and their rows.

mod aggregate;
mod day;
mod filter;
mod fold;
pub mod parameters;
mod review;
mod stated;
pub mod store;

pub use aggregate::Tally;
pub use day::{Day, InvalidDay};
pub use filter::{LIMIT_DEFAULT, LIMIT_MAX, QUERY_CHARACTERS_MAX, ReviewFilter, SearchArguments, Traits};
pub use fold::{fold, fold_into};
pub use review::{
    InvalidRating, InvalidReviewId, Mentions, Method, Rating, Response, Review, ReviewId, Source, Status, Verification,
};
pub use stated::Stated;
