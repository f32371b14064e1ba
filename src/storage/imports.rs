//! What imports keep about the columns of a source's tables, so that each file is read like the one before.

use std::collections::BTreeMap;

use serde_json::json;
use sqlx::SqliteConnection;

use super::Write;
use crate::model::named;
use crate::storage::Text;

named! {
    /// What a column means that could mean two things.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ColumnMeaning {
        /// Its values are the ids of reviews.
        Id = "id",
        /// It counts the rows of each file, so its values are no ids.
        RowNumber = "row_number",
        /// Its dates have the day before the month.
        DayFirst = "day_first",
        /// Its dates have the month before the day.
        MonthFirst = "month_first",
    }
}

/// The meanings of columns, by source and header.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeptColumns(BTreeMap<(String, String), ColumnMeaning>);

impl KeptColumns {
    pub fn get(&self, source: &str, header: &str) -> Option<ColumnMeaning> {
        let key = (source.to_owned(), header.to_owned());
        self.0.get(&key).copied()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Source, header and meaning of each, as in the first line of an export.
    pub fn rows(&self) -> impl Iterator<Item = (&str, &str, &'static str)> {
        let rows = self.0.iter();
        rows.map(|((source, header), meaning)| (source.as_str(), header.as_str(), meaning.name()))
    }

    pub fn set(&mut self, source: &str, header: &str, meaning: ColumnMeaning) {
        let key = (source.to_owned(), header.to_owned());
        self.0.insert(key, meaning);
    }

    /// Those of sources that still have reviews.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn load(connection: &mut SqliteConnection) -> sqlx::Result<Self> {
        let rows = sqlx::query!(
            r#"select source_name as "source_name: Text", header as "header: Text", meaning as "meaning: Text" from source_column as c
               where exists (select 1 from review_source as s where s.source_name = c.source_name)"#
        )
        .fetch_all(connection)
        .await?;
        let rows = rows.into_iter().filter_map(|row| {
            let meaning = ColumnMeaning::find(row.meaning.as_ref())?;
            Some(((row.source_name.into(), row.header.into()), meaning))
        });
        Ok(Self(rows.collect()))
    }

    /// # Errors
    /// When the database refuses the write.
    pub async fn store(&self, write: &mut Write) -> sqlx::Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let rows = json!(self.rows().collect::<Vec<_>>()).to_string();
        sqlx::query!(
            "insert into source_column (source_name, header, meaning)
             select value ->> 0, value ->> 1, value ->> 2 from json_each(?) where true
             on conflict (source_name, header) do update set meaning = excluded.meaning where meaning <> excluded.meaning",
            rows
        )
        .execute(&mut *write)
        .await
        .map(drop)
    }
}
