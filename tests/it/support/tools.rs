//! What a machine may lack: a test that needs it is skipped by name, and the run says so at its end
//! (`tests/skipped.rs`).

use std::env;
use std::fs::OpenOptions;
use std::io::{Write, stderr};
use std::path::{Path, PathBuf};

/// Where skipped tests are noted, a line each: the process that runs all tests, the test, what it
/// needs.
const SKIPPED: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/skipped-tests");

/// A program besides Rust and a C compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// The real `sqlite3` shell.
    Shell,
    /// A browser of the Chromium family.
    Browser,
    /// The shell that the faults are written in.
    Bash,
}

impl Tool {
    /// What it is called, here and there.
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

    /// Where it is; else notes that `test` is skipped for want of it, or fails where nothing may be
    /// skipped.
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
    reason = "this is the one place of the tests that reads the environment"
)]
pub fn setting(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

fn in_path(name: &str, path: &str) -> Option<PathBuf> {
    // A name with a slash in it stands for itself, as in a shell.
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
    // Not captured with what the test prints, so that it is seen.
    let _ = stderr().write_all(format!("skipped: {test} needs `{tool}`\n").as_bytes());
}

/// The path of a tool that the test cannot do without; the test returns where it is missing.
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
