//! Pools of connections to one file.

use std::sync::Arc;

use sqlx::Connection as _;
use sqlx::sqlite::SqlitePoolOptions;

use super::place::Place;

/// A pool that hands out a connection only if it is in no transaction, and else makes another.
/// Where the disk is full or fails, SQLite may roll back by itself
/// (<https://www.sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction>); sqlx,
/// whose own rollback then fails, would for ever refuse to begin another one. Those that it makes
/// later are to the file that was opened, too, or there are none.
pub(super) fn pool(place: &Arc<Place>) -> SqlitePoolOptions {
    let place = Arc::clone(place);
    let options = SqlitePoolOptions::new()
        .test_before_acquire(false)
        // The last connection that is closed removes the log, and the next one makes another.
        .idle_timeout(None)
        .max_lifetime(None)
        .after_connect(move |_, _| {
            let verified = place
                .verify()
                .map_err(|error| sqlx::Error::Configuration(error.into()));
            Box::pin(std::future::ready(verified))
        });
    options.before_acquire(|connection, _| {
        Box::pin(std::future::ready(Ok(!connection.is_in_transaction())))
    })
}
