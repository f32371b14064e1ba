//! Reads a folder of sample data: business.json, reviews.jsonl and, if present, editorial.json. Unlike an ordinary
//! import it replaces the business, and it reports errors in files written by hand with line and column. The editorial
//! texts are only read; the caller writes them.

use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde_json::Value;
use thiserror::Error;

use crate::clock::Clock;
use crate::config::read_text;
use crate::imports::file_error::{ImportError, reason};
use crate::imports::map::business;
use crate::imports::map::fields::FieldError;
use crate::imports::merge::collector::Collected;
use crate::imports::merge::{Merging, time_zone};
use crate::imports::platforms::native;
use crate::imports::read::detect::{Detected, Rows};
use crate::imports::read::json::walk;
use crate::imports::report::{ImportReport, Watcher};
use crate::imports::{ImportRequest, gather};
use crate::model::business::{Business, Editorial};
use crate::storage;
use crate::storage::Write;

/// Maximum size of a JSON file written by hand, in MiB.
const JSON_MIB_MAX: u64 = 16;

/// A folder's data, ready to be written.
#[derive(Debug)]
pub struct SampleData {
    business: Business,
    /// Whether business.json contains the setting `publish_staff`.
    says_publish_staff: bool,
    collected: Collected,
    now: DateTime<Utc>,
    /// `None` without an editorial.json.
    pub editorial: Option<Editorial>,
}

/// Errors of reading a folder; nothing was changed.
#[derive(Debug, Error)]
pub enum SeedError {
    /// A required file is missing.
    #[error("{}: no such file; a folder of sample data has business.json and reviews.jsonl, and may have editorial.json", .0.display())]
    Missing(PathBuf),
    #[error("{}: cannot be read: {reason}", path.display())]
    Unreadable {
        path: PathBuf,
        /// The operating system's error.
        reason: io::Error,
    },
    #[error("{}:{line}:{column}: {message}", path.display())]
    Wrong {
        path: PathBuf,
        /// From 1; 1 if unknown.
        line: usize,
        /// In bytes from 1; 1 if unknown.
        column: usize,
        /// The problem, and the allowed values.
        message: String,
    },
    #[error(transparent)]
    Reviews(#[from] ImportError),
}

/// A JSON file written by hand.
#[derive(Debug)]
struct JsonFile {
    path: PathBuf,
    text: String,
    value: Value,
}

/// A `business.json` without unknown members.
#[derive(Debug)]
pub struct BusinessFile(JsonFile);

impl BusinessFile {
    /// # Errors
    /// [`SeedError`] with the file and, if known, the line.
    pub fn read(path: &Path) -> Result<Self, SeedError> {
        JsonFile::read(path, business::check_members).map(Self)
    }

    /// Whether the file has that member and it is not empty.
    pub fn says(&self, name: &str) -> bool {
        let member = self.0.value.get(name);
        member.is_some_and(|member| !member.is_null() && *member != "")
    }

    /// Merges the file into `known`: missing members stay, and `null` removes one (RFC 7396, but lists are replaced
    /// whole).
    ///
    /// # Errors
    /// [`SeedError`] with the file and, if known, the line.
    pub fn merged(&self, known: Option<&Business>) -> Result<Business, SeedError> {
        let before = known.cloned().unwrap_or_default();
        self.0
            .make(|value| business::business(value, before, known.is_none()))
    }

    /// Replaces `known`, except the setting `publish_staff`, which a published business does not contain. The time zone
    /// also stays if the file has none, because the reviews' days depend on it.
    ///
    /// # Errors
    /// [`SeedError`] with the file and, if known, the line.
    pub fn replacing(&self, known: Option<&Business>) -> Result<Business, SeedError> {
        let mut before = Business::default();
        if let Some(known) = known {
            (before.publish_staff, before.time_zone) = (known.publish_staff, known.time_zone);
        }
        self.0.make(|value| business::business(value, before, true))
    }
}

/// An `editorial.json` without unknown members.
#[derive(Debug)]
pub struct EditorialFile(JsonFile);

impl EditorialFile {
    /// # Errors
    /// [`SeedError`] with the file and, if known, the line.
    pub fn read(path: &Path) -> Result<Self, SeedError> {
        JsonFile::read(path, business::check_editorial).map(Self)
    }

    /// Merges the file into `known`: missing members stay, `null` removes one, and lists are replaced whole.
    ///
    /// # Errors
    /// [`SeedError`] with the file and, if known, the line.
    pub fn merged(&self, known: &Editorial) -> Result<Editorial, SeedError> {
        self.0
            .make(|value| business::editorial(value, known.clone()))
    }
}

/// Reads the sample data in `folder`. Invalid rows of reviews.jsonl go to `watch` and do not stop the import.
///
/// # Errors
/// [`SeedError`] with the file.
pub fn read(folder: &Path, clock: &Clock, watch: Watcher<'_>) -> Result<SampleData, SeedError> {
    let now = clock.now();
    let path = folder.join("business.json");
    if matches!(path.try_exists(), Ok(false)) {
        return Err(SeedError::Missing(path));
    }
    let file = BusinessFile::read(&path)?;
    let business = file.merged(None)?;
    let path = folder.join("editorial.json");
    let editorial = if path.exists() {
        Some(EditorialFile::read(&path)?.merged(&Editorial::default())?)
    } else {
        None
    };
    let path = folder.join("reviews.jsonl");
    if !path.is_file() {
        return Err(SeedError::Missing(path));
    }
    let request = ImportRequest {
        files: vec![path],
        ..ImportRequest::default()
    };
    let found = |_, _: &ImportRequest| {
        Ok(Detected {
            format: &native::FORMAT,
            rows: Rows::Lines { rejected: false },
        })
    };
    let zone = Some(business.time_zone);
    let collected = gather(&request, now, true, zone, watch, found);
    let collected = collected.map_err(ImportError::Files)?;
    Ok(SampleData {
        business,
        says_publish_staff: file.says("publish_staff"),
        collected,
        now,
        editorial,
    })
}

impl SampleData {
    /// Writes the business and the reviews within `write`, which the caller commits. Repeating it changes nothing.
    ///
    /// # Errors
    /// When the database refuses the write.
    pub async fn write(self, write: &mut Write, watch: Watcher<'_>) -> sqlx::Result<ImportReport> {
        let known = storage::business::find(write).await?;
        let mut business = self.business;
        if let Some(known) = known.as_ref().filter(|_| !self.says_publish_staff) {
            business.publish_staff = known.publish_staff;
        }
        if known.as_ref() != Some(&business) {
            storage::business::replace(write, &business).await?;
        }
        let moved = time_zone::follow(write, business.time_zone, self.now).await?;
        let Collected {
            mut staging,
            report,
            ..
        } = self.collected;
        staging.put().await?;
        let request = ImportRequest::default();
        let mut merging = Merging::new(write, self.now, &request, report).await?;
        merging.all(&mut staging, watch).await?;
        Ok(ImportReport {
            moved,
            ..merging.report
        })
    }
}

impl JsonFile {
    /// Reads a file whose members `check` accepts.
    fn read(
        path: &Path,
        check: impl FnOnce(&Value) -> Result<(), FieldError>,
    ) -> Result<Self, SeedError> {
        let text = read_text(path, JSON_MIB_MAX).map_err(|reason| {
            let path = path.to_owned();
            SeedError::Unreadable { path, reason }
        })?;
        let text = text.trim_start_matches('\u{feff}').to_owned();
        let value = serde_json::from_str(&text).map_err(|error| SeedError::Wrong {
            path: path.to_owned(),
            line: error.line(),
            column: error.column(),
            message: format!("the JSON is broken ({})", reason(&error)),
        })?;
        let path = path.to_owned();
        let file = Self { path, text, value };
        file.make(check)?;
        Ok(file)
    }

    /// The result of `make`; a problem gets the position of its value in the file.
    fn make<T>(&self, make: impl FnOnce(&Value) -> Result<T, FieldError>) -> Result<T, SeedError> {
        make(&self.value).map_err(|problem| {
            let (line, column) = locate(&self.text, &problem.path).unwrap_or((1, 1));
            SeedError::Wrong {
                path: self.path.clone(),
                line,
                column,
                message: problem.to_string(),
            }
        })
    }
}

/// Line and column (both from 1) of the value at `path` in `json`, or of the end of the object that lacks it. It is
/// needed because problems are found in parsed values, which have no positions.
fn locate(json: &str, path: &str) -> Option<(usize, usize)> {
    let object = path.rsplit_once('.').map_or("", |(object, _)| object);
    walk(json.as_bytes(), DEEP_MAX, true, &mut |its, is_end| {
        its == if is_end { object } else { path }
    })
}

/// Maximum nesting depth of files written by hand.
const DEEP_MAX: usize = 32;

#[cfg(test)]
mod tests {
    use super::locate;

    #[test]
    fn a_path_is_found_where_it_stands() {
        let json = "{\n \"id\": \"a\",\n \"services\": [\n  {\"id\": 1},\n  {\"id\": 2}\n ]\n}";
        assert_eq!(locate(json, "id").map(|at| at.0), Some(2));
        assert_eq!(locate(json, "services[1].id").map(|at| at.0), Some(5));
        assert_eq!(locate(json, "services[0].name").map(|at| at.0), Some(4));
        assert_eq!(locate(json, "name").map(|at| at.0), Some(7));
    }
}
