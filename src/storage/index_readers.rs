//! Read-only connections for questions to the text index. Apart from sqlx's pools, because a
//! request must never wait for one, and the next one finds it free at once: a pool takes a
//! connection back by a task of its own, after one more statement.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _};

use super::error::DbError;
use super::files::DatabaseFiles;

/// Readers of the text index at a time, for requests. Where all are busy, a request does without.
pub const INDEX_READERS_MAX: usize = 4;

/// The readers. Cloning shares them.
#[derive(Debug, Clone)]
pub struct IndexReaders {
    options: SqliteConnectOptions,
    place: Arc<DatabaseFiles>,
    state: Arc<Mutex<ReaderPool>>,
}

#[derive(Debug, Default)]
struct ReaderPool {
    idle: Vec<SqliteConnection>,
    lent: usize,
    is_closed: bool,
}

/// A reader that is lent. It goes back where [`IndexReader::done`] is called; dropped otherwise, it
/// is closed, since a statement may still run on it.
#[derive(Debug)]
pub struct IndexReader {
    /// The connection, in no transaction.
    pub connection: SqliteConnection,
    place: Lent,
}

/// The place of a reader that is lent: free again when it is dropped.
#[derive(Debug)]
struct Lent(Arc<Mutex<ReaderPool>>);

impl IndexReaders {
    /// Readers with `options`, none of them open yet.
    pub(super) fn new(options: SqliteConnectOptions, place: &Arc<DatabaseFiles>) -> Self {
        Self {
            options,
            place: Arc::clone(place),
            state: Arc::default(),
        }
    }

    /// A reader that nobody else has; `None` where all are lent.
    ///
    /// # Errors
    /// [`DbError`] when the file cannot be opened, or is another one by now.
    pub(super) async fn lend(&self, path: &Path) -> Result<Option<IndexReader>, DbError> {
        let idle = {
            let mut state = lock(&self.state);
            if state.is_closed || state.lent >= INDEX_READERS_MAX {
                return Ok(None);
            }
            state.lent += 1;
            state.idle.pop()
        };
        // Where opening fails or is given up, the place is free again.
        let place = Lent(Arc::clone(&self.state));
        let connection = if let Some(connection) = idle {
            connection
        } else {
            self.place.verify()?;
            let opened = self.options.connect().await;
            opened.map_err(|error| DbError::at(path, error))?
        };
        Ok(Some(IndexReader { connection, place }))
    }

    /// Closes those that are idle, and lends none any more.
    pub(super) async fn close(&self) {
        let idle = {
            let mut state = lock(&self.state);
            state.is_closed = true;
            std::mem::take(&mut state.idle)
        };
        for connection in idle {
            if let Err(error) = connection.close().await {
                tracing::debug!(%error, "database.reader_not_closed: a reader of the text index is given up");
            }
        }
    }
}

impl IndexReader {
    /// Gives the reader back; no statement runs on it any more.
    pub fn done(self) {
        let mut state = lock(&self.place.0);
        if !state.is_closed {
            state.idle.push(self.connection);
        }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        lock(&self.0).lent -= 1;
    }
}

fn lock(state: &Mutex<ReaderPool>) -> MutexGuard<'_, ReaderPool> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
