//! The command `reviews list`: one line per review, newest first.

use std::fmt::Write as _;

use clap::Args;
use serde_json::Value;
use sqlx::SqliteConnection;

use super::database::read;
use super::report::{Exit, print_result};
use super::show::{draw_stars, shorten};
use crate::config::DatabaseConfig;
use crate::imports::native::Exported;
use crate::model::{Review, ReviewId, fold};
use crate::storage::reviews::{self, KnownReview};

/// Reviews read at a time.
const READ: usize = 250;
/// The width of a line, if shortening the text is sufficient.
const LINE_COLUMNS: usize = 80;
/// With fewer columns left, the text gets its own line.
const WORDS_MIN: usize = 24;
/// Maximum number of characters of an author that are shown.
const AUTHOR_MAX: usize = 18;

/// List reviews, newest first, with their IDs
#[derive(Debug, Args)]
pub struct ListCommand {
    /// Only reviews with this many stars
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=5))]
    rating: Option<u8>,
    /// Only reviews with this status
    #[arg(long, value_parser = ["published", "withheld"])]
    status: Option<String>,
    /// Only reviews from this source, for example Google
    #[arg(long, value_name = "S")]
    source: Option<String>,
    /// Only reviews whose text, title or author contains TEXT, ignoring case
    #[arg(long, value_name = "TEXT")]
    query: Option<String>,
    /// List at most this many
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// Print JSON, with full texts
    #[arg(long)]
    json: bool,
}

impl ListCommand {
    pub(super) async fn run(self, config: &DatabaseConfig) -> anyhow::Result<Exit> {
        let rows = async |reader: &mut SqliteConnection| self.rows(reader).await;
        let mut rows = read(config, rows).await?;
        let has_more = rows.len() > self.limit as usize;
        rows.truncate(self.limit as usize);
        print_result(&if self.json {
            let exported = rows.into_iter().map(|row| Exported::new(row).json());
            format!("{:#}\n", Value::Array(exported.collect()))
        } else {
            let reviews: Vec<&Review> = rows.iter().filter_map(|(_, it)| it.review()).collect();
            self.table(&reviews, has_more)
        })
    }

    /// The listed reviews, plus one if there are more.
    async fn rows(
        &self,
        reader: &mut SqliteConnection,
    ) -> sqlx::Result<Vec<(ReviewId, KnownReview)>> {
        let source = self.source.as_deref().map(fold);
        let query = self.query.as_deref().map(fold);
        let mut rows = Vec::new();
        let ids = reviews::list_ids(reader, self.rating, self.status.as_deref()).await?;
        for ids in ids.chunks(READ) {
            let list: Vec<&str> = ids.iter().map(String::as_str).collect();
            let mut standing = reviews::standing(reader, &list).await?;
            for id in ids {
                // `reviews check` reports rows that are not valid reviews.
                let known = standing.remove_entry(id.as_str());
                let Some(review) = known.as_ref().and_then(|(_, known)| known.review()) else {
                    continue;
                };
                let is_of = |source: &String| fold(&review.source.name) == *source;
                let says = |query: &String| {
                    let texts = [&review.text, &review.author].into_iter();
                    let mut texts = texts.chain(&review.title);
                    texts.any(|text| fold(text).contains(query))
                };
                if source.as_ref().is_none_or(is_of) && query.as_ref().is_none_or(says) {
                    rows.extend(known);
                    if rows.len() > self.limit as usize {
                        return Ok(rows);
                    }
                }
            }
        }
        Ok(rows)
    }

    fn table(&self, rows: &[&Review], has_more: bool) -> String {
        if rows.is_empty() {
            let is_all = self.rating.is_none()
                && self.status.is_none()
                && self.source.is_none()
                && self.query.is_none();
            return if is_all {
                "No reviews yet; `reviews import FILE` adds some.\n".to_owned()
            } else {
                "No review matches; remove a filter to see more.\n".to_owned()
            };
        }
        let width = |cell: fn(&Review) -> String| {
            let cells = rows.iter().map(|review| cell(review).chars().count());
            cells.max().unwrap_or(0)
        };
        let (ids, authors) = (
            width(|review| review.id.to_string()),
            width(|review| shorten(&review.author, AUTHOR_MAX)),
        );
        let mut text = String::new();
        for review in rows {
            let (id, stars) = (&review.id, draw_stars(review.rating.stars()));
            let (author, status) = (shorten(&review.author, AUTHOR_MAX), review.status.name());
            let begin = format!("{id:<ids$}  {stars}  {}", review.date);
            let reason = review.status.reason().map(|reason| format!("({reason}) "));
            let text_shown = reason.unwrap_or_default() + &review.text;
            let line = format!("{begin}  {author:<authors$}  {status:<9}  ");
            let room = LINE_COLUMNS.saturating_sub(line.chars().count());
            let _ = if room >= WORDS_MIN {
                let line = line + &shorten(&text_shown, room);
                writeln!(text, "{}", line.trim_end())
            } else {
                // Long IDs, as in tables, leave no room for the author.
                let words = shorten(&format!("{author}: {text_shown}"), LINE_COLUMNS - 4);
                writeln!(
                    text,
                    "{begin}  {status}\n    {}",
                    words.trim_end_matches(':')
                )
            };
        }
        if has_more {
            let _ = writeln!(
                text,
                "More reviews match; `--limit {}` lists twice as many.",
                u64::from(self.limit) * 2
            );
        }
        text
    }
}
