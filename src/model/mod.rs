//! Reviews: their parts, counts, order and merge.

/// Declares an enum whose values have a name each, by which they are displayed: `ALL` lists them in their order, `find`
/// is the inverse of `name`.
macro_rules! named {
    ($(#[$meta:meta])* $vis:vis enum $type:ident {
        $($(#[$of_variant:meta])* $variant:ident = $name:literal,)*
    }) => {
        $(#[$meta])*
        $vis enum $type {
            $($(#[$of_variant])* $variant,)*
        }

        impl $type {
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            pub fn find(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.name() == name)
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}
pub(crate) use named;

pub mod business;
pub mod hash;
mod merge;
mod review;
pub mod statistics;
mod votes;
mod words;

pub use merge::{
    Base, DUPLICATE, DigestKey, Fingerprints, GONE, Merged, NOT_VERIFIED, Statement, UnitDigest,
    Units, adopt, merge,
};
pub use review::{
    Day, InvalidDay, InvalidRating, InvalidReviewId, MentionKind, Mentions, Method, Rating,
    RatingCounts, Response, Review, ReviewId, Sort, Source, Status, Unit, Verification,
    mean_hundredths,
};
pub use votes::{ReviewVote, Vote, VoteCounts};
pub use words::{
    FoldedText, PluralEndings, TextMatch, TextQuery, compose, fold, fold_both,
    fold_plain_character, fold_plainly, is_of_word, is_one_name, short_name,
};
