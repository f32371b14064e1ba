//! What an operator asks: alive, ready, and figures.

use std::sync::{Arc, OnceLock};

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use poem::Response;
use poem::endpoint::make_sync;
use poem::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use poem::http::{HeaderValue, StatusCode};

use crate::ctx::Ctx;
use crate::db::Database;
use crate::respond::{Route, retry_later};

static METRICS: OnceLock<Option<PrometheusHandle>> = OnceLock::new();
/// When to ask again whether a service is back that is stopping, or whose database is gone.
const RETRY_AFTER: std::time::Duration = std::time::Duration::from_secs(5);

/// Starts counting. One process counts once; later calls change nothing.
pub fn count() {
    METRICS.get_or_init(|| {
        let recorder = PrometheusBuilder::new().build_recorder();
        let handle = recorder.handle();
        metrics::set_global_recorder(recorder).ok().map(|()| handle)
    });
}

/// `/healthz`, `/readyz` and `/metrics`.
pub fn routes(ctx: &Arc<Ctx>, database: &Database) -> Vec<Route> {
    let (ready, database) = (Arc::clone(ctx), database.clone());
    vec![
        Route::new("/healthz").get(None, make_sync(|_| text("text/plain; charset=utf-8", "ok\n".to_owned()))),
        Route::new("/readyz").get(None, make_sync(move |_| is_ready(&ready, &database))),
        Route::new("/metrics").get(None, make_sync(|_| text("text/plain; version=0.0.4", figures()))),
    ]
}

fn is_ready(ctx: &Ctx, database: &Database) -> Response {
    if ctx.is_draining() {
        return retry_later(StatusCode::SERVICE_UNAVAILABLE, "The service is stopping; send requests elsewhere.", RETRY_AFTER);
    }
    if database.verify_place().is_err() {
        let said = "The database was replaced or removed; what was read before is still served, and nothing new is taken.";
        return retry_later(StatusCode::SERVICE_UNAVAILABLE, said, RETRY_AFTER);
    }
    text("text/plain; charset=utf-8", "ready\n".to_owned())
}

fn figures() -> String {
    METRICS.get().and_then(Option::as_ref).map(PrometheusHandle::render).unwrap_or_default()
}

fn text(kind: &'static str, text: String) -> Response {
    let mut response = Response::builder().status(StatusCode::OK).body(text);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
