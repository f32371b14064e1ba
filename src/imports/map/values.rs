//! Values as other people's files write them, made ours: dates, ratings, flags, ids.
//!
//! Apart from the platforms, because every one of them writes the same few kinds in the same many
//! forms. Each function is pure, takes a text, and says in its error what was found, what is
//! allowed and what to do; it knows nothing of columns.

use sha2::{Digest, Sha256};

use crate::model::{InvalidReviewId, ReviewId};

/// How many characters of a wrong value are repeated in a complaint.
const SHOWN_CHARACTERS_MAX: usize = 60;

/// `text` in quotes, cut where it is long.
pub fn quoted(text: &str) -> String {
    let cut: String = text.chars().take(SHOWN_CHARACTERS_MAX).collect();
    let more = if cut.len() < text.len() { "…" } else { "" };
    format!("{:?}", format!("{cut}{more}"))
}

/// Whether two names are the same but for case, accents and everything that is no letter and no digit:
/// `Review Date`, `review_date` and `reviewDate` are.
pub fn same_name(one: &str, other: &str) -> bool {
    let plain = |text: &'_ str| {
        text.chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .map(without_accent)
            .collect::<Vec<_>>()
    };
    // Nearly all pairs differ in their first letter: no need to look at the rest.
    let first = |text: &str| {
        let letter = text.chars().find(|c| c.is_alphanumeric())?;
        Some(without_accent(letter.to_lowercase().next()?))
    };
    first(one) == first(other) && plain(one) == plain(other)
}

/// The lower-case words of a text without accents, one blank before, between and after them.
pub fn words(text: &str) -> String {
    let plain: String = text
        .chars()
        .flat_map(char::to_lowercase)
        .map(|c| {
            if c.is_alphanumeric() {
                without_accent(c)
            } else {
                ' '
            }
        })
        .collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    format!(" {} ", words.join(" "))
}

/// A lower-case letter of a European language as people write it who have no keys for accents.
pub const fn without_accent(letter: char) -> char {
    match letter {
        'á' | 'à' | 'â' | 'ä' | 'ã' | 'å' | 'ą' => 'a',
        'ç' | 'ć' => 'c',
        'é' | 'è' | 'ê' | 'ë' | 'ę' => 'e',
        'í' | 'ì' | 'î' | 'ï' => 'i',
        'ł' => 'l',
        'ñ' | 'ń' => 'n',
        'ó' | 'ò' | 'ô' | 'ö' | 'õ' | 'ø' => 'o',
        'ś' => 's',
        'ú' | 'ù' | 'û' | 'ü' => 'u',
        'ź' | 'ż' => 'z',
        other => other,
    }
}

/// What a text says that answers yes or no.
pub fn flag(text: &str) -> Result<bool, String> {
    // A sign before a number is not left out: -1 is no 1.
    let word = if text.contains(char::is_alphabetic) {
        words(text)
    } else {
        text.to_owned()
    };
    match word.trim() {
        "true" | "yes" | "y" | "1" | "t" | "on" | "verified" | "ja" | "si" | "oui" | "sim"
        | "tak" => Ok(true),
        "false" | "no" | "n" | "0" | "f" | "off" | "not verified" | "unverified" | "nein"
        | "non" | "nee" | "nao" | "nie" => Ok(false),
        _ => Err(format!(
            "{} is not one of yes, no, true, false, 1, 0",
            quoted(text)
        )),
    }
}

// Ids of reviews that come from elsewhere: stable over imports, different between platforms, and
// within what our permalinks may hold (`[A-Za-z0-9._~=-]{1,128}`).

/// The id of the review that `platform` calls `theirs`. Two platforms may count from 1, so the
/// platform is part of it; an id that does not fit into ours is named by its digest, alike every
/// time.
pub fn of_platform(platform: &str, theirs: &str) -> Result<ReviewId, InvalidReviewId> {
    format!("{platform}-{theirs}")
        .parse()
        .or_else(|_| digest(platform, &[theirs]))
}

/// The id of a review without one, from what will not change about it. The same row gives the same
/// id in any file, whatever the order of its columns.
pub fn digest(platform: &str, parts: &[&str]) -> Result<ReviewId, InvalidReviewId> {
    let mut hash = Sha256::new();
    for part in parts {
        // The length keeps ("ab", "c") and ("a", "bc") apart.
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    named(platform, &hash.finalize())
}

/// The id of a review by the digest of its one key, as releases before this one made it for Google.
pub fn short_digest(platform: &str, key: &str) -> Result<ReviewId, InvalidReviewId> {
    named(platform, &Sha256::digest(key.as_bytes()))
}

fn named(platform: &str, digest: &[u8]) -> Result<ReviewId, InvalidReviewId> {
    let beginning = digest
        .iter()
        .take(16)
        .fold(0_u128, |number, byte| number << 8 | u128::from(*byte));
    format!("{platform}-{beginning:032x}").parse()
}

// Names of authors that were never public, as they may be shown: "Jane Doe" becomes "Jane D."
//.

/// The name with the family name cut to its first letter. One word stays as it is, and so does what
/// is short already.
pub fn shortened(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    let [first, .., last] = words.as_slice() else {
        return name.trim().to_owned();
    };
    // Where there is no letter to show, as in "Jane (via phone)", the first name must do.
    let initial = last.chars().find(|character| character.is_alphanumeric());
    initial.map_or_else(
        || (*first).to_owned(),
        |initial| format!("{first} {}.", initial.to_uppercase()),
    )
}

#[cfg(test)]
mod tests {
    use super::{flag, same_name};

    #[test]
    fn names_are_compared_by_their_letters_and_digits() {
        assert!(
            same_name("Review Date", "reviewDate")
                && same_name("store.name", "Store_Name")
                && same_name("id", "ID")
        );
        assert!(!same_name("review", "reviewer") && !same_name("date", "data"));
    }

    #[test]
    fn a_flag_is_yes_or_no_or_refused() {
        assert_eq!(
            (flag("Yes"), flag(" 0 "), flag("TRUE")),
            (Ok(true), Ok(false), Ok(true))
        );
        assert!(flag("maybe").unwrap_err().contains("\"maybe\""));
    }
}

#[cfg(test)]
mod identity_tests {
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

#[cfg(test)]
mod authors_tests {
    use super::shortened;

    #[test]
    fn a_family_name_is_cut_to_its_first_letter() {
        for (name, short) in [
            ("Jane Doe", "Jane D."),
            ("  Jane   Mary van Doe ", "Jane D."),
            ("Jane D.", "Jane D."),
            ("Jane", "Jane"),
            ("María ñandú", "María Ñ."),
            ("Jane ***", "Jane"),
        ] {
            assert_eq!(shortened(name), short);
        }
    }
}
