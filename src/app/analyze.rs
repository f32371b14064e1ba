//! Analyzes reviews that a snapshot could not wait for. Each run is bounded, so that shutdown is quick and other writers
//! get their turn.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use crate::compute::lock;
use crate::insights::store::{StoredAnalysis, parse, save};
use crate::insights::{Analyzer, Subject};
use crate::metrics;
use crate::model::Day;
use crate::snapshot::{AnalysisProgress, Snapshot, analyze};
use crate::storage::reviews::{Numbered, published};
use crate::storage::{AtPath as _, Database};
use crate::web::context::Ctx;

/// Reviews that one run analyzes and stores in one transaction.
const REVIEWS_PER_RUN: usize = 512;

/// Its day and ID.
pub type LastReview = (Day, String);

#[derive(Debug)]
pub struct AnalyzePostponed {
    pub ctx: Arc<Ctx>,
    pub database: Database,
    /// That of the publisher of the snapshots of `ctx`.
    pub progress: Arc<AnalysisProgress>,
    /// Progress through all reviews to analyze: the method, and the last review.
    pub pass: Mutex<Option<(String, LastReview)>>,
}

impl AnalyzePostponed {
    /// Analyzes some reviews without analysis and stores the results; returns whether there was work. When all are done,
    /// the next snapshot can use them.
    ///
    /// # Errors
    /// If the database fails or an analysis panics; the next run tries again.
    pub async fn run_once(&self) -> anyhow::Result<bool> {
        let snapshot = self.ctx.current.load();
        // The next snapshot uses the finished analyses; until then there is no more work.
        let late_are_stored = self.progress.late_are_stored.load(Ordering::Relaxed);
        if late_are_stored || snapshot.input.behind() == 0 {
            return Ok(false);
        }
        let analyzer = Arc::clone(&snapshot.input.next_analyzer);
        let Some((ids, last)) = self.next(&snapshot) else {
            *lock(&self.pass) = None;
            self.progress.late_are_stored.store(true, Ordering::Relaxed);
            return Ok(true);
        };
        drop(snapshot);
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let analyses = self.analyze(&analyzer, &ids).await?;
        save(&self.database, &analyses).await?;
        *lock(&self.pass) = Some((analyzer.method().to_owned(), last));
        Ok(true)
    }

    /// The next IDs of this pass, newest first, and the key of the last one; `None` at the end.
    fn next(&self, snapshot: &Snapshot) -> Option<(Vec<String>, LastReview)> {
        let input = &snapshot.input;
        let pass = lock(&self.pass);
        let last = pass
            .as_ref()
            .filter(|(method, _)| method == input.next_analyzer.method());
        let start = last.map_or(0, |(_, (day, id))| input.entries.count_through(*day, id));
        let is_all = input.analyzer.method() != input.next_analyzer.method();
        let entries = input.entries[start..].iter();
        let missing: Vec<_> = entries
            .filter(|entry| is_all || entry.analysis.is_none())
            .take(REVIEWS_PER_RUN)
            .collect();
        let last = &missing.last()?.review;
        let ids = missing.iter().map(|entry| entry.id().to_string());
        Some((ids.collect(), (last.date, last.id.to_string())))
    }

    /// Analyzes the reviews of `ids` that have no stored analysis of this method.
    async fn analyze(
        &self,
        analyzer: &Arc<Analyzer>,
        ids: &[&str],
    ) -> anyhow::Result<Vec<StoredAnalysis>> {
        let path = self.database.path();
        let mut transaction = self.database.readers().begin().await.at(path)?;
        let reviews = published(&mut transaction, ids).await.at(path)?;
        transaction.commit().await.at(path)?;
        let analyzer = Arc::clone(analyzer);
        let missing = move |Numbered {
                                review, analysis, ..
                            }: Numbered| {
            let hash = Subject::of(&review).hash();
            let is_stored = analysis.is_some_and(|row| {
                (row.text_hash == hash && row.method_hash == analyzer.method())
                    && parse(&row).is_some()
            });
            (!is_stored).then(|| analyze(&analyzer, &review, hash))
        };
        let analyze_missing =
            move || -> Vec<StoredAnalysis> { reviews.into_iter().filter_map(missing).collect() };
        let analyses = self.ctx.compute.run(analyze_missing).await?;
        metrics::TEXTS_ANALYZED
            .counter(&[])
            .inc_by(analyses.len() as u64);
        Ok(analyses)
    }
}
