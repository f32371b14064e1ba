//! The command `reviews migrate`.

use clap::Args;

use super::report::{Exit, print_report};
use crate::config::DatabaseConfig;
use crate::storage::{COMMAND_WAIT_MAX, Database, Migrated};

/// Bring the database up to date and list the applied migrations
#[derive(Debug, Args)]
pub struct Migrate {}

impl Migrate {
    pub(super) async fn run(self, database: &DatabaseConfig) -> anyhow::Result<Exit> {
        let address = database.address()?;
        let (database, migrated) = Database::open_at(&address, COMMAND_WAIT_MAX).await?;
        database.close().await;
        Ok(print_report(&format!(
            "{}\n{}",
            address.file().display(),
            format_report(&migrated)
        )))
    }
}

/// The applied migrations, one per line.
fn format_report(migrated: &Migrated) -> String {
    if migrated.applied.is_empty() {
        return format!("up to date: {} migrations\n", migrated.total);
    }
    format!("applied {}\n", migrated.applied.join("\napplied "))
}
