//! The stored analyses: a row for each published review, with the analysis as JSON. They are a cache of a pure function:
//! where a row is missing or invalid (other programs may write any), the review is analysed again.

use sha2::{Digest as _, Sha256};

use super::analysis::Analysis;
use crate::model::hex;
use crate::storage::reviews::AnalysisRow;
use crate::storage::{AtPath as _, Database, DbError, Write, execute};

/// Version of the stored form. It is part of [`super::Analyzer::method`], so analyses stored in another form are
/// repeated.
pub(super) const FORMAT: u8 = 10;
/// Number of bytes of SHA-256 that are kept to distinguish texts and methods.
pub(super) const HASH_BYTES: usize = 16;
/// Analyses that one write stores.
const ROWS: usize = 512;

/// The analysis of a review, with its input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnalysis {
    /// Id of the review.
    pub id: String,
    /// [`crate::insights::AnalysisInput::hash`] of the input.
    pub text_hash: String,
    /// [`crate::insights::Analyzer::method`] of the analyzer.
    pub method_hash: String,
    pub analysis: Analysis,
}

/// The analysis in a row; `None` if another program wrote something else there.
pub fn parse(row: &AnalysisRow) -> Option<Analysis> {
    serde_json::from_slice(&row.analysis).ok()
}

/// Stores analyses of published reviews as they were at change `change_no`; one that has changed since is analysed again anyway.
/// Unchanged analyses are skipped, so that repeating a write changes nothing.
///
/// # Errors
/// When the database refuses a write.
pub async fn save(
    database: &Database,
    analyses: &[StoredAnalysis],
    change_no: i64,
) -> Result<(), DbError> {
    let path = database.path();
    for part in analyses.chunks(ROWS) {
        let mut write = database.write().await?;
        upsert(&mut write, part, change_no).await.at(path)?;
        write.commit().await.at(path)?;
    }
    Ok(())
}

async fn upsert(
    write: &mut Write,
    analyses: &[StoredAnalysis],
    change_no: i64,
) -> sqlx::Result<()> {
    let rows: serde_json::Result<Vec<_>> = (analyses.iter())
        .map(|one| {
            let analysis = serde_json::to_string(&one.analysis)?;
            let digest = digest(&one.text_hash, &one.method_hash, analysis.as_bytes());
            Ok((&one.id, &one.text_hash, &one.method_hash, analysis, digest))
        })
        .collect();
    let rows = rows.and_then(|rows| serde_json::to_string(&rows));
    let rows = rows.map_err(|error| sqlx::Error::Encode(error.into()))?;
    execute!(
        write,
        "insert into derived_analysis (review_id, text_hash, method_hash, analysis, digest)
         select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4
         from json_each(?) where exists (select 1 from review where review_id = value ->> 0 and status = 'published')
           and not exists (select 1 from review_change where review_id = value ->> 0 and change_no > ?)
         on conflict (review_id) do update set text_hash = excluded.text_hash, method_hash = excluded.method_hash,
           analysis = excluded.analysis, digest = excluded.digest
         where (text_hash, method_hash, analysis, digest) is not
           (excluded.text_hash, excluded.method_hash, excluded.analysis, excluded.digest)",
        rows,
        change_no
    )
}

/// Whether the row is as it was stored.
pub fn is_intact(row: &AnalysisRow) -> bool {
    row.digest == digest(&row.text_hash, &row.method_hash, &row.analysis)
}

/// 32 hexadecimal digits of SHA-256.
fn digest(text_hash: &str, method_hash: &str, analysis: &[u8]) -> String {
    let hash = Sha256::new();
    let hash = hash.chain_update(text_hash).chain_update(method_hash);
    hex(&hash.chain_update(analysis).finalize()[..HASH_BYTES])
}
