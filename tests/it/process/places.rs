//! Databases that another process locks, that have several names, or that may only be read.

use std::os::unix::process::CommandExt;

use super::*;

const NOBODY: u32 = 65_534;

#[expect(clippy::disallowed_methods, reason = "it measures a duration")]
#[test]
fn commands_wait_ten_seconds_for_a_lock() {
    let home = Home::with(2);
    home.file(
        "in.jsonl",
        r#"{"id": "r-1", "rating": 5, "date": "2026-11-01", "author": "Ann", "text": "Good."}"#,
    );
    let mut other = connect(&home.path());
    let lock = other
        .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
        .unwrap();
    let begun = Instant::now();
    let commands = [
        "import in.jsonl",
        "withhold p-1 --reason dispute",
        "undo",
        "init --name Bakery",
    ];
    let waiting = commands.map(|words| {
        let mut command = home.command(words);
        let command = command.stdout(Stdio::piped());
        (words, command.stderr(Stdio::piped()).spawn().unwrap())
    });
    for (words, child) in waiting {
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_has(&err, "is locked by another process for more than 10 s");
        assert_eq!(output.status.code(), Some(2), "{words}");
        let waited = begun.elapsed();
        assert!(waited >= Duration::from_secs(9), "{words}: {waited:?}");
    }
    drop(lock);
    home.run_ok("import in.jsonl", "1 new");
}

#[test]
fn database_with_several_names_is_not_written() {
    let home = Home::with(2);
    home.run_ok("backup copy.db", "copy.db: ");
    let other = home.0.path().join("other.db");
    fs::hard_link(home.path(), &other).unwrap();
    fs::create_dir(home.0.path().join("folder")).unwrap();
    symlink(&other, home.0.path().join("folder/link.db")).unwrap();
    let message = "has 2 names (hard links)";
    for database in ["reviews.db", "other.db", "folder/link.db"] {
        for words in [
            "serve",
            "migrate",
            "withhold p-1 --reason dispute",
            "backup second.db",
            "restore copy.db --yes",
        ] {
            let run = home.run(format!("{words} --database {database}"));
            run.failed(message);
            assert_has(&run.err, "-samefile");
        }
    }
    assert!(!home.0.path().join("second.db").exists());
    home.run_ok("status", "2 published");
    fs::remove_file(other).unwrap();
    home.run_ok("withhold p-1 --reason dispute", "withheld");
    // As a restore leaves it that was killed before its last step.
    let former = home
        .0
        .path()
        .join("reviews.db.before-restore-20261101T120000Z");
    fs::hard_link(home.path(), former).unwrap();
    home.run_ok("publish p-1", "published");
    drop(home.serve());
}

/// A command of a user who may only read the database and its folder.
fn reading(home: &Home, words: &str) -> Command {
    let mut command = home.command(words);
    if rustix::process::geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

#[test]
fn commands_that_write_nothing_need_only_be_able_to_read() {
    let home = Home::with(3);
    home.run("init --name Bakery").done();
    home.run("insights rebuild").done();
    let out = tempfile::tempdir().unwrap();
    fs::set_permissions(out.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let before = fs::read(home.path()).unwrap();
    let [copy, file] = ["copy.db", "out.jsonl"].map(|name| out.path().join(name));
    let (copy_name, file_name) = (copy.display(), file.display());
    // A file that may not be written in a folder that may, and both.
    for (folder_mode, file_mode) in [(0o777, 0o444), (0o555, 0o444), (0o555, 0o666)] {
        for (path, mode) in [
            (home.path(), file_mode),
            (home.0.path().to_owned(), folder_mode),
        ] {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
        for words in [
            "status",
            "list",
            "show p-1",
            "business",
            "editorial",
            "source",
            "source columns Direct",
            "sync list",
            "subscriptions",
            "insights",
            "insights explain p-1",
            "check",
            "export",
            &format!("export {file_name} --force"),
            &format!("backup {copy_name} --force"),
        ] {
            let done = output_of(&mut reading(&home, words));
            let case = format!("{words} in {folder_mode:o}, {file_mode:o}");
            assert_eq!(done.code, Some(0), "{case}: {}{}", done.out, done.err);
        }
        assert_eq!(sqlite3(&copy, "select count(*) from review"), "3");
        let denied = output_of(&mut reading(&home, "withhold p-1 --reason dispute"));
        denied.failed("cannot be opened for writing");
    }
    assert!(fs::read(home.path()).unwrap() == before, "the file changed");
    fs::set_permissions(home.0.path(), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn hidden_characters_of_foreign_words_are_escaped_in_logs() {
    let home = Home::new();
    let folder = home.0.path().join("gpj\u{202e}\u{9b}");
    fs::create_dir(&folder).unwrap();
    let (database, log) = (folder.join("reviews.db"), home.0.path().join("log"));
    let mut command = reviews(&folder);
    let path = database.display().to_string();
    command.args(["serve", "--database", &path]);
    let serving = Serving::start_with_log(&mut command, File::create(&log).unwrap());
    fs::rename(&database, folder.join("moved.db")).unwrap();
    let read = || String::from_utf8_lossy(&fs::read(&log).unwrap()).into_owned();
    wait_until("the loss is logged", || {
        read().contains("was replaced or removed")
    });
    drop(serving);
    let read = read();
    assert!(!read.contains(['\u{202e}', '\u{9b}']), "{read}");
    assert_has(&read, "gpj\\u202e\\u009b");
}
