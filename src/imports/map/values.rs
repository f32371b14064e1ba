//! Parses the values of other platforms' files: flags, ratings, visibility, ids, names. Each function is pure; its error
//! contains the value, the allowed values and advice for the user.

use std::borrow::Cow;
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
    let lists = [(&WORDS.yes, true), (&WORDS.no, false)];
    let found = lists.into_iter().find(|(list, _)| is_in(list, word));
    let unknown = || format!("{} is not one of yes, no, true, false, 1, 0", quoted(text));
    found.map(|(_, flag)| flag).ok_or_else(unknown)
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

// Ratings: `5`, `4.0`, `5/5`, `FIVE`, `★★★★☆`, `Rated 2 out of 5`, `8` of 10 with `--scale 10`.
//
// A number is never rescaled silently: half stars and other scales need `--scale`. A low rating is never dropped: 0 on
// a scale that begins at 0 is one star.

/// The ends of the scales that a rating may name.
const SCALES: [f64; 3] = [5.0, 10.0, 100.0];

/// `scale` is the maximum rating, 5 by default.
pub fn parse_rating(text: &str, scale: Option<NonZeroU8>) -> Result<Rating, String> {
    let lower = ascii_digits(text.trim()).to_lowercase();
    if let Some(count) = drawn(&lower).or_else(|| count_in_words(&lower)) {
        return stars(count, text);
    }
    let scale = scale.map(|scale| f64::from(scale.get()));
    let (value, of) = value_and_scale(&lower, scale).ok_or_else(|| unknown_rating(text))?;
    let shown = quoted(text);
    let other_scale = |end: u8| {
        format!("{shown} is not one of 1, 2, 3, 4, 5; for a scale up to {end} pass --scale {end}")
    };
    match of.or(scale) {
        Some(of) if value > of => Err(format!("{shown} is above {of}, the end of the scale")),
        // No star of five is no rating.
        Some(of) if of <= 5.0 && value == 0.0 => Err(unknown_rating(text)),
        Some(of) if scale.is_some() || lower.contains('%') || value.fract() == 0.0 => {
            whole_stars((value * 5.0 / of).round().max(1.0), text)
        }
        None if value > 0.0 && value < 1.0 => Err(other_scale(1)),
        None if (5.5..=10.0).contains(&value) => Err(other_scale(10)),
        None if value > 10.0 && value <= 100.0 => Err(other_scale(100)),
        None if value.fract() == 0.0 || value > 5.0 => whole_stars(value, text),
        Some(_) | None => Err(format!(
            "{shown} is not a whole number of stars; pass --scale 5 to round halves up"
        )),
    }
}

/// The end of the scale that a number shows: without `--scale`, a 3 of 10 in the same file would become three of five stars,
/// and a share of 1, as a workbook has it for 100 %, one star.
pub fn scale_shown(text: &str) -> Option<u8> {
    let text = ascii_digits(text.trim());
    let (before, value, after) = first_number(&text)?;
    match decimal(value).filter(|_| before.is_empty() && after.is_empty())? {
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

/// The digit 0 of scripts with digits of their own, each followed by 1 to 9 (the decimal digits of Unicode).
const ZEROS: &str = "\u{660}\u{6f0}\u{966}\u{9e6}\u{a66}\u{ae6}\u{b66}\u{be6}\u{c66}\u{ce6}\u{d66}\u{de6}\u{e50}\
    \u{ed0}\u{f20}\u{1040}\u{17e0}\u{1810}\u{ff10}";

/// The text with the digits of other scripts as those of ASCII.
pub fn ascii_digits(text: &str) -> String {
    let digit = |c: char| {
        let digit = |zero| char::from_digit(u32::from(c).checked_sub(u32::from(zero))?, 10);
        ZEROS.chars().find_map(digit).unwrap_or(c)
    };
    text.chars().map(digit).collect()
}

/// The first number of a text, with what stands before and after it.
fn first_number(text: &str) -> Option<(&str, &str, &str)> {
    let is_digit = |c: char| c.is_ascii_digit();
    let (before, rest) = text.split_at(text.find(is_digit)?);
    let end = rest.find(|c| !is_digit(c) && c != '.' && c != ',');
    let (number, after) = rest.split_at(end.unwrap_or(rest.len()));
    Some((before, number, after))
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

/// The number of stars, and the end of the scale if the text has it: `4/5`, `80 %`, or two numbers in words of which the scale is the
/// larger one, in any language: `3,0 von 5 Sternen`, `5つ星のうち3.0`.
fn value_and_scale(lower: &str, scale: Option<f64>) -> Option<(f64, Option<f64>)> {
    let (before, first, after) = first_number(lower)?;
    let value = decimal(first)?;
    let Some((between, second, end)) = first_number(after) else {
        let is_percentage = matches!((before, after.trim()), ("", "%") | ("%", ""));
        let is_known = is_percentage || is_count_of_stars(before, after);
        return is_known.then_some((value, is_percentage.then_some(100.0)));
    };
    let other = decimal(second).filter(|_| first_number(end).is_none())?;
    let words = between.trim();
    // `5e0`, `4th of 5`
    let is_letter = |c: char| c.is_ascii_alphabetic();
    let is_glued =
        words.is_empty() || between.starts_with(is_letter) || between.ends_with(is_letter);
    let is_words = between
        .chars()
        .all(|c| c.is_alphabetic() || c.is_whitespace() || c == '，')
        && !is_glued
        && speaks_of_stars(words, PREPOSITION_LETTERS_MAX);
    let (value, of) = match words {
        "/" | "／" => (value, other),
        _ if is_words && !is_month(words) => (value.min(other), value.max(other)),
        _ => return None,
    };
    let mut ends = SCALES.into_iter().chain(scale);
    let is_scale = ends.any(|end| (end - of).abs() < 1e-9);
    // `4 of 5 people` rates nothing.
    let is_whole = is_repetition(end) || speaks_of_stars(end, 0);
    (is_scale && is_whole).then_some((value, Some(of)))
}

/// Letters of the words between a rating and its scale, such as `out of`, `van de`, in languages that are written in Latin letters.
const PREPOSITION_LETTERS_MAX: usize = 4;

/// Whether the Latin words of a text are words for stars, or have so few letters.
fn speaks_of_stars(text: &str, letters_max: usize) -> bool {
    let is_latin = |c: char| c < '\u{250}';
    let mut words = text.split(|c: char| !c.is_alphabetic());
    words.all(|word| {
        word.chars().count() <= letters_max
            || !word.starts_with(is_latin)
            || is_in(&WORDS.stars, word)
            || is_in(&WORDS.points, word)
    })
}

/// Whether a text behind a rating repeats it: `4 - good`, `5 (excellent)`.
fn is_repetition(text: &str) -> bool {
    // `5-Jan` is the date that Excel makes of `1/5`.
    text.trim_start().starts_with(['-', '–', ':', '(']) && !is_month(text)
}

/// Whether the text around a number is a word or sign for stars, or repeats it.
fn is_count_of_stars(before: &str, after: &str) -> bool {
    let is_unit = |text: &str, signs: &str| {
        let mut words = text.split(|c: char| signs.contains(c));
        words.all(|word| word.is_empty() || is_in(&WORDS.stars, word))
    };
    before.is_empty() && is_repetition(after)
        || is_unit(before, " :_★⭐") && is_unit(after, " -!*★⭐🌟\u{fe0f}")
}

/// `FIVE`, `four stars!`, `STAR_RATING_FIVE`, `bubble_40`.
fn count_in_words(lower: &str) -> Option<i64> {
    let words = words(lower);
    let mut words = words
        .split_whitespace()
        .filter(|word| !is_in(&WORDS.stars, word));
    let word = words.next().filter(|_| words.next().is_none());
    let word = word.unwrap_or(lower);
    let count = WORDS.ratings.iter().position(|list| is_in(list, word))?;
    i64::try_from(count + 1).ok()
}

/// The English name of the month whose name begins so.
pub fn month(word: &str) -> Option<&'static str> {
    let inner = format!(", {word}");
    let begins = |list: &&'static String| list.starts_with(word) || list.contains(&inner);
    let mut months = WORDS.months.iter().filter(begins);
    let month = months
        .next()
        .filter(|_| word.len() > 2 && months.next().is_none());
    month.and_then(|list| names(list).next())
}

/// Whether a text is the short name of a month, such as `-jan` or `-mrt.`.
fn is_month(text: &str) -> bool {
    let word = text.trim_matches(['-', '.', ' ']);
    month(words(word).trim()).is_some()
}

/// The number of filled stars in `★★★★☆` or `⭐⭐⭐`; `None` for any other text.
fn drawn(text: &str) -> Option<i64> {
    let full = |c: &char| matches!(c, '★' | '⭐' | '🌟' | '*');
    let other = |c: char| matches!(c, '☆' | '✩' | '\u{fe0f}' | ' ');
    let count = text.chars().filter(full).count();
    let signs = text.chars().filter(|c| full(c) || matches!(c, '☆' | '✩'));
    // Of more than five the scale is not known.
    let is_drawing = count > 0 && signs.count() <= 5 && text.chars().all(|c| full(&c) || other(c));
    i64::try_from(count).ok().filter(|_| is_drawing)
}

/// A recommendation counts as five stars and the opposite as one star, like in Podium, which shows both.
pub fn recommendation(text: &str) -> Result<Rating, String> {
    let word = text.trim().to_ascii_lowercase();
    let lists = [(&WORDS.recommended, 5), (&WORDS.not_recommended, 1)];
    let found = lists.into_iter().find(|(list, _)| is_in(list, &word));
    let known = "positive, negative, recommended, not recommended";
    let unknown = || format!("{} is not one of {known}", quoted(text));
    stars(found.ok_or_else(unknown)?.1, text)
}

fn stars(count: i64, text: &str) -> Result<Rating, String> {
    Rating::try_from(count).map_err(|_| unknown_rating(text))
}

fn whole_stars(value: f64, text: &str) -> Result<Rating, String> {
    let count = (1_u8..=5).find(|stars| (f64::from(*stars) - value).abs() < 1e-9);
    stars(count.unwrap_or_default().into(), text)
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
        "{} is not one of 1, 2, 3, 4, 5 (nor 5/5, FIVE, ★★★★★); write the number of stars",
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
        let is_mark = |c: char| " ,;:-–/|\"<>()[]".contains(c);
        words.join(" ").trim_matches(is_mark).clone_into(&mut rest);
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

// Cells that hold no value.

/// Maximum length in bytes of a value that says that it is empty.
const EMPTY_BYTES_MAX: usize = 19;

/// Whether a character shows nothing.
pub fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// Whether a value is blank or only says that it is empty.
pub fn is_empty(text: &str, is_author: bool) -> bool {
    let text = text.trim_matches(is_blank);
    let words = if is_author {
        &WORDS.nobody
    } else {
        &WORDS.empty
    };
    let is_same = |word: &str| word == text || !is_author && word.eq_ignore_ascii_case(text);
    text.is_empty() || text.len() <= EMPTY_BYTES_MAX && names(words).any(is_same)
}

/// Whether a cell is an error of a spreadsheet in any language: `#N/A`, `#BEZUG!`, `#¡REF!`; `Err:502` of `LibreOffice`;
/// `Loading...` of Google Sheets, until it has loaded what a formula imports.
pub fn is_spreadsheet_error(cell: &str) -> bool {
    if let Some(name) = cell.strip_prefix('#') {
        let name = name.strip_prefix(['¡', '¿']).unwrap_or(name);
        let name = name.strip_suffix(['!', '?']).unwrap_or(name);
        let is_part = |c: char| c.is_uppercase() || c.is_ascii_digit() || matches!(c, '/' | '_');
        return name.contains(char::is_uppercase) && name.chars().all(is_part);
    }
    let code = cell.strip_prefix("Err:");
    let is_number = |code: &str| code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_digit());
    cell == "Loading..." || code.is_some_and(is_number)
}

/// Delimiters of cells and rows at which a spreadsheet may split the text of a cell, besides the comma of the file.
const SPLITS: [char; 5] = [';', '\t', '|', '\n', '\r'];
/// What begins a formula.
const FORMULA: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// Whether a spreadsheet may run what begins at `at` as a formula (CWE-1236), or it looks escaped: such a text is also escaped, so
/// that every cell reads back unchanged.
fn is_formula(cell: &str, at: usize) -> bool {
    let (before, text) = cell.split_at(at);
    let plain = text.trim_start_matches(['\'', '"']);
    let is_first = before.is_empty();
    (is_first || before.ends_with(SPLITS)) && plain.starts_with(FORMULA)
        || is_first && plain.starts_with(['\t', '\r', '\n'])
}

/// A cell with an apostrophe before each text that a spreadsheet may run as a formula.
pub fn escape_formulas(cell: &str) -> String {
    let mut escaped = String::with_capacity(cell.len());
    for (at, c) in cell.char_indices() {
        if is_formula(cell, at) {
            escaped.push('\'');
        }
        escaped.push(c);
    }
    escaped
}

/// A cell without the apostrophe that keeps a spreadsheet from running it.
pub fn remove_formula_escape(cell: &str) -> &str {
    let escaped = cell.strip_prefix('\'');
    escaped.filter(|cell| is_formula(cell, 0)).unwrap_or(cell)
}

/// A cell without the apostrophes of [`escape_formulas`].
pub fn remove_formula_escapes(cell: &str) -> Cow<'_, str> {
    if !cell.contains('\'') {
        return Cow::Borrowed(cell);
    }
    let letters = cell.char_indices();
    let kept = letters.filter(|(at, c)| *c != '\'' || !is_formula(cell, *at));
    Cow::Owned(kept.map(|(_, c)| c).collect())
}

/// The file `words.toml`. Lists of words are separated by `, `.
pub static WORDS: LazyLock<Words> = LazyLock::new(|| parse_toml(include_str!("words.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    pub months: [String; 12],
    pub unclear_months: String,
    pub before_time: String,
    /// By the number of stars.
    pub ratings: [String; 5],
    pub yes: String,
    pub no: String,
    pub recommended: String,
    pub not_recommended: String,
    pub stars: String,
    pub points: String,
    pub lists: String,
    pub address_labels: String,
    pub empty: String,
    pub nobody: String,
    pub blocks: String,
    pub inline: String,
    /// Between two names.
    pub and: String,
    /// In minutes east of UTC.
    pub offsets: HashMap<String, i32>,
}

// Texts of cells as they are published, in all formats but the native one: line breaks, HTML where the format's texts are HTML, Google's
// translations, and Unicode composition (NFC).

/// A text as it is published.
pub fn clean(text: &str, is_html: bool, is_google: bool) -> String {
    let mut text = Cow::Borrowed(text);
    if text.contains('\r') {
        text = Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"));
    }
    if is_html && text.contains(['<', '&']) {
        text = Cow::Owned(plain_text(&text));
    }
    let own = if is_google { original(&text) } else { &text };
    compose(own).into_owned()
}

/// The text of HTML: known elements become line breaks or nothing, then entities are decoded once. Other signs stay.
fn plain_text(html: &str) -> String {
    let mut parts = html.split('<');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (tag, after) = part.split_once('>').unwrap_or_default();
        let tag = tag.strip_prefix('/').unwrap_or(tag);
        let attributes = tag.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
        let name = &tag[..tag.len() - attributes.len()];
        // `a<b and c>d` is no element.
        let is_element = matches!(attributes.trim(), "" | "/") || attributes.contains('=');
        let is_one_of =
            |list: Names| is_element && names(list).any(|known| known.eq_ignore_ascii_case(name));
        let is_comment = tag.starts_with("!--") && tag.ends_with("--");
        if is_one_of("br") {
            // A line break of the source often stands behind the element.
            text.push('\n');
            text += after.strip_prefix('\n').unwrap_or(after);
        } else if is_one_of(&WORDS.blocks) {
            text.push('\n');
            text += after;
        } else if is_one_of(&WORDS.inline) || is_comment {
            text += after;
        } else {
            text += "&lt;";
            text += part;
        }
    }
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

/// The customer's words without Google's translation, which stands above or below them in the same text. Google marks it in the
/// language of an account: `(Translated by Google) Very good.`, an empty line, `(Original)`, `Muy bueno.` Without the original, only
/// the mark goes.
fn original(text: &str) -> &str {
    let lines: Vec<&str> = text.lines().collect();
    let start = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    let end = |line: usize| start(lines[line]) + lines[line].len();
    let begins_paragraph =
        |line: usize| line == 0 || lines[line - 1].trim_matches(is_blank).is_empty();
    let is_label = |line: usize| {
        bracketed(lines[line]).is_some_and(|(words, rest)| rest.is_empty() && !names_google(words))
    };
    let mark = (0..lines.len()).find_map(|line| {
        let (words, rest) = bracketed(lines[line])?;
        // Inside a paragraph, brackets are the customer's own, unless the original is marked, too.
        let has_label = || (0..lines.len()).any(is_label);
        let is_mark = names_google(words) && (begins_paragraph(line) || has_label());
        is_mark.then_some((line, start(rest)))
    });
    let Some((line, translated)) = mark else {
        return text;
    };
    let labels = || (line + 1..lines.len()).filter(|line| is_label(*line));
    let label = labels()
        .find(|line| begins_paragraph(*line))
        .or_else(|| labels().next());
    let above = if is_label(0) { end(0) } else { 0 };
    let parts = [
        &text[above..start(lines[line])],
        label.map_or("", |label| &text[end(label)..]),
        &text[translated..label.map_or(text.len(), |label| start(lines[label]))],
    ];
    let mut parts = parts.into_iter().map(|part| part.trim_matches(is_blank));
    parts.find(|part| !part.is_empty()).unwrap_or_default()
}

/// Maximum number of characters between the brackets of Google's marks.
const LABEL_CHARACTERS_MAX: usize = 40;

/// The words in brackets with which a line begins, and the rest of the line.
fn bracketed(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_matches(is_blank);
    let brackets = [('(', ')'), ('（', '）'), ('【', '】'), ('[', ']')];
    let split = |(open, close): (char, char)| line.strip_prefix(open)?.split_once(close);
    let (words, rest) = brackets.into_iter().find_map(split)?;
    let is_sentence = words.contains(|c: char| c.is_numeric() || ".!?,;".contains(c));
    let is_short = words.chars().count() <= LABEL_CHARACTERS_MAX;
    (is_short && !is_sentence).then(|| (words, rest.trim_start()))
}

fn names_google(label: &str) -> bool {
    let lower = label.trim().to_lowercase();
    lower.contains("google") && lower != "google"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_words_can_be_read() {
        toml::from_str::<Words>(include_str!("words.toml")).unwrap();
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
        for (stars, texts) in [
            (
                1,
                "1 star, 0/10, 1.0 out of 5.0, 1 %, 5つ星のうち1.0, Rated 1 out of 5.",
            ),
            (
                2,
                "2 / 5, ★★☆☆☆, Rated 2 out of 5, 2.0 von 5 Sternen, ２, 35 %, 5 yıldız üzerinden 2",
            ),
            (
                3,
                "three, 3 étoiles, ⭐️⭐️⭐️, 6/10, ٣, ३, 5つ星のうち3.0, 星5つ中の3, 3 sur 5, 5 von 10 Punkten, 60%",
            ),
            (
                4,
                "4.0, bubble_40, Four stars, 4 Sterne, 4 von 5, 4 van de 5, 4 de 5, 4 - Very good, 4*, 4-star, 80 %, 80 z 100",
            ),
            (
                5,
                "5/5, FIVE, STAR_RATING_FIVE, 5 ★, 5 (excellent), *****, five stars!, 9/10, 5.0 star rating, ★ 5, Rating: 5",
            ),
        ] {
            for text in texts.split(", ") {
                let read = parse_rating(text, None).map(Rating::stars);
                assert_eq!(read, Ok(stars), "{text}");
            }
        }
        assert_eq!(parse_rating("3,0 von 5 Sternen", None).unwrap().stars(), 3);
        assert_eq!(
            parse_rating("5 of 7", NonZeroU8::new(7)).unwrap().stars(),
            4
        );
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
    fn unclear_rating_is_refused_with_advice() {
        for (advice, texts) in [
            ("--scale 10", "8; 7.5"),
            ("--scale 100", "85; 11 stars"),
            ("--scale 5", "4.5; 4,5/5; 4.5 out of 5 stars"),
            ("above 5", "10/5"),
            ("is a date", "5-Jan; 1-Mai; 5-Mär."),
            (
                "write the number of stars",
                "; 0; 0 out of 5; -1; -1 star; +5; .5; #1; good; 5e0; 4th of 5th; NaN; ☆☆☆☆☆; 1/0; ★★★★★★; 1,000; 4,500; \
                 1.5,000; 1,000.5; 5 weeks ago; 5 hours; 5€; 1-5; 5 - 4; 5 stars (2 votes); 5 stars of 10 reviews; 4 of 5 people; 4/5 rooms; 4 guests of 5; 2 reviews, 5 stars; 3 out of 4; 5 Jan 10; \
                 01/05/2026; 4 of 5 in 2026; (602) 555",
            ),
        ] {
            for text in texts.split("; ") {
                let refusal = parse_rating(text, None).unwrap_err();
                assert!(refusal.contains(advice), "{text}: {refusal}");
            }
        }
    }

    #[test]
    fn spreadsheet_errors_of_any_language_are_detected() {
        for error in "#N/A #REF! #DIV/0! #NAME? #ERROR! #SPILL! #NV #BEZUG! #¡REF! #¿NOMBRE? #ЗНАЧ! #GETTING_DATA Err:502 Loading...".split(' ') {
            assert!(is_spreadsheet_error(error), "{error}");
        }
        for text in "#1|#1!|#1 in town|#|#!|#n/a|#Best|#REF!!|#¡¡REF!|N/A|#N/A is what it said|Err:|Err:5022|Loading|Loading... done|#NOT-SO".split('|') {
            assert!(!is_spreadsheet_error(text), "{text}");
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
    }
}

#[cfg(test)]
mod text_tests {
    use super::*;

    #[test]
    fn the_original_of_a_translated_text_is_kept() {
        for (text, own) in [
            (
                "(Translated by Google) Good.\n\n(Original)\nBueno.",
                "Bueno.",
            ),
            (
                "(Traduit par Google) Propre\n\n(Avis d'origine)\nNeat\n\nand quick",
                "Neat\n\nand quick",
            ),
            ("（Google による翻訳）Good\n（原文）\nよい", "よい"),
            ("(Original)\nBueno.\n(Translated by Google) Good.", "Bueno."),
            ("【由 Google 翻譯】\nGood\n\n【原文】\n好", "好"),
            ("\u{200f}(ترجمة Google) Good\n\n\u{200f}(الأصل)\nجيد", "جيد"),
            (
                "(A Google fordítása) Good\n(really)\n\n(Eredeti)\nJó\n(tényleg)",
                "Jó\n(tényleg)",
            ),
            ("Bueno.\n\n(Translated by Google)\nGood.", "Bueno."),
            ("Bueno.\n\n(Translated by Google) Good.", "Bueno."),
            (
                "(Original)\nBueno.\n\n(Übersetzt von Google)\nGood.",
                "Bueno.",
            ),
            // Without the original, only the marks go.
            (
                "(Diterjemahkan oleh Google) They were rude",
                "They were rude",
            ),
            ("(Translated by Google) A\n\n(Original)\n", "A"),
            ("(Translated by Google)", ""),
        ] {
            assert_eq!(original(text), own, "{text}");
        }
    }

    #[test]
    fn brackets_of_the_customer_are_no_marks() {
        for text in [
            "",
            "The menu was wrong (Translated by Google), I guess",
            "Found them (on Google) quickly",
            "Plain (Original) text",
            "On time.\n(Original parts were used)\nGood.",
            "(Original)\nparts",
            "(Google) is where I found them",
            "(5 stars on Google!) Great.",
            "Great.\n(Found on Google) and called them",
            "Great.\n(Found by Google maps)\nVery clean.",
            "(Google",
        ] {
            assert_eq!(original(text), text);
        }
    }

    #[test]
    fn line_breaks_and_letters_have_one_form() {
        assert_eq!(
            clean("Jose\u{301}\r\nand\rBo", false, false),
            "José\nand\nBo"
        );
        assert_eq!(clean("AT&amp;T <b>", false, false), "AT&amp;T <b>");
        assert_eq!(
            clean(
                "(Translated by Google) A\r\n\r\n(Original)\r\nB",
                false,
                true
            ),
            "B"
        );
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
                "a<b and c>d <!-- x --> <p class=\"x\">y</p> <",
                "a<b and c>d\ny\n <",
            ),
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
            assert_eq!(clean(html, true, false), text, "{html}");
        }
    }
}
