//! Queries to the text index, if a reader is free. The snapshot has all data, so a search also works if the index
//! fails.
//!
//! A query is asked by its trigrams: only by characters that FTS5's trigram tokenizer folds as we do
//! (<https://www.sqlite.org/fts5.html#the_trigram_tokenizer>).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::task::yield_now;

use super::answer::{ResultPage, SearchProgress};
use super::request::Cursor;
use crate::clock::Clock;
use crate::compute::apart_if;
use crate::metrics::{self, Counter};
use crate::model::ReviewFilter;
use crate::snapshot::{Snapshot, TrigramCounts};
use crate::storage::{AtPath as _, Database, DbError, Indexed};

/// The timeout for the text index; a walk over a million reviews takes about as long.
const WAIT_MAX: Duration = Duration::from_millis(20);
/// Maximum number of candidates that the text index may return.
const CANDIDATES_MAX: usize = 4_096;
/// A walk lets other tasks of the thread run after this many reviews, about 100 µs.
const YIELDS_AFTER: usize = 4_096;
/// Number of candidates that can be verified without delaying other tasks of the thread: about 100 µs.
const VERIFIED_AT_ONCE: usize = 64;
/// Maximum number of trigrams in a query of the index: in 6,100 real reviews two leave 6 % more candidates than four, one
/// leaves 82 % more, and a third costs the index more than verifying what it excludes.
const ASKED_MAX: usize = 2;

/// Conditions for a query to the text index; they never affect the result.
#[derive(Debug, Clone, Copy)]
pub struct AskWhen {
    /// Number of reviews to walk over before the query; the walk is skipped if their trigrams are counted and lack one.
    pub walked: usize,
    /// Minimum number of remaining reviews; a walk over this many takes about as long as a query.
    pub rest_min: usize,
    /// A trigram is rare if at most one in this many reviews has it: a walk over this many takes as long as verifying
    /// one candidate.
    pub rare_of: usize,
}

impl Default for AskWhen {
    fn default() -> Self {
        Self {
            walked: TrigramCounts::REVIEWS_MAX.into(),
            rest_min: 8_192,
            rare_of: 64,
        }
    }
}

/// Cloning shares the same readers.
#[derive(Debug, Clone)]
pub struct TextIndex {
    database: Database,
    clock: Clock,
    ask_when: AskWhen,
    /// Whether the index is known to have been complete when opened; otherwise it is not used.
    is_whole: bool,
    is_failing: Arc<AtomicBool>,
    /// The number of answers.
    answered: Counter,
}

/// The reason for a missing answer of the index, as the metric names it, and the error if reading failed.
type Unanswered = (&'static str, Option<DbError>);

impl TextIndex {
    /// Opens the text index of `database` and repairs missing rows. If that fails it is not used.
    pub async fn open(database: &Database, clock: Clock) -> Self {
        let repaired = database.repair_text_index().await;
        match &repaired {
            Ok(0) => {}
            Ok(rows) => {
                tracing::warn!(
                    rows,
                    "text_index.repaired: rows were missing from `review_fts`; they were restored"
                );
            }
            Err(error) => tracing::warn!(
                %error,
                "text_index.not_repaired: `review_fts` lacks rows; searches read all texts until a restart repairs it"
            ),
        }
        let is_failing = Arc::default();
        Self {
            database: database.clone(),
            clock,
            ask_when: AskWhen::default(),
            is_whole: repaired.is_ok(),
            is_failing,
            answered: metrics::SEARCH_INDEX.counter(&["answered"]),
        }
    }

    pub fn with_ask_when(self, ask_when: AskWhen) -> Self {
        Self { ask_when, ..self }
    }

    /// The first `limit` reviews of `snapshot` that match `filter`, after `cursor` if there is one: those of an earlier
    /// search if all were found; otherwise by a walk over the newest reviews, then over the candidates of the text index,
    /// or over the rest if it gives no answer.
    pub async fn search(
        &self,
        snapshot: &Snapshot,
        filter: &ReviewFilter,
        limit: usize,
        cursor: Option<&Cursor>,
    ) -> ResultPage {
        let mut answer = SearchProgress::new(snapshot, filter, limit, cursor);
        if answer.fill_from_cache() {
            return answer.finish();
        }
        let mut candidates: Option<Vec<u32>> = None;
        let mut trigrams = self
            .is_whole
            .then(|| filter.held())
            .filter(|held| !held.is_empty())
            .map(|held| usable_trigrams(&held));
        for pass in answer.passes().iter().copied() {
            let mut range = answer.positions(pass);
            let (first, rest) = answer.split(pass, &range, self.ask_when.walked);
            if trigrams.is_some() && rest.len() >= self.ask_when.rest_min {
                let counts = &snapshot.trigrams;
                let mut asked = trigrams.iter().flatten();
                let none_matches =
                    first.end <= counts.reviews && asked.any(|trigram| counts.most(trigram) == 0);
                if !none_matches && answer.walk(pass, first).is_break() {
                    continue;
                }
                range = rest;
                // The index is queried only once.
                let rarest = self.rarest(counts, trigrams.take().unwrap_or_default());
                if !rarest.is_empty() {
                    candidates = self.candidates(snapshot, &expression(&rarest)).await;
                }
            }
            if let Some(candidates) = &candidates {
                let is_long = candidates.len() > VERIFIED_AT_ONCE;
                let _ = apart_if(is_long, || answer.verify(pass, candidates, range));
                continue;
            }
            while !range.is_empty() {
                let (chunk, rest) = answer.split(pass, &range, YIELDS_AFTER);
                if answer.walk(pass, chunk).is_break() {
                    break;
                }
                range = rest;
                if !range.is_empty() {
                    yield_now().await;
                }
            }
        }
        answer.finish()
    }

    /// The trigrams that are rarest in the newest reviews; empty if all are common.
    fn rarest<'a>(&self, counts: &TrigramCounts, mut trigrams: Vec<&'a str>) -> Vec<&'a str> {
        let most = counts.reviews / self.ask_when.rare_of;
        trigrams.retain(|trigram| counts.most(trigram) <= most);
        trigrams.sort_by_key(|trigram| counts.most(trigram));
        trigrams.truncate(ASKED_MAX);
        trigrams
    }

    /// The ascending positions of candidates, which include all reviews that `expression` matches.
    async fn candidates(&self, snapshot: &Snapshot, expression: &str) -> Option<Vec<u32>> {
        let answered = tokio::select! {
            biased;
            answered = self.find(snapshot, expression) => answered,
            () = self.clock.sleep(WAIT_MAX) => Err(("slow", None)),
        };
        match answered {
            Ok(indexed) => {
                self.answered.inc();
                if self.is_failing.swap(false, Ordering::Relaxed) {
                    tracing::info!("text_index.readable: the text index can be read again");
                }
                Some(positions(snapshot, &indexed))
            }
            Err((reason, error)) => {
                metrics::SEARCH_INDEX.count(&[reason]);
                if let Some(error) = error
                    && !self.is_failing.swap(true, Ordering::Relaxed)
                {
                    tracing::warn!(
                        %error,
                        "text_index.unreadable: searches read all texts instead; run `reviews check`, and restart the service"
                    );
                }
                None
            }
        }
    }

    async fn find(&self, snapshot: &Snapshot, expression: &str) -> Result<Indexed, Unanswered> {
        let failed = |error| ("failed", Some(error));
        let reader = self.database.index_reader().await.map_err(failed)?;
        // No reader is free.
        let mut reader = reader.ok_or(("busy", None))?;
        let seen = &snapshot.position;
        let found = reader
            .find(expression, seen.change_no, CANDIDATES_MAX)
            .await
            .at(self.database.path())
            .map_err(failed)?;
        reader.done();
        // Too many candidates.
        let indexed = found.ok_or(("many", None))?;
        let is_later = indexed.lineage == seen.lineage && indexed.change_no >= seen.change_no;
        if is_later {
            Ok(indexed)
        } else {
            // The index belongs to another database, or is older than the snapshot.
            Err(("other", None))
        }
    }
}

/// The positions of the reviews that the index returned, and of those missing from it.
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

/// Like [`TextIndex::search`], without a database: walks over the reviews.
pub fn walk(
    snapshot: &Snapshot,
    filter: &ReviewFilter,
    limit: usize,
    cursor: Option<&Cursor>,
) -> ResultPage {
    let mut answer = SearchProgress::new(snapshot, filter, limit, cursor);
    if answer.fill_from_cache() {
        return answer.finish();
    }
    for pass in answer.passes().iter().copied() {
        let range = answer.positions(pass);
        let _ = answer.walk(pass, range);
    }
    answer.finish()
}

/// Ranges of folded characters, ascending, onto which we fold characters that FTS5 keeps apart: our Unicode version is
/// newer than FTS5's (6.1), which lacks for example old Cyrillic letterforms (U+1C80 to U+1C88) and capital ß. A range
/// may include other characters of the same alphabet. A test over all of Unicode verifies the list.
#[rustfmt::skip]
const UNLIKE: &[(char, char)] = &[
    ('\u{00DF}', '\u{00DF}'),
    ('\u{019B}', '\u{019B}'),
    ('\u{025C}', '\u{029E}'),
    ('\u{0390}', '\u{0390}'),
    ('\u{03B0}', '\u{03B0}'),
    ('\u{03F3}', '\u{03F3}'),
    ('\u{0432}', '\u{0432}'),
    ('\u{0434}', '\u{0434}'),
    ('\u{043E}', '\u{043E}'),
    ('\u{0441}', '\u{0442}'),
    ('\u{044A}', '\u{044A}'),
    ('\u{0463}', '\u{0463}'),
    ('\u{0529}', '\u{052F}'),
    ('\u{10D0}', '\u{10FF}'),
    ('\u{13A0}', '\u{13F5}'),
    ('\u{1C8A}', '\u{1C8A}'),
    ('\u{1D8E}', '\u{1D8E}'),
    ('\u{2C5F}', '\u{2C5F}'),
    ('\u{A64B}', '\u{A64B}'),
    ('\u{A699}', '\u{A69B}'),
    ('\u{A794}', '\u{A7F6}'),
    ('\u{AB4B}', '\u{AB53}'),
    ('\u{FB06}', '\u{FB06}'),
    ('\u{104D8}', '\u{104FB}'),
    ('\u{10597}', '\u{105BC}'),
    ('\u{10CC0}', '\u{10CF2}'),
    ('\u{10D70}', '\u{10D85}'),
    ('\u{118C0}', '\u{118DF}'),
    ('\u{16E60}', '\u{16E7F}'),
    ('\u{16EBB}', '\u{16ED3}'),
    ('\u{1DF41}', '\u{1DF7F}'),
    ('\u{1E922}', '\u{1E943}'),
];

/// The distinct usable trigrams of folded texts; empty if the texts are shorter or have unusable characters.
fn usable_trigrams<'a>(folded: &[&'a str]) -> Vec<&'a str> {
    let all = folded.iter().flat_map(|text| trigrams_of(text));
    let mut usable: Vec<&str> = all
        .filter(|trigram| trigram.chars().all(is_alike))
        .collect();
    usable.sort_unstable();
    usable.dedup();
    usable
}

fn trigrams_of(text: &str) -> impl Iterator<Item = &str> {
    let starts = || text.char_indices().map(|(start, _)| start);
    let ends = starts().chain([text.len()]).skip(3);
    starts().zip(ends).map(|(start, end)| &text[start..end])
}

/// Whether FTS5 folds every character that we fold to this one in the same way. FTS5 does not index NUL.
fn is_alike(folded: char) -> bool {
    let at = UNLIKE.partition_point(|(_, last)| *last < folded);
    folded != '\0' && UNLIKE.get(at).is_none_or(|(first, _)| folded < *first)
}

/// An FTS5 expression for texts that contain all `trigrams`.
fn expression(trigrams: &[&str]) -> String {
    let quoted: Vec<String> = trigrams
        .iter()
        .map(|trigram| format!("\"{}\"", trigram.replace('"', "\"\"")))
        .collect();
    quoted.join(" AND ")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use chrono::DateTime;
    use sqlx::sqlite::SqliteConnectOptions;
    use sqlx::{Connection, SqliteConnection};

    use super::{UNLIKE, expression, is_alike, trigrams_of, usable_trigrams, walk};
    use crate::links::Links;
    use crate::model::{
        Mentions, Method, Rating, Review, ReviewFilter, SearchArguments, Source, Status,
        Verification, fold,
    };
    use crate::search::TOTAL_MAX;
    use crate::snapshot::document::draft;
    use crate::snapshot::input::SnapshotInput;
    use crate::snapshot::insights::insights;
    use crate::snapshot::segment::Entry;
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

    /// Newest first; a review's text is a function of its number.
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
        let insights = Arc::new(insights(&input, &links));
        let documents = Document::ALL.map(|document| {
            let draft = draft(document, &input, &insights, &links);
            let content = draft.finish(DateTime::UNIX_EPOCH);
            let body = Arc::new(CachedBody::new(document.content_type(), content));
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
        Snapshot::new(
            DatabasePosition::default(),
            input,
            insights,
            documents.into(),
        )
    }

    /// The IDs of the matching reviews, found by reading every one.
    fn scanned<'a>(
        reviews: &'a [Review],
        query: &str,
        arguments: &SearchArguments,
    ) -> Vec<&'a str> {
        let is_meant = |review: &&Review| {
            fold(&review.text).contains(&fold(query))
                && arguments
                    .rating
                    .is_none_or(|rating| review.rating.stars() == rating)
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

    /// The same snapshot without cached matches.
    fn forgetful(snapshot: &Snapshot) -> Snapshot {
        Snapshot::new(
            snapshot.position.clone(),
            snapshot.input.clone(),
            Arc::clone(&snapshot.insights),
            snapshot.documents().map(Arc::clone).collect(),
        )
    }

    /// The IDs that the search returns, page by page; checks the total of each page. Each page is searched again if it
    /// `forgets`; otherwise the later ones come from the cached matches, if these are all.
    fn ids_by_walk(
        snapshot: &Snapshot,
        arguments: &SearchArguments,
        total: u64,
        forgets: bool,
    ) -> Vec<String> {
        let filter = ReviewFilter::new(arguments);
        let (mut ids, mut cursor) = (Vec::new(), None);
        let mut snapshot = forgetful(snapshot);
        loop {
            if forgets {
                snapshot = forgetful(&snapshot);
            }
            let found = walk(&snapshot, &filter, 70, cursor.as_ref());
            let is_cached = !forgets && cursor.is_some() && found.is_exact;
            assert!(!is_cached || found.work.walked == 0);
            assert_eq!(
                (found.total, found.is_exact),
                (total.min(TOTAL_MAX), total <= TOTAL_MAX),
                "{arguments:?}"
            );
            let segments = snapshot.input.review_index.segments();
            let places = found.places.iter();
            ids.extend(places.map(|(segment, index)| segments[*segment].id(*index).to_owned()));
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
                    rating,
                    mentions_technician: technician.map(str::to_owned),
                    since: since.map(|day| day.parse().unwrap()),
                    ..SearchArguments::default()
                };
                let expected = scanned(&reviews, query, &arguments);
                for forgets in [false, true] {
                    let ids = ids_by_walk(&snapshot, &arguments, expected.len() as u64, forgets);
                    assert_eq!(ids, expected, "{arguments:?}");
                }
            }
        }
    }

    #[test]
    fn no_trigram_of_the_newest_reviews_is_taken_for_absent_or_for_rarer_than_it_is() {
        let reviews = reviews();
        for count in [0, 3, reviews.len()] {
            let snapshot = snapshot(&reviews[..count]);
            let counts = &snapshot.trigrams;
            assert_eq!(counts.reviews, count.min(256));
            let newest: Vec<String> = reviews[..counts.reviews]
                .iter()
                .map(|review| fold(&review.text))
                .collect();
            for trigram in newest.iter().flat_map(|text| trigrams_of(text)) {
                let holding = newest.iter().filter(|text| text.contains(trigram)).count();
                assert!(counts.most(trigram) >= holding, "{trigram}");
            }
            assert_eq!(counts.most("zqx"), 0);
        }
    }

    #[tokio::test]
    async fn fts5_takes_every_character_of_unicode_as_our_fold_does_but_those_listed() {
        let mut classes: BTreeMap<char, Vec<char>> = BTreeMap::new();
        for character in '\u{1}'..=char::MAX {
            classes
                .entry(fold(&character.to_string()).chars().next().unwrap())
                .or_default()
                .push(character);
        }
        let mut index =
            SqliteConnection::connect_with(&SqliteConnectOptions::new().in_memory(true))
                .await
                .unwrap();
        sqlx::query("create virtual table f using fts5 (text, tokenize = 'trigram')")
            .execute(&mut index)
            .await
            .unwrap();
        sqlx::query("begin").execute(&mut index).await.unwrap();
        // All characters with others that fold to them, and one in 97 of the rest.
        let asked = classes
            .iter()
            .filter(|(folded, class)| class.len() > 1 || (**folded as u32).is_multiple_of(97));
        let asked: Vec<(char, &Vec<char>)> =
            asked.map(|(folded, class)| (*folded, class)).collect();
        for character in asked.iter().flat_map(|(_, class)| class.iter()) {
            let insert = sqlx::query("insert into f (rowid, text) values (?, ?)")
                .bind(i64::from(*character as u32));
            insert
                .bind(format!("<{character}>"))
                .execute(&mut index)
                .await
                .unwrap();
        }
        let mut unlike = Vec::new();
        for (folded, class) in asked {
            let match_one = sqlx::query_scalar("select count(*) from f where f match ?");
            let trigram = format!("<{folded}>");
            let found: i64 = match_one
                .bind(expression(&[trigram.as_str()]))
                .fetch_one(&mut index)
                .await
                .unwrap();
            if usize::try_from(found).unwrap() >= class.len() {
                continue;
            }
            unlike.push(folded);
        }
        assert!(
            unlike.iter().all(|character| !is_alike(*character)),
            "{unlike:?}"
        );
        assert!(
            UNLIKE.is_sorted()
                && UNLIKE
                    .iter()
                    .all(|(first, last)| unlike.contains(first) && unlike.contains(last))
        );
        assert!(
            (' '..='~')
                .chain(['é', 'ñ', 'ü', 'а', 'я', 'λ', '東', '🙂'])
                .all(is_alike)
        );
    }

    #[test]
    fn shorter_questions_and_those_of_other_characters_are_not_asked() {
        for (folded, expected) in [
            ("", vec![]),
            ("ab", vec![]),
            ("abc", vec!["abc"]),
            ("éàé", vec!["éàé"]),
            ("aaaaa", vec!["aaa"]),
            ("ab\0cd", vec![]),
            ("\"a\"", vec!["\"a\""]),
        ] {
            assert_eq!(usable_trigrams(&[folded]), expected, "{folded:?}");
        }
        assert_eq!(usable_trigrams(&["leak", "ab", "eak"]), ["eak", "lea"]);
        assert_eq!(expression(&["\"a\"", "and"]), r#""""a""" AND "and""#);
    }
}
