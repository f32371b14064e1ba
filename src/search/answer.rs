//! The answer to a search as it comes together: a page, and how many reviews there are on all pages. Where the reviews come
//! from, a walk over the blocks or candidates from the text index, is not its affair; both meet the same conditions here.

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
    /// What finding them took.
    pub work: Work,
}

/// The work of one search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// How many reviews were walked over.
    pub walked: usize,
    /// How many candidates of the text index were verified; `None` where it was not asked, or gave no answer.
    pub candidates: Option<usize>,
}

/// What a pass over the reviews is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// The page, and the count too where the page is the first.
    Page,
    /// The count alone: it begins where all pages do.
    Count,
}

/// See the head of this file.
pub struct Answer<'a> {
    edition: &'a Edition,
    filter: &'a ReviewFilter,
    scan: Scan<'a>,
    question: String,
    limit: usize,
    /// The positions whose days the filter takes.
    all: Range<usize>,
    /// Where the page begins.
    start: usize,
    total: Option<(u64, bool)>,
    page: Vec<(usize, usize)>,
    count: u64,
    work: Work,
}

impl<'a> Answer<'a> {
    /// Nothing found yet of the first `limit` reviews that `filter` takes, after `cursor` where there is one.
    #[must_use]
    pub fn new(edition: &'a Edition, filter: &'a ReviewFilter, limit: usize, cursor: Option<&Cursor>) -> Self {
        let (shelf, scan, question) = (&edition.copy.shelf, Scan::new(filter), filter.canonical());
        let all = positions(shelf, filter);
        let start = cursor.map_or(all.start, |cursor| shelf.count_through(cursor.day, &cursor.id).clamp(all.start, all.end));
        let total = edition.total(&question).or_else(|| scan.takes_all().then_some((all.len() as u64, true)));
        let page = Vec::with_capacity(limit + 1);
        Self { edition, filter, scan, question, limit, all, start, total, page, count: 0, work: Work::default() }
    }

    /// The passes that it takes: from the very start, one fills the page and counts; else the page has its own, and the
    /// count starts anew.
    pub fn passes(&self) -> impl Iterator<Item = Pass> + use<> {
        let counts_apart = self.total.is_none() && self.start != self.all.start;
        [Some(Pass::Page), counts_apart.then_some(Pass::Count)].into_iter().flatten()
    }

    /// The positions that a pass goes over.
    #[must_use]
    pub fn range(&self, pass: Pass) -> Range<usize> {
        match pass {
            Pass::Page => self.start..self.all.end,
            Pass::Count => self.all.clone(),
        }
    }

    /// How many hits more end a pass.
    #[must_use]
    pub fn wanted(&self, pass: Pass) -> u64 {
        let of_page = (self.limit + 1).saturating_sub(self.page.len()) as u64;
        let of_count = (TOTAL_MAX + 1).saturating_sub(self.count);
        match pass {
            Pass::Page if self.counts_along() => of_page.max(of_count),
            Pass::Page => of_page,
            Pass::Count => of_count,
        }
    }

    /// How many hits this pass has had.
    #[must_use]
    pub const fn hits(&self) -> u64 {
        self.count
    }

    /// The conditions.
    #[must_use]
    pub const fn scan(&self) -> &Scan<'a> {
        &self.scan
    }

    /// The reviews.
    #[must_use]
    pub const fn shelf(&self) -> &'a Shelf {
        &self.edition.copy.shelf
    }

    /// The folded text that is searched for.
    #[must_use]
    pub fn query(&self) -> Option<&'a str> {
        self.filter.query()
    }

    /// Begins a pass.
    pub const fn begin(&mut self) {
        self.count = 0;
    }

    /// Goes over the reviews at `positions`, newest first, until the pass has all that it wants.
    pub fn walk(&mut self, pass: Pass, positions: Range<usize>) -> ControlFlow<()> {
        let (shelf, mut position) = (self.shelf(), positions.start);
        let Some((first, mut index)) = shelf.locate(position).filter(|_| !positions.is_empty()) else {
            return ControlFlow::Continue(());
        };
        for (number, block) in (first..).zip(&shelf.blocks()[first..]) {
            let range = index..block.len().min(index + positions.end - position);
            if range.is_empty() {
                break;
            }
            (position, index) = (position + range.len(), 0);
            self.work.walked += range.len();
            if self.scan.may_hold(block) {
                let Self { scan, page, count, limit, total, start, all, .. } = self;
                let counts_along = total.is_none() && *start == all.start;
                scan.each(block, range, &mut |index| hit(pass, counts_along, *limit, page, count, (number, index)))?;
            }
        }
        ControlFlow::Continue(())
    }

    /// The same for those of the candidates, ascending, that stand at `positions`.
    pub fn verify(&mut self, pass: Pass, candidates: &[u32], positions: Range<usize>) -> ControlFlow<()> {
        let first = candidates.partition_point(|position| (*position as usize) < positions.start);
        let counts_along = self.counts_along();
        for position in candidates[first..].iter().map(|position| *position as usize) {
            if position >= positions.end {
                break;
            }
            let Some((number, index)) = self.shelf().locate(position) else { break };
            *self.work.candidates.get_or_insert(0) += 1;
            if self.scan.takes_one(&self.shelf().blocks()[number], index) {
                hit(pass, counts_along, self.limit, &mut self.page, &mut self.count, (number, index))?;
            }
        }
        self.work.candidates.get_or_insert(0);
        ControlFlow::Continue(())
    }

    /// What was found.
    #[must_use]
    pub fn finish(mut self) -> Found {
        let (count, edition, question) = (self.count, self.edition, self.question);
        let (total, is_exact) = self.total.unwrap_or_else(|| {
            let counted = (count.min(TOTAL_MAX), count <= TOTAL_MAX);
            edition.remember_total(question, counted);
            counted
        });
        let blocks = edition.copy.shelf.blocks();
        let has_more = self.page.len() > self.limit;
        self.page.truncate(self.limit);
        let last = self.page.last().filter(|_| has_more).map(|(block, index)| blocks[*block].place(*index));
        Found {
            total,
            is_exact,
            next: last.map(|(day, id)| Cursor::new(self.filter, day.0, id)),
            reviews: self.page.iter().map(|(block, index)| blocks[*block].json_of(*index)).collect(),
            work: self.work,
        }
    }

    fn counts_along(&self) -> bool {
        self.total.is_none() && self.start == self.all.start
    }
}

/// Takes a review that meets all conditions; breaks where the pass wants no more.
fn hit(
    pass: Pass,
    counts_along: bool,
    limit: usize,
    page: &mut Vec<(usize, usize)>,
    count: &mut u64,
    at: (usize, usize),
) -> ControlFlow<()> {
    *count += 1;
    let page_is_full = match pass {
        Pass::Page if page.len() <= limit => {
            page.push(at);
            page.len() > limit
        }
        Pass::Page | Pass::Count => true,
    };
    let counting = (counts_along || pass == Pass::Count) && *count <= TOTAL_MAX;
    if page_is_full && !counting { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// The positions whose days the filter takes.
fn positions(shelf: &Shelf, filter: &ReviewFilter) -> Range<usize> {
    let start = filter.until().map_or(0, |day| shelf.count_after(day));
    let end = filter.since().map_or(shelf.len(), |day| shelf.count_since(day));
    start..end.max(start)
}
