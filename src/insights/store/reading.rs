//! What was read: a row for each review, written many at a time, loaded many at a time. A row that cannot be understood
//! (anybody with a shell may write one) is as good as none: its review is read anew.

use std::collections::HashMap;

use serde_json::{Value, json};
use sqlx::{Sqlite, SqliteConnection, Transaction};

use crate::db::unpack_value;
use crate::insights::reading::{Finding, Hit, Kind, Language, Mention, Polarity, Reading, Span};

/// A reading to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Whose text it is.
    pub id: String,
    /// Of what was read: [`crate::insights::Subject::hash`].
    pub text_hash: String,
    /// Of what read it: [`crate::insights::Reader::method`].
    pub method_hash: String,
    /// What was found.
    pub reading: Reading,
}

/// A reading as it was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Of what was read.
    pub text_hash: String,
    /// Of what read it.
    pub method_hash: String,
    /// What was found, but for the reasons: findings have no hits, mentions no rule.
    pub reading: Reading,
}

/// What is kept of these reviews, by id.
///
/// # Errors
/// When the database cannot be read.
pub async fn stored(connection: &mut SqliteConnection, ids: &[&str]) -> sqlx::Result<HashMap<String, Stored>> {
    let ids = Value::from(ids).to_string();
    let packed = sqlx::query_scalar!(
        r#"select group_concat(concat(octet_length(r.review_id), ':', r.review_id, octet_length(text_hash), ':', text_hash,
             octet_length(method_hash), ':', method_hash, octet_length(language), ':', language,
             octet_length(overall), ':', overall, octet_length(overall_score), ':', overall_score,
             octet_length(sentences), ':', sentences, octet_length(findings), ':', findings,
             octet_length(mentions), ':', mentions, octet_length(phrases), ':', phrases), '') as "packed: Vec<u8>"
           from json_each(?) as i cross join derived_reading as r on r.review_id = i.value"#,
        ids
    )
    .fetch_one(connection)
    .await?
    .unwrap_or_default();
    let (mut rest, mut stored) = (packed.as_slice(), HashMap::with_capacity(ids.len()));
    while let Some(Some(id)) = unpack_value(&mut rest) {
        let mut columns = [&[][..]; 9];
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

fn unpack(columns: [&[u8]; 9]) -> Option<Stored> {
    let [text_hash, method_hash, language, overall, score, sentences, findings, mentions, phrases] = columns;
    let text = |bytes| std::str::from_utf8(bytes).ok();
    let span = |start, end| Span { start, end };
    let sentences: Vec<(u32, u32)> = serde_json::from_slice(sentences).ok()?;
    let findings: Vec<(String, &str, i32, u32, u32, u32)> = serde_json::from_slice(findings).ok()?;
    let finding = |(aspect, polarity, score, sentence, start, end): (String, &str, i32, u32, u32, u32)| {
        let polarity = Polarity::find(polarity)?;
        Some(Finding { aspect, sentence, span: span(start, end), polarity, score, hits: Vec::new() })
    };
    let mentions: Vec<(&str, Vec<String>, &str, u32, u32, u32, u32)> = serde_json::from_slice(mentions).ok()?;
    let mention = |(kind, candidates, _, sentence, through, start, end): (&str, Vec<String>, &str, u32, u32, u32, u32)| {
        Some(Mention { kind: Kind::find(kind)?, candidates, sentence, through, span: span(start, end), rule: "" })
    };
    Some(Stored {
        text_hash: text(text_hash)?.to_owned(),
        method_hash: text(method_hash)?.to_owned(),
        reading: Reading {
            language: Language::find(text(language)?)?,
            sentences: sentences.into_iter().map(|(start, end)| span(start, end)).collect(),
            findings: findings.into_iter().map(finding).collect::<Option<_>>()?,
            mentions: mentions.into_iter().map(mention).collect::<Option<_>>()?,
            overall: (Polarity::find(text(overall)?)?, text(score)?.parse().ok()?),
            phrases: serde_json::from_slice(phrases).ok()?,
        },
    })
}

/// Keeps these readings, of reviews that still appear; those that are kept already are left alone, so that keeping them
/// again writes nothing. Says how many were written.
///
/// # Errors
/// When the database refuses it.
pub async fn keep(write: &mut Transaction<'static, Sqlite>, readings: &[Kept]) -> sqlx::Result<u64> {
    let rows = Value::Array(readings.iter().map(row).collect()).to_string();
    let written = sqlx::query!(
        "insert into derived_reading (review_id, text_hash, method_hash, language, overall, overall_score, sentences, findings,
           mentions, phrases)
         select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8,
           value ->> 9
         from json_each(?) where exists (select 1 from review where review_id = value ->> 0 and status = 'published')
         on conflict (review_id) do update set text_hash = excluded.text_hash, method_hash = excluded.method_hash,
           language = excluded.language, overall = excluded.overall, overall_score = excluded.overall_score,
           sentences = excluded.sentences, findings = excluded.findings, mentions = excluded.mentions, phrases = excluded.phrases
         where (text_hash, method_hash, language, overall, overall_score, sentences, findings, mentions, phrases)
           is not (excluded.text_hash, excluded.method_hash, excluded.language, excluded.overall, excluded.overall_score,
             excluded.sentences, excluded.findings, excluded.mentions, excluded.phrases)",
        rows
    )
    .execute(&mut **write)
    .await?
    .rows_affected();
    sqlx::query!(
        "insert into derived_hit (review_id, hits)
         select value ->> 0, value ->> 10 from json_each(?)
         where exists (select 1 from derived_reading as r where r.review_id = value ->> 0)
         on conflict (review_id) do update set hits = excluded.hits where hits is not excluded.hits",
        rows
    )
    .execute(&mut **write)
    .await?;
    Ok(written)
}

/// A reading's row: the columns of `derived_reading` in their order, then the hits.
fn row(kept: &Kept) -> Value {
    let Kept { id, text_hash, method_hash, reading } = kept;
    let Reading { language, sentences, findings, mentions, overall: (overall, score), phrases } = reading;
    let sentences: Vec<Value> = sentences.iter().map(|span| json!([span.start, span.end])).collect();
    let hits = |hit: &Hit| json!([hit.rule, hit.points, hit.span.start, hit.span.end]);
    let hits: Vec<Value> = findings.iter().map(|finding| finding.hits.iter().map(hits).collect()).collect();
    let finding = |one: &Finding| json!([one.aspect, one.polarity.name(), one.score, one.sentence, one.span.start, one.span.end]);
    let mention =
        |one: &Mention| json!([one.kind.name(), one.candidates, one.rule, one.sentence, one.through, one.span.start, one.span.end]);
    let findings: Vec<Value> = findings.iter().map(finding).collect();
    let mentions: Vec<Value> = mentions.iter().map(mention).collect();
    json!([id, text_hash, method_hash, language.name(), overall.name(), score, sentences, findings, mentions, phrases, hits])
}

/// Whether and how a review's row agrees with what is derived of it now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verified {
    /// There is none, or it is of another text or other rules: it is behind.
    Behind,
    /// It says what is derived.
    Right,
    /// It says something else, though it is of this very text and these rules.
    Wrong,
}

/// Holds what is kept of these reviews against what is derived of them now, in the same order.
///
/// # Errors
/// When the database cannot be read.
pub async fn verify(connection: &mut SqliteConnection, derived: &[Kept]) -> sqlx::Result<Vec<Verified>> {
    let ids = Value::from(derived.iter().map(|one| one.id.as_str()).collect::<Vec<_>>()).to_string();
    let rows = sqlx::query_scalar!(
        r#"select json_array(r.review_id, text_hash, method_hash, language, overall, overall_score, json(sentences), json(findings),
             json(mentions), json(phrases), json(hits)) as "row!: Vec<u8>"
           from json_each(?) as i cross join derived_reading as r on r.review_id = i.value
           left join derived_hit as h on h.review_id = r.review_id"#,
        ids
    )
    .fetch_all(connection)
    .await?;
    let rows = rows.iter().filter_map(|row| serde_json::from_slice::<Value>(row).ok());
    let rows: HashMap<String, Value> = rows.filter_map(|row| Some((row[0].as_str()?.to_owned(), row))).collect();
    let verdict = |one: &Kept| match rows.get(&one.id) {
        Some(row) if row[1] == one.text_hash && row[2] == one.method_hash => {
            if *row == self::row(one) {
                Verified::Right
            } else {
                Verified::Wrong
            }
        }
        _ => Verified::Behind,
    };
    Ok(derived.iter().map(verdict).collect())
}

/// How many readings are of no review that appears.
///
/// # Errors
/// When the database cannot be read.
pub async fn stray(connection: &mut SqliteConnection) -> sqlx::Result<u64> {
    let count = sqlx::query_scalar!(
        r#"select count(*) as "count!: i64" from (select review_id from derived_reading union select review_id from derived_hit) as d
           where not exists (select 1 from review as r where r.review_id = d.review_id and r.status = 'published')"#
    )
    .fetch_one(connection)
    .await?;
    Ok(u64::try_from(count).unwrap_or(0))
}

/// Deletes every reading. Says how many there were.
///
/// # Errors
/// When the database refuses it.
pub async fn clear(write: &mut Transaction<'static, Sqlite>) -> sqlx::Result<u64> {
    sqlx::query!("delete from derived_hit").execute(&mut **write).await?;
    Ok(sqlx::query!("delete from derived_reading").execute(&mut **write).await?.rows_affected())
}
