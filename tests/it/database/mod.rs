//! Faults of the database file: each has its own message, none causes further damage, and valid rows are published.

mod file;
mod locks_and_full_disks;
mod missing_files;
mod plans;
mod publication_retries;
mod slow;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use reviews_service::config::Hosts;
use reviews_service::storage::{
    Database, DbError, FileVerification, LOG_BYTES_MAX, reviews, verify,
};
use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, Executor};

use crate::commands::Home;
use crate::process::ServingProcess;
use crate::support::{
    Generator, Logs, TestApp, assert_has, check_in_step, connect, links, service_on, sqlite3,
    start, table,
};

/// The errors of opening this file for writing and for reading.
async fn faults(path: &Path) -> [DbError; 2] {
    let write = Database::open(path).await.err();
    let read = Database::open_read_only(path).await.err();
    [write, read].map(|error| error.unwrap_or_else(|| panic!("{} opens", path.display())))
}

/// Opens the file as `reviews check` does, and verifies it.
async fn check(path: &Path) -> FileVerification {
    let readers = Database::open_read_only(path).await.unwrap();
    let verified = verify(&mut readers.acquire().await.unwrap(), path).await;
    readers.close().await;
    verified.unwrap()
}

/// Creates a database of this version at `path` and closes it.
async fn make(path: &Path) {
    let (database, _) = Database::open(path).await.unwrap();
    database.close().await;
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}
