//! What time does: leases end, and what nobody needs any more goes.

use chrono::{DateTime, Duration, Utc};

use super::super::state::State;
use super::text;
use crate::db::Write;

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
