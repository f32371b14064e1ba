//! When reviews changed that somebody else wrote: stored by the publisher before it shows the change (CONTRACT §2). Apart
//! from what imports write, because it is no change of a review: no trigger fires and no change number moves.

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};
use sqlx::{Sqlite, Transaction};

/// A change of somebody else's that the publisher has seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// Of the review with this number.
    pub review_no: i64,
    /// When; nothing where nothing visible changed, or the writer gave a new review its own instant.
    pub observed_at: Option<DateTime<Utc>>,
}

/// Stores what was observed of reviews as they were at `change_no`. How many were still to be observed: fewer than there
/// are where another process was first, or somebody changed them once more.
///
/// # Errors
/// When the database refuses it.
pub async fn observe(
    write: &mut Transaction<'static, Sqlite>,
    observations: &[Observation],
    change_no: i64,
) -> sqlx::Result<usize> {
    let row = |one: &Observation| {
        let at = one
            .observed_at
            .map(|at| at.to_rfc3339_opts(SecondsFormat::AutoSi, true));
        json!([one.review_no, at])
    };
    let rows = Value::Array(observations.iter().map(row).collect()).to_string();
    let stored = sqlx::query!(
        "update review_change set bound_change_no = change_no, observed_at = coalesce(seen.value ->> 1, observed_at)
         from json_each(?1) as seen
         where review_no = seen.value ->> 0 and change_no <= ?2 and bound_change_no is not change_no",
        rows,
        change_no
    )
    .execute(&mut **write)
    .await?;
    Ok(usize::try_from(stored.rows_affected()).unwrap_or(usize::MAX))
}
