//! Splits a text into words, numbers and marks, by typography only.

use std::hash::Hasher;

use unicode_normalization::char::{decompose_canonical, is_combining_mark};

use super::{Capitalisation, Token};
use crate::compute::steps;
use crate::insights::analysis::TextSpan;

/// The normalised text of all tokens, without accents if `ignores_accents`, and the tokens.
pub fn cut(original: &str, ignores_accents: bool) -> (String, Vec<Token>) {
    let mut characters = Vec::with_capacity(original.len());
    original
        .chars()
        .for_each(|character| characters.push(plain(character)));
    let mut cut = Cut {
        ignores_accents,
        normal: String::with_capacity(original.len() + 8),
        tokens: Vec::with_capacity(original.len() / 4),
    };
    let (mut at, mut is_apart, mut begins_line) = (0, true, true);
    while let Some(&character) = characters.get(at) {
        steps::one();
        let rest = &characters[at..];
        let (len, is_acronym) = if character.is_alphanumeric() {
            word(rest)
        } else {
            (mark(rest, at > 0 && !is_apart), false)
        };
        if len == 0 {
            is_apart = true;
            begins_line |= character == '\n';
            at += 1;
        } else {
            let gap = Gap {
                is_apart,
                begins_line,
            };
            cut.push(at, &rest[..len], is_acronym, gap);
            (is_apart, begins_line) = (false, false);
            at += len;
        }
    }
    (cut.normal, cut.tokens)
}

struct Cut {
    ignores_accents: bool,
    normal: String,
    tokens: Vec<Token>,
}

/// Properties of the gap before a token.
#[derive(Clone, Copy)]
struct Gap {
    is_apart: bool,
    begins_line: bool,
}

impl Cut {
    fn push(&mut self, at: usize, characters: &[char], is_acronym: bool, gap: Gap) {
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let (from, shape) = (self.normal.len(), shape(characters));
        steps::add(characters.len());
        // A mark's character represents a whole run of it; the separators of an acronym are left out.
        let spelled = if shape == Capitalisation::Mark {
            &characters[..1]
        } else {
            characters
        };
        for character in spelled {
            if is_acronym && !character.is_alphanumeric() {
                continue;
            }
            if character.is_ascii() {
                self.normal.push(character.to_ascii_lowercase());
            } else if self.ignores_accents {
                for small in character.to_lowercase() {
                    push_plain(&mut self.normal, small);
                }
            } else {
                self.normal.extend(character.to_lowercase());
            }
        }
        self.tokens.push(Token {
            span: TextSpan {
                start: place(at),
                end: place(at + characters.len()),
            },
            shape,
            is_apart: gap.is_apart,
            begins_line: gap.begins_line,
            fingerprint: Fingerprint::of(&self.normal[from..]),
            start: place(from),
            end: place(self.normal.len()),
        });
    }
}

/// Appends a letter without its accents: `a` for `á`, `n` for `ñ`.
pub fn push_plain(to: &mut String, letter: char) {
    decompose_canonical(letter, |part| {
        if !is_combining_mark(part) {
            to.push(part);
        }
    });
}

/// Replaces typographic variants by the characters on keyboards.
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

/// The length in characters of the word at the start of `characters`, and whether it is an acronym.
fn word(characters: &[char]) -> (usize, bool) {
    let acronym = acronym(characters);
    if acronym > 0 {
        return (acronym, true);
    }
    let is_number = characters[0].is_ascii_digit();
    let mut len = 0;
    while let Some(&character) = characters.get(len) {
        steps::one();
        if character.is_ascii_alphanumeric() {
            len += 1;
            continue;
        }
        let next = characters.get(len + 1).copied();
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
    (len, false)
}

/// The length of `a/c`, `A.C.`, `h.v.a.c` or `p.m.`: single letters joined by dots or by one slash; 0 if there is no
/// acronym.
fn acronym(characters: &[char]) -> usize {
    let at = |index: usize| characters.get(index).copied().unwrap_or(' ');
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

/// The length in characters of the mark at the start of `characters`; 0 for a character that only separates words.
fn mark(characters: &[char], follows_word: bool) -> usize {
    let first = characters[0];
    let next = characters.get(1).copied();
    let is_hyphen = first == '-' && follows_word && next.is_some_and(char::is_alphanumeric);
    // Variation selectors and joiners modify the emoji before them.
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
        .take_while(|character| **character == first)
        .count()
}

fn shape(characters: &[char]) -> Capitalisation {
    let first = characters[0];
    if !first.is_alphanumeric() {
        return Capitalisation::Mark;
    }
    if first.is_numeric() {
        return Capitalisation::Number;
    }
    let count = |is: fn(&char) -> bool| characters.iter().filter(|one| is(one)).count();
    let upper = count(|one| one.is_uppercase());
    match (first.is_uppercase(), upper) {
        (false, 0) => Capitalisation::Lower,
        (true, 1) => Capitalisation::Capitalised,
        // `AC`, `AC's` and `CEOs`
        (true, 2..) if count(|one| one.is_alphabetic()) - upper <= 1 => Capitalisation::Upper,
        (true | false, _) => Capitalisation::Mixed,
    }
}

// Fingerprints of words: one fast hash for all word tables. The tables are fixed before a text arrives, so no text can
// cause collisions on purpose. A word has the same fingerprint on every platform.

/// A hasher for words, and for keys that already are fingerprints.
#[derive(Debug, Clone, Copy, Default)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// Mixes 64 more bits into a key.
    #[must_use]
    pub const fn mix(key: u64, piece: u64) -> u64 {
        let key = (key ^ piece).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        key ^ key >> 29
    }

    /// The fingerprint of a word. It has 64 bits: two of a few thousand words collide in one of 10^12 dictionaries.
    #[must_use]
    pub fn of(word: &str) -> u64 {
        Self::mix_all(word.len() as u64, word.as_bytes())
    }

    fn mix_all(key: u64, bytes: &[u8]) -> u64 {
        let (eights, rest) = bytes.as_chunks::<8>();
        let key = eights
            .iter()
            .fold(key, |key, eight| Self::mix(key, u64::from_le_bytes(*eight)));
        Self::mix(
            key,
            rest.iter()
                .fold(0, |last, byte| last << 8 | u64::from(*byte)),
        )
    }
}

impl Hasher for Fingerprint {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = Self::mix_all(self.0, bytes);
    }

    fn write_u8(&mut self, byte: u8) {
        self.0 = Self::mix(self.0, u64::from(byte));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
