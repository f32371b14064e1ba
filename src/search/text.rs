//! How a query matches a text: as it is, or by its words, which are runs of letters and digits without plural endings; and
//! where in the text.

use std::cmp::Reverse;
use std::ops::Range;

use memchr::memmem::Finder;

use crate::insights::words::singular;
use crate::model::{FoldedText, fold, fold_plain_character, fold_plainly, named};

named! {
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub enum TextMatch {
        /// The query as it is, anywhere.
        #[default]
        Substring = "substring",
        /// Each word of the query at the start of a word, in any order; or the whole query anywhere.
        Words = "words",
    }
}

/// Minimum number of letters of a word without its plural ending: `gas` is none.
const SINGULAR_MIN: usize = 3;

/// A word of a query without its plural ending, and what may follow it: `y` and `ies` are endings of one word.
type QueryWord = (Finder<'static>, &'static [&'static str]);

/// The text that reviews must contain.
#[derive(Debug, Clone)]
pub struct TextQuery {
    text_match: TextMatch,
    /// Must occur in the text, unless all of `words` do. Folded, plainly if words are searched.
    whole: Finder<'static>,
    /// Each must begin a word of the text. Empty if only the whole query counts, as of one without a word.
    words: Vec<QueryWord>,
}

impl TextQuery {
    pub fn new(query: &str, text_match: TextMatch) -> Self {
        let (whole, words) = match text_match {
            TextMatch::Substring => (fold(query), Vec::new()),
            TextMatch::Words => {
                let whole = fold_plainly(query);
                let words = query_words(&whole);
                (whole, words)
            }
        };
        Self {
            text_match,
            whole: finder(&whole),
            words,
        }
    }

    /// Texts that every match contains, as it is compared; the whole query contains the words, too.
    pub fn parts(&self) -> Vec<&str> {
        let parts: Vec<&Finder<'_>> = if self.words.is_empty() {
            vec![&self.whole]
        } else {
            self.words.iter().map(|(start, _)| start).collect()
        };
        let texts = parts.into_iter();
        // They were made of texts.
        texts
            .filter_map(|part| str::from_utf8(part.needle()).ok())
            .collect()
    }

    pub fn is_in(&self, text: FoldedText<'_>) -> bool {
        let text = match self.text_match {
            TextMatch::Substring => text.folded,
            TextMatch::Words => text.plain,
        };
        let text = text.as_bytes();
        let mut words = self.words.iter();
        let has_words = !self.words.is_empty()
            && words.all(|word| starts_of_words(word, text).next().is_some());
        has_words || self.whole.find(text).is_some()
    }

    /// The matches in a composed `text`, ascending and disjoint: whole words if words are searched, and the query itself,
    /// except single letters, which are everywhere.
    pub fn found_in(&self, text: &str) -> Vec<Range<usize>> {
        let (folded, starts) = self.fold(text);
        let is_shown = |finder: &&Finder<'_>| finder.needle().len() > 1;
        let mut found: Vec<Range<usize>> = Vec::new();
        for whole in [&self.whole].into_iter().filter(is_shown) {
            let starts = whole.find_iter(folded.as_bytes());
            found.extend(starts.map(|start| start..start + whole.needle().len()));
        }
        for word in self.words.iter().filter(|(finder, _)| is_shown(&finder)) {
            let starts = starts_of_words(word, folded.as_bytes());
            found.extend(starts.map(|start| start..start + word.0.needle().len()));
        }
        if self.text_match == TextMatch::Words {
            for range in &mut found {
                let mut rest = folded[range.end..].char_indices();
                let end = rest.find(|(_, character)| !character.is_alphanumeric());
                range.end = end.map_or(folded.len(), |(at, _)| range.end + at);
            }
        }
        found.sort_unstable_by_key(|range| (range.start, range.end));
        let mut apart: Vec<Range<usize>> = Vec::new();
        for range in found {
            match apart.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => apart.push(range),
            }
        }
        let in_text = |at: usize| {
            let character = starts.partition_point(|(start, _)| *start < at);
            starts
                .get(character)
                .map_or(text.len(), |(_, start)| *start)
        };
        let ranges = apart.into_iter();
        ranges
            .map(|range| in_text(range.start)..in_text(range.end))
            .collect()
    }

    /// The text as queries compare it, with the start of each of its characters there and in `text`.
    fn fold(&self, text: &str) -> (String, Vec<(usize, usize)>) {
        let (mut folded, mut starts) = (String::with_capacity(text.len()), Vec::new());
        for (at, character) in text.char_indices() {
            let before = folded.len();
            match self.text_match {
                TextMatch::Substring => folded.push_str(&fold(character.encode_utf8(&mut [0; 4]))),
                TextMatch::Words => folded.extend(fold_plain_character(character)),
            }
            if folded.len() > before {
                starts.push((before, at));
            }
        }
        (folded, starts)
    }
}

fn finder(text: &str) -> Finder<'static> {
    Finder::new(text).into_owned()
}

/// The words of a folded query, longest first.
fn query_words(folded: &str) -> Vec<QueryWord> {
    let words = folded.split(|character: char| !character.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    let mut words: Vec<QueryWord> = words.map(query_word).collect();
    words.sort_by_key(|(start, _)| Reverse(start.needle().len()));
    words
}

fn query_word(word: &str) -> QueryWord {
    const ANY_ENDING: &[&str] = &[""];
    const VOWELS: [char; 5] = ['a', 'e', 'i', 'o', 'u'];
    let singular = singular(word);
    match singular.strip_suffix('y') {
        Some(stem) if stem.len() >= SINGULAR_MIN && !stem.ends_with(VOWELS) => {
            // `ies` is also the plural of `ie`: cookies.
            (finder(stem), &["y", "ie"])
        }
        _ if singular.len() < SINGULAR_MIN => (finder(word), ANY_ENDING),
        _ => (finder(&singular), ANY_ENDING),
    }
}

/// Where words of a folded text begin with the word and one of its endings.
fn starts_of_words<'t>(
    (finder, endings): &'t QueryWord,
    text: &'t [u8],
) -> impl Iterator<Item = usize> {
    finder.find_iter(text).filter(|start| {
        let rest = &text[start + finder.needle().len()..];
        begins_word(text, *start) && endings.iter().any(|one| rest.starts_with(one.as_bytes()))
    })
}

/// Whether a word starts at `start`.
fn begins_word(folded: &[u8], start: usize) -> bool {
    let before = &folded[start.saturating_sub(4)..start];
    match before.last() {
        None => true,
        Some(last) if last.is_ascii() => !last.is_ascii_alphanumeric(),
        // A UTF-8 character has at most four bytes and starts at the last byte that is not a continuation.
        Some(_) => {
            let first = before
                .iter()
                .rposition(|byte| byte & 0b1100_0000 != 0b1000_0000);
            let last = first.and_then(|first| str::from_utf8(&before[first..]).ok());
            !last
                .and_then(|text| text.chars().next())
                .is_some_and(char::is_alphanumeric)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{TextMatch, TextQuery};

    /// `text` with the matches of `query` in brackets.
    fn marked(query: &str, text_match: TextMatch, text: &str) -> String {
        let found = TextQuery::new(query, text_match).found_in(text);
        let mut marked = text.to_owned();
        for range in found.into_iter().rev() {
            let replaced = format!("[{}]", &text[range.clone()]);
            marked.replace_range(range, &replaced);
        }
        marked
    }

    #[test]
    fn matches_are_marked_in_the_text_as_written() {
        for (query, text_match, expected) in [
            (
                "leak",
                TextMatch::Substring,
                "A [LEAK], [leak]s; no b[leak] \u{212A}.",
            ),
            (
                "leaks",
                TextMatch::Words,
                "A [LEAK], [leaks]; no bleak \u{212A}.",
            ),
            (
                "leak k",
                TextMatch::Words,
                "A [LEAK], [leaks]; no b[leak \u{212A}].",
            ),
            ("a", TextMatch::Words, "A LEAK, leaks; no bleak \u{212A}."),
            (
                "a leak",
                TextMatch::Words,
                "[A LEAK], [leaks]; no bleak \u{212A}.",
            ),
            (
                "no b",
                TextMatch::Words,
                "A LEAK, leaks; [no bleak] \u{212A}.",
            ),
        ] {
            let text = "A LEAK, leaks; no bleak \u{212A}.";
            assert_eq!(marked(query, text_match, text), expected, "{query}");
        }
        assert_eq!(
            marked("stra\u{1e9e}e", TextMatch::Words, "Die Straßen, ẞ"),
            "Die [Straßen], ẞ"
        );
        assert_eq!(
            marked(
                "tuberia dont",
                TextMatch::Words,
                "Tubería, x\u{302} don\u{2019}t"
            ),
            "[Tubería], x\u{302} don\u{2019}t"
        );
    }
}
