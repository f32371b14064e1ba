//! The embedded migrations: applied in order, each in its own transaction, each once.

use std::path::Path;

use sqlx::migrate::{Migrate, MigrateError, Migrator};
use sqlx::sqlite::SqliteConnection;

use super::error::DbError;
use crate::random::Random;

static MIGRATIONS: Migrator = sqlx::migrate!("./migrations");
/// Where sqlx keeps what was applied.
pub(super) const TABLE: &str = "_sqlx_migrations";

/// What a migration run did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Migrated {
    /// The migrations applied now, as `0001 business`.
    pub applied: Vec<String>,
    /// How many the file has altogether.
    pub total: usize,
}

/// Brings the database behind `connection` up to date, and gives it its lineage.
pub(super) async fn run(
    connection: &mut SqliteConnection,
    path: &Path,
) -> Result<Migrated, DbError> {
    let before = applied(connection, path).await?;
    reject_newer(&before, path)?;
    match MIGRATIONS.run(&mut *connection).await {
        Ok(()) => {}
        Err(MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) => {
            return Err(DbError::at(path, error));
        }
        Err(MigrateError::VersionMismatch(version) | MigrateError::VersionMissing(version)) => {
            return Err(DbError::Foreign {
                path: path.to_owned(),
                version,
            });
        }
        Err(error) => {
            return Err(DbError::Other {
                path: path.to_owned(),
                reason: error.to_string(),
            });
        }
    }
    bind_lineage(connection, path).await?;
    let applied = MIGRATIONS
        .iter()
        .filter(|m| !before.contains(&m.version))
        .map(|m| format!("{:04} {}", m.version, m.description))
        .collect();
    Ok(Migrated {
        applied,
        total: MIGRATIONS.iter().count(),
    })
}

/// Applies all migrations to the empty database behind `connection`.
pub(super) async fn apply(connection: &mut SqliteConnection) -> sqlx::Result<()> {
    Ok(MIGRATIONS.run(connection).await?)
}

/// Whether what was applied to the database behind `connection` is what this release would have;
/// `is_alone` says that it has no table but the one of migrations, and then nothing need have been.
pub(super) async fn are_ours(
    connection: &mut SqliteConnection,
    path: &Path,
    is_alone: bool,
) -> Result<bool, DbError> {
    let applied: Result<Vec<(i64, Vec<u8>)>, _> =
        sqlx::query_as("select version, checksum from _sqlx_migrations")
            .fetch_all(connection)
            .await;
    let applied = match applied {
        Ok(applied) => applied,
        // Another table of that name.
        Err(sqlx::Error::Database(error)) if error.code().is_some_and(|code| code == "1") => {
            return Ok(false);
        }
        Err(error) => return Err(DbError::at(path, error)),
    };
    let is_known = |(version, checksum): &(i64, Vec<u8>)| {
        MIGRATIONS
            .iter()
            .any(|known| known.version == *version && known.checksum[..] == checksum[..])
    };
    Ok(applied.iter().all(is_known) && (is_alone || !applied.is_empty()))
}

/// Says whether the database behind `connection` is exactly of this version, changing nothing.
pub(super) async fn verify(connection: &mut SqliteConnection, path: &Path) -> Result<(), DbError> {
    let applied = applied(connection, path).await?;
    reject_newer(&applied, path)?;
    let (found, known) = (applied.last().copied().unwrap_or(0), newest());
    if found < known {
        return Err(DbError::Older {
            path: path.to_owned(),
            found,
            known,
        });
    }
    Ok(())
}

fn newest() -> i64 {
    MIGRATIONS
        .iter()
        .map(|migration| migration.version)
        .max()
        .unwrap_or(0)
}

fn reject_newer(applied: &[i64], path: &Path) -> Result<(), DbError> {
    let (found, known) = (applied.last().copied().unwrap_or(0), newest());
    if found > known {
        return Err(DbError::Newer {
            path: path.to_owned(),
            found,
            known,
        });
    }
    Ok(())
}

async fn applied(connection: &mut SqliteConnection, path: &Path) -> Result<Vec<i64>, DbError> {
    let fault = |error| DbError::at(path, error);
    let table = "select count(*) from sqlite_schema where name = '_sqlx_migrations'";
    let exists: i64 = sqlx::query_scalar(table)
        .fetch_one(&mut *connection)
        .await
        .map_err(fault)?;
    if exists == 0 {
        return Ok(Vec::new());
    }
    let applied = connection
        .list_applied_migrations(&MIGRATIONS.table_name)
        .await;
    let applied = applied.map_err(|error| DbError::Other {
        path: path.to_owned(),
        reason: error.to_string(),
    })?;
    let mut versions: Vec<i64> = applied.iter().map(|migration| migration.version).collect();
    versions.sort_unstable();
    Ok(versions)
}

/// Names this database once and for all (see `migrations/0003_change.sql`).
async fn bind_lineage(connection: &mut SqliteConnection, path: &Path) -> Result<(), DbError> {
    let lineage = Random::system().hex_128();
    let lineage = lineage.map_err(|error| DbError::Other {
        path: path.to_owned(),
        reason: error.to_string(),
    })?;
    sqlx::query!(
        "insert into lineage (lineage_id) values (?) on conflict do nothing",
        lineage
    )
    .execute(&mut *connection)
    .await
    .map_err(|error| DbError::at(path, error))?;
    Ok(())
}
