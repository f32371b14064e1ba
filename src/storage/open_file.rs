//! A file open for reading, with its readers. It is separate from `Database` because rqlited may replace the file
//! (after a restart or when it rejoins), and all of this is then reopened.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sqlx::SqlitePool;

use super::error::DbError;
use super::files::DatabaseFiles;
use super::index_readers::IndexReaders;
use super::{derived, options, pool};

/// Maximum number of readers. Requests are answered from memory; these serve rendering and checks.
const READERS_MAX: u32 = 2;

#[derive(Debug)]
pub(super) struct OpenFile {
    pub(super) place: Arc<DatabaseFiles>,
    pub(super) readers: SqlitePool,
    pub(super) index_readers: IndexReaders,
    /// Writer of the side file of derived data, if there is one.
    pub(super) derived: Option<SqlitePool>,
}

impl OpenFile {
    /// Opens the file at `path` for reading, with the derived data of the file `derived`, if given.
    pub(super) async fn open(path: &Path, derived: Option<&Path>) -> Result<Self, DbError> {
        let place = Arc::new(DatabaseFiles::of(path)?);
        let reading = options(path).read_only(true);
        let (readers, reading) = match derived {
            None => (pool(&place), reading.pragma("query_only", "on")),
            Some(side) => (derived::pool_with_side_file(&place, side), reading),
        };
        let readers = readers
            .max_connections(READERS_MAX)
            .connect_with(reading)
            .await;
        // Index readers never wait for a lock and stay open; if none is free, a request is answered without the index.
        let index_options = options(path)
            .read_only(true)
            .pragma("query_only", "on")
            .pragma("cache_size", "-8192")
            .busy_timeout(Duration::ZERO);
        Ok(Self {
            readers: readers.map_err(|error| DbError::at(path, error))?,
            index_readers: IndexReaders::new(index_options, &place),
            place,
            derived: None,
        })
    }

    pub(super) async fn close(&self) {
        self.index_readers.close().await;
        self.readers.close().await;
        if let Some(derived) = &self.derived {
            derived.close().await;
        }
    }
}
