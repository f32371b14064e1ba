//! `reviews check`.

use std::path::Path;

use clap::Args;

use super::{Outcome, say};
use crate::config::DatabaseConfig;
use crate::db::{Database, DbError, Verified, verify};
use crate::reviews::store;

/// How many rows that break the checks are told one by one.
const TOLD_MAX: usize = 20;

/// Verify the database, changing nothing: integrity, and the text index in step with the reviews
#[derive(Debug, Args)]
pub struct Check {}

impl Check {
    pub(super) async fn run(self, database: &DatabaseConfig) -> anyhow::Result<Outcome> {
        let path = database.path()?;
        let fault = |error| DbError::at(&path, error);
        let readers = Database::open_read_only(&path).await?;
        let mut connection = readers.acquire().await.map_err(fault)?;
        let mut verified = verify(&mut connection).await.map_err(fault)?;
        let unreadable = store::unreadable(&mut connection, TOLD_MAX).await.map_err(fault)?;
        let sentence = |id| format!("reviews: {id} breaks the table's checks and is left out; correct or delete it");
        verified.wrong.extend(unreadable.into_iter().map(sentence));
        drop(connection);
        readers.close().await;
        let is_sound = verified.wrong.is_empty();
        say(&told(&path, verified))?;
        Ok(if is_sound { Outcome::Done } else { Outcome::Failed })
    }
}

fn told(path: &Path, verified: Verified) -> String {
    let Verified { reviews, wrong, behind } = verified;
    let mut lines = vec![format!("{}: {reviews} reviews", path.display())];
    lines.extend(behind.into_iter().map(|sentence| format!("behind  {sentence}")));
    let end = match wrong.as_slice() {
        [] => "ok      integrity, reviews, text index, publications",
        _ => "Keep a copy of the file; then restore a backup, or export with `sqlite3` and import into a new one.",
    };
    lines.extend(wrong.into_iter().map(|sentence| format!("wrong   {sentence}")));
    lines.push(format!("{end}\n"));
    lines.join("\n")
}
