//! Reads what an edition could not wait for, and keeps what was read: a bounded number of reviews at a time, so that a stop
//! waits for little and others get their turn to write.

use std::sync::{Arc, Mutex, PoisonError};

use crate::compute::Panicked;
use crate::ctx::Ctx;
use crate::db::{Database, DbError};
use crate::edition::entry::Key;
use crate::edition::{Backlog, Edition, read};
use crate::insights::store::{self, Kept};
use crate::insights::{Reader, Subject};
use crate::reviews::Review;
use crate::reviews::store::published;

/// How many reviews one run reads, and keeps in one transaction.
const REVIEWS_A_RUN: usize = 512;

/// Reads for one context.
#[derive(Debug)]
pub struct Read {
    ctx: Arc<Ctx>,
    database: Database,
    backlog: Arc<Backlog>,
    pass: Mutex<Pass>,
}

/// One way through all that is to be read: for which method, and how far it has come.
#[derive(Debug, Default)]
struct Pass {
    method: String,
    last: Option<Key>,
}

/// Why nothing was read or kept; nothing is lost, and the next run tries again.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The database failed.
    #[error(transparent)]
    Database(#[from] DbError),
    /// A text cannot be read.
    #[error(transparent)]
    Panicked(#[from] Panicked),
}

impl Read {
    /// The job for `ctx`, whose editions leave that backlog.
    #[must_use]
    pub fn new(ctx: Arc<Ctx>, database: Database, backlog: Arc<Backlog>) -> Self {
        Self { ctx, database, backlog, pass: Mutex::default() }
    }

    /// What is left to do about readings.
    #[must_use]
    pub const fn backlog(&self) -> &Arc<Backlog> {
        &self.backlog
    }

    /// Keeps some of what was read for an edition; says whether there was any.
    ///
    /// # Errors
    /// When the database fails; nothing is lost, and the next run tries again.
    pub async fn keep_once(&self) -> Result<bool, DbError> {
        let readings = self.backlog.first(REVIEWS_A_RUN);
        if readings.is_empty() {
            return Ok(false);
        }
        self.keep(&readings).await?;
        self.backlog.remove(&readings);
        Ok(true)
    }

    /// Keeps what was read for an edition, or reads and keeps some of what it could not wait for; says whether there was
    /// anything to do. When all of that is read, the next edition can have it.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn run_once(&self) -> Result<bool, ReadError> {
        if self.keep_once().await? {
            return Ok(true);
        }
        let edition = self.ctx.current.load();
        // Whoever prints next takes up what was read; until then there is nothing more to do.
        if self.backlog.is_read() || edition.copy.behind() == 0 {
            return Ok(false);
        }
        let reader = Arc::clone(&edition.copy.next_reader);
        let Some((ids, last)) = self.next(&edition) else {
            *self.lock() = Pass::default();
            self.backlog.set_read();
            return Ok(true);
        };
        drop(edition);
        // Whether or not it can be kept now: what was read stays in the backlog until it is.
        self.backlog.add(self.read(&reader, &ids).await?);
        *self.lock() = Pass { method: reader.method().to_owned(), last: Some(last) };
        Ok(true)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Pass> {
        self.pass.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next ids of this pass, newest first, and where they end; `None` at its end.
    fn next(&self, edition: &Edition) -> Option<(Vec<String>, Key)> {
        let copy = &edition.copy;
        let pass = self.lock();
        let last = pass.last.as_ref().filter(|_| pass.method == copy.next_reader.method());
        let position = last.map_or(0, |key| copy.shelf.count_through(key.day, &key.id));
        let is_anew = copy.reader.method() != copy.next_reader.method();
        let places = copy.shelf.places(position, is_anew).take(REVIEWS_A_RUN);
        let (ids, mut places): (Vec<String>, Vec<i32>) = places.map(|(day, id)| (id.to_owned(), day)).unzip();
        let last = Key { day: places.pop()?, id: ids.last()?.clone() };
        Some((ids, last))
    }

    /// Reads those of these reviews of which no such reading is kept.
    async fn read(&self, reader: &Arc<Reader>, ids: &[String]) -> Result<Vec<Kept>, ReadError> {
        let fault = |error| DbError::at(self.database.path(), error);
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let mut transaction = self.database.readers().begin().await.map_err(fault)?;
        let reviews: Vec<Review> =
            published(&mut transaction, &ids).await.map_err(fault)?.into_iter().map(|numbered| numbered.review).collect();
        let kept = store::stored(&mut transaction, &ids).await.map_err(fault)?;
        transaction.commit().await.map_err(fault)?;
        let reader = Arc::clone(reader);
        let missing = move |review: Review| {
            let hash = Subject::of(&review).hash();
            let known = kept.get(review.id.as_str());
            let is_kept = known.is_some_and(|kept| kept.text_hash == hash && kept.method_hash == reader.method());
            (!is_kept).then(|| read(&reader, &review, hash))
        };
        let readings = self.ctx.compute.run(move || reviews.into_iter().filter_map(missing).collect::<Vec<Kept>>()).await?;
        metrics::counter!("insights_read_total").increment(readings.len() as u64);
        Ok(readings)
    }

    async fn keep(&self, readings: &[Arc<Kept>]) -> Result<(), DbError> {
        let fault = |error| DbError::at(self.database.path(), error);
        let mut write = self.database.write().await?;
        store::keep(&mut write, readings).await.map_err(fault)?;
        write.commit().await.map_err(fault)
    }
}
