//! What an election, a cut connection and a stale leader do to a write, from a node that answers as it is told.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use url::Url;

use super::{ClusterError, Executed, RqliteClient, Statement};

const WAIT_MAX: Duration = Duration::from_secs(5);

/// What the node does with one request.
#[derive(Clone)]
enum Act {
    /// It answers so.
    Answer(u16, Value),
    /// It cuts the connection, having read everything.
    Cut,
}

/// A node that does one thing after another; what it was sent.
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

/// The body of one request.
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

/// What became of one write to nodes that act so, and what each was sent.
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
            let statement = Statement::new("update t set a = ?", vec![json!(1)]);
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
    let (done, bodies) = write(vec![vec![refused("CHECK constraint failed: guard_holds")]]).await;
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
