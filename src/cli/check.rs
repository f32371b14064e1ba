//! `reviews check`.

use std::path::Path;

use clap::Args;
use sqlx::SqliteConnection;

use super::init::remarks;
use super::{Outcome, say};
use crate::config::{DatabaseConfig, TradeConfig};
use crate::insights::{Analyzer, Engines, Subject, store as insights};
use crate::snapshot::analyze;
use crate::storage;
use crate::storage::reviews;
use crate::storage::{Database, DbError, FileVerification, lacking_room, unerased, verify};

/// How many rows that break the checks are told one by one.
const TOLD_MAX: usize = 20;

/// Verify the database, changing nothing: schema, integrity, and text index and insights in step with the reviews
#[derive(Debug, Args)]
pub struct Check {
    #[command(flatten)]
    trade: TradeConfig,
}

impl Check {
    pub(super) async fn run(self, database: &DatabaseConfig) -> anyhow::Result<Outcome> {
        let (path, engines) = (database.path()?, super::insights::load(&self.trade)?);
        let fault = |error| DbError::at(&path, error);
        let readers = Database::open_read_only(&path).await?;
        let mut connection = readers.acquire().await.map_err(fault)?;
        let mut verified = verify(&mut connection).await.map_err(fault)?;
        if verified.is_readable {
            let unreadable = reviews::unreadable(&mut connection, TOLD_MAX)
                .await
                .map_err(fault)?;
            let sentence = |(id, flaw)| format!("reviews: {id} {flaw}");
            verified.wrong.extend(unreadable.into_iter().map(sentence));
            verify_insights(&mut connection, &engines, &mut verified)
                .await
                .map_err(fault)?;
            let unerased = unerased(&mut connection).await.map_err(fault)?.count;
            if unerased > 0 {
                let room = lacking_room(&path)?
                    .map_or_else(String::new, |why| format!(": {why}; free some first"));
                verified.behind.push(format!(
                    "erasure: unused parts of the file may still have what {unerased} deleted reviews said; a running `reviews serve` \
                     erases that within an hour{room}"
                ));
            }
        }
        let business = if verified.is_readable {
            storage::business::find(&mut connection)
                .await
                .map_err(fault)?
        } else {
            None
        };
        drop(connection);
        readers.close().await;
        let is_sound = verified.wrong.is_empty();
        let notes = business.as_ref().map(remarks).unwrap_or_default();
        say(&told(&path, verified, notes))?;
        Ok(if is_sound {
            Outcome::Done
        } else {
            Outcome::Failed
        })
    }
}

fn told(path: &Path, verified: FileVerification, notes: Vec<String>) -> String {
    let FileVerification {
        reviews,
        is_readable,
        wrong,
        behind,
    } = verified;
    let reviews = if is_readable {
        format!("{reviews} reviews")
    } else {
        "the reviews cannot be looked at".to_owned()
    };
    let mut lines = vec![format!("{}: {reviews}", path.display())];
    lines.extend(
        behind
            .into_iter()
            .map(|sentence| format!("behind  {sentence}")),
    );
    lines.extend(
        notes
            .into_iter()
            .map(|note| format!("note    business: {note}")),
    );
    let end = match wrong.as_slice() {
        [] => "ok      schema, integrity, reviews, text index, insights, publications",
        _ => {
            "Keep a copy of the file; then restore a backup, or export with `sqlite3` and import into a new one."
        }
    };
    lines.extend(
        wrong
            .into_iter()
            .map(|sentence| format!("wrong   {sentence}")),
    );
    lines.push(format!("{end}\n"));
    lines.join("\n")
}

/// Reads every published review once more, and holds what is kept against it.
async fn verify_insights(
    connection: &mut SqliteConnection,
    engines: &Engines,
    verified: &mut FileVerification,
) -> sqlx::Result<()> {
    let business = storage::business::find(&mut *connection)
        .await?
        .unwrap_or_default();
    let analyzer = Analyzer::new(&business, &engines.of(&business));
    let (mut newest, mut behind, mut wrong) = (reviews::Newest::default(), 0, Vec::new());
    while let Some(reviews) = newest.next(&mut *connection).await? {
        let derived: Vec<_> = reviews
            .iter()
            .map(|review| analyze(&analyzer, review, Subject::of(review).hash()))
            .collect();
        for (one, verdict) in derived
            .iter()
            .zip(insights::verify(&mut *connection, &derived).await?)
        {
            match verdict {
                insights::StoredAnalysisState::Right => {}
                insights::StoredAnalysisState::Behind => behind += 1,
                insights::StoredAnalysisState::Wrong => wrong.push(one.id.clone()),
            }
        }
    }
    if behind > 0 {
        verified.behind.push(format!(
            "insights: {behind} reviews are still to be read; a running `reviews serve` does it"
        ));
    }
    let stray = insights::stray(connection).await?;
    let mend = "`reviews insights rebuild` derives them anew";
    if stray > 0 {
        verified.wrong.push(format!(
            "insights: {stray} readings are of no review that appears; {mend}"
        ));
    }
    let sentence =
        |id: String| format!("insights: {id} has findings other than its text gives; {mend}");
    verified
        .wrong
        .extend(wrong.into_iter().take(TOLD_MAX).map(sentence));
    Ok(())
}
