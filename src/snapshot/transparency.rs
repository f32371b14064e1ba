//! How the reviews are collected and checked, as `/transparency` and its JSON say it: counted in the snapshot and in the
//! database, or stated by the owner.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::Ordering;

use chrono_tz::Tz;

use super::current::Snapshot;
use super::figures::StoredFigures;
use super::input::SnapshotInput;
use crate::model::{Method, RatingCounts, Review};
use crate::storage::reviews::position;
use crate::storage::transparency::StoredSource;
use crate::storage::{AtPath as _, DbError};
use crate::wire;
use crate::wire::mean;

/// Minimum number of reviews withheld by the owner for their mean to be shown, so that it gives away no single customer's stars.
const WITHHELD_MEAN_MIN: u64 = 10;

/// Reads the transparency of `snapshot`, which also depends on what no snapshot has, such as the day of the last import. Once reviews
/// have changed since the snapshot, its figures are those that were read with it. `None` if there are none; the next snapshot has
/// them.
///
/// # Errors
/// If the database cannot be read.
pub async fn read_transparency(snapshot: &Snapshot) -> Result<Option<wire::Transparency>, DbError> {
    snapshot
        .is_transparency_requested
        .store(true, Ordering::Relaxed);
    let read = async {
        let mut transaction = snapshot.database.readers().begin().await?;
        if position(&mut transaction).await? != snapshot.position {
            return Ok(None);
        }
        let figures = StoredFigures::read(&mut transaction, &snapshot.input.entries).await?;
        transaction.commit().await?;
        Ok(Some(figures))
    };
    let figures = read.await.at(snapshot.database.path())?;
    let figures = figures.as_ref().or(snapshot.figures.as_ref());
    Ok(figures.map(|figures| transparency(snapshot, figures)))
}

/// The same with the figures of the database as it is now, for a snapshot that has none of its own and that no other follows.
///
/// # Errors
/// If the database cannot be read.
pub async fn read_newer_transparency(snapshot: &Snapshot) -> Result<wire::Transparency, DbError> {
    let read = async {
        let mut transaction = snapshot.database.readers().begin().await?;
        let figures = StoredFigures::read(&mut transaction, &snapshot.input.entries).await?;
        transaction.commit().await?;
        Ok(figures)
    };
    let figures = read.await.at(snapshot.database.path())?;
    Ok(transparency(snapshot, &figures))
}

fn transparency(snapshot: &Snapshot, figures: &StoredFigures) -> wire::Transparency {
    let input = &snapshot.input;
    let sources = sources(input, &figures.sources);
    let rating_counts = input.entries.rating_counts();
    let (withheld, deleted) = (&figures.withheld, &figures.deleted);
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
            count: deleted.count,
            reasons: deleted.most_frequent.clone(),
        },
        order: "newest_first".to_owned(),
        selection: "all_published".to_owned(),
        changed_by_business: figures.changed_by_business,
        verification: verification(&sources),
        sources,
        insights: wire::InsightsOrigin {
            made_by: "program".to_owned(),
            method: snapshot.insights.method.description.clone(),
        },
        policy: stated,
        not_stated: not_stated.map(str::to_owned).collect(),
        contact,
    }
}

/// The sources, those with the most reviews first; one whose reviews are all withheld or deleted, too.
fn sources(input: &SnapshotInput, stored: &[StoredSource]) -> Vec<wire::SourceTransparency> {
    let named = stored.iter().map(|source| (source.name.as_str(), source));
    let named: HashMap<&str, &StoredSource> = named.collect();
    let hidden = stored.iter().filter(|one| one.withheld + one.deleted > 0);
    let hidden = hidden.map(|source| (source.name.as_str(), Vec::new()));
    let mut by_source: HashMap<&str, Vec<&Review>> = hidden.collect();
    for entry in input.entries.iter() {
        let reviews = by_source.entry(&entry.review.source.name).or_default();
        reviews.push(&entry.review);
    }
    let zone = input.business.time_zone;
    let sources = by_source.into_iter();
    let mut sources: Vec<_> = sources
        .map(|(name, reviews)| source(name, &reviews, named.get(name).copied(), zone))
        .collect();
    sources.sort_by(|one, other| {
        (Reverse(one.count), &one.name).cmp(&(Reverse(other.count), &other.name))
    });
    sources
}

/// A source with these published reviews, newest first.
fn source(
    name: &str,
    reviews: &[&Review],
    stored: Option<&StoredSource>,
    zone: Tz,
) -> wire::SourceTransparency {
    let mut rating_counts = RatingCounts::default();
    let mut verification = BTreeMap::new();
    for review in reviews {
        rating_counts.count(review.rating);
        let method = review.verification.method.unwrap_or(Method::Manual);
        *verification.entry(method.name().to_owned()).or_default() += 1;
    }
    let days = [reviews.last(), reviews.first()];
    let [first, last] = days.map(|review| review.map(|review| review.date.date()));
    let imported = stored.filter(|source| source.is_imported);
    let last_arrival = imported.and_then(|source| source.last);
    wire::SourceTransparency {
        name: name.to_owned(),
        count: rating_counts.total(),
        rating_value: mean(&rating_counts),
        first,
        last,
        withheld: stored.map_or(0, |stored| stored.withheld),
        gone: stored.map_or(0, |stored| stored.gone),
        deleted: stored.map_or(0, |stored| stored.deleted),
        stated: stored
            .and_then(|stored| stored.stated)
            .map(|(count, on)| wire::StatedCount { count, on }),
        verification,
        arrival: wire::Arrival {
            kind: match imported {
                Some(source) if source.is_scheduled => wire::ArrivalKind::Scheduled,
                Some(_) => wire::ArrivalKind::Imported,
                None => wire::ArrivalKind::ByHand,
            },
            last: last_arrival.map(|at| at.with_timezone(&zone).date_naive()),
        },
    }
}

/// The number of reviews of all sources for each way in which they were verified.
fn verification(sources: &[wire::SourceTransparency]) -> BTreeMap<String, wire::VerifiedReviews> {
    let verified = Method::ALL.into_iter().map(|method| {
        let counts = sources
            .iter()
            .filter_map(|one| one.verification.get(method.name()));
        let verified = wire::VerifiedReviews {
            count: counts.sum(),
            meaning: meaning(method).to_owned(),
        };
        (method.name().to_owned(), verified)
    });
    verified
        .filter(|(_, verified)| verified.count > 0)
        .collect()
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
