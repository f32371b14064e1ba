//! The schema: the embedded migrations (applied in order, each in its own transaction, each once), whose file it is, and
//! whether its objects are those of this release.

use std::collections::BTreeSet;
use std::path::Path;

use sqlx::migrate::{Migrate, MigrateError, Migration, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _};

use super::columns::Text;
use super::error::{AtPath as _, BUSY_TIMEOUT, DbError};
use super::files::{JOURNAL, LOG, beside, bytes_beside, unlogged};
use super::steps::connect;
use crate::model::hex;
use crate::random;

pub(super) static MIGRATIONS: Migrator = sqlx::migrate!("./migrations");
/// Takes a random id of 128 bits in hexadecimal, and keeps one that there is.
pub(super) const BIND_INSTANCE: &str =
    "insert into instance (lineage_id) values (?1) on conflict (only_row)
     do update set lineage_id = coalesce(lineage_id, excluded.lineage_id)";
/// sqlx's table of applied migrations.
pub(super) const TABLE: &str = "_sqlx_migrations";

#[derive(Debug, PartialEq, Eq)]
pub struct Migrated {
    /// The migrations applied now, as `0001 business`.
    pub applied: Vec<String>,
    /// Number of migrations in the file.
    pub total: usize,
}

impl Migrated {
    /// What a migration of a database with the versions `there` does.
    pub(super) fn since(there: &[i64]) -> Self {
        let applied = missing(there).map(|m| format!("{:04} {}", m.version, m.description));
        Self {
            applied: applied.collect(),
            total: MIGRATIONS.iter().count(),
        }
    }
}

/// The migrations that a database with the versions `there` lacks.
pub(super) fn missing(there: &[i64]) -> impl Iterator<Item = &'static Migration> {
    MIGRATIONS.iter().filter(|m| !there.contains(&m.version))
}

/// Migrates the database behind `connection` and gives it its own values.
pub(super) async fn migrate(
    connection: &mut SqliteConnection,
    path: &Path,
) -> Result<Migrated, DbError> {
    let before = applied(connection, path).await?;
    reject_newer(&before, path)?;
    let run = MIGRATIONS.run(&mut *connection).await;
    migrated_at(run, path)?;
    bind_instance(connection, path).await?;
    Ok(Migrated::since(&before))
}

/// Names the file in an error of the migrations.
fn migrated_at<T>(result: Result<T, MigrateError>, path: &Path) -> Result<T, DbError> {
    match result {
        Ok(value) => Ok(value),
        Err(MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) => {
            Err(DbError::at(path, error))
        }
        Err(MigrateError::VersionMismatch(_) | MigrateError::VersionMissing(_)) => {
            Err(DbError::NotOurs(path.to_owned()))
        }
        Err(error) => Err(DbError::other(path, error)),
    }
}

/// An empty database in memory with the schema of this release.
pub(super) async fn scratch_schema() -> sqlx::Result<SqliteConnection> {
    let mut scratch = unlogged().in_memory(true).connect().await?;
    MIGRATIONS.run(&mut scratch).await?;
    Ok(scratch)
}

/// Checks that the database behind `connection` has exactly this release's version; writes nothing.
pub(super) async fn verify_version(
    connection: &mut SqliteConnection,
    path: &Path,
) -> Result<(), DbError> {
    let applied = applied(connection, path).await?;
    if newest_of(&applied) == newest() {
        Ok(())
    } else {
        Err(other_version(&applied, path))
    }
}

fn newest() -> i64 {
    let versions = MIGRATIONS.iter().map(|migration| migration.version);
    versions.max().unwrap_or(0)
}

/// 0 if there is none.
fn newest_of(applied: &[i64]) -> i64 {
    applied.last().copied().unwrap_or(0)
}

pub(super) fn reject_newer(applied: &[i64], path: &Path) -> Result<(), DbError> {
    if newest_of(applied) <= newest() {
        Ok(())
    } else {
        Err(other_version(applied, path))
    }
}

fn other_version(applied: &[i64], path: &Path) -> DbError {
    DbError::OtherVersion {
        path: path.to_owned(),
        found: newest_of(applied),
        known: newest(),
    }
}

pub(super) async fn applied(
    connection: &mut SqliteConnection,
    path: &Path,
) -> Result<Vec<i64>, DbError> {
    let table = "select count(*) from sqlite_schema where name = '_sqlx_migrations'";
    let exists = sqlx::query_scalar(table).fetch_one(&mut *connection);
    let exists: i64 = exists.await.at(path)?;
    if exists == 0 {
        return Ok(Vec::new());
    }
    let applied = connection
        .list_applied_migrations(&MIGRATIONS.table_name)
        .await;
    let applied = migrated_at(applied, path)?;
    let applied = applied.iter().map(|one| (one.version, hex(&one.checksum)));
    known_versions(applied.collect(), path)
}

/// The versions of applied migrations, in order. Refuses a database whose migrations, given with the checksums in hexadecimal,
/// are not this release's: an earlier build made it.
pub(super) fn known_versions(
    mut applied: Vec<(i64, String)>,
    path: &Path,
) -> Result<Vec<i64>, DbError> {
    applied.sort_unstable();
    let has_another_checksum = MIGRATIONS.iter().any(|known| {
        let mut applied = applied.iter();
        applied.any(|(version, checksum)| {
            *version == known.version && *checksum != hex(&known.checksum)
        })
    });
    if has_another_checksum {
        return Err(DbError::NotOurs(path.to_owned()));
    }
    Ok(applied.into_iter().map(|(version, _)| version).collect())
}

/// Gives the database an id if it lacks one.
async fn bind_instance(connection: &mut SqliteConnection, path: &Path) -> Result<(), DbError> {
    // Looked up first: even an insert that changes nothing would wait for another process's lock.
    let bound = sqlx::query_scalar!("select count(*) from instance where lineage_id is not null");
    if bound.fetch_one(&mut *connection).await.at(path)? > 0 {
        return Ok(());
    }
    let binding = sqlx::query(BIND_INSTANCE).bind(random::hex_128());
    binding.execute(&mut *connection).await.at(path)?;
    Ok(())
}

// Checks that the schema is the one of the embedded migrations: compares each table, index, view and trigger with a
// scratch database in memory. Additional objects are allowed.

/// # Errors
/// [`DbError::Damaged`] with the objects that are missing or differ: queries would fail, or triggers not follow changes.
pub(super) async fn verify_objects(
    connection: &mut SqliteConnection,
    path: &Path,
) -> Result<(), DbError> {
    let mut scratch = scratch_schema().await.at(path)?;
    let expected = objects(&mut scratch).await.at(path)?;
    scratch.close().await.at(path)?;
    let there = objects(connection).await.at(path)?;
    let differing = expected.difference(&there);
    let names: Vec<String> = differing
        .map(|(kind, name, _)| format!("the {} {}", kind.as_ref(), name.as_ref()))
        .collect();
    if names.is_empty() {
        return Ok(());
    }
    Err(DbError::Damaged {
        path: path.to_owned(),
        reason: format!("missing or changed: {}", names.join(", ")),
    })
}

/// Kind, name and SQL of every object.
async fn objects(connection: &mut SqliteConnection) -> sqlx::Result<BTreeSet<(Text, Text, Text)>> {
    let query = r"select type, name, sql from sqlite_schema where sql is not null and name not like 'sqlite\_%' escape '\'";
    let objects = sqlx::query_as(query).fetch_all(connection).await?;
    Ok(objects.into_iter().collect())
}

// Recognizes the owner of a database file. Checked before any write, so that another program's database stays byte for
// byte as it is: even `pragma journal_mode` would change it.

/// Tables of the first migration, which hardly ever are in other programs' databases.
pub(super) const MARKS: [&str; 2] = ["business", "editorial_faq"];

/// Refuses a file with another program's tables. A file without tables is accepted.
pub(super) async fn identify(path: &Path) -> Result<(), DbError> {
    check_regular(path)?;
    if path.metadata().is_ok_and(|file| file.len() == 0) {
        return Ok(());
    }
    let mut connection = connect(&untouching(path)).await.at(path)?;
    let judged = judge(&mut connection, path).await;
    connection.close().await.at(path)?;
    judged
}

/// Refuses a pipe, which SQLite would wait for, and whatever else is no file.
pub(super) fn check_regular(path: &Path) -> Result<(), DbError> {
    match path.metadata() {
        Ok(file) if !file.is_file() => Err(DbError::NotADatabase(path.to_owned())),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Options that leave the file and its folder unchanged.
pub(super) fn untouching(path: &Path) -> SqliteConnectOptions {
    let options = unlogged().filename(path).busy_timeout(BUSY_TIMEOUT);
    // Otherwise even a reader would create a log and its index beside the file.
    options
        .immutable(is_at_rest(path))
        // A journal may mean that a writer was killed; the next reader rolls its changes back and must write to do so.
        .read_only(!beside(path, JOURNAL).exists())
}

/// Whether every commit is in the file: no process that writes has begun a log or a journal.
pub(super) fn is_at_rest(path: &Path) -> bool {
    bytes_beside(path, LOG) == 0 && !beside(path, JOURNAL).exists()
}

async fn judge(connection: &mut SqliteConnection, path: &Path) -> Result<(), DbError> {
    let names = r"select name from sqlite_schema where type in ('table', 'view') and name not like 'sqlite\_%' escape '\'";
    let names = sqlx::query_scalar(names).fetch_all(connection);
    let names: Vec<Text> = names.await.at(path)?;
    let has = |name: &str| names.iter().any(|one| one.as_ref() == name);
    let is_ours = if has(TABLE) {
        // A first start may have been killed before these tables existed.
        MARKS.into_iter().all(has) || names.len() == 1
    } else {
        names.is_empty()
    };
    if is_ours {
        Ok(())
    } else {
        Err(DbError::NotOurs(path.to_owned()))
    }
}
