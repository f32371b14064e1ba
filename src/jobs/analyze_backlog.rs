//! Reads what a snapshot could not wait for, and keeps what was read: a bounded number of reviews
//! at a time, so that a stop waits for little and others get their turn to write.

use std::sync::{Arc, Mutex, PoisonError};

use crate::compute::Panicked;
use crate::insights::store::{self, NewAnalysis};
use crate::insights::{Analyzer, Subject};
use crate::metrics;
use crate::model::Review;
use crate::snapshot::entry::Key;
use crate::snapshot::{Backlog, Snapshot, analyze};
use crate::storage::reviews::published;
use crate::storage::{Database, DbError};
use crate::web::context::Ctx;

/// How many reviews one run reads, and keeps in one transaction.
const REVIEWS_PER_RUN: usize = 512;

/// Reads for one context.
#[derive(Debug)]
pub struct AnalyzeBacklog {
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
    /// The database could not be read or written.
    #[error(transparent)]
    Database(#[from] DbError),
    /// A text cannot be read.
    #[error(transparent)]
    Panicked(#[from] Panicked),
}

impl AnalyzeBacklog {
    /// The job for `ctx`, whose snapshots leave that backlog.
    #[must_use]
    pub fn new(ctx: Arc<Ctx>, database: Database, backlog: Arc<Backlog>) -> Self {
        Self {
            ctx,
            database,
            backlog,
            pass: Mutex::default(),
        }
    }

    /// What is left to do about analyses.
    #[must_use]
    pub const fn backlog(&self) -> &Arc<Backlog> {
        &self.backlog
    }

    /// Keeps some of what was read for a snapshot; says whether there was any.
    ///
    /// # Errors
    /// When the database fails; nothing is lost, and the next run tries again.
    pub async fn keep_once(&self) -> Result<bool, DbError> {
        let analyses = self.backlog.first(REVIEWS_PER_RUN);
        if analyses.is_empty() {
            return Ok(false);
        }
        self.keep(&analyses).await?;
        self.backlog.remove(&analyses);
        Ok(true)
    }

    /// Keeps what was read for a snapshot, or reads and keeps some of what it could not wait for;
    /// says whether there was anything to do. When all of that is read, the next snapshot can have
    /// it.
    ///
    /// # Errors
    /// [`ReadError`].
    pub async fn run_once(&self) -> Result<bool, ReadError> {
        if self.keep_once().await? {
            return Ok(true);
        }
        let snapshot = self.ctx.current.load();
        // Whoever renders next takes up what was read; until then there is nothing more to do.
        if self.backlog.is_analyzed() || snapshot.input.behind() == 0 {
            return Ok(false);
        }
        let analyzer = Arc::clone(&snapshot.input.next_analyzer);
        let Some((ids, last)) = self.next(&snapshot) else {
            *self.lock() = Pass::default();
            self.backlog.set_analyzed();
            return Ok(true);
        };
        drop(snapshot);
        // Whether or not it can be kept now: what was read stays in the backlog until it is.
        self.backlog.add(self.read(&analyzer, &ids).await?);
        *self.lock() = Pass {
            method: analyzer.method().to_owned(),
            last: Some(last),
        };
        Ok(true)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Pass> {
        self.pass.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next ids of this pass, newest first, and where they end; `None` at its end.
    fn next(&self, snapshot: &Snapshot) -> Option<(Vec<String>, Key)> {
        let input = &snapshot.input;
        let pass = self.lock();
        let last = pass
            .last
            .as_ref()
            .filter(|_| pass.method == input.next_analyzer.method());
        let position = last.map_or(0, |key| input.review_index.count_through(key.day, &key.id));
        let is_anew = input.analyzer.method() != input.next_analyzer.method();
        let places = input
            .review_index
            .keys(position, is_anew)
            .take(REVIEWS_PER_RUN);
        let (ids, mut places): (Vec<String>, Vec<i32>) =
            places.map(|(day, id)| (id.to_owned(), day)).unzip();
        let last = Key {
            day: places.pop()?,
            id: ids.last()?.clone(),
        };
        Some((ids, last))
    }

    /// Reads those of these reviews of which no such analysis is kept.
    async fn read(
        &self,
        analyzer: &Arc<Analyzer>,
        ids: &[String],
    ) -> Result<Vec<NewAnalysis>, ReadError> {
        let fault = |error| DbError::at(self.database.path(), error);
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let mut transaction = self.database.readers().begin().await.map_err(fault)?;
        let reviews: Vec<Review> = published(&mut transaction, &ids)
            .await
            .map_err(fault)?
            .into_iter()
            .map(|numbered| numbered.review)
            .collect();
        let kept = store::stored(&mut transaction, &ids).await.map_err(fault)?;
        transaction.commit().await.map_err(fault)?;
        let analyzer = Arc::clone(analyzer);
        let missing = move |review: Review| {
            let hash = Subject::of(&review).hash();
            let known = kept.get(review.id.as_str());
            let is_kept = known.is_some_and(|kept| {
                kept.text_hash == hash && kept.method_hash == analyzer.method()
            });
            (!is_kept).then(|| analyze(&analyzer, &review, hash))
        };
        let analyses = self
            .ctx
            .compute
            .run(move || {
                reviews
                    .into_iter()
                    .filter_map(missing)
                    .collect::<Vec<NewAnalysis>>()
            })
            .await?;
        metrics::TEXTS_ANALYZED
            .counter(&[])
            .increment(analyses.len() as u64);
        Ok(analyses)
    }

    async fn keep(&self, analyses: &[Arc<NewAnalysis>]) -> Result<(), DbError> {
        let fault = |error| DbError::at(self.database.path(), error);
        let ids: Vec<&str> = analyses.iter().map(|one| one.id.as_str()).collect();
        let mut write = self.database.write_derived(&ids).await?;
        store::save(&mut write, analyses).await.map_err(fault)?;
        write.commit().await.map_err(fault)
    }
}
