//! `./verify` finds missing tools, and knows their packages on each system. Package managers here are stubs that record their
//! arguments.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// A machine with these commands, which do nothing, and with this package manager, which "installs" packages.
struct Machine(TempDir);

impl Machine {
    fn new(manager: &str, commands: &[&str], user: u32) -> Self {
        let machine = Self(tempfile::tempdir().unwrap());
        machine.install_stub("id", &format!("echo {user}"));
        for command in commands {
            machine.install_stub(command, "exit 0");
        }
        let folder = machine.0.path().display().to_string();
        if manager != "none" {
            let gives =
                "case $* in *install*|*add*) for name in cc bash sqlite3 chromium npm python3; do ";
            let log = format!("echo \"{manager} $*\" >> {folder}/asked");
            machine.install_stub(
                manager,
                &format!("{log}\n{gives} /bin/ln -sf {folder}/id {folder}/$name; done ;; esac"),
            );
        }
        machine
    }

    fn install_stub(&self, name: &str, script: &str) {
        let path = self.0.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn verify(&self) -> (Option<i32>, String) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("verify");
        let output = Command::new("/bin/sh")
            .arg(script)
            .arg("tools")
            .env_clear()
            .env("PATH", self.0.path())
            .output();
        let Output {
            status,
            stdout,
            stderr,
        } = output.unwrap();
        (
            status.code(),
            String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned(),
        )
    }

    fn asked(&self) -> String {
        fs::read_to_string(self.0.path().join("asked")).unwrap_or_default()
    }
}

#[test]
fn packages_have_the_names_of_each_system() {
    for (manager, asked) in [
        (
            "apt-get",
            "apt-get update -qq\napt-get install -y --no-install-recommends gcc libc6-dev bash sqlite3 chromium npm python3 python3-venv\n",
        ),
        (
            "dnf",
            "dnf install -y gcc bash sqlite chromium nodejs-npm python3\n",
        ),
        (
            "apk",
            "apk add --no-cache gcc musl-dev bash sqlite chromium npm python3\n",
        ),
    ] {
        let machine = Machine::new(manager, &["cargo"], 0);
        let (code, output) = machine.verify();
        assert_eq!(
            (machine.asked().as_str(), code),
            (asked, Some(0)),
            "{output}"
        );
    }
    // The compiler of macOS is not a package.
    let machine = Machine::new("brew", &["cargo", "cc"], 501);
    let (code, output) = machine.verify();
    assert_eq!(
        (machine.asked().as_str(), code),
        (
            "brew install bash sqlite google-chrome node python3\n",
            Some(0)
        ),
        "{output}"
    );
}

#[test]
fn nothing_is_installed_if_nothing_is_missing() {
    let machine = Machine::new(
        "apt-get",
        &[
            "cargo",
            "clang",
            "bash",
            "sqlite3",
            "google-chrome",
            "npm",
            "python3",
        ],
        1000,
    );
    assert_eq!(
        (machine.verify(), machine.asked()),
        ((Some(0), String::new()), String::new())
    );
}

#[test]
fn users_without_rights_see_what_to_install() {
    let machine = Machine::new("apt-get", &["cargo", "cc", "bash", "sqlite3"], 1000);
    let (code, output) = machine.verify();
    assert_eq!((code, machine.asked()), (Some(1), String::new()));
    assert!(
        output.contains("sudo apt-get install -y --no-install-recommends chromium npm"),
        "{output}"
    );
    // A user with sudo can install.
    machine.install_stub("true", "exit 0");
    machine.install_stub("sudo", "if [ \"$1\" = -n ]; then shift; fi; exec \"$@\"");
    let (code, output) = machine.verify();
    assert_eq!(code, Some(0), "{output}");
    assert!(
        machine
            .asked()
            .contains("install -y --no-install-recommends chromium npm"),
        "{}",
        machine.asked()
    );
}

#[test]
fn tools_without_a_package_are_named() {
    for (manager, commands, expected) in [
        (
            "apt-get",
            &["cc", "bash", "sqlite3", "chromium", "npm"][..],
            "install Rust 1.95 or newer with https://rustup.rs",
        ),
        (
            "none",
            &["cargo", "cc", "bash", "python3"],
            "still missing: sqlite3 chromium npm;",
        ),
        (
            "brew",
            &["cargo", "bash", "sqlite3", "chromium", "npm", "python3"],
            "still missing: cc;",
        ),
    ] {
        let machine = Machine::new(manager, commands, 0);
        let (code, output) = machine.verify();
        assert_eq!(code, Some(1), "{manager}");
        assert!(output.contains(expected), "{manager}: {output}");
    }
}

#[test]
fn unused_snapshots_are_named() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [
        "tests/it/imports/snapshots",
        "tests/it/mcp/tools/snapshots",
        "tests/it/openapi/snapshots",
        "tests/it/process/snapshots",
    ];
    let paths = folders
        .iter()
        .flat_map(|folder| fs::read_dir(root.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path());
    let all: Vec<String> = paths
        .map(|path| path.display().to_string())
        .filter(|path| path.ends_with(".snap"))
        .collect();
    let orphans = |referred_to: &[String]| {
        let list = tempfile::NamedTempFile::new().unwrap();
        fs::write(list.path(), referred_to.concat()).unwrap();
        let output = Command::new(root.join(".ci/orphans"))
            .arg(list.path())
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let lines: Vec<String> = all.iter().map(|path| format!("{path}\n")).collect();
    assert_eq!(orphans(&lines), (Some(0), String::new()));
    let (code, output) = orphans(&lines[1..]);
    let name = Path::new(&all[0]).file_name().unwrap().to_str().unwrap();
    assert!(
        code == Some(1) && output.contains(name) && output.lines().count() == 2,
        "{output}"
    );
    assert_eq!(
        orphans(&[]).0,
        Some(1),
        "an empty list means that the run was not recorded"
    );
}
