//! The format that each source keeps, as its text.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::SqliteConnection;

use super::columns::Text;
use super::write::Write;

/// The texts of formats, by source.
pub type KeptFormats = BTreeMap<String, String>;

/// The format of a source before and after an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormatChange {
    pub source: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

pub async fn load_formats(connection: &mut SqliteConnection) -> sqlx::Result<KeptFormats> {
    let formats = sqlx::query_scalar!(
        r#"select json_group_object(name, format) as "formats!: Text" from source where format is not null"#
    );
    let formats = formats.fetch_one(connection).await?;
    serde_json::from_str(formats.as_ref()).map_err(|error| sqlx::Error::Decode(error.into()))
}

/// Keeps the changed formats; the run, if it is an import's, keeps both, so that its undo gives the former ones back.
pub async fn store_formats(
    write: &mut Write,
    changes: &[FormatChange],
    run: Option<i64>,
) -> sqlx::Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let changes = json!(changes).to_string();
    execute!(
        write,
        "insert into source (name, format) select value ->> 'source', value ->> 'after' from json_each(?) where true
         on conflict (name) do update set format = excluded.format",
        changes
    )?;
    execute!(
        write,
        "update import_run set formats = ?1 where run_id = ?2",
        changes,
        run
    )
}

/// Gives sources the formats back that they had before a run, unless these were replaced since.
pub async fn take_back_formats(write: &mut Write, run: i64) -> sqlx::Result<()> {
    execute!(
        write,
        "update source set format = change.value ->> 'before'
         from import_run as r, json_each(r.formats) as change
         where r.run_id = ?1 and source.name = change.value ->> 'source' and source.format is change.value ->> 'after'",
        run
    )
}
