//! Repairs the text index, with which a shell searches. Triggers keep it in step, but a shell can delete from it or drop it.

use sqlx::sqlite::SqliteConnection;

use super::write::Write;

/// As in `migrations/0003_change.sql`; `check` compares the two.
const CREATE: &str =
    "create virtual table review_fts using fts5 (text, review_id unindexed, tokenize = 'trigram')";

/// Whether every review has a row in the index. Compares only row ids (FTS5 keeps one in `review_fts_docsize` for each,
/// <https://www.sqlite.org/fts5.html#the_docsize_table>): a tenth of a microsecond for each review.
pub(super) async fn is_whole(connection: &mut SqliteConnection) -> sqlx::Result<bool> {
    if !is_there(connection).await? {
        return Ok(false);
    }
    sqlx::query_scalar!(
        r#"select not exists (
             select 1 from review_change as c left join review_fts_docsize as d on d.id = c.review_no
             cross join review as r on r.review_id = c.review_id where d.id is null) as "is: bool""#
    )
    .fetch_one(connection)
    .await
}

/// Adds an index row for each review without one; returns the number of added rows.
pub(super) async fn repair(write: &mut Write) -> sqlx::Result<u64> {
    if !is_there(write.for_reading()).await? {
        sqlx::query(CREATE).execute(&mut *write).await?;
    }
    let added = sqlx::query!(
        "insert into review_fts (rowid, text, review_id)
         select c.review_no, r.text, r.review_id
         from review_change as c left join review_fts_docsize as d on d.id = c.review_no
         cross join review as r on r.review_id = c.review_id where d.id is null"
    )
    .execute(write)
    .await?;
    Ok(added.rows_affected())
}

async fn is_there(connection: &mut SqliteConnection) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"select exists (select 1 from sqlite_schema where name = 'review_fts') as "is: bool""#
    )
    .fetch_one(connection)
    .await
}
