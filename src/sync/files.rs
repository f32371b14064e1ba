//! Finds the files of a source that something else fills, below the folder `REVIEWS_SYNC_FILES`. Links are not followed: who may
//! write there must not choose other files of this machine.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use rustix::fs::{AtFlags, Dir, FileType, Stat, fstat, statat};
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};

use super::error::SyncError;
use super::fetch::Fetched;
use super::source::Source;
use crate::config::SyncConfig;
use crate::imports::{is_taken_from_folders, open_below, open_root};
use crate::model::hex;

/// A file that changed within this time may still be written.
const SETTLED_AFTER_SECONDS: u64 = 10;
/// Folders deep to which an unpacked Takeout is searched.
const FOLDERS_DEEP_MAX: usize = 6;

/// The finished files of a source, oldest first; none if `is_conditional` and they are those of the last whole run.
///
/// # Errors
/// If the source is not below the folder of `REVIEWS_SYNC_FILES`, or cannot be read.
pub fn find_files(
    config: &SyncConfig,
    source: &Source,
    now: DateTime<Utc>,
    is_conditional: bool,
) -> Result<Fetched, SyncError> {
    let path = &source.row.url;
    let fault = |reason| SyncError::failed(format!("{path}: {reason}"));
    let Some(root) = &config.sync_files else {
        return Err(fault(
            "REVIEWS_SYNC_FILES is not set; set it to the folder with the files of sources"
                .to_owned(),
        ));
    };
    let unreadable = |error: io::Error| {
        fault(format!(
            "cannot be read below REVIEWS_SYNC_FILES: {error}; links are not followed there"
        ))
    };
    let below = open_root(root).map_err(unreadable)?;
    let mut files = Vec::new();
    collect_files(below.as_fd(), Path::new(path), &mut files).map_err(unreadable)?;
    let all = files.len();
    if files.is_empty() {
        return Err(fault("there is no file with reviews".to_owned()));
    }
    // One of the future was written by another clock.
    files.retain(|(stat, _)| now.timestamp().abs_diff(stat.st_mtime) >= SETTLED_AFTER_SECONDS);
    files.sort_by_key(|(stat, file)| (stat.st_mtime, stat.st_mtime_nsec, file.clone()));
    let digest = digest(&files);
    let is_same = is_conditional && source.row.etag.as_ref() == Some(&digest);
    let waiting = all - files.len();
    let new = files.into_iter().filter(|_| !is_same);
    Ok(Fetched {
        files: new.map(|(_, file)| file).collect(),
        below: Some(Arc::new(below)),
        is_same,
        waiting,
        etag: Some(digest),
        ..Fetched::default()
    })
}

/// Finds the file at `path`, or the files of the folder there.
fn collect_files(
    root: BorrowedFd<'_>,
    path: &Path,
    found: &mut Vec<(Stat, PathBuf)>,
) -> io::Result<()> {
    let opened = open_below(root, path)?;
    let stat = fstat(&opened)?;
    let kind = FileType::from_raw_mode(stat.st_mode);
    if kind.is_file() {
        found.push((stat, path.to_owned()));
        return Ok(());
    }
    if !kind.is_dir() {
        return Err(io::Error::other("it is neither a file nor a folder"));
    }
    for (name, stat) in entries(&opened)? {
        let end = Path::new(&name).extension();
        let end = end.map(OsStr::to_ascii_lowercase).unwrap_or_default();
        if name.as_bytes().starts_with(b".") || end == "part" || end == "tmp" {
            continue;
        }
        let (child, kind) = (path.join(name), FileType::from_raw_mode(stat.st_mode));
        // Neither a link nor a pipe, whose reading may never end.
        if kind.is_file() {
            found.push((stat, child));
        } else if kind.is_dir() {
            find_unpacked(root, &child, FOLDERS_DEEP_MAX, found)?;
        }
    }
    Ok(())
}

/// Finds the files with reviews in an unpacked Takeout.
fn find_unpacked(
    root: BorrowedFd<'_>,
    folder: &Path,
    deep: usize,
    found: &mut Vec<(Stat, PathBuf)>,
) -> io::Result<()> {
    for (name, stat) in entries(open_below(root, folder)?)? {
        let (child, kind) = (folder.join(&name), FileType::from_raw_mode(stat.st_mode));
        if kind.is_dir() && deep > 0 {
            find_unpacked(root, &child, deep - 1, found)?;
        } else if kind.is_file() && is_taken_from_folders(&name.to_string_lossy()) {
            found.push((stat, child));
        }
    }
    Ok(())
}

/// The names in a folder, with what they are themselves, links included.
fn entries(folder: impl AsFd) -> io::Result<Vec<(OsString, Stat)>> {
    let mut found = Vec::new();
    for entry in Dir::read_from(&folder)? {
        let name = OsStr::from_bytes(entry?.file_name().to_bytes()).to_owned();
        if name == "." || name == ".." {
            continue;
        }
        match statat(&folder, &name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => found.push((name, stat)),
            // It was removed since.
            Err(Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(found)
}

/// A digest of names, sizes and times.
fn digest(files: &[(Stat, PathBuf)]) -> String {
    let mut digest = Sha256::new();
    for (stat, file) in files {
        digest.update(format!(
            "{} {} {}.{}\n",
            file.display(),
            stat.st_size,
            stat.st_mtime,
            stat.st_mtime_nsec
        ));
    }
    hex(&digest.finalize())
}
