//! The page of an answer: which of the hits are on it, in which order, and when it is full.
//!
//! Apart from finding them: hits come newest first, or oldest first where that is the order. Sorted
//! by rating a page is a gather of ready slices too: each number of stars has its own hits, newest
//! first, and those that can no more be on the page are not looked for.

use std::ops::Range;

use super::cursor::{Cursor, CursorParameter};
use super::names::aspect_of;
use super::scan::StarSet;
use crate::insights::Trade;
use crate::model::parameters::{Limit, ParameterSource};
use crate::model::{LIMIT_DEFAULT, ReviewFilter, SearchArguments, Sort};
use crate::snapshot::{Place, ReviewIndex};

/// Greater than the place of any review; stands for a position without one.
const NOWHERE: Place = (usize::MAX, usize::MAX);

/// See the head of this file.
pub struct PageBuilder<'a> {
    review_index: &'a ReviewIndex,
    filter: &'a ReviewFilter,
    limit: usize,
    /// The positions that it is found in.
    range: Range<usize>,
    /// The stars of the review that it begins after.
    first_stars: Option<u8>,
    /// The places that the pages before have, though they are of `range`; of `first_stars`, where
    /// the order is one of stars.
    before: Range<Place>,
    places: Vec<Place>,
    /// Oldest first: the hits of one day, as they came.
    day: Vec<Place>,
    by_stars: [Vec<Place>; 5],
}

impl<'a> PageBuilder<'a> {
    /// An empty page of at most `limit` reviews among the positions `all`, after `cursor` where there
    /// is one.
    #[must_use]
    pub fn new(
        review_index: &'a ReviewIndex,
        filter: &'a ReviewFilter,
        limit: usize,
        all: &Range<usize>,
        cursor: Option<&Cursor>,
    ) -> Self {
        let place = |position: usize| review_index.locate(position).unwrap_or(NOWHERE);
        let through = |cursor: &Cursor| review_index.count_through(cursor.day, &cursor.id);
        let mut page = Self {
            review_index,
            filter,
            limit,
            range: all.clone(),
            first_stars: None,
            before: NOWHERE..NOWHERE,
            places: Vec::new(),
            day: Vec::new(),
            by_stars: Default::default(),
        };
        let Some(cursor) = cursor else {
            return page;
        };
        match filter.sort() {
            Sort::Newest => page.range.start = through(cursor).clamp(all.start, all.end),
            Sort::Oldest => {
                let (newer, of_day) = review_index.around_day(cursor.day);
                page.range.end = of_day.clamp(all.start, all.end);
                page.before = place(newer)..place(through(cursor));
            }
            Sort::Highest | Sort::Lowest => {
                page.first_stars = cursor.stars;
                page.before = (0, 0)..place(through(cursor));
            }
        }
        page
    }

    /// The positions that it is found in.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Whether hits must come oldest first.
    #[must_use]
    pub fn is_backwards(&self) -> bool {
        self.filter.sort() == Sort::Oldest
    }

    /// Takes the next hit.
    pub fn take(&mut self, place: Place) {
        let stars = self.filter.sort().stars();
        if self.before.contains(&place) && stars.is_none() {
            return;
        }
        match (self.filter.sort(), stars) {
            (Sort::Oldest, _) => {
                if self
                    .day
                    .last()
                    .is_some_and(|last| self.day_of(*last) != self.day_of(place))
                {
                    self.end_day();
                }
                self.day.push(place);
            }
            (_, None) => self.places.push(place),
            (_, Some(_)) => {
                let stars = self.stars_of(place);
                let is_before = self.first_stars == Some(stars) && self.before.contains(&place);
                if is_before || !self.stars().any(|wanted| wanted == stars) {
                    return;
                }
                let hits = &mut self.by_stars[usize::from(stars) - 1];
                if hits.len() <= self.limit {
                    hits.push(place);
                }
            }
        }
    }

    /// Whether no further hit can be on it, nor show that there is another page.
    #[must_use]
    pub fn is_full(&self) -> bool {
        match self.filter.sort() {
            Sort::Newest | Sort::Oldest => self.places.len() > self.limit,
            Sort::Highest | Sort::Lowest => self.wanted_stars() == StarSet(0),
        }
    }

    /// Of which stars hits can still be on it.
    #[must_use]
    pub fn wanted_stars(&self) -> StarSet {
        let (mut wanted, mut before) = (0, 0);
        for stars in self.stars() {
            before += self.by_stars[usize::from(stars) - 1].len();
            if before <= self.limit {
                wanted |= 1 << (stars - 1);
            }
        }
        StarSet(wanted)
    }

    /// The reviews of the page in their order, and whether there are more.
    #[must_use]
    pub fn finish(mut self) -> (Vec<Place>, bool) {
        self.end_day();
        let order = self.filter.sort().stars();
        for stars in order.into_iter().flatten() {
            self.places
                .append(&mut self.by_stars[usize::from(stars) - 1]);
        }
        let has_more = self.places.len() > self.limit;
        self.places.truncate(self.limit);
        (self.places, has_more)
    }

    /// The stars that may be found in their order, from those that the page begins with; none where
    /// the order is another one.
    fn stars(&self) -> impl Iterator<Item = u8> {
        let (first, filter) = (self.first_stars, self.filter);
        let order = filter.sort().stars().into_iter().flatten();
        order
            .skip_while(move |stars| first.is_some_and(|first| first != *stars))
            .filter(|stars| filter.takes_stars(*stars))
    }

    /// The reviews of one day come by id, however they were met.
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

/// The positions whose days the filter takes.
#[must_use]
pub fn positions(review_index: &ReviewIndex, filter: &ReviewFilter) -> Range<usize> {
    let start = filter
        .until()
        .map_or(0, |day| review_index.count_after(day));
    let end = filter
        .since()
        .map_or(review_index.len(), |day| review_index.count_since(day));
    start..end.max(start)
}

// A search as it is asked for, from whatever source its parameters come: filters, page and cursor.
// The same for REST, for agents and for pages.

/// A search, ready to be answered.
#[derive(Debug)]
pub struct SearchRequest {
    /// What was asked for, in its words.
    pub arguments: SearchArguments,
    /// The same as a filter with its order.
    pub filter: ReviewFilter,
    /// How many reviews a page has.
    pub limit: u8,
    /// Where the page begins, if not with the first review.
    pub cursor: Option<Cursor>,
}

impl SearchRequest {
    /// The search that `source` asks for; what is wrong with it is kept there. An aspect must be one
    /// of `trade`.
    pub fn take_from(source: &mut impl ParameterSource, trade: &Trade) -> Self {
        let arguments = SearchArguments::take_from(source);
        if let Some(asked) = arguments.aspect.as_deref() {
            aspect_of(source, trade, asked);
        }
        let limit = source.take::<Limit>().unwrap_or(LIMIT_DEFAULT);
        let cursor = source.take::<CursorParameter>();
        let filter = ReviewFilter::new(&arguments);
        // Of filters that are wrong nobody knows what they are.
        if let Some(cursor) = cursor.as_ref().filter(|cursor| !cursor.fits(&filter))
            && !source.is_wrong()
        {
            source.refuse(cursor.invalid());
        }
        Self {
            arguments,
            filter,
            limit,
            cursor,
        }
    }
}
