//! The result of a search: a page and the total.
//!
//! A filter without a text is answered by sets alone. With a text, the snapshot's trigrams leave the reviews that may contain it,
//! and these are read, newest first.

use std::iter::once;

use roaring::RoaringBitmap;

use super::cursor::Cursor;
use super::request::ReviewFilter;
use super::select::{after, ordered, select};
use super::text::TextFinder;
use crate::compute::run_long;
use crate::snapshot::{Entries, QueryTrigrams, Snapshot};

/// Counting the matches of a text stops at this number; a greater total is reported as "this many or more".
pub const TOTAL_MAX: u64 = 1_000;
/// Number of reviews that are read without delaying other tasks of the thread: about 200 µs.
const READ_AT_ONCE: usize = 2_000;
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
}

/// The first `limit` reviews of `snapshot` that match `filter`, after `cursor` if there is one.
pub fn search_reviews(
    snapshot: &Snapshot,
    filter: &ReviewFilter,
    limit: usize,
    cursor: Option<&Cursor>,
) -> ResultPage {
    let search = Search::new(snapshot, filter);
    let selected = search.select();
    let (matches, total, is_exact) = match search.find(&selected, TOTAL_MAX + 1) {
        None => {
            let total = selected.len();
            (selected, total, true)
        }
        Some(found) if found.len() <= TOTAL_MAX => {
            let total = found.len();
            (found, total, true)
        }
        // The page may have other matches than those that were counted.
        Some(_) => (selected, TOTAL_MAX, false),
    };
    let (positions, previous, next) = search.page(matches, limit, cursor);
    ResultPage {
        total,
        is_exact,
        positions,
        next,
        previous,
    }
}

/// Whether any review of `snapshot` matches `filter`.
pub fn has_match(snapshot: &Snapshot, filter: &ReviewFilter) -> bool {
    let search = Search::new(snapshot, filter);
    let selected = search.select();
    let found = search.find(&selected, 1);
    !found.unwrap_or(selected).is_empty()
}

struct Search<'a> {
    snapshot: &'a Snapshot,
    entries: &'a Entries,
    filter: &'a ReviewFilter,
    /// `None` if the filter has no text.
    finder: Option<TextFinder<'a>>,
}

impl<'a> Search<'a> {
    fn new(snapshot: &'a Snapshot, filter: &'a ReviewFilter) -> Self {
        Self {
            snapshot,
            entries: &snapshot.input.entries,
            filter,
            finder: filter.text.as_ref().map(TextFinder::new),
        }
    }

    /// The reviews that match the filter, its text aside.
    fn select(&self) -> RoaringBitmap {
        let trade = self.snapshot.input.analyzer.trade();
        select(self.entries, self.filter, trade)
    }

    /// Whether the review's text matches.
    fn is_match(&self, at: u32) -> bool {
        let entry = &self.entries[at as usize];
        let finder = self.finder.as_ref();
        finder.is_none_or(|finder| finder.is_in(&entry.review.text, &entry.text))
    }

    /// The newest of the `selected` reviews whose text matches, at most `most`; `None` if the filter has no text.
    fn find(&self, selected: &RoaringBitmap, most: u64) -> Option<RoaringBitmap> {
        let trigrams = QueryTrigrams::new(self.filter.text.as_ref()?);
        let candidates = self.entries.candidates(&trigrams);
        let mut candidates = candidates.filter(|at| selected.contains(*at));
        let newest = candidates.by_ref().take(READ_AT_ONCE);
        let newest = newest.filter(|at| self.is_match(*at));
        let mut found: RoaringBitmap = newest.take(count(most)).collect();
        if found.len() < most
            && let Some(next) = candidates.next()
        {
            let rest = once(next).chain(candidates);
            let rest = rest.filter(|at| self.is_match(*at));
            let rest = rest.take(count(most - found.len()));
            run_long(|| found.extend(rest));
        }
        Some(found)
    }

    /// The positions of the first `limit` of these `matches`, after `cursor` if there is one, and the cursors of the previous and
    /// of the next page.
    fn page(
        &self,
        mut matches: RoaringBitmap,
        limit: usize,
        cursor: Option<&Cursor>,
    ) -> (Vec<usize>, Option<Cursor>, Option<Cursor>) {
        let (entries, sort) = (self.entries, self.filter.sort);
        let ends_page = cursor.is_some_and(|cursor| cursor.ends_page);
        match cursor.map(|cursor| after(entries, sort, cursor)) {
            None => {}
            Some(after) if ends_page => matches -= after,
            Some(after) => matches &= after,
        }
        let in_order = ordered(entries, &matches, sort, ends_page);
        let mut positions: Vec<usize> = in_order
            .filter(|at| self.is_match(*at))
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
            let previous = cursor.cloned().map(Cursor::ending_there);
            (previous, beyond.and(after_last))
        };
        (positions, previous, next)
    }
}

fn count(reviews: u64) -> usize {
    usize::try_from(reviews).unwrap_or(usize::MAX)
}
