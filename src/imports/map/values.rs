//! Parses the values of other platforms' files: dates, ratings, flags, ids. Each function is pure; its error contains
//! the value, the allowed values and advice for the user.

use sha2::{Digest, Sha256};

use crate::model::{InvalidReviewId, ReviewId};

/// Maximum number of characters of an invalid value that a message repeats.
const SHOWN_CHARACTERS_MAX: usize = 60;

/// `text` in quotes, shortened.
pub fn quoted(text: &str) -> String {
    let cut: String = text.chars().take(SHOWN_CHARACTERS_MAX).collect();
    let more = if cut.len() < text.len() { "…" } else { "" };
    format!("{:?}", format!("{cut}{more}"))
}

/// Whether two names are equal when only letters and digits count, without case and accents: `Review Date`,
/// `review_date` and `reviewDate` are equal.
pub fn same_name(one: &str, other: &str) -> bool {
    let plain = |text: &'_ str| {
        text.chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .map(without_accent)
            .collect::<Vec<_>>()
    };
    // Nearly all pairs differ in the first letter, so it is compared first.
    let first = |text: &str| {
        let letter = text.chars().find(|c| c.is_alphanumeric())?;
        Some(without_accent(letter.to_lowercase().next()?))
    };
    first(one) == first(other) && plain(one) == plain(other)
}

/// The lower-case words of a text without accents, each preceded and followed by one blank.
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

/// A lower-case letter of a European language without its accent.
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

pub fn flag(text: &str) -> Result<bool, String> {
    // A sign before a number is significant: -1 is not 1.
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

// Ids of reviews from other platforms: stable over imports, distinct between platforms, and within our permalinks'
// syntax (`[A-Za-z0-9._~=-]{1,128}`).

/// The id for the platform's id `theirs`. It contains the platform, because two platforms may both count from 1. An id
/// with unsupported characters or length is replaced by its digest.
pub fn of_platform(platform: &str, theirs: &str) -> Result<ReviewId, InvalidReviewId> {
    format!("{platform}-{theirs}")
        .parse()
        .or_else(|_| digest(platform, &[theirs]))
}

/// The id of a review without one, from parts that do not change. The same row has the same id in any file, for any
/// order of columns.
pub fn digest(platform: &str, parts: &[&str]) -> Result<ReviewId, InvalidReviewId> {
    let mut hash = Sha256::new();
    for part in parts {
        // The length distinguishes ("ab", "c") from ("a", "bc").
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    named(platform, &hash.finalize())
}

/// The digest of one key: the form that earlier releases used for Google ids.
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

// Shortens author names that were never public: "Jane Doe" becomes "Jane D." .

/// Shortens the last word to its first letter. A single word and an already short name stay unchanged.
pub fn shortened(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    let [first, .., last] = words.as_slice() else {
        return name.trim().to_owned();
    };
    // Without a letter or digit, as in "Jane (via phone)", only the first name is used.
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
