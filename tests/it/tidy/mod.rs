//! The house rules that no compiler holds: which room may use which, where SQL, HTTP and
//! public shapes may stand. `docs/ARCHITECTURE.md` says why.

mod circles;
mod floors;
mod queries;
mod shapes;
mod templates;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

/// A file of ours: its path from the package's root, and its lines.
struct File {
    path: PathBuf,
    text: String,
}

impl File {
    /// `snapshot` for `src/snapshot/publisher.rs`; nothing for `src/main.rs` and tests.
    fn room(&self) -> Option<&str> {
        let mut parts = self.path.iter().map(|part| part.to_str().unwrap());
        (parts.next() == Some("src")).then_some(())?;
        let name = parts.next()?.trim_end_matches(".rs");
        (!["main", "lib"].contains(&name)).then_some(name)
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// The lines that are code, numbered from one: no comments, and nothing of the unit tests at
    /// the end.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = (1..)
            .zip(self.text.lines())
            .take_while(|(_, line)| *line != "#[cfg(test)]");
        lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    fn is_unit_test(&self) -> bool {
        self.path
            .iter()
            .any(|part| part == "tests.rs" || part == "tests")
    }
}

fn files(folder: &str) -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders: Vec<PathBuf> = [root.join(folder)]
        .into_iter()
        .filter(|folder| folder.exists())
        .collect();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                files.push(File {
                    path: path.strip_prefix(root).unwrap().to_owned(),
                    text,
                });
            }
        }
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    files
}

#[track_caller]
fn assert_none(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn every_file_begins_with_what_it_is() {
    let (src, tests, benches) = (files("src"), files("tests"), files("benches"));
    let headless = |file: &&File| !file.text.starts_with("//! ");
    let faults: Vec<String> = src
        .iter()
        .chain(&tests)
        .chain(&benches)
        .filter(headless)
        .map(File::name)
        .collect();
    assert_none(&faults);
}

#[test]
fn tests_wait_for_facts() {
    let marks = [
        "tokio::time::sleep",
        "thread::sleep",
        "#[ignore",
        "fn test_",
    ];
    let mut faults = Vec::new();
    for file in files("tests")
        .into_iter()
        .filter(|file| !file.path.ends_with("tests/it/tidy/mod.rs"))
    {
        for (number, line) in file
            .code()
            .filter(|(_, line)| marks.iter().any(|mark| line.contains(mark)))
        {
            faults.push(format!("{}:{number}: {}", file.name(), line.trim()));
        }
    }
    assert_none(&faults);
}
