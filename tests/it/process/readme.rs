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

/// A folder with an archive to import.
fn folder() -> Home {
    let home = Home::new();
    let takeout = concat!(env!("CARGO_MANIFEST_DIR"), "/seeds/takeout.zip");
    fs::copy(takeout, home.folder.path().join("takeout.zip")).unwrap();
    home
}

/// Runs a command of a page. Returns its output.
fn run_command(home: &Home, command: &str) -> String {
    match command.split('#').next().unwrap().trim() {
        // Skipped: takes minutes, and the built binary is on the path.
        "cargo install --path . --locked" => String::new(),
        // Runs until it is killed.
        "reviews serve" => {
            drop(home.serve_process());
            String::new()
        }
        _ => {
            let done = home.shell(command);
            done.done();
            done.out
        }
    }
}

#[test]
fn the_commands_of_the_readme_work_in_an_empty_folder() {
    let home = folder();
    let blocks = blocks("Your own reviews");
    let [first, later, ..] = blocks.as_slice() else {
        panic!("the README must have two blocks of commands: {blocks:?}");
    };
    for command in first {
        run_command(&home, command);
    }
    let ends_by_serving = first.len() == 4 && first[3].starts_with("reviews serve");
    assert!(ends_by_serving, "{first:?}");
    home.finds(
        "select group_concat(review_id, ' ') from (select review_id from review order by 1)",
        "77.a 77.b",
    );
    // Replace the example IDs of the README by those of the imported reviews.
    for command in later {
        let command = command.replace("r-12", "77.a").replace("r-13", "77.b");
        run_command(&home, &command);
    }
    let exported = home.read("reviews.jsonl");
    assert_has(&exported, "under dispute");
    assert_has(&exported, "\"deleted\":true");
}

#[test]
fn commands_of_the_start_page_print_the_shown_output() {
    let home = folder();
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/START.md")).unwrap();
    // The following sections need a server on the web.
    let page = page.split_once("\n## 7.").unwrap().0;
    let within = |fence: &str| -> Vec<String> {
        let rests = page.split(fence).skip(1);
        let blocks = rests.map(|rest| rest.split("```").next().unwrap().to_owned());
        blocks.collect()
    };
    let blocks = within("```sh\n");
    let commands = blocks.iter().flat_map(|block| block.lines());
    let printed = commands.map(|command| run_command(&home, command));
    let printed: Vec<String> = printed.collect();
    assert_eq!(printed.len(), 5);
    let (printed, shown) = (printed.concat(), within("```text\n"));
    assert_eq!(shown.len(), 2);
    for shown in shown {
        assert_has(&printed, &shown);
    }
}
