//! The command `reviews subscriptions`.

use std::fmt::Write;

use clap::Args;
use serde_json::{Value, json};
use sqlx::SqliteConnection;

use super::database::read;
use super::report::{Exit, print_result};
use crate::clock::Clock;
use crate::config::DatabaseConfig;
use crate::imports::export::without_nulls;
use crate::websub::store::{SubscriptionRow, list};

/// List the hub's subscriptions: state, lease, failures, last attempt; secrets are never shown
#[derive(Debug, Args)]
pub struct Subscriptions {
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

impl Subscriptions {
    pub(super) async fn run(
        self,
        database: &DatabaseConfig,
        clock: &Clock,
    ) -> anyhow::Result<Exit> {
        let list = async |reader: &mut SqliteConnection| list(reader, clock.now()).await;
        let listed = read(database, list).await?;
        print_result(&if self.json {
            let listed: Value = listed.iter().map(as_json).collect();
            format!("{listed:#}\n")
        } else {
            table(&listed)
        })
    }
}

fn as_json(listed: &SubscriptionRow) -> Value {
    without_nulls(json!({
        "topic": listed.document, "callback": listed.callback, "state": listed.state, "lease_ends_at": listed.lease_ends_at,
        "failures": listed.failures, "last_attempt_at": listed.last_attempt_at, "last_outcome": listed.last_outcome,
        "next_attempt_at": listed.next_attempt_at, "signed": listed.is_signed, "delivered_version": listed.delivered_version,
        "version": listed.version,
    }))
}

fn table(listed: &[SubscriptionRow]) -> String {
    if listed.is_empty() {
        return "No subscriptions.\n".to_owned();
    }
    let head = [
        "STATE",
        "TOPIC",
        "LEASE ENDS",
        "FAILURES",
        "LAST ATTEMPT",
        "OUTCOME",
        "BEHIND",
        "CALLBACK",
    ]
    .map(str::to_owned);
    let none = || "-".to_owned();
    let rows = listed.iter().map(|one| {
        [
            one.state.clone(),
            one.document.clone(),
            one.lease_ends_at.clone().unwrap_or_else(none),
            one.failures.to_string(),
            one.last_attempt_at.clone().unwrap_or_else(none),
            one.last_outcome.clone().unwrap_or_else(none),
            (one.version - one.delivered_version).max(0).to_string(),
            // Callbacks are untrusted text.
            one.callback.escape_default().to_string(),
        ]
    });
    let rows: Vec<[String; 8]> = std::iter::once(head).chain(rows).collect();
    let width = |column: usize| {
        let widths = rows.iter().map(|row| row[column].chars().count());
        widths.fold(0, usize::max)
    };
    let widths: [usize; 8] = std::array::from_fn(width);
    rows.iter().fold(String::new(), |mut text, row| {
        let cells = row.iter().zip(widths);
        let cells = cells.map(|(cell, width)| format!("{cell:<width$}"));
        let line = cells.collect::<Vec<_>>().join("  ");
        let _ = writeln!(text, "{}", line.trim_end());
        text
    })
}
