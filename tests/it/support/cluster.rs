//! If `REVIEWS_TEST_RQLITED` names an rqlited, each test's service runs on a cluster of one node (`tests/cluster/suite`).

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use reviews_service::config::{DatabaseAddress, DatabaseConfig, Environment};
use serde_json::Value;

use super::tools::setting;

/// The time in which rqlited must become the leader.
const PATIENCE: Duration = Duration::from_secs(30);
/// The file beside its database that has the port of its API.
const API: &str = "api";

/// A running rqlited, killed on drop.
pub struct Rqlited(Child);

impl Rqlited {
    /// Whether tests run on a cluster.
    pub fn is_used() -> bool {
        !binary().is_empty()
    }

    /// Starts one with its files in `folder`, if tests run on a cluster.
    pub fn start(folder: &Path) -> Option<Self> {
        let binary = Some(binary()).filter(|path| !path.is_empty())?;
        let (api, raft) = (free_port(), free_port());
        let flags = format!(
            "-node-id 1 -http-addr 127.0.0.1:{api} -raft-addr 127.0.0.1:{raft} -raft-timeout 100ms \
             -raft-election-timeout 100ms -raft-leader-lease-timeout 100ms"
        );
        let mut command = Command::new(binary);
        command.args(flags.split(' ')).arg(folder);
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let process = process.unwrap();
        fs::write(folder.join(API), api.to_string()).unwrap();
        let node = Self(process);
        wait_until_it_leads(api);
        Some(node)
    }
}

impl Drop for Rqlited {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn binary() -> String {
    setting("REVIEWS_TEST_RQLITED")
}

/// The `DATABASE_URL` of a test in `folder`.
pub fn address(folder: &Path) -> DatabaseAddress {
    let url = match api_in(folder) {
        Some(api) => {
            let file = folder.join("db.sqlite");
            format!("rqlite://127.0.0.1:{api}?file={}", file.display())
        }
        None => format!("sqlite://{}", folder.join("reviews.db").display()),
    };
    let environment = Environment::default();
    DatabaseConfig { url, environment }.address().unwrap()
}

/// The API port of the rqlited that has the database at `path`, if there is one.
pub fn api_of(path: &Path) -> Option<u16> {
    api_in(path.parent()?)
}

fn api_in(folder: &Path) -> Option<u16> {
    fs::read_to_string(folder.join(API)).ok()?.parse().ok()
}

/// Runs writing statements in one transaction; the error is SQLite's message.
pub fn execute(api: u16, statements: &[String]) -> Result<(), String> {
    let body = serde_json::json!(statements).to_string();
    // A single statement may be a `vacuum`, which cannot run in a transaction.
    let line = match statements {
        [_] => "POST /db/execute",
        _ => "POST /db/execute?transaction",
    };
    let answer = exchange(api, line, &body).map_err(|error| error.to_string())?;
    let results = answer["results"].as_array().into_iter().flatten();
    let mut errors = results
        .chain([&answer])
        .filter_map(|one| one["error"].as_str());
    errors.next().map_or(Ok(()), |error| Err(error.to_owned()))
}

fn exchange(api: u16, line: &str, body: &str) -> std::io::Result<Value> {
    let mut stream = TcpStream::connect(("127.0.0.1", api))?;
    write!(
        stream,
        "{line} HTTP/1.0\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    Ok(serde_json::from_str(body).unwrap_or_default())
}

#[expect(
    clippy::disallowed_methods,
    reason = "another process has no clock that a test could move"
)]
fn wait_until_it_leads(api: u16) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let status = exchange(api, "GET /status", "").unwrap_or_default();
        if status["store"]["raft"]["state"] == "Leader" {
            return;
        }
        assert!(Instant::now() < deadline, "rqlited does not lead: {status}");
        std::thread::yield_now();
    }
}

fn free_port() -> u16 {
    let probe = TcpListener::bind("127.0.0.1:0").unwrap();
    probe.local_addr().unwrap().port()
}

/// The database file that a test in `folder` reads.
pub fn file_in(folder: &Path) -> PathBuf {
    address(folder).file().to_owned()
}
