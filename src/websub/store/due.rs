//! What is to be done now, and when there is something again.

use chrono::{DateTime, Utc};
use sqlx::SqliteConnection;

use super::super::signature::Secret;
use super::super::state::State;
use super::request::Mode;
use super::{instant, text};
use crate::snapshot::Document;

/// A request to be verified.
#[derive(Clone)]
pub struct DueVerification {
    /// The key of its row in `subscription`.
    pub subscription_id: i64,
    /// Which request of it.
    pub serial: i64,
    /// What was asked for.
    pub mode: Mode,
    /// The document that the subscription is about.
    pub document: Document,
    /// The callback as this request gave it.
    pub callback: String,
    /// The callback's host, whose limits apply.
    pub host: String,
    /// The lease that was asked for, within the bounds.
    pub lease_seconds: i64,
    /// When the lease ends that is running, if one is.
    pub lease_ends_at: Option<DateTime<Utc>>,
    /// How often it was tried before.
    pub attempts: i64,
    /// Whether it renews or ends an active subscription.
    pub is_active: bool,
}

impl DueVerification {
    /// The lease to tell in a verification sent at `sent_at`: a renewal never shortens the running
    /// one, and on unsubscribing it is what is left of that.
    #[must_use]
    pub fn lease_seconds_at(&self, sent_at: DateTime<Utc>) -> i64 {
        let running = self
            .lease_ends_at
            .map(|ends_at| (ends_at - sent_at).num_seconds().max(0));
        match self.mode {
            Mode::Subscribe => running.unwrap_or(0).max(self.lease_seconds),
            Mode::Unsubscribe => running.unwrap_or(self.lease_seconds),
        }
    }
}

/// A subscription that is behind.
#[derive(Clone)]
pub struct DueDelivery {
    /// The key of its row in `subscription`.
    pub subscription_id: i64,
    /// The document that the subscription is about.
    pub document: Document,
    /// The callback URL as it was given.
    pub callback: String,
    /// The callback's host, whose limits apply.
    pub host: String,
    /// What to sign with.
    pub secret: Option<Secret>,
    /// When its lease ends.
    pub lease_ends_at: DateTime<Utc>,
    /// The version that the subscriber last received.
    pub delivered_version: i64,
    /// How often in a row delivering failed.
    pub failures: u32,
}

/// One thing to do.
pub enum Due {
    /// A request is to be verified.
    Verify(DueVerification),
    /// A subscription is to be sent what is out.
    Deliver(DueDelivery),
}

impl Due {
    /// The key of the subscription that it is about.
    #[must_use]
    pub const fn subscription_id(&self) -> i64 {
        match self {
            Self::Verify(due) => due.subscription_id,
            Self::Deliver(due) => due.subscription_id,
        }
    }
}

/// Requests that are due, oldest first.
///
/// # Errors
/// When the database cannot be read.
pub async fn verifications(
    connection: &mut SqliteConnection,
    now: DateTime<Utc>,
    limit: usize,
) -> sqlx::Result<Vec<DueVerification>> {
    let (until, limit) = (text(now), i64::try_from(limit).unwrap_or(i64::MAX));
    let rows = sqlx::query!(
        "select i.subscription_id, i.serial, i.mode, i.callback, i.lease_seconds, i.attempts, s.document, s.host, s.lease_ends_at,
           s.state
         from intent as i join subscription as s using (subscription_id)
         where i.next_attempt_at <= ? order by i.next_attempt_at, i.subscription_id limit ?",
        until,
        limit
    )
    .fetch_all(connection)
    .await?;
    let due = rows.into_iter().filter_map(|row| {
        let is_active = State::find(&row.state) == Some(State::Active);
        let lease_ends_at = row.lease_ends_at.as_deref().filter(|_| is_active);
        Some(DueVerification {
            subscription_id: row.subscription_id,
            serial: row.serial,
            mode: Mode::find(&row.mode)?,
            document: Document::find(&row.document)?,
            callback: row.callback,
            host: row.host,
            lease_seconds: row.lease_seconds,
            lease_ends_at: lease_ends_at.map(instant),
            attempts: row.attempts,
            is_active,
        })
    });
    Ok(due.collect())
}

/// Subscriptions that are behind and may be tried now, at most so many of one host: a host with
/// many does not hide others.
///
/// # Errors
/// When the database cannot be read.
pub async fn deliveries(
    connection: &mut SqliteConnection,
    now: DateTime<Utc>,
    of_host: usize,
    limit: usize,
) -> sqlx::Result<Vec<DueDelivery>> {
    let now = text(now);
    let (of_host, limit) = (
        i64::try_from(of_host).unwrap_or(i64::MAX),
        i64::try_from(limit).unwrap_or(i64::MAX),
    );
    let rows = sqlx::query!(
        r#"select subscription_id as "subscription_id!", document as "document!", callback as "callback!", host as "host!", secret,
             lease_ends_at, delivered_version as "delivered_version!", failures as "failures!"
           from (select s.*, row_number() over (partition by host order by subscription_id) as place
                 from subscription as s join publication as p on p.document = s.document
                 where s.state = 'active' and s.delivered_version < p.version and s.lease_ends_at > ?1
                   and (s.next_attempt_at is null or s.next_attempt_at <= ?1))
           where place <= ?2 order by place, subscription_id limit ?3"#,
        now,
        of_host,
        limit
    )
    .fetch_all(connection)
    .await?;
    let due = rows.into_iter().filter_map(|row| {
        Some(DueDelivery {
            subscription_id: row.subscription_id,
            document: Document::find(&row.document)?,
            callback: row.callback,
            host: row.host,
            secret: row.secret.map(Secret::new),
            lease_ends_at: row.lease_ends_at.as_deref().map(instant)?,
            delivered_version: row.delivered_version,
            failures: u32::try_from(row.failures).unwrap_or(0),
        })
    });
    Ok(due.collect())
}

/// When the next verification or delivery will be due that is not due at `now`; `None` where
/// nothing waits.
///
/// # Errors
/// When the database cannot be read.
pub async fn next_due_at(
    connection: &mut SqliteConnection,
    now: DateTime<Utc>,
) -> sqlx::Result<Option<DateTime<Utc>>> {
    let now = text(now);
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
    Ok(next.as_deref().map(instant))
}
