//! Reads whole files up to a size limit, because a given path may be `/dev/zero` or the wrong file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The bytes of the file at `path`, at most `mib_max` MiB.
///
/// # Errors
/// The operating system's error; [`io::ErrorKind::FileTooLarge`] if the file is larger.
pub fn read(path: &Path, mib_max: u64) -> io::Result<Vec<u8>> {
    let bytes_max = mib_max << 20;
    let mut bytes = Vec::new();
    File::open(path)?
        .take(bytes_max + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max {
        let message = format!("it has more than {mib_max} MiB; check that it is the right file");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// The text of the file at `path`, at most `mib_max` MiB.
///
/// # Errors
/// Those of [`read`]; [`io::ErrorKind::InvalidData`] if it is not UTF-8.
pub fn read_text(path: &Path, mib_max: u64) -> io::Result<String> {
    String::from_utf8(read(path, mib_max)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}
