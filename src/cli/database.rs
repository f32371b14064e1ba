//! How commands use the database: they read in one transaction, change an existing database and report it, again if
//! another node was quicker, and find the review that an argument names.

use std::path::Path;

use anyhow::bail;
use sqlx::sqlite::SqliteConnection;

use super::report::Exit;
use super::session::Session;
use crate::config::{DatabaseAddress, DatabaseConfig};
use crate::model::text::nearest;
use crate::model::{Review, ReviewId};
use crate::storage::reviews::KnownReview;
use crate::storage::{Database, DbError, Opening, is_overtaken, reviews};

/// Reads from the database in one transaction; creates, migrates and writes nothing.
///
/// # Errors
/// Those of `work`, and if the database cannot be read.
pub async fn read<T, E: Into<anyhow::Error>>(
    config: &DatabaseConfig,
    work: impl AsyncFnOnce(&mut SqliteConnection) -> Result<T, E>,
) -> anyhow::Result<T> {
    let readers = Database::open_read_only(&config.path()?).await?;
    let mut transaction = readers.begin().await?;
    let worked = work(&mut transaction).await;
    drop(transaction);
    readers.close().await;
    worked.map_err(Into::into)
}

/// Names the database in an error of sqlx, and tells what to do.
pub fn name_database(error: anyhow::Error, path: &Path) -> anyhow::Error {
    let found = error.downcast();
    found.map_or_else(|error| error, |error| DbError::at(path, error).into())
}

/// Attempts of a command that other nodes overtake.
const ATTEMPTS: usize = 8;

/// Runs a command, and runs it again if another node wrote in the meantime. The earlier attempt then changed nothing, and
/// the next one sees the other node's changes.
pub async fn repeat_if_overtaken<T>(
    mut run: impl AsyncFnMut() -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    for _ in 1..ATTEMPTS {
        match run().await {
            Err(error) if is_overtaken(error.as_ref()) => {}
            done => return done,
        }
    }
    run().await
}

/// Runs `work` on the database, again if another node was quicker, and prints its report. A new database exists only if
/// `work` succeeds.
///
/// # Errors
/// Those of `work`, and if the database cannot be opened.
pub(super) async fn change(
    address: &DatabaseAddress,
    session: &Session,
    work: impl AsyncFn(&Database) -> anyhow::Result<String>,
) -> anyhow::Result<Exit> {
    let report = repeat_if_overtaken(async || {
        let opening = Opening::open(address).await?;
        let worked = work(&opening.database).await;
        opening.finish(worked).await
    });
    Ok(session.print_report(&report.await?))
}

/// The review that `name` names.
///
/// # Errors
/// If there is none, or it is invalid.
pub(super) async fn find_review(
    connection: &mut SqliteConnection,
    name: &str,
) -> anyhow::Result<Review> {
    let (id, known) = find_known(connection, name).await?;
    let review = known.as_ref().and_then(KnownReview::review).cloned();
    review.ok_or_else(|| unreadable(&id))
}

/// The ID of the row that `name` names, and what is stored of its review; `None` if it is not a valid one.
///
/// # Errors
/// If there is no such row.
pub(super) async fn find_known(
    connection: &mut SqliteConnection,
    name: &str,
) -> anyhow::Result<(String, Option<KnownReview>)> {
    let id = resolve_id(connection, name).await?;
    let known = reviews::load_reviews(connection, &[id.as_str()]).await?;
    let known = known.into_values().find(|known| known.review().is_some());
    Ok((id, known.map(|known| *known)))
}

/// The error for a row that is not a valid review.
pub(super) fn unreadable(id: &str) -> anyhow::Error {
    anyhow::anyhow!("the review {id} cannot be read; `reviews check` reports what is wrong")
}

/// The address of an existing database.
///
/// # Errors
/// If there is none.
pub(super) fn existing_address(config: &DatabaseConfig) -> anyhow::Result<DatabaseAddress> {
    let address = config.address()?;
    match address.own_file() {
        Some(path) if !path.exists() => Err(DbError::Missing(path.to_owned()).into()),
        Some(_) | None => Ok(address),
    }
}

// Resolves a command's argument to a review: its ID, a unique prefix of it, or its permalink.

/// IDs in the error about an ambiguous prefix.
const IDS_SHOWN: u32 = 5;

/// The ID of the row that `name` names in the database at `path`, including rows that are not valid reviews and have
/// invalid IDs.
///
/// # Errors
/// If it matches no row, several, or a deleted review.
pub(super) async fn resolve_id(
    connection: &mut SqliteConnection,
    name: &str,
) -> anyhow::Result<String> {
    let text = parse_id(name);
    if let Ok(id) = text.parse::<ReviewId>() {
        let known = reviews::load_reviews(connection, &[id.as_str()]).await?;
        let known = known.get(&id);
        if known.is_some_and(|known| known.review().is_some()) {
            return Ok(text);
        }
        if known.is_some_and(|known| known.is_deleted()) {
            bail!(
                "the review {id} was deleted; `reviews import FILE --restore` brings it back from a file that has only this review"
            );
        }
    }
    let fitting = match text.as_str() {
        "" => Vec::new(),
        text => reviews::ids_that_begin(connection, text, IDS_SHOWN).await?,
    };
    match &fitting[..] {
        [one] => return Ok(one.clone()),
        [first, ..] if *first == text => return Ok(text),
        [] => {}
        several => bail!(
            "{text} is the beginning of several IDs: {}; give more characters, `reviews list` shows the IDs",
            several.join(", ")
        ),
    }
    let ids = reviews::list_ids(connection, None, None).await?;
    let near = nearest(&text, ids.iter().map(String::as_str)).unwrap_or("none");
    bail!("no review {text}; the nearest ID is {near}; `reviews list` shows the IDs")
}

/// The ID in a permalink or a review's JSON URL; any other text unchanged.
fn parse_id(name: &str) -> String {
    let name = name.trim().trim_end_matches('/');
    let (_, id) = name.rsplit_once("reviews/").unwrap_or(("", name));
    id.to_owned()
}
