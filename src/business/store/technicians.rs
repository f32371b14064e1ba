//! The rows of who works there, and the numbers that stand for them where full names are not shown.

use std::collections::BTreeMap;

use sqlx::SqliteConnection;

use super::lists::{array, texts};
use crate::business::Technician;
use crate::db::{Text, Write};

/// Who works there, in its order.
pub(super) async fn technicians(
    connection: &mut SqliteConnection,
) -> sqlx::Result<Vec<Technician>> {
    let rows = sqlx::query!(
        r#"select technician_id as "id: Text", name as "name: Text",
             iif(octet_length(aliases) > 65536, '[]', aliases) as "aliases!: Text"
           from technician where octet_length(technician_id) <= 65536 and octet_length(name) <= 65536
           order by position, technician_id"#
    )
    .fetch_all(connection)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| Technician {
            id: row.id.into(),
            name: row.name.into(),
            aliases: texts(row.aliases.as_ref()),
        })
        .collect())
}

/// The number of each technician, by the firm's own id: it says nothing about the person, and stays.
///
/// # Errors
/// When the database cannot be read.
pub async fn technician_numbers(
    connection: &mut SqliteConnection,
) -> sqlx::Result<BTreeMap<String, i64>> {
    // A trigger gives every row a number; whoever has dropped it gets negative ones, so that no two are the same.
    let rows = sqlx::query!(
        r#"select t.technician_id as "id: Text", coalesce(n.number, -row_number() over (order by t.technician_id)) as "number!: i64"
           from technician as t left join technician_number as n using (technician_id) where octet_length(t.technician_id) <= 65536"#
    )
    .fetch_all(connection)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.id.into(), row.number))
        .collect())
}

/// Puts `technicians` in the place of those that are there; the numbers stay.
pub(super) async fn replace_technicians(
    write: &mut Write,
    technicians: &[Technician],
) -> sqlx::Result<()> {
    sqlx::query!("delete from technician")
        .execute(&mut **write)
        .await?;
    for (position, technician) in (0_i64..).zip(technicians) {
        let aliases = array(&technician.aliases);
        sqlx::query!(
            "insert into technician (technician_id, position, name, aliases) values (?, ?, ?, ?)",
            technician.id,
            position,
            technician.name,
            aliases,
        )
        .execute(&mut **write)
        .await?;
    }
    Ok(())
}
