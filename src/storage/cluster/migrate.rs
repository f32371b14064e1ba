//! The migrations of a cluster: sent statement by statement, in one transaction, through the leader.

use std::path::Path;

use serde_json::json;

use super::client::{COMMAND_WAIT_MAX, ClusterError, RqliteClient, SqlStatement};
use crate::clock::Clock;
use crate::model::hash::hex;
use crate::random::Random;
use crate::storage::error::{AtPath as _, DbError};
use crate::storage::schema::{
    MARKS, Migrated, TABLE, known_versions, missing, reject_newer, scratch_schema,
};

/// Creates the schema of an empty cluster, or applies the missing migrations: in one transaction, through the leader.
/// `file` is the path shown in errors.
pub async fn migrate_cluster(client: &RqliteClient, file: &Path) -> Result<Migrated, DbError> {
    let mut refused = None;
    loop {
        let there = applied_to_cluster(client, file).await?;
        reject_newer(&there, file)?;
        let migrated = Migrated::since(&there);
        if migrated.applied.is_empty() {
            return Ok(migrated);
        }
        // A refusal is a fault unless another process, or an earlier attempt of this one, has migrated the cluster since.
        if let Some((before, error)) = refused
            && before == there
        {
            return Err(DbError::Cluster(error));
        }
        let missing = missing_statements(&there, file).await?;
        match client.execute_unmarked(&missing, COMMAND_WAIT_MAX).await {
            Ok(_) => return Ok(migrated),
            Err(error @ ClusterError::Refused(_)) => refused = Some((there, error)),
            Err(error) => return Err(error.into()),
        }
    }
}

/// The statements that apply the migrations which a database with the versions `there` lacks, and give it a lineage.
async fn missing_statements(there: &[i64], file: &Path) -> Result<Vec<SqlStatement>, DbError> {
    let mut all = Vec::new();
    if there.is_empty() {
        let mut scratch = scratch_schema().await.at(file)?;
        let table = sqlx::query_scalar("select sql from sqlite_schema where name = ?");
        let table: String = table.bind(TABLE).fetch_one(&mut scratch).await.at(file)?;
        all.push(json!([table]));
    }
    let note = format!(
        "insert into {TABLE} (version, description, installed_on, success, checksum, execution_time) \
         values (?, ?, ?, 1, unhex(?), 0)"
    );
    // The column's default would be the time at which each node applies the statement.
    let installed_on = Clock::system().now().format("%F %T").to_string();
    for migration in missing(there) {
        let statements = statements(migration.sql.as_str()).into_iter();
        all.extend(statements.map(|sql| json!([sql])));
        let (version, description) = (migration.version, &migration.description);
        let checksum = hex(&migration.checksum);
        all.push(json!([note, version, description, installed_on, checksum]));
    }
    let lineage = "insert into lineage (lineage_id) values (?) on conflict do nothing";
    let id = Random::system().hex_128();
    all.push(json!([
        lineage,
        id.map_err(|error| DbError::other(file, error))?
    ]));
    Ok(all)
}

/// The versions of the migrations that a cluster has; none if it is empty.
async fn applied_to_cluster(client: &RqliteClient, file: &Path) -> Result<Vec<i64>, DbError> {
    let count = "select count(*) filter (where name in (?, ?, ?)), count(*) from sqlite_schema";
    let count = json!([count, TABLE, MARKS[0], MARKS[1]]);
    let counts = client.query(&count, COMMAND_WAIT_MAX).await?;
    match counts.first().map(Vec::as_slice) {
        Some([_, all]) if *all == 0 => return Ok(Vec::new()),
        Some([ours, _]) if *ours == 3 => {}
        _ => return Err(DbError::NotOurs(file.to_owned())),
    }
    let select = format!("select version, lower(hex(checksum)) from {TABLE} order by version");
    let rows = client.query(&json!([select]), COMMAND_WAIT_MAX).await?;
    let applied = rows.iter().filter_map(|row| match row.as_slice() {
        [version, checksum] => Some((version.as_i64()?, checksum.as_str()?.to_owned())),
        _ => None,
    });
    known_versions(applied.collect(), file)
}

/// Splits a migration into statements, because rqlite takes one at a time. A semicolon ends a statement except in a
/// text, a comment or a trigger's body.
fn statements(sql: &str) -> Vec<String> {
    let (mut statements, mut one, mut code, mut in_text) =
        (Vec::new(), String::new(), String::new(), false);
    for line in sql.lines() {
        let mut rest = line;
        while let Some(next) = rest.chars().next() {
            if !in_text && rest.starts_with("--") {
                one.push_str(rest);
                break;
            }
            rest = &rest[next.len_utf8()..];
            in_text ^= next == '\'';
            let words = code.trim().to_ascii_lowercase();
            let is_open = words.starts_with("create trigger") && !words.ends_with("end");
            if next == ';' && !in_text && !is_open {
                statements.push(std::mem::take(&mut one));
                code.clear();
            } else {
                one.push(next);
                code.push(next);
            }
        }
        one.push('\n');
        code.push('\n');
    }
    if !code.trim().is_empty() {
        statements.push(one);
    }
    statements
}

#[cfg(test)]
mod tests {
    use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
    use sqlx::{AssertSqlSafe, Connection as _};

    use super::statements;
    use crate::storage::schema::{MIGRATIONS, scratch_schema};

    async fn objects(connection: &mut SqliteConnection) -> Vec<(String, String)> {
        let select = "select name, coalesce(sql, '') from sqlite_schema where name not like '\\_sqlx%' escape '\\' \
                      and name not like 'sqlite\\_%' escape '\\' order by name";
        sqlx::query_as(select).fetch_all(connection).await.unwrap()
    }

    #[tokio::test]
    async fn migrations_one_statement_at_a_time_make_the_same_schema() {
        let mut whole = scratch_schema().await.unwrap();
        let options = SqliteConnectOptions::new().in_memory(true);
        let mut by_one = SqliteConnection::connect_with(&options).await.unwrap();
        for migration in MIGRATIONS.iter() {
            for statement in statements(migration.sql.as_str()) {
                let ran = sqlx::query(AssertSqlSafe(statement.clone())).execute(&mut by_one);
                ran.await
                    .unwrap_or_else(|error| panic!("{statement}: {error}"));
            }
        }
        assert_eq!(objects(&mut by_one).await, objects(&mut whole).await);
    }
}
