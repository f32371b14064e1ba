//! Writing down what came of attempts, many in one transaction.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use sqlx::{Sqlite, Transaction};

use super::super::state::{Event, State};
use super::outcome::{AttemptRecord, Outcome};
use super::request::Mode;
use super::text;
use super::tidy::bound;

/// How much of a callback the row of an attempt holds.
const CALLBACK_CHARS_MAX: usize = 200;

/// Writes down what came of some attempts.
///
/// # Errors
/// When the database cannot be written; then nothing of it is.
#[expect(
    clippy::too_many_lines,
    reason = "to be split: lines are shorter than when it was written"
)]
pub async fn record(
    write: &mut Transaction<'static, Sqlite>,
    attempts: &[(Outcome, AttemptRecord)],
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    let now = text(now);
    let mut delivered = Vec::new();
    for (outcome, record) in attempts {
        match outcome {
            Outcome::Verified {
                subscription_id,
                serial,
                mode,
                lease_ends_at,
            } => {
                verified(
                    write,
                    (*subscription_id, *serial),
                    *mode,
                    *lease_ends_at,
                    &now,
                )
                .await?;
            }
            Outcome::VerifyAgain {
                subscription_id,
                serial,
                at,
            } => postpone(write, (*subscription_id, *serial), 1, *at).await?,
            Outcome::VerifyLater {
                subscription_id,
                serial,
                at,
            } => postpone(write, (*subscription_id, *serial), 0, *at).await?,
            Outcome::NotVerified {
                subscription_id,
                serial,
            } => {
                if forget_intent(write, *subscription_id, *serial).await? {
                    turn(write, *subscription_id, Event::VerificationFailed, &now).await?;
                }
            }
            Outcome::Delivered {
                subscription_id,
                version,
                ..
            } => delivered.push((*subscription_id, *version, text(record.at))),
            Outcome::Retry {
                subscription_id,
                failures,
                at,
            } => {
                let (failures, at) = (i64::from(*failures), text(*at));
                sqlx::query!(
                    "update subscription set failures = ?, next_attempt_at = ? where subscription_id = ? and state = 'active'",
                    failures,
                    at,
                    subscription_id
                )
                .execute(&mut **write)
                .await?;
            }
            Outcome::Ended {
                subscription_id,
                event,
            } => {
                if *event == Event::DeliveriesFailed {
                    third_failure(write, *subscription_id).await?;
                }
                turn(write, *subscription_id, *event, &now).await?;
            }
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

/// These have those versions now, in one statement. The plus keeps SQLite from beginning with all
/// that are active.
async fn level(
    write: &mut Transaction<'static, Sqlite>,
    delivered: &[(i64, i64, String)],
) -> sqlx::Result<()> {
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
    write: &mut Transaction<'static, Sqlite>,
    (subscription_id, serial): (i64, i64),
    mode: Mode,
    lease_ends_at: DateTime<Utc>,
    now: &str,
) -> sqlx::Result<()> {
    let lease_ends_at = text(lease_ends_at);
    match mode {
        Mode::Unsubscribe => {
            if forget_intent(write, subscription_id, serial).await? {
                turn(write, subscription_id, Event::UnsubscribeVerified, now).await?;
            }
        }
        Mode::Subscribe => {
            // A new subscription gets what changes after it was accepted; a renewal keeps what it
            // had, also where it ended between its request and now. Both start without failures,
            // and with this request's secret and callback (WebSub §5.1).
            sqlx::query!(
                "update subscription set
                   delivered_version = case state when 'pending' then i.version else delivered_version end,
                   state = 'active', callback = i.callback, secret = i.secret, lease_ends_at = ?1, failures = 0,
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
    write: &mut Transaction<'static, Sqlite>,
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

/// The failure that ends a subscription is counted like those before it.
async fn third_failure(
    write: &mut Transaction<'static, Sqlite>,
    subscription_id: i64,
) -> sqlx::Result<()> {
    let update = sqlx::query!(
        "update subscription set failures = 3, next_attempt_at = null where subscription_id = ? and state = 'active'",
        subscription_id
    );
    update.execute(&mut **write).await.map(|_| ())
}

/// Deletes a request; says whether it was still the newest one.
async fn forget_intent(
    write: &mut Transaction<'static, Sqlite>,
    subscription_id: i64,
    serial: i64,
) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "delete from intent where subscription_id = ? and serial = ?",
        subscription_id,
        serial
    )
    .execute(&mut **write)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Moves a subscription to where `event` leads; where it leads nowhere, nothing happens.
async fn turn(
    write: &mut Transaction<'static, Sqlite>,
    subscription_id: i64,
    event: Event,
    now: &str,
) -> sqlx::Result<()> {
    let state = sqlx::query_scalar!(
        "select state from subscription where subscription_id = ?",
        subscription_id
    )
    .fetch_optional(&mut **write)
    .await?;
    let Some(next) = state
        .as_deref()
        .and_then(State::find)
        .and_then(|state| state.on(event))
    else {
        return Ok(());
    };
    let name = next.name();
    sqlx::query!(
        "update subscription set state = ?, updated_at = ? where subscription_id = ?",
        name,
        now,
        subscription_id
    )
    .execute(&mut **write)
    .await?;
    if matches!(next, State::Removed | State::Rejected | State::Lapsed) {
        // What is over needs no secret any more.
        sqlx::query!(
            "update subscription set secret = null where subscription_id = ?",
            subscription_id
        )
        .execute(&mut **write)
        .await?;
    }
    Ok(())
}

/// What the operator sees of an attempt that was no delivery, or no success.
async fn log(
    write: &mut Transaction<'static, Sqlite>,
    outcome: &Outcome,
    record: &AttemptRecord,
) -> sqlx::Result<()> {
    let is_failure = match outcome {
        // Noted with the others.
        Outcome::Delivered { .. } => return Ok(()),
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
async fn count(
    write: &mut Transaction<'static, Sqlite>,
    attempts: &[(Outcome, AttemptRecord)],
) -> sqlx::Result<()> {
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
