//! The rows of one import, sorted in a database of their own: one for each id, the newest; in the
//! order of the ids, so that a merge reads them bit by bit. The rows themselves stay where they were
//! spooled: the database says where. Its queries are not checked at compile
//! time: the table is made here, and gone afterwards.

use std::collections::HashSet;

use futures_util::TryStreamExt;
use serde_json::{Value, json};
use sqlx::SqliteConnection;

use super::spool::{Spool, SpooledRows, Staged, unpack};
use crate::storage;

/// How many rows one statement moves.
const ROWS: u16 = 250;
/// How many bytes of rows are held at a time: a text may have 1 MiB.
const BYTES: usize = 4 << 20;

/// A source, and which of the firm's locations it speaks of.
pub(super) type Place = (String, Option<String>);

/// A staged row as its table has it: id, location, and where its text begins and how long it is in
/// the file of rows; without these two, only the id was staged.
type Entry = (String, Option<String>, Option<i64>, Option<i64>);

/// The staged rows, in a temporary database that is gone with this connection.
#[derive(Debug)]
pub(super) struct Staging {
    connection: SqliteConnection,
    rows: SpooledRows,
}

impl Staging {
    /// Stages the rows of the spool. Of rows with one id the newest counts; where that does not
    /// decide, the later one.
    pub(super) async fn fill(spool: Spool) -> sqlx::Result<Self> {
        let mut connection = storage::scratch().await?;
        let table = "create table staged (review_id text primary key, updated_us integer, source text, location text, start_at integer, bytes integer, has_id integer, completed_id text)
             strict, without rowid";
        sqlx::query(table).execute(&mut connection).await?;
        let (rows, mut entries) = spool.into_parts().map_err(sqlx::Error::Io)?;
        let mut staging = Self { connection, rows };
        loop {
            let (mut batch, mut rows) = (String::from("["), 0);
            while rows < ROWS && batch.len() < BYTES {
                let Some(entry) = entries.next().transpose().map_err(sqlx::Error::Io)? else {
                    break;
                };
                if rows > 0 {
                    batch.push(',');
                }
                batch.push_str(&entry);
                rows += 1;
            }
            if rows == 0 {
                return Ok(staging);
            }
            batch.push(']');
            staging.put(&batch).await?;
        }
    }

    async fn put(&mut self, batch: &str) -> sqlx::Result<()> {
        let insert = "insert into staged (review_id, updated_us, source, location, start_at, bytes, has_id)
             select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6 from json_each(?) where true
             on conflict (review_id) do update set updated_us = excluded.updated_us, source = excluded.source,
               location = excluded.location, start_at = excluded.start_at, bytes = excluded.bytes, has_id = excluded.has_id
             where coalesce(excluded.updated_us >= updated_us, true)";
        sqlx::query(insert)
            .bind(batch)
            .execute(&mut self.connection)
            .await?;
        Ok(())
    }

    /// How many there are.
    pub(super) async fn count(&mut self) -> sqlx::Result<u64> {
        let count: i64 = sqlx::query_scalar("select count(*) from staged")
            .fetch_one(&mut self.connection)
            .await?;
        Ok(count.unsigned_abs())
    }

    /// The next rows after that id, in the order of the ids.
    pub(super) async fn after(&mut self, id: &str) -> sqlx::Result<Vec<Staged>> {
        let select = "select review_id, location, start_at, bytes from staged where review_id > ?
             order by review_id limit ?";
        let entries: Vec<Entry> = sqlx::query_as(select)
            .bind(id)
            .bind(ROWS)
            .fetch_all(&mut self.connection)
            .await?;
        self.read(entries)
    }

    /// The ids after that one, in their order, of rows that have none of their own; no more than one statement moves.
    pub(super) async fn made_ids_after(&mut self, id: &str) -> sqlx::Result<Vec<String>> {
        let select = "select review_id from staged where review_id > ? and not has_id order by review_id limit ?";
        sqlx::query_scalar(select)
            .bind(id)
            .bind(ROWS)
            .fetch_all(&mut self.connection)
            .await
    }

    /// The ids after that one, in their order, of rows that complete a review; no more than one statement moves.
    pub(super) async fn completing_ids_after(&mut self, id: &str) -> sqlx::Result<Vec<String>> {
        let select = "select review_id from staged where review_id > ? and completed_id is not null order by review_id limit ?";
        sqlx::query_scalar(select)
            .bind(id)
            .bind(ROWS)
            .fetch_all(&mut self.connection)
            .await
    }

    /// The rows of the first of these ids, as many as are held at a time.
    pub(super) async fn rows_of(&mut self, ids: &[&str]) -> sqlx::Result<Vec<Staged>> {
        let select = "select review_id, location, start_at, bytes from staged where review_id in (select value from json_each(?))
             order by review_id";
        let entries: Vec<Entry> = sqlx::query_as(select)
            .bind(Value::from(ids).to_string())
            .fetch_all(&mut self.connection)
            .await?;
        self.read(entries)
    }

    /// Notes of rows which reviews they complete: pairs of their ids.
    pub(super) async fn complete(&mut self, pairs: &[(String, String)]) -> sqlx::Result<()> {
        let update = "update staged set completed_id = pair.value ->> 1 from json_each(?) as pair where review_id = pair.value ->> 0";
        sqlx::query(update)
            .bind(json!(pairs).to_string())
            .execute(&mut self.connection)
            .await
            .map(drop)
    }

    /// Leaves these rows out.
    pub(super) async fn leave_out(&mut self, ids: &[&str]) -> sqlx::Result<()> {
        let delete = "delete from staged where review_id in (select value from json_each(?))";
        sqlx::query(delete)
            .bind(Value::from(ids).to_string())
            .execute(&mut self.connection)
            .await
            .map(drop)
    }

    /// Leaves out the rows that complete the same review as another, each after a look at its id and that review's.
    pub(super) async fn leave_out_contested(
        &mut self,
        mut look: impl FnMut(String, String),
    ) -> sqlx::Result<()> {
        let select = "select review_id, completed_id from staged where completed_id in
               (select completed_id from staged where completed_id is not null group by completed_id having count(*) > 1)
             order by review_id";
        let mut rows = sqlx::query_as(select).fetch(&mut self.connection);
        while let Some((id, completed)) = rows.try_next().await? {
            look(id, completed);
        }
        drop(rows);
        let delete = "delete from staged where completed_id in
             (select completed_id from staged where completed_id is not null group by completed_id having count(*) > 1)";
        sqlx::query(delete)
            .execute(&mut self.connection)
            .await
            .map(drop)
    }

    /// Gives rows the ids of the reviews that they complete.
    pub(super) async fn rename_completing(&mut self) -> sqlx::Result<()> {
        let update = "update staged set review_id = completed_id, completed_id = null where completed_id is not null";
        sqlx::query(update)
            .execute(&mut self.connection)
            .await
            .map(drop)
    }

    /// The rows of these entries, as many as are held at a time.
    fn read(&mut self, entries: Vec<Entry>) -> sqlx::Result<Vec<Staged>> {
        let (mut staged, mut read) = (Vec::with_capacity(entries.len()), 0);
        for (id, location, start, bytes) in entries {
            if read >= BYTES {
                break;
            }
            let row = match (start, bytes) {
                (Some(start), Some(bytes)) => Some(self.row(start, bytes)?),
                (None, _) | (_, None) => None,
            };
            read += row.as_ref().map_or(0, String::len);
            let lost = || {
                sqlx::Error::Decode(format!("the staged row of {id} cannot be read back").into())
            };
            let mut one = unpack(&id, row.as_deref()).ok_or_else(lost)?;
            if let Staged::Review(review) = &mut one {
                review.location = location;
            }
            staged.push(one);
        }
        Ok(staged)
    }

    fn row(&mut self, start: i64, bytes: i64) -> sqlx::Result<String> {
        let bytes = usize::try_from(bytes).map_err(|error| sqlx::Error::Decode(error.into()))?;
        self.rows
            .read(start.unsigned_abs(), bytes)
            .map_err(sqlx::Error::Io)
    }

    /// Whose reviews these are.
    pub(super) async fn places(&mut self) -> sqlx::Result<Vec<Place>> {
        let select =
            "select distinct source, location from staged where start_at is not null order by 1, 2";
        sqlx::query_as(select).fetch_all(&mut self.connection).await
    }

    /// Which of these ids are there.
    pub(super) async fn known(&mut self, ids: &[&str]) -> sqlx::Result<HashSet<String>> {
        let select =
            "select review_id from staged where review_id in (select value from json_each(?))";
        let ids = Value::from(ids).to_string();
        Ok(sqlx::query_scalar(select)
            .bind(ids)
            .fetch_all(&mut self.connection)
            .await?
            .into_iter()
            .collect())
    }
}
