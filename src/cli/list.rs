//! The commands `reviews list` and `reviews show`, and reviews as text for other commands.

use std::fmt::Write as _;

use clap::Args;
use serde_json::Value;
use sqlx::SqliteConnection;

use super::database::{find_known, read, unreadable};
use super::report::{Exit, format_lines, format_table};
use super::session::Session;
use crate::config::DatabaseConfig;
use crate::imports::native::export_record;
use crate::model::text::shorten;
use crate::model::{Review, ReviewId, Unit, fold};
use crate::storage::reviews::{self, KnownReview};

/// Reviews read at a time.
const READ: usize = 250;
/// Characters that are shown of an author, and of a text.
const AUTHOR_CHARACTERS: usize = 18;
const TEXT_CHARACTERS: usize = 40;

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
    /// Only reviews whose text, title, author or reply contains TEXT, ignoring case
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
    pub(super) async fn run(
        self,
        config: &DatabaseConfig,
        session: &Session,
    ) -> anyhow::Result<Exit> {
        let rows = async |reader: &mut SqliteConnection| self.rows(reader).await;
        let mut rows = read(config, rows).await?;
        let has_more = rows.len() > self.limit as usize;
        rows.truncate(self.limit as usize);
        session.print_result(&if self.json {
            let exported = rows.iter().map(|(id, known)| export_record(id, known));
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
    ) -> sqlx::Result<Vec<(ReviewId, Box<KnownReview>)>> {
        let source = self.source.as_deref().map(fold);
        let query = self.query.as_deref().map(fold);
        let mut rows = Vec::new();
        let ids = reviews::list_ids(reader, self.rating, self.status.as_deref()).await?;
        for ids in ids.chunks(READ) {
            let list: Vec<&str> = ids.iter().map(String::as_str).collect();
            let mut stored = reviews::load_reviews(reader, &list).await?;
            for id in ids {
                // `reviews check` reports rows that are not valid reviews.
                let known = stored.remove_entry(id.as_str());
                let Some(review) = known.as_ref().and_then(|(_, known)| known.review()) else {
                    continue;
                };
                let name = fold(&review.source.name);
                let is_of_source = source.as_ref().is_none_or(|source| *source == name);
                let has_query = query.as_ref().is_none_or(|query| {
                    let reply = review.reply.as_ref().map(|reply| &reply.text);
                    let texts = [&review.text, &review.author].into_iter();
                    let mut texts = texts.chain(&review.title).chain(reply);
                    texts.any(|text| fold(text).contains(query))
                });
                if is_of_source && has_query {
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
            let text = match (self.rating, &self.status, &self.source, &self.query) {
                (None, None, None, None) => "No reviews yet; `reviews import FILE` adds some.\n",
                _ => "No review matches.\n",
            };
            return text.to_owned();
        }
        let rows = rows.iter().map(|review| {
            let reason = review.status.reason().map(|reason| format!("({reason}) "));
            [
                review.id.to_string(),
                draw_stars(review.rating.stars()),
                review.date.to_string(),
                format_cell(&review.author, AUTHOR_CHARACTERS),
                review.status.name().to_owned(),
                format_cell(
                    &(reason.unwrap_or_default() + &review.text),
                    TEXT_CHARACTERS,
                ),
            ]
        });
        let heads = ["ID", "RATING", "DATE", "AUTHOR", "STATUS", "TEXT"];
        let mut text = format_table(heads, rows.collect());
        if has_more {
            text.push_str("More reviews match; --limit N lists more.\n");
        }
        text
    }
}

/// Show one review, published or withheld, and your decisions about it
#[derive(Debug, Args)]
pub struct Show {
    /// ID of the review, a unique beginning of it, or its permalink
    #[arg(value_name = "ID")]
    id: String,
    /// Print JSON, as `reviews export` writes it
    #[arg(long)]
    json: bool,
}

impl Show {
    pub(super) async fn run(
        self,
        config: &DatabaseConfig,
        session: &Session,
    ) -> anyhow::Result<Exit> {
        let find = async |reader: &mut SqliteConnection| find_known(reader, &self.id).await;
        let (id, known) = read(config, find).await?;
        let known = known.ok_or_else(|| unreadable(&id))?;
        session.print_result(&if self.json {
            format!("{:#}\n", export_record(&id.parse()?, &known))
        } else {
            format_review(&known)
        })
    }
}

/// The review as text, with the owner's decisions that imports keep.
pub(super) fn format_review(known: &KnownReview) -> String {
    let Some(review) = known.review() else {
        return String::new();
    };
    let stars = review.rating.stars();
    let rating = format!("{} {stars} of 5", draw_stars(stars));
    let mut lines = vec![("id", review.id.to_string()), ("rating", rating)];
    let mut below = vec![Unit::Title, Unit::Text, Unit::Reply];
    below.retain(|unit| !unit.is_unset(review));
    for unit in Unit::ALL.into_iter().skip(1) {
        if !unit.is_unset(review) && !below.contains(&unit) {
            lines.push((unit.name(), unit.describe(review)));
        }
    }
    if let Some(changed) = review.updated_at {
        lines.push(("changed", changed.format("%Y-%m-%d %H:%M UTC").to_string()));
    }
    let names: Vec<&str> = known.decisions().into_iter().map(Unit::name).collect();
    let decided = if names.is_empty() {
        "nothing: imports change all values".to_owned()
    } else {
        format!("{}: imports do not change that", names.join(", "))
    };
    lines.push(("decided", decided));
    let mut text = format_lines(16, &lines);
    for unit in below {
        let head = if unit == Unit::Reply { "reply:\n" } else { "" };
        let _ = write!(text, "\n{head}{}", indent(&unit.describe(review)));
    }
    if let Some(note) = &known.note {
        let _ = write!(text, "\nnote, not public:\n{}", indent(note));
    }
    text
}

/// `count` of five stars.
fn draw_stars(count: u8) -> String {
    let stars = (1..=5).map(|star| if star <= count { '★' } else { '☆' });
    stars.collect()
}

/// The first characters of a text, on one line.
fn format_cell(text: &str, characters_max: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    shorten(&line, characters_max)
}

/// A text of others, indented.
pub(super) fn indent(text: &str) -> String {
    let lines = text.lines();
    lines.flat_map(|line| ["  ", line, "\n"]).collect()
}
