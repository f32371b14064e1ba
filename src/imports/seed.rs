//! The sample data of a folder: business.json, reviews.jsonl and, if it is there, editorial.json.
//!
//! Apart from ordinary imports, because here the business is replaced, and a file that is written
//! by hand is told line and column. The editorial texts are only read: their rows belong to
//! `insights`, which stands beside this room.

use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde_json::Value;
use thiserror::Error;

use crate::clock::Clock;
use crate::config::bounded_read::read_text;
use crate::imports::file_error::{ImportError, reason};
use crate::imports::map::business;
use crate::imports::map::fields::Problem;
use crate::imports::merge::collector::Collected;
use crate::imports::merge::{Merging, time_zone};
use crate::imports::platforms::native;
use crate::imports::read::detect::{Detected, Rows};
use crate::imports::read::json::walk;
use crate::imports::report::{Report, Watcher};
use crate::imports::{ImportRequest, gather};
use crate::model::business::{Business, Editorial};
use crate::storage;
use crate::storage::Write;

/// How many MiB a JSON file that is written by hand may have.
const JSON_MIB_MAX: u64 = 16;

/// What a folder of sample data holds, ready to be written.
#[derive(Debug)]
pub struct Seed {
    business: Business,
    /// Whether business.json says how technicians are shown.
    says_publish_staff: bool,
    collected: Collected,
    now: DateTime<Utc>,
    /// The editorial texts, where editorial.json is there.
    pub editorial: Option<Editorial>,
}

/// Why a folder holds no sample data. Nothing was changed then.
#[derive(Debug, Error)]
pub enum SeedError {
    /// A file that must be there is not.
    #[error("{}: no such file; a folder of sample data has business.json and reviews.jsonl, and may have editorial.json", .0.display())]
    Missing(PathBuf),
    /// A file cannot be read.
    #[error("{}: cannot be read: {reason}", path.display())]
    Unreadable {
        /// The file that cannot be read.
        path: PathBuf,
        /// What the operating system said.
        reason: io::Error,
    },
    /// A file is wrong.
    #[error("{}:{line}:{column}: {message}", path.display())]
    Wrong {
        /// The file that is wrong.
        path: PathBuf,
        /// The line, from 1; 1 where the place is unknown.
        line: usize,
        /// The column, in bytes from 1; 1 where the place is unknown.
        column: usize,
        /// What is wrong, and what is allowed.
        message: String,
    },
    /// The reviews cannot be read.
    #[error(transparent)]
    Reviews(#[from] ImportError),
}

/// A JSON file that was written by hand.
#[derive(Debug)]
struct JsonFile {
    path: PathBuf,
    text: String,
    value: Value,
}

/// A `business.json`, all of whose members are known.
#[derive(Debug)]
pub struct BusinessFile(JsonFile);

impl BusinessFile {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// [`SeedError`], which names the file, and where it can the line.
    pub fn read(path: &Path) -> Result<Self, SeedError> {
        let file = JsonFile::read(path)?;
        file.make(business::check_members)?;
        Ok(Self(file))
    }

    /// Whether it has that member, filled.
    #[must_use]
    pub fn says(&self, name: &str) -> bool {
        let member = self.0.value.get(name);
        member.is_some_and(|member| !member.is_null() && *member != "")
    }

    /// The file merged into `known`: members that it does not have stay, and `null` removes one (RFC 7396, but lists are
    /// replaced whole).
    ///
    /// # Errors
    /// [`SeedError`], which names the file, and where it can the line.
    pub fn merged(&self, known: Option<&Business>) -> Result<Business, SeedError> {
        let before = known.cloned().unwrap_or_default();
        self.0
            .make(|value| business::business(value, before, known.is_none()))
    }

    /// The file in the place of `known`, of which stays what a published business never says: how technicians are shown. The
    /// time zone stays too if the file has none, because the days of the reviews hang on it.
    ///
    /// # Errors
    /// [`SeedError`], which names the file, and where it can the line.
    pub fn replacing(&self, known: Option<&Business>) -> Result<Business, SeedError> {
        let mut before = Business::default();
        if let Some(known) = known {
            (before.publish_staff, before.time_zone) = (known.publish_staff, known.time_zone);
        }
        self.0.make(|value| business::business(value, before, true))
    }
}

/// An `editorial.json`, all of whose members are known.
#[derive(Debug)]
pub struct EditorialFile(JsonFile);

impl EditorialFile {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// [`SeedError`], which names the file, and where it can the line.
    pub fn read(path: &Path) -> Result<Self, SeedError> {
        let file = JsonFile::read(path)?;
        file.make(business::check_editorial)?;
        Ok(Self(file))
    }

    /// The file merged into `known`: members that it does not have stay, `null` removes one, and a list replaces the list.
    ///
    /// # Errors
    /// [`SeedError`], which names the file, and where it can the line.
    pub fn merged(&self, known: &Editorial) -> Result<Editorial, SeedError> {
        self.0
            .make(|value| business::editorial(value, known.clone()))
    }
}

/// Reads the sample data in `folder`. Rows of reviews.jsonl that are wrong are told to `watch`, and
/// stop nothing.
///
/// # Errors
/// [`SeedError`], which names the file.
pub fn read(folder: &Path, clock: &Clock, watch: Watcher<'_>) -> Result<Seed, SeedError> {
    let now = clock.now();
    let file = BusinessFile::read(&folder.join("business.json")).map_err(missing)?;
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
    let collected = gather(&request, now, true, zone, watch, &found);
    let collected = collected.map_err(ImportError::Files)?;
    Ok(Seed {
        business,
        says_publish_staff: file.says("publish_staff"),
        collected,
        now,
        editorial,
    })
}

impl Seed {
    /// Writes the business and the reviews within `write`, which the caller commits. What is there
    /// already stays as it is, so that a second time changes nothing.
    ///
    /// # Errors
    /// When the database refuses it.
    pub async fn write(self, write: &mut Write, watch: Watcher<'_>) -> sqlx::Result<Report> {
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
        Ok(Report {
            moved,
            ..merging.report
        })
    }
}

impl JsonFile {
    fn read(path: &Path) -> Result<Self, SeedError> {
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
        Ok(Self {
            path: path.to_owned(),
            text,
            value,
        })
    }

    /// What `make` makes of it; what is wrong with it has its place in the file.
    fn make<T>(&self, make: impl FnOnce(&Value) -> Result<T, Problem>) -> Result<T, SeedError> {
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

/// The error about a file that a folder of sample data must have.
fn missing(error: SeedError) -> SeedError {
    if let SeedError::Unreadable { path, reason } = &error
        && reason.kind() == io::ErrorKind::NotFound
    {
        return SeedError::Missing(path.clone());
    }
    error
}

/// Line and column (both from 1) of the value at `path` in `json`, or of the end of the object that lacks it: complaints are made
/// about parsed values, which no longer know where they stood.
fn locate(json: &str, path: &str) -> Option<(usize, usize)> {
    let object = path.rsplit_once('.').map_or("", |(object, _)| object);
    let is_meant = |its: &str, is_end| if is_end { its == object } else { its == path };
    walk(json.as_bytes(), DEEP_MAX, true, &mut |its, is_end| {
        is_meant(its, is_end)
    })
}

/// How deep files are looked into that are written by hand.
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
