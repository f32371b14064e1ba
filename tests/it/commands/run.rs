//! Runs a command line in a thread of this process, as `main` runs it in a process of its own.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Cursor, Read, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use reviews_service::cli::{self, Exit, Host, InputStream, OutputStream, Session};
use reviews_service::clock::Clock;
use reviews_service::config::Environment;
use tokio::runtime::Builder;
use tokio_util::sync::CancellationToken;

use super::{Home, body, response, wait_until};
use crate::support::assert_has;

/// Exit code and output of a finished command. What it writes to a screen is all in `err`.
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

/// What a command writes.
#[derive(Clone, Default)]
pub struct Written(Arc<Mutex<Vec<u8>>>);

impl Written {
    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A command, its environment and its input. Without changes, it has an empty input, and an empty environment except for an
/// address to listen on.
pub struct CommandLine<'h> {
    home: &'h Home,
    arguments: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
    input: Box<dyn Read + Send>,
    is_terminal: bool,
    /// Whether standard output is a terminal, too.
    is_screen: bool,
}

impl<'h> CommandLine<'h> {
    pub fn new(home: &'h Home, words: impl Words) -> Self {
        let program = "reviews".to_owned();
        let words = [vec![program], words.list()].concat();
        let line = Self {
            home,
            arguments: words.into_iter().map(OsString::from).collect(),
            variables: Vec::new(),
            input: Box::new(io::empty()),
            is_terminal: false,
            is_screen: false,
        };
        let line = line.env("REVIEWS_LISTEN", "127.0.0.1:0");
        let own = home.environment.iter();
        own.fold(line, |line, (name, value)| line.env(name, value))
    }

    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    pub fn envs(self, variables: &BTreeMap<String, String>) -> Self {
        let pairs = variables.iter();
        pairs.fold(self, |line, (name, value)| line.env(name, value))
    }

    pub fn env_remove(mut self, removed: &str) -> Self {
        self.variables.retain(|(name, _)| name != removed);
        self
    }

    /// Standard input.
    pub fn input(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.input = Box::new(Cursor::new(bytes.into()));
        self
    }

    /// At a terminal, where these lines are typed, then the end of input.
    pub fn at_terminal(self, typed: &[&str]) -> Self {
        let lines: String = typed.iter().map(|line| format!("{line}\n")).collect();
        Self {
            is_terminal: true,
            ..self.input(lines)
        }
    }

    /// At a terminal that is standard output, too.
    pub fn at_screen(self, typed: &[&str]) -> Self {
        Self {
            is_screen: true,
            ..self.at_terminal(typed)
        }
    }

    fn session(self, output: impl Write + Send + 'static, errors: &Written, host: Host) -> Session {
        Session {
            arguments: self.arguments,
            environment: Environment::new(self.variables, self.home.folder.path()),
            clock: Clock::system(),
            input: InputStream::new(self.input, self.is_terminal),
            output: OutputStream::new(output, self.is_screen),
            errors: OutputStream::new(errors.clone(), self.is_terminal),
            host,
        }
    }

    /// Runs the command to its end. In what it prints, paths in the home's folder are as a command in that folder prints them.
    pub fn run(self) -> CommandOutput {
        let home = self.home;
        let err = Written::default();
        let out = if self.is_screen {
            err.clone()
        } else {
            Written::default()
        };
        let host = Host::Thread(CancellationToken::new());
        let session = self.session(out.clone(), &err, host);
        // A thread of its own, because a test may be asynchronous.
        let ran = thread::scope(|scope| scope.spawn(|| run(session)).join());
        let exit = ran.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let relative = |text: String| text.replace(&home.folder_prefix(), "");
        let is_one = Arc::ptr_eq(&out.0, &err.0);
        let out = if is_one {
            String::new()
        } else {
            relative(out.text())
        };
        let err = relative(err.text());
        *home.printed.lock().unwrap() += &format!("{out}{err}");
        CommandOutput {
            code: Some(exit as i32),
            out,
            err,
        }
    }

    /// Starts a service, and reads its whole greeting.
    #[expect(
        clippy::disallowed_methods,
        reason = "the thread is joined when the service stops"
    )]
    pub fn serve(self) -> Serving {
        let prefix = self.home.folder_prefix();
        let (reader, writer) = io::pipe().unwrap();
        let (log, stop) = (Written::default(), CancellationToken::new());
        let session = self.session(writer, &log, Host::Thread(stop.clone()));
        let thread = thread::spawn(|| run(session));
        let mut out = BufReader::new(reader);
        let mut greeting = String::new();
        while !greeting.contains("Ctrl-C") {
            let read = out.read_line(&mut greeting).unwrap();
            assert!(
                read > 0,
                "exited during the start: {greeting}{}",
                log.text()
            );
        }
        let greeting = greeting.replace(&prefix, "");
        let mut lines = greeting.lines().map(str::trim);
        let line = lines.find_map(|line| line.strip_prefix("Listening on "));
        let line = line.and_then(|line| line.split(',').next()).unwrap();
        Serving {
            address: line.parse().unwrap(),
            greeting,
            log,
            out,
            stop,
            thread: Some(thread),
        }
    }
}

fn run(session: Session) -> Exit {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let exit = runtime.block_on(cli::run(session));
    // A thread that reads the input may still wait.
    runtime.shutdown_background();
    exit
}

/// A running `reviews serve`. Stopped when dropped.
pub struct Serving {
    pub address: SocketAddr,
    pub greeting: String,
    pub log: Written,
    out: BufReader<io::PipeReader>,
    stop: CancellationToken,
    thread: Option<JoinHandle<Exit>>,
}

impl Serving {
    /// The body of the answer, which must have status 200.
    pub fn get(&self, target: &str) -> String {
        body(&response(self.address, target), target)
    }

    pub fn ids(&self) -> Vec<String> {
        super::ids(self.address)
    }

    /// Requests `target` until the answer contains `part`.
    pub fn wait_for(&self, target: &str, part: &str) {
        let what = format!("{target} has {part}");
        wait_until(&what, || self.get(target).contains(part));
    }

    /// Stops the service, which must succeed; returns the rest of standard output.
    pub fn stop(mut self) -> String {
        self.stop.cancel();
        let exit = self.thread.take().unwrap().join().unwrap();
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).unwrap();
        assert_eq!(exit, Exit::Done, "{rest}{}", self.log.text());
        rest
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Home {
    /// What a path in the folder begins with.
    fn folder_prefix(&self) -> String {
        PathBuf::from(self.folder.path())
            .join("")
            .display()
            .to_string()
    }
}
