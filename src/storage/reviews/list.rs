//! Lists of reviews for the owner: published and withheld ones.

use sqlx::SqliteConnection;

use crate::model::Status;
use crate::storage::Text;

/// The character after `~`, which is the largest byte in an id.
const AFTER_ALL: char = '\u{7f}';

/// The first `limit` ids that begin with `prefix`, in id order; none for an empty prefix.
///
/// # Errors
/// When the database cannot be read.
pub async fn ids_with_prefix(
    connection: &mut SqliteConnection,
    prefix: &str,
    limit: i64,
) -> sqlx::Result<Vec<String>> {
    if prefix.is_empty() {
        return Ok(Vec::new());
    }
    let end = format!("{prefix}{AFTER_ALL}");
    let ids = sqlx::query_scalar!(
        r#"select review_id as "id: Text" from review where review_id >= ? and review_id < ? order by review_id limit ?"#,
        prefix,
        end,
        limit
    );
    let ids = ids.fetch_all(connection).await?;
    Ok(ids.into_iter().map(String::from).collect())
}

/// The first `limit` ids after `after`, in id order.
///
/// # Errors
/// When the database cannot be read.
pub async fn present_after(
    connection: &mut SqliteConnection,
    after: &str,
    limit: i64,
) -> sqlx::Result<Vec<String>> {
    let ids = sqlx::query_scalar!(
        r#"select review_id as "id: Text" from review where review_id > ? order by review_id limit ?"#,
        after,
        limit
    );
    let ids = ids.fetch_all(connection).await?;
    Ok(ids.into_iter().map(String::from).collect())
}

#[derive(Debug, Clone, Default)]
pub struct ListFilter {
    /// Exactly this number of stars.
    pub rating: Option<u8>,
    /// Withheld reviews match for any reason.
    pub status: Option<Status>,
}

/// Position in a list: day and id of the last review.
#[derive(Debug, Clone, Default)]
pub struct ListPosition {
    day: Option<String>,
    id: String,
}

/// The next ids, newest first (date descending, then id ascending), at most `limit`; empty after the last.
///
/// # Errors
/// When the database cannot be read.
pub async fn list_ids(
    connection: &mut SqliteConnection,
    filter: &ListFilter,
    position: &mut ListPosition,
    limit: i64,
) -> sqlx::Result<Vec<String>> {
    let (rating, status) = (filter.rating, filter.status.as_ref().map(Status::name));
    let rows = sqlx::query!(
        r#"select review_id as "id: Text", reviewed_on as "day: Text" from review
           where (?1 is null or rating = ?1) and (?2 is null or status = ?2)
             and (?3 is null or reviewed_on < ?3 or (reviewed_on = ?3 and review_id > ?4))
           order by reviewed_on desc, review_id limit ?5"#,
        rating,
        status,
        position.day,
        position.id,
        limit
    )
    .fetch_all(connection)
    .await?;
    if let Some(last) = rows.last() {
        position.day = Some(last.day.as_ref().to_owned());
        last.id.as_ref().clone_into(&mut position.id);
    }
    Ok(rows.into_iter().map(|row| row.id.into()).collect())
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceCount {
    pub source: String,
    pub is_published: bool,
    pub count: u64,
}

/// Number of reviews by source and status.
///
/// # Errors
/// When the database cannot be read.
pub async fn counts(connection: &mut SqliteConnection) -> sqlx::Result<Vec<SourceCount>> {
    let rows = sqlx::query!(
        r#"select source_name as "source!: Text", status = 'published' as "is_published!: bool", count(*) as "count!: i64"
           from review group by 1, 2 order by 1, 2 desc"#
    )
    .fetch_all(connection)
    .await?;
    let row = |source: Text, is_published, count: i64| SourceCount {
        source: source.into(),
        is_published,
        count: count.unsigned_abs(),
    };
    Ok(rows
        .into_iter()
        .map(|its| row(its.source, its.is_published, its.count))
        .collect())
}
