//! The hub's tables: what is due, the results of attempts, what operators see, and the end of leases. Requests and deliveries have
//! files of their own.

mod deliveries;
mod requests;

use chrono::{DateTime, Duration, Utc};
use serde_json::json;
use sqlx::SqliteConnection;

pub use deliveries::{DueDelivery, deliveries};
pub use requests::{
    Counts, DueVerification, SubscriptionRequest, SubscriptionState, accept, counts, standing,
    verifications,
};

use deliveries::mark_delivered;
use requests::{confirm, forget_request};

use super::subscription::{State, Subscriber};
use crate::config::bounds::{ENDED_MAX, INTENT_HOURS_MAX, REJECTED_MAX};
use crate::storage::{Write, instant_or_epoch, utc_milliseconds};
use crate::wire::HubMode;

pub enum Due {
    Verify(DueVerification),
    Deliver(DueDelivery),
}

impl Due {
    pub const fn subscriber(&self) -> &Subscriber {
        match self {
            Self::Verify(due) => &due.subscriber,
            Self::Deliver(due) => &due.subscriber,
        }
    }
}

/// The time of the next verification or delivery after `now`; `None` if none is scheduled.
pub async fn next_due_at(
    connection: &mut SqliteConnection,
    now: DateTime<Utc>,
) -> sqlx::Result<Option<DateTime<Utc>>> {
    let now = utc_milliseconds(now);
    let next = sqlx::query_scalar!(
        r#"select min(at) as "at: String" from (
             select min(next_attempt_at) as at from intent where next_attempt_at > ?1
             union all
             select min(s.next_attempt_at) from subscription as s join publication as p on p.document = s.document
             where s.state = 'active' and s.delivered_version < p.version and s.next_attempt_at > ?1)"#,
        now
    )
    .fetch_one(connection)
    .await?;
    Ok(next.as_deref().map(instant_or_epoch))
}

// Results of attempts.

/// One exchange with a callback and its result.
#[derive(Debug, Clone)]
pub struct Attempt {
    pub subscriber: Subscriber,
    /// `verification` or `delivery`.
    pub kind: &'static str,
    /// The HTTP status of a response; `None` for a successful delivery.
    pub status: Option<u16>,
    /// `ok`, or the reason of the failure.
    pub reason: &'static str,
    pub at: DateTime<Utc>,
    pub outcome: AttemptOutcome,
}

/// The effect of an attempt on its subscription. A `serial` is the number of the verified request.
#[derive(Debug, Clone)]
pub enum AttemptOutcome {
    /// The callback confirmed the intent.
    Verified {
        serial: i64,
        /// The confirmed mode.
        mode: HubMode,
        /// Counted from the moment the verification was sent (WebSub §5.3).
        lease_ends_at: DateTime<Utc>,
    },
    /// No usable response; it is tried once more.
    VerifyAgain {
        serial: i64,
        /// Attempts that count, without those in which our own network failed.
        attempts: i64,
        at: DateTime<Utc>,
    },
    /// A rate limit postponed the exchange; nothing was sent.
    Waits {
        serial: i64,
        at: DateTime<Utc>,
        /// The callback's network that has had too many.
        network: String,
    },
    NotVerified {
        serial: i64,
    },
    Delivered {
        version: i64,
    },
    Retry {
        /// Consecutive failed deliveries.
        failures: u32,
        at: DateTime<Utc>,
    },
    /// 410 ended the subscription.
    Gone,
    /// Three consecutive deliveries failed, which ends the subscription (stricter than WebSub §7, which asks to retry until
    /// the lease ends).
    DeliveriesFailed,
}

// Recording results, many in one transaction.

/// Records attempts.
///
/// # Errors
/// If the database cannot be written; then no attempt is recorded.
pub async fn record(
    write: &mut Write,
    attempts: &[Attempt],
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    let now = utc_milliseconds(now);
    let mut delivered = Vec::new();
    for attempt in attempts {
        if let AttemptOutcome::Delivered { version } = attempt.outcome {
            delivered.push((
                attempt.subscriber.subscription_id,
                version,
                utc_milliseconds(attempt.at),
            ));
        } else {
            apply(write, attempt, &now).await?;
            note_attempt(write, attempt).await?;
        }
    }
    mark_delivered(write, &delivered).await?;
    if delivered.len() < attempts.len() {
        bound(write).await?;
    }
    Ok(())
}

// The effects of an attempt on its subscription and on the verified request.

/// Applies an outcome to its subscription, except successful deliveries, which [`mark_delivered`] applies.
async fn apply(write: &mut Write, attempt: &Attempt, now: &str) -> sqlx::Result<()> {
    let id = attempt.subscriber.subscription_id;
    let update = match &attempt.outcome {
        AttemptOutcome::Verified {
            serial,
            mode: HubMode::Subscribe,
            lease_ends_at,
        } => return confirm(write, (id, *serial), *lease_ends_at, now).await,
        AttemptOutcome::Verified {
            serial,
            mode: HubMode::Unsubscribe,
            ..
        } => {
            let from = [State::Pending, State::Active];
            return end(write, (id, Some(*serial)), &from, State::Removed, now).await;
        }
        // An active subscription continues (WebSub §5.3).
        AttemptOutcome::NotVerified { serial } => {
            let from = [State::Pending];
            return end(write, (id, Some(*serial)), &from, State::Rejected, now).await;
        }
        AttemptOutcome::VerifyAgain {
            serial,
            attempts,
            at,
        } => {
            let at = utc_milliseconds(*at);
            sqlx::query!(
                "update intent set attempts = ?, next_attempt_at = ? where subscription_id = ? and serial = ?",
                attempts,
                at,
                id,
                serial
            )
        }
        // Keeps the callback's network, which the lookup has found.
        AttemptOutcome::Waits {
            serial,
            at,
            network,
        } => {
            let at = utc_milliseconds(*at);
            sqlx::query!(
                "update intent set callback_network = ?, next_attempt_at = ? where subscription_id = ? and serial = ?",
                network,
                at,
                id,
                serial
            )
        }
        AttemptOutcome::Delivered { .. } => return Ok(()),
        AttemptOutcome::Retry { failures, at } => {
            let at = utc_milliseconds(*at);
            sqlx::query!(
                "update subscription set failures = ?, next_attempt_at = ? where subscription_id = ? and state = 'active'",
                failures,
                at,
                id
            )
        }
        AttemptOutcome::Gone => {
            return end(write, (id, None), &[State::Active], State::Removed, now).await;
        }
        AttemptOutcome::DeliveriesFailed => {
            sqlx::query!(
                "update subscription set failures = 3, next_attempt_at = null where subscription_id = ? and state = 'active'",
                id
            )
            .execute(&mut *write)
            .await?;
            return end(write, (id, None), &[State::Active], State::Removed, now).await;
        }
    };
    update.execute(&mut *write).await.map(drop)
}

/// Ends a subscription that is in a state of `from`, and deletes its secret. With a `serial`, only if that is the number
/// of the subscription's request, which is deleted in any case.
async fn end(
    write: &mut Write,
    (subscription_id, serial): (i64, Option<i64>),
    from: &[State],
    to: State,
    now: &str,
) -> sqlx::Result<()> {
    let from: Vec<&str> = from.iter().map(|state| state.name()).collect();
    let (from, to) = (json!(from).to_string(), to.name());
    sqlx::query!(
        "update subscription set state = ?1, secret = null, updated_at = ?2
         where subscription_id = ?3 and state in (select value from json_each(?4))
           and (?5 is null or exists (select 1 from intent as i where i.subscription_id = ?3 and i.serial = ?5))",
        to,
        now,
        subscription_id,
        from,
        serial
    )
    .execute(&mut *write)
    .await?;
    match serial {
        Some(serial) => forget_request(write, subscription_id, serial).await,
        None => Ok(()),
    }
}

/// Notes when the last attempt was and its result: `ok`, `status 404`, or why there was no valid response.
async fn note_attempt(write: &mut Write, attempt: &Attempt) -> sqlx::Result<()> {
    // A postponed exchange sent nothing.
    if matches!(attempt.outcome, AttemptOutcome::Waits { .. }) {
        return Ok(());
    }
    let at = utc_milliseconds(attempt.at);
    let outcome = match attempt.status {
        Some(status) if attempt.reason == "status" => format!("status {status}"),
        Some(_) | None => attempt.reason.to_owned(),
    };
    sqlx::query!(
        "update subscription set last_attempt_at = ?, last_outcome = ? where subscription_id = ?",
        at,
        outcome,
        attempt.subscriber.subscription_id
    )
    .execute(&mut *write)
    .await
    .map(drop)
}

// The data for operators, never with a secret.

/// A line of `reviews subscriptions`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubscriptionRow {
    pub document: String,
    /// The callback in the spelling of the subscriber.
    pub callback: String,
    pub state: String,
    pub lease_ends_at: Option<String>,
    /// Consecutive failed deliveries.
    pub failures: i64,
    pub last_attempt_at: Option<String>,
    pub last_outcome: Option<String>,
    /// `None` if no attempt is scheduled.
    pub next_attempt_at: Option<String>,
    pub is_signed: bool,
    pub delivered_version: i64,
    /// The published version.
    pub version: i64,
}

/// Values for the metrics.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HubGauges {
    pub active: i64,
    pub pending: i64,
    /// Active subscriptions that are behind.
    pub due: i64,
    /// Seconds since the oldest of these became due.
    pub oldest_due_seconds: i64,
}

/// Every subscription, active ones first. A subscription whose lease is over is reported as lapsed even before that is
/// recorded.
pub async fn list(
    connection: &mut SqliteConnection,
    now: DateTime<Utc>,
) -> sqlx::Result<Vec<SubscriptionRow>> {
    let now = utc_milliseconds(now);
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

/// Reads the gauges.
pub async fn gauges(
    connection: &mut SqliteConnection,
    now: DateTime<Utc>,
) -> sqlx::Result<HubGauges> {
    let now = utc_milliseconds(now);
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

// Expiry of leases and retention.

/// Retention of ended subscriptions, in days.
const KEPT_DAYS: i64 = 30;

/// Deletes all but the newest of the rows that any client can create; returns the number of deleted rows.
async fn bound(write: &mut Write) -> sqlx::Result<u64> {
    let mut gone = 0;
    for (state, kept) in [
        (State::Rejected, REJECTED_MAX),
        (State::Removed, ENDED_MAX),
        (State::Lapsed, ENDED_MAX),
    ] {
        let state = state.name();
        // A subscription with a waiting request is not over.
        let over = sqlx::query!(
            "delete from subscription where subscription_id in (
               select subscription_id from subscription indexed by subscription_over
               where state = ?1 and state in ('rejected', 'removed', 'lapsed') order by updated_at desc limit -1 offset ?2)
             and not exists (select 1 from intent as i where i.subscription_id = subscription.subscription_id)",
            state,
            kept
        );
        gone += over.execute(&mut *write).await?.rows_affected();
    }
    Ok(gone)
}

/// Ends expired leases; returns their number.
pub async fn expire(write: &mut Write, now: DateTime<Utc>) -> sqlx::Result<u64> {
    let now = utc_milliseconds(now);
    let done = sqlx::query!(
        "update subscription set state = 'lapsed', secret = null, updated_at = ?1 where state = 'active' and lease_ends_at <= ?1",
        now
    )
    .execute(&mut *write)
    .await?;
    Ok(done.rows_affected())
}

/// Deletes old rows; returns their number.
pub async fn prune(write: &mut Write, now: DateTime<Utc>) -> sqlx::Result<u64> {
    let old = utc_milliseconds(now - Duration::days(KEPT_DAYS));
    let forgotten = utc_milliseconds(now - Duration::hours(INTENT_HOURS_MAX));
    let queries = [
        sqlx::query!("delete from intent where requested_at < ?", forgotten),
        sqlx::query!(
            "delete from subscription where updated_at < ?1 and (state in ('rejected', 'removed', 'lapsed'))
           and not exists (select 1 from intent as i where i.subscription_id = subscription.subscription_id)",
            old
        ),
        // Those whose request expired.
        sqlx::query!(
            "update subscription set state = 'rejected', secret = null, updated_at = ?1 where state = 'pending'
           and not exists (select 1 from intent as i where i.subscription_id = subscription.subscription_id)",
            old
        ),
    ];
    let mut gone = 0;
    for query in queries {
        gone += query.execute(&mut *write).await?.rows_affected();
    }
    Ok(gone + bound(write).await?)
}
