//! The real `sqlite3` shell. Tests that need it are skipped if it is missing, and listed at the end of the run
//! (`tests/skipped.rs`).

use std::borrow::Borrow;
use std::env;
use std::fs::OpenOptions;
use std::io::{Write, stderr};
use std::path::PathBuf;

use serde_json::{Value, json};
use url::form_urlencoded;

/// The file that lists skipped tests, one per line: the process of the run, the test, the missing tool.
const SKIPPED: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/skipped-tests");

#[expect(
    clippy::disallowed_methods,
    reason = "only this function of the tests reads the environment"
)]
pub fn setting(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

/// The rounds of a test with random steps: `.ci/nightly` multiplies those that a change needs.
pub fn rounds(of_a_change: usize) -> usize {
    of_a_change * setting("REVIEWS_TEST_ROUNDS").parse().unwrap_or(1)
}

/// The path of the shell. If it is missing, notes that `test` is skipped, or panics if nothing may be skipped.
pub fn find_shell(test: &str) -> Option<PathBuf> {
    let path = setting("PATH");
    let files = env::split_paths(&path).map(|folder| folder.join("sqlite3"));
    let found = files.into_iter().find(|file| file.is_file());
    if found.is_none() {
        skip(test);
    }
    found
}

fn skip(test: &str) {
    let required = setting("REVIEWS_TEST_REQUIRE");
    assert!(
        required != "all",
        "{test} needs `sqlite3`, which is not on the PATH; install it, or unset REVIEWS_TEST_REQUIRE"
    );
    let line = format!("{}\t{test}\tsqlite3\n", std::os::unix::process::parent_id());
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(SKIPPED)
        .unwrap();
    file.write_all(line.as_bytes()).unwrap();
    // Written directly, because the test's captured output is hidden.
    let _ = stderr().write_all(format!("skipped: {test} needs `sqlite3`\n").as_bytes());
}

/// The path of the shell; the test returns if it is missing.
macro_rules! needs_shell {
    () => {{
        fn here() {}
        let name = std::any::type_name_of_val(&here)
            .trim_end_matches("::here")
            .replace("::{{closure}}", "");
        match $crate::support::find_shell(&name) {
            Some(path) => path,
            None => return,
        }
    }};
}
pub(crate) use needs_shell;

/// The rows of a table: a line for each, with ` → ` between the cells. Empty lines and comments, after `#`, are left out.
pub fn table<const CELLS: usize>(text: &str) -> Vec<[&str; CELLS]> {
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let rows = lines.map(|line| {
        let cells: Vec<&str> = line.split(" → ").collect();
        cells.try_into().expect(line)
    });
    rows.collect()
}

/// Name and value pairs as a query string or the body of a form.
pub fn form<N: AsRef<str>, V: AsRef<str>>(
    pairs: impl IntoIterator<Item: Borrow<(N, V)>>,
) -> String {
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
        .finish()
}

/// The items of a JSON array.
#[track_caller]
pub fn array_of(value: &Value) -> &Vec<Value> {
    value
        .as_array()
        .unwrap_or_else(|| panic!("no array: {value}"))
}

/// The text of a JSON string.
#[track_caller]
pub fn str_of(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

/// Asserts that the text has this part.
#[track_caller]
pub fn assert_has(text: &str, part: &str) {
    assert!(text.contains(part), "{text}\nlacks {part}");
}

/// Makes a schema refuse members that it does not describe.
pub fn forbid_other_members(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            // A schema without a type only annotates its parent.
            if members.contains_key("properties") && members.contains_key("type") {
                members
                    .entry("additionalProperties")
                    .or_insert(json!(false));
            }
            members.values_mut().for_each(forbid_other_members);
        }
        Value::Array(values) => values.iter_mut().for_each(forbid_other_members),
        _ => {}
    }
}
