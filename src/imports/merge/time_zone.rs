//! The business's time zone, and the days that depend on it: instants from sources become days in this zone. If the
//! zone changes, these days move, except those that the owner set.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use crate::model::{Day, DigestKey, Review, Unit};
use crate::storage;
use crate::storage::reviews::{ReviewState, SourceVersion};
use crate::storage::{Write, reviews};

/// Records that the business is in `zone`; returns the number of reviews whose day changed.
///
/// # Errors
/// When the database refuses the write.
pub async fn follow(write: &mut Write, zone: Tz, now: DateTime<Utc>) -> sqlx::Result<u64> {
    if storage::business::note_time_zone(write, zone)
        .await?
        .is_none()
    {
        return Ok(0);
    }
    let key = reviews::digest_key(write).await?;
    let (mut changed, mut sources) = (Vec::new(), Vec::new());
    for known in reviews::load_known(write.for_reading())
        .await?
        .into_values()
    {
        let (ReviewState::There(review), Some(mut source)) = (known.state, known.source) else {
            continue;
        };
        if source.posted_at.or(source.responded_at).is_none() {
            continue;
        }
        let after = moved_to(zone, &key, &mut source, &review);
        if after != review {
            changed.push(Review {
                updated_at: after.updated_at.max(Some(now)),
                ..after
            });
        }
        sources.push(source);
    }
    reviews::update_undecided(write, &changed, &sources, now).await?;
    Ok(changed.len() as u64)
}

/// The review with its days in `zone`; the base follows, so that the next import matches it.
fn moved_to(zone: Tz, key: &DigestKey, row: &mut SourceVersion, review: &Review) -> Review {
    let day = |at: DateTime<Utc>| Day::new(at.with_timezone(&zone).date_naive());
    let is_untouched =
        |row: &SourceVersion, unit| row.base.get(unit) == Some(key.digest(unit, review));
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
