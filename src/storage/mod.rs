//! The database: one writer, read-only readers of its file, embedded migrations, and detection of foreign writes. The
//! writer is the file's own connection or, on many nodes, a cluster (`cluster`).
//!
//! All SQL and all connections are here and in the modules' `store`.

/// Runs a statement that the compiler checks; its arguments are those of `query!`.
macro_rules! execute {
    ($write:expr, $($query:tt)+) => {
        sqlx::query!($($query)+).execute(&mut *$write).await.map(drop)
    };
}

mod backup;
pub mod business;
mod cluster;
mod columns;
mod database;
mod erase;
mod error;
mod files;
mod locks;
pub mod reviews;
mod schema;
mod state;
mod steps;
pub mod sync;
mod text_index;
pub mod transparency;
mod verify;
mod write;

pub use backup::{Carried, ExclusiveAccess, may_replace};
pub use columns::{Text, instant_or_epoch, utc_milliseconds, utc_seconds};
pub use database::{Changes, Database, LOG_BYTES_MAX, Opening, sqlite_version};
pub use erase::{Erased, REWRITE_AT_ONCE_MAX, unerased};
pub use error::{AtPath, DbError, is_overtaken};
pub(crate) use execute;
pub use files::{
    DELIVERY_LOCK, files, has_sender, lock_beside, remove_unfinished, temporary_folder, unused_name,
};
pub use locks::EntryLock;
pub use schema::Migrated;
pub use state::DatabaseState;
pub use verify::{FAULTS_SHOWN, FileVerification, LIKE_FAULTS, first_faults, unpublished, verify};
pub use write::Write;
