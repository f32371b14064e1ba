//! Stars: `5`, `4.0`, `4/5`, `4 out of 5`, `★★★★☆`, a number on the format's `scale`, or a word of its `values`.
//!
//! A number is never rescaled silently, and a low rating never dropped: 0 on a scale that begins at 0 is one star.

use std::collections::BTreeMap;
use std::num::NonZeroU16;

use crate::imports::value::date::month;
use crate::imports::value::text::ascii_digits;
use crate::model::Rating;
use crate::model::text::{plain_words, quoted};

/// The ends of the scales that a rating may name.
const SCALES: [f64; 3] = [5.0, 10.0, 100.0];
/// Words beside a number of stars.
const STARS: [&str; 8] = [
    "star", "stars", "rating", "rated", "average", "stern", "sterne", "sternen",
];
/// Maximum number of letters beside a rating and its scale: `4 of 5 bubbles`.
const LETTERS_MAX: usize = 16;
/// Words for a recommendation without stars.
const RECOMMENDED: &str = "positive, recommended, recommends, yes, true, 1";
const NOT_RECOMMENDED: &str = "negative, not recommended, notrecommended, not_recommended, doesn't recommend, does not recommend, no, \
    false, 0";

/// Words for stars, by the number of stars.
pub type RatingWords = BTreeMap<String, Rating>;

/// The stars in a cell; `scale` is the end of the scale of numbers that do not state it.
///
/// # Errors
/// With what to write, or the key of the format that helps.
pub fn parse_rating(
    text: &str,
    scale: Option<NonZeroU16>,
    values: &RatingWords,
) -> Result<Rating, String> {
    let lower = ascii_digits(text.trim()).to_lowercase();
    let mut words = values.iter();
    let word = words.find(|(word, _)| word.trim().to_lowercase() == lower);
    if let Some((_, stars)) = word {
        return Ok(*stars);
    }
    if let Some(count) = drawn(&lower) {
        return whole_stars(count, text);
    }
    let scale = scale.map(|scale| f64::from(scale.get()));
    let (value, of) = value_and_scale(&lower, scale).ok_or_else(|| unknown_rating(text))?;
    let shown = quoted(text);
    // Half a star is one where halves are rounded up.
    let is_half = scale.is_some() && (value - 0.5).abs() < 1e-9;
    let is_share = of.is_none() && 0.0 < value && value < 1.0 && !is_half;
    match of.or(scale) {
        // A share of one, as spreadsheets keep percentages, is no star.
        end if is_share && end.is_none_or(|end| end > 1.0 && end <= 5.0) => Err(format!(
            "{shown} is below 1; if 1 is the best rating, write scale = 1 into the source's format, else correct it"
        )),
        Some(of) if value > of => Err(format!("{shown} is above {of}, the end of the scale")),
        // No star of five is no rating, but none of one is the worst.
        Some(of) if of <= 5.0 && of > 1.0 && value == 0.0 => Err(unknown_rating(text)),
        Some(of) => whole_stars((value * 5.0 / of).round().max(1.0), text),
        None if value > 5.0 => Err(format!(
            "{shown} is above 5; write the end of the scale into the source's format, such as scale = 10"
        )),
        None if value.fract() == 0.0 => whole_stars(value, text),
        None => Err(format!(
            "{shown} is not a whole number of stars; write scale = 5 into the source's format to round halves up"
        )),
    }
}

/// The value of a text that is nothing but a number.
pub fn plain_number(text: &str) -> Option<f64> {
    let text = ascii_digits(text.trim());
    let (before, value, after) = first_number(&text)?;
    decimal(value).filter(|_| before.is_empty() && after.is_empty())
}

/// The first number of a text, with what stands before and after it.
fn first_number(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_at(text.find(|c: char| c.is_ascii_digit())?);
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',');
    let (number, after) = rest.split_at(end.unwrap_or(rest.len()));
    let whole = number.trim_end_matches(['.', ',']);
    Some((before, whole, after))
}

/// A number without a sign.
fn decimal(number: &str) -> Option<f64> {
    // `4,0` is a decimal, `1,000` is not.
    let mark = match number.rsplit_once(',') {
        Some((_, rest)) if rest.len() == 3 && !number.contains('.') => "",
        _ => ".",
    };
    number.replace(',', mark).parse().ok()
}

/// The number of stars, and the end of the scale if the text has it: `4/5`, or two numbers in words of which the scale is the
/// larger one, in any language: `3,0 von 5 Sternen`, `5つ星のうち3.0`.
fn value_and_scale(lower: &str, scale: Option<f64>) -> Option<(f64, Option<f64>)> {
    let (before, first, after) = first_number(lower)?;
    let value = decimal(first)?;
    let Some((between, second, end)) = first_number(after) else {
        return is_count_of_stars(before, after).then_some((value, None));
    };
    let other = decimal(second).filter(|_| first_number(end).is_none())?;
    let (value, of) = match between.trim() {
        "/" | "／" => (value, other),
        _ if is_preposition(between) => (value.min(other), value.max(other)),
        _ => return None,
    };
    let mut ends = SCALES.into_iter().chain(scale);
    let is_scale = ends.any(|end| (end - of).abs() < 1e-9);
    (is_scale && are_words(before) && are_words(end)).then_some((value, Some(of)))
}

/// Whether words may stand between a number of stars and the end of its scale.
fn is_preposition(text: &str) -> bool {
    // `5e0`, `4th of 5`
    let is_glued = text.starts_with(|c: char| c.is_ascii_alphabetic())
        || text.ends_with(|c: char| c.is_ascii_alphabetic());
    let has_other = text.contains(|c: char| !c.is_alphabetic() && !c.is_whitespace());
    !is_glued && !has_other && !text.trim().is_empty() && are_words(text)
}

/// Whether the text beside a rating may belong to it.
fn are_words(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    // `-jan`, `-mrt.`
    let word = plain_words(text.trim_matches(['-', '.', ' ']));
    let is_month = month(word.trim()).is_some();
    letters <= LETTERS_MAX && !is_month && !text.contains(['€', '$', '@', '-', '+'])
}

/// Whether the text around a number is a word or sign for stars.
fn is_count_of_stars(before: &str, after: &str) -> bool {
    let before = before.split([' ', ':', '_', '★', '⭐']);
    let after = after.split([' ', '!', '*', '★', '⭐', '🌟', '\u{fe0f}', '.']);
    let mut words = before.chain(after);
    words.all(|word| word.is_empty() || STARS.contains(&word))
}

/// The number of filled stars in `★★★★☆` or `⭐⭐⭐`; `None` for any other text.
fn drawn(text: &str) -> Option<f64> {
    let (mut filled, mut empty) = (0_u32, 0_u32);
    for c in text.chars() {
        match c {
            '★' | '⭐' | '🌟' | '*' => filled += 1,
            '☆' | '✩' => empty += 1,
            '\u{fe0f}' | ' ' => {}
            _ => return None,
        }
    }
    // Of more than five the scale is not known.
    (filled > 0 && filled + empty <= 5).then(|| f64::from(filled))
}

/// A recommendation counts as five stars and the opposite as one star, like in Podium, which shows both.
///
/// # Errors
/// If the text is neither.
pub fn recommendation(text: &str) -> Result<Rating, String> {
    let word = text.trim().to_ascii_lowercase();
    if RECOMMENDED.split(", ").any(|other| other == word) {
        return whole_stars(5.0, text);
    }
    if NOT_RECOMMENDED.split(", ").any(|other| other == word) {
        return whole_stars(1.0, text);
    }
    Err(format!(
        "{} is not one of positive, negative, recommended, not recommended",
        quoted(text)
    ))
}

fn whole_stars(count: f64, text: &str) -> Result<Rating, String> {
    let mut all = (1..=5).filter_map(|stars| Rating::try_from(stars).ok());
    let rating = all.find(|rating| (f64::from(rating.stars()) - count).abs() < 1e-9);
    rating.ok_or_else(|| unknown_rating(text))
}

fn unknown_rating(text: &str) -> String {
    format!(
        "{} is not one of 1, 2, 3, 4, 5 (nor 4/5 or ★★★★★); write the number of stars, or say in the source's format what it means: \
         values = {{ {} = 5 }}, or scale = 10 for numbers up to ten",
        quoted(text),
        quoted(text.trim())
    )
}

/// Why a value is no rating of a built-in format, whose scale and words are not the owner's.
pub fn not_stars(text: &str) -> String {
    let shown = quoted(text);
    if plain_number(text).is_some_and(|number| number < 5.0 && number.fract() > 0.0) {
        return format!(
            "{shown} is not a whole number of stars, and the file states no scale (on a page bestRating) by which it could be rounded; correct \
             it in the file, else its row is left out"
        );
    }
    format!("{shown} is not one of 1, 2, 3, 4, 5; correct it in the file, else its row is left out")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, scale: u16) -> Result<u8, String> {
        parse_rating(text, NonZeroU16::new(scale), &RatingWords::new()).map(Rating::stars)
    }

    #[test]
    fn every_common_form_of_a_rating_is_read() {
        for (stars, texts) in [
            (1, "0/10|1.0 out of 5.0|5つ星のうち1.0|Rated 1 out of 5."),
            (2, "2 / 5|★★☆☆☆|2.0 von 5 Sternen|２|Rating: 2.0/5"),
            (3, "⭐️⭐️⭐️|6/10|٣|३|5つ星のうち3.0|3 sur 5|5 von 10 Punkten"),
            (
                4,
                "4.0|4 of 5 bubbles|4 Sterne|4 von 5|4 van de 5|4*|80 z 100|Average rating: 4 out of 5 stars|4.1 out of 5 stars",
            ),
            (5, "5/5|5 ★|*****|9/10|5.0 star rating|★ 5|Rating: 5"),
        ] {
            for text in texts.split('|') {
                assert_eq!(read(text, 0), Ok(stars), "{text}");
            }
        }
        assert_eq!(read("3,0 von 5 Sternen", 0), Ok(3));
        assert_eq!(read("5 of 7", 7), Ok(4));
    }

    #[test]
    fn a_scale_keeps_low_ratings_and_rounds_halves_up() {
        let stars: Vec<u8> = (0..=10)
            .map(|it| read(&it.to_string(), 10).unwrap())
            .collect();
        assert_eq!(stars, [1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
        assert!(read("11", 10).unwrap_err().contains("above 10"));
        assert_eq!(
            (read("4.5", 5), read("9", 20), read("45", 50)),
            (Ok(5), Ok(2), Ok(5))
        );
        assert_eq!((read("0.5", 5), read("0,5", 10)), (Ok(1), Ok(1)));
        // Shares of one are no stars.
        assert!(read("0.5", 0).unwrap_err().contains("scale = 1"));
        assert!(read("0,8", 5).unwrap_err().contains("scale = 1"));
        assert_eq!(
            ["0", "0,2", "0.8", "1"].map(|it| read(it, 1).unwrap()),
            [1, 1, 4, 5]
        );
    }

    #[test]
    fn words_are_read_as_the_format_says() {
        let values = [("Sehr gut", 5), ("ONE", 1)];
        let values =
            values.map(|(word, stars)| (word.to_owned(), Rating::try_from(stars).unwrap()));
        let values = RatingWords::from(values);
        let read = |text| parse_rating(text, None, &values).map(Rating::stars).ok();
        assert_eq!(
            [read("sehr gut "), read("One"), read("gut")],
            [Some(5), Some(1), None]
        );
    }

    #[test]
    fn an_unclear_rating_is_refused_with_advice() {
        for (advice, texts) in [
            ("scale = 10", "8; 7.5; 85; 1,000,000"),
            ("scale = 5", "4.5"),
            ("scale = 1", "0.5; 0,8"),
            ("above 5", "10/5"),
            (
                "write the number of stars",
                "5-Jan; ; 0; 0 out of 5; -1; -1 star; +5; #1; good; 5e0; 4th of 5th; NaN; ☆☆☆☆☆; 1/0; ★★★★★★; \
                 5 weeks ago; 5€; 1-5; 5 - 4; 4 guests of 7; 2 reviews, 5 stars; 3 out of 4; 5 Jan 10; \
                 01/05/2026; 4 of 5 in 2026; (602) 555",
            ),
        ] {
            for text in texts.split("; ") {
                let refusal = read(text, 0).unwrap_err();
                assert!(refusal.contains(advice), "{text}: {refusal}");
            }
        }
    }
}
