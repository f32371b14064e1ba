//! The stored analyses.

use std::borrow::Borrow;
use std::collections::HashMap;

use serde_json::{Value, json};
use sqlx::SqliteConnection;

use super::analysis::{Analysis, Finding, Hit, Mention};
use super::packed_analysis::PackedAnalysis;
use super::witness::witness;
use crate::model::hash::hex;
use crate::model::{MentionKind, Review};
use crate::storage::{Write, unpack_value};

// One row for each review, written and loaded in batches. An invalid row, possibly written by a shell, counts as
// missing: its review is analysed again.

/// An analysis to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAnalysis {
    /// Id of the review.
    pub id: String,
    /// [`crate::insights::Subject::hash`] of the input.
    pub text_hash: String,
    /// [`crate::insights::Analyzer::method`] of the analyzer.
    pub method_hash: String,
    /// The whole analysis, with the reasons for its findings.
    pub analysis: Analysis,
    /// The part of the analysis that is counted.
    pub packed_analysis: PackedAnalysis,
}

/// A stored analysis, reduced to the parts for rendering and counting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnalysis {
    /// Hash of the input.
    pub text_hash: String,
    /// Hash of the analyzer.
    pub method_hash: String,
    /// The unambiguously named entities.
    pub names: Vec<(MentionKind, String)>,
    packed_analysis: Vec<u8>,
}

impl StoredAnalysis {
    /// `review` is the review of this analysis; the result is `None` if the stored bytes are invalid.
    pub fn packed_analysis(&self, review: &Review) -> Option<PackedAnalysis> {
        unpack_analysis(
            &self.packed_analysis,
            review.date.number(),
            review.rating.stars(),
        )
    }
}

/// The stored analyses of these reviews, by id.
///
/// # Errors
/// When the database cannot be read.
pub async fn stored(
    connection: &mut SqliteConnection,
    ids: &[&str],
) -> sqlx::Result<HashMap<String, StoredAnalysis>> {
    let json = Value::from(ids).to_string();
    let packed = sqlx::query_scalar!(
        r#"select group_concat(concat(octet_length(n.review_id), ':', n.review_id, octet_length(text_hash), ':', text_hash,
             octet_length(method_hash), ':', method_hash, octet_length(names), ':', names,
             octet_length(note), ':', cast(note as text)), '') as "packed: Vec<u8>"
           from json_each(?) as i cross join derived_index as n on n.review_id = i.value"#,
        json
    )
    .fetch_one(connection)
    .await?
    .unwrap_or_default();
    let (mut rest, mut stored) = (packed.as_slice(), HashMap::with_capacity(ids.len()));
    while let Some(Some(id)) = unpack_value(&mut rest) {
        let mut columns = [&[][..]; 4];
        for column in &mut columns {
            *column = unpack_value(&mut rest).flatten().unwrap_or_default();
        }
        if let Some(one) = unpack(columns)
            && let Ok(id) = std::str::from_utf8(id)
        {
            stored.insert(id.to_owned(), one);
        }
    }
    Ok(stored)
}

fn unpack([text_hash, method_hash, names, packed_analysis]: [&[u8]; 4]) -> Option<StoredAnalysis> {
    let text = |bytes: &[u8]| std::str::from_utf8(bytes).ok().map(str::to_owned);
    let names: Vec<(&str, String)> = serde_json::from_slice(names).ok()?;
    Some(StoredAnalysis {
        text_hash: text(text_hash)?,
        method_hash: text(method_hash)?,
        names: names
            .into_iter()
            .map(|(kind, value)| Some((MentionKind::find(kind)?, value)))
            .collect::<Option<_>>()?,
        packed_analysis: packed_analysis.to_vec(),
    })
}

/// Stores analyses of published reviews and returns the number of rows written. Unchanged analyses are skipped, so that
/// repeating a write changes nothing.
///
/// # Errors
/// When the database refuses the write.
pub async fn save(write: &mut Write, analyses: &[impl Borrow<NewAnalysis>]) -> sqlx::Result<u64> {
    let rows = Value::Array(analyses.iter().map(|kept| row(kept.borrow())).collect()).to_string();
    let written = sqlx::query!(
        "insert into derived_index (review_id, text_hash, method_hash, names, note)
         select value ->> 0, value ->> 1, value ->> 2, value ->> 3, unhex(value ->> 4)
         from json_each(?) where exists (select 1 from review where review_id = value ->> 0 and status = 'published')
         on conflict (review_id) do update set text_hash = excluded.text_hash, method_hash = excluded.method_hash,
           names = excluded.names, note = excluded.note
         where (text_hash, method_hash, names, note)
           is not (excluded.text_hash, excluded.method_hash, excluded.names, excluded.note)",
        rows
    )
    .execute(&mut *write)
    .await?
    .rows_affected();
    sqlx::query!(
        "insert into derived_analysis (review_id, language, overall, overall_score, sentences, findings, mentions)
         select value ->> 0, value ->> 5, value ->> 6, value ->> 7, value ->> 8, value ->> 9, value ->> 10
         from json_each(?) where exists (select 1 from derived_index as n where n.review_id = value ->> 0)
         on conflict (review_id) do update set language = excluded.language, overall = excluded.overall,
           overall_score = excluded.overall_score, sentences = excluded.sentences, findings = excluded.findings,
           mentions = excluded.mentions
         where (language, overall, overall_score, sentences, findings, mentions)
           is not (excluded.language, excluded.overall, excluded.overall_score, excluded.sentences, excluded.findings,
             excluded.mentions)",
        rows
    )
    .execute(&mut *write)
    .await?;
    Ok(written)
}

/// The row of an analysis: the columns of `derived_index` in their order, then the remaining columns of
/// `derived_analysis`.
fn row(kept: &NewAnalysis) -> Value {
    let NewAnalysis {
        id,
        text_hash,
        method_hash,
        analysis,
        packed_analysis,
    } = kept;
    let Analysis {
        language,
        sentences,
        findings,
        mentions,
        overall: (overall, score),
        phrases: _,
    } = analysis;
    let names = analysis.names().into_iter();
    let names: Value = names
        .map(|(kind, value)| json!([kind.name(), value]))
        .collect();
    // In upper case, like SQLite's `hex`, because the two are compared.
    let packed_analysis = hex(&pack(packed_analysis)).to_uppercase();
    let sentences = sentences.iter();
    let sentences: Value = sentences
        .map(|span| json!([span.start, span.end]))
        .collect();
    let hit = |hit: &Hit| json!([hit.rule, hit.points, hit.span.start, hit.span.end]);
    let finding = |one: &Finding| {
        let hits: Value = one.hits.iter().map(hit).collect();
        json!([
            one.aspect,
            one.polarity.name(),
            one.score,
            one.sentence,
            one.span.start,
            one.span.end,
            hits,
            witness(&one.hits).name(),
            one.confidence
        ])
    };
    let mention = |one: &Mention| {
        json!([
            one.kind.name(),
            one.candidates,
            one.rule,
            one.sentence,
            one.through,
            one.span.start,
            one.span.end
        ])
    };
    let findings: Value = findings.iter().map(finding).collect();
    let mentions: Value = mentions.iter().map(mention).collect();
    json!([
        id,
        text_hash,
        method_hash,
        names,
        packed_analysis,
        language.name(),
        overall.name(),
        score,
        sentences,
        findings,
        mentions
    ])
}

/// Comparison of a stored analysis with the present one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoredAnalysisState {
    /// The stored analysis is missing, or belongs to another text or method.
    Behind,
    /// The analyses are equal.
    Right,
    /// The analyses differ, although text and method are the same.
    Wrong,
}

/// Compares the stored analyses with `derived`; the result has the same order.
///
/// # Errors
/// When the database cannot be read.
pub async fn verify(
    connection: &mut SqliteConnection,
    derived: &[NewAnalysis],
) -> sqlx::Result<Vec<StoredAnalysisState>> {
    let ids: Value = derived.iter().map(|one| one.id.as_str()).collect();
    let ids = ids.to_string();
    let rows = sqlx::query_scalar!(
        r#"select json_array(n.review_id, text_hash, method_hash, json(names), hex(note), language, overall, overall_score,
             json(sentences), json(findings), json(mentions)) as "row!: Vec<u8>"
           from json_each(?) as i cross join derived_index as n on n.review_id = i.value
           left join derived_analysis as r on r.review_id = n.review_id"#,
        ids
    )
    .fetch_all(connection)
    .await?;
    let rows = rows
        .iter()
        .filter_map(|row| serde_json::from_slice::<Value>(row).ok());
    let rows: HashMap<String, Value> = rows
        .filter_map(|row| Some((row[0].as_str()?.to_owned(), row)))
        .collect();
    let verdict = |one: &NewAnalysis| match rows.get(&one.id) {
        Some(row) if row[1] == one.text_hash && row[2] == one.method_hash => {
            if *row == self::row(one) {
                StoredAnalysisState::Right
            } else {
                StoredAnalysisState::Wrong
            }
        }
        _ => StoredAnalysisState::Behind,
    };
    Ok(derived.iter().map(verdict).collect())
}

/// Number of analyses without a published review.
///
/// # Errors
/// When the database cannot be read.
pub async fn stray(connection: &mut SqliteConnection) -> sqlx::Result<u64> {
    let count = sqlx::query_scalar!(
        r#"select count(*) as "count!: i64" from (select review_id from derived_analysis union select review_id from derived_index) as d
           where not exists (select 1 from review as r where r.review_id = d.review_id and r.status = 'published')"#
    )
    .fetch_one(connection)
    .await?;
    Ok(u64::try_from(count).unwrap_or(0))
}

/// Deletes all analyses; returns their number.
///
/// # Errors
/// When the database refuses the write.
pub async fn clear(write: &mut Write) -> sqlx::Result<u64> {
    let cleared = sqlx::query!("delete from derived_index")
        .execute(&mut *write)
        .await?
        .rows_affected();
    sqlx::query!("delete from derived_analysis")
        .execute(&mut *write)
        .await?;
    Ok(cleared)
}

/// The stored form is postcard's. The day and the stars are not stored, because they are in the review.
fn pack(packed_analysis: &PackedAnalysis) -> Vec<u8> {
    // Numbers, texts and lists of known length can always be serialized.
    postcard::to_allocvec(packed_analysis).unwrap_or_default()
}

/// `day` and `stars` are the values of the review.
fn unpack_analysis(bytes: &[u8], day: i32, stars: u8) -> Option<PackedAnalysis> {
    let (mut packed_analysis, rest) = postcard::take_from_bytes::<PackedAnalysis>(bytes).ok()?;
    (packed_analysis.head.day, packed_analysis.head.stars) = (day, stars);
    rest.is_empty().then_some(packed_analysis)
}

#[cfg(test)]
mod tests {
    use super::{pack, unpack_analysis};
    use crate::insights::analysis::{Polarity, TextLanguage};
    use crate::insights::packed_analysis::{
        PackedAnalysis, PackedFinding, PackedHead, PackedName, WitnessCount,
    };
    use crate::model::MentionKind;

    #[test]
    fn a_packed_analysis_comes_back_as_it_was_and_a_broken_one_not_at_all() {
        let head = PackedHead {
            day: 7,
            stars: 4,
            language: TextLanguage::English,
            overall: Polarity::Uncertain,
            sentences: 3,
        };
        let finding = PackedFinding {
            aspect: 10,
            polarity: Polarity::Negative,
            backing: WitnessCount::Withdrawn,
            is_quotable: true,
            sentence: 2,
            score: -300,
        };
        let name = PackedName {
            key: u64::MAX - 5,
            finding_mask: 1 << 31,
            near_mask: 5,
            kind: MentionKind::ServiceArea,
            is_linked: true,
            mentions: 3,
            ambiguous: 1,
        };
        let packed_analysis = PackedAnalysis {
            head,
            findings: [finding, finding].into(),
            names: [name].into(),
            phrases: [1, u32::MAX].into(),
        };
        let bytes = pack(&packed_analysis);
        assert_eq!(unpack_analysis(&bytes, 7, 4), Some(packed_analysis));
        for end in 0..bytes.len() {
            assert_eq!(unpack_analysis(&bytes[..end], 7, 4), None);
        }
        assert_eq!(unpack_analysis(&[&bytes[..], &[0]].concat(), 7, 4), None);
        for at in [0, 1] {
            let mut wrong = bytes.clone();
            wrong[at] = 200;
            assert_eq!(unpack_analysis(&wrong, 7, 4), None);
        }
    }
}
