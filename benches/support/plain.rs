//! The two plans for comparison: one scan of one buffer of all texts, and an FTS5 query in its usual form.

use memchr::memmem::Finder;
use reviews_service::model::{Review, fold};
use reviews_service::search::{MATCHED_MAX, SearchParameters};
use sqlx::{QueryBuilder, Row, Sqlite, SqliteConnection};

/// The bounded total, and the IDs of the page.
pub type Answer = (u64, Vec<String>);

/// All folded texts in one buffer, newest first, and the columns for filters.
#[derive(Debug, Default)]
pub struct Buffer {
    texts: Vec<u8>,
    ends: Vec<usize>,
    rows: Vec<Columns>,
}

#[derive(Debug)]
struct Columns {
    id: String,
    day: i32,
    stars: u8,
    technicians: Vec<String>,
    services: Vec<String>,
}

impl Buffer {
    /// The buffer of `reviews`, which must arrive newest first.
    pub fn new(reviews: impl Iterator<Item = Review>) -> Self {
        let mut buffer = Self::default();
        for review in reviews {
            buffer
                .texts
                .extend_from_slice(fold(&review.text).as_bytes());
            buffer.texts.push(0xFF);
            buffer.ends.push(buffer.texts.len());
            buffer.rows.push(Columns {
                id: review.id.to_string(),
                day: review.date.number(),
                stars: review.rating.stars(),
                technicians: review
                    .mentions
                    .technicians
                    .iter()
                    .map(|name| fold(name))
                    .collect(),
                services: review.mentions.services,
            });
        }
        buffer
    }

    /// The size of the buffer in bytes.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.texts.len()
    }

    /// The text of a review, for random queries.
    #[must_use]
    pub fn text(&self, row: usize) -> &str {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        std::str::from_utf8(&self.texts[start..self.ends[row] - 1]).unwrap_or_default()
    }

    /// The number of reviews.
    #[must_use]
    pub const fn rows(&self) -> usize {
        self.rows.len()
    }

    /// One `memmem` over the texts within the dates; columns are checked only for its matches.
    #[must_use]
    pub fn search(&self, filter: &SearchParameters, limit: usize) -> Answer {
        let first = filter.until.map_or(0, |day| {
            self.rows.partition_point(|row| row.day > day.number())
        });
        let end = filter.since.map_or(self.rows.len(), |day| {
            self.rows.partition_point(|row| row.day >= day.number())
        });
        let whole = filter.query.as_deref().map(fold);
        let total_max = if whole.is_some() {
            MATCHED_MAX
        } else {
            u64::MAX
        };
        let finder = Finder::new(whole.as_deref().unwrap_or_default());
        let (mut total, mut ids, mut row) = (0, Vec::with_capacity(limit), first);
        let mut at = first.checked_sub(1).map_or(0, |before| self.ends[before]);
        while row < end
            && let Some(found) = finder.find(&self.texts[at..self.ends[end - 1]])
        {
            let found = at + found;
            // An empty query matches at the start of the next text.
            while self.ends[row] <= found {
                row += 1;
            }
            if self.takes(row, filter) {
                if ids.len() < limit {
                    ids.push(self.rows[row].id.clone());
                }
                total += 1;
                if total > total_max {
                    break;
                }
            }
            at = self.ends[row];
            row += 1;
        }
        (total.min(total_max), ids)
    }

    fn takes(&self, row: usize, filter: &SearchParameters) -> bool {
        let row = &self.rows[row];
        let stars = f64::from(row.stars);
        let technician = filter.mentions_technician.as_deref().map(fold);
        filter.rating.is_none_or(|rating| rating == row.stars)
            && filter.min_rating.is_none_or(|least| stars >= least)
            && filter.max_rating.is_none_or(|most| stars <= most)
            && technician.is_none_or(|name| row.technicians.contains(&name))
            && (filter.mentions_service.as_ref()).is_none_or(|id| row.services.contains(id))
    }
}

/// Matches a phrase, joins, sorts by date and takes the page; then counts up to the bound.
///
/// # Panics
/// If the database cannot be read, because there is nothing to compare with.
pub async fn fts(
    connection: &mut SqliteConnection,
    arguments: &SearchParameters,
    limit: i64,
) -> Answer {
    let mut page = question(
        "select r.review_id, r.rating, r.reviewed_on, r.author, r.text, r.source_name, r.updated_at",
        arguments,
        " order by r.reviewed_on desc, r.review_id limit ",
        limit,
    );
    let page = page.build().fetch_all(&mut *connection).await.unwrap();
    let bound = i64::try_from(MATCHED_MAX).unwrap_or(i64::MAX);
    let mut count = question(
        "select count(*) from (select 1",
        arguments,
        " limit ",
        bound,
    );
    let total: i64 = count
        .push(")")
        .build()
        .fetch_one(connection)
        .await
        .unwrap()
        .get(0);
    (
        total.unsigned_abs(),
        page.iter().map(|row| row.get(0)).collect(),
    )
}

/// Uses the text index first (with `cross join`: without statistics `SQLite` may begin with the dates, which is much
/// slower), then the review, then the filters' conditions.
fn question(
    select: &str,
    arguments: &SearchParameters,
    end: &str,
    bound: i64,
) -> QueryBuilder<Sqlite> {
    let mut sql = QueryBuilder::new(select);
    sql.push(" from review_fts as f cross join review as r on r.review_id = f.review_id where f.review_fts match ");
    sql.push_bind(format!(
        "\"{}\"",
        arguments
            .query
            .as_deref()
            .unwrap_or_default()
            .replace('"', "\"\"")
    ));
    sql.push(" and r.status = 'published'");
    if let Some(since) = arguments.since {
        sql.push(" and r.reviewed_on >= ")
            .push_bind(since.to_string());
    }
    if let Some(until) = arguments.until {
        sql.push(" and r.reviewed_on <= ")
            .push_bind(until.to_string());
    }
    if let Some(rating) = arguments.rating {
        sql.push(" and r.rating = ").push_bind(i64::from(rating));
    }
    if let Some(name) = &arguments.mentions_technician {
        sql.push(
            " and exists (select 1 from mention as m where m.review_id = r.review_id and m.kind = 'technician' and m.value = ",
        );
        sql.push_bind(name.clone()).push(")");
    }
    sql.push(end).push_bind(bound);
    sql
}
