//! Derives all insights again.

use crate::cli::progress::Progress;
use crate::cli::{Outcome, report_done};
use crate::config::DatabaseConfig;
use crate::insights::store::{clear, save};
use crate::insights::{Analyzer, Engines, Subject};
use crate::snapshot::analyze;
use crate::storage;
use crate::storage::reviews::{Newest, counts};
use crate::storage::{Database, DbError};

#[derive(Debug, Default)]
struct Rebuilt {
    deleted: u64,
    reviews: u64,
    analysed: usize,
    findings: usize,
    mentions: usize,
}

/// Deletes all derived data and derives it again, some hundred reviews per transaction. A running service continues;
/// an interrupted rebuild is completed at its next start.
pub(super) async fn run(database: &DatabaseConfig, engines: Engines) -> anyhow::Result<Outcome> {
    let (database, _) = Database::open_at(&database.address()?).await?;
    let rebuilt = rebuild(&database, &engines).await;
    database.close().await;
    let Rebuilt {
        deleted,
        reviews,
        analysed,
        findings,
        mentions,
    } = rebuilt?;
    report_done(&format!(
        "{deleted} analyses deleted\n{reviews} reviews read, {analysed} of them analysed: {findings} findings, {mentions} \
         mentions\n"
    ));
    Ok(Outcome::Done)
}

async fn rebuild(database: &Database, engines: &Engines) -> Result<Rebuilt, DbError> {
    let fault = |error| DbError::at(database.path(), error);
    let mut connection = database.readers().acquire().await.map_err(fault)?;
    let business = storage::business::find(&mut connection)
        .await
        .map_err(fault)?
        .unwrap_or_default();
    let analyzer = Analyzer::new(&business, &engines.of(&business));
    let mut write = database.write_derived(&[]).await?;
    let mut rebuilt = Rebuilt {
        deleted: clear(&mut write).await.map_err(fault)?,
        ..Rebuilt::default()
    };
    write.commit().await.map_err(fault)?;
    let total = counts(&mut connection).await.map_err(fault)?;
    let published = total.iter().filter(|one| one.is_published);
    let progress = Progress::begin("reading texts", published.map(|one| one.count).sum());
    let mut newest = Newest::default();
    while let Some(reviews) = newest.next(&mut connection).await.map_err(fault)? {
        let analyses: Vec<_> = reviews
            .iter()
            .map(|review| analyze(&analyzer, review, Subject::of(review).hash()))
            .collect();
        let ids: Vec<&str> = reviews.iter().map(|review| review.id.as_str()).collect();
        let mut write = database.write_derived(&ids).await?;
        rebuilt.reviews += save(&mut write, &analyses).await.map_err(fault)?;
        write.commit().await.map_err(fault)?;
        for kept in &analyses {
            rebuilt.analysed += usize::from(kept.analysis.language.is_read());
            rebuilt.findings += kept.analysis.findings.len();
            rebuilt.mentions += kept.analysis.mentions.len();
        }
        progress.set(rebuilt.reviews);
    }
    progress.end();
    Ok(rebuilt)
}
