//! The words of derived sentences: quantifiers that are bound to intervals of shares, plurals, lists.

use super::figures::Share;

/// What part of all: the word for it in a sentence. `Some`, `Many` and `Most` claim no more than the
/// lower end of the share's interval at 95 % bears; `Few` is said where even its upper end is small.
#[must_use]
pub fn quantifier(part: u32, of: u32) -> &'static str {
    let Some([low, high]) = Share::new(part, of).map(|share| share.ci95) else {
        return "Few";
    };
    match low {
        _ if high < 0.1 => "Few",
        0.5.. => "Most",
        0.3.. => "Many",
        0.1.. => "Some",
        _ if u64::from(part) * 10 < u64::from(of) => "Few",
        _ => "Some",
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
    fn a_quantifier_claims_no_more_than_its_interval_bears() {
        let words = [
            (3, 100),
            (9, 100),
            (20, 100),
            (45, 100),
            (58, 100),
            (61, 100),
            (5, 5),
            (3, 4),
            (0, 0),
        ];
        assert_eq!(
            words.map(|(part, of)| quantifier(part, of)),
            [
                "Few", "Few", "Some", "Many", "Many", "Most", "Most", "Many", "Few"
            ]
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
