//! Finding a filter's reviews in one block.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use memchr::memmem::Finder;

use crate::edition::Postings;
use crate::edition::block::Block;
use crate::edition::entry::Mention;
use crate::edition::{REVIEWS_A_WORD, Runs, Wanted};
use crate::reviews::ReviewFilter;

/// Of 64 reviews, so many are quicker read one by one, each waiting for memory, than all in one pass.
const READ_ONE_BY_ONE_MAX: u32 = 8;

/// A filter made ready to meet many blocks.
pub struct Scan<'a> {
    filter: &'a ReviewFilter,
    text: Option<Text<'a>>,
}

/// What the text must hold, as each of the three ways of looking for it wants it.
struct Text<'a> {
    wanted: Wanted,
    runs: Runs,
    finder: Finder<'a>,
}

impl<'a> Scan<'a> {
    /// Prepares `filter`, once for all blocks.
    #[must_use]
    pub fn new(filter: &'a ReviewFilter) -> Self {
        let text = filter.query().map(str::as_bytes).map(|query| Text {
            wanted: Wanted::of(query),
            runs: Runs::of(query),
            finder: Finder::new(query),
        });
        Self { filter, text }
    }

    /// Whether nothing but the date decides.
    #[must_use]
    pub fn takes_all(&self) -> bool {
        self.text.is_none() && !self.filter.asks_stars() && self.filter.technician().is_none() && self.filter.service().is_none()
    }

    /// Whether the block may have what the filter takes, by its counts and its signature.
    #[must_use]
    pub fn may_hold(&self, block: &Block) -> bool {
        (!self.filter.asks_stars() || self.may_have_stars(block))
            && self.text.as_ref().is_none_or(|text| block.grams().may_hold(&text.wanted))
    }

    /// Calls `hit` with every index in `range` that the filter takes, ascending, until it breaks.
    pub fn each(&self, block: &Block, range: Range<usize>, hit: &mut impl FnMut(usize) -> ControlFlow<()>) -> ControlFlow<()> {
        let Some(mentioned) = self.mentioned(block) else { return ControlFlow::Continue(()) };
        match (&self.text, mentioned.first()) {
            // Only the text decides, or the text and the stars.
            (Some(text), None) => self.each_text(block, range, text, hit),
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
            && self.text.as_ref().is_none_or(|text| text.finder.find(&block.folded()[start..end]).is_some())
    }

    /// Only the texts of reviews that the block's sieve keeps; where it keeps many, or knows nothing of so short a
    /// question, all of them in one pass.
    fn each_text(
        &self,
        block: &Block,
        range: Range<usize>,
        Text { runs, finder, .. }: &Text<'_>,
        hit: &mut impl FnMut(usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if runs.is_empty() {
            return self.each_in_one_pass(block, range, finder, hit);
        }
        for word in range.start / REVIEWS_A_WORD..range.end.div_ceil(REVIEWS_A_WORD) {
            let first = word * REVIEWS_A_WORD;
            let part = range.start.max(first)..range.end.min(first + REVIEWS_A_WORD);
            let mut kept = block.sieve().may_hold(runs, word);
            if kept.count_ones() > READ_ONE_BY_ONE_MAX {
                self.each_in_one_pass(block, part, finder, hit)?;
                continue;
            }
            while kept != 0 {
                let index = first + kept.trailing_zeros() as usize;
                kept &= kept - 1;
                if part.contains(&index) && self.takes(block, index) {
                    hit(index)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn each_in_one_pass(
        &self,
        block: &Block,
        range: Range<usize>,
        finder: &Finder<'_>,
        hit: &mut impl FnMut(usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(last) = range.end.checked_sub(1) else { return ControlFlow::Continue(()) };
        let texts = &block.folded()[..block.folded_bounds(last).1];
        let (mut index, mut at) = (range.start, block.folded_bounds(range.start).0);
        while let Some(found) = finder.find(&texts[at..]) {
            let found = at + found;
            index = block.review_at(found, index);
            if self.filter.takes_stars(block.stars()[index]) {
                hit(index)?;
            }
            at = block.folded_bounds(index).1;
            index += 1;
            if index > last {
                break;
            }
        }
        ControlFlow::Continue(())
    }
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
