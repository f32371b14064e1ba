//! Whom reviews were recorded to mention.

use sqlx::SqliteConnection;

use crate::db::Text;

/// Everybody whom a review was recorded to mention, published or not: each spelling once, sorted. Takes a step for each of
/// them, and not for each mention.
///
/// # Errors
/// When the database cannot be read.
pub async fn recorded_technicians(connection: &mut SqliteConnection) -> sqlx::Result<Vec<String>> {
    let rows = sqlx::query_scalar!(
        r#"with recursive name (value) as (
             select min(value) from mention where kind = 'technician'
             union all
             select (select min(value) from mention where kind = 'technician' and value > name.value) from name
               where name.value is not null)
           select value as "value!: Text" from name where octet_length(value) <= 65536"#
    )
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().map(String::from).collect())
}
