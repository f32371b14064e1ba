//! Reading reviews. A row that no review can be made of (checks can be switched off in a shell) is reported and left
//! out; text that is no UTF-8 is mended with U+FFFD. One bad row never stops the others.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use futures_util::TryStreamExt;
use sqlx::SqliteConnection;

use crate::db::Text;
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
    review_id: Text,
    rating: i64,
    reviewed_on: Text,
    author: Text,
    title: Option<Text>,
    text: Text,
    status: Text,
    withheld_reason: Option<Text>,
    language: Option<Text>,
    source_name: Text,
    source_url: Option<Text>,
    verified: i64,
    verification_method: Text,
    verified_at: Option<Text>,
    response_text: Option<Text>,
    response_on: Option<Text>,
    response_author: Option<Text>,
    updated_at: Option<Text>,
    mentions: Option<Text>,
}

/// The one list of columns that a [`Row`] is made of, followed by the rest of the query.
macro_rules! rows {
    ($rest:tt $(, $argument:expr)*) => {
        sqlx::query_as!(
            Row,
            r#"select r.review_id as "review_id: Text", rating, reviewed_on as "reviewed_on: Text", author as "author: Text",
                 title as "title: Text", text as "text: Text", status as "status: Text",
                 withheld_reason as "withheld_reason: Text", language as "language: Text", source_name as "source_name: Text",
                 source_url as "source_url: Text", verified, verification_method as "verification_method: Text",
                 verified_at as "verified_at: Text", response_text as "response_text: Text", response_on as "response_on: Text",
                 response_author as "response_author: Text", updated_at as "updated_at: Text",
                 (select group_concat(kind || char(31) || value, char(30)) from mention as m where m.review_id = r.review_id)
                   as "mentions: Text" "# + $rest
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
    let ids = sqlx::query_scalar!(r#"select review_id as "id: Text" from review_change where change_no > ?"#, change_no)
        .fetch_all(&mut *connection)
        .await?;
    let rows = rows!("from review_change as c cross join review as r using (review_id) where c.change_no > ?", change_no)
        .fetch_all(connection)
        .await?;
    let mut reviews: HashMap<String, Review> =
        rows.into_iter().filter_map(readable).map(|review| (review.id.to_string(), review)).collect();
    let ids = ids.iter().map(AsRef::as_ref);
    let changed = ids.filter_map(|id: &str| Some(Changed { review: reviews.remove(id), id: id.parse().ok()? }));
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
    let lineage = sqlx::query_scalar!(r#"select lineage_id as "id: Text" from lineage"#).fetch_optional(&mut *connection).await?;
    Ok(Reading { lineage: lineage.unwrap_or_default().into(), change_no: newest_change(connection).await? })
}

/// The newest change number; 0 where nothing was ever written.
///
/// # Errors
/// When the database cannot be read.
pub async fn newest_change(connection: &mut SqliteConnection) -> sqlx::Result<i64> {
    sqlx::query_scalar!(r#"select coalesce(max(change_no), 0) as "change_no!: i64" from review_change"#).fetch_one(connection).await
}

/// The ids of rows that no review can be made of, the first `limit` of them.
///
/// # Errors
/// When the database cannot be read.
pub async fn unreadable(connection: &mut SqliteConnection, limit: usize) -> sqlx::Result<Vec<String>> {
    let mut rows = rows!("from review as r order by review_id").fetch(connection);
    let mut unreadable = Vec::new();
    while let Some(row) = rows.try_next().await? {
        let id = row.review_id.clone();
        if unreadable.len() < limit && review(row).is_none() {
            unreadable.push(id.into());
        }
    }
    Ok(unreadable)
}

/// How many reviews are withheld, by reason.
///
/// # Errors
/// When the database cannot be read.
pub async fn withheld(connection: &mut SqliteConnection) -> sqlx::Result<BTreeMap<String, u64>> {
    let rows = sqlx::query!(
        r#"select coalesce(nullif(withheld_reason, ''), 'not stated') as "reason!: Text", count(*) as "count!: i64"
           from review where status = 'withheld' group by 1"#
    )
    .fetch_all(connection)
    .await?;
    let mut withheld = BTreeMap::new();
    for row in rows {
        // Reasons that were mended may have become the same.
        *withheld.entry(row.reason.into()).or_insert(0) += u64::try_from(row.count).unwrap_or(0);
    }
    Ok(withheld)
}

fn readable(row: Row) -> Option<Review> {
    let id = row.review_id.clone();
    let review = review(row);
    if review.is_none() {
        tracing::warn!(
            review.id = id.as_ref(),
            "review.unreadable: the row breaks the table's checks and is left out; correct or delete it"
        );
    }
    review
}

fn review(row: Row) -> Option<Review> {
    let status = match (row.status.as_ref(), row.verified) {
        ("published", 1) => Status::Published,
        ("withheld", _) => Status::Withheld { reason: row.withheld_reason.map(String::from) },
        _ => return None,
    };
    Some(Review {
        id: row.review_id.as_ref().parse().ok()?,
        rating: Rating::try_from(row.rating).ok()?,
        date: row.reviewed_on.as_ref().parse().ok()?,
        author: row.author.into(),
        title: row.title.map(String::from),
        text: row.text.into(),
        language: row.language.map(String::from),
        source: Source { name: row.source_name.into(), url: row.source_url.map(String::from) },
        verification: Verification {
            verified: row.verified == 1,
            method: Method::find(row.verification_method.as_ref())?,
            verified_at: row.verified_at.as_ref().and_then(instant),
        },
        mentions: row.mentions.map(|packed| mentions(packed.as_ref())).unwrap_or_default(),
        response: row.response_text.map(|text| Response {
            text: text.into(),
            date: row.response_on.and_then(|day| day.as_ref().parse::<Day>().ok()),
            author: row.response_author.map(String::from),
        }),
        status,
        updated_at: row.updated_at.as_ref().and_then(instant),
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

fn instant(text: &Text) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text.as_ref()).ok().map(|instant| instant.to_utc())
}
