//! Tells the metrics how the hub stands: who is subscribed, what waits, and for how long.

use crate::clock::Clock;
use crate::metrics;
use crate::storage::{Database, DbError};
use crate::websub::store;

/// Reads the figures and sets the gauges.
///
/// # Errors
/// When the database cannot be read; the gauges stay as they were.
pub async fn run_once(database: &Database, clock: &Clock) -> Result<(), DbError> {
    let fault = |error| DbError::at(database.path(), error);
    let mut connection = database.readers().acquire().await.map_err(fault)?;
    let figures = store::gauges(&mut connection, clock.now())
        .await
        .map_err(fault)?;
    let gauge = |count: i64| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    metrics::HUB_ACTIVE.gauge(&[]).set(gauge(figures.active));
    metrics::HUB_PENDING.gauge(&[]).set(gauge(figures.pending));
    metrics::HUB_DUE.gauge(&[]).set(gauge(figures.due));
    metrics::HUB_OLDEST_DUE_SECONDS
        .gauge(&[])
        .set(gauge(figures.oldest_due_seconds.max(0)));
    Ok(())
}
