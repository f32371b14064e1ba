//! Checks that the schema is the one of the embedded migrations: compares each table, index, view and trigger with a
//! scratch database in memory. Additional objects are allowed.

use std::collections::BTreeMap;
use std::path::Path;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{Connection, FromRow};

use super::error::DbError;
use super::files::{JOURNAL, LOG, beside};
use super::text::Text;
use super::{BUSY_TIMEOUT, migrate, unlogged};

#[derive(Debug, Default)]
pub(super) struct SchemaFaults {
    /// One sentence for each object that is missing or differs.
    pub wrong: Vec<String>,
    /// Whether one of the objects is a table or view, so that queries would fail or mislead.
    pub is_unreadable: bool,
}

#[derive(FromRow)]
struct SchemaObject {
    kind: Text,
    name: Text,
    sql: Text,
}

pub(super) async fn verify(connection: &mut SqliteConnection) -> sqlx::Result<SchemaFaults> {
    let mut scratch = SqliteConnection::connect_with(&unlogged().in_memory(true)).await?;
    migrate::apply(&mut scratch).await?;
    let wanted = objects(&mut scratch).await?;
    scratch.close().await?;
    let there = objects(connection).await?;
    let mut faults = SchemaFaults::default();
    for ((kind, name), sql) in wanted {
        let fault = match there.get(&(kind.clone(), name.clone())) {
            None => "is missing",
            Some(its) if *its != sql => "differs from its definition in this release",
            Some(_) => continue,
        };
        faults.is_unreadable |= matches!(kind.as_str(), "table" | "view");
        faults
            .wrong
            .push(format!("schema: the {kind} {name} {fault}"));
    }
    Ok(faults)
}

/// The SQL of every schema object, by kind and name.
async fn objects(
    connection: &mut SqliteConnection,
) -> sqlx::Result<BTreeMap<(String, String), String>> {
    let query = r"select type as kind, name, sql from sqlite_schema where sql is not null and name not like 'sqlite\_%' escape '\'";
    let objects: Vec<SchemaObject> = sqlx::query_as(query).fetch_all(connection).await?;
    // SQLite's names are case-insensitive.
    let entry = |SchemaObject { kind, name, sql }: SchemaObject| {
        (
            (kind.into(), spelling(name.as_ref())),
            spelling(sql.as_ref()),
        )
    };
    Ok(objects.into_iter().map(entry).collect())
}

/// A statement without comments, case and white space, which do not affect the schema. Quoted text loses them too, on
/// both sides.
fn spelling(sql: &str) -> String {
    let words = sql.lines().flat_map(|line| {
        line.split("--")
            .next()
            .unwrap_or_default()
            .split_whitespace()
    });
    words
        .flat_map(str::chars)
        .flat_map(char::to_lowercase)
        .collect()
}

// Recognizes the owner of a database file. Checked before any write, so that another program's database stays byte for
// byte as it is: even `pragma journal_mode` would change it.

/// The only encoding that our queries pack and unpack.
const ENCODING: &str = "UTF-8";
/// Tables in every database of ours since its third migration, and hardly ever in those of other programs.
const MARKS: [&str; 2] = ["lineage", "review_change"];

/// Refuses a file with another program's tables, and one whose texts are not UTF-8. A file without tables is accepted.
pub(super) async fn identify(path: &Path) -> Result<(), DbError> {
    let fault = |error| DbError::at(path, error);
    if path
        .metadata()
        .is_ok_and(|file| file.is_file() && file.len() == 0)
    {
        return Ok(());
    }
    let mut connection = SqliteConnection::connect_with(&untouching(path))
        .await
        .map_err(fault)?;
    let judged = judge(&mut connection, path).await;
    connection.close().await.map_err(fault)?;
    judged
}

/// Options that leave the file and its folder unchanged.
pub(super) fn untouching(path: &Path) -> SqliteConnectOptions {
    let options = unlogged().filename(path).busy_timeout(BUSY_TIMEOUT);
    // Without a log or journal no process writes, and every commit is in the file. Otherwise even a reader would create
    // a log and its index beside the file.
    let (has_log, has_journal) = (beside(path, LOG).exists(), beside(path, JOURNAL).exists());
    // A journal may mean that a writer was killed; the next reader rolls its changes back and must write to do so.
    options
        .immutable(!has_log && !has_journal)
        .read_only(!has_journal)
}

async fn judge(connection: &mut SqliteConnection, path: &Path) -> Result<(), DbError> {
    let fault = |error| DbError::at(path, error);
    let encoding: String = sqlx::query_scalar("pragma encoding")
        .fetch_one(&mut *connection)
        .await
        .map_err(fault)?;
    if encoding != ENCODING {
        return Err(DbError::Encoding {
            path: path.to_owned(),
            encoding,
        });
    }
    let names = r"select name from sqlite_schema where type in ('table', 'view') and name not like 'sqlite\_%' escape '\'";
    let names: Vec<Text> = sqlx::query_scalar(names)
        .fetch_all(&mut *connection)
        .await
        .map_err(fault)?;
    let has = |name: &str| names.iter().any(|one| one.as_ref() == name);
    let is_ours = if has(migrate::TABLE) {
        // A first start may have been killed before these tables existed; the checksums identify the applied
        // migrations.
        MARKS.into_iter().all(has) || migrate::are_ours(connection, path, names.len() == 1).await?
    } else {
        names.is_empty()
    };
    if is_ours {
        Ok(())
    } else {
        Err(DbError::NotOurs(path.to_owned()))
    }
}
