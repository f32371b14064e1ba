//! A panic outside of handlers.

use super::*;

/// A command whose main thread panics: the runtime accepts only numbers here.
fn panicking(home: &Home, words: &str) -> CommandOutput {
    output_of(home.command(words).env("TOKIO_WORKER_THREADS", "none"))
}

#[test]
fn a_panic_is_logged_as_an_event() {
    let home = Home::new();
    let logged = panicking(&home, "list --log-format json").err;
    let event: Value = serde_json::from_str(&logged).unwrap();
    let message = event["fields"]["message"].as_str().unwrap();
    assert!(message.starts_with("process.panicked: "), "{logged}");
}

#[test]
fn a_command_that_panics_fails() {
    let home = Home::new();
    let code = panicking(&home, "list").code;
    assert!(code.is_some_and(|code| code >= 2), "{code:?}");
}
