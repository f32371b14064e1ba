//! Parses ratings in the forms that files use: `5`, `4.0`, `5/5`, `4 out of 5`, `FIVE`, `★★★★☆`, `8` of 10 with
//! `--scale 10`.
//!
//! A number is never rescaled silently: half stars and other scales need `--scale`. A low rating is never dropped: 0 on
//! a scale that begins at 0 is one star.

use std::num::NonZeroU8;

use crate::imports::map::values::quoted;
use crate::imports::platforms::{Names, names};
use crate::model::Rating;

const WORDS: [&str; 5] = ["ONE", "TWO", "THREE", "FOUR", "FIVE"];

/// `scale` is the maximum rating, 5 by default.
pub fn parse(text: &str, scale: Option<NonZeroU8>) -> Result<Rating, String> {
    let text = text.trim();
    let word = text.split_whitespace().next().unwrap_or_default();
    let is_word = word == text || fraction(text).0.eq_ignore_ascii_case(word);
    if let Some(place) = WORDS
        .iter()
        .position(|its| is_word && its.eq_ignore_ascii_case(word))
    {
        return stars(place + 1, text);
    }
    if let Some(count) = drawn(text) {
        return stars(count, text);
    }
    let (value, of) = fraction(text);
    let value: f64 = number(&value).ok_or_else(|| unknown(text))?;
    let of: Option<f64> = match of {
        Some(of) => Some(
            number(&of)
                .filter(|of| *of >= 1.0)
                .ok_or_else(|| unknown(text))?,
        ),
        None => None,
    };
    match of.or(scale.map(|scale| f64::from(scale.get()))) {
        Some(of)
            if (0.0..=of).contains(&value)
                && (of - 5.0).abs() < f64::EPSILON
                && value.fract() == 0.0 =>
        {
            whole(value.max(1.0), text)
        }
        Some(of) if (0.0..=of).contains(&value) && (scale.is_some() || value.fract() == 0.0) => {
            whole((value * 5.0 / of).round().max(1.0), text)
        }
        Some(of) if value > of => Err(format!(
            "{} is above {of}, the end of the scale",
            quoted(text)
        )),
        Some(_) => Err(half(text)),
        None if value.fract() != 0.0 && (0.0..=5.0).contains(&value) => Err(half(text)),
        None if (5.5..=10.0).contains(&value) => Err(format!(
            "{} is not one of 1, 2, 3, 4, 5; for a scale up to 10 pass --scale 10",
            quoted(text)
        )),
        None => whole(value, text),
    }
}

/// Whether `text` is a number that shows that the scale ends at 10: without `--scale`, a 3 in the same file would
/// become three of five stars.
pub fn shows_scale_of_ten(text: &str) -> bool {
    number(text.trim()).is_some_and(|value| value > 5.0 && value <= 10.0)
}

fn number(text: &str) -> Option<f64> {
    let plain = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b',')
        && text.len() <= 8;
    plain.then(|| text.replace(',', ".").parse().ok()).flatten()
}

/// Words after a number of stars, in the languages whose headers are known.
const UNITS: Names = "stars, star, ★, ⭐, sterne, stern, estrellas, estrella, étoiles, étoile, stelle, stella, sterren, ster, \
    estrelas, estrela, gwiazdki, gwiazdek";
/// Separators between a number of stars and the maximum.
const BETWEEN: [&str; 9] = [
    "/", " out of ", " of ", " von ", " sur ", " su ", " de ", " van de ", " z ",
];

/// `4/5`, `4 / 5`, `4 out of 5 stars`, `4 of 5`, `4 stars`, `4 Sterne`.
fn fraction(text: &str) -> (String, Option<String>) {
    let lower = text.to_lowercase();
    let mut plain = lower.as_str();
    for unit in names(UNITS) {
        plain = plain.strip_suffix(unit).map_or(plain, str::trim_end);
    }
    for between in BETWEEN {
        if let Some((value, of)) = plain.split_once(between) {
            return (value.trim().to_owned(), Some(of.trim().to_owned()));
        }
    }
    // `4 - good`, `5 (excellent)`: the words repeat the number.
    let is_word = |rest: &str| {
        let rest = rest.trim_start();
        rest.starts_with(['-', '–', ':', '(']) && !rest.contains(|c: char| c.is_ascii_digit())
    };
    let value = match plain.split_at_checked(1) {
        Some((value, rest)) if is_word(rest) => value,
        _ => plain,
    };
    (value.to_owned(), None)
}

/// The number of filled stars in `★★★★☆` or `⭐⭐⭐`; `None` for any other text.
fn drawn(text: &str) -> Option<usize> {
    let full = |c: &char| matches!(c, '★' | '⭐' | '🌟');
    let other = |c: char| matches!(c, '☆' | '✩' | '\u{fe0f}' | ' ');
    let known = text.chars().all(|c| full(&c) || other(c));
    (known && text.chars().any(|c| full(&c))).then(|| text.chars().filter(full).count())
}

fn stars(count: usize, text: &str) -> Result<Rating, String> {
    i64::try_from(count)
        .ok()
        .and_then(|count| Rating::try_from(count).ok())
        .ok_or_else(|| unknown(text))
}

fn whole(value: f64, text: &str) -> Result<Rating, String> {
    (1_u8..=5)
        .find(|stars| (f64::from(*stars) - value).abs() < 1e-9)
        .map_or_else(
            || Err(unknown(text)),
            |stars| self::stars(stars.into(), text),
        )
}

fn half(text: &str) -> String {
    format!(
        "{} is not a whole number of stars; pass --scale 5 to round halves up",
        quoted(text)
    )
}

fn unknown(text: &str) -> String {
    format!(
        "{} is not one of 1, 2, 3, 4, 5 (nor 5/5, FIVE, ★★★★★)",
        quoted(text)
    )
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn every_common_form_of_a_rating_is_read() {
        for (text, stars) in [
            ("5", 5),
            ("4.0", 4),
            ("4,0", 4),
            (" 3 ", 3),
            ("5/5", 5),
            ("2 / 5", 2),
            ("4 out of 5 stars", 4),
            ("1 star", 1),
            ("FIVE", 5),
            ("three", 3),
            ("Four stars", 4),
            ("4 Sterne", 4),
            ("3 étoiles", 3),
            ("4 von 5", 4),
            ("5 ★", 5),
            ("4 - Very good", 4),
            ("5 (excellent)", 5),
            ("★★★★★", 5),
            ("★★☆☆☆", 2),
            ("⭐⭐⭐", 3),
            ("9/10", 5),
            ("6/10", 3),
            ("0/10", 1),
        ] {
            assert_eq!(
                parse(text, None).map(crate::model::Rating::stars),
                Ok(stars),
                "{text}"
            );
        }
    }

    #[test]
    fn a_scale_of_ten_keeps_low_ratings_and_rounds_halves_up() {
        let ten = std::num::NonZeroU8::new(10);
        let stars: Vec<u8> = (0..=10)
            .map(|value| parse(&value.to_string(), ten).unwrap().stars())
            .collect();
        assert_eq!(stars, [1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
        assert!(parse("11", ten).unwrap_err().contains("above 10"));
        assert_eq!(
            parse("4.5", std::num::NonZeroU8::new(5)).unwrap().stars(),
            5
        );
    }

    #[test]
    fn what_would_have_to_be_bent_is_refused_with_what_to_do() {
        assert!(parse("8", None).unwrap_err().contains("--scale 10"));
        assert!(parse("4.5", None).unwrap_err().contains("--scale 5"));
        for bad in [
            "",
            "0",
            "11",
            "-1",
            "good",
            "5e0",
            "NaN",
            "☆☆☆☆☆",
            "1/0",
            "★★★★★★",
        ] {
            assert!(
                parse(bad, None).unwrap_err().contains("1, 2, 3, 4, 5"),
                "{bad}"
            );
        }
    }
}
