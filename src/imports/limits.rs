//! What bounds the reading of an import: the memory that it may take, and the stop.

use crate::imports::report::{FileError, Watch};

/// Bytes that are counted of one import. It takes at most 400 MiB beside what is published: the rest is for one row while it is parsed,
/// and for what the allocator keeps.
const COUNTED_BYTES_MAX: usize = 320 << 20;
/// After so many values the stop is looked at: more than a few microseconds are between two values only if these are large.
pub const VALUES_BETWEEN_LOOKS: u64 = 256;

/// The memory that an import may still take, over all its files.
#[derive(Clone, Copy)]
pub struct ImportLimits<'w> {
    bytes_left: usize,
    /// The number of values that were counted.
    values: u64,
    /// `None` if it cannot be stopped.
    watch: Option<&'w (dyn Watch + Send)>,
}

impl<'w> ImportLimits<'w> {
    pub const fn new(watch: Option<&'w (dyn Watch + Send)>) -> Self {
        Self {
            bytes_left: COUNTED_BYTES_MAX,
            values: 0,
            watch,
        }
    }

    /// Counts a value before it is kept: the bytes of its text, and of what holds it.
    ///
    /// # Errors
    /// When the import would take too much memory, or is to stop.
    pub fn take(&mut self, bytes: usize) -> Result<(), FileError> {
        self.bytes_left = self.bytes_left.checked_sub(bytes).ok_or_else(too_large)?;
        self.values += 1;
        let is_due = self.values.is_multiple_of(VALUES_BETWEEN_LOOKS);
        if is_due && self.watch.is_some_and(Watch::is_stopped) {
            return Err(FileError::new("stopped"));
        }
        Ok(())
    }

    /// That these bytes are free again.
    pub const fn give(&mut self, bytes: usize) {
        self.bytes_left += bytes;
    }

    pub const fn bytes_taken(&self) -> usize {
        COUNTED_BYTES_MAX - self.bytes_left
    }

    pub const fn bytes_left(&self) -> usize {
        self.bytes_left
    }

    /// The same memory, for an import that cannot be stopped.
    pub fn unwatched(self) -> ImportLimits<'static> {
        ImportLimits {
            bytes_left: self.bytes_left,
            values: 0,
            watch: None,
        }
    }
}

fn too_large() -> FileError {
    FileError::new(
        "the import would need more than 400 MiB of memory; split the file into several, and import one after the other",
    )
}
