//! Filters and orders as sets of positions: a filter is an intersection, an order a walk over a set.

use std::iter::from_fn;

use roaring::RoaringBitmap;

use super::cursor::Cursor;
use super::request::{ReviewFilter, SearchParameters};
use crate::insights::Trade;
use crate::model::{Sort, fold};
use crate::snapshot::Entries;

/// The reviews that match `filter`, its text aside. An aspect that is not in `trade` matches nothing.
pub fn select(entries: &Entries, filter: &ReviewFilter, trade: &Trade) -> RoaringBitmap {
    let (index, filter) = (entries.index(), &filter.parameters);
    let mut selected = RoaringBitmap::new();
    selected.insert_range(entries.positions(filter.since, filter.until));
    let SearchParameters {
        rating,
        min_rating,
        max_rating,
        ..
    } = filter;
    if rating.is_some() || min_rating.is_some() || max_rating.is_some() {
        let matches = |stars: &u8| {
            rating.is_none_or(|rating| rating == *stars)
                && min_rating.is_none_or(|least| f64::from(*stars) >= least)
                && max_rating.is_none_or(|most| f64::from(*stars) <= most)
        };
        let matching = (1..=5).filter(matches);
        selected &= matching.fold(RoaringBitmap::new(), |all, stars| all | index.stars(stars));
    }
    // Names and tags are compared without case (tags: RFC 5646 §2.1.1), ids as they are.
    for (values, value) in [
        (
            &index.technicians,
            filter.mentions_technician.as_deref().map(fold),
        ),
        (&index.services, filter.mentions_service.clone()),
        (&index.languages, filter.language.as_deref().map(fold)),
        (&index.sources, filter.source.as_deref().map(fold)),
    ] {
        match value.map(|value| values.get(&value)) {
            None => {}
            Some(Some(positions)) => selected &= positions,
            Some(None) => selected.clear(),
        }
    }
    for (has_it, positions) in [
        (filter.has_text, &index.with_text),
        (filter.has_response, &index.with_response),
    ] {
        match has_it {
            None => {}
            Some(true) => selected &= positions,
            Some(false) => selected -= positions,
        }
    }
    if let Some(id) = &filter.aspect {
        let aspect = trade.aspect(id);
        selected &=
            aspect.map_or_else(RoaringBitmap::new, |at| index.opinions(at, filter.polarity));
    }
    selected
}

/// The positions that come after `cursor` in the order `sort`.
pub fn after(entries: &Entries, sort: Sort, cursor: &Cursor) -> RoaringBitmap {
    let mut after = RoaringBitmap::new();
    let Some(day) = cursor.day() else {
        return after;
    };
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let through = count(entries.count_through(day, &cursor.id));
    let rest = through..count(entries.len());
    match sort {
        Sort::Newest => drop(after.insert_range(rest)),
        Sort::Oldest => {
            after.insert_range(0..count(entries.count_after(day)));
            after.insert_range(through..count(entries.count_since(day)));
        }
        Sort::Highest | Sort::Lowest => {
            after.insert_range(rest);
            let order = sort.stars().into_iter().flatten();
            let mut order = order.skip_while(|stars| Some(*stars) != cursor.stars);
            after &= order.next().map_or_else(RoaringBitmap::new, |stars| {
                entries.index().stars(stars).clone()
            });
            order.for_each(|stars| after |= entries.index().stars(stars));
        }
    }
    after
}

/// The positions of `set` in the order `sort`, or in the reverse of it.
pub fn ordered<'a>(
    entries: &'a Entries,
    set: &'a RoaringBitmap,
    sort: Sort,
    is_reversed: bool,
) -> Box<dyn Iterator<Item = u32> + 'a> {
    match (sort, is_reversed) {
        (Sort::Newest, false) => Box::new(set.iter()),
        (Sort::Newest, true) => Box::new(set.iter().rev()),
        (Sort::Oldest, false) => Box::new(days_oldest_first(entries, set).flatten()),
        (Sort::Oldest, true) => Box::new(days_newest_first(entries, set).flatten()),
        (Sort::Highest | Sort::Lowest, _) => {
            let mut order = sort.stars().unwrap_or_default();
            if is_reversed {
                order.reverse();
            }
            let index = entries.index();
            let of_stars = order
                .into_iter()
                .map(move |stars| (set & index.stars(stars)).into_iter());
            if is_reversed {
                Box::new(of_stars.flat_map(Iterator::rev))
            } else {
                Box::new(of_stars.flatten())
            }
        }
    }
}

/// The days of `set`, oldest first; within each, IDs ascend as positions do.
fn days_oldest_first<'a>(
    entries: &'a Entries,
    set: &'a RoaringBitmap,
) -> impl Iterator<Item = impl Iterator<Item = u32>> {
    let mut end = u32::try_from(entries.len()).unwrap_or(u32::MAX);
    from_fn(move || {
        let last = set.range(..end).next_back()?;
        let day = entries[last as usize].review.date;
        end = u32::try_from(entries.count_after(day)).unwrap_or(u32::MAX);
        Some(set.range(end..=last))
    })
}

/// The days of `set`, newest first; within each, IDs descend.
fn days_newest_first<'a>(
    entries: &'a Entries,
    set: &'a RoaringBitmap,
) -> impl Iterator<Item = impl Iterator<Item = u32>> {
    let mut start = 0;
    from_fn(move || {
        let first = set.range(start..).next()?;
        let day = entries[first as usize].review.date;
        start = u32::try_from(entries.count_since(day)).unwrap_or(u32::MAX);
        Some(set.range(first..start).rev())
    })
}
