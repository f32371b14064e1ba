//! The text index as searches use it: one question through a reader that is free now, or none at
//! all. Whatever is wrong with it, the snapshot has everything, so nothing here fails: there is
//! only no answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::metrics::Counter;

use super::answer::{Answer, Found};
use super::cursor::Cursor;
use super::plan::{self, CANDIDATES_MAX, Costs};
use super::store::{self, Indexed};
use crate::clock::Clock;
use crate::metrics;
use crate::model::ReviewFilter;
use crate::snapshot::Snapshot;
use crate::storage::{Database, DbError};

/// How long a search waits for the text index; walking over a million reviews takes about as long.
const WAIT_MAX: Duration = Duration::from_millis(20);

/// Where searches find what is rare. Cloning shares the same readers.
#[derive(Debug, Clone)]
pub struct TextIndex {
    database: Database,
    clock: Clock,
    costs: Costs,
    /// Whether every review is known to have been in it when it was opened; else it is never asked.
    is_whole: bool,
    is_failing: Arc<AtomicBool>,
    /// Counts what it answered.
    answered: Counter,
}

/// Why there is no answer.
#[derive(Debug)]
enum Unanswered {
    /// Every reader is busy.
    Busy,
    /// It took too long.
    Slow,
    /// It takes too many reviews.
    Many,
    /// It is of another database, or of an earlier moment than the snapshot.
    Other,
    /// It cannot be read.
    Failed(DbError),
}

impl TextIndex {
    /// The text index of `database`, made whole where rows are lacking. Where that cannot be done
    /// it is not used.
    pub async fn open(database: &Database, clock: Clock) -> Self {
        let repaired = database.repair_text_index().await;
        match &repaired {
            Ok(0) => {}
            Ok(rows) => {
                tracing::warn!(
                    rows,
                    "text_index.repaired: somebody had taken rows out of `review_fts`; they are there again"
                );
            }
            Err(error) => tracing::warn!(
                %error,
                "text_index.not_repaired: `review_fts` lacks rows; searches read all texts until it is repaired by a start"
            ),
        }
        let is_failing = Arc::default();
        Self {
            database: database.clone(),
            clock,
            costs: Costs::default(),
            is_whole: repaired.is_ok(),
            is_failing,
            answered: metrics::SEARCH_INDEX.counter(&["answered"]),
        }
    }

    /// The same index, believed to cost this.
    #[must_use]
    pub fn with_costs(self, costs: Costs) -> Self {
        Self { costs, ..self }
    }

    /// The first `limit` reviews of `snapshot` that `filter` takes, after `cursor` where there is
    /// one: found by the text index or by walking over the reviews, whichever is expected to be
    /// cheaper.
    pub async fn search(
        &self,
        snapshot: &Snapshot,
        filter: &ReviewFilter,
        limit: usize,
        cursor: Option<&Cursor>,
    ) -> Found {
        let mut answer = Answer::new(snapshot, filter, limit, cursor);
        let mut candidates: Option<Vec<u32>> = None;
        for pass in answer.passes().iter().copied() {
            answer.begin();
            let mut range = answer.range(pass);
            if candidates.is_none() && self.is_whole && filter.query().is_some() {
                let (sampled, rest) = answer.split(pass, &range, plan::sample(range.len()));
                if answer.walk(pass, sampled.clone()).is_break() {
                    continue;
                }
                range = rest;
                if !range.is_empty()
                    && let Some(expression) =
                        plan::ask(&answer, pass, &sampled, &range, &self.costs)
                {
                    candidates = self.candidates(snapshot, &expression).await;
                }
            }
            let _ = match &candidates {
                Some(candidates) => answer.verify(pass, candidates, range),
                None => answer.walk(pass, range),
            };
        }
        answer.finish()
    }

    /// Where those reviews stand, ascending, among which all are that `expression` takes.
    async fn candidates(&self, snapshot: &Snapshot, expression: &str) -> Option<Vec<u32>> {
        let answered = tokio::select! {
            biased;
            answered = self.find(snapshot, expression) => answered,
            () = self.clock.sleep(WAIT_MAX) => Err(Unanswered::Slow),
        };
        match answered {
            Ok(indexed) => {
                self.answered.increment(1);
                if self.is_failing.swap(false, Ordering::Relaxed) {
                    tracing::info!("text_index.readable: it can be read again");
                }
                Some(positions(snapshot, &indexed))
            }
            Err(why) => {
                metrics::SEARCH_INDEX.count(&[why.name()]);
                if let Unanswered::Failed(error) = why
                    && !self.is_failing.swap(true, Ordering::Relaxed)
                {
                    tracing::warn!(
                        %error,
                        "text_index.unreadable: searches read all texts instead; run `reviews check`, and start the service anew"
                    );
                }
                None
            }
        }
    }

    async fn find(&self, snapshot: &Snapshot, expression: &str) -> Result<Indexed, Unanswered> {
        let mut reader = self
            .database
            .index_reader()
            .await
            .map_err(Unanswered::Failed)?
            .ok_or(Unanswered::Busy)?;
        let seen = &snapshot.position;
        let found = store::find(
            &mut reader.connection,
            expression,
            seen.change_no,
            CANDIDATES_MAX,
        )
        .await;
        let found =
            found.map_err(|error| Unanswered::Failed(DbError::at(self.database.path(), error)))?;
        reader.done();
        let indexed = found.ok_or(Unanswered::Many)?;
        let is_later = indexed.lineage == seen.lineage && indexed.change_no >= seen.change_no;
        if is_later {
            Ok(indexed)
        } else {
            Err(Unanswered::Other)
        }
    }
}

impl Unanswered {
    const fn name(&self) -> &'static str {
        match self {
            Self::Busy => "busy",
            Self::Slow => "slow",
            Self::Many => "many",
            Self::Other => "other",
            Self::Failed(_) => "failed",
        }
    }
}

/// Where the reviews stand that the index named, and those that it may not find.
fn positions(snapshot: &Snapshot, indexed: &Indexed) -> Vec<u32> {
    let known = snapshot.input.review_index.positions();
    let named = indexed
        .review_nos
        .iter()
        .filter_map(|number| known.find(*number));
    let mut positions: Vec<u32> = named.chain(known.unindexed().iter().copied()).collect();
    positions.sort_unstable();
    positions.dedup();
    positions
}

/// The same as [`TextIndex::search`] without a database: walks over the reviews.
#[must_use]
pub fn walk(
    snapshot: &Snapshot,
    filter: &ReviewFilter,
    limit: usize,
    cursor: Option<&Cursor>,
) -> Found {
    let mut answer = Answer::new(snapshot, filter, limit, cursor);
    for pass in answer.passes().iter().copied() {
        answer.begin();
        let range = answer.range(pass);
        let _ = answer.walk(pass, range);
    }
    answer.finish()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use chrono::DateTime;

    use super::walk;
    use crate::links::Links;
    use crate::model::{
        Mentions, Method, Rating, Review, ReviewFilter, SearchArguments, Source, Status,
        Verification, fold,
    };
    use crate::search::TOTAL_MAX;
    use crate::snapshot::entry::Entry;
    use crate::snapshot::input::SnapshotInput;
    use crate::snapshot::render::render;
    use crate::snapshot::{
        CachedBody, Document, Publication, PublishedDocument, ReviewIndexBuilder, Snapshot,
    };
    use crate::storage::reviews::DatabasePosition;

    const WORDS: [&str; 12] = [
        "leak",
        "Leaks",
        "fixed",
        "the",
        "was",
        "É té",
        "€",
        "東京都",
        "ß",
        "a",
        "thethe",
        "🙂🙂",
    ];

    /// Newest first; what a review says is a function of its number.
    fn reviews() -> Vec<Review> {
        let review = |number: usize| {
            let words = (0..number * 7 % 23)
                .map(|at| WORDS[(number * 31 + at * at * 17 + at) % WORDS.len()]);
            let words: Vec<&str> = words.collect();
            let technicians = if number.is_multiple_of(3) {
                vec!["Zoë Ray".to_owned()]
            } else {
                Vec::new()
            };
            Review {
                id: format!("r-{number:05}").parse().unwrap(),
                rating: Rating::try_from(1 + i64::try_from(number % 5).unwrap()).unwrap(),
                date: format!("20{:02}-06-{:02}", 24 - number / 200, 28 - number % 200 / 8)
                    .parse()
                    .unwrap(),
                author: "A".to_owned(),
                title: None,
                text: words.join(if number.is_multiple_of(2) { " " } else { "" }),
                language: None,
                source: Source {
                    name: "Direct".to_owned(),
                    url: None,
                },
                verification: Verification {
                    verified: true,
                    method: Method::Manual,
                    verified_at: None,
                },
                mentions: Mentions::new(technicians, Vec::new(), Vec::new()),
                response: None,
                status: Status::Published,
                updated_at: None,
            }
        };
        (0..2_600).map(review).collect()
    }

    fn snapshot(reviews: &[Review]) -> Snapshot {
        let links: Links = "https://reviews.example.com".parse().unwrap();
        let mut builder = ReviewIndexBuilder::default();
        for review in reviews {
            builder.push(&Entry::unanalyzed(review.clone(), &links));
        }
        let input = SnapshotInput {
            review_index: builder.finish(),
            ..SnapshotInput::default()
        };
        let documents = Document::ALL.map(|document| {
            let body = Arc::new(CachedBody::new(
                document.content_type(),
                render(document, &input, &links, DateTime::UNIX_EPOCH),
            ));
            let digest = body.content.digest.clone();
            let publication = Publication {
                version: 1,
                digest,
                changed_at: DateTime::UNIX_EPOCH,
                is_same_second: false,
            };
            Arc::new(PublishedDocument {
                document,
                body,
                publication,
                is_confirmed: true,
            })
        });
        Snapshot::new(DatabasePosition::default(), input, documents.into())
    }

    /// The ids of the reviews that are meant, found by reading every one.
    fn scanned<'a>(
        reviews: &'a [Review],
        query: &str,
        arguments: &SearchArguments,
    ) -> Vec<&'a str> {
        let is_meant = |review: &&Review| {
            fold(&review.text).contains(&fold(query))
                && arguments
                    .rating
                    .is_none_or(|rating| review.rating == rating)
                && arguments.since.is_none_or(|since| review.date >= since)
                && (arguments.mentions_technician.is_none()
                    || !review.mentions.technicians.is_empty())
        };
        reviews
            .iter()
            .filter(is_meant)
            .map(|review| review.id.as_str())
            .collect()
    }

    /// The ids that the search gives, page by page; each page tells the total.
    fn walked(snapshot: &Snapshot, arguments: &SearchArguments, total: u64) -> Vec<String> {
        let filter = ReviewFilter::new(arguments);
        let (mut ids, mut cursor) = (Vec::new(), None);
        loop {
            let found = walk(snapshot, &filter, 70, cursor.as_ref());
            assert_eq!(
                (found.total, found.is_exact),
                (total.min(TOTAL_MAX), total <= TOTAL_MAX),
                "{arguments:?}"
            );
            ids.extend(
                found
                    .reviews
                    .iter()
                    .map(|json| String::from_utf8_lossy(&json[7..14]).into_owned()),
            );
            cursor = found.next;
            if cursor.is_none() {
                break;
            }
        }
        ids
    }

    #[test]
    fn what_is_found_is_what_reading_everything_finds() {
        let reviews = reviews();
        let snapshot = snapshot(&reviews);
        let pieces = [
            "leak fixed",
            "fixedthe",
            "e w",
            "te",
            "k f",
            "京都",
            "京都€",
            "🙂🙂 the",
            "s the was",
            "absent",
            "ksleak",
        ];
        let spoilt = ["leakz", "the waz", "東京x"];
        for query in WORDS.into_iter().chain(pieces).chain(spoilt) {
            for (rating, technician, since) in [
                (None, None, None),
                (Some(2), None, None),
                (None, Some("ZOË ray"), Some("2018-06-09")),
            ] {
                let arguments = SearchArguments {
                    query: Some(query.to_owned()),
                    rating: rating.map(|stars| Rating::try_from(stars).unwrap()),
                    mentions_technician: technician.map(str::to_owned),
                    since: since.map(|day| day.parse().unwrap()),
                    ..SearchArguments::default()
                };
                let expected = scanned(&reviews, query, &arguments);
                let ids = walked(&snapshot, &arguments, expected.len() as u64);
                assert_eq!(ids, expected, "{arguments:?}");
            }
        }
    }
}
