//! Tests of commands and their output. A command runs in a thread of this process; `process` has the tests of what only a process of
//! its own has.
//!
//! A test begins with a [`Home`], a folder for a database, in which it writes files, runs commands and reads what they print:
//!
//! ```ignore
//! let home = Home::with(3);
//! home.file("rows.csv", "rating,date,author,text\n5,2026-11-01,Ann,Good\n");
//! home.run_ok("import rows.csv", "1 new");
//! home.run("import missing.csv").failed("missing.csv: no such file");
//! home.finds("select count(*) from review", "4");
//! ```

mod advice;
mod anonymized;
mod backup;
mod business;
mod decisions;
mod deletions;
mod export;
mod failed;
mod import_reports;
mod inputs;
mod outputs;
mod probes;
mod questions;
mod rename;
mod reports;
pub mod restore;
mod run;
mod serving;
mod settings;
pub mod sync;
mod terminal;
mod undo;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, mpsc};
use std::time::{Duration, Instant};

use clap::CommandFactory;
use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};
use reviews_service::cli::Cli;
pub use run::{CommandLine, CommandOutput, Serving, Words};
use rustls::ServerConnection;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{
    BASE, Site, SiteAnswer, SiteRequest, assert_has, ca_pem, config_of, connect, sqlite3, table,
};

/// Time limit for anything in these tests.
pub const NEVER: Duration = Duration::from_mins(1);
/// Between two looks at what another process did, which cannot notify a test. Without it, the looks would take the processor
/// that the other process needs.
pub const PAUSE: Duration = Duration::from_millis(20);

/// Waits until another process has done `what`.
#[expect(
    clippy::disallowed_methods,
    reason = "another process has no clock that a test could move"
)]
#[track_caller]
pub fn wait_until(what: &str, is_done: impl Fn() -> bool) {
    let deadline = Instant::now() + NEVER;
    while !is_done() {
        assert!(Instant::now() < deadline, "never: {what}");
        std::thread::park_timeout(PAUSE);
    }
}

/// A folder for a database, the environment of its commands, and what they have printed.
pub struct Home {
    pub folder: TempDir,
    pub environment: Vec<(String, String)>,
    printed: Mutex<String>,
}

impl Home {
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            environment: Vec::new(),
            printed: Mutex::default(),
        }
    }

    /// The same home, whose commands have this variable.
    fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("reviews.db")
    }

    /// Runs SQL as the `sqlite3` shell would. Returns the shell's output.
    #[track_caller]
    pub fn sql(&self, sql: &str) -> String {
        sqlite3(&self.path(), sql)
    }

    /// Asserts what a query finds.
    #[track_caller]
    pub fn finds(&self, sql: &str, expected: &str) {
        assert_eq!(self.sql(sql), expected, "{sql}");
    }

    pub fn file(&self, name: &str, content: &str) -> String {
        fs::write(self.folder.path().join(name), content).unwrap();
        name.to_owned()
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap()
    }

    /// The names of all files in the folder, in order.
    pub fn file_names(&self) -> Vec<String> {
        names_in(self.folder.path())
    }

    /// Whether the file of the database has this text.
    fn file_has(&self, text: &str) -> bool {
        memchr::memmem::find(&read_elsewhere(&self.path()), text.as_bytes()).is_some()
    }

    /// A command of this home, whose environment and input a test may change.
    pub fn command(&self, words: impl Words) -> CommandLine<'_> {
        CommandLine::new(self, words)
    }

    pub fn run(&self, words: impl Words) -> CommandOutput {
        self.command(words).run()
    }

    #[track_caller]
    pub fn run_ok(&self, words: impl Words, expected: &str) -> CommandOutput {
        let done = self.run(words);
        done.done();
        assert_has(&done.out, expected);
        done
    }

    /// What a command prints as JSON.
    #[track_caller]
    fn json(&self, words: impl Words) -> Value {
        serde_json::from_str(&self.run_ok(words, "").out).unwrap()
    }

    #[track_caller]
    pub fn run_err(&self, words: impl Words, expected: &str) {
        self.run(words).failed(expected);
    }

    /// Writes a file and imports it. The counts must contain `expected`.
    #[track_caller]
    pub fn import(&self, name: &str, content: &str, expected: &str) -> CommandOutput {
        self.file(name, content);
        self.run_ok(&["import", name], expected)
    }

    /// Runs a command in each line, ` → ` a part of its output, or ` ✗ ` of its error; or writes NAME ` ← ` CONTENT to a file;
    /// or asserts what a query finds: `sql: ` QUERY ` → ` ROWS. In all, `\n` is a line end.
    #[track_caller]
    pub fn steps(&self, lines: &str) {
        for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if let Some(sql) = line.strip_prefix("sql: ") {
                let (query, rows) = sql.split_once(" → ").unwrap_or((sql, ""));
                self.finds(query, &rows.replace("\\n", "\n"));
                continue;
            }
            let at = line.find(['→', '✗', '←']).unwrap();
            let (first, mut rest) = (line[..at].trim_end(), line[at..].chars());
            let sign = rest.next().unwrap();
            let second = rest.as_str().strip_prefix(' ').unwrap_or_default();
            let second = second.replace("\\n", "\n");
            match sign {
                '→' => drop(self.run_ok(first, &second)),
                '✗' => self.run_err(first, &second),
                _ => drop(self.file(first, &second)),
            }
        }
    }

    /// A migrated database with reviews `p-1` to `p-{count}`.
    pub fn with(count: usize) -> Self {
        static MIGRATED: LazyLock<Vec<u8>> = LazyLock::new(|| Home::made_by("migrate"));
        let home = Self::holding(&MIGRATED);
        home.insert(1, count);
        home
    }

    /// The database that a command makes: tests with the same beginning make it once.
    pub fn made_by(words: &str) -> Vec<u8> {
        let home = Self::new();
        home.run(words).done();
        fs::read(home.path()).unwrap()
    }

    pub fn holding(database: &[u8]) -> Self {
        let home = Self::new();
        fs::write(home.path(), database).unwrap();
        home
    }

    /// The texts have no words, so none is analysed.
    pub fn insert(&self, from: usize, to: usize) {
        sqlite3(
            &self.path(),
            &format!(
                "with recursive n (i) as (select {from} union all select i + 1 from n where i < {to})
                 insert into review (review_id, rating, reviewed_on, text) select 'p-' || i, 5, '2026-11-01', i || ' / 9' from n"
            ),
        );
    }

    pub fn serve(&self) -> Serving {
        self.command("serve").serve()
    }

    /// Starts the service, which analyses the reviews before it listens, and stops it.
    pub fn analyze(&self) {
        self.serve().stop();
    }
}

/// The bytes of a file, read by another process: where this one closes a file of a database that it has open, it loses its locks.
pub fn read_elsewhere(path: &Path) -> Vec<u8> {
    Command::new("cat").arg(path).output().unwrap().stdout
}

pub fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// The names of all files in a folder, in order.
pub fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

pub fn request(target: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
}

pub fn connect_to(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(NEVER)).unwrap();
    stream
}

/// The address of the listener for operators, by the greeting of a service that has one.
pub fn admin_address(greeting: &str) -> SocketAddr {
    let (_, rest) = greeting.split_once("for operators on ").unwrap();
    rest.lines().next().unwrap().parse().unwrap()
}

/// The IDs of all published reviews.
pub fn ids(address: SocketAddr) -> Vec<String> {
    let dataset: Value =
        serde_json::from_str(&body(&response(address, "/reviews.json"), "")).unwrap();
    dataset["reviews"]
        .as_array()
        .unwrap()
        .iter()
        .map(|review| review["id"].as_str().unwrap().to_owned())
        .collect()
}

/// The answer, with head and body.
pub fn response(address: SocketAddr, target: &str) -> String {
    let mut stream = connect_to(address);
    stream.write_all(request(target).as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// The body of a complete answer with status 200 and a matching `content-length`.
pub fn body(answer: &str, target: &str) -> String {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 "), "{target}: {head}");
    let mut lines = head.lines();
    let length = lines.find_map(|line| line.strip_prefix("content-length: "));
    let found = body.len().to_string();
    assert_eq!(found, length.unwrap_or("0"), "{target}: cut off");
    body.to_owned()
}
