//! Analyzes reviews that a snapshot could not wait for, and stores analyses. Each run is bounded, so that shutdown is
//! quick and other writers get their turn.

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

/// Reviews that one run analyzes and stores in one transaction.
const REVIEWS_PER_RUN: usize = 512;

#[derive(Debug)]
pub struct AnalyzeBacklog {
    ctx: Arc<Ctx>,
    database: Database,
    backlog: Arc<Backlog>,
    pass: Mutex<Pass>,
}

/// Progress through all reviews to analyze, for one method.
#[derive(Debug, Default)]
struct Pass {
    method: String,
    last: Option<Key>,
}

/// Nothing was analyzed or stored; the next run tries again.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error(transparent)]
    Database(#[from] DbError),
    /// The analysis of a text panicked.
    #[error(transparent)]
    Panicked(#[from] Panicked),
}

impl AnalyzeBacklog {
    /// `backlog` is the one that the snapshots of `ctx` fill.
    #[must_use]
    pub fn new(ctx: Arc<Ctx>, database: Database, backlog: Arc<Backlog>) -> Self {
        Self {
            ctx,
            database,
            backlog,
            pass: Mutex::default(),
        }
    }

    #[must_use]
    pub const fn backlog(&self) -> &Arc<Backlog> {
        &self.backlog
    }

    /// Stores some of the analyses made for a snapshot; returns whether there were any.
    ///
    /// # Errors
    /// If the database fails; the analyses stay in the backlog.
    pub async fn keep_once(&self) -> Result<bool, DbError> {
        let analyses = self.backlog.first(REVIEWS_PER_RUN);
        if analyses.is_empty() {
            return Ok(false);
        }
        self.keep(&analyses).await?;
        self.backlog.remove(&analyses);
        Ok(true)
    }

    /// Stores analyses made for a snapshot, or analyzes and stores some missing reviews; returns whether there was
    /// work. When all are done, the next snapshot can use them.
    ///
    /// # Errors
    /// See [`ReadError`].
    pub async fn run_once(&self) -> Result<bool, ReadError> {
        if self.keep_once().await? {
            return Ok(true);
        }
        let snapshot = self.ctx.current.load();
        // The next snapshot uses the finished analyses; until then there is no more work.
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
        // Added first: the analyses stay in the backlog until they are stored.
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

    /// The next IDs of this pass, newest first, and the key of the last one; `None` at the end.
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

    /// Analyzes the reviews of `ids` that have no stored analysis of this method.
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
