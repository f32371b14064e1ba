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
use crate::links::Links;
use crate::model::TextQuery;
use crate::snapshot::{Entries, QueryTrigrams, Snapshot};
use crate::wire;

/// Counting the matches of a text stops at this number; a greater total is reported as "this many or more".
pub const TOTAL_MAX: u64 = 1_000;
/// Number of texts that are read without delaying other tasks of the thread: about 200 µs.
const READ_AT_ONCE: usize = 4_000;
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

impl ResultPage {
    pub fn reviews<'a>(
        &'a self,
        snapshot: &'a Snapshot,
        links: &'a Links,
    ) -> impl Iterator<Item = wire::Review> + 'a {
        let entries = self.positions.iter().map(|at| &snapshot.input.entries[*at]);
        entries.map(|entry| wire::Review::new(&entry.review, links))
    }
}

/// The first `limit` reviews of `snapshot` that match `filter`, after `cursor` if there is one.
pub fn search_reviews(
    snapshot: &Snapshot,
    filter: &ReviewFilter,
    limit: usize,
    cursor: Option<&Cursor>,
) -> ResultPage {
    let entries = &snapshot.input.entries;
    let selected = select(entries, filter, snapshot.input.analyzer.trade());
    let query = filter.text.as_ref();
    let (matches, unread, total) =
        match query.map(|query| find(entries, &selected, query, TOTAL_MAX + 1)) {
            None => {
                let total = selected.len();
                (selected, None, total)
            }
            Some(found) if found.len() <= TOTAL_MAX => {
                let total = found.len();
                (found, None, total)
            }
            // The page may have other matches than those that were counted.
            Some(_) => (selected, query, TOTAL_MAX),
        };
    let (positions, previous, next) = page(entries, filter, matches, unread, limit, cursor);
    ResultPage {
        total,
        is_exact: unread.is_none(),
        positions,
        next,
        previous,
    }
}

/// Whether any review of `snapshot` matches `filter`.
pub fn has_match(snapshot: &Snapshot, filter: &ReviewFilter) -> bool {
    let entries = &snapshot.input.entries;
    let selected = select(entries, filter, snapshot.input.analyzer.trade());
    let found = match &filter.text {
        None => selected,
        Some(query) => find(entries, &selected, query, 1),
    };
    !found.is_empty()
}

/// The newest of the `selected` reviews whose text matches, at most `most`.
fn find(
    entries: &Entries,
    selected: &RoaringBitmap,
    query: &TextQuery,
    most: u64,
) -> RoaringBitmap {
    let (finder, trigrams) = (TextFinder::new(query), QueryTrigrams::new(query));
    let candidates = entries.candidates(&trigrams);
    let mut candidates = candidates.filter(|(at, _)| selected.contains(*at));
    let is_match = |(at, text)| finder.is_in(text).then_some(at);
    let newest = candidates.by_ref().take(READ_AT_ONCE);
    let mut found: RoaringBitmap = newest.filter_map(is_match).take(count(most)).collect();
    if found.len() < most
        && let Some(next) = candidates.next()
    {
        let rest = once(next).chain(candidates).filter_map(is_match);
        let rest = rest.take(count(most - found.len()));
        run_long(|| found.extend(rest));
    }
    found
}

/// The positions of the first `limit` of these `matches`, after `cursor` if there is one, and the cursors of the previous and
/// of the next page. Those without the text `unread` are left out.
fn page(
    entries: &Entries,
    filter: &ReviewFilter,
    mut matches: RoaringBitmap,
    unread: Option<&TextQuery>,
    limit: usize,
    cursor: Option<&Cursor>,
) -> (Vec<usize>, Option<Cursor>, Option<Cursor>) {
    let sort = filter.sort();
    let ends_page = cursor.is_some_and(|cursor| cursor.ends_page);
    match cursor.map(|cursor| after(entries, sort, cursor)) {
        None => {}
        Some(after) if ends_page => matches -= after,
        Some(after) => matches &= after,
    }
    let finder = unread.map(TextFinder::new);
    let is_match = |at: &usize| (finder.as_ref()).is_none_or(|one| one.is_in(entries.text(*at)));
    let in_order = ordered(entries, &matches, sort, ends_page).map(|at| at as usize);
    let mut positions: Vec<usize> = in_order.filter(is_match).take(limit + 1).collect();
    let beyond = positions.get(limit).copied();
    positions.truncate(limit);
    if ends_page {
        positions.reverse();
    }
    let binding = filter.canonical();
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

fn count(reviews: u64) -> usize {
    usize::try_from(reviews).unwrap_or(usize::MAX)
}
