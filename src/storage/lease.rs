//! Which process of a cluster raises versions and sends: the one that holds a leased row. On one machine every
//! process may raise versions, and a locked file says who sends ([`super::DeliveryLock`]).
//!
//! The row says when the lease ends by its holder's wall clock; another process takes it over after that, and a margin for
//! clocks that differ. The holder itself goes by its monotonic clock, and by when it began to ask.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

use super::Database;
use super::error::DbError;
use super::rqlite::{Executed, SqlStatement, has_marker};
use super::write::Write;
use crate::clock::{Clock, Monotonic};

/// How long a lease holds at least: another process sends so much later where the holder dies.
const LEASE_MIN: Duration = Duration::from_secs(20);
/// By how much clocks may differ.
const CLOCKS_DIFFER_MAX: Duration = Duration::from_secs(1);
/// What the lease is of.
const NAME: &str = "sender";

/// The lease as this process knows it.
#[derive(Debug)]
pub(super) struct Lease {
    /// This process, among all.
    holder: String,
    /// Until when it is held; nothing while another one has it.
    ends_at: Mutex<Option<Monotonic>>,
    /// The marker of the write that prolonged it last.
    marker: Mutex<Option<String>>,
}

impl Lease {
    /// Not held.
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

    /// How long it is held yet.
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

    /// How long this process may send yet; without end where no lease is needed.
    #[must_use]
    pub fn lease_left(&self) -> Duration {
        self.cluster()
            .map_or(Duration::MAX, |cluster| cluster.lease().time_left())
    }

    /// Takes the lease where nobody holds it, or prolongs it, so that one exchange that takes `exchange` at most can be begun
    /// for some time; says whether this process holds it now.
    ///
    /// # Errors
    /// That the cluster takes no write; what was held stays held until its end.
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

    /// Whether this node's file has the write that prolonged the lease last. Asked before it is prolonged again, it tells a node
    /// that cannot follow the cluster, and so neither raise versions nor see what is due: another one should.
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

    /// Gives the lease up, so that another process takes it over at once.
    ///
    /// # Errors
    /// That the cluster takes no write; then it ends by itself.
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

    /// Makes `write` fail as overtaken where another process holds the lease by then.
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

    /// Whether this node's file says that another process holds the lease: then the cluster need not be asked.
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

    /// Who holds the lease, as the leader has it.
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

/// An instant as it stands in the row: texts of the same length, so that they compare as instants do.
fn instant(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}
