//! The lease of the one process in a cluster that raises versions and sends deliveries. On one machine every process
//! may raise versions, and a lock file chooses the sender ([`super::DeliveryLock`]).
//!
//! The lease is a row with an end time by its holder's wall clock; another process takes it over after that time plus a
//! margin for clock differences. The holder uses its monotonic clock, from the moment at which it sent the request.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

use super::Database;
use super::error::DbError;
use super::rqlite::{Executed, SqlStatement, has_marker};
use super::write::Write;
use crate::clock::{Clock, Monotonic};

/// Minimum length of a lease: the delay until another process can take over if the holder dies.
const LEASE_MIN: Duration = Duration::from_secs(20);
/// Maximum difference between the clocks of two machines.
const CLOCKS_DIFFER_MAX: Duration = Duration::from_secs(1);
const NAME: &str = "sender";

#[derive(Debug)]
pub(super) struct Lease {
    /// Random id of this process.
    holder: String,
    /// `None` while this process does not hold it.
    ends_at: Mutex<Option<Monotonic>>,
    /// Marker of the write that last prolonged it.
    marker: Mutex<Option<String>>,
}

impl Lease {
    pub(super) const fn new(holder: String) -> Self {
        Self {
            holder,
            ends_at: Mutex::new(None),
            marker: Mutex::new(None),
        }
    }

    fn set(&self, ends_at: Option<Monotonic>) {
        *self.ends_at.lock().unwrap_or_else(PoisonError::into_inner) = ends_at;
    }

    fn time_left(&self) -> Duration {
        let ends_at = *self.ends_at.lock().unwrap_or_else(PoisonError::into_inner);
        ends_at.map_or(Duration::ZERO, |ends_at| {
            ends_at - Clock::system().monotonic()
        })
    }
}

impl Database {
    /// Whether this process may raise versions of documents.
    #[must_use]
    pub fn may_publish(&self) -> bool {
        self.lease_left() > Duration::ZERO
    }

    /// Time for which this process may still send; [`Duration::MAX`] if no lease is needed.
    #[must_use]
    pub fn lease_left(&self) -> Duration {
        self.cluster()
            .map_or(Duration::MAX, |cluster| cluster.lease().time_left())
    }

    /// Takes the lease if it is free, or prolongs it, so that deliveries that take at most `exchange` can still begin
    /// for some time; returns whether this process holds the lease now.
    ///
    /// # Errors
    /// When the cluster does not accept the write; a lease already held stays valid until its end.
    pub async fn renew_lease(&self, exchange: Duration) -> Result<bool, DbError> {
        let Some(cluster) = self.cluster() else {
            return Ok(true);
        };
        let (lease, clock) = (cluster.lease(), Clock::system());
        let length = LEASE_MIN.max(exchange * 2);
        let (asked_at, now) = (clock.monotonic(), clock.now());
        if lease.time_left() == Duration::ZERO && self.is_held_elsewhere(now).await? {
            return Ok(false);
        }
        let values = vec![
            json!(NAME),
            json!(lease.holder),
            json!(instant(now + length)),
            json!(instant(now - CLOCKS_DIFFER_MAX)),
        ];
        let take = SqlStatement::new(
            "insert into lease (name, holder, ends_at) values (?1, ?2, ?3) on conflict (name) do update \
             set holder = excluded.holder, ends_at = excluded.ends_at \
             where lease.holder = excluded.holder or lease.ends_at <= ?4",
            values,
        );
        let Executed { marker, rows } = cluster.write(&[take]).await?;
        let is_held = match rows {
            Some(rows) => rows.first() == Some(&1),
            None => self.holder().await?.as_deref() == Some(lease.holder.as_str()),
        };
        *lease.marker.lock().unwrap_or_else(PoisonError::into_inner) = Some(marker);
        lease.set(is_held.then(|| asked_at + length));
        Ok(is_held)
    }

    /// Whether this node's file has the write that last prolonged the lease. Checked before the lease is prolonged
    /// again: a node that does not follow the cluster can neither raise versions nor see due deliveries, so another
    /// process should take over.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn has_seen_lease(&self) -> Result<bool, DbError> {
        let Some(cluster) = self.cluster() else {
            return Ok(true);
        };
        let marker = cluster.lease().marker.lock();
        let marker = marker.unwrap_or_else(PoisonError::into_inner).clone();
        let Some(marker) = marker else {
            return Ok(true);
        };
        let fault = |error| DbError::at(self.path(), error);
        let mut reader = self.readers().acquire().await.map_err(fault)?;
        has_marker(&mut reader, &marker).await.map_err(fault)
    }

    /// Gives the lease up, so that another process can take it over at once.
    ///
    /// # Errors
    /// When the cluster does not accept the write; then the lease ends by itself.
    pub async fn give_up_lease(&self) -> Result<(), DbError> {
        let Some(cluster) = self.cluster() else {
            return Ok(());
        };
        let lease = cluster.lease();
        if lease.time_left() == Duration::ZERO {
            return Ok(());
        }
        lease.set(None);
        let give_up = SqlStatement::new(
            "delete from lease where name = ?1 and holder = ?2",
            vec![json!(NAME), json!(lease.holder)],
        );
        cluster.write(&[give_up]).await?;
        Ok(())
    }

    /// Makes `write` fail as overtaken if another process holds the lease when it is applied.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn fence(&self, write: &mut Write) -> sqlx::Result<()> {
        let Some(cluster) = self.cluster() else {
            return Ok(());
        };
        let values = [
            Value::from(NAME),
            Value::from(cluster.lease().holder.as_str()),
        ];
        write
            .guard("(select holder from lease where name = ?1) = ?2", &values)
            .await
    }

    /// Whether this node's file shows another holder; in that case the cluster need not be queried.
    async fn is_held_elsewhere(&self, now: DateTime<Utc>) -> Result<bool, DbError> {
        let held_after = instant(now - CLOCKS_DIFFER_MAX);
        sqlx::query_scalar!(
            r#"select exists (select 1 from lease where name = ?1 and ends_at > ?2) as "is: bool""#,
            NAME,
            held_after
        )
        .fetch_one(&self.readers())
        .await
        .map_err(|error| DbError::at(self.path(), error))
    }

    /// The holder according to the leader.
    async fn holder(&self) -> Result<Option<String>, DbError> {
        let Some(cluster) = self.cluster() else {
            return Ok(None);
        };
        let select =
            SqlStatement::new("select holder from lease where name = ?", vec![json!(NAME)]);
        let rows = cluster.client().query(&select, LEASE_MIN / 4).await?;
        let holder = rows.first().and_then(|row| row.first());
        Ok(holder.and_then(Value::as_str).map(str::to_owned))
    }
}

/// RFC 3339 with milliseconds. All texts have the same length, so that they sort like instants.
fn instant(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}
