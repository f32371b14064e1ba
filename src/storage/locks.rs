//! The rights that one process has for all: to raise versions and send, and to fetch an entry. On one machine they are locks
//! of files beside the database; on many nodes, leases.
//!
//! A lease is a row with an end time by its holder's wall clock; another process takes it over after that time plus a
//! margin for clock differences. The holder uses its monotonic clock, from the moment at which it sent the request. The row of the lease
//! to send also has the number of the sender's last write, so that a node's own file tells whether it already has that write.

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::json;
use sqlx::SqliteConnection;

use super::cluster::client::{Cluster, ClusterError, WRITE_TIMEOUT};
use super::cluster::statements::SENDER;
use super::columns::utc_milliseconds;
use super::database::{Database, Writer};
use super::error::{AtPath as _, DbError};
use super::files::{DELIVERY_LOCK, ENTRY_LOCK, LockFile, lock_beside};
use crate::clock::Clock;
use crate::compute::lock;
use crate::random;

/// Minimum length of a lease: the delay until another process can take over if the holder dies.
const LEASE_MIN: Duration = Duration::from_secs(20);
/// Maximum difference between the clocks of two machines.
const CLOCKS_DIFFER_MAX: Duration = Duration::from_secs(1);
/// Maximum time until this node's file has the lease that was just taken.
const FILE_TIMEOUT: Duration = Duration::from_secs(5);
const LOOK_INTERVAL: Duration = Duration::from_millis(25);
/// Longer than a fetch may take and an import usually does; a run that ends gives its lease back.
const ENTRY_LEASE: Duration = Duration::from_mins(40);

/// The right to fetch an entry, held until it is given back, the process ends or, on many nodes, the lease ends.
#[must_use]
pub enum EntryLock {
    File(LockFile),
    Lease {
        name: String,
        /// Of this run alone: another one of this process may not prolong it.
        holder: String,
    },
}

impl Database {
    /// Whether this process may raise versions of documents and send.
    pub fn may_send(&self) -> bool {
        self.lease_left() > Duration::ZERO
    }

    /// Time for which this process may still send; [`Duration::MAX`] on one machine.
    pub fn lease_left(&self) -> Duration {
        let ends_at = match &self.writer {
            Writer::File(file) if lock(&file.sender).is_some() => return Duration::MAX,
            Writer::File(..) => return Duration::ZERO,
            Writer::Cluster(cluster) => lock(&cluster.lease).ends_at,
        };
        ends_at.map_or(Duration::ZERO, |ends_at| {
            ends_at - Clock::system().monotonic()
        })
    }

    /// Takes the right to send if it is free, or prolongs it, so that deliveries that take at most `exchange` can still begin
    /// for some time; returns whether this process has it now. A node whose file does not follow the leader's does not
    /// take it, because it could neither raise versions nor see due work.
    ///
    /// # Errors
    /// When the lock's file cannot be created, or the cluster does not accept the write; a lease already held stays valid until
    /// its end.
    pub async fn take_lease(&self, exchange: Duration) -> Result<bool, DbError> {
        let cluster = match &self.writer {
            Writer::File(file) => {
                let mut sender = lock(&file.sender);
                // Without its file, which somebody removed, the lock keeps nobody out.
                sender.take_if(|lock| !lock.is_there().is_ok_and(|is_there| is_there));
                if sender.is_none() {
                    *sender = lock_beside(self.path(), DELIVERY_LOCK)?;
                }
                return Ok(sender.is_some());
            }
            Writer::Cluster(cluster) => cluster,
        };
        let clock = Clock::system();
        let (sent_at, now, is_renewal) = (clock.monotonic(), clock.now(), self.may_send());
        if is_renewal {
            let write_no = lock(&cluster.lease).renewal_write_no;
            if !self.has_write(cluster, write_no).await? {
                tracing::warn!(
                    "node.behind: this node's file is behind the leader; another process may take the lease"
                );
                return Ok(false);
            }
        } else {
            // This node's file may know of another holder; then the cluster need not be asked.
            let mut reader = self.reader().await?;
            if self.is_cut_off() || is_leased(&mut reader, now).await.at(self.path())? {
                return Ok(false);
            }
        }
        let length = LEASE_MIN.max(exchange * 2);
        let write_no = cluster.next_write_no(now);
        let taken = cluster.take_lease(SENDER, &cluster.holder, now, length, write_no);
        if !taken.await? {
            lock(&cluster.lease).ends_at = None;
            return Ok(false);
        }
        if !is_renewal && !self.await_write(cluster, write_no).await? {
            cluster.end_lease(SENDER, &cluster.holder).await?;
            return Ok(false);
        }
        let mut lease = lock(&cluster.lease);
        lease.ends_at = Some(sent_at + length);
        lease.last_write_no = lease.last_write_no.max(write_no);
        lease.renewal_write_no = write_no;
        Ok(true)
    }

    /// Whether this node's file has everything that this process wrote as the sender.
    pub async fn has_own_writes(&self) -> Result<bool, DbError> {
        match &self.writer {
            Writer::Cluster(cluster) if self.may_send() => {
                let write_no = lock(&cluster.lease).last_write_no;
                self.has_write(cluster, write_no).await
            }
            Writer::Cluster(_) | Writer::File(..) => Ok(true),
        }
    }

    async fn await_write(&self, cluster: &Cluster, write_no: i64) -> Result<bool, DbError> {
        let clock = Clock::system();
        let end = clock.monotonic() + FILE_TIMEOUT;
        while clock.monotonic() < end {
            if self.has_write(cluster, write_no).await? {
                return Ok(true);
            }
            clock.sleep(LOOK_INTERVAL).await;
        }
        Ok(false)
    }

    /// Whether this node's file has the write of this process with that number, and so those before it.
    async fn has_write(&self, cluster: &Cluster, write_no: i64) -> Result<bool, DbError> {
        let found = sqlx::query_scalar!(
            r#"select exists (select 1 from lease where name = ?1 and holder = ?2 and writes >= ?3) as "is: bool""#,
            SENDER,
            cluster.holder,
            write_no
        );
        found.fetch_one(&self.readers()).await.at(&self.path)
    }

    /// Gives the right to send up, so that another process can take it over at once.
    ///
    /// # Errors
    /// When the cluster does not accept the write; then the lease ends by itself.
    pub async fn give_up_lease(&self) -> Result<(), DbError> {
        match &self.writer {
            Writer::File(file) => *lock(&file.sender) = None,
            Writer::Cluster(cluster) => {
                if lock(&cluster.lease).ends_at.take().is_some() {
                    cluster.end_lease(SENDER, &cluster.holder).await?;
                }
            }
        }
        Ok(())
    }

    /// Takes the right to fetch the entry `name`, so that it never runs beside itself. `None` if another run has it.
    ///
    /// # Errors
    /// When the lock's file cannot be created, or the cluster does not accept the write.
    pub async fn lock_entry(&self, name: &str) -> Result<Option<EntryLock>, DbError> {
        let Some(cluster) = self.cluster() else {
            let locked = lock_beside(self.path(), &format!("{ENTRY_LOCK}{name}"))?;
            return Ok(locked.map(EntryLock::File));
        };
        let (name, now) = (format!("sync {name}"), Clock::system().now());
        let holder = random::hex_128();
        let is_held = cluster.take_lease(&name, &holder, now, ENTRY_LEASE, 0);
        Ok(is_held.await?.then_some(EntryLock::Lease { name, holder }))
    }

    /// Gives the right to fetch an entry back. If the cluster does not accept the write, the lease ends by itself.
    pub async fn unlock_entry(&self, lock: EntryLock) {
        if let (EntryLock::Lease { name, holder }, Some(cluster)) = (&lock, self.cluster())
            && let Err(error) = cluster.end_lease(name, holder).await
        {
            tracing::warn!(%error, "node.lease_kept: the lease of {name} was not given back; until it expires, the entry is not fetched");
        }
    }
}

impl Cluster {
    /// Takes a lease if it is free, or prolongs it; returns whether `holder` holds it now.
    async fn take_lease(
        &self,
        name: &str,
        holder: &str,
        now: DateTime<Utc>,
        length: Duration,
        write_no: i64,
    ) -> Result<bool, ClusterError> {
        let take = "insert into lease (name, holder, ends_at, writes) values (?1, ?2, ?3, ?5) on conflict (name) do update \
             set holder = excluded.holder, ends_at = excluded.ends_at, writes = max(writes, excluded.writes) \
             where lease.holder = excluded.holder or lease.ends_at <= ?4";
        let ends_at = utc_milliseconds(now + length);
        let held_after = utc_milliseconds(now - CLOCKS_DIFFER_MAX);
        let take = json!([take, name, holder, ends_at, held_after, write_no]);
        let rows = self.client.execute(vec![take], WRITE_TIMEOUT).await?;
        Ok(rows == [1])
    }

    async fn end_lease(&self, name: &str, holder: &str) -> Result<(), ClusterError> {
        let end = "delete from lease where name = ?1 and holder = ?2";
        let end = json!([end, name, holder]);
        let ended = self.client.execute(vec![end], WRITE_TIMEOUT).await;
        ended.map(drop)
    }
}

/// Whether a process on one of the nodes holds the right to send, according to this node's file.
async fn is_leased(connection: &mut SqliteConnection, now: DateTime<Utc>) -> sqlx::Result<bool> {
    let held_after = utc_milliseconds(now - CLOCKS_DIFFER_MAX);
    sqlx::query_scalar!(
        r#"select exists (select 1 from lease where name = ?1 and ends_at > ?2) as "is: bool""#,
        SENDER,
        held_after
    )
    .fetch_one(connection)
    .await
}
