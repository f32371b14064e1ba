//! The reviews' rows: read for rendering, written by imports.
//!
//! A row that cannot be read (a shell can write bytes that are no UTF-8, or switch checks off) is reported when it is read, and
//! left out. It never stops the others.

use std::collections::{BTreeMap, HashSet};

use chrono::{DateTime, Utc};
use futures_util::future::ready;
use futures_util::{Stream, TryStreamExt};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::sqlite::SqliteColumn;
use sqlx::{Column as _, Row as _, SqliteConnection};

use crate::model::{Review, ReviewId, Status};
use crate::storage::columns::{NullableText, Text, instant, review_ids, strings, utc, utc_seconds};
use crate::storage::write::Write;

/// A query for reviews: the part of the SQL after the one list of columns, which begins with `from` and names `review` as `r` and
/// `review_change` as `n`, and its arguments. `analysed` reads the analyses, too, from `derived_analysis` as `d`: a database that was
/// served has one of each review, so what does not need them must not look for them.
macro_rules! select_reviews {
    (analysed $rest:tt $(, $argument:expr)*) => {
        select_reviews!(
            @ r#"d.text_hash as "text_hash!: NullableText", d.method_hash as "method_hash!: NullableText",
                 d.analysis as "analysis?: Vec<u8>", d.digest as "digest!: NullableText" "#, $rest $(, $argument)*
        )
    };
    (@ $analysis:tt, $rest:tt $(, $argument:expr)*) => {
        sqlx::query_as!(
            StoredReview,
            r#"select r.review_id as "id!: Text",
                 json_object('id', r.review_id, 'rating', r.rating, 'date', r.reviewed_on, 'author', r.author, 'title', nullif(r.title, ''),
                   'text', r.text, 'language', r.language, 'source', r.source_name, 'source_url', r.source_url,
                   'verification', r.verification, 'verified_at', r.verified_at,
                   'mentions', json_object(
                     'technicians', json((select json_group_array(value) from mention where review_id = r.review_id and kind = 'technician')),
                     'services', json((select json_group_array(value) from mention where review_id = r.review_id and kind = 'service')),
                     'service_areas', json((select json_group_array(value) from mention where review_id = r.review_id and kind = 'service_area'))),
                   'owner_reply', json(iif(coalesce(r.reply_text, '') = '', null,
                     json_object('text', r.reply_text, 'date', r.reply_on, 'author', r.reply_author))),
                   'status', json(iif(r.status = 'published', '"Published"',
                     json_object('Withheld', json_object('reason', r.withheld_reason)))),
                   'updated_at', r.updated_at) as "json!: Vec<u8>",
                 r.note as "note!: NullableText", n.review_no as "review_no?: i64", n.observed_at as "observed_at!: NullableText",
                 n.bound_change_no as "bound_change_no?: i64", n.change_no as "change_no?: i64", "# + $analysis + $rest
            $(, $argument)*
        )
    };
    ($rest:tt $(, $argument:expr)*) => {
        select_reviews!(
            @ r#"null as "text_hash!: NullableText", null as "method_hash!: NullableText", null as "analysis?: Vec<u8>",
                 null as "digest!: NullableText" "#,
            $rest $(, $argument)*
        )
    };
}

struct StoredReview {
    id: String,
    /// [`Review`], unless another program wrote a row that is none.
    json: Vec<u8>,
    /// The owner's, which is not published.
    note: Option<String>,
    review_no: Option<i64>,
    /// When the publisher first saw another program's change.
    observed_at: Option<String>,
    /// The change that `updated_at` belongs to.
    bound_change_no: Option<i64>,
    change_no: Option<i64>,
    text_hash: Option<String>,
    method_hash: Option<String>,
    analysis: Option<Vec<u8>>,
    digest: Option<String>,
}

/// The stored analysis of a review.
#[derive(Debug, Clone)]
pub struct AnalysisRow {
    pub text_hash: String,
    pub method_hash: String,
    /// JSON, unless another program wrote it.
    pub analysis: Vec<u8>,
    /// Of the others, unless another program wrote one of them.
    pub digest: String,
}

/// The database and its newest change at the time of a read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DatabasePosition {
    /// Id of the database; restoring a copy of another database changes it.
    pub lineage: String,
    pub change_no: i64,
}

/// A review, with what stands beside it.
#[derive(Debug, Clone)]
pub struct Numbered {
    /// `review_change.review_no`; `None` if that row was deleted.
    pub review_no: Option<i64>,
    pub review: Review,
    pub dating: Dating,
    /// `None` if there is none, or if the query does not read it.
    pub analysis: Option<AnalysisRow>,
}

/// Whether a review's `updated_at` belongs to its present content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dating {
    /// Our own writer set it, or the publisher when it first saw the change.
    Dated,
    /// Another program wrote the review, and the publisher has not seen it yet.
    NeverDated,
    /// Another program changed the review since.
    ChangedSince,
}

/// The published reviews with their analyses, newest first: date descending, then id ascending.
pub fn newest(
    connection: &mut SqliteConnection,
) -> impl Stream<Item = sqlx::Result<Numbered>> + Send + '_ {
    let rows = select_reviews!(
        analysed r#"from review as r indexed by review_newest left join review_change as n on n.review_id = r.review_id
           left join derived_analysis as d on d.review_id = r.review_id where r.status = 'published' order by r.reviewed_on desc, r.review_id"#
    )
    .fetch(connection);
    rows.try_filter_map(|row| ready(Ok(numbered(row))))
}

/// The ids of the reviews that changed after `change_no`, deleted ones included.
pub async fn changed_ids(
    connection: &mut SqliteConnection,
    change_no: i64,
) -> sqlx::Result<HashSet<ReviewId>> {
    let ids = sqlx::query_scalar!(
        r#"select review_id as "id: Text" from review_change where change_no > ?"#,
        change_no
    )
    .fetch_all(connection)
    .await?;
    Ok(review_ids(&ids))
}

/// The published reviews with these ids and their analyses, in no particular order.
pub async fn published(
    connection: &mut SqliteConnection,
    ids: &[&str],
) -> sqlx::Result<Vec<Numbered>> {
    let ids = Value::from(ids).to_string();
    let rows = select_reviews!(
        analysed r#"from json_each(?) as i cross join review as r on r.review_id = i.value
           left join review_change as n on n.review_id = r.review_id
           left join derived_analysis as d on d.review_id = r.review_id where r.status = 'published'"#,
        ids
    )
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().filter_map(numbered).collect())
}

/// What is kept of a deletion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deletion {
    /// The source under which the review was shown.
    pub source_name: String,
    /// `YYYY-MM-DD`
    pub day: Option<String>,
    pub reason: Option<String>,
    /// Whether a command took its author's name away before.
    pub is_anonymized: bool,
}

#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly all are there")]
pub enum ReviewState {
    /// Published or withheld.
    There(Review),
    /// Its row breaks the table's checks.
    Unreadable,
    Deleted(Deletion),
}

/// The rows with these ids and the owner's notes, in no particular order.
pub(super) async fn of_ids(
    connection: &mut SqliteConnection,
    ids: &[&str],
) -> sqlx::Result<Vec<(ReviewId, ReviewState, Option<String>)>> {
    let ids = Value::from(ids).to_string();
    let rows = select_reviews!(
        r#"from json_each(?) as i cross join review as r on r.review_id = i.value
           left join review_change as n on n.review_id = r.review_id"#,
        ids
    )
    .fetch_all(connection)
    .await?;
    let states = rows.into_iter().filter_map(|mut row| {
        let id = row.id.parse().ok()?;
        let note = row.note.take();
        let review = numbered(row).map(|numbered| ReviewState::There(numbered.review));
        let state = review.unwrap_or(ReviewState::Unreadable);
        Some((id, state, note))
    });
    Ok(states.collect())
}

/// The database's id and newest change number (0 if there is none).
pub async fn position(connection: &mut SqliteConnection) -> sqlx::Result<DatabasePosition> {
    sqlx::query_as!(
        DatabasePosition,
        r#"select coalesce((select lineage_id from instance), '') as "lineage!: Text",
             coalesce((select max(change_no) from review_change), 0) as "change_no!: i64""#
    )
    .fetch_one(connection)
    .await
}

/// The ids of invalid rows.
pub async fn unreadable(connection: &mut SqliteConnection) -> sqlx::Result<Vec<String>> {
    let mut rows = select_reviews!(
        "from review as r left join review_change as n on n.review_id = r.review_id order by r.review_id"
    )
    .fetch(connection);
    let mut unreadable = Vec::new();
    while let Some(row) = rows.try_next().await? {
        if review(&row).is_none() {
            unreadable.push(row.id);
        }
    }
    Ok(unreadable)
}

/// The column of an invalid row that is no UTF-8, `mentions` for its rows in `mention`; `None` if another check of the table is broken.
pub async fn broken_column(
    connection: &mut SqliteConnection,
    id: &str,
) -> sqlx::Result<Option<String>> {
    let query = sqlx::query(
        "select *, (select group_concat(value) from mention as m where m.review_id = r.review_id) as mentions
         from review as r where review_id = ?",
    );
    let row = query.bind(id).fetch_one(connection).await?;
    let is_broken = |column: &&SqliteColumn| {
        let bytes: Option<&[u8]> = row.try_get_unchecked(column.ordinal()).ok();
        bytes.is_some_and(|bytes| str::from_utf8(bytes).is_err())
    };
    let broken = row.columns().iter().find(is_broken);
    Ok(broken.map(|column| column.name().to_owned()))
}

/// Reviews that are not published, with the number for each of the most frequent reasons.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reasons {
    pub count: u64,
    pub most_frequent: BTreeMap<String, u64>,
}

impl Reasons {
    /// `most_frequent` is a JSON object.
    pub(in crate::storage) fn new(count: i64, most_frequent: &Text) -> Self {
        Self {
            count: count.unsigned_abs(),
            most_frequent: serde_json::from_str(most_frequent.as_ref()).unwrap_or_default(),
        }
    }
}

/// The withheld reviews, with the 20 most frequent reasons.
pub async fn withheld(connection: &mut SqliteConnection) -> sqlx::Result<Reasons> {
    let row = sqlx::query!(
        r#"select coalesce(max("all"), 0) as "count!: i64", json_group_object(reason, count) as "reasons!: Text" from (
             select iif(octet_length(withheld_reason) > 1000, 'too long', coalesce(nullif(trim(withheld_reason), ''), 'not stated')) as reason,
               count(*) as count, sum(count(*)) over () as "all"
             from review where status = 'withheld' group by 1 order by 2 desc, 1 limit 20)"#
    )
    .fetch_one(connection)
    .await?;
    Ok(Reasons::new(row.count, &row.reasons))
}

/// `None` if the row is invalid; the reason is logged.
fn numbered(row: StoredReview) -> Option<Numbered> {
    let Some(review) = review(&row) else {
        tracing::warn!(review.id = %row.id, "review.unreadable: the row {INVALID_ROW}");
        return None;
    };
    let dating = match (row.bound_change_no, row.change_no) {
        (bound, change) if bound == change => Dating::Dated,
        (None, _) => Dating::NeverDated,
        (Some(_), _) => Dating::ChangedSince,
    };
    let hashes = row.text_hash.zip(row.method_hash).zip(row.digest);
    let analysis = hashes.zip(row.analysis);
    Some(Numbered {
        review_no: row.review_no,
        review,
        dating,
        analysis: analysis.map(
            |(((text_hash, method_hash), digest), analysis)| AnalysisRow {
                text_hash,
                method_hash,
                analysis,
                digest,
            },
        ),
    })
}

/// Why a row is not read: another program wrote it.
pub const INVALID_ROW: &str = "has bytes that are no UTF-8 or breaks the table's checks, and is left out; correct it with `sqlite3`, or delete it \
    and import with --restore a file that has only this review";

/// `None` if the row is invalid.
fn review(row: &StoredReview) -> Option<Review> {
    let mut review: Review = serde_json::from_slice(&row.json).ok()?;
    if review.status == Status::Published && review.verification.method.is_none() {
        return None;
    }
    // The later of the two counts: a shell may have set no time, or an earlier one.
    let observed_at = row.observed_at.as_deref().and_then(instant);
    review.updated_at = review.updated_at.max(observed_at);
    Some(review)
}

// Lists of reviews for the owner: published and withheld ones.

/// The ids of the reviews with this number of stars and this status, whatever the reason; newest first (date descending, then
/// id ascending).
pub async fn list_ids(
    connection: &mut SqliteConnection,
    rating: Option<u8>,
    status: Option<&str>,
) -> sqlx::Result<Vec<String>> {
    let ids = sqlx::query_scalar!(
        r#"select review_id as "id: Text" from review
           where (?1 is null or rating = ?1) and (?2 is null or status = ?2) order by reviewed_on desc, review_id"#,
        rating,
        status
    );
    Ok(strings(ids.fetch_all(connection).await?))
}

/// The ids that begin with this text, at most `count`, in order.
pub async fn ids_that_begin(
    connection: &mut SqliteConnection,
    text: &str,
    count: u32,
) -> sqlx::Result<Vec<String>> {
    // U+10FFFF comes after every character of an id.
    let ids = sqlx::query_scalar!(
        r#"select review_id as "id: Text" from review where review_id >= ?1 and review_id < ?1 || char(1114111)
           order by review_id limit ?2"#,
        text,
        count
    );
    Ok(strings(ids.fetch_all(connection).await?))
}

// Writes reviews: many per statement, and only those that differ, so that repeating a write changes nothing.

/// Adds or updates a batch of reviews with distinct ids. `now` becomes the `updated_at` of changed reviews that have
/// none, and of reviews that were deleted and come back.
///
/// # Errors
/// When the database refuses one; no review of the batch is written then.
pub async fn upsert(write: &mut Write, reviews: &[Review], now: DateTime<Utc>) -> sqlx::Result<()> {
    let now = utc_seconds(now);
    let rows = json!(reviews).to_string();
    let mentions = reviews.iter().flat_map(|review| {
        let pairs = review.mentions.pairs();
        pairs.map(|(kind, value)| json!([review.id, kind.name(), value]))
    });
    let mentions = mentions.collect::<Value>().to_string();
    let written = sqlx::query_scalar!(
        r#"insert into review (review_id, rating, reviewed_on, author, title, text, status, withheld_reason, language, source_name,
             source_url, verification, verified_at, reply_text, reply_on, reply_author, updated_at)
           select value ->> 'id', value ->> 'rating', value ->> 'date', value ->> 'author', value ->> 'title', value ->> 'text',
             iif(value ->> 'status' = 'Published', 'published', 'withheld'), value ->> '$.status.Withheld.reason',
             value ->> 'language', value ->> 'source', value ->> 'source_url', value ->> 'verification', value ->> 'verified_at',
             value ->> '$.owner_reply.text', value ->> '$.owner_reply.date', value ->> '$.owner_reply.author',
             coalesce((select ?2 from review_change as c where c.review_id = value ->> 'id'
                         and not exists (select 1 from review as r where r.review_id = c.review_id)), value ->> 'updated_at')
           from json_each(?1) where true
           on conflict (review_id) do update set rating = excluded.rating, reviewed_on = excluded.reviewed_on,
             author = excluded.author, title = excluded.title, text = excluded.text, status = excluded.status,
             withheld_reason = excluded.withheld_reason, language = excluded.language, source_name = excluded.source_name,
             source_url = excluded.source_url, verification = excluded.verification,
             verified_at = excluded.verified_at, reply_text = excluded.reply_text, reply_on = excluded.reply_on,
             reply_author = excluded.reply_author, updated_at = coalesce(excluded.updated_at, ?2)
           where (rating, reviewed_on, author, title, text, status, withheld_reason, language, source_name, source_url,
             verification, verified_at, reply_text, reply_on, reply_author) is not (excluded.rating,
             excluded.reviewed_on, excluded.author, excluded.title, excluded.text, excluded.status, excluded.withheld_reason,
             excluded.language, excluded.source_name, excluded.source_url, excluded.verification,
             excluded.verified_at, excluded.reply_text, excluded.reply_on, excluded.reply_author)
             or (excluded.updated_at is not null and updated_at is not excluded.updated_at)
           returning review_id"#,
        rows,
        now
    );
    let written = written.fetch_all(&mut *write).await?.into_iter();
    let mut changed: HashSet<String> = written.collect();
    let removed = sqlx::query_scalar!(
        r#"delete from mention where review_id in (select value ->> 'id' from json_each(?1))
             and (review_id, kind, value) not in (select value ->> 0, value ->> 1, value ->> 2 from json_each(?2))
           returning review_id"#,
        rows,
        mentions
    )
    .fetch_all(&mut *write)
    .await?;
    let added = sqlx::query_scalar!(
        r#"insert into mention (review_id, kind, value)
           select value ->> 0, value ->> 1, value ->> 2 from json_each(?) where true
           on conflict do nothing returning review_id"#,
        mentions
    )
    .fetch_all(&mut *write)
    .await?;
    changed.extend(removed);
    changed.extend(added);
    if changed.is_empty() {
        return Ok(());
    }
    let changed = json!(changed).to_string();
    // Their `updated_at` belongs to their present content.
    execute!(
        write,
        "update review_change set bound_change_no = change_no
         where review_id in (select value from json_each(?))",
        changed
    )
}

// The times at which the publisher first saw changes by other programs, stored before it shows the changes. This does
// not count as a change of a review: no trigger fires and no change number moves.

/// A change by another program that the publisher has seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    pub id: ReviewId,
    /// `None` if nothing visible changed, or if the writer gave a new review its own instant.
    pub observed_at: Option<DateTime<Utc>>,
}

/// Stores observations of reviews as of `change_no`; a review that has changed again since is left to the next
/// snapshot.
pub async fn observe(
    write: &mut Write,
    observations: &[Observation],
    change_no: i64,
) -> sqlx::Result<()> {
    let rows = observations.iter();
    let rows = rows.map(|one| json!([one.id, one.observed_at.map(utc)]));
    let rows = Value::Array(rows.collect()).to_string();
    execute!(
        write,
        "update review_change set bound_change_no = change_no, observed_at = coalesce(seen.value ->> 1, observed_at)
         from json_each(?1) as seen
         where review_id = seen.value ->> 0 and change_no <= ?2 and bound_change_no is not change_no",
        rows,
        change_no
    )
}

/// Deletes reviews, and returns their number if the database is a file; triggers delete dependent rows.
pub async fn delete_all(write: &mut Write, ids: &[&str]) -> sqlx::Result<u64> {
    let ids = Value::from(ids).to_string();
    let delete = sqlx::query!(
        "delete from review where review_id in (select value from json_each(?))",
        ids
    );
    Ok(delete.execute(&mut *write).await?.rows_affected())
}
