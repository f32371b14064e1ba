//! The hub's rows: what was asked for, who is subscribed, what is due, and what came of it.

mod due;
mod outcome;
mod request;

use chrono::{DateTime, Duration, SecondsFormat, Utc};
use sqlx::SqliteConnection;

use super::state::State;
use crate::storage::Write;

pub use due::{Due, DueDelivery, DueVerification, deliveries, next_due_at, verifications};
pub use outcome::{AttemptRecord, Outcome, record};
pub use request::{
    Counts, Mode, SubscriptionRequest, accept, counts, is_known, known_callbacks, requested,
};

/// The one spelling of instants in the hub's tables, which compare as texts.
fn text(instant: DateTime<Utc>) -> String {
    instant.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Reads an instant back; what is none counts as long ago.
fn instant(text: &str) -> DateTime<Utc> {
    DateTime::parse_from_rfc3339(text).map_or(DateTime::UNIX_EPOCH, |instant| instant.to_utc())
}

// What an operator sees. Never a secret.

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

// What time does: leases end, and what nobody needs any more goes.

/// How long attempts, fan-outs and subscriptions that are over are kept, in days.
const KEPT_DAYS: i64 = 30;
/// How long a request may wait for its verification, in hours: it is verified within seconds,
/// unless nobody sends.
const INTENT_HOURS_MAX: i64 = 24;

/// How many attempts that failed are kept. With callbacks cut short, 4 MB at most.
const ATTEMPTS_MAX: i64 = 10_000;
/// How many subscriptions that never were are kept: strangers can make as many as they like, 4 KB
/// each.
const REJECTED_MAX: i64 = 1_000;
/// How many that are over are kept: each was confirmed by its callback once.
const OVER_MAX: i64 = 10_000;

/// Keeps the newest of what strangers can cause; says how many rows went.
///
/// # Errors
/// When the database cannot be written.
pub async fn bound(write: &mut Write) -> sqlx::Result<u64> {
    let attempts = sqlx::query!(
        "delete from attempt where attempt_id <= (select max(attempt_id) from attempt) - ?",
        ATTEMPTS_MAX
    );
    let mut gone = attempts.execute(&mut **write).await?.rows_affected();
    for (state, kept) in [
        (State::Rejected, REJECTED_MAX),
        (State::Removed, OVER_MAX),
        (State::Lapsed, OVER_MAX),
    ] {
        let state = state.name();
        // What has a request that waits is not over yet.
        let over = sqlx::query!(
            "delete from subscription where subscription_id in (
               select subscription_id from subscription indexed by subscription_over
               where state = ?1 and state in ('rejected', 'removed', 'lapsed') order by updated_at desc limit -1 offset ?2)
             and not exists (select 1 from intent as i where i.subscription_id = subscription.subscription_id)",
            state,
            kept
        );
        gone += over.execute(&mut **write).await?.rows_affected();
    }
    Ok(gone)
}

/// Ends the leases that are over; says how many there were.
///
/// # Errors
/// When the database cannot be written.
pub async fn expire(write: &mut Write, now: DateTime<Utc>) -> sqlx::Result<u64> {
    let now = text(now);
    // State::Active.on(Event::LeaseEnded), for all at once.
    let done = sqlx::query!(
        "update subscription set state = 'lapsed', secret = null, updated_at = ?1 where state = 'active' and lease_ends_at <= ?1",
        now
    )
    .execute(&mut **write)
    .await?;
    Ok(done.rows_affected())
}

/// Deletes what is old; says how many rows went.
///
/// # Errors
/// When the database cannot be written.
pub async fn prune(write: &mut Write, now: DateTime<Utc>) -> sqlx::Result<u64> {
    let (old, forgotten) = (
        text(now - Duration::days(KEPT_DAYS)),
        text(now - Duration::hours(INTENT_HOURS_MAX)),
    );
    let mut gone = sqlx::query!("delete from attempt where at < ?", old)
        .execute(&mut **write)
        .await?
        .rows_affected();
    gone += sqlx::query!("delete from fan_out where last_at < ?", old)
        .execute(&mut **write)
        .await?
        .rows_affected();
    gone += sqlx::query!("delete from intent where requested_at < ?", forgotten)
        .execute(&mut **write)
        .await?
        .rows_affected();
    gone += sqlx::query!(
        "delete from subscription where updated_at < ?1 and (state in ('rejected', 'removed', 'lapsed'))
           and not exists (select 1 from intent as i where i.subscription_id = subscription.subscription_id)",
        old
    )
    .execute(&mut **write)
    .await?
    .rows_affected();
    // State::Pending.on(Event::VerificationFailed), for those whose request was never answered.
    gone += sqlx::query!(
        "update subscription set state = 'rejected', secret = null, updated_at = ?1 where state = 'pending'
           and not exists (select 1 from intent as i where i.subscription_id = subscription.subscription_id)",
        old
    )
    .execute(&mut **write)
    .await?
    .rows_affected();
    Ok(gone + bound(write).await?)
}
