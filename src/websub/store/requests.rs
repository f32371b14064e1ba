//! The states of a subscription, and requests to subscribe and unsubscribe: accepted, due for verification, and confirmed. A request
//! is committed before it is answered, and changes no active subscription until it is confirmed.

use chrono::{DateTime, Utc};
use sqlx::SqliteConnection;

use crate::model::named;
use crate::snapshot::Document;
use crate::storage::{Write, execute, instant_or_epoch, utc_milliseconds};
use crate::websub::request::{Request, Secret};
use crate::wire::HubMode;

/// Maximum number of requests read at once.
const BATCH: i64 = 8_192;

// The states of a subscription. The table's CHECK lists the same states; a test compares them.

named! {
    /// By its name in the database.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum State {
        /// Requested, and not verified yet. A subscription that is over can be requested again.
        Pending = "pending",
        /// Verified; receives changes until its lease ends. A new request changes it only once it is verified (WebSub §5.1).
        Active = "active",
        /// The first verification failed.
        Rejected = "rejected",
        /// Ended by its subscriber, by 410, or by three consecutive failed deliveries.
        Removed = "removed",
        /// The lease ended without renewal.
        Lapsed = "lapsed",
    }
}

/// Whom an exchange is with.
#[derive(Debug, Clone)]
pub struct Subscriber {
    /// Primary key of `subscription`.
    pub subscription_id: i64,
    pub document: Document,
    /// The callback in the spelling of the subscription, or of the request to verify.
    pub callback: String,
    /// Limits count by host.
    pub host: String,
}

// Requests.

/// A request that passed the intake's checks.
pub struct SubscriptionRequest {
    pub form: Request,
    /// The callback's key, normalized for comparison.
    pub callback_key: String,
    /// The client's network; `None` if no limit applies.
    pub client_network: Option<String>,
    /// The callback's network if it is known without a lookup; `None` if it is not or if no limit applies.
    pub callback_network: Option<String>,
}

/// The state of the requested subscription before the request.
#[derive(Debug, Clone, Copy, Default)]
pub struct SubscriptionState {
    pub is_active: bool,
    /// Whether it is active or pending, so that it could be ended.
    pub is_open: bool,
    /// Whether a request of the same mode waits, which a new one replaces.
    pub has_request: bool,
}

/// Current counts, to compare with the limits.
#[derive(Debug, Clone, Copy)]
pub struct Counts {
    /// Waiting requests of the same kind; requests for active subscriptions are counted separately.
    pub waiting: i64,
    /// Waiting requests that count towards the limit: per callback network, at most its share.
    pub places: i64,
    /// Waiting requests from the same client network.
    pub of_client: i64,
    /// Waiting requests whose callback is in the same network, as far as known.
    pub of_callback: i64,
    /// Active and pending subscriptions of the host, and of all hosts.
    pub of_host: i64,
    pub in_all: i64,
}

/// Stores a request and replaces an older one of its mode for the same topic and callback: anyone can send one, so the other mode
/// waits on. A request to unsubscribe without a subscription is not stored.
pub async fn accept(
    write: &mut Write,
    request: &SubscriptionRequest,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    let form = &request.form;
    let (document, mode) = (form.document.name(), form.mode.name());
    let now = utc_milliseconds(now);
    let (callback, host) = (&form.callback.text, &form.callback.host);
    let lease_seconds = i64::try_from(form.lease_seconds).unwrap_or(i64::MAX);
    // SQLite also checks constraints on the row to be inserted when the upsert becomes an update; an active row would
    // need its lease.
    execute!(
        write,
        "insert into subscription (document, callback, callback_key, host, state, created_at, updated_at)
         select ?1, ?2, ?3, ?4, 'pending', ?5, ?5
         where ?6 = 'subscribe' or exists (select 1 from subscription as s
           where s.document = ?1 and s.callback_key = ?3 and s.state in ('pending', 'active'))
         on conflict (document, callback_key) do update
           set state = iif(state = 'active', state, 'pending'), updated_at = excluded.updated_at",
        document,
        callback,
        request.callback_key,
        host,
        now,
        mode
    )?;
    let secret = form.secret.as_ref().map(Secret::expose);
    execute!(
        write,
        "insert into intent (subscription_id, mode, callback, secret, lease_seconds, version, next_attempt_at, requested_at, client_network,
           callback_network, serial)
         select subscription_id, ?1, ?2, ?3, ?4, coalesce((select version from publication where document = ?5), 0), ?6, ?6, ?8, ?9,
           1 + coalesce((select max(serial) from intent as i where i.subscription_id = s.subscription_id), 0)
         from subscription as s
         where s.document = ?5 and s.callback_key = ?7 and s.state in ('pending', 'active')
         on conflict (subscription_id, mode) do update set callback = excluded.callback, secret = excluded.secret,
           lease_seconds = excluded.lease_seconds, version = min(version, excluded.version), serial = excluded.serial, attempts = 0,
           next_attempt_at = excluded.next_attempt_at, requested_at = excluded.requested_at,
           client_network = excluded.client_network, callback_network = coalesce(excluded.callback_network, callback_network)",
        mode,
        callback,
        secret,
        lease_seconds,
        document,
        now,
        request.callback_key,
        request.client_network,
        request.callback_network
    )
}

pub async fn subscription_state(
    connection: &mut SqliteConnection,
    request: &SubscriptionRequest,
) -> sqlx::Result<SubscriptionState> {
    let (document, mode) = (request.form.document.name(), request.form.mode.name());
    let state = sqlx::query_as!(
        SubscriptionState,
        r#"select state = 'active' as "is_active!: bool", state in ('active', 'pending') as "is_open!: bool",
             exists (select 1 from intent as i where i.subscription_id = s.subscription_id and mode = ?) as "has_request!: bool"
           from subscription as s where document = ? and callback_key = ?"#,
        mode,
        document,
        request.callback_key
    )
    .fetch_optional(connection)
    .await?;
    Ok(state.unwrap_or_default())
}

/// `share` is the maximum number of waiting requests of one network.
pub async fn counts(
    connection: &mut SqliteConnection,
    request: &SubscriptionRequest,
    is_active: bool,
    share: i64,
) -> sqlx::Result<Counts> {
    let host = &request.form.callback.host;
    sqlx::query_as!(
        Counts,
        r#"with waiting as (
             select i.subscription_id, i.client_network, i.callback_network, s.host
             from intent as i join subscription as s using (subscription_id) where (s.state = 'active') = ?1)
           select (select count(*) from waiting) as "waiting!: i64",
             (select coalesce(sum(min(n, ?2)), 0)
              from (select count(*) as n from waiting group by coalesce(callback_network, subscription_id))) as "places!: i64",
             (select count(*) from waiting where client_network = ?3) as "of_client!: i64",
             (select count(*) from waiting where callback_network = coalesce(?4,
                (select callback_network from waiting where host = ?5 and callback_network is not null limit 1))) as "of_callback!: i64",
             count(*) filter (where host = ?5) as "of_host!: i64", count(*) as "in_all!: i64"
           from subscription where state in ('active', 'pending')"#,
        is_active,
        share,
        request.client_network,
        request.callback_network,
        host
    )
    .fetch_one(connection)
    .await
}

pub struct DueVerification {
    pub subscriber: Subscriber,
    /// The number of the request among those for this subscription.
    pub serial: i64,
    pub mode: HubMode,
    /// The requested lease, within the bounds.
    pub lease_seconds: i64,
    /// The end of the running lease if it renews or ends an active subscription.
    pub lease_ends_at: Option<DateTime<Utc>>,
    /// Previous attempts.
    pub attempts: i64,
}

impl DueVerification {
    /// The lease for a verification sent at `sent_at`: a renewal never shortens the running lease, and unsubscribing
    /// states the rest of it.
    pub fn lease_seconds_at(&self, sent_at: DateTime<Utc>) -> i64 {
        let running = self
            .lease_ends_at
            .map(|ends_at| (ends_at - sent_at).num_seconds().max(0));
        match self.mode {
            HubMode::Subscribe => running.unwrap_or(0).max(self.lease_seconds),
            HubMode::Unsubscribe => running.unwrap_or(self.lease_seconds),
        }
    }
}

/// Due requests, oldest first.
pub async fn verifications(
    connection: &mut SqliteConnection,
    now: DateTime<Utc>,
) -> sqlx::Result<Vec<DueVerification>> {
    let until = utc_milliseconds(now);
    let rows = sqlx::query!(
        "select i.subscription_id, i.serial, i.mode, i.callback, i.lease_seconds, i.attempts,
           s.document, s.host, s.lease_ends_at, s.state
         from intent as i join subscription as s using (subscription_id)
         where i.next_attempt_at <= ? order by i.next_attempt_at, i.subscription_id, i.serial limit ?",
        until,
        BATCH
    )
    .fetch_all(connection)
    .await?;
    let due = rows.into_iter().filter_map(|row| {
        let is_active = row.state == State::Active.name();
        let lease_ends_at = row.lease_ends_at.as_deref().filter(|_| is_active);
        Some(DueVerification {
            subscriber: Subscriber {
                subscription_id: row.subscription_id,
                document: Document::find(&row.document)?,
                callback: row.callback,
                host: row.host,
            },
            serial: row.serial,
            mode: HubMode::find(&row.mode)?,
            lease_seconds: row.lease_seconds,
            lease_ends_at: lease_ends_at.map(instant_or_epoch),
            attempts: row.attempts,
        })
    });
    Ok(due.collect())
}

/// Applies a confirmed request. A new subscription receives changes made after its request was accepted. A renewal
/// keeps the delivered version, even if the lease ended since the request, and never shortens the lease, because
/// anyone who knows a callback can request one. Both reset the failures and take this request's secret and callback
/// (WebSub §5.1).
pub async fn confirm(
    write: &mut Write,
    (subscription_id, serial): (i64, i64),
    lease_ends_at: DateTime<Utc>,
    now: &str,
) -> sqlx::Result<()> {
    let lease_ends_at = utc_milliseconds(lease_ends_at);
    execute!(
        write,
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
    )?;
    forget_request(write, (subscription_id, serial), true).await
}

/// Deletes a request, and with a verified one the older ones, unless a newer one has replaced it.
pub async fn forget_request(
    write: &mut Write,
    (subscription_id, serial): (i64, i64),
    is_verified: bool,
) -> sqlx::Result<()> {
    execute!(
        write,
        "delete from intent where subscription_id = ?1 and (serial = ?2 or ?3 and serial < ?2)
           and exists (select 1 from intent as i where i.subscription_id = ?1 and i.serial = ?2)",
        subscription_id,
        serial,
        is_verified
    )
}
