//! Writes over rqlite's HTTP API, for a database on many nodes. Reads do not come here: each node reads its own file.

mod client;
mod statement;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub use client::{ClusterError, Executed, RqliteClient};
use serde_json::json;
use sqlx::SqliteConnection;
pub use statement::SqlStatement;

use super::lease::Lease;
use crate::clock::Monotonic;

/// Maximum time for which the service retries a write: as long as it would wait for the file's lock.
pub(super) const WRITE_WAIT_MAX: Duration = Duration::from_secs(5);
/// Maximum time for which an owner's command retries a write: long enough for an election.
pub(super) const COMMAND_WAIT_MAX: Duration = Duration::from_secs(30);

/// This process's writer for a cluster.
#[derive(Debug)]
pub struct Cluster {
    client: RqliteClient,
    wait_max: Duration,
    /// Marker of the last write, until this node's file has it.
    unseen: Mutex<Option<String>>,
    lease: Lease,
    contact: Mutex<Option<Contact>>,
}

/// A node's status within its cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeStatus {
    /// Address; empty if there is no leader.
    pub leader: String,
    pub is_leader: bool,
    /// Entries of the cluster's log that are committed, as far as this node knows, but not applied to its file.
    pub entries_behind: u64,
    /// Milliseconds since it heard from the leader, if known.
    pub last_contact_ms: Option<u64>,
}

/// The last answer of this node's rqlited.
#[derive(Debug, Clone, Default)]
pub struct Contact {
    pub status: NodeStatus,
    /// When it last heard from the leader.
    pub heard_at: Option<Monotonic>,
}

impl Cluster {
    /// `holder` identifies this process in the lease; `wait_max` bounds the time for one write.
    #[must_use]
    pub fn new(client: RqliteClient, holder: String, wait_max: Duration) -> Self {
        Self {
            client,
            wait_max,
            unseen: Mutex::default(),
            lease: Lease::new(holder),
            contact: Mutex::default(),
        }
    }

    pub(super) fn contact(&self) -> Option<Contact> {
        lock(&self.contact).clone()
    }

    /// Stores an answer of this node's rqlited. If the answer has no time of the last contact with the leader, the
    /// previous time stays.
    pub(super) fn note_contact(&self, told: Contact) {
        let mut contact = lock(&self.contact);
        let before = contact.as_ref().and_then(|contact| contact.heard_at);
        *contact = Some(Contact {
            heard_at: told.heard_at.or(before),
            status: told.status,
        });
    }

    pub(super) const fn lease(&self) -> &Lease {
        &self.lease
    }

    #[must_use]
    pub const fn client(&self) -> &RqliteClient {
        &self.client
    }

    /// Applies these statements as one transaction.
    ///
    /// # Errors
    /// [`ClusterError`].
    pub async fn write(&self, statements: &[SqlStatement]) -> Result<Executed, ClusterError> {
        let executed = self.client.execute(statements, self.wait_max).await?;
        *lock(&self.unseen) = Some(executed.marker.clone());
        Ok(executed)
    }

    /// Applies groups of statements, each as one transaction, if `basis` still holds.
    pub(super) async fn write_groups(
        &self,
        basis: WriteBasis,
        groups: &[Vec<SqlStatement>],
    ) -> Result<(), ClusterError> {
        let groups = groups.iter().filter(|group| !group.is_empty());
        for (number, group) in groups.enumerate() {
            let guarded = basis.guard(number == 0);
            let all: Vec<SqlStatement> = guarded.into_iter().chain(group.iter().cloned()).collect();
            self.write(&all).await?;
        }
        Ok(())
    }

    /// Whether the file behind `connection` has every write of this process; until then its data are older.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn has_seen_all(&self, connection: &mut SqliteConnection) -> sqlx::Result<bool> {
        let unseen = lock(&self.unseen).clone();
        let Some(marker) = unseen else {
            return Ok(true);
        };
        let is_there = has_marker(connection, &marker).await?;
        if is_there {
            let mut unseen = lock(&self.unseen);
            if unseen.as_ref() == Some(&marker) {
                *unseen = None;
            }
        }
        Ok(is_there)
    }
}

/// Whether the file behind `connection` has the write with this marker.
pub(super) async fn has_marker(
    connection: &mut SqliteConnection,
    marker: &str,
) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"select exists (select 1 from write_marker where marker = ?) as "is: bool""#,
        marker
    )
    .fetch_one(connection)
    .await
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The state from which the working copy of an owner's command was made: the command is applied only if no other such
/// command and no change of a review happened in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteBasis {
    change_no: i64,
    /// Number of writes by owner's commands.
    owner_writes: i64,
}

impl WriteBasis {
    const SELECT: &str = "select (select coalesce(max(change_no), 0) from review_change), (select number from owner_write)";

    /// The leader's state.
    pub(super) async fn of_cluster(client: &RqliteClient) -> Result<Self, ClusterError> {
        let select = SqlStatement::new(Self::SELECT, Vec::new());
        let rows = client.query(&select, COMMAND_WAIT_MAX).await?;
        let number = |column: usize| rows.first()?.get(column)?.as_i64();
        match (number(0), number(1)) {
            (Some(change_no), Some(owner_writes)) => Ok(Self {
                change_no,
                owner_writes,
            }),
            _ => Err(ClusterError::Refused(
                "the tables of the cluster are not ours".to_owned(),
            )),
        }
    }

    /// The state of a file, or of a transaction on it.
    pub(super) async fn of_file(connection: &mut SqliteConnection) -> sqlx::Result<Self> {
        let (change_no, owner_writes) = sqlx::query_as(Self::SELECT).fetch_one(connection).await?;
        Ok(Self {
            change_no,
            owner_writes,
        })
    }

    /// Whether this is as new as `other`, or newer.
    pub(super) const fn has_reached(self, other: Self) -> bool {
        self.change_no >= other.change_no && self.owner_writes >= other.owner_writes
    }

    /// Statements that make a whole transaction fail if it comes too late. The first group of a command counts the
    /// command; later groups only check that no other command came in between.
    fn guard(self, is_first: bool) -> Vec<SqlStatement> {
        let delete = SqlStatement::new("delete from guard", Vec::new());
        if !is_first {
            let guard = "insert into guard (holds) select coalesce((select number from owner_write) = ?1, 0)";
            return vec![
                SqlStatement::new(guard, vec![json!(self.owner_writes + 1)]),
                delete,
            ];
        }
        let guard = "insert into guard (holds) select coalesce((select coalesce(max(change_no), 0) from review_change) = ?1 \
                     and (select number from owner_write) = ?2, 0)";
        let values = vec![json!(self.change_no), json!(self.owner_writes)];
        let count = SqlStatement::new("update owner_write set number = number + 1", Vec::new());
        vec![SqlStatement::new(guard, values), delete, count]
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use serde_json::{Value, json};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};
    use tokio::task::JoinHandle;
    use url::Url;

    use super::{ClusterError, Executed, RqliteClient, SqlStatement};

    const WAIT_MAX: Duration = Duration::from_secs(5);

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
                return serde_json::from_str(body).unwrap();
            }
        }
    }

    fn applied() -> Act {
        Act::Answer(
            200,
            json!({"results": [{"rows_affected": 1}, {"rows_affected": 7}]}),
        )
    }

    fn refused(reason: &str) -> Act {
        Act::Answer(200, json!({"results": [{"error": reason}]}))
    }

    /// The outcome of one write to such nodes, and the requests that each received.
    async fn write(acts: Vec<Vec<Act>>) -> (Result<Executed, ClusterError>, Vec<Vec<Value>>) {
        let local = tokio::task::LocalSet::new();
        local
            .run_until(async {
                let mut nodes = Vec::new();
                for acts in acts {
                    nodes.push(Node::that(acts).await);
                }
                let urls = nodes.iter().map(|node| node.url.clone()).collect();
                let client = RqliteClient::new(urls).unwrap();
                let statement = SqlStatement::new("update t set a = ?", vec![json!(1)]);
                let done = client.execute(&[statement], WAIT_MAX).await;
                let bodies = nodes.iter().map(Node::bodies).collect();
                nodes.iter().for_each(|node| node.task.abort());
                (done, bodies)
            })
            .await
    }

    fn marker(body: &Value) -> &Value {
        &body[0][1]
    }

    #[tokio::test]
    async fn an_answer_of_200_with_an_error_is_no_success_and_is_tried_again() {
        let election = json!({"results": [], "error": "node failed to process Execute"});
        let (done, bodies) = write(vec![vec![Act::Answer(200, election), applied()]]).await;
        assert_eq!(
            done.unwrap().rows,
            Some(vec![7]),
            "without the marker's own"
        );
        assert_eq!(bodies[0].len(), 2);
        assert_eq!(bodies[0][0], bodies[0][1], "the very same, marker included");
    }

    #[tokio::test]
    async fn a_node_that_is_not_available_leaves_it_to_the_next_one() {
        let unavailable = Act::Answer(503, json!("leader not found"));
        let (done, bodies) = write(vec![vec![unavailable], vec![applied()]]).await;
        assert_eq!(done.unwrap().rows, Some(vec![7]));
        assert_eq!(bodies[0], bodies[1]);
    }

    #[tokio::test]
    async fn a_write_whose_answer_was_cut_off_is_known_by_its_marker_and_applied_once() {
        let there = refused("UNIQUE constraint failed: write_marker.marker");
        let (done, bodies) = write(vec![vec![Act::Cut, there]]).await;
        let done = done.unwrap();
        assert_eq!(done.rows, None, "nobody knows how many rows any more");
        assert_eq!(marker(&bodies[0][1]), &json!(done.marker));
        assert_eq!(marker(&bodies[0][0]), marker(&bodies[0][1]));
    }

    #[tokio::test]
    async fn a_stale_leader_that_cannot_commit_is_left_for_the_one_that_can() {
        let stale = json!({"results": [], "error": "leadership lost while committing log"});
        let (done, bodies) = write(vec![vec![Act::Answer(200, stale)], vec![applied()]]).await;
        assert_eq!(done.unwrap().rows, Some(vec![7]));
        assert_eq!(marker(&bodies[0][0]), marker(&bodies[1][0]));
    }

    #[tokio::test]
    async fn what_was_taken_for_granted_and_is_not_so_any_more_is_overtaken() {
        let (done, bodies) =
            write(vec![vec![refused("CHECK constraint failed: guard_holds")]]).await;
        assert_eq!(done.unwrap_err(), ClusterError::Overtaken);
        assert_eq!(bodies[0].len(), 1, "it is not tried again");
    }

    #[tokio::test]
    async fn a_statement_that_fails_is_refused_at_once() {
        let (done, bodies) = write(vec![vec![refused("no such table: t")]]).await;
        assert_eq!(
            done.unwrap_err(),
            ClusterError::Refused("no such table: t".to_owned())
        );
        assert_eq!(bodies[0].len(), 1);
    }

    #[tokio::test]
    async fn a_node_that_wants_another_password_is_told_of_and_not_asked_again() {
        let (done, bodies) = write(vec![vec![Act::Answer(401, json!("Unauthorized"))]]).await;
        assert!(
            matches!(done, Err(ClusterError::Answer { status: 401, .. })),
            "{done:?}"
        );
        assert_eq!(bodies[0].len(), 1);
    }

    #[tokio::test]
    async fn where_nobody_listens_nothing_was_changed_and_that_is_said() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        drop(listener);
        let client = RqliteClient::new(vec![url.parse().unwrap()]).unwrap();
        let done = client.execute(&[], Duration::from_millis(100)).await;
        let error = done.unwrap_err();
        assert!(matches!(error, ClusterError::Unreachable(_)), "{error}");
        assert!(error.to_string().contains("nothing was changed"), "{error}");
    }
}
