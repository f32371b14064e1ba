//! One word for one thing: the names that the glossary in `CONTRIBUTING.md` has replaced do not
//! come back. Listed is what has no other meaning here; `Copy`, `Order`, `Page` or `Total` may well
//! be good names elsewhere.

use super::{File, assert_none, files};

/// Types, as they were called.
const TYPES: [&str; 24] = [
    "Door",
    "Edition",
    "EditionError",
    "Filler",
    "Heard",
    "Judged",
    "Listed",
    "NameFault",
    "NotDialled",
    "NoteRef",
    "Outermost",
    "Offer",
    "Press",
    "PressError",
    "Printed",
    "PrintError",
    "Sheet",
    "Shelf",
    "Stock",
    "SystemNames",
    "Tally",
    "Told",
    "Trial",
    "Unread",
];
/// Parts of other names, between underscores, and of files and folders.
const PARTS: [&str; 6] = ["edition", "editions", "press", "shelf", "shelves", "tally"];

/// The names in a line of code; those in texts are not ours alone (metrics, events, SQL).
fn names(line: &str) -> impl Iterator<Item = &str> {
    let line = line.split(" // ").next().unwrap_or_default();
    let code = line.split('"').step_by(2);
    code.flat_map(|code| code.split(|c: char| !c.is_alphanumeric() && c != '_'))
}

fn is_banned(name: &str) -> bool {
    TYPES.contains(&name)
        || name
            .to_lowercase()
            .split('_')
            .any(|part| PARTS.contains(&part))
}

fn banned(file: &File) -> Vec<String> {
    let path = file
        .path
        .iter()
        .filter_map(|part| part.to_str())
        .map(|part| part.trim_end_matches(".rs"));
    let paths = path
        .filter(|part| is_banned(part))
        .map(|part| format!("{}: `{part}`", file.name()));
    let lines = file
        .code()
        .flat_map(|(number, line)| names(line).map(move |name| (number, name)));
    let lines = lines
        .filter(|(_, name)| is_banned(name))
        .map(|(number, name)| format!("{}:{number}: `{name}`", file.name()));
    paths.chain(lines).collect()
}

#[test]
fn replaced_names_do_not_come_back() {
    let ours = ["src", "tests", "benches", "examples"]
        .into_iter()
        .flat_map(files);
    let is_here = |file: &File| file.path.ends_with("tests/it/tidy/words.rs");
    let faults: Vec<String> = ours
        .filter(|file| !is_here(file))
        .flat_map(|file| banned(&file))
        .collect();
    assert_none(&faults);
}

#[test]
fn a_replaced_name_is_found_wherever_it_is_one() {
    let file = |path: &str, text: &str| File {
        path: path.into(),
        text: text.to_owned(),
    };
    let old = file(
        "src/shelf/mod.rs",
        "struct Press;\nlet next_edition = \"edition.out\";\n// the press\nfn express() {}",
    );
    assert_eq!(
        banned(&old),
        [
            "src/shelf/mod.rs: `shelf`",
            "src/shelf/mod.rs:1: `Press`",
            "src/shelf/mod.rs:2: `next_edition`"
        ]
    );
    assert_eq!(
        banned(&file("src/snapshot/index.rs", "impl Copy for Snapshot {}")),
        [] as [&str; 0]
    );
}

#[test]
fn names_say_what_a_thing_is() {
    let empty = [
        "utils", "util", "helpers", "helper", "common", "types", "manager", "service", "handler",
        "misc",
    ];
    let faults: Vec<String> = files("src")
        .iter()
        .chain(&files("tests"))
        .filter(|file| {
            let stem = file.path.file_stem().unwrap().to_str().unwrap();
            empty.contains(&stem)
                || file
                    .path
                    .iter()
                    .any(|part| empty.contains(&part.to_str().unwrap()))
        })
        .map(File::name)
        .collect();
    assert_none(&faults);
}
