//! Scores a sentence's aspects, its polarity, and whether it complains: a linear model over n-grams of words and the features
//! of a lexicon, which `examples/train_classifier` learned from example sentences. All trades share it. It recognizes common
//! usage without understanding it, so `decide.rs` weighs it against the rules. All weights are integers.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use super::text::{Capitalisation, TokenizedText};
use super::words::{Fingerprint, LanguageWords, Negation, TokenRole, WordMap};
use crate::model::{FNV_OFFSET, fnv1a, folded};

const ENGLISH: &[u8] = include_bytes!("english.weights");
/// Words with the strength of their praise, in tenths, or of their blame, which is negative.
pub const LEXICON: &str = include_str!("lexicon.tsv");

/// The unit of weights and sums: 16 units are one natural logarithm of the odds.
pub const UNIT: i32 = 16;

/// The heads of polarity, in their order.
pub const LABELS: [&str; 3] = ["negative", "neutral", "positive"];
/// Indices in [`LABELS`].
pub const BLAME: usize = 0;
pub const PRAISE: usize = 2;

/// The name of the head that detects the complaints in reviews of few stars.
pub const COMPLAINT: &str = "complaint";

/// The name of the head that detects a judgement of an aspect: `price:negative`.
pub fn judgement_head(aspect: &str, label: &str) -> String {
    format!("{aspect}:{label}")
}

/// All files with weights.
pub const WEIGHTS: [&[u8]; 2] = [ENGLISH, LEXICON.as_bytes()];

// The features of the lexicon.

/// The names of the features of the lexicon.
pub const LEXICON_FEATURES: [&str; FEATURES] = [
    "lexicon_praise",
    "lexicon_blame",
    "lexicon_praises",
    "lexicon_blames",
    "lexicon_most_praise",
    "lexicon_most_blame",
    "lexicon_lead",
    "lexicon_words",
    "lexicon_inverted",
];
/// Number of features of the lexicon.
pub const FEATURES: usize = 9;
/// A negator inverts the strength of words at most this many words after it.
const FLIP_WORDS: usize = 3;
/// Maximum value of a feature.
const LEXICON_MAX: i32 = 150;
/// A feature of words counts as tenths, like the strengths.
const TENTHS: i32 = 10;

/// The features of some words, in tenths: the sums of their praise and of their blame after inversion by negators, the
/// numbers of both, the strongest of each, the difference of the sums, and the numbers of words and of inverted words.
pub type LexiconFeatures = [i32; FEATURES];

/// The strengths of the lexicon's words.
pub static STRENGTHS: LazyLock<WordMap<i32>> = LazyLock::new(|| {
    let rows = LEXICON.lines().filter_map(|line| line.split_once('\t'));
    let rows =
        rows.filter_map(|(word, strength)| Some((Fingerprint::of(word), strength.parse().ok()?)));
    rows.collect()
});

pub fn lexicon_features(text: &TokenizedText, tokens: Range<usize>) -> LexiconFeatures {
    let language = LanguageWords::english();
    let (mut sums, mut counts, mut most) = ([0; 2], [0; 2], [0; 2]);
    let (mut words, mut flips, mut negated_until) = (0, 0, 0);
    for at in tokens {
        let token = &text.tokens()[at];
        words += i32::from(token.is_word());
        if language.role(token.fingerprint).negation == Negation::Begins {
            negated_until = at + FLIP_WORDS;
        } else if let Some(strength) = STRENGTHS.get(&token.fingerprint) {
            let is_flipped = at <= negated_until && negated_until > 0;
            flips += i32::from(is_flipped);
            let strength = if is_flipped { -strength } else { *strength };
            let side = usize::from(strength < 0);
            sums[side] += strength.abs();
            counts[side] += 1;
            most[side] = most[side].max(strength.abs());
        }
    }
    let [praise, blame] = sums;
    let features = [
        praise,
        blame,
        counts[0] * TENTHS,
        counts[1] * TENTHS,
        most[0],
        most[1],
        praise - blame,
        words,
        flips * TENTHS,
    ];
    features.map(|value| value.clamp(-LEXICON_MAX, LEXICON_MAX))
}

// The weights.

const MAGIC: [u8; 4] = *b"RNG3";
const KEY_LEN: usize = 4;
/// The weights of features, per tenth of a feature, are in units of 1/`LEXICON_UNIT`.
pub const LEXICON_UNIT: i32 = 256;

/// The default classifier has no heads and no n-grams.
#[derive(Debug, Clone, Default)]
pub struct Classifier {
    /// Names of the sums, in their order: the aspects and their judgements, then [`LABELS`], then [`COMPLAINT`].
    pub heads: Vec<String>,
    /// Index of the first head of [`LABELS`]; that of [`COMPLAINT`] follows them.
    label_heads: usize,
    /// The initial value of each sum.
    pub biases: Vec<i32>,
    /// For each feature of the lexicon a weight for each head.
    pub lexicon: Vec<i32>,
    /// A row for each known n-gram: a weight for each head.
    weights: Vec<i8>,
    /// The start of each known n-gram's row in `weights`, by its key.
    rows: HashMap<u32, u32, BuildHasherDefault<Fingerprint>>,
}

impl Classifier {
    pub fn built_in() -> Arc<Self> {
        static BUILT_IN: LazyLock<Arc<Classifier>> = LazyLock::new(|| {
            let classifier = Classifier::parse(ENGLISH);
            Arc::new(classifier.unwrap_or_else(|| unreachable!("a file of the program is invalid")))
        });
        Arc::clone(&BUILT_IN)
    }

    /// Reads a weights file: a signature; the number of heads, and the length and the name of each; the biases and the
    /// weights of the features, with two bytes each; and the n-grams, each with its key, the number of its weights that are not
    /// 0, and these, each after the index of its head. `None` if it is not valid.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes.strip_prefix(&MAGIC)?;
        let count = usize::from(rest.split_off(..1)?[0]);
        let mut classifier = Self::default();
        for _ in 0..count {
            let len = usize::from(rest.split_off(..1)?[0]);
            let name = std::str::from_utf8(rest.split_off(..len)?).ok()?;
            classifier.heads.push(name.to_owned());
        }
        classifier.biases = read_numbers(rest.split_off(..count * 2)?);
        classifier.lexicon = read_numbers(rest.split_off(..count * FEATURES * 2)?);
        // In a debug build, many times faster than `resize`.
        let zeros = vec![0; count];
        while let Some(key) = rest.split_off(..KEY_LEN) {
            let weights = usize::from(rest.split_off(..1)?[0]);
            let start = classifier.weights.len();
            classifier.weights.extend_from_slice(&zeros);
            for [head, weight] in rest.split_off(..weights * 2)?.as_chunks().0 {
                *classifier.weights[start..].get_mut(usize::from(*head))? = weight.cast_signed();
            }
            let key = u32::from_le_bytes(key.try_into().ok()?);
            classifier.rows.insert(key, u32::try_from(start).ok()?);
        }
        classifier.label_heads = classifier.head(LABELS[0])?;
        rest.is_empty().then_some(classifier)
    }

    /// The index of the head with that name.
    pub fn head(&self, name: &str) -> Option<usize> {
        self.heads.iter().position(|head| head == name)
    }

    /// The keys of the known n-grams.
    pub fn keys(&self) -> impl Iterator<Item = u32> {
        self.rows.keys().copied()
    }

    /// For each head the weight of the n-gram with that key, if it is known.
    pub fn row(&self, key: u32) -> Option<&[i8]> {
        let start = *self.rows.get(&key)? as usize;
        self.weights.get(start..start + self.heads.len())
    }
}

/// Numbers of two bytes each, little-endian.
fn read_numbers(bytes: &[u8]) -> Vec<i32> {
    let numbers = bytes.as_chunks().0.iter();
    let numbers = numbers.map(|bytes| i32::from(i16::from_le_bytes(*bytes)));
    numbers.collect()
}

// The scores of a sentence.

/// A part of a sentence, or the whole of it, with its scores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentencePart {
    /// As a range of the text's tokens.
    pub tokens: Range<usize>,
    /// For each aspect and judgement the bias plus the weights of its known n-grams, in units of 1/[`UNIT`].
    pub aspects: Vec<i32>,
    /// The same for each label.
    pub labels: [i32; LABELS.len()],
    /// The logarithm of the odds that the part complains, if its review has few stars, in units of 1/[`UNIT`].
    pub complaint: i32,
    pub lexicon: LexiconFeatures,
}

impl SentencePart {
    /// The score for praise minus the score for blame, in units of 1/[`UNIT`].
    pub const fn lead(&self) -> i32 {
        self.labels[PRAISE] - self.labels[BLAME]
    }

    /// The score for neither minus the higher one of those for praise and blame, in the same units.
    pub fn neutral_lead(&self) -> i32 {
        let [negative, neutral, positive] = self.labels;
        neutral - negative.max(positive)
    }
}

/// A known n-gram, and its weights.
#[derive(Debug, Clone)]
struct KnownNgram<'classifier> {
    tokens: Range<usize>,
    weights: &'classifier [i8],
    /// Whether the n-gram is negated, so that it adds nothing to the labels.
    is_negated: bool,
}

impl KnownNgram<'_> {
    fn is_within(&self, tokens: &Range<usize>) -> bool {
        tokens.start <= self.tokens.start && self.tokens.end <= tokens.end
    }
}

/// A sentence's scores.
#[derive(Debug, Clone)]
pub struct SentenceScores<'classifier> {
    /// The scores of the sentence's parts; if there are several parts, the scores of the whole sentence come last.
    pub parts: Vec<SentencePart>,
    /// In the order of the text.
    known: Vec<KnownNgram<'classifier>>,
    /// Index of the first head of [`LABELS`]; that of [`COMPLAINT`] follows them.
    pub label_heads: usize,
}

impl SentenceScores<'_> {
    /// The whole sentence.
    pub fn whole(&self) -> &SentencePart {
        &self.parts[self.parts.len() - 1]
    }

    /// The n-gram in `tokens` with the largest weight for the head with that index, if one has a weight above 0.
    pub fn strongest(&self, tokens: &Range<usize>, head: usize) -> Option<Range<usize>> {
        let fitting = self.known.iter().filter(|known| {
            known.is_within(tokens) && !(known.is_negated && head >= self.label_heads)
        });
        let weighed = fitting.filter_map(|known| Some((*known.weights.get(head)?, known)));
        let praising = weighed.filter(|(weight, _)| *weight > 0);
        // Of equal ones, the first.
        let strongest = praising.rev().max_by_key(|(weight, _)| *weight);
        strongest.map(|(_, known)| known.tokens.clone())
    }
}

impl Classifier {
    /// The scores of a sentence without the words of its idioms.
    pub fn classify(
        &self,
        text: &TokenizedText,
        sentence: Range<usize>,
        idioms: &[Range<usize>],
    ) -> SentenceScores<'_> {
        let words = NgramTokens::read(text, sentence.clone());
        let mut known = Vec::with_capacity(sentence.len() * 2);
        words.ngrams(|key, tokens, is_negated| {
            let mut idioms = idioms.iter();
            let has_idiom = idioms.any(|one| one.start < tokens.end && tokens.start < one.end);
            let weights = self.row(key).filter(|_| !has_idiom);
            known.extend(weights.map(|weights| KnownNgram {
                tokens,
                weights,
                is_negated,
            }));
        });
        let mut parts = words.parts();
        if parts.len() != 1 {
            parts.push(sentence);
        }
        let parts = parts.into_iter();
        SentenceScores {
            parts: parts.map(|part| self.score(text, part, &known)).collect(),
            known,
            label_heads: self.label_heads,
        }
    }

    /// The scores of these tokens of a sentence by its known n-grams.
    fn score(
        &self,
        text: &TokenizedText,
        tokens: Range<usize>,
        known: &[KnownNgram<'_>],
    ) -> SentencePart {
        /// Precision of the square root.
        const STEPS: i32 = 64;
        let mut sums = vec![0; self.heads.len()];
        for one in known.iter().filter(|one| one.is_within(&tokens)) {
            // The labels follow the aspects.
            let heads = if one.is_negated {
                self.label_heads
            } else {
                sums.len()
            };
            for (sum, weight) in sums[..heads].iter_mut().zip(one.weights) {
                *sum += i32::from(*weight);
            }
        }
        let lexicon = lexicon_features(text, tokens.clone());
        let head = |at: usize, sum: i32| {
            let weights = self.lexicon[at..].iter().step_by(sums.len());
            let products = weights.zip(lexicon).map(|(weight, value)| weight * value);
            self.biases[at] + sum + products.sum::<i32>() / LEXICON_UNIT
        };
        let complaint = self.label_heads + LABELS.len();
        // The n-grams count the less the longer the part is.
        let length = i32::try_from(tokens.len()).unwrap_or(i32::MAX);
        let root = length.saturating_mul(STEPS * STEPS).isqrt().max(1);
        SentencePart {
            aspects: (0..self.label_heads)
                .map(|at| self.biases[at] + sums[at])
                .collect(),
            labels: std::array::from_fn(|label| {
                let at = self.label_heads + label;
                sums.get(at).map_or(0, |sum| head(at, *sum))
            }),
            complaint: (sums.get(complaint)).map_or(0, |sum| head(complaint, sum * STEPS / root)),
            lexicon,
            tokens,
        }
    }
}

// The n-grams: those of one, two and three words within the parts of a sentence, and negated words.
// The training uses the same code to read its examples, so that the features are always the same.

pub const NGRAM_MAX: usize = 3;

/// Number of words that a negator affects.
const NEGATED_WORDS: usize = 4;

/// A token with the n-grams that end with it.
#[derive(Debug, Clone, Copy)]
struct NgramEnd {
    role: TokenRole,
    /// Hashes of the n-grams of one, two and three words that end with the token; undefined if the n-gram would cross a mark
    /// or the beginning of the scope.
    hashes: [u64; NGRAM_MAX],
}

/// The tokens of a scope; each is normalised once.
#[derive(Debug)]
pub struct NgramTokens<'text> {
    text: &'text TokenizedText,
    scope: Range<usize>,
    ends: Vec<NgramEnd>,
}

impl<'text> NgramTokens<'text> {
    /// `scope` is a sentence, or any range of the text's tokens.
    pub fn read(text: &'text TokenizedText, scope: Range<usize>) -> Self {
        let mut hashes = [FNV_OFFSET; NGRAM_MAX];
        let words = LanguageWords::english();
        let ends = scope.clone().map(|token| {
            let word = form(text, token).as_bytes();
            hashes = [FNV_OFFSET, hashes[0], hashes[1]].map(|hash| fnv1a(fnv1a(hash, word), b" "));
            NgramEnd {
                role: words.role(text.tokens()[token].fingerprint),
                hashes,
            }
        });
        let ends = ends.collect();
        Self { text, scope, ends }
    }

    /// The parts of a sentence with at least one word, in order. Marks and conjunctions between them belong to no part.
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

    /// Calls `each` with the key and the tokens of every n-gram of up to [`NGRAM_MAX`] words, and of every negated word. An
    /// n-gram does not cross a dividing mark. The last argument is whether the whole n-gram is negated: `on time` in `never
    /// on time` identifies the aspect, but not the polarity.
    pub fn ngrams(&self, mut each: impl FnMut(u32, Range<usize>, bool)) {
        let mut negated = 0..0;
        let ending = LanguageWords::english().negator_ending.as_str();
        for (at, start) in self.scope.clone().enumerate() {
            let (role, word) = (self.ends[at].role, form(self.text, start));
            let has_ending = !ending.is_empty() && word.ends_with(ending);
            let mut is_negated = false;
            if role.negation == Negation::Ends {
                negated = 0..0;
            } else if role.negation == Negation::Begins || has_ending {
                negated = start + 1..start + 1 + NEGATED_WORDS;
            } else if negated.contains(&start) && !self.text.has_shape(start, Capitalisation::Mark)
            {
                // Only words are negated: the exclamation mark in `not good!` and a thumb emoji keep their meaning.
                let key = fnv1a(fnv1a(FNV_OFFSET, b"~"), word.as_bytes());
                each(folded(key), start..start + 1, false);
                is_negated = true;
            }
            let words = self.ends[at..].iter().take(NGRAM_MAX);
            for (more, end) in words.take_while(|end| !end.role.is_mark).enumerate() {
                each(
                    folded(end.hashes[more]),
                    start..start + more + 1,
                    is_negated,
                );
            }
        }
    }
}

/// The form in which a token is looked up; all numbers have the same form.
fn form(text: &TokenizedText, token: usize) -> &str {
    if text.has_shape(token, Capitalisation::Number) {
        "0"
    } else {
        text.word(token)
    }
}

#[cfg(test)]
mod tests {
    use super::{Classifier, LABELS, SentencePart, lexicon_features};
    use crate::insights::text::TokenizedText;

    fn parts(sentence: &str) -> Vec<SentencePart> {
        let text = TokenizedText::new(sentence);
        let classifier = Classifier::built_in();
        classifier
            .classify(&text, 0..text.tokens().len(), &[])
            .parts
    }

    #[test]
    fn the_weights_are_read() {
        assert_eq!(Classifier::built_in().head(LABELS[0]), Some(45));
        for wrong in [&b""[..], b"RNG2", b"RNG3\x01", b"RNG3\x00"] {
            assert!(Classifier::parse(wrong).is_none(), "{wrong:?}");
        }
        let cut = &super::ENGLISH[..super::ENGLISH.len() - 1];
        assert!(Classifier::parse(cut).is_none());
    }

    #[test]
    fn clauses_are_scored_separately_and_then_the_sentence() {
        let text = TokenizedText::new("On time, friendly and he fixed the leak.");
        let words: Vec<&str> = parts("On time, friendly and he fixed the leak.")
            .iter()
            .map(|part| text.words(part.tokens.clone()))
            .collect();
        assert_eq!(
            words,
            [
                "on time",
                "friendly",
                "he fixed the leak",
                "on time , friendly and he fixed the leak ."
            ]
        );
    }

    #[test]
    fn praise_leads_and_a_negator_turns_it() {
        let lead = |text: &str| parts(text).last().unwrap().lead();
        assert!(lead("They were great and very friendly.") > 0);
        assert!(lead("They were terrible and very rude.") < 0);
        assert!(lead("They were not friendly.") < lead("They were friendly."));
        assert!(lead("") == lead(""), "a text without words has a score");
    }

    #[test]
    fn a_complaint_has_more_evidence_than_a_fact() {
        let complaint = |text: &str| parts(text).last().unwrap().complaint;
        assert!(
            complaint("Nobody ever called me back and my money is gone.")
                > complaint("We ordered two lamps in March.")
        );
    }

    #[test]
    fn the_strongest_run_is_within_the_tokens() {
        let text = TokenizedText::new("They were on time and the price was fair.");
        let classifier = Classifier::built_in();
        let scores = classifier.classify(&text, 0..text.tokens().len(), &[]);
        let head = classifier.head("price").unwrap();
        let ngram = scores.strongest(&(0..text.tokens().len()), head).unwrap();
        assert!(text.words(ngram).contains("price"));
        assert_eq!(scores.strongest(&(0..0), head), None);
    }

    #[test]
    fn the_lexicon_counts_praise_and_blame_after_inversion() {
        let figures = |text: &str| {
            let text = TokenizedText::new(text);
            lexicon_features(&text, 0..text.tokens().len())
        };
        assert_eq!(figures("great"), [31, 0, 10, 0, 31, 0, 31, 1, 0]);
        assert_eq!(figures("not great"), [0, 31, 0, 10, 0, 31, -31, 2, 10]);
        assert_eq!(
            figures("not on any given great")[0],
            31,
            "too far from the negator"
        );
        assert_eq!(figures("the chair"), [0, 0, 0, 0, 0, 0, 0, 2, 0]);
    }
}
