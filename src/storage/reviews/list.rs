//! Which reviews there are, for the owner: published and withheld ones alike.

use sqlx::SqliteConnection;

use crate::model::Status;
use crate::storage::Text;

/// The last byte that an id may have (`~`), and one more.
const AFTER_ALL: char = '\u{7f}';

/// The ids of the reviews that begin with `prefix`, the first `limit` of them; none for an empty prefix.
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

/// The ids of the reviews after that one, in their order, the first `limit` of them.
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

/// Which reviews are listed.
#[derive(Debug, Clone, Default)]
pub struct ListFilter {
    /// Those with so many stars.
    pub rating: Option<u8>,
    /// Published or withheld ones, whatever the reason of the latter.
    pub status: Option<Status>,
}

/// Where a list stands: the day and id that were read last.
#[derive(Debug, Clone, Default)]
pub struct ListPosition {
    day: Option<String>,
    id: String,
}

/// The next ids, newest first (date descending, then id ascending), at most `limit` of them; none after the last.
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

/// How many reviews a source gave that have one status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceCount {
    /// What the source calls itself.
    pub source: String,
    /// Whether they are published.
    pub is_published: bool,
    /// How many there are.
    pub count: u64,
}

/// How many reviews there are, by source and status.
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
