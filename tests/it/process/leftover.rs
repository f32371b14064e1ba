//! A command that fails, only shows what it would do, or is ended by a signal leaves no file behind.

use super::*;

const ROW: &str =
    r#"{"id":"a","rating":5,"date":"2024-11-01","author":"Ann B.","text":"Good.","title":"Title"}"#;
/// Google reviews with instants, which cannot be imported without a time zone.
const INSTANTS: &str = r#"{"reviews":[{"reviewId":"g-1","reviewer":{"displayName":"Ann B."},"starRating":"FIVE",
    "comment":"Good.","createTime":"2024-11-01T03:00:00Z","updateTime":"2024-11-01T03:00:00Z"}],"totalReviewCount":1}"#;

/// The names of all files in the folder.
fn names(home: &Home) -> Vec<String> {
    names_in(home.0.path())
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_dry_run_leaves_no_new_database_and_no_file_beside_it() {
    let home = Home::new();
    home.file("own.jsonl", ROW);
    let before = names(&home);
    for words in [
        &["import", "--dry-run", "own.jsonl"][..],
        &["import", "--dry-run", "own.jsonl", "--rejects", "bad.jsonl"],
    ] {
        let done = home.run_ok(words, "1 new, 0 updated");
        assert_has(&done.out, "dry run: nothing was changed");
        assert_eq!(names(&home), before);
    }
    // An existing database stays unchanged.
    home.run_ok("import own.jsonl", "1 new");
    let bytes = fs::read(home.path()).unwrap();
    home.file("more.jsonl", &ROW.replace("\"a\"", "\"b\""));
    home.run_ok("import --dry-run more.jsonl", "1 new, 0 updated");
    assert!(
        fs::read(home.path()).unwrap() == bytes,
        "the dry run changed the database"
    );
}

#[test]
fn a_failed_import_leaves_no_new_database_and_no_file_beside_it() {
    let home = Home::new();
    home.file("prose.txt", "Nothing that anybody could import.");
    home.file("instants.json", INSTANTS);
    home.file("own.jsonl", ROW);
    home.file("broken.json", r#"{"id":"#);
    fs::create_dir(home.0.path().join("seeds")).unwrap();
    fs::write(home.0.path().join("seeds/business.json"), "{").unwrap();
    let before = names(&home);
    for words in [
        &["import", "missing.jsonl"][..],
        &["import", "prose.txt"],
        &["import", "instants.json"],
        &["import", "--dry-run", "instants.json"],
        &["import", "own.jsonl", "missing.jsonl"],
        &["import", "own.jsonl", "--map", "stars=Score"],
        &["import", "own.jsonl", "--rejects", "own.jsonl"],
        &["import", "missing.jsonl", "--rejects", "bad.jsonl"],
        &["import", "instants.json", "--rejects", "bad.jsonl"],
        &["seed", "seeds"],
        &["business", "broken.json"],
        &["export", "out.jsonl"],
        &["show", "a"],
    ] {
        let done = home.run(words);
        assert_eq!(done.code, Some(2), "{words:?}: {}{}", done.out, done.err);
        assert_eq!(names(&home), before, "{words:?}: {}", done.err);
        assert!(!done.err.contains(".new-"), "{words:?}: {}", done.err);
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
        (
            &["import", "-", "--rejects", "bad.jsonl"][..],
            Signal::INT,
            130,
        ),
        (&["import", "-", "--dry-run"], Signal::TERM, 143),
    ] {
        let home = Home::new();
        let mut child = reviews(home.0.path())
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(ROW.as_bytes()).unwrap();
        wait_until("the log is there", || {
            names(&home).iter().any(|name| name.ends_with("-wal"))
        });
        assert_eq!(end_by(child, signal), Some(code), "{words:?}");
        assert!(names(&home).is_empty(), "{words:?}: {:?}", names(&home));
    }
}

#[test]
fn fetched_pages_are_private_and_go_when_a_signal_ends_the_run() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let home = Home::new();
        home.run_ok("init --name N --time-zone UTC", "N");
        let pages = home.0.path().join("pages");
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
        let child = reviews(home.0.path())
            .args(["sync", "add", "shop", &site.url("/"), "--yes"])
            .env("TMPDIR", &pages)
            .spawn()
            .unwrap();
        is_reached.recv_timeout(NEVER).unwrap();
        let [folder] = names_in(&pages).try_into().unwrap();
        let mode = fs::metadata(pages.join(&folder))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o700);
        assert_eq!(names_in(&pages.join(&folder)), ["page 1"]);
        assert_eq!(end_by(child, signal), Some(code));
        assert!(names_in(&pages).is_empty(), "{:?}", names_in(&pages));
        drop(end);
    }
}

#[test]
fn files_of_a_killed_command_go_at_the_next_write() {
    let home = Home::with(2);
    let left = |name: &str, minutes: i64| {
        let file = File::create(home.0.path().join(name)).unwrap();
        let at = Clock::system().now() - TimeDelta::minutes(minutes);
        file.set_modified(at.into()).unwrap();
    };
    for name in ["out.jsonl", "copy.db"] {
        left(&format!("{name}.new-0a1b2c3d"), 61);
        left(&format!("{name}.new-0a1b2c3d-journal"), 61);
        left(&format!("{name}.new-0a1b2c3e"), 1);
        left(&format!("{name}.new-mine"), 61);
    }
    home.run_ok("export out.jsonl", "2 reviews");
    home.run_ok("backup copy.db", "copy.db: ");
    home.run_ok("backup copy.db --force", "copy.db: ");
    assert_eq!(
        names(&home),
        [
            "copy.db",
            "copy.db.new-0a1b2c3e",
            "copy.db.new-mine",
            "out.jsonl",
            "out.jsonl.new-0a1b2c3e",
            "out.jsonl.new-mine",
            "reviews.db",
        ]
    );
}

#[test]
fn a_first_start_without_sample_data_leaves_no_database() {
    let home = Home::new();
    fs::create_dir(home.0.path().join("empty")).unwrap();
    for folder in ["none", "empty"] {
        home.run_err(&["serve", "--seed", folder], "business.json");
        assert_eq!(names(&home), ["empty"], "{folder}");
    }
}
