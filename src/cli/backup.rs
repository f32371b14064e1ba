//! `reviews backup`: a consistent copy while others use the database.

use std::path::PathBuf;

use anyhow::ensure;
use clap::Args;

use super::{Outcome, report_done};
use crate::config::DatabaseConfig;
use crate::storage::Database;

/// Copy the database into a new file, of one state, while it is in use
#[derive(Debug, Args)]
pub struct Backup {
    /// The copy; must not be there yet
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl Backup {
    pub(super) async fn run(self, config: &DatabaseConfig) -> anyhow::Result<Outcome> {
        let name = self.file.display();
        ensure!(
            !self.file.exists() && !self.file.is_symlink(),
            "{name} is there already, and a backup writes over nothing; name another file"
        );
        Database::back_up_from(&config.address()?, &self.file).await?;
        let bytes = self.file.metadata()?.len();
        report_done(&format!(
            "{name}: {bytes} bytes, readable by you alone; put it in the database's place to restore it\n"
        ));
        Ok(Outcome::Done)
    }
}
