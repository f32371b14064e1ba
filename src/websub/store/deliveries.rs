//! Subscriptions that are behind the published version, and what was delivered to them.

use chrono::{DateTime, Utc};
use serde_json::json;
use sqlx::SqliteConnection;

use crate::snapshot::Document;
use crate::storage::{Write, instant_or_epoch, utc_milliseconds};
use crate::websub::request::Secret;
use crate::websub::subscription::Subscriber;

/// A subscription that is behind the published version.
pub struct DueDelivery {
    pub subscriber: Subscriber,
    pub secret: Option<Secret>,
    pub lease_ends_at: DateTime<Utc>,
    /// The last delivered version.
    pub delivered_version: i64,
    /// Consecutive failed deliveries.
    pub failures: u32,
}

/// Maximum number of subscriptions read at once: per host, and in total.
const HOST_BATCH: i64 = 256;
const BATCH: i64 = 8_192;

/// Subscriptions that are behind and due, at most [`HOST_BATCH`] per host, so that a host with many does not hide
/// other hosts.
pub async fn deliveries(
    connection: &mut SqliteConnection,
    now: DateTime<Utc>,
) -> sqlx::Result<Vec<DueDelivery>> {
    let now = utc_milliseconds(now);
    let rows = sqlx::query!(
        r#"select subscription_id as "subscription_id!", document as "document!", callback as "callback!", host as "host!", secret,
             lease_ends_at, delivered_version as "delivered_version!", failures as "failures!"
           from (select s.*, row_number() over (partition by host order by subscription_id) as place
                 from subscription as s join publication as p on p.document = s.document
                 where s.state = 'active' and s.delivered_version < p.version and s.lease_ends_at > ?1
                   and (s.next_attempt_at is null or s.next_attempt_at <= ?1))
           where place <= ?2 order by place, subscription_id limit ?3"#,
        now,
        HOST_BATCH,
        BATCH
    )
    .fetch_all(connection)
    .await?;
    let due = rows.into_iter().filter_map(|row| {
        Some(DueDelivery {
            subscriber: Subscriber {
                subscription_id: row.subscription_id,
                document: Document::find(&row.document)?,
                callback: row.callback,
                host: row.host,
            },
            secret: row.secret.map(Secret::new),
            lease_ends_at: row.lease_ends_at.as_deref().map(instant_or_epoch)?,
            delivered_version: row.delivered_version,
            failures: u32::try_from(row.failures).unwrap_or(0),
        })
    });
    Ok(due.collect())
}

/// Sets the delivered versions in one statement. The unary plus keeps SQLite from starting with all active
/// subscriptions.
pub async fn mark_delivered(
    write: &mut Write,
    delivered: &[(i64, i64, String)],
) -> sqlx::Result<()> {
    if delivered.is_empty() {
        return Ok(());
    }
    let delivered = json!(delivered).to_string();
    sqlx::query!(
        "update subscription set delivered_version = d.version, failures = 0, next_attempt_at = null, last_attempt_at = d.at,
           last_outcome = 'ok'
         from (select value ->> 0 as id, value ->> 1 as version, value ->> 2 as at from json_each(?)) as d
         where subscription_id = d.id and +state = 'active'",
        delivered
    )
    .execute(&mut *write)
    .await?;
    Ok(())
}
