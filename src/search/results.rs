//! The result of a search: a page and the total.
//!
//! A filter is an intersection of sets of positions, an order a walk over a set. With a text, the database's text index leaves
//! the reviews that may contain it, and these are read, newest first.

use std::iter::from_fn;

use roaring::RoaringBitmap;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::names::{named, nearest_names};
use super::parameters::{Cursor, SearchParameters};
use super::text::{TextMatch, TextQuery};
use crate::compute::run_long_if;
use crate::model::{PublishedReview, Sort, fold, hex};
use crate::snapshot::{Content, Entries, Index, Snapshot, position};
use crate::wire::{self, DidYouMean, MatchedRelation, SearchHead};

/// Counting the matches of a text stops at this number; a greater number is reported as "this many or more".
pub const MATCHED_MAX: u64 = 1_000;
/// One more than [`MATCHED_MAX`].
const FOUND_MAX: usize = 1_001;
/// Number of reviews whose texts are read without asking the text index, which takes as long.
const READ_UNASKED_MAX: u64 = 100;
/// A search that reads as many texts waits for its turn: about 50 µs.
const READ_IN_TURN_MIN: u64 = 1_000;
/// Number of texts that are read without delaying other tasks of the thread: about 200 µs.
const READ_AT_ONCE: u64 = 4_000;
/// A page of at most this many reviews is rendered within about 100 µs; a longer one is rendered apart.
pub const SHORT_PAGE: usize = 20;

#[derive(Debug, Clone, Default)]
pub struct ResultPage {
    /// Matches on all pages.
    pub matched: u64,
    /// Whether the number is exact; otherwise counting stopped at its limit.
    pub is_exact: bool,
    /// The positions of the page's reviews in the snapshot.
    pub positions: Vec<usize>,
    /// The cursor of the next page, if there is one.
    pub next: Option<Cursor>,
    /// Other ways to ask, if nothing was found.
    pub did_you_mean: Option<DidYouMean>,
}

impl ResultPage {
    pub fn reviews<'a>(&'a self, snapshot: &'a Snapshot) -> impl Iterator<Item = PublishedReview> {
        self.positions.iter().map(|at| snapshot.input.review(*at))
    }

    /// The answer but for the reviews. `ignored` are the names of its unknown parameters.
    pub fn head(&self, limit: u8, ignored: Vec<String>) -> SearchHead {
        SearchHead {
            matched: self.matched,
            matched_relation: if self.is_exact {
                MatchedRelation::Eq
            } else {
                MatchedRelation::Gte
            },
            returned: self.positions.len() as u64,
            limit: limit.into(),
            next_cursor: self.next.as_ref().map(Cursor::to_string),
            did_you_mean: self.did_you_mean.clone(),
            ignored,
        }
    }

    /// The JSON of `head` with the reviews as they are in the dataset.
    pub fn json(&self, snapshot: &Snapshot, head: &impl Serialize) -> Content {
        run_long_if(self.positions.len() > SHORT_PAGE, || {
            let mut json = wire::opening(head);
            let mut digest = Sha256::new_with_prefix(&json);
            for (number, at) in self.positions.iter().enumerate() {
                if number > 0 {
                    json.push(b',');
                }
                let (review, review_digest) = snapshot.input.entries.json(*at);
                json.extend_from_slice(&review);
                digest.update(review_digest);
            }
            json.extend_from_slice(b"]}");
            Content {
                pieces: vec![json.into()],
                digest: hex(&digest.finalize()),
            }
        })
    }
}

/// A page of the reviews of `snapshot` that match; if none does, with known values for unknown ones, and with the other rule
/// of comparing texts if it finds something. `turn` is awaited before many texts are read.
///
/// # Errors
/// That of `turn`.
pub async fn search_reviews<S, E, T>(
    snapshot: &Snapshot,
    parameters: &SearchParameters,
    turn: impl Fn() -> T,
) -> Result<ResultPage, E>
where
    T: Future<Output = Result<S, E>>,
{
    let mut found = find_page(snapshot, parameters, &turn).await?;
    if found.matched == 0 {
        let mut suggestions = nearest_names(snapshot, parameters);
        if parameters.query.is_some() && parameters.text_match == TextMatch::Substring {
            let by_words = SearchParameters {
                text_match: TextMatch::Words,
                limit: 0,
                cursor: None,
                ..parameters.clone()
            };
            let by_words = find_page(snapshot, &by_words, &turn).await?;
            suggestions.text_match =
                (by_words.matched > 0).then(|| vec![TextMatch::Words.name().to_owned()]);
        }
        found.did_you_mean = Some(suggestions).filter(|it| *it != DidYouMean::default());
    }
    Ok(found)
}

/// Like [`search_reviews`], without suggestions.
///
/// # Errors
/// That of `turn`.
pub async fn find_page<S, E, T>(
    snapshot: &Snapshot,
    parameters: &SearchParameters,
    turn: impl Fn() -> T,
) -> Result<ResultPage, E>
where
    T: Future<Output = Result<S, E>>,
{
    let entries = &snapshot.input.entries;
    let text = parameters.text();
    let mut matches = select(snapshot, parameters);
    // What some of the matches do not have.
    let (mut unread, mut _slot) = (None, None);
    if let Some(query) = &text {
        matches = candidates(snapshot, matches, query).await;
        if matches.len() >= READ_IN_TURN_MIN {
            _slot = Some(turn().await?);
        }
        let found = find(entries, &matches, query);
        if found.len() > MATCHED_MAX {
            // The page may have others than those that were found.
            unread = Some(query);
        } else {
            matches = found;
        }
    }
    let matched = if unread.is_some() {
        MATCHED_MAX
    } else {
        matches.len()
    };
    if let Some(cursor) = &parameters.cursor {
        matches &= after(entries, parameters.sort, cursor);
    }
    let in_order = ordered(entries, &matches, parameters.sort).map(|at| at as usize);
    let found = in_order.filter(|at| unread.is_none_or(|query| query.is_in(entries.text(*at))));
    let limit = usize::from(parameters.limit);
    let mut positions: Vec<usize> =
        run_long_if(unread.is_some(), || found.take(limit + 1).collect());
    let has_next = positions.len() > limit;
    positions.truncate(limit);
    let last = positions.last().filter(|_| has_next);
    let next = last.map(|at| Cursor::after(parameters, &entries[*at].review));
    Ok(ResultPage {
        matched,
        is_exact: unread.is_none(),
        positions,
        next,
        did_you_mean: None,
    })
}

/// Those of the `selected` reviews that may have the text, by the database's text index; all of them if it cannot tell.
async fn candidates(
    snapshot: &Snapshot,
    selected: RoaringBitmap,
    query: &TextQuery,
) -> RoaringBitmap {
    let (index, parts) = (snapshot.input.entries.index(), query.parts());
    if !parts.iter().all(|part| Index::is_indexed(part)) {
        return selected & &index.unindexed;
    }
    let review_nos = if selected.len() > READ_UNASKED_MAX {
        let database = &snapshot.database;
        database.text_candidates(&parts, &snapshot.position).await
    } else {
        Ok(None)
    };
    match review_nos {
        Ok(Some(review_nos)) => {
            let indexed = index.positions_of(&review_nos);
            selected & (indexed | &index.unindexed)
        }
        Ok(None) => selected,
        Err(error) => {
            tracing::debug!(%error, "search.index_failed: the text index cannot be asked, so the texts are read");
            selected
        }
    }
}

/// The newest of the reviews at these positions whose text matches, at most [`FOUND_MAX`].
fn find(entries: &Entries, positions: &RoaringBitmap, query: &TextQuery) -> RoaringBitmap {
    run_long_if(positions.len() > READ_AT_ONCE, || {
        let texts = entries.texts(positions);
        let matching = texts.filter_map(|(at, text)| query.is_in(text).then_some(at));
        matching.take(FOUND_MAX).collect()
    })
}

/// The reviews that match, the text aside. An aspect that is not in the trade matches nothing, and neither does a name
/// of no entity or of several.
fn select(snapshot: &Snapshot, filter: &SearchParameters) -> RoaringBitmap {
    let (entries, trade) = (&snapshot.input.entries, snapshot.input.analyzer.trade);
    let index = entries.index();
    let mut selected = RoaringBitmap::new();
    selected.insert_range(entries.positions_between(filter.since, filter.until));
    if filter.rating.is_some() || filter.min_rating.is_some() || filter.max_rating.is_some() {
        let matching = (1..=5).filter(|stars| {
            (filter.rating).is_none_or(|rating| rating == *stars)
                && (filter.min_rating).is_none_or(|least| f64::from(*stars) >= least)
                && (filter.max_rating).is_none_or(|most| f64::from(*stars) <= most)
        });
        selected &= matching.fold(RoaringBitmap::new(), |all, stars| all | index.stars(stars));
    }
    for (kind, query) in filter.mentions() {
        let positions = match &named(snapshot, kind, query)[..] {
            [value] => index.mentioning(kind, value),
            _ => None,
        };
        match positions {
            None => selected.clear(),
            Some(positions) => selected &= positions,
        }
    }
    // Names and tags are compared without case (tags: RFC 5646 §2.1.1).
    for (values, value) in [
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
        (filter.has_reply, &index.with_reply),
        (filter.verified, &index.verified),
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
fn after(entries: &Entries, sort: Sort, cursor: &Cursor) -> RoaringBitmap {
    let mut after = RoaringBitmap::new();
    let day = cursor.day;
    let through = position(entries.count_through(day, &cursor.id));
    let rest = through..position(entries.len());
    match sort {
        Sort::Newest => drop(after.insert_range(rest)),
        Sort::Oldest => {
            after.insert_range(0..position(entries.count_after(day)));
            after.insert_range(through..position(entries.count_since(day)));
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

/// The positions of `set` in the order `sort`.
fn ordered<'a>(
    entries: &'a Entries,
    set: &'a RoaringBitmap,
    sort: Sort,
) -> Box<dyn Iterator<Item = u32> + 'a> {
    match sort {
        Sort::Newest => Box::new(set.iter()),
        Sort::Oldest => Box::new(days_oldest_first(entries, set).flatten()),
        Sort::Highest | Sort::Lowest => {
            let (order, index) = (sort.stars().unwrap_or_default(), entries.index());
            let of_stars = (order.into_iter()).map(move |stars| set & index.stars(stars));
            Box::new(of_stars.flatten())
        }
    }
}

/// The days of `set`, oldest first; within each, IDs ascend as positions do.
fn days_oldest_first<'a>(
    entries: &'a Entries,
    set: &'a RoaringBitmap,
) -> impl Iterator<Item = impl Iterator<Item = u32>> {
    let mut end = position(entries.len());
    from_fn(move || {
        let last = set.range(..end).next_back()?;
        let day = entries[last as usize].review.date;
        end = position(entries.count_after(day));
        Some(set.range(end..=last))
    })
}
