//! The service runs the entries that are due, and looks whether their file has changed.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::client::SyncError;
use super::file::{SyncEntry, SyncFile};
use super::run::{EntryRun, RunOptions, SyncRunner, is_due};
use crate::clock::Monotonic;
use crate::compute::lock;
use crate::imports::Watch;
use crate::metrics::{self, figure};
use crate::storage::business::time_zone;
use crate::storage::sync::{SyncState, note_removed, sync_states};
use crate::storage::{AtPath as _, DbError, instant_or_epoch};

/// Entries that are fetched at the same time.
const CONCURRENT_RUNS_MAX: usize = 8;
/// Between two looks at the file.
const LOOK_INTERVAL: Duration = Duration::from_secs(30);

pub struct EntryScheduler {
    pub runner: SyncRunner,
    places: Semaphore,
    file: Mutex<FileInForce>,
    /// The names and digests of the entries of which the log says that they wait for a first run by hand.
    announced: Mutex<HashSet<String>>,
}

/// The file as it was last read without a fault.
#[derive(Default)]
struct FileInForce {
    looked_at: Option<Monotonic>,
    file: Option<Arc<SyncFile>>,
    fault: Option<String>,
}

/// Watches a run only for the stop.
struct Unwatched<'s>(&'s CancellationToken);

impl Watch for Unwatched<'_> {
    fn is_stopped(&self) -> bool {
        self.0.is_cancelled()
    }
}

impl EntryScheduler {
    pub fn new(runner: SyncRunner) -> Self {
        metrics::SYNC_CONFIG_OK.gauge(&[]).set(1.0);
        Self {
            runner,
            places: Semaphore::new(CONCURRENT_RUNS_MAX),
            file: Mutex::default(),
            announced: Mutex::default(),
        }
    }

    /// Runs what is due, until `stop`; returns whether there was any. What finds no place is due at the next call, too.
    pub async fn run_once(&self, stop: &CancellationToken) -> Result<bool, DbError> {
        let file = self.look_at_file();
        let entries = file.as_ref().map_or(&[][..], |file| &file.entries);
        let (database, now) = (&self.runner.database, self.runner.clock.now());
        let (path, mut reader) = (database.path(), database.reader().await?);
        let states = sync_states(&mut reader).await.at(path)?;
        let zone = time_zone(&mut reader).await.at(path)?.unwrap_or_default();
        drop(reader);
        self.measure(entries, &states);
        let names: HashSet<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
        let mut all = states.iter();
        if file.is_some() && all.any(|(name, it)| it.is_removed == names.contains(name.as_str())) {
            let mut write = database.write().await?;
            note_removed(&mut write, names).await.at(path)?;
            write.commit().await.at(path)?;
        }
        let none = SyncState::default();
        let due = entries.iter().filter(|entry| {
            let state = states.get(&entry.name).unwrap_or(&none);
            !state.is_held && is_due(entry, state, now, zone) && self.may_run(entry, state)
        });
        let due: Vec<&SyncEntry> = due.collect();
        let runs = due.iter().map(|entry| self.run_entry(entry, stop));
        Box::pin(future::join_all(runs)).await;
        Ok(!due.is_empty())
    }

    /// Whether the entry succeeded as it now stands; the log names the command of one that did not. One whose format cannot be read
    /// may run, and fails.
    fn may_run(&self, entry: &SyncEntry, state: &SyncState) -> bool {
        let Ok((_, digest)) = entry.reading() else {
            return true;
        };
        if state.last_import.entry_digest.as_ref() == Some(&digest) {
            return true;
        }
        let name = &entry.name;
        if lock(&self.announced).insert(format!("{name} {digest}")) {
            tracing::warn!(
                entry = name,
                "sync.first_run: the entry never succeeded as it now stands; `reviews sync run {name}` runs it first"
            );
        }
        false
    }

    /// The file in force. It is read again after [`LOOK_INTERVAL`]; a faulty one changes nothing.
    fn look_at_file(&self) -> Option<Arc<SyncFile>> {
        let now = self.runner.clock.monotonic();
        let mut in_force = lock(&self.file);
        if (in_force.looked_at).is_some_and(|at| now - at < LOOK_INTERVAL) {
            return in_force.file.clone();
        }
        in_force.looked_at = Some(now);
        let fault = match SyncFile::read(&self.runner.config, self.runner.database.path()) {
            Ok(file) => {
                in_force.file = Some(Arc::new(file.unwrap_or_default()));
                None
            }
            Err(fault) => Some(fault),
        };
        let is_ok = if fault.is_none() { 1.0 } else { 0.0 };
        metrics::SYNC_CONFIG_OK.gauge(&[]).set(is_ok);
        if fault != in_force.fault {
            if let Some(fault) = &fault {
                let consequence = match in_force.file {
                    Some(_) => "the entries stay as they were last read",
                    None => "nothing is fetched",
                };
                tracing::error!("sync.file_faulty: {consequence}: {fault}");
            }
            in_force.fault = fault;
        }
        in_force.file.clone()
    }

    async fn run_entry(&self, entry: &SyncEntry, stop: &CancellationToken) {
        let Ok(_place) = self.places.try_acquire() else {
            return;
        };
        let options = RunOptions::default();
        let run = EntryRun {
            entry,
            options: &options,
            is_scheduled: true,
            stop,
            ask: None,
            watch: &mut Unwatched(stop),
        };
        match self.runner.run_locked(run).await {
            // A command may run it now.
            Ok(_) | Err(SyncError::Running) => {}
            Err(SyncError::Database(error)) => {
                tracing::error!(
                    entry = entry.name,
                    %error,
                    "sync.not_recorded: the outcome of a run could not be stored"
                );
            }
            Err(error) => {
                tracing::warn!(
                    entry = entry.name,
                    %error,
                    "sync.failed: an entry could not be fetched; it is tried again on its schedule"
                );
            }
        }
    }

    /// Removes the gauges of a process that no longer fetches.
    pub fn forget_measures(&self) {
        self.measure(&[], &BTreeMap::new());
        metrics::SYNC_CONFIG_OK.gauge(&[]).set(1.0);
        lock(&self.file).looked_at = None;
    }

    /// Sets the gauges of the entries, and removes those of others.
    fn measure(&self, entries: &[SyncEntry], states: &BTreeMap<String, SyncState>) {
        for metric in [
            metrics::SYNC_LAST_SUCCESS,
            metrics::SYNC_DOUBTFUL,
            metrics::SYNC_GONE,
        ] {
            metric.remove_gauges();
        }
        let (now, none) = (self.runner.clock.now(), SyncState::default());
        for entry @ SyncEntry { name, .. } in entries {
            for outcome in metrics::SYNC_OUTCOMES {
                metrics::SYNC_RUNS.counter(&[name, outcome]);
            }
            let state = states.get(name).unwrap_or(&none);
            let success = state.last_success_at.as_deref().map(instant_or_epoch);
            let seconds = success.map_or(0, |at| at.min(now).timestamp().unsigned_abs());
            for (metric, number) in [
                (metrics::SYNC_LAST_SUCCESS, seconds),
                (metrics::SYNC_DOUBTFUL, state.last_import.doubtful),
                (metrics::SYNC_GONE, entry.count_gone(state).unsigned_abs()),
            ] {
                metric.gauge(&[name]).set(figure(number));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use chrono::{DateTime, TimeDelta};

    use super::*;
    use crate::clock::Clock;
    use crate::config::SyncConfig;
    use crate::storage::Database;

    #[tokio::test]
    async fn faulty_file_changes_nothing_until_it_is_mended() {
        let folder = tempfile::tempdir().unwrap();
        let (database, _) = Database::open(&folder.path().join("reviews.db"))
            .await
            .unwrap();
        let clock = Clock::manual(DateTime::UNIX_EPOCH + TimeDelta::days(20_000));
        let runner = SyncRunner::new(&database, &clock, SyncConfig::default());
        let scheduler = EntryScheduler::new(runner);
        let path = folder.path().join("reviews.sync.toml");
        let names = || -> Vec<String> {
            let file = scheduler.look_at_file();
            let entries = file.iter().flat_map(|file| &file.entries);
            entries.map(|entry| entry.name.clone()).collect()
        };
        assert_eq!(names(), [""; 0]);
        fs::write(&path, "[a]\nurl = 'https://a.test'\n").unwrap();
        assert_eq!(names(), [""; 0], "looked at every 30 s");
        for (text, expected) in [
            ("[a]\nurl = 'https://a.test'\n", &["a"][..]),
            ("[b]\nurl = https\n", &["a"]),
            (
                "[b]\nurl = 'https://a.test'\n[c]\nurl = 'https://a.test'\n",
                &["b", "c"],
            ),
        ] {
            fs::write(&path, text).unwrap();
            clock.advance(TimeDelta::seconds(30));
            assert_eq!(names(), expected, "{text}");
        }
        fs::remove_file(&path).unwrap();
        clock.advance(TimeDelta::seconds(30));
        assert_eq!(names(), [""; 0]);
        // What a removed entry's source last said of its number of reviews is shown no longer.
        let shell = rusqlite::Connection::open(database.path()).unwrap();
        let removed = "select removed from sync_state";
        (shell.execute("insert into sync_state (name) values ('c')", [])).unwrap();
        scheduler.run_once(&CancellationToken::new()).await.unwrap();
        let removed = shell.query_one(removed, [], |row| row.get::<_, bool>(0));
        assert!(removed.unwrap());
    }
}
