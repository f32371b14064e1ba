//! Derived data in a side file beside a node's file, which must not be written; every node derives the same data. It has the `derived_*` tables and views of the migrations and a copy of the reviews they refer to. It
//! is a cache: a file with another release's schema is rebuilt.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use percent_encoding::{AsciiSet, utf8_percent_encode};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
};
use sqlx::{AssertSqlSafe, Connection, Executor as _};

use crate::storage::error::{AtPath as _, DbError};
use crate::storage::files::{self, DatabaseFiles, create_private, files, options, pool};
use crate::storage::schema;

/// Suffix appended to the name of the node's file.
const SUFFIX: &str = "-derived";
/// The schema objects of the side file: tables first, then objects that refer to them.
const SCHEMA: &str = "select sql from sqlite_schema where sql is not null and (name = 'review' or name like 'derived\\_%' escape '\\') \
     order by case type when 'table' then 0 when 'view' then 1 else 2 end, name";
/// Files of at most 32 MiB are rewritten when reviews are removed; a snapshot waits for the rewrite.
const PAGES_REWRITTEN_MAX: i64 = 8 << 10;
/// The tables and views that readers see in place of the node's own.
const SHOWN: &str = "select name from side.sqlite_schema where type in ('table', 'view') and name like 'derived\\_%' escape '\\'";
/// The side file of the node's file at `path`.
pub fn beside(path: &Path) -> PathBuf {
    files::beside(path, SUFFIX)
}

/// Readers of a node's file that see the derived tables of `side` in place of its own, which are empty.
pub fn pool_with_side_file(place: &Arc<DatabaseFiles>, side: &Path) -> SqlitePoolOptions {
    let (place, side) = (Arc::clone(place), side.to_string_lossy().into_owned());
    pool(&place).after_connect(move |connection, _| {
        let (place, side) = (Arc::clone(&place), side.clone());
        Box::pin(async move {
            place
                .verify()
                .map_err(|error| sqlx::Error::Configuration(error.into()))?;
            let attach = sqlx::query("attach database ? as side").bind(side);
            attach.execute(&mut *connection).await?;
            // A temporary view is found before a table of the same name (<https://www.sqlite.org/lang_naming.html>).
            let names: Vec<String> = sqlx::query_scalar(SHOWN)
                .fetch_all(&mut *connection)
                .await?;
            for name in names {
                let view = format!("create temp view {name} as select * from side.{name}");
                connection.execute(AssertSqlSafe(view)).await?;
            }
            connection.execute("pragma query_only = on").await?;
            Ok(())
        })
    })
}

/// Opens or creates the side file for writing; its connections see the node's file at `path` as `node`.
pub async fn open(side: &Path, path: &Path) -> Result<SqlitePool, DbError> {
    let expected = schema_statements().await.at(side)?;
    if side.exists() && schema_of(side).await.ok().as_ref() != Some(&expected) {
        for file in files(side) {
            let _ = std::fs::remove_file(file);
        }
    }
    create_private(side)?;
    let writing = options(side).journal_mode(SqliteJournalMode::Wal);
    create_schema(side, &writing, expected).await.at(side)?;
    let node = uri(path);
    let writer = pool(&Arc::new(DatabaseFiles::of(side)?))
        .max_connections(1)
        .after_connect(move |connection, _| {
            let attach = sqlx::query("attach database ? as node").bind(node.clone());
            Box::pin(async move { attach.execute(connection).await.map(drop) })
        });
    writer.connect_with(writing).await.at(side)
}

/// Runs these statements on the side file if it is new.
async fn create_schema(
    side: &Path,
    options: &SqliteConnectOptions,
    statements: Vec<String>,
) -> sqlx::Result<()> {
    if !schema_of(side).await?.is_empty() {
        return Ok(());
    }
    let mut connection = SqliteConnection::connect_with(options).await?;
    let mut transaction = connection.begin().await?;
    for sql in statements {
        transaction.execute(AssertSqlSafe(sql)).await?;
    }
    transaction.commit().await?;
    connection.close().await
}

/// Copies these reviews from the node's file, because derived rows refer to them.
pub async fn copy_reviews(connection: &mut SqliteConnection, ids: &str) -> sqlx::Result<()> {
    let copy = "insert or replace into main.review select * from node.review \
                where review_id in (select value from json_each(?)) and status = 'published'";
    let copy = sqlx::query(copy).bind(ids);
    copy.execute(connection).await.map(drop)
}

/// Deletes derived data of reviews that changed after `change_no` and are no longer published.
pub async fn sweep(connection: &mut SqliteConnection, change_no: i64) -> sqlx::Result<u64> {
    let sweep = "delete from main.review where review_id in (select review_id from node.review_change where change_no > ?) \
                 and not exists (select 1 from node.review as r where r.review_id = main.review.review_id and r.status = 'published')";
    let swept = sqlx::query(sweep)
        .bind(change_no)
        .execute(&mut *connection)
        .await?
        .rows_affected();
    if swept > 0 {
        // Deleted content is overwritten; only a rewrite removes copies in unallocated parts of pages.
        let pages: i64 = sqlx::query_scalar("pragma main.page_count")
            .fetch_one(&mut *connection)
            .await?;
        if pages <= PAGES_REWRITTEN_MAX {
            connection.execute("vacuum main").await?;
        }
        // Busy readers keep the log; the next sweep truncates it.
        connection
            .execute("pragma main.wal_checkpoint(truncate)")
            .await?;
    }
    Ok(swept)
}

/// The statements that create its tables, views and triggers.
async fn schema_statements() -> sqlx::Result<Vec<String>> {
    let mut scratch = schema::scratch_schema().await?;
    let expected = sqlx::query_scalar(SCHEMA).fetch_all(&mut scratch).await?;
    scratch.close().await?;
    Ok(expected)
}

async fn schema_of(side: &Path) -> sqlx::Result<Vec<String>> {
    let mut connection = SqliteConnection::connect_with(&options(side)).await?;
    let statements = sqlx::query_scalar(SCHEMA)
        .fetch_all(&mut connection)
        .await?;
    connection.close().await?;
    Ok(statements)
}

/// A URI that opens the file read-only (<https://www.sqlite.org/uri.html>).
fn uri(path: &Path) -> String {
    const SPECIAL: &AsciiSet = &AsciiSet::EMPTY.add(b'%').add(b'?').add(b'#');
    let path = path.to_string_lossy();
    format!("file:{}?mode=ro", utf8_percent_encode(&path, SPECIAL))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;
    use sqlx::AssertSqlSafe;

    use super::{beside, copy_reviews, open, sweep};
    use crate::storage::Database;

    #[tokio::test]
    async fn deleted_reviews_leave_no_text_in_the_file_of_a_node() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("node.db");
        let (node, _) = Database::open(&path).await.unwrap();
        let side = open(&beside(&path), &path).await.unwrap();
        let run = async |sql: String| {
            let mut write = node.write().await.unwrap();
            sqlx::query(AssertSqlSafe(sql))
                .execute(&mut write)
                .await
                .unwrap();
            write.commit().await.unwrap();
        };
        let word = |number: u32| format!("word{:08x}", number.wrapping_mul(2_654_435_761));
        let mut connection = side.acquire().await.unwrap();
        // Out of order, so that pages are split and balanced.
        for number in (0..200).map(|number| number * 77 % 200) {
            let text = word(number).repeat(1 + number as usize % 9);
            run(format!("insert into review (review_id, rating, reviewed_on, text) values ('r-{number}', 5, '2026-11-01', '{text}')"))
                .await;
            copy_reviews(&mut connection, &json!([format!("r-{number}")]).to_string())
                .await
                .unwrap();
        }
        run("delete from review where cast(substr(review_id, 3) as integer) % 2 = 1".to_owned())
            .await;
        assert_eq!(sweep(&mut connection, 0).await.unwrap(), 100);
        drop(connection);
        let files = ["node.db-derived", "node.db-derived-wal"]
            .map(|name| fs::read(folder.path().join(name)).unwrap_or_default());
        let is_there = |number: &u32| {
            files
                .iter()
                .any(|bytes| memchr::memmem::find(bytes, word(*number).as_bytes()).is_some())
        };
        assert_eq!(
            (0..200).filter(is_there).collect::<Vec<_>>(),
            (0..100).map(|half| half * 2).collect::<Vec<_>>()
        );
        side.close().await;
        node.close().await;
    }
}
