//! `reviews check`.

use clap::Args;

use super::Outcome;
use crate::config::DatabaseConfig;
use crate::db::{Database, DbError, verify};

/// Verify the database, changing nothing: integrity, and the text index in step with the reviews
#[derive(Debug, Args)]
pub struct Check {}

impl Check {
    pub(super) async fn run(self, database: &DatabaseConfig) -> anyhow::Result<Outcome> {
        let path = database.path()?;
        let fault = |error| DbError::at(&path, error);
        let readers = Database::open_read_only(&path).await?;
        let mut connection = readers.acquire().await.map_err(fault)?;
        let verified = verify(&mut connection).await.map_err(fault)?;
        drop(connection);
        readers.close().await;
        println!("{}: {} reviews", path.display(), verified.reviews);
        verified.behind.iter().for_each(|sentence| println!("behind  {sentence}"));
        verified.wrong.iter().for_each(|sentence| println!("wrong   {sentence}"));
        if verified.wrong.is_empty() {
            println!("ok      integrity, text index, publications");
            return Ok(Outcome::Done);
        }
        println!("Keep a copy of the file; then restore a backup, or export with `sqlite3` and import into a new one.");
        Ok(Outcome::Failed)
    }
}
