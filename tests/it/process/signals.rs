//! Commands that a signal ends.

use super::*;
use crate::commands::sync;

const ROW: &str =
    r#"{"id":"a","rating":5,"date":"2024-11-01","author":"Ann B.","text":"Good.","title":"Title"}"#;

/// Sends the signal, and waits for the exit code.
fn end_by(mut child: Child, signal: Signal) -> Option<i32> {
    kill_process(Pid::from_child(&child), signal).unwrap();
    child.wait().unwrap().code()
}

#[test]
fn an_import_that_a_signal_ends_leaves_no_file() {
    for (words, signal, code) in [
        ("import - --rejects bad.jsonl", Signal::INT, 130),
        ("import - --dry-run", Signal::TERM, 143),
    ] {
        let home = Home::new();
        let mut command = home.process(words);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(ROW.as_bytes()).unwrap();
        wait_until("the log is there", || {
            home.file_names().iter().any(|name| name.ends_with("-wal"))
        });
        assert_eq!(end_by(child, signal), Some(code), "{words:?}");
        assert_eq!(home.file_names(), [""; 0], "{words:?}");
    }
}

#[test]
fn fetched_pages_are_private_and_go_when_a_signal_ends_the_run() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let home = Home::new();
        home.run_ok("init --name N --time-zone UTC", "N");
        let pages = home.folder.path().join("pages");
        fs::create_dir(&pages).unwrap();
        let ((reached, is_reached), (end, is_ended)) = (mpsc::channel(), mpsc::channel::<()>());
        let site = Site::start(move |request| {
            if request.target.contains("page=2") {
                reached.send(()).unwrap();
                // Until the test is over.
                let _ = is_ended.recv();
            }
            SiteAnswer::json(format!("[{ROW}]")).with("Link: </?page=2>; rel=\"next\"")
        });
        let entry = format!("[shop]\nurl = '{}'\n", site.url("/"));
        home.file("reviews.sync.toml", &entry);
        let mut command = home.process(&["sync", "run", "shop"]);
        let child = command.env("TMPDIR", &pages).spawn().unwrap();
        is_reached.recv_timeout(NEVER).unwrap();
        let [folder] = names_in(&pages).try_into().unwrap();
        assert_eq!(mode(&pages.join(&folder)), 0o700);
        assert_eq!(names_in(&pages.join(&folder)), ["page 1"]);
        assert_eq!(end_by(child, signal), Some(code));
        assert!(names_in(&pages).is_empty(), "{:?}", names_in(&pages));
        drop(end);
    }
}

#[test]
fn a_signal_ends_the_command_of_an_entry_with_what_it_started() {
    let home = sync::home();
    let pipe = home.folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let keys = "headers = { X-Key = '${COMMAND}' }\ncommand = ['sh', '-c', '(sleep 30; echo left) > pipe & wait']";
    sync::write_entry(&home, "place", "https://shop.test/r", keys);
    let mut run = home
        .process("sync run place")
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .spawn()
        .unwrap();
    // It ends once nothing writes to it.
    let output = File::open(pipe).unwrap();
    kill_process(Pid::from_child(&run), Signal::INT).unwrap();
    let written = std::io::read_to_string(output).unwrap();
    assert_eq!((&*written, run.wait().unwrap().code()), ("", Some(130)));
}
