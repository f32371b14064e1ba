//! Gives all reviews of one source another source's name, so that the next import of that source finds them.

use crate::clock::Clock;
use crate::imports::report::ImportError;
use crate::model::Unit;
use crate::storage::{AtPath as _, Database, Write, reviews};

/// Reviews per batch.
const ROWS: i64 = 250;

/// Renames the source, at one location or all; returns the number of reviews.
///
/// # Errors
/// [`ImportError`]; then nothing was changed.
pub async fn rename_source(
    database: &Database,
    clock: &Clock,
    source: &str,
    new_name: &str,
    location: Option<&str>,
) -> Result<u64, ImportError> {
    let path = database.path();
    let mut write = database.write_long(clock).await?;
    let renamed = rename(&mut write, clock, source, new_name, location).await;
    let renamed = renamed.at(path)?;
    if renamed == 0 {
        let location = location.map(|name| format!(" at the location {name}"));
        return Err(ImportError::Refused(format!(
            "no review is from {source}{}; `reviews source` lists the sources",
            location.unwrap_or_default()
        )));
    }
    write.commit().await.at(path)?;
    Ok(renamed)
}

async fn rename(
    write: &mut Write,
    clock: &Clock,
    source: &str,
    new_name: &str,
    location: Option<&str>,
) -> sqlx::Result<u64> {
    let now = clock.now();
    let key = reviews::digest_key(write).await?;
    let (mut renamed, mut last) = (0, String::new());
    loop {
        let reader = write.for_reading();
        let ids = reviews::ids_of_source(reader, source, location, &last, ROWS).await?;
        let Some(end) = ids.last() else {
            break;
        };
        last.clone_from(end);
        renamed += ids.len() as u64;
        let list: Vec<&str> = ids.iter().map(String::as_str).collect();
        let mut standing = reviews::standing(write.for_reading(), &list).await?;
        let (mut changed, mut versions) = (Vec::new(), Vec::new());
        for mut review in standing.reviews.into_values() {
            let version = standing.sources.remove(review.id.as_str());
            let stated = key.digest(Unit::Source, &review);
            // The owner may have given the review another source's name, which stays.
            let is_shown = review.source.name == source;
            if is_shown {
                new_name.clone_into(&mut review.source.name);
                review.updated_at = review.updated_at.max(Some(now));
            }
            if let Some(mut version) = version {
                new_name.clone_into(&mut version.source_name);
                if is_shown && version.base.get(Unit::Source) == Some(stated) {
                    let renamed = key.digest(Unit::Source, &review);
                    version.base.set(Unit::Source, renamed);
                }
                versions.push(version);
            }
            changed.extend(Some(review).filter(|_| is_shown));
        }
        reviews::update_undecided(write, &changed, now).await?;
        reviews::note_sources(write, &versions).await?;
        write.end_group();
    }
    reviews::rename_source_records(write, source, new_name, location).await?;
    Ok(renamed)
}
