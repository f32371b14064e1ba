//! What is derived from the reviews, in a file of its own beside a node's: rqlited's file is not ours to write, and every
//! node derives the same by itself (CONTRACT §9). It has the tables and views of `derived_*` as the migrations make them, and
//! a copy of the reviews that those are of. A cache: where its shape is another release's, it is made anew.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sqlx::sqlite::{SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions};
use sqlx::{AssertSqlSafe, Connection};

use super::error::DbError;
use super::place::Place;
use super::pool::pool;
use super::{files, migrate, options, unlogged};

/// What its name adds to that of the node's file.
const SUFFIX: &str = "-derived";
/// Of the objects that the migrations make, those that it has: tables first, then what refers to them.
const WANTED: &str = "select sql from sqlite_schema where sql is not null and (name in ('review', 'reading_deleted', \
     'reading_of_deleted', 'reading_of_vanished') or name like 'derived\\_%' escape '\\') \
     order by case type when 'table' then 0 when 'view' then 1 else 2 end, name";
/// What readers see of it.
const SHOWN: &str = "select name from side.sqlite_schema where type in ('table', 'view') and name like 'derived\\_%' escape '\\'";
/// What it has.
const THERE: &str = "select sql from sqlite_schema where sql is not null \
     order by case type when 'table' then 0 when 'view' then 1 else 2 end, name";

/// The file of what is derived of the file at `path`.
pub(super) fn beside(path: &Path) -> PathBuf {
    files::beside(path, SUFFIX)
}

/// Readers of a node's file who see the derived tables of the file at `side` in place of its own, which are empty.
pub(super) fn shown(place: &Arc<Place>, side: &Path) -> SqlitePoolOptions {
    let (place, side) = (Arc::clone(place), side.to_string_lossy().into_owned());
    pool(&place).after_connect(move |connection, _| {
        let (place, side) = (Arc::clone(&place), side.clone());
        Box::pin(async move {
            place
                .verify()
                .map_err(|error| sqlx::Error::Configuration(error.into()))?;
            sqlx::query("attach database ? as side")
                .bind(side)
                .execute(&mut *connection)
                .await?;
            // A temporary view is found before a table of the same name (<https://www.sqlite.org/lang_naming.html>).
            let names: Vec<String> = sqlx::query_scalar(SHOWN)
                .fetch_all(&mut *connection)
                .await?;
            for name in names {
                let view = format!("create temp view {name} as select * from side.{name}");
                sqlx::query(AssertSqlSafe(view))
                    .execute(&mut *connection)
                    .await?;
            }
            sqlx::query("pragma query_only = on")
                .execute(&mut *connection)
                .await?;
            Ok(())
        })
    })
}

/// Opens the file at `side`, made where there is none, for writing what is derived of the node's file at `path`, which
/// its connections see as `node`.
pub(super) async fn open(side: &Path, path: &Path) -> Result<SqlitePool, DbError> {
    let fault = |error| DbError::at(side, error);
    let wanted = wanted().await.map_err(fault)?;
    if side.exists() && there(side).await.ok().as_ref() != Some(&wanted) {
        for file in files(side) {
            let _ = std::fs::remove_file(file);
        }
    }
    files::create_private(side)?;
    let writing = options(side).journal_mode(SqliteJournalMode::Wal);
    if there(side).await.map_err(fault)?.is_empty() {
        let mut connection = SqliteConnection::connect_with(&writing)
            .await
            .map_err(fault)?;
        let mut transaction = connection.begin().await.map_err(fault)?;
        for sql in wanted {
            sqlx::query(AssertSqlSafe(sql))
                .execute(&mut *transaction)
                .await
                .map_err(fault)?;
        }
        transaction.commit().await.map_err(fault)?;
        connection.close().await.map_err(fault)?;
    }
    let node = uri(path);
    let writer = pool(&Arc::new(Place::of(side)?))
        .max_connections(1)
        .after_connect(move |connection, _| {
            let node = node.clone();
            Box::pin(async move {
                // Of an erased review nothing stays.
                sqlx::query("pragma secure_delete = on")
                    .execute(&mut *connection)
                    .await?;
                sqlx::query("attach database ? as node")
                    .bind(node)
                    .execute(&mut *connection)
                    .await?;
                Ok(())
            })
        });
    writer.connect_with(writing).await.map_err(fault)
}

/// Copies these reviews to where what is derived of them is to be kept: as the node's file has them now.
pub(super) async fn copy_reviews(connection: &mut SqliteConnection, ids: &str) -> sqlx::Result<()> {
    let copy = "insert or replace into main.review select * from node.review \
                where review_id in (select value from json_each(?)) and status = 'published'";
    sqlx::query(copy)
        .bind(ids)
        .execute(connection)
        .await
        .map(drop)
}

/// Takes out what is derived of reviews that changed after `change_no` and do not appear any more.
pub(super) async fn sweep(connection: &mut SqliteConnection, change_no: i64) -> sqlx::Result<u64> {
    let sweep = "delete from main.review where review_id in (select review_id from node.review_change where change_no > ?) \
                 and not exists (select 1 from node.review as r where r.review_id = main.review.review_id and r.status = 'published')";
    let swept = sqlx::query(sweep)
        .bind(change_no)
        .execute(&mut *connection)
        .await?
        .rows_affected();
    if swept > 0 {
        // Busy readers keep the log; the next sweep cuts it.
        sqlx::query("pragma main.wal_checkpoint(truncate)")
            .execute(connection)
            .await?;
    }
    Ok(swept)
}

/// The statements that make its tables, views and triggers.
async fn wanted() -> sqlx::Result<Vec<String>> {
    let mut scratch = SqliteConnection::connect_with(&unlogged().in_memory(true)).await?;
    migrate::apply(&mut scratch).await?;
    let wanted = sqlx::query_scalar(WANTED).fetch_all(&mut scratch).await?;
    scratch.close().await?;
    Ok(wanted)
}

async fn there(side: &Path) -> sqlx::Result<Vec<String>> {
    let mut connection = SqliteConnection::connect_with(&options(side)).await?;
    let there = sqlx::query_scalar(THERE).fetch_all(&mut connection).await?;
    connection.close().await?;
    Ok(there)
}

/// The file as a URI that opens it for reading alone (<https://www.sqlite.org/uri.html>).
fn uri(path: &Path) -> String {
    let path = path.to_string_lossy();
    let encoded: String = path
        .chars()
        .map(|c| match c {
            '%' | '?' | '#' => format!("%{:02X}", u32::from(c)),
            _ => c.to_string(),
        })
        .collect();
    format!("file:{encoded}?mode=ro")
}
