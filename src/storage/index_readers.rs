//! Read-only connections for queries of the text index. They are not in sqlx's pools because a request must never wait
//! for one, and a pool takes a connection back only in a separate task, after one more statement.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _};

use super::error::DbError;
use super::files::DatabaseFiles;

/// Maximum number of text index readers for requests; if all are busy, a request is answered without the index.
pub const INDEX_READERS_MAX: usize = 4;

/// Cloning shares the readers.
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

/// A reader on loan. [`IndexReader::done`] returns it; if it is dropped instead, it is closed, because a statement may
/// still run on it.
#[derive(Debug)]
pub struct IndexReader {
    /// In no transaction.
    pub connection: SqliteConnection,
    place: Lent,
}

/// The slot of a lent reader; free again when dropped.
#[derive(Debug)]
struct Lent(Arc<Mutex<ReaderPool>>);

impl IndexReaders {
    /// Opens no connection yet.
    pub(super) fn new(options: SqliteConnectOptions, place: &Arc<DatabaseFiles>) -> Self {
        Self {
            options,
            place: Arc::clone(place),
            state: Arc::default(),
        }
    }

    /// `None` if all are lent.
    ///
    /// # Errors
    /// [`DbError`] when the file cannot be opened, or another file has replaced it.
    pub(super) async fn lend(&self, path: &Path) -> Result<Option<IndexReader>, DbError> {
        let idle = {
            let mut state = lock(&self.state);
            if state.is_closed || state.lent >= INDEX_READERS_MAX {
                return Ok(None);
            }
            state.lent += 1;
            state.idle.pop()
        };
        // If opening fails or is cancelled, the slot is free again.
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

    /// Closes idle readers; no reader can be lent afterwards.
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
    /// Returns the reader; no statement may run on it any more.
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
