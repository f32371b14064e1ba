//! The hub's tables: what is due, the results of attempts, what operators see, and the end of leases. Requests have a file of their
//! own.

mod requests;

use chrono::{DateTime, Utc};
use sqlx::SqliteConnection;

pub use requests::{
    Counts, DueVerification, State, Subscriber, SubscriptionRequest, SubscriptionState, accept,
    counts, subscription_state, verifications,
};

use requests::{confirm, forget_request};

use crate::config::bounds::ENDED_MAX;
use crate::snapshot::Document;
use crate::storage::{Write, execute, instant_or_epoch, utc_milliseconds};
use crate::websub::request::Secret;
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

// Subscriptions that are behind the published version.

/// One of them.
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

impl Attempt {
    /// Whether a rate limit postponed it, so that nothing was sent.
    pub const fn is_postponed(&self) -> bool {
        matches!(
            self.outcome,
            AttemptOutcome::VerifyLater {
                full_network: Some(_),
                ..
            }
        )
    }

    /// For operators: `ok`, `status 404`, or why there was no valid response.
    pub fn result(&self) -> String {
        match self.status {
            Some(status) if self.reason == "status" => format!("status {status}"),
            Some(_) | None => self.reason.to_owned(),
        }
    }
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
    /// It is sent later: once more, or because it could not be sent.
    VerifyLater {
        serial: i64,
        /// Attempts that count, without those in which our own network failed.
        attempts: i64,
        at: DateTime<Utc>,
        /// The callback's network if a rate limit of it postponed the exchange; then nothing was sent.
        full_network: Option<String>,
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
    /// 410, or three consecutive failed deliveries, ended the subscription (stricter than WebSub §7, which asks to retry until the
    /// lease ends).
    Ended {
        failures: u32,
    },
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
    for attempt in attempts {
        apply(write, attempt, &now).await?;
        if !attempt.is_postponed() {
            note_attempt(write, attempt).await?;
        }
    }
    bound(write).await
}

// The effects of an attempt on its subscription and on the verified request.

/// Applies an outcome to its subscription.
async fn apply(write: &mut Write, attempt: &Attempt, now: &str) -> sqlx::Result<()> {
    let id = attempt.subscriber.subscription_id;
    match &attempt.outcome {
        AttemptOutcome::Delivered { version } => {
            record_delivery(write, id, Some(*version), 0, None).await
        }
        AttemptOutcome::Verified {
            serial,
            mode: HubMode::Subscribe,
            lease_ends_at,
        } => confirm(write, (id, *serial), *lease_ends_at, now).await,
        AttemptOutcome::Verified {
            serial,
            mode: HubMode::Unsubscribe,
            ..
        } => end_by_request(write, (id, *serial), State::Removed, now).await,
        // An active subscription continues (WebSub §5.3).
        AttemptOutcome::NotVerified { serial } => {
            end_by_request(write, (id, *serial), State::Rejected, now).await
        }
        AttemptOutcome::VerifyLater {
            serial,
            attempts,
            at,
            full_network,
        } => {
            let at = utc_milliseconds(*at);
            // Keeps the callback's network, which the lookup has found.
            execute!(
                write,
                "update intent set attempts = ?1, next_attempt_at = ?2, callback_network = coalesce(?3, callback_network)
                 where subscription_id = ?4 and serial = ?5",
                attempts,
                at,
                full_network,
                id,
                serial
            )
        }
        AttemptOutcome::Retry { failures, at } => {
            record_delivery(write, id, None, *failures, Some(*at)).await
        }
        AttemptOutcome::Ended { failures } => {
            execute!(
                write,
                "update subscription set state = 'removed', secret = null, failures = ?, next_attempt_at = null, updated_at = ?
                 where subscription_id = ? and state = 'active'",
                failures,
                now,
                id
            )
        }
    }
}

/// Records a delivered version, or a failure with the time of the next attempt.
async fn record_delivery(
    write: &mut Write,
    subscription_id: i64,
    version: Option<i64>,
    failures: u32,
    again_at: Option<DateTime<Utc>>,
) -> sqlx::Result<()> {
    let again_at = again_at.map(utc_milliseconds);
    execute!(
        write,
        "update subscription set delivered_version = coalesce(?, delivered_version), failures = ?, next_attempt_at = ?
         where subscription_id = ? and state = 'active'",
        version,
        failures,
        again_at,
        subscription_id
    )
}

/// Ends the subscription of a request with this `serial`, unless a newer request has replaced it, and deletes secret and request.
/// Only a pending subscription is rejected; it stays pending while another request for it waits.
async fn end_by_request(
    write: &mut Write,
    (subscription_id, serial): (i64, i64),
    to: State,
    now: &str,
) -> sqlx::Result<()> {
    let is_verified = to == State::Removed;
    let to = to.name();
    // Not by the number of the deleted requests: on a cluster, no count is known before the transaction ends.
    execute!(
        write,
        "update subscription set secret = null, updated_at = ?2,
           state = iif(exists (select 1 from intent as i where i.subscription_id = ?3
             and (i.serial > ?4 or i.serial < ?4 and not ?5)), 'pending', ?1)
         where subscription_id = ?3 and (state = 'pending' or state = 'active' and ?5)
           and exists (select 1 from intent as i where i.subscription_id = ?3 and i.serial = ?4)",
        to,
        now,
        subscription_id,
        serial,
        is_verified
    )?;
    forget_request(write, (subscription_id, serial), is_verified).await
}

/// Notes when the last attempt was and its result.
async fn note_attempt(write: &mut Write, attempt: &Attempt) -> sqlx::Result<()> {
    let (at, result) = (utc_milliseconds(attempt.at), attempt.result());
    execute!(
        write,
        "update subscription set last_attempt_at = ?, last_outcome = ? where subscription_id = ?",
        at,
        result,
        attempt.subscriber.subscription_id
    )
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
    /// Those whose lease is over are not counted even before that is recorded.
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
             (select count(*) from subscription where state = 'active' and lease_ends_at > ?1) as "active!: i64",
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

/// Deletes all but the newest of the rows that any client can create.
async fn bound(write: &mut Write) -> sqlx::Result<()> {
    for state in [State::Rejected, State::Removed, State::Lapsed] {
        let state = state.name();
        // A subscription with a waiting request is not over.
        execute!(
            write,
            "delete from subscription where subscription_id in (
               select subscription_id from subscription indexed by subscription_over
               where state = ?1 and state in ('rejected', 'removed', 'lapsed') order by updated_at desc limit -1 offset ?2)
             and not exists (select 1 from intent as i where i.subscription_id = subscription.subscription_id)",
            state,
            ENDED_MAX
        )?;
    }
    Ok(())
}

/// Ends expired leases; returns their number.
pub async fn expire(write: &mut Write, now: DateTime<Utc>) -> sqlx::Result<i64> {
    let now = utc_milliseconds(now);
    // Counted first: on a cluster, the number of changed rows is not known here.
    let ended = sqlx::query_scalar!(
        "select count(*) from subscription where state = 'active' and lease_ends_at <= ?1",
        now
    );
    let ended = ended.fetch_one(write.reader()).await?;
    if ended > 0 {
        execute!(
            write,
            "update subscription set state = 'lapsed', secret = null, updated_at = ?1 where state = 'active' and lease_ends_at <= ?1",
            now
        )?;
        bound(write).await?;
    }
    Ok(ended)
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::{gauges, list};
    use crate::clock::Clock;
    use crate::storage::{Database, utc_milliseconds};

    #[tokio::test]
    async fn a_lease_that_is_over_is_not_active_before_that_is_recorded() {
        let folder = tempfile::tempdir().unwrap();
        let opened = Database::open(&folder.path().join("reviews.db")).await;
        let database = opened.unwrap().0;
        let end = Clock::system().now();
        let mut write = database.write().await.unwrap();
        let row = "insert into subscription (document, callback, callback_key, host, state, lease_ends_at, created_at, updated_at)
            values ('reviews', 'https://a.example/', 'https://a.example/', 'a.example', 'active', ?1, ?1, ?1)";
        let insert = sqlx::query(row).bind(utc_milliseconds(end));
        insert.execute(&mut write).await.unwrap();
        write.commit().await.unwrap();
        let mut reader = database.reader().await.unwrap();
        for (now, state, active) in [
            (end - TimeDelta::milliseconds(1), "active", 1),
            (end, "lapsed", 0),
        ] {
            assert_eq!(list(&mut reader, now).await.unwrap()[0].state, state);
            let gauges = gauges(&mut reader, now).await.unwrap();
            assert_eq!(gauges.active, active, "{state}");
        }
    }
}
