//! What the classifier looks at: runs of one, two and three words, within a sentence's parts, and
//! words that a negator turns round. Apart from the weights because training reads its examples
//! through this very code, so that the two cannot drift.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;
use std::sync::LazyLock;

use crate::hash::{FNV_OFFSET, fnv1a, folded};
use crate::insights::text::{Fingerprint, Shape, Text};

/// The longest run of words that is looked up.
pub const RUN_MAX: usize = 3;

/// How many words after a negator it turns round.
const NEGATED_MAX: usize = 4;

/// What a token does to a sentence beside saying something.
#[derive(Debug, Clone, Copy, Default)]
struct Role {
    /// It parts the sentence: a mark, or a word that opens the next part.
    parts: bool,
    /// A mark that stands between words; `!`, `?`, `$` and symbols say something themselves.
    is_mark: bool,
    negation: Negation,
}

/// What a token does to the negation of the words behind it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Negation {
    /// Nothing.
    #[default]
    GoesOn,
    /// The next words say the opposite.
    Begins,
    /// A negator before it reaches no further.
    Ends,
}

/// What the tokens do that do anything, by their fingerprints; those that end in `n't` negate, too.
static ROLES: LazyLock<HashMap<u64, Role, BuildHasherDefault<Fingerprint>>> = LazyLock::new(|| {
    let mut roles = HashMap::default();
    let mut put = |words: &str, set: fn(&mut Role)| {
        for word in words.split(' ') {
            set(roles.entry(Fingerprint::of(word)).or_default());
        }
    };
    put(
        ", ; : . ! ? \u{2026} \u{2014} ( ) \" - & \
         and but however although though so then while except",
        |role| role.parts = true,
    );
    put(", ; : . \u{2026} \u{2014} ( ) \" - '", |role| {
        (role.is_mark, role.negation) = (true, Negation::Ends);
    });
    put(
        "not no never without nobody nothing none neither nor hardly barely cannot",
        |role| role.negation = Negation::Begins,
    );
    put("but however although though", |role| {
        role.negation = Negation::Ends;
    });
    roles
});

/// A token as the end of runs of words.
#[derive(Debug, Clone, Copy)]
struct RunEnd {
    role: Role,
    /// Of the runs that end with it those of one word, of two and of three; over a mark or the scope's
    /// beginning they mean nothing.
    hashes: [u64; RUN_MAX],
}

/// Tokens as the classifier reads them, each taken up once.
#[derive(Debug)]
pub struct Words<'text> {
    text: &'text Text,
    scope: Range<usize>,
    ends: Vec<RunEnd>,
}

impl<'text> Words<'text> {
    /// Reads the tokens of a sentence, or of any scope of a text.
    #[must_use]
    pub fn read(text: &'text Text, scope: Range<usize>) -> Self {
        let mut hashes = [FNV_OFFSET; RUN_MAX];
        let end = |token: usize| {
            hashes = [FNV_OFFSET, hashes[0], hashes[1]];
            let mut take_up = |byte: u8| hashes = hashes.map(|hash| fnv1a(hash, &[byte]));
            form(text, token).bytes().for_each(&mut take_up);
            take_up(b' ');
            let role = ROLES.get(&text.tokens()[token].fingerprint);
            RunEnd {
                role: role.copied().unwrap_or_default(),
                hashes,
            }
        };
        Self {
            text,
            ends: scope.clone().map(end).collect(),
            scope,
        }
    }

    /// The parts of a sentence that have a word, in order. Marks and conjunctions between them belong
    /// to none.
    #[must_use]
    pub fn parts(&self) -> Vec<Range<usize>> {
        let (mut parts, mut start) = (Vec::with_capacity(4), self.scope.start);
        for (token, end) in self.scope.clone().zip(&self.ends) {
            if end.role.parts {
                if start < token {
                    parts.push(start..token);
                }
                start = token + 1;
            }
        }
        if start < self.scope.end {
            parts.push(start..self.scope.end);
        }
        parts
    }

    /// Calls `each` with the key and the tokens of every run of up to [`RUN_MAX`] words, and of every
    /// word that a negator stands before. A run holds no parting mark. Last it is told whether a negator
    /// turns the whole run round: `on time` in `never on time` says what is spoken of, and not how.
    pub fn runs(&self, mut each: impl FnMut(u32, Range<usize>, bool)) {
        let mut negated = 0..0;
        for (at, start) in self.scope.clone().enumerate() {
            let role = self.ends[at].role;
            let mut is_turned = false;
            if role.negation == Negation::Ends {
                negated = 0..0;
            } else if role.negation == Negation::Begins || form(self.text, start).ends_with("n't") {
                negated = start + 1..start + 1 + NEGATED_MAX;
            } else if negated.contains(&start) && is_word(self.text, start) {
                let word = form(self.text, start);
                let key = fnv1a(fnv1a(FNV_OFFSET, b"~"), word.as_bytes());
                each(folded(key), start..start + 1, false);
                is_turned = true;
            }
            let words = self.ends[at..].iter().take(RUN_MAX);
            for (more, end) in words.take_while(|end| !end.role.is_mark).enumerate() {
                each(folded(end.hashes[more]), start..start + more + 1, is_turned);
            }
        }
    }
}

/// What a negator turns round: `not good!` is no less loud, and a thumb stays up.
fn is_word(text: &Text, token: usize) -> bool {
    text.tokens()[token].shape != Shape::Mark
}

/// How a token is looked up: numbers are alike.
fn form(text: &Text, token: usize) -> &str {
    if text.tokens()[token].shape == Shape::Number {
        "0"
    } else {
        text.word(token)
    }
}
