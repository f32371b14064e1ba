//! The command `reviews show`: one review as stored, and the owner's decisions about it; and reviews as text for other
//! commands.

use std::fmt::Write as _;

use clap::Args;
use sqlx::SqliteConnection;

use super::database::{find_known, read, unreadable};
use super::report::{Exit, print_result};
use crate::config::DatabaseConfig;
use crate::imports::native::Exported;
use crate::model::Unit;
use crate::storage::reviews::KnownReview;

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
    pub(super) async fn run(self, config: &DatabaseConfig) -> anyhow::Result<Exit> {
        let find = async |reader: &mut SqliteConnection| find_known(reader, &self.id).await;
        let (id, known) = read(config, find).await?;
        let known = known.ok_or_else(|| unreadable(&id))?;
        print_result(&if self.json {
            format!("{:#}\n", Exported::new((id.parse()?, known)).json())
        } else {
            format_review(&known)
        })
    }
}

/// The review as text, with the owner's decisions that imports keep.
fn format_review(known: &KnownReview) -> String {
    let mut text = String::new();
    let Some(review) = known.review() else {
        return text;
    };
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "{name:<16}{value}");
    };
    line("id", review.id.as_str());
    let count = review.rating.stars();
    line("rating", &format!("{} {count} of 5", draw_stars(count)));
    let mut below = vec![Unit::Title, Unit::Text, Unit::Reply];
    below.retain(|unit| !unit.is_unset(review));
    for unit in Unit::ALL.into_iter().skip(1) {
        if !unit.is_unset(review) && !below.contains(&unit) {
            line(unit.name(), &unit.describe(review));
        }
    }
    if let Some(updated_at) = review.updated_at {
        line(
            "changed",
            &updated_at.format("%Y-%m-%d %H:%M UTC").to_string(),
        );
    }
    let names: Vec<&str> = known.decisions().into_iter().map(Unit::name).collect();
    let decided = match (&known.source, names.is_empty()) {
        (None, _) => "created by hand, or before imports recorded the values of sources".to_owned(),
        (Some(_), true) => "nothing: all values are those of its source".to_owned(),
        (Some(_), false) => format!("{}: imports do not change that", names.join(", ")),
    };
    line("decided", &decided);
    for unit in below {
        let head = if unit == Unit::Reply { "reply:\n" } else { "" };
        let paragraphs = format_paragraphs(&unit.describe(review));
        let _ = write!(text, "\n{head}{paragraphs}");
    }
    if let Some(note) = &known.note {
        let _ = write!(text, "\nnote, not public:\n{}", format_paragraphs(note));
    }
    text
}

// Formats a review as text for a terminal.

/// Width of a paragraph.
const COLUMNS: usize = 76;

/// `count` of five stars.
pub(super) fn draw_stars(count: u8) -> String {
    (1..=5)
        .map(|star| if star <= count { '★' } else { '☆' })
        .collect()
}

/// The first `room` characters on one line.
pub(super) fn shorten(text: &str, room: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= room {
        return line;
    }
    let cut: String = line.chars().take(room.saturating_sub(1)).collect();
    format!("{}…", cut.trim_end())
}

/// Untrusted text, indented and wrapped.
pub(super) fn format_paragraphs(text: &str) -> String {
    let mut broken = String::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split(' ') {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > COLUMNS {
                let _ = writeln!(broken, "  {line}");
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        let _ = writeln!(broken, "  {line}");
    }
    broken
}
