//! How much one import may read. Apart, because who reads holds to it and the errors say it.

/// How many bytes one import may read, unpacked, over all its files: 1 GiB.
pub const INPUT_BYTES_MAX: u64 = 1 << 30;
/// How many files of reviews a folder or archive may hold.
pub(super) const FILES_MAX: usize = 10_000;
