//! Folders, and which of their files are meant: those of an unpacked Takeout. An archive's members
//! are chosen by the same rule.

use std::fs::File;
use std::path::Path;
use std::{fs, io};

use serde_json::Value;

use super::{FILES_MAX, Visit};
use crate::imports::file_error::FileError;

/// How many folders deep a Takeout is searched.
const FOLDERS_DEEP_MAX: usize = 12;

impl Visit<'_, '_> {
    /// Every file of reviews in the folder at `path`, by name.
    pub(super) fn folder(&mut self, path: &Path) -> Result<(), FileError> {
        let mut found = Found::default();
        let mut files = Vec::new();
        walk(path, FOLDERS_DEEP_MAX, &mut |file| {
            let wanted = found.wants(&file.file_name().unwrap_or_default().to_string_lossy())?;
            if wanted || location(&file.to_string_lossy()).is_some() {
                files.push(file.to_owned());
            }
            Ok(())
        })?;
        found.any()?;
        for file in files {
            let name = file.display().to_string();
            let taken = File::open(&file)
                .map_err(FileError::Unreadable)
                .and_then(|input| match location(&name) {
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

// What a business calls one of its locations: Google Takeout says it in `additionalData.json`, beside the location's
// reviews. Apart from the formats, because it holds no reviews.

/// How many bytes of such a file are read; it has a few thousand.
pub const BYTES_MAX: u64 = 1 << 20;

/// A location, and what the business calls it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// As the folder says it, which is as the names of its reviews do.
    pub location: String,
    /// Its name, trimmed: 1 to 200 characters, no control characters.
    pub name: String,
}

/// The location whose listing the file at this path is: `…/location-77/additionalData.json`.
pub fn location(path: &str) -> Option<&str> {
    let (folder, file) = path.rsplit_once(['/', '\\'])?;
    let folder = folder.rsplit(['/', '\\']).next()?;
    (file == "additionalData.json")
        .then(|| folder.strip_prefix("location-"))
        .flatten()
}

/// The listing in such a file. One that cannot be read is none: no review hangs on it.
pub fn read(location: &str, json: &[u8]) -> Option<Listing> {
    let json = json.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(json);
    let value: Value = serde_json::from_slice(json).ok()?;
    let attributes = value.get("attributes")?.as_array()?;
    let is_name = |attribute: &&Value| {
        attribute
            .pointer("/id/attributeType")
            .and_then(Value::as_str)
            == Some("LISTING_NAME")
    };
    let name = attributes.iter().find(is_name).and_then(|attribute| {
        let first = attribute
            .pointer("/values/0")
            .or_else(|| attribute.get("value"))?;
        ["/datum/listingName/text", "/listingName/text", "/text", ""]
            .iter()
            .find_map(|path| first.pointer(path).and_then(Value::as_str))
    })?;
    let name = name.trim();
    (!name.is_empty() && !name.contains(char::is_control) && name.chars().count() <= 200).then(
        || Listing {
            location: location.to_owned(),
            name: name.to_owned(),
        },
    )
}

#[cfg(test)]
mod tests {
    use super::{location, read};

    #[test]
    fn the_name_of_a_listing_is_read_and_anything_else_is_none() {
        let named = r#"{"attributes": [{"id": {"attributeType": "PHONE"}, "values": [{"datum": {"phone": "5"}}]},
            {"id": {"attributeType": "LISTING_NAME"}, "values": [{"datum": {"listingName": {"text": " Desert Peak "}}}]}]}"#;
        assert_eq!(
            read("77", named.as_bytes()).map(|its| its.name).as_deref(),
            Some("Desert Peak")
        );
        for other in [
            "{}",
            "[",
            r#"{"attributes": [{"id": {"attributeType": "LISTING_NAME"}, "values": []}]}"#,
        ] {
            assert_eq!(read("77", other.as_bytes()), None, "{other}");
        }
        let path = "Takeout/Google Business Profile/account-1/location-77/additionalData.json";
        assert_eq!(location(path), Some("77"));
        assert_eq!(location("location-77/reviews.json"), None);
        assert_eq!(location("elsewhere/additionalData.json"), None);
    }
}
