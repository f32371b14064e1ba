//! Reads the files that settings and commands name: whole, up to a size limit, because a path may be `/dev/zero` or the wrong
//! file. Opening or reading a pipe may wait for ever, so only a command that a person runs takes one: Ctrl-C ends it.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

/// Larger than any of them.
const FILE_MIB_MAX: u64 = 16;

/// Opens a file that an operator names, and never waits.
///
/// # Errors
/// The operating system's error; [`io::ErrorKind::InvalidInput`] if it is a pipe, a device or a folder.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let refusal = || {
        let reason = "it is a folder, a pipe or a device, and reading it could wait for ever; name a regular file";
        io::Error::new(io::ErrorKind::InvalidInput, reason)
    };
    // First, because opening a device may act on it.
    if !fs::metadata(path)?.is_file() {
        return Err(refusal());
    }
    // It may be another file by now.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let mut options = File::options();
    let file = options.read(true).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(refusal());
    }
    Ok(file)
}

/// The bytes of the regular file at `path`, at most 16 MiB.
///
/// # Errors
/// Those of [`open_regular`]; [`io::ErrorKind::FileTooLarge`] if the file is larger.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    read_whole(open_regular(path)?)
}

fn read_whole(input: impl Read) -> io::Result<Vec<u8>> {
    let bytes_max = FILE_MIB_MAX << 20;
    let mut bytes = Vec::new();
    input.take(bytes_max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max {
        let message =
            format!("it has more than {FILE_MIB_MAX} MiB; check that it is the right file");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// The text of the regular file at `path`.
///
/// # Errors
/// Those of [`read_file`]; [`io::ErrorKind::InvalidData`] if it is not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    read_text_of(open_regular(path)?)
}

/// The text of the file or pipe at `path`, for a command that a person runs.
///
/// # Errors
/// Those of [`read_text_of`].
pub fn read_text_or_pipe(path: &Path) -> io::Result<String> {
    read_text_of(File::open(path)?)
}

/// The text of `input`, at most 16 MiB.
///
/// # Errors
/// The operating system's error; [`io::ErrorKind::FileTooLarge`] if it is longer, [`io::ErrorKind::InvalidData`] if it is not UTF-8.
pub fn read_text_of(input: impl Read) -> io::Result<String> {
    String::from_utf8(read_whole(input)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}
