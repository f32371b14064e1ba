//! How the columns of each source's tables are read, decided once by the import that first has them.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::SqliteConnection;

use super::text::{NullableText, Text, utc_seconds};
use super::write::Write;

/// How a column of a source's tables is read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptColumn {
    pub source: String,
    /// Empty for a field that the source does not have, and for the encoding of its files.
    pub header: String,
    /// A field of a review as in `--map`, [`IGNORED`], or what it says of publication.
    pub field: String,
    /// The order of several columns of one field, from 0.
    #[serde(default)]
    pub position: i64,
    /// With which values it is public: `""` is an empty cell, `*` any other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub public_values: Vec<String>,
    /// The values that were seen beside them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withheld_values: Vec<String>,
    /// `day_first` or `month_first`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_order: Option<String>,
    /// The end of the scale of its ratings, 1 to 255.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<i64>,
    /// [`BY_NAME`], [`BY_OWNER`] or [`BY_OTHERS`].
    pub decided_by: String,
}

/// The field of a column that says nothing of a review.
pub const IGNORED: &str = "ignored";
/// Decided by the exact name of a field.
pub const BY_NAME: &str = "name";
/// Decided by the owner.
pub const BY_OWNER: &str = "owner";
/// Decided by the owner's answer for all columns that were not decided yet.
pub const BY_OTHERS: &str = "others";

/// The columns of all sources, by source, header and field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeptColumns(BTreeMap<(String, String, String), KeptColumn>);

/// A column before and after an import decided it.
#[derive(Debug, Serialize, Deserialize)]
struct ColumnChange {
    before: Option<KeptColumn>,
    after: Option<KeptColumn>,
}

impl KeptColumns {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn all(&self) -> impl Iterator<Item = &KeptColumn> {
        self.0.values()
    }

    /// Those of a source, by header.
    pub fn of<'k>(&'k self, source: &'k str) -> impl Iterator<Item = &'k KeptColumn> {
        self.all().filter(move |column| column.source == source)
    }

    /// What is kept of one column.
    pub fn at<'k>(
        &'k self,
        source: &'k str,
        header: &'k str,
    ) -> impl Iterator<Item = &'k KeptColumn> {
        self.of(source)
            .filter(move |column| column.header == header)
    }

    pub fn find(&self, source: &str, header: &str, field: &str) -> Option<&KeptColumn> {
        let key = (source.to_owned(), header.to_owned(), field.to_owned());
        self.0.get(&key)
    }

    pub fn set(&mut self, column: KeptColumn) {
        let key = (
            column.source.clone(),
            column.header.clone(),
            column.field.clone(),
        );
        self.0.insert(key, column);
    }

    /// The column, which is new unless it was kept.
    pub fn entry(&mut self, source: &str, header: &str, field: &str) -> &mut KeptColumn {
        let key = (source.to_owned(), header.to_owned(), field.to_owned());
        self.0.entry(key).or_insert_with(|| KeptColumn {
            source: source.to_owned(),
            header: header.to_owned(),
            field: field.to_owned(),
            decided_by: BY_NAME.to_owned(),
            ..KeptColumn::default()
        })
    }

    pub fn retain(&mut self, is_kept: impl Fn(&KeptColumn) -> bool) {
        self.0.retain(|_, column| is_kept(column));
    }

    pub async fn load(connection: &mut SqliteConnection) -> sqlx::Result<Self> {
        let rows = sqlx::query!(
            r#"select source_name as "source_name: Text", header as "header: Text", field as "field: Text", position,
                 public_values as "public_values: Text", withheld_values as "withheld_values: Text",
                 date_order as "date_order!: NullableText", scale, decided_by as "decided_by: Text"
               from source_column"#
        )
        .fetch_all(connection)
        .await?;
        let mut kept = Self::default();
        for row in rows {
            kept.set(KeptColumn {
                source: row.source_name.into(),
                header: row.header.into(),
                field: row.field.into(),
                position: row.position,
                public_values: row.public_values.into(),
                withheld_values: row.withheld_values.into(),
                date_order: row.date_order.into(),
                scale: row.scale,
                decided_by: row.decided_by.into(),
            });
        }
        Ok(kept)
    }

    /// Stores what differs from `before`. The run keeps both, so that its undo takes the decisions back.
    pub async fn store(
        &self,
        write: &mut Write,
        before: &Self,
        run: Option<i64>,
        now: DateTime<Utc>,
    ) -> sqlx::Result<()> {
        let keys: BTreeSet<_> = self.0.keys().chain(before.0.keys()).collect();
        let change = |key| ColumnChange {
            before: before.0.get(key).cloned(),
            after: self.0.get(key).cloned(),
        };
        let changes = keys.into_iter().map(change);
        let changes: Vec<ColumnChange> = changes.filter(|it| it.before != it.after).collect();
        for change in &changes {
            change.apply(write, now).await?;
        }
        let changes = json!(changes).to_string();
        execute!(
            write,
            "update import_run set columns = ?1 where run_id = ?2",
            changes,
            run
        )
    }

    /// Gives the columns that a run decided their former meanings, unless they were decided again since.
    pub async fn take_back(write: &mut Write, run: i64, now: DateTime<Utc>) -> sqlx::Result<()> {
        let columns = sqlx::query_scalar!(
            r#"select columns as "columns: Text" from import_run where run_id = ?"#,
            run
        )
        .fetch_one(write.for_reading())
        .await?;
        let kept = Self::load(write.for_reading()).await?;
        let changes: Vec<ColumnChange> = columns.into();
        for ColumnChange { before, after } in changes {
            let Some(column) = after.as_ref().or(before.as_ref()) else {
                continue;
            };
            if kept.find(&column.source, &column.header, &column.field) == after.as_ref() {
                let (before, after) = (after, before);
                ColumnChange { before, after }.apply(write, now).await?;
            }
        }
        execute!(
            write,
            "update import_run set columns = '[]' where run_id = ?",
            run
        )
    }
}

impl ColumnChange {
    async fn apply(&self, write: &mut Write, now: DateTime<Utc>) -> sqlx::Result<()> {
        if let (Some(column), None) = (&self.before, &self.after) {
            execute!(
                write,
                "delete from source_column where source_name = ? and header = ? and field = ?",
                column.source,
                column.header,
                column.field
            )?;
        }
        let Some(column) = &self.after else {
            return Ok(());
        };
        let (public, withheld) = (
            json!(column.public_values).to_string(),
            json!(column.withheld_values).to_string(),
        );
        let at = utc_seconds(now);
        execute!(
            write,
            "insert into source_column (source_name, header, field, position, public_values, withheld_values, date_order, scale,
               decided_at, decided_by)
             values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
             on conflict (source_name, header, field) do update set position = excluded.position,
               public_values = excluded.public_values, withheld_values = excluded.withheld_values,
               date_order = excluded.date_order, scale = excluded.scale, decided_at = excluded.decided_at,
               decided_by = excluded.decided_by",
            column.source,
            column.header,
            column.field,
            column.position,
            public,
            withheld,
            column.date_order,
            column.scale,
            at,
            column.decided_by
        )
    }
}
