//! The days of instants: those that sources give become days in the business's time zone. If the zone changes, these days move, except
//! those that the owner set.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use crate::model::{Day, Review, Unit};
use crate::storage::Write;
use crate::storage::business::note_time_zone;
use crate::storage::reviews::{self, ReviewState, SourceRecord};

/// Records that the business is in `zone`; returns the number of reviews whose day changed.
///
/// # Errors
/// When the database refuses the write.
pub async fn follow_zone(write: &mut Write, zone: Tz, now: DateTime<Utc>) -> sqlx::Result<u64> {
    if note_time_zone(write, zone).await?.is_none() {
        return Ok(0);
    }
    let (mut changed, mut sources) = (Vec::new(), Vec::new());
    for known in reviews::load_known(write.for_reading())
        .await?
        .into_values()
    {
        let (ReviewState::There(review), Some(mut source)) = (known.state, known.source) else {
            continue;
        };
        if source.posted_at.or(source.replied_at).is_none() {
            continue;
        }
        let after = moved_to(zone, &mut source, &review);
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

/// The review with its days in `zone`; what its source said follows, so that the next import agrees.
fn moved_to(zone: Tz, record: &mut SourceRecord, review: &Review) -> Review {
    let day = |at: DateTime<Utc>| Day::new(at.with_timezone(&zone).date_naive());
    let mut last = record.last_statement();
    let mut after = review.clone();
    if let Some(day) = record.posted_at.and_then(day) {
        let is_owner_s = last.is_decided(Unit::Date, review);
        after.date = day;
        last.set(Unit::Date, &after);
        if is_owner_s {
            after.date = review.date;
        }
    }
    if let Some(day) = record.replied_at.and_then(day)
        && !last.is_decided(Unit::Reply, review)
        && let Some(reply) = &mut after.reply
    {
        reply.date = Some(day);
        last.set(Unit::Reply, &after);
    }
    record.set_last_statement(&last);
    after
}
