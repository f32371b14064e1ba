//! The words of derived sentences: quantifiers that are bound to shares, plurals, lists.

/// What part of all: the word for it in a sentence.
#[must_use]
pub fn quantifier(part: u32, of: u32) -> &'static str {
    // In whole numbers: below 10 %, below 30 %, up to 60 %, above.
    let (part, of) = (u64::from(part) * 10, u64::from(of));
    if part < of {
        "Few"
    } else if part < 3 * of {
        "Some"
    } else if part <= 6 * of {
        "Many"
    } else {
        "Most"
    }
}

/// `1 review`, `2 reviews`.
#[must_use]
pub fn reviews(count: u32) -> String {
    if count == 1 {
        "1 review".to_owned()
    } else {
        format!("{count} reviews")
    }
}

/// `one`, `one and two`, `one, two and three`.
#[must_use]
pub fn list(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

/// A label as it stands inside of a sentence: `Response time` as `response time`, but `AC repair`
/// as it is.
#[must_use]
pub fn inside(label: &str) -> String {
    let mut characters = label.chars();
    let (Some(first), second) = (characters.next(), characters.next()) else {
        return String::new();
    };
    if second.is_some_and(char::is_uppercase) {
        return label.to_owned();
    }
    first
        .to_lowercase()
        .chain(second)
        .chain(characters)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{inside, list, quantifier, reviews};

    #[test]
    fn a_quantifier_says_which_part_it_is() {
        let words = [
            (9, 100),
            (10, 100),
            (29, 100),
            (30, 100),
            (60, 100),
            (61, 100),
            (5, 5),
        ];
        assert_eq!(
            words.map(|(part, of)| quantifier(part, of)),
            ["Few", "Some", "Some", "Many", "Many", "Most", "Most"]
        );
    }

    #[test]
    fn words_agree_with_their_numbers() {
        assert_eq!(
            [0, 1, 2].map(reviews),
            ["0 reviews", "1 review", "2 reviews"]
        );
        let names = ["Ann", "Bo", "Cy"].map(str::to_owned);
        assert_eq!(
            [1, 2, 3].map(|count| list(&names[..count])),
            ["Ann", "Ann and Bo", "Ann, Bo and Cy"]
        );
        assert_eq!(
            ["Response time", "AC repair", ""].map(inside),
            ["response time", "AC repair", ""]
        );
    }
}
