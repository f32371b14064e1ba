//! How the reviews are collected and checked, as `/transparency` and its JSON say it: counted in the snapshot and in the
//! database, or stated by the owner.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use chrono_tz::Tz;
use futures_util::TryStreamExt as _;
use sqlx::SqliteConnection;

use super::current::Snapshot;
use super::input::SnapshotInput;
use crate::imports::Format;
use crate::model::{Method, RatingCounts, Review, ReviewId, Unit};
use crate::storage::reviews::load_formats;
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
    let stored = stored_sources(&mut transaction).await.at(path)?;
    let deleted = deleted(&mut transaction).await.at(path)?;
    let formats = load_formats(&mut transaction).await.at(path)?;
    let formats = formats.values().filter_map(|it| Format::parse(it).ok());
    let blocks = formats.flat_map(|format| format.public);
    let reasons = blocks.filter_map(|block| block.reason).collect();
    let withheld = withheld_by_owner(&mut transaction, reasons)
        .await
        .at(path)?;
    let changed = count_changed(snapshot, &mut transaction).await.at(path)?;
    transaction.commit().await.at(path)?;
    let input = &snapshot.input;
    let sources = sources(input, &stored);
    let rating_counts = input.entries.rating_counts();
    let policy = &input.business.review_policy;
    let not_stated = policy.not_stated().into_iter();
    let mut stated = policy.clone();
    let contact = stated.contact.take();
    Ok(wire::Transparency {
        published: rating_counts.total(),
        rating_value: mean(&rating_counts),
        withheld: wire::WithheldReviews {
            count: input.withheld.count,
            reasons: input.withheld.most_frequent.clone(),
            rating_value: mean(&withheld).filter(|_| withheld.total() >= WITHHELD_MEAN_MIN),
            by_business: withheld.total(),
        },
        deleted: wire::DeletedReviews {
            count: deleted.count,
            reasons: deleted.most_frequent,
        },
        order: "newest_first".to_owned(),
        selection: "all_published".to_owned(),
        changed_by_business: changed,
        verification: verification(&sources),
        sources,
        insights: wire::InsightsOrigin {
            made_by: "program".to_owned(),
            method: snapshot.insights.method.description.clone(),
        },
        policy: stated,
        not_stated: not_stated.map(str::to_owned).collect(),
        contact,
    })
}

/// The number of published reviews with other stars, another day, author, title or text than their source last reported.
async fn count_changed(
    snapshot: &Snapshot,
    connection: &mut SqliteConnection,
) -> sqlx::Result<u64> {
    let entries = &snapshot.input.entries;
    let mut changed = 0;
    let mut statements = source_values_of_published(connection);
    while let Some((id, last_statement)) = statements.try_next().await? {
        let id = id.parse::<ReviewId>().ok();
        let is_changed = id.and_then(|id| entries.find(&id)).is_some_and(|at| {
            let review = &entries[at].review;
            [
                Unit::Rating,
                Unit::Date,
                Unit::Author,
                Unit::Title,
                Unit::Text,
            ]
            .into_iter()
            .any(|unit| last_statement.compare(unit, review) == Some(false))
        });
        changed += u64::from(is_changed);
    }
    Ok(changed)
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
