//! What a command is run with: its arguments, environment and clock, and the streams that it reads and writes. For the binary
//! these are the process's; a test gives its own.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, IsTerminal as _, Read, Write};
use std::mem;
use std::sync::{Arc, Mutex};

use anyhow::Context as _;
use tokio_util::sync::CancellationToken;

use super::report::Exit;
use crate::clock::Clock;
use crate::compute::lock;
use crate::config::Environment;
use crate::model::text::escaped;

/// One run of the command line. A clone has the same streams.
#[derive(Clone)]
pub struct Session {
    /// With the name of the program first.
    pub arguments: Vec<OsString>,
    pub environment: Environment,
    pub clock: Clock,
    pub input: InputStream,
    pub output: OutputStream,
    pub errors: OutputStream,
    pub host: Host,
}

/// What runs the command.
#[derive(Clone)]
pub enum Host {
    /// A process of its own: its signals end the command, and its log and its handling of panics are the command's.
    Process,
    /// A thread of a process that may run several commands. The log is the thread's, and the token stops `serve`.
    Thread(CancellationToken),
}

/// Standard input, or the input that a test gives.
#[derive(Clone)]
pub struct InputStream {
    reader: Arc<Mutex<Box<dyn BufRead + Send>>>,
    pub is_terminal: bool,
}

impl InputStream {
    pub fn new(reader: impl Read + Send + 'static, is_terminal: bool) -> Self {
        Self {
            reader: Arc::new(Mutex::new(Box::new(BufReader::new(reader)))),
            is_terminal,
        }
    }

    /// The rest of the input, which is empty from then on.
    pub fn take(&self) -> Box<dyn BufRead + Send> {
        mem::replace(&mut *lock(&self.reader), Box::new(io::empty()))
    }
}

/// Standard output or standard error, or what a test gives in its place; a clone writes to the same.
#[derive(Clone)]
pub struct OutputStream {
    writer: Arc<Mutex<dyn Write + Send>>,
    pub is_terminal: bool,
}

impl OutputStream {
    pub fn new(writer: impl Write + Send + 'static, is_terminal: bool) -> Self {
        Self {
            writer: Arc::new(Mutex::new(writer)),
            is_terminal,
        }
    }

    /// Writes a text without hidden characters: the texts of reviews and the words of arguments are untrusted.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn print(&self, text: &str) -> io::Result<()> {
        let text = escaped(text.to_owned());
        lock(&self.writer).write_all(text.as_bytes())
    }
}

impl Write for OutputStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        lock(&self.writer).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        lock(&self.writer).flush()
    }
}

impl Session {
    /// That of this process.
    pub fn of_process() -> Self {
        let (input, output, errors) = (io::stdin(), io::stdout(), io::stderr());
        let is_terminal = [
            input.is_terminal(),
            output.is_terminal(),
            errors.is_terminal(),
        ];
        Self {
            arguments: std::env::args_os().collect(),
            environment: Environment::of_process(),
            clock: Clock::system(),
            input: InputStream::new(input, is_terminal[0]),
            output: OutputStream::new(output, is_terminal[1]),
            errors: OutputStream::new(errors, is_terminal[2]),
            host: Host::Process,
        }
    }

    /// Prints the report of a command that is done. That it cannot be printed is a warning.
    pub fn print_report(&self, text: &str) -> Exit {
        if let Err(error) = self.print(text) {
            let _ = self.print_note(&format!(
                "warning: done, but the report cannot be printed: {error}"
            ));
        }
        Exit::Done
    }

    /// Prints the result of a command, text or JSON.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn print_result(&self, text: &str) -> anyhow::Result<Exit> {
        self.print(text).context("cannot print the result")?;
        Ok(Exit::Done)
    }

    /// Writes to standard output. A reader that closes the pipe (`| head`) has what it wants.
    fn print(&self, text: &str) -> io::Result<()> {
        match self.output.print(text) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written,
        }
    }

    /// Whether questions can be asked: standard input and standard error are a terminal.
    pub fn can_ask(&self) -> bool {
        self.input.is_terminal && self.errors.is_terminal
    }

    /// Prints a message next to the questions.
    ///
    /// # Errors
    /// If the terminal cannot be written.
    pub fn print_note(&self, text: &str) -> io::Result<()> {
        self.errors.print(&format!("{text}\n"))
    }

    /// Asks for a line, which is empty at the end of input; without blanks around it.
    ///
    /// # Errors
    /// If the terminal cannot be read or written.
    pub fn read_answer(&self, prompt: &str) -> io::Result<String> {
        self.errors.print(prompt)?;
        let mut answer = String::new();
        lock(&self.input.reader).read_line(&mut answer)?;
        Ok(answer.trim().to_owned())
    }

    /// Asks for confirmation; the default is no.
    ///
    /// # Errors
    /// If the terminal cannot be read or written.
    pub fn confirm(&self, question: &str) -> io::Result<bool> {
        let answer = self.read_answer(&format!("{question} [y/N] "))?;
        Ok(matches!(answer.to_lowercase().as_str(), "y" | "yes"))
    }
}
