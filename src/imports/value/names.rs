//! Names and IDs in cells: the IDs of reviews from other platforms, display names without addresses, the people in a cell.

use crate::imports::fault::FieldError;
use crate::imports::value::text::clean;
use crate::model::business::Technician;
use crate::model::text::plain_words;
use crate::model::{ANONYMOUS, InvalidReviewId, Rating, ReviewId, hex, sha256_of_parts};

// Ids of reviews from other platforms: stable over imports, distinct between platforms, and within our permalinks'
// syntax (`[A-Za-z0-9._~=-]{1,128}`).

/// The id for the platform's id `theirs`. It contains the platform, because two platforms may both count from 1. An id
/// with unsupported characters or length is replaced by its digest.
pub fn of_platform(platform: &str, theirs: &str) -> Result<ReviewId, InvalidReviewId> {
    format!("{platform}-{theirs}")
        .parse()
        .or_else(|_| digest(platform, &[theirs]))
}

/// An id from parts that do not change, in place of one that fits no permalink.
pub fn digest(platform: &str, parts: &[&str]) -> Result<ReviewId, InvalidReviewId> {
    format!("{platform}-{}", hash(parts)).parse()
}

/// The first 32 hexadecimal digits of a SHA-256.
fn hash(parts: &[&str]) -> String {
    format!("{:.32}", hex(&sha256_of_parts(parts)))
}

/// The id of a row without one: of its source, author, day and text, without a text of title and stars, too. The same row has the same
/// id in any file, for any order of columns. A tilde tells it from ids that are stated, which may be digests of a platform's own.
///
/// # Errors
/// If the platform's name fits no id.
pub fn derive_id(
    platform: &str,
    parts: [&str; 4],
    title: Option<&str>,
    rating: Rating,
) -> Result<ReviewId, Vec<FieldError>> {
    let stars = rating.stars().to_string();
    let mut parts = parts.to_vec();
    if parts[3].is_empty() {
        parts.extend(title);
        parts.push(&stars);
    }
    let id = format!("{platform}-~{}", hash(&parts)).parse::<ReviewId>();
    id.map_err(|error| vec![FieldError::new("id", error.to_string())])
}

// Private data: e-mail addresses in names.

/// Minimum number of digits of a telephone number in a name.
const DIGITS_MIN: usize = 7;

/// The display name without e-mail addresses and telephone numbers: `Jane Doe <jane@example.com>` becomes `Jane Doe`. A name such
/// as `@jane` is none.
pub fn without_address(name: &str) -> String {
    let public = remove_parts(&remove_parts(name, find_address), find_number);
    let has_digits = public.contains(|c: char| c.is_ascii_digit());
    let is_private = public.len() < name.len() || has_digits;
    if is_private && !has_letters(&public) || public.is_empty() {
        return ANONYMOUS.to_owned();
    }
    public
}

/// Whether a text is nothing but e-mail addresses.
pub fn is_address(text: &str) -> bool {
    find_address(text).is_some() && !has_letters(&remove_parts(text, find_address))
}

fn has_letters(text: &str) -> bool {
    text.contains(char::is_alphabetic)
}

/// The text without the parts that `find` finds and the signs around them.
fn remove_parts(text: &str, find: fn(&str) -> Option<(usize, usize)>) -> String {
    let mut rest = text.to_owned();
    while let Some((start, end)) = find(&rest) {
        rest.replace_range(start..end, " ");
        for brackets in ["( )", "< >", "[ ]"] {
            rest = rest.replace(brackets, " ");
        }
        let words: Vec<&str> = rest.split_whitespace().collect();
        let words = words.join(" ");
        let public = words.trim_matches(|c: char| " ,;:-–/|\"<>()[]".contains(c));
        public.clone_into(&mut rest);
    }
    rest
}

/// Where the first e-mail address of a text begins and ends.
pub fn find_address(text: &str) -> Option<(usize, usize)> {
    text.match_indices('@').find_map(|(at, _)| {
        let start = text[..at].trim_end_matches(is_address_part).len();
        let after = &text[at + 1..];
        let host = after.len() - after.trim_start_matches(is_address_part).len();
        let is_host = after[..host].trim_matches('.').contains('.');
        (start < at && is_host).then_some((start, at + 1 + host))
    })
}

fn is_address_part(c: char) -> bool {
    c.is_alphanumeric() || "._%+-'".contains(c)
}

/// Where the first telephone number of a text, or another as long, begins and ends.
pub fn find_number(text: &str) -> Option<(usize, usize)> {
    let mut start = 0;
    for part in text.split_inclusive(is_no_number) {
        let number = part.trim_end_matches(is_no_number);
        // The digits of `user1234567` are part of the name.
        let is_glued = number.starts_with(|c: char| c.is_ascii_digit())
            && text[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if !is_glued && number.bytes().filter(u8::is_ascii_digit).count() >= DIGITS_MIN {
            return Some((start, start + number.len()));
        }
        start += part.len();
    }
    None
}

fn is_no_number(c: char) -> bool {
    !c.is_ascii_digit() && !" ()+-./".contains(c)
}

// The names in a cell of technicians, services or areas, and the technician on the roster that one means.

/// The names in an array, or separated by `separator`, else by semicolons, bars or line breaks.
pub fn mentioned(text: &str, separator: Option<&str>) -> Result<Vec<String>, String> {
    let separated: Vec<&str> = match separator {
        Some(separator) => text.split(separator).collect(),
        None => text.split([';', '|', '\n', '\r']).collect(),
    };
    let listed: Option<Vec<String>> = serde_json::from_str(text).ok();
    let mut names = listed.unwrap_or_else(|| separated.into_iter().map(str::to_owned).collect());
    for name in &mut names {
        // Mentions are read packed between control characters.
        if name.trim().contains(char::is_control) {
            return Err("has a control character; remove it".to_owned());
        }
        *name = clean(name.trim(), false, false);
    }
    names.retain(|name| !name.is_empty());
    Ok(names)
}

/// The technician that a name stands for, as the roster has the name. An address is no name.
pub fn technician(name: &str, roster: &[Technician]) -> Option<String> {
    let shown = without_address(name);
    if shown == ANONYMOUS && name != ANONYMOUS {
        return None;
    }
    let named = plain_words(&shown);
    let mut aliased = roster.iter().filter(|person| {
        let mut aliases = person.aliases.iter();
        aliases.any(|alias| plain_words(alias) == named)
    });
    let alias = aliased.next().filter(|_| aliased.next().is_none());
    let mut people = roster.iter();
    let person = people.find(|person| plain_words(&person.name) == named);
    Some(person.or(alias).map_or(shown, |person| person.name.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_platform_id_gets_a_prefix_and_is_hashed_if_invalid() {
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
    fn digests_of_differently_split_parts_differ() {
        assert_ne!(
            digest("t", &["ab", "c"]).unwrap(),
            digest("t", &["a", "bc"]).unwrap()
        );
    }

    #[test]
    fn email_addresses_are_removed_from_names() {
        for (name, public) in [
            ("Jane Doe <jane@example.com>", "Jane Doe"),
            ("jane@example.com", ANONYMOUS),
            ("<jane@example.com>", ANONYMOUS),
            ("@jane.doe", "@jane.doe"),
            ("Jane @ Mesa Inc.", "Jane @ Mesa Inc."),
            ("Jane <3", "Jane <3"),
            ("Ann (ann@e.com)", "Ann"),
            ("Ann Bell, ann@e.com", "Ann Bell"),
            ("ann@e.com (Ann Bell)", "Ann Bell"),
            ("Ann Bell:ann@e.com", "Ann Bell"),
            ("ann@e.com; bo@e.com", ANONYMOUS),
            ("\"Ann Bell\" <ann@e.com>", "Ann Bell"),
            ("(602) 555-0100", ANONYMOUS),
            ("192.0.2.7", ANONYMOUS),
            ("Nr. 5", "Nr. 5"),
            ("1234", ANONYMOUS),
            ("Bo (602) 555-0101", "Bo"),
            ("Cy 6025550101", "Cy"),
            ("+49 151 1234567 Di Fox", "Di Fox"),
            ("Agent 007", "Agent 007"),
            ("user123456789", "user123456789"),
            ("user_20240101", "user_20240101"),
            ("★★", "★★"),
        ] {
            assert_eq!(without_address(name), public);
        }
    }

    #[test]
    fn a_text_of_nothing_but_addresses_is_private() {
        for text in ["ann@e.com", "ann@e.com, bo@e.com", "<ann@e.com>;bo@e.com"] {
            assert!(is_address(text), "{text}");
        }
        for text in [
            "",
            "Nice",
            "Write to ann@e.com, they are good",
            "5 @ home",
            "@ann",
        ] {
            assert!(!is_address(text), "{text}");
        }
    }
}
