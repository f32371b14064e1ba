//! Verifies the file and all data that triggers maintain. Only reads.

use std::path::Path;

use sqlx::sqlite::SqliteConnection;

use super::columns::{Text, strings};
use super::error::{AtPath as _, DbError};
use super::schema;

/// Maximum number of faults that are listed.
pub const FAULTS_SHOWN: usize = 20;
/// What [`first_faults`] calls the others where all are of one kind.
pub const LIKE_FAULTS: &str = "like the one above";

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileVerification {
    /// Number of reviews, including withheld ones.
    pub reviews: i64,
    /// Faults, one sentence each.
    pub wrong: Vec<String>,
    /// Data that will be brought up to date later, one sentence each.
    pub behind: Vec<String>,
}

/// Verifies the whole database at `path`, behind `connection`.
///
/// # Errors
/// When it cannot be read, or its tables are other ones.
pub async fn verify(
    connection: &mut SqliteConnection,
    path: &Path,
) -> Result<FileVerification, DbError> {
    schema::verify_objects(connection, path).await?;
    verify_rows(connection).await.at(path)
}

async fn verify_rows(connection: &mut SqliteConnection) -> sqlx::Result<FileVerification> {
    let mut verified = FileVerification {
        reviews: sqlx::query_scalar!("select count(*) from review")
            .fetch_one(&mut *connection)
            .await?,
        wrong: integrity(connection).await?,
        behind: Vec::new(),
    };
    verified.wrong.extend(rows_of_text_index(connection).await?);
    let behind = unpublished(connection).await?;
    if behind > 0 {
        verified.behind.push(format!(
            "changes that are not published yet: {behind}; a running `reviews serve` publishes them within a second"
        ));
    }
    Ok(verified)
}

/// Number of reviews that changed after the last publication.
pub async fn unpublished(connection: &mut SqliteConnection) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!: i64" from review_change
           where change_no > (select coalesce(max(change_no), 0) from publication) and review_id <> ''"#
    )
    .fetch_one(connection)
    .await
}

/// The faults that SQLite reports.
async fn integrity(connection: &mut SqliteConnection) -> sqlx::Result<Vec<String>> {
    // Checks pages, indices, and FTS5's index of its own content, but not the tables' checks, which a read-only
    // connection does not have.
    let integrity: Vec<String> = sqlx::query_scalar("pragma integrity_check(20)")
        .fetch_all(connection)
        .await?;
    let faults = integrity.iter().filter(|line| *line != "ok");
    Ok(faults.map(|line| format!("integrity: {line}")).collect())
}

async fn rows_of_text_index(connection: &mut SqliteConnection) -> sqlx::Result<Vec<String>> {
    let faults = sqlx::query_scalar!(
        r#"select 'text index: review ' || r.review_id || ' is not indexed with its current text' as "fault!: Text"
           from review as r left join review_change as c using (review_id) left join review_fts as f on f.rowid = c.review_no
           where f.rowid is null or f.text is not r.text or f.review_id is not r.review_id
           union all
           select 'text index: row ' || f.rowid || ' belongs to no review'
           from review_fts as f left join review_change as c on c.review_no = f.rowid
           left join review as r on r.review_id = c.review_id where r.review_id is null"#
    )
    .fetch_all(connection)
    .await?;
    Ok(first_faults(strings(faults), LIKE_FAULTS))
}

/// The first [`FAULTS_SHOWN`] faults, and how many `others` there are.
pub fn first_faults(mut faults: Vec<String>, others: &str) -> Vec<String> {
    let more = faults.len().saturating_sub(FAULTS_SHOWN);
    faults.truncate(FAULTS_SHOWN);
    if more > 0 {
        faults.push(format!("{more} more {others}"));
    }
    faults
}
