//! Tools that a machine may lack: tests that need one are skipped, and listed at the end of the run (`tests/skipped.rs`).

use std::env;
use std::fs::OpenOptions;
use std::io::{Write, stderr};
use std::path::{Path, PathBuf};

/// The file that lists skipped tests, one per line: the process of the run, the test, the missing tool.
const SKIPPED: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/skipped-tests");

/// A program besides Rust and a C compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// The real `sqlite3` shell.
    Shell,
    /// Chromium or Chrome.
    Browser,
    /// bash, for the fault scripts.
    Bash,
}

impl Tool {
    /// The names of its command on different systems.
    const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Shell => &["sqlite3"],
            Self::Bash => &["bash"],
            Self::Browser => &[
                "chromium",
                "chromium-browser",
                "google-chrome",
                "google-chrome-stable",
                "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
                "/Applications/Chromium.app/Contents/MacOS/Chromium",
            ],
        }
    }

    /// Its path. If it is missing, notes that `test` is skipped, or panics if nothing may be skipped.
    pub fn find(self, test: &str) -> Option<PathBuf> {
        let found = self
            .names()
            .iter()
            .find_map(|name| in_path(name, &setting("PATH")));
        if found.is_none() {
            skip(test, self.names()[0]);
        }
        found
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "only this function of the tests reads the environment"
)]
pub fn setting(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

fn in_path(name: &str, path: &str) -> Option<PathBuf> {
    // A name with a slash is a path, as in a shell.
    let places = env::split_paths(path).map(|folder| folder.join(name));
    let places: Vec<PathBuf> = if name.contains('/') {
        vec![name.into()]
    } else {
        places.collect()
    };
    places.into_iter().find(|place| place.is_file())
}

fn skip(test: &str, tool: &str) {
    let required = setting("REVIEWS_TEST_REQUIRE");
    assert!(
        required != "all",
        "{test} needs `{tool}`, which is not on the PATH; install it, or unset REVIEWS_TEST_REQUIRE"
    );
    let line = format!("{}\t{test}\t{tool}\n", std::os::unix::process::parent_id());
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(Path::new(SKIPPED))
        .unwrap();
    file.write_all(line.as_bytes()).unwrap();
    // Written directly, because the test's captured output is hidden.
    let _ = stderr().write_all(format!("skipped: {test} needs `{tool}`\n").as_bytes());
}

/// The path of a tool that the test needs; the test returns if it is missing.
macro_rules! needs {
    ($tool:expr) => {{
        fn here() {}
        let name = std::any::type_name_of_val(&here)
            .trim_end_matches("::here")
            .replace("::{{closure}}", "");
        match $tool.find(&name) {
            Some(path) => path,
            None => return,
        }
    }};
}
pub(crate) use needs;

#[test]
fn a_tool_is_found_in_every_folder_of_the_path() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let tool = other.path().join("sqlite3");
    std::fs::write(&tool, "").unwrap();
    let path = format!("{}:{}", one.path().display(), other.path().display());
    assert_eq!(in_path("sqlite3", &path), Some(tool.clone()));
    assert_eq!(
        (in_path("chromium", &path), in_path("sqlite3", "")),
        (None, None)
    );
    assert_eq!(in_path(tool.to_str().unwrap(), ""), Some(tool));
}
