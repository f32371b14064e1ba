//! Sets the commit of optimized builds: `REVIEWS_COMMIT` at build time, otherwise the output of git, otherwise `unknown`, as
//! for an archive of the sources.
//!
//! Debug builds do not ask git, because they would be rebuilt after every commit.

use std::process::Command;

#[expect(
    clippy::disallowed_methods,
    reason = "cargo passes values to build scripts through the environment"
)]
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=REVIEWS_COMMIT");
    let given = std::env::var("REVIEWS_COMMIT").unwrap_or_default();
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let commit = match given.trim() {
        "" if is_release => commit().unwrap_or_default(),
        given => given.to_owned(),
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let commit = if !commit.is_empty() && commit.chars().all(is_name) {
        commit
    } else {
        "unknown".to_owned()
    };
    println!("cargo::rustc-env=REVIEWS_COMMIT={commit}");
}

/// The commit that is checked out, with `-dirty` if tracked files differ from it. `None` without git, or if this folder is
/// not the root of a repository.
fn commit() -> Option<String> {
    // This folder may be inside another repository, whose commit is not ours.
    if !std::path::Path::new(".git").exists() {
        return None;
    }
    for file in ["HEAD", "logs/HEAD"] {
        println!(
            "cargo::rerun-if-changed={}",
            git(&["rev-parse", "--git-path", file])?
        );
    }
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let is_dirty = !git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();
    Some(if is_dirty { commit + "-dirty" } else { commit })
}

/// The trimmed output of git; `None` if it fails or is missing.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = output.status.success().then_some(output.stdout)?;
    Some(String::from_utf8(text).ok()?.trim().to_owned())
}
