//! Tests of what only a process of its own has: signals, exit codes, kills, locks between processes, terminals, limits of the
//! system, and counters of the whole process. Each starts the binary; all other tests of commands are in `commands`.

mod access;
mod agents;
mod closed_outputs;
mod erasure;
mod first_start;
mod further_signals;
mod growth;
pub mod hub;
mod locks;
mod open_files;
mod panics;
mod readme;
mod serving;
mod settings;
mod signals;
mod streams;
mod sync;
mod terminal;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc;

use reviews_service::metrics::{self, MetricKind};
use reviews_service::websub::http_client::Failure;
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};

use crate::commands::{
    CommandOutput, Home, NEVER, Words, admin_address, body, connect_to, ids, mode, names_in,
    request, response, wait_until,
};
use crate::support::{BASE, Site, SiteAnswer, assert_has, ca_pem, sqlite3, table};

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

impl Home {
    /// A command of this home in a process of its own.
    pub fn process(&self, words: impl Words) -> Command {
        let mut command = reviews(self.folder.path());
        command.args(words.list()).envs(self.environment.clone());
        command
    }

    fn serve_process(&self) -> ServingProcess {
        ServingProcess::start(&mut self.process("serve"))
    }

    /// Runs a line in a shell that finds the binary.
    fn shell(&self, line: &str) -> CommandOutput {
        let binary = Path::new(env!("CARGO_BIN_EXE_reviews")).parent().unwrap();
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", binary.display());
        let mut command = Command::new("/bin/sh");
        command.args(["-ec", line]).current_dir(self.folder.path());
        output_of(command.stdin(Stdio::null()).env_clear().env("PATH", path))
    }
}

/// The value of a series in `/metrics`.
fn value(figures: &str, series: &str) -> Option<f64> {
    let lines = figures.lines().filter_map(|line| line.rsplit_once(' '));
    let mut values = lines.filter(|(its, _)| *its == series);
    values.find_map(|(_, value)| value.parse().ok())
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

/// A running `reviews serve` in a process of its own. Killed when dropped.
pub struct ServingProcess {
    pub child: Child,
    pub address: SocketAddr,
    greeting: String,
    out: Option<BufReader<ChildStdout>>,
}

impl ServingProcess {
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
        ids(self.address)
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

impl Drop for ServingProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
