//! The text index as searches use it: one question through a reader that is free now, or none at
//! all. Whatever is wrong with it, the snapshot has everything, so nothing here fails: there is
//! only no answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use metrics::Counter;

use super::answer::{Answer, Found};
use super::cursor::Cursor;
use super::plan::{self, CANDIDATES_MAX, Costs};
use super::store::{self, Indexed};
use crate::clock::Clock;
use crate::db::{Database, DbError};
use crate::reviews::ReviewFilter;
use crate::snapshot::Snapshot;
use crate::telemetry::catalog;

/// How long a search waits for the text index; walking over a million reviews takes about as long.
const WAIT_MAX: Duration = Duration::from_millis(20);

/// Where searches find what is rare. Cloning shares the same readers.
#[derive(Debug, Clone)]
pub struct TextIndex {
    database: Database,
    clock: Clock,
    costs: Costs,
    /// Whether every review is known to have been in it when it was opened; else it is never asked.
    is_whole: bool,
    is_failing: Arc<AtomicBool>,
    /// Counts what it answered.
    answered: Counter,
}

/// Why there is no answer.
#[derive(Debug)]
enum Unanswered {
    /// Every reader is busy.
    Busy,
    /// It took too long.
    Slow,
    /// It takes too many reviews.
    Many,
    /// It is of another database, or of an earlier moment than the snapshot.
    Other,
    /// It cannot be read.
    Failed(DbError),
}

impl TextIndex {
    /// The text index of `database`, made whole where rows are lacking. Where that cannot be done
    /// it is not used.
    pub async fn open(database: &Database, clock: Clock) -> Self {
        let repaired = database.repair_text_index().await;
        match &repaired {
            Ok(0) => {}
            Ok(rows) => {
                tracing::warn!(
                    rows,
                    "text_index.repaired: somebody had taken rows out of `review_fts`; they are there again"
                );
            }
            Err(error) => tracing::warn!(
                %error,
                "text_index.not_repaired: `review_fts` lacks rows; searches read all texts until it is repaired by a start"
            ),
        }
        let is_failing = Arc::default();
        Self {
            database: database.clone(),
            clock,
            costs: Costs::default(),
            is_whole: repaired.is_ok(),
            is_failing,
            answered: catalog::SEARCH_INDEX.counter(&["answered"]),
        }
    }

    /// The same index, believed to cost this.
    #[must_use]
    pub fn with_costs(self, costs: Costs) -> Self {
        Self { costs, ..self }
    }

    /// The first `limit` reviews of `snapshot` that `filter` takes, after `cursor` where there is
    /// one: found by the text index or by walking over the reviews, whichever is expected to be
    /// cheaper.
    pub async fn search(
        &self,
        snapshot: &Snapshot,
        filter: &ReviewFilter,
        limit: usize,
        cursor: Option<&Cursor>,
    ) -> Found {
        let mut answer = Answer::new(snapshot, filter, limit, cursor);
        let mut candidates: Option<Vec<u32>> = None;
        for pass in answer.passes().iter().copied() {
            answer.begin();
            let mut range = answer.range(pass);
            if candidates.is_none() && self.is_whole && filter.query().is_some() {
                let (sampled, rest) = answer.split(pass, &range, plan::sample(range.len()));
                if answer.walk(pass, sampled.clone()).is_break() {
                    continue;
                }
                range = rest;
                if !range.is_empty()
                    && let Some(expression) =
                        plan::ask(&answer, pass, &sampled, &range, &self.costs)
                {
                    candidates = self.candidates(snapshot, &expression).await;
                }
            }
            let _ = match &candidates {
                Some(candidates) => answer.verify(pass, candidates, range),
                None => answer.walk(pass, range),
            };
        }
        answer.finish()
    }

    /// Where those reviews stand, ascending, among which all are that `expression` takes.
    async fn candidates(&self, snapshot: &Snapshot, expression: &str) -> Option<Vec<u32>> {
        let answered = tokio::select! {
            biased;
            answered = self.find(snapshot, expression) => answered,
            () = self.clock.sleep(WAIT_MAX) => Err(Unanswered::Slow),
        };
        match answered {
            Ok(indexed) => {
                self.answered.increment(1);
                if self.is_failing.swap(false, Ordering::Relaxed) {
                    tracing::info!("text_index.readable: it can be read again");
                }
                Some(positions(snapshot, &indexed))
            }
            Err(why) => {
                catalog::SEARCH_INDEX.count(&[why.name()]);
                if let Unanswered::Failed(error) = why
                    && !self.is_failing.swap(true, Ordering::Relaxed)
                {
                    tracing::warn!(
                        %error,
                        "text_index.unreadable: searches read all texts instead; run `reviews check`, and start the service anew"
                    );
                }
                None
            }
        }
    }

    async fn find(&self, snapshot: &Snapshot, expression: &str) -> Result<Indexed, Unanswered> {
        let mut reader = self
            .database
            .index_reader()
            .await
            .map_err(Unanswered::Failed)?
            .ok_or(Unanswered::Busy)?;
        let seen = &snapshot.position;
        let found = store::find(
            &mut reader.connection,
            expression,
            seen.change_no,
            CANDIDATES_MAX,
        )
        .await;
        let found =
            found.map_err(|error| Unanswered::Failed(DbError::at(self.database.path(), error)))?;
        reader.done();
        let indexed = found.ok_or(Unanswered::Many)?;
        let is_later = indexed.lineage == seen.lineage && indexed.change_no >= seen.change_no;
        if is_later {
            Ok(indexed)
        } else {
            Err(Unanswered::Other)
        }
    }
}

impl Unanswered {
    const fn name(&self) -> &'static str {
        match self {
            Self::Busy => "busy",
            Self::Slow => "slow",
            Self::Many => "many",
            Self::Other => "other",
            Self::Failed(_) => "failed",
        }
    }
}

/// Where the reviews stand that the index named, and those that it may not find.
fn positions(snapshot: &Snapshot, indexed: &Indexed) -> Vec<u32> {
    let known = snapshot.input.review_index.positions();
    let named = indexed
        .review_nos
        .iter()
        .filter_map(|number| known.find(*number));
    let mut positions: Vec<u32> = named.chain(known.unindexed().iter().copied()).collect();
    positions.sort_unstable();
    positions.dedup();
    positions
}

/// The same as [`TextIndex::search`] without a database: walks over the reviews.
#[must_use]
pub fn walk(
    snapshot: &Snapshot,
    filter: &ReviewFilter,
    limit: usize,
    cursor: Option<&Cursor>,
) -> Found {
    let mut answer = Answer::new(snapshot, filter, limit, cursor);
    for pass in answer.passes().iter().copied() {
        answer.begin();
        let range = answer.range(pass);
        let _ = answer.walk(pass, range);
    }
    answer.finish()
}

#[cfg(test)]
mod tests;
