//! What imports keep about the columns of a source's tables, so that each file is read like the one before.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU8;

use encoding_rs::Encoding;
use serde_json::json;
use sqlx::SqliteConnection;

use super::text::Text;
use super::write::Write;

/// What a column means that could mean several things.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnMeaning {
    /// Its values are the ids of reviews.
    Id,
    /// It counts the rows of each file, so its values are no ids.
    RowNumber,
    /// Its dates have the day before the month.
    DayFirst,
    /// Its dates have the month before the day.
    MonthFirst,
    /// The end of the scale of its ratings.
    Scale(NonZeroU8),
    /// What it shows of visibility, as the field of `--map`; or nothing of it.
    Visibility(&'static str),
    /// The encoding of the source's files that are not in Unicode; without a header.
    Encoding(&'static Encoding),
}

/// What a column shows of visibility, as in the constraint of `source_column`: whether a review, its answer or its author's name
/// is public, whether each is hidden, or nothing.
pub const VISIBILITY: [&str; 7] = [
    "status",
    "response.status",
    "author.status",
    "hidden",
    "response.hidden",
    "author.hidden",
    NOTHING,
];
pub const NOTHING: &str = "nothing";

impl ColumnMeaning {
    pub fn find(name: &str) -> Option<Self> {
        match name {
            "id" => Some(Self::Id),
            "row_number" => Some(Self::RowNumber),
            "day_first" => Some(Self::DayFirst),
            "month_first" => Some(Self::MonthFirst),
            other => match other.split_once('_') {
                Some(("scale", end)) => end.parse().ok().map(Self::Scale),
                Some(("encoding", name)) => {
                    Encoding::for_label(name.as_bytes()).map(Self::Encoding)
                }
                _ => {
                    let mut fields = VISIBILITY.into_iter();
                    fields.find(|field| *field == other).map(Self::Visibility)
                }
            },
        }
    }
}

/// The name in the database and in exports.
impl fmt::Display for ColumnMeaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id => f.write_str("id"),
            Self::RowNumber => f.write_str("row_number"),
            Self::DayFirst => f.write_str("day_first"),
            Self::MonthFirst => f.write_str("month_first"),
            Self::Scale(end) => write!(f, "scale_{end}"),
            Self::Visibility(field) => f.write_str(field),
            Self::Encoding(encoding) => write!(f, "encoding_{}", encoding.name()),
        }
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

    /// The encoding of a source's files.
    pub fn encoding(&self, source: &str) -> Option<&'static Encoding> {
        match self.get(source, "") {
            Some(ColumnMeaning::Encoding(encoding)) => Some(encoding),
            Some(_) | None => None,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Source, header and meaning of each, as in an export.
    pub fn rows(&self) -> impl Iterator<Item = (&str, &str, String)> {
        let rows = self.0.iter();
        rows.map(|((source, header), meaning)| {
            (source.as_str(), header.as_str(), meaning.to_string())
        })
    }

    pub fn set(&mut self, source: &str, header: &str, meaning: ColumnMeaning) {
        let key = (source.to_owned(), header.to_owned());
        self.0.insert(key, meaning);
    }

    /// Those of sources that still have reviews, or had some that were deleted.
    pub async fn load(connection: &mut SqliteConnection) -> sqlx::Result<Self> {
        let rows = sqlx::query!(
            r#"select source_name as "source_name: Text", header as "header: Text", meaning as "meaning: Text" from source_column as c
               where source_name in (select source_name from review_source union all select source_name from deleted_review)"#
        )
        .fetch_all(connection)
        .await?;
        let rows = rows.into_iter().filter_map(|row| {
            let meaning = ColumnMeaning::find(row.meaning.as_ref())?;
            Some(((row.source_name.into(), row.header.into()), meaning))
        });
        Ok(Self(rows.collect()))
    }

    /// Removes those of sources that have had no reviews: their next import decides again.
    pub async fn forget_unused(write: &mut Write) -> sqlx::Result<()> {
        sqlx::query!(
            "delete from source_column
             where source_name not in (select source_name from review_source union all select source_name from deleted_review)"
        )
        .execute(write)
        .await
        .map(drop)
    }

    /// Stores them; the run keeps those that it changed.
    pub async fn store(&self, write: &mut Write, run: Option<i64>) -> sqlx::Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let rows = json!(self.rows().collect::<Vec<_>>()).to_string();
        sqlx::query!(
            "update import_run set columns = (
               select json_group_array(json_array(j.value ->> 0, j.value ->> 1, c.meaning, j.value ->> 2)) from json_each(?1) as j
               left join source_column as c on c.source_name = j.value ->> 0 and c.header = j.value ->> 1
               where c.meaning is not j.value ->> 2)
             where run_id = ?2",
            rows,
            run
        )
        .execute(&mut *write)
        .await?;
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

    /// Gives the columns of which a run decided the meaning their former ones, unless a later run decided again.
    pub async fn take_back(write: &mut Write, run: i64) -> sqlx::Result<()> {
        sqlx::query!(
            "delete from source_column where exists (
               select 1 from import_run as r, json_each(r.columns) as j
               where r.run_id = ? and j.value ->> 0 = source_name and j.value ->> 1 = header and j.value ->> 2 is null
                 and j.value ->> 3 = meaning)",
            run
        )
        .execute(&mut *write)
        .await?;
        sqlx::query!(
            "update source_column set meaning = j.value ->> 2 from import_run as r, json_each(r.columns) as j
             where r.run_id = ? and j.value ->> 0 = source_name and j.value ->> 1 = header and j.value ->> 2 is not null
               and j.value ->> 3 = meaning",
            run
        )
        .execute(&mut *write)
        .await?;
        sqlx::query!("update import_run set columns = '[]' where run_id = ?", run)
            .execute(write)
            .await
            .map(drop)
    }
}
