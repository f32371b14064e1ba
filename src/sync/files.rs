//! Files and folders as sources: something else fills them, and the oldest file comes first.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};
use sha2::{Digest as _, Sha256};

use super::error::SyncError;
use super::fetch::Fetched;
use super::source::Source;
use crate::config::SyncConfig;
use crate::imports::is_taken_from_folders;
use crate::model::hash::hex;

/// A file that changed within this time may still be written.
const SETTLED_AFTER: Duration = Duration::from_secs(10);
/// Folders deep to which an unpacked Takeout is searched.
const FOLDERS_DEEP_MAX: usize = 6;

/// The finished files of a source, oldest first; none if `is_conditional` and they are those of the last whole run.
///
/// # Errors
/// If the source is not below the folder of `REVIEWS_SYNC_FILES`, links followed, or cannot be read.
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
    let found = find_below(root, path);
    let found = found
        .map_err(|error| fault(format!("cannot be read below REVIEWS_SYNC_FILES: {error}")))?;
    let all = found.len();
    let files = settled(found, (now - SETTLED_AFTER).into());
    let digest = digest(&files);
    let is_same = is_conditional && source.row.etag.as_ref() == Some(&digest);
    let new = files.iter().filter(|_| !is_same);
    Ok(Fetched {
        files: new.map(|(_, file)| file.clone()).collect(),
        is_same,
        waiting: all - files.len(),
        etag: Some(digest),
        ..Fetched::default()
    })
}

/// The file at `path`, or the files of the folder there.
fn find_below(root: &Path, path: &str) -> io::Result<Vec<(Metadata, PathBuf)>> {
    let root = root.canonicalize()?;
    let place = root.join(path).canonicalize()?;
    if !place.starts_with(&root) {
        return Err(io::Error::other("it leads out of that folder"));
    }
    if !place.is_dir() {
        return Ok(vec![(place.metadata()?, place)]);
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(&place)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_ascii_lowercase();
        if name.starts_with('.') || is_unfinished(&name) {
            continue;
        }
        // A link may lead anywhere; a folder may be an unpacked Takeout.
        let file = entry.path().canonicalize();
        let file = file.and_then(|file| Ok((file.metadata()?, file)));
        match file {
            Ok((metadata, file))
                if file.starts_with(&root)
                    && (metadata.is_file() || holds_reviews(&file, FOLDERS_DEEP_MAX)) =>
            {
                found.push((metadata, file));
            }
            Ok(_) => {}
            // It was removed since, or is a link to nothing.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(io::Error::new(error.kind(), format!("{name}: {error}"))),
        }
    }
    Ok(found)
}

/// The files that did not change since `before`, oldest first.
fn settled(mut files: Vec<(Metadata, PathBuf)>, before: SystemTime) -> Vec<(Metadata, PathBuf)> {
    files.retain(|(metadata, _)| metadata.modified().is_ok_and(|at| at <= before));
    files.sort_by_key(|(metadata, file)| (metadata.mtime(), metadata.mtime_nsec(), file.clone()));
    files
}

/// Whether a name in lower case is that of a file that is still written.
fn is_unfinished(name: &str) -> bool {
    let end = Path::new(name).extension();
    end.is_some_and(|end| end == "part" || end == "tmp")
}

fn holds_reviews(folder: &Path, deep: usize) -> bool {
    let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.any(|entry| {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        is_taken_from_folders(&entry.file_name().to_string_lossy())
            || (is_folder && deep > 0 && holds_reviews(&entry.path(), deep - 1))
    })
}

/// A digest of names, sizes and times.
fn digest(files: &[(Metadata, PathBuf)]) -> String {
    let mut digest = Sha256::new();
    for (metadata, file) in files {
        let (seconds, nanoseconds) = (metadata.mtime(), metadata.mtime_nsec());
        digest.update(format!(
            "{} {} {seconds}.{nanoseconds}\n",
            file.display(),
            metadata.len()
        ));
    }
    hex(&digest.finalize())
}
