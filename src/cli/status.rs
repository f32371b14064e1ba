//! The commands `reviews status`, the content of the database, the last imports and the next step, and `reviews subscriptions`.

use std::fmt::Write as _;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use clap::Args;
use serde_json::{Value, json};
use sqlx::SqliteConnection;

use super::database::read;
use super::report::{Exit, format_instant, format_lines, format_table};
use super::session::Session;
use super::sync::EntryList;
use crate::config::{DatabaseConfig, SyncConfig};
use crate::model::business::{Business, SET_UP_COMMAND};
use crate::model::json::without_nulls;
use crate::snapshot::served_base;
use crate::storage::business::{self, SampleState, sample_state};
use crate::storage::reviews::{
    ImportRun, SourceCounts, UNDOABLE_MAX, counts_by_source, last_runs, unreadable,
};
use crate::storage::{LIKE_FAULTS, first_faults, unpublished};
use crate::websub::store::{SubscriptionRow, list};

/// Show the state: reviews, last imports, unpublished changes, and the next step
#[derive(Debug, Args)]
pub struct StatusCommand {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    sync: SyncConfig,
}

struct DatabaseStatus {
    database: String,
    business: Option<String>,
    /// What the business does not say on `/transparency`, if it is set up.
    not_stated: Vec<&'static str>,
    zone: Option<Tz>,
    sample: SampleState,
    by_source: Vec<SourceCounts>,
    imports: Vec<ImportRun>,
    /// The entries that are fetched on a schedule, or what is wrong with their file.
    sync: Result<EntryList, String>,
    unpublished: i64,
    /// The IDs of the reviews that cannot be read.
    unreadable: Vec<String>,
    /// The base URL of the last publication.
    base_url: Option<String>,
}

impl StatusCommand {
    pub(super) async fn run(
        self,
        config: &DatabaseConfig,
        session: &Session,
    ) -> anyhow::Result<Exit> {
        let path = config.path()?;
        let sync = self.sync.within(&session.environment);
        let status = read(config, async |reader: &mut SqliteConnection| {
            let found = business::find(&mut *reader).await?;
            let found = found.filter(Business::is_set_up);
            let unreadable = unreadable(&mut *reader).await?;
            anyhow::Ok(DatabaseStatus {
                database: path.display().to_string(),
                not_stated: (found.iter())
                    .flat_map(|business| business.review_policy.not_stated())
                    .collect(),
                business: found.map(|business| business.name),
                zone: business::time_zone(&mut *reader).await?,
                sample: sample_state(&mut *reader).await?,
                by_source: counts_by_source(&mut *reader, &unreadable).await?,
                imports: last_runs(&mut *reader, UNDOABLE_MAX).await?,
                sync: EntryList::read(&sync, &path, &mut *reader).await?,
                unpublished: unpublished(&mut *reader).await?,
                unreadable,
                base_url: served_base(&mut *reader)
                    .await?
                    .map(|links| links.to_string()),
            })
        })
        .await?;
        session.print_result(&if self.json {
            format!("{:#}\n", status.json(session.clock.now()))
        } else {
            status.format_report()
        })
    }
}

impl DatabaseStatus {
    fn published(&self) -> i64 {
        self.by_source.iter().map(|one| one.published).sum()
    }

    fn withheld(&self) -> i64 {
        self.by_source.iter().map(|one| one.withheld).sum()
    }

    fn next_step(&self) -> String {
        let is_set_up = self.business.is_some();
        let has_reviews = self.published() + self.withheld() > 0;
        let step = first_step(self.sample, is_set_up, self.zone.is_some(), has_reviews);
        step.unwrap_or_else(|| PUBLISH.to_owned())
    }

    fn json(&self, now: DateTime<Utc>) -> Value {
        let sources = self.by_source.iter().map(|one| {
            json!({ "source": one.source_name, "published": one.published, "withheld": one.withheld })
        });
        let imports = self.imports.iter().map(|run| {
            without_nulls(json!({
                "run": run.id, "started_at": run.started_at, "files": run.files, "new": run.added, "updated": run.updated,
                "unchanged": run.unchanged, "withdrawn": run.withdrawn, "rejected": run.rejected, "doubtful": run.doubtful,
                "unread": Some(&run.unread).filter(|names| !names.is_empty()), "undone_at": run.undone_at, "sync": run.sync_entry,
            }))
        });
        without_nulls(json!({
            "database": self.database, "business": self.business, "policy_not_stated": self.not_stated,
            "reviews": { "published": self.published(), "withheld": self.withheld(), "by_source": sources.collect::<Vec<_>>() },
            "imports": imports.collect::<Vec<_>>(),
            "sync": self.sync.as_ref().map(|it| it.json(now)).unwrap_or_default(), "sync_fault": self.sync.as_ref().err(),
            "unreadable": self.unreadable, "unpublished_changes": self.unpublished, "base_url": self.base_url,
            "next_step": self.next_step(),
        }))
    }

    fn format_report(&self) -> String {
        let zone = self.zone.unwrap_or_default();
        let states = |published, withheld| format!("{published} published, {withheld} withheld");
        let mut reviews = states(self.published(), self.withheld());
        for one in &self.by_source {
            let states = states(one.published, one.withheld);
            let _ = write!(reviews, "\n{}: {states}", one.source_name);
        }
        let mut unreadable = first_faults(self.unreadable.clone(), LIKE_FAULTS).join(", ");
        if !unreadable.is_empty() {
            unreadable = format!("left out: {unreadable} (`reviews check` says why)");
        }
        let imports = self.imports.iter();
        let imports: Vec<String> = imports.map(|run| run_line(run, zone)).collect();
        let sync = match &self.sync {
            Ok(entries) => entries.format(),
            Err(fault) => format!("the file of entries is faulty: {fault}"),
        };
        let publication = format!("changed reviews that wait for it: {}", self.unpublished);
        let business = self.business.as_deref().unwrap_or("not set up");
        let base_url = self.base_url.as_deref().unwrap_or("none published yet");
        let lines = [
            ("database", self.database.clone()),
            ("business", business.to_owned()),
            ("policy", policy_advice(&self.not_stated)),
            ("reviews", reviews),
            ("unreadable", unreadable),
            ("imports", imports.join("\n")),
            ("sync", sync),
            ("publication", publication),
            ("base URL", base_url.to_owned()),
            ("next step", self.next_step()),
        ];
        format_lines(14, &lines)
    }
}

/// What the business does not say on `/transparency`, and how to say it; empty if it says all.
pub(super) fn policy_advice(not_stated: &[&str]) -> String {
    if not_stated.is_empty() {
        return String::new();
    }
    format!(
        "/transparency has \"not stated\" for {}; state it as review_policy in a file for `reviews business FILE`",
        not_stated.join(", ")
    )
}

/// The next step of an owner whose reviews may be published.
pub(super) const PUBLISH: &str =
    "`reviews serve` publishes the reviews, and each change within a second";

/// What an owner has to do before there is something to publish; `None` if nothing.
pub(super) fn first_step(
    sample: SampleState,
    is_set_up: bool,
    has_zone: bool,
    has_reviews: bool,
) -> Option<String> {
    let step = match (is_set_up, has_zone, has_reviews) {
        _ if sample == SampleState::Sample => {
            "the reviews are those of the sample; `reviews init --database my.db --name NAME` creates your own"
        }
        (false, ..) => &format!("`{SET_UP_COMMAND}` sets up your business"),
        (_, false, _) => "`reviews init --time-zone ZONE` sets the time zone of your days",
        (.., false) => "`reviews import FILE` adds reviews, then `reviews serve` publishes them",
        (true, true, true) => return None,
    };
    Some(step.to_owned())
}

/// An import in one line, with its time in the business's zone.
pub(super) fn run_line(run: &ImportRun, zone: Tz) -> String {
    let mut line = format!(
        "{}: {}, {}: {} new, {} updated",
        run.id,
        format_instant(&run.started_at, zone),
        run.files.join(", "),
        run.added,
        run.updated,
    );
    for (count, name) in [
        (run.withdrawn, "withdrawn"),
        (run.rejected, "rejected"),
        (run.doubtful, "doubtful"),
    ] {
        if count > 0 {
            let _ = write!(line, ", {count} {name}");
        }
    }
    if !run.unread.is_empty() {
        let names = run.unread.join(", ");
        let _ = write!(line, ", members that are not read: {names}");
    }
    if run.undone_at.is_some() {
        line.push_str(", undone");
    }
    line
}

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
        session: &Session,
    ) -> anyhow::Result<Exit> {
        let list = async |reader: &mut SqliteConnection| list(reader, session.clock.now()).await;
        let listed = read(database, list).await?;
        session.print_result(&if self.json {
            let listed = listed.iter().map(|one| {
                without_nulls(json!({
                    "topic": one.document, "callback": one.callback, "state": one.state, "lease_ends_at": one.lease_ends_at,
                    "failures": one.failures, "last_attempt_at": one.last_attempt_at, "last_outcome": one.last_outcome,
                    "next_attempt_at": one.next_attempt_at, "signed": one.is_signed, "delivered_version": one.delivered_version,
                    "version": one.version,
                }))
            });
            format!("{:#}\n", listed.collect::<Value>())
        } else {
            format_subscriptions(&listed)
        })
    }
}

fn format_subscriptions(listed: &[SubscriptionRow]) -> String {
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
