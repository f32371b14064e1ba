//! Parses the values of other platforms' files: flags, ratings, visibility, ids, names. Each function is pure; its error
//! contains the value, the allowed values and advice for the user.

use std::collections::HashMap;
use std::num::NonZeroU8;
use std::sync::LazyLock;

use html5gum::{Token, Tokenizer};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::model::text::{is_made_of_subtags, quoted, without_accent, words};
use crate::model::{InvalidReviewId, Rating, ReviewId, compose, hex, parse_toml};

/// Maximum length of a text in bytes: as much as a whole line of JSON Lines.
pub const TEXT_BYTES_MAX: usize = 1 << 20;

/// Names separated by `, `, in the order in which they are tried.
pub type Names = &'static str;

pub fn names(list: Names) -> impl Iterator<Item = &'static str> {
    list.split(", ")
}

pub fn is_in(list: Names, name: &str) -> bool {
    names(list).any(|known| known == name)
}

/// Whether two names are equal when only letters and digits count, without case and accents: `Review Date`,
/// `review_date` and `reviewDate` are equal.
pub fn same_name(one: &str, other: &str) -> bool {
    letters(one).eq(letters(other))
}

/// The letters and digits of a name, in lower case and without accents; `^` marks a member of an enclosing object.
pub fn letters(name: &str) -> impl Iterator<Item = char> {
    name.chars()
        .filter(|c| c.is_alphanumeric() || *c == '^')
        .flat_map(char::to_lowercase)
        .map(without_accent)
}

/// What two spellings of one header share: its letters and digits without case and accents; the header itself if it has none.
pub fn header_key(header: &str) -> String {
    let key: String = letters(header).collect();
    if key.is_empty() {
        return header.trim().to_owned();
    }
    key
}

pub fn flag(text: &str) -> Result<bool, String> {
    // A sign before a number is significant: -1 is not 1.
    let word = if text.contains(char::is_alphabetic) {
        words(text)
    } else {
        text.to_owned()
    };
    let word = word.trim().trim_end_matches('\u{fe0f}');
    if is_in(&WORDS.yes, word) {
        Ok(true)
    } else if is_in(&WORDS.no, word) {
        Ok(false)
    } else {
        Err(not_a_flag(text))
    }
}

pub fn not_a_flag(text: &str) -> String {
    format!("{} is not one of yes, no, true, false, 1, 0", quoted(text))
}

/// The language as a tag of BCP 47, also from a locale such as `de_DE.UTF-8`. Any other word for a language counts as
/// none given: the language is then that of the text.
pub fn language_tag(text: &str) -> Option<String> {
    let tag = text
        .split(['.', '@'])
        .next()
        .unwrap_or_default()
        .replace('_', "-");
    let primary = tag.split('-').next().unwrap_or_default();
    let is_primary =
        (2..=3).contains(&primary.len()) && primary.bytes().all(|byte| byte.is_ascii_alphabetic());
    (is_primary && is_made_of_subtags(&tag)).then_some(tag)
}

// Ratings: `5`, `4.0`, `5/5`, `4 out of 5`, `FIVE`, `★★★★☆`, `8` of 10 with `--scale 10`.
//
// A number is never rescaled silently: half stars and other scales need `--scale`. A low rating is never dropped: 0 on
// a scale that begins at 0 is one star.

/// `scale` is the maximum rating, 5 by default.
pub fn parse_rating(text: &str, scale: Option<NonZeroU8>) -> Result<Rating, String> {
    let lower = text.trim().trim_end_matches('!').to_lowercase();
    let percent = lower.strip_suffix('%').map(str::trim_end);
    let (value, of) = percent.map_or_else(|| fraction(&lower), |value| (value, Some("100")));
    let word = lower.split_whitespace().next().unwrap_or_default();
    let is_word = word == lower || word == value;
    let mut ratings = WORDS.ratings.iter();
    if let Some(place) = ratings.position(|list| is_word && is_in(list, word)) {
        return stars(place + 1, text);
    }
    if let Some(count) = drawn(text.trim()) {
        return stars(count, text);
    }
    let unknown = || unknown_rating(text);
    let value = decimal(value).ok_or_else(unknown)?;
    let of = of
        .map(|of| decimal(of).filter(|of| *of >= 1.0).ok_or_else(unknown))
        .transpose()?;
    match of.or(scale.map(|scale| f64::from(scale.get()))) {
        Some(of) if value > of => Err(format!(
            "{} is above {of}, the end of the scale",
            quoted(text)
        )),
        Some(of) if scale.is_some() || value.fract() == 0.0 || percent.is_some() => {
            whole_stars((value * 5.0 / of).round().max(1.0), text)
        }
        Some(_) => Err(half_stars(text)),
        None if value > 0.0 && value < 1.0 => Err(format!(
            "{} is not one of 1, 2, 3, 4, 5; for a scale up to 1 pass --scale 1",
            quoted(text)
        )),
        None if value.fract() != 0.0 && value <= 5.0 => Err(half_stars(text)),
        None if (5.5..=100.0).contains(&value) => {
            let end = if value > 10.0 { 100 } else { 10 };
            Err(format!(
                "{} is not one of 1, 2, 3, 4, 5; for a scale up to {end} pass --scale {end}",
                quoted(text)
            ))
        }
        None => whole_stars(value, text),
    }
}

/// The end of the scale that a number shows: without `--scale`, a 3 of 10 in the same file would become three of five stars,
/// and a share of 1, as a workbook has it for 100 %, one star.
pub fn scale_shown(text: &str) -> Option<u8> {
    match decimal(text.trim())? {
        value if value > 5.0 && value <= 10.0 => Some(10),
        value if value > 0.0 && value < 1.0 => Some(1),
        _ => None,
    }
}

/// The end of the scale in brackets at the end of a header such as `Score (0-10)`.
pub fn scale_in_header(header: &str) -> Option<NonZeroU8> {
    let (_, inside) = header
        .trim()
        .strip_suffix([')', ']'])?
        .rsplit_once(['(', '['])?;
    let (start, end) = inside.split_once(['-', '–'])?;
    let is_start = matches!(start.trim(), "0" | "1");
    // On a scale of five, half stars are refused without `--scale`.
    let end = end.trim().parse().ok().filter(|_| is_start);
    end.filter(|end: &NonZeroU8| !matches!(end.get(), 1 | 5))
}

/// Whether a cell only says yes or no.
pub fn is_tick(text: &str) -> bool {
    is_in(&WORDS.ticks, &text.trim().to_lowercase())
}

/// A decimal that is not negative.
fn decimal(text: &str) -> Option<f64> {
    let plain = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b',')
        && text.len() <= 8;
    // `4,0` is a decimal, `1,000` is not.
    let mark = match text.rsplit_once(',') {
        Some((_, rest)) if rest.len() == 3 && !text.contains('.') => "",
        _ => ".",
    };
    plain.then(|| text.replace(',', mark).parse().ok())?
}

/// Separators between a number of stars and the maximum.
const BETWEEN: [&str; 10] = [
    "/", " out of ", " of ", " von ", " sur ", " su ", " van de ", " van ", " de ", " z ",
];

/// `4/5`, `4 / 5`, `4 out of 5 stars`, `4 of 5`, `4 stars`, `4 sterne`.
fn fraction(lower: &str) -> (&str, Option<&str>) {
    let mut plain = lower;
    for unit in names(&WORDS.stars) {
        plain = plain.strip_suffix(unit).map_or(plain, str::trim_end);
    }
    for between in BETWEEN {
        if let Some((value, of)) = plain.split_once(between) {
            return (value.trim(), Some(of.trim()));
        }
    }
    // `4 - good`, `5 (excellent)`: the words repeat the number. `5-Jan` is the date that Excel makes of `1/5`.
    let is_word = |rest: &str| {
        let rest = rest.trim_start();
        rest.starts_with(['-', '–', ':', '('])
            && !rest.contains(|c: char| c.is_ascii_digit())
            && !is_month(rest)
    };
    let value = match plain.split_at_checked(1) {
        Some((value, rest)) if is_word(rest) => value,
        _ => plain,
    };
    (value, None)
}

/// Whether a text is the short name of a month, such as `-jan` or `-mrt.`.
fn is_month(text: &str) -> bool {
    let word = text.trim_matches(['-', '.', ' ']);
    WORDS.months.iter().any(|month| is_in(month, word))
}

/// The number of filled stars in `★★★★☆` or `⭐⭐⭐`; `None` for any other text.
fn drawn(text: &str) -> Option<usize> {
    let full = |c: &char| matches!(c, '★' | '⭐' | '🌟' | '*');
    let other = |c: char| matches!(c, '☆' | '✩' | '\u{fe0f}' | ' ');
    let known = text.chars().all(|c| full(&c) || other(c));
    (known && text.chars().any(|c| full(&c))).then(|| text.chars().filter(full).count())
}

/// A recommendation counts as five stars and the opposite as one star, like in Podium, which shows both.
pub fn recommendation(text: &str) -> Result<Rating, String> {
    let word = text.trim().to_ascii_lowercase();
    if is_in(&WORDS.recommended, &word) {
        stars(5, text)
    } else if is_in(&WORDS.not_recommended, &word) {
        stars(1, text)
    } else {
        Err(format!(
            "{} is not one of positive, negative, recommended, not recommended",
            quoted(text)
        ))
    }
}

fn stars(count: usize, text: &str) -> Result<Rating, String> {
    i64::try_from(count)
        .ok()
        .and_then(|count| Rating::try_from(count).ok())
        .ok_or_else(|| unknown_rating(text))
}

fn whole_stars(value: f64, text: &str) -> Result<Rating, String> {
    let count = (1_u8..=5).find(|stars| (f64::from(*stars) - value).abs() < 1e-9);
    stars(count.unwrap_or_default().into(), text)
}

fn half_stars(text: &str) -> String {
    format!(
        "{} is not a whole number of stars; pass --scale 5 to round halves up",
        quoted(text)
    )
}

fn unknown_rating(text: &str) -> String {
    let number = |c: char| c.is_ascii_digit();
    if is_month(&text.to_lowercase().replace(number, "")) {
        return format!(
            "{} is a date, as a spreadsheet makes of 1/5; write the number of stars",
            quoted(text)
        );
    }
    format!(
        "{} is not one of 1, 2, 3, 4, 5 (nor 5/5, FIVE, ★★★★★)",
        quoted(text)
    )
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
    format!("{platform}-{:.32}", hex(&hash.finalize())).parse()
}

// Private data: e-mail addresses in names.

/// The display name of an author whose name is private.
pub const ANONYMOUS: &str = "Anonymous";

/// Minimum number of digits of a telephone number in a name.
const DIGITS_MIN: usize = 7;

/// The display name without e-mail addresses and telephone numbers: `Jane Doe <jane@example.com>` becomes `Jane Doe`. A name such
/// as `@jane` is none.
pub fn without_address(name: &str) -> String {
    let public = remove_parts(&remove_parts(name, find_address), find_number);
    let has_digits = public.contains(|c: char| c.is_ascii_digit());
    let is_private = public.len() < name.len() || has_digits;
    if is_private && !has_own_words(&public) || public.is_empty() {
        return ANONYMOUS.to_owned();
    }
    public
}

/// Whether a text is nothing but e-mail addresses.
pub fn is_address(text: &str) -> bool {
    find_address(text).is_some() && !has_own_words(&remove_parts(text, find_address))
}

/// Whether a text has an e-mail address.
pub fn has_address(text: &str) -> bool {
    find_address(text).is_some()
}

/// Whether a text has a telephone number, or another as long.
pub fn has_number(text: &str) -> bool {
    find_number(text).is_some()
}

/// Whether a text has other words than those before an address.
fn has_own_words(text: &str) -> bool {
    let words = words(text);
    let mut words = words.split_whitespace();
    words.any(|word| word.contains(char::is_alphabetic) && !is_in(&WORDS.address_labels, word))
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
        let marks = [
            ' ', ',', ';', ':', '-', '–', '/', '|', '"', '<', '>', '(', ')', '[', ']',
        ];
        let words = words.join(" ");
        words.trim_matches(marks).clone_into(&mut rest);
    }
    rest
}

/// Where the first e-mail address of a text begins and ends.
fn find_address(text: &str) -> Option<(usize, usize)> {
    text.match_indices('@').find_map(|(at, _)| {
        let is_part = |c: char| c.is_alphanumeric() || "._%+-'".contains(c);
        let start = text[..at].trim_end_matches(is_part).len();
        let after = &text[at + 1..];
        let host = after.len() - after.trim_start_matches(is_part).len();
        let is_host = after[..host].trim_matches('.').contains('.');
        (start < at && is_host).then_some((start, at + 1 + host))
    })
}

/// Where the first telephone number of a text begins and ends.
fn find_number(text: &str) -> Option<(usize, usize)> {
    let is_part = |c: char| c.is_ascii_digit() || " ()+-./".contains(c);
    let mut start = 0;
    for part in text.split_inclusive(|c: char| !is_part(c)) {
        let number = part.trim_end_matches(|c: char| !is_part(c));
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

// The one step that the cells of all formats but the native one pass through: words that say "empty", HTML where the
// format's texts are HTML, Google's translations, and Unicode composition (NFC).

/// Maximum length in bytes of a value that says that it is empty.
const EMPTY_BYTES_MAX: usize = 19;

/// Whether a value is blank or only says that it is empty.
pub fn is_empty(text: &str, is_author: bool) -> bool {
    // With the characters that show nothing.
    let is_blank = |c: char| {
        c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
    };
    let text = text.trim_matches(is_blank);
    let is_any = |list: Names, is: &dyn Fn(&str) -> bool| names(list).any(is);
    text.is_empty()
        || text.len() <= EMPTY_BYTES_MAX
            && if is_author {
                is_any(&WORDS.nobody, &|word| word == text)
            } else {
                is_any(&WORDS.empty, &|word| word.eq_ignore_ascii_case(text))
            }
}

/// A text as it is published.
pub fn clean(text: &str, is_html: bool, is_google: bool) -> String {
    let plain = if is_html && text.contains(['<', '&']) {
        &plain_text(text)
    } else {
        text
    };
    let own = if is_google { original(plain) } else { plain };
    let composed = compose(own);
    if composed.contains('\r') {
        composed.replace("\r\n", "\n").replace('\r', "\n")
    } else {
        composed.into_owned()
    }
}

/// The text of HTML: known elements become line breaks or nothing, then entities are decoded once. Other signs stay.
fn plain_text(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, after)) = rest.split_once('<') {
        text += before;
        if let Some((_, after)) = after
            .strip_prefix("!--")
            .and_then(|it| it.split_once("-->"))
        {
            rest = after;
            continue;
        }
        let name = after.strip_prefix('/').unwrap_or(after);
        let end = name.find(|c: char| !c.is_ascii_alphanumeric());
        let name = name[..end.unwrap_or(name.len())].to_ascii_lowercase();
        let is_in = |list: Names| names(list).any(|known| known == name);
        let tag = after.split_once('>').filter(|(tag, _)| !tag.contains('<'));
        rest = match tag {
            // A line break of the source often stands behind the element.
            Some((_, after)) if name == "br" => {
                text.push('\n');
                after
                    .trim_start_matches('\r')
                    .strip_prefix('\n')
                    .unwrap_or(after)
            }
            Some((_, after)) if is_in(&WORDS.blocks) => {
                text.push('\n');
                after
            }
            Some((_, after)) if is_in(&WORDS.inline) => after,
            _ => {
                text += "&lt;";
                after
            }
        };
    }
    text += rest;
    let mut decoded = Vec::new();
    for token in Tokenizer::new(&text) {
        let Ok(token) = token;
        if let Token::String(part) = token {
            decoded.extend_from_slice(&part);
        }
    }
    let decoded = String::from_utf8_lossy(&decoded).replace('\r', "");
    // At most one empty line between paragraphs.
    let mut lines: Vec<&str> = decoded.trim().lines().map(str::trim_end).collect();
    lines.dedup_by(|next, before| next.is_empty() && before.is_empty());
    lines.join("\n")
}

/// The customer's words without Google's translation, which precedes or follows them in the same text. Without the
/// original, the text keeps Google's mark, so that the translation is not taken for the customer's words.
fn original(text: &str) -> &str {
    let trimmed = text.trim_start();
    let mut marks = names(&WORDS.translated);
    let Some(at) = marks.find_map(|mark| trimmed.find(mark)) else {
        return text;
    };
    if at > 0 {
        let before = &trimmed[..at];
        return match names(&WORDS.original).find_map(|mark| before.strip_prefix(mark)) {
            Some(own) => own.trim(),
            // In the middle of a line, the words of the mark are the customer's own.
            None if before.ends_with('\n') => before.trim_end(),
            None => text,
        };
    }
    let after = |mark: &str| {
        let on_own_line = trimmed.find(&format!("\n{mark}")).map(|at| at + 1);
        let at = on_own_line.or_else(|| trimmed.find(mark))?;
        Some(trimmed[at + mark.len()..].trim())
    };
    let mut originals = names(&WORDS.original).filter_map(after);
    originals.find(|own| !own.is_empty()).unwrap_or(text)
}

/// The file `words.toml`. Lists of words are separated by `, `.
pub static WORDS: LazyLock<Words> = LazyLock::new(|| parse_toml(include_str!("words.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// Beginnings of names, English ones first.
    pub months: [String; 12],
    pub weekdays: String,
    /// By the number of stars.
    pub ratings: [String; 5],
    pub yes: String,
    pub no: String,
    pub recommended: String,
    pub not_recommended: String,
    pub ticks: String,
    pub stars: String,
    pub address_labels: String,
    pub empty: String,
    pub nobody: String,
    pub blocks: String,
    pub inline: String,
    pub translated: String,
    pub original: String,
    /// Between two names.
    pub and: String,
    /// In minutes east of UTC.
    pub offsets: HashMap<String, i64>,
    pub encodings: HashMap<String, String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_words_can_be_read() {
        let words: Words = toml::from_str(include_str!("words.toml")).unwrap();
        // Dates are read with the first three letters.
        assert!(
            words
                .months
                .iter()
                .all(|month| month.get(3..4) == Some(","))
        );
    }

    #[test]
    fn column_names_are_compared_by_letters_and_digits() {
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
            ("E-Mail: ann@e.com", ANONYMOUS),
            ("Tel. 602 555 0100", ANONYMOUS),
            ("ann@e.com or bo@e.com", ANONYMOUS),
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
        for text in [
            "ann@e.com",
            "ann@e.com, bo@e.com",
            "<ann@e.com>;bo@e.com",
            "E-mail: ann@e.com",
        ] {
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
            ("STAR_RATING_FIVE", 5),
            ("bubble_40", 4),
            ("three", 3),
            ("Four stars", 4),
            ("4 Sterne", 4),
            ("3 étoiles", 3),
            ("4 von 5", 4),
            ("4 van de 5", 4),
            ("4 de 5", 4),
            ("5 ★", 5),
            ("4 - Very good", 4),
            ("5 (excellent)", 5),
            ("★★★★★", 5),
            ("★★☆☆☆", 2),
            ("⭐⭐⭐", 3),
            ("*****", 5),
            ("4*", 4),
            ("five stars!", 5),
            ("9/10", 5),
            ("6/10", 3),
            ("0/10", 1),
        ] {
            assert_eq!(
                parse_rating(text, None).map(Rating::stars),
                Ok(stars),
                "{text}"
            );
        }
    }

    #[test]
    fn a_scale_of_ten_keeps_low_ratings_and_rounds_halves_up() {
        let ten = NonZeroU8::new(10);
        let stars: Vec<u8> = (0..=10)
            .map(|value| parse_rating(&value.to_string(), ten).unwrap().stars())
            .collect();
        assert_eq!(stars, [1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
        assert!(parse_rating("11", ten).unwrap_err().contains("above 10"));
        assert_eq!(parse_rating("4.5", NonZeroU8::new(5)).unwrap().stars(), 5);
    }

    #[test]
    fn invalid_ratings_are_refused_with_advice() {
        assert!(parse_rating("8", None).unwrap_err().contains("--scale 10"));
        assert!(parse_rating("4.5", None).unwrap_err().contains("--scale 5"));
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
            "1,000",
            "4,500",
            "1.5,000",
            "1,000.5",
        ] {
            assert!(
                parse_rating(bad, None)
                    .unwrap_err()
                    .contains("1, 2, 3, 4, 5"),
                "{bad}"
            );
        }
        for date in ["5-Jan", "1-Mai", "5-Mär."] {
            assert!(
                parse_rating(date, None).unwrap_err().contains("is a date"),
                "{date}"
            );
        }
    }

    #[test]
    fn the_original_of_a_translated_text_is_kept() {
        for (text, own) in [
            (
                "(Translated by Google) Very good.\n\n(Original)\nMuy bueno.",
                "Muy bueno.",
            ),
            ("(Translated by Google) Good (Original) Bueno", "Bueno"),
            (
                "Muy bueno.\n\n(Translated by Google)\nVery good.",
                "Muy bueno.",
            ),
            (
                "(Original)\nMuy bueno.\n\n(Translated by Google)\nVery good.",
                "Muy bueno.",
            ),
            ("(Original) Bueno (Translated by Google) Good", "Bueno"),
            (
                "(Translated by Google) Very good.",
                "(Translated by Google) Very good.",
            ),
            (
                "The menu was wrong (Translated by Google), I guess",
                "The menu was wrong (Translated by Google), I guess",
            ),
            ("Plain (Original) text", "Plain (Original) text"),
            (
                "(Traducido por Google) Muy limpio\n\n(Original)\nVery neat",
                "Very neat",
            ),
            (
                "Sehr sauber\n\n(Übersetzt von Google)\nVery neat",
                "Sehr sauber",
            ),
            (
                "(Traduit par Google) Très propre\n\n(Avis d'origine)\nVery neat",
                "Very neat",
            ),
            (
                "(Translated by Google) A\n\n(Original)\n",
                "(Translated by Google) A\n\n(Original)\n",
            ),
            ("", ""),
        ] {
            assert_eq!(original(text), own);
        }
    }

    #[test]
    fn html_becomes_the_text_that_a_browser_shows() {
        for (html, text) in [
            (
                "They&#8217;re neat &amp; quick.<br />Would <strong>call</strong> again.",
                "They’re neat & quick.\nWould call again.",
            ),
            (
                "5 &lt; 10 minutes late; a < b",
                "5 < 10 minutes late; a < b",
            ),
            ("I <3 them, x<y and a<b>c</b>", "I <3 them, x<y and ac"),
            (
                "<p>One.</p>\n<p>Two&nbsp;and <a href=\"x\">three</a>.</p>\n",
                "One.\n\nTwo\u{a0}and three.",
            ),
            ("One<br>\r\nTwo<BR/>Three", "One\nTwo\nThree"),
            ("&amp;lt;b&amp;gt; AT&amp;amp;T", "&lt;b&gt; AT&amp;T"),
            ("a &bogus; b & c", "a &bogus; b & c"),
            ("<script>x</script>", "<script>x</script>"),
            ("M&uuml;ller", "Müller"),
        ] {
            assert_eq!(plain_text(html), text, "{html}");
        }
    }

    #[test]
    fn words_for_empty_are_empty_only_as_the_whole_value() {
        for word in [
            "",
            " ",
            "None",
            "NAN",
            "null",
            "N/A",
            "-",
            "Undefined",
            " none ",
        ] {
            assert!(is_empty(word, false), "{word}");
        }
        for word in ["None of it worked", "nothing", "--", "nil", "0"] {
            assert!(!is_empty(word, false), "{word}");
        }
        for (name, is_nobody) in [
            ("None", true),
            ("Nan", false),
            ("Null", false),
            ("n/a", true),
        ] {
            assert_eq!(is_empty(name, true), is_nobody, "{name}");
        }
        assert_eq!(clean("Jose\u{301}", false, false), "José");
        assert_eq!(clean("AT&amp;T <b>", false, false), "AT&amp;T <b>");
    }
}
