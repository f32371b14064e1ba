//! Ids of reviews that come from elsewhere: stable over imports, different between platforms, and
//! within what our permalinks may hold (`docs/CONTRACT`: `[A-Za-z0-9._~=-]{1,128}`).

use sha2::{Digest, Sha256};

use crate::reviews::{InvalidReviewId, ReviewId};

/// The id of the review that `platform` calls `theirs`. Two platforms may count from 1, so the
/// platform is part of it; an id that does not fit into ours is named by its digest, alike every
/// time.
pub(in crate::imports) fn of_platform(
    platform: &str,
    theirs: &str,
) -> Result<ReviewId, InvalidReviewId> {
    format!("{platform}-{theirs}")
        .parse()
        .or_else(|_| digest(platform, &[theirs]))
}

/// The id of a review without one, from what will not change about it. The same row gives the same
/// id in any file, whatever the order of its columns.
pub(in crate::imports) fn digest(
    platform: &str,
    parts: &[&str],
) -> Result<ReviewId, InvalidReviewId> {
    let mut hash = Sha256::new();
    for part in parts {
        // The length keeps ("ab", "c") and ("a", "bc") apart.
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    named(platform, &hash.finalize())
}

/// The id of a review by the digest of its one key, as releases before this one made it for Google.
pub(in crate::imports) fn short_digest(
    platform: &str,
    key: &str,
) -> Result<ReviewId, InvalidReviewId> {
    named(platform, &Sha256::digest(key.as_bytes()))
}

fn named(platform: &str, digest: &[u8]) -> Result<ReviewId, InvalidReviewId> {
    let beginning = digest
        .iter()
        .take(16)
        .fold(0_u128, |number, byte| number << 8 | u128::from(*byte));
    format!("{platform}-{beginning:032x}").parse()
}

#[cfg(test)]
mod tests {
    use super::{digest, of_platform};

    #[test]
    fn an_id_names_its_platform_and_fits_into_ours() {
        assert_eq!(
            of_platform("yelp", "xAG4O7l-t1ubbwVAlPnDKg")
                .unwrap()
                .as_str(),
            "yelp-xAG4O7l-t1ubbwVAlPnDKg"
        );
        let long = of_platform("yelp", "a b/c").unwrap();
        assert_eq!(
            (long.as_str().len(), &long),
            (5 + 32, &of_platform("yelp", "a b/c").unwrap())
        );
        assert_ne!(long, of_platform("yelp", "a b/d").unwrap());
    }

    #[test]
    fn parts_of_a_digest_are_kept_apart() {
        assert_ne!(
            digest("t", &["ab", "c"]).unwrap(),
            digest("t", &["a", "bc"]).unwrap()
        );
    }
}
