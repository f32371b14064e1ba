//! Runs the commands of the README and of `docs/START.md` in an empty folder.

use super::*;

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

/// A folder with an archive to import.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let takeout = concat!(env!("CARGO_MANIFEST_DIR"), "/seeds/takeout.zip");
    fs::copy(takeout, folder.path().join("takeout.zip")).unwrap();
    folder
}

/// Runs a command of a page. Returns its output.
fn run_command(folder: &Path, command: &str) -> String {
    match command.split('#').next().unwrap().trim() {
        // Skipped: takes minutes, and the built binary is on the path.
        "cargo install --path . --locked" => String::new(),
        // Runs until it is killed.
        "reviews serve" => {
            drop(Serving::start(reviews(folder).arg("serve")));
            String::new()
        }
        _ => {
            let done = run_line(folder, command);
            let message = String::from_utf8_lossy(&done.stderr);
            assert!(done.status.success(), "{command}\n{message}");
            String::from_utf8(done.stdout).unwrap()
        }
    }
}

#[test]
fn the_commands_of_the_readme_work_in_an_empty_folder() {
    let folder = folder();
    let blocks = blocks("Your own reviews");
    let [first, later, ..] = blocks.as_slice() else {
        panic!("the README must have two blocks of commands: {blocks:?}");
    };
    for command in first {
        run_command(folder.path(), command);
    }
    assert!(
        first.len() == 4 && first[3].starts_with("reviews serve"),
        "{first:?}"
    );
    let imported = sqlite3(
        &folder.path().join("reviews.db"),
        "select group_concat(review_id, ' ') from (select review_id from review order by 1)",
    );
    assert_eq!(imported, "77.a 77.b");
    // Replace the example IDs of the README by those of the imported reviews.
    for command in later {
        let command = command.replace("r-12", "77.a").replace("r-13", "77.b");
        run_command(folder.path(), &command);
    }
    let exported = fs::read_to_string(folder.path().join("reviews.jsonl")).unwrap();
    assert_has(&exported, "under dispute");
    assert_has(&exported, "\"deleted\":true");
}

#[test]
fn commands_of_the_start_page_print_the_shown_output() {
    let folder = folder();
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/START.md")).unwrap();
    // The following sections need a server on the web.
    let page = page.split_once("\n## 7.").unwrap().0;
    let within = |fence: &str| -> Vec<String> {
        let rests = page.split(fence).skip(1);
        rests
            .map(|rest| rest.split("```").next().unwrap().to_owned())
            .collect()
    };
    let blocks = within("```sh\n");
    let commands = blocks.iter().flat_map(|block| block.lines());
    let printed: Vec<String> = commands
        .map(|command| run_command(folder.path(), command))
        .collect();
    assert_eq!(printed.len(), 5);
    let (printed, shown) = (printed.concat(), within("```text\n"));
    assert_eq!(shown.len(), 2);
    for shown in shown {
        assert_has(&printed, &shown);
    }
}
