//! The commands `reviews backup`, a consistent copy while the database is in use, and `reviews restore`, which replaces the
//! database by one.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::ensure;
use clap::Args;

use super::output::protect;
use super::report::{Exit, counted};
use super::session::Session;
use super::source::format_reverted;
use crate::clock::Clock;
use crate::config::{ConfigError, DatabaseConfig};
use crate::model::text::quote_for_shell;
use crate::storage::reviews::position;
use crate::storage::{Carried, Database, DbError, ExclusiveAccess, Opening, may_replace, verify};

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
    pub(super) async fn run(
        self,
        config: &DatabaseConfig,
        session: &Session,
    ) -> anyhow::Result<Exit> {
        let address = config.address()?;
        let name = self.file.display();
        let flag = format!("FILE {name}");
        let (file, there) = protect(&flag, &self.file, address.file(), &session.environment)?;
        let is_there = there.is_some() || file.is_symlink();
        ensure!(
            self.force || !is_there,
            "{name} already exists; name another file, or overwrite it with --force"
        );
        ensure!(
            there.is_none_or(|there| there.is_file()),
            "{name} is not a file; name another one"
        );
        if is_there {
            may_replace(&file).await?;
        }
        Database::back_up(&address, &file).await?;
        let bytes = file.metadata()?.len();
        Ok(session.print_report(&format!(
            "{name}: {bytes} bytes, readable only by you; `reviews restore {name}` replaces the file of a database with it\n"
        )))
    }
}

/// Replace the database with a backup; reviews deleted, anonymized or withheld since then stay so
#[derive(Debug, Args)]
pub struct RestoreCommand {
    /// A file that `reviews backup` wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
}

impl RestoreCommand {
    pub(super) async fn run(
        self,
        config: &DatabaseConfig,
        session: &Session,
    ) -> anyhow::Result<Exit> {
        let address = config.address()?;
        let path = address.own_file().ok_or(ConfigError::RestoreOfCluster)?;
        let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let name = self.file.display();
        let flag = format!("FILE {name}");
        let (file, _) = protect(&flag, &self.file, path, &session.environment)?;
        may_replace(path).await?;
        let prepared = Opening::of_backup(&file, &place).await?;
        let reviews = verify_copy(&prepared, &file).await?;
        if !self.yes && session.can_ask() {
            let reviews = counted(reviews.unsigned_abs(), "review", "reviews");
            let former = read_lineage(path).await;
            let mut other = "";
            if former.is_some() && former != read_lineage(prepared.database.path()).await {
                other = " It is a backup of another database.";
            }
            let question = format!(
                "{name} has {reviews}.{other} Replace {} with it?",
                path.display()
            );
            if !session.confirm(&question)? {
                return Ok(session.print_report("nothing was changed\n"));
            }
        }
        // One may have started meanwhile.
        may_replace(path).await?;
        let mut alone = None;
        let carried = match carry_over(&prepared, path, &session.clock, &mut alone).await {
            Err(
                error @ (DbError::Damaged { .. }
                | DbError::NotADatabase(_)
                | DbError::OtherVersion { .. }),
            ) => Carried {
                unreadable: Some(error.to_string()),
                ..Carried::default()
            },
            carried => carried?,
        };
        let kept = prepared.put_in_place(path, session.clock.now()).await?;
        drop(alone);
        let report = format_report(path, &self.file, kept.as_deref(), &carried);
        Ok(session.print_report(&report))
    }
}

/// The number of reviews in the copy of a backup; an error if it has faults.
async fn verify_copy(prepared: &Opening, backup: &Path) -> anyhow::Result<i64> {
    let mut reader = prepared.database.reader().await?;
    let verified = verify(&mut reader, backup).await?;
    ensure!(
        verified.wrong.is_empty(),
        "the backup {} is damaged, and nothing was changed: {}; restore another one",
        backup.display(),
        verified.wrong.join("; ")
    );
    Ok(verified.reviews)
}

/// The ID of the database that its backups have, too; `None` if it cannot be read, which is reported when it is replaced.
async fn read_lineage(path: &Path) -> Option<String> {
    let readers = Database::open_read_only(path).await.ok()?;
    let position = position(&mut *readers.acquire().await.ok()?).await.ok()?;
    readers.close().await;
    Some(position.lineage)
}

/// Locks the former database for this process, and carries over to the copy the data that must not be reverted.
async fn carry_over(
    prepared: &Opening,
    path: &Path,
    clock: &Clock,
    alone: &mut Option<ExclusiveAccess>,
) -> Result<Carried, DbError> {
    if !path.exists() {
        return Ok(Carried::default());
    }
    // Migrates it, so that its tables equal those of the copy.
    let (database, _) = Database::open(path).await?;
    database.close().await;
    *alone = Some(ExclusiveAccess::take(path).await?);
    let carried = prepared.database.carry_over(path, clock.now()).await?;
    prepared.database.erase_traces(u64::MAX).await?;
    Ok(carried)
}

/// Where the format of a source is that the backup has not.
const LATER: &str =
    "; `reviews --database PREVIOUS source format NAME` shows it in the previous file";

fn format_report(path: &Path, backup: &Path, kept: Option<&Path>, carried: &Carried) -> String {
    let mut text = format!("{}: restored from {}\n", path.display(), backup.display());
    if let Some(reason) = &carried.unreadable {
        let _ = writeln!(
            text,
            "warning: the previous file could not be read, so reviews deleted, anonymized or withheld since the backup may be back; check \
             `reviews list`: {reason}"
        );
    }
    if carried.is_other {
        text += "note: the previous file was another database, so its decisions and subscriptions were not carried over\n";
    }
    for (count, action) in [
        (carried.deleted, "deleted"),
        (carried.anonymized, "anonymized"),
        (carried.withheld, "withheld"),
    ] {
        if count > 0 {
            let _ = writeln!(text, "{count} {action} again, as after the backup");
        }
    }
    if carried.subscriptions > 0 {
        let kept = counted(carried.subscriptions, "subscription", "subscriptions");
        let _ = writeln!(text, "{kept} kept");
    }
    for (former, name) in &carried.renamed {
        let [old, new] = [name, former].map(|name| quote_for_shell(name));
        let _ = writeln!(
            text,
            "note: the source {former} is named {name} again; import its files with --source {old}, or first run \
             `reviews source rename {old} {new}`"
        );
    }
    if !carried.lacking.is_empty() {
        let lacking = carried.lacking.iter();
        let lacking = lacking.map(|(name, count)| format!("{name} ({count})"));
        let lacking = lacking.collect::<Vec<_>>().join(", ");
        let _ = writeln!(
            text,
            "as in the backup again, without what changed since: {lacking}; what a source has hidden since may be public until its \
             next import"
        );
    }
    if carried.shows_staff {
        text += "warning: publish_staff is \"full\" again, which was \"off\"; set it with `reviews business FILE`\n";
    }
    if let Some(kept) = kept {
        text += &format_reverted(&carried.formats, "is read as in the backup again", LATER);
        let _ = writeln!(
            text,
            "the previous file is kept as {}, readable only by you; remove it when you do not need it, and {}, which has what was \
             deleted since",
            kept.display(),
            backup.display()
        );
    }
    text +=
        "next: `reviews serve` publishes it and sends the current state to the subscribers again\n";
    text
}
