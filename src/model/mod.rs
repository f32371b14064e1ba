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

use serde::Deserialize;

pub mod business;
pub(crate) mod json;
mod merge;
mod review;
pub(crate) mod text;
mod units;
mod votes;
mod words;

pub use merge::{
    Digests, LastStatement, Merged, PublicBlock, StatedReview, adopt, merge, sha256_of_parts,
    source_day, withhold_unverified,
};
pub use review::{
    ANONYMOUS, Day, GONE, InvalidDay, InvalidRating, InvalidReviewId, MAYBE_NOT_PUBLISHED,
    MentionKind, Mentions, Method, NOT_PUBLISHED, NOT_VERIFIED, OwnerReply, PublishedReview,
    Rating, RatingCounts, Reply, Review, ReviewField, ReviewId, Sort, Source, Status, Unit,
    Verification, WITHOUT_STARS,
};
pub(crate) use review::{Calendar, FIRST_YEAR, Posted};
pub use units::Units;
pub use votes::{ComparisonVerdict, Vote, VoteCounts, interval, round_to};
pub use words::{
    FoldedText, compose, fold, fold_both, fold_plain_character, fold_plainly, short_name,
};

/// The content of a file of this program; a test reads each.
pub fn parse_toml<T: Deserialize<'static>>(file: &'static str) -> T {
    toml::from_str(file).unwrap_or_else(|error| unreachable!("{error} in {file}"))
}

// Hashes. Everything derived from them (`ETag`s, segments, weights, notes in the database) must stay stable.

/// The FNV-1a offset basis for 64 bits: the initial `hash` of [`fnv1a`].
pub const FNV_OFFSET: u64 = 0xCBF2_9CE4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01B3;

/// Two lower-case digits for each byte.
pub fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits
        .map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)]))
        .collect()
}

/// FNV-1a of 64 bits, continuing from `hash`.
pub fn fnv1a(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME)
    })
}

/// Both halves combined by XOR.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the halves are folded into one"
)]
pub const fn folded(hash: u64) -> u32 {
    (hash ^ (hash >> 32)) as u32
}
