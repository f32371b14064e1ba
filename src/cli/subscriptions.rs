//! The command `reviews subscriptions`.

use clap::Args;
use serde_json::{Value, json};
use sqlx::SqliteConnection;

use super::database::read;
use super::report::{Exit, format_table, print_result};
use crate::clock::Clock;
use crate::config::DatabaseConfig;
use crate::model::json::without_nulls;
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
    let heads = [
        "STATE",
        "TOPIC",
        "LEASE ENDS",
        "FAILURES",
        "LAST ATTEMPT",
        "OUTCOME",
        "BEHIND",
        "CALLBACK",
    ];
    let or_dash = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
    let rows = listed.iter().map(|one| {
        [
            one.state.clone(),
            one.document.clone(),
            or_dash(&one.lease_ends_at),
            one.failures.to_string(),
            or_dash(&one.last_attempt_at),
            or_dash(&one.last_outcome),
            (one.version - one.delivered_version).max(0).to_string(),
            // Callbacks are untrusted text.
            one.callback.escape_default().to_string(),
        ]
    });
    format_table(heads, rows.collect())
}
