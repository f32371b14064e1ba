//! Taking a request: committed before it is answered, and nothing else happens to what runs.

use chrono::{DateTime, Utc};
use sqlx::SqliteConnection;

use super::super::signature::Secret;
use super::super::state::{Event, transitions};
use super::text;
use crate::snapshot::Document;
use crate::storage::Write;

/// Whether a request is to subscribe or to unsubscribe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// To be told of changes.
    Subscribe,
    /// Not to be told any more.
    Unsubscribe,
}

impl Mode {
    /// Its word in requests, verifications and the database.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Subscribe => "subscribe",
            Self::Unsubscribe => "unsubscribe",
        }
    }

    /// The mode of that name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        [Self::Subscribe, Self::Unsubscribe]
            .into_iter()
            .find(|mode| mode.name() == name)
    }
}

/// A request that passed the intake.
#[derive(Clone)]
pub struct SubscriptionRequest {
    /// Whether to subscribe or to unsubscribe.
    pub mode: Mode,
    /// The document that the topic URL names.
    pub document: Document,
    /// The callback as it was given.
    pub callback: String,
    /// The callback as it is compared.
    pub callback_key: String,
    /// The callback's host, whose limits apply.
    pub host: String,
    /// What deliveries are signed with.
    pub secret: Option<Secret>,
    /// The lease, within the bounds.
    pub lease_seconds: i64,
    /// The network that asks, and the one that the callback leads to where that needs no lookup;
    /// `None` also where no limit applies.
    pub source: Option<String>,
    /// See `source`.
    pub address: Option<String>,
}

/// How much there is already, for the limits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests of the same kind that wait for verification: those that renew or end active
    /// subscriptions are counted apart.
    pub waiting: u64,
    /// The places that these take: those that lead to one network take its share at most.
    pub places: u64,
    /// How many of these the same network asked for.
    pub of_source: u64,
    /// How many of these lead to the same network, as far as that is known.
    pub of_address: u64,
    /// Whether this request takes the place of one that waits already.
    pub is_replaced: bool,
    /// Whether there is such a subscription, active or pending, that could be ended.
    pub is_there: bool,
    /// Active and pending subscriptions of the host.
    pub of_host: u64,
    /// Active and pending subscriptions in all.
    pub in_all: u64,
}

/// Keeps a request. An older one for the same topic and callback is replaced. Where there is nothing to unsubscribe, nothing
/// is kept, and nothing will be sent.
///
/// # Errors
/// When the database refuses.
pub async fn accept(
    write: &mut Write,
    request: &SubscriptionRequest,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    let (document, mode, now) = (request.document.name(), request.mode.name(), text(now));
    let requested = transitions(Event::Requested);
    // Checks hold for the row to be inserted too, though it comes to an update: an active one would
    // need its lease.
    sqlx::query!(
        "insert into subscription (document, callback, callback_key, host, state, created_at, updated_at)
         select ?1, ?2, ?3, ?4, 'pending', ?6, ?6
         where ?7 = 'subscribe' or exists (select 1 from subscription as s
           where s.document = ?1 and s.callback_key = ?3 and s.state in ('pending', 'active'))
         on conflict (document, callback_key) do update
           set state = coalesce((select value from json_each(?5) where key = subscription.state), 'pending'),
             updated_at = excluded.updated_at",
        document,
        request.callback,
        request.callback_key,
        request.host,
        requested,
        now,
        mode
    )
    .execute(&mut **write)
    .await?;
    let secret = request.secret.as_ref().map(Secret::expose);
    sqlx::query!(
        "insert into intent (subscription_id, mode, callback, secret, lease_seconds, version, next_attempt_at, requested_at, source, address)
         select subscription_id, ?1, ?2, ?3, ?4, coalesce((select version from publication where document = ?5), 0), ?6, ?6, ?8, ?9
         from subscription as s
         where s.document = ?5 and s.callback_key = ?7 and s.state in ('pending', 'active')
         on conflict (subscription_id) do update set mode = excluded.mode, callback = excluded.callback, secret = excluded.secret,
           lease_seconds = excluded.lease_seconds, version = excluded.version, serial = serial + 1, attempts = 0,
           next_attempt_at = excluded.next_attempt_at, requested_at = excluded.requested_at, source = excluded.source,
           address = coalesce(excluded.address, address)",
        mode,
        request.callback,
        secret,
        request.lease_seconds,
        document,
        now,
        request.callback_key,
        request.source,
        request.address
    )
    .execute(&mut **write)
    .await
    .map(drop)
}

/// How much there is already; `share` is how many places one network has.
///
/// # Errors
/// When the database cannot be read.
pub async fn counts(
    connection: &mut SqliteConnection,
    request: &SubscriptionRequest,
    share: u64,
) -> sqlx::Result<Counts> {
    let document = request.document.name();
    let share = i64::try_from(share).unwrap_or(i64::MAX);
    let row = sqlx::query!(
        r#"with waiting as (
             select i.subscription_id, i.source, i.address, s.host from intent as i join subscription as s using (subscription_id)
             where (s.state = 'active') = exists (select 1 from subscription where document = ?2 and callback_key = ?3 and state = 'active'))
           select (select count(*) from waiting) as "waiting!: i64",
             (select coalesce(sum(min(n, ?4)), 0) from (select count(*) as n from waiting group by coalesce(address, subscription_id)))
               as "places!: i64",
             (select count(*) from waiting where source = ?5) as "of_source!: i64",
             (select count(*) from waiting where address = coalesce(?6, (select address from waiting where host = ?1 and address is not null limit 1)))
               as "of_address!: i64",
             exists (select 1 from intent as i join subscription as s using (subscription_id)
                     where s.document = ?2 and s.callback_key = ?3) as "is_replaced!: bool",
             (select count(*) from subscription where host = ?1 and state in ('active', 'pending')) as "of_host!: i64",
             (select count(*) from subscription where state in ('active', 'pending')) as "in_all!: i64",
             exists (select 1 from subscription where document = ?2 and callback_key = ?3 and state in ('active', 'pending'))
               as "is_there!: bool""#,
        request.host,
        document,
        request.callback_key,
        share,
        request.source,
        request.address
    )
    .fetch_one(connection)
    .await?;
    let count = |count: i64| u64::try_from(count).unwrap_or(0);
    Ok(Counts {
        waiting: count(row.waiting),
        places: count(row.places),
        of_source: count(row.of_source),
        of_address: count(row.of_address),
        is_replaced: row.is_replaced,
        is_there: row.is_there,
        of_host: count(row.of_host),
        in_all: count(row.in_all),
    })
}

/// Whether a request renews or ends an active subscription, or takes the place of one that waits:
/// those have a share of every limit that strangers cannot use up.
///
/// # Errors
/// When the database cannot be read.
pub async fn is_known(
    connection: &mut SqliteConnection,
    request: &SubscriptionRequest,
) -> sqlx::Result<bool> {
    let document = request.document.name();
    sqlx::query_scalar!(
        r#"select exists (select 1 from subscription as s where document = ?1 and callback_key = ?2
             and (state = 'active' or exists (select 1 from intent as i where i.subscription_id = s.subscription_id)))
           as "is_known!: bool""#,
        document,
        request.callback_key
    )
    .fetch_one(connection)
    .await
}

/// The callbacks of all that [`is_known`] could be true for.
///
/// # Errors
/// When the database cannot be read.
pub async fn known_callbacks(connection: &mut SqliteConnection) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar!(
        r#"select callback_key from subscription as s
           where state = 'active' or exists (select 1 from intent as i where i.subscription_id = s.subscription_id)"#
    )
    .fetch_all(connection)
    .await
}

/// What changes whenever any process takes a request: how many were ever put in the place of
/// another, and the newest.
///
/// # Errors
/// When the database cannot be read.
pub async fn requested(connection: &mut SqliteConnection) -> sqlx::Result<(i64, String)> {
    let row = sqlx::query!(
        r#"select coalesce(sum(serial), 0) as "serials!: i64", coalesce(max(requested_at), '') as "newest!: String" from intent"#
    )
    .fetch_one(connection)
    .await?;
    Ok((row.serials, row.newest))
}
