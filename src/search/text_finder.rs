//! A query prepared to be found in many texts. Separate from the scan because pages use it to highlight matches.

use std::ops::Range;

use memchr::memmem::Finder;

use crate::model::{ReviewFilter, fold, is_of_word};

pub struct TextFinder<'a> {
    whole: Finder<'a>,
    /// Longest first; empty if only the whole query matches.
    stems: Vec<Finder<'a>>,
    /// Whether single words are highlighted.
    is_by_words: bool,
}

impl<'a> TextFinder<'a> {
    /// `None` if the filter has no query.
    #[must_use]
    pub fn new(filter: &'a ReviewFilter) -> Option<Self> {
        Some(Self {
            whole: Finder::new(filter.query.as_ref()?),
            stems: filter.stems().iter().map(Finder::new).collect(),
            is_by_words: filter.asks_words(),
        })
    }

    /// A necessary part of every match: the longest stem, which the whole query also contains, or else the query.
    #[must_use]
    pub fn first(&self) -> &Finder<'a> {
        self.stems.first().unwrap_or(&self.whole)
    }

    /// Whether a folded text that contains [`Self::first`] matches.
    #[must_use]
    pub fn takes_also(&self, folded: &[u8]) -> bool {
        self.stems.is_empty() || self.takes(folded)
    }

    #[must_use]
    pub fn takes(&self, folded: &[u8]) -> bool {
        let begins_words = |stem: &Finder<'_>| {
            stem.find_iter(folded)
                .any(|start| begins_word(folded, start))
        };
        let has_words = !self.stems.is_empty() && self.stems.iter().all(begins_words);
        has_words || self.whole.find(folded).is_some()
    }

    /// The matches in `text`, ascending and disjoint: whole words if words are searched, and the query itself, except
    /// single letters, which are everywhere.
    #[must_use]
    pub fn found_in(&self, text: &str) -> Vec<Range<usize>> {
        let folded = fold(text);
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
        for stem in self.stems.iter().filter(is_shown) {
            let starts = stem.find_iter(folded.as_bytes());
            let starts = starts.filter(|start| begins_word(folded.as_bytes(), *start));
            found.extend(starts.map(|start| start..start + length(start)));
        }
        if self.is_by_words {
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
        unfolded(text, &folded, apart)
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

/// Maps ranges in `folded` to `text`; both have the same number of characters.
fn unfolded(text: &str, folded: &str, ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    if text.is_ascii() || ranges.is_empty() {
        return ranges;
    }
    let (starts, ends) = (text.char_indices(), [text.len()]);
    let of_text = starts.map(|(start, _)| start).chain(ends);
    let of_folded = folded.char_indices().map(|(start, _)| start);
    let mut pairs = of_folded.chain([folded.len()]).zip(of_text);
    // Both bounds ascend from range to range.
    let mut at = |bound: usize| {
        let pair = pairs.find(|(folded, _)| *folded == bound);
        pair.map(|(_, text)| text)
    };
    let mut unfolded = Vec::new();
    for range in ranges {
        if let (Some(start), Some(end)) = (at(range.start), at(range.end)) {
            unfolded.push(start..end);
        }
    }
    unfolded
}

#[cfg(test)]
mod tests {
    use super::TextFinder;
    use crate::model::{ReviewFilter, SearchArguments, TextMatch};

    /// `text` with the matches of `query` in brackets.
    fn marked(query: &str, text_match: TextMatch, text: &str) -> String {
        let filter = ReviewFilter::new(&SearchArguments {
            query: Some(query.to_owned()),
            text_match,
            ..SearchArguments::default()
        });
        let found = TextFinder::new(&filter).unwrap().found_in(text);
        let mut marked = text.to_owned();
        for range in found.into_iter().rev() {
            let replaced = format!("[{}]", &text[range.clone()]);
            marked.replace_range(range, &replaced);
        }
        marked
    }

    #[test]
    fn what_was_found_is_shown_where_it_stands_in_the_text() {
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
    }
}
