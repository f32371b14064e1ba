//! The number of bytes that one import may still read, over all its files and all ways of opening them.

use std::cell::Cell;
use std::fs::{self, Metadata};
use std::io::{self, Read};
use std::path::PathBuf;

use crate::imports::file_error::{FileError, INPUT_BYTES_MAX};

/// The rest of [`INPUT_BYTES_MAX`], and the progress of reading.
pub struct Budget {
    left: Cell<u64>,
    /// The share of rows whose reviews were read: the rows, and all of them.
    rows: Cell<(u64, u64)>,
    /// Size of all files, before unpacking; `None` if unknown.
    total: Option<u64>,
}

impl Budget {
    pub fn new(files: &[PathBuf]) -> Self {
        let size = |file: &PathBuf| {
            let metadata = fs::metadata(file).ok().filter(Metadata::is_file);
            metadata.map(|its| its.len())
        };
        Self {
            total: files.iter().map(size).sum(),
            ..Self::of(INPUT_BYTES_MAX)
        }
    }

    pub const fn of(bytes: u64) -> Self {
        Self {
            left: Cell::new(bytes),
            rows: Cell::new((0, 1)),
            total: None,
        }
    }

    /// Begins to count rows, of which there are so many.
    pub fn expect_rows(&self, all: usize) {
        self.rows.set((0, all.max(1) as u64));
    }

    /// Counts one more row.
    pub fn note_row(&self) {
        self.rows.update(|(done, of)| (done + 1, of));
    }

    /// Bytes read, and the total.
    pub fn progress(&self) -> Option<(u64, u64)> {
        let total = self.total?;
        let (done, of) = self.rows.get();
        Some((total * done.min(of) / of, total))
    }

    /// All bytes of `input`.
    ///
    /// # Errors
    /// When it cannot be read, or the budget is used up.
    pub fn read(&self, input: impl Read) -> Result<Vec<u8>, FileError> {
        let (mut all, left) = (Vec::new(), self.left.get());
        let read = input.take(left + 1).read_to_end(&mut all);
        let read = read.map_err(FileError::unreadable)? as u64;
        let left = left.checked_sub(read);
        let too_large = || FileError::reading(io::ErrorKind::FileTooLarge.into());
        self.left.set(left.ok_or_else(too_large)?);
        Ok(all)
    }

    /// Gives back the bytes of an archive, of which only what is unpacked counts.
    pub fn give_back(&self, bytes: usize) {
        self.left.update(|left| left + bytes as u64);
    }
}
