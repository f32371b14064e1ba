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
    let files = finished_files(root, path, (now - SETTLED_AFTER).into());
    let files = files
        .map_err(|error| fault(format!("cannot be read below REVIEWS_SYNC_FILES: {error}")))?;
    let digest = digest(&files);
    let is_same = is_conditional && source.row.etag.as_ref() == Some(&digest);
    let files = files.into_iter().filter(|_| !is_same).map(|(_, file)| file);
    Ok(Fetched {
        files: files.collect(),
        is_same,
        etag: Some(digest),
        ..Fetched::default()
    })
}

fn finished_files(
    root: &Path,
    path: &str,
    before: SystemTime,
) -> io::Result<Vec<(Metadata, PathBuf)>> {
    let root = root.canonicalize()?;
    let place = root.join(path).canonicalize()?;
    if !place.starts_with(&root) {
        return Err(io::Error::other("it leads out of that folder"));
    }
    let mut found = vec![place.clone()];
    if place.is_dir() {
        found.clear();
        for entry in fs::read_dir(&place)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().to_ascii_lowercase();
            // A link may lead anywhere; a folder may be an unpacked Takeout.
            let file = entry.path().canonicalize()?;
            let is_finished = !name.starts_with('.') && !is_unfinished(&name);
            if is_finished
                && file.starts_with(&root)
                && (file.is_file() || holds_reviews(&file, FOLDERS_DEEP_MAX))
            {
                found.push(file);
            }
        }
    }
    let mut files = Vec::new();
    for file in found {
        let metadata = file.metadata()?;
        if metadata.modified()? <= before {
            files.push((metadata, file));
        }
    }
    files.sort_by_key(|(metadata, file)| (metadata.mtime(), metadata.mtime_nsec(), file.clone()));
    Ok(files)
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
