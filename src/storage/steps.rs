//! Counts the steps of SQLite's virtual machine on every connection: how the work of a command grows with its data, whatever the machine.

use sqlx::ConnectOptions as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};

use crate::metrics::DATABASE_STEPS;

/// Steps that are counted at once (<https://www.sqlite.org/c3ref/progress_handler.html>).
const STEPS: u16 = 100;

/// Opens a connection whose steps are counted.
pub async fn connect(options: &SqliteConnectOptions) -> sqlx::Result<SqliteConnection> {
    let mut connection = options.connect().await?;
    count_steps(&mut connection).await?;
    Ok(connection)
}

/// Counts the steps of all further statements of a connection.
pub async fn count_steps(connection: &mut SqliteConnection) -> sqlx::Result<()> {
    let counter = DATABASE_STEPS.counter(&[]);
    let mut handle = connection.lock_handle().await?;
    handle.set_progress_handler(STEPS.into(), move || {
        counter.inc_by(STEPS.into());
        // The statement continues.
        true
    });
    Ok(())
}
