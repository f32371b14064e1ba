//! Outputs that nobody reads: the log never stops the service, and commands report by their exit code.

use std::io::{ErrorKind, PipeReader, PipeWriter, pipe};

use rustix::io::ioctl_fionbio;

use super::*;

/// A pipe whose reader is gone.
fn closed_pipe() -> PipeWriter {
    pipe().unwrap().1
}

/// A pipe that is full, and whose reader does not read.
fn full_pipe() -> (PipeReader, PipeWriter) {
    let (reader, mut writer) = pipe().unwrap();
    ioctl_fionbio(&writer, true).unwrap();
    let full = loop {
        if let Err(full) = writer.write_all(&[b'\n'; 4_096]) {
            break full;
        }
    };
    assert_eq!(full.kind(), ErrorKind::WouldBlock);
    ioctl_fionbio(&writer, false).unwrap();
    (reader, writer)
}

/// The service, which logs every request, publishes a change and stops cleanly.
fn check_serves(home: &Home, serving: ServingProcess) {
    home.insert(4, 4);
    serving.wait_for("/reviews.json", "\"p-4\"");
    assert_eq!(serving.stop(), "Stopped.\n");
}

const SERVE: &str = "serve --log debug --request-log all";

#[test]
fn a_log_whose_reader_is_gone_does_not_stop_the_service() {
    let home = Home::with(3);
    let serving = ServingProcess::start_with_log(&mut home.process(SERVE), closed_pipe());
    check_serves(&home, serving);
}

#[test]
fn a_log_whose_reader_does_not_read_does_not_stop_the_service() {
    let home = Home::with(3);
    let (_reader, full) = full_pipe();
    let serving = ServingProcess::start_with_log(&mut home.process(SERVE), full);
    check_serves(&home, serving);
}

#[test]
fn a_service_without_standard_error_serves() {
    let home = Home::with(3);
    let binary = env!("CARGO_BIN_EXE_reviews");
    let mut command = Command::new("/bin/sh");
    let line = format!("exec '{binary}' {SERVE} 2>&-");
    command.args(["-c", &line]).current_dir(home.folder.path());
    command.env_clear().env("REVIEWS_LISTEN", "127.0.0.1:0");
    check_serves(
        &home,
        ServingProcess::start_with_log(&mut command, Stdio::null()),
    );
}

/// The exit code of a command whose outputs nobody reads.
fn code_with_closed_outputs(home: &Home, words: &str) -> Option<i32> {
    let mut command = home.process(words);
    command.stdout(closed_pipe()).stderr(closed_pipe());
    command.status().unwrap().code()
}

#[test]
fn commands_whose_outputs_nobody_reads_report_by_their_exit_code() {
    let home = Home::with(1);
    let row = r#"{"id":"a","rating":5,"date":"2026-11-01","author":"Ann B.","text":"Good."}"#;
    home.file("rows.jsonl", &format!("{row}\n{{\"id\":\"b\"}}\n"));
    for [words, code] in table(
        "
        list → 0
        import rows.jsonl → 1
        import missing.jsonl → 2
        list --stars 9 → 2
        --help → 2
        ",
    ) {
        let found = code_with_closed_outputs(&home, words);
        assert_eq!(found, code.parse().ok(), "{words}");
    }
}

#[test]
fn an_import_whose_outputs_nobody_reads_is_stored() {
    let home = Home::with(1);
    let row = r#"{"id":"a","rating":5,"date":"2026-11-01","author":"Ann B.","text":"Good."}"#;
    home.file("rows.jsonl", row);
    code_with_closed_outputs(&home, "import rows.jsonl");
    home.finds("select text from review where review_id = 'a'", "Good.");
}
