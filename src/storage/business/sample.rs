//! Whether the database holds sample data, so that real reviews are never mixed into them by accident.

use sqlx::SqliteConnection;

use crate::random::Random;
use crate::storage::Write;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleState {
    /// There is no business and no review, and there never was.
    Empty,
    /// Only sample data.
    Alone,
    /// Sample data, with own reviews that the owner added on purpose.
    Mixed,
    /// Only the business's own data.
    Own,
}

/// # Errors
/// When the database cannot be read.
pub async fn state(connection: &mut SqliteConnection) -> sqlx::Result<SampleState> {
    let mixed = sqlx::query_scalar!("select is_mixed from sample")
        .fetch_optional(&mut *connection)
        .await?;
    let has_any = sqlx::query_scalar!(
        r#"select exists (select 1 from business) or exists (select 1 from review_change where review_id <> '') as "has: bool""#
    )
    .fetch_one(connection)
    .await?;
    Ok(match (mixed, has_any) {
        (Some(0), _) => SampleState::Alone,
        (Some(_), _) => SampleState::Mixed,
        (None, false) => SampleState::Empty,
        (None, true) => SampleState::Own,
    })
}

/// Records that the data are a sample, or that own reviews were mixed in.
///
/// # Errors
/// When the database refuses the write.
pub async fn note(write: &mut Write, is_mixed: bool) -> sqlx::Result<()> {
    let is_mixed = i64::from(is_mixed);
    sqlx::query!(
        "insert into sample (is_mixed) values (?)
         on conflict (only_row) do update set is_mixed = excluded.is_mixed where is_mixed < excluded.is_mixed",
        is_mixed
    )
    .execute(&mut **write)
    .await?;
    Ok(())
}

/// Deletes the business, its reviews and its import runs; returns the number of reviews. Subscriptions stay. The
/// database gets a new lineage, so readers treat it as another database, and no review counts as deleted.
///
/// # Errors
/// When the database refuses it, or the operating system gives no randomness.
pub async fn discard(write: &mut Write) -> sqlx::Result<u64> {
    let reviews = sqlx::query!("delete from review")
        .execute(&mut **write)
        .await?
        .rows_affected();
    sqlx::query!("delete from mention")
        .execute(&mut **write)
        .await?;
    sqlx::query!("delete from review_source")
        .execute(&mut **write)
        .await?;
    sqlx::query!("delete from import_run")
        .execute(&mut **write)
        .await?;
    sqlx::query!("delete from import_run_review")
        .execute(&mut **write)
        .await?;
    sqlx::query!("delete from undone_review")
        .execute(&mut **write)
        .await?;
    sqlx::query!("delete from business")
        .execute(&mut **write)
        .await?;
    sqlx::query!("delete from service")
        .execute(&mut **write)
        .await?;
    sqlx::query!("delete from technician")
        .execute(&mut **write)
        .await?;
    sqlx::query!("delete from technician_number")
        .execute(&mut **write)
        .await?;
    sqlx::query!("delete from service_area")
        .execute(&mut **write)
        .await?;
    sqlx::query!("delete from editorial_summary")
        .execute(&mut **write)
        .await?;
    sqlx::query!("delete from editorial_faq")
        .execute(&mut **write)
        .await?;
    sqlx::query!("delete from calendar")
        .execute(&mut **write)
        .await?;
    sqlx::query!("delete from sample")
        .execute(&mut **write)
        .await?;
    // One row without a review stays, so that change numbers continue and every published document refers to an
    // existing change.
    sqlx::query!(
        "insert into review_change (review_id, change_no) select '', 1 + coalesce(max(change_no), 0) from review_change where true
         on conflict (review_id) do update set change_no = excluded.change_no"
    )
    .execute(&mut **write)
    .await?;
    sqlx::query!("delete from review_change where review_id <> ''")
        .execute(&mut **write)
        .await?;
    let lineage = Random::system().hex_128().map_err(sqlx::Error::Io)?;
    sqlx::query!("update lineage set lineage_id = ?", lineage)
        .execute(&mut **write)
        .await?;
    Ok(reviews)
}
