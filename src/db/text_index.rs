//! Makes the text index whole again: triggers keep it in step, but a shell can delete from it, or
//! drop it. Apart from `verify`, which only tells. Knows nothing of what is asked of the index.

use super::write::Write;
use sqlx::SqliteConnection;

/// As migration 0003 makes it; `check` holds the one against the other.
const CREATE: &str =
    "create virtual table review_fts using fts5 (text, review_id unindexed, tokenize = 'trigram')";

/// Whether every review has a row in the index. Only rows are counted (FTS5 keeps one in
/// `review_fts_docsize` for each, <https://www.sqlite.org/fts5.html#the_docsize_table>): two walks
/// side by side, a tenth of a microsecond for each review.
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

/// Adds what is lacking, and says how many rows that were.
pub(super) async fn repair(write: &mut Write) -> sqlx::Result<u64> {
    if !is_there(write).await? {
        sqlx::query(CREATE).execute(&mut **write).await?;
    }
    let added = sqlx::query!(
        "insert into review_fts (rowid, text, review_id)
         select c.review_no, r.text, r.review_id
         from review_change as c left join review_fts_docsize as d on d.id = c.review_no
         cross join review as r on r.review_id = c.review_id where d.id is null"
    )
    .execute(&mut **write)
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
