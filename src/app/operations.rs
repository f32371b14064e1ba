//! What an operator asks: alive, ready, and figures.
//!
//! Where operators have a listener of their own (`REVIEWS_ADMIN_LISTEN`), `/metrics` is answered there alone; `/healthz`
//! and `/readyz` tell strangers nothing, and load balancers ask them where requests go.

use std::sync::Arc;
use std::time::Duration;

use poem::Response;
use poem::endpoint::{make, make_sync};
use poem::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use poem::http::{HeaderValue, StatusCode};

use crate::metrics;
use crate::metrics::figure;
use crate::snapshot::Coding;
use crate::storage::{Database, DbError, NodeStanding, sqlite_version};
use crate::web::context::Ctx;
use crate::web::{Route, retry_later};

/// When to ask again whether a service is back that is stopping, or whose database is gone.
const RETRY_AFTER: Duration = Duration::from_secs(5);
/// After how long without word of its leader a node counts as cut off.
pub const CUT_OFF_AFTER: Duration = Duration::from_secs(3);
/// How long the database may take to answer before it counts as one that cannot be read. Probes give up after a second
/// where nothing else is said (Kubernetes' `timeoutSeconds`).
const DATABASE_TIMEOUT: Duration = Duration::from_millis(800);

/// What is answered on the public listener.
pub fn public_routes(ctx: &Arc<Ctx>, database: &Database, has_admin: bool) -> Vec<Route> {
    let mut routes = vec![live(), ready(ctx, database)];
    if !has_admin {
        routes.push(figures(ctx, database));
    }
    routes
}

/// What is answered on the operators' own listener.
pub fn admin_routes(ctx: &Arc<Ctx>, database: &Database) -> Vec<Route> {
    vec![live(), ready(ctx, database), figures(ctx, database)]
}

/// Shows in the figures which release this is, and when it started.
///
/// # Errors
/// When SQLite cannot be asked for its version.
pub async fn tell_release(ctx: &Ctx, database: &Database) -> Result<(), DbError> {
    let sqlite = sqlite_version()
        .await
        .map_err(|error| DbError::at(database.path(), error))?;
    let (version, commit) = (env!("CARGO_PKG_VERSION"), env!("REVIEWS_COMMIT"));
    metrics::BUILD.gauge(&[version, commit, &sqlite]).set(1.0);
    let started_at = ctx.clock.now() - ctx.clock.monotonic().since_start();
    let started_at = u64::try_from(started_at.timestamp()).unwrap_or(0);
    metrics::STARTED.gauge(&[]).set(figure(started_at));
    Ok(())
}

fn live() -> Route {
    let ok = make_sync(|_| text("text/plain; charset=utf-8", "ok\n".to_owned()));
    Route::new("/healthz").get(None, ok)
}

fn ready(ctx: &Arc<Ctx>, database: &Database) -> Route {
    let (ctx, database) = (Arc::clone(ctx), database.clone());
    let answer = make(move |_| {
        let (ctx, database) = (Arc::clone(&ctx), database.clone());
        async move {
            match readiness(&ctx, &database).await {
                Ok(said) => text("text/plain; charset=utf-8", said),
                Err(said) => retry_later(StatusCode::SERVICE_UNAVAILABLE, said, RETRY_AFTER),
            }
        }
    });
    Route::new("/readyz").get(None, answer)
}

fn figures(ctx: &Arc<Ctx>, database: &Database) -> Route {
    let (ctx, database) = (Arc::clone(ctx), database.clone());
    let answer = make_sync(move |_| {
        measure(&ctx, &database);
        text("text/plain; version=0.0.4", metrics::render())
    });
    Route::new("/metrics").get(None, answer)
}

/// Whether requests should come here; where not, why. What is out can be read whatever becomes of the database, but a
/// process that no longer knows the database can take no subscription and shows no change.
async fn readiness(ctx: &Ctx, database: &Database) -> Result<String, &'static str> {
    if ctx.is_draining() {
        return Err("The service is stopping; send requests elsewhere.");
    }
    let verified = tokio::select! {
        biased;
        verified = database.verify_readable() => verified,
        () = ctx.clock.sleep(DATABASE_TIMEOUT) => {
            return Err("The database does not answer; the last snapshot is still served.");
        }
    };
    match verified {
        Ok(()) => {}
        Err(DbError::Replaced(_) | DbError::Removed { .. } | DbError::LogGone(_)) => {
            return Err(
                "The database was replaced or removed; the last snapshot is still served, and nothing new is accepted.",
            );
        }
        Err(DbError::Newer { .. } | DbError::Older { .. } | DbError::Foreign { .. }) => {
            return Err(
                "The database belongs to another release; the last snapshot is still served; start the release that migrated it.",
            );
        }
        Err(_) => {
            return Err("The database cannot be read; the last snapshot is still served.");
        }
    }
    // Behind is still better than nothing: reading goes on, and so this is no reason to send requests elsewhere.
    let behind = ctx.freshness.failing_for(ctx.clock.monotonic());
    let mut said = behind.map_or_else(
        || "ready\n".to_owned(),
        |behind| {
            let seconds = behind.as_secs();
            format!("ready, but for {seconds} s changes could not be published; see the log\n")
        },
    );
    if let Some(node) = database.node_standing() {
        said.push_str(&standing(&node));
    }
    Ok(said)
}

/// How a node fares within its cluster. One that is cut off goes on serving what it has, and says how old that may be.
fn standing(node: &NodeStanding) -> String {
    let seconds = node.heard_ago.as_secs();
    let lease = if node.holds_lease {
        "here"
    } else {
        "elsewhere"
    };
    if node.heard_ago > CUT_OFF_AFTER || node.status.leader.is_empty() {
        return format!(
            "cluster: cut off; last contact with its leader was {seconds} s ago, and the served data may be that old\n"
        );
    }
    let leader = if node.status.is_leader {
        "this node"
    } else {
        &node.status.leader
    };
    let entries = node.status.entries_behind;
    format!(
        "cluster: leader {leader}; {entries} entries behind; last contact with the leader {seconds} s ago; lease held {lease}\n"
    )
}

/// Reads what is measured when it is asked for.
fn measure(ctx: &Ctx, database: &Database) {
    let (snapshot, now) = (ctx.current.load(), ctx.clock.monotonic());
    let published = snapshot.input.review_index.len() as u64;
    metrics::PUBLISHED.gauge(&[]).set(figure(published));
    let behind = ctx.freshness.failing_for(now).unwrap_or_default();
    for (metric, duration) in [
        (metrics::SNAPSHOT_AGE, ctx.freshness.age(now)),
        (metrics::SNAPSHOT_BEHIND, behind),
    ] {
        metric.gauge(&[]).set(duration.as_secs_f64());
    }
    let bodies = || snapshot.documents().map(|document| &document.body);
    let plain: u64 = bodies().map(|body| body.content.len()).sum();
    metrics::SNAPSHOT_BYTES
        .gauge(&["identity"])
        .set(figure(plain));
    for coding in Coding::ALL {
        let coded = bodies().filter_map(|body| body.coded(coding));
        let bytes = coded.map(|bytes| bytes.len() as u64).sum();
        metrics::SNAPSHOT_BYTES
            .gauge(&[coding.token()])
            .set(figure(bytes));
    }
    if let Some(node) = database.node_standing() {
        let is_leader = u64::from(node.status.is_leader);
        metrics::CLUSTER_LEADER.gauge(&[]).set(figure(is_leader));
        let entries = node.status.entries_behind;
        metrics::CLUSTER_BEHIND.gauge(&[]).set(figure(entries));
        let age = node.heard_ago.as_secs_f64();
        metrics::CLUSTER_CONTACT_AGE.gauge(&[]).set(age);
    }
    measure_process();
    let (main, log) = database.bytes();
    for (file, bytes) in [("main", main), ("wal", log)] {
        metrics::DATABASE_BYTES.gauge(&[file]).set(figure(bytes));
    }
}

/// Reads what the system says of this process. What it does not say keeps its last figure.
fn measure_process() {
    let process = metrics_process::collector::collect();
    if let Some(seconds) = process.cpu_seconds_total {
        let whole = Duration::from_secs_f64(seconds.max(0.0)).as_secs();
        metrics::CPU_SECONDS.counter(&[]).absolute(whole);
    }
    for (metric, count) in [
        (metrics::RESIDENT_BYTES, process.resident_memory_bytes),
        (metrics::VIRTUAL_BYTES, process.virtual_memory_bytes),
        (metrics::OPEN_FDS, process.open_fds),
        (metrics::MAX_FDS, process.max_fds),
        (metrics::THREADS, process.threads),
    ] {
        if let Some(count) = count {
            metric.gauge(&[]).set(figure(count));
        }
    }
}

fn text(kind: &'static str, text: String) -> Response {
    let mut response = Response::builder().status(StatusCode::OK).body(text);
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
        .headers_mut()
        .insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
