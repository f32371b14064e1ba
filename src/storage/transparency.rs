//! What `/transparency` says beyond the published reviews: how they arrive, what their sources last said, which were withheld and
//! deleted, and the stars of those that the owner withheld.

use chrono::{DateTime, NaiveDate, Utc};
use futures_util::{Stream, TryStreamExt as _};
use serde_json::json;
use sqlx::SqliteConnection;

use super::columns::{Text, instant};
use super::reviews::Reasons;
use crate::model::{
    GONE, LastStatement, MAYBE_NOT_PUBLISHED, NOT_PUBLISHED, NOT_VERIFIED, RatingCounts,
    WITHOUT_STARS,
};

/// What is stored of a source besides its published reviews.
#[derive(Debug)]
pub struct StoredSource {
    pub name: String,
    pub withheld: u64,
    /// Of these, the ones that it no longer has.
    pub gone: u64,
    pub deleted: u64,
    /// Whether some of its reviews were imported.
    pub is_imported: bool,
    /// Whether an entry has fetched some of its reviews and is not held.
    pub is_scheduled: bool,
    /// The last success of a fetch, or else the last import that is known.
    pub last: Option<DateTime<Utc>>,
    /// How many reviews it says that it has, and on which day it said so: of several entries their sum, with the earliest day, if
    /// each has a number.
    pub stated: Option<(u64, NaiveDate)>,
}

pub async fn stored_sources(connection: &mut SqliteConnection) -> sqlx::Result<Vec<StoredSource>> {
    let rows = sqlx::query!(
        r#"select r.source_name as "name!: Text", sum(state = 'withheld') as "withheld!: i64",
             sum(is_absent) as "gone!: i64", sum(state = 'deleted') as "deleted!: i64",
             max(is_imported) as "is_imported!: bool", count(s.name) > 0 as "is_scheduled!: bool",
             coalesce(max(s.last_success_at),
               (select max(started_at) from import_run as i, json_each(i.sources) as j
                where j.value = r.source_name and undone_at is null)) as "last: Text",
             t.total as "total?: i64", t.total_on as "total_on?: Text"
           from (select review_id, r.source_name, status as state, b.review_id is not null as is_imported,
                     status = 'withheld' and withheld_reason is ? as is_absent
                   from review as r left join review_source as b using (review_id)
                 union all select review_id, source_name, 'deleted', same_content is not null, 0 from deleted_review as d
                   where not exists (select 1 from review as r where r.review_id = d.review_id)) as r
             left join review_source as b using (review_id) left join sync_state as s on s.name = b.entry
               and (not s.held or s.last_import ->> 'former_source' is not null)
             left join (select source, sum(total) as total, min(total_on) as total_on from sync_state as s where source is not null
                          and (not removed or exists (select 1 from review_source as r where r.entry = s.name))
                        group by source having count(*) = count(iif(removed, null, total)) and count(*) = count(total_on)) as t
               on t.source = r.source_name
           group by r.source_name"#,
        GONE
    )
    .fetch_all(connection)
    .await?;
    let sources = rows.into_iter().map(|row| StoredSource {
        name: row.name.into(),
        withheld: row.withheld.unsigned_abs(),
        gone: row.gone.unsigned_abs(),
        deleted: row.deleted.unsigned_abs(),
        is_imported: row.is_imported,
        is_scheduled: row.is_scheduled,
        last: row.last.and_then(|last| instant(last.as_ref())),
        stated: row.total.and_then(|total| {
            let day = row.total_on.as_ref()?.as_ref().parse().ok()?;
            Some((u64::try_from(total).ok()?, day))
        }),
    });
    Ok(sources.collect())
}

/// The deleted reviews, with the ten most frequent reasons. A mark whose review stands again is none.
pub async fn deleted(connection: &mut SqliteConnection) -> sqlx::Result<Reasons> {
    let row = sqlx::query!(
        r#"select coalesce(max("all"), 0) as "count!: i64", json_group_object(reason, count) as "reasons!: Text" from (
             select iif(octet_length(reason) > 1000, 'too long', coalesce(nullif(reason, ''), 'not stated')) as reason,
               count(*) as count, sum(count(*)) over () as "all"
             from deleted_review as d where not exists (select 1 from review as r where r.review_id = d.review_id)
             group by 1 order by 2 desc, 1 limit 10)"#
    )
    .fetch_one(connection)
    .await?;
    Ok(Reasons::new(row.count, &row.reasons))
}

/// The stars of the reviews that the owner withheld: not those that an import withheld because their source hides or no longer has
/// them, or they are not verified or have no stars. An import leaves its reason as what the source said; the same words may be the
/// owner's. `reasons` are those that the formats of sources give.
pub async fn withheld_by_owner(
    connection: &mut SqliteConnection,
    mut reasons: Vec<String>,
) -> sqlx::Result<RatingCounts> {
    let known = [
        NOT_PUBLISHED,
        MAYBE_NOT_PUBLISHED,
        GONE,
        NOT_VERIFIED,
        WITHOUT_STARS,
    ];
    reasons.extend(known.map(str::to_owned));
    let reasons = json!(reasons).to_string();
    let by_stars = sqlx::query_scalar!(
        r#"select json_array(count(*) filter (where rating = 1), count(*) filter (where rating = 2),
             count(*) filter (where rating = 3), count(*) filter (where rating = 4), count(*) filter (where rating = 5)) as "json!: Text"
           from review left join (select review_id, iif(json_valid(said), said, '{}') as said from review_source) using (review_id)
           where status = 'withheld' and not (coalesce(withheld_reason, '') in (select value from json_each(?1))
             and (withheld_reason is said ->> '$.status.withheld'
               or withheld_reason = ?2 and verification is null and said ->> '$.verification.verification' is null)
             and not exists (select 1 from json_each(said, '$.decided') where value = 'status'))"#,
        reasons,
        NOT_VERIFIED
    )
    .fetch_one(connection)
    .await?;
    let by_stars = serde_json::from_str(by_stars.as_ref()).unwrap_or_default();
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
        let statement = serde_json::from_str(row.said.as_ref()).unwrap_or_default();
        (row.id.into(), statement)
    })
}
