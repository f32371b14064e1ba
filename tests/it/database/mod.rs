//! The database file when it is not as it should be: every fault has its own message, none makes it
//! worse, and what can be published is.

mod file;
mod foreign;
mod log;
mod moved;
mod retried;
mod rows;
mod schema;
mod trouble;

use std::fs;
use std::path::Path;

use reviews_service::storage::{Database, DbError};

/// The fault that opening this file meets, for writing and for reading.
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

/// A database of this version at `path`, closed again.
async fn make(path: &Path) {
    let (database, _) = Database::open(path).await.unwrap();
    database.close().await;
}

/// The names of the files in this folder.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
