//! The result of a search: a page and the total.
//!
//! A filter without a text is answered by sets alone. A text is first sought in the newest reviews that the filter left,
//! as long as these alone may have more matches than are counted. Then the rest follows: the candidates of the text
//! index, or all.

use roaring::RoaringBitmap;

use super::request::Cursor;
use super::select::{after, ordered, select};
use super::text::TextFinder;
use crate::model::ReviewFilter;
use crate::snapshot::{Entries, Snapshot};

/// Counting the matches of a text stops at this number; a greater total is reported as "this many or more".
pub const TOTAL_MAX: u64 = 1_000;
/// So many reviews are read at most before the text index is asked, and so many of its candidates. A word that four of
/// five reviews have is counted without the index, and a rare one asks it after 250 reviews.
pub const READ_FIRST: usize = 1_250;
/// A page of at most this many reviews is rendered within about 100 µs; a longer one is rendered apart.
pub const SHORT_PAGE: usize = 20;

#[derive(Debug, Clone)]
pub struct ResultPage {
    /// Matches on all pages.
    pub total: u64,
    /// Whether the total is exact; otherwise counting stopped at its limit.
    pub is_exact: bool,
    /// The positions of the page's reviews in the snapshot.
    pub positions: Vec<usize>,
    /// The cursor of the next page, if there is one.
    pub next: Option<Cursor>,
    /// The cursor of the previous page, if there is one.
    pub previous: Option<Cursor>,
    /// Number of reviews that the text index left to be read, if it answered.
    pub candidates: Option<u64>,
}

/// Reviews that the text index gave, by their positions.
pub struct Candidates {
    pub positions: RoaringBitmap,
    /// Whether no other review can match.
    pub are_all: bool,
}

/// A search in progress.
pub struct Search<'a> {
    entries: &'a Entries,
    filter: &'a ReviewFilter,
    finder: Option<TextFinder<'a>>,
    /// The reviews that may match: those read first, and those that remain.
    selected: RoaringBitmap,
    /// Those that are not read yet.
    rest: RoaringBitmap,
    /// Those that match.
    matches: RoaringBitmap,
    candidates: Option<u64>,
}

impl<'a> Search<'a> {
    /// Reads the newest of the reviews that the filter leaves: all if these are at most `read_first`, otherwise so many
    /// while more than [`TOTAL_MAX`] of them may match.
    pub fn new(snapshot: &'a Snapshot, filter: &'a ReviewFilter, read_first: usize) -> Self {
        let entries = &snapshot.input.entries;
        let selected = select(entries, filter, snapshot.input.analyzer.trade());
        let mut search = Self {
            entries,
            filter,
            finder: filter.text.as_ref().map(TextFinder::new),
            rest: selected.clone(),
            selected,
            matches: RoaringBitmap::new(),
            candidates: None,
        };
        match search.finder {
            None => search.matches = std::mem::take(&mut search.rest),
            Some(_) => search.read_newest(read_first as u64),
        }
        search
    }

    fn read_newest(&mut self, read_first: u64) {
        let misses_max = if self.rest.len() <= read_first {
            u64::MAX
        } else {
            read_first.saturating_sub(TOTAL_MAX)
        };
        let newest = std::mem::take(&mut self.rest);
        let read = self.read(&newest, misses_max);
        self.rest = newest;
        self.rest.remove_smallest(read);
    }

    /// Reads these reviews in their order until the total exceeds [`TOTAL_MAX`], or more than `misses_max` do not match.
    /// Returns how many it read.
    fn read(&mut self, positions: &RoaringBitmap, misses_max: u64) -> u64 {
        let Some(finder) = &self.finder else {
            return 0;
        };
        let (mut read, mut misses) = (0, 0);
        for at in positions {
            if self.matches.len() > TOTAL_MAX || misses > misses_max {
                break;
            }
            read += 1;
            let entry = &self.entries[at as usize];
            if finder.is_in(&entry.review.text, &entry.text) {
                self.matches.insert(at);
            } else {
                misses += 1;
            }
        }
        read
    }

    /// The number of reviews that remain to be read; 0 if the total is known to exceed [`TOTAL_MAX`].
    pub fn remaining(&self) -> u64 {
        if self.matches.len() > TOTAL_MAX && self.finder.is_some() {
            0
        } else {
            self.rest.len()
        }
    }

    /// Leaves out the remaining reviews that are not candidates, if these are all that can match; otherwise reads them
    /// first.
    pub fn narrow(&mut self, candidates: &Candidates) {
        let likely = &self.rest & &candidates.positions;
        if candidates.are_all {
            self.selected -= &self.rest;
            self.selected |= &likely;
            self.candidates = Some(likely.len());
            self.rest = likely;
        } else {
            self.read(&likely, u64::MAX);
            self.rest -= likely;
        }
    }

    /// The first `limit` reviews, after `cursor` if there is one.
    pub fn finish(mut self, limit: usize, cursor: Option<&Cursor>) -> ResultPage {
        let entries = self.entries;
        let rest = std::mem::take(&mut self.rest);
        self.read(&rest, u64::MAX);
        let total = self.matches.len();
        if total > TOTAL_MAX
            && let Some(finder) = self.finder.take()
        {
            let is_match = |at: u32| {
                let entry = &entries[at as usize];
                finder.is_in(&entry.review.text, &entry.text)
            };
            // The page may have other matches than those that were counted.
            self.matches = std::mem::take(&mut self.selected);
            return self.page(&is_match, (TOTAL_MAX, false), limit, cursor);
        }
        self.page(&|_| true, (total, true), limit, cursor)
    }

    /// The page of those `matches` that `is_match` accepts.
    fn page(
        mut self,
        is_match: &dyn Fn(u32) -> bool,
        (total, is_exact): (u64, bool),
        limit: usize,
        cursor: Option<&Cursor>,
    ) -> ResultPage {
        let (entries, sort) = (self.entries, self.filter.sort);
        let ends_page = cursor.is_some_and(|cursor| cursor.ends_page);
        match cursor.map(|cursor| after(entries, sort, cursor)) {
            None => {}
            Some(after) if ends_page => self.matches -= after,
            Some(after) => self.matches &= after,
        }
        let in_order = ordered(entries, &self.matches, sort, ends_page);
        let mut positions: Vec<usize> = in_order
            .filter(|at| is_match(*at))
            .take(limit + 1)
            .map(|at| at as usize)
            .collect();
        let beyond = positions.get(limit).copied();
        positions.truncate(limit);
        if ends_page {
            positions.reverse();
        }
        let binding = self.filter.canonical();
        let cursor_after = |at: usize| Cursor::after(&binding, sort, &entries[at].review);
        let after_last = positions.last().map(|at| cursor_after(*at));
        let (previous, next) = if ends_page {
            (beyond.map(|at| cursor_after(at).ending_there()), after_last)
        } else {
            // The page starts after its cursor, so the cursor is the end of the previous page.
            (
                cursor.cloned().map(Cursor::ending_there),
                beyond.and(after_last),
            )
        };
        ResultPage {
            total,
            is_exact,
            positions,
            next,
            previous,
            candidates: self.candidates,
        }
    }
}

/// The first `limit` reviews of `snapshot` that match `filter`, after `cursor` if there is one; without the text index.
pub fn search(
    snapshot: &Snapshot,
    filter: &ReviewFilter,
    limit: usize,
    cursor: Option<&Cursor>,
) -> ResultPage {
    Search::new(snapshot, filter, READ_FIRST).finish(limit, cursor)
}
