//! Sample data: a folder of business.json, reviews.jsonl and, if present, editorial.json, which is loaded like an import.

use std::path::Path;

use crate::clock::Clock;
use crate::imports::report::{ImportError, ImportReport, Watcher};
use crate::imports::{ImportRequest, gather, merged};
use crate::model::Calendar;
use crate::model::business::Editorial;
use crate::owner::OwnerFile;
use crate::storage;
use crate::storage::business::{SampleState, note_sample, sample_state};
use crate::storage::columns::KeptColumns;
use crate::storage::{AtPath as _, Database};

/// A required file is missing.
fn missing(path: &Path) -> ImportError {
    ImportError::Refused(format!(
        "{}: no such file; a folder of sample data has business.json and reviews.jsonl, and may have editorial.json",
        path.display()
    ))
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
    let merged = merged(
        &mut write,
        collected,
        &KeptColumns::default(),
        &request,
        watch,
    )
    .await;
    let report = merged.map_err(|error| error.at(path))?;
    write.commit().await.at(path)?;
    Ok(report)
}
