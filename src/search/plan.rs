//! How a question is answered: where to begin, when to stop.

use std::ops::{ControlFlow, Range};

use bytes::Bytes;

use super::cursor::Cursor;
use super::scan::Scan;
use crate::edition::{Edition, Shelf};
use crate::reviews::ReviewFilter;

/// Where counting stops: a total beyond is "this many or more".
pub const TOTAL_MAX: u64 = 1_000;

/// One page of what was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// How many reviews there are on all pages.
    pub total: u64,
    /// Whether that is all, and not where counting stopped.
    pub is_exact: bool,
    /// The page's reviews as JSON.
    pub reviews: Vec<Bytes>,
    /// Where the next page begins, if there is one.
    pub next: Option<Cursor>,
}

/// The first `limit` reviews that `filter` takes, after `cursor` where there is one.
#[must_use]
pub fn search(edition: &Edition, filter: &ReviewFilter, limit: usize, cursor: Option<&Cursor>) -> Found {
    let shelf = &edition.copy.shelf;
    let all = positions(shelf, filter);
    let scan = Scan::new(filter);
    let question = filter.canonical();
    let start = cursor.map_or(all.start, |cursor| shelf.count_through(cursor.day, &cursor.id).clamp(all.start, all.end));
    let mut total = edition.total(&question).or_else(|| scan.takes_all().then_some((all.len() as u64, true)));
    let mut page = Vec::with_capacity(limit + 1);
    let mut count = 0;
    // From the very start, one walk fills the page and counts; else the page has its own, and the count starts anew.
    let counts_along = start == all.start && total.is_none();
    let _ = walk(shelf, &scan, start..all.end, &mut |block, index| {
        if page.len() <= limit {
            page.push((block, index));
        }
        count += 1;
        let page_is_full = page.len() > limit;
        let counting = counts_along && count <= TOTAL_MAX;
        if page_is_full && !counting { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if total.is_none() && !counts_along {
        count = 0;
        let _ = walk(shelf, &scan, all, &mut |_, _| {
            count += 1;
            if count > TOTAL_MAX { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
    }
    let (total, is_exact) = *total.get_or_insert_with(|| {
        let counted = (count.min(TOTAL_MAX), count <= TOTAL_MAX);
        edition.remember_total(question, counted);
        counted
    });
    let has_more = page.len() > limit;
    page.truncate(limit);
    let last = page.last().filter(|_| has_more).map(|(block, index)| shelf.blocks()[*block].place(*index));
    Found {
        total,
        is_exact,
        next: last.map(|(day, id)| Cursor::new(filter, day.0, id)),
        reviews: page.into_iter().map(|(block, index)| shelf.blocks()[block].json_of(index)).collect(),
    }
}

/// The positions whose days the filter takes.
fn positions(shelf: &Shelf, filter: &ReviewFilter) -> Range<usize> {
    let start = filter.until().map_or(0, |day| shelf.count_after(day));
    let end = filter.since().map_or(shelf.len(), |day| shelf.count_since(day));
    start..end.max(start)
}

/// Calls `hit` with block and index of every review at `positions` that the scan takes, in order, until it breaks.
fn walk(
    shelf: &Shelf,
    scan: &Scan<'_>,
    positions: Range<usize>,
    hit: &mut impl FnMut(usize, usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let Some((first, mut index)) = shelf.locate(positions.start) else { return ControlFlow::Continue(()) };
    let mut left = positions.len();
    for (number, block) in shelf.blocks().iter().enumerate().skip(first) {
        if left == 0 {
            break;
        }
        let range = index..block.len().min(index + left);
        left -= range.len();
        index = 0;
        scan.each(block, range, &mut |index| hit(number, index))?;
    }
    ControlFlow::Continue(())
}
