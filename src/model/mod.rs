//! Reviews: their parts, counts, filters, order and merge.

mod arguments;
pub mod business;
mod day;
mod digest;
mod filter;
mod fold;
pub mod hash;
mod merge;
pub(crate) mod parameters;
mod review;
mod sort;
mod unit;
mod words;

pub use arguments::SearchArguments;
pub use day::{Day, InvalidDay};
pub use digest::{Base, DigestKey, UnitDigest};
pub use filter::{LIMIT_DEFAULT, LIMIT_MAX, QUERY_CHARACTERS_MAX, ReviewFilter, Traits};
pub use fold::{fold, fold_into};
pub use merge::{DUPLICATE, GONE, Merged, NOT_VERIFIED, Statement, adopt, merge};
pub use review::{
    InvalidRating, InvalidReviewId, Mentions, Method, Rating, RatingCounts, Response, Review,
    ReviewId, Source, Status, Verification, Vote,
};
pub use sort::Sort;
pub use unit::{Stated, Unit, Units};
pub use words::{PluralEndings, TextMatch, is_of_word};
