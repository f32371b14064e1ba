//! Reviews: what one is, how they are counted, filtered and compared, and their rows.

mod arguments;
mod day;
mod digest;
mod filter;
mod fold;
mod merge;
pub mod parameters;
mod rating_counts;
mod review;
mod sort;
mod stated;
pub mod store;
mod unit;
mod vote;

pub use arguments::SearchArguments;
pub use day::{Day, InvalidDay};
pub use digest::{Base, DigestKey, UnitDigest};
pub use filter::{LIMIT_DEFAULT, LIMIT_MAX, QUERY_CHARACTERS_MAX, ReviewFilter, Traits};
pub use fold::{fold, fold_into};
pub use merge::{DUPLICATE, GONE, Merged, NOT_VERIFIED, Statement, adopt, merge};
pub use rating_counts::RatingCounts;
pub use review::{
    InvalidRating, InvalidReviewId, Mentions, Method, Rating, Response, Review, ReviewId, Source,
    Status, Verification,
};
pub use sort::Sort;
pub use stated::Stated;
pub use unit::{Unit, Units};
pub use vote::Vote;
