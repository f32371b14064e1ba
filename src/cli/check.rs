//! The commands `reviews check` and `reviews migrate`.

use std::fmt::Write as _;
use std::path::Path;

use clap::Args;
use futures_util::TryStreamExt as _;
use sqlx::SqliteConnection;

use super::report::{Exit, counted};
use super::session::Session;
use crate::config::{DatabaseConfig, TradeConfig};
use crate::insights::{AnalysisInput, Analyzer, store as insights};
use crate::model::text::quote_for_shell;
use crate::storage;
use crate::storage::reviews::{
    AnalysisRow, INVALID_ROW, Numbered, broken_column, newest, unreadable,
};
use crate::storage::{Database, FileVerification, LIKE_FAULTS, first_faults, unerased, verify};

/// A start fills an empty text index; of a damaged one no row can be deleted.
const EMPTY_TEXT_INDEX: &str =
    "insert into review_fts (review_fts) values ('rebuild'); delete from review_fts";
/// The advice for faults without a specific remedy.
const DAMAGED: &str = "Keep a copy of the file. Then restore a backup with `reviews restore COPY`; without one, `reviews export \
    FILE` saves the readable reviews, and `reviews import FILE` loads them into a new database.\n";

/// Verify the database without changing it: schema, integrity, and whether text index and insights match the reviews
#[derive(Debug, Args)]
pub struct Check {
    #[command(flatten)]
    trade: TradeConfig,
}

impl Check {
    pub(super) async fn run(
        self,
        database: &DatabaseConfig,
        session: &Session,
    ) -> anyhow::Result<Exit> {
        let path = database.path()?;
        let readers = Database::open_read_only(&path).await?;
        let mut connection = readers.acquire().await?;
        let mut verified = verify(&mut connection, &path).await?;
        let mut mendable = Vec::new();
        let file = quote_for_shell(&path.display().to_string());
        for id in unreadable(&mut connection).await? {
            let statement = match broken_column(&mut connection, &id).await? {
                Some(column) if column == "mentions" => {
                    format!("delete from mention where review_id = '{id}'")
                }
                Some(column) => {
                    format!("update review set {column} = 'TEXT' where review_id = '{id}'")
                }
                None => format!("select * from review where review_id = '{id}'"),
            };
            mendable.push(format!(
                "reviews: {id} {INVALID_ROW} (`sqlite3 {file} \"{statement}\"`, or `reviews delete {id}`)"
            ));
        }
        mendable = first_faults(mendable, LIKE_FAULTS);
        let business = storage::business::find(&mut connection).await?;
        let business = business.unwrap_or_default();
        let analyzer = Analyzer::new(&business, self.trade.trade.as_deref());
        let behind = &mut verified.behind;
        mendable.extend(verify_insights(&mut connection, &analyzer, behind).await?);
        let unerased = unerased(&mut connection).await?.count;
        if unerased > 0 {
            verified.behind.push(format!(
                "erasure: unused parts of the file may still contain text of {}; a running `reviews serve` erases that within \
                 an hour",
                counted(unerased.unsigned_abs(), "deleted review", "deleted reviews")
            ));
        }
        drop(connection);
        readers.close().await;
        let is_sound = verified.wrong.is_empty() && mendable.is_empty();
        session.print_result(&format_report(&path, &verified, &mendable))?;
        Ok(if is_sound { Exit::Done } else { Exit::Failed })
    }
}

/// What was verified; `mendable` are faults whose message contains the remedy.
fn format_report(path: &Path, verified: &FileVerification, mendable: &[String]) -> String {
    let reviews = counted(verified.reviews.unsigned_abs(), "review", "reviews");
    let mut text = format!("{}: {reviews}\n", path.display());
    for (begin, sentences) in [
        ("behind  ", &verified.behind[..]),
        ("wrong   ", &verified.wrong),
        ("wrong   ", mendable),
    ] {
        let lines = sentences
            .iter()
            .map(|sentence| format!("{begin}{sentence}\n"));
        text.extend(lines);
    }
    let mut wrong = verified.wrong.iter();
    if !verified.wrong.is_empty() {
        let is_index = wrong.all(|it| it.starts_with("text index:") || it.contains("review_fts"));
        if is_index {
            let file = quote_for_shell(&path.display().to_string());
            let _ = writeln!(
                text,
                "Run `sqlite3 {file} \"{EMPTY_TEXT_INDEX}\"`, then start `reviews serve` again, which indexes all texts."
            );
        } else {
            text += DAMAGED;
        }
    } else if mendable.is_empty() {
        text += "ok      schema, integrity, reviews, text index, insights\n";
    }
    text
}

/// Whether every published review has an analysis of its text, as the service stored it; returns the faults, and notes what is `behind`.
async fn verify_insights(
    connection: &mut SqliteConnection,
    analyzer: &Analyzer,
    behind: &mut Vec<String>,
) -> sqlx::Result<Vec<String>> {
    let (mut unread, mut wrong) = (0, Vec::new());
    let mut reviews = newest(connection);
    while let Some(Numbered {
        review, analysis, ..
    }) = reviews.try_next().await?
    {
        let subject = AnalysisInput::of(&review);
        let hash = subject.hash();
        let is_current =
            |row: &AnalysisRow| row.text_hash == hash && row.method_hash == analyzer.method();
        match analysis.filter(is_current) {
            None => unread += 1,
            Some(row) if insights::is_intact(&row) => {}
            Some(_) => wrong.push(review.id.to_string()),
        }
    }
    drop(reviews);
    if unread > 0 {
        behind.push(format!(
            "insights: {} not analysed yet; `reviews serve` catches up, at its next start at the latest",
            counted(unread, "review is", "reviews are")
        ));
    }
    let mend = "delete them from derived_analysis, and a running `reviews serve` analyses again";
    let sentence = |id: String| {
        format!("insights: {id} has findings that do not match what the service stored; {mend}")
    };
    let wrong = wrong.into_iter().map(sentence).collect();
    Ok(first_faults(wrong, LIKE_FAULTS))
}

/// Bring the database up to date and list the applied migrations
#[derive(Debug, Args)]
pub struct Migrate {}

impl Migrate {
    pub(super) async fn run(
        self,
        database: &DatabaseConfig,
        session: &Session,
    ) -> anyhow::Result<Exit> {
        let address = database.address()?;
        let (database, migrated) = Database::open_at(&address).await?;
        database.close().await;
        let steps = if migrated.applied.is_empty() {
            format!("up to date: {} migrations", migrated.total)
        } else {
            format!("applied {}", migrated.applied.join("\napplied "))
        };
        let file = address.file().display();
        Ok(session.print_report(&format!("{file}\n{steps}\n")))
    }
}
