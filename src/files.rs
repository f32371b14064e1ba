//! Reads the files that settings and commands name: whole, up to a size limit, because a path may be `/dev/zero` or the wrong
//! file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The bytes of the file at `path`, at most `mib_max` MiB.
///
/// # Errors
/// The operating system's error; [`io::ErrorKind::FileTooLarge`] if the file is larger.
pub fn read_file(path: &Path, mib_max: u64) -> io::Result<Vec<u8>> {
    read_whole(File::open(path)?, mib_max)
}

fn read_whole(input: impl Read, mib_max: u64) -> io::Result<Vec<u8>> {
    let bytes_max = mib_max << 20;
    let mut bytes = Vec::new();
    input.take(bytes_max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max {
        let message = format!("it has more than {mib_max} MiB; check that it is the right file");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// The text of the file at `path`, at most `mib_max` MiB.
///
/// # Errors
/// Those of [`read_file`]; [`io::ErrorKind::InvalidData`] if it is not UTF-8.
pub fn read_text(path: &Path, mib_max: u64) -> io::Result<String> {
    read_text_of(File::open(path)?, mib_max)
}

/// The text of `input`, at most `mib_max` MiB.
///
/// # Errors
/// Those of [`read_text`].
pub fn read_text_of(input: impl Read, mib_max: u64) -> io::Result<String> {
    String::from_utf8(read_whole(input, mib_max)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}
