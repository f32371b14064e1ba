//! Prints the insights as a table.

use std::fmt::Write as _;

use crate::cli::{Outcome, say};
use crate::config::DatabaseConfig;
use crate::insights::Engines;
use crate::links::Links;
use crate::snapshot::input::SnapshotInput;
use crate::snapshot::insights::insights;
use crate::snapshot::survey;
use crate::storage::{Database, DbError};
use crate::wire;

/// Prints the insights without writing to the database.
pub(super) async fn run(database: &DatabaseConfig, engines: Engines) -> anyhow::Result<Outcome> {
    let path = database.path()?;
    let fault = |error| DbError::at(&path, error);
    // Not part of the output.
    let links: Links = "http://localhost".parse()?;
    let readers = Database::open_read_only(&path).await?;
    let mut transaction = readers.begin().await.map_err(fault)?;
    let (input, behind) = survey(&mut transaction, &engines, &links)
        .await
        .map_err(fault)?;
    transaction.commit().await.map_err(fault)?;
    readers.close().await;
    say(&told(&input, &insights(&input, &links), behind))?;
    Ok(Outcome::Done)
}

fn told(input: &SnapshotInput, insights: &wire::Insights, behind: usize) -> String {
    let from = &insights.generated_from;
    let mut text = format!(
        "{}: {} reviews, {} with a text, {} analysed",
        input.business.name, from.reviews, from.with_text, from.analysed
    );
    for excluded in &from.excluded {
        let _ = write!(
            text,
            ", {} {}",
            excluded.n,
            excluded.reason.replace('_', " ")
        );
    }
    if let Some(window) = from.window {
        let _ = write!(text, "; {} to {}", window.from, window.to);
    }
    text.push('\n');
    aspects(&mut text, insights);
    entities(&mut text, insights);
    let topics: Vec<String> = insights
        .topics
        .iter()
        .map(|topic| format!("{} ({})", topic.phrase, topic.reviews))
        .collect();
    if !topics.is_empty() {
        let _ = writeln!(text, "\nTopics: {}", topics.join(", "));
    }
    let (method, trade) = (input.analyzer.method(), input.analyzer.trade());
    let quality = if trade.quality.is_empty() {
        "quality not measured"
    } else {
        "quality measured, see /insights.json"
    };
    let _ = writeln!(
        text,
        "\nMethod {method}, trade {} of {} aspects, {quality}",
        trade.id,
        trade.aspects.len()
    );
    let _ = match behind {
        0 => writeln!(text, "Up to date with the reviews."),
        1 => writeln!(
            text,
            "Behind: 1 review is not analysed yet; a running `reviews serve` analyses it, and so does `reviews insights rebuild`."
        ),
        some => writeln!(
            text,
            "Behind: {some} reviews are not analysed yet; a running `reviews serve` analyses them, and so does `reviews insights \
             rebuild`."
        ),
    };
    text
}

fn aspects(text: &mut String, insights: &wire::Insights) {
    let aspects = insights.aspects.iter().map(|one| {
        let share = one
            .positive_share
            .as_ref()
            .map(|share| (share.value, share.ci95.clone()));
        Row {
            name: one.label.clone(),
            reviews: one.reviews,
            votes: Some([
                one.positive,
                one.negative,
                one.neutral,
                one.mixed,
                one.uncertain,
            ]),
            share,
        }
    });
    table(text, "ASPECT", aspects.collect());
}

fn entities(text: &mut String, insights: &wire::Insights) {
    let entities = &insights.entities;
    for (head, list) in [
        ("TECHNICIAN", &entities.technicians),
        ("SERVICE", &entities.services),
        ("SERVICE AREA", &entities.service_areas),
    ] {
        let rows = list.iter().map(|one| {
            let share = one
                .positive_share
                .as_ref()
                .map(|share| (share.value, share.ci95.clone()));
            Row {
                name: one.name.clone(),
                reviews: one.reviews,
                votes: votes(one),
                share,
            }
        });
        table(text, head, rows.collect());
    }
}

/// `None` if there are too few reviews to publish votes.
fn votes(entity: &wire::Entity) -> Option<[u32; 5]> {
    Some([
        entity.positive?,
        entity.negative?,
        entity.neutral?,
        entity.mixed?,
        entity.uncertain?,
    ])
}

/// Column headings of the votes.
const COLUMNS: [&str; 5] = ["POSITIVE", "NEGATIVE", "NEUTRAL", "MIXED", "UNCERTAIN"];

/// A line of a table.
struct Row {
    name: String,
    reviews: u32,
    /// In the order of [`COLUMNS`]; their sum is `reviews`.
    votes: Option<[u32; 5]>,
    share: Option<(f64, Vec<f64>)>,
}

fn table(text: &mut String, head: &str, rows: Vec<Row>) {
    if rows.is_empty() {
        return;
    }
    let width = rows
        .iter()
        .map(|row| row.name.chars().count())
        .max()
        .unwrap_or(0)
        .max(head.len());
    let columns = COLUMNS.join("  ");
    let _ = writeln!(text, "\n{head:<width$}  REVIEWS  {columns}  SHARE");
    for Row {
        name,
        reviews,
        votes,
        share,
    } in rows
    {
        let cell = |(votes, head): (u32, &str)| format!("{votes:>width$}", width = head.len());
        let votes = votes.map_or_else(String::new, |votes| {
            let cells: Vec<String> = votes.into_iter().zip(COLUMNS).map(cell).collect();
            cells.join("  ")
        });
        let share = share.map_or_else(String::new, |(value, ends)| {
            let ends: Vec<String> = ends
                .iter()
                .map(|end| format!("{:.0}", end * 100.0))
                .collect();
            format!("{:>4.0} % ({})", value * 100.0, ends.join(" to "))
        });
        let line = format!(
            "{name:<width$}  {reviews:>7}  {votes:<length$}  {share}",
            length = columns.len()
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
}
