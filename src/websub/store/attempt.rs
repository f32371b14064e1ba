//! What operators see of attempts: the rows of those that failed, and sums by version.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::outcome::{AttemptRecord, Outcome};
use super::text;
use crate::db::Write;

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
