//! Writes reviews: many per statement, and only those that differ, so that repeating a write changes nothing.

use std::collections::HashSet;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

use crate::model::{Review, Status};
use crate::storage::Write;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// Reviews that did not exist before.
    pub new: u64,
    /// Existing reviews that differed.
    pub updated: u64,
    /// Existing reviews without a difference.
    pub unchanged: u64,
}

impl Written {
    pub const fn add(&mut self, other: Self) {
        self.new += other.new;
        self.updated += other.updated;
        self.unchanged += other.unchanged;
    }
}

/// Adds or updates a batch of reviews with distinct ids. `now` becomes the `updated_at` of changed reviews that have
/// none.
///
/// # Errors
/// When the database refuses one; no review of the batch is written then.
pub async fn upsert(
    write: &mut Write,
    reviews: &[Review],
    now: DateTime<Utc>,
) -> sqlx::Result<Written> {
    let now = now.to_rfc3339_opts(SecondsFormat::Secs, true);
    let rows = Value::Array(reviews.iter().map(row).collect()).to_string();
    let mentions = Value::Array(reviews.iter().flat_map(mention_rows).collect()).to_string();
    let existing: HashSet<String> =
        sqlx::query_scalar!(r#"select review_id from review where review_id in (select value ->> 'id' from json_each(?))"#, rows)
            .fetch_all(&mut **write)
            .await?
            .into_iter()
            .collect();
    let mut changed: HashSet<String> = sqlx::query_scalar!(
        r#"insert into review (review_id, rating, reviewed_on, author, title, text, status, withheld_reason, language, source_name,
             source_url, verified, verification_method, verified_at, response_text, response_on, response_author, updated_at)
           select value ->> 'id', value ->> 'rating', value ->> 'date', value ->> 'author', value ->> 'title', value ->> 'text',
             value ->> 'status', value ->> 'reason', value ->> 'language', value ->> 'source', value ->> 'source_url',
             value ->> 'verified', value ->> 'method', value ->> 'verified_at', value ->> 'response', value ->> 'response_on',
             value ->> 'response_author', value ->> 'updated_at'
           from json_each(?1) where true
           on conflict (review_id) do update set rating = excluded.rating, reviewed_on = excluded.reviewed_on,
             author = excluded.author, title = excluded.title, text = excluded.text, status = excluded.status,
             withheld_reason = excluded.withheld_reason, language = excluded.language, source_name = excluded.source_name,
             source_url = excluded.source_url, verified = excluded.verified, verification_method = excluded.verification_method,
             verified_at = excluded.verified_at, response_text = excluded.response_text, response_on = excluded.response_on,
             response_author = excluded.response_author, updated_at = coalesce(excluded.updated_at, ?2)
           where rating is not excluded.rating or reviewed_on is not excluded.reviewed_on or author is not excluded.author
             or title is not excluded.title or text is not excluded.text or status is not excluded.status
             or withheld_reason is not excluded.withheld_reason or language is not excluded.language
             or source_name is not excluded.source_name or source_url is not excluded.source_url
             or verified is not excluded.verified or verification_method is not excluded.verification_method
             or verified_at is not excluded.verified_at or response_text is not excluded.response_text
             or response_on is not excluded.response_on or response_author is not excluded.response_author
             or (excluded.updated_at is not null and updated_at is not excluded.updated_at)
           returning review_id"#,
        rows,
        now
    )
    .fetch_all(&mut **write)
    .await?
    .into_iter()
    .collect();
    let removed = sqlx::query_scalar!(
        r#"delete from mention where review_id in (select value ->> 'id' from json_each(?1))
             and (review_id, kind, value) not in (select value ->> 0, value ->> 1, value ->> 2 from json_each(?2))
           returning review_id"#,
        rows,
        mentions
    )
    .fetch_all(&mut **write)
    .await?;
    let added = sqlx::query_scalar!(
        r#"insert into mention (review_id, kind, value)
           select value ->> 0, value ->> 1, value ->> 2 from json_each(?) where true
           on conflict do nothing returning review_id"#,
        mentions
    )
    .fetch_all(&mut **write)
    .await?;
    changed.extend(removed);
    changed.extend(added);
    bind(write, &changed).await?;
    let count = |wanted: &dyn Fn(&str) -> bool| {
        reviews
            .iter()
            .filter(|review| wanted(review.id.as_str()))
            .count() as u64
    };
    Ok(Written {
        new: count(&|id| !existing.contains(id)),
        updated: count(&|id| existing.contains(id) && changed.contains(id)),
        unchanged: count(&|id| existing.contains(id) && !changed.contains(id)),
    })
}

/// Marks the `updated_at` of these reviews as belonging to their present content.
async fn bind(write: &mut Write, ids: &HashSet<String>) -> sqlx::Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let ids: Value = ids.iter().map(String::as_str).collect();
    let ids = ids.to_string();
    sqlx::query!(
        "update review_change set bound_change_no = change_no
         where review_id in (select value from json_each(?))",
        ids
    )
    .execute(&mut **write)
    .await?;
    Ok(())
}

fn row(review: &Review) -> Value {
    let Review {
        id,
        rating,
        date,
        author,
        title,
        text,
        language,
        source,
        verification,
        mentions: _,
        response,
        status,
        updated_at,
    } = review;
    let reason = match status {
        Status::Published => None,
        Status::Withheld { reason } => reason.clone(),
    };
    let utc = |instant: &DateTime<Utc>| instant.to_rfc3339_opts(SecondsFormat::AutoSi, true);
    json!({
        "id": id.as_str(), "rating": rating.stars(), "date": date.to_string(), "author": author, "title": title, "text": text,
        "status": status.name(), "reason": reason, "language": language, "source": source.name, "source_url": source.url,
        "verified": i64::from(verification.verified), "method": verification.method.name(),
        "verified_at": verification.verified_at.as_ref().map(utc),
        "response": response.as_ref().map(|response| &response.text),
        "response_on": response.as_ref().and_then(|response| response.date).map(|day| day.to_string()),
        "response_author": response.as_ref().and_then(|response| response.author.as_ref()),
        "updated_at": updated_at.as_ref().map(utc),
    })
}

fn mention_rows(review: &Review) -> impl Iterator<Item = Value> {
    let id = review.id.as_str();
    let of = move |kind: &'static str, values: &[String]| {
        values
            .iter()
            .map(|value| json!([id, kind, value]))
            .collect::<Vec<_>>()
    };
    let mentions = &review.mentions;
    of("technician", &mentions.technicians)
        .into_iter()
        .chain(of("service", &mentions.services))
        .chain(of("service_area", &mentions.service_areas))
}

// The times at which the publisher first saw changes by other programs, stored before it shows the changes. This does
// not count as a change of a review: no trigger fires and no change number moves.

/// A change by another program that the publisher has seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    pub review_no: i64,
    /// `None` if nothing visible changed, or if the writer gave a new review its own instant.
    pub observed_at: Option<DateTime<Utc>>,
}

/// Stores observations of reviews as of `change_no`; a review that has changed again since is left to the next
/// snapshot. Fails as overtaken ([`crate::storage::is_overtaken`]) if another process was first.
///
/// # Errors
/// When the database refuses the write.
pub async fn observe(
    write: &mut Write,
    observations: &[Observation],
    change_no: i64,
) -> sqlx::Result<()> {
    let row = |one: &Observation| {
        let at = one
            .observed_at
            .map(|at| at.to_rfc3339_opts(SecondsFormat::AutoSi, true));
        json!([one.review_no, at])
    };
    let rows = Value::Array(observations.iter().map(row).collect()).to_string();
    let values = [Value::from(rows.as_str()), Value::from(change_no)];
    write
        .guard(
            "not exists (select 1 from json_each(?1) as seen join review_change as c on c.review_no = seen.value ->> 0
              where c.change_no <= ?2 and c.bound_change_no is c.change_no)",
            &values,
        )
        .await?;
    sqlx::query!(
        "update review_change set bound_change_no = change_no, observed_at = coalesce(seen.value ->> 1, observed_at)
         from json_each(?1) as seen
         where review_no = seen.value ->> 0 and change_no <= ?2 and bound_change_no is not change_no",
        rows,
        change_no
    )
    .execute(&mut **write)
    .await
    .map(drop)
}
