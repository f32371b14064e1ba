//! Finds a filter's reviews in one segment, and its query in a text: pages highlight matches by what finds them.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use memchr::memmem::Finder;

use crate::insights::Trade;
use crate::model::{RatingCounts, ReviewFilter, fold, is_of_word};
use crate::snapshot::Postings;
use crate::snapshot::segment::Segment;
use crate::snapshot::segment::{FoldedValue, ValueColumn};

/// Reviews are checked individually if at most one in this many qualifies: finding the text in one costs as much as
/// searching about eight in one pass.
const FEW_OF: u64 = 8;

/// A filter prepared for use with many segments.
pub struct SegmentScan<'a> {
    filter: &'a ReviewFilter,
    finder: Option<TextFinder<'a>>,
    trade: &'a Trade,
    /// The index in the trade of the filter's aspect.
    aspect: Option<u8>,
}

/// A set of ratings: bit `n - 1` is n stars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StarSet(pub u8);

impl StarSet {
    /// `stars` is 1 to 5.
    pub const fn has(self, stars: u8) -> bool {
        self.0 & (1 << (stars - 1)) != 0
    }

    /// The number of reviews with these ratings.
    pub fn count(self, rating_counts: &RatingCounts) -> u64 {
        (1..=5)
            .zip(rating_counts.by_stars())
            .filter(|(stars, _)| self.has(*stars))
            .map(|(_, count)| count)
            .sum()
    }
}

impl<'a> SegmentScan<'a> {
    /// Prepares `filter` once for all segments; an aspect that is not in `trade` matches nothing.
    pub fn new(filter: &'a ReviewFilter, trade: &'a Trade) -> Self {
        let aspect = filter.aspect.as_ref().and_then(|id| trade.aspect(id));
        Self {
            filter,
            finder: TextFinder::new(filter),
            trade,
            aspect: aspect.and_then(|at| u8::try_from(at).ok()),
        }
    }

    /// Whether every review within the dates matches.
    pub fn takes_all(&self) -> bool {
        self.finder.is_none()
            && !self.filter.asks_stars()
            && !self.filter.asks_traits()
            && !self.asks_mentions()
    }

    /// Whether the filter has mentions, an aspect, a language or a source.
    fn asks_mentions(&self) -> bool {
        let filter = self.filter;
        [
            &filter.technician,
            &filter.service,
            &filter.language,
            &filter.source,
            &filter.aspect,
        ]
        .into_iter()
        .any(Option::is_some)
    }

    /// Whether the segment's counts allow a match.
    pub fn may_hold(&self, segment: &Segment) -> bool {
        !self.filter.asks_stars()
            || (1..=5)
                .zip(segment.rating_counts().by_stars())
                .any(|(stars, count)| count > 0 && self.filter.takes_stars(stars))
    }

    pub fn takes_one(&self, segment: &Segment, index: usize) -> bool {
        let holds = |positions: &Cow<'_, [u32]>| {
            positions
                .binary_search(&u32::try_from(index).unwrap_or(u32::MAX))
                .is_ok()
        };
        self.takes(segment, index)
            && (!self.asks_mentions()
                || self
                    .mentioned(segment)
                    .is_some_and(|mentioned| mentioned.iter().all(holds)))
    }

    /// Calls `hit` for every match in `range`, ascending, until it breaks.
    pub fn each(
        &self,
        segment: &Segment,
        range: Range<usize>,
        hit: &mut impl FnMut(usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(mentioned) = self.mentioned(segment) else {
            return ControlFlow::Continue(());
        };
        match (&self.finder, mentioned.first()) {
            // The filter has only a text, or a text and stars.
            (Some(finder), None) => each_text(segment, range, finder.first(), &mut |index| {
                if self.takes_columns(segment, index)
                    && finder.takes_also(segment.folded_text(index))
                {
                    hit(index)
                } else {
                    ControlFlow::Continue(())
                }
            }),
            (_, Some(fewest)) => {
                let rest = &mentioned[1..];
                for position in fewest
                    .iter()
                    .filter(|position| range.contains(&(**position as usize)))
                {
                    let index = *position as usize;
                    if rest
                        .iter()
                        .all(|positions| positions.binary_search(position).is_ok())
                        && self.takes(segment, index)
                    {
                        hit(index)?;
                    }
                }
                ControlFlow::Continue(())
            }
            (None, None) => {
                for index in range {
                    if self.takes_columns(segment, index) {
                        hit(index)?;
                    }
                }
                ControlFlow::Continue(())
            }
        }
    }

    /// Like [`Self::each`], for reviews with `stars`; if they are few, each is checked individually, without a search
    /// of the other texts.
    pub fn each_of(
        &self,
        segment: &Segment,
        range: Range<usize>,
        stars: StarSet,
        hit: &mut impl FnMut(usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let count = stars.count(segment.rating_counts());
        if count == 0 {
            return ControlFlow::Continue(());
        }
        let is_of = |index: usize| stars.has(segment.stars()[index]);
        if self.asks_mentions() || count * FEW_OF > segment.len() as u64 {
            return self.each(segment, range, &mut |index| {
                if is_of(index) {
                    hit(index)
                } else {
                    ControlFlow::Continue(())
                }
            });
        }
        for index in range {
            if is_of(index) && self.takes(segment, index) {
                hit(index)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// The positions of each required mention in the segment, shortest list first; `None` if one is missing.
    fn mentioned<'b>(&self, segment: &'b Segment) -> Option<Vec<Cow<'b, [u32]>>> {
        let (filter, mut mentioned) = (self.filter, Vec::new());
        for (column, asked) in [
            (ValueColumn::Technicians, &filter.technician),
            (ValueColumn::Services, &filter.service),
            (ValueColumn::Languages, &filter.language),
            (ValueColumn::Sources, &filter.source),
        ] {
            if let Some(asked) = asked {
                // A service is given by its ID, the others by their folded names.
                let is_meant = |mention: &FoldedValue| {
                    if column == ValueColumn::Services {
                        mention.value == *asked
                    } else {
                        mention.folded == *asked
                    }
                };
                mentioned.push(positions(segment.postings(column), is_meant)?);
            }
        }
        if self.filter.aspect.is_some() {
            mentioned.push(self.spoken_of(segment)?);
        }
        mentioned.sort_by_key(|positions| positions.len());
        Some(mentioned)
    }

    /// The positions of reviews with the required opinion; `None` if there are none.
    fn spoken_of<'b>(&self, segment: &'b Segment) -> Option<Cow<'b, [u32]>> {
        let (opinions, aspect) = (segment.opinions(self.trade.aspects.len()), self.aspect?);
        let positions = match self.filter.vote {
            None => Cow::Borrowed(opinions.positions(aspect)),
            Some(vote) => Cow::Owned(opinions.positions_of(aspect, vote).collect()),
        };
        (!positions.is_empty()).then_some(positions)
    }

    fn takes_columns(&self, segment: &Segment, index: usize) -> bool {
        self.filter.takes_stars(segment.stars()[index])
            && self.filter.takes_traits(segment.traits()[index])
    }

    fn takes(&self, segment: &Segment, index: usize) -> bool {
        self.takes_columns(segment, index)
            && self
                .finder
                .as_ref()
                .is_none_or(|finder| finder.takes(segment.folded_text(index)))
    }
}

/// Calls `hit` for every index in `range` whose folded text contains the needle of `finder`, ascending, until it
/// breaks: one pass over all texts.
fn each_text(
    segment: &Segment,
    range: Range<usize>,
    finder: &Finder<'_>,
    hit: &mut impl FnMut(usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let Some(last) = range.end.checked_sub(1) else {
        return ControlFlow::Continue(());
    };
    let texts = &segment.folded()[..segment.folded_bounds(last).1];
    let (mut index, mut at) = (range.start, segment.folded_bounds(range.start).0);
    while let Some(found) = finder.find(&texts[at..]) {
        index = segment.review_at(at + found, index);
        hit(index)?;
        at = segment.folded_bounds(index).1;
        index += 1;
        if index > last {
            break;
        }
    }
    ControlFlow::Continue(())
}

/// The union of positions of all matching values (two spellings of a name may fold to one); `None` if there is none.
fn positions(
    postings: &Postings,
    is_meant: impl Fn(&FoldedValue) -> bool,
) -> Option<Cow<'_, [u32]>> {
    let mut meant = postings
        .iter()
        .filter(|posting| is_meant(&posting.mention))
        .map(|posting| posting.positions.as_slice());
    let first = meant.next()?;
    let Some(second) = meant.next() else {
        return Some(Cow::Borrowed(first));
    };
    let mut united = [first, second].concat();
    meant.for_each(|positions| united.extend_from_slice(positions));
    united.sort_unstable();
    united.dedup();
    Some(Cow::Owned(united))
}

/// A query prepared to be found in many texts.
pub struct TextFinder<'a> {
    whole: Finder<'a>,
    /// Longest first; empty if only the whole query matches.
    stems: Vec<Finder<'a>>,
    /// Whether single words are highlighted.
    is_by_words: bool,
}

impl<'a> TextFinder<'a> {
    /// `None` if the filter has no query.
    pub fn new(filter: &'a ReviewFilter) -> Option<Self> {
        Some(Self {
            whole: Finder::new(filter.query.as_ref()?),
            stems: filter.stems().iter().map(Finder::new).collect(),
            is_by_words: filter.asks_words(),
        })
    }

    /// A necessary part of every match: the longest stem, which the whole query also contains, or else the query.
    pub fn first(&self) -> &Finder<'a> {
        self.stems.first().unwrap_or(&self.whole)
    }

    /// Whether a folded text that contains [`Self::first`] matches.
    pub fn takes_also(&self, folded: &[u8]) -> bool {
        self.stems.is_empty() || self.takes(folded)
    }

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
