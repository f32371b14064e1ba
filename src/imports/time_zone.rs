//! The business's time zone, and the days that hang on it: instants that sources gave are days
//! where the business is (CONTRACT §2.1). Where the zone changes, days of instants move with it,
//! but for those that the owner set otherwise.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use crate::business;
use crate::db::Write;
use crate::reviews::store::{self, SourceRow};
use crate::reviews::{Day, DigestKey, Review, Unit};

/// How many reviews are looked at at a time.
const ROWS: i64 = 500;

/// Notes that the business is in `zone`; says how many days of instants moved for it.
///
/// # Errors
/// When the database refuses it.
pub async fn follow(write: &mut Write, zone: Tz, now: DateTime<Utc>) -> sqlx::Result<u64> {
    if business::note_time_zone(write, zone).await?.is_none() {
        return Ok(0);
    }
    let key = store::digest_key(write).await?;
    let (mut moved, mut last) = (0, String::new());
    loop {
        let mut rows = store::sources_with_instants(write, &last, ROWS).await?;
        let Some(end) = rows.last() else {
            return Ok(moved);
        };
        last = end.id.to_string();
        let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
        let mut reviews = store::standing(write, &ids).await?.reviews;
        let mut changed = Vec::new();
        for row in &mut rows {
            let Some(review) = reviews.remove(row.id.as_str()) else {
                continue;
            };
            let after = moved_to(zone, &key, row, &review);
            if after != review {
                changed.push(Review {
                    updated_at: after.updated_at.max(Some(now)),
                    ..after
                });
            }
        }
        moved += changed.len() as u64;
        if !changed.is_empty() {
            store::upsert(write, &changed, now).await?;
        }
        store::note_sources(write, &rows).await?;
    }
}

/// The review with its days in that zone; the base follows, so that the next import finds them as
/// its source gives them.
fn moved_to(zone: Tz, key: &DigestKey, row: &mut SourceRow, review: &Review) -> Review {
    let day = |at: DateTime<Utc>| Day::new(at.with_timezone(&zone).date_naive());
    let is_untouched = |row: &SourceRow, unit| row.base.get(unit) == Some(key.digest(unit, review));
    let mut after = review.clone();
    if let Some(day) = row.posted_at.and_then(day) {
        let there = Review {
            date: day,
            ..review.clone()
        };
        if is_untouched(row, Unit::Date) {
            after.date = day;
        }
        row.base.set(Unit::Date, key.digest(Unit::Date, &there));
    }
    if let Some(day) = row.responded_at.and_then(day)
        && is_untouched(row, Unit::Response)
        && let Some(response) = &mut after.response
    {
        response.date = Some(day);
        row.base
            .set(Unit::Response, key.digest(Unit::Response, &after));
    }
    after
}
