//! The command `reviews backup`: a consistent copy while the database is in use.

use std::path::{Path, PathBuf};

use anyhow::ensure;
use clap::Args;

use super::output::protect;
use super::report::{Exit, print_report, progress, watch};
use crate::config::DatabaseConfig;
use crate::storage::{Database, may_replace, unused_name};

/// Write a consistent copy of the database to a new file while the service runs
#[derive(Debug, Args)]
pub struct Backup {
    /// The file to write; created with mode 0600
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Overwrite FILE if it exists
    #[arg(long)]
    force: bool,
}

impl Backup {
    pub(super) async fn run(self, config: &DatabaseConfig) -> anyhow::Result<Exit> {
        let (address, name) = (config.address()?, self.file.display());
        let there = protect(&format!("FILE {name}"), &self.file, address.file())?;
        let is_there = there.is_some() || self.file.is_symlink();
        ensure!(
            self.force || !is_there,
            "{name} already exists; name another file, or overwrite it with --force"
        );
        ensure!(
            there.is_none_or(|there| there.is_file()),
            "{name} is not a file; name another one"
        );
        if is_there {
            may_replace(&self.file).await?;
        }
        let bytes = |path: &Path| path.metadata().map_or(0, |file| file.len());
        let bar = progress("copying", bytes(address.file()));
        let begun = unused_name(&self.file)?;
        let copying = Database::back_up(&address, &begun, &self.file);
        watch(bar, copying, || bytes(&begun)).await?;
        let bytes = self.file.metadata()?.len();
        Ok(print_report(&format!(
            "{name}: {bytes} bytes, readable only by you; `reviews restore {name}` replaces the database with it\n"
        )))
    }
}
