//! Databases that may only be read.

use std::os::unix::process::CommandExt;

use super::*;

const NOBODY: u32 = 65_534;

/// A command of a user who may only read the database and its folder.
fn reading(home: &Home, words: &str) -> Command {
    let mut command = home.process(words);
    if rustix::process::geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

#[test]
fn advice_about_a_lock_of_another_user_helps() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let home = Home::with(3);
    home.run("init --name Bakery").done();
    home.file("reviews.sync.toml", "[a]\nurl = 'https://127.0.0.1:9'\n");
    home.run("sync run a").failed("no connection");
    for (path, mode) in [(home.path(), 0o666), (home.folder.path().to_owned(), 0o777)] {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    // A process that was killed leaves it.
    let lock = home.path().with_file_name("reviews.db-sync-a");
    fs::write(&lock, "").unwrap();
    fs::set_permissions(&lock, fs::Permissions::from_mode(0o600)).unwrap();
    let run = || output_of(&mut reading(&home, "sync run a"));
    run().failed("belongs to the user 0; run the command as that user");
    fs::remove_file(lock).unwrap();
    run().failed("no connection");
}

#[test]
fn commands_that_write_nothing_need_only_be_able_to_read() {
    let home = Home::with(3);
    home.run("init --name Bakery").done();
    home.analyze();
    let out = tempfile::tempdir().unwrap();
    fs::set_permissions(out.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let before = fs::read(home.path()).unwrap();
    let [copy, file] = ["copy.db", "out.jsonl"].map(|name| out.path().join(name));
    let (copy_name, file_name) = (copy.display(), file.display());
    // A file that may not be written in a folder that may, and both.
    for (folder_mode, file_mode) in [(0o777, 0o444), (0o555, 0o444), (0o555, 0o666)] {
        for (path, mode) in [
            (home.path(), file_mode),
            (home.folder.path().to_owned(), folder_mode),
        ] {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
        let commands = format!(
            "status, list, show p-1, business, editorial, source, source format Direct, sync list, subscriptions, \
             insights explain p-1, check, export, export {file_name} --force, backup {copy_name} --force"
        );
        for words in commands.split(", ") {
            let done = output_of(&mut reading(&home, words));
            let case = format!("{words} in {folder_mode:o}, {file_mode:o}");
            assert_eq!(done.code, Some(0), "{case}: {}{}", done.out, done.err);
        }
        assert_eq!(sqlite3(&copy, "select count(*) from review"), "3");
        let denied = output_of(&mut reading(&home, "withhold p-1 --reason dispute"));
        denied.failed("cannot be opened for writing");
    }
    assert!(fs::read(home.path()).unwrap() == before, "the file changed");
    fs::set_permissions(home.folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
}
