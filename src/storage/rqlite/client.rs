//! Client of rqlite's HTTP API: tries the nodes in turn until one accepts the request or the time is up. The nodes are
//! trusted because an operator configured them; requests to URLs from clients go through `egress` instead.
//!
//! Each write has its own marker (migration 0020), so that it may be sent again after a cut connection or an election:
//! if the first attempt was applied, the second one fails as a whole because its marker exists.

use std::time::Duration;

use reqwest::{Client, Response, StatusCode};
use serde_json::{Value, json};
use thiserror::Error;
use url::Url;

use super::statement::SqlStatement;
use crate::clock::{Clock, Monotonic};
use crate::random::Random;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum time for one node to answer a request, without the time to transfer the bytes.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// Extra time for each MiB sent: about a thousand reviews with their text index, on a busy machine.
const TIME_PER_MIB: Duration = Duration::from_secs(10);
/// First and longest wait before the next node is tried.
const WAIT_MIN: Duration = Duration::from_millis(25);
const WAIT_MAX: Duration = Duration::from_millis(800);
/// SQLite's message if the marker already exists.
const IS_APPLIED: &str = "UNIQUE constraint failed: write_marker.marker";
/// Part of SQLite's message if a guard fails (migration 0020).
const GUARD: &str = "guard_holds";

/// Cloning shares the connections.
#[derive(Debug, Clone)]
pub struct RqliteClient {
    client: Client,
    nodes: Vec<Url>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executed {
    pub marker: String,
    /// Affected rows by statement; `None` if an earlier attempt was applied and its answer was lost.
    pub rows: Option<Vec<u64>>,
}

enum Tried {
    Done(Value),
    /// Final: another node would refuse it too.
    Failed(ClusterError),
    /// Another attempt may succeed; with `is_unknown`, this one may have been applied.
    Again {
        told: String,
        is_unknown: bool,
    },
}

impl RqliteClient {
    /// # Errors
    /// [`ClusterError::Client`].
    pub fn new(nodes: Vec<Url>) -> Result<Self, ClusterError> {
        let client = Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .no_proxy()
            .redirect(reqwest::redirect::Policy::limited(2));
        let client = client
            .build()
            .map_err(|error| ClusterError::Client(error.to_string()))?;
        Ok(Self { client, nodes })
    }

    /// Applies these statements in one transaction, exactly once. `wait_max` bounds the wait for other nodes and for
    /// the end of an election.
    ///
    /// # Errors
    /// [`ClusterError`].
    pub async fn execute(
        &self,
        statements: &[SqlStatement],
        wait_max: Duration,
    ) -> Result<Executed, ClusterError> {
        let marker = Random::system()
            .hex_128()
            .map_err(|error| ClusterError::Client(error.to_string()))?;
        let now = Clock::system()
            .now()
            .format("%Y-%m-%dT%H:%M:%SZ")
            .to_string();
        let mark = SqlStatement::new(
            "insert into write_marker (marker, written_at) values (?, ?)",
            vec![json!(marker), json!(now)],
        );
        let all: Vec<Value> = std::iter::once(&mark)
            .chain(statements)
            .map(SqlStatement::json)
            .collect();
        let body = Value::Array(all).to_string();
        let answer = self.ask("db/execute?transaction", body, wait_max).await;
        match answer.and_then(|answer| results(&answer)) {
            Ok(mut rows) => {
                // The first result belongs to the marker's insert.
                rows.remove(0);
                Ok(Executed {
                    marker,
                    rows: Some(rows),
                })
            }
            Err(ClusterError::Refused(reason)) if reason.contains(IS_APPLIED) => {
                Ok(Executed { marker, rows: None })
            }
            Err(ClusterError::Refused(reason)) if reason.contains(GUARD) => {
                Err(ClusterError::Overtaken)
            }
            Err(error) => Err(error),
        }
    }

    /// Applies statements that change the schema, in one transaction and without a marker: repeating them fails.
    ///
    /// # Errors
    /// [`ClusterError`].
    pub async fn execute_unmarked(
        &self,
        statements: &[SqlStatement],
        wait_max: Duration,
    ) -> Result<(), ClusterError> {
        let body = Value::Array(statements.iter().map(SqlStatement::json).collect());
        let answer = self
            .ask("db/execute?transaction", body.to_string(), wait_max)
            .await?;
        results(&answer).map(drop)
    }

    /// The rows of a query, read from the leader.
    ///
    /// # Errors
    /// [`ClusterError`].
    pub async fn query(
        &self,
        statement: &SqlStatement,
        wait_max: Duration,
    ) -> Result<Vec<Vec<Value>>, ClusterError> {
        let body = json!([statement.json()]).to_string();
        let answer = self.ask("db/query?level=strong", body, wait_max).await?;
        let result = &answer["results"][0];
        if let Some(reason) = result["error"].as_str() {
            return Err(ClusterError::Refused(reason.to_owned()));
        }
        let rows = result["values"].as_array().cloned().unwrap_or_default();
        Ok(rows
            .into_iter()
            .map(|row| row.as_array().cloned().unwrap_or_default())
            .collect())
    }

    /// Loads a SQLite file into an empty cluster.
    ///
    /// # Errors
    /// [`ClusterError`].
    pub async fn load(&self, file: Vec<u8>, wait_max: Duration) -> Result<(), ClusterError> {
        let answer = self.ask("db/load", file, wait_max).await?;
        match answer["results"][0]["error"].as_str() {
            Some(reason) => Err(ClusterError::Refused(reason.to_owned())),
            None => Ok(()),
        }
    }

    /// A consistent copy of the whole database as a SQLite file, in chunks.
    ///
    /// # Errors
    /// [`ClusterError`], or an error of `take`.
    pub async fn backup(
        &self,
        mut take: impl FnMut(&[u8]) -> std::io::Result<()>,
    ) -> Result<(), ClusterError> {
        let mut told = String::new();
        for node in &self.nodes {
            let asked = self.client.get(at(node, "db/backup?vacuum")).send().await;
            let mut response = match asked {
                Ok(response) if response.status() == StatusCode::OK => response,
                Ok(response) => {
                    told = format!("{}: {}", name(node), response.status());
                    continue;
                }
                Err(error) => {
                    told = format!("{}: {}", name(node), cause(&error));
                    continue;
                }
            };
            // After this point another node would send the copy from the beginning again.
            loop {
                let piece = response.chunk().await;
                match piece.map_err(|error| ClusterError::Unreachable(cause(&error)))? {
                    Some(piece) => {
                        take(&piece).map_err(|error| ClusterError::Client(error.to_string()))?;
                    }
                    None => return Ok(()),
                }
            }
        }
        Err(ClusterError::Unreachable(told))
    }

    /// `/status` of this node's own rqlited, within `timeout`.
    ///
    /// # Errors
    /// [`ClusterError::Unreachable`].
    pub async fn status(&self, timeout: Duration) -> Result<Value, ClusterError> {
        let Some(node) = self.nodes.first() else {
            return Err(ClusterError::Unreachable("no node is named".to_owned()));
        };
        let asked = self.client.get(at(node, "status")).timeout(timeout).send();
        let read = async { Ok::<_, reqwest::Error>(read_text(asked.await?).await) };
        let told = |error: reqwest::Error| ClusterError::Unreachable(cause(&error));
        let text = read.await.map_err(told)?;
        serde_json::from_str(&text)
            .map_err(|error| ClusterError::Unreachable(format!("{}: {error}", name(node))))
    }

    /// Posts to the nodes in turn until one accepts, one refuses, or the time is up.
    async fn ask(
        &self,
        path: &str,
        body: impl Into<bytes::Bytes>,
        wait_max: Duration,
    ) -> Result<Value, ClusterError> {
        let (clock, body) = (Clock::system(), body.into());
        let end = clock.monotonic() + wait_max;
        let (mut wait, mut was_unknown, mut last) = (WAIT_MIN, false, String::new());
        for node in self.nodes.iter().cycle() {
            match self.try_node(node, path, body.clone(), end).await {
                Tried::Done(answer) => return Ok(answer),
                Tried::Failed(error) => return Err(error),
                Tried::Again { told, is_unknown } => {
                    was_unknown |= is_unknown;
                    last = format!("{}: {told}", name(node));
                }
            }
            if clock.monotonic() + wait >= end {
                break;
            }
            clock.sleep(wait).await;
            wait = (wait * 2).min(WAIT_MAX);
        }
        Err(if was_unknown {
            ClusterError::Unknown(last)
        } else {
            ClusterError::Unreachable(last)
        })
    }

    async fn try_node(&self, node: &Url, path: &str, body: bytes::Bytes, end: Monotonic) -> Tried {
        let mib = u32::try_from(body.len() >> 20).unwrap_or(u32::MAX);
        let left = end - Clock::system().monotonic();
        let timeout = (ANSWER_TIMEOUT + TIME_PER_MIB * mib).min(left.max(CONNECT_TIMEOUT));
        let content_type = if path == "db/load" {
            "application/octet-stream"
        } else {
            "application/json"
        };
        let request = self
            .client
            .post(at(node, path))
            .header("content-type", content_type)
            .timeout(timeout)
            .body(body);
        let response = match request.send().await {
            Ok(response) => response,
            Err(error) => {
                return Tried::Again {
                    told: cause(&error),
                    is_unknown: !error.is_connect(),
                };
            }
        };
        let status = response.status();
        let text = read_text(response).await;
        if status.is_server_error() {
            return Tried::Again {
                told: shortened(&format!("{status} {text}")),
                is_unknown: true,
            };
        }
        if status != StatusCode::OK {
            let reason = status.canonical_reason().unwrap_or_default();
            return Tried::Failed(ClusterError::Answer {
                status: status.as_u16(),
                told: shortened(if text.is_empty() { reason } else { &text }),
            });
        }
        // `/db/load` of some releases answers with an empty body.
        let answer = if text.trim().is_empty() {
            Ok(json!({}))
        } else {
            serde_json::from_str::<Value>(&text)
        };
        match answer {
            // 200 does not mean success: during an election the answer contains an error and no results.
            Ok(answer) => match answer["error"].as_str() {
                Some(error) => Tried::Again {
                    told: shortened(error),
                    is_unknown: true,
                },
                None => Tried::Done(answer),
            },
            Err(error) => Tried::Again {
                told: error.to_string(),
                is_unknown: true,
            },
        }
    }
}

// Reads the nodes' answers and describes nodes and errors, without the other parts of a URL, which may hold a password.

/// Maximum number of bytes of an answer that are read: results of a few thousand statements.
const ANSWER_BYTES_MAX: usize = 4 << 20;
/// Maximum number of characters of a node's message that an error repeats.
const TOLD_CHARS_MAX: usize = 200;

/// Beginning of rustls's message about a certificate.
const UNTRUSTED: &str = "invalid peer certificate";
const UNTRUSTED_ADVICE: &str = "it must name this host, and its authority must be among this machine's certificates or in SSL_CERT_FILE";

/// Affected rows by statement.
pub(super) fn results(answer: &Value) -> Result<Vec<u64>, ClusterError> {
    let results = answer["results"].as_array();
    let results =
        results.ok_or_else(|| ClusterError::Unknown("an answer without results".to_owned()))?;
    results
        .iter()
        .map(|result| match result["error"].as_str() {
            Some(reason) => Err(ClusterError::Refused(reason.to_owned())),
            None => Ok(result["rows_affected"].as_u64().unwrap_or(0)),
        })
        .collect()
}

/// The body, up to [`ANSWER_BYTES_MAX`].
pub(super) async fn read_text(mut response: Response) -> String {
    let mut bytes = Vec::new();
    while let Ok(Some(piece)) = response.chunk().await {
        bytes.extend_from_slice(&piece);
        if bytes.len() > ANSWER_BYTES_MAX {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(super) fn at(node: &Url, path: &str) -> String {
    format!("{node}{path}")
}

/// Host and port only.
pub(super) fn name(node: &Url) -> String {
    let port = node.port_or_known_default().unwrap_or_default();
    format!("{}:{port}", node.host_str().unwrap_or_default())
}

pub(super) fn shortened(text: &str) -> String {
    text.trim().chars().take(TOLD_CHARS_MAX).collect()
}

/// The innermost error, which is the most specific; never the URL, which may hold a password.
pub(super) fn cause(error: &reqwest::Error) -> String {
    let mut error: &dyn std::error::Error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    let told = shortened(&error.to_string());
    if told.starts_with(UNTRUSTED) {
        format!("{told}; {UNTRUSTED_ADVICE}")
    } else {
        told
    }
}

// Cluster errors, distinguished by the possible effect of the write.

#[derive(Debug, Clone, Error, PartialEq, Eq)]
pub enum ClusterError {
    /// No node accepted the write; nothing was changed.
    #[error(
        "no node of the rqlite cluster accepted the write in time ({0}); nothing was changed; check that a majority of the nodes \
         is running, and that DATABASE_URL names them"
    )]
    Unreachable(String),
    /// A connection was cut, or an election happened, after the write was sent; it may have been applied.
    #[error(
        "the rqlite cluster did not confirm the write in time ({0}); it may or may not have been applied; run it again, which \
         changes nothing twice"
    )]
    Unknown(String),
    /// The data read before have changed; nothing was written.
    #[error(
        "another process wrote to the cluster at the same time; nothing was changed; run it again"
    )]
    Overtaken,
    /// A statement failed; nothing was changed.
    #[error("the rqlite cluster rejects this: {0}")]
    Refused(String),
    /// A node refuses all requests of this kind.
    #[error("the rqlite cluster answered {status} ({told}); correct {}", setting(*status))]
    Answer {
        status: u16,
        /// Beginning of the body, or the status's name.
        told: String,
    },
    /// This node's file has not caught up with the cluster.
    #[error(
        "the file of this node's rqlited has not caught up with the cluster within {seconds} s; check that DATABASE_URL names \
         the file of a running node"
    )]
    Behind {
        /// Seconds waited.
        seconds: u64,
    },
    /// The client's settings cannot be used.
    #[error("cannot connect to the rqlite cluster: {0}")]
    Client(String),
}

/// The setting to correct if a node answers with this status. rqlite answers 401 without a body to unknown users, and to
/// users without the permission.
const fn setting(status: u16) -> &'static str {
    match status {
        401 => {
            "user name and password in DATABASE_URL, or this user's permissions in the file of rqlited's -auth"
        }
        _ => "DATABASE_URL, or the cluster's settings",
    }
}

impl From<ClusterError> for sqlx::Error {
    /// This allows functions that return SQLite's errors to return a cluster error.
    fn from(error: ClusterError) -> Self {
        Self::Configuration(Box::new(error))
    }
}
