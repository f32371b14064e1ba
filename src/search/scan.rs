//! Finding a filter's reviews in one block. Apart from the plan, which decides of which blocks.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use memchr::memmem::Finder;

use crate::edition::Postings;
use crate::edition::block::Block;
use crate::edition::entry::Mention;
use crate::reviews::ReviewFilter;

/// A filter made ready to meet many blocks.
pub struct Scan<'a> {
    filter: &'a ReviewFilter,
    finder: Option<Finder<'a>>,
}

impl<'a> Scan<'a> {
    /// Prepares `filter`, once for all blocks.
    #[must_use]
    pub fn new(filter: &'a ReviewFilter) -> Self {
        Self { filter, finder: filter.query().map(Finder::new) }
    }

    /// Whether nothing but the date decides.
    #[must_use]
    pub fn takes_all(&self) -> bool {
        self.finder.is_none() && !self.filter.asks_stars() && !self.asks_mentions()
    }

    /// Whether it matters who or what is mentioned.
    #[must_use]
    pub fn asks_mentions(&self) -> bool {
        self.filter.technician().is_some() || self.filter.service().is_some()
    }

    /// Whether the block may have what the filter takes, by its counts.
    #[must_use]
    pub fn may_hold(&self, block: &Block) -> bool {
        !self.filter.asks_stars() || self.may_have_stars(block)
    }

    /// Which of a block's reviews have what the filter asks to be mentioned, as a count.
    #[must_use]
    pub fn count_mentioned(&self, block: &Block) -> usize {
        if !self.asks_mentions() {
            return block.len();
        }
        self.mentioned(block).and_then(|mentioned| mentioned.first().map(|fewest| fewest.len())).unwrap_or(0)
    }

    /// Whether the filter takes one review.
    #[must_use]
    pub fn takes_one(&self, block: &Block, index: usize) -> bool {
        let holds = |positions: &Cow<'_, [u32]>| positions.binary_search(&u32::try_from(index).unwrap_or(u32::MAX)).is_ok();
        self.takes(block, index)
            && (!self.asks_mentions() || self.mentioned(block).is_some_and(|mentioned| mentioned.iter().all(holds)))
    }

    /// Calls `hit` with every index in `range` that the filter takes, ascending, until it breaks.
    pub fn each(&self, block: &Block, range: Range<usize>, hit: &mut impl FnMut(usize) -> ControlFlow<()>) -> ControlFlow<()> {
        let Some(mentioned) = self.mentioned(block) else { return ControlFlow::Continue(()) };
        match (&self.finder, mentioned.first()) {
            // Only the text decides, or the text and the stars.
            (Some(finder), None) => each_text(block, range, finder, &mut |index| {
                if self.filter.takes_stars(block.stars()[index]) { hit(index) } else { ControlFlow::Continue(()) }
            }),
            (_, Some(fewest)) => {
                let rest = &mentioned[1..];
                for position in fewest.iter().filter(|position| range.contains(&(**position as usize))) {
                    let index = *position as usize;
                    if rest.iter().all(|positions| positions.binary_search(position).is_ok()) && self.takes(block, index) {
                        hit(index)?;
                    }
                }
                ControlFlow::Continue(())
            }
            (None, None) => {
                for index in range {
                    if self.filter.takes_stars(block.stars()[index]) {
                        hit(index)?;
                    }
                }
                ControlFlow::Continue(())
            }
        }
    }

    /// Where the block has what the filter asks to be mentioned, fewest first; `None` where it lacks one of them.
    fn mentioned<'b>(&self, block: &'b Block) -> Option<Vec<Cow<'b, [u32]>>> {
        let mut mentioned = Vec::new();
        if let Some(name) = self.filter.technician() {
            mentioned.push(positions(block.technicians(), |mention| mention.folded == name)?);
        }
        if let Some(id) = self.filter.service() {
            mentioned.push(positions(block.services(), |mention| mention.value == id)?);
        }
        mentioned.sort_by_key(|positions| positions.len());
        Some(mentioned)
    }

    fn may_have_stars(&self, block: &Block) -> bool {
        (1..=5).zip(block.tally().by_stars()).any(|(stars, count)| count > 0 && self.filter.takes_stars(stars))
    }

    fn takes(&self, block: &Block, index: usize) -> bool {
        let (start, end) = block.folded_bounds(index);
        self.filter.takes_stars(block.stars()[index])
            && self.finder.as_ref().is_none_or(|finder| finder.find(&block.folded()[start..end]).is_some())
    }
}

/// Calls `hit` with every index in `range` whose folded text holds what `finder` looks for, ascending, until it breaks: one
/// pass over all texts.
pub fn each_text(
    block: &Block,
    range: Range<usize>,
    finder: &Finder<'_>,
    hit: &mut impl FnMut(usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let Some(last) = range.end.checked_sub(1) else { return ControlFlow::Continue(()) };
    let texts = &block.folded()[..block.folded_bounds(last).1];
    let (mut index, mut at) = (range.start, block.folded_bounds(range.start).0);
    while let Some(found) = finder.find(&texts[at..]) {
        index = block.review_at(at + found, index);
        hit(index)?;
        at = block.folded_bounds(index).1;
        index += 1;
        if index > last {
            break;
        }
    }
    ControlFlow::Continue(())
}

/// The positions of all values that are meant (two spellings of a name may fold to one); `None` where there is none.
fn positions(postings: &Postings, is_meant: impl Fn(&Mention) -> bool) -> Option<Cow<'_, [u32]>> {
    let mut meant = postings.iter().filter(|posting| is_meant(&posting.mention)).map(|posting| posting.positions.as_slice());
    let first = meant.next()?;
    let Some(second) = meant.next() else { return Some(Cow::Borrowed(first)) };
    let mut united = [first, second].concat();
    meant.for_each(|positions| united.extend_from_slice(positions));
    united.sort_unstable();
    united.dedup();
    Some(Cow::Owned(united))
}
