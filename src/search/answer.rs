//! The answer to a search as it comes together: a page, and how many reviews there are on all
//! pages. Where the reviews come from, a walk over the segments or candidates from the text index,
//! is not its affair; both meet the same conditions here.

use std::ops::{ControlFlow, Range};

use bytes::Bytes;

use super::cursor::Cursor;
use super::page::{Page, Place, positions};
use super::scan::Scan;
use crate::model::ReviewFilter;
use crate::snapshot::{ReviewIndex, Snapshot};

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
    /// How many candidates of the text index were verified; `None` where it was not asked, or gave
    /// no answer.
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
    snapshot: &'a Snapshot,
    filter: &'a ReviewFilter,
    scan: Scan<'a>,
    question: String,
    /// The positions whose days the filter takes.
    all: Range<usize>,
    total: Option<(u64, bool)>,
    page: Page<'a>,
    count: u64,
    work: Work,
}

impl<'a> Answer<'a> {
    /// Nothing found yet of the first `limit` reviews that `filter` takes, after `cursor` where
    /// there is one.
    #[must_use]
    pub fn new(
        snapshot: &'a Snapshot,
        filter: &'a ReviewFilter,
        limit: usize,
        cursor: Option<&Cursor>,
    ) -> Self {
        let (review_index, question) = (&snapshot.input.review_index, filter.canonical());
        let scan = Scan::new(filter, snapshot.input.analyzer.trade());
        let all = positions(review_index, filter);
        let total = snapshot
            .total(&question)
            .or_else(|| scan.takes_all().then_some((all.len() as u64, true)));
        let page = Page::new(review_index, filter, limit, &all, cursor);
        Self {
            snapshot,
            filter,
            scan,
            question,
            all,
            total,
            page,
            count: 0,
            work: Work::default(),
        }
    }

    /// The passes that it takes: where the page is found among all reviews, one fills it and counts;
    /// else the page has its own, and the count starts anew.
    #[must_use]
    pub fn passes(&self) -> &'static [Pass] {
        if self.total.is_some() || self.counts_along() {
            &[Pass::Page]
        } else {
            &[Pass::Page, Pass::Count]
        }
    }

    /// The positions that a pass goes over.
    #[must_use]
    pub fn range(&self, pass: Pass) -> Range<usize> {
        match pass {
            Pass::Page => self.page.range(),
            Pass::Count => self.all.clone(),
        }
    }

    /// Of `range`, what a pass meets first, `count` reviews or fewer, and the rest.
    #[must_use]
    pub fn split(
        &self,
        pass: Pass,
        range: &Range<usize>,
        count: usize,
    ) -> (Range<usize>, Range<usize>) {
        if self.is_backwards(pass) {
            let at = range.end.saturating_sub(count).max(range.start);
            return (at..range.end, range.start..at);
        }
        let at = range.end.min(range.start + count);
        (range.start..at, at..range.end)
    }

    /// How many hits more end a pass.
    #[must_use]
    pub fn wanted(&self, pass: Pass) -> u64 {
        let of_page = self.page.wanted() as u64;
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

    /// The conditions that every review found has to meet.
    #[must_use]
    pub const fn scan(&self) -> &Scan<'a> {
        &self.scan
    }

    /// The index of the snapshot that is searched.
    #[must_use]
    pub const fn review_index(&self) -> &'a ReviewIndex {
        &self.snapshot.input.review_index
    }

    /// The folded text that is searched for.
    #[must_use]
    pub fn query(&self) -> Option<&'a str> {
        self.filter.query()
    }

    /// Begins a pass over the reviews: counts from zero again.
    pub const fn begin(&mut self) {
        self.count = 0;
    }

    /// Goes over the reviews at `positions`, in the order of the pass, until it has all that it
    /// wants.
    pub fn walk(&mut self, pass: Pass, positions: Range<usize>) -> ControlFlow<()> {
        let review_index = self.review_index();
        let ends = review_index
            .locate(positions.start)
            .zip(review_index.locate(positions.end.saturating_sub(1)));
        let Some(((first, from), (last, to))) = ends.filter(|_| !positions.is_empty()) else {
            return ControlFlow::Continue(());
        };
        let indices = |number: usize| {
            let start = if number == first { from } else { 0 };
            let end = if number == last {
                to + 1
            } else {
                review_index.segments()[number].len()
            };
            start..end
        };
        if self.is_backwards(pass) {
            (first..=last)
                .rev()
                .try_for_each(|number| self.walk_segment(pass, number, indices(number)))
        } else {
            (first..=last).try_for_each(|number| self.walk_segment(pass, number, indices(number)))
        }
    }

    fn walk_segment(
        &mut self,
        pass: Pass,
        number: usize,
        indices: Range<usize>,
    ) -> ControlFlow<()> {
        let segment = &self.review_index().segments()[number];
        self.work.walked += indices.len();
        if !self.scan.may_hold(segment) {
            return ControlFlow::Continue(());
        }
        let (is_counting, is_backwards) = (self.is_counting(pass), self.is_backwards(pass));
        let counts_along = self.counts_along();
        let Self {
            scan, page, count, ..
        } = self;
        let mut take = |index: usize| hit(pass, counts_along, page, count, (number, index));
        if is_backwards {
            let mut found = Vec::new();
            let _ = scan.each(segment, indices, &mut |index| {
                found.push(index);
                ControlFlow::Continue(())
            });
            return found.into_iter().rev().try_for_each(take);
        }
        if is_counting || self.filter.sort().stars().is_none() {
            return scan.each(segment, indices, &mut take);
        }
        let stars = self.page.wanted_stars();
        let (page, count) = (&mut self.page, &mut self.count);
        self.scan.each_of(segment, indices, stars, &mut |index| {
            hit(pass, counts_along, page, count, (number, index))
        })
    }

    /// The same for those of the candidates, ascending, that stand at `positions`.
    pub fn verify(
        &mut self,
        pass: Pass,
        candidates: &[u32],
        positions: Range<usize>,
    ) -> ControlFlow<()> {
        self.work.candidates.get_or_insert(0);
        let place = |position: usize| {
            candidates.partition_point(|candidate| (*candidate as usize) < position)
        };
        let within = &candidates[place(positions.start)..place(positions.end)];
        if self.is_backwards(pass) {
            within
                .iter()
                .rev()
                .try_for_each(|position| self.verify_one(pass, *position))
        } else {
            within
                .iter()
                .try_for_each(|position| self.verify_one(pass, *position))
        }
    }

    fn verify_one(&mut self, pass: Pass, position: u32) -> ControlFlow<()> {
        let Some((number, index)) = self.review_index().locate(position as usize) else {
            return ControlFlow::Break(());
        };
        *self.work.candidates.get_or_insert(0) += 1;
        let segment = &self.review_index().segments()[number];
        if !self.scan.takes_one(segment, index) {
            return ControlFlow::Continue(());
        }
        let counts_along = self.counts_along();
        hit(
            pass,
            counts_along,
            &mut self.page,
            &mut self.count,
            (number, index),
        )
    }

    /// The page, its total and its next cursor.
    #[must_use]
    pub fn finish(self) -> Found {
        let (count, snapshot, question) = (self.count, self.snapshot, self.question);
        let (total, is_exact) = self.total.unwrap_or_else(|| {
            let counted = (count.min(TOTAL_MAX), count <= TOTAL_MAX);
            snapshot.remember_total(question, counted);
            counted
        });
        let segments = snapshot.input.review_index.segments();
        let (places, has_more) = self.page.finish();
        let last = places.last().filter(|_| has_more).map(|(segment, index)| {
            let segment = &segments[*segment];
            let (stars, day) = (segment.stars()[*index], segment.days()[*index]);
            Cursor::new(self.filter, stars, day, segment.id(*index))
        });
        Found {
            total,
            is_exact,
            next: last,
            reviews: places
                .iter()
                .map(|(segment, index)| segments[*segment].json_of(*index))
                .collect(),
            work: self.work,
        }
    }

    /// Whether the pass that fills the page goes over all reviews, so that it can count them too.
    fn counts_along(&self) -> bool {
        self.total.is_none() && self.page.range() == self.all
    }

    fn is_counting(&self, pass: Pass) -> bool {
        (self.counts_along() || pass == Pass::Count) && self.count <= TOTAL_MAX
    }

    fn is_backwards(&self, pass: Pass) -> bool {
        pass == Pass::Page && self.page.is_backwards()
    }
}

/// Takes a review that meets all conditions; breaks where the pass wants no more.
fn hit(
    pass: Pass,
    counts_along: bool,
    page: &mut Page<'_>,
    count: &mut u64,
    place: Place,
) -> ControlFlow<()> {
    *count += 1;
    let page_is_full = match pass {
        Pass::Page => {
            if !page.is_full() {
                page.take(place);
            }
            page.is_full()
        }
        Pass::Count => true,
    };
    let counting = (counts_along || pass == Pass::Count) && *count <= TOTAL_MAX;
    if page_is_full && !counting {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}
