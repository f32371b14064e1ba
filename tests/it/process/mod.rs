//! Tests of the binary: its output, exit codes, signals, and what survives SIGKILL.

pub mod hub;
mod slow;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, mpsc};
use std::time::{Duration, Instant};

use clap::CommandFactory;
use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};
use reviews_service::cli::Cli;
use reviews_service::metrics::{self, MetricKind};
use reviews_service::websub::http_client::Failure;
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
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
const PAUSE: Duration = Duration::from_millis(5);

/// Waits until another process has done `what`.
#[expect(
    clippy::disallowed_methods,
    reason = "another process has no clock that a test could move"
)]
#[track_caller]
fn wait_until(what: &str, is_done: impl Fn() -> bool) {
    let deadline = Instant::now() + NEVER;
    while !is_done() {
        assert!(Instant::now() < deadline, "never: {what}");
        std::thread::park_timeout(PAUSE);
    }
}

/// The binary with an empty environment except for an address to listen on.
pub fn reviews(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reviews"));
    command
        .env_clear()
        .current_dir(folder)
        .stdin(Stdio::null())
        .env("REVIEWS_LISTEN", "127.0.0.1:0");
    command
}

/// Exit code and output of a finished command.
pub struct CommandOutput {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl CommandOutput {
    #[track_caller]
    pub fn done(&self) {
        assert_eq!(self.code, Some(0), "{}{}", self.out, self.err);
    }

    /// Asserts that the command failed, and that its error has this part.
    #[track_caller]
    pub fn failed(&self, part: &str) {
        assert_eq!(self.code, Some(2), "{}{}", self.out, self.err);
        assert_has(&self.err, part);
    }
}

fn output_of(command: &mut Command) -> CommandOutput {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    CommandOutput {
        code: status.code(),
        out: String::from_utf8(stdout).unwrap(),
        err: String::from_utf8(stderr).unwrap(),
    }
}

/// The words of a command line: a list, or a text that is split as a shell does.
pub trait Words {
    fn list(self) -> Vec<String>;
}

impl Words for &str {
    fn list(self) -> Vec<String> {
        shlex::split(self).unwrap()
    }
}

impl Words for String {
    fn list(self) -> Vec<String> {
        self.as_str().list()
    }
}

impl<S: AsRef<str>> Words for &[S] {
    fn list(self) -> Vec<String> {
        self.iter().map(|word| word.as_ref().to_owned()).collect()
    }
}

impl<S: AsRef<str>, const N: usize> Words for &[S; N] {
    fn list(self) -> Vec<String> {
        self.as_slice().list()
    }
}

impl<S: AsRef<str>> Words for &Vec<S> {
    fn list(self) -> Vec<String> {
        self.as_slice().list()
    }
}

/// A folder for a database, the environment of its commands, and what they have printed.
pub struct Home {
    pub folder: TempDir,
    environment: Vec<(String, String)>,
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
        let bytes = fs::read(self.path()).unwrap();
        memchr::memmem::find(&bytes, text.as_bytes()).is_some()
    }

    pub fn command(&self, words: impl Words) -> Command {
        let mut command = reviews(self.folder.path());
        command.args(words.list()).envs(self.environment.clone());
        command
    }

    pub fn run(&self, words: impl Words) -> CommandOutput {
        let done = output_of(&mut self.command(words));
        *self.printed.lock().unwrap() += &format!("{}{}", done.out, done.err);
        done
    }

    /// Runs a line in a shell that finds the binary.
    fn shell(&self, line: &str) -> CommandOutput {
        let binary = Path::new(env!("CARGO_BIN_EXE_reviews")).parent().unwrap();
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", binary.display());
        let mut command = Command::new("/bin/sh");
        command.args(["-ec", line]).current_dir(self.folder.path());
        output_of(command.stdin(Stdio::null()).env_clear().env("PATH", path))
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
    fn made_by(words: &str) -> Vec<u8> {
        let home = Self::new();
        home.run(words).done();
        fs::read(home.path()).unwrap()
    }

    fn holding(database: &[u8]) -> Self {
        let home = Self::new();
        fs::write(home.path(), database).unwrap();
        home
    }

    /// A database of which `/reviews.json` has some 16 MB, more than the socket buffers hold.
    fn large() -> Self {
        let home = Self::with(32);
        home.sql("update review set author = hex(zeroblob(250000))");
        home
    }

    /// The texts have no words, so none is analysed: that takes a new process a second in a debug build.
    fn insert(&self, from: usize, to: usize) {
        sqlite3(
            &self.path(),
            &format!(
                "with recursive n (i) as (select {from} union all select i + 1 from n where i < {to})
                 insert into review (review_id, rating, reviewed_on, text) select 'p-' || i, 5, '2026-11-01', i || ' / 9' from n"
            ),
        );
    }

    fn serve(&self) -> Serving {
        Serving::start(&mut self.command("serve"))
    }

    /// Starts the service, which analyses the reviews before it listens, and stops it.
    pub fn analyze(&self) {
        self.serve().stop();
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// The names of all files in a folder, in order.
fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// A running `reviews serve`. Killed when dropped.
pub struct Serving {
    pub child: Child,
    pub address: SocketAddr,
    greeting: String,
    out: Option<BufReader<ChildStdout>>,
}

impl Serving {
    /// Starts the command and reads its whole greeting.
    pub fn start(command: &mut Command) -> Self {
        Self::start_with_log(command, Stdio::piped())
    }

    /// Like [`Self::start`], with standard error written to `log`.
    pub fn start_with_log(command: &mut Command, log: impl Into<Stdio>) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut greeting = String::new();
        while !greeting.contains("Ctrl-C") {
            if out.read_line(&mut greeting).unwrap() == 0 {
                let mut err = String::new();
                child
                    .stderr
                    .take()
                    .map(|mut log| log.read_to_string(&mut err).unwrap());
                panic!("exited during the start: {greeting}{err}");
            }
        }
        let mut lines = greeting.lines().map(str::trim);
        let line = lines.find_map(|line| line.strip_prefix("Listening on "));
        let line = line.and_then(|line| line.split(',').next()).unwrap();
        Self {
            address: line.parse().unwrap(),
            child,
            greeting,
            out: Some(out),
        }
    }

    pub fn connect(&self) -> TcpStream {
        connect_to(self.address)
    }

    /// The body of the answer, which must have status 200.
    pub fn get(&self, target: &str) -> String {
        body(&response(self.address, target), target)
    }

    fn ids(&self) -> Vec<String> {
        let dataset: Value = serde_json::from_str(&self.get("/reviews.json")).unwrap();
        dataset["reviews"]
            .as_array()
            .unwrap()
            .iter()
            .map(|review| review["id"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Requests `target` until the answer contains `part`.
    fn wait_for(&self, target: &str, part: &str) {
        let what = format!("{target} has {part}");
        wait_until(&what, || self.get(target).contains(part));
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for the exit; returns its status and the rest of standard output.
    pub fn end(mut self) -> (ExitStatus, String) {
        let mut rest = String::new();
        if let Some(mut out) = self.out.take() {
            out.read_to_string(&mut rest).unwrap();
        }
        (self.child.wait().unwrap(), rest)
    }

    /// Stops the service, which must succeed; returns the rest of standard output.
    fn stop(self) -> String {
        self.signal(Signal::TERM);
        let (status, rest) = self.end();
        assert_eq!(status.code(), Some(0), "{rest}");
        rest
    }

    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn request(target: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
}

fn connect_to(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(NEVER)).unwrap();
    stream
}

/// The answer, with head and body.
fn response(address: SocketAddr, target: &str) -> String {
    let mut stream = connect_to(address);
    stream.write_all(request(target).as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// The body of a complete answer with status 200 and a matching `content-length`.
fn body(answer: &str, target: &str) -> String {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 "), "{target}: {head}");
    let mut lines = head.lines();
    let length = lines.find_map(|line| line.strip_prefix("content-length: "));
    let found = body.len().to_string();
    assert_eq!(found, length.unwrap_or("0"), "{target}: cut off");
    body.to_owned()
}
