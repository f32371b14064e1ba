//! A command that fails, only shows what it would do, or is ended by a signal leaves no file behind.

use super::*;

const ROW: &str =
    r#"{"id":"a","rating":5,"date":"2024-11-01","author":"Ann B.","text":"Good.","title":"Title"}"#;
/// Google reviews with instants, which cannot be imported without a time zone.
const INSTANTS: &str = r#"{"reviews":[{"reviewId":"g-1","reviewer":{"displayName":"Ann B."},"starRating":"FIVE",
    "comment":"Good.","createTime":"2024-11-01T03:00:00Z","updateTime":"2024-11-01T03:00:00Z"}],"totalReviewCount":1}"#;

#[test]
fn a_failed_or_tried_import_leaves_no_new_database_and_no_file() {
    let home = Home::new();
    home.file("instants.json", INSTANTS);
    home.file("own.jsonl", ROW);
    home.file("broken.json", r#"{"id":"#);
    fs::create_dir(home.folder.path().join("seeds")).unwrap();
    home.file("seeds/business.json", "{");
    let before = home.file_names();
    home.run_ok("import --dry-run own.jsonl --rejects bad.jsonl", "1 new");
    assert_eq!(home.file_names(), before);
    for words in [
        "import instants.json",
        "import --dry-run instants.json",
        "import own.jsonl missing.jsonl",
        "import own.jsonl --format missing.toml",
        "import own.jsonl --rejects own.jsonl",
        "import instants.json --rejects bad.jsonl",
        "seed seeds",
        "serve --seed none",
        "business broken.json",
        "export out.jsonl",
        "show a",
    ] {
        let done = home.run(words);
        done.failed("");
        assert_eq!(home.file_names(), before, "{words}: {}", done.err);
        assert!(!done.err.contains(".new-"), "{words}: {}", done.err);
    }
}

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
        let mut command = home.command(words);
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
        let mut command = home.command(&["sync", "run", "shop"]);
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
