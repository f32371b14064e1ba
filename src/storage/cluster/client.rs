//! Writes over rqlite's HTTP API, for a database on many nodes. Reads do not come here: each node reads its own file.

use std::sync::Mutex;
use std::time::Duration;

use hyper::body::Bytes;
use reqwest::{Client, Response, StatusCode};
use serde_json::{Value, json};
use sqlx::sqlite::{SqliteArguments, SqliteConnection, SqliteRow};
use sqlx::{
    Arguments as _, Executor as _, Row as _, SqlSafeStr as _, TypeInfo as _, ValueRef as _,
};
use thiserror::Error;
use url::Url;

use crate::clock::{Clock, Monotonic};
use crate::config::bounds::ECHO_CHARACTERS_MAX;
use crate::http::{client_builder, read_body};

/// Maximum time for which a process retries a small write, such as a hub's request.
pub const WRITE_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum time for which an owner's command or an import retries a write: long enough for an election.
pub const COMMAND_TIMEOUT: Duration = Duration::from_secs(30);

/// This process's writer for a cluster.
#[derive(Debug)]
pub struct Cluster {
    pub client: RqliteClient,
    /// Random id of this process, as the sender.
    pub holder: String,
    pub lease: Mutex<Lease>,
    /// When this node's rqlited last had contact to the leader.
    pub contact_at: Mutex<Monotonic>,
}

/// The right to send, as this process has it.
#[derive(Debug, Default)]
pub struct Lease {
    /// `None` while this process does not hold it.
    pub ends_at: Option<Monotonic>,
    /// Number of this process's last write as the sender.
    pub last_write_no: i64,
    /// Number of the write that last prolonged the lease.
    pub renewal_write_no: i64,
}

// Client of rqlite's HTTP API: tries the nodes in turn until one accepts the request or the time is up. The nodes are
// trusted because an operator configured them; requests to URLs from clients go through `websub::http_client`
// instead.
//
// After a cut connection or an election a request is sent again, though the first one may have been applied. So every write has the
// same effect a second time, or is refused then (`owner_writes` in `migrations/0009_process.sql`).

const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum time for one node to answer a request, without the time to transfer the bytes.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// Extra time for each MiB sent: about a thousand reviews with their text index, on a busy machine.
const TIME_PER_MIB: Duration = Duration::from_secs(10);
/// First and longest wait before the next node is tried.
const FIRST_WAIT: Duration = Duration::from_millis(25);
const LONGEST_WAIT: Duration = Duration::from_millis(800);
/// SQLite's messages if another process wrote first: such a write sets one of these columns to null.
const OVERTAKEN: [&str; 2] = [
    "NOT NULL constraint failed: instance.owner_writes",
    "NOT NULL constraint failed: lease.writes",
];

/// Cloning shares the connections.
#[derive(Debug, Clone)]
pub struct RqliteClient {
    client: Client,
    nodes: Vec<Url>,
}

impl RqliteClient {
    pub fn new(nodes: Vec<Url>) -> Result<Self, ClusterError> {
        let client = client_builder().connect_timeout(CONNECT_TIMEOUT).no_proxy();
        let client = client.redirect(reqwest::redirect::Policy::limited(2));
        let client = client.build();
        let client = client.map_err(|error| ClusterError::Unreachable(error.to_string()))?;
        Ok(Self { client, nodes })
    }

    /// Applies these statements in one transaction; returns the affected rows by statement. `wait_max` bounds the wait for other
    /// nodes and for the end of an election.
    pub async fn execute(
        &self,
        statements: Vec<SqlStatement>,
        wait_max: Duration,
    ) -> Result<Vec<u64>, ClusterError> {
        let body = Value::Array(statements);
        let (answer, is_repeated) = self.ask("db/execute?transaction", &body, wait_max).await?;
        let results = answer["results"].as_array();
        let results =
            results.ok_or_else(|| ClusterError::Unknown("an answer without results".to_owned()))?;
        let rows: Result<_, ClusterError> = (results.iter())
            .map(|result| Ok(succeeded(result)?["rows_affected"].as_u64().unwrap_or(0)))
            .collect();
        rows.map_err(|error| {
            let is_overtaken = matches!(&error, ClusterError::Refused(reason) if OVERTAKEN.iter().any(|one| reason.contains(one)));
            match is_overtaken {
                true if is_repeated => ClusterError::Unknown("another write came after it".to_owned()),
                true => ClusterError::Overtaken,
                false => error,
            }
        })
    }

    /// The rows of a query, read from the leader.
    pub async fn query(
        &self,
        statement: &SqlStatement,
        wait_max: Duration,
    ) -> Result<Vec<Vec<Value>>, ClusterError> {
        let body = json!([statement]);
        let (answer, _) = self.ask("db/query?level=strong", &body, wait_max).await?;
        let result = succeeded(&answer["results"][0])?;
        // Without rows there are no values.
        let rows: Option<Vec<Vec<Value>>> = serde_json::from_value(result["values"].clone())
            .map_err(|error| ClusterError::Refused(error.to_string()))?;
        Ok(rows.unwrap_or_default())
    }

    /// `/status` of this node's own rqlited, within `timeout`.
    pub async fn status(&self, timeout: Duration) -> Result<Value, ClusterError> {
        let Some(node) = self.nodes.first() else {
            return Err(ClusterError::Unreachable("no node is named".to_owned()));
        };
        let sent = self.client.get(at(node, "status")).timeout(timeout).send();
        let read = async { read_text(sent.await?).await };
        let text = read.await;
        let text =
            text.map_err(|error: reqwest::Error| ClusterError::Unreachable(cause(&error)))?;
        serde_json::from_str(&text)
            .map_err(|error| ClusterError::Unreachable(format!("{}: {error}", name(node))))
    }

    /// Posts to the nodes in turn until one accepts, one refuses, or the time is up; returns the answer, and whether an earlier
    /// attempt may have been applied.
    async fn ask(
        &self,
        path: &str,
        body: &Value,
        wait_max: Duration,
    ) -> Result<(Value, bool), ClusterError> {
        let (clock, body) = (Clock::system(), Bytes::from(body.to_string()));
        let mib = u32::try_from(body.len() >> 20).unwrap_or(u32::MAX);
        let extra = TIME_PER_MIB * mib;
        let end = clock.monotonic() + wait_max + extra;
        let (mut wait, mut was_unknown, mut last) = (FIRST_WAIT, false, String::new());
        for node in self.nodes.iter().cycle() {
            let left = (end - clock.monotonic()).max(CONNECT_TIMEOUT);
            let timeout = left.min(ANSWER_TIMEOUT + extra);
            let message = match self.try_node(node, path, body.clone(), timeout).await {
                Err(ClusterError::Unreachable(message)) => message,
                Err(ClusterError::Unknown(message)) => {
                    was_unknown = true;
                    message
                }
                answered => return answered.map(|answer| (answer, was_unknown)),
            };
            last = format!("{}: {message}", name(node));
            if clock.monotonic() + wait >= end {
                break;
            }
            clock.sleep(wait).await;
            wait = (wait * 2).min(LONGEST_WAIT);
        }
        Err(if was_unknown {
            ClusterError::Unknown(last)
        } else {
            ClusterError::Unreachable(last)
        })
    }

    /// Posts to one node. Another attempt may succeed after [`ClusterError::Unreachable`] and, though this one may have been
    /// applied, after [`ClusterError::Unknown`].
    async fn try_node(
        &self,
        node: &Url,
        path: &str,
        body: Bytes,
        timeout: Duration,
    ) -> Result<Value, ClusterError> {
        let request = self.client.post(at(node, path)).timeout(timeout);
        let request = request.header("content-type", "application/json");
        let request = request.body(body);
        let response = request.send().await.map_err(|error| {
            if error.is_connect() {
                ClusterError::Unreachable(cause(&error))
            } else {
                ClusterError::Unknown(cause(&error))
            }
        })?;
        let status = response.status();
        let read = read_text(response).await;
        let text = read.map_err(|error| ClusterError::Unknown(cause(&error)))?;
        if status.is_server_error() {
            let message = shortened(&format!("{status} {text}"));
            return Err(ClusterError::Unknown(message));
        }
        if status != StatusCode::OK {
            // To unknown users, and to users without the permission, it is 401 without a body.
            let message = shortened(&format!("{status} {text}"));
            return Err(ClusterError::Refused(format!(
                "{message}; correct DATABASE_URL, or the user's permissions in rqlited's -auth"
            )));
        }
        let answer: Value = serde_json::from_str(&text)
            .map_err(|error| ClusterError::Unknown(error.to_string()))?;
        // 200 does not mean success: during an election the answer contains an error and no results.
        match answer["error"].as_str() {
            Some(error) => Err(ClusterError::Unknown(shortened(error))),
            None => Ok(answer),
        }
    }
}

// Reads the nodes' answers and describes nodes and errors, without the other parts of a URL, which may hold a password.

/// Maximum number of bytes of an answer that are read: results of a few thousand statements.
const ANSWER_BYTES_MAX: usize = 4 << 20;

/// The result of a statement that did not fail.
fn succeeded(result: &Value) -> Result<&Value, ClusterError> {
    match result["error"].as_str() {
        Some(reason) => Err(ClusterError::Refused(reason.to_owned())),
        None => Ok(result),
    }
}

/// The body, up to [`ANSWER_BYTES_MAX`].
async fn read_text(response: Response) -> reqwest::Result<String> {
    let bytes = read_body(response, ANSWER_BYTES_MAX).await?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn at(node: &Url, path: &str) -> String {
    format!("{node}{path}")
}

/// Host and port only.
fn name(node: &Url) -> String {
    let port = node.port_or_known_default().unwrap_or_default();
    format!("{}:{port}", node.host_str().unwrap_or_default())
}

fn shortened(text: &str) -> String {
    text.trim().chars().take(ECHO_CHARACTERS_MAX).collect()
}

/// The innermost error, which is the most specific; never the URL, which may hold a password.
fn cause(error: &reqwest::Error) -> String {
    let cause = anyhow::Chain::new(error).next_back();
    shortened(&cause.map(ToString::to_string).unwrap_or_default())
}

// Cluster errors, distinguished by the possible effect of the write.

#[derive(Debug, Clone, Error, PartialEq, Eq)]
pub enum ClusterError {
    /// No node accepted the write; nothing was changed.
    #[error(
        "no node of the rqlite cluster accepted the write in time ({0}); nothing was changed; check that a majority of the nodes \
         is running, that DATABASE_URL names them and, with TLS, that SSL_CERT_FILE has their authority"
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
    /// A statement failed, or a node refuses all requests of this kind; nothing was changed.
    #[error("the rqlite cluster rejects this: {0}")]
    Refused(String),
    /// This node's file has not caught up with the cluster.
    #[error(
        "the file of this node's rqlited has not caught up with the cluster within half a minute; check that DATABASE_URL names \
         the file of a running node"
    )]
    Behind,
}

impl From<ClusterError> for sqlx::Error {
    /// This allows functions that return SQLite's errors to return a cluster error.
    fn from(error: ClusterError) -> Self {
        Self::Configuration(Box::new(error))
    }
}

/// An SQL statement in the form of rqlite's HTTP API: an array of its text and of the values of its parameters, which are
/// null, numbers and texts (<https://rqlite.io/docs/api/api/#parameterized-statements>).
pub type SqlStatement = Value;

/// Converts a statement of sqlx. `query!` checks statements at compile time but does not expose their values, so
/// `connection` reads them back.
///
/// # Errors
/// When a value is bytes, which the API cannot carry: bind them in hexadecimal, to `unhex(?)`.
pub async fn statement_of(
    connection: &mut SqliteConnection,
    sql: &str,
    arguments: Option<SqliteArguments>,
) -> sqlx::Result<SqlStatement> {
    let mut statement = vec![json!(sql)];
    if let Some(arguments) = arguments.filter(|arguments| arguments.len() > 0) {
        let parameters: Vec<String> = (1..=arguments.len()).map(|n| format!("?{n}")).collect();
        let select = format!("select {}", parameters.join(", "));
        let select = (sqlx::AssertSqlSafe(select).into_sql_str(), Some(arguments));
        let row = connection.fetch_one(select).await?;
        for column in 0..row.len() {
            statement.push(value(&row, column)?);
        }
    }
    Ok(Value::Array(statement))
}

fn value(row: &SqliteRow, column: usize) -> sqlx::Result<Value> {
    let kind = {
        let raw = row.try_get_raw(column)?;
        if raw.is_null() {
            return Ok(Value::Null);
        }
        raw.type_info().name().to_owned()
    };
    Ok(match kind.as_str() {
        "INTEGER" => json!(row.try_get_unchecked::<i64, _>(column)?),
        "REAL" => json!(row.try_get_unchecked::<f64, _>(column)?),
        "TEXT" => json!(row.try_get_unchecked::<String, _>(column)?),
        kind => {
            let reason =
                format!("a {kind} cannot be bound on a cluster; bind it as text, to unhex(?)");
            return Err(sqlx::Error::Encode(reason.into()));
        }
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use serde_json::{Value, json};
    use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
    use sqlx::{Connection as _, Execute as _, Sqlite};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};
    use tokio::task::JoinHandle;
    use url::Url;

    use super::{ClusterError, OVERTAKEN, RqliteClient, statement_of};
    use crate::model::hex;
    use crate::storage::DbError;
    use crate::storage::cluster::migrate_cluster;
    use crate::storage::schema::{MIGRATIONS, Migrated};

    const TIMEOUT: Duration = Duration::from_secs(5);

    /// A test node's reaction to one request.
    #[derive(Clone)]
    enum Act {
        Answer(u16, Value),
        /// Cuts the connection after reading the request.
        Cut,
    }

    /// A test node that reacts in sequence, and the requests that it received.
    struct Node {
        url: Url,
        bodies: Arc<Mutex<Vec<Value>>>,
        task: JoinHandle<()>,
    }

    impl Node {
        async fn that(acts: Vec<Act>) -> Self {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let url = format!("http://{}/", listener.local_addr().unwrap());
            let bodies: Arc<Mutex<Vec<Value>>> = Arc::default();
            let kept = Arc::clone(&bodies);
            let task = tokio::task::spawn_local(async move {
                for act in acts {
                    let (mut stream, _) = listener.accept().await.unwrap();
                    let body = read(&mut stream).await;
                    kept.lock().unwrap().push(body);
                    if let Act::Answer(status, body) = act {
                        let body = body.to_string();
                        let head = format!(
                            "HTTP/1.1 {status} x\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                            body.len()
                        );
                        stream.write_all((head + &body).as_bytes()).await.unwrap();
                    }
                }
            });
            Self {
                url: url.parse().unwrap(),
                bodies,
                task,
            }
        }

        fn bodies(&self) -> Vec<Value> {
            self.bodies.lock().unwrap().clone()
        }
    }

    /// The body of a request; null without one.
    async fn read(stream: &mut TcpStream) -> Value {
        let mut bytes = Vec::new();
        loop {
            let mut piece = [0; 4_096];
            let read = stream.read(&mut piece).await.unwrap();
            bytes.extend_from_slice(&piece[..read]);
            let text = String::from_utf8_lossy(&bytes);
            let Some((head, body)) = text.split_once("\r\n\r\n") else {
                continue;
            };
            let length = head.lines().find_map(|line| {
                line.to_lowercase()
                    .strip_prefix("content-length: ")?
                    .parse()
                    .ok()
            });
            if body.len() >= length.unwrap_or(0) {
                let body = if body.is_empty() { "null" } else { body };
                return serde_json::from_str(body).unwrap();
            }
        }
    }

    fn applied() -> Act {
        Act::Answer(200, json!({"results": [{"rows_affected": 7}]}))
    }

    fn refused(reason: &str) -> Act {
        Act::Answer(200, json!({"results": [{"error": reason}]}))
    }

    /// The outcome of one write to such nodes, and the requests that each received.
    async fn write(acts: Vec<Vec<Act>>) -> (Result<Vec<u64>, ClusterError>, Vec<Vec<Value>>) {
        let local = tokio::task::LocalSet::new();
        local
            .run_until(async {
                let mut nodes = Vec::new();
                for acts in acts {
                    nodes.push(Node::that(acts).await);
                }
                let urls = nodes.iter().map(|node| node.url.clone()).collect();
                let client = RqliteClient::new(urls).unwrap();
                let statement = json!(["update t set a = ?", 1]);
                let done = client.execute(vec![statement], TIMEOUT).await;
                let bodies = nodes.iter().map(Node::bodies).collect();
                nodes.iter().for_each(|node| node.task.abort());
                (done, bodies)
            })
            .await
    }

    #[tokio::test]
    async fn a_write_without_a_valid_answer_goes_to_the_next_node() {
        let failure = |error: &str| json!({"results": [], "error": error});
        for first in [
            Act::Answer(200, failure("node failed to process Execute")),
            Act::Answer(200, failure("leadership lost while committing log")),
            Act::Answer(503, json!("leader not found")),
            Act::Cut,
        ] {
            let (done, bodies) = write(vec![vec![first], vec![applied()]]).await;
            assert_eq!(done.unwrap(), [7]);
            assert_eq!(bodies[0], bodies[1]);
        }
    }

    #[tokio::test]
    async fn a_write_that_came_too_late_is_overtaken_or_unknown() {
        for column in OVERTAKEN {
            let (done, bodies) = write(vec![vec![refused(column)]]).await;
            assert_eq!(done.unwrap_err(), ClusterError::Overtaken);
            assert_eq!(bodies[0].len(), 1, "it is not tried again");
            // The first attempt, of which no answer came, may be the one that came first.
            let (done, _) = write(vec![vec![Act::Cut, refused(column)]]).await;
            assert!(matches!(done, Err(ClusterError::Unknown(_))), "{done:?}");
        }
    }

    #[tokio::test]
    async fn an_unreachable_cluster_reports_that_nothing_was_changed() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        drop(listener);
        let client = RqliteClient::new(vec![url.parse().unwrap()]).unwrap();
        let done = client.execute(Vec::new(), Duration::from_millis(100)).await;
        let error = done.unwrap_err();
        assert!(matches!(error, ClusterError::Unreachable(_)), "{error}");
        assert!(error.to_string().contains("nothing was changed"), "{error}");
    }

    /// The migration of a cluster whose node answers with these results, and the statements that the node received.
    async fn migrate(results: Vec<Value>) -> (Result<Migrated, DbError>, Vec<Vec<Value>>) {
        let local = tokio::task::LocalSet::new();
        local
            .run_until(async {
                let answer = |result| Act::Answer(200, json!({"results": [result]}));
                let node = Node::that(results.into_iter().map(answer).collect()).await;
                let client = RqliteClient::new(vec![node.url.clone()]).unwrap();
                let migrated = migrate_cluster(&client, Path::new("db.sqlite")).await;
                node.task.abort();
                let bodies = node.bodies().into_iter();
                let statements = bodies.map(|body| body.as_array().unwrap().clone());
                (migrated, statements.collect())
            })
            .await
    }

    fn objects(ours: u64, all: u64) -> Value {
        json!({"values": [[ours, all]]})
    }

    fn versions() -> Value {
        let all = MIGRATIONS.iter();
        json!({"values": all.map(|one| json!([one.version, hex(&one.checksum)])).collect::<Vec<_>>()})
    }

    #[tokio::test]
    async fn a_cluster_of_another_program_is_refused_and_only_read() {
        for (ours, all) in [(0, 1), (1, 2), (2, 40)] {
            let (migrated, sent) = migrate(vec![objects(ours, all)]).await;
            let error = migrated.unwrap_err();
            assert!(matches!(error, DbError::NotOurs(_)), "{error}");
            assert!(sent.len() == 1 && sent[0][0][0].as_str().unwrap().starts_with("select"));
        }
    }

    #[tokio::test]
    async fn two_processes_can_migrate_an_empty_cluster_at_once() {
        let exists = json!({"error": "table _sqlx_migrations already exists"});
        let theirs = vec![objects(0, 0), exists, objects(3, 77), versions()];
        let (migrated, _) = migrate(theirs).await;
        assert_eq!(migrated.unwrap().applied, Vec::<String>::new());
    }

    #[tokio::test]
    async fn bound_values_keep_the_type_and_blobs_are_refused() {
        let options = SqliteConnectOptions::new().in_memory(true);
        let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
        let sql = "insert into t values (?, ?, ?, ?, ?)";
        let mut query = sqlx::query::<Sqlite>(sql)
            .bind(i64::MAX)
            .bind(0.1)
            .bind("it's")
            .bind(None::<String>)
            .bind(true);
        let arguments = query.take_arguments().unwrap();
        let statement = statement_of(&mut connection, sql, arguments).await.unwrap();
        let expected = json!([sql, i64::MAX, 0.1, "it's", null, 1]);
        assert_eq!(statement, expected);
        let mut bytes = sqlx::query::<Sqlite>(sql).bind(b"x".as_slice());
        let arguments = bytes.take_arguments().unwrap();
        let error = statement_of(&mut connection, sql, arguments).await;
        assert!(error.unwrap_err().to_string().contains("unhex"));
    }
}
