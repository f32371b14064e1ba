//! How a question is answered: where to begin, when to stop.

use std::ops::{ControlFlow, Range};

use bytes::Bytes;

use super::cursor::Cursor;
use super::scan::Scan;
use crate::edition::{Edition, Shelf};
use crate::reviews::ReviewFilter;

/// Where counting stops: a total beyond is "this many or more".
pub const TOTAL_MAX: u64 = 1_000;

/// How many blocks' signatures are asked before the first of them is read.
const BLOCKS_AHEAD: usize = 16;

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
    let (mut number, mut left) = (first, positions.len());
    for blocks in shelf.blocks()[first..].chunks(BLOCKS_AHEAD) {
        // Their signatures are far apart in memory: asked one behind the other, they are waited for all at once.
        let mut may_hold = [false; BLOCKS_AHEAD];
        blocks.iter().zip(&mut may_hold).for_each(|(block, may_hold)| *may_hold = scan.may_hold(block));
        for (block, may_hold) in blocks.iter().zip(may_hold) {
            let range = index..block.len().min(index + left);
            if range.is_empty() {
                return ControlFlow::Continue(());
            }
            left -= range.len();
            index = 0;
            if may_hold {
                scan.each(block, range, &mut |index| hit(number, index))?;
            }
            number += 1;
        }
    }
    ControlFlow::Continue(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use chrono::DateTime;

    use super::{TOTAL_MAX, search};
    use crate::edition::entry::Entry;
    use crate::edition::print::{Copy, print};
    use crate::edition::{Document, Edition, Filler, Printed, Publication, Sheet};
    use crate::links::Links;
    use crate::reviews::store::Reading;
    use crate::reviews::{Mentions, Method, Rating, Review, ReviewFilter, SearchArguments, Source, Status, Verification, fold};

    const WORDS: [&str; 12] = ["leak", "Leaks", "fixed", "the", "was", "É té", "€", "東京都", "ß", "a", "thethe", "🙂🙂"];

    /// Newest first; what a review says is a function of its number.
    fn reviews() -> Vec<Review> {
        let review = |number: usize| {
            let words = (0..number * 7 % 23).map(|at| WORDS[(number * 31 + at * at * 17 + at) % WORDS.len()]);
            let words: Vec<&str> = words.collect();
            let technicians = if number.is_multiple_of(3) { vec!["Zoë Ray".to_owned()] } else { Vec::new() };
            Review {
                id: format!("r-{number:05}").parse().unwrap(),
                rating: Rating::try_from(1 + i64::try_from(number % 5).unwrap()).unwrap(),
                date: format!("20{:02}-06-{:02}", 24 - number / 200, 28 - number % 200 / 8).parse().unwrap(),
                author: "A".to_owned(),
                title: None,
                text: words.join(if number.is_multiple_of(2) { " " } else { "" }),
                language: None,
                source: Source { name: "Direct".to_owned(), url: None },
                verification: Verification { verified: true, method: Method::Manual, verified_at: None },
                mentions: Mentions::new(technicians, Vec::new(), Vec::new()),
                response: None,
                status: Status::Published,
                updated_at: None,
            }
        };
        (0..2_600).map(review).collect()
    }

    fn edition(reviews: &[Review]) -> Edition {
        let links: Links = "https://reviews.example.com".parse().unwrap();
        let mut filler = Filler::default();
        for review in reviews {
            filler.push(&Entry::unread(review.clone(), &links));
        }
        let copy = Copy { shelf: filler.finish(), ..Copy::default() };
        let documents = Document::ALL.map(|document| {
            let sheet = Arc::new(Sheet::new(document.content_type(), print(document, &copy, &links)));
            let digest = sheet.content.digest.clone();
            let publication = Publication { version: 1, digest, changed_at: DateTime::UNIX_EPOCH, is_same_second: false };
            Arc::new(Printed { document, sheet, publication })
        });
        Edition::new(Reading::default(), copy, documents.into())
    }

    #[test]
    fn what_is_found_is_what_reading_everything_finds() {
        let reviews = reviews();
        let edition = edition(&reviews);
        let pieces = ["leak fixed", "fixedthe", "e w", "te", "k f", "京都", "京都€", "🙂🙂 the", "s the was", "absent", "ksleak"];
        let spoilt = ["leakz", "the waz", "東京x"];
        for query in WORDS.into_iter().chain(pieces).chain(spoilt) {
            for (rating, technician, since) in
                [(None, None, None), (Some(2), None, None), (None, Some("ZOË ray"), Some("2018-06-09"))]
            {
                let arguments = SearchArguments {
                    query: Some(query.to_owned()),
                    rating: rating.map(|stars| Rating::try_from(stars).unwrap()),
                    mentions_technician: technician.map(str::to_owned),
                    since: since.map(|day| day.parse().unwrap()),
                    ..SearchArguments::default()
                };
                let is_meant = |review: &&Review| {
                    fold(&review.text).contains(&fold(query))
                        && arguments.rating.is_none_or(|rating| review.rating == rating)
                        && arguments.since.is_none_or(|since| review.date >= since)
                        && (technician.is_none() || !review.mentions.technicians.is_empty())
                };
                let expected: Vec<&str> = reviews.iter().filter(is_meant).map(|review| review.id.as_str()).collect();
                let filter = ReviewFilter::new(&arguments);
                let (mut ids, mut cursor) = (Vec::new(), None);
                loop {
                    let found = search(&edition, &filter, 70, cursor.as_ref());
                    let total = expected.len() as u64;
                    assert_eq!((found.total, found.is_exact), (total.min(TOTAL_MAX), total <= TOTAL_MAX), "{arguments:?}");
                    ids.extend(found.reviews.iter().map(|json| String::from_utf8_lossy(&json[7..14]).into_owned()));
                    cursor = found.next;
                    if cursor.is_none() {
                        break;
                    }
                }
                assert_eq!(ids, expected, "{arguments:?}");
            }
        }
    }
}
