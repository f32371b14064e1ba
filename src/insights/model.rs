//! Scores a sentence's aspects, its polarity, and whether it complains: a linear model over runs of words and the figures
//! of a lexicon, which `examples/train_classifier` learned from example sentences. All trades share it. It recognizes common
//! usage without understanding it, so `decide.rs` weighs it against the rules. All weights are integers.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use super::analysis::Language;
use super::text::{Capitalisation, Fingerprint, Negation, TokenRole, TokenizedText, WordMap};
use crate::model::{FNV_OFFSET, fnv1a, folded};

const ENGLISH: &[u8] = include_bytes!("english.weights");
const SPANISH: &[u8] = include_bytes!("spanish.weights");
/// Words with the strength of their praise, in tenths, or of their blame, which is negative.
const LEXICON: &str = include_str!("lexicon.tsv");

/// The unit of weights and sums: 16 units are one natural logarithm of the odds.
pub const UNIT: i32 = 16;

/// The heads of polarity, in their order.
pub const LABELS: [&str; 3] = ["negative", "neutral", "positive"];
/// Indices in [`LABELS`].
pub const BLAME: usize = 0;
pub const PRAISE: usize = 2;

/// The name of the head that detects the complaints in reviews of one or two stars.
pub const COMPLAINT: &str = "complaint";

/// The name of the head that detects a judgement of an aspect: `price:negative`.
pub fn judgement_head(aspect: &str, label: &str) -> String {
    format!("{aspect}:{label}")
}

/// All files with weights.
pub const WEIGHTS: [&[u8]; 3] = [ENGLISH, SPANISH, LEXICON.as_bytes()];

// The figures of the lexicon.

/// The names of the figures of the lexicon.
pub const LEXICON_FIGURES: [&str; FIGURES] = [
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
/// Number of figures of the lexicon.
pub const FIGURES: usize = 9;
/// A negator inverts the strength of words at most this many words after it.
const FLIP_WORDS: usize = 3;
/// Maximum value of a figure.
const FIGURE_MAX: i32 = 150;
/// A figure of words counts as tenths, like the strengths.
const TENTHS: i32 = 10;

/// The figures of some words, in tenths: the sums of their praise and of their blame after inversion by negators, the
/// numbers of both, the strongest of each, the difference of the sums, and the numbers of words and of inverted words.
pub type LexiconFigures = [i32; FIGURES];

pub fn lexicon_figures(text: &TokenizedText, tokens: Range<usize>) -> LexiconFigures {
    static STRENGTHS: LazyLock<WordMap<i32>> = LazyLock::new(|| {
        let rows = LEXICON.lines().filter_map(|line| line.split_once('\t'));
        let rows = rows
            .filter_map(|(word, strength)| Some((Fingerprint::of(word), strength.parse().ok()?)));
        rows.collect()
    });
    let language = text.language_words();
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
    let figures = [
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
    figures.map(|figure| figure.clamp(-FIGURE_MAX, FIGURE_MAX))
}

// The weights.

const MAGIC: [u8; 4] = *b"RNG3";
const KEY_LEN: usize = 4;
/// The weights of figures, per tenth of a figure, are in units of 1/`FIGURE_UNIT`.
pub const FIGURE_UNIT: i32 = 256;

/// The default model has no heads and no runs.
#[derive(Debug, Clone, Default)]
pub struct Model {
    /// Names of the sums, in their order: the aspects and their judgements, then [`LABELS`], then [`COMPLAINT`].
    heads: Vec<String>,
    /// Number of heads before the labels.
    aspects: usize,
    /// The initial value of each sum.
    biases: Vec<i32>,
    /// For each figure of the lexicon a weight for each head.
    figures: Vec<i32>,
    /// A row for each known run: a weight for each head.
    weights: Vec<i8>,
    /// The start of each known run's row in `weights`.
    rows: HashMap<u32, u32, BuildHasherDefault<Fingerprint>>,
}

/// The weights of some heads of a model.
#[derive(Debug)]
pub struct HeadWeights<'model> {
    pub biases: &'model [i32],
    /// For each figure of the lexicon.
    pub figures: Vec<&'model [i32]>,
    /// For each known run its key and its weights.
    pub rows: Vec<(u32, &'model [i8])>,
}

impl Model {
    pub fn built_in(language: Language) -> Arc<Self> {
        static MODELS: LazyLock<[Arc<Model>; 2]> = LazyLock::new(|| {
            [ENGLISH, SPANISH].map(|bytes| {
                let model = Model::parse(bytes);
                Arc::new(model.unwrap_or_else(|| unreachable!("a file of the program is invalid")))
            })
        });
        Arc::clone(&MODELS[language as usize])
    }

    /// Reads a weights file: a signature; the number of heads, and the length and the name of each; the biases and the
    /// weights of the figures, with two bytes each; and the runs, each with its key, the number of its weights that are not
    /// 0, and these, each after the index of its head. `None` if it is not valid.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes.strip_prefix(&MAGIC)?;
        let mut take = |len: usize| rest.split_off(..len);
        let count = usize::from(take(1)?[0]);
        let mut model = Self::default();
        for _ in 0..count {
            let len = usize::from(take(1)?[0]);
            let name = std::str::from_utf8(take(len)?).ok()?;
            model.heads.push(name.to_owned());
        }
        let mut numbers = |count: usize| {
            let numbers = take(count * 2)?.as_chunks().0.iter();
            let numbers = numbers.map(|bytes| i32::from(i16::from_le_bytes(*bytes)));
            Some(numbers.collect::<Vec<_>>())
        };
        model.biases = numbers(count)?;
        model.figures = numbers(count * FIGURES)?;
        while let Some(key) = take(KEY_LEN) {
            let weights = usize::from(take(1)?[0]);
            let start = model.weights.len();
            model.weights.resize(start + count, 0);
            for [head, weight] in take(weights * 2)?.as_chunks().0 {
                *model.weights[start..].get_mut(usize::from(*head))? = weight.cast_signed();
            }
            let key = u32::from_le_bytes(key.try_into().ok()?);
            model.rows.insert(key, u32::try_from(start).ok()?);
        }
        model.weights.shrink_to_fit();
        let first = model.head(LABELS[0])?;
        model.aspects = first;
        rest.is_empty().then_some(model)
    }

    /// The index of the head with that name.
    pub fn head(&self, name: &str) -> Option<usize> {
        self.heads.iter().position(|head| head == name)
    }

    /// The weights of some heads.
    pub fn weights_of(&self, heads: &Range<usize>) -> HeadWeights<'_> {
        let figures = self.figures.chunks(self.heads.len());
        let row = |start: u32| &self.weights[start as usize..][heads.clone()];
        HeadWeights {
            biases: &self.biases[heads.clone()],
            figures: figures.map(|row| &row[heads.clone()]).collect(),
            rows: (self.rows.iter().map(|(key, start)| (*key, row(*start)))).collect(),
        }
    }

    /// The weights of the run with that key, if it is known.
    fn row(&self, key: u32) -> Option<&[i8]> {
        let start = *self.rows.get(&key)? as usize;
        self.weights.get(start..start + self.heads.len())
    }
}

// The scores of a sentence.

/// A part of a sentence, or the whole of it, with its scores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentencePart {
    /// As a range of the text's tokens.
    pub tokens: Range<usize>,
    /// For each aspect and judgement the bias plus the weights of its known runs, in units of 1/[`UNIT`].
    pub aspects: Vec<i32>,
    /// The same for each label.
    pub labels: [i32; LABELS.len()],
    /// The logarithm of the odds that the part complains, if its review has one or two stars, in units of 1/[`UNIT`].
    pub complaint: i32,
    pub figures: LexiconFigures,
}

impl SentencePart {
    /// The score for praise minus the score for blame, in units of 1/[`UNIT`].
    pub const fn lead(&self) -> i32 {
        self.labels[PRAISE] - self.labels[BLAME]
    }
}

/// A known run of words, and its weights.
#[derive(Debug, Clone)]
struct KnownRun<'model> {
    tokens: Range<usize>,
    weights: &'model [i8],
    /// Whether the run is negated, so that it adds nothing to the labels.
    is_turned: bool,
}

/// A sentence's scores.
#[derive(Debug, Clone)]
pub struct AspectScores<'model> {
    /// The scores of the sentence's parts; if there are several parts, the scores of the whole sentence come last.
    pub parts: Vec<SentencePart>,
    /// In the order of the text.
    known: Vec<KnownRun<'model>>,
    /// Number of heads before the labels.
    aspects: usize,
}

impl AspectScores<'_> {
    /// The whole sentence.
    pub fn whole(&self) -> &SentencePart {
        &self.parts[self.parts.len() - 1]
    }

    /// The head of the label at this index of [`LABELS`].
    pub const fn label(&self, index: usize) -> usize {
        self.aspects + index
    }

    pub const fn complaint(&self) -> usize {
        self.aspects + LABELS.len()
    }

    /// The run in `tokens` with the largest weight for the head with that index, if one has a weight above 0.
    pub fn strongest(&self, tokens: &Range<usize>, head: usize) -> Option<Range<usize>> {
        let mut strongest: Option<(&Range<usize>, i8)> = None;
        let is_inside = |known: &&KnownRun<'_>| {
            known.tokens.start >= tokens.start && known.tokens.end <= tokens.end
        };
        for known in self.known.iter().filter(is_inside) {
            if known.is_turned && head >= self.aspects {
                continue;
            }
            let points = known.weights.get(head).copied().unwrap_or_default();
            if points > strongest.map_or(0, |(_, most)| most) {
                strongest = Some((&known.tokens, points));
            }
        }
        strongest.map(|(run, _)| run.clone())
    }
}

impl Model {
    /// The scores of a sentence.
    pub fn classify(&self, text: &TokenizedText, sentence: Range<usize>) -> AspectScores<'_> {
        let words = NgramTokens::read(text, sentence.clone());
        let mut parts = words.parts();
        let count = parts.len();
        // The sums for each part, and for runs that span two parts.
        let width = self.heads.len();
        let mut sums = vec![0; width * (count + 1)];
        let mut known = Vec::with_capacity(sentence.len() * 2);
        let mut at = 0;
        words.runs(|key, tokens, is_turned| {
            let Some(weights) = self.row(key) else {
                return;
            };
            while parts.get(at).is_some_and(|part| part.end <= tokens.start) {
                at += 1;
            }
            let is_inside =
                |part: &&Range<usize>| part.contains(&tokens.start) && tokens.end <= part.end;
            let row = parts.get(at).filter(is_inside).map_or(count, |_| at);
            // The labels follow the aspects.
            let heads = if is_turned { self.aspects } else { width };
            let row = &mut sums[row * width..][..heads];
            for (sum, weight) in row.iter_mut().zip(weights) {
                *sum += i32::from(*weight);
            }
            known.push(KnownRun {
                tokens,
                weights,
                is_turned,
            });
        });
        if count != 1 {
            let (of_parts, across) = sums.split_at_mut(count * width);
            for (at, sum) in of_parts.iter().enumerate() {
                across[at % width] += sum;
            }
            parts.push(sentence);
        }
        let parts = parts.into_iter().enumerate();
        AspectScores {
            parts: parts
                .map(|(at, tokens)| self.part(text, tokens, &sums[at * width..][..width]))
                .collect(),
            known,
            aspects: self.aspects,
        }
    }

    /// `sums` contains the weights of the runs for all heads.
    fn part(&self, text: &TokenizedText, tokens: Range<usize>, sums: &[i32]) -> SentencePart {
        /// Precision of the square root.
        const STEPS: i32 = 64;
        let figures = lexicon_figures(text, tokens.clone());
        let head = |at: usize, sum: i32| {
            let weights = self.figures[at..].iter().step_by(sums.len());
            let lexicon: i32 = weights
                .zip(figures)
                .map(|(weight, figure)| weight * figure)
                .sum();
            self.biases[at] + sum + lexicon / FIGURE_UNIT
        };
        let label = |at: usize| match sums.get(self.aspects + at) {
            Some(sum) => head(self.aspects + at, *sum),
            None => 0,
        };
        let complaint = self.aspects + LABELS.len();
        // The runs count the less the longer the part is.
        let length = i32::try_from(tokens.len()).unwrap_or(i32::MAX);
        let root = length.saturating_mul(STEPS * STEPS).isqrt().max(1);
        SentencePart {
            aspects: (0..self.aspects)
                .map(|at| self.biases[at] + sums[at])
                .collect(),
            labels: std::array::from_fn(label),
            complaint: (sums.get(complaint)).map_or(0, |sum| head(complaint, sum * STEPS / root)),
            figures,
            tokens,
        }
    }
}

// The features of the model: runs of one, two and three words within the parts of a sentence, and negated words.
// The training uses the same code to read its examples, so that the features are always the same.

pub const RUN_MAX: usize = 3;

/// Number of words that a negator affects.
const NEGATED_MAX: usize = 4;

/// A token with the runs that end with it.
#[derive(Debug, Clone, Copy)]
struct RunEnd {
    role: TokenRole,
    /// Hashes of the runs of one, two and three words that end with the token; undefined if the run would cross a mark
    /// or the beginning of the scope.
    hashes: [u64; RUN_MAX],
}

/// The tokens of a scope; each is normalised once.
#[derive(Debug)]
pub struct NgramTokens<'text> {
    text: &'text TokenizedText,
    scope: Range<usize>,
    ends: Vec<RunEnd>,
}

impl<'text> NgramTokens<'text> {
    /// `scope` is a sentence, or any range of the text's tokens.
    pub fn read(text: &'text TokenizedText, scope: Range<usize>) -> Self {
        let mut hashes = [FNV_OFFSET; RUN_MAX];
        let words = text.language_words();
        let end = |token: usize| {
            hashes = [FNV_OFFSET, hashes[0], hashes[1]];
            let mut take_up = |byte: u8| hashes = hashes.map(|hash| fnv1a(hash, &[byte]));
            form(text, token).bytes().for_each(&mut take_up);
            take_up(b' ');
            RunEnd {
                role: words.role(text.tokens()[token].fingerprint),
                hashes,
            }
        };
        Self {
            text,
            ends: scope.clone().map(end).collect(),
            scope,
        }
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

    /// Calls `each` with the key and the tokens of every run of up to [`RUN_MAX`] words, and of every negated word. A
    /// run does not cross a dividing mark. The last argument is whether the whole run is negated: `on time` in `never
    /// on time` identifies the aspect, but not the polarity.
    pub fn runs(&self, mut each: impl FnMut(u32, Range<usize>, bool)) {
        let mut negated = 0..0;
        let ending = self.text.language_words().negator_ending.as_str();
        let negates = |token: usize| !ending.is_empty() && form(self.text, token).ends_with(ending);
        for (at, start) in self.scope.clone().enumerate() {
            let role = self.ends[at].role;
            let mut is_turned = false;
            if role.negation == Negation::Ends {
                negated = 0..0;
            } else if role.negation == Negation::Begins || negates(start) {
                negated = start + 1..start + 1 + NEGATED_MAX;
            } else if negated.contains(&start) && !self.text.has_shape(start, Capitalisation::Mark)
            {
                // Only words are negated: the exclamation mark in `not good!` and a thumb emoji keep their meaning.
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
    use super::{LABELS, Model, SentencePart, lexicon_figures};
    use crate::insights::Language;
    use crate::insights::text::TokenizedText;

    fn parts(sentence: &str) -> Vec<SentencePart> {
        let text = TokenizedText::new(sentence);
        let model = Model::built_in(Language::English);
        model.classify(&text, 0..text.tokens().len()).parts
    }

    #[test]
    fn the_weights_of_both_languages_are_read() {
        for (language, aspects) in [(Language::English, 45), (Language::Spanish, 0)] {
            let model = Model::built_in(language);
            assert_eq!(model.head(LABELS[0]), Some(aspects), "{language}");
        }
        for wrong in [&b""[..], b"RNG2", b"RNG3\x01", b"RNG3\x00"] {
            assert!(Model::parse(wrong).is_none(), "{wrong:?}");
        }
        let cut = &super::ENGLISH[..super::ENGLISH.len() - 1];
        assert!(Model::parse(cut).is_none());
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
        let model = Model::built_in(Language::English);
        let scores = model.classify(&text, 0..text.tokens().len());
        let head = model.head("price").unwrap();
        let run = scores.strongest(&(0..text.tokens().len()), head).unwrap();
        assert!(text.words(run).contains("price"));
        assert_eq!(scores.strongest(&(0..0), head), None);
    }

    #[test]
    fn the_lexicon_counts_praise_and_blame_after_inversion() {
        let figures = |text: &str| {
            let text = TokenizedText::new(text);
            lexicon_figures(&text, 0..text.tokens().len())
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
