//! What the model looks at: each token of a sentence as a word it knows, and where that word stands
//! as seen from the thing that is judged. Apart from the network because training reads texts
//! through this very code, so the two cannot drift.

use std::ops::Range;

use crate::insights::text::{Shape, Text};
use crate::steps;

/// The most tokens that are looked at; of a longer sentence, those around the anchor.
pub const TOKENS_MAX: usize = 64;
/// The number of places that a token can have.
pub const PLACES: usize = 2 * DISTANCES * 2 * 3 + 3;
/// The number of roles that a token can have: negated or not, and whether it is of the anchor.
pub const ROLES: usize = 4;
/// The word of everything that the vocabulary does not hold.
pub const UNKNOWN: u16 = 0;

/// The classes of distance on either side of the anchor.
const DISTANCES: usize = 7;
/// How many words after a negation are under it, unless a clause ends before.
const NEGATION_REACH: usize = 5;
/// Words that turn a sentence.
const CONTRASTS: [&str; 14] = [
    "but",
    "however",
    "although",
    "though",
    "while",
    "yet",
    "despite",
    "except",
    "unfortunately",
    "nevertheless",
    "nonetheless",
    "whereas",
    "still",
    "otherwise",
];
/// Words and marks that end a segment of a sentence.
const BREAKS: [&str; 20] = [
    ",", ";", ".", "\u{2014}", "-", "(", ")", ":", "!", "?", "\u{2026}", "and", "so", "because",
    "which", "when", "since", "or", "as", "/",
];
/// Of those, the ones that do not end what a negation reaches.
const WEAK_BREAKS: [&str; 3] = ["and", "or", "as"];
/// Words that negate, beside those that end in `n't`.
const NEGATIONS: [&str; 13] = [
    "not", "no", "never", "nothing", "none", "nobody", "without", "hardly", "barely", "lack",
    "lacks", "lacking", "cannot",
];

const IS_CONTRAST: u8 = 1;
const IS_BREAK: u8 = 2;
const IS_WEAK_BREAK: u8 = 4;
const IS_NEGATION: u8 = 8;
/// No key has this value: keys have 24 bits.
const FREE: u32 = u32::MAX;

/// A token as the model sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// Its number in the vocabulary, or [`UNKNOWN`].
    pub word: u16,
    /// Where it stands, seen from the anchor; below [`PLACES`].
    pub place: u16,
    /// Whether it is negated (1), whether it is of the anchor (2); below [`ROLES`].
    pub role: u8,
}

impl Seen {
    /// Whether it is of the anchor.
    #[must_use]
    pub const fn is_anchor(self) -> bool {
        self.role & 2 != 0
    }
}

/// The words that the model knows, by their keys: an open-addressed table that is at most half
/// full.
#[derive(Debug, Clone)]
pub struct Vocabulary {
    slots: Vec<Slot>,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    key: u32,
    word: u16,
    class: u8,
}

impl Vocabulary {
    /// The words with these keys; the first one has the number 1.
    #[must_use]
    pub fn new(keys: &[u32]) -> Self {
        let slots = ((keys.len() + 64) * 2).next_power_of_two();
        let mut vocabulary = Self {
            slots: vec![
                Slot {
                    key: FREE,
                    word: UNKNOWN,
                    class: 0
                };
                slots
            ],
        };
        for (word, key) in (1..).zip(keys) {
            vocabulary.slot(*key).word = word;
        }
        for (class, words) in [
            (IS_CONTRAST | IS_BREAK, &CONTRASTS[..]),
            (IS_BREAK, &BREAKS),
            (IS_WEAK_BREAK, &WEAK_BREAKS),
            (IS_NEGATION, &NEGATIONS),
        ] {
            for word in words {
                vocabulary.slot(key(word)).class |= class;
            }
        }
        vocabulary
    }

    fn slot(&mut self, key: u32) -> &mut Slot {
        let at = self.find(key);
        self.slots[at].key = key;
        &mut self.slots[at]
    }

    fn find(&self, key: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = key as usize & mask;
        while self.slots[at].key != key && self.slots[at].key != FREE {
            at = (at + 1) & mask;
        }
        at
    }

    /// The tokens of `scope` as seen from `anchors`, and where in the text the first of them is.
    /// Without an anchor the scope as a whole is judged.
    #[must_use]
    pub fn look(
        &self,
        text: &Text,
        scope: Range<usize>,
        anchors: &[Range<usize>],
    ) -> (usize, Vec<Seen>) {
        let scope = around(scope, anchors);
        let marks = self.marks(text, scope.clone());
        let mut seen = Vec::with_capacity(scope.len());
        let turned = marks.last().map_or(0, |mark| mark.turn);
        for (token, mark) in scope.clone().zip(&marks) {
            let near = anchors
                .iter()
                .filter(|anchor| scope.contains(&anchor.start))
                .map(|anchor| (distance(token, anchor), anchor.start))
                .min_by_key(|(distance, start)| (distance.unsigned_abs(), *start));
            let place = match near {
                Some((distance, start)) => {
                    let its = &marks[start - scope.start];
                    let turn =
                        1 + usize::from(mark.turn > its.turn) - usize::from(mark.turn < its.turn);
                    (far(distance) * 2 + usize::from(mark.segment == its.segment)) * 3 + turn
                }
                None if turned == 0 => PLACES - 3,
                None => PLACES - 2 + usize::from(mark.turn == turned),
            };
            let is_anchor = near.is_some_and(|(distance, _)| distance == 0);
            seen.push(Seen {
                word: mark.word,
                place: u16::try_from(place).unwrap_or_default(),
                role: u8::from(mark.is_negated) | u8::from(is_anchor) << 1,
            });
        }
        (scope.start, seen)
    }

    fn marks(&self, text: &Text, scope: Range<usize>) -> Vec<Mark> {
        let (mut segment, mut turn, mut reach) = (0, 0, 0);
        let mut marks = Vec::with_capacity(scope.len());
        for token in scope {
            steps::one();
            let form = form(text, token);
            let Slot { word, class, .. } = self.slots[self.find(key(form))];
            segment += u8::from(class & IS_BREAK != 0);
            turn += u8::from(class & IS_CONTRAST != 0);
            if class & (IS_BREAK | IS_WEAK_BREAK) == IS_BREAK {
                reach = 0;
            }
            marks.push(Mark {
                word,
                segment,
                turn,
                is_negated: reach > 0,
            });
            reach = if class & IS_NEGATION != 0 || form.ends_with("n't") {
                NEGATION_REACH
            } else {
                reach.saturating_sub(1)
            };
        }
        marks
    }
}

struct Mark {
    word: u16,
    segment: u8,
    turn: u8,
    is_negated: bool,
}

/// How a token is looked up: numbers are alike.
#[must_use]
pub fn form(text: &Text, token: usize) -> &str {
    if text.tokens()[token].shape == Shape::Number {
        "0"
    } else {
        text.word(token)
    }
}

/// The key of a form: 24 bits of FNV-1a.
#[must_use]
pub fn key(form: &str) -> u32 {
    let hash = form.bytes().fold(0x811C_9DC5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    (hash ^ hash >> 24) & 0x00FF_FFFF
}

/// At most [`TOKENS_MAX`] of the scope, around the first anchor.
fn around(scope: Range<usize>, anchors: &[Range<usize>]) -> Range<usize> {
    if scope.len() <= TOKENS_MAX {
        return scope;
    }
    let middle = anchors.first().map_or(scope.start, |anchor| anchor.start);
    let start = middle
        .saturating_sub(TOKENS_MAX / 2)
        .clamp(scope.start, scope.end - TOKENS_MAX);
    start..start + TOKENS_MAX
}

/// How far a token is from the nearest of the anchor's: 0 within, negative before.
fn distance(token: usize, anchor: &Range<usize>) -> isize {
    if token < anchor.start {
        token.cast_signed() - anchor.start.cast_signed()
    } else {
        (token + 1)
            .saturating_sub(anchor.end.max(anchor.start + 1))
            .cast_signed()
    }
}

/// The class of a distance.
const fn far(distance: isize) -> usize {
    let class = match distance.unsigned_abs() {
        0 => 0,
        1 => 1,
        2 => 2,
        3..=4 => 3,
        5..=7 => 4,
        8..=12 => 5,
        _ => 6,
    };
    if distance > 0 {
        class + DISTANCES
    } else {
        class
    }
}
