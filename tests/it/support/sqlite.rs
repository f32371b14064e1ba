//! The shell that anybody may have.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long anything may take that is waited for.
const PATIENCE: Duration = Duration::from_mins(1);

/// Runs `sql` in the real `sqlite3`, with its own defaults (foreign keys off), and returns what it printed.
/// What it prints to standard error fails the test, unless `sql` begins with `.bail off`.
pub fn sqlite3(path: &Path, sql: &str) -> String {
    let mut shell = Command::new("sqlite3")
        .arg("-batch")
        .arg(path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("sqlite3 3.40 or newer is installed");
    shell.stdin.take().unwrap().write_all(format!(".timeout 5000\n{sql}\n").as_bytes()).unwrap();
    let output = shell.wait_with_output().unwrap();
    let (said, complained) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(complained.is_empty() || sql.starts_with(".bail off"), "sqlite3: {complained}\n{sql}");
    format!("{said}{complained}").trim_end().to_owned()
}

/// The rows of a query, as the shell gives them: an object each.
pub fn rows(path: &Path, query: &str) -> Vec<serde_json::Value> {
    let said = sqlite3(path, &format!(".mode json\n{query}"));
    if said.is_empty() { Vec::new() } else { serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}")) }
}

/// Returns once `query` says `wanted`, for processes whose work nothing else tells of.
#[expect(clippy::disallowed_methods, reason = "another process has no clock that a test could move")]
pub fn rows_say(path: &Path, query: &str, wanted: &str) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let said = sqlite3(path, query);
        if said == wanted {
            return;
        }
        assert!(Instant::now() < deadline, "{query}: {said}, not {wanted}");
    }
}
