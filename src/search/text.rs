//! Finds a query in texts, and shows where it is: pages highlight matches by what finds them.

use std::ops::Range;

use memchr::memmem::Finder;

use crate::model::{FoldedText, TextMatch, TextQuery, fold, fold_plain_character, is_of_word};

/// A query prepared to be found in many texts.
pub struct TextFinder<'a> {
    text_match: TextMatch,
    whole: Finder<'a>,
    /// The forms of each word; empty if only the whole query matches.
    words: Vec<Vec<Finder<'a>>>,
}

impl<'a> TextFinder<'a> {
    pub fn new(query: &'a TextQuery) -> Self {
        Self {
            text_match: query.text_match,
            whole: Finder::new(&query.whole),
            words: query
                .words
                .iter()
                .map(|word| word.iter().map(Finder::new).collect())
                .collect(),
        }
    }

    pub fn is_in(&self, text: FoldedText<'_>) -> bool {
        let text = match self.text_match {
            TextMatch::Substring => text.folded,
            TextMatch::Words => text.plain,
        };
        let text = text.as_bytes();
        let begins_words =
            |form: &Finder<'_>| form.find_iter(text).any(|start| begins_word(text, start));
        let has_word = |word: &Vec<Finder<'_>>| word.iter().any(begins_words);
        let has_words = !self.words.is_empty() && self.words.iter().all(has_word);
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
        let length = |start: usize| {
            let rest = &folded[start..];
            rest.find(|character| !is_of_word(character))
                .unwrap_or(rest.len())
        };
        for form in self.words.iter().flatten().filter(is_shown) {
            let starts = form.find_iter(folded.as_bytes());
            let starts = starts.filter(|start| begins_word(folded.as_bytes(), *start));
            found.extend(starts.map(|start| start..start + length(start)));
        }
        if self.text_match == TextMatch::Words {
            for range in &mut found {
                range.end += length(range.end);
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
                .is_some_and(is_of_word)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TextFinder;
    use crate::model::{PluralEndings, TextMatch};
    use crate::search::{ReviewFilter, SearchParameters};

    /// `text` with the matches of `query` in brackets.
    fn marked(query: &str, text_match: TextMatch, text: &str) -> String {
        let filter = ReviewFilter::new(
            &SearchParameters {
                query: Some(query.to_owned()),
                text_match: Some(text_match),
                ..SearchParameters::default()
            },
            PluralEndings::default(),
        );
        let found = TextFinder::new(filter.text.as_ref().unwrap()).found_in(text);
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
