//! Folders, and which of their files are meant: those of an unpacked Takeout. An archive's members
//! are chosen by the same rule.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::Visit;
use crate::imports::bounds::FILES_MAX;
use crate::imports::file_error::FileError;
use crate::imports::listing;

/// How many folders deep a Takeout is searched.
const FOLDERS_DEEP_MAX: usize = 12;

impl Visit<'_, '_> {
    /// Every file of reviews in the folder at `path`, by name.
    pub(super) fn folder(&mut self, path: &Path) -> Result<(), FileError> {
        let mut found = Found::default();
        let mut files = Vec::new();
        walk(path, FOLDERS_DEEP_MAX, &mut |file| {
            let wanted = found.wants(&file.file_name().unwrap_or_default().to_string_lossy())?;
            if wanted || listing::location(&file.to_string_lossy()).is_some() {
                files.push(file.to_owned());
            }
            Ok(())
        })?;
        found.any()?;
        for file in files {
            let name = file.display().to_string();
            let taken = File::open(&file)
                .map_err(FileError::Unreadable)
                .and_then(|input| match listing::location(&name) {
                    Some(location) => self.listing(location, input),
                    None => self.one(name.clone(), input),
                });
            self.note(name, taken);
        }
        Ok(())
    }
}

/// Which files of a Takeout were met: reviews.json and its further pages (`reviews-<token>.json`,
/// `reviews_001.json`).
#[derive(Default)]
pub(super) struct Found {
    reviews: usize,
    maps: bool,
}

impl Found {
    /// Whether a file of that name is read.
    pub(super) fn wants(&mut self, name: &str) -> Result<bool, FileError> {
        let wanted = is_taken_from_folders(name);
        self.reviews += usize::from(wanted);
        // Google Maps writes its own with a capital letter.
        self.maps |= name == "Reviews.json";
        if self.reviews > FILES_MAX {
            Err(FileError::TooMany)
        } else {
            Ok(wanted)
        }
    }

    /// Refuses a place without any.
    pub(super) const fn any(&self) -> Result<(), FileError> {
        match (self.reviews, self.maps) {
            (1.., _) => Ok(()),
            (0, true) => Err(FileError::MapsReviews),
            (0, false) => Err(FileError::NoReviews),
        }
    }
}

/// Whether a file of that name is read when the folder or archive that it is in is to be imported.
#[must_use]
pub fn is_taken_from_folders(name: &str) -> bool {
    name.strip_suffix(".json")
        .is_some_and(|stem| stem.starts_with("reviews"))
}

/// Calls `take` with every file below `path`, by name. Links are not followed.
fn walk(
    path: &Path,
    deep: usize,
    take: &mut dyn FnMut(&Path) -> Result<(), FileError>,
) -> Result<(), FileError> {
    let mut entries = fs::read_dir(path)
        .and_then(Iterator::collect::<io::Result<Vec<_>>>)
        .map_err(FileError::Unreadable)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let kind = entry.file_type().map_err(FileError::Unreadable)?;
        if kind.is_file() {
            take(&entry.path())?;
        } else if kind.is_dir() && deep > 0 {
            walk(&entry.path(), deep - 1, take)?;
        }
    }
    Ok(())
}
