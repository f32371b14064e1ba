//! Collects a search's result: a page and the total. The reviews come from a walk over the segments or from the text
//! index's candidates; both are checked here in the same way.

use std::ops::{ControlFlow, Range};

use super::request::Cursor;
use super::scan::{SegmentScan, StarSet};
use crate::model::{Day, ReviewFilter, Sort};
use crate::snapshot::{Matches, Place, ReviewIndex, Snapshot};

/// Counting stops at this number; a greater total is reported as "this many or more".
pub const TOTAL_MAX: u64 = 1_000;
/// A page of at most this many reviews is rendered within about 100 µs; a longer one is rendered apart.
pub const SHORT_PAGE: usize = 20;

#[derive(Debug, Clone)]
pub struct ResultPage {
    /// Matches on all pages.
    pub total: u64,
    /// Whether the total is exact; otherwise counting stopped at its limit.
    pub is_exact: bool,
    /// The positions of the page's reviews in the snapshot.
    pub places: Vec<Place>,
    /// The cursor of the next page, if there is one.
    pub next: Option<Cursor>,
    /// The cursor of the previous page, if there is one.
    pub previous: Option<Cursor>,
    pub work: Work,
}

/// The work of one search, for the metrics.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Reviews walked over.
    pub walked: usize,
    /// Verified candidates of the text index; `None` if it was not queried or gave no answer.
    pub candidates: Option<usize>,
}

/// The purpose of a pass over the reviews.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchPass {
    /// Fill the page, and count if it is the first.
    Page,
    /// Count the matches, from the start.
    Count,
}

pub struct SearchProgress<'a> {
    snapshot: &'a Snapshot,
    filter: &'a ReviewFilter,
    cursor: Option<&'a Cursor>,
    scan: SegmentScan<'a>,
    /// The filter without its order: the key of its matches.
    unordered: ReviewFilter,
    /// The positions within the filter's dates.
    all: Range<usize>,
    /// The matches of an earlier search.
    known: Option<Matches>,
    total: Option<(u64, bool)>,
    hits: Hits<'a>,
    work: Work,
}

/// The page so far, and the hits of this pass.
struct Hits<'a> {
    page: PageBuilder<'a>,
    /// The matches in a pass that counts, one more than [`TOTAL_MAX`] at most.
    counted: Vec<Place>,
    /// Whether the pass that fills the page covers all reviews, so that it can also count.
    counts_along: bool,
}

impl Hits<'_> {
    fn is_counting(&self, pass: SearchPass) -> bool {
        (self.counts_along || pass == SearchPass::Count) && self.counted.len() as u64 <= TOTAL_MAX
    }

    /// Handles a match; breaks when the pass needs no more matches.
    fn take(&mut self, pass: SearchPass, place: Place) -> ControlFlow<()> {
        if self.is_counting(pass) {
            self.counted.push(place);
        }
        let page_is_full = match pass {
            SearchPass::Page => {
                if !self.page.is_full() {
                    self.page.take(place);
                }
                self.page.is_full()
            }
            SearchPass::Count => true,
        };
        if page_is_full && !self.is_counting(pass) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl<'a> SearchProgress<'a> {
    /// Starts a search for the first `limit` reviews that match `filter`, after `cursor` if there is one.
    pub fn new(
        snapshot: &'a Snapshot,
        filter: &'a ReviewFilter,
        limit: usize,
        cursor: Option<&'a Cursor>,
    ) -> Self {
        let review_index = &snapshot.input.review_index;
        let mut unordered = filter.clone();
        unordered.sort = Sort::Newest;
        let scan = SegmentScan::new(filter, snapshot.input.analyzer.trade());
        let all = positions(review_index, filter.since, filter.until);
        let known = snapshot.matches(&unordered);
        let total = match &known {
            Some(Matches::All(positions)) => Some((positions.len() as u64, true)),
            Some(Matches::TooMany) => Some((TOTAL_MAX, false)),
            None => scan.takes_all().then_some((all.len() as u64, true)),
        };
        let page = PageBuilder::new(review_index, filter, limit, &all, cursor);
        let counts_along = total.is_none() && page.range() == all;
        Self {
            snapshot,
            filter,
            cursor,
            scan,
            unordered,
            all,
            known,
            total,
            hits: Hits {
                page,
                counted: Vec::new(),
                counts_along,
            },
            work: Work::default(),
        }
    }

    /// Fills the page from the matches of an earlier search; returns whether they are all cached.
    pub fn fill_from_cache(&mut self) -> bool {
        let Some(Matches::All(matches)) = self.known.take() else {
            return false;
        };
        let (pass, review_index) = (SearchPass::Page, self.review_index());
        let (positions, is_backwards) = (self.positions(pass), self.is_backwards(pass));
        let _ = each_within(
            &matches,
            positions,
            is_backwards,
            |position| match review_index.locate(position as usize) {
                Some(place) => self.hits.take(pass, place),
                None => ControlFlow::Break(()),
            },
        );
        true
    }

    /// The passes needed: if the page may come from all reviews, one pass fills it and counts; otherwise counting takes
    /// a pass of its own.
    pub const fn passes(&self) -> &'static [SearchPass] {
        if self.total.is_some() || self.hits.counts_along {
            &[SearchPass::Page]
        } else {
            &[SearchPass::Page, SearchPass::Count]
        }
    }

    /// The positions that a pass searches.
    pub fn positions(&self, pass: SearchPass) -> Range<usize> {
        match pass {
            SearchPass::Page => self.hits.page.range(),
            SearchPass::Count => self.all.clone(),
        }
    }

    /// Splits `range` into the first `count` reviews of the pass and the rest.
    pub fn split(
        &self,
        pass: SearchPass,
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

    /// Checks the reviews at `positions` in the pass's order until it needs no more.
    pub fn walk(&mut self, pass: SearchPass, positions: Range<usize>) -> ControlFlow<()> {
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
        pass: SearchPass,
        number: usize,
        indices: Range<usize>,
    ) -> ControlFlow<()> {
        let is_backwards = self.is_backwards(pass);
        let segment = &self.review_index().segments()[number];
        self.work.walked += indices.len();
        if !self.scan.may_hold(segment) {
            return ControlFlow::Continue(());
        }
        let (scan, hits) = (&self.scan, &mut self.hits);
        if is_backwards {
            let mut found = Vec::new();
            let _ = scan.each(segment, indices, &mut |index| {
                found.push(index);
                ControlFlow::Continue(())
            });
            let mut found = found.into_iter().rev();
            return found.try_for_each(|index| hits.take(pass, (number, index)));
        }
        let (is_counting, stars) = (hits.is_counting(pass), hits.page.wanted_stars());
        let mut take = |index: usize| hits.take(pass, (number, index));
        if is_counting || self.filter.sort.stars().is_none() {
            scan.each(segment, indices, &mut take)
        } else {
            scan.each_of(segment, indices, stars, &mut take)
        }
    }

    /// Like [`Self::walk`], for the candidates within `positions`; they are ascending.
    pub fn verify(
        &mut self,
        pass: SearchPass,
        candidates: &[u32],
        positions: Range<usize>,
    ) -> ControlFlow<()> {
        self.work.candidates.get_or_insert(0);
        let is_backwards = self.is_backwards(pass);
        each_within(candidates, positions, is_backwards, |position| {
            self.verify_one(pass, position)
        })
    }

    fn verify_one(&mut self, pass: SearchPass, position: u32) -> ControlFlow<()> {
        let Some(place) = self.review_index().locate(position as usize) else {
            return ControlFlow::Break(());
        };
        *self.work.candidates.get_or_insert(0) += 1;
        let segment = &self.review_index().segments()[place.0];
        if self.scan.takes_one(segment, place.1) {
            self.hits.take(pass, place)
        } else {
            ControlFlow::Continue(())
        }
    }

    pub fn finish(self) -> ResultPage {
        let (snapshot, review_index) = (self.snapshot, self.review_index());
        let (total, is_exact) = match self.total {
            Some(total) => total,
            None if self.hits.counted.len() as u64 > TOTAL_MAX => {
                snapshot.remember_matches(self.unordered, Matches::TooMany);
                (TOTAL_MAX, false)
            }
            None => {
                let position = |place: &Place| u32::try_from(review_index.position(*place)).ok();
                let mut matches: Vec<u32> = self.hits.counted.iter().filter_map(position).collect();
                matches.sort_unstable();
                snapshot.remember_matches(self.unordered, Matches::All(matches.into()));
                (self.hits.counted.len() as u64, true)
            }
        };
        let (places, beyond) = self.hits.page.finish();
        let behind = |place: &Place| Cursor::behind(self.filter, review_index, *place);
        let behind_last = places.last().map(behind);
        let (previous, next) = match self.cursor {
            Some(cursor) if cursor.ends_page => {
                (beyond.as_ref().map(behind).map(Cursor::ending), behind_last)
            }
            // The page starts after its cursor, so the cursor is the end of the previous page.
            cursor => (cursor.cloned().map(Cursor::ending), beyond.and(behind_last)),
        };
        ResultPage {
            total,
            is_exact,
            previous,
            next,
            places,
            work: self.work,
        }
    }

    const fn review_index(&self) -> &'a ReviewIndex {
        &self.snapshot.input.review_index
    }

    fn is_backwards(&self, pass: SearchPass) -> bool {
        pass == SearchPass::Page && self.hits.page.is_backwards()
    }
}

/// Calls `take` for those of the ascending `all` that are within `positions`, until it breaks.
fn each_within(
    all: &[u32],
    positions: Range<usize>,
    is_backwards: bool,
    mut take: impl FnMut(u32) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let place = |position: usize| all.partition_point(|one| (*one as usize) < position);
    let mut within = all[place(positions.start)..place(positions.end)].iter();
    if is_backwards {
        within.rev().try_for_each(|position| take(*position))
    } else {
        within.try_for_each(|position| take(*position))
    }
}

/// Greater than every place; the place of a position without a review.
const NOWHERE: Place = (usize::MAX, usize::MAX);

/// Selects and orders the hits of one page. Hits arrive newest first, or oldest first in that order. In an order by
/// stars, hits are collected per rating, newest first, and ratings that can no longer appear on the page are not searched.
struct PageBuilder<'a> {
    review_index: &'a ReviewIndex,
    filter: &'a ReviewFilter,
    limit: usize,
    /// The positions to search.
    range: Range<usize>,
    /// In an order by stars, the rating of the review at the cursor.
    first_stars: Option<u8>,
    /// The part of `range` on the other side of the cursor; in an order by stars, only its reviews with `first_stars`.
    outside: Range<Place>,
    /// Whether the page ends at the cursor and is filled from its end.
    is_reversed: bool,
    places: Vec<Place>,
    /// In the order oldest first: the hits of one day, in order of arrival.
    day: Vec<Place>,
    by_stars: [Vec<Place>; 5],
}

impl<'a> PageBuilder<'a> {
    /// An empty page of at most `limit` reviews within the positions `all`. With a `cursor`, it begins after the cursor
    /// or ends there.
    fn new(
        review_index: &'a ReviewIndex,
        filter: &'a ReviewFilter,
        limit: usize,
        all: &Range<usize>,
        cursor: Option<&Cursor>,
    ) -> Self {
        let place = |position: usize| review_index.locate(position).unwrap_or(NOWHERE);
        let mut page = Self {
            review_index,
            filter,
            limit,
            range: all.clone(),
            first_stars: None,
            outside: NOWHERE..NOWHERE,
            is_reversed: cursor.is_some_and(|cursor| cursor.ends_page),
            places: Vec::new(),
            day: Vec::new(),
            by_stars: Default::default(),
        };
        let Some(cursor) = cursor else {
            return page;
        };
        let through = review_index.count_through(cursor.day, &cursor.id);
        match (filter.sort, cursor.ends_page) {
            (Sort::Newest, false) => page.range.start = through.clamp(all.start, all.end),
            (Sort::Newest, true) => page.range.end = through.clamp(all.start, all.end),
            (Sort::Oldest, ends_page) => {
                let newer = review_index.count_after(cursor.day);
                let of_day = review_index.count_since(cursor.day);
                if ends_page {
                    page.range.start = newer.clamp(all.start, all.end);
                    page.outside = place(through)..place(of_day);
                } else {
                    page.range.end = of_day.clamp(all.start, all.end);
                    page.outside = place(newer)..place(through);
                }
            }
            (Sort::Highest | Sort::Lowest, ends_page) => {
                page.first_stars = cursor.stars;
                page.outside = if ends_page {
                    place(through)..NOWHERE
                } else {
                    (0, 0)..place(through)
                };
            }
        }
        page
    }

    /// The positions to search.
    fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Whether hits must arrive oldest first.
    fn is_backwards(&self) -> bool {
        self.is_reversed != (self.filter.sort == Sort::Oldest)
    }

    fn take(&mut self, place: Place) {
        let is_outside = self.outside.contains(&place);
        match self.filter.sort {
            Sort::Newest | Sort::Oldest if is_outside => {}
            Sort::Newest => self.places.push(place),
            Sort::Oldest => {
                let day = self.day_of(place);
                if self
                    .day
                    .last()
                    .is_some_and(|last| self.day_of(*last) != day)
                {
                    self.end_day();
                }
                self.day.push(place);
            }
            Sort::Highest | Sort::Lowest => {
                let stars = self.stars_of(place);
                let is_before_cursor = is_outside && self.first_stars == Some(stars);
                if is_before_cursor || !self.stars().any(|wanted| wanted == stars) {
                    return;
                }
                let hits = &mut self.by_stars[usize::from(stars) - 1];
                if hits.len() <= self.limit {
                    hits.push(place);
                }
            }
        }
    }

    /// Whether no further hit can change the page or the existence of a next one.
    fn is_full(&self) -> bool {
        match self.filter.sort {
            Sort::Newest | Sort::Oldest => self.places.len() > self.limit,
            Sort::Highest | Sort::Lowest => self.wanted_stars() == StarSet(0),
        }
    }

    /// The ratings that may still have hits on the page.
    fn wanted_stars(&self) -> StarSet {
        let (mut wanted, mut before) = (0, 0);
        for stars in self.stars() {
            before += self.by_stars[usize::from(stars) - 1].len();
            if before <= self.limit {
                wanted |= 1 << (stars - 1);
            }
        }
        StarSet(wanted)
    }

    /// The reviews of the page in order, and the nearest hit beyond it: the next one, or the previous one if the page
    /// ends at its cursor.
    fn finish(mut self) -> (Vec<Place>, Option<Place>) {
        self.end_day();
        for stars in self.star_order() {
            self.places
                .append(&mut self.by_stars[usize::from(stars) - 1]);
        }
        let beyond = self.places.get(self.limit).copied();
        self.places.truncate(self.limit);
        if self.is_reversed {
            self.places.reverse();
        }
        (self.places, beyond)
    }

    /// The ratings in the order in which the page is filled; empty for other orders.
    fn star_order(&self) -> impl Iterator<Item = u8> + use<> {
        let mut order = self.filter.sort.stars();
        if let Some(order) = order.as_mut().filter(|_| self.is_reversed) {
            order.reverse();
        }
        order.into_iter().flatten()
    }

    /// The ratings of the filter in order, starting with the page's first; empty for other orders.
    fn stars(&self) -> impl Iterator<Item = u8> {
        let (first, filter) = (self.first_stars, self.filter);
        self.star_order()
            .skip_while(move |stars| first.is_some_and(|first| first != *stars))
            .filter(|stars| filter.takes_stars(*stars))
    }

    /// Adds the hits of the day to the page, ordered by ID.
    fn end_day(&mut self) {
        let room = (self.limit + 1).saturating_sub(self.places.len());
        self.places.extend(self.day.drain(..).rev().take(room));
    }

    fn day_of(&self, (segment, index): Place) -> i32 {
        self.review_index.segments()[segment].days()[index]
    }

    fn stars_of(&self, (segment, index): Place) -> u8 {
        self.review_index.segments()[segment].stars()[index]
    }
}

/// The positions of the reviews from `since` to `until`, both inclusive.
pub fn positions(
    review_index: &ReviewIndex,
    since: Option<Day>,
    until: Option<Day>,
) -> Range<usize> {
    let start = until.map_or(0, |day| review_index.count_after(day.number()));
    let end = since.map_or(review_index.len(), |day| {
        review_index.count_since(day.number())
    });
    start..end.max(start)
}
