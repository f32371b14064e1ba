//! Whether the schema is the one that the embedded migrations make: each table, index, view and
//! trigger is compared with that of a scratch database in memory. What is there besides is its
//! owner's affair.

use std::collections::BTreeMap;

use sqlx::sqlite::SqliteConnection;
use sqlx::{Connection, FromRow};

use super::text::Text;
use super::{migrate, unlogged};

/// What is wrong with a schema.
#[derive(Debug, Default)]
pub(super) struct Faults {
    /// A sentence for each thing that is missing or has another shape.
    pub wrong: Vec<String>,
    /// Whether a table or view is among them, so that queries would fail or mislead.
    pub is_unreadable: bool,
}

#[derive(FromRow)]
struct Object {
    kind: Text,
    name: Text,
    sql: Text,
}

/// Compares the schema behind `connection` with that of a new database.
pub(super) async fn verify(connection: &mut SqliteConnection) -> sqlx::Result<Faults> {
    let mut scratch = SqliteConnection::connect_with(&unlogged().in_memory(true)).await?;
    migrate::apply(&mut scratch).await?;
    let wanted = objects(&mut scratch).await?;
    scratch.close().await?;
    let there = objects(connection).await?;
    let mut faults = Faults::default();
    for ((kind, name), sql) in wanted {
        let fault = match there.get(&(kind.clone(), name.clone())) {
            None => "is missing",
            Some(its) if *its != sql => "has another shape than this release gives it",
            Some(_) => continue,
        };
        faults.is_unreadable |= matches!(kind.as_str(), "table" | "view");
        faults
            .wrong
            .push(format!("schema: the {kind} {name} {fault}"));
    }
    Ok(faults)
}

/// Everything that was made by a statement, by kind and name.
async fn objects(
    connection: &mut SqliteConnection,
) -> sqlx::Result<BTreeMap<(String, String), String>> {
    let query = r"select type as kind, name, sql from sqlite_schema where sql is not null and name not like 'sqlite\_%' escape '\'";
    let objects: Vec<Object> = sqlx::query_as(query).fetch_all(connection).await?;
    // SQLite's names are the same in either case.
    let entry = |Object { kind, name, sql }: Object| {
        (
            (kind.into(), spelling(name.as_ref())),
            spelling(sql.as_ref()),
        )
    };
    Ok(objects.into_iter().map(entry).collect())
}

/// A statement without its comments, case and white space, which say nothing of the shape. What
/// stands between quotes loses them too, on both sides alike.
fn spelling(sql: &str) -> String {
    let words = sql.lines().flat_map(|line| {
        line.split("--")
            .next()
            .unwrap_or_default()
            .split_whitespace()
    });
    words
        .flat_map(str::chars)
        .flat_map(char::to_lowercase)
        .collect()
}
