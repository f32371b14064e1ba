//! The search's only SQL query: the reviews with given trigrams, and the newest change in the index.

use sqlx::SqliteConnection;

use crate::storage::Text;

/// One read transaction, so all fields are from the same moment.
#[derive(Debug)]
pub struct Indexed {
    /// The ID of the database.
    pub lineage: String,
    /// The number of the newest change in the index.
    pub change_no: i64,
    /// Numbers of the reviews that contain the trigrams or have changed since, in no particular order.
    pub review_nos: Vec<u32>,
}

/// The reviews that `expression` matches and those that changed after `change_no`; `None` if either list has more than
/// `most`. They arrive as one row because each row costs microseconds in SQLite.
///
/// # Errors
/// If the index cannot be read.
pub async fn find(
    connection: &mut SqliteConnection,
    expression: &str,
    change_no: i64,
    most: usize,
) -> sqlx::Result<Option<Indexed>> {
    let bound = i64::try_from(most + 1).unwrap_or(i64::MAX);
    let row = sqlx::query!(
        r#"select coalesce((select lineage_id from lineage), '') as "lineage!: Text",
             (select coalesce(max(change_no), 0) from review_change) as "change_no!: i64",
             (select group_concat(rowid) from (select rowid from review_fts where review_fts match ?1 limit ?3))
               as "taken: String",
             (select group_concat(review_no) from (select review_no from review_change where change_no > ?2 limit ?3))
               as "changed: String""#,
        expression,
        change_no,
        bound
    )
    .fetch_one(connection)
    .await?;
    let lists = [row.taken.as_deref(), row.changed.as_deref()];
    let mut review_nos = Vec::new();
    for list in lists.into_iter().flatten() {
        let before = review_nos.len();
        // Numbers beyond `u32` belong to reviews that the snapshot lists as unindexed.
        review_nos.extend(
            list.split(',')
                .filter_map(|number| number.parse::<u32>().ok()),
        );
        if review_nos.len() - before > most {
            return Ok(None);
        }
    }
    Ok(Some(Indexed {
        lineage: row.lineage.into(),
        change_no: row.change_no,
        review_nos,
    }))
}
