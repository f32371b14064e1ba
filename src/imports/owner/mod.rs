//! What the owner states about the business: business.json and editorial.json, which an owner writes by hand. `business` reads their
//! JSON; errors in them have line and column. Exports begin with the same objects.

use std::path::{Path, PathBuf};

use serde_json::Value;
use thiserror::Error;

use crate::config::read_text;
use crate::imports::fault::{FieldError, listed, reason};
use crate::model::business::{Business, Editorial};
use crate::model::json::locate;
use business::Origin;

pub mod business;

/// A fault of a file: its line and its byte of that line, both from 1 (1 if unknown), and the problem with the allowed
/// values.
type LocatedFault = (usize, usize, String);

/// Why a file cannot be used: each fault on a line.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct OwnerFileError(String);

/// All faults of a file, in its order.
fn wrong(path: &Path, mut faults: Vec<LocatedFault>) -> OwnerFileError {
    faults.sort();
    faults.dedup();
    let lines = faults
        .into_iter()
        .map(|(line, column, message)| format!("{}:{line}:{column}: {message}", path.display()));
    OwnerFileError(listed(lines, "faults"))
}

/// A `business.json` or an `editorial.json`, both written by hand, without unknown members.
#[derive(Debug)]
pub struct OwnerFile {
    path: PathBuf,
    text: String,
    value: Value,
}

impl OwnerFile {
    /// Whether the file has that member and it is not empty.
    pub fn says(&self, name: &str) -> bool {
        let member = self.value.get(name);
        member.is_some_and(|member| !member.is_null() && *member != "")
    }

    /// The business of the file, merged into `known`: missing members stay, and `null` removes one (RFC 7396, but lists are
    /// replaced whole). One that replaces `known` keeps only the setting `publish_staff`, so that no name is shown by
    /// leaving it out, and the time zone, because the reviews' days depend on it.
    ///
    /// # Errors
    /// [`OwnerFileError`] with all faults and, if known, their lines.
    pub fn business(
        &self,
        known: Option<&Business>,
        replaces: bool,
    ) -> Result<Business, OwnerFileError> {
        let mut before = known.cloned().unwrap_or_default();
        if replaces {
            before = Business {
                publish_staff: before.publish_staff,
                time_zone: before.time_zone,
                ..Business::default()
            };
        }
        let is_whole = replaces || known.is_none();
        self.make(|value| business::business(value, &before, Origin::Owner { is_whole }))
    }

    /// Merges the editorial texts into `known`: missing members stay, `null` removes one, and lists are replaced whole.
    ///
    /// # Errors
    /// [`OwnerFileError`] with all faults and, if known, their lines.
    pub fn editorial(&self, known: &Editorial) -> Result<Editorial, OwnerFileError> {
        let origin = Origin::Owner { is_whole: false };
        self.make(|value| business::editorial(value, known, origin))
    }

    /// # Errors
    /// [`OwnerFileError`] if the file cannot be read, or its JSON is broken.
    pub fn read(path: &Path) -> Result<Self, OwnerFileError> {
        let text = read_text(path)
            .map_err(|reason| {
                OwnerFileError(format!("{}: cannot be read: {reason}", path.display()))
            })?
            .trim_start_matches('\u{feff}')
            .to_owned();
        let value = serde_json::from_str(&text).map_err(|error| {
            let message = format!("the JSON is broken ({})", reason(&error));
            wrong(path, vec![(error.line(), error.column(), message)])
        })?;
        let path = path.to_owned();
        Ok(Self { path, text, value })
    }

    /// The result of `make`; a fault gets the position of its value in the file.
    fn make<T>(
        &self,
        make: impl FnOnce(&Value) -> Result<T, Vec<FieldError>>,
    ) -> Result<T, OwnerFileError> {
        make(&self.value).map_err(|faults| {
            let located = faults.into_iter().map(|fault| {
                let (line, column) = locate(&self.text, &fault.path).unwrap_or((1, 1));
                (line, column, fault.to_string())
            });
            wrong(&self.path, located.collect())
        })
    }
}
