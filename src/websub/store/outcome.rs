//! What came of an attempt: for the subscription, and for the operator. Values alone; writing them
//! down is `record`'s.

use std::collections::BTreeMap;
use std::net::IpAddr;

use chrono::{DateTime, Utc};

use super::request::Mode;
use super::{bound, text};
use crate::snapshot::Document;
use crate::storage::Write;
use crate::websub::state::{Event, transitions};

/// What an attempt was, for the operator.
#[derive(Debug, Clone)]
pub struct AttemptRecord {
    /// `verification`, `delivery` or `denial`.
    pub kind: &'static str,
    /// The document that the attempt was about.
    pub document: Document,
    /// The callback URL that was called.
    pub callback: String,
    /// The version that was sent; none for a verification.
    pub version: Option<i64>,
    /// The HTTP status, where there was an answer.
    pub status: Option<u16>,
    /// `ok`, or why it failed.
    pub reason: String,
    /// The instant at which the attempt began.
    pub at: DateTime<Utc>,
    /// How long it took.
    pub duration_ms: i64,
}

impl AttemptRecord {
    /// What came of it in a word, the same for all kinds: `ok`, `status 404`, or why there was no
    /// answer that counts.
    #[must_use]
    pub fn outcome(&self) -> String {
        match self.status {
            Some(status) if self.reason == "status" => format!("status {status}"),
            Some(_) | None => self.reason.clone(),
        }
    }
}

/// What came of an attempt, for the subscription.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// The callback confirmed the intent.
    Verified {
        /// The key of its row in `subscription`.
        subscription_id: i64,
        /// Which request of it.
        serial: i64,
        /// Whether subscribing or unsubscribing was confirmed.
        mode: Mode,
        /// Counted from the moment the verification was sent (WebSub §5.3).
        lease_ends_at: DateTime<Utc>,
    },
    /// Nobody answered; it is tried once more.
    VerifyAgain {
        /// The key of its row in `subscription`.
        subscription_id: i64,
        /// Which request of it.
        serial: i64,
        /// The instant at which the next attempt is due.
        at: DateTime<Utc>,
    },
    /// Nothing was learnt; it is tried as if for the first time.
    VerifyLater {
        /// The key of its row in `subscription`.
        subscription_id: i64,
        /// Which request of it.
        serial: i64,
        /// The instant at which the next attempt is due.
        at: DateTime<Utc>,
    },
    /// Nobody was asked: a limit put it off until its turn.
    Waits {
        /// The key of its row in `subscription`.
        subscription_id: i64,
        /// The network that the callback leads to, and whose turn it waits for.
        network: Option<IpAddr>,
    },
    /// The callback did not confirm.
    NotVerified {
        /// The key of its row in `subscription`.
        subscription_id: i64,
        /// Which request of it.
        serial: i64,
    },
    /// It has that version now.
    Delivered {
        /// The key of its row in `subscription`.
        subscription_id: i64,
        /// The version that was delivered.
        version: i64,
        /// How many bytes it was.
        bytes: i64,
    },
    /// It is tried again.
    Retry {
        /// The key of its row in `subscription`.
        subscription_id: i64,
        /// Failed attempts in a row.
        failures: u32,
        /// The instant at which the next attempt is due.
        at: DateTime<Utc>,
    },
    /// The subscription is over.
    Ended {
        /// The key of its row in `subscription`.
        subscription_id: i64,
        /// What ended it: `Gone` or `DeliveriesFailed`.
        event: Event,
    },
}

impl Outcome {
    /// Which subscription it is about.
    #[must_use]
    pub const fn subscription_id(&self) -> i64 {
        match self {
            Self::Verified {
                subscription_id, ..
            }
            | Self::VerifyAgain {
                subscription_id, ..
            }
            | Self::VerifyLater {
                subscription_id, ..
            }
            | Self::Waits {
                subscription_id, ..
            }
            | Self::NotVerified {
                subscription_id, ..
            }
            | Self::Delivered {
                subscription_id, ..
            }
            | Self::Retry {
                subscription_id, ..
            }
            | Self::Ended {
                subscription_id, ..
            } => *subscription_id,
        }
    }

    /// When it is due again.
    #[must_use]
    pub const fn again_at(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::VerifyAgain { at, .. }
            | Self::VerifyLater { at, .. }
            | Self::Retry { at, .. } => Some(*at),
            Self::Verified { .. }
            | Self::Waits { .. }
            | Self::NotVerified { .. }
            | Self::Delivered { .. }
            | Self::Ended { .. } => None,
        }
    }
}

// Writing down what came of attempts, many in one transaction.

/// Writes down what came of some attempts.
///
/// # Errors
/// When the database cannot be written; then nothing of it is.
pub async fn record(
    write: &mut Write,
    attempts: &[(Outcome, AttemptRecord)],
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    let now = text(now);
    let mut delivered = Vec::new();
    for (outcome, record) in attempts {
        apply(write, outcome, &now).await?;
        if let Outcome::Delivered {
            subscription_id,
            version,
            ..
        } = outcome
        {
            delivered.push((*subscription_id, *version, text(record.at)));
        }
        log(write, outcome, record).await?;
    }
    level(write, &delivered).await?;
    count(write, attempts).await?;
    if delivered.len() < attempts.len() {
        bound(write).await?;
    }
    Ok(())
}

// What an attempt changes about its subscription, and about the request that it verified. Where the
// operator reads of it is `attempt`'s.

/// Applies an outcome to its subscription; deliveries that succeeded are left to [`level`].
pub async fn apply(write: &mut Write, outcome: &Outcome, now: &str) -> sqlx::Result<()> {
    let id = outcome.subscription_id();
    match outcome {
        Outcome::Verified {
            serial,
            mode,
            lease_ends_at,
            ..
        } => verified(write, (id, *serial), *mode, *lease_ends_at, now).await,
        Outcome::VerifyAgain { serial, at, .. } => postpone(write, (id, *serial), 1, *at).await,
        Outcome::VerifyLater { serial, at, .. } => postpone(write, (id, *serial), 0, *at).await,
        Outcome::Waits { network, .. } => lead(write, id, *network).await,
        Outcome::NotVerified { serial, .. } => {
            answer(write, (id, *serial), Event::VerificationFailed, now).await
        }
        Outcome::Delivered { .. } => Ok(()),
        Outcome::Retry { failures, at, .. } => retry(write, id, *failures, *at).await,
        Outcome::Ended { event, .. } => {
            if *event == Event::DeliveriesFailed {
                third_failure(write, id).await?;
            }
            turn(write, id, None, *event, now).await
        }
    }
}

/// These have those versions now, in one statement. The plus keeps SQLite from beginning with all
/// that are active.
pub async fn level(write: &mut Write, delivered: &[(i64, i64, String)]) -> sqlx::Result<()> {
    if delivered.is_empty() {
        return Ok(());
    }
    let delivered =
        serde_json::to_string(delivered).map_err(|error| sqlx::Error::Encode(error.into()))?;
    sqlx::query!(
        "update subscription set delivered_version = d.version, failures = 0, next_attempt_at = null, last_attempt_at = d.at,
           last_outcome = 'ok'
         from (select value ->> 0 as id, value ->> 1 as version, value ->> 2 as at from json_each(?)) as d
         where subscription_id = d.id and +state = 'active'",
        delivered
    )
    .execute(&mut **write)
    .await?;
    Ok(())
}

/// Confirmed: a wish becomes what holds.
async fn verified(
    write: &mut Write,
    (subscription_id, serial): (i64, i64),
    mode: Mode,
    lease_ends_at: DateTime<Utc>,
    now: &str,
) -> sqlx::Result<()> {
    let lease_ends_at = text(lease_ends_at);
    match mode {
        Mode::Unsubscribe => {
            let request = (subscription_id, serial);
            answer(write, request, Event::UnsubscribeVerified, now).await?;
        }
        Mode::Subscribe => {
            // A new subscription gets what changes after it was accepted; a renewal keeps what it
            // had, also where it ended between its request and now, and is never shortened: anyone
            // who knows a callback can ask for one. Both start without failures, and with this
            // request's secret and callback (WebSub §5.1).
            sqlx::query!(
                "update subscription set
                   delivered_version = case state when 'pending' then i.version else delivered_version end,
                   lease_ends_at = iif(state = 'active', max(lease_ends_at, ?1), ?1),
                   state = 'active', callback = i.callback, secret = i.secret, failures = 0,
                   next_attempt_at = null, updated_at = ?2
                 from intent as i
                 where i.subscription_id = ?3 and i.serial = ?4 and subscription.subscription_id = ?3",
                lease_ends_at,
                now,
                subscription_id,
                serial
            )
            .execute(&mut **write)
            .await?;
            forget_intent(write, subscription_id, serial).await?;
        }
    }
    Ok(())
}

/// Puts a verification off, having been tried so many times more.
async fn postpone(
    write: &mut Write,
    (subscription_id, serial): (i64, i64),
    attempts: i64,
    at: DateTime<Utc>,
) -> sqlx::Result<()> {
    let at = text(at);
    sqlx::query!(
        "update intent set attempts = attempts + ?, next_attempt_at = ? where subscription_id = ? and serial = ?",
        attempts,
        at,
        subscription_id,
        serial
    )
    .execute(&mut **write)
    .await?;
    Ok(())
}

/// Keeps the network that a request leads to, which was found by a lookup.
async fn lead(
    write: &mut Write,
    subscription_id: i64,
    network: Option<IpAddr>,
) -> sqlx::Result<()> {
    let network = network.map(|network| network.to_string());
    sqlx::query!(
        "update intent set address = ? where subscription_id = ?",
        network,
        subscription_id
    )
    .execute(&mut **write)
    .await
    .map(drop)
}

/// Puts a delivery off, after so many failures in a row.
async fn retry(
    write: &mut Write,
    subscription_id: i64,
    failures: u32,
    at: DateTime<Utc>,
) -> sqlx::Result<()> {
    let (failures, at) = (i64::from(failures), text(at));
    sqlx::query!(
        "update subscription set failures = ?, next_attempt_at = ? where subscription_id = ? and state = 'active'",
        failures,
        at,
        subscription_id
    )
    .execute(&mut **write)
    .await?;
    Ok(())
}

/// The failure that ends a subscription is counted like those before it.
async fn third_failure(write: &mut Write, subscription_id: i64) -> sqlx::Result<()> {
    let update = sqlx::query!(
        "update subscription set failures = 3, next_attempt_at = null where subscription_id = ? and state = 'active'",
        subscription_id
    );
    update.execute(&mut **write).await.map(|_| ())
}

/// Deletes a request, unless a newer one has taken its place.
async fn forget_intent(write: &mut Write, subscription_id: i64, serial: i64) -> sqlx::Result<()> {
    sqlx::query!(
        "delete from intent where subscription_id = ? and serial = ?",
        subscription_id,
        serial
    )
    .execute(&mut **write)
    .await
    .map(drop)
}

/// Moves a subscription to where `event` leads, if its request is still the newest one, and deletes the request.
async fn answer(
    write: &mut Write,
    (subscription_id, serial): (i64, i64),
    event: Event,
    now: &str,
) -> sqlx::Result<()> {
    turn(write, subscription_id, Some(serial), event, now).await?;
    forget_intent(write, subscription_id, serial).await
}

/// Moves a subscription to where `event` leads; where it leads nowhere, nothing happens. With a `serial`, only while that
/// is the number of its request. What is over needs no secret any more.
async fn turn(
    write: &mut Write,
    subscription_id: i64,
    serial: Option<i64>,
    event: Event,
    now: &str,
) -> sqlx::Result<()> {
    let transitions = transitions(event);
    sqlx::query!(
        "update subscription set state = t.value, updated_at = ?1,
           secret = iif(t.value in ('removed', 'rejected', 'lapsed'), null, secret)
         from json_each(?2) as t
         where subscription_id = ?3 and t.key = state
           and (?4 is null or exists (select 1 from intent as i where i.subscription_id = ?3 and i.serial = ?4))",
        now,
        transitions,
        subscription_id,
        serial
    )
    .execute(&mut **write)
    .await
    .map(drop)
}

// What operators see of attempts: the rows of those that failed, and sums by version.

/// How much of a callback the row of an attempt holds.
const CALLBACK_CHARS_MAX: usize = 200;

/// What the operator sees of an attempt that was no delivery, or no success.
pub async fn log(write: &mut Write, outcome: &Outcome, record: &AttemptRecord) -> sqlx::Result<()> {
    let is_failure = match outcome {
        // Noted with the others; and nothing was tried.
        Outcome::Delivered { .. } | Outcome::Waits { .. } => return Ok(()),
        Outcome::Verified { .. } => false,
        Outcome::VerifyAgain { .. }
        | Outcome::VerifyLater { .. }
        | Outcome::NotVerified { .. }
        | Outcome::Retry { .. }
        | Outcome::Ended { .. } => true,
    };
    let (at, document, status) = (
        text(record.at),
        record.document.name(),
        record.status.map(i64::from),
    );
    let subscription_id = outcome.subscription_id();
    let told = record.outcome();
    sqlx::query!(
        "update subscription set last_attempt_at = ?, last_outcome = ? where subscription_id = ?",
        at,
        told,
        subscription_id
    )
    .execute(&mut **write)
    .await?;
    if is_failure {
        let callback = shortened(&record.callback);
        sqlx::query!(
            "insert into attempt (at, kind, document, callback, version, status, reason, duration_ms) values (?, ?, ?, ?, ?, ?, ?, ?)",
            at,
            record.kind,
            document,
            callback,
            record.version,
            status,
            record.reason,
            record.duration_ms
        )
        .execute(&mut **write)
        .await?;
    }
    Ok(())
}

/// The beginning of a callback, which says whose it is. Whoever may subscribe may write 2 KB into
/// it.
fn shortened(callback: &str) -> String {
    if callback.chars().nth(CALLBACK_CHARS_MAX).is_none() {
        return callback.to_owned();
    }
    callback
        .chars()
        .take(CALLBACK_CHARS_MAX)
        .chain(['…'])
        .collect()
}

/// What came of one version, in some attempts.
struct Sum {
    first_at: DateTime<Utc>,
    last_at: DateTime<Utc>,
    delivered: i64,
    failed: i64,
    bytes: i64,
}

/// Adds attempts to what came of their versions, version by version.
pub async fn count(write: &mut Write, attempts: &[(Outcome, AttemptRecord)]) -> sqlx::Result<()> {
    let mut sums: BTreeMap<(&str, i64), Sum> = BTreeMap::new();
    for (outcome, record) in attempts {
        let Some(version) = record.version else {
            continue;
        };
        let none = Sum {
            first_at: record.at,
            last_at: record.at,
            delivered: 0,
            failed: 0,
            bytes: 0,
        };
        let sum = sums
            .entry((record.document.name(), version))
            .or_insert(none);
        (sum.first_at, sum.last_at) = (sum.first_at.min(record.at), sum.last_at.max(record.at));
        if let Outcome::Delivered { bytes, .. } = outcome {
            (sum.delivered, sum.bytes) = (sum.delivered + 1, sum.bytes + bytes);
        } else {
            sum.failed += 1;
        }
    }
    for (
        (document, version),
        Sum {
            first_at,
            last_at,
            delivered,
            failed,
            bytes,
        },
    ) in sums
    {
        let (first_at, last_at) = (text(first_at), text(last_at));
        sqlx::query!(
            "insert into fan_out (document, version, first_at, last_at, delivered, failed, bytes) values (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             on conflict (document, version) do update set last_at = max(last_at, excluded.last_at),
               delivered = delivered + excluded.delivered, failed = failed + excluded.failed, bytes = bytes + excluded.bytes",
            document,
            version,
            first_at,
            last_at,
            delivered,
            failed,
            bytes
        )
        .execute(&mut **write)
        .await?;
    }
    Ok(())
}
