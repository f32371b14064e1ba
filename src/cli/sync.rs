//! The command `reviews sync`: lists and runs the entries of the operator's file.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{anyhow, ensure};
use chrono::{DateTime, SecondsFormat, Utc};
use chrono_tz::Tz;
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use sqlx::SqliteConnection;
use tokio_util::sync::CancellationToken;

use super::database::{existing_address, read};
use super::import::{Console, exit_of, summary};
use super::questions;
use super::report::{Exit, counted, explain_error, format_instant, format_lines};
use super::session::Session;
use crate::config::{DatabaseConfig, SyncConfig};
use crate::model::json::without_nulls;
use crate::storage::Opening;
use crate::storage::business::time_zone;
use crate::storage::sync::{SyncState, sync_states};
use crate::sync::{EntryRun, RunOptions, RunOutcome, SyncEntry, SyncError, SyncFile, SyncRunner};

/// Fetch reviews from other places on a schedule: a platform's API, a scraper, a published sheet. A file of yours says which
#[derive(Debug, Args)]
pub struct SyncCommand {
    #[command(subcommand)]
    command: SyncSubcommand,
}

#[derive(Debug, Subcommand)]
enum SyncSubcommand {
    List(List),
    Run(RunEntries),
}

/// List the entries of the file: schedule, last success, last failure with its reason, next run
#[derive(Debug, Args)]
struct List {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: SyncConfig,
}

/// Fetch entries now, also beside a running service
#[derive(Debug, Args)]
struct RunEntries {
    /// [default: all that are not held]
    #[arg(value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    options: RunOptions,
    #[command(flatten)]
    config: SyncConfig,
}

impl SyncCommand {
    pub(super) async fn run(
        self,
        config: &DatabaseConfig,
        session: &Session,
    ) -> anyhow::Result<Exit> {
        match self.command {
            SyncSubcommand::List(list) => list.run(config, session).await,
            SyncSubcommand::Run(run) => Box::pin(run.run(config, session)).await,
        }
    }
}

impl RunEntries {
    async fn run(self, config: &DatabaseConfig, session: &Session) -> anyhow::Result<Exit> {
        let address = existing_address(config)?;
        let sync = self.config.within(&session.environment);
        let list = EntryList::of(config, &sync).await?;
        let mut entries = list.entries;
        entries.retain(|(entry, _)| self.name.as_ref().is_none_or(|name| entry.name == *name));
        ensure!(
            !entries.is_empty(),
            "{} has no entry{} to fetch; `reviews sync list` lists them",
            SyncFile::path(&sync, address.file()).display(),
            (self.name.as_deref()).map_or_else(String::new, |name| format!(" {name}")),
        );
        let opening = Opening::open(&address).await?;
        let runner = SyncRunner::new(&opening.database, &session.clock, sync);
        let mut exit = Exit::Done;
        for (entry, state) in entries {
            if self.name.is_none() && state.is_held {
                let reason = waits_for(&entry, &state).unwrap_or_default();
                let _ = session.print_note(&format!("{}: {reason}", entry.name));
                exit = exit.max(Exit::SomeRejected);
                continue;
            }
            let ran = run_entry(&runner, &entry, &self.options, session).await;
            exit = exit.max(ran.unwrap_or_else(|error| {
                let reason = explain_error(&error);
                let _ =
                    session.print_note(&format!("error: {}: {}", entry.name, reason.trim_end()));
                Exit::Failed
            }));
        }
        drop(runner);
        opening.close(true).await?;
        Ok(exit)
    }
}

/// Runs an entry and prints its report.
///
/// # Errors
/// Why it failed.
async fn run_entry(
    runner: &SyncRunner,
    entry: &SyncEntry,
    options: &RunOptions,
    session: &Session,
) -> anyhow::Result<Exit> {
    let (stop, mut console) = (CancellationToken::new(), Console::new(session, None));
    let run = EntryRun {
        entry,
        options,
        is_scheduled: false,
        stop: &stop,
        ask: Some(&mut |draft| Ok(questions::complete_for_entry(draft, entry, session)?.format)),
        watch: &mut console,
    };
    let ran = runner.run_locked(run).await;
    console.finish(ran.is_ok())?;
    match ran {
        Ok(RunOutcome::Imported(report)) => {
            let text = summary(&report, options.dry_run);
            session.print_report(&format!("{}:\n{text}", entry.name));
            Ok(exit_of(&report))
        }
        Ok(RunOutcome::Unchanged | RunOutcome::Stopped) => Err(anyhow!("nothing was imported")),
        Err(SyncError::Failed {
            details: Some(details),
            ..
        }) => Err(anyhow!(details)),
        Err(error) => Err(error.into()),
    }
}

// The entries, for people and as JSON.

impl List {
    async fn run(self, config: &DatabaseConfig, session: &Session) -> anyhow::Result<Exit> {
        let sync = self.config.within(&session.environment);
        let list = EntryList::of(config, &sync).await?;
        if self.json {
            return session.print_result(&format!("{:#}\n", list.json(session.clock.now())));
        }
        let text = list.format();
        if text.is_empty() {
            return session.print_result(&format!(
                "No entries in {}; docs/guides/keep-reviews-fresh.md says how to write them.\n\
                 `reviews source` lists the sources of the reviews that are there.\n",
                SyncFile::path(&sync, &config.path()?).display()
            ));
        }
        session.print_result(&text)
    }
}

/// The entries of the file with their states.
pub(super) struct EntryList {
    entries: Vec<(SyncEntry, SyncState)>,
    /// The business's, in which times are shown.
    zone: Tz,
}

impl EntryList {
    async fn of(config: &DatabaseConfig, sync: &SyncConfig) -> anyhow::Result<Self> {
        let path = config.path()?;
        let list = async |reader: &mut SqliteConnection| Self::read(sync, &path, reader).await;
        read(config, list).await?.map_err(|fault| anyhow!(fault))
    }

    /// The entries, or what is wrong with their file.
    pub(super) async fn read(
        config: &SyncConfig,
        database: &Path,
        reader: &mut SqliteConnection,
    ) -> sqlx::Result<Result<Self, String>> {
        let entries = match SyncFile::read(config, database) {
            Ok(file) => file.map(|file| file.entries).unwrap_or_default(),
            Err(fault) => return Ok(Err(fault)),
        };
        let mut states = sync_states(reader).await?;
        let entries = entries.into_iter().map(|entry| {
            let mut state = states.remove(&entry.name).unwrap_or_default();
            state.gone = entry.count_gone(&state);
            (entry, state)
        });
        Ok(Ok(Self {
            entries: entries.collect(),
            zone: time_zone(reader).await?.unwrap_or_default(),
        }))
    }

    pub(super) fn json(&self, now: DateTime<Utc>) -> Value {
        let now = now.to_rfc3339_opts(SecondsFormat::Secs, true);
        let listed = self.entries.iter().map(|(entry, state)| {
            let total = state.total.zip(state.total_on.as_ref());
            without_nulls(json!({
                "name": entry.name, "source": source_of(entry, state), "url": entry.shown_url(), "schedule": entry.schedule.to_string(),
                "next_run_at": state.next_run_at.as_ref().unwrap_or(&now),
                "last_success_at": state.last_success_at, "last_failure": state.last_failure,
                "gone": (state.gone > 0).then_some(state.gone),
                "total": total.map(|(count, on)| json!({ "count": count, "on": on })),
                "held": state.is_held.then_some(true),
            }))
        });
        listed.collect()
    }

    pub(super) fn format(&self) -> String {
        let listed = self.entries.iter();
        let texts = listed.map(|(entry, state)| entry_text(entry, state, self.zone));
        texts.collect::<Vec<String>>().join("\n")
    }
}

fn source_of(entry: &SyncEntry, state: &SyncState) -> String {
    let entry_source = entry.source.clone().or_else(|| state.source.clone());
    entry_source.unwrap_or_else(|| entry.source_of(None))
}

/// Why the schedule does not fetch it, and what does, if anything.
fn waits_for(entry: &SyncEntry, state: &SyncState) -> Option<String> {
    let name = &entry.name;
    let advice = format!("`reviews sync run {name}` fetches it");
    if let Some(reason) = entry.find_former_source(state) {
        return Some(format!("held, because {reason}, then {advice}"));
    }
    let reason = match entry.reading() {
        Err(fault) => return Some(format!("fails: {fault}")),
        _ if state.is_held => "held, because a run of it was undone, or its source renamed",
        Ok((_, digest)) if state.last_import.entry_digest.as_ref() != Some(&digest) => {
            "never succeeded as it now stands"
        }
        Ok(_) => return None,
    };
    Some(format!("{reason}; {advice}"))
}

fn entry_text(entry: &SyncEntry, state: &SyncState, zone: Tz) -> String {
    let (name, source) = (&entry.name, source_of(entry, state));
    let last = &state.last_import;
    let instant = |at: &str| format_instant(at, zone);
    let next = state.next_run_at.as_deref().map_or("now".into(), instant);
    let next = waits_for(entry, state).unwrap_or(next);
    let success = state.last_success_at.as_deref();
    let mut success = success.map_or("never".into(), instant);
    for (count, kind) in [(last.doubtful, "doubtful"), (last.rejected, "rejected")] {
        if count > 0 {
            let noun = if count == 1 { "row" } else { "rows" };
            let _ = write!(success, ", {count} {kind} {noun}");
        }
    }
    let failure = state.last_failure.clone().unwrap_or_default();
    let mut lines = vec![
        ("  source", source.clone()),
        ("  schedule", entry.schedule.to_string()),
        ("  next run", next),
        ("  last success", success),
        ("  last failure", failure),
    ];
    if last.has_further_page {
        let reason = "the answer names a next page that nothing reads";
        lines.push(("  further page", reason.to_owned()));
    }
    if state.gone > 0 {
        let reviews = counted(state.gone.unsigned_abs(), "public review", "public reviews");
        let run = format!("`reviews sync run {name}");
        let advice = if last.doubtful > 0 {
            format!("{run} --doubtful new` or `--doubtful same` settles its doubtful rows first")
        } else {
            format!("{run} --withdraw-missing` withholds them if it has rows and rejects none")
        };
        lines.push((
            "  gone",
            format!("{reviews} that the newest run lacks; {advice}"),
        ));
    }
    if let (Some(total), Some(on)) = (state.total, &state.total_on) {
        lines.push(("  total", format!("{source} says {total} ({on})")));
    }
    format!(
        "{name}: {}\n{}",
        entry.shown_url(),
        format_lines(16, &lines)
    )
}
