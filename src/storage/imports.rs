//! Stages the rows of one import in a temporary database, so that memory does not grow with the size of the import. It
//! keeps the newest row of each id and returns rows in id order, so that a merge works in batches. Its queries are not
//! checked at compile time because the table exists only here.

use std::collections::HashSet;

use futures_executor::block_on;
use futures_util::{Stream, TryStreamExt};
use serde_json::{Value, json};
use sqlx::SqliteConnection;

use super::connection::scratch;

/// Rows per statement.
const ROWS: u16 = 250;
/// Maximum size in bytes of rows held in memory; one text may have 1 MiB.
const BYTES: usize = 4 << 20;

#[derive(Debug, Default)]
pub struct RowToStage<'r> {
    /// Id of the review that this row adds, updates or deletes.
    pub id: &'r str,
    /// Microseconds since 1970.
    pub updated_us: Option<i64>,
    /// The review as JSON; `None` if the row only deletes it.
    pub review: Option<String>,
    /// Whether the review may exist under another id.
    pub may_be_there: bool,
    /// User number of the review's author.
    pub writer: Option<&'r str>,
    /// Number of the row's file, if rows of a file with the same id are different reviews.
    pub file: Option<usize>,
}

/// A staged row: its id, the review as JSON (`None` if only the id was staged), and the answer to it from another row.
pub type StagedRow = (String, Option<String>, Option<String>);

/// The staged rows; the temporary database is removed with this connection.
#[derive(Debug)]
pub struct Staging {
    connection: SqliteConnection,
    /// Rows that are not in the table yet: a JSON array without its closing bracket.
    batch: String,
    rows: u16,
    /// Whether one of these rows may have the id of another review.
    has_alike: bool,
}

impl Staging {
    pub fn new() -> sqlx::Result<Self> {
        let mut connection = block_on(scratch())?;
        let tables = "create table staged (row_id integer primary key, review_id text not null unique, updated_us integer, review text,
                 may_be_there integer not null, writer text, answer text, known_id text, fills integer) strict;
             create table alike (row_id integer primary key, review_id text not null, file integer not null, updated_us integer,
                 review text, may_be_there integer not null, writer text) strict;
             create table answer (row_id integer primary key, review_id text not null, writer text not null, answer text not null) strict";
        block_on(sqlx::raw_sql(tables).execute(&mut connection))?;
        Ok(Self {
            connection,
            batch: String::new(),
            rows: 0,
            has_alike: false,
        })
    }

    /// Adds a row. Of rows with the same id the newest counts; if none is newer, the row added last. Blocks on the
    /// disk, like reading the files does.
    pub fn push(&mut self, row: &RowToStage<'_>) -> sqlx::Result<()> {
        let entry = json!([
            row.id,
            row.updated_us,
            row.review,
            row.may_be_there,
            row.writer,
            row.file
        ]);
        self.has_alike |= row.file.is_some();
        self.batch.push(if self.rows == 0 { '[' } else { ',' });
        self.batch.push_str(&entry.to_string());
        self.rows += 1;
        if self.rows == ROWS || self.batch.len() >= BYTES {
            block_on(self.put())?;
        }
        Ok(())
    }

    /// `writer` is the user number of the answer's author.
    pub fn push_answer(&mut self, id: &str, writer: &str, answer: &str) -> sqlx::Result<()> {
        let insert = "insert into answer (review_id, writer, answer) values (?, ?, ?)";
        let insert = sqlx::query(insert).bind(id).bind(writer).bind(answer);
        block_on(insert.execute(&mut self.connection)).map(drop)
    }

    /// Joins answers to reviews, once all rows were pushed: each review gets the shop's first answer. The shop is the user
    /// who answers the most reviews, and wrote none; if two users lead, nobody is. Returns the number of unused answers.
    pub async fn answer(&mut self) -> sqlx::Result<u64> {
        self.put().await?;
        self.number_alike().await?;
        let index = "create index answer_to on answer (review_id)";
        sqlx::query(index).execute(&mut self.connection).await?;
        let update = "update staged set answer = (select a.answer from answer as a
               where a.review_id = staged.review_id and a.writer = (
                 select iif(count(*) = 1, min(leader), null) from (
                   select writer as leader, rank() over (order by count(distinct review_id) desc) as place from answer
                   where review_id in (select review_id from staged)
                     and writer not in (select writer from staged where writer is not null)
                   group by writer)
                 where place = 1)
               order by a.row_id limit 1)
             where review_id in (select review_id from answer)";
        sqlx::query(update).execute(&mut self.connection).await?;
        let left = "select (select count(*) from answer) - (select count(*) from staged where answer is not null)";
        self.number(left).await
    }

    /// Writes buffered rows to the table.
    async fn put(&mut self) -> sqlx::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        self.batch.push(']');
        let insert = "insert into staged (review_id, updated_us, review, may_be_there, writer)
             select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 from json_each(?) where value ->> 5 is null
             on conflict (review_id) do update set updated_us = excluded.updated_us, review = excluded.review,
               may_be_there = excluded.may_be_there, writer = excluded.writer
             where coalesce(excluded.updated_us >= updated_us, true)";
        sqlx::query(insert)
            .bind(&self.batch)
            .execute(&mut self.connection)
            .await?;
        if self.has_alike {
            let insert = "insert into alike (review_id, updated_us, review, may_be_there, writer, file)
                 select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 from json_each(?)
                 where value ->> 5 is not null";
            let insert = sqlx::query(insert).bind(&self.batch);
            insert.execute(&mut self.connection).await?;
            self.has_alike = false;
        }
        self.batch.clear();
        self.rows = 0;
        Ok(())
    }

    /// Numbers the rows of a file that have the same id and are different reviews: the second id ends with `.2`. The same
    /// file has the same ids again, and a file that repeats rows of another one adds only what it has more.
    async fn number_alike(&mut self) -> sqlx::Result<()> {
        let insert = "insert or replace into staged (review_id, updated_us, review, may_be_there, writer)
             select review_id || iif(number = 1, '', '.' || number), updated_us, review, may_be_there, writer
             from (select *, row_number() over (partition by review_id, file order by row_id) as number from alike)
             order by file";
        let insert = sqlx::query(insert);
        insert.execute(&mut self.connection).await.map(drop)
    }

    /// Number of staged rows.
    pub async fn count(&mut self) -> sqlx::Result<u64> {
        self.number("select count(*) from staged").await
    }

    async fn number(&mut self, select: &'static str) -> sqlx::Result<u64> {
        let number: i64 = sqlx::query_scalar(select)
            .fetch_one(&mut self.connection)
            .await?;
        Ok(number.unsigned_abs())
    }

    async fn ids_after(&mut self, select: &'static str, id: &str) -> sqlx::Result<Vec<String>> {
        let select = sqlx::query_scalar(select).bind(id).bind(ROWS);
        select.fetch_all(&mut self.connection).await
    }

    /// The next rows after `id`, in id order.
    pub async fn after(&mut self, id: &str) -> sqlx::Result<Vec<StagedRow>> {
        let select = "select review_id, review, answer from staged where review_id > ?
             order by review_id limit ?";
        let select = sqlx::query_as(select).bind(id).bind(ROWS);
        held(select.fetch(&mut self.connection)).await
    }

    /// The next ids after `id`, in id order, of rows whose review may exist under another id; at most as many as one
    /// statement takes.
    pub async fn unsure_ids_after(&mut self, id: &str) -> sqlx::Result<Vec<String>> {
        let select = "select review_id from staged where review_id > ? and may_be_there order by review_id limit ?";
        self.ids_after(select, id).await
    }

    /// The next ids after `id`, in id order, of rows that complete an existing review; at most as many as one statement
    /// takes.
    pub async fn filling_ids_after(&mut self, id: &str) -> sqlx::Result<Vec<String>> {
        let select = "select review_id from staged where review_id > ? and known_id is not null and fills order by review_id limit ?";
        self.ids_after(select, id).await
    }

    /// The rows of the first of these ids, up to the maximum size in memory.
    pub async fn rows_of(&mut self, ids: &[&str]) -> sqlx::Result<Vec<StagedRow>> {
        let select = "select review_id, review, answer from staged where review_id in (select value from json_each(?))
             order by review_id";
        let ids = Value::from(ids).to_string();
        held(sqlx::query_as(select).bind(ids).fetch(&mut self.connection)).await
    }

    /// Records matches as triples: staged id, id of the existing review, and whether the row completes it.
    pub async fn note_known(&mut self, known: &[(String, String, bool)]) -> sqlx::Result<()> {
        let update = "update staged set known_id = its.value ->> 1, fills = its.value ->> 2 from json_each(?) as its where review_id = its.value ->> 0";
        let update = sqlx::query(update).bind(json!(known).to_string());
        update.execute(&mut self.connection).await.map(drop)
    }

    pub async fn leave_out(&mut self, ids: &[&str]) -> sqlx::Result<()> {
        let delete = "delete from staged where review_id in (select value from json_each(?))";
        let delete = sqlx::query(delete).bind(Value::from(ids).to_string());
        delete.execute(&mut self.connection).await.map(drop)
    }

    /// Removes rows that match the same existing review; calls `look` with each row's id and that review's id.
    pub async fn leave_out_contested(
        &mut self,
        mut look: impl FnMut(String, String),
    ) -> sqlx::Result<()> {
        let select = "select review_id, known_id from staged where known_id in
               (select known_id from staged where known_id is not null group by known_id having count(*) > 1)
             order by review_id";
        let mut rows = sqlx::query_as(select).fetch(&mut self.connection);
        while let Some((id, completed)) = rows.try_next().await? {
            look(id, completed);
        }
        drop(rows);
        let delete = "delete from staged where known_id in
             (select known_id from staged where known_id is not null group by known_id having count(*) > 1)";
        let delete = sqlx::query(delete);
        delete.execute(&mut self.connection).await.map(drop)
    }

    /// Gives matched rows the id of the existing review.
    pub async fn rename_known(&mut self) -> sqlx::Result<()> {
        let update =
            "update staged set review_id = known_id, known_id = null where known_id is not null";
        let update = sqlx::query(update);
        update.execute(&mut self.connection).await.map(drop)
    }

    /// Returns the given ids that are staged.
    pub async fn known(&mut self, ids: &[&str]) -> sqlx::Result<HashSet<String>> {
        let select =
            "select review_id from staged where review_id in (select value from json_each(?))";
        let select = sqlx::query_scalar(select).bind(Value::from(ids).to_string());
        let ids = select.fetch_all(&mut self.connection).await?;
        Ok(ids.into_iter().collect())
    }
}

/// The first rows, up to the maximum size in memory.
async fn held(
    mut rows: impl Stream<Item = sqlx::Result<StagedRow>> + Unpin,
) -> sqlx::Result<Vec<StagedRow>> {
    let (mut held, mut bytes) = (Vec::new(), 0);
    while bytes < BYTES
        && let Some(row) = rows.try_next().await?
    {
        bytes += row.1.as_ref().map_or(0, String::len);
        held.push(row);
    }
    Ok(held)
}
