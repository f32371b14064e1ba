//! How a node fares within its cluster: what its rqlited says at `/status`, and what time makes of it.

use std::time::Duration;

use serde_json::Value;

use super::Database;
use super::error::DbError;
use super::rqlite::{Contact, NodeStatus};
use crate::clock::Clock;

/// How long a node's own rqlited may take to say how it fares.
const STATUS_TIMEOUT: Duration = Duration::from_millis(700);

/// The same, with what time has made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeStanding {
    /// As it was last told.
    pub status: NodeStatus,
    /// How long ago this node's rqlited last heard of the leader; since this process started, where never.
    pub heard_ago: Duration,
    /// Whether this process raises versions and sends.
    pub holds_lease: bool,
}

impl Database {
    /// Asks this node's rqlited how it fares; where there is no cluster, nothing happens.
    ///
    /// # Errors
    /// That it does not answer.
    pub async fn ask_node(&self) -> Result<(), DbError> {
        let Some(cluster) = self.cluster() else {
            return Ok(());
        };
        let asked_at = Clock::system().monotonic();
        let status = cluster.client().status(STATUS_TIMEOUT).await?;
        let status = node_status(&status["store"]);
        let contact = status.last_contact_ms.filter(|_| !status.leader.is_empty());
        let heard_at = contact.map(|ms| asked_at.before(Duration::from_millis(ms)));
        cluster.note_contact(Contact { status, heard_at });
        Ok(())
    }

    /// How this node fares within its cluster, as last asked; `None` where there is no cluster, or nobody has asked yet.
    #[must_use]
    pub fn node_standing(&self) -> Option<NodeStanding> {
        let contact = self.cluster()?.contact()?;
        let now = Clock::system().monotonic();
        Some(NodeStanding {
            heard_ago: now - contact.heard_at.unwrap_or_default(),
            status: contact.status,
            holds_lease: self.may_publish(),
        })
    }
}

fn node_status(store: &Value) -> NodeStatus {
    let number = |value: &Value| match value.as_str() {
        Some(text) => text.parse().ok(),
        None => value.as_u64(),
    };
    let raft = &store["raft"];
    let committed = number(&raft["commit_index"]).unwrap_or(0);
    let leader_committed = number(&raft["transport"]["leader_commit_index"]).unwrap_or(0);
    let applied = number(&raft["applied_index"]).unwrap_or(0);
    let is_leader = raft["state"] == "Leader";
    let told = &raft["last_contact"];
    let last_contact_ms = match told.as_str() {
        _ if is_leader => Some(0),
        // Go's words for a span: "12.5ms".
        Some(text) => span_ms(text),
        None => told.as_u64().map(|nanoseconds| nanoseconds / 1_000_000),
    };
    NodeStatus {
        leader: store["leader"]["addr"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
        is_leader,
        entries_behind: committed.max(leader_committed).saturating_sub(applied),
        last_contact_ms,
    }
}

/// Milliseconds of a span as Go prints it: `1m2.5s`, `34.1ms`, `0`.
fn span_ms(text: &str) -> Option<u64> {
    const UNITS: [(&str, f64); 6] = [
        ("ns", 1e-6),
        ("µs", 1e-3),
        ("ms", 1.0),
        ("h", 3_600_000.0),
        ("m", 60_000.0),
        ("s", 1_000.0),
    ];
    if text == "0" {
        return Some(0);
    }
    let (mut rest, mut milliseconds) = (text, 0.0);
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let value: f64 = rest[..end].parse().ok()?;
        let (unit, factor) = UNITS
            .into_iter()
            .find(|(unit, _)| rest[end..].starts_with(unit))?;
        milliseconds += value * factor;
        rest = &rest[end + unit.len()..];
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a span of at most some days, never negative"
    )]
    Some(milliseconds.round() as u64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{node_status, span_ms};

    #[test]
    fn a_node_tells_its_leader_and_how_far_behind_it_is() {
        let follower = json!({
            "leader": {"addr": "10.0.0.1:4002", "node_id": "1"},
            "raft": {"state": "Follower", "applied_index": 90, "commit_index": 95, "last_contact": "12.6ms",
                "transport": {"leader_commit_index": "100"}},
        });
        let told = node_status(&follower);
        assert_eq!(told.leader, "10.0.0.1:4002");
        assert!(!told.is_leader);
        assert_eq!(told.entries_behind, 10);
        assert_eq!(told.last_contact_ms, Some(13));
    }

    #[test]
    fn a_node_without_a_leader_says_so() {
        let told = node_status(
            &json!({"leader": {"addr": ""}, "raft": {"state": "Candidate", "last_contact": "1m2.5s"}}),
        );
        assert_eq!(
            (told.leader.as_str(), told.last_contact_ms),
            ("", Some(62_500))
        );
        assert_eq!(span_ms("never"), None);
    }
}
