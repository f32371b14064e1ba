//! Sample data: a folder of business.json, reviews.jsonl and, if present, editorial.json. It is loaded like an import;
//! errors in these files, which are written by hand, have line and column.

use std::path::{Path, PathBuf};

use serde_json::Value;
use serde_json::value::RawValue;

use crate::clock::Clock;
use crate::config::read_text;
use crate::imports::map::Calendar;
use crate::imports::map::business::{self, Origin};
use crate::imports::read::json::{elements, members};
use crate::imports::report::{FieldError, ImportError, ImportReport, Watcher, listed, reason};
use crate::imports::{ImportRequest, gather, merged};
use crate::model::business::{Business, Editorial};
use crate::storage;
use crate::storage::business::{SampleState, note_sample, sample_state};
use crate::storage::imports::KeptColumns;
use crate::storage::{AtPath as _, Database};

/// Maximum size of a JSON file written by hand, in MiB.
const JSON_MIB_MAX: u64 = 16;

/// A file that changes only what it has.
const PATCH: Origin = Origin::Owner { is_whole: false };

/// A fault of a file: its line and its byte of that line, both from 1 (1 if unknown), and the problem with the allowed
/// values.
type LocatedFault = (usize, usize, String);

/// All faults of a file, in its order.
fn wrong(path: &Path, mut faults: Vec<LocatedFault>) -> ImportError {
    faults.sort();
    faults.dedup();
    let lines = faults
        .into_iter()
        .map(|(line, column, message)| format!("{}:{line}:{column}: {message}", path.display()));
    ImportError::Refused(listed(lines, "faults"))
}

/// A required file is missing.
fn missing(path: &Path) -> ImportError {
    ImportError::Refused(format!(
        "{}: no such file; a folder of sample data has business.json and reviews.jsonl, and may have editorial.json",
        path.display()
    ))
}

/// A `business.json` or an `editorial.json`, both written by hand, without unknown members.
#[derive(Debug)]
pub struct OwnerFile {
    path: PathBuf,
    text: String,
    value: Value,
}

impl OwnerFile {
    /// # Errors
    /// [`ImportError`] with all faults and, if known, their lines.
    pub fn read_business(path: &Path) -> Result<Self, ImportError> {
        let file = Self::read(path)?;
        file.make(|value| business::business(value, &Business::default(), PATCH))?;
        Ok(file)
    }

    /// # Errors
    /// [`ImportError`] with all faults and, if known, their lines.
    pub fn read_editorial(path: &Path) -> Result<Self, ImportError> {
        let file = Self::read(path)?;
        file.make(|value| business::editorial(value, &Editorial::default(), PATCH))?;
        Ok(file)
    }

    /// Whether the file has that member and it is not empty.
    pub fn says(&self, name: &str) -> bool {
        let member = self.value.get(name);
        member.is_some_and(|member| !member.is_null() && *member != "")
    }

    /// The business of the file, merged into `known`: missing members stay, and `null` removes one (RFC 7396, but lists are
    /// replaced whole). One that replaces `known` keeps only the setting `publish_staff`, which a published business does not
    /// contain, and the time zone, because the reviews' days depend on it.
    ///
    /// # Errors
    /// [`ImportError`] with all faults and, if known, their lines.
    pub fn business(
        &self,
        known: Option<&Business>,
        replaces: bool,
    ) -> Result<Business, ImportError> {
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
    /// [`ImportError`] with all faults and, if known, their lines.
    pub fn editorial(&self, known: &Editorial) -> Result<Editorial, ImportError> {
        self.make(|value| business::editorial(value, known, PATCH))
    }

    fn read(path: &Path) -> Result<Self, ImportError> {
        let text = read_text(path, JSON_MIB_MAX)
            .map_err(|reason| {
                ImportError::Refused(format!("{}: cannot be read: {reason}", path.display()))
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
    ) -> Result<T, ImportError> {
        make(&self.value).map_err(|faults| {
            let located = faults.into_iter().map(|fault| {
                let (line, column) = locate(&self.text, &fault.path).unwrap_or((1, 1));
                (line, column, fault.to_string())
            });
            wrong(&self.path, located.collect())
        })
    }
}

/// Loads the sample data in `folder` in one transaction; repeating it changes nothing. Invalid rows of reviews.jsonl go
/// to `watch`.
///
/// # Errors
/// [`ImportError`]; then nothing was changed.
pub async fn load(
    database: &Database,
    clock: &Clock,
    folder: &Path,
    watch: Watcher<'_>,
) -> Result<ImportReport, ImportError> {
    let place = folder.join("business.json");
    if matches!(place.try_exists(), Ok(false)) {
        return Err(missing(&place));
    }
    let business = OwnerFile::read_business(&place)?.business(None, false)?;
    let place = folder.join("editorial.json");
    let editorial = if place.exists() {
        Some(OwnerFile::read_editorial(&place)?.editorial(&Editorial::default())?)
    } else {
        None
    };
    let place = folder.join("reviews.jsonl");
    if !place.is_file() {
        return Err(missing(&place));
    }
    let request = ImportRequest {
        files: vec![place],
        is_sample: true,
        business: Some(business.clone()),
        ..ImportRequest::default()
    };
    let calendar = Calendar {
        zone: Some(business.time_zone),
        now: clock.now(),
    };
    let mut collected = gather(&request, calendar, KeptColumns::default(), &[], watch)?;
    let path = database.path();
    let mut write = database.write_long(clock).await?;
    match sample_state(write.for_reading()).await.at(path)? {
        SampleState::Empty | SampleState::Alone => {
            note_sample(&mut write, false).await.at(path)?;
        }
        SampleState::Mixed | SampleState::Own => {
            return Err(ImportError::Refused(format!(
                "the database {} holds a business's own data, which is not mixed with sample data; nothing was changed; set \
                 DATABASE_URL to another file for the sample",
                path.display()
            )));
        }
    }
    let known = storage::business::find(write.for_reading())
        .await
        .at(path)?;
    // The owner may have edited those of a sample that is already there.
    if known.is_none() {
        collected.business = Some(business);
        collected.editorial = editorial;
    }
    let merged = merged(&mut write, collected, &request, watch).await;
    let report = merged.map_err(|error| error.at(path))?;
    write.commit().await.at(path)?;
    Ok(report)
}

/// Line and column (both from 1) of the value at `path`, as `services[1].id`, or of the end of the object that lacks it.
fn locate(json: &str, path: &str) -> Option<(usize, usize)> {
    let mut value = serde_json::from_str::<&RawValue>(json).ok()?.get();
    let mut is_there = true;
    for step in path.replace('[', ".").replace(']', "").split('.') {
        let index = step.parse().unwrap_or(usize::MAX);
        let element = elements(value).get(index).copied();
        let Some(inner) = element.or_else(|| members(value).get(step).copied()) else {
            is_there = false;
            break;
        };
        value = inner;
    }
    let start = value.as_ptr() as usize - json.as_ptr() as usize;
    let at = if is_there {
        start
    } else {
        start + value.len() - 1
    };
    let before = &json[..at];
    let line = before.matches('\n').count() + 1;
    Some((line, at - before.rfind('\n').map_or(0, |end| end + 1) + 1))
}

#[cfg(test)]
mod tests {
    use super::locate;

    #[test]
    fn a_json_path_is_located_by_line() {
        let json = "{\n \"id\": \"a\",\n \"services\": [\n  {\"id\": 1},\n  {\"id\": 2}\n ]\n}";
        assert_eq!(locate(json, "id").map(|at| at.0), Some(2));
        assert_eq!(locate(json, "services[1].id").map(|at| at.0), Some(5));
        assert_eq!(locate(json, "services[0].name").map(|at| at.0), Some(4));
        assert_eq!(locate(json, "name").map(|at| at.0), Some(7));
    }
}
