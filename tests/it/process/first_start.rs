//! A first start or a first `migrate` that a signal interrupts while it makes the database.

use super::*;

/// Enough that a test sees the file before it is complete.
const ROWS: usize = 2_000;

/// A home with a folder of sample data.
fn home_with_sample() -> Home {
    let home = Home::new();
    fs::create_dir(home.folder.path().join("sample")).unwrap();
    let business = r#"{"id":"b","name":"B","type":"Plumber","time_zone":"UTC"}"#;
    home.file("sample/business.json", business);
    let rows = (0..ROWS).map(|number| {
        format!(
            "{{\"id\":\"s-{number}\",\"rating\":5,\"date\":\"2026-11-01\",\"author\":\"Ann\",\"text\":\"{number} / 9\"}}\n"
        )
    });
    home.file("sample/reviews.jsonl", &rows.collect::<String>());
    home
}

/// Starts a command and sends it a signal once a file of a database is there. Returns what it ended with.
fn interrupt(home: &Home, words: &str, signal: Signal) -> Output {
    let mut command = home.process(words);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    wait_until("a database is begun", || {
        home.file_names().iter().any(|name| name.ends_with("-wal"))
    });
    kill_process(Pid::from_child(&child), signal).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn a_first_start_with_sample_data_that_sigterm_ends_leaves_no_file() {
    let home = home_with_sample();
    let ended = interrupt(&home, "serve --seed sample", Signal::TERM);
    assert_eq!(ended.status.code(), Some(0));
    assert_eq!(ended.stdout, b"Stopped before serving.\n");
    assert_eq!(home.file_names(), ["sample"]);
}

#[test]
fn a_first_start_with_sample_data_that_is_killed_is_made_good_by_the_next() {
    let home = home_with_sample();
    interrupt(&home, "serve --seed sample", Signal::KILL);
    assert!(
        !home.path().exists(),
        "an unfinished database has the name of a finished one"
    );
    let serving = ServingProcess::start(&mut home.process("serve --seed sample"));
    assert_eq!(serving.ids().len(), ROWS);
}

#[test]
fn a_first_migrate_or_start_that_is_interrupted_is_made_good_by_the_next() {
    for words in ["migrate", "serve"] {
        for signal in [Signal::TERM, Signal::KILL] {
            let home = Home::new();
            interrupt(&home, words, signal);
            home.serve_process().stop();
            assert_eq!(home.file_names(), ["reviews.db"], "{words}, {signal:?}");
            home.run("check").done();
        }
    }
}
