//! An SQL statement with its bound values, in the form of rqlite's HTTP API
//! (<https://rqlite.io/docs/api/api/#parameterized-statements>). `query!` checks statements at compile time but does
//! not expose their values, so they are read back through SQLite.

use serde_json::{Value, json};
use sqlx::sqlite::{SqliteArguments, SqliteConnection, SqliteRow};
use sqlx::{
    Arguments as _, Executor as _, Row as _, SqlSafeStr as _, TypeInfo as _, ValueRef as _,
};

#[derive(Debug, Clone, PartialEq)]
pub struct SqlStatement {
    pub sql: String,
    /// In the order of the parameters: null, numbers and texts.
    pub values: Vec<Value>,
}

impl SqlStatement {
    #[must_use]
    pub fn new(sql: impl Into<String>, values: Vec<Value>) -> Self {
        Self {
            sql: sql.into(),
            values,
        }
    }

    /// Converts a statement of sqlx; `connection` reads the values back.
    ///
    /// # Errors
    /// When a value is bytes, which the API cannot carry: bind them in hexadecimal, to `unhex(?)`.
    pub async fn of(
        connection: &mut SqliteConnection,
        sql: &str,
        arguments: Option<SqliteArguments>,
    ) -> sqlx::Result<Self> {
        let arguments = arguments.unwrap_or_default();
        if arguments.len() == 0 {
            return Ok(Self::new(sql, Vec::new()));
        }
        let parameters: Vec<String> = (1..=arguments.len()).map(|n| format!("?{n}")).collect();
        let select = format!("select {}", parameters.join(", "));
        let select = (sqlx::AssertSqlSafe(select).into_sql_str(), Some(arguments));
        let row = connection.fetch_one(select).await?;
        let values = (0..row.len()).map(|column| value(&row, column));
        Ok(Self::new(sql, values.collect::<sqlx::Result<_>>()?))
    }

    /// The API's form: the text, then the values.
    #[must_use]
    pub fn json(&self) -> Value {
        let mut array = vec![Value::from(self.sql.as_str())];
        array.extend(self.values.iter().cloned());
        Value::Array(array)
    }
}

fn value(row: &SqliteRow, column: usize) -> sqlx::Result<Value> {
    let kind = {
        let raw = row.try_get_raw(column)?;
        if raw.is_null() {
            return Ok(Value::Null);
        }
        raw.type_info().name().to_owned()
    };
    Ok(match kind.as_str() {
        "INTEGER" => json!(row.try_get_unchecked::<i64, _>(column)?),
        "REAL" => json!(row.try_get_unchecked::<f64, _>(column)?),
        "TEXT" => json!(row.try_get_unchecked::<String, _>(column)?),
        kind => {
            let reason =
                format!("a {kind} cannot be bound on a cluster; bind it as text, to unhex(?)");
            return Err(sqlx::Error::Encode(reason.into()));
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
    use sqlx::{Connection as _, Execute as _};

    use super::SqlStatement;

    #[tokio::test]
    async fn what_was_bound_is_read_back_with_its_type() {
        let options = SqliteConnectOptions::new().in_memory(true);
        let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
        let sql = "insert into t values (?, ?, ?, ?, ?)";
        let mut query = sqlx::query(sql)
            .bind(i64::MAX)
            .bind(0.1)
            .bind("it's")
            .bind(None::<String>)
            .bind(true);
        let arguments = query.take_arguments().unwrap();
        let statement = SqlStatement::of(&mut connection, sql, arguments)
            .await
            .unwrap();
        let expected = json!([sql, i64::MAX, 0.1, "it's", null, 1]);
        assert_eq!(statement.json(), expected);
        let mut bytes = sqlx::query(sql).bind(b"x".as_slice());
        let arguments = bytes.take_arguments().unwrap();
        let error = SqlStatement::of(&mut connection, sql, arguments).await;
        assert!(error.unwrap_err().to_string().contains("unhex"));
    }
}
