//! Selects and orders the hits of one page.
//!
//! Hits arrive newest first, or oldest first in that order. In an order by stars, hits are collected per rating, newest
//! first, and ratings that can no longer appear on the page are not searched.

use std::ops::Range;

use super::cursor::{Cursor, CursorParameter};
use super::names::aspect_of;
use super::scan::StarSet;
use crate::model::parameters::{Limit, ParameterSource};
use crate::model::{
    Day, LIMIT_DEFAULT, PluralEndings, ReviewFilter, SearchArguments, Sort, TextMatch,
};
use crate::snapshot::input::SnapshotInput;
use crate::snapshot::{Place, ReviewIndex};

/// Greater than every place; the place of a position without a review.
const NOWHERE: Place = (usize::MAX, usize::MAX);

pub struct PageBuilder<'a> {
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
    #[must_use]
    pub fn new(
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
                let (newer, of_day) = review_index.around_day(cursor.day);
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
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Whether hits must arrive oldest first.
    #[must_use]
    pub fn is_backwards(&self) -> bool {
        self.is_reversed != (self.filter.sort == Sort::Oldest)
    }

    pub fn take(&mut self, place: Place) {
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
    #[must_use]
    pub fn is_full(&self) -> bool {
        match self.filter.sort {
            Sort::Newest | Sort::Oldest => self.places.len() > self.limit,
            Sort::Highest | Sort::Lowest => self.wanted_stars() == StarSet(0),
        }
    }

    /// The ratings that may still have hits on the page.
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

    /// The reviews of the page in order, and the nearest hit beyond it: the next one, or the previous one if the page
    /// ends at its cursor.
    #[must_use]
    pub fn finish(mut self) -> (Vec<Place>, Option<Place>) {
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
#[must_use]
pub fn positions(
    review_index: &ReviewIndex,
    since: Option<Day>,
    until: Option<Day>,
) -> Range<usize> {
    let start = until.map_or(0, |day| review_index.count_after(day));
    let end = since.map_or(review_index.len(), |day| review_index.count_since(day));
    start..end.max(start)
}

// Search requests, with the same parameters for REST, MCP and pages.

#[derive(Debug)]
pub struct SearchRequest {
    /// As given.
    pub arguments: SearchArguments,
    /// The arguments as a filter with its order.
    pub filter: ReviewFilter,
    /// Reviews per page.
    pub limit: u8,
    /// `None` for the first page.
    pub cursor: Option<Cursor>,
}

impl SearchRequest {
    /// Reads a search of the reviews of `input` from `source`, which records errors. `text_match` is the default mode;
    /// plurals are those of the business's language. An aspect must belong to the trade.
    pub fn take_from(
        source: &mut impl ParameterSource,
        input: &SnapshotInput,
        text_match: TextMatch,
    ) -> Self {
        let (trade, language) = (input.analyzer.trade(), input.business.language.as_deref());
        let arguments = SearchArguments::take_from(source, text_match, PluralEndings::of(language));
        if let Some(asked) = arguments.aspect.as_deref() {
            aspect_of(source, trade, asked);
        }
        let limit = source.take::<Limit>().unwrap_or(LIMIT_DEFAULT);
        let cursor = source.take::<CursorParameter>();
        let filter = ReviewFilter::new(&arguments);
        // With an invalid filter, the cursor cannot be checked.
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
