//! The README's own-reviews path and that of `docs/START.md`, line by line as they stand there, in an empty folder.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// The blocks of shell commands under this heading, each as its lines.
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

/// Runs one line in a shell, with the built binary on the path.
fn line(folder: &Path, line: &str) -> Output {
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
fn the_path_to_own_reviews_works_word_for_word_in_an_empty_folder() {
    let folder = tempfile::tempdir().unwrap();
    let takeout = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/readme/takeout.zip");
    fs::copy(takeout, folder.path().join("takeout.zip")).unwrap();
    let blocks = blocks("Your own reviews");
    let [first, later, ..] = blocks.as_slice() else {
        panic!("two blocks of commands: {blocks:?}");
    };
    let mut tried = Vec::new();
    for command in first {
        let words: Vec<&str> = command
            .split('#')
            .next()
            .unwrap()
            .split_whitespace()
            .collect();
        match words.as_slice() {
            // Builds the very binary that is on the path here, for minutes.
            ["cargo", "install", "--path", ".", "--locked"] => {}
            // Serves until it is told to stop.
            ["reviews", "serve"] => {
                let mut serve = super::reviews(folder.path());
                drop(super::Serving::start(serve.arg("serve")));
            }
            _ => {
                let done = line(folder.path(), command);
                let said = String::from_utf8_lossy(&done.stderr);
                assert!(done.status.success(), "{command}\n{said}");
            }
        }
        tried.push(words.join(" "));
    }
    assert_eq!(tried.len(), 4, "{tried:?}");
    assert!(
        tried[0].starts_with("cargo install") && tried[3] == "reviews serve",
        "{tried:?}"
    );
    let reviews = crate::support::sqlite3(
        &folder.path().join("reviews.db"),
        "select group_concat(review_id, ' ') from (select review_id from review order by 1)",
    );
    assert_eq!(reviews, "77.a 77.b");
    // The README decides about ids of its own; here they are these.
    for command in later {
        let done = line(
            folder.path(),
            &command.replace("r-12", "77.a").replace("r-13", "77.b"),
        );
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{command}\n{said}");
    }
    let exported = fs::read_to_string(folder.path().join("reviews.jsonl")).unwrap();
    assert!(
        exported.contains("under dispute") && exported.contains("\"deleted\":true"),
        "{exported}"
    );
}

#[test]
fn the_start_page_works_word_for_word_and_shows_what_its_commands_print() {
    let folder = tempfile::tempdir().unwrap();
    let takeout = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/readme/takeout.zip");
    fs::copy(takeout, folder.path().join("takeout.zip")).unwrap();
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/START.md")).unwrap();
    // From there on it is about a server on the web.
    let page = page.split_once("\n## 7.").unwrap().0;
    let within = |fence: &str| -> Vec<String> {
        page.split(fence)
            .skip(1)
            .map(|rest| rest.split("```").next().unwrap().to_owned())
            .collect()
    };
    let (mut tried, mut printed) = (0, String::new());
    for command in within("```sh\n").iter().flat_map(|block| block.lines()) {
        match command {
            // Builds the very binary that is on the path here, for minutes.
            "cargo install --path . --locked" => {}
            // Serves until it is told to stop.
            "reviews serve" => {
                let mut serve = super::reviews(folder.path());
                drop(super::Serving::start(serve.arg("serve")));
            }
            _ => {
                let done = line(folder.path(), command);
                let said = String::from_utf8_lossy(&done.stderr);
                assert!(done.status.success(), "{command}\n{said}");
                printed.push_str(&String::from_utf8_lossy(&done.stdout));
            }
        }
        tried += 1;
    }
    assert_eq!(tried, 5);
    let shown = within("```text\n");
    assert_eq!(shown.len(), 2);
    for shown in shown {
        assert!(printed.contains(&shown), "{shown}\nis not in\n{printed}");
    }
}
