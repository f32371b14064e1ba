//! Words, numbers and marks. Apart from the room's other files because what counts as one word is a
//! question of typography, not of meaning.

use super::{Fingerprint, Shape, Token};
use crate::insights::analysis::Span;
use crate::steps;

/// A character with its place, in code points.
type Placed = (u32, char);

/// The normalised text of all tokens, and the tokens.
pub fn cut(original: &str) -> (String, Vec<Token>) {
    let characters: Vec<Placed> = (0..).zip(original.chars().map(plain)).collect();
    let mut cut = Cut {
        normal: String::with_capacity(original.len() + 8),
        tokens: Vec::with_capacity(original.len() / 4),
    };
    let (mut at, mut is_apart, mut begins_line) = (0, true, true);
    while let Some(&(_, character)) = characters.get(at) {
        steps::one();
        let rest = &characters[at..];
        let len = if character.is_alphanumeric() {
            word(rest)
        } else {
            mark(rest, at > 0 && !is_apart)
        };
        if len == 0 {
            is_apart = true;
            begins_line |= character == '\n';
            at += 1;
        } else {
            cut.push(&rest[..len], is_apart, begins_line);
            (is_apart, begins_line) = (false, false);
            at += len;
        }
    }
    (cut.normal, cut.tokens)
}

struct Cut {
    normal: String,
    tokens: Vec<Token>,
}

impl Cut {
    fn push(&mut self, characters: &[Placed], is_apart: bool, begins_line: bool) {
        let [(first, _), ..] = characters else { return };
        let span = Span {
            start: *first,
            end: *first + u32::try_from(characters.len()).unwrap_or(u32::MAX),
        };
        let from = self.normal.len();
        let is_word = characters[0].1.is_alphanumeric();
        let is_acronym = is_word && acronym(characters) > 0;
        steps::add(characters.len());
        for (_, character) in characters {
            if character.is_ascii_alphanumeric() || !is_acronym && character.is_ascii() {
                self.normal.push(character.to_ascii_lowercase());
            } else if !is_acronym || character.is_alphanumeric() {
                self.normal.extend(character.to_lowercase());
            }
            if !is_word {
                break;
            }
        }
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        self.tokens.push(Token {
            span,
            shape: shape(characters),
            is_apart,
            begins_line,
            fingerprint: Fingerprint::of(&self.normal[from..]),
            start: place(from),
            end: place(self.normal.len()),
        });
    }
}

/// Typographic variants as the character that keyboards have.
const fn plain(character: char) -> char {
    match character {
        '\u{2018}' | '\u{2019}' | '\u{201B}' | '\u{02BC}' | '\u{FF07}' | '`' | '\u{00B4}' => '\'',
        '\u{201C}' | '\u{201D}' | '\u{201F}' => '"',
        '\u{2010}' | '\u{2011}' => '-',
        '\u{2013}' | '\u{2014}' | '\u{2015}' => '\u{2014}',
        '\r' | '\u{2028}' | '\u{2029}' | '\u{0085}' => '\n',
        other => other,
    }
}

/// How many characters the word at the beginning has.
fn word(characters: &[Placed]) -> usize {
    let acronym = acronym(characters);
    if acronym > 0 {
        return acronym;
    }
    let is_number = characters[0].1.is_ascii_digit();
    let mut len = 0;
    while let Some(&(_, character)) = characters.get(len) {
        steps::one();
        let next = characters.get(len + 1).map(|(_, next)| *next);
        let joins = match character {
            '\'' => next.is_some_and(char::is_alphabetic),
            ',' | '.' | ':' => is_number && next.is_some_and(|next| next.is_ascii_digit()),
            // Combining marks belong to the letter before them.
            '\u{0300}'..='\u{036F}' => true,
            other => other.is_alphanumeric(),
        };
        if !joins {
            break;
        }
        len += 1;
    }
    len
}

/// The length of `a/c`, `A.C.`, `h.v.a.c` or `p.m.`: single letters joined by dots or by one slash;
/// 0 where there is none.
fn acronym(characters: &[Placed]) -> usize {
    let at = |index: usize| {
        characters
            .get(index)
            .map_or(' ', |(_, character)| *character)
    };
    let joint = at(1);
    if !at(0).is_alphabetic() || !(joint == '.' || joint == '/') {
        return 0;
    }
    let mut len = 1;
    while at(len) == joint && at(len + 1).is_alphabetic() && !at(len + 2).is_alphanumeric() {
        steps::one();
        len += 2;
    }
    match len {
        1 => 0,
        len if joint == '.' && at(len) == '.' => len + 1,
        len => len,
    }
}

/// How many characters the mark at the beginning has; 0 for what only stands between words.
fn mark(characters: &[Placed], follows_word: bool) -> usize {
    let (_, first) = characters[0];
    let next = characters.get(1).map(|(_, next)| *next);
    let is_hyphen = first == '-' && follows_word && next.is_some_and(char::is_alphanumeric);
    // Variation selectors and joiners dress the emoji before them.
    if first.is_whitespace()
        || first.is_control()
        || is_hyphen
        || matches!(first, '\u{200B}'..='\u{200F}' | '\u{FE0E}' | '\u{FE0F}')
    {
        return 0;
    }
    characters
        .iter()
        .inspect(|_| steps::one())
        .take_while(|(_, character)| *character == first)
        .count()
}

fn shape(characters: &[Placed]) -> Shape {
    let (_, first) = characters[0];
    if !first.is_alphanumeric() {
        return Shape::Mark;
    }
    if first.is_numeric() {
        return Shape::Number;
    }
    let letters = || {
        characters
            .iter()
            .map(|(_, character)| *character)
            .filter(|character| character.is_alphabetic())
    };
    let (count, upper) = (
        letters().count(),
        letters().filter(|letter| letter.is_uppercase()).count(),
    );
    match (first.is_uppercase(), upper) {
        (false, 0) => Shape::Lower,
        (true, 1) => Shape::Capitalised,
        (true, upper) if upper == count => Shape::Upper,
        // `AC's` and `CEOs`
        (true, upper) if upper + 1 == count && upper > 1 => Shape::Upper,
        _ => Shape::Mixed,
    }
}
