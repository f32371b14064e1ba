//! How the reviews are collected and checked, as `/transparency` and its JSON say it: counted in the snapshot and in the
//! database, or stated by the owner.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use chrono::NaiveDate;
use futures_util::TryStreamExt as _;
use sqlx::SqliteConnection;

use super::current::Snapshot;
use crate::model::{LastStatement, Method, RatingCounts, ReviewId, Unit};
use crate::storage::reviews::Reasons;
use crate::storage::transparency::{
    StoredSource, deleted, source_values_of_published, stored_sources, withheld_by_owner,
};
use crate::storage::{AtPath as _, DbError};
use crate::wire;
use crate::wire::mean;

/// Minimum number of reviews withheld by the owner for their mean to be shown, so that it gives away no single customer's stars.
const WITHHELD_MEAN_MIN: u64 = 10;

/// Reads the transparency of `snapshot`. It also depends on what no snapshot has, such as the day of the last import.
///
/// # Errors
/// If the database cannot be read.
pub async fn read_transparency(snapshot: &Snapshot) -> Result<wire::Transparency, DbError> {
    let path = snapshot.database.path();
    let mut transaction = snapshot.database.readers().begin().await.at(path)?;
    let counts = StoredCounts {
        sources: stored_sources(&mut transaction).await.at(path)?,
        deleted: deleted(&mut transaction).await.at(path)?,
        withheld_by_owner: withheld_by_owner(&mut transaction).await.at(path)?,
        changed: count_changed(snapshot, &mut transaction).await.at(path)?,
    };
    transaction.commit().await.at(path)?;
    Ok(transparency(snapshot, &counts))
}

/// What is counted in the database.
#[derive(Debug, Default)]
pub struct StoredCounts {
    sources: Vec<StoredSource>,
    deleted: Reasons,
    withheld_by_owner: RatingCounts,
    /// The published reviews that differ from their source.
    changed: u64,
}

/// The number of published reviews with different stars or text than their source last reported.
async fn count_changed(
    snapshot: &Snapshot,
    connection: &mut SqliteConnection,
) -> sqlx::Result<u64> {
    let entries = &snapshot.input.entries;
    let is_changed = |id: &str, last_statement: &LastStatement| {
        let id = id.parse::<ReviewId>().ok();
        let at = id.and_then(|id| entries.find(&id));
        at.is_some_and(|at| {
            let review = &entries[at].review;
            let mut units = [Unit::Rating, Unit::Text].into_iter();
            units.any(|unit| last_statement.compare(unit, review) == Some(false))
        })
    };
    let mut changed = 0;
    let mut statements = source_values_of_published(connection);
    while let Some((id, last_statement)) = statements.try_next().await? {
        changed += u64::from(is_changed(&id, &last_statement));
    }
    Ok(changed)
}

/// The published reviews of one source, in the snapshot's order.
#[derive(Default)]
struct SourceReviews {
    rating_counts: RatingCounts,
    first: Option<NaiveDate>,
    last: Option<NaiveDate>,
    by_method: BTreeMap<String, u64>,
}

pub fn transparency(snapshot: &Snapshot, counts: &StoredCounts) -> wire::Transparency {
    let input = &snapshot.input;
    let mut by_method: BTreeMap<String, wire::VerifiedReviews> = BTreeMap::new();
    let stored: HashMap<&str, &StoredSource> = counts
        .sources
        .iter()
        .map(|source| (source.name.as_str(), source))
        .collect();
    let hidden = stored
        .values()
        .filter(|source| source.withheld + source.deleted > 0);
    let mut by_source: HashMap<&str, SourceReviews> = hidden
        .map(|source| (source.name.as_str(), SourceReviews::default()))
        .collect();
    for entry in input.entries.iter() {
        let (review, date) = (&entry.review, entry.review.date.date());
        let method = review.verification.method.unwrap_or(Method::Manual);
        let source = by_source.entry(&review.source.name).or_default();
        source.rating_counts.count(review.rating);
        source.first = Some(date);
        source.last = source.last.or(Some(date));
        *source
            .by_method
            .entry(method.name().to_owned())
            .or_default() += 1;
        let verified = by_method.entry(method.name().to_owned());
        let verified = verified.or_insert_with(|| wire::VerifiedReviews {
            count: 0,
            meaning: meaning(method).to_owned(),
        });
        verified.count += 1;
    }
    let zone = input.business.time_zone;
    let arrival = |source: Option<&&StoredSource>| {
        let imported = source.filter(|source| source.is_imported);
        wire::Arrival {
            kind: match imported {
                Some(source) if source.is_scheduled => wire::ArrivalKind::Scheduled,
                Some(_) => wire::ArrivalKind::Imported,
                None => wire::ArrivalKind::ByHand,
            },
            last: imported
                .and_then(|source| source.last)
                .map(|at| at.with_timezone(&zone).date_naive()),
        }
    };
    let sources = by_source.into_iter();
    let mut sources: Vec<_> = sources
        .map(|(name, source)| {
            let stored = stored.get(name);
            wire::SourceTransparency {
                name: name.to_owned(),
                count: source.rating_counts.total(),
                rating_value: mean(&source.rating_counts),
                first: source.first,
                last: source.last,
                withheld: stored.map_or(0, |stored| stored.withheld),
                deleted: stored.map_or(0, |stored| stored.deleted),
                stated: stored
                    .and_then(|stored| stored.stated)
                    .map(|(count, on)| wire::StatedCount { count, on }),
                verification: source.by_method,
                arrival: arrival(stored),
            }
        })
        .collect();
    sources.sort_by(|one, other| {
        (Reverse(one.count), &one.name).cmp(&(Reverse(other.count), &other.name))
    });
    let withheld = &counts.withheld_by_owner;
    let rating_counts = input.entries.rating_counts();
    let policy = &input.business.review_policy;
    let not_stated = policy.not_stated().into_iter();
    let mut stated = policy.clone();
    let contact = stated.contact.take();
    wire::Transparency {
        published: rating_counts.total(),
        rating_value: mean(&rating_counts),
        withheld: wire::WithheldReviews {
            count: input.withheld.count,
            reasons: input.withheld.most_frequent.clone(),
            rating_value: mean(withheld).filter(|_| withheld.total() >= WITHHELD_MEAN_MIN),
            by_business: withheld.total(),
        },
        deleted: wire::DeletedReviews {
            count: counts.deleted.count,
            reasons: counts.deleted.most_frequent.clone(),
        },
        order: "newest_first".to_owned(),
        selection: "all_published".to_owned(),
        changed_by_business: counts.changed,
        sources,
        verification: by_method,
        insights: wire::InsightsOrigin {
            made_by: "program".to_owned(),
            method: snapshot.insights.method.description.clone(),
        },
        policy: stated,
        not_stated: not_stated.map(str::to_owned).collect(),
        contact,
    }
}

/// What a review with this verification can be relied on for, and by whom.
const fn meaning(method: Method) -> &'static str {
    match method {
        Method::JobMatch => "The review matches a job in the records of the business.",
        Method::SourcePlatform => {
            "The review was written on a review platform, which applies its own rules to the reviews that it shows."
        }
        Method::Invite => "Only customers whom the business invited could write the review.",
        Method::Manual => {
            "The business added the review and says that it is from a customer. No platform, job or invitation confirms it."
        }
    }
}
