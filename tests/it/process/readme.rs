//! Runs the commands of the README and of `docs/START.md` in an empty folder.

use crate::support::assert_has;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// The shell blocks under this heading of the README, as lines.
fn blocks(heading: &str) -> Vec<Vec<String>> {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let part = readme.split_once(&format!("\n## {heading}\n")).unwrap().1;
    let part = part.split("\n## ").next().unwrap();
    part.split("```sh\n")
        .skip(1)
        .map(|block| block.split("```").next().unwrap())
        .map(|block| block.lines().map(str::to_owned).collect())
        .collect()
}

/// Runs a line in a shell with the built binary on the path.
fn run_line(folder: &Path, line: &str) -> Output {
    let binary = Path::new(env!("CARGO_BIN_EXE_reviews")).parent().unwrap();
    #[expect(
        clippy::disallowed_methods,
        reason = "the shell needs its own path, with the binary before it"
    )]
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    Command::new("sh")
        .args(["-ec", line])
        .current_dir(folder)
        .env("PATH", path)
        .env_remove("DATABASE_URL")
        .output()
        .unwrap()
}

#[test]
fn the_commands_of_the_readme_work_in_an_empty_folder() {
    let folder = tempfile::tempdir().unwrap();
    let takeout = concat!(env!("CARGO_MANIFEST_DIR"), "/seeds/takeout.zip");
    fs::copy(takeout, folder.path().join("takeout.zip")).unwrap();
    let blocks = blocks("Your own reviews");
    let [first, later, ..] = blocks.as_slice() else {
        panic!("the README must have two blocks of commands: {blocks:?}");
    };
    let mut commands_run = Vec::new();
    for command in first {
        let words: Vec<&str> = command
            .split('#')
            .next()
            .unwrap()
            .split_whitespace()
            .collect();
        match words.as_slice() {
            // Skipped: takes minutes, and the built binary is on the path.
            ["cargo", "install", "--path", ".", "--locked"] => {}
            // Runs until it is killed.
            ["reviews", "serve"] => {
                let mut serve = super::reviews(folder.path());
                drop(super::Serving::start(serve.arg("serve")));
            }
            _ => {
                let done = run_line(folder.path(), command);
                let message = String::from_utf8_lossy(&done.stderr);
                assert!(done.status.success(), "{command}\n{message}");
            }
        }
        commands_run.push(words.join(" "));
    }
    assert_eq!(commands_run.len(), 4, "{commands_run:?}");
    assert!(
        commands_run[0].starts_with("cargo install") && commands_run[3] == "reviews serve",
        "{commands_run:?}"
    );
    let reviews = crate::support::sqlite3(
        &folder.path().join("reviews.db"),
        "select group_concat(review_id, ' ') from (select review_id from review order by 1)",
    );
    assert_eq!(reviews, "77.a 77.b");
    // Replace the example IDs of the README by those of the imported reviews.
    for command in later {
        let done = run_line(
            folder.path(),
            &command.replace("r-12", "77.a").replace("r-13", "77.b"),
        );
        let message = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{command}\n{message}");
    }
    let exported = fs::read_to_string(folder.path().join("reviews.jsonl")).unwrap();
    assert_has(&exported, "under dispute");
    assert_has(&exported, "\"deleted\":true");
}

#[test]
fn commands_of_the_start_page_print_the_shown_output() {
    let folder = tempfile::tempdir().unwrap();
    let takeout = concat!(env!("CARGO_MANIFEST_DIR"), "/seeds/takeout.zip");
    fs::copy(takeout, folder.path().join("takeout.zip")).unwrap();
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/START.md")).unwrap();
    // The following sections need a server on the web.
    let page = page.split_once("\n## 7.").unwrap().0;
    let within = |fence: &str| -> Vec<String> {
        page.split(fence)
            .skip(1)
            .map(|rest| rest.split("```").next().unwrap().to_owned())
            .collect()
    };
    let (mut commands_run, mut printed) = (0, String::new());
    for command in within("```sh\n").iter().flat_map(|block| block.lines()) {
        match command {
            // Skipped: takes minutes, and the built binary is on the path.
            "cargo install --path . --locked" => {}
            // Runs until it is killed.
            "reviews serve" => {
                let mut serve = super::reviews(folder.path());
                drop(super::Serving::start(serve.arg("serve")));
            }
            _ => {
                let done = run_line(folder.path(), command);
                let message = String::from_utf8_lossy(&done.stderr);
                assert!(done.status.success(), "{command}\n{message}");
                printed.push_str(&String::from_utf8_lossy(&done.stdout));
            }
        }
        commands_run += 1;
    }
    assert_eq!(commands_run, 5);
    let shown = within("```text\n");
    assert_eq!(shown.len(), 2);
    for shown in shown {
        assert!(
            printed.contains(&shown),
            "{shown}\nwas not printed:\n{printed}"
        );
    }
}
