//! Writing down what came of attempts, many in one transaction.

use chrono::{DateTime, Utc};

use super::attempt::{count, log};
use super::outcome::{AttemptRecord, Outcome};
use super::text;
use super::tidy::bound;
use super::transition::{apply, level};
use crate::db::Write;

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
