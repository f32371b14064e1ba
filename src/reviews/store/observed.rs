//! When reviews changed that somebody else wrote: stored by the publisher before it shows the change (CONTRACT §2). Apart
//! from what imports write, because it is no change of a review: no trigger fires and no change number moves.

use crate::db::Write;
use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

/// A change of somebody else's that the publisher has seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// Of the review with this number.
    pub review_no: i64,
    /// When; nothing where nothing visible changed, or the writer gave a new review its own instant.
    pub observed_at: Option<DateTime<Utc>>,
}

/// Stores what was observed of reviews as they were at `change_no`; a review that changed once more since is left for the
/// snapshot that shows that. Fails as overtaken ([`crate::db::is_overtaken`]) where another process was first.
///
/// # Errors
/// When the database refuses it.
pub async fn observe(
    write: &mut Write,
    observations: &[Observation],
    change_no: i64,
) -> sqlx::Result<()> {
    let row = |one: &Observation| {
        let at = one
            .observed_at
            .map(|at| at.to_rfc3339_opts(SecondsFormat::AutoSi, true));
        json!([one.review_no, at])
    };
    let rows = Value::Array(observations.iter().map(row).collect()).to_string();
    let values = [Value::from(rows.as_str()), Value::from(change_no)];
    write
        .guard(
            "not exists (select 1 from json_each(?1) as seen join review_change as c on c.review_no = seen.value ->> 0
              where c.change_no <= ?2 and c.bound_change_no is c.change_no)",
            &values,
        )
        .await?;
    sqlx::query!(
        "update review_change set bound_change_no = change_no, observed_at = coalesce(seen.value ->> 1, observed_at)
         from json_each(?1) as seen
         where review_no = seen.value ->> 0 and change_no <= ?2 and bound_change_no is not change_no",
        rows,
        change_no
    )
    .execute(&mut **write)
    .await
    .map(drop)
}
