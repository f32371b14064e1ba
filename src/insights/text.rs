//! Splits the text of a review into words, numbers and marks, by typography only, and into sentences. Comparisons use
//! normalised words; every token keeps its position in the original, so that findings can be shown in the customer's
//! words.

use std::ops::Range;

use super::analysis::TextSpan;
use super::words::{Fingerprint, LanguageWords, WordSet};
use crate::model::FNV_OFFSET;

/// How a token is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capitalisation {
    /// No upper-case letters: `great`, `don't`
    Lower,
    /// Only the first letter is upper case: `Great`, `I`
    Capitalised,
    /// `AC`, `NOT`: two or more letters, all upper case
    Upper,
    /// Any other mixture of cases: `DeShawn`
    Mixed,
    /// Begins with a digit: `24`, `7:30`, `2,400`, `5th`
    Number,
    /// Any other character as a token of its own; a repeated character is one token: `.`, `!!!`, `$`, an emoji
    Mark,
}

/// A word, a number or a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// Position in the original text.
    pub span: TextSpan,
    pub shape: Capitalisation,
    /// Whether white space, a hyphen or the beginning of the text precedes it.
    pub is_apart: bool,
    /// Whether it begins a line.
    pub begins_line: bool,
    /// Fingerprint of the normalised token, which is the key of all word tables.
    pub fingerprint: u64,
    start: u32,
    end: u32,
}

impl Token {
    /// Whether it is neither a number nor a mark.
    pub const fn is_word(&self) -> bool {
        !matches!(self.shape, Capitalisation::Number | Capitalisation::Mark)
    }

    /// Whether it is a word with a capital letter.
    pub fn is_capital(&self) -> bool {
        self.is_word() && self.shape != Capitalisation::Lower
    }
}

/// The fingerprint of a hidden word, which is empty.
const HIDDEN: u64 = FNV_OFFSET;

/// A text with its tokens and sentences.
#[derive(Debug, Clone)]
pub struct TokenizedText {
    /// The normalised tokens, separated by spaces.
    normal: String,
    tokens: Vec<Token>,
    sentences: Vec<Range<usize>>,
}

impl TokenizedText {
    pub fn new(original: &str) -> Self {
        let (normal, tokens) = tokens(original);
        let mut text = Self {
            normal,
            tokens,
            sentences: Vec::new(),
        };
        text.sentences = sentences(&text);
        text
    }

    pub fn is_among(&self, token: usize, words: &WordSet) -> bool {
        let token = self.tokens.get(token);
        token.is_some_and(|token| words.contains(token.fingerprint))
    }

    /// Whether the token has this shape; false if there is no such token.
    pub fn has_shape(&self, token: usize, shape: Capitalisation) -> bool {
        let token = self.tokens.get(token);
        token.is_some_and(|token| token.shape == shape)
    }

    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// The sentences as ranges of tokens, in order and never empty; together they contain all tokens.
    pub fn sentences(&self) -> &[Range<usize>] {
        &self.sentences
    }

    /// The positions of the sentences in the original.
    pub fn sentence_spans(&self) -> impl Iterator<Item = TextSpan> {
        let sentences = self.sentences.iter();
        sentences.map(|tokens| self.span(tokens.clone()))
    }

    /// The normalised token: lower case, straight apostrophes, `a/c` and `A.C.` as `ac`.
    pub fn word(&self, token: usize) -> &str {
        self.words(token..token + 1)
    }

    /// The normalised tokens, separated by spaces; none of them is hidden.
    pub fn words(&self, tokens: Range<usize>) -> &str {
        match &self.tokens[tokens] {
            [] => "",
            [first, .., last] | [first @ last] => {
                &self.normal[first.start as usize..last.end as usize]
            }
        }
    }

    /// Hides a name, whose words are these fingerprints: `Best` in the name of a business is no praise. A name in lower case
    /// is none, and neither is a single word that begins a sentence.
    pub fn hide(&mut self, name: &[u64]) {
        let begins: Vec<usize> = self.sentences.iter().map(|one| one.start).collect();
        for at in 0..self.tokens.len() {
            let Some(words) = self.tokens.get_mut(at..at + name.len()) else {
                return;
            };
            let is_free = name.len() > 1 || begins.binary_search(&at).is_err();
            let fingerprints = words.iter().map(|word| word.fingerprint);
            let is_name = fingerprints.eq(name.iter().copied());
            if is_free && is_name && words.iter().any(Token::is_capital) {
                for word in words {
                    (word.start, word.fingerprint) = (word.end, HIDDEN);
                }
            }
        }
    }

    /// Hides all of these words and numbers except those that divide the sentence.
    pub fn hide_words(&mut self, tokens: impl Iterator<Item = usize>) {
        let words = LanguageWords::english();
        for at in tokens {
            let token = &mut self.tokens[at];
            if token.shape != Capitalisation::Mark && !words.role(token.fingerprint).parts {
                (token.start, token.fingerprint) = (token.end, HIDDEN);
                token.shape = Capitalisation::Mark;
            }
        }
    }

    /// Reads these words as `stranger` if they begin what is judged: `the electrician`.
    pub fn estrange(&mut self, words: &WordSet) {
        for at in 1..self.tokens.len() {
            let determiner = self.word(at - 1);
            if self.is_among(at, words) && matches!(determiner, "the" | "a" | "an" | "my" | "our") {
                self.tokens[at].fingerprint = Fingerprint::of("stranger");
            }
        }
    }

    /// The tokens that begin within `span` of the original.
    pub fn tokens_in(&self, span: TextSpan) -> Range<usize> {
        let [start, end] = [span.start, span.end].map(|place| {
            self.tokens
                .partition_point(|token| token.span.start < place)
        });
        start..end
    }

    /// The position of a range of tokens in the original.
    pub fn span(&self, tokens: Range<usize>) -> TextSpan {
        let tokens = self.tokens.get(tokens).unwrap_or_default();
        TextSpan {
            start: tokens.first().map_or(0, |first| first.span.start),
            end: tokens.last().map_or(0, |last| last.span.end),
        }
    }
}

/// The normalised text of all tokens, and the tokens.
fn tokens(original: &str) -> (String, Vec<Token>) {
    let characters: Vec<char> = original.chars().map(plain).collect();
    let mut normal = String::with_capacity(original.len() + 8);
    let mut tokens = Vec::with_capacity(original.len() / 4);
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let (mut at, mut is_apart, mut begins_line) = (0, true, true);
    while let Some(&character) = characters.get(at) {
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
            continue;
        }
        let written = &rest[..len];
        normal.push(' ');
        let (from, shape) = (normal.len(), shape(written));
        // A mark's character represents a whole run of it; the separators of an acronym are left out.
        let is_mark = shape == Capitalisation::Mark;
        let spelled = if is_mark { &written[..1] } else { written };
        let spelled = spelled.iter();
        let spelled = spelled.filter(|one| !is_acronym || one.is_alphanumeric());
        spell(&mut normal, spelled);
        tokens.push(Token {
            span: TextSpan {
                start: place(at),
                end: place(at + len),
            },
            shape,
            is_apart,
            begins_line,
            fingerprint: Fingerprint::of(&normal[from..]),
            start: place(from),
            end: place(normal.len()),
        });
        (is_apart, begins_line) = (false, false);
        at += len;
    }
    (normal, tokens)
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

/// Appends the normalised characters of a token.
fn spell<'a>(normal: &mut String, characters: impl Iterator<Item = &'a char>) {
    for character in characters {
        if character.is_ascii() {
            normal.push(character.to_ascii_lowercase());
        } else {
            normal.extend(character.to_lowercase());
        }
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
    let run = characters.iter().take_while(|one| **one == first);
    run.count()
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

// The ends of sentences: a full stop ends one, except after an abbreviation or an initial.

/// Maximum number of tokens of a sentence; longer sentences are analysed in parts. Rules search a whole sentence, and a
/// text without sentence ends must not cost more than other texts of its length.
const SENTENCE_TOKENS_MAX: usize = 200;
/// Maximum distance in tokens between the maximum length of a part and the mark where it ends, so that phrases stay
/// together.
const PART_MARKS_WITHIN: usize = 60;
/// Marks that may follow the end of a sentence and still belong to it.
const CLOSING: [&str; 4] = ["\"", ")", "'", "]"];

/// The sentences as ranges of tokens.
fn sentences(text: &TokenizedText) -> Vec<Range<usize>> {
    let len = text.tokens().len();
    let mut sentences = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < len {
        if text.tokens()[at].begins_line && at > start {
            push(text, start..at, &mut sentences);
            start = at;
        }
        at += 1;
        if ends(text, at - 1, start) {
            while at < len
                && (CLOSING.contains(&text.word(at)) && !text.tokens()[at].is_apart
                    || is_end_mark(text.word(at)))
            {
                at += 1;
            }
            push(text, start..at, &mut sentences);
            start = at;
        }
    }
    if start < len {
        push(text, start..len, &mut sentences);
    }
    sentences
}

/// Adds a sentence, in parts if it is too long.
fn push(text: &TokenizedText, mut sentence: Range<usize>, sentences: &mut Vec<Range<usize>>) {
    while sentence.len() > SENTENCE_TOKENS_MAX {
        let most = sentence.start + SENTENCE_TOKENS_MAX;
        let mark = (most - PART_MARKS_WITHIN..most)
            .rev()
            .find(|at| matches!(text.word(*at), "," | ";" | ":" | "." | "\u{2014}" | ")"));
        let end = mark.map_or(most, |mark| mark + 1);
        sentences.push(sentence.start..end);
        sentence.start = end;
    }
    sentences.push(sentence);
}

fn is_end_mark(word: &str) -> bool {
    matches!(word, "." | "!" | "?" | "\u{2026}")
}

/// Whether the sentence that began at `start` ends with the token at `at`.
fn ends(text: &TokenizedText, at: usize, start: usize) -> bool {
    let token = &text.tokens()[at];
    if token.shape != Capitalisation::Mark || !is_end_mark(text.word(at)) {
        return false;
    }
    let next = text.tokens().get(at + 1);
    let goes_on_small = text.has_shape(at + 1, Capitalisation::Lower);
    let is_run = token.span.end - token.span.start > 1;
    match text.word(at) {
        "." if is_run => !goes_on_small,
        "." => {
            let words = LanguageWords::english();
            let is_behind = |words| at > start && text.is_among(at - 1, words);
            let abbreviates = is_behind(&words.abbreviations)
                || goes_on_small && is_behind(&words.soft_abbreviations);
            // In `Mike S. came` the letter is an initial; but `we called I.` ends the sentence.
            let is_initial = at > start
                && text.word(at - 1).chars().count() == 1
                && !is_behind(&words.no_initials)
                && text.has_shape(at - 1, Capitalisation::Capitalised)
                && (goes_on_small
                    || text.has_shape(at + 1, Capitalisation::Capitalised) && at - 1 == start);
            let is_number = text.has_shape(at + 1, Capitalisation::Number);
            let is_inside = (goes_on_small || is_number) && next.is_some_and(|next| !next.is_apart);
            !(abbreviates && next.is_some() || is_initial || is_inside)
        }
        "\u{2026}" => !goes_on_small,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::{Capitalisation, Fingerprint, TokenizedText};

    fn words(original: &str) -> Vec<String> {
        let text = TokenizedText::new(original);
        (0..text.tokens().len())
            .map(|token| text.word(token).to_owned())
            .collect()
    }

    fn sentences(original: &str) -> Vec<String> {
        let text = TokenizedText::new(original);
        let characters: Vec<char> = original.chars().collect();
        let cut = |range: &std::ops::Range<usize>| {
            let span = text.span(range.clone());
            characters[span.start as usize..span.end as usize]
                .iter()
                .collect()
        };
        text.sentences().iter().map(cut).collect()
    }

    #[test]
    fn words_are_lower_case_with_plain_apostrophes_and_acronyms() {
        assert_eq!(
            words("Didn\u{2019}t the A/C, a.c. or H.V.A.C. work?"),
            ["didn't", "the", "ac", ",", "ac", "or", "hvac", "work", "?"]
        );
        assert_eq!(
            words("tune-up at 7:30 p.m. for $2,400.50!!!"),
            [
                "tune", "up", "at", "7:30", "pm", "for", "$", "2,400.50", "!"
            ]
        );
    }

    #[test]
    fn a_hidden_name_has_no_words_where_it_is_a_name() {
        let name: Vec<u64> = ["best", "pipes"].map(Fingerprint::of).to_vec();
        let hidden = |original: &str, name: &[u64]| {
            let mut text = TokenizedText::new(original);
            text.hide(name);
            let words: Vec<&str> = (0..text.tokens().len()).map(|at| text.word(at)).collect();
            words.join(" ")
        };
        assert_eq!(hidden("We called Best Pipes.", &name), "we called   .");
        assert_eq!(hidden("The best pipes.", &name), "the best pipes .");
        assert_eq!(
            hidden("Best job. Best did it.", &name[..1]),
            "best job . best did it ."
        );
        assert_eq!(hidden("So Best did it.", &name[..1]), "so  did it .");
    }

    #[test]
    fn token_spans_are_code_points_of_the_original_text() {
        let original = "😀 Él fixed the A/C — “great”…";
        let text = TokenizedText::new(original);
        let characters: Vec<char> = original.chars().collect();
        let cut: Vec<String> = text
            .tokens()
            .iter()
            .map(|token| {
                characters[token.span.start as usize..token.span.end as usize]
                    .iter()
                    .collect()
            })
            .collect();
        assert_eq!(
            cut,
            [
                "😀", "Él", "fixed", "the", "A/C", "—", "“", "great", "”", "…"
            ]
        );
    }

    #[test]
    fn abbreviations_initials_and_sums_do_not_end_a_sentence() {
        for text in [
            "Mr. Hale came at 9 a.m. sharp.|Mike S. fixed it (again) for us!|Great...really great.|No leak?",
            "The seats etc. were fine.|They took $75 .00 of it, ex. the tax.|Bye etc.|Then we left.",
        ] {
            let expected: Vec<&str> = text.split('|').collect();
            assert_eq!(sentences(&text.replace('|', " ")), expected);
        }
    }

    #[test]
    fn sentences_hold_all_tokens_in_order_whatever_the_text() {
        for original in [
            "",
            " \n ",
            "...",
            "one\n\ntwo",
            "a. b. c.",
            "!?!?",
            "Ok.Next one. x",
        ] {
            let text = TokenizedText::new(original);
            let mut at = 0;
            for sentence in text.sentences() {
                assert_eq!(sentence.start, at, "{original:?}");
                assert!(sentence.end > at, "{original:?}");
                at = sentence.end;
            }
            assert_eq!(at, text.tokens().len(), "{original:?}");
        }
    }

    #[test]
    fn the_capitalisation_of_each_word_is_detected() {
        let text = TokenizedText::new("AC DeShawn Will it 24/7 I AC's");
        let shapes: Vec<Capitalisation> = text.tokens().iter().map(|token| token.shape).collect();
        assert_eq!(
            shapes,
            [
                Capitalisation::Upper,
                Capitalisation::Mixed,
                Capitalisation::Capitalised,
                Capitalisation::Lower,
                Capitalisation::Number,
                Capitalisation::Mark,
                Capitalisation::Number,
                Capitalisation::Capitalised,
                Capitalisation::Upper
            ]
        );
    }
}
