//! The text index: FTS5 narrows a search to candidates, which are verified in the snapshot. The snapshot has all data,
//! so a search also works if the index fails.
//!
//! A query is asked as phrases of the characters that FTS5's trigram tokenizer folds as we do
//! (<https://www.sqlite.org/fts5.html#the_trigram_tokenizer>).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::names::{nearest_names, with_words};
use super::request::Cursor;
use super::results::{Candidates, READ_FIRST, ResultPage, Search};
use crate::clock::Clock;
use crate::compute::run_long_if;
use crate::metrics::{self, Counter};
use crate::model::{ReviewFilter, SearchArguments, TextMatch, TextQuery};
use crate::snapshot::Snapshot;
use crate::storage::{AtPath as _, Database, DbError, Indexed};
use crate::wire::DidYouMean;

/// The timeout for the text index; reading 100,000 reviews takes about as long.
const WAIT_MAX: Duration = Duration::from_millis(20);
/// Number of reviews that can be read without delaying other tasks of the thread: about 100 µs.
const READ_AT_ONCE: u64 = 1_000;

/// Cloning shares the same readers.
#[derive(Debug, Clone)]
pub struct TextIndex {
    database: Database,
    clock: Clock,
    read_first: usize,
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
        Self {
            database: database.clone(),
            clock,
            read_first: READ_FIRST,
            is_whole: repaired.is_ok(),
            is_failing: Arc::default(),
            answered: metrics::SEARCH_INDEX.counter(&["answered"]),
        }
    }

    /// Sets another number in place of [`READ_FIRST`]; results stay the same.
    pub fn with_read_first(self, read_first: usize) -> Self {
        Self { read_first, ..self }
    }

    /// The first `limit` reviews of `snapshot` that match `filter`, after `cursor` if there is one.
    pub async fn search(
        &self,
        snapshot: &Snapshot,
        filter: &ReviewFilter,
        limit: usize,
        cursor: Option<&Cursor>,
    ) -> ResultPage {
        let mut search = Search::new(snapshot, filter, self.read_first);
        if search.remaining() > 0
            && let Some(query) = &filter.text
            && let Some(candidates) = self.candidates(snapshot, query).await
        {
            search.narrow(&candidates);
        }
        let is_long = search.remaining() > READ_AT_ONCE;
        run_long_if(is_long, || search.finish(limit, cursor))
    }

    /// Known values for the parameters of a search that found nothing; `None` if there are none.
    pub async fn did_you_mean(
        &self,
        snapshot: &Snapshot,
        arguments: &SearchArguments,
    ) -> Option<DidYouMean> {
        let mut suggestions = nearest_names(snapshot, arguments);
        if let Some(by_words) = with_words(arguments) {
            let found = self
                .search(snapshot, &ReviewFilter::new(&by_words), 1, None)
                .await;
            suggestions.text_match =
                (found.total > 0).then(|| vec![TextMatch::Words.name().to_owned()]);
        }
        suggestions.if_any()
    }

    /// The reviews that may match `query`; `None` if the index gives no answer.
    async fn candidates(&self, snapshot: &Snapshot, query: &TextQuery) -> Option<Candidates> {
        let expression = expression(query.parts());
        if !self.is_whole || expression.is_empty() {
            return None;
        }
        let answered = tokio::select! {
            biased;
            answered = self.find(snapshot, &expression) => answered,
            () = self.clock.sleep(WAIT_MAX) => Err(("slow", None)),
        };
        match answered {
            Ok(indexed) => {
                if indexed.is_complete {
                    self.answered.inc();
                } else {
                    metrics::SEARCH_INDEX.count(&["many"]);
                }
                if self.is_failing.swap(false, Ordering::Relaxed) {
                    tracing::info!("text_index.readable: the text index can be read again");
                }
                let index = snapshot.input.entries.index();
                let mut positions = index.positions_by_number(&indexed.review_nos);
                positions |= &index.unindexed;
                if query.text_match == TextMatch::Words {
                    positions |= &index.unplain;
                }
                Some(Candidates {
                    positions,
                    are_all: indexed.is_complete,
                })
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
        let indexed = reader
            .find(expression, seen.change_no, self.read_first)
            .await
            .at(self.database.path())
            .map_err(failed)?;
        reader.done();
        let is_later = indexed.lineage == seen.lineage && indexed.change_no >= seen.change_no;
        if is_later {
            Ok(indexed)
        } else {
            // The index belongs to another database, or is older than the snapshot.
            Err(("other", None))
        }
    }
}

/// Ranges of folded characters, ascending, onto which we fold characters that FTS5 keeps apart: our Unicode version is
/// newer than FTS5's (6.1), which lacks for example old Cyrillic letterforms (U+1C80 to U+1C88) and capital ß. A range
/// may include other characters of the same alphabet. A test over all of Unicode verifies the list.
#[rustfmt::skip]
const UNLIKE: &[(char, char)] = &[
    ('\u{00DF}', '\u{00DF}'),
    ('\u{019B}', '\u{019B}'),
    ('\u{025C}', '\u{029E}'),
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

/// Whether FTS5 folds every character that we fold to this one in the same way. FTS5 does not index NUL.
fn is_alike(folded: char) -> bool {
    let at = UNLIKE.partition_point(|(_, last)| *last < folded);
    folded != '\0' && UNLIKE.get(at).is_none_or(|(first, _)| folded < *first)
}

/// An FTS5 expression for texts that contain all of the folded `parts`; empty if no part has three characters in a row
/// that FTS5 folds as we do.
fn expression(parts: &[String]) -> String {
    let phrases = parts
        .iter()
        .flat_map(|part| part.split(|character| !is_alike(character)));
    let mut phrases: Vec<&str> = phrases
        .filter(|phrase| phrase.chars().nth(2).is_some())
        .collect();
    phrases.sort_unstable();
    phrases.dedup();
    let quoted: Vec<String> = phrases
        .iter()
        .map(|phrase| format!("\"{}\"", phrase.replace('"', "\"\"")))
        .collect();
    quoted.join(" AND ")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use sqlx::sqlite::SqliteConnectOptions;
    use sqlx::{Connection, SqliteConnection};
    use unicode_normalization::is_nfc;

    use super::{UNLIKE, expression, is_alike};
    use crate::model::fold;

    #[tokio::test]
    async fn fts5_folds_unicode_as_search_does_except_listed_characters() {
        let mut classes: BTreeMap<char, Vec<char>> = BTreeMap::new();
        // The index is not asked for texts that are not composed.
        for character in ('\u{1}'..=char::MAX).filter(|character| is_nfc(&character.to_string())) {
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
            let phrase = format!("\"<{}>\"", folded.to_string().replace('"', "\"\""));
            let found: i64 = match_one.bind(phrase).fetch_one(&mut index).await.unwrap();
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
    fn short_or_differently_folded_queries_skip_the_index() {
        for (parts, expected) in [
            (&[""][..], ""),
            (&["ab"], ""),
            (&["abc"], "\"abc\""),
            (&["éàé"], "\"éàé\""),
            (&["ab\0cd"], ""),
            (&["abc\0d ef"], "\"abc\" AND \"d ef\""),
            (&["leak", "ab", "eak", "leak"], "\"eak\" AND \"leak\""),
            (&["\"a\"", "and"], r#""""a""" AND "and""#),
        ] {
            let parts: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
            assert_eq!(expression(&parts), expected, "{parts:?}");
        }
    }
}
