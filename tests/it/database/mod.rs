//! Faults of the database file: each has its own message, none causes further damage, and valid rows are published.

mod file;
mod foreign;
mod log;
mod moved;
mod older;
mod retried;
mod rows;
mod schema;
mod trouble;

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::{fs, io};

use flate2::read::GzDecoder;
use reviews_service::config::Hosts;
use reviews_service::model::ReviewId;
use reviews_service::storage::{
    Database, DbError, FileVerification, LOG_BYTES_MAX, reviews, verify,
};
use serde_json::json;
use sqlx::migrate::Migrator;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, Connection, Executor, SqlitePool};

use crate::process::Home;
use crate::support::{
    Generator, Logs, TestApp, assert_has, check_in_step, connect, links, publications, service_on,
    sqlite3, start, table,
};

/// The error of opening this file for writing, which must be that for reading too.
async fn faults(path: &Path) -> (DbError, DbError) {
    let write = Database::open(path)
        .await
        .err()
        .unwrap_or_else(|| panic!("{} opens", path.display()));
    let read = Database::open_read_only(path)
        .await
        .err()
        .unwrap_or_else(|| panic!("{} opens for reading", path.display()));
    (write, read)
}

/// Creates a database of this version at `path` and closes it.
async fn make(path: &Path) {
    let (database, _) = Database::open(path).await.unwrap();
    database.close().await;
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
