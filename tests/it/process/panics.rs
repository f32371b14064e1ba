//! A panic outside of handlers.

use std::ffi::OsString;

use reviews_service::cli::{self, Exit, InputStream, Session};
use reviews_service::config::Environment;
use tokio::runtime::Runtime;

use super::*;

/// An input whose reading panics.
struct Panicking;

impl Read for Panicking {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        panic!("outside of handlers")
    }
}

#[test]
#[ignore = "sets how its whole process treats panics, which another test starts"]
fn import_of_an_input_that_panics() {
    let home = Home::new();
    let words = ["reviews", "import", "-", "--log-format", "json"];
    let session = Session {
        arguments: words.map(OsString::from).into(),
        environment: Environment::new([], home.folder.path()),
        input: InputStream::new(Panicking, false),
        ..Session::of_process()
    };
    let exit = Runtime::new().unwrap().block_on(cli::run(session));
    assert_eq!(exit, Exit::Failed);
    assert_eq!(home.file_names(), [""; 0]);
}

#[test]
fn a_panic_fails_the_command_and_is_logged_as_an_event() {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let name = "process::panics::import_of_an_input_that_panics";
    command.args(["--ignored", "--exact", name, "--nocapture"]);
    let done = output_of(command.env_clear());
    done.done();
    let logged = done.err.lines().find(|line| line.contains("panicked"));
    let event: Value = serde_json::from_str(logged.unwrap()).unwrap();
    let message = event["fields"]["message"].as_str().unwrap();
    assert!(message.starts_with("process.panicked: "), "{message}");
}
