//! What `/transparency` says beyond the published reviews: how they arrive, what their sources last said, and the stars of
//! those that the owner withheld.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use futures_util::{Stream, TryStreamExt as _};
use serde_json::Value;
use sqlx::SqliteConnection;

use super::text::{Text, instant};
use crate::model::{DUPLICATE, GONE, LastStatement, NOT_PUBLISHED, NOT_VERIFIED, RatingCounts};

/// How the published reviews of a source arrive.
#[derive(Debug)]
pub struct ArrivalRow {
    /// Whether the source is fetched on a schedule, which is not paused; otherwise its files were imported.
    pub is_scheduled: bool,
    /// The last success of a fetch, or else the last import that is known.
    pub last: Option<DateTime<Utc>>,
}

/// The arrival of each source by its name; a source of which no published review was imported is not there.
pub async fn arrivals(
    connection: &mut SqliteConnection,
) -> sqlx::Result<BTreeMap<String, ArrivalRow>> {
    let rows = sqlx::query!(
        r#"select r.source_name as "source!: Text", count(s.name) > 0 as "is_scheduled!: bool",
             coalesce(max(s.last_success_at),
               (select max(started_at) from import_run as i, json_each(i.sources) as j
                where j.value = r.source_name and undone_at is null)) as "last: Text"
           from review as r join review_source using (review_id) left join sync_review as b using (review_id)
             left join sync_source as s on s.name = b.name and not s.paused
           where r.status = 'published' group by r.source_name"#
    )
    .fetch_all(connection)
    .await?;
    let arrivals = rows.into_iter().map(|row| {
        let arrival = ArrivalRow {
            is_scheduled: row.is_scheduled,
            last: row.last.and_then(|last| instant(last.as_ref())),
        };
        (row.source.into(), arrival)
    });
    Ok(arrivals.collect())
}

/// The stars of the reviews that the owner withheld: not those that their source hides or no longer has, duplicates, and
/// reviews that are not verified.
pub async fn withheld_by_owner(connection: &mut SqliteConnection) -> sqlx::Result<RatingCounts> {
    let rows = sqlx::query!(
        r#"select rating as "stars!: i64", count(*) as "count!: i64" from review
           where status = 'withheld' and coalesce(withheld_reason, '') not in (?, ?, ?, ?) group by 1"#,
        NOT_PUBLISHED,
        GONE,
        DUPLICATE,
        NOT_VERIFIED
    )
    .fetch_all(connection)
    .await?;
    let mut by_stars = [0; 5];
    for row in rows {
        let place = usize::try_from(row.stars - 1).ok();
        if let Some(count) = place.and_then(|place| by_stars.get_mut(place)) {
            *count = u64::try_from(row.count).unwrap_or(0);
        }
    }
    Ok(RatingCounts::new(by_stars))
}

/// The IDs of the published reviews that a source gave, with what it last said.
pub fn source_values_of_published(
    connection: &mut SqliteConnection,
) -> impl Stream<Item = sqlx::Result<(String, LastStatement)>> + Send + '_ {
    let rows = sqlx::query!(
        r#"select r.review_id as "id!: Text", said as "said!: Text"
           from review as r join review_source using (review_id) where r.status = 'published'"#
    )
    .fetch(connection);
    rows.map_ok(|row| {
        // A table's check says that it is an object; where it was switched off, nothing is known.
        let statement: Value = serde_json::from_str(row.said.as_ref()).unwrap_or_default();
        (row.id.into(), LastStatement::from(&statement))
    })
}
