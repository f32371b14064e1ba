//! What an operator sees. Never a secret.

use chrono::{DateTime, Utc};
use sqlx::SqliteConnection;

use super::text;

/// One subscription as `reviews subscriptions` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubscriptionRow {
    /// The name of the document that it is about.
    pub document: String,
    /// The callback URL as it was given.
    pub callback: String,
    /// The name of its state.
    pub state: String,
    /// When its lease ends.
    pub lease_ends_at: Option<String>,
    /// Failed attempts in a row.
    pub failures: i64,
    /// When it was last tried.
    pub last_attempt_at: Option<String>,
    /// What came of that.
    pub last_outcome: Option<String>,
    /// When it is tried next, where it waits.
    pub next_attempt_at: Option<String>,
    /// Whether deliveries are signed.
    pub is_signed: bool,
    /// What it has, and what is out.
    pub delivered_version: i64,
    /// The version that is out.
    pub version: i64,
}

/// What the metrics tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HubGauges {
    /// How many subscriptions are active.
    pub active: i64,
    /// Requests that wait for verification.
    pub pending: i64,
    /// Active subscriptions that are behind.
    pub due: i64,
    /// For how many seconds the oldest of them has been.
    pub oldest_due_seconds: i64,
}

/// Every subscription, active ones first; one whose lease is over has lapsed, whether or not that
/// is recorded.
///
/// # Errors
/// When the database cannot be read.
pub async fn list(
    connection: &mut SqliteConnection,
    now: DateTime<Utc>,
) -> sqlx::Result<Vec<SubscriptionRow>> {
    let now = text(now);
    sqlx::query_as!(
        SubscriptionRow,
        r#"select s.document, callback, case when state = 'active' and lease_ends_at <= ?1 then 'lapsed' else state end as "state!: String",
             lease_ends_at, failures, last_attempt_at, last_outcome, next_attempt_at,
             secret is not null as "is_signed!: bool", delivered_version, coalesce(p.version, 0) as "version!: i64"
           from subscription as s left join publication as p using (document)
           order by state = 'active' and lease_ends_at > ?1 desc, 3, s.document, callback"#,
        now
    )
    .fetch_all(connection)
    .await
}

/// What there is, in numbers.
///
/// # Errors
/// When the database cannot be read.
pub async fn gauges(
    connection: &mut SqliteConnection,
    now: DateTime<Utc>,
) -> sqlx::Result<HubGauges> {
    let now = text(now);
    sqlx::query_as!(
        HubGauges,
        r#"select
             (select count(*) from subscription where state = 'active') as "active!: i64",
             (select count(*) from intent) as "pending!: i64",
             (select count(*) from subscription as s join publication as p using (document)
              where s.state = 'active' and s.delivered_version < p.version and s.lease_ends_at > ?1) as "due!: i64",
             coalesce((select max(cast((julianday(?1) - julianday(p.changed_at)) * 86400 as integer))
              from publication as p where exists (select 1 from subscription as s where s.document = p.document
                and s.state = 'active' and s.delivered_version < p.version and s.lease_ends_at > ?1)), 0)
               as "oldest_due_seconds!: i64""#,
        now
    )
    .fetch_one(connection)
    .await
}
