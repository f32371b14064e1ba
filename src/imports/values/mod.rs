//! Values as other people's files write them, made ours: dates, ratings, flags, ids.
//!
//! Apart from the platforms, because every one of them writes the same few kinds in the same many
//! forms. Each function is pure, takes a text, and says in its error what was found, what is
//! allowed and what to do; it knows nothing of columns.

pub(super) mod date;
pub(super) mod identity;
pub(super) mod rating;
pub(super) mod visibility;

/// How many characters of a wrong value are repeated in a complaint.
const SHOWN_CHARACTERS_MAX: usize = 60;

/// `text` in quotes, cut where it is long.
pub(super) fn quoted(text: &str) -> String {
    let cut: String = text.chars().take(SHOWN_CHARACTERS_MAX).collect();
    let more = if cut.len() < text.len() { "…" } else { "" };
    format!("{:?}", format!("{cut}{more}"))
}

/// Whether two names are the same but for case and everything that is no letter and no digit:
/// `Review Date`, `review_date` and `reviewDate` are.
pub(super) fn same_name(one: &str, other: &str) -> bool {
    let plain = |text: &'_ str| {
        text.chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect::<Vec<_>>()
    };
    // Nearly all pairs differ in their first letter: no need to look at the rest.
    let first = |text: &str| {
        text.chars()
            .find(|c| c.is_alphanumeric())
            .map(|c| c.to_ascii_lowercase())
    };
    first(one) == first(other) && plain(one) == plain(other)
}

/// What a text says that answers yes or no.
pub(super) fn flag(text: &str) -> Result<bool, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "y" | "1" | "t" | "on" | "verified" => Ok(true),
        "false" | "no" | "n" | "0" | "f" | "off" | "not verified" | "unverified"
        | "not_verified" => Ok(false),
        _ => Err(format!(
            "{} is none of yes, no, true, false, 1, 0",
            quoted(text)
        )),
    }
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
