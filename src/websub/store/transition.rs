//! What an attempt changes about its subscription, and about the request that it verified. Where the
//! operator reads of it is `attempt`'s.

use std::net::IpAddr;

use chrono::{DateTime, Utc};

use super::super::state::{Event, transitions};
use super::outcome::Outcome;
use super::request::Mode;
use super::text;
use crate::db::Write;

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
