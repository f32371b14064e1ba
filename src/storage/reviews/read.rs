//! Reads reviews. An invalid row (a shell can switch checks off) is reported and left out; invalid UTF-8 becomes
//! U+FFFD. One invalid row never stops the others.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use futures_util::TryStreamExt;
use sqlx::SqliteConnection;

use super::packed::{PackedRow, packed, unpack};
use super::row::{Flaw, ascii, readable, review, text_lossy};
use crate::model::{Review, ReviewId};
use crate::storage::Text;

/// The database and its newest change at the time of a read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DatabasePosition {
    /// Id of the database; restoring a copy of another database changes it.
    pub lineage: String,
    pub change_no: i64,
}

/// A review and its number in the text index.
#[derive(Debug, Clone)]
pub struct Numbered {
    /// `review_change.review_no`; `None` if that row was deleted.
    pub review_no: Option<i64>,
    pub review: Review,
    /// Whether its `updated_at` belongs to its present content.
    pub binding: Binding,
}

/// Whether a review's `updated_at` is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binding {
    /// Set by our own writer, or by the publisher when it first saw the change.
    Bound,
    /// Written by another program and not yet seen by the publisher.
    New,
    /// Changed by another program since.
    Foreign,
}

/// A changed review; `None` if it was deleted.
#[derive(Debug)]
pub struct Changed {
    pub id: ReviewId,
    /// Published or withheld.
    pub review: Option<Numbered>,
}

/// Number of reviews per row of [`Newest`]: the cost of a row does not depend on its size.
const REVIEWS_PER_ROW: i64 = 256;

/// Reads the published reviews in batches, newest first: date descending, then id ascending.
#[derive(Debug, Default)]
pub struct Newest {
    /// Day and id of the last review read; greater than any stored value at the start.
    day: Option<Vec<u8>>,
    id: Vec<u8>,
}

impl Newest {
    /// The next older reviews, up to 256; `None` after the oldest. All have the same state of the database if
    /// `connection` is in a transaction.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn next(
        &mut self,
        connection: &mut SqliteConnection,
    ) -> sqlx::Result<Option<Vec<Review>>> {
        let reviews = self.next_numbered(connection).await?;
        Ok(reviews.map(|reviews| {
            reviews
                .into_iter()
                .map(|numbered| numbered.review)
                .collect()
        }))
    }

    /// As `next`, with each review's number.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn next_numbered(
        &mut self,
        connection: &mut SqliteConnection,
    ) -> sqlx::Result<Option<Vec<Numbered>>> {
        let mut rows = packed!(
            r#"select group_concat(packed, '') as "packed: Vec<u8>" from (select"#,
            "as packed from review as r indexed by review_newest
             where status = 'published' and reviewed_on = cast(? as text) and review_id > cast(? as text)
             order by review_id limit ?)",
            self.day,
            self.id,
            REVIEWS_PER_ROW
        )
        .fetch_one(&mut *connection)
        .await?;
        if rows.is_none() {
            rows = packed!(
                r#"select group_concat(packed, '') as "packed: Vec<u8>" from (select"#,
                "as packed from review as r indexed by review_newest
                 where status = 'published' and reviewed_on < coalesce(cast(? as text), x'')
                 order by reviewed_on desc, review_id limit ?)",
                self.day,
                REVIEWS_PER_ROW
            )
            .fetch_one(&mut *connection)
            .await?;
        }
        let Some(rows) = rows else { return Ok(None) };
        let mut rows = unpack(&rows);
        // The rows come in this order, but SQLite does not guarantee it for an aggregate.
        rows.sort_by_key(|row| (Reverse(row.reviewed_on), row.review_id));
        // Without this check, rows that cannot be unpacked would be read again and again.
        let Some(last) = rows.last() else {
            return Err(sqlx::Error::Decode("reviews cannot be unpacked".into()));
        };
        self.day = last.reviewed_on.map(<[u8]>::to_vec);
        self.id = last.review_id.unwrap_or_default().to_vec();
        Ok(Some(rows.iter().filter_map(numbered).collect()))
    }
}

/// Calls `take` with every published review, in the order of [`Newest`].
///
/// # Errors
/// When the database cannot be read.
pub async fn each_published(
    connection: &mut SqliteConnection,
    mut take: impl FnMut(Review) + Send,
) -> sqlx::Result<()> {
    let mut newest = Newest::default();
    while let Some(reviews) = newest.next(connection).await? {
        reviews.into_iter().for_each(&mut take);
    }
    Ok(())
}

/// Number of reviews that changed after `change_no`.
///
/// # Errors
/// When the database cannot be read.
pub async fn count_changed_since(
    connection: &mut SqliteConnection,
    change_no: i64,
) -> sqlx::Result<usize> {
    let count = sqlx::query_scalar!(
        "select count(*) from review_change where change_no > ?",
        change_no
    )
    .fetch_one(connection)
    .await?;
    Ok(usize::try_from(count).unwrap_or(0))
}

/// The reviews that changed after `change_no`, each once.
///
/// # Errors
/// When the database cannot be read.
pub async fn changed_since(
    connection: &mut SqliteConnection,
    change_no: i64,
) -> sqlx::Result<Vec<Changed>> {
    let ids = sqlx::query_scalar!(
        r#"select review_id as "id: Text" from review_change where change_no > ?"#,
        change_no
    )
    .fetch_all(&mut *connection)
    .await?;
    let rows = packed!(
        "select",
        r#"as "packed!: Vec<u8>" from review_change as c cross join review as r using (review_id) where c.change_no > ?"#,
        change_no
    )
    .fetch_all(connection)
    .await?;
    let rows = rows.iter().flat_map(|row| unpack(row));
    let mut reviews: HashMap<String, Numbered> = rows
        .filter_map(|row| numbered(&row))
        .map(|numbered| (numbered.review.id.to_string(), numbered))
        .collect();
    let ids = ids.iter().map(AsRef::as_ref);
    let changed = ids.filter_map(|id: &str| {
        Some(Changed {
            review: reviews.remove(id),
            id: id.parse().ok()?,
        })
    });
    Ok(changed.collect())
}

/// The published reviews with these ids, in no particular order.
///
/// # Errors
/// When the database cannot be read.
pub async fn published(
    connection: &mut SqliteConnection,
    ids: &[&str],
) -> sqlx::Result<Vec<Numbered>> {
    of_ids(connection, ids, true).await
}

/// The reviews with these ids, in no particular order; all of them, or only the published ones.
pub(super) async fn of_ids(
    connection: &mut SqliteConnection,
    ids: &[&str],
    is_published: bool,
) -> sqlx::Result<Vec<Numbered>> {
    let ids = serde_json::Value::from(ids).to_string();
    let rows = packed!(
        "select",
        r#"as "packed!: Vec<u8>" from json_each(?) as i cross join review as r on r.review_id = i.value
           where r.status = 'published' or not ?"#,
        ids,
        is_published
    )
    .fetch_all(connection)
    .await?;
    Ok(rows
        .iter()
        .flat_map(|row| unpack(row))
        .filter_map(|row| numbered(&row))
        .collect())
}

/// The review, published or withheld.
///
/// # Errors
/// When the database cannot be read.
pub async fn find(connection: &mut SqliteConnection, id: &str) -> sqlx::Result<Option<Review>> {
    let row = packed!(
        "select",
        r#"as "packed!: Vec<u8>" from review as r where review_id = ?"#,
        id
    )
    .fetch_optional(connection)
    .await?;
    Ok(row.and_then(|row| unpack(&row).first().and_then(readable)))
}

/// The database's id and newest change number.
///
/// # Errors
/// When the database cannot be read.
pub async fn position(connection: &mut SqliteConnection) -> sqlx::Result<DatabasePosition> {
    let lineage = sqlx::query_scalar!(r#"select lineage_id as "id: Text" from lineage"#)
        .fetch_optional(&mut *connection)
        .await?;
    Ok(DatabasePosition {
        lineage: lineage.unwrap_or_default().into(),
        change_no: newest_change(connection).await?,
    })
}

/// The newest change number; 0 if there is none.
///
/// # Errors
/// When the database cannot be read.
pub async fn newest_change(connection: &mut SqliteConnection) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        r#"select coalesce(max(change_no), 0) as "change_no!: i64" from review_change"#
    )
    .fetch_one(connection)
    .await
}

/// The first `limit` ids of invalid rows, each with the reason.
///
/// # Errors
/// When the database cannot be read.
pub async fn unreadable(
    connection: &mut SqliteConnection,
    limit: usize,
) -> sqlx::Result<Vec<(String, Flaw)>> {
    let mut rows = packed!(
        "select",
        r#"as "packed!: Vec<u8>" from review as r order by review_id"#
    )
    .fetch(connection);
    let mut unreadable = Vec::new();
    while let Some(packed) = rows.try_next().await? {
        let row = unpack(&packed).into_iter().next();
        let flaw = row
            .as_ref()
            .map_or(Some(Flaw::Broken), |row| review(row).err());
        if let Some(flaw) = flaw.filter(|_| unreadable.len() < limit) {
            unreadable.push((
                row.and_then(|row| row.review_id)
                    .map(text_lossy)
                    .unwrap_or_default(),
                flaw,
            ));
        }
    }
    Ok(unreadable)
}

/// Number of withheld reviews by reason.
///
/// # Errors
/// When the database cannot be read.
pub async fn withheld(connection: &mut SqliteConnection) -> sqlx::Result<BTreeMap<String, u64>> {
    let rows = sqlx::query!(
        r#"select iif(octet_length(withheld_reason) > 1000, 'too long', coalesce(nullif(withheld_reason, ''), 'not stated')) as "reason!: Text", count(*) as "count!: i64"
           from review where status = 'withheld' group by 1"#
    )
    .fetch_all(connection)
    .await?;
    let mut withheld = BTreeMap::new();
    for row in rows {
        // Reasons with replaced bytes may now be equal to others.
        *withheld.entry(row.reason.into()).or_insert(0) += u64::try_from(row.count).unwrap_or(0);
    }
    Ok(withheld)
}

fn numbered(row: &PackedRow<'_>) -> Option<Numbered> {
    let review_no = ascii(row.review_no).and_then(|number| number.parse().ok());
    let binding = match row.binding {
        Some(b"n") => Binding::New,
        Some(b"f") => Binding::Foreign,
        Some(_) | None => Binding::Bound,
    };
    readable(row).map(|review| Numbered {
        review_no,
        review,
        binding,
    })
}

// Technicians recorded in mentions.

/// Every technician recorded in a mention, published or not: each spelling once, sorted. The cost is one step for each
/// name, not for each mention.
///
/// # Errors
/// When the database cannot be read.
pub async fn recorded_technicians(connection: &mut SqliteConnection) -> sqlx::Result<Vec<String>> {
    let rows = sqlx::query_scalar!(
        r#"with recursive name (value) as (
             select min(value) from mention where kind = 'technician'
             union all
             select (select min(value) from mention where kind = 'technician' and value > name.value) from name
               where name.value is not null)
           select value as "value!: Text" from name where octet_length(value) <= 65536"#
    )
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().map(String::from).collect())
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;

    use crate::model::Review;
    use crate::storage::Database;

    /// The columns that the statement derives from `n`.
    fn assert_as_written(review: &Review) {
        let n: usize = review.id.as_str()[2..].parse().unwrap();
        assert_eq!(usize::from(review.rating.stars()), 1 + n % 5);
        assert_eq!(
            review.text,
            if n.is_multiple_of(7) {
                String::new()
            } else {
                format!("5:;{n}\0\u{1f}😀")
            }
        );
        assert_eq!(review.title, n.is_multiple_of(3).then(|| ";".to_owned()));
        assert_eq!(
            review
                .response
                .as_ref()
                .map(|response| response.text.as_str()),
            n.is_multiple_of(4).then_some("")
        );
        assert_eq!(review.mentions.technicians.len(), usize::from(n % 5 < 2));
        assert!(
            review
                .mentions
                .technicians
                .iter()
                .all(|name| *name == format!(";\u{1e}\u{1f}r-{n}"))
        );
        assert_eq!(
            review.mentions.services,
            if n.is_multiple_of(5) {
                vec!["1:".to_owned()]
            } else {
                Vec::new()
            }
        );
    }

    #[tokio::test]
    async fn every_published_review_is_read_once_in_order_however_many_a_day_has() {
        let directory = tempfile::tempdir().unwrap();
        let (database, _) = Database::open(&directory.path().join("reviews.db"))
            .await
            .unwrap();
        let mut write = database.write().await.unwrap();
        // 700 on one day, two days of 256, and one on each of 300 days; every ninth is withheld.
        let rows = "with recursive n (n) as (select 0 union all select n + 1 from n where n < 1511)
        insert into review (review_id, rating, reviewed_on, text, title, status, response_text)
        select 'r-' || n, 1 + n % 5,
          date('2020-01-01', case when n < 700 then 0 when n < 956 then 1 when n < 1212 then -1 else 955 - n end || ' days'),
          iif(n % 7, '5:;' || n || char(0, 31, 128512), ''), iif(n % 3, null, ';'), iif(n % 9, 'published', 'withheld'),
          iif(n % 4, null, '') from n";
        sqlx::query(rows).execute(&mut *write).await.unwrap();
        let mentions = "insert into mention select review_id, 'technician', ';' || char(30, 31) || review_id from review
        where rating < 3 union all select review_id, 'service', '1:' from review where rating = 1";
        sqlx::query(mentions).execute(&mut *write).await.unwrap();
        write.commit().await.unwrap();

        let mut connection = database.readers().acquire().await.unwrap();
        let mut read = Vec::new();
        super::each_published(&mut connection, |review| read.push(review))
            .await
            .unwrap();
        assert_eq!(read.len(), (0..1512).filter(|n| n % 9 != 0).count());
        assert!(read.is_sorted_by_key(|review| (Reverse(review.date), review.id.clone())));
        for review in &read {
            assert_as_written(review);
            assert_eq!(
                super::find(&mut connection, review.id.as_str())
                    .await
                    .unwrap()
                    .as_ref(),
                Some(review)
            );
        }
        assert_eq!(
            super::changed_since(&mut connection, 0)
                .await
                .unwrap()
                .len(),
            1512
        );
    }
}
