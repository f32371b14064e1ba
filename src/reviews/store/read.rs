//! Reading reviews. A row that no review can be made of (checks can be switched off in a shell) is reported and left
//! out; text that is no UTF-8 is mended with U+FFFD. One bad row never stops the others.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use futures_util::TryStreamExt;
use sqlx::SqliteConnection;

use crate::reviews::day::Day;
use crate::reviews::review::{Mentions, Method, Rating, Response, Review, ReviewId, Source, Status, Verification};

/// Where a reading stands: which database, and its newest change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// The database's own id; a restored copy of another one has another.
    pub lineage: String,
    /// The newest change number.
    pub change_no: i64,
}

/// A review that changed: as it is now, or `None` where it is gone.
#[derive(Debug)]
pub struct Changed {
    /// Its id.
    pub id: ReviewId,
    /// The review, published or withheld.
    pub review: Option<Review>,
}

#[derive(Debug)]
struct Row {
    review_id: String,
    rating: i64,
    reviewed_on: String,
    author: Vec<u8>,
    title: Option<Vec<u8>>,
    text: Vec<u8>,
    status: String,
    withheld_reason: Option<Vec<u8>>,
    language: Option<Vec<u8>>,
    source_name: Vec<u8>,
    source_url: Option<Vec<u8>>,
    verified: i64,
    verification_method: String,
    verified_at: Option<String>,
    response_text: Option<Vec<u8>>,
    response_on: Option<String>,
    response_author: Option<Vec<u8>>,
    updated_at: Option<String>,
    mentions: Option<Vec<u8>>,
}

/// The one list of columns that a [`Row`] is made of, followed by the rest of the query.
macro_rules! rows {
    ($rest:tt $(, $argument:expr)*) => {
        sqlx::query_as!(
            Row,
            r#"select r.review_id, rating, reviewed_on, author as "author: Vec<u8>", title as "title: Vec<u8>", text as "text: Vec<u8>",
                 status, withheld_reason as "withheld_reason: Vec<u8>", language as "language: Vec<u8>",
                 source_name as "source_name: Vec<u8>", source_url as "source_url: Vec<u8>", verified, verification_method,
                 verified_at, response_text as "response_text: Vec<u8>", response_on,
                 response_author as "response_author: Vec<u8>", updated_at,
                 (select group_concat(kind || char(31) || value, char(30)) from mention as m where m.review_id = r.review_id)
                   as "mentions: Vec<u8>" "# + $rest
            $(, $argument)*
        )
    };
}

/// Calls `take` with every published review, newest first: date descending, then id ascending.
///
/// # Errors
/// When the database cannot be read.
pub async fn each_published(connection: &mut SqliteConnection, mut take: impl FnMut(Review) + Send) -> sqlx::Result<()> {
    let mut rows =
        rows!("from review as r indexed by review_newest where status = 'published' order by reviewed_on desc, review_id")
            .fetch(connection);
    while let Some(row) = rows.try_next().await? {
        if let Some(review) = readable(row) {
            take(review);
        }
    }
    Ok(())
}

/// How many reviews changed after `change_no`.
///
/// # Errors
/// When the database cannot be read.
pub async fn count_changed_since(connection: &mut SqliteConnection, change_no: i64) -> sqlx::Result<usize> {
    let count =
        sqlx::query_scalar!("select count(*) from review_change where change_no > ?", change_no).fetch_one(connection).await?;
    Ok(usize::try_from(count).unwrap_or(0))
}

/// The reviews that changed after `change_no`, each once.
///
/// # Errors
/// When the database cannot be read.
pub async fn changed_since(connection: &mut SqliteConnection, change_no: i64) -> sqlx::Result<Vec<Changed>> {
    let ids = sqlx::query_scalar!("select review_id from review_change where change_no > ?", change_no)
        .fetch_all(&mut *connection)
        .await?;
    let rows = rows!("from review_change as c cross join review as r using (review_id) where c.change_no > ?", change_no)
        .fetch_all(connection)
        .await?;
    let mut reviews: HashMap<String, Review> =
        rows.into_iter().filter_map(readable).map(|review| (review.id.to_string(), review)).collect();
    let changed = ids.into_iter().filter_map(|id| Some(Changed { review: reviews.remove(&id), id: id.parse().ok()? }));
    Ok(changed.collect())
}

/// The review of that id, published or withheld.
///
/// # Errors
/// When the database cannot be read.
pub async fn find(connection: &mut SqliteConnection, id: &ReviewId) -> sqlx::Result<Option<Review>> {
    let id = id.as_str();
    let row = rows!("from review as r where review_id = ?", id).fetch_optional(connection).await?;
    Ok(row.and_then(readable))
}

/// Which database this is, and its newest change number.
///
/// # Errors
/// When the database cannot be read.
pub async fn position(connection: &mut SqliteConnection) -> sqlx::Result<Reading> {
    let lineage = sqlx::query_scalar!("select lineage_id from lineage").fetch_optional(&mut *connection).await?;
    Ok(Reading { lineage: lineage.unwrap_or_default(), change_no: newest_change(connection).await? })
}

/// The newest change number; 0 where nothing was ever written.
///
/// # Errors
/// When the database cannot be read.
pub async fn newest_change(connection: &mut SqliteConnection) -> sqlx::Result<i64> {
    sqlx::query_scalar!(r#"select coalesce(max(change_no), 0) as "change_no!: i64" from review_change"#).fetch_one(connection).await
}

/// How many reviews are withheld, by reason.
///
/// # Errors
/// When the database cannot be read.
pub async fn withheld(connection: &mut SqliteConnection) -> sqlx::Result<BTreeMap<String, u64>> {
    let rows = sqlx::query!(
        r#"select coalesce(nullif(withheld_reason, ''), 'not stated') as "reason!: Vec<u8>", count(*) as "count!: i64"
           from review where status = 'withheld' group by 1"#
    )
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().map(|row| (mended(row.reason), u64::try_from(row.count).unwrap_or(0))).collect())
}

fn readable(row: Row) -> Option<Review> {
    let id = row.review_id.clone();
    let review = review(row);
    if review.is_none() {
        tracing::warn!(
            review.id = id,
            "review.unreadable: the row breaks the table's checks and is left out; correct or delete it"
        );
    }
    review
}

fn review(row: Row) -> Option<Review> {
    let status = match row.status.as_str() {
        "published" => Status::Published,
        "withheld" => Status::Withheld { reason: row.withheld_reason.map(mended) },
        _ => return None,
    };
    Some(Review {
        id: row.review_id.parse().ok()?,
        rating: Rating::try_from(row.rating).ok()?,
        date: row.reviewed_on.parse().ok()?,
        author: mended(row.author),
        title: row.title.map(mended),
        text: mended(row.text),
        language: row.language.map(mended),
        source: Source { name: mended(row.source_name), url: row.source_url.map(mended) },
        verification: Verification {
            verified: row.verified == 1,
            method: Method::find(&row.verification_method)?,
            verified_at: row.verified_at.as_deref().and_then(instant),
        },
        mentions: row.mentions.map(|packed| mentions(&mended(packed))).unwrap_or_default(),
        response: row.response_text.map(|text| Response {
            text: mended(text),
            date: row.response_on.as_deref().and_then(|day| day.parse::<Day>().ok()),
            author: row.response_author.map(mended),
        }),
        status,
        updated_at: row.updated_at.as_deref().and_then(instant),
    })
}

/// Undoes the query's packing: records end with 0x1E, and 0x1F stands between kind and value.
fn mentions(packed: &str) -> Mentions {
    let of = |kind: &str| {
        let pairs = packed.split('\u{1e}').filter_map(|record| record.split_once('\u{1f}'));
        pairs.filter(|(its, _)| *its == kind).map(|(_, value)| value.to_owned()).collect()
    };
    Mentions::new(of("technician"), of("service"), of("service_area"))
}

fn instant(text: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text).ok().map(|instant| instant.to_utc())
}

fn mended(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
