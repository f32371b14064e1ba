//! By what a command notices that another process wrote since it read.

use serde::Deserialize;
use sqlx::SqliteConnection;

/// The state of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct DatabaseState {
    /// The newest change of a review.
    pub change_no: i64,
    /// Number of the last write of an owner's command.
    pub owner_writes: i64,
    /// The newest migration.
    pub version: i64,
}

impl DatabaseState {
    /// A JSON array of the fields.
    pub const SELECT: &str = "select json_array((select coalesce(max(change_no), 0) from review_change), \
                              (select owner_writes from instance), (select max(version) from _sqlx_migrations))";

    /// The state of a file, or of a transaction on it.
    pub async fn of(connection: &mut SqliteConnection) -> sqlx::Result<Self> {
        let state: String = sqlx::query_scalar(Self::SELECT)
            .fetch_one(connection)
            .await?;
        serde_json::from_str(&state).map_err(|error| sqlx::Error::Decode(error.into()))
    }

    /// Whether this is as new as `other`, or newer.
    pub const fn has_reached(self, other: Self) -> bool {
        self.change_no >= other.change_no
            && self.owner_writes >= other.owner_writes
            && self.version >= other.version
    }
}
