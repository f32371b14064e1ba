//! The log as JSON, and a variable that libraries read.

use super::*;

/// Parses lines of JSON, and asserts that each has the members common to all.
fn objects(log: &str) -> Vec<Value> {
    let read = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON: {line}"));
        for member in ["timestamp", "level", "target"] {
            assert!(line[member].is_string(), "{member} of {line}");
        }
        line
    };
    log.lines().map(read).collect()
}

#[test]
fn with_json_every_line_of_the_log_is_one_object() {
    let home = Home::with(2);
    let mut command = home.process("serve");
    command.envs([
        ("REVIEWS_LOG_FORMAT", "json"),
        ("RUST_LOG", "debug"),
        ("REVIEWS_HUB_ALLOW_CALLBACK_NETS", "127.0.0.0/8"),
    ]);
    let file = File::create(home.folder.path().join("log")).unwrap();
    let serving = ServingProcess::start_with_log(&mut command, file);
    assert_eq!(serving.stop(), "Stopped.\n");
    let lines = objects(&home.read("log"));
    let of = |event: &str| {
        let has = |line: &&Value| {
            let message = line["fields"]["message"].as_str();
            message.is_some_and(|message| message.starts_with(&format!("{event}: ")))
        };
        let found = lines.iter().find(has);
        found.unwrap_or_else(|| panic!("no {event}"))
    };
    assert_eq!(of("server.stopping")["fields"]["signal"], "SIGTERM");
    assert_eq!(of("hub.nets_opened")["level"], "WARN");
    // SQL statements are not logged.
    let is_sql = |line: &Value| line["target"] == "sqlx::query";
    assert!(!lines.iter().any(is_sql));
}

#[test]
fn certificates_of_the_system_are_not_waited_for() {
    let home = Home::with(1);
    home.run("init --name Bakery --time-zone UTC").done();
    let made = Command::new("mkfifo")
        .arg(home.folder.path().join("pipe"))
        .status();
    assert!(made.unwrap().success());
    home.file("reviews.sync.toml", "[a]\nurl = 'https://127.0.0.1:9'\n");
    for words in ["sync run a", "serve"] {
        let refused = output_of(home.process(words).env("SSL_CERT_FILE", "pipe"));
        refused.failed("SSL_CERT_FILE pipe: it is a folder, a pipe or a device");
    }
}
