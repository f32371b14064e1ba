//! The number of bytes that one import may still read, over all its files and all ways of opening them.

use std::cell::Cell;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::imports::file_error::{FileError, INPUT_BYTES_MAX};

/// The rest of [`INPUT_BYTES_MAX`], and the progress of reading.
pub struct Budget {
    pub(super) left: Cell<u64>,
    /// Number of bytes read from files, before unpacking.
    read: Cell<u64>,
    /// Size of all files; `None` if unknown.
    total: Option<u64>,
}

impl Budget {
    pub fn new(files: &[PathBuf]) -> Self {
        let size = |file: &PathBuf| {
            let metadata = fs::metadata(file).ok().filter(Metadata::is_file);
            metadata.map(|its| its.len())
        };
        Self {
            left: Cell::new(INPUT_BYTES_MAX),
            read: Cell::new(0),
            total: files.iter().map(size).sum(),
        }
    }

    /// Bytes read, and the total.
    pub fn progress(&self) -> Option<(u64, u64)> {
        let total = self.total?;
        // The end of an archive is read twice, so the number is limited to the total.
        Some((self.read.get().min(total), total))
    }

    /// A reader over `inner` that fails when the budget is used up.
    pub fn bound<R: Read>(&self, inner: R) -> Bounded<'_, R> {
        Bounded {
            inner,
            budget: self,
        }
    }

    pub fn open(&self, path: &Path) -> Result<CountedFile<'_>, FileError> {
        let file = File::open(path).map_err(FileError::unreadable)?;
        Ok(CountedFile { file, budget: self })
    }
}

/// All bytes of `input`; `None` if it has more than `bytes_max`.
pub fn whole(input: impl Read, bytes_max: u64) -> Result<Option<Vec<u8>>, FileError> {
    let mut all = Vec::new();
    let read = input.take(bytes_max + 1).read_to_end(&mut all);
    let read = read.map_err(FileError::reading)?;
    Ok((read as u64 <= bytes_max).then_some(all))
}

/// A file that counts the bytes read.
pub struct CountedFile<'a> {
    file: File,
    budget: &'a Budget,
}

impl Read for CountedFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.budget.read.update(|before| before + read as u64);
        Ok(read)
    }
}

impl Seek for CountedFile<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// A reader that uses the import's budget and fails when it is used up.
pub struct Bounded<'a, R> {
    inner: R,
    budget: &'a Budget,
}

impl<R: Read> Read for Bounded<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let left = self.budget.left.get().checked_sub(read as u64);
        let left = left.ok_or(io::ErrorKind::FileTooLarge)?;
        self.budget.left.set(left);
        Ok(read)
    }
}
