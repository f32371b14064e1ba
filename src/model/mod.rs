//! Reviews: their parts, counts, filters, order and merge.

pub mod business;
mod day;
mod filter;
mod fold;
pub mod hash;
mod merge;
pub(crate) mod parameters;
mod review;
mod words;

pub use day::{Day, InvalidDay};
pub use filter::{
    LIMIT_DEFAULT, LIMIT_MAX, QUERY_CHARACTERS_MAX, ReviewFilter, SearchArguments, Sort, Traits,
};
pub use fold::{fold, fold_into};
pub use merge::{
    Base, DUPLICATE, DigestKey, GONE, Merged, NOT_VERIFIED, Stated, Statement, Unit, UnitDigest,
    Units, adopt, merge,
};
pub use review::{
    InvalidRating, InvalidReviewId, Mentions, Method, Rating, RatingCounts, Response, Review,
    ReviewId, Source, Status, Verification, Vote,
};
pub use words::{PluralEndings, TextMatch, is_of_word};
