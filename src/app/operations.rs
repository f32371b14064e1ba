//! Endpoints for operators: liveness, readiness and metrics.
//!
//! With a separate listener (`REVIEWS_ADMIN_LISTEN`), `/metrics` is served only there; `/healthz` and `/readyz` reveal
//! nothing, and load balancers use them.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use poem::error::InternalServerError;
use poem::http::StatusCode;
use poem::http::header::CACHE_CONTROL;
use poem::web::Data;
use poem::{EndpointExt as _, Response, handler};

use crate::metrics;
use crate::metrics::figure;
use crate::storage::Database;
use crate::web::context::Ctx;
use crate::web::{HttpProblem, Routes};

/// The `Retry-After` while the service stops or has no database.
const RETRY_AFTER: Duration = Duration::from_secs(5);
/// The timeout after which the database counts as unreadable. Probes time out after a second by default (Kubernetes'
/// `timeoutSeconds`).
const DATABASE_TIMEOUT: Duration = Duration::from_millis(800);

/// Adds the endpoints of one listener; metrics are on only one.
pub fn routes(routes: Routes, database: &Database, has_metrics: bool) -> Routes {
    let routes = routes
        .get("/healthz", live)
        .get("/readyz", ready.data(database.clone()));
    if has_metrics {
        routes.get("/metrics", figures.data(database.clone()))
    } else {
        routes
    }
}

#[handler]
fn live() -> Response {
    text("text/plain; charset=utf-8", "ok\n".to_owned())
}

#[handler]
async fn ready(
    Data(ctx): Data<&Arc<Ctx>>,
    Data(database): Data<&Database>,
) -> Result<Response, HttpProblem> {
    let state = readiness(ctx, database).await.map_err(|reason| {
        HttpProblem::retry_later(StatusCode::SERVICE_UNAVAILABLE, reason, RETRY_AFTER)
    })?;
    Ok(text("text/plain; charset=utf-8", state))
}

#[handler]
fn figures(
    Data(ctx): Data<&Arc<Ctx>>,
    Data(database): Data<&Database>,
) -> Result<Response, poem::Error> {
    measure(ctx, database);
    let figures = metrics::render().map_err(InternalServerError)?;
    Ok(text("text/plain; version=0.0.4", figures))
}

/// Whether the service should receive requests, or why not. Published documents are readable without the database, but
/// a process without it accepts no subscriptions and publishes no changes.
async fn readiness(ctx: &Ctx, database: &Database) -> Result<String, &'static str> {
    if ctx.draining.is_cancelled() {
        return Err("The service is stopping; send requests elsewhere.");
    }
    let verified = tokio::select! {
        biased;
        verified = database.verify_readable() => verified,
        () = ctx.clock.sleep(DATABASE_TIMEOUT) => {
            return Err("The database does not answer; the last snapshot is still served.");
        }
    };
    verified.map_err(|_| {
        "The database cannot be read, or another release migrated it; the last snapshot is still served."
    })?;
    // A snapshot that is behind is better than none, so the service stays ready.
    let behind = ctx.failing_for();
    let mut state = behind.map_or_else(
        || "ready\n".to_owned(),
        |behind| {
            let seconds = behind.as_secs();
            format!("ready, but for {seconds} s changes could not be published; see the log\n")
        },
    );
    if let Some(age) = database.contact_age() {
        let begin = if database.is_cut_off() {
            "cut off, so the served data may be old; "
        } else {
            ""
        };
        let seconds = age.as_secs();
        let _ = writeln!(
            state,
            "cluster: {begin}last contact with the leader {seconds} s ago"
        );
    }
    Ok(state)
}

/// Updates the metrics that are measured on request.
fn measure(ctx: &Ctx, database: &Database) {
    let snapshot = ctx.current.load();
    let published = snapshot.input.entries.len() as u64;
    metrics::PUBLISHED.gauge(&[]).set(figure(published));
    let behind = ctx.failing_for().unwrap_or_default();
    (metrics::SNAPSHOT_BEHIND.gauge(&[])).set(behind.as_secs_f64());
    if let Some(age) = database.contact_age() {
        metrics::NODE_CONTACT_AGE.gauge(&[]).set(age.as_secs_f64());
    }
    let (main, log) = database.bytes();
    for (file, bytes) in [("main", main), ("wal", log)] {
        metrics::DATABASE_BYTES.gauge(&[file]).set(figure(bytes));
    }
}

fn text(kind: &'static str, text: String) -> Response {
    let answer = Response::builder().content_type(kind);
    answer.header(CACHE_CONTROL, "no-store").body(text)
}
