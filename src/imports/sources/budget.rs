//! How much one import may still read, over all its files. Apart, because every way of opening one
//! draws on the same. Rows are judged elsewhere.

use std::cell::Cell;
use std::io::{self, Read};

use crate::imports::bounds::INPUT_BYTES_MAX;
use crate::imports::file_error::TooLarge;

/// What is left of [`INPUT_BYTES_MAX`].
pub(in crate::imports) struct Budget(Cell<u64>);

impl Default for Budget {
    fn default() -> Self {
        Self(Cell::new(INPUT_BYTES_MAX))
    }
}

impl Budget {
    #[cfg(test)]
    pub(super) const fn of(bytes: u64) -> Self {
        Self(Cell::new(bytes))
    }

    /// `inner`, which fails when the budget is used up.
    pub(super) fn bound<R: Read>(&self, inner: R) -> Bounded<'_, R> {
        Bounded {
            inner,
            budget: self,
        }
    }
}

/// A reader that draws on the import's budget and fails when it is used up.
pub(super) struct Bounded<'a, R> {
    inner: R,
    budget: &'a Budget,
}

impl<R: Read> Read for Bounded<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let left = self
            .budget
            .0
            .get()
            .checked_sub(read as u64)
            .ok_or_else(|| io::Error::other(TooLarge))?;
        self.budget.0.set(left);
        Ok(read)
    }
}
