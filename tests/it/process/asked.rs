//! Questions on a terminal: a pseudo-terminal at which somebody types.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::{Home, Said, reviews};
use crate::support::sqlite3;

impl Home {
    /// Runs a command at a terminal, where these lines are typed and then the input ends: `err` is what the terminal shows.
    fn at_terminal(&self, words: &[&str], typed: &[&str]) -> Said {
        let mut terminal = File::from(openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap());
        grantpt(&terminal).unwrap();
        unlockpt(&terminal).unwrap();
        let name = ptsname(&terminal, Vec::new()).unwrap();
        let name = std::ffi::OsStr::from_bytes(name.as_bytes());
        let far_end = File::options().read(true).write(true).open(name).unwrap();
        let mut command = reviews(self.0.path());
        command
            .args(words)
            .stdin(far_end.try_clone().unwrap())
            .stderr(far_end)
            .stdout(Stdio::piped());
        for line in typed {
            terminal.write_all(line.as_bytes()).unwrap();
            terminal.write_all(b"\n").unwrap();
        }
        // Ctrl-D: the end of the input, once for each question that nobody answers.
        terminal.write_all(&[4; 8]).unwrap();
        let child = command.spawn().unwrap();
        // With it goes our hold of the far end, so that reading ends.
        drop(command);
        let output = child.wait_with_output().unwrap();
        let mut shown = Vec::new();
        // EIO: nobody holds the far end any more, and all is read.
        let ended = terminal.read_to_end(&mut shown).unwrap_err();
        assert_eq!(
            ended.raw_os_error(),
            Some(rustix::io::Errno::IO.raw_os_error())
        );
        Said {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(shown).unwrap(),
        }
    }

    fn ids(&self) -> String {
        sqlite3(
            &self.path(),
            "select group_concat(review_id) from (select review_id from review order by 1)",
        )
    }
}

#[test]
fn init_asks_for_name_type_and_time_zone_until_they_can_be_taken() {
    let home = Home::new();
    let typed = [
        "",
        "Desert Peak",
        "Plumbr",
        "Plumber",
        "Phoenix",
        "America/Phoenix",
    ];
    let said = home.at_terminal(&["init"], &typed);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    for part in [
        "Name of the business:",
        "the business needs a name",
        "Type (schema.org",
        "Plumber",
        "Time zone (for example America/Phoenix):",
    ] {
        assert!(said.err.contains(part), "{part}: {}", said.err);
    }
    let asked = |question: &str| said.err.matches(question).count();
    assert_eq!(
        [
            asked("Name of the business:"),
            asked("Type (schema.org"),
            asked("Time zone (for")
        ],
        [2; 3],
        "{}",
        said.err
    );
    for part in [
        "name        Desert Peak",
        "type        Plumber",
        "time zone   America/Phoenix",
    ] {
        assert!(said.out.contains(part), "{part}: {}", said.out);
    }
    // What is known is not asked again.
    let again = home.at_terminal(&["init", "--telephone", "+1 602 555 0100"], &[]);
    assert_eq!(
        (
            again.code,
            again.err.contains('?') || again.err.contains("Name of")
        ),
        (Some(0), false),
        "{}",
        again.err
    );
    assert!(
        again.out.contains("name        Desert Peak"),
        "{}",
        again.out
    );
}

#[test]
fn init_asks_only_for_what_was_not_given_and_makes_nothing_where_nobody_answers() {
    let home = Home::new();
    let words = [
        "init",
        "--name",
        "Desert Peak",
        "--time-zone",
        "America/Phoenix",
    ];
    let said = home.at_terminal(&words, &[""]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    assert!(!said.err.contains("Name of the business"), "{}", said.err);
    assert!(
        said.out.contains("type        LocalBusiness"),
        "{}",
        said.out
    );
    let other = Home::new();
    let said = other.at_terminal(&["init"], &[]);
    assert_eq!(said.code, Some(2), "{}{}", said.out, said.err);
    assert!(!other.path().exists());
}

#[test]
fn delete_shows_the_review_and_deletes_it_only_after_a_yes() {
    let home = Home::new();
    home.file(
        "in.jsonl",
        "{\"id\":\"r-1\",\"rating\":2,\"date\":\"2026-10-01\",\"author\":\"Ann\",\"text\":\"Two hours \\u001b[2Jlate.\"}\n\
         {\"id\":\"r-2\",\"rating\":5,\"date\":\"2026-10-02\",\"author\":\"Bob\",\"text\":\"Fast.\"}",
    );
    home.does(&["import", "in.jsonl"], "2 new");
    for typed in [&["n"][..], &[""], &["nyes"], &["no", "y"], &[]] {
        let said = home.at_terminal(&["delete", "r-1"], typed);
        assert_eq!(said.code, Some(0), "{typed:?}: {}", said.err);
        assert_eq!(said.out, "nothing was deleted\n", "{typed:?}");
        assert_eq!(home.ids(), "r-1,r-2", "{typed:?}");
        for part in ["r-1", "★★☆☆☆", "2026-10-01", "Ann", "late.", "[y/N]"] {
            assert!(said.err.contains(part), "{part}: {}", said.err);
        }
        assert!(!said.err.contains("\u{1b}[2J"), "{}", said.err);
    }
    for (id, typed) in [("r-1", "y"), ("r-2", "Yes")] {
        let said = home.at_terminal(&["delete", id], &[typed]);
        assert_eq!(said.code, Some(0), "{}", said.err);
        assert!(said.out.contains("deleted"), "{}", said.out);
    }
    assert_eq!(home.ids(), "");
    // With `--yes` nothing is asked.
    home.file(
        "more.jsonl",
        "{\"id\":\"r-3\",\"rating\":5,\"date\":\"2026-10-02\",\"author\":\"Bob\",\"text\":\"Fast.\"}",
    );
    home.does(&["import", "more.jsonl"], "1 new");
    let said = home.at_terminal(&["delete", "r-3", "--yes"], &["n"]);
    assert!(!said.err.contains("[y/N]"), "{}", said.err);
    assert_eq!(home.ids(), "");
}

#[test]
fn restore_puts_nothing_in_place_without_a_yes() {
    let home = Home::with(3);
    home.does(&["backup", "copy.db"], "copy.db");
    home.does(&["delete", "p-1"], "deleted");
    let said = home.at_terminal(&["restore", "copy.db"], &["n"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(
        said.err.contains("copy.db has 3 reviews. Replace "),
        "{}",
        said.err
    );
    assert_eq!(said.out, "nothing was changed\n");
    assert_eq!(home.ids(), "p-2,p-3");
    let left = std::fs::read_dir(home.0.path()).unwrap();
    let names = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let begun: Vec<String> = names.filter(|name| name.contains(".new-")).collect();
    assert!(begun.is_empty(), "{begun:?}");
}
